#!/bin/sh
# Where Drake cannot be had, its race is skipped in one line. A case that fails ends no other, and what is there of this
# commit is not measured again.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_drake.sh SOURCE
set -u
room=$(mktemp -d) || exit 1
trap 'rm -rf "$room"' EXIT
mkdir "$room/tools"
cp "$1/tools/drake" "$1/tools/drake.pin" "$1/tools/page.py" "$room/tools"
cd "$room" || exit 1
fail() {
  echo "FAILED: $1"
  exit 1
}
PIP_NO_INDEX=1 tools/drake install >out 2>told && fail 'there is a Drake without an index of packages'
[ "$(wc -l <told)" -eq 1 ] && grep -q '^drake: skipped, since Drake (tools/drake.pin) cannot be had here: ' told ||
  fail "without an index of packages it says: $(cat told)"
[ ! -e .deps/drake/done ] || fail 'what is not there counts as set up'

# a program that fails on plates, and a Python that has no Drake
git init -q . && git -c user.name=a -c user.email=a commit -q --allow-empty -m none || exit 1
cat >essbench <<'END'
#!/bin/sh
echo "$*" >>asked
case $* in *plate*) exit 1 ;; esac
python3 -B -c 'import sys; sys.path.insert(0, "tools"); from page import keep
keep("results", "work_precision", {"environment": {"git_commit": sys.argv[1]}}, "hopper")' "$(git rev-parse HEAD)"
END
chmod +x essbench
export DRAKE_PYTHON=/bin/false
tools/drake race ./essbench results >out 2>told && fail 'with a case that failed it succeeds'
[ "$(wc -l <asked)" -eq 4 ] || fail "not every case is asked for: $(cat asked)"
tail -n 1 told | grep -q '^drake: failed: --model plate .*; what is measured is kept' || fail "it says: $(cat told)"
tools/drake race ./essbench results >out 2>told
grep -q '^drake: --model hopper is there$' out && [ "$(wc -l <asked)" -eq 7 ] || fail "measured again: $(cat asked)"
git -c user.name=a -c user.email=a commit -q --allow-empty -m another || exit 1
tools/drake race ./essbench results >out 2>told
[ "$(wc -l <asked)" -eq 11 ] || fail "what is of another commit counts as there: $(cat asked)"
echo 'all as it should be'
