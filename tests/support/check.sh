# What tests in shell share: a room of their own, and what has been wrong. Sourced.
# SPDX-License-Identifier: GPL-3.0-or-later
set -u
. "$(dirname "$0")/../support/store.sh"
room=$(mktemp -d) || exit 1
trap 'rm -rf "$room"' EXIT
failures=0

check() { # what, condition's status
  if [ "$2" -ne 0 ]; then
    echo "FAILED: $1${status:+ (status $status)}"
    for stream in out err; do
      [ ! -s "$room/$stream" ] || head -c 500 "$room/$stream" | sed "s/^/  $stream: /"
    done
    failures=$((failures + 1))
  fi
}

expect() { # what, condition
  about=$1
  shift
  "$@"
  check "$about" $?
}

# the last line of a test
finish() {
  [ $failures -eq 0 ] && echo 'all as it should be'
}
