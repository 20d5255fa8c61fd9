/*
 * Which events are of one instant, and whether time passes between instants.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>

#include "core.h"
#include "events.h"
#include "impacts.h"

/* times that are closer than this are not told apart by the location of crossings */
static double resolved_time(const ess_driver *d) {
  return ESS_ROUNDING * fabs(d->t) + ESS_LOCATED * d->dt;
}

double ess_tie(const ess_driver *d) {
  if (d->options.tie > 0.0) return d->options.tie;
  const double resolved = resolved_time(d);
  // a tolerance is a root mean square: the state moves by one in this time
  const double moves = ess_scaled_norm(d, d->f, d->x, d->x);
  const double shortly = moves > 0.0 ? ess_smaller(1.0 / moves, 1e-3 * d->dt) : 0.0;
  return ess_larger(shortly, resolved);
}

/* true if event function k, with this value and rate, reaches its armed guard within the time */
static bool is_due(const ess_driver *d, size_t k, double h, double rate_of_h, double within) {
  const double g = d->side[k] * h, rate = d->side[k] * rate_of_h;
  return ess_is_armed(d, k) && rate > 0.0 && g + within * rate >= 0.0;
}

/* the time in which event function i reaches its armed guard, by its value and rate at the node */
static double time_to(const ess_driver *d, size_t i) {
  return -d->h[i] / d->rate[i];
}

int ess_keep_unordered(ess_driver *d, size_t k, size_t events[], size_t *count) {
  const double resolved = resolved_time(d);
  bool sure = true;
  for (size_t j = 0; j < *count; j++) sure = sure && !(time_to(d, events[j]) > resolved);
  if (sure || d->options.tie > 0.0 || !(d->side[k] * d->rate[k] > 0.0)) return ESS_SUCCESS;
  double *const later = d->some_h; // by event: by how much later than k it may come
  for (int way = 0; way < 2; way++) {
    const int status = ess_rates_astray(d, way);
    if (status) return status;
    for (size_t j = 0; j < *count; j++) {
      const size_t i = events[j];
      const double by = fabs(d->rate_try[i] / d->rate[i] - d->rate_try[k] / d->rate[k]);
      later[j] = way ? ess_larger(by, later[j]) : by;
    }
  }
  size_t kept = 0;
  for (size_t j = 0; j < *count; j++) {
    const size_t i = events[j];
    const bool ordered = i != k && time_to(d, i) > ess_larger(later[j], resolved);
    if (!ordered) events[kept++] = i;
  }
  *count = kept;
  return ESS_SUCCESS;
}

int ess_due_impact(ess_driver *d, size_t k, size_t *impact) {
  *impact = d->impacts && ess_is_impact(d, k) ? k : SIZE_MAX;
  if (!d->impacts || *impact == k) return ESS_SUCCESS;
  const double tie = ess_tie(d);
  for (size_t i = 0; i < d->system.event_count; i++) {
    if (!ess_is_impact(d, i) || !is_due(d, i, d->h[i], d->rate[i], tie)) continue;
    size_t event = i, count = 1;
    const int status = ess_keep_unordered(d, k, &event, &count);
    if (status || count) *impact = i;
    if (status || count) return status;
  }
  return ESS_SUCCESS;
}

size_t ess_gather_events(const ess_driver *d, size_t k, const double h[], const double rate[],
                         size_t events[]) {
  const double tie = ess_tie(d);
  size_t count = 0;
  for (size_t i = 0; i < d->system.event_count; i++)
    if (i == k || (is_due(d, i, h[i], rate[i], tie) && !ess_is_silent(d, i))) events[count++] = i;
  return count;
}

void ess_list_armed(const ess_driver *d, bool armed[]) {
  for (size_t k = 0; k < d->system.event_count; k++) {
    armed[ESS_GUARD_UP(k)] = ess_is_armed(d, k) && d->sign[k] < 0.0;
    armed[ESS_GUARD_DOWN(k)] = ess_is_armed(d, k) && d->sign[k] > 0.0;
  }
}

int ess_check_mode(ess_driver *d, const double mode[], size_t event, const char *reason) {
  for (size_t k = 0; k < d->system.event_count; k++) {
    if (fabs(mode[k]) == 1.0) continue;
    const int status = ess_fail(d, ESS_EIMPACT, event);
    d->failure.reason = reason;
    return status;
  }
  return ESS_SUCCESS;
}

void ess_set_mode(ess_driver *d, const double mode[], const bool armed[]) {
  for (size_t k = 0; k < d->system.event_count; k++) {
    ess_disarm(d, k);
    d->sign[k] = mode[k];
    const size_t ahead = ess_guard_ahead(d, k);
    if (armed[ahead] && ess_has_guard(d, k, mode[k])) ess_arm(d, ahead);
  }
}

void ess_take_sides(ess_driver *d, const double sign[], const double side[]) {
  for (size_t k = 0; k < d->system.event_count; k++) {
    ess_disarm(d, k);
    d->sign[k] = sign[k];
    if (side[k] != 0.0) ess_arm(d, ess_guard_ahead(d, k));
  }
}
