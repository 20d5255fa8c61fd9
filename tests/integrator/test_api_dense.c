/*
 * The state at any time of the last step, chosen afterwards: after an apply, or by a step's
 * observer.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "toy.h"

enum { PLACES = 7, GRID = 400, METHODS = 3 };

static const double HEIGHT = 1.0, END = 6.0;

/* one tolerance; the paper's method by tangents, and by parabolas */
static ess_options options_of(int method) {
  ess_options options = method ? ess_options_paper() : ess_options_default();
  if (method) options.order = method;
  options.epsilon = method == 1 ? 1e-4 : 1e-3;
  return options;
}

/* ---- while a run goes on --------------------------------------------------------------------- */

typedef struct watcher {
  ess_driver *driver;
  const toy_ball *ball;
  double x0[2], worst;
  size_t steps, projections;
  const double *times; /* a grid, and what dense output has at those of its times within a step */
  double states[GRID][2];
  bool seen[GRID];
} watcher;

/* to the last bit the states that the run went through */
static void check_ends(const watcher *w, const ess_step_info *info) {
  double x[2];
  assert_true(ess_driver_step_start(w->driver) == info->t0);
  assert_int_equal(ess_driver_dense(w->driver, info->t1, x), ESS_SUCCESS);
  assert_memory_equal(x, info->x, sizeof x);
  assert_int_equal(ess_driver_dense(w->driver, info->t0, x), ESS_SUCCESS);
  if (info->t0 < info->t1) assert_memory_equal(x, w->x0, sizeof x);
}

ON_STEP(watch_step) {
  watcher *const w = context;
  check_ends(w, info);
  for (int i = 0; i <= PLACES; i++) {
    const double t = info->t0 + (info->t1 - info->t0) * i / PLACES;
    double x[2], exact[2];
    assert_int_equal(ess_driver_dense(w->driver, ess_driver_step_start(w->driver), x), 0);
    assert_int_equal(ess_driver_dense(w->driver, fmin(t, info->t1), x), ESS_SUCCESS);
    ball_exact(w->ball, HEIGHT, t, exact);
    w->worst = fmax(w->worst, fabs(x[0] - exact[0]));
  }
  for (size_t k = 0; k < GRID; k++) {
    if (!(w->times[k] > info->t0 && w->times[k] < info->t1)) continue;
    assert_int_equal(ess_driver_dense(w->driver, w->times[k], w->states[k]), ESS_SUCCESS);
    w->seen[k] = true;
  }
  w->steps++;
  w->projections += info->projection;
  memcpy(w->x0, info->x, sizeof w->x0);
}

TEST(observers_see_all_of_a_step) {
  for (int method = 0; method < METHODS; method++) {
    toy_ball ball = {100.0};
    const ess_system system = ball_system(&ball);
    double times[GRID], states[GRID][2];
    for (size_t k = 0; k < GRID; k++) times[k] = END * (double)k / (GRID - 1);

    // with samples, and nobody asking
    ess_options options = options_of(method);
    ess_driver *const sampled = ess_driver_alloc(&system, &options, NULL);
    double t = 0.0, x[2] = {HEIGHT, 0.0}, y[2] = {HEIGHT, 0.0};
    assert_int_equal(ess_driver_sample(sampled, &t, END, x, times, GRID, states[0]), ESS_SUCCESS);

    watcher w = {.ball = &ball, .times = times, .x0 = {HEIGHT, 0.0}};
    options.observer = (ess_observer){.step = watch_step, .context = &w};
    ess_driver *const asked = w.driver = ess_driver_alloc(&system, &options, NULL);
    t = 0.0;
    assert_int_equal(ess_driver_apply(asked, &t, END, y), ESS_SUCCESS);

    // asking changes nothing, and samples are what dense output has
    assert_memory_equal(x, y, sizeof x);
    assert_memory_equal(ess_driver_counters(sampled), ess_driver_counters(asked),
                        sizeof(ess_counters));
    assert_true(w.steps > 10 && (method == 0 || w.projections >= 3));
    assert_true(w.worst < (method == 0 ? 1e-6 : 1e-2));
    size_t seen = 0;
    for (size_t k = 0; k < GRID; k++) {
      seen += w.seen[k];
      if (w.seen[k]) assert_memory_equal(w.states[k], states[k], sizeof *states);
    }
    assert_true(seen > GRID - 2 - w.steps);
    ess_driver_free(sampled);
    ess_driver_free(asked);
  }
}

/* ---- steps through crossings ----------------------------------------------------------------- */

enum { TEETH = 120, WIDEST = 9 };

/* many guards one after the other, each of which bends every component a little more */
FIELD(comb_field) {
  const size_t n = *(const size_t *)params;
  double passed = 0.0;
  for (size_t k = 0; k < TEETH; k++) passed += (0.5 + 0.5 * sign[k]) * (0.01 + 2e-4 * (double)k);
  for (size_t i = 0; i < n; i++) dxdt[i] = 1.0 + 0.1 * (double)i * cos(t + (double)i) + passed;
}

PLANES_EACH(comb, *AS(size_t), TEETH, x[0], 0.3 + 2e-3 * (double)k);

typedef struct combed {
  ess_driver *driver;
  size_t dimension, seen;
  double times[GRID], states[GRID][WIDEST];
  const double *samples;
} combed;

ON_STEP(compare_samples) {
  combed *const c = context;
  const size_t n = c->dimension;
  for (size_t k = 0; k < GRID; k++) {
    if (!(c->times[k] > info->t0 && c->times[k] < info->t1)) continue;
    assert_int_equal(ess_driver_dense(c->driver, c->times[k], c->states[k]), ESS_SUCCESS);
    assert_memory_equal(c->states[k], c->samples + k * n, n * sizeof *c->samples);
    c->seen++;
  }
}

TEST(samples_among_crossings_are_dense_output) {
  for (size_t n = 1; n <= WIDEST; n++) {
    const ess_system system = {
        .dimension = n, .guard_count = TEETH, OF_JACOBIAN(comb), .weights = true, .params = &n};
    ess_options options = toy_options(1e-4);
    double samples[GRID * WIDEST + 1], x[WIDEST] = {0.0}, y[WIDEST] = {0.0}, t = 0.0;
    combed c = {.dimension = n, .samples = samples};
    for (size_t k = 0; k < GRID; k++) c.times[k] = 0.6 * (double)k / (GRID - 1);
    samples[GRID * n] = 7.0;

    ess_driver *const sampled = ess_driver_alloc(&system, &options, NULL);
    assert_int_equal(ess_driver_sample(sampled, &t, 0.6, x, c.times, GRID, samples), ESS_SUCCESS);
    assert_true(samples[GRID * n] == 7.0);
    assert_true(ess_driver_counters(sampled)->through > 2);

    options.observer = (ess_observer){.step = compare_samples, .context = &c};
    ess_driver *const asked = c.driver = ess_driver_alloc(&system, &options, NULL);
    t = 0.0;
    assert_int_equal(ess_driver_apply(asked, &t, 0.6, y), ESS_SUCCESS);
    assert_memory_equal(x, y, n * sizeof *x);
    assert_true(c.seen > GRID / 2);
    ess_driver_free(sampled);
    ess_driver_free(asked);
  }
}

/* ---- afterwards ------------------------------------------------------------------------------ */

TEST(what_lies_outside_is_refused) {
  toy_ball ball = {100.0};
  const ess_system system = ball_system(&ball);
  const ess_options options = ess_options_default();
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double t = 0.0, x[2] = {HEIGHT, 0.0}, y[2] = {7.0, 7.0};
  assert_true(isnan(ess_driver_step_start(d)) && isnan(ess_driver_step_start(NULL)));
  assert_int_equal(ess_driver_dense(NULL, 0.0, y), ESS_EINVAL);
  assert_int_equal(ess_driver_dense(d, 0.0, y), ESS_EINVAL); // nothing has begun
  assert_int_equal(ess_driver_apply(d, &t, 0.5, x), ESS_SUCCESS);
  const double start = ess_driver_step_start(d);
  const double outside[] = {nextafter(start, -1.0), nextafter(t, 1.0), NAN, INFINITY};
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(ess_driver_dense(d, outside[i], y), ESS_EINVAL);
    assert_non_null(strstr(ess_driver_failure(d)->reason, "t must lie within the last step"));
  }
  assert_int_equal(ess_driver_dense(d, t, NULL), ESS_EINVAL);
  assert_string_equal(ess_driver_failure(d)->reason, "x must not be NULL");
  assert_true(y[0] == 7.0 && y[1] == 7.0);
  ess_driver_reset(d);
  assert_int_equal(ess_driver_dense(d, t, y), ESS_EINVAL);
  ess_driver_free(d);
}

TEST(the_last_step_stays_until_another) {
  toy_ball ball = {100.0};
  const ess_system system = ball_system(&ball);
  const ess_options options = ess_options_default();
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double t = 0.25, x[2] = {HEIGHT, 0.0}, y[2], z[2];
  // no step: the start alone
  assert_int_equal(ess_driver_apply(d, &t, 0.25, x), ESS_SUCCESS);
  assert_true(ess_driver_step_start(d) == 0.25);
  assert_int_equal(ess_driver_dense(d, 0.25, y), ESS_SUCCESS);
  assert_memory_equal(x, y, sizeof x);

  // the trajectory goes on, by no step: the last one is still the last
  assert_int_equal(ess_driver_apply(d, &t, 0.5, x), ESS_SUCCESS);
  const double start = ess_driver_step_start(d), middle = 0.5 * (start + t);
  assert_true(start >= 0.25 && start < 0.5);
  assert_int_equal(ess_driver_dense(d, middle, y), ESS_SUCCESS);
  assert_int_equal(ess_driver_apply(d, &t, 0.5, x), ESS_SUCCESS);
  assert_int_equal(ess_driver_dense(d, middle, z), ESS_SUCCESS);
  assert_memory_equal(y, z, sizeof y);

  // another state: no step has led there
  x[1] += 1.0;
  assert_int_equal(ess_driver_apply(d, &t, 0.5, x), ESS_SUCCESS);
  assert_true(ess_driver_step_start(d) == 0.5);
  assert_int_equal(ess_driver_dense(d, middle, y), ESS_EINVAL);
  assert_int_equal(ess_driver_dense(d, 0.5, y), ESS_SUCCESS);
  assert_memory_equal(x, y, sizeof x);
  ess_driver_free(d);
}

/* ---- after a failure ------------------------------------------------------------------------- */

typedef struct failing {
  toy_ball ball;
  size_t calls_left;
} failing;

FIELD_CODE(failing_field) {
  failing *const f = params;
  if (f->calls_left == 0) return 1;
  f->calls_left--;
  return ball_field(t, x, sign, dxdt, &f->ball);
}

/* where the last step began and ended, and its middle */
typedef struct last_step {
  ess_driver *driver;
  double t0, t1, middle[2];
} last_step;

ON_STEP_CODE(keep_step) {
  last_step *const l = context;
  l->t0 = info->t0;
  l->t1 = info->t1;
  return ess_driver_dense(l->driver, info->t0 + 0.5 * (info->t1 - info->t0), l->middle);
}

TEST(a_failing_try_leaves_the_last_step) {
  for (int method = 0; method < METHODS; method++)
    for (size_t calls = 1; calls < 250; calls += 3) {
      failing f = {.ball = {100.0}, .calls_left = calls};
      ess_system system = ball_system(&f.ball);
      system.field = failing_field;
      system.params = &f;
      last_step last = {.t0 = NAN};
      ess_options options = options_of(method);
      options.observer = (ess_observer){.step = keep_step, .context = &last};
      ess_driver *const d = last.driver = ess_driver_alloc(&system, &options, NULL);
      double t = 0.0, x[2] = {HEIGHT, 0.0}, y[2];
      assert_int_equal(ess_driver_apply(d, &t, 10.0, x), ESS_ECALLBACK);
      assert_int_equal(ess_driver_dense(d, t, y), ESS_SUCCESS);
      assert_memory_equal(x, y, sizeof x);
      // but for steps whose end is made and of which the observer has not been told
      if (ess_driver_step_start(d) == last.t0 && t == last.t1) {
        assert_int_equal(ess_driver_dense(d, last.t0 + 0.5 * (t - last.t0), y), ESS_SUCCESS);
        assert_memory_equal(y, last.middle, sizeof y);
      }
      ess_driver_free(d);
    }
}
