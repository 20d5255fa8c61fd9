/*
 * examples/hexapod: the crossings that it prints, against free fall in closed form and against an
 * integrator that knows nothing of guards.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "examples_fixture.h"

enum { LEGS = 6, STATES = 6, CROSSINGS_MAX = 32 };

static const char *const names[LEGS] = {"left front",  "left middle",  "left rear",
                                        "right front", "right middle", "right rear"};
static const double forward[LEGS] = {0.25, 0.0, -0.25, 0.25, 0.0, -0.25};
static const double leftward[LEGS] = {0.12, 0.16, 0.12, -0.12, -0.16, -0.12};
static const double start[STATES] = {0.25, 0.05, 0.08};
static const double length = 0.16, stiffness = 1500.0, g = 9.81;

typedef struct {
  double t;
  int leg, down;
} crossing;

typedef struct {
  crossing crossings[CROSSINGS_MAX];
  size_t count;
  double z, roll, pitch, energy_change;
  char order[LINE_SIZE];
} result;

static double foot_height(const double x[], int leg) {
  return x[0] - forward[leg] * sin(x[2]) + leftward[leg] * cos(x[2]) * sin(x[1]) - length;
}

/* forces and moments of the legs that are compressed now */
static void legs_field(const double x[], double dxdt[]) {
  double force = 0.0, roll_moment = 0.0, pitch_moment = 0.0;
  for (int leg = 0; leg < LEGS; leg++) {
    const double push = stiffness * fmax(0.0, -foot_height(x, leg));
    force += push;
    roll_moment += push * leftward[leg] * cos(x[2]) * cos(x[1]);
    pitch_moment -= push * (forward[leg] * cos(x[2]) + leftward[leg] * sin(x[2]) * sin(x[1]));
  }
  for (int i = 0; i < 3; i++) dxdt[i] = x[3 + i];
  dxdt[3] = force / 8.0 - g;
  dxdt[4] = roll_moment / 0.08;
  dxdt[5] = pitch_moment / 0.25;
}

static int leg_number(const char *text) {
  for (int leg = 0; leg < LEGS; leg++)
    if (strncmp(text, names[leg], strlen(names[leg])) == 0) return leg;
  fail_msg("no leg in: %s", text);
  return -1;
}

/* what the example printed */
static void read_example(result *r) {
  char lines[LINES_MAX][LINE_SIZE];
  const size_t count = run_example(EXAMPLE_HEXAPOD, lines);
  assert_true(count > 2);
  r->count = count - 2;
  for (size_t i = 0; i < r->count; i++) {
    int offset = 0;
    assert_int_equal(sscanf(lines[i], "%lf s %n", &r->crossings[i].t, &offset), 1);
    r->crossings[i].leg = leg_number(lines[i] + offset);
    r->crossings[i].down = strstr(lines[i], "touches down") != NULL;
    assert_true(r->crossings[i].down || strstr(lines[i], "lifts off"));
  }
  memcpy(r->order, lines[count - 2], LINE_SIZE);
  double t;
  assert_int_equal(sscanf(lines[count - 1],
                          "success at t = %lf s: height %lf m, roll %lf, pitch %lf, energy changed "
                          "by %lf of it",
                          &t, &r->z, &r->roll, &r->pitch, &r->energy_change),
                   5);
  assert_true(fabs(t - 0.5) < 1e-9);
}

/* the same from small steps of fixed length; crossings are on the chord of the step */
static void integrate_plainly(result *r) {
  const double dt = 1e-5;
  double x[STATES], before[LEGS];
  memcpy(x, start, sizeof x);
  for (int step = 0; step < 50000; step++) {
    for (int leg = 0; leg < LEGS; leg++) before[leg] = foot_height(x, leg);
    runge_kutta_step(legs_field, STATES, dt, x);
    for (int leg = 0; leg < LEGS; leg++) {
      const double after = foot_height(x, leg);
      if ((before[leg] < 0.0) == (after < 0.0)) continue;
      assert_true(r->count < CROSSINGS_MAX);
      r->crossings[r->count++] = (crossing){
          .t = (step + before[leg] / (before[leg] - after)) * dt, .leg = leg, .down = after < 0.0};
    }
  }
  r->z = x[0], r->roll = x[1], r->pitch = x[2];
}

static void test_hexapod_first_foot_falls_freely(void **state) {
  (void)state;
  result r = {0};
  read_example(&r);
  int lowest = 0;
  for (int leg = 1; leg < LEGS; leg++)
    if (foot_height(start, leg) < foot_height(start, lowest)) lowest = leg;
  assert_int_equal(r.crossings[0].leg, lowest);
  assert_true(fabs(r.crossings[0].t - sqrt(2.0 * foot_height(start, lowest) / g)) < 1e-6);
}

static void test_hexapod_crossings_are_those_of_plain_integration(void **state) {
  (void)state;
  result r = {0}, plain = {0};
  read_example(&r);
  integrate_plainly(&plain);
  assert_int_equal(r.count, plain.count);
  for (size_t i = 0; i < r.count; i++) {
    assert_int_equal(r.crossings[i].leg, plain.crossings[i].leg);
    assert_int_equal(r.crossings[i].down, plain.crossings[i].down);
    assert_true(fabs(r.crossings[i].t - plain.crossings[i].t) < 2e-6);
  }
  assert_true(fabs(r.z - plain.z) < 3e-6);
  assert_true(fabs(r.roll - plain.roll) < 3e-5);
  assert_true(fabs(r.pitch - plain.pitch) < 3e-5);
}

static void test_hexapod_keeps_its_energy(void **state) {
  (void)state;
  result r = {0};
  read_example(&r);
  assert_true(fabs(r.energy_change) < 1e-6);
}

/* the last line but one names the legs in the order of the lines above it */
static void test_hexapod_prints_the_order_of_touch_downs(void **state) {
  (void)state;
  result r = {0};
  read_example(&r);
  const char *rest = r.order;
  int downs = 0;
  assert_int_equal(strncmp(rest, "touch-downs: ", 13), 0);
  rest += 13;
  for (size_t i = 0; i < r.count; i++) {
    if (!r.crossings[i].down) continue;
    assert_int_equal(leg_number(rest), r.crossings[i].leg);
    rest += strlen(names[r.crossings[i].leg]);
    rest += strspn(rest, ", \n");
    downs++;
  }
  assert_int_equal(*rest, '\0');
  assert_true(downs >= LEGS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hexapod_first_foot_falls_freely),
      cmocka_unit_test(test_hexapod_crossings_are_those_of_plain_integration),
      cmocka_unit_test(test_hexapod_keeps_its_energy),
      cmocka_unit_test(test_hexapod_prints_the_order_of_touch_downs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
