#!/bin/sh
# A processor without AVX: one line and status 1 instead of an illegal instruction. $2 emulates one.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$(dirname "$0")/../support/cli_room.sh"
emulator=$2

emulate() {
  processor=$1
  shift
  "$emulator" -cpu "$processor" "$essbench" "$@" >"$room/out" 2>"$room/err" </dev/null
  status=$?
}

# the emulator itself must be able to run the program, or it shows nothing
emulate max --help
[ "$status" -eq 0 ] || exit 77
for processor in core2duo Nehalem; do
  for words in --help run 'xml plate'; do
    # shellcheck disable=SC2086 # words
    emulate $processor $words
    expect "$processor: $words" one_line 1 'this processor has no AVX'
    expect "$processor: $words prints nothing" nothing_printed
  done
done

finish
