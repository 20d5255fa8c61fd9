/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the first runs say: which points are raced, and which methods are the same. */
#include <stdlib.h>
#include <string.h>

#include "work_precision.h"

/* so many values of all methods named */
static size_t values_of(const option_names *methods) {
  size_t count = 0;
  for (size_t i = 0; i < precision_method_count; i++)
    for (const double *value = precision_methods[i].values; *value > 0.0; value++)
      count += precision_chosen(methods, i);
  return count;
}

/* ---- methods that are the same --------------------------------------------------------------- */

/* where the points of another method begin */
static size_t end_of(const survey *all, size_t first) {
  size_t i = first;
  while (i < all->count && all->point[i].method == all->point[first].method) i++;
  return i;
}

/* a run that would take too long may do the same as one that has been made; those that failed alike
 * are alike */
static bool same_points(const precision_point *a, const precision_point *b) {
  if (a->value != b->value) return false;
  if (a->obstacle == b->obstacle) return precision_same(a->first.rms_error, b->first.rms_error);
  return (a->obstacle == PRECISION_TOO_LONG && b->obstacle == PRECISION_OK) ||
         (a->obstacle == PRECISION_OK && b->obstacle == PRECISION_TOO_LONG);
}

/* whether the methods that begin at a and b are variants that do the same at every value, at least
 * one of which both have run */
static bool same_methods(const survey *all, size_t a, size_t b) {
  const size_t count = end_of(all, a) - a;
  const char *const solver = precision_methods[all->point[a].method].solver;
  bool raced = false;
  if (strcmp(solver, precision_methods[all->point[b].method].solver) != 0 ||
      count != end_of(all, b) - b)
    return false;
  for (size_t k = 0; k < count; k++) {
    const precision_point *const p = &all->point[a + k], *const q = &all->point[b + k];
    if (!same_points(p, q)) return false;
    raced = raced || (p->trials && q->trials);
  }
  return raced;
}

static void find_coincidences(survey *all, size_t starts) {
  for (size_t a = 0; a < all->count; a = end_of(all, a)) {
    if (*all->point[a].as) continue;
    for (size_t b = end_of(all, a); b < all->count; b = end_of(all, b)) {
      if (!same_methods(all, a, b)) continue;
      for (size_t i = b; i < end_of(all, b); i++) {
        all->point[i].as = precision_methods[all->point[a].method].name;
        if (all->point[i].trials) precision_settle(&all->point[i], starts + i);
      }
    }
  }
}

/* ---- all points ------------------------------------------------------------------------------ */

int work_precision_survey(study_run *run, const option_names *methods, size_t trials) {
  const size_t points = values_of(methods);
  size_t count;
  const precision_sample *const first = study_rows(run, STUDY_SAMPLES, &count);
  free(run->own);
  survey *const all = run->own = calloc(1, sizeof *all + points * sizeof *all->point);
  if (!all || count < trials + points)
    return measure_fail(run->message, all ? "first runs are missing" : "out of memory");
  for (size_t i = 0; i < points; i++) {
    precision_point *const p = &all->point[all->count++];
    *p = precision_point_of(run, &first[trials + i]);
    if (p->trials == 1) precision_settle(p, trials + i);
  }
  find_coincidences(all, trials);
  return 0;
}
