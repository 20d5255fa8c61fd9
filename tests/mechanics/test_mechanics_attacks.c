/*
 * Mechanisms that are none, and systems that ask for what there is not: each has its line or its
 * status.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "contact_system.h"
#include "random_mechanism.h"

static random_mechanism r;

/* a body of unit mass in the plane over the ground, and over what else rows say */
static void over(size_t contacts, const double A[]) {
  random_mechanism_plain(&r, 2, contacts, A, (double[]){0.5, -1}, (double[]){0, -9.81});
}

static int run_for(double delta_t, double time, double x[4], int *code) {
  contact_system s;
  assert_int_equal(contact_system_prepare(&s, &r.m, delta_t), 0);
  const ess_options options = ess_options_default();
  ess_driver *const d = ess_driver_alloc(&s.system, &options, NULL);
  assert_non_null(d);
  double t = 0;
  const int status = ess_driver_apply(d, &t, time, x);
  *code = status == ESS_ECALLBACK ? ess_driver_failure(d)->callback_code : 0;
  ess_driver_free(d);
  contact_system_release(&s);
  return status;
}

static void wrong_rows_are_found(void **state) {
  (void)state;
  const double A[] = {0, 1};
  over(1, A);
  r.bow[0] = 0.3;
  assert_null(mechanism_refused_at(&r.m, (double[]){1, 1}));
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  for (int draw = 0; draw < 200; draw++) {
    random_mechanism_draw(&r, rng, (size_t)draw % 3);
    assert_null(mechanism_refused_at(&r.m, r.q));
  }
  gsl_rng_free(rng);
}

static void sloped_gaps(const double q[], double a[], void *params) {
  (void)params;
  a[0] = q[1] + 1e-3 * q[0]; // which the row, (0, 1), does not say
}

static void lopsided(const double q[], double M[], void *params) {
  (void)q, (void)params;
  M[0] = M[3] = 1;
  M[1] = 0.5;
  M[2] = 0;
}

static void no_numbers(const double q[], double A[], void *params) {
  (void)q, (void)params;
  A[0] = NAN;
  A[1] = 1;
}

static void no_inertia(const double q[], double M[], void *params) {
  (void)params;
  M[1] = M[2] = 0;
  M[0] = M[3] = q[1] > 0.5 ? 1 : NAN;
}

static void callbacks_that_disagree_are_named(void **state) {
  (void)state;
  const double A[] = {0, 1}, q[] = {0.2, 1};
  over(1, A);
  r.m.gaps = sloped_gaps;
  assert_string_equal(mechanism_refused_at(&r.m, q),
                      "a normal constraint's row must be the derivative of its gap");
  over(1, A);
  r.m.rows = no_numbers;
  assert_string_equal(mechanism_refused_at(&r.m, q), "a mechanism's rows must be finite");
  over(1, A);
  r.m.inertia = lopsided;
  assert_string_equal(mechanism_refused_at(&r.m, q),
                      "a mechanism's inertia must be finite and symmetric");
}

static void what_is_no_mechanism_is_named(void **state) {
  (void)state;
  const double A[] = {0, 1};
  over(1, A);
  assert_null(contact_system_refused(&r.m, 0));
  static const double wrong[] = {-1e-9, -1, NAN, INFINITY};
  for (size_t i = 0; i < 4; i++)
    assert_string_equal(contact_system_refused(&r.m, wrong[i]),
                        "delta_t must be finite and not negative");
  mechanism m = r.m;
  m.constraints = 0;
  assert_string_equal(mechanism_refused(&m), "a mechanism must have 1 to 10 constraints");
  m.constraints = MECHANISM_CONSTRAINTS_MAX + 1;
  assert_string_equal(mechanism_refused(&m), "a mechanism must have 1 to 10 constraints");
  m = r.m;
  m.coordinates = MECHANISM_COORDINATES_MAX + 1;
  assert_string_equal(mechanism_refused(&m), "a mechanism must have 1 to 12 coordinates");
  m = r.m;
  m.rows = NULL;
  assert_string_equal(mechanism_refused(&m),
                      "a mechanism must state its constraints, inertia, gaps and rows");
  m = r.m;
  m.time_scale = NAN;
  assert_string_equal(mechanism_refused(&m),
                      "a mechanism's time scale must be finite and not negative");
  m = r.m;
  m.lift = -1;
  assert_string_equal(mechanism_refused(&m),
                      "the speed at which a massless limb leaves must be finite and not negative");
}

static void every_code_has_a_line(void **state) {
  (void)state;
  for (int code = CONTACT_SYSTEM_SINGULAR; code <= CONTACT_SYSTEM_BELOW; code++)
    assert_non_null(contact_system_reason(code));
  assert_null(contact_system_reason(0));
  assert_null(contact_system_reason(99));
}

/* inertia that is lost on the way ends the run by its status, not by numbers */
static void inertia_that_is_lost_is_singular(void **state) {
  (void)state;
  const double A[] = {0, 1};
  double x[4] = {0, 1, 0, -1};
  int code;
  over(1, A);
  r.m.inertia = no_inertia;
  assert_int_equal(run_for(0.03, 1, x, &code), ESS_ECALLBACK);
  assert_int_equal(code, CONTACT_SYSTEM_SINGULAR);
}

/* A2: the same ground twice. Either of both holds; that neither is better is counted. */
static void contacts_that_depend_on_each_other_hold_by_one(void **state) {
  (void)state;
  const double A[] = {0, 1, 0, 1};
  over(2, A);
  complementarity c = complementarity_alloc(&r.m);
  kkt_at(c.here, (double[]){0, 0}, (double[]){0.5, -1});
  assert_null(kkt_in(c.here, 3));
  const complementarity_choice found = complementarity_impulses(&c, 3);
  assert_int_equal(found.solutions, 2);
  assert_int_equal(found.mode, CONTACT(0));
  complementarity_free(&c);
}

/* a pseudo-impulse of any length: the ground stays, a ceiling does not */
static void a_huge_delta_t_keeps_what_is_pressed(void **state) {
  (void)state;
  const double ground[] = {0, 1}, ceiling[] = {0, -1};
  int code;
  for (double delta_t = 1; delta_t < 1e13; delta_t *= 1e3) {
    double x[4] = {0, 0.1, 0.5, -1};
    over(1, ground);
    assert_int_equal(run_for(delta_t, 1, x, &code), ESS_SUCCESS);
    assert_true(fabs(x[1]) < 1e-9 && fabs(x[3]) < 1e-9 && fabs(x[2] - 0.5) < 1e-9);
    double y[4] = {0, -0.1, 0.5, 3};
    over(1, ceiling);
    assert_int_equal(run_for(delta_t, 1, y, &code), ESS_SUCCESS);
    assert_true(y[1] < -1);
  }
}

/* what is in no mode's domain is refused; what a run strays by is not */
static void a_start_below_the_ground_is_refused(void **state) {
  (void)state;
  const double ground[] = {0, 1};
  static const struct {
    double height, speed;
    int status;
  } starts[] = {{-0.1, 0, ESS_ECALLBACK},
                {-0.1, 3, ESS_ECALLBACK},
                {-2e-6, 0, ESS_ECALLBACK},
                {-1e-8, 0, ESS_SUCCESS},
                {0, -1, ESS_SUCCESS}};
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
    double x[4] = {0, starts[i].height, 0.5, starts[i].speed};
    int code;
    over(1, ground);
    assert_int_equal(run_for(0.03, 1, x, &code), starts[i].status);
    assert_int_equal(code, starts[i].status ? CONTACT_SYSTEM_BELOW : 0);
  }
}

/* A start that slides where contacts stick is in no mode either: it lands, and what slid is lost in
 * that impact, not little by little. */
static void what_slides_at_a_start_and_sticks_lands(void **state) {
  (void)state;
  const double A[] = {0, 1, 1, 0};
  double x[4] = {0, 0, 0.5, 0};
  int code;
  over(2, A);
  r.constraint[1] = (mechanism_constraint){.normal = 0, .friction = MECHANISM_STICKS};
  assert_int_equal(run_for(0.03, 1, x, &code), ESS_SUCCESS);
  assert_true(fabs(x[0]) < 1e-8 && fabs(x[2]) < 1e-12);
}

/* A12: what slides has no friction, which only massless limbs can do without */
static void friction_of_a_body_is_refused(void **state) {
  (void)state;
  const double A[] = {0, 1, 1, 0};
  over(2, A);
  r.constraint[1] = (mechanism_constraint){.normal = 0, .friction = 0.5};
  assert_string_equal(
      mechanism_refused(&r.m),
      "a tangent constraint with a cone must be of a massless limb's contact (A12)");
  r.limb[0] = 0;
  assert_null(mechanism_refused(&r.m));
}

/* A foot that may slide cannot hold two massless coordinates: nothing says where it slides to. */
static void what_slip_leaves_undetermined_is_refused(void **state) {
  (void)state;
  const double A[] = {0, 1, 1, 0};
  over(2, A);
  r.limb[0] = r.limb[1] = 0;
  r.constraint[1] = (mechanism_constraint){.normal = 0, .friction = 0.5};
  assert_string_equal(
      mechanism_refused(&r.m),
      "a contact must not hold more massless coordinates than it has rows without slip (A5)");
  r.constraint[1].friction = MECHANISM_STICKS;
  assert_null(mechanism_refused(&r.m));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_rows_are_found),
      cmocka_unit_test(callbacks_that_disagree_are_named),
      cmocka_unit_test(what_is_no_mechanism_is_named),
      cmocka_unit_test(every_code_has_a_line),
      cmocka_unit_test(inertia_that_is_lost_is_singular),
      cmocka_unit_test(contacts_that_depend_on_each_other_hold_by_one),
      cmocka_unit_test(a_huge_delta_t_keeps_what_is_pressed),
      cmocka_unit_test(a_start_below_the_ground_is_refused),
      cmocka_unit_test(what_slides_at_a_start_and_sticks_lands),
      cmocka_unit_test(friction_of_a_body_is_refused),
      cmocka_unit_test(what_slip_leaves_undetermined_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
