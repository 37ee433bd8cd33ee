"""Finds the library. `UNFOLD_LIBRARY` names the file to load; otherwise it is the one that was
installed with this package, or the one that the loader finds.
"""
from __future__ import annotations

import ctypes
import os
from typing import Any


def load(soname: str, folder: str, version: tuple[int, int, int]) -> ctypes.CDLL:
    """The library, which must be of the version that the package was made from: structs grow from
    one version to the next."""
    tried = []
    installed = os.path.join(folder, soname)
    for name in (os.environ.get("UNFOLD_LIBRARY"),
                 installed if folder and os.path.exists(installed) else None, soname):
        if not name:
            continue
        try:
            library = ctypes.CDLL(name)
        except OSError as error:
            tried.append(str(error))
            continue
        number = library.unf_version()
        seen = (number >> 16, number >> 8 & 255)
        if seen != version[:2]:
            raise ImportError(f"{name} is libunfold {seen[0]}.{seen[1]}, and this package is for "
                              f"{version[0]}.{version[1]}")
        return library
    raise ImportError("libunfold was not found; set UNFOLD_LIBRARY to its path "
                      f"({'; '.join(tried)})")


def function(library: ctypes.CDLL, name: str, result: Any, parameters: list[Any],
             doc: str) -> Any:
    """A function of the library with its signature."""
    try:
        found = getattr(library, name)
    except AttributeError:
        raise ImportError(f"the library has no {name}: it is older than this package") from None
    found.restype, found.argtypes, found.__doc__ = result, parameters, doc
    return found


class Checked:
    """A parameter that is a number. One that does not fit is an error; ctypes would cut it."""
    least = 0
    greatest = 0
    kind: Any = None

    @classmethod
    def from_param(cls, value: Any) -> Any:
        """What ctypes calls for each argument."""
        number = value.__index__()
        if not cls.least <= number <= cls.greatest:
            raise OverflowError(f"{number} is not within {cls.least} … {cls.greatest}")
        return cls.kind(number)


class Int32(Checked):
    """int, and enumerations."""
    least, greatest, kind = -2**31, 2**31 - 1, ctypes.c_int32


class UInt32(Checked):
    """uint32_t, and handles."""
    greatest, kind = 2**32 - 1, ctypes.c_uint32


class Int64(Checked):
    """int64_t."""
    least, greatest, kind = -2**63, 2**63 - 1, ctypes.c_int64


class UInt64(Checked):
    """uint64_t and size_t."""
    greatest, kind = 2**64 - 1, ctypes.c_uint64
