"""Executions as --executions writes them: which inputs their constraint admits, and their events by
name without branches. For the tests of unfold-model and unfold-sym."""
import re

# ---- constraints ----

TOKENS = re.compile(r'\s*(overflow\(|-?\d+|[A-Za-z_]\w*|<<|>>|==|<=|[()<&|^+*/%?:-])')


def wrap(value):
    return (value + 2 ** 63) % 2 ** 64 - 2 ** 63


def divide(a, b):
    return (-1 if a >= 0 else 1) if b == 0 else (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1)


OPERATORS = {
    '+': lambda a, b: a + b, '-': lambda a, b: a - b, '*': lambda a, b: a * b, '/': divide,
    '%': lambda a, b: a if b == 0 else a - b * divide(a, b),
    '&': lambda a, b: a & b, '|': lambda a, b: a | b, '^': lambda a, b: a ^ b,
    '<<': lambda a, b: a << b if 0 <= b < 64 else 0,
    '>>': lambda a, b: a >> (b if 0 <= b < 64 else 63),
    '==': lambda a, b: int(a == b), '<': lambda a, b: int(a < b), '<=': lambda a, b: int(a <= b)}


def evaluate(text, values):
    """The value of a fact as it is written, for values of the inputs."""
    tokens = TOKENS.findall(text)
    at = 0

    def term():
        nonlocal at
        token = tokens[at]
        at += 1
        if token not in ('(', 'overflow('):
            return values[token] if token in values else int(token)
        a, sign = term(), tokens[at]
        at += 1
        b = term()
        if sign == '?':
            at += 1
            c = term()
            result = b if a != 0 else c
        else:
            exact = OPERATORS[sign](a, b)
            result = int(exact != wrap(exact)) if token == 'overflow(' else wrap(exact)
        at += 1
        return result

    return term()


def shortened(executions):
    """Whether some fact was too long to be written whole."""
    return any(fact.endswith('…') for execution in executions for fact in execution['constraint'])


def admits(execution, values):
    return all(evaluate(fact, values) != 0 for fact in execution['constraint'])


# ---- executions as sets of names ----

# How an action uses its object; two in one manner commute, but for those that are not here.
MANNERS = {'read': 'looks', 'fwait': 'looks', 'fagain': 'looks', 'tryfail': 'looks',
           'rdfail': 'looks', 'wrfail': 'looks', 'semfail': 'looks', 'rdacq': 'shares',
           'rdrel': 'shares', 'post': 'shares', 'add': 'shares'}
OBJECTS = re.compile(r'(mutex|location|rwlock|semaphore) \S+ \S+')
QUEUES = re.compile(r'(condition|futex) \S+ \S+')
WAKES = {'sig', 'bro', 'fwake', 'fwakeall'}


def wakes(a, b):
    """Whether b is something that a thread does with a queue out of which a takes it."""
    queue, other = QUEUES.search(a[2]), QUEUES.search(b[2])
    return (a[1] in WAKES and queue and other and queue[0] == other[0] and
            b[0] in re.findall(r'[\d.]+', a[2][queue.end():]))


def dependent(a, b):
    """Whether two steps are known to depend on each other: (thread, action, objects). What they do
    to rounds of barriers, and to queues of others than those they wake, is left out."""
    if a[0] == b[0]:
        return True
    for x, y in ((a, b), (b, a)):
        if x[1] in ('create', 'join') and x[2] in ('thread ' + y[0], y[2]):
            return True
        if wakes(x, y):
            return True
    if MANNERS.get(a[1], a) == MANNERS.get(b[1], b):
        return False
    mine = {found[0] for found in OBJECTS.finditer(a[2])}
    return any(found[0] in mine for found in OBJECTS.finditer(b[2]))


def trace(execution):
    """The events by name, without branches."""
    steps, names = [], []
    for text in execution['steps']:
        words = text.split(' ')
        if words[1] == 'branch':
            continue
        step = (words[0], words[1], '' if words[1] == 'loc' else ' '.join(words[2:]))
        causes = frozenset(n for s, n in zip(steps, names) if dependent(s, step))
        steps.append(step)
        names.append(hash((text, causes)))
    return frozenset(names)


def key(execution):
    return trace(execution), execution['verdict']
