/*
 * The cases of the regression gate: each has a name of its own, and shares a reference with those
 * alone that have the same.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "regress_cases.h"

static void test_cases_have_their_own_names(void **state) {
  (void)state;
  size_t count;
  regress_case *const cases = regress_counted_cases(&count);
  assert_non_null(cases);
  assert_true(count > 100);
  for (size_t i = 0; i < count; i++) {
    assert_true(strlen(cases[i].name) + 1 < REGRESS_NAME_SIZE);
    for (size_t k = i + 1; k < count; k++) assert_string_not_equal(cases[i].name, cases[k].name);
  }
  free(cases);
}

static void test_shared_references_are_the_same(void **state) {
  (void)state;
  size_t count, shared = 0;
  regress_case *const cases = regress_counted_cases(&count);
  assert_non_null(cases);
  for (size_t i = 1; i < count; i++) {
    const bool same = regress_same_reference(&cases[i - 1], &cases[i]);
    shared += same;
    // a start or law that differs is another reference
    regress_case other = cases[i];
    if (other.parameter_count == 0) continue;
    other.parameters[other.parameter_count - 1].value += 1.0;
    if (strcmp(other.parameters[other.parameter_count - 1].name, "field") != 0)
      assert_false(regress_same_reference(&cases[i], &other));
  }
  assert_true(shared > count / 2);
  free(cases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cases_have_their_own_names),
      cmocka_unit_test(test_shared_references_are_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
