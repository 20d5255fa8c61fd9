/*
 * Dry friction: a block on a slope that is shaken sticks, slips up, slips down, and creeps down all
 * the same. Where it sticks, its equations point back to "no slip" from both sides: with
 * `sliding` libess goes on along that. Prints where it sticks and where it slips.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>

#include "ess.h"

enum { X, W, DIMENSION }; /* down the slope, as seen from it: m, and its rate, m/s */

static const double gravity = 9.81, angle = 0.1, mu = 0.3;
static const double shaking = 6.0, omega = 6.283185307179586; /* m/s^2, 1/s */

/* friction points against the slip, whichever way that is */
static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)params;
  const double friction = mu * gravity * cos(angle);
  dxdt[X] = x[W];
  dxdt[W] = gravity * sin(angle) - shaking * sin(omega * t) - friction * sign[0];
  return 0;
}

/* the slip: zero where the block may stick */
static int event_functions(double t, const double x[], double h[], void *params) {
  (void)t, (void)params;
  h[0] = x[W];
  return 0;
}

static int event_jacobian(double t, const double x[], double Dh[], void *params) {
  (void)t, (void)x, (void)params;
  Dh[X] = 0.0;
  Dh[W] = 1.0;
  return 0;
}

static int print_slide(const ess_slide_info *info, void *context) {
  (void)context;
  if (info->begins > 0)
    printf("sticks     t = %.9f s, x = %.9f m\n", info->t, info->x[X]);
  else
    printf("slips %-4s t = %.9f s, x = %.9f m\n", info->sign[0] > 0.0 ? "down" : "up", info->t,
           info->x[X]);
  return 0;
}

/* also told where the block goes on to stick; if it does not, it has turned around */
static int print_crossing(const ess_crossing_info *info, void *context) {
  (void)context;
  printf("halts      t = %.9f s, x = %.9f m\n", info->t, info->x[X]);
  return 0;
}

int main(void) {
  const ess_system system = {.dimension = DIMENSION,
                             .event_count = 1,
                             .field = field,
                             .event_functions = event_functions,
                             .event_jacobian = event_jacobian};
  ess_options options = ess_options_default();
  options.sliding = ESS_SLIDING_SLIDE;
  options.observer.slide = print_slide;
  options.observer.crossing = print_crossing;

  int status;
  ess_driver *driver = ess_driver_alloc(&system, &options, &status);
  double t = 0.0, x[DIMENSION] = {0.0, 0.0};
  if (driver) status = ess_driver_apply(driver, &t, 3.0, x);
  printf("%s at t = %.6f s: x = %.9f m, w = %.9f m/s\n", ess_strerror(status), t, x[X], x[W]);
  ess_driver_free(driver);
  return status;
}
