"""What is freed when: any order, use after close, cycles, callbacks, threads, re-entrance."""
import copy
import gc
import itertools
import pickle
import random
import threading
import unittest
import weakref

import unfold
from common import Allocator, Straight, lockers
from unfold import operations as op


def everything(context):
    """One object of each class that is made from a context, and what to ask of it."""
    unfolding = unfold.Unfolding(context)
    thread = unfolding.thread(0, start=True)
    explorer = unfold.Explorer(unfolding, cutoffs=unfold.CutoffOrder.ERV)
    flow = unfold.Flow(context)
    flow.block()
    return [
        (context, lambda o: o.bytes), (unfolding, len), (explorer, lambda o: o.counts),
        (explorer.cutoffs, lambda o: o.counts),
        (unfold.Configuration(unfolding), lambda o: o.last(thread)),
        (unfold.Cutoffs(unfolding), lambda o: o.counts), (unfold.Races(unfolding), len),
        (unfold.Schedule(unfolding, "p"), str), (unfold.Tree(unfolding), lambda o: o.dot()),
        (unfold.SleepSets(unfolding), lambda o: o.last), (unfold.WakeupTrees(unfolding), len),
        (flow, lambda o: o.block()), (unfold.Purity(flow), str)]


class Order(unittest.TestCase):
    """The order in which objects go."""

    def test_every_order_of_closing(self):
        """Whatever is closed first, what depends on it says so, and all bytes come back."""
        draw = random.Random(1)
        for _ in range(50):
            allocator = Allocator()
            objects = everything(unfold.Context(reallocate=allocator))
            draw.shuffle(objects)
            for closing, _ in objects:
                closing.close()
                closing.close()
                for other, use in objects:
                    if other.closed:
                        self.assertRaisesRegex(unfold.State, "closed", use, other)
                    else:
                        use(other)
            self.assertEqual(allocator.held, 0)

    def test_every_order_of_dropping(self):
        """Without close(): references go in any order."""
        draw = random.Random(2)
        for _ in range(50):
            allocator = Allocator()
            objects = [o for o, _ in everything(unfold.Context(reallocate=allocator))]
            draw.shuffle(objects)
            while objects:
                objects.pop()
            gc.collect()
            self.assertEqual(allocator.held, 0)

    def test_cycles(self):
        """An engine that refers to its explorer, and a family to its unfolding, are collected."""
        for number in range(20):
            allocator = Allocator()
            context = unfold.Context(reallocate=allocator, log=lambda line: context)
            unfolding = unfold.Unfolding(context)
            engine = lockers(unfolding, 2)
            engine.explorer = unfold.Explorer(unfolding, order=unfold.Order.CHOSEN,
                                              choose=lambda leaves: engine and 0,
                                              forget=lambda state: engine)
            engine.kept = [everything(context), context, unfolding]
            engine.save = lambda steps: engine
            engine.restore = lambda run, state: 0
            engine.explorer.explore(engine)
            gone = weakref.ref(engine)
            del engine, context, unfolding
            gc.collect()
            self.assertIsNone(gone())
            self.assertEqual(allocator.held, 0, number)

    def test_kept_exceptions(self):
        """An engine that keeps what it raised, with the frames of the call, is collected."""
        allocator = Allocator()
        context = unfold.Context(reallocate=allocator)
        unfolding = unfold.Unfolding(context)
        engine = lockers(unfolding, 2)
        engine.explorer = unfold.Explorer(unfolding)
        engine.perform = lambda step: 1 // 0
        try:
            engine.explorer.explore(engine)
        except ZeroDivisionError as error:
            engine.error = error
        del engine, context, unfolding
        gc.collect()
        self.assertEqual(allocator.held, 0)

    def test_with(self):
        """`with` closes, also when the body raises."""
        with self.assertRaises(ZeroDivisionError):
            with unfold.Context() as context, unfold.Unfolding(context) as unfolding:
                raise ZeroDivisionError
        self.assertTrue(context.closed and unfolding.closed)
        context.interrupt()

    def test_copies(self):
        """Two owners of one pointer there are not."""
        with unfold.Context() as context:
            for one, _ in everything(context)[1:]:
                for function in (copy.copy, copy.deepcopy, pickle.dumps):
                    self.assertRaisesRegex(TypeError, "cannot be copied", function, one)

    def test_a_constructor_that_fails(self):
        """Leaves nothing half made."""
        with unfold.Context() as context:
            unfolding = unfold.Unfolding(context)
            self.assertRaises(unfold.Invalid, unfold.Unfolding, context, skip_step=1)
            self.assertRaises(unfold.Invalid, unfold.Schedule, unfolding, "")
            self.assertRaises(unfold.Unsupported, unfold.Explorer, unfolding, probes=1,
                              cutoffs=unfold.CutoffOrder.ERV)
            self.assertRaises(TypeError, unfold.Explorer, unfolding, nothing=1)
        self.assertRaises(unfold.State, unfold.Unfolding, context)


class Callbacks(unittest.TestCase):
    """What may be done while the library calls back."""

    def test_moving_and_closing(self):
        """An engine cannot move its explorer, nor close what is running."""
        with unfold.Context() as context:
            unfolding = unfold.Unfolding(context)
            engine = lockers(unfolding, 2)
            explorer = unfold.Explorer(unfolding)
            seen = []

            def ended(_verdict, given):
                self.assertIs(given, explorer)
                for call in (explorer.next, explorer.step, explorer.commit, explorer.finish,
                             explorer.prefix, explorer.abandon, explorer.close, unfolding.close,
                             context.close, lambda: explorer.explore(engine),
                             lambda: explorer.feed([], []), lambda: explorer.resume(1)):
                    with self.assertRaises(unfold.State) as caught:
                        call()
                    seen.append(str(caught.exception))
                with unfold.Configuration(unfolding) as mine:  # all else is allowed
                    self.assertEqual(len(mine), 0)
                self.assertEqual(len(explorer.configuration()), 4)
                unfold.Unfolding(context).close()
                self.assertEqual(explorer.explore, given.explore)
            engine.ended = ended
            self.assertEqual(explorer.explore(engine).traces, 2)
            self.assertEqual(len(seen), 24)

    def test_callbacks_that_may_do_nothing(self):
        """Progress, log and chooser are told so, and the exception comes out."""
        for which in ("progress", "log"):
            with unfold.Context(**{which: lambda what: context.bytes},
                                progress_interval=1) as context:
                unfolding = unfold.Unfolding(context)
                explorer = unfold.Explorer(unfolding)
                with self.assertRaisesRegex(unfold.State, "not allowed in a callback"):
                    explorer.explore(lockers(unfolding, 2))

    def test_what_engines_drop(self):
        """What goes while a call runs is freed then, and not at the end of everything."""
        allocator = Allocator()
        with unfold.Context(reallocate=allocator) as context:
            unfolding = unfold.Unfolding(context)
            engine, most = lockers(unfolding, 4), 0
            explorer = unfold.Explorer(unfolding)

            def ended(_verdict, given):
                nonlocal most
                cycle = [given.configuration()]
                cycle.append(cycle)
                del cycle
                gc.collect()
                most = max(most, len(unfolding._cell.children))
            engine.ended = ended
            explorer.explore(engine)
            self.assertLess(most, 5)

    def test_what_other_callbacks_drop(self):
        """Where nothing may be freed, it is freed at the next call from where it may."""
        kept, most = [], 0

        def progress(_so_far):
            kept.clear()
        with unfold.Context(progress=progress, progress_interval=1) as context:
            unfolding = unfold.Unfolding(context)
            explorer = unfold.Explorer(unfolding)
            engine = lockers(unfolding, 4)

            def ended(_verdict, given):
                nonlocal most
                kept.append(given.configuration())
                most = max(most, len(unfolding._cell.children))
            engine.ended = ended
            self.assertEqual(explorer.explore(engine).traces, 24)
            self.assertLess(most, 5)

    def test_callbacks_live_as_long_as_needed(self):
        """Nothing but the library refers to them any more."""
        def run():
            context = unfold.Context(progress=lambda so_far: True, progress_interval=1)
            unfolding = unfold.Unfolding(context)
            return unfold.Explorer(unfolding, order=unfold.Order.CHOSEN,
                                   choose=lambda leaves: len(leaves) - 1), lockers(unfolding, 3)
        explorer, engine = run()
        gc.collect()
        [bytearray(1000) for _ in range(100)]
        self.assertEqual(explorer.explore(engine).traces, 6)

    def test_views_end(self):
        """A view is of no use when its call is over."""
        kept = []

        class Family:
            """An object that is written."""
            name = "box"

            def uses(self, action):
                """The target."""
                return [(action.target, unfold.Mode.WRITE)]

            def outcomes(self, view, thread, operation):
                """One."""
                kept.extend([view, view.unfolding, *view.events(operation.target)])
                return [0]
        with unfold.Context() as context:
            unfolding = unfold.Unfolding(context)
            thread, box = unfolding.thread(0, start=True), unfolding.custom(0)
            family = unfolding.register(Family())
            program = Straight({thread: [unfold.operate(family, box)] * 2})
            self.assertEqual(unfold.Explorer(unfolding).explore(program).traces, 1)
            self.assertRaises(unfold.State, kept[0].history, box)
            self.assertRaises(unfold.State, len, kept[1])
            event = next(one for one in kept if isinstance(one, unfold.Event))
            self.assertRaises(unfold.State, getattr, event, "action")


class Freed(unittest.TestCase):
    """Events that an explorer frees."""

    def test_old_handles(self):
        """They and what has them raise State; the explorer goes on."""
        with unfold.Context() as context:
            unfolding = unfold.Unfolding(context)
            engine = lockers(unfolding, 4)
            explorer = unfold.Explorer(unfolding, collect=10)
            kept, stale = [], 0

            def ended(_verdict, given):
                nonlocal stale
                for event, configuration in kept:
                    try:
                        event.action, configuration.maximal
                    except unfold.State as error:
                        self.assertRegex(str(error), "freed|renumbered")
                        stale += 1
                repr(kept[0][0]) if kept else None
                path = given.path
                kept.append((path[-1], given.configuration()))
                self.assertEqual(set(path), set(kept[-1][1]))
            engine.ended = ended
            counts = explorer.explore(engine)
            self.assertEqual(counts.traces, 24)
            self.assertGreater(counts.collections, 0)
            self.assertGreater(stale, 0)


class Threads(unittest.TestCase):
    """Threads of Python."""

    def test_two_contexts(self):
        """Two threads explore at the same time, each in a context of its own."""
        found = []

        def explore(number):
            with unfold.Context() as context:
                unfolding = unfold.Unfolding(context)
                found.append((number, unfold.Explorer(unfolding).explore(
                    lockers(unfolding, number)).traces))
        threads = [threading.Thread(target=explore, args=(n,)) for n in (4, 5, 4, 5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(found), [(4, 24), (4, 24), (5, 120), (5, 120)])

    def test_one_context_in_two_threads(self):
        """The second is told so; what it drops waits; and it can interrupt."""
        with unfold.Context() as context:
            unfolding = unfold.Unfolding(context)
            engine = lockers(unfolding, 3)
            explorer = unfold.Explorer(unfolding)
            dropped = [unfold.Configuration(unfolding) for _ in range(10)]
            told = []

            def other():
                for call in (lambda: len(unfolding), context.close, dropped[0].clear):
                    try:
                        call()
                    except unfold.State as error:
                        told.append(str(error))
                dropped.clear()
                context.interrupt()

            def restart(run):
                if run.number == 2:
                    thread = threading.Thread(target=other)
                    thread.start()
                    thread.join()
                Straight.restart(engine, run)
            engine.restart = restart
            self.assertRaises(unfold.Interrupted, explorer.explore, engine)
            self.assertEqual(told, ["another thread is inside the context"] * 3)
            self.assertEqual(len(unfolding._cell.children), 1)
            self.assertEqual(explorer.explore(engine).traces, 6)

    def test_interrupting_while_closing(self):
        """interrupt() of a context that goes does nothing."""
        for _ in range(50):
            context = unfold.Context()
            threads = [threading.Thread(target=context.interrupt) for _ in range(3)]
            for thread in threads:
                thread.start()
            context.close()
            for thread in threads:
                thread.join()

    def test_collector_in_another_thread(self):
        """The collector runs in any thread, while another one is inside the context."""
        stop = threading.Event()

        def collect():
            while not stop.is_set():
                gc.collect()
        thread = threading.Thread(target=collect)
        thread.start()
        try:
            with unfold.Context() as context:
                unfolding = unfold.Unfolding(context)
                for _ in itertools.repeat(None, 2000):
                    cycle = [unfold.Configuration(unfolding)]
                    cycle.append(cycle)
                    del cycle
        finally:
            stop.set()
            thread.join()
        self.assertTrue(context.closed)


if __name__ == "__main__":
    unittest.main()
