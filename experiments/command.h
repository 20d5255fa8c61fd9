/*
 * A command of the program: its name, the option groups it takes, and what it does.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef COMMAND_H
#define COMMAND_H

#include "arguments.h"

/* Exit statuses. */
enum { COMMAND_SUCCESS = 0, COMMAND_FAILURE = 1, COMMAND_USAGE = 2 };

typedef struct command {
  const char *name, *summary;
  unsigned groups;              /* argument_group bits */
  const char *positional;       /* names of the positional arguments, blank between; or NULL */
  const char *model;            /* the only model it runs, or NULL: --model chooses */
  int (*run)(arguments *given); /* returns an exit status; has said why when it is not 0 */
} command;

/* The table, NULL-terminated. */
extern const command *const commands[];

/* One line on the standard error, "essbench NAME: ...". Returns COMMAND_FAILURE, for `return`. */
__attribute__((format(printf, 2, 3))) int command_fail(const arguments *given, const char *format,
                                                       ...);

#endif
