/*
 * Brief steps, from a crossing to the next: where contacts bounce, a step that is cut soon needs no
 * more than order 3, for half the calls of the field.
 *
 * P. Bogacki, L. F. Shampine, A 3(2) pair of Runge-Kutta formulas, Appl. Math. Lett. 2 (1989)
 * 321-325.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "core.h"

/* step size control: safety factor, and limits of the change in one step */
static const double SAFETY = 0.9, SHRINK_MOST = 0.1, GROW_MOST = 10.0;

/* growth of the length limit of brief steps each time that none is tried: the reason of a rejection
 * need not persist, but an attempt costs half a step */
static const double REGAINED = 1.1;

void ess_brief_reset(ess_driver *d) {
  ess_brief *const b = &d->brief;
  b->is_on = false;
  b->longest = INFINITY;
  b->guard = SIZE_MAX;
  for (size_t i = 0; i < 2 * d->system.guard_count; i++) b->way[i] = INFINITY;
}

void ess_brief_note(ess_driver *d, size_t crossed) {
  ess_brief *const b = &d->brief;
  b->is_on = false;
  if (crossed == SIZE_MAX) return;
  if (b->guard != SIZE_MAX) b->way[b->guard] = d->t - b->since;
  b->guard = crossed;
  b->since = d->t;
}

/* whether steps may be: where they are cut again and again, that is, and would be dopri5's */
static bool may_be_made(const ess_driver *d) {
  const bool is_chosen = ess_is_base_chosen(d) && !d->choice.is_stiff;
  return (is_chosen || d->options.base == ESS_BASE_DOPRI5) && !d->system.weights && !d->tangents;
}

void ess_brief_choose(ess_driver *d, size_t from) {
  ess_brief *const b = &d->brief;
  if (from == SIZE_MAX || !may_be_made(d)) return;
  b->is_on = b->way[from] <= ess_smaller(b->longest, d->dt_next);
  if (!b->is_on && b->way[from] <= d->dt_next) b->longest *= REGAINED;
}

/* Two error estimates; the larger counts. OWN, the embedded one of order 2, vanishes for motions
 * that decay at the rate 1/dt, as between bounces that die away, whatever the error of order 3.
 * OTHER vanishes only at 5.25/dt, where OWN is large. */
static const double OWN[] = {-5.0 / 72, 1.0 / 12, 1.0 / 9, -1.0 / 8};
static const double OTHER[] = {3.0 / 40, -7.0 / 40, 2.0 / 40, 2.0 / 40};

int ess_brief_try(ess_driver *d, double *error) {
  static const double half[] = {0.5}, later[] = {0.0, 0.75}, whole[] = {2.0 / 9, 1.0 / 3, 4.0 / 9};
  double *const rate[] = {d->f, d->stage[1], d->stage[2], d->stage[ESS_STAGES - 1]};
  ess_sum_rates(d->dt, d->x, rate, half, 1, d->lanes, d->x_try);
  int status = ess_field(d, d->t + 0.5 * d->dt, d->x_try, rate[1]);
  if (status) return status;
  ess_sum_rates(d->dt, d->x, rate, later, 2, d->lanes, d->x_try);
  status = ess_field(d, d->t + 0.75 * d->dt, d->x_try, rate[2]);
  if (status) return status;
  ess_sum_rates(d->dt, d->x, rate, whole, 3, d->lanes, d->x_end);
  status = ess_field(d, d->t + d->dt, d->x_end, rate[3]);
  if (status) return status;
  ess_sum_rates(d->dt, NULL, rate, OWN, 4, d->lanes, d->x_try);
  const double own = ess_scaled_norm(d, d->x_try, d->x, d->x_end);
  ess_sum_rates(d->dt, NULL, rate, OTHER, 4, d->lanes, d->x_try);
  *error = ess_larger(own, ess_scaled_norm(d, d->x_try, d->x, d->x_end));
  return ESS_SUCCESS;
}

bool ess_brief_accepts(ess_driver *d, double error) {
  ess_brief *const b = &d->brief;
  // an error that is not a number is no small one
  const double factor = error == 0.0  ? GROW_MOST
                        : error > 0.0 ? SAFETY * cbrt(1.0 / error)
                                      : SHRINK_MOST;
  const double bounded = ess_smaller(GROW_MOST, ess_larger(SHRINK_MOST, factor));
  // a step shortened for another reason says nothing against longer ones
  if (!(factor >= 1.0) || bounded * d->dt > b->longest) b->longest = bounded * d->dt;
  b->is_on = error <= 1.0;
  // what order 3 goes through with next to no error order 5 does, too
  if (factor >= GROW_MOST) d->dt_next = ess_larger(d->dt_next, GROW_MOST * d->dt);
  return b->is_on;
}
