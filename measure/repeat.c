/*
 * Calibrated repetition and seeded interleaving.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "repeat.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>

#include "clock.h"

enum { RETAKES = 5 };

// enough for a run of a nanosecond in a sample of a quarter of an hour
static const double repetitions_max = 1e12;

double measure_sample_floor_s(double min_time_s) {
  const double resolved = MEASURE_RESOLUTIONS_PER_SAMPLE * 1e-9 * measure_clock_resolution_ns();
  return fmax(resolved, min_time_s);
}

int measure_time_block(int (*run)(void *), void *context, uint64_t repetitions, double *seconds) {
  if (!run || repetitions == 0) return MEASURE_EINVAL;
  const uint64_t start = measure_clock_ns();
  for (uint64_t i = 0; i < repetitions; i++) {
    if (run(context)) return MEASURE_ECALLBACK;
  }
  *seconds = 1e-9 * (double)(measure_clock_ns() - start);
  return MEASURE_SUCCESS;
}

/* More repetitions after a block that lasted `seconds` < floor_s: half as many again as needed, and
 * at most tenfold, for a short block predicts badly. */
static uint64_t more_repetitions(uint64_t repetitions, double seconds, double floor_s) {
  const double factor = fmin(10, 1.5 * floor_s / fmax(seconds, 1e-9));
  return (uint64_t)ceil((double)repetitions * factor);
}

/* Raises calibration->repetitions until a block of them lasts floor_s; *seconds is that block. The
 * shorter blocks are booked as warm-up. */
static int lasting_block(int (*run)(void *), void *context, double floor_s,
                         measure_calibration *calibration, double *seconds) {
  for (;;) {
    const int status = measure_time_block(run, context, calibration->repetitions, seconds);
    if (status || *seconds >= floor_s) return status;
    calibration->warmup_runs += calibration->repetitions;
    calibration->warmup_s += *seconds;
    calibration->repetitions = more_repetitions(calibration->repetitions, *seconds, floor_s);
    if ((double)calibration->repetitions > repetitions_max) return MEASURE_EINVAL;
  }
}

int measure_calibrate(int (*run)(void *), void *context, double floor_s, measure_calibration *out) {
  if (!run || !isfinite(floor_s) || floor_s < 0) return MEASURE_EINVAL;
  *out = (measure_calibration){.repetitions = 1};
  double seconds;
  const int status = lasting_block(run, context, floor_s, out, &seconds);
  if (status) return status;
  out->warmup_runs += out->repetitions;
  out->warmup_s += seconds;
  return MEASURE_SUCCESS;
}

/* A candidate bound to a trial, as measure_time_block wants it. */
typedef struct bound_run {
  const measure_candidate *candidate;
  size_t trial;
} bound_run;

static int run_bound(void *context) {
  const bound_run *bound = context;
  return bound->candidate->run(bound->candidate->context, bound->trial);
}

static int call_hook(int (*hook)(void *, size_t), const bound_run *bound) {
  if (!hook) return MEASURE_SUCCESS;
  return hook(bound->candidate->context, bound->trial) ? MEASURE_ECALLBACK : MEASURE_SUCCESS;
}

static int warm_up(bound_run *bound, size_t runs, measure_calibration *calibration) {
  if (runs == 0) return MEASURE_SUCCESS;
  double seconds;
  const int status = measure_time_block(run_bound, bound, runs, &seconds);
  if (status) return status;
  calibration->warmup_runs += runs;
  calibration->warmup_s += seconds;
  return MEASURE_SUCCESS;
}

/* A block in which the thread kept its core, or the last of RETAKES + 1: another task's time is
 * none of the candidate's, and longer runs meet it more often, so that medians would be unfair to
 * them. */
static int undisturbed_block(bound_run *bound, double floor_s, measure_calibration *calibration,
                             double *block) {
  for (int take = 0;; take++) {
    const long before = measure_preemptions();
    const int status = lasting_block(run_bound, bound, floor_s, calibration, block);
    if (status || measure_preemptions() == before || take == RETAKES) return status;
    calibration->retakes++;
    calibration->warmup_runs += calibration->repetitions;
    calibration->warmup_s += *block;
  }
}

/* One sample of one candidate: hooks, warm-up and timing; *seconds is per run. */
static int take_sample(bound_run *bound, const measure_plan *plan, double floor_s,
                       measure_calibration *calibration, double *seconds) {
  double block = 0;
  int status = call_hook(bound->candidate->before, bound);
  if (!status) status = warm_up(bound, plan->warmup_runs, calibration);
  if (!status) status = undisturbed_block(bound, floor_s, calibration, &block);
  if (status) return status;
  *seconds = block / (double)calibration->repetitions;
  return call_hook(bound->candidate->after, bound);
}

/* What one interleaved measurement carries through its steps. */
typedef struct session {
  const measure_candidate *candidates;
  size_t count;
  const measure_plan *plan;
  double floor_s;
  double *seconds;
  measure_calibration *calibrations;
  measure_failure failure;
  gsl_rng *rng;
  size_t *order;
} session;

/* The number of the plan's i-th trial. */
static size_t trial_number(const measure_plan *plan, size_t i) {
  return plan->numbers ? plan->numbers[i] : i;
}

static int calibrate_all(session *s) {
  for (size_t k = 0; k < s->count; k++) {
    bound_run bound = {&s->candidates[k], trial_number(s->plan, 0)};
    if (s->calibrations[k].repetitions) continue;
    int status = call_hook(bound.candidate->before, &bound);
    if (!status) status = measure_calibrate(run_bound, &bound, s->floor_s, &s->calibrations[k]);
    if (status) {
      s->failure = (measure_failure){k, bound.trial};
      return status;
    }
  }
  return MEASURE_SUCCESS;
}

/* The order within a trial is drawn from a generator seeded for that trial, so that a run that
 * starts in the middle visits what is left as the whole run would have. */
static void shuffle_trial(session *s, size_t trial) {
  for (size_t k = 0; k < s->count; k++) s->order[k] = k;
  gsl_rng_set(s->rng, s->plan->seed + 2654435761UL * (unsigned long)trial);
  gsl_ran_shuffle(s->rng, s->order, s->count, sizeof *s->order);
}

static int sample_trial(session *s, size_t position) {
  const size_t trial = trial_number(s->plan, position);
  shuffle_trial(s, trial);
  for (size_t i = 0; i < s->count; i++) {
    const size_t k = s->order[i];
    bound_run bound = {&s->candidates[k], trial};
    measure_sample sample = {.candidate = k, .trial = trial};
    int status = take_sample(&bound, s->plan, s->floor_s, &s->calibrations[k], &sample.seconds);
    if (status) {
      s->failure = (measure_failure){k, trial};
      return status;
    }
    sample.repetitions = s->calibrations[k].repetitions;
    s->seconds[k * s->plan->trials + position] = sample.seconds;
    if (s->plan->sampled && s->plan->sampled(&sample, s->plan->context)) return MEASURE_ESTOP;
  }
  return MEASURE_SUCCESS;
}

static int run_session(session *s) {
  int status = calibrate_all(s);
  for (size_t i = 0; !status && i < s->plan->trials; i++) {
    status = sample_trial(s, i);
  }
  return status;
}

static int check_plan(const measure_candidate candidates[], size_t count,
                      const measure_plan *plan) {
  if (!candidates || count == 0 || plan->trials == 0) return MEASURE_EINVAL;
  if (!isfinite(plan->min_time_s) || plan->min_time_s < 0) return MEASURE_EINVAL;
  for (size_t k = 0; k < count; k++) {
    if (!candidates[k].run) return MEASURE_EINVAL;
  }
  return MEASURE_SUCCESS;
}

int measure_interleave(const measure_candidate candidates[], size_t count, const measure_plan *plan,
                       double seconds[], measure_calibration calibrations[],
                       measure_failure *failure) {
  int status = check_plan(candidates, count, plan);
  if (status) return status;
  for (size_t i = 0; i < count * plan->trials; i++) seconds[i] = NAN;

  session s = {.candidates = candidates, .count = count, .plan = plan, .seconds = seconds};
  s.failure = (measure_failure){SIZE_MAX, SIZE_MAX};
  s.floor_s = measure_sample_floor_s(plan->min_time_s);
  s.rng = gsl_rng_alloc(gsl_rng_mt19937);
  s.order = malloc(count * sizeof *s.order);
  // the caller sees what happened up to a failure, too
  s.calibrations = calibrations ? calibrations : calloc(count, sizeof *s.calibrations);
  status = s.rng && s.order && s.calibrations ? run_session(&s) : MEASURE_ENOMEM;
  if (failure) *failure = s.failure;
  if (!calibrations) free(s.calibrations);
  free(s.order);
  if (s.rng) gsl_rng_free(s.rng);
  return status;
}
