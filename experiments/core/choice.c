/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "choice.h"

#include <math.h>

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

/* of an integrator the longest step that is accepted, unless a shorter one than that would take far
 * longer than the best of the others. 0, or -1 */
static int longest_step(const choice_request *request, const char *integrator, size_t finest,
                        double best_s, choice *out, char *message) {
  const double dt = request->starts->m->type->time_step;
  for (double step = LONGEST; step > 0.0; step = next_step(step, finest)) {
    *out = (choice){.settings = request->base};
    out->settings.variant = integrator;
    out->settings.time_step = dt * step;
    if (try_one(request, &bridge_solver, 2.0 * best_s, out, message)) return -1;
    if (choice_accepts(&request->limits, out)) return 0;
    const bool slower = out->seconds < INFINITY && out->seconds >= near * best_s;
    out->seconds = INFINITY;
    if (slower) return 0;
  }
  return 0;
}

/* those that are nearly as fast as the fastest once more: their times are to be of one moment */
static int time_again(const choice_request *request, choice last[INTEGRATORS], double best_s,
                      char *message) {
  for (int i = 0; i < AGAIN * INTEGRATORS; i++) {
    choice *const c = &last[i % INTEGRATORS], again = *c;
    if (!(c->seconds < near * best_s)) continue;
    if (try_one(request, &bridge_solver, INFINITY, &again, message)) return -1;
    c->seconds = fmin(c->seconds, again.seconds);
  }
  return 0;
}

int choice_mujoco(const choice_request *request, size_t finest, choice *best,
                  char message[SOLVER_MESSAGE_SIZE]) {
  choice last[INTEGRATORS];
  double best_s = INFINITY;
  for (int i = 0; i < INTEGRATORS; i++) {
    if (longest_step(request, integrators[i], finest, best_s, &last[i], message)) return -1;
    best_s = fmin(best_s, last[i].seconds);
  }
  if (time_again(request, last, best_s, message)) return -1;
  *best = last[0];
  for (int i = 1; i < INTEGRATORS; i++)
    if (last[i].seconds < best->seconds) *best = last[i];
  if (best->seconds < INFINITY) return 0;
  measure_message(message,
                  "no setting of mujoco is good enough: a median error of %.3g is accepted",
                  request->limits.rms);
  return 1;
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

/* ---- libess ---------------------------------------------------------------------------------- */

static int try_tolerance(const choice_request *request, double tolerance, choice *c,
                         char *message) {
  c->settings = request->base;
  c->settings.h_max = INFINITY;
  c->settings.rtol = c->settings.atol = tolerance;
  return try_one(request, &libess_solver, INFINITY, c, message);
}

/* between one that is accepted and one that is not, until they are close together */
static int bisect(const choice_request *request, double refused, choice *best, char *message) {
  for (int i = 0; i < HALVINGS; i++) {
    choice c;
    const double middle = sqrt(best->settings.rtol * refused);
    if (try_tolerance(request, middle, &c, message)) return -1;
    if (choice_accepts(&request->limits, &c))
      *best = c;
    else
      refused = middle;
  }
  return 0;
}

int choice_tolerance(const choice_request *request, choice *best,
                     char message[SOLVER_MESSAGE_SIZE]) {
  choice_request within_margin = *request;
  within_margin.limits.rms *= margin;
  const choice_limits *const limits = &within_margin.limits;
  // errors need not fall with every tolerance: the first decade that will do, not any
  for (double tolerance = coarsest; tolerance > finest_tolerance; tolerance *= 0.1) {
    if (try_tolerance(request, tolerance, best, message)) return -1;
    if (!choice_accepts(limits, best)) continue;
    return tolerance < coarsest ? bisect(&within_margin, 10.0 * tolerance, best, message) : 0;
  }
  measure_message(message,
                  "no tolerance is good enough: with %.3g median, 90 %% and worst are %.3g, %.3g, "
                  "%.3g, and %.3g, %.3g, %.3g are accepted",
                  best->settings.rtol, best->rms, best->rms_q90, best->rms_worst, limits->rms,
                  limits->rms_q90, limits->rms_worst);
  return 1;
}
