#!/usr/bin/env python3
"""purity.py UNFOLD_MODEL SOURCE_ROOT PROGRAMS: --purity on programs with known counts, and on
random ones, whose assertions, run-time errors and races it must leave as they are."""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ROOT = PROGRAMS = None
TRIES = [("trylock(m0)", "unlock(m0);"), ("trylock(m1)", "unlock(m1);"), ("timedlock(m1)", "unlock(m1);"), ("tryrdlock(L)", "unlock(L);"),
         ("trywrlock(L)", "unlock(L);"), ("trywait(S)", "post(S);"), ("cas(x, 0, 1)", "store(x, 0);"), ("cas(y[0], 1, 2)", "store(y[0], 1);")]


def section(r, n):
    return r.choice(["s = s + 1;", f"assert(s != {r.randrange(4)});", f"int k{n} = s; assert(k{n} != {r.randrange(3)});", "",
                     f"t[{r.randrange(2)}] = s;", "u = u + 1;"])


def loop(r, n, depth=0):
    (take, give), (other, back) = r.choice(TRIES), r.choice(TRIES)
    inside = section(r, n)
    kind = r.randrange(8 if depth == 0 else 7)
    if kind == 0:
        return f"int a{n} = 0; while (a{n} == 0) a{n} = {take}; {inside} {give}"
    if kind == 1:
        then = r.choice(["break;", "continue;", "s = s + 1;", ""])
        return (f"while (1) {{ int a{n} = {take}; if (a{n}) {{ {inside} {give} break; }} "
                f"int b{n} = {other}; if (b{n}) {{ {back} {then} }} }}")
    if kind == 2:
        extra = r.choice(["", f"int y{n} = s;", f"assert(c{n} < 3);"])
        return (f"int c{n}; while (c{n} < 2) {{ int a{n} = {take}; if (a{n} != 0) {{ {inside} {give} c{n} = c{n} + 1; }} {extra} }}")
    if kind == 3:
        extra = r.choice(["", f"int x{n} = choose(0, 1); if (x{n}) break;"])
        return (f"int d{n} = 1, e{n}; while (d{n} && (e{n} == 0 || d{n} > 1)) {{ e{n} = {take}; {extra} "
                f"if (e{n} > 0) {{ {give} d{n} = 0; }} }} assert(e{n} != {r.randrange(2)} || d{n});")
    if kind == 4:
        extra = r.choice(["", f"assert(f{n} == 0);"])
        return (f"int f{n} = {take}; while (!f{n}) {{ int g{n} = {other}; if (g{n}) {{ {back} }} "
                f"else {{ f{n} = {take}; {extra} }} }} {inside} {give}")
    if kind == 5:
        return (f"while (1) {{ int a{n} = {take}; int b{n} = {other}; if (a{n}) {{ {give} }} if (b{n}) {{ {back} }} "
                f"if (a{n} && b{n}) break; if (a{n} || b{n}) s = s + {r.randrange(2)}; }}")
    if kind == 6:
        load = r.choice(["load(x)", f"load(y[{r.randrange(2)}])", "exchange(x, 1)", "fetch_add(x, 0)"])
        test = r.choice([f"a{n} == {r.randrange(3)}", f"a{n} > {r.randrange(2)}", f"a{n} != 0", f"a{n} == 1 || a{n} > 2"])
        return r.choice([f"while (1) {{ int a{n} = {load}; if ({test}) break; }} {inside}",
                         f"int a{n}, i{n}; while (!({test}) && i{n} < 5) {{ a{n} = {load}; }} assert(a{n} != {r.randrange(3)});",
                         f"int i{n}; while (i{n} < 2) {{ int a{n} = {load}; int b{n} = load(y[1]); if ({test}) i{n} = i{n} + 1; "
                         f"assert(a{n} + b{n} != {r.randrange(4)}); }}",
                         f"while (1) {{ int e{n} = load(x); int r{n} = cas(x, e{n}, e{n} + 1); if (r{n}) break; }}"])
    return f"int z{n}; while (z{n} < 1) {{ {loop(r, n + 10, 1)} int a{n} = {take}; if (a{n}) {{ {give} z{n} = 1; }} }}"


def item(r, n):
    if r.random() < 0.7:
        return loop(r, n)
    mutex = r.randrange(2)
    if r.random() < 0.5:
        return r.choice(["store(x, 1);", "store(y[0], 1); store(y[0], 2);", "fetch_add(x, 1);", "store(y[1], 1);", "exchange(x, 2);",
                         "timedfutexwait(x, 0);", "futex_wake(x, 1);", f"int w{n} = futex_wait(x, 0); assert(w{n} != {r.randrange(2)});"])
    return f"lock(m{mutex}); {section(r, n)} unlock(m{mutex});"


def program(seed):
    r = random.Random(seed)
    threads = 3 if r.random() < 0.25 else 2
    bodies = [" ".join(item(r, j) for j in range(2 if r.random() < 0.4 else 1)) for _ in range(threads)]
    text = f"mutex m0, m1; rwlock L; semaphore S = {r.randrange(2)}; shared int s, t[2], u; atomic int x, y[2] = 1; "
    text += " ".join(f"thread p{i} {{ {body} }}" for i, body in enumerate(bodies))
    return text.replace("; ", ";\n")


class Purity(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def explore(self, source, *words):
        path = source
        if not isinstance(source, pathlib.Path):
            path = self.folder / "p.unf"
            path.write_text(source)
        done = subprocess.run([PROGRAM, "--json", "--max-executions=30000", *words, path], capture_output=True, text=True, timeout=120)
        self.assertIn(done.returncode, (0, 1, 3), done.stderr)
        self.listing = done.stderr
        return json.loads(done.stdout)

    def pure(self, source, traces, awaits, stops, *words, **expected):
        seen = self.explore(source, "--purity=list", *words)
        self.assertTrue(seen["finished"])
        self.assertEqual((seen["traces"], seen["purity"]["awaits"], seen["purity"]["stops"]), (traces, awaits, stops), self.listing)
        self.assertEqual({k: seen[k] for k in expected}, expected)
        return seen

    def test_tries_become_locks(self):
        for declared, take, give in (("mutex x;", "trylock(x)", "unlock(x);"), ("mutex x;", "timedlock(x)", "unlock(x);"),
                                     ("rwlock x;", "trywrlock(x)", "unlock(x);"), ("semaphore x = 1;", "trywait(x)", "post(x);")):
            for loop in (f"int r; while (!r) r = {take};", f"while (1) {{ int r = {take}; if (r) break; }}",
                f"int r = 0, n; while (r == 0 && n == 0) r = {take};"):
                with self.subTest(loop):
                    self.pure(f"{declared} thread w[i : 1..3] {{ {loop} {give} }}", 6, 1, 0, complete=6, redundant=0)
        self.pure("rwlock x; thread w[i : 1..3] { int r; while (!r) r = tryrdlock(x); unlock(x); }", 1, 1, 0)

    def test_spinning_on_atomics(self):
        for text, traces in (("thread p { store(x, 1); } thread q { while (1) { int a = load(x); if (a == 1) break; } }", 1),
                             ("thread p { store(y[1], 7); } thread q { while (1) { int i = 1; int a = load(y[i]); if (a > 6) break; } }", 1),
                             ("thread w[i : 1..3] { while (1) { int o = exchange(x, 1); if (o == 0) break; } store(x, 0); }", 6),
                             ("thread w[i : 1..3] { while (1) { int o = exchange(x, i); if (o != i) break; } }", None),
                             ("thread w[i : 1..3] { while (1) { int r = cas(x, 0, i); if (r) break; } store(x, 0); }", 6)):
            with self.subTest(text):
                text = "atomic int x, y[2]; " + text
                self.pure(text, traces or self.explore(text, "--bound=9")["traces"], 1, 0, deadlocks=0)
        self.pure("atomic int x; thread p { store(x, 2); } thread q { int a; while (a != 1) a = load(x); }", 1, 1, 0, deadlocks=1)
        self.pure("atomic int x; thread w[i : 1..2] { while (1) { int e = load(x); int r = cas(x, e, e + 1); if (r) break; } }", 4, 0, 1,
                  complete=2, deadlocks=0)
        self.pure("atomic int x, y; thread p { store(y, 1); } thread q { while (1) { int b = load(y); if (b) break; int a = load(x); "
                  "if (a == 1) break; } }", 2, 0, 1, complete=1, deadlocks=0)

    def test_what_waits_for_ever_is_reported(self):
        self.pure("mutex m; thread p { lock(m); } thread q { int r; while (!r) r = trylock(m); unlock(m); }", 2, 1, 0, deadlocks=1)
        self.pure("mutex m, n; thread p { lock(m); lock(n); } thread q { while (1) { int r = trylock(m); if (r) break;"
                         " r = trylock(n); if (r) break; } }", 3, 0, 1, deadlocks=2, blocked=3)

    def test_not_pure(self):
        for loop, word in (("int n, r; while (!r) { n = n + 1; r = trylock(m); } s = n;", "changes its value"),
                           ("int r; while (!r) { lock(o); r = trylock(m); unlock(o); }", "what others can see"),
                           ("int r; while (!r) { futex_wake(x, 1); r = trylock(m); }", "effect of futex_wake"),
                           ("int r; while (!r) r = futex_wait(x, 0);", "effect of futex_wait"),
                           ("int r; while (!r) { r = trylock(m); s = 1; }", "what others can see")):
            seen = self.explore(f"mutex m, o; shared int s; atomic int x = 1; thread p {{ {loop} }}", "--purity=list")
            self.assertEqual((seen["purity"]["awaits"], seen["purity"]["stops"]), (0, 0), self.listing)
            self.assertIn(word, self.listing)

    def test_errors_are_kept(self):
        seen = self.explore("thread p { while (1) ; }", "--purity=on")
        self.assertEqual(seen["defects"][0]["kind"], "runtime")
        seen = self.explore("mutex m; shared int s; thread p { lock(m); s = 1; unlock(m); } thread q { int r; while (!r) { r = trylock(m); "
                            "int y = s; } unlock(m); }", "--purity=on")
        self.assertEqual({d["kind"] for d in seen["defects"]}, {"race"})

    def test_sample(self):
        path = ROOT / "examples" / "model" / "programs" / "spin.unf"
        self.assertEqual([self.explore(path, f"--bound={n}")["traces"] for n in (2, 3)], [227, 630])
        self.pure(path, 30, 1, 1, complete=26, errors=4, events=128)

    def test_schedules_are_replayed(self):
        text = "mutex m; thread p { lock(m); } thread q { int r; while (!r) r = trylock(m); assert(0); }"
        seen = self.explore(text, "--purity=on", f"--trace-dir={self.folder}")
        (name,) = {d["schedule"] for d in seen["defects"] if d["kind"] == "assertion"}
        again = self.explore(text, "--purity=on", f"--replay={self.folder / name}")
        self.assertEqual([d["kind"] for d in again["defects"]], ["assertion"])
        self.assertEqual(again["purity"]["awaits"], 1)

    def test_random_programs(self):
        compared = fewer = awaits = stops = found = 0
        for seed in range(PROGRAMS):
            text = program(seed)
            with self.subTest(seed=seed, text=text):
                before = self.explore(text, "--bound=3")
                after = self.explore(text, "--bound=3", "--purity=on")
                if not before["finished"] or not after["finished"]:
                    continue
                # What a program with a race does depends on the order of what nothing orders.
                if before["races"] > 0:
                    one, two = ({tuple(sorted(t["place"] for t in d["threads"])) for d in seen["defects"] if d["kind"] == "race"}
                                for seen in (before, after))
                else:
                    one, two = ({(d["kind"], t["place"]) for d in seen["defects"] if d["kind"] in ("assertion", "runtime")
                                 for t in d["threads"]} for seen in (before, after))
                self.assertEqual(one, two)
                self.assertLessEqual(after["traces"], before["traces"])
                compared += 1
                found += len(one)
                fewer += after["traces"] < before["traces"]
                awaits += after["purity"]["awaits"]
                stops += after["purity"]["stops"]
        for number, share in ((compared, 2), (fewer, 6), (awaits, 4), (stops, 2), (found, 8)):
            self.assertGreater(number * share, PROGRAMS)


def main():
    global PROGRAM, ROOT, PROGRAMS
    PROGRAM, ROOT, PROGRAMS = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve(), int(sys.argv[3])
    loader = unittest.defaultTestLoader.loadTestsFromTestCase(Purity)
    return 0 if unittest.TextTestRunner().run(loader).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
