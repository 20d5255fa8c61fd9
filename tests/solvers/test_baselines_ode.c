/*
 * ODE as a twin: what one of its steps does to the velocities tends to the model's field, in
 * proportion to the step, and its motion to the reference.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gsl/gsl_rng.h>

#include "baselines_fixture.h"

enum { STATES = 300 };

static solver_settings settings_of(double step) {
  solver_settings settings = fixture_settings();
  settings.time_step = step;
  return settings;
}

/* the model's field at x, in the mode that its event functions say there */
static void field_at(const model *m, const double x[], double dxdt[]) {
  double h[256], sign[256];
  const ess_system *const s = &m->system;
  assert_int_equal(s->event_functions(0.0, x, h, s->params), 0);
  for (size_t k = 0; k < s->event_count; k++) sign[k] = h[k] >= 0.0 ? 1.0 : -1.0;
  if (s->mode_changed) assert_int_equal(s->mode_changed(sign, s->event_count, s->params), 0);
  assert_int_equal(s->field(0.0, x, sign, dxdt, s->params), 0);
}

/* A state of the reference's, its velocities scaled at random by up to 1.5 either way. Contacts
 * that end or begin within the step are no matter of the law: drawn are states whose depths and
 * forces keep their signs over it. */
static bool draw(const fixture *f, gsl_rng *rng, double step, double x[]) {
  const size_t n = f->m.system.dimension, half = n / 2;
  double rate[MODEL_DIMENSION_MAX], ahead[MODEL_DIMENSION_MAX], h[256], then[256];
  memcpy(x, f->exact + gsl_rng_uniform_int(rng, f->count) * n, n * sizeof *x);
  for (size_t j = half; j < n; j++) x[j] *= 1.5 * (2.0 * gsl_rng_uniform(rng) - 1.0);
  field_at(&f->m, x, rate);
  for (size_t j = 0; j < n; j++) ahead[j] = x[j] + 2.0 * step * rate[j];
  assert_int_equal(f->m.system.event_functions(0.0, x, h, f->m.system.params), 0);
  assert_int_equal(f->m.system.event_functions(0.0, ahead, then, f->m.system.params), 0);
  for (size_t k = 0; k < f->m.system.event_count; k++)
    if ((h[k] > 0.0) != (then[k] > 0.0)) return false;
  return true;
}

/* RMS of (v' - v)/h less the field over one step of length h, over the field's RMS */
static double gap(fixture *f, double step) {
  const size_t n = f->m.system.dimension, half = n / 2;
  double times[] = {0.0, step}, states[2 * MODEL_DIMENSION_MAX], sums[2] = {0};
  const solver_output output = {.times = times, .dt = step, .count = 2, .states = states};
  const solver_settings settings = settings_of(step);
  char message[SOLVER_MESSAGE_SIZE];
  void *instance;
  if (ode_solver.prepare(&f->m, &settings, &output, &instance, message)) fail_msg("%s", message);
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  for (size_t i = 0; i < STATES;) {
    double x[MODEL_DIMENSION_MAX], dxdt[MODEL_DIMENSION_MAX];
    solver_report report;
    if (!draw(f, rng, step, x)) continue;
    if (ode_solver.run(instance, x, &output, &report)) fail_msg("%s", report.message);
    field_at(&f->m, x, dxdt);
    for (size_t j = half; j < n; j++) {
      sums[0] += pow((states[n + j] - x[j]) / step - dxdt[j], 2);
      sums[1] += pow(dxdt[j], 2);
    }
    i++;
  }
  gsl_rng_free(rng);
  ode_solver.release(instance);
  return sqrt(sums[0] / sums[1]);
}

/* a tenth of the step makes a tenth of the gap */
static void gap_is_proportional(model m) {
  fixture f = fixture_open(m, 2.0);
  double last = gap(&f, 1e-3);
  print_message("%s: gap %.2e at h = 1e-3 s", m.type->name, last);
  assert_true(last > 1e-4 && last < 0.1);
  for (double step = 1e-4; step > 5e-7; step *= 0.1) {
    const double now = gap(&f, step);
    print_message(", %.2e at %g", now, step);
    if (!(now > 0.08 * last && now < 0.125 * last)) fail_msg("gap %g after %g", now, last);
    last = now;
  }
  print_message("\n");
  fixture_close(&f);
}

static model plate_of(double contacts, double law) {
  model m = fixture_plate(60);
  fixture_set(&m, "contacts", contacts);
  fixture_set(&m, "law", law);
  return m;
}

static void test_gap_is_proportional_to_the_step(void **state) {
  (void)state;
  gap_is_proportional(fixture_model("hopper"));
  gap_is_proportional(plate_of(10, 0));
  gap_is_proportional(plate_of(10, 1));
  gap_is_proportional(plate_of(100, 0));
}

/* errors at 1/8, 1/64 and 1/512 of the output step: of first order, with the reference's events */
static void converges(model m) {
  fixture f = fixture_open(m, 2.0);
  double error[3];
  fixture_result r = {0};
  for (int i = 0, substeps = 8; i < 3; i++, substeps *= 8) {
    const solver_settings settings = settings_of(m.type->time_step / substeps);
    r = fixture_run(&f, &ode_solver, &settings);
    error[i] = r.rms;
  }
  print_message("%s: %.2e %.2e %.2e\n", m.type->name, error[0], error[1], error[2]);
  assert_int_equal(r.report.events, f.reference.events);
  assert_int_equal(r.report.steps, (f.count - 1) * 512);
  for (int i = 0; i < 2; i++) {
    const double order = log(error[i] / error[i + 1]) / log(8);
    if (!(order > 0.9 && order < 1.1)) fail_msg("order %g", order);
  }
  fixture_close(&f);
}

static void test_order_one(void **state) {
  (void)state;
  converges(fixture_model("hopper"));
  converges(fixture_plate(0));
  converges(plate_of(5, 1));
  converges(plate_of(10, 0));
}

/* Where springs bear the weight nothing moves; in the air the plate turns at its rate. */
static void test_rest_and_free_flight(void **state) {
  (void)state;
  fixture f = fixture_open(fixture_plate(60), 0.5);
  f.x0[1] = 1 - 98.1 / 8000;
  f.x0[2] = 0;
  const solver_settings settings = settings_of(0.002);
  fixture_run(&f, &ode_solver, &settings);
  for (size_t k = 0; k < f.count; k++)
    for (size_t j = 0; j < 6; j++) assert_true(fabs(f.states[6 * k + j] - f.x0[j]) < 1e-9);
  f.x0[1] = 100;
  f.x0[5] = 2.5;
  fixture_run(&f, &ode_solver, &settings);
  for (size_t k = 0; k < f.count; k++) {
    if (!(fabs(f.states[6 * k + 2] - f.x0[2] - 2.5 * f.times[k]) < 1e-9))
      fail_msg("%zu: angle %.17g", k, f.states[6 * k + 2]);
    assert_true(fabs(f.states[6 * k + 5] - 2.5) < 1e-9);
  }
  fixture_close(&f);
}

static void test_runs_are_alike(void **state) {
  (void)state;
  fixture f = fixture_open(fixture_plate(60), 0.8);
  const solver_settings settings = settings_of(0.002);
  const solver_output output = fixture_output(&f);
  char message[SOLVER_MESSAGE_SIZE];
  solver_report report;
  void *instance;
  const double held[] = {0, 0.98, 0.01, 0, 0, 0};
  assert_int_equal(ode_solver.prepare(&f.m, &settings, &output, &instance, message), 0);
  assert_int_equal(ode_solver.run(instance, held, &output, &report), 0);
  const double rms = fixture_rms(&f);
  const double lost[] = {0, NAN, 0.01, 0, 0, 0};
  assert_int_equal(ode_solver.run(instance, lost, &output, &report), SOLVER_FAILED);
  assert_int_equal(strncmp(report.message, "ode: ", 5), 0);
  assert_null(strchr(report.message, '\n'));
  assert_int_equal(ode_solver.run(instance, held, &output, &report), 0);
  assert_true(fixture_rms(&f) == rms);
  ode_solver.release(instance);
  fixture_close(&f);
}

static void test_refusals(void **state) {
  (void)state;
  fixture affine = fixture_open(fixture_model("affine3"), 0.1);
  solver_settings settings = settings_of(0.0);
  fixture_refused(&affine, &ode_solver, &settings, "ode: affine3 is no body on springs");
  fixture_close(&affine);
  fixture f = fixture_open(fixture_model("hopper"), 0.1);
  settings = settings_of(7e-4);
  fixture_refused(&f, &ode_solver, &settings, "ode: step 0.0007 s is not");
  fixture_close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gap_is_proportional_to_the_step),
      cmocka_unit_test(test_order_one),
      cmocka_unit_test(test_rest_and_free_flight),
      cmocka_unit_test(test_runs_are_alike),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
