"""States that are kept: states.py UNFOLD_SYM SOLVER CLANG [PART …].

Where executions go on from states that were kept, everything is as where each begins at the start:
executions with their constraints, findings, decisions. In several orders, with a state behind each
step, and with memory for so few that most of them are gone when they are needed."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from failures import Failures  # noqa: E402 (in the folder above)

UNFOLD, SOLVER, CLANG = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = [(f'verdicts {word} {wrong}').split() for word in
            ['account', 'fib', 'gate', 'indexer', 'singleton', 'fifo', 'stack', 'timeout', 'phases', 'lifetime', 'stolen'] for wrong in ('', 'wrong')]
INPUTS = [['inputs', 'lines', '--symbolic-stdin=3'], ['inputs', 'keys', '--symbolic-stdin=2']]
# What shows only where a state is come back to from elsewhere.
BACK = [(['back', 'race'], ['--order=random', '--seed=0']), (['back', 'keys'], ['--order=bfs'])]
ORDERS = [[], ['--order=bfs'], ['--order=random', '--seed=3'], ['--algorithm=odpor'], ['--algorithm=eager']]
failures = Failures()
kept = restored = gone = 0


def explore(folder, program, options):
    file, word, *more = program
    flags = [word for word in more if word.startswith('--')]
    path = os.path.join(folder, 'executions')
    done = subprocess.run([UNFOLD, '--json', '--solver', SOLVER, '--races=continue', '--max-executions=300', f'--executions={path}', *flags, *options,
                           os.path.join(folder, f'{file}.bc'), '--', word, *(word for word in more if word not in flags)], capture_output=True, text=True)
    try:
        result = json.loads(done.stdout)
    except ValueError:
        return done.stdout + done.stderr, None
    with open(path, encoding='utf-8') as file:
        executions = sorted(file.read().splitlines())
    defects = [{key: value for key, value in defect.items() if key != 'inputs'} for defect in result['defects']]
    return [executions, defects, result['traces'], result['events'], result['races'], result['decisions'], result['stopped'],
            result['uncontrolled']], result


with tempfile.TemporaryDirectory() as folder:
    for file in ('verdicts', 'inputs', 'back'):
        subprocess.run([CLANG, '-g', '-w', '-emit-llvm', '-c', '-o', f'{folder}/{file}.bc', f'{HERE}/{file}.c'], check=True)
    rows = [*((program, ORDERS[index % len(ORDERS)]) for index, program in enumerate(PROGRAMS + INPUTS)), *BACK]
    parts = {'_'.join(program).partition('_-')[0]: (program, order) for program, order in rows}
    for part in failures.chosen(parts, sys.argv[4:]):
        if failures:
            break  # what is wrong with states may not end either
        program, order = parts[part]
        wanted, whole = explore(folder, program, ['--checkpoints=0', *order])
        for options in (['--checkpoints=1'], ['--checkpoints=3'], ['--checkpoints=1', '--checkpoint-memory=100K']):
            found, result = explore(folder, program, [*options, *order])
            if found != wanted:
                failures.append(f'{program} {order} {options}: {str(found)[:300]}, not {str(wanted)[:300]}')
            if result is not None:
                kept, restored, gone = (a + result['states'][b] for a, b in ((kept, 'kept'), (restored, 'restored'), (gone, 'gone')))
print(f'{len(parts)} programs: {kept} states were kept, {restored} times one was gone on from, {gone} went for lack of memory, {len(failures)} failed')
sys.exit(1 if failures or min(kept, restored, gone) == 0 and not sys.argv[4:] else 0)
