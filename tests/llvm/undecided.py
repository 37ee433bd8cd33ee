#!/usr/bin/env python3
"""Accesses apart, and a solver that does not know:
undecided.py UNFOLD_SYM SOLVER CLANG [SEED [COUNT]]

Random programs whose threads access elements of arrays that they never share, by indices that
depend on inputs: elements with a lock each, or elements of which each thread has its own. Between
unfold-sym and its solver stands a process that answers, now and then, that it does not know. For
each value of the inputs the executions whose constraint admits it are, without their branches,
those of the program in which the inputs have that value, each once. What is found, and is certain,
is found with these values too; what is found with some values is found.
"""
import os
import subprocess
import sys
from collections import Counter

SYM, SOLVER, CLANG = (os.path.abspath(a) for a in sys.argv[1:4])
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 20
COUNT = int(sys.argv[5]) if len(sys.argv) > 5 else 12
sys.argv[1:] = [SYM, SOLVER, 'undecided']
from sketch import Wide, constant, function, together  # noqa: E402
from symbolic import FOLDER, SEARCHES, explore, fail, failures, values_of, write  # noqa: E402
from executions import admits, key  # noqa: E402

# Answers UNKNOWN in so many of a hundred cases, which follow from a number and the question, where
# there are few facts: those of whether two accesses meet have more, and what may be a race ends an
# execution. So a later question decides what an earlier one did not.
DOUBTFUL = '''#!%s
import os, struct, subprocess, sys, zlib
own = subprocess.Popen([%r, *sys.argv[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def message(file):
    size = file.read(4)
    return size + file.read(int.from_bytes(size, sys.byteorder)) if len(size) == 4 else None
begun = False
while (question := message(sys.stdin.buffer)) is not None:
    own.stdin.write(question)
    own.stdin.flush()
    answer = message(own.stdout)
    terms, = struct.unpack('q', question[4:12])
    few = len(question) // 8 - 4 - 7 * terms < 5
    if begun and few and zlib.crc32(question, %d) %% 100 < %d:
        answer = (8).to_bytes(4, sys.byteorder) + (2).to_bytes(8, sys.byteorder)
    begun = True
    sys.stdout.buffer.write(answer)
    sys.stdout.buffer.flush()
'''
CHANCES = (0, 15, 40, 70, 100)


class Apart(Wide):
    """Threads with elements of their own. Bits of inputs are mixed so that often the solver alone
    finds values; it does so fast."""
    SHARED = ('static int c[4], own[8]; static long s[2];\n'
              'static pthread_mutex_t e[4] = {%s};' % ', '.join(['PTHREAD_MUTEX_INITIALIZER'] * 4))
    SAMPLE = 3

    def __init__(self, seed):
        super().__init__(seed, errors=False)
        self.threads = self.random.choice((2, 3, 3))

    def restrict(self, x):
        base, span = self.pick(0, -2, 10 ** 12, -2 ** 63), self.random.randint(3, 5)
        self.small[x] = f'({x} - (long){constant(base)})'
        return self.admit(x, list(range(base, base + span)), f'({x} >= (long){constant(base)}) & ({x} - (long){constant(base)} < {span})')

    def relate(self):
        pass

    def number(self):
        a, b = (f'({self.small[self.pick(*self.domains)]} + {self.random.randint(0, 3)})' for _ in range(2))
        return f'({self.pick(f"({a} ^ {b} >> 1)", f"({a} ^ {b} << 1 ^ {b} >> 1)", f"({a} & {b}) + ({b} >> 1)", a)})'

    def test(self, r):
        compared = self.pick(f'{r} == {self.random.randint(0, 2)}', f'{r} > {self.random.randint(0, 2)}')
        return self.pick(f'if ({compared}) {{ lock(&m); unlock(&m); }}', f'if ({compared}) {{ lock(&n); unlock(&n); }}',
                         f'assert({r} != {self.random.randint(1, 5)});')

    def element(self):
        """Reads and writes one, and tests what was there."""
        self.locals += 1
        i, r = f'i{self.locals}', f'r{self.locals}'
        more = self.random.randint(1, 2)
        change = self.pick('{r} = {a};', '{r} = {a}; {a} = {more};', '{a} += {more}; {r} = {a};', '{r} = 0; {a} = {more};')
        if self.random.random() < .6:
            change, test = change.format(r=r, a=f'c[{i}]', more=more), self.test(r)
            inside, behind = (test, '') if self.random.random() < .3 else ('', test)
            return f'int {r}; int {i} = {self.number()} & {self.pick(1, 3)}; lock(&e[{i}]); {change} {inside} unlock(&e[{i}]); {behind}'
        # Elements with the number of the thread as a remainder, and perhaps one beyond the array.
        beyond = f' + {5 - self.thread}' if self.random.random() < .2 else ''
        at = f'4 * ({self.number()} & 1) + {self.thread}{beyond}'
        return f'int {r}; int {i} = {at}; {change.format(r=r, a=f"own[{i}]", more=more)} {self.test(r)}'

    def other(self):
        kind = self.random.randint(0, 3)
        self.locals += 1
        r = f'r{self.locals}'
        if kind == 0:
            return f'if (({self.number()} & 3) == {self.random.randint(0, 3)}) {{ lock(&n); unlock(&n); }}'
        if kind == 1:
            return f'lock(&m); s[{self.random.randint(0, 1)}] = {self.number()} & 3; unlock(&m);'
        if kind == 2:
            return f'lock(&m); long {r} = s[{self.number()} & 1]; unlock(&m); {self.test(r)}'
        return 'lock(&m); unlock(&m);'

    def bodies(self):
        bodies = []
        for self.thread in range(self.threads):
            statements = [self.element()] + [self.pick(self.element, self.other)() for _ in range(self.random.randint(0, 2))]
            self.random.shuffle(statements)
            bodies.append('\n  '.join(statements))
        return bodies


def found(defects):
    return {(d['kind'], d['text'], t['place']) for d in defects for t in d['threads'] or []
            if t['state'] in ('failed', 'racing')}


totals = Counter()
PART, FEW = 100, 150


def explore_one(seed, *options):
    result, executions, _ = explore(['--max-executions=%d' % FEW, *options, 'part.bc', '--', str(seed)])
    return result, executions


def make_doubtful(seed, chance):
    path = os.path.join(FOLDER, 'doubtful')
    with open(path, 'w') as file:
        file.write(DOUBTFUL % (sys.executable, SOLVER, seed, chance))
    os.chmod(path, 0o755)
    return path


def compare_values(what, seed, sketch, result, executions):
    """False: for some values there are too many executions."""
    every = set()
    for values in values_of(sketch, executions):
        given = ','.join('%s=%d' % item for item in values.items())
        alone, expected = explore_one(seed, '--input=' + given)
        if not alone.get('finished'):
            return False
        keys, wanted = Counter(key(e) for e in executions if admits(e, values)), Counter(map(key, expected))
        totals.update(values=1, executions=len(expected))
        if keys != wanted:
            fail(f'{what}: {values}: {keys.total()} executions, and {len(expected)} alone; lost '
                 f'{(wanted - keys).total()}, more {(keys - wanted).total()}', function(seed, Apart(seed)))
        every |= found(alone['defects'])
    for d in result['defects']:
        if d['inputs'] is None:
            continue
        alone, _ = explore_one(seed, '--input=' + ','.join('%s=%d' % item for item in d['inputs'].items()))
        if alone.get('finished') and found([d]) - found(alone['defects']):
            fail(f'{what}: {d["inputs"]} do not lead to {found([d])}', function(seed, Apart(seed)))
    if every - found(result['defects']):
        fail(f'{what}: not found: {every - found(result["defects"])}', function(seed, Apart(seed)))
    return True


def compare(seed, sketch):
    """Whether the program was compared."""
    search, chance = SEARCHES[seed % len(SEARCHES)], CHANCES[seed // len(SEARCHES) % len(CHANCES)]
    result, executions = explore_one(seed, '--solver', make_doubtful(seed, chance), *search)
    what = f'seed {seed}, {chance} % unknown, {search}'
    if 'error' in result or result['stopped'] not in (None, 'undecided', 'executions', 'race', 'values'):
        fail(f'{what}: {result.get("stopped")} {result.get("uncontrolled")} {result.get("error")}', function(seed, Apart(seed)))
        return False
    totals.update([result['stopped']])
    if result['stopped'] in ('executions', 'race', 'values') or not compare_values(what, seed, sketch, result, executions):
        return False
    unknown, apart = result['solver']['unknown'], result['solver']['apart'] > 0
    totals.update(unknown=unknown, undecided=result['undecided'], apart=apart, both=apart and unknown > 0)
    return True


def main():
    compared = 0
    for first in range(SEED, SEED + COUNT, PART):
        sketches = {seed: Apart(seed) for seed in range(first, min(first + PART, SEED + COUNT))}
        file = write('part.c', together(sketches))
        subprocess.run([CLANG, '-w', '-g', '-O0', '-emit-llvm', '-c', file, '-o', 'part.bc'], check=True, cwd=FOLDER)
        compared += sum(compare(*item) for item in sketches.items())
    print(f'{compared} of {COUNT} programs compared: {dict(totals)}; {len(failures)} differ')
    if compared < COUNT / 3 or COUNT >= 100 and totals['both'] < COUNT // 20:
        fail('too few were compared, or too few have accesses apart and questions that were not answered')
    return 1 if failures else 0


sys.exit(main())
