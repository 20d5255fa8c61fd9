/*
 * Counters and errors of the fixed cases.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "regress_counters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contest.h"

static const char schema[] = "essbench-counters-1";

const char *const regress_counter_names[REGRESS_COUNTERS] = {
    [REGRESS_EVENTS] = "events",
    [REGRESS_REFERENCE_EVENTS] = "reference_events",
    [REGRESS_STEPS] = "steps",
    [REGRESS_REJECTED] = "rejected",
    [REGRESS_ENTRIES] = "entries",
    [REGRESS_PROJECTIONS] = "projections",
    [REGRESS_FIELD] = "field_evaluations",
    [REGRESS_GUARD] = "guard_evaluations",
    [REGRESS_SUBSTEPS] = "substeps",
    [REGRESS_GROUPS] = "groups",
};

static int out_of_memory(char message[SOLVER_MESSAGE_SIZE]) {
  return measure_fail(message, "out of memory");
}

void regress_counts_free(regress_counts *counts) {
  free(counts->rows);
  *counts = (regress_counts){0};
}

/* ---- running --------------------------------------------------------------------------------- */

/* the start and reference of the case before, kept while they serve the next one too */
typedef struct kept_reference {
  const regress_case *of; /* NULL: none yet */
  contest_starts starts;  /* of a model that is gone: each case looks at them with its own */
} kept_reference;

static int find_reference(kept_reference *kept, const regress_case *c, const model *m,
                          char message[SOLVER_MESSAGE_SIZE]) {
  if (kept->of && regress_same_reference(kept->of, c)) return 0;
  contest_starts_free(&kept->starts);
  kept->of = NULL;
  if (contest_starts_alloc(&kept->starts, m, 1, false, 0, message)) return -1;
  if (contest_reference(&kept->starts, 0, message)) return -1;
  kept->of = c;
  return 0;
}

static void note(regress_count *row, const regress_case *c, const contestant *one) {
  memcpy(row->name, c->name, sizeof row->name);
  const solver_report *const report = &one->report;
  const uint64_t values[REGRESS_COUNTERS] = {
      [REGRESS_EVENTS] = report->events,
      [REGRESS_REFERENCE_EVENTS] = one->starts->events[0],
      [REGRESS_STEPS] = report->steps,
      [REGRESS_REJECTED] = report->rejected,
      [REGRESS_ENTRIES] = report->entries,
      [REGRESS_PROJECTIONS] = report->projections,
      [REGRESS_FIELD] = report->field_evaluations,
      [REGRESS_GUARD] = report->guard_evaluations,
      [REGRESS_SUBSTEPS] = report->substeps,
      [REGRESS_GROUPS] = report->groups,
  };
  for (size_t k = 0; k < REGRESS_COUNTERS; k++) row->value[k] = (int64_t)values[k];
  const trajectory *const exact = &one->starts->references[0];
  row->rms_error = one->rms[0];
  row->dimension = exact->dimension;
  memcpy(row->reference_end, exact->states + (exact->count - 1) * exact->dimension,
         exact->dimension * sizeof *row->reference_end);
}

static int run_case(const regress_case *c, kept_reference *kept, regress_count *row,
                    char message[SOLVER_MESSAGE_SIZE]) {
  model m;
  contestant one = {0};
  double seconds; // not asked for
  if (regress_case_model(c, &m, message)) return -1;
  int status = find_reference(kept, c, &m, message);
  const contest_starts starts = contest_starts_view(&kept->starts, &m);
  if (!status) status = contestant_prepare(&one, c->solver, &c->settings, &starts, message);
  if (!status && contestant_sample(&one, 0, &seconds)) {
    snprintf(message, SOLVER_MESSAGE_SIZE, "%s", one.report.message);
    status = -1;
  }
  if (!status) note(row, c, &one);
  contestant_release(&one);
  model_release(&m);
  return status;
}

int regress_counts_run(regress_counts *counts, char message[SOLVER_MESSAGE_SIZE]) {
  *counts = (regress_counts){0};
  size_t count;
  regress_case *const cases = regress_counted_cases(&count);
  if (cases) counts->rows = calloc(count, sizeof *counts->rows);
  int status = counts->rows ? 0 : out_of_memory(message);
  kept_reference kept = {0};
  for (size_t i = 0; !status && i < count; i++) {
    char why[SOLVER_MESSAGE_SIZE];
    status = run_case(&cases[i], &kept, &counts->rows[i], why);
    if (status) measure_message(message, "%s: %.400s", cases[i].name, why);
    counts->count++;
  }
  contest_starts_free(&kept.starts);
  free(cases);
  if (status) regress_counts_free(counts);
  return status;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* a method without sub-steps has none in its rows */
static bool may_be_absent(size_t k) {
  return k == REGRESS_SUBSTEPS || k == REGRESS_GROUPS;
}

static json_t *row_json(const regress_count *row) {
  json_t *const object = json_pack("{s:s}", "name", row->name);
  for (size_t k = 0; k < REGRESS_COUNTERS; k++)
    if (row->value[k] || !may_be_absent(k))
      json_object_set_new(object, regress_counter_names[k], json_integer(row->value[k]));
  json_object_set_new(object, "rms_error", measure_json_number(row->rms_error));
  json_t *const end = json_array();
  for (size_t i = 0; i < row->dimension; i++)
    json_array_append_new(end, measure_json_number(row->reference_end[i]));
  json_object_set_new(object, "reference_end", end);
  return object;
}

json_t *regress_counts_json(const regress_counts *counts) {
  json_t *const rows = json_array();
  for (size_t i = 0; i < counts->count; i++)
    json_array_append_new(rows, row_json(&counts->rows[i]));
  return json_pack("{s:s, s:i, s:o}", "schema", schema, "schema_version", 1, "cases", rows);
}

/* true when the object has everything a row has */
static bool row_read(const json_t *object, regress_count *row) {
  const char *const name = json_string_value(json_object_get(object, "name"));
  const json_t *const end = json_object_get(object, "reference_end");
  if (!name || strlen(name) >= sizeof row->name) return false;
  memcpy(row->name, name, strlen(name) + 1);
  for (size_t k = 0; k < REGRESS_COUNTERS; k++) {
    const json_t *const value = json_object_get(object, regress_counter_names[k]);
    if (!json_is_integer(value) && (value || !may_be_absent(k))) return false;
    row->value[k] = json_integer_value(value);
  }
  if (measure_json_value(json_object_get(object, "rms_error"), &row->rms_error)) return false;
  row->dimension = json_array_size(end);
  if (row->dimension < 1 || row->dimension > MODEL_DIMENSION_MAX) return false;
  for (size_t i = 0; i < row->dimension; i++)
    if (measure_json_value(json_array_get(end, i), &row->reference_end[i])) return false;
  return true;
}

static int rows_read(regress_counts *counts, const json_t *root, const char *path, char *message) {
  const char *const found = json_string_value(json_object_get(root, "schema"));
  const json_t *const rows = json_object_get(root, "cases");
  if (!found || strcmp(found, schema) != 0 || json_array_size(rows) == 0)
    return measure_fail(message,
                        "%s is no baseline of counters (schema %s); make baseline writes one", path,
                        schema);
  counts->rows = calloc(json_array_size(rows), sizeof *counts->rows);
  if (!counts->rows) return out_of_memory(message);
  for (; counts->count < json_array_size(rows); counts->count++) {
    if (row_read(json_array_get(rows, counts->count), &counts->rows[counts->count])) continue;
    measure_message(message, "%s: case %zu lacks a name, a counter, rms_error or reference_end",
                    path, counts->count + 1);
    regress_counts_free(counts);
    return -1;
  }
  return 0;
}

int regress_counts_read(regress_counts *counts, const char *path,
                        char message[SOLVER_MESSAGE_SIZE]) {
  *counts = (regress_counts){0};
  json_t *const root = measure_json_read(path, message);
  if (!root) return -1;
  const int status = rows_read(counts, root, path, message);
  json_decref(root);
  return status;
}

/* ---- comparing ------------------------------------------------------------------------------- */

const regress_count *regress_counts_find(const regress_counts *counts, const char *name) {
  for (size_t i = 0; i < counts->count; i++)
    if (strcmp(counts->rows[i].name, name) == 0) return &counts->rows[i];
  return NULL;
}

/* libm's dispatch moves guard evaluations a little; nothing else may move */
static bool counter_agrees(size_t k, int64_t before, int64_t now) {
  if (k != REGRESS_GUARD) return before == now;
  return fabs((double)(now - before)) <= REGRESS_GUARD_TOLERANCE * (double)before;
}

static size_t compare_counters(const regress_count *before, const regress_count *now,
                               FILE *stream) {
  size_t differences = 0;
  for (size_t k = 0; k < REGRESS_COUNTERS; k++) {
    if (counter_agrees(k, before->value[k], now->value[k])) continue;
    fprintf(stream, "%s: %s %lld in the baseline, %lld now%s\n", now->name,
            regress_counter_names[k], (long long)before->value[k], (long long)now->value[k],
            k == REGRESS_GUARD ? " (more than 3 %)" : "");
    differences++;
  }
  return differences;
}

/* an error that is NaN now has grown, one that was NaN has not */
static size_t compare_errors(const regress_count *before, const regress_count *now,
                             regress_comparison *result, FILE *stream) {
  const double growth =
      now->rms_error == before->rms_error ? 1.0 : now->rms_error / before->rms_error;
  if (!(growth <= result->worst_growth)) {
    result->worst_growth = growth;
    result->worst_case = now->name;
  }
  if (growth < 1.0 - REGRESS_RMS_TOLERANCE) result->better++;
  if (growth <= 1.0 + REGRESS_RMS_TOLERANCE || isnan(before->rms_error)) return 0;
  fprintf(stream, "%s: rms_error %.9g in the baseline, %.9g now (%+.3g %%)\n", now->name,
          before->rms_error, now->rms_error, 100.0 * (growth - 1.0));
  return 1;
}

/* errors mean nothing when what they are measured against has moved */
static size_t compare_references(const regress_count *before, const regress_count *now,
                                 FILE *stream) {
  if (before->dimension != now->dimension) {
    fprintf(stream, "%s: %zu states in the baseline, %zu now\n", now->name, before->dimension,
            now->dimension);
    return 1;
  }
  for (size_t i = 0; i < now->dimension; i++) {
    const double was = before->reference_end[i], is = now->reference_end[i];
    if (fabs(is - was) <= REGRESS_REFERENCE_TOLERANCE * fmax(1.0, fabs(was))) continue;
    fprintf(stream, "%s: reference_end[%zu] %.12g in the baseline, %.12g now\n", now->name, i, was,
            is);
    return 1;
  }
  return 0;
}

regress_comparison regress_counts_compare(const regress_counts *baseline, const regress_counts *now,
                                          FILE *stream) {
  regress_comparison result = {0};
  for (size_t i = 0; i < now->count; i++) {
    const regress_count *const row = &now->rows[i];
    const regress_count *const before = regress_counts_find(baseline, row->name);
    if (!before) {
      fprintf(stream, "%s: not in the baseline\n", row->name);
      result.differences++;
      continue;
    }
    result.cases++;
    result.differences += compare_counters(before, row, stream);
    result.differences += compare_errors(before, row, &result, stream);
    result.differences += compare_references(before, row, stream);
  }
  for (size_t i = 0; i < baseline->count; i++) {
    if (regress_counts_find(now, baseline->rows[i].name)) continue;
    fprintf(stream, "%s: in the baseline, not run now\n", baseline->rows[i].name);
    result.differences++;
  }
  return result;
}
