/*
 * A guard reset matrix written entry by entry, in arrays of exactly the size ess.h names, so that a
 * sanitizer sees a read past their ends.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MATRIX_H
#define MATRIX_H

#include "toy.h"

typedef struct matrix {
  size_t guards, row; /* 2m; the row being written */
  size_t *row_start, *guard;
  signed char *effect;
  bool *silent;
  ess_reset_matrix resets;
} matrix;

static inline matrix matrix_begin(size_t guard_count) {
  matrix r = {.guards = 2 * guard_count};
  r.row_start = calloc(r.guards + 2, sizeof *r.row_start);
  r.guard = malloc(1);
  r.effect = malloc(1);
  r.silent = malloc(r.guards ? r.guards * sizeof *r.silent : 1);
  assert_true(r.row_start && r.guard && r.effect && r.silent);
  for (size_t j = 0; j < r.guards; j++) r.silent[j] = false;
  return r;
}

/* rows are written in ascending order; guards without an entry need no call */
static inline void matrix_add(matrix *r, size_t row, size_t guard, int effect) {
  assert_true(row >= r->row && row <= r->guards);
  for (; r->row < row; r->row++) r->row_start[r->row + 2] = r->row_start[r->row + 1];
  const size_t at = r->row_start[row + 1]++;
  r->guard = realloc(r->guard, (at + 1) * sizeof *r->guard);
  r->effect = realloc(r->effect, at + 1);
  assert_true(r->guard && r->effect);
  r->guard[at] = guard;
  r->effect[at] = (signed char)effect;
}

/* the matrix, to be given to a system; after that nothing is added */
static inline const ess_reset_matrix *matrix_end(matrix *r) {
  for (; r->row < r->guards; r->row++) r->row_start[r->row + 2] = r->row_start[r->row + 1];
  r->resets = (ess_reset_matrix){
      .row_start = r->row_start, .guard = r->guard, .effect = r->effect, .silent = r->silent};
  return &r->resets;
}

static inline void matrix_free(matrix *r) {
  // what still looked at it would see rubbish
  memset(r->row_start, 0xff, (r->guards + 2) * sizeof *r->row_start);
  free(r->row_start);
  free(r->guard);
  free(r->effect);
  free(r->silent);
}

/* the paper's pool: no crossing arms any guard; when none is left, all that lie ahead come back */
static inline void matrix_add_pool(matrix *r, bool one_way) {
  for (size_t j = 0; j < r->guards; j++)
    if (!one_way || j % 2 == 0) matrix_add(r, r->guards, j, 1);
}

/* crossing a guard arms its mirror image */
static inline void matrix_add_mirror(matrix *r) {
  for (size_t j = 0; j < r->guards; j++) matrix_add(r, j, j % 2 ? j - 1 : j + 1, 1);
}

#endif
