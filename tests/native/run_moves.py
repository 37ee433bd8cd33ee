#!/usr/bin/env python3
"""Loads and stores of code without callbacks: run_moves.py UNFOLD CALLBACKS-LIBRARY UNFOLD-MODEL
PROGRAMS-FOLDER CASES-FOLDER [PART …]."""
import json
import os
import re
import sys

from common import AT_LEISURE, BACKENDS, check, compiled, in_own_folder, perform, result_of, run

UNFOLD, CALLBACKS, MODEL, PROGRAMS, CASES = (os.path.abspath(p) for p in sys.argv[1:6])
ALL = ["--atomics", "all"]

ADD = "int r = load(count); store(count, r + 1);"
LOCKED = "int was = exchange(held, 1); while (was != 0) { await(held != 1); was = exchange(held, 1); } {0} store(held, 0);"
ADD_BOTH = "int a = load(first); int b = load(second); store(second, b + 1); store(first, a + 1);"
PATIENT = "int r = load(flag); if (r == 0) { r = load(flag); if (r == 0) r = load(flag); }"
LOOK = ("{ was = exchange(held, 1); while (was != 0) { await(held != 1); was = exchange(held, 1); } "
        "r = seen; store(held, 0); if (r == 0) { {0} } }")
# What each case does, of each thread; then main, after both; and how many executions fail.
CASES_AS_MODELS = {
    "store-then-load": ("store(x, 1); int r = load(y);", "store(y, 1); int r = load(x);", ""),
    "load-then-store": ("int r = load(y); if (r == 0) { store(x, 1); int i = load(inside); store(inside, i + 1); }",
                        "int r = load(x); if (r == 0) { store(y, 1); int i = load(inside); store(inside, i + 1); }",
                        "int i = load(inside); assert(i <= 1);"),
    "publish": ("store(flag, 1);", "int r = load(flag);", ""),
    "spin": ("store(flag, 1);", "int r = load(flag); if (r == 0) await(flag != 0);", ""),
    "sequence": ("store(sequence, 1); store(first, 1); store(second, 1); store(sequence, 2);",
                 "int s = load(sequence); int a = load(first); int b = load(second); "
                 "if (s % 2 == 0) { int t = load(sequence); assert(t != s || a == b); }", ""),
    "add": (ADD, ADD, "int r = load(count); assert(r == 2);"),
    "locked": (LOCKED.replace("{0}", ""), LOCKED.replace("{0}", ""), ""),
    "vectors": (ADD_BOTH, ADD_BOTH, "int a = load(first); assert(a == 2); int b = load(second); assert(b == 2);"),
    "copies": (ADD_BOTH, ADD_BOTH, "int a = load(first); assert(a == 2); int b = load(second); assert(b == 2);"),
    "letters": (ADD, ADD, "int r = load(count); assert(r == 2);"),
    "halves": ("store(first, 1); store(second, 1); store(first, 5);", "int a = load(first); int i = fetch_add(inside, 1); int b = load(second);", ""),
    "compares": (ADD_BOTH, "int a = load(first); int b = load(second);", ""),
    "update": (ADD, "int r = load(count); assert(r == 1);", ""),
    "patient": ("store(flag, 1);", PATIENT, ""),
    "counting": ("store(flag, 1);", PATIENT, ""),
    "key": ("store(flag, 1);", PATIENT, ""),
    "dozing": (LOCKED.replace("{0}", "seen = 1;"), "int was, r; " + LOOK.replace("{0}", LOOK.replace("{0}", LOOK.replace("{0}", ""))), ""),
    "sleeping": (LOCKED.replace("{0}", "seen = 1;"), "int was, r; " + LOOK.replace("{0}", LOOK.replace("{0}", "assume(0);")), ""),
}
# At -O0 the first turn of their waits for the lock has another state on the stack, and is no wait.
OPTIMISED = ("locked", "dozing", "sleeping")


def build(name, *flags, source=None):
    compiler = "g++" if (source or name).endswith("pp") else "gcc"
    compiled(compiler, "-g", "-Wall", "-Wextra", os.path.join(CASES, source or name), "-pthread", *flags)


def explore(*words):
    return result_of(run(UNFOLD, "--json", "--trace-dir", "traces", *AT_LEISURE, *words))


def shown(result):
    return {key: result.get(key) for key in ("traces", "blocked", "errors", "deadlocks", "livelocks", "restarts", "uncontrolled", "atomics", "unseen")}


def model_of(case):
    """It has the traces and errors of its model, with every back-end."""
    one, other, after = CASES_AS_MODELS[case]
    with open("model.unf", "w", encoding="utf-8") as file:
        file.write("atomic int x, y, flag, sequence, held, first, second, inside, count; shared int seen;\n"
                   f"thread main {{ spawn(one); spawn(other); join(one); join(other); {after} }}\n"
                   f"thread one {{ {one} }}\nthread other {{ {other} }}\n")
    done = run(MODEL, "--json", "model.unf")
    check(f"{case}: model", done.stdout.startswith("{"), done)
    model = json.loads(done.stdout)
    for program in ("./moves", "./moves-O0"):
        if case in OPTIMISED and program != "./moves":
            continue
        for backend in BACKENDS:
            result = explore(*ALL, *backend, "--", program, case)
            same = all(result.get(key) == model[key] for key in ("traces", "errors", "deadlocks", "livelocks"))
            check(f"{case} {program} {backend}", same, (shown(result), {key: model[key] for key in ("traces", "errors")}))
            check(f"{case} is begun again {program} {backend}", result.get("restarts", 0) >= 1, shown(result))


def waits():
    counts = {}
    for backend in BACKENDS:
        result = explore(*ALL, *backend, "--", "./moves", "never")
        check(f"a wait that never ends {backend}", result["livelocks"] == result["traces"] > 0, shown(result))
        result = explore(*ALL, *backend, "--", "./moves", "turns")
        unseen = [u["why"] for u in result.get("unseen", [])]
        check(f"a wait for one of two objects {backend}", result["uncontrolled"] is None and not result["defects"] and unseen == ["races", "waiting loops"], shown(result))
        result = explore(*ALL, *backend, "--", "./moves", "pausing")
        check(f"a loop that pauses {backend}", result["traces"] == 3 and not result["defects"] and result["atomics"]["waits_bounded"] > 0, shown(result))
        # Of two objects that are looked at one is written, then the other. After two turns with
        # the same values the thread ends: (0, 0) (0, 0); (1, 0) (1, 0); (0, 0) (1, 0) (1, 0). Or
        # it finds the second one written: six ways.
        for case, traces in (("yielding", (3, 3)), ("looking", (9, 6)), ("asking", None)):
            result = explore(*ALL, *backend, "--", "./moves", case)
            counts.setdefault(case, set()).add((result["traces"], result["complete"]))
            check(f"{case} {backend}", result["finished"] and not result["defects"] and result["atomics"]["waits_bounded"] > 0 and
                  traces in (None, (result["traces"], result["complete"])) and "waiting loops" in [u["why"] for u in result["unseen"]], shown(result))
    check("loops that pause: the same everywhere", all(len(c) == 1 for c in counts.values()), counts)
    done = run(UNFOLD, *ALL, "--", "./moves", "turns")
    check("and it is named", re.search(r"a thread was stopped in one, at sites_moves\.c:\d+", done.stdout), done)
    done = run(UNFOLD, *ALL, "--", "./moves", "spin")
    check("waits are named", re.search(r"explored as waits, as at (stdatomic\.h|sites_moves\.c):\d+", done.stdout), done)


def memory():
    """Objects on the stack and the heap of a thread that another one uses."""
    for case in ("sl", "hl", "sw", "hw"):
        counts = set()
        for backend in BACKENDS:
            result = explore(*ALL, *backend, "--", "./moves", case)
            check(f"memory {case} {backend}", result["uncontrolled"] is None and not result["defects"] and result["traces"] in (2, 3, 4), shown(result))
            counts.add(result["traces"])
        check(f"memory {case}: the same everywhere", len(counts) == 1, counts)


def alone():
    """What the only thread does is an operation where it has performed one before, also an access
    that begins in front of the object; else it would be found to have been missed."""
    for backend in BACKENDS:
        result = explore(*ALL, *backend, "--", "./moves", "alone")
        check(f"a store of the only thread {backend}", (result["traces"], result["events"], result["restarts"]) == (2, 14, 1) and not result["defects"], shown(result))


def blocks():
    """Of a block of six words that are accessed at one place all are found to be shared at once;
    which of them is read before it is written is decided for each."""
    for backend in BACKENDS:
        result = explore(*ALL, *backend, "--", "./moves-O0", "block")
        check(f"a block {backend}", (result["traces"], result["restarts"]) == (2**6, 1) and not result["defects"], shown(result))


def crowds():
    """Of memory that several threads use, more than there is room for is said."""
    result = explore(*ALL, "--mode", "inprocess", "--", "./moves", "crowd")
    check("pages in a row", result["errors"] == 2 and result["atomics"]["shared"] < 10 and "memory" not in [u["why"] for u in result["unseen"]], shown(result))
    result = explore(*ALL, "--mode", "inprocess", "--", "./moves", "crowds")
    check("more parts of memory than there is room for", "memory" in [u["why"] for u in result["unseen"]], shown(result))


def plain_stores():
    """With read-modify-writes alone a store is noticed, and everything is watched from then on."""
    build("sites.c", "-O1", "-o", "sites")
    for level in ("rmw", "auto"):
        for backend in BACKENDS:
            result = explore("--atomics", level, *backend, "--", "./sites", "mixed")
            check(f"a plain store {level} {backend}", result["uncontrolled"] is None and result["restarts"] >= 1 and result["atomics"]["level"] == "all", shown(result))


def noted():
    """An access that is only noted belongs before the thread's next operation."""
    build("sites_noted.c", "-O1", "-o", "noted")
    for backend in BACKENDS:
        result = explore(*ALL, *backend, "--", "./noted")
        check(f"handed over {backend}", (result["traces"], result["unseen"], result["defects"]) == (2, [], []), shown(result))


def unseen_stores():
    """Code without a description of its functions writes to an atomic object."""
    build("sites_unseen.c", "-O1", "-DSEEN", "-o", "seen")
    build("sites_unseen.c", "-O1", "-o", "unseen")
    for words in [], ["pair"], ["wrong"]:
        seen, result = (explore(*ALL, "--", program, *words) for program in ("./seen", "./unseen"))
        check(f"{words} as by code that is seen", (result["traces"], result["events"], len(result["defects"]), result["finished"])
              == (seen["traces"], seen["events"], int(words == ["wrong"]), True), (result, seen))
        check(f"{words} and named, since it may read as well", "unknown code" in [u["why"] for u in result["unseen"]], result)
    done = run(UNFOLD, "--replay", result["defects"][0]["schedule"], "--", "./unseen", "wrong")
    check("a replay of it", done.returncode == 1 and "failed assertion" in done.stdout, done)


def automatic():
    """By default: what comes of it when all accesses, or read-modify-writes, come to no result."""
    build("sites.c", "-O1", "-o", "sites")
    build("sites_futex.c", "-O2", "-o", "futex")
    level = lambda result: [u["why"] for u in result["unseen"]]
    for backend in BACKENDS:
        result = explore(*backend, "--", "./moves", "add")
        check(f"all accesses {backend}", (result["atomics"]["level"], result["traces"], len(result["defects"])) == ("all", 4, 1), shown(result))
        result = explore(*backend, "--atomics-budget", "0.01", "--", "./moves", "add")
        check(f"too dear {backend}", (result["atomics"]["level"], result["traces"], level(result)) == ("rmw", 1, ["plain accesses"]), shown(result))
        result = explore(*backend, "--max-executions", "2", "--", "./moves", "add")
        check(f"beyond a limit {backend}", (result["atomics"]["level"], result["traces"], result["finished"], level(result)) ==
              ("rmw", 1, True, ["plain accesses", "level"]), shown(result))
        found = [(d["kind"], d["count"], d["earlier"] > 0) for d in result["defects"]]
        check(f"beyond a limit, with what it found {backend}", found in ([], [("assertion", 0, True)]), result["defects"])
        done = run(UNFOLD, *backend, "--max-executions", "2", "--dot", "auto.dot", "--", "./moves", "add")
        check(f"the summary is that of the result {backend}", not re.search(r"begun again \d", done.stdout), done.stdout)
        run(UNFOLD, *backend, "--atomics", "rmw", "--dot", "rmw.dot", "--", "./moves", "add")
        with open("auto.dot", encoding="utf-8") as one, open("rmw.dot", encoding="utf-8") as other:
            check(f"the picture is that of the result {backend}", one.read() == other.read())
        check("and no other one is left", not [name for name in os.listdir() if name.endswith(".rmw")], os.listdir())
        result = explore(*backend, "--", "./sites", "wide")
        check(f"refused, explored without {backend}", (result["atomics"]["level"], result["uncontrolled"], result["finished"]) == ("off", None, True)
              and "level" in level(result) and "cmpxchg16b" in result["atomics"]["off_because"], shown(result))
        result = explore(*backend, "--", "./futex", "moved")
        check(f"refused at each level {backend}", "whose waiters are moved to another one is not supported, called at sites_futex.c" in
              (result["uncontrolled"] or ""), shown(result))
        result = explore(*backend, "--", "./sites", "mixed")
        check(f"a plain store {backend}", result["uncontrolled"] is None and result["atomics"]["level"] == "all", shown(result))


def languages():
    """Calls through memory, exceptions and the library of C++ under patched accesses."""
    build("sites_moves.cpp", "-O2", "-o", "objects")
    counts = set()
    for backend in BACKENDS:
        result = explore(*ALL, *backend, "--", "./objects")
        check(f"C++ {backend}", result["finished"] and not result["defects"] and result["traces"] > 1, shown(result))
        counts.add((result["traces"], result["events"]))
    check("C++: the same everywhere", len(counts) == 1, counts)


def races():
    for backend in BACKENDS:
        result = explore("--races", *ALL, *backend, "--", "./moves", "add")
        kinds = sorted(d["kind"] for d in result["defects"])
        check(f"races {backend}", kinds == ["assertion", "race"] and "sites_moves.c:" in json.dumps(result["defects"]), result["defects"])
        for defect in result["defects"]:
            done = run(UNFOLD, "--races", *ALL, *backend, "--replay", defect["schedule"], "--", "./moves", "add")
            check(f"a replay of the {defect['kind']} {backend}", done.returncode == 1 and ("data race" if defect["kind"] == "race" else "failed assertion") in done.stdout, done)
    explore("--atomics", "auto", "--", "./moves", "add")
    done = run(UNFOLD, "--atomics", "auto", "--replay", "traces/trace-1.unfs", "--", "./moves", "add")
    check("a replay knows what was seen", done.returncode == 1 and "failed assertion" in done.stdout, done)
    result = explore("--races", *ALL, "--", "./moves", "publish")
    check("a race that is published", [d["kind"] for d in result["defects"]] == ["race"], result["defects"])


def same_without_races():
    for name in ("bank", "disp", "ticket"):
        compiled("gcc", "-g", "-O0", "-pthread", "-DREPAIRED", "-DPARAM1=3", "-DPARAM2=2", os.path.join(PROGRAMS, name + ".c"), "-o", name)
        for backend in BACKENDS:
            off, on = explore("--atomics", "off", *backend, "--", "./" + name), explore(*ALL, *backend, "--", "./" + name)
            check(f"{name} {backend}", on["traces"] is not None and (off["traces"], off["events"]) == (on["traces"], on["events"]), (shown(off), shown(on)))


def main():
    build("sites_moves.c", "-O2", "-o", "moves")
    build("sites_moves.c", "-O0", "-o", "moves-O0")
    perform(((model_of, CASES_AS_MODELS), waits, memory, alone, blocks, crowds, plain_stores, unseen_stores,
             noted, automatic, languages, races, same_without_races), sys.argv[6:])


sys.exit(in_own_folder(main))
