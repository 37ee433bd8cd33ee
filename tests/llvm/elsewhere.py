"""Programs that other collections could have: elsewhere.py UNFOLD_SYM SOLVER CLANG.

Counts of elsewhere.c are by hand: two regions under one lock are two orders."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from failures import Failures  # noqa: E402 (in the folder above)
from interrupts import wait_until  # noqa: E402

UNFOLD, SOLVER, CLANG = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'elsewhere.c')
failures = Failures()


def explore(word, *options):
    done = subprocess.run([UNFOLD, '--json', '--solver', SOLVER, '--max-memory=1G', *options, program, '--', word],
                          capture_output=True, text=True)
    return json.loads(done.stdout), done.returncode


def check(word, options, kinds, status, **wanted):
    result, left = explore(word, *options)
    wanted = {'uncontrolled': None, **wanted}
    found = {name: result[name] for name in wanted}
    if sorted(d['kind'] for d in result['defects']) != kinds or found != wanted or left != status:
        failures.append(f'{word} {options}: {result["verdict"]}, {[d["kind"] for d in result["defects"]]}, {left}, {found}; '
                        f'not {kinds}, {status}, {wanted}')


def check_functions():
    check('function', [], [], 0, complete=2, blocked=0, stopped=None)
    check('nested', [], [], 0, complete=2, blocked=0, stopped=None)
    # read_both first, or stopped behind the lock, which take() holds for ever
    check('stopped', [], [], 0, complete=0, blocked=2, stopped=None)


def check_races():
    races = ['--races-as-atomics']
    # the store races with two loads and a store
    check('beside', [], 3 * ['race'], 1, stopped='race')
    check('beside', races, 3 * ['race'], 1, complete=2, blocked=0, stopped=None)
    check('copied', races, ['race'], 1, stopped='race')
    check('results', [], [], 0, complete=1, stopped=None)


def check_replays():
    """The schedule has the bytes that race: without them it would not fit."""
    with tempfile.TemporaryDirectory() as traces:
        explore('beside', '--races-as-atomics', f'--trace-dir={traces}')
        path = os.path.join(traces, 'trace-1.unfs')
        done = subprocess.run([UNFOLD, '--replay', path, program, '--', 'beside'], capture_output=True, text=True)
        if 'data race' not in done.stdout:
            failures.append(f'replay: {done}')


def check_conditions():
    # told first, or woken; or it ends before that, or before it has the mutex again
    check('woken', [], [], 0, complete=2, blocked=0, stopped=None)
    check('woken', ['--spurious=1'], ['assertion'], 1, complete=3, blocked=1, stopped=None)


def check_ends():
    check('aborting', [], ['assertion', 'crash'], 1, complete=1, blocked=3, stopped=None)
    check('aborting', ['--aborts=end'], ['assertion'], 1, complete=1, blocked=3, stopped=None)


def check_bounds():
    check('branches', ['--max-branches=3'], [], 3, complete=3, blocked=1, stopped='branches', finished=False)
    check('branches', ['--max-branches=6'], ['assertion'], 1, complete=5, blocked=2, stopped='branches', finished=False)
    check('threads', ['--max-threads=4'], [], 3, complete=0, blocked=1, stopped='threads', finished=False)
    check('operations', ['--max-operations=7'], [], 3, complete=0, blocked=1, stopped='operations', finished=False)
    check('instructions', ['--max-silent=1000'], [], 3, complete=0, blocked=1, stopped='instructions', finished=False)


def check_seconds():
    """An execution without an end is stopped in the midst, whatever it consists of."""
    for word in ('threads', 'operations', 'instructions'):
        check(word, ['--max-seconds=0.2'], [], 3, stopped='seconds', finished=False)


def is_asked(process):
    """Whether its solver is at a question that takes long."""
    try:
        with open(f'/proc/{process.pid}/task/{process.pid}/children', encoding='ascii') as file:
            stats = [pathlib.Path(f'/proc/{child}/stat').read_text() for child in file.read().split()]
    except OSError:
        return False  # one of them has ended
    used = [sum(map(int, stat.rpartition(')')[2].split()[11:13])) for stat in stats if '(unfold-solver)' in stat]
    return any(ticks > os.sysconf('SC_CLK_TCK') / 2 for ticks in used)


def check_interrupted():
    """A question that the end interrupts, the only one, does not say that there is no solver."""
    hard = os.path.join(folder, 'hard.c')
    with open(hard, 'w') as file:
        file.write('extern unsigned __VERIFIER_nondet_uint(void);\nint main(void) {\n  unsigned h = __VERIFIER_nondet_uint();\n'
                   '  for (int i = 0; i < 8; i++) h = h * 2654435761u ^ (h >> 13);\n  if (h == 0xdeadbeef) return 1;\n  return 0;\n}\n')
    with subprocess.Popen([UNFOLD, '--solver', SOLVER, '--max-solver-steps=4000000000', hard], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as process:
        wait_until(process, lambda: is_asked(process))
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
    if process.returncode != 3 or 'without an answer' in said:
        failures.append(f'a question that was interrupted: {process.returncode} {said}')


with tempfile.TemporaryDirectory() as folder:
    program = os.path.join(folder, 'elsewhere.bc')
    subprocess.run([CLANG, '-O0', '-g', '-w', '-emit-llvm', '-c', '-o', program, SOURCE], check=True)
    for part in (check_functions, check_races, check_replays, check_conditions, check_ends, check_bounds, check_seconds,
                 check_interrupted):
        part()
print(f'elsewhere: {len(failures)} failed')
sys.exit(1 if failures else 0)
