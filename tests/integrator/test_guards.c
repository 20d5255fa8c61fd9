/*
 * How guards are watched: which is projected onto, how far their model is trusted, rounding, and
 * each guard's own epsilon. Cases that break event integrators are in awkward_*.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "lanes.h"

TEST(a_slow_guard_is_not_projected_past_a_fast_one) {
  // guard 0 is slow: its neighbourhood is entered at t = 0.1, long before that of guard 1, which is
  // reached first nevertheless
  lanes l = {.count = 2, .offset = {0.05, 0.3}, .scale = {0.1, 1.0}, .jump = {0.0, 1.0}};
  toy_log log;
  assert_true(fabs(run_lanes(&l, 0.04, 1, &log) - 0.7) < 1e-12);
  assert_int_equal(log.count, 2);
  assert_int_equal(log.guard[0], 1);
  assert_true(fabs(log.time[0] - 0.3) < 1e-12 && fabs(log.time[1] - 0.5) < 1e-12);
}

/* h = sin(w x0): far from any quartic over a long step */
GUARDS(sine_guards) {
  h[0] = sin(*(const double *)params * x[0]);
}

GUARD_JACOBIAN(sine_jacobian) {
  const double w = *(const double *)params;
  Dh[0] = w * cos(w * x[0]);
}

TEST(guards_far_from_their_model_shorten_the_step) {
  for (double w = 3.0; w < 300.0; w *= 1.7) {
    double frequency = w;
    const ess_system system = {.dimension = 1,
                               .guard_count = 1,
                               .field = toy_clock,
                               .guards = sine_guards,
                               .guard_jacobian = sine_jacobian,
                               .params = &frequency};
    ess_options options = ess_options_paper();
    options.epsilon = 1e-9;
    options.h_init = 1.0;
    toy_log log;
    options.observer = toy_observer(&log);
    double x[1] = {0.01};
    toy_succeeds(&system, &options, 0.0, 0.99, x);
    assert_int_equal(log.count, (size_t)floor(w / M_PI) - (size_t)floor(0.01 * w / M_PI));
    for (size_t k = 0; k < log.count && k < TOY_EVENTS; k++)
      assert_true(fabs(log.time[k] + 0.01 - (double)(k + 1) * M_PI / w) < 1e-9);
  }
}

/* what the clock crosses between 0 and 1 */
static void run_clock(const ess_system *system, ess_options options, toy_log *log) {
  options.observer = toy_observer(log);
  double x[1] = {0.0};
  toy_succeeds(system, &options, 0.0, 1.0, x);
}

/* by the default method, whose first step is to span all of it */
static void run_clock_in_long_steps(const ess_system *system, toy_log *log) {
  ess_options options = ess_options_default();
  options.h_init = 1.0;
  run_clock(system, options, log);
}

/* h1 is above zero about where h0 is crossed, and nowhere else: no place of a long step shows it */
enum { SPIKE_AT = 52 }; // hundredths

GUARDS(spike_guards) {
  const double off = (x[0] - SPIKE_AT / 100.0) / *(const double *)params;
  h[0] = x[0] - SPIKE_AT / 100.0;
  h[1] = exp(-off * off) - 0.5;
}

GUARD_JACOBIAN(spike_jacobian) {
  const double width = *(const double *)params, off = (x[0] - SPIKE_AT / 100.0) / width;
  Dh[0] = 1.0;
  Dh[1] = -2.0 * off / width * exp(-off * off);
}

/* Outcome: where one guard is crossed all are looked at, and one that is beyond its zero there,
 * which no model has foretold, shortens the step: both of its crossings are made, each in its
 * place. */
TEST(a_guard_seen_where_another_is_crossed_shortens_the_step) {
  for (double w = 0.008; w > 1e-4; w *= 0.5) {
    double width = w;
    const ess_system system = {.dimension = 1,
                               .guard_count = 2,
                               .field = toy_clock,
                               .guards = spike_guards,
                               .guard_jacobian = spike_jacobian,
                               .params = &width};
    const double at = SPIKE_AT / 100.0, beside = width * sqrt(log(2.0));
    toy_log log;
    run_clock_in_long_steps(&system, &log);
    assert_int_equal(log.count, 3);
    assert_true(log.guard[0] == 1 && log.guard[1] == 0 && log.guard[2] == 1);
    assert_true(fabs(log.time[0] - (at - beside)) < 1e-9 && fabs(log.time[1] - at) < 1e-9);
    assert_true(fabs(log.time[2] - (at + beside)) < 1e-9);
  }
}

/* a bend that all but touches zero, then rises through it, and a slight wave on top of it */
typedef struct grazed {
  double size, bend, end, below, wave, frequency, phase;
} grazed;

GUARDS(grazed_guards) {
  const grazed *const g = params;
  const double off = x[0] - g->bend;
  h[0] = g->size * off * off * (x[0] - g->end) - g->below +
         g->wave * sin(g->frequency * x[0] + g->phase);
}

GUARD_JACOBIAN(grazed_jacobian) {
  const grazed *const g = params;
  const double off = x[0] - g->bend;
  Dh[0] = g->size * (2.0 * off * (x[0] - g->end) + off * off) +
          g->wave * g->frequency * cos(g->frequency * x[0] + g->phase);
}

/* Outcome: a touch that a model shows where there is none may be elsewhere, however little the
 * model is off: it is found. */
TEST(a_touch_that_is_elsewhere_is_found) {
  // found at random, each missed by a library that trusts the place
  static const grazed cases[] = {
      {3.194996343459934, 0.41480315271764995, 0.63335484531708064, 1.2020910797121643e-07,
       2.1216164173223078e-06, 14.111248031258583, 3.5146489738952367},
      {2.8315848638303578, 0.33337075184099374, 0.62548117982223628, -2.4764018188024883e-05,
       2.645369332762173e-05, 24.498699503019452, 2.1170348114334048},
      {1.2625230220146477, 0.31818524501286449, 0.71025054515339436, -5.7812641399577864e-06,
       1.065788102210974e-05, 21.603872142732143, 3.1242938123177737}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    grazed g = cases[i];
    const ess_system system = {.dimension = 1,
                               .guard_count = 1,
                               .field = toy_clock,
                               .guards = grazed_guards,
                               .guard_jacobian = grazed_jacobian,
                               .params = &g};
    toy_log log;
    run_clock_in_long_steps(&system, &log);
    assert_int_equal(log.count, 3);
  }
}

/* h = (x0 + 1e6) - (1e6 + 1/2): its rounding is a hundred times epsilon */
GUARDS(coarse_guards) {
  volatile const double far = x[0] + 1e6;
  h[0] = far - (1e6 + 0.5);
}

GUARD_JACOBIAN(coarse_jacobian) {
  Dh[0] = 1.0;
}

TEST(a_crossing_below_the_rounding_of_h_is_made_in_time) {
  const ess_system system = {.dimension = 1,
                             .guard_count = 1,
                             .field = toy_clock,
                             .guards = coarse_guards,
                             .guard_jacobian = coarse_jacobian};
  ess_options options = ess_options_paper();
  options.epsilon = 1e-12;
  toy_log log;
  run_clock(&system, options, &log);
  assert_int_equal(log.count, 1);
  assert_true(fabs(log.time[0] - 0.5) < 1e-9);
}

/* two bodies that move together at a distance of 1/4: h is zero but for rounding */
FIELD(together_field) {
  dxdt[0] = dxdt[1] = x[2];
  dxdt[2] = -x[0];
}

PLANES(together, 3, (x[0] - x[1]), (0.25));

TEST(a_guard_that_is_zero_but_for_rounding_costs_no_steps) {
  const ess_system system = {.dimension = 3, .guard_count = 1, OF_JACOBIAN(together)};
  const ess_options options = ess_options_paper();
  double x[3] = {0.8, 0.55, 0.7};
  const toy_end end = toy_succeeds(&system, &options, 0.0, 5.0, x);
  assert_true(end.counters.steps + end.counters.rejected < 200);
}

/* each guard has the neighbourhood it was given: seen where the projection begins */
ON_STEP(note_projection) {
  double *const length = context;
  if (info->projection) length[length[0] == 0.0 ? 0 : 1] = info->t1 - info->t0;
}

TEST(each_guard_has_its_own_epsilon) {
  lanes l = {.count = 2, .offset = {0.3, 0.7}};
  const double epsilons[] = {0.05, 0.002};
  const ess_system system = {.dimension = 2, .guard_count = 2, OF_JACOBIAN(lanes), .params = &l};
  double length[2] = {0.0, 0.0}, x[2] = {0.0, 0.0};
  ess_options options = ess_options_paper();
  options.guard_epsilons = epsilons;
  options.observer = (ess_observer){.step = note_projection, .context = length};
  toy_succeeds(&system, &options, 0.0, 1.0, x);
  assert_true(fabs(length[0] - 0.05) < 1e-9 && fabs(length[1] - 0.002) < 1e-9);
}

/* x'' = -1 above the guard, 1 below it: a body that is thrown back and forth. The guard is a
 * difference, whose rounding is large beside the way that the body goes. */
FIELD(thrown_field) {
  dxdt[0] = x[1];
  dxdt[1] = -sign[0];
}

GUARDS(thrown_guards) {
  h[0] = (x[0] + 1.0) - 1.0 + 0x1p-54; // no sum rounds to 0
}

GUARD_RATES_CODE(thrown_rates) {
  rate[0] = v[0];
  return thrown_guards(t, x, h, params);
}

/* Outcome: a zero is not sought where there is rounding alone: to the last bit that would take 25
 * calls a crossing. */
TEST(rounding_is_not_searched_through) {
  const ess_system system = {.dimension = 2, .guard_count = 1, OF_RATES(thrown)};
  const double speed = 1e-3, end = 1.0;
  ess_options options = ess_options_default();
  options.h_max = 3.0 * speed;
  double x[2] = {0.0, speed};
  const toy_end made = toy_succeeds(&system, &options, 0.0, end, x);
  const ess_counters *const c = &made.counters;
  assert_true(fabs((double)c->crossings - end / (2.0 * speed)) < 2.0);
  assert_true((double)c->guard_evaluations < 12.0 * (double)c->crossings);
  assert_true(fabs(x[0]) < 1e-9 && fabs(x[1] - speed) < 1e-7); // after 250 periods
}

/* a constant pull to either side of a place, and an event function that jumps there */
typedef struct jumping {
  double pull, place, jump;
} jumping;

FIELD(pulled_field) {
  const jumping *const j = params;
  dxdt[0] = x[1];
  dxdt[1] = sign[0] > 0.0 ? -2.0 * j->pull : j->pull;
}

GUARDS(pulled_guards) {
  const jumping *const j = params;
  const double beyond = x[0] - j->place;
  h[0] = beyond < 0.0 ? beyond - j->jump : beyond + j->jump;
}

GUARD_RATES_CODE(pulled_rates) {
  rate[0] = v[0];
  return pulled_guards(t, x, h, params);
}

/* Outcome: where an event function jumps its values do not fall towards the zero, as rounding does
 * not. That is searched to the tolerance all the same. */
TEST(a_jump_is_no_rounding) {
  for (int i = 0; i < 60; i++) {
    jumping j = {.pull = 0.1 + 0.017 * i, .place = 1.0 + 2.7 * i, .jump = pow(10.0, -0.05 * i)};
    const ess_system system = {.dimension = 2, .guard_count = 1, OF_RATES(pulled), .params = &j};
    const ess_options options = toy_options(1e-12);
    const double speed = 0.3,
                 there = (sqrt(speed * speed + 2.0 * j.pull * j.place) - speed) / j.pull,
                 after = 0.4 * there, v = speed + j.pull * there;
    double x[2] = {0.0, speed};
    toy_succeeds(&system, &options, 0.0, there + after, x);
    const double off = fabs(x[1] - (v - 2.0 * j.pull * after));
    assert_true(off < 30.0 * 1e-12 * (1.0 + v));
  }
}
