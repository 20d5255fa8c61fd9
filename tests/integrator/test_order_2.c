/*
 * Projection of order 2 seen closely: its samples, and where the field half-way is of no use.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "balls.h"

/* ---- samples --------------------------------------------------------------------------------- */

enum { PROJECTIONS = 64, STATES = 6 };

/* every projection's ends, and where the state was when it began */
typedef struct projections {
  size_t count;
  double t0[PROJECTIONS], t1[PROJECTIONS], from[PROJECTIONS][STATES], to[PROJECTIONS][STATES];
  double before[STATES];
} projections;

ON_STEP(note_step) {
  projections *const p = context;
  if (info->projection && p->count < PROJECTIONS) {
    p->t0[p->count] = info->t0;
    p->t1[p->count] = info->t1;
    memcpy(p->from[p->count], p->before, sizeof p->before);
    memcpy(p->to[p->count++], info->x, sizeof p->before);
  }
  memcpy(p->before, info->x, sizeof p->before);
}

static ess_counters drop_three(double epsilon, projections *seen, const double times[],
                               size_t count, double states[]) {
  balls b = balls_of(3, 3);
  const ess_system system = balls_system(&b);
  ess_options options = toy_paper(2);
  options.epsilon = epsilon;
  if (seen) options.observer = (ess_observer){.step = note_step, .context = seen};
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double x[STATES], t = 0.0;
  balls_drop(&b, 0.5, 0.05, x);
  assert_int_equal(ess_driver_sample(d, &t, 2.0, x, times, count, states), ESS_SUCCESS);
  const ess_counters counters = *ess_driver_counters(d);
  ess_driver_free(d);
  return counters;
}

/* both ends of every projection, and the middle: five times each, ascending */
static size_t grid(const projections *p, double times[]) {
  for (size_t i = 0; i < p->count; i++)
    for (size_t j = 0; j < 5; j++) {
      const double part = 0.25 * (double)j;
      times[5 * i + j] = j == 4 ? p->t1[i] : p->t0[i] + part * (p->t1[i] - p->t0[i]);
    }
  return 5 * p->count;
}

TEST(samples_join_both_ends_of_a_projection) {
  const double epsilons[] = {1e-4, 0.01, 0.1};
  for (int i = 0; i < 3; i++) {
    projections p = {0};
    const ess_counters plain = drop_three(epsilons[i], &p, NULL, 0, NULL);
    assert_in_range(p.count, 2, PROJECTIONS);
    double times[5 * PROJECTIONS], states[5 * PROJECTIONS][STATES];
    const size_t count = grid(&p, times);
    const ess_counters sampled = drop_three(epsilons[i], NULL, times, count, states[0]);
    assert_memory_equal(&plain, &sampled, sizeof plain);
    for (size_t k = 0; k < p.count; k++)
      for (size_t j = 0; j < STATES; j++) {
        double(*const s)[STATES] = states + 5 * k;
        assert_true(fabs(s[0][j] - p.from[k][j]) < 1e-13);
        assert_true(fabs(s[4][j] - p.to[k][j]) < 1e-13);
        // a parabola has no third difference
        assert_true(fabs(s[4][j] - 3.0 * (s[3][j] - s[2][j]) - s[1][j]) < 1e-13);
        assert_true(fabs(s[3][j] - 3.0 * (s[2][j] - s[1][j]) - s[0][j]) < 1e-13);
      }
  }
}

/* a ball's fall is a parabola itself */
TEST(samples_of_a_fall_lie_on_its_parabola) {
  enum { SAMPLES = 200 };
  toy_ball ball = {.stiffness = 50.0};
  const ess_system system = ball_system(&ball);
  ess_options options = toy_paper(2);
  options.epsilon = 0.3;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double x[2] = {1.0, 0.0}, t = 0.0, times[SAMPLES], states[2 * SAMPLES];
  for (int i = 0; i < SAMPLES; i++) times[i] = 0.99999 * i / (SAMPLES - 1);
  assert_int_equal(ess_driver_sample(d, &t, 1.05, x, times, SAMPLES, states), ESS_SUCCESS);
  const ess_counters *const c = ess_driver_counters(d);
  assert_true(c->projections == 1 && c->crossings == 1);
  for (int i = 0; i < SAMPLES; i++) {
    // the correction shortens the tangent's 0.179 to 0.162, and the parabola bends by as much more
    const double place = 1.0 - times[i] * times[i], inside = fmax(0.0, times[i] - sqrt(0.7));
    assert_true(fabs(states[2 * i] - place) < 1e-8 + 0.11 * inside * inside);
  }
  ess_driver_free(d);
}

/* ---- a guard nearly grazed ------------------------------------------------------------------- */

/* a ball tossed up at speed 1 under gravity 2, and a ceiling `gap` above it */
typedef struct toss {
  double gap;
} toss;

FIELD(toss_field) {
  dxdt[0] = x[1];
  dxdt[1] = -2.0;
}

PLANES(toss, 2, (x[0]), (AS(toss)->gap));

/* the first projection's length; 0 when there is none */
ON_STEP(first_length) {
  double *const length = context;
  if (info->projection && *length == 0.0) *length = info->t1 - info->t0;
}

static double toss_up(double gap, double projection_max, ess_counters *counters) {
  toss s = {gap};
  const ess_system system = {.dimension = 2, .guard_count = 1, OF_RATES(toss), .params = &s};
  double length = 0.0;
  ess_options options = toy_paper(2);
  options.epsilon = 2.0;
  options.projection_max = projection_max;
  options.observer = (ess_observer){.step = first_length, .context = &length};
  double x[2] = {0.0, 1.0};
  const toy_end end = toy_succeeds(&system, &options, 0.0, 1.5, x);
  assert_true(isfinite(x[0]) && isfinite(x[1]));
  *counters = end.counters;
  return length;
}

/* the tangent takes q = gap; half-way the speed is 1 - q, which takes gap/(1 - q). Where that is
 * more than twice as long, or the speed is down, the tangent has to do. */
TEST(a_field_that_turns_away_is_not_followed) {
  ess_counters counters;
  for (double gap = 0.01; gap < 1.3; gap += 0.02) {
    const double expected = gap < 0.5 ? gap / (1.0 - gap) : gap;
    const double length = toss_up(gap, INFINITY, &counters);
    assert_true(fabs(length - expected) < 1e-12);
    assert_true(counters.crossings >= 1);
  }
}

/* the ball turns at 1/4: with a bound on projections, a ceiling above is left alone, and one below
 * is crossed both ways */
TEST(a_bound_leaves_out_what_is_not_reached) {
  ess_counters counters;
  for (double gap = 0.05; gap < 1.3; gap += 0.02) {
    toss_up(gap, 0.01, &counters);
    assert_int_equal(counters.crossings, gap < 0.25 ? 2 : 0);
  }
}

/* ---- corrections
 * --------------------------------------------------------------------------------- */

/* unit speed, and h = -0.1 + x0 with a ramp of 0.5 in between, behind which its slope is that
 * before
 */
GUARDS(ramp_guard) {
  h[0] = x[0] - 0.1 + 0.25 * (1.0 + tanh((x[0] - 0.05) / 0.004));
}

GUARD_RATES_CODE(ramp_rate) {
  const double ramp = cosh((x[0] - 0.05) / 0.004);
  rate[0] = v[0] * (1.0 + 0.25 / 0.004 / (ramp * ramp));
  return ramp_guard(t, x, h, params);
}

ON_STEP(times_ascend) {
  size_t *const count = context;
  assert_true(info->t1 >= info->t0 && info->x[0] >= 0.0);
  *count += info->projection;
}

/* the correction would take the state back behind where it is */
TEST(a_projection_never_runs_backwards) {
  const ess_system system = {.dimension = 1,
                             .guard_count = 1,
                             .field = toy_clock,
                             .guards = ramp_guard,
                             .guard_rates = ramp_rate};
  size_t count = 0;
  ess_options options = toy_paper(2);
  options.epsilon = 0.2;
  options.observer = (ess_observer){.step = times_ascend, .context = &count};
  double x[1] = {0.0};
  const toy_end end = toy_succeeds(&system, &options, 0.0, 0.5, x);
  assert_true(count == 1 && end.counters.crossings == 1);
  assert_true(fabs(x[0] - 0.5) < 1e-12);
}

/* ---- a fault half-way
 * ---------------------------------------------------------------------------- */

/* not a number between 0.4 and 0.6, where no integration step is made */
FIELD(pit_field) {
  dxdt[0] = x[0] > 0.4 && x[0] < 0.6 ? NAN : 1.0;
}

PLANES(pit, 1, (x[0]), (1.0));

TEST(a_field_that_is_not_finite_half_way) {
  const ess_system system = {.dimension = 1, .guard_count = 1, OF_RATES(pit)};
  for (int order = 1; order <= 2; order++) {
    ess_options options = toy_paper(order);
    options.epsilon = 2.0;
    double x[1] = {0.0};
    const toy_end end = toy_run(&system, &options, 0.0, 1.5, x);
    assert_int_equal(end.status, order == 1 ? ESS_SUCCESS : ESS_EFIELD);
    if (order == 2) assert_true(end.t == 0.0 && x[0] == 0.0);
  }
}
