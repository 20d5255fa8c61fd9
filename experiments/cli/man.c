/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench man: the manual page essbench(1), from the tables of commands and options. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "parser.h"
#include "study.h"

/* text that holds no request and no escape; a minus sign is one that can be copied */
static void print_text(const char *text) {
  if (*text == '.' || *text == '\'') fputs("\\&", stdout);
  for (; *text; text++) {
    if (*text == '\\')
      fputs("\\e", stdout);
    else if (*text == '-')
      fputs("\\-", stdout);
    else
      putchar(*text);
  }
}

static void print_line(const char *text) {
  print_text(text);
  putchar('\n');
}

static void print_option(const struct argp_option *o) {
  puts(".TP");
  fputs(".BR \\-\\-", stdout);
  print_text(o->name);
  if (o->arg) {
    const bool optional = o->flags & OPTION_ARG_OPTIONAL;
    printf(" %s=\\fI", optional ? "[" : "");
    print_text(o->arg);
    printf("\\fR%s", optional ? "]" : "");
  }
  if (isalpha(o->key)) printf(" \", \" \\-%c", o->key);
  putchar('\n');
  print_line(o->doc ? o->doc : "");
}

/* options whose key is in [first, end), in the order of the help */
static void print_options(const option_table *t, int first, int end) {
  for (const struct argp_option *o = t->option; o->name || o->doc; o++)
    if (o->name && !(o->flags & OPTION_HIDDEN) && o->key >= first && o->key < end && o->key != 'h')
      print_option(o);
}

/* what all commands that run models or solvers share stands in sections of its own */
static void print_command(const command *c) {
  option_table t;
  option_table_build(&t, c);
  printf(".SS ");
  print_line(c->name);
  fputs(".B essbench ", stdout);
  print_text(c->name);
  puts("");
  puts(".RI [ OPTION ...]");
  if (c->positional) {
    fputs(".I ", stdout);
    print_line(c->positional);
  }
  puts(".PP");
  print_line(c->summary);
  print_options(&t, 0, KEY_SETTING);
  print_options(&t, OPTION_KEY, PARAMETER_KEY);
  const bool settings = c->groups & ARGUMENTS_SETTINGS, parameters = t.parameter_count > 0;
  if (settings || parameters)
    printf(".PP\nBeside them %s%s%s below.\n", settings ? "SETTINGS" : "",
           settings && parameters ? " and " : "", parameters ? "PARAMETERS" : "");
  if (c->study && c->study->words) puts(".PP\nOn the screen:");
  for (const study_word *w = c->study ? c->study->words : NULL; w && w->word; w++) {
    puts(".TP");
    print_line(w->word);
    print_line(w->meaning);
  }
  if (!c->example) return;
  puts(".PP\n.RS 4\n.nf");
  print_line(c->example);
  puts(".fi\n.RE");
}

static int run(arguments *given) {
  command c;
  option_table t;
  printf(".TH ESSBENCH 1 \"\" \"essbench %s\" \"User Commands\"\n", ESSBENCH_VERSION);
  puts(".SH NAME\n"
       "essbench \\- validate libess, an integrator of event\\-selected systems, and compare it "
       "with MuJoCo\n"
       ".SH SYNOPSIS\n"
       ".B essbench\n"
       ".I COMMAND\n"
       ".RI [ OPTION ...]\n"
       ".br\n"
       ".B essbench \\-\\-help\n"
       "|\n"
       ".B \\-\\-version\n"
       ".SH DESCRIPTION\n"
       "Each command has the options listed with it, and\n"
       ".BR \\-\\-help .\n"
       "A study writes its results into a folder, as CSV and JSON. After an interrupt the "
       "same\n"
       "command resumes it.");
  const char *title = NULL;
  for (size_t i = 0; given->commands(i, &c); title = c.title, i++) {
    if (c.title != title) printf(".SH COMMANDS: ");
    for (const char *at = c.title; c.title != title && *at; at++) putchar(toupper(*at));
    if (c.title != title) putchar('\n');
    print_command(&c);
  }
  option_table_build(&t, &run_command);
  puts(".SH SETTINGS\nSettings of the solvers.");
  print_options(&t, KEY_SETTING, OPTION_KEY);
  puts(".SH PARAMETERS\nParameters of the models.");
  print_options(&t, PARAMETER_KEY, PARAMETER_KEY + OPTION_TABLE_MAX);
  puts(".SH EXIT STATUS\n"
       ".TP\n.B 0\nsuccess.\n"
       ".TP\n.B 1\nfailure; one line on the standard error gives the reason.\n"
       ".TP\n.B 2\nwrong usage; one line names what was wrong and what is accepted.\n"
       ".TP\n.BR 130 \", \" 143\na signal ended it, SIGINT or SIGTERM.\n"
       ".SH SEE ALSO\n"
       ".BR libess (3),\n"
       ".BR gnuplot (1)");
  return COMMAND_SUCCESS;
}

const command man_command = {
    .name = "man",
    .summary = "the manual page essbench(1)",
    .example = "essbench man | man -l -",
    .run = run,
};
