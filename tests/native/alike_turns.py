#!/usr/bin/env python3
"""Random loops that wait for other threads under a lock, and sleep, in two front-ends:
alike_turns.py UNFOLD UNFOLD-MODEL [PROGRAMS [SEED]].

Each is a thread in C, compiled without callbacks, whose loop has no end, and a text of the model
language in which the thread stops for ever where it is about to begin another turn after two in a
row in which it found every lock free and the same values of atomic objects. Both must have the same
traces and events, as many of them complete, with one back-end after the other."""
import os
import random
import sys

from common import AT_LEISURE, BACKENDS, check, compiled, in_own_folder, result_of, run

UNFOLD, MODEL = (os.path.abspath(p) for p in sys.argv[1:3])
PROGRAMS = int(sys.argv[3]) if len(sys.argv) > 3 else 16
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 1

HEAD = """#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
static atomic_int lock[2], x[2];
static volatile int behind[2]; /* each lock */
#define TAKE(i) do { while (atomic_exchange(&lock[i], 1)) continue; } while (0)
#define SET(o, v) atomic_store_explicit(&(o), (v), memory_order_release)
#define GET(o) atomic_load_explicit(&(o), memory_order_acquire)
"""
OBJECTS = "atomic int lock0 : 4, lock1 : 4, x0 : 4, x1 : 4; shared int behind0, behind1;\n"
TAKE = "was = exchange(lock{0}, 1); while (was != 0) {{ {1} await(lock{0} != 1); was = exchange(lock{0}, 1); }}"


def draw_turn(draw, written):
    """What a turn does: a lock with what is read under it, or what is read without."""
    parts = [("locked", draw.randrange(2), draw.choice(["behind", *written])) for _ in range(draw.choice([1, 1, 2]))]
    if written and draw.random() < 0.4:
        parts.insert(draw.randrange(len(parts) + 1), ("read", draw.choice(written), None))
    return parts


def read(what, i):
    return f"behind[{i}]" if what == "behind" else f"GET(x[{what}])", f"behind{i}" if what == "behind" else f"load(x{what})"


def poller(parts, wanted):
    """In C and as a model. The loop ends when that part reads what is wanted."""
    part, value = wanted
    c, model, same = [], [], []
    for n, (kind, i, what) in enumerate(parts):
        if kind == "read":
            c.append(f"const int v{n} = GET(x[{i}]);")
            model.append(f"v{n} = load(x{i});")
        else:
            there, here = read(what, i)
            c.append(f"TAKE({i}); const int v{n} = {there}; SET(lock[{i}], 0);")
            model.append(f"{TAKE.format(i, f'lost = {1 if n == 0 else 2};')} v{n} = {here}; store(lock{i}, 0);")
        if what != "behind":  # it is no atomic object
            same.append(f"v{n} == p{n}")
    used = " ".join(f"(void)v{n};" for n in range(len(parts)))
    keep = " ".join(f"p{n} = v{n};" for n in range(len(parts)))
    registers = ", ".join(f"v{n}, p{n}" for n in range(len(parts)))
    return (f"for (;;) {{ {' '.join(c)} {used} if (v{part} == {value}) return u; usleep(1000); }}",
            f"int was, lost, calm, {registers}; while (1) {{ assume(calm < 2); lost = 0; {' '.join(model)} if (v{part} == {value}) break; "
            f"if (lost == 2) calm = 0; else if (lost == 1 || calm == 0 || !({' && '.join(same) or 1})) calm = 1; else calm = calm + 1; {keep} }}")


def answerer(draw, steps):
    c, model = [], []
    for kind, i in steps:
        if kind == "behind":
            c.append(f"TAKE({i}); behind[{i}] = 1; SET(lock[{i}], 0);")
            model.append(f"{TAKE.format(i, '')} behind{i} = 1; store(lock{i}, 0);")
        else:
            value = draw.randint(1, 2)
            c.append(f"SET(x[{i}], {value});")
            model.append(f"store(x{i}, {value});")
    return " ".join(c) + " return u;", "int was; " + " ".join(model)


def program(draw):
    """The bodies of its threads, each in both languages."""
    steps = [[(draw.choice(["behind", "behind", "x"]), draw.randrange(2)) for _ in range(count)] for count in draw.choice([[1], [2], [2], [1, 1]])]
    written = sorted({i for s in steps for kind, i in s if kind == "x"})
    parts = draw_turn(draw, written)
    # What nobody reads is no event.
    looked_at = {what if kind == "locked" else i for kind, i, what in parts}
    steps = [[(kind, i) for kind, i in s if kind == "behind" or i in looked_at] for s in steps]
    part = draw.randrange(len(parts))
    value = 1 if parts[part][2] == "behind" else draw.randint(1, 2)
    threads = [poller(parts, (part, value))] + [answerer(draw, s) for s in steps]
    draw.shuffle(threads)
    return threads


def tests():
    draw = random.Random(SEED)
    programs = [program(draw) for _ in range(PROGRAMS)]
    with open("loops.c", "w", encoding="utf-8") as file:
        file.write(HEAD)
        for n, threads in enumerate(programs):
            for i, (c, _) in enumerate(threads):
                file.write(f"static void *t{n}_{i}(void *u) {{ {c} }}\n")
        file.write("static void *(*const bodies[][4])(void *) = {\n")
        for n, threads in enumerate(programs):
            file.write("{" + ", ".join(f"t{n}_{i}" for i in range(len(threads))) + "},\n")
        file.write("};\nint main(int argc, char **argv) {\n  pthread_t t[4];\n  const int n = atoi(argv[argc - 1]);\n"
                   "  for (int i = 0; i < 4 && bodies[n][i] != NULL; i++) pthread_create(&t[i], NULL, bodies[n][i], NULL);\n"
                   "  for (int i = 0; i < 4 && bodies[n][i] != NULL; i++) pthread_join(t[i], NULL);\n}\n")
    compiled("gcc", "-O1", "-Wall", "-pthread", "loops.c", "-o", "loops")
    stopped = 0
    for n, threads in enumerate(programs):
        names = [f"t{i}" for i in range(len(threads))]
        with open("loops.unf", "w", encoding="utf-8") as file:
            file.write(OBJECTS + "thread main { " + " ".join(f"spawn({t});" for t in names) + " " + " ".join(f"join({t});" for t in names) + " }\n")
            for name, (_, model) in zip(names, threads):
                file.write(f"thread {name} {{ {model} }}\n")
        model = result_of(run(MODEL, "--json", "loops.unf"))
        check(f"{n}: model", model.get("finished"), (model, threads))
        result = result_of(run(UNFOLD, "--json", "--trace-dir", "traces", *AT_LEISURE, "--atomics", "all", *BACKENDS[n % 3], "--", "./loops", str(n)))
        counts = [(r.get("traces"), r.get("complete"), r.get("events"), len(r["defects"])) for r in (result, model)]
        check(f"{n} {BACKENDS[n % 3]}", result["finished"] and counts[0] == counts[1], (counts, result.get("uncontrolled"), result.get("unseen"), threads))
        stopped += "waiting loops" in [u["why"] for u in result["unseen"]]
    check("loops are stopped", stopped > PROGRAMS / 3, stopped)


sys.exit(in_own_folder(tests))
