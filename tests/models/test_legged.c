/*
 * The robot: laws that its equations of motion have to obey whatever their form, starts, refusals.
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

#include "legged.h"

enum { SIGNS = 200 };

static model robot_of(const char *const settings[][2]) {
  char message[MODEL_MESSAGE_SIZE];
  model m;
  model_init(&m, &legged_type);
  for (size_t i = 0; settings && settings[i][0]; i++)
    if (model_set_text(&m, settings[i][0], settings[i][1], message)) fail_msg("%s", message);
  if (model_prepare(&m, message)) fail_msg("%s", message);
  return m;
}

/* a state in the air that moves every way it can */
static void tumble(const model *m, double x[]) {
  const legged_parameters *p = legged_get(m);
  const size_t rates = LEGGED_HINGES + 2 * p->legs;
  m->type->initial_state(m, x);
  x[2] = 10.0;
  const double q[] = {0.5, -0.7, 0.1, 0.5};
  memcpy(x + LEGGED_QUATERNION, q, sizeof q);
  for (size_t i = 0; i < 2 * p->legs; i++) x[LEGGED_HINGES + i] += 0.3 * sin(1.0 + 2.0 * (double)i);
  for (size_t i = 0; i < LEGGED_BODY_RATES + 2 * p->legs; i++)
    x[rates + i] = 2.0 * cos(3.0 * (double)i);
}

/* Follows x for `duration` seconds in flight. */
static void fly(const model *m, double duration, double x[]) {
  ess_options options = ess_options_default();
  options.rtol = options.atol = 1e-11;
  int status;
  double t = 0.0;
  ess_driver *driver = ess_driver_alloc(&m->system, &options, &status);
  assert_int_equal(ess_driver_apply(driver, &t, duration, x), ESS_SUCCESS);
  ess_driver_free(driver);
}

/* turned by a quaternion of any length, body to world */
static void turn(const double q[4], const double v[3], double out[3]) {
  const double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  const double m[3][3] = {{q[0] * q[0] + q[1] * q[1] - q[2] * q[2] - q[3] * q[3],
                           2 * (q[1] * q[2] - q[0] * q[3]), 2 * (q[1] * q[3] + q[0] * q[2])},
                          {2 * (q[1] * q[2] + q[0] * q[3]),
                           q[0] * q[0] - q[1] * q[1] + q[2] * q[2] - q[3] * q[3],
                           2 * (q[2] * q[3] - q[0] * q[1])},
                          {2 * (q[1] * q[3] - q[0] * q[2]), 2 * (q[2] * q[3] + q[0] * q[1]),
                           q[0] * q[0] - q[1] * q[1] - q[2] * q[2] + q[3] * q[3]}};
  for (int i = 0; i < 3; i++) out[i] = (m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2]) / n;
}

static void cross(const double a[3], const double b[3], double out[3]) {
  for (int i = 0; i < 3; i++)
    out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* Momentum, angular momentum about the world's origin, and energy, by a sum over bodies in the
 * world's frame that knows nothing of the equations of motion. */
typedef struct conserved {
  double momentum[3], angular[3], energy;
} conserved;

static void add_body(conserved *c, double mass, double gravity, const double at[3],
                     const double velocity[3], const double spin[3], const double omega[3]) {
  double orbital[3];
  cross(at, velocity, orbital);
  for (int i = 0; i < 3; i++) {
    c->momentum[i] += mass * velocity[i];
    c->angular[i] += mass * orbital[i] + spin[i];
    c->energy += 0.5 * mass * velocity[i] * velocity[i] + 0.5 * spin[i] * omega[i];
  }
  c->energy += mass * gravity * at[2];
}

/* one link: in the body's frame its middle, the middle's velocity and its own turning against it */
static void add_link(conserved *c, const model *m, const double x[], int link, const double at[3],
                     const double rate[3], const double turning[3]) {
  const legged_parameters *p = legged_get(m);
  const double *q = x + LEGGED_QUATERNION, *v = x + LEGGED_HINGES + 2 * p->legs;
  double swept[3], inside[3], moving[3], place[3], velocity[3], omega[3], spin[3];
  cross(v + 3, at, swept);
  for (int i = 0; i < 3; i++) inside[i] = swept[i] + rate[i];
  turn(q, inside, moving);
  turn(q, at, place);
  for (int i = 0; i < 3; i++) {
    place[i] += x[i];
    velocity[i] = v[i] + moving[i];
    inside[i] = v[3 + i] + turning[i];
  }
  turn(q, inside, omega);
  for (int i = 0; i < 3; i++) spin[i] = p->link_inertia[link] * omega[i];
  add_body(c, p->link_mass[link], p->gravity, place, velocity, spin, omega);
}

static void add_leg(conserved *c, const model *m, const double x[], size_t leg) {
  const legged_parameters *p = legged_get(m);
  const double *hinge = x + LEGGED_HINGES + 2 * leg;
  const double *bend = x + LEGGED_HINGES + 2 * p->legs + LEGGED_BODY_RATES + 2 * leg;
  const double phi = legged_angle(p, leg), total[] = {hinge[0], hinge[0] + hinge[1]};
  const double rate[] = {bend[0], bend[0] + bend[1]};
  double r = p->body_radius, z = 0.0, r_rate = 0.0, z_rate = 0.0;
  for (int link = 0; link < 2; link++) {
    // half a link to its middle, and half a one to its end
    for (int half = 0; half < 2; half++) {
      const double length = 0.5 * p->link_length[link];
      r -= length * sin(total[link]);
      z -= length * cos(total[link]);
      r_rate -= length * cos(total[link]) * rate[link];
      z_rate += length * sin(total[link]) * rate[link];
      if (half) continue;
      add_link(c, m, x, link, (double[]){r * cos(phi), r * sin(phi), z},
               (double[]){r_rate * cos(phi), r_rate * sin(phi), z_rate},
               (double[]){-rate[link] * sin(phi), rate[link] * cos(phi), 0.0});
    }
    c->energy += 0.5 * p->joint_stiffness * pow(hinge[link] - p->rest[link], 2);
  }
}

static conserved conserved_of(const model *m, const double x[]) {
  const legged_parameters *p = legged_get(m);
  const double *v = x + LEGGED_HINGES + 2 * p->legs;
  conserved c = {0};
  double spin[3], world_spin[3], omega[3];
  for (int i = 0; i < 3; i++) spin[i] = p->body_inertia[i] * v[3 + i];
  turn(x + LEGGED_QUATERNION, spin, world_spin);
  turn(x + LEGGED_QUATERNION, v + 3, omega);
  add_body(&c, p->body_mass, p->gravity, x, v, world_spin, omega);
  for (size_t i = 0; i < p->legs; i++) add_leg(&c, m, x, i);
  return c;
}

/* In free flight without gravity and dampers momenta and energy stay; with gravity energy does. */
static void test_what_flight_conserves(void **state) {
  (void)state;
  static const char *const legs[] = {"2", "3", "5", "100"};
  for (size_t i = 0; i < 8; i++) {
    const bool heavy = i % 2;
    const char *const settings[][2] = {
        {"contacts", legs[i / 2]}, {"joint-damping", "0"}, {"gravity", heavy ? "9.81" : "0"}, {0}};
    model m = robot_of(settings);
    double x[MODEL_DIMENSION_MAX];
    tumble(&m, x);
    const conserved before = conserved_of(&m, x);
    fly(&m, 0.5, x);
    const conserved after = conserved_of(&m, x);
    assert_true(before.energy > 1.0);
    if (!(fabs(after.energy - before.energy) < 1e-8 * before.energy))
      fail_msg("%s legs: energy %.12g after %.12g", legs[i / 2], after.energy, before.energy);
    for (int j = 0; j < 3 && !heavy; j++) {
      assert_true(fabs(after.momentum[j] - before.momentum[j]) < 1e-8);
      assert_true(fabs(after.angular[j] - before.angular[j]) < 1e-8);
    }
    model_release(&m);
  }
}

/* On undamped springs energy stays through touch-downs, the feet's springs' own included; dampers
 * take it. */
static void test_energy_on_the_floor(void **state) {
  (void)state;
  for (int damped = 0; damped < 2; damped++) {
    const char *const settings[][2] = {{"contacts", "6"},
                                       {"joint-damping", damped ? "6" : "0"},
                                       {"damping", damped ? "100" : "0"},
                                       {0}};
    model m = robot_of(settings);
    const legged_parameters *p = legged_get(&m);
    double x[MODEL_DIMENSION_MAX], h[SIGNS];
    m.type->initial_state(&m, x);
    double before = conserved_of(&m, x).energy, after;
    fly(&m, 0.14, x);
    assert_int_equal(m.system.event_functions(0.0, x, h, m.system.params), 0);
    after = conserved_of(&m, x).energy;
    size_t pressed = 0;
    for (size_t i = 0; i < p->legs; i++) {
      after += h[i] > 0.0 ? 0.5 * p->stiffness * h[i] * h[i] : 0.0;
      pressed += h[i] > 0.0;
    }
    assert_true(pressed > 0);
    if (damped)
      assert_true(after < before - 0.1);
    else
      assert_true(fabs(after - before) < 1e-7);
    model_release(&m);
  }
}

/* the field does not know how long the quaternion is */
static void test_quaternions_of_any_length(void **state) {
  (void)state;
  model m = robot_of(NULL);
  double x[MODEL_DIMENSION_MAX], sign[SIGNS], one[MODEL_DIMENSION_MAX], two[MODEL_DIMENSION_MAX];
  for (size_t k = 0; k < m.system.event_count; k++) sign[k] = 1.0;
  tumble(&m, x);
  assert_int_equal(m.system.field(0.0, x, sign, one, m.system.params), 0);
  for (size_t i = 0; i < 4; i++) x[LEGGED_QUATERNION + i] *= 3.0;
  assert_int_equal(m.system.field(0.0, x, sign, two, m.system.params), 0);
  for (size_t i = 0; i < m.system.dimension; i++) {
    const bool turning = i >= LEGGED_QUATERNION && i < LEGGED_HINGES;
    const double wanted = turning ? 3.0 * one[i] : one[i];
    assert_true(fabs(two[i] - wanted) < 1e-9 * (1.0 + fabs(wanted)));
  }
  model_release(&m);
}

static void test_names_and_refusals(void **state) {
  (void)state;
  char message[MODEL_MESSAGE_SIZE];
  const char *const settings[][2] = {{"contacts", "100"}, {0}};
  model m = robot_of(settings);
  assert_int_equal(m.system.dimension, 413);
  assert_string_equal(model_state_name(&m, 3), "qw");
  assert_string_equal(model_state_name(&m, 7), "hip0");
  assert_string_equal(model_state_name(&m, 206), "knee99");
  assert_string_equal(model_state_name(&m, 207), "vx");
  assert_string_equal(model_state_name(&m, 412), "knee_rate99");
  assert_int_equal(model_set_text(&m, "contacts", "101", message), -1);
  assert_string_equal(message, "contacts: 101 is not accepted; it is a whole number from 2 to 100");
  model_release(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_flight_conserves),
      cmocka_unit_test(test_energy_on_the_floor),
      cmocka_unit_test(test_quaternions_of_any_length),
      cmocka_unit_test(test_names_and_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
