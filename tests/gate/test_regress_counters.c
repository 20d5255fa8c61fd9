/*
 * The deterministic half of the regression gate: what it lets pass, what it stops, and how it says
 * so; the baseline file there and back; baselines that cannot be read.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "json_file.h"
#include "regress_counters.h"
#include "solvers.h"

enum { TEXT_SIZE = 4096 };

/* a baseline of two made-up cases, and what is compared with it */
typedef struct fixture {
  json_t *was[2], *is[2];
  char text[TEXT_SIZE];
} fixture;

static json_t *made_up(const char *name) {
  json_t *const row = json_pack("{s:s, s:f, s:[f, f]}", "name", name, "rms_error", 0.0085,
                                "reference_end", 1.5, -0.25);
  const int values[] = {402, 402, 327, 12, 88, 806, 3128, 2000, 40, 80};
  for (size_t k = 0; regress_counter_names[k]; k++)
    json_object_set_new(row, regress_counter_names[k], json_integer(values[k]));
  return row;
}

static fixture equal_pair(void) {
  return (fixture){.was = {made_up("one"), made_up("two")}, .is = {made_up("one"), made_up("two")}};
}

static void release(fixture *f) {
  for (int i = 0; i < 2; i++) {
    json_decref(f->was[i]);
    json_decref(f->is[i]);
  }
}

static void set(json_t *row, const char *name, double value) {
  json_object_set_new(row, name, isnan(value) ? json_null() : json_real(value));
}

/* the first `count` rows as a file of counters */
static json_t *counts_of(json_t *const rows[], size_t count) {
  json_t *const cases = json_array();
  for (size_t i = 0; i < count; i++) json_array_append(cases, rows[i]);
  return json_pack("{s:s, s:i, s:o}", "schema", "essbench-counters-1", "schema_version", 1, "cases",
                   cases);
}

static regress_comparison compare(fixture *f, size_t before, size_t now) {
  memset(f->text, 0, sizeof f->text);
  FILE *const stream = fmemopen(f->text, sizeof f->text, "w");
  assert_non_null(stream);
  json_t *const baseline = counts_of(f->was, before), *const present = counts_of(f->is, now);
  const regress_comparison found = regress_counts_compare(baseline, present, stream);
  json_decref(baseline);
  json_decref(present);
  fclose(stream);
  return found;
}

static size_t lines(const char *text) {
  size_t count = 0;
  for (; *text; text++) count += *text == '\n';
  return count;
}

static void test_equal_passes_in_silence(void **state) {
  (void)state;
  fixture f = equal_pair();
  const regress_comparison found = compare(&f, 2, 2);
  assert_int_equal(found.cases, 2);
  assert_int_equal(found.differences, 0);
  assert_string_equal(f.text, "");
  release(&f);
}

static void test_every_counter_by_one_is_a_line(void **state) {
  (void)state;
  size_t counters = 0;
  for (const char *const *name = regress_counter_names; *name; name++, counters++) {
    if (strcmp(*name, "guard_evaluations") == 0) continue;
    for (int by = -1; by <= 1; by += 2) {
      fixture f = equal_pair();
      const long long was = regress_counter(f.is[1], *name);
      json_object_set_new(f.is[1], *name, json_integer(was + by));
      assert_int_equal(compare(&f, 2, 2).differences, 1);
      char wanted[160];
      snprintf(wanted, sizeof wanted, "two: %s %lld in the baseline, %lld now\n", *name, was,
               was + by);
      assert_string_equal(f.text, wanted);
      release(&f);
    }
  }
  assert_int_equal(counters, 10);
}

static void test_guard_evaluations_within_three_percent(void **state) {
  (void)state;
  const struct {
    int value;
    size_t differences;
  } cases[] = {{2060, 0}, {1940, 0}, {2061, 1}, {1939, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture f = equal_pair();
    json_object_set_new(f.is[0], "guard_evaluations", json_integer(cases[i].value));
    assert_int_equal(compare(&f, 2, 2).differences, cases[i].differences);
    assert_int_equal(lines(f.text), cases[i].differences);
    release(&f);
  }
}

static void test_errors_may_shrink_but_not_grow(void **state) {
  (void)state;
  const struct {
    double factor;
    size_t differences, better;
  } cases[] = {{1.0 + 1e-9, 0, 0}, {1.0 - 1e-9, 0, 0}, {1.0 + 1e-5, 1, 0},
               {3.0, 1, 0},        {0.5, 0, 1},        {NAN, 1, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture f = equal_pair();
    set(f.is[0], "rms_error", 0.0085 * cases[i].factor);
    const regress_comparison found = compare(&f, 2, 2);
    assert_int_equal(found.differences, cases[i].differences);
    assert_int_equal(found.better, cases[i].better);
    assert_int_equal(lines(f.text), cases[i].differences);
    if (cases[i].differences) assert_ptr_equal(strstr(f.text, "one: rms_error 0.0085"), f.text);
    release(&f);
  }
}

static void test_moved_reference_is_told(void **state) {
  (void)state;
  const struct {
    json_t *end;
    size_t differences;
  } cases[] = {{json_pack("[f, f]", 1.5, -0.25 + 1e-7), 1},
               {json_pack("[f, f]", 1.5, -0.25 + 1e-10), 0},
               {json_pack("[f, n]", 1.5), 1},
               {json_pack("[f]", 1.5), 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture f = equal_pair();
    json_object_set_new(f.is[0], "reference_end", cases[i].end);
    assert_int_equal(compare(&f, 2, 2).differences, cases[i].differences);
    if (i == 0) assert_non_null(strstr(f.text, "one: reference_end[1] -0.25 in the baseline"));
    release(&f);
  }
}

static void test_cases_come_and_go(void **state) {
  (void)state;
  fixture f = equal_pair();
  assert_int_equal(compare(&f, 1, 2).differences, 1);
  assert_string_equal(f.text, "two: not in the baseline\n");
  assert_int_equal(compare(&f, 2, 1).differences, 1);
  assert_string_equal(f.text, "two: in the baseline, not run now\n");
  release(&f);
}

/* ---- files ----------------------------------------------------------------------------------- */

typedef struct folder {
  char path[64], file[96];
} folder;

static folder new_folder(void) {
  folder f = {"/tmp/test_regress.XXXXXX", ""};
  assert_non_null(mkdtemp(f.path));
  snprintf(f.file, sizeof f.file, "%s/counters.json", f.path);
  return f;
}

static void remove_folder(const folder *f) {
  unlink(f->file);
  rmdir(f->path);
}

static void test_file_and_back(void **state) {
  (void)state;
  const folder place = new_folder();
  fixture f = equal_pair();
  set(f.was[0], "rms_error", 1.0 / 3.0);
  json_object_del(f.was[1], "substeps"); // a method without them
  json_object_del(f.was[1], "groups");
  char message[SOLVER_MESSAGE_SIZE];
  json_t *const written = counts_of(f.was, 2);
  assert_int_equal(measure_json_write(written, place.file, message), 0);
  json_t *const read = regress_counts_read(place.file, message);
  if (!read) fail_msg("%s", message);
  assert_true(json_equal(read, written));
  assert_int_equal(regress_counter(regress_counts_find(read, "two"), "substeps"), 0);
  assert_true(regress_rms_error(regress_counts_find(read, "one")) == 1.0 / 3.0);
  assert_null(regress_counts_find(read, "three"));
  json_decref(written);
  json_decref(read);
  release(&f);
  remove_folder(&place);
}

static void test_unusable_baselines_are_one_line(void **state) {
  (void)state;
  static const char *const texts[] = {
      "",
      "{",
      "[]",
      "{}",
      "{\"schema\": \"essbench-counters-1\"}",
      "{\"schema\": \"essbench-counters-1\", \"cases\": []}",
      "{\"schema\": \"another\", \"cases\": [{}]}",
      "{\"schema\": \"essbench-counters-1\", \"cases\": [{\"name\": \"one\"}]}",
      "{\"schema\": \"essbench-counters-1\", \"cases\": [7]}"};
  const folder place = new_folder();
  char message[SOLVER_MESSAGE_SIZE];
  assert_null(regress_counts_read(place.file, message));
  assert_non_null(strstr(message, place.file));
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    FILE *const stream = fopen(place.file, "w");
    assert_non_null(stream);
    fputs(texts[i], stream);
    fclose(stream);
    message[0] = '\0';
    assert_null(regress_counts_read(place.file, message));
    assert_non_null(strstr(message, place.file));
    assert_null(strchr(message, '\n'));
  }
  remove_folder(&place);
}

/* ---- the cases ------------------------------------------------------------------------------- */

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
      cmocka_unit_test(test_equal_passes_in_silence),
      cmocka_unit_test(test_every_counter_by_one_is_a_line),
      cmocka_unit_test(test_guard_evaluations_within_three_percent),
      cmocka_unit_test(test_errors_may_shrink_but_not_grow),
      cmocka_unit_test(test_moved_reference_is_told),
      cmocka_unit_test(test_cases_come_and_go),
      cmocka_unit_test(test_file_and_back),
      cmocka_unit_test(test_unusable_baselines_are_one_line),
      cmocka_unit_test(test_cases_have_their_own_names),
      cmocka_unit_test(test_shared_references_are_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
