/*
 * Taylor series in time of the nodes of an expression list, and zeros of polynomials. `long
 * double`.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef TAYLOR_H
#define TAYLOR_H

#include <stdbool.h>

#include "expression.h"

enum { SERIES_ORDER = 24, SERIES_TERMS = SERIES_ORDER + 1 };

typedef long double terms[SERIES_TERMS]; /* coefficients of a power series */

/* The series of those nodes that some expressions need, in the time s = direction * (t - t0). */
typedef struct series {
  const expressions *list;
  int room, *order, count;
  int *moving, moving_count;      /* nodes that states depend on, and leaves, but for constants; */
  int *late, late_count;          /* and others of which more than the value is needed */
  terms *of, *pair;               /* pair: the cosine of a sine, the sine of a cosine */
  char *needed;                   /* of each node: 3, 2 or 1, as in series_need */
  bool *is_constant, *is_shifted; /* is_shifted: for the caller, false */
  long double *error; /* of the value by rounding, if that of state i is state_error[i] */
} series;

typedef struct series_inputs {
  long double t;
  int direction; /* +1 or -1 */
  const terms *x, *sign, *parameter;
  const bool *sign_varies, *parameter_varies; /* else only coefficient 0 is read */
  const long double *state_error;
  long double time_error;
} series_inputs;

void series_free(series *s);

/* Chooses the nodes that some expressions of the list need: of count[0] ones each coefficient in
 * its turn, because states depend on them; then of count[1] ones all at once; and of count[2] ones
 * only values. The list may have grown. */
void series_need(series *s, const expressions *list, const int of[], const int count[3]);

/* Coefficient j of all nodes, from lower ones and coefficient j of states. */
void series_term(series *s, const series_inputs *in, int j);
/* Errors alone, of the same values. */
void series_errors(series *s, const series_inputs *in);
/* All coefficients of the others, after those of states. */
void series_late(series *s);

long double polynomial_value(const terms c, long double at);

/* The first zero in (0, 1] at which a polynomial that starts positive becomes negative, or 2 if it
 * has none. The coefficients before `front` count as 0. If that at the front is negative the zero
 * is 0. *least becomes the value of a minimum that subdivision has told from a zero, if that is
 * less; one that is below the noise counts as 0. */
long double polynomial_falls(const terms c, int front, long double noise, long double *least);

#endif
