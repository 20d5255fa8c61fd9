/*
 * essbench compare as a user meets it: exit statuses, warnings, tables and JSON.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>

#include <cmocka.h>
#include <jansson.h>

#include "compare_sets.h"

enum { TEXT_SIZE = 16384 };

/* an end of the program: its status, and all of what it wrote to each stream */
typedef struct ending {
  int status;
  char out[TEXT_SIZE], err[TEXT_SIZE];
} ending;

/* runs essbench compare with these words, in the tests' folder */
static void run(void **state, const char *words, ending *e) {
  char out[PATH_SIZE], err[PATH_SIZE], line[4 * PATH_SIZE];
  path_in(state, "out", out);
  path_in(state, "err", err);
  snprintf(line, sizeof line, "cd %s && %s compare %s >%s 2>%s", (const char *)*state, ESSBENCH,
           words, out, err);
  const int status = system(line);
  assert_true(WIFEXITED(status));
  e->status = WEXITSTATUS(status);
  read_text(out, e->out, sizeof e->out);
  read_text(err, e->err, sizeof e->err);
}

/* folders "same" and "as" alike, "slow" with a slower projection, "far" with nothing in common */
static int set_up(void **state) {
  if (folder_set_up(state)) return -1;
  char path[PATH_SIZE];
  made_set set = made_set_default();
  set.processes = 6;
  made_write(state, "as", &set, path);
  made_write(state, "same", &set, path);
  set.projection = 1.25;
  made_write(state, "slow", &set, path);
  set.contacts = "77";
  made_write(state, "far", &set, path);
  return 0;
}

static int lines_of(const char *text) {
  int lines = 0;
  for (; *text; text++) lines += *text == '\n';
  return lines;
}

static void equal_sets_show_no_difference(void **state) {
  ending e;
  run(state, "--fail-if-slower as same", &e);
  assert_int_equal(e.status, 0);
  assert_string_equal(e.err, "");
  assert_null(strstr(e.out, "  slower\n"));
  assert_null(strstr(e.out, "  faster\n"));
  assert_non_null(strstr(e.out, "no difference shown\n"));
  assert_non_null(strstr(e.out, "\nprojection / mujoco, protocol paper, B/A paired by start\n"));
  assert_non_null(strstr(e.out, "\n  all "));
}

static void slower_fails_only_when_asked(void **state) {
  ending e;
  run(state, "as slow", &e);
  assert_int_equal(e.status, 0);
  assert_non_null(strstr(e.out, "1.250  [  1.250,   1.250]"));
  assert_non_null(strstr(e.out, "  slower\n"));
  run(state, "--fail-if-slower as slow", &e);
  assert_int_equal(e.status, 1);
  assert_string_equal(e.err, "essbench compare: projection is slower in B: 1.250 times A over 2 N "
                             "(1.250 to 1.250), protocol paper\n");
  // the table is printed all the same
  assert_non_null(strstr(e.out, "  slower\n"));
  run(state, "--fail-if-slower slow as", &e);
  assert_int_equal(e.status, 0);
  assert_non_null(strstr(e.out, "  faster\n"));
  run(state, "--fail-if-slower --minimum-effect 0.3 as slow", &e);
  assert_int_equal(e.status, 0);
}

static void json_has_the_verdicts(void **state) {
  ending e;
  run(state, "--json as slow", &e);
  assert_int_equal(e.status, 0);
  json_t *const object = json_loads(e.out, 0, NULL);
  assert_non_null(object);
  assert_string_equal(json_string_value(json_object_get(object, "schema")), "essbench-compare-1");
  const json_t *const rows = json_object_get(object, "rows"), *const row = json_array_get(rows, 2);
  assert_int_equal(json_array_size(rows), 9);
  assert_true(json_is_null(json_object_get(row, "contacts")));
  assert_string_equal(json_string_value(json_object_get(row, "solver")), "projection");
  assert_string_equal(json_string_value(json_object_get(row, "verdict")), "slower");
  assert_true(json_number_value(json_object_get(row, "ratio_lo")) > 1.24);
  json_decref(object);
}

static void nothing_in_common_fails_with_one_line(void **state) {
  ending e;
  run(state, "as far", &e);
  assert_int_equal(e.status, 1);
  assert_string_equal(e.out, "");
  assert_int_equal(lines_of(e.err), 1);
  assert_non_null(strstr(e.err, "as and far have no number of contacts, solver and protocol in "
                                "common"));
}

static void differences_and_processes_are_warned_of_on_one_line_each(void **state) {
  char path[PATH_SIZE];
  made_set set = made_set_default();
  set.json = "{\"schema\": \"essbench-sweep-1\", \"seed\": 2, \"protocol\": \"paper\", "
             "\"epsilon\": 0.001, \"model\": {\"law\": \"roller\"}, \"settings\": {\"scaling\": "
             "1000000}, \"environment\": {\"cpu\": \"x\", \"mujoco\": {\"version\": \"2.2.2\"}, "
             "\"warnings\": [\"hot\", \"noisy\"]}}";
  made_write(state, "other", &set, path);
  ending e;
  run(state, "as other", &e);
  assert_int_equal(e.status, 0);
  assert_int_equal(lines_of(e.err), 3);
  assert_non_null(strstr(e.err, "warning: the sets differ in seed (A 1, B 2), MuJoCo version (A "
                                "\"4.0.0\", B \"2.2.2\")\n"));
  assert_non_null(strstr(e.err, "warning: A was measured by 6 and B by 1 processes"));
  assert_non_null(strstr(e.err, "warning: when B was measured: hot; noisy\n"));
  assert_non_null(strstr(e.out, "B/A unpaired\n"));
}

static void usage_errors_are_one_line_and_status_2(void **state) {
  const struct {
    const char *words, *expected;
  } cases[] = {{"", "essbench compare: A is missing"},
               {"as", "essbench compare: B is missing"},
               {"as same slow", "essbench compare: slow is not accepted"},
               {"--minimum-effect x as same", "essbench compare: --minimum-effect x is not"},
               {"--minimum-effect -1 as same", "essbench compare: --minimum-effect -1 is not"},
               {"--trials 3 as same", "essbench compare: unknown option --trials"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ending e;
    run(state, cases[i].words, &e);
    assert_int_equal(e.status, 2);
    assert_int_equal(lines_of(e.err), 1);
    if (strncmp(e.err, cases[i].expected, strlen(cases[i].expected)) != 0) fail_msg("%s", e.err);
    assert_string_equal(e.out, "");
  }
}

static void missing_folder_is_named(void **state) {
  ending e;
  run(state, "as nowhere", &e);
  assert_int_equal(e.status, 1);
  assert_string_equal(e.err, "essbench compare: cannot read 'nowhere/sweep.json': No such file or "
                             "directory\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_sets_show_no_difference),
      cmocka_unit_test(slower_fails_only_when_asked),
      cmocka_unit_test(json_has_the_verdicts),
      cmocka_unit_test(nothing_in_common_fails_with_one_line),
      cmocka_unit_test(differences_and_processes_are_warned_of_on_one_line_each),
      cmocka_unit_test(usage_errors_are_one_line_and_status_2),
      cmocka_unit_test(missing_folder_is_named),
  };
  return cmocka_run_group_tests(tests, set_up, folder_tear_down);
}
