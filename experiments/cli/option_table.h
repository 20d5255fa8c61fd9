/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of one command: the table the parser reads, its help, and the words that fit it. */
#ifndef OPTION_TABLE_H
#define OPTION_TABLE_H

#include <argp.h>

#include "command.h"

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

/* The option of that key among those that go into a command's arguments as they are; NULL when it
 * is none of them. */
const study_option *option_table_common(int key);

/* The option of the table that a word names, by all of its name or its letter, and the value that
 * the same word gives it, or NULL. Ends the program with one line where there is none, or where it
 * takes no value and has one. */
const struct argp_option *option_table_find(const option_table *table, const arguments *given,
                                            const char *word, const char **value);

#endif
