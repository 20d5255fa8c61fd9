/*
 * mj_step tends to a robot's trajectory as its step goes to 0, through touch-downs of every shape,
 * limits, friction and free rotation.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "robot_converge.h"
#include "robot_starts.h"

static void test_walker(void **state) {
  (void)state;
  const double x0[10] = {0.0, 0.0, 0.1, -0.1, 0.28, 0.3, 0.0, 0.5, 1.0, 2.0};
  converges("walker", FIXTURE_WALKER, x0, 3, 2e-5, 5e-3);
}

/* it spins: a rate of its quaternion in the wrong frame would show */
static void test_quad(void **state) {
  (void)state;
  const double x0[21] = {0.0,  0.0,  0.42, 0.98, 0.15, -0.1, 0.05, 0.0, 0.1,
                         -0.1, 0.05, 0.3,  0.0,  -0.5, 1.0,  -2.0, 1.5};
  double x[FIXTURE_STATES] = {0};
  memcpy(x, x0, sizeof x0);
  robot *r = fixture_robot(FIXTURE_QUAD);
  robot_normalise(r, x);
  robot_close(r);
  converges("quad", FIXTURE_QUAD, x, 3, 2e-5, 5e-3);
}

/* points that MuJoCo finds itself, and that may jump: our own error tells how much that costs */
static void drop(const char *name, const char *geoms, size_t touches, double least, double bound) {
  char text[2000];
  const double x0[13] = {0.0, 0.0, 0.28, 0.98, 0.17, 0.1, 0.0, 0.2, 0.0, -0.5, 1.0, 0.5, 0.2};
  double x[FIXTURE_STATES] = {0};
  memcpy(x, x0, sizeof x0);
  snprintf(text, sizeof text, "<mujoco><option cone='elliptic'/>%s</mujoco>", geoms);
  robot *r = fixture_robot(text);
  robot_normalise(r, x);
  robot_close(r);
  converges(name, text, x, touches, least, bound);
}

static void test_cylinder(void **state) {
  (void)state;
  drop("cylinder",
       "<worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 1'><freejoint/>"
       "<geom type='cylinder' size='.1 .2'/></body></worldbody>",
       3, 3e-5, 1e-3);
}

/* upright to rounding, where the distance by MuJoCo's own points has few digits left */
static void test_can_stands(void **state) {
  (void)state;
  const robot_start fall = {.height = 0.05, .tilt = 0.1, .seed = 1};
  char message[ROBOT_MESSAGE_SIZE];
  ess_options options = ess_options_default();
  options.rtol = options.atol = 1e-9;
  double x[FIXTURE_STATES], t = 0.0;
  robot *r = fixture_robot(
      "<mujoco><worldbody><geom type='plane' size='5 5 .1'/><body pos='0 0 .1'><freejoint/>"
      "<geom type='cylinder' size='.1 .1'/></body></worldbody></mujoco>");
  if (robot_start_state(r, &fall, x, message)) fail_msg("%s", message);
  ess_driver *d = ess_driver_alloc(robot_system(r), &options, NULL);
  const int status = ess_driver_apply(d, &t, 1.0, x);
  if (status) fail_msg("%s at %g s", ess_strerror(status), t);
  assert_true(hypot(x[4], x[5]) < 1e-7 && fabs(x[2] - 0.1) < 1e-3);
  ess_driver_free(d);
  robot_close(r);
}

static void test_mesh(void **state) {
  (void)state;
  drop("mesh",
       "<asset><mesh name='m' vertex='0 0 -.2 .2 0 .1 -.1 .2 .1 -.1 -.2 .1'/></asset>"
       "<worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 1'><freejoint/>"
       "<geom type='mesh' mesh='m'/></body></worldbody>",
       3, 3e-5, 5e-3);
}

/* faces that meet at an angle: MuJoCo's points have depths along one of their normals */
static void test_stone_on_table(void **state) {
  (void)state;
  drop("stone on a table",
       "<asset><mesh name='m' vertex='0 0 -.2 .2 0 .1 -.1 .2 .1 -.1 -.2 .1'/></asset>"
       "<worldbody><geom type='box' size='1 1 .1' pos='0 0 -.1'/><body pos='0 0 1'><freejoint/>"
       "<geom type='mesh' mesh='m'/></body></worldbody>",
       3, 2e-4, 5e-3);
}

static void test_boxes(void **state) {
  (void)state;
  drop("boxes",
       "<worldbody><geom type='box' size='1 1 .1' pos='0 0 -.1'/><body pos='0 0 1'>"
       "<freejoint/><geom type='box' size='.1 .15 .2'/></body></worldbody>",
       3, 1e-3, 2e-3);
}

static void test_ellipsoid(void **state) {
  (void)state;
  drop("ellipsoid",
       "<worldbody><geom type='box' size='1 1 .1' pos='0 0 -.1'/><body pos='0 0 1'>"
       "<freejoint/><geom type='ellipsoid' size='.1 .15 .2'/></body></worldbody>",
       1, 3e-5, 1e-3);
}

static void test_hills(void **state) {
  (void)state;
  drop("hills",
       "<asset><hfield name='h' nrow='3' ncol='3' size='1 1 .1 .1'/></asset>"
       "<worldbody><geom type='hfield' hfield='h'/><body pos='0 0 1'>"
       "<freejoint/><geom size='.2'/></body></worldbody>",
       3, 5e-5, 4e-4);
}

/* to x; those of its steps that locate no events, of all; by a robot of its own */
static ess_counters fall(ess_locate locate, ess_base base, double tolerance, double x[]) {
  const robot_start start = {.height = 0.05, .tilt = 0.1, .seed = 1};
  char message[ROBOT_MESSAGE_SIZE];
  ess_options options = ess_options_default();
  double t = 0.0;
  robot *const r = fixture_robot(FIXTURE_QUAD);
  if (robot_start_state(r, &start, x, message)) fail_msg("%s", message);
  options.rtol = options.atol = tolerance;
  options.base = base;
  options.locate = locate;
  ess_driver *const d = ess_driver_alloc(robot_system(r), &options, NULL);
  const int status = ess_driver_apply(d, &t, 0.5, x);
  if (status) fail_msg("%s at %g s: %s", ess_strerror(status), t, robot_failure(r));
  const ess_counters counters = *ess_driver_counters(d);
  ess_driver_free(d);
  robot_close(r);
  return counters;
}

/* stepped over or located, and both in turn, where the search for forces begins from either's */
static void test_stepped_over(void **state) {
  (void)state;
  enum { NUMBERS = 21 };
  static const ess_base bases[] = {ESS_BASE_DOPRI5, ESS_BASE_ROS2, ESS_BASE_LIT};
  double right[FIXTURE_STATES] = {0}, x[FIXTURE_STATES] = {0}, again[FIXTURE_STATES] = {0};
  fall(ESS_LOCATE_ALL, ESS_BASE_DOPRI5, 1e-8, right);
  for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
    for (int locate = ESS_LOCATE_ALL; locate <= ESS_LOCATE_CHOSEN; locate++) {
      const ess_counters c = fall((ess_locate)locate, bases[i], 1e-4, x);
      const double off = fixture_distance(x, right, NUMBERS);
      print_message("base %d, locate %d: off by %.2g; %d steps, %d over events\n", (int)bases[i],
                    locate, off, (int)c.steps, (int)c.unlocated);
      assert_true(off < 5e-3);
      if (locate == ESS_LOCATE_ALL) assert_int_equal(c.unlocated, 0);
      if (locate == ESS_LOCATE_NONE) assert_int_equal(c.unlocated, c.steps);
      if (locate == ESS_LOCATE_NONE) assert_int_equal(c.event_evaluations, 0);
      if (locate == ESS_LOCATE_CHOSEN) assert_true(c.unlocated > 0 && c.unlocated < c.steps);
      fall((ess_locate)locate, bases[i], 1e-4, again);
      assert_memory_equal(x, again, sizeof x);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cylinder),       cmocka_unit_test(test_can_stands),
      cmocka_unit_test(test_mesh),           cmocka_unit_test(test_boxes),
      cmocka_unit_test(test_stone_on_table), cmocka_unit_test(test_ellipsoid),
      cmocka_unit_test(test_hills),          cmocka_unit_test(test_walker),
      cmocka_unit_test(test_stepped_over),   cmocka_unit_test(test_quad)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
