#!/bin/sh
# Where an engine cannot be had, its race is skipped in one line. A case that fails ends no other, and what is there of
# this commit is not measured again.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_engines.sh SOURCE
set -u
room=$(mktemp -d) || exit 1
trap 'rm -rf "$room"' EXIT
mkdir "$room/tools"
cp "$1/tools/engines" "$1/tools/drake.pin" "$1/tools/simbody.pin" "$1/tools/page.py" "$room/tools"
cd "$room" || exit 1
fail() {
  echo "FAILED: $1"
  exit 1
}
skipped() { # engine, pin, why: one line, and nothing counts as set up
  [ "$(wc -l <told)" -eq 1 ] && grep -q "^engines: skipped, since $1 (tools/$2.pin) cannot be had here: $3" told ||
    fail "$1 cannot be had, and it says: $(cat told)"
  [ ! -e ".deps/$2/done" ] || fail "$1 is not there, and counts as set up"
}
PIP_NO_INDEX=1 tools/engines install drake >out 2>told && fail 'there is a Drake without an index of packages'
skipped Drake drake ''
# a machine that lacks a package; then one that has all of them, and no source
mkdir bin
ln -s "$(command -v env)" "$(command -v sh)" bin
ln -s "$(python3 -c 'import sys; print(sys.executable)')" bin/python3
printf '#!/bin/sh\ncase $* in *liblapack-dev) exit 1 ;; *) printf installed ;; esac\n' >bin/dpkg-query
printf '#!/bin/sh\necho "E: no source" >&2\nexit 100\n' >bin/apt-get
chmod +x bin/dpkg-query bin/apt-get
PATH=$room/bin tools/engines install simbody >out 2>told && fail 'there is a Simbody without LAPACK'
skipped Simbody simbody 'apt-get install liblapack-dev$'
printf '#!/bin/sh\nprintf installed\n' >bin/dpkg-query
PATH=$room/bin tools/engines install simbody >out 2>told && fail 'there is a Simbody without its source'
skipped Simbody simbody 'apt-get: E: no source$'
tools/engines install nothing >out 2>told
[ $? -eq 2 ] && grep -q "^engines: there is no engine 'nothing'; there are drake and simbody; " told ||
  fail "of an unknown engine it says: $(cat told)"

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
tools/engines race drake ./essbench results >out 2>told && fail 'with a case that failed it succeeds'
[ "$(wc -l <asked)" -eq 4 ] || fail "not every case is asked for: $(cat asked)"
tail -n 1 told | grep -q '^engines: failed: --model plate .*; what is measured is kept' || fail "it says: $(cat told)"
tools/engines race drake ./essbench results >out 2>told
grep -q '^drake: --model hopper is there$' out && [ "$(wc -l <asked)" -eq 7 ] || fail "measured again: $(cat asked)"
git -c user.name=a -c user.email=a commit -q --allow-empty -m another || exit 1
tools/engines race drake ./essbench results >out 2>told
[ "$(wc -l <asked)" -eq 11 ] || fail "what is of another commit counts as there: $(cat asked)"
rm asked
SIMBODY_WORKER=/bin/false tools/engines race simbody ./essbench elsewhere >out 2>told && fail 'with a case that failed it succeeds'
[ "$(wc -l <asked)" -eq 3 ] && grep -q 'simbody-merson,simbody-merson-witness,' asked ||
  fail "not every case of Simbody is asked for: $(cat asked)"
tools/engines race simbody ./essbench elsewhere >out 2>told && fail 'without Simbody it races it'
[ "$(cat told)" = 'engines: there is no program .deps/simbody/worker: tools/engines install simbody sets it up' ] && [ "$(wc -l <asked)" -eq 3 ] ||
  fail "without Simbody it says: $(cat told)"
tools/engines race drake ./nothing elsewhere >out 2>told && fail 'without essbench it races'
[ "$(cat told)" = 'engines: there is no program ./nothing: make sets it up' ] || fail "without essbench it says: $(cat told)"
tools/engines race drake ./essbench asked/folder >out 2>told && fail 'it writes into a file'
[ "$(cat told)" = 'engines: asked/folder: Not a directory' ] || fail "of a folder that cannot be made it says: $(cat told)"
echo 'all as it should be'
