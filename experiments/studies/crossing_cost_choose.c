/*
 * The cheapest value of a knob that reaches an error.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>

#include "crossing_cost.h"

/* a smaller epsilon may cost less, as fewer guards are inside their neighbourhoods at once: the
 * search goes on until a value costs so many times the cheapest */
static const double hopeless = 1.5;

/* whether finer values may be cheaper than the best so far */
static bool may_improve(const precision_method *method, const crossing_attempt *best,
                        const crossing_attempt *last) {
  if (isinf(best->seconds)) return true;
  const bool humped = method->knob == PRECISION_EPSILON;
  return humped && last->seconds <= hopeless * best->seconds;
}

static void take(crossing_choice *choice, const crossing_attempt *a) {
  choice->value = a->value;
  choice->rms = a->rms;
  choice->seconds = a->seconds;
  choice->trials = a->trials;
}

/* the choice when no value reaches the target as it must: the most accurate, and why */
static void give_up(crossing_choice *choice, const crossing_attempt *closest, double target,
                    bool too_long) {
  const bool none = isinf(closest->rms), near = closest->rms <= target;
  choice->status = too_long ? PRECISION_TOO_LONG
                   : none   ? PRECISION_FAILED
                   : near   ? closest->status
                            : PRECISION_UNREACHED;
  if (none) return;
  take(choice, closest);
  if (near)
    snprintf(choice->message, sizeof choice->message, "the RMS error is %.2g, but %s", closest->rms,
             closest->status == PRECISION_CROSSINGS
                 ? "crossings are more than 1 % off the reference's"
                 : "a start diverged");
  else
    snprintf(choice->message, sizeof choice->message, "the RMS error is %.2g at best",
             closest->rms);
}

void crossing_choose(const precision_method *method, double target, crossing_try *attempt,
                     void *context, crossing_choice *choice) {
  crossing_attempt best = {.seconds = INFINITY}, closest = {.rms = INFINITY},
                   last = {.value = NAN, .rms = NAN, .seconds = NAN};
  bool too_long = false;
  *choice = (crossing_choice){.method = method, .value = NAN, .rms = NAN, .seconds = NAN};
  for (const double *value = method->values; *value > 0.0; value++) {
    const double expected = precision_expected_time(method, last.value, last.seconds, *value);
    too_long = isfinite(last.seconds) && expected > PRECISION_RUN_MAX;
    if (too_long || !may_improve(method, &best, &last)) break;
    if (attempt(context, method, *value, &last, choice->message) == SOLVER_REFUSED) {
      choice->status = PRECISION_REFUSED;
      return;
    }
    if (last.rms < closest.rms) closest = last;
    if (last.status == PRECISION_OK && last.rms <= target && last.seconds < best.seconds)
      best = last;
  }
  if (isinf(best.seconds)) {
    give_up(choice, &closest, target, too_long);
    return;
  }
  choice->status = PRECISION_OK;
  choice->message[0] = '\0';
  take(choice, &best);
}
