/*
 * A backward run: a point mass dropped onto a spring is followed for 2 s, and then back to the
 * start. An end before t is all that it takes. Prints each crossing.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>

#include "ess.h"

enum { Z, V, DIMENSION }; /* height, m, and its rate, m/s */

static const double stiffness = 800.0, free_length = 1.0, gravity = 9.81; /* of 1 kg */

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)t, (void)params;
  dxdt[Z] = x[V];
  dxdt[V] = (sign[0] > 0.0 ? stiffness * (free_length - x[Z]) : 0.0) - gravity;
  return 0;
}

static int event_functions(double t, const double x[], double h[], void *params) {
  (void)t, (void)params;
  h[0] = free_length - x[Z];
  return 0;
}

static int print_crossing(const ess_crossing_info *info, void *context) {
  (void)context;
  printf("crossing t = %.9f s\n", info->t);
  return 0;
}

int main(void) {
  const ess_system system = {
      .dimension = DIMENSION, .event_count = 1, .field = field, .event_functions = event_functions};
  ess_options options = ess_options_default();
  options.observer.crossing = print_crossing;

  int status;
  ess_driver *driver = ess_driver_alloc(&system, &options, &status);
  double t = 0.0, x[DIMENSION] = {2.0, 0.0};
  const double ends[] = {2.0, 0.0};
  for (int i = 0; i < 2 && driver && !status; i++) {
    status = ess_driver_apply(driver, &t, ends[i], x);
    printf("%s at t = %.6f s: z = %.9f m, v = %.9f m/s\n", ess_strerror(status), t, x[Z], x[V]);
  }
  ess_driver_free(driver);
  return status;
}
