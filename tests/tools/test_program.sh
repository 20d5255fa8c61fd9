#!/bin/sh
# make install: essbench runs where it was moved to, with its manual, its completion and its figures,
# and names no folder of its build; make uninstall takes away that and nothing else.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_program.sh SOURCE BUILD
set -eu
source=$1
build=$2
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
unset DESTDIR

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# $1 is a part of the one line that a failure says
fails() {
  about=$1
  shift
  if "$@" >"$room/out" 2>"$room/err"; then fail "succeeds: $*"; fi
  [ "$(wc -l <"$room/err")" -eq 1 ] && grep -qF -- "$about" "$room/err" ||
    fail "$* says: $(cat "$room/err")"
}

fails 'PREFIX=here is not accepted; it is an absolute path' "$source/tools/install" add "$build" here
echo file >"$room/file"
fails 'choose another PREFIX' "$source/tools/install" add "$build" "$room/file/below"
fails 'nothing was installed' "$source/tools/install" remove "$room/nowhere"

prefix=$room/first
mkdir -p "$prefix/bin" "$prefix/share/man/man1"
echo mine >"$prefix/bin/mine"
"$source/tools/install" add "$build" "$prefix" >"$room/out" || fail "it is not installed"
grep -q "essbench and libess are in $prefix" "$room/out" || fail "says: $(cat "$room/out")"
for file in bin/essbench share/man/man3/libess.3 include/ess.h \
  share/bash-completion/completions/essbench share/zsh/site-functions/_essbench \
  share/essbench/judge share/essbench/sweeps.py; do
  [ -s "$prefix/$file" ] || fail "$file is not installed"
done
if command -v help2man >/dev/null; then
  for command in '' $("$prefix/bin/essbench" --help | sed -n 's/^  \([a-z-]*\) .*/-\1/p'); do
    grep -q "^essbench$command " "$prefix/share/man/man1/essbench$command.1" ||
      fail "there is no page essbench$command(1)"
  done
else
  grep -q 'without help2man there is no manual of essbench' "$room/out" || fail "says: $(cat "$room/out")"
fi
while read -r file; do [ -e "$file" ] || fail "$file is listed, and not there"; done \
  <"$prefix/share/essbench/files"
find "$prefix" ! -type d ! -path "$prefix/bin/mine" | sort >"$room/found"
cmp -s "$room/found" "$prefix/share/essbench/files" || fail "the list is not what is there"

# a loader that looks into the prefix is told of libess, and no other
mkdir "$room/sbin"
cat >"$room/sbin/ldconfig" <<'END'
#!/bin/sh
echo "ldconfig $*" >>"$ROOM/told"
[ "$1" != -N ] || printf '%s/lib: (from conf:1)\n\tlibess.so.0 -> libess.so.0\n' "$LOOKS_INTO"
END
chmod +x "$room/sbin/ldconfig"
told() { # prefix that the loader looks into
  rm -f "$room/told"
  ROOM=$room LOOKS_INTO=$1 PATH=$room/sbin:$PATH "$source/tools/install" add "$build" "$prefix" >"$room/out"
  grep -qx 'ldconfig ' "$room/told"
}
told "$prefix" || fail "the loader is not told of $prefix/lib"
! told "$room/else" || fail "the loader is told of what it does not look into"

# it finds its library, figures and ranks where it is, with no build and no source in reach
cp -a "$prefix" "$room/moved"
readelf -d "$room/moved/bin/essbench" | grep -E 'R(UN)?PATH' | grep -q "$build" &&
  fail "its run path names the build"
cd "$room"
PATH=$room/moved/bin:$PATH
command -v strace >/dev/null && traced=yes || traced=no
essbench --version | head -n 1 | grep -q '^essbench [0-9]' || fail "it says no version"
essbench run --solver mujoco --duration 0.1 --no-reference --csv fall.csv --plot >"$room/out" ||
  fail "it does not run and draw"
[ -s fall.png ] || fail "it draws nothing"
if [ $traced = yes ]; then
  strace -f -e trace=openat,execve -o trace essbench run --duration 0.1 --no-reference \
    --plot=traced.png >/dev/null
  if grep -F "$source/" trace | grep -v ENOENT; then fail "it reads files of its source"; fi
fi

# once more over it, with something that this one has not
echo "$prefix/bin/stale" >>"$prefix/share/essbench/files"
echo stale >"$prefix/bin/stale"
"$source/tools/install" add "$build" "$prefix" >"$room/out" || fail "it is not installed again"
[ ! -e "$prefix/bin/stale" ] || fail "what an earlier one had stays"

"$source/tools/install" remove "$prefix" >"$room/out" || fail "it is not removed"
[ "$(find "$prefix" ! -type d)" = "$prefix/bin/mine" ] || fail "left: $(find "$prefix")"
fails 'nothing was installed' "$source/tools/install" remove "$prefix"

DESTDIR=$room/packed "$source/tools/install" add "$build" /usr >"$room/out" || fail "no DESTDIR"
[ -x "$room/packed/usr/bin/essbench" ] || fail "DESTDIR does not go before the prefix"
grep -qx /usr/bin/essbench "$room/packed/usr/share/essbench/files" || fail "the list names DESTDIR"
DESTDIR=$room/packed "$source/tools/install" remove /usr >"$room/out" || fail "not removed from DESTDIR"
[ -z "$(find "$room/packed" ! -type d)" ] || fail "left: $(find "$room/packed" ! -type d)"
echo 'all as it should be'
