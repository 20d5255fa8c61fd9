/*
 * One foot with friction on a slope: it slips, sticks and lifts. All times are known.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "contact_system.h"

enum { X, Y, CLOCK, COORDINATES };
enum { NORMAL, TANGENT, CONSTRAINTS };
enum { STATES = 2 * COORDINATES, MOST = 32 };

static const double mass = 2, g = 9.81;

/* a point on a slope that rises by `angle`, pulled off it by `pull` times the time */
typedef struct slope {
  double angle, pull;
} slope;

static void inertia(const double q[], double M[], void *params) {
  (void)q, (void)params;
  memset(M, 0, COORDINATES * COORDINATES * sizeof *M);
  M[0] = M[4] = mass;
  M[8] = 1;
}

static void potential(const double q[], double N[], void *params) {
  (void)q, (void)params;
  N[X] = N[CLOCK] = 0;
  N[Y] = mass * g;
}

static void applied(const double q[], const double v[], contact_mode mode, double force[],
                    void *params) {
  const slope *const p = params;
  (void)v, (void)mode;
  force[X] = -p->pull * q[CLOCK] * sin(p->angle);
  force[Y] = p->pull * q[CLOCK] * cos(p->angle);
}

static void gaps(const double q[], double a[], void *params) {
  const slope *const p = params;
  a[NORMAL] = -q[X] * sin(p->angle) + q[Y] * cos(p->angle);
}

static void rows(const double q[], double A[], void *params) {
  const slope *const p = params;
  (void)q;
  const double of[CONSTRAINTS][COORDINATES] = {{-sin(p->angle), cos(p->angle), 0},
                                               {cos(p->angle), sin(p->angle), 0}};
  memcpy(A, of, sizeof of);
}

static const size_t limbs[] = {MECHANISM_BODY, MECHANISM_BODY, MECHANISM_BODY};

typedef struct run {
  double mu;
  slope p;
  mechanism_constraint constraints[CONSTRAINTS];
  mechanism m;
  contact_system s;

  size_t slides;
  double time[MOST];
  int begins[MOST];
  double third[MOST]; /* of the state there */
  size_t impacts;
  double impact_at[MOST];
} run;

static int note_slide(const ess_slide_info *info, void *context) {
  run *const r = context;
  assert_true(r->slides < MOST);
  r->time[r->slides] = info->t;
  r->third[r->slides] = info->x[2];
  r->begins[r->slides++] = info->begins;
  return 0;
}

static int note_impact(const ess_impact *impact, void *context) {
  run *const r = context;
  if (r->impacts < MOST) r->impact_at[r->impacts++] = impact->t;
  return 0;
}

static void begin(run *r, double mu, double angle, double pull) {
  *r = (run){.mu = mu, .p = {angle, pull}};
  r->constraints[NORMAL] = (mechanism_constraint){.normal = NORMAL};
  r->constraints[TANGENT] = (mechanism_constraint){.normal = NORMAL, .friction = mu, .rubs = true};
  r->m = (mechanism){.coordinates = COORDINATES,
                     .constraints = CONSTRAINTS,
                     .constraint = r->constraints,
                     .limb = limbs,
                     .inertia = inertia,
                     .potential = potential,
                     .applied = applied,
                     .gaps = gaps,
                     .rows = rows,
                     .params = &r->p};
  const char *const wrong = contact_system_refused(&r->m, 0);
  if (wrong) fail_msg("%s", wrong);
  assert_null(mechanism_refused_at(&r->m, (double[COORDINATES]){0}));
  assert_int_equal(contact_system_prepare(&r->s, &r->m, 0), 0);
}

/* from a start `along` the slope at a speed, `above` it, falling at a speed */
static int go(run *r, double tolerance, double t1, double along, double speed, double above,
              double falling, double x[STATES]) {
  const double c = cos(r->p.angle), s = sin(r->p.angle);
  ess_options options = ess_options_default();
  options.rtol = options.atol = tolerance;
  options.sliding = ESS_SLIDING_SLIDE;
  options.observer = (ess_observer){.slide = note_slide, .impact = note_impact, .context = r};
  memset(x, 0, STATES * sizeof *x);
  x[X] = along * c - above * s;
  x[Y] = along * s + above * c;
  x[COORDINATES + X] = speed * c + falling * s;
  x[COORDINATES + Y] = speed * s - falling * c;
  x[COORDINATES + CLOCK] = 1;
  double t = 0;
  int status;
  ess_driver *const d = ess_driver_alloc(&r->s.system, &options, &status);
  if (!d) fail_msg("%s", ess_strerror(status));
  status = ess_driver_apply(d, &t, t1, x);
  ess_driver_free(d);
  contact_system_release(&r->s);
  return status;
}

static double along_of(const run *r, const double x[]) {
  return x[X] * cos(r->p.angle) + x[Y] * sin(r->p.angle);
}

static double speed_of(const run *r, const double x[]) {
  return along_of(r, x + COORDINATES);
}

static void pushed_up_it_stops_and_stays_or_slips_back(void **state) {
  (void)state;
  for (int stays = 0; stays < 2; stays++) {
    run r;
    double x[STATES];
    const double angle = 0.3, mu = stays ? 0.5 : 0.2, v = 1.5;
    begin(&r, mu, angle, 0);
    const double stops = v / (g * (sin(angle) + mu * cos(angle))), t1 = stops + 0.4;
    assert_int_equal(go(&r, 1e-10, t1, 0, v, 0, 0, x), ESS_SUCCESS);
    const double back = stays ? 0 : g * (sin(angle) - mu * cos(angle));
    assert_true(fabs(along_of(&r, x) - 0.5 * v * stops + 0.5 * back * 0.16) < 1e-9);
    assert_true(fabs(speed_of(&r, x) + back * 0.4) < 1e-9);
    assert_int_equal(r.slides, stays);
    if (stays) assert_true(fabs(r.time[0] - stops) < 1e-9);
  }
}

/* it sticks until mu (m g cos - p t) = m g sin, slips down, and lifts where p t = m g cos */
static void pulled_off_it_slips_and_lifts(void **state) {
  (void)state;
  const double angle = 0.3, mu = 0.6, pull = 10;
  const double press = mass * g * cos(angle), drive = mass * g * sin(angle);
  const double slips = (press - drive / mu) / pull, lifts = press / pull, t1 = lifts + 0.3;
  const double tolerances[] = {1e-6, 1e-8, 1e-10};
  for (size_t i = 0; i < 3; i++) {
    run r;
    double x[STATES];
    begin(&r, mu, angle, pull);
    assert_int_equal(go(&r, tolerances[i], t1, 0, 0, 0, 0, x), ESS_SUCCESS);
    const double within = 20 * tolerances[i] + 1e-9;
    assert_int_equal(r.slides, 2);
    assert_true(r.time[0] < 1e-9 && fabs(r.time[1] - slips) < within);
    assert_int_equal(r.impacts, 1);
    assert_true(fabs(r.impact_at[0] - lifts) < within);
    // m s'' = -drive + mu (press - p t) from `slips` on, then -drive
    const double a = lifts - slips, since = t1 - lifts;
    const double speed = -0.5 * mu * pull * a * a + (mu * (press - pull * slips) - drive) * a;
    const double way =
        -mu * pull * a * a * a / 6 + 0.5 * (mu * (press - pull * slips) - drive) * a * a;
    const double last = speed - drive * since;
    assert_true(fabs(mass * speed_of(&r, x) - last) < within);
    assert_true(fabs(mass * along_of(&r, x) - way - speed * since + 0.5 * drive * since * since) <
                within);
    double above[CONSTRAINTS];
    gaps(x, above, &r.p);
    assert_true(fabs(mass * above[NORMAL] - pull * since * since * since / 6) < within);
  }
}

/* at a landing friction takes mu times what the surface takes, or all there is */
static void it_lands_and_slips_or_sticks(void **state) {
  (void)state;
  for (int sticks = 0; sticks < 2; sticks++)
    for (int way = -1; way <= 1; way += 2) {
      run r;
      double x[STATES];
      const double mu = 0.5, falls = sticks ? 2.0 : 0.4, v = 0.7, later = 0.05;
      begin(&r, mu, 0, 0);
      const double lands = 0.1, above = falls * lands + 0.5 * g * lands * lands;
      const double meets = falls + g * lands, left = v - mu * meets;
      assert_int_equal(sticks, left < 0);
      assert_int_equal(go(&r, 1e-10, lands + later, 0, way * v, above, falls, x), ESS_SUCCESS);
      const double slip = sticks ? 0 : left, stops = slip / (mu * g), on = fmin(later, stops);
      const double speed = slip - mu * g * on, path = v * lands + (slip - 0.5 * mu * g * on) * on;
      assert_true(fabs(speed_of(&r, x) - way * speed) < 1e-9);
      assert_true(fabs(along_of(&r, x) - way * path) < 1e-9);
      assert_int_equal(r.slides, stops < later);
    }
}

/* ---- a rod on its foot ----------------------------------------------------------------------- */

enum { PHI = 2 };
static const double half = 0.7;

static void rod_inertia(const double q[], double M[], void *params) {
  (void)q, (void)params;
  memset(M, 0, 9 * sizeof *M);
  M[0] = M[4] = mass;
  M[8] = mass * half * half / 3;
}

static void rod_potential(const double q[], double N[], void *params) {
  (void)q, (void)params;
  N[X] = N[PHI] = 0;
  N[Y] = mass * g;
}

/* of its foot on level ground */
static void rod_gaps(const double q[], double a[], void *params) {
  (void)params;
  a[NORMAL] = q[Y] - half * sin(q[PHI]);
}

static void rod_rows(const double q[], double A[], void *params) {
  (void)params;
  const double of[2][3] = {{0, 1, -half * cos(q[PHI])}, {1, 0, half * sin(q[PHI])}};
  memcpy(A, of, sizeof of);
}

/* falls over from an angle; how it has fallen */
static int fall(double mu, bool rubs, double angle, double t1, double x[6], size_t *slides,
                double *slips_at) {
  run r = {.slides = 0};
  const mechanism_constraint constraints[] = {{.normal = NORMAL},
                                              {.normal = NORMAL, .friction = mu, .rubs = rubs}};
  const mechanism m = {.coordinates = 3,
                       .constraints = 2,
                       .constraint = constraints,
                       .inertia = rod_inertia,
                       .potential = rod_potential,
                       .gaps = rod_gaps,
                       .rows = rod_rows};
  if (contact_system_refused(&m, 0)) fail_msg("%s", contact_system_refused(&m, 0));
  assert_int_equal(contact_system_prepare(&r.s, &m, 0), 0);
  const double start[] = {half * cos(angle), half * sin(angle), angle, 0, 0, 0};
  memcpy(x, start, sizeof start);
  ess_options options = ess_options_default();
  options.rtol = options.atol = 1e-10;
  options.sliding = ESS_SLIDING_SLIDE;
  options.observer = (ess_observer){.slide = note_slide, .context = &r};
  double t = 0;
  ess_driver *const d = ess_driver_alloc(&r.s.system, &options, NULL);
  const int status = ess_driver_apply(d, &t, t1, x);
  ess_driver_free(d);
  contact_system_release(&r.s);
  *slides = r.slides;
  if (slips_at) *slips_at = r.third[1];
  return status;
}

/* what friction a rod takes that turns about its end, and has fallen from rest: by its energy */
static double friction_on_its_end(double from, double angle) {
  const double s = sin(angle), c = cos(angle), fallen = 1.5 * (sin(from) - s);
  return c * (0.75 * s - fallen) / (1 - 0.75 * c * c - fallen * s);
}

/* it does as one whose foot cannot slip, as long as friction is enough; and slips where the force
 * that holds that one leaves the cone */
static void a_rod_falls_over_a_foot_that_sticks(void **state) {
  (void)state;
  double held[6], sticks[6], slips[6], angle;
  size_t slides;
  assert_int_equal(fall(MECHANISM_STICKS, false, 1.2, 0.3, held, &slides, NULL), ESS_SUCCESS);
  assert_int_equal(slides, 0);
  assert_int_equal(fall(0.9, true, 1.2, 0.3, sticks, &slides, NULL), ESS_SUCCESS);
  assert_int_equal(slides, 1);
  for (size_t i = 0; i < 6; i++) assert_true(fabs(held[i] - sticks[i]) < 1e-8);
  assert_int_equal(fall(0.35, true, 1.2, 0.4, slips, &slides, &angle), ESS_SUCCESS);
  assert_true(slides >= 2 && fabs(friction_on_its_end(1.2, angle) - 0.35) < 1e-8);
  // it takes 0.28 at once
  assert_int_equal(fall(0.15, true, 1.2, 0.3, slips, &slides, NULL), ESS_SUCCESS);
  assert_int_equal(slides, 0);
  // without friction the middle falls straight down
  assert_int_equal(fall(1e-9, true, 1.2, 0.3, slips, &slides, NULL), ESS_SUCCESS);
  assert_true(fabs(slips[0] - half * cos(1.2)) < 1e-8);
}

static void what_rubs_is_one_foot(void **state) {
  (void)state;
  run r;
  begin(&r, 0.5, 0, 0);
  r.constraints[TANGENT].friction = MECHANISM_STICKS;
  assert_string_equal(mechanism_refused(&r.m),
                      "the friction of a tangent that rubs must be finite");
  r.constraints[TANGENT].friction = 0;
  assert_string_equal(mechanism_refused(&r.m), "a tangent constraint's friction must be above 0");
  const mechanism_constraint three[] = {
      {.normal = 0}, {.normal = 0, .friction = 0.5, .rubs = true}, {.normal = 2}};
  r.m.constraint = three;
  r.m.constraints = 3;
  assert_string_equal(
      mechanism_refused(&r.m),
      "a mechanism with a tangent that rubs must have no constraint but it and its normal");
  contact_system_release(&r.s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(pushed_up_it_stops_and_stays_or_slips_back),
                                     cmocka_unit_test(pulled_off_it_slips_and_lifts),
                                     cmocka_unit_test(it_lands_and_slips_or_sticks),
                                     cmocka_unit_test(a_rod_falls_over_a_foot_that_sticks),
                                     cmocka_unit_test(what_rubs_is_one_foot)};
  return cmocka_run_group_tests_name("contact friction", tests, NULL, NULL);
}
