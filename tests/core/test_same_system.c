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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "baselines.h"
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

/* a worker that knows the hopper, on a spring so many times as stiff as the request says */
static void write_worker(const char *path, double factor) {
  FILE *const file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file,
          "#!/usr/bin/env python3\n"
          "import json, struct, sys\n"
          "s, head = json.loads(sys.argv[1]), bytes(256)\n"
          "sys.stdout.buffer.write(head)\n"
          "sys.stdout.flush()\n"
          "while asked := sys.stdin.buffer.read(24):\n"
          "    z, v = struct.unpack('=2d', asked[8:])\n"
          "    force = %.17g * s['stiffness'] * max(0.0, s['free_length'] - z)\n"
          "    rates = struct.pack('=2d', v, force / s['mass'] - s['gravity'])\n"
          "    sys.stdout.buffer.write(head + rates)\n"
          "    sys.stdout.flush()\n",
          factor);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(chmod(path, 0700), 0);
}

static int judge_worker(double factor, bridge_gap *gap) {
  char folder[] = "/tmp/same.XXXXXX", path[64];
  const solver_settings settings = solver_settings_default();
  model m;
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/worker", folder);
  write_worker(path, factor);
  assert_int_equal(setenv("SIMBODY_WORKER", path, 1), 0);
  message[0] = '\0';
  model_init(&m, model_find("hopper"));
  if (model_prepare(&m, message)) fail_msg("%s", message);
  const int status = same_system(&simbody_solver, &m, &settings, 1, gap, message);
  model_release(&m);
  unlink(path);
  rmdir(folder);
  return status;
}

static void an_engine_in_a_process_is_held_to_it_too(void **state) {
  (void)state;
  bridge_gap gap;
  if (judge_worker(1.0, &gap)) fail_msg("%s", message);
  assert_true(gap.gap <= 1e-10);
  assert_int_equal(judge_worker(1.0 + 1e-8, &gap), SOLVER_FAILED);
  assert_true(gap.gap > 1e-10 && gap.gap < 1e-7);
  assert_non_null(strstr(message, "hopper, 1 contacts: the relative acceleration residual of "
                                  "simbody is "));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_the_same_passes),
      cmocka_unit_test(what_is_not_is_refused_by_name),
      cmocka_unit_test(a_model_that_mujoco_does_not_do_is_told_apart),
      cmocka_unit_test(an_engine_in_a_process_is_held_to_it_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
