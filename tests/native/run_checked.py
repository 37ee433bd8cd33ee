#!/usr/bin/env python3
"""Programs that are compiled with a sanitizer are explored, and what it finds is a defect of the
execution in which it does: run_checked.py UNFOLD CASES-FOLDER."""
import os
import shutil
import sys

from common import AT_LEISURE, check, compiled, in_own_folder, kinds, result_of, run

UNFOLD, CASES = (os.path.abspath(p) for p in sys.argv[1:3])
COMPILERS = {"gcc": ("gcc",), "clang": ("clang", "-fno-sanitize-recover=undefined")}
# Of each case, which of them finds it.
CASES_OF = {"address": ("freed", "beyond"), "undefined": ("overflow",)}


def explore(program, case, *how):
    return result_of(run(UNFOLD, "--json", "--trace-dir", "traces", *how, "--", program, case))


def expect(compiler, kind):
    program = f"./{compiler}-{kind}"
    compiled(*COMPILERS[compiler], "-g", "-O1", f"-fsanitize={kind}", "-pthread", os.path.join(CASES, "checked.c"), "-o", program)
    for how in (("--atomics", "off"), ("--jobs", "2", "--atomics", "off"), AT_LEISURE) if kind == "address" else (("--atomics", "off"),):
        result = explore(program, "right", *how)
        check(f"{program} {how}: right", (result["finished"], result["traces"], result["defects"]) == (True, 2, []), result)
        for case in CASES_OF[kind]:
            result = explore(program, case, *how)
            seen = result["finished"], result["traces"], kinds(result)
            check(f"{program} {case} {how}: found", seen == (True, 2, ["assertion"]), result)
    shown = run(UNFOLD, "--replay", result["defects"][0]["schedule"], "--", program, case)
    check(f"{program} {case}: its own words", ("AddressSanitizer" if kind == "address" else "runtime error") in shown.stderr + shown.stdout, shown)


def given(program):
    """What the user sets has the last word."""
    result = result_of(run(UNFOLD, "--json", "--atomics", "off", "--", program, "overflow", env={**os.environ, "UBSAN_OPTIONS": "halt_on_error=0"}))
    check("UBSAN_OPTIONS of the user", result["finished"] and not result["defects"], result)


def main():
    for compiler in filter(shutil.which, COMPILERS):
        for kind in CASES_OF:
            expect(compiler, kind)
    given("./gcc-undefined")
    if shutil.which("clang"):
        compiled("clang", "-fsanitize=memory", "-pthread", os.path.join(CASES, "checked.c"), "-o", "memory")
        result = explore("./memory", "right")
        check("one of which nothing can be explored is named", "sanitizer of uninitialised memory" in str(result), result)


sys.exit(in_own_folder(main))
