/*
 * Tangents: the derivative of the flow against closed forms.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ess_tangents.h"
#include "toy.h"

static const double G = TOY_GRAVITY;

/* ---- a ball, restitution 0.8, from 1 m ------------------------------------------------------- */

FIELD_JACOBIAN(fall_jacobian) {
  J[0] = J[2] = J[3] = 0.0;
  J[1] = 1.0;
}

IMPACT_MAP_CODE(bounce) {
  impact->after[1] = -0.8 * impact->x[1];
  return toy_stays_above(impact, 0);
}

static int bounce_jacobian(const ess_impact *impact, double DR[], void *params) {
  DR[0] = 1.0;
  DR[1] = DR[2] = 0.0;
  DR[3] = -0.8;
  return 0;
}

TEST(a_ball_has_its_derivative) {
  const double known[] = {1.38650223, 0.18725745, 3.98650223, 1.0};
  for (int given = 0; given < 2; given++) {
    const ess_impacts impacts = {.map = bounce, .jacobian = given ? bounce_jacobian : NULL};
    const ess_system system = {.dimension = 2,
                               .guard_count = 1,
                               OF_JACOBIAN(toy_fall),
                               .field_jacobian = given ? fall_jacobian : NULL,
                               .impacts = &impacts};
    const ess_options options = ess_options_default();
    ess_driver *const plain = ess_driver_alloc(&system, &options, NULL);
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double t = 0.0, x[2] = {1.0, 0.0}, s = 0.0, y[2] = {1.0, 0.0};
    assert_int_equal(ess_driver_follow(d, 2, NULL), ESS_SUCCESS);
    assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
    assert_int_equal(ess_driver_apply(plain, &s, 1.0, y), ESS_SUCCESS);
    assert_memory_equal(x, y, sizeof x);
    const double *const v = ess_driver_tangent(d);
    for (int i = 0; i < 4; i++) assert_true(fabs(v[i] - known[i]) < 1e-7);
    assert_int_equal(ess_driver_smoothness(d)->kind, ESS_SMOOTH_C1);
    const ess_counters *const c = ess_driver_counters(d), *const q = ess_driver_counters(plain);
    assert_int_equal(c->crossings, q->crossings);
    if (given) {
      assert_int_equal(c->field_evaluations, q->field_evaluations);
      assert_true(c->field_jacobian_evaluations > 0);
    } else {
      // from both sides: at this tolerance one is not enough
      assert_true(c->field_evaluations <= 5 * q->field_evaluations);
    }
    ess_driver_free(plain);
    ess_driver_free(d);
  }
}

/* ---- a mass on a table, pulled up by p = 2 sin t, until p is its weight, 1 --------------------
 * It lets go with neither a jump of its speed nor one of its acceleration: Pace & Burden (2017),
 * footnote 10. */

enum { HEIGHT, SPEED, PULL, PULL_RATE, PULLED };

FIELD(pulled_field) {
  dxdt[HEIGHT] = x[SPEED];
  dxdt[SPEED] = sign[0] > 0.0 ? x[PULL] - 1.0 : 0.0;
  dxdt[PULL] = x[PULL_RATE];
  dxdt[PULL_RATE] = -x[PULL];
}

PLANES(pulled, PULLED, (x[PULL]), (1.0));

TEST(a_contact_that_lets_go_changes_no_derivative) {
  const ess_system system = {.dimension = PULLED, .guard_count = 1, OF_JACOBIAN(pulled)};
  const ess_options options = ess_options_default();
  const double gone = asin(0.5), direction[PULLED] = {[PULL] = 1.0};
  const double ends[] = {gone - 1e-4, gone + 1e-4, 1.0};
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  for (int i = 0; i < 3; i++) {
    double t = 0.0, x[PULLED] = {[PULL_RATE] = 2.0};
    ess_driver_reset(d);
    assert_int_equal(ess_driver_follow(d, 1, direction), ESS_SUCCESS);
    assert_int_equal(ess_driver_apply(d, &t, ends[i], x), ESS_SUCCESS);
    assert_int_equal(ess_driver_counters(d)->crossings, i > 0);
    const double *const v = ess_driver_tangent(d), since = i ? ends[i] : gone;
    // the integral of cos t from when it lets go; how that time moves does not matter
    const double speed = sin(since) - sin(gone);
    const double height = cos(gone) - cos(since) - (since - gone) * sin(gone);
    assert_true(fabs(v[SPEED] - speed) < 1e-7 && fabs(v[HEIGHT] - height) < 1e-7);
    assert_true(fabs(v[PULL] - cos(ends[i])) < 1e-7);
    assert_int_equal(ess_driver_smoothness(d)->kind, ESS_SMOOTH_C1);
  }
  ess_driver_free(d);
}

/* ---- corners ---------------------------------------------------------------------------------
 * x' = 1 + C (x >= 0) */

static const double corner[9] = {0.0, 1.0, 2.0, 0.5, 0.0, 1.5, 0.25, 0.75, 0.0};

FIELD(corner_field) {
  for (int i = 0; i < 3; i++) {
    dxdt[i] = 1.0;
    for (int j = 0; j < 3; j++) dxdt[i] += sign[j] > 0.0 ? corner[3 * i + j] : 0.0;
  }
}

PLANES(corner, 3, (x[0], x[1], x[2]), (0.0, 0.0, 0.0));

static const ess_system corner_system = {.dimension = 3, .guard_count = 3, OF_JACOBIAN(corner)};

/* the corner's flow at t = 2 from a start beside (-1, -1, -1), by going from zero to zero */
static void exact_corner(const double start[3], double x[3]) {
  double left = 2.0, f[3], sign[3] = {-1.0, -1.0, -1.0};
  memcpy(x, start, 3 * sizeof *x);
  for (;;) {
    corner_field(0.0, x, sign, f, NULL);
    int next = -1;
    double soonest = left;
    for (int i = 0; i < 3; i++)
      if (sign[i] < 0.0 && -x[i] / f[i] < soonest) {
        soonest = -x[i] / f[i];
        next = i;
      }
    for (int i = 0; i < 3; i++) x[i] += soonest * f[i];
    left -= soonest;
    if (next < 0) return;
    sign[next] = 1.0;
    x[next] = 0.0;
  }
}

TEST(a_corner_has_six_pieces) {
  const ess_options options = ess_options_default();
  ess_driver *const d = ess_driver_alloc(&corner_system, &options, NULL);
  for (uint64_t seed = 1; seed <= 40; seed++) {
    double v[3], x[3] = {-1.0, -1.0, -1.0}, t = 0.0, beside[3], after[3];
    for (int i = 0; i < 3; i++) v[i] = sin(37.0 * (double)seed + 11.0 * i);
    ess_driver_reset(d);
    assert_int_equal(ess_driver_follow(d, 1, v), ESS_SUCCESS);
    assert_int_equal(ess_driver_apply(d, &t, 2.0, x), ESS_SUCCESS);
    const ess_smoothness *const s = ess_driver_smoothness(d);
    assert_int_equal(s->kind, ESS_SMOOTH_PIECEWISE);
    assert_int_equal(s->pieces, 6);
    assert_int_equal(s->instants, 1);
    const double step = 1e-3; // the flow is linear within a piece
    for (int i = 0; i < 3; i++) beside[i] = -1.0 + step * v[i];
    exact_corner(beside, after);
    for (int i = 0; i < 3; i++)
      assert_true(fabs((after[i] - x[i]) / step - ess_driver_tangent(d)[i]) < 1e-7);
  }
  ess_driver_free(d);
}

/* ---- the corner of Table 4.1 ----------------------------------------------------------------- */

/* rows of the table as (constant, x, y, z), by [y >= 0][x >= 0] and [z <= 0] */
static const double row_x[2][2][4] = {{{1, 0, -1, 0}, {1, 0, -2, 0}},
                                      {{1, 0, 1, 0}, {1, 10, 0, 0}}};
static const double row_y[2][2][4] = {{{1, 1, 0, 0}, {2, 0.5, 0, 0}},
                                      {{1, -1, 0, 0}, {1, 0, 1, 0}}};
static const double row_z[2][4] = {{-1, 0, 0, -1}, {-1, 0, 0, 3}};

FIELD(table_field) {
  const double *const rows[] = {row_x[sign[1] > 0.0][sign[0] > 0.0],
                                row_y[sign[1] > 0.0][sign[0] > 0.0], row_z[sign[2] > 0.0]};
  for (int i = 0; i < 3; i++)
    dxdt[i] = rows[i][0] + rows[i][1] * x[0] + rows[i][2] * x[1] + rows[i][3] * x[2];
}

PLANES(table, 3, (x[0], x[1], -x[2]), (0.0, 0.0, 0.0));

static const ess_system table = {.dimension = 3, .guard_count = 3, OF_JACOBIAN(table)};

TEST(the_corner_of_the_table_has_two_pieces) {
  static const double known[2][9] = {
      {7.05903491, -2.18361538, 0, 0.76389991, 0.40295071, 0, 0, 0, 1.34985881},
      {7.05903491, -2.18361538, 0, 0.36094920, 1.16685062, 0, 0, 0, 1.34985881}};
  ess_options options = toy_options(1e-10);
  options.tie = 1e-7; // the start is known to nine digits
  ess_driver *const d = ess_driver_alloc(&table, &options, NULL);
  bool seen[2] = {false, false};
  for (size_t piece = 0; piece < 2; piece++) {
    double x[3] = {-0.340183718, -0.250856696, 0.349858808}, t = 0.0;
    ess_driver_reset(d);
    assert_int_equal(ess_driver_follow(d, 3, NULL), ESS_SUCCESS);
    assert_int_equal(ess_driver_choose_piece(d, piece), ESS_SUCCESS);
    assert_int_equal(ess_driver_apply(d, &t, 0.5, x), ESS_SUCCESS);
    const ess_smoothness *const s = ess_driver_smoothness(d);
    assert_int_equal(s->kind, ESS_SMOOTH_PIECEWISE);
    assert_int_equal(s->pieces, 2);
    assert_int_equal(s->count, 3);
    // of x and y, which goes first
    size_t first = 0;
    while (s->order[first] == 2) first++;
    const size_t which = s->order[first];
    seen[which] = true;
    for (int i = 0; i < 9; i++)
      assert_true(fabs(ess_driver_tangent(d)[i] - known[which][i]) < 1e-7);
  }
  assert_true(seen[0] && seen[1]);
  ess_driver_free(d);
}

/* ---- a run that ends on an event ------------------------------------------------------------- */

TEST(a_section_has_its_derivative) {
  const ess_impacts impacts = {.map = bounce};
  ess_system system = {.dimension = 2, .guard_count = 1, OF_JACOBIAN(toy_fall)};
  ess_options options = ess_options_default();
  options.observer.crossing = toy_stop;
  for (int jumps = 0; jumps < 2; jumps++) {
    system.impacts = jumps ? &impacts : NULL;
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double t = 0.0, x[2] = {1.0, 0.0}, Dt[2], Dx[4];
    assert_int_equal(ess_driver_follow(d, 2, NULL), ESS_SUCCESS);
    assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_ESTOP);
    assert_int_equal(ess_driver_section(d, 0, Dt, Dx), ESS_SUCCESS);
    // landing of h + v t - g t^2 / 2, at speed sqrt(v^2 + 2 g h), from h = 1 and v = 0
    const double speed = sqrt(2.0 * G), kept = jumps ? -0.8 : 1.0;
    const double known[] = {1.0 / speed, 1.0 / G, 0.0, 0.0, -kept * G / speed, 0.0};
    for (int i = 0; i < 2; i++) assert_true(fabs(Dt[i] - known[i]) < 1e-7);
    for (int i = 0; i < 4; i++) assert_true(fabs(Dx[i] - known[2 + i]) < 1e-7);
    ess_driver_free(d);
  }
}

/* states that know nothing of each other: each passes its zero, and is faster or slower then
 */
enum { RACERS = 4 };
typedef struct racers {
  double rate, change[2];
} racers;

static double rate_of(const racers *r, size_t i, double sign) {
  return r->rate + r->change[i % 2] * sign;
}

FIELD(race_field) {
  for (size_t i = 0; i < RACERS; i++) dxdt[i] = rate_of(params, i, sign[i]);
}

FIELD_JACOBIAN(race_jacobian) {
  memset(J, 0, RACERS * RACERS * sizeof *J);
}

GUARDS(race_guards) {
  memcpy(h, x, RACERS * sizeof *h);
}

/* by how much their derivative is off; all are at zero around t = 0.5, one so much after the other
 */
static double race_off(racers *r, bool given, double tolerance, double apart) {
  const ess_system system = {.dimension = RACERS,
                             .guard_count = RACERS,
                             OF(race),
                             .field_jacobian = given ? race_jacobian : NULL,
                             .params = r};
  ess_options options = ess_options_default();
  options.rtol = 0.0;
  options.atol = tolerance;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_int_equal(ess_driver_follow(d, RACERS, NULL), ESS_SUCCESS);
  double x[RACERS], t = 0.0, off = 0.0;
  for (size_t i = 0; i < RACERS; i++) x[i] = -rate_of(r, i, -1.0) * (0.5 + apart * (double)i);
  assert_int_equal(ess_driver_apply(d, &t, 2.0, x), ESS_SUCCESS);
  const double *const v = ess_driver_tangent(d);
  for (size_t i = 0; i < RACERS; i++)
    for (size_t j = 0; j < RACERS; j++) {
      const double exact = i == j ? rate_of(r, i, 1.0) / rate_of(r, i, -1.0) : 0.0;
      off = fmax(off, fabs(v[i * RACERS + j] - exact));
    }
  ess_driver_free(d);
  return off;
}

TEST(crossings_made_together_add_what_each_of_them_adds) {
  racers r = {.rate = 100.0, .change = {5.0, -5.0}};
  for (int form = 0; form < 2; form++)
    for (double tolerance = 1e-2; tolerance > 1e-12; tolerance /= 10.0)
      for (double apart = 1e-1; apart > 1e-14; apart /= 2.0)
        assert_true(race_off(&r, form, tolerance, apart) < 1e-5);
}

/* one that is crossed later than where it was first seen to be due, after another */
TEST(a_crossing_meets_others_once) {
  racers r = {.rate = 2.1, .change = {-1.55, -1.55}};
  for (double tolerance = 1e-2; tolerance > 1e-12; tolerance /= 10.0)
    for (double apart = 1.0; apart > 1e-3; apart /= 1.1)
      assert_true(race_off(&r, false, tolerance, -apart * tolerance) < 1e-5);
}
