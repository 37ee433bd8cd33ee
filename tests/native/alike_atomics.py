#!/usr/bin/env python3
"""Random atomic operations in two front-ends: alike_atomics.py UNFOLD CALLBACKS-LIBRARY UNFOLD-MODEL CASES-FOLDER INCLUDE-FOLDER
[PROGRAMS [SEED]].

Each is a text of the model language and the words for a program in C that is compiled with callbacks; both must have the same numbers of
traces, deadlocks, livelocks and events, with every back-end and both optimal algorithms."""
import json
import os
import random
import subprocess
import sys
import tempfile

UNFOLD, CALLBACKS, MODEL, CASES, INCLUDE = (os.path.abspath(p) for p in sys.argv[1:6])
PROGRAMS = int(sys.argv[6]) if len(sys.argv) > 6 else 60
SEED = int(sys.argv[7]) if len(sys.argv) > 7 else 1
WAYS = [[*backend, *algorithm] for algorithm in (["--k", "optimal"], ["--algorithm", "odpor"])
        for backend in (["--backend", "threads"], ["--backend", "fibers"], ["--mode", "inprocess"])]
MOST = 1500

RELATIONS = {"=": "==", "!": "!=", "<": "<", "l": "<=", ">": ">", "g": ">="}
MEANING = {
    "L": "load(x{o});", "S": "store(x{o}, {a});", "E": "{{ int r = exchange(x{o}, {a}); }}", "A": "{{ int r = fetch_add(x{o}, {a}); }}",
    "D": "{{ int r = fetch_add(x{o}, -{a}); }}", "C": "{{ int r = cas(x{o}, {a}, {b}); }}",
    "P": "fetch_add(x{o}, {a});", "H": "{{ int r = load(x{o}); assume(r == {a}); }}",
    "I": "{{ int r = load(x{o}); if (r == {a}) store(x{o}, {b}); }}", "W": "{{ int r = await(x{o} {r} {a}); }}",
    "X": "{{ int r = exchange_await(x{o} {r} {a}, {b}); }}",
}


def program(draw):
    objects = draw.choice(["01", "12", "02", "0", "1", "2"])
    return [["".join([draw.choice("LSEADCCIIWXWPPH"), draw.choice(objects), str(draw.randrange(4)), str(draw.randrange(4)),
                      draw.choice(list(RELATIONS))]) for _ in range(draw.randint(1, 3))] for _ in range(draw.choice([2, 3, 3]))]


def text(threads):
    names = [f"t{i}" for i in range(len(threads))]
    lines = ["atomic int x0 = 0; atomic int x1 = 1; atomic int x2 = 2;",
             "thread main { " + " ".join(f"spawn({n});" for n in names) + " " + " ".join(f"join({n});" for n in names) + " }"]
    for name, thread in zip(names, threads):
        said = [MEANING[k].format(o=o, a=a, b=b, r=RELATIONS[r]) for k, o, a, b, r in thread]
        lines.append(f"thread {name} {{ " + " ".join(said) + " }")
    return "\n".join(lines) + "\n"


def counts(command):
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=100)
    try:
        result = json.loads(done.stdout)
    except ValueError:
        return done.stdout + done.stderr
    return [result[key] for key in ("finished", "traces", "complete", "deadlocks", "livelocks", "redundant", "events")]


def main():
    draw = random.Random(SEED)
    compared = wrong = blocked = commuted = 0
    library = os.path.dirname(CALLBACKS)
    compiler = os.environ.get("CC", "cc").split()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        subprocess.run([*compiler, "-g", "-O0", "-fsanitize=thread", "-I" + INCLUDE, "-c", f"{CASES}/alike_atomics.c", "-o", "alike.o"], check=True)
        subprocess.run([*compiler, "-pthread", "alike.o", "-L" + library, "-lunfold-callbacks", "-Wl,-rpath," + library, "-o", "alike"], check=True)
        for number in range(PROGRAMS):
            threads = program(draw)
            with open("p.unf", "w", encoding="utf-8") as file:
                file.write(text(threads))
            commuting = ["--ifaa"] * draw.randrange(2)
            expected = counts([MODEL, "--json", *commuting, "--max-executions", str(MOST), "p.unf"])
            if not expected[0]:
                continue
            words = ["./alike", *("".join(t) for t in threads)]
            seen = counts([UNFOLD, "--json", *commuting, *WAYS[number % len(WAYS)], "--", *words])
            compared += 1
            commuted += bool(commuting) and any(o[0] == "P" for t in threads for o in t)
            blocked += expected[4] > 0
            if seen != expected:
                wrong += 1
                print(f"FAIL {' '.join(words)}: {seen}, not {expected}\n{text(threads)}")
        os.chdir("/")
    print(f"{compared} programs compared, {blocked} of them with livelocks, {commuted} with additions that commute, {wrong} differ")
    return 1 if wrong or compared < PROGRAMS // 2 or min(blocked, commuted) < PROGRAMS // 10 else 0


sys.exit(main())
