/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench regress, regress-time, baseline and compare: verdicts on what has been measured, which
 * tools/judge gives. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "process.h"

static const char python[] = "python3";

/* the folder of results; or two, and how they are compared */
static int judge(arguments *given) {
  char place[RECORD_PATH_SIZE], program[RECORD_PATH_SIZE], effect[32];
  const char *const script = place_of("share/essbench/judge", ESSBENCH_JUDGE, place);
  const char *const *const two = given->positionals;
  snprintf(effect, sizeof effect, "%.17g", given->minimum_effect);
  if (place_program(program))
    execlp(python, python, "-B", script, given->command->name, program,
           *two ? two[0] : given->folder, two[1], effect, given->json ? "json" : "",
           given->fail_if_slower ? "fail" : "", (char *)NULL);
  return command_fail(given, "cannot run %s, which judges: %s", python, strerror(errno));
}

/* a row for each verdict that the one script gives */
const command judge_commands[] = {
    {.name = "regress",
     .summary = "compare counters and errors with DIR/baseline: the deterministic regression test",
     .groups = ARGUMENTS_FOLDER,
     .run = judge},
    {.name = "regress-time",
     .summary = "judge the times of two revisions from their samples in DIR/regress",
     .groups = ARGUMENTS_FOLDER,
     .run = judge},
    {.name = "baseline",
     .summary = "rewrite DIR/baseline from this build and the samples in DIR/regress/now",
     .groups = ARGUMENTS_FOLDER,
     .run = judge},
    {.name = "compare",
     .summary = "the times of the sweeps in two folders: is B faster than A, with intervals",
     .example = "essbench compare results-before results",
     .groups = ARGUMENTS_JSON | ARGUMENTS_COMPARE,
     .positional = "A B",
     .run = judge},
    {0},
};
