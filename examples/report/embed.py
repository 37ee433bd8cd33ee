#!/usr/bin/env python3
"""embed.py OUTPUT PAGE STYLE SCRIPT…: the page as two C arrays, before and behind its data.

Style and scripts are put into the page, which names their hashes, so that a browser runs no other.
"""
import base64
import hashlib
import pathlib
import sys


def digest(text):
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def array(name, text):
    numbers = list(text.encode())
    lines = ["  " + ", ".join(map(str, numbers[at:at + 24])) for at in range(0, len(numbers), 24)]
    return f"const unsigned char {name}[] = {{\n" + ",\n".join(lines) + f"}};\nconst unsigned long {name}_size = {len(numbers)};\n"


def main():
    output, page, style, *scripts = map(pathlib.Path, sys.argv[1:])
    css = style.read_text(encoding="utf-8")
    parts = "\n".join(path.read_text(encoding="utf-8") for path in scripts)
    script = '"use strict";\n(() => {\n' + parts + "})();\n"
    text = page.read_text(encoding="utf-8")
    for mark, value in (("@STYLE@", digest(css)), ("@SCRIPT@", digest(script)), ("@CSS@", css), ("@JS@", script)):
        before, after = text.split(mark)
        text = before + value + after
    before, after = text.split("@DATA@")
    output.write_text('#include "page.h"\n\n' + array("page_before", before) + array("page_behind", after))


main()
