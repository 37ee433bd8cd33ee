#!/bin/sh
# compare.sh PROGRAM EXPECTED: runs the program; its output must be the file.
output=$("$1") || exit 1
printf '%s\n' "$output" | diff -u "$2" -
