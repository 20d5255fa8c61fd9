/*
 * The local error of a projection, both orders, against the constants that docs/theory/method.md
 * derives (order of the paper's method), on a system whose flow, guard and derivatives are known in
 * closed form; and what two crossings too close for their order to be told cost order 2.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "toy.h"

/* ---- one crossing of a curved guard between two unlike fields -------------------------------- */

/* before the guard: x' = 1 + y + t^2, y' = y^2, z' = -z; the guard is x + y z = 0; behind it the
 * field is constant */
enum { N = 3 };
static const double after[N] = {2.0, -1.0, 0.5};
static const double start_time = 0.3, start_y = 0.8, start_z = 0.7;

FIELD(curved_field) {
  const double before[N] = {1.0 + x[1] + t * t, x[1] * x[1], -x[2]};
  memcpy(dxdt, sign[0] < 0.0 ? before : after, sizeof before);
}

GUARDS(curved_guards) {
  h[0] = x[0] + x[1] * x[2];
}

GUARD_JACOBIAN(curved_jacobian) {
  Dh[0] = 1.0;
  Dh[1] = x[2];
  Dh[2] = x[1];
}

/* the exact flow before the guard, `s` after the start */
static void flow(const double x0[N], double s, double x[N]) {
  const double t = start_time + s;
  x[0] = x0[0] + s - log(1.0 - x0[1] * s) + (pow(t, 3) - pow(start_time, 3)) / 3.0;
  x[1] = x0[1] / (1.0 - x0[1] * s);
  x[2] = x0[2] * exp(-s);
}

/* exact time from x0 to the guard, by Newton from `s` on */
static double arrival(const double x0[N], double s) {
  for (int i = 0; i < 20; i++) {
    double x[N], f[N], h, gradient[N];
    flow(x0, s, x);
    curved_field(start_time + s, x, (double[]){-1.0}, f, NULL);
    curved_guards(0.0, x, &h, NULL);
    curved_jacobian(0.0, x, gradient, NULL);
    s -= h / (gradient[0] * f[0] + gradient[1] * f[1] + gradient[2] * f[2]);
  }
  return s;
}

typedef struct landing {
  double t, x[N];
} landing;

ON_CROSSING(remember) {
  landing *const l = context;
  l->t = info->t;
  memcpy(l->x, info->x, sizeof l->x);
}

/* where one projection from x0, inside the neighbourhood, lands */
static landing project(const double x0[N], int order) {
  landing l = {0};
  const ess_system system = {
      .dimension = N, .guard_count = 1, OF_JACOBIAN(curved), .one_way = true};
  ess_options options = toy_paper(order);
  options.epsilon = 1.0;
  options.observer = (ess_observer){.crossing = remember, .context = &l};
  double x[N];
  memcpy(x, x0, sizeof x);
  const toy_end end = toy_succeeds(&system, &options, start_time, start_time + 1.0, x);
  assert_int_equal(end.counters.projections, 1);
  return l;
}

/* method.md's e of either order at x0, for a projection that lasts `tau` along the tangent */
static void predicted(const double x0[N], int order, double tau, double e[N]) {
  const double y = x0[1], z = x0[2], gradient[N] = {1.0, z, y};
  const double f[N] = {1.0 + y + start_time * start_time, y * y, -z};
  const double a[N] = {f[1] + 2.0 * start_time, 2.0 * y * f[1], z}; // df/dt
  const double second[N] = {2.0, 2.0 * f[1] * f[1], 0.0};           // f''(f, f)
  const double third[N] = {a[1], 2.0 * y * a[1], -z};               // f' f' f
  double rate = 0.0, bend = 2.0 * f[1] * f[2];                      // g', g''
  for (int i = 0; i < N; i++) {
    rate += gradient[i] * f[i];
    bend += gradient[i] * a[i];
  }
  double p[N], off = 0.0; // error of the landing, and the time by which it is late
  for (int i = 0; i < N; i++) {
    p[i] = order == 1 ? -0.5 * tau * tau * a[i]
                      : pow(tau, 3) * (0.25 * bend / rate * a[i] - second[i] / 24 - third[i] / 6);
    off -= gradient[i] * p[i] / rate;
  }
  if (order == 1) off = 0.5 * bend / rate * tau * tau;
  for (int i = 0; i < N; i++) e[i] = p[i] - off * (after[i] - f[i]);
}

/* error of the landing relative to the size predicted for it, less what is predicted */
static double surprise(int order, double tau) {
  // on the guard's near side, so that the tangent takes tau
  double x0[N] = {0.0, start_y, start_z}, f[N];
  curved_field(start_time, x0, (double[]){-1.0}, f, NULL);
  x0[0] = -start_y * start_z - tau * (f[0] + start_z * f[1] + start_y * f[2]);

  const landing l = project(x0, order);
  const double s = arrival(x0, tau), late = l.t - start_time - s;
  double x[N], e[N], size = 0.0, off = 0.0;
  flow(x0, s, x);
  predicted(x0, order, tau, e);
  for (int i = 0; i < N; i++) {
    const double measured = l.x[i] - x[i] - late * after[i];
    size += e[i] * e[i];
    off += (measured - e[i]) * (measured - e[i]);
  }
  return sqrt(off / size);
}

/* what is not the leading term falls with tau, in proportion */
static void check_constants(int order) {
  const double tau[] = {0.04, 0.02, 0.01, 0.005};
  double before = 0.0;
  for (int i = 0; i < 4; i++) {
    const double rest = surprise(order, tau[i]);
    print_message("order %d, tau %g: the error is the predicted one to %.4f\n", order, tau[i],
                  rest);
    if (i > 0) assert_true(rest / before > 0.4 && rest / before < 0.6);
    before = rest;
  }
  assert_true(before < 0.02);
}

TEST_OF(constants_of_order_1, check_constants(1));
TEST_OF(constants_of_order_2, check_constants(2));

/* ---- two crossings in or out of order -------------------------------------------------------- */

/* x' = (1 + x)^2 and y' = w, w' = -6 w0: the tangent reaches y = 0 too early by three times the
 * square of the time; z' is 1 behind x = 0, 0 before it */
enum { X, Y, W, Z, PAIR };

FIELD(pair_field) {
  dxdt[X] = (1.0 + x[X]) * (1.0 + x[X]);
  dxdt[Y] = x[W];
  dxdt[W] = -6.0;
  dxdt[Z] = sign[0] > 0.0 ? 1.0 : 0.0;
}

GUARDS(pair_guards) {
  h[0] = x[X];
  h[1] = x[Y];
}

GUARD_JACOBIAN(pair_gradients) {
  const double gradients[2 * PAIR] = {1, 0, 0, 0, 0, 1, 0, 0};
  memcpy(Dh, gradients, sizeof gradients);
}

/* by how much z falls short when x = 0 and y = 0 are reached at these times, both of them inside
 * their neighbourhoods from the start; and which guard is crossed first */
static double shortfall(double t_x, double t_y, size_t *first) {
  toy_log log;
  const ess_system system = {.dimension = PAIR,
                             .guard_count = 2,
                             OF(pair),
                             .guard_jacobian = pair_gradients,
                             .one_way = true};
  ess_options options = toy_paper(2);
  options.epsilon = 1.0;
  options.rtol = 1e-12;
  options.atol = 1e-14;
  options.observer = toy_observer(&log);
  double x[PAIR] = {-t_x / (1.0 + t_x), 3.0 * t_y * t_y - t_y, 1.0, 0.0};
  const double t1 = 0.1;
  toy_succeeds(&system, &options, 0.0, t1, x);
  assert_int_equal(log.count, 2);
  *first = log.guard[0];
  return t1 - t_x - x[Z];
}

/* Crossings a square of the projection's time apart: taken in the wrong order, and the one that was
 * to be first is late by what lies between them. Half of that time apart: in order, error cubed. */
TEST(crossings_too_close_cost_order_2_one_order) {
  double apart_before = 0.0;
  for (double tau = 0.02; tau > 0.002; tau /= 2.0) {
    size_t first;
    const double close = shortfall(tau - tau * tau, tau, &first) / (tau * tau);
    assert_int_equal(first, 1);
    const double apart = fabs(shortfall(0.5 * tau, tau, &first));
    assert_int_equal(first, 0);
    print_message("tau %g: close %.5f tau^2, apart %.3e\n", tau, close, apart);
    assert_true(fabs(close - 1.0) < 12.0 * tau);
    if (apart_before != 0.0) assert_true(fabs(log2(apart_before / apart) - 3.0) < 0.2);
    apart_before = apart;
  }
}
