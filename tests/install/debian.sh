#!/bin/sh
# debian.sh SOURCE: builds the Debian packages of a copy of the tree, has lintian look at them, and
# builds and runs a client against what is in them. Without the tools for that it is skipped.
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
# Its tests are those that run anyway.
if ! DEB_BUILD_OPTIONS="nocheck parallel=$(nproc)" dpkg-buildpackage -b -us -uc -d >../log 2>&1; then
  tail -40 ../log
  exit 1
fi
cd "$place"
found=$(lintian --allow-root --fail-on none --tag-display-limit 0 ./*.changes)
if [ -n "$found" ]; then
  echo "$found"
  exit 1
fi
for package in ./*.deb; do
  dpkg-deb -x "$package" root
done
# The package of the library is named after what programs are linked with.
soname=$(find root -name 'libunfold.so.?')
[ -e "libunfold${soname##*.}_$(dpkg-parsechangelog -l tree/debian/changelog -S Version)_$(dpkg --print-architecture).deb" ]
libdir=$(dirname "$soname")
"${CC:-cc}" -std=c11 -Iroot/usr/include tree/tests/install/client.c -L"$libdir" -lunfold -o client
LD_LIBRARY_PATH=$libdir ./client
root/usr/bin/unfold-model tree/examples/model/programs/abba.unf --expect deadlock >told
if [ -e root/usr/bin/unfold ]; then
  "${CC:-cc}" -pthread -g tree/examples/native/programs/bank.c -o bank
  root/usr/bin/unfold --expect deadlock --trace-dir . -- ./bank >told
fi
ls root/usr/share/doc/libunfold-dev/tutorial.md* root/usr/share/doc/libunfold-doc/html/index.html >told
