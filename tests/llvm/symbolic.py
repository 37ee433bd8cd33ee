"""C programs explored for all inputs: symbolic.py UNFOLD_SYM SOLVER SUITE [SEED [COUNT]]
or symbolic.py UNFOLD_SYM SOLVER findings [PART …]

counts: the programs of examples/native, with the counts that unfold has. table: programs with
inputs whose executions were counted by hand. random: for each value of the inputs, the executions
whose constraint admits it are, without their branches, those of the program in which the inputs
have that value, each once. findings: what is wrong is found, with inputs and places. refused: what
is not supported is said with its place.
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

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, 'tests', 'model'), os.path.join(ROOT, 'tests')]
from executions import admits, key, shortened  # noqa: E402
from failures import Failures  # noqa: E402
from sketch import Scattered, Sketch, Wide, program  # noqa: E402

UNFOLD, SOLVER, SUITE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
NUMBERS = [int(word) for word in sys.argv[4:] if word.isdigit()]
PARTS = [word for word in sys.argv[4:] if not word.isdigit()]
SEED, COUNT = (*NUMBERS, *(1, 10)[len(NUMBERS):])
TEMPORARY = tempfile.TemporaryDirectory(prefix='unfold-symbolic-')
FOLDER = TEMPORARY.name
failures = Failures()


def fail(what, text=''):
    failures.append(f'{what}\n{text}'.rstrip())


def explore(files, *options, flags=''):
    """The result, the executions, and the exit status."""
    listed = os.path.join(FOLDER, 'executions')
    if os.path.exists(listed):
        os.remove(listed)
    done = subprocess.run([UNFOLD, '--json', '--solver', SOLVER, '--executions', listed,
                           '--max-solver-steps=1000000', '--clang-flags', '-w ' + flags, *options,
                           *files], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          cwd=FOLDER)
    executions = []
    if os.path.exists(listed):
        with open(listed) as file:
            executions = [json.loads(line) for line in file]
    try:
        return json.loads(done.stdout), executions, done.returncode
    except ValueError:
        return {'error': done.stdout + done.stderr, 'defects': []}, executions, done.returncode


def write(name, text):
    with open(os.path.join(FOLDER, name), 'w') as file:
        file.write(text)
    return name


# ---- counts ----

PROGRAMS = os.path.join(ROOT, 'examples', 'native', 'programs')
IFAA = ('--ifaa',)
COUNTS = [
    ('disp', 'PARAM1=5 PARAM2=2', (), 137, 0), ('mpat', 'PARAM1=4', (), 384, 0),
    ('mpc', 'PARAM1=2 PARAM2=3', (), 66, 0), ('pi', 'PARAM1=5', (), 120, 0),
    ('pol', 'PARAM1=3 PARAM2=3', (), 160, 0), ('ssbexp', 'PARAM1=6', (), 12, 0),
    ('ssb3', 'PARAM1=5 PARAM2=4', (), 80, 0), ('spat', 'PARAM1=6 PARAM2=5', (), 72, 0),
    ('atomics/ttaslock', 'PARAM1=3', (), 36, 0), ('atomics/twalock', 'PARAM1=3', (), 96, 0),
    ('atomics/mcslock', 'PARAM1=2', (), 6, 0), ('atomics/futexmutex', 'PARAM1=2', (), 12, 0),
    ('atomics/futexmutex', 'PARAM1=2', IFAA, 10, 0), ('atomics/sortnet', 'PARAM1=5', (), 1, 0),
    ('atomics/seqlock', 'PARAM1=1 PARAM2=1 PARAM3=1 LOOK', (), 9, 83),
    ('atomics/mpmcqueue', 'PARAM1=1 PARAM2=1 PARAM3=1', IFAA, 76, 175),
    ('atomics/safestack', 'OPERATIONS=2,1', (), 34, 1),
    ('atomics/safestack', 'OPERATIONS=3,1', IFAA, 56, 25),
    ('atomics/ticketlock', 'PARAM1=4', (), 24, 0), ('atomics/treiber', 'PARAM1=2 PARAM2=1', (), 20, 0),
    ('atomics/rwlock', 'PARAM1=1 PARAM2=1', (), 6, 0), ('atomics/wordlock', 'PARAM1=3', (), 270, 0),
    ('atomics/msqueue', 'PARAM1=2 PARAM2=1', (), 188, 0), ('atomics/handshake', 'REPAIRED', (), 3, 0),
]


def check_counts():
    for name, macros, options, complete, blocked in COUNTS:
        flags = f'-I{ROOT}/include ' + ' '.join('-D' + m for m in macros.split())
        result, _, _ = explore([f'{PROGRAMS}/{name}.c'], *options, flags=flags)
        seen = [result.get(k) for k in ('complete', 'blocked', 'redundant', 'finished')]
        if seen != [complete, blocked, 0, True]:
            fail(f'{name} {macros} {options}: {seen}, not {complete} + {blocked}', result.get('error', ''))


# ---- programs with inputs ----

L = 'lock(&m); unlock(&m);'
CELLS = 'static pthread_mutex_t e[3]; static int c[3];'
TABLE = [
    ('x 0 2', '', ['if (x == 0) {}'] * 2, 2, 0),
    ('x 0 2', '', ['if (x < 1) {}', 'if (x > 1) {}'], 3, 0),
    ('x 0 2 y 0 2', '', ['if (x == 0) {}', 'if (y == 0) {}'], 4, 0),
    ('x 0 2 y 0 2 z 0 2', '', ['if (x < y) {}', 'if (y < z) {}', 'if (z < x) {}'], 7, 0),
    ('x 0 1 y 0 1 z 0 1', '', ['if (x != y) {}', 'if (y != z) {}', 'if (x != z) {}'], 4, 0),
    ('x 0 3', '', ['if (x == %d) {}' % i for i in range(4)], 4, 0),
    ('x 0 4', '', ['if (x == %d) {}' % i for i in range(4)], 5, 0),
    ('x 0 2', '', ['switch (x) { case 0: break; case 1: break; default: break; }', 'if (x > 1) {}'],
     3, 0),
    ('x 0 2', '', ['switch (x) { case 0: LL break; case 1: break; default: LL }', 'LL'], 5, 0),
    ('x 0 2', '', ['if (x == 0) { LL } else if (x == 1) {} else { LL }', 'LL'], 5, 0),
    ('x 0 2', '', ['if (x == 0) { LL }'] * 2, 3, 0),
    ('x 0 2', '', ['if (x == 0) { LL }', 'if (x != 0) { LL }'], 2, 0),
    ('x 0 2 y 0 2', '', ['if (x < y) { LL }', 'if (y < x) { LL }', 'LL'], 5, 0),
    ('x 0 2 y 0 2 z 0 2', '', ['if (x < y) { LL }', 'if (y < z) { LL }', 'if (z < x) { LL }'], 10, 0),
    ('x 0 2', 'static int s;',
     ['lock(&m); s = x; unlock(&m);', 'lock(&m); int r = s; unlock(&m); if (r == 0) {}'], 3, 0),
    ('x 0 2', 'static int s;',
     ['lock(&m); s = s + x; unlock(&m);',
      'int r; lock(&m); s = s + 1; r = s; unlock(&m); if (r == 2) {}', 'if (x == 1) {}'], 4, 0),
    ('x 0 2', '', ['if (x > 1) ; else lock(&m);', 'lock(&m);', 'lock(&m);', 'if (x == 0) {}'], 0, 8),
    ('x 0 1', '', ['lock(&m); if (x == 0) lock(&n);', 'lock(&n); if (x == 0) lock(&m);'], 1, 3),
    ('x 0 1', '',
     ['lock(&m); if (x == 0) { lock(&n); unlock(&n); } unlock(&m);',
      'lock(&n); if (x == 0) { lock(&m); unlock(&m); } unlock(&n);'], 3, 1),
    ('x 0 2 y 0 2', '', ['klee_assume(x < y);', 'klee_assume(y < x);'], 0, 3),
    ('x 0 2', '', ['klee_assume(x == 0); LL', 'if (x == 0) { LL } else { LL }'], 2, 1),
    ('x 0 2 y 0 2', 'static atomic_int a;',
     ['atomic_store(&a, x);', 'atomic_store(&a, y);', 'int r = atomic_load(&a); if (r == x) {}'], 10, 0),
    ('x 0 2', '', ['if (x == 0) {} if (x == 0) {} if (x == 0) {}', 'if (x == 0) {}'], 2, 0),
    ('x 0 2 y 0 1', '', ['if (y < 1) {}', 'if (x == y) {}', 'if (x + y < 2) {}'], 6, 0),
    # Elements with a mutex each: nothing orders the accesses where x is not y. With x == y two
    # orders, and else one; in the second row the test has two outcomes where it comes second and
    # finds z there. In the third row what is read is 0 in any order: x < y, and
    # the rest.
    ('x 0 1 y 0 1', CELLS, ['lock(&e[x]); c[x] += 1; unlock(&e[x]);',
                            'lock(&e[y]); if (c[y] > 0) c[y] = 5; unlock(&e[y]);'], 6, 0),
    ('x 0 1 y 0 1 z 0 2', CELLS, ['lock(&e[x]); c[x] += z; unlock(&e[x]);',
                                  'lock(&e[y]); if (c[y] > 0) c[y] = 5; unlock(&e[y]);'], 8, 0),
    ('x 0 2 y 0 2', CELLS, ['if (x < y) c[x] = 1;', 'if (x < y) { if (c[y] > 0) lock(&m); }'], 2, 0),
    # In the array x is 2 or 5, and beyond it an error, which the solver may come to first.
    ('x -30000 30000', 'static int a[8];', ['klee_assume(x * x % 7 == 4); a[x] = 1; if (a[2]) {}'], 2, 2),
    ('x -30000 30000', 'static int a[8];', ['klee_assume(x * x % 7 == 4); a[x - 1] = 1; if (a[2]) {}'], 1, 2),
    # As the first one with elements, and with cutoffs, where an address says itself where it lies.
    ('x 0 1 y 0 1', CELLS, ['int i = x & 1; lock(&e[i]); c[i] += 1; unlock(&e[i]);',
                            'int i = y & 1; lock(&e[i]); if (c[i] > 0) c[i] = 5; unlock(&e[i]);'], 6, 0),
    # What the other thread tested is known behind its mutex: no branch of this one.
    ('x 0 2', 'static int s;', ['if (x == 0) { lock(&m); s = 1; unlock(&m); }',
                                'lock(&m); int r = s; unlock(&m); if (r) { if (x == 0) {} }'], 3, 0),
]
# By row: how many branches there are. One for each way out of the assumption, and of the first test
# of each thread: the others follow from it.
BRANCHES = {1: 6, 23: 6, 31: 4}
SEARCHES = [(), ('--algorithm=odpor',), ('--algorithm=eager',), ('--k=1',), ('--order=random',),
            ('--algorithm=sdpor',)]


def domains_of(text):
    words = text.split()
    return {words[i]: (int(words[i + 1]), int(words[i + 2])) for i in range(0, len(words), 3)}


def check_table():
    """Values outside the domains are one more blocked execution for each input: its assumption."""
    for number, (inputs, more, bodies, complete, blocked) in enumerate(TABLE):
        domains = domains_of(inputs)
        text = program(domains, more, [b.replace('LL', L) for b in bodies])
        cut = [('--cutoffs=erv',)] if '& 1' in text else []
        for search in SEARCHES[:3] + cut:
            result, _, _ = explore([write('p.c', text)], *search)
            seen = [result.get(k) for k in ('complete', 'blocked', 'finished')]
            wanted = [complete, blocked + len(domains), True]
            redundant = result.get('redundant')
            branches = result.get('event_kinds', {}).get('branches')
            if number + 1 in BRANCHES and branches != BRANCHES[number + 1]:
                fail(f'row {number + 1} {search}: {branches} branches, not {BRANCHES[number + 1]}', text)
            if seen != wanted or redundant != 0:
                fail(f'row {number + 1} {search}: {seen}, {redundant} redundant, not {wanted}',
                     text + str(result.get('error', '')))


# ---- random programs ----

MOST = 300


def compare(text, sketch, search):
    """Whether the program was compared; one with too many executions or values, a race, or
    questions beyond the solver is not."""
    result, executions, _ = explore([write('p.c', text)], *search, f'--max-executions={MOST}')
    if 'error' in result:
        fail('no result', text + result['error'])
        return False
    if result['stopped'] in ('executions', 'race', 'values') or isinstance(sketch, Wide) and result['stopped'] == 'undecided':
        return False
    if not result['finished']:
        fail(f'{search}: not finished: {result["stopped"]} {result.get("uncontrolled")}', text)
        return False
    if shortened(executions):
        return False
    for values in values_of(sketch, executions):
        given = ','.join('%s=%d' % item for item in values.items())
        by_text = ' '.join('-DVALUE_' + item for item in given.split(','))
        fixed = [f'--input={given}'] if isinstance(sketch, Wide) else []
        alone, expected, _ = explore(['p.c'], f'--max-executions={2 * MOST}', *fixed, flags='' if fixed else by_text)
        if not alone.get('finished'):
            return False
        mine = [e for e in executions if admits(e, values)]
        keys, wanted = Counter(map(key, mine)), Counter(map(key, expected))
        if keys != wanted:
            fail(f'{search}: {values}: {len(mine)} executions, and {len(expected)} alone; '
                 f'lost {(wanted - keys).total()}, more {(keys - wanted).total()}', text)
            return True
    return True


def values_of(sketch, executions):
    """For which values of the inputs to compare: all, or some, and for those that executions come
    with, of which one may be too many."""
    values, some = sketch.values(), len(executions) // 8 + 1
    if isinstance(sketch, Wide):
        seen = [e['inputs'] for e in executions[::some] if e['inputs'] is not None and len(e['inputs']) == len(sketch.domains)]
        values += [v for v in seen if v not in values]
    return values


def check_random():
    compared = 0
    for seed in range(SEED, SEED + COUNT):
        sketch = (Sketch, Wide, Scattered)[seed % 3](seed)
        text = '// seed %d\n' % seed + sketch.text()
        compared += compare(text, sketch, SEARCHES[seed % len(SEARCHES)])
    if compared < COUNT / 3:
        fail(f'only {compared} of {COUNT} programs were compared')
    print(f'{compared} of {COUNT} programs compared')


# ---- what is found ----

# word: executions that are complete, the kinds of what is found, what its text has, and a value
# that an input of the first has
FINDINGS = [
    ('language', 1, [], '', None), ('outside', None, ['memory'], 'write to', 4),
    ('far-outside', 0, ['memory'], 'in no object', None),
    ('index', None, ['assertion'], 'table', 2), ('freed', 0, ['memory'], 'was freed', None),
    ('lock own', 0, ['deadlock'], 'lock variable locks of lock_own+40', None),
    ('long ago', 0, ['memory'], 'read of memory that was freed', None),
    ('once more', 0, ['memory'], 'free of memory that was freed', None),
    ('twice', 0, ['memory'], 'free of memory that was freed', None), ('null', 1, ['memory'], 'write to', 7),
    ('unwritten', None, ['memory'], 'never written', 1), ('stack', 0, ['memory'], 'in no object', None),
    ('divide', 1, ['runtime'], 'division by zero', 13), ('shift', 2, ['runtime'], 'a shift', 32),
    ('long-division', None, ['assertion'], 'quotient', None),
    ('bytes', 1, ['assertion'], 'number', 4), ('wide', 1, ['assertion'], 'number', 0x123456789abcdef),
    ('part', None, ['assertion'], 'low', 256 + 77), ('race', None, ['race'], 'nothing orders', None),
    ('wait', 2, [], '', None), ('early', None, ['deadlock'], '', None), ('own', 1, [], '', None),
    ('count', None, [], '', None), ('too-often', 0, ['deadlock'], '', None), ('atomic', 2, [], '', None),
    ('deadlock', None, ['deadlock'], '', 42), ('swaps', None, ['assertion'], 'word', 9),
    ('recursion', 0, ['crash'], 'recursion of more than', None),
    ('stranger', 0, ['misuse'], 'does not hold', None), ('error', 0, ['assertion'], 'reach_error', None),
    ('across', 1, ['memory'], 'beyond its end', 5), ('look-ahead', None, ['assertion'], 'around', 1),
    ('look-back', None, ['assertion'], 'around', 1), ('apart', 1, [], '', None), ('together', None, ['race'], 'table', None),
    ('early-free', None, ['race'], 'nothing orders', None), ('moved', 0, ['memory'], 'was freed', None),
    ('grown', 0, ['memory'], 'never written', None), ('copied', 0, ['memory'], 'never written', None),
    ('records', None, ['assertion'], 'records', 3), ('around', 1, [], '', None),
    ('heaps', 2, [], '', None),
    ('partly', 0, ['memory'], 'never written', None), ('once-more', 2, ['assertion'], 'x != 3', 4),
    ('break pipe', 0, ['crash'], 'SIGPIPE', None), ('raise', 1, ['crash'], 'SIGTERM', 4),
    ('join twice', 0, ['misuse'], 'only one of them can join it', None),
    ('given', 2, [], '', None), ('write beyond', None, ['memory'], 'beyond its end', 11), ('write freed', 0, ['memory'], 'was freed', None),
    ('write text', 3, ['memory'], 'beyond its end', None),
    ('tagged again', 1, [], '', None), ('tagged pops', 6, [], '', None),
    ('two raise', None, [], '', None),
]
REFUSED = [('system', r'cases\.c:\d+: a call of system'), ('assembly', r'cases\.c:\d+: the instruction call void asm'),
           ('cancel', r'cases\.c:\d+: a call of pthread_cancel'), ('half', r'cases\.c:\d+: the instruction .* half'),
           ('bfloat', r'cases\.c:\d+: the instruction .* bfloat'), ('fp128', r'cases\.c:\d+: the instruction .* fp128'),
           ('long floating', r'cases\.c:\d+: a floating point number that depends'),
           ('print floating', r'cases\.c:\d+: printf of a floating point number that depends'),
           ('undefined', r'cases\.c:\d+: the instruction .*@undefined_variable'),
           ('floating', r'cases\.c:\d+: a floating point number that depends')]


def check_findings():
    rows = {row[0].replace(' ', '_'): row for row in FINDINGS}
    for part in failures.chosen([*rows, 'others', 'behind-races'], PARTS):
        if part == 'others':
            check_other_findings()
        elif part == 'behind-races':
            check_behind_races()
        else:
            check_finding(*rows[part])


def check_finding(word, complete, kinds, text, value):
    result, _, status = explore([os.path.join(HERE, 'cases.c'), '--', word])
    found = result['defects']
    shown = json.dumps(found)
    if [d['kind'] for d in found] != kinds or text not in shown or status != (1 if kinds else 0):
        fail(f'{word}: {status}, {shown}', str(result.get('error', '')))
        return
    if complete is not None and result['complete'] != complete:
        fail(f'{word}: {result["complete"]} executions are complete, not {complete}')
    if value is not None and value not in found[0]['inputs'].values():
        fail(f'{word}: inputs {found[0]["inputs"]}, without {value}')
    if kinds and not re.search(r'cases\.c:\d+', shown):
        fail(f'{word}: no place: {shown}')


def check_other_findings():
    cases = os.path.join(HERE, 'cases.c')
    for level in ('-O1', '-O2'):
        result, _, status = explore([cases, '--', 'given'], flags=level)
        if status != 0 or result['complete'] != 2:
            fail(f'given {level}: {status}, {result["defects"]}')
    result, _, status = explore([cases, '--', 'often'])
    if status != 0 or result['states']['kept'] == 0 or result['states']['bytes'] > 450000:
        fail(f'memory that is freed again and again: {status}, {result.get("states")}')
    write('many.c', 'extern int __VERIFIER_nondet_int(void);\nint main(void) {\n  int y = 0;\n'
          '  for (int i = 0; i < MANY; i++) if (__VERIFIER_nondet_int() > 3) y++;\n  return y < 0;\n}\n')
    write('chain.c', 'extern int __VERIFIER_nondet_int(void);\nint main(void) {\n  int y = 0, last = __VERIFIER_nondet_int();\n'
          '  for (int i = 0; i < MANY; i++) {\n    int next = __VERIFIER_nondet_int();\n    if (last < next) y++;\n'
          '    last = next;\n  }\n  return y < 0;\n}\n')
    looked, linked = [], []
    # What is known takes memory by the number of tests, and each of them is looked at by itself.
    for many in (100, 400):
        result, _, _ = explore(['--max-executions=2', 'many.c'], flags=f'-DMANY={many}')
        kept = result['solver']['kept_facts'] + result['solver']['kept_values']
        looked.append(result['solver']['looked_at'])
        result, _, _ = explore(['--max-executions=2', 'chain.c'], flags=f'-DMANY={many}')
        linked.append(result['solver']['looked_at'])
        if kept > 20 * many + 1200:
            fail(f'{many} tests in an execution: {kept} nodes of facts and values are kept')
    if looked[1] > 5 * looked[0] or linked[1] > 5 * linked[0]:
        fail(f'four times as many tests of inputs look at {looked}, and of a chain at {linked} facts')
    # A sum over all inputs so far: what is left of it, where they have values, is small.
    write('sums.c', 'extern int __VERIFIER_nondet_int(void);\nint main(void) {\n  int y = 0, s = 0;\n'
          '  for (int i = 0; i < MANY; i++) {\n    s += __VERIFIER_nondet_int();\n    if (s == 77) y++;\n  }\n  return y < 0;\n}\n')
    for many in (100, 400):
        result, _, _ = explore(['--max-executions=2', 'sums.c'], flags=f'-DMANY={many}')
        kept = result['solver']['kept_facts'] + result['solver']['kept_values']
        if result['solver']['queries'] > 0 or kept > 25 * many + 1200 or result['solver']['terms'] > 100 * many:
            fail(f'{many} tests of sums: {result["solver"]}')
    text = ('extern short __VERIFIER_nondet_short(void);\nint main(void) {\n  for (int i = 0; i < 40; i++) {\n'
            '    int x = __VERIFIER_nondet_short();\n    if (x * x * x == x + 6) return 1;\n  }\n  return 0;\n}\n')
    result, _, _ = explore(['--max-executions=2', write('solved.c', text)])
    queries, asked = result['solver']['queries'], result['solver']['asked_facts']
    if queries < 30 or asked > 3 * queries:
        fail(f'tests that share no input: {asked} facts in {queries} queries')
    # An address that could be anywhere in an object: what a byte leads to are its places; else its
    # values are outcomes, as those of its line.
    text = ('extern KIND __VERIFIER_nondet_KIND(void);\nstatic char large[200000];\nint main(void) {\n'
            '  static const unsigned table[8] = {100, 7919, 199999, 7, 63352, 7919, 5, 171000};\n'
            '  const unsigned KIND x = __VERIFIER_nondet_KIND();\n  large[table[x % 8]] = 1;\n'
            '  if (large[5]) __builtin_trap();\n  if (large[7919]) __builtin_trap();\n  if (large[199999]) __builtin_trap();\n'
            '  return 0;\n}\n')
    for kind, more, wanted in (('char', [], (True, 4, [1, 1, 1])), ('int', [], (True, 8, [1, 1, 2])), ('int', ['--cutoffs=size'], (True, 8, [1, 1, 2]))):
        result, _, _ = explore([*more, write('scattered.c', text.replace('KIND', kind))])
        if (result.get('finished'), result.get('traces'), sorted(d['count'] for d in result['defects'])) != wanted:
            fail(f'an address that could be at many places, {kind} {more}: {result}')
    # An address whose term has others many times over: as a tree it would have 2^60 of them.
    text = ('extern unsigned char __VERIFIER_nondet_uchar(void);\nstatic char all[256];\nint main(void) {\n'
            '  const unsigned char x = __VERIFIER_nondet_uchar(), y = __VERIFIER_nondet_uchar();\n'
            '  unsigned long of[2] = {x, 7};\n'
            '  for (int i = 0; i < 60; i++) of[x >> (i & 7) & 1] = of[y >> (i & 7) & 1];\n'
            '  return all[of[0]];\n}\n')
    for more in ([], ['--cutoffs=size']):
        result, _, _ = explore([*more, write('shared.c', text)])
        if (result.get('finished'), result.get('traces'), result.get('defects')) != (True, 1, []):
            fail(f'an address of many shared terms {more}: {result}')
    result, _, _ = explore(['--overflow', cases, '--', 'overflow'])
    if 'signed overflow' not in json.dumps(result['defects']):
        fail(f'overflow: {result}')
    result, _, status = explore([cases, '--', 'overflow'])
    if result['defects'] or status != 0:
        fail(f'overflow that is not asked for: {result}')
    for order, said in (('seq_cst', ''), ('release', ' for sequential consistency')):
        write('order.c', '#include <stdatomic.h>\nstatic atomic_int a;\nextern unsigned char __VERIFIER_nondet_uchar(void);\n'
              'void reach_error(void);\nint main(void) {\n'
              f'  atomic_store_explicit(&a, 1, memory_order_{order});\n'
              '  if (__VERIFIER_nondet_uchar() == 200) reach_error();\n  return 0;\n}\n')
        result, _, _ = explore(['order.c'])
        if [result['verdict'], result['weaker_orders']] != [f'explored to the end{said}, 1 defect found', said != '']:
            fail(f'{order}: {result["verdict"]}')
        if list(result['defects'][0]['inputs'].values()) != [200]:
            fail(f'a byte without a sign: {result["defects"][0]["inputs"]}')


def check_behind_races():
    """A race ends what is said of its execution: what others lead to is found, in each order."""
    text = ('#include <assert.h>\n#include <pthread.h>\nextern int __VERIFIER_nondet_int(void);\nstatic int s, x;\n'
            'static void *other(void *unused) {\n  if (x == 0) s = 1;\n  return unused;\n}\n'
            'int main(void) {\n  x = __VERIFIER_nondet_int();\n  pthread_t t;\n  pthread_create(&t, 0, other, 0);\n'
            '  if (x == 0) s = 2;\n  pthread_join(t, 0);\n  if (x == 6) assert(s == 6);\n  if (x == 0) assert(s == 3);\n  return 0;\n}\n')
    file = write('behind.c', text)
    for search in SEARCHES:
        for races, lines in (('end', [15]), ('continue', [15, 16])):
            result, _, _ = explore([f'--races={races}', *search, file])
            found = sorted((d['kind'], d['threads'][0]['place'].split(':')[1]) for d in result['defects'])
            wanted = [('assertion', str(line)) for line in lines] + [('race', '13')]
            counts = {d['count'] for d in result['defects']}
            if found not in (wanted, wanted[:-1] + [('race', '6')]) or counts != {1} or result['stopped'] != 'race' or result['traces'] != 3:
                fail(f'behind a race, {races} {search}: {found}, {counts}, {result["stopped"]}, {result["traces"]}')


def check_refused():
    cases = os.path.join(HERE, 'cases.c')
    for word, wanted in REFUSED:
        result, _, status = explore(['--clang-flags=-DUNDEFINED', cases, '--', word])
        if status != 4 or not re.search(wanted, str(result.get('uncontrolled'))):
            fail(f'{word}: {status}, {result.get("uncontrolled")}')
    for name, text, wanted in [('absent.c', None, 'absent.c'), ('wrong.c', 'int main(void) { return x; }', 'wrong.c:1'),
                               ('empty.c', 'int f(void) { return 1; }', 'no function main'),
                               ('bad.bc', 'BC not bitcode', 'bad.bc')]:
        if text is not None:
            write(name, text)
        result, _, status = explore([name])
        if status != 2 or wanted not in result.get('error', ''):
            fail(f'{name}: {status}, {result}')
    result, _, status = explore([write('loop.c', 'int main(void) { for (;;) ; }')], '--max-seconds=1')
    if status != 3 or result['stopped'] != 'seconds':
        fail(f'an endless loop: {status}, {result}')
    result, _, status = explore([write('grow.c', '''#include <stdlib.h>
int main(void) { for (;;) if (malloc(1 << 20) == NULL) return 1; }''')], '--max-memory=200M')
    if status != 3 or result['stopped'] != 'memory':
        fail(f'endless memory: {status}, {result}')
    text = program({'x': (0, 2)}, '', ['if (x * x * x == 5 * x + 2) {}', 'if (x * x * x == x + 6) {}'])
    done = subprocess.run([UNFOLD, '--json', '--solver', '/bin/false', write('p.c', text)], capture_output=True,
                          text=True, cwd=FOLDER)
    result = json.loads(done.stdout)
    if done.returncode != 3 or result['stopped'] != 'undecided' or result['undecided'] == 0:
        fail(f'no solver: {done.returncode}, {done.stdout}')
    absent = subprocess.run([*done.args[:done.args.index('/bin/false')], '/bin/none', *done.args[done.args.index('/bin/false') + 1:]],
                            capture_output=True, text=True, cwd=FOLDER)
    if 'the solver /bin/none is not there' not in absent.stderr:
        fail(f'no solver: {absent.returncode}, {absent.stderr}')
    if 'the solver /bin/false ends without an answer' not in done.stderr:
        fail(f'no solver: {done.stderr}')
    # A lock of which the solver says nothing: each that its term allows, if that shows an end.
    text = '''#include <pthread.h>
extern unsigned long __VERIFIER_nondet_ulong(void);
extern void __VERIFIER_assume(int);
static pthread_mutex_t m[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
int main(void) {
  unsigned long x = __VERIFIER_nondet_ulong(), y = __VERIFIER_nondet_ulong();
  __VERIFIER_assume(x * y == 1000000016000000063u);
  pthread_mutex_lock(&m[INDEX]);
}'''
    result, executions, _ = explore([write('few.c', text.replace('INDEX', 'x & 1'))], '--max-solver-steps=1')
    locks = sorted(int(e['constraint'][1].split()[-1].rstrip(')')) for e in executions if len(e['constraint']) == 2)
    if result['stopped'] != 'undecided' or len(executions) != 3 or len(locks) != 2 or locks[1] - locks[0] != 40:
        fail(f'few values, undecided: {result}, {executions}')
    result, _, _ = explore([write('many.c', text.replace('INDEX', 'x % 3'))], '--max-solver-steps=1')
    if result['stopped'] != 'values':
        fail(f'many values, undecided: {result}')
    # Keys of objects have room for the memory of so many threads.
    text = '''#include <pthread.h>
static void *lock(void *always) {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  if (always) pthread_mutex_lock(&m);
  return 0;
}
int main(void) {
  pthread_t t;
  for (int i = 1; i <= MANY; i++) {
    pthread_create(&t, 0, lock, i == MANY ? &t : 0);
    pthread_join(t, 0);
  }
}'''
    for many, status in ((4094, 0), (4095, 4)):
        result, _, ended = explore([write('threads.c', text.replace('MANY', str(many)))])
        if ended != status or (status == 4) != ('beyond the first 4,095' in str(result.get('uncontrolled'))):
            fail(f'{many} threads: {ended}, {result}')


SUITES = {'findings': check_findings, 'refused': check_refused,
          'counts': check_counts, 'table': check_table, 'random': check_random}
if __name__ == '__main__':
    SUITES[SUITE]()
    print(f'{SUITE}: {len(failures)} failed')
    sys.exit(1 if failures else 0)
