#!/usr/bin/env python3
"""Atomic operations of compiled programs: run_atomics.py UNFOLD CALLBACKS-LIBRARY PROGRAMS-FOLDER
CASES-FOLDER INCLUDE-FOLDER [--campaign]."""
import json
import os
import re
import shutil
import subprocess
import sys

from common import BACKENDS, check, compiled, in_own_folder, linked_with, run

UNFOLD, CALLBACKS, PROGRAMS, CASES, INCLUDE = (os.path.abspath(p) for p in sys.argv[1:6])
COMPILERS = [c for c in ("gcc", "clang") if shutil.which(c)]

IFAA = ("--ifaa",)
# Program, macros, options, traces that are complete and that are blocked: those of the literature
# ("Awaiting for Godot", tables I and II; the same programs with a bound of threads + 1, without and
# with additions that commute). doc/native.md says which macro makes a program the published one.
LITERATURE = [
    ("ttaslock", "PARAM1=3", (), 36, 0), ("ttaslock", "PARAM1=4", (), 576, 0), ("twalock", "PARAM1=3", (), 96, 0),
    ("mcslock", "PARAM1=3 LOOKS=4", (), 336, 72), ("mcslock", "PARAM1=3 LOOKS=99", ("--bound", "4"), 336, 72),
    ("futexmutex", "PARAM1=2", (), 12, 0), ("futexmutex", "PARAM1=2", IFAA, 10, 0), ("futexmutex", "PARAM1=3", IFAA, 3618, 312),
    ("seqlock", "PARAM1=1 PARAM2=1 PARAM3=1", (), 9, 36), ("seqlock", "PARAM1=1 PARAM2=1 PARAM3=1 LOOK", (), 9, 83),
    ("mpmcqueue", "PARAM1=1 PARAM2=1 PARAM3=1 LOOK", (), 166, 517), ("mpmcqueue", "PARAM1=1 PARAM2=1 PARAM3=1 LOOK", IFAA, 76, 421),
    ("countedqueue", "PARAM1=1 PARAM2=1 PARAM3=1", (), 901, 374), ("countedqueue", "PARAM1=1 PARAM2=1 PARAM3=1 TURNS=4", (), 925, 350),
    ("countedqueue", "PARAM1=1 PARAM2=1 PARAM3=1 TURNS=99", ("--bound", "3"), 901, 374),
    ("sortnet", "PARAM1=4", (), 1, 0), ("sortnet", "PARAM1=5", (), 1, 0), ("sortnet", "PARAM1=6", (), 1, 0),
    ("safestack", "OPERATIONS=2,1", (), 34, 1), ("safestack", "OPERATIONS=2,1", IFAA, 19, 1), ("safestack", "OPERATIONS=2,1 LOOK", (), 34, 2),
    ("safestack", "OPERATIONS=3,1", (), 103, 25), ("safestack", "OPERATIONS=3,1", IFAA, 56, 25), ("safestack", "OPERATIONS=3,2", IFAA, 463, 12),
]
# The same, of programs and sizes that are nobody else's.
COUNTS = [
    ("ttaslock", "PARAM1=3 RETRY", (), 162, 0), ("ticketlock", "PARAM1=3", (), 6, 0), ("ticketlock", "PARAM1=4", (), 24, 0),
    ("mcslock", "PARAM1=2", (), 6, 0), ("mcslock", "PARAM1=3", (), 66, 0), ("futexmutex", "PARAM1=2 RETRY", (), 12, 0),
    ("rwlock", "PARAM1=1 PARAM2=1", (), 6, 0), ("rwlock", "PARAM1=2 PARAM2=1", (), 662, 0), ("rwlock", "PARAM1=2 PARAM2=1", IFAA, 188, 0),
    ("mpmcqueue", "PARAM1=1 PARAM2=1 PARAM3=1", IFAA, 76, 175), ("treiber", "PARAM1=2 PARAM2=1", (), 20, 0),
    ("msqueue", "PARAM1=1 PARAM2=1", (), 4, 0), ("msqueue", "PARAM1=2 PARAM2=1", (), 188, 0), ("handshake", "REPAIRED", (), 3, 0),
    ("wordlock", "PARAM1=2", (), 6, 0), ("wordlock", "PARAM1=3", (), 270, 0),
]
# Of the literature, in place only.
LARGE = [
    ("twalock", "PARAM1=4", (), 6144, 0), ("futexmutex", "PARAM1=3", (), 6582, 336), ("rwlock", "PARAM1=1 PARAM2=1 PARAM3=1", IFAA, 3840, 0),
    ("safestack", "OPERATIONS=3,3", IFAA, 2600, 1160),
]
# Minutes, or nearly: --campaign.
LARGEST = [
    ("mcslock", "PARAM1=4 LOOKS=5", (), 26232, 4824), ("rwlock", "PARAM1=1 PARAM2=1 PARAM3=1", (), 38033, 0),
    ("mpmcqueue", "PARAM1=1 PARAM2=1 PARAM3=1 LOOK RETRY", (), 11206, 8188), ("futexmutex", "PARAM1=3 RETRY", (), 9486, 0),
]

# case, traces, kinds of what is found
CASES_TABLE = [
    ("wraps", 4, {"livelock"}), ("waits", 1, {"livelock"}), ("relaxed", 2, set()), ("blocks", 26, set()), ("stacks", 2, set()),
    ("published", 1, set()), ("hurried", 2, {"race"}), ("stuck", 2, {"livelock"}),
    ("handshake", 2, {"livelock"}), ("held", 2, {"deadlock"}), ("early", 2, set()), ("adds", 2, set()),
    ("or", 2, set()), ("plain", 4, set()), ("halves", 1, set()), ("union", 2, {"livelock"}),
]


def build(compiler, source, name, macros=""):
    compiled(compiler, "-g", "-O0", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror", "-fsanitize=thread", "-I" + INCLUDE,
             *("-D" + macro for macro in macros.split()), "-c", source, "-o", name + ".o")
    compiled(compiler, "-pthread", name + ".o", *linked_with(CALLBACKS), "-o", name)
    return "./" + name


def unfold(*words):
    return run(UNFOLD, *words)


def explore(program, *options, status=0):
    done = unfold("--json", *options, "--", *program)
    check(f"exit status {status} of {options} {program}", done.returncode == status, f"{done.returncode} {done.stderr}{done.stdout[:900]}")
    return json.loads(done.stdout) if done.stdout else {"defects": [], "traces": None, "redundant": None, "uncontrolled": ""}


def line_of(comment):
    with open(f"{CASES}/atomic_cases.c", encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if f"/* {comment} */" in line)


# By default a program is explored once more with all accesses, which callbacks report already: the
# same counts for twice the time and more, so that only small ones are.
SMALL = 40


def counts(compiler, table, ways, most):
    """Each program in so many of the ways, which take turns; larger ones in place alone, since a
    process for each execution is most of what they cost."""
    for number, (name, macros, options, complete, blocked) in enumerate(table):
        program = build(compiler, f"{PROGRAMS}/atomics/{name}.c", name, macros)
        done = subprocess.run([program], check=False)
        check(f"{name} alone", done.returncode == 0, done)
        small = complete + blocked <= SMALL
        own = ways if small else [w for w in ways if "inprocess" in w]
        for way in [own[(number + i) % len(own)] for i in range(most)]:
            level = () if small else ("--atomics", "off")
            result = explore([program], *options, *level, *way)
            check(f"{name} {macros} {options} {way}, {compiler}: {complete} + {blocked}",
                  (result["complete"], result["blocked"], result["redundant"], result["deadlocks"]) == (complete, blocked, 0, 0), result)


def cases(compiler, backends):
    program = build(compiler, f"{CASES}/atomic_cases.c", "atomic_cases")
    for case, traces, kinds in CASES_TABLE:
        for backend in backends:
            result = explore([program, case], "--races", *backend, status=1 if kinds else 0)
            check(f"{case} {backend}, {compiler}: {traces} traces", result["traces"] == traces, result)
            check(f"{case} {backend}, {compiler}: {kinds}", {d["kind"] for d in result["defects"]} == kinds, result["defects"])
        replays(program, case, result)
    said, key = "weaker orders were explored as sequentially consistent", "weaker_orders"
    check("weaker orders are reported once", unfold("--", program, "relaxed").stdout.count(said) == 1)
    check("and not those that are none", said not in unfold("--", program, "stacks").stdout)
    check("in JSON too", [explore([program, c])[key] for c in ("relaxed", "stacks")] == [True, False])


def waits(compiler):
    """What is said of threads that wait for ever, and what is no livelock."""
    program = build(compiler, f"{CASES}/atomic_cases.c", "atomic_cases")
    text = unfold("--", program, "wraps").stdout
    check("what is waited for", re.search(r"blocked at exchange await\(== 6, 1\), .*; waits for atomic object small; its value is 1\n", text), text)
    text, line = unfold("--", program, "handshake").stdout, line_of("for ever")
    pattern = r"livelock \(2 executions\)\n  0 blocked at join, .*\n"
    for mine in range(2):
        pattern += rf"  0\.{mine} blocked at await\(== 1\), atomic_cases\.c:{line}; waits for atomic object .*; its value is 0\n"
    check("the threads, the conditions and the lines", re.search(pattern, text), text)
    for case, counts_expected in (("handshake", (0, 2, 2, 2)), ("held", (1, 1, 1, 0)), ("early", (1, 1, 0, 0))):
        result = explore([program, case], status=1 if counts_expected[2] else 0)
        seen = tuple(result[key] for key in ("complete", "blocked", "deadlocks", "livelocks"))
        check(f"{case}: {counts_expected}", seen == counts_expected, seen)
    done = unfold("--", build(compiler, f"{PROGRAMS}/atomics/handshake.c", "handshake"))
    check("handshake", done.returncode == 1 and "livelock (1 execution)\n" in done.stdout, done)
    said = "loops were ended by --bound"
    check("--bound says so", [unfold("--bound", n, "--", program, "calls").stdout.count(said) for n in ("0", "1")] == [1, 0])
    check("--expect livelock", [unfold("--expect", "livelock", "--", program, c).returncode for c in ("handshake", "held")] == [0, 1])
    for backend in BACKENDS:
        for bound in (0, 1, 3):
            result = explore([program, "spins"], "--bound", str(bound), *backend)
            seen = tuple(result[key] for key in ("complete", "blocked", "bound_met", "finished"))
            check(f"a loop that waits, {bound} {backend}", seen == (bound, 1, True, True), result)
        result = explore([program, "calls"], "--bound", "1", *backend)
        check(f"places that are come to in several ways {backend}", (result["traces"], result["blocked"], result["bound_met"]) == (1, 0, False), result)
        result = explore([program, "adds"], "--ifaa", *backend)
        for options in ((), IFAA):
            check(f"clocks {backend} {options}", explore([program, "sleeps"], *options, *backend)["complete"] == 1)
        check(f"additions commute {backend}", (result["traces"], result["events"]) == (1, result["steps"]), result)


def replays(program, case, result):
    """The same steps with the same names, whichever back-end performs them."""
    for schedule in {d["schedule"] for d in result["defects"]}:
        steps = [unfold("--races", *backend, "--replay", schedule, "--", program, case) for backend in BACKENDS]
        check(f"{case}: replay", all(s.returncode == 1 for s in steps), steps)
        check(f"{case}: the same steps", len({s.stdout for s in steps}) == 1, steps)


def overlaps(compiler):
    """Objects that share bytes: how often it was begun again, the lock that forgets who waits, and
    what the bytes are."""
    program = build(compiler, f"{PROGRAMS}/atomics/wordlock.c", "wordlock", "PARAM1=3 WIDE")
    for backend in BACKENDS:
        result = explore([program], *backend, status=1)
        check(f"wordlock with wide stores {backend}", (result["traces"], result["errors"], result["restarts"]) == (1038, 204, 1), result)
        check("its schedule", [(d["kind"], d["schedule"]) for d in result["defects"]] == [("assertion", "trace-1.unfs")], result["defects"])
        done = unfold(*backend, "--replay", "trace-1.unfs", "--", program)
        check("its replay", done.returncode == 1 and "atomic object lock  wordlock.c:" in done.stdout, done)
    text = unfold("--", program).stdout
    check("said once", text.count("atomic objects overlap: begun again 1 time with all their ranges") == 1, text)
    program = build(compiler, f"{CASES}/atomic_cases.c", "atomic_cases")
    text = unfold("--", program, "union").stdout
    check("a half", re.search(r"waits for atomic object several\+2; its value is -1\n", text), text)


def fixed(compiler):
    """At fixed addresses an undefined weak function is none; the linked library defines it."""
    source = f"{PROGRAMS}/atomics/ttaslock.c"
    compiled(compiler, "-O0", "-fno-pie", "-fsanitize=thread", "-I" + INCLUDE, "-DPARAM1=3", "-c", source, "-o", "fixed.o")
    compiled(compiler, "-no-pie", "-pthread", "fixed.o", *linked_with(CALLBACKS), "-o", "fixed")
    check("alone", subprocess.run(["./fixed"], check=False).returncode == 0)
    check("at fixed addresses", explore(["./fixed"], "--max-executions", "100")["traces"] == 36)


def guards():
    for compiler in [c for c in ("g++", "clang++") if shutil.which(c)]:
        program = build(compiler, f"{CASES}/atomics.cpp", "guards")
        for backend in BACKENDS:
            result = explore([program], "--races", *backend)
            check(f"{compiler} {backend}: 16 traces", (result["traces"], result["races"]) == (16, 0), result)


def safestack(compiler):
    """A cell is taken twice, by three threads with one, three and three operations."""
    program = build(compiler, f"{PROGRAMS}/atomics/safestack.c", "safestack", "TURNS=2")
    result = explore([program], "--mode", "inprocess", "--algorithm", "odpor", "--ifaa", "--stop-at-first", status=1)
    check("safestack: the assertion", [d["kind"] for d in result["defects"]] == ["assertion"], result)
    print(f"the mistake of safestack: {result['executions']} executions, {result['seconds']:.1f} s")


def without(compiler):
    """The header alone: no callbacks, no library, and loops instead of operations."""
    source = f"{CASES}/await_alone.c"
    for standard in ("-std=gnu11", "-std=c11"):
        compiled(compiler, standard, "-O2", "-Wall", "-Wextra", "-Werror", "-I" + INCLUDE, source, "-pthread", "-o", "alone")
        check(f"{compiler} {standard}: without anything", subprocess.run(["./alone"], check=False).returncode == 0)
    program = build(compiler, source, "alone")
    check(f"{compiler}: with callbacks", subprocess.run([program], check=False).returncode == 0)
    result = explore([program])
    check(f"{compiler}: explored", result["traces"] == 1, result)


def main():
    algorithms = (["--k", "optimal"], ["--algorithm", "odpor"])
    in_place = [["--mode", "inprocess", *algorithm] for algorithm in algorithms]
    counts(COMPILERS[0], LITERATURE + COUNTS, [[*backend, *algorithm] for backend in BACKENDS for algorithm in algorithms], 2)
    counts(COMPILERS[0], LARGE + (LARGEST if sys.argv[6:] == ["--campaign"] else []), in_place, 2)
    for compiler in COMPILERS[1:]:
        counts(compiler, LITERATURE + COUNTS, in_place, 1)
    for compiler in COMPILERS:
        cases(compiler, BACKENDS if compiler == COMPILERS[0] else BACKENDS[2:])
        waits(compiler)
        fixed(compiler)
        without(compiler)
    guards()
    overlaps(COMPILERS[0])
    safestack(COMPILERS[0])


sys.exit(in_own_folder(main))
