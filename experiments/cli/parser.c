/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of one command: their table, its help, and the words that fit it. */
#include <argp.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "all_models.h"
#include "measure.h"
#include "mjcf.h"
#include "names.h"
#include "parser.h"
#include "solvers.h"
#include "study.h"

enum { OPTION_TABLE_MAX = 96, OPTION_TABLE_DOC_SIZE = 800, OPTION_TABLE_STUDY_MAX = 24 };

/* keys of options without a letter, each the first of its kind */
enum {
  COMMON_KEY = 256,
  KEY_SETTING = 384, /* the lines of settings_table */
  OPTION_KEY = 512,  /* the study's own */
  PARAMETER_KEY = 1024
};

/* The options a command takes, in the order of its help; ends with an empty one. */
typedef struct option_table {
  const command *command;
  struct argp_option option[OPTION_TABLE_MAX];
  size_t count, parameter_count;
  const model_parameter *parameter[OPTION_TABLE_MAX];        /* by key - PARAMETER_KEY */
  char doc[OPTION_TABLE_MAX][OPTION_TABLE_DOC_SIZE];         /* of those */
  char models[OPTION_TABLE_DOC_SIZE];                        /* help of --model */
  char solvers[OPTION_TABLE_DOC_SIZE];                       /* help of --solver */
  char variants[OPTION_TABLE_DOC_SIZE];                      /* help of --variant */
  char processes[OPTION_TABLE_DOC_SIZE];                     /* of a study's --processes */
  char table[OPTION_TABLE_DOC_SIZE];                         /* of its --table */
  char study[OPTION_TABLE_STUDY_MAX][OPTION_TABLE_DOC_SIZE]; /* of its own options */
} option_table;

/* groups of options in the order of the help */
enum { HELP_MAIN = 1, HELP_MODEL, HELP_PROJECTION, HELP_MUJOCO, HELP_RESULTS };

/* an option of several commands: it goes into their arguments. Those of a help text that depends on
 * the command have it in the table. `group` 0 ends the list */
typedef struct common_option {
  unsigned group; /* argument_group that has it; ~0: every command */
  int help_group;
  study_option option; /* without a name: a line above a group in the help */
  char letter;
  bool hidden;
  bool optional; /* its value, given by --NAME=VALUE; without one it is "" */
  size_t doc;    /* where in an option_table its help is; 0: here */
} common_option;

#define DOC(member) .doc = offsetof(option_table, member)

#define COMMON_LINE(group_, where, member, kind_, name_, argument_, ...)                           \
  {.group = group_,                                                                                \
   .help_group = HELP_##where,                                                                     \
   .option.name = name_,                                                                           \
   .option.argument = argument_,                                                                   \
   .option.kind = OPTION_##kind_,                                                                  \
   .option.offset = offsetof(arguments, member),                                                   \
   .option.help = __VA_ARGS__},

static const common_option common_options[] = {
    COMMON_OPTIONS(COMMON_LINE){ARGUMENTS_MODEL, HELP_MODEL,
                                .option = {.help = "Parameters of the models:"}},
    {ARGUMENTS_SETTINGS, HELP_PROJECTION, .option = {.help = "Settings of libess:"}},
    {ARGUMENTS_SETTINGS, HELP_MUJOCO, .option = {.help = "Settings of MuJoCo:"}},
    {~0U, -1, .option = {.name = "help", .help = "this help", .kind = OPTION_FLAG}, .letter = 'h'},
    {0},
};

static int key_of(const common_option *o) {
  return o->letter ? o->letter : COMMON_KEY + (int)(o - common_options);
}

/* the option of that key among those that go into a command's arguments as they are; NULL when it
 * is none of them */
static const study_option *option_table_common(int key) {
  for (const common_option *o = common_options; o->group; o++)
    if (key_of(o) == key) return &o->option;
  return NULL;
}

/* of the studies that race solvers where no epsilon is given */
static const char calibrated_epsilon[] =
    "half-width of every guard's neighbourhood, m for plate and hopper (default: from the "
    "calibration in --out, or a new one)";

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

/* "a, b or c": appends one of them */
static void append_name(char doc[OPTION_TABLE_DOC_SIZE], const char *name, bool is_last) {
  append(doc, "%s%s", !*doc ? "" : is_last ? " or " : ", ", name);
}

/* The help of a study that races MuJoCo tells of the models that MuJoCo has. It takes the others,
 * too, for races without MuJoCo. */
static bool is_shown(const command *c, const model_type *type) {
  const bool races = c->study && c->study->solvers && strstr(c->study->solvers, "mujoco");
  return !races || mjcf_has(type);
}

/* the models that the help tells of, and the default */
static void list_models(const command *c, char doc[OPTION_TABLE_DOC_SIZE]) {
  const model_type *shown[OPTION_TABLE_MAX];
  size_t count = 0, all = 0;
  for (; all_models_at(all); all++)
    if (is_shown(c, all_models_at(all))) shown[count++] = all_models_at(all);
  for (size_t i = 0; i < count; i++) append_name(doc, shown[i]->name, i + 1 == count);
  append(doc, " (default plate)%s",
         count < all ? "; in a race without MuJoCo any of essbench help models" : "");
}

/* the names of the table of solvers, and the default */
static void list_solvers(char doc[OPTION_TABLE_DOC_SIZE]) {
  for (size_t i = 0; solver_types[i].type; i++)
    append_name(doc, solver_types[i].type->name, !solver_types[i + 1].type);
  append(doc, " (default libess, or projection if a setting of the paper's method is given)");
}

/* the variants of each solver that has some */
static void list_variants(char doc[OPTION_TABLE_DOC_SIZE]) {
  append(doc, "variant of the solver (default: its first):");
  const char *joint = " ";
  for (size_t i = 0; solver_types[i].type; i++) {
    const char *const *const v = solver_types[i].type->variants;
    if (!v) continue;
    append(doc, "%s%s ", joint, solver_types[i].type->name);
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

/* adds an option unless there is one of its name: the first that a command takes counts */
static void add(option_table *t, struct argp_option option) {
  if (t->count + 1 >= OPTION_TABLE_MAX ||
      (option.name && option_named(t, option.name, strlen(option.name))))
    return;
  t->option[t->count++] = option;
}

/* the model's parameter of that name, or NULL */
static const model_parameter *parameter_named(const model_type *type, const char *name) {
  for (size_t i = 0; i < type->parameter_count; i++)
    if (strcmp(type->parameters[i].name, name) == 0) return &type->parameters[i];
  return NULL;
}

/* whether a model has a parameter of that name, and what it is to it */
static bool described(size_t i, const char *name, char text[OPTION_TABLE_DOC_SIZE]) {
  const model_parameter *const own = parameter_named(all_models_at(i), name);
  *text = '\0';
  if (own) describe_parameter(own, text);
  return own;
}

/* what a parameter is to every model that is shown: those to which it is the same stand together.
 * False where none of them has it */
static bool describe_to_all(const command *c, const char *name, char doc[OPTION_TABLE_DOC_SIZE]) {
  char text[OPTION_TABLE_DOC_SIZE], other[OPTION_TABLE_DOC_SIZE];
  for (size_t i = 0; all_models_at(i); i++) {
    if (!is_shown(c, all_models_at(i)) || !described(i, name, text)) continue;
    bool is_told = false;
    for (size_t k = 0; k < i && !is_told; k++)
      is_told =
          is_shown(c, all_models_at(k)) && described(k, name, other) && strcmp(other, text) == 0;
    if (is_told) continue;
    append(doc, "%s%s", *doc ? "; " : "", all_models_at(i)->name);
    for (size_t k = i + 1; all_models_at(k); k++)
      if (is_shown(c, all_models_at(k)) && described(k, name, other) && strcmp(other, text) == 0)
        append(doc, ", %s", all_models_at(k)->name);
    append(doc, ": %s", text);
  }
  return *doc;
}

/* adds the parameters of one model as options; a name that several models have is one option, whose
 * help says what it is to each */
static void add_parameters(option_table *t, const model_type *type, bool several) {
  for (size_t i = 0; i < type->parameter_count; i++) {
    const model_parameter *const parameter = &type->parameters[i];
    if (option_named(t, parameter->name, strlen(parameter->name))) continue;
    const size_t index = t->parameter_count++;
    char *const doc = t->doc[index];
    bool shown = true;
    if (several)
      shown = describe_to_all(t->command, parameter->name, doc);
    else
      describe_parameter(parameter, doc);
    t->parameter[index] = parameter;
    add(t, (struct argp_option){.name = parameter->name,
                                .key = PARAMETER_KEY + (int)index,
                                .arg = parameter->choices ? "NAME" : "X",
                                .flags = shown ? 0 : OPTION_HIDDEN,
                                .doc = doc,
                                .group = HELP_MODEL});
  }
}

/* the settings of solvers that the command takes */
static void add_settings(option_table *t) {
  const unsigned groups = t->command->groups;
  for (int i = 0; settings_table[i].option; i++) {
    const setting *const line = &settings_table[i];
    const bool is_calibrated = groups & ARGUMENTS_SOLVERS && 1 << i == SETTING_EPSILON;
    if (groups & (line->alone ? ARGUMENTS_SOLVER : ARGUMENTS_SETTINGS))
      add(t, (struct argp_option){.name = line->option,
                                  .key = KEY_SETTING + i,
                                  .arg = line->argument,
                                  .doc = is_calibrated ? calibrated_epsilon : line->help,
                                  .group = line->owner == SETTING_OF_MUJOCO ? HELP_MUJOCO
                                                                            : HELP_PROJECTION});
  }
}

/* the options of a study; a default is told of unless the help tells of it */
static void add_study(option_table *t, const study *s) {
  for (size_t i = 0; s->options && s->options[i].name; i++) {
    const study_option *const o = &s->options[i];
    char *const doc = t->study[i];
    append(doc, "%s", o->help);
    if (o->initial && !strstr(o->help, "default")) append(doc, " (default %s)", o->initial);
    add(t, (struct argp_option){.name = o->name,
                                .key = OPTION_KEY + (int)i,
                                .arg = o->argument,
                                .doc = doc,
                                .group = HELP_MAIN});
  }
  append(t->processes, "number of processes for the %s (default %zu)", s->cells, s->processes);
  append(t->table, "%s", s->table ? s->table : "");
}

/* a command whose model is its argument, or always the same, has no choice of model */
static bool is_taken(const command *c, const common_option *o) {
  const bool is_model = o->option.name && (strcmp(o->option.name, "model") == 0 ||
                                           strcmp(o->option.name, "file") == 0);
  return (o->group == ~0U || c->groups & o->group) && !(is_model && (c->model || c->positional));
}

static void option_table_build(option_table *t, const command *c) {
  *t = (option_table){.command = c};
  list_models(c, t->models);
  list_solvers(t->solvers);
  list_variants(t->variants);
  if (c->study) add_study(t, c->study);
  for (const common_option *o = common_options; o->group; o++)
    if (is_taken(c, o))
      add(t, (struct argp_option){.name = o->option.name,
                                  .key = o->option.name ? key_of(o) : 0,
                                  .arg = o->option.argument,
                                  .flags = (o->hidden ? OPTION_HIDDEN : 0) |
                                           (o->optional ? OPTION_ARG_OPTIONAL : 0),
                                  .doc = o->doc ? (const char *)t + o->doc : o->option.help,
                                  .group = o->help_group});
  add_settings(t);
  if (!(c->groups & ARGUMENTS_MODEL)) return;
  for (size_t i = 0; all_models_at(i); i++)
    if (!c->model || strcmp(c->model, all_models_at(i)->name) == 0)
      add_parameters(t, all_models_at(i), !c->model);
}

/* whether another command has it: who asks for that has made no slip of the finger */
static bool is_of_others(const char *name, size_t length) {
  for (const common_option *o = common_options; o->group; o++)
    if (o->option.name && strlen(o->option.name) == length &&
        strncmp(o->option.name, name, length) == 0)
      return true;
  return false;
}

__attribute__((noreturn)) static void refuse(const option_table *t, const arguments *given,
                                             const char *word) {
  const char *const name = word + strspn(word, "-");
  const size_t length = word[1] == '-' ? strcspn(name, "=") : 0;
  names known = names_for(name, is_of_others(name, length) ? 0 : length);
  for (const struct argp_option *o = t->option; o->name || o->doc; o++)
    if (o->name && !(o->flags & OPTION_HIDDEN)) names_add(&known, o->name);
  command_usage(given, "unknown option %.60s; %ssee essbench %s --help", word,
                names_hint(&known, "--"), given->command->name);
}

/* getopt takes options by halves of their names, and its own complaints are two lines each */
static const struct argp_option *option_table_find(const option_table *t, const arguments *given,
                                                   const char *word, const char **value) {
  const struct argp_option *o = t->option;
  const char *rest = word + 2;
  if (word[1] == '-') {
    const size_t length = strcspn(rest, "=");
    o = option_named(t, rest, length);
    rest += length;
  } else {
    while ((o->name || o->doc) && (!o->name || o->key != word[1])) o++;
  }
  if (!o || !o->name || (!o->arg && *rest && *rest != '=')) refuse(t, given, word);
  if (!o->arg && *rest)
    command_usage(given, "--%s takes no value, and %.60s gives one", o->name, word);
  *value = *rest ? rest + (word[1] == '-') : NULL;
  return o;
}

/* ---- the parser ------------------------------------------------------------------------------ */

enum { NAME_SIZE = 64 };

/* what the parser needs beside the arguments themselves */
typedef struct parse {
  arguments *given;
  size_t positional_count;
  bool help; /* is wanted */
  option_table table;
  const char *text[OPTION_TABLE_MAX]; /* the values given for the models' parameters */
} parse;

/* ---- solvers --------------------------------------------------------------------------------- */

static const solver_type *solver_named(const arguments *given, const char *option,
                                       const char *name) {
  const solver_type *const solver = solver_find(name);
  if (solver) return solver;
  names known = names_for(name, strlen(name));
  for (size_t i = 0; solver_types[i].type; i++) names_add(&known, solver_types[i].type->name);
  command_usage(given, "--%s %.60s is not accepted; %sthere are %s", option, name,
                names_hint(&known, ""), known.list);
}

/* the variant given, by the name that one of the command's solvers has for it */
static void resolve_variant(arguments *given) {
  const bool one = given->command->groups & ARGUMENTS_SOLVER;
  const solver_type *const *const solvers = one ? &given->solver : given->solvers;
  const char *const name = given->variant;
  names known = names_for(name, strlen(name));
  for (size_t i = 0; i < (one ? 1 : given->solver_count); i++) {
    const char *const found = solver_variant(solvers[i], name);
    if (found) {
      given->settings.variant = found;
      return;
    }
    for (const char *const *v = solvers[i]->variants; v && *v; v++) {
      size_t j = 0; // the first solver that has it
      while (j < i && !solver_variant(solvers[j], *v)) j++;
      if (j == i) names_add(&known, *v);
    }
  }
  if (!*known.list)
    command_usage(given, "--variant %.60s is not accepted; solver %s has no variants", name,
                  solvers[0]->name);
  command_usage(given, "--variant %.60s is not accepted; %sit is %s", name, names_hint(&known, ""),
                known.list);
}

/* "a,b": each once, in the order given; a copy is cut up, for the words given go to the command's
 * processes as they are */
static void choose_solvers(arguments *given) {
  char *const copy = strdup(given->solver_names);
  if (!copy) command_usage(given, "out of memory");
  for (char *name, *rest = copy; (name = strsep(&rest, ","));) {
    const solver_type *const solver = solver_named(given, "solvers", name);
    for (size_t i = 0; i < given->solver_count; i++)
      if (given->solvers[i] == solver) command_usage(given, "--solvers names %s twice", name);
    if (given->solver_count == ARGUMENTS_SOLVERS_MAX)
      command_usage(given, "--solvers accepts at most %d names", ARGUMENTS_SOLVERS_MAX);
    given->solvers[given->solver_count++] = solver;
  }
  free(copy);
}

/* ---- options --------------------------------------------------------------------------------- */

/* --rtol and --atol stand, before or after a --tolerance that is given too */
static void set_tolerance(arguments *given, double tolerance) {
  if (!(given->settings_given & SETTING_RTOL)) given->settings.rtol = tolerance;
  if (!(given->settings_given & SETTING_ATOL)) given->settings.atol = tolerance;
}

static void set_setting(arguments *given, const setting *line, const char *text) {
  char message[MEASURE_MESSAGE_SIZE];
  unsigned long whole = 0;
  double value = 0.0;
  given->settings_given |= 1U << (line - settings_table);
  const int refused = line->whole ? option_whole(line->option, text, (unsigned long)line->min,
                                                 (unsigned long)line->max, &whole, message)
                                  : option_number(line->option, text, line->min, line->max,
                                                  line->accepts, &value, message);
  if (refused) command_usage(given, "%s", message);
  if (line->whole) value = (double)whole;
  if (line->name)
    setting_put(line, &given->settings, value);
  else
    set_tolerance(given, value);
}

/* without --solver a setting of the paper's method chooses that, and --tolerance alone libess:
 * which one is meant by both, nobody knows */
static void refuse_both(const arguments *given, unsigned paper) {
  if (!(given->command->groups & ARGUMENTS_SOLVER && given->settings_given & SETTING_TOLERANCE &&
        given->settings_given & paper))
    return;
  const setting *line = settings_table;
  while (!(given->settings_given & paper & 1U << (line - settings_table))) line++;
  command_usage(given,
                "--%s belongs to the paper's method, and --tolerance to libess, if no --solver is "
                "given; add --solver %s, or leave out --%s",
                line->option, projection_solver.name, line->option);
}

/* without --solver libess by one tolerance, or by the paper's method where one of its settings is
 * given */
static void choose_solver(arguments *given) {
  const unsigned paper = SETTING_EPSILON | SETTING_ORDER | SETTING_PROJECTION_MAX;
  if (!given->solver_name) refuse_both(given, paper);
  if (given->solver_name)
    given->solver = solver_named(given, "solver", given->solver_name);
  else
    given->solver = given->settings_given & paper ? &projection_solver : &libess_solver;
}

/* every setting given concerns a solver that runs */
static void check_settings(const arguments *given) {
  const bool one = given->command->groups & ARGUMENTS_SOLVER;
  const solver_type *const *const solvers = one ? &given->solver : given->solvers;
  unsigned concern = 0;
  for (size_t i = 0; i < (one ? 1 : given->solver_count); i++)
    concern |= solver_concerns(solvers[i]);
  for (const setting *line = settings_table; line->option; line++)
    if (given->settings_given & ~concern & 1U << (line - settings_table))
      command_usage(given, "--%s does not apply to solver %s", line->option, solvers[0]->name);
}

/* ---- models ---------------------------------------------------------------------------------- */

__attribute__((noreturn)) static void refuse_model(const arguments *given, const char *name) {
  names known = names_for(name, strlen(name));
  for (size_t i = 0; all_models_at(i); i++) names_add(&known, all_models_at(i)->name);
  command_usage(given, "model %.60s is not accepted; %sthere are %s", name, names_hint(&known, ""),
                known.list);
}

/* the model asked for, with the parameters given for it */
static void set_model(parse *p) {
  arguments *const given = p->given;
  const char *const only = given->command->model;
  const char *const name = only ? only : given->model_name ? given->model_name : "plate";
  const model_type *const type = all_models_find(name);
  if (!type) refuse_model(given, name);
  model_init(&given->m, type);
  given->m.file = given->model_file;
  if (type->from_file && given->command->positional)
    command_usage(given, "model %s is not accepted; it is a file already", type->name);
  if (type->from_file && !given->model_file)
    command_usage(given, "--model %s needs --file FILE", type->name);
  if (type->from_file && access(given->model_file, R_OK))
    exit(command_fail(given, "%s cannot be read: %s", given->model_file, strerror(errno)));
  if (!type->from_file && given->model_file)
    command_usage(given, "--file needs --model mjcf; the model is %s", type->name);
  for (size_t i = 0; i < p->table.parameter_count; i++) {
    char why[MODEL_MESSAGE_SIZE];
    if (p->text[i] && model_set_text(&given->m, p->table.parameter[i]->name, p->text[i], why))
      command_usage(given, "--%s", why);
  }
}

/* ---- parsing --------------------------------------------------------------------------------- */

/* the name of the command's positional argument number `index`, in brackets where it may be absent;
 * NULL when it has no such */
static const char *positional_name(const command *c, size_t index, int *length) {
  const char *name = c->positional;
  for (size_t i = 0; name && i < index; i++) {
    name = strchr(name, ' ');
    if (name) name++;
  }
  if (name) *length = (int)strcspn(name, " ");
  return name;
}

/* whether the last of its positional arguments takes several words */
static bool takes_several(const command *c) {
  const size_t length = c->positional ? strlen(c->positional) : 0;
  return length > 3 && strcmp(c->positional + length - 3, "...") == 0;
}

/* another word of the last argument, a line each */
static void add_positional(parse *p, const char *text) {
  arguments *const given = p->given;
  const char **const last = &given->positionals[p->positional_count - 1];
  char *joined;
  if (asprintf(&joined, "%s\n%s", *last, text) < 0) command_usage(given, "out of memory");
  free(given->several);
  *last = given->several = joined;
}

/* a word that no argument is for, behind an option that may have a value, or NULL */
__attribute__((noreturn)) static void refuse_word(const parse *p, const char *text,
                                                  const char *option) {
  const arguments *const given = p->given;
  const size_t taken = p->positional_count;
  if (option) command_usage(given, "%.60s is not accepted; %s=%.60s is", text, option, text);
  if (taken)
    command_usage(given, "%.60s is not accepted after %.60s; see essbench %s --help", text,
                  given->positionals[taken - 1], given->command->name);
  if (given->command->groups & ARGUMENTS_MODEL && !given->command->model && all_models_find(text))
    command_usage(given, "%.60s is not accepted; --model %.60s is", text, text);
  command_usage(given, "%.60s is not accepted; see essbench %s --help", text, given->command->name);
}

static void set_positional(parse *p, const char *text, const char *option) {
  arguments *const given = p->given;
  int length;
  if (!positional_name(given->command, p->positional_count, &length)) {
    if (!takes_several(given->command) || option) refuse_word(p, text, option);
    add_positional(p, text);
    return;
  }
  // the one argument of a command about models is its model
  if (given->command->groups & ARGUMENTS_MODEL) given->model_name = text;
  given->positionals[p->positional_count++] = text;
}

static void require_positionals(const parse *p) {
  const command *const c = p->given->command;
  int length;
  const char *const name = positional_name(c, p->positional_count, &length);
  if (name && *name != '[')
    command_usage(p->given, "%.*s is missing; see essbench %s --help", length, name, c->name);
}

/* a meaning begins where those of options do, and ends before a terminal does */
static void show_word(const study_word *w) {
  enum { BEGIN = 28, END = 79 };
  int at = printf("  %s", w->word);
  if (at < BEGIN) at += printf("%*s", BEGIN - at, "");
  for (const char *word = w->meaning; *word; word += strspn(word, " ")) {
    const size_t length = strcspn(word, " ");
    if (at + 1 + (int)length > END) at = printf("\n%*s", BEGIN, "") - 1;
    at += printf(" %.*s", (int)length, word);
    word += length;
  }
  putchar('\n');
}

/* The same help whatever layout the user asks of other programs: 100 columns, or those of a
 * terminal that has fewer. */
static void set_layout(void) {
  enum { MOST = 100, LEAST = 60 };
  struct winsize screen = {0};
  char layout[64];
  const bool is_screen = !ioctl(STDOUT_FILENO, TIOCGWINSZ, &screen) && screen.ws_col > 0;
  const int width = !is_screen || screen.ws_col > MOST ? MOST
                    : screen.ws_col < LEAST            ? LEAST
                                                       : screen.ws_col - 1;
  snprintf(layout, sizeof layout, "no-dup-args-note,rmargin=%d,opt-doc-col=27", width);
  setenv("ARGP_HELP_FMT", layout, 1);
}

void models_print(void) {
  static const command none;
  set_layout();
  for (size_t i = 0; all_models_at(i); i++) {
    option_table t = {.command = &none};
    add_parameters(&t, all_models_at(i), false);
    printf("%s%s: %s\n", i ? "\n" : "", all_models_at(i)->name, all_models_at(i)->summary);
    argp_help(&(struct argp){.options = t.option}, stdout, ARGP_HELP_LONG, "essbench");
  }
}

__attribute__((noreturn)) static void show_help(const parse *p) {
  const command *const c = p->given->command;
  const struct argp parser = {
      .options = p->table.option, .args_doc = c->positional, .doc = c->summary};
  char program[NAME_SIZE];
  set_layout();
  snprintf(program, sizeof program, "essbench %s", c->name);
  argp_help(&parser, stdout, ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC, program);
  const study_word *word = c->study ? c->study->words : NULL;
  if (word) puts("\nOn the screen:\n");
  for (; word && word->word; word++) show_word(word);
  if (c->example) printf("\nExample: %s\n", c->example);
  exit(streams_close(COMMAND_SUCCESS));
}

static void set_option(arguments *given, const study_option *o, const char *text, void *into) {
  char message[MEASURE_MESSAGE_SIZE];
  if (option_set(o, text, into, message)) command_usage(given, "%s", message);
}

static void set_value(parse *p, int key, const char *text) {
  arguments *const given = p->given;
  const study_option *const common = option_table_common(key);
  if (key == 'h')
    p->help = true;
  else if (common)
    set_option(given, common, text, given);
  else if (key >= PARAMETER_KEY)
    p->text[key - PARAMETER_KEY] = text;
  else if (key >= OPTION_KEY)
    set_option(given, &given->command->study->options[key - OPTION_KEY], text,
               given->study_settings);
  else
    set_setting(given, &settings_table[key - KEY_SETTING], text);
}

/* behind "--" no word is an option any more; what follows --help is read, too */
static void parse_words(parse *p, int argc, char **argv) {
  bool options = true;
  const char *open = NULL; // the option just before, whose value need not be
  for (int i = 1; i < argc; i++) {
    const char *const word = argv[i], *value;
    const bool is_end = options && strcmp(word, "--") == 0;
    options = options && !is_end;
    if (is_end) continue;
    if (!options || word[0] != '-' || !word[1]) {
      set_positional(p, word, open);
      open = NULL;
      continue;
    }
    const struct argp_option *const o = option_table_find(&p->table, p->given, word, &value);
    open = o->flags & OPTION_ARG_OPTIONAL && !value ? word : NULL;
    if (open) value = "";
    if (o->arg && !value && !(value = argv[++i]))
      command_usage(p->given, "%s needs a value; see essbench %s --help", word,
                    p->given->command->name);
    set_value(p, o->key, value);
  }
  if (p->help) show_help(p);
  require_positionals(p);
}

static void set_defaults(arguments *given, const study *s) {
  char message[MEASURE_MESSAGE_SIZE] = "out of memory";
  given->study_settings = calloc(1, s->settings_size + 1);
  if (!given->study_settings || option_defaults(s->options, given->study_settings, message))
    command_usage(given, "%s", message);
}

void arguments_parse(const command *c, int argc, char **argv, arguments *given) {
  *given = (arguments){.command = c,
                       .settings = solver_settings_default(),
                       .argc = argc,
                       .argv = argv,
                       .folder = "results",
                       .processes = c->study ? c->study->processes : 0,
                       .solver_names = c->study ? c->study->solvers : NULL,
                       .part = SIZE_MAX,
                       .seed = 1,
                       .minimum_effect = 0.05};
  parse p = {.given = given};
  if (c->study) set_defaults(given, c->study);
  option_table_build(&p.table, c);
  parse_words(&p, argc, argv);
  if (given->file && strcmp(given->file, "-") == 0) given->file = NULL;
  if (given->solver_names) choose_solvers(given);
  if (c->groups & ARGUMENTS_SETTINGS) {
    choose_solver(given);
    if (given->variant) resolve_variant(given);
    check_settings(given);
  }
  if (c->groups & ARGUMENTS_MODEL) set_model(&p);
}

void arguments_free(arguments *given) {
  if (given->command->study) option_free(given->command->study->options, given->study_settings);
  free(given->study_settings);
  free(given->several);
  model_release(&given->m);
}
