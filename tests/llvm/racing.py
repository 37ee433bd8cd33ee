"""Races explored as atomics: racing.py UNFOLD_SYM SOLVER CLANG [SEED [COUNT]].

Random programs whose threads load and store plain variables have, with --races-as-atomics, the
executions of the same program with atomic ones, and where they have regions that are not
interrupted, the final states of the program whose accesses all are regions."""
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile

UNFOLD, SOLVER, CLANG = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 1
COUNT = int(sys.argv[5]) if len(sys.argv) > 5 else 10
ALIKE = ('traces', 'complete', 'blocked', 'errors', 'redundant')
HEAD = r'''
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
#ifdef REGIONS
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
#endif
#ifdef ATOMIC
static atomic_int x, y, table[3];
#define GET(place) atomic_load(&place)
#define SET(place, value) atomic_store(&place, value)
#elif defined APART
static int x, y, table[3];
static int get(int *place) {
  __VERIFIER_atomic_begin();
  const int value = *place;
  __VERIFIER_atomic_end();
  return value;
}
static void set(int *place, int value) {
  __VERIFIER_atomic_begin();
  *place = value;
  __VERIFIER_atomic_end();
}
#define GET(place) get(&place)
#define SET(place, value) set(&place, value)
#else
static int x, y, table[3];
#define GET(place) (place)
#define SET(place, value) ((place) = (value))
#endif
#ifdef REGIONS
#define BOTH(place, other) (__VERIFIER_atomic_begin(), (place) = (other) + 1, __VERIFIER_atomic_end())
#else
#define BOTH(place, other) (void)0
#endif
static int input;
'''
failures = []
with_inputs = set()
compared = 0


def place(draw):
    return draw.choice(['x', 'y', 'table[1]', 'table[input]'])


def statement(draw):
    kind = draw.randrange(5)
    if kind == 0:
        return f'SET({place(draw)}, {draw.randrange(1, 4)});'
    if kind == 1:
        return f'if (GET({place(draw)}) == {draw.randrange(3)}) SET({place(draw)}, 3);'
    if kind == 2:
        return f'own = GET({place(draw)});'
    if kind == 3:
        return f'SET({place(draw)}, own + 1);'
    return f'BOTH({draw.choice("xy")}, {draw.choice("xy")});'


def program(draw, name):
    """A function that is the program: each final state is an assertion of its own line."""
    threads = draw.randrange(2, 4)
    text = ''
    for i in range(threads):
        body = ' '.join(statement(draw) for _ in range(draw.randrange(1, 4 if threads == 2 else 3)))
        text += f'static void *{name}_{i}(void *a) {{ int own = 0; {body} return a; }}\n'
    text += f'static void {name}(void) {{\n  pthread_t t[3];\n'
    if draw.randrange(4) == 0:
        with_inputs.add(name)
        text += '  input = __VERIFIER_nondet_int();\n  if (input < 0 || input > 2) abort();\n'
    for i in range(threads):
        text += f'  pthread_create(&t[{i}], 0, {name}_{i}, 0);\n'
    for i in range(threads):
        text += f'  pthread_join(t[{i}], 0);\n'
    text += '  const int last = GET(x), other = GET(y);\n'
    for state in itertools.product(range(5), repeat=2):
        text += '  if (last == %d && other == %d)\n    reach_error();\n' % state
    return text + '}\n'


def write(path):
    names = [f'p{SEED + i}' for i in range(COUNT)]
    with open(path, 'w') as file:
        file.write(HEAD)
        for i, name in enumerate(names):
            file.write(program(random.Random(SEED + i), name))
        file.write('int main(int argc, char **argv) {\n')
        for name in names:
            file.write(f'  if (strcmp(argv[1], "{name}") == 0) {name}();\n')
        file.write('  return 0;\n}\n')
    return names


def translate(source, flags):
    path = source + flags.replace(' ', '') + '.bc'
    subprocess.run([CLANG, '-O0', '-g', '-w', *flags.split(), '-emit-llvm', '-c', '-o', path, source], check=True)
    return path


def explore(path, name, *options):
    done = subprocess.run([UNFOLD, '--json', '--solver', SOLVER, '--aborts=end', '--max-executions=3000', *options, path, '--', name],
                          capture_output=True, text=True)
    return json.loads(done.stdout)


def states(result):
    return sorted(thread['place'] for d in result['defects'] if d['kind'] == 'assertion' for thread in d['threads'])


def compare(name, twin_path, plain_path, counts):
    """Regions of one lock order what does not race, too, and the place of an atomic is known also
    where it does not race: then only the final states are compared."""
    global compared
    twin = explore(twin_path, name)
    plain = explore(plain_path, name, '--races-as-atomics')
    if not twin['finished']:
        return
    compared += 1
    both = [[result[count] for count in counts] + states(result) for result in (twin, plain)]
    if both[0] != both[1] or not plain['finished'] or 'race' in {d['kind'] for d in twin['defects']}:
        failures.append(f'{name}: {both[0]}, as races {both[1]}')


with tempfile.TemporaryDirectory() as folder:
    source = os.path.join(folder, 'programs.c')
    words = write(source)
    for flags, twin_flags, counted in (('', '-DATOMIC', ALIKE), ('-DREGIONS', '-DREGIONS -DAPART', ())):
        plain_program, twin_program = translate(source, flags), translate(source, twin_flags)
        for word in words:
            compare(word, twin_program, plain_program, () if word in with_inputs else counted)
print('\n'.join(failures))
print(f'racing: {COUNT} programs, {compared} explorations compared, {len(failures)} differ')
sys.exit(1 if failures or compared < COUNT else 0)
