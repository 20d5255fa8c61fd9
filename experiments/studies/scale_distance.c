/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distances between crossings of the plate. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scale.h"
#include "statistics.h"

/* the distances do not depend on these: order 2 is far more accurate than they need */
static const double distance_epsilon = 1e-4, tight_rtol = 1e-10, tight_atol = 1e-12;

/* the crossing before, and all distances and times so far */
typedef struct crossings {
  const model *m;
  bool any;
  double t, x[MODEL_DIMENSION_MAX];
  size_t count, room;
  double *distance, *interval;
} crossings;

static int reserve(crossings *c) {
  if (c->count < c->room) return 0;
  const size_t room = c->room ? 2 * c->room : 1024;
  double *const distance = realloc(c->distance, room * sizeof *distance);
  if (distance) c->distance = distance;
  double *const interval = distance ? realloc(c->interval, room * sizeof *interval) : NULL;
  if (!interval) return -1;
  c->interval = interval;
  c->room = room;
  return 0;
}

/* how far the guard crossed now was from where the one before was crossed */
static int on_crossing(const ess_crossing_info *info, void *context) {
  static const double nowhere[MODEL_DIMENSION_MAX] = {0};
  crossings *const c = context;
  const ess_system *const s = &c->m->system;
  if (!c->m->type->changes_field(c->m, info->guard, info->sign)) return 0;
  if (c->any) {
    double h, rate;
    if (reserve(c) ||
        s->some_guard_rates(info->t, c->x, nowhere, &info->guard, 1, &h, &rate, s->params))
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
static int watch(crossings *c, const double x0[]) {
  ess_options options = ess_options_paper();
  options.epsilon = distance_epsilon;
  options.order = 2;
  options.rtol = tight_rtol;
  options.atol = tight_atol;
  options.projection_max = c->m->type->time_step;
  options.observer = (ess_observer){.crossing = on_crossing, .context = c};
  ess_driver *const driver = ess_driver_alloc(&c->m->system, &options, NULL);
  double t = 0.0, x[MODEL_DIMENSION_MAX];
  memcpy(x, x0, c->m->system.dimension * sizeof *x);
  c->any = false;
  const int status =
      driver ? ess_driver_apply(driver, &t, model_get(c->m, "duration"), x) : ESS_ENOMEM;
  ess_driver_free(driver);
  return status;
}

static int spread_of(const double values[], size_t count, scale_spread *out) {
  return measure_quantile(values, count, 0.1, &out->low) ||
         measure_quantile(values, count, 0.5, &out->median) ||
         measure_quantile(values, count, 0.9, &out->high);
}

int scale_distances(const contest_starts *starts, size_t contacts, scale_spread *distance,
                    scale_spread *interval, char *message) {
  crossings found = {.m = starts->m};
  int status = 0;
  for (size_t i = 0; !status && i < starts->trials; i++)
    status = watch(&found, starts->states + i * starts->m->system.dimension);
  if (status) {
    measure_message(message, "the crossings of %zu contacts: %s", contacts, ess_strerror(status));
  } else if (!found.count || spread_of(found.distance, found.count, distance) ||
             spread_of(found.interval, found.count, interval)) {
    measure_message(message, "%zu contacts: there are no two crossings", contacts);
    status = -1;
  }
  free(found.distance);
  free(found.interval);
  return status ? -1 : 0;
}
