#!/usr/bin/env python3
"""The native front-end, from the outside: run.py UNFOLD PROGRAMS-FOLDER CASES-FOLDER GROUP.

Compiles the small programs, explores each, and compares counts, findings, exit statuses and
replays."""
import ctypes.util
import json
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from common import check, compiled, in_own_folder, linked_with, run

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from interrupts import wait_until_taken  # noqa: E402 (in the folder above)

UNFOLD, PROGRAMS, CASES = (os.path.abspath(p) for p in sys.argv[1:4])
CC = os.environ.get("CC", "cc").split()
BACKENDS = ("threads", "fibers", "inprocess")


def how(backend):
    """The options for a back-end."""
    return ["--mode", "inprocess"] if backend == "inprocess" else ["--backend", backend]


def build(source, name, *flags):
    compiled(*CC, "-g", "-O0", "-pthread", *flags, source, "-o", name)
    return "./" + name


def unfold(*words, **more):
    return run(UNFOLD, *words, **more)


def explore(program, *options, status=0):
    """The JSON object of an exploration; program is a list."""
    done = unfold("--json", *options, "--", *program)
    check(f"exit status {status} of {options} {program}", done.returncode == status,
          f"{done.returncode} {done.stderr} {done.stdout[:600]}")
    try:
        return json.loads(done.stdout)
    except ValueError:
        check(f"JSON of {program}", False, done.stdout + done.stderr)
        return {"defects": []}


def expect(result, what, **wanted):
    for key, value in wanted.items():
        check(f"{what}: {key} is {value}", result.get(key) == value, f"not {result.get(key)}")


FAMILIES = [("disp", 5, 2, 137), ("disp", 2, 4, 648), ("mpat", 4, 1, 384), ("mpc", 2, 3, 66), ("pi", 5, 1, 120),
            ("pol", 3, 3, 160), ("ssbexp", 6, 1, 12), ("ssb3", 5, 4, 80), ("spat", 6, 5, 72)]


def families():
    for name, a, b, traces in FAMILIES:
        program = build(f"{PROGRAMS}/{name}.c", f"{name}-{a}-{b}", f"-DPARAM1={a}", f"-DPARAM2={b}")
        for backend in BACKENDS:
            result = explore([program], *how(backend))
            expect(result, f"{program} {backend}", traces=traces, redundant=0, deadlocks=0, errors=0, finished=True)
    expect(explore([build(f"{PROGRAMS}/pi.c", "pi-2", "-DPARAM1=2")], "--algorithm", "dfs"), "all interleavings", traces=2)
    expect(explore(["./ssbexp-6-1"], "--k", "1"), "ssbexp, k = 1", traces=12)
    for order in ("bfs", "random", "deepest-first"):
        expect(explore(["./disp-5-2"], "--order", order), f"disp {order}", traces=137, redundant=0, finished=True, left=0)
    # An execution that is cut short is no deadlock.
    expect(explore(["./disp-5-2"], "--max-preemptions", "1", status=3), "bounded", bound="preemptions", deadlocks=0, defects=[])


# case, traces, kinds of the defects (None: nothing), pattern that the text or a place of one has
FINDINGS = [
    ("assert", 2, "assertion", r"read_shared\(\) == 0"), ("abort", 2, "assertion", r"cases\.c:\d+"),
    ("crash", 2, "crash", r"SIGSEGV at address 0x8"), ("overflow", 2, "crash", r"SIGSEGV"),
    ("nowhere", 2, "crash", r"cases\.c:\d+"), ("heap", 2, "assertion", "abort"), ("exit", 2, "exit", r"exit status 7, expected 0"), ("stranger", 1, "misuse", r"does not hold"),
    ("destroy", 3, "misuse misuse", r"destroyed while it is held"), ("self", 1, "deadlock", r"mutex a"),
    ("names", 2, "assertion", "abort"), ("ended", 1, "deadlock", r"locked at cases\.c:\d+ by a thread that has ended"), ("left-behind", 1, None, ""), ("kinds", 1, None, ""), ("trylock", 3, None, ""), ("keys", 4, None, ""),
    ("c11", 4, None, ""), ("streams", 2, None, ""), ("clocks", 1, None, ""), ("handlers", 2, None, ""),
    ("two", 2, None, ""), ("plain", 1, None, ""),
]


def findings(cases):
    for case, traces, kind, pattern in FINDINGS:
        for backend in BACKENDS:
            one_finding(cases, case, traces, kind, pattern, backend)
    expect(explore([cases, "left-behind"]), "left-behind", left_behind=1, deadlocks=0)
    expect(explore([cases, "plain"]), "plain", operations_seen=False)
    expect(explore([cases, "exit"], "--expect-exit", "7", status=1), "other status", traces=2)
    expect(explore([cases, "exit"], "--expect", "exit"), "expected kind", finished=True)
    expect(explore([cases, "left-behind"], "--exit", "kill"), "kill", deadlocks=0)


SYSTEM = [
    ("early-once", 1, None, ""), ("forgotten", 1, None, ""), ("stack-again", 1, None, ""), ("destroyed-and-new", 1, None, ""),
    ("destroyed", 3, "misuse misuse", "used after it was destroyed"), ("control-again", 1, None, ""), ("identity", 2, None, ""),
    ("seeded", 1, None, ""), ("processors", 1, None, ""), ("waiting", 1, None, ""), ("masked", 2, "crash", "SIGSEGV at address 0x8"),
    ("by-default", 1, "crash", "SIGSEGV"), ("sent-abort", 1, "assertion", "abort"), ("two-exits", 1, "exit", "exit status 7"),
    ("terminates", 1, "crash", r"SIGTERM.*system\.c:\d+"), ("terminated", 2, "crash", r"SIGTERM.*system\.c:\d+"),
    ("broken-pipe", 2, "crash", r"SIGPIPE.*system\.c:\d+"), ("pipe-ignored", 2, None, ""), ("pipe-blocked", 2, None, ""),
    ("exits-early", 1, "exit", r"exit status 7.*system\.c:\d+"), ("ends-early", 1, "exit", r"exit status 7.*system\.c:\d+"),
    ("join-nowhere", 1, "crash", r"SIGSEGV at address.*system\.c:\d+"), ("join-again", 1, "misuse", r"has joined already.*system\.c:\d+"), ("stack-attributes", 1, None, ""),
    ("file-too-large", 1, "crash", r"SIGXFSZ.*system\.c:\d+"), ("raises", 2, None, ""),
]
REFUSED = [("early-lock", "a mutex that was locked before main"), ("forks", "_Fork"), ("alarms", "alarm"), ("timers", "timer_create"),
           ("reads", "aio_read"), ("semaphores", "semop")]


def system():
    program = build(f"{CASES}/system.c", "system")
    each(program, SYSTEM, REFUSED)


LOCKS = [
    ("timed", 3, "exit", "exit status 5"), ("timed-other", 1, None, ""), ("robust-repaired", 2, None, ""), ("robust-lost", 1, None, ""),
    ("spins", 3, None, ""), ("spins-twice", 1, "deadlock", "spin lock spin"), ("spin-stranger", 1, "misuse", "unlocks a spin lock"),
    ("spin-destroyed", 1, "misuse", "a spin lock is used after"), ("attributes", 1, None, ""), ("older-names", 1, "deadlock", "mutex a"),
]
LOCKS_REFUSED = [("ceiling", "a mutex with a priority ceiling"), ("cancels", "pthread_cancel")]


OBJECTS = [
    ("waits", 2, None, ""), ("two-wait", 10, None, ""), ("old-version", 2, None, ""), ("times-out", 4, "exit", "exit status 3"),
    ("unheld", 1, "misuse", "waits for a condition variable with a mutex that it does not hold"), ("gone", 1, "misuse", "used after it was destroyed"),
    ("c11", 2, None, ""), ("readers", 1, None, ""), ("reader-tries", 3, None, ""), ("writer-tries", 3, None, ""),
    ("table-stranger", 1, "misuse", "unlocks a rwlock"), ("table-destroyed", 3, "misuse misuse", "a rwlock is destroyed while it is held"),
    ("tries-semaphore", 3, None, ""), ("two-posts", 8, None, ""), ("semaphore-gone", 1, "misuse", "a semaphore is used after"),
    ("never-posted", 1, "deadlock", "waits_for\": \"semaphore semaphore"), ("barriers", 16, None, ""), ("tries-join", 3, None, ""), ("detached", 1, None, ""),
    ("sent", 1, None, ""), ("suspended", 2, None, ""), ("never-sent", 1, "deadlock", "wait for a signal"),
]
OBJECTS_REFUSED = [("locked-twice", "a mutex that is locked more than once is not supported"),
                   ("contended", "contended barrier"), ("interrupts", "pthread_kill is not supported")]


def each(program, seen, refused):
    """Cases of one program: what is seen in them, and what is refused with its name and place."""
    for backend in BACKENDS:
        for case, traces, kind, pattern in seen:
            one_finding(program, case, traces, kind, pattern, backend)
        for case, call in refused:
            why = explore([program, case], *how(backend), status=4)["uncontrolled"]
            check(f"{case} {backend}: {call} and place", re.search(call + r".*\w\.c:\d+", why), why)


def allocator():
    """An allocator that comes with another library."""
    if ctypes.util.find_library("jemalloc") is None:
        return
    program = build(f"{CASES}/allocator.c", "allocator", "-Wl,--no-as-needed", "-ljemalloc")
    for backend in BACKENDS:
        expect(explore([program], *how(backend)), f"allocator {backend}", traces=2, errors=0, finished=True)
    # As a part of the program its locks are operations.
    program = build(f"{CASES}/allocator.c", "own-allocator", "-Wl,-u,malloc,-u,pthread_create", "-Wl,-Bstatic", "-ljemalloc",
                    "-Wl,-Bdynamic", "-Wl,--no-as-needed", "-lm")
    seen = [explore([program], *how(backend), "--max-executions", "50", status=3) for backend in BACKENDS]
    check("own allocator: the same on all back-ends", len({r.get("events") for r in seen}) == 1 and not any(r["defects"] for r in seen), seen)


def locks():
    each(build(f"{CASES}/locks.c", "locks"), LOCKS, LOCKS_REFUSED)
    each(build(f"{CASES}/objects.c", "objects"), OBJECTS, OBJECTS_REFUSED)
    expect(explore(["./objects", "times-out"], "--max-timeouts", "0", status=3), "no time-outs", traces=2, stopped="timeouts", finished=False)
    expect(explore(["./objects", "tries-join"], "--max-timeouts", "1", status=0), "one time-out", traces=3, finished=True)
    expect(explore(["./objects", "for-ever"], "--max-timeouts", "2", status=3), "two time-outs", stopped="timeouts", redundant=0, defects=[])
    done = unfold("--max-events", "20000", "--", "./objects", "for-ever")
    check("events are the limit", "not finished (events)" in done.stdout, done)
    check("says that it times out for ever", done.returncode == 3 and "--max-timeouts bounds that" in done.stdout, done)
    expect(explore(["./locks", "timed"], "--max-timeouts", "0", status=3), "a lock that lasts", traces=2, defects=[])


# program, kind, patterns that its finding has: what is wrong, where, and why
BUGS = [
    ("barrier_count", "deadlock", ["barrier start", "barrier_count.c:10", "2 of 3 threads have arrived"]),
    ("check_then_act", "assertion", ["check_then_act.c:25", "tables == 1"]),
    ("double_checked", "race", ["double_checked.c:16", "double_checked.c:20", "table"]),
    ("early_destroy", "misuse", ["a mutex is used after it was destroyed", "destroyed while it is held", "early_destroy.c:13"]),
    ("forgotten_unlock", "deadlock", ["locked at forgotten_unlock.c:8 by a thread that has ended"]),
    ("lost_wakeup", "deadlock", ["condition variable ready", "lost_wakeup.c:25", "notified at lost_wakeup.c:13 when nobody waited"]),
    ("missed_broadcast", "deadlock", ["condition variable changed", "missed_broadcast.c:13"]),
    ("nested_monitor", "deadlock", ["condition variable freed", "mutex registry", "nested_monitor.c:29", "nested_monitor.c:11"]),
    ("philosophers", "deadlock", ["mutex forks", "philosophers.c:20", "not part of the cycle"]),
    ("semaphore_order", "deadlock", ["semaphore items", "mutex queue", "semaphore_order.c:16", "semaphore_order.c:27"]),
    ("semaphore_value", "assertion", ["inside <= 1", "semaphore_value.c:20"]),
    ("stolen_wakeup", "assertion", ["items > 0", "stolen_wakeup.c:18"]),
    ("timeout", "assertion", ["timeout.c:34"]),
    ("upgrade", "deadlock", ["rwlock table", "upgrade.c:15", "upgrade.c:10"]),
    ("waited_destroy", "misuse", ["a condition variable is destroyed while threads wait for it", "waited_destroy.c:30"]),
]


def watched(source, name, *flags):
    """Builds a program whose accesses to memory are seen."""
    compiled(*CC, "-g", "-O0", "-fsanitize=thread", *flags, "-c", source, "-o", name + ".o")
    compiled(*CC, "-pthread", name + ".o", *linked_with(UNFOLD), "-o", name)
    return "./" + name


def bugs():
    """Each is found, explained with lines, replayed; its repaired twin is explored to the end."""
    names = sorted(file[:-2] for file in os.listdir(f"{PROGRAMS}/bugs") if file.endswith(".c"))
    check("bugs: all of them are listed", names == [name for name, _, _ in BUGS], names)
    for name, kind, patterns in BUGS:
        options = ["--races"] if kind == "race" else []
        make = watched if kind == "race" else build
        program = make(f"{PROGRAMS}/bugs/{name}.c", name)
        result = explore([program], *options, status=1)
        expect(result, name, finished=True, redundant=0)
        check(f"{name}: kind {kind}", {d["kind"] for d in result["defects"]} == {kind}, result["defects"])
        text = json.dumps(result["defects"])
        check(f"{name}: says {patterns}", all(p in text for p in patterns), text)
        for defect in result["defects"]:
            done = unfold(*options, "--replay", defect["schedule"], "--", program)
            check(f"{name}: replay", done.returncode == 1 and f"{name}.c:" in done.stdout, done)
            os.remove(defect["schedule"])
        repaired = make(f"{PROGRAMS}/bugs/{name}.c", f"{name}-repaired", "-DREPAIRED")
        expect(explore([repaired], *options), f"{name} repaired", finished=True, redundant=0, deadlocks=0, errors=0)


HELLO = "hello hello hello\n"
# command, options, traces and exit status then; two threads at once everywhere
DEBIAN = [
    (["pigz", "-p", "2", "-c", "hello"], [], 384, 0),
    (["zstd", "-T2", "-c", "hello"], [], 9, 0),
    (["plzip", "-n", "2", "-c", "hello"], [], 90, 0),
    (["pixz", "-p", "2", "-k", "hello", "hello.pxz"], ["--max-executions", "100"], 100, 3),
    (["lbzip2", "-n", "2", "-k", "-c", "hello"], ["--max-executions", "100"], 100, 3),
    (["xz", "-k", "-T2", "-c", "hello"], ["--max-timeouts", "0"], 12, 3),
    (["git", "grep", "--threads=2", "one"], ["--max-executions", "100"], 100, 3),
    (["sort", "--parallel=2", "lines"], ["--max-executions", "20"], 20, 3),
]


def debian():
    """Programs as Debian ships them."""
    with open("hello", "w", encoding="utf-8") as file:
        file.write(HELLO)
    with open("lines", "w", encoding="utf-8") as file:
        file.write("\n" * 131072)
    for name in "abc":
        with open(name, "w", encoding="utf-8") as file:
            file.write("one\n")
    if shutil.which("git") is not None:
        subprocess.run("git init -q . && git add a b c", shell=True, check=True)
    for command, options, traces, status in DEBIAN:
        if shutil.which(command[0]) is None:
            print(f"{command[0]} is not installed: skipped")
            continue
        result = explore(command, *options, status=status)
        expect(result, " ".join(command), traces=traces, redundant=0, defects=[], finished=status == 0)
        check(f"{command}: two threads at once", result["threads"] > 1, result["threads"])


# What a thread alone decides, or what only fills in a structure: left to the C library.
HARMLESS = re.compile(r"pthread_(mutex|cond|rwlock|barrier)?attr_|pthread_(get|set)attr_default|cleanup|_cancel|pthread_unwind_next|pthread_get_minstack"
                      r"|pthread_keys|pthread_(get|set)concurrency|pthread_setcancel|pthread_testcancel|(pthread|thrd)_equal|pthread_atfork"
                      r"|pthread_kill_other_threads_np")


def exported(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout.splitlines()
    return {line.split()[-1].split("@")[0] for line in lines}


def complete():
    """Every function of the C library about threads is intercepted, refused, or known to be
    harmless."""
    with open("/proc/self/maps", encoding="utf-8") as file:
        libc = next(line.split()[-1] for line in file if re.search(r"/libc(\.so|-)", line))
    ours = exported(os.path.join(os.path.dirname(UNFOLD), "unfold-preload.so"))
    about_threads = re.compile(r"_*(pthread|sem|mtx|cnd|thrd|tss)_|call_once|(_IO_)?f(un|try)?lockfile")
    left = {name for name in exported(libc) if about_threads.match(name) and not HARMLESS.search(name)} - ours
    check("functions about threads that are passed through", not left, left)


def guards():
    """Local static variables of C++."""
    if shutil.which("c++") is None:
        return
    compiled("c++", "-g", "-O0", "-pthread", f"{CASES}/guard.cpp", "-o", "guard")
    compiled("c++", "-g", "-O0", "-pthread", f"{CASES}/threads.cpp", "-o", "threads")
    for backend in BACKENDS:
        expect(explore(["./threads"], *how(backend)), f"threads {backend}", traces=60, redundant=0, deadlocks=0)
        expect(explore(["./guard"], *how(backend)), f"guard {backend}", traces=2, redundant=0, deadlocks=0)
        expect(explore(["./guard", "x"], *how(backend), status=1), f"guard {backend}", deadlocks=2, redundant=0)
        expect(explore(["./guard", "throws"], "--atomics", "off", *how(backend)), f"throws {backend}", traces=2, redundant=0, deadlocks=0)
        expect(explore(["./guard", "heap"], "--atomics", "rmw", *how(backend)), f"a mutex in a block {backend}", traces=2, redundant=0, finished=True)


def one_finding(cases, case, traces, kind, pattern, backend):
    what = f"{case} {backend}"
    result = explore([cases, case], *how(backend), status=0 if kind is None else 1)
    expect(result, what, traces=traces, redundant=0, finished=True, uncontrolled=None)
    check(f"{what}: kind {kind}", [d["kind"] for d in result["defects"]] == (kind or "").split(),
          result["defects"])
    check(f"{what}: says {pattern}", re.search(pattern, json.dumps(result["defects"]).replace('\\"', '"')), result)
    for defect in result["defects"]:
        done = unfold(*how(backend), "--replay", defect["schedule"], "--", cases, case)
        check(f"{what}: replay", done.returncode == 1 and re.search(r"\w\.c:\d+", done.stdout), done)
        os.remove(defect["schedule"])


def bank():
    for backend in BACKENDS:
        program = build(f"{PROGRAMS}/bank.c", "bank")
        result = explore([program], *how(backend), "--trace-dir", ".", status=1)
        expect(result, "bank", traces=3, complete=2, deadlocks=1)
        threads = result["defects"][0]["threads"]
        check("bank: the cycle", [t["waits_for"] for t in threads[:2]] == ["mutex current", "mutex savings"], threads)
        check("bank: lines", all(t["place"].startswith("bank.c:") for t in threads), threads)
        done = unfold(*how(backend), "--replay", "trace-1.unfs", "--", program)
        check("bank: replay", done.returncode == 1 and "acq mutex" in done.stdout and "deadlock" in done.stdout, done)
    with open("trace-1.unfs", encoding="utf-8") as file:
        text = file.read()
    for name, damaged, status in (("cut", text[:-9], 2), ("foreign", "hello\n", 2)):
        with open(name, "w", encoding="utf-8") as file:
            file.write(damaged)
        done = unfold("--replay", name, "--", program)
        check(f"{name} schedule", done.returncode == status and name in done.stderr, done)
    for algorithm in ("random", "pct"):
        result = explore([program], "--algorithm", algorithm, "--runs", "60", "--trace-dir", ".", status=1)
        expect(result, algorithm, traces=3, finished=False, verdict="sampled, 1 defect found")
        check(f"{algorithm}: executions", result["deadlocks"] == result["defects"][0]["count"] > 3, result)
    check("missing schedule", unfold("--replay", "none.unfs", "--", program).returncode == 2)
    ordered = build(f"{PROGRAMS}/bank.c", "ordered", "-DORDERED")
    expect(explore([ordered]), "ordered", traces=2, deadlocks=0)
    check("other program under the schedule", unfold("--replay", "trace-1.unfs", "--", ordered).returncode == 4)
    done = unfold("--atomics", "off", "--stdout", "keep", "--", ordered)  # once for each level
    check("output kept", done.stdout.count("savings 970, current 230") == 2, done)
    done = unfold("--stdout=first", "--", ordered)
    check("output of the first", done.stdout.count("savings 970, current 230") == 1, done)
    check("output discarded", "savings 970" not in unfold("--", ordered).stdout)


def debugger():
    if shutil.which("gdb") is None:
        return
    done = subprocess.run(["gdb", "-q", "-batch", "-ex", "set breakpoint pending on", "-ex", "break lock_ba",
                           "-ex", "break transfer", "-ex", "run", "-ex", "backtrace 1", "--args", UNFOLD, "--replay",
                           "trace-1.unfs", "--", "./bank"], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL)
    check("replay under gdb", re.search(r"Breakpoint \d.*transfer|#0 .*transfer", done.stdout), done.stdout[-800:])


def refusals(cases):
    for case, call in (("semaphore", "sem_open"), ("fork", "fork")):
        result = explore([cases, case], status=4)
        check(f"{case}: {call} and place", re.search(call + r".*cases\.c:\d+", result["uncontrolled"]), result)
    result = explore([cases, "external"], status=4)
    check("not deterministic", "not deterministic" in result["uncontrolled"], result)
    static = build(f"{CASES}/cases.c", "static", "-static")
    check("static", "statically linked" in explore([static, "two"], status=4)["uncontrolled"])
    # A beginning of its own, with the C library and without it.
    for name, flags, why in (("bare", ["-nostdlib", "-static"], "statically linked"), ("bare", ["-nostdlib", "-pie", "-fpie"], "start-up code"),
                             ("own-start", ["-nostartfiles", "-DLIBRARY"], "start-up code")):
        bare = build(f"{CASES}/bare.c", name, *flags)
        check(f"{name} {flags[1]}", why in (explore([bare], status=4)["uncontrolled"] or ""))
    with open("script", "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n")
    os.chmod("script", 0o755)
    check("script", "interpreter" in explore(["./script"], status=4)["uncontrolled"])
    check("interrupt", interrupted(cases))
    check("no such program", unfold("--", "./none").returncode == 2)
    check("no program", unfold().returncode == 2)
    check("no such option", unfold("--nonsense", "--", cases).returncode == 2)
    check("no such back-end", unfold("--backend", "x", "--", cases).returncode == 2)
    check("JSON of a replay", unfold("--json", "--replay", "trace-1.unfs", "--", cases).returncode == 2)
    for option, most in (("--help", 30), ("--help-all", 100)):
        lines = unfold(option).stdout.splitlines()
        check(option, 10 < len(lines) <= most and max(map(len, lines)) <= 80, lines)


def interrupted(cases):
    """SIGTERM before the end of an endless execution: what is known is still printed."""
    with subprocess.Popen([UNFOLD, "--json", "--", cases, "endless"], stdout=subprocess.PIPE, text=True) as process:
        wait_until_taken(process)
        time.sleep(0.5)  # often it is in the loop by then
        process.terminate()
        result = json.loads(process.communicate()[0])
    return process.returncode == 3 and result["stopped"] == "interrupt"


def limits():
    philosophers = build(f"{PROGRAMS}/bugs/philosophers.c", "philosophers", f"-I{PROGRAMS}")
    expect(explore(["./pi-5-1"], "--max-executions", "10", status=3), "limit", executions=10, finished=False)
    expect(explore(["./pi-5-1"], "--max-events", "50", status=3), "events", finished=False)
    expect(explore(["./bank"], "--stop-at-first", status=1), "first", finished=False)
    expect(explore(["./cases", "endless"], "--max-seconds", "1", status=3), "seconds", stopped="seconds")
    expect(explore(["./disp-5-2"], "--max-memory", "120K", status=3), "memory", stopped="memory")
    for words in (), ("--backend", "fibers"), ("--mode", "inprocess", "--order", "bfs"), ("--algorithm", "odpor"):
        result = explore(["./disp-5-2"], "--collect", "100", *words)
        expect(result, "events given back", traces=137, redundant=0, finished=True)
        check("events given back", result["collected"] > 0, result)
    for words in (), ("--backend", "fibers"), ("--mode", "inprocess"):
        result = explore(["./pi-5-1"], "--max-executions", "30", *words, status=3)
        expect(result, "probes beside executions", executions=30, traces=30, redundant=0, probes=8)
        check("estimate", abs(result["left"] + 30 - 120) < 20 + 3 * result["left_error"], result)
        expect(explore(["./pi-5-1"], "--max-executions", "30", "--probes", "0", *words, status=3), "no probes", probes=0, left=None,
               events=result["events"], steps=result["steps"])
        result = explore(["./bank"], "--probes", "100", *words, status=1)
        expect(result, "probes count nowhere", traces=3, deadlocks=1, probes=15, executions=3)
        check("a defect is counted once", [(d["count"], d["probes"] > 0) for d in result["defects"]] == [(1, True)], result)
        result = explore([philosophers], "--max-executions", "2", "--probes", "100", *words, status=1)
        expect(result, "a defect of a probe", executions=2, deadlocks=0, stopped="executions")
        check("a defect of a probe", [(d["kind"], d["count"], d["probes"] > 0) for d in result["defects"]] == [("deadlock", 0, True)], result)
        done = unfold("--replay", "trace-1.unfs", "--", philosophers)
        check("a defect of a probe: replay", done.returncode == 1 and "deadlock" in done.stdout, done)
    explore(["./bank"], "--dot", "bank.dot", status=1)
    with open("bank.dot", encoding="utf-8") as file:
        check("dot", "digraph" in file.read())


def blocked_call(cases):
    for backend in BACKENDS:
        result = explore([cases, "blocks"], *how(backend), status=4)
        check("blocked in a system call", "uncontrolled call" in (result["uncontrolled"] or ""), result)


def operations(program, schedule, backend):
    done = unfold(*how(backend), "--replay", schedule, "--", *program)
    return [line.split("  ")[1:] for line in done.stdout.splitlines() if re.match(r" *\d+  ", line)]


def same_operations(cases):
    """One schedule, two back-ends: the same threads, operations, objects and places."""
    for program in (["./bank"], [cases, "crash"], [cases, "exit"], [cases, "destroy"], [cases, "names"]):
        explore(program, status=1)
        seen = [operations(program, "trace-1.unfs", backend) for backend in BACKENDS]
        check(f"same operations: {program}", len(seen[0]) > 1 and seen[0] == seen[1], seen)


def front_end():
    with ThreadPoolExecutor() as pool:
        cases = build(f"{CASES}/cases.c", "cases")
        slow = pool.submit(blocked_call, cases)
        families()
        findings(cases)
        system()
        allocator()
        bank()
        debugger()
        refusals(cases)
        limits()
        same_operations(cases)
        slow.result()


def programs():
    complete()
    locks()
    guards()
    bugs()
    debian()


def main():
    os.environ["LC_ALL"] = "C"
    {"front-end": front_end, "programs": programs, "smoke": bank}[sys.argv[4]]()


sys.exit(in_own_folder(main))
