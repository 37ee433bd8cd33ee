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
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import refusals  # noqa: E402

PROGRAM, LIBRARY, ROOT = sys.argv[1:4]
SOLVER = os.path.join(os.path.dirname(PROGRAM), "unfold-solver")
SAMPLES = pathlib.Path(ROOT) / "examples" / "model" / "programs"
MOST = 60  # allocations of each case that are refused, evenly chosen
MOST_WITH_SOLVER = 24  # each of these starts a solver, which takes longer than all else
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
] + [["inputs.unf", "--json"], ["inputs.unf", "--cutoffs=erv", "--json"], ["inputs.unf", "--algorithm=odpor", "--order=dfs"]] * os.path.exists(SOLVER)


def run(arguments, **refusal):
    return refusals.run([PROGRAM, *arguments], LIBRARY, **refusal)


def result(ran):
    """What must not differ between two runs that end in the ordinary way."""
    try:
        found = json.loads(ran.stdout)
        return found["traces"], found["executions"], len(found["defects"])
    except ValueError:
        return ran.stdout.split("\n")[:2]


def main():
    passed = failed = 0
    for words in CASES:
        arguments = [str(SAMPLES / words[0]), *words[1:]]
        count, whole = refusals.allocations(lambda **refusal: run(arguments, **refusal))
        if whole.returncode not in (0, 1):
            sys.exit(f"{words}: status {whole.returncode} with all memory:\n{whole.stderr}")
        most = MOST_WITH_SOLVER if words[0] == "inputs.unf" else MOST
        for at in range(1, count + 1, max(1, count // most)):
            for more in ({}, {"ON": 1}):
                ran = run(arguments, AT=at, **more)
                problem = refusals.wrong_with(ran, whole, result)
                passed, failed = passed + (problem is None), failed + (problem is not None)
                if problem is not None:
                    print(f"{' '.join(words)}: allocation {at}{' and all after it' if more else ''}: {problem}\n"
                          f"{ran.stdout}{ran.stderr}")
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
