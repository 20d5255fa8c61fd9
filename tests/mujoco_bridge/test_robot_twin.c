/*
 * Twins: contacts that are springs and dampers, the same in MuJoCo and in the field, with friction
 * and without; what they say of their events, and what cannot be one.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mjcf.h"
#include "robot_cost.h"
#include "robot_fixture.h"
#include "robot_instance.h"
#include "solver.h"

enum { STATES = 500, ROOM = 256 };

/* A quadruped: a free body on four legs of two hinges, whose capsules end in spheres; its knees
 * touch the floor, too, and its legs each other. Friction by `condim` and `impratio`. */
#define QUADRUPED_LEG(name, x, y, condim)                                                          \
  "<body name='" name "' pos='" x " " y " 0'><joint axis='1 0 0'/><joint axis='0 1 0'/>"           \
  "<geom type='capsule' size='.03' fromto='0 0 0 0 0 -.2' condim='" condim "'/>"                   \
  "<body pos='0 0 -.2'><joint axis='0 1 0' limited='true' range='-.8 .8'/>"                        \
  "<geom type='capsule' size='.025' fromto='0 0 0 .05 0 -.2' condim='" condim "'/>"                \
  "</body></body>"
#define QUADRUPED(condim, option)                                                                  \
  "<mujoco><compiler angle='radian'/><option " option "/><default>"                                \
  "<joint stiffness='10' damping='.3'/><geom density='800' friction='.6 .01 .001'/></default>"     \
  "<worldbody><geom name='floor' type='plane' size='5 5 .1' condim='" condim "'/>"                 \
  "<body name='trunk' pos='0 0 .5'><freejoint/>"                                                   \
  "<geom type='box' size='.2 .1 .05' condim='" condim                                              \
  "'/>" QUADRUPED_LEG("fl", ".2", ".12", condim) QUADRUPED_LEG("fr", ".2", "-.12", condim)         \
      QUADRUPED_LEG("bl", "-.2", ".12", condim)                                                    \
          QUADRUPED_LEG("br", "-.2", "-.12", condim) "</body></worldbody></mujoco>"

static robot *twin_of(const char *text, double stiffness, double damping) {
  char message[ROBOT_MESSAGE_SIZE];
  const robot_options options = {.stiffness = stiffness, .damping = damping};
  robot *r = NULL;
  if (robot_open(NULL, text, &options, &r, message)) fail_msg("%s", message);
  assert_true(robot_size(r).dimension <= ROOM && robot_size(r).events <= ROOM);
  return r;
}

/* a state somewhere about the start, turned and bent, its deepest point up to a centimetre deep or
 * a millimetre high */
static void draw(robot *r, gsl_rng *rng, double x[]) {
  const robot_sizes size = robot_size(r);
  const ess_system *s = robot_system(r);
  double h[ROOM], deepest = -INFINITY;
  robot_reset_state(r, x);
  for (size_t i = 3; i < size.nq; ++i) x[i] += fixture_between(rng, -0.2, 0.2);
  for (size_t i = size.nq; i < size.dimension; ++i) x[i] = fixture_between(rng, -1.0, 1.0);
  robot_normalise(r, x);
  assert_int_equal(s->event_functions(0.0, x, h, s->params), 0);
  for (size_t k = 0; k < s->event_count; ++k)
    if (robot_event_is_contact(r, k) && strstr(robot_event_name(r, k), "floor"))
      deepest = fmax(deepest, h[k]);
  x[2] += deepest - fixture_between(rng, -0.001, 0.01);
}

/* q' as MuJoCo integrates it, by differences exact to 1e-9 or so */
static void position_rates(const robot *r, const double x[], double out[]) {
  const double span = 1e-5;
  const mjModel *m = r->shared->model;
  double before[ROOM], after[ROOM];
  memcpy(before, x, (size_t)m->nq * sizeof *x);
  memcpy(after, x, (size_t)m->nq * sizeof *x);
  mj_integratePos(m, before, x + m->nq, -span);
  mj_integratePos(m, after, x + m->nq, span);
  for (int i = 0; i < (int)m->nq; ++i) out[i] = (after[i] - before[i]) / (2.0 * span);
}

/* Of q' and of accelerations: the distance to MuJoCo's, over the field's length. */
typedef struct gap {
  double positions, accelerations;
  size_t touching;
} gap;

static gap gap_of(robot *r) {
  const robot_sizes size = robot_size(r);
  gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
  double sums[2][2] = {{0}};
  gap out = {0};
  for (int i = 0; i < STATES; ++i) {
    double x[ROOM], sign[ROOM], ours[ROOM], theirs[ROOM];
    draw(r, rng, x);
    fixture_signs(r, x, sign);
    fixture_field(r, x, sign, ours);
    if (robot_plain_field(r, x, theirs)) fail_msg("%s", robot_failure(r));
    position_rates(r, x, theirs);
    for (size_t j = 0; j < size.dimension; ++j) {
      sums[j >= size.nq][0] += (ours[j] - theirs[j]) * (ours[j] - theirs[j]);
      sums[j >= size.nq][1] += theirs[j] * theirs[j];
    }
    bool touches = false;
    for (size_t k = 0; k < size.events; ++k)
      touches = touches || (robot_event_is_contact(r, k) && sign[k] > 0.0);
    out.touching += touches;
  }
  gsl_rng_free(rng);
  out.positions = sqrt(sums[0][0] / sums[0][1]);
  out.accelerations = sqrt(sums[1][0] / sums[1][1]);
  return out;
}

static void holds(const char *name, robot *r) {
  const gap g = gap_of(r);
  print_message("%s: gap %.1e, of q' %.1e, %zu of %d touching\n", name, g.accelerations,
                g.positions, g.touching, STATES);
  if (!(g.accelerations <= 1e-7 && g.positions <= 1e-7)) fail_msg("%s: gap too large", name);
  assert_in_range(g.touching, STATES / 2, STATES);
  robot_close(r);
}

static char *six_legs(void) {
  char message[MODEL_MESSAGE_SIZE], *text;
  model m;
  model_init(&m, model_find("legged"));
  if (model_prepare(&m, message)) fail_msg("%s", message);
  mjcf_options options = mjcf_options_default();
  if (mjcf_write(&m, &options, &text, NULL, message)) fail_msg("%s", message);
  model_release(&m);
  return text;
}

static void test_gap(void **state) {
  (void)state;
  char *text = six_legs();
  holds("six legs", twin_of(text, 4000, 20));
  free(text);
  holds("quadruped", twin_of(QUADRUPED("1", ""), 5000, 40));
  holds("undamped", twin_of(QUADRUPED("1", ""), 5000, 0));
  holds("with friction", twin_of(QUADRUPED("3", ""), 5000, 40));
  holds("impratio 7", twin_of(QUADRUPED("3", "impratio='7' cone='elliptic'"), 5000, 40));
  holds("all directions of friction", twin_of(QUADRUPED("6", "cone='pyramidal'"), 5000, 40));
  holds("weak dampers", twin_of(QUADRUPED("3", ""), 5000, 2));
}

/* the rates of event functions whose names have `of` in them against differences along a direction,
 * of all and one by one */
static void compare_rates(const robot *r, const char *of, const double x[], const double v[]) {
  const ess_system *s = robot_system((robot *)r);
  const double span = 1e-4;
  double at[ROOM], before[ROOM], after[ROOM], h[ROOM], rate[ROOM], values[ROOM];
  for (size_t i = 0; i < s->dimension; ++i) at[i] = x[i] - span * v[i];
  assert_int_equal(s->event_functions(0.0, at, before, s->params), 0);
  for (size_t i = 0; i < s->dimension; ++i) at[i] = x[i] + span * v[i];
  assert_int_equal(s->event_functions(0.0, at, after, s->params), 0);
  assert_int_equal(s->event_rates(0.0, x, 1.0, v, NULL, s->event_count, h, rate, s->params), 0);
  assert_int_equal(s->event_functions(0.0, x, values, s->params), 0);
  for (size_t k = 0; k < s->event_count; ++k) {
    double one, one_rate;
    if (!strstr(robot_event_name(r, k), of)) continue;
    const double found = (after[k] - before[k]) / (2.0 * span);
    assert_true(h[k] == values[k]);
    if (!(fabs(found - rate[k]) < 1e-5 * (1.0 + fabs(rate[k]))))
      fail_msg("event %zu: rate %.12g, found %.12g", k, rate[k], found);
    assert_int_equal(s->event_rates(0.0, x, 1.0, v, &k, 1, &one, &one_rate, s->params), 0);
    assert_true(one == h[k] && fabs(one_rate - rate[k]) < 1e-7 * (1.0 + fabs(rate[k])));
  }
}

/* the distance of two capsules has kinks of its own; that of balls has none */
static void test_rates(void **state) {
  (void)state;
  gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
  for (int friction = 0; friction < 2; ++friction) {
    robot *r = twin_of(friction ? QUADRUPED("3", "") : QUADRUPED("1", ""), 5000, 40);
    const ess_system *s = robot_system(r);
    for (int i = 0; i < 20; ++i) {
      double x[ROOM], v[ROOM];
      draw(r, rng, x);
      for (size_t j = 0; j < s->dimension; ++j) v[j] = fixture_between(rng, -1.0, 1.0);
      compare_rates(r, "floor", x, v);
    }
    robot_close(r);
  }
  robot *r = twin_of("<mujoco><default><geom friction='.6 .01 .001'/></default><worldbody>"
                     "<body pos='0 0 1'><freejoint/><geom name='low' size='.1'/></body>"
                     "<body pos='.02 0 1.19'><joint type='ball'/><joint type='slide' axis='0 0 1'/>"
                     "<geom name='high' size='.1' pos='0 .01 0'/></body></worldbody></mujoco>",
                     5000, 40);
  for (int i = 0; i < 20; ++i) {
    double x[ROOM], v[ROOM];
    robot_reset_state(r, x);
    for (size_t j = 0; j < robot_size(r).dimension; ++j) v[j] = fixture_between(rng, -1.0, 1.0);
    for (size_t j = robot_size(r).nq; j < robot_size(r).dimension; ++j)
      x[j] = fixture_between(rng, -1.0, 1.0);
    compare_rates(r, "low - high", x, v);
  }
  robot_close(r);
  gsl_rng_free(rng);
}

/* A ball of 2 kg on a spring and a damper: its force and its acceleration are known. */
static void test_ball(void **state) {
  (void)state;
  robot *r = twin_of("<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
                     "<body pos='0 0 1'><freejoint/><geom name='ball' type='sphere' size='.1' "
                     "mass='2'/></body></worldbody></mujoco>",
                     1000, 10);
  const ess_system *s = robot_system(r);
  assert_int_equal(s->event_count, 2);
  assert_string_equal(robot_event_name(r, 1), "floor - ball, force");
  assert_true(robot_event_is_contact(r, 0) && !robot_event_is_contact(r, 1));
  double x[13], h[2], dxdt[13];
  robot_reset_state(r, x);
  x[2] = 0.08;
  x[9] = -0.5;
  const double sign[] = {1, 1}, free_sign[] = {1, -1};
  assert_int_equal(s->event_functions(0.0, x, h, s->params), 0);
  assert_true(fabs(h[0] - 0.02) < 1e-12 && fabs(h[1] - 0.025) < 1e-12);
  fixture_field(r, x, sign, dxdt);
  assert_true(fabs(dxdt[9] - (25.0 / 2 - 9.81)) < 1e-9);
  fixture_field(r, x, free_sign, dxdt);
  assert_true(fabs(dxdt[9] + 9.81) < 1e-9);
  robot_close(r);
}

/* ---- when a force is an event ---------------------------------------------------------------- */

typedef struct heard {
  size_t forces, in_the_air, touches;
} heard;

static int hear(const ess_crossing_info *info, void *context) {
  heard *const of = context;
  const size_t forces = 8; // as many contacts
  if (info->event >= forces) of->forces++;
  if (info->event >= forces && info->sign[info->event - forces] < 0.0) of->in_the_air++;
  if (info->event < forces && info->direction > 0) of->touches++;
  return 0;
}

/* a box, thrown so that it tumbles and slides */
static heard throw_box(robot *r, bool has_rows, double x[]) {
  heard of = {0};
  ess_system system = *robot_system(r);
  ess_options options = ess_options_default();
  options.rtol = options.atol = 1e-9;
  options.sliding = ESS_SLIDING_SLIDE;
  options.observer = (ess_observer){.crossing = hear, .context = &of};
  if (!has_rows) system.resets = NULL;
  if (!has_rows) system.start = NULL;
  robot_reset_state(r, x);
  x[2] = 0.4;
  for (int i = 7; i < 13; ++i) x[i] = 0.7 * (i - 8);
  robot_forget(r);
  ess_driver *const driver = ess_driver_alloc(&system, &options, NULL);
  double t = 0.0;
  assert_int_equal(ess_driver_apply(driver, &t, 1.0, x), ESS_SUCCESS);
  ess_driver_free(driver);
  return of;
}

static robot *box_of(const char *condim) {
  char text[500];
  snprintf(text, sizeof text,
           "<mujoco><default><geom condim='%s'/></default><worldbody><geom name='floor' "
           "type='plane' size='5 5 1'/><body pos='0 0 1'><freejoint/><geom name='box' type='box' "
           "size='.1 .15 .05' mass='2'/></body></worldbody></mujoco>",
           condim);
  return twin_of(text, 3000, 30);
}

/* A force without friction is an event while its point touches: the motion is what it is with all
 * of them, of which those in the air change nothing. With friction contacts may be slid on, and so
 * their guards arm no others. */
static void a_force_is_an_event_of_what_touches(void **state) {
  (void)state;
  robot *r = box_of("1");
  double x[13], with_all[13];
  assert_int_equal(robot_system(r)->event_count, 16);
  const heard own = throw_box(r, true, x), all = throw_box(r, false, with_all);
  assert_true(own.touches > 3 && own.forces > 0 && own.in_the_air == 0 && all.in_the_air > 3);
  assert_int_equal(own.touches, all.touches);
  assert_int_equal(own.forces, all.forces - all.in_the_air);
  assert_true(fixture_distance(x, with_all, 13) < 1e-6);
  robot_close(r);
  r = box_of("3");
  ess_options options = ess_options_default();
  bool slides[16];
  for (size_t k = 0; k < 16; ++k) slides[k] = true;
  options.sliding = ESS_SLIDING_SLIDE;
  options.slides = slides;
  assert_null(ess_check(robot_system(r), &options));
  robot_close(r);
}

/* The written twin compiles, has the added mass that it says, and is a twin no more. */
static void test_text(void **state) {
  (void)state;
  robot *r = twin_of(QUADRUPED("3", ""), 5000, 40);
  const char *text = robot_twin_text(r);
  assert_non_null(strstr(text, "<pair"));
  robot *bare = fixture_robot(text);
  assert_null(robot_twin_text(bare));
  double x[ROOM], ours[ROOM], theirs[ROOM], sums[2] = {0};
  gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
  for (int i = 0; i < 100; ++i) {
    draw(r, rng, x);
    assert_int_equal(robot_plain_field(r, x, ours), 0);
    assert_int_equal(robot_plain_field(bare, x, theirs), 0);
    sums[0] += pow(fixture_distance(ours, theirs, robot_size(r).dimension), 2);
    sums[1] += pow(fixture_length(ours, robot_size(r).dimension), 2);
  }
  gsl_rng_free(rng);
  print_message("the text's gap, where contacts have their added mass: %.1e\n",
                sqrt(sums[0] / sums[1]));
  assert_true(sqrt(sums[0] / sums[1]) < 1e-2 && sqrt(sums[0] / sums[1]) > 1e-6);
  robot_close(bare);
  robot_close(r);
}

/* Both gaps along a motion; and files: the text and the binary are read again, the binary's field
 * being MuJoCo's of the twin. */
static void test_gaps_and_files(void **state) {
  (void)state;
  char message[ROBOT_MESSAGE_SIZE], folder[] = "/tmp/robot_twin.XXXXXX", name[64];
  robot *r = twin_of(QUADRUPED("3", ""), 5000, 40), *again;
  double x[ROOM], one[ROOM], two[ROOM];
  robot_twin_gaps gaps;
  robot_reset_state(r, x);
  if (robot_twin_gap(r, x, 1, &gaps, message)) fail_msg("%s", message);
  print_message("along a fall: gap %.1e, of the text %.1e, %zu of %zu touching\n", gaps.field,
                gaps.text, gaps.touching, gaps.states);
  assert_true(gaps.field <= 1e-7 && gaps.text > 1e-6 && gaps.text < 1e-2);
  assert_true(gaps.states > 50 && gaps.touching > 30);

  assert_non_null(mkdtemp(folder));
  snprintf(name, sizeof name, "%s/twin.xml", folder);
  assert_int_equal(robot_save(r, name, message), 0);
  assert_int_equal(robot_open(name, NULL, NULL, &again, message), 0);
  robot_close(again);
  remove(name);
  snprintf(name, sizeof name, "%s/twin.mjb", folder);
  assert_int_equal(robot_save(r, name, message), 0);
  assert_int_equal(robot_open(name, NULL, NULL, &again, message), 0);
  assert_int_equal(robot_plain_field(r, x, one), 0);
  assert_int_equal(robot_plain_field(again, x, two), 0);
  assert_true(fixture_distance(one, two, robot_size(r).dimension) < 1e-12);
  assert_int_equal(robot_save(again, name, message), SOLVER_REFUSED);
  assert_int_equal(robot_twin_gap(again, x, 1, &gaps, message), SOLVER_REFUSED);
  robot_close(again);
  const robot_options options = {.stiffness = 5000};
  assert_int_equal(robot_open(name, NULL, &options, &again, message), SOLVER_REFUSED);
  assert_non_null(strstr(message, "it is made of an MJCF"));
  remove(name);
  remove(folder);
  assert_int_equal(robot_save(r, "/nowhere/twin.xml", message), SOLVER_FAILED);
  assert_non_null(strstr(message, "cannot write /nowhere/twin.xml: No such file"));
  assert_int_equal(robot_save(r, "/nowhere/twin.mjb", message), SOLVER_FAILED);
  robot_close(r);
}

/* MuJoCo's own steps have none of the forces that the field has left */
static void test_costs_are_of_a_motion_of_its_own(void **state) {
  (void)state;
  robot *r = twin_of(QUADRUPED("3", ""), 5000, 40);
  const ess_system *s = robot_system(r);
  const size_t n = s->dimension;
  double *before = calloc(2 * STATES * n, sizeof *before), *after = before + STATES * n;
  double x[ROOM], h[ROOM], sign[ROOM], rates[ROOM];
  robot_cost cost, again;
  assert_non_null(before);
  robot_reset_state(r, x);
  assert_int_equal(robot_cost_states(r, x, 0.002, STATES, before), 0);
  assert_int_equal(robot_cost_at(r, before, STATES, 1, &cost), 0);
  assert_true(cost.acting > 0.5);
  // where it stands at last
  const double *last = before + (STATES - 1) * n;
  assert_int_equal(s->event_functions(0.0, last, h, r), 0);
  for (size_t k = 0; k < s->event_count; ++k) sign[k] = h[k] > 0.0 ? 1.0 : -1.0;
  assert_int_equal(s->field(0.0, last, sign, rates, r), 0);
  assert_int_equal(robot_cost_states(r, x, 0.002, STATES, after), 0);
  assert_memory_equal(before, after, STATES * n * sizeof *before);
  assert_int_equal(robot_cost_at(r, after, STATES, 1, &again), 0);
  assert_true(again.acting == cost.acting);
  free(before);
  robot_close(r);
}

static void test_numbers(void **state) {
  (void)state;
  static const char *const bad[] = {"5e3",  "",    "x",     "1,",      "1,2,3",
                                    "-1,2", "0,1", "nan,1", "1e999,1", "1,-2"};
  char message[ROBOT_MESSAGE_SIZE];
  robot_options o;
  assert_int_equal(robot_options_twin("5e3,40.5", &o, message), 0);
  assert_true(o.stiffness == 5000.0 && o.damping == 40.5);
  assert_int_equal(robot_options_twin("5e3,0", &o, message), 0);
  assert_true(o.damping == 0.0);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    assert_int_equal(robot_options_twin(bad[i], &o, message), SOLVER_REFUSED);
    assert_non_null(strstr(message, "it is K,C, a stiffness > 0"));
  }
}

static void refused(const char *text, double stiffness, double damping, const char *words) {
  char message[ROBOT_MESSAGE_SIZE];
  const robot_options options = {.stiffness = stiffness, .damping = damping};
  robot *r;
  assert_int_not_equal(robot_open(NULL, text, &options, &r, message), 0);
  assert_null(r);
  assert_null(strchr(message, '\n'));
  if (!strstr(message, words)) fail_msg("\"%s\" lacks \"%s\"", message, words);
}

static void test_refusals(void **state) {
  (void)state;
  refused(QUADRUPED("1", ""), -1, 0, "a twin of -1 N/m and 0 N s/m is not accepted");
  refused(QUADRUPED("1", ""), 0, 5, "a twin of 0 N/m and 5 N s/m is not accepted");
  refused(QUADRUPED("1", ""), NAN, 5, "a twin of nan N/m");
  refused(QUADRUPED("1", ""), 1000, INFINITY, "inf N s/m is not accepted");
  refused("<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>", 1000,
          1, "no twin: nothing in it may touch anything");
  refused("<mujoco><worldbody><geom name='f' type='plane' size='1 1 1'/><body name='a'>"
          "<freejoint/><geom name='g' size='1'/></body></worldbody><equality>"
          "<connect body1='a' anchor='0 0 0'/></equality></mujoco>",
          1000, 1, "no twin: an equality constraint holds bodies");
  refused("<mujoco><worldbody><geom name='f' type='plane' size='1 1 1' surfacevel='1 0 0 0 0 0'/>"
          "<body><freejoint/><geom name='g' size='1'/></body></worldbody></mujoco>",
          1000, 1, "no twin: surfaces in it move against their bodies");
  refused("<mujoco><worldbody><geom name='f' type='plane' size='1 1 1'/><body><freejoint/>"
          "<geom name='g' size='1'/></body></worldbody><contact>"
          "<pair geom1='f' geom2='g' friction='1 .5 .1 .1 .1'/></contact></mujoco>",
          1000, 1, "no twin: the friction of a contact depends on the direction");
}

/* ---- what linearly implicit steps solve --------------------------------------------------------
 */

/* (1 - c J) w by differences of the field, where velocities are 0: there the field bends in them as
 * its dampers do alone */
static void multiply(robot *r, const double x[], const double sign[], double c, const double w[],
                     double out[]) {
  const size_t n = robot_size(r).dimension;
  double y[ROOM], before[ROOM], after[ROOM];
  const double span = 1e-6;
  for (int side = -1; side <= 1; side += 2) {
    for (size_t i = 0; i < n; ++i) y[i] = x[i] + side * span * w[i];
    fixture_field(r, y, sign, side < 0 ? before : after);
  }
  for (size_t i = 0; i < n; ++i) out[i] = w[i] - c * (after[i] - before[i]) / (2.0 * span);
}

/* a state at rest; one foot alone in the floor, so deep, where that is more than 0; how many act */
static size_t draw_at_rest(robot *r, gsl_rng *rng, double depth, double x[], double sign[]) {
  const robot_sizes size = robot_size(r);
  const ess_system *const s = robot_system(r);
  double h[ROOM], deepest = -INFINITY;
  size_t acting = 0;
  draw(r, rng, x);
  memset(x + size.nq, 0, size.nv * sizeof *x);
  assert_int_equal(s->event_functions(0.0, x, h, r), 0);
  for (size_t i = 0; i < s->event_count; ++i)
    if (robot_event_is_contact(r, i) && strstr(robot_event_name(r, i), "floor"))
      deepest = fmax(deepest, h[i]);
  if (depth > 0.0) x[2] += deepest - depth;
  assert_int_equal(s->event_functions(0.0, x, h, r), 0);
  for (size_t i = 0; i < s->event_count; ++i) {
    sign[i] = h[i] > 0.0 ? 1.0 : -1.0;
    acting += h[i] > 0.0 && robot_event_is_contact(r, i);
  }
  return acting;
}

/* The largest part by which (1 - c W)^-1 (1 - c J) w differs from w, which is of velocities; or of
 * positions, with one foot at the floor: where contacts push it counts, too, how they turn. */
static double worst_solution(robot *r, double depth, double c_most) {
  const robot_sizes size = robot_size(r);
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  const size_t first = depth > 0.0 ? 0 : size.nq, end = depth > 0.0 ? size.nq : size.dimension;
  double x[ROOM], sign[ROOM], w[ROOM] = {0.0}, v[ROOM], worst = 0.0;
  size_t acting = 0;
  for (unsigned k = 0; k < 40; ++k) {
    acting += draw_at_rest(r, rng, depth, x, sign);
    for (size_t i = first; i < end; ++i) w[i] = fixture_between(rng, -1.0, 1.0);
    const double c = c_most * pow(10.0, fixture_between(rng, -3.0, 0.0));
    multiply(r, x, sign, c, w, v);
    const double large = fmax(fixture_length(v, size.dimension), fixture_length(w, size.dimension));
    robot_forget(r);
    assert_int_equal(robot_system(r)->field_solve(0.0, x, sign, c, v, r), 0);
    worst = fmax(worst, fixture_distance(v, w, size.dimension) / large);
  }
  assert_true(acting >= 30);
  gsl_rng_free(rng);
  robot_close(r);
  return worst;
}

static void dampers_are_those_of_the_field(void **state) {
  (void)state;
  assert_true(worst_solution(twin_of(QUADRUPED("1", ""), 3000.0, 60.0), 0.0, 0.1) < 1e-6);
  // feet that stick: dampers in all directions
  assert_true(worst_solution(twin_of(QUADRUPED("3", ""), 3000.0, 60.0), 0.0, 0.1) < 1e-6);
}

/* MuJoCo's own contacts, which push by accelerations, too */
static robot *own_of(const char *text) {
  char message[ROBOT_MESSAGE_SIZE];
  robot *r = NULL;
  if (robot_open(NULL, text, NULL, &r, message)) fail_msg("%s", message);
  return r;
}

static void rows_are_those_of_the_field(void **state) {
  (void)state;
  assert_true(worst_solution(own_of(QUADRUPED("1", "")), 0.0, 0.1) < 1e-6);
  assert_true(worst_solution(own_of(QUADRUPED("3", "")), 0.0, 0.1) < 1e-6);
  const char *const hard = QUADRUPED("1' solref='-1e8 0", "");
  assert_true(worst_solution(own_of(hard), 4e-6, 1e-5) < 1e-3);
}

static void springs_are_those_of_the_field(void **state) {
  (void)state;
  // next to them what gravity changes by is nothing
  assert_true(worst_solution(twin_of(QUADRUPED("1", ""), 1e12, 0.0), 1e-12, 1e-6) < 1e-3);
}

/* after a step from x to y the solution at y is that of y alone, whatever has been kept of x */
static void what_is_kept_is_not_taken_for_another_state(void **state) {
  (void)state;
  robot *const r = twin_of(QUADRUPED("1", ""), 3000.0, 60.0);
  const robot_sizes size = robot_size(r);
  const ess_system *const s = robot_system(r);
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  double x[ROOM], sign[ROOM], f[ROOM], v[ROOM], kept[ROOM], anew[ROOM];
  for (int k = 0; k < 40; ++k) {
    draw(r, rng, x);
    assert_int_equal(s->event_functions(0.0, x, sign, r), 0);
    for (size_t i = 0; i < s->event_count; ++i) sign[i] = sign[i] > 0.0 ? 1.0 : -1.0;
    for (size_t i = 0; i < size.dimension; ++i)
      v[i] = kept[i] = anew[i] = fixture_between(rng, -1.0, 1.0);
    if (k % 2) fixture_field(r, x, sign, f);
    assert_int_equal(s->field_solve(0.0, x, sign, 1e-2, kept, r), 0);
    robot_forget(r);
    assert_int_equal(s->field_solve(0.0, x, sign, 1e-2, anew, r), 0);
    assert_memory_equal(kept, anew, size.dimension * sizeof *kept);
    assert_true(fixture_distance(kept + size.nq, v + size.nq, size.nv) > 1e-2);
  }
  gsl_rng_free(rng);
  robot_close(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gap),
      cmocka_unit_test(test_rates),
      cmocka_unit_test(test_ball),
      cmocka_unit_test(a_force_is_an_event_of_what_touches),
      cmocka_unit_test(test_text),
      cmocka_unit_test(test_gaps_and_files),
      cmocka_unit_test(test_costs_are_of_a_motion_of_its_own),
      cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(dampers_are_those_of_the_field),
      cmocka_unit_test(springs_are_those_of_the_field),
      cmocka_unit_test(rows_are_those_of_the_field),
      cmocka_unit_test(what_is_kept_is_not_taken_for_another_state),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
