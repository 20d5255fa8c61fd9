/*
 * Crossings made in one projection, and what is left of their error by the correction that
 * docs/METHOD.md section 6 describes: each jump of the field, times how late it is made, is taken
 * back. Exact expectations, each derived where it is tested.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "toy.h"

/* Guards p = place[j], j < 3; each crossing adds its jumps to the rates of p, of v and of z, and
 * ramp[j] p to that of z. Else p' = 1, or v where `mechanical`, v' = 0 and z' = drift p. */
enum { P, V, Z, N, GUARDS = 3 };

typedef struct row {
  bool mechanical;
  double place[GUARDS], jump[GUARDS][N], ramp[GUARDS], drift;
} row;

static int row_field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  const row *const r = params;
  (void)t;
  dxdt[P] = r->mechanical ? x[V] : 1.0;
  dxdt[V] = 0.0;
  dxdt[Z] = r->drift * x[P];
  for (int j = 0; j < GUARDS; j++) {
    for (int i = 0; i < N; i++) dxdt[i] += sign[j] > 0.0 ? r->jump[j][i] : 0.0;
    dxdt[Z] += sign[j] > 0.0 ? r->ramp[j] * x[P] : 0.0;
  }
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

/* the end of a run from p = 0, v = 1 to t = 1 that makes so many projections */
static void end_of_run(row *r, double together, double epsilon, int order, uint64_t projections,
                       double x[N]) {
  const ess_system system = {.dimension = N,
                             .guard_count = GUARDS,
                             .field = row_field,
                             .guards = row_guards,
                             .guard_jacobian = row_gradients,
                             .one_way = true,
                             .params = r};
  ess_options options = ess_options_paper();
  options.together = together;
  options.epsilon = epsilon;
  options.order = order;
  options.rtol = 1e-13;
  options.atol = 1e-15;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_non_null(d);
  double t = 0.0;
  const double start[N] = {0.0, 1.0, 0.0};
  memcpy(x, start, sizeof start);
  assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
  const ess_counters *const c = ess_driver_counters(d);
  assert_int_equal(c->projections, projections);
  assert_int_equal(c->crossings, GUARDS);
  ess_driver_free(d);
}

/* unevenly spread places, so that the mean time is not the middle one: in parts of the spread,
 * where they begin, and their mean */
static const double parts[GUARDS] = {0.0, 0.3, 1.0}, first_place = 0.5, mean = 1.3 / 3.0;

/* error of three crossings `spread` apart made together, in each component: against the same run
 * with each crossing by itself, in neighbourhoods as narrow as rounding allows */
static void error_together(row r, double spread, int order, double error[N]) {
  for (int j = 0; j < GUARDS; j++) r.place[j] = first_place + parts[j] * spread;
  double x[N], exact[N];
  end_of_run(&r, 0.0, 1e-9, 1, GUARDS, exact);
  end_of_run(&r, 2.0 * spread, 1.0, order, 1, x);
  for (int i = 0; i < N; i++) error[i] = x[i] - exact[i];
}

/* ---- jumps that change no guard's rate: t_j is where crossing j really is ----------------------
 */

/* Constant jumps: made at T in place of t_j, jump_j acts for 1 - T in place of 1 - t_j, and the
 * correction adds jump_j (T - t_j), which is all that there is. Without it, an error of the sum of
 * jump_j (t_j - T): 0 in v, whose jumps are alike, and -1.57 times the spread in z. */
static void unlike_jumps_leave_no_error(void **state) {
  (void)state;
  const row r = {.jump = {{0, 1.0, 2.0}, {0, 1.0, -3.0}, {0, 1.0, 0.5}}};
  double uncorrected = 0.0;
  for (int j = 0; j < GUARDS; j++) uncorrected += r.jump[j][Z] * (parts[j] - mean);
  assert_true(fabs(uncorrected) > 0.1);
  for (int order = 1; order <= 2; order++)
    for (double spread = 0.4; spread > 0.005; spread /= 2.0) {
      double e[N];
      error_together(r, spread, order, e);
      for (int i = 0; i < N; i++) assert_true(fabs(e[i]) < 1e-12);
    }
}

/* each of them by itself makes its share of the error */
static void each_jump_is_corrected(void **state) {
  (void)state;
  for (int j = 0; j < GUARDS; j++) {
    row r = {0};
    r.jump[j][Z] = 1.0;
    double e[N];
    error_together(r, 0.1, 1, e);
    assert_true(fabs(e[Z]) < 1e-12 && fabs(parts[j] - mean) > 0.1);
  }
}

/* Jumps ramp_j p, measured at T where p = T, not at t_j where p = t_j: the correction is
 * ramp_j T (T - t_j), and what the jump really does between the two is ramp_j (T^2 - t_j^2) / 2. It
 * is off by ramp_j (T - t_j)^2 / 2: second order in the spread. */
static void jumps_that_grow_err_with_the_square_of_the_spread(void **state) {
  (void)state;
  const row r = {.ramp = {2.0, -3.0, 0.5}};
  double factor = 0.0;
  for (int j = 0; j < GUARDS; j++) factor += 0.5 * r.ramp[j] * pow(mean - parts[j], 2);
  assert_true(fabs(factor) > 0.1);
  for (int order = 1; order <= 2; order++)
    for (double spread = 0.4; spread > 0.005; spread /= 2.0) {
      double e[N];
      error_together(r, spread, order, e);
      assert_true(fabs(e[Z] - factor * spread * spread) < 1e-12);
    }
}

/* A field that drifts of itself, z' = drift p, beside constant jumps. By order 2 the field that the
 * first jump is measured against is that at T, from those at the start and half-way: for a field
 * linear in time no error at all. By order 1 it is the start's, and drift T is taken for a part of
 * the jump: drift T (T - t_1), beside the tangent's own -drift T^2 / 2. */
static void a_drift_is_not_taken_for_a_jump(void **state) {
  (void)state;
  const row r = {.jump = {{0, 0, 2.0}, {0, 0, -3.0}, {0, 0, 0.5}}, .drift = 3.0};
  for (double spread = 0.4; spread > 0.005; spread /= 2.0) {
    double e[N];
    error_together(r, spread, 2, e);
    assert_true(fabs(e[Z]) < 1e-12);
    error_together(r, spread, 1, e);
    const double end = first_place + mean * spread, late = mean * spread;
    assert_true(fabs(e[Z] - r.drift * end * (late - 0.5 * end)) < 1e-12);
  }
}

/* ---- forces: they act on v, and reach the guards through it, one order later -------------------
 */

static void check_second_order(const row *r, int order) {
  double before = 0.0;
  for (double spread = 0.02; spread > 0.0005; spread /= 2.0) {
    double e[N];
    error_together(*r, spread, order, e);
    const double size = hypot(e[P], e[V]);
    print_message("spread %g: error %.3e\n", spread, size);
    assert_true(size > 1e-7);
    if (before > 0.0) assert_true(fabs(log2(before / size) - 2.0) < 0.1);
    before = size;
  }
}

static void forces_err_with_the_square_of_the_spread(void **state) {
  (void)state;
  const row like = {.mechanical = true, .jump = {{0, -2.0, 0}, {0, -2.0, 0}, {0, -2.0, 0}}};
  const row unlike = {.mechanical = true, .jump = {{0, -2.0, 0}, {0, -4.0, 0}, {0, 1.0, 0}}};
  for (int order = 1; order <= 2; order++) {
    check_second_order(&like, order);
    check_second_order(&unlike, order);
  }
}

/* ---- jumps in the guards' own rates: first order -----------------------------------------------
 */

/* Each brings the next crossing nearer, or further: it comes at t'_j, not at t_j, which the times
 * along the first field do not know. Corrected, jump_j acts as from t_j: off by the sum of
 * jump_j (t'_j - t_j), alike or not. */
static void check_rates(const double jump[GUARDS]) {
  const row r = {.jump = {{jump[0], 0, 0}, {jump[1], 0, 0}, {jump[2], 0, 0}}};
  double real = 0.0, rate = 1.0 + jump[0], factor = 0.0;
  for (int j = 1; j < GUARDS; j++) {
    real += (parts[j] - parts[j - 1]) / rate;
    factor += jump[j] * (real - parts[j]);
    rate += jump[j];
  }
  assert_true(fabs(factor) > 0.1);
  for (int order = 1; order <= 2; order++)
    for (double spread = 0.08; spread > 0.005; spread /= 2.0) {
      double e[N];
      error_together(r, spread, order, e);
      assert_true(fabs(e[P] - factor * spread) < 1e-12);
    }
}

static void jumps_of_the_guards_rates_err_in_proportion(void **state) {
  (void)state;
  const double like[GUARDS] = {0.5, 0.5, 0.5}, unlike[GUARDS] = {0.7, -0.3, 0.8};
  check_rates(like);
  check_rates(unlike);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unlike_jumps_leave_no_error),
      cmocka_unit_test(each_jump_is_corrected),
      cmocka_unit_test(jumps_that_grow_err_with_the_square_of_the_spread),
      cmocka_unit_test(a_drift_is_not_taken_for_a_jump),
      cmocka_unit_test(forces_err_with_the_square_of_the_spread),
      cmocka_unit_test(jumps_of_the_guards_rates_err_in_proportion)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
