/*
 * Tangents through crossings of a stiff field: x follows z at a rate of K, which may be a million;
 * z decays, and y is a clock. All is known in closed form.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ess_tangents.h"
#include "toy.h"

enum { X, Z, Y, N };

static const double Z_END = 0.2, Z_START = 1.0, T_END = 1.0;

typedef enum what {
  FREEZES,    /* x stays from y = 1/2 on: its rate there, which ripples, is what remains */
  JUMPS,      /* the same, and x and z are mixed */
  IS_STIFF,   /* y runs twice as fast once x falls below 0.6: the guard itself ripples */
  SLOWS_DOWN, /* from y = 1/2 on x follows more slowly, and y goes on as x */
  KINDS
} what;

typedef struct follower {
  what kind;
  double k;
  double since; /* what the clock says at the start */
} follower;

static const double SLOWER = 0.3, HALF = 0.5, LEVEL = 0.6, KEPT = 0.5, MIXED = 0.3;

FIELD(field) {
  const follower *const p = params;
  const bool after = p->kind == IS_STIFF ? sign[0] < 0.0 : sign[0] > 0.0;
  const double pull = -p->k * (x[X] - x[Z]);
  dxdt[X] = pull;
  dxdt[Z] = Z_END - x[Z];
  dxdt[Y] = 1.0;
  if (!after) return;
  if (p->kind == FREEZES || p->kind == JUMPS) dxdt[X] = 0.0;
  if (p->kind == IS_STIFF) dxdt[Y] = 2.0;
  if (p->kind == SLOWS_DOWN) {
    dxdt[X] = SLOWER * pull;
    dxdt[Y] = x[X];
  }
}

FIELD_JACOBIAN(jacobian) {
  const follower *const p = params;
  const bool after = p->kind != IS_STIFF && sign[0] > 0.0;
  double k = p->k;
  if (after) k *= p->kind == SLOWS_DOWN ? SLOWER : 0.0;
  memset(J, 0, N * N * sizeof *J);
  J[N * X + X] = -k;
  J[N * X + Z] = k;
  J[N * Z + Z] = -1.0;
  if (after && p->kind == SLOWS_DOWN) J[N * Y + X] = 1.0;
}

PLANES(follower, N, (AS(follower)->kind == IS_STIFF ? x[X] : x[Y]),
       (AS(follower)->kind == IS_STIFF ? LEVEL : AS(follower)->since + HALF));

IMPACT_MAP(mix) {
  impact->after[X] = KEPT * impact->x[X] + MIXED * impact->x[Z];
}

/* ---- what is known --------------------------------------------------------------------------- */

/* x - Z_END where it follows for a time t from x0 and z0, both less Z_END: a e^-t + (x0 - a) e^-kt,
 * with a = lag z0; its rate, and its integral */
typedef struct course {
  double value, rate, integral;
} course;

static double lag(double k) {
  return k / (k - 1.0);
}

static course follow(double k, double x0, double z0, double t) {
  const double a = lag(k) * z0, e = exp(-t), fast = exp(-k * t);
  return (course){.value = a * e + (x0 - a) * fast,
                  .rate = -a * e - k * (x0 - a) * fast,
                  .integral = a * (1.0 - e) + (x0 - a) * (1.0 - fast) / k};
}

/* d x(T) and d y(T) by x(0) and z(0) with the time of the crossing held, and by that time, for
 * those that cross at y = 1/2 */
static void derive(const follower *p, double V[N * N]) {
  const double k = p->k, z0 = Z_START - Z_END, e = exp(-HALF), fast = exp(-k * HALF);
  const double by_x = fast, by_z = lag(k) * (e - fast); // of x at the crossing
  const course before = follow(k, z0, z0, HALF);
  if (p->kind == FREEZES || p->kind == JUMPS) {
    const double kept = p->kind == JUMPS ? KEPT : 1.0, mixed = p->kind == JUMPS ? MIXED : 0.0;
    V[N * X + X] = kept * by_x;
    V[N * X + Z] = kept * by_z + mixed * e;
    V[N * X + Y] = -kept * before.rate + mixed * z0 * e;
    return;
  }
  const double slow = SLOWER * k, rest = T_END - HALF, z = z0 * e;
  const course unit_x = follow(slow, 1.0, 0.0, rest), unit_z = follow(slow, 0.0, 1.0, rest);
  const course after = follow(slow, before.value, z, rest);
  V[N * X + X] = by_x * unit_x.value;
  V[N * X + Z] = by_z * unit_x.value + e * unit_z.value;
  V[N * X + Y] = -(before.rate * unit_x.value - z * unit_z.value - after.rate);
  V[N * Y + X] = by_x * unit_x.integral;
  V[N * Y + Z] = by_z * unit_x.integral + e * unit_z.integral;
  V[N * Y + Y] = -(before.rate * unit_x.integral - z * unit_z.integral - (Z_END + after.value));
}

static void known(const follower *p, double V[N * N]) {
  const double k = p->k, z0 = Z_START - Z_END;
  memset(V, 0, N * N * sizeof *V);
  V[N * Z + Z] = exp(-T_END);
  V[N * Y + Y] = 1.0;
  if (p->kind != IS_STIFF) {
    derive(p, V);
    return;
  }
  double t = HALF;
  for (int i = 0; i < 50; i++) {
    const course c = follow(k, z0, z0, t);
    t -= (c.value - (LEVEL - Z_END)) / c.rate;
  }
  const double rate = follow(k, z0, z0, t).rate;
  V[N * X + X] = exp(-k * T_END);
  V[N * X + Z] = lag(k) * (exp(-T_END) - exp(-k * T_END));
  V[N * Y + X] = exp(-k * t) / rate;
  V[N * Y + Z] = lag(k) * (exp(-t) - exp(-k * t)) / rate;
}

/* ---- what is found --------------------------------------------------------------------------- */

static ess_counters run(follower *p, ess_base base, double tolerance, bool given, double V[N * N]) {
  const ess_impacts impacts = {.map = mix};
  const ess_system system = {.dimension = N,
                             .guard_count = 1,
                             .field = field,
                             .guards = follower_guards,
                             .guard_rates = follower_rates,
                             .impacts = p->kind == JUMPS ? &impacts : NULL,
                             .field_jacobian = given ? jacobian : NULL,
                             .params = p};
  ess_options options = toy_options(tolerance);
  options.base = base;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double t = 0.0, x[N] = {Z_START, Z_START, p->since};
  assert_non_null(d);
  if (V) assert_int_equal(ess_driver_follow(d, N, NULL), ESS_SUCCESS);
  assert_int_equal(ess_driver_apply(d, &t, T_END, x), ESS_SUCCESS);
  if (V) memcpy(V, ess_driver_tangent(d), N * N * sizeof *V);
  const ess_counters c = *ess_driver_counters(d);
  ess_driver_free(d);
  return c;
}

static double apart(const double V[N * N], const double W[N * N]) {
  double most = 0.0;
  for (int i = 0; i < N * N; i++) most = fmax(most, fabs(V[i] - W[i]) / (1.0 + fabs(W[i])));
  return most;
}

/* as steps at the edge of stability are about as long, calls are about as many; beside them there
 * are those of some steps more for each crossing */
static void check(follower *p, ess_base base, double tolerance, bool given) {
  double V[N * N], W[N * N];
  known(p, W);
  const ess_counters plain = run(p, base, tolerance, given, NULL);
  const ess_counters with = run(p, base, tolerance, given, V);
  assert_true(apart(V, W) < 60.0 * tolerance);
  const double calls = 1.9 * (double)plain.field_evaluations + 1500.0;
  if (given) assert_true((double)with.field_evaluations < calls);
}

TEST(a_ripple_is_not_taken_over) {
  for (int kind = 0; kind < KINDS; kind++)
    for (double k = 1e2; k < 2e4; k *= 10.0)
      for (double tolerance = 1e-2; tolerance > 5e-8; tolerance *= 0.1) {
        follower p = {.kind = (what)kind, .k = k};
        for (int base = 0; base < 3; base++) check(&p, (ess_base)base, tolerance, true);
        if (k < 2e3) check(&p, ESS_BASE_DOPRI5, tolerance, false);
      }
}

TEST(nor_are_stabilised_steps) {
  for (int kind = 0; kind < KINDS; kind++)
    for (int base = ESS_BASE_RKC; base <= ESS_BASE_CHOSEN; base++)
      for (double tolerance = 1e-2; tolerance > 5e-7; tolerance *= 0.1) {
        follower p = {.kind = (what)kind, .k = 1e6};
        check(&p, (ess_base)base, tolerance, true);
      }
}

/* a large state that does not ripple asks for no more exact steps */
TEST(a_clock_may_say_what_it_likes) {
  for (double k = 1e1; k < 2e4; k *= 10.0)
    for (double tolerance = 1e-2; tolerance > 5e-8; tolerance *= 0.1) {
      follower p = {.kind = FREEZES, .k = k, .since = 0x1p20};
      double V[N * N], W[N * N];
      known(&p, W);
      const ess_counters plain = run(&p, ESS_BASE_DOPRI5, tolerance, true, NULL);
      const ess_counters with = run(&p, ESS_BASE_DOPRI5, tolerance, true, V);
      assert_true(apart(V, W) < 60.0 * tolerance);
      assert_true((double)with.field_evaluations < 1.2 * (double)plain.field_evaluations);
    }
}

/* ---- directions that decay to less than a double tells --------------------------------------- */

FIELD(chase) {
  const double *const k = params;
  dxdt[0] = -*k * (x[0] - cos(t));
  dxdt[1] = -x[1];
}

/* exp(-k t) is below the smallest double from t = 745/k on */
TEST(what_has_decayed_is_nothing) {
  for (double k = 1e3; k < 2e8; k *= 10.0)
    for (double tolerance = 1e-2; tolerance > 5e-9; tolerance *= 1e-2)
      for (int base = 0; base < 3; base++)
        for (int relative = 0; relative < 2; relative++) {
          const ess_system system = {.dimension = 2, .field = chase, .params = &k};
          const double end = 2e3 / k;
          ess_options options = ess_options_default();
          options.rtol = tolerance;
          options.atol = relative ? 0.0 : tolerance;
          options.base = (ess_base)base;
          options.max_steps = 20000;
          ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
          double t = 0.0, x[2] = {1.0, 1.0};
          assert_int_equal(ess_driver_follow(d, 2, NULL), ESS_SUCCESS);
          assert_int_equal(ess_driver_apply(d, &t, end, x), ESS_SUCCESS);
          const double *const v = ess_driver_tangent(d);
          const double known[] = {exp(-k * end), 0.0, 0.0, exp(-end)};
          for (int i = 0; i < 4; i++) assert_true(fabs(v[i] - known[i]) < 60.0 * tolerance);
          ess_driver_free(d);
        }
}
