/*
 * Awkward cases: guards crossed within epsilon of each other, in every order there is, through
 * affine fields no two of which commute, against the exact flow.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gsl/gsl_permutation.h>
#include <gsl/gsl_randist.h>

#include "awkward.h"
#include "random_affine.h"

enum { DRAWS = 20, M = AFFINE_GUARDS, N = AFFINE_STATES };

/* when the crossings come: from t = 0.1 on, at random spacings, within `width` of each other */
static void draw_times(gsl_rng *rng, size_t m, double width, double times[]) {
  double sum = 0.0;
  for (size_t i = 0; i < m; i++) times[i] = sum += gsl_ran_flat(rng, 0.05, 1.0);
  for (size_t i = 0; i < m; i++) times[i] = 0.1 + width * times[i] / sum;
}

static double distance(size_t n, const double a[], const double b[], const double c[]) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) sum += pow(a[i] - b[i] - c[i], 2);
  return sqrt(sum);
}

/* one order: crossed as it is, at times and to an end that differ from the exact ones by
 * method.md's error term, up to a part epsilon of its size, and the integration's tolerance */
static void check_order(affine_system *s, gsl_rng *rng, const size_t order[],
                        const affine_settings *how) {
  double x0[N], times[M];
  affine_draw_start(s, rng, x0);
  // rates are at most 1.25 * 3.3: all guards are within epsilon when the first is reached
  draw_times(rng, s->m, 0.24 * how->epsilon, times);
  affine_path exact;
  affine_thread(s, x0, order, times, AFFINE_END, &exact);
  affine_run run;
  affine_integrate(s, x0, how, &run);
  affine_error error;
  affine_predict(s, &exact, how, &error);

  assert_int_equal(run.status, ESS_SUCCESS);
  assert_int_equal(run.count, s->m);
  for (size_t i = 0; i < s->m; i++) {
    assert_int_equal(run.guard[i], order[i]);
    assert_true(fabs(run.time[i] - exact.time[i] - error.time[i]) <=
                how->epsilon * error.time_size[i] + 2e-13);
  }
  assert_true(distance(s->n, run.end, exact.end, error.end) <=
              how->epsilon * error.end_size + 2e-13);
}

/* Outcome: for each of the m! orders, and systems of 2 to 8 states drawn for each, check_order. */
static void check_all_orders(size_t m, int projection) {
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_taus2);
  affine_system s = {.field = malloc(sizeof(affine_field) << m)};
  gsl_permutation *const order = gsl_permutation_calloc(m);
  assert_true(rng && s.field && order);
  size_t orders = 0;
  do {
    orders++;
    for (size_t draw = 0; draw < DRAWS; draw++)
      for (double epsilon = 1e-2; epsilon > 1e-5; epsilon *= 0.1) {
        const unsigned variant = (unsigned)(draw % AFFINE_VARIANTS);
        const affine_settings how = {.epsilon = epsilon, .order = projection, .variant = variant};
        affine_draw(&s, rng, 2 + draw % (N - 1), m, 1.0);
        check_order(&s, rng, gsl_permutation_data(order), &how);
      }
  } while (gsl_permutation_next(order) == GSL_SUCCESS);
  size_t factorial = 1;
  for (size_t i = 2; i <= m; i++) factorial *= i;
  assert_int_equal(orders, factorial);
  gsl_permutation_free(order);
  free(s.field);
  gsl_rng_free(rng);
}

CASE_OF(all_2_orders_of_2_guards, check_all_orders(2, order));
CASE_OF(all_6_orders_of_3_guards, check_all_orders(3, order));
CASE_OF(all_24_orders_of_4_guards, check_all_orders(4, order));
