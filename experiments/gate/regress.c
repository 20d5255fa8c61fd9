/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench regress, regress-time and baseline: the regression gate's verdicts, which tools/judge
 * gives on what essbench counters and essbench bench have measured. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "place.h"

static const char python[] = "python3";

static int judge(arguments *given) {
  char place[RECORD_PATH_SIZE], program[RECORD_PATH_SIZE];
  const char *const script = place_of("share/essbench/judge", ESSBENCH_JUDGE, place);
  if (place_program(program))
    execlp(python, python, script, given->command->name, program, given->folder, (char *)NULL);
  return command_fail(given, "cannot run %s, which judges: %s", python, strerror(errno));
}

const command regress_command = {
    .name = "regress",
    .summary = "compare counters and errors with DIR/baseline: the deterministic half of the gate",
    .groups = ARGUMENTS_FOLDER,
    .run = judge,
};

const command regress_time_command = {
    .name = "regress-time",
    .summary = "judge the times of two revisions from their samples in DIR/regress",
    .groups = ARGUMENTS_FOLDER,
    .run = judge,
};

const command baseline_command = {
    .name = "baseline",
    .summary = "rewrite DIR/baseline from this build and the samples in DIR/regress/now",
    .groups = ARGUMENTS_FOLDER,
    .run = judge,
};
