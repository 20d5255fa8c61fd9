/*
 * A bound on steps by how fast event functions turn. The field says nothing of that: a clock has no
 * error of its own, and would be stepped over by whole periods of what is read off it. Where a
 * step spans a period no few values show it. So steps grow no faster than models of the event
 * functions, which are right in short steps, foretell that they will still be right: by the share
 * of its range that a model may be off by, which grows with the fifth power of the length, or the
 * fourth. Event functions that are affine along the step are never off.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>

#include "arithmetic.h"
#include "driver_state.h"
#include "grain.h"
#include "lanes.h"
#include "status.h"
#include "turning.h"

/* the share that is believed: a sine has turned by some two fifths. Of a first step, of which
 * nothing is foretold, as much less as makes chance improbable. */
static const double BELIEVED = 0.03, BELIEVED_FIRST = 3e-5;

static const double SAFETY = 0.9, SHRINK_MOST = 0.1, SHRINK_LEAST = 0.7, GROW_MOST = 10.0;

/* kinks are off in steps of any length: no step is shorter for them than this part of the last, or,
 * if it is the first, of what it was */
static const double KINKED = 0.5, FIRST_KINKED = 1e-6;

/* what is off in so many tries, each shorter than the one before, is no turn: rounding, or a rate
 * that is not the derivative. Steps are not bounded for it until a model is believed again. */
enum { TRIES = 16 };

/* So many refusals more than steps, and it is asked whether all is rounding: a model is off by no
 * more than so many roundings of what the event function is made of. Where it changes by less than
 * that models are believed now and then, by chance. */
enum { OFTEN = 8 };
static const double ROUNDINGS = 8.0;

/* an event function at so many times its pace is faster than it was, and not only past its turn */
static const double FASTER = 2.0;

void ess_forget_turning(ess_driver *d) {
  d->turning.longest = INFINITY;
  d->turning.length = d->turning.first = 0.0;
  d->turning.is_seen = false;
  d->turning.tries = d->turning.refused = 0;
}

/* no step is bounded to less */
static double resolved(const ess_driver *d) {
  return 1e3 * DBL_EPSILON * ess_larger(fabs(d->t), DBL_MIN / DBL_EPSILON);
}

void ess_watch_paces(ess_driver *d) {
  ess_turning *const s = &d->turning;
  if (!s->is_seen) return;
  double most = FASTER;
  for (size_t k = 0; k < d->guard_lanes; k += ESS_LANES) {
    const ess_lanes rate = ess_lanes_abs(ess_lanes_load(d->rate + k));
    const ess_lanes pace = ess_lanes_load(s->pace + k);
    const ess_mask faster = (rate > most * pace) & (pace > 0.0);
    if (!ess_mask_any(faster & (ess_lanes_load(d->side + k) != 0.0))) continue;
    for (size_t i = 0; i < ESS_LANES; i++)
      if (faster[i] && d->side[k + i] != 0.0) most = ess_larger(most, rate[i] / pace[i]);
  }
  if (!(most > FASTER)) return;
  s->length /= most;
  s->longest = ess_larger(s->longest / most, resolved(d));
}

/* rates at both ends of the step just tried */
static void note_paces(ess_driver *d) {
  for (size_t k = 0; k < d->guard_lanes; k += ESS_LANES) {
    const ess_lanes first = ess_lanes_abs(ess_lanes_load(d->rate + k));
    const ess_lanes last = ess_lanes_abs(ess_lanes_load(d->rate_end + k));
    ess_lanes_store(d->turning.pace + k, ess_lanes_max(first, last));
  }
}

/* whether what is off is rounding, where that has been so again and again */
static bool is_rounding(ess_driver *d) {
  ess_turning *const s = &d->turning;
  double rounding;
  if (s->refused < 2 * OFTEN || !(s->share > ESS_STILL_TURNING)) return false;
  const int status = ess_rounding_error(d, s->guard, &rounding);
  if (status) ess_no_failure(d); // nobody has asked for these calls
  s->refused = OFTEN;
  return !status && d->inexact[s->guard] <= ROUNDINGS * rounding;
}

bool ess_turns_too_far(ess_driver *d) {
  ess_turning *const s = &d->turning;
  const bool is_first = s->length == 0.0;
  if (is_first && s->first == 0.0) s->first = d->dt;
  const double believed = is_first ? BELIEVED_FIRST : BELIEVED;
  const double factor =
      s->share > ESS_STILL_TURNING ? SAFETY * pow(BELIEVED / s->share, 0.2) : GROW_MOST;
  if (s->share > ESS_STILL_TURNING) s->tries = s->share > believed ? s->tries + 1 : 0;
  s->refused += s->share > believed ? 2 : -(s->refused > 0);
  const bool is_lost = s->tries > TRIES || (s->share > believed && is_rounding(d));
  const double kinked = is_first ? FIRST_KINKED * s->first : KINKED * s->length;
  const double least = ess_larger(kinked, resolved(d));
  if (s->share > believed && d->dt > least && !is_lost) {
    const double shorter =
        is_first ? SHRINK_MOST : ess_larger(SHRINK_MOST, ess_smaller(factor, SHRINK_LEAST));
    s->longest = ess_larger(0.999 * least, shorter * d->dt);
    return true;
  }
  if (factor >= GROW_MOST || is_lost)
    s->longest = is_first ? GROW_MOST * d->dt : ess_larger(s->longest, GROW_MOST * d->dt);
  else
    s->longest = ess_larger(resolved(d), ess_larger(KINKED, factor) * d->dt);
  s->length = d->dt;
  s->is_seen = s->is_seen || s->share > ESS_STILL_TURNING;
  if (s->is_seen) note_paces(d);
  return false;
}
