"""Consistency: which branches on unknown data can be taken together, decided in Python."""
from __future__ import annotations

import ctypes
import itertools
from typing import TYPE_CHECKING, Any, Iterable, NamedTuple, Protocol

from . import raw
from .base import types_of
from .event import Event
from .lifetime import LOOK, RAISED
from .values import Answer

if TYPE_CHECKING:
    from .unfolding import Unfolding

FIELDS: dict[str, Any] = types_of(raw.unf_consistency)


class Refuted(NamedTuple):
    """The answer NO with a core: some of the events, which contradict each other already."""
    core: Iterable[Event]


class Satisfied(NamedTuple):
    """The answer YES with a witness: any object that stands for values which satisfy the
    literals, for Predicate.holds()."""
    witness: Any


class Predicate(Protocol):
    """Decides which branches can be taken together, for Unfolding.set_consistency(). It may also
    have

      holds(witness, event) -> bool: whether the values of a witness satisfy the literal of a branch
        event (Event.literal).
    """

    def consistent(self, events: list[Event], known: int) -> Answer | Refuted | Satisfied:
        """Whether the literals of the events can be satisfied together; causes stand before their
        effects, and those of the first `known` were not found to contradict each other. What it
        raises counts as Answer.UNKNOWN until the call of the library has ended, and comes out."""


class Asked:
    """The functions of a predicate as the library calls them."""

    def __init__(self, unfolding: Unfolding, predicate: Predicate) -> None:
        self.unfolding, self.guard = unfolding, unfolding._guard
        self.predicate: Any = predicate
        self.guard.calls_back = True
        self.witnesses: dict[int, Any] = {}
        self.numbers = itertools.count(1)

    def answer(self, events: int, count: int, known: int, core: int, core_count: int,
               witness: int) -> int:
        """Asks, and writes what belongs to the answer."""
        numbers = (ctypes.c_uint32 * count).from_address(events)
        said = self.predicate.consistent([Event(self.unfolding, n) for n in numbers], known)
        if isinstance(said, Refuted):
            found = [event.number for event in said.core]
            if not set(found) <= set(numbers):
                raise ValueError("the core has an event that was not asked about")
            ctypes.memmove(core, (ctypes.c_uint32 * len(found))(*found), 4 * len(found))
            ctypes.c_uint64.from_address(core_count).value = len(found)
            return int(Answer.NO)
        if isinstance(said, Satisfied):
            number = next(self.numbers)
            self.witnesses[number] = said.witness
            ctypes.c_uint64.from_address(witness).value = number
            return int(Answer.YES)
        return int(Answer(said))

    def consistent(self, _user: int, *arguments: int) -> int:
        """unf_consistency.consistent"""
        found = self.guard.back(LOOK, self.answer, *arguments)
        return int(Answer.UNKNOWN) if found is RAISED else int(found)

    def holds(self, _user: int, witness: int, event: int) -> bool:
        """unf_consistency.holds"""
        found = self.guard.back(LOOK, self.predicate.holds, self.witnesses[witness],
                                Event(self.unfolding, event))
        return found is not RAISED and bool(found)

    def forget(self, _user: int, witness: int) -> None:
        """unf_consistency.forget"""
        self.witnesses.pop(witness, None)


def consistency_of(unfolding: Unfolding, predicate: Predicate) -> Any:
    """A predicate as the library takes it."""
    asked, made = Asked(unfolding, predicate), raw.unf_consistency()
    made.size = ctypes.sizeof(made)
    made.consistent = FIELDS["consistent"](asked.consistent)
    if callable(getattr(predicate, "holds", None)):
        made.holds = FIELDS["holds"](asked.holds)
    made.forget = FIELDS["forget"](asked.forget)
    return made
