/*
 * Numbers as text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "measure.h"

static void numbers_have_a_point(void **state) {
  (void)state;
  char text[MEASURE_NUMBER_SIZE], message[MEASURE_MESSAGE_SIZE];
  measure_number_format(text, -1234.5);
  assert_string_equal(text, "-1234.5");
  measure_message(message, "%.2f of %d", 0.25, 1000);
  assert_string_equal(message, "0.25 of 1000");
  double value = 0;
  assert_int_equal(measure_number_parse("1.5e-3", &value), MEASURE_SUCCESS);
  assert_true(value == 1.5e-3);
  assert_int_equal(measure_number_parse("1,5", &value), MEASURE_EINVAL);
  assert_true(value == 1.5e-3);
}

static void only_whole_numbers_are_numbers(void **state) {
  (void)state;
  const char *const wrong[] = {"", " ", "1 ", " 1", "1x", "x", "1.5.2", "--1", "e5", "1,000"};
  double value = 42;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    assert_int_equal(measure_number_parse(wrong[i], &value), MEASURE_EINVAL);
  }
  assert_int_equal(measure_number_parse(NULL, &value), MEASURE_EINVAL);
  assert_true(value == 42);
  assert_int_equal(measure_number_parse("nan", &value), MEASURE_SUCCESS);
  assert_true(isnan(value));
  assert_int_equal(measure_number_parse("-inf", &value), MEASURE_SUCCESS);
  assert_true(value == -INFINITY);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_have_a_point),
      cmocka_unit_test(only_whole_numbers_are_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
