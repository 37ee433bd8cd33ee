#!/bin/sh
# run.sh SOURCE BUILD: builds the test with ThreadSanitizer, whatever the current build is made
# with; 77 (skipped) where that cannot be.
set -eu
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo 'int main(void) { return 0; }' > "$work/probe.c"
${CC:-cc} -fsanitize=thread "$work/probe.c" -o "$work/probe" 2> "$work/log" && "$work/probe" 2> "$work/log" || { cat "$work/log"; exit 77; }
# shellcheck disable=SC2046
${CC:-cc} -std=c11 -O0 -g1 -fsanitize=thread -D_GNU_SOURCE -I"$source/include" -I"$build/include" -I"$source/src" -I"$source/tests/unit" \
  $(find "$source/src" -name '*.c') "$source/tests/unit/script.c" "$source/tests/threads/two_at_once.c" -o "$work/two_at_once" -lpthread
TSAN_OPTIONS='halt_on_error=1 exitcode=66' timeout 60 "$work/two_at_once"
