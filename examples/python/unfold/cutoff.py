"""Fingerprints of states, and tables of cutoffs."""
from __future__ import annotations

import ctypes
from typing import Any

from . import raw
from .configuration import Stale
from .event import Event
from .lifetime import Handle, must
from .names import Names, of_names
from .unfolding import Unfolding
from .values import CutoffCounts, CutoffOrder, CutoffVerdict, Hash, Invalid


class Fingerprint:
    """A state, or a change of the state: the exclusive or of the hashes of its fragments, which are
    bytes at locations, and sums of counters. A new one is the initial state, or no change. What is
    combined or compared must have been made with the same hash."""

    def __init__(self, hash: Hash = Hash.FAST) -> None:
        self.hash = hash
        self.raw = raw.unf_fingerprint()
        must(raw.unf_fingerprint_init(ctypes.byref(self.raw), ctypes.sizeof(self.raw)))

    def toggle(self, location: int, value: bytes) -> None:
        """Adds a fragment if it is not in the state, or removes it if it is."""
        must(raw.unf_fingerprint_toggle(self.hash, ctypes.byref(self.raw), location, value,
                                        len(value)))

    def replace(self, location: int, old: bytes, new: bytes) -> None:
        """Replaces the bytes at a location by as many others."""
        if len(old) != len(new):
            raise Invalid("bytes can be replaced only by as many others")
        must(raw.unf_fingerprint_replace(self.hash, ctypes.byref(self.raw), location, old, new,
                                         len(old)))

    def count(self, location: int, amount: int) -> None:
        """Adds a number to a counter, which is 0 initially."""
        must(raw.unf_fingerprint_count(self.hash, ctypes.byref(self.raw), location, amount))

    def copy(self) -> Fingerprint:
        """Another fingerprint of the same state."""
        made = Fingerprint(self.hash)
        made.raw = raw.unf_fingerprint.from_buffer_copy(self.raw)
        return made

    def __iadd__(self, other: Fingerprint) -> Fingerprint:
        raw.unf_fingerprint_combine(ctypes.byref(self.raw), ctypes.byref(other.raw))
        return self

    def __isub__(self, other: Fingerprint) -> Fingerprint:
        raw.unf_fingerprint_remove(ctypes.byref(self.raw), ctypes.byref(other.raw))
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fingerprint) and bool(
            raw.unf_fingerprint_equal(ctypes.byref(self.raw), ctypes.byref(other.raw)))

    def __hash__(self) -> int:
        return hash(bytes(self.raw))

    def __repr__(self) -> str:
        return f"<fingerprint {bytes(self.raw).hex()}>"


class Cutoffs(Stale):
    """Verdicts about the events of an unfolding: which lead to a state to which a smaller local
    configuration leads as well. Explorers can keep one (Explorer.cutoffs)."""

    def __init__(self, unfolding: Unfolding, order: CutoffOrder = CutoffOrder.ERV) -> None:
        def make(pointer: Any, out: Any) -> Any:
            return raw.unf_cutoffs_new(pointer, order, out)
        self._begin(unfolding, make, raw.unf_cutoffs_free)

    @classmethod
    def borrowed(cls, owner: Handle, unfolding: Unfolding, pointer: int) -> Cutoffs:
        """The table of an explorer, which goes with the explorer."""
        made = cls.__new__(cls)
        made.unfolding, made._generation = unfolding, unfolding.generation
        made._own(owner._guard, owner, pointer, lambda _pointer: None)
        return made

    def add(self, event: Event, change: Fingerprint) -> CutoffVerdict:
        """Adds an event that was performed, with what it changed. The verdict can change later."""
        return CutoffVerdict(self._get(raw.unf_cutoffs_add, ctypes.c_int, self._number(event),
                                       ctypes.byref(change.raw)))

    def add_under(self, event: Event, change: Fingerprint, condition: Fingerprint) -> CutoffVerdict:
        """The same in an unfolding with a predicate of consistency."""
        return CutoffVerdict(self._get(raw.unf_cutoffs_add_under, ctypes.c_int, self._number(event),
                                       ctypes.byref(change.raw), ctypes.byref(condition.raw)))

    def verdict(self, event: Event) -> CutoffVerdict:
        """The verdict about an event."""
        return CutoffVerdict(self._get(raw.unf_cutoffs_verdict, ctypes.c_int, self._number(event)))

    def state(self, event: Event) -> Fingerprint:
        """The state to which the local configuration of a performed event leads."""
        made = Fingerprint()
        made.raw = self._get(raw.unf_cutoffs_state, raw.unf_fingerprint, self._number(event))
        return made

    def settle(self) -> list[Event]:
        """Decides again about all events; those that were cutoffs and are kept now."""
        return self._events(raw.unf_cutoffs_settle)

    @property
    def counts(self) -> CutoffCounts:
        """Numbers of events by verdict, and of states."""
        out = raw.unf_cutoff_counts()
        self._value(raw.unf_cutoffs_counts, ctypes.byref(out))
        return CutoffCounts.of(out)

    def compare(self, a: Event, b: Event) -> int:
        """Negative if the local configuration of a is smaller, positive if that of b is, else 0."""
        return int(self._get(raw.unf_cutoffs_compare, ctypes.c_int, self._number(a),
                             self._number(b)))

    def pnml(self, names: Names | None = None) -> str:
        """The prefix that the cutoffs leave as a place/transition net in PNML."""
        return self._text(raw.unf_pnml_prefix, of_names(names))

    def check(self) -> None:
        """Checks every event that the table knows against its definition, slowly."""
        self._call(raw.unf_check_cutoffs)
