/*
 * Draws hostile systems. x_0 runs at about 1, and guards stand where it passes them; the other
 * states are what jumps push.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "draws.h"
#include "hostile_systems.h"

enum { STATES = HOSTILE_STATES, GUARDS = HOSTILE_GUARDS };

const char *const hostile_rows_names[HOSTILE_ROWS] = {"mirror",     "one-way", "empty",  "disarm",
                                                      "ahead",      "chain",   "silent", "shared",
                                                      "shared-row", "rearm"};
const char *const hostile_shape_names[HOSTILE_SHAPES] = {"linear", "square", "product", "wave",
                                                         "circle", "cubic",  "mixed"};

typedef enum jumps { ALIKE, UNLIKE, CANCEL, LINEAR, TREND, RATES, JUMPS } jumps;
typedef enum places { EVEN, SPREADING, GATHERING, TWO_CLUSTERS, AT_END, AT_START, PLACES } places;

/* how often a guard's row arms its mirror image */
static const double rearming[HOSTILE_ROWS] = {
    [HOSTILE_DISARM] = 0.5, [HOSTILE_AHEAD] = 0.5,      [HOSTILE_SILENT] = 0.7,
    [HOSTILE_REARM] = 0.5,  [HOSTILE_SHARED_ROW] = 0.5,
};

/* what a system is drawn by */
typedef struct recipe {
  uint64_t sequence;
  jumps jumps;
  places places;
  double first, at[GUARDS], span; /* where the first guard stands; each from there; the last */
  double speed, way; /* of what the jumps push: at the end of the cluster, and how far until then */
} recipe;

/* in [0, 1); in [-1, 1); from a to b by orders of magnitude; -1 or 1; one of so many; whether, with
 * this probability */
static double part(recipe *r) {
  return draw_apart(&r->sequence, 0.0, 1.0);
}

static double either_way(recipe *r) {
  return 2.0 * part(r) - 1.0;
}

static double between(recipe *r, double a, double b) {
  return a * pow(b / a, part(r));
}

static double sign(recipe *r) {
  return part(r) < 0.5 ? -1.0 : 1.0;
}

static size_t one_of(recipe *r, size_t count) {
  return (size_t)(part(r) * (double)count);
}

static bool happens(recipe *r, double probability) {
  return part(r) < probability;
}

static double gap(recipe *r, size_t k, size_t m, double spacing) {
  const size_t left = m - k;
  if (r->places == SPREADING) return spacing * pow(1.25, (double)(k < 20 ? k : 20));
  if (r->places == GATHERING) return spacing * pow(1.25, (double)(left < 20 ? left : 20));
  return r->places == TWO_CLUSTERS && k == m / 2 ? spacing * between(r, 10.0, 100.0) : spacing;
}

static void draw_places(recipe *r, hostile_system *s) {
  static const double LONGEST = 0.4;
  const double spacing = between(r, 3e-5, 8e-3);
  r->first = 0.3;
  for (size_t k = 0; k < s->m; k++) {
    const double step = gap(r, k, s->m, spacing);
    r->at[k] = r->span;
    r->span += step * (0.2 + 1.6 * part(r));
  }
  for (size_t k = 0; k < s->m && r->span > LONGEST; k++) r->at[k] *= LONGEST / r->span;
  r->span = fmin(r->span, LONGEST);
  s->end = r->first + r->span * (1.2 + part(r));
  s->end += 0.06 * part(r);
  if (r->places == AT_END) s->end = r->first + r->span * (0.3 + 0.7 * part(r)) + 1e-6;
  if (r->places != AT_START) return;
  r->first = 0.0;
  s->end = r->span * (1.0 + part(r)) + 1e-4;
  s->end += 0.1 * part(r);
}

static void draw_field(recipe *r, hostile_system *s) {
  const size_t n = s->n;
  s->drift[0] = 1.0;
  r->speed = between(r, 0.5, 300.0);
  const double coupling = happens(r, 0.5) ? 0.0 : between(r, 0.05, 5.0);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      const double entry = coupling * (i ? 1.0 : 0.1) * either_way(r) / (double)n;
      s->matrix[i][j] = happens(r, 0.6) ? entry : 0.0;
    }
  for (size_t i = 1; i < n; i++) {
    if (!happens(r, 0.5)) {
      const double drift = either_way(r);
      s->drift[i] = drift * (happens(r, 0.2) ? r->speed : 1.0);
    }
    s->x0[i] = happens(r, 0.6) ? 0.0 : either_way(r);
  }
  if (coupling > 0.0 && happens(r, 0.3)) memset(s->matrix[0], 0, sizeof s->matrix[0]);
}

/* how large the k-th jump is */
static double size_of(recipe *r, size_t k, size_t m, double trend) {
  const double mean = r->speed / (double)m, any = mean * (0.25 + 1.5 * part(r));
  if (r->jumps == ALIKE) return mean;
  if (r->jumps == UNLIKE) return mean * between(r, 0.01, 10.0);
  if (r->jumps == CANCEL) return k % 2 ? -any : any;
  if (r->jumps == TREND)
    return fmin(mean * pow(trend, (double)(k < 25 ? k : 25)) * 0.3, 20.0 * r->speed);
  return any;
}

static void draw_jumps(recipe *r, hostile_system *s) {
  const double count = (double)s->m;
  double trend = 1.0 + 0.5 * part(r), along = 0.0, direction[STATES];
  if (happens(r, 0.5)) trend = 1.0 / trend;
  if (happens(r, 0.3)) { // x_0 is slowed or sped up, too
    along = between(r, 0.01, 0.5);
    along *= sign(r);
  }
  for (size_t i = 0; i < s->n; i++)
    direction[i] = i == 1 ? 1.0 : happens(r, 0.5) ? 0.0 : either_way(r);
  for (size_t k = 0; k < s->m; k++) {
    hostile_jump *const jump = &s->jump[k];
    const double size = size_of(r, k, s->m, trend);
    for (size_t i = 1; i < s->n; i++) {
      const bool apart = r->jumps == UNLIKE || r->jumps == CANCEL;
      jump->constant[i] = size * direction[i] * (apart ? 1.0 + 0.3 * either_way(r) : 1.0);
    }
    if (along != 0.0)
      jump->constant[0] = along / count * (r->jumps == UNLIKE ? 2.0 * part(r) : 1.0);
    for (size_t i = 1; i < s->n && r->jumps == LINEAR; i++) {
      jump->column[i] = either_way(r) * fmin(r->speed, 40.0) / count;
      jump->row[i] = either_way(r);
    }
    if (r->jumps != RATES) continue;
    jump->constant[0] = sign(r);
    jump->constant[0] *= part(r) * 0.8 / sqrt(count);
  }
}

/* the bend, such that it adds so many times the rate of x_0 to the event function's */
static void bend_guard(recipe *r, const hostile_system *s, hostile_guard *g, double times) {
  const double way = fmax(r->way, 1e-3), speed = fmax(r->speed, 0.5);
  if (g->shape == HOSTILE_SQUARE) g->bend = times / (2.0 * way * speed);
  if (g->shape == HOSTILE_PRODUCT)
    g->bend = times / (way * speed + (s->n > 2 ? way * speed : speed));
  if (g->shape == HOSTILE_CUBIC) g->bend = times / (3.0 * way * way * speed);
  if (g->shape == HOSTILE_WAVE) {
    g->wave = between(r, 0.3, 4.0) / way;
    g->bend = times / (speed * g->wave);
  }
  if (g->shape != HOSTILE_CIRCLE) return;
  g->radius = fmax(between(r, 0.3, 30.0) * way, 1e-3);
  const double aside = way * (3.0 * part(r) - 1.5), most = 0.95 * g->radius;
  g->centre[1] = fmax(-most, fmin(aside, most));
  g->centre[0] = g->place + sqrt(g->radius * g->radius - g->centre[1] * g->centre[1]);
}

static void scale_guard(hostile_guard *g, double factor) {
  for (size_t i = 0; i < STATES; i++) g->normal[i] *= factor;
  g->bend *= factor;
  g->place *= factor;
}

static hostile_guard draw_guard(recipe *r, const hostile_system *s, size_t k, double bend) {
  hostile_guard g = {.place = r->first + r->at[k]};
  g.shape = s->shape == HOSTILE_MIXED ? (hostile_shape)one_of(r, HOSTILE_MIXED) : s->shape;
  g.normal[0] = g.across[1] = g.other[s->n > 2 ? 2 : 0] = 1.0;
  if (s->n > 2 && happens(r, 0.3)) g.across[1] = g.across[2] = 0.7;
  if (s->n > 3 && happens(r, 0.3)) g.across[3] = 0.5;
  if (happens(r, 0.2))
    for (size_t i = 1; i < s->n; i++) g.normal[i] = 0.2 * either_way(r) / r->speed;
  bend_guard(r, s, &g, bend * (happens(r, 0.3) ? 2.0 * part(r) : 1.0));
  const bool scalable = g.shape != HOSTILE_CIRCLE;
  if (scalable && happens(r, 0.15)) scale_guard(&g, between(r, 0.1, 30.0));
  if (happens(r, 0.1) && scalable) scale_guard(&g, -1.0);
  return g;
}

/* some are what the one before is, seen from behind, or on another scale, or its plane alone */
static void share_guards(recipe *r, hostile_system *s) {
  for (size_t k = 1; k < s->m; k++) {
    if (!happens(r, 0.4)) continue;
    hostile_guard *const g = &s->guard[k];
    *g = s->guard[k - 1];
    if (happens(r, 0.3) && g->shape != HOSTILE_CIRCLE)
      scale_guard(g, -between(r, 0.3, 3.0));
    else if (happens(r, 0.3) && g->shape != HOSTILE_CIRCLE)
      g->shape = HOSTILE_LINEAR;
  }
}

static void draw_guards(recipe *r, hostile_system *s) {
  r->way = r->speed * r->span * 0.5 + 1e-3;
  const double size = between(r, 0.03, 4.0), bend = happens(r, 0.35) ? -size : size;
  for (size_t k = 0; k < s->m; k++) s->guard[k] = draw_guard(r, s, k, bend);
  if (r->places == AT_START && happens(r, 0.6)) { // the state starts on one
    hostile_guard *const g = &s->guard[0];
    g->shape = happens(r, 0.5) ? HOSTILE_LINEAR : HOSTILE_SQUARE;
    memset(g->normal, 0, sizeof g->normal);
    g->normal[0] = 1.0;
    g->place = 0.0;
    memset(s->x0, 0, sizeof s->x0);
  }
  if (happens(r, 0.5))
    for (size_t k = s->m - 1; k > 0; k--) {
      const size_t other = one_of(r, k + 1);
      const hostile_guard held = s->guard[k];
      s->guard[k] = s->guard[other];
      s->guard[other] = held;
    }
  if (s->rows == HOSTILE_SHARED || s->rows == HOSTILE_SHARED_ROW) share_guards(r, s);
}

static void add_entry(hostile_system *s, size_t *count, size_t guard, signed char effect) {
  s->row_guard[*count] = guard;
  s->row_effect[(*count)++] = effect;
}

/* the row of one guard, beside its mirror image: what it does to another, and to the next */
static void draw_row(recipe *r, hostile_system *s, size_t guard, size_t *count) {
  const size_t k = guard / 2, m = s->m, directions = s->one_way ? 1 : 2;
  const size_t other = m > 1 ? (k + 1 + one_of(r, m - 1)) % m : k, next = m > 2 ? (k + 1) % m : k;
  if (!s->one_way && happens(r, rearming[s->rows])) add_entry(s, count, guard ^ 1, 1);
  if (s->rows == HOSTILE_CHAIN && guard % 2 == 0 && k + 1 < m)
    add_entry(s, count, guard + 2, happens(r, 0.5) ? 1 : ESS_ARM_AHEAD);
  if (other == k) return;
  if (s->rows == HOSTILE_DISARM) {
    if (happens(r, 0.25)) add_entry(s, count, 2 * other + one_of(r, 2), -1);
    if (happens(r, 0.1) && next != k && next != other)
      add_entry(s, count, 2 * next + one_of(r, 2), -1);
  }
  if (s->rows == HOSTILE_SHARED_ROW && happens(r, 0.15)) add_entry(s, count, 2 * other, -1);
  if (s->rows == HOSTILE_AHEAD && happens(r, 0.5))
    add_entry(s, count, 2 * other + (s->one_way ? 0 : one_of(r, 2)), ESS_ARM_AHEAD);
  if (s->rows != HOSTILE_SILENT || k % 2 == 0 || !happens(r, 0.5)) return;
  // what a silent guard latches must not be seen by the field
  const bool ahead = !happens(r, 0.5) && other % 2;
  add_entry(s, count, 2 * other + one_of(r, directions), ahead ? ESS_ARM_AHEAD : -1);
}

static void draw_matrix(recipe *r, hostile_system *s) {
  s->one_way = s->rows == HOSTILE_ONE_WAY;
  s->has_matrix =
      s->rows != HOSTILE_MIRROR && s->rows != HOSTILE_ONE_WAY && s->rows != HOSTILE_SHARED;
  if (!s->has_matrix) return;
  if (happens(r, 0.2) && s->rows != HOSTILE_CHAIN) s->one_way = true;
  size_t count = 0;
  for (size_t j = 0; j < 2 * s->m; j++) {
    s->row_start[j] = count;
    if (!s->one_way || j % 2 == 0) draw_row(r, s, j, &count);
  }
  s->row_start[2 * s->m] = s->row_start[2 * s->m + 1] = count;
  for (size_t j = 0; j < 2 * s->m; j++) {
    if (s->rows == HOSTILE_CHAIN) s->off[j] = j > 1;
    if (s->rows == HOSTILE_AHEAD) s->off[j] = happens(r, 0.3);
  }
  for (size_t k = 1; k < s->m && s->rows == HOSTILE_SILENT; k += 2) {
    s->silent[k] = true;
    memset(&s->jump[k], 0, sizeof s->jump[k]);
  }
}

/* times of output, ascending; the last is the end */
static void draw_outputs(recipe *r, hostile_system *s) {
  const size_t count = one_of(r, HOSTILE_OUTPUTS);
  for (size_t i = 0; i < count; i++) {
    const bool early = happens(r, 0.7);
    const double at = part(r);
    double time = early ? fmin(s->end, r->first + r->span * 1.2 * at) : s->end * at;
    for (size_t j = 0; j < i; j++) {
      const double held = s->output[j];
      if (held <= time) continue;
      s->output[j] = time;
      time = held;
    }
    s->output[i] = time;
  }
  s->output[count] = s->end;
  s->output_count = count + 1;
}

void hostile_draw(hostile_system *s, uint64_t seed) {
  static const size_t counts[] = {1, 3, 5, 8, 8, 12, 17, HOSTILE_GUARDS};
  recipe r = {.sequence = seed * 7919 + 1012348};
  memset(s, 0, sizeof *s);
  s->seed = seed;
  for (int i = 0; i < 8; i++) part(&r);
  s->rows = (hostile_rows)one_of(&r, HOSTILE_ROWS);
  s->shape = (hostile_shape)one_of(&r, HOSTILE_SHAPES);
  r.jumps = (jumps)one_of(&r, JUMPS);
  r.places = (places)one_of(&r, PLACES);
  s->m = counts[one_of(&r, sizeof counts / sizeof *counts)];
  const size_t few = happens(&r, 0.5) ? 2 : 8;
  s->n = 2 + one_of(&r, few);
  draw_places(&r, s);
  draw_field(&r, s);
  draw_jumps(&r, s);
  draw_guards(&r, s);
  draw_matrix(&r, s);
  const size_t unused = happens(&r, 0.3) ? s->m : 0; // keeps each seed's system what it has been
  for (size_t k = 0; k < unused; k++) (void)one_of(&r, 3);
  s->by_component = happens(&r, 0.15);
  draw_outputs(&r, s);
  s->way = (hostile_way)one_of(&r, 3);
}
