#!/usr/bin/env python3
"""check_std.py UNFOLD_TRACE UNFOLD_MODEL SOURCE [SEED COUNT]: traces in the STD format, written by
the library and read by another reader (std_trace.py), and the other way round.

- Random traces, some of them impossible: both readers accept the same ones, or refuse the same
  line; they find the same races; they order the same events.
- Every execution of every small model, as a schedule and then as a trace: it can be read, and two
  steps that depend on each other are ordered there.
- Executions with accesses (unfold-model --std): the race that was found is in the trace."""
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from std_trace import Refused, Trace

FAILING = {"tryfail", "rdfail", "wrfail"}  # what doc/formats.md says is lost
MOST = 3  # executions of one model


def run(*command, status=(0,)):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode not in status:
        sys.exit(f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def fnv(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


# ---- random traces ----

def draw(chance, lines):
    """A trace that is possible, but for a few lines."""
    threads, locks = [f"T{i}" for i in range(chance.randint(1, 4))], ["l", "m", "n[1]"]
    alive, held, out, new = set(threads[:chance.randint(1, len(threads))]), {}, [], len(threads)
    for _ in range(lines):
        thread = chance.choice(sorted(alive))
        kind = chance.choices(["acq", "rel", "r", "w", "fork", "join", "mark", "wild"],
                              [20, 20, 25, 15, 6, 4, 5, 2])[0]
        operand = ""
        if kind == "acq":
            free = [lock for lock in locks if held.get(lock, (thread, 0))[0] == thread]
            if not free:
                continue
            operand = chance.choice(free)
            held[operand] = thread, held.get(operand, (thread, 0))[1] + 1
        elif kind == "rel":
            own = sorted(lock for lock, (owner, _) in held.items() if owner == thread)
            if not own:
                continue
            operand = chance.choice(own)
            held[operand] = thread, held[operand][1] - 1
            if held[operand][1] == 0:
                del held[operand]
        elif kind in ("r", "w"):
            operand = chance.choice(["x", "y", "a.b[0]"])
        elif kind == "fork":
            operand, new = f"T{new}", new + 1
            alive.add(operand)
        elif kind == "join":
            if len(alive) < 2:
                continue
            operand = chance.choice(sorted(alive - {thread}))
            alive.discard(operand)
        elif kind == "mark":
            kind = chance.choice(["begin", "end", "branch"])
            operand = chance.choice(["", "work"])
        else:
            kind = chance.choice(["acq", "rel", "fork", "join", "wait", "r", ""])
            operand = chance.choice(["l", "m", "T0", "T1", "x", ""])
            thread = chance.choice(threads + ["T9", ""])
        field = f"{kind}({operand})" if operand or kind in ("r", "") else kind
        out.append(f"{thread}|{field}|{chance.randint(1, 6)}")
    return "\n".join(out) + chance.choice(["\n", ""])


def check_random(tool, folder, seed, count):
    path, events = folder / "trace.std", folder / "events.json"
    accepted = races = ordered = 0
    for number in range(seed, seed + count):
        chance = random.Random(number)
        text = draw(chance, chance.choice([3, 12, 40]))
        path.write_text(text)
        told = run(tool, "--json", path, status=(0, 1, 2))
        try:
            trace = Trace(text)
        except Refused as refused:
            place = re.match(rf"{path}:(\d+):\d+: ", told.stderr)
            assert told.returncode == 2 and place, (number, text, told)
            assert int(place.group(1)) == refused.args[0], (number, text, told.stderr, refused)
            continue
        assert told.returncode != 2, (number, text, told.stderr)
        accepted += 1
        found = {(r["variable"], *sorted((r["first"]["place"], r["second"]["place"])))
                 for r in json.loads(told.stdout)["races"]}
        expected = trace.races()
        assert {r[1:] for r in expected} == {r[1:] for r in found} and found <= expected, number
        races += len(found)
        by_variable = json.loads(run(tool, "--json", "--variables", path, status=(0, 1)).stdout)
        assert {r["variable"] for r in by_variable["races"]} == {r[0] for r in trace.races()}
        for option, is_event in ((), trace.event), (("--events",), None):
            run(tool, *option, "--configuration", events, path, status=(0, 1))
            ordered += same_order(trace, json.loads(events.read_text()), is_event, number)
    print(f"{count} traces, {accepted} of them possible: {races} races, {ordered} pairs in order")
    assert accepted > count / 4 and races > count / 8


def same_order(trace, configuration, is_event, number):
    """The events of a configuration have the causes that the lines have."""
    line = {e["id"]: int(e["cookie"]) - 1 for e in configuration["events"]}
    causes, count = {0: set()}, 0
    for e in configuration["events"]:  # in an order of causality
        causes[e["id"]] = set().union(*(causes[k] | {line[k]} if k else set() for k in e["after"]))
    expected = trace.closure()
    if is_event is not None:  # accesses are no events
        expected = [None if not is_event[j] else
                    {i for i in range(j) if is_event[i] and trace.before(i, j)}
                    for j in range(len(trace.lines))]
    assert sorted(line.values()) == [i for i, c in enumerate(expected) if c is not None], number
    for event, mine in causes.items():
        if event:
            assert mine == expected[line[event]], (number, line[event] + 1)
            count += len(mine)
    return count


# ---- schedules as traces ----

def uses(step):
    """What a step uses, by its text: names of objects, and whether it changes them."""
    words = step.split()
    thread, kind, rest = words[0], words[1], words[2:]
    objects = {"thread " + thread: True}
    if kind in ("create", "join"):
        objects["thread " + rest[1]] = True
    elif rest and kind not in ("loc", "branch", "custom"):  # of a family only its own code knows
        objects[" ".join(rest[:3])] = kind != "read"
        if len(rest) >= 6 and rest[3] in ("mutex", "location"):
            objects[" ".join(rest[3:6])] = rest[3] == "mutex"
    if kind == "fagain":  # the queue says nothing of it
        del objects[" ".join(rest[:3])]
    return objects


def check_schedules(tool, model, source, folder):
    path, out = folder / "x.unfs", folder / "executions.json"
    executions = pairs = 0
    for program in sorted((source / "examples/model/programs").glob("*.unf")):
        done = subprocess.run([model, "--executions", out, "--max-executions", str(MOST), "--max-memory", "200M", program],
                              capture_output=True, text=True)
        if done.returncode == 2:
            continue  # a program that is refused
        for line in out.read_text().splitlines():
            steps = json.loads(line)["steps"]
            text = "".join(f"{s}\n" for s in ["unfold-schedule 1", "program x", *steps]).encode()
            path.write_bytes(text + f"checksum {fnv(text):016x}\n".encode())
            trace = Trace(run(tool, "--convert", path).stdout)
            first, last = {}, {}
            for i, row in enumerate(trace.lines):
                first.setdefault(int(row[3]), i)
                last[int(row[3])] = i
            assert set(first) <= set(range(1, len(steps) + 1))
            for n, step in enumerate(steps, 1):
                silent = step.split()[1] in FAILING | {"loc", "branch"}
                assert silent == (n not in first), (program, step)
                for m in range(1, n):
                    one, two = uses(steps[m - 1]), uses(step)
                    depend = any(one[o] or two[o] for o in one.keys() & two.keys())
                    if depend and m in first and n in first:
                        assert trace.before(first[m], last[n]), (program, m, n, steps)
                        pairs += 1
            executions += 1
    print(f"{executions} executions of models: {pairs} dependent pairs in order")
    assert executions > 60 and pairs > 1000


def check_accesses(tool, model, source, folder):
    """The places of a race are lines in a trace; the exploration has columns too."""
    races = 0
    for program in sorted((source / "examples/model/programs").glob("*.unf")):
        if not re.search(r"(?m)^shared int", program.read_text()):
            continue
        done = run(model, "--json", "--max-executions", 100, "--max-memory", "50M", "--trace-dir",
                   folder, program, status=(0, 1, 2, 3))  # of some there is no end
        if done.returncode == 2:
            continue
        for defect in json.loads(done.stdout)["defects"]:
            if defect["schedule"] is None:
                continue
            std = folder / "replayed.std"
            run(model, "--replay", folder / defect["schedule"], "--std", std, program,
                status=(0, 1))
            trace = Trace(std.read_text())
            found = json.loads(run(tool, "--json", std, status=(0, 1)).stdout)["races"]
            assert len(found) == len({r[1:] for r in trace.races()}), program
            if defect["kind"] != "race":
                continue
            lines = sorted(t["place"].rsplit(":", 2)[1] for t in defect["threads"])
            pairs = [sorted((r["first"]["place"], r["second"]["place"])) for r in found]
            assert lines in pairs, (program, lines, pairs)
            races += 1
    print(f"{races} races of models found in their traces")
    assert races >= 2


def check_command_line(tool, folder):
    path = folder / "t.std"
    path.write_text("T|fork(U)|1\nU|acq(l)|2\nT|acq(k)|3\nU|rel(l)|4\nT|join(U)|5\n")
    assert "line 2 is concurrent with line 3" in run(tool, "--relate", "2,3", path).stdout
    assert "line 5 comes after line 4" in run(tool, "--relate", "5,4", path).stdout
    assert json.loads(run(tool, "--json", "--relate", "1,2", path).stdout)["relation"] == "before"
    for wrong in (["--relate", "2", path], ["--relate", "2,x", path], ["--relate", "2,9", path],
                  ["--what", path], [path, path], ["--relate"], []):
        done = run(tool, *wrong, status=(2,))
        assert done.stderr and not done.stderr.startswith("Traceback"), wrong
    path.write_bytes(b"T\x1b[31m|acq(l)|1\n")
    assert "\x1b" not in run(tool, path, status=(2,)).stderr
    path.write_bytes("T\u00e9|w(\u00e4)|1\nU|w(\u00e4)|\u00df\n".encode() + b"\xff|r(x)|2")
    assert "\u00e4: T\u00e9 writes at 1, U writes at \u00df" in run(tool, path, status=(1,)).stdout
    done = subprocess.run([tool, "-"], input="T|w(x)|1\n", capture_output=True, text=True)
    assert done.returncode == 0 and "1 access," in done.stdout
    run(tool, folder / "absent", status=(2,))
    run(tool, "--convert", path, status=(2,))
    assert run(tool, "--help").stdout.count("\n") <= 30


def main():
    tool, model, source = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    seed, count = (int(sys.argv[4]), int(sys.argv[5])) if len(sys.argv) > 5 else (1, 40)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_random(tool, folder, seed, count)
        check_schedules(tool, model, source, folder)
        check_accesses(tool, model, source, folder)
        check_command_line(tool, folder)


main()
