#!/usr/bin/env python3
"""Random stores by code that is not changed, beside operations that are seen:
alike_unseen.py UNFOLD CASES-FOLDER [PROGRAMS [SEED]].

Each program is built twice, with the stores by a function of C, and by one that nothing is known of
and to which only a pointer leads (sites_unseen.c). Between two operations of a thread there is at
most one such store, since the order of two in a row is not known; each value is written once, and
all objects are read in the end, so that every store can be noticed. Both must have the same traces
and events, with one back-end after the other."""
import os
import random
import sys

from common import AT_LEISURE, BACKENDS, check, compiled, in_own_folder, result_of, run

UNFOLD, CASES = (os.path.abspath(p) for p in sys.argv[1:3])
PROGRAMS = int(sys.argv[3]) if len(sys.argv) > 3 else 12
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 1

with open(os.path.join(CASES, "sites_unseen.c"), encoding="utf-8") as case:
    HEAD = case.read().split("static volatile int word;")[0] + "static volatile int a, b;\n"
MAIN = """int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, work0, NULL);
  pthread_create(&threads[1], NULL, work1, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  return (a + b) & 0;
}
"""
ADD = "__atomic_fetch_add(&{0}, 1000, __ATOMIC_SEQ_CST);"


def lines_of(draw, objects, values):
    """What a thread does; it has come to each object before."""
    lines, put = [ADD.format(o) for o in objects], False
    for _ in range(draw.randint(2, 4)):
        o, kind = draw.choice(objects), draw.choice(("put", "put", "store", "load", "load", "add"))
        if kind == "put" and put:
            continue
        put = kind == "put"
        values.append(len(values) + 1)
        lines.append({"put": f"put(&{o}, {values[-1]});", "store": f"{o} = {values[-1]};", "load": f"got = {o};", "add": ADD.format(o)}[kind])
    return lines


def program(draw):
    objects, values = draw.choice((["a"], ["a", "b"], ["a", "b"])), []
    text = HEAD
    for i in range(2):
        lines = "".join(f"  {line}\n" for line in lines_of(draw, objects, values))
        text += f"static void *work{i}(void *unused) {{\n  int got = 0;\n{lines}  (void)got;\n  return unused;\n}}\n"
    return text + MAIN


def tests():
    draw, noticed = random.Random(SEED), 0
    for i in range(PROGRAMS):
        with open("drawn.c", "w", encoding="utf-8") as file:
            file.write(program(draw))
        results = []
        for name, flags in ("seen", ["-DSEEN"]), ("unseen", []):
            compiled("gcc", "-g", "-O1", "-w", "-pthread", *flags, "drawn.c", "-o", name)
            results.append(result_of(run(UNFOLD, "--json", "--atomics", "all", *AT_LEISURE, *BACKENDS[i % len(BACKENDS)], "--", f"./{name}")))
        seen, unseen = results
        noticed += unseen.get("restarts", 0) > seen.get("restarts", 0)
        with open("drawn.c", encoding="utf-8") as file:
            same = seen["finished"] and unseen["finished"] and (seen["traces"], seen["events"]) == (unseen["traces"], unseen["events"])
            check(f"program {i}", same, (seen["traces"], unseen["traces"], unseen, file.read()))
    check("stores are noticed", noticed * 2 >= PROGRAMS, noticed)
    print(f"{PROGRAMS} programs, stores noticed in {noticed}")


sys.exit(in_own_folder(tests))
