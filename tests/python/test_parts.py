"""Fingerprints, cutoffs, races, alternatives, wakeup trees, schedules, purity: by themselves."""
import ctypes
import unittest

import unfold
from common import World, lockers
from unfold import CutoffOrder, CutoffVerdict, Operator, StatementKind
from unfold import operations as op


class Fingerprints(unittest.TestCase):
    """States as sets of fragments."""

    def test_algebra(self):
        """Order does not matter, and what is added can be taken away."""
        for kind in unfold.Hash:
            a, b = unfold.Fingerprint(kind), unfold.Fingerprint(kind)
            try:
                a.toggle(1, b"one")
            except unfold.Unsupported:
                continue
            a.count(7, -3)
            b.count(7, -3)
            b.toggle(1, b"two")
            b.replace(1, b"two", b"one")
            self.assertEqual(a, b)
            self.assertEqual(hash(a), hash(b.copy()))
            b += a
            b -= a
            self.assertEqual(a, b)
            a.count(7, 3)
            a.toggle(1, b"one")
            self.assertEqual(a, unfold.Fingerprint(kind))
            self.assertNotEqual(a, b)
            self.assertIn("fingerprint", repr(a))
            self.assertRaises(unfold.Invalid, a.replace, 1, b"x", b"xy")
            self.assertRaisesRegex(ctypes.ArgumentError, "OverflowError", a.toggle, -1, b"")


class Cutoffs(World):
    """A table without an explorer."""

    def test_table(self):
        """A step that comes back to the initial state is a cutoff."""
        table = unfold.Cutoffs(self.unfolding, CutoffOrder.ERV)
        c = unfold.Configuration(self.unfolding)
        there, back = unfold.Fingerprint(), unfold.Fingerprint()
        there.toggle(1, b"x")
        back.toggle(1, b"x")
        first, second = c.perform(self.acquire(0, 0)), c.perform(self.release(0, 0))
        third = c.perform(self.acquire(0, 0))
        self.assertEqual(table.add(first, there), CutoffVerdict.KEPT)
        self.assertEqual(table.add(second, back), CutoffVerdict.IS)
        self.assertEqual(table.verdict(third), CutoffVerdict.AFTER)
        self.assertEqual(table.state(second), unfold.Fingerprint())
        self.assertLess(table.compare(first, second), 0)
        self.assertEqual(table.compare(first, first), 0)
        self.assertEqual(table.settle(), [])
        self.assertEqual((table.counts.kept, table.counts.cutoffs), (1, 1))
        self.assertRaises(unfold.Missing, table.state, third)
        self.assertRaises(unfold.Invalid, unfold.Cutoffs, self.unfolding, CutoffOrder.NONE)
        table.check()


class Races(World):
    """A detector without an explorer."""

    def test_detector(self):
        """Two accesses that nothing orders."""
        races = unfold.Races(self.unfolding)
        c = unfold.Configuration(self.unfolding)
        self.assertEqual(races.begin(), (True, 0))
        races.access(unfold.Access(self.thread[0], True, 64, 8, 11))
        races.step(c.perform(self.acquire(0, 0)))
        races.access(unfold.Access(self.thread[1], False, 68, 4, 22))
        self.assertEqual(len(races), 1)
        race = races[0]
        self.assertEqual((race.first.place, race.second.place), (11, 22))
        self.assertEqual((race.first.address, race.first.size, race.count), (68, 4, 1))
        self.assertEqual(list(races), [race])
        self.assertEqual(races[-1], race)
        self.assertRaises(IndexError, races.__getitem__, 1)
        races.forget(64, 8)
        races.access(unfold.Access(self.thread[1], True, 64, 1, 33))
        self.assertEqual(races.counts.races, 1)
        self.assertRaises(unfold.Invalid, races.access, unfold.Access(self.thread[1], True, 64, 0))
        sampled = unfold.Races(self.unfolding, every=2)
        self.assertEqual([sampled.begin().watched for _ in range(4)], [True, False] * 2)


class Wakeup(World):
    """Races and reversals of an execution, sleep sets, wakeup trees."""

    def test_parts(self):
        """Two threads and one mutex: one race, one reversal."""
        engine = lockers(self.unfolding, 2)
        explorer = unfold.Explorer(self.unfolding)
        executions = []
        engine.ended = lambda verdict, given: executions.append(given.path)
        explorer.explore(engine)
        path = executions[0]
        self.assertEqual(unfold.execution_races(self.unfolding, path), [(1, 2)])
        reversal, = unfold.execution_reversals(self.unfolding, path)
        self.assertEqual((reversal.position, reversal.sequence), (0, [reversal.event]))
        self.assertEqual(str(reversal.event), "1 acq mutex - 0")
        trees, sleeping = unfold.WakeupTrees(self.unfolding), unfold.SleepSets(self.unfolding)
        self.assertTrue(trees.insert(0, reversal.sequence))
        self.assertFalse(trees.insert(0, reversal.sequence))
        self.assertEqual((trees.at(0), len(trees)), ([(reversal.event, 0)], 1))
        self.assertEqual(trees.take(0), reversal.event)
        self.assertIsNone(trees.take(0))
        sleeping.add(path[0])
        self.assertTrue(path[0] in sleeping and sleeping.at(0) == [path[0]])
        self.assertTrue(sleeping.initial(0, path))
        sleeping.push(reversal.event)
        self.assertEqual((sleeping.last, sleeping.at(1)), (reversal.event, []))
        sleeping.pop()
        self.assertRaises(unfold.State, sleeping.pop)
        self.assertRaises(unfold.Invalid, sleeping.at, 5)

    def test_awaits(self):
        """Awaits are reversed, too: a value that is there for a while."""
        x = self.unfolding.location(0)
        def waits(_shared):
            yield op.await_(x, unfold.Relation.EQUAL, 1)

        def writes(_shared):
            yield op.store(x, 1)
            yield op.store(x, 2)
        for algorithm in (unfold.Algorithm.ODPOR, unfold.Algorithm.QPOR, unfold.Algorithm.DFS):
            counts = unfold.Explorer(self.unfolding, algorithm=algorithm).explore(
                unfold.Program({self.thread[0]: waits, self.thread[1]: writes}))
            self.assertEqual((counts.traces, counts.deadlocks), (2, 1))


class Schedules(World):
    """Written, read, damaged."""

    def test_text(self):
        """What is read is what was written; errors have their place."""
        engine = lockers(self.unfolding, 2)
        explorer = unfold.Explorer(self.unfolding)
        explorer.explore(engine)
        schedule = unfold.Schedule(self.unfolding, "näme")
        schedule.append_run(explorer)
        again = unfold.Schedule.read(self.unfolding, str(schedule))
        self.assertEqual((list(again), again.program), (list(schedule), "näme"))
        self.assertEqual([e.action for e in explorer.path], list(again))
        self.assertEqual(again[-1], again[3])
        self.assertRaises(IndexError, again.__getitem__, 4)
        with self.assertRaises(unfold.Format) as caught:
            unfold.Schedule.read(self.unfolding, "nothing of the kind\n")
        self.assertEqual(caught.exception.detail.step, 1)
        self.assertRaises(unfold.Checksum, unfold.Schedule.read, self.unfolding,
                          str(schedule).replace("1 acq", "0 acq", 1))
        for size in range(len(str(schedule).encode())):
            self.assertRaises(unfold.Error, unfold.Schedule.read, self.unfolding,
                              str(schedule).encode()[:size])
        self.assertRaises(unfold.Invalid, unfold.Schedule, self.unfolding, "two\nlines")


class Traces(World):
    """The STD format."""

    def test_write_and_read(self):
        """What is written is read; names, races, errors with their place."""
        pieces = []
        writer = unfold.StdWriter(self.unfolding, pieces.append)
        writer.access(unfold.Access(self.thread[0], True, 64, 8, 7))
        writer.step(self.acquire(0, 0), 11)
        writer.step(self.release(0, 0), 12)
        writer.step(self.acquire(1, 0), 13)
        writer.access(unfold.Access(self.thread[1], False, 64, 8, 8))
        writer.access(unfold.Access(self.thread[0], True, 64, 8, 9))
        writer.end()
        text = "".join(pieces)
        trace = unfold.StdTrace(unfold.Unfolding(self.context), text)
        self.assertEqual((trace.counts.events, trace.counts.accesses), (3, 3))
        self.assertEqual(len(trace.configuration()), 3)
        race, = trace.races
        self.assertEqual({race.first.thread, race.second.thread}, set(self.thread))
        (number, here), = trace.races.here
        self.assertEqual((number, here.first, here.second), (0, race.first, race.second))
        before = trace.races.after(0)
        self.assertTrue(all(isinstance(one, unfold.Event) for one in before))
        lines = text.splitlines()
        at = next(i for i, line in enumerate(lines, 1) if "acq" in line)
        self.assertEqual(trace.event(at).cookie, at)
        self.assertEqual(lines[at - 1].split("|")[0], trace.name(unfold.StdNameKind.THREAD, 0))
        self.assertIsNone(trace.name(unfold.StdNameKind.LOCK, 99))
        events = unfold.StdTrace(unfold.Unfolding(self.context), text, unfold.StdMemory.EVENTS)
        self.assertIsNone(events.races)
        with self.assertRaises(unfold.Format) as caught:
            unfold.StdTrace(unfold.Unfolding(self.context), lines[at - 1] + "\nnothing\n")
        self.assertEqual(caught.exception.detail.step, 2)
        writer = unfold.StdWriter(self.unfolding, lambda text: 1 // 0)
        with self.assertRaises(ZeroDivisionError):
            for _ in range(10000):
                writer.step(self.acquire(0, 0), 1)
            writer.end()

    def test_schedules_and_nets(self):
        """A schedule as a trace; the prefix of cutoffs as a net."""
        schedule = unfold.Schedule(self.unfolding, "p")
        schedule.append(self.acquire(0, 0))
        self.assertEqual(len(schedule.std().splitlines()), 1)
        table = unfold.Cutoffs(self.unfolding)
        event = self.unfolding.intern(self.acquire(0, 0), [])
        change = unfold.Fingerprint()
        change.toggle(1, b"x")
        table.add(event, change)
        net = table.pnml(unfold.Names({}, {self.mutex[0]: "<lock>"}))
        self.assertIn("&lt;lock", net)
        self.assertIn("pnml", net)


class Strangers(World):
    """Objects of another class than the one that is needed."""

    def test_types(self):
        """Are refused before the library gets their pointers."""
        c, schedule = unfold.Configuration(self.unfolding), unfold.Schedule(self.unfolding, "p")
        tree = unfold.Tree(self.unfolding)
        for call in (lambda: schedule.append_run(c), lambda: tree.add(c, unfold.Verdict()),
                     lambda: c.unite(schedule), lambda: unfold.Unfolding(c),
                     lambda: unfold.Configuration(self.context), lambda: unfold.Explorer(c),
                     lambda: unfold.Races(c), lambda: unfold.Schedule(c, "p"),
                     lambda: unfold.Schedule.read(c, ""), lambda: unfold.Flow(self.unfolding),
                     lambda: unfold.Purity(c), lambda: unfold.find_alternative([], schedule, []),
                     lambda: unfold.execution_races(c, []), lambda: unfold.Channels(c),
                     lambda: c.add(self.context), lambda: unfold.SleepSets(self.context)):
            self.assertRaisesRegex(TypeError, "is needed, and not", call)


class Purities(unittest.TestCase):
    """Loops of one thread."""

    def test_loop(self):
        """A spin lock; terms, texts, errors."""
        with unfold.Context() as context:
            flow = unfold.Flow(context)
            start, spin, end = flow.block("start"), flow.block("spin"), flow.block("end")
            old, other = flow.register("old"), flow.register("other")
            flow.statement(spin, StatementKind.EXCHANGE, result=old, a=flow.constant(1), place=9)
            held = flow.apply(Operator.EQ, flow.value(old), flow.constant(1))
            flow.edge(start, spin)
            flow.edge(spin, spin, held)
            flow.edge(spin, end)
            flow.phi(end, other)
            flow.phi_operand(other, spin, flow.constant(2))
            self.assertEqual(flow.text(held), "old == 1")
            self.assertEqual(flow.view(held).op, Operator.EQ)
            self.assertEqual([flow.evaluate(held, lambda r: v) for v in (0, 1, -2**63)], [0, 1, 0])
            self.assertRaises(ZeroDivisionError, flow.evaluate, held, lambda r: 1 // 0)
            self.assertRaises(OverflowError, flow.evaluate, held, lambda r: 2**63)
            self.assertRaises(unfold.Invalid, flow.edge, end, unfold.Block(99))
            purity = unfold.Purity(flow)
            loop, = purity.loops
            self.assertEqual((loop.header, loop.depth, loop.blocks), (spin, 1, 1))
            self.assertTrue(purity.contains(0, spin) and not purity.contains(0, end))
            self.assertFalse(purity.edge(0, start, spin))
            insertion, = purity.insertions
            self.assertTrue(insertion.await_)
            self.assertEqual(purity.remarks, [])
            self.assertIn("old == 1", str(purity))
            purity = unfold.Purity(flow, unfold.PurityOptions(disjuncts=1))
            self.assertRaises(unfold.Invalid, unfold.Purity, flow, unfold.PurityOptions(disjuncts=65))


if __name__ == "__main__":
    unittest.main()
