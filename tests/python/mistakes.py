#!/usr/bin/env python3
"""mistakes.py PACKAGE [NAME...]: puts each mistake of mistakes.txt into a copy of the package and
expects the test that it names to fail."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ENTRY = re.compile(r"^name: (\S+)\nwhy: ([^\n]*)\nfirst: (\S+)\nfile: (\S+)\n"
                   r"<<<<\n(.*?)====\n(.*?)>>>>$", re.S | re.M)


def fate(package, name, first, file, old, new):
    """What becomes of a mistake, in words."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(package, pathlib.Path(folder, "unfold"),
                        ignore=shutil.ignore_patterns("*.p", "__pycache__"))
        path = pathlib.Path(folder, "unfold", file)
        text = path.read_text(encoding="utf-8")
        if text.count(old.rstrip("\n") if old else "?") != 1:
            return "STALE"
        path.write_text(text.replace(old.rstrip("\n"), new.rstrip("\n")), encoding="utf-8")
        environment = {**os.environ, "PYTHONPATH": folder}
        try:
            done = subprocess.run([sys.executable, HERE / f"test_{first}.py", "--failfast"],
                                  env=environment, capture_output=True, check=False, timeout=120)
        except subprocess.TimeoutExpired:
            return "noticed: does not end"
        if done.returncode == 0:
            return "SURVIVED"
        return "noticed" if done.returncode > 0 else "noticed: crashed"


def main():
    """Prints what becomes of each."""
    package, *names = sys.argv[1:]
    entries = ENTRY.findall((HERE / "mistakes.txt").read_text(encoding="utf-8"))
    wrong = 0
    for name, why, first, file, old, new in entries:
        if names and name not in names:
            continue
        found = fate(package, name, first, file, old, new)
        wrong += not found.startswith("noticed")
        print(f"{name}: {found} ({first}: {why})", flush=True)
    return 1 if wrong or len(entries) < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
