/*
 * Timed jumps: impacts of event functions of time alone. Where a run ends, or a sample lies, at
 * such a time, the last bit must not decide between the state before the jump and the one after it:
 * it is the one after it, and a run that starts there does not make the jump again.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "core.h"
#include "events.h"
#include "impacts.h"

int ess_is_timed(ess_driver *d, size_t k, bool *timed) {
  const size_t n = ess_caller_states(d);
  *timed = false;
  if (!d->caller.moves) return ESS_SUCCESS;
  int status = ess_event_values(d, d->t, d->x, d->some_h);
  const double value = d->some_h[k];
  memcpy(d->x_try, d->x, d->lanes * sizeof *d->x);
  for (size_t i = 0; i < n; i++) {
    const double tolerance = d->atol[i] + d->rtol[i] * fabs(d->x[i]);
    d->x_try[i] += (1.0 + ess_scattered(i)) * (tolerance > 0.0 ? tolerance : sqrt(DBL_EPSILON));
  }
  if (!status) status = ess_event_values(d, d->t, d->x_try, d->some_h);
  *timed = !status && d->some_h[k] == value;
  return status;
}

/* ---- when one is made ------------------------------------------------------------------------ */

/* The node moves to the first time, to the last bit, at which the event function has passed zero,
 * from the node's on or back to the last step's beginning, where there is one before the run ends.
 */
int ess_sharpen_jump(ess_driver *d) {
  if (!d->caller.moves || !ess_locates(d)) return ESS_SUCCESS;
  const size_t n = ess_caller_states(d);
  size_t k = 0;
  bool timed = false;
  for (size_t i = 0; !timed && i < d->flagged.count; i++) {
    k = d->flagged.list[i];
    if (d->flagged.fate[k] != ESS_FATE_ENTERED || !ess_is_impact(d, k)) continue;
    const int status = ess_is_timed(d, k, &timed);
    if (status) return status;
  }
  if (!timed) return ESS_SUCCESS;
  double before = d->piece.t0, after = INFINITY, at = d->t;
  double last = before, last_g = d->side[k] * d->h[k];
  memcpy(d->x_try, d->x, d->lanes * sizeof *d->x);
  // about three looks if the event function is affine in time
  for (int i = 0; i < ESS_PROBES && at > before && at < after; i++) {
    d->x_try[n] = at - d->caller.origin;
    const int status = ess_event_values(d, at, d->x_try, d->some_h);
    if (status) return status;
    const double g = d->side[k] * d->some_h[k];
    *(g < 0.0 ? &before : &after) = at;
    // a secant, but at least to the next number
    const double secant = at - g * (at - last) / (g - last_g);
    double next = g < 0.0 ? ess_larger(secant, nextafter(at, INFINITY))
                          : ess_smaller(secant, nextafter(at, -INFINITY));
    if (!(next > before && next < after)) next = before + 0.5 * (after - before);
    last = at;
    last_g = g;
    at = ess_smaller(next, d->apply.t_end);
  }
  if (!(after < INFINITY) || after == d->t) return ESS_SUCCESS;
  // it is where the last step is at that time
  ess_piece_state(d, after, d->x_try);
  memcpy(d->x, d->x_try, n * sizeof *d->x);
  ess_take_time(d, d->piece.t1 = after);
  d->apply.t_rest = 0.0;
  return ESS_SUCCESS;
}
