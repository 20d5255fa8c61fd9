/*
 * What a run tells of its impacts: each, the modes, and how often a rule had to choose among modes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "impacts.h"

/* modes are the hour of the impact, and so is how many solutions it had */
static int describe_impact(const model *m, const ess_impact *impact, model_impact *out) {
  (void)m;
  *out = (model_impact){.t = impact->t, .solutions = (size_t)impact->t, .count = 2};
  for (size_t k = 0; k < out->count; k++) {
    out->landed[k].contact = k ? "right" : "left";
    out->landed[k].speed = 2 + (double)k;
  }
  strcpy(out->before, "{}");
  strcpy(out->held, "{left, right}");
  strcpy(out->after, impact->t < 2 ? "{left}" : out->held);
  return 0;
}

static int describe_start(const model *m, const double x0[], char mode[MODEL_MODE_SIZE]) {
  (void)m, (void)x0;
  strcpy(mode, "{}");
  return 0;
}

static const model_type type = {.describe_impact = describe_impact,
                                .describe_start = describe_start};

static void modes_that_a_rule_chose_are_counted(void **state) {
  (void)state;
  const model m = {.type = &type};
  impacts list;
  assert_int_equal(impacts_begin(&list, &m, NULL), 0);
  static const double times[] = {0, 0, 1, 2, 5};
  for (size_t i = 0; i < 5; i++)
    assert_int_equal(impacts_add(&(ess_impact){.t = times[i]}, &list), 0);
  json_t *const choices = impacts_choices_json(&list), *const of = impacts_json(&list),
                *const modes = impacts_modes_json(&list);
  assert_int_equal(json_integer_value(json_object_get(choices, "none")), 2);
  assert_int_equal(json_integer_value(json_object_get(choices, "several")), 2);
  assert_int_equal(json_array_size(of), 10);
  const json_t *const second = json_array_get(of, 1);
  assert_string_equal(json_string_value(json_object_get(second, "contact")), "right");
  assert_true(json_number_value(json_object_get(second, "speed")) == 3);
  assert_string_equal(json_string_value(json_object_get(second, "mode_before")), "{}");
  assert_string_equal(json_string_value(json_object_get(second, "mode_after")), "{left, right}");
  assert_int_equal(json_array_size(modes), 1 + 5 + 3); // of three, what is let go at once, too
  json_decref(choices);
  json_decref(of);
  json_decref(modes);
  impacts_free(&list);
}

static void a_model_without_modes_has_none_to_tell(void **state) {
  (void)state;
  const model_type plain = {.describe_start = describe_start};
  const model m = {.type = &plain};
  impacts list;
  assert_int_equal(impacts_begin(&list, &m, NULL), -1);
  impacts_free(&list);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(modes_that_a_rule_chose_are_counted),
      cmocka_unit_test(a_model_without_modes_has_none_to_tell),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
