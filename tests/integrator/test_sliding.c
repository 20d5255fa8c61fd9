/*
 * Sliding, by ESS_SLIDING_FILIPPOV: systems whose times and states are known to ten digits, by
 * closed forms or by matrix exponentials to forty digits; and tangents through slides against
 * differences of runs, with and without the field's Jacobian.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ess_tangents.h"
#include "slide_log.h"

enum { STATES = 3 };

typedef int (*field_of)(double, const double[], const double[], double[], void *);
typedef int (*guards_of)(double, const double[], double[], void *);

/* a system, how it starts, and how long it runs */
typedef struct model {
  const char *name;
  size_t n, m;
  field_of field;
  guards_of guards;
  double start[STATES], until, parameter;
  field_of jacobian;
} model;

/* event functions that are affine: differences of one unit are their gradients */
GUARD_JACOBIAN(jacobian_by_unit) {
  const model *const of = params;
  double at[STATES] = {0.0}, h0[STATES], h1[STATES];
  of->guards(t, at, h0, params);
  for (size_t j = 0; j < of->n; j++) {
    at[j] = 1.0;
    of->guards(t, at, h1, params);
    at[j] = 0.0;
    for (size_t k = 0; k < of->m; k++) Dh[k * of->n + j] = h1[k] - h0[k];
  }
}

/* Ends with this status, the state in x, from its start where `start` is NULL, with directions
 * where V is not; what it saw of slides in log. Guards have a Jacobian, or not. */
static int run(const model *of, ess_options options, guards_of guard_jacobian, const double start[],
               double x[], double V[], ess_counters *made) {
  const size_t n = of->n;
  const ess_system system = {.dimension = n,
                             .guard_count = of->m,
                             .field = of->field,
                             .field_jacobian = of->jacobian,
                             .guards = of->guards,
                             .guard_jacobian = guard_jacobian,
                             .params = (void *)(uintptr_t)of};
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_non_null(d);
  double t = 0.0;
  if (V) assert_int_equal(ess_driver_follow(d, n, NULL), ESS_SUCCESS);
  memcpy(x, start ? start : of->start, n * sizeof *x);
  const int status = ess_driver_apply(d, &t, of->until, x);
  if (V && !status) memcpy(V, ess_driver_tangent(d), n * n * sizeof *V);
  *made = *ess_driver_counters(d);
  assert_true(made->field_evaluations < 1000000);
  ess_driver_free(d);
  return status;
}

/* ---- the systems ----------------------------------------------------------------------------- */

FIELD(belt_field) {
  const double w = x[1] - 0.5;
  dxdt[0] = x[1];
  dxdt[1] = -x[0] - sign[0] * (1.0 - 0.2 * sign[0] * w);
}

PLANES(belt, 2, (x[1]), (0.5));

FIELD_JACOBIAN(belt_by_state) {
  J[0] = 0.0;
  J[1] = 1.0;
  J[2] = -1.0;
  J[3] = 0.2 * sign[0] * sign[0];
}

FIELD(relay_field) {
  const double w = 25.0, z = 0.05, s = 1.0;
  dxdt[0] = -(2.0 * z * w + 1.0) * x[0] + x[1] - sign[0];
  dxdt[1] = -(2.0 * z * w + w * w) * x[0] + x[2] + 2.0 * s * sign[0];
  dxdt[2] = -w * w * x[0] - sign[0];
}

PLANES(first, 1, (x[0]), (0.0));

FIELD(forced_field) {
  dxdt[0] = x[1];
  dxdt[1] = -x[0] + cos(0.4 * t) - 0.6 * sign[0] * (1.0 + AS(model)->parameter * x[0]);
}

PLANES(second, 2, (x[1]), (0.0));

FIELD(spiral_field) {
  dxdt[0] = -sign[0] + 2.0 * sign[1];
  dxdt[1] = -2.0 * sign[0] - sign[1];
  dxdt[2] = 1.0 + sign[0];
}

PLANES(both, 2, (x[0], x[1]), (0.0, 0.0));

FIELD(touch_field) {
  dxdt[0] = sign[0] < 0.0 ? (t - 1.0) * (t - 1.0) - AS(model)->parameter : -1.0;
}

FIELD(gene_field) {
  const double z1 = sign[0] > 0.0, z2 = sign[1] > 0.0;
  dxdt[0] = 2.4 * (1.0 - z1 * z2) + 0.2 * z1 - x[0];
  dxdt[1] = 2.2 * (1.0 - z2) + 0.9 * z1 * z2 + 0.3 * (1.0 - z1) - x[1];
  dxdt[2] = z1 - 0.1 * x[2];
}

PLANES(gene, 2, (x[0], x[1]), (1.0, 1.0));

FIELD(modelica_field) {
  dxdt[0] = sign[0] > 0.0 ? -2.0 : 2.0;
  dxdt[1] = sign[0] > 0.0 ? 1.5 : -3.0;
}

PLANES(difference, 2, (x[0] - x[1]), (0.0));

FIELD(round_field) {
  dxdt[0] = -x[1] - sign[0] * x[0] + 0.3;
  dxdt[1] = x[0] - sign[0] * x[1];
}

GUARDS(round_guards) {
  h[0] = x[0] * x[0] + x[1] * x[1] - 1.0;
}

/* a block on a belt that is pulled by another: while one sticks the other may begin and end */
FIELD(blocks_field) {
  dxdt[0] = 0.7 * sin(1.3 * t) + 0.5 * (x[1] - x[0]) - 0.4 * sign[0];
  dxdt[1] = 0.9 * cos(0.8 * t) + 0.5 * (x[0] - x[1]) - 0.5 * sign[1];
}

PLANES(blocks, 2, (x[0], x[1] - x[0]), (0.0, 0.0));

/* their times and ends are known, but for the last; its parameter changes from test to test */
static const model BELT = {"belt", 2, 1, OF(belt), .start = {0.0, 0.5}, .until = 20.0};
static const model RELAY = {
    "relay", 3, 1, relay_field, first_guards, .start = {0.05, -0.01, 0.1}, .until = 4.0};
static const model FORCED = {"friction",   2, 1, forced_field, second_guards, .start = {0.3, 0.5},
                             .until = 40.0};
static const model SPIRAL = {
    "spiral", 3, 2, spiral_field, both_guards, .start = {1.0, 1e-300, 0.0}, .until = 1.0};
static const model GENES = {"genes", 3, 2, OF(gene), .start = {0.2, 0.5, 0.0}, .until = 6.0};
static const model MODELICA = {
    "two rates", 2, 1, modelica_field, difference_guards, .start = {1.5, 1.0}, .until = 1.0};
static const model TOUCH = {"touch", 1, 1, touch_field, first_guards, .start = {0.0}, .until = 2.0};

/* ---- what is known of them ------------------------------------------------------------------- */

enum { TIMES = 8 };

/* times of slides, as they begin and end in turn, and components of the state at the end */
typedef struct known {
  const model *of;
  size_t times;
  double time[TIMES];
  double end[3];
} known;

/* the state at a time that a model's references are not for is not looked at: NAN */
static const known KNOWN[] = {
    {&BELT,
     6,
     {0.0, 2.0, 7.266719402578, 2.0 + 6.736837191765, 7.266719402578 + 6.736837191765,
      2.0 + 2.0 * 6.736837191765},
     {NAN, NAN}},
    {&RELAY,
     3,
     {0.03464047481527, 0.2906915458213, 0.527906513713},
     {0.0, 0.9848932988911, -1.407970123246}},
    {&FORCED,
     4,
     {1.58692062594, 3.26114449069, 8.01560989568, 10.6166009226},
     {-1.02750686834, 0.0}},
    {&SPIRAL, 2, {0.5, 0.5}, {0.0, 0.0, 1.2}},
    {&GENES, 2, {0.28768207245178093, 0.45198512374305727}, {1.0, 1.0, 3.27492893}},
    {&MODELICA, 1, {1.0 / 7.0}, {31.0 / 34.0, 31.0 / 34.0}},
};
enum { SYSTEMS = sizeof KNOWN / sizeof *KNOWN };

static int known_run(const model *of, double tolerance, double x[], slides *log) {
  ess_counters made;
  return run(of, sliding(tolerance, log), jacobian_by_unit, NULL, x, NULL, &made);
}

TEST(at_a_tight_tolerance) {
  for (int i = 0; i < SYSTEMS; i++) {
    const known *const k = &KNOWN[i];
    double x[STATES];
    slides log;
    assert_int_equal(known_run(k->of, 1e-10, x, &log), ESS_SUCCESS);
    assert_true(log.count >= k->times);
    for (size_t j = 0; j < k->times; j++)
      if (!(fabs(log.time[j] - k->time[j]) <= 1e-8))
        fail_msg("%d: slide %zu at %.12g, not %.12g", i, j, log.time[j], k->time[j]);
    const double off = k->of == &GENES ? 5e-9 : 3e-10; // as far as the reference goes
    for (size_t l = 0; l < k->of->n; l++)
      if (fabs(x[l] - k->end[l]) > off)
        fail_msg("%d: x[%zu] is %.13g, not %.13g", i, l, x[l], k->end[l]);
  }
}

/* the error is within a small multiple of the tolerance at any */
TEST(at_every_tolerance) {
  for (int i = 0; i < SYSTEMS; i++)
    for (int digits = 3; digits <= 9; digits++) {
      const known *const k = &KNOWN[i];
      const double tolerance = pow(10.0, -digits);
      double x[STATES];
      slides log;
      assert_int_equal(known_run(k->of, tolerance, x, &log), ESS_SUCCESS);
      for (size_t l = 0; l < k->of->n; l++)
        if (fabs(x[l] - k->end[l]) > 30.0 * tolerance)
          fail_msg("%d at 1e-%d: x[%zu] is %.13g, not %.13g", i, digits, l, x[l], k->end[l]);
    }
}

/* a weight that all but comes to its bound, or goes beyond it for a moment alone */
TEST(nearly_left) {
  for (int i = 2; i <= 8; i++)
    for (int left = 0; left < 2; left++) {
      const double d = pow(10.0, -i), root = sqrt(d);
      model r = TOUCH;
      double x[STATES];
      slides log;
      r.parameter = left ? d : -d;
      assert_int_equal(known_run(&r, 1e-10, x, &log), ESS_SUCCESS);
      assert_int_equal(log.count, left ? 3 : 1);
      if (!left) continue;
      // a weight is found 1e-12 beyond its bound: where it is shallow that is later
      const double late = 1e-8 + 2e-12 / root;
      if (fabs(log.time[1] - (1.0 - root)) > late || fabs(log.time[2] - (1.0 + 2.0 * root)) > 2e-8)
        fail_msg("1e-%d: from %.12g to %.12g", i, log.time[1], log.time[2]);
      assert_true(fabs(x[0]) < 1e-12);
    }
}

/* ---- tangents -------------------------------------------------------------------------------- */

/* times as many calls of the field as without directions, of which there are up to three, each by
 * up to four calls */
enum { MANY = 15 };

/* models, and the step of differences */
static const struct follows {
  model of;
  double step;
} FOLLOWED[] = {
    {{"belt", 2, 1, OF(belt), .start = {0.3, 0.1}, .until = 12.0}, 5e-4},
    {{"belt, its Jacobian given", 2, 1, OF(belt), .start = {0.3, 0.1}, .until = 12.0,
      .jacobian = belt_by_state},
     5e-4},
    {{"relay", 3, 1, relay_field, first_guards, .start = {0.05, -0.01, 0.1}, .until = 0.7}, 5e-5},
    {{"friction", 2, 1, forced_field, second_guards, .start = {0.3, 0.5}, .until = 10.0,
      .parameter = 0.2},
     5e-4},
    {{"genes", 3, 2, OF(gene), .start = {0.2, 0.5, 0.0}, .until = 6.0}, 5e-4},
    {{"circle", 2, 1, OF(round), .start = {0.4, 0.1}, .until = 4.0}, 5e-4},
    {{"blocks", 2, 2, OF(blocks), .start = {0.3, -0.4}, .until = 9.3}, 5e-4},
};

/* the fourth-order difference of two steps, of the end by start j */
static void difference(const model *m, double least, size_t j, double by[]) {
  double D[2][STATES];
  ess_counters made;
  slides log;
  for (int half = 0; half < 2; half++) {
    const double step = half ? least : 2.0 * least;
    double at[STATES], up[STATES], down[STATES];
    memcpy(at, m->start, sizeof at);
    at[j] = m->start[j] + step;
    assert_int_equal(run(m, sliding(1e-12, &log), NULL, at, up, NULL, &made), ESS_SUCCESS);
    at[j] = m->start[j] - step;
    assert_int_equal(run(m, sliding(1e-12, &log), NULL, at, down, NULL, &made), ESS_SUCCESS);
    for (size_t l = 0; l < m->n; l++) D[half][l] = (up[l] - down[l]) / (2.0 * step);
  }
  for (size_t l = 0; l < m->n; l++) by[l] = (4.0 * D[1][l] - D[0][l]) / 3.0;
}

TEST(tangents_are_what_differences_are) {
  for (size_t i = 0; i < sizeof FOLLOWED / sizeof *FOLLOWED; i++) {
    const model *const m = &FOLLOWED[i].of;
    const size_t n = m->n;
    double x[STATES], V[STATES * STATES], by[STATES];
    ess_counters made, alone;
    slides log;
    const int status = run(m, sliding(1e-12, &log), NULL, NULL, x, V, &made);
    if (status) fail_msg("%s: %s", m->name, ess_strerror(status));
    assert_true(made.slides > 0);
    // noise in what holds the state, which is made of differences here, parts no steps without end
    assert_int_equal(run(m, sliding(1e-12, &log), NULL, NULL, x, NULL, &alone), ESS_SUCCESS);
    if (made.field_evaluations > MANY * alone.field_evaluations)
      fail_msg("%s: %llu calls, without directions %llu", m->name,
               (unsigned long long)made.field_evaluations,
               (unsigned long long)alone.field_evaluations);
    for (size_t j = 0; j < n; j++) {
      difference(m, FOLLOWED[i].step, j, by);
      for (size_t l = 0; l < n; l++)
        if (!(fabs(V[l * n + j] - by[l]) <= 1e-7 * fmax(1.0, fabs(by[l]))))
          fail_msg("%s: dx%zu / dx%zu is %.12g, differences have %.12g", m->name, l, j,
                   V[l * n + j], by[l]);
    }
  }
}
