"""The parts of optimal dynamic partial-order reduction, for writing other explorers."""
from __future__ import annotations

import ctypes
from typing import Any, Iterable, NamedTuple

from . import raw
from .configuration import Stale
from .event import Event
from .lifetime import checked, collect, visitor_of
from .unfolding import Unfolding
from .values import EVENT_NONE


class Reversal(NamedTuple):
    """Another way in which an execution could have continued: from the node at depth `position`,
    along a sequence that ends with `event`."""
    event: Event
    position: int
    sequence: list[Event]


def reversal_at(address: int) -> tuple[int, int, list[int]]:
    """The numbers of a reversal, which is valid only now."""
    given = raw.unf_reversal.from_address(address)
    return given.event, given.position, [given.sequence[i] for i in range(given.count)]


visit_race = visitor_of(raw.unf_racing_visitor, lambda first, second: (first, second))
visit_reversal = visitor_of(raw.unf_reversal_visitor, reversal_at)
visit_level = visitor_of(raw.unf_wakeup_visitor, lambda event, level: (event, level))


def execution_of(unfolding: Unfolding, execution: Iterable[Event]) -> Any:
    """The arguments for an execution."""
    return checked(unfolding, Unfolding).pointer, *unfolding.handles(execution)


def execution_races(unfolding: Unfolding, execution: Iterable[Event]) -> list[tuple[int, int]]:
    """The races of an execution: positions of two events of different threads, the first an
    immediate cause of the second."""
    return collect(unfolding._guard, raw.unf_execution_races, *execution_of(unfolding, execution),
                   visitor=visit_race)


def execution_reversals(unfolding: Unfolding, execution: Iterable[Event]) -> list[Reversal]:
    """The reversals of a maximal execution: enough to explore everything."""
    found = collect(unfolding._guard, raw.unf_execution_reversals,
                    *execution_of(unfolding, execution), visitor=visit_reversal)
    return [Reversal(Event(unfolding, event), position, [Event(unfolding, n) for n in sequence])
            for event, position, sequence in found]


class SleepSets(Stale):
    """The sleep sets of the nodes of an execution, from the root to its end."""

    def __init__(self, unfolding: Unfolding) -> None:
        self._begin(unfolding, raw.unf_sleep_new, raw.unf_sleep_free)

    def add(self, event: Event) -> None:
        """Adds an event to the sleep set of the last node."""
        self._call(raw.unf_sleep_add, self._number(event))

    def push(self, event: Event) -> None:
        """Appends an event to the execution."""
        self._call(raw.unf_sleep_push, self._number(event))

    def pop(self) -> None:
        """Removes the last event of the execution."""
        self._call(raw.unf_sleep_pop)

    @property
    def last(self) -> Event:
        """The event that led to the last node, or ⊥ at the root."""
        return self._event(self._value(raw.unf_sleep_last))

    def __contains__(self, event: Event) -> bool:
        return bool(self._get(raw.unf_sleep_contains, ctypes.c_bool, self._number(event)))

    def initial(self, depth: int, sequence: Iterable[Event]) -> bool:
        """Whether an event that is asleep at a node is a weak initial of a sequence there."""
        return bool(self._get(raw.unf_sleep_initial, ctypes.c_bool, depth,
                              *self.unfolding.handles(sequence)))

    def at(self, depth: int) -> list[Event]:
        """The events asleep at a node, in the order in which they were added."""
        return self._events(raw.unf_sleep_visit, depth)


class WakeupTrees(Stale):
    """The wakeup trees of the nodes of an execution: what is still to be explored from there."""

    def __init__(self, unfolding: Unfolding) -> None:
        self._begin(unfolding, raw.unf_wakeup_new, raw.unf_wakeup_free)

    def insert(self, depth: int, sequence: Iterable[Event]) -> bool:
        """Inserts a sequence into the tree of a node; whether the tree changed."""
        return bool(self._get(raw.unf_wakeup_insert, ctypes.c_bool, depth,
                              *self.unfolding.handles(sequence)))

    def take(self, depth: int) -> Event | None:
        """Removes the leftmost branch of the tree of a node: its event, with which the execution
        continues. None: the tree is empty."""
        number = self._get(raw.unf_wakeup_take, ctypes.c_uint32, depth)
        return None if number == EVENT_NONE else self._event(number)

    def at(self, depth: int) -> list[tuple[Event, int]]:
        """The tree of a node in preorder: events with their levels, from 0."""
        found = self._collect(raw.unf_wakeup_visit, depth, visitor=visit_level)
        return [(self._event(number), level) for number, level in found]

    def __len__(self) -> int:
        return int(self._value(raw.unf_wakeup_size))

    def __bool__(self) -> bool:
        return True
