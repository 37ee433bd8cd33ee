#!/usr/bin/env python3
"""Random walks and PCT: what they find is there, and what PCT promises is kept.

    sampling.py UNFOLD_MODEL SOURCE_ROOT [--runs N]

With more runs the frequencies are closer to the probabilities.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ROOT = RUNS = None

# A defect of depth d: d orders of two steps are enough for it, and d - 1 are not. The threads of
# each are as many as `threads` says, main not counted, which does not exist here.
DEEP = {
    1: """
        atomic int ready;
        thread reader { int r; r = load(ready); assert(r == 1); }
        thread writer { store(ready, 1); }
        thread other { store(ready, 1); }
    """,
    2: """
        mutex a, b;
        thread p { lock(a); lock(b); unlock(b); unlock(a); }
        thread q { lock(b); lock(a); unlock(a); unlock(b); }
    """,
    3: """
        atomic int x, z;
        thread p { int r; store(x, 2); r = load(z); store(x, 2 + r); }
        thread q { int r, s, found; r = load(x); if (r == 2) { found = 1; } store(z, found); s = load(x); assert(s != 3); }
        thread other { int r; r = load(z); }
    """,
}


def run(path, *arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments), str(path)], capture_output=True, text=True, timeout=120)
    return done


class Sampling(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, text):
        path = self.folder / "p.unf"
        path.write_text(text)
        return path

    def result(self, path, *arguments, status=None):
        done = run(path, "--json", "--trace-dir", self.folder / "traces", *arguments)
        self.assertEqual(done.stderr, "")
        result = json.loads(done.stdout)
        self.assertEqual(done.returncode, status if status is not None else (1 if result["defects"] else 0))
        return result

    def check(self, whole, drawn, runs):
        """What was drawn is part of what there is, and counted as executions."""
        self.assertFalse(drawn["finished"])
        self.assertTrue(drawn["verdict"].startswith("sampled, "), drawn["verdict"])
        self.assertEqual(drawn["executions"], runs + drawn["sampled"]["measured"])
        self.assertEqual(drawn["complete"] + drawn["blocked"], drawn["executions"])
        self.assertEqual(drawn["traces"] + drawn["redundant"], drawn["executions"])
        self.assertLessEqual(drawn["traces"], whole["traces"])
        self.assertIsNone(drawn["left"])
        kinds = {d["kind"] for d in whole["defects"]}
        self.assertLessEqual({d["kind"] for d in drawn["defects"]}, kinds)
        for key in ("deadlocks", "errors", "blocked", "complete"):
            self.assertFalse(drawn[key] > 0 and whole[key] == 0, key)

    def test_samples(self):
        """Of every sample program explored to the end; of small ones all traces are drawn."""
        all_drawn = 0
        for path in sorted((ROOT / "examples/model/programs").glob("*.unf")):
            if "input " in path.read_text():
                continue
            done = run(path, "--json", "--bound", 3, "--max-executions", 20000, "--trace-dir", self.folder)
            whole = json.loads(done.stdout)
            if whole["uncontrolled"] or whole["stopped"] not in (None, "bound"):
                continue
            for algorithm in ("random", "pct"):
                with self.subTest(path=path.name, algorithm=algorithm):
                    drawn = self.result(path, "--bound", 3, "--algorithm", algorithm, "--runs", 100)
                    self.check(whole, drawn, 100)
                    all_drawn += drawn["traces"] == whole["traces"]
        self.assertGreater(all_drawn, 20)

    def test_bound(self):
        """The frequency of a defect of known depth is at least the bound."""
        for depth, text in DEEP.items():
            path = self.write(text)
            whole = self.result(path)
            self.assertEqual(len(whole["defects"]), 1)
            with self.subTest(depth=depth):
                drawn = self.result(path, "--algorithm", "pct", "--depth", depth, "--runs", RUNS, "--seed", 1)
                self.check(whole, drawn, RUNS)
                steps = drawn["sampled"]["steps"]
                self.assertEqual(steps, drawn["sampled"]["longest"])
                bound = 1 / (drawn["sampled"]["threads"] * steps ** (depth - 1))
                self.assertAlmostEqual(drawn["sampled"]["bound"], bound)
                found = drawn["deadlocks"] + drawn["errors"]
                self.assertGreaterEqual(found / drawn["executions"], bound)

    def test_withdrawn(self):
        """No bound where an execution was longer, or more was drawn than the schedule."""
        path = self.write(DEEP[2])
        for arguments, reason in ((("--steps", 3), "longer than k steps"), (("--steps", 8), None)):
            done = run(path, "--algorithm", "pct", "--trace-dir", self.folder, *arguments)
            self.assertEqual("no bound" in done.stdout, reason is not None, done.stdout)
            if reason is not None:
                self.assertIn(reason, done.stdout)
        result = self.result(path, "--algorithm", "pct", "--steps", 3)
        self.assertIsNone(result["sampled"]["bound"])
        self.assertEqual(result["sampled"]["measured"], 0)
        path = self.write("atomic int x; thread p { int c; c = choose(0, 9); store(x, c); }")
        self.assertIn("more was drawn than schedules", run(path, "--algorithm", "pct").stdout)

    def test_seed(self):
        path = ROOT / "examples/model/programs/diners.unf"
        for algorithm in ("random", "pct"):
            def counts(seed):
                result = self.result(path, "--algorithm", algorithm, "--runs", 50, "--seed", seed)
                return [result[key] for key in ("traces", "steps", "events", "deadlocks")]
            self.assertEqual(counts(3), counts(3))
            self.assertGreater(len({tuple(counts(seed)) for seed in range(4)}), 1)

    def test_replay(self):
        """A defect that was drawn has a schedule, which performs it again."""
        path = self.write(DEEP[3])
        drawn = self.result(path, "--algorithm", "random", "--runs", 2000)
        self.assertEqual(len(drawn["defects"]), 1)
        again = run(path, "--json", "--replay", self.folder / "traces" / drawn["defects"][0]["schedule"])
        self.assertEqual(again.returncode, 1, again.stderr)
        self.assertEqual(json.loads(again.stdout)["defects"][0]["kind"], drawn["defects"][0]["kind"])

    def test_limits(self):
        path = ROOT / "examples/model/programs/diners.unf"
        done = run(path, "--json", "--algorithm", "random", "--max-executions", 7, "--runs", 100, "--trace-dir", self.folder)
        result = json.loads(done.stdout)
        self.assertEqual((result["executions"], result["stopped"]), (7, "executions"))
        self.assertFalse(result["finished"])
        first = self.result(path, "--algorithm", "pct", "--stop-at-first", "--runs", 10000)
        self.assertEqual(first["stopped"], "first")
        self.assertEqual(len(first["defects"]), 1)

    def test_refusals(self):
        path = self.write(DEEP[1])
        inputs = self.folder / "inputs.unf"
        inputs.write_text("input int x : 0..3; thread p { if (x == 1) { assert(0); } }")
        for arguments, words in (
                (("--runs", 3), "only for --algorithm random or pct"),
                (("--algorithm", "random", "--depth", 3), "only for --algorithm pct"),
                (("--steps", 3), "only for --algorithm pct"),
                (("--algorithm", "pct", "--depth", 65), "at most 64"),
                (("--algorithm", "pct", "--depth", 0), "--depth 0"),
                (("--algorithm", "random", "--order", "bfs"), "order bfs with algorithm random"),
                (("--algorithm", "pct", "--max-switches", 2), "max-switches 2 with algorithm pct")):
            done = run(path, *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(words, done.stderr)
        done = run(inputs, "--algorithm", "random")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("--algorithm random or pct with inputs is not supported", done.stderr)


def main():
    global PROGRAM, ROOT, RUNS
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("root")
    parser.add_argument("--runs", type=int, default=4000)
    arguments = parser.parse_args()
    PROGRAM, ROOT, RUNS = arguments.program, pathlib.Path(arguments.root), arguments.runs
    unittest.main(argv=sys.argv[:1])


main()
