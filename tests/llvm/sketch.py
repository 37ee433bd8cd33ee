"""Random C programs with threads and inputs, for symbolic.py, cutoffs.py and differential.py."""
import itertools
import random
import re

BEGIN = '''#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
void klee_make_symbolic(void *, size_t, const char *);
void klee_assume(uintptr_t);
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static void lock(pthread_mutex_t *o) { pthread_mutex_lock(o); }
static void unlock(pthread_mutex_t *o) { pthread_mutex_unlock(o); }
'''.replace('#include <stdlib.h>', '#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>')


def condition(name, domain):
    return domain if isinstance(domain, str) else '(%s >= %d) & (%s <= %d)' % (name, domain[0], name, domain[1])


def program(domains, more, bodies, kind='int'):
    """Main makes the inputs and starts a thread for each body. With a macro for each input they
    have that value. A domain is a range, or the text of a condition."""
    lines = [BEGIN, 'static %s %s;' % (kind, ', '.join(domains)), more]
    for i, body in enumerate(bodies):
        lines.append('static void *t%d(void *unused) { %s\n  return unused; }' % (i, body))
    lines.append('int main(int count, char **words) {')
    for name, domain in domains.items():
        # The text is there with a value, too, so that addresses are alike.
        lines.append(f'#ifdef VALUE_{name}\n  {name} = VALUE_{name};\n  if (count > 1)\n#endif\n'
                     f'  {{ klee_make_symbolic(&{name}, sizeof {name}, "{name}");\n'
                     f'  klee_assume({condition(name, domain)}); }}')
    count = len(bodies)
    lines.append(f'  pthread_t t[{count}];')
    lines.extend(f'  pthread_create(&t[{i}], NULL, t{i}, NULL);' for i in range(count))
    lines.extend(f'  pthread_join(t[{i}], NULL);' for i in range(count))
    lines.append('  return 0; }')
    return '\n'.join(lines) + '\n'


class Sketch:
    """A random program: statements over locks, atomics, shared and local variables, and inputs.
    With `cells`, much of it is elements of an array that have a mutex each."""
    TYPE = 'int'

    def __init__(self, seed, cells=False):
        self.random = random.Random(seed)
        self.cells, self.thread = cells, 0
        names = 'xy'[:self.random.randint(1, 2)]
        self.domains = {name: (0, self.random.randint(1, 2)) for name in names}
        self.locals = 0

    def pick(self, *choices):
        return self.random.choice(choices)

    def value(self, depth, registers):
        kind = self.random.randint(0, 5 if depth > 0 else 3)
        if kind <= 1:
            return self.pick(*self.domains)
        if kind == 2 or not registers:
            return str(self.random.randint(0, 3))
        if kind == 3:
            return self.random.choice(registers)
        a, b = self.value(depth - 1, registers), self.value(depth - 1, registers)
        if kind == 4:
            cast = self.pick('', '', '(int)(unsigned char)', '(int)(short)', '(int)(long)')
            return '%s(%s %s %s)' % (cast, a, self.pick('+', '-', '*', '&', '|', '^'), b)
        return '(%s %s %s)' % (a, self.pick('==', '!=', '<', '<=', '>', '>='), b)

    def index(self, registers):
        return self.pick('0', '1', '(%s & 1)' % self.value(1, registers))

    def statement(self, depth, registers, held):
        value = lambda d=2: self.value(d, registers)  # noqa: E731
        what = self.random.randint(0, 17 if depth > 0 else 11)
        if what > 15 or self.cells and not held and self.random.random() < .5:
            return self.cell(registers)
        if what <= 1:
            return 'atomic_store(&a, %s);' % value()
        if what == 2:
            return 'atomic_fetch_add(&b, %d);' % self.random.randint(1, 2)
        if what == 3:
            return 'atomic_exchange(&a, %s);' % value(1)
        if what <= 6:
            self.locals += 1
            name = 'r%d' % self.locals
            source = self.pick('atomic_load(&a)', 'atomic_load(&b)', value(), 'g[%s]' % self.index(registers),
                               'pthread_mutex_trylock(&n) == 0')
            registers.append(name)
            after = ' if (%s) unlock(&n);' % name if 'trylock' in source else ''
            return '%s %s = %s;%s' % (self.TYPE, name, source, after)
        if what == 7 and held:
            return 's[%s] = %s;' % (self.index(registers), value(1))
        if what == 8 and held and registers:
            return '%s = s[%s];' % (self.random.choice(registers), self.index(registers))
        if what <= 9 and not held:
            inner = [self.statement(0, list(registers), True) for _ in range(self.random.randint(1, 2))]
            inner = [i for i in inner if not i.startswith(self.TYPE)] or ['s[0] = s[1] + 1;']
            return 'lock(&m); %s unlock(&m);' % ' '.join(inner)
        if what == 10:
            return 'klee_assume(%s);' % value()
        if what == 11:
            return 'assert(%s != %d);' % (value(), self.random.randint(0, 6))
        if what == 12:
            cases = ' '.join('case %d: %s break;' % (i, self.block(depth - 1, registers, held))
                             for i in range(self.random.randint(1, 3)))
            cases = re.sub(r'(case \d:) (.*?) (break;)', r'\1 { \2 } \3', cases)
            return 'switch (%s) { %s }' % (value(1), cases)
        body = self.block(depth - 1, registers, held)
        other = ' else { %s }' % self.block(depth - 1, registers, held) if what == 15 else ''
        return 'if (%s) { %s }%s' % (value(), body, other)

    def cell(self, registers):
        """One of two elements, each with its own mutex."""
        self.locals += 1
        i = f'i{self.locals}'
        inner = ' '.join(self.pick(f'c[{i}] += {self.value(1, registers)};', f'c[{i}] = {self.value(1, registers)};',
                                   f'if (c[{i}] == {self.value(0, registers)}) c[{i}] = 3;')
                         for _ in range(self.random.randint(1, 2)))
        return f'int {i} = {self.index(registers)}; lock(&e[{i}]); {inner} unlock(&e[{i}]);'

    def block(self, depth, registers, held):
        inner = list(registers)
        return ' '.join(self.statement(depth, inner, held) for _ in range(self.random.randint(1, 2)))

    SHARED = ('static atomic_int a, b; static int s[2]; static const int g[2] = {1, 2};\n'
              'static pthread_mutex_t e[2]; static int c[2];')

    def bodies(self):
        threads = self.random.randint(1, 3)
        bodies = []
        for self.thread in range(threads):
            registers = []
            bodies.append('\n  '.join(self.statement(1, registers, False)
                                      for _ in range(self.random.randint(1, 4 - threads // 2))))
        return bodies

    def text(self):
        return program(self.domains, self.SHARED, self.bodies(), self.TYPE)

    def values(self):
        """All values of the inputs."""
        ranges = [range(low, high + 1) for low, high in self.domains.values()]
        return [dict(zip(self.domains, chosen)) for chosen in itertools.product(*ranges)]


def signed(value):
    return (value + 2 ** 63) % 2 ** 64 - 2 ** 63


def constant(value):
    return '0x%xul' % (value % 2 ** 64)


def remainder(a, b):
    return a % b if a >= 0 else -(-a % b)


class Wide(Sketch):
    """Inputs of 64 bits, which an assumption restricts to a few values that no range tells: squares
    and remainders, products that wrap around, single bits, quotients. Numbers, indices and sizes
    are computed from them in such ways too, and lie beyond the arrays, unless there are to be no
    errors."""
    TYPE = 'long'
    SHARED = Sketch.SHARED + ('\nstatic const int w[5] = {3, 1, 4, 1, 5};\n'
                              'static int u0[4], u1[4], u2[4];')
    SAMPLE = 4

    def __init__(self, seed, errors=True):
        super().__init__(seed)
        self.errors = errors
        self.admitted, self.small = {}, {}
        for name in self.domains:
            self.domains[name] = self.restrict(name)
        if len(self.admitted) == 2 and self.random.random() < .3:
            self.relate()

    def restrict(self, x):
        """The text of a condition. Values that satisfy it, and what is a small number for them."""
        draw = self.random
        kind = draw.randint(0, 5)
        if kind <= 2:
            base = self.pick(0, 0, -6, 1, 10 ** 12, -2 ** 63, 2 ** 63 - 30000, 2 ** 31 - 9, -15000)
            span, m, k = self.pick(6, 12, 40, 30000), draw.randint(3, 11), draw.randrange(3, 99, 2)
            text, of = self.pick(
                (f'((unsigned long){x} * {x} % {m})', lambda v: v * v % 2 ** 64 % m),
                (f'({x} % {m})', lambda v: remainder(v, m)),
                (f'((unsigned long)({x} ^ {x} >> 2) % {m})', lambda v: (v ^ v >> 2) % 2 ** 64 % m),
                (f'(({x} * {k}ul >> 3) & 7)', lambda v: (v * k % 2 ** 64) >> 3 & 7))
            rest = of(base + draw.randrange(span))
            values = [v for v in range(base, base + span) if of(v) == rest]
            self.small[x] = f'({x} - (long){constant(base)})'
            return self.admit(x, values, f'({x} >= (long){constant(base)}) & ({x} - (long){constant(base)} < {span}) & '
                              f'({text} == {rest})')
        if kind == 3:
            factor, more, count = draw.getrandbits(64) | 1, draw.getrandbits(64), draw.randint(2, 4)
            inverse = pow(factor, -1, 2 ** 64)
            self.small[x] = f'(long)((unsigned long){x} * {constant(factor)} + {constant(more)})'
            return self.admit(x, [signed((i - more) * inverse) for i in range(count)],
                              f'({x} * {constant(factor)} + {constant(more)} < {count})')
        if kind == 4:
            bits, number = draw.sample(range(64), 2), draw.getrandbits(64)
            free = sum(1 << bit for bit in bits)
            number &= ~free
            self.small[x] = f'({x} >> {bits[0]} & 1)'
            return self.admit(x, [signed(number | a << bits[0] | b << bits[1]) for a in (0, 1) for b in (0, 1)],
                              f'(({x} & ~{constant(free)}) == {constant(number)})')
        divisor, quotient = draw.randint(2, 4), draw.randint(1, 2 ** 60)
        self.small[x] = f'({x} - (long){constant(divisor * quotient)})'
        return self.admit(x, [divisor * quotient + i for i in range(divisor)], f'({x} / {divisor} == (long){constant(quotient)})')

    def admit(self, x, values, text):
        self.admitted[x] = values
        return text

    def relate(self):
        """What the inputs have to do with each other."""
        x, y = self.admitted
        m = self.random.randint(2, 5)
        of = lambda v, w: signed(v - w) % 2 ** 64 % m  # noqa: E731
        rest = of(self.pick(*self.admitted[x]), self.pick(*self.admitted[y]))
        self.domains[y] += f' & ((unsigned long)({x} - {y}) % {m} == {rest})'
        self.related = lambda v, w: of(v, w) == rest

    @staticmethod
    def related(v, w):
        return True

    def value(self, depth, registers):
        draw = self.random
        if draw.random() < .25:
            return self.small[self.pick(*self.domains)]
        if depth == 0 or draw.random() < .5:
            return super().value(depth, registers)
        a = self.value(depth - 1, registers)
        kind = draw.randint(0, 6)
        if kind == 0:
            return f'((unsigned long)({a}) % {draw.randint(2, 7)})'
        if kind == 1:
            return f'({a} {self.pick("/", "%")} {draw.randint(2, 7)})'
        if kind == 2:
            return f'({a} {self.pick("<<", ">>")} {draw.randint(1, 5)})'
        if kind == 3:
            return f'({self.pick("unsigned char", "short", "unsigned", "int", "unsigned long")})({a})'
        if kind == 4 and self.errors and draw.random() < .3:
            return f'({a} {self.pick("/", "%")} ({self.value(0, registers)}))'
        return f'({a} * {self.value(0, registers)} {self.pick("==", "<", "%")} {draw.randint(2, 9)})'

    def place(self, registers, size):
        """An index, beyond an array of that size if there may be errors."""
        value = self.pick(self.small[self.pick(*self.domains)], self.value(1, registers))
        value = self.pick(value, value, f'({value} & 7)', f'({value} % 6)', f'({value} - 1)')
        return value if self.errors and self.random.random() < .8 else f'((unsigned long)({value}) % {size})'

    def statement(self, depth, registers, held):
        if self.random.random() < .5:
            return super().statement(depth, registers, held)
        own, kind = f'u{self.thread}', self.random.randint(0, 7 if depth > 0 else 4)
        at = lambda size: self.place(registers, size)  # noqa: E731
        if kind == 0:
            return f'{own}[{at(4)}] = {self.value(1, registers)};'
        if kind == 1:
            size = self.random.randint(0, 16)
            return f'memset({own}, {self.random.randint(0, 2)}, {self.pick(at(17), size)});'
        if kind <= 4:
            self.locals += 1
            name = f'r{self.locals}'
            room = f'{at(8)} & 7' if self.errors else '8'
            source = self.pick(f'{name} = w[{at(5)}];', f'{name} = {own}[{at(4)}];',
                               f'char *p = calloc(1, {room}); p[{at(8)} & 7] = 1; {name} = p[{at(8)} & 3]; free(p);')
            registers.append(name)
            return f'long {name} = 0; {{ {source} }}'
        if kind == 5:
            name = self.pick(*self.domains)
            value = constant(self.pick(*self.admitted[name]))
            return (f'switch ({name}) {{ case (long){value}: {{ {self.block(depth - 1, registers, held)} }} break; '
                    f'default: {{ {self.block(depth - 1, registers, held)} }} }}')
        if kind == 6:
            return f'for (long i = 0; i < ({self.value(1, registers)} & 3); i++) {{ {self.block(0, registers, held)} }}'
        return f'if ({self.value(2, registers)}) {{ {self.block(depth - 1, registers, held)} }}'

    def values(self):
        """Some values of the inputs; all, if there are few."""
        some = [v if len(v) <= self.SAMPLE else sorted(self.random.sample(v, self.SAMPLE)) for v in self.admitted.values()]
        return [dict(zip(self.domains, chosen)) for chosen in itertools.product(*some) if len(chosen) == 1 or self.related(*chosen)]


class Scattered(Sketch):
    """Inputs of a byte, or of more, by which a table gives indices into arrays of more elements
    than an address may have values. Where they lead to is close together, the same, or far apart,
    and what is accessed there is one byte or two."""
    SIZE = 9000

    def __init__(self, seed):
        super().__init__(seed)
        draw = self.random
        self.TYPE = self.pick('unsigned char', 'signed char', 'unsigned char', 'short', 'int')
        self.domains = {name: (0, draw.randint(2, 8 // len(self.domains) - 1)) for name in self.domains}
        spots = [draw.randrange(self.SIZE - 16) for _ in range(3)] + [0]
        table = [self.pick(*spots) + draw.choice((0, 0, 1, 2, 8)) for _ in range(8)]
        again = [draw.randrange(8) for _ in range(4)]
        self.SHARED = Sketch.SHARED + (
            f'\nstatic const unsigned w[8] = {{{", ".join(map(str, table))}}};\n'
            f'static const unsigned char k[4] = {{{", ".join(map(str, again))}}};\n'
            f'static unsigned char d[{self.SIZE}], u0[{self.SIZE}], u1[{self.SIZE}], u2[{self.SIZE}];')
        self.spots = table

    def place(self, registers):
        """An index that depends on inputs, or one of those that it can be."""
        kind, x = self.random.randint(0, 7), self.pick(*self.domains)
        value = self.pick(x, f'({x} + {self.value(1, registers)})', self.value(1, registers))
        if kind == 0:
            return str(self.pick(*self.spots))
        if kind == 1:
            return f'w[k[({value}) & 3]]'
        if kind == 2:
            return f'w[({value}) & 7] + ({self.value(0, registers)} & 1)'
        return f'w[({x if kind <= 4 else value}) & 7]'

    def element(self, array, registers):
        at = f'{array}[{self.place(registers)}]'
        return self.pick(at, at, f'*(unsigned short *)&{at}')

    def statement(self, depth, registers, held):
        if self.random.random() < .4:
            return super().statement(depth, registers, held)
        element = lambda array: self.element(array, registers)  # noqa: E731
        own, kind = f'u{self.thread}', self.random.randint(0, 7 if depth > 0 else 5)
        if held:
            return self.pick(f'{element("d")} += {self.random.randint(1, 3)};',
                             f'{element("d")} = {self.value(1, registers)};', f's[1] = {element("d")};')
        if kind == 0:
            return f'lock(&m); {self.statement(0, registers, True)} unlock(&m);'
        if kind <= 2:
            return f'{element(own)} {self.pick("=", "+=", "=")} {self.pick(1, 2, self.value(1, registers))};'
        if kind == 3:
            return self.test(f'u{self.thread}')
        if kind <= 5:
            source = element(own)
            self.locals += 1
            registers.append(f'r{self.locals}')
            return f'{self.TYPE} r{self.locals} = {source};'
        return f'if ({element(own)} {self.pick("==", "<", "!=")} {self.random.randint(0, 3)}) {{ {self.block(depth - 1, registers, held)} }}'

    def test(self, array):
        """Whether an element has some value, or the sum of all that an index leads to."""
        some = f'{array}[{self.pick(*self.spots)}] == {self.random.randint(1, 3)}'
        every = ' + '.join(f'{array}[{spot}]' for spot in sorted(set(self.spots)))
        return f'if ({self.pick(some, f"({every}) % {self.random.randint(2, 3)} == 1")}) {{ lock(&n); unlock(&n); }}'

    def bodies(self):
        """At the end each thread looks at what lies at some of the places."""
        return [body + '\n  ' + ' '.join([self.test(f'u{i}'), self.test(f'u{i}'), f'lock(&m); {self.test("d")} unlock(&m);'])
                for i, body in enumerate(super().bodies())]


# ---- many programs in one file ----

OWN = re.compile(r'\b([xyabcdegkmnsw]|own|[tu]\d)\b')


def function(seed, sketch):
    """The program of a seed as a function, with names of its own."""
    bodies = sketch.bodies()
    lines = ['static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;',
             'static %s %s;' % (sketch.TYPE, ', '.join(sketch.domains)), sketch.SHARED]
    lines += ['static void *t%d(void *unused) { %s\n  return unused; }' % item for item in enumerate(bodies)]
    lines.append(f'static void program_{seed}(void) {{')
    lines += [f'  klee_make_symbolic(&{name}, sizeof {name}, NAME_{name});\n  klee_assume({condition(name, domain)});'
              for name, domain in sketch.domains.items()]
    lines.append(f'  pthread_t threads[{len(bodies)}];')
    lines += [f'  pthread_create(&threads[{i}], NULL, t{i}, NULL);' for i in range(len(bodies))]
    lines += [f'  pthread_join(threads[{i}], NULL);' for i in range(len(bodies))]
    text = OWN.sub(lambda match: f'{match.group(1)}_{seed}', '\n'.join(lines + ['}']))
    return re.sub(r'\bNAME_([xy])_\d+\b', r'"\1"', re.sub(r'NAME_([xy])\b', r'"\1"', text))


def together(sketches):
    """Programs by number in one file: the first word of the command line says which it is."""
    lines = [re.sub(r'static pthread_mutex_t .*;\n', '', BEGIN)]
    lines += [function(number, sketch) for number, sketch in sketches.items()]
    lines.append('int main(int count, char **words) {\n  int number = 0;\n'
                 '  for (const char *c = count > 1 ? words[1] : ""; *c != 0; c++)\n'
                 '    number = 10 * number + *c - 48;\n'
                 '  switch (number) {')
    lines += [f'  case {number}: program_{number}(); break;' for number in sketches]
    return '\n'.join(lines) + '\n  }\n  return 0;\n}\n'
