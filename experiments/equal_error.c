/*
 * The equal-error protocol: searches the cheapest settings that reach an error, on starts other
 * than those that will be timed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bridge.h"
#include "protocol.h"
#include "solvers.h"
#include "statistics.h"

/* tuning starts: enough for a median, few enough to try some hundred settings */
enum { TUNING_TRIALS = 24, SUBSTEPS_MAX = 64, TARGETS = 3 };

/* tuning aims a little lower than the target, for its median is that of other starts */
static const double margin = 0.9;

/* target errors at which MuJoCo chooses its step and integrator as freely as we choose ours */
static const double targets[TARGETS] = {1e-2, 3e-3, 1e-3};

/* settings searched: epsilon and tolerance together */
static const double epsilons[] = {1e-2,   5.6e-3, 3.2e-3, 1.8e-3, 1e-3,   5.6e-4, 3.2e-4,
                                  1.8e-4, 1e-4,   3.2e-5, 1e-5,   3.2e-6, 1e-6};
static const double tolerances[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
static const char *const integrators[] = {"Euler", "implicitfast", "implicit", "RK4"};

/* a setting tried: its median error and time on the tuning starts */
typedef struct attempt {
  solver_settings settings;
  double rms, seconds;
} attempt;

/* one search under way */
typedef struct tuning {
  contest_starts starts;
  const protocol_request *request;
  char *message;
} tuning;

/* runs one setting from every tuning start; a solver that refuses or fails there is no candidate */
static int try_settings(tuning *t, const solver_type *solver, attempt *a) {
  double seconds[TUNING_TRIALS];
  contestant c;
  a->rms = a->seconds = INFINITY;
  if (t->request->interrupted && *t->request->interrupted) {
    snprintf(t->message, SOLVER_MESSAGE_SIZE, "interrupted");
    return -1;
  }
  if (contestant_prepare(&c, solver, &a->settings, &t->starts, t->message)) return 0;
  bool failed = false;
  for (size_t i = 0; !failed && i < TUNING_TRIALS; i++) {
    failed = contestant_try(&c, i) || contestant_time(&c, i, &seconds[i]);
  }
  // a median that is not finite is that of a setting that cannot be used
  if (!failed && (measure_median(c.rms, TUNING_TRIALS, &a->rms) ||
                  measure_median(seconds, TUNING_TRIALS, &a->seconds)))
    a->rms = a->seconds = INFINITY;
  contestant_release(&c);
  return 0;
}

/* keeps the cheaper of two attempts that reach the target */
static void keep(const attempt *a, double target, attempt *best) {
  if (a->rms <= margin * target && a->seconds < best->seconds) *best = *a;
}

static int tune_projection(tuning *t, const solver_settings *base, double target, attempt *best) {
  for (size_t i = 0; i < sizeof tolerances / sizeof *tolerances; i++)
    for (size_t k = 0; k < sizeof epsilons / sizeof *epsilons; k++) {
      attempt a = {.settings = *base};
      a.settings.h_max = INFINITY;
      a.settings.epsilon = epsilons[k];
      a.settings.rtol = tolerances[i];
      a.settings.atol = 1e-2 * tolerances[i];
      if (try_settings(t, &projection_solver, &a)) return -1;
      keep(&a, target, best);
    }
  return 0;
}

/* 1, 2, 3, 4, 6, 8, 12, 16, ... */
static int next_substeps(int substeps) {
  const bool power_of_two = (substeps & (substeps - 1)) == 0;
  return substeps == 1 ? 2 : power_of_two ? substeps + substeps / 2 : substeps / 3 * 4;
}

/* every integrator at ever smaller steps, until it reaches the target: smaller ones only cost more
 */
static int tune_mujoco(tuning *t, const solver_settings *base, double target, attempt *best) {
  for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++)
    // steps 0.002/1, /2, /3, /4, /6, /8, /12, ... s: no more than half as many again as are needed
    for (int substeps = 1; substeps <= SUBSTEPS_MAX; substeps = next_substeps(substeps)) {
      attempt a = {.settings = *base};
      a.settings.variant = integrators[i];
      a.settings.time_step = t->request->m->type->time_step / substeps;
      if (try_settings(t, &bridge_solver, &a)) return -1;
      keep(&a, target, best);
      // an integrator that is slower than the best already, or has arrived, goes no further
      if (a.rms <= margin * target || !(a.seconds < best->seconds)) break;
    }
  return 0;
}

/* enters the cheapest setting of one solver; one that reaches no target is left out with a line */
static int enter_tuned(tuning *t, const solver_type *solver, const char *protocol, double target,
                       protocol_entries *entries) {
  attempt best = {.seconds = INFINITY};
  const bool is_mujoco = solver == &bridge_solver;
  const int status = is_mujoco ? tune_mujoco(t, &t->request->settings, target, &best)
                               : tune_projection(t, &t->request->settings, target, &best);
  if (status) return -1;
  if (!(best.seconds < INFINITY)) {
    fprintf(stderr, "warning: %s: no setting of %s reaches an RMS error of %.3g\n", protocol,
            solver->name, target);
    return 0;
  }
  protocol_entry entry = {
      .solver = solver, .settings = best.settings, .target = target, .tuned_rms = best.rms};
  snprintf(entry.protocol, sizeof entry.protocol, "%s", protocol);
  return protocol_append(entries, &entry, t->message);
}

/* MuJoCo at the output step, and ours at no worse an error */
static int enter_against_mujoco(tuning *t, protocol_entries *entries) {
  attempt mujoco = {.settings = t->request->settings};
  mujoco.settings.time_step = t->request->m->type->time_step;
  if (try_settings(t, &bridge_solver, &mujoco)) return -1;
  if (!(mujoco.rms < INFINITY)) return -1;
  protocol_entry entry = {.solver = &bridge_solver,
                          .settings = mujoco.settings,
                          .protocol = "equal-error",
                          .target = mujoco.rms,
                          .tuned_rms = mujoco.rms};
  if (protocol_append(entries, &entry, t->message)) return -1;
  return enter_tuned(t, &projection_solver, "equal-error", mujoco.rms, entries);
}

static int enter_all(tuning *t, protocol_entries *entries) {
  for (size_t i = 0; i < TUNING_TRIALS; i++)
    if (contest_reference(&t->starts, i, t->message)) return -1;
  if (enter_against_mujoco(t, entries)) return -1;
  for (int i = 0; i < TARGETS; i++) {
    char protocol[PROTOCOL_NAME_SIZE];
    snprintf(protocol, sizeof protocol, "target-%g", targets[i]);
    if (enter_tuned(t, &bridge_solver, protocol, targets[i], entries)) return -1;
    if (enter_tuned(t, &projection_solver, protocol, targets[i], entries)) return -1;
  }
  return 0;
}

static int enter(const protocol_request *request, protocol_entries *entries,
                 char message[SOLVER_MESSAGE_SIZE]) {
  tuning t = {.request = request, .message = message};
  const unsigned long seed = request->seed + 0x9e3779b9UL;
  if (contest_starts_alloc(&t.starts, request->m, TUNING_TRIALS, true, seed, message)) return -1;
  const int status = enter_all(&t, entries);
  contest_starts_free(&t.starts);
  return status;
}

const protocol_type equal_error_protocol = {.name = "equal-error", .enter = enter};
