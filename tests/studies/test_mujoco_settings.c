/*
 * essbench mujoco on made-up ratios: its verdicts, and that a faster setting is a failure.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mujoco.c"
#include "studies.h"
#include "study_fixture.h"

/* ---- verdicts on made-up ratios ---------------------------------------------------------------
 */

static const char *judge(size_t variant, double difference, double ratio, double low, double high) {
  return mujoco_judge(variant, difference, ratio, (const double[2]){low, high}, 0.05);
}

static void test_verdicts(void **state) {
  (void)state;
  assert_string_equal(judge(5, 0, 0.94, 0.92, 0.96), mujoco_faster);
  assert_string_equal(judge(5, 0, 0.94, 0.80, 1.01), mujoco_as_fast);
  assert_string_equal(judge(5, 0, 0.96, 0.95, 0.97), mujoco_as_fast);
  assert_string_equal(judge(5, 0, 1.06, 1.01, 1.10), mujoco_slower);
  assert_string_equal(judge(5, 0, 1.06, 0.99, 1.10), mujoco_as_fast);
  assert_string_equal(judge(5, 1e-9, 0.5, 0.4, 0.6), mujoco_faster);
  assert_string_equal(judge(5, 1.1e-9, 0.5, 0.4, 0.6), mujoco_changed);
  assert_string_equal(judge(5, NAN, 0.5, 0.4, 0.6), mujoco_changed);
  assert_string_equal(judge(MUJOCO_RACE, 1e-12, 1, 1, 1), mujoco_is_the_race);
  assert_string_equal(judge(MUJOCO_RACE, 1e-8, 1, 1, 1), mujoco_changed);
}

/* what is concluded from rows of which one has this verdict */
static int conclude_from(made_up *u, size_t variant, const char *verdict) {
  make_up(u, &mujoco_study, NULL);
  for (size_t k = 0; k < MUJOCO_VARIANTS; k++) {
    const char *const usual = k == MUJOCO_RACE ? mujoco_is_the_race : mujoco_as_fast;
    const mujoco_row r = {
        .of = {"plate", 7, mujoco_variant_base(&mujoco_variants[k]), mujoco_variants[k].changes},
        .difference = 3e-8,
        .confirmed = 0.9,
        .confirmed_interval = {0.88, 0.93},
        .verdict = k == variant ? verdict : usual,
        .left_out = ""};
    assert_int_equal(study_add(&u->run, MUJOCO_ROWS, &r), 0);
  }
  const int status = mujoco_study.conclude(&u->run);
  dispose(u);
  return status;
}

static void test_a_faster_setting_is_a_failure(void **state) {
  (void)state;
  made_up u;
  assert_int_equal(conclude_from(&u, 4, mujoco_as_fast), 0);
  assert_int_equal(conclude_from(&u, 4, mujoco_slower), 0);
  assert_int_equal(conclude_from(&u, 4, mujoco_faster), -1);
  assert_non_null(strstr(u.message, "plate, N = 7: mujoco tall=on"));
  assert_non_null(strstr(u.message, "0.900 [0.880, 0.930]"));
  assert_null(strchr(u.message, '\n'));
  assert_int_equal(conclude_from(&u, MUJOCO_RACE, mujoco_changed), -1);
  assert_non_null(strstr(u.message, "change MuJoCo's trajectory by 3e-08"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_verdicts),
      cmocka_unit_test(test_a_faster_setting_is_a_failure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
