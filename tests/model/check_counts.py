#!/usr/bin/env python3
"""What programs mean: the counts of unfold-model, by effects, with cutoffs, on the families,
against the oracle, and data races.

    check_counts.py UNFOLD_MODEL SOURCE_ROOT SUITE [EXPECTED]

SUITE is one of: counts, cutoffs, races, families, oracle (which needs the program EXPECTED)."""
import itertools
import json
import math
import pathlib
import random
import re
import subprocess
import sys

import check
from check import Case, family, run, sample


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
                     "readers", "upgrade", "forks", "phases", "absent", "futex-mutex", "futex-mutex-broken", "futex-lost-wakeup",
                     "futex-wakeup"):
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
        for algorithm in ("qpor", "odpor", "eager"):
            self.counts("atomic int x : 4; thread w[i:0..29] { fetch_add(x, 1); } thread r { await(x == 30); }", "--ifaa",
                        f"--algorithm={algorithm}", traces=1, complete=1)
        for words in ([], ["--algorithm=odpor"]): # not all subsets of the additions are tried
            self.counts("atomic int x : 2; overlay l = x[0..0], h = x[1..1]; thread w[i:0..39] { fetch_add(l, 1); } thread q { store(h, 0); }"
                        "thread r { await(x == 40); }", "--ifaa", *words, traces=2, complete=2)
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

    def test_races_around_futexes(self):
        text = "atomic int x; shared int s; thread p {{ int r = futex_wait(x, 0); {} }} thread q {{ s = 1; futex_wake(x, 1); }}"
        self.counts(text.format("if (r == 0) assert(s == 1);"), status=1, races=0)
        self.assertEqual(self.explore(text.format("s = 2;").replace("s = 1; futex_wake(x, 1)", "futex_wake(x, 1); s = 1"), status=1)["races"], 1)

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
            # The visitors who wait when the porter comes, in their order.
            before = [math.perm(n, k) for k in range(n + 1)]
            every, one = sum(before) * math.factorial(n), math.factorial(n) + sum(
                before[k] * k * math.factorial(n - k + 1) for k in range(1, n + 1))
            self.counts(gate.format(n) + porter.format("broadcast"), traces=every, complete=every)
            self.assertEqual(self.explore(gate.format(n) + porter.format("signal"), status=1 if n > 1 else 0)["traces"], one)
            self.counts(timed.format(n=n, last=n - 1), traces=1, events=5 * n)
            self.counts(timed.format(n=n, last=n - 1) + "thread s { signal(c); }", traces=2 ** n + n)
            self.counts(timed.format(n=n, last=n - 1) + "thread s { broadcast(c); }", traces=3 ** n)
            sleepers = f"atomic int x; thread w[i:1..{n}] {{{{ {{}}(x, 0); }}}} "
            self.counts(sleepers.format("timedfutexwait"), traces=1, events=2 * n)
            for wakes in range(n + 2):
                self.counts(sleepers.format("futex_wait") + f"thread k {{ futex_wake(x, {wakes}); }}", status=1,
                            traces=sum(math.comb(n, k) for k in range(min(n, wakes) + 1)))
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

    def test_futexes(self):
        self.counts("atomic int x = 3; thread p { int r = futex_wait(x, 4); assert(r == 1); r = timedfutexwait(x, 3); assert(r == 2); "
                    "r = futex_wake(x, 5); assert(r == 0); }", traces=1, complete=1, errors=0, events=4)
        self.counts("atomic int x, y; thread a { int r = futex_wait(x, 0); assert(r == 0); } thread b { futex_wait(y, 0); } "
                    "thread k { int n = futex_wake(x, 2); assert(n < 2); }", status=1, traces=2, deadlocks=2, errors=0)
        self.counts("atomic int w : 2; overlay l = w[0..0]; thread a { int r = futex_wait(w, 256); assert(r == 1); } "
                    "thread b { store(l, 1); int n = futex_wake(l, 1); assert(n == 0); }", traces=2, complete=2, errors=0)
        self.counts(sample("futex-mutex.unf"), traces=16, complete=16, errors=0, events=124, redundant=0)
        seen = self.counts(sample("futex-mutex-broken.unf"), status=1, traces=12, deadlocks=2, errors=0, events=80)
        (thread,) = seen["defects"][0]["threads"]
        self.assertRegex(thread["operation"], r"futex_wait\(word, 2\)")
        self.assertIn("no wake is to come", thread["note"])
        self.counts(sample("futex-lost-wakeup.unf"), status=1, traces=3, deadlocks=1, events=10)
        self.counts(sample("futex-wakeup.unf"), traces=3, complete=3, events=13)
        self.counts(sample("futex-condition.unf"), traces=632, complete=632, events=4028)
        seen = self.explore("atomic int x; thread p { int n = choose(-1, 0); futex_wake(x, n); }", status=1)
        self.assertIn("futex_wake of fewer than 0", seen["defects"][0]["text"])

    def test_channels(self):
        senders = "thread p { send(c, 1); send(c, 2); } thread q { send(c, 3); send(c, 4); } "
        receiver = "thread r { receive(c); receive(c); receive(c); receive(c); }"
        for places in ("", " = 1", " = 2", " = 4"):
            self.counts(f"channel c{places}; {senders}{receiver}", traces=6, complete=6)
        for places in ("", " = 1", " = 7", " = 20"):
            text = (f"channel c{places}; thread p {{ int i = 0; while (i < 20) {{ send(c, i); i = i + 1; }} }} "
                    "thread q { int i = 0; while (i < 20) { int r = receive(c); assert(r == i); i = i + 1; } }")
            self.counts(text, traces=1, complete=1, events=40)
        # What there is when it is closed is received; then it says so, as often as one asks.
        self.counts("channel c[2]; thread p { send(c[1], 5); close(c[1]); } thread q { int r = receive(c[1]); assert(r == 5); "
                    "r = receive(c[1]); assert(r == closed); r = tryreceive(c[1]); assert(r == closed); }", traces=2, errors=0)
        self.counts("channel c = 1; thread p { int r = trysend(c, 7); assert(r == 1); r = trysend(c, 8); assert(r == 0); "
                    "r = tryreceive(c); assert(r == 7); r = tryreceive(c); assert(r == empty); }", traces=1, events=4, errors=0)
        # Names of the program hide the two words; messages can be any other number.
        self.counts("shared int closed = 3; channel c; thread p { int empty = 4; send(c, closed); int r = receive(c); "
                    "assert(r == 3 && empty == 4); send(c, -9223372036854775806); r = receive(c); assert(r < 0); }",
                    traces=1, errors=0)
        for text, words in (("close(c); send(c, 1);", "a send to 'c', which is closed"),
                            ("close(c); trysend(c, 1);", "a send to 'c', which is closed"),
                            ("close(c); close(c);", "a close of 'c', which is closed"),
                            ("send(c, closed);", "a message that would say closed or empty"),
                            ("trysend(c, -9223372036854775807);", "a message that would say closed or empty")):
            seen = self.explore(f"channel c; thread p {{ {text} }}", status=1)
            self.assertEqual([(d["kind"], d["text"]) for d in seen["defects"]], [("runtime", words)])

    def test_channels_without_end(self):
        seen = self.explore("channel c = 2, d = 1; thread p { int i = 0; while (1) { send(c, i); i = (i + 1) % 2; } } "
                            "thread q { while (1) { int r = receive(c); send(d, r); } } "
                            "thread s { int e = 0; while (1) { int r = receive(d); assert(r == e); e = (e + 1) % 2; } }",
                            "--cutoffs=erv")
        self.assertEqual((seen["finished"], seen["errors"]), (True, 0))

    def test_channels_that_block(self):
        seen = self.explore("channel c = 1, d; thread p { send(c, 1); send(c, 2); } thread q { receive(d); }", status=1)
        (defect,) = seen["defects"]
        self.assertEqual([(t["operation"], t["waits_for"], t["note"]) for t in defect["threads"]],
                         [("send(c, 2)", "room in c", "it has 1 of 1 messages"),
                          ("receive(d)", "a message in d", "it is empty, and not closed")])

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


class Cutoffs(Case):
    """What is reached does not depend on the search; every program here runs for ever."""
    KEPT = {"buffer-2": (6, 4), "buffer-2-2": (10, 10), "diners-3": (15, 6), "greedy-3": (21, 6), "mutex-2": (2, 2), "mutex-3": (3, 3),
            "mutex-4": (4, 4), "peterson": (206, 124), "ring-2": (12, 4), "ring-3": (18, 6)}

    def test_endless_programs_end(self):
        folder = check.ROOT / "examples" / "model" / "programs" / "cyclic"
        self.assertLessEqual(set(self.KEPT), {path.stem for path in folder.glob("*.unf")})
        orders = ["size", "erv", "size-strong", "erv-strong"]
        if "without libsodium" in run("--cutoffs=erv-strong", sample("abba.unf")).stderr:
            print("unfold-model was built without libsodium: strong hashes are left out", file=sys.stderr)
            orders = orders[:2]
        for path in sorted(folder.glob("*.unf")):
            deadlocks = path.stem.startswith("greedy")
            seen = {}
            for how in ([], ["--k=1"], ["--algorithm=sdpor"], ["--order=bfs"], ["--order=random", "--seed=3"]):
                for order in orders:
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
        """Four writers whose order is explored and one that is ordered with nobody: each execution
        has all pairs."""
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


class Oracle(Case):
    """The oracle reads and runs the language with code of its own."""

    CONDITION, RWLOCK, SEMAPHORE, BARRIER, ATOMIC, RANGE, FUTEX, CHANNEL = 1, 2, 4, 8, 16, 32, 64, 128

    def expected(self, *arguments):
        """Status, options, counts and text of each program."""
        done = subprocess.run([check.EXPECTED, *map(str, arguments)], capture_output=True, timeout=200)
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
        for families in (self.CONDITION, self.RWLOCK, self.SEMAPHORE, self.BARRIER, self.ATOMIC, self.RANGE, self.FUTEX,
                         self.CHANNEL, 255):
            statuses += self.compare_all("random", 160, 2, families)
        self.assertGreater(statuses.count("whole"), 500)

    def test_channels_with_cutoffs(self):
        """The same deadlocks, by where their threads stand: what a step changes in a channel is the
        same whatever was done at the other end."""
        def found(path, *words):
            seen = json.loads(run("--json", *words, path).stdout)
            self.assertTrue(seen["finished"])
            return sorted((d["kind"], sorted(t["place"] for t in d["threads"])) for d in seen["defects"])
        for status, _, _, text in self.expected("random", 40, 9, self.CHANNEL):
            if status != "whole":
                continue
            path = self.write(text)
            whole = found(path)
            for words in (["--cutoffs=erv"], ["--cutoffs=size", "--k=2"]):
                with self.subTest([text, *words]):
                    self.assertEqual(found(path, *words), whole)

    def test_posts_at_the_maximum_in_every_order(self):
        """Whether a post can come at the maximum depends neither on the order of the threads nor on
        how they are explored."""
        algorithms = itertools.cycle(("qpor", "odpor", "eager", "sdpor", "dfs"))
        found = 0
        for status, options, _, text in self.expected("random", 400, 3, self.SEMAPHORE):
            if status != "error":
                continue
            found += 1
            objects, *threads = re.split(r"(?m)^(?=thread )", text)
            for order in itertools.permutations(threads) if len(threads) < 5 else [threads]:
                algorithm = next(algorithms)
                with self.subTest([text, order, algorithm, *options]):
                    seen = json.loads(run("--json", f"--algorithm={algorithm}", *options, self.write(objects + "".join(order))).stdout)
                    self.assertEqual([seen["finished"], seen["stopped"]], [False, "runtime"])
                    (defect,) = [d for d in seen["defects"] if d["kind"] == "runtime" and d["count"] > 0]
                    self.assertIn("at its maximum", defect["text"])
        self.assertGreater(found, 30)

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
        # Those with inputs are compared in inputs.py, value by value.
        paths = [p for p in sorted(sample("").glob("*.unf")) if not re.search(r"(?m)^input ", p.read_text())]
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
        script = check.ROOT / "examples" / "model" / "families" / "generate.py"
        done = subprocess.run([sys.executable, script, "--check", script.parent], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_tutorial(self):
        """The commands of doc/tutorial.md print what stands there, but for the line with time and
        memory."""
        blocks = re.findall(r"```console\n\$ unfold-model (.*)\n((?:.*\n)*?)```", (check.ROOT / "doc" / "tutorial.md").read_text())
        self.assertGreater(len(blocks), 3)
        if not (pathlib.Path(check.PROGRAM).parent / "unfold-solver").exists():
            blocks = [(words, text) for words, text in blocks if "input " not in text]
        for words, text in blocks:
            with self.subTest(words):
                done = run(*words.split(), cwd=check.ROOT)
                seen = [line for line in done.stdout.splitlines() if not re.match(r"  [0-9.]+ s, ", line)]
                self.assertEqual(seen, text.splitlines(), done.stderr)

    def test_optimal(self):
        for name, traces in self.TRACES.items():
            with self.subTest(name):
                self.counts(family(name + ".unf"), traces=traces, complete=traces, redundant=0, deadlocks=0, errors=0)

    def test_known(self):
        for line in (check.ROOT / "tests" / "golden" / "known.csv").read_text().splitlines():
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


if __name__ == "__main__":
    sys.exit(check.main(globals()))
