#!/usr/bin/env python3
"""generate.py --out FOLDER --soname NAME [--libdir FOLDER] [--include FOLDER]... HEADER... -- CC...

Writes the modules of the package that follow from the headers: raw.py (the library as ctypes sees
it), values.py (enumerations, structs as named tuples, options, exceptions) and operations.py.
"""
from __future__ import annotations

import argparse
import keyword
import pathlib
import re
import sys
import textwrap

import headers

SCALARS = {"void": "None", "_Bool": "c_bool", "bool": "c_bool", "char": "c_char", "int": "c_int",
           "unsigned": "c_uint", "unsigned int": "c_uint", "double": "c_double",
           "size_t": "c_size_t", "uint8_t": "c_uint8", "uint16_t": "c_uint16",
           "uint32_t": "c_uint32", "uint64_t": "c_uint64", "int32_t": "c_int32",
           "int64_t": "c_int64", "long": "c_long", "unsigned long": "c_ulong"}
# Parameters are checked: ctypes would cut a number that is too large.
CHECKED = {"c_int": "Int32", "c_uint": "UInt32", "c_int32": "Int32", "c_uint32": "UInt32",
           "c_int64": "Int64", "c_uint64": "UInt64", "c_size_t": "UInt64"}
# How `struct` packs what a named tuple has.
PACKED = {"c_int": "i", "c_uint": "I", "c_int32": "i", "c_uint32": "I", "c_int64": "q",
          "c_uint64": "Q", "c_size_t": "N", "c_bool": "?", "c_double": "d"}
HINTS = {"bool": "bool", "_Bool": "bool", "double": "float", "unf_thread": "Thread",
         "unf_object": "Object"}
# What a status is in Python besides an unfold.Error.
ALSO = {"MEMORY": "MemoryError", "INVALID": "ValueError", "UNKNOWN": "LookupError",
        "UNSUPPORTED": "NotImplementedError"}
# Structs with a size that the library fills, and ledger.py has classes for.
FILLED = ("unf_report", "unf_ledger_state")
HEAD = '"""{}\n\nGenerated from the headers of libunfold by generate.py.\n"""\n'


def camel(name):
    """unf_action_kind as ActionKind."""
    return "".join(part.capitalize() for part in name.removeprefix("unf_").split("_"))


def safe(name):
    """A name that Python takes."""
    return name + "_" if keyword.iskeyword(name) else name


def docstring(text, indent, fields=()):
    """A docstring with the text, and a line for each field."""
    pad = " " * indent
    lines = []
    for paragraph in re.split(r"\n\s*\n", text):
        if re.search(r"^\s*[|*-] ", paragraph, re.M):
            lines += paragraph.split("\n") + [""]
        else:
            lines += textwrap.wrap(" ".join(paragraph.split()), 96 - indent) + [""]
    for name, doc in fields:
        item = f"{name}: {' '.join(doc.split())}" if doc else name
        lines += textwrap.wrap(item, 96 - indent, initial_indent="  ", subsequent_indent="    ")
    while lines and not lines[-1]:
        lines.pop()
    body = "\n".join((pad + line).rstrip() for line in lines).strip().replace("\\", "\\\\")
    if body.endswith('"'):
        body += " "
    quoted = body.replace('"""', "'''")
    return f'{pad}"""{quoted}"""\n' if "\n" not in body else f'{pad}"""{quoted}\n{pad}"""\n'


def listed(name, opening, names):
    """Names as a constant."""
    rows = "".join(f'    "{one}",\n' for one in names)
    return f"\n{name} = {opening}\n{rows})\n"


def aligned(text):
    """What makes `struct` go on where a struct with these numbers is aligned."""
    return "0q" if re.search("[qQNd]", text) else "0i" if re.search("[iI]", text) else ""


class Writer:
    """The three modules of an interface."""

    def __init__(self, interface):
        self.interface = interface
        self.layouts = []  # how structs are packed
        self.callbacks = {}  # name to the type of a function that the library calls

    # ---- types ----

    def resolved(self, kind):
        """A type without the names that stand for another one."""
        while kind.kind == "name" and kind.name in self.interface.aliases:
            kind = self.interface.aliases[kind.name][0]
        return kind

    def raw(self, kind, owner="", inside=False):
        """A type in ctypes. `owner` names functions that have no name of their own; what the
        library passes to a function (`inside`) has all pointers as addresses."""
        if kind.kind == "name" and kind.name in self.interface.aliases:
            to = self.interface.aliases[kind.name][0]
            if to.kind == "pointer" and to.of.kind == "function":
                return "c_void_p" if inside else kind.name
            return self.raw(to, owner, inside)
        if kind.kind == "name":
            if kind.name in self.interface.enumerations:
                return "c_int"
            if kind.name in self.interface.structs:
                return kind.name
            if kind.name in SCALARS:
                return SCALARS[kind.name]
            raise headers.Unreadable(f"the type {kind.name} of {owner} is not known")
        if kind.kind == "array":
            return f"{self.raw(kind.of, owner)} * {kind.count}"
        if kind.of.kind == "function":
            if inside:
                return "c_void_p"
            self.callbacks.setdefault(owner, kind.of)
            return owner
        to = self.resolved(kind.of)
        if to.kind == "name" and to.name == "char" and kind.of.const and not inside:
            return "c_char_p"
        if inside or to.kind == "pointer" or to.name == "void" or to.name in self.interface.opaque:
            return "POINTER(c_void_p)" if to.kind == "pointer" and not inside else "c_void_p"
        return f"POINTER({self.raw(kind.of, owner)})"

    def prototype(self, function):
        """CFUNCTYPE of a function that the library calls."""
        kinds = [self.raw(function.of, inside=True)]
        kinds += [self.raw(kind, name, True) for name, kind in function.parameters]
        return f"CFUNCTYPE({', '.join(kinds)})"

    def hint(self, kind):
        """The type of a field as a type hint, or None if it is no plain value."""
        if kind.kind == "name" and kind.name in HINTS:
            return HINTS[kind.name]
        if kind.kind == "array":
            return "str" if self.resolved(kind.of).name == "char" else None
        end = self.resolved(kind)
        if end.kind != "name":
            return None
        if end.name in self.interface.enumerations:
            return camel(end.name)
        if end.name in self.interface.structs:
            return camel(end.name) if self.is_value(self.interface.structs[end.name]) else None
        return HINTS.get(end.name, "int")

    def is_value(self, struct):
        """Whether a struct holds numbers, texts and other such structs alone."""
        return struct.fields[0][0] != "size" and all(self.hint(kind) for _, kind in struct.fields)

    # ---- raw.py ----

    def write_raw(self, soname, libdir):
        """The library as it is."""
        i = self.interface
        functions = []
        for function in i.functions.values():
            result = self.raw(function.result)
            kinds = [self.raw(kind, f"{function.name}_{name}") for name, kind in function.parameters]
            kinds = [CHECKED.get(kind, kind) for kind in kinds]
            functions.append(f"{function.name} = function(\n    library, \"{function.name}\", "
                             f"{result}, [{', '.join(kinds)}],\n{docstring(function.doc, 4)[:-1]})\n")
        structs = []
        for struct in i.structs.values():
            fields = "".join(f'        ("{name}", {self.raw(kind, f"{struct.name}_{name}")}),\n'
                             for name, kind in struct.fields)
            structs.append(f"class {struct.name}(Structure):\n"
                           f"{docstring(struct.doc, 4, struct.docs.items())}\n"
                           f"    _fields_ = [\n{fields}    ]\n\n\n")
        for name, (kind, _) in i.aliases.items():
            if kind.kind == "pointer" and kind.of.kind == "function":
                self.callbacks.setdefault(name, kind.of)
        text = HEAD.format("The library as ctypes sees it: structs, functions and constants, under "
                           "the names of the\nheaders.")
        used = "\n".join(functions + structs) + "".join(map(self.prototype, self.callbacks.values()))
        known = sorted(set(SCALARS.values()) - {"None"} | {"CFUNCTYPE", "POINTER", "Structure",
                                                          "c_char_p", "c_void_p"})
        names = [name for name in known if re.search(rf"\b{name}\b", used)] + ["CFUNCTYPE"]
        text += "from ctypes import (" + ", ".join(sorted(set(names))) + ")\n\n"
        checked = sorted(name for name in set(CHECKED.values()) if re.search(rf"\b{name}\b", used))
        text += f"from .loading import {', '.join(checked)}, function, load\n\n"
        text += f"VERSION = {i.version}\nSONAME = {soname!r}\n\nlibrary = load(SONAME, {libdir!r}, VERSION)\n\n"
        text += "".join(f"{name} = {self.prototype(kind)}\n" for name, kind in self.callbacks.items())
        text += "\n\n" + "".join(structs)
        text += "".join(f"{name} = {value}\n" for name, (value, _) in i.constants.items()) + "\n"
        text += "".join(functions)
        looks = [name for name in sorted(i.functions) if self.only_looks(name)]
        text += listed("FUNCTIONS", "(", i.functions) + listed("CALLBACKS", "(", (
            name for name in self.callbacks if name in i.aliases))
        text += ("\n# Functions that take every handle as const: what may be called while the library "
                 "asks.")
        text += listed("CONST", "frozenset([", looks).replace(")\n", "])\n")
        return text

    def only_looks(self, name):
        """Whether a function changes nothing that it is given a handle of."""
        if name == "unf_event_literal":  # the one exception, for predicates: see consistency.h
            return True
        for _, kind in self.interface.functions[name].parameters:
            to = kind.of if kind.kind == "pointer" else kind
            made = to.kind == "pointer" and to.of.name in self.interface.opaque
            if made or (to.name in self.interface.opaque and not to.const):
                return False
        return True

    # ---- values.py ----

    def write_enumeration(self, enumeration):
        """An enumeration without the prefix that all its names have."""
        names = [name for name, _ in enumeration.values
                 if not name.endswith(("_COUNT", "_OUTCOMES"))]
        prefix = "UNF_"
        while True:
            rest = names[0].removeprefix(prefix)
            longer = prefix + rest.split("_")[0] + "_"
            if not all(name.startswith(longer) and name != longer for name in names):
                break
            prefix = longer
        text = f"class {camel(enumeration.name)}(IntEnum):\n"
        docs = [(name.removeprefix(prefix), self.interface.constants[name][1]) for name in names]
        text += docstring(enumeration.doc, 4, [item for item in docs if item[1]]) + "\n"
        text += "".join(f"    {safe(name.removeprefix(prefix))} = raw.{name}\n" for name in names)
        return text + "\n\n"

    def converted(self, kind, field):
        """The expression for a field of a struct `s`."""
        hint = self.hint(kind)
        value = f"getattr(s, {field!r})" if keyword.iskeyword(field) else f"s.{field}"
        if hint == "str":
            return f'{value}.decode("utf-8", "replace")'
        if hint in ("int", "float", "bool"):
            return value
        if self.resolved(kind).name in self.interface.structs:
            return f"{hint}.of({value})"
        return f"{hint}({value})"

    def format(self, struct):
        """How `struct` packs a struct, or None if it has more than numbers."""
        parts = []
        for _, kind in struct.fields:
            end = self.resolved(kind)
            inner = self.interface.structs.get(end.name)
            part = self.nested(inner) if inner else PACKED.get(self.raw(end)) if end.kind == "name" else None
            if part is None:
                return None
            parts.append(part)
        return "".join(parts) + aligned("".join(parts))

    def nested(self, struct):
        """How `struct` packs a struct inside another one, which begins where it is aligned."""
        text = self.format(struct)
        return None if text is None else aligned(text) + text

    def flat(self, struct, owner):
        """The numbers of a named tuple in the order of its struct."""
        for name, kind in struct.fields:
            inner = self.interface.structs.get(self.resolved(kind).name)
            yield from self.flat(inner, f"{owner}.{safe(name)}") if inner else [f"{owner}.{safe(name)}"]

    def write_packing(self, struct):
        """The method that makes a struct of a named tuple."""
        layout = self.format(struct)
        if layout is None:
            return ""
        values = list(self.flat(struct, "self"))
        given = "*self" if all(v.count(".") == 1 for v in values) else ", ".join(values)
        name = struct.name.removeprefix("unf_").upper() + "_LAYOUT"
        self.layouts.append(f'{name} = "@{layout}"\n')
        lines = textwrap.wrap(f"return made(raw.{struct.name}, {name}, {given})",
                              88, subsequent_indent=" " * 12, break_on_hyphens=False)
        return ('\n    def to_raw(self) -> Any:\n'
                f'        """As a raw.{struct.name}; OverflowError for a number that does not fit."""\n'
                "        " + "\n".join(lines) + "\n")

    def write_value(self, struct):
        """A struct as a named tuple; numbers at the end may be left out."""
        lines, ready = [], True
        natural = {"int": "0", "bool": "False", "float": "0.0"}
        for name, kind in reversed(struct.fields):
            hint = self.hint(kind)
            ready = ready and hint in natural
            line = f"    {safe(name)}: {hint}" + (f" = {natural[hint]}" if ready else "")
            lines.append(line + ("  # type: ignore[assignment]" if name in ("count", "index") else ""))
        name = camel(struct.name)
        values = ",\n            ".join(self.converted(kind, field) for field, kind in struct.fields)
        return (f"class {name}(NamedTuple):\n"
                + docstring(struct.doc, 4, [(safe(f), d) for f, d in struct.docs.items()]) + "\n"
                + "\n".join(reversed(lines))
                + f"\n\n    @staticmethod\n    def of(s: Any) -> {name}:\n"
                  f'        """From a raw.{struct.name}."""\n'
                  f"        return {name}(\n            {values})\n"
                + self.write_packing(struct) + "\n\n")

    def write_options(self, struct):
        """A struct with a size as a class: what is not given has the default of the library."""
        name, lines, parameters = camel(struct.name), [], []
        for field, kind in struct.fields[1:]:
            end = self.resolved(kind)
            nested = end.kind == "name" and end.name in self.interface.structs
            options = nested and not self.is_value(self.interface.structs[end.name])
            hint = self.hint(kind) or (camel(end.name) if options and self.is_options(end.name) else None)
            if hint is None:
                continue
            parameters.append((field, hint))
            value = f"{field}.raw" if options else f"{field}.to_raw()" if nested else field
            stored = (f"self.raw.{field} = {value}" if nested else
                      f"assign(self.raw, {field!r}, {value})")
            lines.append(f"        if {field} is not None:\n            {stored}\n")
        given = ", ".join(f"{field}: {hint} | None = None" for field, hint in parameters)
        given = ("\n" + " " * 17).join(textwrap.wrap(f"self, *, {given}", 80))
        docs = [(field, struct.docs[field]) for field, _ in parameters]
        return (f"class {name}:\n" + docstring(struct.doc, 4, docs)
                + f"\n    def __init__({given}) -> None:\n        self.raw = raw.{struct.name}()\n"
                  f"        initialise(raw.{struct.name}_init, self.raw)\n" + "".join(lines)
                + "\n    def __repr__(self) -> str:\n        return shown(self)\n\n\n")

    def is_options(self, name):
        """Whether the library has an initialiser for a struct, and it has fields to set."""
        init = self.interface.functions.get(f"{name}_init")
        struct = self.interface.structs[name]
        fields = [kind for _, kind in struct.fields[1:]]
        return (name not in FILLED and struct.fields[0][0] == "size" and init is not None
                and len(init.parameters) == 2 and any(self.hint(kind) for kind in fields))

    def write_exceptions(self):
        """An exception for each status but success."""
        text, classes = "", []
        for name, _ in self.interface.enumerations["unf_status"].values:
            short = name.removeprefix("UNF_")
            if short in ("OK", "STATUS_COUNT"):
                continue
            bases = f"Error, {ALSO[short]}" if short in ALSO else "Error"
            classes.append((name, short.capitalize()))
            text += (f"class {short.capitalize()}({bases}):\n"
                     f'    """The status {name}; its text is that of the library."""\n\n\n')
        rows = "".join(f"    raw.{name}: {short},\n" for name, short in classes)
        return text + f"EXCEPTIONS: dict[int, type[Error]] = {{\n{rows}}}\n"

    def write_values(self):
        """Enumerations, structs, options and exceptions."""
        i = self.interface
        text = HEAD.format("What the library takes and gives: enumerations, structs as named tuples, "
                           "options, exceptions.")
        text += ("from __future__ import annotations\n\nfrom enum import IntEnum\n"
                 "from typing import Any, NamedTuple\n\n"
                 "from . import raw\nfrom .base import Error, Object, Thread, assign, initialise, made, shown\n\n\n")
        text += "".join(self.write_enumeration(e) for e in i.enumerations.values())
        text += "".join(self.write_value(s) for s in i.structs.values() if self.is_value(s))
        text += "".join(self.layouts) + "\n\n"
        text += "".join(self.write_options(s) for s in i.structs.values() if self.is_options(s.name))
        text += self.write_exceptions()
        public = re.findall(r"^class (\w+)", text, re.M)
        constants = []
        listed = {name for e in i.enumerations.values() for name, _ in e.values}
        for name in i.constants:
            if name not in listed and not name.startswith("UNF_VERSION"):
                constants.append(f"{name.removeprefix('UNF_')} = raw.{name}\n")
        text += "\n" + "".join(constants)
        public += [line.split(" ")[0] for line in constants]
        return text + "\n__all__ = [\n    " + ",\n    ".join(f'"{name}"' for name in public) + "]\n"

    # ---- operations.py ----

    def write_operation(self, macro):
        """A macro that makes an operation as a function."""
        name = safe(macro.name.removeprefix("UNF_OP_").lower())
        call = re.fullmatch(r"(\w+)\((.*)\)", macro.body)
        given = [argument(text) for text in call.group(2).split(",")]
        parameters = ", ".join(f"{safe(p)}: int" for p in macro.parameters)
        if call.group(1) == "unf_operation_make":
            kind, target, low, high = given
            made = f"Operation(OperationKind({kind}), {target}, 0, {low}, {high})"
        else:
            made = f"Operation.of(raw.{call.group(1)}({', '.join(given)}))"
        return f"def {name}({parameters}) -> Operation:\n{docstring(macro.doc, 4)}    return {made}\n\n\n"

    def write_operations(self):
        """What threads can be about to do."""
        text = HEAD.format("Makes operations: what a thread is about to do. The functions are the macros "
                           "UNF_OP_… of the\nheaders; `await_` has an underscore because Python has the "
                           "word.")
        text += "from . import raw\nfrom .values import Operation, OperationKind\n\n\n"
        return text + "".join(self.write_operation(m) for m in self.interface.macros).rstrip() + "\n"


def argument(text):
    """An argument in the body of a macro, without casts and brackets."""
    text = text.strip()
    while True:
        inner = re.fullmatch(r"(?:\(\w+\))?\((\w+)\)", text)
        if inner is None:
            break
        text = inner.group(1)
    return f"raw.{text}" if text.startswith("UNF_") else safe(text)


def main():
    """Writes the modules."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--soname", required=True)
    parser.add_argument("--libdir", default="")
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("headers", nargs="+")
    at = sys.argv.index("--")
    given = parser.parse_args(sys.argv[1:at])
    try:
        writer = Writer(headers.read(sys.argv[at + 1:], given.include, given.headers))
        texts = {"raw": writer.write_raw(given.soname, given.libdir),
                 "values": writer.write_values(), "operations": writer.write_operations()}
    except headers.Unreadable as error:
        sys.exit(f"generate.py: {error}")
    for name, text in texts.items():
        (given.out / f"{name}.py").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
