/*
 * Where slides begin and end otherwise than by a weight at its bound: what is not unique, what is
 * refused, surfaces that are curved, crossed, left or held several at once.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "slide_log.h"

/* ---- one state, one surface ------------------------------------------------------------------ */

FIELD(sign_field) {
  dxdt[0] = *(const double *)params * sign[0];
}

PLANES(sign, 1, (x[0]), (0.0));

static ess_system sign_system(double *factor) {
  return (ess_system){.dimension = 1, .guard_count = 1, OF_JACOBIAN(sign), .params = factor};
}

TEST(a_start_that_is_repelled_is_refused) {
  slides log;
  double away = 1.0, back = -1.0, x[] = {0.0};
  const ess_options options = sliding(1e-8, &log);
  ess_system system = sign_system(&away);
  const toy_end end = toy_run(&system, &options, 0.0, 1.0, x);
  assert_int_equal(end.status, ESS_ESLIDING);
  assert_int_equal(end.failure.guard, 0);
  assert_non_null(end.failure.reason);
  assert_true(x[0] == 0.0 && end.failure.time == 0.0);
  // where nobody asks for slides, too
  const ess_options none = ess_options_default();
  assert_int_equal(toy_run(&system, &none, 0.0, 1.0, x).status, ESS_ESLIDING);
  // backward the other one is
  system = sign_system(&back);
  toy_succeeds(&system, &options, 0.0, 1.0, x);
  assert_int_equal(log.count, 1);
  assert_int_equal(toy_run(&system, &options, 0.0, -1.0, x).status, ESS_ESLIDING);
  // and slides where forward it does not
  system = sign_system(&away);
  x[0] = -0.25;
  toy_succeeds(&system, &options, 0.0, -1.0, x);
  assert_true(fabs(x[0]) < 1e-15);
  assert_int_equal(log.count, 2);
  assert_true(fabs(log.time[1] + 0.25) < 1e-12);
}

TEST(a_sliding_run_does_not_turn_around) {
  slides log;
  double back = -1.0, t = 0.0, x[] = {0.5};
  const ess_options options = sliding(1e-8, &log);
  const ess_system system = sign_system(&back);
  size_t count;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
  assert_int_equal(ess_driver_sliding(d, &count)[0], 0);
  assert_int_equal(count, 1);
  assert_int_equal(ess_driver_apply(d, &t, 0.0, x), ESS_ESLIDING);
  assert_true(t == 1.0 && fabs(x[0]) < 1e-15);
  assert_int_equal(ess_driver_apply(d, &t, 2.0, x), ESS_SUCCESS);
  // from another state it slides no more
  x[0] = -0.5;
  assert_int_equal(ess_driver_apply(d, &t, 2.25, x), ESS_SUCCESS);
  assert_true(fabs(x[0] + 0.25) < 1e-12);
  (void)ess_driver_sliding(d, &count);
  assert_int_equal(count, 0);
  ess_driver_free(d);
}

/* x' = drive - s */
FIELD(driven_field) {
  dxdt[0] = *(const double *)params - sign[0];
}

/* between two applies a caller may change what drives it: from there on it is not held */
TEST(a_drive_that_changes_between_applies_takes_it_off) {
  const double drives[] = {2.0, -2.0, 1.0 + 1e-7, 0.9, -1.0 - 1e-9};
  for (size_t i = 0; i < sizeof drives / sizeof *drives; i++) {
    slides log;
    double drive = 0.5, t = 0.0, x[] = {0.25};
    const ess_options options = sliding(1e-8, &log);
    ess_system system = sign_system(&drive);
    system.field = driven_field;
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
    assert_int_equal(log.count, 1);
    drive = drives[i];
    const bool held = fabs(drive) <= 1.0;
    assert_int_equal(ess_driver_apply(d, &t, 2.0, x), ESS_SUCCESS);
    assert_true(fabs(x[0] - (held ? 0.0 : drive - copysign(1.0, drive))) < 1e-12);
    assert_int_equal(log.count, held ? 1 : 2);
    if (!held) assert_true(log.begins[1] == -1 && log.time[1] == 1.0);
    ess_driver_free(d);
  }
}

/* x' = 0.3 - s, which slides from 0.2 / 1.3 on, and y' = 1, which is crossed at 3: from half-time
 * on one of their event functions is no number, or its rate */
typedef struct broken {
  size_t guard;
  bool of_rate;
} broken;

static const double BREAKS = 0.5;

FIELD(broken_field) {
  dxdt[0] = 0.3 - sign[0];
  dxdt[1] = 1.0;
}

GUARDS(broken_guards) {
  const broken *const b = params;
  h[0] = x[0];
  h[1] = x[1] - 3.0;
  if (!b->of_rate && t > BREAKS) h[b->guard] = NAN;
}

GUARD_JACOBIAN(broken_jacobian) {
  const broken *const b = params;
  const double by[] = {1.0, 0.0, 0.0, 1.0};
  memcpy(Dh, by, sizeof by);
  if (b->of_rate && t > BREAKS) Dh[3 * b->guard] = NAN;
}

/* the value of what is slid on is not needed to slide on, and yet nothing is held there any more */
TEST(an_event_function_that_is_no_number_while_it_is_slid_on_is_named) {
  static const struct {
    broken b;
    bool differs;
  } rows[] = {{{0, false}, false}, {{0, false}, true}, {{0, true}, false},
              {{1, false}, false}, {{1, false}, true}, {{1, true}, false}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    slides log;
    broken b = rows[i].b;
    const ess_options options = sliding(1e-8, &log);
    const ess_system system = {.dimension = 2,
                               .guard_count = 2,
                               OF(broken),
                               .guard_jacobian = rows[i].differs ? NULL : broken_jacobian,
                               .params = &b};
    const double times[] = {0.25, 0.75, 1.75};
    double t = 0.0, x[] = {0.2, 0.0}, samples[6] = {[2] = 7.0, [4] = 7.0};
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    assert_int_equal(ess_driver_sample(d, &t, 2.0, x, times, 3, samples), ESS_EGUARD);
    assert_int_equal(ess_driver_failure(d)->guard, b.guard);
    assert_int_equal(log.count, 1);
    assert_true(fabs(t - BREAKS) < 1e-9 && fabs(ess_driver_failure(d)->time - BREAKS) < 1e-9);
    assert_true(fabs(x[0]) < 1e-9 && fabs(x[1] - t) < 1e-9);
    assert_true(samples[2] == 7.0 && samples[4] == 7.0);
    ess_driver_free(d);
  }
}

TEST(what_may_not_slide_is_refused) {
  slides log;
  double back = -1.0;
  ess_options options = sliding(1e-8, &log);
  ess_system system = sign_system(&back);
  const bool asked[] = {true};
  assert_null(ess_check(&system, &options));
  options.slides = asked;
  assert_null(ess_check(&system, &options));
  const bool silent[] = {false, true};
  const size_t row_start[] = {0, 1, 2, 2}, guard[] = {1, 0};
  const signed char effect[] = {1, 1};
  const ess_reset_matrix rows = {
      .row_start = row_start, .guard = guard, .effect = effect, .silent = silent};
  system.resets = &rows;
  assert_string_equal(ess_check(&system, &options),
                      "a guard that is silent must not be among those of slides");
  options.slides = NULL;
  assert_null(ess_check(&system, &options));
  options.slides = asked;
  system = sign_system(&back);
  system.one_way = true;
  assert_string_equal(ess_check(&system, &options), "slides must be NULL where guards are one-way");
  system = sign_system(&back);
  options.method = ESS_METHOD_PAPER;
  assert_string_equal(ess_check(&system, &options), "sliding needs ESS_METHOD_TOLERANCE");
  options.method = ESS_METHOD_TOLERANCE;
  options.sliding = (ess_sliding)7;
  assert_string_equal(ess_check(&system, &options),
                      "sliding must be ESS_SLIDING_NONE or ESS_SLIDING_FILIPPOV");
}

/* one that is not to slide ends the run as without the option */
TEST(one_that_is_not_asked_ends_the_run) {
  slides log;
  double back = -1.0, x[] = {0.5};
  const bool none[] = {false};
  ess_options options = sliding(1e-8, &log);
  options.slides = none;
  const ess_system system = sign_system(&back);
  assert_int_equal(toy_run(&system, &options, 0.0, 1.0, x).status, ESS_ESLIDING);
  assert_int_equal(log.count, 0);
}

/* ---- a two-fold ------------------------------------------------------------------------------ */

/* both sides point along the surface z = 0 where x = y = 0 */
FIELD(fold_field) {
  dxdt[0] = dxdt[1] = -1.0;
  dxdt[2] = sign[0] < 0.0 ? x[0] : -x[1];
}

PLANES(fold, 3, (x[2]), (0.0));

TEST(a_two_fold_ends_the_run) {
  for (int digits = 3; digits <= 10; digits++) {
    slides log;
    double x[] = {1.0, 1.0, 0.0};
    const ess_options options = sliding(pow(10.0, -digits), &log);
    const ess_system system = {.dimension = 3, .guard_count = 1, OF_JACOBIAN(fold)};
    const toy_end end = toy_run(&system, &options, 0.0, 2.0, x);
    assert_int_equal(end.status, ESS_ESLIDING);
    assert_true(fabs(end.failure.time - 1.0) < 1e-9 && fabs(x[0]) < 1e-9 && x[2] == 0.0);
    assert_non_null(end.failure.reason);
  }
}

/* ---- a body on feet that are all the same ---------------------------------------------------- */

typedef struct feet {
  size_t count;
  double friction[8];
} feet;

FIELD(feet_field) {
  const feet *const p = params;
  dxdt[0] = x[1];
  dxdt[1] = -x[0] + cos(0.4 * t);
  for (size_t k = 0; k < p->count; k++) dxdt[1] -= p->friction[k] * sign[k];
}

PLANES_EACH(feet, 2, AS(feet)->count, x[1], 0.0);

TEST(feet_that_are_redundant_move_as_one) {
  feet all[] = {
      {1, {0.6}}, {2, {0.3, 0.3}}, {3, {0.1, 0.2, 0.3}}, {6, {0.1, 0.1, 0.1, 0.1, 0.1, 0.1}}};
  for (int i = 0; i < 4; i++) {
    slides log;
    double x[] = {0.3, 0.5};
    const ess_options options = sliding(1e-10, &log);
    const ess_system system = {
        .dimension = 2, .guard_count = all[i].count, OF_JACOBIAN(feet), .params = &all[i]};
    const toy_end made = toy_run(&system, &options, 0.0, 40.0, x);
    if (made.status || fabs(x[0] + 1.02750686834) > 1e-9)
      fail_msg("%zu feet: %s at %.12g, guards %zu %zu, x %.12g, %zu slides", all[i].count,
               ess_strerror(made.status), made.failure.time, made.failure.guard,
               made.failure.other_guard, x[0], log.count);
    // all of them begin at once, and end so
    assert_int_equal(log.count, 11 * all[i].count);
    for (size_t k = 0; k < log.count && k < SLIDES_MOST; k++) {
      const double first = log.time[k - k % all[i].count];
      assert_true(fabs(log.time[k] - first) < 1e-9);
    }
  }
}

/* ---- a tolerance that is relative alone ----------------------------------------------------- */

/* a block with dry friction that a force shakes, and what decays beside it */
typedef struct shaken {
  double stiffness, friction, force;
} shaken;

FIELD(shaken_field) {
  const shaken *const p = params;
  dxdt[0] = x[1];
  dxdt[1] = -p->stiffness * x[0] - p->friction * sign[0] + p->force * sin(1.1 * t);
  dxdt[2] = -2.0 * x[2];
}

PLANES(shaken, 3, (x[1]), (0.0));

/* Outcome: as with an absolute tolerance beside it, from rest at zero, too; and what does not slide
 * keeps its digits however small it becomes, before and after a reset. */
TEST(a_relative_tolerance_alone) {
  const shaken cases[] = {{1.0, 0.2, 0.8}, {2.6, 0.7, 0.8}, {1.8, 0.4, 0.0}, {1.0, 0.6, 0.5}};
  const double starts[][3] = {{1.0, 0.2, 1.0}, {0.0, 0.0, 1.0}, {0.0, 0.3, 1.0}, {1.0, 0.0, 1.0}};
  const ess_base bases[] = {ESS_BASE_DOPRI5, ESS_BASE_RODAS};
  enum { CASES = sizeof cases / sizeof *cases, STARTS = 4, END = 12 };
  for (int i = 0; i < CASES * STARTS * 2; i++)
    for (double rtol = 1e-3; rtol > 1e-9; rtol *= 1e-2) {
      shaken of = cases[i / STARTS % CASES];
      slides log;
      double x[2][3];
      for (int alone = 0; alone < 2; alone++) {
        ess_options options = sliding(rtol, &log);
        options.base = bases[i / STARTS / CASES];
        if (alone) options.atol = 0.0;
        const ess_system system = {
            .dimension = 3, .guard_count = 1, OF_JACOBIAN(shaken), .params = &of};
        ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
        assert_non_null(d);
        for (int again = 0; again < 1 + alone; again++) {
          double t = 0.0, before[3];
          memcpy(before, x[alone], sizeof before);
          memcpy(x[alone], starts[i % STARTS], sizeof *x);
          const int status = ess_driver_apply(d, &t, END, x[alone]);
          if (status) fail_msg("%d at %g: %s at %g", i, rtol, ess_strerror(status), t);
          if (again) assert_memory_equal(x[alone], before, sizeof before);
          ess_driver_reset(d);
        }
        ess_driver_free(d);
      }
      for (size_t l = 0; l < 2; l++)
        if (!(fabs(x[1][l] - x[0][l]) <= 100.0 * rtol))
          fail_msg("%d at %g: x[%zu] is %g, not %g", i, rtol, l, x[1][l], x[0][l]);
      assert_true(fabs(x[1][2] * exp(2.0 * END) - 1.0) <= 100.0 * rtol);
    }
}

/* ---- event functions with the same zeros ------------------------------------------------------
 */

/* a block on a belt and one on it, with dry friction; two more event functions have the same zeros
 * and change nothing */
typedef struct blocks {
  double stiffness, friction, belt, force, frequency, factor; // of the two more
} blocks;

FIELD(blocks_field) {
  const blocks *const p = params;
  dxdt[0] = x[1];
  dxdt[1] = -p->stiffness * x[0] + p->force * sin(p->frequency * t) - p->friction * sign[0];
  dxdt[2] = x[3];
  dxdt[3] = -2.0 * p->stiffness * (x[2] - x[0]) - 0.5 * p->friction * sign[1];
}

GUARDS(blocks_guards) {
  const blocks *const p = params;
  h[0] = x[1] - p->belt;
  h[1] = x[3] - x[1];
  if (p->factor == 0.0) return;
  h[2] = p->factor * h[0];
  h[3] = p->factor * h[1];
}

/* Outcome: what has the zeros of what is slid on costs few steps, and changes nothing, though
 * rounding takes it to either side; nor does a state that leaves with RODAS's shortest steps. */
TEST(copies_of_what_is_slid_on_cost_little) {
  const struct {
    ess_base base;
    double tolerance;
    blocks of;
  } cases[] = {{ESS_BASE_DOPRI5, 1e-6, {1.5, 0.8, 0.28, 0.6, 1.74, 1.0}},
               {ESS_BASE_DOPRI5, 1e-5, {1.5, 2.9, 0.28, 0.3, 1.74, -1.0}},
               {ESS_BASE_RKC, 1e-6, {5.0, 1.4, 0.42, 0.0, 4.33, 1.0}},
               {ESS_BASE_CHOSEN, 1e-6, {1.5, 0.8, 0.28, 0.6, 1.74, -1.0}},
               {ESS_BASE_RODAS, 1e-7, {1.0, 1.4, 0.35, 0.0, 1.37, 1.0}},
               {ESS_BASE_RODAS, 1e-8, {2.0, 2.9, 0.35, 0.3, 2.11, 1.0}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    slides log[2];
    double x[2][4];
    toy_end made[2];
    for (int copied = 0; copied < 2; copied++) {
      blocks of = cases[i].of;
      if (!copied) of.factor = 0.0;
      ess_options options = sliding(cases[i].tolerance, &log[copied]);
      options.base = cases[i].base;
      const ess_system system = {
          .dimension = 4, .guard_count = copied ? 4 : 2, OF(blocks), .params = &of};
      memcpy(x[copied], ((const double[]){1.0, 0.0, -0.3, 0.4}), sizeof *x);
      made[copied] = toy_succeeds(&system, &options, 0.0, 10.0, x[copied]);
    }
    double off = 0.0;
    for (size_t j = 0; j < 4; j++) off = fmax(off, fabs(x[1][j] - x[0][j]) / cases[i].tolerance);
    if (!(made[1].counters.steps < 4 * made[0].counters.steps && off < 100.0))
      fail_msg("case %zu: %d steps in place of %d, off by %g tolerances", i,
               (int)made[1].counters.steps, (int)made[0].counters.steps, off);
  }
}

/* ---- a slide that does not end --------------------------------------------------------------- */

FIELD(rest_field) {
  dxdt[0] = x[1];
  dxdt[1] = -x[0] - 0.6 * sign[0];
}

PLANES(speed, 2, (x[1]), (0.0));

TEST(rest_costs_nothing) {
  slides log;
  double x[] = {0.3, 0.0};
  const ess_options options = sliding(1e-8, &log);
  const ess_system system = {.dimension = 2,
                             .guard_count = 1,
                             .field = rest_field,
                             .guards = speed_guards,
                             .guard_jacobian = speed_jacobian};
  const toy_end end = toy_succeeds(&system, &options, 0.0, 1e6, x);
  assert_true(x[0] == 0.3 && x[1] == 0.0);
  assert_true(end.counters.field_evaluations < 1000);
  assert_int_equal(end.counters.slides, 1);
}

/* ---- a crossing while sliding ---------------------------------------------------------------- */

/* a block that a belt carries is pulled harder from x = 1 on: it lets go at once, or not */
FIELD(carried_field) {
  dxdt[0] = x[1];
  dxdt[1] = (sign[1] > 0.0 ? *(const double *)params : 0.5) - sign[0];
}

PLANES(carried, 2, (x[1], x[0]), (0.5, 1.0));

TEST(a_crossing_may_end_a_slide) {
  const double pulls[] = {-3.0, -1.5, -0.5, 0.9, 1.1, 2.0};
  for (int i = 0; i < 6; i++) {
    slides log;
    double pull = pulls[i], x[] = {0.0, 0.5};
    const ess_options options = sliding(1e-10, &log);
    const ess_system system = {
        .dimension = 2, .guard_count = 2, OF_JACOBIAN(carried), .params = &pull};
    const double T = 2.3, since = T - 2.0;
    toy_succeeds(&system, &options, 0.0, T, x);
    const double rest = fabs(pull) > 1.0 ? pull - (pull > 0.0 ? 1.0 : -1.0) : 0.0;
    assert_int_equal(log.count, rest == 0.0 ? 1 : 2);
    if (rest != 0.0) assert_true(fabs(log.time[1] - 2.0) < 1e-9);
    if (fabs(x[1] - (0.5 + rest * since)) > 1e-9 ||
        fabs(x[0] - (1.0 + 0.5 * since + 0.5 * rest * since * since)) > 1e-9)
      fail_msg("pull %g: %.12g %.12g", pull, x[0], x[1]);
  }
}

/* ---- a curved surface ------------------------------------------------------------------------ */

FIELD(round_field) {
  dxdt[0] = -x[1] - sign[0] * x[0] + 0.3;
  dxdt[1] = x[0] - sign[0] * x[1];
}

GUARDS(round_guards) {
  h[0] = x[0] * x[0] + x[1] * x[1] - 1.0;
}

GUARD_JACOBIAN(round_jacobian) {
  Dh[0] = 2.0 * x[0];
  Dh[1] = 2.0 * x[1];
}

/* along the circle the angle has a' = 1 - 0.3 sin a, whose period is 2 pi / sqrt(1 - 0.09) */
TEST(a_curved_surface_is_not_left) {
  const double period = 2.0 * 3.14159265358979323846 / sqrt(1.0 - 0.09);
  for (int digits = 4; digits <= 10; digits++)
    for (int rates = 0; rates < 2; rates++) {
      slides log;
      const double tolerance = pow(10.0, -digits);
      double x[] = {1.0, 0.0};
      const ess_options options = sliding(tolerance, &log);
      const ess_system system = {.dimension = 2,
                                 .guard_count = 1,
                                 OF(round),
                                 .guard_jacobian = rates ? NULL : round_jacobian};
      toy_succeeds(&system, &options, 0.0, 20.0 * period, x);
      assert_int_equal(log.count, 1);
      if (fabs(hypot(x[0], x[1]) - 1.0) > tolerance || fabs(x[1]) > 1e3 * tolerance)
        fail_msg("1e-%d: %.12g %.12g", digits, x[0], x[1]);
    }
}

/* ---- observers, pieces and models that follow the mode --------------------------------------- */

typedef struct followed {
  double sign;
  size_t wrong;
} followed;

FIELD(followed_field) {
  followed *const p = params;
  p->wrong += p->sign != sign[0];
  dxdt[0] = x[1];
  dxdt[1] = -x[0] + cos(0.4 * t) - 0.6 * p->sign;
}

MODE_CHANGED(follow_mode) {
  followed *const p = params;
  p->sign = sign[0];
}

TEST(it_may_stop_and_go_on) {
  slides log;
  followed p = {0};
  ess_options options = sliding(1e-10, &log);
  const ess_system system = {.dimension = 2,
                             .guard_count = 1,
                             .field = followed_field,
                             .guards = speed_guards,
                             .guard_jacobian = speed_jacobian,
                             .mode_changed = follow_mode,
                             .params = &p};
  double whole[] = {0.3, 0.5}, x[] = {0.3, 0.5}, t = 0.0, at[2];
  toy_succeeds(&system, &options, 0.0, 10.0, whole);
  assert_int_equal(p.wrong, 0);
  log = (slides){.stop_at = 2};
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  for (int piece = 1; piece <= 40; piece++) {
    const double until = 0.25 * piece;
    int status = ess_driver_apply(d, &t, until, x);
    if (status == ESS_ESTOP) {
      assert_true(fabs(t - 3.26114449069) < 1e-8);
      status = ess_driver_apply(d, &t, until, x);
    }
    assert_int_equal(status, ESS_SUCCESS);
    const double middle = 0.5 * (ess_driver_step_start(d) + t);
    assert_int_equal(ess_driver_dense(d, middle, at), ESS_SUCCESS);
    if (middle > 1.7 && middle < 3.2) assert_true(fabs(at[1]) < 1e-9);
  }
  assert_true(fabs(x[0] - whole[0]) < 1e-9 && fabs(x[1] - whole[1]) < 1e-9);
  assert_int_equal(log.count, 3);
  assert_int_equal(p.wrong, 0);
  ess_driver_free(d);
}

/* ---- an impact while sliding ----------------------------------------------------------------- */

/* a block that a belt carries hits a wall at x = 1, which moves away as fast as the belt's half:
 * it comes back at a part of its speed, is slowed, and carried again */
FIELD(walled_field) {
  dxdt[0] = x[1];
  dxdt[1] = -sign[0];
}

PLANES(walled, 2, (x[1], -x[0]), (0.5, -1.0));

static const bool at_the_wall[] = {false, false, true, true};

static ess_system walled_system(const ess_impacts *impacts, double *factor) {
  return (ess_system){
      .dimension = 2, .guard_count = 2, OF_JACOBIAN(walled), .impacts = impacts, .params = factor};
}

IMPACT_MAP_CODE(bounce) {
  impact->after[1] *= *(const double *)params;
  return toy_stays_above(impact, 1);
}

TEST(an_impact_ends_the_slides_it_touches) {
  const ess_impacts impacts = {.at = at_the_wall, .map = bounce};
  slides log;
  double factor = -1.0, x[] = {0.0, 0.5};
  const ess_options options = sliding(1e-10, &log);
  const ess_system system = walled_system(&impacts, &factor);
  // from the wall it comes back to the wall, ever more so: at -0.5 + (t - 2) until it is 0.5 again
  toy_succeeds(&system, &options, 0.0, 2.9, x);
  assert_int_equal(log.count, 2);
  assert_true(log.begins[1] == -1 && fabs(log.time[1] - 2.0) < 1e-9);
  assert_true(fabs(x[1] - 0.4) < 1e-9 && fabs(x[0] - (1.0 - 0.5 * 0.9 + 0.5 * 0.81)) < 1e-9);
}

/* the wall puts the block back, as fast as the belt: its slide goes on, without a report */
IMPACT_MAP_CODE(put_back) {
  impact->after[0] = 0.5;
  return toy_stays_above(impact, 1);
}

TEST(an_impact_along_the_surface_leaves_the_slide) {
  const ess_impacts impacts = {.at = at_the_wall, .map = put_back};
  slides log;
  double factor = 0.0, x[] = {0.0, 0.5};
  const ess_options options = sliding(1e-10, &log);
  const ess_system system = walled_system(&impacts, &factor);
  toy_succeeds(&system, &options, 0.0, 2.5, x);
  assert_int_equal(log.count, 1);
  assert_true(fabs(x[1] - 0.5) < 1e-9 && fabs(x[0] - 0.75) < 1e-9);
}

/* the wall puts the block back, faster than the belt */
IMPACT_MAP_CODE(throw_back) {
  impact->after[0] = 0.5;
  impact->after[1] = 0.9;
  return toy_stays_above(impact, 1);
}

/* It is not on the belt's speed, to which friction brings it back: it had slid from there on, 0.4
 * off the surface. */
TEST(what_an_impact_carries_past_a_surface_does_not_slide_off_it) {
  const ess_impacts impacts = {.at = at_the_wall, .map = throw_back};
  slides log;
  double factor = 0.0, x[] = {0.95, 0.1};
  const ess_options options = sliding(1e-10, &log);
  const ess_system system = walled_system(&impacts, &factor);
  const double hit = sqrt(0.11) - 0.1;
  toy_succeeds(&system, &options, 0.0, hit + 0.25, x);
  assert_int_equal(log.count, 0);
  assert_true(fabs(x[1] - 0.65) < 1e-9);
  toy_succeeds(&system, &options, hit + 0.25, hit + 0.5, x);
  assert_int_equal(log.count, 1);
  assert_true(fabs(log.time[0] - (hit + 0.4)) < 1e-9 && fabs(x[1] - 0.5) < 1e-9);
}

/* ---- surfaces that move, and rates by differences -------------------------------------------- */

/* friction on a belt whose speed is 0.5 sin t: carried while cos t is small enough */
FIELD(moving_field) {
  dxdt[0] = -0.4 * sign[0];
}

GUARDS(moving_guards) {
  h[0] = x[0] - 0.5 * sin(t);
}

TEST(surfaces_may_move) {
  for (int way = 0; way < 3; way++) {
    slides log;
    double x[] = {0.0};
    const ess_options options = sliding(1e-10, &log);
    const ess_system system = {.dimension = 1,
                               .guard_count = 1,
                               OF(moving),
                               .guard_jacobian = way == 1 ? sign_jacobian : NULL,
                               .guards_move = true};
    const int status = toy_run(&system, &options, 0.0, 6.0, x).status;
    if (status) fail_msg("%s at way %d", ess_strerror(status), way);
    // 0.4 t until 0.5 sin t comes down to it, carried until 0.5 cos t = -0.4, behind it then
    double meets = 1.2;
    for (int i = 0; i < 50; i++)
      meets -= (0.5 * sin(meets) - 0.4 * meets) / (0.5 * cos(meets) - 0.4);
    const double leaves = acos(-0.8);
    assert_int_equal(log.begins[0], 1);
    if (fabs(log.time[0] - meets) > 1e-8 || fabs(log.time[1] - leaves) > 1e-8)
      fail_msg("way %d: %.12g to %.12g, not %.12g to %.12g", way, log.time[0], log.time[1], meets,
               leaves);
  }
}

/* x' = 2 t^2 - 1 - s on x = 2 - t^3: the weight, 5/2 t^2, begins at its bound */
FIELD(bound_field) {
  dxdt[0] = 2.0 * t * t - 1.0 - sign[0];
}

GUARDS(bound_guards) {
  (void)params;
  h[0] = x[0] - (2.0 - t * t * t);
}

/* differences have noise, which is no reason to halve a step */
TEST(a_weight_at_its_bound_by_differences) {
  (void)state;
  ess_options options = ess_options_default();
  options.sliding = ESS_SLIDING_FILIPPOV;
  options.rtol = options.atol = 4.2015665910716393e-09;
  options.max_steps = 1000;
  const ess_system system = {.dimension = 1, .guard_count = 1, OF(bound), .guards_move = true};
  double x[1] = {2.0};
  const toy_end end = toy_succeeds(&system, &options, 0.0, 1.3905484598965145, x);
  // from the weight's other bound on, where 5 t^2 = 2, x' = 2 t^2 - 2
  const double leaves = sqrt(0.4), its = 2.0 - leaves * leaves * leaves;
  const double since = 2.0 / 3.0 * (pow(end.t, 3) - pow(leaves, 3)) - 2.0 * (end.t - leaves);
  assert_true(fabs(x[0] - (its + since)) < 1e-7);
}
