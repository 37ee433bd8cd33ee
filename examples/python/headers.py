"""Reads the public headers: types, functions, constants, and the comments that document them.

The declarations are read after the preprocessor, so that tables of names are expanded by the
compiler and not here; what the preprocessor drops (comments, macros) is read from the text. The
grammar is that of the headers. What it does not cover ends the reading with an error, so that no
declaration is left out silently.
"""
from __future__ import annotations

import dataclasses
import pathlib
import re
import subprocess


class Unreadable(Exception):
    """A declaration that this reader does not know."""


@dataclasses.dataclass(frozen=True)
class Type:
    """A C type. kind: "name", "pointer" (to `of`), "array" (`count` of `of`) or "function"."""
    kind: str
    name: str = ""
    const: bool = False
    of: Type | None = None
    count: int = 0
    parameters: tuple[tuple[str, Type], ...] = ()


@dataclasses.dataclass
class Function:
    """A function that the library exports."""
    name: str
    result: Type
    parameters: tuple[tuple[str, Type], ...]
    doc: str


@dataclasses.dataclass
class Struct:
    """A struct with its fields, and what the headers say about each."""
    name: str
    fields: list[tuple[str, Type]]
    doc: str
    docs: dict[str, str]


@dataclasses.dataclass
class Enumeration:
    """An enumeration with its enumerators."""
    name: str
    values: list[tuple[str, int]]
    doc: str


@dataclasses.dataclass
class Macro:
    """A macro that makes an operation: parameters and body as text."""
    name: str
    parameters: list[str]
    body: str
    doc: str


@dataclasses.dataclass
class Interface:
    """Everything that the headers declare."""
    enumerations: dict[str, Enumeration] = dataclasses.field(default_factory=dict)
    structs: dict[str, Struct] = dataclasses.field(default_factory=dict)
    opaque: dict[str, str] = dataclasses.field(default_factory=dict)
    aliases: dict[str, tuple[Type, str]] = dataclasses.field(default_factory=dict)
    functions: dict[str, Function] = dataclasses.field(default_factory=dict)
    constants: dict[str, tuple[int, str]] = dataclasses.field(default_factory=dict)
    macros: list[Macro] = dataclasses.field(default_factory=list)
    version: tuple[int, int, int] = (0, 0, 0)


TOKEN = re.compile(r'/\*.*?\*/|[A-Za-z_]\w*|0[xX][0-9a-fA-F]+[uUlL]*|\d+[uUlL]*|"[^"]*"|\.\.\.|\S', re.S)
WORDS = {"unsigned", "signed", "int", "long", "short", "char"}


# ---- comments ----

def plain(comment):
    """A comment without its marks, as paragraphs of text."""
    lines = [re.sub(r"^\s*\*? ?", "", line) for line in comment.strip().split("\n")]
    text = "\n".join(lines).strip()
    text = re.sub(r"@(?:ref|p) ", "", text)
    return re.sub(r"^(?:@file|@cond|@endcond)\s*", "", text, flags=re.M).strip()


# ---- declarations ----

class Reader:
    """A cursor over the tokens of the preprocessed headers. Comments stand beside the tokens."""

    def __init__(self, text):
        self.tokens, self.at = [], 0
        self.before, self.behind = {}, {}  # what documents the token at an index, or the last one
        for token in TOKEN.findall(text):
            if token.startswith("/**<"):
                self.behind[len(self.tokens)] = plain(token[4:-2])
            elif token.startswith("/**") and "@cond" not in token and "@endcond" not in token:
                self.before[len(self.tokens)] = plain(token[3:-2])
            elif not token.startswith("/*"):
                self.tokens.append(token)

    def doc(self, begin):
        """The comment of what began at an index and ends here."""
        return self.before.get(begin) or self.behind.get(self.at, "")

    def peek(self, ahead=0):
        """The token at the cursor; "" at the end."""
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def take(self, wanted=None):
        """Passes a token."""
        token = self.peek()
        if wanted is not None and token != wanted:
            raise Unreadable(f"{wanted} expected at: {' '.join(self.tokens[self.at:self.at + 12])}")
        self.at += 1
        return token

    def skip(self, opening, closing):
        """Passes a group in brackets, and returns its text."""
        begin, depth = self.at, 0
        while True:
            token = self.take()
            depth += (token == opening) - (token == closing)
            if depth == 0:
                return " ".join(self.tokens[begin:self.at])
            if self.at >= len(self.tokens):
                raise Unreadable(f"{opening} is not closed")

    def attributes(self):
        """Passes attributes; whether one of them exports what follows."""
        exported = False
        while self.peek() in ("__attribute__", "__extension__"):
            if self.take() == "__attribute__":
                exported |= "default" in self.skip("(", ")")
        return exported

    def base(self):
        """The type that a declaration begins with."""
        const, words = False, []
        while True:
            token = self.peek()
            if token in ("const", "volatile", "struct", "enum", "extern", "static", "inline"):
                const |= self.take() == "const"
            elif token in WORDS or (not words and re.match(r"[A-Za-z_]", token)):
                words.append(self.take())
                if words[-1] not in WORDS:
                    while self.peek() == "const":
                        const |= bool(self.take())
                    break
            else:
                break
        if not words:
            raise Unreadable(f"a type expected at: {' '.join(self.tokens[self.at:self.at + 12])}")
        return Type("name", " ".join(words), const)

    def declarator(self, base):
        """What stands behind a base type: the name ("" if there is none) and the whole type."""
        while self.peek() == "*":
            self.take()
            const = False
            while self.peek() in ("const", "restrict", "__restrict"):
                const |= self.take() == "const"
            base = Type("pointer", "", const, base)
        if self.peek() == "(" and self.peek(1) == "*":
            self.take(), self.take()
            name = self.take() if self.peek() != ")" else ""
            self.take(")")
            return name, Type("pointer", "", False,
                              Type("function", of=base, parameters=self.parameters()))
        name = self.take() if re.match(r"[A-Za-z_]", self.peek()) else ""
        while self.peek() == "[":
            self.take()
            count = int(self.take().rstrip("uUlL")) if self.peek() != "]" else 0
            self.take("]")
            base = Type("array", of=base, count=count)
        return name, base

    def parameters(self):
        """The parameters of a function; arrays are pointers there."""
        found = []
        self.take("(")
        if self.peek() == "void" and self.peek(1) == ")":
            self.take()
        while self.peek() != ")":
            name, kind = self.declarator(self.base())
            if kind.kind == "array":
                kind = Type("pointer", of=kind.of)
            found.append((name, kind))
            if self.peek() == ",":
                self.take()
        self.take(")")
        return tuple(found)


def read_enumeration(reader, name, doc, constants):
    """The enumerators between the brackets."""
    values, number = [], 0
    reader.take("{")
    while reader.peek() != "}":
        begin, enumerator = reader.at, reader.take()
        if reader.peek() == "=":
            reader.take()
            sign = -1 if reader.peek() == "-" and reader.take() else 1
            number = sign * int(reader.take().rstrip("uUlL"), 0)
        values.append((enumerator, number))
        if reader.peek() == ",":
            reader.take()
        constants[enumerator] = (number, reader.doc(begin))
        number += 1
    reader.take("}")
    return Enumeration(name, values, doc)


def read_struct(reader, name, doc):
    """The fields between the brackets."""
    fields, docs = [], {}
    reader.take("{")
    while reader.peek() != "}":
        begin = reader.at
        base = reader.base()
        while True:
            fields.append(reader.declarator(base))
            if reader.take() == ";":
                break
        docs[fields[-1][0]] = reader.doc(begin)
    reader.take("}")
    return Struct(name, fields, doc, docs)


def read_typedef(reader, interface, doc):
    """A type definition, behind the word."""
    word = reader.peek()
    if word in ("enum", "struct") and reader.peek(2) == "{":
        reader.take()
        name = reader.take()
        if word == "enum":
            interface.enumerations[name] = read_enumeration(reader, name, doc, interface.constants)
        else:
            interface.structs[name] = read_struct(reader, name, doc)
        reader.take(name)
    elif word == "struct":
        reader.take()
        interface.opaque[reader.peek()] = doc
        reader.take(reader.take())
    else:
        name, kind = reader.declarator(reader.base())
        interface.aliases[name] = (kind, doc)
    reader.take(";")


def read_declaration(reader, interface):
    """One declaration of the headers."""
    doc = reader.before.get(reader.at, "")
    exported = reader.attributes()
    if reader.peek() == "typedef":
        reader.take()
        read_typedef(reader, interface, doc)
        return
    name, result = reader.declarator(reader.base())
    if reader.peek() != "(":
        raise Unreadable(f"{name} is neither a type nor a function")
    parameters = reader.parameters()
    exported |= reader.attributes()
    if reader.peek() == "{":
        reader.skip("{", "}")
    else:
        reader.take(";")
    if exported and name.startswith("unf_"):
        interface.functions[name] = Function(name, result, parameters, doc)


# ---- macros ----

LIMITS = {"UINT32_MAX": 2**32 - 1, "UINT64_MAX": 2**64 - 1, "INT64_MAX": 2**63 - 1,
          "INT64_MIN": -2**63, "SIZE_MAX": 2**64 - 1, "true": 1, "false": 0}


def number(body, interface):
    """The number that a macro stands for, or None."""
    names = {name: value for name, (value, _) in interface.constants.items()} | LIMITS
    types = set(interface.aliases) | {"int64_t", "uint64_t", "int32_t", "uint32_t", "int", "size_t"}
    text = re.sub(r"\((\w+)\)", lambda m: "" if m.group(1) in types else m.group(0), body)
    text = re.sub(r"\bU?INT\d+_C\((\w+)\)", r"\1", text)
    text = re.sub(r"\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]+\b", r"\1", text)
    words = re.findall(r"[A-Za-z_]\w*", re.sub(r"0[xX][0-9a-fA-F]+", "0", text))
    if not text.strip() or not all(word in names for word in words):
        return None
    if not re.fullmatch(r"[\w\s()+*<>|&~-]+", text):
        return None
    try:
        return int(eval(text, {"__builtins__": {}}, names))  # numbers and operators alone
    except (SyntaxError, TypeError):
        return None


def read_macros(text, interface):
    """The numbers that macros name, and the macros that make operations."""
    docs = {name: plain(comment) for comment, name in
            re.findall(r"/\*\*((?:(?!\*/).)*)\*/\s*\n#define (\w+)", text, re.S)}
    joined = text.replace("\\\n", " ")
    for name, body in re.findall(r"^#define (UNF_\w+)[ \t]+(\S.*)$", joined, re.M):
        value = number(re.sub(r"/\*.*?\*/", "", body), interface)
        if value is not None:
            interface.constants[name] = (value, docs.get(name, ""))
    for name, given, body in re.findall(r"^#define (UNF_OP_\w+)\(([^)]*)\)[ \t]+(\S.*)$", joined, re.M):
        parameters = [parameter.strip() for parameter in given.split(",") if parameter.strip()]
        interface.macros.append(Macro(name, parameters, body.strip(), docs.get(name, "")))


def read(compiler, include, headers):
    """The interface that the headers declare. `include`: folders to look for them in."""
    text = "\n".join(pathlib.Path(header).read_text(encoding="utf-8") for header in headers)
    source = "".join(f'#include "{pathlib.Path(header).resolve()}"\n' for header in headers)
    done = subprocess.run([*compiler, "-E", "-C", "-x", "c", "-std=c11", "-", *(f"-I{i}" for i in include)],
                          input=source, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Unreadable(done.stderr)
    own, lines = {str(pathlib.Path(header).resolve()) for header in headers}, []
    inside = False
    for line in done.stdout.splitlines():
        marker = re.match(r'#\s+\d+\s+"([^"]*)"', line)
        if marker:
            path = pathlib.Path(marker.group(1))
            inside = path.suffix == ".h" and str(path.resolve()) in own
        elif inside and not line.startswith("#"):
            lines.append(line)
    interface = Interface()
    reader = Reader("\n".join(lines))
    while reader.peek():
        if reader.peek() == ";":
            reader.take()
            continue
        read_declaration(reader, interface)
    for name in interface.structs:
        interface.opaque.pop(name, None)
    read_macros(text, interface)
    parts = [interface.constants.get(f"UNF_VERSION_{part}", (0, ""))[0]
             for part in ("MAJOR", "MINOR", "PATCH")]
    interface.version = (parts[0], parts[1], parts[2])
    return interface
