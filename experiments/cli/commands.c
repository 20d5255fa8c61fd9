/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of commands: a new study is a file or a preset, and one line in studies/studies.c. */
#include "command.h"

#include <string.h>

#include "studies.h"
#include "study_run.h"

static int run_study(arguments *given) {
  char message[SOLVER_MESSAGE_SIZE];
  const study *const s = given->command->study;
  study_share share = {0};
  if (given->share && study_share_parse(given->share, &share, message))
    return command_stop(given, SOLVER_REFUSED, message);
  if (given->share && (given->restart || given->table || given->json))
    command_usage(given, "--%s does not go with --share",
                  given->restart ? "restart"
                  : given->table ? "table"
                                 : "json");
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
                                 .share = share,
                                 .argc = given->argc,
                                 .argv = given->argv,
                                 .m = &given->m,
                                 .racers = {.count = given->solver_count,
                                            .solver = given->solvers,
                                            .settings = given->settings,
                                            .given = given->settings_given,
                                            .by_default = given->solver_names == s->solvers},
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
      .groups = ARGUMENTS_FOLDER | (s->brief ? 0 : ARGUMENTS_RESTART | ARGUMENTS_SHARE) |
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

/* all that are no study, nor a preset */
static const command *const commands[] = {
    &run_command,      &derivative_command, &xml_command,     &figures_command,
    &counters_command, &bench_command,      &columns_command, &merge_command,
};

/* in the order of the help, under its titles, before the studies of the group */
static const struct {
  const char *title, *names[12];
} groups[] = {
    [STUDY_RUNS] = {"Single runs", {"run", "derivative", "xml"}},
    [STUDY_COMPARES] = {"Compare and measure", {0}},
    [STUDY_VALIDATES] = {"Validate", {0}},
    [STUDY_MECHANISMS] = {"Robots and mechanisms", {0}},
    [STUDY_TOOLS] = {"Results and tools",
                     {"figures", "compare", "counters", "bench", "regress", "regress-time",
                      "baseline", "merge", "columns"}},
};

bool command_at(size_t index, command *out) {
  for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
    for (const char *const *name = groups[g].names; *name; name++)
      if (!index--) return command_find(*name, out) && (out->title = groups[g].title);
    for (size_t i = 0; studies[i]; i++) {
      if (studies[i]->group != g || index--) continue;
      *out = study_command(studies[i]);
      out->title = groups[g].title;
      return true;
    }
  }
  return false;
}

/* flags that make a command another one */
static const struct {
  const char *command, *flag, *other;
} flags[] = {{"robot", "--derivative", "robot-derivative"},
             {"robot", "--compare", "robot-compare"},
             {"robot", "--race", "robot-race"},
             {"robots", "--race", "robots-race"}};

void command_by_flag(command *chosen, int *argc, char **argv) {
  const command asked = *chosen;
  const char *by = NULL;
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    for (int k = 0; strcmp(asked.name, flags[i].command) == 0 && k < *argc; k++) {
      if (strcmp(argv[k], flags[i].flag) != 0) continue;
      if (by && by != flags[i].flag)
        command_usage(&(arguments){.command = &asked}, "%s does not go with %s", by, flags[i].flag);
      by = flags[i].flag;
      if (command_find(flags[i].other, chosen))
        for (int j = k--, last = --*argc; j < last; j++) argv[j] = argv[j + 1];
    }
}

bool command_find(const char *name, command *out) {
  const study *const s = study_find(name);
  const command *found = NULL;
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    if (strcmp(commands[i]->name, name) == 0) found = commands[i];
  for (const command *c = judge_commands; c->name; c++)
    if (strcmp(c->name, name) == 0) found = c;
  if (s || found) *out = s ? study_command(s) : *found;
  return s || found;
}
