#!/bin/sh
# client.sh MESON SOURCE BUILD: installs into an empty place and builds a client against what is
# there, with pkg-config, shared and static.
set -eu
meson=$1 source=$2 build=$3
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
"$meson" install -C "$build" --no-rebuild --quiet --destdir "$place"
pc=$(find "$place" -name unfold.pc)
# Behind it the places of the machine, for what the library itself needs.
PKG_CONFIG_LIBDIR=$(dirname "$pc"):$(pkg-config --variable pc_path pkg-config) PKG_CONFIG_SYSROOT_DIR=$place
export PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR
cflags=$(pkg-config --cflags unfold) libs=$(pkg-config --libs unfold)
static=$(pkg-config --static --libs unfold) libdir=$(pkg-config --variable=libdir unfold)
# What pkg-config says of the place depends on its version: with or without the root.
case $libdir in "$place"*) ;; *) libdir=$place$libdir ;; esac
# shellcheck disable=SC2086
{
  ${CC:-cc} -std=c11 -Wall -Wextra -Werror $cflags "$source/tests/install/client.c" -o "$place/shared" $libs
  ${CC:-cc} -std=c11 -Wall -Wextra -Werror $cflags "$source/tests/install/client.c" -o "$place/static" \
    $(echo " $static" | sed "s| -lunfold| -l:libunfold.a|")
}
# And in C++, where there is a compiler of C++20.
if echo '#include <concepts>' | ${CXX:-c++} -std=c++20 -fsyntax-only -x c++ - 2>/dev/null; then
  # shellcheck disable=SC2086
  ${CXX:-c++} -std=c++20 -Wall -Wextra -Werror $cflags "$source/tests/install/client.cpp" -o "$place/in-cpp" $libs
  LD_LIBRARY_PATH=$libdir "$place/in-cpp"
fi
LD_LIBRARY_PATH=$libdir "$place/shared"
env -u LD_LIBRARY_PATH "$place/static"
LC_ALL=C readelf -d "$place/shared" | grep -q 'NEEDED.*libunfold\.so\.'
! LC_ALL=C readelf -d "$place/static" | grep -q libunfold

# Programs with callbacks, alone and under the front-end, where that is built; one of them says with
# an installed header what it waits for.
if [ -e "$libdir/libunfold-callbacks.so" ]; then
  unfold=$(find "$place" -path '*/bin/unfold')
  include=$(dirname "$(dirname "$(find "$place" -path '*/unfold/await.h')")")
  for program in ticket atomics/handshake; do
    name=$(basename "$program")
    ${CC:-cc} -g -O0 -fsanitize=thread -I"$include" -c "$source/examples/native/programs/$program.c" -o "$place/$name.o"
    ${CC:-cc} -pthread "$place/$name.o" -L"$libdir" -lunfold-callbacks -Wl,-rpath,"$libdir" -o "$place/$name"
  done
  [ "$("$place/ticket")" = '2 sold, 1 left' ]
  "$unfold" --races --expect race --trace-dir "$place" -- "$place/ticket" >"$place/told"
  "$unfold" --expect livelock --trace-dir "$place" -- "$place/handshake" >"$place/told"
fi
