/*
 * Impacts beside other events: several at one instant, states that land on a guard, impacts among
 * crossings in quick succession, grazing, and a mode that is not read off the signs of h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ess_tangents.h"
#include "toy.h"

enum { FEET = 12, STATES = 4 };
static const double G = TOY_GRAVITY;

/* ---- a body on two rigid feet: z, theta and their rates ---------------------------------------
 * mass, half-length 1; plastic impacts, foot by foot, until none moves into the ground */

typedef struct body {
  double inertia;
  size_t calls, most; /* of the map; events it was handed at once */
} body;

FIELD(body_field) {
  dxdt[0] = x[2];
  dxdt[1] = x[3];
  dxdt[2] = -G;
  dxdt[3] = 0.0;
}

GUARDS(body_guards) {
  h[0] = x[0] - sin(x[1]) - 1.0;
  h[1] = x[0] + sin(x[1]) - 1.0;
}

GUARD_JACOBIAN(body_jacobian) {
  memset(Dh, 0, 2 * STATES * sizeof *Dh);
  Dh[0] = Dh[4] = 1.0;
  Dh[1] = -cos(x[1]);
  Dh[5] = cos(x[1]);
}

/* a foot that lands stops: its speed is that of the body there */
static void stop_foot(double inertia, double side, double x[]) {
  const double lever = side * cos(x[1]), speed = x[2] + lever * x[3];
  const double impulse = -speed / (1.0 + lever * lever / inertia);
  x[2] += impulse;
  x[3] += impulse * lever / inertia;
}

/* both feet at once come to rest; one alone stops, and the other goes on */
IMPACT_MAP(land) {
  body *const b = params;
  b->calls++;
  if (impact->count > b->most) b->most = impact->count;
  if (impact->count == 2) impact->after[2] = impact->after[3] = 0.0;
  if (impact->count == 1) stop_foot(b->inertia, impact->events[0] ? 1.0 : -1.0, impact->after);
  for (size_t i = 0; i < impact->count; i++) {
    impact->mode[impact->events[i]] = 1.0;
    impact->armed[ESS_GUARD_DOWN(impact->events[i])] = false;
  }
}

static const ess_impacts lands = {.map = land};

static ess_system body_system(body *b) {
  return (ess_system){
      .dimension = STATES, .guard_count = 2, OF_JACOBIAN(body), .impacts = &lands, .params = b};
}

TEST(events_of_one_instant_are_handed_together) {
  for (int paper = 0; paper < 2; paper++)
    for (int tilted = 0; tilted < 2; tilted++) {
      body b = {.inertia = 1.0};
      const ess_system system = body_system(&b);
      const ess_options options = paper ? ess_options_paper() : ess_options_default();
      double x[STATES] = {1.5, tilted ? 0.1 : 0.0, 0.0, 0.0};
      toy_succeeds(&system, &options, 0.0, 0.32, x);
      assert_int_equal(b.calls, 1);
      assert_int_equal(b.most, tilted ? 1 : 2);
    }
}

/* with a mass farther out than the feet the second foot lifts off again, whichever it is */
TEST(an_order_that_matters_has_no_derivative) {
  const double inertias[] = {1.0, 2.0};
  for (int i = 0; i < 2; i++) {
    body b = {.inertia = inertias[i]};
    const ess_system system = body_system(&b);
    const ess_options options = ess_options_default();
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double t = 0.0, x[STATES] = {1.5, 0.0, 0.0, 0.0};
    assert_int_equal(ess_driver_follow(d, STATES, NULL), ESS_SUCCESS);
    const int status = ess_driver_apply(d, &t, 0.32, x);
    assert_int_equal(status, i ? ESS_EDISCONTINUOUS : ESS_SUCCESS);
    if (i) assert_int_equal(ess_driver_failure(d)->guard + ess_driver_failure(d)->other_guard, 1);
    if (!i) assert_int_equal(ess_driver_smoothness(d)->instants, 1);
    ess_driver_free(d);
  }
}

/* ---- balls in a row ----------------------------------------------------------------------------
 */

enum { ROW_MAX = 5 };

/* all of them meet at t = 1/2, pairs of neighbours one after the other until they part */
typedef struct row {
  size_t count;
  double mass[ROW_MAX];
} row;

FIELD(row_field) {
  const size_t n = AS(row)->count;
  memcpy(dxdt, x + n, n * sizeof *dxdt);
  memset(dxdt + n, 0, n * sizeof *dxdt);
}

GUARDS(row_guards) {
  for (size_t k = 0; k + 1 < AS(row)->count; k++) h[k] = x[k + 1] - x[k] - 1.0;
}

GUARD_JACOBIAN(row_jacobian) {
  const size_t n = AS(row)->count;
  memset(Dh, 0, (n - 1) * 2 * n * sizeof *Dh);
  for (size_t k = 0; k + 1 < n; k++) {
    Dh[k * 2 * n + k] = -1.0;
    Dh[k * 2 * n + k + 1] = 1.0;
  }
}

IMPACT_MAP(row_collide) {
  const row *const r = params;
  double *const v = impact->after + r->count;
  for (bool any = true; any;) {
    any = false;
    for (size_t i = 0; i < impact->count; i++) {
      const size_t k = impact->events[i];
      const double faster = v[k] - v[k + 1], sum = r->mass[k] + r->mass[k + 1];
      if (!(faster > 1e-9)) continue;
      v[k] -= 2.0 * faster * r->mass[k + 1] / sum;
      v[k + 1] += 2.0 * faster * r->mass[k] / sum;
      any = true;
    }
  }
  for (size_t i = 0; i < impact->count; i++) {
    const size_t k = impact->events[i];
    impact->mode[k] = 1.0;
    impact->armed[ESS_GUARD_DOWN(k)] = true;
  }
}

/* equal balls pass their velocities on, as if they went through each other: the flow is the same,
 * whatever the order in which pairs meet, and some meet twice */
TEST(equal_balls_that_meet_at_once_have_a_derivative) {
  static const struct {
    size_t count;
    double speed[ROW_MAX], mass;
    int status;
  } rows[] = {
      {3, {1.0, 0.0, -1.0}, 1.0, ESS_SUCCESS},
      {3, {1.0, 0.0, -0.5}, 1.0, ESS_SUCCESS},
      {3, {2.0, 1.0, 0.0}, 1.0, ESS_SUCCESS},
      {4, {1.5, 0.5, -0.5, -1.7}, 1.0, ESS_SUCCESS},
      {5, {2.0, 1.0, 0.0, -1.0, -2.0}, 1.0, ESS_SUCCESS},
      {3, {1.0, 0.0, -1.0}, 1.5, ESS_EDISCONTINUOUS},
      {4, {1.5, 0.5, -0.5, -1.7}, 0.5, ESS_EDISCONTINUOUS},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const size_t n = rows[i].count;
    row r = {.count = n};
    double start[2 * ROW_MAX], x[2 * ROW_MAX], t = 0.0;
    for (size_t k = 0; k < n; k++) {
      r.mass[k] = k ? 1.0 : rows[i].mass;
      start[k] = (double)k - 0.5 * rows[i].speed[k];
      start[n + k] = rows[i].speed[k];
    }
    bool at[2 * ROW_MAX];
    for (size_t j = 0; j < 2 * n - 2; j++) at[j] = j % 2;
    const ess_impacts collide = {.at = at, .map = row_collide};
    const ess_system system = {.dimension = 2 * n,
                               .guard_count = n - 1,
                               .field = row_field,
                               .guards = row_guards,
                               .guard_jacobian = row_jacobian,
                               .impacts = &collide,
                               .params = &r};
    const ess_options options = ess_options_default();
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    memcpy(x, start, sizeof x);
    assert_int_equal(ess_driver_follow(d, 2 * n, NULL), ESS_SUCCESS);
    assert_int_equal(ess_driver_apply(d, &t, 1.0, x), rows[i].status);
    if (rows[i].status) {
      ess_driver_free(d);
      continue;
    }
    const ess_smoothness *const s = ess_driver_smoothness(d);
    assert_true(s->kind == ESS_SMOOTH_C1 && s->instants == 1 && s->count == n - 1);
    const double *const D = ess_driver_tangent(d);
    double outcome[2 * ROW_MAX] = {1.0, 0.3, -0.4, 0.7, -1.1, 0.2, 0.9, -0.6, 0.5, 0.8};
    double known[2 * ROW_MAX] = {0.0}, along[2 * ROW_MAX];
    for (size_t k = 0; k < 2 * n; k++) {
      // ball k is where ball n - 1 - k would be without the others
      const size_t from = (k < n ? 0 : n) + n - 1 - k % n;
      for (size_t j = 0; j < 2 * n; j++) {
        const double right = j == from ? 1.0 : j == from + n && k < n ? 1.0 : 0.0;
        assert_true(fabs(D[k * 2 * n + j] - right) < 1e-8);
        known[j] += right * outcome[k];
      }
    }
    ess_driver_reset(d);
    assert_int_equal(ess_driver_record(d, 1 << 20), ESS_SUCCESS);
    memcpy(x, start, sizeof x);
    t = 0.0;
    assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
    assert_int_equal(ess_driver_adjoint(d, 1, outcome, along, NULL), ESS_SUCCESS);
    for (size_t j = 0; j < 2 * n; j++) assert_true(fabs(along[j] - known[j]) < 1e-8);
    ess_driver_free(d);
  }
}

/* ---- an impact among feet in quick succession ------------------------------------------------ */

/* z, theta: springs under the feet, one of which, event function FEET, is a stop that throws the
 * body back */
static double place(size_t i) {
  return -1.0 + 2.0 * (double)i / (FEET - 1);
}

FIELD(bed_field) {
  dxdt[0] = x[2];
  dxdt[1] = x[3];
  dxdt[2] = -G;
  dxdt[3] = 0.0;
  for (size_t i = 0; i < FEET; i++) {
    if (sign[i] < 0.0) continue;
    const double a = place(i), force = -100.0 * (x[0] + a * x[1]) - 2.0 * (x[2] + a * x[3]);
    dxdt[2] += force;
    dxdt[3] += 3.0 * a * force;
  }
}

PLANES_EACH(bed, STATES, FEET + 1, -(x[0] + (k < FEET ? place(k) : 0.3) * x[1]),
            k < FEET ? 0.0 : *AS(double));

IMPACT_MAP(throw_back) {
  assert_int_equal(impact->events[impact->count - 1], FEET);
  const double speed = impact->x[2] + 0.3 * impact->x[3];
  assert_true(speed < 0.0);
  const double impulse = -1.7 * speed / (1.0 + 3.0 * 0.09);
  impact->after[2] += impulse;
  impact->after[3] += 3.0 * 0.3 * impulse;
  impact->mode[FEET] = -1.0;
  impact->armed[ESS_GUARD_UP(FEET)] = true;
}

/* the end state at a tolerance, and what that took */
static void run_bed(double depth, double tilt, double tolerance, double x[STATES],
                    ess_counters *counters) {
  bool at[2 * FEET + 2] = {false};
  at[ESS_GUARD_UP(FEET)] = true;
  const ess_impacts stops = {.at = at, .map = throw_back};
  const ess_system system = {.dimension = STATES,
                             .guard_count = FEET + 1,
                             OF_JACOBIAN(bed),
                             .impacts = &stops,
                             .params = &depth};
  const ess_options options = toy_options(tolerance);
  const double start[STATES] = {0.3, tilt, -2.0, 0.1};
  memcpy(x, start, sizeof start);
  const toy_end end = toy_succeeds(&system, &options, 0.0, 0.5, x);
  *counters = end.counters;
}

TEST(impacts_among_crossings_keep_the_tolerance) {
  uint64_t impacts = 0;
  for (int i = 0; i < 60; i++) {
    const double depth = 0.0005 * (double)i, tilt = 0.004 * (double)(i % 7) - 0.01;
    double truth[STATES], x[STATES];
    ess_counters exact, c;
    run_bed(depth, tilt, 1e-12, truth, &exact);
    for (int j = 2; j <= 8; j += 2) {
      const double tolerance = pow(10.0, -j);
      run_bed(depth, tilt, tolerance, x, &c);
      if (j > 2) assert_int_equal(c.impacts, exact.impacts);
      for (size_t l = 0; l < STATES && c.impacts == exact.impacts; l++)
        assert_true(fabs(x[l] - truth[l]) < 100.0 * tolerance);
      impacts += c.impacts;
    }
  }
  assert_true(impacts > 200);
}

/* ---- a ball thrown up to a ceiling that it just reaches, or not ------------------------------ */

GUARDS(ceiling) {
  const double *const place = params;
  h[0] = x[0] - *place;
}

IMPACT_MAP(throw_down) {
  impact->after[1] = -impact->x[1];
  impact->mode[0] = -1.0;
  impact->armed[ESS_GUARD_UP(0)] = true;
}

TEST(a_grazed_ceiling_is_refused) {
  const ess_impacts impacts = {.map = throw_down};
  const double beyond[] = {-1e-6, -1e-14, 0.0, 1e-14, 1e-6};
  for (int i = 0; i < 5; i++) {
    double top = 0.5 * 25.0 / G + beyond[i], x[2] = {0.0, 5.0};
    const ess_system system = {.dimension = 2,
                               .guard_count = 1,
                               .field = toy_fall_field,
                               .guards = ceiling,
                               .guard_jacobian = toy_fall_jacobian,
                               .impacts = &impacts,
                               .params = &top};
    const ess_options options = ess_options_default();
    const bool grazes = fabs(beyond[i]) < 1e-10;
    const toy_end end = toy_run(&system, &options, 0.0, 0.9, x);
    assert_int_equal(end.status, grazes ? ESS_EGRAZING : ESS_SUCCESS);
    assert_int_equal(end.counters.impacts, i == 0);
  }
}

/* ---- a crossing that the first map of a chain leads to ----------------------------------------
 * a clock, and a level that falls, twice as fast above 0.2 */

FIELD(level_field) {
  dxdt[0] = 1.0;
  dxdt[1] = sign[0] > 0.0 ? -2.0 : -1.0;
}

PLANES(level, 2, (x[1], x[0], x[1]), (0.2, 1.0, 0.4));

/* at 1 the level is lifted past both others, of which the higher lets some of it off */
IMPACT_MAP(lift) {
  impact->after[1] = impact->events[0] == 1 ? 0.5 : 0.45;
}

TEST(what_the_first_map_passes_is_crossed_after_the_second) {
  const bool at[] = {
      [ESS_GUARD_UP(1)] = true, [ESS_GUARD_UP(2)] = true, [ESS_GUARD_DOWN(2)] = false};
  const ess_impacts lifts = {.at = at, .map = lift};
  const ess_system system = {.dimension = 2, .guard_count = 3, OF(level), .impacts = &lifts};
  const ess_options options = ess_options_default();
  double x[2] = {0.0, 0.1};
  const toy_end end = toy_succeeds(&system, &options, 0.0, 1.1, x);
  assert_int_equal(end.counters.impacts, 2);
  assert_true(fabs(x[1] - 0.25) < 1e-9);
}
