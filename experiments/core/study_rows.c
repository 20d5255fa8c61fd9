/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of a study's tables, and how they are printed. */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study_run.h"

int study_note_failure(study_run *run) {
  char *const noted = run->private->failure;
  if (!*noted) measure_message(noted, "%s", run->message);
  return -1;
}

int study_noted(study_run *run, int status) {
  const char *const noted = run->private->failure;
  return !status && *noted ? measure_fail(run->message, "%s", noted) : status;
}

int study_out_of_memory(study_run *run) {
  measure_message(run->message, "out of memory");
  return study_note_failure(run);
}

static int reserve(study_row_list *list, size_t row_size) {
  size_t room = list->room, parents = room;
  char *const row = measure_grow(list->row, &room, list->count, row_size);
  size_t *const parent = measure_grow(list->parent, &parents, list->count, sizeof *parent);
  if (row) list->row = row;
  if (parent) list->parent = parent;
  if (row && parent) list->room = room;
  return row && parent ? 0 : -1;
}

int study_rows_append(study_run *run, size_t table, const void *row) {
  const study_table *const t = &run->study->tables[table];
  study_row_list *const list = &run->private->rows[table];
  if (reserve(list, t->row_size)) return study_out_of_memory(run);
  const size_t above = run->private->rows[t->within].count;
  memcpy(list->row + list->count * t->row_size, row, t->row_size);
  list->parent[list->count++] = t->within && above ? above - 1 : 0;
  return 0;
}

/* the sample of a cell under way is kept first, and from there into the table */
int study_add(study_run *run, size_t table, const void *row) {
  if (table != STUDY_SAMPLES) return study_rows_append(run, table, row);
  json_t *const values = json_array();
  for (const column *c = run->study->tables[table].columns; c->name; c++)
    json_array_append_new(values, column_json(c, row));
  return json_array_append_new(run->private->measured, values) ? study_out_of_memory(run) : 0;
}

const void *study_rows(const study_run *run, size_t table, size_t *count) {
  if (count) *count = run->private->rows[table].count;
  return run->private->rows[table].row;
}

static const char *row_at(const study_run *run, size_t table, size_t row) {
  return run->private->rows[table].row + row * run->study->tables[table].row_size;
}

double study_number(const study_run *run, size_t table, size_t row, const char *name) {
  return column_number(column_find(run->study->tables[table].columns, name),
                       row_at(run, table, row));
}

const char *study_words(const study_run *run, size_t table, size_t row, const char *name) {
  return column_text(column_find(run->study->tables[table].columns, name), row_at(run, table, row));
}

const char *study_text(study_run *run, const char *format, ...) {
  struct study_private *const p = run->private;
  va_list values;
  va_start(values, format);
  json_t *const text = json_vsprintf(format, values);
  va_end(values);
  if (!p->texts) p->texts = json_array();
  if (text && !json_array_append_new(p->texts, text)) return json_string_value(text);
  study_out_of_memory(run);
  return "";
}

void study_rows_clear(study_run *run, size_t first) {
  for (size_t i = first; i < STUDY_TABLES_MAX; i++) {
    study_row_list *const list = &run->private->rows[i];
    free(list->row);
    free(list->parent);
    *list = (study_row_list){0};
  }
}

/* ---- printing -------------------------------------------------------------------------------- */

/* "%-23s" and "%9.2e" are 23 and 9 wide; the first is to the left */
static void print_text(const column *c, const char *text) {
  const char *at = c->format + 1;
  const bool left = *at == '-';
  while (*at && !isdigit((unsigned char)*at)) at++;
  const int width = atoi(at);
  printf("%*s", left ? -width : width, text);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void print_value(const column *c, const void *row) {
  const double value = (c->scale != 0.0 ? c->scale : 1.0) * column_number(c, row);
  if (c->kind == COLUMN_TEXT || c->kind == COLUMN_NOTE)
    printf(c->format, column_text(c, row));
  else if (isnan(value))
    print_text(c, "-");
  else
    printf(c->format, value);
}
#pragma GCC diagnostic pop

/* one line: the heads, or a row's values */
static void print_line(const column columns[], const void *row) {
  const char *joint = "";
  for (const column *c = columns; c->name; c++) {
    if (!c->head) continue;
    fputs(joint, stdout);
    if (row)
      print_value(c, row);
    else
      print_text(c, c->head);
    joint = " ";
  }
  putchar('\n');
}

void study_print(const study_run *run, size_t table, size_t first, size_t count) {
  const study_table *const t = &run->study->tables[table];
  const study_row_list *const list = &run->private->rows[table];
  print_line(t->columns, NULL);
  for (size_t i = first; i < list->count && i - first < count; i++) {
    const char *const row = list->row + i * t->row_size;
    if (i > first && t->repeats && t->repeats(row, row - t->row_size)) continue;
    print_line(t->columns, row);
  }
}
