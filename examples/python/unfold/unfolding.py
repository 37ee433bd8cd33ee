"""Unfoldings: threads, objects and events of a program under their names."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Iterable, Iterator, NamedTuple

from . import raw
from .base import Object, Thread
from .context import Context
from .event import Event
from .lifetime import Handle, array, checked, text_of, visitor_of
from .names import Names, of_names
from .values import (OBJECT_NONE, THREAD_NONE, Action, ConsistencyCounts, Invalid, ObjectClass,
                     Operation, UnfoldingOptions)

if TYPE_CHECKING:
    from .consistency import Predicate
    from .family import Family


class ThreadName(NamedTuple):
    """How a thread is named: the child number `index` of a parent (None: of ⊥); initial: it runs
    from ⊥ on."""
    parent: Thread | None
    index: int  # type: ignore[assignment]
    initial: bool


class ObjectName(NamedTuple):
    """How an object is named: its class, the thread that made it (None: it was there from the
    start) and the key among its like."""
    object_class: ObjectClass
    creator: Thread | None
    key: int


class Range(NamedTuple):
    """The bytes of a location: `size` bytes of a space, from number `first` on. space None: it was
    not placed."""
    space: Object | None
    first: int
    size: int


def of_thread(thread: Thread | None) -> int:
    """The handle of a thread, or that of none."""
    return THREAD_NONE if thread is None else thread


def or_none(handle: int, none: int) -> Any:
    """A handle, or None for the one that means none."""
    return None if handle == none else handle


visit_thread = visitor_of(raw.unf_thread_visitor, Thread)


class Unfolding(Handle):
    """An event structure that grows: interned events over threads and objects.

    skip_step: see unf_unfolding_options. An unfolding can be iterated: its events, causes before
    effects."""

    def __init__(self, context: Context, *, skip_step: int | None = None) -> None:
        options = UnfoldingOptions(skip_step=skip_step).raw
        out = ctypes.c_void_p()
        self.context = checked(context, Context)
        context._call(raw.unf_unfolding_new, ctypes.byref(options), ctypes.byref(out))
        self.generation = 0  # grows when an explorer frees events
        self.callbacks: list[Any] = []
        self._own(context._guard, context, out, raw.unf_unfolding_free, self.callbacks)

    # ---- threads and objects ----

    def thread(self, index: int, parent: Thread | None = None, *, start: bool = False) -> Thread:
        """The thread that is child number `index` of a parent, or of ⊥. start: it runs from ⊥ on,
        without a create; before any event is made."""
        found = Thread(self._get(raw.unf_thread_name, ctypes.c_uint32, of_thread(parent), index))
        if start:
            self._call(raw.unf_thread_start, found)
        return found

    @property
    def threads(self) -> list[Thread]:
        """The threads that were named so far."""
        return [Thread(i) for i in range(self._value(raw.unf_unfolding_threads))]

    @property
    def objects(self) -> list[Object]:
        """The objects that were named so far."""
        return [Object(i) for i in range(self._value(raw.unf_unfolding_objects))]

    def describe_thread(self, thread: Thread) -> ThreadName:
        """The name of a thread."""
        parent, index, initial = ctypes.c_uint32(), ctypes.c_uint32(), ctypes.c_bool()
        self._call(raw.unf_thread_describe, thread, ctypes.byref(parent), ctypes.byref(index),
                   ctypes.byref(initial))
        return ThreadName(or_none(parent.value, THREAD_NONE), index.value, initial.value)

    def object(self, object_class: ObjectClass, key: int, creator: Thread | None = None) -> Object:
        """The object of a class with this key that a thread made, or that was there before."""
        return Object(self._get(raw.unf_object_name, ctypes.c_uint32, object_class,
                                of_thread(creator), key))

    def mutex(self, key: int, creator: Thread | None = None) -> Object:
        """A mutex."""
        return self.object(ObjectClass.MUTEX, key, creator)

    def condition(self, key: int, creator: Thread | None = None) -> Object:
        """A condition variable."""
        return self.object(ObjectClass.CONDITION, key, creator)

    def rwlock(self, key: int, creator: Thread | None = None) -> Object:
        """A lock for one writer or several readers."""
        return self.object(ObjectClass.RWLOCK, key, creator)

    def semaphore(self, key: int, creator: Thread | None = None, *, initial: int = 0,
                  maximum: int | None = None) -> Object:
        """A semaphore. maximum: see unf_object_set_maximum()."""
        made = self.object(ObjectClass.SEMAPHORE, key, creator)
        if initial != 0:
            self.set_initial(made, initial)
        if maximum is not None:
            self._call(raw.unf_object_set_maximum, made, maximum)
        return made

    def barrier(self, key: int, creator: Thread | None = None) -> Object:
        """One round of a barrier."""
        return self.object(ObjectClass.BARRIER, key, creator)

    def location(self, key: int, creator: Thread | None = None, *, initial: int = 0) -> Object:
        """Memory that is accessed atomically."""
        made = self.object(ObjectClass.LOCATION, key, creator)
        if initial != 0:
            self.set_initial(made, initial)
        return made

    def custom(self, key: int, creator: Thread | None = None) -> Object:
        """An object of an effect family of the front-end."""
        return self.object(ObjectClass.CUSTOM, key, creator)

    def futex(self, key: int, creator: Thread | None = None) -> Object:
        """The queue of threads that wait at a location."""
        return self.object(ObjectClass.FUTEX, key, creator)

    def describe_object(self, object: Object) -> ObjectName:
        """The name of an object."""
        kind, creator, key = ctypes.c_int(), ctypes.c_uint32(), ctypes.c_uint64()
        self._call(raw.unf_object_describe, object, ctypes.byref(kind), ctypes.byref(creator),
                   ctypes.byref(key))
        return ObjectName(ObjectClass(kind.value), or_none(creator.value, THREAD_NONE), key.value)

    def set_initial(self, object: Object, value: int) -> None:
        """The value that a semaphore or a location has before its first event."""
        self._call(raw.unf_object_set_initial, object, value)

    def place(self, location: Object, space: Object, first: int, size: int) -> None:
        """Makes a location a range of bytes of a space; see unf_location_place()."""
        self._call(raw.unf_location_place, location, space, first, size)

    def range_of(self, location: Object) -> Range:
        """The bytes of a location."""
        space, first, size = ctypes.c_uint32(), ctypes.c_uint64(), ctypes.c_uint32()
        self._call(raw.unf_location_describe, location, ctypes.byref(space), ctypes.byref(first),
                   ctypes.byref(size))
        return Range(or_none(space.value, OBJECT_NONE), first.value, size.value)

    def thread_set(self, threads: Iterable[Thread]) -> int:
        """A set of threads as the value of a broadcast or of a wake."""
        return int(self._get(raw.unf_thread_set, ctypes.c_int64, *array(ctypes.c_uint32, threads)))

    def members(self, thread_set: int) -> list[Thread]:
        """The threads of a set, in the order of their paths."""
        return self._collect(raw.unf_thread_set_members, thread_set, visitor=visit_thread)

    # ---- text ----

    def text(self, what: Action | Operation) -> str:
        """An action or an operation with canonical names, such as "0.1 acq mutex - 3"."""
        function = raw.unf_action_text if isinstance(what, Action) else raw.unf_operation_text
        return str(self._value(Text(function), ctypes.byref(what.to_raw())))

    def path(self, thread: Thread) -> str:
        """The path of a thread, such as "0.2.1"."""
        return str(self._value(Text(raw.unf_thread_text), thread))

    def label(self, what: Action | Thread, names: Names | None = None) -> str:
        """An action without its thread, or a thread, in names of the program, for people."""
        given: Any = ctypes.byref(what.to_raw()) if isinstance(what, Action) else what
        function = raw.unf_action_label if isinstance(what, Action) else raw.unf_thread_label
        return str(self._guard.shield(self._value, Text(function), of_names(names), given))

    def dot(self, names: Names | None = None) -> str:
        """The events for Graphviz: threads as columns, causality, immediate conflicts dashed."""
        return self._text(raw.unf_dot_unfolding_named, of_names(names))

    def json(self) -> str:
        """Threads, objects and events as one JSON object, see doc/formats.md."""
        return self._text(raw.unf_json_unfolding)

    # ---- events ----

    def event(self, number: int) -> Event:
        """The event with a handle. Invalid if there is none."""
        if not 0 <= number <= len(self):
            raise Invalid(f"there is no event {number}")
        return Event(self, number)

    @property
    def bottom(self) -> Event:
        """⊥, the event before all others."""
        return Event(self, raw.UNF_EVENT_BOTTOM)

    def __len__(self) -> int:
        return int(self._value(raw.unf_unfolding_events))

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Event]:
        return (Event(self, number) for number in range(1, len(self) + 1))

    def own(self, *events: Event) -> None:
        """Invalid if one of the events belongs to another unfolding."""
        for event in events:
            if not isinstance(event, Event):
                raise TypeError(f"an Event is needed, and not {event!r}")
            if event.unfolding is not self:
                raise Invalid("an event of another unfolding")

    def handles(self, events: Iterable[Event]) -> tuple[Any, int]:
        """An array of the handles of events, and its length."""
        listed = list(events)
        self.own(*listed)
        return array(ctypes.c_uint32, [event.number for event in listed])

    def events_of(self, function: Any, *arguments: Any) -> list[Event]:
        """The events that a function of the unfolding visits."""
        return [Event(self, number) for number in self._collect(function, *arguments)]

    def intern(self, action: Action, causes: Iterable[Event]) -> Event:
        """The event of an action whose causes are the given events and all causes of these."""
        return Event(self, self._get(raw.unf_event_intern, ctypes.c_uint32,
                                     ctypes.byref(action.to_raw()), *self.handles(causes)))

    def dependent(self, a: Action, b: Action) -> bool:
        """Whether two actions are of one thread, or use an object in ways that do not commute."""
        return bool(self._get(raw.unf_actions_dependent, ctypes.c_bool, ctypes.byref(a.to_raw()),
                              ctypes.byref(b.to_raw())))

    def weak_initial(self, event: Event, sequence: Iterable[Event]) -> bool:
        """Whether an execution can begin with the event and be the same trace as one that begins
        with the sequence; see unf_weak_initial()."""
        self.own(event)
        return bool(self._get(raw.unf_weak_initial, ctypes.c_bool, event.number,
                              *self.handles(sequence)))

    def check(self) -> None:
        """Checks every event against its definition, slowly. Broken, if one is wrong."""
        self._call(raw.unf_check_unfolding)

    # ---- what a front-end adds ----

    def register(self, family: Family) -> int:
        """Registers an effect family; the result is its number, for Family.operation()."""
        from .family import effect_of
        effect = effect_of(self, family)
        self.callbacks.append(effect)
        return int(self._get(raw.unf_effect_register, ctypes.c_uint32, effect))

    def set_consistency(self, predicate: Predicate) -> None:
        """Gives the unfolding the predicate that says which branches can be taken together."""
        from .consistency import consistency_of
        consistency = consistency_of(self, predicate)
        self.callbacks.append(consistency)
        self._call(raw.unf_unfolding_set_consistency, consistency)

    @property
    def consistency_counts(self) -> ConsistencyCounts:
        """How often the predicate was asked."""
        out = raw.unf_consistency_counts()
        self._value(raw.unf_unfolding_consistency_counts, ctypes.byref(out))
        return ConsistencyCounts.of(out)


class Text:
    """A function that writes text in the manner of snprintf(), as one that returns it."""

    def __init__(self, function: Any) -> None:
        self.function, self.__name__ = function, function.__name__

    def __call__(self, *arguments: Any) -> str:
        return text_of(self.function, *arguments)
