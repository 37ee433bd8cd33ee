"""What the generated modules stand on: handles of threads and objects, the base of all exceptions,
and structs that are filled.
"""
from __future__ import annotations

import ctypes
import functools
import struct
from typing import TYPE_CHECKING, Any, Callable, NewType

if TYPE_CHECKING:
    from .values import Detail

Thread = NewType("Thread", int)
Thread.__doc__ = "A thread of one unfolding: a small number."
Object = NewType("Object", int)
Object.__doc__ = "An object of one unfolding: a small number."


class Error(Exception):
    """A call of the library failed. The subclasses are the statuses of the library.

    status: the number of the status, and detail: what the context knows about it (step, thread,
    event, what was expected and what was seen), or None where no context was at hand.
    """

    def __init__(self, text: str, status: int = 0, detail: Detail | None = None) -> None:
        super().__init__(text)
        self.status = status
        self.detail = detail


def initialise(function: Any, target: Any) -> None:
    """Fills a struct with the defaults of the library, whose struct must have the same size."""
    if function(ctypes.byref(target), ctypes.sizeof(target)) != 0:
        raise ImportError(f"{type(target).__name__} has another size in the library")


@functools.lru_cache(maxsize=None)
def packer(layout: str) -> Callable[..., bytes]:
    """What packs numbers in a layout."""
    return struct.Struct(layout).pack


def pack(layout: str, *numbers: Any) -> bytes:
    """The bytes of a struct. OverflowError for a number that does not fit."""
    try:
        return packer(layout)(*numbers)
    except struct.error as error:
        raise OverflowError(f"{numbers} does not fit: {error}") from None


def made(kind: Any, layout: str, *numbers: Any) -> Any:
    """A struct of numbers."""
    return kind.from_buffer_copy(pack(layout, *numbers))


def assign(target: Any, field: str, value: Any) -> None:
    """Sets a field of a struct; OverflowError if the value does not fit, which ctypes would cut."""
    setattr(target, field, value)
    if getattr(target, field) != value:
        raise OverflowError(f"{field} = {value} does not fit")


def types_of(kind: Any) -> dict[str, Any]:
    """The types of the fields of a struct, by their names."""
    return {name: type_of_field for name, type_of_field, *_ in kind._fields_}


def shown(options: Any) -> str:
    """A text for options: the fields that are numbers."""
    fields = [(name, getattr(options.raw, name)) for name in types_of(options.raw)]
    given = ", ".join(f"{name}={value}" for name, value in fields
                      if name != "size" and isinstance(value, (int, float)))
    return f"{type(options).__name__}({given})"
