/*
 * A system of one's own, whose event functions are differentiated numerically: two neurons that
 * inhibit each other, the half-centre that makes limbs swing in turn. While neuron i fires, its
 * synapse is open and holds the other one down; it fires while its voltage v exceeds a threshold
 * that rises with the square of its recovery w, so the guards are parabolas. Prints who fired when,
 * and the rhythm.
 *
 * Neurons after FitzHugh (1961), v' = v - v^3/3 - w + I, w' = (v + a - b w)/tau, without units.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "ess.h"

enum { NEURONS = 2, DIMENSION = 2 * NEURONS };

typedef struct {
  double current, a, b, tau;  /* of a neuron */
  double inhibition, resting; /* of an open synapse: conductance, and the voltage it pulls to */
  double threshold, rise;     /* fires while v > threshold + rise w^2 */
} half_centre;

/* state: v and w of neuron 0, then of neuron 1; sign[i] > 0: neuron i fires */
static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)t;
  const half_centre *p = params;
  for (int i = 0; i < NEURONS; i++) {
    const double v = x[2 * i], w = x[2 * i + 1];
    const double synapse = sign[1 - i] > 0.0 ? p->inhibition * (v - p->resting) : 0.0;
    dxdt[2 * i] = v - v * v * v / 3.0 - w + p->current - synapse;
    dxdt[2 * i + 1] = (v + p->a - p->b * w) / p->tau;
  }
  return 0;
}

static int event_functions(double t, const double x[], double h[], void *params) {
  (void)t;
  const half_centre *p = params;
  for (int i = 0; i < NEURONS; i++)
    h[i] = x[2 * i] - p->threshold - p->rise * x[2 * i + 1] * x[2 * i + 1];
  return 0;
}

/*
 * Dh by central differences of any `guards`. The step balances truncation, step^2, against
 * rounding, DBL_EPSILON / step.
 */
static int event_jacobian(double t, const double x[], double Dh[], void *params) {
  (void)t;
  double moved[DIMENSION], above[NEURONS], below[NEURONS];
  for (int j = 0; j < DIMENSION; j++) moved[j] = x[j];
  for (int j = 0; j < DIMENSION; j++) {
    const double step = cbrt(DBL_EPSILON) * fmax(1.0, fabs(x[j]));
    moved[j] = x[j] + step;
    int code = event_functions(t, moved, above, params);
    moved[j] = x[j] - step;
    if (code == 0) code = event_functions(t, moved, below, params);
    if (code != 0) return code;
    moved[j] = x[j];
    for (int k = 0; k < NEURONS; k++) Dh[k * DIMENSION + j] = (above[k] - below[k]) / (2.0 * step);
  }
  return 0;
}

/* when each neuron last began to fire, and how long its last period was */
typedef struct {
  double onset[NEURONS], period[NEURONS];
} rhythm;

static int print_crossing(const ess_crossing_info *info, void *context) {
  rhythm *r = context;
  const size_t i = info->event;
  if (info->direction > 0) {
    r->period[i] = info->t - r->onset[i];
    r->onset[i] = info->t;
  } else {
    printf("neuron %zu fired from %9.5f to %9.5f\n", i, r->onset[i], info->t);
  }
  return 0;
}

int main(void) {
  half_centre parameters = {.current = 0.5,
                            .a = 0.7,
                            .b = 0.8,
                            .tau = 12.5,
                            .inhibition = 0.3,
                            .resting = -2.0,
                            .threshold = 0.0,
                            .rise = 0.2};
  rhythm r = {0};
  const ess_system system = {.dimension = DIMENSION,
                             .event_count = NEURONS,
                             .field = field,
                             .event_functions = event_functions,
                             .event_jacobian = event_jacobian,
                             .params = &parameters};
  ess_options options = ess_options_default();
  options.observer = (ess_observer){.crossing = print_crossing, .context = &r};

  int status;
  ess_driver *driver = ess_driver_alloc(&system, &options, &status);
  double t = 0.0, x[DIMENSION] = {1.0, 0.0, -1.0, 0.5};
  if (driver) status = ess_driver_apply(driver, &t, 250.0, x);
  printf("%s at t = %g: period %.5f, neuron 1 fires %.5f of it after neuron 0\n",
         ess_strerror(status), t, r.period[0],
         fmod(r.onset[1] - r.onset[0] + r.period[0], r.period[0]) / r.period[0]);
  ess_driver_free(driver);
  return status;
}
