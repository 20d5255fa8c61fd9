/*
 * The linearly implicit base (ess_options.base): its orders, stiff fields of several kinds, what a
 * step goes over, crossings and impacts in stiff fields, and what goes wrong.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "bases.h"
#include "ess_tangents.h"
#include "faults.h"

/* ---- orders ---------------------------------------------------------------------------------- */

FIELD_JACOBIAN(smooth_jacobian) {
  J[0] = -2.0 * x[0] * cos(t);
  J[1] = 0.0;
  J[2] = -x[1] * sin(t) * (2.0 + sin(t));
  J[3] = -sin(t) * x[0] * (2.0 + sin(t));
}

static void run_smoothly(bool jacobian, unsigned steps, double t1, double *end, double *way) {
  const ess_system system = {
      .dimension = 2, .field = smooth_field, .field_jacobian = jacobian ? smooth_jacobian : NULL};
  const ess_counters c = smooth_run(&system, ESS_BASE_RODAS, steps, t1, end, way);
  assert_int_equal(c.field_jacobian_evaluations, jacobian ? steps : 0);
  // the start, and each step: by time, five stages, its end, on the way, and by each state; every
  // eighth has a check of the Jacobian
  const unsigned checks = jacobian ? (steps + 7) / 8 : 0;
  assert_int_equal(c.field_evaluations, 1 + steps * (jacobian ? 8u : 10u) + checks);
}

TEST(steps_and_samples_are_of_order_4) {
  for (int jacobian = 0; jacobian < 2; jacobian++)
    for (int way = -1; way <= 1; way += 2) {
      double end[4], dense[4];
      for (int i = 0; i < 4; i++) run_smoothly(jacobian, 20u << i, 4.0 * way, &end[i], &dense[i]);
      const double order = log2(end[0] / end[3]) / 3.0;
      assert_true(order > 3.8 && order < 4.4);
      for (int i = 0; i < 3; i++) {
        const double of_samples = log2(dense[i] / dense[i + 1]);
        assert_true(of_samples > 3.9 && of_samples < 4.2);
      }
      assert_true(end[3] < 1e-7 && dense[3] < 1e-6);
    }
}

/* ---- stiff fields ---------------------------------------------------------------------------- */

/* x falls to cos t at this rate, which is as stiff as one likes */
FIELD(fall_to_cosine) {
  dxdt[0] = -*(const double *)params * (x[0] - cos(t)) - sin(t);
}

TEST(a_real_eigenvalue_costs_nothing) {
  for (double rate = 1e2; rate < 3e8; rate *= 100.0)
    for (double tolerance = 1e-2; tolerance > 5e-8; tolerance *= 0.1) {
      const ess_system system = {.dimension = 1, .field = fall_to_cosine, .params = &rate};
      const ess_options options = by(ESS_BASE_RODAS, tolerance);
      double x[1] = {1.0};
      const toy_end end = toy_succeeds(&system, &options, 0.0, 10.0, x);
      assert_true(fabs(x[0] - cos(10.0)) < 2.0 * tolerance);
      assert_true((double)end.counters.field_evaluations < 60.0 / cbrt(tolerance));
    }
}

/* a spring and a damper, both stiff, that pull a slow state: eigenvalues are complex */
typedef struct oscillator {
  double rate, damping; /* angular frequency, part of the critical damping */
} oscillator;

FIELD(oscillate) {
  const oscillator *const o = params;
  dxdt[0] = o->rate * x[1];
  dxdt[1] = -o->rate * (x[0] - x[2]) - 2.0 * o->damping * o->rate * x[1];
  dxdt[2] = -x[2];
}

TEST(so_do_complex_ones) {
  for (double rate = 1e2; rate < 2e6; rate *= 10.0)
    for (double damping = 0.1; damping < 0.6; damping += 0.2) {
      oscillator o = {rate, damping};
      const ess_system system = {.dimension = 3, .field = oscillate, .params = &o};
      const ess_options options = by(ESS_BASE_RODAS, 1e-5);
      double x[3] = {1.0, 0.0, 1.0};
      const toy_end end = toy_succeeds(&system, &options, 0.0, 3.0, x);
      // it follows, late by the time of its damper
      assert_true(fabs(x[2] - exp(-3.0)) < 1e-5);
      assert_true(fabs(x[0] - exp(-3.0) * (1.0 + 2.0 * damping / rate)) <
                  2e-5 + 10.0 / rate / rate);
      assert_true(end.counters.field_evaluations < 5000);
    }
}

/* a motion that a step could go over, and damp at will, is there all the same */
TEST(an_oscillation_is_not_damped_unseen) {
  oscillator o = {3e3, 0.0};
  const ess_system system = {.dimension = 3, .field = oscillate, .params = &o};
  for (double tolerance = 1e-3; tolerance > 5e-6; tolerance *= 0.1) {
    const ess_options options = by(ESS_BASE_RODAS, tolerance);
    double x[3] = {0.5, 0.0, 0.0};
    const toy_end end = toy_succeeds(&system, &options, 0.0, 0.02, x);
    assert_true(fabs(x[0] - 0.5 * cos(60.0)) < 30.0 * tolerance);
    assert_true(end.counters.steps > 50);
  }
}

/* ---- what a step goes over ------------------------------------------------------------------- */

/* x is carried to 0, fast, from 1 after t = 1: a switch, which the clock throws */
typedef struct carried {
  double rate;
  bool watched; /* x is */
} carried;

FIELD(carried_field) {
  const carried *const c = params;
  dxdt[0] = -c->rate * (x[0] - (sign[0] > 0.0 ? 0.0 : 1.0));
  dxdt[1] = 1.0;
}

/* the clock's; and two that x never comes to */
GUARDS(carried_guards) {
  const carried *const c = params;
  h[0] = x[1] - 1.0;
  if (!c->watched) return;
  h[1] = x[0] + 0.1;
  h[2] = x[0] - 1.1;
}

GUARD_RATES_CODE(carried_rates) {
  const carried *const c = params;
  rate[0] = v[1];
  if (c->watched) rate[1] = rate[2] = v[0];
  return carried_guards(t, x, h, params);
}

/* where a long step follows a crossing its end is right, and its dense output may be anywhere */
TEST(nothing_is_crossed_on_the_way_that_is_not_there) {
  for (double rate = 10.0; rate < 2e6; rate *= 10.0)
    for (int i = 0; i < 8; i++) {
      carried c = {rate, i % 2};
      const double tolerance = pow(10.0, -2 - i / 2);
      const ess_system system = {
          .dimension = 2, .guard_count = c.watched ? 3 : 1, OF_RATES(carried), .params = &c};
      enum { SAMPLES = 400 };
      double times[SAMPLES], states[2 * SAMPLES];
      const ess_options options = by(ESS_BASE_RODAS, tolerance);
      ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
      double x[2] = {1.0, 0.0}, t = 0.0;
      const double span = 20.0 / rate;
      for (int j = 0; j < SAMPLES; j++) times[j] = 1.0 + span * j / SAMPLES;
      assert_int_equal(ess_driver_sample(d, &t, 5.0, x, times, SAMPLES, states), ESS_SUCCESS);
      assert_int_equal(ess_driver_counters(d)->crossings, 1);
      for (int j = 0; j < SAMPLES; j++)
        assert_true(fabs(states[2 * j] - exp(-rate * (times[j] - 1.0))) < 10.0 * tolerance);
      ess_driver_free(d);
    }
}

/* ---- a stiff floor: a mass falls onto a spring and a damper ---------------------------------- */

typedef struct floor_ {
  double stiffness, damping;
} floor_;

FIELD(floor_field) {
  const floor_ *const f = params;
  dxdt[0] = x[1];
  dxdt[1] = -TOY_GRAVITY - (sign[0] < 0.0 ? f->stiffness * x[0] + f->damping * x[1] : 0.0);
}

TEST(a_mass_comes_to_rest_on_a_stiff_floor) {
  static const floor_ floors[] = {{1e6, 2e3}, {1e6, 1e4}, {1e8, 1e5}, {1e8, 1e6}};
  for (size_t i = 0; i < sizeof floors / sizeof *floors; i++)
    for (int differs = 0; differs < 2; differs++)
      for (double tolerance = 1e-3; tolerance > 5e-9; tolerance *= 0.1) {
        floor_ f = floors[i];
        const ess_system system = {.dimension = 2,
                                   .guard_count = 1,
                                   .field = floor_field,
                                   .guards = toy_fall_guards,
                                   .guard_jacobian = differs ? NULL : toy_fall_jacobian,
                                   .params = &f};
        ess_options options = by(ESS_BASE_RODAS, tolerance);
        toy_log log;
        options.observer = toy_observer(&log);
        double x[2] = {0.01, 0.0};
        const toy_end end = toy_succeeds(&system, &options, 0.0, 10.0, x);
        assert_true(fabs(x[0] + TOY_GRAVITY / f.stiffness) < tolerance);
        assert_true(fabs(x[1]) < 2.0 * tolerance);
        assert_true(log.count >= 1 && log.guard[0] == 0 && log.direction[0] == -1);
        assert_true(fabs(log.time[0] - sqrt(0.02 / TOY_GRAVITY)) < tolerance);
        // dopri5 takes a hundred thousand calls, or a hundred times that
        assert_true(end.counters.field_evaluations < 20000);
      }
}

/* ---- a rod whose places are cooled once they have fallen to a level of their own ------------- */

static rod cooled = {.diffusion = 1.0, .cooling = 2.0};

static ess_system cooled_rod(bool moves, bool one_way) {
  return (ess_system){.dimension = ROD,
                      .guard_count = ROD,
                      .field = rod_field,
                      .guards = level_guards,
                      .guard_rates = level_rates,
                      .guards_move = moves,
                      .one_way = one_way,
                      .params = &cooled};
}

static void run_rod(const ess_system *system, ess_options options, double x[], toy_log *log) {
  options.observer = toy_observer(log);
  rod_start(x);
  toy_succeeds(system, &options, 0.0, 0.15, x);
}

TEST(crossings_are_those_of_dopri5) {
  double truth[ROD], x[ROD];
  toy_log right, seen;
  const ess_system first = cooled_rod(false, false);
  run_rod(&first, by(ESS_BASE_DOPRI5, 1e-11), truth, &right);
  assert_int_equal(right.count, ROD);
  for (int kind = 0; kind < 8; kind++)
    for (double tolerance = 1e-2; tolerance > 5e-7; tolerance *= 0.1) {
      const ess_system system = cooled_rod(kind & 1, kind & 2);
      ess_options options = by(ESS_BASE_RODAS, tolerance);
      if (kind & 4) options.method = ESS_METHOD_PAPER;
      options.epsilon = 1e-2 * sqrt(tolerance);
      run_rod(&system, options, x, &seen);
      for (size_t i = 0; i < ROD; i++) assert_true(fabs(x[i] - truth[i]) < 3.0 * tolerance);
      assert_int_equal(seen.count, ROD);
      if (kind & 4) continue;
      for (size_t i = 0; i < ROD; i++) {
        size_t j = 0;
        while (j < ROD && seen.guard[j] != right.guard[i]) j++;
        assert_true(j < ROD && fabs(seen.time[j] - right.time[i]) < tolerance);
      }
    }
}

/* ---- impacts: a ball, in which a mass hangs on a stiff spring with a damper ------------------ */

FIELD(rattle_field) {
  const double rate = *(const double *)params;
  const double force = rate * rate * x[2] + rate * x[3];
  dxdt[0] = x[1];
  dxdt[1] = -TOY_GRAVITY + 0.1 * force;
  dxdt[2] = x[3];
  dxdt[3] = -1.1 * force;
}

PLANES(rattle, 4, (x[0]), (0.0));

/* the shell bounces; what hangs in it goes on */
IMPACT_MAP_CODE(rattle_bounce) {
  const double turned = -1.8 * impact->x[1];
  impact->after[1] = impact->x[1] + turned;
  impact->after[3] = impact->x[3] - turned;
  return toy_stays_above(impact, 0);
}

TEST(impacts_are_made_and_time_goes_on) {
  double rate = 300.0, right[4] = {1.0, 0.0, 0.0, 0.0};
  const ess_impacts impacts = {.map = rattle_bounce};
  const ess_system system = {
      .dimension = 4, .guard_count = 1, OF_JACOBIAN(rattle), .impacts = &impacts, .params = &rate};
  const ess_options exact = by(ESS_BASE_DOPRI5, 1e-12);
  const ess_counters of_dopri5 = toy_succeeds(&system, &exact, 0.0, 2.0, right).counters;
  assert_true(of_dopri5.impacts > 1);
  for (double tolerance = 1e-3; tolerance > 5e-8; tolerance *= 0.1) {
    const ess_options options = by(ESS_BASE_RODAS, tolerance);
    double x[4] = {1.0, 0.0, 0.0, 0.0};
    const toy_end end = toy_succeeds(&system, &options, 0.0, 2.0, x);
    assert_int_equal(end.counters.impacts, of_dopri5.impacts);
    for (size_t i = 0; i < 4; i++) assert_true(fabs(x[i] - right[i]) < 20.0 * tolerance);
  }
}

/* ---- backward: a fast growth is a fast decay; events that are watched ------------------------ */

FIELD(growth_field) {
  dxdt[0] = *(const double *)params * (x[0] - cos(t)) - sin(t);
}

static int growth_values(double t, const double x[], double g[], void *params) {
  g[0] = x[0] - 0.3;
  return 0;
}

TEST(time_goes_backward) {
  double rate = 1e5;
  const ess_system system = {.dimension = 1,
                             .field = growth_field,
                             .watch = {.count = 1, .values = growth_values},
                             .params = &rate};
  for (double tolerance = 1e-3; tolerance > 5e-8; tolerance *= 0.1) {
    const ess_options options = by(ESS_BASE_RODAS, tolerance);
    double x[1] = {cos(10.0)};
    const toy_end end = toy_succeeds(&system, &options, 10.0, 0.0, x);
    assert_true(fabs(x[0] - 1.0) < 2.0 * tolerance);
    assert_int_equal(end.counters.crossings, 3);
    assert_true(end.counters.field_evaluations < 8000);
  }
}

/* ---- what goes wrong ------------------------------------------------------------------------- */

/* x falls to cos t, and another state follows */
FIELD(late_field) {
  double rate = 1e4;
  fall_to_cosine(t, x, sign, dxdt, &rate);
  dxdt[1] = x[0] - x[1];
}

FIELD_JACOBIAN(late_jacobian) {
  const bool is_wrong = params;
  J[0] = is_wrong ? -9e3 : -1e4;
  J[1] = is_wrong ? 3.0 : 0.0;
  J[2] = 1.0;
  J[3] = -1.0;
}

/* its field, or where that is given its Jacobian, is at fault at about this call of the field */
static faults fault_in(bool given, size_t at) {
  return (faults){
      .of = {.dimension = 2, .field = late_field, .field_jacobian = given ? late_jacobian : NULL},
      .culprit = given ? FIELD_JACOBIAN : FIELD,
      .from = given ? (at + 9) / 10 - 1 : at - 1,
      .value = NAN,
      .state = 1};
}

static double late(double t) { // x[1], which follows cos t from 0
  return 0.5 * (cos(t) + sin(t) - exp(-t));
}

TEST(what_fails_ends_the_run) {
  for (int given = 0; given < 2; given++)
    for (size_t at = 1; at < 60; at++)
      for (int code = 0; code < 2; code++) {
        faults f = fault_in(given, at);
        f.code = 7 * code;
        const ess_system system = faulty_system(&f);
        const ess_options options = by(ESS_BASE_RODAS, 1e-4);
        ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
        double x[2] = {1.0, 0.0}, t = 0.0;
        assert_int_equal(ess_driver_apply(d, &t, 4.0, x), code ? ESS_ECALLBACK : ESS_EFIELD);
        assert_int_equal(ess_driver_failure(d)->callback_code, 7 * code);
        assert_true(t < 4.0 && fabs(x[0] - cos(t)) < 1e-3);
        // once it is well again the run goes on
        f.from = SIZE_MAX;
        assert_int_equal(ess_driver_apply(d, &t, 4.0, x), ESS_SUCCESS);
        assert_true(fabs(x[0] - cos(4.0)) < 2e-4 && fabs(x[1] - late(4.0)) < 2e-4);
        ess_driver_free(d);
      }
}

TEST(one_call_that_is_not_a_number_costs_a_step) {
  for (int given = 0; given < 2; given++)
    for (size_t at = 2; at < 60; at++) {
      faults f = fault_in(given, at);
      f.once = true;
      const ess_system system = faulty_system(&f);
      const ess_options options = by(ESS_BASE_RODAS, 1e-4);
      double x[2] = {1.0, 0.0};
      const toy_end end = toy_succeeds(&system, &options, 0.0, 4.0, x);
      assert_true(fabs(x[0] - cos(4.0)) < 2e-4 && fabs(x[1] - late(4.0)) < 2e-4);
      assert_true(end.counters.field_evaluations < 3000);
    }
}

TEST(a_jacobian_that_is_wrong_ends_the_run) {
  for (double tolerance = 1e-2; tolerance > 5e-7; tolerance *= 0.1) {
    bool is_wrong = true;
    const ess_system system = {
        .dimension = 2, .field = late_field, .field_jacobian = late_jacobian, .params = &is_wrong};
    const ess_options options = by(ESS_BASE_RODAS, tolerance);
    double x[2] = {1.0, 0.0};
    assert_int_equal(toy_run(&system, &options, 0.0, 4.0, x).status, ESS_EJACOBIAN);
  }
}

/* x' = x in a step of length 4: the matrix 1 / (dt / 4) - 1 is 0 */
FIELD(grow) {
  dxdt[0] = x[0];
}

FIELD_JACOBIAN(grow_jacobian) {
  J[0] = 1.0;
}

TEST(a_matrix_without_an_inverse_costs_a_step) {
  const ess_system system = {.dimension = 1, .field = grow, .field_jacobian = grow_jacobian};
  ess_options options = by(ESS_BASE_RODAS, 1e-6);
  options.h_init = 4.0;
  double x[1] = {1.0};
  const toy_end end = toy_succeeds(&system, &options, 0.0, 8.0, x);
  assert_true(fabs(x[0] / exp(8.0) - 1.0) < 1e-5);
  assert_true(end.counters.rejected > 0);
}

/* a field that is the same everywhere, at rest or fast; a state that is 0 and stays so */
FIELD(constant_field) {
  dxdt[0] = *(const double *)params;
  dxdt[1] = 0.0;
}

TEST(a_constant_field_is_no_trouble) {
  double rates[] = {0.0, 1.0, -1e12};
  for (size_t i = 0; i < 3; i++)
    for (int relative = 0; relative < 2; relative++) {
      const ess_system system = {.dimension = 2, .field = constant_field, .params = &rates[i]};
      ess_options options = by(ESS_BASE_RODAS, 1e-6);
      if (relative) options.atol = 0.0;
      double x[2] = {0.0, 0.0};
      const toy_end end = toy_succeeds(&system, &options, 0.0, 10.0, x);
      assert_true(fabs(x[0] - 10.0 * rates[i]) <= 1e-9 * fabs(rates[i]) && x[1] == 0.0);
      assert_true(end.counters.field_evaluations < 400);
    }
}

/* ---- chosen as the run goes ------------------------------------------------------------------ */

/* x is cos t, to which it falls at the rate 1, at a rate that is larger for a time in the middle,
 * and at another from the time LATE on. y goes up while x is below -1/2, from before the field is
 * stiff to where it is. */
typedef struct middle {
  double rate, later;
} middle;

enum { LATE = 7, END = 8 };
static const double Y_END = 2.0 * M_PI / 3.0;

FIELD(middle_field) {
  const double rate = AS(middle)->rate * exp(-pow((t - 4.5) / 1.5, 16.0));
  const double later = sign[1] > 0.0 ? AS(middle)->later : 0.0;
  dxdt[0] = -(1.0 + rate + later) * (x[0] - cos(t)) - sin(t);
  dxdt[1] = sign[0] > 0.0 ? 1.0 : 0.0;
}

GUARDS(middle_guards) {
  h[0] = -0.5 - x[0];
  h[1] = t - LATE;
}

/* the error, in tolerances */
static double run_middle(middle m, ess_base base, double tolerance, ess_counters *c) {
  const ess_system system = {.dimension = 2,
                             .field = middle_field,
                             .guard_count = 2,
                             .guards = middle_guards,
                             .guards_move = true,
                             .params = &m};
  const ess_options options = by(base, tolerance);
  double x[2] = {1.0, 0.0};
  const toy_end end = toy_succeeds(&system, &options, 0.0, END, x);
  *c = end.counters;
  assert_int_equal(c->crossings, 3);
  return fmax(fabs(x[0] - cos(END)), fabs(x[1] - Y_END)) / tolerance;
}

TEST(it_is_chosen_where_the_field_is_stiff_and_left_again) {
  for (double rate = 1e3; rate < 2e9; rate *= 100.0)
    for (double tolerance = 1e-3; tolerance > 5e-8; tolerance *= 0.1) {
      ess_counters chosen, rodas;
      const double error =
          run_middle((middle){rate, 0.0}, ESS_BASE_CHOSEN_RODAS, tolerance, &chosen);
      (void)run_middle((middle){rate, 0.0}, ESS_BASE_RODAS, tolerance, &rodas);
      assert_true(error < 10.0);
      assert_true(chosen.implicit > 0 && chosen.implicit < chosen.steps);
      assert_true(5 * chosen.field_evaluations < 8 * rodas.field_evaluations);
    }
}

/* at once, from dopri5's steps that time does not resolve */
TEST(it_is_chosen_where_steps_would_be_too_short) {
  for (double later = 1e3; later < 2e18; later *= 1e3) {
    ess_counters c;
    const double error = run_middle((middle){0.0, later}, ESS_BASE_CHOSEN_RODAS, 1e-5, &c);
    assert_true(error < 1.0 && c.implicit > 10 && c.field_evaluations < 600);
  }
}

/* ---- the option ------------------------------------------------------------------------------ */

TEST(it_is_chosen_when_the_driver_is_allocated) {
  double rate = 1e3;
  const ess_system system = {.dimension = 1, .field = fall_to_cosine, .params = &rate};
  const ess_options others[] = {by(ESS_BASE_DOPRI5, 1e-3), by(ESS_BASE_RKC, 1e-3)};
  const ess_options its = by(ESS_BASE_RODAS, 1e-3), finer = by(ESS_BASE_RODAS, 1e-6);
  const char *const why =
      "ESS_BASE_RODAS, ESS_BASE_CHOSEN_RODAS and ESS_BASE_ROS2 are chosen when the driver is "
      "allocated";
  ess_driver *d = ess_driver_alloc(&system, &its, NULL);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(ess_driver_set_options(d, &others[i]), ESS_EINVAL);
    assert_string_equal(ess_driver_failure(d)->reason, why);
  }
  double x[1] = {1.0}, t = 0.0;
  assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
  assert_int_equal(ess_driver_set_options(d, &finer), ESS_SUCCESS);
  assert_int_equal(ess_driver_apply(d, &t, 2.0, x), ESS_SUCCESS);
  assert_true(fabs(x[0] - cos(2.0)) < 2e-6);
  ess_driver_free(d);
  d = ess_driver_alloc(&system, &others[0], NULL);
  assert_int_equal(ess_driver_set_options(d, &its), ESS_EINVAL);
  assert_string_equal(ess_driver_failure(d)->reason, why);
  ess_driver_free(d);
}

/* ---- Jacobians that are wrong, or only look so ----------------------------------------------- */

enum { PENDULUM, RELAXATION, CARRIED, SPRING, DEAD_ZONE, MODELS };

/* one entry of the Jacobian, or all where row is ALL, times a factor; or differences of the field
 */
typedef struct given {
  int model, row, column;
  double factor;
  bool differences;
} given;

enum { ALL = -1 };

FIELD(given_field) {
  const given *const g = params;
  const double beyond = fabs(x[0]) - 0.3;
  dxdt[0] = x[1];
  switch (g->model) {
  case PENDULUM:
    dxdt[1] = -sin(x[0]) - 0.1 * x[1];
    break;
  case RELAXATION:
    dxdt[1] = 100.0 * (1.0 - x[0] * x[0]) * x[1] - x[0];
    break;
  case CARRIED:
    dxdt[0] = -1e5 * (x[0] - x[1]);
    dxdt[1] = cos(t) * x[1];
    break;
  case SPRING:
    dxdt[1] = -(x[0] < 0.0 ? 1e4 : 1.0) * x[0] - 20.0 * x[1];
    break;
  default:
    dxdt[1] = (beyond > 0.0 ? -copysign(50.0, x[0]) * beyond : 0.0) - 0.01 * x[1];
  }
}

FIELD_JACOBIAN(given_jacobian) {
  const given *const g = params;
  const double beyond = fabs(x[0]) - 0.3;
  double at[2], f[2], beside[2];
  J[0] = 0.0;
  J[1] = 1.0;
  switch (g->model) {
  case PENDULUM:
    J[2] = -cos(x[0]);
    J[3] = -0.1;
    break;
  case RELAXATION:
    J[2] = -200.0 * x[0] * x[1] - 1.0;
    J[3] = 100.0 * (1.0 - x[0] * x[0]);
    break;
  case CARRIED:
    J[0] = -1e5;
    J[1] = 1e5;
    J[2] = 0.0;
    J[3] = cos(t);
    break;
  case SPRING:
    J[2] = x[0] < 0.0 ? -1e4 : -1.0;
    J[3] = -20.0;
    break;
  default:
    J[2] = beyond > 0.0 ? -50.0 : 0.0;
    J[3] = -0.01;
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      if (g->row == ALL || (i == g->row && j == g->column)) J[2 * i + j] *= g->factor;
  if (!g->differences) return;
  given_field(t, x, sign, f, params);
  for (int j = 0; j < 2; j++) {
    memcpy(at, x, sizeof at);
    at[j] += 1e-7;
    given_field(t, at, sign, beside, params);
    for (int i = 0; i < 2; i++) J[2 * i + j] = (beside[i] - f[i]) / (at[j] - x[j]);
  }
}

static toy_end run_given(given *g, double tolerance, double x[2]) {
  const ess_system system = {
      .dimension = 2, .field = given_field, .field_jacobian = given_jacobian, .params = g};
  const ess_options options = by(ESS_BASE_RODAS, tolerance);
  x[0] = g->model == CARRIED ? 1.0 : 1.5;
  x[1] = g->model == CARRIED ? 1.0 : 0.0;
  return toy_run(&system, &options, 0.0, 10.0, x);
}

TEST(a_wrong_jacobian_ends_the_run_and_is_named) {
  static const given cases[] = {
      {PENDULUM, 1, 0, -1.0, false},   {PENDULUM, 1, 0, 0.0, false},
      {PENDULUM, 1, 0, 1.02, false},   {PENDULUM, 0, 1, 0.5, false},
      {PENDULUM, 1, 1, 0.0, false},    {PENDULUM, ALL, 0, 0.0, false},
      {PENDULUM, ALL, 0, 1.01, false}, {RELAXATION, 1, 0, 0.0, false},
      {RELAXATION, 1, 1, 0.9, false},  {RELAXATION, 0, 1, 0.0, false},
      {RELAXATION, 1, 0, -1.0, false}, {CARRIED, 0, 1, 0.0, false},
      {CARRIED, 0, 0, 0.5, false},     {CARRIED, 1, 1, -1.0, false},
      {CARRIED, ALL, 0, 1.1, false},   {SPRING, 1, 0, 0.5, false},
      {SPRING, 1, 1, 0.0, false},      {DEAD_ZONE, 1, 0, 0.0, false},
  };
  for (double tolerance = 1e-4; tolerance > 5e-9; tolerance *= 1e-2)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      given g = cases[i];
      double x[2];
      const toy_end end = run_given(&g, tolerance, x);
      const ess_failure *const f = &end.failure;
      if (end.status != ESS_EJACOBIAN || f->guard != SIZE_MAX ||
          strcmp(f->reason, "field_jacobian differs from difference quotients of field") != 0)
        fail_msg("%zu at %g: %s", i, tolerance, ess_strerror(end.status));
      if (g.row != ALL && (f->row != (size_t)g.row || f->column != (size_t)g.column))
        fail_msg("%zu at %g: entry %zu, %zu", i, tolerance, f->row, f->column);
      assert_true(end.counters.steps < 60);
    }
}

/* kinks, a step at a time across them, and differences in the place of derivatives */
TEST(a_right_jacobian_does_not) {
  for (double tolerance = 1e-4; tolerance > 5e-9; tolerance *= 1e-2)
    for (int i = 0; i < 2 * MODELS; i++) {
      given g = {.model = i / 2, .row = ALL, .factor = 1.0, .differences = i % 2};
      double x[2];
      const toy_end end = run_given(&g, tolerance, x);
      if (end.status)
        fail_msg("model %d at %g: %s, entry %zu, %zu", g.model, tolerance, ess_strerror(end.status),
                 end.failure.row, end.failure.column);
      assert_int_equal(end.failure.row, SIZE_MAX);
    }
}

/* ---- a state that rests at exactly 0 --------------------------------------------------------- */

/* x0 rests and drives x1 by *params: steps solve for both together, whose rounding moves it */
FIELD(drives_field) {
  dxdt[0] = 0.0;
  dxdt[1] = *(const double *)params * x[0] - 3.0 * x[1] + cos(2.0 * t);
}

PLANES(drives, 2, (x[0]), (0.0));

TEST(what_rests_at_zero_is_no_wrong_jacobian) {
  double drives[] = {20.0, 3e2, 7e3, 5e5};
  for (int i = 0; i < 4 * 6; i++) {
    const ess_system system = {
        .dimension = 2, .guard_count = 1, OF_JACOBIAN(drives), .params = &drives[i % 4]};
    ess_options options = by(ESS_BASE_RODAS, pow(10.0, -3 - i / 4));
    options.max_steps = 20000;
    double x[] = {0.0, 0.2};
    const toy_end end = toy_run(&system, &options, 0.0, 7.0, x);
    if (end.status || end.counters.crossings || fabs(x[0]) > 1e-12)
      fail_msg("driven by %g, tolerance %g: %s at %g, x0 = %g", drives[i % 4], options.rtol,
               ess_strerror(end.status), end.t, x[0]);
  }
}

static void check_refused(ess_base base) {
  double rate = 1e3;
  const ess_system system = {.dimension = 1, .field = fall_to_cosine, .params = &rate};
  const ess_options options = by(base, 1e-3);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  const char *const why =
      "tangents and recordings need ESS_BASE_DOPRI5, ESS_BASE_RKC or ESS_BASE_CHOSEN";
  assert_int_equal(ess_driver_follow(d, 1, NULL), ESS_EINVAL);
  assert_string_equal(ess_driver_failure(d)->reason, why);
  assert_int_equal(ess_driver_record(d, 1 << 20), ESS_EINVAL);
  assert_string_equal(ess_driver_failure(d)->reason, why);
  assert_int_equal(ess_driver_follow(d, 0, NULL), ESS_SUCCESS);
  assert_null(ess_driver_tangent(d));
  ess_driver_free(d);
}

TEST(it_has_no_tangents_and_no_recording) {
  check_refused(ESS_BASE_RODAS);
  check_refused(ESS_BASE_CHOSEN_RODAS);
}

/* parts of a run are the run, and a driver that is reset does the same again */
static void check_again(ess_base base) {
  enum { PARTS = 7 };
  double truth[ROD];
  toy_log log;
  const ess_system system = cooled_rod(false, false);
  const ess_options options = by(base, 1e-5);
  run_rod(&system, options, truth, &log);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double x[2][ROD];
  ess_counters c[2];
  for (int again = 0; again < 2; again++) {
    double t = 0.0;
    ess_driver_reset(d);
    rod_start(x[again]);
    for (int k = 0; k < PARTS; k++)
      assert_int_equal(ess_driver_apply(d, &t, 0.15 * (k + 1) / PARTS, x[again]), ESS_SUCCESS);
    c[again] = *ess_driver_counters(d);
    for (size_t i = 0; i < ROD; i++) assert_true(fabs(x[again][i] - truth[i]) < 3e-5);
  }
  assert_memory_equal(x[0], x[1], sizeof x[0]);
  assert_memory_equal(&c[0], &c[1], sizeof c[0]);
  ess_driver_free(d);
}

TEST(a_run_is_made_again) {
  check_again(ESS_BASE_RODAS);
  check_again(ESS_BASE_CHOSEN_RODAS);
}
