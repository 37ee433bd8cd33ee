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
from wanted import VERDICTS  # noqa: E402

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
PROGRAM = 'extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\nint main(void) { if (__VERIFIER_nondet_int() == 7) %s; return 0; }\n'
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


def write_task(tasks, name, expected, wanted, text):
    program = f'{name}-{wanted}.c'
    with open(os.path.join(tasks, f'{name}-{wanted}.yml'), 'w') as file:
        file.write(TASK.format(program, expected, wanted))
    with open(os.path.join(tasks, program), 'w') as file:
        file.write(text)


def explore_tasks(folder):
    done = subprocess.run([BENCH, BUILD, '--sv-benchmarks', folder], capture_output=True, text=True)
    print(done.stdout, end='')
    return done


def check_table(folder):
    tasks = os.path.join(folder, 'c', 'pthread')
    os.makedirs(tasks)
    for name, expected, does in (('wrong', 'false', 'reach_error()'), ('right', 'true', '')):
        write_task(tasks, name, expected, 'unreach-call', PROGRAM % does)
    done = explore_tasks(folder)
    if 'pthread | unreach-call | 2 | 2 | 0 | 0 |' not in done.stdout or 'pthread-driver-races | - | not there' not in done.stdout:
        failures.append(f'table: {done}')


def check_all(folder):
    """Where an assertion can fail, and where a race is; others have neither. With a race nothing
    is said of assertions that do not fail."""
    tasks, source = os.path.join(folder, 'c', 'pthread'), os.path.join(ROOT, 'tests', 'llvm', 'verdicts.c')
    os.makedirs(tasks)
    for word, kinds in VERDICTS.items():
        for is_wrong in (False, True):
            text = ALONE.format(source, word, '"wrong", 0' if is_wrong else '0')
            for wanted, kind in (('unreach-call', 'assertion'), ('no-data-race', 'race')):
                write_task(tasks, word + ('-wrong' if is_wrong else ''), 'false' if is_wrong and kind in kinds else 'true', wanted, text)
    count, racing = 2 * len(VERDICTS), sum(kinds == 'race' for kinds in VERDICTS.values())
    done = explore_tasks(folder)
    for row in (f'unreach-call | {count} | {count - racing} | 0 | {racing}', f'no-data-race | {count} | {count} | 0 | 0'):
        if f'pthread | {row} |' not in done.stdout:
            failures.append(f'all: {done}')


def check_source(folder):
    done = subprocess.run([BENCH, BUILD, '--prepare', folder, '--only', 'pigz', '--mirror', f'file://{folder}/absent', '--suites', 'none'],
                          capture_output=True, text=True)
    if done.returncode != 1 or 'pigz: the source of zlib cannot be fetched' not in done.stderr:
        failures.append(f'source: {done}')


for check in (check_link, check_table, check_source, *((check_all,) if '--all' in sys.argv else ())):
    with tempfile.TemporaryDirectory() as temporary:
        check(temporary)
print('\n'.join(failures))
print(f'benchmarks: {len(failures)} failed')
sys.exit(1 if failures else 0)
