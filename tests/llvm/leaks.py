"""Leaks that unfold-sym finds, natively too: leaks.py UNFOLD_SYM SOLVER INPUTS CLANG

A program for each word of leaks.c: where what is lost was allocated, in how many executions. What
is lost in a program of one thread is lost for LeakSanitizer, with the inputs, and nothing else is.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, 'examples', 'llvm'), os.path.join(ROOT, 'tests')]
from confirm import SWEEP  # noqa: E402
from failures import Failures  # noqa: E402

failures = Failures()

SYM, SOLVER, INPUTS, CLANG = (os.path.abspath(a) for a in sys.argv[1:5])
SOURCE = os.path.join(HERE, 'leaks.c')

# word: (text of the line, objects, executions) of each leak
WANTED = {
    'local': [('char *p = malloc(10)', 1, 1)], 'exit': [],
    'order': [('char *mine = malloc(10)', 1, 1), ('char *mine = malloc(5)', 1, 1)],
    'global': [], 'behind': [('+ 10', 1, 1)], 'list': [], 'cut': [('malloc(sizeof *n)', 2, 1)],
    'ring': [('malloc(sizeof *n)', 2, 1)], 'result': [('return malloc(7)', 1, 1)], 'unjoined': [],
    'thread': [('own = malloc(9)', 1, 1)], 'inside': [], 'atexit': [], 'key': [], 'own': [], 'stream': [],
    'copy': [('strdup', 1, 1)], 'moved': [], 'unknown': [],
}
THREADS = {'order', 'result', 'unjoined', 'thread', 'inside'}


def explore(word, *options):
    done = subprocess.run([SYM, '--json', '--solver', SOLVER, *options, SOURCE, '--', word], capture_output=True, text=True)
    return json.loads(done.stdout) if done.stdout else {'error': done.stderr}


def leaks_of(result, lines):
    found = []
    for defect in result['defects']:
        line = int(defect['threads'][0]['place'].rsplit(':', 1)[1])
        found.append((lines[line - 1], int(re.search(r'in (\d+) object', defect['text']).group(1)), defect['count']))
    return found


def is_as(found, wanted):
    return len(found) == len(wanted) and all(
        any(part in line and objects == o and count == n for line, o, n in found) for part, objects, count in wanted)


def main(folder):
    with open(SOURCE) as file:
        lines = file.read().split('\n')
    program = os.path.join(folder, 'leaks')
    sweep = os.path.join(folder, 'sweep.c')
    with open(sweep, 'w') as file:
        file.write(SWEEP)
    subprocess.run([CLANG, '-g', '-O0', '-w', '-pthread', '-fsanitize=address', SOURCE, sweep, INPUTS, '-Wl,--wrap=main',
                    '-Wl,--wrap=pthread_create', '-Wl,--wrap=thrd_create', '-o', program], check=True)
    for word, wanted in WANTED.items():
        traces = os.path.join(folder, word)
        result = explore(word, '--leaks', '--trace-dir', traces)
        finished = result.get('stopped') if word == 'unknown' else result.get('stopped') or 'leaks'
        if 'defects' not in result or not is_as(leaks_of(result, lines), wanted) or finished != 'leaks':
            failures.append(f'{word}: {json.dumps(result)}')
        elif explore(word)['defects']:
            failures.append(f'{word}: found without being asked for')
        if word in THREADS or word == 'unknown':
            continue
        schedule = os.path.join(traces, result['defects'][0]['schedule']) if wanted else os.devnull
        said = subprocess.run([program, word], capture_output=True, text=True,
                              env={**os.environ, 'ASAN_OPTIONS': 'detect_leaks=1', 'UNFOLD_INPUTS': schedule}).stderr
        places = [int(line) for line in re.findall(r'leaks\.c:(\d+)', said)]
        good = all(any(part in lines[line - 1] for line in places) for part, _, _ in wanted)
        if not good or bool(wanted) != ('LeakSanitizer' in said):
            failures.append(f'{word}, natively: {said}')
    print(f'{len(WANTED)} programs, {len(failures)} failed')
    return 1 if failures else 0


if __name__ == '__main__':
    with tempfile.TemporaryDirectory() as temporary:
        sys.exit(main(temporary))
