#!/bin/bash
# make results in a repository of its own, with a program that only says what it was asked and results that
# are there: what is measured, what the pages then tell, what the commit touches.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_results.sh SOURCES ESSBENCH
. "$(dirname "$0")/../support/check.sh"
. "$(dirname "$0")/../support/made_up.sh"
sources=$1
essbench=$2

mkdir "$room/house" && cd "$room/house" || exit 1
cp -r "$sources"/{README.md,CONTRIBUTING.md,CITATION.cff,docs,tools} .
mkdir experiments && cp -r "$sources/experiments/studies" experiments
cat >program <<END
#!/bin/sh
echo "\$@" >>"$room/asked"
case \$1 in derivative | run)
  echo '{"states": ["a"], "field_evaluations": 7, "cost": {"field_evaluations": 9, "field_jacobian_evaluations": 0}}' ;;
esac
END
# what would be fetched is not here, and nothing is counted
printf '#!/bin/sh\nexit 1\n' | tee tools/engines >tools/outside
printf '#!/bin/sh\n' >tools/trajectories
printf '#!/bin/sh\n' >tools/counts
printf '/results/\n/program\n' >.gitignore
chmod +x program
mkdir integrator && echo 'int one;' >integrator/code.c && cp "$sources/integrator/ess.h" integrator
git init -q . && git config user.name test && git config user.email test@example.org
git add . && git commit -qm start
commit=$(git rev-parse HEAD)
made_up "$sources" results "$commit"
mkdir "$room/engines" && mv results/drake results/simbody "$room/engines"
again_kept() { databases "$sources" results; }
# how they were measured: beside a load of 0.3
measured_before() {
  ls results/*.json results/*/*.json results/robots/*/robot.json results/gradients/*/*.json results/settings/*/*.json 2>/dev/null | python3 -B -c 'import json, sys
parts = [line.strip()[len("results/"):-len(".json")] for line in sys.stdin]
parts += ["work_precision-" + n for n in ("affine3", "hopper", "plate_10", "plate_100")]
untimed = ("counts", "trajectories", "tolerance", "scale", "order", "derivative_error", "limbs", "contact_modes", "sliding", "event_times")
print(json.dumps({"cost": {p: {"commit": sys.argv[1], "processor_s": 10.0, "wall_s": 100.0, "largest_kb": 2048,
  **({} if p in untimed else {"load": 0.3})} for p in parts}}))' "$commit" >"$room/results.json"
  cp "$room/results.json" results/results.json
  again_kept
}
measured_before
results() { tools/results "$@" ./program >"$room/out" 2>&1; }
echo >>README.md
results
[ $? -eq 1 ] && grep -q '^results: there are changes that are not committed' "$room/out"
check 'changes without a name are refused' $?
results --only ''
[ $? -eq 2 ] && grep -q "^results: there is no part ''; there are calibration" "$room/out"
check 'a part without a name is refused' $?
git checkout -q README.md

results
[ $? -eq 0 ] || { cat "$room/out"; false; }
check "it ends with 0" $?
measured() { grep -v -e '^derivative ' -e '^run ' -e '^figures ' -e '^claims ' "$room/asked"; }
[ -z "$(measured)" ] && grep -q '^claims ' "$room/asked"
check 'what is there of this commit is not measured again' $?
[ "$(git log --format=%s -1)" = "Results of $(git rev-parse --short "$commit")" ]
check 'its commit names the one before' $?
[ -z "$(git show --format= --name-only HEAD | grep -v -e '^README.md$' -e '^docs/')" ]
check 'it touches the pages alone' $?
grep -q 'springs as contacts | \*\*15 to 100\*\*' README.md
check 'the README has the verdict' $?
robots_verdict="faster than MuJoCo on 0, slower on 0, undecided on 8"
sed -n '/class="verdict"/p' results/report.html | grep -qF "$robots_verdict" &&
  tr '\n' ' ' <README.md | grep -qF "**It is faster than MuJoCo on 1 robots and slower on 0**"
check 'and beside it what robots say, of others and in the report its own' $?
lost() {
  grep -qF -e "$1" docs/results/losses.md
  check "$1" $?
}
lost "In 1 of 2 comparisons at equal error libess's worst error is larger than MuJoCo's. The factor is at most 3."
lost "libess's median error exceeds MuJoCo's from 10 contacts on."
load='load average while it ran: 0.3 on 2 cores'
grep -qxF -- '- order: no times are measured' docs/results/paper.md &&
  grep -qxF -- "- sweep: $load" docs/results/paper.md
check 'a page reports the load while times were taken' $?
section() { sed -n "/<!-- $1 -->/,/<!-- end -->/p" "$2"; }
has_stayed() { # block, page: it is as the commit has it
  git show "$commit:$2" >"$room/then"
  [ -n "$(section "$1" "$2")" ] && [ "$(section "$1" "$2")" = "$(section "$1" "$room/then")" ]
}
grep -q '^results: drake/work_precision is skipped: `tools/engines install drake` fails$' "$room/out" &&
  has_stayed 'race of Drake' docs/results/findings.md
check 'a part whose package is missing is skipped in one line, and its blocks stay' $?
for page in docs/results/{speed,paper,accuracy,robots}.md; do
  grep -qE "^\*Measured: [a-z_, 0-9]+ at commit \`${commit:0:7}\`, none \(2 cores\)\.\*$" $page
  check "a table of $page names its commit" $?
done
grep -qxF '| `ball` | 1 | 7 | 9 | – |' docs/results/derivatives.md
check 'derivatives are what the program says of its models' $?

written() { # what tools/results says of pages: each, and what it is of
  sed -n '/^WRITTEN = /,/^\]$/p' tools/results >written.py
  python3 -B -c 'from written import WRITTEN
for page, parts in WRITTEN: print(page, *parts)'
}
again() { # every page, once more; but for tables of Drake, Simbody and falls, of which there are no results
  written | while read -r page _; do tools/page --without drake,simbody,falls results "$page" || echo "$page failed"; done
}
[ -z "$(again)" ] && [ -z "$(git status --porcelain --untracked-files=no)" ] && [ "$(wc -l <written.py)" -gt 1 ]
check 'the tools a second time change nothing' $?

# a part: what reads it is written, and names the commit; all other pages stay as they are
git reset -q --hard "$commit"
cp -r results "$room/all"
rm -r results/sweep.* results/calibration.* results/robots/ant results/legged results/many-robots results/robot-errors results/work_precision.*
again_kept
tools/results --only speed,crossing_cost ./program >"$room/out" 2>&1
[ $? -eq 0 ] || { cat "$room/out"; false; }
check 'a part ends with 0' $?
[ "$(git log --format=%s -1)" = "Results of $(git rev-parse --short "$commit"): speed,crossing_cost" ]
check 'its commit says which' $?
touched=$(git show --format= --name-only HEAD)
! echo "$touched" | grep -q -e /robots.md
check 'pages whose parts are not there stay' $?
has_stayed summary docs/results/findings.md &&
  grep -qF '| 10 | 500 | 4.25 |' docs/results/findings.md
check 'and so do blocks of other parts, on a page that has some that are there' $?
echo "$touched" | grep -q '^docs/results/speed.md$' && grep -q 'springs as contacts | \*\*15 to 100\*\*' README.md &&
  grep -qF "ommit \`${commit:0:7}\`" docs/results/speed.md
check 'the page of the part has its numbers and commit' $?
stays() { grep -e '^- \*\*The paper' -e '^- \*\*Other methods' -e '^- \*\*Robots\.' docs/results/losses.md; }
now=$(stays)
[ "$now" = "$(git show "$commit:docs/results/losses.md" | grep -xF -e "$now")" ] && [ "$(echo "$now" | wc -l)" -ge 2 ]
check 'what other parts lose stays' $?
lost "In 1 of 2 comparisons at equal error libess's worst error is larger than MuJoCo's. The factor is at most 3."
lost "At MuJoCo's error an event-unaware solver is faster in 1 of 2 comparisons."
grep -q '^results: docs/results/robots.md stays: robots, legged/sweep, many-robots, robot-errors, falls not measured$' "$room/out" &&
  grep -q '^results: docs/results/paper.md keeps its blocks about calibration, sweep: not measured$' "$room/out"
check 'what stays is reported' $?
# robots have their page without the sweep of legs, of which the page then keeps what it said
git reset -q --hard "$commit"
rm -r results && cp -r "$room/all" results && rm -r results/legged
tools/results --only robots ./program >"$room/out" 2>&1
[ $? -eq 0 ] || { cat "$room/out"; false; }
check 'robots without the sweep of legs end with 0' $?
legs() { sed -n '/^| legs | libess/,/^<!-- end/p'; }
[ -n "$(legs <docs/results/robots.md)" ] && [ "$(legs <docs/results/robots.md)" = "$(git show "$commit:docs/results/robots.md" | legs)" ] &&
  grep -qF '| ant | 7 | 9 | 10 | 1.0e-06 | 1.00 | 1.0e-02 |' docs/results/robots.md
check 'their page is written, and its table of legs stays' $?
grep -q '^results: docs/results/robots.md keeps its blocks about legged/sweep, falls: not measured$' "$room/out" || { cat "$room/out"; false; }
check 'which is told' $?
# a folder of speed alone has nothing to draw, which figures would refuse
git reset -q --hard "$commit"
find results -mindepth 1 -maxdepth 1 ! -name 'speed*' ! -name 'claims*' -exec rm -r {} +
again_kept
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
      rm -rf "$room/less" && mkdir "$room/less" && cp -r results/. "$room/engines/." "$room/less"
      rm -rf "$room/less/$part".* "$room/less/${part}"_* "$room/less/$part"
      databases "$sources" "$room/less"
      # blocks of these stay
      case "$page $part" in README.md*|docs/results/losses.md*|'docs/results/robots.md legged/sweep'|'docs/results/speed.md work_precision') continue ;; esac
      tools/page "$room/less" "$page" 2>"$room/why" && echo "$page is not of $part"
      [ "$(wc -l <"$room/why")" -eq 1 ] || { echo "$page without $part:"; cat "$room/why"; }
    done
  done
}
missing >"$room/missing"
[ ! -s "$room/missing" ] || { cat "$room/missing"; false; }
check 'a page is of what is said, and tells in one line what is not there' $?
git reset -q --hard "$commit"

# parts are measured, written and committed one at a time: a kill leaves the finished ones, and the same command goes on
cp -r results "$room/all"
mkdir "$room/fresh" && cp results/{crossing_cost,order}.* "$room/fresh"
rm results/crossing_cost.json results/order.json
again_kept
cat >killed <<END
#!/bin/bash
. "$sources/tests/support/made_up.sh"
case \$1 in
crossing-cost) cp "$room/fresh/crossing_cost.json" results/ ;;
order)
  echo begun >>"$room/begun"
  trap 'kill \$!; exit 143' TERM
  [ -e "$room/goes_on" ] || { sleep 60 & wait \$!; }
  cp "$room/fresh/order.json" results/ ;;
esac
[ \$1 = claims ] || databases "$sources" results
exec ./program "\$@"
END
chmod +x killed
taskset --cpu-list 0 tools/results --only crossing_cost,order ./killed >"$room/out" 2>&1 &
for _ in $(seq 600); do
  [ -e "$room/begun" ] && break
  sleep 0.1
done
kill -TERM $!
wait $!
[ $? -eq 1 ] && grep -q '^results: interrupted by signal 15; what is measured is kept, and the same' "$room/out"
check 'a part is killed in the middle' $?
[ "$(git log --format=%s -1)" = "Results of ${commit:0:7}: crossing_cost" ] && [ -z "$(git status --porcelain --untracked-files=no)" ]
check 'the one before is committed' $?
touch "$room/goes_on"
: >"$room/asked"
# one part after the other, as above: this program makes the databases anew, under a part that looks at them
taskset --cpu-list 0 tools/results --only crossing_cost,order ./killed >"$room/out" 2>&1
[ $? -eq 0 ] && [ "$(measured)" = 'order --out results' ] && grep -q '^results: crossing_cost is there, of ' "$room/out" &&
  grep -qF "order at commit \`${commit:0:7}\`" docs/results/paper.md
check 'the same command goes on with it, and measures nothing else' $?
rm -r results && mv "$room/all" results
git reset -q --hard "$commit"

# what is there counts until what measures changes: pages and templates do not
results && results
[ $? -eq 0 ] && grep -q '^results: no page has changed$' "$room/out"
check 'the same once more changes nothing, and is no failure' $?
sed -i 's/^- An event-unaware solver is faster/- In short, an event-unaware solver is faster/' tools/pages/README.page
git commit -qam 'another template'
: >"$room/asked"
results && [ -z "$(measured)" ] && git show --format= --name-only HEAD | grep -qx README.md
check 'another template alone: nothing is measured, and its page is published' $?
grep -q '^- In short, an event-unaware solver is faster' README.md
check 'as the template says it' $?
grep -qF "ommit \`${commit:0:7}\`" docs/results/speed.md
check 'pages name the commit that was measured' $?
# parts that were measured after their pages' commit are of the same code as those before
python3 -c 'import json, subprocess, sys
kept = json.load(open(sys.argv[1]))
head = subprocess.run(["git", "rev-parse", "HEAD"], stdout=subprocess.PIPE, text=True).stdout.strip()
for part in "order", "sweep": kept["cost"][part]["commit"] = head
json.dump(kept, open(sys.argv[1], "w"))' results/results.json
again_kept
tools/page results docs/results/paper.md
grep -qxF -- '- order: no times are measured' docs/results/paper.md &&
  grep -qxF -- "- sweep: $load" docs/results/paper.md
check 'what ran beside a part is told of the same code, whichever the commit' $?
git checkout -q docs
sed -i 's/"ensemble --processes 1"/"ensemble --processes 2"/' tools/results
git commit -qam 'another choice'
python3 -c 'import json, sys
kept = json.load(open(sys.argv[1]))
kept["cost"]["ensemble"]["asked"] = "ensemble --processes 1"
json.dump(kept, open(sys.argv[1], "w"))' results/results.json
again_kept
: >"$room/asked"
results
[ "$(measured)" = 'ensemble --processes 2 --out results' ]
check 'what is asked otherwise is measured again' $?
git reset -q --hard "$commit"
measured_before
results
tools/page stale docs/results/speed.md >"$room/out" && grep -qx 'no measurements of code that has changed since' "$room/out"
check 'a page that has just been written is not stale' $?
results && echo 'int two;' >integrator/code.c && echo 'int one;' >>experiments/studies/presets.c &&
  git add experiments
git commit -qam 'another code'
tools/page stale >"$room/out" && grep -qx "docs/results/speed.md: race: speed at ${commit:0:7}: integrator (1)" "$room/out" &&
  grep -qx "docs/results/paper.md: order: order at ${commit:0:7}: experiments/studies (1), integrator (1)" "$room/out" &&
  ! grep -q 'speed.*experiments' "$room/out"
check 'tables whose code has changed are listed, each with what it depends on' $?
: >"$room/asked"
results
[ $? -eq 1 ] && grep -q '^results: [a-z_]*.json is not of this commit: ' "$room/out"
check 'a program of another commit is no measurement of this one' $?
for part in sweep mujoco_settings work_precision-plate_100; do results --only "$part"; done
grep -q '^sweep --protocol paper,equal-error .* --out results$' "$room/asked" && grep -q '^mujoco .*--out results' "$room/asked" &&
  grep -q '^work-precision .*--model plate --contacts 100 --out results' "$room/asked"
check 'of other code everything is measured' $?
git reset -q --hard "$commit"

# a page that cannot be filled stays: with --only those of other studies are no failure
cp -r results "$room/all"
sed -i 1s/solver/who/ results/sweep.csv
again_kept
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
git reset -q --hard "$commit"
printf '#!/bin/sh\n[ $1 != claims ] || exit 1\nexec ./program "$@"\n' >unjudged
chmod +x unjudged
sed -i s/,1.5,/,2.5,/ results/claims.csv
again_kept
rm results/report.html
tools/results --only speed ./unjudged >"$room/out" 2>&1
[ $? -eq 0 ] && grep -q 'unjudged claims --out results failed, so what it writes stays$' "$room/out" &&
  has_stayed claims docs/results/paper.md && [ ! -e results/report.html ]
check 'where claims are not judged nothing is told of them' $?
rm -r results && mv "$room/all" results
git reset -q --hard "$commit"

# one that fails ends all, with a line that names it; what is there stays
git reset -q --hard "$commit"
printf '#!/bin/sh\ncase $1 in speed) exit 3 ;; esac\n' >failing
chmod +x failing
measured_before
mv results/speed.json results/speed.json.kept
again_kept
tools/results ./failing >"$room/out" 2>&1
[ $? -eq 1 ] && grep -q '^results: speed: speed .* ended with status 3; what is measured is kept' "$room/out"
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
[ "$(sqlite3 results/essbench.sqlite "SELECT part, whole FROM results_cost WHERE part IN ('speed', 'sweep') ORDER BY part" |
  tr '\n' ' ')" = 'speed|0 sweep|1 ' ]
check 'what was broken off has no duration yet' $?
mv results/speed.json.kept results/speed.json
again_kept
measured_before

# one value of what was measured, and what is said of it: claims are the program's
git reset -q --hard "$commit"
cat >judge <<END
"$essbench" claims --out "$room/judged" && cp "$room/judged/claims.csv" results && "$sources/tests/support/made_up.py" "$sources" results
END
sed -i "/^case/i [ \$1 != claims ] || exec sh ./judge" program
mkdir "$room/judged"
"$essbench" claims --out "$room/judged" >"$room/out"
cp results/order_fit.csv "$room/judged"
put "$room/judged" order_fit.csv
second_order() { grep -F '| the projection is of second order in epsilon |' docs/results/paper.md; }
results && grep -q 'springs as contacts | \*\*15 to 100\*\*' README.md && second_order | grep -qF '| 2 | holds |'
check 'it says what was measured' $?
git reset -q --hard "$commit"
sed -i 's/,100,99,101,/,300,299,301,/' results/speed.csv
sed -i 's/^1,2.0,1.9,/1,1.5,1.4,/' results/order_fit.csv
cp results/order_fit.csv "$room/judged"
put "$room/judged" order_fit.csv
again_kept
results
check 'it runs with other values' $?
grep -q 'springs as contacts | \*\*15 to 300\*\*' README.md && ! grep -q 'springs as contacts | \*\*15 to 100\*\*' README.md
check 'a changed value changes the README' $?
grep -q 'MuJoCo takes 15 to 300 times' results/report.html && ! grep -q 'takes 15 to 100 times' results/report.html
check 'and the report' $?
second_order | grep -qF '| 1.5 | **fails** |'
check 'and the claim' $?
finish
