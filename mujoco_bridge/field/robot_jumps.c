/*
 * Where points of contact that are followed jump: from state to state of a run.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "robot_found.h"
#include "robot_stage.h"

/* of one step of the integrator: no motion moves the points by so much of a geom's size on both */
static const double jump_share = 0.05;

size_t robot_followed_pairs(const robot *r) {
  const robot_shared *s = r->shared;
  size_t count = 0;
  for (size_t i = s->ruled_pairs; i < s->pair_count; ++i)
    count += robot_found_follows(s, &s->pairs[i]);
  return count;
}

static bool have_jumped(const robot *r, const robot_pair *p, const robot_points *before,
                        const robot_points *now) {
  if (before->count == 0 || now->count == 0) return false;
  if (before->count != now->count) return true;
  // a plane has no size
  const double far = jump_share * r->model.geom_rbound[p->geom[1]];
  return mju_dist3(before->mean[0], now->mean[0]) > far &&
         mju_dist3(before->mean[1], now->mean[1]) > far;
}

typedef struct points_call {
  robot *r;
  const double *x;
  robot_points *now;
  robot_point_jumps *jumps;
} points_call;

static void look_at_points(void *context) {
  const points_call *c = context;
  const robot_shared *s = c->r->shared;
  robot_stage_poses(c->r, c->x);
  *c->jumps = (robot_point_jumps){0};
  for (size_t i = s->ruled_pairs, k = 0; i < s->pair_count; ++i) {
    if (!robot_found_follows(s, &s->pairs[i])) continue;
    const robot_points now = robot_found_points(c->r, &s->pairs[i]);
    if (have_jumped(c->r, &s->pairs[i], &c->now[k], &now)) {
      ++c->jumps->count;
      c->jumps->dist = mju_max(c->jumps->dist, mju_abs(now.dist - c->now[k].dist));
    }
    c->now[k++] = now;
  }
}

int robot_points_jumped(robot *r, const double x[], robot_points now[], robot_point_jumps *jumps) {
  return robot_guarded(r, look_at_points, &(points_call){r, x, now, jumps});
}
