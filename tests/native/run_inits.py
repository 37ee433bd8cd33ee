#!/usr/bin/env python3
"""Initialisations while other threads run:
run_inits.py UNFOLD UNFOLD-MODEL CASES-FOLDER [PROGRAMS [SEED]].

Cases with counts that were worked out by hand, in all back-ends; then random programs, each beside
a model in which the place of the object is an atomic: to initialise it stores 1, and each use loads
it and asserts that."""
import json
import os
import random
import re
import sys

import two_languages
from common import check, compiled, in_own_folder, run

UNFOLD, MODEL, CASES = (os.path.abspath(p) for p in sys.argv[1:4])
PROGRAMS = int(sys.argv[4]) if len(sys.argv) > 4 else 60
SEED = int(sys.argv[5]) if len(sys.argv) > 5 else 1
# `restarts` counts also what a higher level finds out about memory.
OFF = ["--atomics", "off"]
BACKENDS = (["--backend", "threads", *OFF], ["--backend", "fibers", *OFF], ["--mode", "inprocess", *OFF])
NAMES = {"m": "mutex", "s": "spin lock", "c": "condition variable", "p": "semaphore", "b": "barrier", "k": "rwlock"}


def explore(words, how, status):
    program = "./tries" if words[0].startswith("tried") else "./inits"
    done = run(UNFOLD, "--json", *how, "--", program, *words)
    check(f"{words} {how}: status {status}", done.returncode == status, (done.returncode, done.stdout, done.stderr))
    return json.loads(done.stdout)


def one(words, traces, complete, restarts, found):
    """found: pairs of a number of executions and what is said."""
    for how in BACKENDS:
        for algorithm in (["--algorithm", "odpor"], ["--order", "random"]) if how == BACKENDS[1] else ([],):
            seen = explore(words, how + algorithm, 1 if found else 0)
            counts = [seen[key] for key in ("traces", "complete", "restarts", "redundant", "finished", "uncontrolled")]
            check(f"{words} {how} {algorithm}", counts == [traces, complete, restarts, 0, True, None], counts)
            texts = [(d["count"], d["text"]) for d in seen["defects"]]
            good = len(texts) == len(found) and all(any(c == n and re.search(w, t) for n, t in texts) for c, w in found)
            check(f"{words} {how} {algorithm}: findings", good, texts)


def kinds():
    """Who is first, of a use and an initialisation; and an initialisation by the only thread."""
    for kind, name in NAMES.items():
        # After it two locks are in one of two orders; signals, posts and readers are in none.
        orders = 2 if kind in "ms" else 1
        early = [(1, f"^a {name} is used before it was initialised$")]
        one([kind, "Iu", "u"], orders + 1, orders, 1, early)
        # The user comes later in any case, since it waits for the initialisation.
        one([kind, "IPu", "Qu"], orders, orders, 0, [])
        one([kind.upper(), "u", "u"], orders, orders, 0, [])
        done = run(UNFOLD, "--replay", "trace-1.unfs", "--", "./inits", kind, "Iu", "u")
        said = f"a {name} is used before" in done.stdout and re.search(rf"read .* initialisation of {name.split()[0]}", done.stdout)
        check(f"{name}: replay", done.returncode == 1 and said, done)


CASE = [
    ("on-heap", 2, 1, 2, [(1, "a mutex is used before")]), ("on-stack", 2, 1, 1, [(1, "a mutex is used before")]),
    ("c11", 2, 1, 1, [(1, "a mutex is used before")]), ("garbage", 1, 0, 0, [(1, "a mutex is used before")]),
    # The use is a load, lock, load and unlock; the second initialisation a store, and a trylock and
    # unlock of the first.
    ("again-mutex", 5, 2, 1, [(1, "a mutex is used before"), (2, "a mutex is initialised while it is held"), (1, "does not hold")]),
    ("again-spin", 5, 2, 1, [(1, "a spin lock is used before"), (2, "a spin lock is initialised while it is held"), (1, "does not hold")]),
    ("again-rwlock", 5, 2, 1, [(1, "a rwlock is used before"), (2, "a rwlock is initialised while it is held"), (1, "does not hold")]),
    ("again-condition", 3, 0, 1, [(1, "a condition variable is used before"), (1, "initialised while threads wait for it")]),
    ("again-barrier", 3, 0, 1, [(1, "a barrier is used before"), (1, "initialised while threads wait for it")]),
    ("barrier-gone", 4, 0, 1, [(3, "a barrier is used after it was destroyed"), (1, "a barrier is destroyed while threads wait")]),
    ("handed-over", 3, 3, 0, []), ("memory-again", 1, 1, 0, []), ("unseen", 2, 2, 2, []),
    ("joined-again", 1, 0, 0, [(1, "that it has joined already")]), ("tried-again", 1, 0, 0, [(1, "that it has joined already")]),
    # Tried before the end; or the thread that joins comes first, or the one that tries.
    ("tried-beside", 3, 1, 1, [(1, "only one of them can join it"), (1, "only one of them can join it")]),
]


def cases():
    for name, *wanted in CASE:
        one([name], *wanted)
    done = run(UNFOLD, "--", "./inits", "m", "Iu", "u")
    check("said", "objects are used and initialised in no order: begun again 1 time with their init" in done.stdout, done)
    done = run(UNFOLD, *OFF, "--", "./inits", "unseen")
    check("not seen: said", "what orders them is not seen" in done.stdout, done)


USE = "{{ int r = load(i); assert(r == 1); }} "
USES = {
    "mu": USE + "lock(x); " + USE + "unlock(x);", "mv": USE + "{{ int t = trylock(x); if (t) {{ " + USE + "unlock(x); }} }}",
    "cu": USE + "signal(x);", "cv": "lock(g); " + USE + "wait(x, g); unlock(g);", "pu": USE + "post(x);", "pv": USE + "sem_wait(x);",
    "ku": USE + "rdlock(x); " + USE + "unlock(x);", "kv": USE + "wrlock(x); " + USE + "unlock(x);",
}
OTHERS = {"I": "store(i, 1);", "g": "lock(g); unlock(g);", "P": "post(z);", "Q": "sem_wait(z);"}
OBJECTS = {"m": "mutex x;", "s": "mutex x;", "c": "cond x;", "p": "semaphore x = 1;", "k": "rwlock x;"}


def drawn(draw):
    """A model, and words; the object is initialised once."""
    kind = draw.choice(list(OBJECTS))
    letters = draw.choice(["uv", "uug", "uvg", "uvPQ"])
    threads = ["".join(draw.choice(letters) for _ in range(draw.randint(0, 3))) for _ in range(draw.choice([2, 2, 3]))]
    number = draw.randrange(len(threads))
    at = draw.randint(0, len(threads[number]))
    threads[number] = threads[number][:at] + "I" + threads[number][at:]
    said = [" ".join(OTHERS.get(o) or USES[kind.replace("s", "m") + o].format() for o in word) for word in threads]
    objects = f"{OBJECTS[kind]} mutex g; semaphore z = 0; atomic int i;"
    return two_languages.text(objects, [f"t{i}" for i in range(len(threads))], said), [kind, *threads]


def compare():
    draw = random.Random(SEED)
    keys, compared, unordered = ("traces", "complete", "deadlocks", "errors", "redundant"), 0, 0
    for number in range(PROGRAMS):
        model_text, words = drawn(draw)
        with open("p.unf", "w", encoding="utf-8") as file:
            file.write(model_text)
        expected = two_languages.explore([MODEL, "--json", "--max-executions", "1500", "p.unf"])
        seen = two_languages.explore([UNFOLD, "--json", *BACKENDS[number % 3], "--", "./inits", *words])
        if expected.get("finished") is not True:
            check(f"model of {words}", "errors" in expected, f"{expected}\n{model_text}")
            continue
        # A use that always comes first is none of an object that others initialise.
        if seen["restarts"] == 0 and expected["errors"] > 0:
            continue
        compared += 1
        unordered += seen["restarts"]
        same = keys + ("events",) if seen["restarts"] > 0 else keys
        check(f"random {words}", [seen[k] for k in same] == [expected[k] for k in same],
              f"{[seen[k] for k in same]}, not {[expected[k] for k in same]}\n{model_text}")
    print(f"{compared} programs compared, in {unordered} of them a use may come first")
    check("enough programs", 2 * compared > PROGRAMS and 4 * unordered > PROGRAMS, (compared, unordered))


def main():
    compiler = os.environ.get("CC", "cc").split()
    for name, flags in ("inits", []), ("tries", ["-DTRIES"]):
        compiled(*compiler, "-g", "-O0", "-pthread", *flags, f"{CASES}/inits.c", "-o", name)
    kinds()
    cases()
    compare()


sys.exit(in_own_folder(main))
