/*
 * Periodic gaits of the spring-loaded inverted pendulum: Newton's method on the map from one apex
 * to the next, at fixed energy. The map's derivative is integrated along, through the jump of the
 * foot and both changes of the field; at a gait it is the multiplier, which says whether it is
 * stable. SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ess.h"
#include "ess_tangents.h"

enum { X, Z, VX, VZ, FOOT, DIMENSION }; /* m and m/s; the foot's place while it stands */
enum { LANDS, LEAVES, APEX, EVENTS };

static const double mass = 80.0, stiffness = 20000.0, leg = 1.0, gravity = 9.81;
static const double angle = 68.0 * 3.14159265358979323846 / 180.0; /* of the leg that lands */
static const double energy = 0.5 * 5.0 * 5.0 + 9.81 * 1.0;         /* of 5 m/s at 1 m, by mass */

static double length(const double x[]) {
  return hypot(x[X] - x[FOOT], x[Z]);
}

/* it stands while the leg is shorter than at rest: while the latched sign of LEAVES is - */
static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)t, (void)params;
  const double l = length(x), push = sign[LEAVES] < 0.0 ? stiffness * (leg / l - 1.0) / mass : 0.0;
  dxdt[X] = x[VX];
  dxdt[Z] = x[VZ];
  dxdt[VX] = push * (x[X] - x[FOOT]);
  dxdt[VZ] = push * x[Z] - gravity;
  dxdt[FOOT] = 0.0;
  return 0;
}

static int event_functions(double t, const double x[], double h[], void *params) {
  (void)t;
  (void)params;
  h[LANDS] = leg * sin(angle) - x[Z];
  h[LEAVES] = length(x) - leg;
  h[APEX] = -x[VZ];
  return 0;
}

static int event_jacobian(double t, const double x[], double Dh[], void *params) {
  (void)t;
  (void)params;
  const double l = length(x);
  memset(Dh, 0, EVENTS * DIMENSION * sizeof *Dh);
  Dh[LANDS * DIMENSION + Z] = -1.0;
  Dh[LEAVES * DIMENSION + X] = (x[X] - x[FOOT]) / l;
  Dh[LEAVES * DIMENSION + FOOT] = -(x[X] - x[FOOT]) / l;
  Dh[LEAVES * DIMENSION + Z] = x[Z] / l;
  Dh[APEX * DIMENSION + VZ] = -1.0;
  return 0;
}

/* one event at a time is awaited, from the side where its function is negative */
static void await(double sign[], bool armed[], int event) {
  memset(armed, 0, 2 * EVENTS * sizeof *armed);
  armed[ESS_GUARD_UP(event)] = true;
  sign[event] = -1.0;
}

static int start(double t, const double x[], double sign[], bool armed[], void *params) {
  (void)t, (void)x, (void)params;
  await(sign, armed, LANDS);
  return 0;
}

/* where the leg lands the foot jumps to its place; then the leg leaves, and then there is an apex
 */
static int impact(ess_impact *i, void *params) {
  (void)params;
  if (i->events[0] == LANDS) i->after[FOOT] = i->after[X] + leg * cos(angle);
  await(i->mode, i->armed, (int)(i->events[0] + 1) % EVENTS);
  return 0;
}

static int stop_at_apex(const ess_crossing_info *info, void *context) {
  (void)context;
  return info->event == APEX;
}

static const ess_impacts impacts = {.map = impact};
static const ess_system slip = {.dimension = DIMENSION,
                                .event_count = EVENTS,
                                .field = field,
                                .event_functions = event_functions,
                                .event_jacobian = event_jacobian,
                                .impacts = &impacts,
                                .start = start};

/* height of the next apex, and its derivative by the height of this one */
static int next_apex(ess_driver *driver, double height, double *next, double *multiplier) {
  const double speed = sqrt(2.0 * (energy - gravity * height));
  const double along[DIMENSION] = {[Z] = 1.0, [VX] = -gravity / speed}; // at the same energy
  double t = 0.0, Dx[DIMENSION];
  double x[DIMENSION] = {[Z] = height, [VX] = speed, [FOOT] = leg * cos(angle)};
  ess_driver_reset(driver);
  int status = ess_driver_follow(driver, 1, along);
  if (!status) status = ess_driver_apply(driver, &t, 2.0, x);
  if (status != ESS_ESTOP) return status ? status : ESS_ELIVENESS; // it fell
  status = ess_driver_section(driver, APEX, NULL, Dx);
  *next = x[Z];
  *multiplier = Dx[Z];
  return status;
}

static int find_gait(ess_driver *driver, double height) {
  double next = height, multiplier = 0.0;
  for (int i = 0; i < 20; i++) {
    const int status = next_apex(driver, height, &next, &multiplier);
    if (status) return status;
    printf("  %.10f m -> %.10f m, derivative %9.6f\n", height, next, multiplier);
    if (fabs(next - height) < 1e-11) break;
    height -= (next - height) / (multiplier - 1.0);
  }
  printf("gait with its apex at %.8f m: multiplier %.6f, %s\n", height, multiplier,
         fabs(multiplier) < 1.0 ? "stable" : "unstable");
  return ESS_SUCCESS;
}

int main(void) {
  ess_options options = ess_options_default();
  options.rtol = options.atol = 1e-13;
  options.observer.crossing = stop_at_apex;
  int status;
  ess_driver *driver = ess_driver_alloc(&slip, &options, &status);
  if (driver) status = find_gait(driver, 0.96);
  if (driver && !status) status = find_gait(driver, 1.3);
  printf("%s\n", ess_strerror(status));
  ess_driver_free(driver);
  return status;
}
