/*
 * Systems that give no derivative of their event functions: runs are those with exact ones,
 * whatever the scales of states and the bend of event functions.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "ess_tangents.h"
#include "toy.h"

enum { N = 4, M = 3 };

/* an oscillator whose states are multiplied by scale[i], with events that bend as much as `bend` */
typedef struct scaled {
  double scale[N], offset[N], bend;
} scaled;

static void unscale(const scaled *s, const double x[], double y[]) {
  for (int i = 0; i < N; i++) y[i] = (x[i] - s->offset[i]) / s->scale[i];
}

FIELD(field) {
  const scaled *const s = params;
  double y[N];
  unscale(s, x, y);
  const double f[N] = {y[1], -4.0 * y[0] + 0.5 * sign[0], y[3],
                       -2.0 * y[2] + 0.4 * sign[1] - 0.3 * sign[2] + 0.2 * cos(t)};
  for (int i = 0; i < N; i++) dxdt[i] = f[i] * s->scale[i];
}

GUARDS(guards) {
  const scaled *const s = params;
  double y[N];
  unscale(s, x, y);
  h[0] = sin(s->bend * (y[0] - 0.2)) / s->bend;
  h[1] = 1e6 * (y[2] - 0.1 * y[0]);
  h[2] = 1e-6 * (exp(s->bend * (y[2] + 0.3)) - 1.0) / s->bend;
}

GUARD_JACOBIAN(jacobian) {
  const scaled *const s = params;
  double y[N];
  unscale(s, x, y);
  memset(Dh, 0, M * N * sizeof *Dh);
  Dh[0] = cos(s->bend * (y[0] - 0.2)) / s->scale[0];
  Dh[N] = -1e5 / s->scale[0];
  Dh[N + 2] = 1e6 / s->scale[2];
  Dh[2 * N + 2] = 1e-6 * exp(s->bend * (y[2] + 0.3)) / s->scale[2];
}

typedef struct result {
  double y[N], D[N];
  uint64_t crossings, calls;
} result;

static result run(scaled s, bool is_exact, ess_method method) {
  const ess_system system = {.dimension = N,
                             .guard_count = M,
                             .field = field,
                             .guards = guards,
                             .guard_jacobian = is_exact ? jacobian : NULL,
                             .params = &s};
  ess_options options = ess_options_default();
  double atols[N], x[N], direction[N] = {0.0}, t = 0.0;
  const double y0[N] = {0.9, 0.3, -0.7, 0.8};
  for (int i = 0; i < N; i++) {
    atols[i] = 1e-10 * s.scale[i];
    x[i] = s.offset[i] + s.scale[i] * y0[i];
  }
  options.method = method;
  options.rtol = 1e-9;
  options.atols = atols;
  options.epsilon = 1e-9;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_non_null(d);
  direction[0] = s.scale[0];
  if (method == ESS_METHOD_TOLERANCE)
    assert_int_equal(ess_driver_follow(d, 1, direction), ESS_SUCCESS);
  const int status = ess_driver_apply(d, &t, 8.0, x);
  if (status) fail_msg("%s (exact %d)", ess_strerror(status), is_exact);
  result r = {.crossings = ess_driver_counters(d)->crossings,
              .calls = ess_driver_counters(d)->guard_evaluations};
  unscale(&s, x, r.y);
  const double *const D = ess_driver_tangent(d);
  for (int i = 0; D && i < N; i++) r.D[i] = D[i] / s.scale[i];
  ess_driver_free(d);
  return r;
}

TEST(runs_are_those_with_a_jacobian) {
  const double scales[] = {1.0, 1e-8, 1e8}, bends[] = {0.1, 1.0, 5.0};
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++)
      for (int bend = 0; bend < 3; bend++) {
        const scaled s = {.scale = {scales[a], scales[a], scales[b], scales[b]},
                          .bend = bends[bend]};
        const result exact = run(s, true, ESS_METHOD_TOLERANCE);
        const result found = run(s, false, ESS_METHOD_TOLERANCE);
        assert_true(exact.crossings > 10 && found.crossings == exact.crossings);
        for (int i = 0; i < N; i++) {
          assert_true(fabs(found.y[i] - exact.y[i]) < 1e-6);
          assert_true(fabs(found.D[i] - exact.D[i]) < 1e-4);
        }
      }
}

/* numbers that are large beside what they change by */
TEST(offsets_do_not_drown_them) {
  const scaled s = {.scale = {1.0, 1.0, 1.0, 1.0}, .offset = {1e4, 0.0, -1e3, 0.0}, .bend = 1.0};
  const result exact = run(s, true, ESS_METHOD_TOLERANCE);
  const result found = run(s, false, ESS_METHOD_TOLERANCE);
  assert_true(exact.crossings > 10 && found.crossings == exact.crossings);
  for (int i = 0; i < N; i++) assert_true(fabs(found.y[i] - exact.y[i]) < 1e-4);
}

TEST(projections_need_none) {
  const scaled s = {.scale = {1.0, 1.0, 1e-4, 1e-4}, .bend = 1.0};
  const result exact = run(s, true, ESS_METHOD_PAPER);
  const result found = run(s, false, ESS_METHOD_PAPER);
  for (int i = 0; i < N; i++) assert_true(fabs(found.y[i] - exact.y[i]) < 1e-5);
}

GUARDS_CODE(undefined) {
  h[0] = x[0] > 1e-3 ? log(x[0]) + 4.0 : NAN;
  return x[0] > 1e-3 ? 0 : 3;
}

FIELD(decay) {
  dxdt[0] = sign[0] > 0.0 ? -x[0] : -0.5 * x[0];
}

/* where event functions end, a difference that would need more looks elsewhere */
TEST(what_is_undefined_nearby_does_not_matter) {
  const ess_system system = {.dimension = 1, .guard_count = 1, .field = decay, .guards = undefined};
  const ess_options options = ess_options_default();
  double x[1] = {1.0};
  toy_succeeds(&system, &options, 0.0, 5.0, x);
  assert_true(fabs(x[0] - exp(-4.5)) < 1e-8);
}

/* a clock and what it drives, in units of length and time */
typedef struct units {
  double length, time;
} units;

FIELD(driven) {
  const units *const u = params;
  dxdt[0] = u->length / u->time;
  dxdt[1] = (u->length * (0.5 + 0.5 * sign[0]) - 0.1 * x[1]) / u->time;
}

GUARDS(wave) {
  h[0] = sin(3.0 * x[0] / ((const units *)params)->length) - 0.3;
}

static int pulse(double t, const double x[], double g[], void *params) {
  g[0] = cos(2.0 * t / ((const units *)params)->time);
  return 0;
}

/* Outcome: a tolerance that is absolute alone does not say how large a state is, nor is time a
 * state that it is for: any units do, with events of time, too, by every base. */
TEST(any_units_with_no_relative_tolerance) {
  static const ess_base bases[] = {ESS_BASE_DOPRI5, ESS_BASE_RKC, ESS_BASE_RODAS};
  for (int i = 0; i < 3 * 2 * 5 * 5; i++) {
    units u = {.length = pow(10.0, 6 * (i % 5) - 12), .time = pow(10.0, 6 * (i / 5 % 5) - 12)};
    ess_system system = {
        .dimension = 2, .guard_count = 1, .field = driven, .guards = wave, .params = &u};
    if (i / 25 % 2) system.watch = (ess_watch){.count = 1, .values = pulse};
    ess_options options = ess_options_default();
    options.rtol = 0.0;
    options.atols = (const double[]){1e-8 * u.length, 1e-8 * u.length};
    options.base = bases[i / 50];
    options.max_steps = 20000;
    double x[2] = {0.0};
    const toy_end end = toy_succeeds(&system, &options, 0.0, 5.0 * u.time, x);
    assert_int_equal(end.counters.crossings, i / 25 % 2 ? 8 : 5);
  }
}
