/*
 * The hopper as a MuJoCo scene: a ball on a vertical slide above a plane at the spring's free
 * length, so that the penetration is L0 - z.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>

#include "hopper.h"
#include "mjcf_writer.h"

static int contact_law(const model *m, mjcf_contact *contact, char message[MODEL_MESSAGE_SIZE]) {
  (void)message;
  const hopper_parameters *p = hopper_get(m);
  *contact = (mjcf_contact){
      .stiffness = p->stiffness,
      .damping = 0.0,
      // mean of the inverse weights along x and y (0, no joint) and z (1/m)
      .inverse_weight = 1.0 / (3.0 * p->mass),
  };
  return 0;
}

static double gravity(const model *m) {
  return hopper_get(m)->gravity;
}

static void describe(const model *m, char text[MJCF_COMMENT_SIZE]) {
  const hopper_parameters *p = hopper_get(m);
  char number[4][MJCF_NUMBER_SIZE];
  const double value[] = {p->mass, p->free_length, p->stiffness,
                          MJCF_IMPEDANCE / (1.0 - MJCF_IMPEDANCE) * 3.0 * p->mass};
  for (size_t i = 0; i < 4; ++i) mjcf_format(value[i], number[i]);
  snprintf(
      text, MJCF_COMMENT_SIZE,
      "\n"
      "  A point mass m = %s kg at height z above a massless vertical spring of free length\n"
      "  L0 = %s m, which pushes with F = k (L0 - z) while z < L0, k = %s N/m. The ball's lowest\n"
      "  point is the mass and the plane is the spring's free end. MuJoCo's contact with\n"
      "  constant impedance d, solref = (-k A (1-d), 0) and A = body_invweight0 = 1/(3m) is this\n"
      "  force and an added mass d/((1-d) A) = %s kg, which the bare scene keeps.\n",
      number[0], number[1], number[2], number[3]);
}

static void fixed_geom(size_t i, char name[MJCF_NAME_SIZE]) {
  (void)i;
  snprintf(name, MJCF_NAME_SIZE, "spring");
}

static void moving_geom(size_t i, char name[MJCF_NAME_SIZE]) {
  (void)i;
  snprintf(name, MJCF_NAME_SIZE, "ball");
}

/* any: the plane is infinite and depth is measured from the ball's lowest point */
static const double ball_radius = 0.1;

static void plane(mjcf_writer *w, const hopper_parameters *p) {
  const double size[] = {1.0, 1.0, 1.0}, position[] = {0.0, 0.0, p->free_length};
  char name[MJCF_NAME_SIZE];
  fixed_geom(0, name);
  mjcf_plane(w, name, size, position);
}

static void ball(mjcf_writer *w) {
  const double position[] = {0.0, 0.0, ball_radius};
  mjcf_start(w, "geom");
  mjcf_text(w, "name", "ball");
  mjcf_text(w, "class", "moving");
  mjcf_text(w, "type", "sphere");
  mjcf_number(w, "size", ball_radius);
  mjcf_numbers(w, "pos", 3, position);
  mjcf_end(w);
}

static void bodies(mjcf_writer *w, const model *m, const mjcf_options *o) {
  const hopper_parameters *p = hopper_get(m);
  if (!o->by_callback) plane(w, p);

  // the body stands where the model starts; the coordinate stays the model's own
  const double position[] = {0.0, 0.0, p->height}, up[] = {0.0, 0.0, 1.0};
  const double centre[] = {0.0, 0.0, ball_radius}, origin[] = {0.0, 0.0, 0.0};
  mjcf_start(w, "body");
  mjcf_text(w, "name", "mass");
  mjcf_numbers(w, "pos", 3, position);
  // By contacts the mass sits at the ball's centre: with it at the body's origin MuJoCo 3 takes a
  // shortcut for pure sliders that makes A three times what every version makes of it here. By a
  // callback there is no A, and the shortcut saves 3 % of the time.
  mjcf_inertial(w, o->by_callback ? origin : centre, p->mass,
                0.4 * p->mass * ball_radius * ball_radius);
  mjcf_joint(w, "z", "slide", up, p->height);
  if (!o->by_callback) ball(w);
  mjcf_end(w);
}

const mjcf_emitter mjcf_hopper = {
    .model = "hopper",
    .coordinates = 1,
    .contact = contact_law,
    .gravity = gravity,
    .describe = describe,
    .bodies = bodies,
    .fixed_geom = fixed_geom,
    .moving_geom = moving_geom,
};
