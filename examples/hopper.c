/*
 * A point mass dropped onto a spring, in three callbacks; prints each crossing of the guard.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>

#include "ess.h"

enum { Z, V, DIMENSION }; /* height, m, and its rate, m/s */

static const double mass = 1.0, stiffness = 800.0, free_length = 1.0, gravity = 9.81;

/* the spring pushes while the latched sign of h is +; never look at the sign of h itself */
static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)t, (void)params;
  const double spring = sign[0] > 0.0 ? stiffness * (free_length - x[Z]) / mass : 0.0;
  dxdt[Z] = x[V];
  dxdt[V] = spring - gravity;
  return 0;
}

/* h: how far the spring is compressed, m */
static int event_functions(double t, const double x[], double h[], void *params) {
  (void)t;
  (void)params;
  h[0] = free_length - x[Z];
  return 0;
}

static int event_jacobian(double t, const double x[], double Dh[], void *params) {
  (void)t;
  (void)x, (void)params;
  Dh[Z] = -1.0;
  Dh[V] = 0.0;
  return 0;
}

static int print_crossing(const ess_crossing_info *info, void *context) {
  (void)context;
  printf("%-10s t = %.6f s, v = %9.6f m/s\n", info->direction > 0 ? "touch-down" : "lift-off",
         info->t, info->x[V]);
  return 0;
}

int main(void) {
  const ess_system hopper = {.dimension = DIMENSION,
                             .event_count = 1,
                             .field = field,
                             .event_functions = event_functions,
                             .event_jacobian = event_jacobian};
  ess_options options = ess_options_default();
  options.observer.crossing = print_crossing;

  int status;
  ess_driver *driver = ess_driver_alloc(&hopper, &options, &status);
  double t = 0.0, x[DIMENSION] = {2.0, 0.0};
  if (driver) status = ess_driver_apply(driver, &t, 2.0, x);
  printf("%s at t = %.6f s: z = %.6f m, v = %.6f m/s\n", ess_strerror(status), t, x[Z], x[V]);
  ess_driver_free(driver);
  return status;
}
