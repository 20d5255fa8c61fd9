/*
 * Calibrated repetition and interleaving. No time is asserted but the floor, which is a promise.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _GNU_SOURCE
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "clock.h"
#include "repeat.h"

enum { CANDIDATES = 3, TRIALS = 40 };

static void floor_is_the_larger_of_both(void **state) {
  (void)state;
  assert_true(measure_sample_floor_s(0) >= 100e-9);
  assert_true(measure_sample_floor_s(0) < 0.1);
  assert_true(measure_sample_floor_s(3600) == 3600);
}

/* ---- interleaving ---------------------------------------------------------------------------- */

/* A candidate of the tests: each run waits for a few microseconds. */
typedef struct worker {
  uint64_t runs, before, after;
  uint64_t since; /* runs since `before` was called last */
  size_t last_before;
  int out_of_step;
  size_t fails_at; /* trial at which run fails */
} worker;

/* What a session did, in order. */
typedef struct diary {
  size_t visits[CANDIDATES][TRIALS];
  size_t order[CANDIDATES * TRIALS];
  size_t count;
  double shortest_s;
  const worker *workers; /* NULL: warm-up is not looked at */
  uint64_t fewest_warmups;
} diary;

static int work(void *context, size_t trial) {
  worker *w = context;
  w->runs++;
  w->since++;
  if (w->last_before != trial) w->out_of_step = 1;
  const uint64_t start = measure_clock_ns();
  while (measure_clock_ns() - start < 3000) {
  }
  return trial == w->fails_at;
}

static int work_before(void *context, size_t trial) {
  worker *w = context;
  w->before++;
  w->since = 0;
  w->last_before = trial;
  return 0;
}

static int work_after(void *context, size_t trial) {
  worker *w = context;
  w->after++;
  if (w->last_before != trial) w->out_of_step = 1;
  return 0;
}

static int keep_sample(const measure_sample *sample, void *context) {
  diary *d = context;
  d->visits[sample->candidate][sample->trial]++;
  d->order[d->count++] = sample->candidate;
  if (!sample->disturbed)
    d->shortest_s = fmin(d->shortest_s, sample->seconds * (double)sample->repetitions);
  if (!d->workers) return 0;
  const uint64_t warmups = d->workers[sample->candidate].since - sample->repetitions;
  if (warmups < d->fewest_warmups) d->fewest_warmups = warmups;
  return 0;
}

static int stop_at_once(const measure_sample *sample, void *context) {
  (void)sample;
  (void)context;
  return 1;
}

/* Sets up workers and candidates over them. */
static void set_up(worker workers[CANDIDATES], measure_candidate candidates[CANDIDATES]) {
  for (size_t k = 0; k < CANDIDATES; k++) {
    workers[k] = (worker){.fails_at = SIZE_MAX, .last_before = SIZE_MAX};
    candidates[k] = (measure_candidate){.run = work, .before = work_before, .after = work_after};
    candidates[k].context = &workers[k];
  }
}

static int interleave(size_t trials, unsigned long seed, diary *d) {
  worker workers[CANDIDATES];
  measure_candidate candidates[CANDIDATES];
  set_up(workers, candidates);
  *d = (diary){.shortest_s = INFINITY};
  const measure_plan plan = {.trials = trials,
                             .seed = seed,
                             .min_time_s = 2e-5,
                             .warmup_runs = 1,
                             .sampled = keep_sample,
                             .context = d};
  double seconds[CANDIDATES * TRIALS];
  return measure_interleave(candidates, CANDIDATES, &plan, seconds, NULL);
}

static void every_pair_is_sampled_once(void **state) {
  (void)state;
  worker workers[CANDIDATES];
  measure_candidate candidates[CANDIDATES];
  set_up(workers, candidates);
  diary d = {.shortest_s = INFINITY, .workers = workers, .fewest_warmups = UINT64_MAX};
  const measure_plan plan = {.trials = TRIALS,
                             .seed = 3,
                             .min_time_s = 2e-5,
                             .warmup_runs = 2,
                             .sampled = keep_sample,
                             .context = &d};
  double seconds[CANDIDATES * TRIALS];
  measure_failure failure;
  assert_int_equal(measure_interleave(candidates, CANDIDATES, &plan, seconds, &failure),
                   MEASURE_SUCCESS);

  assert_int_equal(d.count, CANDIDATES * TRIALS);
  assert_true(failure.candidate == SIZE_MAX && failure.trial == SIZE_MAX);
  for (size_t k = 0; k < CANDIDATES; k++) {
    for (size_t t = 0; t < TRIALS; t++) {
      assert_int_equal(d.visits[k][t], 1);
      // a run waits for 3 us, so nothing per run can be shorter
      assert_true(seconds[k * TRIALS + t] >= 3e-6);
    }
    // once per sample, and `before` once more for the calibration; never with another trial's start
    assert_int_equal(workers[k].before, TRIALS + 1);
    assert_int_equal(workers[k].after, TRIALS);
    assert_false(workers[k].out_of_step);
  }
  // warm-up is kept apart from the runs that are timed
  assert_true(d.fewest_warmups >= 2);
  // the division by the repetitions may have cost an ulp
  assert_true(d.shortest_s >= 2e-5 * (1 - 1e-15));
}

static void order_is_shuffled_and_follows_the_seed(void **state) {
  (void)state;
  diary first, second, third, shorter;
  assert_int_equal(interleave(TRIALS, 11, &first), MEASURE_SUCCESS);
  assert_int_equal(interleave(TRIALS, 11, &second), MEASURE_SUCCESS);
  assert_int_equal(interleave(TRIALS, 12, &third), MEASURE_SUCCESS);
  assert_int_equal(interleave(TRIALS / 2, 11, &shorter), MEASURE_SUCCESS);
  assert_memory_equal(first.order, second.order, sizeof first.order);
  assert_true(memcmp(first.order, third.order, sizeof first.order));
  // a trial's order does not depend on how many trials there are
  assert_memory_equal(first.order, shorter.order, sizeof first.order / 2);

  // each candidate has each place often enough: 40 trials of 3, expected 13.3, sigma 3
  size_t places[CANDIDATES][CANDIDATES] = {0};
  for (size_t i = 0; i < first.count; i++) places[i % CANDIDATES][first.order[i]]++;
  for (size_t i = 0; i < CANDIDATES; i++) {
    for (size_t k = 0; k < CANDIDATES; k++) assert_in_range(places[i][k], 4, 23);
  }
}

static void failure_names_its_place_and_keeps_what_was_measured(void **state) {
  (void)state;
  worker workers[CANDIDATES];
  measure_candidate candidates[CANDIDATES];
  set_up(workers, candidates);
  workers[1].fails_at = 5;
  const measure_plan plan = {.trials = TRIALS, .seed = 1, .min_time_s = 1e-5};
  double seconds[CANDIDATES * TRIALS];
  measure_failure failure;
  assert_int_equal(measure_interleave(candidates, CANDIDATES, &plan, seconds, &failure),
                   MEASURE_ECALLBACK);
  assert_int_equal(failure.candidate, 1);
  assert_int_equal(failure.trial, 5);
  for (size_t t = 0; t < TRIALS; t++) {
    assert_int_equal(isfinite(seconds[1 * TRIALS + t]) != 0, t < 5);
    if (t != 5) assert_int_equal(isfinite(seconds[2 * TRIALS + t]) != 0, t < 5);
  }
}

static void observer_can_stop_and_bad_plans_are_refused(void **state) {
  (void)state;
  worker workers[CANDIDATES];
  measure_candidate candidates[CANDIDATES];
  set_up(workers, candidates);
  double seconds[CANDIDATES * TRIALS];
  measure_plan plan = {.trials = TRIALS, .min_time_s = 1e-5, .sampled = stop_at_once};
  assert_int_equal(measure_interleave(candidates, CANDIDATES, &plan, seconds, NULL), MEASURE_ESTOP);
  plan.trials = 0;
  assert_int_equal(measure_interleave(candidates, CANDIDATES, &plan, seconds, NULL),
                   MEASURE_EINVAL);
  plan.trials = 1;
  assert_int_equal(measure_interleave(candidates, 0, &plan, seconds, NULL), MEASURE_EINVAL);
  plan.min_time_s = NAN;
  assert_int_equal(measure_interleave(candidates, CANDIDATES, &plan, seconds, NULL),
                   MEASURE_EINVAL);
  plan.min_time_s = 0;
  candidates[2].run = NULL;
  assert_int_equal(measure_interleave(candidates, CANDIDATES, &plan, seconds, NULL),
                   MEASURE_EINVAL);
}

/* 10 ms of a core, however long they take */
static int work_of_a_core(void *context, size_t trial) {
  (void)context, (void)trial;
  const uint64_t end = measure_thread_ns() + 10000000;
  while (measure_thread_ns() < end) continue;
  return 0;
}

static int count_disturbed(const measure_sample *sample, void *context) {
  *(size_t *)context += sample->disturbed;
  return 0;
}

/* beside a task that wants the same core: what it has of a sample is no time of the sample's */
static void what_others_have_is_taken_out(void **state) {
  (void)state;
  enum { FEW = 4 };
  char warning[MEASURE_MESSAGE_SIZE];
  const measure_candidate candidate = {.run = work_of_a_core};
  size_t disturbed = 0;
  double seconds[FEW];
  const measure_plan plan = {.trials = FEW, .sampled = count_disturbed, .context = &disturbed};
  if (measure_pin_core(-1, warning) < 0) skip();
  const pid_t other = fork();
  if (!other)
    for (;;) continue;
  const int status = measure_interleave(&candidate, 1, &plan, seconds, NULL);
  kill(other, SIGKILL);
  waitpid(other, NULL, 0);
  assert_int_equal(status, MEASURE_SUCCESS);
  assert_true(disturbed > 0);
  for (size_t j = 0; j < FEW; j++) assert_true(seconds[j] > 9.9e-3 && seconds[j] < 14e-3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(floor_is_the_larger_of_both),
      cmocka_unit_test(every_pair_is_sampled_once),
      cmocka_unit_test(order_is_shuffled_and_follows_the_seed),
      cmocka_unit_test(failure_names_its_place_and_keeps_what_was_measured),
      cmocka_unit_test(observer_can_stop_and_bad_plans_are_refused),
      cmocka_unit_test(what_others_have_is_taken_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
