"""Table 1 of the paper on symbolic partial-order execution (CAV 2020), for a checkout of the
benchmarks of SV-COMP: of each category verdicts that are right, wrong, and missing."""
import json
import os
import re
import subprocess

CATEGORIES = ("pthread", "pthread-driver-races")


def tasks(folder):
    """Programs and what is expected of a property of theirs: reachability, or no data race."""
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".yml"):
            continue
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            text = file.read()
        program = re.search(r"^input_files:\s*['\"]?([^'\"\n]+)", text, re.M)
        for found in re.finditer(r"property_file: \S*?(unreach-call|no-data-race)\.prp\s+expected_verdict: (true|false)", text):
            if program:
                yield os.path.join(folder, program.group(1).strip()), found.group(1), found.group(2) == "true"


def verdict(unfold, solver, program, wanted, seconds, memory):
    """True, False, or None; and what it took. Behind something else that is wrong it goes on."""
    kind, took, most = {"unreach-call": "assertion", "no-data-race": "race"}[wanted], 0.0, 0
    rounds = (["--races=continue", "--stop-at-first"], ["--races=continue"]) if kind == "assertion" else ([],)
    for more in rounds:
        done = subprocess.run([unfold, "--json", "--solver", solver, f"--max-seconds={seconds}", f"--max-memory={memory}", *more, program],
                              capture_output=True, text=True, check=False)
        try:
            result = json.loads(done.stdout)
        except ValueError:
            return None, took, most
        took, most = took + result["seconds"], max(most, result["peak_rss_bytes"])
        if kind in {d["kind"] for d in result["defects"]}:
            return False, took, most
        if result["stopped"] != "first":
            break
    return True if result["finished"] else None, took, most


def run(unfold, solver, checkout, seconds, memory):
    print("category | property | programs | right | wrong | none | time | most memory")
    base = os.path.join(checkout, "c") if os.path.isdir(os.path.join(checkout, "c")) else checkout
    for category in CATEGORIES:
        folder = os.path.join(base, category)
        if not os.path.isdir(folder):
            print(f"{category} | - | not there: {folder}")
            continue
        rows = {}
        for program, wanted, expected in tasks(folder):
            answer, took, memory_of = verdict(unfold, solver, program, wanted, seconds, memory)
            row = rows.setdefault(wanted, [0, 0, 0, 0.0, 0])
            row[2 if answer is None else 0 if answer == expected else 1] += 1
            row[3] += took
            row[4] = max(row[4], memory_of)
        for wanted, (right, wrong, none, took, most) in rows.items():
            print(f"{category} | {wanted} | {right + wrong + none} | {right} | {wrong} | {none} | {took:.0f} s | {most / 1e6:.0f} MB", flush=True)
