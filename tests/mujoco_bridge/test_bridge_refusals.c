/*
 * What the bridge cannot do, or MuJoCo complains of, comes back as one clear line; nothing ends the
 * process, nothing writes a log file, and an instance is usable afterwards.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _XOPEN_SOURCE 700

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "bridge_fixture.h"

enum { SAMPLES = 1001 };
static const double dt = 0.002;

/* prepare fails with one line that has `words` in it: a refusal, unless the scene is of our own */
static void refused(const model *m, const solver_settings *settings, const mjcf_options *scene,
                    const char *text, const char *words) {
  const solver_output output = {.dt = dt};
  char message[SOLVER_MESSAGE_SIZE] = "";
  void *instance = &message;
  const int expected = scene || text ? SOLVER_FAILED : SOLVER_REFUSED;
  assert_int_equal(bridge_prepare(m, settings, &output, scene, text, &instance, message), expected);
  assert_null(instance);
  fixture_expect_line(message, words);
}

static void test_models_without_a_twin(void **state) {
  (void)state;
  const solver_settings settings = fixture_settings();
  model m;
  model_init(&m, model_find("plate"));
  fixture_set(&m, "law", 1);
  fixture_prepare(&m);
  refused(&m, &settings, NULL, NULL, "law paper has no MuJoCo twin; use --law roller");
  model_release(&m);
  model_init(&m, model_find("affine3"));
  fixture_prepare(&m);
  refused(&m, &settings, NULL, NULL, "affine3: this model has no MuJoCo twin");
  model_release(&m);
}

static void test_bad_settings(void **state) {
  (void)state;
  model m = fixture_model(2, 60);
  solver_settings settings = fixture_settings();
  settings.time_step = 0.0015;
  refused(&m, &settings, NULL, NULL, "step 0.0015 s is not accepted");
  settings.time_step = 0.003;
  refused(&m, &settings, NULL, NULL, "must divide the output step 0.002 s");
  settings.time_step = -0.002;
  refused(&m, &settings, NULL, NULL, "step -0.002 s is not accepted");
  settings.time_step = NAN;
  refused(&m, &settings, NULL, NULL, "is not accepted");
  settings = fixture_settings();
  settings.scaling = 0;
  refused(&m, &settings, NULL, NULL, "scaling 0 is not accepted");
  settings.scaling = NAN;
  refused(&m, &settings, NULL, NULL, "scaling nan is not accepted");
  settings = fixture_settings();
  settings.variant = "leapfrog";
  refused(&m, &settings, NULL, NULL, "has no integrator leapfrog; it has Euler, RK4, implicit");
  model_release(&m);
}

static void test_broken_scenes(void **state) {
  (void)state;
  const solver_settings settings = fixture_settings();
  const mjcf_options scene = mjcf_options_default();
  model m = fixture_model(2, 60);
  char message[MODEL_MESSAGE_SIZE], *text;
  refused(&m, &settings, NULL, "", "the scene does not compile");
  refused(&m, &settings, NULL, "<mujoco><worldbody>", "the scene does not compile");
  refused(&m, &settings, NULL, "<mujoco><sprung/></mujoco>", "sprung");
  refused(&m, &settings, NULL, "<mujoco/>", "0 coordinates");

  // truncated anywhere
  assert_int_equal(mjcf_write(&m, &scene, &text, NULL, message), 0);
  text[strlen(text) - 12] = '\0';
  refused(&m, &settings, NULL, text, "the scene does not compile");
  free(text);

  // another model's scene
  model hopper = fixture_model(0, 0);
  assert_int_equal(mjcf_write(&hopper, &scene, &text, NULL, message), 0);
  refused(&m, &settings, NULL, text, "plate needs 3, 3, 2");
  free(text);
  model_release(&hopper);

  // a choice MuJoCo does not know
  mjcf_options odd = scene;
  odd.solver = "Gauss";
  refused(&m, &settings, &odd, NULL, "the scene does not compile");
  model_release(&m);
}

/* run fails with one line that has `words` in it */
static void run_fails(void *instance, const double x0[], const solver_output *output,
                      const char *words) {
  solver_report report;
  assert_int_equal(bridge_solver.run(instance, x0, output, &report), -1);
  fixture_expect_line(report.message, words);
}

/* 2.2 drops what exceeds the limit and goes on; later versions take no notice of it */
static void test_dropped_contacts_fail_the_run(void **state) {
  (void)state;
  model m = fixture_model(10, 60);
  solver_output output = fixture_output(&m, SAMPLES, dt);
  const solver_settings settings = fixture_settings();
  mjcf_options scene = mjcf_options_default();
  char message[SOLVER_MESSAGE_SIZE];
  const double x0[] = {0, 2.5, 0.05, 0, 0, 0};
  solver_report report;
  void *b;
  scene.contact_limit = 3;
  if (bridge_prepare(&m, &settings, &output, &scene, NULL, &b, message)) fail_msg("%s", message);
  if (bridge_solver.run(b, x0, &output, &report) != 0)
    fixture_expect_line(report.message, "mujoco: warning 1 raised");
  else
    for (size_t i = 0; i < SAMPLES; ++i) assert_true(output.states[6 * i + 1] > 0.7);
  bridge_solver.release(b);
  fixture_free(&output);
  model_release(&m);
}

static void test_bad_state_fails_the_run(void **state) {
  (void)state;
  model m = fixture_model(2, 60);
  solver_output output = fixture_output(&m, SAMPLES, dt), good = fixture_output(&m, SAMPLES, dt);
  const solver_settings settings = fixture_settings();
  const double sane[] = {0, 2.5, 0.05, 0, 0, 0}, lost[] = {0, NAN, 0, 0, 0, 0},
               fast[] = {0, 2.5, 0, 0, 0, 1e30};
  solver_report report;
  void *b = fixture_instance(&m, &settings, &output);
  fixture_run(b, sane, &good, &report);
  run_fails(b, lost, &output, "mujoco: warning");
  run_fails(b, fast, &output, "mujoco: warning");

  // the next run does not remember
  fixture_run(b, sane, &output, &report);
  assert_memory_equal(output.states, good.states, SAMPLES * sizeof sane);
  bridge_solver.release(b);
  fixture_free(&output);
  fixture_free(&good);
  model_release(&m);
}

/* replaces the scene's size element by another; the caller frees the text */
static char *with_size(const model *m, const char *size) {
  const mjcf_options scene = mjcf_options_default();
  char message[MODEL_MESSAGE_SIZE], *text;
  assert_int_equal(mjcf_write(m, &scene, &text, NULL, message), 0);
  char *start = strstr(text, "<size"), *rest = strchr(start, '>') + 1;
  const size_t room = strlen(text) + strlen(size) + 1;
  char *changed = malloc(room);
  snprintf(changed, room, "%.*s%s%s", (int)(start - text), text, size, rest);
  free(text);
  return changed;
}

/* some of these end in an error in the middle of a step, some in a warning */
static void test_too_little_memory_fails_the_run(void **state) {
  (void)state;
  static const char *const sizes[] = {"<size memory='4K'/>", "<size memory='8K'/>",
                                      "<size memory='16K'/>", "<size memory='32K'/>",
                                      "<size nstack='100' njmax='50' nconmax='50'/>"};
  model m = fixture_model(50, 60);
  solver_output output = fixture_output(&m, SAMPLES, dt);
  const solver_settings settings = fixture_settings();
  const double x0[] = {0, 0.9, 0, 0, 0, 0}, flight[] = {0, 50, 0, 0, 0, 0};
  size_t failures = 0;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    char message[SOLVER_MESSAGE_SIZE], *text = with_size(&m, sizes[i]);
    solver_report report;
    void *b;
    const int status = bridge_prepare(&m, &settings, &output, NULL, text, &b, message);
    free(text);
    if (status != 0) {
      // 2.2 has no attribute memory
      fixture_expect_line(message, "memory");
      continue;
    }
    for (int again = 0; again < 2; ++again)
      if (bridge_solver.run(b, x0, &output, &report) != 0) {
        fixture_expect_line(report.message, "mujoco: ");
        assert_true(strlen(report.message) > 20);
        ++failures;
      }

    // flight needs no contacts: the instance is sound again
    if (i > 0) fixture_run(b, flight, &output, &report);
    bridge_solver.release(b);
  }
  assert_true(failures >= 2);
  fixture_free(&output);
  model_release(&m);
}

static void test_depth_beyond_the_roller(void **state) {
  (void)state;
  model m;
  model_init(&m, model_find("plate"));
  fixture_set(&m, "contacts", 2);
  fixture_set(&m, "radius", 0.05);
  fixture_prepare(&m);
  solver_output output = fixture_output(&m, SAMPLES, dt);
  const solver_settings settings = fixture_settings();
  const double x0[] = {0, 2.5, 0.05, 0, 0, 0};
  solver_report report;
  void *b = fixture_instance(&m, &settings, &output);
  fixture_run(b, x0, &output, &report);

  // since 3.2.7 MuJoCo measures it; before, the samples are not to be trusted
  if (bridge_solver.inspect(b, &output, &report) != 0)
    fixture_expect_line(report.message, "deeper than its roller's radius");
  else
    for (size_t i = 0; i < SAMPLES; ++i) assert_true(output.states[6 * i + 1] > 0.5);
  bridge_solver.release(b);
  fixture_free(&output);
  model_release(&m);
}

static int enter_empty_folder(void **state) {
  (void)state;
  char folder[] = "/tmp/essbench-bridge-XXXXXX";
  return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

/* the folder goes only when nothing was left in it */
static int leave_empty_folder(void **state) {
  (void)state;
  char folder[256];
  return getcwd(folder, sizeof folder) && chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_models_without_a_twin),
      cmocka_unit_test(test_bad_settings),
      cmocka_unit_test(test_broken_scenes),
      cmocka_unit_test(test_dropped_contacts_fail_the_run),
      cmocka_unit_test(test_bad_state_fails_the_run),
      cmocka_unit_test(test_too_little_memory_fails_the_run),
      cmocka_unit_test(test_depth_beyond_the_roller),
  };
  return cmocka_run_group_tests(tests, enter_empty_folder, leave_empty_folder);
}
