/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A study of many models: a command of a robot on each model of a folder or a list, as a process,
 * since MuJoCo may end the one that it is in; and a row of its results. */
#ifndef ROBOT_LIST_H
#define ROBOT_LIST_H

#include "column.h"
#include "file_list.h"
#include "option.h"
#include "study.h"

enum { ROBOT_WORDS_MAX = 64, ROBOT_VERDICTS_MAX = 5 };

/* The tables of a study, beside its samples. */
enum { ROBOT_MODELS = STUDY_SAMPLES + 1, ROBOT_CLASSES };

/* the words of a command line */
typedef struct robot_words {
  size_t count;
  char *word[ROBOT_WORDS_MAX + 1]; /* owned */
} robot_words;

__attribute__((format(printf, 2, 3))) void robot_words_add(robot_words *w, const char *format, ...);
void robot_words_add_numbers(robot_words *w, const char *option, const option_numbers *n);

/* A command, and the rows that it gives: their columns have the texts `class`, `name`, `model`,
 * `folder`, `verdict` and `status` and the amount `seconds`. */
typedef struct robot_list_kind {
  const char *command;
  const column *columns;
  const char *sql; /* of a row from the results of one model, as study_ask has it */
  void (*add_words)(const study_run *run, robot_words *w); /* options of each model */
} robot_list_kind;

/* The models of a class, and how many of them have each verdict. */
typedef struct robot_class {
  const char *class; /* "" where the list does not say; "all" */
  size_t models, with[ROBOT_VERDICTS_MAX];
} robot_class;
#define ROBOT_CLASS_COLUMNS                                                                        \
  COLUMN(robot_class, class, TEXT, "", "legged, arm or other; empty: the list does not say; all",  \
         .sql = "of"),                                                                             \
      COLUMN(robot_class, models, COUNT, "", "in the list", .sql = "count(*)")
#define ROBOT_VERDICT(called, number, verdict, meaning)                                            \
  COLUMN_AS(called, robot_class, with[number], COUNT, "", meaning,                                 \
            .sql = "sum(verdict = '" verdict "')")

/* What both tables are of. */
#define ROBOT_LIST_LAPS(table)                                                                     \
  "SELECT *, CAST(folder AS INTEGER) AS number FROM " table " WHERE run = ?1"
#define ROBOT_LIST_MODELS "laps ORDER BY number"
#define ROBOT_LIST_CLASSES                                                                         \
  "(SELECT *, class AS of, coalesce(nullif(instr(' legged arm other ', ' ' || class || ' '), 0), " \
  "99) "                                                                                           \
  "AS place FROM laps UNION ALL SELECT *, 'all', 100 FROM laps) GROUP BY place ORDER BY place"

/* The first of these are callbacks of a study whose cells are numbers of models; files of a list
 * are in a folder unless it is NULL. */
int robot_list_check(study_run *run, const char *folder);
int robot_list_plan(study_run *run, size_t stage);
void robot_list_release(study_run *run);

/* The command on one model, into a cleared row. 0, also where that fails, which the row says; or -1
 * with one line. */
int robot_list_measure(study_run *run, const robot_list_kind *kind, size_t number, void *row);

/* A number in so many columns, a dash where there is none; and as many whole words of a line's last
 * text as there is room for. */
void robot_list_print_number(double value, int width);
void robot_list_print_words(const char *text, size_t most);

#endif
