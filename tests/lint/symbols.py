#!/usr/bin/env python3
"""symbols.py LIBRARY HEADER...: the shared library exports what the headers declare, has a soname,
and imports nothing that prints or ends the process."""
import re
import subprocess
import sys


def names(*arguments):
    lines = subprocess.run(["nm", "-D", *arguments], check=True, capture_output=True, text=True).stdout.splitlines()
    return sorted({line.split()[-1].split("@")[0] for line in lines if line.strip()})


def main():
    library, headers = sys.argv[1], sys.argv[2:]
    declared, wrong = set(), []
    for path in headers:
        with open(path, encoding="utf-8") as header:
            declared |= set(re.findall(r"^UNF_(?:API|INLINE)\s[^;(]*?\b(unf_\w+)\(", header.read(), re.M))
    exported = names("--defined-only", library)
    # What the tool chain itself puts there, also with sanitizers and coverage.
    for name in exported:
        if name not in declared and not re.match(r"_(init|fini|edata|end|_bss_start)$|__(asan|odr_asan|start|stop|llvm|gcov)", name):
            wrong.append(f"exported: {name}")
    wrong += [f"declared, but not exported: {name}" for name in sorted(declared - set(exported))]
    dynamic = subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True).stdout
    soname = re.search(r"SONAME.*\[(libunfold\.so\.\d+)\]", dynamic)
    if soname is None:
        wrong.append("no soname with a version")
    unwanted = r"abort|_?_?exit|_Exit|quick_exit|__assert.*|.*printf.*|f?puts|f?putc|putchar|perror|fwrite|fopen.*|std(out|err)|qsort.*|rand|getenv|.*_chk"
    imported = names("--undefined-only", library)
    wrong += [f"imported: {name}" for name in imported
              if re.fullmatch(unwanted, name) and not re.fullmatch(r"__(mem\w+|str\w+|stack)_chk.*", name)]
    print("\n".join(wrong) if wrong else
          f"{soname.group(1)}: {len(declared)} functions exported; imports: {' '.join(imported)}")
    return 1 if wrong else 0


sys.exit(main())
