/*
 * A robot's starts, controls and MuJoCo's own steps of it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "robot_fixture.h"

#include <mujoco/mujoco.h>
#include <unistd.h>

#include "robot_cost.h"
#include "robot_starts.h"
#include "robot_steps.h"
#include "solver.h"

enum { SAMPLES = 101 };

static void start_of(robot *r, const robot_start *start, double x[]) {
  char message[ROBOT_MESSAGE_SIZE];
  if (robot_start_state(r, start, x, message)) fail_msg("%s", message);
}

static void refused_start(robot *r, const char *qpos) {
  char message[ROBOT_MESSAGE_SIZE];
  double x[FIXTURE_STATES];
  const robot_start start = {.qpos = qpos};
  assert_int_equal(robot_start_state(r, &start, x, message), SOLVER_REFUSED);
  assert_non_null(strstr(message, "finite numbers with commas between"));
}

/* ---- starts ---------------------------------------------------------------------------------- */

static void a_free_body_is_raised_and_tilted(void **state) {
  (void)state;
  robot *const r = fixture_robot(FIXTURE_QUAD);
  double x[FIXTURE_STATES], own[FIXTURE_STATES];
  robot_reset_state(r, own);
  start_of(r, &(robot_start){.height = 0.05, .tilt = 0.1}, x);
  assert_string_equal(robot_start_pose(r), "qpos0");
  assert_true(fabs(x[2] - own[2] - 0.05) < 1e-15);
  // about a horizontal axis
  assert_true(fabs(2.0 * acos(x[3]) - 0.1) < 1e-9);
  assert_true(fabs(x[6]) < 1e-15);
  assert_true(fabs(x[4]) > 1e-3 && fabs(x[5]) > 1e-3);
  for (size_t i = 7; i < robot_size(r).dimension; ++i) assert_true(x[i] == own[i]);
  robot_close(r);
}

static void a_slide_is_raised_and_a_hinge_tilted(void **state) {
  (void)state;
  robot *const r = fixture_robot(FIXTURE_WALKER);
  double x[FIXTURE_STATES];
  start_of(r, &(robot_start){.height = 0.05, .tilt = 0.1}, x);
  assert_true(x[0] == 0.0 && fabs(x[1] - 0.05) < 1e-15 && fabs(x[2] - 0.1) < 1e-15);
  robot_close(r);
}

/* drawn starts differ from each other, are the same again, and stay inside the limits */
static void starts_are_drawn(void **state) {
  (void)state;
  robot *const r = fixture_robot(FIXTURE_WALKER);
  double x[20][FIXTURE_STATES], again[FIXTURE_STATES];
  for (size_t i = 0; i < 20; ++i) {
    const robot_start start = {.height = 0.05, .tilt = 0.1, .number = i, .seed = 7};
    start_of(r, &start, x[i]);
    start_of(r, &start, again);
    assert_memory_equal(x[i], again, robot_size(r).dimension * sizeof **x);
    assert_true(x[i][1] >= 0.025 - 1e-15 && x[i][1] <= 0.075 + 1e-15);
    assert_true(x[i][3] > -0.6 && x[i][3] < 0.3 && x[i][4] > -0.6 && x[i][4] < 0.3);
    for (size_t k = 0; k < i; ++k)
      assert_true(fixture_distance(x[i], x[k], robot_size(r).dimension) > 1e-3);
  }
  start_of(r, &(robot_start){.height = 0.05, .tilt = 0.1, .number = 1, .seed = 8}, again);
  assert_true(fixture_distance(x[1], again, robot_size(r).dimension) > 1e-3);
  robot_close(r);
}

#define HINGES(range, further)                                                                     \
  "<mujoco><compiler angle='radian'/><worldbody><body><joint name='a' axis='0 1 0'"                \
  " limited='true' range='" range "'/><geom size='.1' pos='.2 0 0'/><body pos='.3 0 0'>"           \
  "<joint name='b' axis='0 1 0'/><geom size='.1' pos='.2 0 0'/></body></body></worldbody>" further \
  "</mujoco>"

static void a_pose_comes_from_the_model(void **state) {
  (void)state;
  static const struct {
    const char *text, *pose;
    double a, b;
  } cases[] = {
      // qpos0 is outside, or on the limit itself: a twentieth of the range inside
      {HINGES("1 2", ""), "qpos0", 1.05, 0.0},
      {HINGES("0 2", ""), "qpos0", 0.1, 0.0},
      {HINGES("-1 1", ""), "qpos0", 0.0, 0.0},
      {HINGES("-1 1", "<custom><numeric name='init_qpos' data='.7 .2'/></custom>"), "init_qpos",
       0.7, 0.2},
      {HINGES("-1 1", "<custom><numeric name='init_qpos' data='.7'/></custom>"), "qpos0", 0.0, 0.0},
      {HINGES("-1 1", "<custom><numeric name='init_qpos' data='.7 .2'/></custom>"
                      "<keyframe><key qpos='.1 .3'/></keyframe>"),
       "keyframe 0", 0.1, 0.3},
      // on the limit itself: a millionth of the range inside
      {HINGES("-1 1", "<keyframe><key qpos='-1 .3'/></keyframe>"), "keyframe 0", -1.0 + 2e-6, 0.3},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    robot *const r = fixture_robot(cases[i].text);
    double x[FIXTURE_STATES];
    start_of(r, &(robot_start){.height = 0.05}, x);
    assert_string_equal(robot_start_pose(r), cases[i].pose);
    assert_true(fabs(x[0] - cases[i].a) < 1e-12 && fabs(x[1] - cases[i].b) < 1e-12);
    // nothing can fall: its hinges are turned, but not past a limit
    start_of(r, &(robot_start){.height = 0.05, .tilt = 0.2}, x);
    assert_true(fabs(x[1] - cases[i].b - 0.2) < 1e-12);
    robot_close(r);
  }
}

static void a_pose_is_given(void **state) {
  (void)state;
  robot *const r = fixture_robot(HINGES("-1 1", ""));
  double x[FIXTURE_STATES];
  start_of(r, &(robot_start){.qpos = "0.25,-1.5"}, x);
  assert_true(x[0] == 0.25 && x[1] == -1.5 && x[2] == 0.0);
  // on the limit itself, or out of it
  start_of(r, &(robot_start){.qpos = "1,0"}, x);
  assert_true(fabs(x[0] - (1.0 - 2e-6)) < 1e-12);
  start_of(r, &(robot_start){.qpos = "1.001,0"}, x);
  assert_true(x[0] == 1.001);
  static const char *const wrong[] = {"", "1", "1,2,3", "1,x", "1,nan", "1,,2", "1,2,", "inf,0"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) refused_start(r, wrong[i]);
  robot_close(r);
}

/* ---- starts that equalities tie together ----------------------------------------------------- */

/* by how much x breaks equalities: positions, and the rates that velocities have along them */
static void measure_ties(const char *text, const double x[], double *positions, double *rates) {
  mjVFS files;
  mj_defaultVFS(&files);
  assert_int_equal(mj_addBufferVFS(&files, "tied.xml", text, (int)strlen(text)), 0);
  mjModel *const m = mj_loadXML("tied.xml", &files, NULL, 0);
  mj_deleteVFS(&files);
  assert_non_null(m);
  m->opt.jacobian = mjJAC_DENSE;
  mjData *const d = mj_makeData(m);
  memcpy(d->qpos, x, (size_t)m->nq * sizeof *x);
  memcpy(d->qvel, x + m->nq, (size_t)m->nv * sizeof *x);
  mj_forward(m, d);
  *positions = *rates = 0.0;
  for (int i = 0; i < d->ne; ++i) {
    *positions = fmax(*positions, fabs(d->efc_pos[i]));
    *rates = fmax(*rates, fabs(mju_dot(d->efc_J + (size_t)i * (size_t)m->nv, d->qvel, (int)m->nv)));
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}

#define TIED(bodies, equalities, further)                                                          \
  "<mujoco><worldbody>" bodies "</worldbody><equality>" equalities "</equality>" further "</"      \
  "mujoco>"
#define LINK "<geom type='capsule' size='.02' fromto='0 0 0 0 0 .3' contype='0'/>"
#define FOUR_BAR                                                                                   \
  "<body pos='0 0 1'><joint name='j1' axis='0 1 0' range='0 90' limited='true'/>" LINK             \
  "<body name='c2' pos='0 0 .3'><joint name='j2' axis='0 1 0'/>"                                   \
  "<geom type='capsule' size='.02' fromto='0 0 0 .5 0 0' contype='0'/></body></body>"              \
  "<body name='c3' pos='.5 0 1'><joint name='j3' axis='0 1 0'/>" LINK "</body>"

static void what_is_tied_stays_tied(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double pose; /* what the pose breaks itself; < 0: it does */
    bool rigid;  /* nothing may move */
  } cases[] = {
      // a closed chain that cannot fall, whose first joint stands on its limit
      {.text = TIED(FOUR_BAR, "<connect body1='c2' body2='c3' anchor='.5 0 0'/>", "")},
      {.text = TIED(FOUR_BAR, "<weld body1='c2' body2='c3'/>", ""), .rigid = true},
      // one that can: both of its bodies are free
      {.text = TIED("<body name='a'><freejoint/>" LINK
                    "</body><body name='b' pos='.2 0 0'><freejoint/>" LINK "</body>",
                    "<weld body1='a' body2='b'/>", "")},
      {.text = TIED("<body name='a' pos='0 0 1'><freejoint/>" LINK "</body>",
                    "<connect body1='a' body2='world' anchor='0 0 .3'/>", "")},
      // the same said twice
      {.text = TIED("<body name='a' pos='0 0 1'><freejoint/>" LINK "</body>",
                    "<connect body1='a' body2='world' anchor='0 0 .3'/>"
                    "<connect body1='a' body2='world' anchor='0 0 .3'/>",
                    "")},
      // gears, and a tendon of a given length
      {.text = TIED(FOUR_BAR, "<joint joint1='j1' joint2='j3' polycoef='0 2 .5 0 0'/>", "")},
      {.text =
           TIED(FOUR_BAR, "<tendon tendon1='t'/>",
                "<tendon><fixed name='t'><joint joint='j1' coef='1'/><joint joint='j3' coef='-2'/>"
                "</fixed></tendon>")},
      // the pose itself breaks it, and so do the starts, by as much
      {.text = TIED(FOUR_BAR, "<joint joint1='j1' joint2='j3' polycoef='.25 1 0 0 0'/>", ""),
       .pose = 0.25},
      {.text = TIED(FOUR_BAR, "<connect body1='c2' body2='c3' anchor='.5 0 0'/>",
                    "<keyframe><key qpos='.1 0 0'/></keyframe>"),
       .pose = -1.0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    robot *const r = fixture_robot(cases[i].text);
    const size_t n = robot_size(r).dimension;
    double x[FIXTURE_STATES], own[FIXTURE_STATES], pose, broken, rate;
    if (!robot_keyframe(r, 0, own)) robot_reset_state(r, own);
    measure_ties(cases[i].text, own, &pose, &rate);
    if (cases[i].pose >= 0.0) assert_true(fabs(pose - cases[i].pose) < 1e-9);
    char message[ROBOT_MESSAGE_SIZE];
    assert_int_equal(robot_start_broken(r, own, &broken, message), 0);
    assert_true(fabs(broken - pose) < 1e-12);
    for (size_t number = 0; number < 5; ++number) {
      start_of(r, &(robot_start){.height = 0.05, .tilt = 0.1, .number = number, .seed = 3}, x);
      measure_ties(cases[i].text, x, &broken, &rate);
      if (!(fabs(broken - pose) < 1e-8) || !(rate < 1e-8))
        fail_msg("case %zu, start %zu: broken by %g, the pose by %g; rate %g", i, number, broken,
                 pose, rate);
      assert_true((fixture_distance(x, own, n) > 1e-2) == !cases[i].rigid);
    }
    robot_close(r);
  }
}

static void what_cannot_be_tied_is_refused(void **state) {
  (void)state;
  robot *const r = fixture_robot(TIED("<body name='a' pos='0 0 1'><freejoint/>" LINK "</body>",
                                      "<connect body1='a' body2='world' anchor='0 0 .3'/>", ""));
  char message[ROBOT_MESSAGE_SIZE];
  double x[FIXTURE_STATES];
  assert_int_equal(robot_start_state(r, &(robot_start){.height = 1e3}, x, message), SOLVER_REFUSED);
  assert_non_null(strstr(message, "breaks its equalities by"));
  robot_close(r);
}

/* what stands exactly on the floor, where rounding would decide whether it touches */
static void what_just_touches_is_raised(void **state) {
  (void)state;
  robot *const r = fixture_robot(
      "<mujoco><worldbody><geom type='plane' size='5 5 .1'/><body pos='0 0 .1'><freejoint/>"
      "<geom size='.1'/></body></worldbody></mujoco>");
  double x[FIXTURE_STATES];
  start_of(r, &(robot_start){.height = 0.0}, x);
  assert_true(fabs(x[2] - 0.100000001) < 1e-14);
  start_of(r, &(robot_start){.height = 0.05}, x);
  assert_true(x[2] == 0.1 + 0.05);
  start_of(r, &(robot_start){.height = -0.01}, x);
  assert_true(x[2] == 0.1 - 0.01);
  robot_close(r);
}

static void states_have_names_and_units(void **state) {
  (void)state;
  robot *const r = fixture_robot(FIXTURE_ZOO("pyramidal", "dense"));
  char name[ROBOT_NAME_SIZE];
  static const struct {
    size_t of;
    const char *name, *unit;
  } cases[] = {{0, "joint 0 x", "m"},      {3, "joint 0 qw", ""},
               {7, "ball qw", ""},         {10, "ball qz", ""},
               {11, "hip", "rad"},         {12, "knee", "rad"},
               {13, "slide", "m"},         {14, "joint 5 x", "m"},
               {21, "d joint 0 x", "m/s"}, {24, "d joint 0 wx", "rad/s"},
               {27, "d ball wx", "rad/s"}, {30, "d hip", "rad/s"},
               {32, "d slide", "m/s"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    robot_state_name(r, cases[i].of, name);
    assert_string_equal(name, cases[i].name);
    assert_string_equal(robot_state_unit(r, cases[i].of), cases[i].unit);
  }
  robot_state_name(r, robot_size(r).dimension - 1, name);
  assert_string_equal(name, "act 0");
  assert_string_equal(robot_state_unit(r, robot_size(r).dimension - 1), "");
  robot_close(r);
}

/* ---- controls -------------------------------------------------------------------------------- */

static void write_file(const char *path, const char *text) {
  FILE *const file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void refused_controls(const robot *r, const char *text, const char *words) {
  char message[ROBOT_MESSAGE_SIZE];
  robot_controls c;
  assert_int_equal(robot_controls_read(r, text, 0.1, &c, message), SOLVER_REFUSED);
  assert_null(strchr(message, '\n'));
  if (!strstr(message, words)) fail_msg("%s: \"%s\" lacks \"%s\"", text, message, words);
}

static void controls_are_constant(void **state) {
  (void)state;
  robot *const r = fixture_robot(FIXTURE_WALKER);
  char message[ROBOT_MESSAGE_SIZE];
  static const struct {
    const char *text;
    double first, second;
  } cases[] = {{NULL, 0.0, 0.0}, {"0.5", 0.5, 0.5}, {"1,-2", 1.0, -2.0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    robot_controls c;
    double until;
    if (robot_controls_read(r, cases[i].text, 0.1, &c, message)) fail_msg("%s", message);
    const double *const row = robot_controls_at(&c, 123.0, &until);
    assert_true(row[0] == cases[i].first && row[1] == cases[i].second && isinf(until));
    robot_controls_free(&c);
  }
  refused_controls(r, "1,2,3",
                   "has 3 numbers; accepted is one number for all actuators, or 2, one for each");
  robot_controls gone;
  assert_int_equal(robot_controls_read(r, "/nowhere/ctrl.csv", 0.1, &gone, message), SOLVER_FAILED);
  assert_non_null(strstr(message, "/nowhere/ctrl.csv"));
  robot_close(r);
}

/* a keyframe has controls and poses of what only a program moves, too: field, steps and twin take
 * them */
static void a_keyframe_is_taken_whole(void **state) {
  static const char whole[] =
      "<mujoco><worldbody><geom type='plane' size='5 5 .1'/>"
      "<body name='target' mocap='true' pos='0 0 1'><geom size='.05' contype='0' "
      "conaffinity='0'/></body><body pos='0 0 .5'><freejoint/><geom size='.1'/></body>"
      "<body pos='0 2 1'><joint name='a' axis='0 1 0'/><geom size='.05' pos='.3 0 0'/></body>"
      "</worldbody><actuator><motor joint='a'/></actuator><keyframe><key ctrl='.5' mpos='1 2 3'/>"
      "<key ctrl='7' mpos='7 7 7'/></keyframe></mujoco>";
  static const robot_options options[] = {{0}, {.stiffness = 5000.0, .damping = 40.0}};
  (void)state;
  for (size_t i = 0; i < sizeof options / sizeof *options; ++i) {
    char message[ROBOT_MESSAGE_SIZE];
    robot *r;
    robot_controls c;
    double x[FIXTURE_STATES], poses[3 * FIXTURE_STATES], until;
    if (robot_open(NULL, whole, &options[i], &r, message)) fail_msg("%s", message);
    if (robot_controls_read(r, NULL, 0.1, &c, message)) fail_msg("%s", message);
    assert_true(*robot_controls_at(&c, 0.0, &until) == 0.5);
    assert_true(robot_keyframe(r, 0, x));
    assert_int_equal(robot_body_positions(r, x, poses), 0);
    assert_true(poses[3] == 1.0 && poses[4] == 2.0 && poses[5] == 3.0);
    robot_controls_free(&c);
    robot_close(r);
  }
}

/* another keyframe in its place, by its number or its name */
static void another_keyframe_is_chosen(void **state) {
  static const char two[] =
      "<mujoco><worldbody><body name='target' mocap='true' pos='0 0 1'/>"
      "<body pos='0 2 1'><joint name='a' axis='0 1 0'/><geom size='.05' pos='.3 0 0'/></body>"
      "</worldbody><actuator><motor joint='a'/></actuator><keyframe><key ctrl='.5' qpos='.1'/>"
      "<key name='far' ctrl='7' mpos='7 8 9' qpos='.2' qvel='.3'/></keyframe></mujoco>";
  (void)state;
  char message[ROBOT_MESSAGE_SIZE];
  robot *r;
  robot_controls c;
  double x[2], poses[9], until;
  const robot_options far = {.keyframe = "far"}, gone = {.keyframe = "near"};
  if (robot_open(NULL, two, &far, &r, message)) fail_msg("%s", message);
  assert_string_equal(robot_start_pose(r), "keyframe far");
  if (robot_controls_read(r, NULL, 0.1, &c, message)) fail_msg("%s", message);
  assert_true(*robot_controls_at(&c, 0.0, &until) == 7.0);
  assert_true(robot_keyframe(r, 0, x) && x[0] == 0.2 && x[1] == 0.3);
  assert_int_equal(robot_body_positions(r, x, poses), 0);
  assert_true(poses[3] == 7.0 && poses[4] == 8.0 && poses[5] == 9.0);
  robot_controls_free(&c);
  robot_close(r);
  assert_int_equal(robot_open(NULL, two, &gone, &r, message), SOLVER_REFUSED);
  assert_string_equal(message, "--keyframe near is not accepted; there are 0, far");
}

/* a PD controller takes the state at a tick, or at the first time behind it, and holds its output
 */
static void a_pd_controller_is_held(void **state) {
  (void)state;
  robot *const r =
      fixture_robot(HINGES("-1 1", "<actuator><motor joint='b'/><motor joint='a'/></actuator>"));
  const size_t nq = robot_size(r).nq;
  char message[ROBOT_MESSAGE_SIZE];
  robot_controls c;
  double q[FIXTURE_STATES] = {0}, v[FIXTURE_STATES] = {0}, ctrl[2];
  robot_held held = {ctrl, -INFINITY};
  if (robot_controls_read(r, "1,2", 0.1, &c, message)) fail_msg("%s", message);
  if (robot_controls_track(r, "10,3", false, &c, message)) fail_msg("%s", message);
  assert_true(c.joint[0][0] < nq && c.joint[0][0] != c.joint[1][0]);
  q[c.joint[1][0]] = 0.5;
  v[c.joint[1][1]] = 2.0;
  static const struct {
    double t, second, until;
  } cases[] = {{0.0, 9.0, 0.1},          {0.05, 9.0, 0.1},   {0.1 - 1e-12, -1.0, 0.2},
               {0.1 + 1e-12, -1.0, 0.2}, {0.25, -11.0, 0.3}, {0.29, -11.0, 0.3}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    q[c.joint[1][0]] = 0.5 + floor(10.0 * (cases[i].t + 1e-9));
    const double *const u = robot_controls_hold(&c, cases[i].t, q, v, &held);
    assert_true(u[0] == 10.0 && u[1] == cases[i].second);
    assert_true(fabs(held.until - cases[i].until) < 1e-12);
  }
  robot_controls_free(&c);
  robot_close(r);
}

static void controls_are_held_for_a_period(void **state) {
  (void)state;
  robot *const r = fixture_robot(FIXTURE_WALKER);
  robot *const named = fixture_robot(
      HINGES("-1 1", "<actuator><motor name='first' joint='a'/><motor name='second' joint='b'/>"
                     "</actuator>"));
  char message[ROBOT_MESSAGE_SIZE], path[] = "/tmp/essbench_robot_XXXXXX";
  robot_controls c;
  double until;
  const int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  // by names, in any order, and nothing else
  write_file(path, "t,second,first\n0,1,2\n");
  refused_controls(named, path, "column 't' is of no actuator");
  write_file(path, "second,first,second\n1,2,3\n");
  refused_controls(named, path, "column 'second' is there twice");
  write_file(path, "1,2\n3,4\n");
  refused_controls(named, path, "the first line must name the columns");
  write_file(path, "second,first\n1,2\n");
  if (robot_controls_read(named, path, 0.1, &c, message)) fail_msg("%s", message);
  assert_true(c.value[0] == 2.0 && c.value[1] == 1.0);
  robot_controls_free(&c);
  // one name of two is no order
  write_file(path, "t,second\n0,1\n");
  refused_controls(named, path, "by name or in their order; 'first' is missing");
  robot_close(named);
  write_file(path, "b,a\n1,2\n3,4\n5,6\n");
  if (robot_controls_read(r, path, 0.1, &c, message)) fail_msg("%s", message);
  assert_int_equal(c.count, 3);
  static const struct {
    double t, first, until;
  } cases[] = {{-1.0, 1.0, 0.1},        {0.0, 1.0, 0.1},      {0.0999, 1.0, 0.1},  {0.1, 3.0, 0.2},
               {0.1 - 1e-15, 3.0, 0.2}, {0.2, 5.0, INFINITY}, {0.3, 5.0, INFINITY}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    assert_true(robot_controls_at(&c, cases[i].t, &until)[0] == cases[i].first);
    assert_true(isinf(until) ? isinf(cases[i].until) : fabs(until - cases[i].until) < 1e-12);
  }
  robot_controls_free(&c);
  write_file(path, "a,b\n1,2\n3,x\n");
  refused_controls(r, path, "row 2 has x for actuator 2");
  write_file(path, "a,b\n");
  refused_controls(r, path, "no row below its header");
  write_file(path, "a\n1\n");
  refused_controls(
      r, path, "must have a column for each of 2 actuators, by name or in their order; it has 1");
  remove(path);
  robot_close(r);
  robot *const bare = fixture_robot(FIXTURE_QUAD);
  refused_controls(bare, "1", "the model has no actuator");
  robot_close(bare);
}

/* ---- steps ----------------------------------------------------------------------------------- */

typedef struct run {
  double states[SAMPLES * FIXTURE_STATES];
  bool at_end[SAMPLES];
  robot_steps_report report;
} run;

/* of a check, where `stops` are given */
static void step_by(robot *r, const char *integrator, double h, const double x0[],
                    const double stops[], size_t count, run *out) {
  char message[ROBOT_MESSAGE_SIZE];
  robot_steps *s;
  robot_controls c;
  if (robot_steps_open(r, &s, message)) fail_msg("%s", message);
  if (robot_controls_read(r, NULL, 1.0, &c, message)) fail_msg("%s", message);
  const robot_steps_request q = {.integrator = integrator,
                                 .time_step = h,
                                 .x0 = x0,
                                 .controls = &c,
                                 .dt = 0.002,
                                 .count = SAMPLES,
                                 .states = out->states,
                                 .at_end = out->at_end,
                                 .stops = stops,
                                 .stop_count = count,
                                 .exactly = stops != NULL};
  if (robot_steps_run(s, &q, &out->report)) fail_msg("%s", out->report.message);
  robot_controls_free(&c);
  robot_steps_close(s);
}

static void step(robot *r, const char *integrator, double h, const double x0[], run *out) {
  step_by(r, integrator, h, x0, NULL, 0, out);
}

/* on the output times it is what MuJoCo alone gives, bit for bit */
static void steps_are_those_of_mujoco(void **state) {
  (void)state;
  static const int integrators[] = {mjINT_EULER, mjINT_IMPLICITFAST, mjINT_RK4};
  static const char *const names[] = {"Euler", "implicitfast", "RK4"};
  robot *const r = fixture_robot(FIXTURE_WALKER);
  const robot_sizes size = robot_size(r);
  double x0[FIXTURE_STATES];
  start_of(r, &(robot_start){.height = 0.05, .tilt = 0.1}, x0);
  run *const out = test_malloc(sizeof *out);
  char error[1000];
  mjSpec *const spec = mj_parseXMLString(FIXTURE_WALKER, NULL, error, sizeof error);
  mjModel *const m = mj_compile(spec, NULL);
  for (int i = 0; i < 3; ++i)
    for (int substeps = 1; substeps <= 4; substeps *= 4) {
      step(r, names[i], 0.002 / substeps, x0, out);
      assert_int_equal(out->report.reached, SAMPLES);
      assert_int_equal(out->report.steps, (SAMPLES - 1) * substeps);
      assert_true(out->report.seconds > 0.0);
      m->opt.integrator = integrators[i];
      m->opt.timestep = 0.002 / substeps;
      mjData *const d = mj_makeData(m);
      memcpy(d->qpos, x0, size.nq * sizeof *x0);
      for (int k = 0; k < SAMPLES; ++k) {
        assert_memory_equal(out->states + (size_t)k * size.dimension, d->qpos,
                            size.nq * sizeof *x0);
        assert_true(out->at_end[k]);
        for (int j = 0; j < substeps; ++j) mj_step(m, d);
      }
      mj_deleteData(d);
    }
  mj_deleteModel(m);
  mj_deleteSpec(spec);
  test_free(out);
  // the model's own is as it was
  assert_string_equal(robot_size(r).integrator, "Euler");
  assert_true(robot_size(r).time_step == 0.002);
  robot_close(r);
}

static size_t sensed;

static void sense(const mjModel *m, mjData *d, int stage) {
  (void)m;
  (void)d;
  (void)stage;
  ++sensed;
}

/* Neither side of a race computes what a file's sensors ask for. A user's sensor is a callback,
 * which can be counted. */
static void sensors_are_left_out(void **state) {
  (void)state;
  static const char text[] =
      "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody>"
      "<sensor><user name='counted' dim='1' needstage='acc'/></sensor></mujoco>";
  robot *const r = fixture_robot(text);
  double x[FIXTURE_STATES] = {0, 0, 0, 1}, dxdt[FIXTURE_STATES], states[3 * FIXTURE_STATES];
  run *const out = test_malloc(sizeof *out);
  robot_cost cost;
  char error[1000];
  mjSpec *const spec = mj_parseXMLString(text, NULL, error, sizeof error);
  mjModel *const m = mj_compile(spec, NULL);
  mjData *const d = mj_makeData(m);
  mjcb_sensor = sense;
  mj_step(m, d);
  const size_t by_mujoco = sensed;
  step(r, "Euler", 0.002, x, out);
  step(r, "RK4", 0.002, x, out);
  assert_int_equal(robot_plain_field(r, x, dxdt), 0);
  fixture_field(r, x, NULL, dxdt);
  assert_int_equal(robot_cost_states(r, x, 0.002, 3, states), 0);
  assert_int_equal(robot_cost_at(r, states, 3, 1, &cost), 0);
  mjcb_sensor = NULL;
  assert_true(by_mujoco > 0);
  assert_int_equal(sensed, by_mujoco);
  mj_deleteData(d);
  mj_deleteModel(m);
  mj_deleteSpec(spec);
  test_free(out);
  robot_close(r);
}

/* between the ends of long steps states are as good as those of the second order: of a free fall
 * exact, but for what the step itself does */
static void outputs_between_steps_lie_on_the_way(void **state) {
  (void)state;
  robot *const r = fixture_robot("<mujoco><worldbody><body><freejoint/><geom size='.1'/></body>"
                                 "</worldbody></mujoco>");
  double x0[FIXTURE_STATES] = {0, 0, 0, 1, 0, 0, 0, 1, 2, 3, 0.5, 0, 0};
  run *const out = test_malloc(sizeof *out);
  step(r, "RK4", 0.005, x0, out);
  assert_int_equal(out->report.steps, 40);
  for (int k = 0; k < SAMPLES; ++k) {
    const double t = 0.002 * k, *const x = out->states + 13 * k;
    assert_int_equal(out->at_end[k], k % 5 == 0);
    assert_true(fabs(x[0] - t) < 1e-12 && fabs(x[2] - (3.0 * t - 0.5 * 9.81 * t * t)) < 1e-12);
    assert_true(fabs(x[3] - cos(0.25 * t)) < 1e-12 && fabs(x[4] - sin(0.25 * t)) < 1e-12);
    assert_true(fabs(x[9] - (3.0 - 9.81 * t)) < 1e-12);
  }
  test_free(out);
  robot_close(r);
}

/* a ball on a slide that falls on the floor, and what else there is; another above it */
#define BALL(option, height, more)                                                                 \
  "<mujoco><option " option "/><worldbody><geom type='plane' size='1 1 .1'/>"                      \
  "<body pos='0 0 " height "'><joint type='slide' axis='0 0 1'/><geom size='.1'/></body>" more     \
  "</worldbody></mujoco>"
#define BALLS(option)                                                                              \
  BALL(option, "0.15",                                                                             \
       "<body pos='0 0 .36'><joint type='slide' axis='0 0 1'/><geom size='.1'/></body>")

/* largest distance of two runs at the same time */
static double apart(const robot *r, const run *a, const run *b) {
  const size_t n = robot_size(r).dimension;
  double most = 0.0;
  for (size_t k = 0; k < SAMPLES; ++k)
    most = fmax(most, fixture_distance(a->states + k * n, b->states + k * n, n));
  return most;
}

/* with short steps at the touch-down, long ones elsewhere are enough; where it is told at a wrong
 * time nothing is gained */
static void steps_are_short_at_stops(void **state) {
  (void)state;
  robot *const r = fixture_robot(BALL("", "0.15", ""));
  const double touch = sqrt(2.0 * 0.05 / 9.81), wrong = 0.5 * touch, h = 5e-4;
  double x0[FIXTURE_STATES];
  run *const fine = test_malloc(sizeof *fine), *const out = test_malloc(sizeof *out);
  robot_reset_state(r, x0);
  step(r, "RK4", 2e-6, x0, fine);
  step_by(r, "RK4", h, x0, &touch, 1, out);
  const double at_touch = apart(r, out, fine);
  for (int k = 0; k < SAMPLES; ++k) assert_true(out->at_end[k]);
  step_by(r, "RK4", h, x0, &wrong, 1, out);
  const double at_wrong = apart(r, out, fine);
  step(r, "RK4", h, x0, out);
  const double even = apart(r, out, fine);
  print_message("apart: %g, at a wrong time %g, of one size %g\n", at_touch, at_wrong, even);
  assert_true(at_touch < 0.05 * even && at_touch < 0.05 * at_wrong);
  test_free(fine);
  test_free(out);
  robot_close(r);
}

static void a_check_solves_exactly(void **state) {
  (void)state;
  robot *const loose = fixture_robot(BALLS("solver='PGS' iterations='1'"));
  robot *const tight = fixture_robot(BALLS("solver='Newton' iterations='200' tolerance='1e-15'"));
  const double touch = sqrt(2.0 * 0.05 / 9.81);
  double x0[FIXTURE_STATES];
  run *const a = test_malloc(sizeof *a), *const b = test_malloc(sizeof *b);
  robot_reset_state(loose, x0);
  step_by(tight, "RK4", 0.001, x0, &touch, 1, b);
  step_by(loose, "RK4", 0.001, x0, &touch, 1, a);
  assert_true(apart(loose, a, b) < 1e-9);
  // a run that is no check has the model's own solver
  step(tight, "RK4", 0.001, x0, b);
  step(loose, "RK4", 0.001, x0, a);
  assert_true(apart(loose, a, b) > 1e-3);
  test_free(a);
  test_free(b);
  robot_close(loose);
  robot_close(tight);
}

static void what_is_unstable_ends(void **state) {
  (void)state;
  robot *const r = fixture_robot("<mujoco><worldbody><body><joint name='z' type='slide'"
                                 " stiffness='-1e9'/><geom size='.1' mass='.001'/></body>"
                                 "</worldbody></mujoco>");
  double x0[FIXTURE_STATES] = {1e-3};
  run *const out = test_malloc(sizeof *out);
  step(r, "Euler", 0.002, x0, out);
  assert_true(out->report.reached > 0 && out->report.reached < SAMPLES);
  assert_true(*out->report.message);
  assert_null(strchr(out->report.message, '\n'));
  for (size_t i = 0; i < 2 * out->report.reached; ++i) assert_true(isfinite(out->states[i]));
  test_free(out);
  robot_close(r);
}

static void settings_are_refused(void **state) {
  (void)state;
  robot *const r = fixture_robot(FIXTURE_QUAD);
  char message[ROBOT_MESSAGE_SIZE];
  robot_steps *s;
  robot_controls c;
  robot_steps_report report;
  double x0[FIXTURE_STATES], states[FIXTURE_STATES];
  start_of(r, &(robot_start){0}, x0);
  assert_int_equal(robot_steps_open(r, &s, message), 0);
  assert_int_equal(robot_controls_read(r, NULL, 1.0, &c, message), 0);
  robot_steps_request q = {.integrator = "Heun",
                           .time_step = 0.001,
                           .x0 = x0,
                           .controls = &c,
                           .dt = 0.002,
                           .count = 1,
                           .states = states};
  assert_int_equal(robot_steps_run(s, &q, &report), SOLVER_REFUSED);
  assert_non_null(strstr(report.message, "integrator Heun"));
  assert_false(robot_steps_knows("Heun"));
  assert_true(robot_steps_knows("RK4"));
  static const double wrong[] = {0.0, -1.0, NAN, INFINITY};
  q.integrator = "RK4";
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    q.time_step = wrong[i];
    assert_int_equal(robot_steps_run(s, &q, &report), SOLVER_REFUSED);
  }
  robot_controls_free(&c);
  robot_steps_close(s);
  robot_steps_close(NULL);
  robot_close(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_free_body_is_raised_and_tilted),
      cmocka_unit_test(a_slide_is_raised_and_a_hinge_tilted),
      cmocka_unit_test(starts_are_drawn),
      cmocka_unit_test(a_pose_comes_from_the_model),
      cmocka_unit_test(a_pose_is_given),
      cmocka_unit_test(what_is_tied_stays_tied),
      cmocka_unit_test(what_cannot_be_tied_is_refused),
      cmocka_unit_test(what_just_touches_is_raised),
      cmocka_unit_test(states_have_names_and_units),
      cmocka_unit_test(controls_are_constant),
      cmocka_unit_test(a_keyframe_is_taken_whole),
      cmocka_unit_test(another_keyframe_is_chosen),
      cmocka_unit_test(a_pd_controller_is_held),
      cmocka_unit_test(controls_are_held_for_a_period),
      cmocka_unit_test(steps_are_those_of_mujoco),
      cmocka_unit_test(sensors_are_left_out),
      cmocka_unit_test(outputs_between_steps_lie_on_the_way),
      cmocka_unit_test(steps_are_short_at_stops),
      cmocka_unit_test(a_check_solves_exactly),
      cmocka_unit_test(what_is_unstable_ends),
      cmocka_unit_test(settings_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
