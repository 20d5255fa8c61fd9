#!/bin/sh
# essbench run: the trajectory as a table and as a figure, of all states or of some; and what cannot be.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_run_files.sh ESSBENCH
. "$(dirname "$0")/../support/cli_room.sh"

short='run --model hopper --duration 0.4 --no-reference'
# the numbers of its JSON's state
ends_in() { sed -n '/"state"/,/\]/p' "$room/out" | grep -o '[-0-9][-.0-9e]*' | paste -sd,; }
head_of() { [ "$(head -n 1 "$1")" = "$2" ]; }
magic() { LC_ALL=C head -c 100 "$1" | LC_ALL=C grep -qaF "$2"; }

# --- the table ------------------------------------------------------------------------------------

run $short --json
wanted=$(ends_in)
run $short --csv 'a table.csv'
expect 'a table beside the text' success
expect 'the text is there' grep -q '^hopper with libess' "$room/out"
expect 'its header' head_of 'a table.csv' t,z,vz
expect 'a row for each output time' [ "$(wc -l <'a table.csv')" -eq 202 ]
expect 'from the start' grep -qx '0,2,0' 'a table.csv'
expect 'to where it ends' [ "$(tail -n 1 'a table.csv')" = "0.40000000000000002,$wanted" ]
run $short --csv -
expect 'to the standard output' success
expect 'and nothing else there' same_bytes "$room/out" 'a table.csv'
run $short --csv other.csv --json
expect 'beside JSON' same_bytes other.csv 'a table.csv'
run $short --csv other.csv --columns vz
expect 'one state' head_of other.csv t,vz
run run --model rhex --no-reference --duration 0.1 --csv - --columns vz,x
expect 'states in the order asked for' head_of "$room/out" t,vz,x
expect 'without the impacts that are told of' [ "$(grep -c front "$room/out")" -eq 0 ]
run run --model legged --contacts 2 --no-reference --duration 0.01 --csv legged.csv
expect 'states that a model counts itself' success
run run --model legged --contacts 2 --no-reference --duration 0.01 --csv legged.csv --columns vx
expect 'and one of them' head_of legged.csv t,vx
rm -f legged.csv

# --- the figure -----------------------------------------------------------------------------------

run $short --csv fall.csv --plot
expect 'a figure beside the table' success
expect 'as png' magic fall.png PNG
for format in svg:'<?xml' pdf:%PDF- png:PNG; do
  run $short "--plot=it's a fall.1.${format%%:*}"
  expect "a figure alone: $format" success
  expect "is one: $format" magic "it's a fall.1.${format%%:*}" "${format#*:}"
done
expect 'nothing else is left' [ "$(find . -type f | wc -l)" -eq 7 ]
run $short --plot
expect 'without a name it is the model'"'"'s' magic hopper.png PNG
expect 'and told' grep -qx hopper.png "$room/out"
run $short --plot --csv -
expect 'and so it is beside a table that is printed' magic hopper.png PNG
rm -f hopper.png
mkdir folder
run run --model slip --no-reference --plot=folder/all.svg
expect 'in a folder' success
for state in x z vx vz foot; do expect "a panel of $state" grep -q ">$state<" folder/all.svg; done
run run --model slip --no-reference --plot=folder/some.svg --columns z,foot
expect 'a panel of foot' grep -q '>foot<' folder/some.svg
expect 'none of vx' [ "$(grep -c '>vx<' folder/some.svg)" -eq 0 ]
run $short --plot=still.svg --model ball --duration 0.002
expect 'two points' success
TMPDIR=$room/nowhere run $short --plot=x.png
expect 'no room for the table' one_line 1 "cannot create '$room/nowhere"

# --- what cannot be -------------------------------------------------------------------------------

before=$(fingerprint)
refuses() {
  wanted=$1
  words=$2
  shift 2
  run "$@"
  expect_refusal "$wanted" "$words" "$*"
}
refuses 2 '--columns vv is not accepted; did you mean vz? there are z, vz' $short --csv - --columns z,vv
refuses 2 '--columns  is not accepted; there are z, vz' $short --csv - --columns ''
refuses 2 '--columns names vz twice' $short --csv - --columns vz,z,vz
refuses 2 '--columns needs --csv or --plot' $short --columns vz
refuses 2 '--csv - and --json cannot both use the standard output' $short --csv - --json
for name in x.jpg x .png folder.svg/x; do
  refuses 2 'it ends in .png, .svg or .pdf' $short "--plot=$name"
done
refuses 2 'x.png is not accepted; --plot=x.png is' $short --plot x.png
refuses 1 "cannot write '" $short --csv nowhere/x.csv
refuses 1 'it is not a regular file' $short --csv folder
status=0
(
  ulimit -f 1
  # shellcheck disable=SC2086 # words
  "$essbench" $short --csv big.csv >"$room/out" 2>"$room/err" </dev/null
) || status=$?
expect 'a table that is too large is named' one_line 1 "cannot write 'big.csv': File too large"
expect 'and not there' untouched

# --- runs that end early --------------------------------------------------------------------------

# what was reached until then is a table; where it ends the line says
ends_early() {
  rows=$1
  words=$2
  shift 2
  rm -f early.csv
  run "$@" --csv early.csv
  expect "ends early: $*" one_line 1 "$words"
  expect 'its table ends there' [ "$(wc -l <early.csv)" -eq "$rows" ]
  expect 'in numbers' [ "$(grep -c nan early.csv)" -eq 0 ]
}
ends_early 234 'impacts accumulate: infinitely many in a finite time at t = 0.46467' \
  run --model rocking-block --tilt 0.2 --delta-t 0 --no-reference --duration 1
rm -f early.csv
run run --model rocking-block --tilt 0.2 --delta-t 0 --no-reference --duration 1 --csv -
expect 'impacts accumulate: a table on the standard output' one_line 1 'impacts accumulate'
expect 'impacts accumulate: its header' head_of "$room/out" t,x,z,phi,vx,vz,omega
run run --model rocking-block --tilt 0.2 --delta-t 0 --no-reference --plot=early.png
expect 'impacts accumulate: a figure' magic early.png PNG
rm -f early.png
run $short --plot=nowhere/x.png
expect 'a folder that is not there, before the run' one_line 1 \
  "cannot write 'nowhere/x.png': No such file or directory"
mkdir "$room/bin"
ln -s "$(command -v rm)" "$room/bin/rm"
PATH=$room/bin run $short --plot=x.png
expect 'without gnuplot: what installs it' one_line 1 \
  'gnuplot did not draw x.png: it is not installed; apt-get install gnuplot-nox'

finish
