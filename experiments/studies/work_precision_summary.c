/*
 * What a case's samples say: what each point is worth, and which methods are the same.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bootstrap.h"
#include "statistics.h"
#include "work_precision.h"

const char *const precision_text_names[PRECISION_TEXTS] = {
    [PRECISION_MODEL] = "model",
    [PRECISION_LAW] = "law",
    [PRECISION_METHOD] = "method",
    [PRECISION_LABEL] = "label",
    [PRECISION_SOLVER] = "solver",
    [PRECISION_VARIANT] = "variant",
    [PRECISION_KNOB] = "knob",
    [PRECISION_STATUS] = "status",
    [PRECISION_COINCIDES] = "coincides_with",
    [PRECISION_MESSAGE] = "message",
};

const char *const precision_number_names[PRECISION_NUMBERS] = {
    [PRECISION_CONTACTS] = "contacts",
    [PRECISION_DAMPING] = "damping",
    [PRECISION_VALUE] = "value",
    [PRECISION_TRIALS] = "trials",
    [PRECISION_FAILURES] = "failures",
    [PRECISION_RMS_ERROR] = "rms_error",
    [PRECISION_RMS_WORST] = "rms_worst",
    [PRECISION_MEDIAN] = "median_s",
    [PRECISION_MEDIAN_LOW] = "median_lo_s",
    [PRECISION_MEDIAN_HIGH] = "median_hi_s",
    [PRECISION_EVENTS_MEDIAN] = "events",
    [PRECISION_EVENTS_REFERENCE] = "events_reference",
    [PRECISION_EVENTS_RATIO] = "events_ratio",
    [PRECISION_STEPS_MEDIAN] = "steps",
    [PRECISION_REJECTED_MEDIAN] = "rejected",
    [PRECISION_ENTRIES_MEDIAN] = "entries",
    [PRECISION_PROJECTIONS_MEDIAN] = "projections",
    [PRECISION_FIELDS_MEDIAN] = "field_evaluations",
    [PRECISION_GUARDS_MEDIAN] = "guard_evaluations",
    [PRECISION_EVALUATIONS] = "evaluations",
};

/* ---- judging --------------------------------------------------------------------------------- */

/* a run that gave up has its time and nothing else */
static bool gave_up(const precision_point *p, size_t j) {
  return isnan(p->sample[PRECISION_STEPS][j]);
}

static bool diverged(const precision_case *c, const precision_point *p, size_t j) {
  return !(p->sample[PRECISION_RMS][j] < c->held[j]);
}

/* crossings of all runs that ended, over the reference's; one where there are none */
static double events_ratio(const precision_case *c, const precision_point *p) {
  double events = 0.0, reference = 0.0;
  for (size_t j = 0; j < p->trials; j++) {
    if (gave_up(p, j)) continue;
    events += p->sample[PRECISION_EVENTS][j];
    reference += (double)c->starts.events[j];
  }
  return events == reference ? 1.0 : events / reference;
}

precision_status precision_judge(const precision_case *c, const precision_point *p) {
  if (p->obstacle != PRECISION_OK) return p->obstacle;
  size_t up = 0, away = 0;
  for (size_t j = 0; j < p->trials; j++) {
    up += gave_up(p, j);
    away += diverged(c, p, j);
  }
  if (up) return PRECISION_FAILED;
  if (away) return PRECISION_DIVERGED;
  const bool close = fabs(events_ratio(c, p) - 1.0) <= CONTEST_EVENTS_TOLERANCE;
  return close ? PRECISION_OK : PRECISION_CROSSINGS;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* the name of a parameter's choice; empty where the model has no such parameter */
static const char *choice_of(const model *m, const char *name) {
  for (size_t i = 0; i < m->type->parameter_count; i++) {
    const model_parameter *const p = &m->type->parameters[i];
    if (strcmp(p->name, name) == 0 && p->choices) return p->choices[(size_t)m->value[i]];
  }
  return "";
}

static const char *message_of(const precision_point *p, precision_status status) {
  if (p->message[0]) return p->message;
  if (status == PRECISION_DIVERGED) return "no better than a state that stays where it started";
  if (status == PRECISION_CROSSINGS) return "crossings are more than 1 % off the reference's";
  return "";
}

/* the finite ones of one quantity, as many as are returned */
static size_t finite_samples(const precision_point *p, precision_quantity q, double out[]) {
  size_t count = 0;
  for (size_t j = 0; j < p->trials; j++)
    if (isfinite(p->sample[q][j])) out[count++] = p->sample[q][j];
  return count;
}

/* median of a quantity over the runs that ended; NaN when none did */
static int median_of(const precision_point *p, precision_quantity q, double work[], double *out) {
  const size_t count = finite_samples(p, q, work);
  *out = NAN;
  return count ? measure_median(work, count, out) : MEASURE_SUCCESS;
}

/* errors and times; a point that was not raced has the time of its first run */
static int fill_times(const precision_case *c, const precision_point *p, double work[],
                      double number[]) {
  measure_summary errors = {.median = NAN, .max = NAN};
  measure_interval times = {p->first[PRECISION_SECONDS], NAN, NAN};
  const measure_bootstrap options = measure_bootstrap_default(c->given->seed);
  size_t count = finite_samples(p, PRECISION_RMS, work);
  int status = count ? measure_summarize(work, count, &errors) : MEASURE_SUCCESS;
  if (!status) count = finite_samples(p, PRECISION_SECONDS, work);
  if (!status && count > 1) status = measure_bootstrap_median(work, count, &options, &times);
  number[PRECISION_RMS_ERROR] = errors.median;
  number[PRECISION_RMS_WORST] = errors.max;
  number[PRECISION_MEDIAN] = count == 1 ? work[0] : times.estimate;
  number[PRECISION_MEDIAN_LOW] = times.low;
  number[PRECISION_MEDIAN_HIGH] = times.high;
  return status;
}

static int fill_counts(const precision_case *c, const precision_point *p, double work[],
                       double number[]) {
  static const struct {
    precision_quantity from;
    precision_number to;
  } counts[] = {{PRECISION_EVENTS, PRECISION_EVENTS_MEDIAN},
                {PRECISION_STEPS, PRECISION_STEPS_MEDIAN},
                {PRECISION_REJECTED, PRECISION_REJECTED_MEDIAN},
                {PRECISION_ENTRIES, PRECISION_ENTRIES_MEDIAN},
                {PRECISION_PROJECTIONS, PRECISION_PROJECTIONS_MEDIAN},
                {PRECISION_FIELDS, PRECISION_FIELDS_MEDIAN},
                {PRECISION_GUARDS, PRECISION_GUARDS_MEDIAN}};
  int status = MEASURE_SUCCESS;
  for (size_t i = 0; !status && i < sizeof counts / sizeof *counts; i++)
    status = median_of(p, counts[i].from, work, &number[counts[i].to]);
  number[PRECISION_EVALUATIONS] = number[PRECISION_FIELDS_MEDIAN] + number[PRECISION_GUARDS_MEDIAN];
  // a run that failed has made those up to there
  if (isnan(number[PRECISION_EVALUATIONS]))
    number[PRECISION_EVALUATIONS] = p->first[PRECISION_FIELDS] + p->first[PRECISION_GUARDS];
  number[PRECISION_EVENTS_RATIO] = p->trials ? events_ratio(c, p) : NAN;
  return status;
}

double precision_reference_events(const precision_case *c) {
  double *const events = calloc(c->trials, sizeof *events);
  double median = NAN;
  for (size_t j = 0; events && j < c->trials; j++) events[j] = (double)c->starts.events[j];
  if (!events || measure_median(events, c->trials, &median)) median = NAN;
  free(events);
  return median;
}

void precision_row_name(const precision_case *c, const precision_method *method, double value,
                        precision_status status, const char *message, precision_row *row) {
  *row = (precision_row){.text = {[PRECISION_MODEL] = c->m->type->name,
                                  [PRECISION_LAW] = choice_of(c->m, "law"),
                                  [PRECISION_METHOD] = method->name,
                                  [PRECISION_LABEL] = method->label,
                                  [PRECISION_SOLVER] = method->solver,
                                  [PRECISION_VARIANT] = method->variant ? method->variant : "",
                                  [PRECISION_KNOB] = precision_knob_name(method->knob),
                                  [PRECISION_STATUS] = precision_status_name(status),
                                  [PRECISION_COINCIDES] = "",
                                  [PRECISION_MESSAGE] = message}};
  for (size_t i = 0; i < PRECISION_NUMBERS; i++) row->number[i] = NAN;
  row->number[PRECISION_CONTACTS] = (double)c->contacts;
  row->number[PRECISION_DAMPING] = model_get(c->m, "damping");
  row->number[PRECISION_VALUE] = value;
  row->number[PRECISION_TRIALS] = 0.0;
  row->number[PRECISION_EVENTS_REFERENCE] = precision_reference_events(c);
}

/* starts that gave up or diverged */
static double failures_of(const precision_case *c, const precision_point *p) {
  double count = 0.0;
  for (size_t j = 0; j < p->trials; j++) count += gave_up(p, j) || diverged(c, p, j);
  return count;
}

int precision_summarize(const precision_case *c, const precision_point *p, precision_row *row,
                        char *message) {
  const precision_status judged = precision_judge(c, p);
  double *const work = calloc(c->trials, sizeof *work);
  int status = work ? MEASURE_SUCCESS : MEASURE_ENOMEM;
  precision_row_name(c, p->method, p->value, judged, message_of(p, judged), row);
  if (p->as) row->text[PRECISION_COINCIDES] = p->as->name;
  row->number[PRECISION_TRIALS] = (double)p->trials;
  row->number[PRECISION_FAILURES] = failures_of(c, p);
  if (!status) status = fill_times(c, p, work, row->number);
  if (!status) status = fill_counts(c, p, work, row->number);
  free(work);
  if (status) measure_message(message, "statistics: %s", measure_strerror(status));
  return status ? -1 : 0;
}

/* ---- methods that are the same ----------------------------------------------------------------
 */

/* whether two points' first runs have the same errors; those that failed alike are alike */
static bool same_errors(const precision_point *a, const precision_point *b) {
  const double x = a->first[PRECISION_RMS], y = b->first[PRECISION_RMS];
  return fabs(x - y) <= PRECISION_COINCIDE * fmin(fabs(x), fabs(y)) || (isnan(x) && isnan(y));
}

/* where the points of another method begin */
static size_t end_of(const precision_case *c, size_t first) {
  size_t i = first;
  while (i < c->count && c->point[i].method == c->point[first].method) i++;
  return i;
}

/* a run that would take too long may do the same as one that has been made */
static bool same_points(const precision_point *a, const precision_point *b) {
  if (a->value != b->value) return false;
  if (a->obstacle == b->obstacle) return same_errors(a, b);
  return (a->obstacle == PRECISION_TOO_LONG && b->obstacle == PRECISION_OK) ||
         (a->obstacle == PRECISION_OK && b->obstacle == PRECISION_TOO_LONG);
}

/* whether the methods that begin at a and b are variants that do the same at every value, at least
 * one of which both have run */
static bool same_methods(const precision_case *c, size_t a, size_t b) {
  const size_t count = end_of(c, a) - a;
  bool raced = false;
  if (strcmp(c->point[a].method->solver, c->point[b].method->solver) != 0 ||
      count != end_of(c, b) - b)
    return false;
  for (size_t k = 0; k < count; k++) {
    const precision_point *const p = &c->point[a + k], *const q = &c->point[b + k];
    if (!same_points(p, q)) return false;
    raced = raced || (p->trials && q->trials);
  }
  return raced;
}

/* all points of the method that begins there are to be known by another's */
static void set_representative(precision_case *c, size_t first, const precision_method *as) {
  for (size_t i = first, end = end_of(c, first); i < end; i++) {
    c->point[i].as = as;
    if (c->point[i].trials) precision_take_first(&c->point[i]);
  }
}

void precision_find_coincidences(precision_case *c) {
  for (size_t i = 0; i < c->count; i++) c->point[i].as = NULL;
  for (size_t a = 0; a < c->count; a = end_of(c, a)) {
    if (c->point[a].as) continue;
    for (size_t b = end_of(c, a); b < c->count; b = end_of(c, b))
      if (same_methods(c, a, b)) set_representative(c, b, c->point[a].method);
  }
}

/* ---- the fastest ------------------------------------------------------------------------------
 */

size_t precision_cheapest(const precision_row rows[], size_t count, const char *solver,
                          double target, precision_number cost) {
  size_t best = SIZE_MAX;
  for (size_t i = 0; i < count; i++) {
    const precision_row *const row = &rows[i];
    const bool fits = row->number[PRECISION_RMS_ERROR] <= target &&
                      !*row->text[PRECISION_COINCIDES] &&
                      strcmp(row->text[PRECISION_STATUS], "ok") == 0 &&
                      (!solver || strcmp(row->text[PRECISION_SOLVER], solver) == 0);
    if (!fits) continue;
    if (best == SIZE_MAX || row->number[cost] < rows[best].number[cost]) best = i;
  }
  return best;
}
