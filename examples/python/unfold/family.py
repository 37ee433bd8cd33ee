"""Effect families in Python: what operations of a front-end do to objects the library does not
know. doc/writing-a-family.md lists what a family must guarantee.
"""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Iterable, Protocol

from . import raw
from .base import Object, Thread, types_of
from .event import Event
from .lifetime import FAILED, LOOK, RAISED, Cell, collect
from .values import Action, ActionKind, Mode, Operation, OperationKind

if TYPE_CHECKING:
    from .unfolding import Unfolding

FIELDS: dict[str, Any] = types_of(raw.unf_effect)


class View:
    """What happened to objects before an operation; State when the call that got it is over."""

    def __init__(self, unfolding: Unfolding, pointer: int) -> None:
        from .unfolding import Unfolding
        self._guard = unfolding._guard
        self._cell = Cell(pointer, None, None)
        self.unfolding = Unfolding.__new__(Unfolding)  # borrowed: it is not freed from here
        self.unfolding.context = unfolding.context
        self.unfolding.generation = 0
        self.unfolding._guard = self._guard
        self.unfolding._cell = Cell(raw.unf_view_unfolding(pointer), None, None)

    def _end(self) -> None:
        self._cell.pointer = None
        if self.unfolding._cell is not None:
            self.unfolding._cell.pointer = None

    def events(self, object: Object) -> list[Event]:
        """The events that used an object before, in an order in which they can have happened."""
        self.unfolding.pointer  # State when it is over
        found = collect(self._guard, raw.unf_view_history, self._cell.pointer, object)
        return [Event(self.unfolding, number) for number in found]

    def history(self, object: Object) -> list[Action]:
        """The actions of these events."""
        return [event.action for event in self.events(object)]

    def part_events(self, object: Object, part: int) -> list[Event]:
        """events() of a part of an object."""
        self.unfolding.pointer  # State when it is over
        found = collect(self._guard, raw.unf_view_part_history, self._cell.pointer, object, part)
        return [Event(self.unfolding, number) for number in found]

    def part_history(self, object: Object, part: int) -> list[Action]:
        """history() of a part of an object."""
        return [event.action for event in self.part_events(object, part)]

    def last_write(self, object: Object, part: int | None = None) -> Event:
        """The last event that used an object, or a part of it, as Mode.WRITE; ⊥ if there is none.
        """
        self.unfolding.pointer  # State when it is over
        out = ctypes.c_uint32()
        given = (object,) if part is None else (object, part)
        function = raw.unf_view_last_write if part is None else raw.unf_view_part_last_write
        self._guard.call(function, self._cell.pointer, *given, ctypes.byref(out))
        return Event(self.unfolding, out.value)


class Family(Protocol):
    """An effect family, for Unfolding.register(). What its methods return must follow from their
    arguments alone. It may also have

      concerns(operation) -> objects, or pairs of an object and the number of a part: all that some
        action of the operation may use; without it an operation uses only its target.
      hinders(view, thread, operation) -> events of the view that together keep the operation from
        an outcome, which it has without any one of them.
      label(action) -> text for people about what came of an operation.
    """
    name: str

    def uses(self, action: Action) -> Iterable[tuple[Object, Mode] | tuple[Object, Mode, int]]:
        """Each object that an action uses, once, and how; with a third number only this part of
        the object, which is like an object of its own."""

    def outcomes(self, view: View, thread: Thread, operation: Operation) -> Iterable[int]:
        """The values of the actions that an operation can have after what the view shows; none if
        it is blocked there."""


def operate(family: int, target: Object, low: int = 0, high: int = 0) -> Operation:
    """An operation of a registered family on an object; low and high are its arguments."""
    return Operation(OperationKind.OPERATE, target, family, low, high)


class Effect:
    """The functions of a family as the library calls them."""

    def __init__(self, unfolding: Unfolding, family: Family) -> None:
        self.unfolding, self.guard = unfolding, unfolding._guard
        self.family: Any = family
        self.guard.calls_back = True
        self.visitors: dict[tuple[Any, int], Any] = {}

    def visitor(self, kind: Any, address: int) -> Any:
        """The function of the library at an address."""
        found = self.visitors.get((kind, address))
        if found is None:
            found = self.visitors[kind, address] = kind(address)
        return found

    def used(self, action: int) -> list[tuple[int, ...]]:
        """What uses() says, as numbers."""
        found = self.family.uses(Action.of(raw.unf_action.from_address(action)))
        return [numbers(*one) for one in found]

    def uses(self, _user: int, action: int, visit: int, visitor: int) -> int:
        """unf_effect.uses"""
        pairs = self.guard.back(LOOK, self.used, action)
        return FAILED if pairs is RAISED else self.tell(visit, visitor, pairs)

    def tell(self, visit: int, visitor: int, uses: list[tuple[int, ...]]) -> int:
        """Passes objects and parts on; returns the first status that is not UNF_OK."""
        function = self.visitor(raw.unf_use_visitor, visit)
        for object, mode, *part in uses:
            status = (raw.unf_use_part(visitor, object, part[0], mode) if part else
                      function(visitor, object, mode))
            if status != 0:
                return int(status)
        return 0

    def possible(self, view: int, thread: Thread, operation: int) -> list[Any]:
        """What outcomes() says, as actions of the library."""
        shown = View(self.unfolding, view)
        asked = Operation.of(raw.unf_operation.from_address(operation))
        try:
            values = list(self.family.outcomes(shown, thread, asked))
        finally:
            shown._end()
        return [Action(ActionKind.CUSTOM, thread, asked.target, asked.second, value).to_raw()
                for value in values]

    def outcomes(self, _user: int, view: int, thread: int, operation: int, visit: int,
                 visitor: int) -> int:
        """unf_effect.outcomes"""
        actions = self.guard.back(LOOK, self.possible, view, thread, operation)
        if actions is RAISED:
            return FAILED
        function = self.visitor(raw.unf_action_visitor, visit)
        for action in actions:
            if not function(visitor, ctypes.addressof(action)):
                break
        return 0

    def concerned(self, operation: int) -> list[tuple[int, ...]]:
        """What concerns() says, as numbers."""
        asked = Operation.of(raw.unf_operation.from_address(operation))
        found = []
        for one in self.family.concerns(asked):
            object, *part = one if isinstance(one, tuple) else (one,)
            found.append(numbers(object, raw.UNF_MODE_WRITE, *part))
        return found

    def concerns(self, _user: int, operation: int, visit: int, visitor: int) -> int:
        """unf_effect.concerns"""
        pairs = self.guard.back(LOOK, self.concerned, operation)
        return FAILED if pairs is RAISED else self.tell(visit, visitor, pairs)

    def hindering(self, view: int, thread: Thread, operation: int) -> list[int]:
        """What hinders() says, as numbers."""
        shown = View(self.unfolding, view)
        asked = Operation.of(raw.unf_operation.from_address(operation))
        try:
            events = list(self.family.hinders(shown, thread, asked))
            shown.unfolding.own(*events)
            return [event.number for event in events]
        finally:
            shown._end()

    def hinders(self, _user: int, view: int, thread: int, operation: int, visit: int,
                visitor: int) -> int:
        """unf_effect.hinders"""
        events = self.guard.back(LOOK, self.hindering, view, thread, operation)
        if events is RAISED:
            return FAILED
        function = self.visitor(raw.unf_event_visitor, visit)
        for event in events:
            if not function(visitor, event):
                break
        return 0

    def label(self, _user: int, action: int, buffer: int, size: int) -> None:
        """unf_effect.label"""
        made = Action.of(raw.unf_action.from_address(action))
        text = self.guard.back(LOOK, self.family.label, made)
        data = b"" if text is RAISED else str(text).encode()[:max(size - 1, 0)]
        if size > 0:
            ctypes.memmove(buffer, data + b"\0", len(data) + 1)


def numbers(object: int, mode: int, *part: int) -> tuple[int, ...]:
    """A use as numbers that fit."""
    made = int(object), int(mode), *map(int, part)
    if len(made) > 3 or not (0 <= made[0] < 2**32 and 0 <= made[-1] < 2**64):
        raise ValueError(f"{made} is no use of an object, or of a part of one")
    return made


def effect_of(unfolding: Unfolding, family: Family) -> Any:
    """A family as the library takes it."""
    effect, made = Effect(unfolding, family), raw.unf_effect()
    made.size = ctypes.sizeof(made)
    made.name = family.name.encode()
    made.uses = FIELDS["uses"](effect.uses)
    made.outcomes = FIELDS["outcomes"](effect.outcomes)
    if callable(getattr(family, "concerns", None)):
        made.concerns = FIELDS["concerns"](effect.concerns)
    if callable(getattr(family, "hinders", None)):
        made.hinders = FIELDS["hinders"](effect.hinders)
    if callable(getattr(family, "label", None)):
        made.label = FIELDS["label"](effect.label)
    return made
