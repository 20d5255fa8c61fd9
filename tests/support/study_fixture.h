/*
 * A study on made-up samples: what it derives from them, without running a cell.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef STUDY_FIXTURE_H
#define STUDY_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "solver.h"
#include "study_run.h"

typedef struct made_up {
  study_run run;
  struct study_private private;
  char message[SOLVER_MESSAGE_SIZE];
  size_t ended; /* cells */
} made_up;

/* A study with these settings, without a sample. It must stay where it is. */
static inline void make_up(made_up *u, const study *s, const void *settings) {
  *u = (made_up){.run = {.study = s, .settings = settings, .folder = ".", .seed = 1}};
  u->run.private = &u->private;
  u->run.message = u->message;
}

/* A sample more. */
static inline void give(made_up *u, const void *sample) {
  assert_int_equal(study_rows_append(&u->run, STUDY_SAMPLES, sample), 0);
}

/* The next cell of the plan has the samples given since the last one. */
static inline void end_cell(made_up *u) {
  study_planned *const one = &u->private.cell[u->ended];
  if (u->ended) one->first = one[-1].first + one[-1].count;
  one->count = u->private.rows[STUDY_SAMPLES].count - one->first;
  u->ended++;
}

/* What it derives from those given, in place of what it had. */
static inline void rederive(made_up *u) {
  study_rows_clear(&u->run, STUDY_SAMPLES + 1);
  if (study_noted(&u->run, u->run.study->derive(&u->run))) fail_msg("%s", u->message);
}

static inline void dispose(made_up *u) {
  study_rows_clear(&u->run, STUDY_SAMPLES);
  json_decref(u->private.texts);
  u->private.texts = NULL;
}

/* Without a cell and a sample again. */
static inline void start_anew(made_up *u) {
  dispose(u);
  study_cells_free(&u->run);
  u->private.cell = NULL;
  u->private.cells = u->private.room = u->ended = 0;
}

#endif
