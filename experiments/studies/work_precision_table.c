/*
 * What a person reads of work against precision: the points of one model, and a table of who is
 * fastest at which error.
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
  const double *const number = row->number;
  printf("%-20s", row->text[PRECISION_METHOD]);
  print_number("%.3g", 8, number[PRECISION_VALUE]);
  print_number("%.4f", 11, 1e3 * number[PRECISION_MEDIAN]);
  print_number("%.4f", 10, 1e3 * number[PRECISION_MEDIAN_LOW]);
  print_number("%.4f", 10, 1e3 * number[PRECISION_MEDIAN_HIGH]);
  print_number("%.2e", 9, number[PRECISION_RMS_ERROR]);
  print_number("%.2e", 9, number[PRECISION_RMS_WORST]);
  print_number("%.0f", 10, number[PRECISION_EVALUATIONS]);
  print_number("%.2f%%", 9, 100.0 * number[PRECISION_EVENTS_RATIO]);
  print_number("%.0f", 7, number[PRECISION_TRIALS]);
  if (strcmp(row->text[PRECISION_STATUS], "ok") != 0)
    printf("  %s: %s", row->text[PRECISION_STATUS], row->text[PRECISION_MESSAGE]);
  if (*row->text[PRECISION_COINCIDES]) printf("  (as %s)", row->text[PRECISION_COINCIDES]);
  putchar('\n');
}

void precision_print(const precision_row rows[], size_t count) {
  printf("%-20s %8s %11s %21s %9s %9s %10s %9s %7s\n", "method", "knob", "median ms",
         "95 % interval", "RMS", "worst", "evals", "crossings", "starts");
  for (size_t i = 0; i < count; i++) {
    const bool first =
        i == 0 || strcmp(rows[i].text[PRECISION_METHOD], rows[i - 1].text[PRECISION_METHOD]) != 0;
    // what is refused at every value is said once
    if (strcmp(rows[i].text[PRECISION_STATUS], "refused") != 0)
      print_row(&rows[i]);
    else if (first ||
             strcmp(rows[i].text[PRECISION_MESSAGE], rows[i - 1].text[PRECISION_MESSAGE]) != 0)
      printf("%-20s refused: %s\n", rows[i].text[PRECISION_METHOD],
             rows[i].text[PRECISION_MESSAGE]);
  }
}

/* ---- who is cheapest --------------------------------------------------------------------------
 */

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

static void print_model(const precision_row *row) {
  if (precision_is_numbered(row->text[PRECISION_MODEL]))
    printf("| %s, N = %.0f |", row->text[PRECISION_MODEL], row->number[PRECISION_CONTACTS]);
  else
    printf("| %s |", row->text[PRECISION_MODEL]);
}

/* one error: the cheapest of all, and how many times as much each solver's cheapest costs */
static void print_target(const precision_row rows[], size_t count, double target,
                         precision_number cost) {
  const size_t index = precision_cheapest(rows, count, NULL, target, cost);
  if (index == SIZE_MAX) return;
  const precision_row *const best = &rows[index];
  print_model(best);
  printf(" %.0e | %s, %s %.3g | %.4g |", target, best->text[PRECISION_LABEL],
         best->text[PRECISION_KNOB], best->number[PRECISION_VALUE],
         best->number[cost] * (cost == PRECISION_MEDIAN ? 1e3 : 1.0));
  for (size_t i = 0; i < precision_method_count; i++) {
    if (!is_first(i)) continue;
    const size_t own = precision_cheapest(rows, count, precision_methods[i].solver, target, cost);
    if (own == SIZE_MAX)
      printf(" |");
    else
      printf(" %.3g |", rows[own].number[cost] / best->number[cost]);
  }
  putchar('\n');
}

static void print_cost(const precision_results *results, precision_number cost) {
  print_head(cost == PRECISION_MEDIAN ? "ms" : "evaluations");
  for (size_t first = 0; first < results->count;) {
    const size_t count = precision_case_rows(results, first);
    for (int decade = -1; decade >= -12; decade--)
      print_target(&results->row[first], count, pow(10.0, decade), cost);
    first += count;
  }
}

void precision_print_table(const precision_results *results) {
  print_cost(results, PRECISION_MEDIAN);
  putchar('\n');
  print_cost(results, PRECISION_EVALUATIONS);
}
