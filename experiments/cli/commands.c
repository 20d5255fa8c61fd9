/*
 * The table of commands: a new study is one file and one line in studies/studies.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "commands.h"

#include <string.h>

#include "studies.h"
#include "study_command.h"

/* studies stand between them; what is no study yet is the first of the second part */
static const command *const before[] = {&run_command, &xml_command};
static const command *const behind[] = {
    &figures_command,  &counters_command, &bench_command,  &regress_command, &regress_time_command,
    &baseline_command, &compare_command,  &schema_command, &columns_command,
};
enum { BEFORE = sizeof before / sizeof *before, BEHIND = sizeof behind / sizeof *behind };

bool command_at(size_t index, command *out) {
  size_t count = 0;
  while (studies[count]) count++;
  if (index < BEFORE)
    *out = *before[index];
  else if (index < BEFORE + count)
    *out = study_command(studies[index - BEFORE]);
  else if (index < BEFORE + count + BEHIND)
    *out = *behind[index - BEFORE - count];
  else
    return false;
  return true;
}

bool command_find(const char *name, command *out) {
  for (size_t i = 0; command_at(i, out); i++)
    if (strcmp(out->name, name) == 0) return true;
  return false;
}
