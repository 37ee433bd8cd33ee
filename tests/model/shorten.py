#!/usr/bin/env python3
"""--shorten: what it says is compared with a search through all states, and every result is
replayed.

    shorten.py UNFOLD_MODEL SOURCE_ROOT SUITE SHORTEST [PROGRAMS SEED]

SUITE is random or cases.
"""
import json
import re
import signal
import subprocess
import sys
import time

import check
from check import Case, run, sample, wait_until

PROGRAMS, SEED = 40, 1

# Some are busy for long, while three threads have the defect after seven steps.
BUSY = """
atomic int x, y[4];
thread p { int r; r = load(x); store(x, r + 1); }
thread q { int r; r = load(x); store(x, r + 1); }
thread c { int r; join(p); join(q); r = load(x); assert(r == 2); }
thread w[i : 0..3] { int n; while (n < 200) { fetch_add(y[i], 1); n = n + 1; } }
"""


def of_schedule(path):
    """The steps of a schedule, and how often the thread changes."""
    lines = [line.split()[0] for line in path.read_text().splitlines()[2:-1]]
    return len(lines), sum(a != b for a, b in zip(lines, lines[1:]))


def name_of(defect):
    """Its kind, as the oracle has it, and the lines of its threads."""
    kind = {"deadlock": "blocked", "livelock": "blocked"}.get(defect["kind"], defect["kind"])
    return kind, tuple(sorted({int(t["place"].split(":")[-2]) for t in defect["threads"]}))


class Shortened(Case):
    def shorten(self, path, *words, status=1, seconds=200):
        seen = self.explore(path, "--shorten", f"--shorten-seconds={seconds}", "--trace-dir", self.folder / "t", *words, status=status)
        for defect in seen["defects"]:
            self.replays(path, defect)
        return seen

    def replays(self, path, defect):
        """The schedule has what is said, and a replay shows the same defect."""
        schedule, short = self.folder / "t" / defect["schedule"], defect["shortened"]
        if "why" in short:
            return
        self.assertEqual(of_schedule(schedule), (short["steps"]["after"], short["switches"]["after"]))
        self.assertLessEqual(short["steps"]["after"], short["steps"]["before"])
        done = run("--json", "--replay", schedule, path)
        self.assertEqual(done.returncode, 1, done.stderr)
        again = json.loads(done.stdout)
        self.assertEqual(len(again["trace"]), short["steps"]["after"])
        same = [d for d in again["defects"] if d["kind"] == defect["kind"] and name_of(d) == name_of(defect)]
        self.assertEqual([(d["threads"], d["text"]) for d in same], [(defect["threads"], defect["text"])])


class Random(Shortened):
    """Random programs, with all effects and with few."""

    def programs(self, families, seed):
        done = subprocess.run([check.EXPECTED, "random", str(PROGRAMS), str(seed), str(families)],
                              capture_output=True, timeout=500, check=True)
        rest = done.stdout
        while rest:
            head, rest = rest.split(b"\n", 1)
            count, length = map(int, head.split())
            defects = {}
            for _ in range(count):
                line, rest = rest.split(b"\n", 1)
                kind, steps, *lines = line.decode().split()
                defects[kind, tuple(map(int, lines))] = int(steps)
            yield rest[:length].decode(), defects
            rest = rest[length:]

    def test_fewest_steps(self):
        """Every defect: whatever is proved is so, and nothing is below what is possible."""
        proved = shorter = 0
        for families in (0, 1, 2, 4, 8, 16, 64, 127 - 32):
            for number, (text, expected) in enumerate(self.programs(families, SEED + families)):
                words = [[], ["--stop-at-first"], ["--algorithm=random", "--runs=20"]][number % 3]
                with self.subTest([text, words]):
                    path = self.write(text)
                    for defect in self.shorten(path, *words)["defects"] if not self.silent(path, words) else []:
                        if defect["kind"] not in ("deadlock", "livelock", "assertion"):
                            continue
                        steps, least = defect["shortened"]["steps"], expected[name_of(defect)]
                        self.assertGreaterEqual(steps["after"], least)
                        if steps["fewest"]:
                            self.assertEqual(steps["after"], least)
                        proved += steps["fewest"]
                        shorter += steps["after"] < steps["before"]
        print(f"{proved} proved, {shorter} shorter than found", file=sys.stderr)
        self.assertGreater(proved, PROGRAMS / 2)
        self.assertGreater(shorter, PROGRAMS / 10)

    def silent(self, path, words):
        """Random walks need not meet what there is."""
        return words[:1] == ["--algorithm=random"] and run(*words, path).returncode == 0


class Cases(Shortened):
    def test_samples(self):
        for name, steps, switches in (("abba", 2, 1), ("diners", 3, 2), ("race", 1, 0), ("lost-wakeup", 7, 2),
                                      ("wordlock-broken", 11, 5), ("assertion", 7, 2)):
            with self.subTest(name):
                (defect,) = self.shorten(sample(f"{name}.unf"))["defects"]
                short = defect["shortened"]
                self.assertEqual((short["steps"]["after"], short["steps"]["fewest"]), (steps, True))
                self.assertEqual((short["switches"]["after"], short["switches"]["fewest"]), (switches, True))

    def test_what_does_not_matter_is_left_out(self):
        path = self.write(BUSY)
        seen = self.shorten(path, "--algorithm=random", "--runs=40")
        (defect,) = seen["defects"]
        short = defect["shortened"]
        self.assertGreater(short["steps"]["before"], 400)
        self.assertEqual((short["steps"]["after"], short["switches"]["after"]), (7, 3))
        text = run("--shorten", "--shorten-seconds=200", "--algorithm=random", "--runs=40", path).stdout
        self.assertRegex(text, r"\n  shortened: steps 7 \((no execution has fewer; )?before \d+\), "
                               r"switches 3 \(no order of these has fewer; before \d+\)\n")

    def test_errors_and_inputs(self):
        """Run-time errors, in silent code before all steps too, and values of inputs."""
        path = self.write("shared int g[2]; thread p { int i = 2; g[i] = 1; } mutex m; thread q { lock(m); unlock(m); }")
        (defect,) = self.shorten(path)["defects"]
        self.assertEqual(defect["shortened"]["steps"], {"before": 0, "after": 0, "fewest": True})
        path = self.write("atomic int a; input int x : 0..9; thread p { store(a, 1); int r = load(a); assert(r + x != 8); }"
                          " thread q { store(a, 1); store(a, 2); store(a, 1); }")
        if "solver" in (run(path).stderr or ""):
            self.skipTest("no solver")
        for defect in self.shorten(path)["defects"]:
            self.assertEqual(defect["shortened"]["steps"]["after"], 2 if defect["inputs"] == {"x": 7} else 4)

    def test_report(self):
        """The page tells the shorter execution."""
        path, page = sample("wordlock-broken.unf"), self.folder / "p.html"
        self.shorten(path, "--report", page, "--report-seconds", "1")
        data = json.loads(re.search(r'id="data"[^>]*>(.*?)</script>', page.read_text(), re.S).group(1))
        self.assertEqual([len(e["steps"]) for e in data["executions"]], [11])
        self.assertEqual(data["result"]["defects"][0]["shortened"]["steps"]["after"], 11)

    def test_refused(self):
        path = sample("abba.unf")
        for words, text in ((["--shorten", "--replay", "x"], "--shorten: not with --replay"),
                            (["--shorten-seconds", "1"], "--shorten-seconds: only with --shorten"),
                            (["--shorten", "--shorten-seconds", "0"], "not a number of seconds above 0")):
            done = run(*words, path)
            self.assertEqual(done.returncode, 2)
            self.assertIn(text, done.stderr)

    def test_no_time(self):
        """Nothing is lost, and what is said to be proved is right, wherever the time ends."""
        path = self.write(BUSY)
        for seconds in (0.000001, 0.01, 0.1):
            (defect,) = self.shorten(path, "--algorithm=random", "--runs=40", seconds=seconds)["defects"]
            self.right(defect["shortened"], "there was no time", 7)

    def right(self, short, why, fewest):
        """Not shortened for that reason, or as short as is said."""
        if "why" in short:
            self.assertEqual(short["why"], why)
        elif short["steps"]["fewest"]:
            self.assertEqual(short["steps"]["after"], fewest)

    def test_interrupts(self):
        """One that comes while steps are removed ends that, one that came before all of it. It
        comes when a defect was found, or later: then often while steps are removed."""
        path = self.write(BUSY.replace("join(q);", "join(q); join(w[0]); join(w[1]); join(w[2]);")
                          .replace("n < 200", "n < 2000"))
        for later in (0, 1):
            schedules = self.folder / f"{later}"
            schedules.mkdir()
            words = ["--json", "--shorten", "--shorten-seconds=100", "--algorithm=random", "--runs=20", "--trace-dir", schedules]
            child = subprocess.Popen([check.PROGRAM, *words, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            wait_until(child, lambda: any(schedules.iterdir()))
            time.sleep(later)
            child.send_signal(signal.SIGINT)
            out, _ = child.communicate()
            (defect,) = json.loads(out)["defects"]
            self.right(defect["shortened"], "an interrupt came", 7 + 3 * 2001)


if __name__ == "__main__":
    if len(sys.argv) > 5:
        PROGRAMS, SEED = int(sys.argv[5]), int(sys.argv[6])
    sys.exit(check.main(globals()))
