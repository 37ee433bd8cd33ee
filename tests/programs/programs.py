#!/usr/bin/env python3
"""Programs as Debian ships them, in three orders of exploration: programs.py UNFOLD [NAME ...].
Prints a table; the status is 1 if orders disagree about a program, or it is refused, that is not
in REFUSED, or is there for another reason.

A program is explored with --atomics rmw, and where that is refused with --atomics off; in each
order up to 1,000 executions or 60 seconds. Where it comes to an end, all orders must have as many
traces; defects must be the same ones."""
import json
import os
import subprocess
import sys
import tempfile

UNFOLD = os.path.abspath(sys.argv[1])
CHOSEN = sys.argv[2:]
EXECUTIONS, SECONDS = 1000, 60
ORDERS = ((), ("--order", "bfs"), ("--order", "random", "--seed", "1"))
MAFFT = "/usr/lib/mafft/lib/mafft/"
PATIENT = ("--max-timeouts", "0")

# Name, options, the program and its words. An input of a few bytes and two workers: what is wanted
# is few operations, each of which is that of a real program.
PROGRAMS = [
    ("rg", (), "rg -j2 one tree"), ("fd", (), "fdfind -j2 1 tree"), ("ugrep", (), "ugrep -J2 -r one tree"),
    ("par2", (), "par2 verify -q -q -t2 kept.par2"), ("7zz", (), "7zz a -mmt=2 -y out.7z hello"),
    ("pzstd", (), "pzstd -p 2 -c hello"), ("lrzip", (), "lrzip -p 2 -q -f -o hello.lrz hello"), ("sort", (), "sort --parallel=2 lines"),
    ("python3", PATIENT, "/usr/bin/python3 -S threads.py"), ("x264", (), "x264 --threads 2 --input-res 176x144 --frames 2 -o out.264 frames.yuv"),
    ("pigz", (), "pigz -p 2 -c hello"), ("pigz -d", (), "pigz -d -p 2 -c hello.gz"), ("plzip", (), "plzip -n 2 -c hello"),
    ("pixz", (), "pixz -p 2 -k hello hello.pxz"), ("zstd", (), "zstd -T2 -c hello"), ("zstd, two jobs", (), "zstd -T2 -B1MB -c zeros"),
    ("lbzip2", (), "lbzip2 -n 2 -k -c hello"), ("pbzip2", (), "pbzip2 -p2 -k -c hello"), ("xz", PATIENT, "xz -k -T2 -c hello"),
    ("git grep", (), "git -C repository grep --threads=2 one"), ("git pack-objects", (), "git -C repository pack-objects --threads=2 --all --stdout"),
    ("mafft dndpre", (), MAFFT + "dndpre -D -C 2 -i three.fa"), ("mafft pairlocalalign", (), MAFFT + "pairlocalalign -D -C 2 -i three.fa -L"),
    ("samtools", PATIENT, "samtools sort -@ 2 -O sam three.sam"), ("bwa", (), "bwa mem -t2 three.fa three.fa"), ("minimap2", (), "minimap2 -t2 three.fa three.fa"),
    ("primesieve", (), "primesieve 100000000 -t2 -q"), ("zpaq", (), "zpaq add out.zpaq hello -threads 2"),
    ("mksquashfs", PATIENT, "mksquashfs tree out.sqfs -processors 2 -noappend -quiet"),
]
# What cannot be explored, with the reason that is said: an atomic object is also written by plain
# instructions (Rust, bwa); what happens is decided by plain accesses, so that the program
# seems not to be deterministic; a thread looks again and again whether another one is ready.
PLAIN, RACING, POLLS = "written by plain accesses", "has a data race", "goes on for ever"
REFUSED = {"rg": "SYS_futex", "fd": "SYS_futex", "7zz": RACING, "pzstd": RACING, "sort": RACING, "x264": RACING,
           "mksquashfs": POLLS, "samtools": POLLS}
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


def explore(level, order, options, command):
    done = run(UNFOLD, "--json", "--atomics", level, "--mode", "inprocess", "--trace-dir", "traces", "--max-executions", str(EXECUTIONS),
               "--max-seconds", str(SECONDS), *order, *options, "--", *command.split())
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {"uncontrolled": done.stderr.strip(), "finished": False, "traces": 0, "executions": 0, "seconds": 1, "defects": [], "stopped": None}


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


def say(result, name, level, results, wrong):
    enough = result["finished"] or result["executions"] >= EXECUTIONS or result["stopped"] == "timeouts"
    how = "to the end" if result["finished"] else f"`{result['stopped']}`" if result["stopped"] else "refused"
    found = ", ".join(sorted({d["kind"] for r in results for d in r["defects"]})) or "nothing"
    remark = wrong or (result["uncontrolled"] or "").split("\n")[-1] or (result.get("unending") if not enough else None) or ""
    rate = sum(r["executions"] for r in results) / max(sum(r["seconds"] for r in results), 1e-9)
    print(f"| `{name}` | {level} | {how} | {result['traces']:,} | {result.get('threads', 0)} | {rate:,.0f} | {found} | {remark[:300]} |", flush=True)
    return enough, remark


def explored(name, options, command):
    """Whether the program can be explored at a level, and orders agree; or why not is known."""
    for level in "rmw", "off":
        first = explore(level, (), options, command)
        refused = first["uncontrolled"] is not None
        results = [first] + [explore(level, order, options, command) for order in ORDERS[1:] if not refused]
        wrong = disagreement(results) or next((r["uncontrolled"] for r in results if r["uncontrolled"]), None)
        worst = next((r for r in results if r["uncontrolled"]), first)
        enough, why = say(worst, name, level, results, wrong)
        if wrong is None and first["traces"] > 0:
            break
    known = REFUSED.get(name)
    good = enough and wrong is None
    if known is None:
        return good, wrong is None and first["traces"] > 0  # how many is a matter of the machine
    return good, not good and known in why


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["LC_ALL"] = "C"
        inputs()
        print("| program | level | result | traces | threads | executions a second | found | why |\n|---|---|---|---|---|---|---|---|")
        rows = [p for p in PROGRAMS if not CHOSEN or p[0] in CHOSEN]
        good = [explored(*p) for p in rows]
        os.chdir("/")
    print(f"\n{sum(g for g, _ in good)} of {len(good)} programs: {EXECUTIONS:,} executions or the end, and orders agree")
    for row, (_, expected) in zip(rows, good):
        if not expected:
            print(f"FAIL {row[0]}: not what is expected of it")
    return 0 if all(expected for _, expected in good) else 1


sys.exit(main())
