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
enum { WORK_PRECISION_CASES = STUDY_SAMPLES + 1, WORK_PRECISION_ENTRIES, WORK_PRECISION_POINTS };

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
    PRECISION_COLUMNS,
    PRECISION_MESSAGE,
    TAKEN("settings", SETTINGS, "", "in force", .place = COLUMN_JSON_ONLY),
    {0},
};

/* a method that refuses the model says so once, not at each value of its knob */
static bool repeats(const void *row, const void *before) {
  static const char *const names[] = {"status", "method", "message"};
  bool same = true;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const column *const c = column_find(point_columns, names[i]);
    same = same && strcmp(column_text(c, row), column_text(c, before)) == 0;
  }
  return same && strcmp(column_text(column_find(point_columns, "status"), row),
                        precision_status_name(PRECISION_REFUSED)) == 0;
}

/* ---- cells: PRECISION_METHOD is its first runs ----------------------------------------------- */

/* what every method refuses; and that --methods would take nothing away */
static int check(study_run *run) {
  const precision_asked *const s = run->settings;
  const int refused = precision_check(run);
  if (refused) return refused;
  const model *const m = case_model(run, NULL);
  char of[MODEL_NAME_SIZE];
  size_t count;
  model_case_name(m, of);
  study_rows(run, WORK_PRECISION_POINTS, &count);
  for (size_t i = 0; i < count && s->methods.count; i++) {
    const char *const method = study_words(run, WORK_PRECISION_POINTS, i, "method");
    bool stays =
        strcmp(study_words(run, WORK_PRECISION_POINTS, i, "model"), of) != 0 ||
        study_number(run, WORK_PRECISION_POINTS, i, "contacts") != (double)model_contacts(m);
    for (size_t k = 0; k < s->methods.count; k++)
      stays = stays || strcmp(precision_methods[s->methods.index[k]].name, method) == 0;
    if (stays) continue;
    return measure_fail(run->message,
                        "%s holds this model measured with %s, which --methods leaves out and "
                        "would delete; give another --out, or name it, too",
                        run->folder, method);
  }
  return 0;
}

static int plan(study_run *run, size_t stage) {
  return precision_plan(run, stage, true);
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
  s->of.event_evaluations = coarser->of.event_evaluations * expected / taken;
  measure_message(message, "one run would take some %.0f s", expected);
  return true;
}

static int run_method(study_run *run, contest_starts *starts, size_t method) {
  precision_sample coarser = {.status = PRECISION_REFUSED};
  if (contest_reference(starts, 0, run->message)) return -1;
  for (const double *value = precision_methods[method].values; *value > 0.0; value++) {
    char message[MEASURE_MESSAGE_SIZE] = "";
    precision_sample s = precision_unknown("known", model_contacts(starts->m), method, *value);
    s.message = message;
    if (!is_too_long(&coarser, &s, message)) precision_try(run, starts, NULL, &s, message);
    if (*run->interrupted || study_add(run, STUDY_SAMPLES, &s)) return -1;
    coarser = s;
  }
  return 0;
}

static int measure(study_run *run, const void *planned) {
  return precision_measure(run, planned, run_method);
}

/* ---- what the samples say -------------------------------------------------------------------- */

static int derive(study_run *run) {
  const model *const m = case_model(run, NULL);
  char name[STUDY_CELL_NAME_SIZE];
  if (!m) return -1;
  const precision_sample *const first = study_rows(run, STUDY_SAMPLES, NULL);
  study_case_name(run, name);
  char of[MODEL_NAME_SIZE];
  model_case_name(m, of);
  const model_case c = {study_text(run, "%s", name), study_text(run, "%s", of), model_contacts(m),
                        first->gap};
  study_add(run, WORK_PRECISION_CASES, &c);
  return precision_derive(run, WORK_PRECISION_ENTRIES);
}

const study work_precision_study = {
    .name = "work-precision",
    .summary = "work-precision diagrams of all methods: error against time and evaluations",
    .example = "essbench work-precision --model plate --contacts 100",
    .file = "work_precision",
    .group = STUDY_COMPARES,
    .figures = {STUDY_FIGURE("fig_tolerance_kept", "work_precision.csv")},
    .kept = WORK_PRECISION_CASES,
    .table = "the points of the results in the folder; nothing is measured",
    .cells = "methods and initial conditions",
    .stages = 2,
    .pinned = true,
    .processes = 5,
    STUDY_OF(precision_asked, precision_cell),
    .laps = PRECISION_LAPS("work_precision"),
    .tables = {[STUDY_SAMPLES] = PRECISION_SAMPLES,
               [WORK_PRECISION_CASES] = STUDY_ROWS(
                   model_case, .json = "cases", .meaning = "one model with one number of contacts"),
               [WORK_PRECISION_ENTRIES] = PRECISION_ENTRIES("work_precision"),
               [WORK_PRECISION_POINTS] =
                   STUDY_DERIVED(point_columns, PRECISION_FROM("work_precision"), .json = "points",
                                 .csv = "work_precision.csv",
                                 .meaning = "one method at one value of its parameter",
                                 .within = WORK_PRECISION_CASES, .repeats = repeats)},
    .check = check,
    .plan = plan,
    .run = measure,
    .place = precision_place,
    .derive = derive,
};
