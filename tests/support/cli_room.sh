# What the tests of the command line share: a room of their own with earlier results in it, and what
# is expected of a command. Sourced with $1, the program.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$(dirname "$0")/../support/check.sh"
essbench=$1
LC_ALL=C
export LC_ALL
# memory that is not there is refused as it is without sanitizers: by NULL
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}allocator_may_return_null=1
mkdir "$room/work" && cd "$room/work" || exit 1

# every file of the folder with its content, and every name
fingerprint() {
  find . -type f -exec sha256sum {} + | sort
  find . | sort
}

# runs essbench in the room: $status, and standard output and error in $room/out and $room/err
run() {
  "$essbench" "$@" >"$room/out" 2>"$room/err" </dev/null
  status=$?
}

# what was said about the machine's state, how long it took, and what a sanitizer adds where memory
# is refused, is no business of a test
said() {
  grep -vE '^(warning|progress): |^==[0-9]+==WARNING: AddressSanitizer failed to allocate ' "$room/err"
}

# --- what is expected -----------------------------------------------------------------------------

# status $1 and exactly one line on the standard error, which holds the words $2
one_line() {
  [ "$status" -eq "$1" ] && [ "$(said | wc -l)" -eq 1 ] && said | grep -qF -- "$2"
}

nothing_printed() { [ ! -s "$room/out" ]; }
success() { [ "$status" -eq 0 ] && [ -z "$(said)" ]; }
same_bytes() { cmp -s "$1" "$2"; }
untouched() { [ "$(fingerprint)" = "$before" ]; }

# after a run: as one_line, with no output and with the folder as it was
expect_refusal() {
  expect "$3: status $1 and one line with: $2" one_line "$1" "$2"
  expect "$3: nothing printed" nothing_printed
  expect "$3: results untouched" untouched
}
