#!/usr/bin/env python3
"""unfold-sym with cutoffs.

cutoffs.py UNFOLD_SYM SOLVER ENDLESS.C [SEED [COUNT]] [PART …]

Programs that run for ever are explored to the end, with what is wrong in them. Random programs
with inputs, half of them mostly about elements of an array with a mutex each: what is found is what
is found without cutoffs, which symbolic.py compares with each value of the inputs; which events are
kept is the same in every order of the search. What is not supported is refused by name.
"""
import os
import sys

SYM, SOLVER, ENDLESS = (os.path.abspath(a) for a in sys.argv[1:4])
NUMBERS = [int(word) for word in sys.argv[4:] if word.isdigit()]
PARTS = [word for word in sys.argv[4:] if not word.isdigit()]
SEED, COUNT = (*NUMBERS, *(1, 8)[len(NUMBERS):])
sys.argv[1:] = [SYM, SOLVER, 'cutoffs']
from sketch import Sketch, program  # noqa: E402
from symbolic import L, MOST, explore, fail, failures, write  # noqa: E402

ERV, SIZE = '--cutoffs=erv', '--cutoffs=size'
SEARCHES = [(SIZE,), (ERV, '--order=bfs'), (ERV, '--k=1'), (SIZE, '--algorithm=sdpor'),
            (ERV, '--algorithm=dfs'), (ERV, '--checkpoints=1'), (ERV, '--checkpoints=0', '--order=random')]
# Macro, and what is wrong.
PROGRAMS = [('SPIN', ['assertion']), ('SERVE', ['assertion']), ('REQUESTS', ['assertion']), 
            ('BUFFER', ['deadlock']), ('UNITS', ['assertion']), ('STACK', []), ('MADE', ['assertion'])]
# A number that is nowhere but in a register, and the longer way has the one that is wrong: its last
# event is the cutoff if the register is left out. What was performed before that is known is seen
# all the same, so each way is the longer one once.
REGISTER = 'extern int __VERIFIER_nondet_int(void);\n' + ''.join(
    f'static int {name}(void) {{ {times * L} return {value}; }}\n' for name, times, value in
    (('longer', 2, 1), ('shorter', 1, 0), ('quiet', 1, 0)))
REGISTER_IS = 'int r = (__VERIFIER_nondet_int() %s 0 ? longer() : shorter()) + quiet(); assert(r != 1);'
PICK = 'static int pick(void) { if (__VERIFIER_nondet_int() %s 0) return longer(); return shorter(); }\n'
# What is lost if it is left out of a state.
STATES = [
    ('x 0 5', '', ['if (x == 0) { if (x == 0) { LL } } if (x == 0) assert(0);']),
    ('x 0 5', '', ['if (x == 0) { LL } else { LL LL } LL assert(x != 0);']),
    ('x 0 5', '', ['if (x == 0) { LL LL } else { LL } LL assert(x != 0);']),
    ('x 0 5', '', ['int r = 0; if (x == 0) { r = x; LL LL } else { r = x; LL } LL assert(r != 0);']),
    ('x 0 2 y 0 1', '', ['if (x > y) { LL LL } else { LL } LL assert(x != 2);']),
    ('x 0 1', REGISTER, [REGISTER_IS % '==']),
    ('x 0 1', REGISTER, [REGISTER_IS % '!=']),
    ('x 0 1', REGISTER + PICK % '==', ['int r = pick() + quiet(); assert(r != 1);']),
    ('x 0 1', REGISTER + PICK % '!=', ['int r = pick() + quiet(); assert(r != 1);']),
    ('x 0 3', '', ['int r = 0; if (x > 1) r = 1; LL if (r == 1) assert(x < 2);']),
    ('x 0 3', 'static int s;', ['if (x > 1) { s = x; LL } else s = 1 - x; LL assert(s != 0);']),
    ('x 0 1 y 0 1', '', ['int r = 0; if (y == 0) { r = x; if (y == 0) {} } else r = 1 - x; LL assert(r != x);']),
    ('x 0 1', '', ['if (x) lock(&n); else { LL } LL if (x) assert(pthread_mutex_trylock(&n) == 0);']),
    ('x 0 2', 'static atomic_int a;', ['if (x == 2) atomic_store(&a, x); else atomic_store(&a, 0);',
                                       'int r = atomic_load(&a); if (r == 2) assert(x == 1);']),
]
REFUSED = [
    (['int *p = x ? &s[0] : &t; *p = 1;'], [], 'an address that depends on inputs'),
    (['char words[x + 4]; words[0] = 0;'], [], 'a number that must be known'),
    (['s[0] = x;'], ['--races=continue'], '--races=continue'),
    (['s[0] = x;'], ['--tests=tests'], '--tests'),
    (['s[0] = x;'], ['--algorithm=odpor'], 'odpor'),
]


def domains_of(text):
    words = text.split()
    return {words[i]: (int(words[i + 1]), int(words[i + 2])) for i in range(0, len(words), 3)}


def found(result):
    """What is wrong with a thread alone, and where; whether there is a deadlock."""
    return {(d['kind'], d['text'], t['place']) for d in result['defects'] for t in d['threads'] or []
            if t['state'] == 'failed'} | {'deadlock' for d in result['defects'] if d['kind'] == 'deadlock'}


def check(what, files, search, kinds=None, flags='', limit=2 * MOST):
    """The result of an exploration to the end, or None."""
    result, _, _ = explore(files, *search, f'--max-executions={limit}', flags=flags)
    if 'error' in result or not result['finished'] or 'but for data races' not in result['verdict']:
        fail(f'{what} {search}: {result.get("error")} {result.get("verdict")} {result.get("uncontrolled")}')
        return None
    if kinds is not None and [d['kind'] for d in result['defects']] != kinds:
        fail(f'{what} {search}: {[d["kind"] for d in result["defects"]]}')
    if search[0] == ERV and result['kept'] + 1 != result['states']['different']:
        fail(f'{what} {search}: two events of one state')
    return result


def check_endless(number, macro, kinds):
    kept = set()
    for search in ((ERV,), SEARCHES[1 + number % (len(SEARCHES) - 1)], SEARCHES[0]):
        result = check(macro, [ENDLESS], search, kinds, flags='-D' + macro, limit=3000)
        if result is not None and search[0] == ERV:
            kept.add((result['kept'], result['cutoffs']))
    if len(kept) > 1:
        fail(f'{macro}: other events are kept: {kept}')


def check_states():
    for number, (domains, more, bodies) in enumerate(STATES):
        text = program(domains_of(domains), more, [b.replace('LL', L) for b in bodies])
        for search in ((ERV,), SEARCHES[number % len(SEARCHES)]):
            check(f'state {number}', [write('p.c', text)], search, ['assertion'])


def check_random():
    compared = 0
    for seed in range(SEED, SEED + COUNT):
        sketch = Sketch(seed, cells=seed % 2 == 0)
        file = write('p.c', '// seed %d\n' % seed + sketch.text())
        whole, _, _ = explore([file], f'--max-executions={MOST}')
        if not whole.get('finished'):
            continue
        kept = set()
        for search in ((ERV,), SEARCHES[seed % len(SEARCHES)]):
            result, _, _ = explore([file], *search, f'--max-executions={2 * MOST}')
            if result.get('stopped') in ('executions', 'race') or 'with --cutoffs' in str(result.get('uncontrolled')):
                break
            result = check(f'seed {seed}', [file], search)
            if result is None:
                break
            if found(result) != found(whole):
                fail(f'seed {seed} {search}: {found(result)}, and {found(whole)} without', sketch.text())
            if search[0] == ERV:
                kept.add((result['kept'], result['cutoffs']))
        else:
            compared += 1
        if len(kept) > 1:
            fail(f'seed {seed}: other events are kept: {kept}', sketch.text())
    if compared < COUNT / 4:
        fail(f'only {compared} of {COUNT} programs were compared')
    print(f'{compared} random programs')


def check_refused():
    for bodies, options, text in REFUSED:
        file = write('p.c', program({'x': (0, 3)}, 'static int s[2], t;', bodies))
        result, _, status = explore([file], ERV, *options)
        said = str(result.get('error')) + str(result.get('uncontrolled'))
        if status not in (2, 4) or text not in said:
            fail(f'{options}: {status} {said}')


parts = {program[0]: (check_endless, number, *program) for number, program in enumerate(PROGRAMS)}
parts |= {'states': (check_states,), 'refused': (check_refused,), 'random': (check_random,)}
for part in failures.chosen(parts, PARTS):
    parts[part][0](*parts[part][1:])
print(f'cutoffs: {len(failures)} failures')
sys.exit(1 if failures else 0)
