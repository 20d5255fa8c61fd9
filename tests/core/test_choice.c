/*
 * The choice of settings: the rule on made-up errors, what runs from several starts show by a
 * made-up solver, and the choice itself on the hopper.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "choice.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "bridge.h"
#include "solvers.h"

static const choice_limits limits = {1e-2, 2e-2, 4e-2};

/* ---- the rule -------------------------------------------------------------------------------- */

static void every_limit_counts_and_none_by_more(void **state) {
  (void)state;
  choice c = {
      .seconds = 1.0, .rms = limits.rms, .rms_q90 = limits.rms_q90, .rms_worst = limits.rms_worst};
  const choice_limits own = choice_limits_of(&c);
  assert_true(choice_accepts(&limits, &c) && choice_accepts(&own, &c));
  double *const values[] = {&c.rms, &c.rms_q90, &c.rms_worst};
  for (size_t i = 0; i < 3; i++) {
    const double kept = *values[i];
    *values[i] = nextafter(kept, INFINITY);
    assert_false(choice_accepts(&limits, &c) || choice_accepts(&own, &c));
    *values[i] = NAN;
    assert_false(choice_accepts(&limits, &c));
    *values[i] = kept;
  }
  c.seconds = INFINITY;
  assert_false(choice_accepts(&limits, &c));

  // where nothing is asked, anything that is a number will do
  const choice_limits none = {INFINITY, INFINITY, INFINITY};
  choice wild = {.seconds = 1.0, .rms = 1e9, .rms_q90 = 1e9, .rms_worst = 1e9};
  assert_true(choice_accepts(&none, &wild));
  wild.rms = INFINITY;
  assert_false(choice_accepts(&none, &wild));
}

/* ---- ladders of made-up settings ------------------------------------------------------------- */

/* error = knob, as of a method of order 1; looks at it, and from which knob on it takes longer */
typedef struct rungs {
  double dear_from;
  size_t looks;
} rungs;

static int look(void *context, double knob, double patience, choice *c, char *message) {
  rungs *const r = context;
  (void)patience, (void)message;
  r->looks++;
  c->rms = c->rms_q90 = c->rms_worst = knob;
  c->seconds = (knob >= r->dear_from ? 100.0 : 1.0) / knob;
  return 0;
}

static choice_ladder decades(rungs *r, bool continuous, bool known) {
  return (choice_ladder){.knob = {1.0, 0.1, 0.01, 0.001},
                         .count = 4,
                         .look = look,
                         .context = r,
                         .continuous = continuous,
                         .known = known};
}

static void the_coarsest_that_keeps_within(void **state) {
  (void)state;
  static const choice_limits asked = {0.05, INFINITY, INFINITY};
  char message[SOLVER_MESSAGE_SIZE];
  rungs r[2] = {{INFINITY, 0}, {0.02, 0}};
  choice best;
  choice_ladder l[2] = {decades(&r[0], false, false), decades(&r[1], false, false)};
  assert_int_equal(choice_of_ladders(&asked, l, 1, &best, message), 0);
  assert_true(best.knob == 0.01 && r[0].looks == 3);

  // between two where there is something between them
  l[0].continuous = true;
  assert_int_equal(choice_of_ladders(&asked, l, 1, &best, message), 0);
  assert_true(best.knob <= 0.05 && best.knob > 0.049);

  // a finer one that is cheaper is taken where that is known, and not looked for where it is not
  r[0].looks = 0;
  l[1] = decades(&r[1], true, true);
  assert_int_equal(choice_of_ladders(&asked, l, 2, &best, message), 0);
  assert_true(best.ladder == 0 && best.knob > 0.049);
  assert_int_equal(choice_of_ladders(&asked, &l[1], 1, &best, message), 0);
  assert_true(best.ladder == 0 && best.knob == 0.01);
  l[1].known = false;
  assert_int_equal(choice_of_ladders(&asked, &l[1], 1, &best, message), 0);
  assert_true(best.knob > 0.049);

  // nothing is good enough, and there is nothing
  const choice_limits none = {1e-9, INFINITY, INFINITY};
  assert_int_equal(choice_of_ladders(&none, l, 2, &best, message), 0);
  assert_true(best.seconds == INFINITY);
  assert_int_equal(choice_of_ladders(&asked, l, 0, &best, message), 0);
  assert_true(best.seconds == INFINITY);
}

static void limits_have_margins(void **state) {
  (void)state;
  const choice_limits mujoco = choice_limits_for(CHOICE_MUJOCO, limits),
                      libess = choice_limits_for(CHOICE_LIBESS, limits),
                      callback = choice_limits_for(CHOICE_CALLBACK, limits);
  assert_true(mujoco.rms == limits.rms && mujoco.rms_worst == limits.rms_worst);
  assert_true(libess.rms == 0.9 * limits.rms && libess.rms_q90 == limits.rms_q90);
  assert_true(callback.rms == 1.001 * limits.rms && callback.rms_q90 > limits.rms_q90);
}

/* ---- runs ------------------------------------------------------------------------------------ */

enum { STARTS = 11 };

/* what the made-up solver does at each start; the start's height is its number */
static double made_up_error[STARTS];
static size_t fails_at, runs;

static int prepare(const model *m, const solver_settings *settings, const solver_output *output,
                   void **instance, char message[SOLVER_MESSAGE_SIZE]) {
  (void)m, (void)output;
  *instance = &runs;
  snprintf(message, SOLVER_MESSAGE_SIZE, "refused");
  return settings->epsilon > 1.0 ? SOLVER_REFUSED : 0;
}

static int run(void *instance, const double x0[], const solver_output *output,
               solver_report *report) {
  (void)instance;
  const size_t j = (size_t)x0[0];
  for (size_t i = 0; i < 2 * output->count; i++) output->states[i] = made_up_error[j];
  *report = (solver_report){0};
  runs++;
  return j == fails_at ? SOLVER_FAILED : 0;
}

static void release(void *instance) {
  (void)instance;
}

static const solver_type made_up = {
    .name = "made-up", .summary = "", .prepare = prepare, .run = run, .release = release};

typedef struct room {
  model m;
  contest_starts starts;
} room;

/* references of zeros, errors 1, 2, .. 11 in another order */
static void set_up(room *r) {
  char message[SOLVER_MESSAGE_SIZE];
  model_init(&r->m, model_find("hopper"));
  assert_int_equal(model_prepare(&r->m, message), 0);
  assert_int_equal(contest_starts_alloc(&r->starts, &r->m, STARTS, false, 1, message), 0);
  for (size_t j = 0; j < STARTS; j++) {
    assert_int_equal(trajectory_alloc(&r->starts.references[j], &r->m, message), 0);
    memset(r->starts.references[j].states, 0,
           2 * r->starts.references[j].count * sizeof *r->starts.references[j].states);
    r->starts.states[2 * j] = (double)j;
    made_up_error[j] = (double)(1 + 7 * j % STARTS);
  }
  fails_at = SIZE_MAX;
  runs = 0;
}

static void tear_down(room *r) {
  contest_starts_free(&r->starts);
  model_release(&r->m);
}

static choice run_from(const room *r, double patience) {
  choice c = {.solver = &made_up, .settings = solver_settings_default()};
  choice_try(&r->starts, patience, &c);
  return c;
}

static void a_run_shows_its_quantiles(void **state) {
  (void)state;
  room r;
  set_up(&r);
  const choice c = run_from(&r, INFINITY);
  assert_int_equal(runs, STARTS);
  assert_true(fabs(c.rms - 6.0) < 1e-12);
  assert_true(fabs(c.rms_q90 - 10.0) < 1e-12);
  assert_true(fabs(c.rms_worst - 11.0) < 1e-12);
  assert_true(c.seconds >= 0.0 && c.seconds < INFINITY);
  tear_down(&r);
}

static void check_out(const choice *c, size_t expected) {
  assert_int_equal(runs, expected);
  assert_true(c->seconds == INFINITY && c->rms == INFINITY && c->rms_q90 == INFINITY &&
              c->rms_worst == INFINITY);
  runs = 0;
}

static void patience_ends(void **state) {
  (void)state;
  room r;
  set_up(&r);
  choice c = run_from(&r, -1.0);
  assert_true(c.seconds >= 0.0 && c.seconds < INFINITY);
  assert_false(choice_accepts(&(choice_limits){1e300, 1e300, 1e300}, &c));
  c.seconds = INFINITY;
  check_out(&c, 1);
  tear_down(&r);
}

static void a_solver_that_gives_up_or_refuses_is_out(void **state) {
  (void)state;
  room r;
  set_up(&r);
  fails_at = 4;
  choice c = run_from(&r, INFINITY);
  check_out(&c, 5);
  fails_at = SIZE_MAX;
  made_up_error[2] = NAN;
  c = run_from(&r, INFINITY);
  check_out(&c, STARTS);
  c.settings.epsilon = 2.0;
  choice_try(&r.starts, INFINITY, &c);
  check_out(&c, 0);
  tear_down(&r);
}

/* ---- the choice ------------------------------------------------------------------------------ */

static const volatile int goes_on = 0, ends = 1;

static choice_request hopper(room *r, choice_limits asked, const volatile int *interrupted) {
  char why[SOLVER_MESSAGE_SIZE];
  model_init(&r->m, model_find("hopper"));
  assert_int_equal(model_prepare(&r->m, why), 0);
  assert_int_equal(contest_starts_alloc(&r->starts, &r->m, 2, false, 1, why), 0);
  for (size_t j = 0; j < 2; j++) assert_int_equal(contest_reference(&r->starts, j, why), 0);
  return (choice_request){.starts = &r->starts,
                          .base = solver_settings_default(),
                          .limits = asked,
                          .interrupted = interrupted,
                          .what = "a test"};
}

static void the_hopper_has_a_tolerance(void **state) {
  (void)state;
  static const choice_limits asked = {2e-3, 2e-3, 2e-3};
  char message[SOLVER_MESSAGE_SIZE];
  room r;
  choice best;
  const choice_request request = hopper(&r, asked, &goes_on);
  if (choice_cheapest(&request, CHOICE_LIBESS, &best, message)) fail_msg("%s", message);
  assert_true(choice_accepts(&asked, &best) && best.rms <= 0.9 * asked.rms);
  assert_true(best.settings.rtol == best.settings.atol && best.settings.h_max == INFINITY);

  // what it is said to show, it shows again, and one that is hardly larger is not good enough
  choice again = {.solver = best.solver, .settings = best.settings};
  choice_try(&r.starts, INFINITY, &again);
  assert_true(again.rms == best.rms && again.rms_worst == best.rms_worst);
  again.settings.rtol = again.settings.atol = 1.02 * best.settings.rtol;
  choice_try(&r.starts, INFINITY, &again);
  assert_true(best.settings.rtol == 0.1 || again.rms > 0.9 * asked.rms);
  tear_down(&r);
}

/* its Euler at the output step is one of its settings: one that is cheaper may be chosen, no worse
 */
static void mujoco_chooses_as_freely(void **state) {
  (void)state;
  char message[SOLVER_MESSAGE_SIZE];
  room r;
  choice best;
  choice_request request = hopper(&r, limits, &goes_on);
  const choice euler = choice_yardstick(&request, "Euler");
  request.limits = choice_limits_of(&euler);
  if (choice_cheapest(&request, CHOICE_MUJOCO, &best, message)) fail_msg("%s", message);
  assert_true(choice_accepts(&request.limits, &best));
  const double step = best.settings.time_step / 2e-3;
  assert_true(step >= 0.124 && step <= 12.001);

  // a hundred times the error is to be had by a longer step of Euler's, or by one still cheaper
  request.limits.rms = request.limits.rms_q90 = request.limits.rms_worst = INFINITY;
  if (choice_cheapest(&request, CHOICE_MUJOCO, &best, message)) fail_msg("%s", message);
  assert_true(fabs(best.settings.time_step - 12 * 2e-3) < 1e-15);
  request.limits.rms = 1e-16;
  request.finest = 2;
  assert_int_equal(choice_cheapest(&request, CHOICE_MUJOCO, &best, message), 1);
  assert_string_equal(message, "no setting of mujoco has the accepted median error of 1e-16");
  tear_down(&r);
}

/* as contacts do, its errors being theirs; and nothing where the model has no force for it */
static void a_callback_chooses_as_contacts_do(void **state) {
  (void)state;
  char message[SOLVER_MESSAGE_SIZE];
  room r;
  choice best;
  choice_request request = hopper(&r, limits, &goes_on);
  const choice euler = choice_yardstick(&request, "Euler");
  request.limits = choice_limits_of(&euler);
  if (choice_cheapest(&request, CHOICE_CALLBACK, &best, message)) fail_msg("%s", message);
  assert_ptr_equal(best.solver, &bridge_callback_solver);
  assert_true(best.settings.time_step >= 1.999e-3 && best.settings.time_step <= 12.001e-3);
  assert_true(best.rms <= 1.001 * euler.rms && best.rms_worst <= 1.001 * euler.rms_worst);

  // the slack is for rounding alone
  request.limits.rms = 0.998 * euler.rms;
  if (choice_cheapest(&request, CHOICE_CALLBACK, &best, message)) fail_msg("%s", message);
  assert_true(best.rms <= 0.999 * euler.rms);
  const model_type *const type = r.m.type;
  model_type forceless = *type;
  forceless.contact_force = NULL;
  r.m.type = &forceless;
  assert_int_equal(choice_enter(&request, CHOICE_CALLBACK), 0);
  r.m.type = type;
  tear_down(&r);
}

static void what_no_tolerance_reaches_is_told(void **state) {
  (void)state;
  char message[SOLVER_MESSAGE_SIZE];
  room r;
  choice best;
  const choice_request request = hopper(&r, (choice_limits){1e-16, 1.0, 1.0}, &goes_on);
  assert_int_equal(choice_cheapest(&request, CHOICE_LIBESS, &best, message), 1);
  assert_non_null(strstr(message, "no tolerance is accurate enough: at 1e-12 median"));
  assert_non_null(strstr(message, "9e-17, 1, 1 are accepted"));
  tear_down(&r);
}

static void an_interrupt_ends_it(void **state) {
  (void)state;
  char message[SOLVER_MESSAGE_SIZE];
  room r;
  choice best;
  const choice_request request = hopper(&r, limits, &ends);
  assert_int_equal(choice_cheapest(&request, CHOICE_LIBESS, &best, message), -1);
  assert_string_equal(message, "interrupted");
  assert_int_equal(choice_cheapest(&request, CHOICE_MUJOCO, &best, message), -1);
  tear_down(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_limit_counts_and_none_by_more),
      cmocka_unit_test(the_coarsest_that_keeps_within),
      cmocka_unit_test(limits_have_margins),
      cmocka_unit_test(a_run_shows_its_quantiles),
      cmocka_unit_test(patience_ends),
      cmocka_unit_test(a_solver_that_gives_up_or_refuses_is_out),
      cmocka_unit_test(the_hopper_has_a_tolerance),
      cmocka_unit_test(mujoco_chooses_as_freely),
      cmocka_unit_test(a_callback_chooses_as_contacts_do),
      cmocka_unit_test(what_no_tolerance_reaches_is_told),
      cmocka_unit_test(an_interrupt_ends_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
