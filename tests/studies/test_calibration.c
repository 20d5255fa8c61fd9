/*
 * The calibration where there is no epsilon to be found.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "calibration.h"

/* a hopper of these parameters has no epsilon, for a reason that has `words` in it */
static void no_epsilon(const char *const parameters[], const char *words) {
  char message[SOLVER_MESSAGE_SIZE] = "";
  calibration result;
  model m;
  model_init(&m, model_find("hopper"));
  for (size_t i = 0; parameters[i]; i += 2)
    if (model_set_text(&m, parameters[i], parameters[i + 1], message)) fail_msg("%s", message);
  if (model_prepare(&m, message)) fail_msg("%s", message);
  if (calibrate_hopper(&m, 1, &result, message)) fail_msg("%s", message);
  assert_true(isnan(result.epsilon));
  assert_true(isnan(result.rms_projection));
  if (!strstr(result.status, words)) fail_msg("%s instead of %s", result.status, words);
  assert_null(strchr(result.status, '\n'));
  model_release(&m);
}

/* so stiff that MuJoCo's error exceeds any that a neighbourhood inside the spring can make; cut off
 * while the spring is still being pressed; never touching it; leaving it or not, as epsilon is */
static void no_root_gives_a_reason_and_no_number(void **state) {
  (void)state;
  no_epsilon((const char *const[]){"stiffness", "1e6", NULL}, "no root");
  no_epsilon((const char *const[]){"duration", "0.46", NULL}, "no root");
  no_epsilon((const char *const[]){"duration", "0.1", NULL}, "never compressed");
  no_epsilon((const char *const[]){"height", "100", NULL}, "never compressed");
  no_epsilon((const char *const[]){"height", "0.99", NULL}, "jumps");
}

static void several_roots_give_a_reason_and_no_number(void **state) {
  (void)state;
  no_epsilon((const char *const[]){"stiffness", "1e4", "height", "1", NULL}, "not unique");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_root_gives_a_reason_and_no_number),
      cmocka_unit_test(several_roots_give_a_reason_and_no_number),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
