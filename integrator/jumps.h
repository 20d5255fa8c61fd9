/*
 * What the crossings made in a sub-step add to event functions.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_JUMPS_H
#define ESS_JUMPS_H

#include <math.h>

#include "driver_state.h"

/* Adds the i-th crossing, at that time, to what its group has made. */
static inline void ess_add_made_at(ess_made *m, const ess_cluster *c, size_t i, double time) {
  const double late = c->late[i];
  m->count += 1.0;
  m->times += time;
  m->late += late;
  m->late_times += late * time;
  m->spread += fabs(late);
}

static inline void ess_add_made(ess_made *m, const ess_cluster *c, size_t i) {
  ess_add_made_at(m, c, i, c->time[i]);
}

/* None of any group. */
static inline void ess_none_made(const ess_cluster *c, ess_made made[]) {
  for (size_t g = 0; g < c->group_count; g++) made[g] = (ess_made){0};
}

/* Crossings made until u, by group: at the sub-step's end all of them, which are summed once for
 * their times as they are. What they add to event function k at u, and to its rate. */
void ess_sum_made(const ess_driver *d, double u, ess_made made[ESS_GROUPS]);
const ess_made *ess_all_made(ess_driver *d);

/* They are elsewhere now. */
static inline void ess_forget_places(ess_cluster *c) {
  c->places.is_laid = c->places.is_summed = false;
}

static inline double ess_shift_by(const ess_group group[], size_t groups, size_t k,
                                  const ess_made made[], double u, double *rate) {
  double shift = 0.0, turn = 0.0;
  for (size_t g = 0; g < groups; g++) {
    const double jump = group[g].rate[k];
    shift += jump * (made[g].count * u - made[g].times);
    turn += jump * made[g].count;
    if (group[g].is_even) continue;
    const double trend = group[g].trend_rate[k];
    shift += trend * (made[g].late * u - made[g].late_times);
    turn += trend * made[g].late;
  }
  *rate = turn;
  return shift;
}

static inline double ess_shift(const ess_driver *d, size_t k, const ess_made made[], double u,
                               double *rate) {
  return ess_shift_by(d->cluster.group, d->cluster.group_count, k, made, u, rate);
}

/* The same for any event function, as sums of rates along groups' jumps and trends: what they add
 * at u, and to its rate there. */
typedef struct ess_terms {
  size_t count;
  const double *rate[2 * ESS_GROUPS];
  double shift[2 * ESS_GROUPS], turn[2 * ESS_GROUPS];
} ess_terms;
void ess_terms_of(const ess_driver *d, const ess_made made[], double u, ess_terms *t);

/* Jumps move no event function by more than this until u, and turn no rate by more. */
void ess_bound_shifts(const ess_driver *d, const ess_made made[], double u, double *shift,
                      double *turn);

#endif
