/*
 * Without ODE its solver says so in one line.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "baselines_fixture.h"

static void test_refusal(void **state) {
  (void)state;
  fixture f = fixture_open(fixture_model("hopper"), 0.1);
  const solver_settings settings = fixture_settings();
  fixture_refused(&f, &ode_solver, &settings, "built without ODE; install libode-dev");
  fixture_close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_refusal)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
