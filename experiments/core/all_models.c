/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "all_models.h"

#include <string.h>

#ifdef ESS_ROBOTS
#include "robot_model.h"
static const model_type *const from_files[] = {&robot_model_type, NULL};
#else
static const model_type *const from_files[] = {NULL};
#endif

const model_type *all_models_at(size_t i) {
  size_t count = 0;
  while (model_types[count]) count++;
  return i < count ? model_types[i] : from_files[i > count ? 1 : 0];
}

const model_type *all_models_find(const char *name) {
  for (size_t i = 0; all_models_at(i); i++)
    if (strcmp(all_models_at(i)->name, name) == 0) return all_models_at(i);
  return NULL;
}
