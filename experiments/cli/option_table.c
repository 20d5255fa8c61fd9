/*
 * The options of every command, and those that are the parameters of the models.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "option_table.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "solvers.h"
#include "study.h"

/* groups of options in the order of the help */
enum { HELP_MAIN = 1, HELP_MODEL, HELP_PROJECTION, HELP_MUJOCO, HELP_RESULTS };

/* an option and the group it belongs to; `group` 0 ends a list */
typedef struct grouped_option {
  unsigned group;
  struct argp_option option;
} grouped_option;

/* a line above a group in the help */
#define HEADER(text, help_group)                                                                   \
  { NULL, 0, NULL, 0, text, help_group }

/* of two options with the same name the first that a command takes counts */
static const grouped_option grouped_options[] = {
    {ARGUMENTS_MODEL,
     {"model", KEY_MODEL, "NAME", 0, "affine3, hopper or plate (default plate)", HELP_MAIN}},
    {ARGUMENTS_SOLVERS,
     {"solvers", KEY_SOLVERS, "A,B", 0, "who races (default projection,mujoco)", HELP_MAIN}},
    {ARGUMENTS_RESTART,
     {"restart", KEY_RESTART, NULL, 0, "begin anew instead of going on where it was interrupted",
      HELP_MAIN}},
    {ARGUMENTS_PROCESSES, {"processes", KEY_PROCESSES, "COUNT", 0, NULL, HELP_MAIN}},
    {ARGUMENTS_PROCESSES, {"part", KEY_PART, "N", OPTION_HIDDEN, NULL, HELP_MAIN}},
    {ARGUMENTS_SEED,
     {"seed", KEY_SEED, "N", 0, "of initial conditions and of the order of runs (default 1)",
      HELP_MAIN}},
    {ARGUMENTS_SOLVER, {"solver", KEY_SOLVER, "NAME", 0, NULL, HELP_MAIN}},
    {ARGUMENTS_SETTINGS, {"variant", KEY_VARIANT, "NAME", 0, NULL, HELP_MAIN}},

    {ARGUMENTS_MODEL, HEADER("Parameters of the models:", HELP_MODEL)},

    {ARGUMENTS_SETTINGS, HEADER("Settings of libess:", HELP_PROJECTION)},
    {ARGUMENTS_SOLVERS,
     {"epsilon", KEY_SETTING, "X", 0,
      "half-width of every guard's neighbourhood, m for plate and hopper (default: as calibrated "
      "in the results folder, or else calibrated first)",
      HELP_PROJECTION}},
    {ARGUMENTS_SETTINGS, HEADER("Settings of MuJoCo:", HELP_MUJOCO)},
    {ARGUMENTS_JSON, {"json", KEY_JSON, NULL, 0, "print the result as JSON", HELP_RESULTS}},
    {ARGUMENTS_REFERENCE,
     {"no-reference", KEY_NO_REFERENCE, NULL, 0,
      "do not compute the reference, hence no error either", HELP_RESULTS}},
    {ARGUMENTS_COMPARE,
     {"minimum-effect", KEY_MINIMUM_EFFECT, "X", 0,
      "faster or slower is said of more than this, relative (default 0.05)", HELP_RESULTS}},
    {ARGUMENTS_COMPARE,
     {"fail-if-slower", KEY_FAIL_IF_SLOWER, NULL, 0,
      "exit status 1 when a solver is slower in B over all N", HELP_RESULTS}},
    {ARGUMENTS_TABLE, {"table", KEY_TABLE, NULL, 0, NULL, HELP_RESULTS}},
    {ARGUMENTS_FIGURES,
     {"label-knobs", KEY_LABEL_KNOBS, NULL, 0,
      "write the knob's value, where a power of ten, into the figures of work-precision",
      HELP_RESULTS}},
    {ARGUMENTS_STRICT,
     {"strict", KEY_STRICT, NULL, 0,
      "measure nothing, and fail, where the environment would spoil the times", HELP_RESULTS}},
    {ARGUMENTS_FOLDER,
     {"out", KEY_OUT, "DIR", 0, "folder for results (default results)", HELP_RESULTS}},
    {ARGUMENTS_FILE,
     {"output", 'o', "FILE", 0, "write to FILE instead of the standard output, which is -",
      HELP_RESULTS}},
    {~0U, {"help", 'h', NULL, 0, "this help", -1}},
    {0, {0}},
};

/* appends to a help text, which is cut where it does not fit */
__attribute__((format(printf, 2, 3))) static void append(char doc[OPTION_TABLE_DOC_SIZE],
                                                         const char *format, ...) {
  const size_t used = strlen(doc);
  va_list values;
  va_start(values, format);
  vsnprintf(doc + used, OPTION_TABLE_DOC_SIZE - used, format, values);
  va_end(values);
}

/* appends the parameter's help, with the names it may have, and its default */
static void describe_parameter(const model_parameter *parameter, char doc[OPTION_TABLE_DOC_SIZE]) {
  const char *const *const choice = parameter->choices;
  append(doc, "%s (", parameter->help);
  for (size_t i = 0; choice && choice[i]; i++)
    append(doc, "%s%s", i == 0 ? "" : choice[i + 1] ? ", " : " or ", choice[i]);
  if (choice)
    append(doc, ", default %s)", choice[(size_t)parameter->initial]);
  else
    append(doc, "default %g)", parameter->initial);
}

/* the names of the table of solvers, and the default */
static void list_solvers(char doc[OPTION_TABLE_DOC_SIZE]) {
  for (size_t i = 0; solver_types[i]; i++)
    append(doc, "%s%s", i == 0 ? "" : solver_types[i + 1] ? ", " : " or ", solver_types[i]->name);
  append(doc, " (default libess, or projection where a setting of the paper's method is given)");
}

/* the variants of each solver that has some */
static void list_variants(char doc[OPTION_TABLE_DOC_SIZE]) {
  append(doc, "the solver's method (default: its first):");
  const char *joint = " ";
  for (size_t i = 0; solver_types[i]; i++) {
    const char *const *const v = solver_types[i]->variants;
    if (!v) continue;
    append(doc, "%s%s ", joint, solver_types[i]->name);
    for (size_t k = 0; v[k]; k++) append(doc, "%s%s", k == 0 ? "" : v[k + 1] ? ", " : " or ", v[k]);
    joint = "; ";
  }
}

static const struct argp_option *option_named(const option_table *t, const char *name,
                                              size_t length) {
  for (const struct argp_option *o = t->option; o->name || o->doc; o++)
    if (o->name && strlen(o->name) == length && strncmp(o->name, name, length) == 0) return o;
  return NULL;
}

/* adds the parameters of one model as options; a name that several models have is one option, whose
 * help says what it is to each */
static void add_parameters(option_table *t, const model_type *type, bool several, size_t *count) {
  for (size_t i = 0; i < type->parameter_count; i++) {
    const model_parameter *const parameter = &type->parameters[i];
    const struct argp_option *const known =
        option_named(t, parameter->name, strlen(parameter->name));
    // an option of the command's own has the name
    if (known && known->key < PARAMETER_KEY) continue;
    if (!known && *count + 1 >= OPTION_TABLE_MAX) continue;
    const size_t index = known ? (size_t)(known->key - PARAMETER_KEY) : t->parameter_count++;
    char *const doc = t->doc[index];
    if (several) append(doc, "%s%s: ", *doc ? "; " : "", type->name);
    describe_parameter(parameter, doc);
    if (known) continue;
    t->parameter[index] = parameter;
    t->option[(*count)++] = (struct argp_option){.name = parameter->name,
                                                 .key = PARAMETER_KEY + (int)index,
                                                 .arg = parameter->choices ? "NAME" : "X",
                                                 .doc = doc,
                                                 .group = HELP_MODEL};
  }
}

/* the settings of solvers that the command takes, but for those it has in words of its own */
static void add_settings(option_table *t, unsigned groups, size_t *count) {
  for (int i = 0; settings_table[i].option; i++) {
    const setting *const line = &settings_table[i];
    if (!(groups & (line->alone ? ARGUMENTS_SOLVER : ARGUMENTS_SETTINGS)) ||
        option_named(t, line->option, strlen(line->option)))
      continue;
    t->option[(*count)++] = (struct argp_option){
        .name = line->option,
        .key = KEY_SETTING + i,
        .arg = line->argument,
        .doc = line->help,
        .group = line->owner == SETTING_OF_MUJOCO ? HELP_MUJOCO : HELP_PROJECTION};
  }
}

/* the options of a study; a default is told of unless the help tells of it */
static void add_study(option_table *t, const study *s, size_t *count) {
  for (size_t i = 0; s->options[i].name; i++) {
    const study_option *const o = &s->options[i];
    char *const doc = t->study[i];
    append(doc, "%s", o->help);
    if (o->initial && !strstr(o->help, "default")) append(doc, " (default %s)", o->initial);
    t->option[(*count)++] = (struct argp_option){.name = o->name,
                                                 .key = OPTION_KEY + (int)i,
                                                 .arg = o->argument,
                                                 .doc = doc,
                                                 .group = HELP_MAIN};
  }
  append(t->processes, "processes the %s are spread over (default %zu)", s->cells, s->processes);
}

void option_table_build(option_table *t, const command *c) {
  *t = (option_table){.command = c};
  list_solvers(t->solvers);
  list_variants(t->variants);
  size_t count = 0;
  if (c->study) add_study(t, c->study, &count);
  for (const grouped_option *g = grouped_options; g->group; g++) {
    // a command whose model is its argument has no choice of model
    if ((g->group != ~0U && !(c->groups & g->group)) ||
        (g->option.key == KEY_MODEL && (c->model || c->positional)))
      continue;
    if (g->option.name && option_named(t, g->option.name, strlen(g->option.name))) continue;
    t->option[count] = g->option;
    if (g->option.key == KEY_SOLVER) t->option[count].doc = t->solvers;
    if (g->option.key == KEY_VARIANT) t->option[count].doc = t->variants;
    if (g->option.key == KEY_PROCESSES && c->study) t->option[count].doc = t->processes;
    if (g->option.key == KEY_TABLE && c->study) t->option[count].doc = c->study->table;
    count++;
  }
  add_settings(t, c->groups, &count);
  if (!(c->groups & ARGUMENTS_MODEL)) return;
  for (size_t i = 0; model_types[i]; i++)
    if (!c->model || strcmp(c->model, model_types[i]->name) == 0)
      add_parameters(t, model_types[i], !c->model, &count);
}

__attribute__((noreturn)) static void refuse_option(const arguments *given, const char *word) {
  command_usage(given, "unknown option %.60s; see essbench %s --help", word, given->command->name);
}

/* a long option, exactly as it stands in the table; true when the next word is its value */
static bool check_long(const option_table *t, const arguments *given, const char *word) {
  const char *const name = word + 2;
  const size_t length = strcspn(name, "=");
  const struct argp_option *const o = option_named(t, name, length);
  if (!o) refuse_option(given, word);
  if (!o->arg && name[length])
    command_usage(given, "--%s takes no value, and %.60s gives one", o->name, word);
  return o->arg && !name[length];
}

/* an option by its letter, with its value in the same word or the next */
static bool check_short(const option_table *t, const arguments *given, const char *word) {
  const struct argp_option *o = t->option;
  while ((o->name || o->doc) && (!o->name || o->key != word[1])) o++;
  if (!o->name || (!o->arg && word[2])) refuse_option(given, word);
  return o->arg && !word[2];
}

/* getopt's own complaints are two lines each, and it takes options by halves of their names */
void option_table_check(const option_table *t, const arguments *given, int argc, char **argv) {
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    if (argv[i][0] != '-' || !argv[i][1]) continue;
    const bool is_long = argv[i][1] == '-';
    if (!(is_long ? check_long(t, given, argv[i]) : check_short(t, given, argv[i]))) continue;
    if (i + 1 == argc)
      command_usage(given, "%s wants a value; see essbench %s --help", argv[i],
                    given->command->name);
    i++;
  }
}
