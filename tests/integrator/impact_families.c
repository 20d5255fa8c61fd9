/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "impact_families.h"
#include "callbacks.h"
#include "draws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BALLS = 20, NEURONS = 200, ROOMS = 8 };

const char *const family_names[FAMILY_COUNT] = {"hard balls", "integrate-and-fire networks",
                                                "buck converters", "thermostats",
                                                "ball on a curved floor"};

/* in [low, high): of sequences by splitmix64 */
static double draw_split(uint64_t *r, double low, double high) {
  return low + (high - low) * (double)(draw_bits(r) >> 11) * 0x1p-53;
}

static size_t draw_count(uint64_t *r, size_t low, size_t high) {
  return low + (size_t)draw_split(r, 0.0, (double)(high - low + 1));
}

static double tolerance_of(uint64_t i) {
  return pow(10.0, -3.0 - (double)(i % 8));
}

static ess_options options_at(double tolerance) {
  ess_options o = ess_options_default();
  o.rtol = o.atol = tolerance;
  return o;
}

/* applies; what it took */
static int apply(const ess_system *system, const ess_options *options, double end, double x[],
                 family_outcome *o) {
  int status;
  double t = 0.0;
  ess_driver *const d = ess_driver_alloc(system, options, &status);
  if (!d) return status;
  status = ess_driver_apply(d, &t, end, x);
  const ess_counters *const c = ess_driver_counters(d);
  o->impacts = c->impacts;
  o->steps = c->steps + c->rejected;
  o->passes = c->guard_evaluations;
  if (status == ESS_EZENO) x[0] = ess_driver_failure(d)->time;
  ess_driver_free(d);
  return status;
}

static bool is_nearer(double time, double *least) {
  const bool nearer = time < *least;
  if (nearer) *least = time;
  return nearer;
}

/* ---- hard balls of equal mass in a row ------------------------------------------------------- */

typedef struct row {
  size_t count;
  double diameter;
  double sense; /* of h: the gap, or less than that (the overlap) */
} row;

FIELD(row_field) {
  const row *const b = params;
  memcpy(dxdt, x + b->count, b->count * sizeof *x);
  memset(dxdt + b->count, 0, b->count * sizeof *x);
}

PLANES_EACH(row, 2 * AS(row)->count, AS(row)->count - 1, AS(row)->sense *(x[k + 1] - x[k]),
            AS(row)->sense *AS(row)->diameter);

/* two that meet exchange their speeds */
IMPACT_MAP(row_hit) {
  const row *const b = params;
  double *const v = impact->after + b->count;
  for (size_t i = 0; i < impact->count; i++) {
    const size_t k = impact->events[i];
    const double left = v[k];
    if (v[k] > v[k + 1]) {
      v[k] = v[k + 1];
      v[k + 1] = left;
    }
    impact->mode[k] = b->sense;
    impact->armed[b->sense > 0.0 ? ESS_GUARD_DOWN(k) : ESS_GUARD_UP(k)] = true;
  }
}

static int run_row(row *b, bool both, double tolerance, double end, double x[], family_outcome *o) {
  bool at[2 * BALLS];
  for (size_t j = 0; j < 2 * BALLS; j++) at[j] = (j % 2 == 1) == (b->sense > 0.0);
  const ess_impacts impacts = {.at = both ? NULL : at, .map = row_hit};
  const ess_system system = {.dimension = 2 * b->count,
                             .guard_count = b->count - 1,
                             OF_RATES(row),
                             .impacts = &impacts,
                             .params = b};
  const ess_options options = options_at(tolerance);
  return apply(&system, &options, end, x, o);
}

int cradle_run(const cradle *c, double velocity[]) {
  row b = {.count = c->count, .diameter = c->diameter, .sense = c->overlap ? -1.0 : 1.0};
  double x[2 * BALLS] = {0};
  family_outcome ignored;
  for (size_t i = 0; i < c->count; i++) x[i] = c->from + c->diameter * (double)i;
  for (size_t i = 0; i < c->coming; i++) {
    const size_t hits = c->from_right ? c->count - 1 - i : i;
    x[hits] += c->from_right ? c->gap : -c->gap;
    x[c->count + hits] = c->from_right ? -1.0 : 1.0;
  }
  const int status = run_row(&b, c->both_are_impacts, c->tolerance, c->gap + 1.0, x, &ignored);
  memcpy(velocity, x + c->count, c->count * sizeof *velocity);
  return status;
}

/* Exchanging speeds, balls of no size pass through each other: positions are those of straight
 * lines, in order. */
static family_outcome run_balls(uint64_t *r, double tolerance) {
  row b = {.count = draw_count(r, 3, BALLS),
           .diameter = draw_split(r, 0.0, 1.0) < 0.5 ? 0.1 : draw_split(r, 0.05, 1.0),
           .sense = draw_split(r, 0.0, 1.0) < 0.5 ? 1.0 : -1.0};
  const bool both = draw_split(r, 0.0, 1.0) < 0.5;
  const size_t first = draw_count(r, 0, b.count - 2), last = draw_count(r, first + 1, b.count - 1);
  const double end = draw_split(r, 1.0, 5.0), left = draw_split(r, 0.2, 2.0),
               right = draw_split(r, 0.2, 2.0);
  double x[2 * BALLS] = {0}, line[BALLS];
  x[0] = draw_split(r, -1.0, 1.0);
  // balls from `first` to `last` touch at rest, others come towards them
  for (size_t i = 1; i < b.count; i++)
    x[i] = x[i - 1] + b.diameter + (i > first && i <= last ? 0.0 : draw_split(r, 0.05, 0.5));
  for (size_t i = 0; i < b.count; i++) {
    const bool rests = i >= first && i <= last;
    x[b.count + i] = rests ? 0.0 : i < first ? left : -right;
    line[i] = x[i] - b.diameter * (double)i + end * x[b.count + i];
  }
  qsort(line, b.count, sizeof *line, ascending);
  family_outcome o = {.tolerance = tolerance, .bound = 1e-9 + 50.0 * tolerance, .clear = true};
  o.status = run_row(&b, both, tolerance, end, x, &o);
  for (size_t i = 0; i < b.count; i++)
    o.error = fmax(o.error, fabs(x[i] - b.diameter * (double)i - line[i]));
  return o;
}

/* ---- integrate-and-fire neurons: v' = I - v, which fire at 1 --------------------------------- */

typedef struct network {
  size_t count, fired;
  double input[NEURONS], kick; /* what each that fires adds to all others */
  bool jacobian;
} network;

FIELD(network_field) {
  const network *const n = params;
  for (size_t i = 0; i < n->count; i++) dxdt[i] = n->input[i] - x[i];
}

PLANES_EACH(network, AS(network)->count, AS(network)->count, x[k], 1.0);

SOME_RATES(network_some) {
  for (size_t i = 0; i < count; i++) {
    h[i] = x[which[i]] - 1.0;
    rate[i] = v[which[i]];
  }
}

static void network_spike(const network *n, const size_t events[], size_t count, double v[]) {
  for (size_t i = 0; i < n->count; i++) v[i] += n->kick * (double)count;
  for (size_t i = 0; i < count; i++) v[events[i]] = 0.0;
}

IMPACT_MAP(network_fire) {
  network *const n = params;
  network_spike(n, impact->events, impact->count, impact->after);
  for (size_t i = 0; i < impact->count; i++) {
    impact->mode[impact->events[i]] = -1.0;
    impact->armed[ESS_GUARD_UP(impact->events[i])] = true;
  }
  n->fired += impact->count;
}

static const ess_impacts spikes = {.map = network_fire};

static ess_system network_system(network *n) {
  return (ess_system){.dimension = n->count,
                      .guard_count = n->count,
                      OF_RATES(network),
                      .one_way = true,
                      .impacts = &spikes,
                      .params = n};
}

/* From spike to spike by their closed form; those that a kick carries beyond 1 fire at that
 * instant. *apart: how near two events come that are not of one instant, or a kick to the
 * threshold. */
static void network_truth(const network *n, double end, double v[], size_t *fired, double *apart) {
  size_t events[NEURONS];
  *fired = 0;
  *apart = INFINITY;
  for (double t = 0.0;;) {
    double soonest = INFINITY, second = INFINITY;
    size_t first = 0;
    for (size_t i = 0; i < n->count; i++) {
      const double way = n->input[i] > 1.0 ? log((n->input[i] - v[i]) / (n->input[i] - 1.0)) : 1e9;
      const double before = soonest;
      if (is_nearer(way, &soonest)) {
        second = before;
        first = i;
      } else if (way < second) {
        second = way;
      }
    }
    const double step = fmin(soonest, end - t);
    for (size_t i = 0; i < n->count; i++) v[i] = n->input[i] + (v[i] - n->input[i]) * exp(-step);
    is_nearer(fabs(soonest - (end - t)), apart);
    if (!(soonest < end - t)) return;
    is_nearer(second - soonest, apart);
    t += step;
    size_t count = 1;
    events[0] = first;
    while (count > 0) {
      *fired += count;
      network_spike(n, events, count, v);
      count = 0;
      for (size_t i = 0; i < n->count; i++) {
        is_nearer(fabs(v[i] - 1.0), apart);
        if (v[i] > 1.0) events[count++] = i;
      }
    }
  }
}

static void draw_network(uint64_t *r, size_t least, size_t most, network *n, double v[]) {
  n->count = draw_count(r, least, most);
  n->fired = 0;
  n->kick = draw_split(r, -0.3, 0.8) / (double)n->count;
  for (size_t i = 0; i < n->count; i++) {
    n->input[i] = draw_split(r, 0.9, 2.0);
    v[i] = draw_split(r, 0.0, 0.95);
  }
}

static family_outcome run_network(uint64_t *r, double tolerance) {
  static network n; // large
  double v[NEURONS], truth[NEURONS], apart;
  size_t fired;
  // many, seldom: they take long
  const bool large = draw_split(r, 0.0, 1.0) < 0.05;
  draw_network(r, large ? 50 : 2, large ? NEURONS : 12, &n, v);
  const double end = large ? draw_split(r, 0.5, 2.0) : draw_split(r, 2.0, 8.0);
  memcpy(truth, v, sizeof v);
  network_truth(&n, end, truth, &fired, &apart);
  const ess_system system = network_system(&n);
  const ess_options options = options_at(tolerance);
  family_outcome o = {.tolerance = tolerance, .bound = 1e-9 + 100.0 * tolerance};
  o.status = apply(&system, &options, end, v, &o);
  // what the tolerance cannot order leads elsewhere
  o.clear = apart > 30.0 * tolerance;
  for (size_t i = 0; o.clear && i < n.count; i++) o.error = fmax(o.error, fabs(v[i] - truth[i]));
  if (o.clear && n.fired != fired) o.error = INFINITY;
  return o;
}

ess_counters network_counters(size_t count, double end, bool with_some, int *status) {
  static network n;
  double v[NEURONS], t = 0.0;
  uint64_t r = 7;
  draw_network(&r, count, count, &n, v);
  n.kick = 0.1 / (double)count;
  ess_system system = network_system(&n);
  if (with_some) system.some_guard_rates = network_some;
  const ess_options options = options_at(1e-6);
  ess_driver *const d = ess_driver_alloc(&system, &options, status);
  ess_counters c = {0};
  if (!d) return c;
  *status = ess_driver_apply(d, &t, end, v);
  c = *ess_driver_counters(d);
  ess_driver_free(d);
  return c;
}

/* ---- a buck converter: coil current i, voltage v, phase of the period ------------------------ */

enum { COIL, OUTPUT, PHASE, CONVERTER_STATES };
enum { OPENS, PERIOD, DIODE, CONVERTER_EVENTS };

/* inductance, capacity and period are units; the source is one */
typedef struct converter {
  double coil, capacity, load, duty;
} converter;

/* the switch feeds the coil, or the diode carries its current, or none does */
FIELD(converter_field) {
  const converter *const c = params;
  const bool fed = sign[OPENS]<0.0, carries = sign[DIODE]> 0.0;
  dxdt[COIL] = carries ? ((fed ? 1.0 : 0.0) - x[OUTPUT]) / c->coil : 0.0;
  dxdt[OUTPUT] = ((carries ? x[COIL] : 0.0) - x[OUTPUT] / c->load) / c->capacity;
  dxdt[PHASE] = 1.0;
}

PLANES(converter, CONVERTER_STATES, (x[PHASE], x[PHASE], x[COIL]), (AS(converter)->duty, 1.0, 0.0));

static bool has_event(const ess_impact *impact, size_t k) {
  for (size_t i = 0; i < impact->count; i++)
    if (impact->events[i] == k) return true;
  return false;
}

IMPACT_MAP(converter_switch) {
  if (has_event(impact, OPENS)) {
    impact->mode[OPENS] = 1.0;
    impact->armed[ESS_GUARD_DOWN(OPENS)] = false;
    impact->armed[ESS_GUARD_DOWN(DIODE)] = true;
  }
  if (has_event(impact, DIODE)) {
    impact->mode[DIODE] = -1.0;
    impact->after[COIL] = 0.0;
    impact->armed[ESS_GUARD_UP(DIODE)] = false;
  }
  if (has_event(impact, PERIOD)) {
    impact->after[PHASE] = 0.0;
    impact->mode[PERIOD] = impact->mode[OPENS] = -1.0;
    impact->mode[DIODE] = 1.0;
    impact->armed[ESS_GUARD_UP(PERIOD)] = impact->armed[ESS_GUARD_UP(OPENS)] = true;
    impact->armed[ESS_GUARD_DOWN(DIODE)] = false;
  }
}

static int converter_start(double t, const double x[], double sign[], bool armed[], void *params) {
  sign[OPENS] = sign[PERIOD] = -1.0;
  sign[DIODE] = 1.0;
  armed[ESS_GUARD_UP(OPENS)] = armed[ESS_GUARD_UP(PERIOD)] = true;
  armed[ESS_GUARD_DOWN(DIODE)] = armed[ESS_GUARD_UP(DIODE)] = false;
  return 0;
}

/* the coil fed by u for a time s, by its two complex rates */
static void converter_flow(const converter *c, double u, double s, double *i, double *v) {
  const double a = 0.5 / (c->load * c->capacity), w = sqrt(1.0 / (c->coil * c->capacity) - a * a);
  const double rest = u / c->load, p = *i - rest, q = *v - u;
  const double p_rate = -q / c->coil, q_rate = (p - q / c->load) / c->capacity;
  const double decay = exp(-a * s), cosine = cos(w * s), sine = sin(w * s) / w;
  *i = rest + decay * (p * cosine + (p_rate + a * p) * sine);
  *v = u + decay * (q * cosine + (q_rate + a * q) * sine);
}

/* after the switch has opened: the coil runs empty, or not */
static void converter_freewheel(const converter *c, double s, double *i, double *v) {
  double end_i = *i, end_v = *v, below = 0.0, above = s;
  converter_flow(c, 0.0, s, &end_i, &end_v);
  if (end_i > 0.0) {
    *i = end_i;
    *v = end_v;
    return;
  }
  for (int k = 0; k < 100; k++) {
    const double middle = 0.5 * (below + above);
    double x = *i, y = *v;
    converter_flow(c, 0.0, middle, &x, &y);
    *(x > 0.0 ? &below : &above) = middle;
  }
  converter_flow(c, 0.0, below, i, v);
  *i = 0.0;
  *v *= exp(-(s - below) / (c->load * c->capacity));
}

static family_outcome run_converter(uint64_t *r, double tolerance) {
  converter c = {.coil = draw_split(r, 0.5, 5.0),
                 .capacity = draw_split(r, 5.0, 50.0),
                 .load = draw_split(r, 2.0, 60.0),
                 .duty = draw_split(r, 0.1, 0.9)};
  const double end = draw_split(r, 5.0, 60.0);
  double i = draw_split(r, 0.01, 0.2), v = draw_split(r, 0.1, 0.8),
         x[CONVERTER_STATES] = {i, v, 0.0};
  for (double t = 0.0; t < end; t += 1.0) {
    const double fed = fmin(c.duty, end - t), rest = fmin(1.0, end - t) - fed;
    converter_flow(&c, 1.0, fed, &i, &v);
    if (rest > 0.0) converter_freewheel(&c, rest, &i, &v);
  }
  const ess_impacts impacts = {.map = converter_switch, .start = converter_start};
  const ess_system system = {.dimension = CONVERTER_STATES,
                             .guard_count = CONVERTER_EVENTS,
                             OF_RATES(converter),
                             .impacts = &impacts,
                             .params = &c};
  const ess_options options = options_at(tolerance);
  family_outcome o = {.tolerance = tolerance, .bound = 1e-10 + 100.0 * tolerance, .clear = true};
  o.status = apply(&system, &options, end, x, &o);
  o.error = fmax(fabs(x[COIL] - i), fabs(x[OUTPUT] - v));
  return o;
}

/* ---- rooms with a heater each, that go on below 0 and off above their band ------------------- */

typedef struct rooms {
  size_t count;
  double rate[ROOMS], outside[ROOMS], heat[ROOMS], band[ROOMS];
} rooms;

FIELD(rooms_field) {
  const rooms *const b = params;
  for (size_t i = 0; i < b->count; i++)
    dxdt[i] = b->rate[i] * (b->outside[i] - x[i]) + (sign[i] < 0.0 ? b->heat[i] : 0.0);
}

/* of each room the upper end of its band, then of each the lower */
PLANES_EACH(rooms, AS(rooms)->count, 2 * AS(rooms)->count, x[k % AS(rooms)->count],
            k < AS(rooms)->count ? AS(rooms)->band[k] : 0.0);

/* heaters go off, or on: what is armed is the other end of the band */
IMPACT_MAP(rooms_switch) {
  const rooms *const b = params;
  for (size_t k = 0; k < impact->count; k++) {
    const size_t i = impact->events[k] % b->count;
    const bool off = impact->events[k] < b->count;
    impact->mode[i] = off ? 1.0 : -1.0;
    impact->mode[b->count + i] = 1.0;
    impact->armed[ESS_GUARD_UP(i)] = !off;
    impact->armed[ESS_GUARD_DOWN(i)] = impact->armed[ESS_GUARD_UP(b->count + i)] = false;
    impact->armed[ESS_GUARD_DOWN(b->count + i)] = off;
  }
}

static int rooms_start(double t, const double x[], double sign[], bool armed[], void *params) {
  const rooms *const b = params;
  for (size_t i = 0; i < b->count; i++) {
    sign[i] = -1.0;
    sign[b->count + i] = 1.0;
    armed[ESS_GUARD_UP(i)] = true;
    armed[ESS_GUARD_DOWN(b->count + i)] = false;
  }
  return 0;
}

static double room_truth(const rooms *b, size_t i, double x, double end) {
  bool heats = true;
  for (double t = 0.0;;) {
    const double aim = b->outside[i] + (heats ? b->heat[i] / b->rate[i] : 0.0);
    const double to = heats ? b->band[i] : 0.0;
    const double way = log((x - aim) / (to - aim)) / b->rate[i];
    if (t + way >= end) return aim + (x - aim) * exp(-b->rate[i] * (end - t));
    t += way;
    x = to;
    heats = !heats;
  }
}

static family_outcome run_rooms(uint64_t *r, double tolerance) {
  rooms b = {.count = draw_count(r, 1, ROOMS)};
  double x[ROOMS], truth[ROOMS];
  const double end = draw_split(r, 5.0, 30.0);
  for (size_t i = 0; i < b.count; i++) {
    b.rate[i] = draw_split(r, 0.02, 0.5);
    b.outside[i] = draw_split(r, -10.0, -1.0);
    b.heat[i] = b.rate[i] * (draw_split(r, 1.5, 10.0) - b.outside[i]);
    b.band[i] = draw_split(r, 0.05, 1.0);
    x[i] = draw_split(r, 0.0, 1.0) * b.band[i];
    truth[i] = room_truth(&b, i, x[i], end);
  }
  const ess_impacts impacts = {.map = rooms_switch, .start = rooms_start};
  const ess_system system = {.dimension = b.count,
                             .guard_count = 2 * b.count,
                             OF_RATES(rooms),
                             .impacts = &impacts,
                             .params = &b};
  const ess_options options = options_at(tolerance);
  family_outcome o = {.tolerance = tolerance, .bound = 1e-9 + 1000.0 * tolerance, .clear = true};
  o.status = apply(&system, &options, end, x, &o);
  for (size_t i = 0; i < b.count; i++) o.error = fmax(o.error, fabs(x[i] - truth[i]));
  return o;
}

/* ---- a ball over the floor z = sin x, whose restitution lets it come to rest there ----------- */

typedef struct floor_ball {
  double restitution;
} floor_ball;

FIELD(floor_field) {
  dxdt[0] = x[2];
  dxdt[1] = x[3];
  dxdt[2] = 0.0;
  dxdt[3] = -1.0;
}

GUARDS(floor_guards) {
  h[0] = x[1] - sin(x[0]);
}

GUARD_JACOBIAN(floor_jacobian) {
  Dh[0] = -cos(x[0]);
  Dh[1] = 1.0;
  Dh[2] = Dh[3] = 0.0;
}

IMPACT_MAP(floor_bounce) {
  const floor_ball *const b = params;
  const double slope = cos(impact->x[0]), square = 1.0 + slope * slope;
  const double into = (impact->x[3] - slope * impact->x[2]) * (1.0 + b->restitution) / square;
  impact->after[2] += into * slope;
  impact->after[3] -= into;
  impact->mode[0] = 1.0;
  impact->armed[ESS_GUARD_DOWN(0)] = true;
}

typedef long double real;

/* height over the floor a time s later, from a place on it: by what it is off from there, so that
 * nothing cancels; *fall is its rate */
static real clearance(const real x[4], real s, real *fall) {
  const real far = x[2] * s;
  *fall = x[3] - s - x[2] * cosl(x[0] + far);
  return x[3] * s - 0.5L * s * s - 2.0L * cosl(x[0] + 0.5L * far) * sinl(0.5L * far);
}

/* the next landing, by steps that a floor of curvature 1 cannot hide in; 0 when the ball slides */
static real next_landing(const real x[4]) {
  real fall, s;
  const real rise = x[3] - x[2] * cosl(x[0]), fast = 1.0L + x[2] * x[2];
  real step = rise / fast * 0.02L;
  for (s = step; clearance(x, s, &fall) > 0.0L; s += step)
    if (s > 50.0L * step) step *= 1.1L;
  real below = s - step, above = s;
  for (int k = 0; k < 80; k++) {
    const real middle = 0.5L * (below + above);
    *(clearance(x, middle, &fall) > 0.0L ? &below : &above) = middle;
  }
  return 0.5L * (below + above);
}

static void floor_move(real x[4], real s) {
  x[0] += x[2] * s;
  x[1] += x[3] * s - 0.5L * s * s;
  x[3] -= s;
}

static void floor_reflect(const floor_ball *b, real x[4]) {
  const real slope = cosl(x[0]), square = 1.0L + slope * slope;
  const real into = (x[3] - slope * x[2]) * (1.0L + (real)b->restitution) / square;
  x[2] += into * slope;
  x[3] -= into;
}

/* when impacts accumulate, or the state at the end when they do not before it */
static double floor_truth(const floor_ball *b, double end, real x[4]) {
  real t = 0.0L, way = INFINITY, last;
  real fall, below = 0.0L, above;
  for (above = 1e-3L; x[1] + x[3] * above - 0.5L * above * above > sinl(x[0] + x[2] * above);)
    above += 1e-3L;
  below = above - 1e-3L;
  for (int k = 0; k < 80; k++) {
    const real s = 0.5L * (below + above);
    *(x[1] + x[3] * s - 0.5L * s * s > sinl(x[0] + x[2] * s) ? &below : &above) = s;
  }
  if (above >= end) {
    floor_move(x, end);
    return NAN;
  }
  floor_move(x, above);
  t = above;
  for (;;) {
    floor_reflect(b, x);
    last = way;
    way = next_landing(x);
    if (t + way > end) {
      floor_move(x, end - t);
      return NAN;
    }
    floor_move(x, way);
    t += way;
    x[1] = sinl(x[0]);
    clearance(x, 0.0L, &fall);
    if (way < 1e-8L) return (double)(t + way * (way / last) / (1.0L - way / last));
  }
}

/* whether starts beside this one accumulate at much the same time */
static bool is_steady(const floor_ball *b, const double start[4], double end, double zeno,
                      double beside, double most) {
  for (size_t i = 0; i < 4; i++) {
    real x[4] = {start[0], start[1], start[2], start[3]};
    x[i] += beside;
    if (!(fabs(floor_truth(b, end, x) - zeno) <= most)) return false;
  }
  return true;
}

static family_outcome run_floor(uint64_t *r, double tolerance) {
  floor_ball b = {.restitution = draw_split(r, 0.3, 0.85)};
  double x[4] = {draw_split(r, -3.0, 3.0), draw_split(r, 1.2, 3.0), draw_split(r, -0.5, 0.5),
                 draw_split(r, -1.0, 1.0)};
  const double end = draw_split(r, 10.0, 60.0);
  const double start[4] = {x[0], x[1], x[2], x[3]};
  real exact[4] = {x[0], x[1], x[2], x[3]};
  const double zeno = floor_truth(&b, end, exact);
  const ess_impacts impacts = {.map = floor_bounce};
  const ess_system system = {
      .dimension = 4, .guard_count = 1, OF_JACOBIAN(floor), .impacts = &impacts, .params = &b};
  const ess_options options = options_at(tolerance);
  family_outcome o = {.tolerance = tolerance, .clear = true};
  o.expected = isnan(zeno) ? ESS_SUCCESS : ESS_EZENO;
  o.status = apply(&system, &options, end, x, &o);
  if (o.status == ESS_EZENO)
    o.error = fabs(x[0] - zeno);
  else
    for (size_t i = 0; i < 4; i++) o.error = fmax(o.error, fabs(x[i] - (double)exact[i]));
  // the floor throws balls about: a start beside this one may come to rest at another time
  o.bound = o.expected ? 1e-7 + 1000.0 * tolerance : 1e6 * tolerance;
  o.clear = !isnan(zeno) && is_steady(&b, start, end, zeno, 5.0 * tolerance, 0.2 * o.bound);
  return o;
}

/* ---- all of them ----------------------------------------------------------------------------- */

family_outcome family_run(family f, uint64_t i) {
  static family_outcome (*const runs[FAMILY_COUNT])(uint64_t *, double) = {
      run_balls, run_network, run_converter, run_rooms, run_floor};
  uint64_t r = (i << 8) + (uint64_t)f;
  return runs[f](&r, tolerance_of(i));
}

bool family_is_wrong(const family_outcome *o) {
  const bool ended = o->status == o->expected;
  return o->clear && ((ended && !(o->error <= o->bound)) || (!ended && !o->status));
}
