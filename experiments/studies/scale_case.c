/*
 * A case of scale: the plate with its starts and their references, the distances between crossings,
 * and the points to measure.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scale.h"
#include "solvers.h"
#include "statistics.h"

/* the distances do not depend on these: order 2 is far more accurate than they need */
static const double distance_epsilon = 1e-4, tight_rtol = 1e-10, tight_atol = 1e-12;

/* epsilons to a decade, and how far below and above the distance between crossings they go */
enum { PER_DECADE = 3 };
static const double furthest_below = 1e-3, furthest_above = 1e2;

/* ---- distances between crossings ------------------------------------------------------------- */

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
    if (reserve(c) || s->some_guard_rates(c->x, nowhere, &info->guard, 1, &h, &rate, s->params))
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

static int find_distances(scale_case *c, char *message) {
  crossings found = {.m = &c->m};
  int status = 0;
  for (size_t i = 0; !status && i < c->starts.trials; i++)
    status = watch(&found, c->starts.states + i * c->m.system.dimension);
  if (status) {
    measure_message(message, "the crossings of %zu contacts: %s", c->contacts,
                    ess_strerror(status));
  } else if (!found.count || spread_of(found.distance, found.count, &c->distance) ||
             spread_of(found.interval, found.count, &c->interval)) {
    measure_message(message, "%zu contacts: there are no two crossings", c->contacts);
    status = -1;
  }
  free(found.distance);
  free(found.interval);
  return status ? -1 : 0;
}

/* ---- points ---------------------------------------------------------------------------------- */

/* the epsilons asked for, or those about the distance between crossings; the largest first */
static size_t choose_epsilons(const scale *all, const scale_case *c,
                              double epsilon[ARGUMENTS_EPSILONS_MAX]) {
  const arguments *const given = all->given;
  size_t count = given->epsilon_count;
  memcpy(epsilon, given->epsilons, count * sizeof *epsilon);
  if (count) return count;
  const int top = (int)floor(PER_DECADE * log10(furthest_above * c->distance.median));
  for (int k = top; count < ARGUMENTS_EPSILONS_MAX; k--) {
    const double e = pow(10.0, (double)k / PER_DECADE);
    if (e < furthest_below * c->distance.median) break;
    epsilon[count++] = e;
  }
  return count;
}

int scale_add_points(scale_case *c, const double epsilon[], size_t count) {
  c->epsilons = count;
  c->point = calloc(SCALE_ORDERS * count, sizeof *c->point);
  if (!c->point) return -1;
  for (size_t i = 0; i < SCALE_ORDERS * count; i++) {
    scale_point *const p = &c->point[i];
    p->order = 1 + (int)(i / count);
    p->epsilon = epsilon[i % count];
    p->sample = calloc(SCALE_QUANTITIES * c->starts.trials, sizeof *p->sample);
    if (!p->sample) return -1;
  }
  return 0;
}

/* ---- the case -------------------------------------------------------------------------------- */

static int prepare(scale *all, scale_case *c) {
  const arguments *const given = all->given;
  c->m = given->m;
  c->m.data = NULL;
  if (model_set(&c->m, "contacts", (double)c->contacts, all->message) ||
      model_prepare(&c->m, all->message) ||
      contest_starts_alloc(&c->starts, &c->m, given->trials, true, given->seed, all->message))
    return -1;
  for (size_t i = 0; i < given->trials; i++)
    if (contest_reference(&c->starts, i, all->message)) return -1;
  return find_distances(c, all->message);
}

int scale_case_init(scale *all, size_t index) {
  scale_case *const c = &all->cases[index];
  double epsilon[ARGUMENTS_EPSILONS_MAX];
  *c = (scale_case){.contacts = all->given->contacts.contacts[index]};
  if (prepare(all, c)) return -1;
  if (!scale_add_points(c, epsilon, choose_epsilons(all, c, epsilon))) return 0;
  measure_message(all->message, "out of memory");
  return -1;
}

void scale_case_free(scale_case *c) {
  for (size_t i = 0; c->point && i < SCALE_ORDERS * c->epsilons; i++) free(c->point[i].sample);
  free(c->point);
  contest_starts_free(&c->starts);
  model_release(&c->m);
  *c = (scale_case){0};
}
