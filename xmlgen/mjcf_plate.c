/*
 * The plate as a MuJoCo scene: one static sphere per spring, at the height a spring's roller has
 * when free, under a thick box whose bottom face is the plate's line.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>

#include "mjcf_writer.h"
#include "plate.h"

static int contact_law(const model *m, mjcf_contact *contact, char message[MODEL_MESSAGE_SIZE]) {
  const plate_parameters *p = plate_get(m);
  if (p->law != PLATE_ROLLER) {
    snprintf(message, MODEL_MESSAGE_SIZE, "plate: law paper has no MuJoCo twin; use --law roller");
    return -1;
  }
  if (!(p->radius > 0.0)) {
    snprintf(message, MODEL_MESSAGE_SIZE,
             "plate: a roller of radius 0 has no MuJoCo twin; use --radius > 0");
    return -1;
  }
  *contact = (mjcf_contact){
      .stiffness = p->stiffness,
      .damping = p->damping,
      // mean of the inverse weights along x (1/M), y (0, no joint) and z (1/M)
      .inverse_weight = 2.0 / (3.0 * p->mass),
  };
  return 0;
}

static double gravity(const model *m) {
  return plate_get(m)->gravity;
}

static void describe(const model *m, char text[MJCF_COMMENT_SIZE]) {
  const plate_parameters *p = plate_get(m);
  char number[8][MJCF_NUMBER_SIZE];
  const double value[] = {p->mass,       p->inertia,
                          p->half_width, p->free_length,
                          p->radius,     p->stiffness,
                          p->damping,    MJCF_IMPEDANCE / (1.0 - MJCF_IMPEDANCE) * 1.5 * p->mass};
  for (size_t i = 0; i < 8; ++i) mjcf_format(value[i], number[i]);
  snprintf(
      text, MJCF_COMMENT_SIZE,
      "\n"
      "  A plate of mass M = %s kg and inertia I = %s kg m^2 that moves in the x-z plane, with\n"
      "  coordinates x, z and theta (positive theta lifts the +x side), above N = %zu vertical\n"
      "  springs spread evenly over x = +-%s m. Spring i, of free length L0 = %s m, stands at\n"
      "  xs_i and is topped by a frictionless roller of radius r = %s m. It pushes with\n"
      "    F = k p + c dp/dt   while p > 0 and F > 0,   k = %s N/m, c = %s N s/m,\n"
      "    p = r - (xs_i - x) sin(theta) + (L0 - r - z) cos(theta).\n"
      "  The box's bottom face is the plate's line. MuJoCo's contact with constant impedance d,\n"
      "  solref = (-k A (1-d), -c A (1-d)) and A = body_invweight0 = 2/(3M) is this force and an\n"
      "  added mass d/((1-d) A) = %s kg per contact, which the bare scene keeps.\n",
      number[0], number[1], p->contacts, number[2], number[3], number[4], number[5], number[6],
      number[7]);
}

static void fixed_geom(size_t i, char name[MJCF_NAME_SIZE]) {
  snprintf(name, MJCF_NAME_SIZE, "roller%zu", i);
}

static void moving_geom(size_t i, char name[MJCF_NAME_SIZE]) {
  (void)i;
  snprintf(name, MJCF_NAME_SIZE, "plate");
}

static void roller(mjcf_writer *w, const plate_parameters *p, size_t i) {
  char name[MJCF_NAME_SIZE];
  const double position[] = {plate_spring_x(p, i), 0.0, p->free_length - p->radius};
  fixed_geom(i, name);
  mjcf_start(w, "geom");
  mjcf_text(w, "name", name);
  mjcf_text(w, "class", "fixed");
  mjcf_text(w, "type", "sphere");
  mjcf_number(w, "size", p->radius);
  mjcf_numbers(w, "pos", 3, position);
  mjcf_end(w);
}

static void box(mjcf_writer *w, const plate_parameters *p, bool is_tall) {
  // wide enough for the plate to drift without uncovering a spring, and deeper than any penetration
  // (a thinner box would flip the contact normal); if tall, its bounding sphere hugs the bottom
  // face and MuJoCo can tell cheaply that a plate in flight touches nothing
  const double side = 3.0 + 2.0 * p->half_width, tall = is_tall ? 40.0 * side : side;
  const double size[] = {side, side, tall}, position[] = {0.0, 0.0, tall};
  const double colour[] = {0.5, 0.6, 0.7, 0.3};
  mjcf_start(w, "geom");
  mjcf_text(w, "name", "plate");
  mjcf_text(w, "class", "moving");
  mjcf_text(w, "type", "box");
  mjcf_numbers(w, "size", 3, size);
  mjcf_numbers(w, "pos", 3, position);
  mjcf_numbers(w, "rgba", 4, colour);
  mjcf_end(w);
}

static void bodies(mjcf_writer *w, const model *m, const mjcf_options *o) {
  const plate_parameters *p = plate_get(m);
  for (size_t i = 0; i < p->contacts && !o->by_callback; ++i) roller(w, p, i);

  // the reference configuration hangs the plate at its starting height, clear of the springs, so
  // that a plain viewer starts there too; coordinates stay the model's own
  const double position[] = {0.0, 0.0, p->height};
  mjcf_start(w, "body");
  mjcf_text(w, "name", "plate");
  mjcf_numbers(w, "pos", 3, position);
  mjcf_inertial(w, (const double[]){0.0, 0.0, 0.0}, p->mass, p->inertia);
  mjcf_joint(w, "x", "slide", (const double[]){1.0, 0.0, 0.0}, 0.0);
  mjcf_joint(w, "z", "slide", (const double[]){0.0, 0.0, 1.0}, p->height);
  mjcf_joint(w, "theta", "hinge", (const double[]){0.0, -1.0, 0.0}, 0.0);
  if (!o->by_callback) box(w, p, o->tall);
  mjcf_end(w);
}

/* by 4 % at 2 contacts; from 20 to 50 both are as fast, and at 100 the broad phase is by 5 %
 * (docs/results/speed.md) */
enum { PAIRS_FASTER = 20 };

const mjcf_emitter mjcf_plate = {
    .model = "plate",
    .coordinates = 3,
    .contact = contact_law,
    .gravity = gravity,
    .describe = describe,
    .bodies = bodies,
    .pairs_faster = PAIRS_FASTER,
    .fixed_geom = fixed_geom,
    .moving_geom = moving_geom,
};
