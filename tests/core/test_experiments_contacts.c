/*
 * Lists of contact numbers as users write them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "option.h"

static contacts_range parsed(const char *text) {
  char message[MEASURE_MESSAGE_SIZE] = "";
  contacts_range range;
  if (contacts_range_parse(text, &range, message)) fail_msg("%s", message);
  return range;
}

/* `text` gives exactly the numbers of `expected`, which ends with 0 */
static void gives(const char *text, const size_t expected[]) {
  contacts_range range = parsed(text);
  size_t count = 0;
  while (expected[count]) count++;
  assert_int_equal(range.count, count);
  for (size_t i = 0; i < count; i++) assert_int_equal(range.contacts[i], expected[i]);
  contacts_range_free(&range);
}

static void a_whole_range(void **state) {
  (void)state;
  contacts_range range = parsed("2..100");
  assert_int_equal(range.count, 99);
  for (size_t i = 0; i < range.count; i++) assert_int_equal(range.contacts[i], i + 2);
  contacts_range_free(&range);
}

static void lists_steps_and_mixtures(void **state) {
  (void)state;
  gives("7", (const size_t[]){7, 0});
  gives("2..2", (const size_t[]){2, 0});
  gives("2,5,10", (const size_t[]){2, 5, 10, 0});
  gives("2..100..21", (const size_t[]){2, 23, 44, 65, 86, 0});
  gives("2..6..2", (const size_t[]){2, 4, 6, 0});
  gives("2..5..100000", (const size_t[]){2, 0});
  gives("50,2..4,100000", (const size_t[]){2, 3, 4, 50, 100000, 0});
}

static void each_number_once_and_in_order(void **state) {
  (void)state;
  gives("5,2,5,2", (const size_t[]){2, 5, 0});
  gives("3..6,4..5,6,2", (const size_t[]){2, 3, 4, 5, 6, 0});
}

static void the_largest_range_is_taken_whole(void **state) {
  (void)state;
  contacts_range range = parsed("1..100000");
  assert_int_equal(range.count, CONTACTS_RANGE_MAX);
  assert_int_equal(range.contacts[CONTACTS_RANGE_MAX - 1], CONTACTS_RANGE_MAX);
  contacts_range_free(&range);
}

/* each is refused with one line that names the part that was wrong */
static void all_else_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *named;
  } refusals[] = {
      {"", "an empty value"},
      {"0", "0 is"},
      {"1000000000", "1000000000 is"},
      {"100001", "100001 is"},
      {"18446744073709551618", "18446744073709551618 is"}, // 2^64 + 2
      {"2..18446744073709551618", "2..18446744073709551618 is"},
      {"2..100..18446744073709551618", "is not accepted"},
      {"100..2", "100..2 is"},
      {"0..5", "0..5 is"},
      {"2...", "2... is"},
      {"2..", "2.. is"},
      {"2.5", "2.5 is"},
      {"2...5", "2...5 is"},
      {"..5", "..5 is"},
      {"a", "a is"},
      {"5a", "5a is"},
      {"2,,5", "an empty value"},
      {",", "an empty value"},
      {"2,", "an empty value"},
      {"-3", "-3 is"},
      {"+3", "+3 is"},
      {" 3", " 3 is"},
      {"3 ", "3  is"},
      {"2, 5", " 5 is"},
      {"0x10", "0x10 is"},
      {"1e2", "1e2 is"},
      {"2..100..0", "2..100..0 is"},
      {"2..100..-1", "2..100..-1 is"},
      {"2..100..7..1", "2..100..7..1 is"},
      {"2;5", "2;5 is"},
  };
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
    char message[MEASURE_MESSAGE_SIZE] = "";
    contacts_range range;
    if (!contacts_range_parse(refusals[i].text, &range, message))
      fail_msg("'%s' was accepted", refusals[i].text);
    if (!strstr(message, refusals[i].named) || !strstr(message, "from 1 to 100000"))
      fail_msg("'%s' gives: %s", refusals[i].text, message);
    assert_null(strchr(message, '\n'));
    assert_null(range.contacts);
  }
}

/* a list far longer than the message that would quote it */
static void a_very_long_list(void **state) {
  (void)state;
  static char text[60001];
  for (size_t i = 0; i < 30000; i++) memcpy(text + 2 * i, "7,", 2);
  text[59999] = '\0';
  gives(text, (const size_t[]){7, 0});
  memset(text, '9', 60000);
  text[60000] = '\0';
  char message[MEASURE_MESSAGE_SIZE];
  contacts_range range;
  assert_int_equal(contacts_range_parse(text, &range, message), -1);
  assert_true(strlen(message) < MEASURE_MESSAGE_SIZE - 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_whole_range),
      cmocka_unit_test(lists_steps_and_mixtures),
      cmocka_unit_test(each_number_once_and_in_order),
      cmocka_unit_test(the_largest_range_is_taken_whole),
      cmocka_unit_test(all_else_is_refused),
      cmocka_unit_test(a_very_long_list),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
