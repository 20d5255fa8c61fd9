#!/bin/bash
# What tools/page and the tools that write pages by themselves make of results, and tools/cover.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_tables.sh SOURCES
. "$(dirname "$0")/../support/check.sh"
sources=$1

# --- findings: the cheapest of each, the others over libess's, bold where they take less -----------
head='model,law,method,label,solver,variant,knob,status,contacts,value,rms_error,median_s,evaluations,rms_worst,coincides_with'
cat >"$room/work_precision.csv" <<END
$head
hopper,,libess,libess,libess,,tolerance,ok,1,0.01,0.005,0.0002,100,0.02,
hopper,,libess,libess,libess,,tolerance,ok,1,0.001,0.0005,0.0004,300,0.004,
hopper,,k,plain dopri5,plain-dopri5,,tolerance,crossings,1,0.001,0.06,0.0004,300,0.09,
hopper,,k,plain dopri5,plain-dopri5,,tolerance,failed,1,0.01,nan,0.0004,300,nan,
hopper,,a,a,location,,rtol,ok,1,0.1,0.006,0.0004,50
hopper,,a,a,location,,rtol,failed,1,0.1,0.0001,0.0001,1
hopper,,b,b,gsl,,rtol,ok,1,0.1,0.00005,0.001,900
hopper,,c,c,plain-euler,,time_step,ok,1,0.001,0.009,0.0008,200
hopper,,d,d,plain-rk4,,time_step,ok,1,0.001,0.009,0.0006,400
END
cat >"$room/crossing_cost.csv" <<END
contacts,solver,status,ns_per_crossing,evaluations_per_crossing
10,libess,ok,500,4.25
10,mujoco,ok,20000,9
10,location,not reached,1,1
END
cat >"$room/work_precision.json" <<END
{"cases": [{"name": "hopper", "trials": 12, "environment": {"git_commit": "0123456789", "mujoco": {"version": "4.0.0"},
  "compiler": "cc", "cores": 2, "cpu": "none", "date": "2000-01-01T00:00:00Z", "warnings": []}}]}
END
cp "$sources/docs/results/findings.md" "$room/page"
echo '{"trials": 12, "environment": {"git_commit": "0123456789", "compiler": "cc", "cores": 2, "cpu": "none",
  "date": "2000-01-01T00:00:00Z"}}' >"$room/crossing_cost.json"
"$sources/tools/page" "$room" "$room/page"
check 'the page of findings is filled' $?
grep -q '^| hopper | 1e-02 | 0.2 | 1e-02 | 3 |  |  | 2 |  | 5 |' "$room/page"
check 'times are over those of libess' $?
grep -q '^| hopper | 1e-02 | 100 | 1e-02 | 2 |  |  | \*\*0.50\*\* |' "$room/page"
check 'what is less is bold, and plain methods are one' $?
grep -q '^| hopper | 1e-03 | 0.4 | 1e-03 |  |  |  |  |  | 2.5 |' "$room/page"
check 'what failed is none' $?
grep -q '^| hopper | 1e-04 | not reached; gsl 1 ' "$room/page"
check 'who gets there alone is told' $?
grep -q '^| hopper | 1e-04: gsl | 1e-01: location 0.50; 1e-02: location 0.50; 1e-04: gsl |' "$room/page"
check 'where libess is not the cheapest is told' $?
grep -qxF -- '- hopper: libess takes the least time at 3 of 4 errors, and the fewest evaluations at 1 of 4 errors.' "$room/page"
check 'how often libess is first is told' $?
grep -q '^| location | 6.0e-03 (hopper) | 2 (hopper, 1e-02) to 2 (hopper, 1e-01) | 0.5 ' "$room/page"
check 'each other has its row' $?
grep -q '^| 10 | 500 | 4.25 |  |  |  |  |  |  |  |  |  |  | 40 |' "$room/page"
check 'crossings have their costs' $?
grep -qxF '| hopper | libess | 0.5, 2 | 0.5, 4 |  |  |  |' "$room/page" &&
  grep -qxF '| hopper | plain dopri5 |  | 60, 90 |  |  |  |' "$room/page"
check 'errors over the tolerance, also where crossings are missed' $?
grep -qxF -- '- libess: medians are 0.5 to 0.5 times the tolerance, and the worst start is 4 times.' "$room/page"
check 'and what lies between' $?
grep -q '^- hopper: commit `0123456`' "$room/page"
check 'the source is told' $?
cp "$room/page" "$room/again"
"$sources/tools/page" "$room" "$room/again" && cmp -s "$room/page" "$room/again"
check 'a second time changes nothing' $?
"$sources/tools/page" "$room/nowhere" "$room/page" 2>"$room/err"
[ $? -eq 1 ] && grep -q 'nowhere has no table ' "$room/err"
check 'what is missing is named' $?

# --- all of them: a wrong call ends with 2, one line, and how it is right --------------------------
wrong=0
for tool in report; do
  for words in --what 'a b c d'; do
    # shellcheck disable=SC2086 # words
    "$sources/tools/$tool" $words 2>"$room/err"
    if [ $? -ne 2 ] || [ "$(wc -l <"$room/err")" -ne 1 ] || ! grep -q "; usage: tools/$tool " "$room/err"; then
      echo "$tool $words: $(cat "$room/err")"
      wrong=1
    fi
  done
done
check 'a wrong call of a tool is told' $wrong

# --- speed: both engines set for the same error, and what is said beside it ----------------------
columns='model,field,solver,protocol,contacts,damping,stiffness,trials,processes,median_s,mujoco_s'
columns="$columns,mujoco_over_this,mujoco_over_this_lo,mujoco_over_this_hi,rms_error,rms_worst"
columns="$columns,mujoco_rms_error,mujoco_rms_worst,mujoco_variant,mujoco_time_step,bound_s,worse"
columns="$columns,plain_solver,plain_setting,plain_s,plain_over_this,plain_over_this_lo,plain_over_this_hi"
plate='plate,contacts,libess'
cat >"$room/speed.csv" <<END
$columns
hopper,,mujoco,equal-error,1,nan,800,5,2,1e-3,1e-3,1,1,1,0.01,0.01,0.01,0.01,Euler,0.002,nan,0,,nan,nan,nan,nan,nan
hopper,,libess,equal-error,1,nan,800,5,2,1e-5,1e-3,100,99,101,0.005,0.005,0.01,0.01,Euler,0.002,1e-6,0,plain-rk4,0.004,2e-5,2,1.9,2.1
$plate,equal-error,10,60,8000,5,2,2e-4,4e-3,20,19.5,21,0.01,0.09,0.02,0.03,Euler,0.002,5e-5,1,plain-dopri5,1e-4,1e-4,0.5,0.4,0.6
$plate,equal-median,10,60,8000,5,2,2e-4,3e-3,15,14,16,0.02,0.09,0.02,0.03,RK4,0.008,5e-5,0,plain-euler,0.002,5e-5,0.25,0.2,0.3
$plate,target-0.01,10,60,1e6,5,2,1e-3,7e-3,7,6,8,0.01,0.02,0.01,0.03,RK4,0.001,5e-5,0,,nan,nan,nan,nan,nan
$plate,error-0.1,10,60,8000,5,2,1e-3,nan,nan,nan,nan,0.01,0.02,nan,nan,,nan,5e-5,0,plain-euler,0.002,5e-4,0.5,0.4,0.6
$plate,error-0.01,10,60,8000,5,2,1e-3,nan,nan,nan,nan,0.01,0.02,nan,nan,,nan,5e-5,0,plain-dopri5,1e-4,2e-3,2,0.9,3
$plate,error-0.001,10,60,8000,5,2,1e-3,nan,nan,nan,nan,0.01,0.02,nan,nan,,nan,5e-5,0,plain-dopri5,1e-6,3e-3,3,2,4
$plate,error-0.0001,10,60,8000,5,2,1e-3,nan,nan,nan,nan,0.01,0.02,nan,nan,,nan,5e-5,0,,nan,nan,nan,nan,nan
$plate,error-0.1,1000,60,8000,5,2,1e-3,nan,nan,nan,nan,0.01,0.02,nan,nan,,nan,5e-5,0,plain-euler,0.002,5e-4,0.5,0.4,0.6
$plate,error-0.0001,1000,60,8000,5,2,1e-3,nan,nan,nan,nan,0.01,0.02,nan,nan,,nan,5e-5,0,plain-euler,0.002,5e-4,0.5,0.4,0.6
END
cat >"$room/speed.json" <<END
{"environment": {"git_commit": "0123456789", "mujoco": {"version": "4.0.0"}, "compiler": "cc", "cores": 2,
  "cpu": "none", "date": "2000-01-01T00:00:00Z", "warnings": ["it was noisy"]},
 "marginals": [{"field": "contacts", "s_per_contact": 2e-6, "interval": [1e-6, 3e-6],
  "mujoco_s_per_contact": 4e-5, "mujoco_interval": [3e-5, 5e-5], "share": 0.05, "share_interval": [0.04, 0.06]}]}
END
cp "$sources/README.md" "$room"
cp "$sources/docs/results/speed.md" "$room/speed"
"$sources/tools/page" "$room" "$room/README.md" "$room/speed"
check 'README and the page of speed are filled' $?
grep -q 'MuJoCo takes 20 to 100 times as long as libess\*\*' "$room/README.md" && grep -q 'MuJoCo takes 15 to 15 times as long' "$room/README.md"
check 'the verdict is of the rows' $?
grep -q 'The cheapest plain method on the same equations takes 0.5 to 2 times as long as libess\*\*' "$room/README.md" &&
  tr '\n' ' ' <"$room/README.md" |
    grep -q 'MuJoCo takes 15 to 15 times as long, and the cheapest plain method 0.25 to 0.25 times' &&
  grep -qF 'With 10 contacts a run takes MuJoCo 4000 µs, plain-dopri5 100 µs, and libess 200 µs.' "$room/README.md"
check 'the verdict has three numbers' $?
# at 1e-2 the interval has 1 in it, at 1e-4 no plain method gets there
row='| N = 10, c = 60 | 0.5 (libess 1000, plain-euler 500) | 2 (libess 1000, plain-dopri5 2000)'
row="$row | **3** (libess 1000, plain-dopri5 3000) | **libess 1000**, plain: not reached | 1e-3 |"
grep -qxF "$row" "$room/speed"
check 'from which error on libess is the fastest is by the intervals' $?
tr '\n' ' ' <"$room/README.md" | grep -qF 'For large errors a plain method is the fastest, for small ones libess. libess takes over at a median error of 1e-3 with 10 contacts. With 1000 it is shown to be the fastest nowhere.'
check 'and the rule is what the table says' $?
grep -qxF '| hopper |  | 10.0 | 1000 | 100.0 [99.0, 101.0] | 0.005 (0.005) | 0.01 (0.01) |  | 20.0 (plain-rk4, 4 ms): 2 [1.9, 2.1] |  |' "$room/speed"
check 'a system without an equal median has its row' $?
row='| N = 10, c = 60 | contacts | 200 | 4000 | 20.0 [19.5, 21.0] | 0.01 (0.09) | 0.02 (0.03) |'
row="$row 15.0 [14.0, 16.0], RK4 8 ms | 100 (plain-dopri5, 1.0e-04): 0.5 [0.4, 0.6]"
grep -qxF "$row | 50.0 (plain-euler, 2 ms): 0.25 [0.2, 0.3] |" "$room/speed"
check "MuJoCo's own choice stands beside" $?
grep -qF '| N = 10, c = 60, k = 1e6, error 0.01 | contacts | 1000 |' "$room/speed"
check 'stiff springs are named' $?
[ "$(sed -n '/<!-- race:/,/<!-- end -->/p' "$room/speed" | sed '1,/^-->/d' | wc -l)" -eq 6 ]
check 'no other row' $?
grep -qxF '| hopper | 10.0 | 1000 | 100.0 [99.0, 101.0] | 20.0 (plain-rk4, 4 ms): 2 [1.9, 2.1] |' "$room/README.md" &&
  [ "$(sed -n '/<!-- headline -->/,/<!-- end -->/p' "$room/README.md" | wc -l)" -eq 7 ]
check 'the README has the short of it' $?
grep -q '^Commit `0123456`, .*; 5 starts, 2 processes; it was noisy\.$' "$room/speed"
check 'the source of the headline is told' $?
grep -qxF "| time of the callbacks, of libess's | 50.0 of 200 µs, N = 10 |  |" "$room/speed"
check 'work is told' $?
grep -qF '| 3.00 (N = 10, c = 60) |' "$room/speed"
check 'what is worse after all is told' $?
grep -qF '| 2 [1, 3] |  |' "$room/speed"
check 'one more contact is told' $?
mkdir "$room/again.d" && cp "$room/README.md" "$room/again.d"
"$sources/tools/page" "$room" "$room/again.d/README.md" && cmp -s "$room/README.md" "$room/again.d/README.md"
check 'the README stays' $?
mkdir "$room/profiled" && cp "$room"/speed.* "$room/profiled"
cat >"$room/profiled/mujoco_profile.csv" <<END
contacts,base,timer,part_of,share
2,race,constraint,,1
10,race,step,,1
10,race,col_broad,step,0.2
10,race,col_narrow,step,0.3
10,race,pos_make,step,0.15
10,race,constraint,step,0.25
10,race,rest,step,0.1
10,mujoco,constraint,,1
END
cp "$room/README.md" "$room/profiled"
"$sources/tools/page" "$room/profiled" "$room/profiled/README.md"
said="With 10 contacts MuJoCo's time is 50 % collision, 15 % making constraints, 25 % the constraint solver, and 10 %"
tr '\n' ' ' <"$room/profiled/README.md" | grep -qF "$said the rest."
check "what MuJoCo's time is made of, of the most contacts and the race's settings" $?
cp "$room/profiled/README.md" "$room/again.d"
"$sources/tools/page" "$room" "$room/again.d/README.md" && cmp -s "$room/profiled/README.md" "$room/again.d/README.md"
check 'and without a profile it stays' $?
cp "$sources/README.md" "$room/again.d"
"$sources/tools/page" --without sweep,work_precision,robots "$room" "$room/again.d/README.md" &&
  diff "$sources/README.md" "$room/again.d/README.md" | grep -q '^> - \*\*Plain' &&
  ! diff "$sources/README.md" "$room/again.d/README.md" | grep -q -e 'paper' -e 'Other' -e 'Robots'
check 'losses of a part alone leave the others' $?
lost() { # what a query says of a folder
  printf '<!-- lost: SELECT said FROM lost_plain; -->\n<!-- end -->\n' >"$room/lost"
  "$sources/tools/page" "$1" "$room/lost" && sed -n 2p "$room/lost"
}
said='a method that looks for no contact is shown to be faster.'
[ "$(lost "$room")" = "In 1 of 2 races at equal error $said At most it saves 50 % of libess's time (plain-dopri5, N = 10, c = 60)." ]
check 'where plain methods are faster is told' $?
mkdir "$room/undecided" && sed 's/,0\.4,0\.6$/,0.4,1.1/' "$room/speed.csv" >"$room/undecided/speed.csv"
[ "$(lost "$room/undecided")" = "In 0 of 2 races at equal error $said" ]
check 'and an interval that holds 1 is none' $?

# --- mujoco: every setting of MuJoCo's, and where its time goes ---------------------------------
cat >"$room/mujoco_settings.csv" <<END
model,contacts,base,changes,median_s,ratio,ratio_lo,ratio_hi,difference,rms_error,confirmed,verdict
hopper,1,mujoco,,0.0008,1.25,1.2,1.3,0,0.002,nan,slower
hopper,1,race,,0.00064,1,1,1,1e-11,0.002,nan,the race's
hopper,1,race,timestep=0.004,0.00032,0.5,0.49,0.51,0.4,0.004,nan,changes the trajectory
hopper,1,race,ls_iterations=5,0.00063,0.984,0.95,1.01,1e-11,0.002,nan,no difference shown
hopper,1,race,Passive=on,nan,nan,nan,nan,nan,0.002,nan,left out
plate,10,mujoco,,0.0024,1.5,1.4,1.6,0,0.002,nan,slower
plate,10,race,,0.0016,1,1,1,2e-11,0.002,nan,the race's
plate,10,race,timestep=0.004,0.0008,0.5,0.49,0.51,0.3,0.004,nan,changes the trajectory
plate,10,race,ls_iterations=5,0.00162,1.0125,0.99,1.02,1e-11,0.002,nan,no difference shown
plate,10,race,Passive=on,nan,nan,nan,nan,nan,0.002,nan,left out
END
cat >"$room/mujoco_profile.csv" <<END
model,contacts,base,timer,part_of,net_s,share,run_s,timers_cost,reading_s
hopper,1,race,step,,7e-7,1,7.1e-7,2,2.5e-8
hopper,1,race,rest,step,7e-8,0.1,7.1e-7,2,2.5e-8
hopper,1,race,forward,step,6.3e-7,0.9,7.1e-7,2,2.5e-8
hopper,1,race,rest,forward,1.4e-7,0.2,7.1e-7,2,2.5e-8
hopper,1,race,constraint,forward,4.9e-7,0.7,7.1e-7,2,2.5e-8
hopper,1,mujoco,step,,8e-7,1,9e-7,2,2.5e-8
hopper,1,mujoco,constraint,step,4e-7,0.5,9e-7,2,2.5e-8
END
cat >"$room/mujoco_settings.json" <<END
{"trials": 24, "unchanged": 1e-9, "minimum_effect": 0.05, "environment": {"git_commit": "0123456789",
  "mujoco": {"version": "4.0.0"}, "compiler": "cc", "cores": 2, "cpu": "none", "date": "2000-01-01T00:00:00Z",
  "warnings": []}}
END
cp "$sources/docs/results/mujoco.md" "$room/mujoco"
page() { "$sources/tools/page" "$room" "$room/mujoco"; }
page
check 'the page of MuJoCo is filled' $?
grep -qxF "| **the race's** | 0.640 (1.00) | 1.600 (1.00) | 2.0e-11 |" "$room/mujoco"
check 'a setting has its times and the largest difference' $?
grep -qxF '| `timestep=0.004` | 0.320 (0.50) | 0.800 (0.50) | **4.0e-01** |' "$room/mujoco"
check 'the step is a setting that makes another trajectory' $?
grep -qxF '| `Passive=on` |  |  | left out |' "$room/mujoco"
check 'what is left out has no time' $?
grep -qF 'the fastest is `ls_iterations=5` (hopper).' "$room/mujoco" &&
  grep -q "^No setting is faster than the race's by more than 5 % in both" "$room/mujoco"
check 'who comes nearest is told' $?
grep -qxF "| constraint solver | 70.0 % | 50.0 % |" "$room/mujoco" && grep -qxF '| the rest | 30.0 % | 0.0 % |' "$room/mujoco"
check 'shares are of the timers without parts' $?
grep -qxF '| a step by the timers, without readings (µs) | 0.700 | 0.800 |' "$room/mujoco"
check 'the cost of timers is told' $?
grep -q '^Commit `0123456`, MuJoCo 4.0.0, .*; 24 starts; no warning\.$' "$room/mujoco"
check 'the source of the settings is told' $?
cp "$room/mujoco" "$room/again"
page && cmp -s "$room/mujoco" "$room/again"
check 'the page stays' $?
grep -qxF -- '- `timestep=0.004`, twice the step: 0.50 times the race'"'"'s time, and 2 times its error.' "$room/mujoco"
check 'what a step costs and gives is told' $?
before='0.00063,0.984,0.95,1.01,1e-11,0.002,nan,no difference shown'
sed -i "s/^hopper,1,race,ls_iterations=5,$before/hopper,1,race,ls_iterations=5,0.00056,0.875,0.86,0.89,1e-11,0.002,0.881,faster/" \
  "$room/mujoco_settings.csv"
page && grep -qxF '| `ls_iterations=5` | 0.560 (**0.88**) | 1.620 (1.01) | 1.0e-11 |' "$room/mujoco"
check 'another value is another page' $?
grep -qF 'holds MuJoCo back.** Faster by more than 5 %, in both sessions: `ls_iterations=5` (hopper: 0.881)' "$room/mujoco"
check 'a faster one is told' $?

# --- mechanisms: the papers' examples, rigid against soft --------------------------------------------------------------------
cp "$sources/tests/tools/rigid_soft.csv" "$room/rigid_soft.csv"
sed 's/Euler/implicitfast/' "$room/rigid_soft.csv" | grep implicitfast >>"$room/rigid_soft.csv.same"
cat "$room/rigid_soft.csv.same" >>"$room/rigid_soft.csv"
cp "$room/speed.json" "$room/rigid_soft.json"
cp "$sources"/tests/tools/contact_modes*.csv "$room"
cp "$room/speed.json" "$room/contact_modes.json"
cp "$sources/docs/results/mechanisms.md" "$room/contacts"
page() { "$sources/tools/page" "$room" "$room/contacts"; }
page
check 'the page of mechanisms is filled' $?
grep -qxF '| 2 | 1e6 | -2.0e-4 | 1.8e-3 | 0.6966 | 1.370 | 0.00650 | 11776 | 1000 |' "$room/contacts"
check 'a spring of the block' $?
grep -qxF '| rigid | 0.12794 |  | 79 | 12 |' "$room/contacts"
check 'a landing on rigid limbs' $?
grep -qxF '| Euler | 2 | 9.3e-3 | 400 | 2.8 ms | 5.5e-3 | 1.8e4 | 3.2e-2 | own, 5.7 ms | -1.1e-3 | 8.0e-4 | 0.6983 | 0.900 | 280 |' \
  "$room/contacts"
check 'MuJoCo at a step' $?
grep -qF '| none is stable |  | none is stable |  | ζ = 10, k = 1.0e4 |' "$room/contacts"
check 'where none is stable it is told' $?
grep -qxF '| block | 1e-03 | not reached |  | Euler, 2 ms, own, 5.7 ms | 280 | 2000 |' "$room/contacts"
check 'the cheapest within an error is told' $?
grep -qxF 'implicitfast gives what Euler gives, and is left out.' "$room/contacts"
check 'an integrator like another one is left out' $?
[ "$(grep -c '^Measured at commit `0123456`' "$room/contacts")" -eq 2 ]
check 'both sources are told' $?
said() {
  grep -qxF -e "$1" "$room/contacts"
  check "$1" $?
}
said '| `hill --slope 30 --speed 1` | leaves at | 0.75 m/s | 0.75 m/s | yes |'
said '| `hill --speed 0.1` | it rests at speed | 0 m/s | 0 m/s | yes |'
said '| `rocking-block --tilt 0.2` | second | 0.218653 s | 0.3 s | **no** |'
said '| `ball-under-ceiling` | `{} {1} {}` | the same |'
said '| `rhex --scenario vertical` | in kind | `{nose, tail} {}` |'
said '| 0.03 | 3 | 0.150000 | 5.0 | 1.9e-2 |'
said '| 0.0001 | 19 | 0.000500 | 5.0 | 0 |'
said '| 0 | 2 | 0.3 |'
said '| 0.03 | 1 | 0.25 |'
said 'There were 4 arrivals at 2 slopes. In all but 1 of them the point rests or climbs as g δ_t tan θ says.'
said 'Bisection finds the same speed at every slope, to a part in 2e4.'
gets='gets no closer than 1.8e-3 rad (at 1e6 N/m), and is off by 1.8e-3 rad at 1e6 N/m'
said "- ζ = 2: the path is off by 1.8e-3 rad at 1e6 N/m. It $gets."
said "- ζ = 2: the stiffest springs give another rate than the rigid limbs', 0.13897 beside 0.12794 rad/s."
said '- block, default: off by 9.3e-3 rad at every step.'
said '- block, stiffest stable contact: in 1 of 2 cases it is farther off than the default.'
said "- landing, closest contact: in 0 of 1 cases it is MuJoCo's own. It is off by 4.6e-3 rad at 2 ms, and by 4.6e-3 rad at 2 ms."
none='neither reaches 1e-04, 1e-05, 1e-06 rad.'
said "- block, soft contacts: MuJoCo is cheaper at 1e-02, 1e-03 rad; $none"
said '- block, rigid contacts: they are exact, and cheaper than both at 1e-04, 1e-05, 1e-06 rad.'
cp "$room/contacts" "$room/again"
page && cmp -s "$room/contacts" "$room/again"
check 'the page of contacts stays' $?
sed -i '/^block,libess,springs/s/1.8e-3/1.8e-4/' "$room/rigid_soft.csv"
page && grep -qxF '| block | 1e-03 | ζ = 2, k = 1.0e6 | 1000 | Euler, 2 ms, own, 5.7 ms | 280 | 2000 |' "$room/contacts"
check 'another value is another page of contacts' $?
sed -i '/^block,libess,springs/s/,0.001$/,0.0001/' "$room/rigid_soft.csv"
page
said "- block, soft contacts: libess's springs are cheaper at 1e-02, 1e-03 rad; $none"

# --- accuracy: what a tolerance gives, and an epsilon --------------------------------------------------
built='"environment": {"git_commit": "0123456789", "compiler": "cc", "cores": 2, "cpu": "none", "warnings": [],
  "date": "2000-01-01T00:00:00Z"}'
cp "$sources/tests/plots/tables/tolerance.csv" "$room"
echo "{\"command\": \"tolerance\", \"trials\": 200, $built}" >"$room/tolerance.json"
cat >"$room/scale.json" <<END
{"command": "scale", "trials": 3, $built, "cases": [{"contacts": 100, "reference_events": [400, 402],
 "crossing_distance": {"q10": 1e-3, "median": 2e-3, "q90": 3e-3}, "series": [
 {"projection_order": 1, "slope": 2.001, "slope_interval": [1.9, 2.1], "plateau_rms_error": 0.02,
  "exact_epsilon": 0.01},
 {"projection_order": 2, "slope": null, "slope_interval": null, "plateau_rms_error": 1e-4, "exact_epsilon": 0}]}]}
END
cp "$sources/docs/results/accuracy.md" "$room/accuracy"
page() { "$sources/tools/page" "$room" "$room/accuracy"; }
page
check 'the page of accuracy is filled' $?
grep -qxF '| 1e-02 | 2, 3 | 2, 3 | 4, 6 | 2, 3 | 2, 3 | 200, 200, 200, 200, 200 | 0 |' "$room/accuracy"
check 'errors over the tolerance and calls' $?
grep -qF '1e-02 to 1e-06: the median error is 2 to 6 times' "$room/accuracy"
check 'what errors lie between' $?
grep -qxF -e '- Each median is over 200 starts.' "$room/accuracy"
check 'how many starts they are of' $?
grep -qxF '| 100 | 401 | 0.002 | 1 | 0.02 | 2.001 | 1.900 to 2.100 | 0.01 |' "$room/accuracy"
check 'an order by epsilon' $?
grep -qxF '| 100 | 401 | 0.002 | 2 | 0.0001 |  |  |  |' "$room/accuracy"
check 'an order without a slope' $?
grep -qF 'takes 1 to 1 times as many calls' "$room/accuracy"
check 'calls beside those of location' $?
cp "$room/accuracy" "$room/again"
page && cmp -s "$room/accuracy" "$room/again"
check 'the page of accuracy stays' $?
sed -i 's/^\(2,60,1e-02,200,0,.*\),2,3,4,7,200,\(.*\),1$/\1,7,3,4,7,200,\2,1.5/' "$room/tolerance.csv"
page && grep -qF '1e-02 to 1e-06: the median error is 2 to 7 times' "$room/accuracy" &&
  grep -qF 'takes 1 to 1.5 times as many calls' "$room/accuracy"
check 'another value is another page of accuracy' $?
"$sources/tools/page" "$room/nowhere" "$room/accuracy" 2>"$room/err"
[ $? -eq 1 ] && grep -q 'page: .*accuracy: .*nowhere has no table ' "$room/err" && [ "$(wc -l <"$room/err")" -eq 1 ]
check 'missing tolerances are named' $?
for spoil in ':scale.json' '{"trials":scale.json' 's/^tolerance,/tol,/;s/,damping,/,d,/:tolerance.csv'; do
  rm -rf "$room/spoilt" && mkdir "$room/spoilt" && cp "$room"/tolerance.* "$room/scale.json" "$room/spoilt"
  file=$room/spoilt/${spoil##*:}
  case $spoil in s/*) sed -i "${spoil%:*}" "$file" ;; *) echo "${spoil%:*}" >"$file" ;; esac
  cp "$room/accuracy" "$room/spoilt/page"
  "$sources/tools/page" "$room/spoilt" "$room/spoilt/page" 2>"$room/err"
  [ $? -eq 1 ] && [ "$(wc -l <"$room/err")" -eq 1 ] && cmp -s "$room/accuracy" "$room/spoilt/page"
  check "spoilt results: one line, and the page stays: $spoil" $?
done
"$sources/tools/page" "$room" 2>"$room/err"
[ $? -eq 2 ] && grep -q 'usage: tools/page .*RESULTS PAGE' "$room/err"
check 'a folder without a page is refused' $?

# --- durations: of what make results ran; the others keep theirs -------------------------------------
cp "$sources/docs/guide/running.md" "$room/running"
took() { # part seconds ...
  local parts=
  for ((; $# > 1; )); do
    parts="$parts${parts:+, }\"$1\": {\"wall_s\": $2}"
    shift 2
  done
  echo "{\"cost\": {$parts}}" >"$room/results.json"
  "$sources/tools/page" "$room" "$room/running"
}
took sweep 659.7 order 0.2 limbs 89
check 'durations are filled' $?
grep -qxF '| `make sweep` | 11 min |' "$room/running" && grep -qxF '| `make order` | 1 s |' "$room/running" &&
  grep -qxF '| `make limbs` | 89 s |' "$room/running"
check 'durations are told in minutes and seconds' $?
took sweep 540 && grep -qxF '| `make sweep` | 9 min |' "$room/running" &&
  grep -qxF '| `make limbs` | 89 s |' "$room/running"
check 'what has not run keeps its duration' $?

# --- cover ------------------------------------------------------------------------------------------
sweep() { # folder, median in ms, ratio
  mkdir -p "$room/$1"
  cat >"$room/$1/sweep.json" <<END
{"benchmarks": [{"name": "a", "real_time": $2, "real_time_lo": 0.9, "real_time_hi": 1.1}],
 "ratios": [{"contacts": 2, "solver": "libess", "protocol": "paper", "mujoco_over_projection": $3,
   "interval": [9.0, 11.0]}]}
END
}
sweep a 1.0 10.0
sweep b 1.05 10.5
sweep c 1.05 11.5
"$sources/tools/cover" "$room/a" "$room/b" >"$room/out"
check 'runs that cover each other do' $?
"$sources/tools/cover" "$room/a" "$room/c" >"$room/out"
[ $? -eq 1 ] && grep -q "^ratio: 1 cells; A's interval holds B's median in 0.0 %, B's A's in 100.0 %" "$room/out"
check 'others do not' $?
"$sources/tools/cover" "$room/a" 2>/dev/null
[ $? -eq 2 ]
check 'one folder is too few' $?

# --- many-robots: a row for each, and how many references are good ----------------------------------
mkdir "$room/many-robots"
cat >"$room/many-robots/robots.json" <<END
{"environment": {"git_commit": "0123456789", "mujoco": {"version": "4.0.0"}, "compiler": "cc", "cores": 2,
  "cpu": "none", "date": "2000-01-01T00:00:00Z", "warnings": []},
 "models": [
  {"model": ".deps/many-robots/a/spot/scene.xml", "status": "to the end", "answered": true, "whole": true,
   "reference": 5e-4, "base": 0.0015, "joint": "hip", "joint_off": 0.02, "unit": "rad", "from": 0.1, "ratio": 2.5},
  {"model": ".deps/many-robots/b/suite/walker.xml", "status": "to the end", "answered": true, "whole": true,
   "reference": 2e-3, "base": null, "joint": "z", "joint_off": 0.001, "unit": "m", "from": 0.2, "ratio": null},
  {"model": ".deps/many-robots/b/suite/stacker.xml", "status": "to 0.4 s: chatters", "answered": true, "whole": false,
   "reference": 1e-4, "base": null, "joint": "", "joint_off": null, "unit": "", "from": null, "ratio": 0.5},
  {"model": ".deps/many-robots/c/gone.xml", "status": "failed: no such file", "answered": false, "whole": false,
   "reference": null, "base": null, "joint": "", "joint_off": null, "unit": "", "from": null, "ratio": null}]}
END
cp "$sources/docs/results/many-robots.md" "$room/page"
"$sources/tools/page" "$room" "$room/page"
check 'the page of many robots is filled' $?
grep -qxF '| a: spot | 1.5 | 20 mrad (hip) | 0.1 | 2.5 | 5e-04 | to the end |' "$room/page" &&
  grep -qxF '| b: walker |  | 1 mm (z) | 0.2 |  | 2e-03 | to the end |' "$room/page" &&
  grep -qxF '| c: gone |  |  |  |  |  | failed: no such file |' "$room/page"
check 'its rows' $?
grep -q '^Of 4 robots 3 have an answer, 2 of them for the whole second. The references of \*\*1\*\* are' "$room/page" &&
  grep -qxF 'The others that come to the end: b: walker (2e-03).' "$room/page"
check 'a reference that ends early, or is not good enough, does not count' $?
grep -q '^Measured at commit `0123456`' "$room/page"
check 'and where it is from' $?

# --- python: what the package is to reach, and who errs less ------------------------------------
cat >"$room/python.json" <<END
{"environment": {"git_commit": "0123456789", "compiler": "Python 3", "cores": 2, "cpu": "none",
  "date": "2000-01-01T00:00:00Z", "warnings": []}, "rounds": 3,
 "cases": [
  {"case": "ball", "way": "scipy", "tolerance": 1e-6, "ms": 8, "error": 1e-9, "calls": 40, "factor": 1,
   "factor_least": 1, "factor_most": 1},
  {"case": "ball", "way": "ess", "tolerance": 1e-6, "ms": 4, "error": 1e-8, "calls": 20, "factor": 2,
   "factor_least": 1.5, "factor_most": 2.5},
  {"case": "ball", "way": "numba", "tolerance": 1e-6, "ms": 1, "error": 1e-8, "calls": 20, "factor": 8,
   "factor_least": 7, "factor_most": 9}],
 "callbacks": [{"case": "f", "alone_us": 0.25, "scipy_us": 4, "ess_us": 6, "ratio": 1.5}]}
END
cp "$sources/docs/results/python.md" "$room/page"
"$sources/tools/page" "$room" "$room/page"
check 'the page of Python is filled' $?
grep -qxF -- '- ess, Python: faster than SciPy on all 1; least on ball, by 2.0.' "$room/page" &&
  grep -qxF -- '- ess, numba: at least 10 times as fast as SciPy not on ball; least on ball, by 8.0.' "$room/page"
check 'what is reached and what is not' $?
grep -qxF -- '- At the same tolerance ess errs more than SciPy on ball.' "$room/page" &&
  grep -qxF -- "- At no tolerance does ess come down to SciPy's error on ball." "$room/page"
check 'errors are told where SciPy errs less' $?
grep -qxF '| ball | ess, Python | 1e-06 | 4 | 1.0e-08 | 20 | 2.0 (1.5 to 2.5) |' "$room/page" &&
  grep -qxF '| f | 0.25 | 4.00 | 6.00 | 1.50 |' "$room/page"
check 'its tables' $?
grep -q '^Commit `0123456`, Python 3, 2 cores (none), 2000-01-01; no warning; medians of 3 rounds' "$room/page"
check 'the commit, versions and machine' $?

finish
