"""Refuses allocations of unfold-sym, and of the process that translates, one by one: memory.py
UNFOLD_SYM SOLVER CLANG REFUSE_LIBRARY [MOST].

Whatever is refused, the program ends with its ordinary result, or says that there was no memory and
ends with status 3, or 1 when it has a defect to report. LLVM ends its process with a signal where
it has no memory itself, which is said; of what unfold-bitcode asks for itself, in its translation,
MOST are refused, too. MOST of each case are refused, evenly chosen."""
import functools
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import refusals  # noqa: E402

PROGRAM, SOLVER, CLANG, LIBRARY = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3], os.path.abspath(sys.argv[4])
MOST = int(sys.argv[5]) if len(sys.argv) > 5 else 4
HERE = os.path.dirname(os.path.abspath(__file__))
# file, options, words
CASES = [('verdicts', ['--trace-dir=t', '--tests=t', '--coverage=c', '--cover-first'], ['account', 'wrong']), ('verdicts', ['--algorithm=odpor'], ['parsed']), ('verdicts', [], ['spin-lock', 'wrong']),
         ('verdicts', ['--cutoffs=erv'], ['account', 'wrong']),
         ('inputs', ['--symbolic-stdin=2', '--symbolic-arg=1'], ['keys']), ('verdicts', ['--checkpoints=1', '--order=bfs', '--max-executions=30'], ['singleton']),
         ('cases', [], ['across'])]


def run(folder, case, only, **refusal):
    file, options, words = case
    command = [PROGRAM, '--json', '--solver', SOLVER, *options, f'{file}.bc', '--', *words]
    return refusals.run(command, LIBRARY, cwd=folder, ONLY=only, **refusal)


def result(ran):
    try:
        found = json.loads(ran.stdout)
        return found['traces'], found['executions'], sorted({d['kind'] for d in found['defects']})
    except ValueError:
        return ran.stdout


def wrong_with(ran, whole, only):
    """What is wrong with a run of which something was refused; None: nothing."""
    if only == 'unfold-bitcode' and ran.returncode == 2 and 'was ended by signal' in ran.stderr:
        return None
    return refusals.wrong_with(ran, whole, result)


passed = failed = 0


def check(case, process, number, whole, **own):
    global passed, failed
    for more in ({}, {'ON': 1}):
        one = run(temporary, case, process, AT=number, **more, **own)
        problem = wrong_with(one, whole, process)
        passed, failed = passed + (problem is None), failed + (problem is not None)
        if problem is not None:
            print(f'{case} {process}: allocation {number}{" and all after it" if more else ""}: {problem}\n{one.stdout[:500]}{one.stderr[:500]}')


with tempfile.TemporaryDirectory() as temporary:
    for name in ('verdicts', 'inputs', 'cases'):
        subprocess.run([CLANG, '-O0', '-g', '-w', '-mcx16', '-emit-llvm', '-c', '-o', f'{name}.bc', f'{HERE}/{name}.c'], check=True, cwd=temporary)
    for a_case in CASES:
        total, all_memory = refusals.allocations(functools.partial(run, temporary, a_case, 'unfold-sym'))
        if all_memory.returncode not in (0, 1):
            sys.exit(f'{a_case}: status {all_memory.returncode} with all memory: {all_memory.stderr}')
        for at in range(1, total + 1, max(1, total // MOST)):
            check(a_case, 'unfold-sym', at, all_memory)
    with tempfile.TemporaryFile('r+') as counted:
        total, all_memory = refusals.own_allocations(functools.partial(run, temporary, CASES[0], 'unfold-bitcode'))
        for at in range(1, total + 1, max(1, total // MOST)):
            check(CASES[0], 'unfold-bitcode', at, all_memory, OWN=counted.fileno())
    print(f'{total} allocations in a translation')
    # How many LLVM makes is not known, for the process ends at once: fewer and fewer are refused.
    at = 1
    while at < 100000:
        check(CASES[0], 'unfold-bitcode', at, run(temporary, CASES[0], 'nothing'))
        at = at * 5 // 2 + 1
print(f'{passed} passed, {failed} failed')
sys.exit(1 if failed else 0)
