/*
 * libess, by one tolerance and by the paper's method, against locating every crossing to round-off
 * on the dense output, over the settings of each.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>

#include "baselines.h"
#include "solvers.h"
#include "speed.h"

enum { TRIALS_MAX = 24 };

const double speed_epsilons[SPEED_EPSILONS] = {1e-1,   3.2e-2, 1e-2, 3.2e-3, 1e-3,
                                               3.2e-4, 1e-4,   1e-5, 1e-6};
static const double tolerances[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
static const double longest_projections[] = {0.0, 7e-3};

#define COUNT(array) (sizeof(array) / sizeof *(array))
enum { PER_FAMILY = COUNT(tolerances) * SPEED_EPSILONS * COUNT(longest_projections) };

/* whether a family's points have an epsilon; else the tolerance is all */
static bool by_epsilon(speed_family family) {
  return family == SPEED_ORDER_1 || family == SPEED_ORDER_2;
}

static solver_settings point_settings(speed_family family, size_t i) {
  solver_settings s = solver_settings_default();
  s.rtol = s.atol = tolerances[i % COUNT(tolerances)];
  i /= COUNT(tolerances);
  if (!by_epsilon(family)) return s;
  s.epsilon = speed_epsilons[i % SPEED_EPSILONS];
  s.projection_max = longest_projections[i / SPEED_EPSILONS];
  s.order = family == SPEED_ORDER_1 ? 1 : 2;
  return s;
}

static int add_point(speed_location *l, speed_family family, size_t i, char *message) {
  const solver_type *const solver = family == SPEED_LOCATION ? &location_solver
                                    : family == SPEED_LIBESS ? &libess_solver
                                                             : &projection_solver;
  const speed_entry entry = {
      .solver = solver, .protocol = "", .settings = point_settings(family, i), .may_fail = true};
  if (speed_add_entry(&l->race, &entry, SPEED_POINTS_MAX, message)) return -1;
  const size_t last = l->race.count - 1;
  l->point[last] = (speed_point){.family = family,
                                 .entry = &l->race.entry[last],
                                 .entries_per_crossing = NAN,
                                 .projected_s = NAN};
  return 0;
}

static int add_points(speed_location *l, char *message) {
  l->point = calloc(SPEED_POINTS_MAX, sizeof *l->point);
  if (!l->point) {
    measure_message(message, "out of memory");
    return -1;
  }
  for (speed_family f = SPEED_LOCATION; f < SPEED_FAMILIES; f++)
    for (size_t i = 0; i < (by_epsilon(f) ? PER_FAMILY : COUNT(tolerances)); i++)
      if (add_point(l, f, i, message)) return -1;
  return 0;
}

void speed_location_free(speed_location *l) {
  speed_free_entries(&l->race);
  free(l->point);
  *l = (speed_location){0};
}

/* what the projection's settings do at the first start, for what they are called */
static int count_first(speed_location *l, char *message) {
  const contest_starts *const starts = &l->of->starts;
  trajectory samples;
  if (trajectory_alloc(&samples, starts->m, message)) return -1;
  const solver_output output = trajectory_output(&samples);
  for (size_t i = 0; i < l->race.count; i++) {
    speed_point *const p = &l->point[i];
    double counts[SPEED_COUNTS];
    if (!by_epsilon(p->family) || p->entry->failed ||
        speed_count_run(starts->m, p->entry->solver, &p->entry->settings, starts->states, &output,
                        counts))
      continue;
    p->entries_per_crossing = counts[SPEED_ENTRIES] / counts[SPEED_CROSSINGS];
    p->projected_s = counts[SPEED_PROJECTED] / counts[SPEED_PROJECTIONS];
  }
  trajectory_free(&samples);
  return 0;
}

/* the same system from some of its starts; a run is long enough to be timed by itself */
static speed_case race_on(const speed_case *c) {
  speed_case race = *c;
  race.trials = c->trials < TRIALS_MAX ? c->trials : TRIALS_MAX;
  race.sample_s = 0.0;
  race.count = race.room = 0;
  race.entry = NULL;
  return race;
}

int speed_time_location(speed_location *l, const speed_case *c, const speed_data *data,
                        char *message) {
  *l = (speed_location){.of = c, .race = race_on(c)};
  if (add_points(l, message) || speed_race(&l->race, "location", data, message) ||
      count_first(l, message))
    return -1;
  return speed_location_summarize(l, data->given->seed, message);
}
