"""Programs of other tests, unchanged, in unfold-sym: programs.py UNFOLD_SYM SOLVER CLANG
[--levels] [--native UNFOLD] [--only WORD].

All of examples/native/programs, and the cases of tests/native that are about threads: the traces,
executions that complete or block, and kinds of findings that `unfold` has for them. Each is tried
as clang translates it with -O0, -O1 or -O2 in turn, with --levels with each of them. --native runs
`unfold` too, and compares with what it says now.
"""
import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PROGRAMS = 'examples/native/programs'
CASES = 'tests/native'
LEVELS = ('-O0', '-O1', '-O2')
IFAA = ('--ifaa',)

# file, macros, argument, options, traces, kinds of what is found
FAMILIES = [
    ('disp', 'PARAM1=5 PARAM2=2', 137), ('disp', 'PARAM1=2 PARAM2=4', 648), ('mpat', 'PARAM1=4', 384),
    ('mpc', 'PARAM1=2 PARAM2=3', 66), ('pi', 'PARAM1=5', 120), ('pol', 'PARAM1=3 PARAM2=3', 160),
    ('ssbexp', 'PARAM1=6', 12), ('ssb3', 'PARAM1=5 PARAM2=4', 80), ('spat', 'PARAM1=6 PARAM2=5', 72),
    ('tiny', 'PARAM1=2 PARAM2=3', 20), ('wide', 'PARAM1=1 PARAM2=4', 252),
    ('wide', 'PARAM1=1 PARAM2=4 IN_MAIN', 252), ('ticket', 'REPAIRED', 6),
]
ATOMICS = [
    ('ttaslock', 'PARAM1=3', (), 36), ('ttaslock', 'PARAM1=3 RETRY', (), 162), ('twalock', 'PARAM1=3', (), 96),
    ('mcslock', 'PARAM1=2', (), 6), ('mcslock', 'PARAM1=3', (), 66), ('mcslock', 'PARAM1=3 LOOKS=4', (), 408),
    ('futexmutex', 'PARAM1=2', (), 12), ('futexmutex', 'PARAM1=2', IFAA, 10), ('futexmutex', 'PARAM1=2 RETRY', (), 12),
    ('seqlock', 'PARAM1=1 PARAM2=1 PARAM3=1', (), 45), ('seqlock', 'PARAM1=1 PARAM2=1 PARAM3=1 LOOK', (), 92),
    ('mpmcqueue', 'PARAM1=1 PARAM2=1 PARAM3=1', IFAA, 251), ('mpmcqueue', 'PARAM1=1 PARAM2=1 PARAM3=1 LOOK', (), 683),
    ('countedqueue', 'PARAM1=1 PARAM2=1 PARAM3=1', (), 1275), ('sortnet', 'PARAM1=5', (), 1),
    ('safestack', 'OPERATIONS=2,1', (), 35), ('safestack', 'OPERATIONS=3,1', IFAA, 81), ('ticketlock', 'PARAM1=3', (), 6),
    ('ticketlock', 'PARAM1=4', (), 24), ('rwlock', 'PARAM1=1 PARAM2=1', (), 6), ('rwlock', 'PARAM1=2 PARAM2=1', IFAA, 188),
    ('treiber', 'PARAM1=2 PARAM2=1', (), 20), ('msqueue', 'PARAM1=1 PARAM2=1', (), 4), ('msqueue', 'PARAM1=2 PARAM2=1', (), 188),
    ('handshake', 'REPAIRED', (), 3), ('wordlock', 'PARAM1=2', (), 6), ('wordlock', 'PARAM1=3', (), 270),
]
BUGS = [
    ('barrier_count', 1, 'deadlock', 1), ('check_then_act', 6, 'assertion', 2), ('double_checked', None, 'race', 2),
    ('early_destroy', 3, 'misuse', 1), ('forgotten_unlock', 6, 'deadlock', 6), ('lost_wakeup', 2, 'deadlock', 2),
    ('missed_broadcast', 13, 'deadlock', 15), ('nested_monitor', 2, 'deadlock', 3), ('philosophers', 7, 'deadlock', 6),
    ('semaphore_order', 2, 'deadlock', 1), ('semaphore_value', 10, 'assertion', 2), ('stolen_wakeup', 30, 'assertion', 30),
    ('timeout', 4, 'assertion', 4), ('upgrade', 1, 'deadlock', 4), ('waited_destroy', 2, 'misuse', 2),
]
# tests/native: what is found there is found here, but for exit statuses, which are not looked at.
CASES_OF = {
    'cases': [('assert', 2, 'assertion'), ('abort', 2, 'crash'), ('crash', 2, 'memory'), ('nowhere', 2, 'memory'),
              ('heap', 2, 'memory'), ('exit', 2, ''), ('stranger', 1, 'misuse'), ('destroy', 3, 'misuse'),
              ('self', 1, 'deadlock'), ('names', 2, 'crash'), ('ended', 1, 'deadlock'), ('left-behind', 1, ''),
              ('kinds', 1, ''), ('trylock', 3, ''), ('keys', 4, ''), ('c11', 4, ''), ('streams', 2, ''), ('clocks', 1, ''),
              ('handlers', 2, ''), ('two', 2, ''), ('plain', 1, '')],
    'locks': [('timed', 3, ''), ('timed-other', 1, ''), ('robust-repaired', 2, ''), ('robust-lost', 1, ''), ('spins', 3, ''),
              ('spins-twice', 1, 'deadlock'), ('spin-stranger', 1, 'misuse'), ('spin-destroyed', 1, 'misuse'),
              ('attributes', 1, '')],
    'objects': [('waits', 2, ''), ('two-wait', 10, ''), ('times-out', 4, ''), ('unheld', 1, 'misuse'), ('gone', 1, 'misuse'),
                ('c11', 2, ''), ('readers', 1, ''), ('reader-tries', 3, ''), ('writer-tries', 3, ''),
                ('table-stranger', 1, 'misuse'), ('table-destroyed', 3, 'misuse'), ('tries-semaphore', 3, ''),
                ('two-posts', 8, ''), ('semaphore-gone', 1, 'misuse'), ('never-posted', 1, 'deadlock'), ('barriers', 16, ''),
                ('detached', 1, '')],
}


class Row:
    def __init__(self, file, macros, argument, options, traces, kinds):
        self.file, self.macros, self.argument, self.options = file, macros.split(), argument, options
        self.traces, self.kinds = traces, sorted(kinds.split())

    def name(self):
        return ' '.join([os.path.basename(self.file)[:-2], *self.macros, *self.options, self.argument]).strip()


def rows():
    for name, macros, traces in FAMILIES:
        yield Row(f'{PROGRAMS}/{name}.c', macros, '', (), traces, '')
    for name, macros, options, traces in ATOMICS:
        yield Row(f'{PROGRAMS}/atomics/{name}.c', macros, '', options, traces, '')


    for name, traces, kinds, repaired in BUGS:
        yield Row(f'{PROGRAMS}/bugs/{name}.c', '', '', (), traces, kinds)
        yield Row(f'{PROGRAMS}/bugs/{name}.c', 'REPAIRED', '', (), repaired, '')
    yield Row(f'{PROGRAMS}/bank.c', '', '', (), 3, 'deadlock')
    yield Row(f'{PROGRAMS}/ticket.c', '', '', (), None, 'race')
    for file, cases in CASES_OF.items():
        for word, traces, kinds in cases:
            yield Row(f'{CASES}/{file}.c', '', word, (), traces, kinds)


class Test:
    """Tries rows, and keeps what went wrong, with its reason."""

    def __init__(self, options):
        self.options = options
        self.folder = tempfile.mkdtemp(prefix='unfold-programs-')
        self.bitcode = {}
        self.failed, self.tried = [], 0

    def translate(self, row, level):
        """The file of bitcode; cases of one file share it."""
        key = (row.file, *row.macros, level)
        if key not in self.bitcode:
            path = os.path.join(self.folder, f'{len(self.bitcode)}.bc')
            subprocess.run([self.options.clang, level, '-g', '-w', '-emit-llvm', f'-I{ROOT}/include',
                            *('-D' + macro for macro in row.macros), '-c', '-o', path, row.file], check=True, cwd=ROOT)
            self.bitcode[key] = path
        return self.bitcode[key]

    def explore(self, row, level):
        words = ['--', row.argument] if row.argument else []
        done = subprocess.run([self.options.unfold_sym, '--json', '--solver', self.options.solver, *row.options,
                               self.translate(row, level), *words], capture_output=True, text=True, cwd=self.folder)
        try:
            return json.loads(done.stdout)
        except ValueError:
            return {'uncontrolled': f'exit status {done.returncode}: {done.stdout}{done.stderr}', 'defects': []}

    def reason(self, row, result):
        """Why a row fails; '' if it does not."""
        if result.get('uncontrolled'):
            return re.sub(r'^\S+:\d+: ', '', result['uncontrolled'].strip())[:90]
        kinds = sorted({d['kind'] for d in result['defects']})
        if kinds != row.kinds:
            texts = [d.get('text', '') for d in result['defects']]
            return f'found {kinds}, not {row.kinds} {texts}'[:150]
        if row.traces is None:
            return ''
        if not result['finished']:
            return f'stopped: {result["stopped"]}'
        if (result['traces'], result['redundant']) != (row.traces, 0):
            return f'{result["traces"]} traces, {result["redundant"]} redundant, not {row.traces}'
        return ''

    def try_row(self, row, level):
        self.tried += 1
        reason = self.reason(row, self.explore(row, level))
        if reason:
            self.failed.append((reason, f'{row.name()} {level}'))
        elif self.options.native and row.traces is not None:
            self.compare(row)

    def compare(self, row):
        """The number of traces is the one that `unfold` reports today."""
        program = os.path.join(self.folder, 'program')
        if 'atomics/' in row.file:
            return  # these need callbacks: tests/native/run_atomics.py has them
        subprocess.run(['cc', '-g', '-pthread', *('-D' + macro for macro in row.macros), f'-I{ROOT}/include', '-o', program,
                        row.file], check=True, cwd=ROOT)
        words = [row.argument] if row.argument else []
        done = subprocess.run([self.options.native, '--json', '--atomics', 'off', *row.options, '--', program, *words],
                              capture_output=True, text=True, cwd=self.folder, stdin=subprocess.DEVNULL)
        seen = json.loads(done.stdout)['traces']
        if seen != row.traces:
            self.failed.append((f'unfold: {seen} traces, not {row.traces}', row.name()))

    def report(self):
        shutil.rmtree(self.folder)
        reasons = collections.defaultdict(list)
        for reason, name in self.failed:
            reasons[reason].append(name)
        for reason, names in sorted(reasons.items(), key=lambda item: -len(item[1])):
            print(f'{len(names):3} {reason}: {"; ".join(names)}')
        print(f'programs: {self.tried} tried, {len(self.failed)} failed')
        return 1 if self.failed else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('unfold_sym')
    parser.add_argument('solver')
    parser.add_argument('clang')
    parser.add_argument('--levels', action='store_true')
    parser.add_argument('--native')
    parser.add_argument('--only', default='')
    options = parser.parse_args()
    for name in ('unfold_sym', 'solver', 'native'):
        path = getattr(options, name)
        setattr(options, name, os.path.abspath(path) if path else None)
    test = Test(options)
    for number, row in enumerate(rows()):
        if test.options.only not in row.name():
            continue
        for level in LEVELS if test.options.levels else [LEVELS[number % len(LEVELS)]]:
            test.try_row(row, level)
    return test.report()


if __name__ == '__main__':
    sys.exit(main())
