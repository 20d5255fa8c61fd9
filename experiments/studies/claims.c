/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench claims: what the papers claim, one by one, and whether the results in the folder bear it
 * out, or which test asserts it. It measures nothing. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "studies.h"

/* One claim. */
typedef struct claim {
  const char *paper, *place, *says;
  const char *criterion; /* which number decides, and which values mean that it holds; where none
                            does, what a test asserts, or why nothing is measured */
  const char *command;   /* what measures it, or the test; NULL: there is none */
  double low, high;      /* it holds from low to high */
  const char *file;      /* of results that the number is of, behind a folder if it has one; or the
                            test's source */
  const char *number;    /* in SQL, of the tables that the database has in place of the file; NULL:
                            the verdict follows from none */
  const char *verdict;   /* without a number; or outside the bounds: NULL for "fails" */
} claim;

/* the verdict where no number decides: what stands for the last six members of a claim */
#define TESTED(test, source) "ctest -R '^" test "$'", 0.0, 0.0, source, NULL, "tested"
#define NOT_TESTED           NULL, 0.0, 0.0, NULL, NULL, "not tested"
#define NO_CRITERION         NULL, 0.0, 0.0, NULL, NULL, "cannot be tested"

/* the paper does not state all that its number takes: another number does not refute it */
#define UNSTATED "cannot be reproduced"

/* ---- the claims ------------------------------------------------------------------------------ */

#define RAPID    "Anderson & Revzen 2024"
#define TUTORIAL "A tutorial of contact methods"
#define LIMBS    "Pace & Burden 2017"
#define MODES    "Johnson, Burden & Koditschek 2016"

/* queries of one number, in runs that ended last; rows that do not know it are none */
#define ROWS(table, column, where)                                                                 \
  "FROM `" table "` JOIN newest USING (run) WHERE " column " IS NOT NULL AND " where
#define FIRST(table, column, where)                                                                \
  "(SELECT " column " " ROWS(table, column, where) " ORDER BY within, row LIMIT 1)"
#define LEAST(table, column, where) "(SELECT min(" column ") " ROWS(table, column, where) ")"
#define MOST(table, column, where)  "(SELECT max(" column ") " ROWS(table, column, where) ")"
/* the largest relative change from one row to the next */
#define STEP(table, column, where)                                                                 \
  "(SELECT max(abs(by - 1)) FROM (SELECT " column " / lag(" column                                 \
  ") OVER (ORDER BY row) AS by " ROWS(table, column, where) "))"
#define OVER                  " / 1.0 / "
#define EITHER(number, other) "coalesce(" number ", " other ")"
/* the largest quotient of two conditions over all values of another column */
#define LARGEST(table, column, each, one, other)                                                   \
  "(SELECT max(a." column OVER "b." column                                                         \
  ") FROM (SELECT * " ROWS(table, column, one) ") AS a JOIN (SELECT * " ROWS(                      \
      table, column, other) ") AS b USING (" each "))"
/* of a method in the results of work-precision */
#define OF(model, method, is) "model = " model " AND solver = '" method "' AND status IN (" is ")"
#define CHEAPEST(model, method, limit)                                                             \
  LEAST("work_precision", "median_s", OF(model, method, "'ok'") " AND rms_error <= " limit)
#define ENDLESS(model, method) ROWS("work_precision", "status", OF(model, method, "'failed'"))
/* of those that do not come to the end, too; without bound where none does */
#define NO_RUN_ENDS     1e308
#define TEXT_OF(number) #number
#define AS_TEXT(number) TEXT_OF(number)
#define SMALLEST_ERROR(model, method)                                                              \
  EITHER(LEAST("work_precision", "rms_error", OF(model, method, "'ok', 'diverged'")),              \
         "(SELECT " AS_TEXT(NO_RUN_ENDS) " " ENDLESS(model, method) " LIMIT 1)")
#define SLOPE(solver)                                                                              \
  FIRST("sweep_slopes", "s_per_contact", "solver = '" solver "' AND protocol = 'paper'")
#define FIT(column)  FIRST("order_fit", column, "projection_order = 1")
#define SCALE(where) "contacts = 100 AND projection_order = 1 AND " where
#define BLOCK(options, of)                                                                         \
  FIRST("contact_modes_known", "found",                                                            \
        "example = 'rocking-block --tilt " options "' AND quantity = '" of "'")
/* half of what the rate of rotation jumps by, of bodies on two feet: a magnitude, as rounding has
 * either sign */
#define HALF_JUMP(where) MOST("limbs_bodies", "abs(turn_right - turn_left) / 2.0", where)
/* of a method at the most contacts, a hundred or more, and at the fewest */
#define LEAP(with, leg) LEAST("contact_modes_leap", leg, with " AND t >= 0.025 AND t <= 0.06")
/* of a sweep that goes as far as the claim: of few contacts it says nothing about many */
#define TO_100(number)                                                                             \
  "CASE WHEN EXISTS (SELECT 1 " ROWS(                                                              \
      "sweep", "rms_error",                                                                        \
      "solver = 'projection' AND protocol = 'paper' AND contacts >= 100") ") THEN " number " END"

#define MECHANICS "tests/mechanics/test_mechanics_"

#define TUTORIAL_TEST "tests/studies/test_tutorial.c"

static const char compare[] = "make work-precision";

/* ends with one without a paper */
static const claim claims[] = {
    {RAPID, "abstract, 5.2",
     "in NumPy one more contact costs about what it costs in MuJoCo (the paper's program is not "
     "run here)",
     "microseconds a contact over MuJoCo's, compiled, 2 to 100 contacts, from 2/3 to 3/2",
     "make sweep", 2.0 / 3.0, 1.5, "sweep.json/slopes",
     .number = TO_100(SLOPE("projection") OVER SLOPE("mujoco")), .verdict = UNSTATED},
    {RAPID, "abstract, 7", "one more contact costs no more than in MuJoCo",
     "microseconds a contact over MuJoCo's by contacts, compiled, at most 1", "make sweep", 0.0,
     1.0, "sweep.json/slopes", .number = TO_100(SLOPE("projection") OVER SLOPE("mujoco"))},
    {RAPID, "Table 5.1",
     "on the hopper MuJoCo's error is met with epsilon = 0.13 m (k/m is not given)",
     "the largest epsilon that meets it, k/m from 20 to 800, from 0.065 to 0.26 m",
     "make calibrate", 0.065, 0.26, "calibration.csv",
     .number = MOST("calibration", "epsilon", "status = 'ok'"), .verdict = UNSTATED},
    {RAPID, "Table 5.1",
     "with this epsilon a run in NumPy takes 4.2 times as long as MuJoCo's (the paper's program is "
     "not run here)",
     "time over MuJoCo's, compiled, from 2.1 to 8.4", "make calibrate", 2.1, 8.4, "calibration.csv",
     .number = FIRST("calibration", "runtime_projection_s", "main = 1")
         OVER FIRST("calibration", "runtime_mujoco_s", "main = 1"),
     .verdict = UNSTATED},
    {RAPID, "3.1, Fig. 3.1",
     "where the field is constant between flat guards, the projection is exact",
     "thousands of random systems, by both orders: times and states are the closed form's to "
     "rounding",
     TESTED("affine", "tests/integrator/test_affine.c")},
    {RAPID, "4, Fig. 4.1", "the projection is of second order in epsilon",
     "slope of the error, from 1.9 to 2.2", "make order", 1.9, 2.2, "order_fit.csv",
     .number = FIT("slope")},
    {RAPID, "4", "the order is at least 2.1", "upper end of the slope's interval, at least 2.1",
     "make order", 2.1, INFINITY, "order_fit.csv", .number = FIT("slope_hi")},
    {RAPID, "6", "the error falls with epsilon at least by first order",
     "lower end of the slope's interval, at least 1", "make order", 1.0, INFINITY, "order_fit.csv",
     .number = FIT("slope_lo")},
    {RAPID, "Fig. 4.1", "for large epsilon the error no longer grows",
     "largest over smallest error, epsilon from 0.5, at most 1.1", "make order", 1.0, 1.1,
     "order.csv",
     .number = MOST("order", "rms_error", "projection_order = 1 AND epsilon >= 0.5")
         OVER LEAST("order", "rms_error", "projection_order = 1 AND epsilon >= 0.5")},
    {RAPID, "Fig. 4.1", "for small epsilon the error no longer falls",
     "largest over smallest error, epsilon up to 1e-5, rtol 1e-6 (the default of SciPy's "
     "dopri5), at most 1.1",
     "make order", 1.0, 1.1, "order_flat.csv",
     .number = MOST("order_flat", "rms_error", "1") OVER LEAST("order_flat", "rms_error", "1")},
    {RAPID, "2.2", "the Jacobian of the event functions need not be given in closed form",
     "runs by differences of the event functions are those with their exact Jacobian",
     TESTED("cases_given", "tests/integrator/cases/given.txt")},
    {RAPID, "1", "beside a state where m guards meet all m! orders of crossing occur",
     "m = 2, 3, 4: initial conditions for every order, each crossed in its own order",
     TESTED("affine", "tests/integrator/test_affine.c")},
    {RAPID, "2.2", "a larger epsilon takes fewer integration steps",
     "steps at epsilon = 0.1 m over those at the smallest, 100 contacts, at most 1", "make scale",
     0.0, 1.0, "scale.csv",
     .number = LEAST("scale", "steps", SCALE("epsilon >= 0.09"))
         OVER MOST("scale", "steps", SCALE("epsilon <= 1"))},
    {RAPID, "2.2", "a larger epsilon risks a greater error",
     "error at epsilon = 0.1 m over that at the smallest, 100 contacts, at least 1", "make scale",
     1.0, INFINITY, "scale.csv",
     .number = LEAST("scale", "rms_error", SCALE("epsilon >= 0.09"))
         OVER LEAST("scale", "rms_error", SCALE("epsilon <= 1"))},
    {RAPID, "5",
     "the epsilon calibrated on the hopper gives MuJoCo's error on the plate (on our hopper: "
     "the paper's k/m is not given)",
     "error over MuJoCo's, largest over 2 to 100 contacts, at most 1.1", "make sweep", 0.0, 1.1,
     "sweep.csv",
     .number = TO_100(LARGEST("sweep", "rms_error", "contacts",
                              "solver = 'projection' AND protocol = 'paper'",
                              "solver = 'mujoco' AND protocol = 'paper'")),
     .verdict = UNSTATED},
    {RAPID, "5.2",
     "near 150 contacts the integrator gets irregular (by the paper an artefact of its program, "
     "which is not run here)",
     "largest jump of its median time from one N to the next: N of 130 to 170 over N of 60 to "
     "100, at least 2",
     "make sweep CONTACTS=60..100,130..170 PROTOCOL=paper OUT=results/150", 2.0, INFINITY,
     "150/sweep.csv",
     .number = STEP("sweep", "median_s",
                    "solver = 'projection' AND protocol = 'paper' AND contacts >= 131")
         OVER STEP("sweep", "median_s",
                   "solver = 'projection' AND protocol = 'paper' AND contacts <= 100"),
     .verdict = UNSTATED},
    {RAPID, "5.2",
     "near 150 contacts MuJoCo gets irregular (its version and settings are not given)",
     "the jump of the row above, of MuJoCo's time, at least 2",
     "make sweep CONTACTS=60..100,130..170 PROTOCOL=paper OUT=results/150", 2.0, INFINITY,
     "150/sweep.csv",
     .number =
         STEP("sweep", "median_s", "solver = 'mujoco' AND protocol = 'paper' AND contacts >= 131")
             OVER STEP("sweep", "median_s",
                       "solver = 'mujoco' AND protocol = 'paper' AND contacts <= 100"),
     .verdict = UNSTATED},
    {RAPID, "1", "guards that are crossed once need no root finding",
     "smallest error of Listing 1 as printed, three guards, at most 0.01", compare, 0.0, 0.01,
     "work_precision.csv", .number = SMALLEST_ERROR("'affine3'", "listing")},
    {RAPID, "1", "a contact that comes and goes needs no root finding",
     "smallest error of Listing 1 as printed, hopper, at most 0.01", compare, 0.0, 0.01,
     "work_precision.csv", .number = SMALLEST_ERROR("'hopper'", "listing")},
    {RAPID, "1",
     "many contacts that come and go need no root finding (Listing 1 does not say how a guard "
     "comes back while another is not crossed)",
     "smallest error of Listing 1 as printed, 100 contacts, at most 0.01", compare, 0.0, 0.01,
     "work_precision.csv", .number = SMALLEST_ERROR("'plate' AND contacts = 100", "listing"),
     .verdict = UNSTATED},
    {RAPID, "1",
     "many contacts: finding each entry and projecting is cheaper than locating each crossing",
     "time of our projection, which finds entries as roots, over event location's at an error "
     "of 0.01, 100 contacts, at most 1",
     compare, 0.0, 1.0, "work_precision.csv",
     .number = CHEAPEST("'plate' AND contacts = 100", "projection", "0.01")
         OVER CHEAPEST("'plate' AND contacts = 100", "location", "0.01")},
    {RAPID, "1", "single contacts: finding each entry and projecting is cheaper, too",
     "the quotient of the row above, hopper, at most 1", compare, 0.0, 1.0, "work_precision.csv",
     .number =
         CHEAPEST("'hopper'", "projection", "0.01") OVER CHEAPEST("'hopper'", "location", "0.01")},
    {RAPID, "1.2", "in the limit the derivative is right where crossings come one by one",
     "order at which the derivative's error falls with epsilon, at least 1", "make derivative", 1.0,
     INFINITY, "derivative_error_fit.csv",
     .number = FIRST(
         "derivative_error_fit", "slope",
         "crossings = 'isolated' AND method = 'projection' AND `order` = 1 AND `of` = 'tangents'")},
    {RAPID, "1.2",
     "in the limit the derivative is right where three guards meet (judged on each side, because a "
     "single matrix is right on one side only)",
     "error of one-sided differences over the largest entry, epsilon = 1e-5, on the worse "
     "side, at most 0.001",
     "make derivative", 0.0, 1e-3, "derivative_error.csv",
     .number = MOST("derivative_error", "difference_error",
                    "method = 'projection' AND `order` = 1 AND knob <= 1.1e-5")},
    {RAPID, "7", "MuJoCo is faster than ODE",
     "ODE's time over MuJoCo's at an error of 0.1, 10 "
     "contacts, at least 1",
     compare, 1.0, INFINITY, "work_precision.csv",
     .number = CHEAPEST("'plate' AND contacts = 10", "ode", "0.1")
         OVER CHEAPEST("'plate' AND contacts = 10", "mujoco", "0.1")},
    {RAPID, "7", "the integrator is faster than ODE, too",
     "ODE's time over its time at an error of 0.1, 10 contacts, at least 1", compare, 1.0, INFINITY,
     "work_precision.csv",
     .number = CHEAPEST("'plate' AND contacts = 10", "ode", "0.1")
         OVER CHEAPEST("'plate' AND contacts = 10", "projection", "0.1")},
    {RAPID, "7", "it suits real-time control with six legs or more",
     "the paper names no robot, rate or horizon", NO_CRITERION},
    {RAPID, "7", "the integrator is faster than PyBullet", "essbench has no bridge to PyBullet",
     NOT_TESTED},

    {TUTORIAL, "table", "hybrid: accurate",
     "RMS error of the height by its program, restitution 0, at most 0.001 m: 0.00087 m",
     TESTED("tutorial", TUTORIAL_TEST)},
    {TUTORIAL, "hybrid", "without a contact law its program switches in and out of contact",
     "touches by its program, restitution 0, at least 2: 274", TESTED("tutorial", TUTORIAL_TEST)},
    {TUTORIAL, "table", "hybrid: does not scale with the number of contacts",
     "its program has one contact; a loop of ours over several would judge ours", NO_CRITERION},
    {TUTORIAL, "table", "hybrid: difficult where impacts are simultaneous",
     "its program has one contact, and no rule for several", NO_CRITERION},
    {TUTORIAL, "table", "hybrid: its program is not differentiable",
     "largest change of the derivative of the height with respect to the start, within 5 um, "
     "restitution 0.7, at least 0.5: 1512",
     TESTED("tutorial", TUTORIAL_TEST)},
    {TUTORIAL, "table", "smooth: simple", "no measured number says what is simple", NO_CRITERION},
    {TUTORIAL, "table", "smooth: many contacts at once",
     "smallest error of a smooth force, on springs, 100 contacts, at most 0.01", compare, 0.0, 0.01,
     "work_precision.csv", .number = SMALLEST_ERROR("'plate' AND contacts = 100", "smooth")},
    {TUTORIAL, "table", "smooth: low accuracy",
     "RMS error of the height by its program, at least 0.001 m: 0.008533 m",
     TESTED("tutorial", TUTORIAL_TEST)},
    {TUTORIAL, "table", "smooth: differentiable",
     "largest change of the derivative of the height with respect to the start, within 5 um, at "
     "most 0.5: 0.0003103",
     TESTED("tutorial", TUTORIAL_TEST)},
    {TUTORIAL, "table", "time-stepping: accurate",
     "RMS error of the height by its constraints, at most 0.001 m: 0.0008591 m",
     TESTED("tutorial", TUTORIAL_TEST)},
    {TUTORIAL, "table", "time-stepping: many contacts at once",
     "smallest error of its scheme, on springs, 100 contacts, at most 0.01", compare, 0.0, 0.01,
     "work_precision.csv", .number = SMALLEST_ERROR("'plate' AND contacts = 100", "time-stepping")},
    {TUTORIAL, "table", "time-stepping: very expensive",
     "its IPOPT is not here; with one contact its constraints have a closed form", NOT_TESTED},
    {TUTORIAL, "table", "time-stepping: difficult to write",
     "no measured number says what is difficult", NO_CRITERION},
    {TUTORIAL, "table", "time-stepping: not differentiable",
     "largest change of the derivative of the height with respect to the start, within 5 um, by "
     "its constraints, at least 0.5: 0.95",
     TESTED("tutorial", TUTORIAL_TEST)},

    {LIMBS, "Fig. 1", "rigid limbs: the outcome jumps where both land together",
     "half the jump of the rate of rotation, I = 2 kg m^2, from 0.36531 to 0.36532 rad/s",
     "make limbs", 0.36531, 0.36532, "limbs_bodies.csv",
     .number = HALF_JUMP("limbs = 'rigid' AND inertia = 2")},
    {LIMBS, "condition 6", "decoupled inertia makes the outcome continuous",
     "half the jump of the rate of rotation, I = m d^2, at most 1e-6 rad/s", "make limbs", 0.0,
     1e-6, "limbs_bodies.csv", .number = HALF_JUMP("limbs = 'rigid' AND inertia = 1")},
    {LIMBS, "5.2", "without condition 6 the outcome need not be continuous",
     "half the jump of the rate of rotation, largest over I other than m d^2, at least 1e-6 rad/s",
     "make limbs", 1e-6, INFINITY, "limbs_bodies.csv",
     .number = HALF_JUMP("limbs = 'rigid' AND inertia != 1")},
    {LIMBS, "Theorem 1", "soft limbs that are decoupled: the outcome is differentiable",
     "difference of the upward speed's derivatives above and below level, at most 1e-6",
     "make limbs", 0.0, 1e-6, "limbs_bodies.csv",
     .number = MOST("limbs_bodies", "abs(vz_right - vz_left)", "limbs = 'soft' AND coupling = 0")},
    {LIMBS, "Theorem 1, footnote 10", "the release of a contact changes no derivative",
     "a mass on a table that is pulled off it: the derivative right after is that right before",
     TESTED("tangents", "tests/integrator/test_tangents.c")},
    {LIMBS, "3.3", "coupled forces: the outcome is continuous",
     "half the jump of the rate of rotation, at most 1e-6 rad/s", "make limbs", 0.0, 1e-6,
     "limbs_bodies.csv", .number = HALF_JUMP("limbs = 'soft' AND coupling = 1")},
    {LIMBS, "3.3", "coupled forces: the outcome is not differentiable",
     "difference of the upward speed's derivatives above and below level over the larger one, at "
     "least 0.01",
     "make limbs", 0.01, INFINITY, "limbs_bodies.csv",
     .number = MOST("limbs_bodies", "abs(vz_right - vz_left) / max(abs(vz_right), abs(vz_left))",
                    "limbs = 'soft' AND coupling = 1")},
    {LIMBS, "5.3", "where a contact is grazed its time has no derivative",
     "a ball that just reaches a ceiling: the run ends there with the status of a graze",
     TESTED("refused", "tests/models/test_refused.c")},
    {LIMBS, "5.4", "where a rocking block's impacts accumulate the flow is differentiable",
     "derivative of their last time with respect to the initial tilt, from above over from below, "
     "from 0.99 to 1.01",
     "make contact-modes", 0.99, 1.01, "contact_modes_known.csv",
     .number = BLOCK("0.2 --delta-t 0", "that time by tilt, above")
         OVER BLOCK("0.2 --delta-t 0", "that time by tilt, below")},
    {LIMBS, "5.4", "where a bouncing ball's impacts accumulate the flow is differentiable",
     "derivative of their last time with respect to the height: that of the closed form",
     TESTED("refused", "tests/models/test_refused.c")},
    {LIMBS, "5.5, 5.8, 5.9", "friction, massless limbs and couplings of limbs",
     "no study varies the initial condition of a mechanism that has them", NOT_TESTED},
    {LIMBS, "5.6", "the results hold on complete Riemannian manifolds",
     "no mechanism with rigid contacts has other coordinates than lengths and angles here",
     NOT_TESTED},
    {LIMBS, "5.7", "an effort that depends on the contact may leave a run without a continuation",
     "the paper's effort: the run ends where it lands, since no mode is consistent",
     TESTED("refused", "tests/models/test_refused.c")},
    {LIMBS, "5.10, (16)", "a system that depends on time is equivalent to one with time as a state",
     "right-hand sides and event functions that depend on time: runs, impacts and derivatives "
     "equal those with time as a state",
     TESTED("cases_given", "tests/integrator/cases/given.txt")},

    {MODES, "4.3", "an arrival at a hill rests if it is slower than g delta_t tan(slope)",
     "speed of the fastest arrival that rests over that speed, on the slope where it is farthest "
     "from 1, within 1e-6 of 1",
     "make contact-modes", 1.0 - 1e-6, 1.0 + 1e-6, "contact_modes.csv",
     .number = "(SELECT found" OVER "known " ROWS("contact_modes", "found", "1") //
     " ORDER BY abs(found" OVER "known - 1) DESC LIMIT 1)"},
    {MODES, "4.3", "the rocking block keeps 0.7 of its rate at an impact",
     "rate after over rate before, from 0.6999 to 0.7001", "make contact-modes", 0.6999, 0.7001,
     "contact_modes_known.csv", .number = BLOCK("0.2 --delta-t 0", "ratio of speeds")},
    {MODES, "4.3, Fig. 9", "impacts slower than 6.3 cm/s bring it to rest",
     "speed of its centre below which it rests, from 6.25 to 6.35 cm/s", "make contact-modes", 6.25,
     6.35, "contact_modes_known.csv", .number = BLOCK("0.2", "stops below, centre")},
    {MODES, "4.3, (103)", "the formula as printed gives these 6.3 cm/s",
     "speed at which its two sides are equal over that below which the block rests, from 0.99 "
     "to 1.01",
     "make contact-modes", 0.99, 1.01, "contact_modes_known.csv",
     .number =
         BLOCK("0.2", "stops below, (103) as printed") OVER BLOCK("0.2", "stops below, centre")},
    {MODES, "4.3, (103)", "the formula with -2 I_b gives them",
     "the quotient of the row above with the other sign, from 0.99 to 1.01", "make contact-modes",
     0.99, 1.01, "contact_modes_known.csv",
     .number =
         BLOCK("0.2", "stops below, (103) with -2 I_b") OVER BLOCK("0.2", "stops below, centre")},
    {MODES, "Fig. 9",
     "the impact at 0.27 s is slow enough for the block to rest (the initial tilt is not given, "
     "and "
     "fitted to this time)",
     "speed of the third impact, which has this time at a tilt of 0.170984, at most 6.3 cm/s",
     "make contact-modes", 0.0, 6.3, "contact_modes_known.csv",
     .number = BLOCK("0.170984 --delta-t 0", "third, centre''s speed"), .verdict = UNSTATED},
    {MODES, "4.3", "without pseudo-impulses the block's impacts accumulate in finite time",
     "time at which they accumulate, below 0.5 s", "make contact-modes", 0.0, 0.5,
     "contact_modes_known.csv", .number = BLOCK("0.2 --delta-t 0", "impacts accumulate at")},
    {MODES, "4.3", "with pseudo-impulses it is at rest after finitely many impacts",
     "impacts at delta_t = 0.03 s, at most 10", "make contact-modes", 1.0, 10.0,
     "contact_modes_truncation.csv",
     .number = FIRST("contact_modes_truncation", "impacts", "delta_t = 0.03")},
    {MODES, "Theorem 11", "any delta_t > 0 ends the block's impacts",
     "most impacts until it rests, delta_t from 0.0001 to 0.1 s, at most 100", "make contact-modes",
     1.0, 100.0, "contact_modes_truncation.csv",
     .number = MOST("contact_modes_truncation", "impacts", "delta_t >= 0.00005")},
    {MODES, "Corollary 1", "past the accumulation the block goes on, on both corners",
     "largest rate of a coordinate at 0.6 s, after impacts have accumulated, at most 1e-9",
     "make contact-modes", 0.0, 1e-9, "contact_modes_known.csv",
     .number = BLOCK("0.2 --delta-t 0 --complete yes", "fastest rate at the end")},
    {MODES, "3.5.2", "the time that pseudo-impulses cut off vanishes with delta_t",
     "time cut off at delta_t = 1e-4 s over that at 0.01 s, at most 0.1", "make contact-modes", 0.0,
     0.1, "contact_modes_truncation.csv",
     .number = FIRST("contact_modes_truncation", "earlier", "delta_t = 0.0001")
         OVER FIRST("contact_modes_truncation", "earlier", "delta_t = 0.01")},
    {MODES, "Fig. 3", "a leap without pseudo-impulses: the front leg leaves as the rear one lands",
     "least force on the front leg of our robot from 25 to 60 ms, when the rear one lands, at "
     "most 0 N",
     "make contact-modes", -INFINITY, 0.0, "contact_modes_leap.csv",
     .number = LEAP("delta_t = 0", "front")},
    {MODES, "Fig. 3", "a leap with pseudo-impulses: the front leg stays",
     "least force on it, with delta_t = 0.03 s, at least 1 N", "make contact-modes", 1.0, INFINITY,
     "contact_modes_leap.csv", .number = LEAP("delta_t = 0.03", "front")},
    {MODES, "2.7.2, Figs. 5, 10", "the leap's impulses, and leaps of 37 and 73 cm",
     "not tried: Johnson & Koditschek (2013a) has masses and lengths, footnote 2 currents and "
     "times",
     NOT_TESTED},
    {MODES, "Lemmas 2, 3", "the first derivative that is not zero decides what a force trends to",
     "curves whose first such derivative is known, up to the eighth",
     TESTED("mechanics_trends", MECHANICS "trends.c")},
    {MODES, "Lemma 4", "a mode's equations have a solution where the reduced inertia is invertible",
     "random mechanisms with inertia of any rank",
     TESTED("mechanics_theorems", MECHANICS "theorems.c")},
    {MODES, "Lemmas 5, 8", "with an invertible inertia these are the usual forces and impulses",
     "random mechanisms: equations (17), (18) and (26)",
     TESTED("mechanics_algebra", MECHANICS "algebra.c")},
    {MODES, "Theorems 1, 2", "a contact that an impact or a force releases leaves its surface",
     "random mechanisms: accelerations and speeds of the contacts that leave",
     TESTED("mechanics_modes", MECHANICS "modes.c")},
    {MODES, "Lemma 10, Theorem 3", "one contact that a slow impact would release stays pressed",
     "random mechanisms for which the theorem is stated, slow and fast impacts",
     TESTED("mechanics_modes", MECHANICS "modes.c")},
    {MODES, "Theorems 5, 6", "the next mode is unique",
     "random mechanisms: forces, and impulses without pseudo-impulses, always have one mode",
     TESTED("mechanics_modes", MECHANICS "modes.c")},
    {MODES, "Theorems 7, 8", "an execution goes on, and has at most two transitions at one time",
     "random mechanisms: runs reach the end, accumulate impacts, or name what ends them",
     TESTED("mechanics_runs", MECHANICS "runs.c")},
    {MODES, "Theorem 9", "an initial condition in any consistent mode has one execution",
     "random mechanisms: initial modes with more contacts than necessary",
     TESTED("mechanics_theorems", MECHANICS "theorems.c")},
    {MODES, "Theorem 10", "an accumulation of impacts has a limit",
     "random mechanisms: all contacts touch there, at rest",
     TESTED("mechanics_theorems", MECHANICS "theorems.c")},
    {MODES, "Theorem 11", "with pseudo-impulses two contacts accumulate no impacts",
     "random mechanisms pressed on two contacts, with delta_t and without",
     TESTED("mechanics_theorems", MECHANICS "theorems.c")},
    {MODES, "Lemmas 1, 6, 7, Theorem 4", "topology of domains, and forces for all time",
     "nothing is computed from them", NOT_TESTED},
    {0},
};

enum { CLAIMS = STUDY_SAMPLES, FOLDER_SIZE = 4096 };

/* ---- rows ------------------------------------------------------------------------------------ */

#define VERDICT(X, row)                                                                            \
  X(row, paper, TEXT, "", "whose claim it is")                                                     \
  X(row, place, TEXT, "", "where it stands there")                                                 \
  X(row, says, TEXT, "", "what it says, in our words")                                             \
  X(row, criterion, TEXT, "",                                                                      \
    "what number decides, fixed before it was looked at; where none does, what a test asserts, "   \
    "or why nothing is measured")                                                                  \
  X(row, low, NUMBER, "", "the claim holds from here")                                             \
  X(row, high, NUMBER, "", "to here; not known: without a limit")                                  \
  X(row, number, NUMBER, "", "what was measured; " AS_TEXT(NO_RUN_ENDS) ": no run ends")           \
  X(row, verdict, TEXT, "",                                                                        \
    "holds; fails; cannot be reproduced: another number than the paper's, which does not state "   \
    "all that it takes; tested: a test asserts it; not measured; not tested; cannot be tested")    \
  X(row, command, TEXT, "", "what measures it, or the test")                                       \
  X(row, results, TEXT, "", "file that the number is of, or the test's source")
COLUMN_ROW(verdict, VERDICT);

/* ---- a claim's number ------------------------------------------------------------------------ */

/* NaN where nothing has been measured. 0, or -1 with one line */
static int find(study_run *run, const claim *c, double *number) {
  const char *const slash = strchr(c->file, '/'), *const dot = strchr(c->file, '.');
  const int length = slash && slash < dot ? (int)(slash - c->file) : 0;
  char folder[FOLDER_SIZE];
  snprintf(folder, sizeof folder, "%s/%.*s", run->folder, length, c->file);
  return study_ask_number(run, folder, c->number, number);
}

static const char *verdict_of(const claim *c, double number) {
  if (!c->number) return c->verdict;
  if (isnan(number)) return "not measured";
  if (number >= c->low && number <= c->high) return "holds";
  return c->verdict ? c->verdict : "fails";
}

static bool is_there(const study_run *run, const char *file) {
  char path[FOLDER_SIZE];
  snprintf(path, sizeof path, "%s/%s", run->folder, file);
  return access(path, F_OK) == 0;
}

/* a folder that is not there is a slip, and no folder without results; what earlier programs left
 * has no tables */
static int check(study_run *run) {
  struct stat about;
  if (stat(run->folder, &about) || !S_ISDIR(about.st_mode))
    return measure_fail(run->message, "there is no folder %s whose results could be judged",
                        run->folder);
  for (const claim *c = claims; c->paper && !is_there(run, "essbench.sqlite"); c++)
    if (c->number && is_there(run, c->file))
      return measure_fail(run->message,
                          "%s/%s is of an earlier essbench, which kept no essbench.sqlite; measure "
                          "it again",
                          run->folder, c->file);
  return 0;
}

/* ---- cells: one claim each ------------------------------------------------------------------- */

static int plan(study_run *run, size_t stage) {
  for (size_t i = 0; stage == 0 && claims[i].paper; i++) study_cell(run, &i, "claim=%zu", i);
  return 0;
}

static int judge(study_run *run, const void *cell) {
  const claim *const c = &claims[*(const size_t *)cell];
  verdict row = {.paper = c->paper,
                 .place = c->place,
                 .says = c->says,
                 .criterion = c->criterion,
                 .low = c->number && isfinite(c->low) ? c->low : (double)NAN,
                 .high = c->number && isfinite(c->high) ? c->high : (double)NAN,
                 .number = NAN,
                 .command = c->command ? c->command : "",
                 .results = c->file ? c->file : ""};
  if (c->number && find(run, c, &row.number)) return -1;
  row.verdict = verdict_of(c, row.number);
  return study_add(run, CLAIMS, &row);
}

/* ---- a screen -------------------------------------------------------------------------------- */

#define NO_END "number >= " AS_TEXT(NO_RUN_ENDS)

static void show(const study_run *run) {
  study_say(run, "SELECT iif(paper IS lag(paper) OVER told, '', iif(lag(paper) OVER told IS NULL, "
                 "'', '\n') || paper || '\n') || "
                 "printf('  %-20s %s (%s)\n  %20s %s', verdict, says, place, '', criterion) || "
                 "CASE WHEN " NO_END " THEN ': no run ends' "
                 "WHEN number IS NOT NULL THEN printf(': %.4g', number) ELSE '' END || "
                 "iif(verdict = 'not measured', '; run ' || command, '') "
                 "FROM claims JOIN newest USING (run) WINDOW told AS (ORDER BY within) "
                 "ORDER BY within");
  study_say(run,
            "SELECT printf('\n%d of %d claims hold, %d fail, %d are asserted by tests, %d cannot "
            "be reproduced, %d are not measured, %d are not tested, %d cannot be tested', "
            "sum(verdict = 'holds'), count(*), sum(verdict = 'fails'), sum(verdict = 'tested'), "
            "sum(verdict = 'cannot be reproduced'), sum(verdict = 'not measured'), "
            "sum(verdict = 'not tested'), sum(verdict = 'cannot be tested')) "
            "FROM claims JOIN newest USING (run)");
}

const study claims_study = {
    .name = "claims",
    .summary = "the papers' claims one by one, checked by the results in the folder or by a test",
    .file = "claims",
    .group = STUDY_VALIDATES,
    .make = "claims",
    STUDY_BRIEF,
    .cells = "claims",
    .cell_size = sizeof(size_t),
    .tables = {[CLAIMS] = STUDY_ROWS(verdict, .json = "claims", .csv = "claims.csv",
                                     .meaning = "one claim")},
    .check = check,
    .plan = plan,
    .run = judge,
    .show = show,
};
