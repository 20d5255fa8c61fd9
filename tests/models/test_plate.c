/*
 * The plate's field, event functions and their derivatives at random states and modes: against
 * finite differences, virtual work, the independent equations, and the symmetries they must have.
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

enum { N = PLATE_DIMENSION, CONTACTS_MAX = 101, GUARDS_MAX = 2 * CONTACTS_MAX };

/* A choice of contacts, law and damping; every test that takes one runs on all. */
typedef struct setting {
  size_t contacts;
  plate_law law;
  double damping;
} setting;

static const setting settings[] = {
    {1, PLATE_ROLLER, 0},  {1, PLATE_PAPER, 60},  {2, PLATE_ROLLER, 60},  {7, PLATE_PAPER, 0},
    {7, PLATE_ROLLER, 60}, {37, PLATE_PAPER, 60}, {37, PLATE_ROLLER, 0},  {38, PLATE_PAPER, 45},
    {39, PLATE_PAPER, 0},  {39, PLATE_ROLLER, 5}, {100, PLATE_ROLLER, 60}};
enum { SETTINGS = sizeof settings / sizeof *settings, DRAWS = 50 };

static void set(model *m, const char *name, double value) {
  char message[MODEL_MESSAGE_SIZE] = "";
  if (model_set(m, name, value, message)) fail_msg("%s", message);
}

static model prepared(setting s, plate_field field) {
  char message[MODEL_MESSAGE_SIZE];
  model m;
  model_init(&m, &plate_type);
  set(&m, "contacts", (double)s.contacts);
  set(&m, "law", s.law);
  set(&m, "damping", s.damping);
  set(&m, "field", field);
  assert_int_equal(model_prepare(&m, message), 0);
  return m;
}

static double uniform(gsl_rng *rng, double lower, double upper) {
  return lower + (upper - lower) * gsl_rng_uniform(rng);
}

/* In and out of contact, tilted and turning. */
static void draw_state(gsl_rng *rng, double x[N]) {
  x[0] = uniform(rng, -0.5, 0.5);
  x[1] = uniform(rng, 0.7, 1.2);
  x[2] = uniform(rng, -0.6, 0.6);
  x[3] = uniform(rng, -2, 2);
  x[4] = uniform(rng, -6, 6);
  x[5] = uniform(rng, -4, 4);
}

/* Any mode at all, whatever the state. */
static void draw_signs(gsl_rng *rng, size_t count, double sign[]) {
  for (size_t k = 0; k < count; k++) sign[k] = gsl_rng_uniform(rng) < 0.6 ? 1 : -1;
}

static double norm(const double v[], size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += v[i] * v[i];
  return sqrt(sum);
}

static double distance(const double a[], const double b[], size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum);
}

/* Runs `check` at random states and modes of every setting; the generator is seeded alike. */
static void for_all(void (*check)(const model *m, gsl_rng *rng)) {
  gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
  for (size_t s = 0; s < SETTINGS; s++) {
    model m = prepared(settings[s], PLATE_FIELD_CONTACTS);
    for (int i = 0; i < DRAWS; i++) check(&m, rng);
    model_release(&m);
  }
  gsl_rng_free(rng);
}

static void springs_stand_evenly(void **state) {
  (void)state;
  for (size_t s = 0; s < SETTINGS; s++) {
    model m = prepared(settings[s], PLATE_FIELD_CONTACTS);
    const plate_parameters *q = plate_get(&m);
    const size_t last = q->contacts - 1;
    for (size_t i = 0; i <= last; i++) {
      assert_true(plate_spring_x(q, i) == -plate_spring_x(q, last - i));
      const double even = last ? -1 + 2 * (double)i / (double)last : 0;
      assert_true(fabs(plate_spring_x(q, i) - even) < 3e-16);
    }
    model_release(&m);
  }
}

static void totals_are_shared_among_the_springs(void **state) {
  (void)state;
  char message[MODEL_MESSAGE_SIZE];
  model m = prepared((setting){40, PLATE_ROLLER, 60}, PLATE_FIELD_CONTACTS);
  assert_true(plate_get(&m)->stiffness == 200 && plate_get(&m)->damping == 1.5);
  assert_true(plate_get(&m)->radius == 0.5);
  assert_int_equal(m.system.event_count, 80);
  set(&m, "per-spring", 1);
  set(&m, "law", PLATE_PAPER);
  set(&m, "damping", 0);
  assert_int_equal(model_prepare(&m, message), 0);
  assert_true(plate_get(&m)->stiffness == 8000 && plate_get(&m)->radius == 0);
  assert_int_equal(m.system.event_count, 40);
  model_release(&m);
}

/* Depth of a circle of radius r about the spring's top, below the line through (x, z) along
 * (cos, sin): by the cross product, no formula of the model's. */
static void penetration_is_the_rollers_depth(void **state) {
  (void)state;
  gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
  model m = prepared((setting){9, PLATE_ROLLER, 0}, PLATE_FIELD_CONTACTS);
  const plate_parameters *q = plate_get(&m);
  for (int n = 0; n < DRAWS; n++) {
    double x[N], h[GUARDS_MAX];
    draw_state(rng, x);
    m.system.event_functions(0.0, x, h, m.system.params);
    for (size_t i = 0; i < q->contacts; i++) {
      const double dx = plate_spring_x(q, i) - x[0], dz = q->free_length - q->radius - x[1];
      const double above = cos(x[2]) * dz - sin(x[2]) * dx;
      assert_true(fabs(h[i] - (q->radius + above)) < 1e-14);
    }
  }
  model_release(&m);
  gsl_rng_free(rng);
}

static void check_jacobian(const model *m, gsl_rng *rng) {
  static double Dh[GUARDS_MAX * N], above[GUARDS_MAX], below[GUARDS_MAX];
  const double step = 1e-5;
  double x[N];
  draw_state(rng, x);
  m->system.event_jacobian(0.0, x, Dh, m->system.params);
  for (size_t j = 0; j < N; j++) {
    const double at = x[j];
    x[j] = at + step;
    m->system.event_functions(0.0, x, above, m->system.params);
    x[j] = at - step;
    m->system.event_functions(0.0, x, below, m->system.params);
    x[j] = at;
    for (size_t k = 0; k < m->system.event_count; k++) {
      const double difference = (above[k] - below[k]) / (2 * step);
      assert_true(fabs(Dh[k * N + j] - difference) < 1e-8);
    }
  }
}

static void the_jacobian_is_the_guards_derivative(void **state) {
  (void)state;
  for_all(check_jacobian);
}

static void check_rates(const model *m, gsl_rng *rng) {
  static double Dh[GUARDS_MAX * N], h[GUARDS_MAX], h_too[GUARDS_MAX], rate[GUARDS_MAX];
  static double ahead[GUARDS_MAX], behind[GUARDS_MAX];
  const double step = 1e-6;
  double x[N], v[N], x_ahead[N], x_behind[N];
  draw_state(rng, x);
  for (size_t j = 0; j < N; j++) {
    v[j] = uniform(rng, -3, 3);
    x_ahead[j] = x[j] + step * v[j];
    x_behind[j] = x[j] - step * v[j];
  }
  m->system.event_functions(0.0, x, h, m->system.params);
  m->system.event_functions(0.0, x_ahead, ahead, m->system.params);
  m->system.event_functions(0.0, x_behind, behind, m->system.params);
  m->system.event_rates(0.0, x, 1.0, v, NULL, m->system.event_count, h_too, rate, m->system.params);
  m->system.event_jacobian(0.0, x, Dh, m->system.params);
  for (size_t k = 0; k < m->system.event_count; k++) {
    double sum = 0;
    for (size_t j = 0; j < N; j++) sum += Dh[k * N + j] * v[j];
    assert_true(fabs(rate[k] - sum) < 1e-13);
    assert_true(fabs(rate[k] - (ahead[k] - behind[k]) / (2 * step)) < 1e-7);
    assert_true(h[k] == h_too[k]);
  }
}

static void rates_are_the_jacobian_times_a_direction(void **state) {
  (void)state;
  for_all(check_rates);
}

/* Q = -sum F dp/dq over the active contacts, from the event functions and their Jacobian. */
static void check_virtual_work(const model *m, gsl_rng *rng) {
  static double Dh[GUARDS_MAX * N], h[GUARDS_MAX], sign[GUARDS_MAX];
  const plate_parameters *q = plate_get(m);
  double x[N], f[N];
  draw_state(rng, x);
  draw_signs(rng, m->system.event_count, sign);
  m->system.event_functions(0.0, x, h, m->system.params);
  m->system.event_jacobian(0.0, x, Dh, m->system.params);
  m->system.field(0, x, sign, f, m->system.params);
  double expected[N] = {x[3], x[4], x[5], 0, -q->gravity, 0};
  const double inertia[3] = {q->mass, q->mass, q->inertia};
  for (size_t i = 0; i < q->contacts; i++) {
    const size_t k = q->damping > 0 ? q->contacts + i : i;
    if (sign[i] < 0 || sign[k] < 0) continue;
    const double force = q->stiffness * h[k];
    for (size_t j = 0; j < 3; j++) expected[3 + j] -= force * Dh[i * N + j] / inertia[j];
  }
  assert_true(distance(f, expected, N) < 1e-13 * (norm(expected, N) + 1000));
}

static void forces_do_virtual_work(void **state) {
  (void)state;
  for_all(check_virtual_work);
}

/* fields, event functions and rates of two systems at random states and modes */
static void field_and_guards_are_the_independent_ones(void **state) {
  (void)state;
  static double h[2][GUARDS_MAX], rate[2][GUARDS_MAX], sign[GUARDS_MAX];
  gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
  for (size_t s = 0; s < SETTINGS; s++) {
    model m = prepared(settings[s], PLATE_FIELD_CONTACTS);
    const plate_parameters *const q = plate_get(&m);
    double x[N] = {0.0}, f[2][N];
    hybrid *const text =
        plate_of(&(plate_text){q->contacts, q->law == PLATE_PAPER, q->mass, q->inertia, q->gravity,
                               q->stiffness, q->damping, q->free_length, q->radius, q->half_width},
                 x);
    const ess_system systems[] = {m.system, hybrid_system(text, HYBRID_GIVES_ALL)};
    assert_int_equal(text->m, m.system.event_count);
    for (int draw = 0; draw < DRAWS; draw++) {
      draw_state(rng, x);
      draw_signs(rng, text->m, sign);
      for (int i = 0; i < 2; i++) {
        systems[i].field(0, x, sign, f[i], systems[i].params);
        systems[i].event_rates(0.0, x, 1.0, f[0], NULL, text->m, h[i], rate[i], systems[i].params);
      }
      assert_true(distance(f[0], f[1], N) < 1e-13 * (norm(f[1], N) + 1000));
      for (size_t k = 0; k < text->m; k++) {
        assert_true(fabs(h[0][k] - h[1][k]) < 1e-13);
        assert_true(fabs(rate[0][k] - rate[1][k]) < (k < q->contacts ? 1e-12 : 1e-11));
      }
    }
    hybrid_free(text);
    model_release(&m);
  }
  gsl_rng_free(rng);
}

/* Flips one sign at a time, thousands of times; the sums must not drift. */
static void the_aggregated_field_equals_the_plain_one(void **state) {
  (void)state;
  static double sign[GUARDS_MAX];
  gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
  double worst = 0;
  for (size_t s = 0; s < SETTINGS; s++) {
    model plain = prepared(settings[s], PLATE_FIELD_CONTACTS);
    model sums = prepared(settings[s], PLATE_FIELD_AGGREGATED);
    assert_null(plain.system.mode_changed);
    const size_t count = plain.system.event_count;
    for (int i = 0; i < 5000; i++) {
      // now and then all signs at once, as after a reset
      size_t flipped = gsl_rng_uniform_int(rng, count);
      if (i % 1000 == 0) {
        draw_signs(rng, count, sign);
        flipped = count;
      } else {
        sign[flipped] = -sign[flipped];
      }
      assert_int_equal(sums.system.mode_changed(sign, flipped, sums.system.params), 0);
      double x[N], f[N], g[N];
      draw_state(rng, x);
      plain.system.field(0, x, sign, f, plain.system.params);
      sums.system.field(0, x, sign, g, sums.system.params);
      worst = fmax(worst, distance(f, g, N) / norm(f, N));
    }
    model_release(&plain);
    model_release(&sums);
  }
  gsl_rng_free(rng);
  print_message("aggregated against plain field, relative: %.2e\n", worst);
  assert_true(worst < 1e-13);
}

/* dE/dt = -sum c (dp/dt)^2 over the active contacts, hence 0 without damping; E holds the springs
 * of the contacts that the mode calls active. */
static void check_power(const model *m, gsl_rng *rng) {
  static double h[GUARDS_MAX], rate[GUARDS_MAX], sign[GUARDS_MAX];
  const plate_parameters *q = plate_get(m);
  double x[N], f[N];
  draw_state(rng, x);
  draw_signs(rng, m->system.event_count, sign);
  m->system.field(0, x, sign, f, m->system.params);
  m->system.event_rates(0.0, x, 1.0, f, NULL, m->system.event_count, h, rate, m->system.params);
  double power =
      q->mass * (x[3] * f[3] + x[4] * f[4] + q->gravity * x[4]) + q->inertia * x[5] * f[5];
  double scale = 1 + fabs(q->mass * x[4] * f[4]);
  for (size_t i = 0; i < q->contacts; i++) {
    if (sign[i] < 0 || (q->damping > 0 && sign[q->contacts + i] < 0)) continue;
    power += q->stiffness * h[i] * rate[i] + q->damping * rate[i] * rate[i];
    scale += fabs(q->stiffness * h[i] * rate[i]);
  }
  assert_true(fabs(power) < 1e-13 * scale);
}

static void energy_is_conserved_or_damped(void **state) {
  (void)state;
  for_all(check_power);
}

/* x -> -x, theta -> -theta, with the springs' signs reversed. */
static void check_mirror(const model *m, gsl_rng *rng) {
  static double sign[GUARDS_MAX], sign_mirrored[GUARDS_MAX], h[GUARDS_MAX], h_mirrored[GUARDS_MAX];
  static const double mirror[N] = {-1, 1, -1, -1, 1, -1};
  const size_t n = plate_get(m)->contacts, count = m->system.event_count;
  double x[N], x_mirrored[N], f[N], f_mirrored[N];
  draw_state(rng, x);
  draw_signs(rng, count, sign);
  for (size_t j = 0; j < N; j++) x_mirrored[j] = mirror[j] * x[j];
  for (size_t k = 0; k < count; k++) sign_mirrored[k] = sign[k - k % n + (n - 1 - k % n)];
  m->system.field(0, x, sign, f, m->system.params);
  m->system.field(0, x_mirrored, sign_mirrored, f_mirrored, m->system.params);
  for (size_t j = 0; j < N; j++) f_mirrored[j] *= mirror[j];
  assert_true(distance(f, f_mirrored, N) < 1e-13 * (norm(f, N) + 1000));

  // the event functions mirror to the last bit
  m->system.event_functions(0.0, x, h, m->system.params);
  m->system.event_functions(0.0, x_mirrored, h_mirrored, m->system.params);
  for (size_t k = 0; k < count; k++) {
    assert_true(h[k] == h_mirrored[k - k % n + (n - 1 - k % n)]);
  }
}

static void the_mirror_image_moves_alike(void **state) {
  (void)state;
  for_all(check_mirror);
}

/* The field does not know in which order the springs are listed. */
static void check_permutation(const model *m, gsl_rng *rng) {
  static double sign[GUARDS_MAX], permuted[GUARDS_MAX], kept[CONTACTS_MAX];
  plate_data *data = m->data;
  const size_t n = data->parameters.contacts, count = m->system.event_count;
  size_t order[CONTACTS_MAX];
  double x[N], f[N], f_permuted[N];
  draw_state(rng, x);
  draw_signs(rng, count, sign);
  m->system.field(0, x, sign, f, m->system.params);

  // a random order (Fisher and Yates), undone afterwards
  for (size_t i = 0; i < n; i++) order[i] = i;
  for (size_t i = n; i > 1; i--) {
    const size_t j = gsl_rng_uniform_int(rng, i), held = order[i - 1];
    order[i - 1] = order[j];
    order[j] = held;
  }
  memcpy(kept, data->spring_x, n * sizeof *kept);
  for (size_t i = 0; i < n; i++) data->spring_x[i] = kept[order[i]];
  for (size_t k = 0; k < count; k++) permuted[k] = sign[k - k % n + order[k % n]];
  m->system.field(0, x, permuted, f_permuted, m->system.params);
  memcpy(data->spring_x, kept, n * sizeof *kept);
  assert_true(distance(f, f_permuted, N) < 1e-13 * (norm(f, N) + 1000));
}

static void the_order_of_the_springs_does_not_matter(void **state) {
  (void)state;
  for_all(check_permutation);
}

/* A roller of radius 0 has p = h cos; its force is the paper's times cos^2, and the torques differ
 * by k h^2 sin cos besides. */
static void laws_differ_as_the_design_says(void **state) {
  (void)state;
  static double p[GUARDS_MAX], h[GUARDS_MAX], sign[GUARDS_MAX];
  char message[MODEL_MESSAGE_SIZE];
  gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
  const setting s = {25, PLATE_ROLLER, 0};
  model roller = prepared(s, PLATE_FIELD_CONTACTS), paper = roller;
  set(&roller, "radius", 0);
  assert_int_equal(model_prepare(&roller, message), 0);
  paper = prepared((setting){25, PLATE_PAPER, 0}, PLATE_FIELD_CONTACTS);
  const plate_parameters *q = plate_get(&roller);
  for (int n = 0; n < DRAWS; n++) {
    double x[N], f[N], g[N];
    draw_state(rng, x);
    const double cosine = cos(x[2]), sine = sin(x[2]);
    roller.system.event_functions(0.0, x, p, roller.system.params);
    paper.system.event_functions(0.0, x, h, paper.system.params);
    double extra = 0;
    for (size_t i = 0; i < s.contacts; i++) {
      assert_true(fabs(p[i] - h[i] * cosine) < 1e-14);
      sign[i] = h[i] > 0 ? 1 : -1;
      if (h[i] > 0) extra += q->stiffness * h[i] * h[i] * sine * cosine;
    }
    roller.system.field(0, x, sign, f, roller.system.params);
    paper.system.field(0, x, sign, g, paper.system.params);
    const double scale = 1e-13 * (norm(g, N) + 1000), square = cosine * cosine;
    assert_true(fabs(f[3] - square * g[3]) < scale);
    assert_true(fabs(f[4] + q->gravity - square * (g[4] + q->gravity)) < scale);
    assert_true(fabs(q->inertia * (f[5] - square * g[5]) - extra) < q->inertia * scale);
  }
  model_release(&roller);
  model_release(&paper);
  gsl_rng_free(rng);
}

/* changes_field says so exactly when the field differs between both sides of a guard. */
static void check_changes_field(const model *m, gsl_rng *rng) {
  static double sign[GUARDS_MAX];
  double x[N], before[N], after[N];
  draw_state(rng, x);
  draw_signs(rng, m->system.event_count, sign);
  for (size_t k = 0; k < m->system.event_count; k++) {
    m->system.field(0, x, sign, before, m->system.params);
    sign[k] = -sign[k];
    m->system.field(0, x, sign, after, m->system.params);
    const bool differs = memcmp(before, after, sizeof before) != 0;
    assert_int_equal(m->type->changes_field(m, k, sign), differs);
    sign[k] = -sign[k];
  }
}

static void crossings_that_change_the_field_are_told_apart(void **state) {
  (void)state;
  for_all(check_changes_field);
}

static void check_active(const model *m, gsl_rng *rng) {
  static double h[GUARDS_MAX];
  unsigned char active[CONTACTS_MAX];
  const size_t n = m->type->contact_count(m);
  double x[N];
  draw_state(rng, x);
  m->system.event_functions(0.0, x, h, m->system.params);
  m->type->active_contacts(m, x, active);
  for (size_t i = 0; i < n; i++) {
    const bool pushes = m->system.event_count == n || h[n + i] > 0;
    assert_int_equal(active[i], h[i] > 0 && pushes);
  }
}

static void active_contacts_press_and_push(void **state) {
  (void)state;
  for_all(check_active);
}

static void starts_are_those_asked_for_or_drawn(void **state) {
  (void)state;
  model m = prepared(settings[0], PLATE_FIELD_CONTACTS);
  set(&m, "shift", 0.25);
  double x[N];
  m.type->initial_state(&m, x);
  const double expected[N] = {0.25, 2.5, 0.05};
  assert_memory_equal(x, expected, sizeof x);

  // two draws each: the generator of the same seed stays in step
  gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937), *pace = gsl_rng_alloc(gsl_rng_mt19937);
  double lowest = 3, highest = 2;
  for (int i = 0; i < 1000; i++) {
    m.type->random_state(&m, rng, x);
    assert_true(x[1] == 2 + gsl_rng_uniform(pace));
    assert_true(x[2] == -0.1 + 0.2 * gsl_rng_uniform(pace));
    assert_true(x[0] == 0 && x[3] == 0 && x[4] == 0 && x[5] == 0 && fabs(x[2]) <= 0.1);
    lowest = fmin(lowest, x[1]);
    highest = fmax(highest, x[1]);
  }
  assert_true(lowest >= 2 && lowest < 2.01 && highest < 3 && highest > 2.99);
  gsl_rng_free(rng);
  gsl_rng_free(pace);
  model_release(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(springs_stand_evenly),
      cmocka_unit_test(totals_are_shared_among_the_springs),
      cmocka_unit_test(penetration_is_the_rollers_depth),
      cmocka_unit_test(the_jacobian_is_the_guards_derivative),
      cmocka_unit_test(rates_are_the_jacobian_times_a_direction),
      cmocka_unit_test(forces_do_virtual_work),
      cmocka_unit_test(field_and_guards_are_the_independent_ones),
      cmocka_unit_test(the_aggregated_field_equals_the_plain_one),
      cmocka_unit_test(energy_is_conserved_or_damped),
      cmocka_unit_test(the_mirror_image_moves_alike),
      cmocka_unit_test(the_order_of_the_springs_does_not_matter),
      cmocka_unit_test(laws_differ_as_the_design_says),
      cmocka_unit_test(crossings_that_change_the_field_are_told_apart),
      cmocka_unit_test(active_contacts_press_and_push),
      cmocka_unit_test(starts_are_those_asked_for_or_drawn),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
