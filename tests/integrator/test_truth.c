/*
 * The truth about hybrid systems (truth.h), against closed forms, and libess against it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "test.h"
#include "truth.h"

static const truth_options PLAIN = {0}, SLIDING = {.sliding = true},
                           REST = {.sliding = true, .rest = true};

/* ---- texts whose states at the end are known ------------------------------------------------- */

typedef struct known {
  const char *name;
  const truth_options *options;
  const char *text;
} known;

static const known KNOWN[] = {
    {"a ball with two bounces", &PLAIN,
     "g = 9.81; e = 0.5\n"
     "z' = v; v' = -g; floor: z; hit down floor: v = -e*v\n"
     "from 0: z = 1; to 1\n"
     "s = t - 2*sqrt(2/g)\n"
     "exact z: 0.25*sqrt(2*g)*s - g/2*s^2; exact v: 0.25*sqrt(2*g) - g*s"},
    {"a spring on one side", &PLAIN, /* periods of 3 pi/2; here 1/8 of a circle after the third */
     "x' = v; v' = -x - 3*off(wall)*x; wall: x\n"
     "from 0: x = 1; to 14.922565104551518\n"
     "exact x: sqrt(0.5); exact v: 0 - sqrt(0.5)"},
    {"dry friction that stops the state", &SLIDING,
     "x' = v; v' = -x - [slip]; slip: v\n"
     "from 0: x = 3.5; to 8; exact x: -0.5; exact v: 0"},
    {"a belt that carries a block until t = 2", &SLIDING,
     "w = v - 0.5; x' = v; v' = -x - [slip]*(1 - 0.2*[slip]*w); slip: w\n"
     "from 0: v = 0.5; to 2; exact x: 1; exact v: 0.5"},
    {"two surfaces, which a spiral reaches at t = 0.5", &SLIDING,
     "x' = -[a] + 2*[b]; y' = -2*[a] - [b]; z' = 1 + [a]; a: x; b: y\n"
     "from 0: x = 1; to 2; exact x: 0; exact y: 0; exact z: 2.2"},
    {"products of signs at two surfaces", &SLIDING,
     "x' = 1 - 3*on(a); y' = 1 - 2*on(a)*on(b) - 1.5*on(b); a: x; b: y\n"
     "from 0: x = -1, y = -1; to 3; exact x: 0; exact y: 0"},
    {"spirals into two zeros in a finite time", &SLIDING,
     "x' = v; v' = -2*[a] - [b]; a: x; b: v\n"
     "from 0: x = 1; to 20; exact x: 0; exact v: 0"},
    {"two near zeros of a circle", &PLAIN,
     "x' = 1; y' = 0; q' = on(in); in: 1 - x^2 - y^2\n"
     "from 0: x = -2, y = 0.99999999; to 4; exact q: 2*sqrt((1 - 0.99999999)*1.99999999)"},
    {"a circle that is missed", &PLAIN,
     "x' = 1; y' = 0; q' = on(in); in: 1 - x^2 - y^2\n"
     "from 0: x = -2, y = 1.00000001; to 4; exact q: 0"},
    {"simultaneous crossings", &PLAIN,
     "x' = 1; y' = 2; z' = on(a) + 3*on(b) + 10*on(a)*on(b); a: x; b: y\n"
     "from 0: x = -1, y = -2; to 2; exact z: 14"},
    {"simultaneous impacts", &PLAIN,
     "x' = 1; y' = 2; q' = 0; a: x; b: y\n"
     "hit up a: q = q + 1, +a; hit up b: q = 3*q, +b\n"
     "from 0: x = -1, y = -2, q = 1; to 2; exact q: 6"},
    {"a kick past a threshold", &PLAIN,
     "x' = 1; y' = -1; q' = 0; a: x; b: y\n"
     "hit up a: x = -1, y = y + 3; hit up b: q = q + 1, y = -5\n"
     "from 0: x = -1, y = -0.5; to 1.5; exact x: -0.5; exact y: -5.5; exact q: 1"},
    {"rows: a thermostat", &PLAIN,
     "x' = -[hot]; hot: x - 2; cold: x - 1\n"
     "row up hot: +down cold; row down cold: +up hot; unarmed down cold\n"
     "from 0: x = 1.5; to 3.25; exact x: 1.25"},
    {"rows: what is ahead", &PLAIN,
     "x' = 1; q' = on(b); a: x; b: x - t^2\n"
     "row up a: ahead b; unarmed up b; unarmed down b\n"
     "from 0: x = -1; to 2; exact q: 0"},
    {"rows: the pool", &PLAIN,
     "x' = 1; q' = on(a) + 10*on(b); a: x; b: x - 1\n"
     "row up a: -up b; row up b: ; pool: +up b; unarmed up b\n"
     "from 0: x = -1; to 3; exact q: 12"},
    {"guards upward alone", &PLAIN,
     "x' = cos(t); q' = on(a); a: x; one-way\n"
     "from 0: x = -0.5; to 5.759586531581288; exact q: 5.759586531581288 - 0.5235987755982989"},
    {"silent guards", &PLAIN,
     "x' = 1; q' = on(b); a: x; b: x - t*0 - 1\n"
     "row up a: +up b; silent up a; unarmed up b\n"
     "from 0: x = -1; to 3; exact q: 1"},
    {"a jump of the field, and one of the state, at known times", &PLAIN,
     "x' = after(1)*t; y' = 0; kick: t - 2; jump 1\n"
     "hit up kick: y = y + x, +kick\n"
     "from 0: y = 1; to 2; exact x: 1.5; exact y: 2.5"},
    {"a ball at rest on a table that moves away", &REST,
     "a = 0.5*sin(5*t); w = 2.5*cos(5*t)\n"
     "z' = v; v' = -9.81; table: z - a; hit down table: v = w - 0.5*(v - w)\n"
     "from 0: v = 2.5; to 0.5\n"
     "c = 0.7848; s = t - 0.18047466996655798\n"
     "exact z: 0.3924 + 2.5*sqrt(1 - 0.7848^2)*s - 4.905*s^2\n"
     "exact v: 2.5*sqrt(1 - 0.7848^2) - 9.81*s"},
    {"a ball whose bounces end, and that is lifted", &REST,
     "g = 9.81; z' = v; v' = 12*after(3) - g; floor: z; hit down floor: v = -0.5*v\n"
     "from 0: z = 1; to 3.5; exact z: 2.19/8; exact v: 2.19/2"},
    {"a ball without restitution", &REST,
     "z' = v; v' = 2*after(2)*(t - 2) - 1; floor: z; hit down floor: v = 0\n"
     "from 0: z = 1; to 3.5; exact z: 1/3; exact v: 1"},
    {"a stack of two balls", &REST,
     "z' = v; v' = -1; y' = w; w' = -1; floor: z; gap: y - z\n"
     "m = 0.5*(v + w); r = 0.5*(w - v)\n"
     "hit down floor: v = -0.5*v; hit down gap: v = m + 0.5*r, w = m - 0.5*r\n"
     "from 0: z = 0.5, y = 1.5; to 20; exact z: 0; exact v: 0; exact y: 0; exact w: 0"},
    {"a stiff decay", &PLAIN,
     "x' = -1000*(x - cos(t)); from 0: x = 2; to 3\n"
     "exact x: (1000*1000*cos(t) + 1000*sin(t))/(1000*1000 + 1)"},
    {"all functions", &PLAIN,
     "x' = 1/x; y' = y*cos(t); z' = exp(0 - z); u' = 1/(2*sqrt(t + 1)); w' = 0-sin(t)*w/(2 + "
     "cos(t))\n"
     "from 0: x = 1, y = 1, u = 1, w = 3; to 3\n"
     "exact x: sqrt(1 + 2*t); exact y: exp(sin(t)); exact z: log(1 + t); exact u: sqrt(1 + t)\n"
     "exact w: 2 + cos(t)"},
    {"backward through a spring on one side", &PLAIN,
     "x' = v; v' = -x - 3*off(wall)*x; wall: x\n"
     "from 14.922565104551518: x = 0.70710678118654757, v = -0.70710678118654757\n"
     "to 0.5; exact x: cos(0.5); exact v: 0 - sin(0.5)"},
    {"backward through jumps", &PLAIN,
     "x' = after(1)*t; y' = 0; kick: t - 2; jump 1\n"
     "hit down kick: y = y - x, -kick\n"
     "from 3: x = 4, y = 3; to 0; exact x: 0; exact y: 1.5"},
};

static double error_of(hybrid *h, const truth_end *end, double t) {
  double exact[HYBRID_STATES];
  for (size_t i = 0; i < h->n; i++) exact[i] = NAN;
  hybrid_exact(h, t, exact);
  double worst = 0.0;
  for (size_t i = 0; i < h->n; i++)
    if (!isnan(exact[i])) worst = fmax(worst, fabs(end->x[i] - exact[i]) / (1.0 + fabs(exact[i])));
  return worst;
}

TEST(closed_forms) {
  for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++) {
    hybrid *const h = hybrid_of("%s", KNOWN[i].text);
    const truth_end end = truth_run(h, KNOWN[i].options);
    const double error = error_of(h, &end, hybrid_end_time(h));
    if (end.status || !(error <= 2e-14))
      print_error("%s: status %d (%s) at %g, an error of %g\n", KNOWN[i].name, end.status,
                  end.reason ? end.reason : "", end.t, error);
    assert_int_equal(end.status, TRUTH_SUCCESS);
    assert_true(error <= 2e-14);
    hybrid_free(h);
  }
}

/* at a tolerance of 1e-12 */
TEST(libess_agrees) {
  for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++) {
    hybrid *const h = hybrid_of("%s", KNOWN[i].text);
    const truth_end end = truth_run(h, KNOWN[i].options);
    hybrid_plan plan = hybrid_at(1e-12);
    plan.options.sliding = KNOWN[i].options->rest      ? ESS_SLIDING_SLIDE_AND_REST
                           : KNOWN[i].options->sliding ? ESS_SLIDING_SLIDE
                                                       : ESS_SLIDING_STOP;
    const hybrid_end run = hybrid_run(h, &plan);
    const double error = hybrid_error(h, run.x, end.x, 1e-12);
    if (run.status || !(error <= 50.0))
      print_error("%s: libess ends with \"%s\" at %g, an error of %g tolerances\n", KNOWN[i].name,
                  ess_strerror(run.status), run.t, error);
    assert_int_equal(run.status, ESS_SUCCESS);
    assert_true(error <= 50.0);
    hybrid_free(h);
  }
}

/* ---- runs that have no outcome --------------------------------------------------------------- */

TEST(statuses) {
  static const struct {
    const truth_options *options;
    truth_status status;
    double t;
    const char *text;
  } RUNS[] = {
      {&PLAIN, TRUTH_ZENO, 3.0,
       "z' = v; v' = -2; a: z; hit down a: v = -0.5*v; from 0: z = 1; to 9"},
      {&PLAIN, TRUTH_ZENO, 1.0, "z' = v; v' = -2; a: z; hit down a: v = 0; from 0: z = 1; to 9"},
      {&PLAIN, TRUTH_NO_CONTINUATION, 1.0, "x' = -[a]; a: x; from 0: x = 1; to 9"},
      {&SLIDING, TRUTH_NO_CONTINUATION, 0.0, "x' = [a]; a: x; to 9"},
      {&SLIDING, TRUTH_NO_CONTINUATION, 1.0, /* a two-fold */
       "x' = 1; y' = on(a)*x - off(a)*x + 0*[a]; a: y; from 0: x = -1; to 3"},
      {&PLAIN, TRUTH_DIVERGED, 1.0, "x' = x^2; from 0: x = 1; to 3"},
      {&PLAIN, TRUTH_UNDECIDED, 4.0, /* a circle touched */
       "x' = 1; y' = 0; q' = on(in); in: 1 - x^2 - y^2; from 0: x = -2, y = 1; to 4"},
      {&PLAIN, TRUTH_UNDECIDED, 1.0, /* a crosses alone, or b and then not a */
       "x' = 1 - 3*on(b); y' = 1 - 3*on(a); a: x; b: y; from 0: x = -1, y = -1; to 1.2"},
  };
  for (size_t i = 0; i < sizeof RUNS / sizeof *RUNS; i++) {
    hybrid *const h = hybrid_of("%s", RUNS[i].text);
    const truth_end end = truth_run(h, RUNS[i].options);
    if (end.status != RUNS[i].status || !(fabs(end.t - RUNS[i].t) <= 1e-12))
      print_error("run %zu: status %d (%s) at %.17g\n", i, end.status, end.reason ? end.reason : "",
                  end.t);
    assert_int_equal(end.status, RUNS[i].status);
    assert_true(fabs(end.t - RUNS[i].t) <= 1e-12);
    assert_non_null(end.reason);
    hybrid_free(h);
  }
}

/* the distance of a circle that is missed by 1e-8, and of two events by 1e-6 in time */
TEST(nearest_and_margin) {
  hybrid *const circle = hybrid_of("x' = 1; y' = 0; q' = on(in); in: 1 - x^2 - y^2\n"
                                   "from 0: x = -2, y = 1.00000001; to 4");
  hybrid *const pair = hybrid_of("x' = 1; q' = on(a)*on(b); a: x; b: x - 1e-6\n"
                                 "from 0: x = -1; to 2");
  assert_in_range((uint64_t)(1e12 * truth_run(circle, &PLAIN).nearest), 300, 30000);
  assert_in_range((uint64_t)(1e12 * truth_run(pair, &PLAIN).nearest), 300000, 3000000);
  const truth_options wide = {.margin = 1e-5};
  assert_int_equal(truth_run(circle, &wide).status, TRUTH_UNDECIDED);
  assert_int_equal(truth_run(pair, &wide).status, TRUTH_UNDECIDED);
  hybrid_free(circle);
  hybrid_free(pair);
}

/* Negative where a row has latched a guard beyond its zero: an event function that was not armed
 * before may turn much faster than the motion. At the row it is sin(60) = -0.30 and sin(40) = 0.75,
 * or the same with the other sign. */
TEST(rows_that_latch_beyond_zeros) {
  static const struct {
    const char *wave;
    bool is_beyond;
  } WAVES[] = {
      {"sin(60*x)", false}, {"-sin(60*x)", true}, {"sin(40*x)", true}, {"-sin(40*x)", false}};
  for (size_t i = 0; i < sizeof WAVES / sizeof *WAVES; i++) {
    hybrid *const h = hybrid_of("x' = 1; q' = on(b); a: x - 1; b: %s\n"
                                "row up a: +up b; unarmed up b; unarmed down b\n"
                                "from 0: x = 0.1; to 0.905",
                                WAVES[i].wave);
    const truth_end end = truth_run(h, &(truth_options){.margin = -1.0});
    if ((end.nearest < 0.0) != WAVES[i].is_beyond)
      print_error("%s: %g\n", WAVES[i].wave, end.nearest);
    assert_int_equal(end.status, TRUTH_SUCCESS);
    assert_int_equal(end.nearest < 0.0, WAVES[i].is_beyond);
    hybrid_free(h);
  }
}

/* ---- records and samples --------------------------------------------------------------------- */

static void check_records(const truth_end *end, const hybrid_record expected[], size_t count) {
  assert_int_equal(end->status, TRUTH_SUCCESS);
  assert_int_equal(end->count, count);
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(end->record[i].message, expected[i].message);
    assert_int_equal(end->record[i].guard, expected[i].guard);
    assert_int_equal(end->record[i].direction, expected[i].direction);
    assert_true(fabs(end->record[i].t - expected[i].t) <= 1e-12);
  }
}

TEST(records_and_samples) {
  hybrid *const h = hybrid_of("x' = y; y' = 0 - x; a: x; watch w: y - 0.5; from 0: x = 1; to 7");
  static const double times[] = {0.0, 1.0, 5.0, 7.0};
  const truth_options options = {.times = times, .time_count = 4};
  const truth_end end = truth_run(h, &options);
  const hybrid_record expected[] = {{HYBRID_CROSSING, 0, -1, M_PI / 2.0},
                                    {HYBRID_EVENT, 0, 1, 7.0 * M_PI / 6.0},
                                    {HYBRID_CROSSING, 0, 1, 3.0 * M_PI / 2.0},
                                    {HYBRID_EVENT, 0, -1, 11.0 * M_PI / 6.0}};
  check_records(&end, expected, 4);
  for (size_t i = 0; i < 4; i++) {
    assert_true(fabs(end.states[2 * i] - cos(times[i])) <= 1e-15);
    assert_true(fabs(end.states[2 * i + 1] + sin(times[i])) <= 1e-15);
  }
  free(end.states);
  hybrid_free(h);
}

/* a sample at the time of an impact is the state after it; the jump is a watched event, too */
TEST(impacts_in_records_and_samples) {
  hybrid *const h = hybrid_of("x' = 1; y' = 0; kick: t - 2; watch w: y - 1\n"
                              "hit up kick: y = y + x, +kick; to 3");
  static const double times[] = {1.0, 2.0, 3.0};
  const truth_options options = {.times = times, .time_count = 3};
  const truth_end end = truth_run(h, &options);
  const hybrid_record expected[] = {
      {HYBRID_IMPACTS, 0, 0, 2.0}, {HYBRID_CROSSING, 0, 1, 2.0}, {HYBRID_EVENT, 0, 1, 2.0}};
  check_records(&end, expected, 3);
  const double y[] = {0.0, 2.0, 2.0};
  for (size_t i = 0; i < 3; i++) assert_true(end.states[2 * i + 1] == y[i]);
  free(end.states);
  hybrid_free(h);
}

/* A block on a belt, whose slide ends at t = 2 and begins again. The numbers are those of matrix
 * exponentials, to 12 digits. */
TEST(slides_in_records) {
  hybrid *const h = hybrid_of("w = v - 0.5; x' = v; v' = -x - [slip]*(1 - 0.2*[slip]*w)\n"
                              "slip: w; from 0: v = 0.5; to 8");
  const truth_end end = truth_run(h, &SLIDING);
  const hybrid_record expected[] = {{HYBRID_SLIDE, 0, 1, 0.0},
                                    {HYBRID_SLIDE, 0, -1, 2.0},
                                    {HYBRID_CROSSING, 0, 1, 7.266719402578},
                                    {HYBRID_SLIDE, 0, 1, 7.266719402578}};
  check_records(&end, expected, 4);
  assert_true(fabs(end.x[0] - (0.264941105407 + 0.5 * (8.0 - 7.266719402578))) <= 1e-11);
  hybrid_free(h);
}

/* ---- derivatives ----------------------------------------------------------------------------- */

/* of a ball by z, v, g and e; by hand, through its one bounce */
TEST(derivatives_of_a_ball) {
  hybrid *const h = hybrid_of("g = 9.81; e = 0.8; z' = v; v' = -g; floor: z\n"
                              "hit down floor: v = -e*v; from 0: z = 1; to 1");
  double D[8];
  assert_int_equal(truth_tangent(h, &PLAIN, D), TRUTH_SUCCESS);
  const double g = 9.81, e = 0.8, down = sqrt(2.0 / g), left = 1.0 - down;
  /* z = e g d (1 - d) - g (1 - d)^2 / 2 and v = e g d - g (1 - d), where d(z0) = sqrt(2 z0 / g);
   * with v0 the impact is at d + v0/g, to first order, with the speed g d */
  const double by_d[] = {e * g * (1.0 - 2.0 * down) + g * left, e * g + g};
  const double d_z = 1.0 / (g * down), d_g = -down / (2.0 * g);
  const double expected[] = {by_d[0] * d_z,
                             (-e * g * down + g * left) / g,
                             by_d[0] * d_g + e * down * left - left * left / 2.0,
                             g * down * left,
                             by_d[1] * d_z,
                             1.0,
                             by_d[1] * d_g + e * down - left,
                             g * down};
  for (size_t i = 0; i < 8; i++) {
    if (!(fabs(D[i] - expected[i]) <= 1e-12))
      print_error("%zu: %.17g %.17g\n", i, D[i], expected[i]);
    assert_true(fabs(D[i] - expected[i]) <= 1e-12);
  }
  hybrid_free(h);
}

/* of x and z by x, z and p, through the beginning of a slide */
TEST(derivatives_through_a_slide) {
  hybrid *const h = hybrid_of("p = 1; x' = -3*[a] + p; z' = 1 + [a]; a: x; from 0: x = 1; to 2");
  double D[6];
  assert_int_equal(truth_tangent(h, &SLIDING, D), TRUTH_SUCCESS);
  /* reached at T = x/(3 - p); then [a] = p/3: z = 2 T + (1 + p/3)(2 - T) */
  const double T = 0.5, by_T = 2.0 - 4.0 / 3.0;
  const double expected[] = {0.0, 0.0, 0.0, by_T * 0.5, 1.0, by_T * 0.25 + (2.0 - T) / 3.0};
  for (size_t i = 0; i < 6; i++) assert_true(fabs(D[i] - expected[i]) <= 1e-12);
  hybrid_free(h);
}
