/*
 * Rows of the reset matrix that meet within a step: one arms, or latches, or disarms what
 * another has named, and what has been crossed since then. Truth is a walk over the guards' places:
 * x' = 1, and every guard is a plane that is reached at a time known beforehand.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "draws.h"
#include "toy.h"

enum { GUARDS = 12, ENTRIES = 3, SYSTEMS = 4000 };

static const double START = 0.3, WORST = 30.0; /* where guards begin; in tolerances */

/* x' = 1, y' = the jumps of the guards that are beyond; h_k = x - place_k, places ascend. Row k is
 * that of h_k crossed upward, the only guard that is ever reached. */
typedef struct rows {
  size_t count, entries[GUARDS], named[GUARDS][ENTRIES];
  signed char effect[GUARDS][ENTRIES];
  double place[GUARDS], jump[GUARDS], end;
  bool silent[GUARDS], off[GUARDS];
} rows;

FIELD(rows_field) {
  const rows *const r = params;
  dxdt[0] = 1.0;
  dxdt[1] = 0.0;
  for (size_t k = 0; k < r->count; k++) dxdt[1] += sign[k] > 0.0 ? r->jump[k] : 0.0;
}

PLANES_EACH(rows, 2, AS(rows)->count, x[0], AS(rows)->place[k]);

ARMED_AT_START(rows_start) {
  const rows *const r = params;
  for (size_t k = 0; k < r->count; k++)
    if (r->off[k]) armed[ESS_GUARD_UP(k)] = false;
}

/* what the walk comes to */
typedef struct outcome {
  double y;
  size_t crossings, silent;
} outcome;

static outcome walk(const rows *r) {
  outcome o = {0};
  bool armed[GUARDS], beyond[GUARDS] = {false};
  double x = 0.0;
  for (size_t k = 0; k < r->count; k++) armed[k] = !r->off[k];
  for (size_t k = 0; k <= r->count; k++) {
    const double to = k < r->count ? fmin(r->place[k], r->end) : r->end;
    for (size_t j = 0; j < r->count; j++) o.y += beyond[j] ? r->jump[j] * (to - x) : 0.0;
    x = to;
    if (k == r->count || r->place[k] > r->end || !armed[k]) continue;
    armed[k] = false;
    beyond[k] = true;
    o.silent += r->silent[k];
    o.crossings += !r->silent[k];
    for (size_t i = 0; i < r->entries[k]; i++) {
      const size_t other = r->named[k][i];
      if (r->effect[k][i] != ESS_ARM_AHEAD) {
        armed[other] = r->effect[k][i] > 0;
        continue;
      }
      armed[other] = other > k;
      beyond[other] = other < k;
    }
  }
  return o;
}

static outcome run(rows *r, double tolerance) {
  size_t row_start[2 * GUARDS + 2], guard[2 * GUARDS * ENTRIES], count = 0;
  signed char effect[2 * GUARDS * ENTRIES];
  bool silent[2 * GUARDS];
  for (size_t j = 0; j < 2 * r->count; j++) {
    row_start[j] = count;
    silent[j] = r->silent[j / 2];
    for (size_t i = 0; j % 2 == 0 && i < r->entries[j / 2]; i++) {
      guard[count] = ESS_GUARD_UP(r->named[j / 2][i]);
      effect[count++] = r->effect[j / 2][i];
    }
  }
  row_start[2 * r->count] = row_start[2 * r->count + 1] = count;
  const ess_reset_matrix resets = {.row_start = row_start,
                                   .guard = guard,
                                   .effect = effect,
                                   .silent = silent,
                                   .start = rows_start};
  const ess_system system = {
      .dimension = 2, .guard_count = r->count, OF_JACOBIAN(rows), .resets = &resets, .params = r};
  const ess_options options = toy_options(tolerance);
  double x[2] = {0.0, 0.0};
  const toy_end made = toy_succeeds(&system, &options, 0.0, r->end, x);
  const ess_counters *const c = &made.counters;
  const outcome o = {.y = x[1], .crossings = c->crossings, .silent = c->silent};
  return o;
}

/* one of so many */
static size_t draw_one(uint64_t *seed, size_t count) {
  return (size_t)(draw(seed) * (double)count);
}

/* a row's entry: a guard that is armed has to be ahead; a silent one's row latches no other that
 * is seen by the field */
static bool draw_entry(const rows *r, size_t k, uint64_t *seed, size_t *named,
                       signed char *effect) {
  static const signed char effects[] = {1, -1, ESS_ARM_AHEAD};
  *named = draw_one(seed, r->count);
  *effect = effects[draw_one(seed, 3)];
  if (*named == k || (*effect == 1 && *named < k)) return false;
  return !r->silent[k] || *effect == -1 || r->silent[*named] || *named > k;
}

static rows draw_rows(uint64_t *seed) {
  static const size_t counts[] = {3, 4, 6, GUARDS};
  rows r = {.count = counts[draw_one(seed, 4)]};
  const double spacing = 1e-4 * pow(10.0, 2.0 * draw(seed)), jump = pow(10.0, 2.0 * draw(seed));
  const bool has_silent = draw(seed) < 0.5;
  double place = START;
  for (size_t k = 0; k < r.count; k++) {
    r.place[k] = place += spacing * (0.2 + 1.6 * draw(seed));
    r.silent[k] = has_silent && draw(seed) < 0.4;
    r.jump[k] = r.silent[k] ? 0.0 : jump * (0.5 + draw(seed));
    r.off[k] = draw(seed) < 0.3;
  }
  r.end = place + 0.05 * draw(seed);
  for (size_t k = 0; k < r.count; k++)
    for (size_t i = 0; i < ENTRIES; i++) {
      size_t *const at = &r.entries[k];
      if (draw(seed) < 0.5 && draw_entry(&r, k, seed, &r.named[k][*at], &r.effect[k][*at])) ++*at;
    }
  return r;
}

/* error in tolerances; INFINITY where crossings are missing or made up */
static double error_of(rows *r, double tolerance) {
  const outcome truth = walk(r), o = run(r, tolerance);
  if (o.crossings != truth.crossings || o.silent != truth.silent) return INFINITY;
  return fabs(o.y - truth.y) / (tolerance * (1.0 + fabs(truth.y)));
}

/* Guard 1 is armed by guard 0's row, passed, and named by guard 2's row. */
TEST(named_again_after_it_was_passed) {
  rows r = {.count = 3,
            .place = {0.30007, 0.30030, 0.30088},
            .jump = {0.0, 2.98, 0.0},
            .end = 0.35,
            .off = {false, true, false},
            .entries = {1, 0, 1},
            .named = {{1}, {0}, {1}},
            .effect = {{ESS_ARM_AHEAD}, {0}, {ESS_ARM_AHEAD}}};
  for (double tolerance = 1e-2; tolerance > 1e-10; tolerance *= 0.1)
    assert_true(error_of(&r, tolerance) <= WORST);
}

/* Guard 1 is silent; its row disarms guard 3, and guard 2's row disarms itself. */
TEST(silent_and_disarmed_after_it_was_passed) {
  rows r = {.count = 5,
            .place = {0.3, 0.3003, 0.3006, 0.31, 0.3101},
            .jump = {3.0, 0.0, 3.0, 3.0, 3.0},
            .end = 0.35,
            .silent = {[1] = true},
            .entries = {0, 1, 1, 0, 0},
            .named = {{0}, {3}, {1}, {0}, {0}},
            .effect = {{0}, {-1}, {-1}, {0}, {0}}};
  for (double tolerance = 1e-2; tolerance > 1e-10; tolerance *= 0.1)
    assert_true(error_of(&r, tolerance) <= WORST);
}

TEST(rows_drawn_at_random) {
  size_t wrong = 0;
  for (double tolerance = 1e-2; tolerance > 1e-9; tolerance *= 0.01) {
    uint64_t seed = 1;
    for (size_t i = 0; i < SYSTEMS; i++) {
      rows r = draw_rows(&seed);
      const double error = error_of(&r, tolerance);
      if (error <= WORST) continue;
      if (wrong++ < 5) print_error("system %zu at %g: error %g tolerances\n", i, tolerance, error);
    }
  }
  assert_int_equal(wrong, 0);
}
