"""Explorers: engines, step by step, whole traces, orders, states, cutoffs, probes, sampling."""
import itertools
import math
import unittest

import unfold
from common import Straight, World, lockers, philosophers
from unfold import Algorithm, Order
from unfold import operations as op


class Counting(unittest.TestCase):
    """Counts that are known by hand, with every algorithm and order."""

    def explore(self, make, *arguments, **options):
        """The counts of a program."""
        with unfold.Context() as context:
            unfolding = unfold.Unfolding(context)
            engine = make(unfolding, *arguments)
            explorer = unfold.Explorer(unfolding, **options)
            counts = explorer.explore(engine)
            explorer.check()
            return counts

    def test_algorithms(self):
        """n! orders of n critical sections; philosophers, each deadlock once."""
        for algorithm in (Algorithm.QPOR, Algorithm.SDPOR, Algorithm.DFS, Algorithm.ODPOR,
                          Algorithm.EAGER):
            self.assertEqual(self.explore(lockers, 4, algorithm=algorithm).traces, 24)
            counts = self.explore(philosophers, 3, algorithm=algorithm)
            self.assertEqual(counts.deadlocks, 1)
            self.assertEqual(counts.traces, 7)

    def test_orders(self):
        """Every order has the same traces and no redundant run."""
        for order in (Order.DEPTH_FIRST, Order.BREADTH_FIRST, Order.RANDOM, Order.DEEPEST):
            counts = self.explore(lockers, 4, order=order, seed=7)
            self.assertEqual((counts.traces, counts.redundant), (24, 0))

    def test_chosen(self):
        """choose() gets the leaves and says which is next; an exception of it is no loss."""
        seen, fail = [], [3, 7]

        def choose(leaves):
            seen.append(len(leaves))
            for index, leaf in enumerate(leaves):
                self.assertEqual(len(explorer.leaf_steps(index)), leaf.decided - leaf.fork)
            if len(seen) in fail:
                raise ZeroDivisionError
            return 99 if len(seen) == 11 else len(leaves) // 2
        with unfold.Context() as context:
            unfolding = unfold.Unfolding(context)
            engine = lockers(unfolding, 4)
            explorer = unfold.Explorer(unfolding, order=Order.CHOSEN, choose=choose)
            for error in (ZeroDivisionError, ZeroDivisionError, IndexError):
                self.assertRaises(error, explorer.explore, engine)
            self.assertEqual(explorer.explore(engine).traces, 24)
        self.assertGreater(len(seen), 12)

    def test_options(self):
        """As an object or by name; a text for people."""
        options = unfold.ExplorerOptions(algorithm=Algorithm.QPOR,
                                         alternative=unfold.AlternativeOptions(k=1))
        self.assertIn("k=1", repr(unfold.AlternativeOptions(k=1)))
        self.assertIn("algorithm=0", repr(options))
        with unfold.Context() as context:
            unfolding = unfold.Unfolding(context)
            engine = lockers(unfolding, 3)
            self.assertRaises(unfold.Invalid, unfold.Explorer, unfolding, options, seed=1)
            self.assertEqual(unfold.Explorer(unfolding, options).explore(engine).traces, 6)

    def test_bounds(self):
        """Executions beyond a bound are truncated."""
        counts = self.explore(lockers, 3, 2, max_switches=2)
        self.assertGreater(counts.truncated, 0)
        self.assertEqual(counts.bounds, unfold.Bound.SWITCHES)

    def test_sampling(self):
        """Random walks are not explored to the end."""
        for algorithm in (Algorithm.RANDOM, Algorithm.PCT):
            with unfold.Context() as context:
                unfolding = unfold.Unfolding(context)
                engine = lockers(unfolding, 3)
                explorer = unfold.Explorer(unfolding, algorithm=algorithm, runs=50)
                counts = explorer.explore(engine)
                self.assertLessEqual(counts.traces, 6)
                self.assertGreaterEqual(explorer.sampling.executions, 50)
        with unfold.Context() as context:
            explorer = unfold.Explorer(unfold.Unfolding(context))
            self.assertRaises(unfold.Unsupported, getattr, explorer, "sampling")

    def test_probes(self):
        """The estimate is exactly 0 at the end, and known on the way."""
        with unfold.Context() as context:
            unfolding = unfold.Unfolding(context)
            engine, left = lockers(unfolding, 4), []
            explorer = unfold.Explorer(unfolding, probes=2)
            engine.ended = lambda verdict, given: left.append(given.estimate.left)
            counts = explorer.explore(engine)
            self.assertGreater(counts.probes, 0)
            self.assertTrue(any(one > 0 for one in left))
            self.assertEqual(explorer.estimate[:2], (0.0, 0.0))


class Engines(World):
    """What engines get and give."""

    def test_generators(self):
        """A program of generators: shared memory, created threads, failed assertions."""
        lock, child = self.mutex[0], self.unfolding.thread(0, self.thread[0])

        class Shared:
            """The memory of the program."""
            value = 0

        def worker(shared):
            yield op.lock(lock)
            shared.value += 1
            yield op.unlock(lock)

        def parent(shared):
            yield op.create(child)
            yield from worker(shared)
            yield op.join(child)
            assert shared.value == 3, shared.value
        program = unfold.Program({self.thread[0]: parent, self.thread[1]: worker, child: worker},
                                 Shared)
        explorer = unfold.Explorer(self.unfolding)
        counts = explorer.explore(program)
        self.assertEqual(counts.traces, 6)
        # The parent joins one of the two others only: 3 is missing where that came too late.
        self.assertTrue(0 < counts.errors < 6)
        self.assertEqual(str(program.failed) if program.failed else "2", "2")

    def test_what_perform_returns(self):
        """Nothing, an action, or with cookie and error."""
        engine, lock = lockers(self.unfolding, 2), self.unfolding.mutex(0)
        plain = engine.perform

        def perform(step):
            plain(step)
            if step.action.kind == unfold.ActionKind.ACQUIRE:
                return unfold.Performed(step.action, cookie=70 + step.action.thread)
            last = explorer.counts.executions == 1 and step.number == 4
            return unfold.Performed(step.action, error=True) if last else step.action
        engine.perform = perform
        explorer = unfold.Explorer(self.unfolding)
        counts = explorer.explore(engine)
        self.assertEqual((counts.traces, counts.errors), (2, 1))
        first = explorer.path[0]
        self.assertEqual(first.cookie, 70 + first.action.thread)
        self.assertEqual(first.action.target, lock)

    def test_states(self):
        """save, restore and forget: objects of the engine come back; fewer steps are performed."""
        for order in (Order.BREADTH_FIRST, Order.DEPTH_FIRST, Order.RANDOM):
            with unfold.Context() as context:
                unfolding = unfold.Unfolding(context)
                engine, forgotten, restored = lockers(unfolding, 4), [], []
                alive = set()
                performed = 0
                plain = engine.perform

                def perform(step):
                    nonlocal performed
                    performed += 1
                    plain(step)

                def save(steps):
                    state = (steps, tuple(sorted(engine.pc.items())))
                    alive.add(state)
                    return state

                def restore(run, state):
                    if state is None:
                        return 0
                    self.assertIn(state, alive)
                    restored.append(run.number)
                    engine.pc = dict(state[1])
                    self.assertEqual(state[0], run.saved)
                    return run.saved
                engine.perform, engine.save, engine.restore = perform, save, restore
                explorer = unfold.Explorer(unfolding, order=order, forget=forgotten.append)
                counts = explorer.explore(engine)
                self.assertEqual(counts.traces, 24)
                self.assertEqual(performed + counts.resumed, counts.steps)
                self.assertGreater(len(restored), 10)
                self.assertGreater(len(forgotten), 0)
                explorer.close()
                self.assertEqual(explorer.states, {})

    def test_blocked(self):
        """An engine blocks a thread for a reason of its own."""
        engine = Straight({self.thread[0]: [op.lock(self.mutex[0]), op.unlock(self.mutex[0])],
                           self.thread[1]: [op.local(0, 0)]})
        engine.blocked = lambda explorer: explorer.block(self.thread[1])
        counts = unfold.Explorer(self.unfolding).explore(engine)
        self.assertEqual((counts.traces, counts.blocked), (1, 1))

    def test_cutoffs(self):
        """A program that runs for ever is explored to the end."""
        lock = self.unfolding.mutex(0)
        engine = Straight({self.thread[0]: [op.lock(lock), op.unlock(lock)],
                           self.thread[1]: [op.lock(lock), op.unlock(lock)]})
        changes = []

        def perform(step):
            thread = step.action.thread
            before = engine.pc[thread]
            engine.pc[thread] = (before + 1) % 2
            change = unfold.Fingerprint()
            change.replace(thread, bytes([before]), bytes([engine.pc[thread]]))
            owner = step.action.kind == unfold.ActionKind.ACQUIRE
            change.toggle(100 + thread, b"o")
            self.assertIsNotNone(owner)
            changes[:] = [change]
        engine.perform = perform
        engine.changed = lambda: changes[0]
        engine.next = lambda thread: op.lock(lock) if engine.pc[thread] == 0 else op.unlock(lock)
        explorer = unfold.Explorer(self.unfolding, cutoffs=unfold.CutoffOrder.ERV)
        counts = explorer.explore(engine)
        self.assertGreater(counts.truncated, 0)
        table = explorer.cutoffs
        self.assertEqual(table.counts.states, 3)
        verdicts = {table.verdict(event) for event in self.unfolding}
        self.assertIn(unfold.CutoffVerdict.IS, verdicts)
        table.check()
        explorer.close()
        self.assertRaises(unfold.State, getattr, table, "counts")


class Alone(World):
    """The calls one by one."""

    def test_step_by_step(self):
        """next, offer, step, commit, finish."""
        (m, n), found = self.mutex, []
        program = [[op.lock(m), op.lock(n), op.unlock(n), op.unlock(m), op.exit()],
                   [op.lock(n), op.lock(m), op.unlock(m), op.unlock(n), op.exit()]]
        explorer = unfold.Explorer(self.unfolding)
        tree = unfold.Tree(self.unfolding)
        self.assertRaises(unfold.State, explorer.step)
        self.assertEqual(explorer.last, self.unfolding.bottom)
        for run in explorer.runs():
            counter = [0, 0]
            for thread in self.thread:
                explorer.offer(thread, program[thread][0])
            self.assertEqual(explorer.operation(self.thread[0]), op.lock(m))
            for step in explorer.steps():
                thread = step.action.thread
                counter[thread] += 1
                explorer.commit(step.action, cookie=run.number)
                explorer.offer(thread, program[thread][counter[thread]])
            verdict = explorer.finish()
            tree.add(explorer, verdict)
            found.append((verdict.complete, verdict.deadlock, verdict.blocked, len(explorer.path)))
        self.assertEqual(sorted(found), [(False, True, 2, 2), (True, False, 0, 8),
                                         (True, False, 0, 8)])
        self.assertTrue(explorer.next().finished)
        self.assertTrue(tree.dot().startswith("digraph"))
        self.assertEqual(explorer.estimate.left, 0)

    def test_going_on(self):
        """An exploration that is written down goes on elsewhere, and comes to the same end."""
        for algorithm in (Algorithm.QPOR, Algorithm.ODPOR, Algorithm.EAGER):
            engine, data = lockers(self.unfolding, 4), []
            explorer = unfold.Explorer(self.unfolding, algorithm=algorithm)

            def progress(given):
                if given.counts.executions == 9:
                    raise ZeroDivisionError
            engine.progress = progress
            self.assertRaises(ZeroDivisionError, explorer.explore, engine)
            data = explorer.write()
            del engine.progress
            whole = explorer.explore(engine)
            with unfold.Context() as context:
                unfolding = unfold.Unfolding(context)
                again = unfold.Explorer(unfolding, data=data, algorithm=algorithm)
                self.assertEqual(again.counts.traces, 9)
                rest = again.explore(lockers(unfolding, 4))
                self.assertEqual((rest.traces, rest.executions), (whole.traces, whole.executions))
            middle = len(data) // 2
            changed = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1:]
            for wrong in (data[:-1], b"", changed):
                with unfold.Context() as context:
                    self.assertRaises((unfold.Format, unfold.Checksum), unfold.Explorer,
                                      unfold.Unfolding(context), data=wrong, algorithm=algorithm)
            self.assertRaises(unfold.State, unfold.Explorer, self.unfolding, data=data)
            self.tearDown()
            self.setUp()

    def test_abandon_and_resume(self):
        """A run that is dropped is taken again; shared steps are not performed again."""
        engine = lockers(self.unfolding, 2)
        explorer = unfold.Explorer(self.unfolding)

        def offers(*threads):
            for thread in threads:
                explorer.offer(thread, engine.next(thread))
        run = explorer.next()
        engine.restart(run)
        offers(*self.thread)
        explorer.step()
        explorer.abandon()
        total = 0
        for run in explorer.runs():
            if run.shared:
                explorer.resume(run.shared)
            engine.restart(run)
            for event in explorer.path[:run.shared]:
                engine.perform(unfold.Step(unfold.StepKind.ACTION, 0, event.action))
            offers(*self.thread)
            for step in explorer.steps():
                engine.perform(step)
                explorer.commit()
                offers(step.action.thread)
                total += 1
            explorer.finish()
        self.assertEqual(explorer.counts.traces, 2)
        self.assertEqual(total + explorer.counts.resumed, explorer.counts.steps)

    def test_redundant(self):
        """With k = 1 and without greed runs can be redundant; what sleeps there is told."""
        engine = philosophers(self.unfolding, 4)
        explorer = unfold.Explorer(self.unfolding, algorithm=Algorithm.SDPOR)
        asleep = []
        engine.ended = lambda verdict, given: verdict.redundant and asleep.append(given.asleep())
        counts = explorer.explore(engine)
        self.assertEqual(len(asleep), counts.redundant)
        self.assertTrue(all(asleep))

    def test_whole_traces(self):
        """prefix and feed."""
        explorer = unfold.Explorer(self.unfolding)
        lock = self.mutex[0]
        program = [[op.lock(lock), op.unlock(lock), op.exit()]] * 2
        done = {unfold.OperationKind.LOCK: unfold.ActionKind.ACQUIRE,
                unfold.OperationKind.UNLOCK: unfold.ActionKind.RELEASE}
        prefixes = []
        while True:
            run, prefix = explorer.prefix()
            if run.finished:
                break
            prefixes.append(len(prefix))
            order = [action.thread for action in prefix]
            begun = sorted(self.thread, key=lambda t: -order.count(t))
            order += [t for t in begun for _ in range(2 - order.count(t))]
            counter, trace = [0, 0], []
            for thread in order:
                operation = program[thread][counter[thread]]
                counter[thread] += 1
                trace.append(unfold.Traced(unfold.Action(done[operation.kind], thread, lock),
                                           operation))
            ends = [unfold.Pending(t, op.exit()) for t in self.thread]
            wrong = [trace[0]._replace(operation=op.trylock(lock)), *trace[1:]]
            self.assertRaises(unfold.Nondeterminism if prefixes[1:] else unfold.Missing,
                              explorer.feed, wrong if prefixes[1:] else trace,
                              ends if prefixes[1:] else [])
            self.assertTrue(explorer.feed(trace, ends).complete)
        self.assertEqual(prefixes, [0, 1])
        self.assertEqual(explorer.counts.traces, 2)


class Interleavings(unittest.TestCase):
    """All interleavings by hand against all algorithms: the definition of a trace."""

    def test_traces(self):
        """Threads with private and shared locks: traces are the orders of each lock."""
        for counts in itertools.product((1, 2), repeat=2):
            with unfold.Context() as context:
                unfolding = unfold.Unfolding(context)
                shared = unfolding.mutex(0)
                program = {}
                for number, times in enumerate(counts):
                    own = unfolding.mutex(1 + number)
                    program[unfolding.thread(number, start=True)] = [
                        op.lock(own), op.lock(shared), op.unlock(shared), op.unlock(own)] * times
                expected = math.comb(sum(counts), counts[0])
                found = unfold.Explorer(unfolding).explore(Straight(program))
                self.assertEqual((found.traces, found.deadlocks), (expected, 0))


if __name__ == "__main__":
    unittest.main()
