/*
 * mj_step tends to a robot's trajectory as its step goes to 0, through touch-downs, limits,
 * friction and free rotation, whichever integrator it has.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "robot_fixture.h"

#include <mujoco/mujoco.h>

#include "robot_starts.h"

enum { SAMPLES = 201 };
static const double dt = 0.002;

typedef double path[SAMPLES][FIXTURE_STATES];

static double rms(const path a, const path b, size_t n) {
  double sum = 0.0;
  for (int i = 0; i < SAMPLES; ++i) sum += pow(fixture_distance(a[i], b[i], n), 2.0);
  return sqrt(sum / (double)(SAMPLES * n));
}

static void run_ours(robot *r, const double x0[], double tolerance, path out, size_t *crossings) {
  const size_t n = robot_size(r).dimension;
  ess_options options = ess_options_default();
  options.rtol = options.atol = tolerance;
  ess_driver *d = ess_driver_alloc(robot_system(r), &options, NULL);
  double x[FIXTURE_STATES], t = 0.0, times[SAMPLES], *states = test_calloc(SAMPLES * n, sizeof *x);
  memcpy(x, x0, n * sizeof *x);
  for (int i = 0; i < SAMPLES; ++i) times[i] = i * dt;
  const int status = ess_driver_sample(d, &t, times[SAMPLES - 1], x, times, SAMPLES, states);
  if (status) fail_msg("%s at %g: %s", ess_strerror(status), t, robot_failure(r));
  for (int i = 0; i < SAMPLES; ++i) {
    robot_normalise(r, states + (size_t)i * n);
    memcpy(out[i], states + (size_t)i * n, n * sizeof *x);
  }
  *crossings = ess_driver_counters(d)->crossings;
  ess_driver_free(d);
  test_free(states);
}

static void run_its(mjModel *m, const double x0[], int integrator, int substeps, path out) {
  m->opt.integrator = integrator;
  m->opt.timestep = dt / substeps;
  mjData *d = mj_makeData(m);
  memcpy(d->qpos, x0, (size_t)m->nq * sizeof *x0);
  memcpy(d->qvel, x0 + m->nq, (size_t)m->nv * sizeof *x0);
  for (int i = 0; i < SAMPLES; ++i) {
    memcpy(out[i], d->qpos, (size_t)m->nq * sizeof *x0);
    memcpy(out[i] + m->nq, d->qvel, (size_t)m->nv * sizeof *x0);
    for (int k = 0; k < substeps; ++k) mj_step(m, d);
  }
  mj_deleteData(d);
}

static mjModel *compiled(const char *text) {
  char error[1000];
  mjVFS *files = test_calloc(1, sizeof *files);
  mj_defaultVFS(files);
  assert_int_equal(mj_addBufferVFS(files, "r.xml", text, (int)strlen(text)), 0);
  mjModel *m = mj_loadXML("r.xml", files, error, sizeof error);
  mj_deleteVFS(files);
  test_free(files);
  if (!m) fail_msg("%s", error);
  return m;
}

/* errors at steps of 1, 1/4 and 1/16 ms fall to half and within `bound` */
static void converges(const char *name, const char *text, const double x0[], size_t touches,
                      double least, double bound) {
  static path exact, coarser, its;
  const int integrators[] = {mjINT_EULER, mjINT_RK4, mjINT_IMPLICITFAST};
  const char *const names[] = {"Euler", "RK4", "implicitfast"};
  robot *r = fixture_robot(text);
  mjModel *m = compiled(text);
  const size_t n = robot_size(r).dimension;
  size_t crossings, others;
  run_ours(r, x0, 1e-8, exact, &crossings);
  run_ours(r, x0, 1e-6, coarser, &others);
  const double own = rms(exact, coarser, n);
  print_message("%s: %zu crossings, own error %.1e\n", name, crossings, own);
  assert_true(crossings >= touches && own < least);
  for (int k = 0; k < 3; ++k) {
    double error[3];
    for (int i = 0, substeps = 2; i < 3; ++i, substeps *= 4) {
      run_its(m, x0, integrators[k], substeps, its);
      error[i] = rms(exact, its, n);
    }
    print_message("%s, %s: %.1e %.1e %.1e\n", name, names[k], error[0], error[1], error[2]);
    assert_true(error[2] < 0.5 * error[0]);
    assert_true(error[2] < bound);
  }
  mj_deleteModel(m);
  robot_close(r);
}

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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cylinder),  cmocka_unit_test(test_can_stands),
      cmocka_unit_test(test_mesh),      cmocka_unit_test(test_boxes),
      cmocka_unit_test(test_ellipsoid), cmocka_unit_test(test_hills),
      cmocka_unit_test(test_walker),    cmocka_unit_test(test_quad)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
