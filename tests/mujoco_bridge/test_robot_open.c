/*
 * What is opened, what is refused in one line, what the survey says; clones in threads of their
 * own.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "robot_distance.h"
#include "robot_fixture.h"
#include "robot_instance.h"

#include <float.h>
#include <pthread.h>

#include "robot_cost.h"
#include "solver.h"

static void expect_refusal(const char *file, const char *text, int expected, const char *words) {
  char message[ROBOT_MESSAGE_SIZE] = "";
  robot *r = NULL;
  const int status = robot_open(file, text, NULL, &r, message);
  assert_null(r);
  assert_null(strchr(message, '\n'));
  if (!strstr(message, words)) fail_msg("\"%s\" lacks \"%s\"", message, words);
  assert_int_equal(status, expected);
}

#define BODY(rest)                                                                                 \
  "<mujoco><worldbody><body><freejoint/><geom name='g' size='.1'/></body></worldbody>" rest        \
  "</mujoco>"

static void test_refusals(void **state) {
  (void)state;
  expect_refusal(NULL, NULL, SOLVER_REFUSED, "no file");
  expect_refusal("no/such/file.xml", NULL, SOLVER_FAILED,
                 "no/such/file.xml cannot be read: No such file");
  expect_refusal("/", NULL, SOLVER_FAILED, "is a folder, not a model file");
  expect_refusal("no/such/file.mjb", NULL, SOLVER_FAILED,
                 "no/such/file.mjb cannot be read: No such file");
  expect_refusal(NULL, "", SOLVER_FAILED, "empty");
  expect_refusal(NULL, "no xml", SOLVER_FAILED, "does not compile");
  expect_refusal(NULL, "<mujoco><worldbody/></mujoco>", SOLVER_FAILED, "nothing in it moves");
  FILE *const still = fopen("robot_open_still.xml", "w");
  assert_non_null(still);
  fputs("<mujoco><worldbody/></mujoco>", still);
  fclose(still);
  expect_refusal("robot_open_still.xml", NULL, SOLVER_FAILED,
                 "robot_open_still.xml is not accepted: nothing in it moves");
  remove("robot_open_still.xml");
  FILE *const nothing = fopen("robot_open_nothing.mjb", "w");
  assert_non_null(nothing);
  fclose(nothing);
  expect_refusal("robot_open_nothing.mjb", NULL, SOLVER_FAILED,
                 "robot_open_nothing.mjb does not compile: it is empty");
  remove("robot_open_nothing.mjb");
  expect_refusal(NULL, BODY("<actuator><adhesion body='body' ctrlrange='0 1'/></actuator>"),
                 SOLVER_FAILED, "does not compile");
  expect_refusal(NULL,
                 "<mujoco><worldbody><body name='b'><freejoint/><geom size='.1'/></body>"
                 "</worldbody><actuator><adhesion name='glue' body='b' ctrlrange='0 1'/></actuator>"
                 "</mujoco>",
                 SOLVER_FAILED, "actuator glue acts on whatever touches");
  expect_refusal(NULL,
                 "<mujoco><worldbody><body><joint name='j'/><geom size='.1'/></body></worldbody>"
                 "<actuator><general name='a' joint='j' dyntype='user'/></actuator></mujoco>",
                 SOLVER_FAILED, "actuator a is of type user");
}

/* more geoms than pairs can be watched of */
static void test_many(void **state) {
  (void)state;
  enum { BODIES = 1000, LINE = 100 };
  char *text = test_calloc(BODIES + 2, LINE);
  size_t length = (size_t)snprintf(text, LINE, "<mujoco><worldbody>");
  for (int i = 0; i < BODIES; ++i)
    length += (size_t)snprintf(text + length, LINE,
                               "<body pos='%d 0 0'><freejoint/><geom size='.1'/></body>", i);
  snprintf(text + length, LINE, "</worldbody></mujoco>");
  expect_refusal(NULL, text, SOLVER_FAILED, "more than 20000 pairs");
  test_free(text);
}

/* with MuJoCo's override every pair has the option's margin, and is listed however far it is */
static void test_override(void **state) {
  (void)state;
  robot *r = fixture_robot(
      "<mujoco><option o_margin='.02'><flag override='enable'/></option><worldbody>"
      "<geom name='floor' type='plane' size='5 5 .1'/>"
      "<body pos='0 0 5'><freejoint/><geom name='high' size='.1' margin='.3'/></body>"
      "<body pos='0 0 .1'><freejoint/><geom name='low' size='.1'/></body></worldbody></mujoco>");
  const ess_system *s = robot_system(r);
  double x[FIXTURE_STATES], h[FIXTURE_EVENTS];
  assert_int_equal(s->event_count, 3);
  robot_reset_state(r, x);
  assert_int_equal(s->event_functions(0.0, x, h, s->params), 0);
  for (size_t k = 0; k < s->event_count; ++k) {
    const char *name = robot_event_name(r, k);
    const double distance = strcmp(name, "floor - low") == 0    ? 0.0
                            : strcmp(name, "floor - high") == 0 ? 4.9
                                                                : 4.7;
    assert_true(fabs(h[k] - (0.02 - distance)) < 1e-12);
  }
  robot_close(r);
}

static const robot_finding *find(const robot *r, const char *kind, const char *name) {
  for (size_t i = 0; i < robot_finding_count(r); ++i) {
    const robot_finding *f = &robot_findings(r)[i];
    if (strcmp(f->kind, kind) == 0 && strcmp(f->name, name) == 0) return f;
  }
  fail_msg("there is no %s of %s", kind, name);
  return NULL;
}

static void test_survey(void **state) {
  (void)state;
  robot *r = fixture_robot(FIXTURE_ZOO("pyramidal", "auto"));
  const robot_sizes s = robot_size(r);
  assert_int_equal(s.nq, 21);
  assert_int_equal(s.nv, 18);
  assert_int_equal(s.na, 1);
  assert_int_equal(s.nu, 3);
  assert_int_equal(s.bodies, 7);
  assert_int_equal(s.dimension, 40);
  assert_string_equal(s.integrator, "Euler");
  const robot_finding *shin = find(r, "contact", "floor - shin");
  assert_int_equal(shin->treatment, ROBOT_GUARDED);
  assert_int_equal(shin->events, 2);
  assert_string_equal(robot_event_name(r, shin->first_event + 1), "floor - shin, end 2");
  assert_true(robot_event_is_contact(r, shin->first_event));
  assert_int_equal(find(r, "contact", "floor - box")->events, 8);
  assert_int_equal(find(r, "contact", "sphere - rod")->events, 1);
  assert_int_equal(find(r, "contact", "rod - post")->treatment, ROBOT_FOLLOWED);
  assert_int_equal(find(r, "joint limit", "ball")->events, 1);
  assert_int_equal(find(r, "joint limit", "hip")->events, 2);
  assert_int_equal(find(r, "tendon limit", "cord")->events, 2);
  const robot_finding *hip = find(r, "joint limit", "hip");
  assert_string_equal(robot_event_name(r, hip->first_event), "hip lower");
  assert_false(robot_event_is_contact(r, hip->first_event));
  find(r, "equality", "1 constraints");
  robot_close(r);
}

/* what switches in tendons, and where two capsules are parallel */
static void test_kinks(void **state) {
  (void)state;
  robot *r = fixture_robot(
      "<mujoco><option><flag sleep='enable'/></option><worldbody><site name='s' pos='0 0 1'/>"
      "<geom name='peg' size='.1' pos='.1 0 .7' contype='0' conaffinity='0'/>"
      "<geom name='bar' type='capsule' size='.05' fromto='-1 0 0 1 0 0'/>"
      "<body pos='0 0 .5'><joint axis='0 1 0'/>"
      "<geom name='rod' type='capsule' size='.03' fromto='0 0 0 .3 0 0'/><site name='e'/>"
      "</body></worldbody><tendon><spatial name='cord' stiffness='9' springlength='0 .4'"
      " actuatorfrclimited='true' actuatorfrcrange='-1 1'>"
      "<site site='s'/><geom geom='peg'/><site site='e'/></spatial></tendon></mujoco>");
  static const struct {
    const char *kind, *name;
  } kinks[] = {{"parallel", "1 pairs"},
               {"wrapping", "1 geoms"},
               {"slack", "1 tendons"},
               {"force limit", "1 tendons"}};
  for (size_t i = 0; i < sizeof kinks / sizeof *kinks; ++i)
    assert_int_equal(find(r, kinks[i].kind, kinks[i].name)->treatment, ROBOT_KINK);
  // mj_step puts to sleep what the field moves on
  assert_int_equal(find(r, "sleep", "")->treatment, ROBOT_SMOOTH);
  robot_close(r);
}

/* an L on the floor: MuJoCo collides its hull, and the survey says so */
static void test_hull(void **state) {
  (void)state;
  robot *r = fixture_robot(
      "<mujoco><asset><mesh name='stone' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/>"
      "<mesh name='ell' vertex='"
      "0 0 0 0.2 0 0 0.2 0.1 0 0.1 0.1 0 0.1 0.2 0 0 0.2 0 0 0 0.1 0.2 0 0.1 0.2 0.1 "
      "0.1 0.1 0.1 0.1 0.1 0.2 0.1 0 0.2 0.1 "
      "' face='"
      "0 2 1 0 3 2 0 5 3 3 5 4 6 7 8 6 8 9 6 9 11 9 10 11 0 1 7 0 7 6 1 2 8 1 8 7 2 3 "
      "9 2 9 8 3 4 10 3 10 9 4 5 11 4 11 10 5 0 6 5 6 11 "
      "'/></asset><worldbody><geom type='plane' size='5 5 .1'/>"
      "<body pos='0 0 1'><freejoint/><geom type='mesh' mesh='ell'/></body>"
      "<body pos='0 0 3'><freejoint/><geom type='mesh' mesh='stone'/></body>"
      "</worldbody></mujoco>");
  const robot_finding *const f = find(r, "mesh", "ell");
  assert_int_equal(f->treatment, ROBOT_SMOOTH);
  assert_non_null(strstr(f->why, "hull"));
  size_t meshes = 0;
  for (size_t i = 0; i < robot_finding_count(r); ++i)
    meshes += strcmp(robot_findings(r)[i].kind, "mesh") == 0;
  assert_int_equal(meshes, 1);
  robot_close(r);
}

/* what falls onto something without a rule ends a twin's run there, by name */
static void check_watch(const char *text, double height, const char *words) {
  const robot_options twin = {.stiffness = 5000.0, .damping = 40.0};
  char message[ROBOT_MESSAGE_SIZE];
  robot *r = NULL;
  if (robot_open(NULL, text, &twin, &r, message)) fail_msg("%s", message);
  ess_options options = ess_options_default();
  ess_driver *d = ess_driver_alloc(robot_system(r), &options, NULL);
  double x[FIXTURE_STATES], t = 0.0;
  robot_reset_state(r, x);
  const int status = ess_driver_apply(d, &t, 1.0, x);
  if (status != ESS_ECALLBACK || !(fabs(x[2] - height) < 1e-6))
    fail_msg("%s: %s at %g m", words, ess_strerror(status), x[2]);
  if (!strstr(robot_failure(r), words)) fail_msg("%s", robot_failure(r));
  x[2] += 4.0 * DBL_EPSILON; // on the surface but for rounding, on either side of it
  assert_null(robot_refused_contact(r, x));
  x[2] -= 1e-3;
  assert_int_equal(robot_refused_contact(r, x)->treatment, ROBOT_REFUSED);
  ess_driver_free(d);
  robot_close(r);
}

static void test_watch(void **state) {
  (void)state;
  check_watch("<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
              "<body pos='0 0 1'><freejoint/><geom name='can' type='cylinder' size='.1 .2'/></body>"
              "</worldbody></mujoco>",
              0.2, "floor - can touch: --twin needs event functions");
  check_watch("<mujoco><asset><hfield name='h' nrow='3' ncol='3' size='1 1 .1 .1'/></asset>"
              "<worldbody><geom name='hills' type='hfield' hfield='h'/><body pos='.3 .2 1'>"
              "<freejoint/><geom name='ball' size='.1'/></body></worldbody></mujoco>",
              0.1, "hills - ball touch: --twin needs event functions");
  check_watch("<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody>"
              "<geom name='floor' type='plane' size='1 1 1'/><body pos='0 0 1'><freejoint/>"
              "<geom name='stone' type='mesh' mesh='m'/></body></worldbody></mujoco>",
              0.0, "floor - stone touch: --twin needs event functions");
}

/* a distance that no motion changes has no event, though it is zero but for rounding */
static void test_fixed(void **state) {
  (void)state;
  robot *r = fixture_robot(
      "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .1'>"
      "<joint type='slide' axis='1 0 0'/><joint axis='0 0 1'/><geom pos='.3 0 0' size='.1'/></body>"
      "</worldbody></mujoco>");
  ess_options options = ess_options_default();
  ess_driver *d = ess_driver_alloc(robot_system(r), &options, NULL);
  double x[4] = {0.0, 0.1, 1.0, 7.0}, t = 0.0;
  assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
  assert_int_equal(ess_driver_counters(d)->crossings, 0);
  ess_driver_free(d);
  robot_close(r);
}

/* the parts of a field's time are its own */
static void test_cost(void **state) {
  (void)state;
  enum { STATES = 50 };
  robot *r = fixture_robot(FIXTURE_WALKER);
  const size_t n = robot_size(r).dimension;
  double x[FIXTURE_STATES], states[STATES * FIXTURE_STATES];
  robot_cost c;
  robot_reset_state(r, x);
  x[1] = -0.15;
  assert_int_equal(robot_cost_states(r, x, 0.002, STATES, states), 0);
  assert_memory_equal(states, x, n * sizeof *x);
  assert_true(states[(STATES - 1) * n + 1] != x[1]);
  assert_int_equal(robot_cost_at(r, states, STATES, 3, &c), 0);
  const double sum = c.kinematics + c.inertia + c.rows + c.forces;
  assert_true(fabs(sum - c.field) <= 1e-9 * c.field);
  assert_true(c.field > 0.0 && c.kinematics > 0.0 && c.guards > 0.0 && c.step > 0.0);
  assert_true(c.acting > 0.5 && c.acting <= (double)robot_size(r).events);
  robot_close(r);
}

/* ---- what is near ---------------------------------------------------------------------------- */

/* "apart" is believed in place of a search, so what is called apart must be, and much has to be */
static void test_apart(void **state) {
  (void)state;
  robot *r = fixture_robot(
      "<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 .2 0 0 0 .3 1 .2 0'/></asset><worldbody>"
      "<geom type='plane' size='5 5 1' euler='0 20 0'/>"
      "<body><freejoint/><geom type='mesh' mesh='m'/></body>"
      "<body><freejoint/><geom type='mesh' mesh='m' euler='10 30 50'/></body>"
      "<body><freejoint/><geom type='cylinder' size='.1 .5'/></body>"
      "<body><freejoint/><geom type='box' size='.1 .6 .2'/></body></worldbody></mujoco>");
  const mjModel *m = &r->model;
  mjData *d = r->data;
  gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
  const double reach = 0.1;
  size_t apart[5][5] = {{0}}, near = 0;
  for (int i = 0; i < 500; ++i) {
    for (int k = 0; k < m->nq; ++k) d->qpos[k] = fixture_between(rng, -1.0, 1.0);
    mj_kinematics(m, d);
    for (int a = 0; a < m->ngeom; ++a)
      for (int b = a + 1; b < m->ngeom; ++b) {
        // MuJoCo searches between types in ascending order
        const bool in_order = m->geom_type[a] <= m->geom_type[b];
        const int geom[2] = {in_order ? a : b, in_order ? b : a};
        const double dist = mj_geomDistance(m, d, geom[0], geom[1], 10.0, NULL);
        const bool is_apart = robot_distance_apart(m, d, geom, reach);
        if (is_apart) assert_true(dist >= reach - 1e-6);
        apart[a][b] += is_apart;
        near += dist < reach;
      }
  }
  for (int a = 0; a < m->ngeom; ++a)
    for (int b = a + 1; b < m->ngeom; ++b) assert_true(apart[a][b] > 50);
  assert_true(near > 500);
  gsl_rng_free(rng);
  robot_close(r);
}

/* ---- threads --------------------------------------------------------------------------------- */

enum { THREADS = 4 };

typedef struct run {
  robot *r;
  double x[FIXTURE_STATES];
  int status;
} run;

static void *run_alone(void *context) {
  run *const c = context;
  const double x0[10] = {0.0, 0.0, 0.1, -0.1, 0.28, 0.3, 0.0, 0.5, 1.0, 2.0};
  const double ctrl[2] = {0.2, -0.1};
  ess_options options = ess_options_default();
  options.rtol = options.atol = 1e-5;
  double t = 0.0;
  memcpy(c->x, x0, sizeof x0);
  robot_set_control(c->r, ctrl);
  ess_driver *d = ess_driver_alloc(robot_system(c->r), &options, NULL);
  c->status = ess_driver_apply(d, &t, 0.3, c->x);
  ess_driver_free(d);
  return NULL;
}

static void test_threads(void **state) {
  (void)state;
  robot *r = fixture_robot(FIXTURE_WALKER);
  pthread_t thread[THREADS];
  run runs[THREADS], alone = {.r = robot_clone(r)};
  for (int i = 0; i < THREADS; ++i) runs[i] = (run){.r = robot_clone(r)};
  robot_close(r);
  for (int i = 0; i < THREADS; ++i)
    assert_int_equal(pthread_create(&thread[i], NULL, run_alone, &runs[i]), 0);
  for (int i = 0; i < THREADS; ++i) pthread_join(thread[i], NULL);
  run_alone(&alone);
  assert_int_equal(alone.status, ESS_SUCCESS);
  for (int i = 0; i < THREADS; ++i) {
    assert_int_equal(runs[i].status, ESS_SUCCESS);
    assert_memory_equal(runs[i].x, alone.x, 10 * sizeof *alone.x);
    robot_close(runs[i].r);
  }
  robot_close(alone.r);
  robot_close(NULL);
}

/* what has no field is opened where that is asked for, and fails by the reason */
static void test_unfit(void **state) {
  (void)state;
  static const char text[] =
      "<mujoco model='gecko'><worldbody><body name='b'><freejoint/><geom size='.1'/></body>"
      "</worldbody><actuator><adhesion name='glue' body='b' ctrlrange='0 1'/></actuator></mujoco>";
  char message[ROBOT_MESSAGE_SIZE];
  const robot_options accepts = {.unfit = true};
  robot *r = NULL;
  assert_int_equal(robot_open(NULL, text, &accepts, &r, message), 0);
  assert_non_null(robot_unfit(r));
  assert_string_equal(robot_model_name(r), "gecko");
  double x[FIXTURE_STATES] = {0}, dxdt[FIXTURE_STATES], sign[FIXTURE_EVENTS];
  robot_reset_state(r, x);
  fixture_signs(r, x, sign);
  assert_int_not_equal(robot_system(r)->field(0.0, x, sign, dxdt, r), 0);
  assert_non_null(strstr(robot_failure(r), "glue"));
  assert_int_not_equal(robot_plain_field(r, x, dxdt), 0);
  assert_non_null(strstr(robot_failure(r), "glue"));
  robot_close(r);
  // nothing runs where nothing moves
  assert_int_equal(robot_open(NULL, "<mujoco><worldbody/></mujoco>", &accepts, &r, message),
                   SOLVER_FAILED);
}

/* a body without a contact is a marker, unless none has one */
static void test_counts(void **state) {
  (void)state;
  robot *r = fixture_robot(
      "<mujoco><worldbody><geom type='plane' size='5 5 .1'/>"
      "<body><freejoint/><geom size='.1'/><body><joint/><geom size='.1' contype='0' "
      "conaffinity='0'/></body></body>"
      "<body><joint type='slide'/><geom size='.1' contype='0' conaffinity='0'/></body>"
      "<body><geom size='.1'/></body></worldbody></mujoco>");
  const bool bodies[] = {false, true, true, false, false};
  for (size_t i = 0; i < 5; ++i) assert_int_equal(robot_body_counts(r, i), bodies[i]);
  for (size_t k = 0; k < 9; ++k) assert_int_equal(robot_state_counts(r, k), k < 8);
  assert_true(robot_has_ground(r));
  assert_null(robot_unfit(r));
  robot_close(r);
  r = fixture_robot("<mujoco><worldbody><body><freejoint/><geom size='.1'/></body>"
                    "</worldbody></mujoco>");
  assert_false(robot_has_ground(r));
  assert_true(robot_body_counts(r, 1));
  robot_close(r);
}

/* MuJoCo takes no contact of depth 0: a ball that slides in its plane has no friction */
static void test_no_depth(void **state) {
  (void)state;
  robot *r = fixture_robot(
      "<mujoco><worldbody><geom type='plane' size='5 5 .1'/><body pos='0 0 .1'>"
      "<joint type='slide' axis='1 0 0'/><geom size='.1'/></body></worldbody></mujoco>");
  const double x[] = {0.0, 1.0};
  double sign[FIXTURE_EVENTS], ours[2], theirs[2];
  fixture_signs(r, x, sign);
  fixture_field(r, x, sign, ours);
  assert_int_equal(robot_plain_field(r, x, theirs), 0);
  assert_true(theirs[1] == 0.0 && ours[1] == 0.0);
  robot_close(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_unfit),    cmocka_unit_test(test_counts),
      cmocka_unit_test(test_no_depth), cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_many),     cmocka_unit_test(test_override),
      cmocka_unit_test(test_kinks),    cmocka_unit_test(test_survey),
      cmocka_unit_test(test_watch),    cmocka_unit_test(test_fixed),
      cmocka_unit_test(test_cost),     cmocka_unit_test(test_threads),
      cmocka_unit_test(test_hull),     cmocka_unit_test(test_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
