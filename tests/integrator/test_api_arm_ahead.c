/*
 * Guards armed ahead: which way a foot slides is read from the state when it touches down.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "matrix.h"

/*
 * A point falls onto a spring and slides along it, held by another whose stiffness depends on the
 * direction of sliding. In the air the wind blows, so that it turns where nobody watches its slip.
 */
enum { Z, V, Q, U, STATES };
enum { TOUCH, SLIP, MARK, EVENTS }; /* -z, u, and a height that marks the way down */

typedef struct slider {
  double wind;
  double sign[EVENTS];
  size_t evaluated, told;
} slider;

FIELD(slider_field) {
  const slider *const s = params;
  const bool touches = sign[TOUCH] > 0.0;
  dxdt[Z] = x[V];
  dxdt[V] = -2.0 - (touches ? 50.0 * x[Z] : 0.0);
  dxdt[Q] = x[U];
  dxdt[U] = touches ? -(sign[SLIP] > 0.0 ? 400.0 : 100.0) * x[Q] : s->wind;
}

PLANES(slider, STATES, (-x[Z], x[U], -x[Z]), (0.0, 0.0, -0.2));

SOME_RATES(slider_some) {
  slider *const s = params;
  double all[EVENTS];
  slider_guards(t, x, all, NULL);
  for (size_t i = 0; i < count; i++) {
    h[i] = all[which[i]];
    rate[i] = which[i] == SLIP ? v[U] : -v[Z];
  }
  s->evaluated++;
}

MODE_CHANGED(slider_mode) {
  slider *const s = params;
  s->told += guard == SLIP;
  memcpy(s->sign, sign, sizeof s->sign);
}

/* slip is no candidate in the air */
ARMED_AT_START(in_the_air) {
  armed[ESS_GUARD_UP(SLIP)] = armed[ESS_GUARD_DOWN(SLIP)] = false;
}

/* how slip is armed: always, whatever it does in the air; at touch-down by what the state says or
 * on a side chosen beforehand; at the mark on the way down, which is silent or not */
typedef enum arming { ALWAYS, AHEAD, BEFOREHAND, AT_MARK, AT_SILENT_MARK } arming;

static const ess_reset_matrix *slider_resets(matrix *r, arming how) {
  const bool at_touch = how == AHEAD || how == BEFOREHAND, at_mark = how >= AT_MARK;
  matrix_add(r, ESS_GUARD_UP(TOUCH), ESS_GUARD_DOWN(TOUCH), 1);
  if (at_touch)
    matrix_add(r, ESS_GUARD_UP(TOUCH), ESS_GUARD_DOWN(SLIP), how == AHEAD ? ESS_ARM_AHEAD : 1);
  matrix_add(r, ESS_GUARD_DOWN(TOUCH), ESS_GUARD_UP(TOUCH), 1);
  for (size_t i = 0; how != ALWAYS && i < 2; i++)
    matrix_add(r, ESS_GUARD_DOWN(TOUCH), ESS_GUARD_UP(SLIP) + i, -1);
  matrix_add(r, ESS_GUARD_UP(SLIP), ESS_GUARD_DOWN(SLIP), 1);
  matrix_add(r, ESS_GUARD_DOWN(SLIP), ESS_GUARD_UP(SLIP), 1);
  matrix_add(r, ESS_GUARD_UP(MARK), ESS_GUARD_DOWN(MARK), 1);
  if (at_mark) matrix_add(r, ESS_GUARD_UP(MARK), ESS_GUARD_UP(SLIP), ESS_ARM_AHEAD);
  matrix_add(r, ESS_GUARD_DOWN(MARK), ESS_GUARD_UP(MARK), 1);
  r->silent[ESS_GUARD_UP(MARK)] = r->silent[ESS_GUARD_DOWN(MARK)] = how == AT_SILENT_MARK;
  matrix_end(r);
  if (how != ALWAYS) r->resets.start = in_the_air;
  return &r->resets;
}

static void slide(slider *s, arming how, bool some, ess_options options, double x[STATES]) {
  matrix r = matrix_begin(EVENTS);
  const ess_system system = {.dimension = STATES,
                             .guard_count = EVENTS,
                             OF_JACOBIAN(slider),
                             .some_guard_rates = some ? slider_some : NULL,
                             .mode_changed = slider_mode,
                             .resets = slider_resets(&r, how),
                             .params = s};
  const ess_options checked = options;
  assert_null(ess_check(&system, &checked));
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  matrix_free(&r);
  double t = 0.0;
  assert_int_equal(ess_driver_apply(d, &t, 8.0, x), ESS_SUCCESS);
  assert_memory_equal(s->sign, ess_driver_sign(d), sizeof s->sign);
  ess_driver_free(d);
}

static ess_options precise(bool paper) {
  ess_options options = paper ? ess_options_paper() : ess_options_default();
  options.rtol = options.atol = 1e-11;
  options.epsilon = 1e-7;
  return options;
}

TEST(slip_is_read_from_the_state) {
  static const double winds[] = {-0.7, 0.4, 1.1};
  for (int i = 0; i < 3 * 2 * 2; i++) {
    slider s = {.wind = winds[i % 3]};
    const bool paper = i / 3 % 2, some = i / 6;
    const double start[STATES] = {0.5, 0.0, 0.1, s.wind > 0.0 ? -0.3 : 0.3};
    double expected[STATES], x[STATES], wrong[STATES];
    memcpy(expected, start, sizeof x);
    slide(&s, ALWAYS, false, precise(false), expected);
    const arming ways[] = {AHEAD, AT_MARK, AT_SILENT_MARK};
    for (int k = 0; k < 3; k++) {
      memcpy(x, start, sizeof x);
      slide(&s, ways[k], some, precise(paper), x);
      if (toy_apart(x, expected, STATES) > 2e-6)
        fail_msg("%d %d: %g", i, k, toy_apart(x, expected, STATES));
    }
    memcpy(wrong, start, sizeof x);
    slide(&s, BEFOREHAND, some, precise(paper), wrong);
    assert_true(toy_apart(wrong, expected, STATES) > 1e-3);
  }
}

/* ---- on its zero ----------------------------------------------------------------------------- */

typedef struct first_touch {
  bool seen;
  double slip;
} first_touch;

ON_CROSSING(see_touch) {
  first_touch *const f = context;
  if (info->guard == TOUCH && !f->seen) *f = (first_touch){true, info->sign[SLIP]};
}

TEST(on_its_zero_the_field_decides) {
  for (int i = 0; i < 12; i++) {
    // it does not slide until the spring, stretched one way or the other or not at all, moves it
    slider s = {.wind = 0.0};
    first_touch touch = {0};
    const double stretch = i % 3 - 1.0;
    double x[STATES] = {0.5, 0.0, stretch, 0.0};
    ess_options options = precise(i / 3 % 2);
    options.observer = (ess_observer){.crossing = see_touch, .context = &touch};
    slide(&s, AHEAD, i / 6, options, x);
    assert_true(touch.seen && touch.slip == (stretch > 0.0 ? -1.0 : 1.0));
    assert_true(stretch == 0.0 || s.told > 0);
    assert_true(s.evaluated == 0 || i / 6);
  }
}

/* ---- the row of the empty pool --------------------------------------------------------------- */

ARMED_AT_START(none) {
  for (size_t j = 0; j < 2 * EVENTS; j++) armed[j] = false;
}

TEST(an_empty_pool_is_filled_on_either_side) {
  for (int i = 0; i < 4; i++) {
    const bool paper = i & 1, one_way = i / 2;
    slider s = {.wind = 0.4};
    matrix r = matrix_begin(EVENTS);
    for (size_t k = 0; k < EVENTS; k++) matrix_add(&r, r.guards, ESS_GUARD_DOWN(k), ESS_ARM_AHEAD);
    matrix_end(&r);
    r.resets.start = none;
    const ess_system system = {.dimension = STATES,
                               .guard_count = EVENTS,
                               OF_JACOBIAN(slider),
                               .mode_changed = slider_mode,
                               .one_way = one_way,
                               .resets = &r.resets,
                               .params = &s};
    toy_log log;
    ess_options options = precise(paper);
    options.observer = toy_observer(&log);
    options.h_max = 0.01;
    // below the mark, sliding forward: both are armed from above, unless they are one-way
    double x[STATES] = {0.15, 3.0, 0.0, -0.002};
    toy_succeeds(&system, &options, 0.0, 0.1, x);
    assert_int_equal(log.count, one_way ? 1 : 2);
    assert_int_equal(log.guard[0], SLIP);
    if (!one_way) assert_true(log.guard[1] == MARK && log.direction[1] == -1);
    matrix_free(&r);
  }
}

/* ---- refusals -------------------------------------------------------------------------------- */

TEST(what_is_crossed_is_not_armed_ahead) {
  slider s = {0};
  const ess_options options = ess_options_default();
  for (size_t row = 0; row <= 2 * EVENTS; row++) {
    matrix r = matrix_begin(EVENTS);
    matrix_add(&r, row, ESS_GUARD_UP(SLIP), ESS_ARM_AHEAD);
    const ess_system system = {.dimension = STATES,
                               .guard_count = EVENTS,
                               OF_JACOBIAN(slider),
                               .resets = matrix_end(&r),
                               .params = &s};
    const char *const said = ess_check(&system, &options);
    if (row / 2 == SLIP)
      assert_string_equal(said, "ESS_ARM_AHEAD must not name the event function that is crossed");
    else
      assert_null(said);
    matrix_free(&r);
  }
}
