#!/bin/bash
# make results whole, with every study as short as it can be: what the real one does in an hour must
# not fail at its last line. It runs what has been committed, in a clone.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_results_small.sh SOURCES ESSBENCH
. "$(dirname "$0")/../support/check.sh"
cd "$1" || exit 1
git rev-parse --verify --quiet HEAD >/dev/null || { echo 'no git repository: skipped'; exit 77; }
[ -e .deps/robots/ant.xml ] || { echo 'no robots (tools/setup test fetches them): skipped'; exit 77; }
command -v gnuplot >/dev/null || { echo 'no gnuplot: skipped'; exit 77; }
export GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@example.org GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@example.org

before=$(git status --porcelain) before_commit=$(git rev-parse HEAD)
tools/results --small "$2" 2>&1 | tee "$room/told"
check 'it ends with 0' "${PIPESTATUS[0]}"
! grep 'failed, so what it writes stays' "$room/told"
check 'each part is drawn and written' $?
[ "$(git status --porcelain)" = "$before" ]
check 'this tree is left alone' $?
cd build/results-small || exit 1
[ "$(git log --format=%s | grep -c '^Results of [0-9a-f]\{7\}: ')" -ge 10 ]
check 'parts are committed one by one' $?
touched=$(git diff --name-only "$before_commit" HEAD)
[ -z "$(echo "$touched" | grep -v -e '^README.md$' -e '^docs/')" ]
check 'it touches the pages alone' $?
for page in README.md docs/results/{findings,mechanisms,paper,robots,speed}.md docs/figures/runtime_vs_n.png; do
  echo "$touched" | grep -qxF "$page"
  check "$page has what was measured" $?
done
[ -s results/report.html ]
check 'the report is written' $?
finish
