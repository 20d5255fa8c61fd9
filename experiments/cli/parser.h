/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parser of the command line, which is one for all commands. */
#ifndef PARSER_H
#define PARSER_H

#include "command.h"

/*
 * Parses argv[1..] for `command`; argv[0] is replaced. Does not return on --help (status 0) nor on
 * a usage error (one line, status 2). Free with arguments_free.
 */
void arguments_parse(const command *command, int argc, char **argv, arguments *given);

void arguments_free(arguments *given);

/* Prints all models, with the parameters of each. */
void models_print(void);

#endif
