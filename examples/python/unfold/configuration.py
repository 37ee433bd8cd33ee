"""Configurations: partial executions without the order of independent events."""
from __future__ import annotations

import ctypes
from typing import Any, Iterator

from . import raw
from .base import Object, Thread
from .event import Event
from .lifetime import FAILED, Handle, checked, visitor_of
from .names import Names, of_names
from .unfolding import Unfolding, or_none
from .values import EVENT_NONE, THREAD_NONE, Action, Answer, Operation, State, Switches

visit_action = visitor_of(raw.unf_action_visitor,
                          lambda address: Action.of(raw.unf_action.from_address(address)))


class Behind:
    """A function whose last parameter comes behind the visitor and its user."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self.function, self.__name__, self.restype = function, function.__name__, function.restype
        self.arguments = arguments

    def __call__(self, handle: Any, visit: Any, user: int) -> Any:
        *before, out = self.arguments
        return self.function(handle, *before, visit, user, out)


class Stale(Handle):
    """What holds events, and is of no use any more when an explorer has freed some."""
    unfolding: Unfolding
    _generation: int

    def _begin(self, unfolding: Unfolding, make: Any, free: Any) -> None:
        out = ctypes.c_void_p()
        checked(unfolding, Unfolding)._call(make, ctypes.byref(out))
        self.unfolding = unfolding
        self._generation = unfolding.generation
        self._own(unfolding._guard, unfolding, out, free)

    @property
    def pointer(self) -> Any:
        """The address, for functions of unfold.raw. State after close(), and after an explorer of
        the unfolding freed events."""
        found = super().pointer
        if self._generation != self.unfolding.generation:
            raise State(f"the {type(self).__name__} is older than the last freeing of events",
                        FAILED)
        return found

    def _event(self, number: int) -> Event:
        return Event(self.unfolding, number)

    def _number(self, event: Event) -> int:
        self.unfolding.own(event)
        return event.number

    def _events(self, function: Any, *arguments: Any) -> list[Event]:
        return [Event(self.unfolding, number) for number in self._collect(function, *arguments)]


class Configuration(Stale):
    """A set of events that has all causes of its events and no conflict. A new one has no event but
    ⊥. It can be iterated (a linearisation), measured by len(), and asked `event in configuration`;
    two are equal if they have the same events."""

    def __init__(self, unfolding: Unfolding) -> None:
        self._begin(unfolding, raw.unf_configuration_new, raw.unf_configuration_free)

    def copy(self) -> Configuration:
        """Another configuration with the same events."""
        made = Configuration(self.unfolding)
        made._call(raw.unf_configuration_assign, self.pointer)
        return made

    def clear(self) -> None:
        """Takes out all events."""
        self._value(raw.unf_configuration_clear)

    # ---- what threads do ----

    def offer(self, thread: Thread, operation: Operation) -> None:
        """Declares what a thread does next after its last event here."""
        self._call(raw.unf_configuration_offer, thread, ctypes.byref(operation.to_raw()))

    def next(self, thread: Thread) -> Operation:
        """What a thread does next, as declared. Missing, if it was not."""
        return Operation.of(self._get(raw.unf_configuration_next, raw.unf_operation, thread))

    def perform(self, action: Action) -> Event:
        """Performs an action: adds its event."""
        return self._event(self._get(raw.unf_configuration_perform, ctypes.c_uint32,
                                     ctypes.byref(action.to_raw())))

    def blocked(self, thread: Thread) -> tuple[bool, list[Event]]:
        """Whether the next operation of a thread has no outcome here, and the last events on what
        it names: what it waits for."""
        out = ctypes.c_bool()
        events = self._events(raw.unf_configuration_blocked, thread, ctypes.byref(out))
        return out.value, events

    # ---- sets ----

    def extend(self, event: Event) -> None:
        """Adds an event whose causes are all here."""
        self._call(raw.unf_configuration_extend, self._number(event))

    def add(self, event: Event) -> None:
        """Adds an event and all its causes."""
        self._call(raw.unf_configuration_add, self._number(event))

    def unite(self, other: Configuration) -> None:
        """Adds all events of another configuration. Conflict, if they cannot be together."""
        self._call(raw.unf_configuration_unite, checked(other, Configuration).pointer)

    def __len__(self) -> int:
        return int(self._value(raw.unf_configuration_size))

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Event]:
        return iter(self._events(raw.unf_configuration_linearize))

    def __contains__(self, event: Event) -> bool:
        return self._relation(raw.unf_configuration_contains, event)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Configuration):
            return NotImplemented
        if other.unfolding is not self.unfolding:
            return False
        return bool(self._get(raw.unf_configuration_equal, ctypes.c_bool, other.pointer))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "<closed configuration>" if self.closed else f"<configuration of {len(self)} events>"

    def _relation(self, function: Any, event: Event) -> bool:
        return bool(self._get(function, ctypes.c_bool, self._number(event)))

    @property
    def maximal(self) -> list[Event]:
        """The maximal events, ascending."""
        return self._events(raw.unf_configuration_maximal)

    def fewest_switches(self, steps: int = 2**64 - 1) -> tuple[list[Event], Switches]:
        """A linearisation with few switches of thread, and what is known of their number. The
        search stops after so many elementary steps; by default never, which can take long."""
        out = raw.unf_switches()
        call = Behind(raw.unf_configuration_fewest_switches, steps, ctypes.byref(out))
        return self._events(call), Switches.of(out)

    def extends(self, event: Event) -> bool:
        """Whether an event is not here, but all its causes are."""
        return self._relation(raw.unf_configuration_extends, event)

    def conflicts(self, event: Event) -> bool:
        """Whether an event is in conflict with one of these."""
        return self._relation(raw.unf_configuration_conflicts, event)

    def conflicts_immediately(self, event: Event) -> bool:
        """Whether an event is in immediate conflict with one of these."""
        return self._relation(raw.unf_configuration_conflicts_immediately, event)

    def concurrent(self, event: Event) -> bool:
        """Whether an event is concurrent with all of these."""
        return self._relation(raw.unf_configuration_concurrent, event)

    # ---- state ----

    def last(self, thread: Thread) -> Event | None:
        """The last event of a thread; if it has none, the one that created it, or ⊥; None if the
        thread has not started."""
        number = self._get(raw.unf_configuration_last, ctypes.c_uint32, thread)
        return None if number == EVENT_NONE else self._event(number)

    def owner(self, mutex: Object) -> Thread | None:
        """The thread that holds a mutex."""
        found = self._get(raw.unf_configuration_owner, ctypes.c_uint32, mutex)
        return or_none(found, THREAD_NONE)  # type: ignore[no-any-return]

    def value(self, location: Object) -> int:
        """The value of a location."""
        return int(self._get(raw.unf_configuration_value, ctypes.c_int64, location))

    @property
    def consistent(self) -> Answer:
        """Whether the branches here can be taken together, by the predicate of the unfolding."""
        return Answer(self._get(raw.unf_configuration_consistent, ctypes.c_int))

    # ---- extensions ----

    def actions(self) -> list[Action]:
        """The actions that are possible here, by thread and value. Makes no event."""
        return self._collect(raw.unf_configuration_actions, visitor=visit_action)

    def enabled(self) -> list[Event]:
        """The events that can happen next: en(C)."""
        return self._events(raw.unf_extensions_enabled)

    def conflicting(self) -> list[Event]:
        """What could have happened instead of something here: cex(C). With failed trylocks there
        can be exponentially many."""
        return self._events(raw.unf_extensions_conflicting)

    def extensions(self) -> list[Event]:
        """enabled() and conflicting()."""
        return self._events(raw.unf_extensions_all)

    # ---- text and checks ----

    def dot(self, names: Names | None = None) -> str:
        """The events for Graphviz, threads as columns."""
        return self._text(raw.unf_dot_configuration_named, of_names(names))

    def json(self) -> str:
        """Size, events and maximal events as one JSON object, see doc/formats.md."""
        return self._text(raw.unf_json_configuration)

    def check(self) -> None:
        """Checks the configuration against its definition, slowly. Broken, if it is wrong."""
        self._call(raw.unf_check_configuration)

    def check_independence(self) -> None:
        """Checks that what is possible here commutes if its family says so: for new families,
        after each step. Broken, with what is wrong."""
        self._call(raw.unf_check_independence)
