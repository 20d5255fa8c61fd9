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

#include "json_file.h"
#include "mujoco.c"
#include "studies.h"
#include "study_fixture.h"

/* ---- verdicts on made-up ratios ---------------------------------------------------------------
 */

/* of changed settings, or of the race's, by its column's SQL */
static void judge(bool race, double difference, double ratio, double low, double high,
                  const char *expected) {
  char message[MEASURE_MESSAGE_SIZE];
  measure_store *store;
  json_t *rows;
  assert_int_equal(measure_store_open(&store, NULL, "", message), 0);
  if (measure_store_run(
          store,
          "SELECT " VERDICT " FROM (SELECT '' AS left_out, 'race' AS base, "
          "iif(?1, '', 'pairs=on') AS changes, ?2 AS difference, 0.05 AS effect, "
          "json_array(?3, ?4, ?5) AS last)",
          json_pack("[b, o, f, f, f]", race, measure_json_number(difference), ratio, low, high),
          &rows, message))
    fail_msg("%s", message);
  assert_string_equal(json_string_value(json_array_get(json_array_get(rows, 0), 0)), expected);
  json_decref(rows);
  measure_store_close(store);
}

static void test_verdicts(void **state) {
  static const char changed[] = "changes the trajectory", none[] = "no difference shown";
  (void)state;
  judge(false, 0, 0.94, 0.92, 0.96, "faster");
  judge(false, 0, 0.94, 0.80, 1.01, none);
  judge(false, 0, 0.96, 0.95, 0.97, none);
  judge(false, 0, 1.06, 1.01, 1.10, "slower");
  judge(false, 0, 1.06, 0.99, 1.10, none);
  judge(false, 1e-9, 0.5, 0.4, 0.6, "faster");
  judge(false, 1.1e-9, 0.5, 0.4, 0.6, changed);
  judge(false, NAN, 0.5, 0.4, 0.6, changed);
  judge(true, 1e-12, 1, 1, 1, "the race's");
  judge(true, 1e-8, 1, 1, 1, changed);
}

/* the value of a derived row, whose reference is taken */
static void put(made_up *u, void *row, const char *name, json_t *value) {
  json_array_append_new(u->private.recalled, value);
  assert_true(column_take(column_of(u, MUJOCO_ROWS, name), value, row));
}

/* what is concluded from rows of which one has this verdict */
static int conclude_from(made_up *u, size_t variant, const char *verdict) {
  make_up(u, &mujoco_study, NULL);
  const study_table *const t = &mujoco_study.tables[MUJOCO_ROWS];
  for (size_t k = 0; k < MUJOCO_VARIANTS; k++) {
    const char *const usual = k == MUJOCO_RACE ? "the race's" : "no difference shown";
    _Alignas(max_align_t) char row[t->row_size];
    column_clear(t->columns, row);
    put(u, row, "model", json_string("plate"));
    put(u, row, "contacts", json_integer(7));
    put(u, row, "base", json_string(mujoco_variant_base(&mujoco_variants[k])));
    put(u, row, "changes", json_string(mujoco_variants[k].changes));
    put(u, row, "difference", json_real(3e-8));
    put(u, row, "confirmed", json_real(0.9));
    put(u, row, "confirmed_lo", json_real(0.88));
    put(u, row, "confirmed_hi", json_real(0.93));
    put(u, row, "verdict", json_string(k == variant ? verdict : usual));
    assert_int_equal(study_add(&u->run, MUJOCO_ROWS, row), 0);
  }
  const int status = mujoco_study.conclude(&u->run);
  dispose(u);
  return status;
}

static void test_a_faster_setting_is_a_failure(void **state) {
  (void)state;
  made_up u;
  assert_int_equal(conclude_from(&u, 4, "no difference shown"), 0);
  assert_int_equal(conclude_from(&u, 4, "slower"), 0);
  assert_int_equal(conclude_from(&u, 4, "faster"), -1);
  assert_non_null(strstr(u.message, "plate, N = 7: mujoco tall=on"));
  assert_non_null(strstr(u.message, "0.900 [0.880, 0.930]"));
  assert_null(strchr(u.message, '\n'));
  assert_int_equal(conclude_from(&u, MUJOCO_RACE, "changes the trajectory"), -1);
  assert_non_null(strstr(u.message, "change MuJoCo's trajectory by 3e-08"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_verdicts),
      cmocka_unit_test(test_a_faster_setting_is_a_failure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
