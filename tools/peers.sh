#!/bin/sh
# Makes the virtual environments build/peers/NAME of peer libraries, each from its list conformance/peers/NAME.txt.
#
#   tools/peers.sh PYTHON NAME ...
#
# PYTHON has pip, and is the Python of the environment where its list says no other ("# python: 3.11"). The lists
# are whole, or lack on purpose what the metrics do not import ("# no-deps"), so nothing but what they name is
# installed. Where that Python is missing or pip reaches nothing, the environment is not made and it is said: the
# tests that need it skip then, or fail with CI=true.
set -eu

version() {
    "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null
}

find_python() { # VERSION
    for one in "$python" "python$1" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1".*/bin/python; do
        if [ "$(version "$one")" = "$1" ]; then
            echo "$one"
            return
        fi
    done
}

install() { # NAME
    list=conformance/peers/$1.txt dir=build/peers/$1
    wanted=$(sed -n 's/^# python: //p' "$list")
    own=$(find_python "${wanted:-$(version "$python")}")
    if [ -z "$own" ]; then
        echo "steelyard: no $1 to compare with: Python $wanted, which it wants, is not on this machine" >&2
        return
    fi
    echo "steelyard: installing $1 into $dir" >&2
    rm -rf "$dir"
    "$own" -m venv --without-pip "$dir"
    if "$python" -m pip --python "$dir/bin/python" --disable-pip-version-check --no-input -qq \
        install --no-deps --no-compile -r "$list"; then
        touch "$dir/.ready"
    else
        echo "steelyard: no $1 to compare with: pip could not install it; the lines above say why" >&2
        rm -rf "$dir"
    fi
}

python=$1
shift
for name; do
    install "$name"
done
