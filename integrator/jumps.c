/*
 * What the jumps of a sub-step add to event functions on the way, their shift: by their rates along
 * each group's jump and trend, which groups.c has measured (docs/theory/sub-steps.md).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "driver_state.h"
#include "jumps.h"

void ess_sum_made(const ess_driver *d, double u, ess_made made[ESS_GROUPS]) {
  const ess_cluster *const c = &d->cluster;
  const bool all = u >= c->length;
  for (size_t g = 0; g < c->group_count; g++) {
    ess_made sum = {0};
    for (size_t i = c->group[g].begin; i < c->group[g].end; i++)
      if (!c->is_silent[i] && (all || c->time[i] <= u)) ess_add_made(&sum, c, i);
    made[g] = sum;
  }
}

const ess_made *ess_all_made(ess_driver *d) {
  ess_places *const p = &d->cluster.places;
  if (!p->is_summed) ess_sum_made(d, d->cluster.length, p->all);
  p->is_summed = true;
  return p->all;
}

/* one more, of so much at u, and so much of the rate */
static void add_term(ess_terms *t, const double rate[], double shift, double turn) {
  t->rate[t->count] = rate;
  t->shift[t->count] = shift;
  t->turn[t->count++] = turn;
}

void ess_terms_of(const ess_driver *d, const ess_made made[], double u, ess_terms *t) {
  const ess_cluster *const c = &d->cluster;
  t->count = 0;
  for (size_t g = 0; g < c->group_count; g++) {
    const ess_made *const m = &made[g];
    add_term(t, c->group[g].rate, m->count * u - m->times, m->count);
    if (!c->group[g].is_even)
      add_term(t, c->group[g].trend_rate, m->late * u - m->late_times, m->late);
  }
}

void ess_bound_shifts(const ess_driver *d, const ess_made made[], double u, double *shift,
                      double *turn) {
  const ess_cluster *const c = &d->cluster;
  *shift = *turn = 0.0;
  for (size_t g = 0; g < c->group_count; g++) {
    const ess_group *const group = &c->group[g];
    const ess_made *const m = &made[g];
    *shift += group->rate_most * fabs(m->count * u - m->times);
    *turn += group->rate_most * m->count;
    if (group->is_even) continue;
    // jumps may add up before they cancel
    *shift += group->trend_rate_most * m->spread * u;
    *turn += group->trend_rate_most * m->spread;
  }
}
