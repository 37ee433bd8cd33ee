#!/usr/bin/env python3
"""unfold --shorten: run_shorten.py UNFOLD UNFOLD-MODEL CASES-FOLDER [PROGRAMS [SEED]].

Every result is replayed. Random programs in two languages must come to the same fewest steps, where
both are proved; no result has fewer steps than a proof allows."""
import os
import random
import re
import signal
import subprocess
import sys
import time

import alike
import common
from common import check, compiled, kinds, result_of, run

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from interrupts import wait_until  # noqa: E402 (in the folder above)

UNFOLD, MODEL, CASES = (os.path.abspath(p) for p in sys.argv[1:4])
PROGRAMS = int(sys.argv[4]) if len(sys.argv) > 4 else 12
SEED = int(sys.argv[5]) if len(sys.argv) > 5 else 1


def steps_of(path):
    """The steps of a schedule, and how often the thread changes."""
    with open(path, encoding="utf-8") as file:
        lines = [line.split()[0] for line in file.read().splitlines()[2:-1]]
    return len(lines), sum(a != b for a, b in zip(lines, lines[1:]))


def confirmed(program, defect):
    """The schedule has what is said of it, and a replay shows the defect."""
    short = defect["shortened"]
    if "why" in short:
        return True
    after = (short["steps"]["after"], short["switches"]["after"])
    done = run(UNFOLD, "--replay", defect["schedule"], "--", *program)
    named = {"deadlock": "deadlock", "assertion": "failed assertion", "crash": "crash", "misuse": "misuse"}
    return (steps_of(defect["schedule"]) == after and short["steps"]["after"] <= short["steps"]["before"]
            and done.returncode == 1 and re.search(f"^{named[defect['kind']]}", done.stdout, re.M) is not None)


def explored(name, program, *words):
    result = result_of(run(UNFOLD, "--json", "--shorten", "--trace-dir", "traces", *words, "--", *program))
    for defect in result["defects"]:
        check(f"{name} is replayed", confirmed(program, defect), defect)
    return result


# In shorten.c: two creations, two sections of two operations in each thread, two joins.
WHOLE = 2 + 2 * (2 + 2) + 2


def switches(path):
    """Main creates both and joins both. Of two reads in front of two writes the thread that is last
    is the first one, or the second."""
    with open(path, encoding="utf-8") as file:
        sections = [line.split()[0] for line in file if " acq " in line]
    return 4 if len(sections) != 4 or sections[0] == sections[3] else 5


def known():
    """What is busy beside the two threads is left out; of the rest the fewest are known."""
    for name, program, kind, fewest in (("lost", ["lost"], "assertion", WHOLE), ("crash", ["crash"], "crash", WHOLE),
                                        ("busy", ["busy", "100"], "assertion", WHOLE + 1)):
        for words in ([], ["--mode", "inprocess"], ["--algorithm", "random", "--runs", "20"]):
            result = explored(name, ["./shorten", *program], "--shorten-seconds", "200", *words)
            check(f"{name} {words} is found", kinds(result) == [kind], result)
            for defect in result["defects"]:
                short = defect["shortened"]
                check(f"{name} {words} is short", short.get("steps", {}).get("after") == fewest, short)
                check(f"{name} {words} has few switches", short.get("switches", {}).get("after") == switches(defect["schedule"]), short)


def hostile():
    """What is tried hangs, ends by itself, or is another program each time: the time is kept."""
    for name in ("hang", "ended"):
        result = explored(name, ["./shorten", name], "--stop-at-first", "--shorten-seconds", "6")
        check(f"{name} is found", kinds(result) == ["assertion"], result)
        check(f"{name} is not proved", not any(d["shortened"].get("steps", {}).get("fewest") for d in result["defects"]), result)
    result = result_of(run(UNFOLD, "--json", "--shorten", "--max-executions", "1", "--trace-dir", "traces", "--", "./shorten", "changing", "./changes"))
    check("a program that changes is reported", result["uncontrolled"] is None or "deterministic" in result["uncontrolled"], result)


def interrupted():
    """When a defect was found, or later: the shortening ends, and what is known is printed. What is
    proved by then is right."""
    for later in (0, 4):
        interrupt(later, f"cut-{later}")


def interrupt(later, folder):
    os.mkdir(folder)
    child = subprocess.Popen([UNFOLD, "--json", "--shorten", "--shorten-seconds", "100", "--algorithm", "random", "--runs", "10",
                              "--trace-dir", folder, "--", "./shorten", "busy", "3000"], stdout=subprocess.PIPE, text=True)
    wait_until(child, lambda: os.path.exists(f"{folder}/trace-1.unfs"))
    time.sleep(later)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate()
    result = result_of(subprocess.CompletedProcess([], child.returncode, out, ""))
    check("what was found is told after an interrupt", kinds(result) == ["assertion"], out)
    for defect in result["defects"]:
        check("what was found stays", os.path.exists(defect["schedule"]), defect)
        short = defect["shortened"]
        check("what is proved is right", "why" in short or not short["steps"]["fewest"] or short["steps"]["after"] == WHOLE + 1, defect)


def fewest(result):
    """The fewest steps of its deadlocks, and whether all are proved."""
    found = [d["shortened"] for d in result["defects"] if d["kind"] == "deadlock"]
    proved = all("steps" in f and f["steps"]["fewest"] for f in found)
    return min((f["steps"]["after"] for f in found if "steps" in f), default=None), proved


def languages():
    """Random programs with deadlocks. How much is proved natively depends on the time for it."""
    compared = proofs = 0
    draw = random.Random(SEED)
    for number in range(PROGRAMS):
        text, _, backend, program = alike.drawn(draw, number)
        with open("p.unf", "w", encoding="utf-8") as file:
            file.write(text)
        model = result_of(run(MODEL, "--json", "--shorten", "--shorten-seconds", "100", "p.unf"))
        least, known_to_be = fewest(model)
        if least is None or not known_to_be:
            continue
        result = explored(text, ["./alike", *program], *backend, "--shorten-seconds", "5", "--atomics", "off")
        found, proved = fewest(result)
        check("the model's fewest steps are a bound", found is not None and found >= least, (text, found, least))
        check("both have the same", not proved or found == least, (text, found, least))
        compared += 1
        proofs += proved
    print(f"{compared} programs with deadlocks compared, {proofs} proved twice")
    check("enough programs have deadlocks", compared * 12 >= PROGRAMS, compared)


def main():
    compiler = os.environ.get("CC", "cc").split()
    compiled(*compiler, "-g", "-O0", "-pthread", f"{CASES}/shorten.c", "-o", "shorten")
    compiled(*compiler, "-g", "-O0", "-pthread", f"{CASES}/alike.c", "-o", "alike")
    known()
    hostile()
    interrupted()
    languages()


sys.exit(common.in_own_folder(main))
