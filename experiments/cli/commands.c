/*
 * The table of commands: a new study is one file and one line in studies/studies.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "commands.h"

#include <string.h>

#include "studies.h"
#include "study_run.h"

static int run_study(arguments *given) {
  char message[SOLVER_MESSAGE_SIZE];
  const study *const s = given->command->study;
  // parameters that the user has no say in are those of the model's type
  if (!given->m.type && s->model) model_init(&given->m, model_find(s->model));
  const study_request request = {.folder = given->folder,
                                 .seed = given->seed,
                                 .restart = given->restart,
                                 .strict = given->strict,
                                 .table = given->table,
                                 .json = given->json,
                                 .operand = given->positionals[0],
                                 .processes = given->processes,
                                 .part = given->part,
                                 .argc = given->argc,
                                 .argv = given->argv,
                                 .m = &given->m,
                                 .racers = {.count = given->solver_count,
                                            .solver = given->solvers,
                                            .settings = given->settings,
                                            .given = given->settings_given},
                                 .settings = given->study_settings};
  const int status = study_execute(s, &request, message);
  const bool is_worker = given->part < given->processes;
  if (status && is_worker) return COMMAND_FAILURE;
  return status ? command_stop(given, status, message) : COMMAND_SUCCESS;
}

static command study_command(const study *s) {
  return (command){
      .name = s->name,
      .summary = s->summary,
      .groups = ARGUMENTS_FOLDER | (s->brief ? 0 : ARGUMENTS_RESTART) |
                (s->untimed ? 0 : ARGUMENTS_STRICT) | (s->unseeded ? 0 : ARGUMENTS_SEED) |
                (s->own_models ? 0 : ARGUMENTS_MODEL) | (s->processes ? ARGUMENTS_PROCESSES : 0) |
                (s->solvers ? ARGUMENTS_SOLVERS | ARGUMENTS_SETTINGS : 0) |
                (s->table ? ARGUMENTS_TABLE : 0) | (s->printable ? ARGUMENTS_JSON : 0),
      .positional = s->operand,
      .model = s->model,
      .example = s->example,
      .run = run_study,
      .study = s};
}

/* studies stand between them; what is no study yet is the first of the second part */
static const command *const before[] = {&run_command, &derivative_command, &xml_command};
static const command *const behind[] = {
    &figures_command,      &counters_command,   &bench_command,   &regress_command,
    &regress_time_command, &baseline_command,   &compare_command, &schema_command,
    &columns_command,      &completion_command, &man_command,
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
