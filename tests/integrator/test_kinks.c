/*
 * Steps that go through crossings, where a field is declared affine in its signs.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../../integrator/driver_state.h"
#include "draws.h"
#include "hostile_systems.h"
#include "toy.h"

enum { STATES = 4, CONTACTS = 60 };

/* a beam that falls, tilted, on a row of springs: height, tilt, and their rates */
typedef struct beam {
  double stiffness, damping;
  bool jumps;   /* a spring's weight is 0 or 1 whatever the sign: not affine */
  double since; /* from this time on, if it does */
  double sum;   /* of weights, and of weights times places, where mode_changed keeps them */
  double weight[CONTACTS];
  size_t calls, told_between; /* of mode_changed with a sign that is neither -1 nor +1 */
} beam;

static double place_of(size_t k) {
  return 2.0 * (double)k / (CONTACTS - 1) - 1.0;
}

static double weight_of(const beam *b, double t, double sign) {
  if (b->jumps && t >= b->since) return sign > 0.0 ? 1.0 : 0.0;
  return 0.5 + 0.5 * sign;
}

static void accelerate(const beam *b, const double x[], const double weight[], double dxdt[]) {
  dxdt[0] = x[2];
  dxdt[1] = x[3];
  dxdt[2] = -10.0;
  dxdt[3] = 0.0;
  for (size_t k = 0; k < CONTACTS; k++) {
    if (weight[k] == 0.0) continue;
    const double at = place_of(k), rate = -x[2] - at * x[3];
    const double force =
        weight[k] * (b->stiffness * (-x[0] - at * x[1]) + b->damping * rate) / CONTACTS;
    dxdt[2] += force;
    dxdt[3] += 3.0 * at * force;
  }
}

FIELD(beam_field) {
  beam *const b = params;
  double weight[CONTACTS];
  for (size_t k = 0; k < CONTACTS; k++) weight[k] = weight_of(b, t, sign[k]);
  accelerate(b, x, weight, dxdt);
}

/* what mode_changed has been told stands for the signs */
FIELD(told_field) {
  beam *const b = params;
  accelerate(b, x, b->weight, dxdt);
}

MODE_CHANGED(mode_changed) {
  beam *const b = params;
  const size_t first = guard < CONTACTS ? guard : 0, end = guard < CONTACTS ? guard + 1 : CONTACTS;
  for (size_t k = first; k < end; k++) b->weight[k] = 0.5 + 0.5 * sign[k];
  b->calls++;
  b->told_between += guard < CONTACTS && fabs(sign[guard]) != 1.0;
}

PLANES_EACH(beam, STATES, CONTACTS, -x[0] - place_of(k) * x[1], 0.0);

static ess_system beam_system(beam *b, bool weights) {
  return (ess_system){.dimension = STATES,
                      .guard_count = CONTACTS,
                      OF_JACOBIAN(beam),
                      .weights = weights,
                      .params = b};
}

static const double START[STATES] = {0.3, 0.05, 0.0, 0.0}, END = 1.5;
enum { SAMPLES = 151 };

typedef struct outcome {
  int status;
  double t, x[STATES], states[SAMPLES * STATES], sign[CONTACTS];
  ess_counters counters;
  ess_failure failure;
} outcome;

static outcome run_with(const ess_system *system, const ess_options *options, size_t applies) {
  outcome o = {0};
  double times[SAMPLES];
  for (size_t i = 0; i < SAMPLES; i++) times[i] = END * (double)i / (SAMPLES - 1);
  memcpy(o.x, START, sizeof o.x);
  ess_driver *const d = ess_driver_alloc(system, options, NULL);
  assert_non_null(d);
  if (!system->weights) d->control.brief.longest = 0.0; // none is brief: all are of one order
  for (size_t i = 0; !o.status && i < applies; i++) {
    const size_t first = (SAMPLES - 1) / applies * i, last = (SAMPLES - 1) / applies * (i + 1);
    o.status = ess_driver_sample(d, &o.t, times[last], o.x, times + first, last - first + 1,
                                 o.states + first * STATES);
  }
  memcpy(o.sign, ess_driver_sign(d), sizeof o.sign);
  o.counters = *ess_driver_counters(d);
  o.failure = *ess_driver_failure(d);
  ess_driver_free(d);
  return o;
}

static outcome run(const ess_system *system, double tolerance) {
  const ess_options options = toy_options(tolerance);
  return run_with(system, &options, 1);
}

/* in tolerances, the worst of all samples */
static double error_of(const outcome *o, const outcome *truth, double tolerance) {
  double worst = 0.0;
  for (size_t i = 0; i < SAMPLES * STATES; i++) {
    const double unit = tolerance * (1.0 + fabs(truth->states[i]));
    worst = fmax(worst, fabs(o->states[i] - truth->states[i]) / unit);
  }
  return worst;
}

/* Errors over the tolerance, at some near one: where a beam bounces, one alone is luck. */
typedef struct errors {
  double median, worst;
  uint64_t through; /* the fewest steps through crossings */
} errors;

static errors errors_near(const ess_system *system, const outcome *truth, double tolerance) {
  enum { NEAR = 15 };
  double error[NEAR];
  errors e = {.through = UINT64_MAX};
  for (int i = 0; i < NEAR; i++) {
    const double at = tolerance * pow(1.05, i - NEAR / 2);
    const outcome o = run(system, at);
    assert_int_equal(o.status, ESS_SUCCESS);
    const double found = error_of(&o, truth, at);
    int place = i;
    for (; place > 0 && error[place - 1] > found; place--) error[place] = error[place - 1];
    error[place] = found;
    if (o.counters.through < e.through) e.through = o.counters.through;
  }
  e.median = error[NEAR / 2];
  e.worst = error[NEAR - 1];
  return e;
}

/* Outcome: through crossings, and in the median at most half as wrong again as steps that end at
 * them are, on the way and at the end: an undamped bounce makes much of every error. Undamped
 * springs bend the path, damped ones jump. */
TEST(many_crossings) {
  const double dampings[] = {0.0, 4.0};
  for (size_t i = 0; i < 2; i++) {
    beam b = {.stiffness = 4000.0, .damping = dampings[i]};
    ess_system system = beam_system(&b, false);
    const outcome truth = run(&system, 1e-12);
    assert_int_equal(truth.status, ESS_SUCCESS);
    assert_int_equal(truth.counters.through, 0);
    for (double tolerance = 1e-2; tolerance > 1e-8; tolerance *= 0.1) {
      const errors without = errors_near(&system, &truth, tolerance);
      system.weights = true;
      const errors with = errors_near(&system, &truth, tolerance);
      system.weights = false;
      if (!(with.median <= 10.0 + 1.5 * without.median &&
            with.worst <= 10.0 + 4.0 * without.median))
        fail_msg("c %g at %g: errors %g, %g at worst", b.damping, tolerance, with.median,
                 with.worst);
      if (tolerance > 1e-5) assert_true(with.through > 0);
    }
  }
}

/* Outcome: the same to the last bit in pieces of applies that end where steps do, and after a
 * reset; and right in others. */
TEST(applies_and_resets) {
  beam b = {.stiffness = 4000.0, .damping = 4.0};
  const ess_system system = beam_system(&b, true);
  ess_system located = system;
  located.weights = false;
  const outcome truth = run(&located, 1e-12);
  const ess_options options = toy_options(1e-4);
  const outcome pieces = run_with(&system, &options, 10);
  assert_int_equal(pieces.status, ESS_SUCCESS);
  assert_true(pieces.counters.through > 0);
  const outcome without = run_with(&located, &options, 10);
  assert_true(error_of(&pieces, &truth, 1e-4) < 10.0 + 2.0 * error_of(&without, &truth, 1e-4));

  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double first[STATES], x[STATES], t;
  for (int again = 0; again < 2; again++) {
    memcpy(x, START, sizeof x);
    t = 0.0;
    assert_int_equal(ess_driver_apply(d, &t, END, x), ESS_SUCCESS);
    if (again) assert_memory_equal(x, first, sizeof x);
    memcpy(first, x, sizeof x);
    ess_driver_reset(d);
  }
  ess_driver_free(d);
}

/* Outcome: a model that keeps what it is told is told of all signs, between -1 and +1 and beyond,
 * and runs as one that reads them does. */
TEST(told_of_weights) {
  beam reads = {.stiffness = 4000.0, .damping = 4.0}, told = reads;
  const ess_system reading = beam_system(&reads, true);
  ess_system keeping = beam_system(&told, true);
  keeping.field = told_field;
  keeping.mode_changed = mode_changed;
  const outcome a = run(&reading, 1e-3), b = run(&keeping, 1e-3);
  assert_int_equal(a.status, ESS_SUCCESS);
  assert_int_equal(b.status, ESS_SUCCESS);
  assert_true(a.counters.through > 0 && told.told_between > 0);
  assert_memory_equal(a.states, b.states, sizeof a.states);
  for (size_t k = 0; k < CONTACTS; k++) assert_true(told.weight[k] == 0.5 + 0.5 * b.sign[k]);
}

/* Outcome: a field that is not affine is an error that names an event function, before an answer */
TEST(not_affine) {
  beam b = {.stiffness = 4000.0, .damping = 4.0, .jumps = true};
  const ess_system system = beam_system(&b, true);
  const outcome o = run(&system, 1e-3);
  assert_int_equal(o.status, ESS_EWEIGHTS);
  assert_true(o.failure.guard < CONTACTS);
  assert_int_equal(o.counters.through, 0);
  assert_string_equal(ess_strerror(ESS_EWEIGHTS),
                      "the field is not affine in the signs, though weights are declared");
}

/* Outcome: a field that is affine until all springs have been met, and is not any more then, ends
 * the run or has its answer all the same. */
TEST(not_affine_any_more) {
  const struct {
    beam b;
    double tolerance;
  } cases[] = {{{.stiffness = 310.0, .damping = 2.0, .since = 0.3}, 1e-5},
               {{.stiffness = 961.0, .damping = 0.0, .since = 0.3}, 1e-5},
               {{.stiffness = 961.0, .damping = 0.0, .since = 0.5}, 1e-5},
               {{.stiffness = 310.0, .damping = 2.0, .since = 0.8}, 1e-4},
               {{.stiffness = 2979.1, .damping = 12.0, .since = 0.8}, 1e-4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    beam b = cases[i].b;
    b.jumps = true;
    const double tolerance = cases[i].tolerance;
    const ess_system plain = beam_system(&b, false), weighed = beam_system(&b, true);
    const outcome truth = run(&plain, 1e-3 * tolerance), o = run(&weighed, tolerance);
    assert_int_equal(truth.status, ESS_SUCCESS);
    if (o.status == ESS_EWEIGHTS) continue;
    assert_int_equal(o.status, ESS_SUCCESS);
    const double error = error_of(&o, &truth, tolerance);
    if (!(error < 15.0)) fail_msg("case %zu: %g tolerances", i, error);
  }
}

/* a mass on springs, whose weights are bounded later on */
enum { SPRINGS = 46 };
typedef struct bounded {
  double level[SPRINGS], stiffness[SPRINGS], damping, force, rate;
} bounded;

FIELD(bounded_field) {
  const bounded *const b = params;
  dxdt[0] = x[1];
  dxdt[1] = -2.0 - b->damping * x[1] + b->force * cos(b->rate * t);
  for (size_t k = 0; k < SPRINGS; k++) {
    const double w = 0.5 * (1.0 + sign[k]), within = fmin(fmax(w, 0.0), 1.0);
    dxdt[1] += (t > 2.0 && k % 2 ? within : w) * b->stiffness[k] * (b->level[k] - x[0]);
  }
}

GUARDS(bounded_guards) {
  for (size_t k = 0; k < SPRINGS; k++) h[k] = ((const bounded *)params)->level[k] - x[0];
}

/* Outcome: as of a field without weights, though it is affine between its two sides alone. */
TEST(affine_between_its_sides_alone) {
  uint64_t seed = 339;
  bounded b;
  draw_between(&seed, 0.0, 1.0);
  const double spread = pow(10.0, -draw_between(&seed, 0.0, 3.0));
  for (size_t k = 0; k < SPRINGS; k++) {
    b.level[k] = -spread * draw_between(&seed, 0.0, 1.0);
    b.stiffness[k] = draw_between(&seed, 20.0, 200.0) / SPRINGS;
  }
  b.damping = draw_between(&seed, 0.0, 1.0);
  b.force = draw_between(&seed, 0.0, 6.0);
  b.rate = draw_between(&seed, 1.0, 20.0);
  const double tolerance = pow(10.0, -draw_between(&seed, 2.0, 6.0));
  ess_system system = {.dimension = 2, .guard_count = SPRINGS, OF(bounded), .params = &b};
  double end[2][2] = {{0.5, 0.0}, {0.5, 0.0}};
  for (int weighed = 0; weighed < 2; weighed++) {
    const ess_options options = toy_options(weighed ? tolerance : 1e-10);
    system.weights = weighed;
    toy_succeeds(&system, &options, 0.0, 5.0, end[weighed]);
  }
  assert_true(fabs(end[0][0] - end[1][0]) < 15.0 * tolerance);
}

/* the beam with heights in another unit, and a torque that is not affine in the signs */
typedef struct uneven {
  beam beam; // first, which is what its callbacks are handed
  double unit, even, odd;
} uneven;

FIELD_CODE(uneven_field) {
  const uneven *const u = params;
  const double metres[STATES] = {x[0] / u->unit, x[1], x[2] / u->unit, x[3]};
  const int code = beam_field(t, metres, sign, dxdt, params);
  for (size_t k = 0; k < CONTACTS; k++)
    dxdt[3] += (1.0 - sign[k] * sign[k]) * (u->even + u->odd * sign[k]);
  dxdt[0] *= u->unit;
  dxdt[2] *= u->unit;
  return code;
}

GUARDS_CODE(uneven_guards) {
  const uneven *const u = params;
  const double metres[STATES] = {x[0] / u->unit, x[1], x[2] / u->unit, x[3]};
  return beam_guards(t, metres, h, params);
}

static int run_uneven(double unit, double even, double odd) {
  uneven u = {
      .beam = {.stiffness = 4000.0, .damping = 4.0}, .unit = unit, .even = even, .odd = odd};
  ess_system system = beam_system(&u.beam, true);
  system.field = uneven_field;
  system.guards = uneven_guards;
  system.guard_jacobian = NULL;
  ess_options options = ess_options_default();
  options.rtol = 1e-4;
  options.atols = (const double[STATES]){1e-4 * unit, 1e-4, 1e-4 * unit, 1e-4};
  double x[STATES] = {START[0] * unit, START[1], START[2] * unit, START[3]};
  const toy_end end = toy_run(&system, &options, 0.0, END, x);
  assert_true(end.status || end.counters.through > 0);
  return end.status;
}

/* Outcome: neither what is the mean of both sides half-way, and is not affine elsewhere, nor units
 * of other states, in which these change by far more, hide that a field is not affine. */
TEST(hardly_affine) {
  for (double unit = 1e-9; unit < 1e10; unit *= 1e3) {
    assert_int_equal(run_uneven(unit, 0.0, 0.0), ESS_SUCCESS);
    assert_int_equal(run_uneven(unit, 0.5, 0.0), ESS_EWEIGHTS);
    assert_int_equal(run_uneven(unit, 0.0, 0.5), ESS_EWEIGHTS);
  }
}

TEST(without_guards) {
  const ess_system system = {.dimension = 1, .field = toy_clock, .weights = true};
  const ess_options options = ess_options_default();
  assert_string_equal(ess_check(&system, &options), "weights must be false when guard_count is 0");
}

/* what the observer saw, and where it is to stop */
typedef struct witness {
  size_t seen, stop_at;
  double latest;
  bool is_ordered, is_alternating;
  double sign[CONTACTS];
} witness;

ON_CROSSING_CODE(see) {
  witness *const w = context;
  w->is_ordered = w->is_ordered && info->t >= w->latest;
  w->latest = info->t;
  w->is_alternating = w->is_alternating && info->sign[info->guard] == (double)info->direction &&
                      w->sign[info->guard] != info->sign[info->guard];
  w->sign[info->guard] = info->sign[info->guard];
  return ++w->seen == w->stop_at;
}

/* Outcome: observers hear of every crossing, in the order of time, and may stop at any; the run
 * then goes on to the same end. */
TEST(observed) {
  beam b = {.stiffness = 4000.0, .damping = 4.0};
  const ess_system system = beam_system(&b, true);
  ess_options options = toy_options(1e-4);
  const outcome alone = run_with(&system, &options, 1);
  for (size_t stop = 0; stop < 90; stop += 7) {
    witness w = {.stop_at = stop, .is_ordered = true, .is_alternating = true};
    for (size_t k = 0; k < CONTACTS; k++) w.sign[k] = -1.0;
    options.observer = (ess_observer){.crossing = see, .context = &w};
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double t = 0.0, x[STATES];
    memcpy(x, START, sizeof x);
    int status = ess_driver_apply(d, &t, END, x);
    if (stop) {
      assert_int_equal(status, ESS_ESTOP);
      assert_int_equal(w.seen, stop);
      assert_true(t == w.latest);
      assert_int_equal(ess_driver_counters(d)->crossings, stop);
      status = ess_driver_apply(d, &t, END, x);
    }
    assert_int_equal(status, ESS_SUCCESS);
    assert_true(w.is_ordered && w.is_alternating);
    assert_int_equal(w.seen, ess_driver_counters(d)->crossings);
    for (size_t i = 0; i < STATES; i++)
      assert_true(fabs(x[i] - alone.x[i]) <= 400.0 * 1e-4 * (1.0 + fabs(alone.x[i])));
    ess_driver_free(d);
  }
}

/* Outcome: limits end a run in their statuses, with the state of that moment. */
TEST(limits) {
  beam b = {.stiffness = 4000.0, .damping = 4.0};
  const ess_system system = beam_system(&b, true);
  for (uint64_t most = 1; most < 100; most += 9) {
    ess_options options = toy_options(1e-3);
    options.max_crossings = most;
    const outcome crossings = run_with(&system, &options, 1);
    assert_int_equal(crossings.status, ESS_EMAXCROSSINGS);
    assert_int_equal(crossings.counters.crossings, most);
  }
  ess_options options = toy_options(1e-3);
  options.max_steps = 12;
  const outcome steps = run_with(&system, &options, 1);
  assert_int_equal(steps.status, ESS_EMAXSTEPS);
  assert_true(steps.t < END);
}

/* Outcome: the paper's method and stabilised steps do not go through crossings, and give the bits
 * that they give without the declaration. */
TEST(other_methods) {
  beam b = {.stiffness = 4000.0, .damping = 4.0};
  for (int method = 0; method < 2; method++) {
    ess_options options = method ? ess_options_default() : ess_options_paper();
    options.rtol = options.atol = 1e-4;
    if (method) options.base = ESS_BASE_RKC;
    ess_system system = beam_system(&b, false);
    const outcome without = run_with(&system, &options, 1);
    system.weights = true;
    const outcome with = run_with(&system, &options, 1);
    assert_int_equal(with.status, without.status);
    assert_int_equal(with.counters.through, 0);
    assert_memory_equal(with.states, without.states, sizeof with.states);
  }
}

#ifndef HOSTILE_SYSTEMS
#define HOSTILE_SYSTEMS 400
#endif

/* Outcome: hostile systems (hostile_systems.h) whose fields are declared affine, as they are: none
 * is wrong, an observer changes nothing, and steps do go through. */
TEST(hostile) {
  static hostile_system s;
  size_t through = 0;
  for (uint64_t seed = 0; seed < HOSTILE_SYSTEMS; seed++) {
    hostile_draw(&s, 900000 + seed);
    s.weights = true;
    hostile_path truth;
    hostile_truth(&s, 0.0, 1.0, &truth);
    if (truth.status || truth.is_unclear) continue;
    for (int i = 2; i < 9; i += 3) {
      const double tolerance = pow(10.0, -i);
      const hostile_outcome o = hostile_run(&s, &truth, tolerance, seed % 4 == 0);
      if (!(o.verdict != HOSTILE_WRONG && o.is_observed_alike))
        fail_msg("seed %lu at %g: error %g", (unsigned long)s.seed, tolerance, o.error);
      through += o.counters.through > 0;
    }
  }
  assert_true(through > HOSTILE_SYSTEMS / 20);
}

/* Outcome: hostile systems that were wrong once are not any more. The first six made one crossing
 * too many: of a guard that another's crossing had disarmed in the same step. Samples of the last
 * three were off by 108 to 415 tolerances: what their crossings took the path away from a quartic
 * by came to nothing in the middle of the step, the one place where that is measured. */
TEST(hostile_once) {
  static hostile_system s;
  static const uint64_t seeds[] = {2718, 2860, 24086, 27277, 28704, 28931, 42634, 94324, 116108};
  for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
    hostile_draw(&s, seeds[i]);
    s.weights = true;
    hostile_path truth;
    hostile_truth(&s, 0.0, 1.0, &truth);
    assert_int_equal(truth.status, ESS_SUCCESS);
    for (int j = 2; j < 8; j++)
      assert_true(hostile_run(&s, &truth, pow(10.0, -j), false).verdict != HOSTILE_WRONG);
  }
}

/* a body thrown up that passes heights, each of which pulls at it until it is slower than
 * something: the two event functions of a pair are crossed one soon after the other */
enum { PAIRS = 14 };

static double height_of(size_t k) {
  return 0.03 + 0.001 * (double)k;
}

typedef struct thrown {
  bool undone; /* slower than that the pull ends; else there is another one */
} thrown;

FIELD(thrown_field) {
  const thrown *const b = params;
  dxdt[0] = x[1];
  dxdt[1] = -10.0;
  for (size_t k = 0; k < PAIRS; k++) {
    const double passed = 0.5 + 0.5 * sign[k], fast = 0.5 + 0.5 * sign[PAIRS + k];
    const double pull = -0.2 - 3.0 * x[1];
    dxdt[1] += b->undone ? passed * fast * pull : passed * pull + 0.2 * (1.0 - fast);
  }
}

PLANES_EACH(thrown, 2, 2 * PAIRS, k < PAIRS ? x[0] : x[1],
            k < PAIRS ? height_of(k) : 0.02 * (double)((k - PAIRS) % 5) - 0.04);

ARMED_AT_START(thrown_start) {
  for (size_t k = 0; k < PAIRS; k++)
    armed[ESS_GUARD_DOWN(k)] = armed[ESS_GUARD_UP(PAIRS + k)] = armed[ESS_GUARD_DOWN(PAIRS + k)] =
        false;
}

/* Outcome: heights that are passed and undone within a step are crossed as often as by location,
 * and the states are as right; also where what ought to undo them does something else. */
TEST(touched_and_left) {
  size_t row_start[4 * PAIRS + 2] = {0}, row_guard[3 * PAIRS], entries = 0;
  signed char row_effect[3 * PAIRS];
  bool silent[4 * PAIRS] = {false};
  for (size_t j = 0; j < 4 * PAIRS; j++) {
    const size_t k = j / 2;
    if (k < PAIRS && j % 2 == 0) row_guard[entries++] = ESS_GUARD_DOWN(PAIRS + k);
    if (k < PAIRS && j % 2) row_guard[entries++] = ESS_GUARD_UP(k);
    if (k >= PAIRS && j % 2) row_guard[entries++] = ESS_GUARD_DOWN(k - PAIRS);
    row_start[j + 1] = entries;
  }
  row_start[4 * PAIRS + 1] = entries;
  memset(row_effect, 1, sizeof row_effect);
  const ess_reset_matrix resets = {row_start, row_guard, row_effect, silent, thrown_start};
  for (int undone = 0; undone < 2; undone++) {
    thrown b = {undone};
    for (size_t k = 0; k < PAIRS; k++) silent[ESS_GUARD_DOWN(k)] = undone;
    ess_system system = {.dimension = 2,
                         .guard_count = 2 * PAIRS,
                         OF_JACOBIAN(thrown),
                         .resets = &resets,
                         .params = &b};
    double truth[2] = {0.0};
    uint64_t crossings = 0, through = 0;
    for (int j = 12; j >= 1; j--) {
      const ess_options options = toy_options(pow(10.0, -j));
      system.weights = j < 12;
      double t = 0.0, x[2] = {0.0, 1.0};
      ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
      assert_non_null(d);
      assert_int_equal(ess_driver_apply(d, &t, 0.4, x), ESS_SUCCESS);
      const ess_counters *const c = ess_driver_counters(d);
      if (j == 12) {
        memcpy(truth, x, sizeof x);
        crossings = c->crossings;
      }
      const double off = fmax(fabs(x[0] - truth[0]), fabs(x[1] - truth[1])) / options.rtol;
      if (!(off <= 20.0)) fail_msg("undone %d at 1e-%d: off by %g tolerances", undone, j, off);
      if (j > 1) assert_int_equal(c->crossings, crossings);
      through += c->through;
      ess_driver_free(d);
    }
    assert_true(through > 0);
  }
}

/* a body that passes marks, all within a step; the one in the middle arms a guard whose event
 * function turns many times in such a step, at a frequency */
enum { MARKS = 7, TURNING = MARKS };

FIELD(passing_field) {
  dxdt[0] = 1.0 + 0.3 * (0.5 + 0.5 * sign[TURNING]);
  dxdt[1] = 1.0;
  for (size_t k = 0; k < MARKS; k++) dxdt[0] += 0.01 * (0.5 + 0.5 * sign[k]);
}

GUARDS(passing_guards) {
  for (size_t k = 0; k < MARKS; k++) h[k] = x[0] - 0.5 - 0.01 * (double)k;
  h[TURNING] = sin(*(const double *)params * x[1]) - 0.95;
}

GUARD_JACOBIAN(passing_jacobian) {
  const double frequency = *(const double *)params;
  memset(Dh, 0, 2 * (MARKS + 1) * sizeof *Dh);
  for (size_t k = 0; k < MARKS; k++) Dh[2 * k] = 1.0;
  Dh[2 * TURNING + 1] = frequency * cos(frequency * x[1]);
}

ARMED_AT_START(passing_start) {
  armed[ESS_GUARD_UP(TURNING)] = armed[ESS_GUARD_DOWN(TURNING)] = false;
}

/* Outcome: what a crossing arms in the midst of a step is crossed as often as where crossings are
 * located, however fast it turns: the values at the step's ends and middle say nothing of it. */
TEST(armed_on_the_way) {
  enum { GUARDS = 2 * (MARKS + 1) };
  size_t row_start[GUARDS + 2] = {0}, row_guard[3], entries = 0;
  signed char row_effect[3] = {1, 1, 1};
  for (size_t j = 0; j < GUARDS; j++) {
    if (j == ESS_GUARD_UP(MARKS / 2)) row_guard[entries++] = ESS_GUARD_UP(TURNING);
    if (j / 2 == TURNING) row_guard[entries++] = j % 2 ? j - 1 : j + 1;
    row_start[j + 1] = entries;
  }
  row_start[GUARDS + 1] = entries;
  const ess_reset_matrix resets = {row_start, row_guard, row_effect, NULL, passing_start};
  uint64_t through = 0;
  size_t wrong = 0;
  for (double frequency = 10.0; frequency < 200.0; frequency *= 1.05) {
    uint64_t crossings = 0;
    for (int j = 10; j >= 2; j -= 2) {
      const ess_system system = {.dimension = 2,
                                 .guard_count = MARKS + 1,
                                 OF_JACOBIAN(passing),
                                 .resets = &resets,
                                 .weights = j < 10,
                                 .params = &frequency};
      const ess_options options = toy_options(pow(10.0, -j));
      double t = 0.0, x[2] = {0.0, 0.0};
      ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
      assert_non_null(d);
      assert_int_equal(ess_driver_apply(d, &t, 1.5, x), ESS_SUCCESS);
      const ess_counters *const c = ess_driver_counters(d);
      if (j == 10) crossings = c->crossings;
      if (c->crossings != crossings) {
        print_error("at frequency %g and 1e-%d: %d crossings of %d\n", frequency, j,
                    (int)c->crossings, (int)crossings);
        wrong++;
      }
      through += c->through;
      ess_driver_free(d);
    }
  }
  assert_true(through > 0);
  assert_int_equal(wrong, 0);
}

/* Rooms with heaters by thermostats: the row of a room's upper temperature latches the sign of the
 * lower one, which is the heater. In the other rooms windows open at the same two temperatures. */
enum { ROOMS = 24 };

FIELD(rooms_field) {
  const size_t heated = *(const size_t *)params;
  for (size_t i = 0; i < ROOMS; i++) {
    const double warm = 0.5 + 0.5 * sign[2 * i], cold = 0.5 - 0.5 * sign[2 * i + 1];
    const double power = 3.0 + 0.01 * (double)i;
    dxdt[i] = -0.1 * (x[i] - 5.0);
    dxdt[i] +=
        i < heated ? power * cold : 1.5 + 4.0 * power * cos(2.0 * t) + 0.3 * cold - 0.2 * warm;
  }
}

PLANES_EACH(rooms, ROOMS, 2 * ROOMS, x[k / 2], k % 2 ? 20.0 : 20.2);

ARMED_AT_START(rooms_start) {
  for (size_t i = 0; i < *(const size_t *)params; i++)
    armed[ESS_GUARD_UP(2 * i + 1)] = armed[ESS_GUARD_DOWN(2 * i + 1)] = false;
}

/* Outcome: a row that changes a sign of which the field depends by itself has its crossings made
 * one by one, whatever the others do: it is no field that is not affine. */
TEST(latched_sign_acts) {
  const size_t heated[] = {0, 1, 4, ROOMS / 2, ROOMS};
  for (size_t i = 0; i < sizeof heated / sizeof *heated; i++) {
    size_t rooms = heated[i], row_start[4 * ROOMS + 2] = {0}, row_guard[4 * ROOMS];
    signed char row_effect[4 * ROOMS];
    memset(row_effect, 1, sizeof row_effect);
    for (size_t j = 0; j < 4 * ROOMS; j++) {
      const size_t thermostat = j % 4 == 0 ? j + 3 : j - 3, mirror = j ^ 1;
      const bool is_heated = j / 4 < rooms;
      row_start[j + 1] = row_start[j];
      if (!is_heated || j % 4 == 0 || j % 4 == 3)
        row_guard[row_start[j + 1]++] = is_heated ? thermostat : mirror;
    }
    row_start[4 * ROOMS + 1] = row_start[4 * ROOMS];
    const ess_reset_matrix resets = {row_start, row_guard, row_effect, NULL, rooms_start};
    ess_system system = {.dimension = ROOMS,
                         .guard_count = 2 * ROOMS,
                         OF_JACOBIAN(rooms),
                         .resets = &resets,
                         .params = &rooms};
    double truth[ROOMS];
    uint64_t through = 0;
    for (int j = 12; j >= 2; j -= j == 12 ? 5 : 1) {
      const ess_options options = toy_options(pow(10.0, -j));
      double x[ROOMS];
      for (size_t r = 0; r < ROOMS; r++) x[r] = 17.0 + 0.07 * (double)(r % 7);
      system.weights = j < 12;
      const toy_end end = toy_succeeds(&system, &options, 0.0, 10.0, x);
      through += end.counters.through;
      if (j == 12) memcpy(truth, x, sizeof x);
      for (size_t r = 0; r < ROOMS; r++)
        if (!(fabs(x[r] - truth[r]) <= 20.0 * options.rtol * (1.0 + fabs(truth[r]))))
          fail_msg("%zu heated, room %zu at 1e-%d: off by %g", rooms, r, j, x[r] - truth[r]);
    }
    assert_true(through > 0 || rooms == ROOMS);
  }
}
