#!/usr/bin/env python3
"""united.py ROOT: of each field that a program under test writes into its block, several workers'
are put together (examples/native/jobs/union.c), or it says there why not."""
import pathlib
import re
import sys

BEGIN, END = "/* From here on written by the process under test. */", "};"
APART = re.compile(r"#define SEEN_APART\(X\)((?:.*\\\n)*.*)\n")


def fields(text):
    body = re.sub(r"/\*.*?\*/", "", text[text.index(BEGIN):], flags=re.S)
    for declaration in body[:body.index(END)].split(";"):
        for name in declaration.split(","):
            match = re.search(r"(\w+)\s*(?:\[.*\])?\s*$", name)
            if match:
                yield match.group(1)


def main():
    folder = pathlib.Path(sys.argv[1]) / "examples/native"
    found = list(fields((folder / "control.h").read_text(encoding="utf-8")))
    union = re.sub(r"/\*.*?\*/", "", (folder / "jobs/union.c").read_text(encoding="utf-8"), flags=re.S)
    apart = re.findall(r"X\((\w+)\)", APART.search(union).group(1))
    used = set(re.findall(r"\w+", APART.sub("", union)))
    wrong = [f"{name}: neither put together nor in SEEN_APART" for name in found if name not in used and name not in apart]
    wrong += [f"{name}: in SEEN_APART, and put together" for name in apart if name in used]
    wrong += [f"{name}: in SEEN_APART, and no field" for name in apart if name not in found]
    print("\n".join(wrong) if wrong else f"{len(found)} fields, {len(apart)} of them apart")
    return 1 if wrong or len(found) < 50 else 0


sys.exit(main())
