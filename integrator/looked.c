/*
 * The places of a step, by the multiples of two numbers that go well together: no two steps have
 * the same, and those of any few are spread evenly.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "driver_state.h"
#include "looked.h"

/* where a model may be off by its largest, and how far from there is nearly as good; the fractions
 * are powers of the root of x^3 = x + 1 */
static const double FARTHEST[2] = {0.275, 0.725}, ASIDE = 0.055;
static const double FRACTION[2] = {0.7548776662466927, 0.5698402909980532};

void ess_choose_looks(ess_driver *d) {
  ess_looked *const p = &d->looked;
  const double number = (double)(d->counters.steps + d->counters.rejected + 1);
  for (int i = 0; i < 2; i++) {
    const double multiple = FRACTION[i] * number;
    const double theta = FARTHEST[i] + ASIDE * (2.0 * (multiple - floor(multiple)) - 1.0);
    const double rest = 1.0 - theta, square = theta * theta, left = rest * rest;
    p->at[i] = theta;
    p->weight[i][0] = left * left;
    p->weight[i][1] = 4.0 * left * rest * theta;
    p->weight[i][2] = 6.0 * left * square;
    p->weight[i][3] = 4.0 * rest * square * theta;
    p->weight[i][4] = square * square;
  }
}
