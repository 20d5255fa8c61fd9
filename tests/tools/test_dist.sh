#!/bin/bash
# The source archive: it has all that is committed and nothing else, the same bytes twice, and the version that all
# places name. make test-dist builds and tests what is in it.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_dist.sh SOURCES
. "$(dirname "$0")/../support/check.sh"
cd "$1" || exit 1
git rev-parse --verify --quiet HEAD >/dev/null || { echo 'SKIP: no git repository'; exit 77; }
git clone --quiet . "$room/clone" && cp tools/dist "$room/clone/tools/dist" && cd "$room/clone" || exit 1
git config user.name somebody
git config user.email somebody@example.org
git add tools/dist
git commit --quiet --allow-empty --message 'as it stands'
version=$(sed -n 's/.*define ESS_VERSION *"\(.*\)".*/\1/p' integrator/ess.h)
archive=build/dist/essbench-$version.tar.gz

says() { # status, line
  [ "$1" -eq "$2" ] && grep -qF -- "$3" "$room/said" && [ "$(wc -l <"$room/said")" -eq 1 ]
}
dist() { tools/dist "$@" >"$room/said" 2>&1; }

dist
says $? 0 "$archive of $(git rev-parse HEAD)"
check 'it says what it has written' $?
tar -tzf $archive | sed -n "s,^essbench-$version/\(.*[^/]\)$,\1,p" | sort >"$room/packed"
git ls-files | sort | cmp -s - "$room/packed"
check 'in it is what is committed, below one folder' $?
(cd build/dist && sha256sum --check --quiet essbench-$version.tar.gz.sha256)
check 'its sum is right' $?
sum=$(sha256sum <$archive)
sleep 1
dist && [ "$sum" = "$(sha256sum <$archive)" ]
check 'the same commit is the same bytes' $?

echo >>README.md
dist
says $? 1 'dist: there are changes that are not committed'
check 'changes are told' $?
git checkout --quiet README.md

wrong() { # file, what sed does to it, what is said
  sed -i "$2" "$1"
  git commit --quiet --all --message wrong
  dist
  says $? 1 "$3"
  check "another version in $1" $?
  git reset --quiet --hard HEAD~1
}
wrong CITATION.cff 's/^version: .*/version: 0.0.1/' "dist: CITATION.cff has another version than integrator/ess.h, $version"
wrong README.md 's/version = {.*}, year/version = {0.0.1}, year/' "dist: README.md cites another version than integrator/ess.h, $version"
wrong CHANGELOG.md 's/^## .*/## 0.0/' 'dist: CHANGELOG.md begins with 0.0'
wrong docs/guide/install.md 's/find_package(ess [0-9.]*/find_package(ess 0.0/' 'dist: docs/guide/install.md finds another version'

dist somewhere
says $? 2 "dist: 'somewhere' is not accepted; it is tools/dist or tools/dist check"
check 'a wrong word' $?
rm -rf .git
(GIT_CEILING_DIRECTORIES=$room && export GIT_CEILING_DIRECTORIES && dist)
says $? 1 'dist: this is no git repository'
check 'where there is no git' $?
finish
