/*
 * Bent courses: a body passes a cluster of plane crossings, each of which turns or pushes it, and
 * curved guards that it meets, or misses, only because of that. The size of what is met, and by how
 * many sizes the crossings bend the path, are chosen; the guards are put where the truth then runs,
 * or where it would without jumps.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draws.h"
#include "population_judge.h"

enum { STATES = 6, LINES = 100, BODIES = 6, TIMES = 40, TOLERANCES = 3 };
static const double STEEPEST = 3.0; /* that a path may be */

typedef enum shape {
  PEG,     /* h = r - |x - c| */
  ELLIPSE, /* h = 1 - |A (x - c)| */
  RIDGE,   /* a parabola, its axis tilted */
  ROD,     /* a tumbling rod's tip through a plane: h = m.x + L cos(angle - b) - c */
  RING,    /* h = |x - c| - r: passed from within as well */
  PEGS,    /* as many of the first three as there may be, anywhere along the path */
  SPUN,    /* a rod that does not turn but for the jumps: straight along the path without */
  BEAM,    /* a strip along the path: h = (w^2 - v^2)/w, of which the path without shows none */
  ROOF,    /* a plane, met by the peak of a path that jumps turn to and fro */
  SHAPES
} shape;

static const char *const names[SHAPES] = {"peg",  "ellipse", "ridge", "rod", "ring",
                                          "pegs", "spun",    "beam",  "roof"};

/* a plane across the path, and what it adds to the field beyond it */
typedef struct line {
  double place, slant, jump[STATES];
} line;

/* a curved guard: a middle or tip, a unit vector, half axes or lengths, and what it adds */
typedef struct body {
  shape shape;
  double at[2], axis[2], size[2], angle, push[2];
} body;

typedef struct course {
  size_t line_count, body_count;
  line line[LINES];
  body body[BODIES];
  double x0[STATES], end, damping, smooth, phase, size, bend;
} course;

static bool toss(uint64_t *r, double chance) {
  return draw(r) < chance;
}

/* ---- the text -------------------------------------------------------------------------------- */

static void write_body(const body *b, size_t j, hybrid *h) {
  const double *const size = b->size, *const axis = b->axis;
  hybrid_add(h, "dx%zu = (x - %.17g); dy%zu = (y - %.17g)", j, b->at[0], j, b->at[1]);
  hybrid_add(h, "along%zu = (%.17g*dx%zu + %.17g*dy%zu)", j, axis[0], j, axis[1], j);
  hybrid_add(h, "across%zu = (%.17g*dy%zu - %.17g*dx%zu)", j, axis[0], j, axis[1], j);
  hybrid_add(h, "b%zu: ", j);
  if (b->shape == RIDGE) hybrid_more(h, "along%zu - 0.5*across%zu^2/%.17g", j, j, size[0]);
  if (b->shape == BEAM) hybrid_more(h, "%.17g - across%zu^2/%.17g", size[0], j, size[0]);
  if (b->shape == ROOF) hybrid_more(h, "along%zu", j);
  if (b->shape == ROD || b->shape == SPUN)
    hybrid_more(h, "along%zu + %.17g*cos(a - %.17g)", j, size[0], b->angle);
  if (b->shape == ELLIPSE)
    hybrid_more(h, "1 - sqrt((along%zu/%.17g)^2 + (across%zu/%.17g)^2)", j, size[0], j, size[1]);
  if (b->shape == PEG || b->shape == RING)
    hybrid_more(h, "%s*(sqrt(dx%zu^2 + dy%zu^2) - %.17g)", b->shape == RING ? "1" : "-1", j, j,
                size[0]);
}

/* with `jumps` times its jumps */
static hybrid *write(const course *c, double jumps) {
  static const char states[STATES][5] = {"x", "y", "a", "v", "w", "over"};
  hybrid *const h = hybrid_of("jumps = %.17g; to %.17g; from 0: x = %.17g, y = %.17g, a = %.17g, "
                              "v = %.17g, w = %.17g\n",
                              jumps, c->end, c->x0[0], c->x0[1], c->x0[2], c->x0[3], c->x0[4]);
  for (size_t i = 0; i < STATES; i++) {
    hybrid_add(h, "jump%zu = 0", i);
    for (size_t k = 0; k < c->line_count; k++)
      if (c->line[k].jump[i] != 0.0) hybrid_more(h, " + %.17g*on(h%zu)", c->line[k].jump[i], k);
  }
  for (size_t i = 0; i < STATES; i++) {
    hybrid_add(h, "%s' = jumps*(jump%zu)", states[i], i);
    if (i == 0) hybrid_more(h, " + 1 + %.17g*sin(y)", 0.1 * c->smooth);
    if (i == 1) hybrid_more(h, " + v");
    if (i == 2) hybrid_more(h, " + w");
    if (i == 3)
      hybrid_more(h, " + %.17g*cos(2*x + %.17g) - %.17g*v", 0.5 * c->smooth, c->phase, c->damping);
    if (i == 4) hybrid_more(h, " - %.17g*w", c->damping * c->smooth);
    for (size_t j = 0; j < c->body_count; j++)
      if (i % 2) hybrid_more(h, " + %.17g*on(b%zu)", i == 5 ? 1.0 : c->body[j].push[i / 2], j);
  }
  for (size_t k = 0; k < c->line_count; k++)
    hybrid_add(h, "h%zu: x + %.17g*y - %.17g", k, c->line[k].slant, c->line[k].place);
  for (size_t j = 0; j < c->body_count; j++) write_body(&c->body[j], j, h);
  return h;
}

/* ---- draws ----------------------------------------------------------------------------------- */

/* a jump of unit size: alike, of both senses by chance, by turns, or unlike; to, and then fro */
static double draw_sense(uint64_t *r, int pattern, size_t i, double part) {
  if (pattern == 4) return part < 0.5 ? 1.0 : -2.0;
  if (pattern == 0) return 1.0;
  if (pattern == 1) return toss(r, 0.7) ? 1.0 : -1.0;
  if (pattern == 2) return i % 2 ? -0.7 : 1.0;
  const double size = draw_log(r, 0.1, 1.0);
  return toss(r, 0.8) ? size : -size;
}

/* the cluster: planes over a span around x = 0, which turn the path or push the body */
static void draw_lines(course *c, uint64_t *r, shape of, double span) {
  const int pattern = of == ROOF ? 4 : (int)draw_between(r, 0.0, 4.0);
  const bool is_turned = of == ROOF || toss(r, 0.6), is_even = toss(r, 0.3),
             is_tilted = toss(r, 0.5);
  const double spin = of == SPUN || toss(r, 0.5) ? draw_log(r, 0.1, 10.0) : 0.0;
  const double faster = toss(r, 0.3) ? draw_between(r, -0.2, 0.2) : 0.0;
  c->line_count = (size_t)draw_log(r, 3.0, 101.0);
  const double count = (double)c->line_count;
  for (size_t i = 0; i < c->line_count; i++) {
    line *const l = &c->line[i];
    const double part = is_even ? (double)i / count : draw(r);
    const double sense = draw_sense(r, pattern, i, part) / count;
    l->place = span * (part - 0.5);
    l->slant = is_tilted ? draw_between(r, -0.2, 0.2) : 0.0;
    l->jump[0] = faster / count;
    l->jump[is_turned ? 1 : 3] = sense;
    l->jump[is_turned ? 2 : 4] = spin * sense;
  }
}

/* states of the path without curved guards at a time and just after; false: it has none, or passes
 * a plane twice */
static bool find_path(const course *c, double jumps, double time, double x[2 * STATES]) {
  hybrid *const h = write(c, jumps);
  const double times[] = {time, time * (1.0 + 1e-6)};
  const truth_end end = truth_run(
      h, &(truth_options){.margin = -1.0, .t1 = times[1], .times = times, .time_count = 2});
  bool is_good = !end.status;
  for (size_t k = 0; k < c->line_count; k++) is_good = is_good && end.crossings[k] <= 1;
  if (is_good) memcpy(x, end.states, 2 * STATES * sizeof *x);
  free(end.states);
  hybrid_free(h);
  return is_good;
}

/* scales the jumps so that at `time` they have moved the path by `by`; false where they cannot */
static bool bend_path(course *c, double time, double by) {
  double straight[2 * STATES], bent[2 * STATES], scale = 0.1;
  if (!find_path(c, 0.0, time, straight)) return false;
  for (int i = 0; i < 3; i++) {
    for (size_t k = 0; k < c->line_count; k++)
      for (size_t j = 1; j < STATES; j++) c->line[k].jump[j] *= scale;
    if (!find_path(c, 1.0, time, bent) || bent[1] == straight[1]) return false;
    scale = by / fabs(bent[1] - straight[1]);
  }
  return find_path(c, 1.0, c->end, bent) && fabs(bent[1]) < STEEPEST * c->end;
}

/* where a curved guard is put: a state, and a unit vector across the path */
typedef struct spot {
  double x[2 * STATES], across[2];
} spot;

static bool find_spot(const course *c, uint64_t *r, double time, bool is_straight, spot *s) {
  double other[2 * STATES];
  if (!find_path(c, !is_straight, time, s->x) || !find_path(c, is_straight, time, other))
    return false;
  const double *const later = s->x + STATES;
  const double dx = later[0] - s->x[0], dy = later[1] - s->x[1], far = hypot(dx, dy);
  // away from where the other path is, mostly
  const double side = (s->x[1] > other[1]) == toss(r, 0.75) ? 1.0 : -1.0;
  s->across[0] = -side * dy / far;
  s->across[1] = side * dx / far;
  return true;
}

/* a round one, an ellipse, or a parabola, whose tip is passed at that depth */
static void put_round(body *b, uint64_t *r, const spot *s, double size, double depth) {
  const double turn = draw_between(r, -0.6, 0.6);
  for (int i = 0; i < 2; i++) b->at[i] = s->x[i] - depth * s->across[i]; // the tip
  b->size[0] = b->size[1] = size;
  b->axis[0] = cos(turn) * s->across[0] - sin(turn) * s->across[1];
  b->axis[1] = sin(turn) * s->across[0] + cos(turn) * s->across[1];
  if (b->shape == RIDGE) {
    b->size[0] = size * draw_log(r, 0.05, 1.0); // its tip's radius
    return;
  }
  if (b->shape == ELLIPSE) {
    b->size[toss(r, 0.5)] *= draw_log(r, 0.05, 1.0);
    const double angle = draw_between(r, 0.0, 6.283185307179586);
    b->axis[0] = cos(angle);
    b->axis[1] = sin(angle);
  }
  // its middle, from the point where its edge lies along the path
  const double along = b->axis[0] * s->across[0] + b->axis[1] * s->across[1];
  const double over = b->axis[0] * s->across[1] - b->axis[1] * s->across[0];
  const double u = b->size[0] * b->size[0] * along, v = b->size[1] * b->size[1] * over;
  const double reach = hypot(b->size[0] * along, b->size[1] * over);
  b->at[0] += (b->axis[0] * u - b->axis[1] * v) / reach;
  b->at[1] += (b->axis[1] * u + b->axis[0] * v) / reach;
}

static bool draw_body(const course *c, body *b, uint64_t *r, shape of, double time, double least) {
  spot s;
  if (!find_spot(c, r, time, toss(r, 0.25), &s)) return false;
  double depth = c->size * draw_log(r, least, 1.0), middle = 0.0;
  b->shape = of == PEGS ? (shape)(int)draw_between(r, 0.0, 3.0) : of;
  memcpy(b->axis, s.across, sizeof b->axis);
  switch (b->shape) {
  case BEAM: // a strip along the path, which goes on through it mostly
    b->size[0] = c->size * draw_log(r, 0.1, 1.0);
    memcpy(b->axis, (double[]){1.0, 0.0}, sizeof b->axis);
    b->at[0] = s.x[0];
    b->at[1] = s.x[1] + copysign(b->size[0] * (1.0 - depth / c->size), s.across[1]);
    break;
  case ROOF: // a plane over the path
    depth = fmin(depth, 0.7 * c->size * c->bend);
    b->axis[0] = 0.0;
    b->axis[1] = (c->line[0].jump[1] > 0.0) == (c->line[0].place < 0.0) ? 1.0 : -1.0;
    b->at[0] = s.x[0];
    b->at[1] = s.x[1] - depth * b->axis[1];
    break;
  case ROD: // a plane that its tip passes as it points there
  case SPUN:
    b->size[0] = c->size * draw_log(r, 0.5, 3.0);
    b->angle = s.x[2] + draw_between(r, -0.3, 0.3);
    middle = b->size[0] - depth;
    for (int i = 0; i < 2; i++) b->at[i] = s.x[i] + middle * s.across[i];
    break;
  case RING: // from within
    b->size[0] = c->size * draw_log(r, 1.0, 30.0);
    middle = depth - b->size[0];
    for (int i = 0; i < 2; i++) b->at[i] = s.x[i] + middle * s.across[i];
    break;
  default:
    put_round(b, r, &s, c->size, depth);
  }
  for (int i = 0; i < 2; i++) b->push[i] = toss(r, 0.3) ? draw_between(r, -0.5, 0.5) : 0.0;
  return true;
}

/* false: the path turns back, or passes a plane twice */
static bool draw_course(course *c, shape of, uint64_t seed) {
  static const double sizes[] = {1e-4, 3e-3, 0.1, 4.0};
  const size_t class = (size_t)(seed % 3); // only large ones are clear at a large tolerance
  uint64_t r = UINT64_C(0x9E3779B97F4A7C15) * (seed * 16 + (uint64_t)of + 1);
  *c = (course){.line_count = 0};
  for (int i = 0; i < 4; i++) (void)draw(&r);
  c->size = draw_log(&r, class == 2 ? 0.5 : sizes[class], sizes[class + 1]);
  c->bend = draw_log(&r, 0.1, fmin(10.0, fmax(0.5, 4.0 / c->size)));
  const double span = fmin(6.0, c->size * fmax(c->bend, 0.3) * draw_log(&r, 0.7, 20.0));
  draw_lines(c, &r, of, span);
  c->smooth = toss(&r, 0.5);
  c->damping = toss(&r, 0.5) ? draw_between(&r, 0.0, 3.0) : 0.0;
  c->phase = draw_between(&r, 0.0, 6.0);
  for (int i = 0; i < 2; i++) (void)draw(&r); // keeps each seed its course
  c->x0[0] = -0.5 * span - draw_log(&r, 0.05, 1.0) - 2.0 * c->size;
  c->x0[1] = draw_between(&r, -0.5, 0.5);
  c->x0[2] = draw_between(&r, 0.0, 6.0);
  c->x0[3] = of < SPUN ? draw_between(&r, -0.3, 0.3) : 0.0;
  if (of >= SPUN && toss(&r, 0.7)) c->smooth = 0.0;
  c->x0[4] = of == ROD ? draw_log(&r, 1.0, 15.0) : 0.0;
  c->end = 0.5 * span - c->x0[0] + 3.0 * c->size + draw_log(&r, 0.05, 1.0);
  const double time = span * (of == ROOF ? 0.0 : draw_between(&r, -0.35, 0.8)) - c->x0[0];
  if (!bend_path(c, time, c->bend * c->size)) return false;
  const size_t count = of != PEGS ? 1 : class == 2 ? 2 : BODIES;
  body bodies[BODIES] = {{.shape = of}};
  for (size_t j = 0; j < count; j++) {
    const double when = j ? span * draw_between(&r, -0.4, 1.0) - c->x0[0] : time;
    if (!draw_body(c, &bodies[j], &r, of, when, class == 2 ? 0.3 : 0.05)) return false;
  }
  memcpy(c->body, bodies, sizeof bodies);
  c->body_count = count;
  return true;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void run_shape(shape of, uint64_t seed) {
  static course c;
  double times[TIMES], states[TIMES * STATES], unit[STATES], error;
  if (!draw_course(&c, of, seed)) return;
  for (size_t i = 0; i < TIMES; i++)
    times[i] = i + 1 < TIMES ? c.end * (double)(i + 1) / TIMES : c.end;
  hybrid *const h = write(&c, 1.0);
  const truth_options options = {.margin = -1.0, .times = times, .time_count = TIMES};
  const truth_end truth = truth_run(h, &options);
  hybrid_plan plan = {.gives = 1 << HYBRID_GUARD_RATES,
                      .times = times,
                      .time_count = TIMES,
                      .states = states,
                      .unobserved = true};
  for (int i = 0; i < TOLERANCES && !truth.status; i++) {
    const double tolerance = pow(10.0, -2.0 - 3.0 * i);
    plan.options = hybrid_options(tolerance);
    plan.options.max_steps = 1000000;
    for (size_t k = 0; k < STATES; k++) unit[k] = tolerance;
    const hybrid_end end = hybrid_run(h, &plan);
    const population_verdict verdict =
        population_judge(h, &options, &truth, &end, states, unit, ESS_BASE_DOPRI5, &error);
    population_row(names[of], seed, tolerance, verdict, error);
  }
  free(truth.states);
  hybrid_free(h);
}

static void run_seed(uint64_t seed) {
  for (shape of = 0; of < SHAPES; of++)
    if (population_has(names[of])) run_shape(of, seed);
}

int main(int argc, char *argv[]) {
  static const population_seed kept[] = {
      // the worst of thousands
      {"ellipse", 306}, {"ellipse", 701}, {"ridge", 232},  {"ridge", 5},
      {"ridge", 488},   {"rod", 234},     {"rod", 292},    {"roof", 71},
      {"roof", 175},    {"roof", 14},     {"beam", 131},   {"beam", 130},
      {"spun", 560},    {"spun", 53},     {"ridge", 9072}, {"ridge", 20001}};
  return population_main(argc, argv,
                         &(population){.run = run_seed,
                                       .first = 1,
                                       .count = SEEDS,
                                       .kept = kept,
                                       .kept_count = sizeof kept / sizeof *kept,
                                       .least = 0.3});
}
