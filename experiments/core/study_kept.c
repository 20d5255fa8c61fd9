/*
 * A file of results in which every model keeps its place.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <string.h>

#include "study_run.h"

static bool is_numbered(const model_type *type) {
  for (size_t i = 0; i < type->parameter_count; i++)
    if (strcmp(type->parameters[i].name, "contacts") == 0) return true;
  return false;
}

void study_case_name(const study_run *run, char name[STUDY_CELL_NAME_SIZE]) {
  const model *const m = run->m;
  if (is_numbered(m->type))
    snprintf(name, STUDY_CELL_NAME_SIZE, "%s_%.0f", m->type->name, model_get(m, "contacts"));
  else
    snprintf(name, STUDY_CELL_NAME_SIZE, "%s", m->type->name);
}

void study_keep(const study_run *run, json_t *results, const json_t *earlier) {
  const study_table *const t = &run->study->tables[run->study->kept];
  json_t *const ours = json_array_get(json_object_get(results, t->json), 0);
  const json_t *const name = json_object_get(ours, t->columns[0].name);
  json_t *const cases = json_array(), *one;
  size_t i;
  bool placed = false;
  json_array_foreach(json_object_get(earlier, t->json), i, one) {
    const bool replaced = json_equal(json_object_get(one, t->columns[0].name), name);
    json_array_append(cases, replaced ? ours : one);
    placed = placed || replaced;
  }
  if (!placed) json_array_append(cases, ours);
  json_object_set_new(results, t->json, cases);
}
