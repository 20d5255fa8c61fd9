/*
 * Guards that are touched, and not crossed, as far as the tolerance tells: trajectories beside the
 * one that is followed cross them twice, or not at all. Where that changes the field there is no
 * derivative.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ess_tangents.h"
#include "matrix.h"
#include "toy.h"

/* p'' = -2 from -1 and the speed 2: its top is at time 1, and so much beyond 0. Above 0 a third
 * state, which grows at the rate 1, grows faster by so much; or p is pushed back in proportion, and
 * damped. */
enum { P, V, Y, STATES, BYTES = 1 << 20 };

typedef struct top {
  double beyond, jump, spring, damping;
} top;

FIELD(throw_up_field) {
  const top *const p = params;
  const bool above = sign[0] > 0.0;
  dxdt[P] = x[V];
  dxdt[V] = -2.0 - (above ? p->spring * (x[P] + p->beyond) + p->damping * x[V] : 0.0);
  dxdt[Y] = 1.0 + (above ? p->jump : 0.0);
}

PLANES(height, STATES, (x[P]), (-AS(top)->beyond));

PLANES(far_above, STATES, (x[P]), (100.0));

typedef struct outcome {
  int status;
  double Dy, time; /* by where p starts; and when the run failed */
  ess_smooth kind;
} outcome;

/* the run to time 2.5, followed and recorded; where the height is only watched another
 * guard, which is far, has its field */
static outcome throw(top p, double tolerance, double h_max, bool watches) {
  outcome o = {0};
  ess_system system = {.dimension = STATES,
                       .guard_count = 1,
                       .field = throw_up_field,
                       .guards = watches ? far_above_guards : height_guards,
                       .guard_rates = watches ? far_above_rates : height_rates,
                       .params = &p};
  if (watches) system.watch = (ess_watch){.count = 1, .values = height_guards};
  ess_options options = toy_options(tolerance);
  options.h_max = h_max;
  for (int records = 0; records < 2; records++) {
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double t = 0.0, x[STATES] = {-1.0, 2.0}, start[STATES];
    const double of_y[STATES] = {[Y] = 1.0};
    assert_int_equal(records ? ess_driver_record(d, BYTES) : ess_driver_follow(d, STATES, NULL),
                     ESS_SUCCESS);
    o.status = ess_driver_apply(d, &t, 2.5, x);
    if (records) {
      assert_int_equal(ess_driver_adjoint(d, 1, of_y, start, NULL), o.status);
      if (!o.status) assert_true(fabs(start[P] - o.Dy) <= 1e-6 * (1.0 + fabs(o.Dy)));
    } else if (o.status) {
      o.time = ess_driver_failure(d)->time;
      assert_int_equal(ess_driver_failure(d)->guard, 0);
    } else {
      o.Dy = ess_driver_tangent(d)[Y * STATES + P];
      o.kind = ess_driver_smoothness(d)->kind;
    }
    ess_driver_free(d);
  }
  return o;
}

static const double touches[] = {0.0, 1e-16, -1e-16, 1e-14, -1e-14, 1e-12, -1e-12};
static const double lengths[] = {INFINITY, 0.7, 0.25, 0.125, 0.1, 0.03};
enum { TOUCHES = sizeof touches / sizeof *touches, LENGTHS = sizeof lengths / sizeof *lengths };

TEST(a_touch_that_changes_the_field_has_no_derivative) {
  for (int i = 0; i < TOUCHES; i++)
    for (int j = 0; j < LENGTHS; j++)
      for (double jump = -0.5; jump < 100.0; jump = jump < 0.0 ? 1e-3 : 10.0 * jump) {
        const outcome o = throw((top){touches[i], jump, 0.0, 0.0}, 1e-8, lengths[j], false);
        if (o.status != ESS_EGRAZING)
          fail_msg("%g beyond, h_max %g, jump %g: status %d, Dy %g", touches[i], lengths[j], jump,
                   o.status, o.Dy);
        assert_true(fabs(o.time - 1.0) < 1e-4);
      }
}

/* a spring, and a damper, that take hold where the guard is do nothing at a touch */
TEST(one_that_does_not_has_its_own) {
  for (int i = 0; i < TOUCHES; i++)
    for (int j = 0; j < LENGTHS; j++) {
      outcome o = throw((top){touches[i], 0.0, 0.0, 0.0}, 1e-8, lengths[j], false);
      if (o.status || o.kind != ESS_SMOOTH_C1 || !(fabs(o.Dy) < 1e-6))
        fail_msg("%g beyond, h_max %g: status %d, Dy %g", touches[i], lengths[j], o.status, o.Dy);
      o = throw((top){touches[i], 1.0, 0.0, 0.0}, 1e-8, lengths[j], true);
      assert_true(o.status == ESS_SUCCESS && fabs(o.Dy) < 1e-6);
      for (double law = 1.0; law < 1e6; law *= 100.0) {
        o = throw((top){touches[i], 0.0, law, 0.0}, 1e-8, lengths[j], false);
        if (o.status) fail_msg("spring %g, %g beyond, h_max %g", law, touches[i], lengths[j]);
        o = throw((top){touches[i], 0.0, law, sqrt(law)}, 1e-8, lengths[j], false);
        if (o.status) fail_msg("damper %g, %g beyond, h_max %g", law, touches[i], lengths[j]);
      }
    }
}

/* the time above is 2 sqrt(beyond) */
TEST(what_the_tolerance_tells_from_a_touch_is_none) {
  const double tolerances[] = {1e-6, 1e-8, 1e-10};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < LENGTHS; j++)
      for (double beyond = 10.0 * tolerances[i]; beyond < 0.1; beyond *= 3.0)
        for (int side = -1; side < 2; side += 2) {
          const outcome o =
              throw((top){side * beyond, 1.0, 0.0, 0.0}, tolerances[i], lengths[j], false);
          const double Dy = side < 0 ? 0.0 : 1.0 / sqrt(beyond);
          if (o.status || !(fabs(o.Dy - Dy) <= 0.1 * Dy))
            fail_msg("tolerance %g, %g beyond, h_max %g: status %d, Dy %g", tolerances[i],
                     side * beyond, lengths[j], o.status, o.Dy);
        }
}

/* ---- a circle, which errs, and touches a line; forward and backward -------------------------- */

FIELD(turn_field) {
  dxdt[0] = -x[1];
  dxdt[1] = x[0];
  dxdt[2] = sign[0] < 0.0 ? 1.0 + x[0] * x[0] : 0.5;
}

PLANES(turn, 3, (-x[1]), (-1.0));

/* its guard is crossed downward, and its rates are differences */
TEST(a_circle_touches_a_line) {
  const ess_system system = {.dimension = 3, .guard_count = 1, OF(turn)};
  for (int way = -1; way < 2; way += 2)
    for (int i = 0; i < 40; i++) {
      const double angle = acos(0.0) - way * (0.05 + 0.02 * i);
      const ess_options options = toy_options(i % 2 ? 1e-6 : 1e-9);
      ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
      double t = 0.0, x[3] = {cos(angle), sin(angle)};
      assert_int_equal(ess_driver_follow(d, 3, NULL), ESS_SUCCESS);
      const int status = ess_driver_apply(d, &t, 2.0 * way, x);
      if (status != ESS_EGRAZING) fail_msg("way %d, start %d: status %d", way, i, status);
      assert_true(fabs(ess_driver_failure(d)->time - way * (0.05 + 0.02 * i)) < 2e-3);
      ess_driver_free(d);
    }
}

/* ---- amid others ----------------------------------------------------------------------------- */

PLANES(throw_up, STATES, (x[P], x[Y], x[Y]), (-AS(top)->beyond, 1.5, 1.2));

ON_CROSSING(note_silent) {
  *(double *)context = info->sign[2];
}

/* in one step: a touch that changes nothing, a silent guard that is passed, and one that the step
 * is cut at; tangents look at the first, and the second is crossed before the last */
TEST(a_touch_leaves_other_crossings_alone) {
  top p = {.beyond = -1e-12};
  ess_system system = {.dimension = STATES, .guard_count = 3, OF_RATES(throw_up), .params = &p};
  matrix r = matrix_begin(3);
  matrix_add_mirror(&r);
  r.silent[ESS_GUARD_UP(2)] = r.silent[ESS_GUARD_DOWN(2)] = true;
  system.resets = matrix_end(&r);
  double silent = 0.0;
  ess_options options = ess_options_default();
  options.h_init = 2.5;
  options.observer = (ess_observer){.crossing = note_silent, .context = &silent};
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  matrix_free(&r);
  double t = 0.0, x[STATES] = {-1.0, 2.0};
  assert_int_equal(ess_driver_follow(d, STATES, NULL), ESS_SUCCESS);
  assert_int_equal(ess_driver_apply(d, &t, 2.5, x), ESS_SUCCESS);
  assert_int_equal(ess_driver_counters(d)->silent, 1);
  assert_int_equal(ess_driver_counters(d)->crossings, 1);
  assert_int_equal(ess_driver_counters(d)->steps, 2);
  assert_true(silent > 0.0);
  ess_driver_free(d);
}
