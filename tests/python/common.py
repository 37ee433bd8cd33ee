"""What the tests share: small programs, and an allocator that refuses."""
import ctypes
import unittest

import unfold
from unfold import operations as op

libc = ctypes.CDLL(None)
libc.realloc.restype = libc.malloc.restype = ctypes.c_void_p
libc.realloc.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]


class Allocator:
    """realloc() that refuses request number `refuse`, and those behind it if `after`."""

    def __init__(self, refuse=None, after=False):
        self.requests, self.refuse, self.after, self.held = 0, refuse, after, 0

    def __call__(self, block, old, new):
        if new > old:
            self.requests += 1
            if self.refuse is not None and (self.requests == self.refuse or
                                            self.after and self.requests > self.refuse):
                return 0
        self.held += new - old
        if new == 0:
            libc.free(block)
            return 0
        return libc.realloc(block or None, new)


class World(unittest.TestCase):
    """A context with an unfolding, and threads that run from ⊥ on."""
    threads = 2

    def setUp(self):
        self.context = unfold.Context()
        self.unfolding = unfold.Unfolding(self.context)
        self.thread = [self.unfolding.thread(i, start=True) for i in range(self.threads)]
        self.mutex = [self.unfolding.mutex(i) for i in range(2)]

    def tearDown(self):
        self.context.close()

    def acquire(self, thread, mutex):
        """The action that a thread takes a mutex."""
        return unfold.Action(unfold.ActionKind.ACQUIRE, self.thread[thread], self.mutex[mutex])

    def release(self, thread, mutex):
        """The action that a thread gives a mutex back."""
        return unfold.Action(unfold.ActionKind.RELEASE, self.thread[thread], self.mutex[mutex])


class Straight:
    """An engine of threads that each perform a fixed list of operations."""

    def __init__(self, program):
        self.program, self.pc, self.runs = program, {}, 0

    def restart(self, run):
        """All threads at their beginning."""
        self.pc = dict.fromkeys(self.program, 0)
        self.runs += 1

    def next(self, thread):
        """The operation at the counter of a thread."""
        steps = self.program[thread]
        return steps[self.pc[thread]] if self.pc[thread] < len(steps) else op.exit()

    def perform(self, step):
        """Moves the counter of a thread."""
        self.pc[step.action.thread] += 1


def lockers(unfolding, threads, times=1):
    """Threads that take one mutex so often: (threads · times)! / times!^threads traces."""
    mutex = unfolding.mutex(0)
    return Straight({unfolding.thread(i, start=True): [op.lock(mutex), op.unlock(mutex)] * times
                     for i in range(threads)})


def philosophers(unfolding, count):
    """Each takes its fork and then the next one's: deadlocks."""
    fork = [unfolding.mutex(i) for i in range(count)]
    program = {}
    for i in range(count):
        left, right = fork[i], fork[(i + 1) % count]
        program[unfolding.thread(i, start=True)] = [op.lock(left), op.lock(right), op.unlock(right),
                                                    op.unlock(left)]
    return Straight(program)
