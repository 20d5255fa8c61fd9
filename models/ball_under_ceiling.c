/*
 * A ball thrown at a ceiling: it lands and is let go at one instant (section 3.4).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "contact_model.h"
#include "contact_models.h"

enum { HEIGHT, SPEED, DELTA_T, DURATION, PARAMETER_COUNT };

static const model_parameter parameters[PARAMETER_COUNT] = {
    [HEIGHT] = {"height", 0.5, 0, 100, false, NULL,
                "height of the ceiling above the initial position, m"},
    [SPEED] = {"speed", 4, -1e3, 1e3, false, NULL, "initial upward speed, m/s"},
    [DELTA_T] = CONTACT_DELTA_T,
    [DURATION] = CONTACT_DURATION(1),
};

static const char *const state_names[] = {"z", "vz"};
static const char *const names[] = {"1"};
static const mechanism_constraint constraints[] = {{.normal = 0}};

typedef struct ball {
  contact_model base;
  double height;
} ball;

static void inertia(const double q[], double M[], void *params) {
  (void)q, (void)params;
  M[0] = 1;
}

static void potential(const double q[], double N[], void *params) {
  (void)q, (void)params;
  N[0] = contact_gravity;
}

static void gaps(const double q[], double a[], void *params) {
  const ball *const p = params;
  a[0] = p->height - q[0];
}

static void rows(const double q[], double A[], void *params) {
  (void)q, (void)params;
  A[0] = -1;
}

static int prepare(model *m, char message[MODEL_MESSAGE_SIZE]) {
  ball *const p = calloc(1, sizeof *p);
  if (!p) return contact_model_prepare(m, NULL, 0, message);
  p->height = m->value[HEIGHT];
  p->base.names = names;
  p->base.m = (mechanism){.coordinates = 1,
                          .constraints = 1,
                          .constraint = constraints,
                          .inertia = inertia,
                          .potential = potential,
                          .gaps = gaps,
                          .rows = rows,
                          .params = p};
  p->base.start[1] = m->value[SPEED];
  return contact_model_prepare(m, &p->base, m->value[DELTA_T], message);
}

const model_type ball_under_ceiling_type = {
    .name = "ball-under-ceiling",
    .summary = "a ball thrown at a ceiling (contact modes, section 3.4)",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .dimension = 2,
    .state_names = state_names,
    .prepare = prepare,
    CONTACT_MODEL_MEMBERS,
};
