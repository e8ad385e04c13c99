#!/bin/sh
# Makes the virtual environment DIR with the peers of LIST, for tests/differential and bench.
#
#   tools/peers.sh DIR PYTHON [LIST]        LIST is tools/peers.txt unless named
#
# PYTHON has pip. Where pip reaches nothing, DIR is not made and it is said: the tests that need it skip then,
# or fail with CI=true.
set -eu

dir=$1 python=$2 list=${3:-tools/peers.txt}
echo "steelyard: installing the peers into $dir; about a minute the first time" >&2
rm -rf "$dir"
"$python" -m venv --without-pip "$dir"
"$python" -m pip --python "$dir/bin/python" --disable-pip-version-check --no-input -qq \
    install --no-deps --no-compile -r "$list" || {
    echo "steelyard: no peers to compare with: pip could not install them; the lines above say why" >&2
    rm -rf "$dir"
    exit 0
}
touch "$dir/.ready"
