/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The profiling pass of mujoco: MuJoCo's own timers, beside runs without them. */
#include <math.h>
#include <stdlib.h>

#include "clock.h"
#include "mujoco.h"
#include "statistics.h"

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
  contestant runner;
  size_t trials;
  bridge_profile timers[PROFILE_TRIALS_MAX]; /* of all runs from a start, ns */
  double steps[PROFILE_TRIALS_MAX];          /* of them */
  double seconds[CANDIDATES * PROFILE_TRIALS_MAX];
} profiled;

static int run_profiled(void *context, size_t trial) {
  profiled *const p = context;
  const contest_starts *const starts = p->runner.starts;
  const solver_output output = trajectory_output(&p->runner.samples);
  const double *const x0 = starts->states + trial * starts->m->system.dimension;
  const int status = bridge_profiled_run(p->runner.instance, x0, &output, clock_now,
                                         &p->timers[trial], &p->runner.report);
  p->steps[trial] += (double)p->runner.report.steps;
  return status;
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

/* a row for each start, and one for each timer */
static void add_rows(study_run *run, const profiled *p, size_t variant) {
  const double *const plain = p->seconds, *const timed = p->seconds + PROFILED * p->trials;
  timed_trial order[PROFILE_TRIALS_MAX];
  double mean;
  mujoco_sample s;
  column_clear(mujoco_sample_columns, &s);
  s.variant = variant;
  for (size_t i = 0; i < p->trials; i++) {
    s.trial = i;
    s.seconds = plain[i];
    s.timers_cost = timed[i] / plain[i];
    study_add(run, MUJOCO_SAMPLES, &s);
  }
  quiet_half(plain, p->trials, order, &mean);
  s.run_ns = 1e9 * mean / (double)p->runner.report.steps;
  s.reading_ns = reading_ns();
  const size_t half = quiet_half(timed, p->trials, order, &mean);
  for (size_t i = 0; i < p->timers->count; i++) {
    s.timer = p->timers->timer[i].name;
    s.parent = p->timers->timer[i].parent;
    s.calls = (double)p->timers->timer[i].calls / *p->steps;
    s.measured_ns = 0.0;
    for (size_t k = 0; k < half; k++) {
      const size_t at = order[k].trial;
      s.measured_ns += p->timers[at].timer[i].duration / p->steps[at] / (double)half;
    }
    study_add(run, MUJOCO_SAMPLES, &s);
  }
}

static int profile(study_run *run, profiled *p, size_t variant) {
  const measure_candidate candidates[CANDIDATES] = {
      [PLAIN] = contestant_candidate(&p->runner), [PROFILED] = {.run = run_profiled, .context = p}};
  const measure_turns plan = {.trials = p->trials,
                              .seed = run->seed,
                              .rounds = 1,
                              .turn_s = sample_s * (double)p->trials,
                              .most_s = INFINITY};
  measure_turns_record record[CANDIDATES];
  const int status = measure_take_turns(candidates, CANDIDATES, &plan, p->seconds, record);
  if (status) return measure_fail(run->message, "profiling: %s", measure_strerror(status));
  if (record[PLAIN].failed || record[PROFILED].failed)
    return measure_fail(run->message, "profiling: %s", p->runner.report.message);
  add_rows(run, p, variant);
  return 0;
}

int mujoco_measure_profile(study_run *run, size_t of, size_t which) {
  static const size_t variants[MUJOCO_PROFILES] = {MUJOCO_RACE, MUJOCO_OWN};
  const race_entry entry = mujoco_variant_entry(&mujoco_variants[variants[which]]);
  const contest_starts *const starts = mujoco_starts(run, of);
  profiled *const p = calloc(1, sizeof *p);
  int status = !p ? study_out_of_memory(run) : starts ? 0 : -1;
  if (!status)
    status = contestant_prepare(&p->runner, entry.solver, &entry.settings, starts, run->message);
  if (!status) {
    p->trials = starts->trials < PROFILE_TRIALS_MAX ? starts->trials : PROFILE_TRIALS_MAX;
    status = profile(run, p, variants[which]) ? -1 : 0;
    contestant_release(&p->runner);
  }
  free(p);
  return status ? -1 : 0;
}
