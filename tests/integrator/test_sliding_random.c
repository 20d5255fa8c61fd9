/*
 * Random systems whose jumps add up, with one to six surfaces, against time stepping: an Euler
 * method that is implicit in the signs, and calls nothing of libess. Its error falls with its step.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "draws.h"
#include "population.h"
#include "toy.h"

#ifndef SLIDING_SYSTEMS
#define SLIDING_SYSTEMS 1000
#endif

enum { MOST = 6, SWEEPS = 400 };

/* x' = A x + b cos(w t + p) - B s, h = C x - c */
typedef struct chance {
  size_t n, m;
  double A[MOST * MOST], b[MOST], w, p, B[MOST * MOST], C[MOST * MOST], c[MOST], x[MOST];
  double G[MOST * MOST]; /* C B */
} chance;

static uint64_t seed;

/* half of them are friction, B = M C' diag, and may have more surfaces than states; the others have
 * matrices C B that are not symmetric and whose diagonals dominate */
static chance draw_chance(void) {
  chance s = {.m = 1 + (size_t)draw_between(&seed, 0.0, 5.999)};
  const bool friction = draw_between(&seed, 0.0, 1.0) < 0.5;
  const size_t least = friction && s.m > 1 ? s.m - 1 : s.m;
  s.n = least + (size_t)draw_between(&seed, 0.0, (double)(MOST - least) + 0.999);
  for (size_t i = 0; i < s.n; i++) {
    for (size_t j = 0; j < s.n; j++)
      s.A[i * s.n + j] = draw_between(&seed, -1.0, 1.0) - (i == j ? 0.5 : 0.0);
    s.b[i] = draw_between(&seed, -1.5, 1.5);
    s.x[i] = draw_between(&seed, -1.0, 1.0);
  }
  s.w = draw_between(&seed, 0.5, 4.0);
  s.p = draw_between(&seed, 0.0, 6.28);
  for (size_t k = 0; k < s.m; k++) {
    for (size_t j = 0; j < s.n; j++)
      s.C[k * s.n + j] = draw_between(&seed, -0.3, 0.3) + (j == k % s.n);
    s.c[k] = draw_between(&seed, -0.3, 0.3);
    const double mu = draw_between(&seed, 0.2, 1.5);
    for (size_t i = 0; i < s.n; i++)
      s.B[i * s.m + k] =
          mu * (friction ? s.C[k * s.n + i] : (i == k) + draw_between(&seed, -0.1, 0.1));
  }
  for (size_t i = 0; i < s.m; i++)
    for (size_t k = 0; k < s.m; k++)
      for (size_t j = 0; j < s.n; j++) s.G[i * s.m + k] += s.C[i * s.n + j] * s.B[j * s.m + k];
  return s;
}

static void smooth_part(const chance *s, double t, const double x[], double f[]) {
  for (size_t i = 0; i < s->n; i++) {
    f[i] = s->b[i] * cos(s->w * t + s->p);
    for (size_t j = 0; j < s->n; j++) f[i] += s->A[i * s->n + j] * x[j];
  }
}

FIELD(field) {
  const chance *const s = params;
  smooth_part(s, t, x, dxdt);
  for (size_t i = 0; i < s->n; i++)
    for (size_t k = 0; k < s->m; k++) dxdt[i] -= s->B[i * s->m + k] * sign[k];
}

GUARDS(guards) {
  const chance *const s = params;
  for (size_t k = 0; k < s->m; k++) {
    h[k] = -s->c[k];
    for (size_t j = 0; j < s->n; j++) h[k] += s->C[k * s->n + j] * x[j];
  }
}

GUARD_JACOBIAN(jacobian) {
  const chance *const s = params;
  memcpy(Dh, s->C, s->m * s->n * sizeof *Dh);
}

/* signs in [-1, 1], those of h at the step's end or what keeps it at zero, by sweeps over them */
static void time_stepping(const chance *s, double until, size_t steps, double x[]) {
  const double dt = until / (double)steps;
  double f[MOST], sign[MOST] = {0}, h[MOST];
  for (size_t i = 0; i < steps; i++) {
    // the middle of what is smooth
    double middle[MOST];
    smooth_part(s, (double)i * dt, x, f);
    for (size_t j = 0; j < s->n; j++) {
      middle[j] = x[j] + 0.5 * dt * f[j];
      for (size_t k = 0; k < s->m; k++) middle[j] -= 0.5 * dt * s->B[j * s->m + k] * sign[k];
    }
    smooth_part(s, ((double)i + 0.5) * dt, middle, f);
    for (size_t j = 0; j < s->n; j++) x[j] += dt * f[j];
    guards(0.0, x, h, (void *)(uintptr_t)s);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
      double most = 0.0;
      for (size_t k = 0; k < s->m; k++) {
        double rest = h[k];
        for (size_t l = 0; l < s->m; l++)
          if (l != k) rest -= dt * s->G[k * s->m + l] * sign[l];
        const double next = fmax(-1.0, fmin(1.0, rest / (dt * s->G[k * s->m + k])));
        most = fmax(most, fabs(next - sign[k]));
        sign[k] = next;
      }
      if (most < 1e-12) break;
    }
    for (size_t j = 0; j < s->n; j++)
      for (size_t k = 0; k < s->m; k++) x[j] -= dt * s->B[j * s->m + k] * sign[k];
  }
}

static ess_driver *driver_of(chance *s, ess_options options) {
  const ess_system system = {.dimension = s->n,
                             .guard_count = s->m,
                             .field = field,
                             .guards = guards,
                             .guard_jacobian = jacobian,
                             .params = s};
  options.sliding = ESS_SLIDING_FILIPPOV;
  return ess_driver_alloc(&system, &options, NULL);
}

static const double UNTIL = 2.0, TRUTH_MOST = 4e-3; // the error of 8000 steps

TEST(all_of_them) {
  size_t slid = 0, most = 0, sum = 0;
  double worst[3] = {0.0};
  seed = 20240601;
  for (int i = 0; i < SLIDING_SYSTEMS; i++) {
    chance s = draw_chance();
    ess_driver *const d = driver_of(&s, ess_options_default());
    double t = 0.0, x[MOST], y[MOST], off[3];
    memcpy(x, s.x, sizeof x);
    const int status = ess_driver_apply(d, &t, UNTIL, x);
    if (status)
      fail_msg("system %d, %zu states, %zu surfaces: %s at %.12g, guards %zu %zu", i, s.n, s.m,
               ess_strerror(status), t, ess_driver_failure(d)->guard,
               ess_driver_failure(d)->other_guard);
    size_t count;
    (void)ess_driver_sliding(d, &count);
    slid += ess_driver_counters(d)->slides > 0;
    sum += ess_driver_counters(d)->slides;
    most = count > most ? count : most;
    ess_driver_free(d);
    for (int j = 0; j < 3; j++) {
      memcpy(y, s.x, sizeof y);
      time_stepping(&s, UNTIL, (size_t)500 << (2 * j), y);
      off[j] = toy_apart(x, y, s.n);
      worst[j] = fmax(off[j], worst[j]);
    }
    if (!(off[2] <= TRUTH_MOST && off[2] <= 0.6 * off[0] + 2e-4))
      fail_msg("system %d, %zu states, %zu surfaces: time stepping is off by %g, %g, %g", i, s.n,
               s.m, off[0], off[1], off[2]);
  }
  print_message("%zu of %d slid, %zu slides, %zu surfaces at once; off by %g, %g, %g at most\n",
                slid, SLIDING_SYSTEMS, sum, most, worst[0], worst[1], worst[2]);
  // of fewer systems, as with sanitizers, none may slide on all
  assert_true(slid > SLIDING_SYSTEMS / 2 && most >= (SLIDING_SYSTEMS < 1000 ? MOST - 1 : MOST));
}

/* with --rows; at tight tolerances the truth tells no more than what is wrong */
static void rows_of(uint64_t number) {
  seed = number;
  seed = draw_bits(&seed);
  chance s = draw_chance();
  double y[MOST];
  memcpy(y, s.x, sizeof y);
  time_stepping(&s, UNTIL, 8000, y);
  for (double tolerance = 1e-2; tolerance > 1e-9; tolerance *= 0.01) {
    ess_options options = ess_options_default();
    options.rtol = options.atol = tolerance;
    ess_driver *const d = driver_of(&s, options);
    double t = 0.0, x[MOST];
    memcpy(x, s.x, sizeof x);
    const int status = ess_driver_apply(d, &t, UNTIL, x);
    const double off = toy_apart(x, y, s.n);
    const bool wrong = !status && !(off <= TRUTH_MOST + 100.0 * tolerance);
    ess_driver_free(d);
    population_row("slide", number, tolerance,
                   wrong              ? POPULATION_WRONG
                   : tolerance < 5e-5 ? POPULATION_OUT
                                      : POPULATION_RIGHT,
                   off / tolerance);
  }
}

int main(int argc, char *argv[]) {
  int status;
  return population_rows(argc, argv, rows_of, &status) ? status : test_main(argc, argv);
}
