#!/usr/bin/env python3
"""What the objects of a program are called: run_names.py UNFOLD CASES-FOLDER.

Pictures have the names of its variables, whatever these are, and say of other objects what they
are."""
import os
import re
import subprocess
import sys

from common import check, compiled, in_own_folder, run

UNFOLD, CASES = (os.path.abspath(p) for p in sys.argv[1:3])
CC = os.environ.get("CC", "cc").split()
PLACEHOLDER = b"hostile_name_of_32_bytes_0123456"
HOSTILE = b'"]; x -> y [label="<b>&lt;\\N\x01\n\xff\xc3'.ljust(len(PLACEHOLDER), b"_")[:len(PLACEHOLDER)]
KNOWN = ["acq mutex #1 of 0", "acq mutex #2 of 0", "acq table+56", "arrive bar", "create 0.0", "join 0.0", "pass bar", "post sem",
         "rel mutex #1 of 0", "rel mutex #2 of 0", "rel table+56", "semacq sem"]


def picture(program, *options):
    """The labels of the events of a program."""
    done = run(UNFOLD, "--atomics", "off", *options, "--dot", "u.dot", "--", program)
    check(f"{program} {options}", done.returncode == 0, done)
    with open("u.dot", encoding="utf-8") as file:
        return set(re.findall(r' e\d+ \[label="(.*)"\];$', file.read(), re.M))


def changed(name, old, new):
    """The program with other bytes in it."""
    with open("names", "rb") as file:
        code = file.read()
    check(f"{name}: has {old}", old in code)
    with open(name, "wb") as file:
        file.write(code.replace(old, new))
    os.chmod(name, 0o755)
    return "./" + name


def tests():
    compiled(*CC, "-g", "-O0", "-pthread", os.path.join(CASES, "names.c"), "-o", "names")
    for how in ["--backend", "threads"], ["--backend", "fibers"], ["--mode", "inprocess"]:
        labels = picture("./names", *how)
        check(f"names {how}", labels == {*KNOWN, "acq " + PLACEHOLDER.decode(), "rel " + PLACEHOLDER.decode()}, sorted(labels))
    labels = picture(changed("hostile", PLACEHOLDER, HOSTILE))
    shown = r'\"]; x -> y [label=\"<b>&amp;lt;\\N' + "\ufffd" * 4
    check("a hostile name is text", labels == {*KNOWN, "acq " + shown, "rel " + shown}, sorted(labels))
    if subprocess.run(["sh", "-c", "command -v dot"], capture_output=True, check=False).returncode == 0:
        done = run("dot", "-Tplain", "u.dot")
        check("Graphviz: no word", done.returncode == 0 and done.stderr == "", done)
        check("Graphviz: no other node", len(re.findall("^node ", done.stdout, re.M)) == len(re.findall(" e[1-9]", open("u.dot").read().split("\n  e0 ->")[0])) + 1)
    subprocess.run(["strip", "-o", "stripped", "names"], check=True)
    labels = picture("./stripped")
    check("without symbols", {"create 0.0", "acq mutex #1 of 0"} < labels and sum(label.startswith("acq stripped+0x") for label in labels) == 2, sorted(labels))


sys.exit(in_own_folder(tests))
