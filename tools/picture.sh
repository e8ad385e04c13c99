#!/bin/sh
# Draws the picture of the README: the first screen of the demonstration's report, as Chromium shows it.
#
#   tools/picture.sh REPORT.html PICTURE.png
set -eu

browser=$(command -v chromium || command -v google-chrome) || {
    echo "steelyard: the picture needs Chromium" >&2
    exit 1
}
report=$(realpath "$1")
"$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --force-color-profile=srgb \
    --force-device-scale-factor=1 --window-size=1280,840 \
    --screenshot="$(realpath "$2")" "file://$report" 2>/dev/null
