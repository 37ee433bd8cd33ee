"""bench/symbolic with programs from elsewhere: benchmarks.py BUILD CLANG [--all].

Objects of bitcode are linked with what they need of an archive; programs in the form of SV-COMP's
are explored, a row each; a source that cannot be fetched is said by name. --all: the table also of
all programs of verdicts.c, as tasks of SV-COMP."""
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD, CLANG = os.path.abspath(sys.argv[1]), sys.argv[2]
BENCH = os.path.join(ROOT, 'bench', 'symbolic')
sys.path.insert(0, os.path.join(ROOT, 'bench', 'real'))
import bitcode  # noqa: E402

FILES = {
    'main.c': 'int twice(int x); int main(void) { return twice(2) != 4; }',
    'twice.c': 'int add(int x, int y); int twice(int x) { return add(x, x); }',
    'add.c': 'int add(int x, int y) { return x + y; }',
    'unused.c': 'int twice_as_well; int main(void) { return missing(); }',  # another main
}
TASK = '''input_files: '{0}'
properties:
  - property_file: ../properties/{2}.prp
    expected_verdict: {1}
'''
# A program of verdicts.c with its words, as one of its own.
ALONE = '''#define main with_words
#include "{0}"
#undef main
int main(void) {{
  char *words[] = {{"verdicts", "{1}", {2}}};
  return with_words(sizeof words / sizeof *words - 1, words);
}}
'''
PREPROCESSED = '''# 1 "program.c"
# 1 "/usr/include/pthread.h" 1 3 4
# 20 "/usr/include/bits/types.h" 1 3 4
typedef struct { int parts[6]; } pthread_mutex_t;
# 3 "/usr/include/pthread.h" 2 3 4
extern int pthread_mutex_lock(pthread_mutex_t *);
# 2 "program.c" 2
# 1 "own.h" 1
static pthread_mutex_t m;
# 3 "program.c" 2
extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) { pthread_mutex_init(&m, 0); pthread_mutex_lock(&m); if (__VERIFIER_nondet_int() == 7) %s; return 0; }
'''
failures = []


def check_link(folder):
    for name, text in FILES.items():
        with open(os.path.join(folder, name), 'w') as file:
            file.write(text)
        subprocess.run([CLANG, '-g', '-w', '-Wno-implicit-function-declaration', '-flto', '-c', name], check=True, cwd=folder)
    archive = os.path.join(folder, 'all.a')
    subprocess.run([bitcode.AR, 'rcs', archive, 'unused.o', 'add.o', 'twice.o'], check=True, cwd=folder)
    output = os.path.join(folder, 'program.bc')
    bitcode.link(output, [os.path.join(folder, 'main.o')], [archive], os.path.join(folder, 'members'))
    done = subprocess.run([os.path.join(BUILD, 'examples/llvm/unfold-sym'), '--json', output], capture_output=True, text=True)
    if done.returncode != 0 or json.loads(done.stdout)['complete'] != 1:
        failures.append(f'linked: {done}')


def write_task(tasks, name, expected, wanted, text, kind='c'):
    program = f'{name}-{wanted}.{kind}'
    with open(os.path.join(tasks, f'{name}-{wanted}.yml'), 'w') as file:
        file.write(TASK.format(program, expected, wanted))
    with open(os.path.join(tasks, program), 'w') as file:
        file.write(text)


def explore_tasks(folder):
    done = subprocess.run([BENCH, BUILD, '--sv-benchmarks', folder], capture_output=True, text=True)
    print(done.stdout, end='')
    return done


def row(wanted, true, false, none=0):
    return f'pthread | {wanted} | {true + false + none} | {true} | {false} | 0 | {none} | 0 | 0 |'


def check_table(folder):
    """A preprocessed program has its headers from another machine, where a mutex is smaller."""
    tasks = os.path.join(folder, 'c', 'pthread')
    os.makedirs(tasks)
    for name, expected, does in (('wrong', 'false', 'reach_error()'), ('right', 'true', '')):
        write_task(tasks, name, expected, 'unreach-call', PREPROCESSED % does, 'i')
    done = explore_tasks(folder)
    if row('unreach-call', 1, 1) not in done.stdout or 'not there: pthread-driver-races' not in done.stdout:
        failures.append(f'table: {done}')


# Of programs of verdicts.c: which properties the wrong one has not.
SOME = {'lazy': ['unreach-call'], 'wrong-lock': ['no-data-race'], 'message': ['unreach-call', 'no-data-race'], 'wakeup': [],
        'readers': ['unreach-call', 'no-data-race'], 'bounds': []}


def check_some(folder):
    """Behind an error of memory nothing is known of the rest."""
    tasks, source = os.path.join(folder, 'c', 'pthread'), os.path.join(ROOT, 'tests', 'llvm', 'verdicts.c')
    os.makedirs(tasks)
    for word, violated in SOME.items():
        for is_wrong in (False, True):
            text = ALONE.format(source, word, '"wrong", 0' if is_wrong else '0')
            for wanted in ('unreach-call', 'no-data-race'):
                expected = 'false' if is_wrong and wanted in violated else 'true'
                write_task(tasks, word + ('-wrong' if is_wrong else ''), expected, wanted, text)
    done = explore_tasks(folder)
    if row('unreach-call', 8, 3, 1) not in done.stdout or row('no-data-race', 8, 3, 1) not in done.stdout:
        failures.append(f'some: {done}')


def check_source(folder):
    done = subprocess.run([BENCH, BUILD, '--prepare', folder, '--only', 'pigz', '--mirror', f'file://{folder}/absent', '--suites', 'none'],
                          capture_output=True, text=True)
    if done.returncode != 1 or 'pigz: the source of zlib cannot be fetched' not in done.stderr:
        failures.append(f'source: {done}')


for check in (check_link, check_table, check_source, *((check_some,) if '--all' in sys.argv else ())):
    with tempfile.TemporaryDirectory() as temporary:
        check(temporary)
print('\n'.join(failures))
print(f'benchmarks: {len(failures)} failed')
sys.exit(1 if failures else 0)
