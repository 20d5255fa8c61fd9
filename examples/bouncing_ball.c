/*
 * A ball that falls through air and bounces: at the floor the state jumps. Prints each bounce.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>

#include "ess.h"

enum { Z, V, DIMENSION }; /* height, m, and its rate, m/s */

static const double gravity = 9.81, drag = 0.1, restitution = 0.8; /* m/s^2, 1/m, 1 */

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)t, (void)sign, (void)params;
  dxdt[Z] = x[V];
  dxdt[V] = -gravity - drag * x[V] * fabs(x[V]);
  return 0;
}

static int event_functions(double t, const double x[], double h[], void *params) {
  (void)t, (void)params;
  h[0] = x[Z];
  return 0;
}

/* on entry impact->after is impact->x, and the sign of the height is flipped: below the floor */
static int bounce(ess_impact *impact, void *params) {
  (void)params;
  impact->after[V] = -restitution * impact->x[V];
  impact->mode[0] = 1.0;                   /* above the floor again */
  impact->armed[ESS_GUARD_DOWN(0)] = true; /* which the ball may reach again */
  return 0;
}

static int print_bounce(const ess_impact *impact, void *context) {
  (void)context;
  printf("bounce t = %.6f s, v = %9.6f m/s, then %.6f m/s\n", impact->t, impact->x[V],
         impact->after[V]);
  return 0;
}

int main(void) {
  /* reaching the floor from above is an impact, from below it is none */
  static const ess_guard_kind kinds[] = {ESS_GUARD_CHANGES_FIELD, ESS_GUARD_IMPACT};
  const ess_impacts impacts = {.map = bounce};
  const ess_system ball = {.dimension = DIMENSION,
                           .event_count = 1,
                           .field = field,
                           .event_functions = event_functions,
                           .kinds = kinds,
                           .impacts = &impacts};
  ess_options options = ess_options_default();
  options.observer.impact = print_bounce;

  int status;
  ess_driver *driver = ess_driver_alloc(&ball, &options, &status);
  if (!driver) {
    /* a line that names the argument that is not accepted; NULL where there is no memory */
    const char *const refused = ess_check(&ball, &options);
    fprintf(stderr, "%s\n", refused ? refused : ess_strerror(status));
    return status;
  }
  double t = 0.0, x[DIMENSION] = {1.0, 0.0};
  status = ess_driver_apply(driver, &t, 2.0, x);
  printf("%s at t = %.6f s: z = %.6f m, v = %.6f m/s\n", ess_strerror(status), t, x[Z], x[V]);
  ess_driver_free(driver);
  return status;
}
