/*
 * What is derived from a case's samples: medians with intervals, ratios paired by start, the work
 * of a run, and the bound that its evaluations set.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>

#include "solvers.h"
#include "speed.h"
#include "statistics.h"

const char *const speed_text_names[SPEED_TEXTS] = {
    [SPEED_TEXT_MODEL] = "model",     [SPEED_TEXT_LAW] = "law",
    [SPEED_TEXT_FIELD] = "field",     [SPEED_TEXT_SOLVER] = "solver",
    [SPEED_TEXT_VARIANT] = "variant", [SPEED_TEXT_PROTOCOL] = "protocol",
    [SPEED_TEXT_REGIME] = "regime"};

const char *const speed_number_names[SPEED_NUMBERS] = {
    [SPEED_N_CONTACTS] = "contacts",
    [SPEED_N_DAMPING] = "damping",
    [SPEED_N_TRIALS] = "trials",
    [SPEED_N_MEDIAN] = "median_s",
    [SPEED_N_MEDIAN_LOW] = "median_lo_s",
    [SPEED_N_MEDIAN_HIGH] = "median_hi_s",
    [SPEED_N_RIVAL_MEDIAN] = "mujoco_s",
    [SPEED_N_RATIO] = "mujoco_over_this",
    [SPEED_N_RATIO_LOW] = "mujoco_over_this_lo",
    [SPEED_N_RATIO_HIGH] = "mujoco_over_this_hi",
    [SPEED_N_BEFORE] = "before",
    [SPEED_N_BEFORE_LOW] = "before_lo",
    [SPEED_N_BEFORE_HIGH] = "before_hi",
    [SPEED_N_RMS] = "rms_error",
    [SPEED_N_RMS_Q90] = "rms_q90",
    [SPEED_N_RMS_WORST] = "rms_worst",
    [SPEED_N_RIVAL_RMS] = "mujoco_rms_error",
    [SPEED_N_RIVAL_RMS_Q90] = "mujoco_rms_q90",
    [SPEED_N_RIVAL_RMS_WORST] = "mujoco_rms_worst",
    [SPEED_N_EVENTS] = "events",
    [SPEED_N_EVENTS_RATIO] = "events_ratio",
    [SPEED_N_PER_CROSSING] = "s_per_crossing",
    [SPEED_N_STEPS] = "steps",
    [SPEED_N_REJECTED] = "rejected",
    [SPEED_N_ENTRIES] = "entries",
    [SPEED_N_PROJECTIONS] = "projections",
    [SPEED_N_SUBSTEPS] = "substeps",
    [SPEED_N_GROUPS] = "groups",
    [SPEED_N_PROJECTED] = "mean_projection_s",
    [SPEED_N_FIELDS] = "field_evaluations",
    [SPEED_N_GUARDS] = "guard_evaluations",
    [SPEED_N_ENTRIES_PER_CROSSING] = "entries_per_crossing",
    [SPEED_N_EVALUATIONS_PER_CROSSING] = "evaluations_per_crossing",
    [SPEED_N_BOUND] = "bound_s",
    [SPEED_N_OVER_BOUND] = "over_bound",
    [SPEED_N_RATIO_AT_BOUND] = "mujoco_over_bound",
    [SPEED_N_GAP] = "field_gap",
    [SPEED_N_SCALING] = "scaling_s",
};

const char *speed_form_name(speed_form form) {
  return form == SPEED_AGGREGATED ? "aggregated" : "contacts";
}

const char *speed_regime(double entries_per_crossing, double projected_s, double dt) {
  return entries_per_crossing >= SPEED_ROOT_ENTRIES && projected_s <= SPEED_ROOT_SHARE * dt
             ? "root finding"
             : "projection";
}

/* calls that were made at what one costs; a callback that is not there is not called */
static double cost_of(double calls, const speed_costs *costs, speed_callback callback) {
  return calls > 0.0 ? calls * costs->call[callback].estimate : 0.0;
}

double speed_bound(const double counts[SPEED_COUNTS], const speed_costs *costs) {
  const double one = costs->call[SPEED_SOME_CALL].estimate;
  const double further = (costs->call[SPEED_MORE_CALL].estimate - one) / (SPEED_MORE - 1);
  const double more = counts[SPEED_SOME_GUARDS] - counts[SPEED_SOME];
  return cost_of(counts[SPEED_FIELDS], costs, SPEED_FIELD_CALL) +
         cost_of(counts[SPEED_GUARDS], costs, SPEED_GUARDS_CALL) +
         cost_of(counts[SPEED_RATES], costs, SPEED_RATES_CALL) +
         cost_of(counts[SPEED_SOME], costs, SPEED_SOME_CALL) +
         (more > 0.0 ? more * fmax(further, 0.0) : 0.0);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static double sum_of(const double x[], size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) sum += x[i];
  return sum;
}

/* median, 90 % quantile and worst of an entry's errors */
static int summarize_errors(const speed_case *c, const speed_entry *e, double out[3]) {
  int status = measure_median(e->rms, c->trials, &out[0]);
  if (!status) status = measure_quantile(e->rms, c->trials, 0.9, &out[1]);
  return status ? status : measure_quantile(e->rms, c->trials, 1.0, &out[2]);
}

static int summarize_times(const speed_case *c, const speed_entry *e, unsigned long seed,
                           double out[]) {
  const measure_bootstrap options = measure_bootstrap_default(seed);
  const speed_entry *const rival = &c->entry[e->rival];
  measure_interval median, ratio;
  int status = measure_bootstrap_median(e->seconds, c->trials, &options, &median);
  if (!status)
    status =
        measure_bootstrap_paired_ratio(rival->seconds, e->seconds, c->trials, &options, &ratio);
  if (!status) status = measure_median(rival->seconds, c->trials, &out[SPEED_N_RIVAL_MEDIAN]);
  if (status) return status;
  out[SPEED_N_MEDIAN] = median.estimate;
  out[SPEED_N_MEDIAN_LOW] = median.low;
  out[SPEED_N_MEDIAN_HIGH] = median.high;
  out[SPEED_N_RATIO] = ratio.estimate;
  out[SPEED_N_RATIO_LOW] = ratio.low;
  out[SPEED_N_RATIO_HIGH] = ratio.high;
  return MEASURE_SUCCESS;
}

static int summarize_crossings(const speed_case *c, const speed_entry *e, double out[]) {
  const int status = measure_median(e->events, c->trials, &out[SPEED_N_EVENTS]);
  out[SPEED_N_EVENTS_RATIO] = sum_of(e->events, c->trials) / sum_of(c->events, c->trials);
  out[SPEED_N_PER_CROSSING] = out[SPEED_N_MEDIAN] / out[SPEED_N_EVENTS];
  return status;
}

/* what was counted at one start, and what follows from it */
static void work_of(const speed_case *c, const speed_entry *e, size_t j, double out[]) {
  const double *const n = e->counts[j];
  const double calls = n[SPEED_GUARDS] + n[SPEED_RATES] + n[SPEED_SOME];
  const double bound = speed_bound(n, &c->costs[e->form]);
  out[SPEED_N_STEPS] = n[SPEED_STEPS];
  out[SPEED_N_REJECTED] = n[SPEED_REJECTED];
  out[SPEED_N_ENTRIES] = n[SPEED_ENTRIES];
  out[SPEED_N_PROJECTIONS] = n[SPEED_PROJECTIONS];
  out[SPEED_N_SUBSTEPS] = n[SPEED_SUBSTEPS];
  out[SPEED_N_GROUPS] = n[SPEED_GROUPS];
  out[SPEED_N_PROJECTED] =
      n[SPEED_PROJECTIONS] > 0.0 ? n[SPEED_PROJECTED] / n[SPEED_PROJECTIONS] : 0.0;
  out[SPEED_N_FIELDS] = n[SPEED_FIELDS];
  out[SPEED_N_GUARDS] = calls;
  out[SPEED_N_ENTRIES_PER_CROSSING] = n[SPEED_ENTRIES] / n[SPEED_CROSSINGS];
  out[SPEED_N_EVALUATIONS_PER_CROSSING] = (n[SPEED_FIELDS] + calls) / n[SPEED_CROSSINGS];
  out[SPEED_N_BOUND] = bound;
  out[SPEED_N_OVER_BOUND] = e->seconds[j] / bound;
  out[SPEED_N_RATIO_AT_BOUND] = c->entry[e->rival].seconds[j] / bound;
}

/* medians of those over the starts, with room for as many numbers in each[] */
static int summarize_work(const speed_case *c, const speed_entry *e, double each[], double out[]) {
  int status = MEASURE_SUCCESS;
  for (size_t i = SPEED_N_STEPS; !status && i <= SPEED_N_RATIO_AT_BOUND; i++) {
    for (size_t j = 0; j < c->trials; j++) {
      double work[SPEED_NUMBERS];
      work_of(c, e, j, work);
      each[j] = work[i];
    }
    status = measure_median(each, c->trials, &out[i]);
  }
  return status;
}

/* texts, and numbers that are no statistics */
static void name_row(const speed_case *c, const speed_entry *e, speed_row *row) {
  const model *const m = &c->form[e->form];
  const bool plate = c->forms > 1, ours = solver_is_libess(e->solver);
  row->text[SPEED_TEXT_MODEL] = m->type->name;
  row->text[SPEED_TEXT_LAW] = plate ? "roller" : ""; // the one MuJoCo can do, and the default
  row->text[SPEED_TEXT_FIELD] = plate && ours ? speed_form_name(e->form) : "";
  row->text[SPEED_TEXT_SOLVER] = e->solver->name;
  row->text[SPEED_TEXT_VARIANT] = e->settings.variant ? e->settings.variant : "";
  row->text[SPEED_TEXT_PROTOCOL] = e->protocol;
  row->text[SPEED_TEXT_REGIME] = "";
  row->number[SPEED_N_CONTACTS] = (double)c->contacts;
  row->number[SPEED_N_DAMPING] = c->damping;
  row->number[SPEED_N_TRIALS] = (double)c->trials;
  row->number[SPEED_N_GAP] = c->gap[e->form].gap;
  row->number[SPEED_N_SCALING] = c->gap[e->form].scaling;
}

static int fill_row(const speed_case *c, const speed_entry *e, unsigned long seed, double each[],
                    speed_row *row) {
  double ours[3], rivals[3];
  int status = summarize_times(c, e, seed, row->number);
  if (!status) status = summarize_errors(c, e, ours);
  if (!status) status = summarize_errors(c, &c->entry[e->rival], rivals);
  if (!status) status = summarize_crossings(c, e, row->number);
  for (int i = 0; !status && i < 3; i++) {
    row->number[SPEED_N_RMS + i] = ours[i];
    row->number[SPEED_N_RIVAL_RMS + i] = rivals[i];
  }
  if (status || !solver_is_libess(e->solver)) return status;
  status = summarize_work(c, e, each, row->number);
  if (e->solver != &projection_solver) return status;
  row->text[SPEED_TEXT_REGIME] =
      speed_regime(row->number[SPEED_N_ENTRIES_PER_CROSSING], row->number[SPEED_N_PROJECTED],
                   c->form[0].type->time_step);
  return status;
}

int speed_summarize(const speed_case *c, const speed_entry *e, const json_t *before,
                    unsigned long seed, speed_row *row, char *message) {
  double *const each = calloc(c->trials, sizeof *each);
  for (size_t i = 0; i < SPEED_NUMBERS; i++) row->number[i] = NAN;
  name_row(c, e, row);
  const int status = each ? fill_row(c, e, seed, each, row) : MEASURE_ENOMEM;
  free(each);
  const measure_interval earlier = speed_before_find(before, row);
  row->number[SPEED_N_BEFORE] = earlier.estimate;
  row->number[SPEED_N_BEFORE_LOW] = earlier.low;
  row->number[SPEED_N_BEFORE_HIGH] = earlier.high;
  if (status) measure_message(message, "statistics: %s", measure_strerror(status));
  return status ? -1 : 0;
}
