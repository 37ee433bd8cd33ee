#!/usr/bin/env python3
"""--mpi of unfold-model and unfold: over three ranks of this machine they come to what they come to
without; workers that die or give no sign; limits, signals, schedules, and what is refused.

    ranks.py MPIRUN ROOT UNFOLD_MODEL [UNFOLD]
    ranks.py MPIRUN ROOT UNFOLD_MODEL --known FAMILIES-FOLDER
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from journal import committed  # noqa: E402 (in this folder)
from known import known  # noqa: E402
from together import together  # noqa: E402

MPIRUN = ROOT = MODEL = NATIVE = None
SAME = "traces complete blocked deadlocks errors redundant executions finished stopped verdict livelocks races".split()
# Open MPI: as root, with more ranks than processors, where memory of others may not be read.
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
               "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
               "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_btl_base_warn_component_unused": "0"}
APART = ("input int f : 0..2, t : 0..2, g : 0..2; mutex m[3]; shared int a[3];\n"
         "thread one { lock(m[f]); a[f] = a[f] + 1; unlock(m[f]); }\n"
         "thread two { int r; lock(m[g]); r = a[g]; unlock(m[g]); if (r > 0) { lock(m[t]); unlock(m[t]); } }\n")


def launch(*words, count=3):
    return [MPIRUN, "-n", str(count), *together(words)]


def result_of(text):
    """The object that rank 0 printed, among what the launcher says."""
    return json.loads(text[text.index("{"):text.rindex("}") + 1]) if "{" in text else None


def over_ranks(*words, count=3):
    done = subprocess.run(launch(*words, count=count), capture_output=True, text=True, timeout=300, env=ENVIRONMENT, stdin=subprocess.DEVNULL)
    return done.returncode, result_of(done.stdout), done.stderr


def alone(*words):
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=300)
    return done.returncode, result_of(done.stdout), done.stderr


def processes(name, parent_of=None):
    """Those that run the program at a path; or the children of one."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(entry / "exe") == name:
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
                found.append((int(entry.name), parent))
        except OSError:
            pass
    return found


class Ranks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def same(self, one, other):
        for key in SAME:
            self.assertEqual(one[key], other[key], key)

    def test_models(self):
        for name in ("families/disp-5-2", "programs/abba", "families/spinners-3"):
            more = ("--bound", 2) if "spinners" in name else ()
            path = ROOT / "examples/model" / f"{name}.unf"
            with self.subTest(model=name):
                _, wanted, _ = alone(MODEL, "--json", path, "--algorithm", "odpor", "--probes", 0, *more)
                status, result, errors = over_ranks(MODEL, "--json", "--mpi", path, *more)
                self.assertIsNotNone(result, errors)
                self.same(result, wanted)
                self.assertEqual(status, 1 if wanted["defects"] else 0)
                self.assertEqual(sum(w["executions"] for w in result["jobs"]["workers"]), result["executions"])
                self.assertEqual(len(result["jobs"]["workers"]), 2)

    def test_inputs(self):
        if not (pathlib.Path(MODEL).parent / "unfold-solver").exists():
            self.skipTest("built without a solver")
        path = ROOT / "examples/model/programs/inputs.unf"
        wanted, result = alone(MODEL, "--json", path, "--algorithm", "odpor")[1], over_ranks(MODEL, "--json", "--mpi", path)[1]
        self.same(result, wanted)
        self.assertEqual([d["inputs"] for d in result["defects"]], [d["inputs"] for d in wanted["defects"]])
        # Elements that inputs keep apart: all ranks begin again.
        apart = self.path / "apart.unf"
        apart.write_text(APART)
        result = over_ranks(MODEL, "--json", "--mpi", apart)[1]
        self.same(result, alone(MODEL, "--json", apart, "--jobs", 1)[1])
        self.assertGreater(result["solver"]["apart"], 0)

    def test_schedules(self):
        path = ROOT / "examples/model/programs/abba.unf"
        _, result, _ = over_ranks(MODEL, "--json", "--mpi", path, "--trace-dir", self.path)
        done = subprocess.run([MODEL, "--replay", self.path / result["defects"][0]["schedule"], path], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stderr)

    def long(self):
        """A copy of the program, so that its processes can be found, and a long model."""
        copy = self.path / "examples" / "model" / "unfold-model"
        copy.parent.mkdir(parents=True)
        shutil.copy(MODEL, copy)
        (self.path / "examples" / "common").mkdir()
        shutil.copy(pathlib.Path(MODEL).parent.parent / "common" / "unfold-mpi.so", self.path / "examples" / "common")
        model = self.path / "long.unf"
        model.write_text("mutex m[2]; atomic int x;\n" + "".join(
            f"thread t{i} {{ int r; lock(m[0]); r = fetch_add(x, 1); unlock(m[0]); lock(m[1]); unlock(m[1]); r = load(x); }}\n" for i in range(5)))
        return copy, model

    def test_lost(self):
        """A worker that dies, and one that gives no sign, cost what they were at: ranks stay."""
        copy, model = self.long()
        _, wanted, _ = alone(MODEL, "--json", model, "--algorithm", "odpor", "--probes", 0)
        for how, more in ((signal.SIGKILL, ()), (signal.SIGSTOP, ("--worker-seconds", "3"))):
            child = subprocess.Popen(launch(copy, "--json", "--mpi", model, *more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                     env=ENVIRONMENT)
            workers = []
            while child.poll() is None and not workers:
                all_of_them = processes(str(copy))
                ranks = {process for process, _ in all_of_them}
                workers = [process for process, parent in all_of_them if parent in ranks]
            for process in workers[:1]:
                os.kill(process, how)
                stopped = time.monotonic()
            result = result_of(child.communicate(timeout=300)[0])
            self.same(result, wanted)
            # It may have been at its end when it was stopped; then nobody waits for it.
            if how == signal.SIGSTOP and time.monotonic() - stopped > 3:
                self.assertGreaterEqual(result["jobs"]["lost"], 1)

    def test_journal(self):
        """A rank that dies takes all with it; the journal goes on over another number of ranks, and
        without."""
        copy, model = self.long()
        self.killed(copy, [copy, "--json", "--mpi", model], [MODEL, "--json", model, "--algorithm", "odpor", "--probes", 0],
                    [MODEL, "--json", model])

    def test_journal_of_a_program(self):
        if NATIVE is None:
            self.skipTest("unfold is not built")
        program = self.path / "cases"
        subprocess.run([*os.environ.get("CC", "cc").split(), "-g", "-O0", "-pthread", "-DTHREADS=4", ROOT / "tests/native/jobs_cases.c", "-o", program],
                       check=True)
        own = [NATIVE, "--json", "--atomics", "off", "--mode", "inprocess", "--reorder", "0"]
        self.killed(NATIVE, [*own, "--mpi", "--", program], [*own, "--algorithm", "odpor", "--probes", 0, "--", program], [*own, "--", program])

    def killed(self, executable, over, undisturbed, without):
        def put(words, *more):  # in front of a program
            at = words.index("--") if "--" in words else len(words)
            return [*words[:at], *more, *words[at:]]

        wanted, journal = alone(*undisturbed)[1], self.path / "journal"
        child = subprocess.Popen(launch(*put(over, "--save", journal)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                 env=ENVIRONMENT | {"TMPDIR": str(self.path)})
        while child.poll() is None and committed(journal) < 100:
            time.sleep(0.001)
        before = processes(str(executable))
        ranks = [process for process, parent in before if parent not in {process for process, _ in before}]
        for process in ranks[:1]:
            os.kill(process, signal.SIGKILL)
        child.communicate(timeout=300)
        self.assertNotEqual(child.returncode, 0)
        self.assertIn(committed(journal), range(100, wanted["executions"]))
        for count in (4,):
            _, result, errors = over_ranks(*put(over, "--save", journal, "--continue", journal), count=count)
            self.assertIsNotNone(result, errors)
            self.same(result, wanted)
            self.assertGreaterEqual(result["continued"]["executions"], 100)
        self.same(alone(*put(without, "--continue", journal))[1], wanted)

    def test_limits(self):
        _, model = self.long()
        status, result, _ = over_ranks(MODEL, "--json", "--mpi", model, "--max-executions", 200)
        self.assertEqual((status, result["stopped"], result["executions"]), (3, "executions", 200))

    def test_refused(self):
        path = ROOT / "examples/model/programs/abba.unf"
        for options, text in ((("--mpi",), "two ranks or more"), (("--mpi", "--jobs", 2), "not with --jobs"),
                              (("--mpi", "--algorithm", "qpor"), "--algorithm odpor")):
            status, _, errors = alone(MODEL, "--json", path, *options)
            self.assertEqual(status, 2)
            self.assertIn(text, errors)
        # The launcher of another MPI says how many it has begun, each of which is alone.
        name = "PMI_SIZE" if "Open MPI" in subprocess.run([MPIRUN, "--version"], capture_output=True, text=True).stdout else "OMPI_COMM_WORLD_SIZE"
        done = subprocess.run([MODEL, "--mpi", path], capture_output=True, text=True, env={**os.environ, name: "3"})
        self.assertEqual(done.returncode, 2)
        self.assertIn("that of another MPI: it began 3 worlds", done.stderr)

    def test_programs(self):
        if NATIVE is None:
            self.skipTest("unfold is not built")
        cc = os.environ.get("CC", "cc").split()
        for name, flags in (("disp", ("-DPARAM1=5", "-DPARAM2=2")), ("bank", ())):
            program = self.path / name
            subprocess.run([*cc, "-g", "-O0", "-pthread", *flags, ROOT / f"examples/native/programs/{name}.c", "-o", program], check=True)
            # At all, one of them begins again, with what a worker found out of memory.
            for how in (("--atomics", "off"), ("--atomics", "all")):
                with self.subTest(program=name, how=how):
                    _, wanted, _ = alone(NATIVE, "--json", *how, "--algorithm", "odpor", "--probes", 0, "--trace-dir", self.path, "--", program)
                    _, result, errors = over_ranks(NATIVE, "--json", "--mpi", "--backend", "fibers", *how, "--trace-dir", self.path, "--", program)
                    self.assertIsNotNone(result, errors)
                    self.same(result, wanted)
        self.assertEqual([d["kind"] for d in result["defects"]], ["deadlock"])
        done = subprocess.run([NATIVE, "--replay", result["defects"][0]["schedule"], "--", program], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stderr)


if __name__ == "__main__":
    MPIRUN, ROOT, MODEL = sys.argv[1], pathlib.Path(sys.argv[2]), str(pathlib.Path(sys.argv[3]).resolve())
    if sys.argv[4:5] == ["--known"]:
        sys.exit(known(ROOT, sys.argv[5], lambda *words: over_ranks(MODEL, "--json", "--mpi", *words)))
    NATIVE = str(pathlib.Path(sys.argv[4]).resolve()) if len(sys.argv) > 4 else None
    unittest.main(argv=sys.argv[:1])
