#!/bin/sh
# debian.sh SOURCE: builds the Debian packages of a copy of the tree, has lintian look at them,
# looks at what is in each of them, and builds and runs clients against it. Without the tools for
# that, or what the packages need to be built, it is skipped.
set -eu
source=$1
for tool in dpkg-buildpackage dh lintian; do
  command -v "$tool" >/dev/null || { echo "skipped: there is no $tool"; exit 77; }
done
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir "$place/tree" "$place/root"
tar c -C "$source" --exclude='./build*' --exclude=./.git . | tar x -C "$place/tree"
cd "$place/tree"
if ! missing=$(dpkg-checkbuilddeps 2>&1); then
  echo "skipped: $missing"
  exit 77
fi
# Its tests are those that run anyway, what the compiler makes of it with more optimisation is seen
# there, too, nobody looks at its debugging symbols, and the packages need not be small. This is
# also the build in which the library is compiled into unfold-model as a whole (src/meson.build).
# FORTIFY needs optimisation.
export DPKG_DEB_COMPRESSOR_LEVEL=0
export DEB_CFLAGS_APPEND='-O0 -g0 -U_FORTIFY_SOURCE'
if ! DEB_BUILD_OPTIONS="nocheck noautodbgsym parallel=$(nproc)" dpkg-buildpackage -b -us -uc >../log 2>&1; then
  tail -40 ../log
  exit 1
fi
cd "$place"
# What there is to say with everything that lintian looks for is justified in an override.
found=$(lintian --allow-root --fail-on none --tag-display-limit 0 --display-info \
  --display-experimental --pedantic --suppress-tags hardening-no-fortify-functions ./*.changes)
if [ -n "$found" ]; then
  echo "$found"
  exit 1
fi
for package in ./*.deb; do
  dpkg-deb -x "$package" root
  name=$(dpkg-deb -f "$package" Package)
  dpkg-deb --fsys-tarfile "$package" | tar t | sed 's|^\./||' >"$name.files"
done
# has PACKAGE FILE...: whether these are in it.
has() {
  package=$1
  shift
  for file in "$@"; do
    grep -qxF "$file" "$package.files" || { echo "$package has no $file"; exit 1; }
  done
}
multiarch=usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
has libunfold1 "$multiarch/libunfold.so.1" usr/share/doc/libunfold1/NEWS.gz
has libunfold-dev "$multiarch/libunfold.so" "$multiarch/libunfold.a" "$multiarch/pkgconfig/unfold.pc"
(cd "$source/include" && find unfold -name '*.h' -o -name '*.hpp') | while read -r header; do
  has libunfold-dev "usr/include/$header"
done
has libunfold-dev usr/include/unfold/version.h
for program in unfold-model unfold-solver unfold-trace; do
  has unfold-tools "usr/bin/$program" "usr/share/man/man1/$program.1.gz"
done
(cd "$source/examples" && ls api/*.c api/api.h cpp/*.cpp cpp/*.hpp) | while read -r example; do
  has libunfold-doc "usr/share/doc/libunfold-dev/examples/${example##*/}"
done
(cd "$source/doc" && ls ./*.md) | while read -r page; do
  grep -q "^usr/share/doc/libunfold-dev/${page#./}" libunfold-doc.files || { echo "no page $page"; exit 1; }
done
has libunfold-doc usr/share/doc/libunfold-doc/html/index.html \
  usr/share/doc/libunfold-dev/examples/programs/abba.unf
has python3-unfold usr/lib/python3/dist-packages/unfold/__init__.py
if [ "$(dpkg --print-architecture)" = amd64 ]; then
  has unfold-tools usr/bin/unfold usr/share/man/man1/unfold.1.gz "$multiarch/unfold/unfold-preload.so"
  has libunfold-callbacks1 "$multiarch/libunfold-callbacks.so.1"
  has libunfold-dev "$multiarch/libunfold-callbacks.so" "$multiarch/libunfold-inputs.a" \
    "$multiarch/pkgconfig/unfold-inputs.pc" usr/include/unfold/inputs.h
  has unfold-sym usr/bin/unfold-sym usr/bin/unfold-bitcode usr/bin/unfold-confirm \
    usr/share/man/man1/unfold-sym.1.gz
fi
# The package of the library is named after what programs are linked with.
soname=$(find root -name 'libunfold.so.?')
[ -e "libunfold${soname##*.}_$(dpkg-parsechangelog -l tree/debian/changelog -S Version)_$(dpkg --print-architecture).deb" ]
libdir=$(dirname "$soname")
"${CC:-cc}" -std=c11 -Iroot/usr/include tree/tests/install/client.c -L"$libdir" -lunfold -o client
LD_LIBRARY_PATH=$libdir ./client
"${CXX:-c++}" -std=c++20 -Iroot/usr/include tree/tests/install/client.cpp -L"$libdir" -lunfold -o client-cpp
LD_LIBRARY_PATH=$libdir ./client-cpp
export LD_LIBRARY_PATH="$libdir"
root/usr/bin/unfold-model tree/examples/model/programs/abba.unf --expect deadlock >told
if [ -e root/usr/bin/unfold ]; then
  "${CC:-cc}" -pthread -g tree/examples/native/programs/bank.c -o bank
  root/usr/bin/unfold --expect deadlock --trace-dir . -- ./bank >told
fi
if [ -e root/usr/bin/unfold-sym ]; then
  root/usr/bin/unfold-sym tree/examples/native/programs/bank.c >told || [ $? = 1 ]
  grep -q deadlock told
fi
PYTHONPATH=root/usr/lib/python3/dist-packages /usr/bin/python3 \
  tree/examples/python/api/07-explorer.py | diff tree/examples/api/07-explorer.expected -
