/*
 * The truth of a bent course: GSL's rk8pd in short steps, none of which may carry an event function
 * further than a part of its way to zero, by a bound of its rate. So no contact is stepped over but
 * those shorter than a thousandth of what is met; crossings are bisected to rounding.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <math.h>
#include <string.h>

#include "bent_courses.h"

enum { N = BENT_STATES, BISECTIONS = 60, STEPS = 1000000 };

static const double ERROR_MAX = 1e-12; /* of a step, by GSL's estimate, against 1 + |x_i| */
static const double LONGEST = 0.02, PART = 0.2, SHORTEST = 1e-3;

/* an event function between two of its crossings */
typedef struct stretch {
  size_t event;          /* that began it; SIZE_MAX: the start */
  double began, deepest; /* the largest |h| so far, */
  double clear;          /* over what the tolerance 1 moves it by */
  double last[2];        /* the same at the last two places looked at: a near miss lies between */
} stretch;

typedef struct runner {
  const bent_course *c;
  bent_truth *truth;
  gsl_odeiv2_step *step;
  gsl_odeiv2_system equations;
  size_t guard_count, steps;
  double t, end, x[N], sign[BENT_GUARDS], shortest, farthest;
  stretch of[BENT_GUARDS];
} runner;

static int equations(double t, const double x[], double dxdt[], void *params) {
  runner *const r = params;
  return bent_field(t, x, r->sign, dxdt, (void *)r->c);
}

/* the state h after where the run stands */
static void advance(runner *r, double h, double x[N]) {
  double error[N];
  memcpy(x, r->x, sizeof r->x);
  if (!(h > 0.0)) return;
  if (gsl_odeiv2_step_apply(r->step, r->t, h, x, error, NULL, NULL, &r->equations))
    r->truth->lost = true;
  for (size_t i = 0; i < N; i++)
    if (!(fabs(error[i]) <= ERROR_MAX * (1.0 + fabs(x[i])))) r->truth->lost = true;
}

static bool has_crossed(const runner *r, size_t k, const double x[N]) {
  double gradient[N];
  return r->sign[k] * bent_event_function(r->c, k, x, gradient) < 0.0;
}

static bool any_crossed(const runner *r, const double x[N]) {
  for (size_t k = 0; k < r->guard_count; k++)
    if (has_crossed(r, k, x)) return true;
  return false;
}

/* largest rate that a curved guard's event function may have, near x */
static double fastest(const bent_body *b, const double x[N], const double v[N]) {
  const double speed = hypot(v[0], v[1]);
  if (b->shape == BENT_ROD || b->shape == BENT_SPUN) return speed + b->size[0] * fabs(v[2]);
  if (b->shape == BENT_ELLIPSE) return speed / fmin(b->size[0], b->size[1]);
  if (b->shape != BENT_RIDGE && b->shape != BENT_BEAM) return speed;
  const double across = b->axis[0] * (x[1] - b->at[1]) - b->axis[1] * (x[0] - b->at[0]);
  return speed * (1.0 + 2.0 * fabs(across) / b->size[0]);
}

/* how far the next step may go */
static double next_step(const runner *r) {
  double v[N], gradient[N], h = LONGEST;
  equations(r->t, r->x, v, (void *)r);
  for (size_t j = 0; j < r->c->body_count; j++) {
    const double value = bent_event_function(r->c, r->c->line_count + j, r->x, gradient);
    h = fmin(h, PART * fabs(value) / fastest(&r->c->body[j], r->x, v));
  }
  return fmin(fmax(h, r->shortest), r->end - r->t);
}

/* what the tolerance 1 moves an event function by */
static double moved_by(const double x[N], const double gradient[N]) {
  double sum = 0.0;
  for (size_t i = 0; i < N; i++) sum += fabs(gradient[i]) * (1.0 + fabs(x[i]));
  return sum;
}

/* a curved guard's value where the run stands, for its depth and for near misses */
static void look(runner *r, size_t k) {
  double gradient[N];
  stretch *const s = &r->of[k];
  const double h = fabs(bent_event_function(r->c, k, r->x, gradient));
  const double clear = h / moved_by(r->x, gradient);
  if (s->last[0] > s->last[1] && clear > s->last[1])
    r->truth->clear = fmin(r->truth->clear, s->last[1]);
  s->last[0] = s->last[1];
  s->last[1] = clear;
  s->clear = fmax(s->clear, clear);
  if (h <= fabs(s->deepest)) return;
  s->deepest = h;
  if (s->event == SIZE_MAX) return;
  r->truth->middle[s->event] = r->t;
}

/* a stretch ends: it has to have been deep and long */
static void end_stretch(runner *r, size_t k) {
  const stretch *const s = &r->of[k];
  bent_truth *const truth = r->truth;
  if (s->event == SIZE_MAX) return;
  double gradient[N];
  const double side = -bent_event_function(r->c, k, r->c->x0, gradient);
  size_t made = truth->crossings[k];
  truth->depth[s->event] = (made % 2 ? -side : side) > 0.0 ? s->deepest : -s->deepest;
  truth->clear = fmin(truth->clear, s->clear);
  truth->clear = fmin(truth->clear, (r->t - s->began) / (1.0 + r->farthest));
}

/* the rate of k over the largest that the same rates of states could give, or the body's speed */
static double slant_of(const runner *r, size_t k, const double gradient[N]) {
  double v[N], rate = 0.0, most = 0.0;
  equations(r->t, r->x, v, (void *)r);
  for (size_t i = 0; i < N; i++) {
    rate += gradient[i] * v[i];
    most += fabs(gradient[i]) * fmax(fabs(v[i]), 1.0);
  }
  return r->sign[k] * rate / most;
}

/* notes a crossing of curved guard k, made just now: by how much less than straight */
static void note(runner *r, size_t k, double slant_before) {
  bent_truth *const truth = r->truth;
  double gradient[N], v[N];
  end_stretch(r, k);
  if (truth->event_count == BENT_EVENTS) {
    truth->lost = true;
    return;
  }
  bent_event_function(r->c, k, r->x, gradient);
  equations(r->t, r->x, v, r);
  double rate = 0.0;
  for (size_t i = 0; i < N; i++) rate += gradient[i] * v[i];
  truth->slant = fmin(truth->slant, fmin(slant_before, slant_of(r, k, gradient)));
  truth->event[truth->event_count] = (bent_event){k, r->t, fabs(rate) / moved_by(r->x, gradient)};
  truth->depth[truth->event_count] = 0.0;
  truth->middle[truth->event_count] = INFINITY;
  r->of[k] = (stretch){.event = truth->event_count++, .began = r->t, .last = {0.0, 0.0}};
}

/* crosses what has been crossed where the run stands */
static void cross(runner *r) {
  bool crossed[BENT_GUARDS];
  double slant[BENT_GUARDS], gradient[N];
  for (size_t k = 0; k < r->guard_count; k++) {
    crossed[k] = has_crossed(r, k, r->x);
    if (!crossed[k]) continue;
    bent_event_function(r->c, k, r->x, gradient);
    slant[k] = -slant_of(r, k, gradient);
  }
  for (size_t k = 0; k < r->guard_count; k++)
    if (crossed[k]) r->sign[k] = -r->sign[k];
  for (size_t k = 0; k < r->guard_count; k++) {
    if (!crossed[k]) continue;
    r->truth->crossings[k]++;
    if (k >= r->c->line_count)
      note(r, k, slant[k]);
    else if (slant[k] < 0.2 || r->truth->crossings[k] > 1)
      r->truth->lost = true;
  }
}

/* one step, to the first crossing within it */
static void make_step(runner *r, double until) {
  if (r->steps++ > STEPS) r->truth->lost = true;
  double x[N], low = 0.0, high = fmin(next_step(r), until - r->t);
  const bool whole = high == until - r->t;
  advance(r, high, x);
  const bool crosses = any_crossed(r, x);
  for (int i = 0; crosses && i < BISECTIONS && high - low > 1e-16; i++) {
    const double middle = 0.5 * (low + high);
    advance(r, middle, x);
    *(any_crossed(r, x) ? &high : &low) = middle;
  }
  advance(r, high, x);
  memcpy(r->x, x, sizeof x);
  r->t = whole && !crosses ? until : r->t + high;
  r->farthest = fmax(r->farthest, fabs(x[0]));
  if (crosses) cross(r);
  for (size_t j = 0; j < r->c->body_count; j++) look(r, r->c->line_count + j);
}

static void begin(runner *r, bent_course *c, double end, bent_truth *truth) {
  double gradient[N];
  memset(truth, 0, sizeof *truth);
  truth->clear = truth->slant = INFINITY;
  *r = (runner){.c = c, .truth = truth, .end = end, .shortest = SHORTEST * c->size};
  r->equations = (gsl_odeiv2_system){equations, NULL, N, r};
  r->guard_count = c->line_count + c->body_count;
  memcpy(r->x, c->x0, sizeof r->x);
  for (size_t k = 0; k < r->guard_count; k++) {
    r->of[k].event = SIZE_MAX;
    r->sign[k] = bent_event_function(c, k, c->x0, gradient) < 0.0 ? -1.0 : 1.0;
  }
  for (size_t j = 0; j < c->body_count; j++) {
    look(r, c->line_count + j);
    truth->clear = fmin(truth->clear, r->of[c->line_count + j].clear);
    r->shortest = fmin(r->shortest, SHORTEST * c->body[j].size[0]);
    if (c->body[j].shape == BENT_ELLIPSE)
      r->shortest = fmin(r->shortest, SHORTEST * c->body[j].size[1]);
  }
}

/* as it is without jumps, or without curved guards, for as long as the truth of that is sought */
static bent_course without_parts(const bent_course *c, bent_without without) {
  bent_course changed = *c;
  if (without.bodies) changed.body_count = 0;
  for (size_t k = 0; without.jumps && k < c->line_count; k++)
    memset(changed.line[k].jump, 0, sizeof changed.line[k].jump);
  return changed;
}

void bent_find_truth(bent_course *c, bent_without without, double end, bent_truth *truth) {
  static _Thread_local runner r;
  static _Thread_local bent_course changed;
  changed = without_parts(c, without);
  begin(&r, &changed, end, truth);
  r.step = gsl_odeiv2_step_alloc(gsl_odeiv2_step_rk8pd, N);
  if (!r.step) truth->lost = true;
  for (size_t i = 0; i < BENT_TIMES && !truth->lost; i++) {
    const double until = i + 1 < BENT_TIMES ? end * (double)(i + 1) / BENT_TIMES : end;
    while (r.t < until && !truth->lost) make_step(&r, until);
    memcpy(truth->states + i * N, r.x, sizeof r.x);
  }
  // where a run ends it is to be beyond doubt on which side it does
  for (size_t j = 0; j < changed.body_count; j++)
    truth->clear = fmin(truth->clear, r.of[changed.line_count + j].last[1]);
  memcpy(truth->x, r.x, sizeof r.x);
  if (r.step) gsl_odeiv2_step_free(r.step);
}
