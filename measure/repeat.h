/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Timing of callbacks: how often one is repeated to make a sample the clock can resolve, and how
 * several candidates are interleaved so that none has the quiet minutes of the machine to itself.
 */
#ifndef MEASURE_REPEAT_H
#define MEASURE_REPEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure.h"

/* A sample lasts at least this many clock resolutions. */
enum { MEASURE_RESOLUTIONS_PER_SAMPLE = 100 };

/* Shortest sample accepted, in seconds: max(100 * measured clock resolution, min_time_s). */
double measure_sample_floor_s(double min_time_s);

/*
 * One of the competitors. `run` is the timed region: it starts afresh from the trial's own initial
 * condition each time it is called and returns 0 for success. `before` and `after` are optional
 * and untimed: once each per sample, before its warm-up and after its timing (errors, event counts
 * and the like are for `after`); `before` is also called ahead of the calibration, with trial 0.
 */
typedef struct measure_candidate {
  int (*run)(void *context, size_t trial);
  int (*before)(void *context, size_t trial);
  int (*after)(void *context, size_t trial);
  void *context; /* the caller's */
} measure_candidate;

/* A sample as the observer gets it, right after it was taken and before anything else runs. */
typedef struct measure_sample {
  size_t candidate, trial;
  uint64_t repetitions;
  uint64_t retaken; /* times it was taken again because the thread had lost its core */
  bool disturbed;   /* it lost it each time: what others had of the sample is taken out */
  double seconds;   /* per run */
} measure_sample;

/* How to measure. */
typedef struct measure_plan {
  size_t trials;
  unsigned long seed; /* of the order; the order within a trial depends on seed and trial only */
  double min_time_s;  /* samples last at least measure_sample_floor_s(min_time_s) */
  size_t warmup_runs; /* untimed runs right before every sample, so that all start equally warm */
  int (*sampled)(const measure_sample *sample, void *context); /* optional; nonzero stops */
  void *context;                                               /* handed to `sampled` */
} measure_plan;

/* Which callback failed; the indices are SIZE_MAX when none did. */
typedef struct measure_failure {
  size_t candidate, trial;
} measure_failure;

/*
 * Times every candidate at every trial. First each candidate is calibrated on the first trial: run
 * in ever larger blocks until one lasts the floor. Then trial by trial all candidates are sampled
 * once, in an order shuffled anew for each trial. A sample that turns out shorter than the floor is
 * taken again with more repetitions.
 *
 * seconds[count * trials], row-major by candidate, gets seconds per run, raw: nothing is dropped or
 * averaged. Entries not reached stay NaN. `failure` may be NULL. Returns MEASURE_SUCCESS,
 * MEASURE_EINVAL, MEASURE_ENOMEM, MEASURE_ECALLBACK or MEASURE_ESTOP.
 */
int measure_interleave(const measure_candidate candidates[], size_t count, const measure_plan *plan,
                       double seconds[], measure_failure *failure);

#endif
