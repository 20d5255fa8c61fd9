/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench: chooses the command. */
#include <gsl/gsl_errno.h>
#include <stdio.h>
#include <string.h>

#include "bridge.h"
#include "command.h"
#include "ess.h"
#include "names.h"
#include "parser.h"
#include "process.h"

static void print_help(FILE *stream) {
  fputs("essbench validates libess, an integrator of differential equations with state-dependent "
        "events, and\ncompares its errors and times with MuJoCo's.\n\n"
        "usage: essbench COMMAND [OPTION...]\n",
        stream);
  const char *title = NULL;
  command c;
  for (size_t i = 0; command_at(i, &c); title = c.title, i++) {
    if (c.title != title) fprintf(stream, "\n%s\n", c.title);
    fprintf(stream, "  %-16s %s\n", c.name, c.summary);
  }
  fputs("\nessbench COMMAND --help lists a command's options.\n"
        "essbench help models lists the models and their parameters.\n"
        "essbench --version prints the versions of libess and MuJoCo.\n",
        stream);
}

static void print_version(void) {
  printf("essbench %s\nlibess %s\nMuJoCo %s\n", ESSBENCH_VERSION, ess_version(),
         bridge_version_string());
}

static bool is_one_of(const char *word, const char *name, char letter) {
  return strcmp(word, name) == 0 || (word[0] == '-' && word[1] == letter && !word[2]);
}

static int refuse(const char *name) {
  names known = names_for(name, strlen(name));
  command c;
  for (size_t i = 0; command_at(i, &c); i++) names_add(&known, c.name);
  names_add(&known, "--help");
  names_add(&known, "--version");
  return command_unknown("%.60s is not a command; %ssee essbench --help",
                         *name ? name : "an empty word", names_hint(&known, ""));
}

/* help COMMAND, as COMMAND --help; or of the models */
static int help_of(int argc, char **argv) {
  command chosen;
  if (strcmp(argv[2], "models") == 0) {
    if (argc > 3) return command_unknown("%.60s is not accepted after help models", argv[3]);
    models_print();
    return streams_close(COMMAND_SUCCESS);
  }
  if (!command_find(argv[2], &chosen)) return refuse(argv[2]);
  if (argc > 3)
    return command_unknown("%.60s is not accepted after help %s; one command is", argv[3],
                           chosen.name);
  char flag[] = "--help", *words[] = {argv[2], flag, NULL};
  arguments given;
  arguments_parse(&chosen, 2, words, &given); // shows the help, and ends the program
  return COMMAND_FAILURE;
}

int main(int argc, char **argv) {
  // failures of GSL come back as statuses
  gsl_set_error_handler_off();
  streams_open();
  if (argc < 2) return command_unknown("a command is missing; see essbench --help");
  if (strcmp(argv[1], "help") == 0 && argc > 2) return help_of(argc, argv);
  if (is_one_of(argv[1], "--help", 'h') || strcmp(argv[1], "help") == 0) {
    print_help(stdout);
    return streams_close(COMMAND_SUCCESS);
  }
  if (is_one_of(argv[1], "--version", 'V')) {
    print_version();
    return streams_close(COMMAND_SUCCESS);
  }
  command chosen;
  if (!command_find(argv[1], &chosen)) return refuse(argv[1]);
  arguments given;
  int count = argc - 1;
  command_by_flag(&chosen, &count, argv + 1);
  arguments_parse(&chosen, count, argv + 1, &given);
  const int status = chosen.run(&given);
  arguments_free(&given);
  return interrupts_status(streams_close(status));
}
