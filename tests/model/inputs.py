"""Models with inputs: counts that were known before, and random programs compared with what they do
for each value of their inputs.

inputs.py UNFOLD_MODEL SUITE [SEED [COUNT]]

table: programs with the counts of their executions. random: for each value of the inputs, the
executions whose constraint admits it are, without their branches, those of the program in which the
inputs have that value, each once. solver: the same with a solver that ends at each question in
turn, and with one that has little memory. results: witnesses, replays, limits, refusals. cutoffs:
what each value leads to is found with them, and programs that run for ever end. jobs: several
processes come to what one does, and write the same.
"""
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter

from executions import admits, key

UNFOLD, SUITE = sys.argv[1], sys.argv[2]
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1
COUNT = int(sys.argv[4]) if len(sys.argv) > 4 else 25
TEMPORARY = tempfile.TemporaryDirectory(prefix='unfold-inputs-')
FOLDER = TEMPORARY.name
STEPS = '--max-solver-steps=1000000'
# So few values would be tried.
BY_SOLVER = '--try-values=0'


def fail(text, message):
    print(text)
    sys.exit('inputs.py: ' + message)


def run(text, *options, replay=None):
    """The result of a program, its executions, and the exit status."""
    path, listed = os.path.join(FOLDER, 'p.unf'), os.path.join(FOLDER, 'executions')
    with open(path, 'w') as file:
        file.write(text)
    if os.path.exists(listed):
        os.remove(listed)
    done = subprocess.run([UNFOLD, '--json', STEPS, '--executions', listed, *options, path],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode == 2:
        return {'error': done.stderr}, [], 2
    if done.returncode not in (0, 1, 3, 4):
        fail(text, f'status {done.returncode}: {done.stderr}')
    executions = []
    if os.path.exists(listed):
        with open(listed) as file:
            executions = [json.loads(line) for line in file]
    return json.loads(done.stdout), executions, done.returncode


# ---- the table ----

L = 'lock(m); unlock(m);'
TABLE = [
    ('x : 0..2', '', ['if (x == 0) {}'] * 2, 2, 0),
    ('x : 0..2', '', ['if (x < 1) {}', 'if (x > 1) {}'], 3, 0),
    ('x : 0..2, y : 0..2', '', ['if (x == 0) {}', 'if (y == 0) {}'], 4, 0),
    ('x : 0..2, y : 0..2, z : 0..2', '', ['if (x < y) {}', 'if (y < z) {}', 'if (z < x) {}'], 7, 0),
    ('x : 0..1, y : 0..1, z : 0..1', '', ['if (x != y) {}', 'if (y != z) {}', 'if (x != z) {}'], 4,
     0),
    ('x : 0..3', '', ['if (x == %d) {}' % i for i in range(4)], 4, 0),
    ('x : 0..4', '', ['if (x == %d) {}' % i for i in range(4)], 5, 0),
    ('x : 0..2', '', ['if (x == 0) {} else if (x == 1) {}', 'if (x > 1) {}'], 3, 0),
    ('x : 0..2', 'mutex m;', ['if (x == 0) { LL } else if (x == 1) {} else { LL }', 'LL'], 5, 0),
    ('x : 0..2', 'mutex m;', ['if (x == 0) { LL }'] * 2, 3, 0),
    ('x : 0..2', 'mutex m;', ['if (x == 0) { LL }', 'if (x != 0) { LL }'], 2, 0),
    ('x : 0..2, y : 0..2', 'mutex m;', ['if (x < y) { LL }', 'if (y < x) { LL }', 'LL'], 5, 0),
    ('x : 0..2, y : 0..2, z : 0..2', 'mutex m;',
     ['if (x < y) { LL }', 'if (y < z) { LL }', 'if (z < x) { LL }'], 10, 0),
    ('x : 0..2', 'mutex m; shared int s;',
     ['lock(m); s = x; unlock(m);', 'lock(m); int r = s; unlock(m); if (r == 0) {}'], 3, 0),
    ('x : 0..2', 'mutex m; shared int s;',
     ['lock(m); s = s + x; unlock(m);',
      'int r; lock(m); s = s + 1; r = s; unlock(m); if (r == 2) {}', 'if (x == 1) {}'], 4, 0),
    ('x : 0..2', 'mutex m;',
     ['if (x > 1) ; else lock(m);', 'lock(m);', 'lock(m);', 'if (x == 0) {}'], 0, 8),
    ('x : 0..1', 'mutex a, b;',
     ['lock(a); if (x == 0) lock(b);', 'lock(b); if (x == 0) lock(a);'], 1, 3),
    ('x : 0..1', 'mutex a, b;',
     ['lock(a); if (x == 0) { lock(b); unlock(b); } unlock(a);',
      'lock(b); if (x == 0) { lock(a); unlock(a); } unlock(b);'], 3, 1),
    ('x : 0..2, y : 0..2', '', ['assume(x < y);', 'assume(y < x);'], 0, 3),
    ('x : 0..2', 'mutex m;', ['assume(x == 0); LL', 'if (x == 0) { LL } else { LL }'], 2, 1),
    ('x : 0..2, y : 0..2', 'atomic int a;',
     ['store(a, x);', 'store(a, y);', 'int r = load(a); if (r == x) {}'], 10, 0),
    ('x : 0..2', '', ['if (x == 0) {} if (x == 0) {} if (x == 0) {}', 'if (x == 0) {}'], 2, 0, 4),
    ('x : 0..2, y : 0..1', '', ['if (y < 1) {}', 'if (x == y) {}', 'if (x + y < 2) {}'], 6, 0),
    ('x : 0..2, y : 0..2', '', None, 3, 0),
    ('x : 0..1', 'atomic int a[2];', ['store(a[(x || 0) & 1], 1);', 'store(a[1], 2);'], 3, 0),
    # What follows from the branches of the own thread is no branch.
    ('x : 0..2', 'mutex m;', ['if (x < 1) {} LL if (x < 2) {}'], 3, 0, 8),
    # An error only where the place is evaluated, and only the first one.
    ('x : 0..3', '', ['if (x != 0 && 10 / x > 3) {}'], 2, 0),
    ('x : 0..3', 'shared int t[3];', ['int r = t[x + 1] / (x - 2);'], 1, 1),
    ('x : 0..2', '', ['if ((3 || x) && (0 || x)) {}'], 2, 0),
    # One branch for the whole of a test, and for the whole of what can be wrong.
    ('x, y', '', ['if (x > 0 && y > 0 || x == y) {}'], 2, 0),
    ('x : 0..3', 'shared int t[3];', ['int r = 10 / x; t[x] = r;'], 1, 2),
    ('x : 0..9', '', ['int r; while (r < x) r = r + 1;'], 10, 0),
    ('x', 'mutex m[3];', ['lock(m[x]);'], 3, 1),
    ('x : 0..2', '', ['int r = choose(x, 2);'], 6, 0),
    ('x : 1..2, y : 1..2', '', ['int r = choose(x, y);'], 4, 1),
    # Elements with a mutex each: nothing orders the accesses where x is not y. With x == y two
    # orders, else one; in the second row z decides too where the test comes second.
    ('x : 0..1, y : 0..1', 'mutex m[2]; shared int a[2];',
     ['lock(m[x]); a[x] = a[x] + 1; unlock(m[x]);',
      'lock(m[y]); if (a[y] > 0) a[y] = 5; unlock(m[y]);'], 6, 0),
    ('x : 0..1, y : 0..1, z : 0..2', 'mutex m[2]; shared int a[2];',
     ['lock(m[x]); a[x] = a[x] + z; unlock(m[x]);',
      'lock(m[y]); if (a[y] > 0) a[y] = 5; unlock(m[y]);'], 8, 0),
    # What is right of the && is read only where nobody writes it.
    ('x : 0..1', 'mutex m; shared int h;',
     ['if (x == 0) h = 1;', 'lock(m); unlock(m); if (x == 1 && h > 0) {}'], 2, 0),
]
# Events of the first programs where what follows is a branch, too (--keep-implied): these numbers
# were known before, as those of executions. A test with three outcomes is two branches here.
KEPT = [4, 4, 4, 6, 6, 8, 8, 6, 18, 12, 8, 18, 24, 11, 13, 7, 8, 24, 4, 14, 23, 8, 6, 11]
MAIN = ('thread main { spawn(t); if (x < y) {} join(t); if (x == y) {} } '
        'thread t { if (y < x) {} }')
SEARCHES = [[], ['--k=1'], ['--k=2'], ['--algorithm=odpor'], ['--algorithm=eager'],
            ['--algorithm=sdpor'], ['--algorithm=dfs'], ['--order=bfs'], ['--order=random'],
            ['--order=deepest-first', '--k=1'], ['--collect=10'],
            ['--algorithm=odpor', '--collect=10'], ['--order=random', '--checkpoints=1'], ['--keep-implied']]


def program(inputs, objects, threads):
    bodies = [MAIN] if threads is None else [
        'thread t%d { %s }' % (i, body.replace('LL', L)) for i, body in enumerate(threads)]
    return '\n'.join(['input int %s;' % inputs, objects] + bodies) + '\n'


def table():
    for number, (inputs, objects, threads, complete, blocked, *events) in enumerate(TABLE):
        text = program(inputs, objects, threads)
        for search in [], SEARCHES[1 + number % (len(SEARCHES) - 2)], ['--keep-implied']:
            result, executions, _ = run(text, *search)
            if 'error' in result:
                fail(text, result['error'])
            seen = result['complete'], result['blocked']
            if seen != (complete, blocked) or not result['finished']:
                fail(text, f'{search}: {seen} and not {(complete, blocked)}')
            wanted = KEPT[number:number + 1] if search == ['--keep-implied'] else events
            if wanted and wanted != [result['events']]:
                fail(text, f'{search}: {result["events"]} events')
            if len(executions) < complete + blocked:
                fail(text, f'{search}: {len(executions)} executions written')
            for execution in executions:
                if not admits(execution, execution['inputs']):
                    fail(text, f'{search}: no witness: {execution}')


# ---- random programs ----

class Sketch:
    """A random program with inputs of small domains. In most, an input `d` that is never used seems
    to reach the array a: then a compare-and-swap there is a write also when other inputs have one
    value, and an error stops its thread alone."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.swaps = seed % 3 != 0
        self.waits = seed % 2 == 0
        self.domains = {name: self.random.choice([(0, 1), (0, 2), (-1, 1), (0, 3)])
                        for name in 'xyz'[:self.random.randint(1, 3)]}
        self.registers = 0

    def pick(self, *choices):
        return self.random.choice(choices)

    def value(self, depth, registers):
        what = self.random.random()
        if depth == 0 or what < 0.35:
            names = list(self.domains) * 2 + registers
            return self.random.choice(names) if self.random.random() < 0.7 else str(
                self.random.randint(-1, 3))
        if what < 0.42:
            return '(%s %s)' % (self.pick('-', '!', '~'), self.value(depth - 1, registers))
        sign = self.pick('+', '-', '*', '&', '|', '^', '==', '!=', '<', '<=', '>', '>=', '&&', '||',
                         '+', '-', '==', '<') if self.random.random() < 0.93 else self.pick(
                             '/', '%', '<<', '>>')
        return '(%s %s %s)' % (self.value(depth - 1, registers), sign,
                               self.value(depth - 1, registers))

    def index(self, registers):
        return self.pick('0', '1', self.value(0, registers), '(%s & 1)' % self.value(1, registers))

    def register(self, registers):
        self.registers += 1
        registers.append('r%d' % self.registers)
        return registers[-1]

    def synchronisation(self, registers):
        """What blocks and what wakes; objects in arrays are named by inputs."""
        pick, number = self.pick, self.random.randint
        at = '[%s]' % pick('0', '0', '1', self.index(registers))
        what = number(0, 13)
        if what <= 1:
            return 'lock(m); wait(w%s, m); unlock(m);' % at
        if what == 2:
            return 'lock(m); int %s = timedwait(w%s, m); unlock(m);' % (self.register(registers), at)
        if what <= 4:
            return '%s(w%s);' % (pick('signal', 'signal', 'broadcast'), at)
        if what == 5:
            return '%s(k%s); unlock(k%s);' % (pick('rdlock', 'wrlock'), at, at)
        if what == 6:
            name = self.register(registers)
            return 'int %s = %s(k%s); if (%s) unlock(k%s);' % (
                name, pick('tryrdlock', 'trywrlock'), at, name, at)
        if what == 7:
            return pick('sem_wait(e%s);', 'post(e%s);', 'post(e%s);') % at
        if what == 8:
            return 'int %s = trywait(e%s);' % (self.register(registers), at)
        if what == 9:
            return pick('arrive(g);', 'lock(q%s); unlock(q%s);' % (at, at))
        if what == 10:
            return 'int %s = %s(c, %d);' % (self.register(registers),
                                           pick('futex_wait', 'timedfutexwait'), number(0, 1))
        if what == 11:
            value = pick('1', '2', self.value(1, registers))
            return 'int %s = futex_wake(c, %s);' % (self.register(registers), value)
        if what == 12:
            return pick('store(c, %d);', 'fetch_add(c, 1 + %d);', 'fetch_add(b, %d);') % number(0, 2)
        return pick('await(c != %d);', 'exchange_await(c == %d, 1);', 'await(b >= %d);') % number(0, 1)

    def cell(self, registers):
        """Elements with a mutex each, and an index that inputs decide."""
        at = self.index(registers)
        value = lambda: self.value(1, registers)
        inner = ' '.join(self.pick('v[%s] = v[%s] + %s;' % (at, at, value()), 'v[%s] = %s;' % (at, value()),
                                   'if (v[%s] == %s) v[%s] = 3;' % (at, value(), at),
                                   'if (%s && v[%s] > 0) v[%s] = %s;' % (value(), at, at, value()))
                         for _ in range(self.random.randint(1, 2)))
        return 'lock(u[%s]); %s unlock(u[%s]);' % (at, inner, at)

    def turn(self, registers):
        """What no two threads do for the same inputs; accesses on the right of an &&."""
        mine = 'x == %d' % self.thread
        return self.pick('if (%s) h = %s;', 'if (%s && h == %s) h = 3;', 'if (%s && h != %s) {}') % (
            mine, self.value(1, registers))

    def statement(self, depth, registers, held):
        value = lambda d=2: self.value(d, registers)
        if self.waits and not held and self.random.random() < 0.4:
            return self.synchronisation(registers)
        if not held and self.random.random() < 0.12:
            return self.pick(self.cell, self.turn)(registers)
        what = self.random.randint(0, 16 if depth > 0 else 12)
        if what <= 1:
            return 'store(a[%s], %s);' % (self.index(registers), value())
        if what == 2:
            return 'store(b, %d);' % self.random.randint(0, 2)
        if what == 3 and self.swaps and self.random.random() < 0.5:
            return 'cas(a[%s], %s, %s);' % (self.index(registers), value(1), value(1))
        if what == 3:
            return '%s(a[%s], %s);' % (self.pick('fetch_add', 'fetch_or', 'fetch_xor', 'exchange'),
                                       self.index(registers), value(1))
        if what <= 6:
            self.registers += 1
            name = 'r%d' % self.registers
            swap = 'cas(a[%s], %s, %s)' % (self.index(registers), value(0), value(0))
            source = self.pick('load(a[%s])' % self.index(registers),
                               swap if self.swaps else 'load(b)',
                               'cas(b, %d, %d)' % (self.random.randint(0, 1),
                                                   self.random.randint(0, 2)),
                               'trylock(n)', value(),
                               'choose(0, %s)' % self.pick('1', '1', *self.domains))
            registers.append(name)
            return 'int %s = %s;' % (name, source)
        if what == 7 and held:
            return 's[%s] = %s;' % (self.index(registers), value(1))
        if what == 8 and held and registers:
            return '%s = s[%s];' % (self.random.choice(registers), self.index(registers))
        if what <= 9 and not held:
            inner = [self.statement(0, list(registers), True)
                     for _ in range(self.random.randint(1, 2))]
            inner = [i for i in inner if not i.startswith('int')] or ['s[0] = s[1] + 1;']
            return 'lock(m); %s unlock(m);' % ' '.join(inner)
        if what == 10:
            return 'assume(%s);' % value()
        if what == 11:
            return 'assert(%s != %d);' % (value(), self.random.randint(0, 6))
        if what == 12 and registers:
            return '%s = %s;' % (self.random.choice(registers), value())
        if what <= 15:
            body = self.block(depth - 1, registers, held)
            other = ' else { %s }' % self.block(depth - 1, registers, held) if what == 15 else ''
            return 'if (%s) { %s }%s' % (value(), body, other)
        self.registers += 1
        name = 'r%d' % self.registers
        return 'int %s; while (%s < %s) { %s = %s + 1; %s }' % (
            name, name, self.value(0, []), name, name, self.block(0, registers, held))

    def block(self, depth, registers, held):
        inner = list(registers)
        return ' '.join(self.statement(depth, inner, held)
                        for _ in range(self.random.randint(1, 2)))

    def text(self):
        threads = self.random.randint(1, 3)
        inputs = ', '.join('%s : %d..%d' % (n, *d) for n, d in self.domains.items())
        lines = ['input int %s;' % inputs, 'atomic int a[2], b, c;', 'shared int s[2], v[2], h;',
                 'mutex m, n, q[2], u[2];', 'cond w[2]; rwlock k[2]; semaphore e[2] = 1; barrier g = 2;']
        for i in range(threads):
            registers, self.thread = [], i
            body = [self.statement(1, registers, False)
                    for _ in range(self.random.randint(1, 4 - threads // 2))]
            if i == 0 and self.swaps:
                lines.insert(0, 'input int d : 0..1;')
                body.insert(0, 'if (0) store(a[0], d);')
            lines.append('thread t%d {\n  %s\n}' % (i, '\n  '.join(body)))
        return '\n'.join(lines) + '\n'


def values_of(sketch):
    ranges = [range(low, high + 1) for low, high in sketch.domains.values()]
    for values in itertools.product(*ranges):
        yield dict(zip(sketch.domains, values))


MOST = 400


def compare(text, sketch, search, options=(), decided=True):
    """Whether the program was compared; one with too many executions is not."""
    limit = ['--max-executions=%d' % MOST]
    result, executions, _ = run(text, *search, *options, *limit)
    if 'error' in result:
        fail(text, result['error'])
    if result['stopped'] in ('executions', 'race'):
        return False
    if decided and not result['finished']:
        fail(text, f'{search}: not finished: {result["stopped"]}')
    wrong = {d['kind'] for d in result['defects']}
    for values in values_of(sketch):
        fixed = '--input=' + ','.join('%s=%d' % item for item in values.items())
        alone, expected, _ = run(text, fixed, '--max-executions=%d' % (2 * MOST))
        mine = [e for e in executions if admits(e, values)]
        if alone['stopped'] == 'executions':
            return False
        if alone['stopped'] == 'race':
            fail(text, f'{search}: {values}: a race')
        if alone['stopped'] == 'runtime':
            if 'runtime' not in wrong or not any(e['verdict'] == 'error' for e in mine):
                fail(text, f'{search}: {values}: no error')
            continue
        keys, wanted = Counter(map(key, mine)), Counter(map(key, expected))
        if keys != wanted:
            fail(text, f'{search}: {values}: {len(mine)} executions, and {len(expected)} alone; '
                 f'lost {(wanted - keys).total()}, more {(keys - wanted).total()}; {len(executions)} in all, stopped: {result["stopped"]}')
    return True


def compare_random():
    compared = events = 0
    for seed in range(SEED, SEED + COUNT):
        sketch = Sketch(seed)
        text = '// seed %d\n' % seed + sketch.text()
        options = [BY_SOLVER] if seed // 2 % 2 == 0 else []
        compared += compare(text, sketch, SEARCHES[seed % len(SEARCHES)], options)
    if compared < COUNT / 2:
        fail('', f'only {compared} of {COUNT} programs were compared')


# ---- the solver ----

ENDS = """#!%s
import os, subprocess, sys
def whole(file):
    head = file.read(4)
    return head + file.read(int.from_bytes(head, sys.byteorder)) if len(head) == 4 else b''
solver = subprocess.Popen([%r] + sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
while True:
    question = whole(sys.stdin.buffer)
    if question == b'':
        break
    with open(%r, 'r+') as file:
        number = int(file.read()) + 1
        file.seek(0)
        file.write(str(number))
    if number - 1 in %s:
        solver.kill()
        os.abort()
    solver.stdin.write(question)
    solver.stdin.flush()
    sys.stdout.buffer.write(whole(solver.stdout))
    sys.stdout.buffer.flush()
"""
# Bits of several inputs at once: what is quick.c's is not asked, and products take the solver long.
SOLVED = [
    ("x : 0..3, y : 0..3", 'mutex m;',
     ['if ((x ^ y) < (y ^ 2 * x)) { LL }', 'if ((y ^ x ^ 1) > (x ^ 2)) { LL } if ((x ^ y ^ 3) == (x ^ 2 * y) + 2) {}',
      'if ((x ^ (y + y)) == (3 ^ x) - (y ^ 1)) {}']),
    ("x : 0..3, y : 0..1", 'atomic int a[2];',
     ['int r = 6 / ((x ^ y) - (y ^ x * x)); store(a[(y ^ 2 * x) % 2], r);', 'int r = load(a[1]); assert((r ^ x ^ y) != (x ^ -3));']),
]


class Known:
    """The domains of a program."""

    def __init__(self, inputs):
        self.domains = {name: (int(low), int(high)) for name, low, high in
                        re.findall(r'(\w) : (\d)\.\.(\d)', inputs)}


def ending(questions):
    """A solver that ends at these questions, the first of which is that at the start, number 0."""
    path, count = os.path.join(FOLDER, 'solver'), os.path.join(FOLDER, 'count')
    solver = os.path.join(os.path.dirname(UNFOLD), 'unfold-solver')
    with open(path, 'w') as file:
        file.write(ENDS % (sys.executable, solver, count, questions))
    with open(count, 'w') as file:
        file.write('0')
    os.chmod(path, 0o700)
    return '--solver=' + path


def killed():
    for inputs, objects, threads in SOLVED:
        text = program(inputs, objects, threads)
        queries = run(text, BY_SOLVER)[0]['solver']['queries']
        tried = run(text)[0]['solver']
        if queries == 0 or tried['no'] > 0 or tried['tried'] == 0:
            fail(text, f'{queries} queries, and where values are tried {tried}')
        for number in list(range(1, queries + 1)) + [0]:
            ends = f'[{number}]' if number > 0 else 'range(2, 10 ** 9, 2)'
            for search in ([], ['--algorithm=odpor']) if number % 4 == 0 else ([],):
                result, _, _ = run(text, BY_SOLVER, *search, ending(ends))
                if result['solver']['lost'] == 0 and number < queries:
                    fail(text, f'{search}: the solver did not end at {ends}')
                if result['finished'] != (result['undecided'] == 0):
                    fail(text, f'{search}: {ends}: finished, with {result["undecided"]} undecided')
                compare(text, Known(inputs), search, [BY_SOLVER, ending(ends)], decided=False)


# With a limit on its memory, in bytes.
LIMITED = """#!/bin/sh
exec %s %d
"""


def limited():
    """A solver with hardly more memory than it begins with does not decide what needs more."""
    path, solver = os.path.join(FOLDER, 'limited'), os.path.join(os.path.dirname(UNFOLD), 'unfold-solver')
    text = program('x, y, z', 'mutex m;', ['if (x * y * z == 1234567890123 && x > 1 && y > x) { lock(m); unlock(m); }',
                                           'if (x < 100) { lock(m); unlock(m); }'])

    def with_megabytes(megabytes, steps):
        with open(path, 'w') as file:
            file.write(LIMITED % (os.path.abspath(solver), megabytes << 20))
        os.chmod(path, 0o700)
        return run(text, '--solver=' + path, f'--max-solver-steps={steps}')

    # Under a sanitizer the solver has no limit, and begins with any.
    if with_megabytes(16, 100)[2] != 2:
        return
    for megabytes in range(16, 1024, 4):
        result, _, status = with_megabytes(megabytes, 1000000000)
        if status != 2:
            break
        expect(text, 'does not work' in result['error'], 'without memory: ' + result['error'])
    expect(text, result['stopped'] == 'undecided' and result['undecided'] > 0, f'decided with {megabytes} MB')
    expect(text, result['solver']['lost'] + result['solver']['unknown'] > 0, f'{megabytes} MB were enough')


def solver():
    killed()
    limited()


# ---- what is said ----

def expect(text, condition, message):
    if not condition:
        fail(text, message)


def replays():
    """Each defect comes with inputs that lead there, and a schedule that shows it."""
    text = program('x : 0..9, y', 'mutex a, b; shared int t[3]; atomic int c;',
                   ['lock(a); if (x * x == 49) { lock(b); unlock(b); } unlock(a); assert(x != 5);',
                    'lock(b); if (x == 7) { lock(a); unlock(a); } unlock(b); t[y] = 10 / (y - 1);',
                    'store(c, x); int r = load(c); assert(r < 9 || y != 123456789);'])
    folder = os.path.join(FOLDER, 'traces')
    result, _, status = run(text, '--trace-dir', folder)
    kinds = Counter(d['kind'] for d in result['defects'])
    expect(text, status == 1 and kinds == {'deadlock': 1, 'assertion': 3, 'runtime': 2} or
           kinds['deadlock'] == 1 and kinds['assertion'] >= 2 and kinds['runtime'] >= 2, str(kinds))
    for defect in result['defects']:
        path = os.path.join(folder, defect['schedule'])
        done = subprocess.run([UNFOLD, '--json', '--replay', path, os.path.join(FOLDER, 'p.unf')],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        expect(text, done.returncode == 1, f'{defect}: replay: {done.stderr}')
        again = json.loads(done.stdout)['defects']
        expect(text, any(d['kind'] == defect['kind'] and
                         [t['place'] for t in d['threads']] == [t['place'] for t in defect['threads']]
                         for d in again), f'{defect}: replayed as {again}')


def limits():
    loop = 'input int x;\nthread t { int r; while (r < x) r = r + 1; }\n'
    result, _, _ = run(loop, '--max-branches', '3')
    expect(loop, (result['complete'], result['blocked'], result['stopped']) == (3, 1, 'branches'),
           str(result))
    array = 'input int x;\natomic int a[9];\nthread t { store(a[x], 1); }\n'
    result, _, status = run(array, '--max-values', '4')
    expect(array, not result['finished'] and result['stopped'] == 'values' and status == 1,
           str(result))
    hard = ('input int x : 2..3037000499, y : 2..3037000499;\n'
            'thread t { if (x * y == 1000000016000000063) {} assert(x < y || x * y % 97 != 5); }\n')
    result, executions, status = run(hard, '--max-solver-steps', '1000')
    expect(hard, result['undecided'] > 0 and result['traces'] == 0 or result['undecided'] > 0,
           str(result))
    expect(hard, not result['finished'] and result['stopped'] == 'undecided', str(result))
    fixed, _, _ = run(hard, '--input', 'x=1000000007,y=1000000009')
    expect(hard, fixed['traces'] == 1 and 'solver' not in fixed, str(fixed))
    one, _, _ = run(loop, '--input=x=5')
    expect(loop, one['traces'] == 1, str(one))


def refusals():
    for text, options, word in [
            ('input int x;\natomic int a;\nthread t { await(a == x); }\n', [], "'a'"),
            ('input int x;\natomic int a;\nthread t { store(a, x); await(a == 0); }\n', [], "'a'"),
            ('input int x;\natomic int a : 4;\nthread t { store(a, x); }\n', [], '8 bytes'),
            ('input int x;\natomic int a;\nthread t { int r = x && 1; futex_wait(a, r); }\n', [],
             "'a'"),
            ('input int x;\nthread t { if (x) {} }\n', ['--purity=on'], '--purity'),
            ('input int x;\nthread t { if (x) {} }\n', ['--probes=3'], '--probes'),
            ('input int x;\nthread t { if (x) {} }\n', ['--solver=/nonexistent/solver'], 'solver'),
            ('input int x : 0..2;\nthread t { if (x) {} }\n', ['--input=x=3'], 'x=3'),
            ('input int x : 0..2;\nthread t { if (x) {} }\n', ['--input=y=1'], 'y=1'),
            ('input int x : 0..2;\nthread t { if (x) {} }\n', ['--input=x'], '--input')]:
        result, _, status = run(text, *options)
        expect(text, status == 2 and word in result['error'], f'{options}: {result}')
    # What the inputs do not reach is not refused.
    text = 'input int x;\natomic int a, b;\nthread t { store(b, x); store(a, 1); await(a == 1); }\n'
    expect(text, run(text)[0]['traces'] == 1, 'refused')


def shows(text, race, folder):
    """Whether the schedule of a race has it again, with the inputs that it comes with."""
    path = os.path.join(folder, race['schedule'])
    done = subprocess.run([UNFOLD, '--json', '--replay', path, os.path.join(FOLDER, 'p.unf')],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect(text, done.returncode == 1, done.stderr)
    return any(d['kind'] == 'race' and d['threads'] == race['threads']
               for d in json.loads(done.stdout)['defects'])


def races():
    """Two elements of an array race only if the indices can be the same."""
    folder = os.path.join(FOLDER, 'races')
    for index, raced in (('x', 1), ('1 - x', 0), ('y', 1), ('x + 1', 0), ('0', 1)):
        text = ('input int x : 0..1, y : 0..1;\nshared int t[3];\n'
                'thread p { t[x] = 1; }\nthread q { t[%s] = 2; }\n' % index)
        result, _, _ = run(text, '--trace-dir', folder)
        expect(text, result['races'] == raced, f'{result["races"]} races')
        expect(text, result['finished'], str(result['stopped']))
        for race in result['defects']:
            expect(text, shows(text, race, folder), f'not shown again: {race}')
    text = ('input int x : 0..1;\nshared int s;\n'
            'thread p { if (x == 0) s = 1; }\nthread q { int r = x == 1 && s == 0; }\n')
    expect(text, run(text)[0]['races'] == 0, 'the race is impossible')
    # The first execution has other elements than the race; that which has it comes later.
    text = ('input int x : 0..3, y : 0..3;\nshared int t[4];\nthread p { t[x] = 1; }\n'
            'thread q { t[y] = 2; }\nthread r { if (x == y) {} }\nthread u { if (x > 1) {} }\n')
    for search in [], ['--algorithm=odpor'], ['--order=random']:
        result, _, _ = run(text, '--trace-dir', folder, *search)
        race, = result['defects']
        expect(text, result['traces'] == 4 and race['count'] == 2, str(race))
        expect(text, race['inputs']['x'] == race['inputs']['y'], str(race['inputs']))
        expect(text, shows(text, race, folder), f'not shown again: {race}')
    # An execution ends at a race, as far as what is said goes; others have their findings.
    text = ('input int x : 0..2;\nshared int s;\nmutex m;\n'
            'thread p { if (x == 0) s = 1; else { lock(m); s = 1; unlock(m); } }\n'
            'thread q { int r; lock(m); r = s; unlock(m); assert(x == 1); }\n')
    for options, count in ([], 2), (['--races=end'], 2), (['--races=continue'], 3):
        result, _, _ = run(text, *options)
        kinds = Counter(d['kind'] for d in result['defects'])
        expect(text, kinds == {'race': 1, 'assertion': 1} and result['finished'], str(result))
        wrong, = (d for d in result['defects'] if d['kind'] == 'assertion')
        expect(text, result['traces'] == 5 and wrong['count'] == count, str(result))


def errors():
    """Several errors at one place, and errors of two threads in one execution, are defects of their
    own, each with inputs that lead there."""
    for text, wanted in [
            ('input int x : -2..1, y : -1..2;\nthread t { int m = -9223372036854775807 - 1;'
             ' int r = (m + x * 0) / y; r = m % (x + 1); }\n',
             {'division by zero': 2, 'signed overflow': 2}),
            ('input int x : -1..3, y : 62..65;\nthread t { int r = x << y; }\n',
             {'a shift by less than 0 or more than 63': 1, 'signed overflow': 1}),
            ('input int x : 0..2, y : 0..2;\nshared int t[2];\nmutex m[2];\n'
             'thread p { int r = t[x] + 10 / y; }\n'
             'thread q { if (x + y == 4) { lock(m[y]); int z = 1 / (x - 2); } }\n',
             {"an index of 't' is outside of 0 … 1": 1, 'division by zero': 1,
              "an index of 'm' is outside of 0 … 1": 1})]:
        result, _, _ = run(text)
        seen = Counter(d['text'] for d in result['defects'])
        expect(text, seen == wanted and result['finished'], str(seen))
        for defect in result['defects']:
            fixed = ','.join('%s=%d' % item for item in defect['inputs'].items())
            place = [t['place'] for t in defect['threads']]
            alone = run(text, '--input', fixed)[0]['defects']
            expect(text, len(place) == 1 and alone, f'{defect}')


def results():
    replays()
    errors()
    limits()
    refusals()
    races()


# ---- cutoffs ----

# What is lost if it is left out of a state: path condition, an input at which a thread stands, an
# input that is read later, registers, memory, how values depend on inputs, owners. All fail.
STATES = [
    ('x', '', ['if (x == 0) { if (x == 0) { LL } } if (x == 0) { assert(0); }']),
    ('x', '', ['if (x == 0) { LL } else { LL LL } LL assert(x != 0);']),
    ('x', '', ['if (x == 0) { LL LL } else { LL } LL assert(x != 0);']),
    ('x', '', ['int r = 0; if (x == 0) { r = x; LL LL } else { r = x; LL } LL assert(r != 0);']),
    ('x : 0..2, y : 0..1', '', ['if (x > y) { LL LL } else { LL } LL assert(x != 2);']),
    ('y : 0..1, x : 0..2', '', ['if (y < x) { LL LL } else { LL } LL assert(x != 2);']),
    ('x : 0..3', '', ['int r; if (x > 1) { r = 1; } LL if (r == 1) { assert(x < 2); }']),
    ('x : 0..3', 'shared int s;', ['if (x > 1) { s = x; LL } else { s = 1 - x; } assert(s != 0);']),
    ('x : 0..1, y : 0..1', '', ['int r; if (y == 0) { r = x; if (y == 0) {} } else { r = 1 - x; } assert(r != x);']),
    ('x : 0..1', 'mutex n;', ['if (x) { lock(n); } else { LL } LL if (x) { int r = trylock(n); assert(r); }']),
    ('x : 0..2', 'atomic int a;', ['if (x == 2) { store(a, x); } else { store(a, 0); }', 'int r = load(a); if (r == 2) { assert(x == 1); }']),
]
# Programs that run for ever, and how many assertions can fail in them.
ENDLESS = [
    ('x : 0..3', 'atomic int f;', ['while (1) { int r = load(f); if (r == 1) { if (x > 1) { assert(x < 3); } } }', 'if (x > 0) { store(f, 1); }'], 1),
    ('x : 0..100', 'shared int s;', ['while (1) { lock(m); if (s == x) { s = 0; } else { s = x; } unlock(m); }', 'while (1) { lock(m); s = 0; unlock(m); }'], 0),
    ('x', 'atomic int a;', ['while (1) { store(a, x); if (x > 7) { fetch_xor(a, 1); } }', 'while (1) { int r = load(a); assert(r != 9); }'], 1),
    ('x, y', 'shared int s[3];', ['while (1) { lock(m); s[x] = y; int r = s[y]; unlock(m); if (r == 5) {} }'], 0),
    ('x : 0..1, y', 'mutex k[2];', ['while (1) { lock(k[x]); unlock(k[x]); }', 'while (1) { lock(k[0]); if (y > 0 || x) { unlock(k[0]); } else { lock(k[1]); } }'], 0),
]
KINDS = ['--cutoffs=erv'], ['--cutoffs=size'], ['--cutoffs=erv', '--order=bfs'], ['--cutoffs=erv', '--k=1'], ['--cutoffs=size', '--algorithm=sdpor'], ['--cutoffs=erv', '--algorithm=dfs']


def findings(result):
    """What is wrong, and where each thread stands then."""
    return {(d['kind'], tuple((t['thread'], t['state'], t['place']) for t in d['threads'] or []))
            for d in result['defects']}


def failures(result):
    """The places of what is wrong with a thread alone."""
    return {(kind, place) for kind, threads in findings(result) for _, state, place in threads
            if state == 'failed'} | {'deadlock' for kind, _ in findings(result) if kind == 'deadlock'}


def with_cutoffs(text, sketch, number):
    """Whether what is found is what is found for the values."""
    wanted, limit = set(), '--max-executions=%d' % (2 * MOST)
    for values in values_of(sketch):
        fixed = '--input=' + ','.join('%s=%d' % item for item in values.items())
        alone = run(text, fixed, limit)[0]
        if alone['stopped'] is not None or alone['races'] > 0:
            return False
        wanted |= failures(alone)
    kept = set()
    for search in KINDS[0], KINDS[1 + number % (len(KINDS) - 1)]:
        result = run(text, *search, limit)[0]
        if 'error' in result:
            fail(text, result['error'])
        if result['stopped'] == 'executions':
            return False
        if not result['finished'] or 'but for data races' not in result['verdict']:
            fail(text, f'{search}: {result["verdict"]}')
        if failures(result) != wanted:
            fail(text, f'{search}: {failures(result)}, and {wanted} alone')
        if search[0] == '--cutoffs=erv':
            kept.add((result['kept'], result['cutoffs']))
            expect(text, result['kept'] + 1 == result['states'], f'{search}: two events of one state')
    expect(text, len(kept) == 1, f'other events are kept: {kept}')
    return True


def cutoffs():
    for inputs, objects, threads in STATES:
        text = program(inputs, 'mutex m; ' + objects, threads)
        for search in KINDS:
            result = run(text, *search)[0]
            expect(text, result['finished'] and [d['kind'] for d in result['defects']] == ['assertion'], f'{search}: {result}')
    for inputs, objects, threads, fails in ENDLESS:
        text = program(inputs, 'mutex m; ' + objects, threads)
        kept = set()
        for search in KINDS:
            result = run(text, *search)[0]
            failed = {f for f in failures(result) if f[0] == 'assertion'}
            expect(text, result['finished'] and len(failed) == fails, f'{search}: {result}')
            kept.add((search[0], result['kept'], result['cutoffs']))
        expect(text, len(kept) == 2, f'other events are kept: {kept}')
    # What was decided by values that are not used any more does not matter.
    text = program('x, y', 'mutex m;', ['if (x > 0) {} if (x > 5) {} if (x > 9) {} if (y == 1) {} LL LL LL LL'])
    few, all_paths = run(text, '--cutoffs=erv')[0]['events'], run(text)[0]['events']
    expect(text, few < all_paths / 3, f'{few} of {all_paths} events')
    compared = 0
    for seed in range(SEED, SEED + COUNT):
        sketch = Sketch(seed)
        compared += with_cutoffs('// seed %d\n' % seed + sketch.text(), sketch, seed)
    expect('', compared >= COUNT / 3, f'only {compared} of {COUNT} programs were compared')


# ---- several processes ----

SAME = ('traces complete blocked deadlocks errors redundant executions infeasible undecided finished stopped verdict '
        'races').split()


def written(text, *options):
    """What an exploration comes to, the defects with the texts of their schedules, and how places
    that are apart and questions that were not decided had it begin again."""
    folder = tempfile.mkdtemp(dir=FOLDER)
    path = os.path.join(FOLDER, 'p.unf')
    with open(path, 'w') as file:
        file.write(text)
    done = subprocess.run([UNFOLD, '--json', STEPS, '--trace-dir', folder, *options, path], capture_output=True, text=True, timeout=300)
    if done.returncode not in (0, 1, 3, 4):
        fail(text, f'{options}: status {done.returncode}: {done.stderr}')
    result = json.loads(done.stdout)
    defects = []
    for d in result['defects']:
        schedule = None
        if d['schedule'] is not None:
            with open(os.path.join(folder, d['schedule'])) as file:
                schedule = file.read()
        defects.append((d['kind'], d['count'], d['text'] or '', json.dumps(d['inputs'], sort_keys=True), schedule, str(d['threads'])))
    for name in os.listdir(folder):
        os.remove(os.path.join(folder, name))
    told = result['solver']
    return {name: result[name] for name in SAME}, sorted(defects, key=str), (told['apart'], told['by_terms'])


def same_by_many(text, counts=(1, 3), options=()):
    """Whether it was compared with one process: not where that left places apart."""
    limit = ['--max-executions=%d' % MOST]
    alone = written(text, '--algorithm=odpor', '--probes=0', *limit, *options)
    if alone[0]['stopped'] in ('executions', 'race', 'uncontrolled'):
        return False
    many = [written(text, '--jobs=%d' % count, *options) for count in counts]
    for count, other in zip(counts, many):
        if other != many[0]:
            fail(text, f'--jobs {counts[0]} and {count}: {many[0]}, {other}')
    if many[0][2] == alone[2] and many[0] != alone:
        fail(text, f'without --jobs, and with: {alone}, {many[0]}')
    return many[0][2] == alone[2]


# Which argument of the sum is made first depends on who goes first.
SUM = program('x : 0..3, y : 0..3', 'atomic int a, b; mutex m;',
              ['LL store(a, 3 * x); LL', 'LL store(b, 5 * y); LL', 'int r = load(a); int q = load(b); if (r + q == 8) { LL } LL LL'])

# Many inputs lead to each defect: which are found first depends on what was asked before.
WRONG = program('x : 0..9, y : 0..9', 'mutex m; atomic int a;',
                ['int r; lock(m); r = fetch_add(a, 1); unlock(m); if (x + %d < y) { LL assert(r != %d || x != %d); }' % (i, i, i)
                 for i in range(3)])


def jobs():
    compared = sum(same_by_many(SUM, (3,), [BY_SOLVER]) for _ in range(8)) + same_by_many(WRONG, (1, 2, 3))
    expect(SUM, compared == 9, 'they were not compared')
    compared = 0
    for inputs, objects, threads, *_ in TABLE:
        compared += same_by_many(program(inputs, objects, threads), (2,), [BY_SOLVER])
    expect('', compared == len(TABLE), f'only {compared} of {len(TABLE)} rows were compared')
    compared = 0
    for seed in range(SEED, SEED + COUNT):
        options = [BY_SOLVER] if seed % 2 == 0 else []
        compared += same_by_many('// seed %d\n' % seed + Sketch(seed).text(), options=options)
    expect('', compared >= COUNT / 2, f'only {compared} of {COUNT} programs were compared')


SUITES = {'jobs': jobs, 'cutoffs': cutoffs, 'table': table, 'random': compare_random, 'solver': solver, 'results': results}
SUITES[SUITE]()
