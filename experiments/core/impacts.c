/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "impacts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_file.h"

int impacts_begin(impacts *list, const model *m, const double x0[]) {
  *list = (impacts){.m = m};
  if (!m->type->describe_start || !m->type->describe_impact) return -1;
  return m->type->describe_start(m, x0, list->start);
}

int impacts_add(const ess_impact *impact, void *context) {
  impacts *const list = context;
  model_impact *const of = measure_grow(list->of, &list->room, list->count, sizeof *of);
  if (!of) return -1;
  list->of = of;
  return list->m->type->describe_impact(list->m, impact, &list->of[list->count++]);
}

json_t *impacts_json(const impacts *list) {
  json_t *const array = json_array();
  for (size_t i = 0; i < list->count; i++) {
    const model_impact *const at = &list->of[i];
    for (size_t k = 0; k < at->count; k++)
      json_array_append_new(array,
                            json_pack("{s:o, s:s, s:o, s:s, s:s, s:o}", "t",
                                      measure_json_number(at->t), "contact", at->landed[k].contact,
                                      "speed", measure_json_number(at->landed[k].speed),
                                      "mode_before", at->before, "mode_after", at->held, "impulse",
                                      measure_json_number(at->landed[k].impulse)));
  }
  return array;
}

static void append_mode(json_t *array, double t, const char *mode) {
  json_array_append_new(array, json_pack("{s:o, s:s}", "t", measure_json_number(t), "mode", mode));
}

json_t *impacts_modes_json(const impacts *list) {
  json_t *const array = json_array();
  append_mode(array, 0, list->start);
  for (size_t i = 0; i < list->count; i++) {
    const model_impact *const at = &list->of[i];
    if (strcmp(at->held, at->before) != 0) append_mode(array, at->t, at->held);
    if (strcmp(at->after, at->held) != 0) append_mode(array, at->t, at->after);
  }
  return array;
}

static void count_choices(const impacts *list, size_t *none, size_t *several) {
  *none = *several = 0;
  for (size_t i = 0; i < list->count; i++) {
    *none += list->of[i].solutions == 0;
    *several += list->of[i].solutions > 1;
  }
}

json_t *impacts_choices_json(const impacts *list) {
  size_t none, several;
  count_choices(list, &none, &several);
  return json_pack("{s:I, s:I}", "none", (json_int_t)none, "several", (json_int_t)several);
}

void impacts_print(const impacts *list) {
  printf("  %12s  %-10s %14s %15s  mode\n", "t (s)", "contact", "speed (m/s)", "impulse (N s)");
  printf("  %12s  %-10s %14s %15s  %s\n", "0", "", "", "", list->start);
  for (size_t i = 0; i < list->count; i++) {
    const model_impact *const at = &list->of[i];
    for (size_t k = 0; k < at->count; k++)
      printf("  %12.9g  %-10s %14.7g %15.7g  %s\n", at->t, at->landed[k].contact,
             at->landed[k].speed, at->landed[k].impulse, at->held);
    if (strcmp(at->after, at->held) != 0)
      printf("  %12.9g  %-10s %14s %15s  %s\n", at->t, "", "", "", at->after);
  }
  size_t none, several;
  count_choices(list, &none, &several);
  printf("impacts without a mode by pseudo-impulses: %zu, with several: %zu\n", none, several);
}

void impacts_free(impacts *list) {
  free(list->of);
  *list = (impacts){0};
}
