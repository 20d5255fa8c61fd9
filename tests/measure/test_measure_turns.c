/*
 * Timing in turns: who runs when, and what a failure or a stop leaves. No time is asserted but one
 * that another task would have a share of.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _XOPEN_SOURCE 700

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
#include "turns.h"

enum { CANDIDATES = 3, TRIALS = 7, LOG_SIZE = 1 << 12 };

/* what was called, in order */
typedef struct course {
  size_t count;
  struct {
    char what;
    size_t candidate, trial;
  } call[LOG_SIZE];
  int stop;
} course;

typedef struct runner {
  course *course;
  size_t number;
  size_t fails_at; /* trial, in a timed run: SIZE_MAX never */
  size_t runs;
} runner;

static int call(runner *r, char what, size_t trial) {
  course *const c = r->course;
  assert_true(c->count < LOG_SIZE);
  c->call[c->count].what = what;
  c->call[c->count].candidate = r->number;
  c->call[c->count++].trial = trial;
  return 0;
}

static int before(void *context, size_t trial) {
  return call(context, 'b', trial);
}

static int after(void *context, size_t trial) {
  return call(context, 'a', trial);
}

/* a tenth of a millisecond for each number */
static int run(void *context, size_t trial) {
  runner *const r = context;
  const uint64_t end = measure_clock_ns() + 100000 * (r->number + 1);
  while (measure_clock_ns() < end) continue;
  call(r, 'r', trial);
  return ++r->runs > TRIALS && trial == r->fails_at;
}

static course log_of;
static runner runners[CANDIDATES];
static double seconds[CANDIDATES * TRIALS];
static measure_turns_record records[CANDIDATES];

static int take(size_t rounds, double turn_s, double most_s) {
  measure_candidate candidates[CANDIDATES];
  const measure_turns plan = {.trials = TRIALS,
                              .seed = 3,
                              .rounds = rounds,
                              .turn_s = turn_s,
                              .most_s = most_s,
                              .stop = &log_of.stop};
  for (size_t k = 0; k < CANDIDATES; k++)
    candidates[k] =
        (measure_candidate){.run = run, .before = before, .after = after, .context = &runners[k]};
  return measure_take_turns(candidates, CANDIDATES, &plan, seconds, records);
}

static int set_up(void **state) {
  (void)state;
  memset(&log_of, 0, sizeof log_of);
  for (size_t k = 0; k < CANDIDATES; k++) runners[k] = (runner){&log_of, k, SIZE_MAX, 0};
  return 0;
}

static void a_repetition_goes_from_trial_to_trial(void **state) {
  (void)state;
  enum { ROUNDS = 4, FIRST = 3 * CANDIDATES * TRIALS };
  assert_int_equal(take(ROUNDS, 0, 3600), MEASURE_SUCCESS);
  // once through all of them with the hooks, one candidate after the other
  for (size_t i = 0; i < FIRST; i++) {
    assert_int_equal(log_of.call[i].what, "bra"[i % 3]);
    assert_int_equal(log_of.call[i].candidate, i / 3 / TRIALS);
    assert_int_equal(log_of.call[i].trial, i / 3 % TRIALS);
  }
  // then in turns, of which each is all trials; a stretch may be there again
  size_t previous = SIZE_MAX, turns = 0;
  uint64_t retaken = 0;
  for (size_t i = FIRST; i < log_of.count; i++) {
    const size_t trial = log_of.call[i].trial;
    assert_int_equal(log_of.call[i].what, 'r');
    const bool again = previous != SIZE_MAX && trial != (previous + 1) % TRIALS;
    if (again) assert_true(trial <= previous);
    if (previous == TRIALS - 1 && trial == 0) turns++;
    previous = trial;
  }
  for (size_t k = 0; k < CANDIDATES; k++) {
    assert_false(records[k].failed);
    assert_int_equal(records[k].repetitions, ROUNDS);
    assert_int_equal(runners[k].runs, (ROUNDS + 1) * TRIALS + records[k].retaken);
    retaken += records[k].retaken;
    // what another task had of the run is no time of its own
    for (size_t j = 0; j < TRIALS && !records[k].disturbed; j++)
      assert_true(seconds[k * TRIALS + j] >= 1e-4 * (double)(k + 1));
  }
  if (!retaken) assert_int_equal(turns, CANDIDATES * ROUNDS - 1);
}

static void short_ones_repeat_and_slow_ones_have_fewer_turns(void **state) {
  (void)state;
  // a pass of the first takes 0.7 ms or more: at most 15 of them last 10 ms. Beside other tasks the
  // first pass may last as long as a turn, but not every time
  records[0].repetitions = 0;
  for (int i = 0; i < 50 && records[0].repetitions <= 2; i++) {
    set_up(NULL);
    assert_int_equal(take(2, 1e-2, 3600), MEASURE_SUCCESS);
  }
  assert_true(records[0].repetitions > 2 && records[0].repetitions <= 30);
  set_up(NULL);
  assert_int_equal(take(50, 0, 1e-6), MEASURE_SUCCESS);
  // the first pass is all there is
  for (size_t k = 0; k < CANDIDATES; k++) {
    assert_int_equal(records[k].repetitions, 1);
    assert_int_equal(runners[k].runs, TRIALS);
    assert_true(records[k].disturbed || seconds[k * TRIALS] >= 1e-4 * (double)(k + 1));
  }
}

static void one_that_fails_is_left_out(void **state) {
  (void)state;
  runners[1].fails_at = 4;
  assert_int_equal(take(2, 0, 3600), MEASURE_SUCCESS);
  assert_true(records[1].failed && records[1].trial == 4);
  for (size_t j = 0; j < TRIALS; j++) {
    assert_true(isnan(seconds[TRIALS + j]));
    assert_true(seconds[j] > 0 && seconds[2 * TRIALS + j] > 0);
  }
  assert_false(records[0].failed || records[2].failed);
}

/* 10 ms of a core, however long they take */
static int work(void *context, size_t trial) {
  (void)context, (void)trial;
  const uint64_t end = measure_thread_ns() + 10000000;
  while (measure_thread_ns() < end) continue;
  return 0;
}

/* beside a task that wants the same core: what it has of a run is no time of the run's */
static void what_others_have_is_taken_out(void **state) {
  (void)state;
  char warning[MEASURE_MESSAGE_SIZE];
  const measure_candidate candidate = {.run = work};
  const measure_turns plan = {.trials = TRIALS, .rounds = 1, .most_s = 60};
  if (measure_pin_core(-1, warning) < 0) skip();
  const pid_t other = fork();
  if (!other)
    for (;;) continue;
  const int status = measure_take_turns(&candidate, 1, &plan, seconds, records);
  kill(other, SIGKILL);
  waitpid(other, NULL, 0);
  assert_int_equal(status, MEASURE_SUCCESS);
  assert_true(records[0].disturbed > 0);
  for (size_t j = 0; j < TRIALS; j++) assert_true(seconds[j] > 9.9e-3 && seconds[j] < 14e-3);
}

static void it_can_be_stopped_and_refuses_nonsense(void **state) {
  (void)state;
  log_of.stop = 1;
  assert_int_equal(take(2, 0, 3600), MEASURE_ESTOP);
  assert_int_equal(log_of.count, 0);
  assert_int_equal(take(0, 0, 3600), MEASURE_EINVAL);
  assert_int_equal(take(1, NAN, 3600), MEASURE_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(a_repetition_goes_from_trial_to_trial, set_up),
      cmocka_unit_test_setup(short_ones_repeat_and_slow_ones_have_fewer_turns, set_up),
      cmocka_unit_test_setup(one_that_fails_is_left_out, set_up),
      cmocka_unit_test_setup(what_others_have_is_taken_out, set_up),
      cmocka_unit_test_setup(it_can_be_stopped_and_refuses_nonsense, set_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
