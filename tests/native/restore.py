#!/usr/bin/env python3
"""Executions in place, from the outside: restore.py UNFOLD PROGRAMS-FOLDER CASES-FOLDER.

The same program must show the same unfolding, event by event, and the same findings on all
back-ends, whatever an execution leaves behind. What the executions of a program write is compared,
which those of each level would do: hence --atomics off, but where that is what is looked at."""
import json
import os
import re
import shutil
import sys

from common import AT_LEISURE, WITHOUT_ZYDIS, check, compiled, in_own_folder, run, scans

UNFOLD, PROGRAMS, CASES = (os.path.abspath(p) for p in sys.argv[1:4])
CC = os.environ.get("CC", "cc").split()
BACKENDS = {"threads": ["--backend", "threads"], "fibers": ["--backend", "fibers"], "in place": ["--mode", "inprocess"]}


def build(source, name, *flags, compiler=CC):
    compiled(*compiler, "-g", "-O0", "-pthread", *flags, source, "-o", name)
    return "./" + name


def unfold(*words, **more):
    words = ["--atomics", "off", *words] if "--atomics" not in words else words
    with open("input", encoding="utf-8") as file:
        return run(UNFOLD, *words, stdin=file, **more)


def explore(what, program, *options, status=None, **more):
    done = unfold("--json", *options, "--", *program, **more)
    check(f"{what}: exit status {status}", status is None or done.returncode == status, f"{done.returncode} {done.stderr} {done.stdout[:800]}")
    return json.loads(done.stdout or '{"defects": []}')


COUNTS = ("traces", "redundant", "deadlocks", "errors", "events", "left_behind", "uncontrolled", "finished")


def compare(program, status=None):
    """The unfolding and the findings of the three back-ends; the result of the last."""
    seen = {}
    for name, options in BACKENDS.items():
        result = explore(f"{program} {name}", program, *options, "--dot", "out.dot", "--max-executions", "2000", status=status)
        defects = [(d["kind"], re.sub("0x[0-9a-f]{6,}", "", d.get("text") or ""), d["count"], [t.get("place") for t in d["threads"]])
                   for d in result["defects"]]
        events = ""
        if os.path.exists("out.dot"):
            with open("out.dot", encoding="utf-8") as file:
                events = file.read()
            os.remove("out.dot")
        seen[name] = [result.get(key) for key in COUNTS], defects, events
    check(f"{program}: unfolding", all(s == seen["threads"] for s in seen.values()), [s[:2] for s in seen.values()])
    check(f"{program}: events", len(seen["threads"][2]) > 100 or result["uncontrolled"] or not result["finished"], result)
    return result


FAMILIES = [("disp", 3, 3), ("mpat", 3, 1), ("mpc", 2, 3), ("pi", 4, 1), ("pol", 3, 3), ("ssbexp", 4, 1), ("ssb3", 3, 3), ("spat", 3, 3),
            ("tiny", 3, 2)]
CASES_OF = ("cases", "system", "locks", "objects")
LEFT_OUT = ("endless", "for-ever", "blocks", "external")  # never end, or not deterministic
RESTORED = ("data", "heap", "handed-on", "files", "filled", "signals", "ends-in-handler", "output", "closes", "replaces")
APART = {"grows": "brk", "grows-and-waits": "brk", "limits": "prlimit64", "protects": "mprotect"}


def levels():
    """Standard input is read from the same place by each exploration."""
    program = build(f"{CASES}/restore.c", "restore")
    for name, options in BACKENDS.items():
        result = explore(f"standard input, each level, {name}", [program, "closes"], *options, "--atomics", "auto", *AT_LEISURE, status=0)
        check(f"each level, {name}", result["restarts"] > 0 and result["atomics"]["level"] == "all", result)


def same_unfoldings():
    for name, a, b in FAMILIES:
        compare([build(f"{PROGRAMS}/{name}.c", f"{name}-{a}-{b}", f"-DPARAM1={a}", f"-DPARAM2={b}")])
    for source in CASES_OF:
        program = build(f"{CASES}/{source}.c", source)
        with open(f"{CASES}/{source}.c", encoding="utf-8") as file:
            cases = re.findall(r'\{"([a-z0-9-]+)", ', file.read())
        check(f"{source}: cases", len(cases) > 5, cases)
        for case in cases:
            if case not in LEFT_OUT:
                compare([program, case])


def restored(program):
    for case in RESTORED:
        result = compare([program, case], status=0)
        check(f"{case}: in place", result["mode"] == "inprocess" and result["own_process"] == 0, result)
    for case in ("crashes", "wrecks", "catches"):
        result = compare([program, case], status=1)
        check(f"{case}: in place", result["own_process"] == 0 and result["own_process_because"] is None, result)
    done = unfold("--mode", "inprocess", "--stdout", "keep", "--", program, "heap")
    lines = [line for line in done.stdout.splitlines() if line.startswith("0x")]
    check("heap: the same addresses in each order", len(lines) == 4 and len(set(lines)) == 2, done.stdout)


def apart(program):
    for case, call in APART.items():
        result = compare([program, case])
        check(f"{case}: apart", result["own_process"] == result["executions"] == 2, result)
        check(f"{case}: why", re.search(rf"{call}, called at restore\.c:\d+", result["own_process_because"] or ""), result)
    result = compare([program, "one-order"])
    check("one-order: apart once", result["own_process"] == 1, result)
    done = unfold("--mode", "inprocess", "--", program, "grows")
    check("said once", done.stdout.count("process of its own") == 1, done.stdout)
    for options in BACKENDS.values():
        why = explore(f"raw-end {options}", [program, "raw-end"], *options, status=4)["uncontrolled"]
        check(f"raw-end {options}", "by a system call of its own, with status 5" in why, why)


def not_in_place(program):
    for variable, why in (("WRITABLE_CODE", "writable and executable"), ("MUCH_MEMORY", "more than 1 GB")):
        result = explore(variable, [program, "signals"], "--mode", "inprocess", status=0, env={**os.environ, variable: "1"})
        check(f"{variable}: forked", result["mode"] == "fork" and why in result["own_process_because"], result)
        check(f"{variable}: traces", result["traces"] == 2, result)


def old_system(program):
    done = run(program, "without-dispatch", UNFOLD, "--json", "--mode", "inprocess", "--", program, "signals")
    result = json.loads(done.stdout or "{}")
    check("old system: forked", done.returncode == 0 and result["mode"] == "fork" and "Linux 5.11" in result["own_process_because"], done)


def outputs(program):
    for option, count in (("keep", 2), ("first", 1), ("discard", 0)):
        done = unfold("--mode", "inprocess", "--stdout", option, "--", program, "output")
        check(f"standard output, {option}", done.stdout.count("no line yet, bye") == count, done.stdout)
        check(f"standard error, {option}", done.stderr.count("an error") == count, done.stderr)
    done = unfold("--mode", "inprocess", "--stdout", "keep", "--json", "--", program, "output")
    check("output beside JSON", done.stderr.count("bye") == 2 and "bye" not in done.stdout, done)


def ends():
    """Limits and watching over executions that never end."""
    for case, options, status, word in (("endless", ["--max-seconds", "1"], 3, "seconds"), ("two", ["--max-executions", "1"], 3, "executions"),
                                        ("crash", ["--stop-at-first"], 1, "first defect")):
        result = explore(case, ["./cases", case], "--mode", "inprocess", *options, status=status)
        check(f"{case}: stopped by {word}", result["stopped"] == word, result)


def main():
    with open("input", "w", encoding="utf-8") as file:
        file.write("first line\nsecond line\n")
    program = build(f"{CASES}/restore.c", "restore")
    same_unfoldings()
    if scans(UNFOLD):
        levels()
    else:
        print(WITHOUT_ZYDIS + "each level is left out")
    restored(program)
    apart(program)
    not_in_place(program)
    old_system(program)
    outputs(program)
    ends()
    if shutil.which("c++") is not None:
        compare([build(f"{CASES}/restore.cpp", "restore-cpp", compiler=["c++"])])


sys.exit(in_own_folder(main))
