/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A command of the program: its name, the option groups it takes, what its command line says, and
 * what it does. */
#ifndef COMMAND_H
#define COMMAND_H

#include <jansson.h>
#include <stdbool.h>

#include "model.h"
#include "option.h"
#include "solver.h"

/* What the command line of every command says. */
typedef enum argument_group {
  ARGUMENTS_MODEL = 1,            /* --model and the models' parameters */
  ARGUMENTS_SOLVER = 2,           /* --solver, --h-max */
  ARGUMENTS_JSON = 4,             /* --json */
  ARGUMENTS_FOLDER = 8,           /* --out DIR */
  ARGUMENTS_FILE = 16,            /* --output FILE */
  ARGUMENTS_SOLVERS = 32,         /* --solvers */
  ARGUMENTS_SEED = 64,            /* --seed */
  ARGUMENTS_REFERENCE = 128,      /* --no-reference */
  ARGUMENTS_COMPARE = 256,        /* --minimum-effect, --fail-if-slower */
  ARGUMENTS_STRICT = 512,         /* --strict */
  ARGUMENTS_SETTINGS = 1024,      /* the solvers' settings */
  ARGUMENTS_FIGURES = 16384,      /* --label-knobs */
  ARGUMENTS_RESTART = 262144,     /* --restart */
  ARGUMENTS_PROCESSES = 524288,   /* --processes */
  ARGUMENTS_TABLE = 1048576,      /* --table */
  ARGUMENTS_DERIVATIVE = 2097152, /* --direction, --tie, --way, --outcome, --check */
  ARGUMENTS_TRAJECTORY = 4194304, /* --csv, --plot, --columns */
  ARGUMENTS_ORBIT = 8388608       /* --guess, --passages, --by, --to, --steps */
} argument_group;

enum { ARGUMENTS_SOLVERS_MAX = 8, ARGUMENTS_POSITIONALS_MAX = 2 };

typedef struct command command;

typedef struct arguments {
  const command *command;
  bool (*commands)(size_t index, command *out); /* the table of all, for those that tell of it */
  const char *model_name;                       /* NULL: not given */
  model m;                                      /* parameters set, not prepared */
  const char *solver_name;                      /* NULL: not given */
  const struct solver_type *solver;             /* that one, or the one whose settings are given */
  solver_settings settings;
  unsigned settings_given; /* bits of solver_setting */
  bool json, no_reference;
  const char *folder;     /* of results */
  const char *file;       /* NULL: the standard output */
  size_t processes, part; /* part < processes: this is one of them, measuring its share only */
  bool label_knobs;
  bool table;   /* show results, measure nothing */
  bool restart; /* begin anew whatever the database holds */
  int argc;     /* the command's own words, argv[1..argc-1], for processes */
  char **argv;
  const char *solver_names; /* with commas between; NULL: none race */
  const struct solver_type *solvers[ARGUMENTS_SOLVERS_MAX];
  size_t solver_count;
  size_t seed;
  const char *positionals[ARGUMENTS_POSITIONALS_MAX]; /* as many as the command names */
  double minimum_effect; /* relative; smaller differences of time have no verdict */
  bool fail_if_slower, strict;
  const char *direction; /* numbers with commas between; NULL: none */
  const char *way;       /* how a derivative is found; NULL: forward */
  bool check;            /* compare ways to find a derivative */
  const char *outcome;   /* of which it is printed by name; NULL: that of a model that ends */
  double tie;            /* s */
  const char *guess;     /* of an orbit, numbers with commas between; NULL: the model's start */
  size_t passages;       /* of the section, that make its period; 0: one */
  const char *by;        /* the parameter that it is followed along; NULL: it is not */
  const char *to;        /* how far, a number; NULL: not given */
  size_t steps;          /* in so many; 0: not given */
  const char *csv;       /* file of the trajectory; NULL: none */
  const char *plot;      /* its figure's; "": beside the csv; NULL: none */
  const char *columns;   /* of both, with commas between; NULL: all states */
  void *study_settings;  /* of the command's study; owned */
} arguments;

/* Exit statuses. */
enum { COMMAND_SUCCESS = 0, COMMAND_FAILURE = 1, COMMAND_USAGE = 2 };

struct command {
  const char *name, *summary;
  const char *title;            /* of those that the help lists it among; set by the table */
  unsigned groups;              /* argument_group bits */
  const char *positional;       /* names of the positional arguments, blank between; or NULL */
  const char *model;            /* the only model it runs, or NULL: --model chooses */
  const char *example;          /* a whole command line for its help, or NULL */
  int (*run)(arguments *given); /* returns an exit status; has said why when it is not 0 */
  const struct study *study;    /* whose options are its own as well; or NULL */
};

/* One line on the standard error, "essbench NAME: ...". Returns COMMAND_FAILURE, for `return`. */
__attribute__((format(printf, 2, 3))) int command_fail(const arguments *given, const char *format,
                                                       ...);

/* The same for a solver's status that is not 0: COMMAND_USAGE when it is SOLVER_REFUSED. */
int command_stop(const arguments *given, int status, const char *message);

/* "1,0,-2": exactly so many finite numbers. */
bool command_numbers(const char *text, size_t count, double out[]);

/* Writes a result as JSON to --output, or prints it, and drops the reference. An exit status; NULL
 * is a failure. */
int command_result(const arguments *given, json_t *result);

/* As command_fail for an argument that is not accepted. Ends the program with COMMAND_USAGE. */
__attribute__((format(printf, 2, 3), noreturn)) void command_usage(const arguments *given,
                                                                   const char *format, ...);

/* As command_fail where no command is known yet, "essbench: ...". Returns COMMAND_USAGE. */
__attribute__((format(printf, 1, 2))) int command_unknown(const char *format, ...);

/* ---- the table of commands ------------------------------------------------------------------- */

extern const command run_command, derivative_command, xml_command, figures_command,
    counters_command, bench_command, regress_command, regress_time_command, baseline_command,
    compare_command, schema_command, columns_command, completion_command, man_command,
    orbit_command;

/* The command at a place of the help, from 0 on: those of one title together. False behind the
 * last.
 */
bool command_at(size_t index, command *out);

/* False when there is none of that name. */
bool command_find(const char *name, command *out);

/* Where one of the words is a flag that makes the command another one, it is that one, and the word
 * is taken out. */
void command_by_flag(command *chosen, int *argc, char **argv);

#endif
