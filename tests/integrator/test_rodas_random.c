/*
 * Implicit steps through crossings of random stiff systems, held against dopri5 at a tolerance of
 * 1e-11: as many crossings of each event function, and states within some tolerances.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "draws.h"
#include "population.h"
#include "toy.h"

#ifndef RODAS_SYSTEMS
#define RODAS_SYSTEMS 40
#endif
enum { STATES = 4, GUARDS = 2, MODES = 4, CROSSINGS_MOST = 100 };

/* x' = A (x - c (1 + 0.3 sin wt)), where the signs of two event functions, linear in x, choose c */
typedef struct stiff_system {
  double a[STATES][STATES], c[MODES][STATES], w;
  double gradient[GUARDS][STATES], level[GUARDS];
} stiff_system;

FIELD(field) {
  const stiff_system *const s = params;
  const double *const c = s->c[(sign[0] > 0.0) + 2 * (sign[1] > 0.0)];
  for (size_t i = 0; i < STATES; i++) {
    dxdt[i] = 0.0;
    for (size_t j = 0; j < STATES; j++)
      dxdt[i] += s->a[i][j] * (x[j] - c[j] * (1.0 + 0.3 * sin(s->w * t)));
  }
}

FIELD_JACOBIAN(field_jacobian) {
  memcpy(J, ((const stiff_system *)params)->a, STATES * STATES * sizeof *J);
}

GUARDS(guards) {
  const stiff_system *const s = params;
  for (size_t k = 0; k < GUARDS; k++) {
    h[k] = -s->level[k];
    for (size_t j = 0; j < STATES; j++) h[k] += s->gradient[k][j] * x[j];
  }
}

GUARD_JACOBIAN(guard_jacobian) {
  memcpy(Dh, ((const stiff_system *)params)->gradient, GUARDS * STATES * sizeof *Dh);
}

/* ---- random systems -------------------------------------------------------------------------- */

/* two rows and columns turned into each other, and made askew: eigenvalues stay */
static void turn(stiff_system *s, size_t i, size_t j, double angle, double skew) {
  const double c = cos(angle), d = sin(angle);
  for (size_t k = 0; k < STATES; k++) {
    const double u = s->a[i][k], v = s->a[j][k];
    s->a[i][k] = c * u - d * v;
    s->a[j][k] = d * u + c * v + skew * s->a[i][k];
  }
  for (size_t k = 0; k < STATES; k++) {
    const double u = s->a[k][i], v = s->a[k][j];
    s->a[k][j] = d * u + c * v;
    s->a[k][i] = c * u - d * v - skew * s->a[k][j];
  }
}

/* rates from 1 to 3000, real or in pairs that are damped by 0.05 of the critical damping or more */
static void draw_system(stiff_system *s, uint64_t sequence) {
  *s = (stiff_system){.w = draw_apart(&sequence, 1.0, 12.0)};
  for (size_t i = 0; i < STATES; i += 2) {
    const double rate = pow(10.0, draw_apart(&sequence, 0.0, 3.5));
    const double damping = draw_apart(&sequence, 0.05, 0.95);
    const bool is_real = draw_apart(&sequence, 0.0, 1.0) < 0.5;
    s->a[i][i] = is_real ? -rate : -damping * rate;
    s->a[i + 1][i + 1] = is_real ? -pow(10.0, draw_apart(&sequence, 0.0, 3.5)) : s->a[i][i];
    s->a[i][i + 1] = is_real ? 0.0 : rate * sqrt(1.0 - damping * damping);
    s->a[i + 1][i] = -s->a[i][i + 1];
  }
  for (size_t i = 0; i < STATES; i++)
    for (size_t j = 0; j < i; j++)
      turn(s, i, j, draw_apart(&sequence, -3.0, 3.0), draw_apart(&sequence, -0.5, 0.5));
  for (size_t k = 0; k < MODES; k++)
    for (size_t i = 0; i < STATES; i++) s->c[k][i] = draw_apart(&sequence, -1.0, 1.0);
  for (size_t k = 0; k < GUARDS; k++) {
    s->level[k] = draw_apart(&sequence, -0.5, 0.5);
    for (size_t i = 0; i < STATES; i++) s->gradient[k][i] = draw_apart(&sequence, -1.0, 1.0);
  }
}

/* ---- runs ------------------------------------------------------------------------------------ */

typedef struct outcome {
  int status;
  size_t crossings[GUARDS];
  double x[STATES], calls;
} outcome;

ON_CROSSING(note) {
  ((outcome *)context)->crossings[info->guard]++;
}

static outcome run(stiff_system *s, ess_base base, double tolerance, bool given) {
  const ess_system system = {.dimension = STATES,
                             .guard_count = GUARDS,
                             .field = field,
                             .field_jacobian = given ? field_jacobian : NULL,
                             .guards = guards,
                             .guard_jacobian = guard_jacobian,
                             .params = s};
  outcome o = {.x = {-0.3, 0.0, 0.3, 0.6}};
  ess_options options = toy_options(tolerance);
  options.base = base;
  options.max_crossings = 10 * CROSSINGS_MOST;
  options.observer = (ess_observer){.crossing = note, .context = &o};
  const toy_end end = toy_run(&system, &options, 0.0, 2.0, o.x);
  o.status = end.status;
  o.calls = (double)end.counters.field_evaluations;
  return o;
}

static bool is_alike(const outcome *a, const outcome *b) {
  return !a->status && !b->status && memcmp(a->crossings, b->crossings, sizeof a->crossings) == 0;
}

/* those that slide, or cross nothing, or hundreds of times, or graze, are left out */
static bool is_told(stiff_system *s, outcome *truth) {
  *truth = run(s, ESS_BASE_DOPRI5, 1e-11, false);
  const size_t crossings = truth->crossings[0] + truth->crossings[1];
  if (truth->status || !crossings || crossings > CROSSINGS_MOST) return false;
  const outcome again = run(s, ESS_BASE_DOPRI5, 1e-9, false);
  return is_alike(truth, &again) && toy_apart(truth->x, again.x, STATES) < 1e-7;
}

TEST(crossings_of_stiff_systems) {
  size_t told = 0;
  double calls = 0.0, calls_by_dopri5 = 0.0;
  for (uint64_t seed = 1; told < RODAS_SYSTEMS; seed++) {
    stiff_system s;
    outcome truth;
    draw_system(&s, seed);
    if (!is_told(&s, &truth)) continue;
    told++;
    for (double tolerance = 1e-4; tolerance > 5e-8; tolerance *= 0.1) {
      const outcome o = run(&s, ESS_BASE_RODAS, tolerance, seed % 2);
      if (!is_alike(&o, &truth) || !(toy_apart(o.x, truth.x, STATES) < 50.0 * tolerance))
        fail_msg("system %llu at %g: %s, %zu and %zu crossings of %zu and %zu, off by %g",
                 (unsigned long long)seed, tolerance, ess_strerror(o.status), o.crossings[0],
                 o.crossings[1], truth.crossings[0], truth.crossings[1],
                 toy_apart(o.x, truth.x, STATES));
    }
    calls += run(&s, ESS_BASE_RODAS, 1e-3, true).calls;
    calls_by_dopri5 += run(&s, ESS_BASE_DOPRI5, 1e-3, true).calls;
  }
  assert_true(2.0 * calls < calls_by_dopri5);
}

/* with --rows; what the truth takes is a row, too */
static void rows_of(uint64_t seed) {
  stiff_system s;
  outcome truth;
  draw_system(&s, seed);
  const bool is_known = is_told(&s, &truth);
  population_row("dopri5", seed, 1e-9, POPULATION_OUT, 0.0);
  for (double tolerance = 1e-2; is_known && tolerance > 5e-8; tolerance *= 0.1) {
    const outcome o = run(&s, ESS_BASE_RODAS, tolerance, seed % 2);
    const double error = toy_apart(o.x, truth.x, STATES) / tolerance;
    population_row("rodas", seed, tolerance,
                   !o.status && !(error < 100.0) ? POPULATION_WRONG : POPULATION_RIGHT, error);
  }
}

int main(int argc, char *argv[]) {
  int status;
  return population_rows(argc, argv, rows_of, &status) ? status : test_main(argc, argv);
}
