/*
 * The model `legged` as a MuJoCo scene: a tree of a free body, N thighs and N shanks, whose feet
 * are spheres above a plane.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>

#include "legged.h"
#include "mjcf_writer.h"

static void shape(const model *m, mjcf_shape *out) {
  const size_t legs = legged_get(m)->legs;
  *out = (mjcf_shape){.positions = LEGGED_HINGES + 2 * legs,
                      .rates = LEGGED_BODY_RATES + 2 * legs,
                      .bodies = 2 + 2 * legs,
                      .passive = true};
}

static int contact_law(const model *m, mjcf_contact *contact, char message[MODEL_MESSAGE_SIZE]) {
  const legged_parameters *p = legged_get(m);
  *contact = (mjcf_contact){
      .stiffness = p->stiffness, .damping = p->damping, .inverse_weight = legged_inverse_weight(m)};
  if (contact->inverse_weight > 0.0) return 0;
  snprintf(message, MODEL_MESSAGE_SIZE, "legged: out of memory");
  return -1;
}

static double gravity(const model *m) {
  return legged_get(m)->gravity;
}

static void describe(const model *m, char text[MJCF_COMMENT_SIZE]) {
  const legged_parameters *p = legged_get(m);
  const double weight = legged_inverse_weight(m);
  char number[10][MJCF_NUMBER_SIZE];
  const double value[] = {p->body_mass,       p->body_radius,
                          p->link_mass[0],    p->link_mass[1],
                          p->joint_stiffness, p->joint_damping,
                          p->foot_radius,     p->stiffness,
                          p->damping,         MJCF_IMPEDANCE / ((1.0 - MJCF_IMPEDANCE) * weight)};
  for (size_t i = 0; i < 10; ++i) mjcf_format(value[i], number[i]);
  snprintf(
      text, MJCF_COMMENT_SIZE,
      "\n"
      "  A free body, a disc of %s kg and radius %s m, on N = %zu legs around its rim. Each has a\n"
      "  thigh of %s kg and a shank of %s kg, hinged about the rim's tangent at hip and knee, and\n"
      "  is held by springs of %s N m/rad and dampers of %s N m s/rad at both. Its foot is a\n"
      "  sphere of radius r = %s m without friction, which the floor z = 0 pushes up by\n"
      "    F = k p + c dp/dt   while p > 0 and F > 0,   k = %s N/m, c = %s N s/m,\n"
      "    p = r - height of the sphere's centre.\n"
      "  MuJoCo's contact with constant impedance d, solref = (-k A (1-d), -c A (1-d)) and\n"
      "  A = body_invweight0 of a shank is this force and an added mass d/((1-d) A) = %s kg per\n"
      "  foot, which the bare scene keeps.\n",
      number[0], number[1], p->legs, number[2], number[3], number[4], number[5], number[6],
      number[7], number[8], number[9]);
}

static void fixed_geom(size_t i, char name[MJCF_NAME_SIZE]) {
  (void)i;
  snprintf(name, MJCF_NAME_SIZE, "floor");
}

static void foot_geom(size_t i, char name[MJCF_NAME_SIZE]) {
  snprintf(name, MJCF_NAME_SIZE, "foot%zu", i);
}

static void named(mjcf_writer *w, const char *element, const char *of, size_t i) {
  char name[MJCF_NAME_SIZE];
  snprintf(name, sizeof name, "%s%zu", of, i);
  mjcf_start(w, element);
  mjcf_text(w, "name", name);
}

/* A link's frame is the body's where the hinges are at rest, which is how the scene is written. */
typedef struct leg {
  const legged_parameters *p;
  size_t number;
  double toward[2]; /* cosine and sine of its angle around the body */
} leg;

/* share of the way along a link whose hinges are at rest, as the angle to the vertical says */
static void along(const leg *l, int link, double share, double out[3]) {
  const legged_parameters *p = l->p;
  const double angle = link == 0 ? p->rest[0] : p->rest[0] + p->rest[1];
  const double outwards = -share * p->link_length[link] * sin(angle);
  out[0] = l->toward[0] * outwards;
  out[1] = l->toward[1] * outwards;
  out[2] = -share * p->link_length[link] * cos(angle);
}

/* the body of a link, hinged at `position`; its element stays open */
static void start_link(mjcf_writer *w, const leg *l, int link, const double position[3]) {
  static const char *const links[] = {"thigh", "shank"}, *const hinges[] = {"hip", "knee"};
  const legged_parameters *p = l->p;
  const double tangent[] = {-l->toward[1], l->toward[0], 0.0};
  double middle[3];
  along(l, link, 0.5, middle);
  named(w, "body", links[link], l->number);
  mjcf_numbers(w, "pos", 3, position);
  mjcf_inertial(w, middle, p->link_mass[link], p->link_inertia[link]);
  named(w, "joint", hinges[link], l->number);
  mjcf_text(w, "type", "hinge");
  mjcf_numbers(w, "axis", 3, tangent);
  mjcf_number(w, "ref", p->rest[link]);
  mjcf_number(w, "springref", p->rest[link]);
  mjcf_number(w, "stiffness", p->joint_stiffness);
  mjcf_number(w, "damping", p->joint_damping);
  mjcf_end(w);
}

static void write_leg(mjcf_writer *w, const legged_parameters *p, size_t i) {
  const leg l = {p, i, {cos(legged_angle(p, i)), sin(legged_angle(p, i))}};
  const double hip[] = {p->body_radius * l.toward[0], p->body_radius * l.toward[1], 0.0};
  double knee[3], foot[3];
  along(&l, 0, 1.0, knee);
  along(&l, 1, 1.0, foot);
  start_link(w, &l, 0, hip);
  start_link(w, &l, 1, knee);
  named(w, "geom", "foot", i);
  mjcf_text(w, "class", "moving");
  mjcf_text(w, "type", "sphere");
  mjcf_number(w, "size", p->foot_radius);
  mjcf_numbers(w, "pos", 3, foot);
  mjcf_end(w);
  mjcf_end(w);
  mjcf_end(w);
}

static void write_floor(mjcf_writer *w) {
  const double size[] = {2.0, 2.0, 0.1};
  char name[MJCF_NAME_SIZE];
  fixed_geom(0, name);
  mjcf_plane(w, name, size, NULL);
}

static void bodies(mjcf_writer *w, const model *m, const mjcf_options *o) {
  (void)o;
  const legged_parameters *p = legged_get(m);
  const double position[] = {0.0, 0.0, legged_standing(p) + p->clearance};
  const double centre[] = {0.0, 0.0, 0.0};
  write_floor(w);
  mjcf_start(w, "body");
  mjcf_text(w, "name", "body");
  mjcf_numbers(w, "pos", 3, position);
  mjcf_start(w, "freejoint");
  mjcf_text(w, "name", "body");
  mjcf_end(w);
  mjcf_start(w, "inertial");
  mjcf_numbers(w, "pos", 3, centre);
  mjcf_number(w, "mass", p->body_mass);
  mjcf_numbers(w, "diaginertia", 3, p->body_inertia);
  mjcf_end(w);
  for (size_t i = 0; i < p->legs; ++i) write_leg(w, p, i);
  mjcf_end(w);
}

const mjcf_emitter mjcf_legged = {
    .model = "legged",
    .shape = shape,
    .contact = contact_law,
    .gravity = gravity,
    .describe = describe,
    .bodies = bodies,
    .fixed_geom = fixed_geom,
    .moving_geom = foot_geom,
};
