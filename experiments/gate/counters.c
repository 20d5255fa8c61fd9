/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench counters: the part of the regression gate that no clock is needed for. What the fixed
 * cases count and how far off they are; tools/judge compares it with the committed baseline. */
#include <math.h>

#include "command.h"
#include "json_file.h"
#include "regress_cases.h"

/* the start and reference of the case before, which serve the next one, too, if it has the same */
typedef struct kept_reference {
  model of;              /* its parameters; no type: there is none yet */
  contest_starts starts; /* of a model that is gone: each case looks at them with its own */
} kept_reference;

static int find_reference(kept_reference *kept, const model *m, char message[SOLVER_MESSAGE_SIZE]) {
  if (kept->of.type && regress_same_reference(&kept->of, m)) return 0;
  contest_starts_free(&kept->starts);
  kept->of.type = NULL;
  if (contest_starts_alloc(&kept->starts, m, 1, false, 0, message) ||
      contest_reference(&kept->starts, 0, message))
    return -1;
  kept->of = *m;
  return 0;
}

static json_t *row_of(const char *name, const contestant *one) {
  const solver_report *const r = &one->report;
  const trajectory *const exact = &one->starts->references[0];
  const double *const end = exact->states + (exact->count - 1) * exact->dimension;
  const struct {
    const char *name;
    uint64_t value;
  } counted[] = {{"events", r->events},
                 {"reference_events", one->starts->events[0]},
                 {"steps", r->steps},
                 {"rejected", r->rejected},
                 {"entries", r->entries},
                 {"projections", r->projections},
                 {"field_evaluations", r->field_evaluations},
                 {"guard_evaluations", r->guard_evaluations},
                 {"through", r->through}};
  enum { COUNTED = sizeof counted / sizeof *counted };
  json_t *const row = json_pack("{s:s}", "name", name), *const ends = json_array();
  // a method whose steps never go through crossings has none in its rows
  for (size_t i = 0; i < COUNTED - !r->through; i++)
    json_object_set_new(row, counted[i].name, json_integer((json_int_t)counted[i].value));
  for (size_t i = 0; i < exact->dimension; i++)
    json_array_append_new(ends, measure_json_number(end[i]));
  json_object_set_new(row, "rms_error", measure_json_number(one->rms[0]));
  json_object_set_new(row, "reference_end", ends);
  return row;
}

/* adds the row of a case: 0, or -1 with one line */
static int run_case(regress_case *c, kept_reference *kept, json_t *rows,
                    char message[SOLVER_MESSAGE_SIZE]) {
  char why[SOLVER_MESSAGE_SIZE] = "out of memory";
  contestant one = {0};
  double seconds; // not asked for
  int status = model_prepare(&c->m, why);
  if (!status) status = find_reference(kept, &c->m, why);
  const contest_starts starts = contest_starts_view(&kept->starts, &c->m);
  if (!status) status = contestant_prepare(&one, c->solver, &c->settings, &starts, why);
  if (!status && contestant_sample(&one, 0, &seconds))
    status = measure_fail(why, "%s", one.report.message);
  if (!status) status = json_array_append_new(rows, row_of(c->name, &one));
  contestant_release(&one);
  model_release(&c->m);
  return status ? measure_fail(message, "%s: %.400s", c->name, why) : 0;
}

static void print_text(const json_t *rows) {
  static const char *const columns[] = {
      "events", "steps", "entries", "projections", "field_evaluations", "guard_evaluations"};
  size_t i;
  const json_t *row;
  printf("%-46s %7s %7s %7s %7s %8s %8s %10s\n", "case", "events", "steps", "entries", "project.",
         "field", "guard", "RMS error");
  json_array_foreach(rows, i, row) {
    double error = NAN;
    printf("%-46s", json_string_value(json_object_get(row, "name")));
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
      printf(" %*lld", k < 4 ? 7 : 8, json_integer_value(json_object_get(row, columns[k])));
    measure_json_value(json_object_get(row, "rms_error"), &error);
    printf(" %10.3g\n", error);
  }
}

/* every case once: what holds nothing of machine or clock, so that the same code writes the same
 * file */
static int run(arguments *given) {
  char message[SOLVER_MESSAGE_SIZE];
  regress_case cases[REGRESS_CASES_MAX];
  const size_t count = regress_counted_cases(cases);
  json_t *const rows = json_array();
  kept_reference kept = {0};
  int status = 0;
  for (size_t i = 0; !status && i < count; i++) status = run_case(&cases[i], &kept, rows, message);
  contest_starts_free(&kept.starts);
  if (status)
    status = command_fail(given, "%s", message);
  else if (given->json || given->file)
    status = command_result(given, json_pack("{s:s, s:i, s:O}", "schema", "essbench-counters-1",
                                             "schema_version", 1, "cases", rows));
  else
    print_text(rows);
  json_decref(rows);
  return status;
}

const command counters_command = {
    .name = "counters",
    .summary = "run the regression gate's fixed cases: what each counts, and its error",
    .groups = ARGUMENTS_JSON | ARGUMENTS_FILE,
    .run = run,
};
