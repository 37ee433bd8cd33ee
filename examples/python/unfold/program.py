"""A ready-made engine: a program whose threads are generators."""
from __future__ import annotations

from typing import Any, Callable, Generator, Mapping

from . import operations
from .base import Thread
from .values import Action, Halt, Operation, Performed, Run, Step

Body = Callable[[Any], Generator[Operation, Action, None]]


class Program:
    """An engine for Explorer.explore() from generator functions, one for each thread.

    A thread yields what it is about to do, such as `yield operations.lock(m)`, gets the action that
    came of it, and goes on to its next `yield`; when it returns, it has finished. What is between
    two yields is one step with the operation before it. The argument of all functions is what
    `state` returns: the memory of the program, made anew for each execution.

    A failed assertion stops the thread (Halt.ASSERT), and the execution is counted as an error.
    Every other exception ends explore().

        def worker(shared):
            yield operations.lock(m)
            shared.count += 1
            yield operations.unlock(m)

        explorer.explore(unfold.Program({a: worker, b: worker}, Shared))

    A thread that another one creates is in `threads` too; it begins when it is created.
    """

    def __init__(self, threads: Mapping[Thread, Body],
                 state: Callable[[], Any] = lambda: None) -> None:
        self.bodies = dict(threads)
        self.state = state
        self.shared: Any = None
        self.running: dict[Thread, Generator[Operation, Action, None]] = {}
        self.following: dict[Thread, Operation] = {}
        self.failed: AssertionError | None = None

    def restart(self, run: Run) -> None:
        """Makes the memory anew; threads begin when they are asked."""
        for thread in self.running.values():
            thread.close()
        self.shared = self.state()
        self.running, self.following, self.failed = {}, {}, None

    def next(self, thread: Thread) -> Operation:
        """What a thread yielded last."""
        if thread not in self.running:
            self.running[thread] = self.bodies[thread](self.shared)
            self.following[thread] = self.advance(thread, None)
        return self.following[thread]

    def perform(self, step: Step) -> None | Performed:
        """Lets a thread go on to its next yield."""
        thread = step.action.thread
        self.following[thread] = self.advance(thread, step.action)
        if self.failed is not None and self.following[thread].kind == HALTED:
            return Performed(step.action, error=True)
        return None

    def advance(self, thread: Thread, action: Action | None) -> Operation:
        """What a thread does next, after an action."""
        body = self.running[thread]
        try:
            return next(body) if action is None else body.send(action)
        except StopIteration:
            return EXITED
        except AssertionError as error:
            self.failed = error
            return operations.halt(Halt.ASSERT)


EXITED = operations.exit()
HALTED = operations.halt(Halt.ASSERT).kind
