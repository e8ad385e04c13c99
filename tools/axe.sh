#!/bin/sh
# Fetches axe-core, which looks for what keeps people out of a page, for the tests in tests/browser.
#
#   tools/axe.sh FILE
#
# Without npm, or where npm reaches nothing, FILE is not made and it is said why: the tests that need it
# skip then, or fail with CI=true.
set -eu

version=4.14.0
sum=20c09fe157a8a34a30e241aaa1fcdade657734f08ab379ecfbeb7d45cc46e878
file=$1
dir=$(dirname "$file")

without() {
    echo "steelyard: no axe-core for the browser tests: $1" >&2
    exit 0
}

command -v npm >/dev/null || without "npm is not here"
mkdir -p "$dir"
npm pack --silent --pack-destination "$dir" "axe-core@$version" >/dev/null 2>&1 || without "npm could not fetch it"
tar -xzf "$dir/axe-core-$version.tgz" -C "$dir" package/axe.min.js
rm "$dir/axe-core-$version.tgz"
got=$({ sha256sum "$dir/package/axe.min.js" 2>/dev/null || shasum -a 256 "$dir/package/axe.min.js"; } | cut -d ' ' -f 1)
[ "$got" = "$sum" ] || {
    echo "steelyard: axe-core $version is not the file that is pinned here" >&2
    exit 1
}
mv "$dir/package/axe.min.js" "$file"
rmdir "$dir/package"
touch "$file" # its own date is older than this script's
