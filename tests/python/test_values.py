"""What is made from the headers: values, options, operations, exceptions; and that all is
documented."""
import ctypes
import enum
import inspect
import pkgutil
import unittest

import unfold
from unfold import operations, raw, values


class Values(unittest.TestCase):
    """Named tuples and structs."""

    def test_round_trips(self):
        """A tuple as a struct and back, with every field different."""
        found = 0
        for name, kind in vars(values).items():
            if not (isinstance(kind, type) and hasattr(kind, "to_raw")):
                continue
            found += 1
            struct = getattr(raw, f"unf_{''.join('_' + c.lower() if c.isupper() else c for c in name)[1:]}")()
            self.fill(struct, iter(range(1, 200)))
            made = kind.of(struct)
            again = made.to_raw()
            self.assertEqual(ctypes.sizeof(again), ctypes.sizeof(struct))
            self.assertEqual(kind.of(again), made, name)
        self.assertGreater(found, 20)

    def fill(self, struct, numbers):
        """Different numbers in all fields; 1 where few are possible."""
        for name, kind in struct._fields_:
            if issubclass(kind, ctypes.Structure):
                self.fill(getattr(struct, name), numbers)
            elif kind is ctypes.c_int:
                setattr(struct, name, 1)
            else:
                setattr(struct, name, next(numbers))

    def test_enumerations(self):
        """Members have the numbers of the library, and words where it has some."""
        self.assertEqual(unfold.OperationKind.TRYLOCK, raw.UNF_TRYLOCK)
        for kind in unfold.ActionKind:
            self.assertNotEqual(raw.unf_action_kind_text(kind), b"?")
        for one in unfold.Algorithm:
            found = ctypes.c_int()
            word = raw.unf_algorithm_text(one)
            self.assertEqual(raw.unf_algorithm_from_text(word, ctypes.byref(found)), 0)
            self.assertEqual(found.value, one)

    def test_exceptions(self):
        """One for each status."""
        self.assertEqual(len(values.EXCEPTIONS), raw.UNF_STATUS_COUNT - 1)
        for status, kind in values.EXCEPTIONS.items():
            self.assertEqual(kind.__name__.upper(), unfold.Status(status).name)
            self.assertTrue(issubclass(kind, unfold.Error))

    def test_operations(self):
        """The functions make what the inline functions of the library make."""
        made = {"wait": (raw.UNF_WAIT, 2), "wake": (raw.UNF_WAKE, 2), "await_": (raw.UNF_AWAIT, 3)}
        for name, (kind, count) in made.items():
            operation = getattr(operations, name)(*range(1, count + 1))
            self.assertEqual((operation.kind, operation.target, operation.second), (kind, 1, 2))
        for name, function in inspect.getmembers(operations, inspect.isfunction):
            count = len(inspect.signature(function).parameters)
            operation = function(*range(1, count + 1))
            if operation.second == 0:
                same = raw.unf_operation_make(operation.kind, operation.target, operation.low,
                                              operation.high)
                self.assertEqual(unfold.Operation.of(same), operation, name)
        self.assertEqual(operations.cas(1, 2, 3), (raw.UNF_CAS, 1, 0, 2, 3))
        self.assertEqual(operations.futex_wait(1, 2, 3), (raw.UNF_FUTEX_WAIT, 1, 2, 3, 0))
        self.assertEqual(unfold.operate(5, unfold.Object(1), 2, 3),
                         unfold.Operation.of(raw.unf_operation_custom(5, 1, 2, 3)))
        with unfold.Context() as context:
            unfolding = unfold.Unfolding(context)
            mutex = unfolding.mutex(3)
            self.assertEqual(unfolding.text(operations.lock(mutex)), "lock mutex - 3")

    def test_version(self):
        """That of the library."""
        self.assertEqual(unfold.VERSION, ".".join(map(str, raw.VERSION)))


class Documentation(unittest.TestCase):
    """Everything public has a docstring, and functions have hints."""

    def test_docstrings(self):
        """In all modules."""
        missing, seen = [], 0

        def look(where, what):
            nonlocal seen
            seen += 1
            if not inspect.getdoc(what):
                missing.append(where)
            if inspect.isfunction(what) and what.__module__ != "unfold.raw":
                hints = what.__annotations__
                wanted = [p for p in inspect.signature(what).parameters if p not in ("self", "cls")]
                if "return" not in hints or any(p not in hints for p in wanted):
                    missing.append(f"hints of {where}")
        for module in [unfold, *(__import__(f"unfold.{m.name}", fromlist=["x"])
                                 for m in pkgutil.iter_modules(unfold.__path__))]:
            look(module.__name__, module)
            for name, what in vars(module).items():
                if name.startswith("_") or getattr(what, "__module__", None) != module.__name__:
                    continue
                if inspect.isclass(what) or inspect.isfunction(what):
                    look(f"{module.__name__}.{name}", what)
                if inspect.isclass(what) and not issubclass(what, (ctypes.Structure, enum.Enum)):
                    for inner, member in vars(what).items():
                        member = getattr(member, "__func__", getattr(member, "fget", member))
                        if not inner.startswith("_") and inspect.isfunction(member):
                            look(f"{module.__name__}.{name}.{inner}", member)
        for name in raw.FUNCTIONS:
            look(name, getattr(raw, name))
        self.assertEqual(missing, [])
        self.assertGreater(seen, 600)

    def test_reach(self):
        """The hand-written modules use most of the library; all is in unfold.raw."""
        text = ""
        for module in pkgutil.iter_modules(unfold.__path__):
            if module.name != "raw":
                text += inspect.getsource(__import__(f"unfold.{module.name}", fromlist=["x"]))
        only_raw = [name for name in raw.FUNCTIONS if f"raw.{name}" not in text]
        print("only in unfold.raw:", *only_raw)
        self.assertLess(len(only_raw), len(raw.FUNCTIONS) / 4)


if __name__ == "__main__":
    unittest.main()
