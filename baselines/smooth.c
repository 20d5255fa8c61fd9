/*
 * The tutorial's smooth method, with this project's contact law: a force without a kink that acts
 * at every height, hence no guards, integrated by libess's dopri5 as one smooth system. The width w
 * of the smoothing is the knob (settings: epsilon).
 *
 * The depth p of a contact is replaced by s(p) = w ln(1 + exp(p/w)), whose slope is the tutorial's
 * hyperbolic tangent, (1 + tanh(p/2w))/2, and the force by
 *   F = k s'(p) s(p + (c/k) dp/dt).
 * Without damping it has the potential k s(p)^2/2: the work done on it by a deep contact is that of
 * the spring to exp(-p/w), so that no energy is made or lost, and the error is of order w^2. With
 * damping, s' stands for the condition p > 0 and s for F > 0.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baselines.h"
#include "contact_events.h"

/* beyond so many widths exp(-p/w) is below the rounding of what it is added to */
static const double tail = 40.0;

typedef struct smooth {
  const model *m;
  model_mechanics mechanics;
  double width;             /* m */
  double *depth, *gradient; /* [contacts], [coordinates*contacts] */
  unsigned char *flags;     /* [2*contacts] for counting crossings */
  ess_driver *driver;
} smooth;

/* F/k of a contact pressed `depth` deep, with F/k = force if it acted */
static double smooth_force(double depth, double force, double width) {
  const double a = depth / width, b = force / width;
  if (a < -tail || b < -tail) return 0.0;
  const double acts = a > tail ? 1.0 : 1.0 / (1.0 + exp(-a));
  return acts * (b > tail ? force : width * log1p(exp(b)));
}

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)t, (void)sign;
  const smooth *const s = params;
  const model_mechanics *const c = &s->mechanics;
  const size_t n = c->coordinates, count = c->contacts;
  const double *const v = x + n, ratio = c->damping / c->stiffness;
  double push[MODEL_DIMENSION_MAX / 2];
  for (size_t j = 0; j < n; j++) push[j] = 0.0;
  s->m->type->penetrations(s->m, x, s->depth, s->gradient);
  for (size_t i = 0; i < count; i++) {
    double rate = 0.0;
    for (size_t j = 0; j < n; j++) rate += s->gradient[j * count + i] * v[j];
    const double force = smooth_force(s->depth[i], s->depth[i] + ratio * rate, s->width);
    for (size_t j = 0; j < n; j++) push[j] += force * s->gradient[j * count + i];
  }
  for (size_t j = 0; j < n; j++) {
    dxdt[j] = v[j];
    dxdt[n + j] = c->free_acceleration[j] - c->inverse_mass[j] * c->stiffness * push[j];
  }
  return 0;
}

static void release(void *instance) {
  smooth *const s = instance;
  if (!s) return;
  ess_driver_free(s->driver);
  free(s->depth);
  free(s->gradient);
  free(s->flags);
  free(s);
}

/* the smooth system and dopri5's tolerances; NULL, or what is wrong with them */
static const char *describe(smooth *s, const solver_settings *settings, ess_system *system,
                            ess_options *options) {
  *system = (ess_system){.dimension = s->m->system.dimension, .field = field, .params = s};
  *options = ess_options_paper();
  options->rtol = settings->rtol;
  options->atol = settings->atol;
  options->h_max = settings->h_max;
  return ess_check(system, options);
}

static smooth *allocate(const model *m, const solver_settings *settings) {
  smooth *const s = calloc(1, sizeof *s);
  if (!s) return NULL;
  *s = (smooth){.m = m, .width = settings->epsilon};
  m->type->mechanics(m, &s->mechanics);
  const size_t contacts = s->mechanics.contacts;
  s->depth = malloc(contacts * sizeof *s->depth);
  s->gradient = malloc(contacts * s->mechanics.coordinates * sizeof *s->gradient);
  s->flags = malloc(2 * contacts);
  if (s->depth && s->gradient && s->flags) return s;
  release(s);
  return NULL;
}

static int prepare(const model *m, const solver_settings *settings, const solver_output *output,
                   void **instance, char message[SOLVER_MESSAGE_SIZE]) {
  (void)output;
  if (!m->type->mechanics) {
    snprintf(message, SOLVER_MESSAGE_SIZE,
             "smooth: %s has no contact force to smooth; hopper and plate have", m->type->name);
    return SOLVER_REFUSED;
  }
  if (!(settings->epsilon > 0.0) || !isfinite(settings->epsilon)) {
    snprintf(message, SOLVER_MESSAGE_SIZE,
             "smooth: epsilon %g is not accepted; it is the width in metres, a finite number > 0",
             settings->epsilon);
    return SOLVER_REFUSED;
  }
  smooth *const s = allocate(m, settings);
  ess_system system;
  ess_options options;
  const char *const wrong = s ? describe(s, settings, &system, &options) : NULL;
  if (s && !wrong) s->driver = ess_driver_alloc(&system, &options, NULL);
  if (s && s->driver) {
    *instance = s;
    return 0;
  }
  release(s);
  snprintf(message, SOLVER_MESSAGE_SIZE, "smooth: %s", wrong ? wrong : "out of memory");
  return wrong ? SOLVER_REFUSED : SOLVER_FAILED;
}

static int run(void *instance, const double x0[], const solver_output *output,
               solver_report *report) {
  smooth *const s = instance;
  double t = output->times[0], x[MODEL_DIMENSION_MAX];
  memcpy(x, x0, s->m->system.dimension * sizeof *x);
  ess_driver_reset(s->driver);
  const int status = ess_driver_sample(s->driver, &t, output->times[output->count - 1], x,
                                       output->times, output->count, output->states);
  const ess_counters *const counted = ess_driver_counters(s->driver);
  *report = (solver_report){.steps = counted->steps,
                            .rejected = counted->rejected,
                            .field_evaluations = counted->field_evaluations};
  if (!status) return 0;
  snprintf(report->message, SOLVER_MESSAGE_SIZE, "smooth: %s at t = %.9g", ess_strerror(status), t);
  return SOLVER_FAILED;
}

static int inspect(void *instance, const solver_output *output, solver_report *report) {
  smooth *const s = instance;
  report->events = contact_events_count(s->m, output, s->flags);
  return 0;
}

const solver_type smooth_solver = {
    .name = "smooth",
    .summary = "a contact force smoothed over a width, without guards",
    .prepare = prepare,
    .run = run,
    .inspect = inspect,
    .release = release,
};
