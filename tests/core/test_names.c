/*
 * Which name was meant by a word that is none.
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

#include "names.h"

static const char *const there[] = {"run",   "derivative", "xml",     "sweep",   "calibrate",
                                    "scale", "speed",      "compare", "columns", NULL};

static names asked(const char *word, size_t length) {
  names n = names_for(word, length);
  for (size_t i = 0; there[i]; i++) names_add(&n, there[i]);
  return n;
}

static const char *meant(const char *word) {
  return asked(word, strlen(word)).nearest;
}

static void slips_of_the_finger(void **state) {
  (void)state;
  assert_string_equal(meant("rnu"), "run");      // two letters exchanged
  assert_string_equal(meant("sweeep"), "sweep"); // one too many
  assert_string_equal(meant("sped"), "speed");   // one too few
  assert_string_equal(meant("scalf"), "scale");  // another
  assert_string_equal(meant("CALIBRATE"), "calibrate");
  assert_string_equal(meant("calbirtae"), "calibrate"); // two slips in a long word
}

static void beginnings(void **state) {
  (void)state;
  assert_string_equal(meant("deriv"), "derivative");
  assert_string_equal(meant("com"), "compare");
  assert_string_equal(meant("col"), "columns");
}

static void what_means_none(void **state) {
  (void)state;
  static const char *const words[] = {"nosuch", "", "x", "zzz", "figures", "-"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) assert_null(meant(words[i]));
  char *const endless = calloc(100001, 1);
  assert_non_null(endless);
  memset(endless, 'r', 100000);
  assert_null(meant(endless));
  free(endless);
}

/* of a list with commas one word is looked at */
static void only_so_many_letters(void **state) {
  (void)state;
  assert_string_equal(asked("rum,xml,sweep", 3).nearest, "run");
  assert_null(asked("rum,xml,sweep", 13).nearest);
}

static void the_first_of_those_as_near(void **state) {
  (void)state;
  names n = names_for("bat", 3);
  names_add(&n, "cat");
  names_add(&n, "hat");
  assert_string_equal(n.nearest, "cat");
  names_add(&n, "bats");
  assert_string_equal(n.nearest, "cat");
}

static void the_list_and_the_question(void **state) {
  (void)state;
  names n = names_for("rum", 3);
  assert_string_equal(n.list, "");
  assert_string_equal(names_hint(&n, "--"), "");
  names_add(&n, "run");
  names_add(&n, "xml");
  assert_string_equal(n.list, "run, xml");
  assert_string_equal(names_hint(&n, "--"), "did you mean --run? ");
  // more than fit are cut, and nothing else is written to
  for (size_t i = 0; i < 1000; i++) names_add(&n, "another");
  assert_int_equal(strlen(n.list), NAMES_SIZE - 1);
  assert_string_equal(n.nearest, "run");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slips_of_the_finger),
      cmocka_unit_test(beginnings),
      cmocka_unit_test(what_means_none),
      cmocka_unit_test(only_so_many_letters),
      cmocka_unit_test(the_first_of_those_as_near),
      cmocka_unit_test(the_list_and_the_question),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
