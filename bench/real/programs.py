"""Real programs of --prepare, explored: a row each in the form of Table 2 of the paper on symbolic
partial-order execution (CAV 2020), and what was found behind it."""
import json
import os
import subprocess

LINES = "d\nb\nc\na\n"
PEERS = "input 6\nclose\npeer\ninput 6\nclose\n"
SHUTDOWN = "input 6\nsend \\r\\nshutdown\\r\\n\nclose\n"
# Without threads that only wake up now and then.
CALM = "no_lru_maintainer,no_lru_crawler,no_slab_reassign,hashpower=12"
# name, what is explored, options, arguments, files
ROWS = [
    ("pigz", "2 threads, 1 byte", ["--symbolic-stdin=1"], ["-p", "2", "-c"], {}),
    ("pigz", "-d, 2 bytes", ["--symbolic-stdin=2"], ["-d", "-c"], {}),
    ("pixz", "2 threads, 1 byte", ["--symbolic-stdin=1"], ["-0", "-t", "-p", "2"], {}),
    ("pixz", "-d, 6 bytes", ["--symbolic-stdin=6"], ["-d", "-t", "-p", "2"], {}),
    ("lbzip2", "1 thread, 1 byte", ["--symbolic-stdin=1"], ["-n", "1", "-c"], {}),
    ("lbzip2", "-d, 4 bytes", ["--symbolic-stdin=4"], ["-n", "1", "-d", "-c"], {}),
    ("sort", "4 lines, as it is", ["--stdin=lines"], ["--parallel=2"], {"lines": LINES}),
    ("sort", "4 lines, behind races", ["--stdin=lines", "--races=continue"], ["--parallel=2"], {"lines": LINES}),
    ("sort", "4 lines of a byte", ["--symbolic-stdin=8", "--races=continue"], ["--parallel=2"], {}),
    ("memcached", "2 packets of 6 bytes", ["--peer=peers", "--max-timeouts=1", "--races=continue", "--order=random"],
     ["-t", "2", "-m", "2", "-o", CALM], {"peers": PEERS}),
    ("memcached", "a packet, shutdown", ["--peer=peers", "--max-timeouts=1", "--races=continue", "--order=random"],
     ["-A", "-t", "2", "-m", "2", "-o", CALM], {"peers": SHUTDOWN}),
]
HEAD = ("program", "explored", "time", "RSS", "#I", "Th", "Σ", "Mut", "CV", "λ", "exit", "blocked", "err", "halt")


def explore(unfold, solver, folder, row, seconds, memory):
    name, _, options, arguments, files = row
    work = os.path.join(folder, "work")
    os.makedirs(work, exist_ok=True)
    for file, text in files.items():
        with open(os.path.join(work, file), "w", encoding="utf-8") as out:
            out.write(text)
    done = subprocess.run([unfold, "--json", "--solver", solver, "--zero-memory", f"--max-seconds={seconds}", f"--max-memory={memory}", *options,
                           os.path.join(folder, f"{name}.bc"), "--", *arguments], capture_output=True, text=True, cwd=work, check=False)
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {"uncontrolled": (done.stdout + done.stderr).strip(), "defects": []}


def short(number):
    for unit in ("", "K", "M", "G"):
        if number < 10000:
            return f"{round(number)}{unit}"
        number /= 1000
    return f"{round(number)}T"


def cells(row, result):
    if "events" not in result:
        return [row[0], row[1], *["-"] * 11, result.get("uncontrolled", "")[:100]]
    halt = "end" if result["finished"] else result["stopped"] or result["uncontrolled"]
    kinds = result["event_kinds"]
    return [row[0], row[1], f"{result['seconds']:.1f} s", f"{result['peak_rss_bytes'] / 1e6:.0f} MB", short(result["instructions"]),
            result["threads"], *(short(number) for number in (result["events"], kinds["mutexes"], kinds["conditions"], kinds["branches"])),
            short(result["complete"]), short(result["blocked"]), result["errors"], halt]


def finding(defect, asks):
    places = [t["place"] for t in defect["threads"] if t.get("place") and t["state"] in ("failed", "racing")]
    inputs = " ".join(f"{name}={value}" for name, value in (defect.get("inputs") or {}).items())
    if defect.get("inputs") is None and asks:
        inputs = "(possible only)"
    return f"    {defect['kind']}: {defect.get('text') or ''} at {', '.join(places[:4])} {inputs}".rstrip()


def run(unfold, solver, folder, seconds, memory, only=None):
    print(" | ".join(HEAD))
    for row in ROWS:
        if only and row[0] not in only:
            continue
        if not os.path.exists(os.path.join(folder, f"{row[0]}.bc")):
            print(f"{row[0]} | {row[1]} | not built (--prepare)")
            continue
        result = explore(unfold, solver, folder, row, seconds, memory)
        print(" | ".join(str(cell) for cell in cells(row, result)), flush=True)
        for defect in result["defects"]:
            print(finding(defect, result["solver"]["inputs"] > 0))
