/*
 * Methods that are the same at every number of contacts: one of them stands for all in figures.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "crossing_cost.h"

/* equal but for rounding, or both not known */
static bool same_number(double a, double b) {
  return fabs(a - b) <= PRECISION_COINCIDE * fmin(fabs(a), fabs(b)) || (isnan(a) && isnan(b));
}

static bool same_rows(const precision_row *a, const precision_row *b) {
  return strcmp(a->text[PRECISION_SOLVER], b->text[PRECISION_SOLVER]) == 0 &&
         strcmp(a->text[PRECISION_STATUS], b->text[PRECISION_STATUS]) == 0 &&
         same_number(a->number[PRECISION_VALUE], b->number[PRECISION_VALUE]) &&
         same_number(a->number[PRECISION_RMS_ERROR], b->number[PRECISION_RMS_ERROR]);
}

/* whether the methods of places a and b are the same, and at least somewhere known */
static bool same_methods(const crossing_row rows[], size_t count, size_t methods, size_t a,
                         size_t b) {
  bool known = false;
  for (size_t i = 0; i < count; i += methods) {
    if (!same_rows(&rows[i + a].row, &rows[i + b].row)) return false;
    known = known || !isnan(rows[i + a].row.number[PRECISION_RMS_ERROR]);
  }
  return known;
}

void crossing_find_coincidences(crossing_row rows[], size_t count, size_t methods) {
  for (size_t a = 0; count && a < methods; a++) {
    if (*rows[a].row.text[PRECISION_COINCIDES]) continue;
    for (size_t b = a + 1; b < methods; b++) {
      if (!same_methods(rows, count, methods, a, b)) continue;
      for (size_t i = 0; i < count; i += methods)
        rows[i + b].row.text[PRECISION_COINCIDES] = rows[i + a].row.text[PRECISION_METHOD];
    }
  }
}
