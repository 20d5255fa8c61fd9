/*
 * What a person reads of work-precision: the points of one model, and a table of who is cheapest at
 * which error.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "work_precision.h"

/* the number, or a blank where it is not known */
static void print_number(const char *format, int width, double value) {
  char text[32] = "";
  if (!isnan(value)) snprintf(text, sizeof text, format, value);
  printf(" %*s", width, text);
}

static void print_row(const precision_row *row) {
  printf("%-20s", row->method);
  print_number("%.3g", 8, row->value);
  print_number("%.4f", 11, 1e3 * row->median_s);
  print_number("%.4f", 10, 1e3 * row->median_lo_s);
  print_number("%.4f", 10, 1e3 * row->median_hi_s);
  print_number("%.2e", 9, row->rms_error);
  print_number("%.2e", 9, row->rms_worst);
  print_number("%.0f", 10, row->evaluations);
  print_number("%.2f%%", 9, 100.0 * row->events_ratio);
  printf(" %7zu", row->trials);
  if (strcmp(row->status, "ok") != 0) printf("  %s: %s", row->status, row->message);
  if (*row->coincides_with) printf("  (as %s)", row->coincides_with);
  putchar('\n');
}

void work_precision_print(const study_run *run) {
  size_t count;
  const work_precision_point *const rows = study_rows(run, WORK_PRECISION_POINTS, &count);
  printf("%-20s %8s %11s %21s %9s %9s %10s %9s %7s\n", "method", "knob", "median ms",
         "95 % interval", "RMS", "worst", "evals", "crossings", "starts");
  for (size_t i = 0; i < count; i++) {
    const precision_row *const row = &rows[i].p, *const last = &rows[i ? i - 1 : 0].p;
    const bool again =
        i && strcmp(row->method, last->method) == 0 && strcmp(row->message, last->message) == 0;
    // what is refused at every value is said once
    if (strcmp(row->status, "refused") != 0)
      print_row(row);
    else if (!again)
      printf("%-20s refused: %s\n", row->method, row->message);
  }
}

/* ---- who is cheapest ------------------------------------------------------------------------- */

static double cost_of(const precision_row *row, bool evaluations) {
  return evaluations ? row->evaluations : row->median_s;
}

size_t work_precision_cheapest(const work_precision_point rows[], size_t count, const char *solver,
                               double target, bool evaluations) {
  size_t best = SIZE_MAX;
  for (size_t i = 0; i < count; i++) {
    const precision_row *const row = &rows[i].p;
    const bool fits = row->rms_error <= target && !*row->coincides_with &&
                      strcmp(row->status, "ok") == 0 &&
                      (!solver || strcmp(row->solver, solver) == 0);
    if (fits &&
        (best == SIZE_MAX || cost_of(row, evaluations) < cost_of(&rows[best].p, evaluations)))
      best = i;
  }
  return best;
}

/* whether the method is the first of its solver in the table of methods, so that it has a column */
static bool is_first(size_t method) {
  for (size_t i = 0; i < method; i++)
    if (strcmp(precision_methods[i].solver, precision_methods[method].solver) == 0) return false;
  return true;
}

static void print_head(const char *unit) {
  printf("| model | RMS error at most | cheapest | %s |", unit);
  for (size_t i = 0; i < precision_method_count; i++)
    if (is_first(i)) printf(" %s |", precision_methods[i].solver);
  printf("\n|---|---|---|---|");
  for (size_t i = 0; i < precision_method_count; i++)
    if (is_first(i)) printf("---|");
  putchar('\n');
}

static bool same_case(const precision_row *a, const precision_row *b) {
  return strcmp(a->model, b->model) == 0 && a->contacts == b->contacts;
}

/* one whose number of contacts can be chosen comes with it */
static void print_model(const precision_row *row) {
  model m;
  model_init(&m, model_find(row->model));
  if (isnan(model_get(&m, "contacts")))
    printf("| %s |", row->model);
  else
    printf("| %s, N = %zu |", row->model, row->contacts);
}

/* one error: the cheapest of all, and how many times as much each solver's cheapest costs */
static void print_target(const work_precision_point rows[], size_t count, double target,
                         bool evaluations) {
  const size_t index = work_precision_cheapest(rows, count, NULL, target, evaluations);
  if (index == SIZE_MAX) return;
  const precision_row *const best = &rows[index].p;
  const double least = cost_of(best, evaluations);
  print_model(best);
  printf(" %.0e | %s, %s %.3g | %.4g |", target, best->label, best->knob, best->value,
         least * (evaluations ? 1.0 : 1e3));
  for (size_t i = 0; i < precision_method_count; i++) {
    if (!is_first(i)) continue;
    const char *const solver = precision_methods[i].solver;
    const size_t own = work_precision_cheapest(rows, count, solver, target, evaluations);
    if (own == SIZE_MAX)
      printf(" |");
    else
      printf(" %.3g |", cost_of(&rows[own].p, evaluations) / least);
  }
  putchar('\n');
}

static void print_cost(const work_precision_point rows[], size_t count, bool evaluations) {
  print_head(evaluations ? "evaluations" : "ms");
  for (size_t first = 0, end; first < count; first = end) {
    for (end = first; end < count && same_case(&rows[first].p, &rows[end].p);) end++;
    for (int decade = -1; decade >= -12; decade--)
      print_target(&rows[first], end - first, pow(10.0, decade), evaluations);
  }
}

void work_precision_print_table(const study_run *run) {
  size_t count;
  const work_precision_point *const rows = study_rows(run, WORK_PRECISION_POINTS, &count);
  print_cost(rows, count, false);
  putchar('\n');
  print_cost(rows, count, true);
}
