/*
 * What a system of pair_systems.h is, by its seed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "draws.h"
#include "pair_systems.h"

const char *const pair_feature_names[PAIR_FEATURES] = {
    "dopri5", "rkc",   "chosen", "rodas",   "ros2",      "sliding",  "rest",
    "moving", "no Dh", "no Df",  "weights", "at events", "at steps", "at times"};

/* how far a ball's fall may become shallow where it may not rest, and what is drawn anew */
static const double SLOWEST = 0.15, BRIEFEST = 0.5;

static double even(uint64_t *r, double low, double high) {
  return low + (high - low) * ((double)(draw_bits(r) >> 11) * 0x1p-53);
}

static double by_size(uint64_t *r, double low, double high) {
  return exp(even(r, log(low), log(high)));
}

static bool chance(uint64_t *r, double share) {
  return even(r, 0.0, 1.0) < share;
}

static double either(uint64_t *r, double value) {
  return chance(r, 0.5) ? value : -value;
}

static size_t count_of(uint64_t *r, size_t low, size_t high) {
  return low + (size_t)even(r, 0.0, (double)(high - low + 1));
}

void pair_widen(const pair_system *s, double t, const double z[], double wide[]) {
  memset(wide, 0, PAIR_WIDTH * sizeof *wide);
  memcpy(wide, z, s->n * sizeof *wide);
  for (size_t i = 0; i < PAIR_WAVES; i++) {
    wide[PAIR_SINE + 2 * i] = sin(s->pace[i] * t + s->phase[i]);
    wide[PAIR_SINE + 2 * i + 1] = cos(s->pace[i] * t + s->phase[i]);
  }
  wide[PAIR_TIME] = t;
  wide[PAIR_ONE] = 1.0;
}

/* ---- features -------------------------------------------------------------------------------- */

static void draw_features(uint64_t *r, pair_system *s) {
  bool *const has = s->has;
  has[PAIR_DOPRI5 + count_of(r, 0, 4)] = true;
  const bool is_refused = chance(r, 0.05);
  has[PAIR_WEIGHTS] = is_refused || chance(r, 0.3);
  has[PAIR_SLIDING] = is_refused || (chance(r, 0.75) && !has[PAIR_WEIGHTS]);
  has[PAIR_REST] = has[PAIR_SLIDING] && chance(r, 0.5);
  has[PAIR_MOVING] = chance(r, 0.5);
  has[PAIR_NO_GUARD_JACOBIAN] = chance(r, 0.4);
  has[PAIR_NO_FIELD_JACOBIAN] = chance(r, 0.5);
  has[PAIR_STOP_EVENTS] = chance(r, 0.35);
  has[PAIR_STOP_STEPS] = chance(r, 0.25);
  has[PAIR_STOP_TIMES] = chance(r, 0.35);
  // of RKC and ROS2 ess.h names larger errors below 1e-6, and chosen takes RKC's steps
  const bool is_loose = has[PAIR_RKC] || has[PAIR_ROS2] || has[PAIR_CHOSEN];
  s->tolerance = pow(10.0, -(double)count_of(r, 2, is_loose ? 6 : 9));
  s->has_rates = chance(r, 0.3);
  s->has_time_rates = chance(r, 0.7) && !has[PAIR_NO_GUARD_JACOBIAN];
  s->stops_crossings = chance(r, 0.5);
  s->stops_impacts = chance(r, 0.5);
  s->stops_slides = chance(r, 0.5);
  s->watches = has[PAIR_STOP_EVENTS] &&
               (chance(r, 0.2) || !(s->stops_crossings || s->stops_impacts || s->stops_slides));
  s->resets_place = chance(r, 0.2);
  s->sets_options = chance(r, 0.15);
}

/* ---- parts ----------------------------------------------------------------------------------- */

static pair_guard *add_guard(pair_system *s, pair_kind kind) {
  pair_guard *const g = &s->guard[s->m++];
  g->kind = kind;
  return g;
}

/* a place and its speed, on a spring and damped: where the place is */
static size_t add_mass(pair_system *s, double spring, double damping) {
  const size_t i = s->n;
  s->n += 2;
  s->base[i][i + 1] = 1.0;
  s->base[i + 1][i] = -spring;
  s->base[i + 1][i + 1] = -damping;
  return i;
}

/* so much of a sum of sines, whose second derivative is no more */
static void add_wave(uint64_t *r, const pair_system *s, double row[], double size, int derivative) {
  for (size_t i = 0; i < PAIR_WAVES; i++)
    row[PAIR_SINE + 2 * i] += either(r, even(r, 0.1, 0.5) * size / pow(s->pace[i], derivative));
}

static double damping_of(uint64_t *r, const pair_system *s) {
  return !s->has[PAIR_DOPRI5] && chance(r, 0.3) ? by_size(r, 3.0, 60.0) : even(r, 0.05, 1.0);
}

/* h is moved by a wave where event functions may move */
static void may_move(uint64_t *r, const pair_system *s, pair_guard *g, double size,
                     int derivative) {
  if (s->has[PAIR_MOVING] && chance(r, 0.7)) add_wave(r, s, g->row, size, derivative);
}

/* `on`: the block below, or SIZE_MAX where it is a belt that holds it; by friction `grip` */
static size_t add_block(uint64_t *r, pair_system *s, size_t on) {
  const size_t place = add_mass(s, by_size(r, 0.2, 5.0), even(r, 0.0, 0.4)), speed = place + 1;
  const double grip = by_size(r, 0.3, 3.0),
               belt = chance(r, 0.5) ? either(r, even(r, 0.0, 1.0)) : 0;
  pair_guard *const g = add_guard(s, PAIR_BLOCK);
  g->state = speed;
  g->row[speed] = 1.0;
  g->push[speed] = -2.0 * grip;
  if (on < SIZE_MAX) {
    g->row[on + 1] = -1.0;
    g->push[on + 1] = 2.0 * grip * by_size(r, 0.3, 3.0);
  } else {
    g->row[PAIR_ONE] = -belt;
    may_move(r, s, g, 0.6 * grip, 1);
  }
  for (size_t i = 0; i < s->n; i++) {
    g->add[i][PAIR_ONE] = g->push[i];
    s->base[i][PAIR_ONE] -= 0.5 * g->push[i];
  }
  add_wave(r, s, s->base[speed], grip * by_size(r, 0.3, 3.0), 0);
  s->x0[place] = even(r, -1.0, 1.0);
  s->x0[speed] = even(r, -1.0, 1.0);
  g->begins_held = chance(r, 0.3);
  return place;
}

static void add_ball(uint64_t *r, pair_system *s) {
  const size_t place = add_mass(s, 0.0, chance(r, 0.3) ? even(r, 0.0, 0.2) : 0.0);
  const double weight = by_size(r, 1.0, 10.0);
  pair_guard *const g = add_guard(s, PAIR_BALL);
  g->state = place + 1;
  g->row[place] = 1.0;
  g->push[place + 1] = 1.0;
  g->bounce = s->has[PAIR_REST] ? chance(r, 0.1) ? 0.0 : even(r, 0.0, 0.8) : even(r, 0.5, 1.0);
  s->base[place + 1][PAIR_ONE] = -weight;
  may_move(r, s, g, weight * by_size(r, 0.2, 1.5), 2);
  if (chance(r, 0.6)) add_wave(r, s, s->base[place + 1], weight * by_size(r, 0.3, 1.5), 0);
  s->x0[place] = even(r, 0.1, 1.0);
  s->x0[place + 1] = even(r, -1.0, 1.0);
  g->begins_held = s->has[PAIR_REST] && chance(r, 0.3);
}

static void add_spring(uint64_t *r, pair_system *s) {
  const size_t place = add_mass(s, by_size(r, 0.5, 10.0), damping_of(r, s));
  const double level = even(r, -0.7, 0.7), stiffness = by_size(r, 1.0, 100.0);
  pair_guard *const g = add_guard(s, PAIR_SPRING);
  g->state = place + 1;
  g->row[place] = 1.0;
  g->row[PAIR_ONE] = -level;
  may_move(r, s, g, 0.5, 1);
  for (size_t j = 0; j < PAIR_WIDTH; j++) g->add[place + 1][j] = -stiffness * g->row[j];
  g->add[place + 1][place + 1] -= even(r, 0.0, 0.3) * sqrt(stiffness);
  if (chance(r, 0.4)) g->add[place + 1][PAIR_ONE] += even(r, 0.1, 1.0);
  add_wave(r, s, s->base[place + 1], by_size(r, 0.5, 5.0), 0);
  s->x0[place] = level + either(r, even(r, 0.1, 1.0));
  s->x0[place + 1] = even(r, -2.0, 2.0);
}

/* T' = -a T + q, q while it is on */
static void add_heater(uint64_t *r, pair_system *s) {
  const size_t heat = s->n++;
  const double rate = by_size(r, 0.5, 5.0), low = even(r, 0.2, 0.5), high = low + even(r, 0.1, 0.3);
  pair_guard *const g = add_guard(s, PAIR_HIGH), *const h = add_guard(s, PAIR_LOW);
  g->state = h->state = heat;
  g->row[heat] = h->row[heat] = 1.0;
  may_move(r, s, h, 0.02, 0);
  for (size_t i = PAIR_SINE; i < PAIR_TIME; i++) g->row[i] = h->row[i];
  g->row[PAIR_ONE] = -high;
  h->row[PAIR_ONE] = -low;
  s->base[heat][heat] = -rate;
  s->base[heat][PAIR_ONE] = rate;
  h->add[heat][PAIR_ONE] = -rate;
  s->x0[heat] = chance(r, 0.5) ? even(r, 0.0, low - 0.05) : even(r, low + 0.05, high - 0.02);
  s->has_matrix = true;
}

static void add_dose(uint64_t *r, pair_system *s) {
  pair_guard *const g = add_guard(s, PAIR_DOSE);
  g->row[PAIR_TIME] = 1.0;
  g->row[PAIR_ONE] = -even(r, 0.1, 0.9) * s->end;
  for (size_t k = 0; k < s->m; k++) {
    const pair_guard *const to = &s->guard[k];
    const bool may = to->kind == PAIR_BLOCK || to->kind == PAIR_SPRING;
    if (may && chance(r, 0.5)) g->push[to->state] = either(r, even(r, 0.1, 1.0));
  }
}

/* forces that other parts' states and signs add, and what a ball's bounce gives to another part */
static void couple(uint64_t *r, pair_system *s) {
  for (size_t k = 0; k < s->m; k++) {
    pair_guard *const g = &s->guard[k];
    const pair_guard *const other = &s->guard[count_of(r, 0, s->m - 1)];
    const bool acts = g->kind == PAIR_BLOCK || g->kind == PAIR_BALL || g->kind == PAIR_SPRING;
    if (acts && chance(r, 0.3)) s->base[g->state][count_of(r, 0, s->n - 1)] += either(r, 0.2);
    if (other == g || other->kind >= PAIR_HIGH) continue;
    if ((g->kind == PAIR_SPRING || g->kind == PAIR_LOW) && chance(r, 0.4))
      g->add[other->state][PAIR_ONE] += either(r, even(r, 0.1, 0.5));
    if (g->kind == PAIR_BALL && other->kind != PAIR_BALL && chance(r, 0.3))
      g->push[other->state] = either(r, even(r, 0.05, 0.5));
  }
}

static void draw_parts(uint64_t *r, pair_system *s) {
  const bool *const has = s->has;
  if (has[PAIR_SLIDING]) {
    const size_t below = add_block(r, s, SIZE_MAX);
    if (chance(r, 0.35)) add_block(r, s, chance(r, 0.6) ? below : SIZE_MAX);
  }
  const size_t balls = has[PAIR_REST] ? count_of(r, 1, 2) : count_of(r, 0, 1);
  const size_t springs = has[PAIR_WEIGHTS] ? count_of(r, 2, 4) : count_of(r, 0, 1);
  for (size_t i = 0; i < balls; i++) add_ball(r, s);
  for (size_t i = 0; i < springs && s->n + 2 <= PAIR_STATES; i++) add_spring(r, s);
  if (s->n + 1 <= PAIR_STATES && s->m + 4 <= PAIR_GUARDS && (chance(r, 0.25) || !s->n))
    add_heater(r, s);
  if (has[PAIR_MOVING])
    for (size_t doses = count_of(r, 0, 2); doses > 0 && s->m < PAIR_GUARDS; doses--) add_dose(r, s);
  couple(r, s);
}

/* on the guard, at its speed, where it begins held */
static void place_at_start(pair_system *s) {
  for (size_t k = 0; k < s->m; k++) {
    const pair_guard *const g = &s->guard[k];
    if (g->kind != PAIR_BALL && !g->begins_held) continue;
    double wide[PAIR_WIDTH], h = 0.0, rate = 0.0;
    pair_widen(s, 0.0, s->x0, wide);
    for (size_t i = 0; i < PAIR_WIDTH; i++) h += g->row[i] * wide[i];
    for (size_t i = 0; i < PAIR_WAVES; i++)
      rate += g->row[PAIR_SINE + 2 * i] * s->pace[i] * wide[PAIR_SINE + 2 * i + 1];
    if (g->kind == PAIR_BLOCK) {
      s->x0[g->state] -= h;
    } else { // so high above the table
      s->x0[g->state - 1] -= g->begins_held ? h : h - s->x0[g->state - 1];
      if (g->begins_held) s->x0[g->state] = -rate;
    }
  }
}

static void draw_system(uint64_t *r, pair_system *s) {
  s->end = by_size(r, 2.0, 12.0);
  for (size_t i = 0; i < PAIR_WAVES; i++) {
    s->pace[i] = by_size(r, 0.5, 6.0);
    s->phase[i] = even(r, -M_PI, M_PI);
  }
  draw_parts(r, s);
  place_at_start(s);
  double size = 0.0;
  for (size_t i = 0; i < s->n; i++) size += pow(s->mirror[i] = even(r, -1.0, 1.0), 2.0);
  const bool turns = chance(r, 0.6);
  for (size_t i = 0; i < s->n; i++) s->mirror[i] = turns ? s->mirror[i] / sqrt(size) : 0.0;
  for (size_t k = 0; k < s->m; k++) {
    pair_guard *const g = &s->guard[k];
    g->cube = chance(r, 0.3) ? by_size(r, 0.01, 1.0) : 0.0;
    for (size_t i = 0; i < s->n; i++)
      for (size_t j = 0; j < PAIR_WIDTH; j++) g->adds[i] = g->adds[i] || g->add[i][j] != 0.0;
  }
}

static void draw_times(uint64_t *r, pair_system *s) {
  for (size_t i = 0; i < PAIR_OUTPUTS; i++) // one in each part of the time
    s->output[i] =
        i + 1 < PAIR_OUTPUTS ? s->end * ((double)i + even(r, 0.1, 0.9)) / PAIR_OUTPUTS : s->end;
  for (size_t i = 0; i < PAIR_HALTS; i++)
    s->halt[i] = s->end * ((double)i + even(r, 0.1, 0.9)) / PAIR_HALTS;
}

void pair_draw(pair_system *s, uint64_t seed) {
  uint64_t r = seed;
  r = draw_bits(&r);
  memset(s, 0, sizeof *s);
  s->seed = seed;
  draw_features(&r, s);
  const pair_system features = *s;
  for (;;) { // until what may not rest goes on for long enough
    *s = features;
    draw_system(&r, s);
    draw_times(&r, s);
    pair_path p;
    pair_truth(s, SLOWEST, 1.0, &p);
    if (p.slow < INFINITY) {
      s->end = p.slow;
      draw_times(&r, s);
    }
    if (s->end >= BRIEFEST) return;
  }
}
