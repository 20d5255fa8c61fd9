/*
 * Clock and pinning.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _GNU_SOURCE
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "clock.h"

static void clock_never_goes_back(void **state) {
  (void)state;
  const uint64_t start = measure_clock_ns();
  uint64_t last = start;
  for (int i = 0; i < 200000; i++) {
    const uint64_t now = measure_clock_ns();
    assert_true(now >= last);
    last = now;
  }
  assert_true(last > start);
}

static void resolution_is_that_of_a_fine_clock(void **state) {
  (void)state;
  const double resolution = measure_clock_resolution_ns();
  assert_true(resolution >= 1);
  // a tick of the kernel's timer, 1 to 10 ms, would mean the wrong clock
  assert_true(resolution < 1e6);
}

static void pinning_leaves_one_core(void **state) {
  (void)state;
  char warning[MEASURE_MESSAGE_SIZE] = "";
  cpu_set_t before, after;
  assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
  const int core = measure_pin_core(-1, warning);
  if (core < 0) {
    // not permitted here: then there is a reason
    assert_non_null(strstr(warning, "not pinned"));
    skip();
  }
  assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
  assert_int_equal(CPU_COUNT(&after), 1);
  assert_true(CPU_ISSET((size_t)core, &after));
  assert_true(CPU_ISSET((size_t)core, &before));
  assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

static void pinning_to_no_core_is_a_warning(void **state) {
  (void)state;
  const int wrong[] = {CPU_SETSIZE - 1, CPU_SETSIZE, 1 << 30};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char warning[MEASURE_MESSAGE_SIZE] = "";
    assert_int_equal(measure_pin_core(wrong[i], warning), -1);
    assert_non_null(strstr(warning, "not pinned to a core: core "));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(clock_never_goes_back),
      cmocka_unit_test(resolution_is_that_of_a_fine_clock),
      cmocka_unit_test(pinning_leaves_one_core),
      cmocka_unit_test(pinning_to_no_core_is_a_warning),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
