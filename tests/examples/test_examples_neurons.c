/*
 * examples/numeric_jacobian: the rhythm that it prints, against an integrator that knows nothing of
 * guards, and against the symmetry of two equal neurons.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "examples_fixture.h"

enum { NEURONS = 2, STATES = 4 };

typedef struct {
  double on[LINES_MAX], off[LINES_MAX];
  int neuron[LINES_MAX];
  size_t count;
  double period, phase;
} rhythm;

/* what the example printed */
static void read_example(rhythm *r) {
  char lines[LINES_MAX][LINE_SIZE];
  const size_t count = run_example(EXAMPLE_NUMERIC_JACOBIAN, lines);
  assert_true(count > 4);
  r->count = count - 1;
  for (size_t i = 0; i < r->count; i++)
    assert_int_equal(
        sscanf(lines[i], "neuron %d fired from %lf to %lf", &r->neuron[i], &r->on[i], &r->off[i]),
        3);
  double t;
  assert_int_equal(sscanf(lines[count - 1],
                          "success at t = %lf: period %lf, neuron 1 fires %lf of it", &t,
                          &r->period, &r->phase),
                   3);
  assert_true(fabs(t - 250.0) < 1e-9);
}

/* how far neuron i is above its threshold */
static double excess(const double x[], int i) {
  return x[2 * i] - 0.2 * x[2 * i + 1] * x[2 * i + 1];
}

static void neurons_field(const double x[], double dxdt[]) {
  for (int i = 0; i < NEURONS; i++) {
    const double v = x[2 * i], w = x[2 * i + 1];
    const double held = excess(x, 1 - i) > 0.0 ? 0.3 * (v + 2.0) : 0.0;
    dxdt[2 * i] = v * (1.0 - v * v / 3.0) - w + 0.5 - held;
    dxdt[2 * i + 1] = (v + 0.7 - 0.8 * w) / 12.5;
  }
}

/* small steps of fixed length; crossings are on the chord of the step */
static void integrate_plainly(rhythm *r) {
  const double dt = 2e-4;
  double x[STATES] = {1.0, 0.0, -1.0, 0.5}, before[NEURONS], on[NEURONS] = {0.0, 0.0};
  for (int step = 0; step < 1250000; step++) {
    for (int i = 0; i < NEURONS; i++) before[i] = excess(x, i);
    runge_kutta_step(neurons_field, STATES, dt, x);
    for (int i = 0; i < NEURONS; i++) {
      const double after = excess(x, i);
      const double t = (step + before[i] / (before[i] - after)) * dt;
      if (before[i] < 0.0 && after >= 0.0) on[i] = t;
      if (before[i] < 0.0 || after >= 0.0) continue;
      assert_true(r->count < LINES_MAX);
      r->neuron[r->count] = i;
      r->on[r->count] = on[i];
      r->off[r->count++] = t;
    }
  }
}

static void test_neurons_fire_when_plain_integration_says(void **state) {
  (void)state;
  rhythm r = {0}, plain = {0};
  read_example(&r);
  integrate_plainly(&plain);
  assert_int_equal(r.count, plain.count);
  for (size_t i = 0; i < r.count; i++) {
    assert_int_equal(r.neuron[i], plain.neuron[i]);
    assert_true(fabs(r.on[i] - plain.on[i]) < 2e-4);
    assert_true(fabs(r.off[i] - plain.off[i]) < 2e-4);
  }
}

static void test_neurons_take_turns(void **state) {
  (void)state;
  rhythm r = {0};
  read_example(&r);
  for (size_t i = 1; i < r.count; i++) {
    assert_int_equal(r.neuron[i], 1 - r.neuron[i - 1]);
    assert_true(r.on[i] > r.off[i - 1]);
  }
}

/* equal neurons end half a period apart, and the printed period is that of the printed times */
static void test_neurons_settle_half_a_period_apart(void **state) {
  (void)state;
  rhythm r = {0};
  read_example(&r);
  assert_true(fabs(r.phase - 0.5) < 1e-4);
  assert_true(fabs(r.on[r.count - 1] - r.on[r.count - 3] - r.period) < 1e-3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_neurons_fire_when_plain_integration_says),
      cmocka_unit_test(test_neurons_take_turns),
      cmocka_unit_test(test_neurons_settle_half_a_period_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
