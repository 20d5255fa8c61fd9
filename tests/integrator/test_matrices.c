/*
 * LIT with W that the field has, and with others: errors over the tolerance on random stiff
 * systems, and what it costs to look whether W may be relied on.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "draws.h"
#include "ess.h"
#include "test.h"

enum { STATES = 5, SYSTEMS = 300, TOLERANCES = 5 };
static const double tolerances[TOLERANCES] = {1e-1, 1e-2, 1e-3, 1e-4, 1e-5};

/* W, for a field with the derivatives J; k is 10 to 100 000 */
typedef enum kind {
  RIGHT,      /* J */
  STIFF,      /* k J */
  ROW_STIFF,  /* one row of it */
  SHIFTED,    /* J - k */
  HALF_STIFF, /* some entries of the diagonal */
  OWN,        /* a diagonal that knows nothing of J */
  KINDS
} kind;

/* x' = J x + a cos(w t) - c x^3 */
typedef struct stiff {
  size_t n;
  double J[STATES][STATES], W[STATES][STATES], a[STATES], w[STATES], c, x0[STATES], time;
  uint64_t solves;
} stiff;

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  const stiff *const s = params;
  for (size_t i = 0; i < s->n; i++) {
    dxdt[i] = s->a[i] * cos(s->w[i] * t) - s->c * x[i] * x[i] * x[i];
    for (size_t j = 0; j < s->n; j++) dxdt[i] += s->J[i][j] * x[j];
  }
  return 0;
}

/* Gauss and Jordan, with pivots */
static int solve(double t, const double x[], const double sign[], double c, double v[],
                 void *params) {
  stiff *const s = params;
  double A[STATES][STATES + 1];
  s->solves++;
  for (size_t i = 0; i < s->n; i++) {
    for (size_t j = 0; j < s->n; j++) A[i][j] = (i == j) - c * s->W[i][j];
    A[i][s->n] = v[i];
  }
  for (size_t k = 0; k < s->n; k++) {
    size_t most = k;
    for (size_t i = k + 1; i < s->n; i++)
      if (fabs(A[i][k]) > fabs(A[most][k])) most = i;
    for (size_t j = 0; j <= s->n; j++) {
      const double moved = A[k][j];
      A[k][j] = A[most][j];
      A[most][j] = moved;
    }
    for (size_t i = 0; i < s->n; i++) {
      const double share = A[i][k] / A[k][k];
      for (size_t j = k; i != k && j <= s->n; j++) A[i][j] -= share * A[k][j];
    }
  }
  for (size_t i = 0; i < s->n; i++) v[i] = A[i][s->n] / A[i][i];
  return 0;
}

/* rates of decay from 0.1 to 500 1/s in random directions, and some that turn */
static stiff draw_system(uint64_t seed, kind is) {
  stiff s = {0};
  uint64_t q = draw_bits(&seed);
  s.n = 1 + (size_t)draw_between(&q, 0, STATES);
  for (size_t k = 0; k < s.n; k++) {
    double u[STATES], size = 0.0;
    for (size_t i = 0; i < s.n; i++) {
      u[i] = draw_between(&q, -1, 1);
      size += u[i] * u[i];
    }
    const double rate = draw_log(&q, 0.1, 500) / size;
    for (size_t i = 0; i < s.n; i++)
      for (size_t j = 0; j < s.n; j++) s.J[i][j] -= rate * u[i] * u[j];
  }
  for (size_t i = 0; i < s.n; i++) {
    for (size_t j = 0; j < i; j++) {
      const double turn = draw(&q) < 0.5 ? draw_log(&q, 0.1, 20) : 0.0;
      s.J[i][j] += turn;
      s.J[j][i] -= turn;
    }
    s.a[i] = draw(&q) < 0.7 ? draw_log(&q, 0.1, 10) : 0.0;
    s.w[i] = draw_log(&q, 0.3, 10);
    s.x0[i] = draw_between(&q, -1, 1);
  }
  s.c = draw(&q) < 0.3 ? draw_log(&q, 0.1, 10) : 0.0;
  s.time = draw_log(&q, 1, 10);
  const double k = draw_log(&q, 10, 1e5);
  for (size_t i = 0; i < s.n; i++)
    for (size_t j = 0; j < s.n; j++) {
      const bool diagonal = i == j, some = draw(&q) < 0.5;
      const bool is_stiff =
          is == STIFF || (is == ROW_STIFF && i == 0) || (is == HALF_STIFF && diagonal && some);
      s.W[i][j] = is_stiff ? k * s.J[i][j] : s.J[i][j];
      if (is == SHIFTED) s.W[i][j] -= diagonal ? k : 0.0;
      if (is == OWN) s.W[i][j] = diagonal ? -draw_log(&q, 0.1, 1e5) : 0.0;
    }
  return s;
}

static ess_counters run(stiff *s, ess_base base, double tolerance, double x[]) {
  const ess_system system = {.dimension = s->n, .field = field, .field_solve = solve, .params = s};
  ess_options options = ess_options_default();
  options.rtol = options.atol = tolerance;
  options.base = base;
  double t = 0.0;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_non_null(d);
  memcpy(x, s->x0, sizeof s->x0);
  s->solves = 0;
  assert_int_equal(ess_driver_apply(d, &t, s->time, x), ESS_SUCCESS);
  const ess_counters counters = *ess_driver_counters(d);
  ess_driver_free(d);
  return counters;
}

/* runs that are off by more than 100 and 1000 tolerances, and evaluations, of which some looked */
typedef struct sums {
  int wrong, very;
  double evaluations, looks, worst;
} sums;

static sums sums_of(kind is) {
  sums all = {0};
  for (uint64_t seed = 0; seed < SYSTEMS; seed++) {
    stiff s = draw_system(seed, is);
    double right[STATES], x[STATES];
    run(&s, ESS_BASE_DOPRI5, 1e-10, right);
    for (size_t k = 0; k < TOLERANCES; k++) {
      const ess_counters c = run(&s, ESS_BASE_LIT, tolerances[k], x);
      double error = 0.0;
      for (size_t i = 0; i < s.n; i++)
        error = fmax(error, fabs(x[i] - right[i]) / (tolerances[k] * (1.0 + fabs(right[i]))));
      all.wrong += !(error <= 100.0);
      all.very += !(error <= 1000.0);
      all.worst = fmax(all.worst, error);
      all.evaluations += (double)c.field_evaluations;
      // the field at the start, and for the first length; each other one has a solution
      all.looks += (double)(c.field_evaluations - s.solves) - 2.0;
    }
  }
  printf(
      "of %d runs %d, %d off by more than 100, 1000 tolerances, %.3g at most; %.0f evaluations\n",
      SYSTEMS * TOLERANCES, all.wrong, all.very, all.worst, all.evaluations);
  return all;
}

/* A look is an evaluation more. */
TEST(the_right_matrix_costs_little_to_trust) {
  const sums all = sums_of(RIGHT);
  printf("%.2f %% of them looked\n", 100.0 * all.looks / all.evaluations);
  assert_int_equal(all.wrong, 0);
  assert_true(all.looks < 0.02 * all.evaluations);
}

TEST(a_matrix_that_is_too_stiff_is_seen) {
  assert_int_equal(sums_of(STIFF).wrong, 0);
}

/* Without looks a third of them are off by more than 100 tolerances. */
TEST(a_matrix_that_is_too_stiff_in_part_is_mostly_seen) {
  for (kind is = ROW_STIFF; is < KINDS; is++) {
    const sums all = sums_of(is);
    assert_true(all.wrong <= SYSTEMS * TOLERANCES / 100);
    assert_true(all.very <= SYSTEMS * TOLERANCES / 250);
  }
}
