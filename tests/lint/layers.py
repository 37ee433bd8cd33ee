#!/usr/bin/env python3
"""layers.py SOURCE: each folder of src/ includes from itself and the folders that the table allows,
and from nothing else; a struct or an enumeration has one meaning in all of them. What examples/
includes follows a table as well, and such a name has one meaning in each of its programs."""
import pathlib
import re
import sys

# The order of doc/architecture.md. Siblings share a row and never include each other.
ROWS = [["base"], ["structure"], ["configuration"], ["extension"], ["cutoff", "race", "schedule", "purity"], ["alternative", "wakeup"],
        ["exploration"], ["io", "check"], ["family"]]
# Branches off the column: these stand on configuration, not on extension.
ONLY = {"cutoff": {"base", "structure", "configuration"}, "race": {"base", "structure", "configuration"},
        "schedule": {"base", "structure", "configuration"}, "purity": {"base"}, "extension": {"base", "structure", "configuration"},
        "wakeup": {"base", "structure", "configuration", "extension"},
        # The public interface alone, so that these can be read as examples.
        "family": set()}
# What each program of examples/ is made of: folders, or single files. It includes from its row.
PROGRAMS = {
    "common": ["common"], "terms": ["terms"], "report": ["common", "report"],
    "unfold-model": ["common", "terms", "report", "model"], "unfold-sym": ["common", "terms", "report", "llvm", "native/names.h"],
    "what unfold-sym gives to programs": ["llvm/library"], "inputs of native builds": ["llvm/inputs"],
    "unfold": ["common", "report", "native"], "unfold-trace": ["common", "trace"], "models": ["model/families"]}
# Folders whose files are a program each.
ALONE = ["api", "cpp", "native/programs", "python"]
FORBIDDEN = {"stdio.h", "assert.h", "signal.h", "setjmp.h", "err.h"}


def allowed(layer):
    if layer in ONLY:
        return ONLY[layer] | {layer}
    row = next(i for i, layers in enumerate(ROWS) if layer in layers)
    return {name for layers in ROWS[:row] for name in layers} | {layer}


def twice(path, text):
    """Headers that a file includes twice; tables (.def) are."""
    names = re.findall(r'^#include ([<"][^>"]+\.h[>"])', text, re.M)
    return [f"{path}: includes {name} twice" for name in sorted({n for n in names if names.count(n) > 1})]


def part_of(name, parts):
    """Whether a file of examples/ is one of these, or in one; the innermost with a row decides."""
    folders = {part for row in PROGRAMS.values() for part in row} | set(ALONE)
    return name in parts or max((f for f in folders if name.startswith(f + "/")), key=len, default=None) in parts


def examples(folder):
    """What is wrong with examples/, and how many files there are."""
    wrong, paths = [], sorted(folder.rglob("*.[ch]"))
    names = {path: str(path.relative_to(folder)) for path in paths}
    for path in paths:
        if not part_of(names[path], {part for row in PROGRAMS.values() for part in row} | set(ALONE)):
            wrong.append(f"{path}: is in no program of the table")
    for program, parts in PROGRAMS.items():
        mine = [path for path in paths if part_of(names[path], parts)]
        structs = {}
        for path in mine:
            text = path.read_text(encoding="utf-8")
            if text.count("\n") > 600:
                wrong.append(f"{path}: more than 600 lines")
            for match in re.finditer(r"^(?:typedef )?(?:struct|union|enum) (\w+) \{", text, re.M):
                other = structs.setdefault(match.group(1), path)
                if other != path:
                    wrong.append(f"{path}: in {program}, {match.group(1)} is another one in {other}")
            wrong += twice(path, text)
            for match in re.finditer(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', text, re.M):
                if not ours(path, match.group(1), folder, parts):
                    where = f"{path}:{text.count(chr(10), 0, match.start()) + 1}"
                    wrong.append(f"{where}: {program} may not include {match.group(1)}")
    return sorted(set(wrong)), len(paths)


def ours(path, include, folder, parts):
    """Whether what is included is not of this tree, is public, or belongs to the program."""
    beside = (path.parent / include).resolve()
    found = [beside] if beside.is_file() else [f for f in (folder / part / include for part in parts) if f.is_file()]
    if found:
        return found[0].is_relative_to(folder) and part_of(str(found[0].relative_to(folder)), parts)
    return not (folder.parent / "src" / include).is_file()


def main():
    src = pathlib.Path(sys.argv[1]).resolve() / "src"
    known = {name for row in ROWS for name in row}
    wrong, files, lines = [], 0, 0
    structs = {}
    for path in sorted(src.rglob("*.[ch]")):
        layer = path.relative_to(src).parts[0]
        files += 1
        if layer not in known:
            wrong.append(f"{path}: the layer {layer} is not in the table")
            continue
        text = path.read_text(encoding="utf-8")
        lines += text.count("\n")
        if text.count("\n") > 600:
            wrong.append(f"{path}: more than 600 lines")
        if path.suffix == ".c" and not text.startswith("/*"):
            wrong.append(f"{path}: does not begin with what it is about")
        wrong += twice(path, text)
        for match in re.finditer(r'^(?:struct|union|enum) (\w+) \{', text, re.M):
            if structs.setdefault(match.group(1), path) != path:
                wrong.append(f"{path}: {match.group(1)} is another one in {structs[match.group(1)]}")
        for match in re.finditer(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', text, re.M):
            where = f"{path}:{text.count(chr(10), 0, match.start()) + 1}"
            kind, name = match.groups()
            if kind == '"':
                if "/" not in name or not (src / name).is_file():
                    wrong.append(f"{where}: {name} is not named from src/")
                elif name.split("/")[0] not in allowed(layer):
                    wrong.append(f"{where}: {layer} may not include {name}")
            elif name in FORBIDDEN:
                wrong.append(f"{where}: the library does not use <{name}>")
    more, others = examples(src.parent / "examples")
    wrong += more
    print("\n".join(wrong) if wrong else
          f"{files} files of src/, {lines} lines, and {others} of examples/: every include follows the tables")
    return 1 if wrong or files == 0 else 0


sys.exit(main())
