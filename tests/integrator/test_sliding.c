/*
 * Sliding, by ESS_SLIDING_FILIPPOV: systems whose times and states are known to ten digits, by
 * closed forms or by matrix exponentials to forty digits.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "toy.h"

enum { SLIDES = 64 };

/* what an observer saw of slides */
typedef struct slide_log {
  size_t count, guard[SLIDES];
  int begins[SLIDES];
  double time[SLIDES];
} slide_log;

static int note_slide(const ess_slide_info *info, void *context) {
  slide_log *const log = context;
  if (log->count < SLIDES) {
    log->guard[log->count] = info->guard;
    log->begins[log->count] = info->begins;
    log->time[log->count] = info->t;
  }
  log->count++;
  return 0;
}

typedef int (*field_of)(double, const double[], const double[], double[], void *);
typedef int (*guards_of)(double, const double[], double[], void *);

/* a system, how it starts, and how long it runs */
typedef struct run {
  size_t dimension, guard_count;
  field_of field;
  guards_of guards;
  double start[4], until;
  double parameter;
} run;

static int jacobian_by_unit(double t, const double x[], double Dh[], void *params);

/* ends with this status, the state in x; what it saw of slides in log */
static int run_to_end(const run *r, double tolerance, double x[], slide_log *log,
                      ess_failure *failure) {
  ess_options options = ess_options_default();
  options.rtol = options.atol = tolerance;
  options.sliding = ESS_SLIDING_FILIPPOV;
  options.observer = (ess_observer){.slide = note_slide, .context = log};
  *log = (slide_log){0};
  const ess_system system = {.dimension = r->dimension,
                             .guard_count = r->guard_count,
                             .field = r->field,
                             .guards = r->guards,
                             .guard_jacobian = jacobian_by_unit,
                             .params = (void *)(uintptr_t)r};
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_non_null(d);
  double t = 0.0;
  memcpy(x, r->start, r->dimension * sizeof *x);
  const int status = ess_driver_apply(d, &t, r->until, x);
  if (failure) *failure = *ess_driver_failure(d);
  assert_true(ess_driver_counters(d)->field_evaluations < 1000000);
  ess_driver_free(d);
  return status;
}

/* event functions that are affine: differences of one unit are their gradients */
static int jacobian_by_unit(double t, const double x[], double Dh[], void *params) {
  const run *const r = params;
  double at[4], h0[4], h1[4];
  memcpy(at, x, r->dimension * sizeof *at);
  r->guards(t, at, h0, params);
  for (size_t j = 0; j < r->dimension; j++) {
    at[j] = 0.0;
    r->guards(t, at, h0, params);
    at[j] = 1.0;
    r->guards(t, at, h1, params);
    at[j] = x[j];
    for (size_t k = 0; k < r->guard_count; k++) Dh[k * r->dimension + j] = h1[k] - h0[k];
  }
  return 0;
}

/* ---- the systems ----------------------------------------------------------------------------- */

static int belt_field(double t, const double x[], const double sign[], double f[], void *params) {
  const double w = x[1] - 0.5;
  f[0] = x[1];
  f[1] = -x[0] - sign[0] * (1.0 - 0.2 * sign[0] * w);
  return 0;
}

static int belt_guards(double t, const double x[], double h[], void *params) {
  h[0] = x[1] - 0.5;
  return 0;
}

static int relay_field(double t, const double x[], const double sign[], double f[], void *params) {
  const double w = 25.0, z = 0.05, s = 1.0;
  f[0] = -(2.0 * z * w + 1.0) * x[0] + x[1] - sign[0];
  f[1] = -(2.0 * z * w + w * w) * x[0] + x[2] + 2.0 * s * sign[0];
  f[2] = -w * w * x[0] - sign[0];
  return 0;
}

static int first_guards(double t, const double x[], double h[], void *params) {
  h[0] = x[0];
  return 0;
}

static int forced_field(double t, const double x[], const double sign[], double f[], void *params) {
  f[0] = x[1];
  f[1] = -x[0] + cos(0.4 * t) - 0.6 * sign[0];
  return 0;
}

static int second_guards(double t, const double x[], double h[], void *params) {
  h[0] = x[1];
  return 0;
}

static int spiral_field(double t, const double x[], const double s[], double f[], void *params) {
  f[0] = -s[0] + 2.0 * s[1];
  f[1] = -2.0 * s[0] - s[1];
  f[2] = 1.0 + s[0];
  return 0;
}

static int both_guards(double t, const double x[], double h[], void *params) {
  h[0] = x[0];
  h[1] = x[1];
  return 0;
}

static int touch_field(double t, const double x[], const double s[], double f[], void *params) {
  const run *const r = params;
  f[0] = s[0] < 0.0 ? (t - 1.0) * (t - 1.0) - r->parameter : -1.0;
  return 0;
}

static int gene_field(double t, const double x[], const double s[], double f[], void *params) {
  const double z1 = s[0] > 0.0, z2 = s[1] > 0.0;
  f[0] = 2.4 * (1.0 - z1 * z2) + 0.2 * z1 - x[0];
  f[1] = 2.2 * (1.0 - z2) + 0.9 * z1 * z2 + 0.3 * (1.0 - z1) - x[1];
  f[2] = z1 - 0.1 * x[2];
  return 0;
}

static int gene_guards(double t, const double x[], double h[], void *params) {
  h[0] = x[0] - 1.0;
  h[1] = x[1] - 1.0;
  return 0;
}

static int modelica_field(double t, const double x[], const double s[], double f[], void *params) {
  f[0] = s[0] > 0.0 ? -2.0 : 2.0;
  f[1] = s[0] > 0.0 ? 1.5 : -3.0;
  return 0;
}

static int difference_guards(double t, const double x[], double h[], void *params) {
  h[0] = x[0] - x[1];
  return 0;
}

static const run BELT = {2, 1, belt_field, belt_guards, {0.0, 0.5}, 20.0, 0.0};
static const run RELAY = {3, 1, relay_field, first_guards, {0.05, -0.01, 0.1}, 4.0, 0.0};
static const run FORCED = {2, 1, forced_field, second_guards, {0.3, 0.5}, 40.0, 0.0};
static const run SPIRAL = {3, 2, spiral_field, both_guards, {1.0, 1e-300, 0.0}, 1.0, 0.0};
static const run TOUCH = {1, 1, touch_field, first_guards, {0.0}, 2.0, 0.0};
static const run GENES = {3, 2, gene_field, gene_guards, {0.2, 0.5, 0.0}, 6.0, 0.0};
static const run MODELICA = {2, 1, modelica_field, difference_guards, {1.5, 1.0}, 1.0, 0.0};

/* ---- what is known of them ------------------------------------------------------------------- */

enum { TIMES = 8 };

/* times of slides, as they begin and end in turn, and components of the state at the end */
typedef struct known {
  const run *run;
  size_t times;
  double time[TIMES];
  double end[3];
} known;

/* the state at a time that a run's references are not for is not looked at: NAN */
static const known KNOWN[] = {
    {&BELT,
     6,
     {0.0, 2.0, 7.266719402578, 2.0 + 6.736837191765, 7.266719402578 + 6.736837191765,
      2.0 + 2.0 * 6.736837191765},
     {NAN, NAN}},
    {&RELAY,
     3,
     {0.03464047481527, 0.2906915458213, 0.527906513713},
     {0.0, 0.9848932988911, -1.407970123246}},
    {&FORCED,
     4,
     {1.58692062594, 3.26114449069, 8.01560989568, 10.6166009226},
     {-1.02750686834, 0.0}},
    {&SPIRAL, 2, {0.5, 0.5}, {0.0, 0.0, 1.2}},
    {&GENES, 2, {0.28768207245178093, 0.45198512374305727}, {1.0, 1.0, 3.27492893}},
    {&MODELICA, 1, {1.0 / 7.0}, {31.0 / 34.0, 31.0 / 34.0}},
};
enum { SYSTEMS = sizeof KNOWN / sizeof *KNOWN };

TEST(at_a_tight_tolerance) {
  for (int i = 0; i < SYSTEMS; i++) {
    const known *const k = &KNOWN[i];
    double x[4];
    slide_log log;
    assert_int_equal(run_to_end(k->run, 1e-10, x, &log, NULL), ESS_SUCCESS);
    assert_true(log.count >= k->times);
    for (size_t j = 0; j < k->times; j++)
      if (!(fabs(log.time[j] - k->time[j]) <= 1e-8))
        fail_msg("%d: slide %zu at %.12g, not %.12g", i, j, log.time[j], k->time[j]);
    const double off = k->run == &GENES ? 5e-9 : 3e-10; // as far as the reference goes
    for (size_t l = 0; l < k->run->dimension; l++)
      if (fabs(x[l] - k->end[l]) > off)
        fail_msg("%d: x[%zu] is %.13g, not %.13g", i, l, x[l], k->end[l]);
  }
}

/* the error is within a small multiple of the tolerance at any */
TEST(at_every_tolerance) {
  for (int i = 0; i < SYSTEMS; i++)
    for (int digits = 3; digits <= 9; digits++) {
      const known *const k = &KNOWN[i];
      const double tolerance = pow(10.0, -digits);
      double x[4];
      slide_log log;
      assert_int_equal(run_to_end(k->run, tolerance, x, &log, NULL), ESS_SUCCESS);
      for (size_t l = 0; l < k->run->dimension; l++)
        if (fabs(x[l] - k->end[l]) > 30.0 * tolerance)
          fail_msg("%d at 1e-%d: x[%zu] is %.13g, not %.13g", i, digits, l, x[l], k->end[l]);
    }
}

/* a weight that all but comes to its bound, or goes beyond it for a moment alone */
TEST(nearly_left) {
  for (int i = 2; i <= 8; i++)
    for (int left = 0; left < 2; left++) {
      const double d = pow(10.0, -i), root = sqrt(d);
      run r = TOUCH;
      double x[4];
      slide_log log;
      r.parameter = left ? d : -d;
      assert_int_equal(run_to_end(&r, 1e-10, x, &log, NULL), ESS_SUCCESS);
      assert_int_equal(log.count, left ? 3 : 1);
      if (!left) continue;
      // a weight is found 1e-12 beyond its bound: where it is shallow that is later
      const double late = 1e-8 + 2e-12 / root;
      if (fabs(log.time[1] - (1.0 - root)) > late || fabs(log.time[2] - (1.0 + 2.0 * root)) > 2e-8)
        fail_msg("1e-%d: from %.12g to %.12g", i, log.time[1], log.time[2]);
      assert_true(fabs(x[0]) < 1e-12);
    }
}
