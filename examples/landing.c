/*
 * A landing planned by its gradient: a plate falls, tilted, onto four shock absorbers. From which
 * speed and spin is it level, and rising at a wanted speed, at a given time? Newton's method has
 * the outcome's derivative from tangents that are followed through every touch-down. A planner that
 * integrates the same variational equation, and forgets that touch-downs come earlier or later with
 * what it varies (the saltation), has a derivative that leads nowhere.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ess.h"
#include "ess_tangents.h"

enum { Z, TILT, VZ, SPIN, STATES, CHOSEN = 2, NAIVE = STATES + CHOSEN * STATES };
enum { ABSORBERS = 4 };

static const double mass = 10.0, inertia = 1.0, gravity = 9.81, stiffness = 2000.0, damping = 40.0;
static const double place[ABSORBERS] = {-0.5, -0.2, 0.2, 0.5};
static const double height = 0.5, tilt = 0.2, duration = 0.3, wanted = 0.8;

/* of an absorber that is pressed the force holds on until it is let go at its end */
static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)t, (void)params;
  dxdt[Z] = x[VZ];
  dxdt[TILT] = x[SPIN];
  dxdt[VZ] = -gravity;
  dxdt[SPIN] = 0.0;
  for (int i = 0; i < ABSORBERS; i++) {
    if (sign[i] < 0.0) continue;
    const double arm = place[i] * cos(x[TILT]);
    const double depth = -x[Z] - place[i] * sin(x[TILT]), rate = -x[VZ] - arm * x[SPIN];
    const double force = stiffness * depth + damping * rate;
    dxdt[VZ] += force / mass;
    dxdt[SPIN] += arm * force / inertia;
  }
  return 0;
}

static int field_jacobian(double t, const double x[], const double sign[], double J[],
                          void *params) {
  (void)t, (void)params;
  memset(J, 0, STATES * STATES * sizeof *J);
  J[Z * STATES + VZ] = J[TILT * STATES + SPIN] = 1.0;
  for (int i = 0; i < ABSORBERS; i++) {
    if (sign[i] < 0.0) continue;
    const double rise = place[i] * sin(x[TILT]), arm = place[i] * cos(x[TILT]);
    const double force = stiffness * (-x[Z] - rise) + damping * (-x[VZ] - arm * x[SPIN]);
    const double by[STATES] = {-stiffness, damping * rise * x[SPIN] - stiffness * arm, -damping,
                               -damping * arm};
    for (int j = 0; j < STATES; j++) {
      J[VZ * STATES + j] += by[j] / mass;
      J[SPIN * STATES + j] += arm * by[j] / inertia;
    }
    J[SPIN * STATES + TILT] -= rise * force / inertia;
  }
  return 0;
}

/* how deep each absorber is pressed, m */
static int event_functions(double t, const double x[], double h[], void *params) {
  (void)t;
  (void)params;
  for (int i = 0; i < ABSORBERS; i++) h[i] = -x[Z] - place[i] * sin(x[TILT]);
  return 0;
}

/* of those that are asked for: which[count], or all */
static int event_rates(double t, const double x[], double vt, const double v[],
                       const size_t which[], size_t count, double h[], double rate[],
                       void *params) {
  (void)t, (void)vt, (void)params;
  for (size_t i = 0; i < count; i++) {
    const double at = place[which ? which[i] : i];
    h[i] = -x[Z] - at * sin(x[TILT]);
    rate[i] = -v[Z] - at * cos(x[TILT]) * v[TILT];
  }
  return 0;
}

/* the naive planner's: the state, and two directions by the variational equation alone */
static int naive_field(double t, const double x[], const double sign[], double dxdt[],
                       void *params) {
  double J[STATES * STATES];
  field(t, x, sign, dxdt, params);
  field_jacobian(t, x, sign, J, params);
  for (int k = 1; k <= CHOSEN; k++)
    for (int i = 0; i < STATES; i++) {
      double sum = 0.0;
      for (int j = 0; j < STATES; j++) sum += J[i * STATES + j] * x[k * STATES + j];
      dxdt[k * STATES + i] = sum;
    }
  return 0;
}

static const ess_system plate = {.dimension = STATES,
                                 .event_count = ABSORBERS,
                                 .field = field,
                                 .field_jacobian = field_jacobian,
                                 .event_functions = event_functions,
                                 .event_rates = event_rates};
static const ess_system naive_plate = {.dimension = NAIVE,
                                       .event_count = ABSORBERS,
                                       .field = naive_field,
                                       .event_functions = event_functions,
                                       .event_rates = event_rates};

/* tilt at the end and speed beyond what is wanted, and their derivatives by what is chosen: speed
 * and spin at the start */
typedef struct landing {
  double outcome[2], derivative[2][CHOSEN];
} landing;

static int land(ess_driver *driver, const double chosen[CHOSEN], landing *out) {
  static const double along[STATES * CHOSEN] = {[VZ * CHOSEN] = 1.0, [SPIN * CHOSEN + 1] = 1.0};
  double t = 0.0, x[STATES] = {height, tilt, chosen[0], chosen[1]};
  ess_driver_reset(driver);
  int status = ess_driver_follow(driver, CHOSEN, along);
  if (!status) status = ess_driver_apply(driver, &t, duration, x);
  if (status) return status;
  const double *const tangent = ess_driver_tangent(driver);
  for (int j = 0; j < CHOSEN; j++) {
    out->derivative[0][j] = tangent[TILT * CHOSEN + j];
    out->derivative[1][j] = tangent[VZ * CHOSEN + j];
  }
  memcpy(out->outcome, (const double[]){x[TILT], x[VZ] - wanted}, sizeof out->outcome);
  return ESS_SUCCESS;
}

static int land_naively(ess_driver *driver, const double chosen[CHOSEN], landing *out) {
  double t = 0.0, x[NAIVE] = {height, tilt, chosen[0], chosen[1]};
  x[STATES + VZ] = x[2 * STATES + SPIN] = 1.0;
  ess_driver_reset(driver);
  const int status = ess_driver_apply(driver, &t, duration, x);
  for (int j = 0; j < CHOSEN; j++) {
    out->derivative[0][j] = x[(j + 1) * STATES + TILT];
    out->derivative[1][j] = x[(j + 1) * STATES + VZ];
  }
  memcpy(out->outcome, (const double[]){x[TILT], x[VZ] - wanted}, sizeof out->outcome);
  return status;
}

typedef int (*planner)(ess_driver *driver, const double chosen[CHOSEN], landing *out);

static double miss(const landing *l) {
  return hypot(l->outcome[0], l->outcome[1]);
}

/* a step of Newton's method, halved until it comes nearer: false where none does */
static bool step(planner of, ess_driver *driver, double chosen[CHOSEN], landing *at) {
  double(*const d)[CHOSEN] = at->derivative;
  const double *const r = at->outcome;
  const double determinant = d[0][0] * d[1][1] - d[0][1] * d[1][0];
  const double move[CHOSEN] = {-(d[1][1] * r[0] - d[0][1] * r[1]) / determinant,
                               -(d[0][0] * r[1] - d[1][0] * r[0]) / determinant};
  for (double share = 1.0; share > 1e-6; share *= 0.5) {
    const double to[CHOSEN] = {chosen[0] + share * move[0], chosen[1] + share * move[1]};
    landing there;
    if (of(driver, to, &there) || !(miss(&there) < (1.0 - 0.01 * share) * miss(at))) continue;
    memcpy(chosen, to, sizeof to);
    *at = there;
    return true;
  }
  return false;
}

static int plan(const char *name, planner of, const ess_system *system) {
  ess_options options = ess_options_default();
  options.rtol = options.atol = 1e-11;
  int status;
  ess_driver *driver = ess_driver_alloc(system, &options, &status);
  double chosen[CHOSEN] = {-1.0, 0.0};
  landing at;
  if (driver) status = of(driver, chosen, &at);
  printf("%s\n", name);
  for (int i = 0; !status; i++) {
    printf("  %2d: from %8.5f m/s and %8.5f rad/s to %9.2e rad and %9.2e m/s\n", i, chosen[0],
           chosen[1], at.outcome[0], at.outcome[1]);
    if (miss(&at) < 1e-9 || i == 30) break;
    if (!step(of, driver, chosen, &at)) {
      printf("      no step along it comes nearer\n");
      break;
    }
  }
  ess_driver_free(driver);
  return status;
}

int main(void) {
  int status = plan("with saltation", land, &plate);
  if (!status) status = plan("without", land_naively, &naive_plate);
  printf("%s\n", ess_strerror(status));
  return status;
}
