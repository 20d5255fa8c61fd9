#!/bin/bash
# The page of other engines' numbers is what the stored rows say. A case without its package, with another version of it,
# or that dies takes one line, and the others go on; what is stored of it stays.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_outside.sh SOURCES
. "$(dirname "$0")/../support/check.sh"
sources=$1

cp "$sources/docs/results/outside.md" "$room/outside.md"
"$sources/tools/page" keep "$sources/results/outside.json" "$room/kept" && "$sources/tools/page" "$room/kept" "$room/outside.md" && cmp "$room/outside.md" "$sources/docs/results/outside.md"
check 'the page is what the stored rows say' $?
mkdir "$room/other" && cp "$sources"/results/outside* "$room/other"
sed -i 's/,Nimble 0.8.38,0.75,/,Nimble 0.8.38,0.125,/' "$room/other/outside_rows.csv"
"$sources/tools/page" keep "$room/other/outside.json" "$room/other"
"$sources/tools/page" "$room/other" "$room/outside.md" && grep -qF '| Nimble 0.8.38 | 0.125 | 1 | 1 |' "$room/outside.md"
check 'another number is another line of it' $?

# a house of its own with made-up cases, and a Python that has libess and one of two packages
mkdir -p "$room/house/tools" "$room/house/experiments/outside" "$room/house/results" && cd "$room/house" || exit 1
cp "$sources"/tools/{outside,page.py} tools
printf 'alpha==1.0\nbeta==2.0\n' >tools/outside.pin
cat >python <<'END'
#!/bin/sh
case $1 in
-c) echo '{"libess": "0.4.0", "alpha": "1.0", "beta": "2.5"}' ;;
*) exec python3 -B "$@" ;;
esac
END
chmod +x python
export OUTSIDE_PYTHON=./python
git init -q . && git -c user.name=a -c user.email=a commit -q --allow-empty -m none || exit 1
cases=experiments/outside
printf '# needs: alpha\nprint("of the engine")\nprint(\x27{"rows": [{"problem": "p", "ours": 1}], "more": [{"a": 2}]}\x27)\n' >$cases/fine.py
printf '# needs: alpha\nimport os\nos.kill(os.getpid(), 9)\n' >$cases/dies.py
printf '# needs: alpha\nraise ValueError("a wrong number")\n' >$cases/fails.py
printf 'print("nothing")\n' >$cases/says.py
printf '# needs: beta gamma\n# needs Debian: no-such-package\n' >$cases/lacks.py
printf 'case,problem,ours\nlacks,q,3\nfine,old,4\n' >results/outside_rows.csv
tools/outside run >out 2>err
[ $? -eq 1 ] && [ "$(wc -l <out)" -eq 2 ] && [ "$(wc -l <err)" -eq 4 ] || { cat out err; false; }
check 'each case has its line, and the last one names those that failed' $?
grep -qxF 'outside: lacks is skipped: beta is 2.5, not 2.0, no gamma, no no-such-package: ./python -m pip install gamma beta==2.0; apt-get install no-such-package' out
check 'another version, and what is not there, with what to install' $?
grep -qxF 'outside: dies failed: it died by signal 9' err && grep -qxF 'outside: fails failed: ValueError: a wrong number' err &&
  grep -qxF 'outside: says failed: it hands over no rows' err &&
  [ "$(tail -n 1 err)" = 'outside: failed: dies, fails, says; the rows of others are kept' ] || { cat err; false; }
check 'why a case failed' $?
[ "$(cat results/outside_rows.csv)" = "$(printf 'case,problem,ours\nfine,p,1\nlacks,q,3')" ] &&
  [ "$(cat results/outside_more.csv)" = "$(printf 'case,a\nfine,2')" ] || { cat results/outside*; false; }
check 'a case replaces its own rows, and those of others stay' $?
tools/outside run results fine >out 2>err && [ "$(wc -l <out)" -eq 1 ] && grep -q '^outside: fine: [0-9]* s$' out
check 'one case alone' $?
tools/outside run results nowhere 2>err
[ $? -eq 2 ] && grep -q "^outside: there is no case 'nowhere'; there are dies, fails, fine, lacks, says; usage: " err
check 'a case that there is not' $?
tools/outside known fine && { tools/outside known fine,nowhere 2>err; [ $? -eq 2 ]; } && grep -q "^outside: there is no case 'nowhere'" err
check 'a case that there is not, before anything is set up' $?
tools/outside run python fine 2>err
[ $? -eq 1 ] && [ "$(cat err)" = 'outside: python: File exists' ] || { cat err; false; }
check 'a folder that cannot be made' $?
OUTSIDE_PYTHON=/bin/false tools/outside run 2>err
[ $? -eq 1 ] && grep -qx 'outside: skipped, since /bin/false has no libess: make python installs it' err && [ "$(wc -l <err)" -eq 1 ]
check 'without libess' $?
"$sources/tools/trajectories" audit results 2>err
[ $? -eq 1 ] && grep -qx 'trajectories: .deps/mjx has no MJX: tools/trajectories install fetches it' err && [ "$(wc -l <err)" -eq 1 ]
check 'trajectories without MJX' $?
finish
