"""Effect families and predicates in Python: their answers, their exceptions, what they may call."""
import unittest

import unfold
from common import Straight
from unfold import Algorithm, Answer, Mode
from unfold import operations as op

PUT, TOOK, STOLE, NOTHING = range(4)
TASKS = 4


class Pools:
    """The pools of tasks of doc/writing-a-family.md."""
    name = "pool"
    wrong = False  # leaves out that who finds nothing looked at both pools
    fail = {}  # what raises in which call

    def __init__(self, pools):
        self.pools, self.calls = pools, {}

    def tick(self, name):
        """Raises where it is asked to."""
        self.calls[name] = self.calls.get(name, 0) + 1
        if self.fail.get(name) == self.calls[name]:
            raise ZeroDivisionError(name)

    def value(self, kind, task, other):
        """What an action has to say in one number."""
        return kind + 4 * (task + TASKS * other)

    def uses(self, action):
        """By the table of the page."""
        self.tick("uses")
        kind, other = action.value % 4, self.pools[action.value // 4 // TASKS]
        modes = {PUT: [Mode.ADD], TOOK: [Mode.WRITE], STOLE: [Mode.READ, Mode.WRITE],
                 NOTHING: [Mode.READ, Mode.READ]}[kind]
        if self.wrong and kind == NOTHING:
            modes = [Mode.READ]
        return zip((action.target, other), modes)

    def contents(self, view, pool):
        """The tasks that a pool has."""
        found = [0] * TASKS
        for action in view.history(pool):
            kind, task = action.value % 4, action.value // 4 % TASKS
            found[task] += kind == PUT
            found[task] -= kind == (TOOK if action.target == pool else STOLE)
        return [task for task in range(TASKS) if found[task]]

    def outcomes(self, view, _thread, operation):
        """A put, or each task that can be had."""
        self.tick("outcomes")
        if operation.low == 0:
            return [self.value(PUT, operation.high, 0)]
        other = operation.high
        taken = [self.value(TOOK, task, other) for task in self.contents(view, operation.target)]
        taken = taken or [self.value(STOLE, task, other)
                          for task in self.contents(view, self.pools[other])]
        return taken or [self.value(NOTHING, 0, other)]

    def concerns(self, operation):
        """The own pool, and for a steal the other one."""
        self.tick("concerns")
        steals = operation.low == 1
        return [operation.target, self.pools[operation.high]] if steals else [operation.target]


class Families(unittest.TestCase):
    """Pools of tasks."""

    def world(self, **attributes):
        """The program of the page."""
        self.context = unfold.Context()
        self.addCleanup(self.context.close)
        unfolding = unfold.Unfolding(self.context)
        pools = [unfolding.custom(i) for i in range(2)]
        pool = Pools(pools)
        for name, value in attributes.items():
            setattr(pool, name, value)
        family = unfolding.register(pool)
        program = [[unfold.operate(family, pools[0], 0, 1)],
                   [unfold.operate(family, pools[0], 0, 2), unfold.operate(family, pools[0], 1, 1)],
                   [unfold.operate(family, pools[1], 1, 0)]]
        engine = Straight({unfolding.thread(i, start=True): steps
                           for i, steps in enumerate(program)})
        return unfolding, engine

    def test_traces(self):
        """Twelve, whatever the algorithm."""
        for algorithm in (Algorithm.QPOR, Algorithm.ODPOR, Algorithm.EAGER, Algorithm.DFS):
            unfolding, engine = self.world()
            explorer = unfold.Explorer(unfolding, algorithm=algorithm)
            plain = engine.perform

            def perform(step):
                explorer.configuration().check_independence()
                plain(step)
            engine.perform = perform
            self.assertEqual(explorer.explore(engine).traces, 12)

    def test_probes(self):
        """Probes have an unfolding of their own, which the view leads to."""
        unfolding, engine = self.world()
        counts = unfold.Explorer(unfolding, probes=2).explore(engine)
        self.assertEqual(counts.traces, 12)
        self.assertGreater(counts.probes, 0)

    def test_a_family_that_is_wrong(self):
        """The check says why."""
        unfolding, engine = self.world(wrong=True)
        explorer = unfold.Explorer(unfolding, algorithm=Algorithm.DFS)
        plain = engine.perform

        def perform(step):
            explorer.configuration().check_independence()
            plain(step)
        engine.perform = perform
        with self.assertRaisesRegex(unfold.Broken, "disables an action that does not depend"):
            explorer.explore(engine)

    def test_exceptions(self):
        """Whichever call of the family raises, the exception comes out, and the next call goes
        on."""
        for name in ("uses", "outcomes", "concerns"):
            raised = 0
            for at in range(1, 60):
                unfolding, engine = self.world(fail={name: at})
                explorer = unfold.Explorer(unfolding, algorithm=Algorithm.EAGER)
                for _ in range(2):
                    try:
                        counts = explorer.explore(engine)
                        break
                    except ZeroDivisionError as error:
                        self.assertEqual(error.args, (name,))
                        raised += 1
                self.assertEqual(counts.traces, 12, (name, at))
                explorer.check()
            self.assertGreater(raised, 5, name)

    def test_what_it_may_call(self):
        """What only looks; all else raises State."""
        unfolding, engine = self.world()
        told = []
        plain = Pools.outcomes

        def outcomes(pool, view, thread, operation):
            view.unfolding.describe_object(operation.target)
            self.assertEqual(len(view.unfolding.threads), 3)
            for call in (lambda: unfolding.thread(9), lambda: unfold.Configuration(unfolding),
                         unfolding.close, lambda: unfolding.mutex(0)):
                try:
                    call()
                except unfold.State as error:
                    told.append(str(error))
            return plain(pool, view, thread, operation)
        Pools.outcomes = outcomes
        try:
            self.assertEqual(unfold.Explorer(unfolding).explore(engine).traces, 12)
        finally:
            Pools.outcomes = plain
        self.assertEqual(set(told), {"not allowed in a callback of this kind"})
        self.assertEqual(len(told) % 4, 0)

    def test_wrong_results(self):
        """What is no pair, or no number, is an exception of the family."""
        for name, wrong in (("uses", lambda action: [action.target]), ("outcomes", lambda *_: ["x"]),
                            ("outcomes", lambda *_: [2**63]), ("concerns", lambda o: 5)):
            unfolding, engine = self.world(**{name: wrong})
            self.assertRaises((TypeError, ValueError, OverflowError),
                              unfold.Explorer(unfolding, algorithm=Algorithm.EAGER).explore, engine)

    def test_registering(self):
        """Errors of the library."""
        unfolding, _ = self.world()
        self.assertRaises(unfold.Invalid, unfolding.register, Pools([]))  # the name is taken


class Slots:
    """A box with parts: put and look, each at one part; a look waits for the put."""
    name = "slots"
    parts = True

    def uses(self, action):
        """Only the part, where there are parts."""
        part, mode = action.value // 2, Mode.READ if action.value % 2 else Mode.WRITE
        return [(action.target, mode, part)] if self.parts else [(action.target, mode)]

    def outcomes(self, view, _thread, operation):
        """A put; or a look, if something was put there."""
        part = operation.high
        if operation.low == 0:
            return [2 * part]
        if self.parts:
            last = view.last_write(operation.target, part)
            assert (last == view.unfolding.bottom) == (view.part_history(operation.target, part) == [])
            return [2 * part + 1] if last != view.unfolding.bottom else []
        return [2 * part + 1] if view.history(operation.target) else []

    def concerns(self, operation):
        """The part, as a pair."""
        return [(operation.target, operation.high)] if self.parts else [operation.target]


class Parts(unittest.TestCase):
    """Parts of objects, and the ready families."""

    def explore(self, algorithm, parts):
        """Two threads that put into different parts, and the traces."""
        with unfold.Context() as context:
            unfolding = unfold.Unfolding(context)
            slots = Slots()
            slots.parts = parts
            family, box = unfolding.register(slots), unfolding.custom(0)
            steps = [[unfold.operate(family, box, 0, part), unfold.operate(family, box, 1, part)]
                     for part in (1, 2**40)]
            engine = Straight({unfolding.thread(i, start=True): one
                               for i, one in enumerate(steps)})
            return unfold.Explorer(unfolding, algorithm=algorithm).explore(engine).traces

    def test_parts(self):
        """Different parts are independent; the whole is not."""
        for algorithm in (Algorithm.QPOR, Algorithm.ODPOR, Algorithm.EAGER, Algorithm.DFS):
            self.assertEqual(self.explore(algorithm, True), 1)
            self.assertEqual(self.explore(algorithm, False), 4)

    def test_labels(self):
        """What a family says of its actions, and what it raises then."""
        class Told(Slots):
            def label(self, action):
                if action.value > 1:
                    raise KeyError("no slot")
                return f"slot {action.value}"
        with unfold.Context() as context:
            unfolding = unfold.Unfolding(context)
            number = unfolding.register(Told())
            thread, box = unfolding.thread(0, start=True), unfolding.custom(0)
            did = unfold.Action(unfold.ActionKind.CUSTOM, thread, box, number, 1)
            names = unfold.Names(objects={box: "box"})
            self.assertEqual(unfolding.label(did, names), "box slot 1")
            with self.assertRaises(KeyError):
                unfolding.label(unfold.Action(unfold.ActionKind.CUSTOM, thread, box, number, 2), names)

    def counts(self, make):
        """The counts of a program of generators."""
        found = set()
        for algorithm in (Algorithm.QPOR, Algorithm.ODPOR, Algorithm.EAGER):
            with unfold.Context() as context:
                unfolding = unfold.Unfolding(context)
                explorer = unfold.Explorer(unfolding, algorithm=algorithm)
                found.add(explorer.explore(unfold.Program(make(unfolding))).traces)
        return found

    def test_channels(self):
        """Two senders of two and one receiver of four: 6 traces; one of each, with room: 1."""
        def two(unfolding):
            channels = unfold.Channels(unfolding)
            c = channels.channel(0)

            def sends(_shared):
                for number in range(2):
                    action = yield channels.send(c, number)
                    assert channels.did(action)[0] == unfold.ChannelOutcome.SENT

            def receives(_shared):
                for number in range(4):
                    action = yield channels.receive(c)
                    assert channels.did(action) == (unfold.ChannelOutcome.RECEIVED, number)
                yield channels.close(c)
                action = yield channels.try_send(c)
                assert channels.did(action)[0] == unfold.ChannelOutcome.SEND_CLOSED
                action = yield channels.try_receive(c)
                assert channels.did(action)[0] == unfold.ChannelOutcome.ENDED
            threads = [unfolding.thread(i, start=True) for i in range(3)]
            return {threads[0]: sends, threads[1]: sends, threads[2]: receives}
        self.assertEqual(self.counts(two), {6})
        with unfold.Context() as context:
            channels = unfold.Channels(unfold.Unfolding(context))
            self.assertRaisesRegex(unfold.Invalid, "rendezvous", channels.channel, 0, 0)

    def test_mailboxes_and_futures(self):
        """One receiver of two senders: two orders; a poll of a future: set, or not yet."""
        def mail(unfolding):
            mailboxes = unfold.Mailboxes(unfolding)
            threads = [unfolding.thread(i, start=True) for i in range(3)]
            box = mailboxes.mailbox(threads[0])

            def receives(_shared):
                senders = []
                for _ in range(2):
                    action = yield mailboxes.receive(box, 1 << 5)
                    outcome, message = mailboxes.did(action)
                    assert outcome == unfold.MailboxOutcome.RECEIVED and message.tag == 5
                    senders.append(message.sender)
                assert sorted(senders) == [1, 2]
                assert mailboxes.did((yield mailboxes.try_receive(box)))[0] == \
                    unfold.MailboxOutcome.EMPTY

            def sends(number):
                def body(_shared):
                    yield mailboxes.send(box, number, 5)
                return body
            return {threads[0]: receives, threads[1]: sends(1), threads[2]: sends(2)}
        self.assertEqual(self.counts(mail), {2})

        def set_once(unfolding):
            futures = unfold.Futures(unfolding)
            future = futures.future(7)

            def sets(_shared):
                assert futures.did((yield futures.set(future, 3))) == unfold.FutureOutcome.SET

            def polls(_shared):
                first = futures.did((yield futures.poll(future)))
                assert futures.did((yield futures.get(future))) == unfold.FutureOutcome.GOT
                assert first in (unfold.FutureOutcome.UNSET, unfold.FutureOutcome.GOT)
            threads = [unfolding.thread(i, start=True) for i in range(2)]
            return {threads[0]: sets, threads[1]: polls}
        self.assertEqual(self.counts(set_once), {2})


class Predicate:
    """Two inputs from 0 to 2; thread 0 tests x < y, thread 1 tests y < x."""
    raises = None
    unknown = False
    core = False

    def __init__(self):
        self.calls = 0

    def consistent(self, events, known):
        """Tries all values; with cores, or unknown."""
        self.calls += 1
        assert 0 <= known <= len(events)
        if self.calls == self.raises:
            raise ZeroDivisionError
        for x in range(3):
            for y in range(3):
                if all((x < y if e.literal.term == 0 else y < x) == (e.literal.outcome == 1)
                       for e in events):
                    return Answer.UNKNOWN if self.unknown else unfold.Satisfied((x, y))
        return unfold.Refuted(events) if self.core else Answer.NO


class Predicates(unittest.TestCase):
    """Branches on unknown data."""

    def explore(self, predicate):
        """Two threads that test, and the counts."""
        with unfold.Context() as context:
            unfolding = unfold.Unfolding(context)
            unfolding.set_consistency(predicate)
            engine = Straight({unfolding.thread(i, start=True): [op.branch(i, 2)]
                               for i in range(2)})
            explorer = unfold.Explorer(unfolding)
            try:
                counts = explorer.explore(engine)
            except ZeroDivisionError:
                counts = explorer.explore(engine)
            event = explorer.path[0]
            self.assertEqual(event.literal.outcomes, 2)
            self.assertIn(explorer.configuration().consistent, (Answer.YES, Answer.UNKNOWN))
            return counts, unfolding.consistency_counts

    def test_answers(self):
        """Three of four pairs of outcomes; cores and exceptions change nothing."""
        for core in (False, True):
            predicate = Predicate()
            predicate.core = core
            counts, asked = self.explore(predicate)
            self.assertEqual((counts.traces, counts.undecided), (3, 0))
            self.assertEqual(asked.calls, predicate.calls)

    def test_unknown(self):
        """Executions whose predicate does not know are counted apart."""
        predicate = Predicate()
        predicate.unknown = True
        counts, asked = self.explore(predicate)
        self.assertEqual((counts.traces, counts.undecided), (0, 3))
        self.assertGreater(asked.unknown, 0)

    def test_cutoffs(self):
        """With cutoffs, what literals leave open is told, too."""
        with unfold.Context() as context:
            unfolding = unfold.Unfolding(context)
            unfolding.set_consistency(Predicate())
            threads = [unfolding.thread(i, start=True) for i in range(2)]
            engine = Straight({thread: [] for thread in threads})
            engine.perform = lambda step: None
            engine.next = lambda thread: op.branch(threads.index(thread), 2)
            engine.changed = engine.condition = unfold.Fingerprint
            explorer = unfold.Explorer(unfolding, cutoffs=unfold.CutoffOrder.ERV)
            self.assertGreater(explorer.explore(engine).truncated, 0)
            explorer.cutoffs.check()
            table = unfold.Cutoffs(unfolding, unfold.CutoffOrder.SIZE)
            nothing = unfold.Fingerprint()
            self.assertEqual(table.add_under(next(iter(unfolding)), nothing, nothing),
                             unfold.CutoffVerdict.IS)
            self.assertRaises(unfold.State, explorer.changed_under, nothing, nothing)

    def test_exceptions(self):
        """The call ends; afterwards all traces are found, decided or not."""
        for at in range(1, 5):
            predicate = Predicate()
            predicate.raises = at
            counts, _ = self.explore(predicate)
            self.assertEqual(counts.traces + counts.undecided, 3, at)

    def test_a_core_that_was_not_asked(self):
        """Is an error of the predicate."""
        predicate = Predicate()
        with unfold.Context() as context:
            unfolding = unfold.Unfolding(context)
            predicate.consistent = lambda events, known: unfold.Refuted([unfolding.bottom])
            unfolding.set_consistency(predicate)
            engine = Straight({unfolding.thread(0, start=True): [op.branch(0, 2)]})
            self.assertRaises(ValueError, unfold.Explorer(unfolding).explore, engine)


if __name__ == "__main__":
    unittest.main()
