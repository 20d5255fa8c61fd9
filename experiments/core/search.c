/*
 * What a setting is worth on some starts, and whether it is accepted.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "search.h"

#include <math.h>
#include <stdint.h>

#include "statistics.h"

static const double margin = 0.9, events_off_max = 0.005;

search_limits search_limits_against(const search_candidate *rival) {
  return (search_limits){.rms = margin * rival->rms,
                         .rms_q90 = rival->rms_q90,
                         .rms_worst = rival->rms_worst,
                         .events_off = events_off_max};
}

/* ---- choice ---------------------------------------------------------------------------------- */

enum { LIMITS = 4 };

/* a candidate's values beside what is accepted of each */
typedef struct comparison {
  const char *name;
  double value, limit;
} comparison;

static void compare(const search_limits *l, const search_candidate *c, comparison out[LIMITS]) {
  out[0] = (comparison){"median error", c->rms, l->rms};
  out[1] = (comparison){"90 % quantile of errors", c->rms_q90, l->rms_q90};
  out[2] = (comparison){"worst start's error", c->rms_worst, l->rms_worst};
  out[3] = (comparison){"share of crossings missed or invented", c->events_off, l->events_off};
}

/* not a number, or infinite, is never accepted */
static bool within(comparison c) {
  return c.value < INFINITY && c.value <= c.limit;
}

bool search_accepts(const search_limits *limits, const search_candidate *c) {
  comparison all[LIMITS];
  compare(limits, c, all);
  for (int i = 0; i < LIMITS; i++)
    if (!within(all[i])) return false;
  return c->seconds < INFINITY;
}

/* the limit that is exceeded most, and by how much: the value over the limit */
static double excess(const search_limits *limits, const search_candidate *c, comparison *worst) {
  comparison all[LIMITS];
  double most = 0.0;
  compare(limits, c, all);
  for (int i = 0; i < LIMITS; i++) {
    const double ratio = within(all[i]) ? 0.0 : all[i].value / all[i].limit;
    if (!(ratio < INFINITY)) return INFINITY;
    if (ratio <= most) continue;
    most = ratio;
    *worst = all[i];
  }
  return most;
}

size_t search_closest(const search_limits *limits, const search_candidate list[], size_t count) {
  size_t closest = SIZE_MAX;
  double least = INFINITY;
  for (size_t i = 0; i < count; i++) {
    comparison ignored;
    const double most = excess(limits, &list[i], &ignored);
    if (!(most < least)) continue;
    least = most;
    closest = i;
  }
  return closest;
}

void search_explain(const search_limits *limits, const search_candidate *closest, size_t count,
                    char message[SOLVER_MESSAGE_SIZE]) {
  comparison worst = {0};
  if (!(excess(limits, closest, &worst) < INFINITY) || !worst.name) {
    measure_message(message, "none of %zu settings is good enough: none runs to the end", count);
    return;
  }
  measure_message(message,
                  "none of %zu settings is good enough: the closest (tolerance %.3g) has a %s of "
                  "%.3g, and %.3g is accepted",
                  count, closest->settings.rtol, worst.name, worst.value, worst.limit);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static double sum_of_events(const contest_starts *starts, size_t trials) {
  double sum = 0.0;
  for (size_t i = 0; i < trials; i++) sum += (double)starts->events[i];
  return sum;
}

/* crossings missed or invented at one start */
static double off_at(const contestant *c, size_t trial) {
  return fabs(c->events[trial] - (double)c->starts->events[trial]);
}

/* runs from all starts, unless the first takes too long; false when it is out */
static bool run_all(contestant *from, size_t trials, double patience, double seconds[],
                    size_t *done) {
  for (*done = 0; *done < trials;) {
    const size_t i = (*done)++;
    if (contestant_sample(from, i, &seconds[i]) || seconds[0] > patience) return false;
  }
  return true;
}

/* all that a candidate showed from its starts; false when that is no number */
static bool summarize(const contestant *from, const double seconds[], search_candidate *c) {
  const size_t trials = c->trials;
  const double events = sum_of_events(from->starts, trials);
  double off = 0.0;
  for (size_t i = 0; i < trials; i++) off += off_at(from, i);
  // a system without crossings has none to miss
  c->events_off = events > 0.0 ? off / events : off > 0.0 ? INFINITY : 0.0;
  return !measure_median(seconds, trials, &c->seconds) &&
         !measure_median(from->rms, trials, &c->rms) &&
         !measure_quantile(from->rms, trials, 0.9, &c->rms_q90) &&
         !measure_quantile(from->rms, trials, 1.0, &c->rms_worst);
}

void search_run(const contest_starts *starts, size_t trials, const solver_type *solver,
                double patience, search_candidate *c) {
  double seconds[SEARCH_STARTS];
  char message[SOLVER_MESSAGE_SIZE];
  contestant tried;
  *c = (search_candidate){.settings = c->settings};
  if (trials > starts->trials) trials = starts->trials;
  if (trials > SEARCH_STARTS) trials = SEARCH_STARTS;
  bool good = !contestant_prepare(&tried, solver, &c->settings, starts, message);
  if (good) {
    good = run_all(&tried, trials, patience, seconds, &c->trials) && summarize(&tried, seconds, c);
    contestant_release(&tried);
  }
  if (!good) c->seconds = c->rms = c->rms_q90 = c->rms_worst = c->events_off = INFINITY;
}
