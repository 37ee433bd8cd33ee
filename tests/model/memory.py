#!/usr/bin/env python3
"""Refuses the allocations of unfold-model one by one.

    memory.py UNFOLD_MODEL REFUSE_LIBRARY SOURCE_ROOT

Whatever is refused, the program ends with its ordinary result, or says that there was no memory and
ends with status 3, or 1 when it has a defect to report. It never crashes, and never calls the
program or its options wrong.
"""
import json
import os
import pathlib
import subprocess
import sys

PROGRAM, LIBRARY, ROOT = sys.argv[1:4]
SOLVER = os.path.join(os.path.dirname(PROGRAM), "unfold-solver")
SAMPLES = pathlib.Path(ROOT) / "examples" / "model" / "programs"
MOST = 60  # allocations of each case that are refused, evenly chosen
CASES = [
    ["count.unf", "--json"],
    ["abba.unf"],
    ["abba.unf", "--json"],
    ["wakeup.unf", "--algorithm=odpor"],
    ["race.unf", "--order=random", "--json"],
    ["cas-loop.unf", "--algorithm=eager", "--json"],
    ["spin.unf", "--purity=on", "--json"],
    ["race.unf", "--report=/dev/null"],
    ["abba.unf", "--shorten"],
    ["pipeline.unf", "--json"],
    ["pipeline-broken.unf", "--cutoffs=erv", "--json"],
    ["wordlock-broken.unf", "--shorten", "--json"],
] + [["inputs.unf", "--json"], ["inputs.unf", "--algorithm=odpor", "--order=dfs"]] * os.path.exists(SOLVER)


def run(arguments, **refusal):
    environment = {**os.environ, "LD_PRELOAD": LIBRARY, **{f"REFUSE_{name}": str(value) for name, value in refusal.items()}}
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, env=environment, timeout=120,
                          pass_fds=[refusal["COUNT"]] if "COUNT" in refusal else [])


def allocations(arguments):
    """How many a run makes, and the run."""
    reader, writer = os.pipe()
    whole = run(arguments, COUNT=writer)
    os.close(writer)
    with os.fdopen(reader) as file:
        return int(file.read()), whole


def result(ran):
    """What must not differ between two runs that end in the ordinary way."""
    try:
        found = json.loads(ran.stdout)
        return found["traces"], found["executions"], len(found["defects"])
    except ValueError:
        return ran.stdout.split("\n")[:2]


def wrong_with(ran, whole):
    """What is wrong with a run of which something was refused; None: nothing."""
    said = ran.stdout + ran.stderr
    if ran.returncode not in (whole.returncode, 1, 3):
        return f"status {ran.returncode}"
    if "memory" in ran.stderr or "out of memory" in ran.stdout:
        return None
    if ran.returncode != whole.returncode or result(ran) != result(whole):
        return "another result, and memory is not named"
    return None if said else "nothing was said"


def main():
    passed = failed = 0
    for words in CASES:
        arguments = [str(SAMPLES / words[0]), *words[1:]]
        count, whole = allocations(arguments)
        if whole.returncode not in (0, 1):
            sys.exit(f"{words}: status {whole.returncode} with all memory:\n{whole.stderr}")
        for at in range(1, count + 1, max(1, count // MOST)):
            for more in ({}, {"ON": 1}):
                ran = run(arguments, AT=at, **more)
                problem = wrong_with(ran, whole)
                passed, failed = passed + (problem is None), failed + (problem is not None)
                if problem is not None:
                    print(f"{' '.join(words)}: allocation {at}{' and all after it' if more else ''}: {problem}\n"
                          f"{ran.stdout}{ran.stderr}")
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
