/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of one command: their table, its help, and the words that fit it; and the parser of
 * the command line, which is one for all. */
#ifndef PARSER_H
#define PARSER_H

#include <argp.h>

#include "command.h"

/* ---- option table ---------------------------------------------------------------------------- */

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

/* Fills in the table of a command. It must stay where it is: options point into it. */
void option_table_build(option_table *table, const command *command);

/* ---- parser ---------------------------------------------------------------------------------- */

/*
 * Parses argv[1..] for `command`; argv[0] is replaced. Does not return on --help (status 0) nor on
 * a usage error (one line, status 2). Free with arguments_free.
 */
void arguments_parse(const command *command, int argc, char **argv, arguments *given);

void arguments_free(arguments *given);

#endif
