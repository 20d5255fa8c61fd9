/*
 * Whether MuJoCo and libess have the same system: what is the same passes, what is not is refused
 * with the system's name, and a model that MuJoCo does not do is told apart from both.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "race.h"
#include "solvers.h"

static char message[SOLVER_MESSAGE_SIZE];

/* how it goes with a model's defaults at a scaling */
static int judge(const char *name, double scaling, bridge_gap *gap) {
  solver_settings settings = solver_settings_default();
  model m;
  message[0] = '\0';
  settings.scaling = scaling;
  model_init(&m, model_find(name));
  if (model_prepare(&m, message)) fail_msg("%s", message);
  const int status = same_system(&bridge_solver, &m, &settings, 1, gap, message);
  model_release(&m);
  return status;
}

static void what_is_the_same_passes(void **state) {
  (void)state;
  bridge_gap gap;
  assert_int_equal(judge("hopper", 1e6, &gap), 0);
  assert_string_equal(message, "");
  assert_true(gap.gap > 0.0 && gap.gap <= BRIDGE_GAP_MAX);
  assert_int_equal(gap.states, SAME_SYSTEM_STATES);
}

static void what_is_not_is_refused_by_name(void **state) {
  (void)state;
  bridge_gap gap;
  assert_int_equal(judge("plate", 1.0, &gap), SOLVER_FAILED);
  assert_true(gap.gap > BRIDGE_GAP_MAX);
  assert_non_null(strstr(message, "plate, 10 contacts: the relative acceleration residual is "));
  assert_non_null(strstr(message, " at a scaling of 1; up to 1e-07 is accepted"));
}

static void a_model_that_mujoco_does_not_do_is_told_apart(void **state) {
  (void)state;
  bridge_gap gap;
  assert_int_equal(judge("affine3", 1e6, &gap), SOLVER_REFUSED);
  assert_non_null(strstr(message, "affine3"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_the_same_passes),
      cmocka_unit_test(what_is_not_is_refused_by_name),
      cmocka_unit_test(a_model_that_mujoco_does_not_do_is_told_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
