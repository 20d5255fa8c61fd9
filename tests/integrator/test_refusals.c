/*
 * What ess_check refuses of a guard reset matrix and of the options that came with it: by name, and
 * what is accepted.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "balls.h"

enum { COUNT = 2, GUARDS = 2 * COUNT, ENTRIES = 3 };

/* a matrix that is accepted, and what a case spoils of it */
typedef struct spoiled {
  size_t row_start[GUARDS + 2], guard[ENTRIES];
  signed char effect[ENTRIES];
  ess_reset_matrix resets;
  bool one_way;
  ess_options options;
} spoiled;

static void make(spoiled *s) {
  *s = (spoiled){.row_start = {0, 1, 1, 2, 2, 3},
                 .guard = {ESS_GUARD_DOWN(0), ESS_GUARD_DOWN(1), ESS_GUARD_UP(0)},
                 .effect = {1, -1, 1},
                 .options = ess_options_paper()};
  s->resets = (ess_reset_matrix){.row_start = s->row_start, .guard = s->guard, .effect = s->effect};
}

/* refused with exactly this line, by ess_check and by ess_driver_alloc; NULL: accepted by both */
static void expect(const spoiled *s, const char *message) {
  balls b = balls_of(COUNT, COUNT);
  ess_system system = balls_system(&b);
  system.resets = &s->resets;
  system.one_way = s->one_way;
  const char *const said = ess_check(&system, &s->options);
  int status = -1;
  ess_driver *const d = ess_driver_alloc(&system, &s->options, &status);
  if (message) {
    assert_non_null(said);
    assert_string_equal(said, message);
    assert_null(d);
    assert_int_equal(status, ESS_EINVAL);
  } else {
    assert_null(said);
    assert_non_null(d);
    assert_int_equal(status, ESS_SUCCESS);
  }
  ess_driver_free(d);
}

TEST(a_good_matrix_is_accepted) {
  spoiled s;
  make(&s);
  expect(&s, NULL);
  // without entries there need be no arrays of them
  memset(s.row_start, 0, sizeof s.row_start);
  s.resets.guard = NULL;
  s.resets.effect = NULL;
  expect(&s, NULL);
}

TEST(rows_must_ascend_from_0) {
  spoiled s;
  make(&s);
  s.resets.row_start = NULL;
  expect(&s, "resets->row_start must not be NULL");
  make(&s);
  s.row_start[0] = 1;
  expect(&s, "resets->row_start must begin with 0");
  for (size_t j = 1; j < GUARDS + 2; j++) {
    make(&s);
    if (s.row_start[j - 1] == 0) continue;
    s.row_start[j] = s.row_start[j - 1] - 1;
    expect(&s, "resets->row_start must ascend");
  }
  // a row start that wrapped around
  make(&s);
  s.row_start[2] = SIZE_MAX;
  expect(&s, "resets->row_start must ascend");
}

TEST(entries_must_be_there) {
  spoiled s;
  make(&s);
  s.resets.guard = NULL;
  expect(&s, "resets->guard and effect must not be NULL");
  make(&s);
  s.resets.effect = NULL;
  expect(&s, "resets->guard and effect must not be NULL");
}

TEST(each_entry_is_looked_at) {
  static const size_t guards[] = {GUARDS, GUARDS + 1, SIZE_MAX};
  static const signed char effects[] = {0, 3, -2, 127, -128};
  for (size_t i = 0; i < ENTRIES; i++) {
    spoiled s;
    for (size_t j = 0; j < sizeof guards / sizeof *guards; j++) {
      make(&s);
      s.guard[i] = guards[j];
      expect(&s, "each of resets->guard must be below 2 guard_count");
    }
    for (size_t j = 0; j < sizeof effects; j++) {
      make(&s);
      s.effect[i] = effects[j];
      expect(&s, "each of resets->effect must be +1, -1 or ESS_ARM_AHEAD");
    }
  }
}

/* by the row of a crossing, or by that of the empty pool; what lies ahead may be named by either */
TEST(no_row_arms_a_downward_guard_of_one_way_event_functions) {
  static const char refused[] = "resets must not arm ESS_GUARD_DOWN where one_way is true";
  for (size_t i = 0; i < ENTRIES; i++) {
    spoiled s;
    make(&s);
    s.one_way = true;
    expect(&s, refused); // its first entry
    s.effect[0] = -1;
    expect(&s, NULL);
    s.guard[i] = ESS_GUARD_DOWN(1);
    s.effect[i] = 1;
    expect(&s, refused);
    s.effect[i] = i == 1 ? -1 : ESS_ARM_AHEAD; // the second is in the row of event function 1
    expect(&s, NULL);
    s.guard[i] = ESS_GUARD_UP(1);
    s.effect[i] = 1;
    expect(&s, NULL);
  }
}

TEST(orders_are_1_and_2) {
  static const int orders[] = {0, 3, -1, 1000};
  spoiled s;
  make(&s);
  s.options.order = 2;
  expect(&s, NULL);
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
    s.options.order = orders[i];
    expect(&s, "order must be 1 or 2");
  }
}

/* a matrix for a system without guards has one row, which can name none */
TEST(a_system_without_guards_has_an_empty_matrix) {
  balls b = balls_of(1, 1);
  const size_t none[] = {0, 0}, one[] = {0, 1}, guard[] = {0};
  const signed char effect[] = {1};
  ess_reset_matrix resets = {.row_start = none};
  ess_system system = balls_system(&b);
  system.guard_count = 0;
  system.resets = &resets;
  const ess_options options = ess_options_paper();
  assert_null(ess_check(&system, &options));
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_non_null(d);
  ess_driver_free(d);
  resets = (ess_reset_matrix){.row_start = one, .guard = guard, .effect = effect};
  assert_string_equal(ess_check(&system, &options),
                      "each of resets->guard must be below 2 guard_count");
}
