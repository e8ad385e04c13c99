#!/bin/sh
# Makes the virtual environment DIR and installs steelyard in it, editable, with the pinned versions.
#
#   tools/venv.sh DIR PYTHONS CONSTRAINTS EXTRA [REQUIREMENT ...]
#
# PYTHONS are names or one path; the first that is Python 3.11 or later is taken. Run from the top folder.
set -eu

dir=$1 pythons=$2 constraints=$3 extra=$4
shift 4

fail() {
    echo "steelyard: $1" >&2
    exit 1
}

recent() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

if ! recent "$dir/bin/python"; then
    python=
    if recent "$pythons"; then
        python=$pythons # one name, or one path that may hold spaces
    else
        for name in $pythons; do
            if recent "$name"; then
                python=$name
                break
            fi
        done
    fi
    [ -n "$python" ] || fail "Python 3.11 or later is needed and none of these is: $pythons (say make PYTHON=/path/to/python)"
    "$python" -c 'import ensurepip, venv' >/dev/null 2>&1 ||
        fail "$python cannot make virtual environments: install its venv module (python3-venv on Debian and Ubuntu)"
    rm -rf "$dir"
    echo "steelyard: making $dir with $("$python" --version)" >&2
    "$python" -m venv "$dir"
fi

echo "steelyard: installing .[$extra] into $dir; about a minute the first time" >&2
# -qq shows errors only. Builds stay isolated: a source distribution brings its own build tools.
"$dir/bin/python" -m pip --disable-pip-version-check --no-input -qq install -c "$constraints" -e ".[$extra]" "$@" ||
    fail "pip could not install into $dir; the lines above say why"
