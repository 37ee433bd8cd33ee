#!/usr/bin/env python3
"""Places that take a lock, and wait where it is taken: run_learn.py UNFOLD CASES-FOLDER
[PART …]."""
import glob
import os
import random
import sys

from common import AT_LEISURE, check, compiled, in_own_folder, kinds, perform, result_of, run

UNFOLD, CASES = (os.path.abspath(p) for p in sys.argv[1:3])
RMW = ["--atomics", "rmw", "--max-timeouts", "1"]
BACKENDS = (["--backend", "threads"], ["--backend", "fibers", "--order", "random", "--seed", "3"],
            ["--mode", "inprocess"], ["--mode", "inprocess", "--algorithm", "odpor"])


def unfold(*words):
    return run(UNFOLD, "--trace-dir", "traces", *words)


def explore(*words):
    return result_of(unfold("--json", *words))


def shape(result):
    return [result.get(key) for key in ("traces", "complete", "deadlocks", "events", "finished")]


def learned(result):
    return sum(u["count"] for u in result["unseen"] if u["why"] == "learned")


# Programs and how many places are learned in the end: with 0 it is as without learning.
CASES_LEARNED = (
    ("try", 0), ("try-first", 0),  # the same place for a try that goes on when it fails
    ("counter", 0),                # something else is written on the way
    ("limit", 0),                  # the wait may end by itself
    ("unwoken", 0),                # the lock is free, and nobody wakes who waits for it
    ("looks", 0),                  # an exchange that changes nothing
    ("pointer", 0),                # it is never free again
    ("lost", 1),
)


def cases():
    for case, count in CASES_LEARNED:
        wanted = explore(*RMW, "--learn", "off", "--mode", "inprocess", "--", "./learn", case)
        check(f"{case}: not learned", learned(wanted) == 0 and wanted["finished"], wanted)
        for backend in BACKENDS:
            seen = explore(*RMW, *backend, "--", "./learn", case)
            check(f"{case} {backend}: places", learned(seen) == count and seen["finished"], seen)
            if count == 0:
                check(f"{case} {backend}: as without learning", shape(seen) == shape(wanted), (shape(seen), shape(wanted)))
                check(f"{case} {backend}: finds the same", kinds(seen) == kinds(wanted), seen)


def wrongly_learned():
    """A thread that waits where it is no lock is no finding, not even the first one."""
    for backend in BACKENDS:
        seen = explore(*RMW, *backend, "--stop-at-first", "--", "./learn", "pointer")
        check(f"pointer {backend} --stop-at-first", seen["finished"] and not seen["defects"], seen)


def lost():
    """A lost wake-up on the way is not found, and has a name; without learning it is found."""
    seen = explore(*RMW, "--learn", "off", "--", "./learn", "lost")
    check("lost: found without learning", [d["kind"] for d in seen["defects"]] == ["deadlock"], seen)
    done = unfold(*RMW, "--strict", "--", "./learn", "lost")
    check("lost: the headline", done.stdout.startswith("./learn: explored to the end of what was seen, no defect found\n"), done)
    check("lost: named", "not seen: what a thread does that finds a lock taken, at 1 place: learn.c:" in done.stdout
          and "(--learn off explores it; with it 2 traces came to the same)" in done.stdout, done.stdout)
    check("lost: --strict", done.returncode == 5, done.returncode)
    check("a word that is none", unfold("--learn", "perhaps", "--", "./learn", "lost").returncode == 2)


def at_both_levels():
    """What was learned before all accesses are looked at is the same place then."""
    for backend in BACKENDS:
        done = unfold(*RMW, *backend, "--", "./learn", "stores")
        check(f"stores {backend}", "loads and stores: " in done.stdout and "taken, at 1 place: learn.c:" in done.stdout and "no defect" in done.stdout, done.stdout)


def in_a_library():
    """It is the same place although one more library of this program is loaded then."""
    with open("calling.c", "w") as file:
        file.write("int learn_main(int, char **);\nint main(int count, char **words) { return learn_main(count, words); }\n")
    compiled("cc", "-g", "-O2", "-pthread", "-shared", "-fPIC", "-Dmain=learn_main", f"{CASES}/learn.c", "-o", "liblearn.so")
    compiled("cc", "calling.c", "-L.", "-llearn", "-Wl,-rpath," + os.getcwd(), "-o", "calling")
    seen = explore(*AT_LEISURE, "--", "./calling", "aA", "aA")
    check("a lock in a library", (seen["traces"], [(u["why"], u["count"]) for u in seen["unseen"]]) == (2, [("learned", 1)]), seen)


def crossed():
    """A deadlock of two locks: its threads stand there, and a replay shows what they do there."""
    seen = explore(*RMW, "--", "./learn", "abBA", "baAB")
    texts = [(t["thread"], t["operation"]) for d in seen["defects"] for t in d["threads"]]
    check("crossed: found", seen["traces"] == 3 and ("0.0", "acquire") in texts and ("0.1", "acquire") in texts, seen)
    done = unfold(*RMW, "--replay", "traces/trace-1.unfs", "--", "./learn", "abBA", "baAB")
    check("crossed: replayed", done.returncode == 1 and "deadlock" in done.stdout and "blocked at futex wait" in done.stdout, done)


def script(rng):
    """What a thread does with some locks, each given back in the end."""
    text, held = "", []
    for _ in range(rng.randint(1, 5)):
        lock, what = rng.choice("abc"), rng.random()
        if lock not in held and what < 0.5:
            text += lock
            held.append(lock)
        elif lock not in held and what < 0.7:
            text += "?" + lock
        elif held:
            text += held.pop(rng.randrange(len(held))).upper()
    return (text + "".join(held).upper()) or "aA"


def same_as_mutexes():
    """Random programs have the traces, events and deadlocks that they have with mutexes."""
    rng, compared = random.Random(7), 0
    for _ in range(24):
        scripts = [script(rng) for _ in range(rng.choice((2, 2, 3)))]
        wanted = explore("--mode", "inprocess", "--max-executions", "500", "--atomics", "off", "--", "./mutexes", *scripts)
        if not wanted["finished"]:
            continue
        how = BACKENDS[compared % len(BACKENDS)]
        compared += 1
        seen = explore(*RMW, *how, "--", "./learn", *scripts)
        check(f"{scripts} {how}: as with mutexes", shape(seen) == shape(wanted), (shape(seen), shape(wanted)))
    check("programs that were compared", compared >= 12, compared)
    for threads, traces in (2, 2), (3, 6), (4, 24):
        seen = explore(*RMW, "--mode", "inprocess", "--", "./learn", *["aA"] * threads)
        check(f"{threads} threads at a lock", seen["traces"] == traces and learned(seen) == 1, seen)


def all_accesses():
    """The loads on the way are seen, too."""
    for level in "rmw", "all":
        for backend in BACKENDS:
            for words, traces in (("spins",), 2), (("aA", "aA", "aA"), 6), (("abBA", "baAB"), 3):
                seen = explore("--atomics", level, *backend, "--", "./learn", *words)
                check(f"{words} {level} {backend}", seen["traces"] == traces and learned(seen) == 1, seen)


def glib():
    """Two locks of GLib, as it is installed."""
    if not glob.glob("/usr/lib/x86_64-linux-gnu/libglib-2.0.so.0"):
        return
    compiled("cc", "-g", "-O2", "-pthread", f"{CASES}/sites_glib.c", "-l:libglib-2.0.so.0", "-o", "locks")
    for backend in BACKENDS:
        seen = explore(*RMW, *backend, "--", "./locks", "crossed")
        check(f"GLib {backend}", (seen["traces"], seen["deadlocks"], learned(seen)) == (3, 1, 1), seen)


def main():
    for name, flags in ("learn", []), ("mutexes", ["-DPTHREAD"]):
        compiled("cc", "-g", "-O2", "-pthread", *flags, f"{CASES}/learn.c", "-o", name)
    perform((cases, wrongly_learned, lost, at_both_levels, in_a_library, crossed, same_as_mutexes, all_accesses, glib), sys.argv[3:])


sys.exit(in_own_folder(main))
