/*
 * A library of another version than the header is refused before it can be misread.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "bridge_fixture.h"

int __real_mj_version(void);
int __wrap_mj_version(void);

static int pretended;

int __wrap_mj_version(void) {
  return pretended > 0 ? pretended : __real_mj_version();
}

static void test_other_version_is_refused(void **state) {
  (void)state;
  static const struct {
    int number;
    const char *words;
  } others[] = {{221, "is 2.2.1;"}, {3012004, "is 3.12.4;"}};
  const solver_settings settings = fixture_settings();
  const solver_output output = {.dt = 0.002};
  model m = fixture_model(2, 60);
  for (size_t i = 0; i < 2; ++i) {
    char message[SOLVER_MESSAGE_SIZE];
    void *instance;
    pretended = others[i].number;
    assert_int_equal(bridge_solver.prepare(&m, &settings, &output, &instance, message), -1);
    fixture_expect_line(message, "mujoco: built for ");
    fixture_expect_line(message, bridge_version_string());
    fixture_expect_line(message, others[i].words);
  }
  pretended = 0;
  void *instance = fixture_instance(&m, &settings, &output);
  bridge_solver.release(instance);
  model_release(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_other_version_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
