#!/usr/bin/env python3
"""Search orders, checkpoints, bounds and the estimate of unfold-model, as users see them.

    check_orders.py UNFOLD_MODEL SOURCE_ROOT
"""
import os
import pathlib
import statistics
import sys
import unittest

import check
from check import Case, family, run, sample

ORDERS = ("dfs", "bfs", "random", "deepest-first")
TRACES = {"disp-5-2": 137, "disp-5-3": 1482, "mpc-3-5": 2958, "pol-7-3": 2440, "mpat-5": 3840, "pi-7": 5040}


class Orders(Case):
    def test_traces_are_the_same(self):
        for name, traces in TRACES.items():
            for order in ORDERS:
                with self.subTest([name, order]):
                    self.counts(family(name + ".unf"), "--order", order, traces=traces, redundant=0, left=0, left_error=0)

    def test_other_algorithms(self):
        for order in ORDERS[1:]:
            for words in (["--k=1"], ["--k=2"], ["--algorithm=sdpor"]):
                with self.subTest([order, *words]):
                    self.counts(family("mpat-4.unf"), "--order", order, *words, traces=384)
            self.counts(family("mpat-2.unf"), "--order", order, "--algorithm=dfs", traces=8)

    def test_seeds(self):
        runs = [self.explore(family("disp-5-3.unf"), "--order=random", f"--seed={seed}", "--max-executions=50", status=3)
                for seed in (1, 1, 2)]
        for run in runs:
            del run["seconds"], run["peak_rss_bytes"]
        self.assertEqual(runs[0], runs[1])
        self.assertNotEqual(runs[0]["events"], runs[2]["events"])

    def test_defects_are_the_same(self):
        for name in ("abba", "diners", "race", "assertion", "choice", "trylock"):
            seen = {self.found(sample(name + ".unf"), "--order", order, "--checkpoints", every, "--collect", collect)
                    for order in ORDERS for every in ("0", "1", "3", "8") for collect in ("0", "3")}
            self.assertEqual(len(seen), 1, [name, seen])

    def found(self, path, *words):
        status = 1 if path.stem not in ("choice", "trylock") else 0
        seen = self.explore(path, *words, status=status)
        return str([seen["traces"], seen["blocked"], seen["races"], sorted((d["kind"], d["count"]) for d in seen["defects"])])


    def test_not_with_wakeup_trees(self):
        for words in (["--order=bfs"], ["--max-switches=3"], ["--max-preemptions=0"]):
            self.assertEqual(check.run("--algorithm=odpor", *words, sample("abba.unf")).returncode, 2)


class Checkpoints(Case):
    # A long beginning that all executions share.
    LONG = """mutex m, k; shared int x;
thread main { int i = 0; while (i < 300) { lock(m); x = x + 1; unlock(m); i = i + 1; } int j = 0; while (j < 5) { spawn(w[j]); j = j + 1; } }
thread w[i : 0..4] { lock(k); unlock(k); }"""

    def test_steps_are_spared(self):
        for order in ORDERS:
            seen = self.counts(self.LONG, "--order", order, traces=120)
            self.assertGreater(seen["steps"], 25 * (seen["steps"] - seen["resumed"]), [order, seen])
            self.counts(self.LONG, "--order", order, "--checkpoints=0", traces=120, steps=seen["steps"], resumed=0)

    def test_interval(self):
        spared = [self.explore(family("disp-5-3.unf"), "--order=bfs", f"--checkpoints={n}", "--probes=0")["resumed"] for n in (1, 4, 16)]
        self.assertEqual(spared, sorted(spared, reverse=True))
        depth_first = self.explore(family("disp-5-3.unf"), "--probes=0")["resumed"]
        self.assertEqual(spared[0], depth_first)


class Bounds(Case):
    TWO = "mutex m; thread p { lock(m); unlock(m); } thread q { lock(m); unlock(m); }"

    def test_preemptions(self):
        # p p q q and q q p p need none; to let q begin between p's lock and unlock is no preemption
        # of q, which is blocked.
        self.counts(self.TWO, "--algorithm=dfs", "--max-preemptions=0", traces=2, truncated=0, finished=True, bound=None)
        self.counts("thread p { int a = choose(0, 0); int b = choose(0, 0); } thread q { int a = choose(0, 0); }",
                    "--algorithm=dfs", "--max-preemptions=0", status=3, executions=3, traces=1, redundant=1, truncated=1,
                    finished=False, bound="preemptions", stopped="preemptions")

    def test_switches(self):
        self.counts(self.TWO, "--max-switches=1", traces=2, truncated=0, finished=True)
        seen = self.counts(self.TWO, "--max-switches=0", status=3, traces=0, truncated=2, bound="switches", finished=False)
        self.assertEqual(seen["deadlocks"], 0)
        self.counts(self.TWO, "--max-switches=0", "--max-preemptions=0", status=3, bound="switches")

    def test_bounds_widen(self):
        for order in ORDERS:
            traces = [self.explore(family("disp-5-2.unf"), "--order", order, f"--max-preemptions={n}", status=3)["traces"]
                      for n in (0, 1, 2)]
            self.assertEqual(traces, sorted(traces))
            self.assertGreater(traces[0], 0)
            self.counts(family("disp-5-2.unf"), "--order", order, "--max-preemptions=100", traces=137, truncated=0, finished=True)

    def test_a_defect_goes_before_the_bound(self):
        self.counts(sample("abba.unf"), "--max-preemptions=1", "--max-switches=3", status=1)


class Estimate(Case):
    def estimate(self, name, executions, *options):
        seen = self.explore(family(name + ".unf"), f"--max-executions={executions}", *options, status=3)
        return seen["left"] + seen["traces"], seen["left_error"]

    def test_it_is_exact_where_values_do_not_vary(self):
        for order in ("dfs", "bfs", "random", "deepest-first"):
            value, error = self.estimate("locks-5", 40, "--order", order)
            self.assertLess(abs(value - 120), 4 * error + 0.01, [order, value, error])

    def test_it_is_near_the_truth(self):
        """With 90 to 160 probes, in the first tenth of an exploration, in all orders."""
        for name, low, high in (("pi-7", 0.9, 1.1), ("mpat-5", 0.7, 1.4), ("disp-5-3", 0.5, 2), ("mpc-3-5", 0.5, 2), ("pol-7-3", 0.3, 3)):
            for order in ("dfs", "bfs", "random", "deepest-first"):
                value, _ = self.estimate(name, TRACES[name] // 10, "--order", order, "--probes=60")
                with self.subTest([name, order, value, TRACES[name]]):
                    self.assertGreater(value, low * TRACES[name])
                    self.assertLess(value, high * TRACES[name])

    def test_it_changes_nothing(self):
        for algorithm in ("qpor", "odpor", "sdpor"):
            keys = ("traces", "redundant", "executions", "events", "steps", "deadlocks")
            with_probes, without = (self.explore(family("disp-5-2.unf"), "--algorithm", algorithm, f"--probes={n}") for n in (50, 0))
            self.assertEqual([with_probes[k] for k in keys], [without[k] for k in keys], algorithm)

    ABBA = ("mutex a; mutex b; mutex k; mutex l; "
            "thread p { lock(a); lock(b); unlock(b); unlock(a); } thread q { lock(b); lock(a); unlock(a); unlock(b); } "
            "thread r { lock(k); unlock(k); lock(l); unlock(l); } thread s { lock(k); unlock(k); lock(l); unlock(l); }")

    def test_a_defect_of_a_probe_is_reported(self):
        """With its schedule, when the exploration is stopped before it comes there."""
        seen = self.explore(self.ABBA, "--max-executions=2", "--probes=40", status=1)
        self.assertEqual((seen["executions"], seen["deadlocks"], seen["stopped"]), (2, 0, "executions"))
        defect, = seen["defects"]
        self.assertEqual((defect["kind"], defect["count"]), ("deadlock", 0))
        self.assertGreater(defect["probes"], 0)
        self.assertIn("1 probe" if defect["probes"] == 1 else f"{defect['probes']} probes",
                      run("--max-executions=2", "--probes=40", self.write(self.ABBA)).stdout)

    def test_a_defect_is_counted_once(self):
        for probes in (0, 40):
            seen = self.explore(self.ABBA, f"--probes={probes}", status=1)
            defect, = seen["defects"]
            self.assertEqual((seen["deadlocks"], defect["count"]), (4, 4))
            self.assertEqual(defect["probes"] > 0, probes > 0)

    def test_rounds_of_barriers(self):
        """A probe comes to rounds after the first, as an execution does."""
        text = ("barrier B = 3; mutex m; thread t[i : 0..2] { lock(m); unlock(m); arrive(B); lock(m); unlock(m); arrive(B); "
                "lock(m); unlock(m); }")
        self.assertEqual(self.explore(text)["traces"], 216)
        seen = self.explore(text, "--max-executions=100", "--probes=20", status=3)
        self.assertGreater(seen["probes"], 40)
        self.assertLess(abs(seen["left"] + 100 - 216), 4 * seen["left_error"] + 1)

    def test_it_can_be_unknown(self):
        seen = self.explore(family("mpat-5.unf"), "--max-executions=100", "--probes=0", status=3)
        self.assertIsNone(seen["left"])
        self.assertIsNone(seen["left_error"])
        self.assertEqual(seen["probes"], 0)


def main():
    check.PROGRAM, check.ROOT = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    return 0 if unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__])).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
