/*
 * Random systems whose jumps add up, with one to six surfaces: `population_slides [runs]` holds
 * each against itself at a smaller tolerance, and every 40th against the truth. Exit 1 when
 * one ends by a status or is wrong, when few slide, or when the truth decides few.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "draws.h"
#include "population.h"
#include "truth.h"

enum { MOST = 6, ERROR_MOST = 20 /* tolerances */, TRUTHS = 40 };

/* x' = A x + b cos(w t + p) - B s, h = C x - c. Half of them are friction, B = C' diag(mu), and may
 * have more surfaces than states; the others have matrices C B that are not symmetric and whose
 * diagonals dominate. */
static hybrid *draw_system(uint64_t *seed) {
  const size_t m = 1 + (size_t)draw_between(seed, 0.0, 5.999);
  const bool friction = draw_between(seed, 0.0, 1.0) < 0.5;
  const size_t least = friction && m > 1 ? m - 1 : m;
  const size_t n = least + (size_t)draw_between(seed, 0.0, (double)(MOST - least) + 0.999);
  double A[MOST][MOST], b[MOST], x[MOST], B[MOST][MOST], C[MOST][MOST], c[MOST];
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) A[i][j] = draw_between(seed, -1.0, 1.0) - (i == j ? 0.5 : 0.0);
    b[i] = draw_between(seed, -1.5, 1.5);
    x[i] = draw_between(seed, -1.0, 1.0);
  }
  const double w = draw_between(seed, 0.5, 4.0), p = draw_between(seed, 0.0, 6.28);
  for (size_t k = 0; k < m; k++) {
    for (size_t j = 0; j < n; j++) C[k][j] = draw_between(seed, -0.3, 0.3) + (j == k % n);
    c[k] = draw_between(seed, -0.3, 0.3);
    const double mu = draw_between(seed, 0.2, 1.5);
    for (size_t i = 0; i < n; i++)
      B[i][k] = mu * (friction ? C[k][i] : (i == k) + draw_between(seed, -0.1, 0.1));
  }
  hybrid *const h = hybrid_of("w = %.17g; p = %.17g; to 2", w, p);
  for (size_t i = 0; i < n; i++) {
    hybrid_add(h, "from 0: x%zu = %.17g; x%zu' = %.17g*cos(w*t + p)", i, x[i], i, b[i]);
    hybrid_sum(h, A[i], n, "x");
    for (size_t k = 0; k < m; k++) hybrid_more(h, " - %.17g*[h%zu]", B[i][k], k);
  }
  for (size_t k = 0; k < m; k++) {
    hybrid_add(h, "h%zu: -%.17g", k, c[k]);
    hybrid_sum(h, C[k], n, "x");
  }
  return h;
}

static hybrid_end run(hybrid *h, double tolerance) {
  hybrid_plan plan = {.options = hybrid_options(tolerance), .gives = 1u << HYBRID_GUARD_JACOBIAN};
  plan.options.sliding = ESS_SLIDING_SLIDE;
  return hybrid_run(h, &plan);
}

/* with --rows */
static void rows_of(uint64_t number) {
  uint64_t seed = number;
  seed = draw_bits(&seed);
  hybrid *const h = draw_system(&seed);
  const truth_options options = {.sliding = true};
  const truth_end truth = truth_run(h, &options);
  for (double tolerance = 1e-2; tolerance > 1e-9; tolerance *= 0.01) {
    const hybrid_end end = run(h, tolerance);
    const double error = hybrid_error(h, end.x, truth.x, tolerance);
    population_row("slide", number, tolerance,
                   truth.status                           ? POPULATION_OUT
                   : !end.status && !(error < ERROR_MOST) ? POPULATION_WRONG
                                                          : POPULATION_RIGHT,
                   error);
  }
  hybrid_free(h);
}

int main(int argc, char *argv[]) {
  int status;
  if (population_rows(argc, argv, rows_of, &status)) return status;
  const size_t runs = argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : SEEDS;
  uint64_t seed = 20240601;
  size_t wrong = 0, slid = 0, slides = 0, most = 0, decided = 0;
  double worst[2] = {0.0};
  for (size_t i = 0; i < runs; i++) {
    hybrid *const h = draw_system(&seed);
    const hybrid_end end = run(h, 1e-6), fine = run(h, 1e-9);
    const double error = hybrid_error(h, end.x, fine.x, 1e-6);
    double true_error = 0.0;
    if (i % TRUTHS == 0) {
      const truth_options options = {.sliding = true};
      const truth_end truth = truth_run(h, &options);
      decided += !truth.status;
      if (!truth.status) true_error = hybrid_error(h, fine.x, truth.x, 1e-9);
    }
    if (end.status || fine.status || !(error < ERROR_MOST) || !(true_error < ERROR_MOST)) {
      wrong++;
      printf("system %zu, %zu states, %zu surfaces: %s and %s, %g and %g tolerances off\n", i, h->n,
             h->m, ess_strerror(end.status), ess_strerror(fine.status), error, true_error);
    }
    worst[0] = fmax(worst[0], error);
    worst[1] = fmax(worst[1], true_error);
    slid += end.counters.slides > 0;
    slides += (size_t)end.counters.slides;
    size_t held = 0;
    for (size_t k = 0; k < end.log.count && k < HYBRID_LOG; k++)
      if (end.log.record[k].message == HYBRID_SLIDE) {
        held += (size_t)end.log.record[k].direction;
        if (held > most) most = held;
      }
    hybrid_free(h);
  }
  printf(
      "%zu of %zu slid, %zu slides, %zu surfaces at once; off by %g tolerances at most, from the "
      "truth by %g, which decides %zu; %zu wrong\n",
      slid, runs, slides, most, worst[0], worst[1], decided, wrong);
  return wrong || slid <= runs / 2 || most < (runs < 1000 ? MOST - 1 : MOST) ||
         decided * TRUTHS < runs * 3 / 4;
}
