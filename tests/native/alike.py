#!/usr/bin/env python3
"""Random programs in two front-ends: alike.py UNFOLD UNFOLD-MODEL CASES-FOLDER [PROGRAMS [SEED]].

Each is a text of the model language and a program in C; both must have the same number of traces,
deadlocks and events."""
import os
import sys

import two_languages

UNFOLD, MODEL, CASES = (os.path.abspath(p) for p in sys.argv[1:4])
PROGRAMS = int(sys.argv[4]) if len(sys.argv) > 4 else 40
SEED = int(sys.argv[5]) if len(sys.argv) > 5 else 1
BACKENDS = (["--backend", "threads"], ["--backend", "fibers"], ["--mode", "inprocess"])

# letter of an operation: how it is said in the model language, with the digits behind the letter
MEANING = {
    "L": "lock(m[{0}]);", "U": "unlock(m[{0}]);", "W": "wait(c[{0}], m[{1}]);", "V": "timedwait(c[{0}], m[{1}]);", "S": "signal(c[{0}]);",
    "B": "broadcast(c[{0}]);", "R": "rdlock(k[{0}]);", "X": "wrlock(k[{0}]);", "u": "unlock(k[{0}]);", "P": "post(s{0});", "Q": "sem_wait(s{0});",
    "q": "trywait(s{0});", "A": "arrive(b);",
    "T": "{{ int r = trylock(m[{0}]); if (r) unlock(m[{0}]); }}", "D": "{{ int r = timedlock(m[{0}]); if (r) unlock(m[{0}]); }}",
    "r": "{{ int r = tryrdlock(k[{0}]); if (r) unlock(k[{0}]); }}", "x": "{{ int r = trywrlock(k[{0}]); if (r) unlock(k[{0}]); }}",
}


def block(draw, kinds):
    """Some operations of a thread that leave nothing locked."""
    kind, a, b = draw.choice(kinds), draw.randrange(2), draw.randrange(2)
    if kind == "mutex":
        inside = draw.choice(["", f"S{b}", f"B{b}", f"W{b}{a}", f"V{b}{a}", f"P{b}", f"T{1 - a}", f"L{1 - a} U{1 - a}"])
        return draw.choice([[f"L{a}", *inside.split(), f"U{a}"]] * 3 + [[f"T{a}"], [f"D{a}"]])
    if kind == "notify":
        return [draw.choice([f"S{a}", f"B{a}"])]
    if kind == "rwlock":
        inside = draw.choice(["", f"P{b}", f"r{1 - a}", f"T{b}"])
        return draw.choice([[f"R{a}", *inside.split(), f"u{a}"], [f"X{a}", *inside.split(), f"u{a}"], [f"r{a}"], [f"x{a}"]])
    return [draw.choice([f"P{b}", f"Q{b}", f"q{b}"])]


def program(draw):
    kinds = draw.sample(["mutex", "mutex", "mutex", "notify", "rwlock", "semaphore"], 3)
    count = draw.choice([2, 2, 3])
    rounds = draw.choice([0, 0, 1])
    threads = []
    for _ in range(count):
        blocks = [block(draw, kinds) for _ in range(draw.randint(1, 3))]
        for _ in range(rounds):
            blocks.insert(draw.randint(0, len(blocks)), ["A0"])
        threads.append([operation for b in blocks for operation in b])
    return threads


def text(threads):
    objects = "\n".join(["mutex m[3]; cond c[3]; rwlock k[3]; semaphore s0 = 0; semaphore s1 = 1; semaphore s2 = 2;", f"barrier b = {len(threads)};"])
    return two_languages.text(objects, [f"t{i}" for i in range(len(threads))],
                              [" ".join(MEANING[o[0]].format(*o[1:]) for o in thread) for thread in threads])


def drawn(draw, number):
    threads = program(draw)
    return text(threads), [], BACKENDS[number % len(BACKENDS)], [str(len(threads)), *("".join(t) for t in threads)]


def main():
    compilation = [[*os.environ.get("CC", "cc").split(), "-g", "-O0", "-pthread", f"{CASES}/alike.c", "-o", "alike"]]
    compared, wrong = two_languages.compare((UNFOLD, MODEL), compilation, PROGRAMS, SEED, drawn)
    print(f"{len(compared)} programs compared, {wrong} differ")
    return 1 if wrong or len(compared) < PROGRAMS // 2 else 0


if __name__ == "__main__":
    sys.exit(main())
