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
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record.h"
#include "solver.h"
#include "study_run.h"

typedef struct made_up {
  study_run run;
  struct study_private private;
  study_request request;
  char message[SOLVER_MESSAGE_SIZE];
  size_t ended; /* cells */
} made_up;

/* A study with these settings, without a sample. It must stay where it is. */
static inline void make_up(made_up *u, const study *s, const void *settings) {
  *u = (made_up){.run = {.study = s, .settings = settings, .folder = ".", .seed = 1}};
  u->run.private = &u->private;
  u->run.message = u->message;
  u->private.request = &u->request;
  u->private.recalled = json_array();
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

/* Keeps so many samples as those of a cell. */
static inline void keep_cell(made_up *u, const char *name, size_t first, size_t count) {
  const study_table *const t = &u->run.study->tables[STUDY_SAMPLES];
  json_t *const rows = json_array();
  for (size_t i = first; i < first + count; i++) {
    const char *const row = u->private.rows[STUDY_SAMPLES].row + i * t->row_size;
    json_t *const values = json_array();
    for (const column *c = t->columns; c->name; c++)
      json_array_append_new(values, column_json(c, row));
    json_array_append_new(rows, values);
  }
  if (study_store_keep(&u->run, json_pack("{s:s, s:o}", "cell", name, "rows", rows)))
    fail_msg("%s", u->message);
}

/* A run in the folder's database, with the samples given: by their cells, or else as one. */
static inline void keep_samples(made_up *u) {
  const study_run *const run = &u->run;
  json_t *const settings = json_object();
  if (run->m)
    json_object_set_new(settings, "model", json_pack("{s:s}", "name", run->m->type->name));
  if (study_store_enter(&u->run, "", "", "") ||
      study_store_ask(
          &u->run, "INSERT INTO run (study, place, settings, host, seed) VALUES (?, '', ?, '', ?)",
          json_pack("[s, o, I]", run->study->name, settings, (json_int_t)run->seed), NULL))
    fail_msg("%s", u->message);
  u->private.number = measure_store_inserted(u->private.store);
  for (size_t i = 0; i < u->ended; i++)
    keep_cell(u, u->private.cell[i].name, u->private.cell[i].first, u->private.cell[i].count);
  if (!u->ended) keep_cell(u, "all", 0, u->private.rows[STUDY_SAMPLES].count);
}

/* What it derives from those given, in place of what it had: 0, or -1 with a message. The tables
 * that SQL derives are in no database any more, then. */
static inline int derived(made_up *u) {
  char folder[] = "made_up.XXXXXX", path[RECORD_PATH_SIZE];
  const study *const s = u->run.study;
  study_rows_clear(&u->run, STUDY_SAMPLES + 1);
  if (!u->private.recalled) u->private.recalled = json_array();
  if (study_noted(&u->run, s->derive ? s->derive(&u->run) : 0)) return -1;
  assert_non_null(mkdtemp(folder));
  u->run.folder = folder;
  keep_samples(u);
  const int status = study_store_tables(&u->run);
  measure_store_close(u->private.store);
  u->private.store = NULL;
  unlink(record_path(path, folder, "essbench.sqlite"));
  rmdir(folder);
  return status;
}

static inline void rederive(made_up *u) {
  if (derived(u)) fail_msg("%s", u->message);
}

/* A row of a table, and values of it by the names of columns. */
static inline const void *made_row(const made_up *u, size_t table, size_t row) {
  const study_row_list *const list = &u->private.rows[table];
  if (row >= list->count) fail_msg("%zu rows, not %zu", list->count, row + 1);
  return list->row + row * u->run.study->tables[table].row_size;
}

static inline const column *column_of(const made_up *u, size_t table, const char *name) {
  const column *const c = column_find(u->run.study->tables[table].columns, name);
  if (!c) fail_msg("there is no column %s", name);
  return c;
}

static inline double number_at(const made_up *u, size_t table, size_t row, const char *name) {
  made_row(u, table, row);
  column_of(u, table, name);
  return study_number(&u->run, table, row, name);
}

static inline const char *text_at(const made_up *u, size_t table, size_t row, const char *name) {
  made_row(u, table, row);
  column_of(u, table, name);
  return study_words(&u->run, table, row, name);
}

/* An interval, whose ends are not known where it is not. */
static inline void interval_at(const made_up *u, size_t table, size_t row, const char *name,
                               double ends[2]) {
  const column alone = {.kind = COLUMN_INTERVAL};
  json_t *const value = column_json(column_of(u, table, name), made_row(u, table, row));
  assert_true(column_take(&alone, value, ends));
  json_decref(value);
}

/* What it has of settings: not known, infinite, or a number. */
static inline solver_settings settings_at(const made_up *u, size_t table, size_t row) {
  const column alone = {.kind = COLUMN_SETTINGS};
  const column *const c = column_of(u, table, "settings");
  const column_values *const values = made_row(u, table, row);
  solver_settings settings;
  assert_true(column_take(&alone, values->value[c - values->columns], &settings));
  return settings;
}

static inline void dispose(made_up *u) {
  study_rows_clear(&u->run, STUDY_SAMPLES);
  json_decref(u->private.texts);
  json_decref(u->private.recalled);
  u->private.texts = u->private.recalled = NULL;
}

/* Without a cell and a sample again. */
static inline void start_anew(made_up *u) {
  dispose(u);
  study_cells_free(&u->run);
  u->private.cell = NULL;
  u->private.cells = u->private.room = u->ended = 0;
}

#endif
