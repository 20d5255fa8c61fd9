/*
 * The files of scale, and its results as a person reads them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>

#include "json_file.h"
#include "record.h"
#include "results_file.h"
#include "scale.h"

/* calls `take` for the growth of both orders, below and above the distance between crossings */
static int each_growth(const scale *all, void (*take)(const scale_growth *, void *),
                       void *context) {
  static const double ratios[] = {0.1, 10.0};
  for (size_t i = 0; i < 2 * SCALE_ORDERS; i++) {
    scale_growth g;
    if (scale_fit_growth(all, 1 + (int)(i / 2), ratios[i % 2], &g, all->message)) return -1;
    take(&g, context);
  }
  return 0;
}

/* calls `take` for both orders and every epsilon that all of three cases or more have */
static void each_evenness(const scale *all, void (*take)(const scale_evenness *, void *),
                          void *context) {
  for (size_t i = 0; all->case_count >= 3 && i < SCALE_ORDERS * all->cases->epsilons; i++) {
    const size_t epsilons = all->cases->epsilons;
    const scale_evenness e = scale_look_along(all, 1 + (int)(i / epsilons), i % epsilons);
    if (e.count) take(&e, context);
  }
}

/* ---- the table ------------------------------------------------------------------------------- */

static int write_table(const scale *all) {
  results_file file;
  if (results_file_begin(&file, all->given->folder, "scale.csv", scale_column_names, SCALE_COLUMNS,
                         all->message))
    return -1;
  for (size_t i = 0; i < all->case_count; i++)
    for (size_t k = 0; k < SCALE_ORDERS * all->cases[i].epsilons; k++)
      results_file_row(&file, all->cases[i].point[k].row, SCALE_COLUMNS);
  return results_file_end(&file, true, all->message);
}

/* ---- the object ------------------------------------------------------------------------------ */

static json_t *row_json(const double row[SCALE_COLUMNS]) {
  json_t *const object = json_object();
  for (size_t i = 0; i < SCALE_COLUMNS; i++)
    json_object_set_new(object, scale_column_names[i], measure_json_number(row[i]));
  return object;
}

static json_t *spread_json(const scale_spread *s) {
  return json_pack("{s:f, s:f, s:f}", "q10", s->low, "median", s->median, "q90", s->high);
}

static json_t *series_json(const scale_series *s) {
  const bool fit = s->fitted >= 3;
  const measure_line *const l = &s->line;
  return json_pack(
      "{s:i, s:I, s:o, s:o, s:o, s:o, s:f}", "projection_order", s->order, "fitted",
      (json_int_t)s->fitted, "slope", fit ? json_real(l->slope) : json_null(), "slope_interval",
      fit ? json_pack("[f, f]", l->slope_low, l->slope_high) : json_null(), "fit_range",
      fit ? json_pack("[f, f]", s->fit_min, s->fit_max) : json_null(), "plateau_rms_error",
      measure_json_number(s->plateau), "exact_epsilon", s->exact_epsilon);
}

static json_t *case_json(const scale_case *c) {
  json_t *const series = json_array(), *const rows = json_array(), *const events = json_array();
  for (size_t i = 0; i < SCALE_ORDERS; i++)
    json_array_append_new(series, series_json(&c->series[i]));
  for (size_t i = 0; i < SCALE_ORDERS * c->epsilons; i++)
    json_array_append_new(rows, row_json(c->point[i].row));
  for (size_t i = 0; i < c->starts.trials; i++)
    json_array_append_new(events, json_integer((json_int_t)c->starts.events[i]));
  return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o}", "contacts", (json_int_t)c->contacts,
                   "reference_events", events, "crossing_distance", spread_json(&c->distance),
                   "crossing_interval_s", spread_json(&c->interval), "series", series, "rows",
                   rows);
}

static void append_growth(const scale_growth *g, void *list) {
  json_array_append_new(
      list,
      json_pack("{s:i, s:f, s:I, s:o, s:o, s:o}", "projection_order", g->order,
                "epsilon_over_distance", g->ratio, "count", (json_int_t)g->count, "time_exponent",
                measure_json_number(g->exponent[SCALE_COST_TIME]), "field_evaluations_exponent",
                measure_json_number(g->exponent[SCALE_COST_FIELD]), "guard_evaluations_exponent",
                measure_json_number(g->exponent[SCALE_COST_GUARD])));
}

static void append_evenness(const scale_evenness *e, void *list) {
  json_array_append_new(
      list, json_pack("{s:i, s:f, s:f, s:f, s:f, s:b}", "projection_order", e->order, "epsilon",
                      e->epsilon, "rms_error_min", e->rms_min, "rms_error_max", e->rms_max,
                      "largest_neighbour_ratio", e->largest_ratio, "exact_counts", e->exact));
}

static int fill(const scale *all, json_t *object) {
  json_t *const cases = json_array(), *const growth = json_array(), *const evenness = json_array();
  json_object_set_new(object, "parameters", record_model(&all->given->m));
  json_object_set_new(object, "trials", json_integer((json_int_t)all->given->trials));
  json_object_set_new(object, "point_time_s", json_real(all->given->point_time));
  json_object_set_new(object, "cases", cases);
  json_object_set_new(object, "growth", growth);
  json_object_set_new(object, "evenness", evenness);
  for (size_t i = 0; i < all->case_count; i++)
    json_array_append_new(cases, case_json(&all->cases[i]));
  each_evenness(all, append_evenness, evenness);
  return each_growth(all, append_growth, growth);
}

int scale_write(const scale *all) {
  char path[RECORD_PATH_SIZE];
  json_t *const object = record_begin("essbench-scale-1", all->given, all->core);
  int status = -1;
  if (!object || record_path(path, all->given->folder, "scale.json"))
    measure_message(all->message, "scale.json: out of memory, or the path is too long");
  else
    status = fill(all, object);
  if (!status) status = write_table(all);
  if (!status) status = measure_json_write(object, path, all->message);
  json_decref(object);
  return status;
}

/* ---- on the terminal ------------------------------------------------------------------------- */

static void print_row(const double row[SCALE_COLUMNS]) {
  const double *const m = row + SCALE_MEASURED, crossings = row[SCALE_REFERENCE_EVENTS];
  printf("%6.0f %5.0f %8.1e %9.2e %9.2e %9.2e %8.1f %4.0f/%-4.0f %7.0f %7.0f %6.2f %6.2f %9.0f\n",
         row[SCALE_CONTACTS], row[SCALE_ORDER], row[SCALE_EPSILON], m[SCALE_RMS],
         row[SCALE_RMS_WORST], m[SCALE_RMS_TIMED], m[SCALE_EVENTS], row[SCALE_EXACT],
         row[SCALE_TRIALS], m[SCALE_STEPS], m[SCALE_ENTRIES], m[SCALE_FIELDS] / crossings,
         m[SCALE_GUARDS] / crossings, 1e9 * m[SCALE_SECONDS] / crossings);
}

static void print_series(const scale_series *s) {
  printf("order %d: ", s->order);
  if (s->fitted >= 3)
    printf("slope %.3f [%.3f, %.3f] for epsilon from %.2g to %.2g, ", s->line.slope,
           s->line.slope_low, s->line.slope_high, s->fit_min, s->fit_max);
  if (!isnan(s->plateau)) printf("plateau at %.2g, ", s->plateau);
  if (s->exact_epsilon > 0.0)
    printf("crossings exact from %.2g down\n", s->exact_epsilon);
  else
    printf("crossings not exact at the smallest epsilon\n");
}

static void print_case(const scale_case *c) {
  printf("\n%zu contacts: from a crossing to the next %.2g m (10 %%: %.2g, 90 %%: %.2g), %.2g s\n",
         c->contacts, c->distance.median, c->distance.low, c->distance.high, c->interval.median);
  printf("%6s %5s %8s %9s %9s %9s %8s %9s %7s %7s %6s %6s %9s\n", "N", "order", "epsilon", "RMS",
         "worst", "timed", "events", "exact", "steps", "entries", "f/ev.", "h/ev.", "ns/event");
  for (size_t i = 0; i < SCALE_ORDERS * c->epsilons; i++) print_row(c->point[i].row);
  for (size_t i = 0; i < SCALE_ORDERS; i++) print_series(&c->series[i]);
}

static void print_growth(const scale_growth *g, void *context) {
  (void)context;
  if (g->count < 2) return;
  printf("order %d, epsilon %g of the distance: of a crossing, time ~ N^%.2f, fields ~ N^%.2f, "
         "guards ~ N^%.2f\n",
         g->order, g->ratio, g->exponent[SCALE_COST_TIME], g->exponent[SCALE_COST_FIELD],
         g->exponent[SCALE_COST_GUARD]);
}

static void print_evenness(const scale_evenness *e, void *context) {
  (void)context;
  printf(
      "order %d, epsilon %.2g: RMS from %.3g to %.3g, neighbouring numbers of contacts differ by "
      "a factor of at most %.2f; crossings %s\n",
      e->order, e->epsilon, e->rms_min, e->rms_max, e->largest_ratio,
      e->exact ? "exact" : "not exact everywhere");
}

int scale_print(const scale *all) {
  for (size_t i = 0; i < all->case_count; i++) print_case(&all->cases[i]);
  putchar('\n');
  if (all->given->epsilon_count) each_evenness(all, print_evenness, NULL);
  if (each_growth(all, print_growth, NULL)) return -1;
  printf("results in %s/scale.csv, scale.json\n", all->given->folder);
  return 0;
}
