"""test_golden.py [UNFOLD_MODEL]: programs as generators count what the same programs count in C:
families of tests/golden/counts.csv, and random programs in the language of unfold-model.
"""
import csv
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

import unfold
from unfold import Algorithm
from unfold import operations as op

COUNTS = pathlib.Path(__file__).resolve().parents[1] / "golden" / "counts.csv"
MODEL = sys.argv.pop() if len(sys.argv) > 1 else None


class Shared:
    """The memory of a program."""
    c = 0


def locked(lock, work=lambda: None):
    """Does something with a mutex."""
    yield op.lock(lock)
    work()
    yield op.unlock(lock)


def locks(unfolding, count, _):
    """Threads that each take one mutex once."""
    m = unfolding.mutex(0)
    return {unfolding.thread(i, start=True): lambda shared: locked(m) for i in range(count)}


def count_to(unfolding, count, _):
    """Fig. 1 of the paper on quasi-optimal partial order reduction, with mutexes."""
    mc, x = unfolding.mutex(100), [unfolding.mutex(i) for i in range(count)]
    program = {unfolding.thread(i, start=True): lambda shared, i=i: locked(x[i])
               for i in range(count)}

    def counter(shared):
        for i in range(1, count):
            yield from locked(mc, lambda i=i: setattr(shared, "c", i))

    def master(shared):
        yield op.lock(mc)
        i = shared.c
        yield op.unlock(mc)
        yield from locked(x[i])
    program[unfolding.thread(count, start=True)] = counter
    program[unfolding.thread(count + 1, start=True)] = master
    return program


def readers(unfolding, readers_, writers):
    """Readers and writers of one lock."""
    k = unfolding.rwlock(0)

    def through(operation):
        def body(_shared):
            yield operation(k)
            yield op.rwunlock(k)
        return body
    kinds = [op.rdlock] * readers_ + [op.wrlock] * writers
    return {unfolding.thread(i, start=True): through(kind) for i, kind in enumerate(kinds)}


def items(unfolding, count, room):
    """A bounded buffer of semaphores."""
    free, full = unfolding.semaphore(0, initial=room), unfolding.semaphore(1)

    def moves(source, target):
        def body(_shared):
            yield op.sem_wait(source)
            yield op.post(target)
        return body
    kinds = [(free, full)] * count + [(full, free)] * count
    return {unfolding.thread(i, start=True): moves(*kind) for i, kind in enumerate(kinds)}


def loads(unfolding, count, _):
    """One thread stores, the others load."""
    x = unfolding.location(0)

    def once(operation):
        def body(_shared):
            yield operation
        return body
    kinds = [op.store(x, 1)] + [op.load(x)] * count
    return {unfolding.thread(i, start=True): once(kind) for i, kind in enumerate(kinds)}


FAMILIES = {"LOCKS": locks, "COUNT": count_to, "READERS": readers, "ITEMS": items, "LOADS": loads}


class Golden(unittest.TestCase):
    """Rows of counts.csv."""

    def test_rows(self):
        """Traces, redundant runs and events, for every algorithm and k there is."""
        lines = [line for line in COUNTS.read_text().splitlines() if not line.startswith("#")]
        rows = [row for row in csv.DictReader(lines) if row["family"] in FAMILIES]
        rows = [row for row in rows if int(row["traces"]) + int(row["redundant"]) <= 3000]
        for row in rows:
            with unfold.Context() as context:
                unfolding = unfold.Unfolding(context)
                program = FAMILIES[row["family"]](unfolding, int(row["first"]), int(row["second"]))
                k = {"optimal": unfold.K_OPTIMAL, "-": unfold.K_OPTIMAL}.get(row["k"]) \
                    if not row["k"].isdigit() else int(row["k"])
                explorer = unfold.Explorer(unfolding, algorithm=Algorithm[row["algorithm"].upper()],
                                           alternative=unfold.AlternativeOptions(k=k))
                counts = explorer.explore(unfold.Program(program, Shared))
                self.assertEqual([counts.traces, counts.redundant, counts.events],
                                 [int(row[name]) for name in ("traces", "redundant", "events")], row)
        self.assertEqual({row["family"] for row in rows}, set(FAMILIES))
        self.assertGreater(len(rows), 25)


class Random(unittest.TestCase):
    """Random programs, here and in unfold-model."""

    def draw(self, draw):
        """Threads as lists of (operation, object, number)."""
        kinds = draw.choice([["lock", "unlock", "trylock"], ["load", "store", "fetch_add", "cas"],
                             ["lock", "unlock", "load", "store", "post", "sem_wait"]])
        return [[(draw.choice(kinds), draw.randrange(2), draw.randrange(3))
                 for _ in range(draw.randint(1, 4))] for _ in range(draw.randint(2, 3))]

    def text(self, program):
        """The program in the language of unfold-model."""
        lines = ["mutex m[2]; atomic int x[2]; semaphore s[2] = 1;"]
        for number, steps in enumerate(program):
            said = []
            for kind, which, value in steps:
                form = {"load": f"load(x[{which}])", "store": f"store(x[{which}], {value})",
                        "fetch_add": f"fetch_add(x[{which}], {value})",
                        "cas": f"cas(x[{which}], {value}, {value + 1})", "post": f"post(s[{which}])",
                        "sem_wait": f"sem_wait(s[{which}])"}
                said.append(form.get(kind, f"{kind}(m[{which}])"))
            lines.append(f"thread t{number} {{ {' '.join(s + ';' for s in said)} }}")
        return "\n".join(lines) + "\n"

    def bodies(self, unfolding, program):
        """The program as generators."""
        m = [unfolding.mutex(i) for i in range(2)]
        x = [unfolding.location(i) for i in range(2)]
        s = [unfolding.semaphore(i, initial=1) for i in range(2)]
        make = {"load": lambda i, v: op.load(x[i]), "store": lambda i, v: op.store(x[i], v),
                "fetch_add": lambda i, v: op.fetch_add(x[i], v),
                "cas": lambda i, v: op.cas(x[i], v, v + 1), "post": lambda i, v: op.post(s[i]),
                "sem_wait": lambda i, v: op.sem_wait(s[i]), "lock": lambda i, v: op.lock(m[i]),
                "unlock": lambda i, v: op.unlock(m[i]), "trylock": lambda i, v: op.trylock(m[i])}

        def body(steps):
            def run(_shared):
                for kind, which, value in steps:
                    yield make[kind](which, value)
            return run
        return {unfolding.thread(i, start=True): body(steps) for i, steps in enumerate(program)}

    def counts(self, program, **options):
        """What is counted here."""
        with unfold.Context() as context:
            unfolding = unfold.Unfolding(context)
            explorer = unfold.Explorer(unfolding, **options)
            found = explorer.explore(unfold.Program(self.bodies(unfolding, program)))
            return found

    @unittest.skipUnless(MODEL, "unfold-model is not built")
    def test_against_the_model(self):
        """Traces, deadlocks and events are those of unfold-model."""
        for number in range(60):
            program = self.draw(random.Random(number))
            with tempfile.NamedTemporaryFile("w", suffix=".unf") as file:
                file.write(self.text(program))
                file.flush()
                done = subprocess.run([MODEL, "--json", file.name], capture_output=True, text=True,
                                      check=False)
            said = json.loads(done.stdout)
            found = self.counts(program)
            for name in ("traces", "deadlocks", "events", "blocked", "redundant"):
                self.assertEqual(getattr(found, name), said[name], (number, name, program))

    def test_against_all_interleavings(self):
        """Every algorithm finds as many traces as there are among all interleavings."""
        for number in range(100, 140):
            program = self.draw(random.Random(number))
            all_of_them = self.counts(program, algorithm=Algorithm.DFS)
            for algorithm in (Algorithm.QPOR, Algorithm.ODPOR, Algorithm.EAGER, Algorithm.SDPOR):
                found = self.counts(program, algorithm=algorithm)
                self.assertEqual((found.traces, found.deadlocks),
                                 (all_of_them.traces, all_of_them.deadlocks), (number, program))


if __name__ == "__main__":
    unittest.main()
