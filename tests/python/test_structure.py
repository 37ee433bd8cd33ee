"""Contexts, threads, objects, events, relations, configurations, extensions."""
import ctypes
import json
import unittest

import unfold
from common import World
from unfold import operations as op


class Names(World):
    """Threads and objects."""

    def test_threads(self):
        """The same name has the same handle, and is told back."""
        child = self.unfolding.thread(2, self.thread[0])
        self.assertEqual(child, self.unfolding.thread(2, self.thread[0]))
        self.assertEqual(self.unfolding.describe_thread(child), (self.thread[0], 2, False))
        self.assertEqual(self.unfolding.describe_thread(self.thread[1]), (None, 1, True))
        self.assertEqual(self.unfolding.path(child), "0.2")
        self.assertEqual(len(self.unfolding.threads), 3)

    def test_objects(self):
        """Class, creator and key."""
        mine = self.unfolding.location(2**64 - 1, self.thread[1], initial=-5)
        self.assertEqual(self.unfolding.describe_object(mine),
                         (unfold.ObjectClass.LOCATION, self.thread[1], 2**64 - 1))
        self.assertEqual(unfold.Configuration(self.unfolding).value(mine), -5)
        semaphore = self.unfolding.semaphore(0, initial=1, maximum=2)
        self.assertIsNone(self.unfolding.describe_object(semaphore).creator)
        made = [self.unfolding.condition(0), self.unfolding.rwlock(0), self.unfolding.barrier(0),
                self.unfolding.custom(0), self.unfolding.futex(0)]
        self.assertEqual([self.unfolding.describe_object(o).object_class.name for o in made],
                         ["CONDITION", "RWLOCK", "BARRIER", "CUSTOM", "FUTEX"])
        self.assertEqual(len(self.unfolding.objects), 9)

    def test_ranges(self):
        """Locations in bytes."""
        space, part = self.unfolding.location(1), self.unfolding.location(2)
        self.assertEqual(self.unfolding.range_of(space), (None, 0, 8))
        self.unfolding.place(part, space, 4, 2)
        self.assertEqual(self.unfolding.range_of(part), (space, 4, 2))

    def test_thread_sets(self):
        """Sets of threads do not depend on the order."""
        pair = self.unfolding.thread_set(self.thread)
        self.assertEqual(pair, self.unfolding.thread_set(reversed(self.thread)))
        self.assertEqual(self.unfolding.members(pair), self.thread)
        self.assertEqual(self.unfolding.members(self.unfolding.thread_set([])), [])

    def test_numbers_that_do_not_fit(self):
        """They are errors, and not cut."""
        for call in (lambda: self.unfolding.thread(2**32), lambda: self.unfolding.mutex(-1),
                     lambda: op.lock(2**32).to_raw(), lambda: op.local(0, 2**63).to_raw(),
                     lambda: self.unfolding.set_initial(self.mutex[0], 2**63),
                     lambda: self.unfolding.thread_set([2**32]),
                     lambda: unfold.ExplorerOptions(seed=2**64),
                     lambda: unfold.Limits(events=-1).to_raw()):
            with self.assertRaisesRegex(Exception, "Overflow|not fit|range"):
                call()

    def test_errors(self):
        """A status is an exception with the detail."""
        with self.assertRaises(unfold.Unknown) as caught:
            self.unfolding.thread(0, unfold.Thread(77))
        self.assertIsInstance(caught.exception, unfold.Error)
        self.assertIsInstance(caught.exception, LookupError)
        self.assertEqual(caught.exception.status, unfold.Status.UNKNOWN)
        self.assertIn("parent thread", str(caught.exception))
        self.assertEqual(caught.exception.detail.status, unfold.Status.UNKNOWN)
        self.assertEqual(self.context.detail, caught.exception.detail)


class Events(World):
    """Events and their relations."""

    def test_history(self):
        """Predecessors, histories, cookies, fingerprints."""
        one = unfold.Configuration(self.unfolding)
        first, gives = one.perform(self.acquire(0, 0)), one.perform(self.release(0, 0))
        second = one.perform(self.acquire(1, 0))
        self.assertEqual(second.predecessors, [gives])
        self.assertEqual(second.history, [first, gives, second])
        self.assertEqual(first.predecessors, [self.unfolding.bottom])
        self.assertEqual(second.action, self.acquire(1, 0))
        self.assertEqual(str(second), "1 acq mutex - 0")
        self.assertEqual(repr(self.unfolding.bottom), "<event 0: ⊥>")
        self.assertTrue(first < second and first <= first and not first < first)
        self.assertEqual(second.cookie, 0)
        second.cookie = 2**64 - 1
        self.assertEqual(second.cookie, 2**64 - 1)
        other = unfold.Unfolding(self.context)
        thread, mutex = other.thread(0, start=True), other.mutex(0)
        same = other.intern(unfold.Action(unfold.ActionKind.ACQUIRE, thread, mutex), [])
        self.assertEqual(same.fingerprint, first.fingerprint)
        self.assertNotEqual(same, first)
        with self.assertRaises(unfold.Invalid):
            first.conflicts(same)

    def test_relations(self):
        """Causality, conflict, concurrency; interned events."""
        intern, bottom = self.unfolding.intern, self.unfolding.bottom
        zero, one = intern(self.acquire(0, 0), [bottom]), intern(self.acquire(1, 0), [bottom])
        gives = intern(self.release(0, 0), [zero])
        apart = intern(self.acquire(1, 1), [])
        self.assertTrue(zero.conflicts_immediately(one) and gives.conflicts(one))
        self.assertFalse(gives.conflicts_immediately(one))
        self.assertTrue(zero.concurrent(apart) and zero.precedes(gives))
        self.assertEqual(intern(self.acquire(0, 0), [bottom]), zero)
        self.assertEqual(len({zero, intern(self.acquire(0, 0), []), one}), 2)
        self.assertEqual(list(self.unfolding), [zero, one, gives, apart])
        self.assertEqual(self.unfolding.event(int(one)), one)
        self.assertRaises(unfold.Invalid, self.unfolding.event, 5)
        self.assertRaises(unfold.Invalid, getattr, bottom, "action")
        self.assertTrue(self.unfolding.dependent(self.acquire(0, 0), self.acquire(1, 0)))
        self.assertFalse(self.unfolding.dependent(self.acquire(0, 0), self.acquire(1, 1)))
        self.assertTrue(self.unfolding.weak_initial(apart, [zero, apart]))
        self.unfolding.check()

    def test_output(self):
        """DOT and JSON."""
        self.unfolding.intern(self.acquire(0, 0), [])
        self.assertTrue(self.unfolding.dot().startswith("digraph"))
        names = unfold.Names({self.thread[0]: 'the "first"'}, {self.mutex[0]: "läng" * 100})
        self.assertIn('the \\"first\\"', self.unfolding.dot(names))
        self.assertIn('[label="it"]', self.unfolding.dot(unfold.Names(events={1: "it"})))
        self.assertEqual(self.unfolding.label(self.acquire(0, 0), names), "acq " + "läng" * 100)
        self.assertEqual(self.unfolding.label(self.thread[0], names), 'the "first"')
        self.assertEqual(self.unfolding.label(self.thread[1], names), "1")
        self.assertEqual(self.unfolding.label(self.acquire(0, 1)), "acq mutex - 1")
        buffer = ctypes.create_string_buffer(b"x" * 9)
        for size, seen in ((0, b"x" * 9), (1, b""), (5, b"the "), (9, b"the \"fir")):
            self.assertEqual(names.raw.thread(None, self.thread[0], buffer, size), 11)
            self.assertEqual(buffer.value, seen)
        self.assertRaises(ValueError, unfold.Names, {self.thread[0]: "a\0b"})
        self.assertEqual(len(json.loads(self.unfolding.json())["events"]), 1)


class Configurations(World):
    """Configurations and extensions."""

    def test_sets(self):
        """Union, copies, membership, equality."""
        a, b = unfold.Configuration(self.unfolding), unfold.Configuration(self.unfolding)
        first = a.perform(self.acquire(0, 0))
        held = b.perform(self.acquire(1, 1))
        both = a.copy()
        both.unite(b)
        self.assertEqual((len(both), set(both), set(both.maximal)), (2, {first, held}, {first, held}))
        self.assertTrue(held in both and held not in a and a != b and a == a.copy())
        self.assertEqual(both.owner(self.mutex[1]), self.thread[1])
        self.assertIsNone(a.owner(self.mutex[1]))
        self.assertEqual(both.last(self.thread[0]), first)
        self.assertIsNone(both.last(self.unfolding.thread(0, self.thread[0])))
        self.assertTrue(a.extends(held) and a.concurrent(held) and not a.conflicts(held))
        b.clear()
        rival = b.perform(self.acquire(1, 0))
        self.assertTrue(a.conflicts(rival) and a.conflicts_immediately(rival))
        self.assertRaises(unfold.Conflict, a.unite, b)
        self.assertRaises(unfold.Conflict, a.add, rival)
        self.assertRaises(unfold.Conflict, a.extend, rival)
        self.assertRaises(unfold.Disabled, a.perform, self.acquire(1, 0))
        c = unfold.Configuration(self.unfolding)
        order, known = both.fewest_switches()
        self.assertEqual((set(order), known), ({first, held}, (1, 1)))
        c.add(held)
        c.extend(first)
        self.assertEqual(c, both)
        self.assertEqual(repr(c), "<configuration of 2 events>")
        self.assertEqual(json.loads(c.json())["size"], 2)
        self.assertTrue(c.dot().startswith("digraph"))
        c.check()

    def test_extensions(self):
        """The deadlock of two threads, and what could have happened instead."""
        c, (m, n) = unfold.Configuration(self.unfolding), self.mutex
        c.offer(self.thread[0], op.lock(m))
        with self.assertRaises(unfold.Missing) as caught:
            c.enabled()
        self.assertEqual(caught.exception.detail.thread, self.thread[1])
        c.offer(self.thread[1], op.lock(n))
        self.assertEqual(c.next(self.thread[1]), op.lock(n))
        self.assertEqual(c.actions(), [self.acquire(0, 0), self.acquire(1, 1)])
        self.assertEqual(len(c.enabled()), 2)
        c.check_independence()
        c.perform(self.acquire(0, 0))
        c.offer(self.thread[0], op.lock(n))
        mine = c.perform(self.acquire(1, 1))
        c.offer(self.thread[1], op.lock(m))
        self.assertEqual(c.enabled(), [])
        self.assertEqual([str(e) for e in c.conflicting()], ["0 acq mutex - 1", "1 acq mutex - 0"])
        self.assertEqual(set(c.extensions()), set(c.conflicting()))
        self.assertEqual(c.blocked(self.thread[0]), (True, [mine]))
        with self.assertRaises(unfold.Nondeterminism) as caught:
            c.offer(self.thread[1], op.lock(n))
        self.assertIn("lock mutex - 0", caught.exception.detail.expected)
        self.assertEqual(c.consistent, unfold.Answer.YES)


if __name__ == "__main__":
    unittest.main()
