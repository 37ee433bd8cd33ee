#!/usr/bin/env python3
"""The page that --report writes, as a browser shows it: what is drawn, and what clicks and keys do.

    check_report.py PART PROGRAM SOURCE_ROOT [SOLVER]

PART is one of: model, files (of unfold-model), native (of unfold), symbolic (of unfold-sym, with a
solver). Without Chromium `model` is left out, and in `symbolic` what a browser makes of the page.
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

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from failures import FIRST_ENDS  # noqa: E402 (in the folder above)

PART, PROGRAM, ROOT = sys.argv[1], os.path.abspath(sys.argv[2]), pathlib.Path(sys.argv[3]).resolve()
SOLVER = os.path.abspath(sys.argv[4]) if len(sys.argv) > 4 else None
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


def drawn(path):
    """The events of a DOT file, as the page has them: label, what each follows, its conflicts."""
    text = path.read_text(encoding="utf-8")
    labels = dict(re.findall(r'^    e(\d+) \[label="(.*)"\];$', text, re.M))
    number = {event: i for i, event in enumerate(sorted(labels, key=int))}
    after, conflicts = {i: [] for i in number.values()}, {i: [] for i in number.values()}
    for cause, effect, dashed in re.findall(r"^  e(\d+) -> e(\d+)( \[dir=none.*\])?;$", text, re.M):
        if cause != "0":
            (conflicts if dashed else after)[number[effect]].append(number[cause])
    return [(labels[e], sorted(after[i]), sorted(conflicts[i])) for e, i in number.items()]


def listed(data):
    """The events of a page in the same form."""
    return [(e["label"], sorted(e["after"]), sorted(e["conflicts"])) for e in data["unfolding"]["events"]]


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

    def test_events_are_those_of_the_picture(self):
        for name in ("abba.unf", "timeout.unf", "choice.unf"):
            dot = self.folder / "u.dot"
            data = data_of(self.report(sample(name), "--dot", dot, status=1 if name == "abba.unf" else 0))
            self.assertEqual(listed(data), drawn(dot), name)

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
        dot = self.folder / "u.dot"
        self.assertEqual(listed(data_of(self.report(sample("inputs.unf"), "--dot", dot))), drawn(dot))
        self.assertIn("branch ", dot.read_text())
        self.assertNotRegex(dot.read_text(), r'"branch \d+"')

    def test_deciding(self):
        """The steps that decide, and an execution that goes on otherwise there."""
        for name, step, first in (("abba.unf", 2, ("q", "lock(a)")), ("lost-wakeup.unf", 3, ("consumer", "lock(m)")),
                                  ("diners.unf", 3, None), ("race.unf", 1, ("consumer", "lock(m)"))):
            told = data_of(self.report(sample(name)))["executions"][0]
            deciding, steps = told["deciding"], told["deciding"]["other"]["steps"]
            self.assertEqual(deciding["step"], step, name)
            plain = [(s["thread"], s["operation"]) for s in steps]
            self.assertEqual(plain[:step - 1], [(s["thread"], s["operation"]) for s in told["steps"][:step - 1]])
            if first is None:
                # Two have a fork, in any order; one of them takes the one that nobody has.
                free = ({0, 1, 2} - {int(thread[-2]) for thread, _ in plain[:2]}).pop()
                first = (f"diner[{(free - 1) % 3}]", f"lock(fork[{free}])")
            self.assertEqual(plain[step - 1], first)
            self.assertEqual((deciding["other"]["end"], deciding["other"]["fine"]), ("every thread ends", True))

    def test_accesses_of_a_race(self):
        told = data_of(self.report(sample("race.unf")))["executions"][0]
        self.assertEqual([(a["thread"], a["operation"], a["behind"], a["at"]) for a in told["accesses"]],
                         [("consumer", "read of result", 0, [0, 13]), ("producer", "write of result", 1, [0, 8])])
        self.assertIsNone(data_of(self.report(sample("abba.unf")))["executions"][0]["accesses"])

    def test_many_defects(self):
        """Of the first hundred the page has executions, so that its size has a bound."""
        writes = "".join("  x = 1;\n" for _ in range(12))
        data = data_of(self.report(self.write(f"shared int x;\nthread a {{\n{writes}}}\nthread b {{\n{writes}}}\n")))
        self.assertEqual(len(data["executions"]), len(data["result"]["defects"]))
        self.assertEqual(len(data["executions"]), 144)
        self.assertTrue(all(told["accesses"] for told in data["executions"][:100]))
        self.assertEqual({told["why"] for told in data["executions"][100:]},
                         {"of more than 100 defects only the first have their steps in this page"})

    def test_who_is_blocked(self):
        """The steps behind which threads are blocked: who took what they want."""
        self.assertEqual(data_of(self.report(sample("abba.unf")))["executions"][0]["blocked"],
                         [{"thread": "p", "behind": [1]}, {"thread": "q", "behind": [2]}])
        for name in ("lost-wakeup.unf", "diners.unf"):
            data = data_of(self.report(sample(name)))
            told, defect = data["executions"][0], data["result"]["defects"][0]
            self.assertEqual({b["thread"] for b in told["blocked"]}, {t["thread"] for t in defect["threads"]})
            for blocked in told["blocked"]:
                thread = next(t for t in defect["threads"] if t["thread"] == blocked["thread"])
                for number in blocked["behind"]:
                    step = told["steps"][number - 1]
                    self.assertIn(step["thread"], (thread["owner"], thread["thread"]))
                    self.assertIn(thread["waits_for"], step["operation"])

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

    def test_many_causes(self):
        count = 300
        page = self.report(self.write("atomic int x;\nthread main {\n" + "".join(f"spawn(t{i});\n" for i in range(count)) +
                                      f"await(x == {count});\nassert(0);\n}}\n" +
                                      "".join(f"thread t{i} {{ fetch_add(x, 1); }}\n" for i in range(count))), "--ifaa")
        steps = data_of(page)["executions"][0]["steps"]
        self.assertEqual(max(len(step["after"]) for step in steps), count)

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

    def test_functions(self):
        """What threads begin with is said beside their names."""
        page = self.report(self.compile("bank"))
        self.assertEqual(data_of(page)["functions"], {"0": "main", "0.0": "clerk", "0.1": "clerk"})
        if browser.find() is not None:
            shown = browser.Browser()
            self.addCleanup(shown.close)
            shown.open(page, "#step=1")
            self.assertEqual(shown.run("[...document.querySelectorAll('#picture .names span')].map(e => e.textContent)"),
                             ["0 main", "0.0 clerk", "0.1 clerk"])
            self.assertEqual(shown.run("[...document.querySelectorAll('#threads b')].map(e => e.textContent).sort()"),
                             ["0 main", "0.0 clerk", "0.1 clerk"])
            self.assertTrue(shown.run("document.getElementById('detail').textContent").startswith("1 0 main create(0.0)"))
            self.assertEqual(shown.problems, [])
        path = self.folder / "either.c"
        path.write_text("#include <pthread.h>\n#include <stdlib.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
                        "static void *holds(void *p) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return p; }\n"
                        "static void *one(void *p) { abort(); return p; }\nstatic void *other(void *p) { exit(3); return p; }\n"
                        "int main(void) { pthread_t a, b; pthread_create(&a, 0, holds, 0);\n"
                        "  pthread_create(&b, 0, pthread_mutex_trylock(&m) == 0 ? one : other, 0);\n"
                        "  pthread_join(a, 0); pthread_join(b, 0); return 0; }\n")
        subprocess.run(["cc", "-g", "-O0", "-pthread", path, "-o", "either"], check=True)
        self.assertEqual(data_of(self.report("./either"))["functions"], {"0": "main", "0.0": "holds", "0.1": None})

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

    def test_unfolding(self):
        """The events of the page are those of the picture, and stand in the source."""
        program, dot = self.compile("bank"), self.folder / "u.dot"
        for how in (), ("--backend", "fibers"), ("--mode", "inprocess"), ("--atomics", "off"):
            data = data_of(self.report(program, *how, "--dot", dot))
            events = data["unfolding"]["events"]
            self.assertEqual(listed(data), drawn(dot), how)
            self.assertEqual((data["unfolding"]["total"], data["unfolding"]["freed"]), (len(events), 0))
            self.assertEqual(data["result"]["events"], len(events))
            self.assertGreater(sum(len(event["conflicts"]) for event in events), 0)
            self.assertEqual({event.get("object") for event in events}, {None, "savings", "current"})
            first = events[0]
            self.assertEqual((first["thread"], first["label"]), ("0", "create 0.0"))
            self.assertIn("pthread_create", data["sources"][0]["lines"][first["at"][1] - data["sources"][0]["first"]])

    def test_race(self):
        """Where both accesses are among the steps, and the lines of both."""
        path = self.folder / "race.c"
        path.write_text("#include <pthread.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nstatic int balance;\n"
                        "static void *add(void *p) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m);\n  balance += 10;\n  return p; }\n"
                        "static void *look(void *p) { pthread_mutex_lock(&m);\n  int seen = balance;\n  pthread_mutex_unlock(&m); return seen > 0 ? p : 0; }\n"
                        "int main(void) { pthread_t a, b; pthread_create(&a, 0, add, 0); pthread_create(&b, 0, look, 0);\n"
                        "  pthread_join(a, 0); return pthread_join(b, 0); }\n")
        subprocess.run(["cc", "-g", "-O0", "-pthread", path, "-o", "race"], check=True)
        data = data_of(self.report("./race", "--races", "--atomics", "all"))
        told, source = data["executions"][0], data["sources"][0]
        self.assertEqual({(a["thread"], a["operation"]) for a in told["accesses"]} & {("0.0", "read of balance"), ("0.0", "write of balance")},
                         {(a["thread"], a["operation"]) for a in told["accesses"] if a["thread"] == "0.0"})
        for access in told["accesses"]:
            before = [step for step in told["steps"][:access["behind"]] if step["thread"] == access["thread"]]
            self.assertEqual([step["operation"] for step in before], ["lock(m)", "unlock(m)"] if access["thread"] == "0.0" else ["lock(m)"])
            self.assertEqual(told["steps"][access["behind"] - 1], before[-1])
            self.assertIn("balance", source["lines"][access["at"][1] - source["first"]])

    def test_who_is_blocked(self):
        told = data_of(self.report(self.compile("bank")))["executions"][0]
        steps = {step["operation"]: i + 1 for i, step in enumerate(told["steps"])}
        holder = {i: told["steps"][i - 1]["thread"] for i in steps.values()}
        for blocked in told["blocked"]:
            number, = blocked["behind"]
            self.assertEqual(holder[number], {"0.0": "0.1", "0.1": "0.0", "0": "0.0"}[blocked["thread"]])
        self.assertEqual(len(told["blocked"]), 3)
        source = ROOT / "examples" / "native" / "programs" / "bugs" / "lost_wakeup.c"
        subprocess.run(["cc", "-g", "-O0", "-pthread", source, "-o", "lost"], check=True)
        told = data_of(self.report("./lost"))["executions"][0]
        blocked, = told["blocked"]
        self.assertEqual([told["steps"][number - 1]["operation"] for number in blocked["behind"]], ["wait(ready)"])

    def test_hostile_names(self):
        """Of a variable, of a file, of the program."""
        name, hostile = b"hostile_name_of_32_bytes_0123456", b"</script><img src=x onerror=a>\xff\x01"
        source = self.folder / "<b>&.c"
        source.write_text((ROOT / "tests" / "native" / "names.c").read_text().replace("use(&evil);", "use(&evil); pthread_mutex_lock(&evil); pthread_mutex_lock(&evil);"))
        subprocess.run(["cc", "-g", "-O0", "-pthread", source, "-o", "<i>.bin"], check=True)
        program = self.folder / "<i>.bin"
        program.write_bytes(program.read_bytes().replace(name, hostile))
        page = self.report("./<i>.bin", "--atomics", "off", status=1)
        text = page.read_text(encoding="utf-8")
        self.assertEqual((text.count("<script"), text.count("<img"), text.count("<b>"), text.count("<i>")), (2, 0, 0, 0))
        data = data_of(page)
        labels = {event["label"] for event in data["unfolding"]["events"]}
        self.assertTrue(any(label.startswith("acq </script><img src=x onerror=a>") for label in labels), labels)
        self.assertEqual([s["name"] for s in data["sources"]], ["<b>&.c"])
        if browser.find() is None:
            return
        shown = browser.Browser()
        self.addCleanup(shown.close)
        for view in "#step=1", "#view=unfolding&event=5":
            shown.open(page, view)
            self.assertEqual(shown.run("document.querySelectorAll('img, main b b, i, script').length"), 2)
        self.assertEqual(shown.problems, [])

    def test_unfolding_without_a_defect(self):
        data = data_of(self.report(self.compile("bank", "-DORDERED"), status=0))
        self.assertEqual(data["result"]["events"], data["unfolding"]["total"])
        self.assertEqual(data["executions"], [])
        self.assertTrue(data["sources"][0]["lines"])

    def test_unfolding_of_many_events(self):
        """The first thousand of them, and how many there are."""
        program = self.compile("disp", "-DPARAM1=4", "-DPARAM2=3")
        data = data_of(self.report(program, "--atomics", "off", status=0))
        unfolding = data["unfolding"]
        self.assertEqual((len(unfolding["events"]), unfolding["total"]), (1000, data["result"]["events"]))
        self.assertGreater(unfolding["total"], 1000)
        self.assertTrue(all(cause < i for i, event in enumerate(unfolding["events"]) for cause in event["after"] + event["conflicts"]))

    def test_unfolding_that_is_not_known(self):
        """The program goes away while its executions are in it."""
        path = self.folder / "gone.c"
        path.write_text("#include <unistd.h>\n#include <sys/syscall.h>\n#include <pthread.h>\nstatic void *run(void *p) { syscall(SYS_exit_group, 3); return p; }\n"
                        "int main(void) { pthread_t t; pthread_create(&t, NULL, run, NULL); return pthread_join(t, NULL); }\n")
        subprocess.run(["cc", "-g", "-pthread", path, "-o", "gone"], check=True)
        done = subprocess.run([PROGRAM, "--report", "page.html", "--", "./gone"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 4, done)
        data = data_of(self.folder / "page.html")
        self.assertEqual(data["unfolding"]["events"], [])
        self.assertIn("not known", data["unfolding"]["why"])

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


class Symbolic(Case):
    """Pages of unfold-sym, which has told its executions while they were at hand."""

    TEXT = ("#include <assert.h>\n#include <pthread.h>\nextern int __VERIFIER_nondet_int(void);\n"
            "static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;\nstatic int order, money;\n"
            "static void *left(void *p) {\n  pthread_mutex_lock(&a);\n  pthread_mutex_lock(&b);\n  pthread_mutex_unlock(&b);\n  pthread_mutex_unlock(&a);\n"
            "#ifdef RACE\n  money = 1;\n#endif\n  return p;\n}\n"
            "int main(void) {\n  pthread_t t;\n  order = __VERIFIER_nondet_int();\n  pthread_create(&t, NULL, left, NULL);\n  if (order > 41) {\n"
            "    pthread_mutex_lock(&b);\n    pthread_mutex_lock(&a);\n    pthread_mutex_unlock(&a);\n    pthread_mutex_unlock(&b);\n  }\n"
            "#ifdef RACE\n  if (order == 5) money = 2;\n#endif\n  pthread_join(t, NULL);\n  assert(order != -7);\n  return 0;\n}\n")

    def page_of(self, *options, text=None):
        source, page = self.write(text or self.TEXT, "p.c"), self.folder / "page.html"
        done = subprocess.run([PROGRAM, "--solver", SOLVER, "--report", page, *options, source], capture_output=True, text=True, timeout=120)
        self.assertEqual((done.returncode, done.stderr), (1, ""), done.stdout)
        return page

    def test_inputs_and_lanes(self):
        data = data_of(self.page_of())
        defects = {d["kind"]: (d, e) for d, e in zip(data["result"]["defects"], data["executions"])}
        self.assertEqual(set(defects), {"deadlock", "assertion"})
        self.assertEqual(list(defects["assertion"][0]["inputs"].values()), [-7])
        defect, told = defects["deadlock"]
        self.assertGreater(int(list(defect["inputs"].values())[0]), 41)
        lines = data["sources"][0]["lines"]
        self.assertEqual(data["sources"][0]["name"], "p.c")
        steps = [(s["thread"], s["operation"]) for s in told["steps"]]
        order, = defect["inputs"]
        self.assertEqual(sorted(steps), sorted([("0", "create(0.0)"), ("0", f"branch(41 < {order})"), ("0", "lock(b)"), ("0.0", "lock(a)")]))
        for step in told["steps"]:
            text = lines[step["at"][1] - data["sources"][0]["first"]]
            self.assertIn({"create": "pthread_create", "branch": "order > 41", "acq": "pthread_mutex_lock"}[step["event"]], text)
        held = {s["thread"]: i + 1 for i, s in enumerate(told["steps"]) if s["event"] == "acq"}
        self.assertEqual({b["thread"]: b["behind"] for b in told["blocked"]}, {"0": [held["0.0"]], "0.0": [held["0"]]})
        self.assertIn("does not look for", told["deciding"]["why"])

    def test_unfolding(self):
        data = data_of(self.page_of())
        events = data["unfolding"]["events"]
        self.assertEqual((len(events), data["unfolding"]["total"]), (data["result"]["events"],) * 2)
        self.assertEqual({e["object"] for e in events if "object" in e}, {"a", "b"})
        self.assertTrue(any(e["conflicts"] for e in events))
        order, = data["result"]["defects"][0]["inputs"]
        self.assertLessEqual({f"branch 41 < {order}", f"branch {order} <= 41"}, {e["label"] for e in events})
        self.assertEqual(data["threads"], ["0", "0.0"])
        self.assertEqual(data["functions"], {"0": "main", "0.0": "left"})

    def test_race(self):
        data = data_of(self.page_of("--clang-flags", "-DRACE"))
        told = next(e for d, e in zip(data["result"]["defects"], data["executions"]) if d["kind"] == "race")
        self.assertEqual({(a["thread"], a["operation"]) for a in told["accesses"]}, {("0", "write of money"), ("0.0", "write of money")})
        first = data["sources"][0]["first"]
        for access in told["accesses"]:
            self.assertIn("money =", data["sources"][0]["lines"][access["at"][1] - first])
            before = [s for s in told["steps"][:access["behind"]] if s["thread"] == access["thread"]]
            self.assertEqual(before[-1], told["steps"][access["behind"] - 1])

    def test_browser(self):
        if browser.find() is None:
            self.skipTest("there is no Chromium")
        page = browser.Browser()
        self.addCleanup(page.close)
        path = self.page_of()
        number = next(i for i, d in enumerate(data_of(path)["result"]["defects"]) if d["kind"] == "deadlock")
        page.open(path, f"#defect={number}")
        self.assertIn("with inputs", page.run("document.getElementById('inputs').textContent"))
        self.assertEqual(page.run("[...document.querySelectorAll('#threads .waits')].map(e => e.textContent.replace(/\\d+\\)$/, 'N)'))"),
                         ["blocked behind lock(a) of 0.0 (step N)", "blocked behind lock(b) of 0 (step N)"])
        self.assertEqual(page.run("document.querySelectorAll('#picture path.waits').length"), 2)
        self.assertEqual(page.problems, [])

    def test_cannot_be_written(self):
        done = subprocess.run([PROGRAM, "--solver", SOLVER, "--report", "/dev/full", self.write(self.TEXT, "p.c")], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 1)
        self.assertIn("unfold-sym: /dev/full: No space left on device", done.stderr)


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
                         ["lock(b)", "◆ lock(a)", "✕ blocked at lock(b)\nb is held by q", "✕ blocked at lock(a)\na is held by p"])
        self.assertEqual(self.data("#picture path.waits", "waits", "owner"), [("p", "q"), ("q", "p")])
        self.assertEqual(self.texts("#threads .waits"), ["waits for b, which q has (step 1)", "waits for a, which p has (step 2)"])
        self.assertEqual(self.position(), "end, after 2 steps")
        self.assertEqual(self.marked(), [6, 13])
        self.page.click("#threads li:nth-child(2) .link")
        self.assertEqual(self.position(), "step 2 of 2")

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
        """Both accesses stand between the steps, and nothing orders them."""
        page = self.report(sample("race.unf"))
        self.open(page)
        cells = ["⚡ read of result", "◆ lock(m)", "⚡ write of result", "unlock(m)", "lock(m)", "unlock(m)", "the execution ends"]
        self.assertEqual(self.texts("#picture .row .cell"), cells)
        self.assertEqual(self.texts("#picture .number"), [" " * 7, *(f"{mark}{n:>6}" for mark, n in zip("∥∥∥↓↓", ("1", "", "2", "3", "4"))), "end"])
        self.assertEqual(self.position(), "access 1 of the race")
        self.assertEqual(sorted(self.marked()), [8, 13])
        self.assertIn("nothing orders it and the write of result by producer, race.unf:8:3", self.texts("#detail")[0])
        self.page.click("#picture-a2 .cell")
        self.assertEqual(self.page.run("location.hash"), "#view=execution&defect=0&step=a2")
        self.assertIn("race.unf:8:3, after step 1; nothing orders it and the read of result by consumer", self.texts("#detail")[0])
        self.assertEqual([text[0] for text in self.texts("#picture .number")], list("∥↑ ↓↓↓e"))
        self.assertEqual(self.page.run("document.querySelectorAll('#picture path.race').length"), 1)
        self.page.key("ArrowDown")
        self.assertEqual(self.position(), "step 2 of 4")
        self.open(page, "#step=a1")
        self.assertEqual(self.position(), "access 1 of the race")

    def test_race_before_a_join(self):
        """What a thread does last comes before the join."""
        text = "shared int x;\nthread main {\n  spawn(t);\n  spawn(u);\n  join(t);\n  int y = x;\n  join(u);\n}\nthread t { x = 1; }\nthread u { x = 2; }\n"
        self.open(self.report(self.write(text)))
        for number in range(len(self.texts("#defects button"))):
            self.page.click(f"#defect-{number}")
            for access, other in ("a1", "a2"), ("a2", "a1"):
                self.page.click(f"#picture-{access} .cell")
                rows = dict(zip(self.texts("#picture .row .cell"), self.texts("#picture .number")))
                self.assertEqual(self.texts(f"#picture-{other} .number")[0][0], "∥")
                thread = self.texts("#detail b")[0].split()[1]
                self.assertEqual([rows[f"join({name})"][0] for name in "tu"], {"t": ["↓", "↓"], "u": ["∥", "↓"], "main": ["↑", "↓"]}[thread], rows)
        self.assertEqual(number, 1)

    def test_nothing_overlaps(self):
        """At several widths, light and dark: cells, what they say, and the page in its window."""
        overlaps = """(() => { const cells = [...document.querySelectorAll('.lanes .cell')].filter(e => e.offsetParent);
            const boxes = cells.map(e => [e.closest('.lanes').id, e.textContent, e.getBoundingClientRect()]), found = [];
            boxes.forEach(([p, t, a], i) => boxes.slice(0, i).forEach(([q, u, b]) => {
              if (p === q && a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1) found.push([t, u]); }));
            const cut = cells.filter(e => e.closest('.row.end') && e.scrollHeight > e.clientHeight + 1).map(e => e.textContent);
            return [found, cut, document.documentElement.scrollWidth - innerWidth]; })()"""
        self.addCleanup(self.page.call, "Emulation.clearDeviceMetricsOverride")
        self.addCleanup(self.page.call, "Emulation.setEmulatedMedia", features=[])
        for name in ("diners.unf", "race.unf", "lost-wakeup.unf"):
            page, papers = self.report(sample(name)), set()
            for width in (1400, 900, 480):
                for scheme in ("light", "dark"):
                    self.page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
                    self.page.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
                    self.page.open(page)
                    self.assertEqual(self.page.run(overlaps), [[], [], 0], (name, width))
                    papers.add((scheme, self.page.run("getComputedStyle(document.body).backgroundColor")))
            self.assertEqual(len(papers), 2)

    def test_sampled(self):
        self.open(self.report(sample("diners.unf"), "--algorithm", "pct", "--runs", "60"))
        counts = dict(zip(self.texts("#counts dt"), self.texts("#counts dd")))
        self.assertRegex(counts["executions"], r"^\d+ \(\d+ complete, \d+ blocked\)$")
        self.assertRegex(counts["traces"], r"^at least \d+$")
        self.assertTrue(self.texts("#unseen li")[0].startswith("executions were drawn, not explored to the end; one of pct has"))

    def test_shortened(self):
        self.open(self.report(sample("diners.unf"), "--shorten"))
        self.assertEqual(self.texts("#shortened"), ["shortened: steps 3 (no execution has fewer; before 3), switches 2 (no order of these has fewer; before 2)"])

    def test_not_shortened(self):
        """Why is said, and the page stands."""
        self.open(self.report(self.write("atomic int a; thread p { int i = 0; while (i < 20000) { store(a, i); i = i + 1; } assert(0); }"),
                              "--shorten", "--shorten-seconds", "0.000001"))
        self.assertRegex(self.texts("#shortened")[0], "^(not )?shortened: ")
        self.assertEqual(len(self.texts("#defects button")), 1)

    def test_no_defect(self):
        page = self.report(sample("count.unf"), status=0)
        self.open(page)
        self.assertEqual(self.texts("nav [aria-selected=true]"), ["Unfolding"])
        self.open(page, "#view=execution")
        self.assertFalse(self.page.run("document.getElementById('nothing').hidden"))
        self.assertEqual(self.texts("#verdict"), ["✓ explored to the end, no defect found"])

    def test_many_steps(self):
        turns = 5000
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
        labels = self.texts("#events g text.label")
        self.assertTrue(labels and all(label[4:] in ("a", "b") for label in labels))
        self.assertEqual(self.texts("#events .names .thread"), ["p"])
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

    def test_events_with_keys(self):
        """The line of the event is marked; the others say what they are to it."""
        page = self.report(sample("abba.unf"))
        events = data_of(page)["unfolding"]["events"]
        histories = []
        for i, event in enumerate(events):
            histories.append({i}.union(*(histories[cause] for cause in event["after"])))
        def conflict(a, b):
            return any(x in events[y]["conflicts"] or y in events[x]["conflicts"] for x in histories[a] for y in histories[b])
        self.open(page, "#view=unfolding")
        for i, event in enumerate(events):
            self.page.key("ArrowDown")
            self.assertEqual(self.texts("#event-detail b"), [f"{i + 1} {event['thread']} "])
            self.assertEqual([int(n) for n in self.texts("#event-source .at .number")], [event["at"][1]])
            marks = ["" if i == j else "↑" if j in histories[i] else "↓" if i in histories[j] else "#" if conflict(i, j) else "∥" for j in range(len(events))]
            self.assertEqual(self.texts("#events g text.mark"), marks)
        self.page.key("Home")
        self.page.key("h")
        self.assertEqual(self.page.run("document.querySelectorAll('#events g').length"), 1)
        self.page.key("Escape")
        self.assertEqual(self.page.run("document.querySelectorAll('#events g').length"), 16)
        self.page.key("u")
        self.assertEqual(self.texts("nav [aria-selected=true]"), ["Executions"])


if PART == "model" and browser.find() is None:
    print("there is no Chromium")
    sys.exit(SKIPPED)
os.environ.pop("NO_COLOR", None)
suite = unittest.defaultTestLoader.loadTestsFromTestCase({"model": Pages, "files": Files, "native": Native, "symbolic": Symbolic}[PART])
sys.exit(not unittest.TextTestRunner(verbosity=2, failfast=FIRST_ENDS).run(suite).wasSuccessful())
