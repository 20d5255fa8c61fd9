#!/bin/bash
# Shares of a study's cells, each in a database of its own, by whatever starts them; and their merging.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_shares.sh ESSBENCH
. "$(dirname "$0")/../support/share_room.sh"
timing='scale --contacts 2 --epsilons 1e-2,1e-3 --trials 2 --point-time 0'
merge() { run merge --out "$1"; }
share_files() { find "$1" -name 'essbench.*-of-*' | wc -l; }

run $small --processes 1 --out one
expect 'one process' success

# --- a share after the other ----------------------------------------------------------------------

run $small --share 1/3 --out apart
expect 'the first share' success
expect 'says how to go on' grep -q 'share 1 of 3 of tolerance is measured; essbench merge --out apart' "$room/out"
merge apart
expect 'shares are missing: one line that names the command' \
  one_line 1 "share 2 of 3 is not complete; run essbench $small --out apart --share 2/3"
run $small --processes 2 --share 2/3 --out apart
run $small --share=3/3 --out apart
expect 'the last share' success
expect 'makes no results' [ ! -e apart/tolerance.csv ]
merge apart
expect 'merging' success
expect 'gives the same rows' like apart one
expect 'and leaves one database' [ "$(share_files apart)" -eq 0 ]

# --- by what users have ---------------------------------------------------------------------------

if command -v parallel >/dev/null; then
  parallel --will-cite "$essbench" $small --share '{}/3' --out parallel ::: 1 2 3 >"$room/out" 2>"$room/err"
  status=$?
  expect 'GNU parallel' success
  merge parallel
  expect 'gives the same rows' like parallel one
fi
if command -v mpirun >/dev/null; then
  mpirun --quiet --allow-run-as-root --oversubscribe -n 3 "$essbench" $small --share auto --out mpi \
    >"$room/out" 2>"$room/err" </dev/null
  status=$?
  expect 'mpirun' success
  merge mpi
  expect 'gives the same rows' like mpi one
fi
for task in 10 12 14; do
  SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=10 SLURM_ARRAY_TASK_STEP=2 \
    SLURM_PROCID=0 SLURM_NTASKS=1 run $small --share auto --out slurm
  expect 'a task of an array' success
done
merge slurm
expect 'three tasks give the same rows' like slurm one

# --- stages, and times ----------------------------------------------------------------------------

# the columns that no clock decides
timeless() { cut -d, -f 1-7 "$1/scale.csv"; }
run $timing --out whole
expect 'a study of two stages' success
for share in 1 2 3; do "$essbench" $timing --share $share/3 --out stages >"$room/said.$share" 2>&1 & done
wait
status=
merge stages
expect 'shares side by side meet between stages' success
expect 'and give the same' [ "$(timeless stages)" = "$(timeless whole)" ]

for share in 1 2; do
  ESSBENCH_HOST=host$share "$essbench" $timing --share $share/2 --out hosts >/dev/null 2>&1 &
done
wait
status=
merge hosts
expect 'times of two hosts are not of one study' one_line 1 'these are of host1 and host2'

# --- kills ----------------------------------------------------------------------------------------

run $longer --processes 2 --out longer
expect 'a longer run' success
for attempt in 1 2 3 4 5; do
  pids=
  for share in 1 2 3; do
    "$essbench" $longer --share $share/3 --out killed >/dev/null 2>&1 </dev/null &
    pids="$pids $!"
  done
  sleep "0.$((RANDOM % 9))"
  kill -KILL "$(echo $pids | cut -d ' ' -f $((RANDOM % 3 + 1)))" 2>/dev/null
  wait 2>/dev/null
done 2>/dev/null
status=
expect 'no cell is there twice' [ -z "$(shared killed | sort | uniq -d)" ]
for share in 1 2 3; do run $longer --share $share/3 --out killed; done
expect 'a share that was killed goes on' success
merge killed
expect 'and nothing is lost' like killed longer

# --- what is refused ------------------------------------------------------------------------------

for share in 0/3 4/3 3 x 1/2/3 -1/3 1/200000 ''; do
  run $small --share "$share" --out none
  expect "--share '$share': one line" one_line 2 'is not accepted; it is K/N'
done
run $small --share auto --out none
expect 'auto where nobody numbers processes: one line' one_line 2 'mpirun, srun and Slurm arrays'
run $small --share 1/2 --restart --out none
expect '--restart and --share: one line' one_line 2 '--restart does not go with --share'
expect 'nothing is written' [ ! -e none ]
merge none
expect 'a folder without shares: one line' one_line 1 'none holds no shares to merge'

run $small --share 1/2 --out bad
cp bad/essbench.1-of-2.sqlite bad/essbench.2-of-2.sqlite
merge bad
expect 'the same share twice: one line' one_line 1 'hold the same share; move one away'
rm bad/essbench.2-of-2.sqlite
run $small --share 2/3 --out bad
merge bad
expect 'shares of other numbers: one line' one_line 1 'are not shares of one run'
rm bad/essbench.2-of-3.sqlite
echo 'no database' >bad/essbench.2-of-2.sqlite
merge bad
expect 'a damaged file: one line' one_line 1 'essbench.2-of-2.sqlite'
rm bad/essbench.2-of-2.sqlite
run $small --share 2/2 --seed 7 --out bad
merge bad
expect 'shares of other settings: one line' one_line 1 'is not complete; run essbench'
expect 'nothing that was measured is lost' [ "$(share_files bad)" -eq 2 ]

finish
