/*
 * The places of a step, by the multiples of three numbers that go well together: no three steps
 * have the same, and any few of them are spread evenly.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "arithmetic.h"
#include "driver_state.h"
#include "looked.h"

/* the plain places, and how far from them one may be; the fractions are powers of the root of
 * x^4 = x + 1 */
static const double PLAIN[ESS_LOOKED] = {0.25, 0.5, 0.75}, ASIDE = 0.05;
static const double FRACTION[ESS_LOOKED] = {0.8191725133961645, 0.6710436067037893,
                                            0.5497004779019703};

/* the error of interpolation, but for its fifth derivative */
static double shape(double middle, double theta) {
  const double both = theta * (1.0 - theta);
  return both * both * fabs(theta - middle);
}

/* its largest, at one of the roots of 5 theta^2 - (3 + 4 middle) theta + 2 middle */
static double largest_shape(double middle) {
  const double sum = 0.1 * (3.0 + 4.0 * middle), apart = sqrt(sum * sum - 0.4 * middle);
  return ess_larger(shape(middle, sum - apart), shape(middle, sum + apart));
}

void ess_choose_looks(ess_driver *d) {
  ess_looked *const p = &d->looked;
  const double number = (double)(d->counters.steps + d->counters.rejected + d->counters.substeps);
  for (int i = 0; i < ESS_LOOKED; i++) {
    const double multiple = FRACTION[i] * (number + 1.0);
    const double theta = PLAIN[i] + ASIDE * (2.0 * (multiple - floor(multiple)) - 1.0);
    const double rest = 1.0 - theta, square = theta * theta, left = rest * rest;
    p->at[i] = theta;
    p->weight[i][0] = left * left;
    p->weight[i][1] = 4.0 * left * rest * theta;
    p->weight[i][2] = 6.0 * left * square;
    p->weight[i][3] = 4.0 * rest * square * theta;
    p->weight[i][4] = square * square;
  }
  const double middle = p->at[ESS_MIDDLE], largest = largest_shape(middle);
  p->middle = 1.0 / p->weight[ESS_MIDDLE][2];
  for (int i = 0; i < ESS_LOOKED; i++)
    p->farthest[i] = i == ESS_MIDDLE ? 0.0 : largest / shape(middle, p->at[i]);
}
