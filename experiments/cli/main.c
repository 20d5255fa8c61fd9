/*
 * essbench: chooses the command.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gsl/gsl_errno.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "commands.h"
#include "interrupts.h"
#include "parser.h"
#include "streams.h"

enum { NAMES_SIZE = 512 };

static void print_help(FILE *stream) {
  fputs("essbench validates libess, which integrates event-selected systems, and races it with "
        "MuJoCo.\n\n"
        "usage: essbench COMMAND [OPTION...]\n\n",
        stream);
  command c;
  for (size_t i = 0; command_at(i, &c); i++) fprintf(stream, "  %-14s %s\n", c.name, c.summary);
  fputs("\nessbench COMMAND --help lists a command's options.\n", stream);
}

static int refuse(const char *name) {
  char names[NAMES_SIZE] = "";
  command c;
  for (size_t i = 0; command_at(i, &c); i++)
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "", c.name);
  return command_unknown("%.60s is no command; there are %s", *name ? name : "an empty word",
                         names);
}

int main(int argc, char **argv) {
  // failures of GSL come back as statuses
  gsl_set_error_handler_off();
  streams_open();
  if (argc < 2) return command_unknown("which command? see essbench --help");
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
      strcmp(argv[1], "help") == 0) {
    print_help(stdout);
    return streams_close(COMMAND_SUCCESS);
  }
  command chosen;
  if (!command_find(argv[1], &chosen)) return refuse(argv[1]);
  if (ESSBENCH_PROOF[0])
    fputs("essbench: warning: spoilt on purpose, for proof only (" ESSBENCH_PROOF ")\n", stderr);
  arguments given;
  arguments_parse(&chosen, argc - 1, argv + 1, &given);
  const int status = chosen.run(&given);
  arguments_free(&given);
  return interrupts_status(streams_close(status));
}
