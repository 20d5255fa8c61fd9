/*
 * A rigid body in a plane that touches the ground with two points, as a MuJoCo scene: spheres so
 * small that they are points, at the body's corners, above a plane.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>

#include "corner_springs.h"
#include "mjcf_writer.h"

/* A point of MuJoCo's has a radius: this one, m. The gap is exact, the arm of friction longer by
 * it.
 */
static const double point_radius = 1e-6;

/* corners that stick do so by friction: MuJoCo's default, enough for a block that is no flatter */
static const double sticking = 1.0;

static int contact_law(const model *m, mjcf_contact *contact, char message[MODEL_MESSAGE_SIZE]) {
  (void)message;
  const corner_springs *p = m->data;
  *contact = (mjcf_contact){
      .stiffness = p->stiffness,
      .damping = p->damping,
      // mean of the inverse weights along x (1/m), y (0, no joint) and z (1/m)
      .inverse_weight = 2.0 / (3.0 * p->mass),
      .friction = p->sticks ? sticking : 0.0,
  };
  return 0;
}

static double gravity(const model *m) {
  return ((const corner_springs *)m->data)->gravity;
}

static void describe(const model *m, char text[MJCF_COMMENT_SIZE]) {
  const corner_springs *p = m->data;
  char number[6][MJCF_NUMBER_SIZE];
  const double value[] = {p->mass,    p->inertia,
                          p->ground,  p->stiffness,
                          p->damping, MJCF_IMPEDANCE / (1.0 - MJCF_IMPEDANCE) * 1.5 * p->mass};
  for (size_t i = 0; i < 6; ++i) mjcf_format(value[i], number[i]);
  snprintf(
      text, MJCF_COMMENT_SIZE,
      "\n"
      "  A body of mass m = %s kg and inertia I = %s kg m^2 that moves in the x-z plane, with\n"
      "  coordinates x, z and phi (positive phi lifts the +x side). Two points of it touch the\n"
      "  ground at height %s m, which pushes with F = k p + c dp/dt at depth p > 0 while F > 0,\n"
      "  k = %s N/m, c = %s N s/m. %s\n"
      "  MuJoCo's contact with constant impedance d, solref = (-k A (1-d), -c A (1-d)) and A =\n"
      "  body_invweight0 = 2/(3m) is this force and an added mass d/((1-d) A) = %s kg, which the\n"
      "  bare scene keeps. With a time constant for solref contacts are MuJoCo's own instead.\n",
      number[0], number[1], number[2], number[3], number[4],
      p->sticks ? "Points stick by friction, of which MuJoCo has the\n  damper and not the "
                  "spring to where they touched down."
                : "Points slide.",
      number[5]);
}

static void fixed_geom(size_t i, char name[MJCF_NAME_SIZE]) {
  (void)i;
  snprintf(name, MJCF_NAME_SIZE, "ground");
}

static void moving_geom(size_t i, char name[MJCF_NAME_SIZE]) {
  snprintf(name, MJCF_NAME_SIZE, "corner%zu", i);
}

static void ground(mjcf_writer *w, const corner_springs *p) {
  const double size[] = {10.0, 10.0, 1.0}, position[] = {0.0, 0.0, p->ground - point_radius};
  char name[MJCF_NAME_SIZE];
  fixed_geom(0, name);
  mjcf_plane(w, name, size, position);
}

static void corner(mjcf_writer *w, const corner_springs *p, size_t i) {
  const double position[] = {p->corner[i][0], 0.0, p->corner[i][1]};
  char name[MJCF_NAME_SIZE];
  moving_geom(i, name);
  mjcf_start(w, "geom");
  mjcf_text(w, "name", name);
  mjcf_text(w, "class", "moving");
  mjcf_text(w, "type", "sphere");
  mjcf_number(w, "size", point_radius);
  mjcf_numbers(w, "pos", 3, position);
  mjcf_end(w);
}

static void bodies(mjcf_writer *w, const model *m, const mjcf_options *o) {
  const corner_springs *p = m->data;
  double x0[MODEL_DIMENSION_MAX];
  m->type->initial_state(m, x0);
  if (!o->by_callback) ground(w, p);

  // the body stands level where the model starts; coordinates stay the model's own
  const double position[] = {0.0, 0.0, x0[CORNERS_Z]};
  mjcf_start(w, "body");
  mjcf_text(w, "name", "body");
  mjcf_numbers(w, "pos", 3, position);
  mjcf_inertial(w, (const double[]){0.0, 0.0, 0.0}, p->mass, p->inertia);
  mjcf_joint(w, "x", "slide", (const double[]){1.0, 0.0, 0.0}, 0.0);
  mjcf_joint(w, "z", "slide", (const double[]){0.0, 0.0, 1.0}, x0[CORNERS_Z]);
  mjcf_joint(w, "phi", "hinge", (const double[]){0.0, -1.0, 0.0}, 0.0);
  for (size_t i = 0; i < CORNERS && !o->by_callback; ++i) corner(w, p, i);
  mjcf_end(w);
}

#define CORNERS_SCENE                                                                              \
  .coordinates = 3, .contact = contact_law, .gravity = gravity, .describe = describe,              \
  .bodies = bodies, .fixed_geom = fixed_geom, .moving_geom = moving_geom

const mjcf_emitter mjcf_block_on_springs = {.model = "block-on-springs", CORNERS_SCENE};
const mjcf_emitter mjcf_trot_on_springs = {.model = "trot-on-springs", CORNERS_SCENE};
