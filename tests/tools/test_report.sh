#!/bin/bash
# The report from made-up results, as a reader of its source sees it; a browser is test-report's.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_report.sh SOURCES
. "$(dirname "$0")/../support/check.sh"
. "$(dirname "$0")/../support/made_up.sh"
sources=$1

report() { databases "$sources" "$room" && "$sources/tools/report" "$room" >"$room/out" 2>&1; }
whole() { "$sources/tests/tools/report_page.py" "$room"; }

! report && [ "$(cat "$room/out")" = "report: $room holds no results; run make sweep first" ] && [ ! -e "$room/report.html" ]
check 'an empty folder: one line, and no page' $?

mkdir "$room/figures"
for name in runtime_vs_n fig_limbs unheard_of work_precision_plate_10; do
  cat >"$room/figures/$name.svg" <<'END'
<?xml version="1.0" encoding="utf-8"?>
<svg width="10" height="10" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">
<title>Gnuplot</title>
<desc>Produced</desc>
<defs><circle id='gpDot' r='1'/><clipPath id="c"><rect/></clipPath></defs>
<use xlink:href='#gpDot'/><g clip-path="url(#c)"></g>
</svg>
END
done
cat >"$room/claims.csv" <<'END'
paper,place,says,criterion,low,high,number,verdict,command
A & B,1,it is < 2,"the number, at most 2",0,2,1.5,holds,make it
A & B,2,it is <b>,"the number, at most 1",0,1,1.5,fails,make it
A & B,3,it is fine,nobody knows,nan,nan,nan,cannot be tested,
A & B,4,it is asserted,runs do it,nan,nan,nan,tested,ctest -R it
A & B,5,it is 7 elsewhere,"the number, at most 1",0,1,7,cannot be reproduced,make it
END
cat >"$room/sweep.json" <<'END'
{"environment": {"git_commit": "0123456789", "date": "2000-01-01T00:00:00Z", "cpu": "a <cpu>", "cores": 2,
  "compiler": "cc", "warnings": ["it was <loud>"]}}
END
report && whole
check 'a page with figures, claims and a warning' $?
grep -q 'not measured: <code>make speed</code>' "$room/report.html"
check 'it says what to run' $?
grep -q '<p>Measured: sweep; on a &lt;cpu&gt;, 2 cores, 2000-01-01. <a href="#measured">' "$room/report.html"
check 'the machine is told above the verdict' $?
sed 's/<td data-head="[^"]*">/<td>/g' "$room/report.html" |
  grep -q '<td>it is &lt; 2</td><td><span class="holds">holds</span></td><td>1.5</td>'
check 'beside a claim stands its verdict, for a narrow screen, too' $?
grep -q '<td data-head="verdict"><span class="holds">' "$room/report.html"
check 'a cell says what it is of, where it is no longer below it' $?
[ "$(grep -c 'so the number itself has no unit' "$room/report.html")" -ge 1 ]
check 'what an RMS over metres and radians means' $?
! grep -q 'Supplement' "$room/report.html"
check 'a figure with no few methods is no supplement' $?
! grep -q 'By the sweep' "$room/report.html"
check 'a sweep without ratios has no verdict' $?
grep -q 'sweep.json: it was &lt;loud&gt;' "$room/report.html"
check 'the warning is told' $?
grep -q "xlink:href='#fig_limbs-gpDot'" "$room/report.html"
check 'marks of each figure are its own' $?
cp "$room/figures/work_precision_plate_10.svg" "$room/figures/work_precision_plate_10_few.svg"
report && whole && tr -d '\n' <"$room/report.html" | grep -q 'h3 id="work_precision_plate_10_few".*Supplement.*plate_10"'
check 'a few methods stand above all of them' $?
grep -q '>1.5</td>' "$room/report.html"
check 'the number that decides' $?

in_page() { tr -d '\n' <"$room/report.html" | grep -qE "$1"; }
in_page '<h2 id="claims">[^/]*</h2><p><strong>3 of 5 measured</strong>: 1 hold, 1 fail. 1 cannot be reproduced. Tests assert 1 more.</p><div class="wide"><table>.*it is &lt;b'
check 'claims are counted, and those that fail stand open' $?
in_page '<details><summary>1 hold</summary><div.*it is &lt; 2.*</details><details><summary>1 are asserted by tests<.*it is asserted' &&
  in_page '<details><summary>1 cannot be reproduced: .*it is 7 elsewhere.*<details><summary>1 cannot be tested, with the reason<'
check 'the others are behind a click' $?
in_page '<h2 id="absent">.*<details><summary>[0-9]+ things are not measured, with the command.*make speed.*</details></section></body>'
check 'what is not measured is at the end, behind a click' $?
in_page '<details><summary>Supplement: every curve at once</summary><h3 id="work_precision_plate_10">'
check 'as is the supplement' $?

sed -i 's/,1.5,holds/,2.5,fails/' "$room/claims.csv"
report && whole && [ "$(grep -o 'class="fails"' "$room/report.html" | wc -l)" -eq 2 ]
check 'a changed value changes the page' $?
sed -i 's/,2.5,fails/,1e+308,fails/' "$room/claims.csv"
report && whole && in_page '>no run ends</td>' && ! grep -q 308 "$room/report.html"
check 'an error without bound is no number' $?

cat >"$room/sweep.json" <<'END'
{"trials": 4, "ratios": [
  {"protocol": "equal-error", "solver": "libess", "contacts": 2, "mujoco_over_libess": 31.25, "callback_over_libess": 12.5,
    "rms_error_libess": 0.01, "rms_error_mujoco": 0.02},
  {"protocol": "paper", "solver": "projection"}]}
END
report && whole && grep -q 'takes 31.2 times as long as libess</strong>, whose error is 0.5 times MuJoCo' "$room/report.html"
check 'without make speed the sweep gives the verdict' $?
grep -q 'With the same force as a callback it takes 12.5 times as long' "$room/report.html"
check 'by a callback, too' $?
! grep -q 'event-unaware solver takes' "$room/report.html"
check 'a sweep without event-unaware solvers says nothing of them' $?
cp "$room/sweep.json" "$room/kept"
sed -i 's/"ratios": \[/"plain": [{"contacts": 2, "plain_over_libess": 1.75, "interval": [1.5, 2]},\
  {"contacts": 50, "plain_over_libess": 0.875, "interval": [0.75, 1.25]},\
  {"contacts": 100, "plain_over_libess": 0.25, "interval": [0.125, 0.5]}], &/' "$room/sweep.json"
report && whole && in_page 'event-unaware solver takes 0.25 to 1.75 times as long as libess' &&
  in_page 'At 1 of 3 N of the sweep .* saves at most 75 % of libess.{1,6}s time \(N = 100\)'
check 'the verdict has the cheapest event-unaware solver, and so have the losses where it is faster' $?
mv "$room/kept" "$room/sweep.json"
report
in_page '<p class="caution">How sure: 4 initial conditions, few: another run may give other numbers.</p></div>'
check 'and beside it how sure it is' $?
measured='"git_commit": "0123456789", "date": "2000-01-01T00:00:00Z", "cpu": "a <cpu>", "cores": 2, "compiler": "cc"'
sed -i "s/\"trials\": 4,/\"trials\": 40, \"environment\": {$measured, \"load_average\": [0.25], \"warnings\": [\"it was <loud>\"]},/" \
  "$room/sweep.json"
report && in_page '<p class="caution">How sure: 40 initial conditions; it was &lt;loud&gt;.</p></div>'
check 'by the warnings of that time' $?
sed -i 's/"it was <loud>"//' "$room/sweep.json"
report && in_page '<p class="caution">How sure: 40 initial conditions; load average 0.25 on 2 cores.</p></div>'
check 'or the load' $?
for load in 0.7 1.9; do
  echo '{"cost": {"sweep": {"commit": "0123456789", "load": '"$load"'}}}' >"$room/results.json"
  report && in_page "How sure: 40 initial conditions; load average while it ran: $load on "
  check "or the load that make results recorded: $load" $?
done
rm "$room/results.json"

# where nothing is lost nothing is said, and what is measured is not told as if it were not
printf '%s\n' contacts,solver,protocol,rms_error,rms_worst 2,projection,paper,1,1 2,mujoco,paper,1,1 >"$room/sweep.csv"
report && whole && ! grep -qE "id=\"losses\"|nowhere here|The paper's protocol" "$room/report.html"
check 'a report without a loss has no section of losses' $?
sed -i 's/2,projection,paper,1/2,projection,paper,3/' "$room/sweep.csv"
report && in_page 'id="losses".*exceeds MuJoCo.s from 2 contacts on'
check 'and one with a loss has it' $?
rm "$room/sweep.csv"

# robots, each with a page
for name in ant 'a<b'; do
  mkdir -p "$room/robots/$name/figures"
  cp "$room/figures/fig_limbs.svg" "$room/robots/$name/figures/fig_robot.svg"
  cat >"$room/robots/$name/robot.json" <<'END'
{"velocities": 7, "events": 2, "starts": 10, "time": 1.0, "growth": 3.0,
 "reference": {"estimate": 1e-6, "status": "success", "until": 1.0, "tolerances_apart": 1e-7, "mujoco_apart": 1e-6},
 "survey": [{"treatment": "guarded", "kind": "contact", "name": "a & b", "why": "the depth", "events": 2},
   {"treatment": "kink", "kind": "friction", "name": "", "why": "stick < slip", "events": 0}],
 "orders": [{"variant": "Euler", "order": 1.0}],
 "mujoco": [{"variant": "Euler", "time_step": 0.002, "rms_error": 0.01, "seconds": 1e-3, "own": true, "known": 10}],
 "libess": [{"base": "chosen", "tolerance": 0.1, "rms_error": 0.01, "known": 10, "evaluations": 300}],
 "touchdowns": [{"time": 0.25, "foot": "floor - <foot>"}],
 "reach": [{"own": true, "rms_error": 0.01, "variant": "Euler", "time_step": 0.002, "mujoco_seconds": 1e-3,
   "mujoco_error": 0.01, "libess_base": "chosen", "tolerance": 0.1, "libess_seconds": 2e-3, "libess_error": 0.008, "libess_evaluations": 300,
   "held_out": null, "plain_over_libess_low": null, "plain_over_libess_high": null, "plain_evaluations": null, "mujoco_over_libess": 0.5, "mujoco_over_libess_low": 0.4,
   "mujoco_over_libess_high": 0.6, "plain_over_libess": null}]}
END
done
report && whole
check 'a page for each robot' $?
[ "$(grep -oE '>chosen 1e-01<|>chosen 0.1<|>chosen 1.0e-01<' "$room/report.html" | wc -l)" -eq 2 ]
check 'of each by which base libess is the cheapest' $?
grep -q 'Where libess takes longer than MuJoCo<' "$room/report.html" && grep -q 'ant (0.5 \[0.4, 0.6\])' "$room/report.html"
check 'where libess loses is said' $?
in_page '<strong>0.5 \[0.4, 0.6\] \(–\)'
check 'and is bold' $?
sed -i 's/_high": 0.6/_high": 1.6/' "$room/robots/ant/robot.json"
report && whole && in_page '<td data-head="at its own setting">0.5 \[0.4, 1.6\]'
check 'but not where the interval leaves it open' $?
sed -i 's/_high": 1.6/_high": 0.6/' "$room/robots/ant/robot.json" && report
grep -qF '<strong>Robots.</strong> Of 2 robots libess is faster than MuJoCo on 0, slower on 2, undecided on 0, at MuJoCo' \
  "$room/report.html"
check 'and among the losses' $?
mkdir "$room/many-robots" && cp -r "$room/robots/ant" "$room/many-robots/01-ant"
report && whole && grep -q 'id="robot-01-ant"' "$room/report.html" && grep -qF 'Of 2 robots libess is' "$room/report.html"
check 'the robots of a list have their pages, but others are counted' $?
rm -r "$room/many-robots"
sed '1s|{|{"file": "/a/my.xml", |' "$room/robots/ant/robot.json" >"$room/robot.json"
report && whole && grep -q 'id="robot-my.xml"' "$room/report.html" && ! grep -qF "robot-$(basename "$room")\"" "$room/report.html"
check 'a robot whose results are in the folder itself has the name of its model' $?
rm "$room/robot.json"
sed -i 's/0.5, "mujoco_over_libess_low": 0.4/5.5, "mujoco_over_libess_low": 5.4/; s/_high": 0.6/_high": 5.6/' \
  "$room"/robots/*/robot.json
report && whole && ! grep -q 'Where libess takes longer' "$room/report.html"
check 'and no more where it wins' $?

# the check itself finds what it is for
for spoil in 's/#fig_limbs-gpDot/#nowhere/' 's/id="claims"/id="losses"/' 's/ role="img"//' \
  's,<nav>,<nav><a href="http://a.b/">x</a>,' 's,</nav>,,' 's/class="fails"/class="holds"/' \
  's/<figcaption>/<p>/' 's/id="robot-ant"/id="ant"/' 's/<td data-head="verdict">/<td>/' 's/">the depth</">depth</' 's/\[5.4, 5.6\]<.td>/5.4<\/td>/' \
  's/floor - &lt;foot&gt;/floor/'; do
  report
  sed -i "0,/$(echo "$spoil" | cut -d"${spoil:1:1}" -f2 | sed 's/[/"]/./g')/ $spoil" "$room/report.html"
  ! whole >"$room/out"
  check "found: $spoil" $?
done

"$sources/tools/report" "$room/nowhere" 2>"$room/out"
[ $? -eq 1 ] && grep -q 'nowhere is no folder of results' "$room/out" && [ "$(wc -l <"$room/out")" -eq 1 ]
check 'no folder: one line' $?
finish
