/*
 * The table of commands: a new protocol is one file and one line here.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "commands.h"

#include <string.h>

const command *const commands[] = {
    &run_command,
    &xml_command,
    &order_command,
    &calibrate_command,
    &sweep_command,
    &figures_command,
    &counters_command,
    &bench_command,
    &regress_command,
    &regress_time_command,
    &baseline_command,
    &compare_command,
    &mujoco_command,
    &work_precision_command,
    &crossing_cost_command,
    &speed_command,
    &scale_command,
    &tolerance_command,
    NULL,
};

const command *command_find(const char *name) {
  for (size_t i = 0; commands[i]; i++)
    if (strcmp(commands[i]->name, name) == 0) return commands[i];
  return NULL;
}
