/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench robots: how large the error of MuJoCo's time steps is on each of many models. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "robot_error.h"
#include "robot_list.h"
#include "studies.h"

#define OPTIONS(X, row)                                                                            \
  X(row, time, NUMBER, "time", "S", "duration of a run, s", .initial = "1", .min = 1e-3,           \
    .max = 1e3, .result = "time")                                                                  \
  X(row, budget, NUMBER, "budget", "S", "processor time that the answer of a model may take, s",   \
    .initial = "20", .min = 1e-3, .max = 1e6, .result = "budget")                                  \
  X(row, in, TEXT, "folder", "DIR", "folder of the files of a list (default: the current folder)") \
  X(row, without, TEXT, "without", "A,B|self",                                                     \
    "exclude contacts between these geoms or bodies, in all models, in both engines; self: "       \
    "between all of one robot",                                                                    \
    .result = "without")                                                                           \
  X(row, race, FLAG, "race", NULL,                                                                 \
    "race MuJoCo and libess instead, with the options of essbench robots-race", .shows = true)
OPTION_ROW(errors_settings, OPTIONS);

#define ERRORS_COLUMNS(COLUMN, row)                                                                \
  COLUMN(row, class, TEXT, "",                                                                     \
         "legged (a robot on a floor), arm (arms and hands) or other; empty: the list does not "   \
         "say")                                                                                    \
  COLUMN(row, name, TEXT, "", "the part of its path that distinguishes it from the others")        \
  COLUMN(row, model, TEXT, "", "its file, as listed")                                              \
  COLUMN(row, verdict, TEXT, "",                                                                   \
         "the reference: libess; libess, without event functions (from a certain time); MuJoCo's " \
         "fine steps; or no answer")                                                               \
  COLUMN(row, status, TEXT, "", "what limits the answer, or why there is none")                    \
  COLUMN(row, integrator, TEXT, "", "integrator of the model")                                     \
  COLUMN(row, time_step, AMOUNT, "s", "time step of the model")                                    \
  COLUMN(row, stable, FLAG, "", "whether MuJoCo is stable at these settings")                      \
  COLUMN(row, bodies, AMOUNT, "m",                                                                 \
         "error of the bodies at the model's own settings: root mean square distance of their "    \
         "origins over time")                                                                      \
  COLUMN(row, bodies_bound, AMOUNT, "m",                                                           \
         "bound: the largest difference of `bodies` from its true value")                          \
  COLUMN(row, hinges, AMOUNT, "rad",                                                               \
         "error of the hinges: root mean square difference of their angles over time")             \
  COLUMN(row, hinges_bound, AMOUNT, "rad", "the same bound of `hinges`")                           \
  COLUMN(row, joint, TEXT, "", "joint with the largest error at any time")                         \
  COLUMN(row, joint_error, AMOUNT, "", "that error, in the unit that follows")                     \
  COLUMN(row, joint_bound, AMOUNT, "", "its bound, likewise")                                      \
  COLUMN(row, unit, TEXT, "", "m or rad")                                                          \
  COLUMN(row, energy_drift, NUMBER, "J",                                                           \
         "change of energy in MuJoCo minus that in the reference: see robot_error.csv")            \
  COLUMN(row, energy_bound, AMOUNT, "J", "its bound, estimated")                                   \
  COLUMN(row, penetration, AMOUNT, "m", "largest depth of a contact in MuJoCo")                    \
  COLUMN(row, penetration_reference, AMOUNT, "m", "the same in the reference")                     \
  COLUMN(row, creep, AMOUNT, "m",                                                                  \
         "largest displacement in MuJoCo of a contact that friction holds: see robot_error.csv")   \
  COLUMN(row, creep_reference, AMOUNT, "m", "the same in the reference")                           \
  COLUMN(row, jumps, AMOUNT, "", "jumps of contact points that no event function detects")         \
  COLUMN(row, jump_dist, AMOUNT, "m", "largest change of a distance over a step with such a jump") \
  ERROR_CHOICE(COLUMN, row)                                                                        \
  COLUMN(row, first, AMOUNT, "s", "processor time until the first number")                         \
  COLUMN(row, total, AMOUNT, "s", "processor time of the answer")                                  \
  COLUMN(row, seconds, AMOUNT, "s", "wall time of the model, the table of steps included")         \
  COLUMN(row, folder, TEXT, "", "its results, within the folder of these")
TAKEN_ROW(errors_row, ERRORS_COLUMNS);

/* by how an answer was obtained */
enum { BY_LIBESS, BY_FIELD, BY_STEPS, NO_ANSWER };
static const column class_columns[] = {
    ROBOT_CLASS_COLUMNS,
    ROBOT_VERDICT("by_libess", BY_LIBESS, "libess", "models with an answer by libess"),
    ROBOT_VERDICT("by_field", BY_FIELD, "libess, without event functions",
                  "by libess, without event functions"),
    ROBOT_VERDICT("by_steps", BY_STEPS, "MuJoCo''s fine steps", "by MuJoCo's fine steps"),
    ROBOT_VERDICT("no_answer", NO_ANSWER, "no answer", "models without an answer"),
    {0},
};

static void add_words(const study_run *run, robot_words *w) {
  const errors_settings *const s = run->settings;
  robot_words_add(w, "--time=%.10g", s->time);
  robot_words_add(w, "--budget=%.10g", s->budget);
  if (s->without) robot_words_add(w, "--without=%s", s->without);
}

/* ---- a model --------------------------------------------------------------------------------- */

static const char row_sql[] =
    "'', '', '', CASE WHEN a.how = '' THEN 'no answer' ELSE a.how END, a.note, "
    "coalesce(s.name, ''), s.knob, a.states IS NOT NULL, a.bodies, a.bodies_bound, a.hinges, "
    "a.hinges_bound, coalesce(j.name, ''), j.most, j.most_bound, coalesce(j.unit, ''), "
    "a.energy_drift, a.energy_bound, a.penetration, a.penetration_reference, a.creep, "
    "a.creep_reference, a.jumps, a.jump_dist, a.half_by, a.half_step, a.small_by, a.small_step, "
    "a.seconds, a.total, NULL, '' FROM robot_error a "
    "LEFT JOIN robot_error_steps s ON s.run = a.run AND s.own "
    "LEFT JOIN (SELECT run, name, unit, most, most_bound FROM robot_error_joints "
    "ORDER BY most DESC) j ON j.run = a.run "
    "WHERE a.run IN newest ORDER BY a.run DESC, j.most DESC LIMIT 1";

static const robot_list_kind kind = {
    .command = "robot",
    .columns = errors_row_columns,
    .sql = row_sql,
    .add_words = add_words,
};

static int check(study_run *run) {
  const errors_settings *const s = run->settings;
  return robot_list_check(run, s->in);
}

static int measure(study_run *run, const void *cell) {
  errors_row row;
  column_clear(errors_row_columns, &row);
  if (robot_list_measure(run, &kind, *(const size_t *)cell, &row)) return -1;
  study_add(run, STUDY_SAMPLES, &row);
  return 0;
}

/* ---- the screen ------------------------------------------------------------------------------ */

static bool is_answered(const errors_row *r) {
  return strcmp(r->verdict, "no answer") != 0;
}

/* a step in ms, by whom */
static void print_step(const char *name, double step) {
  if (!*name)
    printf(" %20s", "-");
  else
    printf(" %12s %7.3g", name, 1e3 * step);
}

static void print_model(const errors_row *r) {
  enum { NAME = 22, STATUS = 77 };
  printf("%-*.*s", NAME, NAME, r->name);
  if (!is_answered(r)) {
    robot_list_print_words(r->status, STATUS);
    return;
  }
  robot_list_print_number(1e3 * r->bodies, 8);
  robot_list_print_number(1e3 * r->bodies_bound, 8);
  robot_list_print_number(1e3 * r->hinges, 8);
  robot_list_print_number(1e3 * r->hinges_bound, 8);
  print_step(r->small_by, r->small_step);
  printf(" %s\n", r->stable ? r->verdict : "unstable at its own step");
}

static void show(const study_run *run) {
  size_t count, classes, answered = 0;
  const errors_row *const all = study_rows(run, ROBOT_MODELS, &count);
  const robot_class *const class = study_rows(run, ROBOT_CLASSES, &classes);
  puts("The error of MuJoCo at each file's own settings, root mean square, with its bound; the\n"
       "cheapest integrator and step tried that have at most 1 mm and 1 mrad, the bound included;\n"
       "and how the answer was obtained.\n");
  printf("%-22s %8s %8s %8s %8s %20s %s\n", "model", "bodies", "+-", "hinges", "+-",
         "1 mm, 1 mrad: ms", "by");
  printf("%-22s %8s %8s %8s %8s\n", "", "mm", "mm", "mrad", "mrad");
  for (size_t i = 0; i < count; i++) {
    print_model(&all[i]);
    answered += is_answered(&all[i]);
  }
  putchar('\n');
  for (size_t i = 0; i < classes; i++)
    printf("%-8s %zu model%s: %zu by libess, %zu by libess without event functions, %zu by "
           "MuJoCo's fine steps; %zu without an answer\n",
           *class[i].class ? class[i].class : "no class", class[i].models,
           class[i].models == 1 ? "" : "s", class[i].with[BY_LIBESS], class[i].with[BY_FIELD],
           class[i].with[BY_STEPS], class[i].with[NO_ANSWER]);
  printf("\n%zu of %zu models have an answer. Each has its own screen in "
         "%s/NUMBER-NAME/screen.txt;\nrobots_error.csv has all columns.\n",
         answered, count, run->folder);
}

/* each has its line, and none has what was asked for */
static int conclude(study_run *run) {
  size_t count;
  const errors_row *const all = study_rows(run, ROBOT_MODELS, &count);
  for (size_t i = 0; i < count; i++)
    if (is_answered(&all[i])) return 0;
  return measure_fail(run->message, "%s: no model has an answer; the table says why", run->operand);
}

const study robots_study = {
    .name = "robots",
    .summary = "essbench robot on many models: a table with a line for each",
    .example = "essbench robots menagerie/ --budget 10",
    .file = "robots_error",
    .group = STUDY_MECHANISMS,
    .figures = {STUDY_FIGURE("fig_robots_error", "robots_error.csv")},
    .operand = "LIST|DIR",
    .own_models = true,
    .untimed = true,
    .printable = true,
    .processes = 1,
    .table = "show the results of each model in the folder; nothing is measured",
    .cells = "models",
    STUDY_OF(errors_settings, size_t),
    .laps = ROBOT_LIST_LAPS("robots_error_cells"),
    .tables = {[STUDY_SAMPLES] = STUDY_ROWS(errors_row, .meaning = "one model"),
               [ROBOT_MODELS] = STUDY_ROWS(errors_row, .json = "models", .csv = "robots_error.csv",
                                           .from = ROBOT_LIST_MODELS, .meaning = "one model"),
               [ROBOT_CLASSES] = STUDY_TABLE(
                   class_columns, robot_class, .json = "classes", .csv = "robots_error_classes.csv",
                   .from = ROBOT_LIST_CLASSES, .meaning = "the models of a class")},
    .check = check,
    .plan = robot_list_plan,
    .run = measure,
    .show = show,
    .conclude = conclude,
    .release = robot_list_release,
};
