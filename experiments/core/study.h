/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A study: an experiment as data. It says what is particular to it; the core does all else: options
 * and --help, what is kept and resuming, processes, progress, csv, json, printed tables.
 *
 * To write one, say studies/NAME.c (docs/guide/adding.md has one to copy); where methods are run at
 * settings, it is a preset of knobs.h (studies/presets.c has several):
 *
 *  1. Its settings, each once, with default and help (option.h). --out, --seed, --strict,
 *     --restart, --processes and the model's parameters are there already.
 *  2. A list of columns for each kind of row, which is its struct as well (column.h). Table 0 is of
 *     the samples: what a cell gives, which is what is kept at once. The others are derived from
 *     it.
 *  3. `plan`: the cells, each with a name that says all it depends on beside the options. A cell
 *     is work that can be done alone, in any process and in any order; rows have the order of the
 *     plan. Where later cells depend on earlier samples they are planned at `stage` 1, and so on;
 *     a stage that adds no cell is the end.
 *  4. `run`: a cell into rows of table 0, by study_add. A run that fails as an experiment is a
 *     row with NaN; -1 with one line ends the study.
 *  5. The other tables are derived from table 0: each of their columns says its SQL (DERIVED in
 *     column.h; draws.h has the statistics), and the table behind FROM what that is of, such as
 *     `laps`. Where SQL cannot say it, `derive` adds rows by study_add or study_select before all
 *     queries, in the order of the files: a row of a table `within` another belongs to the last row
 *     of that one.
 *  6. `show`: sentences that depend on what was found, and the tables by study_print; NULL: they
 *     are printed, with what a table has `above` and `below`.
 *  7. Its line in studies.c. It says itself in which group of the help it stands, which scripts of
 *     plots/ draw it, and what of it make knows. `essbench columns` then prints its columns.
 *
 * No study opens a file or the database, parses, catches a signal or computes an interval: what is
 * missing here goes into the core, where the next one finds it. What a process works out once and
 * needs for many cells (models, starts, references, prepared races) is kept by race.h.
 */
#ifndef STUDY_H
#define STUDY_H

#include "column.h"
#include "model.h"
#include "option.h"
#include "solver.h"

/* Rows of one kind. */
typedef struct study_table {
  const char *json;    /* member of the .json, or of the row it is within; NULL: not there; "": its
                          one row's members stand at the top */
  const char *csv;     /* file in the folder of results; NULL: none */
  const char *sql;     /* table of the database; NULL: as the .csv, or the member behind the study.
                          Samples of several studies may be in one: the view `STUDY_laps` has those
                          of a study, with its columns */
  const char *meaning; /* of a row */
  const column *columns;
  size_t row_size;
  const char *from; /* of a derived table, whose columns are DERIVED: behind FROM, what of the
                       database they are of; ?1 is the run. NULL: `derive` adds the rows */
  size_t within;    /* the table in whose rows these are nested; 0: none */
  bool csv_alone;   /* not in the database, whose laps have the same numbers */
  const char *above, *below; /* where it is printed; NULL: nothing */

  /* Optional: whether a row says no more than the one before; study_print leaves it out. */
  bool (*repeats)(const void *row, const void *before);
} study_table;

/* Of such rows with these columns; other members follow. */
#define STUDY_TABLE(columns_, row, ...)                                                            \
  { .columns = columns_, .row_size = sizeof(row), __VA_ARGS__ }

/* Of rows that SQL derives, by its columns. Where they are nested, the query has `parent`, the
 * number of the row that each is within. */
#define STUDY_DERIVED(columns_, from_, ...)                                                        \
  {                                                                                                \
    .columns = columns_, .from = from_,                                                            \
    .row_size = sizeof(column_values) + sizeof(columns_) / sizeof(column) * sizeof(json_t *),      \
    __VA_ARGS__                                                                                    \
  }

/* The same where these are its own, by COLUMN_ROW. */
#define STUDY_ROWS(row, ...) STUDY_TABLE(row##_columns, row, __VA_ARGS__)

/* The table that has the samples of all races. */
#define STUDY_LAP "lap"

enum { STUDY_TABLES_MAX = 16, STUDY_SAMPLES = 0, STUDY_CELL_NAME_SIZE = 192 };

typedef struct study_run study_run;

/* Who races, as the user chose. */
typedef struct study_racers {
  size_t count;
  const solver_type *const *solver;
  solver_settings settings; /* of all of them */
  unsigned given;           /* bits of solver_setting: those that the user gave */
  bool by_default;          /* the user named none: they are the study's */
} study_racers;

/* A word on its screen, for --help. */
typedef struct study_word {
  const char *word, *meaning;
} study_word;

/* Where a cell of a study that times belongs: worker number % workers runs it, and one after the
 * other those of the same race. */
typedef struct study_place {
  size_t race, number;
} study_place;

/* A figure: its script in plots/, and the table whose rows say that it can be drawn. */
typedef struct study_figure {
  const char *name, *data;
  bool crowded; /* a few of its curves are a figure of their own, too */
} study_figure;

#define STUDY_FIGURE(script, ...)                                                                  \
  { .name = script, .data = __VA_ARGS__ }

enum { STUDY_FIGURES_MAX = 6 };

/* Groups of the help, in its order. */
typedef enum study_group {
  STUDY_RUNS,
  STUDY_COMPARES,
  STUDY_VALIDATES,
  STUDY_MECHANISMS,
  STUDY_TOOLS
} study_group;

typedef struct study {
  const char *name, *summary, *example;
  study_group group;
  study_figure figures[STUDY_FIGURES_MAX]; /* ends with one without a name */

  /* Optional; the Makefile and tools/results read these in the source, a line each: the target of
   * make with the variables that are options of the study (NAME=VALUE: by default), options that
   * make it as short as it can be, and the page that make results writes its numbers into. */
  const char *make, *small, *page;
  const char *file;       /* of results, before ".json" */
  const char *schema;     /* NULL: "essbench-NAME-1" */
  const char *operand;    /* what it is given beside options, such as "FILE"; NULL: nothing */
  const char *model;      /* the only one it runs; NULL: --model chooses */
  bool own_models;        /* the user sets no parameters; without a model above, it makes its own */
  const char *parameters; /* what the .json calls those of the model; NULL: "parameters" */
  bool unseeded;          /* nothing is drawn: there is no --seed */
  bool untimed;           /* no clock has a say: there is no --strict, and no warning */
  bool brief;             /* it takes a moment: it always begins anew, and there is no --restart */
  size_t kept;         /* a table of cases, known by its first column: those of other models stay in
                          the file, each with its own parameters, options, seed and environment; 0:
                          a file is of one run */
  bool printable;      /* --json prints the .json instead of what is shown */
  const char *table;   /* help of --table, which shows the results in the folder and measures
                          nothing; NULL: there is no such option */
  const char *cells;   /* what progress counts, in the plural */
  bool pinned;         /* it times: every process keeps to one core */
  size_t processes;    /* default of --processes; 0: cells run in this process */
  size_t stages;       /* of its plan, at most; 0: one. Progress says which it is in */
  const char *solvers; /* who races unless --solvers says otherwise, with commas between; the
                          settings of solvers are options then, too. NULL: there are none of both */
  const study_option *options; /* into settings of so many bytes; NULL: there are none */
  const study_word *words;     /* ends with one of NULL; NULL: all are plain */
  size_t settings_size;
  size_t cell_size;
  const char *laps;   /* a query of samples for derived tables, in which they are `laps`; ?1 is the
                         run. NULL: they have none */
  const void *preset; /* of its engine, such as knobs.h: what it says besides */
  study_table tables[STUDY_TABLES_MAX]; /* ends with one without columns */

  /* Each 0, or -1 with one line in run->message; optional but for plan and run. */
  int (*check)(study_run *run); /* before anything is waited for or written; SOLVER_REFUSED is a
                                   refusal of what was asked */
  int (*plan)(study_run *run, size_t stage);
  int (*run)(study_run *run, const void *cell);
  study_place (*place)(const void *cell); /* NULL: cells stand in the order of the plan */
  int (*derive)(study_run *run);
  void (*show)(const study_run *run);
  void (*show_table)(const study_run *run);                 /* for --table; NULL: show */
  void (*show_part)(const char *name, const json_t *value); /* of a cell under way, for --table;
                                                               NULL: cells have no parts */
  int (*conclude)(study_run *run); /* last: whether what is written is as it must be */
  void (*release)(study_run *run); /* of `own`; NULL: it is freed */
} study;

/* What draws nothing and times nothing, of models of its own, and takes a moment. */
#define STUDY_BRIEF .own_models = true, .unseeded = true, .untimed = true, .brief = true

/* The settings, by OPTION_ROW, and the struct of a cell. */
#define STUDY_OF(row, cell_)                                                                       \
  .options = row##_options, .settings_size = sizeof(row), .cell_size = sizeof(cell_)

/* One under way. */
struct study_run {
  const study *study;
  const void *settings; /* filled by the study's options */
  const char *operand;  /* as given */
  uint64_t content; /* of the files it is given, by its check: others are another study; 0: none */
  const model *m;   /* as the user chose it, not prepared */
  study_racers racers;
  unsigned long seed;
  size_t processes;                /* or ranks that cells are spread over, at least 1 */
  const char *folder;              /* of results */
  const volatile int *interrupted; /* for what takes long within a cell */
  char *message;                   /* what went wrong, one line */
  void *own;                       /* the study's, of this process */
  struct study_private *private;
};

/* Whether this process measures for another, which says what there is to say. */
bool study_is_worker(const study_run *run);

/* A cell that takes long keeps what it has measured, by a name, as JSON whose reference is taken:
 * it is there when the cell is run again behind an interrupt. NULL: it is not. Nothing is kept once
 * the run is interrupted. 0, or -1 with one line. */
const json_t *study_part(const study_run *run, const char *name);
int study_keep_part(study_run *run, const char *name, json_t *value);

/* How far the cell that is being run is: words behind the progress of all. */
__attribute__((format(printf, 2, 3))) void study_within(study_run *run, const char *format, ...);

/* What an interrupted cell has begun is kept by the command that it runs. */
void study_goes_on(study_run *run);

/* Whether the user asks for everything to be measured anew. */
bool study_begins_anew(const study_run *run);

/* Plans a cell: a copy of cell_size bytes, named by what it depends on. 0, or -1 with one line,
 * which is noted. */
__attribute__((format(printf, 3, 4))) int study_cell(study_run *run, const void *cell,
                                                     const char *name, ...);

/* The cells of the plan, and the samples that one of them gave: *count of them, which may be NULL.
 */
size_t study_cells(const study_run *run);
const void *study_cell_at(const study_run *run, size_t index);
const void *study_samples(const study_run *run, size_t index, size_t *count);

/* The number of its first sample in table 0. */
size_t study_first_sample(const study_run *run, size_t index);

/* Adds a row of a table. 0, or -1 with one line, which need not be looked at: the failure is noted,
 * and the study ends with it behind plan, run or derive. So it is with all that says "noted". */
int study_add(study_run *run, size_t table, const void *row);

/* A text for a row, kept to the end of the run; "" where memory is out, which is noted. */
__attribute__((format(printf, 2, 3))) const char *study_text(study_run *run, const char *format,
                                                             ...);

/* All rows of a table, *count of them, which may be NULL: an array of its structs. */
const void *study_rows(const study_run *run, size_t table, size_t *count);

/* A value of a row, by the name of its column: a number, or a text. */
double study_number(const study_run *run, size_t table, size_t row, const char *name);
const char *study_words(const study_run *run, size_t table, size_t row, const char *name);

/* Adds rows of a table by a query over the samples that the run has kept: a value for each of its
 * columns, in their order; ? is the run. 0, or -1 with one line, which is noted. */
int study_select(study_run *run, size_t table, const char *sql);

/* What SQL finds in what studies have left in a folder, behind its SELECT: the first row, a value
 * for each of the columns; or a number, NaN where there is none. Without a row nothing is changed.
 * 0, or -1 with one line. */
int study_ask(study_run *run, const char *folder, const char *sql, const column columns[],
              void *row);
int study_ask_number(study_run *run, const char *folder, const char *sql, double *number);

/* Prints what a query of the folder's database says, a line for each row: `newest` has the runs
 * that ended last. */
void study_say(const study_run *run, const char *sql);

/* -1, with a line that says so, which is noted. */
int study_out_of_memory(study_run *run);

/* By what a case is known: the model, and its number of contacts where that can be chosen, such as
 * "plate_10". `check` finds the rows of all cases in the folder in the tables. */
void study_case_name(const study_run *run, char name[STUDY_CELL_NAME_SIZE]);

/* Prints rows first..first+count-1 of a table, as far as there are any: those of its columns that
 * have a head. */
void study_print(const study_run *run, size_t table, size_t first, size_t count);

#endif
