#!/usr/bin/env python3
"""monkey.py [SEQUENCES [SEED]]: random calls on random objects, closed ones and those of other
contexts too, in callbacks and outside. Whatever is called, the answer is a result or an exception
that the package knows, and in the end all memory comes back."""
import gc
import random
import sys

import unfold
from common import Allocator, Straight
from unfold import operations as op

KNOWN = (unfold.Error, TypeError, ValueError, OverflowError, LookupError, AttributeError,
         ArithmeticError, __import__("ctypes").ArgumentError)
CONSTRUCTORS = [
    lambda d, pick: unfold.Unfolding(pick(unfold.Context)),
    lambda d, pick: unfold.Configuration(pick(unfold.Unfolding)),
    lambda d, pick: unfold.Explorer(pick(unfold.Unfolding), algorithm=unfold.Algorithm(d.randrange(7)),
                                    order=unfold.Order(d.randrange(4)), runs=3,
                                    collect=d.choice([0, 0, 0, 5]), probes=d.choice([0, 0, 2])),
    lambda d, pick: unfold.Explorer(pick(unfold.Unfolding), cutoffs=unfold.CutoffOrder(d.randrange(3))),
    lambda d, pick: unfold.Races(pick(unfold.Unfolding)),
    lambda d, pick: unfold.Schedule(pick(unfold.Unfolding), "p"),
    lambda d, pick: unfold.Tree(pick(unfold.Unfolding)),
    lambda d, pick: unfold.SleepSets(pick(unfold.Unfolding)),
    lambda d, pick: unfold.WakeupTrees(pick(unfold.Unfolding)),
    lambda d, pick: unfold.Cutoffs(pick(unfold.Unfolding), unfold.CutoffOrder(1 + d.randrange(2))),
    lambda d, pick: unfold.Flow(pick(unfold.Context)),
    lambda d, pick: unfold.Purity(pick(unfold.Flow)),
    lambda d, pick: pick(unfold.Unfolding).event(d.randrange(6)),
    lambda d, pick: d.choice(list(pick(unfold.Unfolding))),
    lambda d, pick: d.choice(pick(unfold.Explorer).path),
    lambda d, pick: pick(unfold.Explorer).configuration(),
    lambda d, pick: pick(unfold.Explorer).cutoffs,
    lambda d, pick: pick(unfold.Configuration).copy(),
]


class Monkey:
    """One sequence of calls."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.allocators = [Allocator(), Allocator()]
        self.things = [unfold.Context(reallocate=one) for one in self.allocators]
        self.depth = self.calls = self.explored = 0

    def pick(self, kind):
        """An object of a class."""
        return self.draw.choice([one for one in self.things if isinstance(one, kind)])

    def argument(self):
        """Anything."""
        draw = self.draw
        return draw.choice([
            lambda: draw.randrange(4), lambda: draw.choice([-1, 2**32, 2**64]), lambda: None,
            lambda: draw.choice(self.things), lambda: [draw.choice(self.things)],
            lambda: unfold.Action(draw.choice(list(unfold.ActionKind)), draw.randrange(3),
                                  draw.randrange(3), draw.randrange(3), draw.randrange(-1, 3)),
            lambda: unfold.Operation(draw.choice(list(unfold.OperationKind)), draw.randrange(3),
                                     draw.randrange(3), draw.randrange(3), draw.randrange(3)),
            lambda: [one for one in self.things if isinstance(one, unfold.Event)],
            unfold.Fingerprint, lambda: unfold.Access(draw.randrange(3), True, 0, 4, 1),
            lambda: unfold.Verdict(), lambda: self.engine(), lambda: b"x", lambda: "x"])()

    def engine(self, unfolding=None):
        """A program, whose callbacks make calls too."""
        try:
            unfolding = unfolding or self.pick(unfold.Unfolding)
            mutex = unfolding.mutex(0)
            threads = [unfolding.thread(i, start=len(unfolding) == 0) for i in range(2)]
        except (*KNOWN, IndexError):
            return None
        made = Straight({thread: [op.lock(mutex), op.unlock(mutex)] for thread in threads})
        for name in ("ended", "blocked", "progress", "save", "changed"):
            if self.draw.random() < 0.3:
                setattr(made, name, self.inside)
        return made

    def inside(self, *_):
        """Calls from a callback."""
        if self.depth < 3 and self.calls < 300:
            self.depth += 1
            for _ in range(self.draw.randrange(3)):
                self.call()
            self.depth -= 1
        if self.draw.random() < 0.1:
            raise ArithmeticError("of a callback")

    def call(self):
        """One call."""
        self.calls += 1
        draw = self.draw
        try:
            if draw.random() < 0.4:
                self.things.append(draw.choice(CONSTRUCTORS)(draw, self.pick))
                return
            if draw.random() < 0.15:
                explorer = self.pick(unfold.Explorer)
                explorer.explore(self.engine(explorer.unfolding))
                self.explored += 1
                return
            thing = draw.choice(self.things)
            if draw.random() < 0.05:
                self.things.remove(thing)
                return
            names = [name for name in dir(type(thing)) if not name.startswith("_")
                     and name not in ("interrupt", "borrowed", "read", "own", "handles",
                                      "events_of", "pointer", "unfolding", "fewest_switches")]
            name = draw.choice(names)
            if name == "close" and draw.random() < 0.7:
                return
            found = getattr(thing, name)
            if callable(found):
                found = found(*(self.argument() for _ in range(draw.randrange(4))))
            if hasattr(found, "__next__"):
                found = [one for one, _ in zip(found, range(5))]
            for one in found if isinstance(found, list) else []:
                if isinstance(one, unfold.Event) and len(self.things) < 60:
                    self.things.append(one)
        except KNOWN:
            pass

    def run(self):
        """The sequence."""
        for _ in range(60):
            self.call()
        order = self.draw.random() < 0.5
        for thing in self.things if order else []:
            if isinstance(thing, unfold.Context):
                thing.close()
        self.things.clear()
        thing = None
        gc.collect()
        for allocator in self.allocators:
            assert allocator.held == 0, f"{allocator.held} bytes are left"


def main():
    """Runs so many sequences."""
    count, seed = (list(map(int, sys.argv[1:])) + [300, 1][len(sys.argv) - 1:])[:2]
    calls = explored = 0
    for number in range(seed, seed + count):
        try:
            monkey = Monkey(number)
            monkey.run()
            calls += monkey.calls
            explored += monkey.explored
        except BaseException:
            print(f"monkey.py 1 {number}", file=sys.stderr)
            raise
    print(f"{count} sequences, {calls} calls, {explored} programs explored to the end")
    return 0 if explored >= count // 10 else 1


if __name__ == "__main__":
    sys.exit(main())
