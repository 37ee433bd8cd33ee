#!/usr/bin/env python3
"""The page that --report writes, as a browser shows it: what is drawn, and what clicks and keys do.

    check_report.py PART PROGRAM SOURCE_ROOT

PART is one of: model, files (of unfold-model), native (of unfold). Without Chromium `model` is left
out.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import browser

PART, PROGRAM, ROOT = sys.argv[1], os.path.abspath(sys.argv[2]), pathlib.Path(sys.argv[3]).resolve()
SKIPPED = 77
HOSTILE = "// </script><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\"><!-- &amp;\n"


def sample(name):
    return ROOT / "examples" / "model" / "programs" / name


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def report(self, program, *options, status=1):
        """Explores a program, and returns the path of its page."""
        page = self.folder / "page.html"
        done = subprocess.run([PROGRAM, "--report", page, *options, *["--"] * (PART == "native"), program], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertEqual(done.stderr, "")
        return page

    def write(self, text, name="p.unf"):
        path = self.folder / name
        path.write_text(text)
        return path


def data_of(page):
    """The data of a page, which is JSON in an element of its own."""
    text = page.read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    return json.loads(found.group(1))


class Files(Case):
    def test_data(self):
        data = data_of(self.report(sample("abba.unf")))
        self.assertEqual(data["format"], "unfold-report")
        self.assertEqual(data["result"]["verdict"], "explored to the end, 1 defect found")
        self.assertEqual(data["threads"], ["p", "q"])
        self.assertEqual([(s["thread"], s["operation"], s["after"], s["at"]) for s in data["executions"][0]["steps"]],
                         [("q", "lock(b)", [], [0, 12]), ("p", "lock(a)", [], [0, 5])])
        self.assertEqual(data["sources"][0]["lines"][4], "  lock(a);")

    def test_events(self):
        data = data_of(self.report(sample("abba.unf")))["unfolding"]
        self.assertEqual(data["total"], 16)
        self.assertEqual(len(data["events"]), 16)
        first = [event for event in data["events"] if not event["after"]]
        self.assertEqual(sorted((event["thread"], event["label"], event["object"]) for event in first),
                         [("p", "acq a", "a"), ("q", "acq b", "b")])
        self.assertGreater(sum(len(event["conflicts"]) for event in data["events"]), 0)

    def test_names_are_those_of_the_program(self):
        text = self.report(sample("buffer.unf"), status=0).read_text(encoding="utf-8")
        self.assertIsNone(re.search(r"(mutex|condition|location) - \d", text))

    def test_cutoffs(self):
        data = data_of(self.report(sample("count.unf"), "--cutoffs", "erv", status=0))
        marked = [event for event in data["unfolding"]["events"] if event.get("cutoff")]
        self.assertEqual(len(marked), data["result"]["cutoffs"])
        self.assertGreater(len(marked), 0)

    def test_inputs(self):
        if not pathlib.Path(PROGRAM).with_name("unfold-solver").exists():
            self.skipTest("built without a solver")
        data = data_of(self.report(sample("inputs.unf")))
        defect, told = data["result"]["defects"][0], data["executions"][0]
        self.assertTrue(defect["inputs"])
        self.assertGreater(len(told["steps"]), 0)

    def test_deciding(self):
        """The steps that decide, and an execution that goes on otherwise there."""
        for name, step, first in (("abba.unf", 2, ("q", "lock(a)")), ("lost-wakeup.unf", 3, ("consumer", "lock(m)")),
                                  ("diners.unf", 3, ("diner[0]", "lock(fork[1])")), ("race.unf", 1, ("consumer", "lock(m)"))):
            told = data_of(self.report(sample(name)))["executions"][0]
            deciding, steps = told["deciding"], told["deciding"]["other"]["steps"]
            self.assertEqual(deciding["step"], step, name)
            plain = [(s["thread"], s["operation"]) for s in steps]
            self.assertEqual(plain[:step - 1], [(s["thread"], s["operation"]) for s in told["steps"][:step - 1]])
            self.assertEqual(plain[step - 1], first)
            self.assertEqual((deciding["other"]["end"], deciding["other"]["fine"]), ("every thread ends", True))

    def test_a_defect_of_every_execution(self):
        deciding = data_of(self.report(sample("upgrade.unf")))["executions"][0]["deciding"]
        self.assertTrue(deciding["why"].startswith("no step decided: every execution has this defect"))

    def test_nothing_decides_behind_it(self):
        """Of the steps of six threads the last one that matters decided."""
        program = self.write("mutex a, b; mutex m[4]; thread p { lock(a); lock(b); unlock(b); unlock(a); }\n"
                             "thread q { lock(b); lock(a); unlock(a); unlock(b); }\n"
                             "thread other[i : 0..3] { lock(m[i]); unlock(m[i]); }\n")
        told = data_of(self.report(program))["executions"][0]
        held = [i + 1 for i, s in enumerate(told["steps"]) if s["operation"] in ("lock(a)", "lock(b)")]
        self.assertEqual(told["deciding"]["step"], max(held))

    def test_no_time_to_decide(self):
        """Every execution has the defect, and there are far more of them than can be tried."""
        program = self.write("mutex m[8]; thread p { assert(0); }\n"
                             "thread other[i : 0..7] { int n = 0; while (n < 9) { lock(m[i]); unlock(m[i]); n = n + 1; } }\n")
        told = data_of(self.report(program, "--report-seconds", "0.1"))["executions"][0]
        self.assertIn("in the time that there was", told["deciding"]["why"])

    def test_hostile_text(self):
        page = self.report(self.write(HOSTILE + sample("abba.unf").read_text(), "a<b>&.unf"))
        text = page.read_text(encoding="utf-8")
        self.assertEqual(text.count("<script"), 2)
        self.assertNotIn("<img", text)
        self.assertEqual(data_of(page)["sources"][0]["lines"][0], HOSTILE[:-1])

    def test_cannot_be_written(self):
        for path, why, program, status in (("/dev/full", "No space left", sample("abba.unf"), 1),
                                           (self.folder / "no" / "page", "No such file", sample("count.unf"), 2)):
            done = subprocess.run([PROGRAM, "--report", path, program], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, status)
            self.assertIn(f"unfold-model: {path}: {why}", done.stderr)
            self.assertIn("explored to the end", done.stdout)

    def test_replays_have_none(self):
        done = subprocess.run([PROGRAM, "--report", "x", "--replay", "y", sample("abba.unf")], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (2, "unfold-model: --report: not with --replay\n"))


class Native(Case):
    def setUp(self):
        super().setUp()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)

    def compile(self, name, *options):
        """A program of the examples; its source stays where it is."""
        source = ROOT / "examples" / "native" / "programs" / f"{name}.c"
        subprocess.run(["cc", "-g", "-O0", "-pthread", *options, source, "-o", name], check=True)
        return f"./{name}"

    def test_deadlock(self):
        program = self.compile("bank")
        data = data_of(self.report(program))
        told, source = data["executions"][0], data["sources"][0]
        steps = {step["operation"]: step for step in told["steps"]}
        self.assertEqual(set(steps), {"create(0.0)", "create(0.1)", "lock(savings)", "lock(current)"})
        self.assertEqual(steps["create(0.0)"]["after"], [])
        self.assertEqual({step["thread"] for step in told["steps"][2:]}, {"0.0", "0.1"})
        self.assertEqual(source["name"], "bank.c")
        number, line = steps["lock(savings)"]["at"]
        self.assertEqual(number, 0)
        self.assertIn("pthread_mutex_lock(&first->lock)", source["lines"][line - source["first"]])
        self.assertEqual(sorted(data["threads"]), ["0", "0.0", "0.1"])
        self.assertEqual(data["result"]["defects"][0]["kind"], "deadlock")

    def test_deciding(self):
        data = data_of(self.report(self.compile("bank")))
        told = data["executions"][0]
        deciding, steps = told["deciding"], told["deciding"]["other"]["steps"]
        locks = [i + 1 for i, step in enumerate(told["steps"]) if step["operation"].startswith("lock")]
        self.assertEqual(deciding["step"], locks[1])
        self.assertEqual((deciding["other"]["end"], deciding["other"]["fine"]), ("every thread ends", True))
        plain = [(step["thread"], step["operation"]) for step in steps]
        self.assertEqual(plain[:locks[0]], [(step["thread"], step["operation"]) for step in told["steps"][:locks[0]]])
        self.assertEqual(plain[-2:], [("0", "join(0.0)"), ("0", "join(0.1)")])

    def test_semaphore_with_a_value(self):
        """What its value was before the first step is known to the replay alone."""
        path = self.folder / "sem.c"
        path.write_text("#include <assert.h>\n#include <pthread.h>\n#include <semaphore.h>\nstatic sem_t s;\nstatic int x;\n"
                        "static void *run(void *p) { sem_wait(&s); x = 1; sem_post(&s); return p; }\n"
                        "int main(void) { pthread_t t; sem_init(&s, 0, 1); pthread_create(&t, NULL, run, NULL); sem_wait(&s);\n"
                        "  assert(x == 0); sem_post(&s); return pthread_join(t, NULL); }\n")
        subprocess.run(["cc", "-g", "-pthread", path, "-o", "sem"], check=True)
        told = data_of(self.report("./sem"))["executions"][0]
        self.assertEqual([(step["operation"], step["after"]) for step in told["steps"]],
                         [("create(0.0)", []), ("semaphore wait(s)", [0]), ("post(s)", [1]), ("semaphore wait(s)", [2])])
        self.assertEqual(told["deciding"]["step"], 2)

    def test_the_output_of_replays_is_not_seen(self):
        path = self.folder / "loud.c"
        path.write_text("#include <assert.h>\n#include <pthread.h>\n#include <stdio.h>\nstatic int x;\n"
                        "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
                        "static void *run(void *p) { pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m); return p; }\n"
                        "int main(void) { pthread_t t; pthread_create(&t, NULL, run, NULL); puts(\"loud\"); fflush(stdout);\n"
                        "  pthread_mutex_lock(&m); assert(x == 0); pthread_mutex_unlock(&m); return pthread_join(t, NULL); }\n")
        subprocess.run(["cc", "-g", "-pthread", path, "-o", "loud"], check=True)
        done = subprocess.run([PROGRAM, "--report", "page.html", "--", "./loud"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertNotIn("loud\n", done.stdout.replace("./loud", ""))
        told = data_of(self.folder / "page.html")["executions"][0]["steps"]
        self.assertEqual(told[-1]["operation"], "lock(m)")

    def test_a_source_that_is_gone(self):
        path = self.folder / "gone.c"
        path.write_text((ROOT / "examples" / "native" / "programs" / "bank.c").read_text())
        subprocess.run(["cc", "-g", "-O0", "-pthread", path, "-o", "gone"], check=True)
        path.unlink()
        data = data_of(self.report("./gone"))
        self.assertEqual(data["sources"], [{"name": "gone.c", "first": 1, "lines": []}])
        self.assertEqual(len(data["executions"][0]["steps"]), 4)

    def test_cannot_be_written(self):
        for options, status in (((), 1), (("-DORDERED",), 2)):
            done = subprocess.run([PROGRAM, "--report", "/dev/full", "--", self.compile("bank", *options)],
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, status)
            self.assertIn("unfold: /dev/full: No space left on device", done.stderr)
            self.assertIn("explored to the end", done.stdout)


class Pages(Case):
    @classmethod
    def setUpClass(cls):
        cls.page = browser.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.page.close()

    def open(self, path, fragment=""):
        self.page.problems.clear()
        self.page.open(path, fragment)
        self.addCleanup(lambda: self.assertEqual(self.page.problems, []))

    def texts(self, selector):
        return self.page.run(f"[...document.querySelectorAll({json.dumps(selector)})].map(e => e.textContent)")

    def data(self, selector, *names):
        return [tuple(row) for row in self.page.run(
            f"[...document.querySelectorAll({json.dumps(selector)})].map(e => {json.dumps(names)}.map(n => e.dataset[n]))")]

    def position(self):
        return self.texts("#position")[0]

    def marked(self):
        """The lines of the source that are marked: their numbers."""
        return [int(text) for text in self.texts("#source .at .number")]

    def test_picture(self):
        self.open(self.report(sample("abba.unf")))
        self.assertEqual(self.texts("#verdict"), ["✕ explored to the end, 1 defect found"])
        self.assertEqual(self.texts("#picture .names span"), ["p", "q"])
        self.assertEqual(self.texts("#picture .row .cell"),
                         ["lock(b)", "◆ lock(a)", "✕ blocked at lock(b)\n  b is held by q", "✕ blocked at lock(a)\n  a is held by p"])
        self.assertEqual(self.data("#picture path.waits", "waits", "owner"), [("p", "q"), ("q", "p")])
        self.assertEqual(self.texts("#threads .waits"), ["waits for b, which q has", "waits for a, which p has"])
        self.assertEqual(self.position(), "end, after 2 steps")
        self.assertEqual(self.marked(), [6, 13])

    def test_steps(self):
        self.open(self.report(sample("lost-wakeup.unf")))
        self.assertEqual(self.data("#picture path[data-from]", "from", "to"), [("2", "3"), ("5", "6")])
        self.page.click("#picture-3 .cell")
        self.assertEqual(self.position(), "step 3 of 7")
        self.assertEqual(self.marked(), [18])
        self.assertEqual(self.texts("#picture .row[aria-selected=true] .cell"), ["◆ lock(m)"])
        self.assertEqual(self.texts("#picture .number"),
                         [f"{mark}{n:6}" for n, mark in zip(range(1, 8), "↑↑ ↓↓↓↓")] + ["end"])
        self.page.key("ArrowDown")
        self.assertEqual(self.position(), "step 4 of 7")
        self.assertIn("signal(c) → nobody", self.texts("#detail")[0])
        self.page.key("End")
        self.assertEqual(self.position(), "end, after 7 steps")
        self.page.click("#first")
        self.assertEqual(self.position(), "step 1 of 7")
        self.page.click("#play")
        self.assertEqual(self.page.run("document.getElementById('play').getAttribute('aria-pressed')"), "true")
        self.page.key(" ")

    def test_deciding_step(self):
        self.open(self.report(sample("lost-wakeup.unf")))
        self.assertEqual(self.texts("#picture .decided .cell"), ["◆ lock(m)"])
        self.page.key("d")
        self.assertEqual(self.position(), "step 3 of 7")
        self.assertEqual(self.texts("#other-caption"), ["another execution, from step 3 on: every thread ends"])
        cells = self.texts("#other .row .cell")
        self.assertEqual((cells[0], cells[-1]), ("◆ lock(m)", "✓ every thread ends"))
        self.assertEqual(self.texts("#other .number")[0], f" {3:6}")
        self.page.click("#other-4 .cell")
        self.assertIn("4 consumer wait(c, m)", self.texts("#detail")[0])

    def test_address(self):
        page = self.report(sample("lost-wakeup.unf"))
        self.open(page, "#defect=0&step=6")
        self.assertEqual(self.position(), "step 6 of 7")
        self.page.key("ArrowUp")
        self.assertEqual(self.page.run("location.hash"), "#view=execution&defect=0&step=5")
        self.open(page, "#defect=9&step=999")
        self.assertEqual(self.position(), "end, after 7 steps")

    def test_race(self):
        self.open(self.report(sample("race.unf")))
        self.assertEqual(sorted(self.texts("#picture .row.end .cell")),
                         ["✕ racing at read of result", "✕ racing at write of result"])
        self.assertEqual(sorted(self.marked()), [8, 13])

    def test_no_defect(self):
        self.open(self.report(sample("count.unf"), status=0))
        self.assertFalse(self.page.run("document.getElementById('nothing').hidden"))
        self.assertEqual(self.texts("#verdict"), ["✓ explored to the end, no defect found"])

    def test_many_steps(self):
        turns = 1500
        page = self.report(self.write(f"mutex m; thread a {{ int i = 0; while (i < {turns}) {{ lock(m); unlock(m); i = i + 1; }} "
                                      "assert(0); } thread b { lock(m); unlock(m); }"), "--stop-at-first")
        self.open(page, "#step=1000")
        count = len(data_of(page)["executions"][0]["steps"])
        self.assertGreaterEqual(count, 2 * turns)
        self.assertEqual(self.position(), f"step 1000 of {count}")
        self.assertLess(self.page.run("document.querySelectorAll('#picture .row').length"), 120)
        self.assertTrue(self.page.run("document.getElementById('picture-1000').getAttribute('aria-selected')"))
        self.page.key("End")
        self.assertTrue(self.page.run("!!document.getElementById('picture-end')"))

    def test_hostile_text(self):
        page = self.report(self.write(HOSTILE + sample("abba.unf").read_text(), "<b onclick=x>&.unf"))
        self.open(page, "#step=1")
        self.assertNotEqual(self.page.run("document.title"), "taken")
        self.assertEqual(self.page.run("document.querySelectorAll('img, b[onclick], script').length"), 2)
        self.assertEqual(self.texts("#source .text")[0], HOSTILE[:-1])
        self.assertTrue(self.texts("#program")[0].endswith("<b onclick=x>&.unf"))

    def test_no_other_script_or_request(self):
        self.open(self.report(sample("abba.unf")))
        self.page.run("""(() => { const script = document.createElement('script'); script.textContent = 'window.taken = 1';
            document.head.append(script); const image = new Image(); image.src = 'http://localhost:9/x.png';
            document.body.append(image); })()""")
        self.assertIsNone(self.page.run("window.taken"))
        refused = [problem for problem in self.page.problems if "Content Security Policy" in problem]
        self.assertEqual(len(refused), 2)
        self.assertEqual(self.page.run("document.images[0].naturalWidth"), 0)
        self.page.problems.clear()

    def test_unfolding(self):
        self.open(self.report(sample("abba.unf")), "#view=unfolding")
        self.assertEqual(self.page.run("document.querySelectorAll('#events g').length"), 16)
        self.assertEqual(self.texts("#drawn"), ["16 of 16 events are drawn."])
        self.assertGreater(self.page.run("document.querySelectorAll('#events path.conflict').length"), 0)
        choose = "(() => {{ const s = document.getElementById('{}'); s.value = '{}'; s.dispatchEvent(new Event('change')); }})()"
        self.page.run(choose.format("filter-thread", "p"))
        labels = self.texts("#events g text")
        self.assertTrue(labels and all(label[4:] in ("a", "b") for label in labels))
        self.assertEqual(self.texts("#events text.thread"), ["p"])
        self.assertIn("the filters let", self.texts("#drawn")[0])
        self.page.run(choose.format("filter-thread", ""))
        self.page.run(choose.format("filter-most", "3"))
        self.assertEqual(self.texts("#drawn"), ["3 of 16 events are drawn; 13 more are not drawn, because of the limit."])
        self.page.run(choose.format("filter-most", "200"))
        last = self.page.run("document.querySelectorAll('#events g').length")
        self.page.click(f"#event-{last} rect")
        self.page.click("#filter-history")
        self.assertLess(self.page.run("document.querySelectorAll('#events g').length"), 16)
        self.assertIn("history of", self.texts("#event-detail")[0])


if PART == "model" and browser.find() is None:
    print("there is no Chromium")
    sys.exit(SKIPPED)
os.environ.pop("NO_COLOR", None)
suite = unittest.defaultTestLoader.loadTestsFromTestCase({"model": Pages, "files": Files, "native": Native}[PART])
sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())
