/*
 * The plate's reference solution against the truth, which shares no code with it, and the
 * invariants its trajectories must keep.
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

#include "plate.h"
#include "plate_internal.h"
#include "plate_truth.h"

enum { N = PLATE_DIMENSION, SAMPLES = 1001 };

typedef struct trajectory {
  double states[SAMPLES * N];
  size_t events;
} trajectory;

static void set(model *m, const char *name, double value) {
  char message[MODEL_MESSAGE_SIZE] = "";
  if (model_set(m, name, value, message)) fail_msg("%s", message);
}

static model prepared(size_t contacts, plate_law law, double damping, plate_field field) {
  char message[MODEL_MESSAGE_SIZE];
  model m;
  model_init(&m, &plate_type);
  set(&m, "contacts", (double)contacts);
  set(&m, "law", law);
  set(&m, "damping", damping);
  set(&m, "field", field);
  assert_int_equal(model_prepare(&m, message), 0);
  return m;
}

static void fill_times(double times[SAMPLES]) {
  for (size_t i = 0; i < SAMPLES; i++) times[i] = 0.002 * (double)i;
}

static void reference(const model *m, const double x0[N], trajectory *out) {
  char message[MODEL_MESSAGE_SIZE] = "";
  double times[SAMPLES];
  fill_times(times);
  model_reference r = {.times = times, .count = SAMPLES, .states = out->states};
  if (m->type->reference(m, x0, &r, message)) fail_msg("%s", message);
  assert_string_equal(r.kind, "reference");
  out->events = r.events;
}

typedef struct event_counter {
  const model *m;
  size_t events;
} event_counter;

static int count_crossing(const ess_crossing_info *info, void *context) {
  event_counter *counter = context;
  counter->events += counter->m->type->changes_field(counter->m, info->event, info->sign);
  return 0;
}

/* The plate as any user of libess would have it: every guard watched at every step. */
static void located(const model *m, const double x0[N], trajectory *out) {
  event_counter counter = {.m = m};
  ess_options options = ess_options_paper();
  options.projection.epsilon = 1e-9;
  options.projection.duration_max = 1e-6;
  options.projection.order = 2;
  options.rtol = 1e-12;
  options.atol = 1e-13;
  options.h_max = 2e-4;
  options.observer = (ess_observer){.crossing = count_crossing, .context = &counter};
  ess_driver *const driver = ess_driver_alloc(&m->system, &options, NULL);
  double times[SAMPLES], t = 0, x[N];
  fill_times(times);
  memcpy(x, x0, sizeof x);
  for (size_t i = 0; i < SAMPLES; i++) {
    assert_int_equal(ess_driver_apply(driver, &t, times[i], x), ESS_SUCCESS);
    memcpy(&out->states[i * N], x, sizeof x);
  }
  ess_driver_free(driver);
  out->events = counter.events;
}

static void independent(const model *m, const double x0[N], trajectory *out) {
  const plate_parameters *q = plate_get(m);
  const plate_text text = {q->contacts, q->law == PLATE_PAPER, q->mass,    q->inertia,
                           q->gravity,  q->stiffness,          q->damping, q->free_length,
                           q->radius,   q->half_width};
  double times[SAMPLES];
  fill_times(times);
  assert_int_equal(plate_truth(&text, x0, times, SAMPLES, out->states, &out->events),
                   TRUTH_SUCCESS);
}

/* Largest difference in any component at any time. */
static double largest_difference(const trajectory *a, const trajectory *b) {
  double worst = 0;
  for (size_t i = 0; i < SAMPLES * N; i++) {
    const double difference = fabs(a->states[i] - b->states[i]);
    if (!(difference <= worst)) worst = difference;
  }
  return worst;
}

/* The cases the project promises: N, law, damping, two starts each. */
static void the_reference_agrees_on_the_promised_cases(void **state) {
  (void)state;
  static const size_t contacts[] = {2, 10, 37, 100};
  static const double starts[][2] = {{2.5, 0.05}, {2.1, -0.09}};
  static trajectory ours, theirs;
  double worst = 0;
  for (size_t i = 0; i < 32; i++) {
    model m = prepared(contacts[i / 8], i & 1 ? PLATE_PAPER : PLATE_ROLLER, i & 2 ? 60 : 0, 0);
    const double *start = starts[(i >> 2) & 1];
    const double x0[N] = {0, start[0], start[1]};
    reference(&m, x0, &ours);
    independent(&m, x0, &theirs);
    assert_int_equal(ours.events, theirs.events);
    worst = fmax(worst, largest_difference(&ours, &theirs));
    model_release(&m);
  }
  print_message("reference against the truth, promised cases: %.2e\n", worst);
  assert_true(worst < 1e-9);
}

static void the_reference_agrees_on_random_cases(void **state) {
  (void)state;
  static trajectory ours, theirs;
  gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
  double worst = 0;
  size_t events = 0;
  for (int i = 0; i < 40; i++) {
    const size_t contacts = 1 + gsl_rng_uniform_int(rng, 100);
    const double draw = 60 * gsl_rng_uniform(rng);
    const plate_law law = gsl_rng_uniform_int(rng, 2) ? PLATE_PAPER : PLATE_ROLLER;
    const plate_field field =
        gsl_rng_uniform_int(rng, 2) ? PLATE_FIELD_AGGREGATED : PLATE_FIELD_CONTACTS;
    model m = prepared(contacts, law, i % 3 ? draw : 0, field);
    double x0[N];
    m.type->random_state(&m, rng, x0);
    reference(&m, x0, &ours);
    independent(&m, x0, &theirs);
    assert_int_equal(ours.events, theirs.events);
    worst = fmax(worst, largest_difference(&ours, &theirs));
    events += ours.events;
    model_release(&m);
  }
  gsl_rng_free(rng);
  print_message("reference against the truth, 40 random cases, %zu events: %.2e\n", events, worst);
  assert_true(worst < 1e-9);
}

/* 200 are so many that the reference watches them through a window */
static void the_reference_agrees_on_few_and_many_springs(void **state) {
  (void)state;
  static trajectory ours, theirs;
  double worst = 0;
  for (int i = 0; i < 6; i++) {
    model m =
        prepared(i < 2 ? 200 : 30, i & 1 ? PLATE_PAPER : PLATE_ROLLER, i == 0 || i > 3 ? 60 : 0, 0);
    double x0[N];
    m.type->initial_state(&m, x0);
    reference(&m, x0, &ours);
    independent(&m, x0, &theirs);
    assert_int_equal(ours.events, theirs.events);
    worst = fmax(worst, largest_difference(&ours, &theirs));
    model_release(&m);
  }
  print_message("reference against the truth, 200 and 30 springs: %.2e\n", worst);
  assert_true(worst < 1e-9);
}

/* Starts that are hard on a window: level, so that all springs are met at once; all but level;
 * turning so fast that the line meets the bed anew at its other end; already deep in it. */
static void a_window_misses_nothing(void **state) {
  (void)state;
  static const double starts[][N] = {{0, 2.5, 0},
                                     {0, 2.5, 1e-12},
                                     {0, 2.5, -1e-7},
                                     {0, 2.2, 1e-4, 0, 0, -2e-4},
                                     {0, 2.4, 0.1, 0, 0, -4},
                                     {0, 0.8, 0.2},
                                     {0.1, 1.5, 0, 2, -1, 6},
                                     {0, 1.001, 0}};
  static trajectory ours, all;
  double worst = 0;
  for (size_t i = 0; i < 2 * sizeof starts / sizeof *starts; i++) {
    const double *const x0 = starts[i / 2];
    const bool turns = x0[5] != 0; // the paper's law knows no plate on edge
    model m = prepared(150 + 10 * i, turns || i & 1 ? PLATE_ROLLER : PLATE_PAPER, i & 1 ? 60 : 0,
                       PLATE_FIELD_CONTACTS);
    reference(&m, x0, &ours);
    located(&m, x0, &all);
    assert_int_equal(ours.events, all.events);
    worst = fmax(worst, largest_difference(&ours, &all));
    model_release(&m);
  }
  print_message("a window against all springs watched: %.2e\n", worst);
  assert_true(worst < 1e-9);
}

/* Kinetic, gravitational and, in the springs pressed, elastic energy. */
static double energy(const model *m, const double x[N]) {
  double h[200];
  const plate_parameters *q = plate_get(m);
  m->system.event_functions(0.0, x, h, m->system.params);
  double sum = 0.5 * q->mass * (x[3] * x[3] + x[4] * x[4]) + 0.5 * q->inertia * x[5] * x[5] +
               q->mass * q->gravity * x[1];
  for (size_t i = 0; i < q->contacts; i++) {
    if (h[i] > 0) sum += 0.5 * q->stiffness * h[i] * h[i];
  }
  return sum;
}

static void energy_is_conserved_without_damping(void **state) {
  (void)state;
  static trajectory t;
  double worst = 0;
  for (int law = 0; law < 2; law++) {
    model m = prepared(50, law ? PLATE_PAPER : PLATE_ROLLER, 0, 0);
    double x0[N];
    m.type->initial_state(&m, x0);
    reference(&m, x0, &t);
    const double before = energy(&m, x0);
    for (size_t i = 0; i < SAMPLES; i++) {
      worst = fmax(worst, fabs(energy(&m, &t.states[i * N]) / before - 1));
    }
    model_release(&m);
  }
  print_message("energy along the reference at c = 0, relative: %.2e\n", worst);
  assert_true(worst < 1e-10);
}

static void energy_never_rises_with_damping(void **state) {
  (void)state;
  static trajectory t;
  for (int law = 0; law < 2; law++) {
    model m = prepared(50, law ? PLATE_PAPER : PLATE_ROLLER, 60, 0);
    double x0[N];
    m.type->initial_state(&m, x0);
    reference(&m, x0, &t);

    // a contact let go under pressure (F = 0, p > 0) loses its spring's energy, never gains
    double before = energy(&m, x0);
    for (size_t i = 1; i < SAMPLES; i++) {
      const double now = energy(&m, &t.states[i * N]);
      assert_true(now < before * (1 + 1e-11));
      before = now;
    }
    assert_true(before < 0.98 * energy(&m, x0));
    model_release(&m);
  }
}

static void the_mirror_image_moves_alike(void **state) {
  (void)state;
  static trajectory t, mirrored;
  static const double mirror[N] = {-1, 1, -1, -1, 1, -1};
  double worst = 0;
  for (int law = 0; law < 2; law++) {
    model m = prepared(33, law ? PLATE_PAPER : PLATE_ROLLER, 60, 0);
    const double x0[N] = {0.02, 2.6, 0.07, 0.3, 0, -0.1};
    double x0_mirrored[N];
    for (size_t j = 0; j < N; j++) x0_mirrored[j] = mirror[j] * x0[j];
    reference(&m, x0, &t);
    reference(&m, x0_mirrored, &mirrored);
    for (size_t i = 0; i < SAMPLES * N; i++) mirrored.states[i] *= mirror[i % N];
    assert_int_equal(t.events, mirrored.events);
    worst = fmax(worst, largest_difference(&t, &mirrored));
    model_release(&m);
  }
  print_message("mirror image: %.2e\n", worst);
  assert_true(worst < 1e-10);
}

static void the_order_of_the_springs_does_not_matter(void **state) {
  (void)state;
  static trajectory t, reversed;
  model m = prepared(48, PLATE_ROLLER, 60, PLATE_FIELD_CONTACTS);
  plate_data *data = m.data;
  double x0[N];
  m.type->initial_state(&m, x0);
  located(&m, x0, &t);
  for (size_t i = 0; i < 48; i++) data->spring_x[i] = plate_spring_x(&data->parameters, 47 - i);
  located(&m, x0, &reversed);
  assert_int_equal(t.events, reversed.events);
  const double worst = largest_difference(&t, &reversed);
  print_message("springs listed backwards: %.2e\n", worst);
  assert_true(worst < 1e-10);
  model_release(&m);
}

static void both_field_forms_move_alike(void **state) {
  (void)state;
  static trajectory plain, sums;
  double worst = 0;
  for (int i = 0; i < 4; i++) {
    const plate_law law = i & 1 ? PLATE_PAPER : PLATE_ROLLER;
    model a = prepared(61, law, i & 2 ? 60 : 0, PLATE_FIELD_CONTACTS);
    model b = prepared(61, law, i & 2 ? 60 : 0, PLATE_FIELD_AGGREGATED);
    double x0[N];
    a.type->initial_state(&a, x0);
    located(&a, x0, &plain);
    located(&b, x0, &sums);
    assert_int_equal(plain.events, sums.events);
    worst = fmax(worst, largest_difference(&plain, &sums));
    model_release(&a);
    model_release(&b);
  }
  print_message("aggregated against plain field, trajectories: %.2e\n", worst);
  assert_true(worst < 1e-10);
}

static void a_level_plate_on_one_spring_is_the_hopper(void **state) {
  (void)state;
  static trajectory t;
  char message[MODEL_MESSAGE_SIZE];
  model plate = prepared(1, PLATE_ROLLER, 0, 0), hopper;
  const double x0[N] = {0, 2, 0}, y0[2] = {2, 0};
  reference(&plate, x0, &t);
  double times[SAMPLES], exact[SAMPLES * 2], worst = 0;
  fill_times(times);
  model_init(&hopper, model_find("hopper"));
  assert_int_equal(model_prepare(&hopper, message), 0);
  model_reference r = {.times = times, .count = SAMPLES, .states = exact};
  assert_int_equal(hopper.type->reference(&hopper, y0, &r, message), 0);
  assert_int_equal(r.events, t.events);
  for (size_t i = 0; i < SAMPLES; i++) {
    worst = fmax(worst, fabs(t.states[i * N + 1] - exact[i * 2]));
    worst = fmax(worst, fabs(t.states[i * N + 4] - exact[i * 2 + 1]));
  }
  print_message("level plate on one spring against the hopper's closed form: %.2e\n", worst);
  assert_true(worst < 1e-9);
  model_release(&plate);
  model_release(&hopper);
}

static void a_failure_is_one_line(void **state) {
  (void)state;
  char message[MODEL_MESSAGE_SIZE] = "";
  model m = prepared(2, PLATE_ROLLER, 60, 0);
  const double times[2] = {0, 1}, x0[N] = {0, NAN, 0};
  double states[2 * N];
  model_reference r = {.times = times, .count = 2, .states = states};
  assert_int_equal(m.type->reference(&m, x0, &r, message), -1);
  assert_non_null(strstr(message, "plate: reference failed at t = "));
  assert_null(strchr(message, '\n'));
  model_release(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_reference_agrees_on_the_promised_cases),
      cmocka_unit_test(the_reference_agrees_on_random_cases),
      cmocka_unit_test(the_reference_agrees_on_few_and_many_springs),
      cmocka_unit_test(a_window_misses_nothing),
      cmocka_unit_test(energy_is_conserved_without_damping),
      cmocka_unit_test(energy_never_rises_with_damping),
      cmocka_unit_test(the_mirror_image_moves_alike),
      cmocka_unit_test(the_order_of_the_springs_does_not_matter),
      cmocka_unit_test(both_field_forms_move_alike),
      cmocka_unit_test(a_level_plate_on_one_spring_is_the_hopper),
      cmocka_unit_test(a_failure_is_one_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
