/*
 * The profiling pass: MuJoCo's own timers, and what they cost.
 *
 * A timer shows the work between its two readings of the clock and, since the readings lie on both
 * sides of it, about one reading; its parts' readings are inside it, two for each. All are taken
 * off, at what a reading costs by itself. What is left of the whole step then has to be a step's
 * time without timers, which is measured as well.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "mujoco_settings.h"
#include "repeat.h"

enum { PROFILE_TRIALS_MAX = 60, READINGS = 20000, READING_BLOCKS = 25 };

static const double sample_s = 5e-3;

/* whole nanoseconds in a double are exact for the first hundred days */
static double clock_now(void) {
  return (double)measure_clock_ns();
}

/* the median of several blocks of readings, called as MuJoCo calls it */
static double reading_ns(void) {
  double (*volatile const clock)(void) = clock_now;
  double block[READING_BLOCKS], median = NAN, sum = 0.0;
  for (int i = 0; i < READING_BLOCKS; i++) {
    const uint64_t start = measure_clock_ns();
    for (int k = 0; k < READINGS; k++) sum += clock();
    block[i] = (double)(measure_clock_ns() - start) / READINGS;
  }
  measure_median(block, READING_BLOCKS, &median);
  return sum > 0.0 ? median : NAN;
}

enum { PLAIN, PROFILED, CANDIDATES };

/* one setting under the timers */
typedef struct profiled {
  mujoco_row *row;
  bridge_profile timers; /* of the present sample */
  double steps;          /* of the present sample */
  size_t trials;
  double duration[BRIDGE_TIMERS_MAX][PROFILE_TRIALS_MAX]; /* per step, ns */
  double seconds[CANDIDATES * PROFILE_TRIALS_MAX];
} profiled;

static const double *start_of(const mujoco_case *c, size_t trial) {
  return c->starts.states + trial * c->m.system.dimension;
}

static int run_plain(void *context, size_t trial) {
  mujoco_row *const row = ((profiled *)context)->row;
  const solver_output output = trajectory_output(&row->of->samples);
  return bridge_solver.run(row->instance, start_of(row->of, trial), &output, &row->report);
}

static int begin_sample(void *context, size_t trial) {
  (void)trial;
  profiled *const p = context;
  p->timers = (bridge_profile){0};
  p->steps = 0.0;
  return 0;
}

static int run_profiled(void *context, size_t trial) {
  profiled *const p = context;
  mujoco_row *const row = p->row;
  const solver_output output = trajectory_output(&row->of->samples);
  const int status = bridge_profiled_run(row->instance, start_of(row->of, trial), &output,
                                         clock_now, &p->timers, &row->report);
  p->steps += (double)row->report.steps;
  return status;
}

static int end_sample(void *context, size_t trial) {
  profiled *const p = context;
  for (size_t i = 0; i < p->timers.count; i++)
    p->duration[i][trial] = p->timers.timer[i].duration / p->steps;
  return 0;
}

/* a trial's number and what it took */
typedef struct timed_trial {
  size_t trial;
  double seconds;
} timed_trial;

static int by_seconds(const void *a, const void *b) {
  const double x = ((const timed_trial *)a)->seconds, y = ((const timed_trial *)b)->seconds;
  return (x > y) - (x < y);
}

/* Puts the quiet half of the trials first and returns how many they are, with their mean in *mean.
 * Means of the same trials add up, which medians do not; the other half is the noisier one. */
static size_t quiet_half(const double seconds[], size_t trials, timed_trial order[], double *mean) {
  const size_t half = (trials + 1) / 2;
  double sum = 0.0;
  for (size_t i = 0; i < trials; i++) order[i] = (timed_trial){i, seconds[i]};
  qsort(order, trials, sizeof *order, by_seconds);
  for (size_t i = 0; i < half; i++) sum += order[i].seconds;
  *mean = sum / (double)half;
  return half;
}

/* what a profile's numbers are made of; a measure_status */
static int summarize(const profiled *p, unsigned long seed, mujoco_profile *out) {
  const measure_bootstrap options = measure_bootstrap_default(seed);
  const double *const plain = p->seconds, *const timed = p->seconds + PROFILED * p->trials;
  timed_trial order[PROFILE_TRIALS_MAX];
  double mean;
  quiet_half(plain, p->trials, order, &mean);
  out->run_ns = 1e9 * mean / (double)p->row->report.steps;
  const size_t half = quiet_half(timed, p->trials, order, &mean);
  out->timers = p->timers.count;
  for (size_t i = 0; i < out->timers; i++) {
    mujoco_timer *const t = &out->timer[i];
    *t = (mujoco_timer){.name = p->timers.timer[i].name,
                        .parent = p->timers.timer[i].parent,
                        .calls = (double)p->timers.timer[i].calls / p->steps};
    for (size_t k = 0; k < half; k++)
      t->measured_ns += p->duration[i][order[k].trial] / (double)half;
  }
  return measure_bootstrap_paired_ratio(timed, plain, p->trials, &options, &out->timers_cost);
}

/* readings of the clock that happened inside timer i in a step, its own two counting as one */
static double readings_inside(const mujoco_profile *p, size_t i) {
  double readings = p->timer[i].calls;
  for (size_t k = 0; k < p->timers; k++) {
    int above = p->timer[k].parent;
    while (above != BRIDGE_NO_TIMER && (size_t)above != i) above = p->timer[above].parent;
    if (above != BRIDGE_NO_TIMER) readings += 2.0 * p->timer[k].calls;
  }
  return readings;
}

static void take_off_readings(mujoco_profile *p) {
  for (size_t i = 0; i < p->timers; i++) {
    mujoco_timer *const t = &p->timer[i];
    t->net_ns = t->rest_ns = t->measured_ns - p->reading_ns * readings_inside(p, i);
  }
  for (size_t i = 0; i < p->timers; i++) {
    const int parent = p->timer[i].parent;
    if (parent == BRIDGE_NO_TIMER || !(p->timer[i].calls > 0.0)) continue;
    p->timer[parent].rest_ns -= p->timer[i].net_ns;
    p->timer[parent].has_parts = true;
  }
}

static int profile_row(profiled *p, const arguments *given, mujoco_profile *out,
                       char message[SOLVER_MESSAGE_SIZE]) {
  const measure_candidate candidates[CANDIDATES] = {
      [PLAIN] = {.name = "plain", .run = run_plain, .context = p},
      [PROFILED] = {.name = "profiled",
                    .before = begin_sample,
                    .run = run_profiled,
                    .after = end_sample,
                    .context = p}};
  const measure_plan plan = {
      .trials = p->trials, .seed = given->seed, .min_time_s = sample_s, .warmup_runs = 1};
  *out = (mujoco_profile){.row = p->row, .reading_ns = reading_ns()};
  int status = measure_interleave(candidates, CANDIDATES, &plan, p->seconds, NULL, NULL);
  if (!status) status = summarize(p, given->seed, out);
  if (status) {
    snprintf(message, SOLVER_MESSAGE_SIZE, "profiling: %s", measure_strerror(status));
    return -1;
  }
  take_off_readings(out);
  return 0;
}

int mujoco_profile_case(mujoco_case *c, const arguments *given, char message[SOLVER_MESSAGE_SIZE]) {
  static const size_t rows[MUJOCO_PROFILES] = {MUJOCO_RACE, MUJOCO_OWN};
  const size_t trials =
      c->starts.trials < PROFILE_TRIALS_MAX ? c->starts.trials : PROFILE_TRIALS_MAX;
  int status = 0;
  for (int i = 0; !status && i < MUJOCO_PROFILES; i++) {
    profiled *const p = calloc(1, sizeof *p);
    if (!p) {
      snprintf(message, SOLVER_MESSAGE_SIZE, "out of memory");
      return -1;
    }
    p->row = &c->row[rows[i]];
    p->trials = trials;
    status = profile_row(p, given, &c->profile[i], message);
    free(p);
  }
  return status;
}
