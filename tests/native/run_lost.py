#!/usr/bin/env python3
"""Nothing that was found is lost: run_lost.py UNFOLD PROGRAMS-FOLDER CASES-FOLDER.

Explores programs while files, output, or the program itself do not do what they should: the report
comes, says what is missing, and the exit status is that of what was found."""
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor

from common import AT_LEISURE, BACKENDS, WITHOUT_ZYDIS, check, compiled, in_own_folder, linked_with, run, scans

UNFOLD, PROGRAMS, CASES = (os.path.abspath(p) for p in sys.argv[1:4])
CC = os.environ.get("CC", "cc").split()
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from interrupts import wait_until  # noqa: E402 (in the folder above)


def build(source, name, *flags):
    compiled(*CC, "-g", "-O0", "-pthread", *flags, source, "-o", name)
    return os.path.abspath(name)


# What waits, runs beside the rest, each in a folder of its own.
AT_ONCE = 6
here = threading.local()


def apart(job, *words):
    here.folder = tempfile.mkdtemp(dir=os.getcwd())
    job(*words)


def unfold(*words, **more):
    return run(UNFOLD, *words, text=False, **{"cwd": getattr(here, "folder", None), **more})


def shell(script, *words, **more):
    """Runs unfold with something refused to it: script has it as "$@"."""
    return run("sh", "-c", script, "sh", UNFOLD, *words, text=False, **{"cwd": getattr(here, "folder", None), **more})


def explore(program, *options, status=0):
    done = unfold("--json", *options, "--", *program)
    check(f"exit status {status} of {options} {program}", done.returncode == status, f"{done.returncode} {done.stderr} {done.stdout[:900]}")
    try:
        return json.loads(done.stdout)
    except ValueError:
        check(f"JSON of {program}", False, done)
        return {"defects": [], "uncontrolled": ""}


def said(what, done, status, error, output="explored to the end, 1 defect found"):
    """A run that found the deadlock of bank, without something that could not be written."""
    check(f"{what}: status {status}", done.returncode == status, done)
    check(f"{what}: says {error}", re.search(error, done.stderr.decode()), done)
    check(f"{what}: reports", output in done.stdout.decode(), done)


def files(bank, ordered):
    """Schedules and pictures that cannot be written."""
    for how in BACKENDS:
        said(f"no folder to write to {how}", unfold(*how, "--", bank, cwd="/proc"), 1, r"^unfold: trace-1.unfs: .")
        for blocks in "0", "1":
            done = shell(f'ulimit -f {blocks}; "$@"', *how, "--dot", "bank.dot", "--", bank)
            said(f"files of {blocks} blocks {how}", done, 1, r"unfold: bank.dot: File too large")
    os.remove("trace-1.unfs")
    done = shell('ulimit -f 0; "$@"', "--", bank)
    said("no files", done, 1, r"^unfold: trace-1.unfs: File too large")
    check("no files: none is left", not [name for name in os.listdir() if name.endswith((".tmp", ".unfs"))], os.listdir())
    os.mkdir("trace-1.unfs")
    said("a folder in its place", unfold("--atomics", "off", "--", bank), 1, r"^unfold: trace-1.unfs: .")
    os.rmdir("trace-1.unfs")
    said("nowhere to draw", unfold("--dot", "none/bank.dot", "--", bank), 1, r"^unfold: none/bank.dot: No such file")
    done = unfold("--atomics", "off", "--dot", "none/bank.dot", "--", ordered)
    said("nowhere to draw, nothing found", done, 2, r"^unfold: none/bank.dot: ", "explored to the end of what was seen, no defect found")
    if os.path.exists("/dev/full"):
        said("a full disk", unfold("--dot", "/dev/full", "--", bank), 1, r"^unfold: /dev/full: No space left")


def pictures(bank, lost):
    """What is known is drawn when the exploration does not come to its end."""
    for how in BACKENDS:
        for words, status in (["--max-executions", "1", "--", bank], 3), (["--stop-at-first", "--", bank], 1), \
                (["--max-events", "2000", "--", lost, "endless-later"], 1), (["--", lost, "refused-later"], 4):
            done = unfold(*how, "--dot", "part.dot", *words)
            check(f"part {how} {words}: status", done.returncode == status, done)
            with open("part.dot", encoding="utf-8") as file:
                check(f"part {how} {words}: drawn", file.read().rstrip().endswith("}"))
            os.remove("part.dot")
        done = unfold(*how, "--dot", "part.dot", "--", lost, "counts-events")
        check(f"part {how}: said", done.returncode == 4 and (b"part.dot: not written whole" in done.stderr or os.path.exists("part.dot")), done)


def small(bank):
    """Where processes are too small, that is said."""
    for how in BACKENDS:
        seen = [shell(f'ulimit -v {size}; "$@"', *how, "--", bank) for size in range(40000, 150000, 10000)]
        refused = [done for done in seen if done.returncode == 4]
        check(f"small processes {how}", refused and all(b"MB here (ulimit -v)" in done.stderr for done in refused), seen)
        # Without room for what the processes share there is no exploration.
        none = [done for done in seen if done.returncode == 2]
        check(f"very small processes {how}", none and all(b"shared memory: " in done.stderr for done in none), seen)
        check(f"processes {how}", all(done.returncode in (0, 1, 2, 4) for done in seen), seen)


def folders(bank):
    """The folder of schedules is made, and links in it are not followed."""
    done = unfold("--trace-dir", "new/deep", "--", bank)
    said("a new folder", done, 1, "^$")
    check("a new folder: named", b"schedule: new/deep/trace-1.unfs" in done.stdout, done)
    check("a new folder: replay", unfold("--replay", "new/deep/trace-1.unfs", "--", bank).returncode == 1)
    os.remove("new/deep/trace-1.unfs")
    with open("victim", "w", encoding="utf-8") as file:
        file.write("kept")
    os.symlink("../../victim", "new/deep/trace-1.unfs")
    unfold("--trace-dir", "new/deep", "--", bank)
    with open("victim", encoding="utf-8") as file:
        check("a link is not followed", file.read() == "kept")
    check("a link is replaced", not os.path.islink("new/deep/trace-1.unfs"))
    done = unfold("--trace-dir", "victim", "--", bank)
    check("a file is no folder", done.returncode == 2 and b"unfold: victim: " in done.stderr, done)
    far = "/".join(["far" * 40] * 8)
    done = unfold("--json", "--trace-dir", far, "--", bank)
    path = json.loads(done.stdout)["defects"][0]["schedule"]
    check("a long folder", path == far + "/trace-1.unfs" and os.path.exists(path), done)


def output(bank, ordered):
    """Standard output that is closed, full, or read by nobody."""
    unwritten = r"^unfold: standard output could not be written: .*\n$"
    unfold("--", bank)
    for words, status in ([], 1), (["--json"], 1), (["--replay", "trace-1.unfs"], 1):
        for to in (">&-", ">/dev/full", ">&- <&-"):
            said(f"{words} {to}", shell('"$@" ' + to, *words, "--", bank), status, unwritten, "")
    said("nothing found, closed", shell('"$@" >&-', "--", ordered), 3, unwritten, "")
    said("help, closed", shell('"$@" >&-', "--help"), 3, unwritten, "")
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([UNFOLD, "--", bank], stdout=write, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)
    os.close(write)
    check("read by nobody", done.returncode == 1 and b"Broken pipe" in done.stderr, done)
    check("all closed", shell('"$@" >&- 2>&- <&-', "--", bank).returncode == 1)


def begun_again(earlier):
    """What was found before an exploration begins again by itself."""
    for backend in BACKENDS:
        how = [*backend, *AT_LEISURE, "--reorder", "0"]  # it fails once
        for case, level in ("level", []), ("store", []), ("store", ["--atomics", "rmw"]), ("race", []), ("race", ["--atomics", "all"]):
            what, marker = f"begun again {case} {level} {how}", os.path.abspath("marker")
            program = [earlier, case, marker]
            seen = explore(program, *level, *how, status=1)
            os.remove(marker)
            (defect,) = seen["defects"] if len(seen["defects"]) == 1 else ({"kind": None},)
            check(what, (defect["kind"], defect.get("count"), seen["finished"]) == ("assertion", 0, True) and defect["earlier"] > 0, seen)
            check(f"{what}: restarts", seen["restarts"] > 0, seen)
            replayed = unfold("--replay", defect.get("schedule") or "none", "--", *program)
            check(f"{what}: replay", replayed.returncode == 1 and b"assertion `made < 0' failed" in replayed.stdout, replayed)
            os.remove(marker)
            text = unfold(*level, *how, "--", *program)
            check(f"{what}: said", text.returncode == 1 and b" before the exploration was begun again)" in text.stdout, text)
            os.remove(marker)
            first = unfold("--json", "--stop-at-first", *level, *how, "--", *program)
            os.remove(marker)
            check(f"{what}: the first", json.loads(first.stdout)["stopped"] == "first defect" and first.returncode == 1, first)


def names(bank):
    """Bytes that are no text."""
    raw, shown = b"odd\n\x1b\xff", r"odd\x0a\x1b\xff"
    shutil.copy(bank, raw)
    os.mkdir(b"d\n\xfe")
    done = unfold("--json", "--trace-dir", b"d\n\xfe", "--", b"./" + raw)
    result = json.loads(done.stdout)
    check("odd names", result["program"] == "./" + shown and result["defects"][0]["schedule"] == r"d\x0a\xfe/trace-1.unfs", result)
    for words, status in ((["--"], 1), (["--replay", b"d\n\xfe/trace-1.unfs", "--"], 1), (["--trace-dir", raw, "--"], 2),
                          (["--dot", b"d\n\xfe", "--"], 1)):
        done = unfold(*words, b"./" + raw)
        check(f"odd names {words}: status", done.returncode == status, done)
        text = done.stdout.decode() + done.stderr.decode()
        check(f"odd names {words}: shown", not re.search("[\0-\x09\x0b-\x1f\x7f]", text), done)
    done = unfold("--", b"./none\x1b\xff")
    check("no such odd name", done.returncode == 2 and rb"none\x1b\xff" in done.stderr, done)
    with open("odd.c", "wb") as file:
        file.write(b'#include <assert.h>\n#include <string.h>\nint main(void) { assert(strlen("\x1b[31m\xff") == 0); }\n')
    program = build("odd.c", "odd")
    done = unfold("--", program)
    check("odd assertion", rb"\x1b[31m\xff" in done.stdout and b"\x1b" not in done.stdout, done)
    check("odd assertion in JSON", r"\x1b[31m\xff" in explore([program], status=1)["defects"][0]["text"])


def in_time(program, *how, expected):
    """Stopped after some seconds; on a machine that needs more of them to get there, after more."""
    for seconds in (1, 3, 12, 60):
        result = explore(program, *how, "--max-seconds", str(seconds), status=3)
        if re.match(expected, result["unending"] or ""):
            break
    return result


BEFORE_MAIN = r"before main the program ran on for \d+ seconds .*, at lost.c:\d+ in spin_for_flag$"


def endless(how, lost, early):
    """Loops, before main too: the limits hold, and the thread is named."""
    loop = r"^thread 0 ran on for \d+ seconds without an operation, at lost.c:\d+ in spin_for_flag; a loop that waits"
    result = in_time([lost, "spins"], *how, expected=loop)
    check(f"spins {how}", result["stopped"] == "seconds" and re.match(loop, result["unending"] or ""), result)
    result = explore([lost, "polls"], *how, "--max-events", "4000", status=3)
    check(f"polls {how}", re.search(r"execution had .*\d+ operations: thread 0.0 did (un)?lock at least \d+ times, at lost.c:\d+ in look_at_flag",
                                    result["unending"] or ""), result)
    result = in_time([early, "polls"], *how, expected=BEFORE_MAIN)
    check(f"early {how}", result["stopped"] == "seconds" and re.match(BEFORE_MAIN, result["unending"] or ""), result)
    result = explore([lost, "endless-later"], *how, "--max-memory", "10M", status=1)
    check(f"memory {how}", result["stopped"] == "memory" and "in look_at_flag" in result["unending"], result)
    check(f"memory {how}: what was found", [(d["kind"], d["schedule"]) for d in result["defects"]] == [("assertion", "trace-1.unfs")], result)


def endless_early(early):
    result = explore([early, "polls"], status=4)
    check("early, no limit", re.match(r"before main the program ran for \d+ seconds .*, at lost.c:\d+ in spin_for_flag$", result["uncontrolled"]), result)


def endless_library():
    compiled(*CC, "-g", "-O0", "-w", "-shared", "-fPIC", "-DEARLY=1", f"{CASES}/lost.c", "-o", "libearly.so")
    program = build(f"{PROGRAMS}/bank.c", "with-library", "-Wl,--no-as-needed", "-L.", "-learly", "-Wl,-rpath," + os.getcwd())
    library = in_time([program], expected=BEFORE_MAIN)
    check("early, in a library", re.match(BEFORE_MAIN, library["unending"] or ""), library)


def little_memory(lost):
    """Without a limit that is chosen, half of the machine's memory is one."""
    compiled(*CC, "-D_GNU_SOURCE", "-shared", "-fPIC", f"{CASES}/little_memory.c", "-o", "little_memory.so")
    little = {**os.environ, "LD_PRELOAD": os.path.abspath("little_memory.so")}
    done = unfold("--", lost, "endless-later", env=little)
    check("memory: the default", done.returncode == 1 and b"  the limit was half of the memory, 10.5 MB (--max-memory)\n" in done.stdout
          and b"not finished (memory)" in done.stdout, done)


def sleeping(lost):
    """After N sleeps there is one more look: the flag is raised before a look or after the last."""
    for how in BACKENDS:
        for bound in 0, 1, 4:
            result = explore([lost, "sleeps"], *how, "--bound", str(bound))
            counts = [result[key] for key in ("traces", "complete", "blocked", "bound_met", "finished", "defects")]
            check(f"sleeps {how} {bound}", counts == [bound + 2, bound + 1, 1, True, True, []], result)


def blocked(how, lost, early):
    """What waits for the program alone is named at once, with its call and its place."""
    for case, thread, place in ("piped", "thread 0.0", "take_from_pipe"), ("counts-events", "thread 0", "counts_events"):
        why = explore([lost, case], *how, status=4)["uncontrolled"]
        check(f"{case} {how}", re.match(rf"{thread} is blocked in an uncontrolled call, read, at lost.c:\d+ in {place}", why), why)
    for name, ends in ("pipe", os.pipe()), ("socket", [end.detach() for end in socket.socketpair()]):
        # The shell knows no descriptors of two digits.
        done = run("bash", "-c", f'"$@" 3<&{ends[0]}', "bash", UNFOLD, *how, "--", lost, "inherits", text=False, pass_fds=ends)
        why = re.search(rb"thread 0.0 is blocked in an uncontrolled call, read, at lost.c:\d+ in take_from_outside", done.stderr)
        check(f"inherited {name} {how}", done.returncode == 4 and why, done)
        for end in ends:
            os.close(end)
    why = explore([early, "polls"], *how, status=4)["uncontrolled"]
    check(f"early {how}", re.match(r"before main the program is blocked in an uncontrolled call, read, at lost.c:\d+", why), why)
    result = explore([lost, "refused-later"], *how, status=4)
    check(f"refused {how}", "sem_open" in result["uncontrolled"], result)
    check(f"refused {how}: what was found", [(d["kind"], d["schedule"]) for d in result["defects"]] == [("assertion", "trace-1.unfs")], result)
    done = unfold("--replay", "trace-1.unfs", "--", lost, "refused-later")
    check(f"refused {how}: replay", b"assertion `flag == 1' failed" in done.stdout, done)


ASSERTION = ("assertion", 1, r"flag == 1.*lost.c:\d+")
# case, traces, defects: kind, how many executions have it, what is said of it
WRONG = [
    ("no-handle", 1, [("crash", 1, r"lost.c:\d+"), ASSERTION]),
    ("no-function", 1, [ASSERTION, ("crash", 1, r"lost.c:\d+")]),
    ("sized-later", 2, [("deadlock", 1, "1 of 2 threads"), ("undefined", 1, r"another number of arrivals.*lost.c:\d+")]),
    ("fails-thrice", 1, [ASSERTION]),
    ("joined-twice", 2, [("misuse", 2, r"only one of them can join it.*lost.c:\d+")]),
    ("joined-in-turn", 1, [("misuse", 1, r"only one of them can join it.*lost.c:\d+")]),
    ("posts-over", 6, [("exit", 2, "exit status 1")]),
    ("adds-nowhere", 1, [("crash", 1, r"SIGSEGV at address 0x3.*lost.c:\d+"), ASSERTION]),
]


def wrong(lost):
    """What is wrong in a program ends one execution; the number beside it is that of executions."""
    compiled(*CC, "-g", "-O0", "-w", "-fsanitize=thread", "-c", f"{CASES}/lost.c", "-o", "lost.o")
    compiled(*CC, "-pthread", "lost.o", *linked_with(UNFOLD), "-o", "watched")
    for program in lost, os.path.abspath("watched"):
        for how in BACKENDS if program == lost else BACKENDS[2:]:
            for case, traces, defects in WRONG:
                result = explore([program, case], *how, status=1)
                what = f"{case} {how} {program}"
                check(f"{what}: traces", (result["finished"], result["traces"], result["redundant"]) == (True, traces, 0), result)
                seen = [(d["kind"], d["count"]) for d in result["defects"]]
                check(f"{what}: defects", sorted(seen) == sorted(d[:2] for d in defects), seen)
                text = [json.dumps(d) for d in result["defects"]]
                check(f"{what}: text", all(any(re.search(d[2], t) for t in text) for d in defects), text)
    explore([lost, "joined-twice"], status=1)
    done = unfold("--replay", "trace-1.unfs", "--", lost, "joined-twice")
    check("joined twice: replay", done.returncode == 1 and b"only one of them can join it" in done.stdout, done)
    done = unfold("--", lost, "joined-twice")
    check("joined twice: said", b"a thread is joined by several: begun again with their order" in done.stdout, done)


def interrupt(words, send, signals):
    """The status and the JSON object of a run that is interrupted when the program says so."""
    folder = tempfile.mkdtemp(dir=os.getcwd())
    with subprocess.Popen(words, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, cwd=folder, start_new_session=True) as process:
        wait_until(process, lambda: os.path.exists(f"{folder}/ready"))
        for number in signals:
            send(process.pid, number)
        text = process.communicate()[0]
    return process.returncode, json.loads(text)


def interrupted(words, send, signals, status):
    seen, result = interrupt(words, send, signals)
    check(f"{signals} {words}", seen == status and result["stopped"] == "interrupt", (seen, result))


def interruptions(lost):
    """One or several, to the launcher alone or to all: the report comes, with its status."""
    return [([UNFOLD, "--json", *how, "--", lost, case], send, signals, status)
            for how in BACKENDS
            for case, status in (("endless-later", 1), ("polls", 3), ("spins", 3))
            for signals in ((signal.SIGHUP,), (signal.SIGQUIT,), (signal.SIGINT, signal.SIGINT), (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT))
            for send in (os.kill, os.killpg)]


def linked_slowly(what):
    """With a library in front of the C library that makes the exploring process slow."""
    compiled(*CC, "-shared", "-fPIC", f"-D{what}", f"{CASES}/slow_worker.c", "-o", f"lib{what}.so")
    return build(f"{CASES}/lost.c", f"lost-{what}", "-w", "-Wl,--no-as-needed", "-L.", f"-l{what}", "-Wl,-rpath," + os.getcwd())


def takes_long(lost):
    """The longer an execution was, the longer it may take to write it down."""
    status, result = interrupt([UNFOLD, "--json", "--atomics", "off", "--save", "half", "--", lost, "endless-later"], os.kill, (signal.SIGINT,))
    check("long after an interrupt", (status, result["stopped"], result["saved"]) == (1, "interrupt", "half"), result)


def interrupted_at_birth(lost):
    """An interrupt when the process of an execution is there, and nobody knows it: of each of those
    up to the one that does not end."""
    for number in range(2, 5):
        words = ["env", f"INTERRUPTED_FORK={number}", UNFOLD, "--json", "--atomics", "off", "--reorder", "0", "--max-seconds", "300", "--", lost, "endless-second"]
        result = json.loads(run(*words).stdout)
        check(f"interrupted as execution {number} begins", (result["stopped"], [(d["kind"], d["count"]) for d in result["defects"]]) == ("interrupt", [("assertion", 1)]), result)


def no_hang_up(lost):
    words = ["sh", "-c", 'trap "" HUP; exec "$@"', "sh", UNFOLD, "--json", "--max-seconds", "1", "--", lost, "polls"]
    status, result = interrupt(words, os.kill, [signal.SIGHUP])
    check("nohup", (status, result["stopped"]) == (3, "seconds"), result)


def processes_of(program, parent):
    """The children of a process that have become the program."""
    with open(f"/proc/{parent}/task/{parent}/children", encoding="ascii") as file:
        return [int(child) for child in file.read().split() if os.path.realpath(f"/proc/{child}/exe") == program]


def killed(lost):
    """The exploring process cannot say what ended it."""
    with subprocess.Popen([UNFOLD, "--json", "--", lost, "polls"], stdout=subprocess.PIPE, cwd=here.folder, text=True) as child:
        wait_until(child, lambda: processes_of(lost, child.pid))
        for process in processes_of(lost, child.pid):
            os.kill(process, signal.SIGKILL)
        output, _ = child.communicate()
    check("killed", child.returncode == 4 and "ended by signal 9 (Killed), as the system does" in output, output)


def main():
    os.environ["LC_ALL"] = "C"
    bank = build(f"{PROGRAMS}/bank.c", "bank")
    ordered = build(f"{PROGRAMS}/bank.c", "ordered", "-DORDERED")
    lost = build(f"{CASES}/lost.c", "lost", "-w")
    early, piped = (build(f"{CASES}/lost.c", f"early-{what}", "-w", f"-DEARLY={what}") for what in (1, 2))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        jobs = [pool.submit(apart, endless_early, early), pool.submit(apart, endless_library), pool.submit(apart, no_hang_up, lost),
                pool.submit(apart, killed, lost),
                pool.submit(apart, little_memory, lost), pool.submit(apart, takes_long, linked_slowly("RENAMES")),
                pool.submit(apart, interrupted_at_birth, linked_slowly("FORKS"))]
        for how in BACKENDS:
            jobs += [pool.submit(apart, endless, how, lost, early), pool.submit(apart, blocked, how, lost, piped)]
        jobs += [pool.submit(apart, sleeping, lost), pool.submit(apart, wrong, lost)]
        jobs += [pool.submit(interrupted, *words) for words in interruptions(lost)]
        files(bank, ordered)
        folders(bank)
        small(bank)
        output(bank, ordered)
        names(bank)
        pictures(bank, lost)
        if scans(UNFOLD):
            begun_again(build(f"{CASES}/earlier.c", "earlier"))
        else:
            print(WITHOUT_ZYDIS + "explorations that begin again at another level are left out")
        for job in jobs:
            job.result()


sys.exit(in_own_folder(main))
