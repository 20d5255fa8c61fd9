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

/* whether the methods of places a and b are the same, and at least somewhere known; *faster is the
 * mean logarithm of how many times b is as fast */
static bool same_methods(const crossing_row rows[], size_t count, size_t methods, size_t a,
                         size_t b, double *faster) {
  double sum = 0.0, known = 0.0;
  for (size_t i = 0; i < count; i += methods) {
    const precision_row *const p = &rows[i + a].row, *const q = &rows[i + b].row;
    if (!same_rows(p, q)) return false;
    if (isnan(p->number[PRECISION_RMS_ERROR])) continue;
    known += 1.0;
    sum += log(p->number[PRECISION_MEDIAN] / q->number[PRECISION_MEDIAN]);
  }
  *faster = sum / known;
  return known > 0.0;
}

static void set_representative(crossing_row rows[], size_t count, size_t methods, size_t place,
                               size_t as) {
  if (place == as) return;
  for (size_t i = 0; i < count; i += methods)
    rows[i + place].row.text[PRECISION_COINCIDES] = rows[i + as].row.text[PRECISION_METHOD];
}

void crossing_find_coincidences(crossing_row rows[], size_t count, size_t methods) {
  for (size_t a = 0; count && a < methods; a++) {
    if (*rows[a].row.text[PRECISION_COINCIDES]) continue;
    size_t fastest = a;
    double lead = log1p(PRECISION_FASTER), faster;
    for (size_t b = a + 1; b < methods; b++) {
      if (!same_methods(rows, count, methods, a, b, &faster) || !(faster > lead)) continue;
      fastest = b;
      lead = faster;
    }
    for (size_t b = a + 1; b < methods; b++)
      if (same_methods(rows, count, methods, a, b, &faster))
        set_representative(rows, count, methods, b, fastest);
    set_representative(rows, count, methods, a, fastest);
  }
}
