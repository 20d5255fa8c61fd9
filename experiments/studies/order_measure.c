/*
 * The order protocol's measurement: libess on the affine system of Table 4.1, both orders of the
 * projection over a range of epsilon, and the slopes fitted to its error.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>

#include "order.h"
#include "solvers.h"
#include "trajectory.h"

/* Where each order's slope is fitted: below the epsilon at which higher terms show and above that
 * at which rounding does, 3e-14 on this system, which order 2 reaches at epsilon 3e-5. The paper's
 * slope is that of order 1. */
static const order_series series_wanted[ORDER_KINDS] = {
    {.order = 1, .fit_min = 1e-5, .fit_max = 1e-2, .paper_slope = 2.1},
    {.order = 2, .fit_min = 1e-4, .fit_max = 1e-2, .paper_slope = NAN},
};

/* epsilons are powers of ten up to rounding */
static bool within(double epsilon, double low, double high) {
  return epsilon >= low * 0.9999 && epsilon <= high * 1.0001;
}

/* the error at one epsilon */
static int measure_point(arguments *given, const double x0[], trajectory *t,
                         const trajectory *exact, order_point *point,
                         char message[MEASURE_MESSAGE_SIZE]) {
  const solver_output output = trajectory_output(t);
  void *instance;
  given->settings.epsilon = point->epsilon;
  if (projection_solver.prepare(&given->m, &given->settings, &output, &instance, message))
    return -1;
  const int status = projection_solver.run(instance, x0, &output, &point->report);
  projection_solver.release(instance);
  if (status) {
    measure_message(message, "epsilon %g: %s", point->epsilon, point->report.message);
    return -1;
  }
  point->rms = trajectory_rms(t, exact);
  return 0;
}

static int measure_series(arguments *given, const double x0[], trajectory *t,
                          const trajectory *exact, order_series *s,
                          char message[MEASURE_MESSAGE_SIZE]) {
  int status = 0;
  given->settings.order = s->order;
  for (int i = 0; !status && i < ORDER_POINTS; i++) {
    order_point *const point = &s->points[i];
    point->epsilon = pow(10.0, (double)-i / ORDER_PER_DECADE);
    point->in_fit = within(point->epsilon, s->fit_min, s->fit_max);
    status = measure_point(given, x0, t, exact, point, message);
  }
  return status;
}

/* slope, monotony, and the error where the fitted range ends */
static int judge(const order_result *result, order_series *s, char message[MEASURE_MESSAGE_SIZE]) {
  double x[ORDER_POINTS], y[ORDER_POINTS];
  size_t count = 0;
  s->monotone = true;
  for (int i = 0; i < ORDER_POINTS; i++) {
    const order_point *const p = &s->points[i];
    if (i && within(p->epsilon, s->fit_min, result->monotone_max) && p->rms >= p[-1].rms)
      s->monotone = false;
    if (!p->in_fit) continue;
    s->rms_at_fit_min = p->rms;
    x[count] = log10(p->epsilon);
    y[count++] = log10(p->rms);
  }
  const int status = measure_fit_line(x, y, count, result->confidence, &s->line);
  if (status) measure_message(message, "fit of the order: %s", measure_strerror(status));
  return status ? -1 : 0;
}

int order_measure(arguments *given, order_result *result, char message[MEASURE_MESSAGE_SIZE]) {
  trajectory t = {0}, exact = {0};
  double x0[MODEL_DIMENSION_MAX];
  size_t guards[AFFINE3_GUARDS];
  *result = (order_result){.rtol = 1e-12, .atol = 1e-14, .monotone_max = 0.05, .confidence = 0.95};
  given->settings.rtol = result->rtol;
  given->settings.atol = result->atol;
  given->settings.projection_max = INFINITY; // an epsilon of 1 is to be seen as it is
  given->m.type->initial_state(&given->m, x0);

  int status = trajectory_alloc(&t, &given->m, message);
  if (!status) status = trajectory_alloc(&exact, &given->m, message);
  if (!status) status = trajectory_reference(&exact, &given->m, x0, NULL, NULL, message);
  for (int i = 0; !status && i < ORDER_KINDS; i++) {
    order_series *const s = &result->series[i];
    *s = series_wanted[i];
    status = measure_series(given, x0, &t, &exact, s, message);
    if (!status) status = judge(result, s, message);
  }
  if (!status)
    status = affine3_crossings(x0, model_get(&given->m, "duration"), result->crossings, guards,
                               &result->crossing_count, message);
  trajectory_free(&t);
  trajectory_free(&exact);
  return status;
}
