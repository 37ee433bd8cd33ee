"""libunfold: unfolding and event-structure algorithms for exploring concurrent programs.

    import unfold
    from unfold import operations

    with unfold.Context() as context:
        unfolding = unfold.Unfolding(context)
        explorer = unfold.Explorer(unfolding, algorithm=unfold.Algorithm.ODPOR)
        counts = explorer.explore(engine)  # an object with restart, next and perform

What the library knows and where it comes from stands in its headers, whose comments are the
docstrings here. A status of the library is an exception of the same name (unfold.Invalid,
unfold.Memory, …), a subclass of unfold.Error. unfold.raw has every function as it is.
"""
import os as _os

if not _os.path.exists(_os.path.join(_os.path.dirname(__file__), "raw.py")):
    raise ImportError("these are the sources of the package; a build makes the rest of it: "
                      "PYTHONPATH=build/examples/python, see examples/python/README.md")

from . import operations, raw
from .alternative import Alternative, find_alternative
from .base import Error, Object, Thread
from .configuration import Configuration
from .consistency import Predicate, Refuted, Satisfied
from .context import Context
from .cutoff import Cutoffs, Fingerprint
from .engine import Engine
from .event import Event
from .explorer import Explorer
from .families import Channels, Futures, Mailboxes
from .family import Family, View, operate
from .ledger import Ledger, LedgerState, Report, begin_item, make_report
from .names import Names
from .program import Program
from .purity import Block, Flow, Purity, Register, Term
from .race import Begun, Races
from .schedule import Schedule, Tree
from .std import StdTrace, StdWriter
from .unfolding import ObjectName, Range, ThreadName, Unfolding
from .values import *
from .values import __all__ as _values
from .wakeup import Reversal, SleepSets, WakeupTrees, execution_races, execution_reversals

VERSION = raw.unf_version_text().decode()
"""The version of the library that runs."""

__all__ = [
    "Alternative", "Begun", "Block", "Channels", "Configuration", "Context", "Cutoffs", "Engine",
    "Error", "Event", "Explorer", "Family", "Fingerprint", "Flow", "Futures", "Ledger",
    "LedgerState", "Mailboxes", "Names",
    "Object", "ObjectName", "Predicate",
    "Program", "Purity", "Races", "Range", "Refuted", "Register", "Report", "Reversal", "Satisfied",
    "Schedule", "SleepSets", "StdTrace", "StdWriter", "Term", "Thread", "ThreadName", "Tree", "Unfolding", "VERSION", "View",
    "WakeupTrees", "begin_item", "execution_races", "execution_reversals", "find_alternative",
    "make_report", "operate",
    "operations", "raw", *_values]
