#!/bin/sh
# alone.sh SOURCE BUILD LIBRARY: <unfold/unfold.hpp> and each of its parts compile alone, twice in a
# row, without a warning; the whole with each compiler that there is, as C++20 and C++23, with every
# class instantiated; two units that include it are one program, which needs no run-time type
# information.
set -eu
source=$1 build=$2 library=$3 count=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cxx=${CXX:-c++}
flags="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -I$source/include -I$build/include"
compile() {
  # shellcheck disable=SC2086
  "$@" $flags || { echo "failed: $*"; exit 1; }
  count=$((count + 1))
}
for header in "$source"/include/unfold/cpp/*.hpp; do
  name=cpp/$(basename "$header")
  printf '#include <unfold/%s>\n#include <unfold/%s>\n' "$name" "$name" >"$work/unit.cpp"
  compile "$cxx" -std=c++20 -fsyntax-only "$work/unit.cpp"
done
seen=
for compiler in "$cxx" clang++ clang++-19; do
  version=$("$compiler" --version 2>/dev/null) || continue
  case $seen in *"$version"*) continue ;; esac
  seen=$seen$version
  for std in c++20 c++2b; do
    compile "$compiler" "-std=$std" -fno-rtti -fsyntax-only "$source/tests/cpp/whole.cpp"
  done
done
echo '#include <unfold/unfold.hpp>' >"$work/old.cpp"
# shellcheck disable=SC2086
! "$cxx" -std=c++17 -fsyntax-only $flags "$work/old.cpp" 2>"$work/told"
grep -q 'is for C++20' "$work/told"

compile "$cxx" -std=c++20 -fno-rtti -c -o "$work/one.o" "$source/tests/cpp/two_units.cpp"
compile "$cxx" -std=c++20 -fno-rtti -DSECOND -c -o "$work/two.o" "$source/tests/cpp/two_units.cpp"
compile "$cxx" -o "$work/both" "$work/one.o" "$work/two.o" "$library" "-Wl,-rpath,$(dirname "$library")"
"$work/both"
echo "$count compilations without a warning"
test "$count" -ge 19
