/*
 * Hostile: event functions of which the base shows nothing, or the wrong thing, because the jumps
 * of a cluster throw the path aside only in its later part, or there and back again. The path is
 * made of straight pieces, and event functions are quadratic: the truth is in closed form.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "toy.h"

enum { PHASES = 5, EACH_MOST = 12, LINES_MOST = PHASES * EACH_MOST, GUARDS_MOST = LINES_MOST + 1 };

#define END 1.0

/* which way each fifth of the lines throws the path: nothing, then aside; there and back */
static const double patterns[][PHASES] = {
    {0, 0, 0, 1, 1}, {0, 1, -1, -1, 1}, {1, -1, 0, 0, 0}, {0, 1, 1, -1, -1}, {1, 0, 0, -2, 1}};
enum { PATTERNS = sizeof patterns / sizeof *patterns };

/* lines across the way, x = place, each of which turns it; and beside it
 * h = tilt (x - middle) + (y^2 - width^2) / width, for a sheet of its sign */
typedef struct course {
  size_t line_count;
  double place[LINES_MOST], turn[LINES_MOST];
  double tilt, middle, width;
} course;

/* state: x, y, and the time spent where h > 0 */
FIELD(field) {
  const course *const c = params;
  dxdt[0] = 1.0;
  dxdt[1] = 0.0;
  for (size_t i = 0; i < c->line_count; i++)
    if (sign[i] > 0.0) dxdt[1] += c->turn[i];
  dxdt[2] = sign[c->line_count] > 0.0;
}

GUARD_RATES(guard_rates) {
  const course *const c = params;
  const size_t m = c->line_count;
  for (size_t i = 0; i < m; i++) {
    h[i] = x[0] - c->place[i];
    rate[i] = v[0];
  }
  h[m] = c->tilt * (x[0] - c->middle) + (x[1] * x[1] - c->width * c->width) / c->width;
  rate[m] = c->tilt * v[0] + 2.0 * x[1] * v[1] / c->width;
}

GUARDS_CODE(guards) {
  const double still[3] = {0.0};
  double rate[GUARDS_MOST];
  return guard_rates(t, x, still, h, rate, params);
}

/* numbers in [0, 1), the same everywhere */
static double draw(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(*state >> 40) / 16777216.0;
}

static course draw_course(uint64_t *state, const double pattern[], bool tilted) {
  const size_t each = 4 + (size_t)(draw(state) * (EACH_MOST - 4));
  const double spread = pow(10.0, -3.0 + 2.0 * draw(state)), start = 0.1 + 0.4 * draw(state);
  course c = {.line_count = PHASES * each, .width = pow(10.0, -4.0 + 3.0 * draw(state))};
  const double turn = (1.5 + 4.0 * draw(state)) * c.width * PHASES / spread / (double)each;
  for (size_t i = 0; i < c.line_count; i++) {
    const size_t phase = i / each;
    c.place[i] = start + spread * ((double)i + draw(state)) / (double)c.line_count;
    c.turn[i] = turn * pattern[phase];
  }
  c.tilt = tilted ? c.width / spread * (draw(state) - 0.5) : 0.0;
  c.middle = start + spread * draw(state);
  return c;
}

/* ---- the truth ------------------------------------------------------------------------------- */

/* h + lift along a piece of the path, by powers of the time since it began */
typedef struct piece {
  double from, y, slope, a[3];
} piece;

static piece piece_of(const course *c, double lift, double from, double y, double slope) {
  return (piece){from,
                 y,
                 slope,
                 {c->tilt * (from - c->middle) + (y * y - c->width * c->width) / c->width + lift,
                  c->tilt + 2.0 * y * slope / c->width, slope * slope / c->width}};
}

static double value_at(const piece *p, double u) {
  return p->a[0] + u * (p->a[1] + u * p->a[2]);
}

/* what a piece of this length adds to the time over, and how often it is crossed: between its roots
 * and ends a quadratic keeps its sign */
static void add_piece(const piece *p, double length, double *over, size_t *crossings) {
  double cut[4] = {0.0, length, length, length};
  size_t count = 1;
  const double square = p->a[1] * p->a[1] - 4.0 * p->a[2] * p->a[0];
  const double sum = -0.5 * (p->a[1] + copysign(sqrt(fmax(square, 0.0)), p->a[1]));
  double low = sum / p->a[2], high = p->a[0] / sum;
  if (!(square > 0.0)) low = high = NAN;
  if (low > high) {
    const double held = low;
    low = high;
    high = held;
  }
  if (low > 0.0 && low < length) cut[count++] = low;
  if (high > 0.0 && high < length) cut[count++] = high;
  cut[count] = length;
  *crossings += count - 1;
  for (size_t i = 0; i < count; i++)
    if (value_at(p, 0.5 * (cut[i] + cut[i + 1])) > 0.0) *over += cut[i + 1] - cut[i];
}

/* time over, with h lifted by so much; *widest is the farthest that the path goes aside */
static double find_truth(const course *c, double lift, size_t *crossings, double *widest) {
  double over = 0.0, y = 0.0, slope = 0.0, from = 0.0;
  *crossings = 0;
  *widest = 0.0;
  for (size_t i = 0; i <= c->line_count; i++) {
    const double to = i < c->line_count ? c->place[i] : END;
    const piece p = piece_of(c, lift, from, y, slope);
    add_piece(&p, to - from, &over, crossings);
    y += slope * (to - from);
    *widest = fmax(*widest, fabs(y));
    if (i < c->line_count) slope += c->turn[i];
    from = to;
  }
  return over;
}

/* ---- libess held against it ------------------------------------------------------------------ */

/* time over within what the tolerance may move it by, where that leaves no doubt what is crossed:
 * whether that is so */
static bool check(course *c, double tolerance, size_t pattern) {
  enum { ERR = 20 };
  size_t crossings, more, less;
  double widest;
  const double over = find_truth(c, 0.0, &crossings, &widest);
  const double lift =
      ERR * tolerance * (fabs(c->tilt) + 2.0 * (widest + ERR * tolerance) / c->width);
  const double most = find_truth(c, lift, &more, &widest);
  const double least = find_truth(c, -lift, &less, &widest);
  if (more != crossings || less != crossings) return false;
  const ess_system system = {.dimension = 3,
                             .guard_count = c->line_count + 1,
                             .field = field,
                             .guards = guards,
                             .guard_rates = guard_rates,
                             .params = c};
  const ess_options options = toy_options(tolerance);
  double x[] = {0.0, 0.0, 0.0};
  const toy_end end = toy_succeeds(&system, &options, 0.0, END, x);
  const uint64_t made = end.counters.crossings - c->line_count;
  const double may = (most - least) + 2.0 * ERR * tolerance, off = fabs(x[2] - over);
  if (made != crossings || !(off <= may))
    print_error("pattern %zu, tilt %g, width %g, %zu lines, at %g: %llu crossings, not %zu; %g "
                "over, not %g, off by %g tolerances\n",
                pattern, c->tilt, c->width, c->line_count, tolerance, (unsigned long long)made,
                crossings, x[2], over, off / tolerance);
  assert_int_equal(made, crossings);
  assert_true(off <= may);
  return true;
}

static void check_all(bool tilted) {
  enum { COURSES = 60 };
  static const double tolerances[] = {1e-3, 1e-5, 1e-7};
  uint64_t seed = 1;
  size_t clear = 0;
  for (size_t i = 0; i < COURSES * PATTERNS; i++) {
    course c = draw_course(&seed, patterns[i % PATTERNS], tilted);
    for (size_t j = 0; j < sizeof tolerances / sizeof *tolerances; j++)
      clear += check(&c, tolerances[j], i % PATTERNS);
  }
  assert_true(clear > COURSES * PATTERNS);
}

/* its gradient is zero along the base: neither that nor the jumps' rates say anything */
TEST_OF(a_strip_is_left_where_jumps_lead_out_of_it, check_all(false));

/* the base shows what it would be without jumps */
TEST_OF(a_tilted_strip_is_crossed_where_it_is, check_all(true));
