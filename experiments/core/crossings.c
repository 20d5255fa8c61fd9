/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "crossings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ess.h"
#include "solvers.h"
#include "statistics.h"

/* ---- when ------------------------------------------------------------------------------------ */

static int note(const ess_crossing_info *info, void *context) {
  crossings *const all = context;
  crossing *const grown = measure_grow(all->of, &all->room, all->count, sizeof *grown);
  if (!grown) return -1;
  all->of = grown;
  all->of[all->count++] = (crossing){info->event, info->t};
  return 0;
}

/* guard by guard, each in the order of time */
static int by_guard(const void *a, const void *b) {
  const crossing *const x = a, *const y = b;
  return x->guard != y->guard ? (x->guard > y->guard) - (x->guard < y->guard)
                              : (x->t > y->t) - (x->t < y->t);
}

int crossings_of(const contest_starts *start, const solver_settings *with, crossings *all,
                 double *evaluations, char message[SOLVER_MESSAGE_SIZE]) {
  const model *const m = start->m;
  double x[MODEL_DIMENSION_MAX], t = 0.0;
  ess_options options = solver_libess_options(false, with, model_get(m, "duration"));
  options.observer = (ess_observer){.crossing = note, .context = all};
  ess_driver *const driver = ess_driver_alloc(&m->system, &options, NULL);
  if (!driver) return measure_fail(message, "out of memory");
  memcpy(x, start->states, m->system.dimension * sizeof *x);
  const int status = ess_driver_apply(driver, &t, model_get(m, "duration"), x);
  *evaluations = (double)ess_driver_counters(driver)->field_evaluations;
  ess_driver_free(driver);
  if (all->count) qsort(all->of, all->count, sizeof *all->of, by_guard);
  return status ? measure_fail(message, "tolerance %g: %s", with->rtol, ess_strerror(status)) : 0;
}

/* ---- how far apart --------------------------------------------------------------------------- */

/* the distances do not depend on these: order 2 is far more accurate than they need */
static const double distance_epsilon = 1e-4, distance_rtol = 1e-10, distance_atol = 1e-12;

/* the crossing before, and all distances and times so far */
typedef struct passed {
  const model *m;
  bool any;
  double t, x[MODEL_DIMENSION_MAX];
  size_t count, room[2];
  double *distance, *interval;
} passed;

/* how far the guard crossed now was from where the one before was crossed */
static int on_crossing(const ess_crossing_info *info, void *context) {
  static const double nowhere[MODEL_DIMENSION_MAX] = {0};
  passed *const c = context;
  const ess_system *const s = &c->m->system;
  if (!c->m->type->changes_field(c->m, info->event, info->sign)) return 0;
  if (c->any) {
    double h, rate;
    double *const distance = measure_grow(c->distance, &c->room[0], c->count, sizeof *distance);
    if (distance) c->distance = distance;
    double *const interval = measure_grow(c->interval, &c->room[1], c->count, sizeof *interval);
    if (interval) c->interval = interval;
    if (!distance || !interval ||
        s->event_rates(info->t, c->x, 0.0, nowhere, &info->event, 1, &h, &rate, s->params))
      return -1;
    c->distance[c->count] = fabs(h);
    c->interval[c->count++] = info->t - c->t;
  }
  c->any = true;
  c->t = info->t;
  memcpy(c->x, info->x, s->dimension * sizeof *c->x);
  return 0;
}

/* all crossings from one start */
static int watch(passed *c, const double x0[]) {
  ess_options with = ess_options_paper();
  with.projection.epsilon = distance_epsilon;
  with.projection.order = 2;
  with.rtol = distance_rtol;
  with.atol = distance_atol;
  with.projection.duration_max = c->m->type->time_step;
  with.observer = (ess_observer){.crossing = on_crossing, .context = c};
  ess_driver *const driver = ess_driver_alloc(&c->m->system, &with, NULL);
  double t = 0.0, x[MODEL_DIMENSION_MAX];
  memcpy(x, x0, c->m->system.dimension * sizeof *x);
  c->any = false;
  const int status =
      driver ? ess_driver_apply(driver, &t, model_get(c->m, "duration"), x) : ESS_ENOMEM;
  ess_driver_free(driver);
  return status;
}

static int quantiles_of(const double values[], size_t count, double out[CROSSING_QUANTILES]) {
  return measure_quantile(values, count, 0.1, &out[0]) ||
         measure_quantile(values, count, 0.5, &out[1]) ||
         measure_quantile(values, count, 0.9, &out[2]);
}

int crossing_distances(const contest_starts *starts, double distance[CROSSING_QUANTILES],
                       double interval[CROSSING_QUANTILES], char message[SOLVER_MESSAGE_SIZE]) {
  const size_t contacts = model_contacts(starts->m);
  passed found = {.m = starts->m};
  int status = 0;
  for (size_t i = 0; !status && i < starts->trials; i++)
    status = watch(&found, starts->states + i * starts->m->system.dimension);
  if (status) {
    measure_message(message, "the crossings of %zu contacts: %s", contacts, ess_strerror(status));
  } else if (!found.count || quantiles_of(found.distance, found.count, distance) ||
             quantiles_of(found.interval, found.count, interval)) {
    measure_message(message, "%zu contacts: there are no two crossings", contacts);
    status = -1;
  }
  free(found.distance);
  free(found.interval);
  return status ? -1 : 0;
}
