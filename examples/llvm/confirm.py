#!/usr/bin/env python3
"""Findings of unfold-sym, confirmed in native programs:
confirm.py [OPTION …] FILE.c … [-- ARGUMENT …]

The files are explored by unfold-sym, and compiled: as they are for failed assertions, deadlocks,
livelocks, misuse and crashes (with callbacks, where the schedule has operations on atomics), with
callbacks for data races, with the address and undefined-behaviour sanitizers for errors of memory
and of arithmetic. `unfold` replays each schedule there, with its inputs; for leaks the program runs
without a schedule. What that shows is printed behind each finding; what cannot be shown so, and
why, is said. Exit status: 0 each finding was confirmed or cannot be, 1 one was not, 2 something
could not be compiled or explored.
"""
import argparse
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LOCATIONS = re.compile(r'^[0-9.]+ (read|write|add|fwait|fagain|fwoken|ftimeout|fwake|fwakeall) ', re.M)
WRAP = ['-Wl,--wrap=pthread_create', '-Wl,--wrap=thrd_create']
# Of a thread that it did not create AddressSanitizer knows no stack, and would fail to report a
# second free() there.
SANITIZERS = {'ASAN_OPTIONS': 'abort_on_error=1:detect_leaks=0:symbolize=0:fast_unwind_on_malloc=0',
              'UBSAN_OPTIONS': 'abort_on_error=1:symbolize=0'}
TIMEOUT = 20
PATIENCE = 10  # with what is asked to end
RUNS = 5

# how a program is compiled and linked, and what unfold is told
BUILDS = {
    'plain': ([], [], []),
    'callbacks': (['-fsanitize=thread'], ['CALLBACKS'], []),
    'races': (['-fsanitize=thread'], ['CALLBACKS'], ['--races']),
    'sanitizers': (['-fsanitize=address,undefined', '-fno-sanitize-recover=all'],
                   ['-fsanitize=address,undefined'], ['--stdout', 'keep']),
    'leaks': (['-fsanitize=address'], ['-fsanitize=address', '-Wl,--wrap=main', 'SWEEP'], []),
}

# LeakSanitizer also looks at the stack of exit(), where a pointer of main may be left over. What
# AddressSanitizer instruments has its arrays elsewhere (detect_stack_use_after_return).
SWEEP = """int __real_main(int, char **, char **);
__attribute__((noinline, no_sanitize("address"))) static void sweep(void) {
  volatile char below[16384];
  for (int i = 0; i < (int)sizeof below; i++) below[i] = 0;
}
int __wrap_main(int count, char **words, char **environment) {
  int status = __real_main(count, words, environment);
  sweep();
  return status;
}
"""

# kind: what a replay prints (unfold, or a sanitizer through the program)
SHOWS = {
    'deadlock': ('plain', r'^deadlock'),
    'livelock': ('plain', r'^livelock'),
    'assertion': ('plain', r'^failed assertion'),
    'misuse': ('plain', r'^misuse'),
    'crash': ('plain', r'^(crash|failed assertion: the program called abort)'),
    'race': ('races', r'^data race'),
    'memory': ('sanitizers', r'ERROR: AddressSanitizer|runtime error'),
    'runtime': ('sanitizers', r'runtime error'),
}
IMPOSSIBLE = [
    ('memory', 'never written', 'no sanitizer that runs beside unfold looks for reads of memory that was never '
     'written'),
    ('misuse', 'not initialised', 'natively such a mutex is whatever its bytes say'),
]


def run(command, seconds=None, **how):
    """A command, which if this program is ended is asked to end as well, so that it removes its own
    files. One that takes longer is killed."""
    with subprocess.Popen(command, text=True, errors='replace', **how) as process:
        try:
            said = process.communicate(timeout=seconds)
        except (SystemExit, KeyboardInterrupt):
            process.terminate()
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
            raise
        except BaseException:
            process.kill()
            raise
        return subprocess.CompletedProcess(command, process.returncode, *said)


def end(number, _):
    """Ended by a signal, the program still removes what it compiled."""
    sys.exit(128 + number)


class Program:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.built = {}

    def build(self, how):
        """The program, compiled that way; None: it cannot be."""
        if how in self.built:
            return self.built[how]
        compile_flags, link_flags, _ = BUILDS[how]
        o, objects, flags = self.options, [], shlex.split(self.options.clang_flags)
        program = os.path.join(self.folder, how)
        for number, file in enumerate(o.files):
            objects.append(os.path.join(self.folder, f'{how}{number}.o'))
            if not self.run([o.clang, '-g', '-O0', '-pthread', *flags, *compile_flags, '-c', file, '-o', objects[-1]]):
                return None
        named = {'CALLBACKS': o.callbacks, 'SWEEP': os.path.join(self.folder, 'sweep.c')}
        if 'SWEEP' in link_flags:
            with open(named['SWEEP'], 'w') as file:
                file.write(SWEEP)
        more = [named.get(flag, flag) for flag in link_flags]
        more += [f'-Wl,-rpath,{os.path.dirname(f)}' for f in more if f.endswith('.so')]
        good = self.run([o.clang, '-pthread', *objects, o.inputs, *WRAP, *more, '-lm', '-o', program])
        self.built[how] = program if good else None
        return self.built[how]

    def run(self, command):
        done = run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode != 0:
            print(f'{shlex.join(command)}:\n{done.stderr}', file=sys.stderr)
        return done.returncode == 0

    def sym(self, *more, status=(0, 1, 3)):
        o = self.options
        command = [o.sym, '--json', *(['--solver', o.solver] if o.solver else []), '--clang-flags',
                   '-w ' + o.clang_flags, *shlex.split(o.sym_flags), *o.sym_option, *more, *o.files, '--', *o.arguments]
        done = run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode not in status:
            print(f'{shlex.join(command)}: {done.returncode}\n{done.stdout}{done.stderr}', file=sys.stderr)
            return None, done.stderr
        return json.loads(done.stdout), done.stderr

    def replay(self, schedule, how):
        """What unfold prints in a replay, or None and why there is none."""
        program = self.build(how)
        if program is None:
            return None, 'it cannot be compiled'
        folder = f'{schedule}-{how}'
        _, said = self.sym('--replay', schedule, '--native', program, '--trace-dir', folder, status=(0, 1))
        native = os.path.join(folder, 'trace-1.unfs')
        if not os.path.exists(native):
            return None, (re.findall('no schedule of it: (.*)', said) or [said.strip()])[0]
        command = [self.options.unfold, *BUILDS[how][2], '--replay', native, '--', program, *self.options.arguments]
        try:
            done = run(command, TIMEOUT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       env={**os.environ, **SANITIZERS, 'UNFOLD_INPUTS': native})
        except subprocess.TimeoutExpired as late:
            # Behind an error the sanitizer can hang.
            said = (late.output or b'').decode(errors='replace')
            return f'{said}\nno end in {TIMEOUT} seconds', ''
        return done.stdout, ''

    def run_for_leak(self, schedule, place):
        """Whether LeakSanitizer names the place. It starts a process, so there is no replay."""
        program = self.build('leaks')
        if program is None:
            return None, 'it cannot be compiled'
        with open(schedule) as file:
            threads = ' create thread ' in file.read()
        command = [program, *self.options.arguments]
        environment = {**os.environ, 'ASAN_OPTIONS': 'detect_leaks=1', 'UNFOLD_INPUTS': schedule}
        for _ in range(RUNS if threads else 1):
            try:
                done = run(command, TIMEOUT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, env=environment)
            except subprocess.TimeoutExpired:
                continue
            found = re.search(r'ERROR: LeakSanitizer.*', done.stdout)
            if found and re.search(rf'\b{re.escape(os.path.basename(place))}:', done.stdout):
                return True, f'leaks, without the schedule: {found.group()}'
        if threads:
            return None, f'LeakSanitizer starts a process, which a replay refuses, and {RUNS} runs do not show it'
        return False, f'leaks: none of {place}'

    def confirm(self, defect, folder):
        """Whether a finding is confirmed (None: it cannot be), and a text."""
        kind, text = defect['kind'], defect.get('text') or ''
        for other, part, why in IMPOSSIBLE:
            if kind == other and part in text:
                return None, why
        if any(flag in ' '.join([self.options.sym_flags, *self.options.sym_option]) for flag in ('--symbolic-', '--peer')):
            return None, 'nothing gives the program bytes of files and arguments that are inputs'
        if not defect.get('schedule'):
            return None, 'it has no schedule, since its inputs are not known'
        how, shows = SHOWS[kind]
        schedule = os.path.join(folder, defect['schedule'])
        if kind == 'memory' and text.startswith('leak '):
            return self.run_for_leak(schedule, defect['threads'][0]['place'])
        with open(schedule) as file:
            atomics = LOCATIONS.search(file.read()) is not None
        if atomics and how == 'sanitizers':
            return None, 'a program is compiled with callbacks, which show its atomics, or with sanitizers'
        how = 'callbacks' if atomics and how == 'plain' else how
        shown, why = self.replay(schedule, how)
        if shown is None:
            return None, why
        found = re.search(shows + '.*', shown, re.M)
        return (True, f'{how}: {found.group()}') if found else (False, f'{how}:\n{shown}')


def confirm(options, temporary):
    program = Program(options, temporary)
    folder = options.trace_dir or os.path.join(temporary, 'traces')
    result, _ = program.sym('--trace-dir', folder)
    if result is None:
        return 2
    status = 0
    for defect in result['defects']:
        place = (defect['threads'] or [{}])[0].get('place')
        answer, text = program.confirm(defect, folder)
        word = {True: 'confirmed', False: 'not confirmed', None: 'cannot be confirmed natively'}[answer]
        print(f'{defect["kind"]} at {place}: {word}: {text}')
        status = max(status, 1 if answer is False else 0)
    return status


def main():
    words = sys.argv[1:]
    behind = words.index('--') if '--' in words else len(words)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--sym', default='unfold-sym')
    parser.add_argument('--unfold', default='unfold')
    parser.add_argument('--solver', default='', help='for unfold-sym')
    parser.add_argument('--inputs', default='-lunfold-inputs', help='libunfold-inputs.a')
    parser.add_argument('--callbacks', default='-lunfold-callbacks', help='libunfold-callbacks.so')
    parser.add_argument('--clang', default='clang-19')
    parser.add_argument('--clang-flags', default='', help='for all compilations')
    parser.add_argument('--sym-flags', default='', help='further options of unfold-sym')
    parser.add_argument('--sym-option', default=[], action='append', help='one of these')
    parser.add_argument('--trace-dir', default='', help='where to write the schedules')
    parser.add_argument('files', nargs='+', metavar='FILE.c')
    options = parser.parse_args(words[:behind])
    options.arguments = words[behind + 1:]
    signal.signal(signal.SIGTERM, end)
    with tempfile.TemporaryDirectory(prefix='unfold-confirm-') as temporary:
        return confirm(options, temporary)


if __name__ == '__main__':
    sys.exit(main())
