"""One exploration by many workers: the ledger, and what a worker has to report to it."""
from __future__ import annotations

import ctypes
from typing import NamedTuple

from . import raw
from .configuration import Behind
from .explorer import Explorer, reader_of
from .lifetime import Handle, checked, write_piece
from .unfolding import Unfolding
from .values import Counts


class Report(NamedTuple):
    """What a worker reports: `data` to the ledger, the rest to whoever makes sums; see
    unf_report."""
    data: bytes
    finished: bool
    split: bool
    committed: int
    counts: Counts
    reversals: int


class LedgerState(NamedTuple):
    """How far an exploration is; see unf_ledger_state."""
    open: int
    given: int
    finished: int
    lost: int
    nodes: int
    most: int
    bytes: int
    sequences: int
    inserted: int
    splits: int


class Ledger(Handle):
    """The shared part of an exploration tree. The unfolding is for names and dependence alone, and
    has no events. data: what write() gave; resume: workers still have their items."""

    def __init__(self, unfolding: Unfolding, data: bytes | None = None, *,
                 resume: bool = False) -> None:
        self.unfolding = checked(unfolding, Unfolding)
        out = ctypes.c_void_p()
        if data is None:
            unfolding._call(raw.unf_ledger_new, ctypes.byref(out))
        else:
            unfolding._call(raw.unf_ledger_resume if resume else raw.unf_ledger_read,
                            reader_of(data), None, ctypes.byref(out))
        self._own(unfolding._guard, unfolding, out, raw.unf_ledger_free)

    def give(self) -> tuple[int, bytes]:
        """Gives the leftmost open item away: its number, 0 if none is open, and its bytes."""
        number = ctypes.c_uint64()
        data = b"".join(self._collect(Behind(raw.unf_ledger_give, ctypes.byref(number)),
                                      visitor=write_piece))
        return number.value, data

    def report(self, item: int, data: bytes) -> None:
        """Takes a report for an item. Unknown: nobody has it."""
        self._call(raw.unf_ledger_report, item, reader_of(data), None)

    def take_back(self, item: int) -> None:
        """A worker is lost: what was left of its item by its last split is open again."""
        self._call(raw.unf_ledger_take_back, item)

    @property
    def state(self) -> LedgerState:
        """How far the exploration is: at its end nothing is open, and nothing given."""
        out = raw.unf_ledger_state()
        out.size = ctypes.sizeof(out)
        self._call(raw.unf_ledger_look, ctypes.byref(out))
        return LedgerState(*(getattr(out, field) for field in LedgerState._fields))

    def write(self) -> bytes:
        """The ledger as bytes."""
        return b"".join(self._collect(raw.unf_ledger_write, visitor=write_piece))


def begin_item(explorer: Explorer, data: bytes) -> None:
    """Begins with an item that a ledger gave. The next execution goes along its path, and
    Run.finished says that all below it is explored."""
    explorer._move(raw.unf_explorer_begin_item, reader_of(data), None)


def make_report(explorer: Explorer, split: bool = False) -> Report:
    """What the ledger needs to know of the executions since the last report. split: something is to
    be given away."""
    out = raw.unf_report()
    out.size = ctypes.sizeof(out)
    data = b"".join(explorer._collect(Behind(raw.unf_explorer_report, split, ctypes.byref(out)),
                                      visitor=write_piece))
    explorer._moved()
    return Report(data, out.finished, out.split, out.committed, Counts.of(out.counts), out.reversals)
