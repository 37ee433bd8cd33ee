"""Table 1 of the paper on symbolic partial-order execution (CAV 2020), for a checkout of the
benchmarks of SV-COMP: of each category and property the verdicts that are right, wrong, and
missing, and why."""
import json
import os
import re
import subprocess
import tempfile

CATEGORIES = ("pthread", "pthread-driver-races", "pthread-atomic", "pthread-ext", "pthread-lit", "pthread-divine", "pthread-nondet",
              "pthread-C-DAC", "pthread-complex", "pthread-memsafety", "pthread-race-challenges", "pthread-deagle", "ldv-races",
              "ldv-linux-3.14-races", "goblint-regression", "weaver")
# What a violation is found as, and the options of it.
PROPERTIES = {"unreach-call": ("assertion", ["--races-as-atomics"]), "no-data-race": ("race", []),
              "no-overflow": ("runtime", ["--races-as-atomics", "--overflow"]), "valid-memsafety": ("memory", ["--races-as-atomics", "--leaks"])}
# abort() is how these programs assume something; POSIX allows a wait to end so.
ALWAYS = ["--aborts=end", "--spurious=1"]
# A program without an end is looked into so far.
BOUNDS = ["--max-threads=6", "--max-operations=40", "--max-branches=12", "--max-silent=200000", "--zero-memory"]
BOUNDED = {"threads", "operations", "branches", "instructions", "values"}
FLAGS = "-w -Wno-implicit-function-declaration -Wno-int-conversion -Wno-implicit-int -Wno-return-type"


def tasks(folder):
    """Programs and what is expected of a property of theirs."""
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".yml"):
            continue
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            text = file.read()
        program = re.search(r"^input_files:\s*(?:-\s*)?['\"]?([^'\"\n\[\]]+)", text, re.M)
        for found in re.finditer(r"property_file: \S*?([a-z-]+)\.prp\s+expected_verdict: (true|false)", text):
            if program and found.group(1) in PROPERTIES:
                yield os.path.join(folder, program.group(1).strip()), found.group(1), found.group(2) == "true"


def restore(text):
    """A preprocessed program with its includes in place of what headers of the system made of them,
    which may be those of another machine (ILP32)."""
    out, stack = [], []
    for line in text.splitlines():
        mark = re.match(r'# (\d+) "([^"]*)"((?: \d)*)$', line)
        if not mark:
            if len(stack) < 2:
                out.append(line)
            continue
        path, flags = mark.group(2), mark.group(3).split()
        header = re.match(r"/usr/(?:local/)?(?:include|lib/(?:gcc|clang|llvm)\S*/include(?:-fixed)?)/(?:(?:x86_64|i[36]86)-[^/]+/)?(.*)", path)
        if "1" in flags:
            if len(stack) == 1 and header:
                out.append(f"#include <{header.group(1)}>")
            if header or len(stack) > 1:
                stack.append(path)
        elif "2" in flags and len(stack) > 1:
            stack.pop()
        elif not stack:
            stack.append(path)
    return "\n".join(out) + "\n"


def explore(unfold, solver, program, folder, seconds, memory, options):
    done = subprocess.run([unfold, "--json", "--solver", solver, f"--max-seconds={seconds}", f"--max-memory={memory}", *ALWAYS,
                           f"--clang-flags={FLAGS} -iquote {folder}", *options, program], capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout)
    except ValueError:
        said = done.stderr.strip().splitlines() or ["no answer"]
        return {"defects": [], "finished": False, "stopped": None, "seconds": 0.0, "peak_rss_bytes": 0, "executions": 0,
                "uncontrolled": next((line for line in said if "error:" in line), said[-1])}


def ends_at_error(text):
    """Whether a program ends where it calls reach_error(): nothing is behind that, then."""
    return "reach_error" not in text or re.search(r"reach_error\s*\([^)]*\)\s*\{[^}]*(assert|abort)", text) is not None


def is_violation(defect, wanted):
    """One that is possible only, of which no inputs are known, is none."""
    return (defect["kind"] == PROPERTIES[wanted][0] and (wanted != "no-overflow" or defect.get("text") == "signed overflow") and
            defect.get("inputs", {}) is not None)


def verdict(unfold, solver, program, folder, wanted, seconds, memory):
    """Of a task: True, False, or why neither; the seconds, and the bytes."""
    seen = {"seconds": 0.0, "most": 0}
    with open(program, encoding="utf-8", errors="replace") as file:
        no_end = {"race", "deadlock"} | ({"assertion"} if wanted != "unreach-call" and ends_at_error(file.read()) else set())

    def look(more):
        """True or False, or None, with why."""
        result = explore(unfold, solver, program, folder, seconds, memory, PROPERTIES[wanted][1] + more)
        seen["seconds"] += result["seconds"]
        seen["most"] = max(seen["most"], result["peak_rss_bytes"])
        others = sorted({d["kind"] for d in result["defects"]} - no_end)
        if any(is_violation(d, wanted) for d in result["defects"]):
            return False, None
        if result["finished"] and not others:
            return True, None
        if result["uncontrolled"]:
            return None, f"refused: {result['uncontrolled']}"
        return None, result["stopped"] or f"behind {', '.join(others)}"

    answer, why = look(["--stop-at-first"])
    if why == "first":
        answer, why = look([])
    if answer is None and not why.startswith("refused"):
        answer, limit = look(BOUNDS)
        if answer is True or limit in BOUNDED:
            answer, why = None, f"bounded: {why}"
    return why if answer is None else answer, seen["seconds"], seen["most"]


def rows(unfold, solver, folder, seconds, memory):
    """Rows by property, and lines on tasks without the right verdict."""
    found, remarks = {}, []
    with tempfile.TemporaryDirectory() as restored:
        for program, wanted, expected in tasks(folder):
            name = os.path.splitext(os.path.basename(program))[0]
            source = os.path.join(restored, name + ".c")
            with open(program, encoding="utf-8", errors="replace") as file:
                text = file.read()
            if program.endswith(".i"):
                with open(source, "w", encoding="utf-8") as file:
                    file.write(restore(text))
                program = source
            answer, took, memory_of = verdict(unfold, solver, program, folder, wanted, seconds, memory)
            row = found.setdefault(wanted, {"tasks": 0, "true": 0, "false": 0, "bounded": 0, "none": 0, "refused": 0, "wrong": 0, "time": 0.0, "most": 0})
            row["tasks"] += 1
            row["time"] += took
            row["most"] = max(row["most"], memory_of)
            if isinstance(answer, bool):
                row[str(answer).lower() if answer == expected else "wrong"] += 1
            else:
                row["bounded" if answer.startswith("bounded") else "refused" if answer.startswith("refused") else "none"] += 1
            if answer is not expected:
                remarks.append(f"  {name} {wanted}, expected {str(expected).lower()}: {answer} ({took:.0f} s)")
    return found, remarks


def run(unfold, solver, checkout, seconds, memory):
    print("category | property | tasks | right: true | false | bounded | none | refused | wrong | time | most memory")
    base = os.path.join(checkout, "c") if os.path.isdir(os.path.join(checkout, "c")) else checkout
    absent = []
    for category in CATEGORIES:
        folder = os.path.join(base, category)
        if not os.path.isdir(folder):
            absent.append(category)
            continue
        found, remarks = rows(unfold, solver, folder, seconds, memory)
        for wanted, r in found.items():
            print(f"{category} | {wanted} | {r['tasks']} | {r['true']} | {r['false']} | {r['bounded']} | {r['none']} | {r['refused']} | {r['wrong']} "
                  f"| {r['time']:.0f} s | {r['most'] / 1e6:.0f} MB", flush=True)
        for remark in remarks:
            print(remark, flush=True)
    if absent:
        print(f"not there: {', '.join(absent)}")
