/*
 * Private to the bridge: what a prepared instance holds.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BRIDGE_INSTANCE_H
#define BRIDGE_INSTANCE_H

#include "bridge_guard.h"
#include "bridge_scene.h"

typedef struct bridge_instance {
  const model *model; /* the caller's */
  bridge_scene scene;
  size_t substeps;             /* mj_step calls per output step; 0: a step is longer than that */
  size_t stride;               /* output steps per mj_step; 1 unless substeps is 0 */
  uint64_t fields_per_step;    /* evaluations of the dynamics in one mj_step */
  unsigned char *now, *before; /* contacts acting at two successive samples */
  bool by_callback;            /* who adds their force: the callback, or MuJoCo's contacts */
} bridge_instance;

/* Everything of MuJoCo's as new, and the state of x. */
void bridge_instance_set(bridge_instance *b, const double x[]);

/* As bridge_guarded, with the instance's callback in force meanwhile, where it has one. */
bool bridge_instance_guarded(bridge_instance *b, void (*work)(void *context), void *context,
                             bridge_complaint *complaint);

/* Says in MuJoCo's data whose they are, for the callback: after each reset. */
void bridge_callback_set(bridge_instance *b);

/* Whether a callback can add the model's force: 0, or SOLVER_REFUSED with one line. */
int bridge_callback_check(const model *m, char message[SOLVER_MESSAGE_SIZE]);

#endif
