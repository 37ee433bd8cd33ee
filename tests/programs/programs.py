#!/usr/bin/env python3
"""Programs as Debian ships them, in three orders of exploration: programs.py UNFOLD [--seconds N]
[NAME ...]. Prints a table; the status is 1 if orders disagree about a program, or it is not
explored, that is not in FAILS, or fails for another reason.

A program is explored at the levels rmw, all and off of --atomics, one after the other until at one
of them each order has its end or 1,000 executions within the seconds (60), without a refusal, and
all orders agree: where they come to an end they have as many traces, and the same defects; those of
LONG at one level and for longer. The rate is in seconds of processor time, so that it does not
depend on what else the machine does."""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

UNFOLD = os.path.abspath(sys.argv[1])
CHOSEN = sys.argv[2:]
EXECUTIONS, SECONDS = 1000, 60
ROW_SECONDS = 360  # after which no further level is tried
if CHOSEN[:1] == ["--seconds"]:
    SECONDS = int(CHOSEN[1])
    CHOSEN = CHOSEN[2:]
LEVELS = ("rmw", "all", "off")
# At what level, and for how many seconds, those are explored that have long executions of more than
# 500 operations, and decide by plain accesses.
LONG = {"rg": ("all", 900), "fd": ("all", 900)}
ORDERS = ((), ("--order", "bfs"), ("--order", "random", "--seed", "1"))
MAFFT = "/usr/lib/mafft/lib/mafft/"
PATIENT = ("--max-timeouts", "0")
# Threads that look whether others are ready sleep at most once at each place.
POLLING = ("--bound", "1", *PATIENT)

# Name, options, the program and its words. An input of a few bytes and two workers: what is wanted
# is few operations, each of which is that of a real program.
PROGRAMS = [
    ("rg", (), "rg -j2 one tree"), ("fd", (), "fdfind -j2 1 tree"), ("ugrep", (), "ugrep -J2 -r one tree"),
    ("par2", (), "par2 verify -q -q -t2 kept.par2"), ("7zz", (), "7zz a -mmt=2 -y out.7z hello"),
    ("pzstd", (), "pzstd -p 2 -c hello"), ("lrzip", (), "lrzip -p 2 -q -f -o hello.lrz hello"), ("sort", (), "sort --parallel=2 lines"),
    ("python3", PATIENT, "/usr/bin/python3 -S threads.py"), ("x264", (), "x264 --threads 2 --input-res 176x144 --frames 2 -o out.264 frames.yuv"),
    ("x264, thread for input", (), "x264 --threads 1 --thread-input --input-res 176x144 --frames 2 -o out.264 frames.yuv"),
    ("pigz", (), "pigz -p 2 -c hello"), ("pigz -d", (), "pigz -d -p 2 -c hello.gz"), ("plzip", (), "plzip -n 2 -c hello"),
    ("pixz", (), "pixz -p 2 -k hello hello.pxz"), ("zstd", (), "zstd -T2 -c hello"), ("zstd, two jobs", (), "zstd -T2 -B1MB -c zeros"),
    ("lbzip2", (), "lbzip2 -n 2 -k -c hello"), ("pbzip2", (), "pbzip2 -p2 -k -c hello"), ("xz", PATIENT, "xz -k -T2 -c hello"),
    ("git grep", (), "git -C repository grep --threads=2 one"), ("git pack-objects", (), "git -C repository pack-objects --threads=2 --all --stdout"),
    ("mafft dndpre", (), MAFFT + "dndpre -D -C 2 -i three.fa"), ("mafft pairlocalalign", (), MAFFT + "pairlocalalign -D -C 2 -i three.fa -L"),
    ("samtools", POLLING, "samtools sort -@ 2 -O sam three.sam"), ("bwa", (), "bwa mem -t2 three.fa three.fa"), ("minimap2", (), "minimap2 -t2 three.fa three.fa"),
    ("primesieve", (), "primesieve 100000000 -t2 -q"), ("zpaq", (), "zpaq add out.zpaq hello -threads 2"),
    ("mksquashfs", POLLING, "mksquashfs tree out.sqfs -processors 2 -noappend -quiet"),
]
# What fails, with a part of what is said: what happens is decided by plain accesses, all of which
# are too many to be watched (x264 loads 137 libraries); or too few executions in the time.
RACING, FEW = "has a data race", "of 1,000"
FAILS = {"x264": (RACING, FEW), "sort": (RACING, FEW)}
PYTHON = """import threading
count, lock = 0, threading.Lock()
def add():
    global count
    with lock:
        count += 1
workers = [threading.Thread(target=add) for _ in range(2)]
for worker in workers: worker.start()
for worker in workers: worker.join()
assert count == 2
"""


def write(path, data):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)


def inputs():
    write("hello", b"hello hello hello\n")
    write("zeros", bytes(1500000))
    write("lines", b"\n" * 131072)
    write("frames.yuv", bytes(176 * 144 * 3))
    write("threads.py", PYTHON.encode())
    write("three.fa", b">a\nacgtacgtaa\n>b\nacgtaagtaa\n>c\nacctacgtaa\n")
    write("three.sam", b"@SQ\tSN:a\tLN:10\n" + b"".join(b"r%d\t0\ta\t%d\t9\t4M\t*\t0\t0\tacgt\t*\n" % (i, 3 - i) for i in range(3)))
    for folder in "tree", "repository":
        for i in range(3):
            write(f"{folder}/{i}", b"one two\n")
    run("pigz", "-k", "hello")
    run("par2", "create", "-q", "-q", "-s512", "-r50", "kept.par2", "hello")
    run("bwa", "index", "three.fa")
    git = ("git", "-C", "repository", "-c", "user.name=a", "-c", "user.email=a@b")
    for words in ("init", "-q"), ("add", "."), ("commit", "-q", "-m", "three"):
        run(*git, *words)


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def explore(level, seconds, order, options, command):
    before = processor_time()
    done = run(UNFOLD, "--json", "--atomics", level, "--mode", "inprocess", "--trace-dir", "traces", "--max-executions", str(EXECUTIONS),
               "--max-seconds", str(seconds), *order, *options, "--", *command.split())
    try:
        result = json.loads(done.stdout)
    except ValueError:
        result = {"uncontrolled": done.stderr.strip(), "finished": False, "traces": 0, "executions": 0, "defects": [], "stopped": None,
                  "atomics": {"level": level}}
    result["used"] = processor_time() - before
    return result


def defects(result):
    return sorted((d["kind"], d["text"] or "", tuple(t["place"] or "" for t in d["threads"])) for d in result["defects"])


def disagreement(results):
    """Why the results of several orders cannot be of one program, or nothing."""
    ends = {r["traces"] for r in results if r["finished"]}
    if len(ends) > 1:
        return f"orders have {sorted(ends)} traces"
    if len({r["finished"] for r in results}) > 1 and all(r["executions"] < EXECUTIONS and r["stopped"] != "seconds" for r in results):
        return "one order ends, and another one does not"
    if all(r["finished"] for r in results) and len({tuple(defects(r)) for r in results}) > 1:
        return "orders find different defects"
    return None


def is_enough(result):
    return result["finished"] or result["executions"] >= EXECUTIONS or result["stopped"] == "timeouts"


def why_not(results):
    """Why that is not what is wanted, or nothing."""
    refused = next((r["uncontrolled"] for r in results if r["uncontrolled"]), None)
    if refused is not None:
        return refused.split("\n")[-1]
    least = min(results, key=lambda r: (is_enough(r), r["executions"]))
    if not is_enough(least):
        if least["executions"] == 0 and least.get("unending"):
            return least["unending"]
        return f"{', '.join(format(r['executions'], ',') for r in results)} of {EXECUTIONS:,} executions"
    return disagreement(results)


def at_level(level, seconds, options, command):
    first = explore(level, seconds, (), options, command)
    refused = first["uncontrolled"] is not None
    return [first] + [explore(level, seconds, order, options, command) for order in ORDERS[1:] if not refused]


def say(name, results, why):
    first = results[0]
    how = "refused" if first["uncontrolled"] else "to the end" if first["finished"] else f"`{first['stopped']}`"
    found = ", ".join(sorted({d["kind"] for r in results for d in r["defects"]})) or "nothing"
    rate = sum(r["executions"] for r in results) / max(sum(r["used"] for r in results), 1e-9)
    print(f"| `{name}` | {first['atomics']['level']} | {how} | {first['traces']:,} | {first.get('threads', 0)} | {rate:,.1f} | {found} | {(why or '')[:300]} |",
          flush=True)


def explored(name, options, command):
    """Whether the program can be explored at a level, and orders agree; or why not is known."""
    tried, began = [], time.monotonic()
    levels = [(level, SECONDS) for level in LEVELS] if name not in LONG else [LONG[name]]
    for level, seconds in levels:
        if tried and time.monotonic() - began > ROW_SECONDS:
            break
        results = at_level(level, seconds, options, command)
        why = why_not(results)
        tried.append((results, why))
        if why is None:
            break
    # If none is good, the one that came farthest.
    results, why = tried[-1] if why is None else max(tried, key=lambda t: min(r["executions"] for r in t[0]))
    say(name, results, why)
    return why is None, why is None or any(part in why for part in FAILS.get(name, ()))


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["LC_ALL"] = "C"
        inputs()
        print("| program | level | result | traces | threads | executions a second | found | why not |\n|---|---|---|---|---|---|---|---|")
        rows = [p for p in PROGRAMS if not CHOSEN or p[0] in CHOSEN]
        began = time.monotonic()
        good = [explored(*p) for p in rows]
        os.chdir("/")
    print(f"\n{sum(g for g, _ in good)} of {len(good)} programs: {EXECUTIONS:,} executions or the end, and orders agree; "
          f"{time.monotonic() - began:,.0f} seconds")
    for row, (_, expected) in zip(rows, good):
        if not expected:
            print(f"FAIL {row[0]}: not what is expected of it")
    return 0 if all(expected for _, expected in good) else 1


sys.exit(main())
