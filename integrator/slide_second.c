/*
 * Surfaces of second order: the field's jump changes no rate of their event functions, but what
 * changes that rate, as forces of contacts do. Where that points back from either side, the state
 * does not slide at once: it bounces, ever less and ever faster.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "callbacks.h"
#include "dopri5.h"
#include "driver_state.h"
#include "events.h"
#include "slides.h"

/* a rate that a surface's jump changes by this part of it, or less, does not jump */
static const double SAME_RATE = 1e-6;

/* after so many returns in a row, and twice as many, and so on, it is looked whether what they are
 * away from the surface is less than the tolerance */
enum { LOOK_AFTER = 8 };

/* Event function k is crossed back and forth: whether its rate does not jump, but what changes that
 * points back from either side. *by how much the state moves where its rate is taken away, in parts
 * of the tolerance. */
static int look_at_bounces(ess_driver *d, size_t k, bool *back, double *by) {
  ess_slides *const s = d->slides;
  memcpy(s->sign, d->sign, d->system.guard_count * sizeof *s->sign);
  *back = false;
  s->adds = true;
  s->second[k] = false;
  int status = ess_slide_look(d, d->t, d->x, &k, 1);
  const bool jumps = fabs(s->g[0]) > SAME_RATE * fabs(d->rate[k]);
  s->second[k] = true;
  if (!status && !jumps) status = ess_slide_look(d, d->t, d->x, &k, 1);
  s->second[k] = false;
  const int restored = ess_slide_restore_signs(d);
  if (!status) status = restored;
  if (status || jumps) return status;
  *back = s->a[0] > 0.0 && s->a[0] + s->g[0] < 0.0;
  *by = fabs(d->rate[k] / s->g[0]) * ess_scaled_norm(d, s->jump, d->x, d->x);
  return ESS_SUCCESS;
}

/* whether it is time to look at one that is returned to */
static bool is_time_to_look(const ess_driver *d) {
  const uint64_t count = d->returns.count;
  return count >= LOOK_AFTER && !(count & (count - 1)) && !d->tangents;
}

int ess_slide_find_chatter(ess_driver *d, bool *is_endless) {
  ess_slides *const s = d->slides;
  *is_endless = s->chatters != SIZE_MAX;
  size_t k = s->chatters;
  s->chatters = SIZE_MAX;
  if (!*is_endless && s->noted_count && is_time_to_look(d)) k = d->returns.guard;
  if (k == SIZE_MAX || !s->may[k] || !ess_is_armed(d, k)) return ESS_SUCCESS;
  bool back;
  double by;
  const bool added = s->adds;
  const int status = look_at_bounces(d, k, &back, &by);
  s->adds = added;
  s->second[k] = !status && back && (*is_endless || by <= 1.0);
  if (s->second[k]) s->chatters = k;
  if (status || s->second[k] || !*is_endless) return status;
  return ess_fail(d, ESS_ESLIDING, k);
}
