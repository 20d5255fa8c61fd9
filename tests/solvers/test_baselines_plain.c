/*
 * Methods that read the mode off the state: their order where nothing is crossed, convergence where
 * much is, the scheme and the outputs of those with a fixed step, and whom they refuse.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "baselines_fixture.h"

static const solver_type *const all[] = {
    &plain_euler_solver, &plain_rk4_solver,    &plain_dopri5_solver, &plain_cvode_solver,
    &plain_heun_solver,  &plain_adams2_solver, &plain_lit_solver};
enum { ALL = sizeof all / sizeof *all };

static double error_of(fixture *f, const solver_type *solver, double step, double tolerance) {
  solver_settings s = fixture_settings();
  s.time_step = step;
  s.rtol = s.atol = tolerance;
  return fixture_run(f, solver, &s).rms;
}

/* a hopper that stays on its spring: damped by nothing, and pressed all the time */
static fixture pressed_hopper(void) {
  char message[MODEL_MESSAGE_SIZE];
  fixture f = fixture_open(fixture_model("hopper"), 0.096);
  f.x0[0] = 0.95;
  f.x0[1] = -2.0;
  assert_int_equal(f.m.type->reference(&f.m, f.x0, &f.reference, message), 0);
  assert_int_equal(f.reference.events, 0);
  return f;
}

/* half the step has 2^-order of the error */
static void test_orders_without_crossings(void **state) {
  (void)state;
  static const struct {
    const solver_type *solver;
    double order;
  } steppers[] = {{&plain_euler_solver, 1.0}, {&plain_rk4_solver, 4.0}};
  fixture f = pressed_hopper();
  for (size_t i = 0; i < 2; i++) {
    const double coarse = error_of(&f, steppers[i].solver, 2e-3, 0.0);
    const double fine = error_of(&f, steppers[i].solver, 1e-3, 0.0);
    assert_true(fabs(log2(coarse / fine) - steppers[i].order) < 0.1);
  }
  // and those with a tolerance keep it; Adams' of order 2 has an error of its power 2/3, and so has
  // LIT at small ones
  for (size_t i = 2; i < ALL; i++) {
    const bool adams = all[i] == &plain_adams2_solver;
    const bool low = adams || all[i] == &plain_lit_solver;
    assert_true(error_of(&f, all[i], 0.0, 1e-6) < (adams ? 1e-4 : 1e-5));
    assert_true(error_of(&f, all[i], 0.0, 1e-10) < (low ? 2e-7 : 3e-9));
  }
  fixture_close(&f);
}

/* Where the longest step is the step, half of it has a quarter of the error, at the outputs within
 * steps too; and no more right-hand sides are evaluated than the scheme has. */
static void test_schemes_of_order_2(void **state) {
  (void)state;
  static const struct {
    const solver_type *solver;
    uint64_t calls; /* of the field, a step */
  } of[] = {{&plain_heun_solver, 2}, {&plain_adams2_solver, 1}};
  static const double lengths[] = {8e-3, 1e-3, 5e-4};
  fixture f = pressed_hopper();
  for (size_t i = 0; i < 2; i++) {
    double rms[3];
    for (size_t k = 0; k < 3; k++) {
      solver_settings s = fixture_settings();
      s.rtol = s.atol = 1.0;
      s.h_max = lengths[k];
      const fixture_result r = fixture_run(&f, of[i].solver, &s);
      // the first steps are shorter; Heun's last slope is one evaluation more, and the first step
      // of Adams' two
      const uint64_t least = (uint64_t)round(0.096 / lengths[k]), calls = of[i].calls;
      assert_true(r.report.steps >= least && r.report.steps <= least + 5);
      assert_int_equal(r.report.rejected, 0);
      assert_int_equal(r.report.field_evaluations, calls * r.report.steps + (i == 0 ? 1 : 2));
      rms[k] = r.rms;
    }
    assert_true(fabs(log2(rms[1] / rms[2]) - 2.0) < 0.1);
    assert_true(fabs(log2(rms[0] / rms[1]) / 3.0 - 2.0) < 0.3);
  }
  fixture_close(&f);
}

/* steps longer than an output step: the cubic through their ends is of the order of RK4, and far
 * closer than a chord */
static void test_rk4_has_outputs_within_its_steps(void **state) {
  (void)state;
  fixture f = pressed_hopper();
  const double long_steps = error_of(&f, &plain_rk4_solver, 8e-3, 0.0);
  const double longer = error_of(&f, &plain_rk4_solver, 1.6e-2, 0.0);
  assert_true(fabs(log2(longer / long_steps) - 4.0) < 0.5);
  assert_true(error_of(&f, &plain_euler_solver, 8e-3, 0.0) > 100.0 * long_steps);
  fixture_close(&f);
}

/* The last step may be longer than what is left: its outputs are those of a run that goes on. */
static void test_a_last_step_past_the_end(void **state) {
  (void)state;
  fixture f = fixture_open(fixture_plate(60.0), 0.096), g = fixture_open(fixture_plate(60.0), 0.1);
  f.x0[1] = g.x0[1] = 0.9; // pressed: the field bends
  solver_settings s = fixture_settings();
  s.time_step = 5.0 * f.m.type->time_step;
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(fixture_run(&f, all[i], &s).report.steps, 10);
    assert_int_equal(fixture_run(&g, all[i], &s).report.steps, 10);
    assert_memory_equal(f.states, g.states, 49 * 6 * sizeof *f.states);
    assert_true(f.states[48 * 6 + 1] != f.states[47 * 6 + 1]);
  }
  fixture_close(&f);
  fixture_close(&g);
}

/* The mode is read again and again, so that the error falls, if slowly, with step and tolerance. */
static void test_converges_through_crossings(void **state) {
  (void)state;
  static const char *const names[] = {"hopper", "affine3", "plate", "legged", "trot-on-springs"};
  static const double durations[] = {1.0, 0.3, 1.0, 0.5, 0.3};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    const bool plate = strcmp(names[k], "plate") == 0;
    fixture f = fixture_open(plate ? fixture_plate(60.0) : fixture_model(names[k]), durations[k]);
    for (size_t i = 0; i < ALL; i++) {
      const double dt = f.m.type->time_step;
      const double coarse = error_of(&f, all[i], dt / 2.0, 1e-5);
      const double fine = error_of(&f, all[i], dt / 32.0, 1e-8);
      if (!(fine < coarse / 4.0 && fine < 1e-2))
        fail_msg("%s, %s: %g and %g", names[k], all[i]->name, coarse, fine);
    }
    fixture_close(&f);
  }
}

/* where the force does not depend on rates: v' = v + dt a(q), q' = q + dt v' */
static void test_euler_is_semi_implicit(void **state) {
  (void)state;
  fixture f = pressed_hopper();
  solver_settings s = fixture_settings();
  fixture_run(&f, &plain_euler_solver, &s);
  double dxdt[2];
  const double sign[] = {1.0}, dt = f.m.type->time_step;
  assert_int_equal(f.m.system.field(0.0, f.x0, sign, dxdt, f.m.system.params), 0);
  const double rate = f.x0[1] + dt * dxdt[1];
  assert_true(f.states[3] == rate && f.states[2] == f.x0[0] + dt * rate);
  fixture_close(&f);
}

/* one call of the field and one of the event functions for each other, and no more than the scheme
 * has */
static void test_counters(void **state) {
  (void)state;
  fixture f = fixture_open(fixture_plate(60.0), 2.0);
  const uint64_t calls[] = {1000, 4001};
  for (size_t i = 0; i < ALL; i++) {
    const solver_settings s = fixture_settings();
    const solver_report r = fixture_run(&f, all[i], &s).report;
    assert_int_equal(r.field_evaluations, r.event_evaluations);
    assert_true(r.field_evaluations > 0 && r.steps > 0);
    if (i < 2) assert_int_equal(r.field_evaluations, calls[i]);
    assert_true(fabs((double)r.events / (double)f.reference.events - 1.0) < 0.1);
  }
  fixture_close(&f);
}

/* a form of the field that is told of changes of the mode is the same system */
static void test_sums_over_the_mode(void **state) {
  (void)state;
  model aggregated = fixture_plate(60.0);
  fixture_set(&aggregated, "field", 1.0);
  fixture f = fixture_open(fixture_plate(60.0), 2.0), g = fixture_open(aggregated, 2.0);
  assert_non_null(g.m.system.mode_changed);
  for (size_t i = 0; i < ALL; i++) {
    const double one = error_of(&f, all[i], 1e-3, 1e-4), other = error_of(&g, all[i], 1e-3, 1e-4);
    assert_true(fabs(one / other - 1.0) < 1e-3);
    // and a run leaves nothing behind
    assert_true(error_of(&g, all[i], 1e-3, 1e-4) == other);
  }
  fixture_close(&f);
  fixture_close(&g);
}

/* where a model has a field that reads the mode off the state, it is the one of its signs */
static void test_field_by_state(void **state) {
  (void)state;
  static const double damping[] = {60.0, 0.0};
  size_t pressed = 0;
  for (int i = 0; i < 4000; i++) {
    double x[6], sign[128], want[6], got[6], size = 1.0;
    model m = fixture_plate(damping[i % 2]);
    assert_int_equal(model_set(&m, "contacts", 2 + i / 2 % 61, (char[MODEL_MESSAGE_SIZE]){0}), 0);
    char message[MODEL_MESSAGE_SIZE];
    assert_int_equal(model_prepare(&m, message), 0);
    for (int k = 0; k < 6; k++) x[k] = 2.0 * sin(1.7 * i + 12.9898 * k * (i + 1));
    x[1] = 1.0 + 0.3 * x[1];
    x[2] *= 0.4;
    assert_int_equal(m.system.event_functions(0.0, x, sign, m.system.params), 0);
    for (size_t k = 0; k < m.system.event_count; k++) sign[k] = sign[k] < 0.0 ? -1.0 : 1.0;
    assert_int_equal(m.system.field(0.0, x, sign, want, m.system.params), 0);
    assert_int_equal(m.type->field_by_state(&m, x, got), 0);
    for (int k = 0; k < 6; k++) size = fmax(size, fabs(want[k]));
    for (int k = 0; k < 6; k++) assert_true(fabs(got[k] - want[k]) <= 1e-13 * size);
    pressed += size > 20.0;
    model_release(&m);
  }
  assert_true(pressed > 1000 && pressed < 3900);
}

static void refuse(model m, const char *words) {
  char message[MODEL_MESSAGE_SIZE], said[SOLVER_MESSAGE_SIZE];
  double times[] = {0.0, 0.002}, states[2 * MODEL_DIMENSION_MAX];
  const solver_output output = {.times = times, .dt = 0.002, .count = 2, .states = states};
  const solver_settings s = fixture_settings();
  assert_int_equal(model_prepare(&m, message), 0);
  for (size_t i = 0; i < ALL; i++) {
    void *instance;
    assert_int_equal(all[i]->prepare(&m, &s, &output, &instance, said), SOLVER_REFUSED);
    assert_null(strchr(said, '\n'));
    assert_int_equal(strncmp(said, all[i]->name, strlen(all[i]->name)), 0);
    if (!strstr(said, words)) fail_msg("\"%s\" lacks \"%s\"", said, words);
  }
  model_release(&m);
}

static void test_refusals(void **state) {
  (void)state;
  static const char *const jump[] = {"ball",          "slip", "trot",
                                     "rocking-block", "rhex", "block-on-springs"};
  for (size_t k = 0; k < sizeof jump / sizeof *jump; k++)
    refuse(fixture_model(jump[k]), "jumps, and no sign of an event function says when");

  // a reset that nobody says to be a function of the state
  static model_type remembers;
  remembers = *model_find("plate");
  remembers.mode_of_state = false;
  model m;
  model_init(&m, &remembers);
  refuse(m, "is no function of its state: its resets remember");

  fixture f = fixture_open(fixture_plate(60.0), 0.1);
  solver_settings s = fixture_settings();
  s.rtol = s.atol = -1.0;
  for (size_t i = 2; i < ALL; i++) fixture_refused(&f, all[i], &s, "rtol");
  s = fixture_settings();
  s.time_step = 0.0013;
  for (size_t i = 0; i < 2; i++) fixture_refused(&f, all[i], &s, "must divide the output step");
  fixture_close(&f);
}

/* A mass that a belt carries creeps where friction is made smooth: its spring, -x, is balanced by
 * tanh(slip / width), but for the part that the acceleration takes, which is of the width's size
 * squared. */
static void test_tanh_creeps(void **state) {
  (void)state;
  static const double width = 1e-4;
  model m;
  model_init(&m, model_find("belt"));
  fixture f = fixture_open(m, 1.0);
  const solver_output output = fixture_output(&f);
  solver_settings s = fixture_settings();
  s.rtol = s.atol = 1e-10;
  s.epsilon = width;
  char message[SOLVER_MESSAGE_SIZE];
  void *instance;
  solver_report report;
  assert_int_equal(tanh_cvode_solver.prepare(&f.m, &s, &output, &instance, message), 0);
  assert_int_equal(tanh_cvode_solver.run(instance, f.x0, &output, &report), 0);
  const double *const end = output.states + 2 * (output.count - 1);
  const double creep = width * atanh(end[0]);
  assert_true(fabs(end[0] - 0.5) < width);
  assert_true(fabs(end[1] - 0.5 + creep) < 0.01 * creep);
  tanh_cvode_solver.release(instance);
  s.epsilon = NAN;
  fixture_refused(&f, &tanh_cvode_solver, &s, "is the width of the tanh");
  fixture_close(&f);
  f = fixture_open(fixture_plate(60.0), 0.1);
  fixture_refused(&f, &tanh_cvode_solver, &s, "has nothing between its modes");
  fixture_close(&f);
}

/* A start that is not finite ends the run with one line. */
static void test_stops(void **state) {
  (void)state;
  for (size_t i = 0; i < ALL; i++) {
    char message[SOLVER_MESSAGE_SIZE];
    fixture f = fixture_open(fixture_plate(60.0), 0.1);
    const solver_output output = fixture_output(&f);
    const solver_settings s = fixture_settings();
    void *instance;
    solver_report report;
    f.x0[1] = NAN;
    assert_int_equal(all[i]->prepare(&f.m, &s, &output, &instance, message), 0);
    assert_int_equal(all[i]->run(instance, f.x0, &output, &report), SOLVER_FAILED);
    assert_int_equal(strncmp(report.message, all[i]->name, strlen(all[i]->name)), 0);
    assert_null(strchr(report.message, '\n'));
    all[i]->release(instance);
    fixture_close(&f);
  }
}

/* Fixed steps say from when on a state is not finite: four times 3e303 more than 1.7976e308. */
static void test_says_when(void **state) {
  (void)state;
  for (size_t i = 0; i < 2; i++) {
    char message[SOLVER_MESSAGE_SIZE];
    fixture f = fixture_open(fixture_plate(60.0), 0.1);
    const solver_output output = fixture_output(&f);
    const solver_settings s = fixture_settings();
    void *instance;
    solver_report report;
    f.x0[0] = 1.7976e308;
    f.x0[1] = 1e4; // far above all springs
    f.x0[2] = 0.0;
    f.x0[3] = 1.5e306;
    assert_int_equal(all[i]->prepare(&f.m, &s, &output, &instance, message), 0);
    assert_int_equal(all[i]->run(instance, f.x0, &output, &report), SOLVER_FAILED);
    snprintf(message, sizeof message, "%s: the state is not finite at t = %g", all[i]->name,
             4.0 * f.m.type->time_step);
    assert_string_equal(report.message, message);
    all[i]->release(instance);
    fixture_close(&f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_orders_without_crossings),
      cmocka_unit_test(test_schemes_of_order_2),
      cmocka_unit_test(test_rk4_has_outputs_within_its_steps),
      cmocka_unit_test(test_a_last_step_past_the_end),
      cmocka_unit_test(test_converges_through_crossings),
      cmocka_unit_test(test_euler_is_semi_implicit),
      cmocka_unit_test(test_counters),
      cmocka_unit_test(test_sums_over_the_mode),
      cmocka_unit_test(test_field_by_state),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_tanh_creeps),
      cmocka_unit_test(test_stops),
      cmocka_unit_test(test_says_when),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
