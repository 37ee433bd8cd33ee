"""Engines: programs that can be run step by step, as classes, and their callbacks."""
from __future__ import annotations

import ctypes
import struct
from typing import TYPE_CHECKING, Any, Callable, Protocol

from . import raw
from .base import Thread, pack, types_of
from .cutoff import Fingerprint
from .lifetime import ALL, FAILED, RAISED
from .values import (OPERATION_LAYOUT, STEP_LAYOUT, Action, ActionKind, Operation, Performed, Run,
                     Step, StepKind, Verdict)

if TYPE_CHECKING:
    from .explorer import Explorer

UNPACK = struct.Struct(STEP_LAYOUT).unpack
STEP_SIZE = ctypes.sizeof(raw.unf_step)
KINDS = {int(kind): kind for kind in ActionKind}
FIELDS: dict[str, Any] = types_of(raw.unf_engine)
PERFORM = StepKind.ACTION


class Engine(Protocol):
    """A program that can be run step by step, for Explorer.explore(). The methods below it must
    have. It may have these too:

      restore(run, state) -> int: goes back to where the run can begin and returns how many steps
        are performed there: at most run.shared, or run.saved where `state` is restored, the object
        that save() returned (None: there is none). 0: restart() is called.
      save(steps) -> object: called after each step that is not in front of run.saved, and not in
        probes; may keep the state that was reached, and returns an object for it, or None.
      changed() -> Fingerprint: what the last step changed in the state of the program; required
        with cutoffs, and not called without.
      condition() -> Fingerprint: called behind it, what the literals among the causes of that step
        leave open; required with cutoffs where a predicate of consistency was set.
      blocked(explorer): called before each step is chosen; calls Explorer.block() for threads that
        the engine itself blocks, or no longer blocks.
      ended(verdict, explorer): called once for each execution and probe, with what it came to.
      progress(explorer): called before each execution and probe, and at the end.

    What a method raises ends explore() and comes out of it unchanged. The next explore() begins
    with the same method again, and nothing is lost. Methods may use everything of the package but
    what moves the explorer.
    """

    def restart(self, run: Run) -> None:
        """Brings the program to its beginning."""

    def next(self, thread: Thread) -> Operation:
        """What a thread is about to do. Asked at the beginning of each execution, for every thread
        that runs from ⊥ on, and after each step, for the thread that performed it and for a thread
        that it created."""

    def perform(self, step: Step) -> None | Action | Performed:
        """Performs the action that was chosen, up to the next operation of its thread. None: as
        chosen. An action: what the program did; another one than the chosen is Divergence.
        Performed: with a cookie, or with an error of the program."""


def step_at(address: int) -> Step:
    """The step at an address."""
    _kind, number, kind, *fields = UNPACK(ctypes.string_at(address, STEP_SIZE))
    return Step(PERFORM, number, Action(KINDS[kind], *fields))


def give(to: int, made: object, what: str) -> None:
    """Writes what a method returned to an address, if it is a fingerprint."""
    if not isinstance(made, Fingerprint):
        raise TypeError(f"{what} returns a Fingerprint, and not {made!r}")
    ctypes.memmove(to, ctypes.byref(made.raw), ctypes.sizeof(made.raw))


class Callbacks:
    """The functions of an engine as the library calls them."""

    def __init__(self, explorer: Explorer, engine: Engine) -> None:
        self.explorer = explorer
        self.guard = explorer._guard
        self.engine: Any = engine
        self.raw = raw.unf_engine()
        self.raw.size = ctypes.sizeof(self.raw)
        for name in ("restart", "next", "perform"):
            self.set(name, getattr(self, name))
        for name in ("restore", "save", "changed", "condition", "blocked", "ended", "progress"):
            if callable(getattr(engine, name, None)):
                self.set(name, getattr(self, name))

    def set(self, name: str, function: Callable[..., None]) -> None:
        """Makes a method of this class a callback: what it raises is kept, and is a failure."""
        back = self.guard.back

        def call(_user: int, *arguments: Any) -> int:
            return FAILED if back(ALL, function, *arguments) is RAISED else 0
        setattr(self.raw, name, FIELDS[name](call))

    def restart(self, run: int) -> None:
        """unf_engine.restart"""
        self.explorer._moved()
        self.engine.restart(Run.of(raw.unf_run.from_address(run)))

    def next(self, thread: int, operation: int) -> None:
        """unf_engine.next"""
        found = self.engine.next(thread)
        if not isinstance(found, Operation):
            raise TypeError(f"next() returns an Operation, and not {found!r}")
        made = pack(OPERATION_LAYOUT, *found)
        ctypes.memmove(operation, made, len(made))

    def perform(self, step: int, performed: int) -> None:
        """unf_engine.perform"""
        result = self.engine.perform(step_at(step))
        if result is not None:
            done = result if isinstance(result, Performed) else Performed(result)
            made = done.to_raw()
            ctypes.memmove(performed, ctypes.byref(made), ctypes.sizeof(made))

    def restore(self, run: int, steps: int) -> None:
        """unf_engine.restore"""
        self.explorer._moved()
        given = Run.of(raw.unf_run.from_address(run))
        number = self.engine.restore(given, self.explorer.states.get(given.state))
        ctypes.c_uint64.from_address(steps).value = int(number or 0)

    def save(self, steps: int, state: int) -> None:
        """unf_engine.save"""
        kept = self.engine.save(steps)
        if kept is not None:
            ctypes.c_uint64.from_address(state).value = self.explorer._keep(kept)

    def changed(self, change: int) -> None:
        """unf_engine.changed"""
        give(change, self.engine.changed(), "changed()")

    def condition(self, condition: int) -> None:
        """unf_engine.condition"""
        give(condition, self.engine.condition(), "condition()")

    def blocked(self, _explorer: int) -> None:
        """unf_engine.blocked"""
        self.engine.blocked(self.explorer)

    def ended(self, verdict: int, _explorer: int) -> None:
        """unf_engine.ended"""
        self.engine.ended(Verdict.of(raw.unf_verdict.from_address(verdict)), self.explorer)

    def progress(self, _explorer: int) -> None:
        """unf_engine.progress"""
        self.engine.progress(self.explorer)
