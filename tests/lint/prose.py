#!/usr/bin/env python3
"""prose.py SOURCE: no line of prose is longer than 100 columns.

Prose is every page of documentation, NEWS, the manual pages, the build files, and the comments of
scripts, Python programs, models and tables. (C is laid out by clang-format, with the same limit.)
A line may be longer if it is a row of a table, part of a block of code, or cannot be broken because
of a word like a URL that is itself too long.
"""
import io
import pathlib
import re
import sys
import tokenize

WIDTH = 100



def breakable(line):
    """Whether the line is too long and has a blank before the limit where it can be broken."""
    text = line.rstrip()
    if len(text) <= WIDTH:
        return False
    marks = re.match(r"\s*(?:[-*+#>]|//|\d+\.)*\s*", text).end()
    return " " in text[marks:WIDTH + 1]


def markdown(text):
    """Lines outside of tables, fenced blocks and indented blocks."""
    fence, blank, indented = False, True, False
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"\s*```", line):
            fence = not fence
        elif not fence:
            code = line.startswith("    ") and (blank or indented)
            if not code and not line.lstrip().startswith("|"):
                yield number, line
            indented = code
        blank = not line.strip()


def python(text):
    """Comments and the lines of strings that stand alone, which are documentation."""
    lines = text.splitlines()
    last = None
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        first, end = token.start[0], token.end[0]
        if token.type == tokenize.COMMENT:
            yield first, lines[first - 1]
        elif token.type == tokenize.STRING and last in (None, tokenize.NEWLINE, tokenize.INDENT):
            for number in range(first, end + 1):
                yield number, lines[number - 1]
        if token.type not in (tokenize.NL, tokenize.COMMENT):
            last = token.type if token.type != tokenize.ENCODING else None


def marked(text, pattern):
    """Lines that begin as comments do."""
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(pattern, line):
            yield number, line


def lines_of(path, text):
    """What is prose in a file; None where nothing is."""
    if path.suffix == ".md":
        return markdown(text)
    if path.suffix == ".py" or text.startswith("#!/usr/bin/env python3"):
        return python(text)
    if path.name in ("NEWS", "meson.build", "meson_options.txt"):
        return enumerate(text.splitlines(), 1)
    if path.suffix == ".1":
        return marked(text, r"[^.]")
    if path.suffix == ".unf":
        return marked(text, r"\s*//")
    if path.suffix == ".def":
        return marked(text, r"\s*(?://|/?\*)")
    if path.suffix in (".sh", ".txt", ".csv", ".in") or text.startswith("#!/bin/"):
        return marked(text, r"\s*#")
    return None


def skipped(folder):
    """What is hidden, build folders, and models that programs write, with a comment of one line."""
    return ((folder.name.startswith(".") and folder.name != ".ci")
            or folder.name in ("subprojects", "families", "__pycache__")
            or (folder / "meson-private").exists())


def files_of(folder):
    for entry in sorted(folder.iterdir()):
        if entry.is_dir() and not skipped(entry):
            yield from files_of(entry)
        elif entry.is_file():
            yield entry


def main():
    source = pathlib.Path(sys.argv[1])
    wrong, files = [], 0
    for path in files_of(source):
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        lines = lines_of(path, text)
        if lines is None:
            continue
        files += 1
        wrong += [f"{path.relative_to(source)}:{number}: {len(line)} columns, at most {WIDTH}"
                  for number, line in lines if breakable(line)]
    print("\n".join(wrong) if wrong else f"{files} files, no line of prose over {WIDTH} columns")
    return 1 if wrong or files == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
