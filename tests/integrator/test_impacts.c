/*
 * Impacts that cases (cases/impacts.txt) cannot express: maps that say little or too much of the
 * mode, maps of several events at once and their derivatives, rows of hard balls, and arguments.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "draws.h"
#include "driven.h"
#include "ess_tangents.h"

#define IMPACT_MAP(name)                                                                           \
  static void name##_does(ess_impact *impact, void *params);                                       \
  static int name(ess_impact *impact, void *params) {                                              \
    name##_does(impact, params);                                                                   \
    return 0;                                                                                      \
  }                                                                                                \
  static void name##_does(ess_impact *impact, void *params)

enum { BALLS = 20 };

/* a driver with these impacts, at guards of these kinds; NULL: at each */
static void begin_with(driven *r, hybrid *h, unsigned gives, ess_options options,
                       const ess_guard_kind kinds[], const ess_impacts *impacts) {
  set_up(r, h, gives, options);
  r->system.kinds = kinds;
  r->system.impacts = impacts;
  begin(r);
}

static void stays_above(ess_impact *impact, size_t k) {
  impact->mode[k] = 1.0;
  impact->armed[ESS_GUARD_DOWN(k)] = true;
}

/* ---- the mode that a map returns ------------------------------------------------------------- */

static const char falls[] = "g = 9.81; b = 0; z' = v; v' = -g; floor: z - b*t; from 0: z = 1; to 1";

static int returns;
enum { ARMED, MODE_ALONE, NO_MODE, NEITHER, SIDE_OF_SPEED, ONE_ARMED };

IMPACT_MAP(bounce) {
  const double speed = -0.8 * impact->x[1];
  impact->after[1] = speed;
  if (returns == ARMED) stays_above(impact, 0);
  if (returns == MODE_ALONE) impact->mode[0] = 1.0;
  if (returns == NO_MODE) impact->mode[0] = 0.0;
  if (returns == ONE_ARMED) {
    impact->mode[0] = impact->sign[0];
    impact->armed[ESS_GUARD_DOWN(0)] = impact->sign[0] > 0.0;
  }
  if (returns != SIDE_OF_SPEED) return;
  impact->mode[0] = speed < 0.0 ? -1.0 : 1.0;
  impact->armed[ESS_GUARD_UP(0)] = speed < 0.0;
  impact->armed[ESS_GUARD_DOWN(0)] = speed > 0.0;
}

static const ess_impacts bounces = {.map = bounce};

TEST(a_map_says_at_least_the_mode) {
  static const struct {
    int returns;
    const char *said; /* by the failure */
  } rows[] = {{MODE_ALONE, NULL}, {NO_MODE, "mode"}, {NEITHER, "neither mode nor armed"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (int paper = 0; paper < 2; paper++) {
      driven r;
      begin_with(&r, hybrid_of("%s", falls), HYBRID_GIVES_ALL,
                 paper ? ess_options_paper() : ess_options_default(), NULL, &bounces);
      returns = rows[i].returns;
      assert_int_equal(go(&r, 1.0), rows[i].said ? ESS_EIMPACT : ESS_SUCCESS);
      if (rows[i].said) {
        assert_non_null(strstr(ess_driver_failure(r.d)->reason, rows[i].said));
        assert_true(r.x[1] < 0.0 && fabs(r.x[0]) < 1e-9 && ess_driver_sign(r.d)[0] > 0.0);
        returns = ARMED; // mended, the run continues
        assert_int_equal(go(&r, 1.0), ESS_SUCCESS);
      }
      const double v = sqrt(2.0 * 9.81), since = 1.0 - v / 9.81;
      assert_true(fabs(r.x[0] - since * (0.8 * v - 0.5 * 9.81 * since)) < (paper ? 1e-4 : 1e-7));
      drop(&r);
    }
}

TEST(a_start_on_a_wall_leaves_it_though_its_side_is_that_of_the_speed_after_the_map) {
  for (int form = 0; form < 8; form++) {
    driven r;
    const double speed = form & 2 ? 1.0 : -1.0;
    returns = form & 4 ? ONE_ARMED : SIDE_OF_SPEED;
    begin_with(&r, hybrid_of("%s; from 0: z = 0, v = %g", falls, speed),
               form & 1 ? HYBRID_GIVES_ALL : HYBRID_FIXED, ess_options_default(), NULL, &bounces);
    assert_int_equal(go(&r, 0.1), ESS_SUCCESS);
    assert_int_equal(ess_driver_counters(r.d)->impacts, 0);
    assert_true(fabs(r.x[0] - (0.1 * speed - 0.005 * 9.81)) < 1e-7);
    drop(&r);
  }
}

/* two tanks that run empty, and one inflow of 2.5, to the tank that was empty last: nothing jumps,
 * and they run empty no more slowly, so that the times alone say that impacts accumulate */
IMPACT_MAP(turn_inflow) {
  for (size_t i = 0; i < impact->count; i++) {
    stays_above(impact, impact->events[i]);
    impact->mode[2] = impact->events[i] ? 1.0 : -1.0;
  }
}

TEST(impacts_without_a_jump_accumulate_too) {
  static const ess_guard_kind kinds[6] = {[ESS_GUARD_DOWN(0)] = ESS_GUARD_IMPACT,
                                          [ESS_GUARD_DOWN(1)] = ESS_GUARD_IMPACT};
  const ess_impacts turns = {.map = turn_inflow};
  for (int digits = 2; digits <= 11; digits++) {
    driven r;
    begin_with(&r,
               hybrid_of("x' = 2.5*off(second) - 1; y' = 2.5*on(second) - 2\n"
                         "a: x; b: y; second: 1 # has no guard\nfrom 0: x = 0.5, y = 0.7"),
               HYBRID_GIVES_NONE, hybrid_options(pow(10.0, -digits)), kinds, &turns);
    for (double end = 2.0; end < 2.35; end += 0.1) assert_int_equal(go(&r, end), ESS_SUCCESS);
    assert_int_equal(go(&r, 5.0), ESS_EZENO);
    assert_true(fabs(ess_driver_failure(r.d)->time - 2.4) < 1e-9);
    drop(&r);
  }
}

/* a heater that is on at first, and whose map arms the other end of its band */
IMPACT_MAP(turn_heater) {
  const bool is_off = impact->events[0] == 0;
  impact->mode[0] = is_off ? 1.0 : -1.0;
  impact->mode[1] = 1.0;
  impact->armed[ESS_GUARD_UP(0)] = !is_off;
  impact->armed[ESS_GUARD_DOWN(0)] = impact->armed[ESS_GUARD_UP(1)] = false;
  impact->armed[ESS_GUARD_DOWN(1)] = is_off;
}

static int heats_at_first(double t, const double x[], double sign[], bool armed[], void *params) {
  (void)t, (void)x, (void)params;
  sign[0] = -1.0;
  sign[1] = 1.0;
  armed[ESS_GUARD_UP(0)] = true;
  armed[ESS_GUARD_DOWN(1)] = false;
  return 0;
}

TEST(the_mode_at_the_start_may_be_another_than_that_of_the_signs) {
  const ess_impacts turns = {.map = turn_heater};
  uint64_t seed = 1;
  for (int i = 0; i < 200; i++) {
    const double start = draw(&seed), tolerance = pow(10.0, -3.0 - i % 8);
    hybrid *const h =
        hybrid_of("r = %.17g; x' = r*(-5 - x) + off(high)*3*r*%.17g; high: x - 1; low: x\n"
                  "row up high: +down low; row down low: +up high; unarmed down high, both low\n"
                  "from 0: x = %.17g; to 20",
                  draw_between(&seed, 0.02, 0.5), draw_between(&seed, 2.5, 5.0), start);
    const hybrid_plan plan = hybrid_at(1e-11);
    const hybrid_end truth = hybrid_run(h, &plan);
    driven r;
    set_up(&r, h, HYBRID_GIVES_ALL, hybrid_options(tolerance));
    r.system.resets = NULL;
    r.system.impacts = &turns;
    r.system.start = heats_at_first;
    begin(&r);
    assert_int_equal(truth.status, ESS_SUCCESS);
    assert_int_equal(go(&r, 20.0), ESS_SUCCESS);
    if (!(fabs(r.x[0] - truth.x[0]) <= 1e-9 + 1000.0 * tolerance))
      fail_msg("heater %d at %g: %g off", i, tolerance, r.x[0] - truth.x[0]);
    drop(&r);
  }
}

/* a neuron that fires at 1: the map leaves its mode to the row, at the start, too */
IMPACT_MAP(fire) {
  impact->after[0] = 0.0;
}

TEST(a_mode_that_rows_put_back_is_back_at_the_start_too) {
  static const double starts[] = {0.5, 1.0, 1.0 + 1e-15, 1.0 - 1e-15};
  const ess_impacts fires = {.map = fire};
  for (int i = 0; i < 4; i++) {
    driven r;
    begin_with(
        &r,
        hybrid_of("x' = 1; fires: x - 1; row up fires: +up fires; from 0: x = %.17g", starts[i]),
        HYBRID_GIVES_NONE, ess_options_default(), NULL, &fires);
    assert_int_equal(go(&r, 2.4), ESS_SUCCESS);
    assert_int_equal(ess_driver_counters(r.d)->impacts, i ? 3 : 2);
    assert_true(fabs(r.x[0] - (i ? 0.4 : 0.9)) < 1e-9);
    drop(&r);
  }
}

/* ---- an impact that is over ------------------------------------------------------------------ */

IMPACT_MAP(changes_nothing) {
}

/* nothing is left of an impact that has stopped the run: the last state, put beyond its guard and
 * leaving it, has not been carried there */
TEST(an_impact_is_over_where_the_caller_moves_the_state) {
  static const ess_guard_kind kinds[6] = {ESS_GUARD_IMPACT, ESS_GUARD_IMPACT};
  const ess_impacts impacts = {.map = changes_nothing};
  driven r;
  set_up(&r,
         hybrid_of("x' = 1; y' = 1; z' = -1; a: x; b: y; c: z\n"
                   "from 0: x = -1, y = -10, z = -10"),
         HYBRID_GIVES_ALL, ess_options_default());
  r.system.kinds = kinds;
  r.system.impacts = &impacts;
  r.h->has_impacts = true;
  hear(&r);
  r.log.stops = 1u << HYBRID_IMPACTS | 1u << HYBRID_CROSSING;
  begin(&r);
  assert_int_equal(go(&r, 2.0), ESS_ESTOP);
  r.x[1] = 0.0;
  r.x[2] = 0.5;
  assert_int_equal(go(&r, 2.0), ESS_ESTOP);
  assert_true(ess_driver_sign(r.d)[1] == 1.0);
  assert_int_equal(go(&r, 2.0), ESS_SUCCESS);
  assert_true(ess_driver_sign(r.d)[2] == -1.0);
  drop(&r);
}

/* ---- events of one instant ------------------------------------------------------------------- */

/* A body on two rigid feet, which stops at both, or at one, whose impulse turns it. */
static const char body[] = "i = %g; z' = v; q' = w; v' = -9.81; w' = 0*i\n"
                           "left: z - sin(q) - 1; right: z + sin(q) - 1\n"
                           "from 0: z = 1.5, q = %g";
static struct { size_t calls, most; /* events at once */ } landed;

IMPACT_MAP(land) {
  const double inertia = ((const hybrid *)params)->parameter[0];
  double *const x = impact->after;
  landed.calls++;
  if (impact->count > landed.most) landed.most = impact->count;
  if (impact->count == 2) x[2] = x[3] = 0.0;
  if (impact->count == 1) {
    const double lever = (impact->events[0] ? 1.0 : -1.0) * cos(x[1]);
    const double impulse = -(x[2] + lever * x[3]) / (1.0 + lever * lever / inertia);
    x[2] += impulse;
    x[3] += impulse * lever / inertia;
  }
  for (size_t i = 0; i < impact->count; i++) {
    impact->mode[impact->events[i]] = 1.0;
    impact->armed[ESS_GUARD_DOWN(impact->events[i])] = false;
  }
}

static const ess_impacts lands = {.map = land};

TEST(events_of_one_instant_are_handed_together) {
  for (int form = 0; form < 4; form++) {
    driven r;
    memset(&landed, 0, sizeof landed);
    begin_with(&r, hybrid_of(body, 1.0, form & 2 ? 0.1 : 0.0), HYBRID_GIVES_ALL,
               form & 1 ? ess_options_paper() : ess_options_default(), NULL, &lands);
    assert_int_equal(go(&r, 0.32), ESS_SUCCESS);
    assert_int_equal(landed.calls, 1);
    assert_int_equal(landed.most, form & 2 ? 1 : 2);
    drop(&r);
  }
}

/* with a mass farther out than the feet the second foot lifts off again, whichever it is */
TEST(an_order_that_matters_has_no_derivative) {
  for (int is_far = 0; is_far < 2; is_far++) {
    driven r;
    begin_with(&r, hybrid_of(body, is_far ? 2.0 : 1.0, 0.0), HYBRID_GIVES_ALL,
               ess_options_default(), NULL, &lands);
    assert_int_equal(ess_driver_follow(r.d, 4, NULL), ESS_SUCCESS);
    assert_int_equal(go(&r, 0.32), is_far ? ESS_EDISCONTINUOUS : ESS_SUCCESS);
    const ess_failure *const failure = ess_driver_failure(r.d);
    if (is_far)
      assert_int_equal(failure->event + failure->other_event, 1);
    else
      assert_int_equal(ess_driver_smoothness(r.d)->instants, 1);
    drop(&r);
  }
}

/* ---- hard balls in a row --------------------------------------------------------------------- */

static double mass[BALLS];

/* positions, and then velocities; event functions are gaps, or with sense -1 overlaps */
static hybrid *row_of(size_t count, double sense, double diameter) {
  hybrid *const h = hybrid_of("d = %.17g; s = %.17g", diameter, sense);
  for (size_t k = 0; k < count; k++) hybrid_add(h, "x%zu' = v%zu", k, k);
  for (size_t k = 0; k < count; k++) hybrid_add(h, "v%zu' = 0", k);
  for (size_t k = 0; k + 1 < count; k++) hybrid_add(h, "h%zu: s*(x%zu - x%zu) - s*d", k, k + 1, k);
  hybrid_read(h);
  return h;
}

/* pairs of neighbours that approach, one after the other until they part */
IMPACT_MAP(collide) {
  const hybrid *const h = params;
  double *const v = impact->after + h->m + 1;
  for (bool any = true; any;) {
    any = false;
    for (size_t i = 0; i < impact->count; i++) {
      const size_t k = impact->events[i];
      const double faster = v[k] - v[k + 1], sum = mass[k] + mass[k + 1], left = v[k];
      if (!(faster > 1e-9)) continue;
      v[k] = mass[k] == mass[k + 1] ? v[k + 1] : left - 2.0 * faster * mass[k + 1] / sum;
      v[k + 1] = mass[k] == mass[k + 1] ? left : v[k + 1] + 2.0 * faster * mass[k] / sum;
      any = true;
    }
  }
  for (size_t i = 0; i < impact->count; i++) {
    const double side = h->parameter[1];
    impact->mode[impact->events[i]] = side;
    impact->armed[2 * impact->events[i] + (side > 0.0)] = true;
  }
}

/* two that meet exchange their speeds once for each event */
IMPACT_MAP(exchange) {
  const hybrid *const h = params;
  double *const v = impact->after + h->m + 1;
  for (size_t i = 0; i < impact->count; i++) {
    const size_t k = impact->events[i];
    const double left = v[k], side = h->parameter[1];
    if (left > v[k + 1]) {
      v[k] = v[k + 1];
      v[k + 1] = left;
    }
    impact->mode[k] = side;
    impact->armed[2 * k + (side > 0.0)] = true;
  }
}

static int run_row(hybrid *h, bool both, double tolerance, double end, double x[]) {
  ess_guard_kind kinds[2 * BALLS];
  for (size_t j = 0; j < 2 * BALLS; j++)
    kinds[j] = (j % 2 == 1) == (h->parameter[1] > 0.0) ? ESS_GUARD_IMPACT : ESS_GUARD_CHANGES_FIELD;
  const ess_impacts impacts = {.map = exchange};
  ess_system system = hybrid_system(h, HYBRID_GIVES_ALL);
  system.kinds = both ? NULL : kinds;
  system.impacts = &impacts;
  const ess_options options = hybrid_options(tolerance);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_non_null(d);
  double t = 0.0;
  const int status = ess_driver_apply(d, &t, end, x);
  ess_driver_free(d);
  return status;
}

/* Newton's cradle: as many balls leave as come in, at their speed. Balls that touch and move
 * together have rounding between them, for which steps were once halved until there were too many.
 */
TEST(as_many_balls_leave_a_cradle_as_come_in) {
  static const double gaps[] = {0.37, 1.0}, diameters[] = {1.0, 0.1, 0.3};
  static const double tolerances[] = {1e-9, 1e-4, 1e-3, 1e-12};
  for (size_t count = 3; count <= BALLS; count++)
    for (unsigned forms = 0; forms < 8; forms++) {
      const bool from_right = forms & 2, both = forms & 4;
      hybrid *const h = row_of(count, forms & 1 ? -1.0 : 1.0, 1.0);
      for (size_t i = 0; i < 18; i++) {
        if (i >= 9 && both) continue;
        size_t coming = i < 9 ? 1 : 2 + i % 9 / 3;
        if (coming >= count) coming = count - 1;
        const double diameter = i < 9 ? diameters[i % 3] : 0.1, gap = i < 9 ? gaps[i / 3 % 2] : 0.5;
        const double way = from_right ? -1.0 : 1.0, from = i < 9 ? 0.7 * (double)i - 2.0 : 0.0;
        double x[2 * BALLS] = {0.0};
        hybrid_set(h, "d", diameter);
        for (size_t k = 0; k < count; k++) x[k] = from + diameter * (double)k;
        for (size_t k = 0; k < coming; k++) {
          const size_t hits = from_right ? count - 1 - k : k;
          x[hits] -= way * gap;
          x[count + hits] = way;
        }
        const int status = run_row(h, both, tolerances[i < 9 ? i % 2 : 1 + i % 3], gap + 1.0, x);
        for (size_t k = 0; k < count; k++) {
          const size_t place = from_right ? k : count - 1 - k; // from the side that they leave by
          if (status || x[count + k] != (place < coming ? way : 0.0))
            fail_msg("%zu balls, %zu come in, forms %u, %zu: %s, ball %zu at speed %g", count,
                     coming, forms, i, ess_strerror(status), k, x[count + k]);
        }
      }
      hybrid_free(h);
    }
}

/* Exchanging speeds, balls of no size pass through each other: positions are those of straight
 * lines, in order. */
TEST(balls_of_equal_mass_pass_on_their_speeds) {
  uint64_t seed = 1;
  for (int i = 0; i < 1000; i++) {
    const size_t count = 3 + (size_t)draw_between(&seed, 0.0, 8.0) * (i % 5 ? 1 : 2);
    const double tolerance = pow(10.0, -3.0 - i % 8), end = draw_between(&seed, 1.0, 5.0);
    const double diameter = i % 2 ? 0.1 : draw_between(&seed, 0.05, 1.0);
    const size_t first = (size_t)draw_between(&seed, 0.0, (double)count - 1.0);
    const size_t last = first + 1 + (size_t)draw_between(&seed, 0.0, (double)(count - 1 - first));
    const double left = draw_between(&seed, 0.2, 2.0), right = draw_between(&seed, 0.2, 2.0);
    double x[2 * BALLS] = {draw_between(&seed, -1.0, 1.0)}, line[BALLS];
    // balls from `first` to `last` touch at rest, and others come towards them
    for (size_t k = 0; k < count; k++) {
      const bool rests = k >= first && k <= last;
      if (k)
        x[k] = x[k - 1] + diameter + (rests && k > first ? 0.0 : draw_between(&seed, 0.05, 0.5));
      x[count + k] = rests ? 0.0 : k < first ? left : -right;
      line[k] = x[k] - diameter * (double)k + end * x[count + k];
    }
    qsort(line, count, sizeof *line, ascending);
    hybrid *const h = row_of(count, i / 2 % 2 ? 1.0 : -1.0, diameter);
    const int status = run_row(h, i / 4 % 2, tolerance, end, x);
    for (size_t k = 0; k < count; k++)
      if (status || !(fabs(x[k] - diameter * (double)k - line[k]) <= 1e-9 + 50.0 * tolerance))
        fail_msg("row %d at %g: %s, ball %zu is %g off", i, tolerance, ess_strerror(status), k,
                 x[k] - diameter * (double)k - line[k]);
    hybrid_free(h);
  }
}

/* Balls of equal mass that meet at one time, t = 1/2, pass on their velocities as if they went
 * through each other: the flow is the same, whatever the order in which pairs meet. */
TEST(equal_balls_that_meet_at_once_have_a_derivative) {
  enum { MOST = 5 };
  static const struct {
    size_t count;
    double speed[MOST], mass;
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
  static const ess_guard_kind kinds[] = {
      ESS_GUARD_CHANGES_FIELD, ESS_GUARD_IMPACT, ESS_GUARD_CHANGES_FIELD, ESS_GUARD_IMPACT,
      ESS_GUARD_CHANGES_FIELD, ESS_GUARD_IMPACT, ESS_GUARD_CHANGES_FIELD, ESS_GUARD_IMPACT};
  const ess_impacts collides = {.map = collide};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const size_t n = rows[i].count;
    hybrid *const h = row_of(n, 1.0, 1.0);
    for (size_t k = 0; k < n; k++) {
      const double speed = rows[i].speed[k];
      char name[HYBRID_NAME];
      mass[k] = k ? 1.0 : rows[i].mass;
      snprintf(name, sizeof name, "x%zu", k);
      hybrid_set(h, name, (double)k - 0.5 * speed);
      name[0] = 'v';
      hybrid_set(h, name, speed);
    }
    driven r;
    begin_with(&r, h, HYBRID_GIVES_ALL, ess_options_default(), kinds, &collides);
    assert_int_equal(ess_driver_follow(r.d, 2 * n, NULL), ESS_SUCCESS);
    assert_int_equal(go(&r, 1.0), rows[i].status);
    if (!rows[i].status) {
      const ess_smoothness *const s = ess_driver_smoothness(r.d);
      assert_true(s->kind == ESS_SMOOTH_C1 && s->instants == 1 && s->count == n - 1);
      const double *const D = ess_driver_tangent(r.d);
      double outcome[2 * MOST] = {1.0, 0.3, -0.4, 0.7, -1.1, 0.2, 0.9, -0.6, 0.5, 0.8};
      double known[2 * MOST] = {0.0}, along[2 * MOST];
      for (size_t k = 0; k < 2 * n; k++)
        // ball k is where ball n - 1 - k would be without the others
        for (size_t j = 0; j < 2 * n; j++) {
          const size_t other = k < n ? n - 1 - k : 3 * n - 1 - k;
          const double exact = j == other || (k < n && j == n + other) ? 1.0 : 0.0;
          assert_true(fabs(D[k * 2 * n + j] - exact) < 1e-8);
          known[j] += outcome[k] * exact;
        }
      again(&r);
      assert_int_equal(ess_driver_record(r.d, 1 << 20), ESS_SUCCESS);
      assert_int_equal(go(&r, 1.0), ESS_SUCCESS);
      assert_int_equal(ess_driver_adjoint(r.d, 1, outcome, along, NULL), ESS_SUCCESS);
      for (size_t j = 0; j < 2 * n; j++) assert_true(fabs(along[j] - known[j]) < 1e-8);
    }
    drop(&r);
  }
}

/* ---- arguments ------------------------------------------------------------------------------- */

TEST(wrong_arguments_are_named) {
  hybrid *const h = hybrid_of("%s", falls);
  ess_system system = hybrid_system(h, HYBRID_GIVES_ALL);
  ess_options options = ess_options_default();
  const ess_impacts wrong = {0};
  system.impacts = &wrong;
  assert_non_null(strstr(ess_check(&system, &options), "map"));
  system.impacts = &bounces;
  assert_null(ess_check(&system, &options));
  options.tie = -1.0;
  assert_non_null(strstr(ess_check(&system, &options), "tie"));
  options.tie = 0.0;
  options.zeno_impacts = 3;
  assert_non_null(strstr(ess_check(&system, &options), "zeno_impacts"));
  hybrid_free(h);
}

TEST(wrong_derivatives_are_found) {
  hybrid *const h = hybrid_of("z' = v; v' = -9.81; floor: z; hit down floor: v = -0.8*v^2");
  const ess_system system = hybrid_system(h, HYBRID_GIVES_ALL);
  const double x[2] = {0.3, -2.0};
  ess_jacobian_check worst;
  assert_int_equal(ess_check_jacobian(&system, 0.0, x, &worst), ESS_SUCCESS);
  h->fault = (hybrid_fault){.in = HYBRID_FIELD_JACOBIAN, .call = 1, .value = 1.01, .entry = 1};
  assert_int_equal(ess_check_jacobian(&system, 0.0, x, &worst), ESS_EJACOBIAN);
  assert_int_equal(worst.of, ESS_JACOBIAN_OF_FIELD);
  assert_true(worst.row == 0 && worst.column == 1 && fabs(worst.found - 1.0) < 1e-6);
  h->fault = (hybrid_fault){.in = HYBRID_IMPACT_JACOBIAN, .call = 1, .value = 3.232, .entry = 3};
  assert_int_equal(ess_check_jacobian(&system, 0.0, x, &worst), ESS_EJACOBIAN);
  assert_int_equal(worst.of, ESS_JACOBIAN_OF_IMPACT);
  assert_true(worst.event == 0 && worst.row == 1 && worst.column == 1);
  assert_true(fabs(worst.found - 3.2) < 1e-5);
  hybrid_free(h);
}
