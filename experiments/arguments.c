/*
 * The command line: option tables, the models' parameters as options, and what each value means.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "arguments.h"

#include <argp.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "measure.h"
#include "protocol.h"
#include "solvers.h"

enum { OPTIONS_MAX = 96, LINE_SIZE = 320 };

/* keys of options without a letter; the models' parameters follow PARAMETER_KEY */
enum {
  KEY_MODEL = 256,
  KEY_SOLVER,
  KEY_EPSILON,
  KEY_RTOL,
  KEY_ATOL,
  KEY_H_MAX,
  KEY_PROJECTION_MAX,
  KEY_TIME_STEP,
  KEY_REARM,
  KEY_SCALING,
  KEY_VARIANT,
  KEY_JSON,
  KEY_OUT,
  KEY_CONTACTS,
  KEY_TRIALS,
  KEY_SOLVERS,
  KEY_PROTOCOL,
  KEY_PROCESSES,
  KEY_PART,
  KEY_MIN_TIME,
  KEY_RESTART,
  KEY_SEED,
  KEY_NO_REFERENCE,
  KEY_MINIMUM_EFFECT,
  KEY_FAIL_IF_SLOWER,
  KEY_STRICT,
  PARAMETER_KEY = 1024
};

/* an option and the group it belongs to; `group` 0 ends a list */
typedef struct grouped_option {
  unsigned group;
  struct argp_option option;
} grouped_option;

static const grouped_option grouped_options[] = {
    {ARGUMENTS_MODEL,
     {"model", KEY_MODEL, "NAME", 0, "affine3, hopper or plate (default plate)", 1}},
    {ARGUMENTS_SOLVER,
     {"solver", KEY_SOLVER, "NAME", 0, "projection, mujoco or reference (default projection)", 3}},
    {ARGUMENTS_SOLVER,
     {"epsilon", KEY_EPSILON, "M", 0, "half-width of every guard's neighbourhood (default 1e-3)",
      3}},
    {ARGUMENTS_SOLVER, {"rtol", KEY_RTOL, "X", 0, "relative tolerance (default 1e-8)", 3}},
    {ARGUMENTS_SOLVER, {"atol", KEY_ATOL, "X", 0, "absolute tolerance (default 1e-10)", 3}},
    {ARGUMENTS_SOLVER,
     {"h-max", KEY_H_MAX, "S", 0, "longest integration step (default inf: no limit)", 3}},
    {ARGUMENTS_SOLVER,
     {"projection-max", KEY_PROJECTION_MAX, "S", 0,
      "longest projection; beyond it guards are located (default: the output step; inf: no limit)",
      3}},
    {ARGUMENTS_SOLVER,
     {"time-step", KEY_TIME_STEP, "S", 0, "step of mujoco (default: the output step)", 3}},
    {ARGUMENTS_SOLVER,
     {"rearm", KEY_REARM, "RULE", 0, "mirror, or pool as in the paper (default mirror)", 3}},
    {ARGUMENTS_SOLVER,
     {"scaling", KEY_SCALING, "S", 0, "divides mujoco's added contact mass (default 1e6)", 3}},
    {ARGUMENTS_SOLVER,
     {"variant", KEY_VARIANT, "NAME", 0,
      "mujoco's integrator: Euler, RK4, implicit or implicitfast (default Euler)", 3}},
    {ARGUMENTS_SWEEP,
     {"contacts", KEY_CONTACTS, "LIST", 0,
      "2..100, 2..100..7, 2,5,10 or a mixture (default 2..100)", 1}},
    {ARGUMENTS_SWEEP,
     {"trials", KEY_TRIALS, "COUNT", 0,
      "initial conditions for each number of contacts (default 120)", 1}},
    {ARGUMENTS_SWEEP,
     {"solvers", KEY_SOLVERS, "A,B", 0, "who races (default projection,mujoco)", 1}},
    {ARGUMENTS_SWEEP,
     {"protocol", KEY_PROTOCOL, "A,B", 0, "paper, free, equal-error or several (default paper)",
      1}},
    {ARGUMENTS_SWEEP,
     {"processes", KEY_PROCESSES, "COUNT", 0, "processes the trials are spread over (default 1)",
      1}},
    {ARGUMENTS_SWEEP,
     {"min-time", KEY_MIN_TIME, "S", 0,
      "a sample repeats its run for at least this long (default 0: one run)", 1}},
    {ARGUMENTS_SWEEP,
     {"restart", KEY_RESTART, NULL, 0, "do not go on with an interrupted sweep, begin anew", 1}},
    {ARGUMENTS_SWEEP, {"part", KEY_PART, "N", OPTION_HIDDEN, NULL, 1}},
    {ARGUMENTS_SEED,
     {"seed", KEY_SEED, "N", 0, "of initial conditions and of the order of runs (default 1)", 1}},
    {ARGUMENTS_JSON, {"json", KEY_JSON, NULL, 0, "print the result as JSON", 5}},
    {ARGUMENTS_FOLDER, {"out", KEY_OUT, "DIR", 0, "folder for results (default results)", 5}},
    {ARGUMENTS_FILE, {"output", 'o', "FILE", 0, "write to FILE instead of the standard output", 5}},
    {ARGUMENTS_REFERENCE,
     {"no-reference", KEY_NO_REFERENCE, NULL, 0, "do not compute the reference (no rms_error)", 5}},
    {ARGUMENTS_COMPARE,
     {"minimum-effect", KEY_MINIMUM_EFFECT, "X", 0,
      "faster or slower is said of more than this, relative (default 0.05)", 4}},
    {ARGUMENTS_COMPARE,
     {"fail-if-slower", KEY_FAIL_IF_SLOWER, NULL, 0,
      "exit status 1 when a solver is slower in B over all N", 4}},
    {ARGUMENTS_STRICT,
     {"strict", KEY_STRICT, NULL, 0,
      "measure nothing, and fail, where the environment would spoil the times", 4}},
    {0, {0}},
};

/* what the parser needs beside the arguments themselves */
typedef struct parse {
  arguments *given;
  const char *model_name;
  size_t positional_count;
  struct argp_option options[OPTIONS_MAX];
  const model_parameter *parameter[OPTIONS_MAX]; /* by option key - PARAMETER_KEY */
  size_t parameter_count;
  const char *text[OPTIONS_MAX]; /* the values given for them */
} parse;

int command_fail(const arguments *given, const char *format, ...) {
  fprintf(stderr, "essbench %s: ", given->command->name);
  va_list values;
  va_start(values, format);
  vfprintf(stderr, format, values);
  va_end(values);
  fputc('\n', stderr);
  return COMMAND_FAILURE;
}

/* one line and status 2 */
__attribute__((format(printf, 2, 3), noreturn)) static void usage_error(const arguments *given,
                                                                        const char *format, ...) {
  fprintf(stderr, "essbench %s: ", given->command->name);
  va_list values;
  va_start(values, format);
  vfprintf(stderr, format, values);
  va_end(values);
  fputc('\n', stderr);
  exit(COMMAND_USAGE);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* a number in [min, max], `what` saying so */
static double number(const arguments *given, const char *option, const char *text, double min,
                     double max, const char *what) {
  double value;
  if (measure_number_parse(text, &value) || !(value >= min && value <= max))
    usage_error(given, "--%s %.60s is not accepted; it is %s", option, text, what);
  return value;
}

/* a whole number in [min, max] */
static unsigned long whole(const arguments *given, const char *option, const char *text,
                           unsigned long min, unsigned long max) {
  char *end;
  errno = 0;
  const unsigned long value = strtoul(text, &end, 10);
  if (*text < '0' || *text > '9' || *end || errno || value < min || value > max)
    usage_error(given, "--%s %.60s is not accepted; it is a whole number from %lu to %lu", option,
                text, min, max);
  return value;
}

/* the table's names as "a, b, c" */
static void list_solvers(char line[LINE_SIZE]) {
  line[0] = '\0';
  for (size_t i = 0; solver_types[i]; i++)
    snprintf(line + strlen(line), LINE_SIZE - strlen(line), "%s%s", i ? ", " : "",
             solver_types[i]->name);
}

static void list_models(char line[LINE_SIZE]) {
  line[0] = '\0';
  for (size_t i = 0; model_types[i]; i++)
    snprintf(line + strlen(line), LINE_SIZE - strlen(line), "%s%s", i ? ", " : "",
             model_types[i]->name);
}

static const solver_type *solver_named(const arguments *given, const char *option,
                                       const char *name) {
  const solver_type *const solver = solver_find(name);
  if (solver) return solver;
  char line[LINE_SIZE];
  list_solvers(line);
  usage_error(given, "--%s %.60s is not accepted; there are %s", option, name, line);
}

/* "a,b": each once, in the order given */
static void set_solvers(arguments *given, char *text) {
  given->solver_count = 0;
  for (char *name, *rest = text; (name = strsep(&rest, ","));) {
    const solver_type *const solver = solver_named(given, "solvers", name);
    for (size_t i = 0; i < given->solver_count; i++)
      if (given->solvers[i] == solver) usage_error(given, "--solvers names %s twice", name);
    if (given->solver_count == ARGUMENTS_SOLVERS_MAX)
      usage_error(given, "--solvers accepts at most %d names", ARGUMENTS_SOLVERS_MAX);
    given->solvers[given->solver_count++] = solver;
  }
}

/* "a,b": each once, in the order given */
static void set_protocols(arguments *given, const char *text) {
  char copy[LINE_SIZE], line[LINE_SIZE] = "";
  for (size_t i = 0; protocol_types[i]; i++)
    snprintf(line + strlen(line), LINE_SIZE - strlen(line), "%s%s", i ? ", " : "",
             protocol_types[i]->name);
  snprintf(copy, sizeof copy, "%s", text);
  given->protocol = text;
  given->protocol_count = 0;
  for (char *name, *rest = copy; (name = strsep(&rest, ","));) {
    const protocol_type *const protocol = protocol_find(name);
    if (!protocol) usage_error(given, "--protocol %.60s is not accepted; there are %s", name, line);
    for (size_t i = 0; i < given->protocol_count; i++)
      if (given->protocols[i] == protocol) usage_error(given, "--protocol names %s twice", name);
    given->protocols[given->protocol_count++] = protocol;
  }
}

static void set_contacts(arguments *given, const char *text) {
  char message[CONTACTS_RANGE_MESSAGE];
  contacts_range_free(&given->contacts);
  if (contacts_range_parse(text, &given->contacts, message))
    usage_error(given, "--contacts %s", message);
}

/* ---- options --------------------------------------------------------------------------------- */

/* the settings of solvers; false when `key` is none of them */
static bool set_solver_option(arguments *given, int key, const char *text) {
  static const char positive[] = "a finite number > 0";
  const double tiny = 5e-324, huge = 1.7e308;
  solver_settings *const s = &given->settings;
  switch (key) {
  case KEY_SOLVER:
    given->solver = solver_named(given, "solver", text);
    return true;
  case KEY_EPSILON:
    s->epsilon = number(given, "epsilon", text, tiny, huge, positive);
    given->epsilon_given = true;
    return true;
  case KEY_RTOL:
    s->rtol = number(given, "rtol", text, 0.0, 0.5, "a number from 0 to 0.5");
    return true;
  case KEY_ATOL:
    s->atol = number(given, "atol", text, tiny, huge, positive);
    return true;
  case KEY_H_MAX:
    s->h_max = number(given, "h-max", text, tiny, INFINITY, "a number > 0, or inf");
    return true;
  case KEY_PROJECTION_MAX:
    s->projection_max =
        number(given, "projection-max", text, tiny, INFINITY, "a number > 0, or inf");
    return true;
  case KEY_TIME_STEP:
    s->time_step = number(given, "time-step", text, tiny, huge, positive);
    return true;
  case KEY_SCALING:
    s->scaling = number(given, "scaling", text, 1.0, 1e12, "a number from 1 to 1e12");
    return true;
  case KEY_VARIANT:
    s->variant = text;
    return true;
  case KEY_REARM:
    if (strcmp(text, "mirror") != 0 && strcmp(text, "pool") != 0)
      usage_error(given, "--rearm %.60s is not accepted; it is mirror or pool", text);
    s->rearm = text[0] == 'm' ? ESS_REARM_MIRROR : ESS_REARM_POOL;
    return true;
  default:
    return false;
  }
}

/* where results go and what is swept; false when `key` is none of them */
static bool set_run_option(arguments *given, int key, char *text) {
  switch (key) {
  case KEY_JSON:
    given->json = true;
    return true;
  case KEY_NO_REFERENCE:
    given->no_reference = true;
    return true;
  case KEY_MINIMUM_EFFECT:
    given->minimum_effect =
        number(given, "minimum-effect", text, 0.0, 10.0, "a number from 0 to 10");
    return true;
  case KEY_FAIL_IF_SLOWER:
    given->fail_if_slower = true;
    return true;
  case KEY_STRICT:
    given->strict = true;
    return true;
  case KEY_OUT:
    given->folder = text;
    return true;
  case 'o':
    given->file = text;
    return true;
  case KEY_CONTACTS:
    set_contacts(given, text);
    return true;
  case KEY_TRIALS:
    given->trials = whole(given, "trials", text, 1, 1000000);
    return true;
  case KEY_SOLVERS:
    set_solvers(given, text);
    return true;
  case KEY_SEED:
    given->seed = whole(given, "seed", text, 0, 4294967295UL);
    return true;
  case KEY_PROTOCOL:
    set_protocols(given, text);
    return true;
  case KEY_PROCESSES:
    given->processes = whole(given, "processes", text, 1, 1000);
    return true;
  case KEY_PART:
    given->part = whole(given, "part", text, 0, 999);
    return true;
  case KEY_MIN_TIME:
    given->min_time = number(given, "min-time", text, 0.0, 3600.0, "a number from 0 to 3600");
    return true;
  case KEY_RESTART:
    given->restart = true;
    return true;
  default:
    return false;
  }
}

/* ---- models ---------------------------------------------------------------------------------- */

/* the model asked for, with the parameters given for it */
static void set_model(parse *p) {
  arguments *const given = p->given;
  const char *const only = given->command->model;
  const char *const name = only ? only : p->model_name ? p->model_name : "plate";
  const model_type *const type = model_find(name);
  char message[LINE_SIZE];
  if (!type) {
    list_models(message);
    usage_error(given, "model %.60s is not accepted; there are %s", name, message);
  }
  model_init(&given->m, type);
  for (size_t i = 0; i < p->parameter_count; i++) {
    char why[MODEL_MESSAGE_SIZE];
    if (p->text[i] && model_set_text(&given->m, p->parameter[i]->name, p->text[i], why))
      usage_error(given, "%s", why);
  }
}

/* adds the parameters of one model as options, unless an earlier one has the same name */
static void add_parameters(parse *p, const model_type *type, size_t *count) {
  for (size_t i = 0; i < type->parameter_count; i++) {
    const model_parameter *const parameter = &type->parameters[i];
    bool known = false;
    for (size_t k = 0; k < *count; k++)
      known = known || strcmp(p->options[k].name, parameter->name) == 0;
    if (known || *count + 1 >= OPTIONS_MAX) continue;
    p->parameter[p->parameter_count] = parameter;
    p->options[(*count)++] = (struct argp_option){.name = parameter->name,
                                                  .key = PARAMETER_KEY + (int)p->parameter_count,
                                                  .arg = parameter->choices ? "CHOICE" : "X",
                                                  .doc = parameter->help,
                                                  .group = 2};
    p->parameter_count++;
  }
}

/* the option table of one command */
static void build_options(parse *p) {
  const command *const c = p->given->command;
  size_t count = 0;
  for (const grouped_option *g = grouped_options; g->group; g++) {
    // a command that runs one model only has no choice of model
    if (!(c->groups & g->group) || (g->option.key == KEY_MODEL && (c->model || c->positional)))
      continue;
    p->options[count++] = g->option;
  }
  if (!(c->groups & ARGUMENTS_MODEL)) return;
  for (size_t i = 0; model_types[i]; i++)
    if (!c->model || strcmp(c->model, model_types[i]->name) == 0)
      add_parameters(p, model_types[i], &count);
}

/* ---- parsing --------------------------------------------------------------------------------- */

/* the name of the command's positional argument number `index`; NULL when it has no such */
static const char *positional_name(const command *c, size_t index, int *length) {
  const char *name = c->positional;
  for (size_t i = 0; name && i < index; i++) {
    name = strchr(name, ' ');
    if (name) name++;
  }
  if (name) *length = (int)strcspn(name, " ");
  return name;
}

static void set_positional(parse *p, const char *text) {
  arguments *const given = p->given;
  int length;
  if (!positional_name(given->command, p->positional_count, &length))
    usage_error(given, "%.60s is not accepted; see essbench %s --help", text, given->command->name);
  // the one argument of a command about models is its model
  if (given->command->groups & ARGUMENTS_MODEL) p->model_name = text;
  given->positionals[p->positional_count++] = text;
}

static void require_positionals(const parse *p) {
  const command *const c = p->given->command;
  int length;
  const char *const name = positional_name(c, p->positional_count, &length);
  if (name) usage_error(p->given, "%.*s is missing; see essbench %s --help", length, name, c->name);
}

static error_t parse_option(int key, char *text, struct argp_state *state) {
  parse *const p = state->input;
  if (key >= PARAMETER_KEY && key < PARAMETER_KEY + (int)p->parameter_count) {
    p->text[key - PARAMETER_KEY] = text;
    return 0;
  }
  if (set_solver_option(p->given, key, text) || set_run_option(p->given, key, text)) return 0;
  switch (key) {
  case KEY_MODEL:
    p->model_name = text;
    return 0;
  case ARGP_KEY_ARG:
    set_positional(p, text);
    return 0;
  case ARGP_KEY_END:
    require_positionals(p);
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

/* getopt's own complaint about an unknown option is two lines and names no remedy */
static void refuse_unknown_options(const parse *p, int argc, char **argv) {
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    if (strncmp(argv[i], "--", 2) != 0) {
      const bool known = argv[i][0] != '-' || !argv[i][1] || strchr("o?", argv[i][1]);
      const bool is_number = argv[i][0] == '-' && strchr("0123456789.", argv[i][1]);
      if (!known && !is_number)
        usage_error(p->given, "unknown option %.60s; see essbench %s --help", argv[i],
                    p->given->command->name);
      continue;
    }
    const char *const name = argv[i] + 2;
    const size_t length = strcspn(name, "=");
    const struct argp_option *o = p->options;
    while (o->name && (strlen(o->name) != length || strncmp(o->name, name, length) != 0)) o++;
    const bool standard = !strcmp(name, "help") || !strcmp(name, "usage");
    if (!o->name && !standard)
      usage_error(p->given, "unknown option --%.*s; see essbench %s --help", (int)length, name,
                  p->given->command->name);
    if (!o->name || !o->arg || name[length] == '=') continue;
    if (++i == argc) usage_error(p->given, "--%s wants a value, %s", name, o->doc);
  }
}

void arguments_parse(const command *c, int argc, char **argv, arguments *given) {
  static char program[64];
  *given = (arguments){.command = c,
                       .settings = solver_settings_default(),
                       .folder = "results",
                       .trials = 120,
                       .protocol = "paper",
                       .protocols = {protocol_find("paper")},
                       .protocol_count = 1,
                       .processes = 1,
                       .part = SIZE_MAX,
                       .seed = 1,
                       .minimum_effect = 0.05,
                       .solver = &projection_solver,
                       .solvers = {&projection_solver, solver_find("mujoco")},
                       .solver_count = 2};
  parse p = {.given = given};
  if (c->groups & ARGUMENTS_SWEEP) set_contacts(given, "2..100");
  build_options(&p);
  refuse_unknown_options(&p, argc, argv);

  // the parser moves the words about
  given->argc = argc;
  given->argv = calloc((size_t)argc + 1, sizeof *given->argv);
  if (!given->argv) usage_error(given, "out of memory");
  memcpy(given->argv, argv, (size_t)argc * sizeof *argv);
  snprintf(program, sizeof program, "essbench %s", c->name);
  argv[0] = program;
  argp_err_exit_status = COMMAND_USAGE;
  const struct argp parser = {
      .options = p.options, .parser = parse_option, .args_doc = c->positional, .doc = c->summary};
  argp_parse(&parser, argc, argv, 0, NULL, &p);
  if (c->groups & ARGUMENTS_MODEL) set_model(&p);
}

void arguments_free(arguments *given) {
  contacts_range_free(&given->contacts);
  free(given->argv);
  model_release(&given->m);
  json_decref(given->environment);
}
