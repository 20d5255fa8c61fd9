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
  ARGUMENTS_FIGURES = 16384,      /* --only, --label-knobs */
  ARGUMENTS_RESTART = 262144,     /* --restart */
  ARGUMENTS_PROCESSES = 524288,   /* --processes */
  ARGUMENTS_TABLE = 1048576,      /* --table */
  ARGUMENTS_DERIVATIVE = 2097152, /* --direction, --tie, --way, --outcome, --check */
  ARGUMENTS_TRAJECTORY = 4194304, /* --csv, --plot, --columns */
  ARGUMENTS_SHARE = 16777216      /* --share */
} argument_group;

enum { ARGUMENTS_SOLVERS_MAX = 8, ARGUMENTS_POSITIONALS_MAX = 2 };

typedef struct command command;

/* The options of several commands, once: of which group, where in the help, what member of the
 * arguments, and as the options of a study (option.h). DOC(models) stands for a help text that
 * depends on the command, which the parser makes; members of the option itself are given as
 * .option.min. */
#define COMMON_OPTIONS(X)                                                                          \
  X(ARGUMENTS_MODEL, MAIN, model_name, TEXT, "model", "NAME", NULL, DOC(models))                   \
  X(ARGUMENTS_MODEL, MAIN, model_file, TEXT, "file", "FILE", "your own MJCF, with --model mjcf")   \
  X(ARGUMENTS_SOLVERS, MAIN, solver_names, TEXT, "solvers", "A,B",                                 \
    "solvers to compare (default projection,mujoco,mujoco-callback)")                              \
  X(ARGUMENTS_RESTART, MAIN, restart, FLAG, "restart", NULL,                                       \
    "start over instead of resuming an interrupted run")                                           \
  X(ARGUMENTS_PROCESSES, MAIN, processes, WHOLE, "processes", "COUNT", NULL, .option.min = 1,      \
    .option.max = 1000, DOC(processes))                                                            \
  X(ARGUMENTS_PROCESSES, MAIN, part, WHOLE, "part", "N",                                           \
    "number of this process, which measures its share only", .option.max = 999, .hidden = true)    \
  X(ARGUMENTS_SHARE, MAIN, share, TEXT, "share", "K/N",                                            \
    "measure share K of N into a database of its own; auto: as mpirun, srun or a Slurm array "     \
    "number their processes; essbench merge takes in all shares")                                  \
  X(ARGUMENTS_SEED, MAIN, seed, WHOLE, "seed", "N",                                                \
    "seed of the initial conditions and of the order of runs (default 1)",                         \
    .option.max = 4294967295.0)                                                                    \
  X(ARGUMENTS_SOLVER, MAIN, solver_name, TEXT, "solver", "NAME", NULL, DOC(solvers))               \
  X(ARGUMENTS_SETTINGS, MAIN, variant, TEXT, "variant", "NAME", NULL, DOC(variants))               \
  X(ARGUMENTS_DERIVATIVE, MAIN, direction, TEXT, "direction", "X,Y",                               \
    "also print the derivative in this direction, a number for each state")                        \
  X(ARGUMENTS_DERIVATIVE, MAIN, check, FLAG, "check", NULL,                                        \
    "compare tangents, adjoint and differences of runs; exit status 1 if they disagree")           \
  X(ARGUMENTS_DERIVATIVE, MAIN, outcome, TEXT, "outcome", "NAME",                                  \
    "also print the gradient of this final state, or of the time at which the run ends")           \
  X(ARGUMENTS_DERIVATIVE, MAIN, way, TEXT, "way", "NAME",                                          \
    "method for --outcome: forward (default), adjoint or differences")                             \
  X(ARGUMENTS_DERIVATIVE, MAIN, tie, NUMBER, "tie", "S",                                           \
    "simultaneity tolerance: events closer in time are simultaneous (default 0: events "           \
    "that the tolerance cannot order)",                                                            \
    .option.max = 1.0)                                                                             \
  X(ARGUMENTS_TRAJECTORY, RESULTS, csv, TEXT, "csv", "FILE",                                       \
    "write the trajectory to FILE; -: to the standard output")                                     \
  X(ARGUMENTS_TRAJECTORY, RESULTS, plot, TEXT, "plot", "FILE",                                     \
    "draw the trajectory as .png, .svg or .pdf (default: a .png next to the csv, or "              \
    "MODEL.png)",                                                                                  \
    .optional = true)                                                                              \
  X(ARGUMENTS_TRAJECTORY, RESULTS, columns, TEXT, "columns", "A,B",                                \
    "states to write and draw (default: all)")                                                     \
  X(ARGUMENTS_JSON, RESULTS, json, FLAG, "json", NULL, "print the result as JSON")                 \
  X(ARGUMENTS_REFERENCE, RESULTS, no_reference, FLAG, "no-reference", NULL,                        \
    "do not compute the reference, nor the error")                                                 \
  X(ARGUMENTS_COMPARE, RESULTS, minimum_effect, NUMBER, "minimum-effect", "X",                     \
    "smallest relative difference that counts as faster or slower (default 0.05)",                 \
    .option.max = 10.0)                                                                            \
  X(ARGUMENTS_COMPARE, RESULTS, fail_if_slower, FLAG, "fail-if-slower", NULL,                      \
    "exit status 1 if a solver is slower in B over all N")                                         \
  X(ARGUMENTS_TABLE, RESULTS, table, FLAG, "table", NULL, NULL, DOC(table))                        \
  X(ARGUMENTS_FIGURES, RESULTS, only, TEXT, "only", "STUDY,...",                                   \
    "draw the figures of these studies (default all)")                                             \
  X(ARGUMENTS_FIGURES, RESULTS, label_knobs, FLAG, "label-knobs", NULL,                            \
    "label points at powers of ten of the accuracy parameter in figures of work-precision")        \
  X(ARGUMENTS_STRICT, RESULTS, strict, FLAG, "strict", NULL,                                       \
    "fail without measuring if the environment would disturb the times")                           \
  X(ARGUMENTS_FOLDER, RESULTS, folder, TEXT, "out", "DIR", "folder for results (default results)") \
  X(ARGUMENTS_FILE, RESULTS, file, TEXT, "output", "FILE",                                         \
    "write to FILE instead of the standard output; -: the standard output", .letter = 'o')
#define COMMON_MEMBER(group, where, member, kind, ...) OPTION_IS_##kind member;

/* Texts are as given, NULL where they are not; "" is --plot without a file. */
typedef struct arguments {
  COMMON_OPTIONS(COMMON_MEMBER)
  const command *command;
  model m;                          /* parameters set, not prepared */
  const struct solver_type *solver; /* that one, or the one whose settings are given */
  solver_settings settings;
  unsigned settings_given; /* bits of solver_setting */
  int argc;                /* the command's own words, argv[1..argc-1], for processes */
  char **argv;
  const struct solver_type *solvers[ARGUMENTS_SOLVERS_MAX];
  size_t solver_count;
  const char *positionals[ARGUMENTS_POSITIONALS_MAX]; /* as many as the command names */
  char *several;        /* that of them which took several words, a line each; owned */
  void *study_settings; /* of the command's study; owned */
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

/* ---- the standard streams, which may be closed, full, or a pipe that nobody reads -------------
 */

/* Before anything else: puts something in the place of a stream the caller closed, so that no file
 * opened later takes it, and lets writes that cannot succeed fail instead of ending the program. */
void streams_open(void);

/* At the end: whether all that was printed has arrived. Returns `status`, or after a success whose
 * output was lost COMMAND_FAILURE, with one line. */
int streams_close(int status);

/* ---- the table of commands ------------------------------------------------------------------- */

extern const command run_command, derivative_command, xml_command, figures_command,
    counters_command, bench_command, merge_command, columns_command;

/* Presets of the judge; ends with one without a name. */
extern const command judge_commands[];

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
