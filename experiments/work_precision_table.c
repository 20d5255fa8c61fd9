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

/* ---- who is fastest ---------------------------------------------------------------------------
 */

/* the cheapest row of a solver (`of` true) or of all others that reaches the target; NULL: none */
static const precision_row *cheapest_by_solver(const precision_row rows[], size_t count,
                                               const char *solver, bool of, double target) {
  const precision_row *best = NULL;
  for (size_t i = 0; i < count; i++) {
    if ((strcmp(rows[i].text[PRECISION_SOLVER], solver) == 0) != of ||
        precision_cheapest(&rows[i], 1, NULL, target) == SIZE_MAX)
      continue;
    if (!best || rows[i].number[PRECISION_MEDIAN] < best->number[PRECISION_MEDIAN]) best = &rows[i];
  }
  return best;
}

/* method, knob, and how many times as long as the fastest */
static void print_other(const precision_row *other, const precision_row *fastest) {
  if (!other)
    printf(" none | |");
  else
    printf(" %s, %s %.3g | %.2f |", other->text[PRECISION_LABEL], other->text[PRECISION_KNOB],
           other->number[PRECISION_VALUE],
           other->number[PRECISION_MEDIAN] / fastest->number[PRECISION_MEDIAN]);
}

static void print_target(const precision_row rows[], size_t count, double target) {
  const size_t index = precision_cheapest(rows, count, NULL, target);
  if (index == SIZE_MAX) return;
  const precision_row *const best = &rows[index];
  char name[64];
  if (best->number[PRECISION_CONTACTS] > 1.0)
    snprintf(name, sizeof name, "%s, N = %.0f", best->text[PRECISION_MODEL],
             best->number[PRECISION_CONTACTS]);
  else
    snprintf(name, sizeof name, "%s", best->text[PRECISION_MODEL]);
  printf("| %s | %.0e | %s, %s %.3g | %.4g | %.1e |", name, target, best->text[PRECISION_LABEL],
         best->text[PRECISION_KNOB], best->number[PRECISION_VALUE],
         1e3 * best->number[PRECISION_MEDIAN], best->number[PRECISION_RMS_ERROR]);
  print_other(cheapest_by_solver(rows, count, best->text[PRECISION_SOLVER], false, target), best);
  print_other(cheapest_by_solver(rows, count, "projection", true, target), best);
  putchar('\n');
}

void precision_print_table(const precision_results *results) {
  printf("| model | RMS error at most | fastest | ms | its RMS error | next solver | times as long "
         "| projection | times as long |\n|---|---|---|---|---|---|---|---|---|\n");
  for (size_t first = 0; first < results->count;) {
    const size_t count = precision_case_rows(results, first);
    for (int decade = -1; decade >= -12; decade--)
      print_target(&results->row[first], count, pow(10.0, decade));
    first += count;
  }
}
