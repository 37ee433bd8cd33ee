"""Data races between plain accesses to memory, by causality."""
from __future__ import annotations

import ctypes
from typing import Iterator, NamedTuple

from . import raw
from .event import Event
from .lifetime import Handle, checked
from .unfolding import Unfolding
from .values import EVENT_NONE, Access, Race, RacesCounts, RacesOptions


class Begun(NamedTuple):
    """How an execution begins: whether it is watched, and how many steps need not be reported."""
    watched: bool
    resumed: int


class Races(Handle):
    """The accesses of the current execution and the races found so far. It can be iterated and
    indexed: the races, in the order in which they were found.

    every, seed, before: which executions to watch, see RacesOptions."""

    def __init__(self, unfolding: Unfolding, *, every: int | None = None,
                 seed: int | None = None, before: int | None = None) -> None:
        options = RacesOptions(every=every, seed=seed, before=before).raw
        out = ctypes.c_void_p()
        self.unfolding = checked(unfolding, Unfolding)
        unfolding._call(raw.unf_races_new, ctypes.byref(options), ctypes.byref(out))
        self._own(unfolding._guard, unfolding, out, raw.unf_races_free)

    @classmethod
    def borrowed(cls, owner: Handle, unfolding: Unfolding, pointer: int) -> Races:
        """The detector of another object, which goes with that."""
        made = cls.__new__(cls)
        made.unfolding = unfolding
        made._own(owner._guard, owner, pointer, lambda _pointer: None)
        return made

    def begin(self, shared: int = 0, resumed: int = 0) -> Begun:
        """Begins an execution whose first `shared` steps are those of the previous one, of which
        the first `resumed` are not performed again. If it is not watched, report nothing."""
        steps, watched = ctypes.c_uint64(resumed), ctypes.c_bool()
        self._call(raw.unf_races_begin, shared, ctypes.byref(steps), ctypes.byref(watched))
        return Begun(watched.value, steps.value)

    def step(self, event: Event) -> None:
        """Reports the next event that was performed."""
        self.unfolding.own(event)
        self._call(raw.unf_races_step, event.number)

    def access(self, access: Access) -> None:
        """Reports an access that was made after the steps reported so far."""
        self._call(raw.unf_races_access, ctypes.byref(access.to_raw()))

    def forget(self, address: int, size: int) -> None:
        """Says that bytes were freed and allocated again, and are now other memory."""
        self._call(raw.unf_races_forget, address, size)

    @property
    def counts(self) -> RacesCounts:
        """What the detector has done so far."""
        out = raw.unf_races_counts()
        self._value(raw.unf_races_counts_get, ctypes.byref(out))
        return RacesCounts.of(out)

    @property
    def here(self) -> list[tuple[int, Race]]:
        """The races of the current execution so far, each with its number among all, and with its
        accesses here."""
        found = []
        index, race = ctypes.c_uint64(), raw.unf_race()
        for number in range(self._value(raw.unf_races_here_count)):
            self._call(raw.unf_races_here, number, ctypes.byref(index), ctypes.byref(race))
            found.append((index.value, Race.of(race)))
        return found

    def after(self, index: int) -> tuple[Event | None, Event | None]:
        """Where a race was first seen: the last event of each thread before its access; None: it
        was freed since."""
        found = ctypes.c_uint32(), ctypes.c_uint32()
        self._call(raw.unf_races_after, index, *map(ctypes.byref, found))
        first, second = (None if one.value == EVENT_NONE else Event(self.unfolding, one.value)
                         for one in found)
        return first, second

    def __len__(self) -> int:
        return self.counts.races

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, index: int) -> Race:
        size = len(self)
        if not -size <= index < size:
            raise IndexError(f"there are {size} races, and no number {index}")
        return Race.of(self._get(raw.unf_races_get, raw.unf_race, index % size))

    def __iter__(self) -> Iterator[Race]:
        return (self[index] for index in range(len(self)))
