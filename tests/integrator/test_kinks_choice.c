/*
 * What steps through crossings cost, of a field that is declared affine in its signs,
 * beside location.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "toy.h"

enum { STATES = 4, MOST = 400, SAMPLES = 101 };

/* a beam that falls, tilted, on a row of damped springs: height, tilt, and their rates */
typedef struct beam {
  size_t contacts;
} beam;

static double place_of(const beam *b, size_t k) {
  return 2.0 * (double)k / (double)(b->contacts - 1) - 1.0;
}

FIELD(beam_field) {
  const beam *const b = params;
  dxdt[0] = x[2];
  dxdt[1] = x[3];
  dxdt[2] = -10.0;
  dxdt[3] = 0.0;
  for (size_t k = 0; k < b->contacts; k++) {
    const double at = place_of(b, k), depth = -x[0] - at * x[1], rate = -x[2] - at * x[3];
    const double weight = (0.5 + 0.5 * sign[k]) / (double)b->contacts;
    const double force = weight * (4000.0 * depth + 4.0 * rate);
    dxdt[2] += force;
    dxdt[3] += 3.0 * at * force;
  }
}

PLANES_EACH(beam, STATES, AS(beam)->contacts, -x[0] - place_of(AS(beam), k) * x[1], 0.0);

typedef struct outcome {
  int status;
  double states[SAMPLES * STATES];
  ess_counters counters;
} outcome;

static outcome run(size_t contacts, bool weights, double tolerance) {
  beam b = {contacts};
  const ess_system system = {.dimension = STATES,
                             .guard_count = contacts,
                             OF_JACOBIAN(beam),
                             .weights = weights,
                             .params = &b};
  const ess_options options = toy_options(tolerance);
  outcome o = {0};
  double times[SAMPLES], t = 0.0, x[STATES] = {0.3, 0.05, 0.0, 0.0};
  for (size_t i = 0; i < SAMPLES; i++) times[i] = 1.5 * (double)i / (SAMPLES - 1);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_non_null(d);
  o.status = ess_driver_sample(d, &t, 1.5, x, times, SAMPLES, o.states);
  o.counters = *ess_driver_counters(d);
  ess_driver_free(d);
  return o;
}

/* what a run costs, in passes over all event functions */
static double cost_of(const outcome *o) {
  const ess_counters *const c = &o->counters;
  return (double)(c->field_evaluations + c->guard_evaluations + 2 * c->some_evaluations);
}

/* Medians at some tolerances near one: where a beam bounces, one alone is luck. */
typedef struct medians {
  double error, cost;
} medians;

static double median_of(double values[], int count) {
  for (int i = 1; i < count; i++)
    for (int k = i; k > 0 && values[k - 1] > values[k]; k--) {
      const double swapped = values[k];
      values[k] = values[k - 1];
      values[k - 1] = swapped;
    }
  return values[count / 2];
}

static medians near(const outcome *truth, size_t contacts, bool weights, double tolerance) {
  enum { NEAR = 9 };
  double error[NEAR], cost[NEAR];
  for (int k = 0; k < NEAR; k++) {
    const outcome o = run(contacts, weights, tolerance * pow(1.05, k - NEAR / 2));
    assert_int_equal(o.status, ESS_SUCCESS);
    error[k] = 0.0;
    for (size_t i = 0; i < SAMPLES * STATES; i++)
      error[k] = fmax(error[k], fabs(o.states[i] - truth->states[i]));
    cost[k] = cost_of(&o);
    // as many as there are, touched for a moment or for long
    if (tolerance < 1e-4) assert_int_equal(o.counters.crossings, truth->counters.crossings);
  }
  return (medians){median_of(error, NEAR), median_of(cost, NEAR)};
}

/* Outcome: the error is no other than by location, and the cost nowhere much more;
 * with many contacts it is less. */
TEST(costs) {
  static const size_t contacts[] = {2, 6, 10, 40, MOST};
  for (size_t n = 0; n < sizeof contacts / sizeof *contacts; n++) {
    const outcome truth = run(contacts[n], false, 1e-12);
    double best = INFINITY;
    for (double tolerance = 1e-1; tolerance > 1e-8; tolerance *= 0.1) {
      const medians without = near(&truth, contacts[n], false, tolerance);
      const medians with = near(&truth, contacts[n], true, tolerance);
      const double most = 30.0 * tolerance + 5.0 * without.error, part = with.cost / without.cost;
      if (!(with.error <= most && part < 1.4))
        fail_msg("%zu contacts at %g: error %g (%g), cost %g", contacts[n], tolerance, with.error,
                 without.error, part);
      best = fmin(best, part);
    }
    if (contacts[n] == MOST) assert_true(best < 0.75);
  }
}
