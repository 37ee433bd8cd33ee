#!/usr/bin/env python3
"""--save and --continue: an exploration that is stopped comes to the same end in another process.

    saving.py UNFOLD_MODEL SOURCE_ROOT
"""
import fcntl
import json
import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from failures import FIRST_ENDS  # noqa: E402 (in the folder above)
from interrupts import wait_until, wait_until_taken  # noqa: E402 (in the folder above)

PROGRAM = ROOT = None
# What must be the same in the end.
SAME = ("traces complete blocked deadlocks errors redundant truncated executions events steps races livelocks "
        "collected finished verdict defects").split()
PROGRAMS = "abba assertion broadcast buffer cas-loop check-then-act diners forks lost-wakeup one-signal race trylock timeout".split()
ALGORITHMS = "qpor odpor eager sdpor dfs".split()
# A model with tens of thousands of executions.
again = "lock(m[1]); unlock(m[1]);"
LONG = "shared int s; mutex m[2]; atomic int x;\n" + "".join(
    f"thread t{i} {{ int r; lock(m[0]); r = fetch_add(x, 1); unlock(m[0]); lock(m[1]); unlock(m[1]);"
    f" {again if i < 2 else ''} r = load(x); assert(r != {i + 3}); }}\n" for i in range(4))


def explore(*arguments, **more):
    done = subprocess.run([PROGRAM, "--json", *map(str, arguments)], capture_output=True, text=True, timeout=200, **more)
    return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr


class Saving(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        self.file = self.path / "half"

    def model(self, text):
        path = self.path / "model.unf"
        path.write_text(text)
        return path

    def same(self, one, other):
        for key in SAME:
            self.assertEqual(one[key], other[key], key)

    def go_on(self, model, *arguments, most=400):
        """Until it is finished, always from the same file."""
        for i in range(most):
            more = ["--continue", self.file] if i > 0 else []
            status, result, errors = explore(model, "--save", self.file, *more, *arguments)
            self.assertEqual(errors, "")
            self.assertEqual(result["saved"], str(self.file))
            self.assertGreaterEqual(result["saves"]["count"], 1)
            if i > 0:
                self.assertEqual(result["continued"]["times"], i)
                self.assertEqual(result["continued"]["file"], str(self.file))
            if result["stopped"] is None:
                return status, result
        self.fail("it does not come to an end")

    def test_every_execution(self):
        for name in PROGRAMS:
            model = ROOT / f"examples/model/programs/{name}.unf"
            for algorithm in ALGORITHMS if name in ("abba", "buffer") else ALGORITHMS[:4]:
                options = ["--algorithm", algorithm, "--probes", 0]
                alone = explore(model, *options)
                executions = max(1, alone[1]["executions"] // 9)
                status, result = self.go_on(model, *options, "--max-executions", executions)
                with self.subTest(name=name, algorithm=algorithm):
                    self.assertEqual(status, alone[0])
                    self.same(result, alone[1])

    def test_cutoffs(self):
        """With what was cut off, and the net of what is kept."""
        nets = [self.path / name for name in ("alone.pnml", "gone-on.pnml")]
        for name in "spin ticket peterson".split():
            model = ROOT / f"examples/model/programs/{name}.unf"
            for order, algorithm in (("erv", "qpor"), ("size", "sdpor"), ("erv-strong", "dfs")):
                options = ["--cutoffs", order, "--algorithm", algorithm]
                alone = explore(model, *options, "--pnml", nets[0])
                executions = max(1, alone[1]["executions"] // 9)
                status, result = self.go_on(model, *options, "--max-executions", executions)
                explore(model, *options, "--continue", self.file, "--pnml", nets[1])
                with self.subTest(name=name, order=order, algorithm=algorithm):
                    self.assertEqual(status, alone[0])
                    self.same(result, alone[1])
                    for key in ("cutoffs", "kept", "states"):
                        self.assertEqual(result[key], alone[1][key], key)
                    self.assertEqual(nets[1].read_bytes(), nets[0].read_bytes())

    def test_schedules(self):
        model = ROOT / "examples/model/programs/check-then-act.unf"
        folders = [self.path / "one", self.path / "other"]
        explore(model, "--trace-dir", folders[0], "--probes", 0)
        self.go_on(model, "--trace-dir", folders[1], "--probes", 0, "--max-executions", 1)
        names = sorted(path.name for path in folders[0].iterdir())
        self.assertEqual(names, sorted(path.name for path in folders[1].iterdir()))
        for name in names:
            self.assertEqual((folders[0] / name).read_bytes(), (folders[1] / name).read_bytes())

    def test_executions(self):
        """The file of --executions has those of all processes, each once and in their order."""
        model = ROOT / "examples/model/programs/buffer.unf"
        for algorithm in ALGORITHMS[:4]:
            alone, lines = self.path / "alone", self.path / "lines"
            options = [model, "--algorithm", algorithm, "--probes", 0]
            executions = explore(*options, "--executions", alone)[1]["executions"]
            self.go_on(*options, "--executions", lines, "--max-executions", max(1, executions // 5))
            self.assertEqual(alone.read_bytes(), lines.read_bytes(), algorithm)
        # What was written behind the last save by a process that was killed is written again.
        explore(*options, "--executions", lines, "--save", self.file, "--max-executions", 2)
        half = lines.read_bytes()
        lines.write_bytes(half + alone.read_bytes()[len(half):][:500])
        explore(*options, "--executions", lines, "--continue", self.file)
        self.assertEqual(alone.read_bytes(), lines.read_bytes())
        for damaged in (half[:-1], half[:9] + b"!" + half[10:], b""):
            lines.write_bytes(damaged)
            self.refused("does not begin with the executions before", *options, "--executions", lines)
            self.assertEqual(lines.read_bytes(), damaged)
        self.refused("is no file that can be gone on with", *options, "--executions", "/dev/null")
        explore(*options, "--save", self.file, "--max-executions", 2)
        self.refused("would not have the executions before", *options, "--executions", lines)
        lines.unlink()
        self.refused("No such file", *options, "--executions", lines)
        self.assertFalse(lines.exists())

    def test_page(self):
        model = ROOT / "examples/model/programs/abba.unf"
        explore(model, "--save", self.file)
        page = self.path / "page.html"
        status, result, _ = explore(model, "--continue", self.file, "--report", page)
        self.assertEqual(status, 1)
        self.assertIn('"steps"', page.read_text())

    def number(self):
        """Of the file, which is another one whenever something was saved; None: there is none."""
        return os.stat(self.file).st_ino if self.file.exists() else None

    def test_killed(self):
        """At any time when something more was saved; one that has ended is not killed."""
        model = self.model(LONG)
        alone = explore(model, "--probes", 0)
        draw = random.Random(1)
        for _ in range(40):
            before = self.number()
            more = ["--continue", self.file] if self.file.exists() else []
            child = subprocess.Popen([PROGRAM, model, "--probes", "0", "--save", self.file, "--save-every", "0.01", *more],
                                     stdout=subprocess.DEVNULL)
            wait_until(child, lambda: self.number() != before)
            time.sleep(draw.uniform(0, 0.03))
            child.kill()
            child.wait()
        status, result, errors = explore(model, "--probes", 0, "--continue", self.file)
        self.assertEqual((status, errors), (alone[0], ""))
        self.same(result, alone[1])

    def test_what_killed_processes_left(self):
        """Of a file that was being written; not of one that is."""
        model = ROOT / "examples/model/programs/abba.unf"
        names = [self.path / f".unfold-{i}.tmp" for i in range(4)]
        for name in names:
            name.write_text("half")
        names[3].unlink()
        names[3].mkdir()
        with open(names[1]) as written:
            fcntl.flock(written, fcntl.LOCK_EX)
            explore(model, "--save", self.file)
        self.assertEqual(sorted(path.name for path in self.path.iterdir()),
                         sorted([names[1].name, names[3].name, "half"]))
        self.assertEqual(names[1].read_text(), "half")
        explore(model, "--continue", self.file, "--save", self.file)
        self.assertFalse(names[1].exists())

    def test_signals(self):
        model = self.model(LONG)
        alone = explore(model, "--probes", 0)
        for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"):
            more = ["--continue", self.file] if self.file.exists() else []
            child = subprocess.Popen([PROGRAM, "--json", model, "--probes", "0", "--save", self.file, *more],
                                     stdout=subprocess.PIPE, text=True)
            wait_until_taken(child)
            time.sleep(0.02)  # often it has begun by then
            child.send_signal(getattr(signal, name))
            result = json.loads(child.communicate()[0])
            self.assertTrue(result["finished"] or result["stopped"] == "interrupt")
            if result["saved"] is None:  # it came before there was anything to save
                self.assertIn(result["executions"], (0, None))
        more = ["--continue", self.file] if self.file.exists() else []
        self.same(explore(model, "--probes", 0, *more)[1], alone[1])

    def test_limits(self):
        model = self.model(LONG)
        alone = explore(model, "--probes", 0)
        for limit in (["--max-memory", "3M"], ["--max-executions", 100], ["--stop-at-first"]):
            self.file.unlink(missing_ok=True)
            status, result, errors = explore(model, "--probes", 0, "--save", self.file, *limit)
            self.assertEqual(errors, "")
            self.assertFalse(result["finished"])
            result = explore(model, "--probes", 0, "--continue", self.file)[1]
            with self.subTest(limit=limit):
                self.same(result, alone[1])
        # All events are kept with this one, so that other numbers are counted.
        alone = explore(model, "--probes", 0, "--collect", 0)
        self.file.unlink()
        result = explore(model, "--probes", 0, "--save", self.file, "--max-events", 500)[1]
        self.assertEqual(result["stopped"], "events")
        self.same(explore(model, "--probes", 0, "--collect", 0, "--continue", self.file)[1], alone[1])

    def test_seconds(self):
        """Wherever they end it: at its end, too, and before there is anything to save."""
        model = self.model(LONG)
        alone = explore(model, "--probes", 0)
        for seconds in (0.000001, 0.01, 0.03, 0.1):
            self.file.unlink(missing_ok=True)
            result = explore(model, "--probes", 0, "--save", self.file, "--max-seconds", seconds)[1]
            self.assertTrue(result["finished"] or result["stopped"] == "seconds")
            self.assertEqual(result["saved"] is not None, self.file.exists())
            more = ["--continue", self.file] if self.file.exists() else []
            self.same(explore(model, "--probes", 0, *more)[1], alone[1])

    def test_sampled(self):
        model = self.model(LONG)
        for algorithm in ("random", "pct"):
            options = ["--algorithm", algorithm, "--seed", 3]
            alone = explore(model, *options)
            result = self.go_on(model, *options, "--max-executions", 170)[1]
            self.same(result, alone[1])
            self.assertEqual(result["sampled"], alone[1]["sampled"])

    def test_said(self):
        model = ROOT / "examples/model/programs/abba.unf"
        said = [subprocess.run([PROGRAM, model, "--save", self.file, *more], capture_output=True, text=True).stdout
                for more in ([], ["--continue", self.file])]
        self.assertIn(f"saved in {self.file}: --continue goes on from there", said[0])
        self.assertRegex(said[0], r"\n  1 save took \d\.\d{3} s\n")
        self.assertNotIn("continued from", said[0])
        self.assertIn(f"continued from {self.file}: ", said[1])

    def refused(self, text, *arguments, saved=True):
        before = self.file.read_bytes() if self.file.exists() else None
        more = ["--continue", self.file] if saved else []
        status, result, errors = explore(*arguments, *more)
        self.assertEqual((status, result), (2, None))
        self.assertIn(text, errors)
        self.assertEqual(errors.count("\n"), 1)
        self.assertEqual(before, self.file.read_bytes() if before is not None else None)

    def test_refused(self):
        model = ROOT / "examples/model/programs/abba.unf"
        other = ROOT / "examples/model/programs/diners.unf"
        self.refused("No such file", model)
        explore(model, "--save", self.file, "--max-executions", 1)
        self.refused("saved for something else: program is", other, "--save", self.file)
        self.refused('--algorithm is "odpor", and was "qpor"', model, "--algorithm", "odpor")
        self.refused("--ifaa is true, and was false", model, "--ifaa")
        self.refused("--bound is 3", model, "--bound", 3)
        self.refused("only with --order dfs: of others", model, "--order", "bfs")
        self.refused('--cutoffs is "erv", and was "none"', model, "--cutoffs", "erv")
        self.refused("not with --replay", model, "--replay", self.file)
        self.refused("only with --save", model, "--save-every", 3, saved=False)
        self.file.write_text("hello\n")
        self.refused("byte 0: no saved exploration", model)
        self.file.write_text("unfold-saved 2 3\n")
        self.refused("another version", model)

    def test_damaged(self):
        model = ROOT / "examples/model/programs/abba.unf"
        explore(model, "--save", self.file, "--max-executions", 1)
        whole = self.file.read_bytes()
        for at in range(0, len(whole), 17):
            self.file.write_bytes(whole[:at])
            self.refused("byte ", model)
            self.file.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1:])
            self.refused(" ", model)
        self.file.write_bytes(whole + b"!")
        self.refused("something stands behind", model)

    def test_not_written(self):
        model = ROOT / "examples/model/programs/diners.unf"
        status, result, errors = explore(model, "--save", "/nowhere/file", "--max-executions", 1)
        self.assertEqual((status, result["saved"]), (2, None))
        self.assertIn("/nowhere/file: No such file", errors)
        explore(model, "--save", self.file, "--max-executions", 1, "--probes", 0)
        before = self.file.read_bytes()
        full = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))
        status, result, errors = explore(model, "--save", self.file, "--continue", self.file, "--probes", 0, preexec_fn=full)
        self.assertIn("File too large", errors)
        self.assertTrue(result["finished"])
        self.assertIsNone(result["saved"])
        self.assertEqual(before, self.file.read_bytes())
        self.assertEqual([path.name for path in self.path.iterdir()], ["half"])


if __name__ == "__main__":
    PROGRAM, ROOT = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], failfast=FIRST_ENDS)
