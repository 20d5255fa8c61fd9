/*
 * Bent courses: how they are drawn. See bent_courses.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "bent_courses.h"

enum { N = BENT_STATES };

/* the steepest a path may be */
static const double STEEPEST = 3.0;

/* numbers in [low, high), the same everywhere */
static double draw(uint64_t *state, double low, double high) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return low + (high - low) * ((double)(*state >> 40) / 16777216.0);
}

/* the same, of their logarithm */
static double draw_log(uint64_t *state, double low, double high) {
  return exp(draw(state, log(low), log(high)));
}

static bool toss(uint64_t *state, double chance) {
  return draw(state, 0.0, 1.0) < chance;
}

/* a jump of unit size: alike, of both senses by chance, by turns, or unlike; to, and then fro */
static double draw_sense(uint64_t *state, int pattern, size_t i, double part) {
  if (pattern == 4) return part < 0.5 ? 1.0 : -2.0;
  if (pattern == 0) return 1.0;
  if (pattern == 1) return toss(state, 0.7) ? 1.0 : -1.0;
  if (pattern == 2) return i % 2 ? -0.7 : 1.0;
  return draw_log(state, 0.1, 1.0) * (toss(state, 0.8) ? 1.0 : -1.0);
}

/* the cluster: planes over a span around x = 0, which turn the path or push the body */
static void draw_lines(bent_course *c, uint64_t *state, bent_shape shape, double span) {
  const int pattern = shape == BENT_ROOF ? 4 : (int)draw(state, 0.0, 4.0);
  const bool turned = shape == BENT_ROOF || toss(state, 0.6), even = toss(state, 0.3),
             tilted = toss(state, 0.5);
  const double spin = shape == BENT_SPUN || toss(state, 0.5) ? draw_log(state, 0.1, 10.0) : 0.0;
  const double faster = toss(state, 0.3) ? draw(state, -0.2, 0.2) : 0.0;
  c->line_count = (size_t)draw_log(state, 3.0, 101.0);
  const double count = (double)c->line_count;
  for (size_t i = 0; i < c->line_count; i++) {
    bent_line *const l = &c->line[i];
    const double part = even ? (double)i / count : draw(state, 0.0, 1.0);
    const double sense = draw_sense(state, pattern, i, part) / count;
    l->place = span * (part - 0.5);
    l->slant = tilted ? draw(state, -0.2, 0.2) : 0.0;
    l->jump[0] = faster / count;
    l->jump[turned ? 1 : 3] = sense;
    l->jump[turned ? 2 : 4] = spin * sense;
  }
}

static void scale_jumps(bent_course *c, double factor) {
  for (size_t i = 0; i < c->line_count; i++)
    for (size_t j = 1; j < N; j++) c->line[i].jump[j] *= factor;
}

/* where a course without curved guards is at a time: straight, or bent */
static void path_at(bent_course *c, bool straight, double time, bent_truth *to) {
  bent_find_truth(c, (bent_without){.jumps = straight, .bodies = true}, time, to);
}

/* scales the jumps so that at `time` they have moved the path by `by`; false where they cannot */
static bool bend_path(bent_course *c, double time, double by) {
  enum { TRIES = 3 };
  static _Thread_local bent_truth bent, straight;
  path_at(c, true, time, &straight);
  scale_jumps(c, 0.1);
  for (int i = 0; i < TRIES; i++) {
    path_at(c, false, time, &bent);
    const double off = bent.x[1] - straight.x[1];
    if (bent.lost || !(fabs(off) > 0.0)) return false;
    scale_jumps(c, by / fabs(off));
  }
  path_at(c, false, c->end, &bent);
  return !bent.lost && fabs(bent.x[1]) < STEEPEST * c->end && !straight.lost;
}

/* what lies across the path where a guard is put: the place, and a unit vector */
typedef struct spot {
  double x[N], across[2];
} spot;

static spot find_spot(bent_course *c, uint64_t *state, double time, bool on_straight) {
  static _Thread_local bent_truth here, there;
  path_at(c, on_straight, time, &here);
  path_at(c, !on_straight, time, &there);
  spot s;
  memcpy(s.x, here.x, sizeof s.x);
  bent_truth *const later = &there;
  const double other = there.x[1];
  path_at(c, on_straight, time * (1.0 + 1e-6), later);
  const double dx = later->x[0] - s.x[0], dy = later->x[1] - s.x[1], far = hypot(dx, dy);
  // away from where the other path is, mostly
  const double side = (s.x[1] > other) == toss(state, 0.75) ? 1.0 : -1.0;
  s.across[0] = -side * dy / far;
  s.across[1] = side * dx / far;
  return s;
}

/* a round one, an ellipse, or a parabola, whose tip is passed at that depth */
static void put_body(bent_body *b, uint64_t *state, const spot *s, double size, double depth) {
  const double tip[2] = {s->x[0] - depth * s->across[0], s->x[1] - depth * s->across[1]};
  const double turn = draw(state, -0.6, 0.6);
  b->size[0] = b->size[1] = size;
  b->axis[0] = cos(turn) * s->across[0] - sin(turn) * s->across[1];
  b->axis[1] = sin(turn) * s->across[0] + cos(turn) * s->across[1];
  if (b->shape == BENT_RIDGE) {
    b->size[0] = size * draw_log(state, 0.05, 1.0); // its tip's radius
    b->at[0] = tip[0];
    b->at[1] = tip[1];
    return;
  }
  if (b->shape == BENT_ELLIPSE) {
    b->size[toss(state, 0.5)] *= draw_log(state, 0.05, 1.0);
    const double angle = draw(state, 0.0, 6.283185307179586);
    b->axis[0] = cos(angle);
    b->axis[1] = sin(angle);
  }
  // its middle, from the point where its edge lies along the path
  const double along = b->axis[0] * s->across[0] + b->axis[1] * s->across[1];
  const double over = b->axis[0] * s->across[1] - b->axis[1] * s->across[0];
  const double u = b->size[0] * b->size[0] * along, v = b->size[1] * b->size[1] * over;
  const double reach = hypot(b->size[0] * along, b->size[1] * over);
  b->at[0] = tip[0] + (b->axis[0] * u - b->axis[1] * v) / reach;
  b->at[1] = tip[1] + (b->axis[1] * u + b->axis[0] * v) / reach;
}

/* a plane that the rod's tip passes as it points there */
static void put_rod(bent_body *b, uint64_t *state, const spot *s, double size, double depth) {
  memcpy(b->axis, s->across, sizeof b->axis);
  b->size[0] = size * draw_log(state, 0.5, 3.0);
  b->angle = s->x[2] + draw(state, -0.3, 0.3);
  b->at[0] = s->x[0] + (b->size[0] - depth) * s->across[0];
  b->at[1] = s->x[1] + (b->size[0] - depth) * s->across[1];
}

/* a circle from within, whose wall is passed at that depth */
static void put_ring(bent_body *b, uint64_t *state, const spot *s, double size, double depth) {
  b->size[0] = b->size[1] = size * draw_log(state, 1.0, 30.0);
  for (int i = 0; i < 2; i++) b->at[i] = s->x[i] - (b->size[0] - depth) * s->across[i];
}

/* a strip along the way, which the path comes to be in by that depth, and mostly goes on through */
static void put_beam(bent_body *b, uint64_t *state, const spot *s, double size, double depth) {
  b->size[0] = size * draw_log(state, 0.1, 1.0);
  b->axis[0] = 1.0;
  b->axis[1] = 0.0;
  b->at[0] = s->x[0];
  b->at[1] = s->x[1] + copysign(b->size[0] * (1.0 - depth / size), s->across[1]);
}

/* a plane over the path, which it is through by that depth */
static void put_roof(bent_body *b, const spot *s, double rising, double depth) {
  b->size[0] = fabs(depth);
  b->axis[1] = rising;
  b->at[0] = s->x[0];
  b->at[1] = s->x[1] - depth * b->axis[1];
}

static void draw_body(bent_course *c, uint64_t *state, size_t j, bent_shape shape, double time,
                      double depth_min) {
  bent_body *const b = &c->body[j];
  const spot s = find_spot(c, state, time, toss(state, 0.25));
  const double depth = c->size * draw_log(state, depth_min, 1.0);
  b->shape = shape == BENT_PEGS ? (bent_shape)(int)draw(state, 0.0, 3.0) : shape;
  const bool first_rises = c->line[0].place < 0.0;
  const double rising = (c->line[0].jump[1] > 0.0) == first_rises ? 1.0 : -1.0;
  if (b->shape == BENT_BEAM)
    put_beam(b, state, &s, c->size, depth);
  else if (b->shape == BENT_ROOF)
    put_roof(b, &s, rising, fmin(depth, 0.7 * c->size * c->bend));
  else if (b->shape == BENT_ROD || b->shape == BENT_SPUN)
    put_rod(b, state, &s, c->size, depth);
  else if (b->shape == BENT_RING)
    put_ring(b, state, &s, c->size, depth);
  else
    put_body(b, state, &s, c->size, depth);
  for (int i = 0; i < 2; i++) b->push[i] = toss(state, 0.3) ? draw(state, -0.5, 0.5) : 0.0;
}

/* what is met, and by how many of its sizes the path is bent: large, middling, or small */
static double draw_sizes(bent_course *c, uint64_t *state, unsigned long seed) {
  static const double sizes[] = {1e-4, 3e-3, 0.1, 4.0};
  const size_t class = seed % 3; // only large ones are clear at a large tolerance
  c->size = draw_log(state, class == 2 ? 0.5 : sizes[class], sizes[class + 1]);
  c->bend = draw_log(state, 0.1, fmin(10.0, fmax(0.5, 4.0 / c->size)));
  return fmin(6.0, c->size * fmax(c->bend, 0.3) * draw_log(state, 0.7, 20.0));
}

/* contacts of one truth that another has not */
static size_t only_in(const bent_course *c, const bent_truth *a, const bent_truth *b) {
  size_t count = 0;
  for (size_t k = c->line_count; k < c->line_count + c->body_count; k++)
    count += a->crossings[k] > b->crossings[k];
  return count;
}

int bent_course_draw(bent_course *c, bent_shape shape, unsigned long seed) {
  static _Thread_local bent_truth straight;
  uint64_t stream = UINT64_C(0x9E3779B97F4A7C15) * (seed * 16 + (unsigned long)shape + 1);
  uint64_t *const state = &stream;
  for (int i = 0; i < 4; i++) draw(state, 0.0, 1.0);
  memset(c, 0, sizeof *c);
  const double span = draw_sizes(c, state, seed);
  draw_lines(c, state, shape, span);
  c->smooth = toss(state, 0.5);
  c->damping = toss(state, 0.5) ? draw(state, 0.0, 3.0) : 0.0;
  c->phase = draw(state, 0.0, 6.0);
  (void)toss(state, 0.3); // keeps each seed's course what it has been
  c->some = toss(state, 0.5);
  c->x0[0] = -0.5 * span - draw_log(state, 0.05, 1.0) - 2.0 * c->size;
  c->x0[1] = draw(state, -0.5, 0.5);
  c->x0[2] = draw(state, 0.0, 6.0);
  c->x0[3] = shape < BENT_SPUN ? draw(state, -0.3, 0.3) : 0.0;
  if (shape >= BENT_SPUN && toss(state, 0.7)) c->smooth = 0.0;
  c->x0[4] = shape == BENT_ROD ? draw_log(state, 1.0, 15.0) : 0.0;
  c->end = 0.5 * span - c->x0[0] + 3.0 * c->size + draw_log(state, 0.05, 1.0);
  const double time = span * (shape == BENT_ROOF ? 0.0 : draw(state, -0.35, 0.8)) - c->x0[0];
  if (!bend_path(c, time, c->bend * c->size)) return -1;
  const double depth_min = seed % 3 == 2 ? 0.3 : 0.05;
  const size_t count = shape != BENT_PEGS ? 1 : seed % 3 == 2 ? 2 : BENT_BODIES;
  for (size_t j = 0; j < count; j++) {
    const double when = j ? span * draw(state, -0.4, 1.0) - c->x0[0] : time;
    draw_body(c, state, j, shape, when, depth_min);
  }
  c->body_count = count;
  bent_find_truth(c, (bent_without){0}, c->end, &c->truth);
  bent_find_truth(c, (bent_without){.jumps = true}, c->end, &straight);
  c->only_bent = only_in(c, &c->truth, &straight);
  c->only_straight = only_in(c, &straight, &c->truth);
  return c->truth.lost || c->only_bent + c->only_straight + c->truth.event_count == 0 ? -1 : 0;
}
