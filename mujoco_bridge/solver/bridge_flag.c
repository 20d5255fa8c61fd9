/*
 * MuJoCo's own switches, one at a time and by its own names, on a prepared instance.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>

#include "bridge.h"
#include "bridge_guard.h"
#include "bridge_instance.h"
#include "bridge_version.h"

bool bridge_has_flag(const char *name) {
  return bridge_version_has_flag(name);
}

static int has_none(const char *name, char message[SOLVER_MESSAGE_SIZE]) {
  return SOLVER_REFUSE(message, "mujoco: MuJoCo %s has no flag %.60s", bridge_version_string(),
                       name);
}

int bridge_instance_line_search(void *instance, const char *name, double value,
                                char message[SOLVER_MESSAGE_SIZE]) {
  bridge_instance *b = instance;
  return bridge_version_line_search(b->scene.model, name, value) ? 0 : has_none(name, message);
}

static void renew_data(void *context) {
  bridge_scene *scene = context;
  mj_deleteData(scene->data);
  scene->data = NULL;
  scene->data = mj_makeData(scene->model);
}

int bridge_instance_flag(void *instance, const char *name, bool on,
                         char message[SOLVER_MESSAGE_SIZE]) {
  bridge_instance *b = instance;
  if (!bridge_version_has_flag(name)) return has_none(name, message);
  bridge_version_flag(b->scene.model, name, on);

  // what is allocated depends on some of the flags
  bridge_complaint complaint;
  if (bridge_guarded(renew_data, &b->scene, &complaint) && b->scene.data) return 0;
  return SOLVER_FAIL(message, "mujoco: flag %.60s: %s", name,
                     complaint.text[0] ? complaint.text : "out of memory");
}
