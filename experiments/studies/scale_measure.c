/*
 * The samples of scale: libess on the plate, with tight tolerances for its error and with those of
 * every day for its cost.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>

#include "progress.h"
#include "scale.h"
#include "solvers.h"

/* tolerances and longest step, s; steps are cut on the dense output, which no tolerance controls */
typedef struct tolerances {
  double rtol, atol, h_max;
} tolerances;

static const tolerances tight = {1e-12, 1e-14, 2e-4}, everyday = {1e-8, 1e-10, INFINITY};

static int prepare(contestant *out, const scale_case *c, const scale_point *p, tolerances to,
                   char *message) {
  solver_settings settings = solver_settings_default();
  settings.epsilon = p->epsilon;
  settings.order = p->order;
  settings.rtol = to.rtol;
  settings.atol = to.atol;
  settings.h_max = to.h_max;
  return contestant_prepare(out, &projection_solver, &settings, &c->starts, message);
}

/* what a run failed of */
static int run_failed(const scale_case *c, const scale_point *p, const contestant *run,
                      char *message) {
  measure_message(message, "%zu contacts, order %d, epsilon %g: %s", c->contacts, p->order,
                  p->epsilon, run->report.message);
  return -1;
}

/* error and crossings */
static int run_tight(const scale_case *c, const scale_point *p, size_t trial, double sample[],
                     char *message) {
  contestant run;
  if (prepare(&run, c, p, tight, message)) return -1;
  int status = contestant_try(&run, trial);
  if (status) status = run_failed(c, p, &run, message);
  sample[SCALE_RMS] = run.rms[trial];
  sample[SCALE_EVENTS] = run.events[trial];
  contestant_release(&run);
  return status;
}

/* runs for as long as asked for, at least once, and keeps the fastest */
static int run_timed(const scale_case *c, const scale_point *p, size_t trial, double point_time,
                     double sample[], char *message) {
  contestant run;
  double seconds;
  if (prepare(&run, c, p, everyday, message)) return -1;
  int status = contestant_sample(&run, trial, &seconds);
  sample[SCALE_SECONDS] = seconds;
  for (double spent = seconds; !status && spent < point_time; spent += seconds) {
    status = contestant_time(&run, trial, &seconds);
    sample[SCALE_SECONDS] = fmin(sample[SCALE_SECONDS], seconds);
  }
  if (status) status = run_failed(c, p, &run, message);
  const solver_report *const r = &run.report;
  sample[SCALE_RMS_TIMED] = run.rms[trial];
  sample[SCALE_STEPS] = (double)r->steps;
  sample[SCALE_REJECTED] = (double)r->rejected;
  sample[SCALE_ENTRIES] = (double)r->entries;
  sample[SCALE_PROJECTIONS] = (double)r->projections;
  sample[SCALE_FIELDS] = (double)r->field_evaluations;
  sample[SCALE_GUARDS] = (double)r->guard_evaluations;
  contestant_release(&run);
  return status;
}

static int take_sample(scale *all, const scale_case *c, scale_point *p, size_t trial) {
  double sample[SCALE_QUANTITIES];
  if (run_tight(c, p, trial, sample, all->message) ||
      run_timed(c, p, trial, all->given->point_time, sample, all->message))
    return -1;
  for (size_t q = 0; q < SCALE_QUANTITIES; q++) p->sample[q * c->starts.trials + trial] = sample[q];
  return scale_journal_sample(all, c, p, trial);
}

int scale_measure(scale *all, scale_case *c) {
  char label[64];
  measure_progress progress;
  const size_t trials = c->starts.trials, samples = SCALE_ORDERS * c->epsilons * trials;
  snprintf(label, sizeof label, "%zu contacts", c->contacts);
  measure_progress_begin(&progress, NULL, label, samples);
  int status = 0;
  for (size_t i = 0; !status && i < samples; i++) {
    scale_point *const p = &c->point[i / trials];
    measure_progress_update(&progress, i);
    if (scale_journal_recall(all, c, p, i % trials)) continue;
    status = take_sample(all, c, p, i % trials);
    if (!status && *all->interrupted) status = 1;
  }
  measure_progress_end(&progress);
  return status;
}
