"""Traces in the STD format, in which detectors of data races such as RAPID take executions."""
from __future__ import annotations

import ctypes
from typing import Any, Callable

from . import raw
from .configuration import Configuration, Stale
from .event import Event
from .lifetime import NOTHING, RAISED, Handle, checked
from .race import Races
from .unfolding import Unfolding
from .values import (EVENT_NONE, Access, Action, StdCounts, StdMemory, StdNameKind, StdOptions)


class StdWriter(Handle):
    """A trace that is being written: steps, accesses between them, and places. write(text) gets
    the pieces; what it raises comes out of the call."""

    def __init__(self, unfolding: Unfolding, write: Callable[[str], object]) -> None:
        self.unfolding = checked(unfolding, Unfolding)
        guard = unfolding._guard
        guard.calls_back = True

        def call(_user: int, text: int, size: int) -> bool:
            return guard.back(NOTHING, write, ctypes.string_at(text, size).decode()) is not RAISED
        kept, out = raw.unf_write(call), ctypes.c_void_p()
        unfolding._call(raw.unf_std_writer_new, kept, None, ctypes.byref(out))
        self._own(guard, unfolding, out, raw.unf_std_writer_free, kept)

    def step(self, action: Action, place: int) -> None:
        """Adds a step, which was performed at a place of the program."""
        self._call(raw.unf_std_writer_step, ctypes.byref(action.to_raw()), place)

    def access(self, access: Access) -> None:
        """Adds an access that was made after the steps and accesses so far."""
        self._call(raw.unf_std_writer_access, ctypes.byref(access.to_raw()))

    def end(self) -> None:
        """Writes what is left, at the end of the trace."""
        self._call(raw.unf_std_writer_end)


class StdTrace(Stale):
    """A trace that was read: a configuration, what its names are, and its data races. Format with
    line and column in the detail, if it is none; see unf_std_read()."""

    def __init__(self, unfolding: Unfolding, text: str | bytes,
                 memory: StdMemory | None = None) -> None:
        data = text.encode() if isinstance(text, str) else text
        options = StdOptions(memory=memory).raw

        def make(pointer: Any, out: Any) -> Any:
            return raw.unf_std_read(pointer, ctypes.byref(options), data, len(data), out)
        self._begin(unfolding, make, raw.unf_std_free)

    def configuration(self) -> Configuration:
        """All events of the trace; a copy."""
        made = Configuration(self.unfolding)
        made._call(raw.unf_configuration_assign, self._value(raw.unf_std_configuration))
        return made

    @property
    def races(self) -> Races | None:
        """The detector that holds the races; None with StdMemory.EVENTS."""
        pointer = self._value(raw.unf_std_races)
        return None if pointer is None else Races.borrowed(self, self.unfolding, pointer)

    @property
    def counts(self) -> StdCounts:
        """How much there is in the trace."""
        out = raw.unf_std_counts()
        self._value(raw.unf_std_counts_get, ctypes.byref(out))
        return StdCounts.of(out)

    def event(self, line: int) -> Event | None:
        """The event of a line, counted from 1; None: the line is none."""
        number = self._get(raw.unf_std_event, ctypes.c_uint32, line)
        return None if number == EVENT_NONE else self._event(number)

    def name(self, kind: StdNameKind, number: int) -> str | None:
        """The name that something has in the trace; None: there is no such thing."""
        found = self._value(raw.unf_std_name, kind, number)
        return None if found is None else bytes(found).decode("utf-8", "replace")
