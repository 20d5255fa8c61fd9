/*
 * Events that change nothing: a stone is thrown over a wall. Its top, and when it is level with the
 * top of the wall, are noted; where it comes down, the run ends.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>

#include "ess.h"

enum { Z, V, DIMENSION }; /* height, m, and its rate, m/s */
enum { TOP, WALL, GROUND, EVENTS };

static const double gravity = 9.81, wall = 3.0;

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)t, (void)sign, (void)params;
  dxdt[Z] = x[V];
  dxdt[V] = -gravity;
  return 0;
}

static int values(double t, const double x[], double g[], void *params) {
  (void)t, (void)params;
  g[TOP] = x[V];
  g[WALL] = x[Z] - wall;
  g[GROUND] = x[Z];
  return 0;
}

static int print_event(const ess_crossing_info *info, void *context) {
  static const char *const name[EVENTS] = {"top", "wall", "ground"};
  (void)context;
  printf("%-6s t = %.9f s, z = %.9f m\n", name[info->event], info->t, info->x[Z]);
  return 0;
}

int main(void) {
  const int direction[EVENTS] = {[GROUND] = -1}; // the stone starts from the ground
  const uint64_t stop[EVENTS] = {[GROUND] = 1};  // the first one ends the run
  const ess_system system = {
      .dimension = DIMENSION,
      .field = field,
      .watch = {.count = EVENTS, .values = values, .direction = direction, .stop = stop}};
  ess_options options = ess_options_default();
  options.observer.event = print_event;

  int status;
  ess_driver *driver = ess_driver_alloc(&system, &options, &status);
  double t = 0.0, x[DIMENSION] = {0.0, 10.0};
  if (driver) status = ess_driver_apply(driver, &t, 100.0, x);
  printf("%s at t = %.6f s: v = %.9f m/s\n", ess_strerror(status), t, x[V]);
  ess_driver_free(driver);
  return status == ESS_ESTOP ? 0 : 1;
}
