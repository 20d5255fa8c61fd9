/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the samples of scale say: rows, slopes, plateaus, how the cost grows, and how evenly the
 * error goes along. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gather.h"
#include "scale.h"

/* a slope is fitted where epsilon is at most this part of the distance between crossings, and the
 * error this many times the least one; the plateau begins at so many times the distance */
static const double fitted_below = 0.125, fitted_above = 10.0, plateau_from = 9.99;

/* an epsilon is near another within so many decades */
static const double near = 0.25;

/* ---- rows and series ------------------------------------------------------------------------- */

static void add_row(study_run *run, const scale_sample *of, gather starts, double distance) {
  size_t count;
  const scale_sample *const s =
      (const scale_sample *)study_rows(run, SCALE_SAMPLES, &count) + starts.first;
  scale_row r = {.contacts = of->contacts,
                 .projection_order = of->order,
                 .epsilon = of->epsilon,
                 .crossing_distance = distance,
                 .trials = starts.count,
                 .reference_events = gather_mean(starts, "reference_events"),
                 .rms_worst = gather_quantile(starts, "tight_rms_error", 1.0),
                 .rms_error = gather_median(starts, "tight_rms_error"),
                 .events = gather_median(starts, "tight_events"),
                 .time_s = gather_median(starts, "time_s"),
                 .rms_error_timed = gather_median(starts, "rms_error")};
  gather_into(starts, gather_median, SCALE_ROWS, "steps", "guard_evaluations", &r);
  for (size_t i = 0; i < starts.count; i++)
    r.exact_counts += s[i].tight.events == s[i].reference_events;
  r.fields_per_event = r.field_evaluations / r.reference_events;
  r.guards_per_event = r.guard_evaluations / r.reference_events;
  r.time_per_event = r.time_s / r.reference_events;
  study_add(run, SCALE_ROWS, &r);
}

/* the largest epsilon from which on down all crossings are right */
static double exact_epsilon(const scale_row r[], size_t count) {
  double epsilon = 0.0;
  for (size_t i = count; i-- > 0 && r[i].exact_counts == r[i].trials;) epsilon = r[i].epsilon;
  return epsilon;
}

/* the slope where epsilon is seen, and neither neighbouring crossings nor rounding are */
static void fit_slope(const scale_row r[], size_t count, scale_series *out) {
  double x[OPTION_NUMBERS_MAX], y[OPTION_NUMBERS_MAX], least = INFINITY;
  for (size_t i = 0; i < count; i++) least = fmin(least, r[i].rms_error);
  for (size_t i = 0; i < count; i++) {
    if (r[i].epsilon > fitted_below * r[i].crossing_distance ||
        r[i].rms_error < fitted_above * least)
      continue;
    x[out->fitted] = r[i].epsilon;
    y[out->fitted++] = r[i].rms_error;
  }
  out->slope = out->slope_interval[0] = out->slope_interval[1] = NAN;
  out->fit_range[0] = out->fit_range[1] = NAN;
  if (out->fitted < 3) return;
  const gather_power power = gather_fit_power(x, y, out->fitted);
  out->slope = power.exponent;
  out->slope_interval[0] = power.interval[0];
  out->slope_interval[1] = power.interval[1];
  out->fit_range[0] = x[out->fitted - 1];
  out->fit_range[1] = x[0];
}

/* of `count` rows of one order */
static void add_series(study_run *run, size_t order, size_t first, size_t count) {
  const scale_row *const r = (const scale_row *)study_rows(run, SCALE_ROWS, NULL) + first;
  scale_series s = {.projection_order = order, .exact_epsilon = exact_epsilon(r, count)};
  gather plateau = {run, SCALE_ROWS, first, 1, 0};
  fit_slope(r, count, &s);
  while (plateau.count < count &&
         r[plateau.count].epsilon >= plateau_from * r[plateau.count].crossing_distance)
    plateau.count++;
  s.plateau_rms_error = gather_median(plateau, "rms_error");
  study_add(run, SCALE_SERIES, &s);
}

/* a number of contacts, whose samples of stage 1 begin at *from and are passed by */
static void add_case(study_run *run, size_t index, size_t *from) {
  const size_t trials = ((const scale_settings *)run->settings)->trials;
  size_t count, first;
  const scale_sample *const all = study_rows(run, SCALE_SAMPLES, &count);
  const scale_sample *const of = &all[index * trials];
  study_rows(run, SCALE_ROWS, &first);
  study_add(run, SCALE_CASES, of);
  for (size_t i = 0; i < trials; i++) study_add(run, SCALE_EVENTS, &of[i]);
  size_t points = 0;
  for (; *from < count && all[*from].contacts == of->contacts; *from += trials, points++)
    add_row(run, &all[*from], (gather){run, SCALE_SAMPLES, *from, 1, trials}, of->distance.median);
  const size_t epsilons = points / SCALE_ORDERS;
  for (size_t k = 0; k < SCALE_ORDERS; k++) add_series(run, 1 + k, first + k * epsilons, epsilons);
}

/* ---- growth ---------------------------------------------------------------------------------- */

/* the row of a case whose epsilon is nearest to the ratio's; NULL when none is near */
static const scale_row *nearest(const scale_row r[], size_t count, size_t contacts, size_t order,
                                double ratio) {
  const scale_row *best = NULL;
  double least = near;
  for (size_t i = 0; i < count; i++) {
    const double off = fabs(log10(r[i].epsilon / (ratio * r[i].crossing_distance)));
    if (r[i].contacts != contacts || r[i].projection_order != order || off > least) continue;
    least = off;
    best = &r[i];
  }
  return best;
}

/* Cost of a crossing against the number of contacts, a N^exponent, where epsilon is a tenth of the
 * distance between crossings, or ten times as much */
static void add_growth(study_run *run, size_t order, double ratio) {
  enum { N, TIME, FIELDS, GUARDS, SERIES };
  size_t cases, count;
  const scale_sample *const all = study_rows(run, SCALE_CASES, &cases);
  const scale_row *const rows = study_rows(run, SCALE_ROWS, &count);
  scale_growth g = {.projection_order = order, .epsilon_over_distance = ratio};
  double *const x = calloc(SERIES * cases + 1, sizeof *x);
  if (!x) {
    study_out_of_memory(run);
    return;
  }
  for (size_t i = 0; i < cases; i++) {
    const scale_row *const r = nearest(rows, count, all[i].contacts, order, ratio);
    if (!r) continue;
    x[N * cases + g.count] = (double)r->contacts;
    x[TIME * cases + g.count] = r->time_per_event;
    x[FIELDS * cases + g.count] = r->fields_per_event;
    x[GUARDS * cases + g.count++] = r->guards_per_event;
  }
  g.time_exponent = gather_fit_power(x, x + TIME * cases, g.count).exponent;
  g.field_evaluations_exponent = gather_fit_power(x, x + FIELDS * cases, g.count).exponent;
  g.guard_evaluations_exponent = gather_fit_power(x, x + GUARDS * cases, g.count).exponent;
  free(x);
  study_add(run, SCALE_GROWTH, &g);
}

/* ---- evenness -------------------------------------------------------------------------------- */

/* How evenly the error goes from one number of contacts to the next at one epsilon, if all have it
 */
static void add_evenness(study_run *run, size_t order, double epsilon, size_t cases) {
  size_t count, found = 0;
  const scale_row *const r = study_rows(run, SCALE_ROWS, &count);
  scale_evenness e = {order, epsilon, INFINITY, 0.0, 1.0, true};
  double before = NAN;
  for (size_t i = 0; i < count; i++) {
    if (r[i].projection_order != order || r[i].epsilon != epsilon) continue;
    const double rms = r[i].rms_error;
    found++;
    e.rms_error_min = fmin(e.rms_error_min, rms);
    e.rms_error_max = fmax(e.rms_error_max, rms);
    e.largest_neighbour_ratio = fmax(e.largest_neighbour_ratio, fmax(rms / before, before / rms));
    e.exact_counts = e.exact_counts && r[i].exact_counts == r[i].trials;
    before = rms;
  }
  if (found == cases) study_add(run, SCALE_EVENNESS, &e);
}

int scale_derive(study_run *run) {
  static const double ratios[] = {0.1, 10.0};
  const scale_settings *const s = run->settings;
  size_t count, cases = 0, rows;
  const scale_sample *const all = study_rows(run, SCALE_SAMPLES, &count);
  while (cases * s->trials < count && !all[cases * s->trials].order) cases++;
  for (size_t i = 0, from = cases * s->trials; i < cases; i++) add_case(run, i, &from);
  for (size_t i = 0; i < 2 * SCALE_ORDERS; i++) add_growth(run, 1 + i / 2, ratios[i % 2]);
  const scale_row *const r = study_rows(run, SCALE_ROWS, &rows);
  for (size_t i = 0; cases >= 3 && i < rows && r[i].contacts == r->contacts; i++)
    add_evenness(run, r[i].projection_order, r[i].epsilon, cases);
  return 0;
}

/* ---- on the terminal ------------------------------------------------------------------------- */

static void show_series(const scale_series *s) {
  printf("order %zu: ", s->projection_order);
  if (s->fitted >= 3)
    printf("slope %.3f [%.3f, %.3f] for epsilon from %.2g to %.2g, ", s->slope,
           s->slope_interval[0], s->slope_interval[1], s->fit_range[0], s->fit_range[1]);
  if (!isnan(s->plateau_rms_error)) printf("plateau at %.2g, ", s->plateau_rms_error);
  if (s->exact_epsilon > 0.0)
    printf("crossings exact from %.2g down\n", s->exact_epsilon);
  else
    printf("crossings not exact at the smallest epsilon\n");
}

static void show_cases(const study_run *run) {
  size_t cases, rows, first = 0;
  const scale_sample *const c = study_rows(run, SCALE_CASES, &cases);
  const scale_row *const r = study_rows(run, SCALE_ROWS, &rows);
  const scale_series *const s = study_rows(run, SCALE_SERIES, NULL);
  for (size_t i = 0; i < cases; i++) {
    size_t end = first;
    while (end < rows && r[end].contacts == c[i].contacts) end++;
    printf(
        "\n%zu contacts: from a crossing to the next %.2g m (10 %%: %.2g, 90 %%: %.2g), %.2g s\n",
        c[i].contacts, c[i].distance.median, c[i].distance.low, c[i].distance.high,
        c[i].interval.median);
    study_print(run, SCALE_ROWS, first, end - first);
    for (size_t k = 0; k < SCALE_ORDERS; k++) show_series(&s[i * SCALE_ORDERS + k]);
    first = end;
  }
}

void scale_show(const study_run *run) {
  const scale_settings *const s = run->settings;
  size_t even, grown;
  const scale_evenness *const e = study_rows(run, SCALE_EVENNESS, &even);
  const scale_growth *const g = study_rows(run, SCALE_GROWTH, &grown);
  show_cases(run);
  putchar('\n');
  for (size_t i = 0; s->epsilons.count && i < even; i++)
    printf(
        "order %zu, epsilon %.2g: RMS from %.3g to %.3g, neighbouring numbers of contacts differ "
        "by a factor of at most %.2f; crossings %s\n",
        e[i].projection_order, e[i].epsilon, e[i].rms_error_min, e[i].rms_error_max,
        e[i].largest_neighbour_ratio, e[i].exact_counts ? "exact" : "not exact everywhere");
  for (size_t i = 0; i < grown; i++)
    if (g[i].count >= 2)
      printf(
          "order %zu, epsilon %g of the distance: of a crossing, time ~ N^%.2f, fields ~ N^%.2f, "
          "guards ~ N^%.2f\n",
          g[i].projection_order, g[i].epsilon_over_distance, g[i].time_exponent,
          g[i].field_evaluations_exponent, g[i].guard_evaluations_exponent);
}
