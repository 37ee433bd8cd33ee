"""Events and their relations."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from . import raw
from .lifetime import FAILED
from .values import Action, Literal, State

if TYPE_CHECKING:
    from .unfolding import Unfolding


class Event:
    """An event of an unfolding: an action and the set of its causes. Events of one unfolding are
    equal if they are the same event; `a < b` is causality. Events are made by configurations,
    explorers and Unfolding.intern()."""
    __slots__ = ("unfolding", "handle", "_generation")

    def __init__(self, unfolding: Unfolding, handle: int) -> None:
        self.unfolding = unfolding
        self.handle = handle
        self._generation = unfolding.generation

    def __int__(self) -> int:
        return self.number

    __index__ = __int__

    @property
    def number(self) -> int:
        """The handle. State after its explorer freed events, which renumbers those that stay."""
        if self._generation != self.unfolding.generation:
            raise State("the events were renumbered when the explorer freed some", FAILED)
        return self.handle

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, Event) and self.unfolding is other.unfolding
                and self.handle == other.handle and self._generation == other._generation)

    def __hash__(self) -> int:
        return hash((id(self.unfolding), self.handle, self._generation))

    def __repr__(self) -> str:
        try:
            return f"<event {self.handle}: {self}>"
        except State:
            return f"<event {self.handle}>"

    def __str__(self) -> str:
        return "⊥" if self.handle == raw.UNF_EVENT_BOTTOM else self.unfolding.text(self.action)

    def _get(self, function: Any, kind: Any, *arguments: Any) -> Any:
        return self.unfolding._get(function, kind, self.number, *arguments)

    def _relation(self, function: Any, other: Event) -> bool:
        self.unfolding.own(other)
        return bool(self._get(function, ctypes.c_bool, other.number))

    @property
    def action(self) -> Action:
        """What happened. Invalid for ⊥."""
        return Action.of(self._get(raw.unf_event_action, raw.unf_action))

    @property
    def predecessors(self) -> list[Event]:
        """The maximal causes, ascending; ⊥ for an event without other causes."""
        return self.unfolding.events_of(raw.unf_event_predecessors, self.number)

    @property
    def history(self) -> list[Event]:
        """The local configuration, without ⊥: the event and its causes, causes before effects."""
        return self.unfolding.events_of(raw.unf_event_history, self.number)

    @property
    def cookie(self) -> int:
        """A number that the front-end stored with the event, such as a line; 0: none."""
        return int(self._get(raw.unf_event_cookie, ctypes.c_uint64))

    @cookie.setter
    def cookie(self, cookie: int) -> None:
        self.unfolding._call(raw.unf_event_set_cookie, self.number, cookie)

    @property
    def fingerprint(self) -> tuple[int, int]:
        """A fingerprint of the canonical name, the same in every process."""
        out = self._get(raw.unf_event_fingerprint, ctypes.c_uint64 * 2)
        return out[0], out[1]

    @property
    def literal(self) -> Literal:
        """The constraint that a branch event adds. Invalid for other events."""
        return Literal.of(self._get(raw.unf_event_literal, raw.unf_literal))

    def precedes(self, other: Event) -> bool:
        """Whether it is the other event or a cause of it."""
        return self._relation(raw.unf_event_precedes, other)

    def __le__(self, other: Event) -> bool:
        return self.precedes(other)

    def __lt__(self, other: Event) -> bool:
        return self != other and self.precedes(other)

    def conflicts(self, other: Event) -> bool:
        """Whether no execution has both."""
        return self._relation(raw.unf_event_conflicts, other)

    def conflicts_immediately(self, other: Event) -> bool:
        """Whether the two are in conflict, and no causes of them are."""
        return self._relation(raw.unf_event_conflicts_immediately, other)

    def concurrent(self, other: Event) -> bool:
        """Whether an execution can have both, in either order."""
        return self._relation(raw.unf_event_concurrent, other)
