/*
 * Drake as a solver: what it refuses, and how it talks with its process. Drake itself is raced by
 * `make drake`; here the process is a script that answers as it is told to.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "baselines_fixture.h"

enum { STEPS = 7 };

/* a script in the place of a Python with Drake */
typedef struct stand_in {
  char folder[32], path[48];
} stand_in;

static stand_in stand_in_open(const char *text) {
  stand_in s = {.folder = "/tmp/drake.XXXXXX"};
  assert_non_null(mkdtemp(s.folder));
  snprintf(s.path, sizeof s.path, "%s/python", s.folder);
  FILE *const file = fopen(s.path, "w");
  assert_non_null(file);
  fprintf(file, "#!/bin/sh\n%s\n", text);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(chmod(s.path, 0700), 0);
  assert_int_equal(setenv("DRAKE_PYTHON", s.path, 1), 0);
  return s;
}

static void stand_in_close(const stand_in *s) {
  unlink(s->path);
  rmdir(s->folder);
}

#define READY  "head -c 256 /dev/zero; "
#define HEARS  "head -c 16 >/dev/null; "
#define STATES "head -c %zu /dev/zero; "
#define DONE   "printf '\\007'; head -c 255 /dev/zero; "
#define FAILS  "printf '\\377\\377\\377\\377\\377\\377\\377\\377no step'; head -c 241 /dev/zero; "

static void test_refusals(void **state) {
  (void)state;
  const solver_settings settings = fixture_settings();
  fixture affine = fixture_open(fixture_model("affine3"), 0.1);
  fixture_refused(&affine, &drake_solver, &settings, "drake: affine3 is no body on springs");
  fixture_close(&affine);
  fixture damped = fixture_open(fixture_plate(60), 0.1);
  fixture_refused(&damped, &drake_solver, &settings, "it races with --damping 0");
  fixture_close(&damped);
  fixture legs = fixture_open(fixture_model("legged"), 0.1);
  fixture_refused(&legs, &drake_solver, &settings, "it races with --damping 0");
  fixture_close(&legs);
}

static void test_nobody_there(void **state) {
  (void)state;
  fixture f = fixture_open(fixture_model("hopper"), 0.1);
  const solver_settings settings = fixture_settings();
  setenv("DRAKE_PYTHON", "/nowhere/python", 1);
  fixture_refused(&f, &drake_solver, &settings,
                  "/nowhere/python: No such file or directory; `make");
  setenv("DRAKE_PYTHON", "/bin/true", 1);
  fixture_refused(&f, &drake_solver, &settings, "/bin/true has no Drake to run: it has ended");
  const stand_in s = stand_in_open(FAILS);
  fixture_refused(&f, &drake_solver, &settings, "has no Drake to run: no step");
  stand_in_close(&s);
  fixture_close(&f);
}

/* a run; then one that fails and says why; one of a start that nobody asks for; then it is gone */
static void test_a_run(void **state) {
  (void)state;
  fixture f = fixture_open(fixture_model("hopper"), 0.1);
  const solver_settings settings = fixture_settings();
  const solver_output output = fixture_output(&f);
  char text[512], message[SOLVER_MESSAGE_SIZE];
  snprintf(text, sizeof text, READY HEARS DONE STATES HEARS FAILS,
           output.count * 2 * sizeof(double));
  const stand_in s = stand_in_open(text);
  solver_report report = {0};
  void *instance;
  const double x[] = {2, 0}, lost[] = {NAN, 0};
  assert_int_equal(drake_solver.prepare(&f.m, &settings, &output, &instance, message), 0);
  output.states[0] = output.states[2 * output.count - 1] = 1.0;
  assert_int_equal(drake_solver.run(instance, x, &output, &report), 0);
  assert_int_equal(report.steps, STEPS);
  assert_true(output.states[0] == 0.0 && output.states[2 * output.count - 1] == 0.0);
  assert_int_equal(drake_solver.run(instance, lost, &output, &report), SOLVER_FAILED);
  assert_string_equal(report.message, "drake: the start is not finite");
  assert_int_equal(drake_solver.run(instance, x, &output, &report), SOLVER_FAILED);
  assert_string_equal(report.message, "drake: no step");
  assert_int_equal(drake_solver.run(instance, x, &output, &report), SOLVER_FAILED);
  assert_string_equal(report.message, "drake: its process has ended");
  drake_solver.release(instance);
  stand_in_close(&s);
  fixture_close(&f);
}

/* a robot, whose model has no mechanics to count contacts by */
static void test_legs(void **state) {
  (void)state;
  model m = fixture_model("legged");
  fixture_set(&m, "damping", 0);
  fixture f = fixture_open(m, 0.1);
  const solver_settings settings = fixture_settings();
  const solver_output output = fixture_output(&f);
  const size_t n = f.m.system.dimension;
  char text[512], message[SOLVER_MESSAGE_SIZE];
  snprintf(text, sizeof text, READY "head -c %zu >/dev/null; " DONE STATES, n * sizeof(double),
           output.count * n * sizeof(double));
  const stand_in s = stand_in_open(text);
  solver_report report = {0};
  void *instance;
  assert_int_equal(drake_solver.prepare(&f.m, &settings, &output, &instance, message), 0);
  assert_int_equal(drake_solver.run(instance, f.x0, &output, &report), 0);
  assert_int_equal(drake_solver.inspect(instance, &output, &report), 0);
  assert_int_equal(report.events, 0);
  drake_solver.release(instance);
  stand_in_close(&s);
  fixture_close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_refusals),
                                     cmocka_unit_test(test_nobody_there),
                                     cmocka_unit_test(test_a_run), cmocka_unit_test(test_legs)};
  signal(SIGPIPE, SIG_IGN); // as essbench does
  return cmocka_run_group_tests(tests, NULL, NULL);
}
