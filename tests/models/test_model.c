/*
 * The table of models and their parameters: what is accepted, and the one line that refuses the
 * rest, whatever the locale.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "affine3.h"
#include "contact_model.h"
#include "ess_tangents.h"
#include "hopper.h"
#include "model.h"
#include "plate.h"

static void every_model_is_found_by_name(void **state) {
  (void)state;
  size_t count = 0;
  for (; model_types[count]; count++) {
    assert_ptr_equal(model_find(model_types[count]->name), model_types[count]);
  }
  assert_true(count > 1);
  assert_ptr_equal(model_find("plate"), &plate_type);
  assert_null(model_find("plat"));
  assert_null(model_find(""));
}

/* where it starts and where it falls to; contacts pressed and released */
static void every_jacobian_is_right(void **state) {
  (void)state;
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  for (size_t i = 0; model_types[i]; i++) {
    model m;
    char message[MODEL_MESSAGE_SIZE];
    model_init(&m, model_types[i]);
    gsl_rng_set(rng, 0); // what is drawn is no matter of the models before
    // maps of mechanisms take long
    const int states = model_types[i]->release == contact_model_release ? 2 : 10;
    for (int j = 0; j < states; j++) {
      assert_int_equal(model_prepare(&m, message), 0); // nobody has told it of a mode
      double x[MODEL_DIMENSION_MAX];
      ess_jacobian_check worst;
      m.type->random_state(&m, rng, x);
      for (size_t s = 0; s < m.system.dimension; s++) x[s] += 0.1 * j * cos(3.0 * (double)s + j);
      const int status = ess_check_jacobian(&m.system, 0.0, x, &worst);
      if (status)
        fail_msg("%s: %s: h%zu by x%zu: %g, found %g", m.type->name, ess_strerror(status),
                 worst.row, worst.column, worst.given, worst.found);
      model_release(&m);
    }
  }
  gsl_rng_free(rng);
}

static void tables_are_consistent(void **state) {
  (void)state;
  for (size_t i = 0; model_types[i]; i++) {
    const model_type *type = model_types[i];
    assert_true(type->parameter_count <= MODEL_PARAMETERS_MAX);
    assert_true(type->dimension <= MODEL_DIMENSION_MAX);
    assert_true(type->time_step == 0.002);
    for (size_t j = 0; j < type->parameter_count; j++) {
      const model_parameter *p = &type->parameters[j];
      assert_true(p->initial >= p->min && p->initial <= p->max);
      for (size_t k = 0; p->choices && k <= (size_t)p->max; k++) assert_non_null(p->choices[k]);
      if (p->choices) assert_null(p->choices[(size_t)p->max + 1]);
      for (size_t k = 0; k < j; k++) assert_string_not_equal(p->name, type->parameters[k].name);
    }
  }
}

static void defaults_are_those_of_the_design(void **state) {
  (void)state;
  model m;
  model_init(&m, &plate_type);
  const struct {
    const char *name;
    double value;
  } expected[] = {{"contacts", 10},    {"law", PLATE_ROLLER}, {"field", PLATE_FIELD_CONTACTS},
                  {"stiffness", 8000}, {"damping", 60},       {"per-spring", 0},
                  {"mass", 10},        {"inertia", 10},       {"gravity", 9.81},
                  {"free-length", 1},  {"radius", 0.5},       {"half-width", 1},
                  {"height", 2.5},     {"tilt", 0.05},        {"shift", 0},
                  {"duration", 2}};
  const size_t count = sizeof expected / sizeof *expected;
  assert_int_equal(plate_type.parameter_count, count);
  for (size_t i = 0; i < count; i++) {
    assert_true(model_get(&m, expected[i].name) == expected[i].value);
  }
  model_init(&m, &hopper_type);
  assert_true(model_get(&m, "stiffness") == 800 && model_get(&m, "height") == 2);
  model_init(&m, &affine3_type);
  assert_true(model_get(&m, "duration") == 0.5 && model_get(&m, "start-y") == -0.15);
  assert_true(isnan(model_get(&m, "contacts")));
}

static void text_is_read_exactly(void **state) {
  (void)state;
  char message[MODEL_MESSAGE_SIZE];
  model m;
  model_init(&m, &plate_type);
  assert_int_equal(model_set_text(&m, "contacts", "100000", message), 0);
  assert_int_equal(model_set_text(&m, "height", "-2.7182818284590451e-1", message), 0);
  assert_int_equal(model_set_text(&m, "law", "paper", message), 0);
  assert_int_equal(model_set_text(&m, "field", "aggregated", message), 0);
  assert_int_equal(model_set_text(&m, "per-spring", "yes", message), 0);
  assert_int_equal(model_set_text(&m, "damping", "+.5", message), 0);
  assert_true(model_get(&m, "contacts") == 100000);
  assert_true(model_get(&m, "height") == -2.7182818284590451e-1);
  assert_true(model_get(&m, "law") == PLATE_PAPER);
  assert_true(model_get(&m, "field") == PLATE_FIELD_AGGREGATED);
  assert_true(model_get(&m, "per-spring") == 1);
  assert_true(model_get(&m, "damping") == 0.5);
}

/* Refused with exactly this line, and the value before kept. */
static void check_refusal(const char *name, const char *text, const char *expected) {
  char message[MODEL_MESSAGE_SIZE] = "";
  model m;
  model_init(&m, &plate_type);
  assert_int_equal(model_set_text(&m, name, text, message), -1);
  assert_string_equal(message, expected);
  for (size_t i = 0; i < plate_type.parameter_count; i++) {
    assert_true(m.value[i] == plate_type.parameters[i].initial);
  }
}

static void check_refusals(void) {
  static const char *const not_counts[] = {"0",   "100001", "1e9", "-3",  "2.5", "nan",  "inf",
                                           "10x", "0x10",   " 10", "10 ", "1,5", "1e999"};
  char expected[MODEL_MESSAGE_SIZE];
  for (size_t i = 0; i < sizeof not_counts / sizeof *not_counts; i++) {
    snprintf(expected, sizeof expected,
             "contacts: %s is not accepted; it is a whole number from 1 to 100000", not_counts[i]);
    check_refusal("contacts", not_counts[i], expected);
  }
  check_refusal("damping", "-1",
                "damping: -1 is not accepted; it is a number from 0 to 1000000000");
  check_refusal("mass", "0,5", "mass: 0,5 is not accepted; it is a number from 0.001 to 1000000");
  check_refusal("tilt", "",
                "tilt: an empty value is not accepted; it is a number from -1.5 to 1.5");
  check_refusal("tilt", "1e", "tilt: 1e is not accepted; it is a number from -1.5 to 1.5");
  check_refusal("tilt", "+-1", "tilt: +-1 is not accepted; it is a number from -1.5 to 1.5");
  check_refusal("law", "rolling", "law: rolling is not accepted; it is roller or paper");
  check_refusal("law", "1", "law: 1 is not accepted; it is roller or paper");
  check_refusal("per-spring", "true", "per-spring: true is not accepted; it is no or yes");
}

static void bad_text_is_refused_with_one_line(void **state) {
  (void)state;
  check_refusals();
}

static void unknown_parameters_are_refused(void **state) {
  (void)state;
  char message[MODEL_MESSAGE_SIZE] = "";
  model m;
  model_init(&m, &affine3_type);
  assert_int_equal(model_set_text(&m, "contacts", "3", message), -1);
  assert_string_equal(message, "contacts: affine3 has no such parameter; it has duration, start-x, "
                               "start-y and start-z");
  assert_int_equal(model_set(&m, "Duration", 1, message), -1);
  assert_non_null(strstr(message, "Duration: affine3 has no such parameter"));

  // the longest list still fits whole
  model_init(&m, &plate_type);
  assert_int_equal(model_set(&m, "a-name-longer-than-any-parameter-has", 1, message), -1);
  assert_non_null(strstr(message, "shift and duration"));
}

static void numbers_are_checked_like_text(void **state) {
  (void)state;
  static const double not_counts[] = {NAN, INFINITY, -INFINITY, 0, 2.5, 1e9};
  char message[MODEL_MESSAGE_SIZE] = "";
  model m;
  model_init(&m, &plate_type);
  for (size_t i = 0; i < sizeof not_counts / sizeof *not_counts; i++) {
    assert_int_equal(model_set(&m, "contacts", not_counts[i], message), -1);
    assert_true(model_get(&m, "contacts") == 10);
  }
  assert_int_equal(model_set(&m, "height", NAN, message), -1);
  assert_string_equal(message, "height: nan is not accepted; it is a number from -100 to 100");
  assert_int_equal(model_set(&m, "law", 2, message), -1);
  assert_string_equal(message, "law: 2 is not accepted; it is roller or paper");
  assert_int_equal(model_set(&m, "law", 0.5, message), -1);
  assert_int_equal(model_set(&m, "law", PLATE_PAPER, message), 0);
  assert_int_equal(model_set(&m, "contacts", 37, message), 0);
  assert_true(model_get(&m, "contacts") == 37);
}

/* A locale that writes 0.5 as 0,5. */
static const char *enter_comma_locale(void) {
  static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8",
                                      "fr_FR.utf8",  "de_DE",      "fr_FR"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (setlocale(LC_ALL, names[i]) && *localeconv()->decimal_point == ',') return names[i];
  }
  return NULL;
}

static void the_locale_does_not_matter(void **state) {
  (void)state;
  if (!enter_comma_locale()) {
    print_message("no locale with a decimal comma is installed\n");
    setlocale(LC_ALL, "C");
    skip();
  }
  char message[MODEL_MESSAGE_SIZE];
  model m;
  model_init(&m, &plate_type);
  assert_int_equal(model_set_text(&m, "height", "2.25", message), 0);
  assert_true(model_get(&m, "height") == 2.25);
  check_refusals();

  // and the caller's locale is as it was
  assert_true(*localeconv()->decimal_point == ',');
  setlocale(LC_ALL, "C");
}

static void a_model_is_prepared_again_after_a_change(void **state) {
  (void)state;
  char message[MODEL_MESSAGE_SIZE];
  for (size_t i = 0; model_types[i]; i++) {
    model m;
    model_init(&m, model_types[i]);
    model_release(&m); // never prepared
    assert_int_equal(model_prepare(&m, message), 0);
    if (m.type->dimension) assert_int_equal(m.system.dimension, m.type->dimension);
    assert_true(m.system.dimension > 0 && m.system.dimension <= MODEL_DIMENSION_MAX);
    for (size_t k = 0; k < m.system.dimension; k++) assert_true(*model_state_name(&m, k));
    const ess_options options = ess_options_paper();
    assert_null(ess_check(&m.system, &options));
    assert_int_equal(model_prepare(&m, message), 0);
    model_release(&m);
    assert_null(m.data);
    assert_int_equal(m.system.dimension, 0);
    model_release(&m);
  }
  model m;
  model_init(&m, &plate_type);
  assert_int_equal(model_prepare(&m, message), 0);
  assert_int_equal(m.system.event_count, 20);
  assert_int_equal(model_set_text(&m, "contacts", "7", message), 0);
  assert_int_equal(model_set_text(&m, "damping", "0", message), 0);
  assert_int_equal(model_prepare(&m, message), 0);
  assert_int_equal(m.system.event_count, 7);
  model_release(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_model_is_found_by_name),
      cmocka_unit_test(every_jacobian_is_right),
      cmocka_unit_test(tables_are_consistent),
      cmocka_unit_test(defaults_are_those_of_the_design),
      cmocka_unit_test(text_is_read_exactly),
      cmocka_unit_test(bad_text_is_refused_with_one_line),
      cmocka_unit_test(unknown_parameters_are_refused),
      cmocka_unit_test(numbers_are_checked_like_text),
      cmocka_unit_test(the_locale_does_not_matter),
      cmocka_unit_test(a_model_is_prepared_again_after_a_change),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
