/*
 * Tangents through slides against differences of runs: belts, relays, friction, products of signs
 * and curved surfaces, with and without the field's Jacobian.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ess_tangents.h"
#include "toy.h"

enum { MOST = 3 };

/* times as many calls of the field as without directions, of which there are up to three, each by
 * up to four calls */
enum { MANY = 15 };

typedef struct model {
  const char *name;
  size_t dimension, guard_count;
  int (*field)(double, const double[], const double[], double[], void *);
  int (*guards)(double, const double[], double[], void *);
  int (*jacobian)(double, const double[], const double[], double[], void *);
  double start[MOST], until, step; /* of differences */
} model;

static int belt_field(double t, const double x[], const double s[], double f[], void *params) {
  f[0] = x[1];
  f[1] = -x[0] - s[0] * (1.0 - 0.2 * s[0] * (x[1] - 0.5));
  return 0;
}

static int belt_guards(double t, const double x[], double h[], void *params) {
  h[0] = x[1] - 0.5;
  return 0;
}

static int belt_jacobian(double t, const double x[], const double s[], double J[], void *params) {
  J[0] = 0.0;
  J[1] = 1.0;
  J[2] = -1.0;
  J[3] = 0.2 * s[0] * s[0];
  return 0;
}

static int relay_field(double t, const double x[], const double s[], double f[], void *params) {
  const double w = 25.0, z = 0.05;
  f[0] = -(2.0 * z * w + 1.0) * x[0] + x[1] - s[0];
  f[1] = -(2.0 * z * w + w * w) * x[0] + x[2] + 2.0 * s[0];
  f[2] = -w * w * x[0] - s[0];
  return 0;
}

static int first_guards(double t, const double x[], double h[], void *params) {
  h[0] = x[0];
  return 0;
}

static int forced_field(double t, const double x[], const double s[], double f[], void *params) {
  f[0] = x[1];
  f[1] = -x[0] + cos(0.4 * t) - 0.6 * s[0] * (1.0 + 0.2 * x[0]);
  return 0;
}

static int second_guards(double t, const double x[], double h[], void *params) {
  h[0] = x[1];
  return 0;
}

static int gene_field(double t, const double x[], const double s[], double f[], void *params) {
  const double z1 = s[0] > 0.0, z2 = s[1] > 0.0;
  f[0] = 2.4 * (1.0 - z1 * z2) + 0.2 * z1 - x[0];
  f[1] = 2.2 * (1.0 - z2) + 0.9 * z1 * z2 + 0.3 * (1.0 - z1) - x[1];
  f[2] = z1 - 0.1 * x[2];
  return 0;
}

static int gene_guards(double t, const double x[], double h[], void *params) {
  h[0] = x[0] - 1.0;
  h[1] = x[1] - 1.0;
  return 0;
}

static int round_field(double t, const double x[], const double s[], double f[], void *params) {
  f[0] = -x[1] - s[0] * x[0] + 0.3;
  f[1] = x[0] - s[0] * x[1];
  return 0;
}

static int round_guards(double t, const double x[], double h[], void *params) {
  h[0] = x[0] * x[0] + x[1] * x[1] - 1.0;
  return 0;
}

/* a block on a belt that is pulled by another: while one sticks the other may begin and end */
static int blocks_field(double t, const double x[], const double s[], double f[], void *params) {
  f[0] = 0.7 * sin(1.3 * t) + 0.5 * (x[1] - x[0]) - 0.4 * s[0];
  f[1] = 0.9 * cos(0.8 * t) + 0.5 * (x[0] - x[1]) - 0.5 * s[1];
  return 0;
}

static int blocks_guards(double t, const double x[], double h[], void *params) {
  h[0] = x[0];
  h[1] = x[1] - x[0];
  return 0;
}

static const model MODELS[] = {
    {"belt", 2, 1, belt_field, belt_guards, NULL, {0.3, 0.1}, 12.0, 5e-4},
    {"belt, its Jacobian given",
     2,
     1,
     belt_field,
     belt_guards,
     belt_jacobian,
     {0.3, 0.1},
     12.0,
     5e-4},
    {"relay", 3, 1, relay_field, first_guards, NULL, {0.05, -0.01, 0.1}, 0.7, 5e-5},
    {"friction", 2, 1, forced_field, second_guards, NULL, {0.3, 0.5}, 10.0, 5e-4},
    {"genes", 3, 2, gene_field, gene_guards, NULL, {0.2, 0.5, 0.0}, 6.0, 5e-4},
    {"circle", 2, 1, round_field, round_guards, NULL, {0.4, 0.1}, 4.0, 5e-4},
    {"blocks", 2, 2, blocks_field, blocks_guards, NULL, {0.3, -0.4}, 9.3, 5e-4},
};

static int run(const model *m, const double start[], double x[], double V[], ess_counters *made) {
  ess_options options = ess_options_default();
  options.rtol = options.atol = 1e-12;
  options.sliding = ESS_SLIDING_FILIPPOV;
  const ess_system system = {.dimension = m->dimension,
                             .guard_count = m->guard_count,
                             .field = m->field,
                             .field_jacobian = m->jacobian,
                             .guards = m->guards};
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double t = 0.0;
  if (V) assert_int_equal(ess_driver_follow(d, m->dimension, NULL), ESS_SUCCESS);
  memcpy(x, start, m->dimension * sizeof *x);
  const int status = ess_driver_apply(d, &t, m->until, x);
  if (V && !status) memcpy(V, ess_driver_tangent(d), m->dimension * m->dimension * sizeof *V);
  if (made) *made = *ess_driver_counters(d);
  ess_driver_free(d);
  return status;
}

TEST(tangents_are_what_differences_are) {
  for (size_t i = 0; i < sizeof MODELS / sizeof *MODELS; i++) {
    const model *const m = &MODELS[i];
    const size_t n = m->dimension;
    double x[MOST], V[MOST * MOST];
    ess_counters made;
    const int status = run(m, m->start, x, V, &made);
    if (status) fail_msg("%s: %s", m->name, ess_strerror(status));
    assert_true(made.slides > 0);
    // noise in what holds the state, which is made of differences here, parts no steps without end
    ess_counters alone;
    assert_int_equal(run(m, m->start, x, NULL, &alone), ESS_SUCCESS);
    if (made.field_evaluations > MANY * alone.field_evaluations)
      fail_msg("%s: %llu calls, without directions %llu", m->name,
               (unsigned long long)made.field_evaluations,
               (unsigned long long)alone.field_evaluations);
    for (size_t j = 0; j < n; j++) {
      // the fourth-order difference of two steps
      double D[2][MOST];
      for (int half = 0; half < 2; half++) {
        const double step = half ? m->step : 2.0 * m->step;
        double at[MOST], up[MOST], down[MOST];
        memcpy(at, m->start, sizeof at);
        at[j] = m->start[j] + step;
        assert_int_equal(run(m, at, up, NULL, NULL), ESS_SUCCESS);
        at[j] = m->start[j] - step;
        assert_int_equal(run(m, at, down, NULL, NULL), ESS_SUCCESS);
        for (size_t l = 0; l < n; l++) D[half][l] = (up[l] - down[l]) / (2.0 * step);
      }
      for (size_t l = 0; l < n; l++) {
        const double found = (4.0 * D[1][l] - D[0][l]) / 3.0;
        if (!(fabs(V[l * n + j] - found) <= 1e-7 * fmax(1.0, fabs(found))))
          fail_msg("%s: dx%zu / dx%zu is %.12g, differences have %.12g", m->name, l, j,
                   V[l * n + j], found);
      }
    }
  }
}
