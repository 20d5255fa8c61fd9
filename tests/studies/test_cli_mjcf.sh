#!/bin/sh
# A user's MJCF as a model: --model mjcf --file FILE in run, work-precision, ensemble and sweep.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_mjcf.sh ESSBENCH
. "$(dirname "$0")/../support/cli_room.sh"
cat >legs.xml <<'END'
<mujoco model="legs">
  <option timestep="0.002"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1"/>
    <body pos="0 0 0.5">
      <joint name="rise" type="slide" axis="0 0 1"/>
      <joint name="swing" type="hinge" axis="0 1 0"/>
      <geom name="ball" type="sphere" size="0.2" mass="1"/>
      <geom name="foot" type="sphere" size="0.1" pos="0.3 0 -0.25" mass="0.2"/>
    </body>
  </worldbody>
</mujoco>
END
legs='--model mjcf --file legs.xml --duration 0.5'
answer() { python3 -c 'import json, sys; print(eval(sys.argv[1], json.load(sys.stdin)))' "$1" <"$room/out"; }

# shellcheck disable=SC2086 # words
run run $legs --tolerance 1e-6 --json
expect 'libess runs it' success
expect 'with events, close to its reference' [ "$(answer 'events > 0 and rms_error < 1e-3')" = True ]
# shellcheck disable=SC2086
run run $legs --solver mujoco --json
expect 'MuJoCo runs it by its own steps' success
expect 'further away' [ "$(answer 'steps == 250 and 1e-4 < rms_error < 1')" = True ]
# shellcheck disable=SC2086
run run $legs --solver plain-dopri5 --tolerance 1e-6
expect 'so does a solver that looks for no crossing' success

for base in rkc rodas ros2 lit; do
  # shellcheck disable=SC2086
  run run $legs --solver "libess-$base" --tolerance 1e-6 --json
  expect "libess runs it by $base" success
  expect 'to the same events, close to the reference' [ "$(answer 'events > 0 and rms_error < 1e-3')" = True ]
done

precision='--trials 2 --processes 2 --methods libess,libess-ros2,mujoco-Euler,hybrid --point-work 1e6 --out results'
# shellcheck disable=SC2086
run work-precision $legs $precision
expect 'work-precision' success
expect 'libess reaches small errors' [ "$(asked results "SELECT min(rms_error) < 1e-7 FROM work_precision
  WHERE method = 'libess' AND status = 'ok'")" = 1 ]
expect 'by an implicit base, too' [ "$(asked results "SELECT min(rms_error) < 1e-6 FROM work_precision
  WHERE method = 'libess-ros2' AND status = 'ok'")" = 1 ]
expect 'MuJoCo errs less with shorter steps' [ "$(asked results "SELECT max(rms_error) > 100 * min(rms_error)
  FROM work_precision WHERE method = 'mujoco-Euler' AND status = 'ok'")" = 1 ]
expect 'all are of the file' [ "$(asked results "SELECT min(model), max(model), min(contacts) > 0 FROM work_precision")" = \
  'legs.xml|legs.xml|1' ]
expect 'fields are the same' [ "$(asked results "SELECT field_gap->>'gap' < 1e-7 AND field_gap->>'touching' > 0
  FROM work_precision_cases WHERE name = 'legs.xml'")" = 1 ]

# another file is another case, and the same file with other content another run
sed 's/mass="0.2"/mass="0.3"/' legs.xml >more.xml
# shellcheck disable=SC2086
run work-precision $legs --file more.xml $precision
expect 'another file' success
expect 'is a case beside it' [ "$(asked results 'SELECT count(DISTINCT name) FROM work_precision_cases')" -eq 2 ]
asked results 'UPDATE run SET ended = NULL WHERE id = 1'
cp more.xml legs.xml
# shellcheck disable=SC2086
run work-precision $legs $precision
expect 'a file that has changed' success
expect 'is measured anew' [ "$(asked results 'SELECT count(*) FROM run')" -eq 3 ]

# shellcheck disable=SC2086
run ensemble $legs --trials 4 --processes 1 --out many
expect 'ensemble' success
expect 'every run ends' [ "$(asked many "SELECT sum(starts) FROM ensemble_status")" -eq 4 ]
# shellcheck disable=SC2086
run sweep $legs --trials 2 --processes 1 --protocol equal-error --out race
expect 'sweep' success
expect 'races both' [ "$(asked race 'SELECT count(*) FROM sweep_ratios WHERE mujoco_over_libess > 0')" -eq 1 ]

before=$(fingerprint)
refuses() { # status, words, arguments
  wanted=$1
  words=$2
  shift 2
  run "$@"
  expect_refusal "$wanted" "$words" "$*"
}
refuses 2 '--model mjcf needs --file FILE' run --model mjcf
refuses 2 '--file needs --model mjcf; the model is plate' run --file legs.xml
refuses 2 'model mjcf is not accepted; it is a file already' xml mjcf
for command in run work-precision ensemble sweep; do
  refuses 1 'none.xml cannot be read: No such file' $command --model mjcf --file none.xml
done
echo words >none.xml
before=$(fingerprint)
for command in run work-precision ensemble sweep; do
  refuses 1 'none.xml does not compile: XML' $command --model mjcf --file none.xml
done
echo '<mujoco><worldbody><geom size="1"/></worldbody></mujoco>' >none.xml
before=$(fingerprint)
for command in run work-precision ensemble sweep; do
  refuses 1 'none.xml is not accepted: nothing in it moves' $command --model mjcf --file none.xml
done
refuses 2 'libess-lit: ESS_BASE_LIT needs field_solve' run --model plate --solver libess-lit
refuses 2 'mjcf has no contact force' run --model mjcf --file legs.xml --solver mujoco-callback

finish
