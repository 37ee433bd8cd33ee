#!/usr/bin/env python3
"""linkage.py BUILD: what a file defines for others is used by another one; else it is static. No
program has a function with the name of one of a library that it loads, which would call that.

Reads the objects of the library and of the programs in a build folder. Functions that are exported,
or that take the place of those of the C library, have others outside. Where something is not built
that may use others' functions, nothing can be said: the test is skipped."""
import json
import pathlib
import re
import subprocess
import sys

# Objects of programs of one file, tests, functions for programs of others, and those that only code
# in assembly calls.
USERS_ONLY = re.compile(r"^(tests|bench|doc)/|^examples/(api|cpp|python|native/programs)/"
                        r"|libunfold-(inputs|hit)\.a\.p/")
# What the tool chain calls, or puts there with sanitizers and coverage.
TOOL_CHAIN = re.compile(r"main|_init|_fini|LLVMFuzzer\w+|__(asan|odr_asan|tsan|ubsan|sancov|gcov|llvm)\w*|_GLOBAL__\w+")

def symbols(path):
    """Pairs of an object's symbols: name, and whether it is defined, used, or visible outside."""
    text = subprocess.run(["readelf", "-sW", str(path)], check=True, capture_output=True, text=True).stdout
    for line in text.splitlines():
        match = re.match(r"\s*\d+: \w+\s+\S+\s+(\w+)\s+(GLOBAL|WEAK)\s+(\w+)\s+(?:\[.*\]\s+)?(\w+) (\S+)", line)
        if match:
            kind, _, visible, section, name = match.groups()
            yield name.split("@")[0], section != "UND", kind, visible == "DEFAULT"

def taken(build, objects):
    """Functions of programs in place of those of a library: the linker exports these alone."""
    programs = {name.split(".p/")[0] for name in objects if ".p/" in name and not USERS_ONLY.search(name)}
    for program in sorted(programs):
        path = build / program
        if not path.is_file() or re.search(r"\.(a|so[.\d]*)$", program):
            continue
        text = subprocess.run(["nm", "-D", "--defined-only", str(path)], check=True, capture_output=True, text=True).stdout
        for line in text.splitlines():
            kind, name = line.split()[-2:]
            if kind in "TW" and not TOOL_CHAIN.fullmatch(name):
                yield f"{program}: {name} takes the place of a library's"

def main():
    build = pathlib.Path(sys.argv[1])
    defined, users = {}, {}
    commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    objects = sorted({command["output"] for command in commands})
    missing = [name for name in objects if not (build / name).is_file()]
    if missing:
        print(f"not built: {missing[0]} and {len(missing) - 1} others")
        return 77
    for name in objects:
        path = build / name
        # Of a shared module, what is visible has others outside of the build.
        module = re.search(r"(\.so(\.\d+)*)\.p/", name) is not None
        for symbol, here, kind, visible in symbols(path):
            if not here:
                users.setdefault(symbol, set()).add(name)
            elif not USERS_ONLY.search(name) and not (module and visible) and not symbol.startswith("unf_"):
                defined.setdefault(symbol, set()).add(name)
    wrong = [f"{symbol}: only {', '.join(sorted(where))} uses it" for symbol, where in sorted(defined.items())
             if not users.get(symbol, set()) - where and not TOOL_CHAIN.fullmatch(symbol)]
    wrong += taken(build, objects)
    print("\n".join(wrong) if wrong else f"{len(defined)} symbols, each used by another file")
    return 1 if wrong or not defined else 0

sys.exit(main())
