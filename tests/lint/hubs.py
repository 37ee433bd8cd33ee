#!/usr/bin/env python3
"""hubs.py SOURCE: a header of src/ or examples/ is that of one file: the functions that it declares
are defined in one, not in several."""
import pathlib
import re
import sys

# Programs that stand alone share one header with a line for each.
LEFT_OUT = ["examples/native/programs", "examples/python", "examples/llvm/library"]


def code_of(path):
    """The text without comments, texts and lines for the preprocessor."""
    text = re.sub(r"/\*.*?\*/", " ", path.read_text(encoding="utf-8"), flags=re.S)
    text = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$", "", text, flags=re.M)


def defined(path):
    """Names of functions with external linkage that a file defines."""
    return set(re.findall(r"^(?!static|typedef|return|else)[A-Za-z][\w \*]*?\b(\w+)\([^;{}]*\)\s*\{", code_of(path), re.M))


def declared(path):
    """Names of functions that a header declares: outside of braces, with a semicolon."""
    depth, outside = 0, []
    for sign in code_of(path):
        depth += (sign == "{") - (sign == "}")
        outside.append(sign if depth == 0 else "")
    found = (re.match(r"\s*(?!typedef|static)(?:[\w\*]+[\s\*]+)+?(\w+)\(", part) for part in re.split("[;}]", "".join(outside)))
    return {match.group(1) for match in found if match}


def main():
    source = pathlib.Path(sys.argv[1])
    wrong, headers = [], 0
    for top in ("src", "examples"):
        paths = [p for p in sorted((source / top).rglob("*.[ch]"))
                 if not str(p.relative_to(source)).startswith(tuple(LEFT_OUT))]
        where = {}
        for path in paths:
            for name in defined(path) if path.suffix == ".c" else ():
                where.setdefault((name, None if top == "src" else path.parent), set()).add(path.relative_to(source))
        for path in (p for p in paths if p.suffix == ".h"):
            headers += 1
            files = set().union(*(where.get((name, None if top == "src" else path.parent), set()) for name in declared(path)))
            if len(files) > 1:
                wrong.append(f"{path}: declares what several files define: {', '.join(map(str, sorted(files)))}")
    print("\n".join(wrong) if wrong else f"{headers} headers, each of one file")
    return 1 if wrong or headers == 0 else 0


sys.exit(main())
