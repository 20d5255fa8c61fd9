# What tests of ranks share beside cli_room.sh: they are skipped where there is no MPI.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck disable=SC2086 # commands are lists of words
. "$(dirname "$0")/../support/cli_room.sh"

if ! "$essbench" --version | grep -q '^MPI'; then
  echo 'skipped: essbench was built without MPI (apt-get install libopenmpi-dev openmpi-bin)'
  exit 77
fi
if ! command -v mpirun >/dev/null; then
  echo 'skipped: no mpirun here (apt-get install openmpi-bin)'
  exit 77
fi
# MPI keeps what it has to its end
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
mpi='mpirun --quiet --allow-run-as-root --oversubscribe'

# runs ranks of essbench: $1 of them
ranks() {
  count=$1
  shift
  $mpi -n "$count" "$essbench" "$@" >"$room/out" 2>"$room/all" </dev/null
  status=$?
  # mpirun tells in lines of its own that a rank has failed
  grep -E '^(warning|essbench)' "$room/all" >"$room/err"
}

# all that no clock decides
clockless() { without "$1/tolerance.csv" time_s; }
like() { [ -e "$1/tolerance.csv" ] && [ "$(clockless "$1")" = "$(clockless "$2")" ]; }

# --- ranks that are stopped on the way ------------------------------------------------------------

longer='tolerance --contacts 60 --damping 60 --tolerances 1e-2,1e-3 --trials 80'

# starts ranks and waits until some cells are known: $mpirun, and $workers with rank 0 first
start() {
  $mpi -n 4 "$essbench" $longer --out "$1" >"$room/out" 2>"$room/err" </dev/null &
  mpirun=$!
  while [ "$(cells "$1")" -lt 4 ] && kill -0 $mpirun; do sleep 0.01; done
  workers=$(for pid in $(pgrep -P $mpirun); do
    rank=$(tr '\0' '\n' 2>/dev/null <"/proc/$pid/environ" | sed -n 's/^OMPI_COMM_WORLD_RANK=//p')
    [ -n "$rank" ] && echo "$rank $pid"
  done | sort -n | sed 's/.* //')
}
gone() {
  for pid in $workers; do
    waited=0
    while kill -0 "$pid" 2>/dev/null && [ $waited -lt 6000 ]; do
      sleep 0.01
      waited=$((waited + 1))
    done
    ! kill -0 "$pid" 2>/dev/null || return 1
  done
}
