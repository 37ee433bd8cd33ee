#!/usr/bin/env python3
"""Locks, conditions, channels and tasks of GLib, Rust, C++20, OpenMP and TBB, in programs that are
not compiled for this, each once right and once with a mistake: run_targets.py UNFOLD UNFOLD-MODEL
CALLBACKS-LIBRARY FOLDER."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

UNFOLD, MODEL, CALLBACKS, FOLDER = (os.path.abspath(p) for p in sys.argv[1:5])
sys.path.insert(0, FOLDER)
from models import LIBSTDCXX, MODELS  # noqa: E402 (beside the programs)

# Loads that rmw does not see decide in some of them, which other orders of a trace would show.
RMW = ("--atomics", "rmw", "--reorder", "0", "--learn", "off")
BACKENDS = (("--mode", "inprocess"), ("--backend", "fibers", "--order", "random", "--seed", "5"), ("--mode", "inprocess", "--algorithm", "odpor"))
# Programs, how they are explored, and what is found with the mistake.
TARGETS = [
    ("glib", "mutex", RMW, "deadlock"), ("glib", "condition", RMW, "deadlock"),
    ("rust", "mutex", RMW, "deadlock"), ("rust", "condvar", RMW, "deadlock"), ("rust", "rwlock", RMW, "exit"), ("rust", "scoped", RMW, "exit"),
    ("cxx20", "latch", RMW, "deadlock"), ("cxx20", "semaphore", RMW, "deadlock"), ("cxx20", "wait", RMW, "deadlock"),
    ("cxx20", "future", RMW, "deadlock"), ("cxx20", "jthread", RMW, "assertion"),
]
# With callbacks, loads and stores are seen as well.
WATCHED = [("latch", "deadlock"), ("barrier", "deadlock"), ("semaphore", "deadlock"), ("wait", "deadlock"), ("future", "deadlock"), ("jthread", "assertion")]
# What decides there is written or read by plain instructions. These are explored with all accesses:
# to their end, or as far as this goes.
ALL = ("--atomics", "all", "--reorder", "0")
WHOLE = [("rust", "joined"), ("cxx20", "barrier"), ("openmp", "critical"), ("openmp", "for")]
PARTLY = [("glib", "pool"), ("rust", "channel"), ("openmp", "tasks")]
MISTAKES = [("rust", "joined", "exit"), ("cxx20", "barrier", "deadlock"), ("openmp", "critical", "assertion"), ("openmp", "for", "assertion"),
            ("openmp", "tasks", "assertion"), ("glib", "pool", "assertion")]
# And why one is not, as is said.
NOT_YET = [("tbb", "for", "the program is not deterministic, or has a data race")]
failures = []


def check(what, good, seen=""):
    if not good:
        failures.append(what)
        print(f"FAIL {what} {seen}")


def compiled(*words):
    subprocess.run(words, check=True)


def output(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def build():
    def source(name):
        return os.path.join(FOLDER, name)
    beside = os.path.dirname(CALLBACKS)
    glib = output("pkg-config", "--cflags", "--libs", "glib-2.0").split()
    compiled("gcc", "-g", "-O2", "-pthread", source("glib.c"), *glib, "-o", "glib")
    compiled(shutil.which("rustc", path="/usr/bin") or "rustc", "-g", "-O", source("rust.rs"), "-o", "rust")
    compiled("g++", "-std=c++20", "-g", "-O2", "-pthread", source("cxx20.cpp"), "-o", "cxx20")
    compiled("g++", "-std=c++20", "-g", "-O0", "-fsanitize=thread", "-c", source("cxx20.cpp"), "-o", "watched.o")
    compiled("g++", "-pthread", "watched.o", "-L" + beside, "-lunfold-callbacks", "-Wl,-rpath," + beside, "-o", "watched")
    compiled("gcc", "-g", "-O2", "-fopenmp", source("openmp.c"), "-o", "openmp")
    compiled("g++", "-std=c++17", "-g", "-O2", "-pthread", source("tbb.cpp"), "-ltbb", "-o", "tbb")


def explore(*words):
    done = subprocess.run([UNFOLD, "--json", "--trace-dir", "traces", "--max-seconds", "60", *words], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=200, check=False)
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {"finished": False, "uncontrolled": done.stderr, "defects": [], "traces": None}


def modelled(text):
    with open("model.unf", "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run([MODEL, "--json", "--trace-dir", "traces", "model.unf"], capture_output=True, text=True, check=False)
    return json.loads(done.stdout)


def right(program, case, how):
    """Explored to its end, with as many traces in other orders and back-ends."""
    counts = set()
    for backend in BACKENDS:
        result = explore(*how, *backend, "--", f"./{program}", case)
        check(f"{program} {case} {backend}", result["finished"] and not result["defects"], result)
        counts.add((result["traces"], result.get("complete")))
    check(f"{program} {case}: orders of exploration agree", len(counts) == 1, counts)


def wrong(program, case, how, kind):
    result = explore(*how, "--mode", "inprocess", "--stop-at-first", "--", f"./{program}", case, "wrong")
    check(f"{program} {case} wrong", kind in [d["kind"] for d in result["defects"]], result)


def models():
    """The whole number of traces, and of deadlocks, of the models, right and wrong."""
    same_library = output("g++", "-dumpversion").split(".")[0] == LIBSTDCXX
    for (program, case), texts in MODELS.items():
        for text, words in zip(texts, ((), ("wrong",))):
            if program == "cxx20" and not same_library:
                continue
            model = modelled(text)
            how = ("--", "./watched") if program == "cxx20" else (*RMW, "--", f"./{program}")
            result = explore("--mode", "inprocess", *how, case, *words)
            check(f"{program} {case} {words}: as the model",
                  (result["traces"], result["deadlocks"]) == (model["traces"], model["deadlocks"]) and result["finished"], (result, model))


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        build()
        for program, case, how, kind in TARGETS:
            right(program, case, how)
            wrong(program, case, how, kind)
        for case, kind in WATCHED:
            right("watched", case, ("--races",))
            wrong("watched", case, ("--races",), kind)
        for program, case in WHOLE:
            right(program, case, ALL)
        for program, case, kind in MISTAKES:
            wrong(program, case, ALL, kind)
        for program, case in PARTLY:
            result = explore(*ALL, "--mode", "inprocess", "--max-executions", "20", "--", f"./{program}", case)
            check(f"{program} {case} partly", result["uncontrolled"] is None and not result["defects"] and result["traces"] > 1, result)
        for program, case, why in NOT_YET:
            result = explore(*ALL, "--", f"./{program}", case)
            check(f"{program} {case} is not explored", why in (result["uncontrolled"] or ""), result)
        models()
        result = explore("--atomics", "auto", "--atomics-budget", "60", "--mode", "inprocess", "--", "./cxx20", "lock")
        check("what was found at one level is not lost at another", "deadlock" in [d["kind"] for d in result["defects"]], result)
        os.chdir("/")
    print("all good" if not failures else f"{len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
