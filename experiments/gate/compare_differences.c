/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What two sets of results must have in common for their times to be comparable. */
#include <stdio.h>
#include <string.h>

#include "compare.h"

/* members at the top of sweep.json, and below its environment; the compiler and the commit may
 * differ: they are what is compared */
static const char *const top[] = {"seed", "protocol", "trials", "epsilon"};

static bool equal(const json_t *a, const json_t *b) {
  if (json_is_number(a) && json_is_number(b)) return json_number_value(a) == json_number_value(b);
  return a && b ? json_equal(a, b) : a == b;
}

/* notes one member unless it is the same; absent is null */
static int note(json_t *differences, const char *what, const char *name, json_t *a, json_t *b) {
  if (equal(a, b)) return 0;
  char text[128];
  snprintf(text, sizeof text, "%s%s%s", what, *what ? " " : "", name);
  return json_array_append_new(differences,
                               json_pack("{s:s, s:O?, s:O?}", "name", text, "a", a, "b", b));
}

/* every member of two objects but one; those only B has are seen from its side */
static int note_members(json_t *differences, const char *what, json_t *a, json_t *b,
                        const char *but) {
  const char *name;
  json_t *value;
  int failed = 0;
  json_object_foreach(a, name, value) {
    if (strcmp(name, but) != 0)
      failed |= note(differences, what, name, value, json_object_get(b, name));
  }
  json_object_foreach(b, name, value) {
    if (strcmp(name, but) != 0 && !json_object_get(a, name))
      failed |= note(differences, what, name, NULL, value);
  }
  return failed;
}

json_t *compare_differences(const compare_set *a, const compare_set *b) {
  json_t *const differences = json_array(), *const x = a->metadata, *const y = b->metadata;
  if (!differences) return NULL;
  int failed = 0;
  for (size_t i = 0; i < sizeof top / sizeof *top; i++)
    failed |= note(differences, "", top[i], json_object_get(x, top[i]), json_object_get(y, top[i]));

  // contacts are swept, and the epsilon that was used stands at the top
  failed |= note_members(differences, "model", json_object_get(x, "model"),
                         json_object_get(y, "model"), "contacts");
  failed |= note_members(differences, "settings", json_object_get(x, "settings"),
                         json_object_get(y, "settings"), "epsilon");

  json_t *const here = json_object_get(x, "environment"), *const there =
                                                              json_object_get(y, "environment");
  failed |= note(differences, "MuJoCo", "version",
                 json_object_get(json_object_get(here, "mujoco"), "version"),
                 json_object_get(json_object_get(there, "mujoco"), "version"));
  failed |=
      note(differences, "", "cpu", json_object_get(here, "cpu"), json_object_get(there, "cpu"));
  if (!failed) return differences;
  json_decref(differences);
  return NULL;
}
