"""Inputs that a program reads: inputs.py UNFOLD_SYM SOLVER CLANG.

What is found comes with bytes for which the program fails on the machine, too; given to it as they
are, they are found again."""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from failures import Failures  # noqa: E402 (in the folder above)

UNFOLD, SOLVER, CLANG = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'inputs.c')
# word, options
ROWS = [
    ('arguments', ['--symbolic-arg=2,2']), ('arguments', ['--symbolic-arg', '1,3']), ('lines', ['--symbolic-stdin=4']),
    ('characters', ['--symbolic-stdin=3']), ('file', ['--symbolic-file=data=3']), ('keys', ['--symbolic-stdin=2']), ('table', ['--symbolic-stdin=1']),
]
failures = Failures()


def explore(options, words, folder):
    done = subprocess.run([UNFOLD, '--json', '--solver', SOLVER, '--stop-at-first', '--max-memory=1G', *options, 'inputs.bc', '--',
                           *words], capture_output=True, text=True, cwd=folder)
    try:
        return json.loads(done.stdout), done.returncode
    except ValueError:
        return {'defects': [], 'uncontrolled': done.stdout + done.stderr}, done.returncode


def bytes_of(inputs, name):
    """The bytes of one thing that is read, by their index."""
    found = {int(m.group(1)): value & 255 for key, value in inputs.items() if (m := re.fullmatch(re.escape(name) + r'\[(\d+)\]', key))}
    return bytes(found[i] for i in range(len(found)))


def check(word, options, folder):
    result, status = explore(options, [word], folder)
    if status != 1 or [d['kind'] for d in result['defects']] != ['assertion']:
        failures.append(f'{word} {options}: {status} {result.get("uncontrolled")} {result["defects"]}')
        return
    inputs = result['defects'][0]['inputs']
    arguments = [bytes_of(inputs, f'argv[{i}]').split(b'\0')[0] for i in (2, 3)] if word == 'arguments' else []
    given = bytes_of(inputs, 'stdin')
    for name, data in (('data', bytes_of(inputs, 'data')), ('given', given)):
        with open(os.path.join(folder, name), 'wb') as file:
            file.write(data)
    done = subprocess.run(['./inputs', word, *arguments], input=given, capture_output=True, cwd=folder)
    if b'Assertion' not in done.stderr:
        failures.append(f'{word}: {inputs} does not fail on the machine: {done}')
    if word == 'arguments':
        return
    again, status = explore(['--stdin=given'], [word], folder)
    if status != 1 or [d['kind'] for d in again['defects']] != ['assertion']:
        failures.append(f'{word}: not found again with {inputs}: {status} {again}')


def more(folder):
    """Without inputs; wrong words."""
    result, status = explore([], ['lines'], folder)
    if status != 0 or result['traces'] != 1:
        failures.append(f'an empty standard input: {status} {result}')
    with open(os.path.join(folder, 'given'), 'wb') as file:
        file.write(b'xy')
    result, status = explore(['--stdin=given'], ['share'], folder)
    if status != 1 or [d['kind'] for d in result['defects']] != ['assertion']:
        failures.append(f'a stream of two threads: {status} {result}')
    for wrong in ('--symbolic-arg=x', '--symbolic-file=data', '--symbolic-file==4', '--stdin=absent', '--symbolic-arg=2,'):
        result, status = explore([wrong], ['lines'], folder)
        if status != 2:
            failures.append(f'{wrong}: {status} {result}')


with tempfile.TemporaryDirectory() as temporary:
    subprocess.run([CLANG, '-O0', '-g', '-w', '-emit-llvm', '-c', '-o', 'inputs.bc', SOURCE], check=True, cwd=temporary)
    subprocess.run([CLANG, '-g', '-w', '-pthread', '-o', 'inputs', SOURCE], check=True, cwd=temporary)
    for row in ROWS:
        check(*row, temporary)
    more(temporary)
print(f'inputs: {len(ROWS)} programs, {len(failures)} failed')
sys.exit(1 if failures else 0)
