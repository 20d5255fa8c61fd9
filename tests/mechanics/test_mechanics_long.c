/*
 * A body that hops on two massless legs, driven for a hundred seconds: over a thousand landings of
 * limbs without mass. Its contacts do not drift.
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

enum { Z, PHI, FIRST, SECOND, CLOCK, COORDINATES }; /* lengths of its legs */
enum { CONSTRAINTS = 2, STATES = 2 * COORDINATES };

static const double mass = 2, turning = 0.05, gravity = 9.81, rest = 0.3, stroke = 0.06, rate = 75;
static const double ahead[CONSTRAINTS] = {0.15, -0.2};

static const mechanism_constraint constraints[] = {{.normal = 0}, {.normal = 1}};
static const size_t limbs[] = {MECHANISM_BODY, MECHANISM_BODY, 0, 1, MECHANISM_ALONE};

static void inertia(const double q[], double M[], void *params) {
  (void)q, (void)params;
  memset(M, 0, COORDINATES * COORDINATES * sizeof *M);
  M[Z * COORDINATES + Z] = mass;
  M[PHI * COORDINATES + PHI] = turning;
}

static void potential(const double q[], double N[], void *params) {
  (void)q, (void)params;
  memset(N, 0, COORDINATES * sizeof *N);
  N[Z] = mass * gravity;
}

/* lengths that are driven up and down; a free leg is drawn in by two centimetres */
static double wanted(const double q[]) {
  return rest + stroke * sin(rate * q[CLOCK]);
}

static void legs(const double q[], const double v[], contact_mode mode, double force[],
                 void *params) {
  (void)mode, (void)params;
  force[PHI] = -2 * q[PHI] - 0.5 * v[PHI];
  for (size_t k = 0; k < CONSTRAINTS; k++)
    force[FIRST + k] = 1000 * (wanted(q) - q[FIRST + k]) - 20 * v[FIRST + k];
}

static void free_legs(const double q[], const double v[], double acceleration[], void *params) {
  (void)params;
  for (size_t k = 0; k < CONSTRAINTS; k++)
    acceleration[FIRST + k] = 1e4 * (wanted(q) - 0.02 - q[FIRST + k]) - 200 * v[FIRST + k];
}

static void gaps(const double q[], double a[], void *params) {
  (void)params;
  for (size_t k = 0; k < CONSTRAINTS; k++) a[k] = q[Z] + ahead[k] * sin(q[PHI]) - q[FIRST + k];
}

static void rows(const double q[], double A[], void *params) {
  (void)params;
  memset(A, 0, CONSTRAINTS * COORDINATES * sizeof *A);
  for (size_t k = 0; k < CONSTRAINTS; k++) {
    A[k * COORDINATES + Z] = 1;
    A[k * COORDINATES + PHI] = ahead[k] * cos(q[PHI]);
    A[k * COORDINATES + FIRST + k] = -1;
  }
}

static const mechanism hopper = {.coordinates = COORDINATES,
                                 .constraints = CONSTRAINTS,
                                 .constraint = constraints,
                                 .limb = limbs,
                                 .inertia = inertia,
                                 .potential = potential,
                                 .applied = legs,
                                 .gaps = gaps,
                                 .rows = rows,
                                 .free_limbs = free_legs,
                                 .time_scale = 1e-3};

typedef struct watched {
  contact_system s;
  size_t landings;
  double gap, speed; /* the largest of active contacts, at ends of steps */
} watched;

static int watch_impact(const ess_impact *impact, void *context) {
  watched *const w = context;
  for (size_t i = 0; i < impact->count; i++) w->landings += impact->events[i] < CONSTRAINTS;
  return 0;
}

static int watch_step(const ess_step_info *step, void *context) {
  watched *const w = context;
  kkt *const at = w->s.c.elsewhere;
  kkt_at(at, step->x, step->x + COORDINATES);
  for (size_t k = 0; k < CONSTRAINTS; k++) {
    if (!(w->s.mode & CONTACT(k))) continue;
    w->speed = fmax(w->speed, fabs(at->speed[k]));
    w->gap = fmax(w->gap, fabs(at->a[k]));
  }
  return 0;
}

static void massless_legs_do_not_drift(void **state) {
  (void)state;
  for (double tolerance = 1e-6; tolerance > 1e-9; tolerance /= 100) {
    static watched w;
    memset(&w, 0, sizeof w);
    assert_null(contact_system_refused(&hopper, 0.03));
    assert_int_equal(contact_system_prepare(&w.s, &hopper, 0.03), 0);
    ess_options options = ess_options_default();
    options.rtol = options.atol = tolerance;
    options.observer = (ess_observer){.impact = watch_impact, .step = watch_step, .context = &w};
    ess_driver *const d = ess_driver_alloc(&w.s.system, &options, NULL);
    assert_non_null(d);
    double t = 0, x[STATES] = {[Z] = rest + 0.05, [PHI] = 0.02, [FIRST] = rest, [SECOND] = rest};
    x[COORDINATES + CLOCK] = 1;
    assert_null(mechanism_refused_at(&hopper, x));
    const int status = ess_driver_apply(d, &t, 100, x);
    if (status) fail_msg("%s at t = %g", ess_strerror(status), t);
    ess_driver_free(d);
    contact_system_release(&w.s);
    print_message("tolerance %.0e: %zu landings, gap %.1e, speed %.1e\n", tolerance, w.landings,
                  w.gap, w.speed);
    assert_true(w.landings >= 1000);
    assert_true(w.gap < 10 * tolerance && w.speed < 10 * tolerance);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(massless_legs_do_not_drift)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
