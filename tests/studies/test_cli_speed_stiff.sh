#!/bin/sh
# essbench speed --stiff: who races with springs of another stiffness, and at which error.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_speed_stiff.sh ESSBENCH
. "$(dirname "$0")/../support/cli_room.sh"

# either at the same error, MuJoCo at the output step beside them
run speed --contacts 2,3 --trials 2 --processes 1 --stiff 20000 --out stiff
expect 'stiff springs race' success
for model in hopper plate; do
  for who in 'mujoco Euler-2ms' 'mujoco target-0.01' 'libess target-0.01'; do
    set -- $who
    awk -F, -v model=$model -v solver=$1 -v protocol=$2 '
      NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
      NR > 1 && $at["model"] == model && $at["solver"] == solver && $at["protocol"] == protocol &&
        $at["stiffness"] == 20000 && $at["field_gap"] <= 1e-7 &&
        (protocol != "target-0.01" || $at["rms_error"] <= 0.015) { found = 1 }
      END { exit !found }' stiff/speed.csv
    expect "$model with stiff springs has $who" [ $? -eq 0 ]
  done
done
# and the series of the others is as without them
expect 'what one more contact costs is found beside stiff springs' \
  [ "$(grep -c '"s_per_contact"' stiff/speed.json)" = 2 ]
finish
