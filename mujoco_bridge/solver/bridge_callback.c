/*
 * The contact force as a callback: what a user of MuJoCo writes for springs. MuJoCo asks for
 * passive forces whenever it evaluates the dynamics, and the model's is added to them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <string.h>

#include "bridge.h"
#include "bridge_instance.h"
#include "bridge_status.h"

int bridge_callback_check(const model *m, char message[SOLVER_MESSAGE_SIZE]) {
  mjcf_contact contact;
  char why[MODEL_MESSAGE_SIZE];
  if (!m->type->contact_force)
    return SOLVER_REFUSE(
        message,
        "mujoco-callback: %s has no contact force that a callback could add; hopper, "
        "plate, trot-on-springs and, without friction, block-on-springs have",
        m->type->name);
  if (mjcf_contact_of(m, &contact, why) == 0 && contact.friction > 0.0)
    return SOLVER_REFUSE(
        message,
        "mujoco-callback: corners of %s stick, and where to is no part of MuJoCo's "
        "state; use --friction none",
        m->type->name);
  return 0;
}

void bridge_callback_set(bridge_instance *b) {
  _Static_assert(sizeof b <= sizeof *b->scene.data->userdata, "a pointer fits into a number");
  memcpy(b->scene.data->userdata, &b, sizeof b);
}

/* MuJoCo hands over nothing but its own, of which the user's data say whose it is */
static void add_force(const mjModel *m, mjData *d) {
  const bridge_instance *b;
  double x[MODEL_DIMENSION_MAX], force[MODEL_DIMENSION_MAX];
  memcpy(&b, d->userdata, sizeof b);
  memcpy(x, d->qpos, (size_t)m->nq * sizeof *x);
  memcpy(x + m->nq, d->qvel, (size_t)m->nv * sizeof *x);
  if (b->model->type->contact_force(b->model, x, force))
    mju_error("the contact force of %s failed", b->model->type->name);
  for (int j = 0; j < (int)m->nv; ++j) d->qfrc_passive[j] += force[j];
}

bool bridge_instance_guarded(bridge_instance *b, void (*work)(void *context), void *context,
                             bridge_complaint *complaint) {
  if (!b->by_callback) return bridge_guarded(work, context, complaint);

  // an error comes back here, too
  const mjfGeneric callers = mjcb_passive;
  mjcb_passive = add_force;
  const bool quiet = bridge_guarded(work, context, complaint);
  mjcb_passive = callers;
  return quiet;
}
