/*
 * The version: numbers, text and library say the same.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "ess.h"

static void test_version_numbers_make_the_text(void **state) {
  (void)state;
  char text[64];
  snprintf(text, sizeof text, "%d.%d.%d", ESS_VERSION_MAJOR, ESS_VERSION_MINOR, ESS_VERSION_PATCH);
  assert_string_equal(text, ESS_VERSION);
}

static void test_version_of_the_library_is_the_header_s(void **state) {
  (void)state;
  assert_string_equal(ess_version(), ESS_VERSION);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_version_numbers_make_the_text),
      cmocka_unit_test(test_version_of_the_library_is_the_header_s),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
