/*
 * What the command line of every command says.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include <stdbool.h>

#include "model.h"
#include "option.h"
#include "solver.h"

typedef enum argument_group {
  ARGUMENTS_MODEL = 1,          /* --model and the models' parameters */
  ARGUMENTS_SOLVER = 2,         /* --solver, --h-max */
  ARGUMENTS_JSON = 4,           /* --json */
  ARGUMENTS_FOLDER = 8,         /* --out DIR */
  ARGUMENTS_FILE = 16,          /* --output FILE */
  ARGUMENTS_SOLVERS = 32,       /* --solvers */
  ARGUMENTS_SEED = 64,          /* --seed */
  ARGUMENTS_REFERENCE = 128,    /* --no-reference */
  ARGUMENTS_COMPARE = 256,      /* --minimum-effect, --fail-if-slower */
  ARGUMENTS_STRICT = 512,       /* --strict */
  ARGUMENTS_SETTINGS = 1024,    /* the solvers' settings */
  ARGUMENTS_FIGURES = 16384,    /* --label-knobs */
  ARGUMENTS_RESTART = 262144,   /* --restart */
  ARGUMENTS_PROCESSES = 524288, /* --processes */
  ARGUMENTS_TABLE = 1048576     /* --table */
} argument_group;

enum { ARGUMENTS_SOLVERS_MAX = 8, ARGUMENTS_POSITIONALS_MAX = 2 };

typedef struct command command;

typedef struct arguments {
  const command *command;
  const char *model_name;           /* NULL: not given */
  model m;                          /* parameters set, not prepared */
  const char *solver_name;          /* NULL: not given */
  const struct solver_type *solver; /* that one, or the one whose settings are given */
  solver_settings settings;
  unsigned settings_given; /* bits of solver_setting */
  bool json, no_reference;
  const char *folder;     /* of results */
  const char *file;       /* NULL: the standard output */
  size_t processes, part; /* part < processes: this is one of them, measuring its share only */
  bool label_knobs;
  bool table;               /* show results, measure nothing */
  bool restart;             /* begin anew whatever the journal holds */
  int argc;                 /* the command's own words, argv[1..argc-1], for processes */
  char **argv;              /* owned, the words are not */
  const char *solver_names; /* with commas between; NULL: none race */
  const struct solver_type *solvers[ARGUMENTS_SOLVERS_MAX];
  size_t solver_count;
  size_t seed;
  const char *positionals[ARGUMENTS_POSITIONALS_MAX]; /* as many as the command names */
  double minimum_effect; /* relative; smaller differences of time have no verdict */
  bool fail_if_slower, strict;
  void *study_settings; /* of the command's study; owned */
} arguments;

#endif
