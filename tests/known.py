"""All rows of tests/golden/known.csv by several workers: a campaign of jobs.py and ranks.py."""
import pathlib

KEYS = "complete blocked redundant errors".split()


def known(root, families, explore):
    """Prints which rows do not agree, and how many do; the exit status. `explore` has the path of a
    program and options, and comes back with the status, what JSON said, and errors."""
    rows = agree = executions = 0
    for line in (root / "tests/golden/known.csv").read_text().splitlines():
        if line.startswith(("#", "program,")):
            continue
        name, bound, ifaa, complete, blocked = line.split(",")[:5]
        words = ["--ifaa"] * int(ifaa) + ([] if bound == "-" else ["--bound=" + bound])
        _, result, errors = explore(pathlib.Path(families) / f"{name}.unf", *words)
        counts = [result[key] for key in KEYS] if result else errors
        good = counts == [int(complete), int(blocked), 0, 0]
        both = bool(result) and sum(w["executions"] > 0 for w in result["jobs"]["workers"]) > 1
        rows, agree = rows + 1, agree + good
        executions += result["executions"] if result else 0
        if not good:
            print(f"{name} {' '.join(words)}: {counts}, not {complete} and {blocked}")
        elif not both:
            print(f"{name} {' '.join(words)}: by one worker alone")
    print(f"{agree} of {rows} rows agree, {executions} executions")
    return agree != rows
