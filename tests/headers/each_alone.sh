#!/bin/sh
# each_alone.sh SOURCE BUILD: every public header compiles alone, twice in a row, as C11 and as
# C++11, without a warning.
set -eu
source=$1 build=$2 count=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
warnings='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror'
for header in "$source"/include/unfold/*.h "$build"/include/unfold/version.h; do
  name=$(basename "$header")
  printf '#include <unfold/%s>\n#include <unfold/%s>\nint unit_is_not_empty;\n' "$name" "$name" > "$work/unit.c"
  for compiler in "${CC:-cc} -std=c11 -x c -Wstrict-prototypes" "${CXX:-c++} -std=c++11 -x c++" "clang -std=c11 -x c" "clang++ -std=c++11 -x c++"; do
    command -v "${compiler%% *}" > /dev/null || continue
    # shellcheck disable=SC2086
    $compiler $warnings -fsyntax-only -I"$source/include" -I"$build/include" "$work/unit.c" || { echo "$name: $compiler"; exit 1; }
    count=$((count + 1))
  done
done
echo "$count compilations without a warning"
test "$count" -ge 15
