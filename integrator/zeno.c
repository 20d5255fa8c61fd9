/*
 * Impacts that accumulate (Zeno): found by their distances in time, two by two, since many a system
 * bounces on two guards in turn.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "zeno.h"
#include "driver_state.h"
#include "impact_state.h"
#include "instant.h"
#include "status.h"

/* notes an impact; false where no time has passed since the last */
static bool note(ess_impact_work *w, double t) {
  const double way = t - w->last;
  if (way <= 0.0) return false;
  w->last = t;
  for (int i = ESS_WAYS - 1; i > 0; i--) w->way[i] = w->way[i - 1];
  w->way[0] = way; // not a number the first time
  return true;
}

int ess_watch_zeno(ess_driver *d) {
  ess_impact_work *const w = d->impacts;
  if (!note(w, d->t)) return ESS_SUCCESS;
  const double now = w->way[0] + w->way[1], before = w->way[2] + w->way[3];
  const double ratio = now / before;
  w->shrinking = ratio < 1.0 ? w->shrinking + 1 : 0;
  if (!w->shrinking) return ESS_SUCCESS;
  const double left = now * ratio / (1.0 - ratio);
  const bool is_near = left <= ess_tie(d) || w->shrinking >= d->options.zeno_impacts;
  if (!is_near || d->t + left > d->t_end) return ESS_SUCCESS;
  const int status = ess_fail(d, ESS_EZENO, SIZE_MAX);
  d->failure.time = ess_caller_time(d, d->t + left);
  return status;
}
