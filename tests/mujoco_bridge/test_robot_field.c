/*
 * A robot's field is MuJoCo's: with the signs that a state has it is mj_forward's, accelerations
 * and rates of positions; and with signs that are not the state's it goes on smoothly.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <string.h>

#include "robot_fixture.h"

#include <mujoco/mujoco.h>

#include "robot_forces.h"

/* ---- states ---------------------------------------------------------------------------------- */

static const char *const zoos[] = {
    FIXTURE_ZOO("pyramidal", "dense"), FIXTURE_ZOO("pyramidal", "sparse"),
    FIXTURE_ZOO("elliptic", "dense"), FIXTURE_ZOO("elliptic", "sparse")};
enum { ZOOS = sizeof zoos / sizeof *zoos };

/* positions about the model's own, low enough to touch the floor in half of the cases; quaternions
 * of any length */
static void draw(const robot *r, gsl_rng *rng, double x[]) {
  const robot_sizes s = robot_size(r);
  robot_reset_state(r, x);
  for (size_t i = 0; i < s.dimension; ++i) {
    const double reach = i < s.nq ? 0.5 : 2.0;
    x[i] += fixture_between(rng, -reach, reach);
  }
  x[2] -= fixture_between(rng, 0.0, 0.4);
}

static void draw_control(robot *r, gsl_rng *rng) {
  double ctrl[FIXTURE_STATES];
  for (size_t i = 0; i < robot_size(r).nu; ++i) ctrl[i] = fixture_between(rng, -2.0, 2.0);
  robot_set_control(r, ctrl);
}

/* shapes without rules, all with the same attributes, above and within each other */
#define FOLLOWED(cone, all)                                                                        \
  "<mujoco><option cone='" cone "'/><default><geom density='500' " all "/></default>"              \
  "<asset><mesh name='m' vertex='0 0 -.2 .2 0 .1 -.1 .2 .1 -.1 -.2 .1 .1 .1 .2'/>"                 \
  "<hfield name='h' nrow='5' ncol='5' size='1 1 .2 .1'"                                            \
  " elevation='0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0'/></asset><worldbody>"            \
  "<geom name='floor' type='plane' size='5 5 .1'/>"                                                \
  "<geom name='hills' type='hfield' hfield='h' pos='3 0 0'/>"                                      \
  "<geom name='table' type='box' size='.5 .5 .1' pos='0 3 .1'/>"                                   \
  "<geom name='drum' type='cylinder' size='.4 .2' pos='-3 0 .2'/>"                                 \
  "<body pos='0 0 .3'><freejoint/><geom name='can' type='cylinder' size='.1 .2'/></body>"          \
  "<body pos='.1 .2 .5'><freejoint/><geom name='stone' type='mesh' mesh='m'/></body>"              \
  "<body pos='.2 .1 .7'><freejoint/><geom name='crate' type='box' size='.1 .15 .2'/></body>"       \
  "<body pos='.1 .1 .9'><freejoint/><geom name='egg' type='ellipsoid' size='.1 .15 .2'/></body>"   \
  "</worldbody></mujoco>"

/* each of the four near one of the four that stand, and near each other */
static void draw_followed(const robot *r, gsl_rng *rng, double x[]) {
  static const double places[4][3] = {{0, 0, 0.1}, {3, 0, 0.2}, {0, 3, 0.3}, {-3, 0, 0.5}};
  const robot_sizes s = robot_size(r);
  const double *at = places[gsl_rng_uniform_int(rng, 4)];
  for (size_t i = 0; i < s.dimension; ++i) x[i] = fixture_between(rng, -1.0, 1.0);
  for (int body = 0; body < 4; ++body) {
    if (gsl_rng_uniform_int(rng, 3) == 0) at = places[gsl_rng_uniform_int(rng, 4)];
    for (int i = 0; i < 3; ++i) x[7 * body + i] = at[i] + fixture_between(rng, -0.3, 0.3);
  }
}

/* ---- tests ----------------------------------------------------------------------------------- */

static bool is_followed(const robot *r, size_t k) {
  for (size_t i = 0; i < robot_finding_count(r); ++i) {
    const robot_finding *f = &robot_findings(r)[i];
    if (f->treatment == ROBOT_FOLLOWED && f->first_event == k && f->events > 0) return true;
  }
  return false;
}

static void test_gap(void **state) {
  (void)state;
  gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
  for (int zoo = 0; zoo < ZOOS; ++zoo) {
    robot *r = fixture_robot(zoos[zoo]);
    const size_t n = robot_size(r).dimension, events = robot_size(r).events;
    bool acted[FIXTURE_EVENTS] = {0};
    size_t compared = 0;
    double worst = 0.0;
    for (int trial = 0; trial < 2000; ++trial) {
      double x[FIXTURE_STATES], ours[FIXTURE_STATES], its[FIXTURE_STATES], sign[FIXTURE_EVENTS];
      draw(r, rng, x);
      draw_control(r, rng);
      fixture_signs(r, x, sign);
      fixture_field(r, x, sign, ours);
      assert_int_equal(robot_plain_field(r, x, its), 0);
      worst = fmax(worst, fixture_distance(ours, its, n) / fixture_length(its, n));
      for (size_t k = 0; k < events; ++k) acted[k] |= sign[k] > 0.0;
      compared++;
    }
    print_message("zoo %d: %zu states, gap %.1e\n", zoo, compared, worst);
    assert_true(compared > 500);
    // elliptic cones with many contacts: as far as Newton gets
    assert_true(worst < (strstr(zoos[zoo], "elliptic") ? 2e-9 : 1e-11));
    for (size_t k = 0; k < events; ++k)
      if (!acted[k] && !is_followed(r, k)) fail_msg("%s has not acted", robot_event_name(r, k));
    robot_close(r);
  }
  gsl_rng_free(rng);
}

static size_t forwards;

static void count_forward(const mjModel *m, mjData *d) {
  (void)m;
  (void)d;
  ++forwards;
}

/* The solve of the field without event functions is that of the field with them, and takes what
 * that field's latest call has left: no event function, and no second field. */
static void test_plain_solve(void **state) {
  (void)state;
  gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
  for (int zoo = 0; zoo < ZOOS; ++zoo) {
    robot *r = fixture_robot(zoos[zoo]);
    const ess_system *const s = robot_system(r);
    const size_t n = s->dimension;
    double worst = 0.0, moved = 0.0;
    mjcb_passive = count_forward;
    for (int trial = 0; trial < 200; ++trial) {
      double x[FIXTURE_STATES], f[FIXTURE_STATES], plain[FIXTURE_STATES], its[FIXTURE_STATES];
      double sign[FIXTURE_EVENTS];
      draw(r, rng, x);
      fixture_signs(r, x, sign);
      robot_forget(r);
      fixture_field(r, x, sign, f);
      memcpy(its, f, sizeof its);
      assert_int_equal(s->field_solve(0.0, x, sign, 1e-2, its, r), 0);
      // as a step has it: its node's field, the solve, and after a refusal another solve there
      for (int known = 0; known < 2; ++known) {
        robot_forget(r);
        forwards = 0;
        if (known) assert_int_equal(robot_plain_field(r, x, plain), 0);
        memcpy(plain, f, sizeof plain);
        assert_int_equal(robot_plain_solve(r, x, 1e-2, plain), 0);
        assert_int_equal(forwards, 1);
        worst = fmax(worst, fixture_distance(plain, its, n) / fixture_length(its, n));
        memcpy(plain, f, sizeof plain);
        assert_int_equal(robot_plain_solve(r, x, 5e-3, plain), 0);
        assert_int_equal(forwards, 1);
      }
      moved = fmax(moved, fixture_distance(f, its, n) / fixture_length(f, n));
    }
    mjcb_passive = NULL;
    print_message("zoo %d: solves are apart by %.1e, and change by %.1e\n", zoo, worst, moved);
    assert_true(worst < 1e-6);
    assert_true(moved > 0.1);
    robot_close(r);
  }
  gsl_rng_free(rng);
}

/* Forces are as exact as a run's tolerance asks for, and the next search starts from the last one's
 * accelerations. */
static void test_precision(void **state) {
  (void)state;
  static const double tolerance[] = {1e-1, 1e-2, 1e-4, 1e-6};
  gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
  for (int zoo = 0; zoo < ZOOS; ++zoo) {
    robot *r = fixture_robot(zoos[zoo]);
    const size_t n = robot_size(r).dimension, nv = robot_size(r).nv;
    for (int trial = 0; trial < 300; ++trial) {
      double x[FIXTURE_STATES], exact[FIXTURE_STATES], its[FIXTURE_STATES];
      draw(r, rng, x);
      robot_forget(r);
      robot_set_precision(r, 1e-9);
      const double same = r->model.opt.ccd_tolerance; // distances are not compared
      assert_int_equal(robot_plain_field(r, x, exact), 0);
      for (size_t i = 0; i < sizeof tolerance / sizeof *tolerance; ++i) {
        robot_forget(r);
        robot_set_precision(r, tolerance[i]);
        r->model.opt.ccd_tolerance = same;
        assert_int_equal(robot_plain_field(r, x, its), 0);
        const double off = fixture_distance(its, exact, n) / fixture_length(exact, n);
        if (!(off < 0.1 * tolerance[i])) fail_msg("%g at %g", off, tolerance[i]);
        assert_memory_equal(r->data->qacc_warmstart, r->data->qacc, nv * sizeof(double));
      }
    }
    robot_close(r);
  }
  gsl_rng_free(rng);
}

/* distances are the event functions of contacts, and no others */
static void test_distances(void **state) {
  (void)state;
  for (int zoo = 0; zoo < ZOOS; ++zoo) {
    robot *r = fixture_robot(zoos[zoo]);
    size_t contacts = 0;
    for (size_t k = 0; k < robot_size(r).events; ++k) {
      assert_int_equal(robot_system(r)->distances[k], robot_event_is_contact(r, k));
      contacts += robot_event_is_contact(r, k);
    }
    assert_true(contacts > 0 && contacts < robot_size(r).events);
    robot_close(r);
  }
}

/* what is followed acts exactly where MuJoCo says so, and at its points */
static void test_followed(void **state) {
  (void)state;
  static const char *const models[] = {
      FOLLOWED("pyramidal", "margin='0'"), FOLLOWED("elliptic", "margin='.01'"),
      FOLLOWED("elliptic", "condim='6' surfacevel='1 .3 .2 .5 -.4 2'")};
  gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
  for (int model = 0; model < 3; ++model) {
    robot *r = fixture_robot(models[model]);
    const size_t n = robot_size(r).dimension, events = robot_size(r).events;
    size_t acted[FIXTURE_EVENTS] = {0};
    for (int trial = 0; trial < 3000; ++trial) {
      double x[FIXTURE_STATES], ours[FIXTURE_STATES], its[FIXTURE_STATES], sign[FIXTURE_EVENTS];
      draw_followed(r, rng, x);
      fixture_signs(r, x, sign);
      fixture_field(r, x, sign, ours);
      assert_int_equal(robot_plain_field(r, x, its), 0);
      const double gap = fixture_distance(ours, its, n) / fixture_length(its, n);
      if (!(gap < 2e-9)) fail_msg("model %d, trial %d: gap %g", model, trial, gap);
      for (size_t k = 0; k < events; ++k) acted[k] += sign[k] > 0.0;
    }
    for (size_t k = 0; k < events; ++k)
      if (is_followed(r, k) && acted[k] < 20)
        fail_msg("%s acted %zu times", robot_event_name(r, k), acted[k]);
    robot_close(r);
  }
  gsl_rng_free(rng);
}

/* the rate of a pair's depth is its derivative, but for kinks, whether its points are along it or
 * not */
static void test_followed_rates(void **state) {
  (void)state;
  const double reach = 1e-6;
  gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
  robot *r = fixture_robot(
      "<mujoco><asset><mesh name='m' vertex='-.1 -.1 -.1 .1 -.1 -.1 -.1 .1 -.1 .1 .1 -.1"
      " -.1 -.1 .1 .1 -.1 .1 -.1 .1 .1 .1 .1 .1'/></asset><worldbody>"
      "<geom type='box' size='1 1 .1' pos='0 0 -.1'/><body><freejoint/>"
      "<geom type='mesh' mesh='m'/></body></worldbody></mujoco>");
  const ess_system *s = robot_system(r);
  size_t touching = 0, right = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    double x[13] = {0.0, 0.0, 0.08, 1.0}, v[13], there[13], back[13], h, rate, after, before;
    for (int i = 0; i < 7; ++i) x[i] += fixture_between(rng, -0.05, 0.05);
    for (int i = 0; i < 13; ++i) v[i] = fixture_between(rng, -1.0, 1.0);
    for (int i = 0; i < 13; ++i) there[i] = x[i] + reach * v[i];
    for (int i = 0; i < 13; ++i) back[i] = x[i] - reach * v[i];
    assert_int_equal(s->event_rates(0.0, x, 1.0, v, NULL, s->event_count, &h, &rate, r), 0);
    assert_int_equal(s->event_functions(0.0, there, &after, r), 0);
    assert_int_equal(s->event_functions(0.0, back, &before, r), 0);
    touching += h > 0.0;
    right += h > 0.0 && fabs((after - before) / (2.0 * reach) - rate) < 1e-4;
  }
  print_message("%zu of %zu rates\n", right, touching);
  assert_true(touching > 500 && (double)right > 0.99 * (double)touching);
  gsl_rng_free(rng);
  robot_close(r);
}

/* a can that rocks: one point of its rim, or three when it stands; turning by less moves no point
 */
static void test_jumps(void **state) {
  (void)state;
  static const struct {
    double height, tilt;
    size_t points, jumped;
    double dist; /* the lowest point's */
  } looks[] = {{0.3, 0.0, 0, 0, 0.0},           {0.19, 0.3, 1, 0, -0.03062},
               {0.19, 0.301, 1, 0, -0.03066},   {0.199, 0.001, 3, 1, -0.0011},
               {0.199, 0.0011, 3, 0, -0.00111}, {0.3, 0.0, 0, 0, 0.0},
               {0.19, 0.3, 1, 0, -0.03062},     {0.19, -0.3, 1, 1, -0.03062}};
  robot *r = fixture_robot(
      "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/><body pos='0 0 1'>"
      "<freejoint/><geom name='can' type='cylinder' size='.1 .2'/></body></worldbody></mujoco>");
  robot_points now[1] = {{0}};
  assert_int_equal(robot_followed_pairs(r), 1);
  for (size_t i = 0; i < sizeof looks / sizeof *looks; ++i) {
    const double half = 0.5 * looks[i].tilt;
    const double x[13] = {0.0, 0.0, looks[i].height, cos(half), sin(half)};
    robot_point_jumps jumps = {9, 9.0};
    assert_int_equal(robot_points_jumped(r, x, now, &jumps), 0);
    if (now[0].count != looks[i].points || jumps.count != looks[i].jumped)
      fail_msg("look %zu: %zu points, %zu jumps", i, now[0].count, jumps.count);
    // where they jump, by how much the lowest point has moved from one look to the next
    const double moved = jumps.count ? fabs(looks[i].dist - looks[i - 1].dist) : 0.0;
    if (fabs(jumps.dist - moved) > 1e-4) fail_msg("look %zu: a jump of %g m", i, jumps.dist);
  }
  robot_close(r);
}

/* more prisms of a height field than MuJoCo lists of a pair are within the search's reach */
static void test_fine_hills(void **state) {
  (void)state;
  enum { ROWS = 60 };
  static char text[8 * ROWS * ROWS + 1000];
  size_t at =
      (size_t)snprintf(text, sizeof text,
                       "<mujoco><asset><hfield name='h' nrow='%d' ncol='%d' size='1 1 .2 .1'"
                       " elevation='",
                       ROWS, ROWS);
  for (int i = 0; i < ROWS * ROWS; ++i)
    at += (size_t)snprintf(text + at, sizeof text - at, "%.3f ",
                           0.5 + 0.5 * sin(0.3 * (i % ROWS)) * cos(0.2 * (i / ROWS)));
  snprintf(text + at, sizeof text - at,
           "'/></asset><worldbody><geom name='hills' type='hfield' hfield='h'/><body pos='0 0 1'>"
           "<freejoint/><geom name='ball' size='.2'/></body></worldbody></mujoco>");
  gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
  robot *r = fixture_robot(text);
  size_t acted = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    double x[13] = {0.0, 0.0, 0.0, 1.0}, ours[13], its[13], sign[1];
    for (int i = 0; i < 2; ++i) x[i] = fixture_between(rng, -0.7, 0.7);
    x[2] = fixture_between(rng, 0.1, 0.5);
    fixture_signs(r, x, sign);
    fixture_field(r, x, sign, ours);
    assert_int_equal(robot_plain_field(r, x, its), 0);
    const double gap = fixture_distance(ours, its, 13) / fixture_length(its, 13);
    if (!(gap < 2e-9)) fail_msg("trial %d at %g %g %g: gap %g", trial, x[0], x[1], x[2], gap);
    acted += sign[0] > 0.0;
  }
  assert_true(acted > 100 && acted < 900);
  gsl_rng_free(rng);
  robot_close(r);
}

/* room for the contacts, but not for the rows of their forces: MuJoCo goes on without them */
static void test_no_room(void **state) {
  (void)state;
  char text[1000];
  size_t at = (size_t)snprintf(text, sizeof text,
                               "<mujoco><size memory='5K'/><worldbody>"
                               "<geom type='plane' size='5 5 .1'/>");
  for (int i = 0; i < 4; ++i)
    at += (size_t)snprintf(text + at, sizeof text - at,
                           "<body pos='%d 0 .09'><joint type='slide' axis='0 0 1'/>"
                           "<geom size='.1' condim='1'/></body>",
                           i);
  snprintf(text + at, sizeof text - at, "</worldbody></mujoco>");
  robot *r = fixture_robot(text);
  const ess_system *s = robot_system(r);
  const double x[8] = {0.0};
  double dxdt[8], sign[FIXTURE_EVENTS];
  fixture_signs(r, x, sign);
  for (int i = 0; i < 4; ++i) assert_true(sign[i] > 0.0);
  assert_int_equal(s->field(0.0, x, sign, dxdt, r), -1);
  assert_non_null(strstr(robot_failure(r), "memory"));
  assert_int_equal(robot_plain_field(r, x, dxdt), -1);
  robot_close(r);
}

/* the rates that a step of MuJoCo's makes, as the step goes to 0: q' included */
static void test_steps(void **state) {
  (void)state;
  const double step = 1e-7;
  char error[1000];
  gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
  robot *r = fixture_robot(zoos[0]);
  mjVFS *files = calloc(1, sizeof *files);
  mj_defaultVFS(files);
  assert_int_equal(mj_addBufferVFS(files, "zoo.xml", zoos[0], (int)strlen(zoos[0])), 0);
  mjModel *m = mj_loadXML("zoo.xml", files, error, sizeof error);
  mj_deleteVFS(files);
  free(files);
  assert_non_null(m);
  m->opt.timestep = step;
  mjData *d = mj_makeData(m);
  const size_t nq = (size_t)m->nq, nv = (size_t)m->nv, na = (size_t)m->na;
  for (int trial = 0; trial < 200; ++trial) {
    double x[FIXTURE_STATES], dxdt[FIXTURE_STATES], sign[FIXTURE_EVENTS], rate[FIXTURE_STATES];
    draw(r, rng, x);
    robot_normalise(r, x);
    fixture_signs(r, x, sign);
    fixture_field(r, x, sign, dxdt);
    mj_resetData(m, d);
    memcpy(d->qpos, x, nq * sizeof *x);
    memcpy(d->qvel, x + nq, nv * sizeof *x);
    memcpy(d->act, x + nq + nv, na * sizeof *x);
    mj_step(m, d);

    // Euler moves positions by the new velocities: by half a step's acceleration more than it is
    for (size_t i = 0; i < nq; ++i) rate[i] = (d->qpos[i] - x[i]) / step;
    for (size_t i = 0; i < nv; ++i) rate[nq + i] = (d->qvel[i] - x[nq + i]) / step;
    for (size_t i = 0; i < na; ++i) rate[nq + nv + i] = (d->act[i] - x[nq + nv + i]) / step;
    const double size = 1.0 + fixture_length(dxdt, nq + nv + na);
    assert_true(fixture_distance(dxdt, rate, nq) < 1e-5 + 2.0 * step * size);
    assert_true(fixture_distance(dxdt + nq, rate + nq, nv + na) < 1e-3 * size);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
  robot_close(r);
  gsl_rng_free(rng);
}

/* event functions' rates along any direction, quaternions of any length, are their derivatives */
static void test_rates(void **state) {
  (void)state;
  gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
  robot *r = fixture_robot(zoos[0]);
  const ess_system *s = robot_system(r);
  for (int trial = 0; trial < 500; ++trial) {
    const double reach = 1e-6;
    double x[FIXTURE_STATES], v[FIXTURE_STATES], there[FIXTURE_STATES], back[FIXTURE_STATES];
    double h[FIXTURE_EVENTS], rate[FIXTURE_EVENTS], after[FIXTURE_EVENTS], before[FIXTURE_EVENTS];
    draw(r, rng, x);
    for (size_t i = 0; i < s->dimension; ++i) v[i] = fixture_between(rng, -1.0, 1.0);
    for (size_t i = 0; i < s->dimension; ++i) there[i] = x[i] + reach * v[i];
    for (size_t i = 0; i < s->dimension; ++i) back[i] = x[i] - reach * v[i];
    assert_int_equal(s->event_rates(0.0, x, 1.0, v, NULL, s->event_count, h, rate, r), 0);
    assert_int_equal(s->event_functions(0.0, there, after, r), 0);
    assert_int_equal(s->event_functions(0.0, back, before, r), 0);
    for (size_t k = 0; k < s->event_count; ++k) {
      const double found = (after[k] - before[k]) / (2.0 * reach);
      if (fabs(found - rate[k]) > 1e-5 && !is_followed(r, k))
        fail_msg("%s: %g, not %g", robot_event_name(r, k), rate[k], found);
    }
    const size_t which[2] = {s->event_count - 1, 3};
    double some[2], some_rate[2];
    assert_int_equal(s->event_rates(0.0, x, 1.0, v, which, 2, some, some_rate, r), 0);
    for (int i = 0; i < 2; ++i) assert_true(some[i] == h[which[i]]);
    for (int i = 0; i < 2; ++i) assert_true(some_rate[i] == rate[which[i]]);
  }
  robot_close(r);
  gsl_rng_free(rng);
}

/* joints of every kind, off their bodies' origins; bodies that no joint moves, and that a program
 * does; shapes that are turned in their bodies */
#define PLACED                                                                                     \
  "<mujoco><worldbody><geom type='plane' size='5 5 .1' euler='3 5 0' conaffinity='3'/>"            \
  "<geom name='pole' type='capsule' size='.1 .5' pos='.3 .2 .1' euler='20 0 0'/>"                  \
  "<body name='hand' mocap='true' pos='.2 0 .3' euler='0 30 0'>"                                   \
  "  <geom name='hand' type='capsule' size='.05 .2' euler='0 90 0'/></body>"                       \
  "<body pos='0 0 .4' euler='10 0 20'><freejoint/><geom type='box' size='.2 .1 .05' contype='2' "  \
  "conaffinity='0'/>"                                                                              \
  "  <body pos='.3 0 0' euler='0 40 0'><joint type='ball' pos='.1 .02 0'/>"                        \
  "    <geom type='sphere' size='.08' pos='.1 .03 0'/>"                                            \
  "    <body pos='.1 0 0' euler='0 0 50'><geom type='sphere' size='.05' pos='.1 0 .1'/></body>"    \
  "  </body><body pos='-.3 0 0'><joint axis='1 2 0' pos='0 .1 .2' ref='20'/>"                      \
  "    <joint type='slide' axis='0 1 1' pos='.1 0 0'/><joint axis='0 1 .5' limited='true'"         \
  "    range='-40 40'/><geom type='capsule' size='.04' fromto='0 .1 0 .2 0 -.3'/></body></body>"   \
  "</worldbody></mujoco>"

/* Event functions are the same to the last bit where their rates are not asked for, and no more is
 * found out than where geoms are: after a state of which all is known, and of one of which nothing
 * is. */
static void test_places(void **state) {
  (void)state;
  gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
  robot *r = fixture_robot(PLACED);
  const ess_system *s = robot_system(r);
  assert_non_null(r->shared->placed);
  assert_true(s->event_count > 10);
  for (int trial = 0; trial < 500; ++trial) {
    double x[FIXTURE_STATES], v[FIXTURE_STATES] = {0.0};
    double h[FIXTURE_EVENTS], all[FIXTURE_EVENTS], rate[FIXTURE_EVENTS];
    draw(r, rng, x);
    if (trial % 2) robot_forget(r);
    assert_int_equal(s->event_functions(0.0, x, h, r), 0);
    x[0] += trial % 3; // nothing is kept of these places where rates are asked for
    assert_int_equal(s->event_functions(0.0, x, h, r), 0);
    assert_int_equal(s->event_rates(0.0, x, 1.0, v, NULL, s->event_count, all, rate, r), 0);
    assert_memory_equal(h, all, s->event_count * sizeof *h);
  }
  robot_close(r);
  gsl_rng_free(rng);
}

/* a state of a hinge, and its acceleration with the signs given */
static double hinge(robot *r, double angle, double speed, double lower, double upper) {
  const double x[2] = {angle, speed}, sign[2] = {lower, upper};
  double dxdt[2];
  fixture_field(r, x, sign, dxdt);
  assert_true(dxdt[0] == speed);
  return dxdt[1];
}

/* what acts is latched: on either side of the limit, the same smooth function */
static void test_latch(void **state) {
  (void)state;
  robot *r = fixture_robot(
      "<mujoco><compiler angle='radian'/><worldbody><body><joint axis='0 1 0' limited='true'"
      " range='-1 1' margin='.1'/><geom type='sphere' size='.1' pos='0 0 .5'/></body></worldbody>"
      "</mujoco>");
  assert_int_equal(robot_size(r).events, 2);
  assert_false(robot_event_is_contact(r, 0));
  const double at = 0.9, little = 1e-7;
  const double on = hinge(r, at, 1.0, -1.0, 1.0), off = hinge(r, at, 1.0, -1.0, -1.0);
  assert_true(on < off - 1.0);
  for (int side = -1; side <= 1; side += 2) {
    const double near = at + side * little, far = at + side * 2e-3;
    assert_true(fabs(hinge(r, near, 1.0, -1.0, 1.0) - on) < 1e-3);
    assert_true(fabs(hinge(r, near, 1.0, -1.0, -1.0) - off) < 1e-5);
    assert_true(fabs(hinge(r, far, 1.0, -1.0, -1.0) - off) < 0.1);
  }
  robot_close(r);
}

/* MuJoCo's errors and what is not finite come back as such, and the robot goes on */
static void test_not_finite(void **state) {
  (void)state;
  robot *r = fixture_robot(zoos[0]);
  const ess_system *s = robot_system(r);
  double x[FIXTURE_STATES], dxdt[FIXTURE_STATES], again[FIXTURE_STATES], sign[FIXTURE_EVENTS];
  double h[FIXTURE_EVENTS], rate[FIXTURE_EVENTS];
  robot_reset_state(r, x);
  fixture_signs(r, x, sign);
  fixture_field(r, x, sign, dxdt);
  x[4] = NAN;
  assert_int_equal(s->field(0.0, x, sign, again, r), 0);
  assert_true(isnan(again[0]));
  assert_int_equal(s->event_functions(0.0, x, h, r), 0);
  assert_true(isnan(h[0]));
  assert_int_equal(s->event_rates(0.0, x, 1.0, x, NULL, s->event_count, h, rate, r), 0);
  assert_true(isnan(rate[0]));
  assert_int_equal(robot_plain_field(r, x, again), -1);
  assert_non_null(strstr(robot_failure(r), "not finite"));
  // a step that steps over events is refused there, too
  assert_int_equal(s->plain_field(0.0, x, again, r), 0);
  assert_int_equal(s->field_solve(0.0, x, NULL, 1e-3, h, r), 0);
  assert_true(isnan(again[0]) && isnan(h[0]));
  robot_reset_state(r, x);
  fixture_field(r, x, sign, again);
  assert_true(fixture_distance(dxdt, again, s->dimension) < 1e-9);
  robot_close(r);
}

/* a state far off the way, as a step that is refused may call for, leaves nothing behind; nobody
 * resets the robot in between */
static void test_far_off(void **state) {
  (void)state;
  gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
  for (int zoo = 0; zoo < ZOOS; ++zoo) {
    robot *r = fixture_robot(zoos[zoo]);
    const robot_sizes size = robot_size(r);
    double x[FIXTURE_STATES], far[FIXTURE_STATES], sign[FIXTURE_EVENTS];
    double dxdt[FIXTURE_STATES], again[FIXTURE_STATES];
    draw(r, rng, x);
    fixture_signs(r, x, sign);
    fixture_field(r, x, sign, dxdt);
    for (double speed = 1e10; speed < 1e301; speed *= 1e10) {
      memcpy(far, x, sizeof x);
      for (size_t i = size.nq; i < size.nq + size.nv; ++i) far[i] *= speed;
      (void)robot_system(r)->field(0.0, far, sign, again, r);
      fixture_field(r, x, sign, again);
      assert_true(fixture_distance(dxdt, again, size.dimension) <
                  1e-6 * fixture_length(dxdt, size.dimension));
    }
    robot_close(r);
  }
  gsl_rng_free(rng);
}

/* capsules that no joint turns against each other touch at two points, as MuJoCo's do: where they
 * begin and end to lie side by side, or where their ends are nearest */
static void test_parallel(void **state) {
  (void)state;
  static const char *const bars[] = {"0 -.3 0 0 .3 0", "0 .3 0 0 -.3 0", "0 -.05 0 0 .05 0"};
  gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
  for (size_t bar = 0; bar < sizeof bars / sizeof *bars; ++bar) {
    char text[1000];
    snprintf(
        text, sizeof text,
        "<mujoco><worldbody><geom name='bar' type='capsule' size='.05' fromto='%s'/>"
        "<body pos='0 0 .11'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/>"
        "<joint type='slide' axis='0 0 1'/><joint type='hinge' axis='0 1 0'/>"
        "<geom name='roll' type='capsule' size='.04' fromto='.01 -.2 0 .01 .2 0'/></body>"
        "</worldbody></mujoco>",
        bars[bar]);
    robot *r = fixture_robot(text);
    const ess_system *s = robot_system(r);
    assert_int_equal(robot_size(r).events, 2);
    size_t touching[3] = {0};
    for (int trial = 0; trial < 2000; ++trial) {
      double x[8], v[8], ours[8], its[8], sign[2], h[2], rate[2], before[2], after[2], at[8];
      for (int i = 0; i < 8; ++i) x[i] = fixture_between(rng, -1.0, 1.0);
      x[0] *= 0.1;
      x[1] *= 0.6;
      x[2] *= 0.1;
      fixture_signs(r, x, sign);
      fixture_field(r, x, sign, ours);
      assert_int_equal(robot_plain_field(r, x, its), 0);
      assert_true(fixture_distance(ours, its, 8) < 1e-9 * (1.0 + fixture_length(its, 8)));
      touching[(sign[0] > 0.0) + (sign[1] > 0.0)]++;
      // rates, but where an end passes another
      for (int i = 0; i < 8; ++i) v[i] = fixture_between(rng, -1.0, 1.0);
      assert_int_equal(s->event_rates(0.0, x, 1.0, v, NULL, s->event_count, h, rate, s->params), 0);
      for (int i = 0; i < 8; ++i) at[i] = x[i] - 1e-6 * v[i];
      assert_int_equal(s->event_functions(0.0, at, before, s->params), 0);
      for (int i = 0; i < 8; ++i) at[i] = x[i] + 1e-6 * v[i];
      assert_int_equal(s->event_functions(0.0, at, after, s->params), 0);
      for (int k = 0; k < 2; ++k) assert_true(fabs((after[k] - before[k]) / 2e-6 - rate[k]) < 1e-3);
    }
    assert_true(touching[0] > 100 && touching[1] == 0 && touching[2] > 100);
    robot_close(r);
  }
  gsl_rng_free(rng);
}

/* capsules that pass parallel have two points as long as they are within MuJoCo's 1e-4 rad of it,
 * and one before and after */
static void test_passing(void **state) {
  (void)state;
  robot *r = fixture_robot(
      "<mujoco><worldbody><geom name='bar' type='capsule' size='.05' fromto='-.3 0 0 .3 0 0'/>"
      "<body pos='.05 0 .09'><freejoint/>"
      "<geom name='rod' type='capsule' size='.05' fromto='-.2 0 0 .2 0 0'/></body>"
      "</worldbody></mujoco>");
  gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
  assert_int_equal(robot_size(r).events, 1);
  for (int trial = 0; trial < 500; ++trial) {
    double x[13] = {0.0, 0.0, 0.09, 1.0}, ours[13], its[13], sign[1];
    const double most = trial % 2 ? 6e-5 : 3e-4;
    for (int i = 4; i < 7; ++i) x[i] = fixture_between(rng, -0.5 * most, 0.5 * most);
    for (int i = 7; i < 13; ++i) x[i] = fixture_between(rng, -1.0, 1.0);
    x[0] = fixture_between(rng, -0.6, 0.6);
    x[1] = fixture_between(rng, -0.03, 0.03);
    fixture_signs(r, x, sign);
    fixture_field(r, x, sign, ours);
    assert_int_equal(robot_plain_field(r, x, its), 0);
    if (!(fixture_distance(ours, its, 13) < 1e-9 * (1.0 + fixture_length(its, 13))))
      fail_msg("trial %d, sign %g: gap %g", trial, sign[0], fixture_distance(ours, its, 13));
  }
  gsl_rng_free(rng);
  robot_close(r);
}

/* pucks that nothing lifts: they are as far from all of a table, and another way beyond its edge */
static void test_edges(void **state) {
  (void)state;
  static const char *const tables[] = {"type='box' size='3 1 .1' pos='0 0 -.1'",
                                       "type='capsule' size='.1' fromto='-3 0 -.1 3 0 -.1'"};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; ++i) {
    char text[1000];
    snprintf(text, sizeof text,
             "<mujoco><worldbody><geom %s/><body pos='2.9 0 .0999'><joint type='slide' axis='1 0 "
             "0'/><geom size='.1' friction='.1'/></body></worldbody></mujoco>",
             tables[i]);
    robot *r = fixture_robot(text);
    for (int beyond = 0; beyond < 2; ++beyond) {
      const double x[2] = {0.2 * beyond, 8.0};
      double ours[2], its[2], sign[1];
      fixture_signs(r, x, sign);
      fixture_field(r, x, sign, ours);
      assert_int_equal(robot_plain_field(r, x, its), 0);
      assert_true(sign[0] == (beyond ? -1.0 : 1.0));
      assert_true(fabs(ours[1] - its[1]) < 1e-9 && (fabs(its[1]) > 1e-3) == !beyond);
    }
    robot_close(r);
  }
}

/* ---- forces of constraints ------------------------------------------------------------------- */

/* What is left of M a = f_smooth + J^T f, over the forces' size, where rows push by how much a
 * leaves them behind, and those that are free do in any case. */
static double imbalance(robot *r) {
  const mjModel *m = &r->model;
  mjData *d = r->data;
  enum { MOST = 1000 };
  double force[MOST], left[FIXTURE_STATES], by_rows[FIXTURE_STATES], behind[MOST];
  assert_true(d->nefc <= MOST);
  mj_mulJacVec(m, d, behind, d->qacc);
  for (int i = 0; i < d->nefc; ++i) {
    const double short_of = d->efc_aref[i] - behind[i];
    const bool is_free = d->efc_type[i] == mjCNSTR_EQUALITY;
    force[i] = is_free || short_of > 0.0 ? short_of / d->efc_R[i] : 0.0;
  }
  mj_mulM(m, d, left, d->qacc);
  mj_mulJacTVec(m, d, by_rows, force);
  for (int i = 0; i < (int)m->nv; ++i) left[i] -= d->qfrc_smooth[i] + by_rows[i];
  const double size = fixture_length(d->qfrc_smooth, (size_t)m->nv);
  return fixture_length(left, (size_t)m->nv) / (size + fixture_length(by_rows, (size_t)m->nv));
}

/* A pyramid's rows push or do not; a cone's are asked of MuJoCo's solver, and so are those of
 * states as wild as these of which no round of the search is the last. From where the search for
 * them begins does not matter. */
static void test_forces(void **state) {
  (void)state;
  for (int zoo = 0; zoo < ZOOS; ++zoo) {
    robot *const r = fixture_robot(zoos[zoo]);
    gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
    double x[FIXTURE_STATES], sign[FIXTURE_EVENTS], f[FIXTURE_STATES], again[FIXTURE_STATES];
    const size_t nv = robot_size(r).nv;
    int touching = 0, solved = 0;
    for (int trial = 0; trial < 300; ++trial) {
      draw(r, rng, x);
      fixture_signs(r, x, sign);
      fixture_field(r, x, sign, f);
      if (r->data->ncon == 0) continue;
      touching++;
      if (!robot_forces_solve(r)) continue;
      solved++;
      assert_true(imbalance(r) < 1e-11);
      memcpy(again, r->data->qacc, nv * sizeof *again);
      for (size_t i = 0; i < nv; ++i)
        r->data->qacc_warmstart[i] = fixture_between(rng, -100.0, 100.0);
      assert_true(robot_forces_solve(r));
      assert_true(fixture_distance(again, r->data->qacc, nv) <
                  1e-9 * (1.0 + fixture_length(again, nv)));
    }
    assert_true(touching > 100);
    assert_true(zoo < 2 ? 10 * solved > 7 * touching : solved < touching);
    gsl_rng_free(rng);
    robot_close(r);
  }
}

/* What acts and has no force is told: without it the field is the same. With the rest it is not. */
static void test_idle(void **state) {
  (void)state;
  for (int zoo = 0; zoo < ZOOS; ++zoo) {
    robot *const r = fixture_robot(zoos[zoo]);
    gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
    const ess_system *const s = robot_system(r);
    double x[FIXTURE_STATES], sign[FIXTURE_EVENTS], f[FIXTURE_STATES], other[FIXTURE_STATES];
    int contacts = 0, limits = 0, changes = 0;
    for (int trial = 0; trial < 500; ++trial) {
      bool idle[FIXTURE_EVENTS] = {0};
      draw(r, rng, x);
      fixture_signs(r, x, sign);
      fixture_field(r, x, sign, f);
      assert_int_equal(s->idle(idle, s->params), 0);
      for (size_t k = 0; k < s->event_count; ++k) {
        const robot_event_of of = r->shared->events[k].of;
        const bool is_limit = of == ROBOT_OF_JOINT || of == ROBOT_OF_TENDON;
        if (sign[k] < 0.0) assert_false(idle[k]);
        if (sign[k] < 0.0) continue;
        sign[k] = -1.0;
        fixture_field(r, x, sign, other);
        sign[k] = 1.0;
        const double change =
            fixture_distance(f, other, s->dimension) / fixture_length(f, s->dimension);
        if (idle[k] && !(change < 1e-9)) fail_msg("%s: %g", robot_event_name(r, k), change);
        contacts += idle[k] && !is_limit;
        limits += idle[k] && is_limit;
        changes += !idle[k] && change > 1e-9;
      }
      // nor do they act together
      for (size_t k = 0; k < s->event_count; ++k)
        if (idle[k]) sign[k] = -1.0;
      fixture_field(r, x, sign, other);
      const double change =
          fixture_distance(f, other, s->dimension) / fixture_length(f, s->dimension);
      assert_true(change < 1e-9);
    }
    print_message("zoo %d: %d contacts, %d limits, %d that act\n", zoo, contacts, limits, changes);
    assert_true(contacts > 100 && limits > 20 && changes > 500);
    gsl_rng_free(rng);
    robot_close(r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gap),        cmocka_unit_test(test_plain_solve),
      cmocka_unit_test(test_precision),  cmocka_unit_test(test_distances),
      cmocka_unit_test(test_followed),   cmocka_unit_test(test_followed_rates),
      cmocka_unit_test(test_fine_hills), cmocka_unit_test(test_jumps),
      cmocka_unit_test(test_parallel),   cmocka_unit_test(test_passing),
      cmocka_unit_test(test_edges),      cmocka_unit_test(test_steps),
      cmocka_unit_test(test_rates),      cmocka_unit_test(test_places),
      cmocka_unit_test(test_latch),      cmocka_unit_test(test_not_finite),
      cmocka_unit_test(test_far_off),    cmocka_unit_test(test_no_room),
      cmocka_unit_test(test_forces),     cmocka_unit_test(test_idle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
