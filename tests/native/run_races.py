#!/usr/bin/env python3
"""Data races in compiled programs: run_races.py UNFOLD CALLBACKS-LIBRARY PROGRAMS-FOLDER
CASES-FOLDER.

Compiles programs with callbacks, with each compiler that there is, explores them, and compares the
pairs of lines."""
import json
import os
import re
import shutil
import subprocess
import sys

from common import AT_LEISURE, WITHOUT_ZYDIS, check, compiled, in_own_folder, linked_with, run, scans

UNFOLD, CALLBACKS, PROGRAMS, CASES = (os.path.abspath(p) for p in sys.argv[1:5])
COMPILERS = [c for c in ("gcc", "clang") if shutil.which(c)]
# With events given back, too: what is known of accesses in the steps that executions share stays.
BACKENDS = (("--backend", "threads"), ("--backend", "fibers", "--collect", "1"), ("--mode", "inprocess", "--collect", "1"))


def build(compiler, source, name, *flags):
    """With callbacks, and linked with the library that stands in for them."""
    compiled(compiler, "-g", "-O0", "-fsanitize=thread", *flags, "-c", source, "-o", name + ".o")
    compiled(compiler, "-pthread", name + ".o", *linked_with(CALLBACKS), "-latomic", "-o", name)
    return "./" + name


def unfold(*words):
    return run(UNFOLD, *words)


def explore(program, *options, status=0):
    done = unfold("--json", *options, "--", *program)
    check(f"exit status {status} of {options} {program}", done.returncode == status, f"{done.returncode} {done.stderr}{done.stdout[:900]}")
    return json.loads(done.stdout) if done.stdout else {"defects": [], "races": None}


def expect(result, what, **wanted):
    for key, value in wanted.items():
        check(f"{what}: {key} is {value}", result.get(key) == value, f"not {result.get(key)}")


def lines_of(source):
    """Line numbers by the name in the comment at their end."""
    with open(source, encoding="utf-8") as file:
        found = {}
        for number, line in enumerate(file, 1):
            if match := re.search(r"/[*/] (\w+)(?: \*/)?$", line.rstrip()):
                found[match.group(1)] = number
        return found


def pairs(result):
    races = [d for d in result["defects"] if d["kind"] == "race"]
    check("races are counted", result["races"] == len(races), result)
    return sorted(tuple(sorted(int(t["place"].split(":")[1]) for t in d["threads"])) for d in races)


# case, pairs of lines, exit status, what a thread of some race does
CASES_TABLE = [
    ("ordered", [], 0, ""), ("increment", [("increment", "increment")], 1, "of counter"), ("half", None, 1, "of counter"),
    ("letters", [], 0, ""), ("bits", [("low", "high")], 1, "of packed"), ("reuse", [], 0, ""), ("copy", [("memcpy", "strlen")], 1, "of text"),
    ("far", [], 0, ""), ("assign", [("assign", "last")], 1, r"of one\+88"), ("own", [], 0, ""), ("heap", [("free", "use")], 1, "of memory on the heap"),
    ("stack", [("argument", "argument")], 1, "write of the stack of 0"), ("after", [], 0, ""), ("join", [("before", "increment")], 1, "of counter"),
    ("told", [], 0, ""), ("readers", [("reader", "reader")], 1, "of counter"), ("writers", [], 0, ""), ("barrier", [], 0, ""),
    ("semaphore", [], 0, ""), ("full", [("post", "take")], 1, "of counter"),
    ("crash", [("look", "set")], 1, "of counter"), ("flow", [("decide", "raise")], 1, "of flag"),
]


def cases(compiler, backends):
    program = build(compiler, f"{CASES}/races.c", f"races-{compiler}")
    lines = lines_of(f"{CASES}/races.c")
    for backend in backends:
        for case, wanted, status, operation in CASES_TABLE:
            what = f"{case}, {compiler}, {backend[1]}"
            result = explore([program, case], "--races", *backend, status=status)
            if wanted is not None:
                seen = pairs(result)
                check(f"{what}: lines", seen == sorted(tuple(sorted(lines[n] for n in p)) for p in wanted), seen)
            else:
                check(f"{what}: one race", result["races"] == 1, result)
            expect(result, what, plain_accesses_watched=True)
            check(f"{what}: {operation}", re.search(operation, json.dumps(result["defects"])), result["defects"])
            if wanted and "fibers" in backend:
                replayed(what, program, case, result, backend)
        kinds = [d["kind"] for d in explore([program, "crash"], "--races", *backend, status=1)["defects"]]
        check("the crash is reported beside the race", sorted(kinds) == ["crash", "race"], kinds)
    result = explore([program, "increment"], "--races", "--stop-at-first", status=1)
    expect(result, "first", finished=False, executions=1)
    expect(explore([program, "increment"], "--races", "--expect", "race"), "expected", races=1)


def replayed(what, program, case, result, backend):
    schedules = {d["schedule"] for d in result["defects"] if d["kind"] == "race"}
    check(f"{what}: a schedule", None not in schedules, result)
    for schedule in schedules:
        done = unfold("--races", *backend, "--replay", schedule, "--", program, case)
        check(f"{what}: replay", done.returncode == 1 and "data race: nothing orders" in done.stdout, done)


def tickets(compiler):
    """The example: every interleaving has the race, and its repair has none."""
    source = f"{PROGRAMS}/ticket.c"
    program = build(compiler, source, "ticket")
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    check("it runs alone", done.stdout == "2 sold, 1 left\n", done)
    for backend in BACKENDS:
        result = explore([program], "--races", *backend, status=1)
        expect(result, "tickets", traces=2, races=1, redundant=0)
        expect(result["defects"][0], "tickets", kind="race", count=2)
    text = unfold("--races", "--", program).stdout
    check("summary of a racy program", "read of left, ticket.c:" in text and "executions in which they decide" in text, text)
    expect(explore([program]), "not watched", traces=2, races=0, plain_accesses_watched=False)
    check("--races is named", "(--races watches them; " in unfold("--", program).stdout)
    text = unfold("--races", "--races-every", "2", "--", program).stdout
    check("a share", "in one execution out of 2" in text and "data race" in text, text)
    text = unfold("--races", "--races-every", "2", "--seed", "3", "--", program).stdout
    check("a share that is drawn", "in one execution out of 2" in text, text)
    repaired = build(compiler, source, "repaired", "-DREPAIRED")
    expect(explore([repaired], "--races"), "repaired", traces=6, races=0, plain_accesses_watched=True)
    check("no race, and watched", "were watched: no data race" in unfold("--races", "--", repaired).stdout)
    plain = "./plain"
    compiled(compiler, "-g", "-pthread", source, "-o", plain)
    off = ["--races", "--atomics", "off"]
    expect(explore([plain], *off), "without callbacks", traces=2, races=0, plain_accesses_watched=False)
    check("without callbacks: said", "(--races needs callbacks, or --atomics all; " in unfold(*off, "--", plain).stdout)
    if not scans(UNFOLD):
        print(WITHOUT_ZYDIS + "all accesses of programs without callbacks are left out")
        return
    seen = explore([plain], "--races", *AT_LEISURE, status=1)
    expect(seen, "without callbacks, all accesses", traces=4, races=1, plain_accesses_watched=True)


def atomics(compiler):
    program = build(compiler, f"{CASES}/atomics.c", "atomics")
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    check("atomics alone", done.stdout == "7 15 6 25 -10 20 0 1 31\n", done)
    for options in ([], ["--races"]):
        for case in ("add", "fence"):
            expect(explore([program, case], *options), case, traces=1, races=0)
        for case, call in (([], r"__tsan_atomic\w+"), (["large"], "__atomic_load")):
            why = explore([program, *case], *options, status=4)["uncontrolled"]
            check(f"{case}: {call} and place", re.search(call + r" is not supported.*atomics\.c:\d+", why), why)


def crowd(compiler):
    """Each of many lines with each."""
    lines = 30
    with open("crowd.c", "w", encoding="utf-8") as file:
        file.write("#include <pthread.h>\nstatic int x[4];\nstatic void *f(void *p) {\n" + "x[0]++;\n" * lines + "return p; }\n"
                   "int main(void) { pthread_t a, b; pthread_create(&a, NULL, f, NULL); pthread_create(&b, NULL, f, NULL);\n"
                   "return pthread_join(a, NULL) + pthread_join(b, NULL); }\n")
    result = explore([build(compiler, "crowd.c", "crowd")], "--races", status=1)
    expect(result, "crowd", races=lines * (lines + 1) // 2)


def own_library(compiler):
    """The sanitizer's own library cannot be there too."""
    done = subprocess.run([compiler, "-g", "-pthread", "-fsanitize=thread", f"{PROGRAMS}/ticket.c", "-o", "sanitized"], capture_output=True)
    if done.returncode == 0:
        why = explore(["./sanitized"], "--races", status=4)["uncontrolled"]
        check("the sanitizer's own library", "-lunfold-callbacks" in why, why)


def tables():
    for compiler in [c for c in ("g++", "clang++") if shutil.which(c)]:
        program = build(compiler, f"{CASES}/table.cpp", "table")
        lines = lines_of(f"{CASES}/table.cpp")
        seen = pairs(explore([program], "--races", status=1))
        check(f"delete, {compiler}", (lines["deleted"], lines["read"]) in pairs(explore([program, "delete"], "--races", status=1)))
        check(f"table of functions, {compiler}", (lines["destroyed"], lines["called"]) in seen, (seen, lines))


def main():
    for compiler in COMPILERS:
        cases(compiler, BACKENDS if compiler == COMPILERS[0] else BACKENDS[1:2])
        tickets(compiler)
        atomics(compiler)
        own_library(compiler)
    crowd(COMPILERS[0])
    tables()


sys.exit(in_own_folder(main))
