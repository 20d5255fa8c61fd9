/*
 * Bases where a case file does not suffice (cases/bases.txt, through.txt): samples where a step is
 * long, a fault in each call, and options that change.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "driven.h"
#include "ess_tangents.h"

static const char COOLED_ROD[] =
    "k = 1681; c = 2\n"
    "x0' = k*(x1 - 2*x0) - c*on(l0)\n"
    "each 38: x@>' = k*(x@ - 2*x@> + x@>>) - c*on(l@>)\n"
    "x39' = k*(x38 - 2*x39) - c*on(l39)\n"
    "each 40: l@: -x@ + sin(0.07662421106316569*(@ + 1))*(0.55 + 0.35*sin(2.4*@ + 1))\n"
    "each 40: from 0: x@ = sin(0.07662421106316569*(@ + 1))\n"
    "to 0.15";

static const char ROD[] =
    "k = 1681; x0' = k*(x1 - 2*x0); each 38: x@>' = k*(x@ - 2*x@> + x@>>); x39' = k*(x38 - 2*x39)\n"
    "each 40: from 0: x@ = sin(0.07662421106316569*(@ + 1))\n"
    "to 0.4";

static const char FALLS[] = "k = 1e4; x' = -k*(x - cos(t)) - sin(t); y' = x - y\n"
                            "exact x: cos(t); exact y: 0.5*(cos(t) + sin(t) - exp(-t))\n"
                            "from 0: x = 1; to 4";

static hybrid_plan by(ess_base base, double tolerance) {
  hybrid_plan plan = hybrid_at(tolerance);
  plan.options.base = base;
  return plan;
}

/* ---- samples --------------------------------------------------------------------------------- */

/* A clock switches where x is carried to, faster than any step: where a long step follows the
 * crossing its end is right, and its dense output need not be. */
TEST(nothing_is_crossed_on_the_way_that_is_not_there) {
  enum { SAMPLES = 400 };
  for (double rate = 10.0; rate < 2e6; rate *= 10.0)
    for (int i = 0; i < 8; i++) {
      hybrid *const h = hybrid_of("x' = -%.17g*(x - off(clock)); clock: y - 1; y' = 1%s\n"
                                  "from 0: x = 1; to 5",
                                  rate, i % 2 ? "; low: x + 0.1; high: x - 1.1" : "");
      hybrid_plan plan = by(ESS_BASE_RODAS, pow(10.0, -2 - i / 2));
      double times[SAMPLES], states[2 * SAMPLES];
      for (int j = 0; j < SAMPLES; j++) times[j] = 1.0 + 20.0 / rate * j / SAMPLES;
      plan.gives = 1 << HYBRID_GUARD_RATES;
      plan.times = times;
      plan.time_count = SAMPLES;
      plan.states = states;
      const hybrid_end end = hybrid_run(h, &plan);
      assert_int_equal(end.status, ESS_SUCCESS);
      assert_int_equal(end.counters.crossings, 1);
      for (int j = 0; j < SAMPLES; j++)
        assert_true(fabs(states[2 * j] - exp(-rate * (times[j] - 1.0))) < 10.0 * plan.options.rtol);
      hybrid_free(h);
    }
}

/* ---- faults ---------------------------------------------------------------------------------- */

/* One result that is no number costs a step, in whatever call; from there on it ends the run. */
TEST(a_fault_in_any_call) {
  static const struct {
    const char *text;
    ess_base base;
    unsigned gives;
    uint64_t calls, most; /* at fault; of the field in a run */
    double tolerance;
  } rows[] = {{FALLS, ESS_BASE_RODAS, HYBRID_GIVES_NONE, 60, 600, 1e-4},
              {FALLS, ESS_BASE_RODAS, HYBRID_GIVES_ALL, 60, 600, 1e-4},
              {FALLS, ESS_BASE_CHOSEN_RODAS, HYBRID_GIVES_ALL, 60, 1500, 1e-4},
              {FALLS, ESS_BASE_ROS2, HYBRID_GIVES_ALL, 60, 16000, 1e-3},
              {FALLS, ESS_BASE_LIT, HYBRID_GIVES_ALL, 60, 250, 1e-3},
              {ROD, ESS_BASE_RKC, HYBRID_GIVES_ALL, 150, 1000, 1e-3},
              {ROD, ESS_BASE_CHOSEN, HYBRID_GIVES_NONE, 150, 1000, 1e-3}};
  static const double values[] = {NAN, INFINITY, -INFINITY};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    hybrid *const h = hybrid_of("%s", rows[i].text);
    const hybrid_plan plan = by(rows[i].base, rows[i].tolerance), fine = by(ESS_BASE_DOPRI5, 1e-9);
    hybrid_end right = hybrid_run(h, h->n > 2 ? &fine : &plan);
    hybrid_exact(h, right.t, right.x);
    for (uint64_t call = 1; call < rows[i].calls; call++)
      for (int once = 0; once < 2; once++) {
        memset(h->calls, 0, sizeof h->calls);
        h->fault = (hybrid_fault){.in = HYBRID_FIELD,
                                  .call = call,
                                  .once = once,
                                  .value = values[call % 3],
                                  .entry = (size_t)call % h->n};
        const hybrid_end end = hybrid_run(h, &plan);
        if (!once || call == 1) {
          assert_int_equal(end.status, ESS_EFIELD);
          assert_true(end.t < hybrid_end_time(h));
          continue;
        }
        if (end.status || !(hybrid_error(h, end.x, right.x, rows[i].tolerance) < 3.0) ||
            end.counters.field_evaluations > rows[i].most)
          fail_msg("row %zu, call %d: %s, an error of %g, %d evaluations", i, (int)call,
                   ess_strerror(end.status), hybrid_error(h, end.x, right.x, rows[i].tolerance),
                   (int)end.counters.field_evaluations);
      }
    hybrid_free(h);
  }
}

/* ---- the option ------------------------------------------------------------------------------ */

TEST(bases_with_a_matrix_are_chosen_when_the_driver_is_allocated) {
  static const char allocated[] =
      "ESS_BASE_RODAS, ESS_BASE_CHOSEN_RODAS, ESS_BASE_ROS2 and ESS_BASE_LIT are chosen when "
      "the driver is allocated";
#define REFUSED(other)                                                                             \
  "an implicit base does not combine with " other " (ess.h, table of combinations, line 3)"
  hybrid *const h = hybrid_of("%s", FALLS);
  ess_system system = hybrid_system(h, HYBRID_GIVES_ALL);
  for (int base = ESS_BASE_DOPRI5; base <= ESS_BASE_LIT; base++) {
    const ess_options its = by((ess_base)base, 1e-3).options;
    ess_driver *const d = ess_driver_alloc(&system, &its, NULL);
    const bool has_matrix = base >= ESS_BASE_RODAS;
    for (int other = ESS_BASE_DOPRI5; other <= ESS_BASE_LIT; other++) {
      const bool others_matrix = other >= ESS_BASE_RODAS;
      const ess_options theirs = by((ess_base)other, 1e-6).options;
      const int status = ess_driver_set_options(d, &theirs);
      if (other != base && (has_matrix || others_matrix)) {
        assert_int_equal(status, ESS_EINVAL);
        assert_string_equal(ess_driver_failure(d)->reason, allocated);
      } else
        assert_int_equal(status, ESS_SUCCESS);
    }
    if (has_matrix) {
      assert_int_equal(ess_driver_follow(d, 2, NULL), ESS_EINVAL);
      assert_string_equal(ess_driver_failure(d)->reason, REFUSED("tangents"));
      assert_int_equal(ess_driver_record(d, 1 << 20), ESS_EINVAL);
      assert_string_equal(ess_driver_failure(d)->reason, REFUSED("a recording"));
      assert_int_equal(ess_driver_follow(d, 0, NULL), ESS_SUCCESS);
      assert_null(ess_driver_tangent(d));
      // the tolerance is the one that has been set
      double x[2], t = hybrid_start(h, x), right[2];
      assert_int_equal(ess_driver_apply(d, &t, 2.0, x), ESS_SUCCESS);
      hybrid_exact(h, 2.0, right);
      assert_true(hybrid_error(h, x, right, 1e-6) <
                  (base == ESS_BASE_ROS2 || base == ESS_BASE_LIT ? 50.0 : 2.0));
    }
    ess_driver_free(d);
  }
  int status = ESS_SUCCESS;
  system.field_solve = NULL;
  const ess_options ros2 = by(ESS_BASE_ROS2, 1e-3).options, lit = by(ESS_BASE_LIT, 1e-3).options;
  const ess_options none = by((ess_base)7, 1e-3).options;
  assert_string_equal(ess_check(&system, &ros2), "ESS_BASE_ROS2 needs field_solve");
  assert_string_equal(ess_check(&system, &lit), "ESS_BASE_LIT needs field_solve");
  assert_null(ess_driver_alloc(&system, &ros2, &status));
  assert_int_equal(status, ESS_EINVAL);
  assert_non_null(strstr(ess_check(&system, &none), "ESS_BASE_RKC"));
  assert_null(ess_driver_alloc(&system, &none, NULL));
  assert_int_equal(ess_options_default().base, ESS_BASE_DOPRI5);
  assert_int_equal(ess_options_paper().base, ESS_BASE_DOPRI5);
  hybrid_free(h);
}

/* Whether events are located is chosen then, too. */
TEST(location_is_chosen_when_the_driver_is_allocated) {
  hybrid *const h = hybrid_of("x' = 1 + on(g); g: x - 1; from 0: x = 0; to 2");
  const ess_system system = hybrid_system(h, HYBRID_GIVES_ALL);
  ess_options options = hybrid_options(1e-4);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  options.locate = ESS_LOCATE_NONE;
  assert_int_equal(ess_driver_set_options(d, &options), ESS_EINVAL);
  assert_string_equal(ess_driver_failure(d)->reason,
                      "locate is chosen when the driver is allocated");
  options.locate = (ess_locate)3;
  assert_string_equal(ess_check(&system, &options),
                      "locate must be ESS_LOCATE_ALL, ESS_LOCATE_NONE or ESS_LOCATE_CHOSEN");
  ess_driver_free(d);
  hybrid_free(h);
}

/* The mode is that of the state where a run ends, and a driver that is reset does the same again,
 * whichever way it was choosing. */
TEST(a_run_that_steps_over_events_is_repeated) {
  hybrid *const h = hybrid_of("x' = v; v' = -9.81 - 1e3*x*off(g); g: x; from 0: x = 0.5; to 20");
  const ess_system system = hybrid_system(h, HYBRID_GIVES_ALL | 1u << HYBRID_PLAIN);
  ess_options options = hybrid_options(1e-3);
  options.base = ESS_BASE_LIT;
  options.locate = ESS_LOCATE_CHOSEN;
  options.event_cost = 10.0;
  double x[2][2];
  ess_counters counters[2];
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  for (int run = 0; run < 2; run++) {
    double t = hybrid_start(h, x[run]);
    ess_driver_reset(d);
    assert_int_equal(ess_driver_apply(d, &t, 20.0, x[run]), ESS_SUCCESS);
    counters[run] = *ess_driver_counters(d);
  }
  assert_memory_equal(x[0], x[1], sizeof x[0]);
  assert_memory_equal(&counters[0], &counters[1], sizeof counters[0]);
  assert_true(counters[0].unlocated < counters[0].steps);
  assert_true(counters[0].unlocated > counters[0].steps / 2);
  ess_driver_free(d);
  hybrid_free(h);
}

/* A driver that is reset does the same again. */
TEST(a_run_goes_on_by_another_base) {
  enum { PARTS = 6 };
  driven r;
  begin_text(&r, COOLED_ROD, HYBRID_GIVES_ALL, hybrid_options(1e-9));
  const hybrid_plan fine = by(ESS_BASE_DOPRI5, 1e-9);
  const hybrid_end right = hybrid_run(r.h, &fine);
  double first[HYBRID_STATES];
  ess_counters c[2];
  for (int run = 0; run < 2; run++) {
    again(&r);
    for (int k = 0; k < PARTS; k++) {
      const uint64_t before = ess_driver_counters(r.d)->stabilised;
      const ess_options options = by((ess_base)(k % 3), 1e-3).options;
      assert_int_equal(ess_driver_set_options(r.d, &options), ESS_SUCCESS);
      assert_int_equal(go(&r, 0.15 * (k + 1) / PARTS), ESS_SUCCESS);
      assert_true((ess_driver_counters(r.d)->stabilised > before) == (k % 3 > 0));
    }
    assert_true(hybrid_error(r.h, r.x, right.x, 1e-3) < 3.0);
    if (run) assert_memory_equal(r.x, first, r.h->n * sizeof *first);
    memcpy(first, r.x, sizeof first);
    c[run] = *ess_driver_counters(r.d);
  }
  assert_memory_equal(&c[0], &c[1], sizeof c[0]);
  drop(&r);
}

/* Brief steps, from a crossing to the next, are four evaluations; those of the paper's method, set
 * in the midst of a run, are not, and go on from no brief one. */
TEST(a_run_goes_on_by_the_papers_method) {
  driven r;
  ess_options options = ess_options_default();
  options.atol = 1e3;
  options.h_max = 0.0744;
  begin_text(&r,
             "x' = y; y' = -x; z' = v; v' = -40.3*[ground]; ground: z\n"
             "exact x: cos(t); exact y: -sin(t)\n"
             "from 0: x = 1, v = 1",
             HYBRID_GIVES_ALL, options);
  assert_int_equal(go(&r, 2.0), ESS_SUCCESS);
  const ess_counters before = *ess_driver_counters(r.d);
  assert_true((double)before.field_evaluations < 4.7 * (double)before.crossings);
  options.projection.epsilon = 1e-6;
  assert_int_equal(ess_driver_set_options(r.d, &options), ESS_SUCCESS);
  assert_int_equal(go(&r, 3.0), ESS_SUCCESS);
  const ess_counters *const after = ess_driver_counters(r.d);
  assert_true((double)(after->field_evaluations - before.field_evaluations) >
              7.0 * (double)(after->crossings - before.crossings));
  double right[4];
  memcpy(right, r.x, sizeof right);
  hybrid_exact(r.h, 3.0, right);
  assert_true(hybrid_error(r.h, r.x, right, 1e-3) < 1.0);
  drop(&r);
}

/* ---- weights --------------------------------------------------------------------------------- */

static const char BEAM[] =
    "each 60: f@ = on(c@)*(-4000*(z + (2*@/59 - 1)*a) - 4*(v + (2*@/59 - 1)*w))/60\n"
    "z' = v; a' = w; v' = -10 + sum(60: f@); w' = 3*sum(60: (2*@/59 - 1)*f@)\n"
    "each 60: c@: -z - (2*@/59 - 1)*a\n"
    "from 0: z = 0.3, a = 0.05; to 0.6";

/* The paper's method, stabilised steps and runs that may slide go through no crossing, and the
 * declaration changes no bit of them. */
TEST(weights_leave_other_methods) {
  hybrid *const h = hybrid_of("%s", BEAM);
  for (int kind = 0; kind < 4; kind++) {
    hybrid_plan plan = by(kind % 2 ? ESS_BASE_RKC : ESS_BASE_DOPRI5, 1e-4);
    if (kind < 2) plan.options.projection.epsilon = 1e-3;
    if (kind == 2) plan.options.sliding = ESS_SLIDING_SLIDE;
    const hybrid_end without = hybrid_run(h, &plan);
    plan.gives |= HYBRID_WEIGHTS;
    const hybrid_end with = hybrid_run(h, &plan);
    assert_int_equal(with.status, ESS_SUCCESS);
    assert_int_equal(with.counters.through, 0);
    assert_true(with.log.hash == without.log.hash);
    assert_memory_equal(with.x, without.x, h->n * sizeof *with.x);
  }
  hybrid_free(h);
}

TEST(weights_need_guards) {
  hybrid *const h = hybrid_of("x' = 1");
  const ess_system system = hybrid_system(h, HYBRID_WEIGHTS);
  const ess_options options = ess_options_default();
  assert_string_equal(ess_check(&system, &options),
                      "affine_in_signs must be false when event_count is 0");
  assert_string_equal(ess_strerror(ESS_EAFFINE),
                      "the field is not affine in the signs, though it is declared to be");
  hybrid_free(h);
}
