/*
 * What a system of pair_systems.h does. While no mode changes what forms are linear in obeys a
 * linear equation, so that each is a Taylor series in time, and what ends a mode is a polynomial.
 *
 * What is held, by friction or by a table, is so by forces L >= 0 (of friction: L <= 1, in units of
 * the jump): the speeds g across what holds it stay nought, and 0 = d/dt g = a + G L. Which of
 * those that are at nought are held, and to which side others leave, is found by looking at all
 * cases: one alone has to be consistent.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "pair_systems.h"

enum { WIDTH = PAIR_WIDTH, GUARDS = PAIR_GUARDS, ORDER = 18, PLACES = 16 };
enum { STEPS = 60000, EVENTS = 6000, STUCK = 400, HELD = 4 };

typedef struct walker {
  const pair_system *s;
  double t, e[WIDTH], series[ORDER + 1][WIDTH];
  double matrix[WIDTH][WIDTH], norm; /* of the mode */
  double speed[GUARDS][WIDTH], force[GUARDS][WIDTH];
  bool held[GUARDS], done[GUARDS];
  int nought[GUARDS]; /* so many derivatives of its h, from the value on, are nought, and it recedes
                       */
  double sign[GUARDS], hit_at[GUARDS], low;
  pair_path *path;
} walker;

static double product(const double a[], const double b[]) {
  double sum = 0.0;
  for (size_t i = 0; i < WIDTH; i++) sum += a[i] * b[i];
  return sum;
}

/* the row of a form's rate in a mode */
static void differentiate(const walker *w, const double row[], double rate[]) {
  memset(rate, 0, WIDTH * sizeof *rate);
  for (size_t i = 0; i < WIDTH; i++)
    for (size_t j = 0; row[i] != 0.0 && j < WIDTH; j++) rate[j] += row[i] * w->matrix[i][j];
}

static double push_along(const walker *w, size_t k, const double row[]) {
  double sum = 0.0;
  for (size_t i = 0; i < w->s->n; i++) sum += row[i] * w->s->guard[k].push[i];
  return sum;
}

/* the field with what is held left out, its friction at - */
static void take_free_mode(walker *w) {
  const pair_system *const s = w->s;
  memset(w->matrix, 0, sizeof w->matrix);
  memcpy(w->matrix, s->base, s->n * sizeof *s->base);
  for (size_t k = 0; k < s->m; k++)
    for (size_t i = 0; !w->held[k] && w->sign[k] > 0.0 && i < s->n; i++)
      for (size_t j = 0; s->guard[k].adds[i] && j < WIDTH; j++)
        w->matrix[i][j] += s->guard[k].add[i][j];
  for (size_t i = 0; i < PAIR_WAVES; i++) {
    const size_t sine = PAIR_SINE + 2 * i;
    w->matrix[sine][sine + 1] = s->pace[i];
    w->matrix[sine + 1][sine] = -s->pace[i];
  }
  w->matrix[PAIR_TIME][PAIR_ONE] = 1.0;
}

/* forces of what is held: L = -G^-1 a, by elimination */
static void hold(walker *w) {
  const size_t m = w->s->m;
  size_t set[HELD], count = 0;
  double g[HELD][HELD];
  for (size_t k = 0; k < m && count < HELD; k++)
    if (w->held[k]) set[count++] = k;
  for (size_t i = 0; i < count; i++) {
    differentiate(w, w->speed[set[i]], w->force[set[i]]);
    for (size_t c = 0; c < WIDTH; c++) w->force[set[i]][c] *= -1.0;
    for (size_t j = 0; j < count; j++) g[i][j] = push_along(w, set[j], w->speed[set[i]]);
  }
  for (size_t p = 0; p < count; p++)
    for (size_t i = 0; i < count; i++) {
      if (i == p) continue;
      const double share = g[i][p] / g[p][p];
      for (size_t j = 0; j < count; j++) g[i][j] -= share * g[p][j];
      for (size_t c = 0; c < WIDTH; c++) w->force[set[i]][c] -= share * w->force[set[p]][c];
    }
  for (size_t p = 0; p < count; p++)
    for (size_t c = 0; c < WIDTH; c++) w->force[set[p]][c] /= g[p][p];
  for (size_t p = 0; p < count; p++)
    for (size_t i = 0; i < w->s->n; i++)
      for (size_t c = 0; c < WIDTH; c++)
        w->matrix[i][c] += w->s->guard[set[p]].push[i] * w->force[set[p]][c];
}

static void take_mode(walker *w) {
  take_free_mode(w);
  hold(w);
  w->norm = 0.0;
  for (size_t i = 0; i < w->s->n; i++) {
    double sum = 0.0;
    for (size_t j = 0; j < w->s->n; j++) sum += fabs(w->matrix[i][j]);
    w->norm = fmax(w->norm, sum);
  }
  for (size_t i = 0; i < PAIR_WAVES; i++) w->norm = fmax(w->norm, w->s->pace[i]);
}

static double value_of(const walker *w, size_t k) {
  return product(w->s->guard[k].row, w->e);
}

/* a force beyond its bounds, or a speed that does not leave to its side */
static bool is_consistent(const walker *w, size_t k) {
  const double force = product(w->force[k], w->e);
  if (w->held[k]) return force >= 0.0 && (w->s->guard[k].kind == PAIR_BALL || force <= 1.0);
  double rate[WIDTH];
  differentiate(w, w->speed[k], rate);
  return w->sign[k] * product(rate, w->e) > 0.0;
}

/* how many derivatives of h are nought where its speed across it is, and the force is not */
static int orders_of(const walker *w, size_t k) {
  return w->s->guard[k].kind == PAIR_BALL ? 2 : 1;
}

/* Which of those at nought are held, and where others leave to. Whether one case alone is
 * consistent. */
static bool settle(walker *w, const bool at[]) {
  const size_t m = w->s->m;
  size_t found = 0, cases = 1;
  bool held[GUARDS], before[GUARDS];
  double sign[GUARDS];
  memcpy(before, w->held, sizeof before);
  for (size_t k = 0; k < m; k++)
    if (at[k]) cases *= 3;
  for (size_t c = 0; c < cases; c++) {
    size_t which = c;
    bool consistent = true;
    for (size_t k = 0; k < m; k++) {
      if (!at[k]) continue;
      w->held[k] = which % 3 == 0;
      w->sign[k] = which % 3 == 1 ? 1.0 : -1.0;
      which /= 3;
      if (w->s->guard[k].kind == PAIR_BALL && !w->held[k] && w->sign[k] < 0.0) consistent = false;
    }
    if (consistent) take_mode(w);
    for (size_t k = 0; k < m && consistent; k++) consistent = !at[k] || is_consistent(w, k);
    if (!consistent) continue;
    found++;
    memcpy(held, w->held, sizeof held);
    memcpy(sign, w->sign, sizeof sign);
  }
  if (found != 1) return false;
  for (size_t k = 0; k < m; k++) {
    w->path->slips += held[k] != before[k];
    if (at[k]) w->nought[k] = held[k] ? 0 : orders_of(w, k);
  }
  memcpy(w->held, held, sizeof held);
  memcpy(w->sign, sign, sizeof sign);
  for (size_t k = 0; k < m; k++)
    if (held[k] && w->s->guard[k].kind == PAIR_BALL) w->sign[k] = 1.0;
  take_mode(w);
  return true;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* exactly on its zero, or at its speed */
static void put_at(walker *w, const double row[], size_t state) {
  w->e[state] -= product(row, w->e) / row[state];
}

/* what a jump of the state has torn away is held no more, and a block that it takes past its belt's
 * speed is beyond; whether the rest is consistent */
static bool settle_after_jump(walker *w) {
  bool at[GUARDS] = {false}, any = false;
  for (size_t k = 0; k < w->s->m; k++) {
    const double speed = product(w->speed[k], w->e);
    if (w->s->guard[k].kind == PAIR_BLOCK && !w->held[k]) w->sign[k] = speed > 0.0 ? 1.0 : -1.0;
    if (!w->held[k]) continue;
    at[k] = fabs(speed) < 1e-14;
    any = any || at[k];
    if (at[k]) continue;
    w->held[k] = false;
    w->path->slips++;
    if (w->s->guard[k].kind == PAIR_BALL && speed < 0.0) return false;
    w->sign[k] = speed > 0.0 ? 1.0 : -1.0;
    w->nought[k] = w->s->guard[k].kind == PAIR_BALL;
  }
  take_mode(w);
  return !any || settle(w, at);
}

/* what is held, and k, where it is a guard */
static bool settle_held(walker *w, size_t k) {
  bool at[GUARDS];
  memcpy(at, w->held, sizeof at);
  if (k < GUARDS) at[k] = true;
  bool any = false;
  for (size_t i = 0; i < w->s->m; i++) any = any || at[i];
  take_mode(w);
  return !any || settle(w, at);
}

static bool bounce(walker *w, size_t k) {
  const pair_guard *const g = &w->s->guard[k];
  put_at(w, g->row, g->state - 1);
  const double into = -product(w->speed[k], w->e);
  const bool rests = w->s->has[PAIR_REST];
  if (!rests && into < w->low) {
    w->path->slow = 0.5 * (w->t + w->hit_at[k]);
    return false;
  }
  w->hit_at[k] = w->t;
  w->path->crossings += !rests;
  const bool stays = rests && g->bounce * into < w->low;
  for (size_t i = 0; i < w->s->n; i++)
    w->e[i] += (stays ? 1.0 : 1.0 + g->bounce) * into * g->push[i] / g->push[g->state];
  w->nought[k] = 1;
  if (!stays) return settle_after_jump(w);
  put_at(w, w->speed[k], g->state);
  return settle_after_jump(w) && settle_held(w, k);
}

/* `beyond`: of what is held, to which side it is let go of */
static bool make_event(walker *w, size_t k, double beyond) {
  const pair_guard *const g = &w->s->guard[k];
  if (w->held[k]) {
    w->held[k] = false;
    w->sign[k] = g->kind == PAIR_BALL ? 1.0 : beyond;
    w->nought[k] = orders_of(w, k) + 1;
    w->path->slips++;
    return settle_held(w, GUARDS);
  }
  switch (g->kind) {
  case PAIR_BALL:
    return bounce(w, k);
  case PAIR_BLOCK:
    put_at(w, g->row, g->state);
    w->nought[k] = 1;
    return settle_held(w, k);
  case PAIR_DOSE:
    w->done[k] = true;
    w->sign[k] = 1.0;
    w->path->crossings++;
    for (size_t i = 0; i < w->s->n; i++) w->e[i] += g->push[i];
    return settle_after_jump(w);
  default:
    w->path->crossings++;
    w->sign[k] = -w->sign[k];
    if (g->kind == PAIR_HIGH) w->sign[k + 1] = 1.0; // what arms the other latches it
    if (g->kind == PAIR_LOW) w->sign[k - 1] = -1.0;
    w->nought[k] = g->kind == PAIR_SPRING;
    return settle_held(w, GUARDS);
  }
}

/* ---- where they are -------------------------------------------------------------------------- */

static double polynomial(const double c[], double time, double *rate) {
  double value = c[ORDER], slope = 0.0;
  for (int o = ORDER - 1; o >= 0; o--) {
    slope = slope * time + value;
    value = value * time + c[o];
  }
  *rate = slope;
  return value;
}

/* where it falls below zero, or turns, between two times */
static double bisect(const double c[], double before, double after, bool turning) {
  for (int i = 0; i < 80; i++) {
    const double middle = 0.5 * (before + after);
    double rate;
    if (middle <= before || middle >= after) break;
    const double value = polynomial(c, middle, &rate);
    *((turning ? rate >= 0.0 : value < 0.0) ? &after : &before) = middle;
  }
  return after;
}

/* when a form that is above zero falls below it within a step; INFINITY: not */
static double find_fall(const walker *w, const double row[], double sense, int nought, double extra,
                        double step) {
  double c[ORDER + 1], rate_before;
  for (int o = 0; o <= ORDER; o++) c[o] = sense * product(row, w->series[o]);
  for (int o = 0; o < nought; o++) c[o] = 0.0;
  c[0] += extra;
  const double at = polynomial(c, 0.0, &rate_before);
  if (at < 0.0) return 0.0;
  for (int i = 1; i <= PLACES; i++) {
    const double from = step * (i - 1) / PLACES, to = step * i / PLACES;
    double rate, ignored;
    const double value = polynomial(c, to, &rate);
    if (value < 0.0) return bisect(c, from, to, false);
    if (rate_before < 0.0 && rate > 0.0) {
      const double bottom = bisect(c, from, to, true);
      if (polynomial(c, bottom, &ignored) < 0.0) return bisect(c, from, bottom, false);
    }
    rate_before = rate;
  }
  return INFINITY;
}

/* the first event within a step; GUARDS: none */
static size_t find_first(const walker *w, double step, double *first, double *beyond) {
  size_t who = GUARDS;
  *first = INFINITY;
  for (size_t k = 0; k < w->s->m; k++) {
    const pair_guard *const g = &w->s->guard[k];
    if (w->done[k] || (g->kind == PAIR_HIGH && w->sign[k + 1] > 0.0) ||
        (g->kind == PAIR_LOW && w->sign[k] < 0.0))
      continue;
    double time = INFINITY, top = INFINITY;
    if (w->held[k]) {
      time = find_fall(w, w->force[k], 1.0, 0, 0.0, step);
      if (g->kind == PAIR_BLOCK) top = find_fall(w, w->force[k], -1.0, 0, 1.0, step);
    } else {
      time = find_fall(w, g->row, w->sign[k], w->nought[k], 0.0, step);
    }
    if (fmin(time, top) >= *first) continue;
    *first = fmin(time, top);
    *beyond = top < time ? 1.0 : -1.0;
    who = k;
  }
  return who;
}

/* ---- the way --------------------------------------------------------------------------------- */

static void expand(walker *w) {
  memcpy(w->series[0], w->e, sizeof w->e);
  for (int o = 0; o < ORDER; o++)
    for (size_t i = 0; i < WIDTH; i++)
      w->series[o + 1][i] = product(w->matrix[i], w->series[o]) / (o + 1);
}

static void follow(walker *w, double time) {
  for (size_t i = 0; i < WIDTH; i++) {
    double value = w->series[ORDER][i];
    for (int o = ORDER - 1; o >= 0; o--) value = value * time + w->series[o][i];
    w->e[i] = value;
  }
  w->t += time;
}

static bool is_bounded(const walker *w) {
  bool bounded = true;
  for (size_t i = 0; i < w->s->n; i++) bounded = bounded && fabs(w->e[i]) <= 1e6;
  return bounded;
}

static bool walk(walker *w, double goal, double fineness) {
  size_t at_once = 0, events = 0;
  for (size_t steps = 0; w->t < goal; steps++) {
    if (steps >= STEPS || events >= EVENTS || at_once > STUCK || !is_bounded(w)) return false;
    double first, beyond = 0.0;
    const double most = 0.5 / (w->norm + 0.1) / fineness, step = fmin(most, goal - w->t);
    expand(w);
    const size_t k = find_first(w, step, &first, &beyond);
    follow(w, fmin(first, step));
    at_once = first < 1e-13 ? at_once + 1 : 0;
    if (fmin(first, step) > 0.0) memset(w->nought, 0, sizeof w->nought);
    if (k == GUARDS) {
      if (goal - w->t < 1e-14 * (1.0 + goal)) w->t = goal;
      continue;
    }
    events++;
    if (!make_event(w, k, beyond)) return false;
  }
  return true;
}

static bool start(walker *w) {
  const pair_system *const s = w->s;
  bool at[GUARDS] = {false}, any = false;
  pair_widen(s, 0.0, s->x0, w->e);
  take_free_mode(w);
  for (size_t k = 0; k < s->m; k++) {
    const pair_guard *const g = &s->guard[k];
    memcpy(w->speed[k], g->row, sizeof g->row);
    if (g->kind == PAIR_BALL) differentiate(w, g->row, w->speed[k]);
    at[k] = g->begins_held;
    any = any || at[k];
    w->sign[k] = value_of(w, k) > 0.0 ? 1.0 : -1.0;
    if (g->begins_held) put_at(w, w->speed[k], g->state);
  }
  take_mode(w);
  return !any || settle(w, at);
}

void pair_truth(const pair_system *s, double low, double fineness, pair_path *p) {
  walker w = {.s = s, .low = low, .path = p};
  memset(p, 0, sizeof *p);
  p->slow = INFINITY;
  if (!start(&w)) p->status = -1;
  for (size_t i = 0; i < PAIR_OUTPUTS && !p->status; i++) {
    if (!walk(&w, s->output[i], fineness)) p->status = -1;
    memcpy(p->z[i], w.e, sizeof p->z[i]);
  }
  memcpy(p->sign, w.sign, sizeof p->sign);
  memcpy(p->held, w.held, sizeof p->held);
}
