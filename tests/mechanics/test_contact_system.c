/*
 * A mechanism that the room has not seen, by libess: a ladder slides down a wall without friction.
 * It leaves the wall when its top has fallen to two thirds of its height, and lands flat.
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

enum { X, Z, PHI, COORDINATES };
enum { WALL, FLOOR, TOP, CONSTRAINTS };
enum { STATES = 2 * COORDINATES, INSTANTS = 20 };

static const double mass = 3, half = 0.7, gravity = 9.81, first_angle = 1.2;

static void inertia(const double q[], double M[], void *params) {
  (void)q, (void)params;
  memset(M, 0, COORDINATES * COORDINATES * sizeof *M);
  M[0] = M[4] = mass;
  M[8] = mass * half * half / 3;
}

static void potential(const double q[], double N[], void *params) {
  (void)q, (void)params;
  N[X] = N[PHI] = 0;
  N[Z] = mass * gravity;
}

static void gaps(const double q[], double a[], void *params) {
  (void)params;
  a[WALL] = q[X] - half * cos(q[PHI]);
  a[FLOOR] = q[Z] - half * sin(q[PHI]);
  a[TOP] = q[Z] + half * sin(q[PHI]);
}

static void rows(const double q[], double A[], void *params) {
  (void)params;
  const double of[CONSTRAINTS][COORDINATES] = {
      {1, 0, half * sin(q[PHI])}, {0, 1, -half * cos(q[PHI])}, {0, 1, half * cos(q[PHI])}};
  memcpy(A, of, sizeof of);
}

static const mechanism_constraint constraints[] = {
    {.normal = WALL}, {.normal = FLOOR}, {.normal = TOP}};

static const mechanism ladder = {.coordinates = COORDINATES,
                                 .constraints = CONSTRAINTS,
                                 .constraint = constraints,
                                 .inertia = inertia,
                                 .potential = potential,
                                 .gaps = gaps,
                                 .rows = rows};

static double energy(const double x[]) {
  const double v = x[COORDINATES + X], w = x[COORDINATES + Z], turn = x[COORDINATES + PHI];
  return mass * (gravity * x[Z] + 0.5 * (v * v + w * w + half * half / 3 * turn * turn));
}

typedef struct watched {
  contact_system s;
  size_t count;
  double t[INSTANTS], angle[INSTANTS];
  contact_mode after[INSTANTS];
  double lowest, energy_error, start_energy;
  bool has_landed;
} watched;

static int watch_impact(const ess_impact *impact, void *context) {
  watched *const w = context;
  contact_transition made;
  assert_true(w->count < INSTANTS);
  assert_int_equal(contact_system_replay(&w->s, impact, &made), 0);
  w->t[w->count] = impact->t;
  w->angle[w->count] = impact->x[PHI];
  w->after[w->count++] = made.after;
  w->has_landed = w->has_landed || made.landed;
  assert_true(energy(impact->after) <= energy(impact->x) + 1e-9);
  return 0;
}

static int watch_step(const ess_step_info *info, void *context) {
  watched *const w = context;
  double a[CONSTRAINTS];
  gaps(info->x, a, NULL);
  for (size_t k = 0; k < CONSTRAINTS; k++) w->lowest = fmin(w->lowest, a[k]);
  if (!w->has_landed)
    w->energy_error = fmax(w->energy_error, fabs(energy(info->x) - w->start_energy));
  return 0;
}

static void slide(watched *w, double t1, double x[STATES]) {
  memset(w, 0, sizeof *w);
  assert_int_equal(contact_system_prepare(&w->s, &ladder, 0.03), 0);
  ess_options options = ess_options_default();
  options.observer = (ess_observer){.impact = watch_impact, .step = watch_step, .context = w};
  ess_driver *const d = ess_driver_alloc(&w->s.system, &options, NULL);
  assert_non_null(d);
  const double start[STATES] = {half * cos(first_angle), half * sin(first_angle), first_angle};
  memcpy(x, start, sizeof start);
  w->start_energy = energy(x);
  contact_mode mode;
  assert_int_equal(contact_system_start(&w->s, x, &mode), 0);
  assert_int_equal(mode, CONTACT(WALL) | CONTACT(FLOOR));
  double t = 0;
  assert_int_equal(ess_driver_apply(d, &t, t1, x), ESS_SUCCESS);
  ess_driver_free(d);
}

static void a_ladder_leaves_the_wall_at_two_thirds(void **state) {
  (void)state;
  static watched w;
  double x[STATES];
  slide(&w, 3, x);
  assert_int_equal(w.count, 2);
  assert_int_equal(w.after[0], CONTACT(FLOOR));
  assert_true(fabs(sin(w.angle[0]) - 2.0 / 3.0 * sin(first_angle)) < 1e-7);
  assert_int_equal(w.after[1], CONTACT(FLOOR) | CONTACT(TOP));
  assert_true(fabs(w.angle[1]) < 1e-7);
  assert_true(fabs(x[Z]) < 1e-8 && fabs(x[COORDINATES + PHI]) < 1e-8);
  print_message("energy %.1e, lowest gap %.1e\n", w.energy_error, w.lowest);
  assert_true(w.energy_error < 1e-6 && w.lowest > -1e-7);

  // in flight from the wall its speed along the floor stays
  assert_true(x[COORDINATES + X] > 0.5);
  contact_system_release(&w.s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ladder_leaves_the_wall_at_two_thirds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
