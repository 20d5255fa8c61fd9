/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "slip_families.h"
#include "callbacks.h"
#include "draws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SURFACES = 2, STATES = 4, WAVES = 2, CALLS = 2000000 };

const char *const slip_names[SLIP_COUNT] = {
    "friction", "belt", "relay", "two masses", "ball under a load", "ball on a table"};

/* ---- waves ----------------------------------------------------------------------------------- */

/* a sum of sines, and its derivatives by time */
typedef struct wave {
  double size[WAVES], pace[WAVES], phase[WAVES];
} wave;

static double wave_at(const wave *w, double t, int derivative) {
  double sum = 0.0;
  for (size_t i = 0; i < WAVES; i++)
    sum += w->size[i] * pow(w->pace[i], derivative) *
           sin(w->pace[i] * t + w->phase[i] + derivative * 0.5 * M_PI);
  return sum;
}

/* which no value of a derivative exceeds */
static double wave_most(const wave *w, int derivative) {
  double sum = 0.0;
  for (size_t i = 0; i < WAVES; i++) sum += fabs(w->size[i]) * pow(w->pace[i], derivative);
  return sum;
}

/* ---- what holds a state ---------------------------------------------------------------------- */

/* the force that a held state is pushed by, and more than what it is held by: part constant, part
 * linear in time, and a derivative of a wave */
typedef struct force {
  double from, drift, share; /* at time `since` without the wave, by time, and of the wave */
  double since, least, most; /* it is held between these */
  double blur, unsure; /* so much more or less, by noise; and by time: speeds below the tolerance */
  const wave *wave;
  int derivative;
} force;

static double force_at(const force *f, double t) {
  return f->from + f->drift * (t - f->since) + f->share * wave_at(f->wave, t, f->derivative);
}

/* what of it is more than holds it */
static double excess_at(const force *f, double t) {
  const double now = force_at(f, t), unsure = f->unsure * (t - f->since);
  return fmax(now - f->most, f->least - now) - f->blur - unsure;
}

/* where within a piece of time the excess first is above nothing; none: INFINITY. No piece is
 * passed over whose ends, by the largest second derivative, do not show that it is below all along.
 */
static double first_excess(const force *f, double from, double until) {
  const double curved = fabs(f->share) * wave_most(f->wave, f->derivative + 2);
  const double width = until - from, highest = fmax(excess_at(f, from), excess_at(f, until));
  if (excess_at(f, from) > 0.0) return from;
  if (highest + curved * width * width / 8.0 <= 0.0) return INFINITY;
  if (width < 1e-9) return highest > 0.0 ? until : INFINITY;
  const double middle = 0.5 * (from + until), first = first_excess(f, from, middle);
  return first < INFINITY ? first : first_excess(f, middle, until);
}

/* The push that a state has been spared since its force first exceeded what holds it, in so many
 * pieces of time. It would have moved at once: what it would have been held by from there on is no
 * matter. */
static double push_since(const force *f, double first, double until) {
  enum { PIECES = 200 };
  const double fastest = fmax(f->wave->pace[0], f->wave->pace[1]);
  const double end = fmin(until, first + 2.0 * M_PI / fastest), width = (end - first) / PIECES;
  double sum = 0.0;
  for (int i = 0; i < PIECES; i++) {
    const double excess = excess_at(f, first + (i + 0.5) * width);
    if (excess < 0.0) break;
    sum += excess * width;
  }
  return sum;
}

/* ---- systems --------------------------------------------------------------------------------- */

typedef struct held {
  slip_family family;
  wave push;
  double spring, other, grip[SURFACES], speed, weight, bounce;
  double tolerance;
  size_t surfaces, calls;

  bool slides[SURFACES], moves_alone; /* what is slid on at the time */
  force by[SURFACES];
  double seen; /* since when it has been held */
  slip_outcome *out;
} held;

FIELD_CODE(held_field) {
  held *const s = params;
  const double push = wave_at(&s->push, t, 0);
  switch (s->family) {
  case SLIP_RELAY:
    dxdt[0] = push - s->grip[0] * sign[0];
    break;
  case SLIP_PAIR:
    dxdt[0] = x[1];
    dxdt[1] = push - s->spring * x[0] - s->grip[0] * sign[0] + s->grip[1] * sign[1];
    dxdt[2] = x[3];
    dxdt[3] = s->other * (1.0 - x[2]) - s->grip[1] * sign[1];
    break;
  case SLIP_LOAD:
    dxdt[0] = x[1];
    dxdt[1] = push - s->weight;
    break;
  case SLIP_TABLE:
    dxdt[0] = x[1];
    dxdt[1] = -s->weight;
    break;
  default:
    dxdt[0] = x[1];
    dxdt[1] = push - s->spring * x[0] - s->grip[0] * sign[0];
  }
  return ++s->calls > CALLS; // a rest that neither begins nor ends
}

GUARDS(held_guards) {
  const held *const s = params;
  switch (s->family) {
  case SLIP_PAIR:
    h[1] = x[3] - x[1];
    h[0] = x[1];
    break;
  case SLIP_RELAY:
  case SLIP_LOAD:
    h[0] = x[0];
    break;
  case SLIP_TABLE:
    h[0] = x[0] - wave_at(&s->push, t, 0);
    break;
  default:
    h[0] = x[1] - s->speed;
  }
}

GUARD_JACOBIAN(held_jacobian) {
  const held *const s = params;
  const bool is_of_place =
      s->family == SLIP_RELAY || s->family == SLIP_LOAD || s->family == SLIP_TABLE;
  const double pair[2 * STATES] = {0.0, 1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0};
  if (s->family == SLIP_PAIR) {
    memcpy(Dh, pair, sizeof pair);
    return;
  }
  Dh[0] = is_of_place;
  if (s->family != SLIP_RELAY) Dh[1] = !is_of_place;
}

static int held_time_rates(double t, const double x[], double rate[], void *params) {
  const held *const s = params;
  rate[0] = s->family == SLIP_TABLE ? -wave_at(&s->push, t, 1) : 0.0;
  return 0;
}

IMPACT_MAP(held_bounce) {
  const held *const s = params;
  const double speed = s->family == SLIP_TABLE ? wave_at(&s->push, impact->t, 1) : 0.0;
  const double from = impact->after[1] - speed;
  if (from < 0.0) impact->after[1] = speed - s->bounce * from;
  impact->mode[0] = 1.0;
  impact->armed[ESS_GUARD_DOWN(0)] = true;
}

/* ---- what is judged -------------------------------------------------------------------------- */

enum { LATE = 10 };
static const double EARLY = 1e-5, BLUR = 1e-6;

/* the forces on a state that is held from here on */
static void begin_hold(held *s, double t, const double x[]) {
  for (size_t k = 0; k < s->surfaces; k++)
    s->by[k] = (force){
        .since = t, .least = -s->grip[k], .most = s->grip[k], .share = 1.0, .wave = &s->push};
  force *const f = s->by;
  switch (s->family) {
  case SLIP_RELAY:
    break;
  case SLIP_LOAD:
  case SLIP_TABLE:
    f->from = -s->weight;
    f->blur = BLUR * s->weight; // what pushes back is known by differences of differences
    f->least = -INFINITY;
    f->most = 0.0;
    if (s->family == SLIP_TABLE) {
      f->share = -1.0;
      f->derivative = 2;
    }
    break;
  case SLIP_PAIR: // the second is held by the first, which is held by the ground
    f[1].from = s->other * (1.0 - x[2]);
    f[1].share = 0.0;
    f[0].from = f[1].from - s->spring * x[0];
    f[0].unsure = f[1].unsure = s->spring * fabs(x[1]) + s->other * fabs(x[3]);
    break;
  default:
    f->from = -s->spring * x[0];
    f->drift = -s->spring * s->speed;
  }
  s->seen = t;
}

static bool is_held(const held *s) {
  bool all = true;
  for (size_t k = 0; k < s->surfaces; k++) all = all && s->slides[k];
  return all;
}

static void note(held *s, double t, double value, double most, double *worst) {
  if (value > most && !(s->out->wrong_at < INFINITY)) s->out->wrong_at = t;
  *worst = fmax(*worst, value);
}

/* the state has been held until t, and is let go of there by surface k, or at the end of the run */
static void end_hold(held *s, double t, size_t let_go) {
  double excess = -INFINITY, size = 1.0;
  for (size_t k = 0; k < s->surfaces; k++) {
    const double first = first_excess(&s->by[k], s->seen, t);
    if (first < INFINITY)
      note(s, first, push_since(&s->by[k], first, t) / s->tolerance, LATE, &s->out->late);
    excess = fmax(excess, excess_at(&s->by[k], t) + 2.0 * s->by[k].unsure * (t - s->seen));
    size = fmax(size, fabs(force_at(&s->by[k], t)));
  }
  s->out->held++;
  if (let_go == SIZE_MAX) return;
  s->out->slips++;
  note(s, t, -excess / size, EARLY, &s->out->early);
}

ON_SLIDE(held_slide) {
  held *const s = context;
  if (info->begins < 0 && is_held(s)) end_hold(s, info->t, info->guard);
  s->slides[info->guard] = info->begins > 0;
  if (info->begins > 0 && is_held(s)) begin_hold(s, info->t, info->x);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static double draw_even(uint64_t *r, double least, double most) { // by its logarithm
  return exp(draw_between(r, log(least), log(most)));
}

/* the largest value that a wave comes to within a time, or the least of its negative */
static double peak_of(const wave *w, double until, int derivative, double sense) {
  enum { PLACES = 2000 };
  double most = -INFINITY;
  for (int i = 0; i <= PLACES; i++)
    most = fmax(sense * wave_at(w, until * i / PLACES, derivative), most);
  return most;
}

/* by how much the largest force is above what holds it: often by little, or below it */
static double draw_ratio(uint64_t *r) {
  const double kind = draw(r);
  return kind < 0.2   ? 1.0 + draw_even(r, 1e-6, 1e-2)
         : kind < 0.3 ? 1.0 - draw_even(r, 1e-6, 1e-1)
                      : draw_between(r, 1.0, 2.0);
}

static void draw_wave(uint64_t *r, wave *w) {
  const bool two = draw(r) < 0.4;
  *w = (wave){{1.0, two ? draw_even(r, 1e-2, 1.0) : 0.0},
              {draw_even(r, 0.3, 30.0), 1.0},
              {draw_between(r, -M_PI, M_PI), draw_between(r, -M_PI, M_PI)}};
  w->pace[1] = w->pace[0] * draw_even(r, 0.1, 3.0);
}

static void scale_wave(wave *w, double by) {
  for (size_t i = 0; i < WAVES; i++) w->size[i] *= by;
}

/* friction, a belt, two masses: a spring pulls so that the wave takes the rest to slip */
static void draw_springs(uint64_t *r, held *s, double until, double x[]) {
  const double pull = draw_between(r, -0.95, 0.95), sense = pull < 0.0 ? -1.0 : 1.0;
  s->spring = draw_even(r, 0.2, 5.0);
  s->grip[0] = draw_even(r, 0.3, 3.0);
  const double rest = s->grip[0] * (1.0 - fabs(pull));
  scale_wave(&s->push, draw_ratio(r) * rest / peak_of(&s->push, until, 0, sense));
  x[0] = -(pull * s->grip[0]) / s->spring;
  if (s->family == SLIP_BELT) {
    s->speed = draw_even(r, 1e-3, 1.0) * (draw(r) < 0.5 ? -1.0 : 1.0);
    x[1] = s->speed;
  }
  if (s->family != SLIP_PAIR) return;
  const double between = draw_between(r, -0.9, 0.9);
  s->other = draw_even(r, 0.2, 5.0);
  s->grip[1] = draw_even(r, 0.3, 3.0);
  x[2] = 1.0 - between * s->grip[1] / s->other;
  x[0] += between * s->grip[1] / s->spring;
}

static void draw_system(uint64_t *r, held *s, double until, double x[]) {
  draw_wave(r, &s->push);
  s->surfaces = s->family == SLIP_PAIR ? 2 : 1;
  s->bounce = draw_between(r, 0.0, 0.7);
  switch (s->family) {
  case SLIP_RELAY:
    s->grip[0] = draw_even(r, 0.1, 10.0);
    scale_wave(&s->push, draw_ratio(r) * s->grip[0] / peak_of(&s->push, until, 0, 1.0));
    break;
  case SLIP_LOAD:
    s->weight = draw_even(r, 0.1, 10.0);
    scale_wave(&s->push, draw_ratio(r) * s->weight / peak_of(&s->push, until, 0, 1.0));
    break;
  case SLIP_TABLE:
    s->weight = draw_even(r, 0.1, 10.0);
    scale_wave(&s->push, draw_ratio(r) * s->weight / peak_of(&s->push, until, 2, -1.0));
    x[0] = wave_at(&s->push, 0.0, 0);
    x[1] = wave_at(&s->push, 0.0, 1);
    break;
  default:
    draw_springs(r, s, until, x);
  }
}

slip_outcome slip_run(slip_family family, uint64_t i) {
  uint64_t r = (i + 1) * SLIP_COUNT + family;
  slip_outcome o = {.tolerance = pow(10.0, -2.0 - (double)(i % 9)), .wrong_at = INFINITY};
  held s = {.family = family, .tolerance = o.tolerance, .out = &o};
  double x[STATES] = {0.0}, t = 0.0;
  r = draw_bits(&r);
  o.until = draw_even(&r, 2.0, 40.0);
  draw_system(&r, &s, o.until, x);
  const bool rests = family >= SLIP_LOAD, table = family == SLIP_TABLE;
  const bool knows = draw(&r) < 0.7 || table;
  const bool at[] = {false, true};
  const ess_impacts impacts = {.map = held_bounce, .at = at};
  const ess_system system = {.dimension = family == SLIP_PAIR    ? 4
                                          : family == SLIP_RELAY ? 1
                                                                 : 2,
                             .guard_count = s.surfaces,
                             OF(held),
                             .guard_jacobian = knows ? held_jacobian : NULL,
                             .guards_move = table,
                             .guard_time_rates = table ? held_time_rates : NULL,
                             .impacts = rests ? &impacts : NULL,
                             .params = &s};
  ess_options options = ess_options_default();
  options.rtol = options.atol = o.tolerance;
  options.sliding = ESS_SLIDING_FILIPPOV;
  options.rest = rests;
  options.observer.slide = held_slide;
  options.observer.context = &s;
  ess_driver *const d = ess_driver_alloc(&system, &options, &o.status);
  if (!d) return o;
  o.status = ess_driver_apply(d, &t, o.until, x);
  if (is_held(&s)) end_hold(&s, t, SIZE_MAX);
  o.counters = *ess_driver_counters(d);
  ess_driver_free(d);
  return o;
}

bool slip_is_wrong(const slip_outcome *o) {
  return o->late > LATE || o->early > EARLY;
}
