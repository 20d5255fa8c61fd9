/*
 * Chatter below the tolerance: where a force that does not vanish at a guard holds the state on it
 * from either side, h'' against h, the state does not slide, but bounces without end, ever more
 * briefly. A guard that is crossed back and forth so often that the run would not come to its end,
 * while its event function stays within what the tolerance lets it err by, is slid on.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "chatter.h"
#include "driver_state.h"
#include "grain.h"
#include "slide_notes.h"
#include "status.h"

/* a guard chatters where so many looks in a row find that at its pace the run would not come to its
 * end */
enum { SURE = 3 };

void ess_watch_returns_of(ess_driver *d, size_t guard) {
  d->returns = (ess_returns){
      .guard = guard, .since = d->t, .steps = d->apply_steps, .crossings = d->apply_crossings};
}

/* Whether steps and crossings are enough until the end, going on like this; or as they come further
 * apart, by the same factor each time: bounces may grow out of what they began as. */
static bool will_end(const ess_driver *d, double span) {
  const ess_returns *const r = &d->returns;
  const double left = d->t_end - d->t, wider = r->span > 0.0 ? span / r->span : 2.0;
  const double times = wider > 1.0 ? log1p(left / span * (wider - 1.0)) / log(wider) : left / span;
  const uint64_t steps = d->options.max_steps - d->apply_steps,
                 crossings = d->options.max_crossings - d->apply_crossings;
  return times * (double)(d->apply_steps - r->steps) <= (double)steps &&
         times * (double)(d->apply_crossings - r->crossings) <= (double)crossings;
}

int ess_refuse_chatter(ess_driver *d) {
  const ess_returns r = d->returns;
  const double span = d->t - r.since, way = span / (double)r.count;
  const bool ends = will_end(d, span);
  double allowed = 0.0;
  ess_watch_returns_of(d, r.guard);
  d->returns.span = span;
  d->returns.endless = ends ? 0 : r.endless + 1;
  if (d->returns.endless < SURE) return ESS_SUCCESS;
  const int status = ess_allowed_error(d, r.guard, &allowed);
  const double height = fabs(d->h[r.guard]) + way * fabs(d->rate[r.guard]);
  if (status || !(height <= allowed)) return status;
  return ess_is_left_to_slides(d, r.guard) ? ESS_SUCCESS : ess_fail_sliding(d, r.guard);
}
