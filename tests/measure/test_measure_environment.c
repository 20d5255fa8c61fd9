/*
 * The environment record: what it must say, what it must not, and when it warns.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _GNU_SOURCE
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "environment.h"

static const char *text_of(const json_t *record, const char *name) {
  const json_t *value = json_object_get(record, name);
  if (!json_is_string(value)) fail_msg("%s is no text", name);
  return json_string_value(value);
}

static void record_says_what_it_promises(void **state) {
  (void)state;
  json_t *record = measure_environment(1);
  assert_non_null(record);
  const char *const texts[] = {"date",  "kernel", "compiler", "compiler_flags", "build_type",
                               "clock", "gsl",    "isa",      "isa_compiled"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    assert_true(strlen(text_of(record, texts[i])) > 0);
  }
  const char *const others[] = {"cpu",       "isa_flags",  "governor",   "load_average",
                                "git_dirty", "git_commit", "sanitizers", "other_tasks"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    assert_non_null(json_object_get(record, others[i]));
  }
  assert_true(json_integer_value(json_object_get(record, "cores")) >= 1);
  assert_true(json_real_value(json_object_get(record, "clock_resolution_ns")) >= 1);
  assert_int_equal(json_integer_value(json_object_get(record, "pinned_core")), 1);
  assert_int_equal(json_array_size(json_object_get(record, "load_average")), 3);
  assert_true(json_is_array(json_object_get(record, "warnings")));
  // the flags are those the compiler was given
  assert_non_null(strstr(text_of(record, "compiler_flags"), "-ffp-contract=off"));
  json_decref(record);
}

static void date_is_iso_8601_in_utc(void **state) {
  (void)state;
  json_t *record = measure_environment(-1);
  const char *date = text_of(record, "date"), *const pattern = "dddd-dd-ddTdd:dd:ddZ";
  assert_int_equal(strlen(date), strlen(pattern));
  for (size_t i = 0; pattern[i]; i++) {
    if (pattern[i] == 'd') {
      assert_in_range(date[i], '0', '9');
    } else {
      assert_int_equal(date[i], pattern[i]);
    }
  }
  assert_true(json_is_null(json_object_get(record, "pinned_core")));
  json_decref(record);
}

static void commit_is_a_hash_or_unknown(void **state) {
  (void)state;
  json_t *record = measure_environment(0);
  const json_t *commit = json_object_get(record, "git_commit");
  const json_t *dirty = json_object_get(record, "git_dirty");
  if (json_is_null(commit)) {
    assert_true(json_is_null(dirty));
  } else {
    const char *hash = json_string_value(commit);
    assert_true(strlen(hash) >= 40);
    assert_int_equal(strspn(hash, "0123456789abcdef"), strlen(hash));
    assert_true(json_is_boolean(dirty));
  }
  json_decref(record);
}

static void host_is_not_named(void **state) {
  (void)state;
  char host[256] = "";
  assert_int_equal(gethostname(host, sizeof host - 1), 0);
  // a name as short as "pc" may be part of any word
  if (strlen(host) < 5) skip();
  json_t *record = measure_environment(0);
  char *text = json_dumps(record, 0);
  assert_non_null(text);
  assert_null(strstr(text, host));
  free(text);
  json_decref(record);
}

/* what a stream in the format of /proc/cpuinfo tells */
static json_t *facts_in(const char *text) {
  json_t *const facts = json_object();
  FILE *const stream = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
  measure_machine_parse_cpuinfo(stream, facts);
  fclose(stream);
  return facts;
}

static void cpuinfo_of_an_x86_is_read(void **state) {
  (void)state;
  json_t *const facts =
      facts_in("processor\t: 0\nmodel name\t: Some CPU @ 2.00GHz\nflags\t\t: fpu sse2 avx2x avx "
               "avx512fp fma4 fma\n\nprocessor\t: 1\nmodel name\t: Another\nflags\t: avx2\n");
  assert_string_equal(text_of(facts, "cpu"), "Some CPU @ 2.00GHz");
  // flags are whole words, and the first processor's
  json_t *const flags =
      json_pack("{s:b, s:b, s:b, s:b}", "avx", 1, "avx2", 0, "avx512f", 0, "fma", 1);
  assert_true(json_equal(json_object_get(facts, "isa_flags"), flags));
  json_decref(flags);
  json_decref(facts);
}

static void cpuinfo_of_another_architecture_has_no_flags(void **state) {
  (void)state;
  json_t *const facts = facts_in("processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd avx\n");
  assert_int_equal(json_object_size(facts), 0);
  json_decref(facts);
}

static long others_in(const char *text) {
  FILE *stream = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
  const long others = measure_machine_parse_loadavg(stream);
  fclose(stream);
  return others;
}

static void run_queue_is_read_without_this_task(void **state) {
  (void)state;
  assert_int_equal(others_in("0.20 0.18 0.12 1/80 11206\n"), 0);
  assert_int_equal(others_in("12.00 8.18 3.12 13/1180 1\n"), 12);
  // sandboxes that hide the run queue write zeros
  assert_int_equal(others_in("0.00 0.00 0.00 0/0 0\n"), -1);
  assert_int_equal(others_in("0.20 0.18\n"), -1);
}

static void a_busy_neighbour_is_noticed(void **state) {
  (void)state;
  const pid_t neighbour = fork();
  assert_true(neighbour >= 0);
  // an alarm ends the neighbour even when the test dies
  if (neighbour == 0) {
    alarm(60);
    for (volatile unsigned i = 0;; i++) continue;
  }
  json_t *const facts = measure_machine(-1);
  kill(neighbour, SIGKILL);
  waitpid(neighbour, NULL, 0);
  const json_t *const others = json_object_get(facts, "other_tasks");
  const bool unknown = json_is_null(others);
  const json_int_t seen = json_integer_value(others);
  json_decref(facts);
  if (unknown) skip();
  assert_true(seen >= 1);
}

/* How many of a record's warnings contain `text`; the record is dropped. */
static size_t warnings_with(json_t *record, const char *text) {
  json_t *const warnings = measure_environment_warnings(record);
  assert_non_null(warnings);
  size_t count = 0, i;
  json_t *line;
  json_array_foreach(warnings, i, line) {
    if (strstr(json_string_value(line), text)) count++;
  }
  json_decref(warnings);
  json_decref(record);
  return count;
}

/* a record that gives no rise to warnings, with one member as it is said here */
static json_t *good_but(const char *name, json_t *value) {
  json_t *const record = json_pack("{s:s, s:i, s:[f, f, f], s:{s:b}, s:i, s:i}", "governor",
                                   "performance", "cores", 4, "load_average", 2.0, 9.0, 9.0,
                                   "isa_flags", "avx", 1, "other_tasks", 0, "pinned_core", 0);
  json_object_set_new(record, name, value);
  return record;
}

static const char *const words[] = {"load average", "governor", "AVX", "pinned", "other tasks"};

static void warnings_follow_the_facts(void **state) {
  (void)state;
  for (size_t i = 0; i < 5; i++)
    assert_int_equal(warnings_with(good_but("cores", json_integer(4)), words[i]), 0);
  const struct {
    const char *name;
    json_t *value;
    const char *warning;
  } bad[] = {{"load_average", json_pack("[f, f, f]", 2.25, 0.0, 0.0),
              "load average 2.25 on 4 cores; 2 or less is quiet"},
             {"governor", json_string("powersave"), "governor is powersave"},
             {"isa_flags", json_pack("{s:b}", "avx", 0), "no AVX"},
             {"other_tasks", json_integer(3), "other tasks ready to run: 3"},
             {"pinned_core", json_null(), "not pinned"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_int_equal(warnings_with(good_but(bad[i].name, bad[i].value), bad[i].warning), 1);
}

static void unknown_facts_do_not_warn(void **state) {
  (void)state;
  for (size_t i = 0; i < 5; i++) {
    json_t *const unknown =
        json_pack("{s:n, s:i, s:[n, n, n], s:n, s:n, s:i}", "governor", "cores", 4, "load_average",
                  "isa_flags", "other_tasks", "pinned_core", 0);
    assert_int_equal(warnings_with(unknown, words[i]), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(record_says_what_it_promises),
      cmocka_unit_test(date_is_iso_8601_in_utc),
      cmocka_unit_test(commit_is_a_hash_or_unknown),
      cmocka_unit_test(host_is_not_named),
      cmocka_unit_test(cpuinfo_of_an_x86_is_read),
      cmocka_unit_test(cpuinfo_of_another_architecture_has_no_flags),
      cmocka_unit_test(run_queue_is_read_without_this_task),
      cmocka_unit_test(a_busy_neighbour_is_noticed),
      cmocka_unit_test(warnings_follow_the_facts),
      cmocka_unit_test(unknown_facts_do_not_warn),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
