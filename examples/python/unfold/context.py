"""The context: limits, callbacks and the memory of everything made from it."""
from __future__ import annotations

import ctypes
from typing import Any, Callable

from . import raw
from .base import types_of
from .lifetime import NOTHING, RAISED, Guard, Handle, must
from .values import ContextOptions, Detail, Left, Limits, Progress

Log = Callable[[str], None]
ProgressCallback = Callable[[Progress], "bool | None"]
Reallocate = Callable[[int, int, int], "int | None"]


class Context(Handle):
    """What everything else is made from. A context and all that was made from it may be used by
    one thread at a time: a second one gets State. Different contexts do not know each other.

    limits: what may be used; a call that would exceed one raises Limit, and can be made again after
    set_limits(). log: gets messages, a line each. progress: called after every progress_interval
    executions; False interrupts the exploration. reallocate: where memory comes from, as
    unf_allocator.reallocate with addresses (0: none); it is slow, and meant for tests.
    """

    def __init__(self, limits: Limits | None = None, *, log: Log | None = None,
                 progress: ProgressCallback | None = None, progress_interval: int | None = None,
                 reallocate: Reallocate | None = None) -> None:
        guard = Guard()
        options = ContextOptions(limits=limits, progress_interval=progress_interval).raw
        guard.calls_back = not (log is None and progress is None and reallocate is None)
        kept: list[Any] = []
        if log is not None:
            kept.append(log_callback(guard, log))
            options.log = kept[-1]
        if progress is not None:
            kept.append(progress_callback(guard, progress))
            options.progress = kept[-1]
        if reallocate is not None:
            kept.append(reallocate_callback(guard, reallocate))
            options.allocator.reallocate = kept[-1]
        out = ctypes.c_void_p()
        try:
            must(raw.unf_context_new(options, ctypes.byref(out)))
        finally:
            guard.raise_pending()
        guard.context = out
        self._own(guard, None, out, raw.unf_context_free, kept)

    def close(self) -> None:
        """Frees the context and everything made from it. State inside a callback."""
        with self._guard.stopping:
            super().close()
        if self.closed:
            self._guard.context = None

    @property
    def detail(self) -> Detail:
        """What is known about the last call that failed; exceptions have it too."""
        return Detail.of(self._value(raw.unf_context_detail).contents)

    @property
    def left(self) -> Left:
        """What is left of each limit."""
        out = self._get(raw.unf_context_left, raw.unf_left)
        return Left.of(out)

    @property
    def bytes(self) -> int:
        """Bytes that the context and everything made from it have taken."""
        return int(self._value(raw.unf_context_bytes))

    def set_limits(self, limits: Limits) -> None:
        """Replaces the limits, for going on after Limit. The clock is not reset."""
        self._call(raw.unf_context_set_limits, ctypes.byref(limits.to_raw()))

    def interrupt(self) -> None:
        """Asks the call that is running, or else the next one that can be interrupted, to raise
        Interrupted. The only method that another thread may call while one is inside; after
        close() it does nothing."""
        with self._guard.stopping:
            if not self.closed:
                raw.unf_context_interrupt(self.pointer)


# ---- callbacks ----

FIELDS: dict[str, Any] = types_of(raw.unf_context_options)
REALLOCATE: Any = types_of(raw.unf_allocator)["reallocate"]


def log_callback(guard: Guard, log: Log) -> Any:
    """Passes a line on."""
    def call(_user: int, line: int) -> None:
        guard.back(NOTHING, log, ctypes.string_at(line).decode("utf-8", "replace"))
    return FIELDS["log"](call)


def progress_callback(guard: Guard, progress: ProgressCallback) -> Any:
    """Passes the progress on; an exception interrupts."""
    def call(_user: int, so_far: int) -> bool:
        value = Progress.of(raw.unf_progress.from_address(so_far))
        answer = guard.back(NOTHING, progress, value)
        return answer is not False and answer is not RAISED
    return FIELDS["progress"](call)


def reallocate_callback(guard: Guard, reallocate: Reallocate) -> Any:
    """Passes a request on; an exception refuses it."""
    def call(_user: int, block: int | None, old_size: int, new_size: int) -> int | None:
        def address() -> int:
            return (reallocate(block or 0, old_size, new_size) or 0).__index__()
        if new_size == 0 and guard.pending is not None:  # to free is allowed whatever happened
            pending, guard.pending = guard.pending, None
            guard.back(NOTHING, address)
            guard.pending = pending
            return None
        result = guard.back(NOTHING, address)
        return None if result is RAISED else result or None
    return REALLOCATE(call)
