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
