/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bracketing root finders: a sign change is narrowed down to the resolution asked for, whatever the
 * function does in between. */
#ifndef BRACKET_H
#define BRACKET_H

#include <gsl/gsl_roots.h>

/* f(at); NaN says that it cannot be evaluated. */
typedef double (*bracket_function)(double at, void *params);

/* lo < hi with f(lo) < 0 <= f(hi), and those values. */
typedef struct bracket {
  double lo, hi, f_lo, f_hi;
} bracket;

/* Takes a value inside as the end whose sign it has. */
static inline void bracket_take(bracket *b, double at, double value) {
  if (value < 0.0) {
    b->lo = at;
    b->f_lo = value;
  } else {
    b->hi = at;
    b->f_hi = value;
  }
}

/*
 * Each narrows b until hi - lo <= width, or f(hi) = 0. 0, or -1 when f is NaN. The first is Brent's
 * method by GSL (`solver` of the type gsl_root_fsolver_brent), the second T. R. Chandrupatla's
 * ("A new hybrid quadratic/bisection algorithm for finding the zero of a nonlinear function without
 * using derivatives", Advances in Engineering Software 28 (1997) 145-149).
 */
int bracket_brent(bracket *b, bracket_function f, void *params, double width,
                  gsl_root_fsolver *solver);
int bracket_chandrupatla(bracket *b, bracket_function f, void *params, double width);

#endif
