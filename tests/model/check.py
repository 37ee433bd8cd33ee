#!/usr/bin/env python3
"""Runs unfold-model as users do and looks at what comes out.

    check.py UNFOLD_MODEL SOURCE_ROOT SUITE

SUITE is one of: errors, options, results, files, limits, terminal.
"""
import importlib
import json
import os
import pathlib
import pty
import re
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from failures import FIRST_ENDS  # noqa: E402 (in the folder above)
from interrupts import wait_until, wait_until_taken  # noqa: E402

PROGRAM = ROOT = EXPECTED = None
FAMILIES = tempfile.TemporaryDirectory()


def run(*arguments, **keywords):
    keywords.setdefault("timeout", 120)
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, env=environment, **keywords)


def sample(name):
    return ROOT / "examples" / "model" / "programs" / name


def family(name):
    """Writes a program of the families, such as disp-5-2.unf."""
    path = pathlib.Path(FAMILIES.name) / name
    if not path.exists():
        path.write_text(load_module("generate", ROOT / "examples" / "model" / "families").program(name))
    return path


def load_module(name, folder):
    sys.dont_write_bytecode = True
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    return importlib.import_module(name)


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

    def test_many_declarations(self):
        """Names are found without looking at all of them."""
        many = 60000
        names = ", ".join(f"m{i}" for i in range(many))
        self.counts(f"mutex {names}; thread p {{ lock(m{many - 1}); lock(m0); }}", traces=1, events=2)
        values = "".join(f"semaphore s{i} = {i % 2}; " for i in range(many))
        self.counts(f"{values} thread p {{ sem_wait(s{many - 1}); }} thread q {{ trywait(s{many - 2}); }}", traces=1, complete=1)

    def test_missing_and_empty_files(self):
        self.assertEqual(run(self.folder / "missing.unf").returncode, 2)
        self.assertEqual(run(self.folder).returncode, 2)
        self.assertEqual(run(self.write("")).returncode, 2)
        self.assertIn("too large", run("/dev/zero").stderr)
        (self.folder / "zero.unf").write_bytes(b"thread p { }\0")
        self.assertEqual(run(self.folder / "zero.unf").returncode, 2)


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
        some, all_options = (run(option) for option in ("--help", "--help-all"))
        for done, most in ((some, 30), (all_options, 100)):  # the first fits into a terminal
            self.assertEqual(done.returncode, 0)
            lines = done.stdout.splitlines()
            self.assertLessEqual(len(lines), most)
            self.assertLessEqual(max(map(len, lines)), 80)
        self.assertLess(set(some.stdout.splitlines()), set(all_options.stdout.splitlines()))
        done = run("--version")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"^unfold-model \d+\.\d+\.\d+\n$")

    def test_manual_pages(self):
        """The pages have the options of the table, and the words of algorithms and orders."""
        table = (ROOT / "examples" / "common" / "options.def").read_text()
        options = re.findall(r'(?m)^OPTION\(\w+, \w+, "([\w-]+)", "[^"]*", ([\w |]+), ', table)
        self.assertGreater(len(options), 30)
        for page, *words in (("model/unfold-model.1", "MODEL", "INPUTS"), ("native/unfold.1", "NATIVE"), ("llvm/unfold-sym.1", "SYMBOLIC", "INPUTS")):
            text = re.sub(r"\\f.", "", (ROOT / "examples" / page).read_text()).replace("\\-", "-")
            words += ["ALL"] + ["BOTH"] * (words[0] != "SYMBOLIC")
            named = {name for name, programs in options if set(programs.split(" | ")) & set(words)}
            self.assertEqual({n for n in named if f"--{n}" not in text}, set(), page)
            self.assertEqual(set(re.findall(r"(?m)^\.BI? --([a-z][\w-]*)", text)) - named - {"option"}, set(), page)
            elsewhere = ".BR unfold-model (1)" in text  # has the words of orders
            for word in self.words("algorithm") + self.words("order") * (not elsewhere):
                self.assertIn(word, text, page)

    def words(self, option):
        """Those that --help has for an option."""
        text = re.search(rf"  --{option} \w+ +(?:.*by|.*:) (.*) \(", run("--help").stdout).group(1)
        return [word for word in text.split(";")[0].split(", ") if not word.startswith("…")]

    def test_words(self):
        """Each word of the library for an algorithm or an order is one of an option."""
        for option in ("algorithm", "order", "cutoffs"):
            words = self.words(option)
            self.assertGreater(len(words), 2)
            for word in words:
                self.assertEqual(run(f"--{option}={word}", sample("choice.unf")).returncode, 0, word)
            done = run(f"--{option}=nothing", sample("choice.unf"))
            self.assertEqual(done.returncode, 2)
            self.assertIn(", ".join(words), done.stderr)



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

    def test_undefined_behaviour_is_reported(self):
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
                ("semaphore S : 1 = 1; thread p { post(S); } thread q { sem_wait(S); }", "1:", "'S' at its maximum, 1"),
                ("semaphore S = 9223372036854775807; thread p { post(S); } thread q { sem_wait(S); }", "1:", "maximum"),
                ("semaphore S[2] : 3 = 1; thread main { spawn(q); join(q);\npost(S[1]); post(S[1]); } thread q { post(S[0]); post(S[0]); post(S[1]); }",
                 "2:13", "'S' at its maximum, 3"),
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
        """Schedules of executions; those of probes have their steps in another order."""
        done = run("--trace-dir", self.folder / "traces", "--probes=0", *words, sample(name + ".unf"), timeout=60)
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

    def test_replay_of_a_post_at_the_maximum(self):
        path = self.write("semaphore S : 1; thread p { post(S); sem_wait(S); } thread q { post(S); }")
        self.assertEqual(run("--trace-dir", self.folder, "--probes=0", path).returncode, 1)
        done = run("--replay", self.folder / "trace-1.unfs", path)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout.splitlines()[1], r"^ *2 +q +post\(S\) ")
        self.assertIn("run-time error: a post to 'S' at its maximum, 1", done.stdout)

    def test_names_that_are_no_text(self):
        """A name with bytes that are not UTF-8 and with control characters is shown everywhere."""
        raw, shown = b"odd\xff\x1b[2J\n.unf", r"odd\xff\x1b[2J\x0a.unf"
        name = os.path.join(os.fsencode(self.folder), raw)
        with open(name, "wb") as file:
            file.write(sample("abba.unf").read_bytes())
        odd = os.fsencode(self.folder) + b"/\xfe"

        def call(*words, status):
            done = subprocess.run([PROGRAM, *words], capture_output=True, timeout=60)
            self.assertEqual(done.returncode, status, done.stderr)
            for text in (done.stdout.decode(), done.stderr.decode()):
                self.assertNotRegex(text, "[\0-\x09\x0b-\x1f\x7f]")
            return done.stdout.decode() + done.stderr.decode()

        seen = json.loads(call("--json", "--trace-dir", odd, name, status=1))
        self.assertTrue(seen["program"].endswith("/" + shown))
        self.assertTrue(seen["defects"][0]["threads"][0]["place"].endswith(shown + ":6:3"))
        self.assertIn(shown + ": explored", call(name, status=1))
        schedule = odd + b"/trace-1.unfs"
        with open(schedule, "rb") as file:
            self.assertEqual(file.read().decode().splitlines()[1], "program " + shown)
        self.assertIn(shown + ":5:3", call("--replay", schedule, name, status=1))
        seen = json.loads(call("--json", "--replay", schedule, name, status=1))
        self.assertTrue(seen["replay"].endswith(r"/\xfe/trace-1.unfs"))
        self.assertIn(r"this is a schedule of " + shown, call("--replay", schedule, sample("abba.unf"), status=2))
        with open(name, "w") as file:
            file.write("thread p { x }")
        self.assertIn(shown + ":1:12: ", call(name, status=2))
        for words in ([b"\x1b"], [b"--\x1b=3", name], [b"--k=\xff", name], [b"--trace-dir=" + schedule, name], [b"--expect=\x07", name]):
            call(*words, status=2)

    def test_a_long_name_of_a_file(self):
        folder = self.folder
        for _ in range(5):
            folder = folder / ("é" * 120)
        folder.mkdir(parents=True)
        path = folder / "p.unf"
        path.write_text(sample("abba.unf").read_text())
        (defect,) = self.explore(path, status=1)["defects"]
        for thread, line in zip(defect["threads"], (6, 13)):
            self.assertTrue(thread["place"].startswith("…é"), thread["place"])
            self.assertTrue(thread["place"].endswith(f"/p.unf:{line}:3"), thread["place"])

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
        # The first step of the thread that is another one.
        steps = [line for line in text.splitlines() if " acq " in line]
        number = 1 + next(i for i, line in enumerate(steps) if line.startswith("0 "))
        self.assertIn(f"step {number} does not fit", done.stderr)
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
        for words in ("label=\"thread consumer\"", "\"w1 c m\"", "\"timeout c\"", "\"sig c lost\"", "\"sig c consumer\""):
            self.assertIn(words, path.read_text())

    def test_files_that_cannot_be_written(self):
        done = run("--dot", self.folder / "none" / "u.dot", sample("choice.unf"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("u.dot", done.stderr)
        blocker = self.write("", "file")
        done = run("--trace-dir", blocker, sample("abba.unf"))
        self.assertEqual(done.returncode, 2)
        # What was found keeps its status, and is printed.
        folder = self.folder / "a" / "b"
        (folder / "trace-1.unfs").mkdir(parents=True)
        done = run("--trace-dir", folder, sample("abba.unf"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("trace-1.unfs: ", done.stderr)
        self.assertIn("q, which waits for p (1 execution)", done.stdout)

    def test_schedules_do_not_follow_links(self):
        victim = self.folder / "victim"
        victim.write_text("kept")
        folder = self.folder / "new" / "deep"
        folder.mkdir(parents=True)
        (folder / "trace-1.unfs").symlink_to(victim)
        self.assertEqual(run("--trace-dir", folder, sample("abba.unf")).returncode, 1)
        self.assertEqual(victim.read_text(), "kept")
        self.assertFalse((folder / "trace-1.unfs").is_symlink())
        self.assertEqual([path.name for path in folder.iterdir()], ["trace-1.unfs"])

    def test_output_that_cannot_be_written(self):
        self.record("abba")
        schedule = self.folder / "traces" / "trace-1.unfs"
        for words, status in ((["--help"], 3), (["--version"], 3), ([sample("choice.unf")], 3), (["--json", sample("choice.unf")], 3),
                              (["--replay", schedule, sample("abba.unf")], 1), (["--json", "--replay", schedule, sample("abba.unf")], 1)):
            closed = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", PROGRAM, *words], stderr=subprocess.PIPE, text=True)
            outputs = [closed]
            if os.path.exists("/dev/full"):
                with open("/dev/full", "w") as full:
                    outputs.append(subprocess.run([PROGRAM, *words], stdout=full, stderr=subprocess.PIPE, text=True))
            for done in outputs:
                self.assertEqual(done.returncode, status, words)
                self.assertRegex(done.stderr, r"^unfold-model: standard output could not be written: .*\n$")
        # A file that is opened does not take the place of a closed stream.
        dot = self.folder / "u.dot"
        subprocess.run(["sh", "-c", 'exec "$@" >&- 2>&-', "sh", PROGRAM, "--dot", dot, sample("abba.unf")])
        self.assertTrue(dot.read_text().startswith("digraph"))
        # A limit of the size of files is an error of writing.
        for name, status in (("abba", 1), ("choice", 2)):
            done = subprocess.run(["sh", "-c", 'ulimit -f 0; exec "$@"', "sh", PROGRAM, "--dot", dot, sample(name + ".unf")],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertIn("u.dot: ", done.stderr)


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
        self.stopped(large, "--max-seconds=0.3", why="seconds")
        self.stopped(large, "--max-memory=2M", why="memory")
        self.assertEqual(self.stopped(sample("abba.unf"), "--max-memory=1K", why="memory")["traces"], 0)
        self.assertEqual(self.counts(sample("choice.unf"), "--max-executions=12", traces=12)["finished"], True)

    def test_events_given_back(self):
        for name, traces in (("disp-5-3", 1482), ("mpc-3-5", 2958), ("pol-7-3", 2440)):
            for words in ((), ("--order=bfs",), ("--order=random", "--seed=5"), ("--algorithm=odpor",), ("--k=1",)):
                seen = self.counts(family(name + ".unf"), "--collect=2000", *words, traces=traces, finished=True)
                # In random order the sweep may rest at its first leaf to the end, in a small
                # tree: then all events are in nodes that are left.
                if name != "mpc-3-5" or "--order=random" not in words:
                    self.assertGreater(seen["collected"], 0, (name, words))
                if "--k=1" not in words:
                    self.assertEqual(seen["redundant"], 0, (name, words))
        self.assertEqual(self.explore(family("disp-5-3.unf"))["collected"], 0)
        self.assertEqual(self.explore(family("disp-5-3.unf"), "--algorithm=dfs", "--max-executions=10", status=3)["collected"], 0)

    def test_an_execution_without_end(self):
        self.stopped(self.ENDLESS, "--max-seconds=0.3", why="seconds")
        self.stopped(self.ENDLESS, "--max-events=3000", why="events")
        self.stopped(self.ENDLESS, "--max-memory=4M", why="memory")

    def test_a_million_threads(self):
        """One execution of them is long, and each of its steps chooses among all threads."""
        for objects, body, word, why in (
                ("mutex m;", "lock(m); unlock(m);", "--max-seconds=1", "seconds"), ("", "choose(0, 1);", "--max-memory=60M", "memory"),
                ("barrier B = 1000000;", "arrive(B);", "--max-events=20", "events"),
                ("", "int n; while (n < 40000) n = n + 1;", "--max-seconds=0.5", "seconds")):
            with self.subTest(body):
                seen = self.stopped(f"{objects} thread w[i : 1..1000000] {{ {body} }}", word, why=why)
                if why == "memory":
                    self.assertLess(seen["peak_rss_bytes"], 300 << 20)
                if why == "events":
                    self.assertEqual(seen["events"], 20)
        self.counts("thread w[i : 1..999999] { } thread main { choose(0, 1); }", traces=2, complete=2)

    def test_long_executions(self):
        """What is held of a step is what it changed."""
        text = "mutex m[200]; thread main {{ int n; while (n < {}) {{ lock(m[n % 200]); unlock(m[n % 200]); n = n + 1; }} }}"
        few, many = (self.counts(text.format(n), traces=1, events=2 * n)["peak_rss_bytes"] for n in (1000, 21000))
        self.assertLess(many - few, 40000 * 1000)

    def test_stop_at_first(self):
        seen = self.explore(sample("assertion.unf"), "--stop-at-first", "--probes=0", status=1)
        self.assertEqual((seen["finished"], seen["stopped"], seen["errors"]), (False, "first", 1))
        seen = self.explore(sample("assertion.unf"), "--stop-at-first", "--probes=40", status=1)
        self.assertEqual((seen["finished"], seen["stopped"], len(seen["defects"])), (False, "first", 1))
        defect, = seen["defects"]
        self.assertEqual(defect["count"] + defect["probes"], 1)

    def interrupt(self, source, *numbers, saved=None):
        """As soon as interrupts are taken, or when the first execution has been saved."""
        path = source if isinstance(source, pathlib.Path) else self.write(source)
        words = ["--json", "--max-memory=4G"] + ([] if saved is None else ["--save", saved, "--save-every=0.01"])
        process = subprocess.Popen([PROGRAM, *words, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait_until_taken(process)
        if saved is not None:
            wait_until(process, saved.exists)
        for number in numbers:
            process.send_signal(number)
        out, err = process.communicate()
        self.assertEqual(process.returncode, 3, err)
        seen = json.loads(out)
        self.assertEqual([seen["finished"], seen["stopped"]], [False, "interrupt"])
        return seen

    def test_interrupt(self):
        self.assertGreater(self.interrupt(family("mpat-7.unf"), signal.SIGINT, saved=self.folder / "saved")["traces"], 0)
        for numbers in ((signal.SIGTERM,), (signal.SIGHUP,), (signal.SIGQUIT,), (signal.SIGINT, signal.SIGINT),
                        (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGINT)):
            self.interrupt(self.ENDLESS, *numbers)


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
            pass  # how the end of a terminal is reported
        os.close(main)
        child.wait(timeout=60)
        return text.decode()

    def test_progress(self):
        text = self.on_terminal("--max-seconds=0.6", family("mpat-7.unf"))
        self.assertRegex(text, r"\r\d+ executions, \d+/s, 0 redundant, \d+ events, [\d.]+ MB")
        self.assertRegex(text, r" MB, about [\d.e+]+ ± [\d.e+]+ left")
        self.assertRegex(text, r"\r +\r")
        text = self.on_terminal("--max-seconds=0.6", "--probes=0", family("mpat-7.unf"))
        self.assertNotIn("left", text)

    def test_colours(self):
        self.assertIn("\033[", self.on_terminal(sample("abba.unf"), NO_COLOR=""))
        self.assertNotIn("\033[", self.on_terminal(sample("abba.unf"), NO_COLOR="1"))
        self.assertNotIn("\033[", self.on_terminal(sample("abba.unf"), NO_COLOR="", TERM="dumb"))
        self.assertNotIn("\033[", run(sample("abba.unf")).stdout)


def main(suites):
    """Runs one suite of those, a dictionary by names of classes."""
    global PROGRAM, ROOT, EXPECTED
    EXPECTED = os.path.abspath(sys.argv[4]) if len(sys.argv) > 4 else None
    PROGRAM, ROOT, suite = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
    loader = unittest.defaultTestLoader.loadTestsFromTestCase(suites[suite.capitalize()])
    return 0 if unittest.TextTestRunner(failfast=FIRST_ENDS).run(loader).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main(globals()))
