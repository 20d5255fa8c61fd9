/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench work-precision: every method on one model over its own accuracy knob, error against time
 * and evaluations. Each setting is run once, to see what it does and how long it takes; those that
 * can are then raced. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "precision.h"
#include "race.h"
#include "solvers.h"
#include "studies.h"

/* The tables of its results. */
enum { WORK_PRECISION_CASES = STUDY_SAMPLES + 1, WORK_PRECISION_POINTS };

/* One method at one value of its knob, as files have it. */
typedef struct work_precision_point {
  precision_row p;
  solver_settings settings; /* in force */
} work_precision_point;

/* What the first runs say: which points are raced, and which methods are the same. */

/* so many values of all methods named */
static size_t values_of(const option_names *methods) {
  size_t count = 0;
  for (size_t i = 0; i < precision_method_count; i++)
    for (const double *value = precision_methods[i].values; *value > 0.0; value++)
      count += precision_chosen(methods, i);
  return count;
}

/* ---- methods that are the same --------------------------------------------------------------- */

/* where the points of another method begin */
static size_t end_of(const precision_survey *all, size_t first) {
  size_t i = first;
  while (i < all->count && all->point[i].method == all->point[first].method) i++;
  return i;
}

/* a run that would take too long may do the same as one that has been made; those that failed alike
 * are alike */
static bool same_points(const precision_point *a, const precision_point *b) {
  if (a->value != b->value) return false;
  if (a->obstacle == b->obstacle) return precision_same(a->first.rms_error, b->first.rms_error);
  return (a->obstacle == PRECISION_TOO_LONG && b->obstacle == PRECISION_OK) ||
         (a->obstacle == PRECISION_OK && b->obstacle == PRECISION_TOO_LONG);
}

/* whether the methods that begin at a and b are variants that do the same at every value, at least
 * one of which both have run */
static bool same_methods(const precision_survey *all, size_t a, size_t b) {
  const size_t count = end_of(all, a) - a;
  const char *const solver = precision_methods[all->point[a].method].solver;
  bool raced = false;
  if (strcmp(solver, precision_methods[all->point[b].method].solver) != 0 ||
      count != end_of(all, b) - b)
    return false;
  for (size_t k = 0; k < count; k++) {
    const precision_point *const p = &all->point[a + k], *const q = &all->point[b + k];
    if (!same_points(p, q)) return false;
    raced = raced || (p->trials && q->trials);
  }
  return raced;
}

static void find_coincidences(precision_survey *all, size_t starts) {
  for (size_t a = 0; a < all->count; a = end_of(all, a)) {
    if (*all->point[a].as) continue;
    for (size_t b = end_of(all, a); b < all->count; b = end_of(all, b)) {
      if (!same_methods(all, a, b)) continue;
      for (size_t i = b; i < end_of(all, b); i++) {
        all->point[i].as = precision_methods[all->point[a].method].name;
        if (all->point[i].trials) precision_settle(&all->point[i], starts + i);
      }
    }
  }
}

/* ---- all points ------------------------------------------------------------------------------ */

/* makes run->own of the samples, which are so many starts and then the first runs of the methods
 * named. Variants of one solver whose first runs have the same errors at every value that both have
 * run are one: the first of the table stands for the others, and what those have is their first
 * run. No clock has a say in who stands for whom. */
static int work_precision_survey(study_run *run) {
  const precision_asked *const s = run->settings;
  if (precision_survey_points(run, values_of(&s->methods))) return -1;
  precision_survey *const all = run->own;
  for (size_t i = 0; i < all->count; i++)
    if (all->point[i].trials == 1) precision_settle(&all->point[i], s->trials + i);
  find_coincidences(all, s->trials);
  return 0;
}

/* ---- what is asked for ----------------------------------------------------------------------- */

#define OPTIONS(X, row) PRECISION_OPTIONS(X, row, "initial conditions", "12", "7.2e8")
static const study_option precision_asked_options[] = {OPTIONS(OPTION_LINE, precision_asked){0}};

/* ---- rows ------------------------------------------------------------------------------------ */

#define MODEL_CASE_COLUMNS(COLUMN, row)                                                            \
  COLUMN(row, name, TEXT, "", "the model, and its number of contacts where it is chosen")          \
  COLUMN(row, model, TEXT, "", "by its name")                                                      \
  COLUMN(row, contacts, COUNT, "", "number of contacts")                                           \
  COLUMN(row, field_gap, GAP, "", "null: MuJoCo did not race, or does not do the model")
COLUMN_ROW(model_case, MODEL_CASE_COLUMNS);

static const column point_columns[] = {
    PRECISION_ALL(PRECISION_LINE, work_precision_point)
        COLUMN(work_precision_point, settings, SETTINGS, "", "in force", .place = COLUMN_JSON_ONLY),
    {0},
};

/* a method that refuses the model says so once, not at each value of its knob */
static bool repeats(const void *row, const void *before) {
  const precision_row *const a = &((const work_precision_point *)row)->p;
  const precision_row *const b = &((const work_precision_point *)before)->p;
  return strcmp(a->status, precision_status_name(PRECISION_REFUSED)) == 0 &&
         strcmp(a->status, b->status) == 0 && strcmp(a->method, b->method) == 0 &&
         strcmp(a->message, b->message) == 0;
}

/* ---- cells: PRECISION_METHOD is its first runs ----------------------------------------------- */

/* what every method refuses; and that --methods would take nothing away */
static int check(study_run *run) {
  const precision_asked *const s = run->settings;
  const int refused = precision_check(run);
  if (refused) return refused;
  const model *const m = case_model(run, NULL);
  size_t count;
  const work_precision_point *const earlier = study_rows(run, WORK_PRECISION_POINTS, &count);
  for (size_t i = 0; i < count && s->methods.count; i++) {
    const precision_row *const p = &earlier[i].p;
    bool stays = strcmp(p->model, m->type->name) != 0 || p->contacts != model_contacts(m);
    for (size_t k = 0; k < s->methods.count; k++)
      stays = stays || strcmp(precision_methods[s->methods.index[k]].name, p->method) == 0;
    if (stays) continue;
    return measure_fail(run->message,
                        "%s holds this model measured with %s, which --methods leaves out and "
                        "would delete; give another --out, or name it, too",
                        run->folder, p->method);
  }
  return 0;
}

static int plan(study_run *run, size_t stage) {
  return precision_plan(run, stage, work_precision_survey);
}

/* ---- first runs ------------------------------------------------------------------------------ */

/* whether the run is too long to be made, by the next coarser value; what it would take is noted */
static bool is_too_long(const precision_sample *coarser, precision_sample *s, char *message) {
  const double taken = coarser->of.time_s;
  if (coarser->status != PRECISION_OK && coarser->status != PRECISION_TOO_LONG) return false;
  const double expected =
      precision_expected_time(&precision_methods[s->method], coarser->value, taken, s->value);
  if (!(expected > PRECISION_RUN_MAX)) return false;
  s->status = PRECISION_TOO_LONG;
  s->of.time_s = expected;
  s->of.field_evaluations = coarser->of.field_evaluations * expected / taken;
  s->of.guard_evaluations = coarser->of.guard_evaluations * expected / taken;
  measure_message(message, "one run would take some %.0f s", expected);
  return true;
}

static int run_method(study_run *run, contest_starts *starts, size_t method) {
  const precision_asked *const given = run->settings;
  const precision_effort effort = {model_contacts(starts->m), given->trials, given->point_work};
  precision_sample coarser = {.status = PRECISION_REFUSED};
  if (contest_reference(starts, 0, run->message)) return -1;
  for (const double *value = precision_methods[method].values; *value > 0.0; value++) {
    char message[MEASURE_MESSAGE_SIZE] = "";
    precision_sample s = precision_unknown(method, *value);
    s.message = message;
    if (!is_too_long(&coarser, &s, message)) precision_try(starts, &effort, NULL, &s, message);
    if (*run->interrupted || study_add(run, STUDY_SAMPLES, &s)) return -1;
    coarser = s;
  }
  return 0;
}

static int measure(study_run *run, const void *planned) {
  return precision_measure(run, planned, run_method);
}

/* ---- what the samples say -------------------------------------------------------------------- */

static void add_point(study_run *run, const model *m, const precision_point *p) {
  const precision_method *const method = &precision_methods[p->method];
  const solver_settings with = precision_settings(method, p->value, model_contacts(m));
  work_precision_point row;
  precision_summarize(run, m, precision_starts_of(run, 0), p, WORK_PRECISION_POINTS, &row.p);
  row.settings = solver_settings_in_force(solver_find(method->solver), &with, m->type->time_step);
  study_add(run, WORK_PRECISION_POINTS, &row);
}

static int derive(study_run *run) {
  const model *const m = case_model(run, NULL);
  char name[STUDY_CELL_NAME_SIZE];
  if (!m) return -1;
  const precision_survey *const all = run->own;
  const precision_sample *const first = study_rows(run, STUDY_SAMPLES, NULL);
  study_case_name(run, name);
  const model_case c = {study_text(run, "%s", name), m->type->name, model_contacts(m), first->gap};
  study_add(run, WORK_PRECISION_CASES, &c);
  for (size_t i = 0; i < all->count; i++) add_point(run, m, &all->point[i]);
  return 0;
}

const study work_precision_study = {
    .name = "work-precision",
    .summary = "every method over its own accuracy knob: error against time and evaluations",
    .example = "essbench work-precision --model plate --contacts 100",
    .file = "work_precision",
    .kept = WORK_PRECISION_CASES,
    .table = "the points of the results in the folder; nothing is measured",
    .cells = "methods and starts",
    .stages = 2,
    .pinned = true,
    .processes = 5,
    STUDY_OF(precision_asked, precision_cell),
    .tables = {[STUDY_SAMPLES] = PRECISION_SAMPLES,
               [WORK_PRECISION_CASES] = STUDY_ROWS(
                   model_case, .json = "cases", .meaning = "one model with one number of contacts"),
               [WORK_PRECISION_POINTS] = STUDY_TABLE(
                   point_columns, work_precision_point, .json = "points",
                   .csv = "work_precision.csv", .meaning = "one method at one value of its knob",
                   .within = WORK_PRECISION_CASES, .repeats = repeats)},
    .check = check,
    .plan = plan,
    .run = measure,
    .place = precision_place,
    .derive = derive,
};
