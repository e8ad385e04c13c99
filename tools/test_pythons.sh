#!/bin/sh
# Runs tests/smoke on other Pythons and versions: 3.11 with the lowest versions that pyproject.toml allows,
# 3.12 with pandas 2, 3.13 with the pinned versions.
#
# A Python that is not on this machine is named and passed over; with CI=true or STRICT=1 that is a failure.
set -eu

find_python() {
    for python in "python$1" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1"*/bin/python; do
        if [ "$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)" = "$1" ]; then
            echo "$python"
            return
        fi
    done
}

smoke() { # VERSION WHAT PANDAS CONSTRAINTS
    python=$(find_python "$1")
    if [ -z "$python" ]; then
        echo "steelyard: Python $1 not found: its smoke run is left out" >&2
        missing=1
        return
    fi
    dir=build/venv-$1
    stamp=$dir/.installed
    if [ ! -e "$stamp" ] || [ -n "$(find pyproject.toml constraints.txt -newer "$stamp")" ]; then
        sh tools/venv.sh "$dir" "$python" "$4" pandas "$3" pytest pytest-randomly hypothesis
        touch "$stamp"
    fi
    echo "== Python $1, $2"
    "$dir/bin/python" -m pytest -q tests/smoke || failed=1
}

missing=0 failed=0
mkdir -p build
# the lower bounds of the dependencies, as pins
sed -n '/^dependencies = \[/,/^\]/s/^ *"\([a-z]*\)>=\([0-9.]*\)",$/\1==\2.*/p' pyproject.toml >build/constraints-lowest.txt
smoke 3.11 "the lowest versions" pandas build/constraints-lowest.txt
grep -v -i '^pandas==' constraints.txt >build/constraints-without-pandas.txt
smoke 3.12 "pandas 2" "pandas<3" build/constraints-without-pandas.txt
smoke 3.13 "the pinned versions" pandas constraints.txt

if [ "$missing" = 1 ] && { [ "${CI:-}" = true ] || [ "${STRICT:-}" = 1 ]; }; then
    failed=1
fi
exit "$failed"
