#!/usr/bin/env python3
"""--jobs of unfold: run_jobs.py UNFOLD CALLBACKS PROGRAMS-FOLDER CASES-FOLDER INCLUDE [all]
[PART …].

Several workers come to the same as one process, on each back-end and at each level; a worker that
is lost costs what it was at; limits, signals, schedules, and what is refused. With `all`, for all
programs, else for some of them."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from together import together  # noqa: E402 (in the folder above)

from common import AT_LEISURE, BACKENDS, check, compiled, in_own_folder, linked_with, perform, result_of, run, scans

UNFOLD, CALLBACKS, PROGRAMS, CASES, INCLUDE = (os.path.abspath(p) for p in sys.argv[1:6])
ALL = "all" in sys.argv[6:]
CC = os.environ.get("CC", "cc").split()
SAME = "traces complete blocked deadlocks errors redundant executions finished livelocks races left_behind uncontrolled stopped".split()
FAMILIES = [("disp", 5, 2, 137), ("mpat", 4, 1, 384), ("mpc", 2, 3, 66), ("pi", 5, 1, 120), ("pol", 3, 3, 160), ("ssbexp", 6, 1, 12),
            ("ssb3", 5, 4, 80), ("spat", 6, 5, 72)]


def explore(program, *options):
    done = run(UNFOLD, "--json", *together(options), "--", *program)
    return done.returncode, result_of(done), done.stderr


def defects(result):
    """Without names of threads: of which execution a defect is told depends on who is first."""
    return sorted((d["kind"], d["count"], d["text"] or "", sorted(str(t["place"]) for t in d["threads"])) for d in result["defects"])


def same(what, program, *options, jobs=(2,)):
    """The result of the last one."""
    alone = explore(program, "--algorithm", "odpor", "--probes", 0, *options)
    for count in jobs:
        several = explore(program, "--jobs", count, *options)
        if alone[1]["uncontrolled"]: # by which execution is left open
            check(f"{what} {options}, {count} workers: uncontrolled", several[1]["uncontrolled"] and several[0] == alone[0], several)
            continue
        for key in SAME:
            check(f"{what} {options}, {count} workers: {key}", several[1].get(key) == alone[1].get(key),
                  f"{several[1].get(key)} not {alone[1].get(key)} {several[2]}")
        check(f"{what} {options}, {count} workers: exit status", several[0] == alone[0], f"{several[0]} not {alone[0]}")
        check(f"{what} {options}, {count} workers: defects", defects(several[1]) == defects(alone[1]),
              f"{defects(several[1])} not {defects(alone[1])}")
    return several[1]


def build(source, name, *flags):
    compiled(*CC, "-g", "-O0", "-pthread", *flags, source, "-o", name)
    return ["./" + name]


def families():
    for number, (name, a, b, traces) in enumerate(FAMILIES):
        program = build(f"{PROGRAMS}/{name}.c", f"{name}-{a}-{b}", f"-DPARAM1={a}", f"-DPARAM2={b}")
        if not ALL and number % 3 != 0:
            continue
        result = same(name, program, "--atomics", "off", *BACKENDS[number // 3 % 3], jobs=(1, 2, 3) if number == 0 else (2,))
        check(f"{name}: traces", result["traces"] == traces, result["traces"])
        check(f"{name}: workers", sum(w["executions"] for w in result["jobs"]["workers"]) == traces, result["jobs"])


def bugs():
    """The same defects, each with a schedule that has it."""
    for number, path in enumerate(sorted(pathlib.Path(PROGRAMS, "bugs").glob("*.c"))):
        if not ALL and number % 4 != 0:
            continue
        for repaired in (False, True) if ALL else (False,):
            if path.stem == "double_checked":
                continue
            program = build(str(path), path.stem, *(["-DREPAIRED"] if repaired else []))
            result = same(path.stem, program, "--atomics", "off", *BACKENDS[number % 3], "--trace-dir", "traces")
            for d in result["defects"]:
                done = run(UNFOLD, "--replay", d["schedule"], "--", *program)
                check(f"{path.stem}: replay", done.returncode == 1, done.stdout + done.stderr)
            check(f"{path.stem}: found", bool(result["defects"]) != repaired, result["defects"])


ATOMICS = "countedqueue futexmutex handshake mcslock mpmcqueue msqueue seqlock sortnet ticketlock treiber ttaslock twalock wordlock".split()


def callbacks():
    """Races, and atomics by callbacks."""
    linked = ("-fsanitize=thread", f"-I{INCLUDE}")
    for name in ATOMICS if ALL else ("handshake", "seqlock"):
        program = build(f"{PROGRAMS}/atomics/{name}.c", "a.o", "-c", *linked, *(f"-DPARAM{i}=1" for i in (1, 2, 3)))
        compiled(*CC, "-pthread", *program, "-o", name, *linked_with(CALLBACKS), "-latomic")
        same(name, ["./" + name], "--races", "--atomics", "off", *BACKENDS[2])
    program = build(f"{PROGRAMS}/bugs/double_checked.c", "double_checked.o", *linked, "-c")
    compiled(*CC, "-pthread", *program, "-o", "double_checked", *linked_with(CALLBACKS))
    result = same("double_checked", ["./double_checked"], "--races", "--atomics", "off")
    check("double_checked: race", result["races"] > 0, result)


def levels():
    """What one worker finds out all know when it begins again."""
    if not scans(UNFOLD):
        return
    for name in ATOMICS if ALL else ("seqlock", "mcslock"):
        program = build(f"{PROGRAMS}/atomics/{name}.c", name + "-plain", f"-I{INCLUDE}", "-latomic", *(f"-DPARAM{i}=1" for i in (1, 2, 3)),
                        *linked_with(CALLBACKS))
        for options in (("--atomics", "rmw"), ("--atomics", "all")):
            same(name, program, *options, *BACKENDS[2])
    bank = build(f"{PROGRAMS}/bank.c", "bank")
    for options in (("--atomics", "all"), AT_LEISURE):
        result = same("bank", bank, *options)
        check(f"bank {options}: level", result["atomics"]["level"] == "all", result["atomics"])
    check("bank: begun again", result["restarts"] > 0, result["restarts"])
    for case in ("mutex", "lock") if ALL else ():
        same(f"learn {case}", build(f"{CASES}/learn.c", "learn") + [case], *BACKENDS[2])


def begin(program, *options):
    return subprocess.Popen([UNFOLD, "--json", *together(options), "--", *program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def children(process):
    try:
        return [int(word) for word in pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except OSError:
        return []


def launchers(process):
    """Those below a process that have started their programs. There may be one between."""
    found = []
    for child in children(process):
        try:
            programs = [p for p in children(child) if os.readlink(f"/proc/{p}/exe") != os.readlink(f"/proc/{process}/exe")]
        except OSError:
            programs = []
        found += [child] if programs else launchers(child)
    return found


def end(child):
    output, errors = child.communicate(timeout=300)
    return json.loads(output) if output else {"traces": None, "jobs": {"lost": None}, "error": errors}


def lost():
    """A launcher that dies, and one that gives no sign, cost what their programs were at."""
    program = build(f"{PROGRAMS}/disp.c", "disp-5-3", "-DPARAM1=5", "-DPARAM2=3")
    alone = explore(program, "--algorithm", "odpor", "--probes", 0, "--atomics", "off", *BACKENDS[1])[1]
    for how, more in ((signal.SIGKILL, ()), (signal.SIGSTOP, ("--worker-seconds", 3))):
        child = begin(program, "--jobs", 2, "--atomics", "off", *BACKENDS[1], *more)
        while child.poll() is None and not launchers(child.pid):
            time.sleep(0.001)
        for process in launchers(child.pid)[:1]:
            os.kill(process, how)
        result = end(child)
        check(f"{how}: traces", result["traces"] == alone["traces"], f'{result["traces"]} not {alone["traces"]}')
        check(f"{how}: lost", result["jobs"]["lost"] == 1, result)


def ends():
    """Limits, and signals: all end, and what was found is said."""
    program = build(f"{PROGRAMS}/disp.c", "disp-9-9", "-DPARAM1=9", "-DPARAM2=9")
    how = ("--atomics", "off", *BACKENDS[2])
    status, result, _ = explore(program, "--jobs", 2, "--max-executions", 300, *how)
    check("--max-executions", (status, result["stopped"], result["executions"]) == (3, "executions", 300), result)
    status, result, _ = explore(program, "--jobs", 2, "--max-seconds", 0.5, *how)
    check("--max-seconds", (status, result["stopped"]) == (3, "seconds"), result)
    for name in ("SIGINT", "SIGTERM"):
        child = begin(program, "--jobs", 2, *how)
        while child.poll() is None and len(launchers(child.pid)) < 2:
            time.sleep(0.001)
        child.send_signal(getattr(signal, name))
        result = end(child)
        check(name, (child.returncode, result.get("stopped"), result["traces"]) == (3, "interrupt", result.get("executions")), result)
    philosophers = build(f"{PROGRAMS}/bugs/philosophers.c", "philosophers")
    status, result, _ = explore(philosophers, "--jobs", 2, "--stop-at-first", "--atomics", "off")
    check("--stop-at-first", (status, result["stopped"], len(result["defects"])) == (1, "first defect", 1), result)
    how = ("--atomics", "off", "--shorten", "--shorten-seconds", 100, "--report", "page.html")
    alone, several = (explore(philosophers, *more, *how)[1]["defects"][0] for more in (("--algorithm", "odpor"), ("--jobs", 2)))
    check("--shorten", several["shortened"] == alone["shortened"] and "steps" in alone["shortened"], several)
    check("--report", "Each process has events of its own" in pathlib.Path("page.html").read_text())
    done = run(UNFOLD, "--jobs", "2", "--atomics", "off", "--", *philosophers)
    check("for people", done.returncode == 1 and "workers     2, 0 lost" in done.stdout and done.stderr == "", done.stdout + done.stderr)


def apart():
    """Executions of several workers do not disturb each other, and nothing is written outside."""
    program = os.path.abspath(build(f"{CASES}/ports.c", "ports")[0])
    os.makedirs("apart", exist_ok=True)
    os.chdir("apart")
    pathlib.Path("in").write_text("hello hello hello\n")
    users = [[]]
    if os.geteuid() == 0 and shutil.which("setpriv"):
        users.append(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"])
        os.chmod("..", 0o755)
        for path in (".", "in"):
            os.chown(path, 65534, 65534)
    programs = [([program, "port"], 90), ([program, "file"], 90)]
    if shutil.which("pigz"):
        programs.append(([shutil.which("pigz"), "-p", "2", "-k", "-f", "in"], 384))
    viewed = False
    for user in users:
        if user and run(*user, UNFOLD, "--version").returncode != 0:
            print("left out: another user does not get at the build folder")
            continue
        own = []
        for words, traces in programs:
            done = run(*user, UNFOLD, "--json", *together(("--jobs", 2)), "--atomics", "rmw", *BACKENDS[1], "--trace-dir", "/tmp", "--", *words)
            result = result_of(done)
            own = result.get("jobs", {}).get("own", [])
            if "network" not in own or "files" not in own:
                print(f"left out: there are no namespaces here, but {own} {done.stderr}")
                break
            check(f"{user} {words}", (result["traces"], result["defects"], result["uncontrolled"]) == (traces, [], None), done.stdout + done.stderr)
            viewed = True
        check("nothing is written outside", os.listdir() == ["in"], os.listdir())
    if viewed:
        beside_a_mount(program)
    without_namespaces(program)
    os.chdir("..")


def beside_a_mount(program):
    """Where something is mounted in a folder, each of the folders beside that is covered alone."""
    if len(os.listdir("../..")) > 1000:
        print("left out: too many folders beside that of the test")
        return
    for number in range(600):
        os.makedirs(f"../many/{number}")
    words = ("unshare", "-m", "sh", "-c", "mount -t tmpfs none ../many/0 && exec \"$@\"", "sh", UNFOLD, "--json",
             *together(("--jobs", 2)), "--atomics", "off", "--trace-dir", "..", "--", program, "port")
    if os.geteuid() != 0 or not shutil.which("unshare") or run(*words[:4], "mount -t tmpfs none ../many/0").returncode != 0:
        print("left out: nothing can be mounted here")
        return
    result = result_of(run(*words))
    check("many folders beside a mount", "files" in result["jobs"]["own"] and result["traces"] == 90, result)


def without_namespaces(program):
    """Where there are none, workers have copies of the working folder; a port can be only one's."""
    words = ("unshare", "-U", "-r", "sh", "-c", "echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --bounding-set=-all --inh-caps=-all \"$@\"",
             "sh", UNFOLD, "--json", *together(("--jobs", 2)), "--atomics", "off", "--trace-dir", "..")
    if not shutil.which("unshare") or not shutil.which("setpriv") or run(*words[:-9], "true").returncode != 0:
        print("left out: namespaces cannot be switched off here")
        return
    for how in BACKENDS[1:]:
        done = run(*words, *how, "--", program, "file")
        result = result_of(done)
        check(f"copies: {how}", (done.returncode, result["traces"], result["jobs"]["own"]) == (0, 90, []), done.stdout + done.stderr)
        done = run(*words, *how, "--", program, "port")
        both = all(w["executions"] for w in result_of(done)["jobs"]["workers"])
        named = "several workers write port 47113" in (result_of(done)["uncontrolled"] or "")
        check(f"a port: {how}", (done.returncode, named) == (4, True) or not both, done.stdout + done.stderr)
    check("nothing is written outside without namespaces", os.listdir() == ["in"], os.listdir())


def marked(mark):
    """Processes that have a word in their environment."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            if mark in pathlib.Path(f"/proc/{process}/environ").read_bytes().split(b"\0"):
                found.append(int(process))
        except OSError:
            pass
    return found


def nobody_stays():
    """What takes the views of workers down ends by itself, also if all is killed."""
    program = build(f"{PROGRAMS}/disp.c", "stays", "-DPARAM1=5", "-DPARAM2=3")
    for name, killed in (("ends", False), ("killed", True)):
        mark = f"UNFOLD_STAYS={os.getpid()}{name}"
        child = subprocess.Popen(["env", mark, UNFOLD, "--jobs", "2", *together(("--mode", "inprocess")), "--", *program],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if killed:
            while child.poll() is None and len(launchers(child.pid)) < 2:
                time.sleep(0.001)
            child.kill()
        child.communicate(timeout=300)
        deadline = time.monotonic() + 60
        while marked(mark.encode()) and time.monotonic() < deadline:
            time.sleep(0.01)
        check(f"nobody stays when it {name}", marked(mark.encode()) == [], marked(mark.encode()))


def refused():
    for options in (("--algorithm", "qpor"), ("--algorithm", "eager"), ("--order", "bfs"), ("--dot", "x"),
                    ("--max-events", "3"), ("--probes", "1"), ("--replay", "x")):
        status, _, errors = explore(["./philosophers"], "--jobs", 2, *options)
        check(f"{options}: refused", status == 2 and "--jobs" in errors, errors)
    status, _, errors = explore(["./philosophers"], "--worker-seconds", 2)
    check("--worker-seconds alone", status == 2 and "--jobs" in errors, errors)
    status, result, _ = explore(["./philosophers"], "--jobs", 0, "--atomics", "off")
    check("--jobs 0", status == 1 and 1 <= len(result["jobs"]["workers"]) <= len(os.sched_getaffinity(0)), result)
    status, result, _ = explore(["/bin/cat", "/nowhere"], "--jobs", 2)
    check("a program that fails", status == 1 and [d["kind"] for d in result["defects"]] == ["exit"], result)


def tests():
    perform((families, bugs, callbacks, levels, lost, ends, apart, nobody_stays, refused), [word for word in sys.argv[6:] if word != "all"])


sys.exit(in_own_folder(tests))
