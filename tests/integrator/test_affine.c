/*
 * Thousands of random event-selected systems by the paper's method against their exact solutions:
 * every guard is crossed once and in order, errors have the order that docs/theory/method.md
 * predicts, and are bounded where crossings coincide.
 *
 * A system has a drift direction d of unit length; normals d + r, r across d, |r| <= 3/4; in every
 * mode a field A x + s d + w with |A| <= 1/2 (Frobenius), s in [1.5, 2.5], |w| <= 0.4, all drawn
 * anew for every mode, so that no two crossings commute. From |x0| <= 0.1 to t = 0.2 a trajectory
 * stays within |x| < 0.8, |f| < 3.3; hence every rate is at least 1.5 - 1.25 (0.4 + 0.4) = 0.5 in
 * every mode, and every guard is crossed once at most.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draws.h"
#include "ess.h"
#include "test.h"

/* of each population; every size of system comes once in 96 */
enum { SYSTEMS = 480, LADDER = 5, N = 8, M = 12, VARIANTS = 16 };

static const double END = 0.2, LIVENESS = 0.5, STIFFNESS = 0.5;

/* what libess adds to a projection's error by rounding */
static const double ROUND_OFF = 5e-14;

typedef struct affine_field {
  double A[N][N], b[N];
} affine_field;

/* h_k = normal_k . x - offset_k. A mode is the set of guards crossed, one bit each. */
typedef struct affine {
  size_t n, m;
  double normal[M][N], offset[M];
  affine_field field[(size_t)1 << M];
} affine;

/* crossings in their order, and the end */
typedef struct path {
  size_t count, guard[M];
  double time[M], state[M][N], end[N];
} path;

static double dot(size_t n, const double a[], const double b[]) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static double norm(size_t n, const double v[]) {
  return sqrt(dot(n, v, v));
}

/* |a - b| */
static double distance(size_t n, const double a[], const double b[]) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) sum += pow(a[i] - b[i], 2);
  return sqrt(sum);
}

/* A v */
static void times(const affine *s, size_t mode, const double v[], double out[]) {
  for (size_t i = 0; i < s->n; i++) out[i] = dot(s->n, s->field[mode].A[i], v);
}

static void velocity(const affine *s, size_t mode, const double x[], double f[]) {
  times(s, mode, x, f);
  for (size_t i = 0; i < s->n; i++) f[i] += s->field[mode].b[i];
}

/* x + (e^(A tau) - 1)/A v, the exact flow for v = A x + b: a series in |A| tau <= 0.1 */
static void flow(const affine *s, size_t mode, double tau, const double v[], double x[]) {
  double term[N], next[N];
  for (size_t i = 0; i < s->n; i++) term[i] = tau * v[i];
  for (int k = 2; k < 16; k++) {
    for (size_t i = 0; i < s->n; i++) x[i] += term[i];
    times(s, mode, term, next);
    for (size_t i = 0; i < s->n; i++) term[i] = tau / k * next[i];
  }
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* a random vector of this length */
static void draw_vector(uint64_t *sequence, size_t n, double length, double v[]) {
  double size = 0.0;
  while (size < 1e-3) {
    for (size_t i = 0; i < n; i++) v[i] = draw_between(sequence, -1.0, 1.0);
    size = norm(n, v);
  }
  for (size_t i = 0; i < n; i++) v[i] *= length / size;
}

static void draw_system(affine *s, uint64_t *sequence, double stiffness) {
  const size_t n = s->n;
  double drift[N], across[N];
  draw_vector(sequence, n, 1.0, drift);
  for (size_t k = 0; k < s->m; k++) {
    draw_vector(sequence, n, 1.0, across);
    const double along = dot(n, across, drift);
    for (size_t i = 0; i < n; i++) across[i] -= along * drift[i];
    const double length = norm(n, across), aside = draw_between(sequence, 0.0, 0.75);
    for (size_t i = 0; i < n; i++)
      s->normal[k][i] = drift[i] + (length > 1e-3 ? aside / length * across[i] : 0.0);
  }
  for (size_t mode = 0; mode < (size_t)1 << s->m; mode++) {
    affine_field *const field = &s->field[mode];
    double entries[N * N];
    draw_vector(sequence, n * n, stiffness * STIFFNESS * draw_between(sequence, 0.5, 1.0), entries);
    for (size_t i = 0; i < n; i++) memcpy(field->A[i], entries + i * n, n * sizeof *entries);
    draw_vector(sequence, n, draw_between(sequence, 0.0, 0.4), field->b);
    const double speed = draw_between(sequence, 1.5, 2.5);
    for (size_t i = 0; i < n; i++) field->b[i] += speed * drift[i];
  }
}

/* one random system, with all that does not depend on epsilon */
typedef struct draws {
  affine system;
  double x0[N];
  size_t order[M];
  double even[M];  /* places spread over (0, 1) */
  double place[M]; /* ascending places in (0, 1], at least a sixth of the mean gap apart */
  double scale;    /* log-uniform in [0.003, 0.3] */
  unsigned variant;
} draws;

static void draw_all(draws *d, uint64_t *sequence, size_t n, size_t m, double stiffness) {
  double sum = 0.0;
  d->system.n = n;
  d->system.m = m;
  draw_system(&d->system, sequence, stiffness);
  draw_vector(sequence, n, draw_between(sequence, 0.0, 0.1), d->x0);
  for (size_t i = 0; i < m; i++) { /* shuffled as it grows */
    const size_t j = (size_t)draw_between(sequence, 0.0, (double)(i + 1));
    d->order[i] = d->order[j];
    d->order[j] = i;
    d->even[i] = ((double)(i + 1) + draw_between(sequence, -0.25, 0.25)) / (double)(m + 1);
    d->place[i] = sum += draw_between(sequence, 0.2, 1.2);
  }
  for (size_t i = 0; i < m; i++) d->place[i] /= sum;
  d->scale = 0.003 * pow(100.0, draw(sequence));
  d->variant = (unsigned)draw_between(sequence, 0.0, VARIANTS);
}

/* every size of system comes in turn */
static draws *next_draw(uint64_t *sequence, size_t index, double stiffness) {
  static draws d;
  draw_all(&d, sequence, 1 + index % N, 1 + index / N % M, stiffness);
  return &d;
}

/* ---- regimes: the largest epsilon for m guards, and when crossings come at each epsilon ------ */

typedef struct regime {
  double (*largest)(size_t m);
  double (*time)(const draws *d, size_t i, double epsilon);
} regime;

/* where a cluster lies, and the part of an epsilon that it takes at most: at rates up to 1.25 * 3.3
 * every guard of it is within epsilon of every other */
static const double CLUSTER_TIME = 0.1, CLUSTER_WIDTH = 0.24;

/* neighbourhoods overlap nowhere: crossings are at least 0.1/(m + 1) apart, and a neighbourhood is
 * passed in epsilon/0.5 at most */
static double apart_largest(size_t m) {
  return 0.04 / (double)(m + 1);
}

static double apart_time(const draws *d, size_t i, double epsilon) {
  return END * d->even[i];
}

static double cluster_largest(size_t m) {
  return 0.016;
}

/* all guards within each other's neighbourhoods, further apart than O(epsilon^2) */
static double within_epsilon_time(const draws *d, size_t i, double epsilon) {
  return CLUSTER_TIME + CLUSTER_WIDTH * epsilon * d->place[i];
}

/* the same, with the start inside of all neighbourhoods, so that every projection is as short as
 * the crossings' spacing: a larger epsilon makes up for that */
static double from_the_start_largest(size_t m) {
  return 0.1;
}

static double from_the_start_time(const draws *d, size_t i, double epsilon) {
  return CLUSTER_WIDTH * epsilon * d->place[i];
}

/* as close as a first-order arrival time is wrong */
static double within_epsilon_squared_time(const draws *d, size_t i, double epsilon) {
  return CLUSTER_TIME + d->scale * epsilon * epsilon * d->place[i];
}

static double coincident_time(const draws *d, size_t i, double epsilon) {
  return CLUSTER_TIME;
}

static const regime apart = {apart_largest, apart_time};
static const regime within_epsilon = {cluster_largest, within_epsilon_time};
static const regime from_the_start = {from_the_start_largest, from_the_start_time};
static const regime within_epsilon_squared = {cluster_largest, within_epsilon_squared_time};
static const regime coincident = {cluster_largest, coincident_time};

/* ---- libess ---------------------------------------------------------------------------------- */

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  const affine *const s = params;
  size_t mode = 0;
  for (size_t k = 0; k < s->m; k++) mode |= (size_t)(sign[k] > 0.0) << k;
  velocity(s, mode, x, dxdt);
  return 0;
}

static int event_functions(double t, const double x[], double h[], void *params) {
  const affine *const s = params;
  for (size_t k = 0; k < s->m; k++) h[k] = dot(s->n, s->normal[k], x) - s->offset[k];
  return 0;
}

static int jacobian(double t, const double x[], double Dh[], void *params) {
  const affine *const s = params;
  for (size_t k = 0; k < s->m; k++) memcpy(Dh + k * s->n, s->normal[k], s->n * sizeof *Dh);
  return 0;
}

static int rates(double t, const double x[], double vt, const double v[], const size_t which[],
                 size_t count, double h[], double rate[], void *params) {
  const affine *const s = params;
  for (size_t i = 0; i < count; i++) {
    const size_t k = which ? which[i] : i;
    h[i] = dot(s->n, s->normal[k], x) - s->offset[k];
    rate[i] = dot(s->n, s->normal[k], v);
  }
  return 0;
}

/* a system at one epsilon, solved exactly, and by libess with projections of an order */
typedef struct trial {
  const affine *system;
  double epsilon;
  int order;
  path exact, run; /* run.state is left */
} trial;

static int on_crossing(const ess_crossing_info *info, void *context) {
  path *const run = context;
  assert_true(run->count < M && info->direction == 1);
  run->guard[run->count] = info->event;
  run->time[run->count++] = info->t;
  return 0;
}

/* Ways to say the same: a pass for rates instead of a Jacobian; one-way guards instead of mirrored
 * pairs; an empty reset matrix. The tolerance is near round-off; order 2, whose errors are smaller
 * than that adds up to, has short steps. Every guard is crossed exactly once, upward, in time that
 * does not run backwards. */
static void integrate(trial *t, const draws *d) {
  static const size_t no_rows[2 * M + 2];
  static const ess_reset_matrix no_resets = {.row_start = no_rows};
  const affine *const s = t->system;
  ess_guard_kind upward_only[2 * M] = {0};
  for (size_t k = 0; k < M; k++) upward_only[ESS_GUARD_DOWN(k)] = ESS_GUARD_NONE;
  const ess_system system = {.dimension = s->n,
                             .event_count = s->m,
                             .field = field,
                             .event_functions = event_functions,
                             .event_jacobian = d->variant & 1 ? NULL : jacobian,
                             .event_rates = d->variant & 1 ? rates : NULL,
                             .kinds = d->variant & 4 ? upward_only : NULL,
                             .resets = d->variant & 8 ? &no_resets : NULL,
                             .params = (void *)s};
  ess_options options = ess_options_paper();
  options.projection.epsilon = t->epsilon;
  options.projection.order = t->order;
  if (t->order == 2) options.h_max = 0.01;
  options.rtol = 1e-13;
  options.atol = 1e-14;
  options.projection.liveness = 0.99 * LIVENESS;
  options.observer = (ess_observer){.crossing = on_crossing, .context = &t->run};
  ess_driver *const driver = ess_driver_alloc(&system, &options, NULL);
  assert_non_null(driver);
  double time = 0.0;
  memcpy(t->run.end, d->x0, sizeof d->x0);
  assert_int_equal(ess_driver_apply(driver, &time, END, t->run.end), ESS_SUCCESS);
  assert_int_equal(ess_driver_counters(driver)->projections, s->m);
  ess_driver_free(driver);
  size_t crossed = 0;
  for (size_t i = 0; i < t->run.count; i++) {
    crossed |= (size_t)1 << t->run.guard[i];
    assert_true(i == 0 || t->run.time[i] >= t->run.time[i - 1]);
  }
  assert_int_equal(t->run.count, s->m);
  assert_int_equal(crossed, ((size_t)1 << s->m) - 1);
}

/* Places the guards so that the trajectory crosses order[i] at exactly the regime's times, and runs
 * libess. */
static trial attempt(draws *d, const regime *r, double epsilon, int order) {
  affine *const s = &d->system;
  trial t = {.system = s, .epsilon = epsilon, .order = order, .exact = {.count = s->m}};
  double x[N], v[N], now = 0.0;
  size_t mode = 0;
  memcpy(x, d->x0, sizeof x);
  for (size_t i = 0; i < s->m; i++) {
    const size_t k = t.exact.guard[i] = d->order[i];
    const double then = t.exact.time[i] = r->time(d, i, epsilon);
    velocity(s, mode, x, v);
    flow(s, mode, then - now, v, x);
    memcpy(t.exact.state[i], x, sizeof x);
    s->offset[k] = dot(s->n, s->normal[k], x);
    mode |= (size_t)1 << k;
    now = then;
  }
  velocity(s, mode, x, v);
  flow(s, mode, END - now, v, x);
  memcpy(t.exact.end, x, sizeof x);
  integrate(&t, d);
  return t;
}

static bool in_exact_order(const trial *t) {
  return !memcmp(t->run.guard, t->exact.guard, t->system->m * sizeof *t->run.guard);
}

static double error_of(const trial *t) {
  return distance(t->system->n, t->run.end, t->exact.end);
}

/* ---- the systems are what they are meant to be ----------------------------------------------- */

TEST(the_systems_are_event_selected) {
  uint64_t sequence = 2;
  double slowest = INFINITY, widest = 0.0;
  for (size_t index = 0; index < (size_t)N * M; index++) {
    const trial t = attempt(next_draw(&sequence, index, 1.0), &apart, 1e-3, 1);
    for (size_t mode = 0; mode < (size_t)1 << t.system->m; mode++) {
      double f[N];
      velocity(t.system, mode, t.exact.end, f);
      for (size_t k = 0; k < t.system->m; k++)
        slowest = fmin(slowest, dot(t.system->n, t.system->normal[k], f));
      widest = fmax(widest, norm(t.system->n, f));
    }
  }
  assert_true(slowest >= LIVENESS && widest <= 3.3);
  assert_true(slowest < 1.2); // not far from the bound either: the systems are no easy ones
}

/* ---- fields that are constant between guards: projection is exact ---------------------------- */

TEST(constant_fields_are_projected_exactly) {
  const regime *const regimes[] = {&apart, &within_epsilon, &from_the_start};
  uint64_t sequence = 3;
  for (size_t index = 0; index < SYSTEMS; index++) {
    draws *const d = next_draw(&sequence, index, 0.0);
    for (size_t r = 0; r < 6; r++) {
      const regime *const now = regimes[r / 2];
      const trial t = attempt(d, now, now->largest(d->system.m), 1 + (int)(r % 2));
      assert_true(in_exact_order(&t));
      for (size_t i = 0; i < t.run.count; i++)
        assert_true(fabs(t.run.time[i] - t.exact.time[i]) < ROUND_OFF);
      assert_true(error_of(&t) < ROUND_OFF);
    }
  }
}

/* ---- ladders of epsilon ---------------------------------------------------------------------- */

/* ratio of a ladder's steps: order 1 over two decades, order 2 over one, above round-off */
static double ratio(int order) {
  return order == 1 ? sqrt(10.0) : sqrt(sqrt(10.0));
}

/* slope of the error between both ends of a ladder */
static double slope_of(const double error[LADDER], int order) {
  return log(error[0] / error[LADDER - 1]) / ((LADDER - 1) * log(ratio(order)));
}

/* prints a population's slopes, and asserts that all but one in a hundred at either end are near */
static void check_slopes(double slopes[], size_t count, double expected, double tolerance) {
  qsort(slopes, count, sizeof *slopes, ascending);
  const double low = slopes[(count - 1) / 100], middle = slopes[count / 2];
  const double high = slopes[count - 1 - (count - 1) / 100];
  print_message("%zu slopes: 1%% %.3f, median %.4f, 99%% %.3f\n", count, low, middle, high);
  assert_true(low > expected - tolerance && high < expected + tolerance);
  assert_true(fabs(middle - expected) < 0.1 * tolerance);
}

/* Crossings further apart than O(epsilon^2) come in their order once epsilon is small, and the
 * error falls with its power: test_guards.c has the constants. */
static void check_ordered_regime(uint64_t sequence, const regime *r, int order) {
  static double slopes[SYSTEMS];
  for (size_t index = 0; index < SYSTEMS; index++) {
    draws *const d = next_draw(&sequence, index, 1.0);
    double error[LADDER], epsilon = r->largest(d->system.m);
    for (int step = 0; step < LADDER; step++, epsilon /= ratio(order)) {
      const trial t = attempt(d, r, epsilon, order);
      error[step] = error_of(&t);
      if (step == LADDER - 1) assert_true(in_exact_order(&t));
    }
    slopes[index] = slope_of(error, order);
  }
  check_slopes(slopes, SYSTEMS, order + 1.0, 0.02);
}

TEST_OF(apart_order_1, check_ordered_regime(4, &apart, 1));
TEST_OF(apart_order_2, check_ordered_regime(4, &apart, 2));
TEST_OF(within_epsilon_order_1, check_ordered_regime(5, &within_epsilon, 1));
TEST_OF(within_epsilon_order_2, check_ordered_regime(5, &within_epsilon, 2));
TEST_OF(from_the_start_order_1, check_ordered_regime(6, &from_the_start, 1));
TEST_OF(from_the_start_order_2, check_ordered_regime(6, &from_the_start, 2));

/* ---- crossings closer than O(epsilon^2): any order, the error bounded ------------------------ */

/* crossing times of the same guard, wherever it comes in either order */
static double worst_time(const trial *t) {
  double worst = 0.0;
  for (size_t i = 0; i < t->run.count; i++)
    for (size_t j = 0; j < t->exact.count; j++)
      if (t->run.guard[i] == t->exact.guard[j])
        worst = fmax(worst, fabs(t->run.time[i] - t->exact.time[j]));
  return worst;
}

/* the slopes of systems crossed in their order, and of those that are not */
static void check_bounded_regime(uint64_t sequence, const regime *r, int order,
                                 double expected_disordered) {
  static double slopes[2][SYSTEMS];
  size_t count[2] = {0, 0};
  double most = 0.0, latest = 0.0;
  for (size_t index = 0; index < SYSTEMS; index++) {
    draws *const d = next_draw(&sequence, index, 1.0);
    double error[LADDER], epsilon = r->largest(d->system.m);
    bool disordered = false;
    for (int step = 0; step < LADDER; step++, epsilon /= ratio(order)) {
      const trial t = attempt(d, r, epsilon, order);
      error[step] = error_of(&t);
      disordered = disordered || !in_exact_order(&t);
      most = fmax(most, error[step] / (epsilon * epsilon));
      latest = fmax(latest, worst_time(&t) / (epsilon * epsilon));
    }
    slopes[disordered][count[disordered]++] = slope_of(error, order);
  }
  print_message("errors of %.3g epsilon^2, times of %.3g\n", most, latest);
  assert_true(most < (order == 1 ? 0.5 : 0.02) && latest < (order == 1 ? 0.25 : 0.05));
  // the regime is what it says: orders are often wrong
  assert_true(count[0] > SYSTEMS / 10 && count[1] > SYSTEMS / 10);
  // where order 2 keeps an error of epsilon squared, that of epsilon cubed still shows beside it
  check_slopes(slopes[0], count[0], order + 1.0, 0.02);
  check_slopes(slopes[1], count[1], expected_disordered, expected_disordered > order ? 0.02 : 0.15);
}

TEST_OF(within_epsilon_squared_order_1, check_bounded_regime(7, &within_epsilon_squared, 1, 2.0));

/* taken out of order, crossings cost order 2 what they cost order 1 */
TEST_OF(within_epsilon_squared_order_2, check_bounded_regime(7, &within_epsilon_squared, 2, 2.0));

/* where guards meet in one point every order is right */
TEST_OF(coincident_order_1, check_bounded_regime(8, &coincident, 1, 2.0));
TEST_OF(coincident_order_2, check_bounded_regime(8, &coincident, 2, 3.0));

/* ---- every order there is -------------------------------------------------------------------- */

/* the next permutation by the alphabet; false after the last */
static bool next_order(size_t m, size_t order[]) {
  size_t i = m - 1, j = m - 1;
  while (i > 0 && order[i - 1] > order[i]) i--;
  if (i == 0) return false;
  while (order[j] < order[i - 1]) j--;
  size_t swapped = order[i - 1];
  order[i - 1] = order[j];
  order[j] = swapped;
  for (j = m - 1; i < j; i++, j--) {
    swapped = order[i];
    order[i] = order[j];
    order[j] = swapped;
  }
  return true;
}

/* Each of the m! orders is crossed as it is, within epsilon, in systems of 2 to 8 states drawn for
 * each. */
static void check_all_orders(size_t m, size_t factorial) {
  enum { DRAWS = 20 };
  static draws d;
  uint64_t sequence = 9;
  size_t orders = 0, next[M];
  for (size_t i = 0; i < m; i++) next[i] = i;
  do {
    orders++;
    for (size_t i = 0; i < DRAWS; i++)
      for (double epsilon = 1e-2; epsilon > 5e-6; epsilon *= 0.1) {
        draw_all(&d, &sequence, 2 + i % (N - 1), m, 1.0);
        memcpy(d.order, next, sizeof next);
        for (int order = 1; order <= 2; order++) {
          const trial t = attempt(&d, &within_epsilon, epsilon, order);
          assert_true(in_exact_order(&t));
        }
      }
  } while (next_order(m, next));
  assert_int_equal(orders, factorial);
}

TEST_OF(both_orders_of_2_guards, check_all_orders(2, 2));
TEST_OF(all_6_orders_of_3_guards, check_all_orders(3, 6));
TEST_OF(all_24_orders_of_4_guards, check_all_orders(4, 24));
