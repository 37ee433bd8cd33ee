"""Alternatives by combs: another way to go on, in conflict with everything that must not be taken.
"""
from __future__ import annotations

import ctypes
from typing import Iterable, NamedTuple

from . import raw
from .configuration import Configuration
from .event import Event
from .lifetime import checked
from .values import AlternativeOptions, AlternativeStatistics


class Alternative(NamedTuple):
    """What a search found: the configuration J (None: there is none), and what it cost."""
    configuration: Configuration | None
    statistics: AlternativeStatistics


def find_alternative(U: Iterable[Event], C: Configuration, D: Iterable[Event],
                     options: AlternativeOptions | None = None) -> Alternative:
    """Looks for a configuration J of events of U such that C ∪ J is a configuration and every event
    of D is in conflict with an event of C or J; options.k: only so many events of D."""
    unfolding = checked(C, Configuration).unfolding
    made = Configuration(unfolding)
    given = (options or AlternativeOptions()).raw
    found, cost = ctypes.c_bool(), raw.unf_alternative_statistics()
    unfolding._call(raw.unf_alternative_find, *unfolding.handles(U), C.pointer,
                    *unfolding.handles(D), ctypes.byref(given), ctypes.byref(found), made.pointer,
                    ctypes.byref(cost))
    return Alternative(made if found.value else None, AlternativeStatistics.of(cost))
