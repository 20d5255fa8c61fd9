/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counters and errors of the fixed cases. */
#include "regress_counters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contest.h"
#include "json_file.h"

static const char schema[] = "essbench-counters-1", guard_counter[] = "guard_evaluations";

const char *const regress_counter_names[] = {
    "events",      "reference_events",  "steps",       "rejected", "entries",
    "projections", "field_evaluations", guard_counter, "substeps", "groups",
    NULL,
};

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

/* a method without sub-steps has none in its rows */
static void set_unless_zero(json_t *row, const char *name, uint64_t value) {
  if (value) json_object_set_new(row, name, json_integer((json_int_t)value));
}

static json_t *row_of(const regress_case *c, const contestant *one) {
  const solver_report *const r = &one->report;
  const trajectory *const exact = &one->starts->references[0];
  const double *const end = exact->states + (exact->count - 1) * exact->dimension;
  json_t *const row = json_pack(
      "{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "name", c->name, "events",
      (json_int_t)r->events, "reference_events", (json_int_t)one->starts->events[0], "steps",
      (json_int_t)r->steps, "rejected", (json_int_t)r->rejected, "entries", (json_int_t)r->entries,
      "projections", (json_int_t)r->projections, "field_evaluations",
      (json_int_t)r->field_evaluations, guard_counter, (json_int_t)r->guard_evaluations);
  set_unless_zero(row, "substeps", r->substeps);
  set_unless_zero(row, "groups", r->groups);
  json_object_set_new(row, "rms_error", measure_json_number(one->rms[0]));
  json_t *const ends = json_array();
  for (size_t i = 0; i < exact->dimension; i++)
    json_array_append_new(ends, measure_json_number(end[i]));
  json_object_set_new(row, "reference_end", ends);
  return row;
}

/* the row of a case, or NULL with one line */
static json_t *run_case(const regress_case *c, kept_reference *kept,
                        char message[SOLVER_MESSAGE_SIZE]) {
  model m;
  contestant one = {0};
  double seconds; // not asked for
  json_t *row = NULL;
  if (regress_case_model(c, &m, message)) return NULL;
  int status = find_reference(kept, c, &m, message);
  const contest_starts starts = contest_starts_view(&kept->starts, &m);
  if (!status) status = contestant_prepare(&one, c->solver, &c->settings, &starts, message);
  if (!status && contestant_sample(&one, 0, &seconds))
    measure_message(message, "%s", one.report.message);
  else if (!status)
    row = row_of(c, &one);
  contestant_release(&one);
  model_release(&m);
  return row;
}

json_t *regress_counts_run(char message[SOLVER_MESSAGE_SIZE]) {
  size_t count;
  regress_case *const cases = regress_counted_cases(&count);
  json_t *const rows = json_array();
  int status = cases && rows ? 0 : measure_fail(message, "out of memory");
  kept_reference kept = {0};
  for (size_t i = 0; !status && i < count; i++) {
    char why[SOLVER_MESSAGE_SIZE] = "out of memory";
    status = json_array_append_new(rows, run_case(&cases[i], &kept, why));
    if (status) measure_message(message, "%s: %.400s", cases[i].name, why);
  }
  contest_starts_free(&kept.starts);
  free(cases);
  if (!status)
    return json_pack("{s:s, s:i, s:o}", "schema", schema, "schema_version", 1, "cases", rows);
  json_decref(rows);
  return NULL;
}

/* ---- the file -------------------------------------------------------------------------------- */

long long regress_counter(const json_t *row, const char *name) {
  return json_integer_value(json_object_get(row, name));
}

double regress_rms_error(const json_t *row) {
  double error = NAN;
  measure_json_value(json_object_get(row, "rms_error"), &error);
  return error;
}

/* whether a case has all that is compared */
static bool is_row(const json_t *row) {
  const json_t *const end = json_object_get(row, "reference_end");
  double number;
  bool whole = json_is_string(json_object_get(row, "name")) && json_array_size(end) > 0 &&
               !measure_json_value(json_object_get(row, "rms_error"), &number);
  for (size_t k = 0; regress_counter_names[k]; k++) {
    const char *const name = regress_counter_names[k];
    const bool may_be_absent = strcmp(name, "substeps") == 0 || strcmp(name, "groups") == 0;
    const json_t *const value = json_object_get(row, name);
    whole = whole && (json_is_integer(value) || (!value && may_be_absent));
  }
  for (size_t i = 0; i < json_array_size(end); i++)
    whole = whole && !measure_json_value(json_array_get(end, i), &number);
  return whole;
}

static int check(const json_t *root, const char *path, char *message) {
  const char *const found = json_string_value(json_object_get(root, "schema"));
  const json_t *const rows = json_object_get(root, "cases"), *row;
  size_t i;
  if (!found || strcmp(found, schema) != 0 || json_array_size(rows) == 0)
    return measure_fail(message,
                        "%s is no baseline of counters (schema %s); make baseline writes one", path,
                        schema);
  json_array_foreach(rows, i, row) {
    if (!is_row(row))
      return measure_fail(
          message, "%s: case %zu lacks a name, a counter, rms_error or reference_end", path, i + 1);
  }
  return 0;
}

json_t *regress_counts_read(const char *path, char message[SOLVER_MESSAGE_SIZE]) {
  json_t *const root = measure_json_read(path, message);
  if (!root || !check(root, path, message)) return root;
  json_decref(root);
  return NULL;
}

/* ---- comparing ------------------------------------------------------------------------------- */

static const char *name_of(const json_t *row) {
  return json_string_value(json_object_get(row, "name"));
}

const json_t *regress_counts_find(const json_t *counts, const char *name) {
  size_t i;
  const json_t *row;
  json_array_foreach(json_object_get(counts, "cases"), i, row) {
    const char *const found = name_of(row);
    if (found && strcmp(found, name) == 0) return row;
  }
  return NULL;
}

/* libm's dispatch moves guard evaluations a little; nothing else may move */
static bool counter_agrees(const char *name, long long before, long long now) {
  if (strcmp(name, guard_counter) != 0) return before == now;
  return fabs((double)(now - before)) <= REGRESS_GUARD_TOLERANCE * (double)before;
}

static size_t compare_counters(const json_t *before, const json_t *now, FILE *stream) {
  size_t differences = 0;
  for (const char *const *name = regress_counter_names; *name; name++) {
    const long long was = regress_counter(before, *name), is = regress_counter(now, *name);
    if (counter_agrees(*name, was, is)) continue;
    fprintf(stream, "%s: %s %lld in the baseline, %lld now%s\n", name_of(now), *name, was, is,
            strcmp(*name, guard_counter) == 0 ? " (more than 3 %)" : "");
    differences++;
  }
  return differences;
}

/* an error that is NaN now has grown, one that was NaN has not */
static size_t compare_errors(const json_t *before, const json_t *now, size_t *better,
                             FILE *stream) {
  const double was = regress_rms_error(before), is = regress_rms_error(now);
  const double growth = is == was ? 1.0 : is / was;
  *better += growth < 1.0 - REGRESS_RMS_TOLERANCE;
  if (growth <= 1.0 + REGRESS_RMS_TOLERANCE || isnan(was)) return 0;
  fprintf(stream, "%s: rms_error %.9g in the baseline, %.9g now (%+.3g %%)\n", name_of(now), was,
          is, 100.0 * (growth - 1.0));
  return 1;
}

/* errors mean nothing when what they are measured against has moved */
static size_t compare_references(const json_t *before, const json_t *now, FILE *stream) {
  const json_t *const old = json_object_get(before, "reference_end"), *const new = json_object_get(
                                                                          now, "reference_end");
  if (json_array_size(old) != json_array_size(new)) {
    fprintf(stream, "%s: %zu states in the baseline, %zu now\n", name_of(now), json_array_size(old),
            json_array_size(new));
    return 1;
  }
  for (size_t i = 0; i < json_array_size(new); i++) {
    double was = NAN, is = NAN;
    measure_json_value(json_array_get(old, i), &was);
    measure_json_value(json_array_get(new, i), &is);
    if (fabs(is - was) <= REGRESS_REFERENCE_TOLERANCE * fmax(1.0, fabs(was))) continue;
    fprintf(stream, "%s: reference_end[%zu] %.12g in the baseline, %.12g now\n", name_of(now), i,
            was, is);
    return 1;
  }
  return 0;
}

regress_comparison regress_counts_compare(const json_t *baseline, const json_t *now, FILE *stream) {
  regress_comparison result = {0};
  size_t i;
  const json_t *row;
  json_array_foreach(json_object_get(now, "cases"), i, row) {
    const json_t *const before = regress_counts_find(baseline, name_of(row));
    if (!before) {
      fprintf(stream, "%s: not in the baseline\n", name_of(row));
      result.differences++;
      continue;
    }
    result.cases++;
    result.differences += compare_counters(before, row, stream);
    result.differences += compare_errors(before, row, &result.better, stream);
    result.differences += compare_references(before, row, stream);
  }
  json_array_foreach(json_object_get(baseline, "cases"), i, row) {
    if (regress_counts_find(now, name_of(row))) continue;
    fprintf(stream, "%s: in the baseline, not run now\n", name_of(row));
    result.differences++;
  }
  return result;
}
