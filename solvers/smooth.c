/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tutorial's smooth method, with this project's contact law: a force without a kink that acts
 * at every height, hence no guards, integrated by libess's dopri5 as one smooth system. The width w
 * of the smoothing is the knob (settings: epsilon).
 *
 * The depth p of a contact is replaced by s(p) = w ln(1 + exp(p/w)), whose slope is the tutorial's
 * hyperbolic tangent, (1 + tanh(p/2w))/2, and the force by
 *   F = k s'(p) s(p + (c/k) dp/dt).
 * Without damping it has the potential k s(p)^2/2: the work done on it by a deep contact is that of
 * the spring to exp(-p/w), so that no energy is made or lost, and the error is of order w^2. With
 * damping, s' stands for the condition p > 0 and s for F > 0. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baselines.h"
#include "contacts.h"

/* beyond so many widths exp(-p/w) is below the rounding of what it is added to */
static const double tail = 40.0;

typedef struct smooth {
  contact_set c;
  double width; /* m */
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
  const contact_set *const c = &s->c;
  const size_t n = c->law.coordinates, count = c->law.contacts;
  const double *const v = x + n, ratio = c->law.damping / c->law.stiffness;
  double push[MODEL_DIMENSION_MAX / 2];
  for (size_t j = 0; j < n; j++) push[j] = 0.0;
  c->m->type->penetrations(c->m, x, c->depth, c->gradient);
  for (size_t i = 0; i < count; i++) {
    double rate = 0.0;
    for (size_t j = 0; j < n; j++) rate += c->gradient[j * count + i] * v[j];
    const double force = smooth_force(c->depth[i], c->depth[i] + ratio * rate, s->width);
    for (size_t j = 0; j < n; j++) push[j] += force * c->gradient[j * count + i];
  }
  for (size_t j = 0; j < n; j++) {
    dxdt[j] = v[j];
    dxdt[n + j] = c->law.free_acceleration[j] - c->law.inverse_mass[j] * c->law.stiffness * push[j];
  }
  return 0;
}

static void release(void *instance) {
  smooth *const s = instance;
  if (!s) return;
  ess_driver_free(s->driver);
  contacts_free(&s->c);
  free(s);
}

static int prepare(const model *m, const solver_settings *settings, const solver_output *output,
                   void **instance, char message[SOLVER_MESSAGE_SIZE]) {
  (void)output;
  if (!m->type->mechanics)
    return SOLVER_REFUSE(
        message, "smooth: %s has no contact force to smooth; hopper and plate have", m->type->name);
  if (!(settings->epsilon > 0.0) || !isfinite(settings->epsilon))
    return SOLVER_REFUSE(
        message,
        "smooth: epsilon %g is not accepted; it is the width in metres, a finite number > 0",
        settings->epsilon);
  smooth *const s = calloc(1, sizeof *s);
  const ess_system system = {.dimension = m->system.dimension, .field = field, .params = s};
  ess_options options = ess_options_paper();
  options.rtol = settings->rtol;
  options.atol = settings->atol;
  options.h_max = settings->h_max;
  const char *const wrong = ess_check(&system, &options);
  if (!wrong && s && contacts_alloc(&s->c, m) == 0) {
    s->width = settings->epsilon;
    s->driver = ess_driver_alloc(&system, &options, NULL);
  }
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
  memcpy(x, x0, s->c.m->system.dimension * sizeof *x);
  ess_driver_reset(s->driver);
  const int status = ess_driver_sample(s->driver, &t, output->times[output->count - 1], x,
                                       output->times, output->count, output->states);
  const ess_counters *const counted = ess_driver_counters(s->driver);
  *report = (solver_report){.steps = counted->steps,
                            .rejected = counted->rejected,
                            .field_evaluations = counted->field_evaluations};
  if (!status) return 0;
  return SOLVER_FAIL(report->message, "smooth: %s at t = %.9g", ess_strerror(status), t);
}

const solver_type smooth_solver = {
    .name = "smooth",
    .summary = "a contact force smoothed over a width, without guards",
    .prepare = prepare,
    .run = run,
    .inspect = contacts_inspect,
    .release = release,
};
