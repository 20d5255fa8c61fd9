/*
 * A rigid body in a plane, two points of which touch the ground on springs: what models have in
 * common that are rigid mechanisms with their contacts made soft.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MODEL_CORNER_SPRINGS_H
#define MODEL_CORNER_SPRINGS_H

#include "model.h"

enum { CORNERS = 2 };

/* The state. Where corners stick, each is held where it last touched down: its anchor. */
enum {
  CORNERS_X,
  CORNERS_Z,
  CORNERS_PHI,
  CORNERS_VX,
  CORNERS_VZ,
  CORNERS_OMEGA,
  CORNERS_ANCHOR,
  CORNERS_STATES = CORNERS_ANCHOR + CORNERS
};

/*
 * Corner i, a_i above the ground, is pushed up by F_i = -k a_i - c da_i/dt while it is below and
 * F_i > 0. Where corners stick it is pulled to its anchor along the ground, too, as long as it is
 * below, by a spring and a damper alike. Event functions are -a_i, then F_i; touch-downs are
 * impacts.
 */
typedef struct corner_springs {
  double mass, inertia, gravity, ground; /* ground: its height */
  double corner[CORNERS][2];             /* from the centre, at angle 0 */
  double stiffness, damping;
  bool sticks;
} corner_springs;

/* The damping c = 2 ratio sqrt(k m). */
double corner_springs_damping(double stiffness, double mass, double ratio);

/* A corner from the centre, at an angle. */
void corner_springs_from(const corner_springs *p, int corner, double phi, double from[2]);

/* Copies `p` to the model's data, and makes its system. 0, or -1 with one line. */
int corner_springs_prepare(model *m, const corner_springs *p, char message[MODEL_MESSAGE_SIZE]);

/* Members of model_type. */
void corner_springs_release(model *m);
size_t corner_springs_contact_count(const model *m);
void corner_springs_active_contacts(const model *m, const double x[], unsigned char active[]);
int corner_springs_contact_force(const model *m, const double x[], double force[]);
bool corner_springs_changes_field(const model *m, size_t guard, const double sign[]);
int corner_springs_reference(const model *m, const double x0[], model_reference *out,
                             char message[MODEL_MESSAGE_SIZE]);

#define CORNER_SPRINGS_MEMBERS                                                                     \
  .dimension = CORNERS_STATES, .time_step = 0.002, .release = corner_springs_release,              \
  .reference = corner_springs_reference, .contact_count = corner_springs_contact_count,            \
  .active_contacts = corner_springs_active_contacts,                                               \
  .contact_force = corner_springs_contact_force, .changes_field = corner_springs_changes_field

extern const model_type block_on_springs_type, trot_on_springs_type;

#endif
