/*
 * Tangents and adjoints where a call, a buffer or an argument decides, and a run alone does not
 * (cases/tangents.txt): what is refused, recordings of any size, drivers used again, faults amid
 * differences, and the cost of many parameters.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "driven.h"

enum { BYTES = 1 << 24, MOST = 64 };

static const char OSCILLATORS[] = "k = 2; d = 0.1; f = 0.2; w = 0.05\n"
                                  "p' = u; u' = -k*p - d*u + 0.2*cos(t) + f*([a] + 3*[c])\n"
                                  "q' = v; v' = -k*q - d*v + 0.2*cos(t + 1) + 2*f*[b]\n"
                                  "a: p - 0.3 - w; b: q + 0.1 - 2*w; c: p + 0.5 - 3*w\n"
                                  "from 0: p = 1, q = -0.7, v = 0.4; to 6\n";
static const char BALL[] = "g = 9.81; e = 0.8; f = 0.1\n"
                           "z' = v; v' = -g\n"
                           "floor: z - f\n"
                           "hit down floor: v = -e*v\n"
                           "from 0: z = 1; to 1.7\n";
static const char BELT[] = "k = 1; m = 0.6; b = 0.3\n"
                           "x' = v; v' = -k*x - m*[slip]*(1 + 0.1*v) + 0.1*sin(t)\n"
                           "slip: v - b\n"
                           "from 0: x = 0.3, v = 0.1; to 9\n";
/* a clock beside a state that rests, and events at 1 and at rest */
static const char CLOCK[] = "x' = 1; y' = 0; to 2\n";

/* a run of a text at this tolerance, which slides if there is a slip */
static driven run_of(const char *text, unsigned gives, double tolerance) {
  driven r;
  set_up(&r, hybrid_of("%s", text), gives, hybrid_options(tolerance));
  if (strstr(text, "slip")) r.options.sliding = ESS_SLIDING_SLIDE;
  begin(&r);
  return r;
}

/* refused with this status, and a reason that has these words */
static void refused(const ess_driver *d, int status, int expected, const char *words) {
  assert_int_equal(status, expected);
  assert_int_equal(ess_driver_failure(d)->status, expected);
  const char *const reason = ess_driver_failure(d)->reason;
  if (words && (!reason || !strstr(reason, words))) fail_msg("%s, not %s", reason, words);
}

/* ---- cost ------------------------------------------------------------------------------------ */

/* Calls of field and Jacobian are some three runs, and those of the derivative by parameters one
 * more, whether they are two or five hundred: most steps' last stage is the first of the next. */
TEST(an_adjoint_costs_the_same_for_any_number_of_parameters) {
  uint64_t calls[2];
  for (int which = 0; which < 2; which++) {
    driven r = run_of(which ? "f0 = 0.05; f1 = 0.1; each 498: g@ = 0\n"
                              "q' = p; p' = -sin(q) - 0.1*[up] + f0*cos(t) + f1*cos(2*t) + "
                              "sum(498: g@*cos(t + 0.001*@))\n"
                              "up: q; from 0: q = 1; to 30\n"
                            : "f0 = 0.05; f1 = 0.1\n"
                              "q' = p; p' = -sin(q) - 0.1*[up] + f0*cos(t) + f1*cos(2*t)\n"
                              "up: q; from 0: q = 1; to 30\n",
                      HYBRID_GIVES_ALL, 1e-9);
    const double position[2] = {1.0, 0.0};
    double start[2], by[500];
    assert_int_equal(go(&r, 30.0), ESS_SUCCESS);
    assert_true(ess_driver_counters(r.d)->crossings >= 5);
    const uint64_t run = ess_driver_counters(r.d)->field_evaluations;
    again(&r);
    assert_int_equal(ess_driver_record(r.d, BYTES), ESS_SUCCESS);
    assert_int_equal(go(&r, 30.0), ESS_SUCCESS);
    assert_int_equal(ess_driver_adjoint(r.d, 1, position, start, by), ESS_SUCCESS);
    const ess_counters *const c = ess_driver_counters(r.d);
    const uint64_t of_field = c->field_evaluations + c->field_jacobian_evaluations;
    calls[which] = of_field + r.h->calls[HYBRID_FIELD_BY] + r.h->calls[HYBRID_GUARDS_BY];
    assert_true(4 * of_field <= 13 * run && 4 * calls[which] <= 17 * run);
    drop(&r);
  }
  assert_true(calls[0] == calls[1]);
}

/* ---- samples of directions ------------------------------------------------------------------- */

enum { SAMPLES = 16, ENTRIES = HYBRID_STATES * MOST };

/* the largest entry of a difference, over the largest of the first, at least 1 */
static double apart(const double a[], const double b[], size_t count) {
  double most = 0.0, size = 1.0;
  for (size_t i = 0; i < count; i++) {
    most = fmax(most, fabs(a[i] - b[i]));
    size = fmax(size, fabs(a[i]));
  }
  return isfinite(most) ? most / size : INFINITY;
}

/* each is what a run that ends there has, and the run is that without them */
static void sample(const char *text, ess_base base, double until, double tolerance, double within) {
  driven r = run_of(text, HYBRID_GIVES_NONE, tolerance);
  r.options.base = base;
  assert_int_equal(ess_driver_set_options(r.d, &r.options), ESS_SUCCESS);
  const size_t n = r.system.dimension, count = n + r.system.parameters.count, size = n * count;
  double times[SAMPLES], states[SAMPLES * HYBRID_STATES], found[SAMPLES * ENTRIES], last[ENTRIES];
  for (size_t k = 0; k < SAMPLES; k++) times[k] = until * (double)k / (SAMPLES - 1);
  assert_int_equal(ess_driver_follow_parameters(r.d, count, NULL, NULL), ESS_SUCCESS);
  assert_int_equal(go(&r, until), ESS_SUCCESS);
  const uint64_t calls = ess_driver_counters(r.d)->field_evaluations;
  memcpy(last, ess_driver_tangent(r.d), size * sizeof *last);
  again(&r);
  assert_int_equal(ess_driver_follow_parameters(r.d, count, NULL, NULL), ESS_SUCCESS);
  assert_int_equal(ess_driver_sample_tangents(r.d, &r.t, until, r.x, times, SAMPLES, states, found),
                   ESS_SUCCESS);
  assert_true(ess_driver_counters(r.d)->field_evaluations == calls);
  assert_memory_equal(found + (SAMPLES - 1) * size, last, size * sizeof *last);
  for (size_t k = 0; k < SAMPLES; k++) {
    again(&r);
    assert_int_equal(ess_driver_follow_parameters(r.d, count, NULL, NULL), ESS_SUCCESS);
    assert_int_equal(go(&r, times[k]), ESS_SUCCESS);
    const double off = apart(ess_driver_tangent(r.d), found + k * size, size);
    if (!(off <= within)) fail_msg("at %g: off by %.2g, not %.2g", times[k], off, within);
    assert_true(apart(r.x, states + k * n, n) <= within);
  }
  drop(&r);
}

TEST(samples_of_directions_are_those_of_runs_that_end_there) {
  sample(OSCILLATORS, ESS_BASE_DOPRI5, 6.0, 1e-9, 1e-7);
  sample(BALL, ESS_BASE_DOPRI5, 1.7, 1e-9, 1e-7);
  sample(BELT, ESS_BASE_DOPRI5, 9.0, 1e-9, 1e-6);
  // steps that directions go along in parts
  sample("k = 2000; q = 1\n"
         "x' = -k*(x - cos(t)); y' = q*x - y\n"
         "from 0: x = 0.5; to 2\n",
         ESS_BASE_CHOSEN, 2.0, 1e-6, 1e-4);
}

TEST(samples_of_directions_that_make_no_sense_are_refused) {
  driven r = run_of(BALL, HYBRID_GIVES_NONE, 1e-8);
  double x[2] = {1.0, 0.0}, t = 0.0, states[2], found[4];
  const double now = 0.0;
  assert_int_equal(ess_driver_sample_tangents(NULL, &t, 1.0, x, &now, 1, states, found),
                   ESS_EINVAL);
  refused(r.d, ess_driver_sample_tangents(r.d, &t, 1.0, x, &now, 1, states, found), ESS_EINVAL,
          "no directions are followed");
  assert_int_equal(ess_driver_record(r.d, BYTES), ESS_SUCCESS);
  refused(r.d, ess_driver_sample_tangents(r.d, &t, 1.0, x, &now, 1, states, found), ESS_EINVAL,
          "no directions are followed");
  assert_int_equal(ess_driver_follow(r.d, 2, NULL), ESS_SUCCESS);
  refused(r.d, ess_driver_sample_tangents(r.d, &t, 1.0, x, NULL, 1, states, found), ESS_EINVAL,
          "times must not be NULL");
  assert_int_equal(ess_driver_sample_tangents(r.d, &t, 1.0, x, &now, 1, states, found),
                   ESS_SUCCESS);
  assert_true(found[0] == 1.0 && found[1] == 0.0 && found[2] == 0.0 && found[3] == 1.0);
  drop(&r);
  r = run_of(CLOCK, HYBRID_GIVES_NONE, 1e-8);
  ess_options paper = ess_options_paper();
  assert_int_equal(ess_driver_set_options(r.d, &paper), ESS_SUCCESS);
  assert_int_equal(ess_driver_follow(r.d, 2, NULL), ESS_SUCCESS);
  t = 0.0;
  refused(r.d, ess_driver_sample_tangents(r.d, &t, 1.0, x, &now, 1, states, found), ESS_EINVAL,
          "projection");
  drop(&r);
}

/* ---- recordings ------------------------------------------------------------------------------ */

/* a run in two applies and samples, and its adjoint twice; returns the size of its recording */
static size_t record(driven *r, size_t bytes, double until, double found[], double x[]) {
  const size_t n = r->h->n, P = r->h->parameters;
  double unit[MOST] = {0.0}, second[MOST], samples[10 * MOST], times[10];
  hybrid_log log;
  r->options.observer = hybrid_observer(r->h, &log);
  assert_int_equal(ess_driver_set_options(r->d, &r->options), ESS_SUCCESS);
  assert_int_equal(ess_driver_record(r->d, bytes), ESS_SUCCESS);
  for (size_t i = 0; i < n; i++) unit[i * n + i] = 1.0;
  for (int i = 0; i < 10; i++) times[i] = 0.1 * until * i;
  assert_int_equal(go(r, 0.0), ESS_SUCCESS);
  assert_int_equal(ess_driver_sample(r->d, &r->t, 0.9 * until, r->x, times, 10, samples),
                   ESS_SUCCESS);
  assert_int_equal(go(r, until), ESS_SUCCESS);
  const hybrid_log heard = log;
  const ess_counters made = *ess_driver_counters(r->d);
  memset(samples, 0, sizeof samples);
  memcpy(x, r->x, n * sizeof *x);
  assert_int_equal(ess_driver_adjoint(r->d, n, unit, found, found + n * n), ESS_SUCCESS);
  assert_true(ess_driver_counters(r->d)->field_evaluations >= made.field_evaluations);
  assert_true(ess_driver_counters(r->d)->steps == made.steps);
  assert_int_equal(ess_driver_adjoint(r->d, n, unit, second, second + n * n), ESS_SUCCESS);
  assert_memory_equal(second, found, (n + P) * n * sizeof *second);
  // nobody hears of the run that is made again, and nothing is sampled; then it goes on
  assert_true(log.hash == heard.hash && log.steps == heard.steps);
  for (size_t i = 0; i < 10 * n; i++) assert_true(samples[i] == 0.0);
  assert_memory_equal(x, r->x, n * sizeof *x);
  assert_int_equal(go(r, 1.01 * until), ESS_SUCCESS);
  return ess_driver_recorded(r->d);
}

/* with checkpoints, which make the run again page by page */
TEST(a_recording_in_little_room_is_what_it_is_in_much) {
  static const struct {
    const char *text;
    double until;
  } runs[] = {{OSCILLATORS, 60.0}, {BALL, 1.5}, {BELT, 60.0}};
  for (size_t which = 0; which < 3; which++) {
    double found[2][MOST], x[2][MOST];
    size_t bytes = (size_t)1 << 26;
    for (int little = 0; little < 2; little++) {
      driven r = run_of(runs[which].text, HYBRID_GIVES_ALL, 1e-13);
      r.options.h_max = 2.5e-5 * runs[which].until;
      const size_t needed = record(&r, bytes, runs[which].until, found[little], x[little]);
      assert_true(needed > 1000000);
      bytes = needed - needed / 4;
      assert_memory_equal(x[little], x[0], r.h->n * sizeof(double));
      assert_memory_equal(found[little], found[0],
                          (r.h->n + r.h->parameters) * r.h->n * sizeof(double));
      drop(&r);
    }
  }
}

TEST(a_recording_that_is_too_short_says_how_long_it_should_be) {
  const double of_place[4] = {1.0};
  double start[2][4], by[2][4];
  size_t needed = 0;
  for (int room = 0; room < 3; room++) {
    driven r = run_of(OSCILLATORS, HYBRID_GIVES_ALL, 1e-8);
    const size_t bytes = room == 0 ? 1000 : needed - (room == 2 ? 8 : 0);
    assert_int_equal(ess_driver_record(r.d, bytes), ESS_SUCCESS);
    assert_int_equal(go(&r, 6.0), ESS_SUCCESS);
    needed = ess_driver_recorded(r.d);
    assert_true(room == 1 ? needed == bytes : needed > bytes);
    const int status = ess_driver_adjoint(r.d, 1, of_place, start[0], by[0]);
    if (room != 1) refused(r.d, status, ESS_ENOMEM, NULL);
    if (room == 1) {
      assert_int_equal(status, ESS_SUCCESS);
      assert_int_equal(ess_driver_adjoint(r.d, 1, of_place, start[1], NULL), ESS_SUCCESS);
      assert_int_equal(ess_driver_adjoint(r.d, 1, of_place, NULL, by[1]), ESS_SUCCESS);
      assert_memory_equal(start[0], start[1], sizeof start[0]);
      assert_memory_equal(by[0], by[1], sizeof by[0]);
    }
    // another run is recorded from its beginning
    ess_driver_reset(r.d);
    assert_int_equal(ess_driver_recorded(r.d), 0);
    drop(&r);
  }
}

/* ---- drivers used again ---------------------------------------------------------------------- */

/* The derivative of a run goes on in the next one, from where the directions are; or begins anew.
 * By x first, and then y, each time while the direction's first part is the larger. */
TEST(a_driver_used_again_goes_through_its_events_again) {
  static const char corner[] = "x' = 1 + 0.5*on(a) + on(b); y' = 1 + 2*on(a) + 0.25*on(b)\n"
                               "a: x; b: y; from 0: x = -1, y = -1; to 2\n";
  const double v[2] = {1.0, 0.5};
  for (int anew = 0; anew < 2; anew++) {
    driven r = run_of(corner, HYBRID_GIVES_ALL, 1e-8);
    double known[2] = {v[0], v[1]}, found[2] = {v[0], v[1]};
    assert_int_equal(ess_driver_follow(r.d, 1, v), ESS_SUCCESS);
    for (size_t run = 0; run < 3; run++) {
      if (anew && run) assert_int_equal(ess_driver_follow(r.d, 1, found), ESS_SUCCESS);
      again(&r);
      assert_int_equal(go(&r, 2.0), ESS_SUCCESS);
      memcpy(found, ess_driver_tangent(r.d), sizeof found);
      assert_int_equal(ess_driver_smoothness(r.d)->instants, anew ? 1 : 1 + run);
      // after the first zero, at rates of 1 before it, and up to the second, and with both behind
      const bool x_first = known[0] >= known[1];
      const double first = fmax(known[0], known[1]),
                   rates[2] = {x_first ? 1.5 : 2.0, x_first ? 3.0 : 1.25};
      const double second = (first - known[x_first]) / rates[x_first], both[2] = {2.5, 3.25};
      for (int i = 0; i < 2; i++)
        known[i] += second * rates[i] - first + (first - second) * both[i];
      for (int i = 0; i < 2; i++)
        assert_true(fabs(found[i] - known[i]) < 1e-6 * (1.0 + fabs(known[i])));
    }
    drop(&r);
  }
}

/* ---- faults ---------------------------------------------------------------------------------- */

/* A callback that fails amid a run with tangents, or in an adjoint, ends it with ESS_ECALLBACK,
 * leaves the parameters as they were, and is forgotten after a reset: what is found then is found
 * without a fault, to the last bit. */
TEST(a_fault_amid_differences_spoils_nothing) {
  static const char *const texts[] = {OSCILLATORS, BALL, BELT};
  for (size_t which = 0; which < 12; which++) {
    const bool records = which / 3 % 2;
    driven r = run_of(texts[which % 3], which < 6 ? HYBRID_GIVES_ALL : HYBRID_GIVES_NONE, 1e-7);
    const size_t n = r.h->n, P = r.h->parameters;
    const double outcome[4] = {1.0, 0.5};
    double start[4], by[4], D[MOST], kept[4];
    uint64_t calls[HYBRID_CALLBACKS] = {0};
    memcpy(kept, r.h->parameter, P * sizeof *kept);
    for (int in = -1; in < HYBRID_CALLBACKS; in++)
      for (uint64_t call = 1; call <= (in < 0 ? 1 : calls[in]); call += 1 + call / 2)
        for (int failing = in >= 0; failing >= 0; failing--) {
          again(&r);
          memset(r.h->calls, 0, sizeof r.h->calls);
          r.h->fault =
              failing
                  ? (hybrid_fault){(hybrid_callback)(in < 0 ? 0 : in), call, false, 7, 0.0, 0.0, 0}
                  : (hybrid_fault){0};
          assert_int_equal(records ? ess_driver_record(r.d, BYTES)
                                   : ess_driver_follow_parameters(r.d, n + P, NULL, NULL),
                           ESS_SUCCESS);
          int status = go(&r, hybrid_end_time(r.h));
          if (records && !status) status = ess_driver_adjoint(r.d, 1, outcome, start, by);
          assert_memory_equal(kept, r.h->parameter, P * sizeof *kept);
          if (failing) {
            if (status != ESS_ECALLBACK || ess_driver_failure(r.d)->callback_code != 7)
              fail_msg("%s, callback %d, call %d: %s", texts[which % 3], in, (int)call,
                       ess_strerror(status));
            continue;
          }
          assert_int_equal(status, ESS_SUCCESS);
          double found[MOST] = {0.0};
          if (!records) memcpy(found, ess_driver_tangent(r.d), n * (n + P) * sizeof *found);
          if (records) memcpy(found, start, n * sizeof *found);
          if (records) memcpy(found + n, by, P * sizeof *found);
          if (in < 0) memcpy(D, found, sizeof D);
          if (in < 0) memcpy(calls, r.h->calls, sizeof calls);
          assert_memory_equal(D, found, sizeof D);
        }
    drop(&r);
  }
}

static int stop_at_crossing(const ess_crossing_info *info, void *context) {
  (void)info, (void)context;
  return 1;
}

/* A callback that fails once, and the run goes on, also where an observer stops at each crossing:
 * derivatives are those of a run without a fault, or refused. */
TEST(a_fault_at_a_crossing_spoils_no_derivative) {
  static const char *const texts[] = {OSCILLATORS, BALL, BELT};
  for (size_t which = 0; which < 12; which++) {
    const bool records = which / 3 % 2, stops = which >= 6;
    driven r = run_of(texts[which % 3], which % 2 ? 1 << HYBRID_MODE : HYBRID_GIVES_NONE, 1e-7);
    const size_t n = r.h->n, P = r.h->parameters;
    const double outcome[4] = {1.0, 0.5};
    double D[MOST] = {0.0}, by[4];
    uint64_t calls[HYBRID_CALLBACKS] = {0};
    size_t compared = 0;
    uint64_t crossings = 0;
    if (stops) r.options.observer.crossing = stop_at_crossing;
    assert_int_equal(ess_driver_set_options(r.d, &r.options), ESS_SUCCESS);
    for (int in = -1; in < HYBRID_CALLBACKS; in++)
      for (uint64_t call = 1; call <= (in < 0 ? 1 : calls[in]); call += 1 + call / 60) {
        again(&r);
        memset(r.h->calls, 0, sizeof r.h->calls);
        r.h->fault = (hybrid_fault){0};
        if (in >= 0)
          r.h->fault =
              (hybrid_fault){.in = (hybrid_callback)in, .call = call, .once = true, .code = 7};
        assert_int_equal(records ? ess_driver_record(r.d, BYTES)
                                 : ess_driver_follow_parameters(r.d, n + P, NULL, NULL),
                         ESS_SUCCESS);
        int status = go(&r, hybrid_end_time(r.h));
        for (int i = 0; i < 1000 && (status == ESS_ECALLBACK || status == ESS_ESTOP); i++)
          status = go(&r, hybrid_end_time(r.h));
        assert_int_equal(status, ESS_SUCCESS);
        if (in < 0) memcpy(calls, r.h->calls, sizeof calls);
        if (in < 0) crossings = ess_driver_counters(r.d)->crossings;
        assert_int_equal(ess_driver_counters(r.d)->crossings, crossings);
        double found[MOST] = {0.0};
        const double *const V = ess_driver_tangent(r.d);
        if (records && ess_driver_adjoint(r.d, 1, outcome, found, by)) continue;
        if (!records && !V) continue;
        if (!records) memcpy(found, V, n * (n + P) * sizeof *found);
        if (in < 0) memcpy(D, found, sizeof D);
        for (size_t i = 0; i < n * (n + P); i++)
          if (!(fabs(found[i] - D[i]) <= 1e-4 * (1.0 + fabs(D[i]))))
            fail_msg("%s, callback %d, call %d: %g for %g", texts[which % 3], in, (int)call,
                     found[i], D[i]);
        compared++;
      }
    assert_true(compared > 20);
    drop(&r);
  }
}

/* the state is good where the Jacobian is not, and the run continues once it serves again */
TEST(a_jacobian_that_is_not_finite_ends_the_run) {
  static const hybrid_fault faults[] = {
      {.in = HYBRID_FIELD_JACOBIAN, .call = 60, .value = NAN, .entry = 2},
      {.in = HYBRID_FIELD_JACOBIAN, .call = 60, .value = INFINITY, .entry = 2},
      {.in = HYBRID_FIELD_JACOBIAN, .call = 60, .value = 1e200, .entry = 2},
      {.in = HYBRID_FIELD_JACOBIAN, .call = 60, .code = 7}};
  for (size_t i = 0; i < 4; i++) {
    driven r = run_of("q' = p; p' = -q; from 0: q = 1; to 1\n", HYBRID_GIVES_ALL, 1e-8);
    assert_int_equal(ess_driver_follow(r.d, 2, NULL), ESS_SUCCESS);
    r.h->fault = faults[i];
    refused(r.d, go(&r, 1.0), faults[i].code ? ESS_ECALLBACK : ESS_EFIELD, NULL);
    assert_int_equal(ess_driver_failure(r.d)->callback_code, faults[i].code);
    assert_true(fabs(r.x[0] - cos(r.t)) < 1e-7 && r.t > 0.0);
    const double *const v = ess_driver_tangent(r.d);
    if (v) assert_true(fabs(v[0] - cos(r.t)) < 1e-7 && fabs(v[2] + sin(r.t)) < 1e-7);
    r.h->fault = (hybrid_fault){0};
    assert_int_equal(go(&r, 1.0), ESS_SUCCESS);
    assert_true(fabs(r.x[0] - cos(1.0)) < 1e-7);
    assert_true(!v == !ess_driver_tangent(r.d));
    if (v) assert_true(fabs(ess_driver_tangent(r.d)[0] - cos(1.0)) < 1e-7);
    drop(&r);
  }
}

/* ---- what is refused ------------------------------------------------------------------------- */

TEST(arguments_of_adjoints_that_make_no_sense_are_refused) {
  double outcome[4] = {1.0}, start[4], by[4], Dt[8];
  driven r = run_of(OSCILLATORS, HYBRID_GIVES_ALL, 1e-8);
  ess_driver *const d = r.d;
  assert_int_equal(ess_driver_record(NULL, 1), ESS_EINVAL);
  assert_int_equal(ess_driver_adjoint(NULL, 1, outcome, start, by), ESS_EINVAL);
  assert_int_equal(ess_driver_adjoint_section(NULL, 0, 1, outcome, NULL, start, by), ESS_EINVAL);
  assert_int_equal(ess_driver_recorded(NULL), 0);
  refused(d, ess_driver_adjoint(d, 1, outcome, start, NULL), ESS_EINVAL, "no run is recorded");
  assert_int_equal(ess_driver_record(d, BYTES), ESS_SUCCESS);
  assert_int_equal(go(&r, 3.0), ESS_SUCCESS);
  assert_null(ess_driver_tangent(d));
  refused(d, ess_driver_adjoint(d, 0, outcome, start, by), ESS_EINVAL, NULL);
  refused(d, ess_driver_adjoint(d, SIZE_MAX / 64, outcome, start, by), ESS_EINVAL, NULL);
  refused(d, ess_driver_adjoint(d, 1, NULL, start, by), ESS_EINVAL, NULL);
  refused(d, ess_driver_adjoint_section(d, 3, 1, outcome, NULL, start, by), ESS_EINVAL, NULL);
  refused(d, ess_driver_section(d, 0, Dt, NULL), ESS_EINVAL, NULL);
  outcome[1] = NAN;
  refused(d, ess_driver_adjoint(d, 1, outcome, start, by), ESS_EINVAL, "outcomes");
  outcome[1] = 0.0;
  assert_int_equal(ess_driver_adjoint(d, 1, outcome, start, by), ESS_SUCCESS);
  const ess_options paper = ess_options_paper(), options = r.options;
  refused(d, ess_driver_set_options(d, &paper), ESS_EINVAL, "projection");
  // tangents end the recording, as no room does
  assert_int_equal(ess_driver_follow(d, 4, NULL), ESS_SUCCESS);
  refused(d, ess_driver_adjoint(d, 1, outcome, start, by), ESS_EINVAL, NULL);
  assert_int_equal(ess_driver_record(d, BYTES), ESS_SUCCESS);
  assert_int_equal(ess_driver_record(d, 0), ESS_SUCCESS);
  refused(d, ess_driver_adjoint(d, 1, outcome, start, by), ESS_EINVAL, NULL);
  refused(d, ess_driver_record(d, SIZE_MAX), ESS_ENOMEM, NULL);
  assert_int_equal(ess_driver_set_options(d, &paper), ESS_SUCCESS);
  refused(d, ess_driver_record(d, BYTES), ESS_EINVAL, "projection");
  assert_int_equal(ess_driver_set_options(d, &options), ESS_SUCCESS);
  drop(&r);
}

TEST(arguments_of_tangents_that_make_no_sense_are_refused) {
  const double endless[14] = {1.0, INFINITY}, nan[3] = {0.0, NAN};
  double Dt[5];
  driven r = run_of(BALL, HYBRID_GIVES_NONE, 1e-8);
  ess_driver *const d = r.d;
  assert_int_equal(ess_driver_follow_parameters(NULL, 5, NULL, NULL), ESS_EINVAL);
  assert_int_equal(ess_driver_choose_piece(NULL, 0), ESS_EINVAL);
  assert_int_equal(ess_driver_section(NULL, 0, Dt, NULL), ESS_EINVAL);
  assert_null(ess_driver_tangent(NULL));
  assert_null(ess_driver_smoothness(NULL));
  refused(d, ess_driver_follow(d, 1, NULL), ESS_EINVAL, "count must be the dimension");
  refused(d, ess_driver_follow(d, 2, endless), ESS_EINVAL, "each of directions must be finite");
  refused(d, ess_driver_follow(d, SIZE_MAX / 4, endless), ESS_EINVAL, "more directions");
  refused(d, ess_driver_follow_parameters(d, 4, NULL, NULL), ESS_EINVAL, "count");
  refused(d, ess_driver_follow_parameters(d, 1, NULL, nan), ESS_EINVAL, "parameters");
  refused(d, ess_driver_follow_parameters(d, SIZE_MAX / 8, NULL, nan), ESS_EINVAL, NULL);
  r.h->parameter[1] = INFINITY;
  refused(d, ess_driver_follow_parameters(d, 5, NULL, NULL), ESS_EINVAL, NULL);
  r.h->parameter[1] = 0.8;
  assert_int_equal(ess_driver_follow_parameters(d, 5, NULL, NULL), ESS_SUCCESS);
  assert_int_equal(ess_driver_choose_piece(d, 0), ESS_SUCCESS);
  assert_non_null(ess_driver_tangent(d));
  assert_int_equal(ess_driver_follow_parameters(d, 0, NULL, NULL), ESS_SUCCESS);
  assert_null(ess_driver_tangent(d));
  assert_null(ess_driver_smoothness(d));
  refused(d, ess_driver_choose_piece(d, 0), ESS_EINVAL, "no directions are followed");
  refused(d, ess_driver_section(d, 0, Dt, NULL), ESS_EINVAL, "no directions are followed");
  drop(&r);
  r = run_of(CLOCK, HYBRID_GIVES_NONE, 1e-8);
  refused(r.d, ess_driver_follow_parameters(r.d, 2, NULL, NULL), ESS_EINVAL, "no parameters");
  drop(&r);
  // values are needed for differences alone
  for (int given = 0; given < 2; given++) {
    r = run_of(BALL, given ? HYBRID_GIVES_ALL : HYBRID_GIVES_NONE, 1e-8);
    r.system.parameters.values = NULL;
    const char *const reason = ess_check(&r.system, &r.options);
    assert_true(given ? !reason : reason && strstr(reason, "parameters.values"));
    ess_driver *const other = ess_driver_alloc(&r.system, &r.options, NULL);
    assert_true(given == (other != NULL));
    ess_driver_free(other);
    drop(&r);
  }
}

/* stops a run when all have been crossed, and asks of it what is to be asked between applies */
typedef struct watcher {
  ess_driver *driver;
  size_t crossings, until, refusals;
} watcher;

static int stop_at_last(const ess_crossing_info *info, void *context) {
  watcher *const w = context;
  double Dt[2];
  w->refusals += ess_driver_section(w->driver, 0, Dt, NULL) == ESS_EINVAL;
  w->refusals += ess_driver_follow(w->driver, 2, NULL) == ESS_EINVAL;
  w->refusals += ess_driver_record(w->driver, BYTES) == ESS_EINVAL;
  return ++w->crossings == w->until;
}

/* a run that ends at its last crossing */
static driven ended(const char *events, bool records, watcher *w) {
  char text[512];
  snprintf(text, sizeof text, "%s%s", CLOCK, events);
  driven r = run_of(text, HYBRID_GIVES_ALL, 1e-8);
  *w = (watcher){.driver = r.d, .until = r.h->m};
  r.options.observer = (ess_observer){.crossing = stop_at_last, .context = w};
  assert_int_equal(ess_driver_set_options(r.d, &r.options), ESS_SUCCESS);
  assert_int_equal(records ? ess_driver_record(r.d, BYTES) : ess_driver_follow(r.d, 2, NULL),
                   ESS_SUCCESS);
  assert_int_equal(go(&r, 2.0), strstr(events, "y") ? ESS_SUCCESS : ESS_ESTOP);
  return r;
}

TEST(a_section_has_a_rate) {
  double Dt[2], Dx[4], start[2];
  const double time = 1.0;
  watcher w;
  for (int records = 0; records < 2; records++) {
    driven r = ended("rests: y\n", records, &w);
    const int status = records ? ess_driver_adjoint_section(r.d, 0, 1, NULL, &time, start, NULL)
                               : ess_driver_section(r.d, 0, Dt, Dx);
    refused(r.d, status, ESS_EGRAZING, NULL);
    assert_int_equal(ess_driver_failure(r.d)->event, 0);
    drop(&r);
  }
}

/* A run that ends below the top of a throw, by so much: its time has a derivative unless the turn
 * is within the tolerance. */
static int end_below_top(double below, double tolerance, bool records, double Dt[2]) {
  static const uint64_t once = 1;
  const double g = 9.81, v = 5.0, time = 1.0;
  driven r;
  set_up(&r,
         hybrid_of("v' = -9.81; z' = v; watch top: z - %.17g; from 0: v = 5; to 3\n",
                   0.5 * v * v / g - below),
         HYBRID_GIVES_NONE, hybrid_options(tolerance));
  r.system.watch.stop = &once;
  begin(&r);
  assert_int_equal(records ? ess_driver_record(r.d, BYTES) : ess_driver_follow(r.d, 2, NULL),
                   ESS_SUCCESS);
  int status = go(&r, 3.0);
  if (status == ESS_ESTOP)
    status = records ? ess_driver_adjoint_section(r.d, 0, 1, NULL, &time, Dt, NULL)
                     : ess_driver_section(r.d, 0, Dt, NULL);
  else // it has passed the top without a zero
    status = ESS_EGRAZING;
  drop(&r);
  return status;
}

TEST(a_section_that_turns_within_the_tolerance_is_refused) {
  for (int records = 0; records < 2; records++)
    for (int digits = 3; digits <= 11; digits += 4) {
      const double tolerance = pow(10.0, -digits);
      int refusals = 0;
      for (double below = 0.1; below > 1e-15; below *= 0.1) {
        double Dt[2];
        const double speed = sqrt(2.0 * 9.81 * below);
        const int status = end_below_top(below, tolerance, records, Dt);
        assert_true(status == ESS_SUCCESS || status == ESS_EGRAZING);
        refusals += status == ESS_EGRAZING;
        // from some distance on it is refused, and never before
        assert_true((status == ESS_EGRAZING) == (refusals > 0));
        if (status) continue;
        if (!(below > 0.1 * tolerance)) fail_msg("%g below at %g", below, tolerance);
        assert_true(fabs(Dt[1] * speed + 1.0) < 0.3);
        assert_true(fabs(Dt[0] * 9.81 * speed + 5.0 - speed) < 0.3 * 5.0);
      }
      // ten tolerances away it is not
      assert_true(refusals > 0 && refusals <= 16 - digits + 2);
    }
}

/* ---- both sides of an impact ----------------------------------------------------------------- */

typedef struct sides {
  ess_driver *driver;
  int impacts;
  double t, before[10], after[10], Dt[5];
} sides;

static int note_sides(const ess_impact *impact, void *context) {
  sides *const s = context;
  double before[10], after[10], Dt[5];
  assert_int_equal(ess_driver_impact_tangents(s->driver, before, after, Dt), ESS_SUCCESS);
  assert_int_equal(ess_driver_impact_tangents(s->driver, NULL, NULL, NULL), ESS_SUCCESS);
  if (s->impacts++) return 0;
  s->t = impact->t;
  memcpy(s->before, before, sizeof before);
  memcpy(s->after, after, sizeof after);
  memcpy(s->Dt, Dt, sizeof Dt);
  return 0;
}

/* of the ball's first, in closed form, by its height, speed, gravity, restitution and floor */
TEST(directions_are_known_on_both_sides_of_an_impact) {
  sides s = {0};
  driven r = run_of(BALL, HYBRID_GIVES_NONE, 1e-10);
  s.driver = r.d;
  r.options.observer = (ess_observer){.impact = note_sides, .context = &s};
  assert_int_equal(ess_driver_set_options(r.d, &r.options), ESS_SUCCESS);
  assert_int_equal(ess_driver_follow_parameters(r.d, 5, NULL, NULL), ESS_SUCCESS);
  assert_int_equal(go(&r, 1.7), ESS_SUCCESS);
  const double g = 9.81, e = 0.8, t = sqrt(2.0 * 0.9 / g);
  const double z[5] = {1.0, t, -0.5 * t * t, 0.0, 0.0}, v[5] = {0.0, 1.0, -t, 0.0, 0.0};
  assert_true(s.impacts == 3 && fabs(s.t - t) < 1e-9);
  for (int j = 0; j < 5; j++) {
    const double met = z[j] - (j == 4), by_e = j == 3 ? g * t : 0.0;
    assert_true(fabs(s.before[j] - z[j]) < 1e-6 && fabs(s.before[5 + j] - v[j]) < 1e-6);
    assert_true(fabs(s.Dt[j] - met / (g * t)) < 1e-6);
    assert_true(fabs(s.after[j] - z[j] + (1.0 + e) * met) < 1e-6);
    assert_true(fabs(s.after[5 + j] + e * v[j] - (1.0 + e) * met / t - by_e) < 1e-6);
  }
  double x[10];
  assert_int_equal(ess_driver_impact_tangents(NULL, x, NULL, NULL), ESS_EINVAL);
  refused(r.d, ess_driver_impact_tangents(r.d, x, NULL, NULL), ESS_EINVAL, "for its observer");
  drop(&r);
}

/* of nine events at one instant each has its time, the first eight their states, and none an
 * adjoint */
TEST(of_many_events_not_all_is_known) {
  double Dt[2], Dx[4], start[2];
  const double outcome[2] = {0.0, 1.0};
  watcher w;
  driven r = ended("each 9: e@: x - 1\n", false, &w);
  assert_int_equal(w.refusals, 3 * w.crossings);
  assert_int_equal(ess_driver_smoothness(r.d)->count, 9);
  assert_int_equal(ess_driver_section(r.d, 8, Dt, NULL), ESS_SUCCESS);
  assert_true(Dt[0] == -1.0 && Dt[1] == 0.0);
  refused(r.d, ess_driver_section(r.d, 0, NULL, Dx), ESS_EINVAL, "among more than 8 events");
  refused(r.d, ess_driver_section(r.d, 8, Dt, Dx), ESS_EINVAL, "among more than 8 events");
  refused(r.d, ess_driver_section(r.d, 9, Dt, Dx), ESS_EINVAL, "k must be below");
  drop(&r);
  r = ended("each 9: e@: x - 1\n", true, &w);
  refused(r.d, ess_driver_adjoint_section(r.d, 0, 1, outcome, NULL, start, NULL), ESS_EINVAL,
          "several events");
  drop(&r);
}
