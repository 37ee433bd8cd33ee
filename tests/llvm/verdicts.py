"""Verdicts on verdicts.c and merging.c: verdicts.py UNFOLD_SYM SOLVER CLANG [--levels] [--cutoffs].

Each program is right as it is, and with a mistake of this kind when it is started as wrong. Every
execution that is found wrong has its inputs where there are some. --levels: also -O1 and -O2, but
for `message`, in which clang reads earlier then than the program does: a race. --cutoffs: the same
with cutoffs, but for what is refused then, as what is found behind a race."""
import json
import os
import subprocess
import sys
import tempfile

from wanted import VERDICTS

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from failures import Failures  # noqa: E402 (in the folder above)

UNFOLD, SOLVER, CLANG = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
LEVELS = ['-O0', '-O1', '-O2'] if '--levels' in sys.argv else ['-O0']
OPTIONS = ['--cutoffs=erv'] if '--cutoffs' in sys.argv else []
# Where the right one waits for ever by intent: a wait that nobody need end.
BLOCKED_TOO = {'stolen'}
WITH_INPUTS = {'lazy', 'sum', 'account', 'order', 'bounds', 'race', 'fifo', 'parsed', 'overflow'}
failures = Failures()


def explore(program, word, is_wrong, *more):
    done = subprocess.run([UNFOLD, '--json', '--solver', SOLVER, '--overflow', '--max-memory=1G', *OPTIONS, *more, program, '--', word,
                           *(['wrong'] if is_wrong else [])], capture_output=True, text=True, cwd=os.path.dirname(program))
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {'defects': [], 'finished': False, 'uncontrolled': done.stdout + done.stderr}


def translate(name, flag):
    bitcode = os.path.join(folder, f'{name}.bc')
    subprocess.run([CLANG, flag, '-g', '-w', '-emit-llvm', '-c', '-o', bitcode,
                    os.path.join(os.path.dirname(os.path.abspath(__file__)), f'{name}.c')], check=True)
    return bitcode


def check(program, level, word, is_wrong):
    behind = {'assertion', 'race'} <= wanted_of(word, is_wrong)
    if behind and OPTIONS:
        return
    compare(level, word, is_wrong, explore(program, word, is_wrong, *(['--races=continue'] if behind else [])))


def wanted_of(word, is_wrong):
    return set(VERDICTS.get(word, 'race').split()) if is_wrong else {'deadlock'} if word in BLOCKED_TOO else set()


def compare(level, word, is_wrong, result):
    if OPTIONS and 'with --cutoffs' in str(result.get('uncontrolled')):
        return
    kinds = {d['kind'] for d in result['defects']}
    wanted = wanted_of(word, is_wrong)
    if is_wrong and word in BLOCKED_TOO:
        kinds.discard('deadlock')
    whole = result['finished'] or 'race' in wanted
    inputs = all(d.get('inputs') for d in result['defects']) or not is_wrong or word not in WITH_INPUTS
    if kinds != wanted or not whole or not inputs:
        why = result.get('uncontrolled') or [(d['kind'], d.get('text'), d.get('inputs')) for d in result['defects']] or result.get('stopped')
        failures.append(f'{word}{" wrong" if is_wrong else ""} {level}: {sorted(kinds)}, not {sorted(wanted)}: {why}')


def check_behind_a_race():
    """An assertion that fails only where a race decides: that it may is said. One that fails behind
    a race is said on request."""
    done = subprocess.run([UNFOLD, '--json', '--solver', SOLVER, '--races=continue', os.path.join(folder, 'verdicts.bc'), '--', 'message', 'wrong'],
                          capture_output=True, text=True)
    result = json.loads(done.stdout)
    if result['finished'] or result['stopped'] != 'race':
        failures.append(f'message wrong, behind the race: {result["verdict"]}')
    kinds = {d['kind'] for d in explore(os.path.join(folder, 'verdicts.bc'), 'phases', True)['defects']}
    if kinds != {'race'}:
        failures.append(f'phases wrong, with a race: {kinds}')


def check_merging(flag):
    """A program of its own: the race of a tree of merges."""
    program = translate('merging', flag)
    compare(flag, 'merging', False, explore(program, 'right', False))
    compare(flag, 'merging', True, explore(program, 'right', True))


with tempfile.TemporaryDirectory() as folder:
    for flag in LEVELS:
        bitcode = translate('verdicts', flag)
        for name in VERDICTS:
            if name == 'message' and flag != '-O0':
                continue
            check(bitcode, flag, name, False)
            check(bitcode, flag, name, True)
        check_merging(flag)
    check_behind_a_race()
print(f'verdicts: {2 * (len(VERDICTS) + 1) * len(LEVELS)} programs, {len(failures)} failed')
sys.exit(1 if failures else 0)
