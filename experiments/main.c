/*
 * essbench: chooses the command.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gsl/gsl_errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "commands.h"

static void print_help(FILE *stream) {
  fputs("essbench validates libess, the projection integrator, and races it against MuJoCo.\n\n"
        "usage: essbench COMMAND [OPTION...]\n\n",
        stream);
  for (size_t i = 0; commands[i]; i++)
    fprintf(stream, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
  fputs("\nessbench COMMAND --help lists a command's options.\n", stream);
}

static int refuse(const char *name) {
  fprintf(stderr, "essbench: %.60s is no command; there are", name);
  for (size_t i = 0; commands[i]; i++) fprintf(stderr, "%s %s", i ? "," : "", commands[i]->name);
  fputc('\n', stderr);
  return COMMAND_USAGE;
}

int main(int argc, char **argv) {
  // failures of GSL, and of writing past a file size limit, come back as statuses
  gsl_set_error_handler_off();
  signal(SIGXFSZ, SIG_IGN);
  if (argc < 2) {
    print_help(stderr);
    return COMMAND_USAGE;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
    print_help(stdout);
    return COMMAND_SUCCESS;
  }
  const command *const chosen = command_find(argv[1]);
  if (!chosen) return refuse(argv[1]);
  if (ESSBENCH_PROOF[0])
    fputs("essbench: warning: spoilt on purpose, for proof only (" ESSBENCH_PROOF ")\n", stderr);
  arguments given;
  arguments_parse(chosen, argc - 1, argv + 1, &given);
  const int status = chosen->run(&given);
  arguments_free(&given);
  return status;
}
