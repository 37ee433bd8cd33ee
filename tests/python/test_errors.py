"""Exceptions in callbacks, signals, refused allocations, limits: calls end, and go on."""
import os
import signal
import time
import traceback
import unittest

import unfold
from common import Allocator, Straight, lockers, philosophers
from unfold import operations as op


class Boom(BaseException):
    """Not an Exception, as KeyboardInterrupt is not."""


class Raising:
    """An engine that raises in its n-th callback, once, for each n."""

    def __init__(self, engine):
        self.engine, self.at, self.count = engine, 0, 0
        self.states = 0

    def tick(self, name):
        """Raises where it is time to."""
        self.count += 1
        if self.count == self.at:
            raise Boom(name, self.count)

    def restart(self, run):
        """As the engine."""
        self.tick("restart")
        self.engine.restart(run)

    def next(self, thread):
        """As the engine."""
        self.tick("next")
        return self.engine.next(thread)

    def perform(self, step):
        """As the engine; the exception comes before anything is changed."""
        self.tick("perform")
        return self.engine.perform(step)

    def blocked(self, explorer):
        """Blocks nobody."""
        self.tick("blocked")

    def ended(self, verdict, explorer):
        """Looks."""
        self.tick("ended")
        self.states += len(explorer.path) > 0

    def progress(self, explorer):
        """Nothing."""
        self.tick("progress")


class Exceptions(unittest.TestCase):
    """What a callback raises."""

    def test_every_callback_once(self):
        """Whichever callback raises, the exception comes out as it is, and the next call goes on:
        the counts are those of a run without exceptions."""
        for algorithm in (unfold.Algorithm.QPOR, unfold.Algorithm.ODPOR, unfold.Algorithm.DFS):
            at, names = 0, set()
            while True:
                at += 1
                with unfold.Context() as context:
                    unfolding = unfold.Unfolding(context)
                    engine = Raising(philosophers(unfolding, 2))
                    engine.at = at
                    explorer = unfold.Explorer(unfolding, algorithm=algorithm)
                    try:
                        counts = explorer.explore(engine)
                        self.assertGreater(at, engine.count)
                        break
                    except Boom as error:
                        self.assertEqual(error.args[1], at)
                        names.add(error.args[0])
                        frames = [f.name for f in traceback.extract_tb(error.__traceback__)]
                        self.assertEqual(frames[-2:], [error.args[0], "tick"])
                        self.assertIsNone(error.__context__)
                    counts = explorer.explore(engine)
                    self.assertEqual((counts.traces, counts.deadlocks), (3, 1))
            self.assertEqual(names, {"restart", "next", "perform", "blocked", "ended", "progress"})

    def test_results_that_are_wrong(self):
        """A callback that returns nonsense gets a TypeError, and the call can be made again."""
        with unfold.Context() as context:
            unfolding = unfold.Unfolding(context)
            engine = lockers(unfolding, 2)
            explorer = unfold.Explorer(unfolding)
            for name, wrong in (("next", lambda t: None), ("next", lambda t: 5),
                                ("next", lambda t: op.lock("m")), ("perform", lambda s: "done"),
                                ("next", lambda t: op.lock(2**40))):
                setattr(engine, name, wrong)
                self.assertRaises((TypeError, OverflowError, AttributeError), explorer.explore,
                                  engine)
                delattr(engine, name)
            self.assertEqual(explorer.explore(engine).traces, 2)

    def test_divergence(self):
        """Statuses of the library end explore() too."""
        with unfold.Context() as context:
            unfolding = unfold.Unfolding(context)
            engine = lockers(unfolding, 2)
            explorer = unfold.Explorer(unfolding)
            engine.perform = lambda step: step.action._replace(kind=unfold.ActionKind.RELEASE)
            with self.assertRaises(unfold.Divergence) as caught:
                explorer.explore(engine)
            self.assertEqual(caught.exception.detail.step, 1)
            self.assertIn("acq", caught.exception.detail.expected)
            self.assertIn("rel", caught.exception.detail.seen)
            del engine.perform
            explorer.abandon()
            self.assertEqual(explorer.explore(engine).traces, 2)

    def test_progress_and_log(self):
        """They may raise, too, and False from progress interrupts."""
        lines = []
        answers = [True, False, ZeroDivisionError]

        def progress(so_far):
            answer = answers.pop(0) if answers else True
            if answer is ZeroDivisionError:
                raise answer
            self.assertGreater(so_far.bytes, 0)
            return answer
        with unfold.Context(progress=progress, progress_interval=2, log=lines.append) as context:
            unfolding = unfold.Unfolding(context)
            engine = lockers(unfolding, 4)
            explorer = unfold.Explorer(unfolding)
            self.assertRaises(unfold.Interrupted, explorer.explore, engine)
            self.assertRaises(ZeroDivisionError, explorer.explore, engine)
            self.assertEqual(explorer.explore(engine).traces, 24)
        self.assertTrue(lines and all(isinstance(line, str) for line in lines))

    def test_limits(self):
        """Limit, what is left, and going on."""
        with unfold.Context(unfold.Limits(runs=5)) as context:
            unfolding = unfold.Unfolding(context)
            explorer, engine = unfold.Explorer(unfolding), lockers(unfolding, 4)
            self.assertRaises(unfold.Limit, explorer.explore, engine)
            self.assertEqual(context.left.runs, 0)
            context.set_limits(unfold.Limits())
            self.assertEqual(context.left.runs, 2**64 - 1)
            self.assertEqual(explorer.explore(engine).traces, 24)


class Signals(unittest.TestCase):
    """Handlers that raise, as that of Ctrl-C does."""

    def test_at_any_time(self):
        """A signal at any time of an exploration comes out once, and nothing is lost."""
        hits = 0

        def handler(_number, _frame):
            raise Boom("signal")
        before = signal.signal(signal.SIGALRM, handler)
        try:
            for delay in range(1, 120):
                with unfold.Context() as context:
                    unfolding = unfold.Unfolding(context)
                    engine, explorer = lockers(unfolding, 4), unfold.Explorer(unfolding)
                    engine.ended = lambda verdict, given: given.configuration().maximal
                    counts = None
                    while counts is None:
                        try:
                            signal.setitimer(signal.ITIMER_REAL, delay * 1e-4)
                            counts = explorer.explore(engine)
                            signal.setitimer(signal.ITIMER_REAL, 0)
                        except Boom:
                            hits += 1
                            delay = 100000
                    self.assertEqual(counts.traces, 24)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        self.assertGreater(hits, 3)

    def test_in_the_middle_of_a_callback(self):
        """The callback ends first, so that it need not be made again."""
        with unfold.Context() as context:
            unfolding = unfold.Unfolding(context)
            engine, explorer = lockers(unfolding, 3), unfold.Explorer(unfolding)
            steps = 0

            def perform(step):
                nonlocal steps
                Straight.perform(engine, step)
                steps += 1
                if steps % 7 == 0:
                    os.kill(os.getpid(), signal.SIGINT)
            engine.perform, counts, hits = perform, None, 0
            while counts is None:
                try:
                    counts = explorer.explore(engine)
                except KeyboardInterrupt:
                    hits += 1
            self.assertEqual((counts.traces, hits), (6, 5))

    def test_in_an_endless_callback(self):
        """The second signal interrupts the code of a callback; the first waits for its end."""
        with unfold.Context() as context:
            unfolding = unfold.Unfolding(context)
            engine, explorer = lockers(unfolding, 2), unfold.Explorer(unfolding)

            def restart(run):
                os.kill(os.getpid(), signal.SIGINT)
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(60)
            engine.restart = restart
            self.assertRaises(KeyboardInterrupt, explorer.explore, engine)
            del engine.restart
            self.assertEqual(explorer.explore(engine).traces, 2)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)


class Memory(unittest.TestCase):
    """Allocations that are refused."""

    def test_every_allocation(self):
        """Each allocation in turn: Memory, and then the same counts. What the context holds comes
        back."""
        refused = 0
        for number in range(1, 100000):
            allocator = Allocator(number)
            context = unfolding = explorer = counts = configuration = engine = text = None
            tries = 0
            while text is None:
                try:
                    context = context or unfold.Context(reallocate=allocator)
                    unfolding = unfolding or unfold.Unfolding(context)
                    engine = engine or philosophers(unfolding, 2)
                    explorer = explorer or unfold.Explorer(unfolding)
                    counts = explorer.explore(engine)
                    configuration = configuration or explorer.configuration()
                    events = list(configuration)
                    text = unfolding.dot() + unfolding.json() + str(events[0].history)
                except unfold.Memory as error:
                    self.assertIsInstance(error, MemoryError)
                    self.assertEqual(error.status, unfold.Status.MEMORY)
                    tries += 1
            self.assertEqual((counts.traces, counts.deadlocks, counts.events), (3, 1, 16))
            context.close()
            self.assertEqual(allocator.held, 0)
            self.assertLessEqual(tries, 1)
            refused += tries
            if tries == 0:
                break
        self.assertGreater(refused, 50)

    def test_an_allocator_that_raises(self):
        """What it raises comes out of the call; to free is not refused."""
        class Odd(Allocator):
            """Raises where the other refuses."""

            def __call__(self, block, old, new):
                result = super().__call__(block, old, new)
                if new > 0 and result == 0:
                    raise Boom("no")
                return result
        for number in range(1, 60):
            allocator = Odd(number)
            context = None
            try:
                context = unfold.Context(reallocate=allocator)
                unfolding = unfold.Unfolding(context)
                unfold.Explorer(unfolding).explore(Straight({unfolding.thread(0, start=True): []}))
            except Boom:
                pass
            if context is not None:
                context.close()
            self.assertEqual(allocator.held, 0)


if __name__ == "__main__":
    unittest.main()
