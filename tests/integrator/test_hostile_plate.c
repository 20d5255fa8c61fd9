/*
 * The plate without tilt: all of its contacts touch down, are released and separate at one instant,
 * with the default method. It moves as a body on one floor does.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>

#include "plate.h"
#include "test.h"
#include "truth.h"

static model prepared(double contacts, double damping) {
  model m;
  char message[MODEL_MESSAGE_SIZE];
  model_init(&m, &plate_type);
  assert_int_equal(model_set(&m, "contacts", contacts, message), 0);
  assert_int_equal(model_set(&m, "damping", damping, message), 0);
  assert_int_equal(model_prepare(&m, message), 0);
  return m;
}

/* Outcome: the body's path, no tilt, and contacts crossed all or none. */
static void check(double contacts, double damping, double tolerance) {
  model m = prepared(contacts, damping);
  const plate_parameters *const q = plate_get(&m);
  // of 1 kg, on all springs at once, whose force is never below zero
  hybrid *const body = hybrid_of("k = %.17g; c = %.17g; from 0: z = %.17g; to 2\n"
                                 "z' = v; v' = -9.81 - on(depth)*on(force)*(k*z + c*v)\n"
                                 "depth: -z; force: -z - c/k*v; silent down depth\n"
                                 "unarmed down depth, both force; row up depth: +down force\n"
                                 "row down depth: +up depth, -up force\n"
                                 "row up force: +down force, -down depth\n"
                                 "row down force: +up force, +down depth\n",
                                 q->stiffness * contacts / q->mass, q->damping * contacts / q->mass,
                                 q->height - q->free_length);
  const truth_options exactly = {.margin = -1.0};
  const truth_end exact = truth_run(body, &exactly);
  assert_int_equal(exact.status, TRUTH_SUCCESS);
  double t = 0.0, x[6] = {0.0, q->height};
  const ess_options options = hybrid_options(tolerance);
  ess_driver *const d = ess_driver_alloc(&m.system, &options, NULL);
  const int status = ess_driver_apply(d, &t, 2.0, x);
  const double off = fmax(fabs(x[1] - q->free_length - exact.x[0]), fabs(x[4] - exact.x[1]));
  const double aside = fmax(fmax(fabs(x[0]), fabs(x[2])), fmax(fabs(x[3]), fabs(x[5])));
  const ess_counters *const done = ess_driver_counters(d);
  if (status || off > 30.0 * tolerance || aside > 30.0 * tolerance)
    print_error("%g contacts, c %g, at %g: %s, off by %g, aside by %g\n", contacts, damping,
                tolerance, ess_strerror(status), off, aside);
  assert_int_equal(status, ESS_SUCCESS);
  assert_true(off <= 30.0 * tolerance && aside <= 30.0 * tolerance);
  assert_int_equal(done->crossings % q->contacts, 0);
  assert_int_equal(done->silent % q->contacts, 0);
  ess_driver_free(d);
  hybrid_free(body);
  model_release(&m);
}

TEST(no_tilt) {
  const double contacts[] = {1.0, 2.0, 100.0};
  for (size_t i = 0; i < 3; i++)
    for (double tolerance = 1e-2; tolerance > 1e-10; tolerance *= 0.1) {
      check(contacts[i], 0.0, tolerance);
      check(contacts[i], 60.0, tolerance);
    }
}
