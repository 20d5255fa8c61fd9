# What tests of processes and shares have in common, beside cli_room.sh.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck disable=SC2086 # commands are lists of words
. "$(dirname "$0")/../support/cli_room.sh"

small='tolerance --contacts 2 --damping 60 --tolerances 1e-2,1e-4 --trials 6'
longer='tolerance --contacts 60 --damping 60 --tolerances 1e-2,1e-3 --trials 80'

# all that no clock decides
clockless() { without "$1/tolerance.csv" time_s; }
like() { [ -e "$1/tolerance.csv" ] && [ "$(clockless "$1")" = "$(clockless "$2")" ]; }
# cells that the databases of shares hold, and how often a cell is there more than once
shared() {
  for database in "$1"/essbench.*-of-*.sqlite; do
    [ -e "$database" ] && sqlite3 "$database" 'SELECT name FROM cell'
  done
}
