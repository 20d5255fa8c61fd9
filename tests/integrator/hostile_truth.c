/*
 * What a hostile system does: its field is affine while no guard is crossed, so that the state is a
 * Taylor series in time, and guards are looked for along it, by values and rates at many places.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "hostile_systems.h"

enum { STATES = HOSTILE_STATES, GUARDS = HOSTILE_GUARDS, ORDER = 16, PLACES = 12, STEPS = 100000 };

/* where the state is, and the series from there */
typedef struct walker {
  const hostile_system *s;
  double t, x[STATES], series[ORDER + 1][STATES];
  double matrix[STATES][STATES], drift[STATES], norm; /* of the mode */
  double place_x[PLACES + 1][STATES], place_v[PLACES + 1][STATES];
  bool armed[2 * GUARDS];
  double margin;
  size_t last; /* the guard crossed last; GUARDS: none */
  hostile_path *path;
} walker;

static double product(size_t n, const double a[], const double b[]) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

double hostile_event(const hostile_system *s, size_t k, const double x[]) {
  const hostile_guard *const g = &s->guard[k];
  if (g->shape == HOSTILE_CIRCLE) {
    const double a = x[0] - g->centre[0], b = x[1] - g->centre[1];
    return (g->radius * g->radius - a * a - b * b) / (2.0 * g->radius);
  }
  const double plane = product(s->n, g->normal, x) - g->place, q = product(s->n, g->across, x);
  switch (g->shape) {
  case HOSTILE_SQUARE:
    return plane + g->bend * q * q;
  case HOSTILE_PRODUCT:
    return plane + g->bend * q * product(s->n, g->other, x);
  case HOSTILE_WAVE:
    return plane + g->bend * sin(g->wave * q);
  case HOSTILE_CUBIC:
    return plane + g->bend * q * q * q;
  default:
    return plane;
  }
}

void hostile_gradient(const hostile_system *s, size_t k, const double x[], double gradient[]) {
  const hostile_guard *const g = &s->guard[k];
  const double q = product(s->n, g->across, x), p = product(s->n, g->other, x);
  double across = 0.0, other = 0.0;
  if (g->shape == HOSTILE_CIRCLE) {
    for (size_t i = 0; i < s->n; i++)
      gradient[i] = i < 2 ? -(x[i] - g->centre[i]) / g->radius : 0.0;
    return;
  }
  if (g->shape == HOSTILE_SQUARE) across = 2.0 * g->bend * q;
  if (g->shape == HOSTILE_WAVE) across = g->bend * g->wave * cos(g->wave * q);
  if (g->shape == HOSTILE_CUBIC) across = 3.0 * g->bend * q * q;
  if (g->shape == HOSTILE_PRODUCT) {
    across = g->bend * p;
    other = g->bend * q;
  }
  for (size_t i = 0; i < s->n; i++)
    gradient[i] = g->normal[i] + across * g->across[i] + other * g->other[i];
}

/* the field of the mode, x' = matrix x + drift */
static void take_mode(walker *w) {
  const hostile_system *const s = w->s;
  memcpy(w->matrix, s->matrix, sizeof w->matrix);
  memcpy(w->drift, s->drift, sizeof w->drift);
  for (size_t k = 0; k < s->m; k++) {
    if (w->path->sign[k] < 0.0) continue;
    const hostile_jump *const jump = &s->jump[k];
    for (size_t i = 0; i < s->n; i++) {
      w->drift[i] += jump->constant[i];
      for (size_t j = 0; j < s->n; j++) w->matrix[i][j] += jump->column[i] * jump->row[j];
    }
  }
  w->norm = 0.0;
  for (size_t i = 0; i < s->n; i++) {
    double sum = 0.0;
    for (size_t j = 0; j < s->n; j++) sum += fabs(w->matrix[i][j]);
    w->norm = fmax(w->norm, sum);
  }
}

static void expand(walker *w) {
  const size_t n = w->s->n;
  memcpy(w->series[0], w->x, sizeof w->x);
  for (int o = 0; o < ORDER; o++)
    for (size_t i = 0; i < n; i++) {
      const double rate = product(n, w->matrix[i], w->series[o]) + (o ? 0.0 : w->drift[i]);
      w->series[o + 1][i] = rate / (o + 1);
    }
}

/* the state so long from here, and its rate */
static void follow(const walker *w, double time, double x[], double v[]) {
  for (size_t i = 0; i < w->s->n; i++) {
    double value = w->series[ORDER][i], rate = 0.0;
    for (int o = ORDER - 1; o >= 0; o--) {
      rate = rate * time + value;
      value = value * time + w->series[o][i];
    }
    x[i] = value;
    v[i] = rate;
  }
}

/* guard k from the side that it is seen from, below zero before a crossing; and its rate */
static double seen(const walker *w, size_t k, const double x[]) {
  return -w->path->sign[k] * hostile_event(w->s, k, x);
}

static double seen_rate(const walker *w, size_t k, const double x[], const double v[]) {
  double gradient[STATES];
  hostile_gradient(w->s, k, x, gradient);
  return -w->path->sign[k] * product(w->s->n, gradient, v);
}

/* where it passes zero, or turns, between two times: below is before that */
static double bisect(const walker *w, size_t k, double below, double above, bool turning) {
  double x[STATES], v[STATES];
  for (int i = 0; i < 70 && above - below > 1e-17; i++) {
    const double middle = 0.5 * (below + above);
    if (middle <= below || middle >= above) break;
    follow(w, middle, x, v);
    const bool after = turning ? seen_rate(w, k, x, v) <= 0.0 : seen(w, k, x) >= 0.0;
    *(after ? &above : &below) = middle;
  }
  return turning ? below : above;
}

/* when guard k is crossed within a step, before `first`; INFINITY when it is not */
static double find_crossing(const walker *w, size_t k, double step, double first) {
  double before = seen(w, k, w->place_x[0]);
  double rate_before = seen_rate(w, k, w->place_x[0], w->place_v[0]);
  // it has just been crossed, and its value is of rounding
  const double rounding = 1e-13 * (1.0 + fabs(w->s->guard[k].place));
  if (k == w->last && fabs(before) < rounding && rate_before < 0.0) before = -1e-300;
  bool beyond = before >= 0.0; // and receding, so that it counts from where it turns
  if (beyond && rate_before > 0.0) return 0.0;
  for (int i = 1; i <= PLACES; i++) {
    const double from = step * (i - 1) / PLACES, to = step * i / PLACES;
    if (from >= first) return INFINITY;
    const double value = seen(w, k, w->place_x[i]);
    const double rate = seen_rate(w, k, w->place_x[i], w->place_v[i]);
    if (beyond && value >= 0.0 && rate > 0.0) return from;
    if (!beyond && value >= 0.0) return bisect(w, k, from, to, false);
    if (!beyond && rate_before > 0.0 && rate < 0.0 && before < 0.0) {
      double x[STATES], v[STATES];
      const double top = bisect(w, k, from, to, true);
      follow(w, top, x, v);
      if (seen(w, k, x) >= 0.0) return bisect(w, k, from, top, false);
    }
    beyond = beyond && value >= 0.0;
    before = value;
    rate_before = rate;
  }
  return INFINITY;
}

/* the guard crossed first within a step, and when; GUARDS: none */
static size_t find_first(walker *w, double step, double *first) {
  const size_t m = w->s->m;
  size_t who = GUARDS;
  *first = INFINITY;
  for (int i = 0; i <= PLACES; i++) follow(w, step * i / PLACES, w->place_x[i], w->place_v[i]);
  for (size_t k = 0; k < m; k++) {
    if (!w->armed[2 * k] && !w->armed[2 * k + 1]) continue;
    const double time = find_crossing(w, k, step, *first);
    if (time >= *first) continue;
    *first = time;
    who = k;
    if (time == 0.0) break;
  }
  return who;
}

/* arms the guard ahead of a side of event function k, which is where the path says, or not clearly
 * so */
static void arm(walker *w, size_t k, double side, double ahead, bool down) {
  if (ahead < w->margin) w->path->is_unclear = true;
  w->path->sign[k] = side;
  w->armed[ESS_GUARD_UP(k)] = side < 0.0;
  w->armed[ESS_GUARD_DOWN(k)] = side > 0.0 && down;
}

static void apply_entry(walker *w, size_t guard, signed char effect, size_t crossed) {
  const size_t k = guard / 2;
  const double h = hostile_event(w->s, k, w->x), side = guard % 2 ? 1.0 : -1.0;
  if (effect == -1)
    w->armed[guard] = false;
  else if (effect == 1)
    arm(w, k, side, k == crossed ? INFINITY : side * h, true);
  else
    arm(w, k, h > 0.0 ? 1.0 : -1.0, fabs(h), !w->s->one_way);
}

static void cross(walker *w, size_t k) {
  const hostile_system *const s = w->s;
  double *const sign = w->path->sign;
  const size_t guard = sign[k] < 0.0 ? ESS_GUARD_UP(k) : ESS_GUARD_DOWN(k);
  *(s->silent[k] ? &w->path->silent : &w->path->crossings) += 1;
  w->last = k;
  sign[k] = -sign[k];
  w->armed[ESS_GUARD_UP(k)] = !s->has_matrix && !s->one_way && sign[k] < 0.0;
  w->armed[ESS_GUARD_DOWN(k)] = !s->has_matrix && !s->one_way && sign[k] > 0.0;
  for (size_t i = s->row_start[guard]; s->has_matrix && i < s->row_start[guard + 1]; i++)
    apply_entry(w, s->row_guard[i], s->row_effect[i], k);
  take_mode(w);
}

/* the side of every guard at the start; on a guard, the side that the field points to */
static void start(walker *w) {
  const hostile_system *const s = w->s;
  double *const sign = w->path->sign, v[STATES];
  memcpy(w->x, s->x0, sizeof w->x);
  for (size_t k = 0; k < s->m; k++) sign[k] = hostile_event(s, k, w->x) > 0.0 ? 1.0 : -1.0;
  take_mode(w);
  for (size_t i = 0; i < s->n; i++) v[i] = product(s->n, w->matrix[i], w->x) + w->drift[i];
  for (size_t k = 0; k < s->m; k++) {
    double gradient[STATES];
    hostile_gradient(s, k, w->x, gradient);
    if (hostile_event(s, k, w->x) != 0.0) continue;
    const hostile_jump *const jump = &s->jump[k];
    const double rate = product(s->n, gradient, v), across = product(s->n, jump->row, w->x);
    const double there = rate + product(s->n, gradient, jump->constant) +
                         across * product(s->n, gradient, jump->column);
    sign[k] = rate > 0.0 ? 1.0 : -1.0;
    // it leaves to either side, which is not one motion but two
    if (rate < 0.0 && there > 0.0) w->path->is_unclear = true;
  }
  for (size_t k = 0; k < s->m; k++) {
    const size_t up = ESS_GUARD_UP(k), down = ESS_GUARD_DOWN(k);
    w->armed[up] = sign[k] < 0.0 && !(s->has_matrix && s->off[up]);
    w->armed[down] = sign[k] > 0.0 && !s->one_way && !(s->has_matrix && s->off[down]);
  }
  take_mode(w);
}

static bool is_bounded(const walker *w) {
  bool bounded = true;
  for (size_t i = 0; i < w->s->n; i++) bounded = bounded && fabs(w->x[i]) <= 1e6;
  return bounded;
}

/* a step no longer than this, nor so long that a wave about its zero turns by more than half a
 * radian from look to look: it could pass zero twice unseen. The state's rate grows by half at
 * most. */
static double resolve_waves(const walker *w, double step) {
  static const double TURN = 0.5, GROWTH = 1.5;
  const hostile_system *const s = w->s;
  for (size_t k = 0; k < s->m; k++) {
    const hostile_guard *const g = &s->guard[k];
    const bool armed = w->armed[ESS_GUARD_UP(k)] || w->armed[ESS_GUARD_DOWN(k)];
    if (g->shape != HOSTILE_WAVE || !armed) continue;
    double plane = 0.0, across = 0.0;
    for (size_t i = 0; i < s->n; i++) {
      const double speed = GROWTH * fabs(w->series[1][i]);
      plane += fabs(g->normal[i]) * speed;
      across += fabs(g->across[i]) * speed;
    }
    const double away = fabs(product(s->n, g->normal, w->x) - g->place) - fabs(g->bend);
    if (away <= plane * step) step = fmin(step, PLACES * TURN / (fabs(g->wave) * across));
  }
  return step;
}

/* until a time; whether there was an end to it, within so many steps */
static bool walk(walker *w, double goal, double fineness) {
  const hostile_system *const s = w->s;
  const size_t stuck = 4 * s->m + 40;
  double v[STATES];
  for (size_t at_once = 0, steps = 0; w->t < goal; steps++) {
    if (steps >= STEPS) return false;
    double step = fmin(s->end / (40.0 * fineness), 0.4 / (w->norm + 1.0)), first;
    expand(w);
    step = fmin(resolve_waves(w, step), goal - w->t);
    const size_t k = find_first(w, step, &first);
    if (k < GUARDS) step = first;
    if (step > 0.0) {
      follow(w, step, w->x, v);
      w->t += step;
      at_once = 0;
    } else if (++at_once > stuck) {
      return false;
    }
    if (k == GUARDS) {
      if (goal - w->t < 1e-15 * s->end) w->t = goal;
      continue;
    }
    if (w->path->crossings + w->path->silent >= HOSTILE_EVENTS) return false;
    cross(w, k);
    if (!is_bounded(w)) return false;
  }
  return true;
}

void hostile_truth(const hostile_system *s, double margin, double fineness, hostile_path *p) {
  walker w = {.s = s, .margin = margin, .last = GUARDS, .path = p};
  memset(p, 0, sizeof *p);
  start(&w);
  for (size_t i = 0; i < s->output_count && !p->status; i++) {
    if (!walk(&w, s->output[i], fineness)) p->status = -1;
    memcpy(p->x[i], w.x, sizeof w.x);
  }
}
