/*
 * No Jacobian at all: a puck that slides straight on is pushed aside within a round field. Two
 * callbacks are enough; libess finds the rates of the event function by differences. Prints where
 * the puck enters and leaves.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>

#include "ess.h"

enum { X, Y, U, V, DIMENSION }; /* place, m, and its rate, m/s */

static const double radius = 1.0, push = 0.5; /* m, m/s^2 */

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)t, (void)params;
  dxdt[X] = x[U];
  dxdt[Y] = x[V];
  dxdt[U] = 0.0;
  dxdt[V] = sign[0] > 0.0 ? push : 0.0;
  return 0;
}

/* how far within the field, m */
static int event_functions(double t, const double x[], double h[], void *params) {
  (void)t, (void)params;
  h[0] = radius - hypot(x[X], x[Y]);
  return 0;
}

static int print_crossing(const ess_crossing_info *info, void *context) {
  (void)context;
  printf("%-6s t = %.9f s, x = %.9f m, y = %.9f m\n", info->direction > 0 ? "enters" : "leaves",
         info->t, info->x[X], info->x[Y]);
  return 0;
}

int main(void) {
  const ess_system system = {
      .dimension = DIMENSION, .event_count = 1, .field = field, .event_functions = event_functions};
  ess_options options = ess_options_default();
  options.observer.crossing = print_crossing;

  int status;
  ess_driver *driver = ess_driver_alloc(&system, &options, &status);
  double t = 0.0, x[DIMENSION] = {-3.0, 0.4, 1.0, 0.0};
  if (driver) status = ess_driver_apply(driver, &t, 6.0, x);
  printf("%s at t = %.6f s: x = %.9f m, y = %.9f m\n", ess_strerror(status), t, x[X], x[Y]);
  ess_driver_free(driver);
  return status;
}
