"""Who owns what of the library, when it is freed, and what may be called when.

Everything made from a context is a cell in a tree under it. A cell is freed once: by close(), when
the object that owns it goes, or before the cell that it was made from. So objects can go in any
order, also all at once when a cycle of them is collected, and what is used after that raises State.

Structs with callbacks are passed as they are, and not by ctypes.byref(): the collector does not see
through what that makes, which an exception that somebody keeps can hold.

One thread at a time is inside a context. While the library calls back, a callback may call what the
headers allow it to: an engine everything but what moves its explorer, a family what only looks,
others nothing. All else raises State, and what is to be freed then is freed afterwards.
"""
from __future__ import annotations

import ctypes
import itertools
import signal
import sys
import threading
import time
from types import FrameType, TracebackType
from typing import Any, Callable, Iterable, TypeVar

from . import raw
from .values import EXCEPTIONS, Detail, State

NOTHING, LOOK, ALL = 0, 1, 2  # what may be called
FAILED = int(raw.UNF_STATE)  # what a callback that raised returns; nobody sees it
RAISED = object()  # in place of the result of a callback that raised
SIGNALS = sorted(int(number) for number in signal.valid_signals()
                 if number < 32 and number not in (signal.SIGKILL, signal.SIGSTOP))
# Without what makes members of enumerations of the results, which takes longer than all else.
get_handler: Any = getattr(signal.getsignal, "__wrapped__", signal.getsignal)
set_handler: Any = getattr(signal.signal, "__wrapped__", signal.signal)
H = TypeVar("H", bound="Handle")


class Cell:
    """Something that the library made, and what was made from it."""
    __slots__ = ("pointer", "free", "parent", "children", "busy")

    def __init__(self, pointer: Any, free: Any, parent: Cell | None) -> None:
        self.pointer = pointer
        self.free = free
        self.parent = parent
        self.children: dict[Cell, None] = {}
        self.busy = 0
        if parent is not None:
            parent.children[self] = None

    def end(self) -> None:
        """Frees it, after all that was made from it."""
        for child in reversed(list(self.children)):
            child.end()
        pointer, self.pointer = self.pointer, None
        if self.parent is not None:
            self.parent.children.pop(self, None)
        if pointer is not None:
            self.free(pointer)

    def used(self) -> bool:
        """Whether a call that is running works on it, or on something made from it."""
        return self.busy > 0 or any(child.used() for child in self.children)


class Guard:
    """What all objects of one context share: who is inside, and what a callback raised."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.stopping = threading.RLock()  # interrupt() against close()
        self.owner = 0
        self.inside = False  # a call has the lock, and not the collector
        self.mode = ALL
        self.shielded = False
        self.calls_back = False  # any call can
        self.pending: BaseException | None = None
        self.grave: list[tuple[Cell, Any]] = []  # to be freed, and the callbacks that needs
        self.context: Any = None

    def take(self) -> bool:
        """Takes the lock, or returns False if a call of another thread has it. Where the collector
        does, in whatever thread, that is for a moment."""
        while not self.lock.acquire(blocking=False):
            if self.inside:
                return False
            time.sleep(0)
        self.inside = True
        return True

    def enter(self, function: Any) -> int:
        """Begins a call, or refuses it. Returns what was allowed before."""
        mine = threading.get_ident()
        if self.owner != mine:
            if not self.take():
                raise State("another thread is inside the context", FAILED)
            self.owner = mine
            before = -1
            self.mode = ALL
        else:
            before = self.mode
            looks = getattr(function, "__name__", "") in raw.CONST
            if before == NOTHING or (before == LOOK and not looks):
                raise State("not allowed in a callback of this kind", FAILED)
        if self.grave and self.mode == ALL:
            self.bury()
        self.mode = NOTHING
        return before

    def leave(self, before: int) -> None:
        """Ends a call."""
        self.mode = ALL if before < 0 else before
        if before < 0:
            if self.grave:
                self.bury()
            self.owner = 0
            self.inside = False
            self.lock.release()

    def value(self, function: Any, *arguments: Any) -> Any:
        """Calls a function that cannot fail."""
        if self.calls_back and not self.shielded:
            return self.shield(self.value, function, *arguments)
        before = self.enter(function)
        try:
            result = function(*arguments)
        finally:
            self.leave(before)
        self.raise_pending()
        return result

    def call(self, function: Any, *arguments: Any) -> None:
        """Calls a function that returns a status. What a callback raised comes before it."""
        if self.calls_back and not self.shielded:
            self.shield(self.call, function, *arguments)
            return
        before, detail = self.enter(function), None
        try:
            status = function(*arguments)
            if status != 0 and self.pending is None and self.context is not None:
                detail = Detail.of(raw.unf_context_detail(self.context).contents)
        finally:
            self.leave(before)
        self.raise_pending()
        if status != 0:
            raise failure(status, detail)

    def raise_pending(self) -> None:
        """Raises what a callback raised, as it was."""
        if self.pending is not None:
            pending, self.pending = self.pending, None
            raise pending

    def shield(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Makes a call that calls back. What the handler of a signal raises (Ctrl-C) is kept until
        the callback at hand has ended, so that the call can be made again; a second signal raises
        in the code of the callback. Between callbacks nobody would catch it."""
        if self.shielded:
            return function(*arguments)
        main = threading.current_thread() is threading.main_thread()
        handlers = {number: handler for number in SIGNALS
                    if callable(handler := get_handler(number))} if main else {}

        def handle(number: int, frame: FrameType | None) -> None:
            if self.mode != NOTHING and self.pending is not None:
                handlers[number](number, frame)
                return
            try:
                handlers[number](number, frame)
            except BaseException as error:  # pylint: disable=broad-except
                self.pending = self.pending or error

        self.shielded = True
        try:
            for number in handlers:
                set_handler(number, handle)
            return function(*arguments)
        finally:
            for number, handler in handlers.items():
                set_handler(number, handler)
            self.shielded = False
            self.raise_pending()

    def back(self, mode: int, function: Callable[..., Any], *arguments: Any) -> Any:
        """Runs the code of a callback, in which so much is allowed. What it raises is kept, and
        the result is then RAISED."""
        if self.pending is not None:
            return RAISED
        before = self.mode
        try:
            self.mode = mode
            result = function(*arguments)
            self.mode = before
            return result
        except BaseException as error:  # pylint: disable=broad-except
            self.mode = before
            self.pending = error
            return RAISED

    def close(self, cell: Cell) -> None:
        """Frees a cell now."""
        if cell.pointer is None:
            return
        before = self.enter(None)
        try:
            if cell.used():
                raise State("it is in use by the call that this callback is part of", FAILED)
            cell.end()
        finally:
            self.leave(before)
        self.raise_pending()

    def drop(self, cell: Cell, kept: Any) -> None:
        """Frees a cell whose owner is gone, now or when that is allowed."""
        mine = threading.get_ident()
        nested = self.owner == mine
        if (nested and (self.mode != ALL or cell.used())) or (
                not nested and not self.lock.acquire(blocking=False)):
            self.grave.append((cell, kept))
            return
        before, self.mode = self.mode, NOTHING
        self.owner = mine
        try:
            cell.end()
        finally:
            self.mode = before
            if not nested:
                self.owner = 0
                self.lock.release()

    def bury(self) -> None:
        """Frees what had to wait."""
        waiting, self.grave = self.grave, []
        before, self.mode = self.mode, NOTHING
        for cell, kept in waiting:
            if cell.used():
                self.grave.append((cell, kept))
            else:
                cell.end()
        self.mode = before


def failure(status: int, detail: Detail | None = None) -> BaseException:
    """The exception for a status."""
    text = detail.text if detail is not None and detail.status == status else ""
    known = detail if text else None
    return EXCEPTIONS[status](text or raw.unf_status_text(status).decode(), status, known)


def must(status: int) -> None:
    """Raises the exception for the status of a call that knows no context."""
    if status != 0:
        raise failure(status)


def checked(thing: Any, kind: type[H]) -> H:
    """An object that must be of a class: the library believes the pointers that it gets."""
    if not isinstance(thing, kind):
        raise TypeError(f"a {kind.__name__} is needed, and not {thing!r}")
    return thing


class Handle:
    """An object of the library. It can be closed, by hand or by `with`; otherwise it is freed when
    nothing refers to it. What was made from it is freed with it."""
    _cell: Cell | None = None
    _guard: Guard

    def _own(self, guard: Guard, parent: Handle | None, pointer: Any, free: Any,
             *kept: Any) -> None:
        """Takes over a pointer. `kept`: the callbacks that the library has."""
        self._guard = guard
        self._parent = parent
        self._kept = kept
        self._cell = Cell(pointer, free, parent._cell if parent is not None else None)

    @property
    def pointer(self) -> Any:
        """The address, for functions of unfold.raw. State after close()."""
        cell = self._cell
        if cell is None or cell.pointer is None:
            raise State(f"the {type(self).__name__} is closed", FAILED)
        return cell.pointer

    @property
    def closed(self) -> bool:
        """Whether it was freed."""
        return self._cell is None or self._cell.pointer is None

    def close(self) -> None:
        """Frees it and what was made from it; again: nothing. State inside a callback of a call
        that uses it."""
        if self._cell is not None:
            self._guard.close(self._cell)

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"a {type(self).__name__} cannot be copied or pickled")

    def __enter__(self: H) -> H:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        cell = self._cell
        if cell is not None and cell.pointer is not None and not sys.is_finalizing():
            self._guard.drop(cell, self._kept)

    def _call(self, function: Any, *arguments: Any) -> None:
        """A function that returns a status, with the own pointer first."""
        self._guard.call(function, self.pointer, *arguments)

    def _value(self, function: Any, *arguments: Any) -> Any:
        """A function that cannot fail, with the own pointer first."""
        return self._guard.value(function, self.pointer, *arguments)

    def _get(self, function: Any, kind: Any, *arguments: Any) -> Any:
        """A function whose last parameter is where it writes its result."""
        out = kind()
        where = out if isinstance(out, ctypes.Array) else ctypes.byref(out)
        self._guard.call(function, self.pointer, *arguments, where)
        return out if isinstance(out, (ctypes.Structure, ctypes.Array)) else out.value

    def _collect(self, function: Any, *arguments: Any, visitor: Any = None) -> list[Any]:
        """What a function visits, as a list."""
        return collect(self._guard, function, self.pointer, *arguments, visitor=visitor)

    def _text(self, function: Any, *arguments: Any) -> str:
        """What a function writes."""
        parts = self._collect(function, *arguments, visitor=write_piece)
        return b"".join(parts).decode()


# ---- what the library visits ----

visited: dict[int, list[Any]] = {}
numbers = itertools.count(1)


def visitor_of(kind: Any, convert: Callable[..., Any]) -> Any:
    """A visitor that appends to the list whose number it gets as `user`."""
    def visit(user: int, *arguments: Any) -> bool:
        try:
            visited[user].append(convert(*arguments))
            return True
        except BaseException as error:  # pylint: disable=broad-except
            visited[user].append(error)
            return False
    return kind(visit)


visit_number = visitor_of(raw.unf_event_visitor, lambda event: event)
write_piece = visitor_of(raw.unf_write, ctypes.string_at)


def collect(guard: Guard, function: Any, *arguments: Any, visitor: Any = None) -> list[Any]:
    """What a function visits, as a list. The last parameters are a visitor and its user."""
    number = next(numbers)
    found: list[Any] = []
    visited[number] = found
    try:
        guard.shield(guard.call if function.restype is not None else guard.value,
                     function, *arguments, visitor or visit_number, number)
    finally:
        del visited[number]
    if found and isinstance(found[-1], BaseException):
        raise found[-1]
    return found


def array(kind: Any, items: Iterable[Any]) -> tuple[Any, int]:
    """An array of numbers or structs for the library, and its length."""
    listed = list(items)
    made = (kind * len(listed))(*listed)
    if listed and isinstance(listed[0], int) and list(made) != listed:
        raise OverflowError(f"{listed}: a number does not fit")
    return made, len(listed)


def text_of(function: Any, *arguments: Any) -> str:
    """The text that a function writes in the manner of snprintf()."""
    size = 128
    while True:
        buffer = ctypes.create_string_buffer(size)
        needed = function(*arguments, buffer, size)
        if needed < size:
            return buffer.value.decode()
        size = needed + 1
