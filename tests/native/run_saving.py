#!/usr/bin/env python3
"""unfold --save and --continue: an exploration that is stopped comes to the same end in another
process.

    run_saving.py UNFOLD CALLBACKS-LIBRARY
"""
import json
import mmap
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
from common import linked_with
from failures import FIRST_ENDS  # noqa: E402 (in the folder above)
from interrupts import interrupt, wait_until, wait_until_taken  # noqa: E402 (in the folder above)

PROGRAM = CALLBACKS = None
SAME = ("verdict traces complete blocked deadlocks errors redundant truncated executions events steps races livelocks "
        "collected left_behind reordered threads").split()

DEADLOCK = """
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *left(void *x) {
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&a); pthread_mutex_lock(&b); pthread_mutex_unlock(&b); pthread_mutex_unlock(&a);
  }
  return x;
}
static void *right(void *x) {
  pthread_mutex_lock(&b); pthread_mutex_lock(&a); pthread_mutex_unlock(&a); pthread_mutex_unlock(&b);
  return x;
}
int main(int argc, char **argv) {
  pthread_t t[3];
  for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, i == 1 ? right : left, 0);
  for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
  return argc > 1;
}
"""
# One execution waits until it may go on, so that an interrupt comes in the middle of that one.
WAITING = DEADLOCK.replace("int main(", "static int goes_on(") + """
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
static volatile int *shared; /* how many executions have begun; of which number waits, or -1 */
__attribute__((constructor)) static void share(void) {
  shared = mmap(0, 2 * sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, open(getenv("SHARED"), O_RDWR), 0);
}
int main(int argc, char **argv) {
  const struct timespec little = {0, 1000000};
  if (shared[0]++ == shared[1])
    while (shared[1] != -1) nanosleep(&little, 0);
  return goes_on(argc, argv);
}
"""
# Two threads join a third: the exploration is begun again with their order.
JOINED = """
#include <pthread.h>
#include <semaphore.h>
static pthread_t last;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *quick(void *x) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return x; }
static void *joins(void *x) { quick(x); pthread_join(last, 0); quick(x); return x; }
int main(void) {
  pthread_t t[2];
  pthread_create(&last, 0, quick, 0);
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, joins, 0);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  return 0;
}
"""


def explore(program, *options):
    done = subprocess.run([PROGRAM, "--json", "--atomics", "off", "--probes", "0", *map(str, options), "--", *program],
                          capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr


ATOMICS = """
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static void *a(void *p) { atomic_fetch_add(&x, 1); return (void *)(long)(atomic_exchange(&y, 2) == 7); }
static void *b(void *p) { int v = atomic_fetch_or(&x, 4); atomic_fetch_add(&y, v); return p; }
int main(void) {
  pthread_t t[3];
  for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, i % 2 ? a : b, 0);
  for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
  return 0;
}
"""


# Three data races, of which one is met in a part of the executions.
RACES = """
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int one, two, three;
static void *left(void *x) {
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&a);
    one++;
    pthread_mutex_unlock(&a);
    two++;
  }
  return x;
}
static void *right(void *x) {
  pthread_mutex_lock(&b);
  one++;
  pthread_mutex_unlock(&b);
  pthread_mutex_lock(&a);
  three = one;
  pthread_mutex_unlock(&a);
  two++;
  return x;
}
int main(void) {
  pthread_t t[3];
  for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, i == 1 ? right : left, 0);
  for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
  return 0;
}
"""


class Saving(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        path = pathlib.Path(cls.folder.name)
        cls.programs = {}
        for name, text in (("deadlock", DEADLOCK), ("joined", JOINED), ("atomics", ATOMICS), ("waiting", WAITING)):
            (path / f"{name}.c").write_text(text)
            subprocess.run(["cc", "-g", "-o", path / name, path / f"{name}.c", "-pthread"], check=True)
            cls.programs[name] = [str(path / name)]
        (path / "races.c").write_text(RACES)
        subprocess.run(["cc", "-g", "-O0", "-fsanitize=thread", "-c", path / "races.c", "-o", path / "races.o"], check=True)
        subprocess.run(["cc", "-pthread", path / "races.o", *linked_with(str(CALLBACKS)), "-o", path / "races"], check=True)
        cls.programs["races"] = [str(path / "races")]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.file = self.path / "half"

    def same(self, one, other):
        for key in SAME:
            self.assertEqual(one[key], other[key], key)
        # Numbers of files can be others.
        written = [[dict(defect, schedule=defect["schedule"] and pathlib.Path(defect["schedule"]).read_text())
                    for defect in result["defects"]] for result in (one, other)]
        self.assertEqual(*written)

    def go_on(self, program, *options):
        for i in range(100):
            more = ["--continue", self.file] if i > 0 else []
            status, result, errors = explore(program, "--save", self.file, "--trace-dir", self.path / "two", *more, *options)
            self.assertEqual((errors, result["saved"]), ("", str(self.file)))
            if i > 0:
                self.assertEqual(result["continued"]["times"], i)
            if result["finished"]:
                return status, result
            self.assertEqual(result["stopped"], "executions")
        self.fail("it does not come to an end")

    def chain(self, name, *options, executions=37):
        alone = explore(self.programs[name], "--trace-dir", self.path / "one", *options)
        status, result = self.go_on(self.programs[name], "--max-executions", executions, *options)
        self.assertEqual(status, alone[0])
        self.same(result, alone[1])

    def test_algorithms(self):
        for algorithm in ("qpor", "odpor", "eager", "sdpor"):
            with self.subTest(algorithm=algorithm):
                self.file.unlink(missing_ok=True)
                self.chain("deadlock", "--algorithm", algorithm)

    def test_in_place(self):
        self.chain("deadlock", "--mode", "inprocess")

    def test_levels(self):
        """Where there are none the level is off, which is to be gone on with, too."""
        for level in ("rmw", "all"):
            self.file.unlink(missing_ok=True)
            self.chain("atomics", "--atomics", level, executions=30)

    def test_level_by_default(self):
        """Without --atomics the level is rmw, or off where there is none."""
        program = self.programs["atomics"]
        first = subprocess.run([PROGRAM, "--json", "--save", str(self.file), "--max-executions", "3", "--", *program],
                               capture_output=True, text=True)
        self.assertIn(json.loads(first.stdout)["atomics"]["level"], ("rmw", "off"), first.stderr)
        self.file.rename(self.path / "half")
        rest = subprocess.run([PROGRAM, "--json", "--continue", str(self.path / "half"), "--", *program],
                              capture_output=True, text=True)
        whole = subprocess.run([PROGRAM, "--json", "--atomics", "rmw", "--", *program], capture_output=True, text=True)
        self.assertEqual([json.loads(done.stdout)[key] for done in (rest, whole) for key in ("traces", "executions", "verdict")][:3],
                         [json.loads(whole.stdout)[key] for key in ("traces", "executions", "verdict")])

    def test_races(self):
        """Each is counted in all processes, whichever of them saw it, and has one schedule."""
        for more in ([], ["--mode", "inprocess"], ["--algorithm", "odpor"], ["--races-every", "3"],
                     ["--races-every", "2", "--seed", "4"]):
            with self.subTest(more=more):
                self.file.unlink(missing_ok=True)
                self.chain("races", "--races", *more, executions=7)

    def test_begun_again(self):
        self.chain("joined", executions=11)

    def number(self):
        """Of the file, which is another one whenever something was saved; None: there is none."""
        return os.stat(self.file).st_ino if self.file.exists() else None

    def test_killed(self):
        """At any time when something more was saved; one that has ended is not killed."""
        program = self.programs["deadlock"]
        alone = explore(program, "--trace-dir", self.path)
        draw = random.Random(2)
        for _ in range(25):
            before = self.number()
            more = ["--continue", self.file] if self.file.exists() else []
            child = subprocess.Popen([PROGRAM, "--atomics", "off", "--probes", "0", "--trace-dir", self.path, "--save", self.file,
                                      "--save-every", "0.01", *more, "--", *program], stdout=subprocess.DEVNULL)
            wait_until(child, lambda: self.number() != before)
            time.sleep(draw.uniform(0, 0.03))
            child.kill()
            child.wait()
        status, result, errors = explore(program, "--trace-dir", self.path, "--continue", self.file)
        self.assertEqual((status, errors), (alone[0], ""))
        self.same(result, alone[1])

    def begin(self, program, *options):
        """Goes on in another process, until it is over or a signal comes."""
        more = ["--continue", self.file] if self.file.exists() else []
        return subprocess.Popen([PROGRAM, "--json", "--atomics", "off", "--probes", "0", "--trace-dir", self.path,
                                 "--save", self.file, *more, *options, "--", *program], stdout=subprocess.PIPE, text=True)

    def interrupted(self, program, name, after, *options):
        child = self.begin(program, *options)
        wait_until_taken(child)
        time.sleep(after)
        child.send_signal(getattr(signal, name))
        result = json.loads(child.communicate()[0])
        self.assertTrue(result["finished"] or result["stopped"] == "interrupt")
        if result["saved"] is None:  # it came before there was anything to save
            self.assertIn(result["executions"], (0, None))

    def rest(self, program, *options):
        more = ["--continue", self.file] if self.file.exists() else []
        return explore(program, "--trace-dir", self.path, *more, *options)[1]

    def test_signals(self):
        program = self.programs["deadlock"]
        alone = explore(program, "--trace-dir", self.path)
        for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"):
            self.interrupted(program, name, 0.05)  # often it has begun by then
        self.same(self.rest(program), alone[1])

    def test_signals_reordered(self):
        """What is still to be performed of a trace is, though it was interrupted there: of each
        process in another one of the executions that it begins."""
        program, options = self.programs["waiting"], ("--reorder", "100")
        shared = self.path / "shared"
        shared.write_bytes(bytes(mmap.PAGESIZE))
        os.environ["SHARED"] = str(shared)
        self.addCleanup(os.environ.pop, "SHARED")
        with shared.open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped, memoryview(mapped) as words, words.cast("i") as ints:
            ints[1] = -1
            alone = explore(program, "--trace-dir", self.path, *options)
            for number in range(11):
                ints[0], ints[1] = 0, number
                child = self.begin(program, *options)
                wait_until(child, lambda at=number: ints[0] > at)
                interrupt(child)
                time.sleep(0.01)  # the execution that waits is to end behind that
                ints[1] = -1
                self.assertEqual(json.loads(child.communicate()[0])["stopped"], "interrupt")
            rest = self.rest(program, *options)
        self.assertEqual(rest["continued"]["times"], 11)
        self.same(rest, alone[1])

    def test_limits(self):
        program = self.programs["deadlock"]
        alone = explore(program, "--trace-dir", self.path)
        result = explore(program, "--trace-dir", self.path, "--save", self.file, "--stop-at-first")[1]
        self.assertEqual(result["saved"], str(self.file))
        self.same(explore(program, "--trace-dir", self.path, "--continue", self.file)[1], alone[1])
        # Seconds end it anywhere: at its end, too, and before there is anything to save.
        for seconds in (0.000001, 0.1, 0.3):
            self.file.unlink(missing_ok=True)
            result = explore(program, "--trace-dir", self.path, "--save", self.file, "--max-seconds", seconds)[1]
            self.assertTrue(result["finished"] or result["stopped"] == "seconds")
            self.assertEqual(result["saved"] is not None, self.file.exists())
            more = ["--continue", self.file] if self.file.exists() else []
            self.same(explore(program, "--trace-dir", self.path, *more)[1], alone[1])

    def refused(self, text, program, *options):
        status, result, errors = explore(program, *options)
        self.assertEqual((status, result), (2, None))
        self.assertIn(text, errors)
        self.assertEqual(errors.count("\n"), 1)

    def test_refused(self):
        program, other = self.programs["deadlock"], self.programs["joined"]
        explore(program, "--save", self.file, "--trace-dir", self.path, "--max-executions", 5)
        go_on = ["--continue", self.file]
        self.refused("program is", other, *go_on)
        self.refused("arguments is", program + ["one"], *go_on)
        self.refused("--algorithm is", program, *go_on, "--algorithm", "odpor")
        self.refused("needs --atomics off, rmw or all", program, "--save", self.file, "--atomics", "auto")
        whole = self.file.read_bytes()
        for at in range(0, len(whole), 1 + len(whole) // 40):
            self.file.write_bytes(whole[:at])
            self.refused("byte ", program, *go_on)
            self.file.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1:])
            self.refused(" ", program, *go_on)


if __name__ == "__main__":
    PROGRAM, CALLBACKS = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], failfast=FIRST_ENDS)
