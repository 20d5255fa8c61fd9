#!/bin/bash
# make results in a repository of its own, with a program that only says what it was asked and results that
# are there: what is measured, what the pages then tell, what the commit touches.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_results.sh SOURCES ESSBENCH
. "$(dirname "$0")/../support/check.sh"
sources=$1
essbench=$2

mkdir "$room/house" && cd "$room/house" || exit 1
cp -r "$sources/README.md" "$sources/docs" "$sources/tools" .
cat >program <<END
#!/bin/sh
echo "\$@" >>"$room/asked"
case \$1 in orbit)
  echo '{"coordinates": ["theta"], "orbit": {"state": [0.25], "period": 2.0, "multipliers": [[-0.5, 0.25], [-0.5, -0.25]],
    "stability": "stable"}, "branch": {"points": [{"value": 1.0, "orbit": {"stability": "stable"}}, {"value": 2.0,
    "orbit": {"stability": "unstable"}}], "changes": [{"kind": "period doubling", "value": 1.5}]}}' ;;
derivative | run)
  echo '{"states": ["a"], "field_evaluations": 7, "cost": {"field_evaluations": 9, "field_jacobian_evaluations": 0}}' ;;
esac
END
# the load of a machine that this test tells: the watcher, the study, and none else
sed -i "s|/proc/loadavg|$room/loadavg|" tools/results
grep -q "$room/loadavg" tools/results
check 'the load is the one that the test tells' $?
quiet() { echo '9.0 9.0 9.0 2/80 1' >"$room/loadavg"; }
busy() { echo '0.0 0.0 0.0 6/80 1' >"$room/loadavg"; }
quiet
printf '/results/\n/program\n' >.gitignore
chmod +x program
mkdir integrator && echo 'int one;' >integrator/code.c
git init -q . && git config user.name test && git config user.email test@example.org
git add . && git commit -qm start
commit=$(git rev-parse HEAD)
mkdir -p results/150 results/robot

environment="\"environment\": {\"git_commit\": \"$commit\", \"mujoco\": {\"version\": \"4.0.0\"}, \"compiler\": \"cc\",
  \"cores\": 2, \"cpu\": \"none\", \"date\": \"2000-01-01T00:00:00Z\", \"warnings\": []}"
for name in order calibration derivative_error limbs contact_modes tutorial sliding rigid_soft crossing_cost mujoco_settings scale \
  tolerance ensemble 150/sweep robot/sweep; do
  echo "{\"command\": \"$name\", \"trials\": 3, \"unchanged\": 1e-9, \"minimum_effect\": 0.05, \"time\": 0.3,
    \"parameters\": {\"contacts\": 10}, \"tolerance\": 1e-4, \"block\": 1000, \"failed\": 0, \"cases\": [],
    \"costs\": [{\"target\": 0.01, \"libess_tolerance\": 0.001, \"libess_calls\": 300, \"tanh_width\": 1e-5,
    \"tanh_tolerance\": 1e-6, \"tanh_calls\": 600, \"ratio\": 0.5}, {\"target\": 1e-6, \"libess_tolerance\": 1e-6,
    \"libess_calls\": 900, \"tanh_width\": null, \"tanh_tolerance\": null, \"tanh_calls\": null, \"ratio\": null}],
    $environment}" \
    >"results/$name.json"
done
for name in ant half_cheetah hopper humanoid pusher inverted_double_pendulum swimmer walker2d walker2d-stepping legs-6; do
  mkdir -p "results/gradients/$name"
  cat >"results/gradients/$name/robot_derivative.json" <<END
{"command": "robot-derivative", "directions": 12, "time_step": 0.002, "audited": 0.2, "until": 0.2345,
 "status": "left and right meet", "crossings": [{"t": 0.15, "event": "left", "begins": true}],
 "times": [{"t": 0.1, "estimate": 1e-7}, {"t": 0.2, "estimate": 1e-6}, {"t": 0.3, "estimate": 7.0}],
 "errors": [{"who": "MuJoCo", "way": "transitions", "step": 0.002, "own": true, "move": 1e-6, "t": 0.1, "error": 1e-8,
 "note": ""}, {"who": "MuJoCo", "way": "transitions", "step": 0.002, "own": true, "move": 1e-6, "t": 0.2, "error": 0.5,
 "note": ""}, {"who": "MuJoCo", "way": "differences", "step": 0.001, "own": false, "move": 1e-3, "t": 0.2,
 "error": 0.25, "note": ""}, {"who": "MuJoCo", "way": "differences", "step": 0.002, "own": true, "move": 1e-3,
 "t": 0.2, "error": null, "note": "it is not finite"}], $environment}
END
done
for name in ant hopper walker2d legs-6 legs-20 legs-6-twin legs-20-twin ant-twin; do
  mkdir -p "results/robots/$name"
  cat >"results/robots/$name/robot.json" <<END
{"growth": null, "velocities": 7, "events": 9, "starts": 10, "reference": {"estimate": 1e-6, "status": "success", "until": 1.0},
 "orders": [{"variant": "Euler", "order": 1.0}], "mujoco": [{"variant": "Euler", "own": true, "time_step": 0.002,
 "rms_error": 0.01, "seconds": 1e-3, "known": 10}], "libess": [{"base": "dopri5", "tolerance": 0.1,
 "rms_error": 0.01, "seconds": 1e-3, "known": 10, "evaluations": 1000}, {"base": "chosen", "tolerance": 0.1,
 "rms_error": 0.02, "seconds": 5e-4, "known": 10, "evaluations": 400}], "time": 1.0, "command": "robot",
 "cost": {"field_s": 2e-6, "kinematics_s": 1e-6, "inertia_s": 1e-7, "rows_s": 1e-7, "forces_s": 8e-7,
 "guards_s": 1e-7, "rates_s": 1e-7, "step_s": 4e-6, "acting": 1.5},
 "stiffness": {"spectral_radius": 500.0, "evaluations": 900.0},
 "reach": [{"own": false, "held_out": null, "plain_over_libess_low": null, "plain_over_libess_high": null,
 "rms_error": 0.01, "mujoco_over_libess": 3.0, "mujoco_over_libess_low": 2.0,
 "mujoco_over_libess_high": 4.0, "plain_over_libess": null, "mujoco_seconds": 3e-3, "mujoco_error": 0.012,
 "libess_base": "dopri5", "tolerance": 0.1, "libess_seconds": 1e-3, "libess_error": 0.009,
 "libess_evaluations": 1000}, {"own": true, "rms_error": 0.02, "libess_base": "chosen", "tolerance": 0.09,
 "mujoco_over_libess": 0.5, "plain_over_libess": 2.0, "mujoco_seconds": 5e-4, "mujoco_error": 0.02,
 "libess_seconds": 1e-3, "libess_error": 0.01, "libess_evaluations": 1000, "plain_evaluations": 1500}], $environment}
END
done
cat >results/robot/sweep.json <<END
{"command": "sweep", $environment,
 "slopes": [{"solver": "libess", "protocol": "equal-error", "s_per_contact": 3e-4, "interval": [2e-4, 4e-4]}],
 "plain": [{"contacts": 6, "plain_over_libess": 0.5, "interval": [0.4, 0.6]}],
 "ratios": [{"contacts": 6, "solver": "libess", "protocol": "equal-error", "projection_s": 1e-3, "mujoco_s": 2e-3,
   "mujoco_over_projection": 2.0, "interval": [1.9, 2.1], "rms_error_projection": 0.01, "rms_error_mujoco": 0.02}]}
END
cases=
for name in affine3 hopper plate_10 plate_100; do
  cases="$cases${cases:+, }{\"name\": \"$name\", \"trials\": 3, $environment}"
done
echo "{\"cases\": [$cases]}" >results/work_precision.json
cat >results/sweep.json <<END
{"command": "sweep", $environment,
 "slopes": [{"solver": "mujoco", "protocol": "paper", "s_per_contact": 4e-5, "interval": [3e-5, 5e-5]}],
 "ratios": [{"contacts": 10, "solver": "projection", "protocol": "paper", "projection_s": 1e-3, "mujoco_s": 2e-3,
   "mujoco_over_projection": 2.0, "interval": [1.9, 2.1], "rms_error_projection": 0.01, "rms_error_mujoco": 0.02}]}
END
cat >results/sweep.csv <<'END'
contacts,solver,protocol,rms_error,rms_worst
2,projection,paper,0.01,0.03
2,mujoco,paper,0.02,0.02
10,projection,paper,0.06,0.04
10,mujoco,paper,0.02,0.02
END
echo "{\"marginals\": [], $environment}" | tee "$room/speed.json" >results/speed.json
columns='model,field,solver,protocol,contacts,damping,stiffness,trials,processes,median_s,mujoco_s'
columns="$columns,mujoco_over_this,mujoco_over_this_lo,mujoco_over_this_hi,rms_error,rms_worst"
columns="$columns,plain_solver,plain_setting,plain_s,plain_over_this,plain_over_this_lo,plain_over_this_hi"
cat >results/speed.csv <<END
$columns,mujoco_rms_error,mujoco_rms_worst,mujoco_variant,mujoco_time_step,bound_s,worse
plate,contacts,libess,equal-error,10,60,8000,5,2,2e-4,4e-3,20,19.5,21,0.01,0.09,plain-dopri5,1e-3,1e-4,0.5,0.45,0.55,0.02,0.03,Euler,0.002,5e-5,1
plate,contacts,libess,equal-median,10,60,8000,5,2,2e-4,3e-3,15,14,16,0.02,0.09,plain-dopri5,1e-3,4e-4,2,1.9,2.1,0.02,0.03,RK4,0.008,5e-5,0
END
cat >results/work_precision.csv <<'END'
model,law,method,label,solver,variant,knob,status,contacts,value,rms_error,median_s,evaluations,rms_worst,coincides_with
hopper,,libess,libess,libess,,tolerance,ok,1,0.01,0.005,0.0002,100,0.02,
END
cat >results/crossing_cost.csv <<'END'
contacts,solver,status,ns_per_crossing,evaluations_per_crossing
10,libess,ok,500,4.25
END
cp "$sources"/tests/tools/*.csv results
cp "$sources/tests/plots/tables/tolerance.csv" results/tolerance.csv
cat >results/order.csv <<'END'
epsilon,projection_order,rms_error,in_fit
0.01,1,1e-4,1
0.001,1,1e-6,1
END
cat >results/order_fit.csv <<'END'
projection_order,slope,slope_lo,slope_hi,fit_min,fit_max
1,2.0,1.9,2.1,0.001,0.01
END
cat >results/limbs.csv <<'END'
limbs,inertia,coupling,tilt,d_omega
soft,2,0,0,-15.5
END
cat >results/limbs_bodies.csv <<'END'
limbs,inertia,coupling,orthogonality,block_diagonal,foreign,additivity,flow,turn_right,turn_left,vz_right,vz_left
rigid,4,0,0.6,0,nan,nan,discontinuous,-0.39,0.39,nan,nan
soft,2,0,0,1,0,0,C1,0,0,0,0
END
cat >results/derivative_error_fit.csv <<'END'
crossings,method,order,of,slope,smallest,largest
isolated,projection,1,tangents,1.99,2.5e-10,0.041
END
cat >results/claims.csv <<'END'
paper,place,says,criterion,low,high,number,verdict,command,results
A & B,7,it is fast,"time, at most 1",0,1,1.5,fails,make it,order_fit.csv
END
# how they were measured: with nothing else on the machine
quietly() {
  ls results/*.json results/*/*.json results/robots/*/robot.json results/gradients/*/*.json 2>/dev/null | python3 -B -c 'import json, sys
parts = [line.strip()[len("results/"):-len(".json")] for line in sys.stdin]
parts += ["work_precision-" + n for n in ("affine3", "hopper", "plate_10", "plate_100")]
untimed = ("order", "derivative_error", "limbs", "contact_modes", "tutorial", "sliding")
print(json.dumps({"cost": {p: {"commit": sys.argv[1], "processor_s": 10.0, "wall_s": 100.0, "largest_kb": 2048,
  **({} if p in untimed else {"others": 0.25})} for p in parts}}))' "$commit" >"$room/results.json"
  cp "$room/results.json" results/results.json
}
quietly
cat >results/calibration.csv <<'END'
stiffness_over_mass,main,epsilon,rms_error_mujoco,rms_error_projection,runtime_mujoco_s,runtime_projection_s
800,1,0.0026,0.0021,0.0021,7e-4,2e-4
END

cat >results/mujoco_settings.csv <<'END'
model,contacts,base,changes,median_s,ratio,ratio_lo,ratio_hi,difference,rms_error,confirmed,verdict
hopper,1,race,,0.00064,1,1,1,1e-11,0.002,nan,the race's
hopper,1,race,ls_iterations=5,0.00063,0.984,0.95,1.01,1e-11,0.002,nan,no difference shown
END
cat >results/mujoco_profile.csv <<'END'
model,contacts,base,timer,part_of,net_s,share,run_s,timers_cost,reading_s
hopper,1,race,step,,7e-7,1,7.1e-7,2,2.5e-8
hopper,1,mujoco,step,,8e-7,1,9e-7,2,2.5e-8
END

results() { tools/results ./program "$@" >"$room/out" 2>&1; }
echo >>README.md
results
[ $? -eq 1 ] && grep -q '^results: there are changes that are not committed' "$room/out"
check 'changes without a name are refused' $?
git checkout -q README.md

results
[ $? -eq 0 ] || { cat "$room/out"; false; }
check "it ends with 0" $?
measured() { grep -v -e '^derivative ' -e '^run ' -e '^orbit ' -e '^figures ' -e '^claims ' "$room/asked"; }
[ -z "$(measured)" ] && grep -q '^claims ' "$room/asked"
check 'what is there of this commit is not measured again' $?
[ "$(git log --format=%s -1)" = "Results of $(git rev-parse --short "$commit")" ]
check 'its commit names the one before' $?
[ -z "$(git show --format= --name-only HEAD | grep -v -e '^README.md$' -e '^docs/')" ]
check 'it touches the pages alone' $?
grep -q 'MuJoCo takes 20 to 20 times' README.md
check 'the README has the verdict' $?
robots_verdict="faster than MuJoCo on 0, slower on 0, undecided on 8"
grep -qxF "**Of 8 robots libess is $robots_verdict**, at MuJoCo's own error." README.md
check 'and beside it what robots say' $?
sed -n '/class="verdict"/p' results/report.html | grep -qF "$robots_verdict"
check 'and so does the report' $?
lost() {
  sed -n '/<!-- losses -->/,/<!-- end -->/p' README.md | tr -s ' \n' ' ' | grep -qF -e "$1"
  check "$1" $?
}
lost "In 1 of 1 races at equal error libess's worst error is larger than MuJoCo's. The factor is at most 3."
lost "libess's median error exceeds MuJoCo's from 10 contacts on."
lost 'In 2 cases no other method takes less time than libess. A case is a model, and an error that all methods have to reach.'
lost 'With 10 contacts libess spends 75 % of its time on'
lost "Of 8 robots libess is $robots_verdict, at MuJoCo's own error."
# a ratio is no verdict where its interval contains 1
verdicts() { # low,high of a robot each
  local of=$room/intervals n=0
  for ends; do
    mkdir -p "$of/robots/$((n += 1))"
    echo "{\"reach\": [{\"own\": true, \"rms_error\": 1, \"mujoco_over_libess\": 1, \"mujoco_over_libess_low\": ${ends%,*},
      \"mujoco_over_libess_high\": ${ends#*,}}]}" >"$of/robots/$n/robot.json"
  done
  printf '<!-- raced: SELECT said FROM robot_own; -->\n<!-- end -->\n' >"$of/page"
  tools/page "$of" "$of/page" && sed -n 2p "$of/page"
}
[ "$(verdicts 1.01,3 1.02,3 1.03,3 0.2,0.99 0.3,0.99 0.2,1.5)" = \
  'Of 6 robots libess is faster than MuJoCo on 3, slower on 2, undecided on 1' ]
check 'an interval decides' $?
grep -qxF '| 1 | 2.000 | 1.900 to 2.100 | 1e-03 to 1e-02 | 1.0e-06 |' docs/results/paper.md
check 'PAPER has the order' $?
grep -qxF '| 10 | 1.000 | 2.000 | 2.00 [1.90, 2.10] | 0.01 | 0.02 |' docs/results/paper.md
check 'and the race' $?
grep -qxF '| `ls_iterations=5` | 0.630 (0.98) | 1.0e-11 |' docs/results/mujoco.md
check 'MUJOCO has its settings' $?
grep -q "exceeds MuJoCo's from 10 contacts on" docs/results/paper.md && grep -q 'at most 3 for the median (at N = 10)' docs/results/paper.md
check 'and where libess loses' $?
# errors by the paper's protocol over MuJoCo's, number of contacts by number
by_protocol() {
  local n=-1
  mkdir -p "$room/protocol" && cp results/sweep.json "$room/protocol"
  echo 'contacts,solver,protocol,rms_error,rms_worst' >"$room/protocol/sweep.csv"
  for error; do
    printf '%s,%s,paper,%s,1\n' $((n += 1)) projection "$error" $n mujoco 1 >>"$room/protocol/sweep.csv"
  done
  printf '<!-- losses: SELECT said FROM paper_losses; -->\n<!-- end -->\n' >"$room/protocol/page"
  tools/page "$room/protocol" "$room/protocol/page" && sed -n 2p "$room/protocol/page"
}
[ "$(by_protocol 1 2 3)" = "libess's median error exceeds MuJoCo's from 1 contacts on." ] &&
  [ "$(by_protocol 1 2 0.5)" = "libess's median error exceeds MuJoCo's at 1 of 3 N." ] &&
  [ "$(by_protocol 1 0.5)" = "libess's median error exceeds MuJoCo's nowhere here." ]
check 'by the paper: from some number on, at some, at none' $?
grep -qxF "| it is fast | A & B, 7 | time, at most 1 | 1.5 | **fails** | \`make it\` | \`${commit:0:7}\` |" docs/results/claims.md
check 'claims have their page, with the commit of their numbers' $?
# a claim whose results are not there keeps its row; one that is judged otherwise now does not
mkdir "$room/claims" && cp docs/results/claims.md "$room/claims.md"
sed 's/1.5,fails,/nan,not measured,/' results/claims.csv >"$room/claims/claims.csv"
tools/page "$room/claims" "$room/claims.md" && cmp -s docs/results/claims.md "$room/claims.md"
check 'a claim that is not measured keeps its row' $?
sed -i 's/at most 1"/at most 2"/' "$room/claims/claims.csv"
tools/page "$room/claims" "$room/claims.md" &&
  grep -qxF '| it is fast | A & B, 7 | time, at most 2 |  | not measured | `make it` |  |' "$room/claims.md"
check 'unless it is judged otherwise' $?
grep -qxF -- '- order: takes no times' docs/results/paper.md &&
  grep -qxF -- '- sweep: tasks of others that were ready to run beside it: 0.25' docs/results/paper.md
check 'a page says what ran beside what takes times' $?
! grep -qr '<!-- busy -->' README.md docs
check 'no page is of a busy machine' $?
grep -qxF '| 1e-02 | 2, 3 | 2, 3 | 4, 6 | 2, 3 | 2, 3 | 200, 200, 200, 200, 200 | 0 |' docs/results/accuracy.md
check 'errors by the tolerance have their page' $?
# a line for each, and no cell of another
robots_say() { while read -r said; do grep -qF -e "$said" docs/results/robots.md || echo "$said"; done; }
[ -z "$(robots_say <<'END'
| ant | 7 | 9 | 10 | 1.0e-06 | 1.00 | 1.0e-02 |
| ant | **0.5 (2)** |  | 3 [2, 4] (–) |  |  |
- At its own setting's error: ant (0.5), ant-twin (0.5), hopper (0.5),
the median error, over the error that was asked for, is 1 to 1.2 by MuJoCo and 0.5 to 0.9 by libess.
| ant | 2 | 1 | 0.1 | 0.1 | 0.8 | 0.1 | 0.1 | 4 | 1.5 |
| ant | 500 | 900 |  | 1000 |  |  |
- At its own setting's error: ant, ant-twin, hopper,
Everywhere else its cheapest steps are those of `dopri5`.
Every run comes to the end.
- At least half: ant (90 %), ant-twin (90 %),
There a looser tolerance saves next to nothing. With `chosen` the calls of the field, over those with `dopri5`, are 0.4 on ant, 0.4 on ant-twin,
| 6 | 1 | 2 | 2.00 [1.9, 2.1] | 0.50 [0.4, 0.6] | 1.0e-02 | 2.0e-02 |
One more leg costs libess 300 µs [200, 400].
END
)" ]
check 'robots have their page' $?
gradients_say() { while read -r said; do grep -qxF -e "$said" docs/results/gradients.md || echo "$said"; done; }
[ -z "$(gradients_say <<'END'
| ant | 12 | 0 | 0.1 | < 1e-05 % | – | < 1e-05 % | `mjd_transitionFD`, 2 ms | 1e-05 % |
| ant | 12 | 1 | 0.2 | 50 % | not finite | 25 % | differences by 0.001, 1 ms | 0.0001 % |
| ant | 0.2 | 2 | `mjd_transitionFD` | 50 % | – | – | – | – |
| ant | 0.2 | 2 | differences by 0.001 | not finite | 25 % | – | – | – |
- ant: compared up to 0.2 s. At 0.2345 s: left and right meet.
**At the model's own step, the product of `mjd_transitionFD`'s matrices is off by more than 10 % in 10 of 10 audits, and differences of whole runs in 10 of 10.**
END
)" ]
check 'audits of derivatives have their page' $?
mkdir "$room/untouched" && cp -r results/robots results/robot "$room/untouched"
sed -i 's/"acting": 1.5/"acting": 0.0/; s/"held_out": null/"held_out": 8/
  s/5e-4, "known": 10/5e-4, "known": 7/' "$room/untouched/robots/ant/robot.json"
cp docs/results/robots.md "$room/robots.md"
tools/page "$room/untouched" "$room/robots.md" && grep -q '^The costs of ant are left out' "$room/robots.md" &&
  ! grep -qF '| ant | 2 | 1 | 0.1 |' "$room/robots.md" && ! grep -q 'half: ant (90 %)' "$room/robots.md"
check 'costs of a motion that nothing touches are not told' $?
grep -qF '| 3 [2, 4] (–), 8 of 10 starts |' "$room/robots.md"
check 'a ratio of some starts says of how many' $?
grep -qxF -- '- ant: libess by chosen, tolerance: 0.1 (7).' "$room/robots.md"
check 'a base that fails from some starts is told, whichever is the cheapest' $?
grep -qxF '| `ball` | 1 | 7 | 9 | – |' docs/results/derivatives.md &&
  grep -qxF '| `slip` | theta = 0.25 | 2 | -0.500000 ± 0.250000i | stable |' docs/results/derivatives.md &&
  grep -qxF '| `slip --by angle --to 70` | 2 | 1 | 2 | stable → unstable | period doubling at 1.5 |' \
    docs/results/derivatives.md &&
  grep -qxF '| rigid | 4 | 0.6 | no | – | – | discontinuous | turns at ∓0.39 rad/s after both impacts |' \
    docs/results/derivatives.md &&
  grep -qxF '| one by one | projection, order 1 | tangents | 1.99 | 2.5e-10 | 4.1e-02 |' docs/results/derivatives.md
check 'derivatives have their page' $?
grep -qxF '| 1e-02 | 1e-03 | 300 | 1e-05 | 1e-06 | 600 | 0.50 |' docs/guide/sliding.md &&
  grep -qxF '| 1e-06 | 1e-06 | 900 | not reached | not reached | not reached | not reached |' docs/guide/sliding.md
check 'slides have their page' $?
grep -qxF '| runs that failed | 0 |' docs/results/ensembles.md
check 'ensembles have theirs' $?
[ -s results/report.html ]
check 'the report is written' $?

written() { # what tools/results says of pages: each, and what it is of
  sed -n '/^WRITTEN = /,/^\]$/p' tools/results >written.py
  python3 -B -c 'from written import WRITTEN
for page, parts in WRITTEN: print(page, *parts)'
}
again() { # every page, once more
  written | while read -r page _; do tools/page results "$page" || echo "$page failed"; done
}
[ -z "$(again)" ] && [ -z "$(git status --porcelain --untracked-files=no)" ] && [ "$(wc -l <written.py)" -gt 1 ]
check 'the tools a second time change nothing' $?

# a part: what reads it is written, and names the commit; all other pages stay as they are
git reset -q --hard "$commit"
cp -r results "$room/all"
rm -r results/sweep.* results/calibration.* results/robots/ant results/robot results/work_precision.*
tools/results --only speed,crossing_cost ./program >"$room/out" 2>&1
[ $? -eq 0 ] || { cat "$room/out"; false; }
check 'a part ends with 0' $?
[ "$(git log --format=%s -1)" = "Results of $(git rev-parse --short "$commit"): speed,crossing_cost" ]
check 'its commit says which' $?
touched=$(git show --format= --name-only HEAD)
! echo "$touched" | grep -q -e paper.md -e robots.md -e findings.md
check 'pages whose parts are not there stay' $?
echo "$touched" | grep -q '^docs/results/speed.md$' && grep -q 'MuJoCo takes 20 to 20 times' README.md &&
  grep -qF "ommit \`${commit:0:7}\`" docs/results/speed.md
check 'the page of the part has its numbers and commit' $?
stays() { grep -e '^\*\*Of 8 robots' -e '^- \*\*The paper' -e '^- \*\*Other methods' -e '^- \*\*Robots' "$@"; }
[ "$(stays README.md)" = "$(git show "$commit:README.md" | stays)" ] && [ "$(stays -c README.md)" -eq 4 ]
check 'in the README robots and what other parts lose stay' $?
lost "In 1 of 1 races at equal error libess's worst error is larger than MuJoCo's. The factor is at most 3."
lost 'In 1 of 1 races at equal error a method that looks for no contact is shown to be faster.'
grep -q '^results: nothing is written into docs/results/paper.md: calibration, sweep not measured$' "$room/out"
check 'what stays is told' $?
# a folder of speed alone has nothing to draw, which figures would refuse
git reset -q --hard "$commit"
find results -mindepth 1 -maxdepth 1 ! -name 'speed*' ! -name 'claims*' -exec rm -r {} +
: >"$room/asked"
tools/results --only speed ./program >"$room/out" 2>&1
[ $? -eq 0 ] && ! grep -q '^figures ' "$room/asked" || { cat "$room/out"; false; }
check 'a part without a figure asks for none' $?
tools/results --only sped ./program >"$room/out" 2>&1
[ $? -eq 2 ] && grep -q "^results: there is no part 'sped'; there are .*speed.*; usage: " "$room/out"
check 'a part that there is not' $?
rm -r results && mv "$room/all" results
git reset -q --hard "$commit"

# every page is of what is said: without a file of one of its parts it fails, and with all of them it does not
missing() {
  written | while read -r page parts; do
    for part in $parts; do
      rm -rf "$room/less" && mkdir "$room/less" && cp -r results/. "$room/less"
      rm -rf "$room/less/$part".* "$room/less/${part}"_* "$room/less/$part"
      # blocks of this one stay
      [ "$page" != README.md ] || continue
      tools/page "$room/less" "$page" 2>"$room/why" && echo "$page is not of $part"
      [ "$(wc -l <"$room/why")" -eq 1 ] || { echo "$page without $part:"; cat "$room/why"; }
    done
  done
}
missing >"$room/missing"
[ ! -s "$room/missing" ] || { cat "$room/missing"; false; }
check 'a page is of what is said, and tells in one line what is not there' $?
git reset -q --hard "$commit"

# a busy machine: nothing is published, unless that is asked for, and then the pages say it first
busy
cp -r results "$room/all"
rm results/crossing_cost.json
printf '#!/bin/sh\n[ $1 != crossing-cost ] || cp "%s/crossing_cost.json" results/\nexec ./program "$@"\n' "$room" >busy_program
cp results/scale.json "$room/crossing_cost.json"
chmod +x busy_program
tools/results --only crossing_cost ./busy_program >"$room/out" 2>&1
[ $? -eq 1 ] && grep -q '^results: beside crossing_cost 4.0 tasks of others were ready to run, so its times are not' "$room/out"
check 'times of a busy machine are not published' $?
[ "$(git rev-parse HEAD)" = "$commit" ] && [ -z "$(git status --porcelain --untracked-files=no)" ]
check 'nor is a page written' $?
: >"$room/asked"
tools/results --only crossing_cost ./busy_program >"$room/out" 2>&1
grep -q '^crossing-cost --out results --restart$' "$room/asked"
check 'they are measured again, from the beginning' $?
tools/results --busy --only crossing_cost ./busy_program >"$room/out" 2>&1
[ $? -eq 0 ] || { cat "$room/out"; false; }
check 'unless asked for' $?
said='**Times on this page are of a busy machine.** Tasks of others that were ready to run beside it: crossing_cost (4.0).'
[ "$(sed -n '3,4p' docs/results/findings.md)" = "<!-- busy -->
$said" ]
check 'the first line of the page says so' $?
! grep -qr '<!-- busy -->' README.md docs/results/paper.md docs/results/speed.md
check 'pages of other parts do not' $?
quiet
tools/results --only crossing_cost ./busy_program >"$room/out" 2>&1
[ $? -eq 0 ] && [ "$(sed -n 1,4p docs/results/findings.md)" = "$(sed -n 1,4p "$sources/docs/results/findings.md")" ]
check 'measured quietly the line goes' $?
rm -r results && mv "$room/all" results
git reset -q --hard "$commit"

# a minute of others is enough, whatever was before; less is not
late() {
  python3 -B -c 'import importlib.machinery, sys
sys.path.insert(0, sys.argv[1] + "/tools")
load = importlib.machinery.SourceFileLoader("results", sys.argv[1] + "/tools/results").load_module().Load()
for _ in range(1000): load.add(0)
for i in range(60):
    if load.is_busy(): break
    load.add(1)
print(i, load.is_busy())' "$sources" 2>/dev/null
}
[ "$(late)" = '31 True' ]
check 'a machine that gets busy is noticed while a study runs' $?

# processes of a study that prepare side by side are not others
own() {
  python3 -B -c 'import importlib.machinery, subprocess, sys, time
sys.path.insert(0, sys.argv[1] + "/tools")
Load = importlib.machinery.SourceFileLoader("results", sys.argv[1] + "/tools/results").load_module().Load
loop = [sys.executable, "-c", "while True: pass"]
study = subprocess.Popen(["sh", "-c", "\"$@\" & \"$@\" & exec \"$@\"", "sh", *loop], start_new_session=True)
time.sleep(1.0)
print(Load(session=study.pid).own(), Load(session=1 << 30).own())
import os, signal
os.killpg(study.pid, signal.SIGKILL)' "$sources"
}
[ "$(own 2>/dev/null)" = '3 1' ]
check 'what a study has ready itself is not told as others' $?

# what is there counts until what measures changes: pages and templates do not
results && results
[ $? -eq 0 ] && grep -q '^results: nothing has changed since these results were written$' "$room/out"
check 'the same once more changes nothing, and is no failure' $?
sed -i 's/^- \*\*Overhead\.\*\* {said}/- **Overhead.** So: {said}/' tools/README.page
git commit -qam 'another template'
: >"$room/asked"
results && [ -z "$(measured)" ] && git show --format= --name-only HEAD | grep -qx README.md
check 'another template alone: nothing is measured, and its page is published' $?
lost 'So: With 10 contacts libess spends 75 % of its time on'
grep -qF "ommit \`${commit:0:7}\`" docs/results/speed.md
check 'pages name the commit that was measured' $?
sed -i 's/"calibrate"/"calibrate --trials 9"/' tools/results
git commit -qam 'another choice'
python3 -c 'import json, sys
kept = json.load(open(sys.argv[1]))
kept["cost"]["calibration"]["asked"] = ["calibrate"]
json.dump(kept, open(sys.argv[1], "w"))' results/results.json
: >"$room/asked"
results
[ "$(measured)" = 'calibrate --trials 9 --out results' ]
check 'what is asked otherwise is measured again' $?
git reset -q --hard "$commit"
quietly
echo 'int two;' >integrator/code.c
git commit -qam 'another code'
: >"$room/asked"
results
grep -q '^sweep --protocol paper,equal-error --out results$' "$room/asked" && grep -q '^mujoco --out results' "$room/asked" &&
  grep -q '^work-precision --model plate --contacts 100 --out results' "$room/asked"
check 'of other code everything is measured' $?
git reset -q --hard "$commit"

# a page that cannot be filled stays: with --only those of other studies are no failure
cp -r results "$room/all"
sed -i 1s/solver/who/ results/sweep.csv
tools/results --only speed ./program >"$room/out" 2>&1
[ $? -eq 0 ] && grep -q '^results: tools/page results docs/results/paper.md failed, so what it writes stays$' "$room/out" &&
  git show --format= --name-only HEAD | grep -qx docs/results/speed.md
check 'a page of another study that cannot be filled is no failure' $?
git reset -q --hard "$commit"
results
[ $? -eq 1 ] && [ "$(tail -n 1 "$room/out")" = 'results: measured, and not written: docs/results/paper.md' ]
check 'one of what was measured is, at the end' $?
[ "$(git log --format=%s -1)" = "Results of ${commit:0:7}" ] && ! git show --format= --name-only HEAD | grep -q paper.md
check 'and the others are committed' $?
rm -r results && mv "$room/all" results
git reset -q --hard "$commit"

# one that fails ends all, with a line that names it; what is there stays
git reset -q --hard "$commit"
printf '#!/bin/sh\ncase $1 in speed) exit 3 ;; esac\n' >failing
chmod +x failing
quietly
rm results/speed.json
cp "$room/speed.json" results/speed.json.kept
tools/results ./failing >"$room/out" 2>&1
[ $? -eq 1 ] && grep -q '^results: essbench speed .* ended with status 3; what is measured is kept' "$room/out"
check 'a study that fails is named' $?
[ "$(git rev-parse HEAD)" = "$commit" ] && [ -z "$(git status --porcelain --untracked-files=no)" ]
check 'no page is written' $?
# an interrupt ends what runs; it comes when the program can be told
printf '#!/bin/sh\ntrap "kill \\$!; echo ended >>%s/ended; exit 143" TERM\n[ $1 != xml ] || exit 0\nsleep 60 & echo runs >>%s/running; wait\n' "$room" "$room" >failing
tools/results ./failing >"$room/out" 2>&1 &
for _ in $(seq 600); do
  [ "$(cat "$room/running" 2>/dev/null | wc -l)" -ge 1 ] && break
  sleep 0.1
done
kill -TERM $!
wait $!
[ $? -eq 1 ] && grep -q '^results: interrupted by signal 15; what is measured is kept' "$room/out"
check 'an interrupt is told' $?
[ "$(wc -l <"$room/ended")" -eq 1 ]
check 'what ran has ended' $?
mv results/speed.json.kept results/speed.json
quietly

# one value of what was measured, and what is said of it: claims are the program's
git reset -q --hard "$commit"
sed -i "/^case/i [ \$1 != claims ] || exec \"$essbench\" \"\$@\"" program
mkdir "$room/empty"
"$essbench" claims --out "$room/empty" >"$room/out"
mv "$room/empty/essbench.sqlite" results
put results order_fit.csv
second_order() { grep -F '| the projection is of second order in epsilon |' docs/results/claims.md; }
results && grep -q 'MuJoCo takes 20 to 20 times' README.md && second_order | grep -qF '| 2 | holds |'
check 'it says what was measured' $?
git reset -q --hard "$commit"
sed -i 's/,20,19.5,21,/,30,29.5,31,/' results/speed.csv
sed -i 's/^1,2.0,1.9,/1,1.5,1.4,/' results/order_fit.csv
put results order_fit.csv
results
check 'it runs with other values' $?
grep -q 'MuJoCo takes 30 to 30 times' README.md && ! grep -q 'MuJoCo takes 20 to 20 times' README.md
check 'a changed value changes the README' $?
grep -q 'MuJoCo takes 30 to 30 times' results/report.html && ! grep -q 'takes 20 to 20 times' results/report.html
check 'and the report' $?
second_order | grep -qF '| 1.5 | **fails** |'
check 'and the claim' $?
finish
