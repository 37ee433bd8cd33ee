#!/usr/bin/env python3
"""Known traces in another order: run_reorder.py UNFOLD PROGRAMS-FOLDER CASES-FOLDER.

Programs whose plain accesses race are found, those without a race are not, and what is explored is
the same whatever the share. Where all accesses are seen, as by default in small programs, there is
nothing left to find so: the races are explored, and what they lead to is found as such. Hence
--atomics off, but for what says otherwise."""
import glob
import json
import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor

from common import BACKENDS, WITHOUT_ZYDIS, check, compiled, in_own_folder, run, scans

UNFOLD, PROGRAMS, CASES = (os.path.abspath(p) for p in sys.argv[1:4])
CC = os.environ.get("CC", "cc").split()
OFF = ["--atomics", "off"]


def build(source, name, *flags):
    compiled(*CC, "-g", "-O0", "-pthread", *flags, source, "-o", name)
    return "./" + name


def unfold(*words):
    words = [*OFF, *words] if "--atomics" not in words else words
    return run(UNFOLD, *words)


def explore(program, *options):
    done = unfold("--json", *options, "--", *program)
    result = json.loads(done.stdout)
    result["status"] = done.returncode
    return result


def explored(result):
    return [result[key] for key in ("traces", "complete", "deadlocks", "errors", "executions", "redundant", "events", "steps", "finished")]


# case, text of the finding, its threads: state, operation, place and object
FOUND = [
    ("goes-on", "a thread goes on otherwise", [("in one order", "join", 35, None), ("in the other", "lock", 17, "mutex other")]),
    ("status", "the end is another: exit status 1, expected 0", [("stopped", None, None, None)]),
    ("asserts", "assertion `shared == 0' failed", [("in one order", "join", 60, None), ("in the other", "halt", 59, None)]),
    ("crashes", "the end is another: SIGSEGV at address", [("in one order", "lock", 17, "mutex other"), ("in the other", "halt", 73, None)]),
    ("initial", "a semaphore whose initial value depends on the order is not supported", []),
]


def cases(program):
    for how in BACKENDS:
        for case, text, threads in FOUND:
            seen = explore([program, case], *how)
            what = f"{case} {how}"
            check(f"{what}: found", [d["kind"] for d in seen["defects"]] == ["reordered"] and seen["status"] == 1, seen)
            check(f"{what}: counts", (seen["traces"], seen["reordered"], seen["errors"]) == (1, 1, 0), seen)
            (defect,) = seen["defects"] or [{"text": "", "threads": []}]
            said = [(t["state"], t["operation"], t["place"], t.get("note")) for t in defect["threads"]]
            wanted = [(s, o, p and f"reorder.c:{p}", n) for s, o, p, n in threads]
            check(f"{what}: said", text in defect["text"] and said == wanted, (defect["text"], said))
            seen = explore([program, case], "--reorder", "0", *how)
            check(f"{what}: switched off", (seen["defects"], seen["reordered"], seen["status"]) == ([], 0, 0), seen)
        for case, traces in ("ordered", 2), ("copied", 1):
            seen = explore([program, case], "--reorder", "100", *how)
            check(f"{case} {how}", (seen["defects"], seen["traces"], seen["reordered"]) == ([], traces, traces), seen)


def levels(program):
    """Without other accesses a difference may come from a load; with all there is none."""
    for how in BACKENDS:
        seen = explore([program, "loads"], "--atomics", "rmw", *how)
        loads = [u["count"] for u in seen["unseen"] if u["why"] == "loads"]
        check(f"loads {how}", (seen["defects"], loads, seen["status"]) == ([], [1], 0), seen)
        seen = explore([program, "loads"], "--atomics", "all", "--reorder", "100", *how)
        check(f"loads {how}: all", (seen["defects"], seen["finished"], seen["reordered"]) == ([], True, seen["traces"])
              and "loads" not in [u["why"] for u in seen["unseen"]], seen)
        seen = explore([program, "goes-on"], "--atomics", "rmw", *how)
        check(f"goes-on {how}: rmw", [d["kind"] for d in seen["defects"]] == ["reordered"], seen)
        seen = explore([program, "asserts"], "--atomics", "all", *how)
        check(f"asserts {how}: all", ([d["kind"] for d in seen["defects"]], seen["reordered"]) == (["assertion"], 0), seen)
        seen = explore([program, "padding"], "--atomics", "all", "--reorder", "100", *how)
        check(f"padding {how}", (seen["defects"], seen["finished"], seen["reordered"]) == ([], True, seen["traces"]) and seen["traces"] > 1, seen)


def replays(program):
    """Both orders, which come to different ends."""
    seen = explore([program, "asserts"], "--trace-dir", "both")
    other = re.search("the other order is (both/trace-2.unfs)", seen["defects"][0]["text"])
    check("the other schedule", other and seen["defects"][0]["schedule"] == "both/trace-1.unfs", seen)
    first, second = (unfold("--replay", f"both/trace-{i}.unfs", "--", program, "asserts") for i in (1, 2))
    check("the first order", first.returncode == 0 and "nothing found" in first.stdout, first)
    check("the other order", second.returncode == 1 and "assertion `shared == 0' failed" in second.stdout, second)
    check("the same steps", sorted(set(re.findall(r"  (0\S* \w+ .*)", first.stdout)) - set(re.findall(r"  (0\S* \w+ .*)", second.stdout)))
          == ["0 join thread 0.0         reorder.c:60"], (first.stdout, second.stdout))


def seeds(program):
    """What is chosen is a function of the seed, and of nothing else."""
    chosen = [explore([program], "--reorder", "20", "--seed", str(s), *how)["reordered"] for s in (1, 1, 2, 3) for how in BACKENDS[1:]]
    check("the same seed", len(set(chosen[:4])) == 1 and len(set(chosen)) > 1, chosen)
    check("a share", all(137 * 0.1 < c < 137 * 0.4 for c in chosen), chosen)
    done = unfold("--reorder", "101", "--", program)
    check("at most 100", done.returncode == 2 and "at most 100" in done.stderr, done)
    check("a kind", unfold("--expect", "reordered", "--", "./reorder", "goes-on").returncode == 0)


def clean(source):
    """No program of the examples has a difference, but the one whose plain accesses race."""
    name = os.path.basename(source)[:-2]
    program = build(source, name, "-DPARAM1=3", "-DPARAM2=2")
    for how in BACKENDS[1:]:
        none, all_of_them = (explore([program], "--max-executions", "300", "--reorder", n, *how) for n in ("0", "100"))
        check(f"{name} {how}: the same", explored(none) == explored(all_of_them), (explored(none), explored(all_of_them)))
        found = [d["kind"] for d in all_of_them["defects"] if d["kind"] == "reordered"]
        check(f"{name} {how}: differences", found == (["reordered"] if name == "double_checked" else []), all_of_them["defects"])
        check(f"{name} {how}: performed", all_of_them["reordered"] == none["traces"] - none["truncated"], all_of_them["reordered"])


def in_blocks():
    """Where all accesses are seen: objects in blocks, written by functions of the C library."""
    compiled("c++", "-g", "-O2", "-pthread", f"{CASES}/guard.cpp", "-o", "guard")
    for case, traces in ("throws", 2), ("heap", 2):
        for backend in BACKENDS:
            result = explore(["./guard", case], *backend, "--atomics", "all", "--reorder", "100")
            seen = [result[key] for key in ("traces", "reordered", "finished", "uncontrolled")]
            check(f"{case} {backend}: each trace once more", seen == [traces, traces, True, None], result)


def main():
    program = build(f"{CASES}/reorder.c", "reorder")
    cases(program)
    if scans(UNFOLD):
        levels(program)
        in_blocks()
    else:
        print(WITHOUT_ZYDIS + "what other levels see is left out")
    replays(program)
    seeds(build(f"{PROGRAMS}/disp.c", "shares", "-DPARAM1=5", "-DPARAM2=2"))
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(clean, sorted(glob.glob(f"{PROGRAMS}/*.c") + glob.glob(f"{PROGRAMS}/bugs/*.c"))))


sys.exit(in_own_folder(main))
