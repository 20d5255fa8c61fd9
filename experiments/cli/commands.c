/*
 * The table of commands: a new study is one file and one line here.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "commands.h"

#include <string.h>

#include "studies.h"
#include "study_command.h"

/* a command, or a study that is one */
static const struct {
  const command *command;
  const study *study;
} table[] = {
    {&run_command, NULL},           {&xml_command, NULL},
    {NULL, &order_study},           {NULL, &calibrate_study},
    {&sweep_command, NULL},         {&figures_command, NULL},
    {&counters_command, NULL},      {&bench_command, NULL},
    {&regress_command, NULL},       {&regress_time_command, NULL},
    {&baseline_command, NULL},      {&compare_command, NULL},
    {&mujoco_command, NULL},        {&work_precision_command, NULL},
    {&crossing_cost_command, NULL}, {&speed_command, NULL},
    {NULL, &scale_study},           {NULL, &tolerance_study},
    {&schema_command, NULL},        {&columns_command, NULL},
};

bool command_at(size_t index, command *out) {
  if (index >= sizeof table / sizeof *table) return false;
  *out = table[index].study ? study_command(table[index].study) : *table[index].command;
  return true;
}

bool command_find(const char *name, command *out) {
  for (size_t i = 0; command_at(i, out); i++)
    if (strcmp(out->name, name) == 0) return true;
  return false;
}

const study *study_find(const char *name) {
  command found;
  return command_find(name, &found) ? found.study : NULL;
}
