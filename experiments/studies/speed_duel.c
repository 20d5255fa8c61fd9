/*
 * Who is cheapest at which error: libess by its tolerance, or location. Settings are chosen by
 * half of the starts and reported by the other half, so that the one with more settings to choose
 * from does not win by luck.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "speed.h"
#include "statistics.h"

const char *const speed_family_names[SPEED_FAMILIES] = {
    [SPEED_LOCATION] = "location",
    [SPEED_ORDER_1] = "projection, order 1",
    [SPEED_ORDER_2] = "projection, order 2",
    [SPEED_LIBESS] = "libess",
};

static const double targets[SPEED_TARGETS] = {1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8};

/* a tolerance adds little to an epsilon's error when it is this many times the least */
static const double tolerated = 1.1;

/* the values at the starts of one parity; returns how many */
static size_t half_of(const double values[], size_t trials, size_t parity, double half[]) {
  size_t count = 0;
  for (size_t j = parity; j < trials; j += 2) half[count++] = values[j];
  return count;
}

static double sum_of(const double values[], size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) sum += values[i];
  return sum;
}

/* medians of both halves, with room for one half's values in each of half and other. A
 * measure_status: a setting that gave up, or whose numbers are none, has no medians. */
static int summarize_point(const speed_location *l, speed_point *p, double half[], double other[]) {
  const speed_entry *const e = p->entry;
  const size_t trials = l->race.trials;
  double events = NAN;
  size_t count = half_of(e->seconds, trials, 0, half);
  int status = measure_median(half, count, &p->choice_s);
  count = half_of(e->rms, trials, 0, half);
  if (!status) status = measure_median(half, count, &p->choice_rms);
  count = half_of(e->seconds, trials, 1, half);
  if (!status) status = measure_median(half, count, &p->median_s);
  count = half_of(e->rms, trials, 1, half);
  if (!status) status = measure_median(half, count, &p->rms_error);
  if (!status) status = measure_quantile(half, count, 0.9, &p->rms_q90);
  if (!status) status = measure_quantile(half, count, 1.0, &p->rms_worst);
  count = half_of(e->events, trials, 1, half);
  half_of(l->of->events, trials, 1, other);
  if (!status) status = measure_median(half, count, &events);
  p->events_ratio = sum_of(half, count) / sum_of(other, count);
  p->crossing_s = p->median_s / events;
  return status;
}

static void forget(speed_point *p) {
  p->choice_s = p->choice_rms = p->median_s = p->rms_error = p->rms_q90 = p->rms_worst =
      p->events_ratio = p->crossing_s = NAN;
}

/* ---- choice ---------------------------------------------------------------------------------- */

static bool is_of(const speed_point *p, speed_family family, double epsilon) {
  return p->family == family && (isnan(epsilon) || p->entry->settings.epsilon == epsilon);
}

size_t speed_location_cheapest(const speed_location *l, speed_family family, double epsilon,
                               double target) {
  size_t best = SIZE_MAX;
  for (size_t i = 0; i < l->race.count; i++) {
    const speed_point *const p = &l->point[i];
    if (!is_of(p, family, epsilon) || !(p->choice_rms <= target)) continue;
    if (best == SIZE_MAX || p->choice_s < l->point[best].choice_s) best = i;
  }
  return best;
}

size_t speed_location_at(const speed_location *l, speed_family family, double epsilon) {
  double least = INFINITY;
  for (size_t i = 0; i < l->race.count; i++)
    if (is_of(&l->point[i], family, epsilon)) least = fmin(least, l->point[i].choice_rms);
  return speed_location_cheapest(l, family, epsilon, tolerated * least);
}

/* the cheapest of either, and their quotient over the odd starts */
static int judge(const speed_location *l, double target, unsigned long seed, double half[],
                 double other[], speed_duel *duel) {
  const size_t location = speed_location_cheapest(l, SPEED_LOCATION, NAN, target);
  const size_t libess = speed_location_cheapest(l, SPEED_LIBESS, NAN, target);
  *duel = (speed_duel){target, location, libess, {NAN, NAN, NAN}};
  if (location == SIZE_MAX || libess == SIZE_MAX) return MEASURE_SUCCESS;
  const measure_bootstrap options = measure_bootstrap_default(seed);
  const size_t count = half_of(l->point[location].entry->seconds, l->race.trials, 1, half);
  half_of(l->point[libess].entry->seconds, l->race.trials, 1, other);
  return measure_bootstrap_paired_ratio(half, other, count, &options, &duel->location_over_libess);
}

int speed_location_summarize(speed_location *l, unsigned long seed, char *message) {
  const size_t room = l->race.trials / 2 + 1;
  double *const half = calloc(2 * room, sizeof *half);
  int status = half ? MEASURE_SUCCESS : MEASURE_ENOMEM;
  for (size_t i = 0; !status && i < l->race.count; i++) {
    speed_point *const p = &l->point[i];
    if (p->entry->failed || summarize_point(l, p, half, half + room)) forget(p);
  }
  for (size_t i = 0; !status && i < SPEED_TARGETS; i++)
    status = judge(l, targets[i], seed, half, half + room, &l->duel[i]);
  free(half);
  if (status) measure_message(message, "location: %s", measure_strerror(status));
  return status ? -1 : 0;
}
