#!/usr/bin/env bash
# tools/populations on a handful of seeds of a build ($2), and on made-up populations that differ, fail or are killed.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_populations.sh TOOL PROGRAMS
. "$(dirname "$0")/../support/check.sh"
tool=$1
real=$2

run() { # the status is $status, outputs are $room/out and $room/err
  { "$tool" "$@" >"$room/out" 2>"$room/err"; } 2>"$room/shell"
  status=$?
}

refused() { # what, status, text that its one line has, words of the tool
  local about=$1 wanted=$2 text=$3
  shift 3
  run "$@"
  [ $status -eq "$wanted" ] && [ "$(wc -l <"$room/err")" -eq 1 ] && grep -qF -- "$text" "$room/err"
  check "$about" $?
}

says() { # what, status, lines that the output has
  local about=$1 wanted=$2 good=0
  shift 2
  [ $status -eq "$wanted" ] || good=1
  for text; do grep -qF -- "$text" "$room/out" "$room/err" || good=1; done
  check "$about" $good
}

# --- a build --------------------------------------------------------------------------------------

few=(--seeds 20 --only hostile,families,starts,slips,floors --programs "$real")
run freeze "$room/one.gz" "${few[@]}"
says 'populations of the build are frozen' 0 'of 5 populations'
run compare "$room/one.gz" --programs "$real" --bits
says 'the same build: nothing differs' 0 'nothing differs in'
run freeze "$room/two.gz" "${few[@]}" --jobs 1
expect 'two tables of a build are the same' cmp "$room/one.gz" "$room/two.gz"
run compare "$room/one.gz" --programs "$real" --seeds 10 --only hostile
says 'fewer seeds of one population' 0 'nothing differs in'
gzip -dc "$room/one.gz" | awk -F, -v OFS=, '$1 == "hostile" && !done { $10 = "0"; done = 1 } 1' | gzip >"$room/edited.gz"
run compare "$room/edited.gz" --programs "$real"
says 'without --bits a hash decides nothing' 0 'nothing differs in'
run compare "$room/edited.gz" --programs "$real" --bits
says 'an edited hash is found' 1 'hostile: other nodes in 1 of' '1 findings in'

# --- made-up populations --------------------------------------------------------------------------

# prints the rows of its seeds from $room/rows, and obeys $room/order if that names its first seed
made=$room/made
mkdir "$made"
cat >"$made/population_hostile" <<SCRIPT
#!/bin/sh
echo "\$2" >>'$room/calls'
if [ -f '$room/order' ] && read -r first order <'$room/order' && [ "\$first" = "\$2" ]; then
  rm '$room/order'
  eval "\$order"
fi
awk -F, -v from="\$2" -v count="\$3" '\$3 >= from && \$3 < from + count' '$room/rows'
SCRIPT
chmod +x "$made/population_hostile"
only=(--only hostile --programs "$made" --jobs 1)
rows() { # an edit of the frozen ones
  for seed in $(seq 0 1999); do
    echo "row,made,$seed,0.001,0,right,0.$((seed % 10))1,3,100,0123456789abcdef"
  done | awk -F, -v OFS=, "$1" >"$room/rows"
}
rows 1
run freeze "$room/made.gz" --seeds 2000 "${only[@]}"
says 'made-up populations are frozen' 0 '2000 runs of 1 populations'

found() { # what, the edit, lines
  local about=$1
  rows "$2 1"
  shift 2
  run compare "$room/made.gz" --programs "$made"
  says "$about" 1 "$@"
}
found 'a wrong result' '$3 == 7 { $6 = "wrong"; $7 = 250 }' 'hostile: made, seed 7 at 0.001: wrong, error 250 tolerances, was 0.71' \
  'hostile: largest error over tolerance 250, was 0.91; made, seed 7'
found 'a lost success' '$3 == 8 { $5 = 6 }' 'hostile: made, seed 8 at 0.001: ESS_EUNDERFLOW, was success' '1 findings in 2000'
found 'many of them' '$3 < 8 { $5 = 6 }' 'hostile: no success: 3 more'
found 'a row that is missing' '$3 == 9 { next }' 'hostile: made, seed 9 at 0.001: no row' '1 findings in 1999'
found 'a median that grows' '$7 < 0.5 { $7 = 0.6 }' 'hostile: median error over tolerance 0.6, was 0.41' '1 findings'
found 'evaluations that grow' '{ $9 = 103 } $3 == 5 { $9 = 200 }' \
  'hostile: 206097 right-hand-side evaluations, 3.0 % more than 200000; made, seed 5 at 0.001: 200, was 100' '1 findings'
rows '{ $9 = 102; $7 *= 1.02 } 1'
run compare "$room/made.gz" --programs "$made"
says 'a little more is nothing' 0 'nothing differs in 2000 runs'
cp "$room/made.gz" "$room/right.gz"
rows '$3 == 7 { $5 = 6 } 1'
run freeze "$room/status.gz" --seeds 2000 "${only[@]}"
rows 1
run compare "$room/status.gz" --programs "$made"
says 'success where there was none is information' 0 'info: hostile: 1 with success, was a status' 'nothing differs'

# --- failures, and what goes on -------------------------------------------------------------------

echo '1000 kill -9 $PPID; exit' >"$room/order"
rm "$room/calls" "$room/made.gz"
run freeze "$room/made.gz" --seeds 2000 "${only[@]}"
expect 'a freeze that is killed leaves no table' [ $status -ne 0 -a ! -e "$room/made.gz" ]
run freeze "$room/made.gz" --seeds 2000 "${only[@]}"
says 'the next one goes on' 0 '2 of 4 parts were finished before' '2000 runs'
expect 'no finished part is run again' [ "$(sort -n "$room/calls" | tr '\n' ' ')" = '0 500 1000 1000 1500 ' ]
expect 'its table is that of one that was not killed' cmp "$room/made.gz" "$room/right.gz"
expect 'no parts stay' [ -z "$(find "$made" -name 'populations-*')" ]
echo '1500 kill -TERM $PPID; sleep 0.2; exit' >"$room/order"
refused 'an interruption is one line' 1 'goes on from here' compare "$room/made.gz" --programs "$made" --jobs 1
echo '# another build' >>"$made/population_hostile"
run compare "$room/made.gz" --programs "$made"
says 'no part of another build is taken' 0 'nothing differs in 2000 runs'
expect 'and nothing says that it is' [ ! -s "$room/err" ]
echo '500 exit 3' >"$room/order"
refused 'a program that fails' 1 '--rows 500 500 ends with status 3' freeze "$room/made.gz" --seeds 2000 "${only[@]}"
echo '500 kill -9 $$' >"$room/order"
run compare "$room/made.gz" --programs "$made" --jobs 1
says 'a program that crashes is a finding' 1 'ends by signal 9' '1 findings'

refused 'another version' 1 'format 2, and format 1 is read' compare \
  <(gzip -dc "$room/made.gz" | sed '1s/,1,/,2,/' | gzip) --programs "$made"
echo 'populations,1,seeds,1' | gzip >"$room/short.gz"
refused 'a table that is cut off' 1 'is damaged' compare "$room/short.gz"
refused 'a file that gzip has not written' 1 'no file that gzip has compressed' compare "$0"
refused 'another file' 1 'is no table of populations' compare <(echo a,b | gzip)
refused 'no table' 1 'No such file' compare "$room/none.gz"
refused 'no programs' 1 'build it first' freeze "$room/a.gz" --programs "$room"
refused 'no command' 2 'freeze or compare'
refused 'another command' 2 "'melt' is neither" melt
refused 'two tables' 2 "'b' is one word too many" compare a b
refused 'another option' 2 "'--fast' is no option" freeze --fast
refused 'an option without its value' 2 '--seeds needs a value' freeze --seeds
refused 'no seeds' 2 '--seeds 0 is not accepted; it is a whole number from 1 on' freeze --seeds 0
refused 'more seeds than there are' 2 '--seeds takes at most 20000, not 20001' freeze --seeds 20001
refused 'another population' 2 "no population 'kind'; there are bent," freeze --only kind
refused 'a population that the table does not have' 2 'has no bent' compare "$room/made.gz" --only bent --programs "$made"
refused 'more seeds than the table has' 2 'has 2000 seeds, not 2001' compare "$room/made.gz" --seeds 2001
refused 'a hash is not chosen by freeze' 2 '--bits is an option of compare' freeze --bits
"$real/population_floors" --rows 1 >"$room/out" 2>"$room/err"
status=$?
says 'rows of no seeds' 2 'usage: '
finish
