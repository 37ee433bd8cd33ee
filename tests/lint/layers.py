#!/usr/bin/env python3
"""layers.py SOURCE: each folder of src/ includes from itself and the folders that the table allows,
and from nothing else; a struct has one meaning in all of them."""
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
FORBIDDEN = {"stdio.h", "assert.h", "signal.h", "setjmp.h", "err.h"}


def allowed(layer):
    if layer in ONLY:
        return ONLY[layer] | {layer}
    row = next(i for i, layers in enumerate(ROWS) if layer in layers)
    return {name for layers in ROWS[:row] for name in layers} | {layer}


def main():
    src = pathlib.Path(sys.argv[1]) / "src"
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
        for match in re.finditer(r'^struct (\w+) \{', text, re.M):
            if structs.setdefault(match.group(1), path) != path:
                wrong.append(f"{path}: struct {match.group(1)} is another one in {structs[match.group(1)]}")
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
    print("\n".join(wrong) if wrong else f"{files} files, {lines} lines: every include follows the table")
    return 1 if wrong or files == 0 else 0


sys.exit(main())
