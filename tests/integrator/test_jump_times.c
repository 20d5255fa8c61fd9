/*
 * Derivatives by the times at which the field jumps: of a train of a thousand pulses, in closed
 * form; of a nonlinear field that also depends on the times otherwise, against differences of
 * whole runs; while the state slides; and where an event is simultaneous.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>

#include "callbacks.h"
#include "ess_tangents.h"
#include "test.h"
#include "toy.h"

/* ---- a train --------------------------------------------------------------------------------- */

/* x' = -DECAY x + u, where u is 1 from each odd time to the next, and 0 otherwise */
enum { TIMES = 1000, ALL = 1 + TIMES };
static const double DECAY = 0.01, END = 500.0;

typedef struct train {
  double time[TIMES];
  size_t index[TIMES]; /* the last time is the first parameter */
  double value[TIMES];
} train;

static train make_train(void) {
  train s;
  for (size_t i = 0; i < TIMES; i++) {
    s.time[i] = 0.5 * (double)i + 0.2 + 0.15 * sin((double)(i * i));
    s.index[i] = TIMES - 1 - i;
    s.value[s.index[i]] = s.time[i];
  }
  return s;
}

/* how many times are at or below t */
static size_t count_passed(const double time[], size_t count, double t) {
  size_t below = 0;
  while (count > below) {
    const size_t middle = below + (count - below) / 2;
    if (time[middle] <= t)
      below = middle + 1;
    else
      count = middle;
  }
  return below;
}

FIELD(train_field) {
  dxdt[0] = (double)(count_passed(AS(train)->time, TIMES, t) % 2) - DECAY * x[0];
}

FIELD_JACOBIAN(train_field_jacobian) {
  J[0] = -DECAY;
}

FIELD_BY(train_by) {
  memset(Fp, 0, TIMES * sizeof *Fp);
}

static ess_system train_system(train *s) {
  return (ess_system){.dimension = 1,
                      .field = train_field,
                      .field_jacobian = train_field_jacobian,
                      .field_parameter_jacobian = train_by,
                      .parameters = TIMES,
                      .parameter_values = s->value,
                      .field_jumps = s->time,
                      .field_jump_count = TIMES,
                      .field_jump_parameters = s->index,
                      .params = s};
}

/* by the start, and then by parameter */
static void find_right(const train *s, bool backward, double by[ALL]) {
  const double way = backward ? -1.0 : 1.0, end = backward ? 0.0 : END;
  by[0] = exp(-DECAY * way * END);
  for (size_t i = 0; i < TIMES; i++) {
    const double rise = i % 2 ? -1.0 : 1.0;
    by[1 + s->index[i]] = -way * rise * exp(-DECAY * (end - s->time[i]));
  }
}

typedef enum means { TANGENTS, CHECKPOINTS, ONE_PAGE } means;

typedef struct row {
  ess_base base;
  ess_method method;
  means by;
  bool backward;
  size_t parts;    /* that the run is made in, each of which ends at a jump or shortly after one */
  double accuracy; /* of the derivatives */
} row;

static void check_train(const row *r) {
  static double by[ALL], right[ALL];
  train s = make_train();
  const ess_system system = train_system(&s);
  ess_options options = r->method == ESS_METHOD_PAPER ? ess_options_paper() : toy_options(1e-6);
  options.base = r->base;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_non_null(d);
  const size_t bytes = (size_t)1 << (r->by == CHECKPOINTS ? 22 : 28);
  const double outcome[1] = {1.0}, begin = r->backward ? END : 0.0;
  double t = begin, x[1] = {0.5};
  assert_int_equal(r->by == TANGENTS ? ess_driver_follow_parameters(d, ALL, NULL, NULL)
                                     : ess_driver_record(d, bytes),
                   ESS_SUCCESS);
  for (size_t i = 1; i < r->parts; i++) {
    const double jump = s.time[(r->backward ? r->parts - i : i) * (TIMES / r->parts)];
    assert_int_equal(ess_driver_apply(d, &t, i % 3 ? jump : jump + 1e-3, x), ESS_SUCCESS);
    // an adjoint in between changes nothing
    if (r->by == ONE_PAGE && i % 4 == 1)
      assert_int_equal(ess_driver_adjoint(d, 1, outcome, by, by + 1), ESS_SUCCESS);
  }
  assert_int_equal(ess_driver_apply(d, &t, END - begin, x), ESS_SUCCESS);
  if (r->by == TANGENTS) {
    memcpy(by, ess_driver_tangent(d), sizeof by);
  } else {
    assert_true(r->by == ONE_PAGE || ess_driver_recorded(d) > bytes / 4);
    assert_int_equal(ess_driver_adjoint(d, 1, outcome, by, by + 1), ESS_SUCCESS);
  }
  find_right(&s, r->backward, right);
  for (size_t j = 0; j < ALL; j++)
    if (!(fabs(by[j] - right[j]) <= r->accuracy * exp(r->backward ? DECAY * END : 0.0)))
      fail_msg("base %d, way %d, %s, %zu parts: by %zu: %.12g for %.12g", (int)r->base, (int)r->by,
               r->backward ? "backward" : "forward", r->parts, j, by[j], right[j]);
  ess_driver_free(d);
}

TEST(all_times_of_a_train_are_differentiated) {
  static const row rows[] = {
      {.accuracy = 1e-9},
      {.accuracy = 1e-9, .backward = true},
      {.accuracy = 1e-9, .parts = 20},
      {.accuracy = 1e-9, .parts = 20, .backward = true},
      {.accuracy = 1e-9, .by = CHECKPOINTS},
      {.accuracy = 1e-9, .by = CHECKPOINTS, .backward = true},
      {.accuracy = 1e-9, .by = CHECKPOINTS, .parts = 20},
      {.accuracy = 1e-9, .by = ONE_PAGE, .parts = 20},
      {.accuracy = 1e-9, .by = ONE_PAGE, .parts = 20, .backward = true},
      {.accuracy = 1e-4, .base = ESS_BASE_RKC},
      {.accuracy = 1e-4, .base = ESS_BASE_RKC, .parts = 20, .backward = true},
      {.accuracy = 1e-4, .base = ESS_BASE_RKC, .by = ONE_PAGE},
      {.accuracy = 1e-9, .base = ESS_BASE_CHOSEN, .by = ONE_PAGE},
      {.accuracy = 1e-9, .method = ESS_METHOD_PAPER},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) check_train(&rows[i]);
}

/* ---- a nonlinear field ----------------------------------------------------------------------- */

/* A pendulum that is pushed from p0 on, by p3 and what decays since then, and harder from p1 on; p2
 * ends that. Crossings of the speed's zero change its friction. */
enum { STATES = 2, PARAMETERS = 4, COLUMNS = STATES + PARAMETERS };

typedef struct pendulum {
  double p[PARAMETERS];
} pendulum;

static double push_of(const pendulum *s, double t) {
  const double *const p = s->p;
  double push = t >= p[0] ? p[3] * exp(p[0] - t) : 0.0;
  if (t >= p[1]) push += 0.5 + 0.2 * sin(3.0 * (t - p[1]));
  return t >= p[2] ? -0.3 : push;
}

FIELD(pendulum_field) {
  dxdt[0] = x[1];
  dxdt[1] = push_of(params, t) - sin(x[0]) - (sign[0] > 0.0 ? 0.2 : 0.1) * x[1] - 0.05 * sign[0];
}

GUARDS(pendulum_guards) {
  h[0] = x[1];
}

FIELD_JACOBIAN(pendulum_field_jacobian) {
  J[0] = 0.0;
  J[1] = 1.0;
  J[2] = -cos(x[0]);
  J[3] = sign[0] > 0.0 ? -0.2 : -0.1;
}

FIELD_BY(pendulum_by) {
  const double *const p = AS(pendulum)->p;
  const bool pushes = t < p[2];
  memset(Fp, 0, STATES * PARAMETERS * sizeof *Fp);
  if (pushes && t >= p[0]) Fp[4] = p[3] * exp(p[0] - t);
  if (pushes && t >= p[1]) Fp[5] = -0.6 * cos(3.0 * (t - p[1]));
  if (pushes && t >= p[0]) Fp[7] = exp(p[0] - t);
}

typedef struct kind {
  const char *name;
  bool backward, is_given, stops;
  double tolerance;
} kind;

static ess_system pendulum_system(pendulum *s, bool is_given) {
  static const size_t index[] = {0, 1, 2};
  return (ess_system){.dimension = STATES,
                      .guard_count = 1,
                      .field = pendulum_field,
                      .guards = pendulum_guards,
                      .field_jacobian = is_given ? pendulum_field_jacobian : NULL,
                      .field_parameter_jacobian = is_given ? pendulum_by : NULL,
                      .parameters = PARAMETERS,
                      .parameter_values = s->p,
                      .field_jumps = s->p,
                      .field_jump_count = 3,
                      .field_jump_parameters = index,
                      .params = s};
}

static const double STOPS[] = {0.7, 1.5, 3.9, 4.2, 5.1};

/* from 0 to 6; tangents [STATES][COLUMNS], or what an adjoint makes of them, or NULL */
static void run_pendulum(const kind *k, const double p[], const double start[], double tolerance,
                         double x[], double *D, bool records) {
  pendulum s;
  memcpy(s.p, p, sizeof s.p);
  const ess_system system = pendulum_system(&s, k->is_given);
  const ess_options options = toy_options(tolerance);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double t = k->backward ? 6.0 : 0.0;
  memcpy(x, start, STATES * sizeof *x);
  if (D)
    assert_int_equal(records ? ess_driver_record(d, (size_t)1 << 22)
                             : ess_driver_follow_parameters(d, COLUMNS, NULL, NULL),
                     ESS_SUCCESS);
  enum { COUNT = sizeof STOPS / sizeof *STOPS };
  for (size_t i = 0; k->stops && i < COUNT; i++)
    assert_int_equal(ess_driver_apply(d, &t, STOPS[k->backward ? COUNT - 1 - i : i], x),
                     ESS_SUCCESS);
  assert_int_equal(ess_driver_apply(d, &t, k->backward ? 0.0 : 6.0, x), ESS_SUCCESS);
  assert_true(ess_driver_counters(d)->crossings >= 1);
  if (D && !records) memcpy(D, ess_driver_tangent(d), STATES * COLUMNS * sizeof *D);
  for (size_t i = 0; records && i < STATES; i++) {
    const double outcome[STATES] = {i == 0, i == 1};
    double *const by = D + i * COLUMNS;
    assert_int_equal(ess_driver_adjoint(d, 1, outcome, by, by + STATES), ESS_SUCCESS);
  }
  ess_driver_free(d);
}

static const double TIMES_OF[PARAMETERS] = {0.7, 1.5, 4.2, 0.9}, START[STATES] = {0.3, 0.6};

/* column c moved */
static void run_beside(const kind *k, size_t c, double step, double x[]) {
  double p[PARAMETERS], start[STATES];
  memcpy(p, TIMES_OF, sizeof p);
  memcpy(start, START, sizeof start);
  *(c < STATES ? &start[c] : &p[c - STATES]) += step;
  run_pendulum(k, p, start, 1e-12, x, NULL, false);
}

static const kind KINDS[] = {
    {.name = "given", .is_given = true, .tolerance = 1e-10},
    {.name = "differences", .tolerance = 1e-10},
    {.name = "differences, loose", .tolerance = 1e-6},
    {.name = "given, stops", .is_given = true, .stops = true, .tolerance = 1e-10},
    {.name = "differences, stops", .stops = true, .tolerance = 1e-10},
    {.name = "given, backward", .is_given = true, .backward = true, .tolerance = 1e-10},
    {.name = "differences, backward", .backward = true, .tolerance = 1e-10},
    {.name = "differences, backward, stops", .backward = true, .stops = true, .tolerance = 1e-10},
};

TEST(a_nonlinear_field_is_as_differences_have_it) {
  for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
    const kind *const k = &KINDS[i];
    double x[STATES], D[STATES * COLUMNS], A[STATES * COLUMNS];
    run_pendulum(k, TIMES_OF, START, k->tolerance, x, D, false);
    run_pendulum(k, TIMES_OF, START, k->tolerance, x, A, true);
    const double step = 1e-3, allowed = 100.0 * k->tolerance + 3e-8;
    const kind whole = {.name = k->name, .backward = k->backward};
    for (size_t c = 0; c < COLUMNS; c++) {
      double up[STATES], down[STATES], up2[STATES], down2[STATES];
      run_beside(&whole, c, step, up);
      run_beside(&whole, c, -step, down);
      run_beside(&whole, c, 2.0 * step, up2);
      run_beside(&whole, c, -2.0 * step, down2);
      for (size_t l = 0; l < STATES; l++) {
        const double found = (8.0 * (up[l] - down[l]) - (up2[l] - down2[l])) / (12.0 * step);
        const double tangent = D[l * COLUMNS + c], adjoint = A[l * COLUMNS + c];
        if (!(fabs(tangent - found) <= allowed * (1.0 + fabs(found))))
          fail_msg("%s: of %zu by %zu: %.10g, by differences %.10g", k->name, l, c, tangent, found);
        if (!(fabs(tangent - adjoint) <= allowed * (1.0 + fabs(found))))
          fail_msg("%s: of %zu by %zu: %.10g, by the adjoint %.10g", k->name, l, c, tangent,
                   adjoint);
      }
    }
  }
}

/* directions that move all of them at once, by steps of both signs */
TEST(directions_of_several_times_are_sums) {
  static const double parameters[PARAMETERS] = {0.4, -0.7, 1.1, 0.3}, directions[STATES] = {0};
  double x[STATES], D[STATES * COLUMNS];
  run_pendulum(&KINDS[0], TIMES_OF, START, 1e-9, x, D, false);
  pendulum s;
  memcpy(s.p, TIMES_OF, sizeof s.p);
  const ess_system system = pendulum_system(&s, false);
  const ess_options options = toy_options(1e-9);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double t = 0.0;
  memcpy(x, START, sizeof x);
  assert_int_equal(ess_driver_follow_parameters(d, 1, directions, parameters), ESS_SUCCESS);
  assert_int_equal(ess_driver_apply(d, &t, 6.0, x), ESS_SUCCESS);
  for (size_t l = 0; l < STATES; l++) {
    double sum = 0.0;
    for (size_t j = 0; j < PARAMETERS; j++) sum += D[l * COLUMNS + STATES + j] * parameters[j];
    assert_true(fabs(ess_driver_tangent(d)[l] - sum) <= 1e-7 * (1.0 + fabs(sum)));
  }
  ess_driver_free(d);
}

/* From p0 to p1 only the push's decay counts, of the two; the next apply passes p1, also if an
 * adjoint has been taken before. Another run that begins at p1 has passed it. */
TEST(a_time_at_an_end_is_passed_by_the_next_apply) {
  const double outcome[2] = {0.0, 1.0};
  for (int records = 0; records < 2; records++) {
    double start[STATES], by[3][PARAMETERS], t = TIMES_OF[0], x[STATES];
    pendulum s;
    memcpy(s.p, TIMES_OF, sizeof s.p);
    memcpy(x, START, sizeof x);
    const ess_system system = pendulum_system(&s, true);
    const ess_options options = toy_options(1e-9);
    ess_driver *d = ess_driver_alloc(&system, &options, NULL);
    for (int run = 0; run < 3; run++) {
      if (run == 2) {
        ess_driver_free(d);
        d = ess_driver_alloc(&system, &options, NULL);
        t = TIMES_OF[1];
      }
      if (run != 1)
        assert_int_equal(records ? ess_driver_record(d, (size_t)1 << 20)
                                 : ess_driver_follow_parameters(d, COLUMNS, NULL, NULL),
                         ESS_SUCCESS);
      const double to = TIMES_OF[1] + (run ? 1e-6 : 0.0);
      assert_int_equal(ess_driver_apply(d, &t, to, x), ESS_SUCCESS);
      if (records)
        assert_int_equal(ess_driver_adjoint(d, 1, outcome, start, by[run]), ESS_SUCCESS);
      else
        memcpy(by[run], ess_driver_tangent(d) + COLUMNS + STATES, sizeof by[run]);
    }
    ess_driver_free(d);
    // the push grows by 0.5 there
    assert_true(by[0][0] > 0.2 && by[0][1] == 0.0);
    assert_true(fabs(by[1][0] - by[0][0]) < 1e-5 && fabs(by[1][1] + 0.5) < 1e-5);
    assert_true(fabs(by[2][0]) < 1e-5 && fabs(by[2][1]) < 1e-5);
  }
}

/* ---- slides ---------------------------------------------------------------------------------- */

/* x is held by friction at 0, but for a push from p0 to p1; z' = x, and y' is 1 from p2 to p3 while
 * x is held */
typedef struct pushed {
  double p[4];
} pushed;

FIELD(pushed_field) {
  const double *const p = AS(pushed)->p;
  dxdt[0] = (t >= p[0] && t < p[1] ? 2.0 : 0.0) - sign[0];
  dxdt[1] = x[0];
  dxdt[2] = t >= p[2] && t < p[3] ? 1.0 + 0.5 * sign[0] : 0.0;
}

GUARDS(pushed_guards) {
  h[0] = x[0];
}

ON_SLIDE_CODE(stop) {
  return 1;
}

/* to this time; how often it is stopped on the way */
static int go_on(ess_driver *d, double *t, double to, double x[]) {
  int stops = 0, status = ess_driver_apply(d, t, to, x);
  for (; status == ESS_ESTOP && stops < 9; stops++) status = ess_driver_apply(d, t, to, x);
  assert_int_equal(status, ESS_SUCCESS);
  return stops;
}

/* by tangents, and by recordings with checkpoints and without; in one apply, or stopped where
 * slides begin and end */
static void check_pushed(int records, bool stops) {
  enum { N = 3, P = 4, C = N + P };
  static const size_t index[] = {2, 0, 1, 3};
  // z: the area of a triangle with both slopes 1
  static const double right[N][P] = {{0.0}, {-1.0, 1.0, 0.0, 0.0}, {0.0, 0.0, -1.0, 1.0}};
  pushed s = {{1.0, 1.5, 0.5, 2.6}};
  const double at[] = {0.5, 1.0, 1.5, 2.6};
  const ess_system system = {.dimension = N,
                             .field = pushed_field,
                             .guard_count = 1,
                             .guards = pushed_guards,
                             .parameters = P,
                             .parameter_values = s.p,
                             .field_jumps = at,
                             .field_jump_count = 4,
                             .field_jump_parameters = index,
                             .params = &s};
  ess_options options = toy_options(1e-8);
  options.sliding = ESS_SLIDING_FILIPPOV;
  if (stops) options.observer.slide = stop;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double t = 0.0, x[N] = {0.3, 0.0, 0.0}, D[N][C];
  const size_t bytes = (size_t)1 << (records == 1 ? 22 : 25);
  assert_int_equal(records ? ess_driver_record(d, bytes)
                           : ess_driver_follow_parameters(d, C, NULL, NULL),
                   ESS_SUCCESS);
  const int stopped = go_on(d, &t, 1.0, x), stopped_later = go_on(d, &t, 3.0, x);
  assert_int_equal(stopped + stopped_later, stops ? 3 : 0);
  assert_int_equal(ess_driver_counters(d)->slides, 2);
  if (!records) memcpy(D, ess_driver_tangent(d), sizeof D);
  for (size_t i = 0; records && i < N; i++) {
    double outcome[N] = {0.0};
    outcome[i] = 1.0;
    assert_int_equal(ess_driver_adjoint(d, 1, outcome, D[i], D[i] + N), ESS_SUCCESS);
  }
  // y' is 1.5 instead of 1 while x is above 0, for twice as long as the push
  for (size_t i = 0; i < N; i++)
    for (size_t j = 0; j < P; j++) {
      const double more = i == 2 && j < 2 ? (j ? 1.0 : -1.0) : 0.0;
      if (!(fabs(D[i][N + j] - right[i][j] - more) < 1e-6))
        fail_msg("%d: of %zu by %zu: %.9g for %.9g", records, i, j, D[i][N + j],
                 right[i][j] + more);
    }
  ess_driver_free(d);
}

TEST(jumps_move_slides_and_their_ends) {
  for (int records = 0; records < 3; records++)
    for (int stops = 0; stops < 2; stops++) check_pushed(records, stops);
}

/* ---- events at the same instant -------------------------------------------------------------- */

/* x' = 1 until p0, then 2; at x = 1 it jumps by 1, or z' changes */
typedef struct meeting {
  double p[1];
  bool jumps;
} meeting;

FIELD(meeting_field) {
  dxdt[0] = t < AS(meeting)->p[0] ? 1.0 : 2.0;
  dxdt[1] = sign[0] > 0.0 ? x[0] : 0.0;
}

GUARDS(meeting_guards) {
  h[0] = x[0] - 1.0;
}

IMPACT_MAP(meeting_map) {
  impact->after[0] += 1.0;
}

static ess_driver *meet(meeting *s, const ess_impacts *impacts) {
  static const size_t index[] = {0};
  const ess_system system = {.dimension = 2,
                             .guard_count = 1,
                             OF(meeting),
                             .impacts = s->jumps ? impacts : NULL,
                             .parameters = 1,
                             .parameter_values = s->p,
                             .field_jumps = s->p,
                             .field_jump_count = 1,
                             .field_jump_parameters = index,
                             .params = s};
  const ess_options options = toy_options(1e-8);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_non_null(d);
  return d;
}

TEST(an_event_at_the_same_instant_is_refused) {
  static const bool up[] = {true, false};
  static const ess_impacts impacts = {.at = up, .map = meeting_map};
  static const double apart[] = {0.0, 1e-13, -1e-13, 0.01, -0.01};
  static const double none[2] = {1.0, 0.0}, no_parameter[1] = {0.0};
  for (int jumps = 0; jumps < 2; jumps++)
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++)
      for (int way = 0; way < 3; way++) {
        meeting s = {.p = {1.0 + apart[i]}, .jumps = jumps};
        ess_driver *const d = meet(&s, &impacts);
        double t = 0.0, x[2] = {0.0, 0.0}, by[2 * 3], start[2];
        const double outcome[2] = {1.0, 0.0};
        assert_int_equal(way == 0   ? ess_driver_follow_parameters(d, 3, NULL, NULL)
                         : way == 1 ? ess_driver_record(d, (size_t)1 << 20)
                                    : ess_driver_follow_parameters(d, 1, none, no_parameter),
                         ESS_SUCCESS);
        const int status = ess_driver_apply(d, &t, 2.0, x);
        if (way < 2 && fabs(apart[i]) < 1e-3) {
          assert_int_equal(status, ESS_EDISCONTINUOUS);
          assert_int_equal(ess_driver_failure(d)->guard, 0);
          assert_non_null(strstr(ess_driver_failure(d)->reason, "jump of the field"));
          assert_true(fabs(t - 1.0) < 1e-9);
          if (way == 1)
            assert_int_equal(ess_driver_adjoint(d, 1, outcome, start, by), ESS_EDISCONTINUOUS);
        } else {
          assert_int_equal(status, ESS_SUCCESS);
          if (way == 1) assert_int_equal(ess_driver_adjoint(d, 1, outcome, start, by), ESS_SUCCESS);
          const double by_time = way == 0 ? ess_driver_tangent(d)[2] : by[0];
          if (way < 2) assert_true(fabs(by_time + 1.0) < 1e-6);
        }
        ess_driver_free(d);
      }
}

/* ---- what is refused ------------------------------------------------------------------------- */

TEST(parameters_that_are_no_times_are_refused) {
  train s = make_train();
  ess_system system = train_system(&s);
  const ess_options options = toy_options(1e-6);
  assert_null(ess_check(&system, &options));
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_non_null(d);
  s.value[7] += 1e-9;
  const char *const differs =
      "each of field_jumps must be equal to the parameter that field_jump_parameters names";
  assert_string_equal(ess_check(&system, &options), differs);
  assert_int_equal(ess_driver_follow_parameters(d, ALL, NULL, NULL), ESS_EINVAL);
  assert_string_equal(ess_driver_failure(d)->reason, differs);
  assert_int_equal(ess_driver_record(d, (size_t)1 << 20), ESS_EINVAL);
  assert_string_equal(ess_driver_failure(d)->reason, differs);
  ess_driver_free(d);
  s.index[TIMES - 1 - 7] = SIZE_MAX; // a constant from now on
  assert_null(ess_check(&system, &options));
  s.index[3] = TIMES;
  assert_string_equal(ess_check(&system, &options),
                      "each of field_jump_parameters must be below parameters, or SIZE_MAX");
}
