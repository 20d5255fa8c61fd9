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
  regress_case cases[REGRESS_CASES_MAX];
  const size_t count = regress_counted_cases(cases);
  assert_true(count > 100 && count < REGRESS_CASES_MAX);
  for (size_t i = 0; i < count; i++) {
    assert_true(strlen(cases[i].name) + 1 < REGRESS_NAME_SIZE);
    for (size_t k = i + 1; k < count; k++) assert_string_not_equal(cases[i].name, cases[k].name);
  }
}

static void test_shared_references_are_the_same(void **state) {
  (void)state;
  regress_case cases[REGRESS_CASES_MAX];
  const size_t count = regress_counted_cases(cases);
  size_t shared = 0;
  for (size_t i = 1; i < count; i++) {
    shared += regress_same_reference(&cases[i - 1].m, &cases[i].m);
    // a start or law that differs is another reference
    for (size_t k = 0; k < cases[i].m.type->parameter_count; k++) {
      model other = cases[i].m;
      other.value[k] += 1.0;
      assert_int_equal(regress_same_reference(&cases[i].m, &other),
                       strcmp(other.type->parameters[k].name, "field") == 0);
    }
  }
  assert_true(shared > count / 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cases_have_their_own_names),
      cmocka_unit_test(test_shared_references_are_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
