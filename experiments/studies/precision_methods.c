/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The methods that are compared, each with its knob: a new one is one entry here. */
#include <math.h>
#include <string.h>

#include "precision.h"
#include "solvers.h"

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
static const double tolerances[] = {1e-2, 1e-3, 3e-4, 1e-4, 3e-5,  1e-5,  3e-6,  1e-6,
                                    3e-7, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 0};
static const double accuracies[] = {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 0};
static const double accuracies_of_first_order[] = {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 0};
static const double steps[] = {1e-2, 4e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5, 0};

/* by one tolerance; by a tolerance, each crossing located; by steps of one length; and by epsilon
 * with a tolerance of factor * epsilon^power */
#define METHOD(name_, label_, solver_, variant_, knob_, values_, ...)                              \
  {                                                                                                \
    .name = name_, .label = label_, .solver = solver_, .variant = variant_,                        \
    .knob = PRECISION_##knob_, .values = values_, __VA_ARGS__                                      \
  }
#define LOCATING(name, label, solver, variant)                                                     \
  METHOD(name, label, solver, variant, RTOL, tolerances, .order = 0)
#define STEPPING(name, label, solver, variant)                                                     \
  METHOD(name, label, solver, variant, TIME_STEP, steps, .order = 0)
#define MATCHED(name, label, solver, variant, values, factor, power, ...)                          \
  METHOD(name, label, solver, variant, EPSILON, values, .tolerance_factor = factor,                \
         .tolerance_power = power, __VA_ARGS__)

/* A tolerance matched to epsilon falls as fast as the error that epsilon makes, and with its factor
 * makes about as large a one on the plate. A projection of order 1 makes errors of order epsilon^2,
 * and so does the smooth method, whose epsilon is the width of its force; one of order 2 makes
 * errors of order epsilon^3. The smooth method's factor is 10 at widths of 1e-3 and more, where 1
 * would integrate more finely than the width is worth: a quarter to a third fewer evaluations for
 * median errors that are 0.7 to 1.3 times as large (2 to 100 contacts), though the worst start's
 * are up to 7 times. */
const precision_method precision_methods[] = {
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
    STEPPING("plain-euler", "plain Euler", "plain-euler", NULL),
    STEPPING("plain-rk4", "plain RK4", "plain-rk4", NULL),
    METHOD("plain-dopri5", "plain dopri5", "plain-dopri5", NULL, TOLERANCE, libess_tolerances,
           .order = 0),
    METHOD("plain-cvode", "plain CVODE", "plain-cvode", NULL, TOLERANCE, libess_tolerances,
           .order = 0),
    STEPPING("mujoco-Euler", "MuJoCo Euler", "mujoco", "Euler"),
    STEPPING("mujoco-implicit", "MuJoCo implicit", "mujoco", "implicit"),
    STEPPING("mujoco-implicitfast", "MuJoCo implicitfast", "mujoco", "implicitfast"),
    STEPPING("mujoco-RK4", "MuJoCo RK4", "mujoco", "RK4"),
    // these race only where --methods names them: they are no part of the build
    METHOD("drake-cenic", "Drake CENIC", "drake", "cenic", TOLERANCE, accuracies_of_first_order,
           .order = 0),
    METHOD("drake-rk3", "Drake RK3", "drake", "rk3", TOLERANCE, accuracies, .order = 0),
    METHOD("drake-rk5", "Drake RK5", "drake", "rk5", TOLERANCE, accuracies, .order = 0),
    {0},
};
const size_t precision_method_count = sizeof precision_methods / sizeof *precision_methods - 1;
const size_t precision_default_count = sizeof precision_methods / sizeof *precision_methods - 4;

const char *precision_knob_name(precision_knob knob) {
  static const char *const names[] = {[PRECISION_EPSILON] = "epsilon",
                                      [PRECISION_TOLERANCE] = "tolerance",
                                      [PRECISION_RTOL] = "rtol",
                                      [PRECISION_TIME_STEP] = "time_step"};
  return names[knob];
}

static void set_tolerance(solver_settings *s, double rtol) {
  s->rtol = fmin(1e-2, fmax(1e-13, rtol));
  s->atol = 1e-2 * s->rtol;
}

solver_settings precision_settings(const precision_method *method, double value, size_t contacts) {
  solver_settings s = solver_settings_default();
  if (contacts > contacts_of_default_scaling) s.scaling = large_scaling;
  s.variant = method->variant;
  if (method->order) s.order = method->order;
  if (method->knob == PRECISION_EPSILON) s.epsilon = value;
  if (method->knob == PRECISION_TOLERANCE) s.rtol = s.atol = value;
  if (method->knob == PRECISION_RTOL) set_tolerance(&s, value);
  if (method->knob == PRECISION_TIME_STEP) s.time_step = value;
  if (method->tolerance_factor > 0.0) {
    const bool coarse = method->coarse > 0.0 && value >= method->coarse;
    const double factor = coarse ? method->coarse_factor : method->tolerance_factor;
    set_tolerance(&s, factor * pow(value, method->tolerance_power));
  }
  return s;
}

double precision_expected_time(const precision_method *method, double coarser, double seconds,
                               double value) {
  return method->knob == PRECISION_TIME_STEP ? seconds * coarser / value : seconds;
}

bool precision_chosen(const option_names *methods, size_t method) {
  bool chosen = methods->count == 0 && method < precision_default_count;
  for (size_t i = 0; i < methods->count; i++) chosen = chosen || methods->index[i] == method;
  return chosen;
}

int precision_check_methods(const model *m, const option_names *methods, char *message) {
  trajectory samples;
  int status = trajectory_alloc(&samples, m, message);
  if (status) return status;
  const solver_output output = trajectory_output(&samples);
  for (size_t i = 0; i < precision_method_count; i++) {
    if (!precision_chosen(methods, i)) continue;
    const solver_type *const solver = solver_find(precision_methods[i].solver);
    const solver_settings settings =
        precision_settings(&precision_methods[i], precision_methods[i].values[0], 1);
    void *instance;
    status = solver->prepare(m, &settings, &output, &instance, message);
    if (!status) solver->release(instance);
    if (status != SOLVER_REFUSED) break;
  }
  trajectory_free(&samples);
  return status;
}

/* units of work of an evaluation: one for each contact and some besides; and how many times as many
 * of one of MuJoCo, which finds contacts and solves for their forces. A unit then takes some 2 ns.
 */
static const double units_besides = 16.0, times_of_mujoco = 25.0;

size_t precision_trials(const precision_effort *effort, const precision_method *method,
                        double evaluations) {
  const size_t few = effort->trials < PRECISION_FEW ? effort->trials : PRECISION_FEW;
  const double times = strcmp(method->solver, bridge_solver.name) == 0 ? times_of_mujoco : 1.0;
  const double work = evaluations * ((double)effort->contacts + units_besides) * times;
  if (work * (double)effort->trials <= effort->point_work) return effort->trials;
  return work * (double)few <= effort->point_work ? few : 1;
}
