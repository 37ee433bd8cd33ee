"""What unfold-sym finds, confirmed natively:
confirms.py UNFOLD_SYM SOLVER UNFOLD INPUTS CALLBACKS CLANG [WORD …]

Each kind of finding is seen again in a native program compiled from the same file, by a replay of
its schedule with its inputs; what cannot be confirmed says why.
"""
import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, 'examples', 'llvm'), os.path.join(ROOT, 'tests')]
from confirm import Program  # noqa: E402
from failures import Failures  # noqa: E402

failures = Failures()

# file, word: what is confirmed, and by what; None: it cannot be; False: it is not
CASES = [
    ('cases', 'freed', r'sanitizers: ERROR: AddressSanitizer'),
    ('cases', 'null', r'sanitizers: .*null'), ('cases', 'stack', r'sanitizers: ERROR'),
    ('cases', 'write beyond', r'sanitizers: ERROR: AddressSanitizer'),
    ('cases', 'free in threads', r'sanitizers: ERROR: AddressSanitizer'), ('cases', 'raise', r'plain: crash: SIGTERM'),
    ('cases', 'divide', r'sanitizers: .*division by zero'),
    ('cases', 'overflow', r'sanitizers: .*signed integer overflow'), ('cases', 'race', r'races: data race'),
    ('cases', 'deadlock', r'plain: deadlock'), ('cases', 'stranger', r'plain: misuse'),
    ('cases', 'join twice', r'plain: misuse.*only one of them'),
    ('cases', 'error', r'plain: failed assertion.*reach_error'),
    ('cases', 'swaps', r'callbacks: failed assertion.*word'), ('cases', 'unwritten', None),
    ('leaks', 'local', r'leaks, without the schedule: .*LeakSanitizer'),
    ('native', 'made', r'plain: (failed assertion.*seen|deadlock)'),
    ('native', 'structure', r'plain: failed assertion: the program called abort'),
    ('native', 'first', r'plain: failed assertion: the program called abort'),
    ('native', 'later', r'sanitizers: ERROR: AddressSanitizer'),
    ('native', 'sections', r'plain: failed assertion.*count != x'), ('native', 'flag', r'callbacks: livelock'),
    ('native', 'race', r'races: data race'), ('native', 'stack', None), ('native', 'elsewhere', False),
]


def as_option(temporary, sym, solver, unfold, inputs, callbacks):
    """unfold-sym --confirm does the same, finds what it needs where it is installed, and leaves no
    files."""
    folders = [os.path.dirname(os.path.abspath(file)) for file in (inputs, callbacks)]
    os.mkdir(temporary)
    environment = {**os.environ, 'TMPDIR': temporary, 'PATH': os.path.dirname(os.path.abspath(unfold)) + ':' + os.environ['PATH'],
                   'LIBRARY_PATH': ':'.join(folders), 'LD_LIBRARY_PATH': ':'.join(folders)}
    done = subprocess.run([sym, '--confirm', '--solver', solver, '--max-executions=1000', '--clang-flags', f'-I{ROOT}/include',
                           os.path.join(HERE, 'verdicts.c'), '--', 'account', 'wrong'], capture_output=True, text=True, env=environment)
    refused = subprocess.run([sym, '--confirm', '--json', os.path.join(HERE, 'verdicts.c')], capture_output=True, text=True)
    given = subprocess.run([sym, '--confirm', '--solver', solver, '--symbolic-arg=1', os.path.join(HERE, 'cases.c'), '--', 'null'],
                           capture_output=True, text=True, env=environment)
    if given.returncode != 0 or 'cannot be confirmed natively: nothing gives the program bytes' not in given.stdout:
        failures.append(f'--confirm with arguments: {given.returncode}, {given.stdout}{given.stderr}')
    good = done.returncode == 0 and re.search('^assertion at .*: confirmed: plain: ', done.stdout, re.M) and refused.returncode == 2
    if not good:
        failures.append(f'--confirm: {done.returncode}, {done.stdout}{done.stderr}{refused.stderr}')
    if os.listdir(temporary):
        failures.append(f'--confirm leaves {os.listdir(temporary)}')
    ended(temporary, [sym, '--confirm', '--solver', solver, '--clang-flags', '-DSPIN', os.path.join(HERE, 'endless.c')], environment, 2)
    # Bitcode that never comes.
    os.mkfifo(os.path.join(os.path.dirname(temporary), 'never.bc'))
    ended(temporary, [sym, os.path.join(os.path.dirname(temporary), 'never.bc')], environment, 1)


def ended(temporary, command, environment, folders):
    """Ended when it has made so many folders, where it would go on for ever, it leaves none."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment) as process:
        while len(os.listdir(temporary)) < folders and process.poll() is None:
            time.sleep(0.02)
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
    if process.returncode not in (128 + signal.SIGTERM, -signal.SIGTERM) or os.listdir(temporary):
        failures.append(f'{command}, ended: {process.returncode}, leaves {os.listdir(temporary)}')


def main(temporary):
    sym, solver, unfold, inputs, callbacks, clang = (os.path.abspath(a) for a in sys.argv[1:7])
    programs = {}
    for file, word, wanted in CASES:
        if len(sys.argv) > 7 and word not in sys.argv[7:]:
            continue
        if file not in programs:
            os.mkdir(os.path.join(temporary, file))
            programs[file] = Program(argparse.Namespace(
                sym=sym, solver=solver, unfold=unfold, inputs=inputs, callbacks=callbacks, clang=clang,
                clang_flags=f'-w -mcx16 -I{ROOT}/include', sym_flags='', sym_option=[],
                files=[os.path.join(HERE, file + '.c')], arguments=[]), os.path.join(temporary, file))
        program = programs[file]
        program.options.arguments = [word]
        program.options.sym_flags = '--max-solver-steps=1000000' + {'overflow': ' --overflow', 'local': ' --leaks'}.get(word, '')
        folder = os.path.join(program.folder, word)
        result, _ = program.sym('--trace-dir', folder)
        defects = result['defects'] if result else []
        if not defects:
            failures.append(f'{file} {word}: nothing found: {result}')
        for defect in defects:
            answer, text = program.confirm(defect, folder)
            if answer is not (wanted if wanted in (None, False) else True) or not re.match(wanted or '.', text):
                failures.append(f'{file} {word}: {answer}, {text}\n{defect}')
    as_option(os.path.join(temporary, 'as option'), sym, solver, unfold, inputs, callbacks)
    print(f'{len(CASES)} programs, {len(failures)} findings not as they should be')
    return 1 if failures else 0


if __name__ == '__main__':
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(main(folder))
