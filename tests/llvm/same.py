"""What a program computes in unfold-sym is what it computes on the machine: same.py UNFOLD_SYM
SOLVER CLANG FILE.c… [-- ARGUMENT…].

Each file calls unfold_show(text, number). On the machine the calls are written down; in unfold-sym,
with -O0, -O1 and -O2, each is compared with what was written, and one that differs is an assertion
that fails."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from failures import Failures  # noqa: E402 (in the folder above)

UNFOLD, SOLVER, CLANG = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
FILES = sys.argv[4:]
PRINT = r'''#include <stdio.h>
void unfold_show(const char *text, long long number) { fprintf(stderr, "%s\t%lld\n", text, number); }
'''
COMPARE = r'''void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));
int strcmp(const char *, const char *);
static const struct { const char *text; long long number; } shown[] = { %s {0, 0} };
static int at;
void unfold_show(const char *text, long long number) {
  if (shown[at].text == 0 || strcmp(shown[at].text, text) != 0 || shown[at].number != number)
    __assert_fail(text, "", 0, "");
  at++;
}
int unfold_shown(void) { return at; }
'''


def check(path, folder):
    """How many numbers were compared; what is wrong goes to failures."""
    native = os.path.join(folder, 'native')
    with open(f'{native}.c', 'w') as file:
        file.write(PRINT)
    subprocess.run([CLANG, '-w', '-O0', '-mcx16', '-pthread', '-o', native, path, f'{native}.c', '-lm'], check=True)
    lines = subprocess.run([native], capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL, cwd=folder).stderr.splitlines()
    pairs = [line.rsplit('\t', 1) for line in lines]
    table = ' '.join('{%s, %sull},' % (json.dumps(text), int(number) % 2**64) for text, number in pairs)
    compare = os.path.join(folder, 'compare.c')
    with open(compare, 'w') as file:
        file.write(COMPARE % table)
    if not pairs:
        failures.append(f'{path}: nothing was shown')
    for level in ('-O0', '-O1', '-O2'):
        done = subprocess.run([UNFOLD, '--json', '--solver', SOLVER, '--max-memory=500M', '--clang-flags', level, path, compare], capture_output=True, text=True,
                              cwd=folder)
        try:
            result = json.loads(done.stdout)
        except ValueError:
            failures.append(f'{path} {level}: {done.stdout}{done.stderr}')
            continue
        if done.returncode != 0 or result['complete'] != 1:
            found = [(d['kind'], d.get('text'), d['threads'][0].get('place')) for d in result['defects']]
            failures.append(f'{path} {level}: {result.get("uncontrolled") or result["stopped"]} {found}')
    return len(pairs)


failures = Failures()
for name in FILES:
    with tempfile.TemporaryDirectory() as temporary:
        count = check(os.path.abspath(name), temporary)
    print(f'{os.path.basename(name)}: {count} numbers')
sys.exit(1 if failures else 0)
