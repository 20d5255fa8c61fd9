/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench completion: a script that makes a shell complete essbench's commands, options and names.
 */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "names.h"
#include "parser.h"
#include "solvers.h"
#include "studies.h"

enum { OPTION_WORDS_SIZE = 1024 };

/* ---- what a word may be ---------------------------------------------------------------------- */

static void add(char words[OPTION_WORDS_SIZE], const char *word) {
  const size_t used = strlen(words);
  snprintf(words + used, OPTION_WORDS_SIZE - used, "%s%s", used ? " " : "", word);
}

static void add_all(char words[OPTION_WORDS_SIZE], const char *const all[]) {
  for (size_t i = 0; all && all[i]; i++) add(words, all[i]);
}

static void add_models(char words[OPTION_WORDS_SIZE]) {
  for (size_t i = 0; model_types[i]; i++) add(words, model_types[i]->name);
}

static void add_solvers(char words[OPTION_WORDS_SIZE]) {
  for (size_t i = 0; solver_types[i].type; i++) add(words, solver_types[i].type->name);
}

static void add_variants(char words[OPTION_WORDS_SIZE]) {
  for (size_t i = 0; solver_types[i].type; i++) {
    const char *const *const variants = solver_types[i].type->variants;
    bool known = false; // two solvers may share theirs
    for (size_t j = 0; j < i; j++) known = known || solver_types[j].type->variants == variants;
    if (!known) add_all(words, variants);
  }
}

/* the names that an option's value may be, blanks between; "" where it is a number or a file */
static void option_words(const option_table *t, const struct argp_option *o,
                         char words[OPTION_WORDS_SIZE]) {
  words[0] = '\0';
  if (o->key >= PARAMETER_KEY) {
    add_all(words, t->parameter[o->key - PARAMETER_KEY]->choices);
  } else if (o->key >= OPTION_KEY) {
    const study_option *const own = &t->command->study->options[o->key - OPTION_KEY];
    for (size_t i = 0; own->names && option_name_at(own, i); i++)
      add(words, option_name_at(own, i));
  } else if (strcmp(o->name, "model") == 0) {
    add_models(words);
  } else if (strcmp(o->name, "solver") == 0 || strcmp(o->name, "solvers") == 0) {
    add_solvers(words);
  } else if (strcmp(o->name, "variant") == 0) {
    add_variants(words);
  }
}

/* the same for an argument that is no option, by the name its command has for it */
static void operand_words(const char *operand, char words[OPTION_WORDS_SIZE]) {
  words[0] = '\0';
  if (!operand) return;
  if (strcmp(operand, "MODEL") == 0) add_models(words);
  if (strcmp(operand, "SHELL") == 0) add(words, "bash zsh");
  for (size_t i = 0; strstr(operand, "STUDY") && studies[i]; i++) add(words, studies[i]->name);
}

/* whether a value by that name is a path */
static bool is_path(const char *argument) {
  return argument && (strncmp(argument, "FILE", 4) == 0 || strncmp(argument, "DIR", 3) == 0 ||
                      strcmp(argument, "A B") == 0);
}

static bool is_shown(const struct argp_option *o) {
  return o->name && !(o->flags & OPTION_HIDDEN);
}

/* ---- bash ------------------------------------------------------------------------------------ */

/* what follows an option of the command: names, a path, or nothing that is known */
static void print_bash_values(const option_table *t) {
  char words[OPTION_WORDS_SIZE];
  for (const struct argp_option *o = t->option; o->name || o->doc; o++) {
    if (!is_shown(o) || !o->arg) continue;
    option_words(t, o, words);
    printf("    '%s --%s') values='%s' kind=%s ;;\n", t->command->name, o->name, words,
           *words            ? "names"
           : is_path(o->arg) ? "path"
                             : "none");
  }
}

static void print_bash_options(const option_table *t) {
  char words[OPTION_WORDS_SIZE];
  operand_words(t->command->positional, words);
  printf("    %s) operands='%s' paths=%d options='", t->command->name, words,
         is_path(t->command->positional));
  for (const struct argp_option *o = t->option; o->name || o->doc; o++)
    if (is_shown(o))
      printf("--%s%s ", o->name, o->arg && !(o->flags & OPTION_ARG_OPTIONAL) ? "=" : "");
  printf("' ;;\n");
}

static void print_bash(const arguments *given) {
  command c;
  option_table t;
  puts("# bash completion of essbench, written by `essbench completion bash`.\n"
       "_essbench() {\n"
       "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
       "  local command=${COMP_WORDS[1]} kind=word values= operands= options= paths=0 list=\n"
       "  COMPREPLY=()\n"
       "  # bash takes --NAME=VALUE for three words\n"
       "  if [ \"$word\" = = ]; then word=; "
       "elif [ \"$before\" = = ]; then before=${COMP_WORDS[COMP_CWORD - 2]}; fi\n"
       "  if [ \"$COMP_CWORD\" -eq 1 ]; then");
  fputs("    COMPREPLY=($(compgen -W '", stdout);
  for (size_t i = 0; given->commands(i, &c); i++) printf("%s ", c.name);
  puts("--help --version' -- \"$word\"))\n"
       "    return\n"
       "  fi\n"
       "  case \"$command $before\" in");
  for (size_t i = 0; given->commands(i, &c); i++) {
    option_table_build(&t, &c);
    print_bash_values(&t);
  }
  puts("  esac\n"
       "  case $command in");
  for (size_t i = 0; given->commands(i, &c); i++) {
    option_table_build(&t, &c);
    print_bash_options(&t);
  }
  puts("  esac\n"
       "  case $kind in\n"
       "    names)\n"
       "      # behind a comma another name begins\n"
       "      case $word in *,*) list=${word%,*}, word=${word##*,} ;; esac\n"
       "      COMPREPLY=($(compgen -P \"$list\" -W \"$values\" -- \"$word\")) ;;\n"
       "    path) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
       "    word)\n"
       "      case $word in\n"
       "        -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
       "        *) if [ $paths -eq 1 ]; then compopt -o filenames 2>/dev/null; "
       "COMPREPLY=($(compgen -f -- \"$word\")); "
       "else COMPREPLY=($(compgen -W \"$operands\" -- \"$word\")); fi ;;\n"
       "      esac\n"
       "      # a value follows at once\n"
       "      case ${COMPREPLY[0]-} in *=) compopt -o nospace 2>/dev/null ;; esac ;;\n"
       "  esac\n"
       "}\n"
       "complete -F _essbench essbench");
}

/* ---- zsh ------------------------------------------------------------------------------------- */

/* a text within the single quotes of a specification, where some letters are signs */
static void print_zsh_text(const char *text) {
  for (; *text; text++) {
    if (*text == '\'')
      fputs("'\\''", stdout);
    else
      printf("%s%c", strchr("[]:\\", *text) ? "\\" : "", *text);
  }
}

static void print_zsh_action(const char *words, bool path, bool list) {
  if (path)
    fputs("_files", stdout);
  else if (*words && list)
    printf("_values -s , name %s", words);
  else
    printf("(%s)", words);
}

static void print_zsh_option(const option_table *t, const struct argp_option *o) {
  char words[OPTION_WORDS_SIZE];
  option_words(t, o, words);
  printf(" \\\n        '--%s%s[", o->name,
         !o->arg                          ? ""
         : o->flags & OPTION_ARG_OPTIONAL ? "=-"
                                          : "=");
  print_zsh_text(o->doc ? o->doc : "");
  putchar(']');
  if (o->arg) {
    printf("%s", o->flags & OPTION_ARG_OPTIONAL ? "::" : ":");
    print_zsh_text(o->arg);
    putchar(':');
    print_zsh_action(words, is_path(o->arg), strchr(o->arg, ',') != NULL);
  }
  putchar('\'');
}

static void print_zsh_command(const command *c) {
  option_table t;
  char words[OPTION_WORDS_SIZE];
  option_table_build(&t, c);
  printf("    %s)\n      _arguments", c->name);
  for (const struct argp_option *o = t.option; o->name || o->doc; o++)
    if (is_shown(o)) print_zsh_option(&t, o);
  operand_words(c->positional, words);
  if (c->positional) {
    // without the brackets of one that may be absent, which _arguments would read
    const char *const name = c->positional + (*c->positional == '[');
    printf(" \\\n        '*:%.*s:", (int)strcspn(name, "]"), name);
    print_zsh_action(words, is_path(c->positional), false);
    putchar('\'');
  }
  puts(" ;;");
}

/* behind the commands of one title */
static void print_zsh_group(const char *title) {
  printf("    )\n    _describe -t commands '%s' commands\n", title);
}

static void print_zsh(const arguments *given) {
  command c;
  puts("#compdef essbench\n"
       "# zsh completion of essbench, written by `essbench completion zsh`.\n"
       "_essbench() {\n"
       "  if ((CURRENT == 2)); then\n"
       "    local -a commands");
  const char *title = NULL;
  for (size_t i = 0; given->commands(i, &c); title = c.title, i++) {
    if (title && c.title != title) print_zsh_group(title);
    if (c.title != title) puts("    commands=(");
    printf("    '%s:", c.name);
    print_zsh_text(c.summary);
    puts("'");
  }
  print_zsh_group(title);
  puts("    return\n"
       "  fi\n"
       "  shift words\n"
       "  ((CURRENT--))\n"
       "  case $words[1] in");
  for (size_t i = 0; given->commands(i, &c); i++) print_zsh_command(&c);
  puts("  esac\n"
       "}\n"
       "_essbench \"$@\"");
}

/* ---- the command ----------------------------------------------------------------------------- */

static int run(arguments *given) {
  const char *const shell = given->positionals[0];
  names known = names_for(shell, strlen(shell));
  names_add(&known, "bash");
  names_add(&known, "zsh");
  if (strcmp(shell, "bash") == 0)
    print_bash(given);
  else if (strcmp(shell, "zsh") == 0)
    print_zsh(given);
  else
    command_usage(given, "no completion for %.60s; %sthere are %s", shell, names_hint(&known, ""),
                  known.list);
  return COMMAND_SUCCESS;
}

const command completion_command = {
    .name = "completion",
    .summary = "script for completion of essbench's command line in bash or zsh",
    .example = "source <(essbench completion bash)",
    .positional = "SHELL",
    .run = run,
};
