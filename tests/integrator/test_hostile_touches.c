/*
 * Guards touched, barely or just not, and all at once, with the default method.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "hostile.h"

static const double tolerances[] = {1e-3, 1e-5, 1e-7, 1e-9};
enum { TOLERANCES = sizeof tolerances / sizeof *tolerances, OTHERS = 50 };

static const double of_tolerance = 30.0; /* what an error may be of it */

/* ---- one guard grazed, amid others ----------------------------------------------------------- */

enum { Z, V, CLOCK, INSIDE, SUM, GRAZE_STATES };

/* z = (t - 1)^2 - depth touches 0 about t = 1; `inside` grows meanwhile. The others are crossed by
 * the clock within `width` about t = 1, and add to the sum's rate, one up, one down. */
typedef struct graze {
  size_t others;
  double depth, width;
} graze;

FIELD(graze_field) {
  const graze *const g = params;
  dxdt[Z] = x[V];
  dxdt[V] = 2.0;
  dxdt[CLOCK] = 1.0;
  dxdt[INSIDE] = sign[0] > 0.0 ? 1.0 : 0.0;
  dxdt[SUM] = 0.0;
  for (size_t k = 1; k <= g->others; k++)
    if (sign[k] > 0.0) dxdt[SUM] += k % 2 ? 1.0 : -1.0;
}

static double other_time(const graze *g, size_t k) {
  return 1.0 + g->width * ((double)k / (double)(g->others + 1) - 0.5);
}

PLANES_EACH(graze, GRAZE_STATES, 1 + AS(graze)->others, k ? x[CLOCK] : -x[Z],
            k ? other_time(AS(graze), k) : 0.0);

ON_CROSSING(count_grazes) {
  size_t *const count = context;
  *count += info->guard == 0;
}

/* what became of a run */
typedef struct graze_outcome {
  int status;
  size_t count; /* crossings of the grazed guard */
  double sign, inside, sum;
} graze_outcome;

static graze_outcome run_graze(graze *g, double tolerance) {
  const ess_system system = {
      .dimension = GRAZE_STATES, .guard_count = 1 + g->others, OF_RATES(graze), .params = g};
  graze_outcome o = {0};
  ess_options options = toy_options(tolerance);
  options.observer = (ess_observer){.crossing = count_grazes, .context = &o.count};
  ess_driver *const d = hostile_driver(&system, &options);
  double t = 0.0, x[GRAZE_STATES] = {1.0 - g->depth, -2.0};
  o.status = ess_driver_apply(d, &t, 2.0, x);
  o.sign = ess_driver_sign(d)[0];
  o.inside = x[INSIDE];
  o.sum = x[SUM];
  hostile_check_signs(d, system.guard_count);
  ess_driver_free(d);
  return o;
}

/* Outcome: two crossings or none. A graze deeper than the error is never missed, and one that
 * misses by more than that is never invented. */
static void check_graze(graze g, double tolerance) {
  const graze_outcome o = run_graze(&g, tolerance);
  const double slack = of_tolerance * tolerance, inside = 2.0 * sqrt(fmax(g.depth, 0.0));
  double sum = 0.0;
  for (size_t k = 1; k <= g.others; k++) sum += (k % 2 ? 1.0 : -1.0) * (2.0 - other_time(&g, k));
  const bool found = o.count == (g.depth > 0.0 ? 2 : 0);
  bool good = !o.status && (found || (fabs(g.depth) <= slack && o.count % 2 == 0 && o.count <= 2));
  good = good && fabs(o.sum - sum) <= slack && o.sign < 0.0;
  // an error e of z makes the time inside wrong by e / sqrt(depth)
  const double sensitivity = fmax(1.0, 1.0 / sqrt(fabs(g.depth)));
  if (found) good = good && fabs(o.inside - inside) <= slack * sensitivity;
  if (!good)
    print_error("depth %g, %zu others within %g, at %g: %s, %zu crossings, inside for %g, not %g; "
                "sum off by %g\n",
                g.depth, g.others, g.width, tolerance, ess_strerror(o.status), o.count, o.inside,
                inside, o.sum - sum);
  assert_true(good);
}

static void check_grazes(size_t others, double width) {
  for (size_t i = 0; i < TOLERANCES; i++)
    for (double depth = 1e-12; depth < 2e-3; depth *= 10.0) {
      check_graze((graze){others, depth, width}, tolerances[i]);
      check_graze((graze){others, -depth, width}, tolerances[i]);
    }
}

TEST(grazing_alone) {
  check_grazes(0, 0.0);
}

/* up and down again within a part of what a step would take */
TEST(grazing_amid_others) {
  for (double width = 1e-4; width < 0.5; width *= 10.0) check_grazes(OTHERS, width);
}

/* ---- all at once ----------------------------------------------------------------------------- */

static bed springs;

/* Outcome: the path is that of one spring, and every one is crossed at each end of each contact. */
static void check_as_one(double tolerance, double allowance) {
  const double ends[] = {1.5, 5.0};
  const toy_ball ball = {.stiffness = springs.stiffness};
  const ess_system system = bed_system(&springs);
  ess_options options = toy_options(tolerance);
  ess_driver *const d = hostile_driver(&system, &options);
  double t = 0.0, x[2] = {springs.level[0] + 1.0, 0.0};
  for (size_t i = 0; i < 2; i++) {
    double exact[2];
    const int status = ess_driver_apply(d, &t, ends[i], x);
    ball_exact(&ball, 1.0, ends[i], exact);
    const double error = fmax(fabs(x[0] - springs.level[0] - exact[0]), fabs(x[1] - exact[1]));
    if (status || error > of_tolerance * tolerance + allowance)
      print_error("%zu springs at %g: %s, off by %g\n", springs.count, tolerance,
                  ess_strerror(status), error);
    assert_int_equal(status, ESS_SUCCESS);
    assert_true(error <= of_tolerance * tolerance + allowance);
  }
  assert_int_equal(ess_driver_counters(d)->crossings % (2 * springs.count), 0);
  hostile_check_signs(d, springs.count);
  ess_driver_free(d);
}

TEST(all_at_one_instant) {
  const size_t counts[] = {1, 2, 100, 1000};
  for (size_t i = 0; i < 4; i++)
    for (size_t j = 0; j < TOLERANCES; j++) {
      bed_make(&springs, counts[i], 0.0);
      check_as_one(tolerances[j], 0.0);
    }
}

/* levels of 1 and two roundings less, so that one crossing's time is the other's */
TEST(two_roundings_apart) {
  const size_t counts[] = {2, 100};
  for (size_t i = 0; i < 2; i++)
    for (size_t j = 0; j < TOLERANCES; j++) {
      bed_make(&springs, counts[i], 0.0);
      for (size_t k = 0; k < counts[i]; k++)
        springs.level[k] = k % 2 ? 1.0 : nextafter(nextafter(1.0, 0.0), 0.0);
      check_as_one(tolerances[j], 1e-14);
    }
}

/* a pair of copies whose jumps cancel: +a with the first, -a with the second */
FIELD(cancelling_field) {
  dxdt[0] = x[1];
  dxdt[1] = -2.0 + (sign[0] > 0.0 ? 50.0 : 0.0) - (sign[1] > 0.0 ? 50.0 : 0.0);
}

/* Outcome: as if there were none. */
TEST(copies_that_cancel) {
  static const double level[] = {0.0, 0.0};
  for (size_t j = 0; j < TOLERANCES; j++) {
    bed_make(&springs, 2, 0.0);
    memcpy(springs.level, level, sizeof level);
    ess_system system = bed_system(&springs);
    system.field = cancelling_field;
    const ess_options options = toy_options(tolerances[j]);
    double x[2] = {1.0, 0.0};
    const toy_end end = toy_succeeds(&system, &options, 0.0, 2.0, x);
    assert_true(fabs(x[0] + 3.0) <= of_tolerance * tolerances[j]);
    assert_true(fabs(x[1] + 4.0) <= of_tolerance * tolerances[j]);
    assert_int_equal(end.counters.crossings, 2);
  }
}
