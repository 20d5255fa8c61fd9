#!/bin/sh
# Tests plots/: each figure from the made-up results of tables/, in every format and from odd
# but legal tables, without a word from gnuplot; and one clear line where a table lacks something.
# SPDX-License-Identifier: GPL-3.0-or-later
set -u
tests=$(cd "$(dirname "$0")" && pwd)
plots=$tests/../../plots
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
data=$room/it\'s\ data
out=$room/it\'s\ drawn
failed=0
passed=0

export LC_ALL=C.UTF-8 # as essbench runs gnuplot: the labels are UTF-8
command -v gnuplot >/dev/null || {
  echo "test_plots: gnuplot is not installed" >&2
  exit 1
}
figures=$(cd "$plots" && echo *_*.gp | sed 's/\.gp//g')

# --- what a test says -----------------------------------------------------------------------------

pass() {
  passed=$((passed + 1))
}

fail() {
  failed=$((failed + 1))
  echo "FAIL $*"
  sed 's/^/     /' "$room/said"
}

# $1 is said unless the command after it succeeds
check() {
  about=$1
  shift
  if "$@"; then pass; else fail "$about"; fi
}

# a fresh copy of the fixture, in a folder whose name has a quote and a space
new_data() {
  rm -rf "$data" "$out"
  mkdir -p "$data" "$out"
  cp "$tests/tables/"*.csv "$data/"
}

# figure $1 in format $2; $3, if given, sets further variables
draw() {
  (cd "$room" && gnuplot -e "data='it''s data'; out='it''s drawn'; format='$2'; ${3-}" "$plots/$1.gp") \
    >"$room/said" 2>&1 </dev/null
}

# the first bytes of a file of format $1
magic() {
  case $1 in svg) echo '<?xml' ;; pdf) echo '%PDF-' ;; png) printf '\211PNG' ;; esac
}

# $1 is what the test is about, $2 and what follows as for draw
draws() {
  about=$1
  shift
  rm -f "$out/$1.$2"
  if draw "$@" && [ ! -s "$room/said" ] &&
    LC_ALL=C head -n 2 "$out/$1.$2" | LC_ALL=C grep -qaF "$(magic "$2")"; then
    pass
  else
    fail "$1.$2 $about: not drawn, or gnuplot had something to say"
  fi
}

# fails and says $1 in its last line; what was drawn before stays
refuses() {
  about=$1
  shift
  echo before >"$out/$1.$2"
  if draw "$@"; then
    fail "$1.$2: status 0 although it should say: $about"
  else
    refused "$@"
  fi
}

# of a figure that was not drawn
refused() {
  if ! tail -n 1 "$room/said" | grep -qF -- "$about"; then
    fail "$1.$2: does not say: $about"
  elif [ "$(cat "$out/$1.$2")" != before ]; then
    fail "$1.$2: overwrote the figure although it failed"
  else
    pass
  fi
}

# figure $2 as svg has the text $1, or not
lacks() { check "$2: says: $1" sh -c '! grep -qF -- "$1" "$2"' lacks "$1" "$out/$2.svg"; }
# filled shapes, of which an arrow has one for its head
heads() { grep -c '<polygon' "$out/marginal_cost.svg"; }
# the words of a list stand in this order in figure $2 as svg, each in a line of its own
in_order() {
  found=$(printf '%s\n' "$1" | while read -r name; do grep -nF -- ">$name<" "$out/$2.svg" | tail -n 1 | cut -d : -f 1; done)
  check "$2: not in this order: $(echo "$1" | tr '\n' ';')" \
    [ "$(echo "$found" | wc -l)" -eq "$(echo "$1" | wc -l)" -a "$found" = "$(echo "$found" | sort -n)" ]
}
says() { check "$2: does not say: $1" grep -qF -- "$1" "$out/$2.svg"; }
is_silent() { check "$2: says: $1" [ "$(grep -cF -- "$1" "$out/$2.svg")" -eq 0 ]; }

# the height of the shaded strip in figure $1 as svg; nothing where there is none
strip() {
  sed -n "s/.*fill = 'rgb(236, 236, 236)' points = '//p" "$out/$1.svg" | tr , ' ' |
    awk '{ printf "%d", $2 - $6 }'
}

# the numbers beside the y axes of the left panels of figure $1 as svg
ticks() {
  grep -A1 'translate([0-9]\{2\}\.[0-9]*,.*text-anchor="end"' "$out/$1.svg" |
    sed -n '/^--$/d; s/<[^>]*>//g; s/^[[:space:]]*\([-0-9]\)/\1/p'
}

# changes file $1 of the data by awk program $2, in which col["name"] is a column's number
edit() {
  awk -F, -v OFS=, "NR == 1 { for (i = 1; i <= NF; i++) col[\$i] = i } $2" \
    "$data/$1" >"$room/edited" && mv "$room/edited" "$data/$1"
}

# --- every figure in every format -----------------------------------------------------------------

new_data
for figure in $figures; do
  for format in svg pdf png; do
    draws 'from the fixture' "$figure" $format
  done
done

# --- one look, one sentence -----------------------------------------------------------------------

# an engine's line is solid: dashes tell only one solver's methods apart (methods.gp)
new_data
for figure in $figures; do
  grep -q "methods.gp" "$plots/$figure.gp" && continue
  draws 'for its lines' "$figure" svg
  check "$figure: a dashed line of MuJoCo, libess or event-unaware solvers" \
    sh -c '! grep -qE "stroke=.rgb\( *(0, *114, *178|0, *158, *115|213, *94, *154)\). *stroke-dasharray" "$1"' \
    dashed "$out/$figure.svg"
done
# from a curve's end to its name, which may have had to give way, leads a thin grey line
draws 'for its names' fig_robot svg
check 'fig_robot: no line to a name' grep -qE "stroke='rgb\( *64, *64, *64\)'" "$out/fig_robot.svg"
# results are for a page's caption: a figure says what it shows
lacks 'errs by' fig5_1_calibration
lacks 'jumps by' fig_limbs
lacks 'runs end' fig_ensemble
lacks 'by up to' fig_tolerance
lacks '100 contacts:' runtime_vs_n
says 'RMS error (SI units)' fig_tolerance
says 'initial θ (rad)' fig_ensemble
says '±6.3 cm/s' fig_contact_modes

# --- odd but legal tables -------------------------------------------------------------------------

sweep_figures='fig5_2_marginal marginal_cost runtime_vs_n error_vs_n'
sweeps() {
  for figure in $sweep_figures; do
    draws "$1" "$figure" svg
  done
}

# shellcheck disable=SC2016 # the $ of this section belong to awk
{
  new_data
  edit sweep.csv 'NR == 1 || $1 == 10'
  sweeps 'from one N'
  edit sweep.csv 'NR > 1 { $col["marginal_s"] = $col["marginal_lo_s"] = ""; $col["marginal_hi_s"] = "nan" } 1'
  sweeps 'from one N without a marginal cost'
  says 'no marginal cost from one N' marginal_cost
  says 'no marginal cost from one N' fig5_2_marginal

  new_data
  edit sweep.csv 'NR == 1 || $1 == 2 || $1 == 100'
  sweeps 'from two N'

  new_data
  edit sweep.csv '$2 == "mujoco" { $col["rms_q90"] = $col["rms_worst"] = $col["events_ratio"] = "nan" } 1'
  sweeps 'where one engine lacks values'

  new_data
  draw marginal_cost svg
  before=$(heads)
  edit sweep.csv '$2 == "projection" { $col["marginal_lo_s"] = -1e-7 } 1'
  sweeps 'where a band reaches below zero'
  [ "$(heads)" -gt "$before" ] && pass || fail 'no arrow where an interval does'
  edit sweep.csv '$2 == "projection" { $col["marginal_s"] = -1e-8 } 1'
  sweeps 'where a cost is below zero'
  says 'hollow: not above 0' marginal_cost

  # contacts are whole, also where they are few
  new_data
  edit sweep.csv 'NR == 1 || $1 <= 6'
  sweeps 'with few contacts'
  for figure in $sweep_figures; do lacks ' 2.5<' $figure; done

  # the axis is what it is without noise: logarithmic
  new_data
  edit sweep.csv 'NR > 1 { $col["marginal_lo_s"] = -4e-4; $col["marginal_hi_s"] = 5e-4 } NR == 2 { $col["marginal_s"] = -1e-4 } 1'
  draws 'with bands wide about zero' marginal_cost svg
  says 'hollow: not above 0' marginal_cost
  check "costs on a logarithmic axis, not: $(ticks marginal_cost)" \
    [ "$(ticks marginal_cost | tr '\n' ' ')" = '1 10 100 ' ]

  # three protocols, an engine more, and one that took part in one protocol only
  new_data
  edit sweep.csv '1; NR > 1 { $3 = "free"; print; $2 = "cvode_roots"; print }
    NR > 1 && NR % 2 { $2 = "projection"; $3 = "equal-error"; print }'
  sweeps 'from three protocols'
  for figure in $sweep_figures; do
    draws 'as chosen' "$figure" svg "solvers='cvode_roots'; protocols='free'"
    refuses "no rows of 'dart'" "$figure" svg "solvers='dart'"
  done

  new_data
  edit order.csv 'NR == 1 || $2 == 1'
  edit order_fit.csv 'NR == 1 || $1 == 1'
  draws 'from one order' fig4_1_order svg

  new_data
  edit calibration.csv 'NR == 1 || $col["main"] == 1'
  draws 'from one stiffness' calibration_epsilon svg
  edit calibration.csv 'NR > 1 { $col["main"] = 0; $col["status"] = "no root" } 1'
  refuses "no row with status 'ok'" calibration_epsilon svg
  refuses 'no row with main = 1' fig5_1_calibration svg
}

# shellcheck disable=SC2016 # the $ of this section belong to awk
{
  new_data
  draws 'against evaluations' work_precision svg "cost='evaluations'"
  draws 'of another model' work_precision svg "model='affine3'; contacts=0"
  draws 'of one model' fig_tolerance_kept svg
  says 'plate, 10 contacts: median' fig_tolerance_kept
  edit work_precision.csv 'NR == 1 || $col["knob"] != "rtol"'
  draws 'where none has a tolerance' fig_tolerance_kept svg
  says 'no method has a tolerance' fig_tolerance_kept
  new_data
  for format in svg pdf png; do
    draws 'with labels' work_precision $format 'label_knobs=1'
  done
  draws 'of chosen methods' work_precision svg "methods='hybrid projection-1'"
  draws 'of a few methods' work_precision svg 'few=6'
  lacks 'GSL' work_precision
  says "libess, paper's order 1" work_precision
  refuses "no rows of 'nosuch', only of projection-1" work_precision svg "methods='nosuch'"
  refuses 'no rows of plate with 7 contacts' work_precision svg "model='plate'; contacts=7"
  refuses 'accepted are time and evaluations' work_precision svg "cost='money'"

  edit work_precision.csv '1; $col["method"] == "projection-1" { $col["method"] = $col["solver"] = $col["label"] = "libess"
    $col["status"] = "ok"; print }'
  draws 'of three methods' work_precision svg 'few=2'
  lacks 'event-unaware' work_precision
  lacks 'order 1' work_precision
  draws 'of three methods, by evaluations' work_precision svg "few=2; cost='evaluations'"

  # MuJoCo is its cheapest integrator at each error, by contacts and by a callback
  edit work_precision.csv '1; $col["method"] == "mujoco-Euler" && $col["status"] == "ok" { s = $col["median_s"]
    $col["method"] = "mujoco-RK4"; $col["label"] = "MuJoCo RK4"; $col["median_s"] = s / 2; print
    $col["method"] = "mujoco-callback-Euler"; $col["label"] = "MuJoCo callback Euler"; $col["solver"] = "mujoco-callback"
    $col["median_s"] = s / 10; print }'
  draws 'of the main methods' work_precision svg 'few=4'
  in_order "libess
libess, paper's order 1
MuJoCo
MuJoCo by callback" work_precision
  lacks 'RK4' work_precision
  mv "$out/work_precision.svg" "$room/cheap.svg"
  edit work_precision.csv '$col["method"] == "mujoco-Euler" { $col["median_s"] *= 1.5 } 1'
  draws 'with a costlier integrator that was beaten' work_precision svg 'few=4'
  check 'an integrator that is beaten is drawn' cmp -s "$room/cheap.svg" "$out/work_precision.svg"
  draws 'of all methods' work_precision svg
  says 'MuJoCo RK4' work_precision
  says 'MuJoCo callback Euler' work_precision
  edit work_precision.csv '$col["solver"] ~ /^mujoco/ { $col["status"] = "failed" } 1'
  draws 'where nobody races libess' work_precision svg
  new_data

  # event-unaware solvers are one: two, whose points are as good as each other's, and a third that is beaten
  edit work_precision.csv '1; $col["method"] == "projection-1" { for (i = 1; i < 4; i++) { $col["status"] = "ok"
    name = i == 1 ? "Euler" : i == 2 ? "RK4" : "dopri5"; $col["method"] = $col["solver"] = "plain-" tolower(name)
    $col["label"] = "event-unaware " name; $col["median_s"] *= i == 2 ? 2 : 3; $col["rms_error"] *= i == 2 ? 0.5 : 3; print } }'
  draws 'with the event-unaware solvers as one' work_precision svg
  says 'cheapest event-unaware solver' work_precision
  lacks 'event-unaware Euler' work_precision
  draws 'with event-unaware solvers by name' work_precision svg "methods='plain-rk4 projection-1'"
  says 'event-unaware RK4' work_precision
  lacks 'cheapest event-unaware solver' work_precision
  draws 'of a few methods and event-unaware ones' work_precision svg "few=6; cost='evaluations'"
  says 'cheapest event-unaware solver' work_precision
  edit work_precision.csv '$col["method"] ~ /^plain/ { $col["status"] = "failed" } 1'
  draws 'where no event-unaware solver runs' work_precision svg
  lacks 'event-unaware' work_precision
  edit sweep.csv '1; $col["solver"] == "mujoco" { $col["solver"] = $col["contacts"] % 2 ? "plain-rk4" : "plain-dopri5"; print }'
  for figure in $sweep_figures; do
    draws 'with event-unaware solvers as one' $figure svg
    says 'cheapest event-unaware solver' $figure
    lacks 'plain-' $figure
  done
  new_data

  edit work_precision.csv 'NR == 1 || $col["method"] == "hybrid" && $col["value"] > 0.001'
  draws 'from points without a good one' work_precision svg
  edit work_precision.csv 'NR == 1 || $col["status"] == "failed"'
  draws 'from one failed point' work_precision svg
  new_data
  edit work_precision.csv 'NR == 1 || $col["status"] == "refused"'
  draws 'from nothing but refusals' work_precision svg
  new_data
  edit work_precision.csv 'NR == 1 || $col["method"] == "projection-2" && $col["value"] == 0.001'
  draws 'from one point' work_precision svg
  new_data
  edit work_precision.csv '$col["status"] == "diverged" { $col["rms_error"] = 1e300 } 1'
  draws 'with a point far off' work_precision svg

  # event-unaware solvers are one: at N = 2 the second is the cheapest, at N = 10 the first, and at 100 none gets there
  edit crossing_cost.csv '1; $col["method"] == "projection-1" { for (i = 1; i < 3; i++) {
    name = i == 1 ? "Euler" : "RK4"; $col["method"] = $col["solver"] = "plain-" tolower(name)
    $col["label"] = "event-unaware " name; $col["status"] = $col["contacts"] > 10 ? "not reached" : "ok"
    $col["ns_per_crossing"] = ($col["contacts"] == 2) == (i == 2) ? 111 : 7777777; print } }'
  draws 'with the event-unaware solvers as one' crossing_cost svg
  says 'cheapest event-unaware solver' crossing_cost
  lacks 'event-unaware Euler' crossing_cost
  lacks 'event-unaware RK4' crossing_cost
  # what it draws does not depend on what the expensive ones cost, but on what the cheap ones do
  mv "$out/crossing_cost.svg" "$room/cheap.svg"
  sed -i 's/7777777/9999/' "$data/crossing_cost.csv"
  draws 'with other expensive methods' crossing_cost svg
  check 'an expensive event-unaware solver is drawn' cmp -s "$room/cheap.svg" "$out/crossing_cost.svg"
  sed -i 's/,111,/,222,/' "$data/crossing_cost.csv"
  draws 'with less cheap ones' crossing_cost svg
  check 'the cheapest event-unaware solver is not drawn' [ "$(cmp "$room/cheap.svg" "$out/crossing_cost.svg" | wc -l)" -eq 1 ]
  edit crossing_cost.csv 'NR == 1 || $col["method"] ~ /^plain/ && $col["status"] != "ok"'
  draws 'where no event-unaware solver gets there' crossing_cost svg
  says 'cheapest event-unaware solver' crossing_cost
  new_data
  edit crossing_cost.csv '$col["contacts"] == 1000 && $col["method"] ~ /projection-1|mujoco-Euler/ { $col["status"] = "ok"
    $col["ns_per_crossing"] = $col["solver"] == "mujoco" ? 56789 : 1234 } 1
    $col["method"] == "projection-1" { $col["method"] = $col["solver"] = $col["label"] = "libess"; print }'
  draws 'with libess' crossing_cost svg
  in_order 'libess
MuJoCo Euler
location by Brent' crossing_cost
  says 'evaluations per crossing' crossing_cost
  draws 'of a few methods' crossing_cost svg 'few=6'
  says 'location by Brent' crossing_cost
  lacks 'evaluations per crossing' crossing_cost
  new_data
  draws 'of a few methods without libess' crossing_cost svg 'few=6'
  edit crossing_cost.csv 'NR == 1 || $col["contacts"] == 10'
  draws 'from one N' crossing_cost svg
  edit crossing_cost.csv 'NR == 1 || $col["status"] == "refused"'
  draws 'from nothing but refusals' crossing_cost svg
  new_data
  edit crossing_cost.csv 'NR == 1 || $col["status"] == "not reached"'
  draws 'where nobody reaches the error' crossing_cost svg
  says 'cross, shaded: does not reach that error' crossing_cost
  draws 'where somebody does not' crossing_cost svg

  # no crossing at one N, or at all: infinite or not known, no reason not to draw the rest
  for none in inf nan ''; do
    new_data
    edit crossing_cost.csv '$col["contacts"] == 2 { $col["ns_per_crossing"] = $col["evaluations_per_crossing"] = "'$none'" } 1'
    draws "where a cost is '$none'" crossing_cost svg
    says 'without a crossing, and not shown: N = 2' crossing_cost
    edit crossing_cost.csv 'NR == 1 || $col["contacts"] == 2'
    draws "where every cost is '$none'" crossing_cost svg
  done
  new_data
  draws 'where every N has crossings' crossing_cost svg
  is_silent 'without a crossing' crossing_cost
  edit work_precision.csv '$col["status"] == "ok" && $col["value"] == 0.001 { $col["rms_error"] = "inf" } 1'
  draws 'where an error is infinite' work_precision svg

  # crosses off the scale have a height for each method, and a shaded strip around them
  new_data
  draws 'with a failed point' work_precision svg
  one=$(strip work_precision)
  edit work_precision.csv '1; $col["method"] == "other" { $col["status"] = "failed"; $col["rms_error"] = "nan"; print }'
  draws 'with two methods that fail' work_precision svg
  two=$(strip work_precision)
  check "the strip grows with the methods in it, from '$one' to '$two'" [ "$one" -lt "$two" ]
  edit work_precision.csv 'NR == 1 || $col["status"] == "ok"'
  draws 'with no failed point' work_precision svg
  check 'no strip without a cross in it' [ -z "$(strip work_precision)" ]

  for figure in scale_epsilon scale_contacts; do
    new_data
    edit scale.csv 'NR == 1 || $col["contacts"] == 100'
    draws 'from one N' "$figure" svg
    edit scale.csv 'NR == 1 || $col["epsilon"] == 0.001'
    draws 'from one N and one epsilon' "$figure" svg
    new_data
    edit scale.csv '1; NR > 1 { for (n = 2; n < 9; n++) { $1 = n; print } }'
    draws 'from many N' "$figure" svg
    new_data
    edit scale.csv 'NR == 1 || $col["contacts"] == 100 || $col["epsilon"] *= 0.3'
    draws 'from two N without a common epsilon' "$figure" svg
  done

  new_data
  edit tolerance.csv 'NR == 1 || $col["damping"] == 0'
  draws 'from one damping' fig_tolerance svg
  edit tolerance.csv 'NR == 1 || $col["contacts"] == 10 && $col["tolerance"] == 0.01'
  draws 'from one point' fig_tolerance svg
  new_data
  edit tolerance.csv '1; NR > 1 { for (n = 3; n < 9; n++) { $1 = n; $2 = n + 50; print } }'
  draws 'from many N and dampings' fig_tolerance svg
  edit tolerance.csv '$col["tolerance"] == 0.01 { $col["rms_median"] = $col["rms_worst"] = "nan" } 1'
  draws 'where every run failed' fig_tolerance svg

  new_data
  edit ensemble_map.csv 'NR > 1 { $col["up_state"] = ""; $col["up"] = "nan" } 1'
  draws 'of one axis' fig_ensemble svg
  edit ensemble_map.csv 'NR > 1 { $col["across_state"] = ""; $col["across"] = "nan" } NR < 3'
  draws 'of a single start' fig_ensemble svg
  new_data
  edit ensemble_map.csv 'NR > 1 { $col["outcome_name"] = "crossings" } 1'
  draws 'of crossings alone' fig_ensemble svg
  edit ensemble_map.csv 'NR > 1 { $col["starts"] = 0; $col["failed"] = 1; $col["outcome"] = $col["crossings"] = "nan" } 1'
  edit ensemble.csv 'NR > 1 { $col["starts"] = 0; $col["min"] = $col["max"] = "nan" } 1'
  edit ensemble_distribution.csv 'NR == 1 || $col["quantity"] == "z"'
  draws 'where every run failed' fig_ensemble svg
}

# shellcheck disable=SC2016 # the $ of this section belong to awk
{
  new_data
  edit robot_derivative_events.csv 'NR == 1'
  draws 'where nothing touches' fig_robot_derivative svg
  new_data
  edit robot_derivative_events.csv 'NR == 1 || $NF == 0'
  draws 'where contacts end alone' fig_robot_derivative svg
  edit robot_derivative.csv 'NR > 1 && $1 == "MuJoCo" { $col["error"] = "nan" } 1'
  draws 'where MuJoCo has no derivative' fig_robot_derivative svg
  new_data
  edit robot_derivative.csv 'NR == 1 || $2 != "transitions"'
  edit robot_derivative_times.csv 'NR <= 2'
  draws 'without matrices, at one time' fig_robot_derivative svg
}

# libess is green in every figure that has it, and MuJoCo blue
has_hue() { check "$2: has no $1" grep -qiF -- "$1" "$out/$2.svg"; }
new_data
for figure in fig_derivative fig_limbs fig_rigid_soft fig_robot fig_robot_derivative fig_robot_error fig_sliding fig_tolerance; do
  draws 'from the fixture' "$figure" svg
  has_hue 'rgb(  0, 158, 115)' "$figure"
done
for figure in runtime_vs_n fig_rigid_soft fig_robot fig_robot_derivative fig_robot_error fig_robot_time fig_robots_error work_precision crossing_cost calibration_epsilon; do
  draws 'from the fixture' "$figure" svg
  has_hue 'rgb(  0, 114, 178)' "$figure"
done
says 'corner, against x' fig_derivative
lacks 'takes' fig_rigid_soft

# --- what is missing is named ---------------------------------------------------------------------

# a figure that loses a column either never read it and is drawn as before, or fails and names it
for figure in $figures; do
  needed=0
  for path in "$tests/tables/"*.csv; do
    file=$(basename "$path")
    grep -qF "$file" "$plots/$figure.gp" || continue
    for name in $(head -n 1 "$path" | tr , ' '); do
      new_data
      edit "$file" "NR == 1 { \$col[\"$name\"] = \"other\" } 1"
      echo before >"$out/$figure.svg"
      if draw "$figure" svg; then
        check "$figure: reads $name of $file without asking for it" [ ! -s "$room/said" ]
      else
        needed=$((needed + 1))
        about="$file has no column '$name'"
        refused "$figure" svg
      fi
    done

    new_data
    rm "$data/$file"
    refuses "$file is missing or empty" "$figure" svg
    head -n 1 "$path" >"$data/$file"
    # a robot may touch nothing
    [ "$file" = robot_derivative_events.csv ] || refuses "$file has a header but no rows" "$figure" svg
  done
  new_data
  refuses "format 'jpg': accepted are svg, pdf and png" "$figure" jpg
  check "$figure: needs only $needed columns" [ $needed -ge 3 ]
done

echo "test_plots: $passed passed, $failed failed"
[ $failed -eq 0 ]
