/*
 * A model told as a mechanical system with contacts is the same system as its field and its event
 * functions: at random states in and out of contact.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model.h"

enum { CONTACTS = 7, GUARDS = 2 * CONTACTS, STATES = 500 };

static void set(model *m, const char *name, double value) {
  char message[MODEL_MESSAGE_SIZE];
  if (model_set(m, name, value, message)) fail_msg("%s", message);
}

/* the contact law and the equations of motion, from model_mechanics alone */
static void field_of(const model_mechanics *c, const double p[], const double gradient[],
                     const double x[], double dxdt[]) {
  const size_t n = c->coordinates;
  for (size_t j = 0; j < n; j++) {
    dxdt[j] = x[n + j];
    dxdt[n + j] = c->free_acceleration[j];
  }
  for (size_t i = 0; i < c->contacts; i++) {
    double rate = 0.0;
    for (size_t j = 0; j < n; j++) rate += gradient[j * c->contacts + i] * x[n + j];
    const double force = c->stiffness * p[i] + c->damping * rate;
    if (!(p[i] > 0.0 && force > 0.0)) continue;
    for (size_t j = 0; j < n; j++)
      dxdt[n + j] -= c->inverse_mass[j] * force * gradient[j * c->contacts + i];
  }
}

static void is_near(double a, double b) {
  if (!(fabs(a - b) <= 1e-10 * (1.0 + fabs(b)))) fail_msg("%.17g is not %.17g", a, b);
}

static void check_state(const model *m, const model_mechanics *c, const double x[]) {
  const size_t n = m->system.dimension;
  double p[CONTACTS], gradient[CONTACTS * MODEL_DIMENSION_MAX], h[GUARDS], sign[GUARDS];
  double Dh[GUARDS * MODEL_DIMENSION_MAX];
  double told[MODEL_DIMENSION_MAX], own[MODEL_DIMENSION_MAX];
  m->type->penetrations(m, x, p, gradient);
  assert_int_equal(m->system.event_functions(0.0, x, h, m->system.params), 0);
  assert_int_equal(m->system.event_jacobian(0.0, x, Dh, m->system.params), 0);
  for (size_t i = 0; i < c->contacts; i++) {
    is_near(p[i], h[i]);
    for (size_t j = 0; j < c->coordinates; j++)
      is_near(gradient[j * c->contacts + i], Dh[i * n + j]);
  }
  for (size_t k = 0; k < m->system.event_count; k++) sign[k] = h[k] > 0.0 ? 1.0 : -1.0;
  assert_int_equal(m->system.field(0.0, x, sign, own, m->system.params), 0);
  field_of(c, p, gradient, x, told);
  for (size_t j = 0; j < n; j++) is_near(told[j], own[j]);
}

static void check_model(model m) {
  char message[MODEL_MESSAGE_SIZE];
  if (model_prepare(&m, message)) fail_msg("%s", message);
  model_mechanics c;
  m.type->mechanics(&m, &c);
  assert_int_equal(2 * c.coordinates, m.system.dimension);
  assert_int_equal(c.contacts, m.type->contact_count(&m));
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  size_t touching = 0;
  for (int i = 0; i < STATES; i++) {
    double x[MODEL_DIMENSION_MAX];
    unsigned char active[CONTACTS];
    for (size_t j = 0; j < m.system.dimension; j++) x[j] = -0.3 + 0.6 * gsl_rng_uniform(rng);
    x[c.coordinates > 1 ? 1 : 0] += 1.0;
    check_state(&m, &c, x);
    m.type->active_contacts(&m, x, active);
    for (size_t k = 0; k < c.contacts; k++) touching += active[k];
  }
  assert_true(touching > STATES * c.contacts / 5 && touching < STATES * c.contacts * 4 / 5);
  gsl_rng_free(rng);
  model_release(&m);
}

static void test_hopper(void **state) {
  (void)state;
  model m;
  model_init(&m, model_find("hopper"));
  set(&m, "mass", 3.0);
  check_model(m);
}

static void test_plate(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++) {
    model m;
    model_init(&m, model_find("plate"));
    set(&m, "contacts", CONTACTS);
    set(&m, "law", i % 2);
    set(&m, "damping", i / 2 ? 60.0 : 0.0);
    set(&m, "mass", 3.0);
    check_model(m);
  }
}

/* a model that is no such system has neither function */
static void test_affine3(void **state) {
  (void)state;
  assert_null(model_find("affine3")->mechanics);
  assert_null(model_find("affine3")->penetrations);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hopper),
      cmocka_unit_test(test_plate),
      cmocka_unit_test(test_affine3),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
