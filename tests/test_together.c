/*
 * Crossings made in one projection at the mean of their times: the error that docs/METHOD.md
 * derives for it (its section 6), the sum over crossings of the field's jump times how late that
 * crossing is made.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "toy.h"

/* Guards p = place[j], j < 3; each crossing adds its jumps to the rates of p, of v and of z. All
 * rates are constant, but for p' = v where `mechanical`. */
enum { P, V, Z, N, GUARDS = 3 };

typedef struct row {
  bool mechanical;
  double place[GUARDS], jump[GUARDS][N];
} row;

static int row_field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  const row *const r = params;
  (void)t;
  dxdt[P] = r->mechanical ? x[V] : 1.0;
  dxdt[V] = dxdt[Z] = 0.0;
  for (int j = 0; j < GUARDS; j++)
    for (int i = 0; i < N; i++) dxdt[i] += sign[j] > 0.0 ? r->jump[j][i] : 0.0;
  return 0;
}

static int row_guards(const double x[], double h[], void *params) {
  const row *const r = params;
  for (int j = 0; j < GUARDS; j++) h[j] = x[P] - r->place[j];
  return 0;
}

static int row_gradients(const double x[], double Dh[], void *params) {
  (void)x, (void)params;
  memset(Dh, 0, N * GUARDS * sizeof *Dh);
  for (int j = 0; j < GUARDS; j++) Dh[j * N + P] = 1.0;
  return 0;
}

/* the end of a run from p = 0, v = 1 to t = 1, and its projections; together 0 is exact here, since
 * where p' is constant, tangents are, and else neighbourhoods are as narrow as rounding allows */
static uint64_t end_of_run(row *r, double together, double x[N]) {
  const ess_system system = {.dimension = N,
                             .guard_count = GUARDS,
                             .field = row_field,
                             .guards = row_guards,
                             .guard_jacobian = row_gradients,
                             .one_way = true,
                             .params = r};
  ess_options options = ess_options_default();
  options.together = together;
  options.epsilon = together > 0.0 || !r->mechanical ? 1.0 : 1e-8;
  options.rtol = 1e-13;
  options.atol = 1e-15;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_non_null(d);
  double t = 0.0;
  const double start[N] = {0.0, 1.0, 0.0};
  memcpy(x, start, sizeof start);
  assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
  const ess_counters *const c = ess_driver_counters(d);
  const uint64_t projections = c->projections;
  assert_int_equal(c->crossings, GUARDS);
  ess_driver_free(d);
  return projections;
}

/* error of three crossings `spread` apart made together, in each component */
static void error_together(row r, double spread, double error[N]) {
  // unevenly spread, so that the mean time is not the middle one
  const double place[GUARDS] = {0.5, 0.5 + 0.3 * spread, 0.5 + spread};
  memcpy(r.place, place, sizeof place);
  double x[N], exact[N];
  assert_int_equal(end_of_run(&r, 0.0, exact), GUARDS);
  assert_int_equal(end_of_run(&r, 2.0 * spread, x), 1);
  for (int i = 0; i < N; i++) error[i] = x[i] - exact[i];
}

/* jumps that move no guard: sum of jump times lateness, first order in the spread; none for jumps
 * that are alike */
static void unlike_jumps_err_in_proportion_to_the_spread(void **state) {
  (void)state;
  const row r = {.jump = {{0, 1.0, 2.0}, {0, 1.0, -3.0}, {0, 1.0, 0.5}}};
  for (double spread = 0.08; spread > 0.005; spread /= 2.0) {
    double e[N];
    error_together(r, spread, e);
    const double mean = 1.3 / 3.0;
    const double expected = 2.0 * (0.0 - mean) - 3.0 * (0.3 - mean) + 0.5 * (1.0 - mean);
    assert_true(fabs(e[Z] - expected * spread) < 1e-12);
    assert_true(fabs(e[V]) < 1e-12 && fabs(e[P]) < 1e-12);
  }
}

/* forces that are alike: they act on v, and reach the guards through it, one order later */
static void like_forces_err_with_the_square_of_the_spread(void **state) {
  (void)state;
  const row r = {.mechanical = true, .jump = {{0, -2.0, 0}, {0, -2.0, 0}, {0, -2.0, 0}}};
  double before = 0.0;
  for (double spread = 0.02; spread > 0.0005; spread /= 2.0) {
    double e[N];
    error_together(r, spread, e);
    const double size = hypot(e[P], e[V]);
    print_message("spread %g: error %.3e\n", spread, size);
    assert_true(size > 1e-7);
    if (before > 0.0) assert_true(fabs(log2(before / size) - 2.0) < 0.1);
    before = size;
  }
}

/* jumps that are alike but change the guards' own rates: each makes the next crossing early, which
 * the mean of times along the first field does not know. First order again. */
static void like_jumps_of_the_guards_rates_err_in_proportion(void **state) {
  (void)state;
  const double jump = 0.5;
  const row r = {.jump = {{jump, 0, 0}, {jump, 0, 0}, {jump, 0, 0}}};
  for (double spread = 0.08; spread > 0.005; spread /= 2.0) {
    double e[N];
    error_together(r, spread, e);
    // the second and the third crossing come at these times after the first
    const double second = 0.3 / (1.0 + jump), third = second + 0.7 / (1.0 + 2.0 * jump);
    const double expected = jump * (second + third - 1.3);
    assert_true(fabs(e[P] - expected * spread) < 1e-12);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unlike_jumps_err_in_proportion_to_the_spread),
      cmocka_unit_test(like_forces_err_with_the_square_of_the_spread),
      cmocka_unit_test(like_jumps_of_the_guards_rates_err_in_proportion)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
