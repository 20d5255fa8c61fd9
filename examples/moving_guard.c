/*
 * An event function of time: a point mass dropped onto a spring that stands on a table, and the
 * table swings up and down. Prints each crossing.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>

#include "ess.h"

enum { Z, V, DIMENSION }; /* height, m, and its rate, m/s */

static const double stiffness = 800.0, free_length = 1.0, gravity = 9.81; /* of 1 kg */
static const double amplitude = 0.05, rate = 12.0;                        /* of the table */

/* how far the spring is compressed, m; less than 0 in flight */
static double compression(double t, const double x[]) {
  return free_length + amplitude * sin(rate * t) - x[Z];
}

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)params;
  dxdt[Z] = x[V];
  dxdt[V] = (sign[0] > 0.0 ? stiffness * compression(t, x) : 0.0) - gravity;
  return 0;
}

static int event_functions(double t, const double x[], double h[], void *params) {
  (void)params;
  h[0] = compression(t, x);
  return 0;
}

/* by the state, and in a last column by time; with ESS_TIME_DIFFERENCED there is no such column,
 * and libess takes differences of event_functions */
static int event_jacobian(double t, const double x[], double Dh[], void *params) {
  (void)x, (void)params;
  Dh[Z] = -1.0;
  Dh[V] = 0.0;
  Dh[DIMENSION] = amplitude * rate * cos(rate * t);
  return 0;
}

static int print_crossing(const ess_crossing_info *info, void *context) {
  (void)context;
  printf("%-10s t = %.9f s, z = %.9f m\n", info->direction > 0 ? "touch-down" : "lift-off", info->t,
         info->x[Z]);
  return 0;
}

int main(void) {
  const ess_system system = {.dimension = DIMENSION,
                             .event_count = 1,
                             .field = field,
                             .event_functions = event_functions,
                             .event_jacobian = event_jacobian,
                             .time_dependence = ESS_TIME_COLUMN};
  ess_options options = ess_options_default();
  options.observer.crossing = print_crossing;

  int status;
  ess_driver *driver = ess_driver_alloc(&system, &options, &status);
  double t = 0.0, x[DIMENSION] = {2.0, 0.0};
  if (driver) status = ess_driver_apply(driver, &t, 1.0, x);
  printf("%s at t = %.6f s: z = %.9f m, v = %.9f m/s\n", ess_strerror(status), t, x[Z], x[V]);
  ess_driver_free(driver);
  return status;
}
