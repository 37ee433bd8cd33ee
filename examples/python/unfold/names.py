"""Names of the program for its threads and objects, in labels and pictures."""
from __future__ import annotations

import ctypes
from typing import Any, Callable, Mapping

from . import raw
from .base import Object, Thread, initialise, types_of

FIELDS: dict[str, Any] = types_of(raw.unf_names)


class Names:
    """What a program calls its threads and objects: `Names({a: "producer"}, {m: "queue.lock"})`;
    and what stands for events in pictures, by their handles (`int(event)`). What is left out keeps
    its canonical name. Names are any text without NUL characters."""

    def __init__(self, threads: Mapping[Thread, str] | None = None,
                 objects: Mapping[Object, str] | None = None,
                 events: Mapping[int, str] | None = None) -> None:
        self.raw = raw.unf_names()
        initialise(raw.unf_names_init, self.raw)
        self.raw.thread = FIELDS["thread"](writer_of(threads or {}))
        self.raw.object = FIELDS["object"](writer_of(objects or {}))
        self.raw.event = FIELDS["event"](writer_of(events or {}))


def writer_of(names: Mapping[Any, str]) -> Callable[..., int]:
    """What writes names as snprintf() does. It has them all, so that nothing can fail then."""
    encoded = {int(handle): name.encode() for handle, name in names.items()}
    if any(b"\0" in name for name in encoded.values()):
        raise ValueError("a name has a NUL character")

    def write(_user: int, handle: int, buffer: int, size: int) -> int:
        name = encoded.get(handle, b"")
        if size > 0:
            ctypes.memmove(buffer, name[:size - 1] + b"\0", min(len(name), size - 1) + 1)
        return len(name)
    return write


def of_names(names: Names | None) -> Any:
    """Names as the library takes them."""
    return None if names is None else names.raw
