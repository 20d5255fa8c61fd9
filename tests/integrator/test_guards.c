/*
 * The paper's method where a case (cases/guards.txt) cannot say what is expected: inside of
 * projections, with a thousand guards, and the constants of their errors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <float.h>

#include "driven.h"
#include "truth.h"

static ess_options paper(int order, double epsilon) {
  ess_options options = ess_options_paper();
  options.projection.order = order;
  options.projection.epsilon = epsilon;
  return options;
}

static const char *const BALL = "k = 50; z' = v; v' = -2 - k*on(s)*z; s: -z; from 0: z = 1; to 2";

/* ---- projections ----------------------------------------------------------------------------- */

enum { PROJECTIONS = 64, STATES = 6 };

/* every projection's ends */
typedef struct projections {
  size_t count, n;
  double t[PROJECTIONS][2], from[PROJECTIONS][STATES], to[PROJECTIONS][STATES], before[STATES];
} projections;

static int on_step(const ess_step_info *info, void *context) {
  projections *const p = context;
  if (info->projection) {
    assert_true(p->count < PROJECTIONS);
    p->t[p->count][0] = info->t0;
    p->t[p->count][1] = info->t1;
    memcpy(p->from[p->count], p->before, sizeof p->before);
    memcpy(p->to[p->count++], info->x, p->n * sizeof *info->x);
  }
  memcpy(p->before, info->x, p->n * sizeof *info->x);
  return 0;
}

/* one run, sampled, and its counters */
static ess_counters run(hybrid *h, ess_options options, projections *seen, const double times[],
                        size_t count, double states[]) {
  driven r;
  set_up(&r, h, HYBRID_GIVES_ALL, options);
  if (seen) {
    *seen = (projections){.n = h->n};
    r.options.observer = (ess_observer){.step = on_step, .context = seen};
  }
  begin(&r);
  assert_int_equal(ess_driver_sample(r.d, &r.t, hybrid_end_time(h), r.x, times, count, states),
                   ESS_SUCCESS);
  const ess_counters counters = *ess_driver_counters(r.d);
  ess_driver_free(r.d);
  return counters;
}

TEST(each_guard_has_its_own_epsilon) {
  const double epsilons[] = {0.05, 0.002};
  for (int order = 1; order <= 2; order++) {
    hybrid *const h = hybrid_of("x' = 1; a: x - 0.3; b: x - 0.7; to 1");
    ess_options options = paper(order, 1.0);
    options.projection.epsilons = epsilons;
    projections p;
    run(h, options, &p, NULL, 0, NULL);
    assert_int_equal(p.count, 2);
    for (size_t i = 0; i < 2; i++) assert_true(fabs(p.t[i][1] - p.t[i][0] - epsilons[i]) < 1e-9);
    hybrid_free(h);
  }
}

/* samples of a projection join its ends, by a line, or at order 2 by a parabola */
TEST(samples_join_both_ends_of_a_projection) {
  const double epsilons[] = {1e-4, 0.01, 0.1};
  for (int i = 0; i < 6; i++) {
    hybrid *const h = hybrid_of("each 3: z@' = v@\neach 3: v@' = -2 - 50*on(s@)*z@\n"
                                "each 3: s@: -z@\nfrom 0: z0 = 0.5, z1 = 0.531, z2 = 0.512; to 2");
    const int order = 1 + i % 2;
    const ess_options options = paper(order, epsilons[i / 2]);
    projections p;
    const ess_counters plain = run(h, options, &p, NULL, 0, NULL);
    assert_true(p.count > 1);
    double times[5 * PROJECTIONS], states[5 * PROJECTIONS][STATES];
    for (size_t k = 0; k < 5 * p.count; k++) {
      const double *const t = p.t[k / 5];
      times[k] = k % 5 == 4 ? t[1] : t[0] + 0.25 * (double)(k % 5) * (t[1] - t[0]);
    }
    const ess_counters sampled = run(h, options, NULL, times, 5 * p.count, states[0]);
    assert_memory_equal(&plain, &sampled, sizeof plain);
    for (size_t k = 0; k < p.count; k++)
      for (size_t j = 0; j < STATES; j++) {
        double(*const s)[STATES] = states + 5 * k;
        assert_true(fabs(s[0][j] - p.from[k][j]) < 1e-13);
        assert_true(fabs(s[4][j] - p.to[k][j]) < 1e-13);
        /* a parabola has no third difference, and a line no second one */
        assert_true(fabs(s[4][j] - 3.0 * (s[3][j] - s[2][j]) - s[1][j]) < 1e-13);
        assert_true(fabs(s[3][j] - 3.0 * (s[2][j] - s[1][j]) - s[0][j]) < 1e-13);
        assert_true(order == 2 || fabs(s[4][j] - 2.0 * s[2][j] + s[0][j]) < 1e-13);
      }
    hybrid_free(h);
  }
}

/* a ball's fall is a parabola itself: at order 1 samples leave it along the tangent at (0.19,
 * -1.8), and order 2 has the curve, but for what its correction shortens, 0.179 to 0.162 */
TEST(samples_of_a_fall_lie_on_its_tangent_or_its_parabola) {
  enum { SAMPLES = 200 };
  hybrid *const h = hybrid_of("%s", BALL);
  double times[SAMPLES], states[2 * SAMPLES];
  run(h, paper(1, 0.19), NULL, (double[]){0.9, 0.95}, 2, states);
  const double tangent[] = {0.19, -1.8, 0.19 - 0.05 * 1.8, -1.8 - 0.05 * 2.0};
  for (size_t i = 0; i < 4; i++) assert_true(fabs(states[i] - tangent[i]) < 1e-8);
  for (int i = 0; i < SAMPLES; i++) times[i] = 0.99999 * i / (SAMPLES - 1);
  run(h, paper(2, 0.3), NULL, times, SAMPLES, states);
  for (int i = 0; i < SAMPLES; i++) {
    const double place = 1.0 - times[i] * times[i], inside = fmax(0.0, times[i] - sqrt(0.7));
    assert_true(fabs(states[2 * i] - place) < 1e-8 + 0.11 * inside * inside);
  }
  hybrid_free(h);
}

/* unit speed, and a ramp in h whose slope behind it is that before: the correction would take the
 * state back behind where it is */
TEST(a_projection_never_runs_backwards) {
  hybrid *const h = hybrid_of("x' = 1; to 0.5\n"
                              "ramp: x - 0.1 + 0.5 - 0.5/(exp((x - 0.05)/0.002) + 1)");
  projections p;
  const ess_counters counters = run(h, paper(2, 0.2), &p, NULL, 0, NULL);
  assert_true(p.count == 1 && counters.crossings == 1);
  assert_true(p.t[0][1] >= p.t[0][0] && p.to[0][0] >= 0.0);
  hybrid_free(h);
}

/* one silent guard among five disarms the others: those before it are made, no others */
TEST(silent_guards_take_their_turn) {
  for (int order = 1; order <= 2; order++)
    for (size_t silent = 0; silent < 5; silent++) {
      hybrid *const h = hybrid_of("x' = 1\neach 5: p@: x - 0.5 - 0.02*@\nto 1\n");
      hybrid_add(h, "silent up p%zu\n", silent);
      for (size_t k = 0; k < 5; k++)
        if (k != silent) hybrid_add(h, "row up p%zu: -up p%zu\n", silent, k);
      const hybrid_plan plan = {.options = paper(order, 10.0), .gives = HYBRID_GIVES_ALL};
      const hybrid_end end = hybrid_run(h, &plan);
      assert_int_equal(end.status, ESS_SUCCESS);
      assert_true(end.counters.silent == 1 && end.counters.crossings == silent);
      assert_int_equal(end.log.count, silent);
      for (size_t k = 0; k < silent; k++) assert_int_equal(end.log.record[k].guard, k);
      hybrid_free(h);
    }
}

/* ---- the constants of docs/theory/method.md, order of the paper's method --------------------- */

enum { N = 3 };
static const double after[N] = {2.0, -1.0, 0.5};

/* method.md's e of either order at x, for a projection that lasts `tau` along the tangent */
static void predict(const double x[N], double t, int order, double tau, double e[N]) {
  const double y = x[1], z = x[2], gradient[N] = {1.0, z, y};
  const double f[N] = {1.0 + y + t * t, y * y, -z};
  const double a[N] = {f[1] + 2.0 * t, 2.0 * y * f[1], z}; // df/dt
  const double second[N] = {2.0, 2.0 * f[1] * f[1], 0.0};  // f''(f, f)
  const double third[N] = {a[1], 2.0 * y * a[1], -z};      // f' f' f
  double rate = 0.0, bend = 2.0 * f[1] * f[2];             // g', g''
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

/* A curved guard between two unlike fields, the second of which keeps an error as it is: what is
 * not the leading term of the error falls with tau, in proportion. */
static void check_constants(int order) {
  double before = 0.0;
  for (double tau = 0.04; tau > 0.004; tau *= 0.5) {
    hybrid *const h = hybrid_of("x' = off(g)*(1 + y + t^2) + 2*on(g); y' = off(g)*y^2 - on(g)\n"
                                "z' = 0.5*on(g) - off(g)*z; g: x + y*z; one-way; to 1.3\n"
                                "from 0.3: x = -0.56, y = 0.8, z = 0.7");
    double x[N] = {-0.56, 0.8, 0.7}, e[N], size = 0.0, off = 0.0;
    x[0] -= tau * (1.0 + x[1] + 0.09 + x[2] * x[1] * x[1] - x[1] * x[2]); // the tangent takes tau
    hybrid_set(h, "x", x[0]);
    const hybrid_plan plan = {.options = paper(order, 1.0), .gives = 1u << HYBRID_GUARD_JACOBIAN};
    const hybrid_end end = hybrid_run(h, &plan);
    const truth_end truth = truth_run(h, &(truth_options){0});
    assert_true(end.status == ESS_SUCCESS && truth.status == TRUTH_SUCCESS);
    assert_int_equal(end.counters.projections, 1);
    predict(x, 0.3, order, tau, e);
    for (int i = 0; i < N; i++) {
      size += e[i] * e[i];
      off += pow(end.x[i] - truth.x[i] - e[i], 2);
    }
    const double rest = sqrt(off / size);
    print_message("order %d, tau %g: the error is the predicted one to %.4f\n", order, tau, rest);
    if (before != 0.0) assert_true(rest / before > 0.4 && rest / before < 0.6);
    before = rest;
    hybrid_free(h);
  }
  assert_true(before < 0.02);
}

TEST_OF(constants_of_order_1, check_constants(1));
TEST_OF(constants_of_order_2, check_constants(2));

/* ---- many guards ------------------------------------------------------------------------------
 */

enum { MANY = 1000 };

/* Each is crossed once, in exact order, at its time: of guards shuffled over a width, by a stride
 * that shares no factor with their number. */
static void cross_many(size_t count, double width, double epsilon, int order) {
  hybrid *const h = hybrid_of("x' = 1; y' = sum(%zu: on(p@))", count);
  double offset[MANY], expected = 0.0;
  for (size_t k = 0; k < count; k++) {
    offset[k] = 0.5 + width * (double)(k * 1237 % count) / (double)count;
    expected += 1.0 - offset[k];
    hybrid_add(h, "p%zu: x - %.17g", k, offset[k]);
  }
  const hybrid_plan plan = {.options = paper(order, epsilon), .gives = 1u << HYBRID_GUARD_RATES};
  const hybrid_end end = hybrid_run(h, &plan);
  assert_int_equal(end.status, ESS_SUCCESS);
  assert_int_equal(end.counters.crossings, count);
  // each crossing rounds the state once
  const double rounding = (double)count * DBL_EPSILON;
  for (size_t i = 0; i < count && i < HYBRID_LOG; i++) {
    const hybrid_record *const r = &end.log.record[i];
    assert_true(r->direction == 1 && fabs(r->t - offset[r->guard]) <= rounding);
    assert_true(i == 0 || offset[r->guard] >= offset[r[-1].guard]);
  }
  assert_true(fabs(end.x[1] - expected) <= (double)count * rounding);
  hybrid_free(h);
}

/* all inside of neighbourhoods when the first is reached, or all at one place: as many crossings
 * without time passing as there are guards are progress, no chatter */
TEST(a_thousand_guards_within_epsilon_or_at_one_place) {
  for (int order = 1; order <= 2; order++) {
    cross_many(MANY, 1e-3, 1e-2, order);
    cross_many(MANY, 1e-3, 1e-4, order);
    cross_many(MANY, 0.0, 1e-3, order);
  }
}

/* whatever libess takes at a time */
TEST(any_number_of_guards_within_epsilon) {
  for (int order = 1; order <= 2; order++)
    for (size_t count = 1; count <= 100; count++) cross_many(count, 1e-3, 1e-2, order);
}
