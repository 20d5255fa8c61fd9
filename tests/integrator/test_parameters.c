/*
 * Derivatives by parameters: against differences of whole runs, with the parameters' derivatives
 * given or not, through crossings one by one and many together, impacts, slides, event functions
 * that move, and to a section; in closed form through one impact; and where events meet.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ess_tangents.h"
#include "parameter_systems.h"

/* a state or, after the last, a parameter, moved */
static outcome run_beside(const kind *k, size_t column, double step) {
  double start[STATES], value[MOST];
  memcpy(start, k->start, sizeof start);
  memcpy(value, k->value, sizeof value);
  *(column < k->n ? &start[column] : &value[column - k->n]) += step;
  return run(k, start, value, 1e-12, false);
}

TEST(tangents_are_what_differences_are) {
  for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
    const kind *const k = &KINDS[i];
    const size_t all = k->n + k->p;
    const double allowed = 2e-6;
    known_calls = 0;
    const outcome o = run(k, k->start, k->value, TOLERANCE, true);
    assert_true(known_calls == 0 || k->field_by);
    assert_true(!k->field_by || known_calls > 0);
    assert_true(o.counters.crossings > 2 || k->slides);
    assert_true(!k->slides || o.counters.slides > 0);
    for (size_t j = 0; j < all; j++) {
      const double size = j < k->n ? 1.0 : fabs(k->value[j - k->n]);
      const double step = 1e-4 * size;
      const outcome up = run_beside(k, j, step), down = run_beside(k, j, -step);
      const outcome up2 = run_beside(k, j, 2.0 * step), down2 = run_beside(k, j, -2.0 * step);
      for (size_t l = 0; l <= k->n; l++) {
        const bool time = l == k->n;
        if (time && !k->watches) continue;
        const double a = time ? up.t - down.t : up.x[l] - down.x[l];
        const double b = time ? up2.t - down2.t : up2.x[l] - down2.x[l];
        const double found = (8.0 * a - b) / (12.0 * step);
        const double given = time ? o.Dt[j] : o.D[l * all + j];
        if (!(fabs(given - found) <= allowed * (1.0 / size + fabs(found))))
          fail_msg("%s: of %zu by %zu: %.10g, by differences %.10g", k->name, l, j, given, found);
      }
    }
  }
}

/* steps and states are as without */
TEST(they_are_no_states) {
  for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
    const kind *const k = &KINDS[i];
    const outcome with = run(k, k->start, k->value, TOLERANCE, true);
    const outcome none = run(k, k->start, k->value, TOLERANCE, false);
    if (is_stiff(k)) continue;
    assert_memory_equal(with.x, none.x, sizeof with.x);
    assert_true(with.counters.steps == none.counters.steps);
    assert_true(with.counters.crossings == none.counters.crossings);
  }
}

ON_IMPACT_CODE(stop) {
  return 1;
}

/* ---- in closed form -------------------------------------------------------------------------- */

TEST(an_impact_is_as_in_closed_form) {
  for (int known = 0; known < 2; known++) {
    double p[3] = {9.81, 0.8, 0.0}, x[2] = {1.0, 0.0}, t = 0.0;
    const double g = p[0], e = p[1], when = sqrt(2.0 / g), v = -g * when;
    const ess_system system = system_of(&KINDS[7 + known], p);
    ess_options options = toy_options(1e-12);
    options.observer.impact = stop;
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    assert_int_equal(ess_driver_follow_parameters(d, 5, NULL, NULL), ESS_SUCCESS);
    assert_int_equal(ess_driver_apply(d, &t, 2.0, x), ESS_ESTOP);
    // the saltation matrix after the flight, whose columns are (1, 0) and (when, 1)
    const double *D = ess_driver_tangent(d);
    const double near = 1e-8;
    assert_true(fabs(D[0] + e) < near && fabs(D[1] + e * when) < near);
    assert_true(fabs(D[5] + (1.0 + e) * g / v) < near);
    assert_true(fabs(D[6] - (-(1.0 + e) * g / v * when - e)) < near);
    // when it lands, by each: z = 1 - g t^2 / 2
    double Dt[5];
    assert_int_equal(ess_driver_section(d, 0, Dt, NULL), ESS_SUCCESS);
    assert_true(fabs(Dt[0] - 1.0 / (g * when)) < near && fabs(Dt[1] - 1.0 / g) < near);
    assert_true(fabs(Dt[2] + when / (2.0 * g)) < near && fabs(Dt[3]) < near);
    assert_true(fabs(Dt[4] + 1.0 / (g * when)) < near);
    assert_int_equal(ess_driver_apply(d, &t, 0.9, x), ESS_SUCCESS);
    D = ess_driver_tangent(d);
    const double since = 0.9 - when, up = -v;
    assert_true(fabs(D[3] - up * since) < near && fabs(D[8] - up) < near);
    assert_true(fabs(D[2] - (0.5 * e * when * since + 0.5 * e * when * up / g -
                             0.5 * since * since - 0.5 * since * when)) < near);
    assert_true(fabs(D[7] - (0.5 * e * when - since - 0.5 * when)) < near);
    // a parameter of the event function alone: all is as if from a lower start, but higher
    assert_true(fabs(D[4] - (1.0 - D[0])) < near && fabs(D[9] + D[5]) < near);
    ess_driver_free(d);
  }
}

/* ---- where events meet ----------------------------------------------------------------------- */

/* y grows once x has passed both of two places that are parameters, and are the same */
FIELD(after_both_field) {
  dxdt[0] = 1.0;
  dxdt[1] = sign[0] > 0.0 && sign[1] > 0.0 ? 1.0 : 0.0;
}

GUARDS(after_both_guards) {
  for (int k = 0; k < 2; k++) h[k] = x[0] - ((const double *)params)[k];
}

TEST(each_direction_meets_events_in_its_own_order) {
  double p[2] = {1.0, 1.0}, x[2] = {0.0, 0.0}, t = 0.0;
  const ess_system system = {.dimension = 2,
                             .guard_count = 2,
                             OF(after_both),
                             .parameters = 2,
                             .parameter_values = p,
                             .params = p};
  const ess_options options = ess_options_default();
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  // up, down, the other down, both down, both up
  static const double along[2 * 5] = {1, -1, 0, -1, 1, 0, 0, -1, -1, 1};
  static const double expected[5] = {-1, 0, 0, 1, -1};
  assert_int_equal(ess_driver_follow_parameters(d, 5, NULL, along), ESS_SUCCESS);
  assert_int_equal(ess_driver_apply(d, &t, 3.0, x), ESS_SUCCESS);
  const double *const D = ess_driver_tangent(d);
  for (int j = 0; j < 5; j++) {
    assert_true(fabs(D[j]) < 1e-9);
    assert_true(fabs(D[5 + j] - expected[j]) < 1e-8);
  }
  assert_int_equal(ess_driver_smoothness(d)->kind, ESS_SMOOTH_PIECEWISE);
  assert_int_equal(ess_driver_smoothness(d)->pieces, 2);
  // by the start alone there is one piece
  ess_driver_reset(d);
  t = x[0] = x[1] = 0.0;
  assert_int_equal(ess_driver_follow(d, 2, NULL), ESS_SUCCESS);
  assert_int_equal(ess_driver_apply(d, &t, 3.0, x), ESS_SUCCESS);
  assert_int_equal(ess_driver_smoothness(d)->kind, ESS_SMOOTH_C1);
  assert_true(fabs(ess_driver_tangent(d)[2] - 1.0) < 1e-8);
  ess_driver_free(d);
}

/* ---- what is refused ------------------------------------------------------------------------- */

FIELD_BY(broken_by) {
  for (int i = 0; i < 6; i++) Fp[i] = NAN;
}

FIELD_CODE(fails_off) {
  falls(t, x, sign, dxdt, params);
  return ((const double *)params)[0] == 9.81 ? 0 : 7;
}

TEST(what_makes_no_sense_is_refused) {
  double p[3] = {9.81, 0.8, 0.0}, x[2] = {1.0, 0.0}, t = 0.0;
  const ess_options options = ess_options_default();
  ess_system system = system_of(&KINDS[7], p);
  system.parameter_values = NULL;
  assert_non_null(strstr(ess_check(&system, &options), "parameter_values"));
  assert_null(ess_driver_alloc(&system, &options, NULL));
  // all is given: the values are not needed
  ess_system known = system_of(&KINDS[8], p);
  known.parameter_values = NULL;
  assert_null(ess_check(&known, &options));

  system.parameter_values = p;
  ess_driver *d = ess_driver_alloc(&system, &options, NULL);
  assert_int_equal(ess_driver_follow_parameters(NULL, 5, NULL, NULL), ESS_EINVAL);
  assert_int_equal(ess_driver_follow_parameters(d, 4, NULL, NULL), ESS_EINVAL);
  assert_non_null(strstr(ess_driver_failure(d)->reason, "count"));
  const double nan[3] = {0.0, NAN, 0.0};
  assert_int_equal(ess_driver_follow_parameters(d, 1, NULL, nan), ESS_EINVAL);
  assert_non_null(strstr(ess_driver_failure(d)->reason, "parameters"));
  p[1] = INFINITY;
  assert_int_equal(ess_driver_follow_parameters(d, 5, NULL, NULL), ESS_EINVAL);
  p[1] = 0.8;
  assert_int_equal(ess_driver_follow_parameters(d, SIZE_MAX / 8, NULL, nan), ESS_EINVAL);
  assert_int_equal(ess_driver_follow_parameters(d, 0, NULL, NULL), ESS_SUCCESS);
  assert_null(ess_driver_tangent(d));
  ess_driver_free(d);

  // a graze, and a derivative that is none
  ess_system ceiling = system_of(&KINDS[7], p);
  ceiling.parameters = 0;
  d = ess_driver_alloc(&ceiling, &options, NULL);
  assert_int_equal(ess_driver_follow_parameters(d, 2, NULL, NULL), ESS_EINVAL);
  assert_non_null(strstr(ess_driver_failure(d)->reason, "no parameters"));
  ess_driver_free(d);
  known.field_parameter_jacobian = broken_by;
  d = ess_driver_alloc(&known, &options, NULL);
  assert_int_equal(ess_driver_follow_parameters(d, 5, NULL, NULL), ESS_SUCCESS);
  assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_EFIELD);
  ess_driver_free(d);

  // a field that fails with its parameters moved: they are put back
  system.field = fails_off;
  d = ess_driver_alloc(&system, &options, NULL);
  x[0] = 1.0, x[1] = t = 0.0;
  assert_int_equal(ess_driver_follow_parameters(d, 5, NULL, NULL), ESS_SUCCESS);
  assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_ECALLBACK);
  assert_int_equal(ess_driver_failure(d)->callback_code, 7);
  assert_true(p[0] == 9.81);
  ess_driver_free(d);
}
