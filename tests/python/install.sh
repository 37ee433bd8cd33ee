#!/bin/sh
# install.sh MESON SOURCE: builds the library alone with -Dpython=true, installs it into an empty
# place, and runs a program there with nothing but that place in Python's path: the package knows
# where its library is.
set -eu
meson=$1 source=$2
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
"$meson" setup "$place/build" "$source" --prefix "$place/root" -Dpython=true -Dtests=false \
  -Dbenchmarks=false -Dnative=disabled -Dmodel=disabled -Dsolver=disabled -Dllvm=disabled \
  -Ddocumentation=disabled -Dbuildtype=plain >"$place/told"
"$meson" install -C "$place/build" >"$place/told"
package=$(dirname "$(find "$place/root" -path '*/unfold/raw.py')")
cd "$place"
unset UNFOLD_LIBRARY
PYTHONPATH=$(dirname "$package")
export PYTHONPATH
python3 -W error "$source/examples/python/api/07-explorer.py" |
  diff "$source/examples/api/07-explorer.expected" -
# Every module is there, and none of the build's helpers.
[ "$(cd "$source/examples/python/unfold" && ls ./*.py | wc -l)" -eq "$(($(ls "$package"/*.py | wc -l) - 3))" ]
[ -e "$package/py.typed" ]
# Without its library it says so, and another version is refused.
mv "$(dirname "$(find "$place/root" -name 'libunfold.so.?')")" "$place/elsewhere"
if ! ldconfig -p | grep -q libunfold; then
  python3 -c 'import unfold' 2>&1 | grep -q 'libunfold was not found; set UNFOLD_LIBRARY'
fi
sed -i 's/^VERSION = (0, [0-9]*/VERSION = (0, 99/' "$package/raw.py"
UNFOLD_LIBRARY=$(find "$place/elsewhere" -name 'libunfold.so.?') python3 -c 'import unfold' 2>&1 |
  grep -q 'and this package is for 0.99'
