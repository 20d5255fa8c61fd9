/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench counters: the part of the regression gate that no clock is needed for. What the fixed
 * cases count and how far off they are; tools/judge compares it with the committed baseline. */
#include <math.h>
#include <stdlib.h>

#include "commands.h"
#include "contest.h"
#include "json_file.h"
#include "regress_cases.h"

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

/* a method whose steps never go through crossings has none in its rows */
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
      (json_int_t)r->field_evaluations, "guard_evaluations", (json_int_t)r->guard_evaluations);
  set_unless_zero(row, "through", r->through);
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

/* every case once: what holds nothing of machine or clock, so that the same code writes the same
 * file. NULL with one line that names the case */
static json_t *run_cases(char message[SOLVER_MESSAGE_SIZE]) {
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
    return json_pack("{s:s, s:i, s:o}", "schema", "essbench-counters-1", "schema_version", 1,
                     "cases", rows);
  json_decref(rows);
  return NULL;
}

static void print_text(const json_t *counts) {
  static const char *const columns[] = {
      "events", "steps", "entries", "projections", "field_evaluations", "guard_evaluations"};
  size_t i;
  const json_t *row;
  printf("%-46s %7s %7s %7s %7s %8s %8s %10s\n", "case", "events", "steps", "entries", "project.",
         "field", "guard", "RMS error");
  json_array_foreach(json_object_get(counts, "cases"), i, row) {
    double error = NAN;
    printf("%-46s", json_string_value(json_object_get(row, "name")));
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
      printf(" %*lld", k < 4 ? 7 : 8, json_integer_value(json_object_get(row, columns[k])));
    measure_json_value(json_object_get(row, "rms_error"), &error);
    printf(" %10.3g\n", error);
  }
}

static int run(arguments *given) {
  char message[SOLVER_MESSAGE_SIZE];
  json_t *const counts = run_cases(message);
  if (!counts) return command_fail(given, "%s", message);
  if (given->json || given->file) return command_result(given, counts);
  print_text(counts);
  json_decref(counts);
  return COMMAND_SUCCESS;
}

const command counters_command = {
    .name = "counters",
    .summary = "run the regression gate's fixed cases: what each counts, and its error",
    .groups = ARGUMENTS_JSON | ARGUMENTS_FILE,
    .run = run,
};
