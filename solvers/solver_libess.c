/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libess behind the solver seam, as several solvers: by one tolerance for everything, crossings
 * included, with each of its bases; and by the paper's method, projection inside neighbourhoods of
 * the guards. They differ in the options of the driver alone. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solvers.h"

typedef struct solver_driver {
  const char *name;
  const model *m;
  ess_driver *driver;
  bool counts_itself; /* a system's own matrix says which guards are silent: libess counts the
                         others */
  uint64_t events;
  solver_settings settings; /* who is told of steps and impacts */
  unsigned steps;           /* since that was last */
} solver_driver;

/* counts the crossings that change the field */
static int count_crossing(const ess_crossing_info *info, void *context) {
  solver_driver *const p = context;
  p->events += p->m->type->changes_field(p->m, info->event, info->sign);
  return 0;
}

/* who waits for a run is told once in a while: a look at the clock costs what a short step does */
static int count_step(const ess_step_info *info, void *context) {
  enum { WHILE = 64 };
  solver_driver *const p = context;
  if (++p->steps % WHILE == 0) p->settings.reached(info->t1, p->settings.reached_context);
  return 0;
}

static int tell_impact(const ess_impact *impact, void *context) {
  const solver_driver *const p = context;
  return p->settings.impact(impact, p->settings.impact_context);
}

static int tell_slide(const ess_slide_info *info, void *context) {
  const solver_driver *const p = context;
  return p->settings.slide(info, p->settings.slide_context);
}

/* s/m and share of the output step: by default a guard approached more slowly than half a metre per
 * second has a narrower neighbourhood, so that the error of projections onto such guards, which
 * grows with the square of the time they take, falls with that of epsilon; down to where it is lost
 * in all others */
static const double time_by_epsilon = 2.0, shortest_bound = 1e-3;

static double projection_bound(const solver_settings *settings, double dt) {
  if (settings->projection_max > 0.0) return settings->projection_max;
  return fmin(dt, fmax(time_by_epsilon * settings->epsilon, shortest_bound * dt));
}

ess_options solver_libess_options(bool projects, const solver_settings *settings, double dt) {
  ess_options options = projects ? ess_options_paper() : ess_options_default();
  options.rtol = settings->rtol;
  options.atol = settings->atol;
  options.h_max = settings->h_max;
  if (!projects) return options;
  options.projection.epsilon = settings->epsilon;
  options.projection.duration_max = projection_bound(settings, dt);
  options.projection.order = settings->order;
  return options;
}

static int prepare(const char *name, bool projects, ess_base base, const model *m,
                   const solver_settings *settings, const solver_output *output, void **instance,
                   char message[SOLVER_MESSAGE_SIZE]) {
  ess_options options = solver_libess_options(projects, settings, output->dt);
  options.base = base;
  if (m->type->slides && !projects) options.sliding = ESS_SLIDING_SLIDE;
  const char *const wrong = ess_check(&m->system, &options);
  if (wrong) return SOLVER_REFUSE(message, "%s: %s", name, wrong);
  solver_driver *const p = calloc(1, sizeof *p);
  if (p) {
    const ess_system *const s = &m->system;
    for (size_t j = 0; s->kinds && j < 2 * s->event_count; j++)
      p->counts_itself |= s->kinds[j] == ESS_GUARD_ARMS_ONLY;
    options.observer = (ess_observer){.step = settings->reached ? count_step : NULL,
                                      .crossing = p->counts_itself ? NULL : count_crossing,
                                      .impact = settings->impact ? tell_impact : NULL,
                                      .slide = settings->slide ? tell_slide : NULL,
                                      .context = p};
    p->name = name;
    p->m = m;
    p->settings = *settings;
    p->driver = ess_driver_alloc(&m->system, &options, NULL);
  }
  if (!p || !p->driver) {
    free(p);
    return SOLVER_FAIL(message, "%s: out of memory", name);
  }
  *instance = p;
  return 0;
}

/* the failure with its time and guards, as one line */
static void explain(const solver_driver *p, int status, char message[SOLVER_MESSAGE_SIZE]) {
  const ess_failure *const failure = ess_driver_failure(p->driver);
  const char *reason = NULL;
  if (status == ESS_ECALLBACK && p->m->type->reason)
    reason = p->m->type->reason(failure->callback_code);
  int used = snprintf(message, SOLVER_MESSAGE_SIZE, "%s: %s at t = %.9g", p->name,
                      reason ? reason : ess_strerror(status), failure->time);
  if (failure->event != SIZE_MAX)
    used +=
        snprintf(message + used, SOLVER_MESSAGE_SIZE - (size_t)used, ", guard %zu", failure->event);
  if (failure->other_event != SIZE_MAX)
    snprintf(message + used, SOLVER_MESSAGE_SIZE - (size_t)used, " after guard %zu",
             failure->other_event);
}

static int run(void *instance, const double x0[], const solver_output *output,
               solver_report *report) {
  solver_driver *const p = instance;
  double t = output->times[0], x[MODEL_DIMENSION_MAX];
  memcpy(x, x0, p->m->system.dimension * sizeof *x);
  p->events = 0;
  ess_driver_reset(p->driver);
  const int status = ess_driver_sample(p->driver, &t, output->times[output->count - 1], x,
                                       output->times, output->count, output->states);
  const ess_counters *const counted = ess_driver_counters(p->driver);
  report->events = p->counts_itself ? counted->crossings : p->events;
  report->steps = counted->steps;
  report->rejected = counted->rejected;
  report->entries = counted->entries;
  report->projections = counted->projections;
  report->through = counted->through;
  report->field_evaluations = counted->field_evaluations;
  report->event_evaluations = counted->event_evaluations;
  report->message[0] = '\0';
  report->reason = status ? ess_strerror(status) : NULL;
  report->accumulation = 0.0;
  if (status == ESS_EZENO) {
    const size_t n = p->m->system.dimension;
    report->accumulation = ess_driver_failure(p->driver)->time;
    memcpy(output->states + (output->count - 1) * n, x, n * sizeof *x);
  }
  if (!status) return 0;
  explain(p, status, report->message);
  return SOLVER_FAILED;
}

static void release(void *instance) {
  solver_driver *const p = instance;
  if (!p) return;
  ess_driver_free(p->driver);
  free(p);
}

/* a solver by one tolerance */
#define BY_TOLERANCE(solver, called, base, says)                                                   \
  static int prepare_##solver(const model *m, const solver_settings *settings,                     \
                              const solver_output *output, void **instance,                        \
                              char message[SOLVER_MESSAGE_SIZE]) {                                 \
    return prepare(called, false, base, m, settings, output, instance, message);                   \
  }                                                                                                \
  const solver_type solver##_solver = {.name = called,                                             \
                                       .summary = says,                                            \
                                       .tells_impacts = true,                                      \
                                       .tells_slides = true,                                       \
                                       .prepare = prepare_##solver,                                \
                                       .run = run,                                                 \
                                       .release = release}

BY_TOLERANCE(libess, "libess", ESS_BASE_DOPRI5,
             "libess: one tolerance for everything, crossings included");
BY_TOLERANCE(libess_rkc, "libess-rkc", ESS_BASE_RKC, "libess by its stabilised explicit base");
BY_TOLERANCE(libess_rodas, "libess-rodas", ESS_BASE_RODAS,
             "libess by its implicit base of order 4");
BY_TOLERANCE(libess_ros2, "libess-ros2", ESS_BASE_ROS2,
             "libess by its implicit base of order 2, for models with field_solve");
BY_TOLERANCE(libess_lit, "libess-lit", ESS_BASE_LIT,
             "libess by LIT, one evaluation a step, for models with field_solve");

static int prepare_paper(const model *m, const solver_settings *settings,
                         const solver_output *output, void **instance,
                         char message[SOLVER_MESSAGE_SIZE]) {
  return prepare("projection", true, ESS_BASE_DOPRI5, m, settings, output, instance, message);
}

const solver_type projection_solver = {
    .name = "projection",
    .summary = "libess by the paper's method: dopri5 between guards, projection onto them",
    .tells_impacts = true,
    .prepare = prepare_paper,
    .run = run,
    .release = release,
};
