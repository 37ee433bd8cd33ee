#!/usr/bin/env python3
"""What the C library does with memory of its callers counts as their accesses, and a function of
which that is not known is named: run_calls.py UNFOLD CALLBACKS-LIBRARY CASES-FOLDER."""
import os
import shutil
import sys

from common import BACKENDS, check, compiled, in_own_folder, kinds, linked_with, result_of, run, scans

UNFOLD, CALLBACKS, CASES = (os.path.abspath(p) for p in sys.argv[1:4])
ALL = ("--atomics", "all", "--mode", "inprocess")
# Two accesses of which one writes, and nothing else that is shared: an order for each.
ONCE = ("snprintf", "sprintf", "length", "printf", "fputs_unlocked", "fclose", "strcpy", "setenv", "fread", "fread-strtol", "strtol-fread", "sscanf", "strtol", "write",
        "writev", "ends", "create", "strftime", "positional", "many", "sscanf-positional", "poll", "getsockopt", "getschedparam", "open")
# Several words, or accesses that read and write.
OFTEN = ("memmove", "memmove-both", "strtok", "qsort", "gmtime", "getline", "realloc", "clock_gettime", "rand_r", "select", "epoll_wait",
         "sem_getvalue", "sem_timedwait", "sigaction", "sigmask")
UNKNOWN = ("setlocale", "swprintf", "syscall")
RIGHT = {"own": 1, "own-nothing": 1, "own-stack": 1, "own-poll": 1, "own-time": 1, "puts": 1, "key": 2, "locked": 2}


def explore(program, case, *how):
    return result_of(run(UNFOLD, "--json", "--trace-dir", "traces", *ALL, *how, "--", program, case))


def expect(program):
    for case in ONCE + OFTEN:
        result = explore(program, case, "--max-executions", "40")
        check(f"{program} {case}: a race", [u["why"] for u in result["unseen"]] == ["races"], result)
        good = result["traces"] == 2 and result["finished"] if case in ONCE else result["traces"] > 1
        check(f"{program} {case}: its orders", good and not result["defects"], result)
    result = explore(program, "twice")
    check(f"{program} twice: what was written first is seen", kinds(result) == ["assertion"] and result["finished"], result)
    result = explore(program, "munmap")
    check(f"{program} munmap: memory that is gone", kinds(result) == ["crash"] and result["traces"] == 2, result)
    for case, *how in (*((case,) for case in UNKNOWN), (UNKNOWN[0], "--jobs", "2")):
        result = explore(program, case, *how)
        check(f"{program} {case} {how}: named", [(u["why"], u["count"]) for u in result["unseen"]] == [("library calls", 1)], result)
    for case, traces in RIGHT.items():
        result = explore(program, case)
        check(f"{program} {case}: all is seen", (result["traces"], result["unseen"], result["defects"]) == (traces, [], []), result)


def told(program):
    """Compiled with callbacks: what is written to an atomic object is a store; and the races as
    findings."""
    for how in BACKENDS:
        result = result_of(run(UNFOLD, "--json", "--atomics", "off", "--trace-dir", "traces", *how, "--", program, "clears"))
        check(f"{program} clears {how}", (result["finished"], result["traces"], result["defects"]) == (True, 4, []), result)
    for case in ONCE + OFTEN + ("munmap",):
        result = result_of(run(UNFOLD, "--json", "--races", "--mode", "inprocess", "--stop-at-first", "--trace-dir", "traces", "--", program, case))
        check(f"{program} {case}: the race is found", "race" in kinds(result) and set(kinds(result)) <= {"race", "crash"}, result)


def main():
    source = os.path.join(CASES, "calls.c")
    flags = ("-g", "-Wall", "-Wextra", "-D_GNU_SOURCE", "-pthread", source)
    if scans(UNFOLD):
        compiled("gcc", "-O1", "-U_FORTIFY_SOURCE", *flags, "-o", "calls")
        compiled("gcc", "-O2", "-D_FORTIFY_SOURCE=2", "-Wno-unused-result", *flags, "-o", "checked")
        expect("./calls")
        expect("./checked")
        said = run(UNFOLD, *ALL, "--", "./calls", "swprintf").stdout
        check("said", "not seen: what memory 1 function of the C library accesses: swprintf at calls.c:" in said, said)
    compiled("gcc", "-O0", "-fsanitize=thread", "-c", *flags, "-o", "told.o")
    compiled("gcc", "-pthread", "told.o", *linked_with(CALLBACKS), "-o", "told")
    told("./told")
    if shutil.which("clang") is not None:  # whose callbacks are others
        compiled("clang", "-O0", "-fsanitize=thread", "-Wno-gnu-folding-constant", "-c", *flags, "-o", "other.o")
        compiled("gcc", "-pthread", "other.o", *linked_with(CALLBACKS), "-o", "other")
        told("./other")
    result = result_of(run(UNFOLD, "--json", "--races", "--", "./told", "own"))
    check("told own: all is seen", (result["unseen"], result["defects"]) == ([], []), result)
    compiled("gcc", "-D_GNU_SOURCE", os.path.join(CASES, "refusing.c"), "-o", "refusing")
    result = result_of(run("./refusing", "executable", UNFOLD, "--json", "--races", "--atomics", "off", "--", "./told", "own"))
    check("calls that cannot be noticed", [(u["why"], u["count"]) for u in result["unseen"]] == [("library calls", None)], result)


sys.exit(in_own_folder(main))
