"""What threads do at pipes, counters, files, sockets and signals: environment.py UNFOLD_SYM SOLVER
CLANG UNFOLD_MODEL [PART …].

Each word of environment.c has its number of executions. Those of `both` (poll) and `watched`
(epoll) are the ones of models, both.unf and watched.unf, which have the gates as they are meant to
be used; others were counted by hand: all uses of a pipe are ordered, and a read waits until there
is something. Peers send what the command line says; what the program writes is not on disk.
"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from failures import Failures  # noqa: E402 (in the folder above)

UNFOLD, SOLVER, CLANG, MODEL = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3], os.path.abspath(sys.argv[4])
HERE = os.path.dirname(os.path.abspath(__file__))
# word: executions that complete, that are blocked, what is found
COUNTS = {
    'one-writer': (1, 0, ''),    # one can read only behind the write
    'two-writers': (4, 0, ''),   # orders of the writes; the first read is before the second or not
    'whole': (4, 0, ''),         # the same: one byte and one, or two at once
    'closed': (2, 0, ''),        # the read before the end is there, or behind
    'full': (2, 0, ''),          # the writer finds it full, or the reader was first
    'deaf': (0, 1, 'deadlock'),
    'empty': (0, 1, 'deadlock'),
    'counts': (4, 0, ''),        # as two-writers
    'polled': (1, 0, ''),
    'limited': (2, 0, ''),       # it is ready, or the time is over
    'appended': (2, 0, ''),
    'readers': (1, 0, ''),       # reads do not depend on each other
    'exclusive': (2, 0, ''),
    'signalled': (1, 0, ''),
    'whole-read': (4, 0, ''),    # the first read before the second write, and the second before the
                                 # end or behind; or behind the second write, or behind the end
}
failures = Failures()


def explore(options, word, folder):
    done = subprocess.run([UNFOLD, '--json', '--solver', SOLVER, '--max-memory=1G', '--max-events=20000', *options, 'environment.bc', '--', word], capture_output=True,
                          text=True, cwd=folder)
    try:
        return json.loads(done.stdout), done.returncode
    except ValueError:
        return {'defects': [], 'uncontrolled': done.stdout + done.stderr}, done.returncode


def seen_of(result):
    return result.get('complete'), result.get('blocked'), ' '.join(sorted(d['kind'] for d in result['defects']))


def check(word, wanted, folder, options=()):
    result, _ = explore(options, word, folder)
    if seen_of(result) != wanted or not result.get('finished') or result['redundant'] != 0:
        failures.append(f'{word} {options}: {seen_of(result)}, not {wanted}: {result.get("uncontrolled")} {result.get("stopped")}')
    return result


def check_models(folder):
    for word in ('both', 'watched'):
        done = subprocess.run([MODEL, '--json', os.path.join(HERE, f'{word}.unf')], capture_output=True, text=True)
        model = json.loads(done.stdout)
        if seen_of(model)[1:] != (0, '') or not model['finished']:
            failures.append(f'{word}.unf: {seen_of(model)}')
        check(word, (model['complete'], 0, ''), folder)


def check_characters(folder):
    """Who reads each of two bytes, and who sees the end first."""
    with open(os.path.join(folder, 'bytes'), 'w') as file:
        file.write('xy')
    check('characters', (8, 0, ''), folder, ('--stdin=bytes',))


def check_peers(folder):
    # The bytes are "go", or the first is another one, or the second is.
    result = check('one-peer', (2, 1, 'assertion'), folder, ('--symbolic-packet=2',))
    inputs = result['defects'][0]['inputs'] if result['defects'] else {}
    if [inputs.get(f'packet[{i}]') for i in (0, 1)] != [ord('g'), ord('o')]:
        failures.append(f'one-peer: {inputs}')
    script = os.path.join(folder, 'script')
    with open(script, 'w') as file:
        file.write('# one who closes, one who stays\nsend \\x67\\n\nclose\npeer\nsend st\nsend op\n')
    check('one-peer', (1, 0, ''), folder, ('--peer=script',))
    # Packet by packet, so that nobody reads "stop"; then all wait for peers, which is no deadlock.
    result = check('peers', (0, 1, ''), folder, ('--peer=script', '--executions=listed'))
    with open(os.path.join(folder, 'listed'), encoding='utf-8') as file:
        verdicts = [json.loads(line)['verdict'] for line in file]
    if verdicts != ['stopped'] or result['deadlocks'] != 0:
        failures.append(f'peers: {verdicts}, {result["deadlocks"]} deadlocks')
    with open(script, 'w') as file:
        file.write('send a\ninput 4\n')
    result = check('peers', (0, 5, 'crash'), folder, ('--peer=script',))
    inputs = result['defects'][0]['inputs'] if result['defects'] else {}
    if bytes(inputs.get(f'packet[{i}]', 0) & 255 for i in range(1, 5)) != b'stop':
        failures.append(f'peers: {inputs}')
    for wrong, place in (('send\n', 'line 1'), ('send x\\q\n', 'line 1'), ('peer\ninput 0\n', 'line 2'), ('close now\n', 'line 1'), ('sent x\n', 'line 1')):
        with open(script, 'w') as file:
            file.write(wrong)
        result, status = explore(('--peer=script',), 'peers', folder)
        if status != 2 or place not in str(result.get('uncontrolled')):
            failures.append(f'{wrong!r}: {status} {result}')
    for option in ('--symbolic-packet=x', '--symbolic-packet=0', '--peer=absent'):
        if explore((option,), 'peers', folder)[1] != 2:
            failures.append(option)


def check_limits(folder):
    """A wait that lasts since no limit may be over is no deadlock, but not all is explored."""
    result, status = explore(('--max-timeouts=0',), 'limited', folder)
    if seen_of(result) != (3, 0, '') or result['finished'] or result['stopped'] != 'timeouts':
        failures.append(f'no time-outs: {seen_of(result)} {result.get("stopped")} {status}')


with tempfile.TemporaryDirectory() as temporary:
    subprocess.run([CLANG, '-O0', '-g', '-w', '-emit-llvm', '-c', '-o', 'environment.bc', os.path.join(HERE, 'environment.c')], check=True,
                   cwd=temporary)
    for part in failures.chosen([*COUNTS, 'models', 'characters', 'peers', 'limits'], sys.argv[5:]):
        if part in COUNTS:
            check(part, COUNTS[part], temporary)
        else:
            {'models': check_models, 'characters': check_characters, 'peers': check_peers, 'limits': check_limits}[part](temporary)
    for name in ('written', 'once'):
        if os.path.exists(os.path.join(temporary, name)):
            failures.append(f'{name} was made')
print(f'environment: {len(COUNTS) + 5} programs, {len(failures)} failed')
sys.exit(1 if failures else 0)
