/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "methods.h"

#include <math.h>

/* MuJoCo's default scaling is enough up to so many contacts; beyond, it is this */
static const size_t contacts_of_default_scaling = 500;
static const double large_scaling = 1e7;

static const double epsilons[] = {3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4,
                                  3e-5, 1e-5, 3e-6, 1e-6, 3e-7, 0};
static const double epsilons_of_order_2[] = {2e-2, 1e-2, 5e-3, 3e-3, 2e-3, 1e-3, 5e-4,
                                             3e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5, 0};
static const double widths[] = {1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 1e-6, 0};
static const double libess_tolerances[] = {1e-1, 3e-2, 1e-2,  3e-3,  1e-3,  3e-4, 1e-4,
                                           3e-5, 1e-5, 3e-6,  1e-6,  3e-7,  1e-7, 3e-8,
                                           1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 0};
static const double tolerances_of_order_2[] = {1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5,
                                               1e-5, 3e-6, 1e-6, 3e-7, 1e-7, 1e-8, 1e-9, 0};
static const double tolerances[] = {1e-2, 1e-3, 3e-4, 1e-4, 3e-5,  1e-5,  3e-6,  1e-6,
                                    3e-7, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 0};
static const double accuracies[] = {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 0};
static const double accuracies_of_first_order[] = {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 0};
/* multiples of 2 ms and parts of it, so dense that the next one costs at most twice as much */
static const double steps[] = {2.4e-2,    2e-2, 1.6e-2, 1.4e-2,   1.2e-2, 1e-2,     8e-3,     6e-3,
                               4e-3,      2e-3, 1e-3,   2e-3 / 3, 5e-4,   2e-3 / 6, 2e-3 / 8, 2e-4,
                               2e-3 / 14, 1e-4, 5e-5,   2e-5,     1e-5,   0};

/* by one tolerance; by a tolerance, each crossing located; by steps of one length; and by epsilon
 * with a tolerance of factor * epsilon^power */
#define METHOD(name_, label_, solver_, variant_, knob_, values_, ...)                              \
  {                                                                                                \
    .name = name_, .label = label_, .solver = solver_, .variant = variant_,                        \
    .knob = METHOD_##knob_, .values = values_, __VA_ARGS__                                         \
  }
#define LOCATING(name, label, solver, variant)                                                     \
  METHOD(name, label, solver, variant, RTOL, tolerances, .order = 0)
#define STEPPING(name, label, solver, variant)                                                     \
  METHOD(name, label, solver, variant, TIME_STEP, steps, .order = 0)
#define MATCHED(name, label, solver, variant, values, factor, power, ...)                          \
  METHOD(name, label, solver, variant, EPSILON, values, .tolerance_factor = factor,                \
         .tolerance_power = power, __VA_ARGS__)

/* libess by another of its bases */
#define LIBESS(base, values)                                                                       \
  METHOD("libess-" base, "libess " base, "libess-" base, NULL, TOLERANCE, values,                  \
         .on_request = true)

/* one of Simbody's integrators, on the law as a force or on its own contacts, without witness
 * functions or with them */
#define SIMBODY_ON(name, label)                                                                    \
  METHOD("simbody-" name, label, "simbody", name, TOLERANCE, accuracies, .on_request = true)
#define SIMBODY(name, label)                                                                       \
  SIMBODY_ON(name, "Simbody " label),                                                              \
      SIMBODY_ON(name "-witness", "Simbody " label " with witnesses"),                             \
      SIMBODY_ON(name "-contact", "Simbody " label " on contacts"),                                \
      SIMBODY_ON(name "-contact-witness", "Simbody " label " on contacts with witnesses")

/* A tolerance matched to epsilon falls as fast as the error that epsilon makes, and with its factor
 * makes about as large a one on the plate. A projection of order 1 makes errors of order epsilon^2,
 * and so does the smooth method, whose epsilon is the width of its force; one of order 2 makes
 * errors of order epsilon^3. The smooth method's factor is 10 at widths of 1e-3 and more, where 1
 * would integrate more finely than the width is worth: a quarter to a third fewer evaluations for
 * median errors that are 0.7 to 1.3 times as large (2 to 100 contacts), though the worst start's
 * are up to 7 times. */
const race_method race_methods[] = {
    METHOD("libess", "libess", "libess", NULL, TOLERANCE, libess_tolerances, .order = 0),
    MATCHED("projection-1", "projection order 1", "projection", NULL, epsilons, 100, 2, .order = 1),
    MATCHED("projection-2", "projection order 2", "projection", NULL, epsilons_of_order_2, 1000, 3,
            .order = 2),
    MATCHED("listing", "Listing 1", "listing", "paper", epsilons, 100, 2, .order = 0),
    MATCHED("listing-free", "Listing 1 (free step)", "listing", "free", epsilons, 100, 2,
            .order = 0),
    LOCATING("location-chandrupatla", "location by Chandrupatla", "location", "chandrupatla"),
    LOCATING("location-brent", "location by Brent", "location", "brent"),
    LOCATING("cvode-adams", "CVODE Adams + roots", "cvode", "adams"),
    LOCATING("cvode-bdf", "CVODE BDF + roots", "cvode", "bdf"),
    LOCATING("gsl-rk8pd", "GSL rk8pd + bisection", "gsl", "rk8pd"),
    LOCATING("gsl-rkf45", "GSL rkf45 + bisection", "gsl", "rkf45"),
    STEPPING("hybrid", "hybrid Euler", "hybrid", NULL),
    MATCHED("smooth", "smooth force", "smooth", NULL, widths, 1, 2, .coarse = 1e-3,
            .coarse_factor = 10),
    STEPPING("time-stepping-euler", "time-stepping Euler", "time-stepping", "euler"),
    STEPPING("time-stepping-midpoint", "time-stepping midpoint", "time-stepping", "midpoint"),
    STEPPING("ode", "ODE", "ode", NULL),
    STEPPING("plain-euler", "event-unaware Euler", "plain-euler", NULL),
    STEPPING("plain-rk4", "event-unaware RK4", "plain-rk4", NULL),
    METHOD("plain-dopri5", "event-unaware dopri5", "plain-dopri5", NULL, TOLERANCE,
           libess_tolerances, .order = 0),
    METHOD("plain-cvode", "event-unaware CVODE", "plain-cvode", NULL, TOLERANCE, libess_tolerances,
           .order = 0),
    METHOD("plain-heun", "event-unaware Heun", "plain-heun", NULL, TOLERANCE, tolerances_of_order_2,
           .order = 0),
    METHOD("plain-adams2", "event-unaware Adams 2", "plain-adams2", NULL, TOLERANCE,
           tolerances_of_order_2, .order = 0),
    STEPPING("mujoco-Euler", "MuJoCo Euler", "mujoco", "Euler"),
    STEPPING("mujoco-implicit", "MuJoCo implicit", "mujoco", "implicit"),
    STEPPING("mujoco-implicitfast", "MuJoCo implicitfast", "mujoco", "implicitfast"),
    STEPPING("mujoco-RK4", "MuJoCo RK4", "mujoco", "RK4"),
    STEPPING("mujoco-callback-Euler", "MuJoCo callback Euler", "mujoco-callback", "Euler"),
    STEPPING("mujoco-callback-implicitfast", "MuJoCo callback implicitfast", "mujoco-callback",
             "implicitfast"),
    STEPPING("mujoco-callback-RK4", "MuJoCo callback RK4", "mujoco-callback", "RK4"),
    METHOD("plain-lit", "event-unaware LIT", "plain-lit", NULL, TOLERANCE, tolerances_of_order_2,
           .order = 0),
    // the engines are no part of the build
    METHOD("drake-cenic", "Drake CENIC", "drake", "cenic", TOLERANCE, accuracies_of_first_order,
           .on_request = true),
    METHOD("drake-rk3", "Drake RK3", "drake", "rk3", TOLERANCE, accuracies, .on_request = true),
    METHOD("drake-rk5", "Drake RK5", "drake", "rk5", TOLERANCE, accuracies, .on_request = true),
    SIMBODY("merson", "Merson"),
    SIMBODY("cpodes", "CPodes BDF"),
    SIMBODY("adams", "CPodes Adams"),
    LIBESS("rkc", tolerances_of_order_2),
    LIBESS("rodas", libess_tolerances),
    LIBESS("ros2", tolerances_of_order_2),
    LIBESS("lit", tolerances_of_order_2),
    {0},
};

const size_t race_method_count = sizeof race_methods / sizeof *race_methods - 1;

const char *method_knob_name(method_knob knob) {
  static const char *const names[] = {[METHOD_EPSILON] = "epsilon",
                                      [METHOD_TOLERANCE] = "tolerance",
                                      [METHOD_RTOL] = "rtol",
                                      [METHOD_TIME_STEP] = "time_step"};
  return names[knob];
}

static void set_tolerance(solver_settings *s, double rtol) {
  s->rtol = fmin(1e-2, fmax(1e-13, rtol));
  s->atol = 1e-2 * s->rtol;
}

solver_settings method_settings(const race_method *method, double value, size_t contacts) {
  solver_settings s = solver_settings_default();
  if (contacts > contacts_of_default_scaling) s.scaling = large_scaling;
  s.variant = method->variant;
  if (method->order) s.order = method->order;
  if (method->knob == METHOD_EPSILON) s.epsilon = value;
  if (method->knob == METHOD_TOLERANCE) s.rtol = s.atol = value;
  if (method->knob == METHOD_RTOL) set_tolerance(&s, value);
  if (method->knob == METHOD_TIME_STEP) s.time_step = value;
  if (method->tolerance_factor > 0.0) {
    const bool coarse = method->coarse > 0.0 && value >= method->coarse;
    const double factor = coarse ? method->coarse_factor : method->tolerance_factor;
    set_tolerance(&s, factor * pow(value, method->tolerance_power));
  }
  return s;
}
