/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calibrated repetition and seeded interleaving. */
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

/* A candidate bound to a trial. */
typedef struct bound_run {
  const measure_candidate *candidate;
  size_t trial;
} bound_run;

static int call_hook(int (*hook)(void *, size_t), const bound_run *bound) {
  if (!hook) return MEASURE_SUCCESS;
  return hook(bound->candidate->context, bound->trial) ? MEASURE_ECALLBACK : MEASURE_SUCCESS;
}

/* *seconds is the time of all runs together. */
static int time_block(const bound_run *bound, uint64_t runs, double *seconds) {
  const measure_candidate *const c = bound->candidate;
  const uint64_t start = measure_clock_ns();
  for (uint64_t i = 0; i < runs; i++)
    if (c->run(c->context, bound->trial)) return MEASURE_ECALLBACK;
  *seconds = 1e-9 * (double)(measure_clock_ns() - start);
  return MEASURE_SUCCESS;
}

/* More repetitions after a block that lasted `seconds` < floor_s: half as many again as needed, and
 * at most tenfold, for a short block predicts badly. */
static uint64_t more_repetitions(uint64_t repetitions, double seconds, double floor_s) {
  const double factor = fmin(10, 1.5 * floor_s / fmax(seconds, 1e-9));
  return (uint64_t)ceil((double)repetitions * factor);
}

/* Raises *repetitions until a block of them lasts floor_s; *seconds is that block. The shorter ones
 * are warm-up. */
static int lasting_block(const bound_run *bound, double floor_s, uint64_t *repetitions,
                         double *seconds) {
  for (;;) {
    const int status = time_block(bound, *repetitions, seconds);
    if (status || *seconds >= floor_s) return status;
    *repetitions = more_repetitions(*repetitions, *seconds, floor_s);
    if ((double)*repetitions > repetitions_max) return MEASURE_EINVAL;
  }
}

/* A block in which the thread kept its core, or the last of RETAKES + 1 without what others had of
 * it: another task's time is none of the candidate's, and longer runs meet it more often, so that
 * medians would be unfair to them. */
static int undisturbed_block(const bound_run *bound, double floor_s, uint64_t *repetitions,
                             double *block, measure_sample *out) {
  for (;; out->retaken++) {
    const measure_watch watch = measure_watch_begin();
    const int status = lasting_block(bound, floor_s, repetitions, block);
    const double share = measure_watch_share(&watch);
    out->disturbed = share != 1.0;
    if (status || !out->disturbed) return status;
    if (out->retaken < RETAKES) continue;
    *block *= share;
    return status;
  }
}

/* One sample of one candidate: hooks, warm-up and timing. */
static int take_sample(const bound_run *bound, const measure_plan *plan, double floor_s,
                       uint64_t *repetitions, measure_sample *out) {
  double block = 0;
  int status = call_hook(bound->candidate->before, bound);
  if (!status) status = time_block(bound, plan->warmup_runs, &block);
  if (!status) status = undisturbed_block(bound, floor_s, repetitions, &block, out);
  if (status) return status;
  out->repetitions = *repetitions;
  out->seconds = block / (double)*repetitions;
  return call_hook(bound->candidate->after, bound);
}

/* What one interleaved measurement carries through its steps. */
typedef struct session {
  const measure_candidate *candidates;
  size_t count;
  const measure_plan *plan;
  double floor_s;
  double *seconds;
  uint64_t *repetitions;
  measure_failure failure;
  gsl_rng *rng;
  size_t *order;
} session;

static int calibrate_all(session *s) {
  for (size_t k = 0; k < s->count; k++) {
    const bound_run bound = {&s->candidates[k], 0};
    double seconds;
    s->repetitions[k] = 1;
    int status = call_hook(bound.candidate->before, &bound);
    if (!status) status = lasting_block(&bound, s->floor_s, &s->repetitions[k], &seconds);
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

static int sample_trial(session *s, size_t trial) {
  shuffle_trial(s, trial);
  for (size_t i = 0; i < s->count; i++) {
    const size_t k = s->order[i];
    const bound_run bound = {&s->candidates[k], trial};
    measure_sample sample = {.candidate = k, .trial = trial};
    const int status = take_sample(&bound, s->plan, s->floor_s, &s->repetitions[k], &sample);
    if (status) {
      s->failure = (measure_failure){k, trial};
      return status;
    }
    s->seconds[k * s->plan->trials + trial] = sample.seconds;
    if (s->plan->sampled && s->plan->sampled(&sample, s->plan->context)) return MEASURE_ESTOP;
  }
  return MEASURE_SUCCESS;
}

static int run_session(session *s) {
  int status = calibrate_all(s);
  for (size_t i = 0; !status && i < s->plan->trials; i++) status = sample_trial(s, i);
  return status;
}

static int check_plan(const measure_candidate candidates[], size_t count,
                      const measure_plan *plan) {
  if (!candidates || count == 0 || plan->trials == 0) return MEASURE_EINVAL;
  if (!isfinite(plan->min_time_s) || plan->min_time_s < 0) return MEASURE_EINVAL;
  for (size_t k = 0; k < count; k++)
    if (!candidates[k].run) return MEASURE_EINVAL;
  return MEASURE_SUCCESS;
}

int measure_interleave(const measure_candidate candidates[], size_t count, const measure_plan *plan,
                       double seconds[], measure_failure *failure) {
  int status = check_plan(candidates, count, plan);
  if (status) return status;
  for (size_t i = 0; i < count * plan->trials; i++) seconds[i] = NAN;

  session s = {.candidates = candidates, .count = count, .plan = plan, .seconds = seconds};
  s.failure = (measure_failure){SIZE_MAX, SIZE_MAX};
  s.floor_s = measure_sample_floor_s(plan->min_time_s);
  s.rng = gsl_rng_alloc(gsl_rng_mt19937);
  s.order = malloc(count * sizeof *s.order);
  s.repetitions = calloc(count, sizeof *s.repetitions);
  status = s.rng && s.order && s.repetitions ? run_session(&s) : MEASURE_ENOMEM;
  if (failure) *failure = s.failure;
  free(s.repetitions);
  free(s.order);
  if (s.rng) gsl_rng_free(s.rng);
  return status;
}
