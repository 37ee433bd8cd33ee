"""Executions written down: schedules, and the tree of what was explored."""
from __future__ import annotations

import ctypes
from typing import Iterator

from . import raw
from .explorer import Explorer
from .configuration import Stale
from .lifetime import Handle, checked
from .names import Names, of_names
from .unfolding import Unfolding
from .values import Action, Verdict


class Schedule(Handle):
    """A sequence of actions with the name of a program. It can be iterated and indexed; str() is
    its text, in the format of doc/formats.md."""

    def __init__(self, unfolding: Unfolding, program: str) -> None:
        out = ctypes.c_void_p()
        self.unfolding = checked(unfolding, Unfolding)
        unfolding._call(raw.unf_schedule_new, program.encode(), ctypes.byref(out))
        self._own(unfolding._guard, unfolding, out, raw.unf_schedule_free)

    @classmethod
    def read(cls, unfolding: Unfolding, text: str | bytes) -> Schedule:
        """A schedule from its text; names its threads and objects in the unfolding. Format,
        Checksum or Unsupported, with line and column in the detail."""
        made, out = cls.__new__(cls), ctypes.c_void_p()
        data = text.encode() if isinstance(text, str) else text
        made.unfolding = checked(unfolding, Unfolding)
        unfolding._call(raw.unf_schedule_read, data, len(data), ctypes.byref(out))
        made._own(unfolding._guard, unfolding, out, raw.unf_schedule_free)
        return made

    @property
    def program(self) -> str:
        """The name of the program."""
        return bytes(self._value(raw.unf_schedule_program)).decode()

    def append(self, action: Action) -> None:
        """Appends a step."""
        self._call(raw.unf_schedule_append, ctypes.byref(action.to_raw()))

    def append_run(self, explorer: Explorer) -> None:
        """Appends the steps of the current run of an explorer, or of the last one."""
        self._call(raw.unf_schedule_append_run, checked(explorer, Explorer).pointer)

    def __len__(self) -> int:
        return int(self._value(raw.unf_schedule_size))

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, index: int) -> Action:
        size = len(self)
        if not -size <= index < size:
            raise IndexError(f"there are {size} steps, and no number {index}")
        return Action.of(self._get(raw.unf_schedule_step, raw.unf_action, index % size))

    def __iter__(self) -> Iterator[Action]:
        return (self[index] for index in range(len(self)))

    def __str__(self) -> str:
        return self._text(raw.unf_schedule_write)

    def std(self) -> str:
        """The steps as a trace in the STD format, for detectors such as RAPID."""
        return self._text(raw.unf_std_write)


class Tree(Stale):
    """The executions of an exploration as a tree, in which they share their beginnings."""

    def __init__(self, unfolding: Unfolding) -> None:
        self._begin(unfolding, raw.unf_tree_new, raw.unf_tree_free)

    def add(self, explorer: Explorer, verdict: Verdict, names: Names | None = None) -> None:
        """Adds the last run of an explorer, directly after it was finished. Names are asked what
        stands for events that are new in the tree, which keeps that."""
        self._call(raw.unf_tree_add_named, checked(explorer, Explorer).pointer,
                   ctypes.byref(verdict.to_raw()), of_names(names))

    def dot(self, names: Names | None = None) -> str:
        """The tree for Graphviz: an edge for each event, leaves by verdict."""
        return self._text(raw.unf_dot_tree_named, of_names(names))
