# What tests of resuming share. Sourced where `measure FOLDER` runs a study, whose samples last $patience seconds where
# it has a say in that.
# SPDX-License-Identifier: GPL-3.0-or-later
patience=0

# begins one, and sends it a signal once so many cells are kept. One that is faster than this shell notices is begun
# anew with longer samples. Its processes are a group of their own, and all of them have ended before its cells are
# counted: a process that is killed within a commit ends that commit first.
interrupt() { # signal, folder, cells, those of a whole run
  local pid
  patience=0.0005
  while :; do
    set -m
    measure "$2" >"$room/out" &
    pid=$!
    set +m
    while [ "$(cells "$2")" -lt "$3" ] && kill -0 $pid 2>/dev/null; do sleep 0.02; done
    pkill "-$1" -P $pid 2>/dev/null
    kill "-$1" $pid 2>/dev/null
    wait $pid 2>/dev/null
    while pgrep -g $pid -r D,R,S,T >/dev/null; do sleep 0.02; done
    before=$(cells "$2")
    [ "$before" -lt "$4" ] || [ $patience = 0.128 ] && break
    patience=$(echo "$patience" | awk '{ print 2 * $1 }')
    rm -rf "$2"
  done
  [ "$before" -ge "$3" ]
  check "$1 leaves the samples taken" $?
  [ "$before" -lt "$4" ]
  check "$1 came before the end" $?
}
