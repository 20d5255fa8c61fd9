#!/bin/sh
# What essbench prints and where: help, streams that are closed, full or not read, a full disk, and
# the user's locale.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$(dirname "$0")/../support/cli_room.sh"
run order --out results
files=$(find . | sort)

# --- help -----------------------------------------------------------------------------------------

narrow() { [ "$(awk '{ if (length > n) n = length } END { print n }' "$room/out")" -le 100 ]; }
tidy() { ! grep -q '[[:space:]]$' "$room/out"; }
names() { grep -qF -- "$1" "$room/out"; }

run --help
expect "help" success
expect "help is narrow" narrow
commands=$(sed -n 's/^  \([a-z][a-z-]*\)  *[a-z].*/\1/p' "$room/out")
expect "help lists the commands" [ "$(echo "$commands" | wc -w)" -ge 6 ]
for command in $commands; do
  for word in --help -h; do
    run "$command" "$word"
    expect "$command $word" success
    expect "$command $word begins with the usage" names "Usage: essbench $command"
    expect "$command $word is narrow" narrow
    expect "$command $word ends lines with letters" tidy
  done
  expect "$command says how to get this help" names '-h, --help'
done
run sweep --trials 3 --help --nosuch
expect "what follows --help is read too" one_line 2 'unknown option --nosuch'
run run --help
cp "$room/out" "$room/help"
ARGP_HELP_FMT=rmargin=40 "$essbench" run --help >"$room/out" 2>"$room/err"
expect "help is the same whatever the user's layout" same_bytes "$room/out" "$room/help"

# --- the standard output lost ---------------------------------------------------------------------

# $* to a standard output that takes nothing
lost='cannot write to the standard output'
for words in --help 'run --help' run 'run --json' 'xml plate --contacts 1000' \
  'order --out results'; do
  # shellcheck disable=SC2086 # words
  "$essbench" $words >/dev/full 2>"$room/err" </dev/null
  status=$?
  expect "$words >/dev/full" one_line 1 "$lost: No space left on device"
  # shellcheck disable=SC2086
  "$essbench" $words >&- 2>"$room/err" </dev/null
  status=$?
  expect "$words >&-" one_line 1 "$lost: Bad file descriptor"
done

# a reader that leaves; the status comes out by another way than the pipe
{
  "$essbench" xml plate --contacts 1000 2>"$room/err"
  echo $? >"$room/status"
} | head -n 1 >"$room/out"
status=$(cat "$room/status")
expect "xml | head: not a word" [ "$status" -eq 1 -a ! -s "$room/err" ]
expect "xml | head: the first line arrives" names '<mujoco'

# streams that are closed are not taken by results files
run order --out open
"$essbench" order --out closed <&- >&- 2>&-
for file in order.csv order_fit.csv projection_path.csv; do
  expect "all streams closed: $file" same_bytes open/$file closed/$file
done
rm -rf open closed
expect "no other file is left by all that" [ "$(find . | sort)" = "$files" ]

# --- a disk with no room left ---------------------------------------------------------------------

before=$(fingerprint)
for words in 'order --out results' 'xml plate -o results/order.csv'; do
  # shellcheck disable=SC2086
  said=$(ulimit -f 0; "$essbench" $words 2>&1 >/dev/null </dev/null; echo "status $?")
  status=$(echo "$said" | sed -n 's/^status //p')
  echo "$said" | grep -v '^status ' >"$room/err"
  : >"$room/out"
  case $words in
    order*) expect_refusal 1 "cannot use 'results/essbench.sqlite': disk I/O error: File too large" "no room: $words" ;;
    *) expect_refusal 1 'an earlier file is untouched' "no room: $words" ;;
  esac
done

# a database that finds none is told of once, by whichever process
for processes in 1 2; do
  for blocks in 1 6; do
    said=$(ulimit -f $blocks; "$essbench" sweep --contacts 2,3 --trials 6 --epsilon 1e-3 \
      --processes $processes --restart --out small 2>&1 >/dev/null </dev/null; echo "status $?")
    status=$(echo "$said" | sed -n 's/^status //p')
    echo "$said" | grep -v '^status ' >"$room/err"
    expect "sweep, $processes processes, $blocks blocks" one_line 1 "cannot use 'small/essbench.sqlite'"
  done
done
rm -rf small

# --- a terminal -----------------------------------------------------------------------------------

for command in robot robot-race sweep; do
  script -qec "stty cols 80; '$essbench' $command --help" /dev/null </dev/null | tr -d '\r' >"$room/out"
  expect "$command --help fits a terminal of 80 columns" sh -c \
    '[ -s "$1" ] && awk "length > 79 { exit 1 }" "$1"' - "$room/out"
done

# --- the user's locale ----------------------------------------------------------------------------

# $1 in locale $2: what does not depend on a clock
speak() {
  LC_ALL=$1 "$essbench" run --json | grep -v wall_time
  LC_ALL=$1 "$essbench" run | grep -v ' ms$'
  LC_ALL=$1 "$essbench" xml plate --contacts 3 --damping 1.5
  LC_ALL=$1 "$essbench" order --out spoken >/dev/null
  cat spoken/order.csv
}
if [ "$(LC_ALL=de_DE.UTF-8 locale decimal_point 2>/dev/null)" = , ]; then
  speak C >"$room/c"
  speak de_DE.UTF-8 >"$room/out" 2>"$room/err"
  status=$?
  expect "a locale with a decimal comma changes nothing" same_bytes "$room/c" "$room/out"
  LC_ALL=de_DE.UTF-8 "$essbench" run --epsilon 1,5 >"$room/out" 2>"$room/err"
  status=$?
  expect "a decimal comma is no number there either" one_line 2 '--epsilon 1,5 is not accepted'
else
  echo "skipped: no locale with a decimal comma"
fi

# --- progress -------------------------------------------------------------------------------------

run sweep --contacts 2 --trials 2 --epsilon 1e-3 --out progress
expect "progress is silent when the standard error is no terminal" success
expect "and draws nothing" [ "$(said | tr -d '\n' | wc -c)" -eq 0 ]

finish
