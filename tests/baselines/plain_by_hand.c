/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plate as anyone would write it who has no use for event functions: one loop over the springs
 * that reads off the state which of them act. What tools/plain-cost counts against plain-euler and
 * plain-dopri5, which call the model's event functions and its field.
 * usage: plain_by_hand ours|hand euler|dopri5 CONTACTS
 * prints the last state; race() is what is counted. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plate.h"
#include "solvers.h"

enum { N = 6, OUTPUTS = 1001 };
static const double dt = 0.002, tolerance = 2.4e-5;

typedef struct by_hand {
  const plate_parameters *q;
  const double *spring_x;
} by_hand;

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)t, (void)sign;
  const by_hand *const b = params;
  const plate_parameters *const q = b->q;
  const double s = sin(x[2]), c = cos(x[2]), a = q->free_length - q->radius - x[1];
  const double along = x[0] * c - a * s, across = x[0] * s + a * c;
  const double p0 = q->radius + across, v0 = s * x[3] - c * x[4] + x[5] * along;
  const double f0 = q->stiffness * p0 + q->damping * v0;
  const double slope = -(q->stiffness * s + q->damping * x[5] * c);
  double force = 0.0, moment = 0.0;
  for (size_t i = 0; i < q->contacts; i++) {
    const double p = p0 - s * b->spring_x[i], f = f0 + slope * b->spring_x[i];
    const double load = p >= 0.0 && f >= 0.0 ? f : 0.0;
    force += load;
    moment += load * b->spring_x[i];
  }
  memcpy(dxdt, x + 3, 3 * sizeof *x);
  dxdt[3] = -s * force / q->mass;
  dxdt[4] = c * force / q->mass - q->gravity;
  dxdt[5] = -(along * force - c * moment) / q->inertia;
  return 0;
}

static int euler(by_hand *b, const double x0[], const solver_output *out) {
  double x[N], dxdt[N];
  memcpy(x, x0, sizeof x);
  memcpy(out->states, x, sizeof x);
  for (size_t k = 1; k < out->count; k++) {
    field(0.0, x, NULL, dxdt, b);
    for (int i = 3; i < N; i++) x[i] += out->dt * dxdt[i];
    for (int i = 0; i < 3; i++) x[i] += out->dt * x[3 + i];
    memcpy(out->states + k * N, x, sizeof x);
  }
  return 0;
}

static int dopri5(ess_driver *driver, const double x0[], const solver_output *out) {
  double t = 0.0, x[N];
  memcpy(x, x0, sizeof x);
  ess_driver_reset(driver);
  return ess_driver_sample(driver, &t, out->times[out->count - 1], x, out->times, out->count,
                           out->states);
}

typedef struct racer {
  const solver_type *solver; /* NULL: by hand */
  void *instance;
  by_hand hand;
  ess_driver *driver; /* by hand: NULL for Euler */
} racer;

/* with a name outside and never inlined, so that callgrind finds it */
int race(racer *r, const double x0[], const solver_output *out);
__attribute__((noinline)) int race(racer *r, const double x0[], const solver_output *out) {
  solver_report report;
  if (r->solver) return r->solver->run(r->instance, x0, out, &report);
  return r->driver ? dopri5(r->driver, x0, out) : euler(&r->hand, x0, out);
}

static int fail(const char *why) {
  fprintf(stderr, "plain_by_hand: %s\n", why);
  return EXIT_FAILURE;
}

int main(int argc, char **argv) {
  static double times[OUTPUTS], states[OUTPUTS * N];
  char message[SOLVER_MESSAGE_SIZE] = "usage: plain_by_hand ours|hand euler|dopri5 CONTACTS";
  if (argc != 4) return fail(message), 2;
  const bool ours = strcmp(argv[1], "ours") == 0, adaptive = strcmp(argv[2], "dopri5") == 0;
  model m;
  model_init(&m, &plate_type);
  if (model_set(&m, "contacts", atof(argv[3]), message) || model_prepare(&m, message))
    return fail(message);

  for (size_t i = 0; i < OUTPUTS; i++) times[i] = (double)i * dt;
  const solver_output out = {times, dt, OUTPUTS, states};
  solver_settings settings = solver_settings_default();
  settings.rtol = settings.atol = tolerance;
  settings.time_step = dt;
  const plate_parameters *const q = plate_get(&m);
  double *const spring_x = calloc(q->contacts, sizeof *spring_x);
  if (!spring_x) return fail("out of memory");
  for (size_t i = 0; i < q->contacts; i++) spring_x[i] = plate_spring_x(q, i);
  racer r = {.solver = ours ? solver_find(adaptive ? "plain-dopri5" : "plain-euler") : NULL,
             .hand = {q, spring_x}};
  if (ours && r.solver->prepare(&m, &settings, &out, &r.instance, message)) return fail(message);
  const ess_system system = {.dimension = N, .field = field, .params = &r.hand};
  ess_options options = ess_options_paper();
  options.rtol = options.atol = tolerance;
  if (!ours && adaptive && !(r.driver = ess_driver_alloc(&system, &options, NULL)))
    return fail("out of memory");

  const double x0[N] = {0.0, q->height, q->tilt, 0.0, 0.0, 0.0};
  if (race(&r, x0, &out)) return fail("the run failed");
  const double *const last = states + (OUTPUTS - 1) * N;
  for (int i = 0; i < N; i++) printf("%.9g%s", last[i], i + 1 < N ? " " : "\n");
  ess_driver_free(r.driver);
  if (ours) r.solver->release(r.instance);
  free(spring_x);
  model_release(&m);
  return EXIT_SUCCESS;
}
