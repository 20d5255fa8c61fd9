/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench robot-compare: which of MuJoCo's settings matter on a model: how large the error of its
 * steps is with each, against the solution of the same model in continuous time; and how far that
 * solution is from the one of the file's own model. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "robot_answer.h"
#include "studies.h"

#define OPTIONS(X, row)                                                                            \
  X(row, settings, TEXT, "settings", "A=X,B=Y",                                                    \
    "settings to compare: solver, iterations, integrator, cone, and for all contacts solref and "  \
    "solimp, such as 'cone=elliptic,solref=0.01 1' (default: usual ones)",                         \
    .result = "settings")                                                                          \
  ROBOT_GRID_OPTIONS(X, row)                                                                       \
  X(row, pd, TEXT, "pd", "KP,KD", "PD controller of the actuators' joints, as in essbench robot",  \
    .result = "pd")                                                                                \
  ROBOT_START_OPTIONS(X, row)                                                                      \
  X(row, budget, NUMBER, "budget", "S",                                                            \
    "processor time that the reference of each model may take, s", .initial = "20", .min = 1e-3,   \
    .max = 1e6, .result = "budget")
static const study_option options[] = {OPTIONS(OPTION_LINE, robot_settings){0}};

static const study_word words[] = {
    {"error of the steps", "root mean square difference of MuJoCo's bodies and hinges from the "
                           "continuous-time solution of the same model, with the same setting"},
    {"distance of the models", "the same between the continuous-time solutions with this setting "
                               "and with those of the file"},
    {"+-", "bound: the true value differs from the number by no more than that"},
    {"same", "the setting changes the steps alone, not the solution in continuous time"},
    {0},
};

#define COMPARE_COLUMNS(COLUMN, row)                                                               \
  COLUMN(row, setting, TEXT, "", "the setting that is not the file's; empty: the file's own")      \
  COLUMN(row, changes, FLAG, "", "whether it changes the solution in continuous time")             \
  COLUMN(row, bodies, AMOUNT, "m",                                                                 \
         "error of MuJoCo's steps with it: root mean square distance of the bodies' origins from " \
         "the solution of the same model")                                                         \
  COLUMN(row, bodies_bound, AMOUNT, "m", "largest difference of that error from its true value")   \
  COLUMN(row, hinges, AMOUNT, "rad", "the same of the hinges' angles")                             \
  COLUMN(row, hinges_bound, AMOUNT, "rad", "likewise")                                             \
  COLUMN(row, model_bodies, AMOUNT, "m",                                                           \
         "root mean square distance of the bodies' origins between the solution with it and that " \
         "of the file's own model; 0 if it changes the steps alone")                               \
  COLUMN(row, model_bodies_bound, AMOUNT, "m",                                                     \
         "largest difference of that distance from its true value")                                \
  COLUMN(row, model_hinges, AMOUNT, "rad", "the same of the hinges' angles")                       \
  COLUMN(row, model_hinges_bound, AMOUNT, "rad", "likewise")                                       \
  COLUMN(row, how, TEXT, "", "the reference: as in robot_error.csv")                               \
  COLUMN(row, seconds, AMOUNT, "s", "processor time of MuJoCo's run")                              \
  COLUMN(row, note, TEXT, "", "why there are no numbers, or what limits them")
TAKEN_ROW(compare_row, COMPARE_COLUMNS);

enum { COMPARE_ROWS = STUDY_SAMPLES + 1 };

/* ---- settings -------------------------------------------------------------------------------- */

enum { SETTING_SIZE = 128 };

/* Setting `i` of --settings; false behind the last. */
static bool setting_given(const char *list, size_t i, char setting[SETTING_SIZE]) {
  for (; list && i > 0; i--) list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL;
  if (list) snprintf(setting, SETTING_SIZE, "%.*s", (int)strcspn(list, ","), list);
  return list;
}

/* Of the model's usual ones, or of those given. */
static bool setting_of(const study_run *run, const robot *r, size_t i, char setting[SETTING_SIZE]) {
  const robot_settings *const s = run->settings;
  if (s->settings) return setting_given(s->settings, i, setting);
  const char *const usual = robot_setting_at(r, i);
  if (usual) snprintf(setting, SETTING_SIZE, "%s", usual);
  return usual;
}

static int check(study_run *run) {
  const robot_settings *const s = run->settings;
  char setting[SETTING_SIZE], why[ROBOT_MESSAGE_SIZE];
  bool changes;
  for (size_t i = 0; setting_given(s->settings, i, setting); i++)
    if (robot_setting_check(setting, &changes, why))
      return SOLVER_REFUSE(run->message, "--settings: %.450s", why);
  const int status = robot_case_open(run, true);
  return status ? status : robot_outlook(run, false, true);
}

static int plan(study_run *run, size_t stage) {
  const size_t all = 0;
  if (stage == 0) study_cell(run, &all, "settings");
  return 0;
}

/* ---- a model --------------------------------------------------------------------------------- */

/* The file's model and its solution, which others are compared with. */
typedef struct base {
  robot_case *own;
  robot_answer answer;
} base;

static compare_row row_of(const char *setting) {
  compare_row row;
  column_clear(compare_row_columns, &row);
  row.setting = setting;
  return row;
}

static void set_answer(const robot_answer *a, compare_row *row) {
  row->bodies = a->error.bodies;
  row->bodies_bound = a->bound.bodies;
  row->hinges = a->error.hinges;
  row->hinges_bound = a->bound.hinges;
  row->how = a->how;
  row->seconds = a->mine.seconds;
  row->note = a->how == robot_by_none        ? a->note
              : a->mine.reached < a->outputs ? "unstable at this step"
                                             : robot_answer_why_wide(a);
}

/* Between two solutions, by the bodies and hinges of the file's own model. */
static void set_distance(study_run *run, const base *b, const robot_answer *a, compare_row *row) {
  if (a->how == robot_by_none || b->answer.how == robot_by_none) return;
  run->own = b->own;
  const robot_error apart =
      robot_apart(run, robot_answer_truth(a), robot_answer_truth(&b->answer), b->answer.outputs);
  row->model_bodies = apart.bodies;
  row->model_hinges = apart.hinges;
  row->model_bodies_bound = a->bound.bodies + b->answer.bound.bodies;
  row->model_hinges_bound = a->bound.hinges + b->answer.bound.hinges;
}

/* A setting that changes the solution: one of its own. */
static int compare_models(study_run *run, const base *b, compare_row *row) {
  robot_answer a = {.run = run, .model = row->setting, .how = robot_by_none, .note = ""};
  a.begin_ns = measure_thread_ns();
  robot_case *const own = run->own;
  int status = robot_answer_alloc(&a);
  if (!status) status = robot_answer_find(&a);
  if (!status) set_answer(&a, row);
  if (!status) set_distance(run, b, &a, row);
  run->own = own;
  robot_answer_free(&a);
  return status;
}

/* A setting of the steps alone: against the solution of the file's model. */
static int compare_steps(study_run *run, const base *b, compare_row *row) {
  robot_case *const own = run->own;
  const robot_entry e = {ROBOT_MUJOCO, own->size.integrator, own->size.time_step, true};
  robot_track t = {0};
  int status = robot_track_alloc(run, &t);
  if (!status) status = robot_follow(run, &e, b->answer.x0, false, &t);
  if (!status && t.reached == b->answer.outputs) {
    const robot_error off = robot_apart(run, &t, robot_answer_truth(&b->answer), t.reached);
    row->bodies = off.bodies;
    row->hinges = off.hinges;
    row->bodies_bound = b->answer.bound.bodies;
    row->hinges_bound = b->answer.bound.hinges;
  } else {
    row->note = "unstable at this step";
  }
  row->how = b->answer.how;
  row->seconds = t.seconds;
  row->model_bodies = row->model_bodies_bound = row->model_hinges = row->model_hinges_bound = 0.0;
  robot_track_free(&t);
  return status;
}

static int compare(study_run *run, const base *b, compare_row *row) {
  char why[ROBOT_MESSAGE_SIZE];
  study_within(run, "%s", row->setting);
  robot_setting_check(row->setting, &row->changes, why);
  int status = 0;
  // one model that is none leaves the others as they are
  if (robot_case_open_with(run, true, row->setting))
    row->note = study_text(run, "%s", run->message);
  else
    status = row->changes ? compare_models(run, b, row) : compare_steps(run, b, row);
  robot_case_close(run);
  run->own = b->own;
  return status;
}

/* as it was kept before an interrupt, or measured now */
static int compare_kept(study_run *run, const base *b, const char *setting) {
  compare_row row = row_of(study_text(run, "%s", setting));
  const json_t *const known = study_part(run, setting);
  const bool is_known = known && column_take_object(compare_row_columns, known, &row);
  if (!is_known && compare(run, b, &row)) return -1;
  if (*run->interrupted) return -1;
  if (!is_known && study_keep_part(run, setting, column_object(compare_row_columns, &row)))
    return -1;
  return study_add(run, STUDY_SAMPLES, &row);
}

/* ---- the cell -------------------------------------------------------------------------------- */

static int compare_all(study_run *run, base *b) {
  char setting[SETTING_SIZE];
  compare_row own = row_of("");
  int status = robot_answer_alloc(&b->answer);
  if (!status) status = robot_answer_find(&b->answer);
  if (status) return status;
  if (b->answer.how == robot_by_none)
    return measure_fail(run->message, "there is no answer for the file's own settings: %s",
                        b->answer.note);
  set_answer(&b->answer, &own);
  own.model_bodies = own.model_bodies_bound = own.model_hinges = own.model_hinges_bound = 0.0;
  status = study_add(run, STUDY_SAMPLES, &own);
  for (size_t i = 0; !status && setting_of(run, b->own->robot, i, setting); i++)
    status = compare_kept(run, b, setting);
  return status;
}

static int measure(study_run *run, const void *cell) {
  (void)cell;
  const uint64_t content = run->content;
  base b = {.own = run->own,
            .answer = {.run = run, .model = "the file", .how = robot_by_none, .note = ""}};
  b.answer.begin_ns = measure_thread_ns();
  const int status = compare_all(run, &b);
  robot_answer_free(&b.answer);
  run->own = b.own;
  run->content = content;
  return status || *run->interrupted ? -1 : 0;
}

/* ---- the screen ------------------------------------------------------------------------------ */

/* in mm or mrad, with its bound */
static void print_known(double value, double bound) {
  char text[40] = "-";
  if (!isnan(value) && !(value > bound) && bound > 0.0)
    snprintf(text, sizeof text, "< %.2g", 1e3 * (value + bound));
  else if (!isnan(value))
    snprintf(text, sizeof text, "%.3g +- %.0e", 1e3 * value, 1e3 * bound);
  printf(" %16s", text);
}

static void print_row(const compare_row *r) {
  printf("%-24s", *r->setting ? r->setting : "as in the file");
  print_known(r->bodies, r->bodies_bound);
  print_known(r->hinges, r->hinges_bound);
  if (r->changes) {
    print_known(r->model_bodies, r->model_bodies_bound);
    print_known(r->model_hinges, r->model_hinges_bound);
  } else if (*r->setting) {
    printf(" %16s", "same");
  }
  printf("%s%s\n", *r->note ? "  " : "", r->note);
}

/* the model that is furthest away, beside the error of the file's own steps */
static void print_verdict(const compare_row all[], size_t count) {
  const compare_row *most = NULL;
  for (size_t i = 1; i < count; i++)
    if (all[i].changes && all[i].model_bodies > (most ? most->model_bodies : 0.0)) most = &all[i];
  if (!most || isnan(all[0].bodies)) return;
  printf("\nThe model with %s is %.2g mm from the file's; the steps of the file's own settings "
         "have an error of %.2g mm.\n",
         most->setting, 1e3 * most->model_bodies, 1e3 * all[0].bodies);
}

static void show(const study_run *run) {
  size_t count;
  const compare_row *const all = study_rows(run, COMPARE_ROWS, &count);
  puts("The error of MuJoCo's steps against the continuous-time solution of the same model, and "
       "the\n"
       "distance of that solution from the one of the file's model; root mean squares, with "
       "bounds.\n");
  printf("%-24s %33s %33s\n", "", "error of the steps", "distance of the models");
  printf("%-24s %16s %16s %16s %16s\n", "setting", "bodies, mm", "hinges, mrad", "bodies, mm",
         "hinges, mrad");
  for (size_t i = 0; i < count; i++) print_row(&all[i]);
  print_verdict(all, count);
  puts("\nrobot_compare.csv has all columns, in metres and radians.");
}

const study robot_compare_study = {
    .name = "robot-compare",
    .summary = "settings of MuJoCo compared: the error of its steps with each, and the models",
    .example = "essbench robot hopper.xml --compare",
    .file = "robot_compare",
    ROBOT_STUDY("FILE", size_t),
    .unseeded = true,
    .untimed = true,
    .table = "show the results in the folder; nothing is measured",
    .cells = "models",
    .words = words,
    .tables = {[STUDY_SAMPLES] = STUDY_ROWS(compare_row, .meaning = "a setting"),
               [COMPARE_ROWS] =
                   STUDY_ROWS(compare_row, .json = "settings_compared", .csv = "robot_compare.csv",
                              .from = "robot_compare_cells WHERE run = ?1 ORDER BY row",
                              .meaning = "a setting of MuJoCo")},
    .check = check,
    .plan = plan,
    .run = measure,
    .show = show,
    .release = robot_case_close,
};
