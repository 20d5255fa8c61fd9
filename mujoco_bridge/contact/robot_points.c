/* SPDX-License-Identifier: Apache-2.0 */
#include "robot_points.h"

#include <string.h>

#include "bridge_version.h"
#include "robot_distance.h"

const robot_touch *robot_point(robot *r, size_t event) {
  const robot_event *e = &r->shared->events[event];
  const robot_pair *p = &r->shared->pairs[e->object];
  robot_touch *const touch = &r->touch[event];
  if (!r->touch_known[event])
    robot_distance(&r->model, r->data, p->geom, p->parts, (size_t)e->part, touch);
  r->touch_known[event] = true;
  return touch;
}

/* how a geom's surface moves at a point, against its body; and how it turns */
static void surface_velocity(const robot *r, int geom, const double pos[3], double linear[3],
                             double angular[3]) {
  const double *const own = bridge_version_surface(&r->model, geom);
  const double *const mat = r->data->geom_xmat + 9 * geom;
  double arm[3], turning[3];
  mju_mulMatVec3(linear, mat, own);
  mju_mulMatVec3(angular, mat, own + 3);
  mju_sub3(arm, pos, r->data->geom_xpos + 3 * geom);
  mju_cross(turning, angular, arm);
  mju_addTo3(linear, turning);
}

/* of the second geom against the first, in the frame of the contact */
static void set_surface_velocity(const robot *r, mjContact *c) {
  double linear[2][3], angular[2][3];
  for (int i = 0; i < 2; ++i) surface_velocity(r, c->geom[i], c->pos, linear[i], angular[i]);
  mju_subFrom3(linear[1], linear[0]);
  mju_subFrom3(angular[1], angular[0]);
  const double velocity[3] = {mju_dot3(c->frame + 3, linear[1]), mju_dot3(c->frame + 6, linear[1]),
                              mju_dot3(c->frame, angular[1])};
  bridge_version_set_surface(c, velocity);
}

void robot_point_add(robot *r, const robot_pair *p, const robot_touch *touch) {
  mjContact contact = p->pattern;
  contact.dist = touch->dist;
  mju_copy3(contact.pos, touch->pos);
  mju_copy3(contact.frame, touch->normal);
  mju_copy3(contact.frame + 3, touch->tangent);
  robot_distance_frame(contact.frame);
  if (bridge_version_surfaces_move(&r->model)) set_surface_velocity(r, &contact);
  mj_addContact(&r->model, r->data, &contact);
}

void robot_points_forget(robot *r) {
  memset(r->touch_known, 0, r->shared->contact_events * sizeof *r->touch_known);
}
