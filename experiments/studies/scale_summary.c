/*
 * What the samples of scale say: rows, slopes, plateaus, how the cost grows, and how evenly the
 * error goes along.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>

#include "scale.h"
#include "statistics.h"

/* a slope is fitted where epsilon is at most this part of the distance between crossings, and the
 * error this many times the least one; the plateau begins at so many times the distance */
static const double fitted_below = 0.125, fitted_above = 10.0, plateau_from = 9.99;
static const double confidence = 0.95;

const char *const scale_column_names[SCALE_COLUMNS] = {
    [SCALE_CONTACTS] = "contacts",
    [SCALE_ORDER] = "projection_order",
    [SCALE_EPSILON] = "epsilon",
    [SCALE_DISTANCE] = "crossing_distance",
    [SCALE_TRIALS] = "trials",
    [SCALE_EXACT] = "exact_counts",
    [SCALE_REFERENCE_EVENTS] = "reference_events",
    [SCALE_RMS_WORST] = "rms_worst",
    [SCALE_MEASURED + SCALE_RMS] = "rms_error",
    [SCALE_MEASURED + SCALE_EVENTS] = "events",
    [SCALE_MEASURED + SCALE_SECONDS] = "time_s",
    [SCALE_MEASURED + SCALE_RMS_TIMED] = "rms_error_timed",
    [SCALE_MEASURED + SCALE_STEPS] = "steps",
    [SCALE_MEASURED + SCALE_REJECTED] = "rejected",
    [SCALE_MEASURED + SCALE_ENTRIES] = "entries",
    [SCALE_MEASURED + SCALE_PROJECTIONS] = "projections",
    [SCALE_MEASURED + SCALE_FIELDS] = "field_evaluations",
    [SCALE_MEASURED + SCALE_GUARDS] = "guard_evaluations",
};

static double rms_of(const scale_point *p) {
  return p->row[SCALE_MEASURED + SCALE_RMS];
}

/* ---- rows and series ------------------------------------------------------------------------- */

static int fill_row(const scale_case *c, scale_point *p) {
  const size_t trials = c->starts.trials;
  double exact = 0.0, expected = 0.0, worst = 0.0;
  for (size_t i = 0; i < trials; i++) {
    const double events = (double)c->starts.events[i];
    exact += p->sample[SCALE_EVENTS * trials + i] == events ? 1.0 : 0.0;
    expected += events / (double)trials;
    worst = fmax(worst, p->sample[SCALE_RMS * trials + i]);
  }
  p->row[SCALE_CONTACTS] = (double)c->contacts;
  p->row[SCALE_ORDER] = p->order;
  p->row[SCALE_EPSILON] = p->epsilon;
  p->row[SCALE_DISTANCE] = c->distance.median;
  p->row[SCALE_TRIALS] = (double)trials;
  p->row[SCALE_EXACT] = exact;
  p->row[SCALE_REFERENCE_EVENTS] = expected;
  p->row[SCALE_RMS_WORST] = worst;
  int status = 0;
  for (size_t q = 0; !status && q < SCALE_QUANTITIES; q++)
    status = measure_median(p->sample + q * trials, trials, &p->row[SCALE_MEASURED + q]);
  return status;
}

/* the largest epsilon from which on down all crossings are right */
static double exact_epsilon(const scale_case *c, const scale_point p[]) {
  double epsilon = 0.0;
  for (size_t i = c->epsilons; i-- > 0 && p[i].row[SCALE_EXACT] == p[i].row[SCALE_TRIALS];)
    epsilon = p[i].epsilon;
  return epsilon;
}

/* the slope where epsilon is seen, and neither neighbouring crossings nor rounding are */
static int fit_slope(const scale_case *c, const scale_point p[], scale_series *out) {
  double x[ARGUMENTS_EPSILONS_MAX], y[ARGUMENTS_EPSILONS_MAX], least = INFINITY;
  for (size_t i = 0; i < c->epsilons; i++) least = fmin(least, rms_of(&p[i]));
  for (size_t i = 0; i < c->epsilons; i++) {
    if (p[i].epsilon > fitted_below * c->distance.median || rms_of(&p[i]) < fitted_above * least)
      continue;
    if (!out->fitted) out->fit_max = p[i].epsilon;
    out->fit_min = p[i].epsilon;
    x[out->fitted] = log10(p[i].epsilon);
    y[out->fitted++] = log10(rms_of(&p[i]));
  }
  return out->fitted < 3 ? 0 : measure_fit_line(x, y, out->fitted, confidence, &out->line);
}

static int find_plateau(const scale_case *c, const scale_point p[], double *plateau) {
  double rms[ARGUMENTS_EPSILONS_MAX];
  size_t count = 0;
  for (size_t i = 0; i < c->epsilons; i++)
    if (p[i].epsilon >= plateau_from * c->distance.median) rms[count++] = rms_of(&p[i]);
  *plateau = NAN;
  return count ? measure_median(rms, count, plateau) : 0;
}

int scale_summarize(scale_case *c, char *message) {
  int status = 0;
  for (size_t i = 0; !status && i < SCALE_ORDERS * c->epsilons; i++)
    status = fill_row(c, &c->point[i]);
  for (size_t k = 0; !status && k < SCALE_ORDERS; k++) {
    const scale_point *const p = &c->point[k * c->epsilons];
    scale_series *const s = &c->series[k];
    *s = (scale_series){.order = 1 + (int)k, .exact_epsilon = exact_epsilon(c, p)};
    status = fit_slope(c, p, s);
    if (!status) status = find_plateau(c, p, &s->plateau);
  }
  if (!status) return 0;
  measure_message(message, "%zu contacts: %s", c->contacts, measure_strerror(status));
  return -1;
}

/* ---- growth ---------------------------------------------------------------------------------- */

static const scale_point *points_of(const scale_case *c, int order) {
  return &c->point[(size_t)(order - 1) * c->epsilons];
}

/* the point whose epsilon is nearest to the ratio's; NULL when none is near */
static const scale_point *nearest(const scale_case *c, int order, double ratio) {
  const scale_point *const p = points_of(c, order), *best = NULL;
  double least = 0.25; // decades
  for (size_t i = 0; i < c->epsilons; i++) {
    const double off = fabs(log10(p[i].epsilon / (ratio * c->distance.median)));
    if (off > least) continue;
    least = off;
    best = &p[i];
  }
  return best;
}

/* the exponent of y in x, both logarithms; NaN where there is none */
static double exponent_of(const double x[], const double y[], size_t count) {
  measure_line line;
  if (count == 2) return (y[1] - y[0]) / (x[1] - x[0]);
  return count < 2 || measure_fit_line(x, y, count, confidence, &line) ? NAN : line.slope;
}

int scale_fit_growth(const scale *all, int order, double ratio, scale_growth *out, char *message) {
  static const scale_quantity costs[SCALE_COSTS] = {
      [SCALE_COST_TIME] = SCALE_SECONDS,
      [SCALE_COST_FIELD] = SCALE_FIELDS,
      [SCALE_COST_GUARD] = SCALE_GUARDS,
  };
  const size_t room = all->case_count;
  *out = (scale_growth){.order = order, .ratio = ratio};
  double *const x = calloc(room * (1 + SCALE_COSTS), sizeof *x);
  if (!x) {
    measure_message(message, "out of memory");
    return -1;
  }
  for (size_t i = 0; i < room; i++) {
    const scale_point *const p = nearest(&all->cases[i], order, ratio);
    if (!p) continue;
    x[out->count] = log10(p->row[SCALE_CONTACTS]);
    for (size_t k = 0; k < SCALE_COSTS; k++)
      x[(1 + k) * room + out->count] =
          log10(p->row[SCALE_MEASURED + costs[k]] / p->row[SCALE_REFERENCE_EVENTS]);
    out->count++;
  }
  for (size_t k = 0; k < SCALE_COSTS; k++)
    out->exponent[k] = exponent_of(x, x + (1 + k) * room, out->count);
  free(x);
  return 0;
}

/* ---- evenness -------------------------------------------------------------------------------- */

/* the point with exactly this epsilon; NULL when there is none */
static const scale_point *at_epsilon(const scale_case *c, int order, double epsilon) {
  const scale_point *const p = points_of(c, order);
  for (size_t i = 0; i < c->epsilons; i++)
    if (p[i].epsilon == epsilon) return &p[i];
  return NULL;
}

scale_evenness scale_look_along(const scale *all, int order, size_t k) {
  const double epsilon = all->cases[0].point[k].epsilon;
  scale_evenness e = {order, epsilon, 0, INFINITY, 0.0, 1.0, true};
  double before = NAN;
  for (size_t i = 0; i < all->case_count; i++) {
    const scale_point *const p = at_epsilon(&all->cases[i], order, epsilon);
    if (!p) return (scale_evenness){.order = order, .epsilon = epsilon};
    const double rms = rms_of(p);
    e.count++;
    e.rms_min = fmin(e.rms_min, rms);
    e.rms_max = fmax(e.rms_max, rms);
    e.largest_ratio = fmax(e.largest_ratio, fmax(rms / before, before / rms));
    e.exact = e.exact && p->row[SCALE_EXACT] == p->row[SCALE_TRIALS];
    before = rms;
  }
  return e;
}
