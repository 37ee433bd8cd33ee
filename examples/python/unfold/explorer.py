"""Explorers: every maximal configuration of a program exactly once, run by run."""
from __future__ import annotations

import ctypes
import itertools
from typing import Any, Callable, Iterable, Iterator

from . import raw
from .base import Thread, types_of
from .configuration import Behind, Configuration, visit_action
from .cutoff import Cutoffs, Fingerprint
from .engine import Callbacks, Engine
from .event import Event
from .lifetime import FAILED, LOOK, NOTHING, RAISED, Handle, array, checked, write_piece
from .unfolding import Unfolding
from .values import (Action, Counts, Estimate, ExplorerOptions, Invalid, Leaf, Operation, Pending,
                     Run, Sampling, State, Step, StepKind, Traced, Verdict)

FIELDS: dict[str, Any] = types_of(raw.unf_explorer_options)
Chooser = Callable[["list[Leaf]"], int]


class Explorer(Handle):
    """An exploration of one unfolding.

    The options are those of ExplorerOptions: an object, or its fields by name, such as
    `Explorer(unfolding, algorithm=Algorithm.ODPOR)`. choose(leaves): for Order.CHOSEN, returns the
    index of the leaf to explore next. forget(state): called when no later run will begin at a state
    that was saved. data: what write() gave, to go on with that exploration; the options must be the
    same, and the unfolding new, with the same families.

    There are two ways to explore: explore() with an engine, or the calls of the diagram of
    explore.h: next(), offer(), step(), commit(), finish().
    """

    def __init__(self, unfolding: Unfolding, options: ExplorerOptions | None = None, *,
                 choose: Chooser | None = None, forget: Callable[[Any], object] | None = None,
                 data: bytes | None = None, **fields: Any) -> None:
        if options is not None and fields:
            raise Invalid("options are given as an object or by name, not both")
        made = ExplorerOptions(**fields) if options is None else options
        given = type(made.raw).from_buffer_copy(made.raw)
        self.unfolding = checked(unfolding, Unfolding)
        self.states: dict[int, Any] = {}  # that were saved, by the numbers the library has
        self._numbers = itertools.count(1)
        self._collections = 0 if given.collect else None
        self._choose_failed = False
        self._choose, self._forget = choose, forget
        self._guard = unfolding._guard
        kept = [FIELDS["forget"](self._forgotten)]
        given.forget = kept[0]
        if choose is not None:
            kept.append(raw.unf_leaf_chooser(self._chosen))
            given.choose = kept[1]
            self._guard.calls_back = True
        out = ctypes.c_void_p()
        if data is None:
            unfolding._call(raw.unf_explorer_new, given, ctypes.byref(out))
        else:
            self._guard.shield(unfolding._call, raw.unf_explorer_read, given, reader_of(data), None,
                               ctypes.byref(out))
        self._own(unfolding._guard, unfolding, out, raw.unf_explorer_free, kept)

    # ---- callbacks ----

    def _forgotten(self, _user: int, number: int) -> None:
        state = self.states.pop(number, None)
        if self._forget is not None:
            self._guard.back(NOTHING, self._forget, state)

    def _chosen(self, _user: int, leaves: int, count: int) -> int:
        listed = (raw.unf_leaf * count).from_address(leaves)

        def choose() -> int:
            assert self._choose is not None
            index = self._choose([Leaf.of(leaf) for leaf in listed]).__index__()
            if not 0 <= index < count:
                raise IndexError(f"there are {count} leaves, and leaf {index} was chosen")
            return index
        found = self._guard.back(LOOK, choose)
        self._choose_failed = found is RAISED
        return 0 if found is RAISED else int(found)

    def _keep(self, state: Any) -> int:
        self._guard.calls_back = True  # to forget it
        number = next(self._numbers)
        self.states[number] = state
        return number

    def _moved(self) -> None:
        """Sees whether events were freed, so that handles and what has them are of no use."""
        if self._collections is not None:
            counts = raw.unf_counts()
            raw.unf_explorer_counts(self.pointer, ctypes.byref(counts))
            if counts.collections != self._collections:
                self._collections = counts.collections
                self.unfolding.generation += 1

    def _move(self, function: Any, *arguments: Any) -> None:
        """A call that moves the explorer."""
        cell = self._cell
        pointer = self.pointer
        assert cell is not None
        if cell.busy:
            raise State("the explorer is in explore(), and its engine must not move it", FAILED)
        cell.busy += 1
        try:
            self._guard.call(function, pointer, *arguments)
        finally:
            cell.busy -= 1
            self._moved()

    # ---- the loop ----

    def explore(self, engine: Engine) -> Counts:
        """Explores everything that is left with an engine. What ends it early (an exception of the
        engine, Limit, Interrupted, Memory, Divergence, …) loses nothing: the next call goes on
        where this one was."""
        callbacks, out = Callbacks(self, engine), raw.unf_counts()
        self._guard.shield(self._move, raw.unf_explore, callbacks.raw, ctypes.byref(out))
        return Counts.of(out)

    # ---- step by step ----

    def next(self) -> Run:
        """Begins the next run; see Run.finished."""
        out = raw.unf_run()
        try:
            self._move(raw.unf_explorer_next, ctypes.byref(out))
        except BaseException:
            self._unchosen()
            raise
        return Run.of(out)

    def _unchosen(self) -> None:
        """After choose() raised: drops the run, so that the call can be made again."""
        if self._choose_failed:
            self._choose_failed = False
            self.abandon()

    def runs(self) -> Iterator[Run]:
        """Begins one run after the other, to be finished in the body of the loop."""
        while not (run := self.next()).finished:
            yield run

    def resume(self, steps: int) -> None:
        """Goes on after so many steps, which the front-end does not perform again."""
        self._move(raw.unf_explorer_resume, steps)

    def save(self, state: Any) -> None:
        """Says that the front-end keeps the program's state, as an object that Run.state leads to:
        `explorer.states[run.state]`."""
        number = self._keep(state)
        try:
            self._call(raw.unf_explorer_save, number)
        except BaseException:
            del self.states[number]
            raise

    def offer(self, thread: Thread, operation: Operation) -> None:
        """Says what a thread does next."""
        self._call(raw.unf_explorer_offer, thread, ctypes.byref(operation.to_raw()))

    def block(self, thread: Thread, blocked: bool = True) -> None:
        """Says that the engine itself blocks a thread, or no longer does."""
        self._call(raw.unf_explorer_block, thread, blocked)

    def step(self) -> Step:
        """Chooses the next step, or says why the run ends."""
        out = raw.unf_step()
        self._move(raw.unf_explorer_step, ctypes.byref(out))
        return Step.of(out)

    def steps(self) -> Iterator[Step]:
        """The steps to the end of the run; the body of the loop commits each, and offers."""
        while (step := self.step()).kind == StepKind.ACTION:
            yield step

    def commit(self, happened: Action | None = None, cookie: int = 0) -> None:
        """The chosen step was performed; happened: what the program did (None: as chosen)."""
        given = None if happened is None else ctypes.byref(happened.to_raw())
        self._move(raw.unf_explorer_commit, given, cookie)

    def changed(self, change: Fingerprint) -> None:
        """With cutoffs, after each commit: what the step changed in the state of the program."""
        self._move(raw.unf_explorer_changed, ctypes.byref(change.raw))

    def changed_under(self, change: Fingerprint, condition: Fingerprint) -> None:
        """The same where a predicate of consistency was set; condition: what the literals among the
        causes of the step leave open."""
        self._move(raw.unf_explorer_changed_under, ctypes.byref(change.raw),
                   ctypes.byref(condition.raw))

    def finish(self, error: bool = False) -> Verdict:
        """Ends a run whose last step said that it ends; error: the front-end found an error."""
        out = raw.unf_verdict()
        self._move(raw.unf_explorer_finish, error, ctypes.byref(out))
        return Verdict.of(out)

    def abandon(self) -> None:
        """Drops the run; the next one takes the same branch."""
        cell = self._cell
        if cell is not None and cell.busy:
            raise State("the explorer is in explore(), and its engine must not move it", FAILED)
        self._value(raw.unf_explorer_abandon)

    def write(self) -> bytes:
        """The exploration as bytes, from which another process goes on with it: see `data`. Not
        within an execution; depth-first, and without cutoffs and predicates."""
        return b"".join(self._collect(raw.unf_explorer_write, visitor=write_piece))

    # ---- whole traces ----

    def prefix(self) -> tuple[Run, list[Action]]:
        """The next run, and the actions that its execution must begin with, for feed()."""
        out = raw.unf_run()
        cell = self._cell
        if cell is not None and cell.busy:
            raise State("the explorer is in explore(), and its engine must not move it", FAILED)
        try:
            prefix = self._collect(Behind(raw.unf_explorer_prefix, ctypes.byref(out)),
                                   visitor=visit_action)
        except BaseException:
            self._unchosen()
            raise
        finally:
            self._moved()
        return Run.of(out), prefix

    def feed(self, trace: Iterable[Traced], pending: Iterable[Pending],
             error: bool = False) -> Verdict:
        """Takes a whole execution, with what every started thread was about to do at its end."""
        steps = [step.to_raw() for step in trace]
        ends = [end.to_raw() for end in pending]
        out = raw.unf_verdict()
        self._move(raw.unf_explorer_feed, *array(raw.unf_traced, steps),
                   *array(raw.unf_pending, ends), error, ctypes.byref(out))
        return Verdict.of(out)

    # ---- what it knows ----

    def _struct(self, function: Any, kind: Any) -> Any:
        out = kind()
        self._value(function, ctypes.byref(out))
        return out

    @property
    def counts(self) -> Counts:
        """What was counted so far."""
        return Counts.of(self._struct(raw.unf_explorer_counts, raw.unf_counts))

    @property
    def estimate(self) -> Estimate:
        """How many traces are still to come, from the probes that the options ask for."""
        return Estimate.of(self._struct(raw.unf_explorer_estimate, raw.unf_estimate))

    @property
    def sampling(self) -> Sampling:
        """What Algorithm.RANDOM or Algorithm.PCT did so far."""
        return Sampling.of(self._get(raw.unf_explorer_sampling, raw.unf_sampling))

    def configuration(self) -> Configuration:
        """The configuration of the current run, or of the last one."""
        made = Configuration(self.unfolding)
        self._call(raw.unf_explorer_configuration, made.pointer)
        return made

    @property
    def path(self) -> list[Event]:
        """The events of the current run, or of the last one, in the order performed."""
        return [Event(self.unfolding, n) for n in self._collect(raw.unf_explorer_path)]

    def leaf_steps(self, index: int) -> list[Event]:
        """While a leaf is chosen: the steps that are decided at the one of this index, behind those
        that it shares with another execution."""
        return [Event(self.unfolding, n)
                for n in self._collect(raw.unf_explorer_leaf_steps, index)]

    @property
    def last(self) -> Event:
        """The event of the last step; ⊥ if there was none."""
        return Event(self.unfolding, self._value(raw.unf_explorer_last))

    def operation(self, thread: Thread) -> Operation:
        """What a thread is about to do at the point that the run has reached."""
        return Operation.of(self._get(raw.unf_explorer_operation, raw.unf_operation, thread))

    def asleep(self) -> list[Event]:
        """At the end of a redundant run: the events that sleep there, oldest first."""
        return [Event(self.unfolding, n) for n in self._collect(raw.unf_explorer_asleep)]

    @property
    def cutoffs(self) -> Cutoffs | None:
        """The table of cutoffs, to be read only; None without cutoffs."""
        pointer = self._value(raw.unf_explorer_cutoffs)
        return None if pointer is None else Cutoffs.borrowed(self, self.unfolding, pointer)

    def check(self) -> None:
        """Checks the nodes on the path, slowly. Broken, if one is wrong."""
        self._call(raw.unf_check_explorer)


def reader_of(data: bytes) -> Any:
    """What gives the library bytes."""
    at = 0

    def read(_user: int, target: int, size: int, got: int) -> bool:
        nonlocal at
        part = data[at:at + size]
        at += len(part)
        ctypes.memmove(target, part, len(part))
        ctypes.c_size_t.from_address(got).value = len(part)
        return True
    return raw.unf_read(read)
