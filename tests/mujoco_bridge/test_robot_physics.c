/*
 * Energy, penetration and creep of trajectories for which they are known in closed form.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "robot_physics.h"

#include "robot_fixture.h"
#include "solver.h"

#define FLOOR "<geom name='floor' type='plane' size='5 5 .1'/>"
#define BALL                                                                                       \
  "<mujoco><worldbody>" FLOOR "<body name='ball' pos='0 0 .1'><freejoint/>"                        \
  "<geom name='ball' size='.1' mass='2'/></body></worldbody></mujoco>"
#define BOX_OF(option, more)                                                                       \
  "<mujoco><option " option "/><worldbody>" FLOOR "<body name='box' pos='0 0 .1'><freejoint/>"     \
  "<geom name='box' type='box' size='.1 .1 .1' mass='2' " more "/></body></worldbody></mujoco>"
#define BOX      BOX_OF("", "")
#define ELLIPTIC BOX_OF("cone='elliptic'", "")
#define ROLLING  BOX_OF("cone='elliptic'", "condim='6'")

enum { DIMENSION = 13, OUTPUTS = 51 };
static const double dt = 0.002;

/* states of a free body at height z(t), which moves along x and falls */
static robot_physics physics_of(const char *text, double z, double fall, double along,
                                const bool counts[]) {
  static double states[OUTPUTS * DIMENSION];
  char message[ROBOT_MESSAGE_SIZE];
  robot_controls controls;
  robot_physics out;
  robot *const r = fixture_robot(text);
  memset(states, 0, sizeof states);
  for (size_t i = 0; i < OUTPUTS; ++i) {
    double *const x = states + i * DIMENSION, t = (double)i * dt;
    x[0] = along * t;
    x[2] = z - fall * t;
    x[3] = 1.0;
    x[7] = along;
    x[9] = -fall;
  }
  if (robot_controls_read(r, NULL, 1.0, &controls, message)) fail_msg("%s", message);
  if (robot_physics_of(r, &controls, states, counts, OUTPUTS, dt, &out, message))
    fail_msg("%s", message);
  robot_controls_free(&controls);
  robot_close(r);
  return out;
}

/* a constant velocity: m g times the way */
static void test_energy(void **state) {
  (void)state;
  const double way = 3.0 * dt * (OUTPUTS - 1);
  assert_true(fabs(physics_of(BALL, 1.0, 3.0, 0.0, NULL).energy + 2.0 * 9.81 * way) < 1e-9);
  // up to the last output that counts
  bool counts[OUTPUTS] = {false};
  counts[10] = true;
  assert_true(fabs(physics_of(BALL, 1.0, 3.0, 0.0, counts).energy + 2.0 * 9.81 * 30.0 * dt) < 1e-9);
}

static void test_penetration(void **state) {
  (void)state;
  assert_true(physics_of(BALL, 1.0, 0.0, 0.0, NULL).penetration == 0.0);
  // the last of the states is the deepest
  const double depth = 0.001 + 0.5 * dt * (OUTPUTS - 1);
  assert_true(fabs(physics_of(BALL, 0.099, 0.5, 0.0, NULL).penetration - depth) < 1e-9);
}

/* a box whose friction holds it, however slowly it creeps; and one that slides */
static void test_creep(void **state) {
  (void)state;
  const double way = 1e-3 * dt * (OUTPUTS - 1);
  static const char *const boxes[] = {BOX, ELLIPTIC, ROLLING};
  for (size_t i = 0; i < sizeof boxes / sizeof *boxes; ++i) {
    const double creep = physics_of(boxes[i], 0.099, 0.0, 1e-3, NULL).creep;
    if (fabs(creep - way) > 1e-9) fail_msg("box %zu: creep of %g, not %g", i, creep, way);
    assert_true(physics_of(boxes[i], 0.099, 0.0, 5.0, NULL).creep == 0.0);
  }
  assert_true(physics_of(BOX, 0.2, 0.0, 1e-3, NULL).creep == 0.0);
}

static void test_grazing(void **state) {
  (void)state;
  assert_string_equal(physics_of(BALL, 0.1, 0.0, 1.0, NULL).grazing, "floor,ball");
  assert_string_equal(physics_of(BALL, 0.0999, 0.0, 1.0, NULL).grazing, "");
  assert_string_equal(physics_of(BALL, 0.2, 0.0, 1.0, NULL).grazing, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_energy),
                                     cmocka_unit_test(test_penetration),
                                     cmocka_unit_test(test_creep), cmocka_unit_test(test_grazing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
