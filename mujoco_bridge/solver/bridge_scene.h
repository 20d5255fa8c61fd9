/*
 * Private to the bridge: a compiled scene that realises a model's contact law.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BRIDGE_SCENE_H
#define BRIDGE_SCENE_H

#include <mujoco/mujoco.h>

#include "mjcf.h"
#include "solver.h"

typedef struct bridge_scene {
  mjModel *model;
  mjData *data;
  double inverse_weight; /* A as compiled; NaN: there are no contacts, as of scaling */
  double scaling;        /* s in force; 0: contacts are MuJoCo's own */
} bridge_scene;

/*
 * Compiles `text`, or what mjcf_write writes for the options when it is NULL, and turns its
 * contacts into the model's springs and dampers with the added mass divided by `scaling`, unless
 * options give them a time constant, or there are none. 0, or a solver_status with one line. Free
 * with bridge_scene_free, which accepts a scene never opened if zeroed.
 */
int bridge_scene_open(bridge_scene *scene, const model *m, const mjcf_options *options,
                      const char *text, double scaling, char message[SOLVER_MESSAGE_SIZE]);
void bridge_scene_free(bridge_scene *scene);

/* One line for the first kind of warning mjData has counted. False when there is none. */
bool bridge_scene_warned(const mjData *d, char message[SOLVER_MESSAGE_SIZE]);

#endif
