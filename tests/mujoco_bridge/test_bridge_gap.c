/*
 * MuJoCo and the models are the same mechanical systems: their fields agree, in proportion to the
 * added mass that scaling divides, and disagree loudly when the scene is wrong.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>

#include "bridge_fixture.h"

enum { STATES = 2000, SEED = 20240607 };

static bridge_gap gap_of(const model *m, double scaling) {
  solver_settings settings = fixture_settings();
  char message[SOLVER_MESSAGE_SIZE];
  bridge_gap gap;
  settings.scaling = scaling;
  if (bridge_field_gap(&bridge_solver, m, &settings, STATES, SEED, &gap, message))
    fail_msg("%s", message);
  assert_int_equal(gap.states, STATES);
  assert_true(gap.scaling == scaling);
  return gap;
}

static void test_gate(void **state) {
  (void)state;
  static const size_t sizes[] = {0, 1, 2, 10, 37, 100};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
    for (int damped = 0; damped <= (sizes[i] > 0); ++damped) {
      model m = fixture_model(sizes[i], damped ? 60 : 0);
      const bridge_gap gap = gap_of(&m, 1e6);
      print_message("MuJoCo %s, %s, N = %zu, c = %d: gap %.2e, worst %.2e, %zu of %zu in contact\n",
                    bridge_version_string(), m.type->name, sizes[i], damped ? 60 : 0, gap.gap,
                    gap.worst, gap.touching, gap.states);
      assert_true(gap.gap <= BRIDGE_GAP_MAX);
      assert_true(gap.worst <= 1e-7);
      assert_true(gap.worst >= gap.gap);

      // plenty of both, or the comparison says little
      assert_in_range(gap.touching, STATES / 2, STATES - STATES / 20);
      assert_true(gap.rms > 5);
      model_release(&m);
    }
}

/* The robot's own dynamics against MuJoCo's tree, with and without damping; q' is in the gap. */
static void test_robots(void **state) {
  (void)state;
  static const size_t legs[] = {2, 3, 6, 20, 100};
  for (size_t i = 0; i < 2 * sizeof legs / sizeof *legs; ++i) {
    char message[MODEL_MESSAGE_SIZE];
    mjcf_contact contact;
    model m;
    model_init(&m, model_find("legged"));
    fixture_set(&m, "contacts", (double)legs[i / 2]);
    if (i % 2) fixture_set(&m, "damping", 0);
    fixture_prepare(&m);
    const bridge_gap gap = gap_of(&m, 1e7);
    if (mjcf_contact_of(&m, &contact, message)) fail_msg("%s", message);
    print_message("%s, N = %zu: gap %.2e, worst %.2e, %zu of %zu in contact\n", m.type->name,
                  legs[i / 2], gap.gap, gap.worst, gap.touching, gap.states);
    assert_true(gap.gap <= BRIDGE_GAP_MAX);
    assert_in_range(gap.touching, STATES / 2, STATES - 1);

    // what the text says of the compiled model is what MuJoCo makes of it
    assert_true(fabs(contact.inverse_weight / gap.inverse_weight - 1.0) < 1e-9);
    model_release(&m);
  }
}

/* The gap falls as the mass that contacts add does. */
static void test_robots_scale(void **state) {
  (void)state;
  model m;
  model_init(&m, model_find("legged"));
  fixture_prepare(&m);
  const bridge_gap bare = gap_of(&m, 1), scaled = gap_of(&m, 1e3);
  assert_true(bare.gap > 1e-6 && scaled.gap < 2e-3 * bare.gap && scaled.gap > 5e-4 * bare.gap);
  model_release(&m);
}

static void test_other_parameters(void **state) {
  (void)state;
  model m;
  model_init(&m, model_find("plate"));
  fixture_set(&m, "contacts", 9);
  fixture_set(&m, "mass", 3.7);
  fixture_set(&m, "inertia", 1.9);
  fixture_set(&m, "stiffness", 5000);
  fixture_set(&m, "damping", 35);
  fixture_set(&m, "free-length", 0.8);
  fixture_set(&m, "radius", 0.6);
  fixture_set(&m, "half-width", 0.7);
  fixture_set(&m, "gravity", 3.7);
  fixture_prepare(&m);
  const bridge_gap gap = gap_of(&m, 1e6);
  assert_true(fabs(gap.inverse_weight - 2 / (3 * 3.7)) < 1e-12);
  assert_true(gap.gap <= BRIDGE_GAP_MAX);
  model_release(&m);
}

static void test_proportional_to_the_added_mass(void **state) {
  (void)state;
  for (int damped = 0; damped <= 1; ++damped) {
    model m = fixture_model(10, damped ? 60 : 0);
    const double coarse = gap_of(&m, 1e4).gap, fine = gap_of(&m, 1e6).gap;
    assert_true(fabs(coarse / fine / 100 - 1) < 0.01);

    // unscaled it is no spring of ours
    assert_true(gap_of(&m, 1).gap > 1e-4);
    model_release(&m);
  }
}

/* replaces the first `old` in the scene; the caller frees the text */
static char *tampered(const model *m, const char *old, const char *new) {
  const mjcf_options scene = mjcf_options_default();
  char message[MODEL_MESSAGE_SIZE], *text;
  assert_int_equal(mjcf_write(m, &scene, &text, NULL, message), 0);
  char *at = strstr(text, old);
  assert_non_null(at);
  const size_t room = strlen(text) + strlen(new) + 1;
  char *changed = malloc(room);
  snprintf(changed, room, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
  free(text);
  return changed;
}

static void test_wrong_scenes_show(void **state) {
  (void)state;
  static const char *const changes[][2] = {
      {"axis=\"0 -1 0\"", "axis=\"0 1 0\""},        // the plate turns the other way
      {"pos=\"-1 0 0.5\"", "pos=\"-1.001 0 0.5\""}, // a spring is 1 mm off
      {"size=\"0.5\"", "size=\"0.501\""},           // a roller is 1 mm too big
      {"mass=\"10\"", "mass=\"10.01\""},            // 10 g too heavy
      {"gravity=\"0 0 -9.81\"", "gravity=\"0 0 -9.8\""},
      {"geom2=\"plate\"", "geom2=\"plate\" solimp=\"0.9 0.95 0.001 0.5 2\""}, // no spring at all
  };
  const solver_settings settings = fixture_settings();
  const solver_output output = {.dt = 0.002};
  model m = fixture_model(2, 60);
  for (size_t i = 0; i < sizeof changes / sizeof *changes; ++i) {
    char message[SOLVER_MESSAGE_SIZE], *text = tampered(&m, changes[i][0], changes[i][1]);
    bridge_gap gap;
    void *b;
    if (bridge_prepare(&m, &settings, &output, NULL, text, &b, message)) fail_msg("%s", message);
    if (bridge_instance_gap(b, STATES, SEED, &gap, message)) fail_msg("%s", message);
    if (!(gap.gap > 1e-6)) fail_msg("%s passes with a gap of %g", changes[i][1], gap.gap);
    bridge_solver.release(b);
    free(text);
  }
  model_release(&m);
}

static void test_seeded(void **state) {
  (void)state;
  const solver_settings settings = fixture_settings();
  model m = fixture_model(10, 60);
  char message[SOLVER_MESSAGE_SIZE];
  const bridge_gap first = gap_of(&m, 1e6), again = gap_of(&m, 1e6);
  bridge_gap other;
  assert_memory_equal(&first, &again, sizeof first);
  assert_int_equal(
      bridge_field_gap(&bridge_solver, &m, &settings, STATES, SEED + 1, &other, message), 0);
  assert_true(other.rms != first.rms);
  assert_int_equal(bridge_field_gap(&bridge_solver, &m, &settings, 0, SEED, &other, message), -1);
  fixture_expect_line(message, "at least one state");
  model_release(&m);
}

/* the warm start and the early stop of the solver do not show in the field */
static void test_every_solver_finds_the_field(void **state) {
  (void)state;
  static const char *const solvers[] = {"Newton", "CG", "PGS"};
  const solver_settings settings = fixture_settings();
  const solver_output output = {.dt = 0.002};
  model m = fixture_model(10, 60);
  for (size_t i = 0; i < 3; ++i) {
    mjcf_options scene = mjcf_options_default();
    char message[SOLVER_MESSAGE_SIZE];
    bridge_gap gap;
    void *b;
    scene.solver = solvers[i];
    scene.warmstart = true;
    scene.tolerance = 1e-12;
    if (bridge_prepare(&m, &settings, &output, &scene, NULL, &b, message)) fail_msg("%s", message);
    if (bridge_instance_gap(b, STATES, SEED, &gap, message)) fail_msg("%s", message);
    if (!(gap.gap <= BRIDGE_GAP_MAX)) fail_msg("%s: gap %g", solvers[i], gap.gap);
    bridge_solver.release(b);
  }
  model_release(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gate),
      cmocka_unit_test(test_robots),
      cmocka_unit_test(test_robots_scale),
      cmocka_unit_test(test_other_parameters),
      cmocka_unit_test(test_proportional_to_the_added_mass),
      cmocka_unit_test(test_wrong_scenes_show),
      cmocka_unit_test(test_seeded),
      cmocka_unit_test(test_every_solver_finds_the_field),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
