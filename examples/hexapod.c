/*
 * A rigid body on six spring legs that is dropped a little askew, so that its feet touch down one
 * after the other within a few hundredths of a second. Prints every touch-down and lift-off, the
 * order of the touch-downs, and how well energy was kept.
 *
 * The legs stay vertical and slide without friction, so height, roll and pitch do not depend on
 * the body's other motions. Angles are small enough for the inertia to be constant. SI units.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>

#include "ess.h"

enum { LEGS = 6, Q = 3, DIMENSION = 2 * Q };
enum { HEIGHT, ROLL, PITCH, RATES }; /* the state: three coordinates, then their rates */

static const char *const leg_names[LEGS] = {"left front",  "left middle",  "left rear",
                                            "right front", "right middle", "right rear"};
/* hips on the body: forward and to the left of its centre */
static const double forward[LEGS] = {0.25, 0.0, -0.25, 0.25, 0.0, -0.25};
static const double leftward[LEGS] = {0.12, 0.16, 0.12, -0.12, -0.16, -0.12};

static const double inertia[Q] = {8.0, 0.08, 0.25}; /* mass, and moments about roll and pitch */
static const double leg_length = 0.16, stiffness = 1500.0, gravity = 9.81;

/* compression of a leg were it on the ground, and its derivative by height, roll and pitch */
static double compression(const double x[], int leg, double gradient[Q]) {
  const double sr = sin(x[ROLL]), cr = cos(x[ROLL]), sp = sin(x[PITCH]), cp = cos(x[PITCH]);
  gradient[HEIGHT] = -1.0;
  gradient[ROLL] = -leftward[leg] * cp * cr;
  gradient[PITCH] = forward[leg] * cp + leftward[leg] * sp * sr;
  return leg_length - (x[HEIGHT] - forward[leg] * sp + leftward[leg] * cp * sr);
}

/*
 * A leg whose sign is + pushes with stiffness times compression, at its hip. Its weight is 1 then,
 * 0 where the sign is -, and affine in it: the system says so, and libess steps through crossings.
 */
static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)t, (void)params;
  double force[Q] = {-inertia[HEIGHT] * gravity, 0.0, 0.0}, gradient[Q];
  for (int leg = 0; leg < LEGS; leg++) {
    const double weight = 0.5 + 0.5 * sign[leg];
    const double push = weight * stiffness * compression(x, leg, gradient);
    for (int i = 0; i < Q; i++) force[i] -= push * gradient[i];
  }
  for (int i = 0; i < Q; i++) {
    dxdt[i] = x[RATES + i];
    dxdt[RATES + i] = force[i] / inertia[i];
  }
  return 0;
}

static int event_functions(double t, const double x[], double h[], void *params) {
  (void)t;
  (void)params;
  double gradient[Q];
  for (int leg = 0; leg < LEGS; leg++) h[leg] = compression(x, leg, gradient);
  return 0;
}

static int event_jacobian(double t, const double x[], double Dh[], void *params) {
  (void)t;
  (void)params;
  for (int leg = 0; leg < LEGS; leg++) {
    double *row = Dh + leg * DIMENSION;
    compression(x, leg, row);
    for (int i = RATES; i < DIMENSION; i++) row[i] = 0.0;
  }
  return 0;
}

static double energy(const double x[]) {
  double sum = inertia[HEIGHT] * gravity * x[HEIGHT], gradient[Q];
  for (int i = 0; i < Q; i++) sum += 0.5 * inertia[i] * x[RATES + i] * x[RATES + i];
  for (int leg = 0; leg < LEGS; leg++) {
    const double pressed = fmax(0.0, compression(x, leg, gradient));
    sum += 0.5 * stiffness * pressed * pressed;
  }
  return sum;
}

/* the observer's: legs in the order in which they touched down */
typedef struct {
  size_t leg[16], count;
} order;

static int record_crossing(const ess_crossing_info *info, void *context) {
  order *downs = context;
  const char *what = info->direction > 0 ? "touches down" : "lifts off";
  printf("%.6f s  %-12s %-12s ", info->t, leg_names[info->event], what);
  for (int leg = 0; leg < LEGS; leg++) putchar(info->sign[leg] > 0.0 ? '#' : '.');
  putchar('\n');
  if (info->direction > 0 && downs->count < sizeof downs->leg / sizeof *downs->leg)
    downs->leg[downs->count++] = info->event;
  return 0;
}

int main(void) {
  order downs = {.count = 0};
  const ess_system hexapod = {.dimension = DIMENSION,
                              .event_count = LEGS,
                              .field = field,
                              .event_functions = event_functions,
                              .event_jacobian = event_jacobian,
                              .affine_in_signs = true};
  ess_options options = ess_options_default();
  options.observer = (ess_observer){.crossing = record_crossing, .context = &downs};

  int status;
  ess_driver *driver = ess_driver_alloc(&hexapod, &options, &status);
  double t = 0.0, x[DIMENSION] = {[HEIGHT] = 0.25, [ROLL] = 0.05, [PITCH] = 0.08};
  const double before = energy(x);
  if (driver) status = ess_driver_apply(driver, &t, 0.5, x);

  printf("touch-downs:");
  for (size_t i = 0; i < downs.count; i++)
    printf("%s %s", i > 0 ? "," : "", leg_names[downs.leg[i]]);
  printf("\n%s at t = %.6f s: height %.6f m, roll %.6f, pitch %.6f, energy changed by %.1e of it\n",
         ess_strerror(status), t, x[HEIGHT], x[ROLL], x[PITCH], energy(x) / before - 1.0);
  ess_driver_free(driver);
  return status;
}
