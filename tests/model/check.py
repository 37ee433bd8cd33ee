#!/usr/bin/env python3
"""Runs unfold-model as users do and looks at what comes out.

    check.py UNFOLD_MODEL SOURCE_ROOT SUITE [EXPECTED]

SUITE is one of: errors, options, counts, results, files, limits, races, terminal, families, oracle
(which needs the program EXPECTED).
"""
import json
import math
import os
import pathlib
import pty
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = ROOT = EXPECTED = None


def run(*arguments, **keywords):
    keywords.setdefault("timeout", 120)
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, env=environment, **keywords)


def sample(name):
    return ROOT / "examples" / "model" / "programs" / name


def family(name):
    return ROOT / "examples" / "model" / "families" / name


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, text, name="p.unf"):
        path = self.folder / name
        path.write_text(text)
        return path

    def explore(self, source, *arguments, status=0):
        """The JSON object of an exploration; source is a path or the text of a program."""
        path = source if isinstance(source, pathlib.Path) else self.write(source)
        done = run("--json", *arguments, path)
        self.assertEqual(done.returncode, status, done.stderr)
        return json.loads(done.stdout)

    def counts(self, source, *arguments, status=0, **expected):
        seen = self.explore(source, *arguments, status=status)
        self.assertEqual({k: seen[k] for k in expected}, expected)
        self.assertEqual(seen["traces"], seen["complete"] + seen["blocked"])
        self.assertEqual(seen["executions"], seen["traces"] + seen["redundant"] + seen["truncated"])
        return seen


class Errors(Case):
    def test_table(self):
        for line in (ROOT / "tests" / "model" / "errors.txt").read_text().splitlines():
            if line.startswith("#"):
                continue
            place, word, text = line.split("|", 2)
            with self.subTest(line):
                path = self.write(text.replace("\\n", "\n"))
                done = run("--json", path)
                self.assertEqual(done.returncode, 2)
                self.assertEqual(done.stdout, "")
                self.assertTrue(done.stderr.startswith(f"{path}:{place}: "), done.stderr)
                self.assertIn(word, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)

    def test_depth_is_bounded(self):
        for text in ("(" * 100000, "-" * 100000, "{" * 100000, "if (1) " * 100000, "1 + (" * 5000):
            done = run(self.write("thread p { int r = " + text if text[0] in "(-1" else "thread p { " + text))
            self.assertEqual(done.returncode, 2, text[:10])

    def test_long_chains_are_fine(self):
        text = " + ".join(["1"] * 20000)
        self.counts(f"thread p {{ int r = {text}; assert(r == 20000); }}", traces=1)
        self.counts("thread p { int r; " + "r = r + 1; " * 20000 + "}", traces=1)

    def test_missing_and_empty_files(self):
        self.assertEqual(run(self.folder / "missing.unf").returncode, 2)
        self.assertEqual(run(self.folder).returncode, 2)
        self.assertEqual(run(self.write("")).returncode, 2)
        (self.folder / "zero.unf").write_bytes(b"thread p { }\0")
        self.assertEqual(run(self.folder / "zero.unf").returncode, 2)


class Cutoffs(Case):
    """What is reached does not depend on the search; every program here runs for ever."""
    KEPT = {"buffer-2": (6, 4), "buffer-2-2": (10, 10), "diners-3": (15, 6), "greedy-3": (21, 6), "mutex-2": (2, 2), "mutex-3": (3, 3),
            "mutex-4": (4, 4), "peterson": (206, 124), "ring-2": (12, 4), "ring-3": (18, 6)}

    def test_endless_programs_end(self):
        folder = ROOT / "examples" / "model" / "programs" / "cyclic"
        self.assertLessEqual(set(self.KEPT), {path.stem for path in folder.glob("*.unf")})
        for path in sorted(folder.glob("*.unf")):
            deadlocks = path.stem.startswith("greedy")
            seen = {}
            for how in ([], ["--k=1"], ["--algorithm=sdpor"], ["--order=bfs"], ["--order=random", "--seed=3"]):
                for order in ("size", "erv", "size-strong", "erv-strong"):
                    with self.subTest(path.stem, how=how, order=order):
                        result = self.counts(path, "--cutoffs", order, *how, status=1 if deadlocks else 0, finished=True, errors=0)
                        self.assertGreater(result["truncated"], 0)
                        self.assertEqual(result["deadlocks"] > 0, deadlocks)
                        names = result["kept"], result["cutoffs"]
                        self.assertEqual(seen.setdefault(order[:3], names), names)
                        if order.startswith("erv"):
                            self.assertEqual(result["states"], result["kept"] + 1)
                            self.assertEqual(self.KEPT.get(path.stem, names), names)

    def test_defects_are_not_lost(self):
        for name in ("abba", "assertion", "diners", "stranger", "lost-wakeup", "one-signal", "forks", "upgrade"):
            whole = {defect["kind"] for defect in self.explore(sample(name + ".unf"), status=1)["defects"]}
            for order in ("size", "erv"):
                seen = self.explore(sample(name + ".unf"), "--cutoffs", order, status=1)
                self.assertEqual({defect["kind"] for defect in seen["defects"]}, whole, name)

    def test_states_met_again(self):
        self.counts(family("pi-7.unf"), "--cutoffs=erv", finished=True, kept=589, cutoffs=321)
        self.counts(family("pi-7.unf"), "--cutoffs=erv", "--order=bfs", finished=True, kept=589, cutoffs=321)
        self.counts(family("pi-7.unf"), "--cutoffs=size", finished=True, kept=56366, cutoffs=0, traces=5040)


class Options(Case):
    def refused(self, *arguments):
        done = run(*arguments, sample("abba.unf"))
        self.assertEqual(done.returncode, 2, arguments)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def test_mistakes(self):
        for words in (["--nonsense"], ["-x"], ["--k", "0"], ["--k=-1"], ["--k", "two"], ["--bound=-1"], ["--max-executions", "0"],
                      ["--max-events", "1x"], ["--max-seconds", "-1"], ["--max-seconds", "nan"], ["--max-memory", "1T"],
                      ["--max-memory", "99999999999G"], ["--expect", "nothing"], ["--json=yes"], ["--algorithm=dfs", "--k=1"], ["--algorithm=odpor", "--cutoffs=erv"],
                      ["--algorithm=dfs", "--collect=5"], ["--cutoffs=erv", "--collect=5"], ["--dot=x", "--collect=5"], ["--max-events=9", "--collect=5"],
                      ["--collect=-1"], ["--seed", "3"], ["--order", "dfs", "--seed=3"], ["--order=depth"], ["--max-preemptions=-1"],
                      ["--mode", "fork"], ["--dot="], [sample("abba.unf")]):
            self.refused(*words)
        self.assertEqual(run().returncode, 2)
        self.assertEqual(run("--k").returncode, 2)

    def test_both_forms(self):
        for words in (["--k", "2"], ["--k=2"]):
            self.assertEqual(self.explore(sample("choice.unf"), *words)["k"], 2)
        self.counts(sample("choice.unf"), "--max-memory=1G", "--max-memory", "2G", traces=12)
        path = self.write(sample("choice.unf").read_text(), "--odd.unf")
        done = subprocess.run([PROGRAM, "--", path.name], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_help_and_version(self):
        done = run("--help")
        self.assertEqual(done.returncode, 0)
        lines = done.stdout.splitlines()
        self.assertLessEqual(len(lines), 30)  # with a few lines above and below, a window of a terminal
        self.assertLessEqual(max(map(len, lines)), 80)
        done = run("--version")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"^unfold-model \d+\.\d+\.\d+\n$")


class Counts(Case):
    def test_worked_counts(self):
        for n, traces in ((1, 1), (2, 2), (3, 6), (4, 24), (5, 120)):
            self.counts(f"mutex m; thread w[i : 1..{n}] {{ lock(m); unlock(m); }}", traces=traces, complete=traces, redundant=0)
        self.counts(family("count-3.unf"), traces=6, events=40)
        self.counts(family("count-6.unf"), traces=12)

    def test_samples(self):
        self.counts(sample("abba.unf"), status=1, traces=3, blocked=1, deadlocks=1, events=16, redundant=0)
        self.counts(sample("diners.unf"), status=1, traces=7, blocked=1, deadlocks=1, events=54)
        self.counts(sample("trylock.unf"), traces=3, events=10)
        self.counts(sample("choice.unf"), traces=12)
        self.counts(sample("assertion.unf"), status=1, errors=4, deadlocks=0)

    def test_every_algorithm_agrees(self):
        for name in ("abba", "diners", "trylock", "choice", "assertion", "lost-wakeup", "one-signal", "broadcast", "timeout",
                     "readers", "upgrade", "forks", "phases", "absent"):
            expected = None
            for words in (["--k=optimal"], ["--k=1"], ["--k=2"], ["--k=3"], ["--algorithm=sdpor"], ["--algorithm=dfs"]):
                done = json.loads(run("--json", *words, sample(name + ".unf")).stdout)
                seen = [done[k] for k in ("traces", "complete", "blocked", "deadlocks", "errors", "events")]
                expected = expected or seen
                self.assertEqual(seen, expected, (name, words))

    def test_one_thread(self):
        self.counts("thread p { }", traces=1, complete=1, events=0)
        self.counts("thread p { ; {} ; int r = 1, q = r + 1; assert(q == 2); }", traces=1, events=0)
        self.counts("thread p { choose(-1, 1); }", traces=3, events=3)
        self.counts("thread p { int r = choose(0, 2); if (r) choose(1, r); }", traces=4, events=6)

    def test_main_runs_alone(self):
        self.counts("mutex m; thread p { lock(m); } thread main { lock(m); unlock(m); }", traces=1, events=2, complete=1)
        self.counts("thread p { } thread main { spawn(p); join(p); }", traces=1, events=2, complete=1)
        self.counts("mutex m; thread w[i:-1..0] { lock(m); unlock(m); } thread main { int i = -1;"
                    " while (i < 1) { spawn(w[i]); i = i + 1; } join(w[-1]); join(w[0]); }", traces=2, complete=2)

    def test_blocked_but_no_deadlock(self):
        self.counts("thread p { assume(0); }", traces=1, blocked=1, deadlocks=0)
        self.counts("thread p { assume(0); } thread q { join(p); }", traces=1, blocked=1, deadlocks=0)
        self.counts("thread p { while (1) choose(0, 0); }", "--bound=3", traces=1, blocked=1, deadlocks=0, events=3)

    def test_bound(self):
        loops = "thread p { int i; while (i < 2) { int j; while (j < 2) { choose(0, 0); j = j + 1; } i = i + 1; } choose(0, 0); }"
        self.counts(loops, "--bound=2", traces=1, complete=1, events=5)
        self.counts(loops, "--bound=1", traces=1, complete=0, deadlocks=0, events=1)
        self.counts(loops, "--bound=0", traces=1, complete=0, events=0)
        self.counts(sample("bounded.unf"), "--bound=3", traces=4, complete=3, blocked=1, deadlocks=0)

    def test_undefined_behaviour_blocks(self):
        for text in ("mutex m; thread p { unlock(m); }", "mutex m; thread p { lock(m); lock(m); }",
                     "thread p { join(p); }", "thread main { spawn(q); spawn(q); } thread q { }",
                     "thread main { join(q); } thread q { }", "thread main { spawn(main); }"):
            self.counts(text, status=1, traces=1, blocked=1, deadlocks=1)
        self.counts("mutex m; thread p { lock(m); int r = trylock(m); assert(r == 0); unlock(m); }", traces=1, complete=1)

    def test_expressions(self):
        for text, value in (("1 + 2 * 3 << 1", 14), ("-7 / 2", -3), ("-7 % 2", -1), ("1 || 1 / 0", 1), ("0 && 1 / 0", 0), ("2 && 3", 1),
                            ("!5", 0), ("~0", -1), ("3 & 5 == 5", 1), ("1 | 2 ^ 3 & 2", 1), ("-(1 && 1)", -1), ("-(0 || 2)", -1),
                            ("- - 5", 5), ("2 - 3 - 4", -5), ("1 < 2 == 2 > 1", 1), ("-8 >> 1", -4), ("-1 << 63", "-9223372036854775808"),
                            ("9223372036854775807", "9223372036854775807"), ("t[1] + t[s]", 14), ("(0 && 1) == 0", 1), ("5 >= 5 != 0", 1),
                            ("-9223372036854775808 + 1", "-9223372036854775807"), ("1 << 62", 1 << 62), ("1 ? 2", None)):
            program = f"shared int s = 1, t[2] = 7; thread p {{ int r = {text}; assert(r == {value}); }}"
            if value is None:
                self.assertEqual(run(self.write(program)).returncode, 2)
            else:
                with self.subTest(text):
                    self.counts(program, traces=1, errors=0)

    def test_statements(self):
        for text in ("int i, n; while (1) { i = i + 1; if (i == 3) continue; if (i > 5) break; n = n + i; } assert(n == 12);",
                     "int r; if (r) r = 1; else if (!r) r = 2; else r = 3; assert(r == 2);",
                     "int i; while (i < 3) { int k; assert(k == 0); k = 5; i = i + 1; } int k = 1; assert(k);",
                     "t[t[0] + 1] = 4; assert(t[1] == 4); s = t[1]; assert(s == 4);",
                     "t[s] = choose(3, 3); assert(t[0] == 3); s = choose(2, 2); assert(s == 2);",
                     "int a = 1, b = a + 1; { int c = b; assert(c == 2); } int c = 9; assert(c == 9);",
                     "/* comment */ int r = 2; // the rest\n assert(r == 2);"):
            with self.subTest(text):
                self.counts(f"shared int s, t[3]; thread p {{ {text} }}", traces=1, errors=0, complete=1)

    def test_initial_values(self):
        self.counts("shared int a = -2, t[2] = 5, z; thread w[i : -1..0] { assert(a == -2 && t[0] + t[1] == 10 && z == 0 && i <= 0); }",
                    traces=1, errors=0)


    def test_readers_and_barriers_are_not_ordered(self):
        for n in (1, 2, 3, 6):
            self.counts(f"rwlock L; thread r[i:1..{n}] {{ rdlock(L); unlock(L); }}", traces=1, events=2 * n)
            self.counts(f"rwlock L; thread r[i:1..{n}] {{ rdlock(L); unlock(L); }} thread w {{ wrlock(L); unlock(L); }}", traces=2 ** n)
            self.counts(f"barrier B = {n}; thread a[i:1..{n}] {{ arrive(B); arrive(B); arrive(B); }}", traces=1, events=6 * n)
            self.counts(f"semaphore S; thread a[i:1..{n}] {{ post(S); }}", traces=1, events=n)
        self.counts("barrier B[3] = 2; thread a[i:0..5] { arrive(B[i % 3]); arrive(B[i % 3]); }", traces=1, complete=1, events=24)

    def test_atomics(self):
        for words in ([], ["--ifaa"], ["--algorithm=odpor"], ["--k=1"]):
            self.counts(sample("wordlock.unf"), *words, traces=270, complete=270)
            self.counts(sample("wordlock-broken.unf"), *words, status=1, traces=1038, errors=204)
        two = "atomic int x, y; thread w[i:0..1] { store(x, i); store(y, i); }"
        self.counts(two, traces=4)
        self.counts("atomic int x; thread p { store(x, 1); store(x, 0); } thread q { int r = await(x == 0); assert(r == 0); }", traces=2)
        self.counts(sample("count.unf"), traces=6, complete=6)
        self.counts(sample("count.unf"), "--ifaa", traces=1, complete=1)
        self.counts("atomic int x; thread r[i:0..3] { load(x); }", traces=1, events=4)
        self.counts("atomic int x; thread w[i:0..3] { fetch_add(x, 1); }", traces=24)
        self.counts("atomic int x; thread w[i:0..3] { fetch_add(x, 1); }", "--ifaa", traces=1)
        self.counts("atomic int x; thread w[i:0..3] { int r = fetch_add(x, 1); }", "--ifaa", traces=24)
        bytes_of = "atomic int x : 2 = 258, b[4] : 1; overlay l = x[0..0], h = x[1..1], w = b[0..3], m = b[1..2]; thread p {{ {} }}"
        for text in ("int r = load(l); assert(r == 2); r = load(h); assert(r == 1); store(l, 511); r = load(x); assert(r == 511);",
                     "int r = fetch_add(l, 254); assert(r == 2); r = load(x); assert(r == 256); r = fetch_add(x, -1); r = load(h); assert(r == 0);",
                     "store(b[3], 128); int r = load(w); assert(r == -(1 << 31)); store(m, 257); r = load(b[1]); assert(r == 1); r = load(b[2]); assert(r == 1);",
                     "store(x, 32768); int r = await(x < 0); assert(r == -32768); r = cas(x, 32768, 1); assert(!r); await(l == 0); exchange_await(h == -128, 5);"
                     "r = fetch_nand(x, 1280); assert(r == 1280); r = load(x); assert(r == -1281); r = fetch_xor(h, 255); assert(r == -6); await(x == 1535);"):
            for words in ([], ["--ifaa"]):
                with self.subTest([text, *words]):
                    self.counts(bytes_of.format(text), *words, traces=1, complete=1, errors=0)
        pieces = "atomic int x : 2; overlay l = x[0..0], h = x[1..1]; thread p { store(l, 1); } thread q { store(h, 1); }"
        self.counts(pieces, traces=1, events=2)
        self.counts(pieces + " thread r { store(x, 2); }", traces=4)
        self.counts(pieces + " thread r { await(x == 257); }", traces=1, complete=1)
        self.counts(pieces + " thread r { await(x == 1); }", status=1, traces=2, complete=1)
        self.counts("atomic int x : 2; overlay l = x[0..0]; thread w[i:0..2] { fetch_add(l, 100); }", "--ifaa", traces=1)
        for words in ([], ["--algorithm=odpor"]): # not all subsets of the additions are tried
            self.counts("atomic int x : 2; overlay l = x[0..0], h = x[1..1]; thread w[i:0..39] { fetch_add(l, 1); } thread q { store(h, 0); }"
                        "thread r { await(x == 40); }", "--ifaa", *words, traces=2, complete=2) # q before r, r before q
        self.counts("atomic int x : 2; overlay l = x[0..0]; thread w[i:0..2] { fetch_add(x, 100); }", "--ifaa", traces=6)
        for text in ("int r = load(x); assert(r == 7); store(x, -2); r = load(x); assert(r == -2);",
                     "int r = exchange(x, 3); assert(r == 7); r = exchange(x, 4); assert(r == 3);",
                     "int r = fetch_add(x, -10); assert(r == 7); fetch_add(x, 1); r = load(x); assert(r == -2);",
                     "int r = fetch_and(x, 13); assert(r == 7); r = fetch_or(x, 10); assert(r == 5); r = fetch_xor(x, 5); assert(r == 15);"
                     "r = fetch_nand(x, 3); assert(r == 10); r = load(x); assert(r == -3); fetch_and(x, 2 | 4);",
                     "int r = cas(x, 6, 1); assert(!r); r = cas(x, 7, 1); assert(r == 1); r = load(x); assert(r == 1);",
                     "int r = await(x > 6); assert(r == 7); await(x >= 7); await(x != 0); await(x < (8 | 0)); await(x <= 7);",
                     "int r = exchange_await(x == 7, 9); assert(r == 7); exchange_await(x > 8, 1); r = load(x); assert(r == 1);",
                     "store(x, 9223372036854775807); fetch_add(x, 1); int r = load(x); assert(r == -9223372036854775807 - 1);",
                     "int i = 1; store(y[i], 5); int r = cas(y[i], 5 * i, i + 1); assert(r); r = load(y[1]); assert(r == 2); r = load(y[0]); assert(r == 3);"):
            for words in ([], ["--ifaa"]):
                with self.subTest([text, *words]):
                    self.counts(f"atomic int x = 7, y[2] = 3; thread p {{ {text} }}", *words, traces=1, complete=1, errors=0)
        for text in ("await(x == 1);", "exchange_await(x != 0, 1);", "await(x < 0);", "await(x > 0);", "await(x >= 1);", "await(x <= -1);"):
            self.counts(f"atomic int x; thread p {{ {text} }}", status=1, traces=1, deadlocks=1)

    def test_endless_loops_around_atomics(self):
        for order in ("size", "erv"):
            self.counts(sample("peterson.unf"), f"--cutoffs={order}", finished=True, defects=[])
            self.assertEqual(run("--expect=assertion", f"--cutoffs={order}", sample("peterson-broken.unf")).returncode, 0)
            for words in ([], ["--ifaa"]):
                self.counts("atomic int x; thread a[i:0..2] { while (1) { fetch_add(x, 1); fetch_add(x, -1); } }", f"--cutoffs={order}", *words,
                            finished=True, defects=[])
                self.counts("atomic int x : 2; overlay l = x[0..0], h = x[1..1]; thread a { while (1) { fetch_add(l, 128); } } thread b { while (1) "
                            "{ fetch_add(h, 128); } } thread c { fetch_xor(x, 1); }", f"--cutoffs={order}", *words, finished=True, defects=[])

    def test_races_around_atomics(self):
        text = "atomic int f; shared int s; thread p {{ s = 1; {} }} thread q {{ {} assert(s == 1); }}"
        self.counts(text.format("store(f, 1);", "await(f == 1);"), traces=1, races=0)
        self.counts(text.format("fetch_add(f, 1);", "exchange_await(f == 1, 2);"), "--ifaa", traces=1, races=0)
        self.assertEqual(self.explore(text.format("store(f, 1);", "load(f);"), status=1)["races"], 1)
        self.assertEqual(self.explore(text.format("load(f);", "load(f);"), status=1)["races"], 1)

    def test_counts_with_a_formula(self):
        gate = "shared int open; mutex m; cond c; thread v[i:1..{}] {{ lock(m); if (!open) wait(c, m); unlock(m); }} "
        porter = "thread porter {{ lock(m); open = 1; {}(c); unlock(m); }}"
        timed = "mutex m[{n}]; cond c; thread w[i:0..{last}] {{ lock(m[i]); timedwait(c, m[i]); unlock(m[i]); }} "
        for n in range(1, 6):
            before = [math.perm(n, k) for k in range(n + 1)]  # the visitors who wait when the porter comes, in their order
            every, one = sum(before) * math.factorial(n), math.factorial(n) + sum(
                before[k] * k * math.factorial(n - k + 1) for k in range(1, n + 1))
            self.counts(gate.format(n) + porter.format("broadcast"), traces=every, complete=every)
            self.assertEqual(self.explore(gate.format(n) + porter.format("signal"), status=1 if n > 1 else 0)["traces"], one)
            self.counts(timed.format(n=n, last=n - 1), traces=1, events=5 * n)
            self.counts(timed.format(n=n, last=n - 1) + "thread s { signal(c); }", traces=2 ** n + n)
            self.counts(timed.format(n=n, last=n - 1) + "thread s { broadcast(c); }", traces=3 ** n)
            posts = f"semaphore S; thread p[i:1..{n}] {{ post(S); }} "
            self.counts(posts + "thread q { sem_wait(S); }", traces=2 ** n - 1)
            self.counts(posts + "thread q { trywait(S); }", traces=2 ** n)
            for writers in (1, 2, 3):
                self.counts(f"rwlock L; thread r[i:1..{n}] {{ rdlock(L); unlock(L); }} thread w[i:1..{writers}] {{ wrlock(L); unlock(L); }}",
                            traces=(writers + 1) ** n * math.factorial(writers))

    def test_objects_that_block(self):
        for text in ("rwlock L; thread p { rdlock(L); wrlock(L); }", "rwlock L; thread p { wrlock(L); rdlock(L); }",
                     "rwlock L; thread p { wrlock(L); wrlock(L); }", "semaphore S; thread p { sem_wait(S); }",
                     "semaphore S = 1; thread p { sem_wait(S); sem_wait(S); }", "barrier B = 2; thread p { arrive(B); }",
                     "mutex m; cond c; thread p { lock(m); signal(c); wait(c, m); }",
                     "mutex m; cond c; thread p { lock(m); wait(c, m); } thread q { lock(m); }"):
            with self.subTest(text):
                seen = self.explore(text, status=1)
                self.assertEqual(seen["traces"], seen["deadlocks"])
        for text in ("rwlock L; thread p { rdlock(L); rdlock(L); unlock(L); unlock(L); wrlock(L); unlock(L); }",
                     "rwlock L; thread p { int r = trywrlock(L); assert(r); r = tryrdlock(L); assert(!r); r = trywrlock(L); assert(!r); }",
                     "rwlock L; thread p { int r = tryrdlock(L); assert(r); r = tryrdlock(L); assert(r); r = trywrlock(L); assert(!r); }",
                     "semaphore S = 2; thread p { int r = trywait(S); assert(r); sem_wait(S); r = trywait(S); assert(!r); post(S); sem_wait(S); }",
                     "mutex m; thread p { int r = timedlock(m); assert(r); r = timedlock(m); assert(!r); unlock(m); }",
                     "mutex m; cond c; thread p { lock(m); int r = timedwait(c, m); assert(!r); r = trylock(m); assert(!r); unlock(m); }"):
            with self.subTest(text):
                self.counts(text, traces=1, complete=1, errors=0)

    def test_undefined_uses_of_objects(self):
        for text in ("rwlock L; thread p { unlock(L); }", "rwlock L; thread p { rdlock(L); unlock(L); unlock(L); }",
                     "rwlock L; thread p { } thread main { wrlock(L); spawn(q); join(q); } thread q { unlock(L); }",
                     "mutex m; cond c; thread p { wait(c, m); }", "mutex m; cond c; thread p { timedwait(c, m); }",
                     "mutex m, n; cond c; thread p { lock(n); wait(c, m); }"):
            with self.subTest(text):
                seen = self.explore(text, status=1)
                self.assertEqual(seen["traces"], 1)
                (defect,) = [d for d in seen["defects"] if d["kind"] == "undefined"]
                self.assertIn("undefined behaviour", defect["threads"][0]["note"])

    def test_indices_of_a_wait(self):
        self.counts("mutex q[2]; cond d[2]; thread p { int i = 1; lock(q[i]); int r = timedwait(d[i - 1], q[i]); assert(!r); unlock(q[i]); }",
                    traces=1, complete=1, errors=0)
        for text in ("wait(d[2], q[0]);", "wait(d[0], q[2]);", "wait(d[5], q[5]);"):
            seen = self.explore(f"mutex q[2]; cond d[2]; thread p {{ {text} }}", status=1)
            self.assertIn("index", seen["defects"][0]["text"])

    def test_initial_values_of_objects(self):
        self.counts("semaphore S = 2, F[2] = 1; thread p { sem_wait(S); sem_wait(S); sem_wait(F[0]); sem_wait(F[1]); }", complete=1)
        self.counts("barrier B[2] = 1; thread p { arrive(B[0]); arrive(B[1]); arrive(B[1]); }", complete=1, events=6)

    def test_contended_barriers_are_refused(self):
        for text in ("barrier B = 2; thread a[i:0..2] { arrive(B); }",
                     "barrier B = 1; thread a[i:0..1] { arrive(B); }",
                     "barrier B = 2; thread a[i:0..1] { arrive(B); } thread late { choose(0, 0); arrive(B); }",
                     "barrier B = 2; mutex m; thread a[i:0..1] { arrive(B); } thread late { lock(m); unlock(m); arrive(B); }",
                     "barrier B[2] = 2; thread a[i:0..1] { arrive(B[1]); arrive(B[1]); } thread b { int r = choose(0, 1); if (r) arrive(B[1]); }"):
            for words in ([], ["--k=1"], ["--algorithm=sdpor"], ["--algorithm=dfs"]):
                with self.subTest([text, *words]):
                    done = run("--json", *words, self.write(text))
                    self.assertEqual(done.returncode, 4, done.stderr)
                    seen = json.loads(done.stdout)
                    self.assertFalse(seen["finished"])
                    self.assertRegex(seen["uncontrolled"], r"p\.unf:1:\d+: contended barrier: more than \d threads come to 'B")
        self.counts("barrier B = 2; thread a[i:0..3] { arrive(B); } thread main { spawn(a[0]); spawn(a[1]); join(a[0]); "
                    "spawn(a[2]); spawn(a[3]); }", traces=1, complete=1)
        self.counts("barrier B = 2; thread a[i:0..1] { arrive(B); } thread main { spawn(a[0]); arrive(B); spawn(a[1]); arrive(B); }",
                    traces=1, complete=1)


class Results(Case):
    KEYS = {"program": str, "algorithm": str, "finished": bool, "traces": int, "complete": int, "blocked": int, "deadlocks": int,
            "errors": int, "redundant": int, "truncated": int, "executions": int, "events": int, "steps": int, "cutoffs": int, "kept": int, "states": int,
            "races": int, "livelocks": int, "collected": int, "seconds": float, "peak_rss_bytes": int, "defects": list}

    def test_keys(self):
        seen = self.explore(family("disp-5-2.unf"))
        for key, kind in self.KEYS.items():
            self.assertIs(type(seen[key]), kind, key)
        self.assertEqual([seen["traces"], seen["events"], seen["steps"], seen["k"]], [137, 1293, 6439, "optimal"])
        self.assertGreater(seen["peak_rss_bytes"], 100000)
        self.assertEqual(seen["program"], str(family("disp-5-2.unf")))
        self.assertIsNone(self.explore(sample("choice.unf"), "--algorithm=sdpor")["k"])
        self.assertIsNone(self.explore(sample("choice.unf"), "--algorithm=dfs")["k"])

    def test_deadlock(self):
        seen = self.explore(sample("diners.unf"), status=1)
        (defect,) = seen["defects"]
        self.assertEqual([defect["kind"], defect["count"], defect["schedule"]], ["deadlock", 1, None])
        self.assertEqual(len(defect["threads"]), 3)
        for number, thread in enumerate(defect["threads"]):
            self.assertEqual(thread["thread"], f"diner[{number}]")
            self.assertEqual(thread["place"], f"{sample('diners.unf')}:6:3")
            self.assertEqual(thread["operation"], f"lock(fork[{(number + 1) % 3}])")
            self.assertEqual(thread["waits_for"], f"fork[{(number + 1) % 3}]")
            self.assertEqual(thread["owner"], f"diner[{(number + 1) % 3}]")
            self.assertEqual(thread["holds"], [{"object": f"fork[{number}]", "place": f"{sample('diners.unf')}:5:3"}])

    def test_a_value_that_does_not_come(self):
        self.assertEqual(self.blocked("handshake.unf", "livelock"), [(f"p[{i}]", f"await(ready[{1 - i}] == 1)", f"ready[{1 - i}]", None, "its value is 0")
                                                         for i in range(2)])
        seen = self.explore("atomic int x = 4; thread p { exchange_await(x <= 3, -1); }", status=1)
        self.assertEqual(seen["defects"][0]["threads"][0]["operation"], "exchange_await(x <= 3, -1)")

    def test_livelocks_and_deadlocks(self):
        for text, livelocks in (("atomic int x; thread p { await(x == 1); }", 1),
                                ("atomic int x; thread main { spawn(p); join(p); } thread p { exchange_await(x > 0, 1); }", 1),
                                ("atomic int x; mutex m; thread p { lock(m); await(x == 1); } thread q { lock(m); }", 0),
                                ("atomic int x; thread main { join(p); } thread p { await(x == 1); }", 0),
                                ("atomic int x; thread main { spawn(q); join(p); } thread p { } thread q { await(x == 1); }", 0),
                                ("atomic int x; thread p { await(x == 1); } thread q { assume(0); }", 0),
                                ("atomic int x; thread p { int r = choose(0, 1); store(x, r); } thread q { await(x == 1); }", 1)):
            with self.subTest(text):
                seen = json.loads(run("--json", self.write(text)).stdout)
                self.assertEqual((seen["livelocks"], "livelock" in {d["kind"] for d in seen["defects"]}), (livelocks, livelocks > 0))
        self.assertEqual(run("--expect=livelock", sample("handshake.unf")).returncode, 0)
        self.assertEqual(run("--expect=deadlock", sample("handshake.unf")).returncode, 1)

    def blocked(self, name, kind="deadlock"):
        """What the threads of a sample's only defect wait for."""
        (defect,) = self.explore(sample(name), status=1)["defects"]
        self.assertEqual(defect["kind"], kind)
        return [(t["thread"], t["operation"], t["waits_for"], t["owner"], t.get("note")) for t in defect["threads"]]

    def test_what_blocked_threads_wait_for(self):
        lost = f"no notification is to come; the one at {sample('lost-wakeup.unf')}:20:3 found nobody waiting"
        self.assertEqual(self.blocked("lost-wakeup.unf"), [("consumer", "wait(c, m)", "c", None, lost)])
        self.assertEqual(self.blocked("forks.unf"), [(f"diner[{i}]", f"sem_wait(fork[{(i + 1) % 3}])", f"fork[{(i + 1) % 3}]", None,
                                                      "the semaphore is at 0") for i in range(3)])
        self.assertEqual(self.blocked("upgrade.unf"), [(f"editor[{i}]", "wrlock(L)", "L", f"editor[{1 - i}]", "2 holds for reading")
                                                       for i in range(2)])
        self.assertEqual(self.blocked("absent.unf"), [(f"worker[{i}]", "arrive(B)", "B", None, "2 of 3 threads have arrived")
                                                      for i in (1, 2)])

    def test_a_notified_thread_waits_for_the_mutex(self):
        seen = self.explore("mutex m; cond c; thread p { lock(m); wait(c, m); } thread main { spawn(p); lock(m); signal(c); join(p); }", status=1)
        notes = {(t["waits_for"], t["owner"], t.get("note")) for d in seen["defects"] for t in d["threads"]}
        self.assertIn(("m", "main", "it was notified"), notes)
        self.assertIn("p waits for main, which waits for p", {d["text"] for d in seen["defects"]})
        seen = self.explore("mutex m; cond c; thread p { lock(m); timedwait(c, m); } thread q { lock(m); }", status=1)
        notes = {(t["waits_for"], t["owner"], t.get("note")) for d in seen["defects"] for t in d["threads"]}
        self.assertIn(("m", "q", "its time was up"), notes)

    def test_holds_of_a_lock(self):
        text = "rwlock L, K; thread p { wrlock(K); rdlock(L); rdlock(L); wrlock(L); }"
        ((thread,),) = [d["threads"] for d in self.explore(text, status=1)["defects"]]
        self.assertEqual([(h["object"], h["place"].rsplit(":", 1)[1]) for h in thread["holds"]], [("L (for reading)", "36"), ("K", "25")])
        self.assertEqual(thread["note"], "it holds this lock itself")

    def test_one_entry_per_kind_and_places(self):
        seen = self.explore(sample("assertion.unf"), status=1)
        self.assertEqual([(d["kind"], d["count"]) for d in seen["defects"]], [("assertion", 4)])
        two = "mutex m; thread w[i:0..1] { lock(m); assert(i != 0);\nassert(i != 1);\nunlock(m); }"
        seen = self.explore(two, status=1)
        places = sorted(d["threads"][0]["place"].rsplit(":", 2)[1] for d in seen["defects"] if d["kind"] == "assertion")
        self.assertEqual(places, ["1", "2"])

    def test_undefined_behaviour_is_told(self):
        seen = self.explore(sample("stranger.unf"), status=1)
        self.assertIn("undefined", {d["kind"] for d in seen["defects"]})
        self.assertIn("undefined behaviour", run(sample("stranger.unf")).stdout)

    def test_runtime_errors(self):
        for text, place, word in (
                ("thread p { int r; r = 1 / r; }", "1:", "zero"), ("thread p { int r; r = 1 % r; }", "1:", "zero"),
                ("thread p { int r = 64; r = 1 << r; }", "1:", "shift"), ("thread p { int r = 0 - 1; r = 1 >> r; }", "1:", "shift"),
                ("thread p { int r = 9223372036854775807; r = r + 1; }", "1:", "overflow"),
                ("thread p { int r = -9223372036854775807; r = r - 2; }", "1:", "overflow"),
                ("thread p { int r = 3037000500; r = r * r; }", "1:", "overflow"),
                ("thread p { int r = -9223372036854775808; r = -r; }", "1:", "overflow"),
                ("thread p { int r = -9223372036854775808, q = -1; r = r / q; }", "1:", "overflow"),
                ("thread p { int r = 1; r = r << 63; }", "1:", "overflow"),
                ("shared int t[2]; thread p {\nint r = 2;\nt[r] = 1; }", "3:", "index"),
                ("shared int t[2]; thread p { int r = -1; r = t[r]; }", "1:", "index"),
                ("mutex m[2]; thread p { choose(0, 0); int r = 2;\nlock(m[r]); }", "2:1", "index"),
                ("thread w[i:1..2] { } thread p { int r; spawn(w[r]); }", "1:", "index"),
                ("thread p { int r = 3; choose(r, 2); }", "1:", "choose"),
                ("thread p { while (1) ; }", "1:", "100000"), ("thread p { choose(0, 0); while (1) { int i; i = i + 1; } }", "1:", "100000")):
            with self.subTest(text):
                seen = self.explore(text, status=1)
                self.assertFalse(seen["finished"])
                (defect,) = seen["defects"]
                self.assertEqual(defect["kind"], "runtime")
                self.assertIn(word, defect["text"])
                self.assertIn(f"p.unf:{place}", defect["threads"][0]["place"])
        for loops, status in ((49990, 0), (50010, 1)):
            self.explore(f"thread p {{ int i; while (i < {loops}) i = i + 1; }}", status=status)

    def test_statuses(self):
        self.assertEqual(run(sample("choice.unf")).returncode, 0)
        self.assertEqual(run(sample("abba.unf")).returncode, 1)
        self.assertEqual(run("--max-executions=2", sample("choice.unf")).returncode, 3)
        self.assertEqual(run("--max-executions=3", sample("diners.unf"), "--stop-at-first").returncode in (1, 3), True)
        self.assertEqual(run(self.write("thread p { lock(m); }")).returncode, 2)

    def test_expect(self):
        for kind, name, status in (("deadlock", "abba", 0), ("deadlock", "choice", 1), ("assertion", "assertion", 0),
                                   ("assertion", "abba", 1), ("runtime", "runtime", 0), ("undefined", "stranger", 0),
                                   ("race", "abba", 1)):
            self.assertEqual(run("--expect", kind, sample(name + ".unf")).returncode, status, (kind, name))
        self.assertEqual(run("--expect=deadlock", "--max-executions=1", sample("choice.unf")).returncode, 3)

    def test_text(self):
        done = run(sample("abba.unf"))
        for words in ("3", "deadlock", "a since", "abba.unf:6:3", "abba.unf:13:3"):
            self.assertIn(words, done.stdout)
        self.assertNotIn("\033", done.stdout)
        self.assertEqual(done.stderr, "")


class Files(Case):
    def record(self, name, *words):
        done = run("--trace-dir", self.folder / "traces", *words, sample(name + ".unf"), timeout=60)
        self.assertEqual(done.returncode, 1, done.stderr)
        return self.folder / "traces"

    def test_schedules_and_replay(self):
        for name, kind, words in (("abba", "deadlock", []), ("assertion", "assertion", []), ("runtime", "runtime", []),
                                  ("stranger", "undefined", []), ("diners", "deadlock", ["--algorithm=dfs"])):
            with self.subTest(name):
                folder = self.record(name, *words)
                schedule = folder / "trace-1.unfs"
                done = run("--replay", schedule, sample(name + ".unf"))
                self.assertEqual(done.returncode, 1, done.stderr)
                steps = [line for line in done.stdout.splitlines() if re.match(r" *\d+ ", line)]
                self.assertEqual(len(steps), len(schedule.read_text().splitlines()) - 3)
                for line in steps:
                    self.assertRegex(line, rf"\w+.*{name}\.unf:\d+:\d+")
                seen = self.replay(schedule, name, 1)
                self.assertIn(kind, {d["kind"] for d in seen["defects"]})
                self.assertEqual(len(seen["trace"]), len(steps))

    def test_every_deadlock_of_the_samples_replays(self):
        for name in ("lost-wakeup", "one-signal", "buffer-one-condition", "upgrade", "forks", "absent", "phases-race", "check-then-act"):
            with self.subTest(name):
                folder = self.record(name)
                for schedule in folder.glob("trace-*.unfs"):
                    self.assertEqual(len(self.replay(schedule, name, 1)["defects"]), 1)
                    schedule.unlink()

    def test_replay_of_each_event(self):
        text = ("mutex m; cond c; rwlock L; semaphore S = 1; barrier B = 1; "
                "thread main { lock(m); timedwait(c, m); signal(c); broadcast(c); spawn(q); int r = timedwait(c, m); assume(r); unlock(m); "
                "rdlock(L); trywrlock(L); unlock(L); wrlock(L); tryrdlock(L); unlock(L); sem_wait(S); trywait(S); post(S); trywait(S); "
                "arrive(B); arrive(B); trylock(m); timedlock(m); assert(0); } thread q { lock(m); broadcast(c); signal(c); unlock(m); }")
        path = self.write(text)
        self.assertEqual(run("--trace-dir", self.folder, path).returncode, 1)
        done = run("--json", "--replay", self.folder / "trace-1.unfs", path)
        self.assertEqual(done.returncode, 1, done.stderr)
        steps = [(t["event"], t.get("result"), t.get("notified")) for t in json.loads(done.stdout)["trace"] if t["thread"] == "main"]
        self.assertEqual(steps, [
            ("acq", None, None), ("w1", None, None), ("timeout", None, None), ("acq", "0", None), ("sig", None, []), ("bro", None, []),
            ("create", None, None), ("w1", None, None), ("w2", "1", None), ("rel", None, None), ("rdacq", None, None), ("wrfail", "0", None),
            ("rdrel", None, None), ("wracq", None, None), ("rdfail", "0", None), ("wrrel", None, None), ("semacq", None, None),
            ("semfail", "0", None), ("post", None, None), ("semacq", "1", None), ("arrive", None, None), ("pass", None, None),
            ("arrive", None, None), ("pass", None, None), ("acq", "1", None), ("tryfail", "0", None)])
        notified = [t["notified"] for t in json.loads(done.stdout)["trace"] if t["thread"] == "q" and "notified" in t]
        self.assertEqual(notified, [["main"], []])
        text = run("--replay", self.folder / "trace-1.unfs", path).stdout
        for words in ("timedwait(c, m) (timeout)", "timedwait(c, m) (w2) = 1", "notifies nobody", "notifies main", "arrive(B) (pass)"):
            self.assertIn(words, text)

    def test_replay_of_accesses(self):
        path = self.write("atomic int x = 2; thread p { load(x); store(x, 5); fetch_add(x, 1); int r = fetch_add(x, 1); exchange(x, 3); cas(x, 1, 2); "
                          "cas(x, 3, 4); await(x != 3); exchange_await(x == 4, 8); assert(0); }")
        for words, addition in (([], "write"), (["--ifaa"], "add")):
            self.assertEqual(run("--trace-dir", self.folder, *words, path).returncode, 1)
            done = run("--json", "--replay", self.folder / "trace-1.unfs", *words, path)
            self.assertEqual(done.returncode, 1, done.stderr)
            steps = [(t["operation"], t["event"], t.get("result")) for t in json.loads(done.stdout)["trace"]]
            self.assertEqual(steps, [("load(x)", "read", "2"), ("store(x, 5)", "write", None), ("fetch_add(x, 1)", addition, "5"),
                                     ("fetch_add(x, 1)", "write", "6"), ("exchange(x, 3)", "write", "7"), ("cas(x, 1, 2)", "read", "0"),
                                     ("cas(x, 3, 4)", "write", "1"), ("await(x != 3)", "read", "4"),
                                     ("exchange_await(x == 4, 8)", "write", "4")])

    def test_schedules_that_do_not_fit_objects(self):
        folder = self.record("lost-wakeup")
        lines = (folder / "trace-1.unfs").read_text()
        self.assertIn("sig condition - 0 lost", lines)
        other = self.write(sample("lost-wakeup.unf").read_text().replace("signal(c)", "broadcast(c)"), "lost-wakeup.unf")
        done = run("--replay", folder / "trace-1.unfs", other)
        self.assertEqual(done.returncode, 2)
        self.assertIn("step 4", done.stderr)

    def replay(self, schedule, name, status):
        done = run("--json", "--replay", schedule, sample(name + ".unf"))
        self.assertEqual(done.returncode, status, done.stderr)
        return json.loads(done.stdout)

    def test_names_in_json(self):
        seen = json.loads(run("--json", "--trace-dir", self.folder / "d", sample("abba.unf")).stdout)
        self.assertEqual(seen["defects"][0]["schedule"], "trace-1.unfs")
        self.assertTrue((self.folder / "d" / "trace-1.unfs").exists())

    def test_bad_schedules(self):
        good = self.record("abba") / "trace-1.unfs"
        text = good.read_text()
        for number, bad in enumerate((text[:-8], text.replace("acq", "rel", 1), "", "nonsense\n", text.replace("schedule 1", "schedule 9"),
                                      text + "more\n", "\n".join(text.splitlines()[1:]))):
            path = self.write(bad, "bad.unfs")
            done = run("--replay", path, sample("abba.unf"))
            self.assertEqual(done.returncode, 2, (number, bad))
            self.assertRegex(done.stderr, rf"^{re.escape(str(path))}:\d+:\d+: .")
        self.assertEqual(run("--replay", self.folder / "missing", sample("abba.unf")).returncode, 2)
        other = self.write(sample("abba.unf").read_text().replace("lock(a);\n  lock(b);", "lock(b);\n  lock(a);"), "abba.unf")
        done = run("--replay", good, other)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("step 1", done.stderr)
        self.assertEqual(run("--replay", good, sample("diners.unf")).returncode, 2)

    def test_dot(self):
        path = self.folder / "u.dot"
        done = run("--dot", path, sample("choice.unf"))
        self.assertEqual(done.returncode, 0, done.stderr)
        text = path.read_text()
        self.assertTrue(text.lstrip().startswith("digraph"))
        self.assertTrue(text.rstrip().endswith("}"))
        self.assertIn("dashed", text)
        self.assertEqual(run("--dot", path, sample("timeout.unf")).returncode, 0)
        for words in ("w1 condition - 0 mutex - 0", "timeout condition - 0", "sig condition - 0 lost", "sig condition - 0 0"):
            self.assertIn(words, path.read_text())

    def test_files_that_cannot_be_written(self):
        done = run("--dot", self.folder / "none" / "u.dot", sample("choice.unf"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("u.dot", done.stderr)
        blocker = self.write("", "file")
        done = run("--trace-dir", blocker, sample("abba.unf"))
        self.assertEqual(done.returncode, 2)
        if os.path.exists("/dev/full"):
            with open("/dev/full", "w") as full:
                done = subprocess.run([PROGRAM, sample("choice.unf")], stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertNotEqual(done.returncode, 0)
            self.assertNotEqual(done.stderr, "")


class Limits(Case):
    ENDLESS = "mutex m; thread p { while (1) { lock(m); unlock(m); } }"

    def stopped(self, source, *words, why):
        seen = self.explore(source, *words, status=3)
        self.assertFalse(seen["finished"])
        self.assertEqual(seen["stopped"], why)
        return seen

    def test_limits(self):
        large = family("mpat-7.unf")
        self.assertEqual(self.stopped(large, "--max-executions=10", why="executions")["executions"], 10)
        self.assertLessEqual(self.stopped(large, "--max-events=500", why="events")["events"], 500)
        self.assertLess(self.stopped(large, "--max-seconds=0.3", why="seconds")["seconds"], 20)
        self.stopped(large, "--max-memory=2M", why="memory")
        self.assertEqual(self.stopped(sample("abba.unf"), "--max-memory=1K", why="memory")["traces"], 0)
        self.assertEqual(self.counts(sample("choice.unf"), "--max-executions=12", traces=12)["finished"], True)

    def test_events_given_back(self):
        for name, traces in (("disp-5-3", 1482), ("mpc-3-5", 2958), ("pol-7-3", 2440)):
            for words in ((), ("--order=bfs",), ("--order=random", "--seed=5"), ("--algorithm=odpor",), ("--k=1",)):
                seen = self.counts(family(name + ".unf"), "--collect=2000", *words, traces=traces, finished=True)
                self.assertGreater(seen["collected"], 0, (name, words))
                if "--k=1" not in words:
                    self.assertEqual(seen["redundant"], 0, (name, words))
        self.assertEqual(self.explore(family("disp-5-3.unf"))["collected"], 0)
        self.assertEqual(self.explore(family("disp-5-3.unf"), "--algorithm=dfs", "--max-executions=10", status=3)["collected"], 0)

    def test_an_execution_without_end(self):
        self.stopped(self.ENDLESS, "--max-seconds=0.3", why="seconds")
        self.stopped(self.ENDLESS, "--max-events=3000", why="events")
        self.stopped(self.ENDLESS, "--max-memory=4M", why="memory")

    def test_stop_at_first(self):
        seen = self.explore(sample("assertion.unf"), "--stop-at-first", status=1)
        self.assertFalse(seen["finished"])
        self.assertEqual(seen["errors"], 1)

    def interrupt(self, source, number):
        path = source if isinstance(source, pathlib.Path) else self.write(source)
        process = subprocess.Popen([PROGRAM, "--json", "--max-memory=1G", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(0.4)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 3, err)
        seen = json.loads(out)
        self.assertEqual([seen["finished"], seen["stopped"]], [False, "interrupt"])
        return seen

    def test_interrupt(self):
        self.assertGreater(self.interrupt(family("mpat-7.unf"), signal.SIGINT)["traces"], 0)
        self.interrupt(self.ENDLESS, signal.SIGTERM)


class Races(Case):
    """Data races on shared ints. Places are compared, so each program is one line."""

    def races(self, text, *columns, **keywords):
        seen = self.explore(text, status=1 if columns else 0, **keywords)
        pairs = [tuple(int(t["place"].rsplit(":", 1)[1]) for t in d["threads"]) for d in seen["defects"] if d["kind"] == "race"]
        self.assertEqual(sorted(tuple(sorted(p)) for p in pairs), sorted(columns))
        self.assertEqual(seen["races"], len(columns))
        return seen

    def test_without(self):
        for text in ("shared int s; mutex m; thread p { lock(m); s = s + 1; unlock(m); } thread q { lock(m); s = 2; unlock(m); }",
                     "shared int s; thread main { s = 1; spawn(p); join(p); s = s + 1; } thread p { s = 5; }",
                     "shared int s; thread main { spawn(p); join(p); assert(s == 5); } thread p { choose(0, 1); s = 5; }",
                     "shared int s = 3; thread w[i : 0..2] { int r = s; choose(r, r); r = s; }",
                     "shared int t[3]; thread w[i : 0..2] { t[i] = 1; choose(0, t[i]); }",
                     "shared int s; mutex m; thread p { s = 1; lock(m); unlock(m); } "
                     "thread main { spawn(p); spawn(q); } thread q { join(p); s = 2; }"):
            with self.subTest(text):
                self.races(text)

    def test_pairs_of_places(self):
        self.races("shared int s; thread p { s = 1; } thread q { s = 2; }", (26, 46))
        self.races("shared int s; thread w[i : 0..1] { s = i; }", (36, 36))
        self.races("shared int s; thread p { int r = s; } thread q { s = 2; } thread v { int r = s; }", (34, 50), (50, 78))
        self.races("shared int t[2]; thread p { t[0] = 1; t[1] = 1; } thread q { t[1] = 2; }", (39, 62))
        self.races("shared int s; thread main { spawn(p); s = 1; join(p); s = 3; } thread p { s = 2; }", (39, 75))

    def test_in_a_share_of_executions(self):
        """Four writers whose order is explored and one that is ordered with nobody: each execution has all pairs."""
        text = "shared int s; mutex m; thread p[i : 0..3] { lock(m); s = i; unlock(m); } thread q { s = 9; }"
        for order in ("dfs", "bfs", "random", "deepest-first"):
            whole = self.explore(text, "--order", order, status=1)
            races = [d["count"] for d in whole["defects"] if d["kind"] == "race"]
            self.assertEqual((whole["traces"], races), (24, [24]), order)
            for every, count in ((1, 24), (2, 12), (5, 5), (24, 1), (1000, 1)):
                seen = self.explore(text, "--order", order, "--races-every", str(every), status=1)
                races = [d["count"] for d in seen["defects"] if d["kind"] == "race"]
                self.assertEqual((seen["traces"], seen["executions"], seen["races"], races), (24, 24, 1, [count]), [order, every])
        counts = set()
        for seed in range(1, 6):
            seen = json.loads(run("--json", "--races-every=4", f"--seed={seed}", self.write(text)).stdout)
            counts.add(sum(d["count"] for d in seen["defects"]))
        self.assertGreater(len(counts), 1)
        self.assertLess(max(counts), 16)
        self.assertEqual(run("--races-every=0", "x.unf").returncode, 2)
        self.assertEqual(run("--races-every", "x.unf").returncode, 2)

    def test_a_mutex_that_one_thread_forgets(self):
        self.races("shared int s; mutex m; thread p { lock(m); s = 1; unlock(m); } thread q { s = 2; lock(m); unlock(m); }", (44, 75))

    def test_an_index_and_an_operand_are_reads(self):
        self.races("shared int s; mutex q[2]; thread p { lock(q[s]); } thread v { s = 1; }", (45, 63))

    def test_only_in_one_order(self):
        text = ("shared int s, go; mutex m; thread p { lock(m); go = 1; unlock(m); s = 1; } "
                "thread q { lock(m); int r = go; unlock(m); if (r) s = 2; }")
        seen = self.races(text, (67, 126))
        self.assertEqual((seen["traces"], seen["defects"][0]["count"]), (2, 1))

    def test_sample_schedule_and_expect(self):
        seen = self.explore(sample("race.unf"), "--trace-dir", self.folder, status=1)
        self.assertEqual((seen["traces"], seen["races"]), (2, 1))
        operations = {t["operation"] for t in seen["defects"][0]["threads"]}
        self.assertEqual(operations, {"read of result", "write of result"})
        done = run("--replay", self.folder / "trace-1.unfs", sample("race.unf"))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("data race", done.stdout)
        self.assertEqual(run("--expect=race", sample("race.unf")).returncode, 0)
        self.assertEqual(run("--expect=deadlock", sample("race.unf")).returncode, 1)

    def test_control_flow_that_reads_a_racy_value(self):
        text = ("shared int s; mutex a, b, m; thread q { int r = s; if (r) { lock(a); unlock(a); } else { lock(b); unlock(b); } "
                "lock(m); unlock(m); } thread p { lock(m); unlock(m); s = 1; lock(b); unlock(b); }")
        for words in ([], ["--algorithm=dfs"]):
            seen = self.explore(text, *words, status=1)
            self.assertIn("race", [d["kind"] for d in seen["defects"]])


class Terminal(Case):
    """The line of progress, and colours."""

    def on_terminal(self, *arguments, **environment):
        try:
            main, side = pty.openpty()
        except OSError as error:
            self.skipTest(f"no terminal to be had here: {error}")
        child = subprocess.Popen([PROGRAM, *map(str, arguments)], stdout=side, stderr=side, stdin=subprocess.DEVNULL,
                                 env={**os.environ, "TERM": "xterm", **environment})
        os.close(side)
        text = b""
        try:
            while piece := os.read(main, 4096):
                text += piece
        except OSError:
            pass  # how the end of a terminal is told
        os.close(main)
        child.wait(timeout=60)
        return text.decode()

    def test_progress(self):
        text = self.on_terminal("--max-seconds=0.6", family("mpat-7.unf"))
        self.assertRegex(text, r"\r\d+ executions, \d+/s, 0 redundant, \d+ events, [\d.]+ MB")
        self.assertRegex(text, r"\r +\r")

    def test_colours(self):
        self.assertIn("\033[", self.on_terminal(sample("abba.unf"), NO_COLOR=""))
        self.assertNotIn("\033[", self.on_terminal(sample("abba.unf"), NO_COLOR="1"))
        self.assertNotIn("\033[", self.on_terminal(sample("abba.unf"), NO_COLOR="", TERM="dumb"))
        self.assertNotIn("\033[", run(sample("abba.unf")).stdout)


class Oracle(Case):
    """The oracle reads and runs the language with code of its own."""

    CONDITION, RWLOCK, SEMAPHORE, BARRIER, ATOMIC, RANGE = 1, 2, 4, 8, 16, 32

    def expected(self, *arguments):
        """Status, options, counts and text of each program."""
        done = subprocess.run([EXPECTED, *map(str, arguments)], capture_output=True, timeout=200)
        self.assertEqual(done.returncode, 0, done.stderr)
        rest = done.stdout
        while rest:
            head, rest = rest.split(b"\n", 1)
            status, *numbers, length = head.decode().split()
            bound, commuting, *counts = map(int, numbers)
            text, rest = rest[:int(length)].decode(), rest[int(length):]
            words = [f"--bound={bound}"] if bound >= 0 else []
            yield status, words + ["--ifaa"] * commuting, counts, text

    def compare_all(self, *arguments, words=()):
        statuses = []
        for status, options, counts, text in self.expected(*arguments):
            statuses.append(status)
            with self.subTest([text, *options]):
                self.compare(status, counts, text, *words, *options)
        return statuses

    def compare(self, status, counts, text, *words):
        done = run("--json", *words, self.write(text))
        seen = json.loads(done.stdout)
        kinds = {d["kind"] for d in seen["defects"]}
        self.assertEqual("race" in kinds, status == "race")
        self.assertEqual("runtime" in kinds, status == "error")
        self.assertEqual(done.returncode == 4, status == "contended")
        if status == "whole":
            self.assertTrue(seen["finished"])
            keys = ("traces", "complete", "blocked", "deadlocks", "errors", "events")
            self.assertEqual([seen[k] for k in keys], counts)
            if "--algorithm=sdpor" not in words:
                self.assertEqual(seen["redundant"], 0)
            self.assertEqual("deadlock" in kinds, seen["deadlocks"] > seen["livelocks"])
            self.assertEqual("livelock" in kinds, seen["livelocks"] > 0)
            self.assertEqual("assertion" in kinds, seen["errors"] > 0)

    def test_random_programs(self):
        statuses = self.compare_all("random", 600, 1, 0)
        self.assertGreater(statuses.count("whole"), 200)
        self.assertGreater(statuses.count("race"), 3)

    def test_random_programs_with_every_object(self):
        statuses = []
        for families in (self.CONDITION, self.RWLOCK, self.SEMAPHORE, self.BARRIER, self.ATOMIC, self.RANGE, 63):
            statuses += self.compare_all("random", 160, 2, families)
        self.assertGreater(statuses.count("whole"), 500)

    @staticmethod
    def barriers(source):
        """A random program in which threads meet at barriers, sometimes too many of them."""
        threads = source.choice((2, 3, 3, 4))
        pieces = ["arrive(B[0]);", "arrive(B[0]);", "arrive(B[1]);", "lock(m); unlock(m);", "post(S);", "sem_wait(S);",
                  "{ int r = choose(0, 1); if (r) arrive(B[0]); }", "{ int r = trywait(S); if (r) arrive(B[1]); }",
                  f"join(t[{source.randrange(threads)}]);"]
        bodies = [" ".join(source.choices(pieces, k=source.randrange(1, 4))) for _ in range(threads)]
        text = (f"barrier B[2] = {source.choice((1, 2, 2, 2, 3))}; mutex m; semaphore S = {source.choice((0, 1))};\n"
                f"thread t[i : 0..{threads - 1}] {{\n" + "\n".join(f"if (i == {i}) {{ {b} }}" for i, b in enumerate(bodies)) + "\n}\n")
        if source.random() < 0.5:
            steps = [f"spawn(t[{i}]);" + source.choice(("", "", f" join(t[{source.randrange(i + 1)}]);")) for i in range(threads)]
            text += f"thread main {{ {' '.join(steps)} }}\n"
        return text

    def test_contended_barriers(self):
        source = random.Random(1)
        paths = [self.write(self.barriers(source), f"p{i}.unf") for i in range(250)]
        for words in ([], ["--algorithm=sdpor", "--order=random"]):
            statuses = self.compare_all("files", -1, *paths, words=words)
            self.assertGreater(statuses.count("contended"), 30)
            self.assertGreater(statuses.count("whole"), 150)

    def test_programs_with_known_counts(self):
        self.assertGreater(len(self.compare_all("reference")), 50)

    def test_samples(self):
        paths = sorted(sample("").glob("*.unf"))
        endless = [p for p in paths if "--bound" in p.read_text()]
        whole = [p for p in paths if p not in endless]
        self.assertEqual(len(self.compare_all("files", -1, *whole)), len(whole))
        self.assertEqual(len(self.compare_all("files", 2, *endless)), len(endless))



class Families(Case):
    TRACES = {
        "disp-1-4": 80, "disp-2-3": 150, "disp-2-4": 648, "disp-3-3": 398, "disp-3-4": 2504, "disp-4-4": 6854, "disp-5-2": 137,
        "disp-5-3": 1482, "disp-5-4": 15282, "disp-8-3": 5298, "disp-14-2": 884, "mpat-2": 8, "mpat-3": 48, "mpat-4": 384,
        "mpat-5": 3840, "mpat-6": 46080, "mpc-2-3": 66, "mpc-2-4": 54, "mpc-2-5": 60, "mpc-3-3": 2430, "mpc-3-4": 3486, "mpc-3-5": 2958,
        "mpc-3-6": 2430, "mpc-3-7": 2763, "pi-3": 6, "pi-5": 120, "pi-7": 5040, "pi-8": 40320, "pol-2-2": 14, "pol-3-3": 160,
        "pol-3-4": 711, "pol-4-4": 2636, "pol-5-3": 844, "pol-7-3": 2440, "pol-8-3": 3700, "pol-9-3": 5332, "pol-10-3": 7384,
        "pol-11-3": 9904, "pol-12-3": 12940, "ssbexp-4": 8, "ssbexp-8": 16, "ssbexp-12": 24, "ssb3-3-2": 12, "ssb3-5-4": 80,
        "ssb3-7-6": 938, "spat-4-5": 24, "spat-6-5": 72, "spat-9-6": 288, "locks-2": 2, "locks-3": 6, "locks-4": 24, "locks-5": 120,
        "count-3": 6, "count-6": 12}

    def test_files_are_what_the_script_writes(self):
        script = ROOT / "examples" / "model" / "families" / "generate.py"
        done = subprocess.run([sys.executable, script, "--check", script.parent], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_tutorial(self):
        """The commands of doc/tutorial.md print what stands there, but for the line with time and memory."""
        blocks = re.findall(r"```console\n\$ unfold-model (.*)\n((?:.*\n)*?)```", (ROOT / "doc" / "tutorial.md").read_text())
        self.assertGreater(len(blocks), 3)
        for words, text in blocks:
            with self.subTest(words):
                done = run(*words.split(), cwd=ROOT)
                seen = [line for line in done.stdout.splitlines() if not re.match(r"  [0-9.]+ s, ", line)]
                self.assertEqual(seen, text.splitlines(), done.stderr)

    def test_optimal(self):
        for name, traces in self.TRACES.items():
            with self.subTest(name):
                self.counts(family(name + ".unf"), traces=traces, complete=traces, redundant=0, deadlocks=0, errors=0)

    def test_known(self):
        for line in (ROOT / "tests" / "golden" / "known.csv").read_text().splitlines():
            if line.startswith(("#", "program,")):
                continue
            name, bound, ifaa, complete, blocked = line.split(",")[:5]
            words = ["--algorithm=odpor"] + ["--ifaa"] * int(ifaa) + ([] if bound == "-" else ["--bound=" + bound])
            with self.subTest([name, *words]):
                done = run("--json", *words, family(name + ".unf"))
                seen = json.loads(done.stdout)
                self.assertEqual(done.returncode, seen["deadlocks"] > 0, done.stderr)
                self.assertEqual([seen[k] for k in ("complete", "blocked", "redundant", "errors")], [int(complete), int(blocked), 0, 0])

    def test_other_algorithms(self):
        for name in ("disp-3-3", "mpat-4", "mpc-2-4", "pi-5", "pol-3-3", "ssb3-5-4", "spat-6-5"):
            for words in (["--k=1"], ["--k=2"], ["--k=3"], ["--algorithm=sdpor"]):
                with self.subTest([name, *words]):
                    self.counts(family(name + ".unf"), *words, traces=self.TRACES[name])


def main():
    global PROGRAM, ROOT, EXPECTED
    EXPECTED = os.path.abspath(sys.argv[4]) if len(sys.argv) > 4 else None
    PROGRAM, ROOT, suite = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
    loader = unittest.defaultTestLoader.loadTestsFromTestCase(globals()[suite.capitalize()])
    return 0 if unittest.TextTestRunner().run(loader).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
