#!/usr/bin/env python3
"""--jobs of unfold-model: with any number of workers it comes to what it comes to without, also
when workers are killed; limits, signals, schedules, and what is refused.

    jobs.py UNFOLD_MODEL ROOT [--kills N]
    jobs.py UNFOLD_MODEL ROOT --known FAMILIES-FOLDER
"""
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from failures import FIRST_ENDS  # noqa: E402 (in the folder above)
from interrupts import wait_until  # noqa: E402 (in the folder above)
from journal import committed, segments  # noqa: E402
from known import known  # noqa: E402
from together import together  # noqa: E402

PROGRAM = ROOT = None
SAME = "traces complete blocked deadlocks errors redundant executions finished stopped verdict livelocks races".split()
PROGRAMS = ("abba assertion broadcast buffer cas-loop check-then-act choice diners forks futex-mutex futex-wakeup handshake "
            "lost-wakeup one-signal phases pipeline pipeline-broken race readers runtime ticket timeout trylock upgrade").split()
# One that takes a while, with defects in many executions.
LONG = "shared int s; mutex m[2]; atomic int x;\n" + "".join(
    f"thread t{i} {{ int r; lock(m[0]); r = fetch_add(x, 1); unlock(m[0]); lock(m[1]); unlock(m[1]);"
    f" r = load(x); assert(r != {i + 3}); }}\n" for i in range(4))
# Two assertions, and a race, in three threads.
RACY = "shared int s; mutex m[2]; atomic int x;\n" + "".join(
    f"thread t{i} {{ int r; lock(m[0]); r = fetch_add(x, 1); unlock(m[0]); lock(m[1]); unlock(m[1]); r = load(x); {end} }}\n"
    for i, end in enumerate(("assert(r != 3);", "assert(r != 2); s = 1;", "r = s;")))
# One that takes longer.
LONGER = LONG.replace("assert(r != 3);", "assert(r != 3); r = fetch_add(x, 1);")
# Several assertions, each for some inputs.
INPUTS = "input int x : 0..9, y : 0..9; mutex m; atomic int a;\n" + "".join(
    f"thread t{i} {{ int r; lock(m); r = fetch_add(a, 1); unlock(m); if (x + {i} < y) {{ lock(m); unlock(m); assert(r != {i} || x != {i}); }} }}\n"
    for i in range(3))
# Elements that only inputs keep apart, which decide what is done next.
APART = ("input int f : 0..2, t : 0..2, g : 0..2; mutex m[3]; shared int a[3];\n"
         "thread one { lock(m[f]); a[f] = a[f] + 1; unlock(m[f]); }\n"
         "thread two { int r; lock(m[g]); r = a[g]; unlock(m[g]); if (r > 0) { lock(m[t]); unlock(m[t]); } }\n")
# The coordinator is killed so often.
KILLS = 20
# One without an end in sight: 12 threads at one mutex.
ENDLESS = "mutex m;\n" + "".join(f"thread t{i} {{ lock(m); unlock(m); }}\n" for i in range(12))


def explore(*arguments, **more):
    done = subprocess.run([PROGRAM, "--json", *together(arguments)], capture_output=True, text=True, timeout=300, **more)
    return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr


def defects(result):
    """Of threads that do the same the one is named whose execution came first: without names."""
    return sorted((d["kind"], d["count"], d["text"] or "",
                   json.dumps([{key: value for key, value in thread.items() if key != "thread"} for thread in d["threads"]]))
                  for d in result["defects"])


def begun(result):
    """Which workers there were: each says at its end how much memory it took."""
    return [worker["peak_rss_bytes"] > 0 for worker in result["jobs"]["workers"]]


def workers_of(process):
    try:
        return [int(word) for word in pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except OSError:
        return []


class Jobs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def model(self, text):
        path = self.path / "model.unf"
        path.write_text(text)
        return path

    def same(self, one, other, ended=True):
        for key in SAME:
            self.assertEqual(one[key], other[key], key)
        # A run-time error or a race ends an exploration: how much was explored before is left open.
        if ended:
            self.assertEqual(defects(one), defects(other))

    def begin(self, model, *arguments):
        """Its children are to be workers: in a build with sanitizers the search for leaks is one,
        too, and if it is killed the program waits for it for ever."""
        options = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        return subprocess.Popen([PROGRAM, "--json", model, *together(arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env=os.environ | {"ASAN_OPTIONS": options})

    def test_programs(self):
        for name in PROGRAMS:
            path = ROOT / "examples/model/programs" / f"{name}.unf"
            alone = explore(path, "--algorithm", "odpor", "--probes", 0)
            for count in (1, 2, 3):
                with self.subTest(program=name, workers=count):
                    status, result, _ = explore(path, "--jobs", count)
                    self.assertEqual(status, alone[0])
                    if alone[1]["stopped"] is None:
                        self.same(result, alone[1])
                        self.assertEqual(len(result["jobs"]["workers"]), count)
                        self.assertEqual(sum(w["executions"] for w in result["jobs"]["workers"]), result["executions"])
                    else:
                        self.assertEqual(result["stopped"], alone[1]["stopped"])

    def test_short(self):
        """What is short the first worker explores, if that is said, and nothing was done before."""
        path, journal = ROOT / "examples/model/programs/abba.unf", self.path / "journal"
        status, result, _ = explore(path, "--jobs", 2, "--worker-delay", 100000)
        self.assertEqual([w["executions"] for w in result["jobs"]["workers"]], [result["executions"], 0])
        self.assertEqual(begun(result), [True, False])
        self.same(result, explore(path, "--algorithm", "odpor", "--probes", 0)[1])
        self.assertEqual(begun(explore(path, "--jobs", 2, "--worker-delay", 0)[1]), [True, True])
        unsaid = subprocess.run([PROGRAM, "--json", "--jobs", "2", path], capture_output=True, text=True)
        self.assertEqual(begun(json.loads(unsaid.stdout)), [True, True])
        self.assertEqual(explore(path, "--worker-delay", 1)[0], 2)
        path = self.path / "long.unf"
        path.write_text(LONG)
        stopped = explore(path, "--jobs", 2, "--worker-delay", 0, "--save", journal, "--max-executions", 40)[1]
        self.assertEqual(stopped["stopped"], "executions")
        result = explore(path, "--jobs", 2, "--worker-delay", 100000, "--continue", journal)[1]
        self.assertEqual(begun(result), [True, True])
        self.same(result, explore(path, "--algorithm", "odpor", "--probes", 0)[1])

    def test_families(self):
        for name, traces, *more in (("disp-5-2", 137), ("casw-4", None), ("ssb3-3-2", None), ("adds-6-3", None),
                                    ("spinners-3", 75, "--bound", 2)):
            path = ROOT / "examples/model/families" / f"{name}.unf"
            alone = explore(path, "--algorithm", "odpor", "--probes", 0, *more)[1]
            if traces is not None:
                self.assertEqual(alone["traces"], traces)
            for count in (1, 2, 4):
                with self.subTest(family=name, workers=count):
                    self.same(explore(path, "--jobs", count, *more)[1], alone)

    def test_killed(self):
        """A worker that dies costs what it was at, and nothing else."""
        model = self.model(LONG)
        alone = explore(model, "--algorithm", "odpor", "--probes", 0)[1]
        lost = kills = 0
        for _ in range(20):
            child = self.begin(model, "--jobs", "2")
            while child.poll() is None and not workers_of(child.pid):
                time.sleep(0.001)
            for worker in workers_of(child.pid)[:1]:
                time.sleep(0.005)
                try:
                    os.kill(worker, signal.SIGKILL)
                    kills += 1
                except ProcessLookupError:
                    pass
            result = json.loads(child.communicate(timeout=200)[0])
            lost += result["jobs"]["lost"]
            self.same(result, alone)
        self.assertLessEqual(lost, kills)

    def test_silent(self):
        """One that gives no sign is ended, and costs what it was at."""
        model = self.model(LONG)
        alone = explore(model, "--algorithm", "odpor", "--probes", 0)[1]
        child = self.begin(model, "--jobs", "2", "--worker-seconds", "2")
        while child.poll() is None and not workers_of(child.pid):
            time.sleep(0.001)
        for worker in workers_of(child.pid)[:1]:
            os.kill(worker, signal.SIGSTOP)
        result = json.loads(child.communicate(timeout=200)[0])
        self.same(result, alone)
        self.assertGreaterEqual(result["jobs"]["lost"], 1)

    def test_all_killed(self):
        """Workers that die whatever they are given: it ends, and says so."""
        child = self.begin(self.model(ENDLESS), "--jobs", "1")
        while child.poll() is None:
            for worker in workers_of(child.pid):
                try:
                    os.kill(worker, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        result = json.loads(child.communicate()[0])
        self.assertEqual(result["stopped"], "workers")
        self.assertEqual(child.returncode, 3)

    def test_signals(self):
        for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"):
            child = self.begin(self.model(ENDLESS), "--jobs", "2")
            wait_until(child, lambda: len(workers_of(child.pid)) == 2)
            child.send_signal(getattr(signal, name))
            result = json.loads(child.communicate(timeout=100)[0])
            self.assertEqual((child.returncode, result["stopped"], result["finished"]), (3, "interrupt", False))
            self.assertEqual(result["traces"], result["executions"])

    def test_limits(self):
        model = self.model(ENDLESS)
        _, result, _ = explore(model, "--jobs", 3, "--max-executions", 500)
        self.assertEqual(result["stopped"], "executions")
        self.assertEqual(result["executions"], 500)
        for limit, word in ((("--max-seconds", 0.3), "seconds"), (("--max-memory", "20M", "--collect", 0), "memory")):
            status, result, _ = explore(model, "--jobs", 2, *limit)
            self.assertEqual((status, result["stopped"]), (3, word))
        status, result, _ = explore(self.model(LONG), "--jobs", 2, "--stop-at-first")
        self.assertEqual((status, result["stopped"]), (1, "first"))

    def test_schedules(self):
        model = self.model(LONG)
        folder = self.path / "traces"
        _, result, errors = explore(model, "--jobs", 2, "--trace-dir", folder)
        self.assertEqual(errors, "")
        self.assertEqual(len(result["defects"]), 3)
        for number, defect in enumerate(result["defects"], 1):
            self.assertEqual(defect["schedule"], f"trace-{number}.unfs")
            done = subprocess.run([PROGRAM, "--replay", folder / defect["schedule"], model], capture_output=True, text=True)
            self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(len(list(folder.iterdir())), 3)

    def test_least(self):
        """A defect is written with the same trace, in the same order, whoever found it."""
        model = self.model(LONG)

        def written(name, *arguments):
            folder = self.path / name
            result = explore(model, "--trace-dir", folder, *arguments)[1]
            return {d["text"] or json.dumps(d["threads"]): (folder / d["schedule"]).read_text() for d in result["defects"]}

        alone = written("alone", "--algorithm", "odpor", "--probes", 0)
        self.assertEqual(len(alone), 3)
        self.assertEqual(written("qpor", "--algorithm", "qpor", "--probes", 0), alone)
        self.assertEqual(written("eager", "--algorithm", "eager", "--probes", 0), alone)
        for count in (1, 2, 3):
            self.assertEqual(written(f"jobs-{count}", "--jobs", count), alone)

    def test_told_again(self):
        """What is done with the execution of a defect, or of a race, comes to the same."""
        model = self.model(RACY)

        def told(name, *arguments):
            folder = self.path / name
            result = explore(model, "--trace-dir", folder, "--shorten", "--shorten-seconds", 100, "--report", folder / "page.html", *arguments)[1]
            self.assertIn("Each process has events of its own" if "--jobs" in arguments else '"unfolding"',
                          (folder / "page.html").read_text())
            return sorted((d["kind"], d["count"], json.dumps(d["shortened"]), (folder / d["schedule"]).read_text()) for d in result["defects"])

        alone = told("alone", "--algorithm", "odpor", "--probes", 0)
        self.assertEqual([d[0] for d in alone], ["assertion", "assertion", "assertion", "race"])
        self.assertEqual(told("qpor", "--algorithm", "qpor"), alone)
        for count in (1, 3):
            self.assertEqual(told(f"jobs-{count}", "--jobs", count), alone)
        # A journal has the schedules, too.
        journal = self.path / "journal"
        explore(model, "--jobs", 2, "--save", journal)
        self.assertEqual(told("journal", "--jobs", 2, "--continue", journal), alone)

    # ---- inputs ----

    def with_inputs(self):
        if not (pathlib.Path(PROGRAM).parent / "unfold-solver").exists():
            self.skipTest("built without a solver")
        model = self.model(INPUTS)
        alone = explore(model, "--algorithm", "odpor")[1]
        self.assertTrue(alone["defects"] and all(d["inputs"] for d in alone["defects"]))
        return model, alone, [(d["kind"], d["count"], d["inputs"]) for d in alone["defects"]]

    def test_inputs_killed(self):
        """A worker that dies takes its solver with it, and costs what it was at."""
        model, alone, found = self.with_inputs()
        for _ in range(3):
            child = self.begin(model, "--jobs", "2")
            wait_until(child, lambda: len(workers_of(child.pid)) > 1)
            for worker in workers_of(child.pid)[-1:]:  # the coordinator's solver was there before
                try:
                    os.kill(worker, signal.SIGKILL)
                except ProcessLookupError:
                    pass  # it had come to its end
            result = json.loads(child.communicate(timeout=200)[0])
            self.same(result, alone)
            self.assertCountEqual([(d["kind"], d["count"], d["inputs"]) for d in result["defects"]], found)

    def test_inputs_slow(self):
        """A worker whose solver takes long is no worker that gives no sign."""
        self.with_inputs()
        slow = self.path / "solver"
        slow.write_text(f"#!/bin/sh\nsleep 3\nexec {pathlib.Path(PROGRAM).parent / 'unfold-solver'} \"$@\"\n")
        slow.chmod(0o755)
        model = self.model("input int x : 0..3, y : 0..3; mutex m;\n"
                           "thread t { if ((x ^ y) < (y ^ 2 * x)) { lock(m); unlock(m); } if ((x ^ y ^ 3) == (x ^ 2 * y) + 2) {} }\n"
                           "thread u { if ((x ^ (y + y)) == (3 ^ x) - (y ^ 1)) {} }\n")
        result = explore(model, "--jobs", 1, "--worker-seconds", 1, "--try-values=0", "--solver", slow)[1]
        self.assertGreater(result["solver"]["queries"], 0)
        self.assertEqual((result["stopped"], result["jobs"]["lost"]), (None, 0))

    def test_inputs_apart(self):
        """A worker that meets elements which only inputs keep apart says so, whether or not they
        decide anything in the executions that it has."""
        self.with_inputs()
        model = self.model("input int i : 0..1; shared int a[2]; mutex m;\n"
                           "thread one { a[i] = 1; lock(m); unlock(m); }\n"
                           "thread two { a[1 - i] = 2; lock(m); unlock(m); }\n")
        for count in (1, 2):
            result = explore(model, "--jobs", count)[1]
            self.assertEqual((result["solver"]["apart"], result["traces"], result["stopped"]), (2, 4, None))

    def test_inputs_journal(self):
        """What a journal has of branches means the same to whoever goes on, also with branches at
        accesses."""
        for text in (INPUTS, APART):
            self.with_inputs()
            model, journal = self.model(text), self.path / f"journal-{len(text)}"
            whole = explore(model, "--jobs", 1)[1]
            result = explore(model, "--jobs", 2, "--save", journal, "--max-executions", whole["executions"] // 3)[1]
            self.assertEqual(result["stopped"], "executions")
            self.assertEqual(result["solver"]["apart"], whole["solver"]["apart"])
            for count in (0, 3):
                result = self.saved(model, journal, count)[1]
                self.same(result, whole)
                self.assertCountEqual([(d["kind"], d["count"], d["inputs"]) for d in result["defects"]],
                                      [(d["kind"], d["count"], d["inputs"]) for d in whole["defects"]])
        self.assertGreater(whole["solver"]["apart"], 0)
        status, _, errors = explore(model, "--save", self.path / "one")
        self.assertEqual((status, "not with inputs" in errors), (2, True))

    # ---- journals ----

    def saved(self, model, journal, count, *more):
        """What it comes to when it goes on; count 0: without --jobs."""
        go_on = ("--continue", journal) if any(journal.glob("*.unfj")) else ()
        jobs = ("--jobs", count) if count or not go_on else ()
        return explore(model, *jobs, *go_on, *more)

    def kill_coordinator(self, model, journal, delay, number=0):
        """Begins or goes on, and ends the coordinator some time after something more counts. Its
        result, if it came to its end before."""
        before = committed(journal)
        go_on = ("--continue", journal) if segments(journal) else ()
        child = self.begin(model, "--jobs", str(1 + number % 3), "--save", journal, *go_on)
        while child.poll() is None and committed(journal) <= before:
            time.sleep(0.001)
        try:
            return json.loads(child.communicate(timeout=delay if child.poll() is None else None)[0])
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
        self.assertGreater(committed(journal), before)
        return None

    def test_journal_killed(self):
        """The coordinator dies at any time: going on comes to what it comes to undisturbed."""
        model, journal = self.model(LONGER), self.path / "journal"
        alone = explore(model, "--algorithm", "odpor", "--probes", 0)[1]
        draw = random.Random(1)
        kills = starts = 0
        while kills < KILLS:
            result = self.kill_coordinator(model, journal, draw.uniform(0, 0.15), kills)
            starts += 1
            kills += result is None
            # The one before may still be there.
            self.assertIn(len(segments(journal)), (1, 2))
            if result is not None:
                self.same(result, alone)
                shutil.rmtree(journal)
                starts = 0
        (journal / ".unfold-7.tmp").write_text("left by a process that was killed")
        status, result, errors = self.saved(model, journal, 2)
        self.same(result, alone)
        self.assertEqual((status, result["continued"]["times"]), (1, starts))
        # The journal is only read then: it can be gone on with again, by any number of processes.
        self.same(self.saved(model, journal, 0)[1], alone)
        self.same(self.saved(model, journal, 1, "--save", journal)[1], alone)
        self.assertEqual([path.suffix for path in journal.iterdir()], [".unfj"])

    def test_journal_segments(self):
        """Within a run new segments are begun, so that the journal follows what is left to do."""
        journal = self.path / "journal"
        text = subprocess.run([sys.executable, ROOT / "examples/model/families/generate.py", "mpat", "6"], capture_output=True, text=True)
        family = self.model(text.stdout)
        alone = explore(family, "--algorithm", "odpor", "--probes", 0)[1]
        result = explore(family, "--jobs", 2, "--save", journal)[1]
        self.same(result, alone)
        last, = segments(journal)
        self.assertGreater(int(last.stem), 1)
        self.assertEqual(committed(journal), alone["executions"])
        self.assertLess(last.stat().st_size, result["jobs"]["workers"][0]["bytes"] + result["jobs"]["workers"][1]["bytes"])
        self.same(self.saved(family, journal, 2)[1], alone)

    def test_journal_torn(self):
        """Of a file that is cut off, or has something else at its end, what is whole counts."""
        model, journal = self.model(LONGER), self.path / "journal"
        alone = explore(model, "--algorithm", "odpor", "--probes", 0)[1]
        self.kill_coordinator(model, journal, 0.6)
        (path,) = journal.glob("*.unfj")
        whole, draw = path.read_bytes(), random.Random(2)
        head = 0
        for _ in range(2):
            head += 24 + int.from_bytes(whole[head:head + 8], "little")
        for i in range(4):
            cut = whole[:draw.randint(head, len(whole))] + bytes(draw.randrange(256) for _ in range(draw.choice((0, 9, 100))))
            path.write_bytes(cut)
            status, result, errors = self.saved(model, journal, 2)
            self.assertEqual(status, 1, errors)
            self.same(result, alone)
        for at in (0, 30, head - 1):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
            status, result, errors = self.saved(model, journal, 2)
            self.assertEqual((status, result, "damaged" in errors), (2, None, True))

    def test_journal_ended(self):
        """Interrupts and limits: what is left is gone on with; in the end there is nothing left."""
        model, journal = self.model(LONGER), self.path / "journal"
        alone = explore(model, "--algorithm", "odpor", "--probes", 0)[1]
        child = self.begin(model, "--jobs", "2", "--save", journal)
        while child.poll() is None and len(workers_of(child.pid)) < 2:
            time.sleep(0.001)
        child.send_signal(signal.SIGINT)
        json.loads(child.communicate(timeout=100)[0])
        _, result, _ = self.saved(model, journal, 2, "--save", journal, "--max-executions", 2000)
        self.assertEqual(result["saved"], str(journal))
        for _ in range(2):
            _, result, _ = self.saved(model, journal, 3, "--save", journal)
            self.same(result, alone)

    def test_journal_interrupted(self):
        """Interrupts at any time, also while a report is taken: in the end nothing is missing."""
        text = subprocess.run([sys.executable, ROOT / "examples/model/families/generate.py", "mpat", "6"], capture_output=True, text=True)
        model, journal, draw = self.model(text.stdout), self.path / "journal", random.Random(1)
        alone = explore(model, "--algorithm", "odpor", "--probes", 0)[1]
        for _ in range(8):
            going_on = ("--continue", journal) if any(journal.glob("*.unfj")) else ()
            child = self.begin(model, "--jobs", "2", "--save", journal, *going_on)
            wait_until(child, lambda: len(workers_of(child.pid)) == 2)
            time.sleep(draw.uniform(0, 0.1))
            child.send_signal(signal.SIGINT)
            result = json.loads(child.communicate(timeout=100)[0])
            if result["finished"]:
                break
            self.assertEqual((child.returncode, result["stopped"]), (3, "interrupt"))
        _, result, _ = self.saved(model, journal, 2, "--save", journal)
        self.same(result, alone)

    def without_memory(self, model, journal, more):
        """The coordinator has so many bytes more, when many reports wait that it has not taken."""
        child = self.begin(model, "--jobs", "2", "--save", journal)
        wait_until(child, lambda: committed(journal) >= 300)
        child.send_signal(signal.SIGSTOP)
        time.sleep(0.1)
        pages = 0 if child.poll() is not None else int(pathlib.Path(f"/proc/{child.pid}/statm").read_text().split()[0])
        held = pages * resource.getpagesize()
        if 0 < held < 1 << 40:  # it has ended; or under a sanitizer no memory is the end of it
            resource.prlimit(child.pid, resource.RLIMIT_AS, (held + more,) * 2)
        child.send_signal(signal.SIGCONT)
        result = json.loads(child.communicate(timeout=100)[0])
        self.assertTrue(result["finished"] or "memory" in result["stopped"])

    def test_journal_without_memory(self):
        """A report that cannot be taken, while there is memory for those behind it."""
        text = subprocess.run([sys.executable, ROOT / "examples/model/families/generate.py", "mpat", "5"], capture_output=True, text=True)
        model = self.model(text.stdout)
        alone = explore(model, "--algorithm", "odpor", "--probes", 0)[1]
        for more in range(0, 320 << 10, 16 << 10):
            with self.subTest(more=more):
                journal = self.path / f"journal-{more}"
                self.without_memory(model, journal, more)
                self.same(self.saved(model, journal, 2)[1], alone)

    def test_journal_refused(self):
        model, journal = self.model(LONG), self.path / "journal"
        for path, word in ((journal, "no journal"), (model, "no journal")):
            status, result, errors = explore(model, "--jobs", 2, "--continue", path)
            self.assertEqual((status, result, word in errors), (2, None, True))
        explore(model, "--jobs", 2, "--save", journal)
        status, result, errors = explore(self.model(LONGER), "--jobs", 2, "--continue", journal)
        self.assertEqual((status, result, "something else" in errors), (2, None, True))
        file = self.path / "file"
        file.write_text("")
        status, result, errors = explore(model, "--jobs", 2, "--save", file)
        self.assertEqual((status, result["saved"], str(file) in errors), (1, None, True))

    def test_for_people(self):
        done = subprocess.run([PROGRAM, "--jobs", "2", self.model(LONG)], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("workers     2, 0 lost", done.stdout)

    def test_refused(self):
        model = self.model(LONG)
        for options in (("--algorithm", "qpor"), ("--algorithm", "eager"), ("--order", "bfs"), ("--cutoffs", "erv"),
                        ("--dot", "x"),
                        ("--executions", "x"), ("--max-events", "3"), ("--probes", "1"), ("--replay", "x"), ("--max-switches", "3")):
            with self.subTest(options=options):
                status, result, errors = explore(model, "--jobs", 2, *options)
                self.assertEqual((status, result), (2, None))
                self.assertIn("jobs" if options[0] != "--max-switches" else "max-switches", errors)
        self.assertEqual(explore(model, "--worker-seconds", 3)[0], 2)
        self.assertEqual(explore(model, "--jobs", 257)[0], 2)
        self.assertEqual(explore(model, "--jobs", "x")[0], 2)
        # As many as there are processors.
        count = len(os.sched_getaffinity(0))
        self.assertLessEqual(len(explore(model, "--jobs", 0)[1]["jobs"]["workers"]), count)


if __name__ == "__main__":
    PROGRAM, ROOT = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    if sys.argv[3:4] == ["--kills"]:
        KILLS = int(sys.argv[4])
        del sys.argv[3:5]
    if sys.argv[3:4] == ["--known"]:
        sys.exit(known(ROOT, sys.argv[4], lambda *words: explore(*words, "--jobs", 2)))
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], failfast=FIRST_ENDS)
