#!/usr/bin/env python3
"""Locks, conditions, channels, tasks of GLib, Rust, C++20, OpenMP and TBB, protocols of loads and
stores, in programs that are not compiled for this, each once right and once with a mistake:
run_targets.py UNFOLD UNFOLD-MODEL CALLBACKS-LIBRARY FOLDER."""
import os
import shutil
import subprocess
import sys

from common import AT_LEISURE, check, compiled, in_own_folder, kinds, linked_with, result_of, run

UNFOLD, MODEL, CALLBACKS, FOLDER = (os.path.abspath(p) for p in sys.argv[1:5])
sys.path.insert(0, FOLDER)
from models import LIBSTDCXX, MODELS  # noqa: E402 (beside the programs)

# Loads that rmw does not see decide in some of them, which other orders of a trace would show.
LEARNED = ("--atomics", "rmw", "--reorder", "0")
RMW = (*LEARNED, "--learn", "off")
# What decides is written or read by plain instructions.
ALL = ("--atomics", "all", "--reorder", "0")
IN_PLACE = ("--mode", "inprocess")
RANDOM = ("--order", "random", "--seed", "5")
# Programs, how they are explored, and what is found with the mistake: to the end.
TARGETS = [
    ("glib", "mutex", RMW, "deadlock"), ("glib", "condition", RMW, "deadlock"), ("glib", "pool", LEARNED, "assertion"),
    ("rust", "mutex", RMW, "deadlock"), ("rust", "condvar", RMW, "deadlock"), ("rust", "scoped", RMW, "exit"),
    ("rust", "rwlock", ALL, "exit"), ("rust", "joined", ALL, "exit"), ("rust", "channel", ALL, "exit"),
    ("cxx20", "latch", RMW, "deadlock"), ("cxx20", "barrier", ALL, "deadlock"), ("cxx20", "semaphore", RMW, "deadlock"),
    ("cxx20", "wait", RMW, "deadlock"), ("cxx20", "future", RMW, "deadlock"), ("cxx20", "jthread", RMW, "assertion"),
    ("openmp", "critical", ALL, "assertion"), ("openmp", "for", ALL, "assertion"),
    ("loads", "flags", ALL, "assertion"), ("loads", "dekker", ALL, "assertion"), ("loads", "seqlock", ALL, "assertion"),
]
FEW = ("glib", "loads")
# These are explored in one order: many traces, or executions that cost much. Where there are more
# than can be explored, how many executions are looked at.
MANY = [("openmp", "tasks", None), ("tbb", "for", None), ("tbb", "worker", 100)]
# With callbacks, loads and stores are seen as well.
WATCHED = [("latch", "deadlock"), ("barrier", "deadlock"), ("semaphore", "deadlock"), ("wait", "deadlock"), ("future", "deadlock"), ("jthread", "assertion")]
ATOMIC = ("flags", "dekker", "seqlock")


def output(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def build():
    def source(name):
        return os.path.join(FOLDER, name)
    glib = output("pkg-config", "--cflags", "--libs", "glib-2.0").split()
    compiled("gcc", "-g", "-O2", "-pthread", source("glib.c"), *glib, "-o", "glib")
    compiled(shutil.which("rustc", path="/usr/bin") or "rustc", "-g", "-O", source("rust.rs"), "-o", "rust")
    compiled("g++", "-std=c++20", "-g", "-O2", "-pthread", source("cxx20.cpp"), "-o", "cxx20")
    compiled("g++", "-std=c++20", "-g", "-O0", "-fsanitize=thread", "-c", source("cxx20.cpp"), "-o", "watched.o")
    compiled("g++", "-pthread", "watched.o", *linked_with(CALLBACKS), "-o", "watched")
    compiled("gcc", "-g", "-O2", "-fopenmp", source("openmp.c"), "-o", "openmp")
    compiled("g++", "-std=c++17", "-g", "-O2", "-pthread", source("tbb.cpp"), "-ltbb", "-Wl,--no-as-needed", "-ltbbmalloc", "-o", "tbb")
    compiled("gcc", "-g", "-O2", "-pthread", source("loads.c"), "-o", "loads")
    compiled("gcc", "-g", "-O0", "-Wno-tsan", "-fsanitize=thread", "-c", source("loads.c"), "-o", "told.o")
    compiled("gcc", "-pthread", "told.o", *linked_with(CALLBACKS), "-o", "told")
    os.environ["GOMP_SPINCOUNT"] = "0"  # its threads sleep at once


def explore(*words):
    return result_of(run(UNFOLD, "--json", "--trace-dir", "traces", *words))


def modelled(text):
    with open("model.unf", "w", encoding="utf-8") as file:
        file.write(text)
    return result_of(run(MODEL, "--json", "--trace-dir", "traces", "model.unf"))


def right(program, case, how):
    """Explored to its end, with as many traces in other orders; those of FEW not only in place."""
    counts = set()
    where = ("--backend", "fibers") if program in FEW else IN_PLACE
    for order in (IN_PLACE, (*where, *RANDOM), (*IN_PLACE, "--algorithm", "odpor")):
        result = explore(*how, *order, "--", f"./{program}", case)
        check(f"{program} {case} {order}", result["finished"] and not result["defects"], result)
        counts.add((result["traces"], result["complete"]))
    check(f"{program} {case}: orders of exploration agree", len(counts) == 1, counts)


def wrong(program, case, how, kind):
    """What is found is found by a replay, too, which is no execution in place."""
    result = explore(*how, "--mode", "inprocess", "--stop-at-first", "--", f"./{program}", case, "wrong")
    check(f"{program} {case} wrong", kind in kinds(result), result)
    schedule = next(d["schedule"] for d in result["defects"] if d["kind"] == kind)
    done = run(UNFOLD, "--backend", "fibers", *(w for w in how if w == "--races"), "--replay", schedule, "--", f"./{program}", case, "wrong")
    check(f"{program} {case} wrong: a replay", done.returncode == 1, done.stdout[-2000:] + done.stderr)


def many(program, case, most):
    limit = () if most is None else ("--max-executions", str(most))
    result = explore(*ALL, "--mode", "inprocess", "--algorithm", "odpor", *limit, "--", f"./{program}", case)
    enough = result["finished"] if most is None else result["traces"] == most
    check(f"{program} {case}", enough and not result["defects"] and result["traces"] >= 100, result)
    wrong(program, case, ALL, "assertion")


def models():
    """The whole number of traces, and of deadlocks and errors, of the models, right and wrong."""
    same_library = output("g++", "-dumpversion").split(".")[0] == LIBSTDCXX
    explored = {"cxx20": ("--", "./watched"), "glib": (*RMW, "--", "./glib"), "loads": (*ALL, "--", "./loads")}
    for (program, case), texts in MODELS.items():
        for text, words in zip(texts, ((), ("wrong",))):
            if program == "cxx20" and not same_library:
                continue
            model = modelled(text)
            result = explore("--mode", "inprocess", *explored[program], case, *words)
            counts = [[r[key] for key in ("finished", "traces", "deadlocks", "errors")] for r in (result, model)]
            check(f"{program} {case} {words}: as the model", counts[0] == counts[1] and model["finished"], (counts, result))


def headlines():
    """Of atomics that are plain instructions nobody knows that they are no races."""
    for case in ATOMIC:
        said = [explore(*how, "--mode", "inprocess", "--", program, case) for how, program in ((ALL, "./loads"), (("--races",), "./told"))]
        check(f"{case}: what is said of races", [[u["why"] for u in r["unseen"]] for r in said] == [["races"], []], said)
        check(f"{case}: the same traces with callbacks", said[0]["traces"] == said[1]["traces"], said)


def main():
    build()
    for program, case, how, kind in TARGETS:
        right(program, case, how)
        wrong(program, case, how, kind)
    for case, kind in WATCHED:
        right("watched", case, ("--races",))
        wrong("watched", case, ("--races",), kind)
    for program, case, most in MANY:
        many(program, case, most)
    models()
    headlines()
    result = explore("--atomics", "auto", *AT_LEISURE, "--mode", "inprocess", "--", "./cxx20", "lock")
    check("what was found at one level is not lost at another", "deadlock" in kinds(result), result)


sys.exit(in_own_folder(main))
