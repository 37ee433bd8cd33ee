#!/usr/bin/env python3
"""Random atomic operations in two front-ends: alike_atomics.py UNFOLD CALLBACKS-LIBRARY
UNFOLD-MODEL CASES-FOLDER INCLUDE-FOLDER [PROGRAMS [SEED [instructions | plain]]].

Each is a text of the model language and the words for a program in C that is compiled with
callbacks; both must have the same numbers of traces, deadlocks, livelocks and events, with every
back-end and both optimal algorithms. `instructions`: compiled without callbacks, so that only
read-modify-writes are drawn, and seen as the instructions that they are. `plain`: also without
callbacks, and with loads and stores, which are plain instructions; those that nothing races with
are no events then."""
import os
import sys

import two_languages
from common import linked_with

UNFOLD, CALLBACKS, MODEL, CASES, INCLUDE = (os.path.abspath(p) for p in sys.argv[1:6])
PROGRAMS = int(sys.argv[6]) if len(sys.argv) > 6 else 60
SEED = int(sys.argv[7]) if len(sys.argv) > 7 else 1
PLAIN = sys.argv[8:] == ["plain"]
INSTRUCTIONS = PLAIN or sys.argv[8:] == ["instructions"]
KINDS = "LLRRRSEADCIINOY" if PLAIN else "SEADCNOY" if INSTRUCTIONS else "LSEADCCIIWXWPPHNOYQ"
WAYS = [[*backend, *algorithm] for algorithm in (["--k", "optimal"], ["--algorithm", "odpor"])
        for backend in (["--backend", "threads"], ["--backend", "fibers"], ["--mode", "inprocess"])]

SIZES = {"0": 1, "1": 4, "2": 8, "3": 4, "4": 2, "5": 1}
SHARED = {"4": "overlay x4 = x3[0..1];", "5": "overlay x5 = x3[1..1];"}
NUMBERS = [0, 1, 2, 3, -1, 255, 256]
RELATIONS = {"=": "==", "!": "!=", "<": "<", "l": "<=", ">": ">", "g": ">="}
MEANING = {
    "L": "load(x{o});", "S": "store(x{o}, {a});", "R": "store(x{o}, {a});", "E": "{{ int r = exchange(x{o}, {a}); }}", "A": "{{ int r = fetch_add(x{o}, {a}); }}",
    "D": "{{ int r = fetch_add(x{o}, -({a})); }}", "C": "{{ int r = cas(x{o}, {a}, {b}); }}",
    "N": "{{ int r = fetch_and(x{o}, {a}); }}", "O": "{{ int r = fetch_or(x{o}, {a}); }}", "Y": "{{ int r = fetch_xor(x{o}, {a}); }}",
    "Q": "{{ int r = fetch_nand(x{o}, {a}); }}", "P": "fetch_add(x{o}, {a});", "H": "{{ int r = load(x{o}); assume(r == {a}); }}",
    "I": "{{ int r = load(x{o}); if (r == {a}) store(x{o}, {b}); }}", "W": "{{ int r = await(x{o} {r} {a}); }}",
    "X": "{{ int r = exchange_await(x{o} {r} {a}, {b}); }}",
}


def program(draw):
    objects = draw.choice(["01", "12", "02", "0", "1", "2", "34", "35", "45", "345"])
    most = len(NUMBERS) if objects[0] in "345" else 4
    return [["".join([draw.choice(KINDS), draw.choice(objects), str(draw.randrange(most)), str(draw.randrange(most)),
                      draw.choice(list(RELATIONS))]) for _ in range(draw.randint(1, 3))] for _ in range(draw.choice([2, 3, 3]))]


def number(digit, o):
    """As C converts it to the object's type."""
    value = NUMBERS[int(digit)] % 256 ** SIZES[o]
    return value - 256 ** SIZES[o] * (value >= 256 ** SIZES[o] // 2)


def drawn(draw, number_of_program):
    threads = program(draw)
    used = {o for t in threads for _, o, _, _, _ in t}
    objects = ("atomic int x0 : 1 = 0; atomic int x1 : 4 = 1; atomic int x2 = 2; atomic int x3 : 4 = 257; "
               + " ".join(line for o, line in SHARED.items() if o in used))
    said = [" ".join(MEANING[k].format(o=o, a=number(a, o), b=number(b, o), r=RELATIONS[r]) for k, o, a, b, r in thread) for thread in threads]
    model = two_languages.text(objects, [f"t{i}" for i in range(len(threads))], said)
    options = [] if INSTRUCTIONS else ["--ifaa"] * draw.randrange(2)
    way = WAYS[number_of_program % len(WAYS)] + (["--atomics", "all" if PLAIN else "rmw"] if INSTRUCTIONS else [])
    return model, options, way, ["".join(t) for t in threads]


def main():
    compiler = os.environ.get("CC", "cc").split()
    compilation = [[*compiler, "-g", "-O0", *([] if INSTRUCTIONS else ["-fsanitize=thread"]), "-I" + INCLUDE, "-c", f"{CASES}/alike_atomics.c", "-o", "alike.o"],
                   [*compiler, "-pthread", "alike.o", *linked_with(CALLBACKS), "-o", "alike"]]
    compared, wrong = two_languages.compare((UNFOLD, MODEL), compilation, PROGRAMS, SEED, drawn, ["events"] if PLAIN else [])
    blocked = sum(seen["livelocks"] > 0 for _, seen in compared)
    commuted = sum(bool(options) and any(word[i] == "P" for word in words for i in range(0, len(word), 5)) for (_, options, _, words), _ in compared)
    again = sum(seen["restarts"] > 0 for _, seen in compared)
    print(f"{len(compared)} programs compared, {blocked} of them with livelocks, {commuted} with additions that commute, "
          f"{again} with objects that overlap, {wrong} differ")
    floors = (again,) if INSTRUCTIONS else (blocked, commuted, again)
    return 1 if wrong or len(compared) < PROGRAMS // 2 or min(floors) < PROGRAMS // 10 else 0


sys.exit(main())
