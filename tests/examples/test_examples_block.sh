#!/bin/sh
# Prints the first fenced block after the line <!-- NAME --> of a Markdown file: what a reader would
# copy, for the tests that compare, compile or run it. Usage: test_examples_block.sh FILE NAME
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
awk -v marker="<!-- $2 -->" '
  $0 == marker { wanted = 1; next }
  wanted && /^```/ { if (inside) { complete = 1; exit } inside = 1; next }
  inside { print }
  END { exit !complete }' "$1" || {
  echo "$1 has no complete fenced block after <!-- $2 -->" >&2
  exit 1
}
