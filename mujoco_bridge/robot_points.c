/* SPDX-License-Identifier: Apache-2.0 */
#include "robot_points.h"

#include <string.h>

const robot_touch *robot_point(robot *r, size_t event) {
  const robot_event *e = &r->shared->events[event];
  const robot_pair *p = &r->shared->pairs[e->object];
  robot_touch *const touch = &r->touch[event];
  if (!r->touch_known[event])
    robot_distance(&r->model, r->data, p->geom, p->parts, (size_t)e->part, touch);
  r->touch_known[event] = true;
  return touch;
}

void robot_points_forget(robot *r) {
  memset(r->touch_known, 0, r->shared->contact_events * sizeof *r->touch_known);
}
