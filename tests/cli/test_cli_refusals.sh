#!/bin/sh
# Bad input to essbench: exactly one line on the standard error that names what was wrong, nothing
# on the standard output, exit status 2 for a command that cannot be and 1 for one that failed, and
# results already there byte for byte as they were.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$(dirname "$0")/../support/cli_room.sh"

# earlier results, true and made up; a file where a folder would be needed
run order --out results
expect "results to begin with" success
run work-precision --model affine3 --trials 1 --methods hybrid --out precision
expect "points to begin with" success
echo '{"epsilon": 0.002657}' >results/calibration.json
for name in sweep.csv sweep_samples.csv sweep.json calibration.csv; do
  echo "earlier $name" >results/$name
done
echo earlier >file
before=$(fingerprint)

# $1 is the exit status, $2 words of the line, the rest the command's words
refuses() {
  wanted=$1
  words=$2
  shift 2
  run "$@"
  expect_refusal "$wanted" "$words" "$*"
}

# --- commands and options -------------------------------------------------------------------------

refuses 2 'see essbench --help'
refuses 2 'nosuch is not a command; see essbench --help' nosuch
refuses 2 'an empty word is not a command' ''
refuses 2 'a?b is not a command' 'a
b'
refuses 2 'is not a command' --versions
for command in run xml order calibrate sweep figures compare work-precision crossing-cost speed scale tolerance; do
  refuses 2 "unknown option --nosuch; see essbench $command --help" "$command" --nosuch
  refuses 2 'unknown option -x' "$command" -x
done
refuses 2 'unknown option --epsil' run --epsil 1e-3
refuses 2 '--json takes no value' run --json=yes
refuses 2 '--help takes no value' run --help=yes
refuses 2 '--epsilon needs a value' run --epsilon
refuses 2 '--out needs a value' order --out
refuses 2 '-o needs a value' xml plate -o
refuses 2 'unknown option -o' run -o file
refuses 2 'essbench robot: --compare does not go with --race' robot model.xml --race --compare
refuses 2 'essbench robot: --derivative does not go with --race' robot --race model.xml --derivative
refuses 2 'plate is not accepted; --model plate is' run plate
refuses 2 'plate is not accepted; see essbench speed --help' speed plate
refuses 2 '- is not accepted' run -
refuses 2 'x is not accepted' run -- x
refuses 2 'MODEL is missing' xml
refuses 2 'rnu is not a command; did you mean run? see essbench --help' help rnu
refuses 2 'sweep is not accepted after help run; one command is' help run sweep
refuses 2 'hopper is not accepted after plate; see essbench xml --help' xml plate hopper
refuses 2 'A is missing' compare
refuses 2 'B is missing' compare results

# --- what was meant -------------------------------------------------------------------------------

refuses 2 'rnu is not a command; did you mean run? see essbench --help' rnu
refuses 2 '--hlep is not a command; did you mean --help? see essbench --help' --hlep
refuses 2 'unknown option --epsil; did you mean --epsilon? see essbench run --help' run --epsil 1e-3
refuses 2 'unknown option --slover=x; did you mean --solver? see' run --slover=x
refuses 2 'unknown option --trails; did you mean --trials? see' sweep --trails 3
refuses 2 'model plaet is not accepted; did you mean plate? there are' run --model plaet
refuses 2 'model hoper is not accepted; did you mean hopper? there are' xml hoper
refuses 2 '--solver mujocco is not accepted; did you mean mujoco? there are' run --solver mujocco
refuses 2 '--solvers libes is not accepted; did you mean libess? there' sweep --solvers mujoco,libes
refuses 2 '--variant euler2 is not accepted; did you mean Euler? it is' run --solver mujoco --variant euler2
refuses 2 '--methods hybird is not accepted; did you mean hybrid? there' work-precision --methods hybird
refuses 2 '--protocol papre is not accepted; did you mean paper? there' sweep --protocol papre,free
refuses 2 'swep is not a study; did you mean sweep? there are' columns swep
refuses 2 '--outcome crossing is not accepted; did you mean crossings? there' ensemble --outcome crossing
# an option of other commands is no slip of the finger
refuses 2 'unknown option --seed; see essbench run --help' run --seed 3
refuses 2 'unknown option --trials; see essbench run --help' run --trials 3
refuses 2 'unknown option --sed; did you mean --seed? see essbench sweep --help' sweep --sed 3
# nobody is asked for an option that only the program itself gives
refuses 2 'unknown option --pary; see' sweep --pary

# --- orbits ---------------------------------------------------------------------------------------


# --- models, solvers and their numbers ------------------------------------------------------------

refuses 2 'model nosuch is not accepted; there are affine3, ball' run --model nosuch
refuses 2 'model nosuch is not accepted' xml nosuch
refuses 2 'model ?[31m is not accepted' run --model "$(printf '\033[31m')"
refuses 2 '--solver nosuch is not accepted; there are libess, projection' run --solver nosuch
refuses 2 'mujoco-callback: affine3 has no contact force' run --model affine3 --solver mujoco-callback
refuses 2 'model robot is not accepted; there are affine3, ball, ball-under-ceiling, belt, blocks, block-on-springs, hill, hopper, legged,' run --model robot
refuses 2 'mujoco-callback: legged has no contact force' sweep --model legged --solvers mujoco-callback
refuses 2 'mujoco-callback: affine3 has no contact force' work-precision --model affine3 --methods mujoco-callback-Euler
refuses 2 'corners of block-on-springs stick' run --model block-on-springs --solver mujoco-callback
refuses 2 'affine3 has no such parameter' run --model affine3 --contacts 3
for contacts in 0 -1 1000000000 99999999999999999999 2.5 1e99 ten '' ' 2' 0x10 nan 2,5; do
  refuses 2 '--contacts: ' run --contacts "$contacts"
done
for epsilon in 0 -0 -1 nan -nan inf abc 1,5 1e400 1e-400 '' ' 1' '1 ' 1e 1m; do
  refuses 2 'it is a finite number > 0' run --epsilon "$epsilon"
  refuses 2 'it is a finite number > 0' sweep --epsilon="$epsilon"
done
for damping in -1 -1e-300 nan inf 1e10 1,5; do
  refuses 2 '--damping: ' run --damping "$damping"
done
refuses 2 '--rtol nan is not accepted' run --rtol nan
refuses 2 '--rtol -1e-9 is not accepted' run --rtol -1e-9
refuses 2 '--atol 0 is not accepted' run --atol 0
refuses 2 '--h-max 0 is not accepted' run --h-max 0
refuses 2 '--projection-max -1 is not accepted' run --projection-max -1
refuses 2 '--tolerance 0 is not accepted' run --tolerance 0
refuses 2 '--tolerance 1 is not accepted' run --tolerance 1
for paper in '--epsilon 1e-3' '--projection-max inf' '--projection-order 2'; do
  # shellcheck disable=SC2086 # an option and its value
  refuses 2 "${paper% *} belongs to the paper's method, and --tolerance to libess, if no --solver is given; add --solver projection, or leave out ${paper% *}" \
    run --tolerance 1e-4 $paper
done
refuses 2 '--projection-order 3 is not accepted' run --projection-order 3
for gone in approach together epsilon-time rearm; do
  refuses 2 "unknown option --$gone" run --$gone 1
done
refuses 2 '--time-step nan is not accepted' run --time-step nan
refuses 2 '--scaling 0.5 is not accepted' run --scaling 0.5
refuses 2 '--law: glue is not accepted; it is roller or paper' run --law glue
refuses 2 '--duration 0.0013 is not accepted; it is a multiple' run --duration 0.0013
refuses 2 '--duration: -2 is not accepted' run --duration -2
refuses 2 'it must divide the output step' run --solver mujoco --time-step 0.0007
refuses 2 'is not accepted; it is Euler' run --solver mujoco --variant nosuch
refuses 2 'is not accepted; it is rk8pd, rkf45' run --variant Euler --solver gsl
refuses 2 'solver libess has no variants' run --variant Euler
refuses 2 'law paper has no MuJoCo twin; use --law roller' run --solver mujoco --law paper
refuses 2 'no MuJoCo twin; block-on-springs, hopper, legged, plate and' run --solver mujoco --model affine3
refuses 2 'law paper has no MuJoCo twin; use --law roller' xml plate --law paper
refuses 2 'no MuJoCo twin; block-on-springs, hopper, legged, plate and' xml affine3
for model in ball slip trot; do
  refuses 2 "$model: this model has no MuJoCo twin; block-on-springs, hopper, legged, plate and" xml "$model"
  for solver in listing location cvode gsl hybrid; do
    refuses 2 "$solver: the state of $model jumps; libess and projection know how" \
      run --model "$model" --solver "$solver"
  done
done
refuses 2 'no MuJoCo twin; block-on-springs, hopper, legged, plate and' run --solver mujoco --model trot
refuses 2 'solver mujoco does not compute derivatives; libess and projection do' derivative --solver mujoco
refuses 2 '--direction 1,2 is not accepted; it is 5 numbers' derivative --model slip --direction 1,2
refuses 2 '--direction 1,x is not accepted; it is 2 numbers' derivative --model ball --direction 1,x
refuses 2 '--direction 1,nan is not accepted; it is 2 numbers' \
  derivative --model ball --direction 1,nan
refuses 2 'is a number from 0 to 1' derivative --model ball --tie -1
refuses 2 '--way sideways is not accepted' derivative --model projectile --way sideways
refuses 2 '--outcome z is not accepted; projectile has y, v, phi, x' \
  derivative --model projectile --outcome z
refuses 2 'it is a number from 1 to 1e+12' run --model trot-on-springs --stiffness 1e15
for command in run derivative ensemble work-precision; do
  refuses 2 'ball: restitution 0 is not accepted on a floor' $command --model ball --restitution 0
done
refuses 1 'impacts accumulate: infinitely many in a finite time' run --model ball --duration 5
refuses 2 'no MuJoCo twin; block-on-springs, hopper, legged, plate and' xml affine3 -o new.xml
refuses 2 'smooth: affine3 has no contact force to smooth; hopper' run --solver smooth --model affine3
refuses 2 'time-stepping: affine3 has no contact force' run --solver time-stepping --model affine3
for solver in hybrid time-stepping ode; do
  refuses 2 "$solver: step 0.0007 s is not accepted" run --solver $solver --time-step 0.0007
done
refuses 2 'ode: affine3 is no body on springs; hopper and plate are' run --solver ode --model affine3
refuses 2 'nosuch is not accepted; it is euler' run --solver time-stepping --variant nosuch

# --- settings and whom they concern ---------------------------------------------------------------

for setting in '--epsilon 1e-3' '--projection-order 2' '--projection-max inf' '--scaling 1e6' '--time-step 0.002'; do
  # shellcheck disable=SC2086 # two words
  refuses 2 "${setting% *} does not apply to solver libess" run --solver libess $setting
done
for setting in '--tolerance 1e-3' '--rtol 1e-3' '--atol 1e-3' '--h-max 0.1' '--epsilon 1e-3'; do
  for solver in mujoco reference hybrid; do
    # shellcheck disable=SC2086 # two words
    refuses 2 "${setting% *} does not apply to solver $solver" run --solver $solver $setting
  done
done
refuses 2 '--projection-order does not apply to solver listing' run --solver listing --projection-order 2
refuses 2 '--time-step does not apply to solver projection' run --epsilon 1e-3 --time-step 0.002
refuses 2 '--time-steps: 0.7 is not accepted; it divides 2 ms evenly' rigid-soft --time-steps 2,0.7
refuses 2 '--time-steps 3 is not accepted; it is numbers from 0.001 to 2 with commas between' rigid-soft --time-steps 3
refuses 2 'Heun is not accepted; there are Euler' rigid-soft --integrators Euler,Heun
refuses 2 '--scaling does not apply to solver projection' sweep --contacts 2 --solvers projection --scaling 10

# --- the sweep ------------------------------------------------------------------------------------

for contacts in 100..2 0 1000000000 '' a 2... 2,,5 -3 2..100..0 99999999999999999999; do
  refuses 2 '; it is a list such as 2..100, 2..100..7 or 2,5,10' sweep --contacts "$contacts"
done
refuses 2 '--contacts 0 is not accepted (not a number in range); it is' sweep --contacts 0
refuses 2 '--contacts: hopper has no such parameter' sweep --model hopper --contacts 2,3
refuses 2 '--trials 0 is not accepted' sweep --trials 0
refuses 2 '--trials 1e3 is not accepted' sweep --trials 1e3
refuses 2 '--trials 1001 is not accepted' calibrate --trials 1001
refuses 2 '--seed -1 is not accepted' sweep --seed -1
refuses 2 '--seed 4294967296 is not accepted' calibrate --seed 4294967296
refuses 2 '--solvers nosuch is not accepted' sweep --solvers projection,nosuch
refuses 2 '--solvers names mujoco twice' sweep --solvers mujoco,mujoco
refuses 2 '--solvers' sweep --solvers ,
refuses 2 'nosuch is not accepted' sweep --protocol nosuch
refuses 2 'law paper has no MuJoCo twin' sweep --contacts 2 --law paper
refuses 2 'is not accepted; it is Euler' sweep --contacts 2 --variant nosuch
expect 'each variant once' [ "$(grep -o RK4 "$room/err" | wc -l)" -eq 1 ]
refuses 2 'it must divide the output step' sweep --contacts 2 --time-step 0.0007
refuses 2 '--duration 0.0013 is not accepted' sweep --contacts 2 --duration 0.0013

# --- work against precision -----------------------------------------------------------------------

refuses 2 '--methods nosuch is not accepted; there are libess, projection-1, ' work-precision --methods nosuch
refuses 2 '--methods names hybrid twice' work-precision --methods hybrid,hybrid
refuses 2 '--methods  is not accepted' work-precision --methods hybrid,
refuses 2 'affine3: this model has no MuJoCo twin' work-precision --model affine3 \
  --methods mujoco-Euler,mujoco-RK4
refuses 2 'smooth: affine3 has no contact force to smooth; hopper' work-precision --model affine3 \
  --methods smooth
refuses 2 '--duration 0.0013 is not accepted' work-precision --duration 0.0013
refuses 2 '--point-work -1 is not accepted' work-precision --point-work -1
refuses 2 '--trials 0 is not accepted' work-precision --trials 0
refuses 2 'model nosuch is not accepted' work-precision --model nosuch
refuses 2 '--contacts: 0 is not accepted' work-precision --contacts 0
refuses 2 '--contacts' work-precision --model hopper --contacts 5
refuses 2 '--target 0 is not accepted' crossing-cost --target 0
refuses 2 '--contacts 1..x is not accepted' crossing-cost --contacts 1..x
refuses 2 'law paper has no MuJoCo twin' crossing-cost --law paper --methods mujoco-RK4 --contacts 2
refuses 2 '--methods nosuch is not accepted' crossing-cost --methods nosuch
for list in '' 0 -1 1e-4,1e-3 1e-3,1e-3 1e-3, 1e-3,x nan inf; do
  refuses 2 'numbers > 0 with commas between, each smaller than the one before' scale --epsilons "$list"
done
refuses 2 '--epsilons accepts at most 64 numbers' scale --epsilons "$(seq -s, 65 -1 1)"
refuses 2 '--trials 0 is not accepted' scale --trials 0
refuses 2 '--contacts 1..x is not accepted' scale --contacts 1..x
refuses 2 'unknown option --model' scale --model hopper
refuses 1 'precision holds this model measured with hybrid, which --methods leaves out and would' \
  work-precision --model affine3 --trials 1 --methods projection-1,projection-2 --out precision
refuses 1 'results holds no results of work-precision; run it first' work-precision --table

# --- folders and files; a path below a file cannot be written, by root neither --------------------

for folder in /dev/null /dev/null/x file file/x; do
  for command in order calibrate 'sweep --contacts 2' figures 'work-precision --model affine3' \
    'crossing-cost --contacts 2' 'scale --contacts 2' 'tolerance --contacts 2'; do
    # shellcheck disable=SC2086 # words
    refuses 1 "cannot create folder '$folder" $command --out "$folder"
  done
  refuses 1 "cannot write '" xml plate -o "$folder/x"
done
refuses 1 'cannot create a folder without a name' order --out ''
refuses 1 'it is not a regular file' xml plate -o results
refuses 1 'it is not a regular file' xml plate -o /dev/null
refuses 1 'cannot read' compare nosuch results
long=$(head -c 5000 /dev/zero | tr '\0' a)
refuses 1 'cannot create folder' order --out "$long"

finish
