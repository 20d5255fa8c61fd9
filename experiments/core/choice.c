/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "choice.h"

#include <math.h>

#include "baselines.h"
#include "bridge.h"
#include "solvers.h"
#include "statistics.h"

/* the longest of MuJoCo's steps, in output steps; halvings of a decade of tolerance, which leave 2
 * % */
enum { LONGEST = 6, HALVINGS = 7, FINEST_TO_TARGET = 64 };
static const double coarsest = 0.1, finest_tolerance = 0.9e-12, margin = 0.9;

/* where MuJoCo reaches no target, what libess's tails may be, over the target */
static const double q90_max = 3.0, worst_max = 10.0;

/* what takes so many times the fastest is not the cheapest, whatever the machine's mood; how often
 * the others are timed again */
enum { INTEGRATORS = 3, AGAIN = 3 };
static const double near = 1.3;

static const char *const integrators[INTEGRATORS] = {"Euler", "implicitfast", "RK4"};

choice_limits choice_limits_of(const choice *rival) {
  return (choice_limits){rival->rms, rival->rms_q90, rival->rms_worst};
}

/* not a number, or infinite, is never accepted */
static bool within(double value, double limit) {
  return value < INFINITY && value <= limit;
}

bool choice_accepts(const choice_limits *limits, const choice *c) {
  return c->seconds < INFINITY && within(c->rms, limits->rms) &&
         within(c->rms_q90, limits->rms_q90) && within(c->rms_worst, limits->rms_worst);
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* from all starts, unless the first takes too long; false when it is out */
static bool run_all(contestant *from, double patience, choice *c) {
  double seconds[CHOICE_STARTS];
  const size_t trials = from->starts->trials < CHOICE_STARTS ? from->starts->trials : CHOICE_STARTS;
  for (size_t i = 0; i < trials; i++)
    if (contestant_sample(from, i, &seconds[i]) || seconds[0] > patience) return false;
  return !measure_median(seconds, trials, &c->seconds) &&
         !measure_median(from->rms, trials, &c->rms) &&
         !measure_quantile(from->rms, trials, 0.9, &c->rms_q90) &&
         !measure_quantile(from->rms, trials, 1.0, &c->rms_worst);
}

void choice_try(const contest_starts *starts, const solver_type *solver, double patience,
                choice *c) {
  char message[SOLVER_MESSAGE_SIZE];
  contestant tried;
  bool good = !contestant_prepare(&tried, solver, &c->settings, starts, message);
  if (good) {
    good = run_all(&tried, patience, c);
    contestant_release(&tried);
  }
  if (!good) c->seconds = c->rms = c->rms_q90 = c->rms_worst = INFINITY;
}

/* the same, unless there was an interrupt */
static int try_one(const choice_request *request, const solver_type *solver, double patience,
                   choice *c, char *message) {
  if (request->interrupted && *request->interrupted) return measure_fail(message, "interrupted");
  choice_try(request->starts, solver, patience, c);
  return 0;
}

/* ---- MuJoCo ---------------------------------------------------------------------------------- */

/* 6, 5, 4, 3, 2, 1 output steps, and 1/2, 1/3, 1/4, 1/6, 1/8, 1/12, ... of one; 0 behind the last
 */
static double next_step(double step, size_t finest) {
  if (step > 1.0) return step - 1.0;
  const size_t parts = (size_t)round(1.0 / step);
  const bool power_of_two = (parts & (parts - 1)) == 0;
  const size_t next = parts == 1 ? 2 : power_of_two ? parts + parts / 2 : parts / 3 * 4;
  return next <= finest ? 1.0 / (double)next : 0.0;
}

/* of a solver by one of its variants the longest step that is accepted, unless a shorter one than
 * that would take far longer than the best of the others. 0, or -1 */
static int longest_step(const choice_request *request, const solver_type *solver,
                        const char *variant, size_t finest, double best_s, choice *out,
                        char *message) {
  const double dt = request->starts->m->type->time_step;
  for (double step = LONGEST; step > 0.0; step = next_step(step, finest)) {
    *out = (choice){.settings = request->base};
    out->settings.variant = variant;
    out->settings.time_step = dt * step;
    if (try_one(request, solver, 2.0 * best_s, out, message)) return -1;
    if (choice_accepts(&request->limits, out)) return 0;
    const bool slower = out->seconds < INFINITY && out->seconds >= near * best_s;
    out->seconds = INFINITY;
    if (slower) return 0;
  }
  return 0;
}

/* those that are nearly as fast as the fastest once more: their times are to be of one moment */
static int time_again(const choice_request *request, const solver_type *const solver[],
                      choice last[], size_t count, double best_s, char *message) {
  for (size_t i = 0; i < AGAIN * count; i++) {
    choice *const c = &last[i % count], again = *c;
    if (!(c->seconds < near * best_s)) continue;
    if (try_one(request, solver[i % count], INFINITY, &again, message)) return -1;
    c->seconds = fmin(c->seconds, again.seconds);
  }
  return 0;
}

/* the place of the fastest */
static size_t fastest(const choice last[], size_t count) {
  size_t best = 0;
  for (size_t i = 1; i < count; i++)
    if (last[i].seconds < last[best].seconds) best = i;
  return best;
}

static int none_good_enough(const choice_request *request, const char *who, char *message) {
  measure_message(message, "no setting of %s is good enough: a median error of %.3g is accepted",
                  who, request->limits.rms);
  return 1;
}

int choice_mujoco(const choice_request *request, size_t finest, choice *best,
                  char message[SOLVER_MESSAGE_SIZE]) {
  static const solver_type *const solver[INTEGRATORS] = {&bridge_solver, &bridge_solver,
                                                         &bridge_solver};
  choice last[INTEGRATORS];
  double best_s = INFINITY;
  for (int i = 0; i < INTEGRATORS; i++) {
    if (longest_step(request, &bridge_solver, integrators[i], finest, best_s, &last[i], message))
      return -1;
    best_s = fmin(best_s, last[i].seconds);
  }
  if (time_again(request, solver, last, INTEGRATORS, best_s, message)) return -1;
  *best = last[fastest(last, INTEGRATORS)];
  return best->seconds < INFINITY ? 0 : none_good_enough(request, "mujoco", message);
}

int choice_at_target(const choice_request *request, double target, choice *mujoco,
                     choice_limits *ours, char message[SOLVER_MESSAGE_SIZE]) {
  choice_request median = *request;
  median.limits = (choice_limits){target, INFINITY, INFINITY};
  const int status = choice_mujoco(&median, FINEST_TO_TARGET, mujoco, message);
  *ours = status ? (choice_limits){target, q90_max * target, worst_max * target}
                 : (choice_limits){target, fmax(mujoco->rms_q90, target),
                                   fmax(mujoco->rms_worst, target)};
  return status;
}

/* ---- a tolerance ----------------------------------------------------------------------------- */

static int try_tolerance(const choice_request *request, const solver_type *solver, double tolerance,
                         choice *c, char *message) {
  c->settings = request->base;
  c->settings.h_max = INFINITY;
  c->settings.rtol = c->settings.atol = tolerance;
  return try_one(request, solver, INFINITY, c, message);
}

/* between one that is accepted and one that is not, until they are close together */
static int bisect(const choice_request *request, const solver_type *solver, double refused,
                  choice *best, char *message) {
  for (int i = 0; i < HALVINGS; i++) {
    choice c;
    const double middle = sqrt(best->settings.rtol * refused);
    if (try_tolerance(request, solver, middle, &c, message)) return -1;
    if (choice_accepts(&request->limits, &c))
      *best = c;
    else
      refused = middle;
  }
  return 0;
}

/* 0; 1 where none is good enough, and *best is what the smallest gave, without a line; -1 */
static int largest_tolerance(const choice_request *request, const solver_type *solver, choice *best,
                             char *message) {
  // errors need not fall with every tolerance: the first decade that will do, not any
  for (double tolerance = coarsest; tolerance > finest_tolerance; tolerance *= 0.1) {
    if (try_tolerance(request, solver, tolerance, best, message)) return -1;
    if (!choice_accepts(&request->limits, best)) continue;
    return tolerance < coarsest ? bisect(request, solver, 10.0 * tolerance, best, message) : 0;
  }
  return 1;
}

static choice_request with_margin(const choice_request *request) {
  choice_request with = *request;
  with.limits.rms *= margin;
  return with;
}

int choice_tolerance(const choice_request *request, choice *best,
                     char message[SOLVER_MESSAGE_SIZE]) {
  const choice_request with = with_margin(request);
  const choice_limits *const limits = &with.limits;
  const int status = largest_tolerance(&with, &libess_solver, best, message);
  if (status > 0)
    measure_message(message,
                    "no tolerance is good enough: with %.3g median, 90 %% and worst are %.3g, "
                    "%.3g, %.3g, and %.3g, %.3g, %.3g are accepted",
                    best->settings.rtol, best->rms, best->rms_q90, best->rms_worst, limits->rms,
                    limits->rms_q90, limits->rms_worst);
  return status;
}

/* ---- methods that look for no crossing ------------------------------------------------------- */

int choice_plain(const choice_request *request, size_t finest, choice *best,
                 const solver_type **who, char message[SOLVER_MESSAGE_SIZE]) {
  enum { TOLERANT = 2, PLAIN = 4 };
  static const solver_type *const solver[PLAIN] = {&plain_dopri5_solver, &plain_cvode_solver,
                                                   &plain_euler_solver, &plain_rk4_solver};
  const choice_request with = with_margin(request);
  choice last[PLAIN];
  double best_s = INFINITY;
  // those with a tolerance first: their cost ends the search for steps that cannot be cheaper
  for (size_t i = 0; i < PLAIN; i++) {
    const int status =
        i < TOLERANT ? largest_tolerance(&with, solver[i], &last[i], message)
                     : longest_step(request, solver[i], NULL, finest, best_s, &last[i], message);
    if (status < 0) return -1;
    if (status > 0) last[i].seconds = INFINITY;
    best_s = fmin(best_s, last[i].seconds);
  }
  if (time_again(request, solver, last, PLAIN, best_s, message)) return -1;
  const size_t at = fastest(last, PLAIN);
  *best = last[at];
  *who = solver[at];
  return best->seconds < INFINITY ? 0 : none_good_enough(request, "the plain methods", message);
}
