#!/usr/bin/env python3
"""comments.py SOURCE: every public function has a comment that says what it costs and which errors
it has, and is defined; no macro or type without the prefix. No comment in C leans on the one before
it ("the same of …", "likewise"): it stands for itself. doc/mainpage.md lists each header."""
import pathlib
import re
import sys


LEANS = re.compile(r"^(The same(?:[,.:;]| (?:of|for|at|as|with|without|where|by|to|from|in|on|what)\b|$)|As (?:that|above)\b|(?:And|But|Or)\b)"
                   r"|\b(?:[Ll]ikewise|[Dd]itto)\b")


def leaning(source):
    """Comments that cannot be read alone."""
    for folder in ("src", "include", "examples", "tests", "bench"):
        for path in sorted((source / folder).rglob("*")):
            if path.suffix not in (".c", ".h", ".cpp", ".hpp", ".def"):
                continue
            text = path.read_text(encoding="utf-8")
            for match in re.finditer(r"/\*\*?(.*?)\*/", text, re.S):
                found = LEANS.search(" ".join(line.strip().lstrip("*").strip() for line in match.group(1).splitlines()).strip())
                if found:
                    yield f'{path}:{text.count(chr(10), 0, match.start()) + 1}: "{found.group(0)}" leans on what stands before it'


def main():
    source = pathlib.Path(sys.argv[1])
    code = "\n".join(path.read_text(encoding="utf-8") for path in (source / "src").rglob("*.c"))
    wrong, functions = [], 0
    for path in sorted((source / "include" / "unfold").glob("*.h")):
        text = path.read_text(encoding="utf-8")
        for match in re.finditer(r"^UNF_(?:API|INLINE)\s[^;]*?\b(\w+)\(", text, re.M):
            functions += 1
            where = f"{path}:{text.count(chr(10), 0, match.start()) + 1}: {match.group(1)}"
            comment = re.search(r"/\*\*((?:(?!\*/).)*)\*/\n$", text[:match.start()], re.S)
            if comment is None:
                wrong.append(f"{where} has no comment")
            else:
                if "O(" not in comment.group(1) and "ost" not in comment.group(1):
                    wrong.append(f"{where} does not say what it costs")
                if re.match(r"UNF_\w+\s+unf_status\b", match.group(0)) and not re.search(r"[Ee]rrors?\b|Returns\s+(\*\s+)?UNF_", comment.group(1)):
                    wrong.append(f"{where} does not say which errors it has")
            if not match.group(1).startswith("unf_"):
                wrong.append(f"{where} lacks the prefix")
            if re.search(rf"^[\w *]*\b{match.group(1)}\(", code, re.M) is None:
                wrong.append(f"{where} is declared and not defined")
        for match in re.finditer(r"^#define\s+(\w+)", text, re.M):
            # await.h is for programs under test, which call its macros like functions.
            prefixes = ("UNF_", "UNFOLD_") + (("unfold_",) if path.name == "await.h" else ())
            if not match.group(1).startswith(prefixes):
                wrong.append(f"{path}: the macro {match.group(1)} lacks the prefix")
    wrong += leaning(source)
    listed = (source / "doc" / "mainpage.md").read_text(encoding="utf-8")
    rows = set(re.findall(r"\b(\w+\.hp*)\b", " ".join(re.findall(r"^\|([^|]*)\|", listed, re.M))))
    there = {path.name.removesuffix(".in") for path in (source / "include" / "unfold").glob("*.h*")} - {"unfold.h"}
    wrong += [f"doc/mainpage.md does not list {name}" for name in sorted(there - rows)]
    wrong += [f"doc/mainpage.md lists {name}, which is no header" for name in sorted(rows - there)]
    print("\n".join(wrong) if wrong else f"{functions} public functions, each with its comment and its definition")
    return 1 if wrong or functions == 0 else 0


sys.exit(main())
