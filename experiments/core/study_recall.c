/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results of runs that have ended: from the database into a study's tables. */
#include <stdlib.h>
#include <string.h>

#include "json_file.h"
#include "study_run.h"

static int take_row(study_run *run, size_t table, const json_t *values, size_t above, void *row) {
  const study_table *const t = &run->study->tables[table];
  study_row_list *const list = &run->private->rows[table];
  size_t k = 0;
  for (; t->columns[k].name; k++)
    if (!column_take(&t->columns[k], json_array_get(values, k), row))
      return measure_fail(run->message, "%s/essbench.sqlite has no %s for %s; move it away",
                          run->folder, t->columns[k].name, run->study->name);
  if (study_rows_append(run, table, row)) return -1;
  list->parent[list->count - 1] = above + (size_t)json_integer_value(json_array_get(values, k));
  return 0;
}

/* a table's rows of a run, whose texts are borrowed; those that they are within begin at `above` */
static int take_table(study_run *run, json_int_t number, size_t table, size_t above) {
  json_t *const rows = study_store_rows(run, number, table, NULL);
  void *const row = calloc(1, run->study->tables[table].row_size);
  int status = rows && row ? 0 : -1;
  for (size_t i = 0; !status && i < json_array_size(rows); i++)
    status = take_row(run, table, json_array_get(rows, i), above, row);
  if (rows) json_array_append_new(run->private->recalled, rows);
  free(row);
  return status;
}

/* behind those that are there */
static int add_run(study_run *run, json_int_t number) {
  const study *const s = run->study;
  size_t before[STUDY_TABLES_MAX];
  int status = 0;
  for (size_t i = 0; i < STUDY_TABLES_MAX; i++) before[i] = run->private->rows[i].count;
  for (size_t i = 1; !status && i < STUDY_TABLES_MAX && s->tables[i].columns; i++)
    if (study_store_keeps(s, i)) status = take_table(run, number, i, before[s->tables[i].within]);
  return status;
}

int study_recall_run(study_run *run, json_int_t number) {
  study_rows_clear(run, STUDY_SAMPLES + 1);
  return add_run(run, number);
}

/* what the file is of: for each case the run that ended last, in the order they came */
int study_recall(study_run *run) {
  json_t *runs, *one;
  size_t i;
  int status = 0;
  if (study_store_ask(
          run,
          "SELECT id, head FROM (SELECT max(id) AS id, min(id) AS first FROM run WHERE study = ? "
          "AND ended IS NOT NULL GROUP BY place) JOIN run USING (id) ORDER BY first",
          json_pack("[s]", run->study->name), &runs))
    return -1;
  study_rows_clear(run, STUDY_SAMPLES + 1);
  json_array_clear(run->private->heads);
  json_array_foreach(runs, i, one) {
    json_array_append_new(run->private->heads,
                          measure_json_parse(json_string_value(json_array_get(one, 1))));
    if (!status) status = add_run(run, json_integer_value(json_array_get(one, 0)));
  }
  json_decref(runs);
  return status;
}
