/*
 * Engines in processes of their own: what they refuse, and how they are talked with. The engines
 * themselves are raced by `make drake` and `make simbody`; here the process is a script that
 * answers as it is told to.
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

/* who is asked, and what names its program */
static const struct {
  const solver_type *solver;
  const char *name, *title, *variable;
} engines[] = {{&drake_solver, "drake", "Drake", "DRAKE_PYTHON"},
               {&simbody_solver, "simbody", "Simbody", "SIMBODY_WORKER"}};
enum { ENGINES = sizeof engines / sizeof *engines };

/* a script in the place of an engine's program */
typedef struct stand_in {
  char folder[32], path[48];
} stand_in;

static stand_in stand_in_open(const char *text) {
  stand_in s = {.folder = "/tmp/worker.XXXXXX"};
  assert_non_null(mkdtemp(s.folder));
  snprintf(s.path, sizeof s.path, "%s/program", s.folder);
  FILE *const file = fopen(s.path, "w");
  assert_non_null(file);
  fprintf(file, "#!/bin/sh\n%s\n", text);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(chmod(s.path, 0700), 0);
  for (size_t e = 0; e < ENGINES; e++) assert_int_equal(setenv(engines[e].variable, s.path, 1), 0);
  return s;
}

static void stand_in_close(const stand_in *s) {
  unlink(s->path);
  rmdir(s->folder);
}

#define READY  "head -c 256 /dev/zero; "
#define HEARS  "head -c 24 >/dev/null; "
#define STATES "head -c %zu /dev/zero; "
#define DONE                                                                                       \
  "printf '\\007\\0\\0\\0\\0\\0\\0\\0\\001\\0\\0\\0\\0\\0\\0\\0\\055'; head -c 239 /dev/zero; "
#define COUNTED                                                                                    \
  "printf '\\007\\0\\0\\0\\0\\0\\0\\0\\001\\0\\0\\0\\0\\0\\0\\0\\043'; head -c 239 /dev/zero; "
#define FAILS                                                                                      \
  "printf '\\377\\377\\377\\377\\377\\377\\377\\377'; head -c 24 /dev/zero; printf 'no step'; "    \
  "head -c 217 /dev/zero; "

/* as fixture_refused, with the engine's name before the words */
static void refused(fixture *f, size_t engine, const char *words) {
  const solver_settings settings = fixture_settings();
  char text[SOLVER_MESSAGE_SIZE];
  snprintf(text, sizeof text, words, engines[engine].name, engines[engine].title);
  fixture_refused(f, engines[engine].solver, &settings, text);
}

static void test_refusals(void **state) {
  (void)state;
  fixture affine = fixture_open(fixture_model("affine3"), 0.1);
  refused(&affine, 0, "%s: affine3 is no body on springs; hopper, legged and plate are");
  refused(&affine, 1, "%s: affine3 is no body on springs; hopper and plate are");
  fixture_close(&affine);
  fixture legs = fixture_open(fixture_model("legged"), 0.1);
  refused(&legs, 0, "%s: its contacts' damping is another law; it races with --damping 0");
  refused(&legs, 1, "%s: legged is no body on springs");
  fixture_close(&legs);
  fixture damped = fixture_open(fixture_plate(60), 0.1);
  for (size_t e = 0; e < ENGINES; e++) refused(&damped, e, "%s: its contacts' damping is another");
  fixture_close(&damped);
}

static void test_nobody_there(void **state) {
  (void)state;
  fixture f = fixture_open(fixture_model("hopper"), 0.1);
  for (size_t e = 0; e < ENGINES; e++) {
    setenv(engines[e].variable, "/nowhere/it", 1);
    refused(&f, e, "%1$s: /nowhere/it: No such file or directory; `make %1$s` sets it up, or ");
    setenv(engines[e].variable, "/bin/true", 1);
    refused(&f, e, "%s: /bin/true has no %s to run: it has ended");
  }
  const stand_in s = stand_in_open(FAILS);
  for (size_t e = 0; e < ENGINES; e++) refused(&f, e, "has no %2$s to run: no step");
  stand_in_close(&s);
  fixture_close(&f);
}

/* a run, its counts; then one that fails and says why; one that nobody asks for; then it is gone */
static void run_all(fixture *f, const solver_type *solver) {
  const solver_settings settings = fixture_settings();
  const solver_output output = fixture_output(f);
  char message[SOLVER_MESSAGE_SIZE];
  solver_report report = {0};
  void *instance;
  const double x[] = {2, 0}, lost[] = {NAN, 0};
  assert_int_equal(solver->prepare(&f->m, &settings, &output, &instance, message), 0);
  output.states[0] = output.states[2 * output.count - 1] = 1.0;
  assert_int_equal(solver->run(instance, x, &output, &report), 0);
  assert_int_equal(report.steps, STEPS);
  assert_int_equal(report.rejected, 1);
  assert_int_equal(report.field_evaluations, 055);
  assert_true(output.states[0] == 0.0 && output.states[2 * output.count - 1] == 0.0);
  assert_int_equal(solver->inspect(instance, &output, &report), 0);
  assert_int_equal(report.field_evaluations, 043);
  assert_int_equal(solver->run(instance, lost, &output, &report), SOLVER_FAILED);
  assert_non_null(strstr(report.message, ": the initial condition is not finite"));
  assert_int_equal(solver->run(instance, x, &output, &report), SOLVER_FAILED);
  assert_non_null(strstr(report.message, ": no step"));
  assert_int_equal(solver->run(instance, x, &output, &report), SOLVER_FAILED);
  assert_non_null(strstr(report.message, ": its process has ended"));
  assert_int_equal(solver->inspect(instance, &output, &report), SOLVER_FAILED);
  solver->release(instance);
}

static void test_a_run(void **state) {
  (void)state;
  fixture f = fixture_open(fixture_model("hopper"), 0.1);
  char text[1024];
  snprintf(text, sizeof text, READY HEARS DONE STATES HEARS COUNTED HEARS FAILS,
           fixture_output(&f).count * 2 * sizeof(double));
  const stand_in s = stand_in_open(text);
  for (size_t e = 0; e < ENGINES; e++) run_all(&f, engines[e].solver);
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
  char text[1024], message[SOLVER_MESSAGE_SIZE];
  const size_t asked = (n + 1) * sizeof(double);
  snprintf(text, sizeof text,
           READY "head -c %zu >/dev/null; " DONE STATES "head -c %zu >/dev/null; " COUNTED, asked,
           output.count * n * sizeof(double), asked);
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
