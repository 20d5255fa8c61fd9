/*
 * The half of the regression gate that asks the clock, on made-up samples: verdicts on differences
 * of known size, pairs that do not match, files that cannot be used.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "regress_time.h"
#include "solver.h"

enum { PAIRS = 20 };

/* two folders of samples */
typedef struct fixture {
  char room[64], base[80], now[80];
} fixture;

static fixture new_room(void) {
  fixture f = {"/tmp/test_regress.XXXXXX", "", ""};
  assert_non_null(mkdtemp(f.room));
  snprintf(f.base, sizeof f.base, "%s/base", f.room);
  snprintf(f.now, sizeof f.now, "%s/now", f.room);
  assert_int_equal(mkdir(f.base, 0700), 0);
  assert_int_equal(mkdir(f.now, 0700), 0);
  return f;
}

static void write_text(const char *folder, int process, const char *text) {
  char path[128];
  snprintf(path, sizeof path, "%s/%04d.json", folder, process);
  FILE *const stream = fopen(path, "w");
  assert_non_null(stream);
  fputs(text, stream);
  fclose(stream);
}

static void remove_room(const fixture *f) {
  char path[128];
  for (int i = 1; i <= PAIRS; i++) {
    snprintf(path, sizeof path, "%s/%04d.json", f->base, i);
    unlink(path);
    snprintf(path, sizeof path, "%s/%04d.json", f->now, i);
    unlink(path);
  }
  rmdir(f->base);
  rmdir(f->now);
  rmdir(f->room);
}

/* one process's file: its fastest sample is `fastest`, the rest only slower */
static void write_process(const char *folder, int process, double fastest) {
  char text[512];
  snprintf(text, sizeof text,
           "{\"schema\": \"essbench-bench-1\", \"cases\": [{\"name\": \"hopper\", \"solver\": "
           "\"projection\", \"seconds\": [%.9g, %.9g, %.9g]}, {\"name\": \"hopper\", \"solver\": "
           "\"mujoco\", \"seconds\": [%.9g]}]}",
           1.7 * fastest, fastest, 1.1 * fastest, 2e-3);
  write_text(folder, process, text);
}

/* pairs with `noise` of their own and a drift common to both, the second `factor` slower */
static void write_pairs(const fixture *f, double factor, double noise, unsigned long seed) {
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  assert_non_null(rng);
  gsl_rng_set(rng, seed);
  for (int i = 1; i <= PAIRS; i++) {
    const double drift = 1e-3 * (1.0 + 0.5 * gsl_rng_uniform(rng));
    write_process(f->base, i, drift * exp(gsl_ran_gaussian(rng, noise)));
    write_process(f->now, i, factor * drift * exp(gsl_ran_gaussian(rng, noise)));
  }
  gsl_rng_free(rng);
}

/* the verdict on the one case of ours, and the one overall, which is of the same interval */
static regress_verdict judge(const fixture *f, measure_interval *ratio, regress_verdict *of_all) {
  regress_samples base, now;
  char message[SOLVER_MESSAGE_SIZE];
  measure_interval overall;
  regress_verdict verdict;
  if (regress_samples_read(&base, f->base, message)) fail_msg("%s", message);
  if (regress_samples_read(&now, f->now, message)) fail_msg("%s", message);
  assert_int_equal(regress_samples_match(&base, &now, message), 0);
  const regress_series *const b = regress_samples_find(&base, "hopper", "projection");
  const regress_series *const n = regress_samples_find(&now, "hopper", "projection");
  assert_non_null(b);
  assert_non_null(n);
  assert_int_equal(regress_compare_series(b, n, PAIRS, ratio, &verdict, message), 0);
  assert_int_equal(regress_compare_overall(&base, &now, &overall, of_all, message), 0);
  assert_true(fabs(overall.estimate / ratio->estimate - 1.0) < 1e-12);
  regress_samples_free(&base);
  regress_samples_free(&now);
  return verdict;
}

static void test_verdicts(void **state) {
  (void)state;
  const struct {
    double factor;
    regress_verdict one, of_all;
  } cases[] = {{1.25, REGRESS_SLOWER, REGRESS_SLOWER},
               {1.15, REGRESS_SLOWER, REGRESS_SLOWER},
               {1.08, REGRESS_ACCEPTED, REGRESS_SLOWER},
               {1.03, REGRESS_ACCEPTED, REGRESS_ACCEPTED},
               {0.9, REGRESS_FASTER, REGRESS_FASTER}};
  const fixture f = new_room();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    measure_interval ratio;
    regress_verdict of_all;
    write_pairs(&f, cases[i].factor, 0.01, 1 + i);
    assert_int_equal(judge(&f, &ratio, &of_all), cases[i].one);
    assert_int_equal(of_all, cases[i].of_all);
    assert_true(ratio.low <= ratio.estimate && ratio.estimate <= ratio.high);
    assert_true(fabs(ratio.estimate / cases[i].factor - 1.0) < 0.01);
  }
  remove_room(&f);
}

/* the drift common to a pair is far larger than what is looked for, and must not matter */
static void test_equal_times_never_fail(void **state) {
  (void)state;
  const fixture f = new_room();
  for (unsigned long seed = 1; seed <= 40; seed++) {
    measure_interval ratio;
    regress_verdict of_all;
    write_pairs(&f, 1.0, 0.04, seed);
    assert_int_not_equal(judge(&f, &ratio, &of_all), REGRESS_SLOWER);
    assert_int_not_equal(of_all, REGRESS_SLOWER);
  }
  remove_room(&f);
}

static void test_ratio_to_mujoco(void **state) {
  (void)state;
  const fixture f = new_room();
  for (int i = 1; i <= PAIRS; i++) write_process(f.now, i, 5e-4);
  regress_samples now;
  char message[SOLVER_MESSAGE_SIZE];
  assert_int_equal(regress_samples_read(&now, f.now, message), 0);
  assert_true(fabs(regress_mujoco_ratio(&now, "hopper") - 0.25) < 1e-12);
  assert_true(isnan(regress_mujoco_ratio(&now, "plate-2")));
  regress_samples_free(&now);
  remove_room(&f);
}

static void test_pairs_must_match(void **state) {
  (void)state;
  const fixture f = new_room();
  regress_samples base, now;
  char message[SOLVER_MESSAGE_SIZE];
  for (int i = 1; i <= PAIRS; i++) write_process(f.now, i, 1e-3);
  for (int i = 1; i < PAIRS; i++) write_process(f.base, i, 1e-3);
  assert_int_equal(regress_samples_read(&base, f.base, message), 0);
  assert_int_equal(regress_samples_read(&now, f.now, message), 0);
  assert_int_equal(regress_samples_match(&base, &now, message), -1);
  assert_non_null(strstr(message, "no pairs"));
  regress_samples_free(&base);
  regress_samples_free(&now);
  remove_room(&f);
}

static void test_too_few_pairs(void **state) {
  (void)state;
  const fixture f = new_room();
  regress_samples now;
  char message[SOLVER_MESSAGE_SIZE];
  for (int i = 1; i < REGRESS_PAIRS_MIN; i++) write_process(f.now, i, 1e-3);
  assert_int_equal(regress_samples_read(&now, f.now, message), 0);
  assert_int_equal(regress_samples_match(&now, &now, message), -1);
  assert_non_null(strstr(message, "too few"));
  regress_samples_free(&now);
  remove_room(&f);
}

static void test_unusable_files_are_one_line(void **state) {
  (void)state;
  static const char *const texts[] = {
      "",
      "{",
      "[]",
      "{\"schema\": \"essbench-bench-1\"}",
      "{\"schema\": \"essbench-bench-2\", \"cases\": [{}]}",
      "{\"schema\": \"essbench-bench-1\", \"cases\": [{}]}",
      "{\"schema\": \"essbench-bench-1\", \"cases\": [{\"name\": \"a\", \"solver\": \"b\", "
      "\"seconds\": []}]}",
      "{\"schema\": \"essbench-bench-1\", \"cases\": [{\"name\": \"a\", \"solver\": \"b\", "
      "\"seconds\": [0.1, 0]}]}"};
  const fixture f = new_room();
  regress_samples now;
  char message[SOLVER_MESSAGE_SIZE];
  assert_int_equal(regress_samples_read(&now, f.now, message), -1);
  assert_non_null(strstr(message, "no sample files"));
  assert_int_equal(regress_samples_read(&now, "/nonexistent/now", message), -1);
  assert_non_null(strstr(message, "/nonexistent/now"));
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    write_text(f.now, 1, texts[i]);
    message[0] = '\0';
    assert_int_equal(regress_samples_read(&now, f.now, message), -1);
    assert_non_null(strstr(message, "0001.json"));
    assert_null(strchr(message, '\n'));
  }
  remove_room(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_verdicts),        cmocka_unit_test(test_equal_times_never_fail),
      cmocka_unit_test(test_ratio_to_mujoco), cmocka_unit_test(test_pairs_must_match),
      cmocka_unit_test(test_too_few_pairs),   cmocka_unit_test(test_unusable_files_are_one_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
