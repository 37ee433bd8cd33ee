#!/usr/bin/env python3
"""--save and --continue of several workers of unfold, and what they write of a defect.

    run_journal.py UNFOLD CASES-FOLDER [--kills N]

The launcher is killed at random moments, each time after it has committed something: what is gone
on with comes to what it comes to undisturbed."""
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from failures import FIRST_ENDS  # noqa: E402 (in the folder above)
from interrupts import wait_until_taken  # noqa: E402 (in the folder above)
from journal import committed, segments  # noqa: E402
from together import together  # noqa: E402

UNFOLD = CASES = None
KILLS = 20
CC = os.environ.get("CC", "cc").split()
SAME = "traces complete blocked deadlocks errors redundant executions finished livelocks races left_behind uncontrolled stopped".split()
QUICK = ("--atomics", "off", "--mode", "inprocess", "--reorder", "0")


class Journal(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.journal = self.path / "journal"
        # What a launcher that is killed leaves of its workers is removed with the rest.
        self.environment = os.environ | {"TMPDIR": folder.name}

    def program(self, threads):
        name = self.path / f"cases-{threads}"
        subprocess.run([*CC, "-g", "-O0", "-pthread", f"-DTHREADS={threads}", f"{CASES}/jobs_cases.c", "-o", name], check=True)
        return [name]

    def begin(self, program, *options):
        return subprocess.Popen([UNFOLD, "--json", *QUICK, *together(options), "--", *program], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, env=self.environment)

    def explore(self, program, *options):
        child = self.begin(program, *options)
        output, errors = child.communicate(timeout=300)
        self.assertTrue(output, errors)
        return child.returncode, json.loads(output), errors

    def alone(self, program, *more):
        return self.explore(program, "--algorithm", "odpor", "--probes", 0, "--trace-dir", self.path / "alone", *more)[1]

    def written(self, result):
        return sorted((d["kind"], d["count"], d["text"], pathlib.Path(d["schedule"]).read_text()) for d in result["defects"])

    def same(self, result, alone):
        for key in SAME:
            self.assertEqual(result[key], alone[key], key)
        self.assertEqual(self.written(result), self.written(alone))

    def go_on(self):
        return ("--continue", self.journal) if segments(self.journal) else ()

    def one_start(self, program, delay, workers, *more, again=False):
        """Begins or goes on, and is killed some time after something more counts. Its result, if it
        came to its end before. `again`: it may begin again, and the journal with it, so that less
        counts than did."""
        before = committed(self.journal)
        child = self.begin(program, "--jobs", workers, "--save", self.journal, *self.go_on(), "--trace-dir", self.path / "traces", *more)
        while child.poll() is None and committed(self.journal) <= before:
            time.sleep(0.002)
        try:
            output, errors = child.communicate(timeout=delay if child.poll() is None else None)
            self.assertEqual(errors, "")
            return json.loads(output)
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
        if not again:
            self.assertGreater(committed(self.journal), before)
        return None

    def test_killed(self):
        program = self.program(4)
        alone = self.alone(program)
        self.assertEqual((alone["traces"], len(alone["defects"])), (27480, 2))
        draw = random.Random(1)
        kills = ends = 0
        while kills < KILLS or ends == 0:
            result = self.one_start(program, draw.uniform(0, 0.1) if kills < KILLS else 300, 1 + kills % 3)
            if result is None:
                kills += 1
                continue
            ends += 1
            self.same(result, alone)
            # It is gone on with by any number, also by none, and then there is nothing to do.
            again = self.explore(program, "--continue", self.journal, "--trace-dir", self.path / "traces")[1]
            self.same(again, alone)
            self.assertEqual(sum(w["executions"] for w in again["jobs"]["workers"]), 0)
            for path in segments(self.journal):
                path.unlink()
            # What those that were killed left is gone.
            self.assertEqual(list(self.path.glob("unfold-*")), [])

    def test_begun_again(self):
        """What is known of the program is gone on with, too."""
        program = self.program(3) + ["joined"]
        alone = self.alone(program)
        self.assertEqual(alone["restarts"], 1)
        for delay in (0, 0.05, 0.2, 300):
            result = self.one_start(program, delay, 2, again=True)
            if result is not None:
                break
        self.same(result, alone)
        self.assertEqual(result["restarts"], 1)
        self.assertEqual(result["unseen"], alone["unseen"])

    def test_ended(self):
        """Limits and interrupts."""
        program = self.program(4)
        alone = self.alone(program)
        _, result, _ = self.explore(program, "--jobs", 2, "--save", self.journal, "--max-executions", 500, "--trace-dir", self.path / "traces")
        self.assertEqual((result["executions"], result["stopped"], result["saved"]), (500, "executions", str(self.journal)))
        child = self.begin(program, "--jobs", 2, "--save", self.journal, "--continue", self.journal, "--trace-dir", self.path / "traces")
        wait_until_taken(child)
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=100)
        _, result, errors = self.explore(program, "--jobs", 3, "--continue", self.journal, "--trace-dir", self.path / "traces")
        self.assertEqual((errors, result["continued"]["times"]), ("", 2))
        self.same(result, alone)

    def test_torn(self):
        """Of what is torn at the end what is whole counts; what is damaged is refused."""
        program = self.program(3)
        alone = self.alone(program)
        self.explore(program, "--jobs", 2, "--save", self.journal, "--trace-dir", self.path / "traces")
        path, = segments(self.journal)
        whole, draw = path.read_bytes(), random.Random(2)
        head = 0
        for _ in range(3):
            head += 24 + int.from_bytes(whole[head:head + 8], "little")
        for i in range(4):
            path.write_bytes(whole[:draw.randint(head, len(whole))] + bytes(draw.randrange(256) for _ in range(draw.choice((0, 9, 100)))))
            self.same(self.explore(program, "--jobs", 2, "--continue", self.journal, "--trace-dir", self.path / "traces")[1], alone)
        for at in (0, 30, head - 1):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
            self.refused("damaged", program, "--continue", self.journal)

    def refused(self, words, program, *options):
        done = subprocess.run([UNFOLD, "--json", *QUICK, *together(options), "--", *program], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, words in done.stderr), (2, "", True), done.stderr)

    def test_refused(self):
        program = self.program(3)
        self.refused("no journal", program, "--jobs", 2, "--continue", self.path)
        self.refused("--jobs: not with --save-every", program, "--jobs", 2, "--save", self.journal, "--save-every", 1)
        self.explore(program, "--jobs", 2, "--save", self.journal)
        self.refused("saved for something else", self.program(2), "--continue", self.journal)
        file = self.path / "file"
        file.write_text("")
        status, result, errors = self.explore(program, "--jobs", 2, "--save", file)
        self.assertEqual((status, result["saved"]), (1, None))
        self.assertIn(str(file), errors)

    def test_least(self):
        """A defect is written by the same trace, in the same order, whoever found it."""
        program = self.program(3)
        alone = self.written(self.alone(program))
        self.assertEqual(len(alone), 2)
        for number, how in enumerate((("--algorithm", "qpor"), ("--algorithm", "eager"), ("--jobs", 1), ("--jobs", 2), ("--jobs", 3),
                                      ("--jobs", 2, "--mode", "fork"))):
            with self.subTest(how=how):
                result = self.explore(program, *how, "--trace-dir", self.path / str(number))[1]
                self.assertEqual(self.written(result), alone)
                self.assertEqual(len(os.listdir(self.path / str(number))), 2)
        done = subprocess.run([UNFOLD, "--replay", result["defects"][0]["schedule"], "--", *program], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)


if __name__ == "__main__":
    UNFOLD, CASES = (os.path.abspath(path) for path in sys.argv[1:3])
    if sys.argv[3:4] == ["--kills"]:
        KILLS = int(sys.argv[4])
        del sys.argv[3:5]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], failfast=FIRST_ENDS)
