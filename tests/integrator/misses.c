/*
 * The populations: a flight past a peg, a ball among pegs, a tumbling rod, and two grounds that are
 * not flat.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "misses.h"
#include "callbacks.h"
#include "draws.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 4, GUARDS = 8, WAVES = 3, CROSSINGS = 2000, LOOKS = 20000 };

static const double look_every = 1e-4;

/* ---- chance ---------------------------------------------------------------------------------- */

static double log_uniform(uint64_t *seed, double low, double high) {
  return exp(draw_between(seed, log(low), log(high)));
}

/* ---- scenes ---------------------------------------------------------------------------------- */

/* one run: what moves, what it may touch, and from where */
typedef struct scene {
  ess_system system;
  double start[STATES], end;
  double speed, gravity, stiffness;
  double radius[GUARDS], centre[GUARDS][2];                  /* pegs */
  double amplitude[WAVES], wave_number[WAVES], phase[WAVES]; /* the ground's height */
} scene;

/* x and y alone: straight on, whatever is touched */
FIELD(flight_field) {
  const scene *const s = params;
  dxdt[0] = s->speed;
  dxdt[1] = 0.0;
}

/* x, y and their rates: the point falls, and is pushed out of what it is in */
static void free_fall(const scene *s, const double x[], double dxdt[]) {
  dxdt[0] = x[2];
  dxdt[1] = x[3];
  dxdt[2] = 0.0;
  dxdt[3] = -s->gravity;
}

static double depth_in_peg(const scene *s, size_t k, const double x[], double normal[2]) {
  const double away[] = {x[0] - s->centre[k][0], x[1] - s->centre[k][1]};
  const double distance = hypot(away[0], away[1]);
  for (int i = 0; i < 2; i++) normal[i] = away[i] / distance;
  return s->radius[k] - distance;
}

FIELD(pegs_field) {
  const scene *const s = params;
  free_fall(s, x, dxdt);
  for (size_t k = 0; k < s->system.guard_count; k++) {
    double normal[2];
    if (!(sign[k] > 0.0)) continue;
    const double depth = depth_in_peg(s, k, x, normal);
    for (int i = 0; i < 2; i++) dxdt[2 + i] += s->stiffness * depth * normal[i];
  }
}

GUARDS(pegs_guards) {
  const scene *const s = params;
  double normal[2];
  for (size_t k = 0; k < s->system.guard_count; k++) h[k] = depth_in_peg(s, k, x, normal);
}

GUARD_JACOBIAN(pegs_jacobian) {
  const scene *const s = params;
  const size_t n = s->system.dimension;
  memset(Dh, 0, s->system.guard_count * n * sizeof *Dh);
  for (size_t k = 0; k < s->system.guard_count; k++) {
    double normal[2];
    depth_in_peg(s, k, x, normal);
    for (size_t i = 0; i < 2; i++) Dh[k * n + i] = -normal[i];
  }
}

static const ess_system one_peg = {.dimension = 2,
                                   .guard_count = 1,
                                   .field = flight_field,
                                   .guards = pegs_guards,
                                   .guard_jacobian = pegs_jacobian};

static const ess_system pegs = {.dimension = STATES, .guard_count = GUARDS, OF_JACOBIAN(pegs)};

/* height of the middle, angle, and their rates; the ends of a rod of length 1 and mass 1 */
GUARDS(rod_guards) {
  h[0] = -(x[0] + 0.5 * sin(x[1]));
  h[1] = -(x[0] - 0.5 * sin(x[1]));
}

GUARD_JACOBIAN(rod_jacobian) {
  memset(Dh, 0, 2 * STATES * sizeof *Dh);
  Dh[0] = Dh[STATES] = -1.0;
  Dh[1] = -0.5 * cos(x[1]);
  Dh[STATES + 1] = 0.5 * cos(x[1]);
}

FIELD(rod_field) {
  const scene *const s = params;
  const double inertia = 1.0 / 12.0;
  double depth[2];
  rod_guards(t, x, depth, params);
  memcpy(dxdt, (const double[STATES]){x[2], x[3], -s->gravity, 0.0}, STATES * sizeof *dxdt);
  for (int k = 0; k < 2; k++) {
    const double force = sign[k] > 0.0 ? s->stiffness * depth[k] : 0.0;
    dxdt[2] += force;
    dxdt[3] += (k ? -0.5 : 0.5) * cos(x[1]) * force / inertia;
  }
}

static const ess_system rod = {.dimension = STATES, .guard_count = 2, OF_JACOBIAN(rod)};

/* a sum of sines */
static double ground(const scene *s, double x, double *slope) {
  double height = 0.0;
  *slope = 0.0;
  for (int i = 0; i < WAVES; i++) {
    height += s->amplitude[i] * sin(s->wave_number[i] * x + s->phase[i]);
    *slope += s->amplitude[i] * s->wave_number[i] * cos(s->wave_number[i] * x + s->phase[i]);
  }
  return height;
}

GUARDS(ground_guards) {
  double slope;
  h[0] = ground(params, x[0], &slope) - x[1];
}

GUARD_JACOBIAN(ground_jacobian) {
  const scene *const s = params;
  double slope;
  ground(s, x[0], &slope);
  memcpy(Dh, (const double[STATES]){slope, -1.0}, s->system.dimension * sizeof *Dh);
}

FIELD(ground_field) {
  const scene *const s = params;
  double slope;
  const double depth = ground(s, x[0], &slope) - x[1];
  free_fall(s, x, dxdt);
  if (!(sign[0] > 0.0)) return;
  dxdt[2] -= s->stiffness * depth * slope;
  dxdt[3] += s->stiffness * depth;
}

static const ess_system terrain = {.dimension = STATES, .guard_count = 1, OF_JACOBIAN(ground)};

static const ess_system hills = {.dimension = 2,
                                 .guard_count = 1,
                                 .field = flight_field,
                                 .guards = ground_guards,
                                 .guard_jacobian = ground_jacobian};

/* ---- one run --------------------------------------------------------------------------------- */

/* crossings told of, and what is known of them */
typedef struct record {
  size_t count, begun;
  size_t guard[CROSSINGS];
  int direction[CROSSINGS];
  double time[CROSSINGS];
} record;

ON_CROSSING_CODE(note) {
  record *const r = context;
  if (r->count == CROSSINGS) return 1;
  r->guard[r->count] = info->guard;
  r->direction[r->count] = info->direction;
  r->time[r->count++] = info->t;
  r->begun += info->direction > 0;
  return 0;
}

static void spend(misses *all, const ess_counters *one) {
  all->spent.steps += one->steps;
  all->spent.rejected += one->rejected;
  all->spent.guard_evaluations += one->guard_evaluations;
}

/* runs a scene, with the state at each of `times` */
static void run(scene *s, const ess_options *given, const double times[], size_t count,
                double states[], record *r, misses *all) {
  ess_options options = *given;
  s->system.params = s;
  *r = (record){0};
  options.observer = (ess_observer){.crossing = note, .context = r};
  ess_driver *const d = ess_driver_alloc(&s->system, &options, NULL);
  double t = 0.0;
  if (!d) abort();
  all->failed += ess_driver_sample(d, &t, s->end, s->start, times, count, states) != ESS_SUCCESS;
  spend(all, ess_driver_counters(d));
  all->runs++;
  all->contacts += r->begun;
  ess_driver_free(d);
}

/* the latched mode while it is compared with the event functions */
typedef struct comparison {
  const scene *s;
  const record *r;
  bool projecting; /* crossings are made early or late, and where the state is not on the guard */
  double depth;    /* that is overlooked */
  size_t told;
  double mode[GUARDS], since[GUARDS]; /* since: when they began to disagree, or INFINITY */
  double longest;                     /* that a contact was missed */
} comparison;

static comparison compare_at_start(scene *s, const record *r, const ess_options *options) {
  const bool projecting = options->method == ESS_METHOD_PAPER;
  const double depth = projecting ? options->epsilon : 1e-5;
  comparison c = {.s = s, .r = r, .projecting = projecting, .depth = depth};
  double h[GUARDS];
  s->system.guards(0.0, s->start, h, s);
  for (size_t k = 0; k < s->system.guard_count; k++) {
    c.mode[k] = h[k] > 0.0 ? 1.0 : -1.0;
    c.since[k] = INFINITY;
  }
  return c;
}

static void hear_until(comparison *c, double t) {
  for (; c->told < c->r->count && c->r->time[c->told] <= t; c->told++) {
    const size_t k = c->r->guard[c->told];
    c->mode[k] = c->r->direction[c->told];
    if (c->projecting) c->since[k] = INFINITY;
  }
}

static void compare_at(comparison *c, double t, const double x[]) {
  double h[GUARDS];
  c->s->system.guards(0.0, x, h, c->s->system.params);
  hear_until(c, t);
  for (size_t k = 0; k < c->s->system.guard_count; k++) {
    if (c->mode[k] * h[k] < -c->depth) {
      c->since[k] = fmin(c->since[k], t - look_every);
    } else if (c->since[k] < INFINITY) {
      c->longest = fmax(c->longest, t - c->since[k]);
      c->since[k] = INFINITY;
    }
  }
}

/* runs a scene and looks at all of it */
static void run_and_look(scene *s, const ess_options *options, misses *all) {
  static double times[LOOKS], states[STATES * LOOKS];
  static record r;
  const size_t count = (size_t)(s->end / look_every);
  for (size_t i = 0; i < count; i++) times[i] = (double)(i + 1) * look_every;
  comparison c = compare_at_start(s, &r, options);
  run(s, options, times, count, states, &r, all);
  for (size_t i = 0; i < count; i++) compare_at(&c, times[i], states + i * s->system.dimension);
  all->missed += c.longest > 0.0;
  all->longest = fmax(all->longest, c.longest);
}

/* ---- populations ----------------------------------------------------------------------------- */

/* past one peg at 5 m/s; the contact lies in the second by 5 ms */
static double flight_past_peg(uint64_t *seed, scene *s) {
  *s = (scene){.system = one_peg, .speed = 5.0, .end = 1.0};
  for (;;) {
    const double radius = log_uniform(seed, 0.02, 1.0),
                 offset = radius * draw_between(seed, 0.0, 0.98);
    const double half = sqrt(radius * radius - offset * offset) / 5.0;
    const double time = draw_between(seed, 0.0, 1.0);
    if (!(time - half > 0.005 && time + half < 0.995)) continue;
    s->radius[0] = radius;
    s->centre[0][0] = 5.0 * time;
    s->centre[0][1] = offset;
    return 2.0 * half;
  }
}

static misses count_flights(const ess_options *options, size_t runs, uint64_t seed) {
  static record r;
  misses all = {0};
  for (size_t i = 0; i < runs; i++) {
    scene s;
    const double contact = flight_past_peg(&seed, &s);
    run(&s, options, NULL, 0, NULL, &r, &all);
    if (r.count == 2) continue;
    all.missed++;
    all.longest = fmax(all.longest, contact);
  }
  return all;
}

/* no chance in it: the smallest case of a contact that was missed */
static misses count_minimal(const ess_options *options, size_t runs, uint64_t seed) {
  static record r;
  misses all = {0};
  for (size_t i = 0; i < runs; i++) {
    scene s = {.system = one_peg, .speed = 5.0, .end = 1.0};
    s.radius[0] = 0.5;
    s.centre[0][0] = 4.1;
    s.centre[0][1] = 0.25;
    run(&s, options, NULL, 0, NULL, &r, &all);
    if (r.count == 2) continue;
    all.missed++;
    all.longest = 2.0 * sqrt(0.25 - 0.0625) / 5.0;
  }
  return all;
}

typedef void (*scene_begin)(uint64_t *seed, scene *s);

static misses count_looking(scene_begin begin, const ess_options *options, size_t runs,
                            uint64_t seed) {
  misses all = {0};
  for (size_t i = 0; i < runs; i++) {
    scene s;
    begin(&seed, &s);
    run_and_look(&s, options, &all);
  }
  return all;
}

/* pegs beside the way that a thrown ball would take */
static void ball_among_pegs(uint64_t *seed, scene *s) {
  *s = (scene){.system = pegs, .end = 2.0, .gravity = 9.81};
  s->stiffness = log_uniform(seed, 1e3, 1e5);
  s->start[2] = draw_between(seed, 1.0, 5.0);
  s->start[3] = draw_between(seed, 0.0, 5.0);
  for (size_t k = 0; k < GUARDS; k++) {
    const double time = draw_between(seed, 0.1, 1.0);
    s->radius[k] = draw_between(seed, 0.1, 0.2);
    s->centre[k][0] = s->start[2] * time + draw_between(seed, -0.3, 0.3);
    s->centre[k][1] =
        (s->start[3] - 0.5 * s->gravity * time) * time + draw_between(seed, -0.3, 0.3);
    if (hypot(s->centre[k][0], s->centre[k][1]) < s->radius[k] + 0.01) k--;
  }
}

static misses count_pegs(const ess_options *options, size_t runs, uint64_t seed) {
  return count_looking(ball_among_pegs, options, runs, seed);
}

static void tumbling_rod(uint64_t *seed, scene *s) {
  *s = (scene){.system = rod, .end = 1.0, .gravity = 9.81};
  s->stiffness = log_uniform(seed, 1e2, 1e4);
  s->start[0] = draw_between(seed, 0.55, 2.0);
  s->start[1] = draw_between(seed, -3.2, 3.2);
  s->start[2] = draw_between(seed, -3.0, 3.0);
  s->start[3] = draw_between(seed, 20.0, 40.0) * (draw_between(seed, -1.0, 1.0) < 0.0 ? -1.0 : 1.0);
}

static misses count_rods(const ess_options *options, size_t runs, uint64_t seed) {
  return count_looking(tumbling_rod, options, runs, seed);
}

/* waves of 0.3 to 3 m, as high as a tenth of their length */
static void roll_ground(uint64_t *seed, scene *s) {
  for (int i = 0; i < WAVES; i++) {
    const double length = log_uniform(seed, 0.3, 3.0);
    s->wave_number[i] = 2.0 * 3.14159265358979 / length;
    s->amplitude[i] = draw_between(seed, 0.01, 0.1) * length;
    s->phase[i] = draw_between(seed, 0.0, 6.3);
  }
}

static double highest(const scene *s) {
  double height = 0.0;
  for (int i = 0; i < WAVES; i++) height += s->amplitude[i];
  return height;
}

/* straight and level through the tops of the hills, which do not slow it */
static void flight_through_hills(uint64_t *seed, scene *s) {
  *s = (scene){.system = hills, .end = 1.0};
  roll_ground(seed, s);
  s->start[1] = highest(s) * draw_between(seed, 0.3, 1.0);
  s->speed = draw_between(seed, 1.0, 5.0);
}

static misses count_hills(const ess_options *options, size_t runs, uint64_t seed) {
  return count_looking(flight_through_hills, options, runs, seed);
}

/* a ball that bounces over soft hills */
static void ball_on_hills(uint64_t *seed, scene *s) {
  *s = (scene){.system = terrain, .end = 2.0, .gravity = 9.81};
  roll_ground(seed, s);
  s->stiffness = log_uniform(seed, 1e3, 1e5);
  s->start[1] = highest(s) + draw_between(seed, 0.05, 1.0);
  s->start[2] = draw_between(seed, 1.0, 5.0);
  s->start[3] = draw_between(seed, -2.0, 2.0);
}

static misses count_balls(const ess_options *options, size_t runs, uint64_t seed) {
  return count_looking(ball_on_hills, options, runs, seed);
}

const misses_population misses_populations[MISSES_POPULATIONS] = {
    {"minimal case", count_minimal, 1, 0.0, 0.0},
    {"flight past a peg", count_flights, 10000, 1e-4, 2e-3},
    {"ball among pegs", count_pegs, 2000, 0.0, 0.0},
    {"tumbling rod", count_rods, 1000, 0.0, 0.0},
    {"flight through hills", count_hills, 1000, 0.0, 0.0},
    {"ball on hills", count_balls, 1000, 0.0, 0.0},
};
