#!/usr/bin/env python3
"""Numbers of processes and threads: run_numbers.py UNFOLD CASES-FOLDER.

A program calls whatever takes such a number, on itself and on a process that the test holds. The
first must work, in the same way in all executions and on all back-ends; the second must be refused
by name, and leave that process alone."""
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from common import check, compiled, in_own_folder, run

UNFOLD, CASES = (os.path.abspath(p) for p in sys.argv[1:3])
CC = os.environ.get("CC", "cc").split()
BACKENDS = {"threads": ["--backend", "threads"], "fibers": ["--backend", "fibers"], "in place": ["--mode", "inprocess"]}
WRAPPED = ("kill", "tgkill", "setpriority", "sched_setscheduler", "sched_setparam", "sched_setaffinity", "prlimit64", "ptrace", "fcntl")
# What the message says, where that is not the name of the case.
SAID = {"kill-group": "kill", "kill-all": "kill", "tkill": "tgkill", "setpriority-group": "setpriority", "fcntl-extended": "fcntl",
        "files": "writing to files of another process", "files-round-about": "writing to files of another process",
        "files-by-link": "writing to files of another process", "x32": "a system call of x32"}


def explore(what, words, status, before=()):
    done = run(*before, UNFOLD, "--json", *words)
    check(f"{what}: exit status {status}", done.returncode == status, f"{done.returncode} {done.stderr} {done.stdout[:600]}")
    return json.loads(done.stdout or "{}")


def state(number):
    """What can be done to a process, as far as it shows."""
    with open(f"/proc/{number}/status", encoding="utf-8") as file:
        traced = [line for line in file if line.startswith(("TracerPid", "SigPnd", "ShdPnd"))]
    with open(f"/proc/{number}/limits", encoding="utf-8") as file:
        limits = file.read()
    with open(f"/proc/{number}/oom_score_adj", encoding="utf-8") as file:
        score = file.read()
    return (os.getpriority(os.PRIO_PROCESS, number), os.sched_getscheduler(number), os.sched_getaffinity(number), os.getpgid(number),
            traced, limits, score)


def on_itself():
    for method in ("syscall", "inline"):
        seen = {}
        for name, options in BACKENDS.items():
            what = f"{method} {name}"
            result = explore(what, [*options, "--", "./numbers", "own", method], 0)
            seen[name] = [result.get(key) for key in ("traces", "events", "redundant", "finished")]
            check(f"{what}: two threads", result.get("traces", 0) > 1 and result.get("threads") == 2, result)
        check(f"{method}: the same on all back-ends", len(set(map(str, seen.values()))) == 1, seen)


def on_another(victim, calls):
    def one(case):
        name, options, method, call = case
        result = explore(f"{call} {method} {name}", [*options, "--", "./numbers", "other", method, call, str(victim)], 4)
        why, said = result.get("uncontrolled") or "", SAID.get(call, call)
        check(f"{call} {method} {name}: refused by name", re.search(rf"\b{said}\b.* is not supported, called at numbers\.c:\d+", why), why)

    cases = [(name, options, method, call) for name, options in BACKENDS.items() for method in ("syscall", "inline", "libc")
             for call in (WRAPPED if method == "libc" else calls)]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(one, cases))
    check("enough was tried", len(cases) > 200, len(cases))


def first_file():
    """The file of the program's number is the first thing that it asks for."""
    for name, options in BACKENDS.items():
        explore(f"first file {name}", [*options, "--", "./numbers", "own-file", "libc"], 0)


def without_filter():
    """Where the system has no filters of system calls: syscall() alone, and all in place."""
    before = ["./numbers", "without-filter"]
    result = explore("no filter", ["--", "./numbers", "own-number", "syscall"], 0, before)
    check("no filter: said", result.get("calls_seen") is False, result)
    result = explore("no filter, in place", ["--mode", "inprocess", "--", "./numbers", "own-number", "inline"], 0, before)
    check("no filter, in place: all are seen", result.get("calls_seen") is True, result)


def main():
    compiled(*CC, "-g", "-O0", "-pthread", f"{CASES}/numbers.c", "-o", "numbers")
    calls = subprocess.run(["./numbers", "other", "syscall", "list", "0"], capture_output=True, text=True, check=True).stdout.split()
    with subprocess.Popen(["sleep", "1000"], start_new_session=True) as victim:
        before = state(victim.pid)
        os.symlink("/proc", f"folder-{victim.pid}")
        try:
            on_itself()
            first_file()
            on_another(victim.pid, calls)
            check("the other process is unharmed", victim.poll() is None and state(victim.pid) == before, (before, victim.poll()))
        finally:
            victim.kill()
    without_filter()


sys.exit(in_own_folder(main))
