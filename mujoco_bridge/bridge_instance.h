/*
 * Private to the bridge: what a prepared instance holds.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BRIDGE_INSTANCE_H
#define BRIDGE_INSTANCE_H

#include "bridge_scene.h"

typedef struct bridge_instance {
  const model *model; /* the caller's */
  bridge_scene scene;
  size_t substeps;             /* mj_step calls per output step; 0: a step is longer than that */
  size_t stride;               /* output steps per mj_step; 1 unless substeps is 0 */
  uint64_t fields_per_step;    /* evaluations of the dynamics in one mj_step */
  unsigned char *now, *before; /* contacts acting at two successive samples */
} bridge_instance;

/* Everything of MuJoCo's as new, and the state of x. */
void bridge_instance_set(bridge_instance *b, const double x[]);

#endif
