#!/usr/bin/env python3
"""What the C library does with memory of its callers counts as their accesses, and a function of
which that is not known is named: run_calls.py UNFOLD CALLBACKS-LIBRARY CASES-FOLDER [PART …]."""
import os
import shutil
import sys

from common import BACKENDS, check, compiled, in_own_folder, kinds, linked_with, perform, result_of, run, scans

UNFOLD, CALLBACKS, CASES = (os.path.abspath(p) for p in sys.argv[1:4])
ALL = ("--atomics", "all", "--mode", "inprocess")
# Two accesses of which one writes, and nothing else that is shared: an order for each.
ONCE = ("snprintf", "sprintf", "length", "printf", "fputs_unlocked", "fclose", "strcpy", "setenv", "fread", "fread-strtol", "strtol-fread", "sscanf", "sscanf-c99", "sscanf-c89", "strtol",
        "strtol-c99", "write", "writev", "ends", "create", "strftime", "positional", "many", "sscanf-positional", "poll", "getsockopt", "getschedparam", "open")
# Several words, or accesses that read and write.
OFTEN = ("memmove", "memmove-both", "strtok", "qsort", "gmtime", "getline", "realloc", "clock_gettime", "rand_r", "select", "epoll_wait",
         "sem_getvalue", "sem_timedwait", "sigaction", "sigmask")
UNKNOWN = ("setlocale", "swprintf", "syscall")
RIGHT = {"own": 1, "own-nothing": 1, "own-stack": 1, "own-poll": 1, "own-time": 1, "puts": 1, "key": 2, "locked": 2}


def explore(program, case, *how):
    return result_of(run(UNFOLD, "--json", "--trace-dir", "traces", *ALL, *how, "--", program, case))


def at_both(case, *how):
    """The results with the library's functions as they are, and with those that check."""
    return [(f"{program} {case} {how}", explore(program, case, *how)) for program in ("./calls", "./checked")]


def orders(case):
    for what, result in at_both(case, "--max-executions", "40"):
        check(f"{what}: a race", [u["why"] for u in result["unseen"]] == ["races"], result)
        good = result["traces"] == 2 and result["finished"] if case in ONCE else result["traces"] > 1
        check(f"{what}: its orders", good and not result["defects"], result)


def twice():
    for what, result in at_both("twice"):
        check(f"{what}: what was written first is seen", kinds(result) == ["assertion"] and result["finished"], result)


def munmap():
    for what, result in at_both("munmap"):
        check(f"{what}: memory that is gone", kinds(result) == ["crash"] and result["traces"] == 2, result)


def unknown():
    for case, *how in (*((case,) for case in UNKNOWN), (UNKNOWN[0], "--jobs", "2")):
        for what, result in at_both(case, *how):
            check(f"{what}: named", [(u["why"], u["count"]) for u in result["unseen"]] == [("library calls", 1)], result)
    said = run(UNFOLD, *ALL, "--", "./calls", "swprintf").stdout
    check("said", "not seen: what memory 1 function of the C library accesses: swprintf at calls.c:" in said, said)


def right(case):
    for what, result in at_both(case):
        check(f"{what}: all is seen", (result["traces"], result["unseen"], result["defects"]) == (RIGHT[case], [], []), result)


def told(program):
    """Compiled with callbacks: what is written to an atomic object is a store; and the races as
    findings."""
    for how in BACKENDS:
        result = result_of(run(UNFOLD, "--json", "--atomics", "off", "--trace-dir", "traces", *how, "--", program, "clears"))
        check(f"{program} clears {how}", (result["finished"], result["traces"], result["defects"]) == (True, 4, []), result)
    for case in ONCE + OFTEN + ("munmap",):
        result = result_of(run(UNFOLD, "--json", "--races", "--mode", "inprocess", "--stop-at-first", "--trace-dir", "traces", "--", program, case))
        check(f"{program} {case}: the race is found", "race" in kinds(result) and set(kinds(result)) <= {"race", "crash"}, result)


FLAGS = ("-g", "-Wall", "-Wextra", "-D_GNU_SOURCE", "-pthread", os.path.join(CASES, "calls.c"))


def callbacks():
    compiled("gcc", "-O0", "-fsanitize=thread", "-c", *FLAGS, "-o", "told.o")
    compiled("gcc", "-pthread", "told.o", *linked_with(CALLBACKS), "-o", "told")
    told("./told")
    result = result_of(run(UNFOLD, "--json", "--races", "--", "./told", "own"))
    check("told own: all is seen", (result["unseen"], result["defects"]) == ([], []), result)
    compiled("gcc", "-D_GNU_SOURCE", os.path.join(CASES, "refusing.c"), "-o", "refusing")
    result = result_of(run("./refusing", "executable", UNFOLD, "--json", "--races", "--atomics", "off", "--", "./told", "own"))
    check("calls that cannot be noticed", [(u["why"], u["count"]) for u in result["unseen"]] == [("library calls", None)], result)


def callbacks_of_clang():
    if shutil.which("clang") is not None:  # whose callbacks are others
        compiled("clang", "-O0", "-fsanitize=thread", "-Wno-gnu-folding-constant", "-c", *FLAGS, "-o", "other.o")
        compiled("gcc", "-pthread", "other.o", *linked_with(CALLBACKS), "-o", "other")
        told("./other")


def main():
    parts = (callbacks, callbacks_of_clang)
    if scans(UNFOLD):
        compiled("gcc", "-O1", "-U_FORTIFY_SOURCE", *FLAGS, "-o", "calls")
        compiled("gcc", "-O2", "-D_FORTIFY_SOURCE=2", "-Wno-unused-result", *FLAGS, "-o", "checked")
        parts = ((orders, ONCE + OFTEN), twice, munmap, unknown, (right, RIGHT), *parts)
    perform(parts, sys.argv[4:])


sys.exit(in_own_folder(main))
