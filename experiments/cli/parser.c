/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "parser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "names.h"
#include "option_table.h"
#include "solvers.h"
#include "streams.h"
#include "study.h"

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
  for (size_t i = 0; solver_types[i]; i++) names_add(&known, solver_types[i]->name);
  command_usage(given, "--%s %.60s is not accepted; %sthere are %s", option, name,
                names_hint(&known, ""), known.list);
}

/* the variant given, by the name that one of the command's solvers has for it */
static void resolve_variant(arguments *given) {
  const bool one = given->command->groups & ARGUMENTS_SOLVER;
  const solver_type *const *const solvers = one ? &given->solver : given->solvers;
  const char *const name = given->settings.variant;
  names known = names_for(name, strlen(name));
  for (size_t i = 0; i < (one ? 1 : given->solver_count); i++) {
    const char *const found = solver_variant(solvers[i], name);
    if (found) {
      given->settings.variant = found;
      return;
    }
    for (const char *const *v = solvers[i]->variants; v && *v; v++) names_add(&known, *v);
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

/* without --solver libess by one tolerance, or by the paper's method where one of its settings is
 * given */
static void choose_solver(arguments *given) {
  const unsigned paper = SETTING_EPSILON | SETTING_ORDER | SETTING_PROJECTION_MAX;
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
      command_usage(given, "--%s does not concern solver %s", line->option, solvers[0]->name);
}

/* ---- models ---------------------------------------------------------------------------------- */

__attribute__((noreturn)) static void refuse_model(const arguments *given, const char *name) {
  names known = names_for(name, strlen(name));
  for (size_t i = 0; model_types[i]; i++) names_add(&known, model_types[i]->name);
  command_usage(given, "model %.60s is not accepted; %sthere are %s", name, names_hint(&known, ""),
                known.list);
}

/* the model asked for, with the parameters given for it */
static void set_model(parse *p) {
  arguments *const given = p->given;
  const char *const only = given->command->model;
  const char *const name = only ? only : given->model_name ? given->model_name : "plate";
  const model_type *const type = model_find(name);
  if (!type) refuse_model(given, name);
  model_init(&given->m, type);
  for (size_t i = 0; i < p->table.parameter_count; i++) {
    char why[MODEL_MESSAGE_SIZE];
    if (p->text[i] && model_set_text(&given->m, p->table.parameter[i]->name, p->text[i], why))
      command_usage(given, "--%s", why);
  }
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

/* a word that no argument is for, behind an option that may have a value, or NULL */
__attribute__((noreturn)) static void refuse_word(const parse *p, const char *text,
                                                  const char *option) {
  const arguments *const given = p->given;
  const size_t taken = p->positional_count;
  if (option) command_usage(given, "%.60s is not accepted; %s=%.60s is", text, option, text);
  if (taken)
    command_usage(given, "%.60s is not accepted after %.60s; see essbench %s --help", text,
                  given->positionals[taken - 1], given->command->name);
  if (given->command->groups & ARGUMENTS_MODEL && !given->command->model && model_find(text))
    command_usage(given, "%.60s is not accepted; --model %.60s is", text, text);
  command_usage(given, "%.60s is not accepted; see essbench %s --help", text, given->command->name);
}

static void set_positional(parse *p, const char *text, const char *option) {
  arguments *const given = p->given;
  int length;
  if (!positional_name(given->command, p->positional_count, &length)) refuse_word(p, text, option);
  // the one argument of a command about models is its model
  if (given->command->groups & ARGUMENTS_MODEL) given->model_name = text;
  given->positionals[p->positional_count++] = text;
}

static void require_positionals(const parse *p) {
  const command *const c = p->given->command;
  int length;
  const char *const name = positional_name(c, p->positional_count, &length);
  if (name)
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

__attribute__((noreturn)) static void show_help(const parse *p) {
  const command *const c = p->given->command;
  const struct argp parser = {
      .options = p->table.option, .args_doc = c->positional, .doc = c->summary};
  char program[NAME_SIZE];
  // the same help whatever layout the user asks of other programs
  setenv("ARGP_HELP_FMT", "no-dup-args-note", 1);
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
      command_usage(p->given, "%s wants a value; see essbench %s --help", word,
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
    if (given->settings.variant) resolve_variant(given);
    check_settings(given);
  }
  if (c->groups & ARGUMENTS_MODEL) set_model(&p);
}

void arguments_free(arguments *given) {
  if (given->command->study) option_free(given->command->study->options, given->study_settings);
  free(given->study_settings);
  model_release(&given->m);
}
