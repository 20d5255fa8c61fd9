/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bracketing root finders: see bracket.h. */
#include "bracket.h"

#include <math.h>
#include <stdbool.h>

enum { MOST_ITERATIONS = 200 };

static bool narrow_enough(const bracket *b, double width) {
  const double middle = 0.5 * (b->lo + b->hi);
  return b->f_hi == 0.0 || b->hi - b->lo <= width || middle <= b->lo || middle >= b->hi;
}

/* f for GSL, which asks again for the ends, and keeps the values to itself */
typedef struct remembering {
  bracket *b;
  bracket_function f;
  void *params;
} remembering;

static double remembered(double at, void *params) {
  const remembering *const r = params;
  if (at == r->b->lo) return r->b->f_lo;
  if (at == r->b->hi) return r->b->f_hi;
  const double value = r->f(at, r->params);
  if (at > r->b->lo && at < r->b->hi) bracket_take(r->b, at, value);
  return value;
}

int bracket_brent(bracket *b, bracket_function f, void *params, double width,
                  gsl_root_fsolver *solver) {
  remembering r = {b, f, params};
  gsl_function function = {.function = remembered, .params = &r};
  if (narrow_enough(b, width)) return 0;
  if (gsl_root_fsolver_set(solver, &function, b->lo, b->hi)) return -1;
  for (int i = 0; i < MOST_ITERATIONS && !narrow_enough(b, width); i++)
    if (gsl_root_fsolver_iterate(solver)) return -1;
  return 0;
}

/* where the inverse quadratic through three points has its root, as a share of the way from the
 * newest point (1) to the end it brackets with (2); a half where that is not to be trusted */
static double inverse_quadratic(double x1, double f1, double x2, double f2, double x3, double f3) {
  const double xi = (x1 - x2) / (x3 - x2), phi = (f1 - f2) / (f3 - f2);
  if (!(phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi)) return 0.5;
  return f1 / (f2 - f1) * f3 / (f2 - f3) + (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (f3 - f2);
}

int bracket_chandrupatla(bracket *b, bracket_function f, void *params, double width) {
  double share = 0.5, x1 = b->hi, f1 = b->f_hi, x2 = b->lo, f2 = b->f_lo;
  for (int i = 0; i < MOST_ITERATIONS && !narrow_enough(b, width); i++) {
    const double at = x1 + share * (x2 - x1), value = f(at, params);
    if (isnan(value)) return -1;
    const bool same = (value < 0.0) == (f1 < 0.0);
    const double x3 = same ? x1 : x2, f3 = same ? f1 : f2;
    if (!same) {
      x2 = x1;
      f2 = f1;
    }
    x1 = at;
    f1 = value;
    bracket_take(b, at, value);
    // at least half the width asked for away from either end
    const double least = fmin(0.5, 0.5 * width / fabs(x2 - x1));
    share = inverse_quadratic(x1, f1, x2, f2, x3, f3);
    share = fmin(fmax(share, least), 1.0 - least);
  }
  return 0;
}
