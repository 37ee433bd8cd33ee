"""Random C programs with threads and inputs, by unfold-sym and natively:
differential.py UNFOLD_SYM SOLVER UNFOLD INPUTS CALLBACKS CLANG [SEED [COUNT]]

unfold-sym explores each program for all values of its inputs; unfold explores it, compiled with
callbacks, for each value. For each value the executions whose constraint admits it are, without
their branches, all different, as many as the native ones, complete, deadlocked and failed ones
each, and they have as many events together. The programs of a part are one file, compiled once for
each of the two.
"""
import json
import os
import subprocess
import sys
from collections import Counter

SYM, SOLVER, NATIVE, INPUTS, CALLBACKS, CLANG = (os.path.abspath(a) for a in sys.argv[1:7])
SEED = int(sys.argv[7]) if len(sys.argv) > 7 else 1
COUNT = int(sys.argv[8]) if len(sys.argv) > 8 else 100
sys.argv[1:] = [SYM, SOLVER, 'differential']
from sketch import Scattered, Sketch, Wide, function, together  # noqa: E402
from symbolic import FOLDER, SEARCHES, fail, failures, values_of, write  # noqa: E402
from executions import admits, key, shortened  # noqa: E402

PART, MOST = 100, 100
totals = Counter()


def sketch_of(seed):
    if seed % 12 == 0:
        return Wide(seed, errors=False)
    return Scattered(seed) if seed % 4 == 2 else Sketch(seed)


def compile_part(seeds, sketches):
    file = write('part.c', together({seed: sketches[seed] for seed in seeds}))

    def run(*words):
        subprocess.run([CLANG, '-w', '-g', '-O0', '-pthread', *words], check=True, cwd=FOLDER)

    run('-emit-llvm', '-c', file, '-o', 'part.bc')
    run('-fsanitize=thread', '-c', file, '-o', 'part.o')
    run('part.o', INPUTS, '-Wl,--wrap=pthread_create', '-Wl,--wrap=thrd_create', CALLBACKS,
        f'-Wl,-rpath,{os.path.dirname(CALLBACKS)}', '-o', 'part')


def explore_all(seed, search):
    listed = os.path.join(FOLDER, 'executions')
    done = subprocess.run([SYM, '--json', '--solver', SOLVER, '--executions', listed, '--max-solver-steps=1000000',
                           f'--max-executions={MOST}', *search, 'part.bc', '--', str(seed)], capture_output=True,
                          text=True, cwd=FOLDER)
    with open(listed) as file:
        return json.loads(done.stdout), [json.loads(line) for line in file]


def explore_native(seed, values):
    write('values', ','.join('%s=%d' % item for item in values.items()) + '\n')
    done = subprocess.run([NATIVE, '--json', '--mode=inprocess', '--atomics=off', '--reorder=0', '--probes=0',
                           f'--max-executions={2 * MOST}', '--', './part', str(seed)], capture_output=True, text=True,
                          cwd=FOLDER, env={**os.environ, 'UNFOLD_INPUTS': 'values'})
    return json.loads(done.stdout)


def compare(seed, sketch):
    """Whether the program was compared, for all values of its inputs."""
    search = (*SEARCHES[seed % len(SEARCHES)], *(['--try-values=0'] if seed % 8 == 2 else []))
    result, executions = explore_all(seed, search)
    if result['stopped'] in ('executions', 'race', 'values') or isinstance(sketch, Wide) and result['stopped'] == 'undecided':
        return False
    if not result['finished']:
        fail(f'{seed}: not finished: {result["stopped"]} {result.get("uncontrolled")}')
        return False
    if shortened(executions):
        return False
    for values in values_of(sketch, []):
        native = explore_native(seed, values)
        keys = [key(e) for e in executions if admits(e, values)]
        verdicts = Counter(verdict for _, verdict in keys)
        events = set().union(*(names for names, _ in keys))
        mine = {'traces': len(set(keys)), 'complete': verdicts['complete'], 'deadlocks': verdicts['deadlock'],
                'errors': verdicts['error'], 'events': len(events), 'executions': len(keys)}
        totals.update(programs=1, executions=len(keys))
        theirs = {name: native[name] for name in mine if name in native}
        if mine != {**theirs, 'executions': theirs['traces']} or not native['finished']:
            fail(f'{seed} {search} {values}: {mine}, and natively {theirs} {native["verdict"]}',
                 function(seed, sketch_of(seed)))
            return True
    return True


def main():
    compared = 0
    for first in range(SEED, SEED + COUNT, PART):
        seeds = range(first, min(first + PART, SEED + COUNT))
        sketches = {seed: sketch_of(seed) for seed in seeds}
        compile_part(seeds, sketches)
        compared += sum(compare(seed, sketches[seed]) for seed in seeds)
    if compared < COUNT / 2:
        fail(f'only {compared} of {COUNT} programs were compared')
    print(f'{compared} of {COUNT} programs compared, for {totals["programs"]} values with '
          f'{totals["executions"]} executions; {len(failures)} differ')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
