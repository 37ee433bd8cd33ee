#!/usr/bin/env python3
"""foreign.py LIBRARY HEADER...: uses the shared library without its headers. unf_constant() knows
every enumerator and constant that the headers define, with their numbers; the initialisers and the
functions that are inline in C are there."""
import ctypes
import re
import sys


class Operation(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("target", ctypes.c_uint32), ("second", ctypes.c_uint32),
                ("low", ctypes.c_int64), ("high", ctypes.c_int64)]


def without_comments(path):
    with open(path, encoding="utf-8") as header:
        return re.sub(r"/\*.*?\*/", " ", header.read(), flags=re.S).replace("\\\n", " ")


def defined(text):
    """The names that a header gives numbers, each with its number (None: not computed here)."""
    tables = dict(re.findall(r"#define (UNF_\w+_TABLE)\(X\)(.*)", text))
    for body in re.findall(r"typedef enum \w+ \{(.*?)\} \w+;", text, re.S):
        number = 0
        for line in body.split("\n"):
            table = re.match(r"\s*(UNF_\w+_TABLE)\((UNF_\w+_ENUM)\)", line)
            if table:
                prefix = re.search(table.group(2) + r"\(.*?\)\s+(\w+?)##", text).group(1)
                for name in re.findall(r"X\((\w+),", tables[table.group(1)]):
                    yield prefix + name, number
                    number += 1
                continue
            for name, given in re.findall(r"^\s*(UNF_\w+)(?: = (\d+))?,?\s*$", line):
                number = int(given) if given else number
                yield name, number
                number += 1
    for name in re.findall(r"^#define (UNF_\w+) +(?:\(\(|UINT|\d)", text, re.M):
        yield name, None


def main():
    library = ctypes.CDLL(sys.argv[1])
    number, wrong, known = ctypes.c_int64(), [], 0
    structs = set()
    for path in sys.argv[2:]:
        text = without_comments(path)
        structs |= {name.lower() for name in re.findall(r"#define UNF_(\w+)_INIT\b", text)}
        for name, expected in defined(text):
            status = library.unf_constant(name.encode(), ctypes.byref(number))
            if status != 0 or expected not in (None, number.value):
                wrong.append(f"{path}: {name} is {expected}, and unf_constant() says "
                             f"{number.value if status == 0 else 'nothing'}")
            known += 1

    def constant(name):
        assert library.unf_constant(name, ctypes.byref(number)) == 0, name
        return number.value

    invalid, room = constant(b"UNF_INVALID"), ctypes.create_string_buffer(4096)
    assert library.unf_constant(b"UNF_NOTHING", ctypes.byref(number)) == constant(b"UNF_UNKNOWN")
    # A statement is initialised for its kind, and a fingerprint does not begin with its size.
    for struct in sorted(structs - {"statement", "fingerprint"}):
        initialise = getattr(library, f"unf_{struct}_init")
        sizes = [size for size in range(4096) if initialise(room, ctypes.c_size_t(size)) == 0]
        assert len(sizes) == 1 and int.from_bytes(room.raw[:4], sys.byteorder) == sizes[0], struct
    assert library.unf_statement_init(room, ctypes.c_size_t(1), 0) == invalid
    assert library.unf_fingerprint_init(room, ctypes.c_size_t(48)) == 0

    library.unf_operation_make.restype = Operation
    library.unf_operation_make.argtypes = [ctypes.c_int, ctypes.c_uint32, ctypes.c_int64,
                                           ctypes.c_int64]
    local = library.unf_operation_make(constant(b"UNF_LOCAL"), 0, -3, 2**40)
    assert (local.kind, local.low, local.high) == (constant(b"UNF_LOCAL"), -3, 2**40)
    library.unf_operation_kind_text.restype = ctypes.c_char_p
    assert library.unf_operation_kind_text(local.kind) == b"local"
    print("\n".join(wrong) if wrong else f"{known} constants")
    return 1 if wrong or known < 150 or len(structs) < 14 else 0


sys.exit(main())
