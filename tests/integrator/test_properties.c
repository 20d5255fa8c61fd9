/*
 * Properties that hold of every system of the catalogue (systems.txt), with the settings of its
 * first run, at a tolerance of 1e-7: of observers, samples, applies, stops, faults, derivatives
 * that are given or not, bases, units, permutations, event functions without effect, and time.
 * The test cases_systems holds the same systems against the truth.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "ess_tangents.h"
#include "test.h"

static const double TOLERANCE = 1e-7;
enum { SAMPLES = 37 };

/* A system of the catalogue, and how it is run. */
typedef struct subject {
  const char *name;
  const a_case *is;
  hybrid *h;
  hybrid_plan plan;
  double most; /* error in tolerances that the catalogue allows */
} subject;

static void apply_settings(subject *s, const char *settings) {
  char copy[512], name[32], value[64];
  snprintf(copy, sizeof copy, "%s", settings);
  for (char *at = strtok(copy, ";"); at; at = strtok(NULL, ";")) {
    const int words = sscanf(at, " %31s %63[^,]", name, value);
    if (!strcmp(name, "tolerance") || words < 1) continue;
    case_set(s->h, &s->plan, name, words > 1 ? value : "on");
  }
}

static subject subject_of(const a_case *c, const char *more) {
  subject s = {.name = c->title, .is = c, .h = hybrid_of("%s%s", c->text, more)};
  hybrid_read(s.h);
  s.plan = hybrid_at(TOLERANCE);
  apply_settings(&s, c->runs[0].settings);
  for (size_t i = 0; i < c->runs[0].count; i++)
    (void)sscanf(c->runs[0].expected[i], "truth within %lf*tolerance", &s.most);
  if (s.most == 0.0) fail_msg("%s: the catalogue does not say how large an error may be", s.name);
  return s;
}

static bool is_paper(const subject *s) {
  return s->plan.options.projection.epsilon > 0.0;
}

static bool by_tolerance(const subject *s) {
  return !is_paper(s);
}

static hybrid_end run(subject *s, const hybrid_plan *plan) {
  const hybrid_end end = hybrid_run(s->h, plan);
  if (end.status)
    fail_msg("%s: %s at %.17g: %s", s->name, ess_strerror(end.status), end.t,
             end.failure.reason ? end.failure.reason : "");
  return end;
}

/* the same to the last bit: all steps, messages and numbers */
static void are_same(const subject *s, const hybrid_end *a, const hybrid_end *b, const char *when) {
  if (memcmp(a->x, b->x, s->h->n * sizeof *a->x) || a->t != b->t || a->log.hash != b->log.hash ||
      a->log.count != b->log.count || memcmp(&a->counters, &b->counters, sizeof a->counters))
    fail_msg("%s: not the same %s: %.17g and %.17g", s->name, when, a->x[0], b->x[0]);
}

/* the same states and steps; evaluations may be fewer, where the driver knows their results */
static void are_repeated(const subject *s, const hybrid_end *a, hybrid_end *b, const char *when) {
  if (a->counters.steps != b->counters.steps || a->counters.rejected != b->counters.rejected ||
      a->counters.crossings != b->counters.crossings)
    fail_msg("%s: other steps %s", s->name, when);
  assert_true(b->counters.field_evaluations <= a->counters.field_evaluations);
  b->counters = a->counters;
  are_same(s, a, b, when);
}

/* as near as two runs of this tolerance are, at the end in the same mode */
static void are_near(const subject *s, const hybrid_end *a, const hybrid_end *b, double times,
                     const char *when) {
  const double error = hybrid_error(s->h, a->x, b->x, TOLERANCE);
  if (!(error <= 2.0 * times * s->most))
    fail_msg("%s: %.3g tolerances apart %s", s->name, error, when);
  if (memcmp(a->sign, b->sign, s->h->m * sizeof *a->sign))
    fail_msg("%s: another mode %s", s->name, when);
}

/* ---- one driver ------------------------------------------------------------------------------ */

/* an apply to the end by this driver */
static hybrid_end applied(subject *s, ess_driver *d) {
  hybrid_end end = {0};
  end.t = hybrid_start(s->h, end.x);
  end.status = ess_driver_apply(d, &end.t, hybrid_end_time(s->h), end.x);
  if (s->h->m) memcpy(end.sign, ess_driver_sign(d), s->h->m * sizeof *end.sign);
  end.counters = *ess_driver_counters(d);
  return end;
}

static ess_driver *driver_of(subject *s) {
  const ess_system system = hybrid_system(s->h, s->plan.gives);
  ess_options options = s->plan.options;
  if (s->h->slides && options.sliding) options.slides = s->h->slides;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  if (!d) fail_msg("%s: %s", s->name, ess_check(&system, &options));
  return d;
}

/* ---- observers, samples, applies ------------------------------------------------------------- */

static void times_of(subject *s, double times[SAMPLES]) {
  const double t0 = hybrid_start(s->h, NULL), t1 = hybrid_end_time(s->h);
  for (int i = 0; i < SAMPLES; i++) times[i] = t0 + (t1 - t0) * i / (SAMPLES - 1);
  times[SAMPLES - 1] = t1;
}

static void check_samples(subject *s) {
  double times[SAMPLES], states[SAMPLES * HYBRID_STATES];
  times_of(s, times);
  hybrid_plan plan = s->plan;
  const hybrid_end applied = run(s, &plan);
  plan.times = times;
  plan.time_count = SAMPLES;
  plan.states = states;
  const hybrid_end sampled = run(s, &plan);
  are_same(s, &applied, &sampled, "with samples");
  assert_memory_equal(states + (SAMPLES - 1) * s->h->n, sampled.x, s->h->n * sizeof *states);
  // and without observers
  plan.unobserved = true;
  hybrid_end unobserved = run(s, &plan);
  unobserved.log = sampled.log;
  are_same(s, &sampled, &unobserved, "without observers");
}

/* What dense output has, asked by observers, who check what they are told. */
typedef struct asked {
  const subject *s;
  ess_driver *driver;
  double t, x[HYBRID_STATES], *times, *states; /* of the last message; samples */
  size_t steps, seen;
} asked;

static int ask(const ess_step_info *info, void *context) {
  asked *const a = context;
  const size_t n = a->s->h->n, size = n * sizeof(double);
  double x[HYBRID_STATES];
  a->steps++;
  assert_true(info->t1 >= info->t0 && info->t1 >= a->t);
  assert_true(ess_driver_step_start(a->driver) == info->t0);
  assert_int_equal(ess_driver_dense(a->driver, info->t1, x), ESS_SUCCESS);
  assert_memory_equal(x, info->x, size);
  const double outside[] = {nextafter(info->t0, -INFINITY), nextafter(info->t1, INFINITY), NAN};
  for (int i = 0; i < 3; i++)
    assert_int_equal(ess_driver_dense(a->driver, outside[i], x), ESS_EINVAL);
  for (int i = 0; i <= 4 && info->t0 < info->t1; i++) {
    const double at = i == 4 ? info->t1 : info->t0 + (info->t1 - info->t0) * i / 4;
    assert_int_equal(ess_driver_dense(a->driver, at, x), ESS_SUCCESS);
    for (size_t k = 0; k < n; k++) assert_true(isfinite(x[k]));
    if (i == 0 && !a->s->plan.options.sliding) // a slide is put onto its surface
      assert_memory_equal(x, a->x, size);
  }
  for (size_t i = 0; i < SAMPLES; i++) {
    if (!(a->times[i] > info->t0 && a->times[i] < info->t1)) continue;
    assert_int_equal(ess_driver_dense(a->driver, a->times[i], x), ESS_SUCCESS);
    assert_memory_equal(x, a->states + i * n, size);
    a->seen++;
  }
  a->t = info->t1;
  memcpy(a->x, info->x, size);
  return 0;
}

static int ask_crossing(const ess_crossing_info *info, void *context) {
  const asked *const a = context;
  assert_true(info->t >= a->t || a->s->h->has_impacts);
  assert_true(info->sign[info->event] == info->direction || a->s->h->has_impacts);
  return 0;
}

static int ask_impact(const ess_impact *impact, void *context) {
  asked *const a = context;
  memcpy(a->x, impact->after, a->s->h->n * sizeof *a->x);
  return 0;
}

static void check_dense(subject *s) {
  double times[SAMPLES], states[SAMPLES * HYBRID_STATES];
  asked a = {.s = s, .times = times, .states = states};
  times_of(s, times);
  hybrid_plan plan = s->plan;
  plan.times = times;
  plan.time_count = SAMPLES;
  plan.states = states;
  const hybrid_end sampled = run(s, &plan);
  s->plan.options.observer =
      (ess_observer){.step = ask, .crossing = ask_crossing, .impact = ask_impact, .context = &a};
  ess_driver *const d = a.driver = driver_of(s);
  a.t = hybrid_start(s->h, a.x);
  assert_true(isnan(ess_driver_step_start(d)));
  const hybrid_end end = applied(s, d);
  assert_int_equal(end.status, ESS_SUCCESS);
  assert_memory_equal(end.x, sampled.x, s->h->n * sizeof *end.x);
  assert_memory_equal(&end.counters, &sampled.counters, sizeof end.counters);
  assert_true(a.steps == end.counters.steps + end.counters.projections && a.seen > 0);
  ess_driver_free(d);
}

static void check_parts(subject *s) {
  hybrid_plan plan = s->plan;
  const hybrid_end whole = run(s, &plan);
  for (plan.parts = 2; plan.parts < 40; plan.parts = 3 * plan.parts + 1) {
    const hybrid_end parts = run(s, &plan);
    are_near(s, &whole, &parts, 1.0, "in parts");
    assert_int_equal(parts.counters.impacts, whole.counters.impacts);
  }
}

/* messages apart from steps, and of impacts that lead to rest, whose last is a matter of rounding
 */
static bool messages_agree(const hybrid_end *a, const hybrid_end *b) {
  if (a->log.count != b->log.count) return false;
  for (size_t i = 0; i < a->log.count && i < HYBRID_LOG; i++) {
    const hybrid_record *const p = &a->log.record[i], *const q = &b->log.record[i];
    if (p->message != q->message || p->guard != q->guard || p->direction != q->direction)
      return false;
  }
  return true;
}

static void check_stops(subject *s) {
  double times[SAMPLES], samples[SAMPLES * HYBRID_STATES], states[SAMPLES * HYBRID_STATES];
  times_of(s, times);
  hybrid_plan plan = s->plan;
  plan.times = times;
  plan.time_count = SAMPLES;
  plan.states = samples;
  const hybrid_end whole = run(s, &plan);
  plan.states = states;
  for (unsigned stops = 1; stops < 32; stops += 3)
    for (plan.every = 1; plan.every <= 3; plan.every += 2) {
      plan.stops = stops;
      const hybrid_end stopped = run(s, &plan);
      are_near(s, &whole, &stopped, 1.0, "when stopped");
      assert_int_equal(stopped.log.misplaced, 0);
      for (size_t i = 0; i < SAMPLES && !s->h->has_impacts && !plan.options.sliding; i++)
        if (!(hybrid_error(s->h, states + i * s->h->n, samples + i * s->h->n, TOLERANCE) <
              100.0 * s->most))
          fail_msg("%s: another sample %zu when stopped", s->name, i);
      if (plan.options.sliding != ESS_SLIDING_SLIDE_AND_REST && !messages_agree(&whole, &stopped))
        fail_msg("%s, stops %u, every %zu: other messages", s->name, stops, plan.every);
    }
}

/* ---- faults, resets ------------------------------------------------------------------------- */

/* Faults of each callback at some of its calls. A code ends the run with ESS_ECALLBACK at a finite
 * state, at a time that is not later than the end; the run continues from there once the callback
 * serves again, or a reset driver repeats it to the last bit. */
static void check_codes(subject *s) {
  ess_driver *const clean = driver_of(s);
  memset(s->h->calls, 0, sizeof s->h->calls);
  const hybrid_end whole = applied(s, clean);
  uint64_t calls[HYBRID_CALLBACKS];
  memcpy(calls, s->h->calls, sizeof calls);
  const double t0 = hybrid_start(s->h, NULL), t1 = hybrid_end_time(s->h);
  for (int in = 0; in < HYBRID_CALLBACKS; in++) {
    double reached = t0;
    for (uint64_t call = 1; call <= calls[in]; call += 1 + call / 4) {
      ess_driver *const d = driver_of(s);
      memset(s->h->calls, 0, sizeof s->h->calls);
      s->h->fault =
          (hybrid_fault){.in = (hybrid_callback)in, .call = call, .once = true, .code = 77};
      hybrid_end end = applied(s, d);
      const ess_failure failure = *ess_driver_failure(d);
      const bool is_rodas =
          s->plan.options.base == ESS_BASE_RODAS || s->plan.options.base == ESS_BASE_CHOSEN_RODAS;
      // in a difference, whose place another took, or in RODAS's check of field_jacobian
      if (end.status == ESS_SUCCESS && (in == HYBRID_WATCH || (in == HYBRID_FIELD && is_rodas))) {
        are_near(s, &whole, &end, 1.0, "after a fault in a difference");
        ess_driver_free(d);
        continue;
      }
      if (end.status != ESS_ECALLBACK || failure.callback_code != 77 || !(end.t >= t0) ||
          !(end.t <= t1))
        fail_msg("%s: call %llu of callback %d has failed: %s at %.17g", s->name,
                 (unsigned long long)call, in, ess_strerror(end.status), end.t);
      // the mode that was before is told again; where a state may come to rest, others are tried
      // and a row that looks ahead twice does so
      const bool is_repeated =
          (in == HYBRID_MODE || (in == HYBRID_SOME_RATES && s->h->has_resets)) &&
          s->h->calls[in] == call + 1;
      if (!(s->h->calls[in] == call || is_repeated) || !(end.t >= reached) ||
          !(failure.time >= end.t - 1e-12 ||
            s->plan.options.sliding == ESS_SLIDING_SLIDE_AND_REST) ||
          !(failure.time <= t1))
        fail_msg("%s: call %llu of %llu of callback %d has failed at %.17g; the run is at %.17g",
                 s->name, (unsigned long long)call, (unsigned long long)s->h->calls[in], in,
                 failure.time, end.t);
      reached = end.t;
      for (size_t i = 0; i < s->h->n; i++) assert_true(isfinite(end.x[i]));
      double dense[HYBRID_STATES];
      if (end.t > t0 && !s->h->has_impacts && !s->plan.options.sliding) {
        assert_int_equal(ess_driver_dense(d, end.t, dense), ESS_SUCCESS);
        assert_memory_equal(dense, end.x, s->h->n * sizeof *dense);
      }
      const int status = ess_driver_apply(d, &end.t, t1, end.x);
      if (status) fail_msg("%s: %s after a fault", s->name, ess_strerror(status));
      if (s->h->m) memcpy(end.sign, ess_driver_sign(d), s->h->m * sizeof *end.sign);
      are_near(s, &whole, &end, 1.0, "after a fault");
      ess_driver_reset(d);
      hybrid_end again = applied(s, d);
      are_repeated(s, &whole, &again, "after a fault and a reset");
      ess_driver_free(d);
    }
  }
  s->h->fault = (hybrid_fault){0};
  ess_driver_free(clean);
}

/* A run by itself, with tangents, or recorded: then with the derivative by the initial state. */
typedef enum derivative { NO_DERIVATIVE, TANGENTS, ADJOINT, DERIVATIVES } derivative;

static hybrid_end derived(subject *s, derivative wanted, double D[]) {
  const size_t n = s->h->n;
  ess_driver *const d = driver_of(s);
  if (wanted == TANGENTS) assert_int_equal(ess_driver_follow(d, n, NULL), ESS_SUCCESS);
  if (wanted == ADJOINT) assert_int_equal(ess_driver_record(d, 1 << 22), ESS_SUCCESS);
  memset(s->h->calls, 0, sizeof s->h->calls);
  memset(D, 0, n * n * sizeof *D);
  hybrid_end end = applied(s, d);
  if (!end.status && wanted == TANGENTS) memcpy(D, ess_driver_tangent(d), n * n * sizeof *D);
  if (!end.status && wanted == ADJOINT) {
    double *const unit = calloc(2 * n * n, sizeof *unit), *const start = unit + n * n;
    for (size_t i = 0; i < n; i++) unit[i * (n + 1)] = 1.0;
    end.status = ess_driver_adjoint(d, n, unit, start, NULL);
    for (size_t i = 0; i < n * n && !end.status; i++) D[i] = start[i % n * n + i / n];
    free(unit);
  }
  end.failure = *ess_driver_failure(d);
  ess_driver_free(d);
  return end;
}

static double derivatives_apart(const subject *s, const double a[], const double b[]) {
  double most = 0.0, size = 1.0;
  for (size_t i = 0; i < s->h->n * s->h->n; i++) {
    if (isnan(a[i])) return NAN;
    most = fmax(most, fabs(a[i] - b[i]));
    size = fmax(size, fabs(b[i]));
  }
  return most / size;
}

/* A result that is not finite is never success with a wrong state or derivative. Of one that stays
 * so the event function is named. */
static void check_not_finite(subject *s) {
  static const double values[] = {NAN, INFINITY, -INFINITY};
  const bool has_derivative = s->plan.options.base == ESS_BASE_DOPRI5 &&
                              s->plan.options.sliding != ESS_SLIDING_SLIDE_AND_REST;
  double *const clean = calloc(2 * s->h->n * s->h->n, sizeof *clean), *const D =
                                                                          clean + s->h->n * s->h->n;
  for (derivative wanted = 0; wanted < (has_derivative ? DERIVATIVES : TANGENTS); wanted++) {
    if (is_paper(s) && wanted == ADJOINT) continue;
    s->h->fault = (hybrid_fault){0};
    const hybrid_end whole = derived(s, wanted, clean);
    if (whole.status) fail_msg("%s: %s", s->name, ess_strerror(whole.status));
    uint64_t calls[HYBRID_CALLBACKS];
    memcpy(calls, s->h->calls, sizeof calls);
    for (int in = 0; in < HYBRID_CALLBACKS; in++)
      for (uint64_t call = 1; call <= calls[in]; call += 1 + call / (wanted ? 1 : 3))
        for (int once = 0; once < 2; once++) {
          s->h->fault = (hybrid_fault){.in = (hybrid_callback)in,
                                       .call = call,
                                       .once = once,
                                       .value = values[(call + wanted) % 3],
                                       .entry = (size_t)call % (2 * s->h->m + 3)};
          const hybrid_end end = derived(s, wanted, D);
          for (size_t i = 0; i < s->h->n; i++)
            if (!isfinite(end.x[i]))
              fail_msg("%s: a state that is not finite from callback %d", s->name, in);
          if (!once && in == HYBRID_FIELD && wanted != ADJOINT && !end.status)
            fail_msg("%s: success of a field that is not finite", s->name);
          if (end.status) continue;
          are_near(s, &whole, &end, 1.0, "in spite of what is no number");
          if (!(derivatives_apart(s, D, clean) < 0.01))
            fail_msg("%s: a derivative off by %g, from call %llu of callback %d", s->name,
                     derivatives_apart(s, D, clean), (unsigned long long)call, in);
        }
  }
  s->h->fault = (hybrid_fault){0};
  free(clean);
}

/* after the same run, and after others */
static void check_reset(subject *s) {
  const double t0 = hybrid_start(s->h, NULL), t1 = hybrid_end_time(s->h);
  ess_driver *const fresh = driver_of(s);
  const hybrid_end first = applied(s, fresh);
  ess_driver_free(fresh);
  for (int before = 0; before < 3; before++) {
    ess_driver *const d = driver_of(s);
    double t = t0, x[HYBRID_STATES];
    hybrid_start(s->h, x);
    for (size_t i = 0; i < s->h->n && before; i++) x[i] += 0.01 * (double)before;
    (void)ess_driver_apply(d, &t, t0 + (t1 - t0) * (before == 2 ? 0.37 : 1.0), x);
    ess_driver_reset(d);
    hybrid_end second = applied(s, d);
    if (before) second.counters.field_evaluations = first.counters.field_evaluations;
    if (before && s->plan.options.sliding == ESS_SLIDING_SLIDE_AND_REST)
      are_near(s, &first, &second, 1e-3, "after another run and a reset"); // not to the last bit
    else
      are_repeated(s, &first, &second, "after a reset");
    ess_driver_free(d);
  }
}

static void check_interleaved(subject *s) {
  ess_driver *const drivers[] = {driver_of(s), driver_of(s)};
  const double t0 = hybrid_start(s->h, NULL), t1 = hybrid_end_time(s->h);
  hybrid_end ends[2] = {{0}};
  for (int k = 0; k < 2; k++) ends[k].t = hybrid_start(s->h, ends[k].x);
  for (int part = 1; part <= 8; part++)
    for (int k = 0; k < 2; k++)
      assert_int_equal(ess_driver_apply(drivers[k], &ends[k].t,
                                        part == 8 ? t1 : t0 + (t1 - t0) * part / 8, ends[k].x),
                       ESS_SUCCESS);
  assert_memory_equal(ends[0].x, ends[1].x, s->h->n * sizeof *ends[0].x);
  for (int k = 0; k < 2; k++) ess_driver_free(drivers[k]);
}

/* the same options again, between applies */
static void check_set_options(subject *s) {
  ess_driver *const d = driver_of(s), *const other = driver_of(s);
  const double t0 = hybrid_start(s->h, NULL), t1 = hybrid_end_time(s->h), half = (t0 + t1) / 2.0;
  hybrid_end a = {0}, b = {0};
  a.t = hybrid_start(s->h, a.x);
  b.t = hybrid_start(s->h, b.x);
  ess_options options = s->plan.options;
  if (s->h->slides && options.sliding) options.slides = s->h->slides;
  assert_int_equal(ess_driver_apply(d, &a.t, half, a.x), ESS_SUCCESS);
  assert_int_equal(ess_driver_apply(other, &b.t, half, b.x), ESS_SUCCESS);
  assert_int_equal(ess_driver_set_options(d, &options), ESS_SUCCESS);
  assert_int_equal(ess_driver_apply(d, &a.t, t1, a.x), ESS_SUCCESS);
  assert_int_equal(ess_driver_apply(other, &b.t, t1, b.x), ESS_SUCCESS);
  assert_memory_equal(a.x, b.x, s->h->n * sizeof *a.x);
  ess_driver_free(d);
  ess_driver_free(other);
}

/* ---- counters -------------------------------------------------------------------------------- */

static void check_counters(subject *s) {
  memset(s->h->calls, 0, sizeof s->h->calls);
  const hybrid_end end = run(s, &s->plan);
  const ess_counters *const c = &end.counters;
  const uint64_t *const calls = s->h->calls;
  size_t heard[HYBRID_SLIDE + 1] = {0}, begun = 0;
  assert_true(end.log.count < HYBRID_LOG);
  for (size_t i = 0; i < end.log.count; i++) {
    const hybrid_record *const r = &end.log.record[i];
    heard[r->message]++;
    begun += r->message == HYBRID_SLIDE && r->direction > 0;
    if (i) assert_true(r->t >= end.log.record[i - 1].t);
  }
  assert_int_equal(c->field_evaluations, calls[HYBRID_FIELD]);
  if (s->h->m)
    assert_int_equal(c->event_evaluations, calls[HYBRID_GUARDS] + calls[HYBRID_GUARD_RATES]);
  assert_int_equal(c->watch_evaluations, calls[HYBRID_WATCH]);
  assert_int_equal(c->some_evaluations, calls[HYBRID_SOME_RATES]);
  assert_int_equal(c->jacobian_evaluations, calls[HYBRID_GUARD_JACOBIAN]);
  assert_int_equal(c->field_jacobian_evaluations, calls[HYBRID_FIELD_JACOBIAN]);
  assert_int_equal(c->steps + c->projections, end.log.steps);
  assert_int_equal(c->crossings, heard[HYBRID_CROSSING] + heard[HYBRID_EVENT]);
  assert_int_equal(c->impacts, heard[HYBRID_IMPACTS]);
  assert_int_equal(c->slides, begun);
}

/* ---- what is given, and bases ---------------------------------------------------------------- */

static bool needs_solve(const subject *s) {
  return s->plan.options.base == ESS_BASE_ROS2 || s->plan.options.base == ESS_BASE_LIT;
}

static void check_given(subject *s) {
  static const unsigned given[] = {HYBRID_GIVES_NONE,
                                   1u << HYBRID_FIELD_JACOBIAN,
                                   1u << HYBRID_GUARD_JACOBIAN,
                                   1u << HYBRID_GUARD_RATES,
                                   1u << HYBRID_GUARD_JACOBIAN | 1u << HYBRID_TIME_RATES,
                                   HYBRID_GIVES_ALL & ~(1u << HYBRID_TIME_RATES)};
  hybrid_plan plan = s->plan;
  const hybrid_end all = run(s, &plan);
  for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
    plan.gives = given[i];
    if (needs_solve(s)) plan.gives |= 1u << HYBRID_SOLVE;
    const hybrid_end some = run(s, &plan);
    are_near(s, &all, &some, 1.0, "with other derivatives given");
    assert_int_equal(some.counters.impacts, all.counters.impacts);
    assert_int_equal(some.counters.crossings, all.counters.crossings);
  }
}

/* the derivatives of texts are right, and each that is wrong is found */
static void check_jacobians(subject *s) {
  static const hybrid_callback in[] = {HYBRID_GUARD_JACOBIAN, HYBRID_GUARD_RATES,
                                       HYBRID_SOME_RATES,     HYBRID_TIME_RATES,
                                       HYBRID_FIELD_JACOBIAN, HYBRID_IMPACT_JACOBIAN};
  double x[HYBRID_STATES];
  const ess_system system = hybrid_system(s->h, HYBRID_GIVES_ALL);
  const double t = hybrid_start(s->h, x) + 0.123; // beside zeros and kinks at the start
  for (size_t i = 0; i < s->h->n; i++) x[i] += 0.0123 * (double)(i + 1);
  memset(s->h->calls, 0, sizeof s->h->calls);
  ess_jacobian_check worst;
  const int status = ess_check_jacobian(&system, t, x, &worst);
  if (status)
    fail_msg("%s: %s: %zu by %zu: %g, found %g", s->name, ess_strerror(status), worst.row,
             worst.column, worst.given, worst.found);
  uint64_t calls[HYBRID_CALLBACKS];
  memcpy(calls, s->h->calls, sizeof calls);
  for (size_t i = 0; i < sizeof in / sizeof *in; i++)
    for (size_t entry = 0; entry < s->h->n && calls[in[i]]; entry++) {
      const size_t at = i < 4 ? entry : entry * (s->h->n + 1);
      s->h->fault = (hybrid_fault){.in = in[i], .call = 1, .value = 123.0, .entry = at};
      if (i < 4 && entry >= s->h->m) continue;
      if (ess_check_jacobian(&system, t, x, &worst) != ESS_EJACOBIAN)
        fail_msg("%s: entry %zu of callback %d is wrong", s->name, at, (int)in[i]);
      s->h->fault = (hybrid_fault){.in = in[i], .call = 1, .code = 3};
      assert_int_equal(ess_check_jacobian(&system, t, x, &worst), ESS_ECALLBACK);
    }
  s->h->fault = (hybrid_fault){0};
}

static void check_bases(subject *s) {
  static const ess_base bases[] = {ESS_BASE_CHOSEN, ESS_BASE_RODAS, ESS_BASE_CHOSEN_RODAS,
                                   ESS_BASE_RKC,    ESS_BASE_ROS2,  ESS_BASE_LIT};
  hybrid_plan plan = s->plan;
  const hybrid_end end = run(s, &plan);
  for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
    plan.options.base = bases[i];
    plan.options.rtol = plan.options.atol = TOLERANCE;
    const hybrid_end other = run(s, &plan);
    // RKC, ROS2 and LIT are of order 2, and control their error by an estimate (ess.h)
    are_near(s, &end, &other, i < 3 ? 1.0 : 1000.0, "by another base");
  }
}

static void check_tolerances(subject *s) {
  hybrid_plan plan = s->plan;
  plan.options.rtol = plan.options.atol = 1e-11;
  const hybrid_end fine = run(s, &plan);
  for (double tolerance = 1e-3; tolerance > 1e-10; tolerance *= 0.3) {
    plan.options.rtol = plan.options.atol = tolerance;
    const hybrid_end end = run(s, &plan);
    const double error = hybrid_error(s->h, end.x, fine.x, tolerance);
    if (!(error <= 3.0 * s->most))
      fail_msg("%s: an error of %.3g tolerances at %g", s->name, error, tolerance);
  }
}

/* ---- what has no effect ---------------------------------------------------------------------- */

static void compare_with(subject *s, const char *text, const char *when) {
  const hybrid_end without = run(s, &s->plan);
  subject more = subject_of(s->is, text);
  hybrid_end with = run(&more, &more.plan);
  memset(with.sign + s->h->m, 0, (more.h->m - s->h->m) * sizeof *with.sign);
  are_near(s, &without, &with, 1.0, when);
  assert_int_equal(with.counters.impacts, without.counters.impacts);
  hybrid_free(more.h);
}

static void check_passive(subject *s) {
  compare_with(s, "passive_a: t - 0.377; passive_b: sin(7*t) - 0.3\n", "with event functions more");
}

static void check_watched(subject *s) {
  compare_with(s, "watch more_a: t - 0.377\nwatch more_b: sin(7*t) - 0.3\n", "when watched");
}

/* signs that the field does not depend on, told: what crosses them cuts no step */
static void check_idle(subject *s) {
  hybrid_plan plan = s->plan;
  const hybrid_end untold = run(s, &plan);
  plan.gives |= 1u << HYBRID_IDLE;
  const hybrid_end told = run(s, &plan);
  are_near(s, &untold, &told, 1.0, "when idle signs are told");
  assert_int_equal(told.counters.crossings, untold.counters.crossings);
  assert_int_equal(told.counters.impacts, untold.counters.impacts);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Without a matrix a crossing arms the guard of the way back, and rows that say so change no bit;
 * nor do silent guards, by the paper's method, but for their own crossings. */
static bool has_no_matrix(const subject *s) {
  return s->h->m && !s->h->has_resets && !s->h->has_silent && !s->h->has_unarmed;
}

static void check_rows(subject *s) {
  const hybrid_end plain = run(s, &s->plan);
  char rows[4096] = "pool:\n", silent[8192];
  double start[HYBRID_STATES];
  (void)hybrid_start(s->h, start);
  for (size_t k = 0; k < s->h->m && !s->h->one_way; k++) {
    const char *const name = s->h->events[k];
    const size_t at = strlen(rows);
    snprintf(rows + at, sizeof rows - at, "row up %s: +down %s\nrow down %s: +up %s\n", name, name,
             name, name);
  }
  snprintf(silent, sizeof silent, "%squiet: %s - %.17g\nsilent both quiet\nrow up quiet:%s\n", rows,
           s->h->states[0], 0.3 * start[0] + 0.7 * plain.x[0], s->h->one_way ? "" : " +down quiet");
  if (!s->h->one_way) strcat(silent, "row down quiet: +up quiet\n");
  subject with = subject_of(s->is, rows), quiet = subject_of(s->is, silent);
  const hybrid_end same = run(&with, &with.plan);
  are_same(s, &plain, &same, "with rows for the way back");
  static const double epsilons[] = {1e-4, 1e-2, 0.2};
  for (size_t i = 0; i < 3 && !s->h->watched && !s->plan.options.sliding; i++) {
    hybrid_plan plan = {.options = ess_options_paper(), .gives = s->plan.gives};
    plan.options.projection.epsilon = epsilons[i];
    plan.options.projection.order = 1 + (int)i % 2;
    plan.options.h_max = 0.05;
    if (i == 1) plan.options.projection.duration_max = 1e-3;
    const hybrid_end a = run(s, &plan), b = run(&with, &plan);
    hybrid_end c = run(&quiet, &plan);
    are_same(s, &a, &b, "with rows for the way back, by the paper's method");
    c.counters.silent = 0;
    c.counters.event_evaluations = a.counters.event_evaluations;
    c.counters.some_evaluations = a.counters.some_evaluations;
    c.counters.jacobian_evaluations = a.counters.jacobian_evaluations;
    // an impact looks for the sides of all event functions
    if (s->h->has_impacts) c.counters.field_evaluations = a.counters.field_evaluations;
    are_same(s, &a, &c, "with a silent guard");
  }
  hybrid_free(with.h);
  hybrid_free(quiet.h);
}

/* ---- coordinates ----------------------------------------------------------------------------- */

/* A system in other coordinates: its states are y_i = scale_i x_{of[i]}, its event functions
 * g_k = factor_k h_{event[k]}, its time is t times `pace`. Powers of two change no rounding. */
typedef struct coordinates {
  hybrid *h;
  ess_system inner;
  size_t of[HYBRID_STATES], event[HYBRID_EVENTS];
  double scale[HYBRID_STATES], factor[HYBRID_EVENTS], pace;
} coordinates;

static void to_inner(const coordinates *c, const double y[], double x[]) {
  for (size_t i = 0; i < c->h->n; i++) x[c->of[i]] = y[i] / c->scale[i];
}

static void signs_to_inner(const coordinates *c, const double outer[], double inner[]) {
  for (size_t k = 0; k < c->h->m; k++) inner[c->event[k]] = outer[k];
}

static int other_field(double t, const double y[], const double sign[], double dydt[],
                       void *params) {
  const coordinates *const c = params;
  double x[HYBRID_STATES] = {0.0}, s[HYBRID_EVENTS] = {0.0}, dxdt[HYBRID_STATES];
  to_inner(c, y, x);
  signs_to_inner(c, sign, s);
  const int code = c->inner.field(t / c->pace, x, s, dxdt, c->h);
  for (size_t i = 0; i < c->h->n; i++) dydt[i] = dxdt[c->of[i]] * c->scale[i] / c->pace;
  return code;
}

static int other_event_functions(double t, const double y[], double g[], void *params) {
  const coordinates *const c = params;
  double x[HYBRID_STATES] = {0.0}, values[HYBRID_EVENTS] = {0.0};
  to_inner(c, y, x);
  const int code = c->inner.event_functions(t / c->pace, x, values, c->h);
  for (size_t k = 0; k < c->h->m; k++) g[k] = values[c->event[k]] * c->factor[k];
  return code;
}

static int other_jacobian(double t, const double y[], double Dg[], void *params) {
  const coordinates *const c = params;
  const size_t n = c->h->n, columns = n + (c->inner.time_dependence == ESS_TIME_COLUMN);
  double x[HYBRID_STATES] = {0.0}, *const Dh = malloc((c->h->m * columns + 1) * sizeof *Dh);
  to_inner(c, y, x);
  const int code = c->inner.event_jacobian(t / c->pace, x, Dh, c->h);
  for (size_t k = 0; k < c->h->m; k++)
    for (size_t i = 0; i < columns; i++) {
      const double given = Dh[c->event[k] * columns + (i < n ? c->of[i] : n)];
      Dg[k * columns + i] = given * c->factor[k] / (i < n ? c->scale[i] : c->pace);
    }
  free(Dh);
  return code;
}

/* runs it, and returns the end in the coordinates of the catalogue; its hash is left out */
static hybrid_end run_in(subject *s, coordinates *c) {
  hybrid_end end = {0};
  c->h = s->h;
  c->inner = hybrid_system(s->h, HYBRID_GIVES_ALL);
  const ess_system system = {.dimension = s->h->n,
                             .event_count = s->h->m,
                             .field = other_field,
                             .event_functions = other_event_functions,
                             .event_jacobian = other_jacobian,
                             .kinds = s->h->one_way ? s->h->kinds : NULL,
                             .time_dependence = c->inner.time_dependence,
                             .params = c};
  ess_options options = s->plan.options;
  ess_tolerance tolerances[HYBRID_STATES];
  double x[HYBRID_STATES] = {0.0}, y[HYBRID_STATES] = {0.0};
  double t = hybrid_start(s->h, x) * c->pace;
  for (size_t i = 0; i < s->h->n; i++) {
    tolerances[i] = (ess_tolerance){options.rtol, TOLERANCE * fabs(c->scale[i])};
    y[i] = x[c->of[i]] * c->scale[i];
  }
  options.tolerances = tolerances;
  options.h_init = 1e-3 * c->pace; // the one that libess chooses is another in other units of time
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  if (!d) fail_msg("%s: %s", s->name, ess_check(&system, &options));
  end.status = ess_driver_apply(d, &t, hybrid_end_time(s->h) * c->pace, y);
  if (end.status) fail_msg("%s: %s in other coordinates", s->name, ess_strerror(end.status));
  end.t = t / c->pace;
  to_inner(c, y, end.x);
  signs_to_inner(c, ess_driver_sign(d), end.sign);
  end.counters = *ess_driver_counters(d);
  ess_driver_free(d);
  return end;
}

static coordinates identity(void) {
  coordinates c = {.pace = 1.0};
  for (size_t i = 0; i < HYBRID_STATES; i++) c.of[i] = i, c.scale[i] = 1.0;
  for (size_t k = 0; k < HYBRID_EVENTS; k++) c.event[k] = k, c.factor[k] = 1.0;
  return c;
}

/* impacts, rows, jumps and field_solve are in the catalogue's coordinates */
static bool has_coordinates(const subject *s) {
  return !s->h->has_impacts && !s->h->has_resets && !s->h->has_silent && !s->h->jumps &&
         !s->h->watched && !s->h->has_unarmed && !s->h->slides && !needs_solve(s);
}

static void check_units(subject *s) {
  coordinates c = identity();
  const hybrid_end plain = run_in(s, &c);
  for (int which = 0; which < (is_paper(s) ? 2 : 3); which++) { // epsilon is in units of h
    c = identity();
    if (which == 0) c.pace = 0x1p-20;
    for (size_t i = 0; which == 1 && i < s->h->n; i++)
      c.scale[i] = ldexp(1.0, (int)(5 * i % 7) - 3);
    for (size_t k = 0; which == 2 && k < s->h->m; k++)
      c.factor[k] = ldexp(1.0, (int)(11 * k % 37) - 18);
    const hybrid_end scaled = run_in(s, &c);
    static const char *const names[] = {"in other units of time", "in other units of states",
                                        "in other units of event functions"};
    // the search for a spectral radius moves states by lengths of their own
    const ess_base base = s->plan.options.base;
    if (which < 2 && (base == ESS_BASE_RKC || base == ESS_BASE_CHOSEN_RODAS))
      are_near(s, &plain, &scaled, 1.0, names[which]);
    else
      are_same(s, &plain, &scaled, names[which]);
  }
}

static void check_permutations(subject *s) {
  coordinates c = identity();
  const hybrid_end plain = run_in(s, &c);
  for (size_t i = 0; i < s->h->n; i++) c.of[i] = s->h->n - 1 - i;
  for (size_t k = 0; k < s->h->m; k++) c.event[k] = s->h->m - 1 - k;
  const hybrid_end turned = run_in(s, &c);
  are_near(s, &plain, &turned, 1.0, "in another order");
  assert_int_equal(turned.counters.crossings, plain.counters.crossings);
}

/* ---- time ------------------------------------------------------------------------------------ */

/* forward and back again, where time can be turned: no impacts, rows, slides or stiff decay */
static bool can_turn_back(const subject *s) {
  return !s->h->has_impacts && !s->h->has_resets && !s->plan.options.sliding && !s->h->one_way &&
         strncmp(s->name, "stiff", 5) && strcmp(s->name, "hopper");
}

static void check_backward(subject *s) {
  ess_driver *const d = driver_of(s);
  const size_t n = s->h->n;
  double *const unit = calloc(n * n, sizeof *unit);
  for (size_t i = 0; i < n; i++) unit[i * (n + 1)] = 1.0;
  assert_int_equal(ess_driver_follow(d, n, unit), ESS_SUCCESS);
  free(unit);
  hybrid_end end = applied(s, d), start = {0};
  assert_int_equal(end.status, ESS_SUCCESS);
  const uint64_t crossings = end.counters.crossings;
  const double t0 = hybrid_start(s->h, start.x);
  double times[SAMPLES], back[SAMPLES], states[SAMPLES * HYBRID_STATES];
  times_of(s, times);
  for (size_t i = 0; i < SAMPLES; i++) back[i] = times[SAMPLES - 1 - i];
  assert_int_equal(ess_driver_sample(d, &end.t, t0, end.x, back, SAMPLES, states), ESS_SUCCESS);
  assert_true(end.t == t0);
  assert_memory_equal(states + (SAMPLES - 1) * n, end.x, n * sizeof *states);
  memcpy(end.sign, start.sign, sizeof end.sign);
  are_near(s, &start, &end, 500.0, "after the way back");
  assert_int_equal(ess_driver_counters(d)->crossings, 2 * crossings);
  const double *const D = ess_driver_tangent(d);
  for (size_t i = 0; i < s->h->n * s->h->n; i++)
    if (!(fabs(D[i] - (i % (s->h->n + 1) == 0)) < 2e-3 * s->most))
      fail_msg("%s: a derivative of %g after the way back", s->name, D[i]);
  ess_driver_free(d);
}

/* ---- tangents -------------------------------------------------------------------------------- */

/* runs with tangents and with a recording have the same states, but for impacts' rest and slides of
 * second order, which have no derivative */
static bool has_derivatives(const subject *s) {
  return s->plan.options.sliding != ESS_SLIDING_SLIDE_AND_REST &&
         s->plan.options.base == ESS_BASE_DOPRI5 && by_tolerance(s);
}

static void check_followed(subject *s) {
  ess_driver *const plain = driver_of(s), *const followed = driver_of(s),
                    *const recorded = driver_of(s);
  const hybrid_end a = applied(s, plain);
  assert_int_equal(ess_driver_follow(followed, s->h->n, NULL), ESS_SUCCESS);
  assert_int_equal(ess_driver_record(recorded, 1 << 22), ESS_SUCCESS);
  const hybrid_end b = applied(s, followed), c = applied(s, recorded);
  if (b.status || c.status)
    fail_msg("%s: %s", s->name, ess_strerror(b.status ? b.status : c.status));
  are_near(s, &a, &b, 1.0, "with tangents");
  are_near(s, &b, &c, 1.0, "recorded");
  ess_driver_free(plain);
  ess_driver_free(followed);
  ess_driver_free(recorded);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static const struct {
  const char *name;
  void (*check)(subject *s);
  bool (*holds)(const subject *s); /* of which systems; NULL: of all */
} properties[] = {
    {"samples_and_observers_change_nothing", check_samples, NULL},
    {"dense_output_and_samples_are_the_run", check_dense, NULL},
    {"a_run_in_parts_is_the_run", check_parts, NULL},
    {"a_run_that_is_stopped_and_continued_is_the_run", check_stops, NULL},
    {"a_callback_that_fails_ends_the_run_and_spoils_nothing", check_codes, NULL},
    {"a_result_that_is_not_finite_is_never_a_wrong_success", check_not_finite, NULL},
    {"a_driver_that_is_reset_is_a_new_one", check_reset, NULL},
    {"drivers_share_nothing", check_interleaved, NULL},
    {"the_same_options_set_again_change_nothing", check_set_options, NULL},
    {"counters_are_what_has_been_called_and_reported", check_counters, NULL},
    {"derivatives_that_are_not_given_are_differences", check_given, NULL},
    {"wrong_derivatives_are_found_and_right_ones_are_not", check_jacobians, NULL},
    {"bases_agree", check_bases, by_tolerance},
    {"the_tolerance_is_the_error", check_tolerances, by_tolerance},
    {"event_functions_without_effect_change_little", check_passive, NULL},
    {"watched_events_change_little", check_watched, by_tolerance},
    {"rows_for_the_way_back_and_silent_guards_change_no_bit", check_rows, has_no_matrix},
    {"units_that_are_powers_of_two_change_no_bit", check_units, has_coordinates},
    {"the_order_of_states_and_event_functions_does_not_matter", check_permutations,
     has_coordinates},
    {"a_run_backward_undoes_a_run_forward", check_backward, can_turn_back},
    {"tangents_and_recordings_leave_the_run", check_followed, has_derivatives},
    {"idle_signs_that_are_told_change_little", check_idle, NULL},
};
enum { PROPERTIES = sizeof properties / sizeof *properties };

typedef struct task {
  const a_case *of;
  size_t property;
  char name[128];
} task;

static void run_task(void **state) {
  const task *const t = *state;
  subject s = subject_of(t->of, "");
  properties[t->property].check(&s);
  hybrid_free(s.h);
}

/* a test for each property and system; an argument is a pattern of names */
int main(int argc, char *argv[]) {
  cases catalogue = cases_read(SYSTEMS);
  const size_t count = PROPERTIES * catalogue.count;
  task *const tasks = calloc(count, sizeof *tasks);
  struct CMUnitTest *const tests = calloc(count, sizeof *tests);
  if (!tasks || !tests) return 1;
  size_t added = 0;
  for (size_t i = 0; i < count; i++) {
    const size_t property = i / catalogue.count;
    const a_case *const of = &catalogue.cases[i % catalogue.count];
    subject s = subject_of(of, "");
    const bool holds = !properties[property].holds || properties[property].holds(&s);
    hybrid_free(s.h);
    if (!holds) continue;
    task *const t = &tasks[added];
    *t = (task){.of = of, .property = property};
    snprintf(t->name, sizeof t->name, "%s: %s", properties[property].name, of->title);
    tests[added++] =
        (struct CMUnitTest){.name = t->name, .test_func = run_task, .initial_state = t};
  }
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  const int failed = _cmocka_run_group_tests("properties", tests, added, NULL, NULL);
  free(tests);
  free(tasks);
  cases_free(&catalogue);
  return failed != 0;
}
