/*
 * The stabilised base (ess_options.base): its order, its cost where the field is stiff, crossings
 * and tangents through it, and what it does where it is not at home.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "bases.h"
#include "ess_tangents.h"
#include "faults.h"

/* ---- diffusion along a rod, n places, ends held at 0, one mode driven ------------------------ */

/* the slowest mode decays at this rate */
static double slowest(double diffusion) {
  const double s = (ROD + 1) * sin(0.5 * M_PI / (ROD + 1));
  return 4.0 * diffusion * s * s;
}

/* the largest error of a rod that began in its slowest mode */
static double rod_error(const rod *r, double t, const double x[]) {
  const double passed = r->growth == 0.0 ? t : expm1(r->growth * t) / r->growth;
  double most = 0.0;
  for (size_t i = 0; i < ROD; i++)
    most = fmax(most, fabs(x[i] - mode_at(i) * exp(-slowest(r->diffusion) * passed)));
  return most;
}

/* to t1 by a base; the largest error of samples on the way */
static double run_rod(rod *r, const ess_options *options, double t1, ess_counters *counters) {
  enum { SAMPLES = 200 };
  static double times[SAMPLES], states[SAMPLES * ROD];
  const ess_system system = {.dimension = ROD, .field = rod_field, .params = r};
  ess_driver *const d = ess_driver_alloc(&system, options, NULL);
  double x[ROD], t = 0.0, error = 0.0;
  for (int i = 0; i < SAMPLES; i++) times[i] = t1 * (i + 1) / SAMPLES;
  rod_start(x);
  assert_non_null(d);
  assert_int_equal(ess_driver_sample(d, &t, t1, x, times, SAMPLES, states), ESS_SUCCESS);
  for (int i = 0; i < SAMPLES; i++)
    error = fmax(error, rod_error(r, times[i], states + (size_t)i * ROD));
  *counters = *ess_driver_counters(d);
  ess_driver_free(d);
  return error;
}

TEST(its_order_is_2_however_stiff_the_field_is) {
  const double diffusions[] = {0.1, 1.0};
  for (size_t k = 0; k < 2; k++) {
    rod r = {.diffusion = diffusions[k]};
    const double t1 = 0.4 / diffusions[k];
    double error[4];
    for (int i = 0; i < 4; i++) {
      ess_counters c;
      ess_options options = by(ESS_BASE_RKC, 0.9);
      options.atol = 1e6; // the error control accepts everything: h_max alone sets the step
      options.h_init = options.h_max = t1 / (20 << i);
      error[i] = run_rod(&r, &options, t1, &c);
      assert_int_equal(c.steps, 20u << i);
      assert_int_equal(c.stabilised, c.steps);
    }
    for (int i = 0; i < 3; i++) {
      const double order = log2(error[i] / error[i + 1]);
      assert_true(order > 1.8 && order < 2.4);
    }
  }
}

TEST(a_stiff_field_costs_few_calls) {
  rod r = {.diffusion = 1.0};
  for (double tolerance = 1e-2; tolerance > 5e-5; tolerance *= 0.1) {
    ess_counters c[3];
    for (int base = 0; base < 3; base++) {
      const ess_options options = by((ess_base)base, tolerance);
      assert_true(run_rod(&r, &options, 0.4, &c[base]) < 3.0 * tolerance);
    }
    assert_int_equal(c[ESS_BASE_DOPRI5].stabilised, 0);
    assert_int_equal(c[ESS_BASE_RKC].stabilised, c[ESS_BASE_RKC].steps);
    assert_true(c[ESS_BASE_CHOSEN].stabilised > 0);
    assert_true(8 * c[ESS_BASE_RKC].field_evaluations < c[ESS_BASE_DOPRI5].field_evaluations);
    assert_true(8 * c[ESS_BASE_CHOSEN].field_evaluations < c[ESS_BASE_DOPRI5].field_evaluations);
  }
}

/* ---- where the spectral radius is not what it was -------------------------------------------- */

/* to 600 times what it was, and to 1.8 million times: no mode changes that would tell */
TEST(a_radius_that_grows_is_noticed) {
  rod slowly = {.diffusion = 1e-3, .growth = 8.0}, fast = {.diffusion = 1e-6, .growth = 60.0};
  for (double tolerance = 1e-2; tolerance > 5e-6; tolerance *= 0.1)
    for (int base = ESS_BASE_RKC; base <= ESS_BASE_CHOSEN; base++) {
      const ess_options options = by((ess_base)base, tolerance);
      ess_counters c;
      assert_true(run_rod(&slowly, &options, 0.8, &c) < 20.0 * tolerance);
      assert_true(c.field_evaluations < 1000);
      assert_true(run_rod(&fast, &options, 0.24, &c) < 20.0 * tolerance);
      assert_true(c.field_evaluations < 1000);
    }
}

/* y' = -1e6 (y - cos t) - sin t beside x' = -x: from y = 1 nothing moves in the stiff direction */
FIELD(hidden_field) {
  const double *const stiffness = params;
  dxdt[0] = -x[0];
  dxdt[1] = -*stiffness * (x[1] - cos(t)) - sin(t);
}

TEST(a_direction_that_nothing_moves_in_is_found) {
  for (double stiffness = 1e2; stiffness < 2e9; stiffness *= 100.0)
    for (double tolerance = 1e-2; tolerance > 5e-5; tolerance *= 0.1) {
      const ess_system system = {.dimension = 2, .field = hidden_field, .params = &stiffness};
      const ess_options options = by(ESS_BASE_RKC, tolerance);
      double x[2] = {1.0, 1.0};
      const toy_end end = toy_succeeds(&system, &options, 0.0, 3.0, x);
      assert_true(hypot(x[0] - exp(-3.0), x[1] - cos(3.0)) < tolerance);
      // as many steps as rounding lets be stabilised at once, or the tolerance
      assert_true((double)end.counters.steps < 120.0 + stiffness / 1e4);
    }
}

/* x' = -1000 x, which fails far from 0 */
FIELD_CODE(small_field) {
  for (int i = 0; i < 3; i++) {
    if (!(fabs(x[i]) < 2.0)) return 1;
    dxdt[i] = -1e3 * x[i];
  }
  return 0;
}

/* the search for the radius leads no further than the tolerance, absolute or relative */
TEST(states_are_moved_by_their_tolerances) {
  const double rtols[] = {1e-13, 0.0, 1e-13}, atols[] = {1e-4, 1e-4, 1e-4};
  const ess_system system = {.dimension = 3, .field = small_field};
  ess_options options = by(ESS_BASE_RKC, 1e-4);
  options.rtols = rtols;
  options.atols = atols;
  double x[3] = {1e-3, -1e-3, 1.0};
  const toy_end end = toy_succeeds(&system, &options, 0.0, 1.0, x);
  for (int i = 0; i < 3; i++) assert_true(fabs(x[i]) < 1e-4);
  assert_true(end.counters.field_evaluations < 500);
}

/* ---- an oscillation, where its stability is thin --------------------------------------------- */

FIELD(oscillate) {
  const double *const damping = params;
  dxdt[0] = x[1];
  dxdt[1] = -2500.0 * x[0] - *damping * x[1];
}

TEST(an_oscillation_shortens_its_steps) {
  double damping = 0.0;
  const ess_system system = {.dimension = 2, .field = oscillate, .params = &damping};
  for (double tolerance = 1e-2; tolerance > 5e-7; tolerance *= 0.1) {
    double error[3];
    uint64_t calls[3];
    for (int base = 0; base < 3; base++) {
      const ess_options options = by((ess_base)base, tolerance);
      double x[2] = {1.0, 0.0};
      const toy_end end = toy_succeeds(&system, &options, 0.0, 2.0, x);
      error[base] = hypot(x[0] - cos(100.0), x[1] / 50.0 + sin(100.0));
      calls[base] = end.counters.field_evaluations;
    }
    // over sixteen periods: as order 2 has it, not as an instability would
    assert_true(error[ESS_BASE_RKC] < 20.0 * pow(tolerance, 2.0 / 3.0));
    // no reason to leave dopri5
    assert_true(error[ESS_BASE_CHOSEN] == error[ESS_BASE_DOPRI5]);
    assert_int_equal(calls[ESS_BASE_CHOSEN], calls[ESS_BASE_DOPRI5]);
  }
}

/* ---- crossings: each place is cooled once it has fallen to a level of its own ---------------- */

FIELD_JACOBIAN(rod_jacobian) {
  const double k = diffusion_at(params, t) * (ROD + 1) * (ROD + 1);
  for (size_t i = 0; i < ROD; i++)
    for (size_t j = 0; j < ROD; j++)
      J[i * ROD + j] = i == j ? -2.0 * k : i + 1 == j || j + 1 == i ? k : 0.0;
}

static ess_system cooled_rod(rod *r, bool jacobian) {
  return (ess_system){.dimension = ROD,
                      .guard_count = ROD,
                      .field = rod_field,
                      .guards = level_guards,
                      .guard_rates = level_rates,
                      .field_jacobian = jacobian ? rod_jacobian : NULL,
                      .params = r};
}

typedef struct crossings {
  double time[ROD];
  size_t count[ROD];
} crossings;

ON_CROSSING(note_crossing) {
  crossings *const c = context;
  c->time[info->guard] = info->t;
  c->count[info->guard]++;
}

/* to t = 0.15, with the tangent along the start when `tangent` is not NULL */
static ess_counters run_cooled(const ess_system *system, ess_options options, double x[],
                               double tangent[], crossings *seen) {
  memset(seen, 0, sizeof *seen);
  options.observer = (ess_observer){.crossing = note_crossing, .context = seen};
  ess_driver *const d = ess_driver_alloc(system, &options, NULL);
  double t = 0.0;
  assert_non_null(d);
  rod_start(x);
  if (tangent) assert_int_equal(ess_driver_follow(d, 1, x), ESS_SUCCESS);
  assert_int_equal(ess_driver_apply(d, &t, 0.15, x), ESS_SUCCESS);
  if (tangent) memcpy(tangent, ess_driver_tangent(d), ROD * sizeof *tangent);
  const ess_counters counters = *ess_driver_counters(d);
  ess_driver_free(d);
  return counters;
}

TEST(crossings_are_those_of_dopri5) {
  rod r = {.diffusion = 1.0, .cooling = 2.0};
  const ess_system system = cooled_rod(&r, false);
  double truth[ROD], x[ROD];
  crossings right, seen;
  run_cooled(&system, by(ESS_BASE_DOPRI5, 1e-11), truth, NULL, &right);
  for (size_t i = 0; i < ROD; i++) assert_int_equal(right.count[i], 1);
  uint64_t cuts = 0;
  for (int method = ESS_METHOD_TOLERANCE; method <= ESS_METHOD_PAPER; method++)
    for (int base = 0; base <= ESS_BASE_CHOSEN; base++)
      for (double tolerance = 1e-2; tolerance > 5e-6; tolerance *= 0.1) {
        ess_options options = by((ess_base)base, tolerance);
        options.method = (ess_method)method;
        options.epsilon = 1e-2 * sqrt(tolerance);
        const ess_counters c = run_cooled(&system, options, x, NULL, &seen);
        assert_true(toy_apart(x, truth, ROD) < 3.0 * tolerance);
        // steps at the edge of dopri5's stability ripple across their guards
        if (base != ESS_BASE_RKC) continue;
        assert_true(c.stabilised == c.steps && c.field_evaluations < 1500);
        for (size_t i = 0; i < ROD; i++) {
          assert_int_equal(seen.count[i], 1);
          assert_true(fabs(seen.time[i] - right.time[i]) < tolerance);
        }
        cuts += c.entries;
      }
  assert_true(cuts > 0);
}

TEST(tangents_go_through_it) {
  rod r = {.diffusion = 1.0, .cooling = 2.0};
  double truth[ROD], x[ROD], right[ROD], v[ROD];
  crossings seen;
  for (int jacobian = 0; jacobian < 2; jacobian++) {
    const ess_system system = cooled_rod(&r, jacobian);
    run_cooled(&system, by(ESS_BASE_DOPRI5, 1e-10), truth, right, &seen);
    for (int base = 0; base <= ESS_BASE_CHOSEN; base++)
      for (double tolerance = 1e-2; tolerance > 5e-6; tolerance *= 0.1) {
        const ess_counters c = run_cooled(&system, by((ess_base)base, tolerance), x, v, &seen);
        assert_true(toy_apart(x, truth, ROD) < 3.0 * tolerance);
        assert_true(toy_apart(v, right, ROD) < 30.0 * tolerance);
        assert_true((c.field_jacobian_evaluations > 0) == jacobian);
        assert_true((c.stabilised > 0) == (base != ESS_BASE_DOPRI5));
      }
  }
}

/* ---- what goes wrong ------------------------------------------------------------------------- */

/* the rod at its start, whose field is at fault at this call, the first being 1 */
static faults fault_in(rod *r, size_t at, double x[]) {
  rod_start(x);
  return (faults){.of = {.dimension = ROD, .field = rod_field, .params = r},
                  .culprit = FIELD,
                  .from = at - 1,
                  .value = NAN,
                  .state = ROD / 2};
}

/* in stages, in the search for the radius, and where the error is taken */
TEST(a_field_that_fails_ends_the_run) {
  for (size_t at = 1; at < 150; at++)
    for (int code = 0; code < 2; code++) {
      rod r = {.diffusion = 1.0};
      double x[ROD], t = 0.0;
      faults f = fault_in(&r, at, x);
      f.code = 7 * code;
      const ess_system system = faulty_system(&f);
      const ess_options options = by(ESS_BASE_RKC, 1e-3);
      ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
      assert_int_equal(ess_driver_apply(d, &t, 0.4, x), code ? ESS_ECALLBACK : ESS_EFIELD);
      assert_int_equal(ess_driver_failure(d)->callback_code, 7 * code);
      assert_true(t < 0.4);
      for (size_t i = 0; i < ROD; i++) assert_true(x[i] > 0.0 && x[i] < 1.1);
      // once it is well again the run goes on
      f.from = SIZE_MAX;
      assert_int_equal(ess_driver_apply(d, &t, 0.4, x), ESS_SUCCESS);
      assert_true(rod_error(&r, 0.4, x) < 3e-3);
      ess_driver_free(d);
    }
}

/* a shorter step is tried */
TEST(one_call_that_is_not_a_number_costs_a_step) {
  for (size_t at = 2; at < 150; at++)
    for (int infinite = 0; infinite < 2; infinite++) {
      rod r = {.diffusion = 1.0};
      double x[ROD];
      faults f = fault_in(&r, at, x);
      f.once = true;
      if (infinite) f.value = INFINITY;
      const ess_system system = faulty_system(&f);
      const ess_options options = by(ESS_BASE_RKC, 1e-3);
      toy_succeeds(&system, &options, 0.0, 0.4, x);
      assert_true(rod_error(&r, 0.4, x) < 3e-3);
      assert_true(f.calls[FIELD] < 1000);
    }
}

/* ---- the option ------------------------------------------------------------------------------ */

TEST(another_base_is_refused_by_name) {
  const ess_system system = {.dimension = ROD, .field = rod_field};
  ess_options options = by((ess_base)6, 1e-3);
  int status = ESS_SUCCESS;
  assert_null(ess_driver_alloc(&system, &options, &status));
  assert_int_equal(status, ESS_EINVAL);
  assert_non_null(strstr(ess_check(&system, &options), "ESS_BASE_RKC"));
  assert_int_equal(ess_options_default().base, ESS_BASE_DOPRI5);
  assert_int_equal(ess_options_paper().base, ESS_BASE_DOPRI5);
}

/* bases change between applies; a driver that is reset does the same again */
TEST(a_run_goes_on_by_another_base) {
  enum { PARTS = 6 };
  rod r = {.diffusion = 1.0};
  const ess_system system = {.dimension = ROD, .field = rod_field, .params = &r};
  const ess_options first = by(ESS_BASE_DOPRI5, 1e-3);
  ess_driver *const d = ess_driver_alloc(&system, &first, NULL);
  double x[2][ROD];
  ess_counters c[2];
  for (int run = 0; run < 2; run++) {
    double t = 0.0;
    ess_driver_reset(d);
    rod_start(x[run]);
    for (int k = 0; k < PARTS; k++) {
      const uint64_t before = ess_driver_counters(d)->stabilised;
      const ess_options options = by((ess_base)(k % 3), 1e-3);
      assert_int_equal(ess_driver_set_options(d, &options), ESS_SUCCESS);
      assert_int_equal(ess_driver_apply(d, &t, 0.4 * (k + 1) / PARTS, x[run]), ESS_SUCCESS);
      assert_true(rod_error(&r, t, x[run]) < 3e-3);
      assert_true((ess_driver_counters(d)->stabilised > before) == (k % 3 > 0));
    }
    c[run] = *ess_driver_counters(d);
  }
  assert_memory_equal(x[0], x[1], sizeof x[0]);
  assert_memory_equal(&c[0], &c[1], sizeof c[0]);
  ess_driver_free(d);
}

/* a field that is the same everywhere has no radius, and one at rest no rate */
FIELD(constant_field) {
  dxdt[0] = *(const double *)params;
}

TEST(a_field_without_a_radius_is_no_trouble) {
  double rates[] = {0.0, 1.0, 1e12};
  for (size_t i = 0; i < 3; i++)
    for (int base = 0; base < 3; base++) {
      const ess_system system = {.dimension = 1, .field = constant_field, .params = &rates[i]};
      const ess_options options = by((ess_base)base, 1e-6);
      double x[1] = {0.0};
      const toy_end end = toy_succeeds(&system, &options, 0.0, 10.0, x);
      assert_true(fabs(x[0] - 10.0 * rates[i]) <= 1e-12 * rates[i]);
      assert_true(end.counters.field_evaluations < 200);
    }
}
