# Chromium without a window, for scripts that include this: nothing is left on disk but what they ask for.
# SPDX-License-Identifier: GPL-3.0-or-later
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
browser() {
  timeout 300 chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --disable-dev-shm-usage \
    --user-data-dir="$room/profile" --enable-logging=stderr --allow-file-access-from-files "$@" 2>"$room/log"
}
# an option of browser: the scheme that pages find preferred
scheme() { # dark or light
  echo "--blink-settings=preferredColorScheme=$([ "$1" = dark ] && echo 0 || echo 1)"
}
# what a page has put into its title, line by line
title_of() { # URL
  browser --virtual-time-budget=2000000 "${@:2}" --dump-dom "$1" >"$room/dom"
  perl -0ne 'print "$1\n" if m{<title>(.*?)</title>}s' "$room/dom"
}
