/*
 * robot_costs FILE.xml ...: microseconds that a robot's field and event functions take, and where
 * they go, beside a step of MuJoCo's; along the first second of a fall from its own position.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>

#include "robot_cost.h"

enum { STATES = 500, ROUNDS = 20 };

static int show(const char *file) {
  char message[ROBOT_MESSAGE_SIZE];
  robot *r = NULL;
  robot_cost c;
  if (robot_open(file, NULL, NULL, &r, message) != 0) {
    fprintf(stderr, "%s\n", message);
    return 1;
  }
  const size_t n = robot_size(r).dimension;
  double *const states = calloc((STATES + 1) * n, sizeof *states), *const x = states + STATES * n;
  int status = states ? 0 : -1;
  if (status == 0) robot_reset_state(r, x);
  if (status == 0) status = robot_cost_states(r, x, 0.002, STATES, states);
  if (status == 0) status = robot_cost_at(r, states, STATES, ROUNDS, &c);
  if (status == 0)
    printf("%8zu %6.1f %8.2f %10.2f %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f  %s\n",
           robot_size(r).events, c.acting, 1e6 * c.field, 1e6 * c.kinematics, 1e6 * c.inertia,
           1e6 * c.rows, 1e6 * c.forces, 1e6 * c.guards, 1e6 * c.rates, 1e6 * c.step, file);
  else
    fprintf(stderr, "%s: %s\n", file, states ? robot_failure(r) : "out of memory");
  free(states);
  robot_close(r);
  return status == 0 ? 0 : 1;
}

int main(int argc, char **argv) {
  int status = 0;
  if (argc < 2) {
    fprintf(stderr, "usage: robot_costs FILE.xml ...\n");
    return 2;
  }
  printf("%8s %6s %8s %10s %8s %8s %8s %8s %8s %8s\n", "events", "acting", "field", "kinematics",
         "inertia", "rows", "forces", "guards", "rates", "mj_step");
  for (int i = 1; i < argc; ++i) status |= show(argv[i]);
  return status;
}
