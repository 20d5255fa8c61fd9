/*
 * The paper's examples against numbers computed without libess and without the paper, to the digits
 * that they are known to.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "contact_run.h"

static contact_run r;

static void assert_modes(const model_impact *i, const char *before, const char *held,
                         const char *after) {
  assert_string_equal(i->before, before);
  assert_string_equal(i->held, held);
  assert_string_equal(i->after, after);
}

static void a_particle_stays_on_the_curves_that_push_it(void **state) {
  (void)state;
  CONTACT_RUN(&r, &particle_type, "curve", "a", );
  assert_string_equal(r.first, "{}");
  model_release(&r.m);
  CONTACT_RUN(&r, &particle_type, "curve", "b", );
  assert_string_equal(r.first, "{curve}");
  assert_int_equal(r.count, 0);
  assert_near(hypot(r.x[2], r.x[3]), 1, 1e-7);
  model_release(&r.m);
  CONTACT_RUN(&r, &particle_type, "curve", "c", );
  assert_string_equal(r.first, "{}");
  model_release(&r.m);
  CONTACT_RUN(&r, &particle_type, "curve", "d", );
  assert_string_equal(r.first, "{curve}");
  assert_int_equal(r.count, 0);
  model_release(&r.m);

  // anywhere: where a gap is zero but for rounding, too
  static const char *const starts[] = {"3", "-7.3", "0.1", "9.999", "-0.7", "1e-5"};
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
    CONTACT_RUN(&r, &particle_type, "curve", "a", "start-x", starts[i], );
    assert_int_equal(r.status, ESS_SUCCESS);
    assert_string_equal(r.first, "{}");
    assert_int_equal(r.count, 0);
    assert_near(hypot(r.x[2], r.x[3]), 1, 1e-12);
    model_release(&r.m);
  }

  // c from the left: pushed until the origin, where the force falls through zero
  CONTACT_RUN(&r, &particle_type, "curve", "c", "start-x", "-0.5", );
  assert_string_equal(r.first, "{curve}");
  assert_int_equal(r.count, 1);
  assert_modes(&r.impact[0], "{curve}", "{curve}", "{}");
  assert_near(r.x[0], r.x[2] * (r.t - r.impact[0].t), 1e-7);
  assert_near(r.x[2], 1, 1e-7);
  assert_near(r.x[3], 0, 1e-7);
  model_release(&r.m);
}

/* U at the origin and its derivative along the curve: -v^2/8, v^2/8, then 0 with -+6 v^3/64 */
static void forces_at_the_origin_are_as_known(void **state) {
  (void)state;
  enum { CONE = 1, EVENTS = 3, STATES = 4 };
  static const char *const curves[] = {"a", "b", "c", "d"};
  static const double force[] = {-0.5, 0.5, 0, 0}, slope[] = {0, 0, -0.75, 0.75};
  for (size_t i = 0; i < 4; i++) {
    CONTACT_RUN(&r, &particle_type, "curve", curves[i], "speed", "2", "duration", "0.001", );
    const ess_system *const s = &r.m.system;
    const double sign[EVENTS] = {1, 1, 1};
    double x[STATES], f[STATES], h[EVENTS], rate[EVENTS];
    r.m.type->initial_state(&r.m, x);
    assert_int_equal(s->mode_changed(sign, EVENTS, s->params), 0);
    assert_int_equal(s->field(0, x, sign, f, s->params), 0);
    assert_int_equal(s->event_rates(0.0, x, 1.0, f, NULL, s->event_count, h, rate, s->params), 0);
    assert_near(h[CONE], force[i], 1e-8);
    assert_near(rate[CONE], slope[i], 1e-8);
    model_release(&r.m);
  }
}

static void a_ceiling_is_touched_for_no_time(void **state) {
  (void)state;
  CONTACT_RUN(&r, &ball_under_ceiling_type, );
  assert_string_equal(r.first, "{}");
  assert_int_equal(r.count, 1);
  assert_modes(&r.impact[0], "{}", "{1}", "{}");
  const double up = sqrt(16 - 9.81), when = (4 - up) / 9.81;
  assert_near(r.impact[0].t, when, 1e-8);
  assert_near(r.impact[0].landed[0].speed, up, 1e-7);
  assert_near(r.x[1], -9.81 * (1 - when), 1e-7);
  model_release(&r.m);
}

static void a_point_climbs_the_hill_or_rests_at_its_foot(void **state) {
  (void)state;
  CONTACT_RUN(&r, &hill_type, "delta-t", "0.03", );
  assert_string_equal(r.first, "{G}");
  assert_int_equal(r.count, 2);
  assert_modes(&r.impact[0], "{G}", "{H}", "{H}");
  assert_modes(&r.impact[1], "{H}", "{G}", "{G}");
  assert_near(r.impact[1].t - r.impact[0].t, 0.353119, 5e-7);
  assert_near(r.x[2], -0.75, 1e-8);
  model_release(&r.m);

  CONTACT_RUN(&r, &hill_type, "speed", "0.169913", "distance", "0.01", );
  assert_int_equal(r.count, 1);
  assert_modes(&r.impact[0], "{G}", "{G, H}", "{G, H}");
  assert_near(r.x[2], 0, 1e-12);
  model_release(&r.m);
  CONTACT_RUN(&r, &hill_type, "speed", "0.169915", "distance", "0.01", );
  assert_modes(&r.impact[0], "{G}", "{H}", "{H}");
  model_release(&r.m);

  // at rest at the foot the hill's force is zero for good: the mode stays
  CONTACT_RUN(&r, &hill_type, "speed", "0", "distance", "0", );
  assert_string_equal(r.first, "{G, H}");
  assert_int_equal(r.count, 0);
  model_release(&r.m);
}

/* -m v cot(slope), of a foot that both are kept at */
static void the_hill_pulls_the_point_off_the_ground(void **state) {
  (void)state;
  CONTACT_RUN(&r, &hill_type, "mass", "2", "speed", "3", "slope", "40", );
  contact_model *const p = r.m.data;
  kkt_multipliers impulse;
  kkt_at(p->s.c.here, (double[]){0, 0}, (double[]){3, 0});
  assert_true(kkt_impact(p->s.c.here, 3, NULL, &impulse));
  assert_near(-impulse.value[0], -6 / tan(40 * 3.14159265358979323846 / 180), 1e-12);
  model_release(&r.m);
}

/* centre's speed, cm/s: half of the corner's */
static double centre(const model_impact *i) {
  return 50 * i->landed[0].speed;
}

static void a_block_rocks_and_stops(void **state) {
  (void)state;
  static const double times[] = {0.102296, 0.218653, 0.294712, 0.346423},
                      speeds[] = {10.8092, 7.5664, 5.2965, 3.7076};
  CONTACT_RUN(&r, &rocking_block_type, "tilt", "0.2", "delta-t", "0.03", );
  assert_string_equal(r.first, "{left}");
  assert_int_equal(r.count, 3);
  for (size_t i = 0; i < 3; i++) {
    assert_near(r.impact[i].t, times[i], 5e-7);
    assert_near(centre(&r.impact[i]), speeds[i], 5e-5);
  }
  assert_modes(&r.impact[1], "{right}", "{left}", "{left}");
  assert_modes(&r.impact[2], "{left}", "{left, right}", "{left, right}");
  assert_near(r.x[5], 0, 1e-10);
  model_release(&r.m);

  CONTACT_RUN(&r, &rocking_block_type, "tilt", "0.2", "delta-t", "0", );
  assert_int_equal(r.status, ESS_EZENO);
  assert_near(r.zeno, 0.464672, 1e-6);
  for (size_t i = 0; i < 4; i++) {
    assert_near(r.impact[i].t, times[i], 5e-7);
    assert_near(centre(&r.impact[i]), speeds[i], 5e-5);
    if (i > 0) assert_near(centre(&r.impact[i]) / centre(&r.impact[i - 1]), 0.7, 1e-7);
  }
  model_release(&r.m);

  CONTACT_RUN(&r, &rocking_block_type, "tilt", "0.170984", "delta-t", "0", );
  assert_near(r.impact[2].t, 0.27, 5e-5);
  assert_near(centre(&r.impact[2]), 4.99, 5e-3);
  assert_near(r.zeno, 0.42993, 5e-6);
  model_release(&r.m);
}

/* Corollary 1: on both corners from the time that impacts accumulate at; and what delta_t cuts
 * short is as near to that as the speed it stops */
static void a_block_comes_to_rest_after_infinitely_many_impacts(void **state) {
  (void)state;
  CONTACT_RUN(&r, &rocking_block_type, "delta-t", "0", "complete", "yes", );
  assert_int_equal(r.status, ESS_SUCCESS);
  assert_true(r.count > 20);
  const model_impact *const last = &r.impact[r.count - 1];
  assert_string_equal(last->after, "{left, right}");
  assert_near(last->t, 0.464672, 1e-6);
  assert_near(r.x[1], 0.05, 1e-10);
  assert_near(r.x[5], 0, 1e-10);
  const double complete = last->t;
  model_release(&r.m);

  double before = INFINITY;
  static const char *const delta_t[] = {"0.03", "0.01", "0.003", "0.001"};
  for (size_t i = 0; i < 4; i++) {
    CONTACT_RUN(&r, &rocking_block_type, "delta-t", delta_t[i], );
    const double early = complete - r.impact[r.count - 1].t;
    print_message("delta_t %s s: at rest %.6f s before\n", delta_t[i], early);
    assert_true(early > 0 && early < before);
    before = early;
    model_release(&r.m);
  }
}

static void a_tilt_to_the_other_side_is_the_mirror_image(void **state) {
  (void)state;
  contact_run other;
  CONTACT_RUN(&r, &rocking_block_type, "tilt", "0.2", );
  CONTACT_RUN(&other, &rocking_block_type, "tilt", "-0.2", );
  assert_string_equal(other.first, "{right}");
  assert_int_equal(other.count, r.count);
  for (size_t i = 0; i < r.count; i++) assert_near(other.impact[i].t, r.impact[i].t, 1e-9);
  model_release(&r.m);
  model_release(&other.m);
}

static void a_block_whose_corners_slide(void **state) {
  (void)state;
  CONTACT_RUN(&r, &rocking_block_type, "friction", "none", "tilt", "0.2", );
  assert_int_equal(r.count, 1);
  assert_near(r.impact[0].t, 0.0586794, 5e-8);
  assert_near(centre(&r.impact[0]), 17.0909, 5e-5);
  assert_modes(&r.impact[0], "{left}", "{left, right}", "{left, right}");
  assert_near(r.x[5], 0, 1e-9);
  model_release(&r.m);

  CONTACT_RUN(&r, &rocking_block_type, "friction", "none", "tilt", "0.2", "delta-t", "0", );
  assert_near(centre(&r.impact[1]) / centre(&r.impact[0]), 0.25, 1e-7);
  model_release(&r.m);
}

/* the speed of the centre, m/s, above which a corner is let go when the other lands */
static double stop_threshold(const char *friction, double *pseudo) {
  CONTACT_RUN(&r, &rocking_block_type, "friction", friction, );
  contact_model *const p = r.m.data;
  double low = 0, high = 1;
  for (int i = 0; i < 60; i++) {
    // flat on the ground: the left corner turns, the right one lands
    const double speed = 0.5 * (low + high), omega = -speed / 0.025;
    double x[6] = {0, 0.05, 0, friction[0] == 's' ? -0.05 * omega : 0, -speed, omega};
    contact_transition made;
    assert_int_equal(contact_system_transition(&p->s, x, CONTACT(0), CONTACT(1), &made), 0);
    *(made.held == 3 ? &low : &high) = speed;
  }
  kkt_multipliers impulse;
  kkt_at(p->s.c.here, (double[]){0, 0.05, 0}, (double[]){0, 0, 0});
  assert_true(kkt_pseudo_impulse(p->s.c.here, 3, &impulse));
  *pseudo = -0.03 * impulse.value[0];
  model_release(&r.m);
  return low;
}

static void a_block_stops_below_a_speed(void **state) {
  (void)state;
  double pseudo;
  assert_near(stop_threshold("stick", &pseudo), 0.063064, 5e-7);
  assert_near(pseudo, 0.73575, 1e-9);
  assert_near(stop_threshold("none", &pseudo), 0.44145, 5e-7);
}

/* ten seconds on curve and in rest, at two tolerances: gaps and speeds stay within ten of them */
static void contacts_do_not_drift(void **state) {
  (void)state;
  for (double rtol = 1e-6; rtol > 1e-9; rtol /= 100) {
    static const char *const turn[] = {"curve", "b", "duration", "10", NULL};
    static const char *const rock[] = {"tilt", "0.3", "duration", "10", NULL};
    contact_run_with(&r, &particle_type, turn, rtol);
    print_message("rtol %.0e: stray %.1e", rtol, r.stray);
    assert_true(r.status == ESS_SUCCESS && r.stray < 10 * rtol);
    model_release(&r.m);
    contact_run_with(&r, &rocking_block_type, rock, rtol);
    print_message(", %.1e\n", r.stray);
    assert_true(r.status == ESS_SUCCESS && r.stray < 10 * rtol);
    model_release(&r.m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_particle_stays_on_the_curves_that_push_it),
      cmocka_unit_test(forces_at_the_origin_are_as_known),
      cmocka_unit_test(a_ceiling_is_touched_for_no_time),
      cmocka_unit_test(a_point_climbs_the_hill_or_rests_at_its_foot),
      cmocka_unit_test(the_hill_pulls_the_point_off_the_ground),
      cmocka_unit_test(a_block_rocks_and_stops),
      cmocka_unit_test(a_block_comes_to_rest_after_infinitely_many_impacts),
      cmocka_unit_test(a_tilt_to_the_other_side_is_the_mirror_image),
      cmocka_unit_test(a_block_whose_corners_slide),
      cmocka_unit_test(a_block_stops_below_a_speed),
      cmocka_unit_test(contacts_do_not_drift),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
