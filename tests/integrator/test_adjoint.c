/*
 * The adjoint of runs with parameters is what tangents are, to rounding where Jacobians are given;
 * what it costs, and what is refused.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ess_tangents.h"
#include "parameter_systems.h"

enum { BYTES = 1 << 24 };

typedef struct backward {
  double start[STATES * (STATES + 1)], parameters[MOST * (STATES + 1)];
  ess_counters plain, counters;
} backward;

/* outcomes: the states, and where the run ends on an event the time */
static backward go_back(const kind *k, double tolerance, const outcome *forward) {
  double values[MOST], outcomes[STATES * (STATES + 1)] = {0.0}, times[STATES + 1] = {0.0};
  memcpy(values, k->value, sizeof values);
  const ess_system system = system_of(k, values);
  ess_options options = toy_options(tolerance);
  if (k->slides) options.sliding = ESS_SLIDING_FILIPPOV;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_non_null(d);
  assert_int_equal(ess_driver_record(d, BYTES), ESS_SUCCESS);
  backward b = {0};
  double x[STATES], t = 0.0;
  memcpy(x, k->start, sizeof x);
  const int status = ess_driver_apply(d, &t, k->until, x);
  assert_int_equal(status, k->watches ? ESS_ESTOP : ESS_SUCCESS);
  // steps before a crossing of a stiff field err by less than those of tangents
  if (!is_stiff(k)) assert_memory_equal(x, forward->x, k->n * sizeof *x);
  b.plain = *ess_driver_counters(d);
  const size_t count = k->n + k->watches;
  for (size_t i = 0; i < k->n; i++) outcomes[i * count + i] = 1.0;
  times[k->n] = 1.0;
  // a second time it says the same
  for (int again = 0; again < 2; again++) {
    const int found = k->watches ? ess_driver_adjoint_section(d, k->m, count, outcomes, times,
                                                              b.start, b.parameters)
                                 : ess_driver_adjoint(d, count, outcomes, b.start, b.parameters);
    if (found) fail_msg("%s: %s", k->name, ess_strerror(found));
    if (!again) b.counters = *ess_driver_counters(d);
  }
  assert_memory_equal(values, k->value, sizeof values);
  assert_true(ess_driver_recorded(d) > 0 && ess_driver_recorded(d) < BYTES);
  ess_driver_free(d);
  return b;
}

TEST(it_is_what_tangents_are) {
  for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
    const kind *const k = &KINDS[i];
    const size_t all = k->n + k->p, count = k->n + k->watches;
    const outcome o = run(k, k->start, k->value, TOLERANCE, true);
    const backward b = go_back(k, TOLERANCE, &o);
    const double allowed = k->m == GUARDS ? 1e-4 : k->jacobian ? 1e-10 : 2e-6;
    for (size_t j = 0; j < all; j++) {
      const double size = j < k->n ? 1.0 : fabs(k->value[j - k->n]);
      for (size_t c = 0; c < count; c++) {
        const double given = c == k->n ? o.Dt[j] : o.D[c * all + j];
        const double found =
            j < k->n ? b.start[j * count + c] : b.parameters[(j - k->n) * count + c];
        if (!(fabs(given - found) <= allowed * (1.0 / size + fabs(given))))
          fail_msg("%s: of %zu by %zu: %.12g, by tangents %.12g", k->name, c, j, found, given);
      }
    }
  }
}

/* with Jacobians given: the forward run, its steps made again, and a Jacobian for each stage */
TEST(it_costs_no_more_than_four_runs) {
  size_t compared = 0;
  for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
    const kind *const k = &KINDS[i];
    if (!k->jacobian || !k->field_by) continue;
    const outcome plain = run(k, k->start, k->value, TOLERANCE, false);
    const ess_counters made = go_back(k, TOLERANCE, &plain).counters;
    const uint64_t calls = made.field_evaluations + made.field_jacobian_evaluations;
    assert_true(calls <= 4 * plain.counters.field_evaluations);
    compared++;
  }
  assert_true(compared >= 4);
}

/* a pendulum that is driven by so many forces, each of which has a parameter, and passes
 * upright */
typedef struct driven {
  size_t count;
  double *force;
  uint64_t calls; /* of derivatives by parameters */
} driven;

/* of force i at a time: none is faster than those that the run feels, as its steps are */
static double turn(size_t i, double t) {
  return cos((1.0 + (double)(i % 2)) * t + 1e-3 * (double)(i / 2));
}

FIELD(drive) {
  const driven *const p = params;
  dxdt[0] = x[1];
  dxdt[1] = -sin(x[0]) - 0.1 * sign[0];
  for (size_t i = 0; i < p->count; i++) dxdt[1] += p->force[i] * turn(i, t);
}

FIELD_JACOBIAN(drive_jacobian) {
  J[0] = J[3] = 0.0;
  J[1] = 1.0;
  J[2] = -cos(x[0]);
}

FIELD_BY(drive_by) {
  driven *const p = params;
  p->calls++;
  for (size_t i = 0; i < p->count; i++) {
    Fp[i] = 0.0;
    Fp[p->count + i] = turn(i, t);
  }
}

PLANES(upright, 2, (x[0]), (0.0));

static int upright_by(double t, const double x[], double hp[], void *params) {
  driven *const p = params;
  p->calls++;
  memset(hp, 0, p->count * sizeof *hp);
  return 0;
}

/* Calls of field and Jacobian are some three runs, and those of the derivative by parameters one
 * more, whether they are two or two thousand: most steps' last stage is the first of the next. */
TEST(it_costs_the_same_for_any_number_of_parameters) {
  const size_t counts[] = {2, 2000};
  uint64_t calls[2];
  for (int which = 0; which < 2; which++) {
    driven p = {.count = counts[which]};
    p.force = calloc(p.count, sizeof *p.force);
    double *const by = calloc(p.count, sizeof *by), start[2];
    assert_true(p.force && by);
    p.force[0] = 0.05;
    p.force[1] = 0.1;
    const ess_system system = {.dimension = 2,
                               .guard_count = 1,
                               .field = drive,
                               .guards = upright_guards,
                               .guard_jacobian = upright_jacobian,
                               .field_jacobian = drive_jacobian,
                               .parameters = p.count,
                               .parameter_values = p.force,
                               .field_parameter_jacobian = drive_by,
                               .guard_parameter_jacobian = upright_by,
                               .params = &p};
    const ess_options options = toy_options(1e-9);
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double x[2] = {1.0, 0.0}, t = 0.0;
    const double position[2] = {1.0, 0.0};
    assert_int_equal(ess_driver_apply(d, &t, 30.0, x), ESS_SUCCESS);
    const uint64_t run = ess_driver_counters(d)->field_evaluations;
    assert_true(ess_driver_counters(d)->crossings >= 5);
    ess_driver_reset(d);
    x[0] = 1.0;
    x[1] = t = 0.0;
    assert_int_equal(ess_driver_record(d, BYTES), ESS_SUCCESS);
    assert_int_equal(ess_driver_apply(d, &t, 30.0, x), ESS_SUCCESS);
    assert_int_equal(ess_driver_adjoint(d, 1, position, start, by), ESS_SUCCESS);
    const ess_counters *const made = ess_driver_counters(d);
    const uint64_t of_field = made->field_evaluations + made->field_jacobian_evaluations;
    calls[which] = of_field + p.calls;
    print_message("%zu parameters: %.3f runs, with derivatives by them %.3f\n", p.count,
                  (double)of_field / (double)run, (double)calls[which] / (double)run);
    assert_true(4 * of_field <= 13 * run);
    assert_true(4 * calls[which] <= 17 * run);
    ess_driver_free(d);
    free(p.force);
    free(by);
  }
  assert_true(calls[0] == calls[1]);
}

/* ---- where events meet ----------------------------------------------------------------------- */

enum { LINES = 12 };

/* y grows, once x has passed two places, by either and by both; z by how many of all it has passed
 */
FIELD(at_places_field) {
  const double *const p = params;
  dxdt[0] = 1.0 + (sign[0] > 0.0 ? p[LINES] : 0.0);
  dxdt[1] = sign[0] > 0.0 && sign[1] > 0.0 ? 1.0 : 0.0;
  dxdt[2] = 0.0;
  for (int k = 0; k < LINES; k++) dxdt[2] += sign[k] > 0.0 ? 0.1 * k : 0.0;
}

GUARDS(at_places_guards) {
  for (int k = 0; k < LINES; k++) h[k] = x[0] - ((const double *)params)[k];
}

/* as many as are at 1, the others are far away: the adjoint against the tangents of each piece */
TEST(it_takes_the_piece_that_is_chosen) {
  for (size_t at = 2; at <= LINES; at += LINES - 2) {
    double p[LINES + 1];
    for (size_t k = 0; k < LINES; k++) p[k] = k < at ? 1.0 : 100.0;
    p[LINES] = at == 2 ? 0.5 : 0.0; // without it what many add, adds up but for one product
    const ess_system system = {.dimension = 3,
                               .guard_count = LINES,
                               OF(at_places),
                               .parameters = LINES + 1,
                               .parameter_values = p,
                               .params = p};
    const ess_options options = ess_options_default();
    enum { ALL = 3 + LINES + 1 };
    size_t pieces = 1;
    for (size_t piece = 0; piece < pieces; piece++) {
      ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
      double x[3] = {0.0}, t = 0.0, D[3 * ALL];
      if (at == 2) {
        assert_int_equal(ess_driver_follow_parameters(d, ALL, NULL, NULL), ESS_SUCCESS);
        assert_int_equal(ess_driver_choose_piece(d, piece), ESS_SUCCESS);
        assert_int_equal(ess_driver_apply(d, &t, 3.0, x), ESS_SUCCESS);
        pieces = ess_driver_smoothness(d)->pieces;
        assert_int_equal(pieces, 2);
        memcpy(D, ess_driver_tangent(d), sizeof D);
      }
      ess_driver_reset(d);
      x[0] = x[1] = x[2] = t = 0.0;
      assert_int_equal(ess_driver_record(d, BYTES), ESS_SUCCESS);
      assert_null(ess_driver_tangent(d));
      if (piece) assert_int_equal(ess_driver_choose_piece(d, piece), ESS_SUCCESS);
      // in two calls: the second goes on
      assert_int_equal(ess_driver_apply(d, &t, 0.5, x), ESS_SUCCESS);
      assert_int_equal(ess_driver_apply(d, &t, 3.0, x), ESS_SUCCESS);
      const ess_smooth smooth = ess_driver_smoothness(d)->kind;
      assert_int_equal(smooth, at == 2 ? ESS_SMOOTH_PIECEWISE : ESS_SMOOTH_NOT_COUNTED);
      assert_int_equal(ess_driver_smoothness(d)->instants, 1);
      const double outcomes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
      double start[9], by[3 * (LINES + 1)];
      assert_int_equal(ess_driver_adjoint(d, 3, outcomes, start, by), ESS_SUCCESS);
      for (size_t c = 0; at == 2 && c < 3; c++) {
        for (size_t j = 0; j < 3; j++) assert_true(fabs(start[j * 3 + c] - D[c * ALL + j]) < 1e-8);
        for (size_t j = 0; j < LINES + 1; j++)
          assert_true(fabs(by[j * 3 + c] - D[c * ALL + 3 + j]) < 1e-8);
      }
      // of many: in the order in which they are listed the first two come first
      for (size_t j = 0; at > 2 && j < LINES; j++) {
        assert_true(fabs(by[j * 3 + 2] + 0.1 * (double)j) < 1e-7);
        assert_true(fabs(by[j * 3 + 1] + (j == 1)) < 1e-7);
      }
      // the section is one of several events
      assert_int_equal(ess_driver_adjoint_section(d, LINES, 3, outcomes, NULL, start, by),
                       ESS_EINVAL);
      ess_driver_free(d);
    }
  }
}

/* ---- checkpoints ----------------------------------------------------------------------------- */

/* two oscillators for a long time, one of which bounces; how often it does is seen from outside */
static int told;

ON_IMPACT(count_impacts) {
  told++;
}

/* a recording in little room is what it is in much: the run is made again, page by page, and nobody
 * hears of it */
TEST(checkpoints_give_the_same_in_less_room) {
  for (int which = 0; which < 3; which++) {
    const kind *const k = &KINDS[which == 0 ? 1 : which == 1 ? 8 : 9];
    const double until = which == 1 ? 2.9 : 60.0;
    double values[MOST], found[2][STATES * STATES + MOST * STATES], end[2][STATES], samples[40];
    size_t needed = 0, bytes = (size_t)1 << 26;
    for (int little = 0; little < 2; little++) {
      memcpy(values, k->value, sizeof values);
      if (which == 1) values[1] = 0.97;
      const ess_system system = system_of(k, values);
      ess_options options = toy_options(1e-13);
      options.h_max = 1.2e-5 * until;
      options.observer.impact = count_impacts;
      if (k->slides) options.sliding = ESS_SLIDING_FILIPPOV;
      ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
      assert_int_equal(ess_driver_record(d, bytes), ESS_SUCCESS);
      double x[STATES], t = 0.0, outcomes[STATES * STATES] = {0.0}, times[10];
      memcpy(x, k->start, sizeof x);
      for (size_t i = 0; i < k->n; i++) outcomes[i * k->n + i] = 1.0;
      for (int i = 0; i < 10; i++) times[i] = 0.1 * until * i;
      told = 0;
      assert_int_equal(ess_driver_apply(d, &t, 0.0, x), ESS_SUCCESS);
      assert_int_equal(ess_driver_sample(d, &t, 0.9 * until, x, times, 10, samples), ESS_SUCCESS);
      assert_int_equal(ess_driver_apply(d, &t, until, x), ESS_SUCCESS);
      const int impacts = told;
      const ess_counters made = *ess_driver_counters(d);
      memcpy(end[little], x, sizeof end[little]);
      double again[STATES * STATES], by[MOST * STATES];
      double *const start = found[little], *const parameters = start + k->n * k->n;
      memset(samples, 0, sizeof samples);
      assert_int_equal(ess_driver_adjoint(d, k->n, outcomes, start, parameters), ESS_SUCCESS);
      const uint64_t calls = ess_driver_counters(d)->field_evaluations;
      assert_true(calls >= made.field_evaluations);
      assert_true(ess_driver_counters(d)->steps == made.steps);
      assert_int_equal(ess_driver_adjoint(d, k->n, outcomes, again, by), ESS_SUCCESS);
      assert_memory_equal(again, start, k->n * k->n * sizeof *start);
      assert_memory_equal(by, parameters, k->p * k->n * sizeof *by);
      assert_int_equal(told, impacts);
      for (int i = 0; i < 40; i++) assert_true(samples[i] == 0.0);
      // and the run goes on as if nothing had been
      assert_int_equal(ess_driver_apply(d, &t, 1.01 * until, x), ESS_SUCCESS);
      assert_memory_equal(little ? end[1] : end[0], end[0], k->n * sizeof(double));
      needed = ess_driver_recorded(d);
      bytes = little ? bytes : needed - needed / 4;
      assert_true(needed > 1000000);
      ess_driver_free(d);
    }
    assert_memory_equal(found[0], found[1], (k->n + k->p) * k->n * sizeof(double));
  }
}

/* a swing whose event function takes the time */
FIELD(swing_field) {
  dxdt[0] = x[1];
  dxdt[1] = -x[0] - 0.05 * (1.0 + sign[0]);
}

GUARDS(swing_guards) {
  h[0] = x[0] - 0.3 * sin(t);
}

/* Where event functions take the time it is a state more, which a run has to rounding, and each
 * apply anew: a run that is made again was held to differ. */
TEST(a_run_of_many_applies_is_made_again_where_event_functions_move) {
  const ess_system system = {.dimension = 2, .guard_count = 1, OF(swing), .guards_move = true};
  ess_options options = ess_options_default();
  options.base = ESS_BASE_RKC;
  options.h_max = 1e-4;
  double found[2][2];
  for (int little = 0; little < 2; little++) {
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    assert_int_equal(ess_driver_record(d, little ? 1 << 22 : 1 << 26), ESS_SUCCESS);
    double t = 0.0, x[2] = {1.0, 0.0};
    const double first[2] = {1.0, 0.0};
    for (int i = 1; i <= 5; i++) assert_int_equal(ess_driver_apply(d, &t, 0.9 * i, x), ESS_SUCCESS);
    assert_int_equal(ess_driver_adjoint(d, 1, first, found[little], NULL), ESS_SUCCESS);
    ess_driver_free(d);
  }
  for (int i = 0; i < 2; i++) assert_true(fabs(found[0][i] - found[1][i]) < 1e-12);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static ess_driver *recorded(const kind *k, double values[], size_t bytes, double until,
                            int status) {
  const ess_system system = system_of(k, values);
  const ess_options options = ess_options_default();
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double x[STATES], t = 0.0;
  memcpy(x, k->start, sizeof x);
  assert_int_equal(ess_driver_record(d, bytes), ESS_SUCCESS);
  assert_int_equal(ess_driver_apply(d, &t, until, x), status);
  return d;
}

TEST(a_recording_that_is_too_short_says_how_long_it_should_be) {
  double values[MOST], weights[STATES] = {1.0}, start[2][STATES], by[2][MOST];
  memcpy(values, KINDS[1].value, sizeof values);
  ess_driver *d = recorded(&KINDS[1], values, 1000, 6.0, ESS_SUCCESS);
  const size_t needed = ess_driver_recorded(d);
  assert_true(needed > 1000);
  assert_int_equal(ess_driver_adjoint(d, 1, weights, start[0], by[0]), ESS_ENOMEM);
  assert_int_equal(ess_driver_failure(d)->status, ESS_ENOMEM);
  ess_driver_free(d);
  d = recorded(&KINDS[1], values, needed, 6.0, ESS_SUCCESS);
  assert_int_equal(ess_driver_recorded(d), needed);
  assert_int_equal(ess_driver_adjoint(d, 1, weights, start[0], by[0]), ESS_SUCCESS);
  // either alone
  assert_int_equal(ess_driver_adjoint(d, 1, weights, start[1], NULL), ESS_SUCCESS);
  assert_int_equal(ess_driver_adjoint(d, 1, weights, NULL, by[1]), ESS_SUCCESS);
  assert_memory_equal(start[0], start[1], sizeof start[0]);
  assert_memory_equal(by[0], by[1], 4 * sizeof(double));
  ess_driver_free(d);
  d = recorded(&KINDS[1], values, needed - 8, 6.0, ESS_SUCCESS);
  assert_int_equal(ess_driver_adjoint(d, 1, weights, start[0], by[0]), ESS_ENOMEM);
  // another run is recorded from its beginning
  ess_driver_reset(d);
  assert_int_equal(ess_driver_recorded(d), 0);
  ess_driver_free(d);
}

FIELD_JACOBIAN(broken_field) {
  forced_jacobian(t, x, sign, J, params);
  J[3] = NAN;
}

FIELD_BY_CODE(failing_by) {
  forced_by(t, x, sign, Fp, params);
  return 5;
}

TEST(what_makes_no_sense_is_refused) {
  double values[MOST], weights[STATES] = {1.0}, start[STATES], by[MOST], x[STATES], t = 0.0;
  memcpy(values, KINDS[1].value, sizeof values);
  ess_driver *d = recorded(&KINDS[1], values, BYTES, 3.0, ESS_SUCCESS);
  assert_int_equal(ess_driver_record(NULL, 1), ESS_EINVAL);
  assert_int_equal(ess_driver_adjoint(NULL, 1, weights, start, by), ESS_EINVAL);
  assert_int_equal(ess_driver_adjoint_section(NULL, 0, 1, weights, NULL, start, by), ESS_EINVAL);
  assert_int_equal(ess_driver_recorded(NULL), 0);
  assert_int_equal(ess_driver_adjoint(d, 0, weights, start, by), ESS_EINVAL);
  assert_int_equal(ess_driver_adjoint(d, SIZE_MAX / 64, weights, start, by), ESS_EINVAL);
  assert_int_equal(ess_driver_adjoint(d, 1, NULL, start, by), ESS_EINVAL);
  assert_int_equal(ess_driver_adjoint_section(d, 3, 1, weights, NULL, start, by), ESS_EINVAL);
  weights[1] = NAN;
  assert_int_equal(ess_driver_adjoint(d, 1, weights, start, by), ESS_EINVAL);
  assert_non_null(strstr(ess_driver_failure(d)->reason, "outcomes"));
  weights[1] = 0.0;
  double Dt[STATES];
  assert_int_equal(ess_driver_section(d, 0, Dt, NULL), ESS_EINVAL);
  assert_int_equal(ess_driver_adjoint(d, 1, weights, start, by), ESS_SUCCESS);
  // tangents end the recording
  assert_int_equal(ess_driver_follow(d, 4, NULL), ESS_SUCCESS);
  assert_int_equal(ess_driver_adjoint(d, 1, weights, start, by), ESS_EINVAL);
  assert_int_equal(ess_driver_record(d, BYTES), ESS_SUCCESS);
  assert_int_equal(ess_driver_record(d, 0), ESS_SUCCESS);
  assert_int_equal(ess_driver_adjoint(d, 1, weights, start, by), ESS_EINVAL);
  assert_int_equal(ess_driver_record(d, SIZE_MAX), ESS_ENOMEM);
  assert_int_equal(ess_driver_failure(d)->status, ESS_ENOMEM);
  ess_driver_free(d);

  ess_system system = system_of(&KINDS[1], values);
  ess_options options = ess_options_paper();
  d = ess_driver_alloc(&system, &options, NULL);
  assert_int_equal(ess_driver_record(d, BYTES), ESS_EINVAL);
  assert_non_null(strstr(ess_driver_failure(d)->reason, "PAPER"));
  ess_driver_free(d);
  // nor does a recording that has begun go on by it
  d = recorded(&KINDS[1], values, BYTES, 3.0, ESS_SUCCESS);
  assert_int_equal(ess_driver_set_options(d, &options), ESS_EINVAL);
  assert_non_null(strstr(ess_driver_failure(d)->reason, "PAPER"));
  assert_int_equal(ess_driver_record(d, 0), ESS_SUCCESS);
  assert_int_equal(ess_driver_set_options(d, &options), ESS_SUCCESS);
  ess_driver_free(d);

  options = ess_options_default();
  for (int what = 0; what < 2; what++) {
    system = system_of(&KINDS[1], values);
    if (what) system.field_jacobian = broken_field;
    if (!what) system.field_parameter_jacobian = failing_by;
    d = ess_driver_alloc(&system, &options, NULL);
    memcpy(x, KINDS[1].start, sizeof x);
    t = 0.0;
    assert_int_equal(ess_driver_record(d, BYTES), ESS_SUCCESS);
    assert_int_equal(ess_driver_apply(d, &t, 3.0, x), ESS_SUCCESS);
    assert_int_equal(ess_driver_adjoint(d, 1, weights, start, by),
                     what ? ESS_EFIELD : ESS_ECALLBACK);
    ess_driver_free(d);
  }
}

/* ---- where there is no derivative ------------------------------------------------------------ */

/* a ball thrown up to just where a ceiling is */
GUARDS(ceiling) {
  h[0] = ((const double *)params)[2] - x[0];
}

TEST(where_there_is_no_derivative_there_is_its_status) {
  double values[MOST] = {9.81, 0.8, 0.0}, weights[2] = {1.0, 0.0}, start[2], by[3];
  kind graze = KINDS[7];
  graze.guards = ceiling;
  graze.start[0] = -0.5 * 9.81;
  graze.start[1] = 9.81;
  const ess_system system = system_of(&graze, values);
  const ess_options options = ess_options_default();
  int ended[2];
  for (int records = 0; records < 2; records++) {
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double x[2] = {graze.start[0], graze.start[1]}, t = 0.0;
    if (records) assert_int_equal(ess_driver_record(d, BYTES), ESS_SUCCESS);
    if (!records) assert_int_equal(ess_driver_follow_parameters(d, 5, NULL, NULL), ESS_SUCCESS);
    ended[records] = ess_driver_apply(d, &t, 2.0, x);
    if (records) assert_int_equal(ess_driver_adjoint(d, 1, weights, start, by), ended[1]);
    ess_driver_free(d);
  }
  assert_int_equal(ended[0], ended[1]);
  assert_int_equal(ended[0], ESS_EGRAZING);
}
