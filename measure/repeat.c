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

/* So many repetitions that they last floor_s. */
typedef struct block {
  bound_run bound;
  double floor_s;
  uint64_t repetitions;
  double seconds; /* of all of them */
} block;

/* Raises the repetitions until they last; the shorter blocks are warm-up. */
static int lasting_block(void *context) {
  block *const b = context;
  for (;;) {
    const int status = time_block(&b->bound, b->repetitions, &b->seconds);
    if (status || b->seconds >= b->floor_s) return status;
    b->repetitions = more_repetitions(b->repetitions, b->seconds, b->floor_s);
    if ((double)b->repetitions > repetitions_max) return MEASURE_EINVAL;
  }
}

/* One sample of one candidate: hooks, warm-up and timing. Of a block that was disturbed each time
 * what others had of it is taken out. */
static int take_sample(block *b, const measure_plan *plan, measure_sample *out) {
  double share = 1.0;
  int status = call_hook(b->bound.candidate->before, &b->bound);
  if (!status) status = time_block(&b->bound, plan->warmup_runs, &b->seconds);
  if (!status) status = measure_undisturbed(lasting_block, b, RETAKES, &out->retaken, &share);
  if (status) return status;
  out->disturbed = share != 1.0;
  out->repetitions = b->repetitions;
  out->seconds = share * b->seconds / (double)b->repetitions;
  return call_hook(b->bound.candidate->after, &b->bound);
}

/* What one interleaved measurement carries through its steps. */
typedef struct session {
  const measure_candidate *candidates;
  size_t count;
  const measure_plan *plan;
  double floor_s;
  double *seconds;
  block *blocks; /* of each candidate */
  measure_failure failure;
  gsl_rng *rng;
  size_t *order;
} session;

static int calibrate_all(session *s) {
  for (size_t k = 0; k < s->count; k++) {
    block *const b = &s->blocks[k];
    *b = (block){.bound = {&s->candidates[k], 0}, .floor_s = s->floor_s, .repetitions = 1};
    int status = call_hook(b->bound.candidate->before, &b->bound);
    if (!status) status = lasting_block(b);
    if (status) {
      s->failure = (measure_failure){k, 0};
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
    measure_sample sample = {.candidate = k, .trial = trial};
    s->blocks[k].bound.trial = trial;
    const int status = take_sample(&s->blocks[k], s->plan, &sample);
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
  s.blocks = calloc(count, sizeof *s.blocks);
  status = s.rng && s.order && s.blocks ? run_session(&s) : MEASURE_ENOMEM;
  if (failure) *failure = s.failure;
  free(s.blocks);
  free(s.order);
  if (s.rng) gsl_rng_free(s.rng);
  return status;
}
