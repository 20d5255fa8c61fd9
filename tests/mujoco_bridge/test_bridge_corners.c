/*
 * Bodies on springs in MuJoCo: the same fields where corners slide, the same motion in short steps,
 * and contacts of MuJoCo's own.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>

#include "bridge_fixture.h"
#include "corner_springs.h"

enum { STATES = 2000, SEED = 20240607, N = CORNERS_STATES };

static model body(const model_type *type, double stiffness, double ratio, double friction) {
  model m;
  model_init(&m, type);
  fixture_set(&m, "stiffness", stiffness);
  fixture_set(&m, "damping-ratio", ratio);
  if (type == &block_on_springs_type) fixture_set(&m, "friction", friction);
  fixture_set(&m, "tilt", type == &block_on_springs_type ? 0.2 : 0.02);
  fixture_prepare(&m);
  return m;
}

static void test_fields_agree(void **state) {
  (void)state;
  const model_type *const types[] = {&block_on_springs_type, &trot_on_springs_type};
  for (int i = 0; i < 8; ++i) {
    model m = body(types[i / 4], i % 4 / 2 ? 1e5 : 1e4, i % 2 ? 0.2 : 2, 1);
    const solver_settings settings = fixture_settings();
    char message[SOLVER_MESSAGE_SIZE];
    bridge_gap gap;
    if (bridge_field_gap(&bridge_solver, &m, &settings, STATES, SEED, &gap, message))
      fail_msg("%s", message);
    print_message("%s: gap %.2e, worst %.2e, %zu of %zu in contact\n", m.type->name, gap.gap,
                  gap.worst, gap.touching, gap.states);
    assert_true(gap.gap <= BRIDGE_GAP_MAX && gap.worst <= 1e-7);
    assert_true(gap.touching > 0 && gap.rms > 5);
    model_release(&m);
  }
}

/* in steps of 10 us, against the model's own reference; `apart` by component */
static void follow(const model *m, double duration, double apart[N]) {
  solver_settings settings = fixture_settings();
  char message[MODEL_MESSAGE_SIZE];
  const size_t count = (size_t)llround(duration / 0.002) + 1;
  solver_output output = fixture_output(m, count, 0.002), known = fixture_output(m, count, 0.002);
  model_reference out = {.times = known.times, .count = count, .states = known.states};
  solver_report report;
  double x0[N];
  settings.time_step = 1e-5;
  settings.variant = "RK4";
  m->type->initial_state(m, x0);
  void *const b = fixture_instance(m, &settings, &output);
  fixture_run(b, x0, &output, &report);
  if (m->type->reference(m, x0, &out, message)) fail_msg("%s", message);
  for (size_t j = 0; j < N; ++j) {
    apart[j] = 0.0;
    for (size_t i = 0; i < count; ++i)
      apart[j] = fmax(apart[j], fabs(output.states[i * N + j] - known.states[i * N + j]));
  }
  // what a scene does not know stays
  for (size_t i = 0; i < count; ++i)
    for (size_t j = CORNERS_ANCHOR; j < N; ++j) assert_true(output.states[i * N + j] == x0[j]);
  bridge_solver.release(b);
  fixture_free(&output);
  fixture_free(&known);
}

/* a landing and a block that slides are the same; one that sticks creeps by friction's damper */
static void test_motions_agree(void **state) {
  (void)state;
  double apart[N];
  model m = body(&trot_on_springs_type, 1e5, 0.2, 0);
  follow(&m, 0.3, apart);
  assert_true(apart[CORNERS_PHI] < 1e-4 && apart[CORNERS_OMEGA] < 1e-2);
  model_release(&m);
  m = body(&block_on_springs_type, 1e5, 2, 1);
  follow(&m, 0.2, apart);
  assert_true(apart[CORNERS_PHI] < 1e-4 && apart[CORNERS_X] < 1e-9);
  model_release(&m);
  m = body(&block_on_springs_type, 1e5, 2, 0);
  follow(&m, 0.2, apart);
  assert_true(apart[CORNERS_PHI] < 0.02 && apart[CORNERS_X] < 1e-3 && apart[CORNERS_X] > 1e-9);
  model_release(&m);
}

/* contacts of MuJoCo's own carry a block at rest with the stiffness that its documentation says: K
 * = d/(dmax tc)^2 for unit mass, over the softness A (1-d)/d, where d = 0.9 at no depth and dmax =
 * 0.95 */
static void test_own_contacts(void **state) {
  (void)state;
  const double tc = 0.002, d = 0.9, dmax = 0.95, mass = 5.0, A = 2.0 / (3.0 * mass);
  const double stiffness = d / (dmax * dmax * tc * tc) * d / ((1.0 - d) * A);
  const solver_settings settings = {.scaling = 1e6, .time_step = 1e-4};
  char message[SOLVER_MESSAGE_SIZE];
  model m;
  model_init(&m, &block_on_springs_type);
  fixture_set(&m, "tilt", 0);
  fixture_prepare(&m);
  solver_output output = fixture_output(&m, 251, 0.002);
  solver_report report;
  double x0[N] = {0.0, 0.05};
  for (int own = 0; own < 2; ++own) {
    void *b;
    if (bridge_variant_prepare(own, "time_constant=0.002 integrator=RK4", &m, &settings, &output,
                               &b, message))
      fail_msg("%s", message);
    fixture_run(b, x0, &output, &report);
    const double *const x = output.states + 250 * N, sag = 0.05 - x[CORNERS_Z];
    if (fabs(sag * stiffness / (0.5 * mass * 9.81) - 1.0) > 0.01)
      fail_msg("it sags %g m, not %g", sag, 0.5 * mass * 9.81 / stiffness);
    bridge_solver.release(b);
  }
  fixture_free(&output);
  model_release(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fields_agree),
      cmocka_unit_test(test_motions_agree),
      cmocka_unit_test(test_own_contacts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
