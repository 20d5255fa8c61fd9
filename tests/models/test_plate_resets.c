/*
 * The damped plate's reset matrix against mirrored pairs and the reference, over random starts; and
 * what a contact goes through on the way, seen from inside the driver.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_rng.h>

#include "../../integrator/driver_state.h"
#include "plate.h"

enum { SAMPLES = 101, STATES = 6, ROW = SAMPLES * STATES };
static const double duration = 2.0;
/* one alone lets the plate turn upright, where the roller's event functions have a pole */
static const double contact_counts[] = {2, 3, 5, 10, 60};
enum { COUNTS = sizeof contact_counts / sizeof *contact_counts };

/* crossings that change the field: how many, and the work */
typedef struct outcome {
  size_t events;
  ess_counters counters;
  double states[ROW];
} outcome;

typedef struct watcher {
  const model *m;
  const ess_driver *driver; /* whose armed guards are looked at; NULL: not */
  size_t events;
} watcher;

static model prepared(double contacts, int law, double damping) {
  model m;
  char message[MODEL_MESSAGE_SIZE];
  model_init(&m, &plate_type);
  assert_int_equal(model_set(&m, "contacts", contacts, message), 0);
  assert_int_equal(model_set(&m, "law", law, message), 0);
  assert_int_equal(model_set(&m, "damping", damping, message), 0);
  assert_int_equal(model_prepare(&m, message), 0);
  return m;
}

/* A contact is free, pressed or released, and the guards that lead out of that state, and no
 * others, are armed. */
static void check_contact(const ess_driver *d, size_t contacts, size_t i) {
  const bool deep = d->sign[i] > 0.0, loaded = d->sign[contacts + i] > 0.0;
  const double depth_side = d->side[i], force_side = d->side[contacts + i];
  if (!deep) { // free: touch-down
    assert_true(depth_side == 1.0 && force_side == 0.0);
  } else if (loaded) { // pressed: release
    assert_true(depth_side == 0.0 && force_side == -1.0);
  } else { // released: separation, re-loading
    assert_true(depth_side == -1.0 && force_side == 1.0);
  }
}

static int see(const ess_crossing_info *info, void *context) {
  watcher *const w = context;
  const size_t contacts = plate_get(w->m)->contacts;
  const size_t i = info->event % contacts;
  w->events += w->m->type->changes_field(w->m, info->event, info->sign);
  if (!w->driver) return 0;
  // each is heard of: a touch-down of what is free, a release or re-loading of what is not
  assert_true(w->m->type->changes_field(w->m, info->event, info->sign));
  if (info->event < contacts)
    assert_true(info->direction == 1 && info->sign[contacts + i] == 1.0);
  else
    assert_true(info->sign[i] == 1.0);
  for (size_t k = 0; k < contacts; k++) check_contact(w->driver, contacts, k);
  return 0;
}

static outcome run(const model *m, const double x0[], ess_options options, bool inside) {
  watcher w = {.m = m};
  outcome o;
  double times[SAMPLES], x[STATES], t = 0.0;
  for (int i = 0; i < SAMPLES; i++) times[i] = duration * i / (SAMPLES - 1);
  options.observer = (ess_observer){.crossing = see, .context = &w};
  ess_driver *const d = ess_driver_alloc(&m->system, &options, NULL);
  assert_non_null(d);
  if (inside) w.driver = d;
  memcpy(x, x0, sizeof x);
  assert_int_equal(ess_driver_sample(d, &t, duration, x, times, SAMPLES, o.states), ESS_SUCCESS);
  o.events = w.events;
  o.counters = *ess_driver_counters(d);
  ess_driver_free(d);
  return o;
}

static double rms(const double a[], const double b[]) {
  double sum = 0.0;
  for (int i = 0; i < ROW; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum / ROW);
}

static size_t reference(const model *m, const double x0[], double states[]) {
  double times[SAMPLES];
  char message[MODEL_MESSAGE_SIZE];
  for (int i = 0; i < SAMPLES; i++) times[i] = duration * i / (SAMPLES - 1);
  model_reference r = {.times = times, .count = SAMPLES, .states = states};
  assert_int_equal(m->type->reference(m, x0, &r, message), 0);
  return r.events;
}

static ess_options with(double epsilon, int order) {
  ess_options options = ess_options_paper();
  options.projection.epsilon = epsilon;
  options.projection.order = order;
  options.h_max = 0.02;
  options.projection.duration_max = 0.01;
  return options;
}

/* ---- the state machine ----------------------------------------------------------------------- */

static void a_contact_is_never_in_two_minds(void **state) {
  (void)state;
  enum { STARTS = 8 };
  static const double epsilons[] = {0.1, 0.02, 1e-3, 1e-6};
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  for (size_t n = 0; n < 2 * COUNTS; n++) {
    model m = prepared(contact_counts[n / 2], (int)(n & 1), 60);
    for (int i = 0; i < STARTS; i++) {
      double x0[STATES];
      m.type->random_state(&m, rng, x0);
      const outcome o = run(&m, x0, with(epsilons[i % 4], 1 + i / 4 % 2), true);
      assert_true(o.events > 0 && o.counters.crossings == o.events);
    }
    model_release(&m);
  }
  gsl_rng_free(rng);
}

/* a start in contact, moving any way */
static void a_start_among_the_springs(void **state) {
  (void)state;
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  model m = prepared(10, PLATE_ROLLER, 60);
  for (int i = 0; i < 40; i++) {
    const double x0[STATES] = {0.0,
                               0.9 + 0.15 * gsl_rng_uniform(rng),
                               0.2 * gsl_rng_uniform(rng) - 0.1,
                               gsl_rng_uniform(rng) - 0.5,
                               6.0 * gsl_rng_uniform(rng) - 3.0,
                               4.0 * gsl_rng_uniform(rng) - 2.0};
    double exact[ROW];
    reference(&m, x0, exact);
    const outcome o = run(&m, x0, with(1e-6, 1 + i % 2), true);
    assert_true(rms(o.states, exact) < 1e-4);
  }
  model_release(&m);
  gsl_rng_free(rng);
}

/* ---- the matrix against mirrored pairs ------------------------------------------------------- */

/* what hundreds of starts say of both rules at one setting */
typedef struct comparison {
  size_t starts, worse, other_events, projections, mirror_projections;
  double error, mirror_error, difference; /* sums over the starts */
} comparison;

static void compare(const model *m, const double x0[], const double exact[], ess_options options,
                    comparison *c) {
  const outcome given = run(m, x0, options, false);
  model pairs = *m;
  pairs.system.resets = NULL;
  pairs.system.kinds = NULL;
  pairs.system.start = NULL;
  const outcome mirror = run(&pairs, x0, options, false);
  const double error = rms(given.states, exact), mirror_error = rms(mirror.states, exact);
  c->starts++;
  c->worse += error > 3.0 * mirror_error + 1e-6;
  c->other_events += given.events != mirror.events;
  c->projections += given.counters.projections;
  c->mirror_projections += mirror.counters.projections;
  c->error += error;
  c->mirror_error += mirror_error;
  c->difference += rms(given.states, mirror.states);
}

/* on the whole as accurate, for fewer projections; the same crossings where epsilon is small */
static void as_accurate_for_less_work(void **state) {
  (void)state;
  enum { STARTS = 3 };
  static const double epsilons[] = {0.1, 0.02, 1e-3, 1e-5};
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  comparison all[4][2] = {0};
  for (size_t n = 0; n < 2 * COUNTS; n++) {
    model m = prepared(contact_counts[n / 2], (int)(n & 1), 60);
    for (int i = 0; i < STARTS; i++) {
      double x0[STATES], exact[ROW];
      m.type->random_state(&m, rng, x0);
      reference(&m, x0, exact);
      for (int e = 0; e < 4; e++)
        for (int order = 1; order <= 2; order++)
          compare(&m, x0, exact, with(epsilons[e], order), &all[e][order - 1]);
    }
    model_release(&m);
  }
  gsl_rng_free(rng);
  for (int e = 0; e < 4; e++)
    for (int order = 1; order <= 2; order++) {
      const comparison *const c = &all[e][order - 1];
      const size_t other = c->other_events;
      if (c->error > 1.5 * c->mirror_error || c->worse > c->starts / 8 ||
          5 * c->projections > 3 * c->mirror_projections || c->difference > c->mirror_error ||
          other > (e < 2    ? c->starts
                   : e == 2 ? c->starts / 4
                            : 1))
        fail_msg(
            "epsilon %g, order %d: errors %g and %g, %zu of %zu worse, %zu with other crossings, "
            "%zu and %zu projections",
            epsilons[e], order, c->error, c->mirror_error, c->worse, c->starts, other,
            c->projections, c->mirror_projections);
    }
}

/* ---- the reference's crossings --------------------------------------------------------------- */

/* with little damping, and with so much that contacts come free under load */
static void the_reference_has_the_same_crossings(void **state) {
  (void)state;
  enum { STARTS = 6 };
  size_t starts = 0, other = 0;
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  for (size_t n = 0; n < 4 * COUNTS; n++) {
    model m = prepared(contact_counts[n / 4], (int)(n & 1), n & 2 ? 60 : 600);
    for (int i = 0; i < STARTS; i++) {
      double x0[STATES], exact[ROW];
      m.type->random_state(&m, rng, x0);
      const size_t events = reference(&m, x0, exact);
      const outcome o = run(&m, x0, with(1e-7, 1 + i % 2), true);
      starts++;
      other += o.events != events;
      assert_true(rms(o.states, exact) < 1e-3);
    }
    model_release(&m);
  }
  gsl_rng_free(rng);
  assert_true(starts == 4 * COUNTS * STARTS);
  // a contact that is just grazed may be seen by one and not by the other
  assert_in_range(other, 0, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_contact_is_never_in_two_minds),
      cmocka_unit_test(a_start_among_the_springs),
      cmocka_unit_test(as_accurate_for_less_work),
      cmocka_unit_test(the_reference_has_the_same_crossings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
