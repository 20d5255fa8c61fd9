/*
 * A command of the program: its name, the option groups it takes, and what it does.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef COMMAND_H
#define COMMAND_H

#include <jansson.h>

#include "arguments.h"

/* Exit statuses. */
enum { COMMAND_SUCCESS = 0, COMMAND_FAILURE = 1, COMMAND_USAGE = 2 };

typedef struct command {
  const char *name, *summary;
  unsigned groups;              /* argument_group bits */
  const char *positional;       /* names of the positional arguments, blank between; or NULL */
  const char *model;            /* the only model it runs, or NULL: --model chooses */
  const char *example;          /* a whole command line for its help, or NULL */
  int (*run)(arguments *given); /* returns an exit status; has said why when it is not 0 */
  const struct study *study;    /* whose options are its own as well; or NULL */
} command;

/* One line on the standard error, "essbench NAME: ...". Returns COMMAND_FAILURE, for `return`. */
__attribute__((format(printf, 2, 3))) int command_fail(const arguments *given, const char *format,
                                                       ...);

/* The same for a solver's status that is not 0: COMMAND_USAGE when it is SOLVER_REFUSED. */
int command_stop(const arguments *given, int status, const char *message);

/* Writes a result as JSON to --output, or prints it, and drops the reference. An exit status; NULL
 * is a failure. */
int command_result(const arguments *given, json_t *result);

/* As command_fail for an argument that is not accepted. Ends the program with COMMAND_USAGE. */
__attribute__((format(printf, 2, 3), noreturn)) void command_usage(const arguments *given,
                                                                   const char *format, ...);

/* Appends a name to a list of what there is, "a, b, c", which is cut where it does not fit. */
void command_list(char *list, size_t size, const char *name);

/* As command_fail where no command is known yet, "essbench: ...". Returns COMMAND_USAGE. */
__attribute__((format(printf, 1, 2))) int command_unknown(const char *format, ...);

#endif
