/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who races in a sweep at one number of contacts, with which settings.
 *
 *   paper        the paper's section 5.2: integration steps no longer than the output step, epsilon
 *                from the calibration on the hopper
 *   free         the same epsilon, integration steps as long as the tolerance allows
 *   equal-error  MuJoCo's cheapest setting and libess's largest tolerance that are no worse than
 *                MuJoCo's Euler at the output step (choice.h says how), chosen on starts other than
 *                those that will be timed; and the cheapest method that looks for no crossing
 *   targets      likewise either's cheapest that reach three errors */
#include <math.h>
#include <stdio.h>

#include "choice.h"
#include "solvers.h"
#include "sweep.h"

/* the finest step of MuJoCo, and of the plain methods, in parts of the output step */
enum { FINEST = 8, FINEST_PLAIN = 256 };

enum { TARGETS = 3, NAME_SIZE = 32 };

static const double targets[TARGETS] = {1e-2, 3e-3, 1e-3};

const char *const sweep_protocols[] = {[SWEEP_PAPER] = "paper",
                                       [SWEEP_FREE] = "free",
                                       [SWEEP_EQUAL_ERROR] = "equal-error",
                                       [SWEEP_TARGETS] = "targets",
                                       NULL};

/* one number of contacts under way */
typedef struct entering {
  study_run *run;
  const model *m;
  const sweep_sample *of;
  solver_settings base; /* the user's, with epsilon set */
  size_t count;
  contest_starts tuning; /* what settings are chosen on */
} entering;

static int enter(entering *e, const solver_type *solver, const char *protocol, double target,
                 const solver_settings *settings) {
  sweep_sample s = *e->of;
  s.solver = solver->name;
  s.protocol = protocol;
  s.target = target;
  s.settings = *settings;
  if (e->count++ < SWEEP_ENTRIES_MAX) return study_add(e->run, SWEEP_SAMPLES, &s);
  return measure_fail(e->run->message, "more than %d solvers and protocols at once",
                      SWEEP_ENTRIES_MAX);
}

/* every solver with this longest integration step */
static int enter_all(entering *e, sweep_protocol protocol, double h_max) {
  const study_racers *const racers = &e->run->racers;
  solver_settings settings = e->base;
  int status = 0;
  settings.h_max = h_max;
  if (settings.time_step == 0.0) settings.time_step = e->m->type->time_step;
  for (size_t i = 0; !status && i < racers->count; i++)
    status = enter(e, racers->solver[i], sweep_protocols[protocol], NAN, &settings);
  return status;
}

/* ---- equal error ----------------------------------------------------------------------------- */

static choice_request request_of(const entering *e, choice_limits limits) {
  return (choice_request){&e->tuning, e->base, limits, e->run->interrupted};
}

/* libess's largest tolerance; without one it is left out with a line */
static int enter_libess(entering *e, const char *protocol, double target, choice_limits limits) {
  const choice_request request = request_of(e, limits);
  choice best;
  const int status = choice_tolerance(&request, &best, e->run->message);
  if (!status) return enter(e, &libess_solver, protocol, target, &best.settings);
  if (status > 0) fprintf(stderr, "warning: %s: %s\n", protocol, e->run->message);
  return status > 0 ? 0 : -1;
}

/* the cheapest of those that look for no crossing; without one it is left out with a line */
static int enter_plain(entering *e, const char *protocol, double target, choice_limits limits) {
  const choice_request request = request_of(e, limits);
  const solver_type *plain;
  choice best;
  const int status = choice_plain(&request, FINEST_PLAIN, &best, &plain, e->run->message);
  if (!status) return enter(e, plain, protocol, target, &best.settings);
  if (status > 0) fprintf(stderr, "warning: %s: %s\n", protocol, e->run->message);
  return status > 0 ? 0 : -1;
}

/* all no worse than MuJoCo's Euler at the output step */
static int enter_against_mujoco(entering *e) {
  const char *const protocol = sweep_protocols[SWEEP_EQUAL_ERROR];
  choice euler = {.settings = e->base}, best;
  euler.settings.time_step = e->m->type->time_step;
  euler.settings.variant = "Euler";
  choice_try(&e->tuning, &bridge_solver, INFINITY, &euler);
  if (!(euler.rms < INFINITY))
    return measure_fail(e->run->message, "equal-error: MuJoCo does not run to the end");
  const choice_request request = request_of(e, choice_limits_of(&euler));
  const int status = choice_mujoco(&request, FINEST, &best, e->run->message);
  if (status < 0) return -1;
  const choice *const mujoco = status ? &euler : &best;
  return enter(e, &bridge_solver, protocol, euler.rms, &mujoco->settings) ||
                 enter_libess(e, protocol, euler.rms, request.limits) ||
                 enter_plain(e, protocol, euler.rms, request.limits)
             ? -1
             : 0;
}

static int enter_at_target(entering *e, double target) {
  char protocol[NAME_SIZE];
  choice mujoco;
  choice_limits ours;
  const choice_request request = request_of(e, (choice_limits){0});
  snprintf(protocol, sizeof protocol, "target-%g", target);
  const int status = choice_at_target(&request, target, &mujoco, &ours, e->run->message);
  if (status > 0) fprintf(stderr, "warning: %s: %s\n", protocol, e->run->message);
  if (status < 0 || (!status && enter(e, &bridge_solver, protocol, target, &mujoco.settings)))
    return -1;
  return enter_libess(e, protocol, target, ours);
}

static int enter_targets(entering *e) {
  int status = 0;
  for (int i = 0; !status && i < TARGETS; i++) status = enter_at_target(e, targets[i]);
  return status;
}

/* the starts that settings are chosen on, with their references, when first asked for */
static int draw_tuning(entering *e) {
  char *const message = e->run->message;
  const unsigned long seed = e->run->seed + CHOICE_SEED_OFFSET;
  if (e->tuning.m) return 0;
  if (contest_starts_alloc(&e->tuning, e->m, CHOICE_STARTS, true, seed, message)) return -1;
  int status = 0;
  for (size_t i = 0; !status && i < CHOICE_STARTS; i++)
    status = contest_reference(&e->tuning, i, message);
  return status;
}

static int enter_protocol(entering *e, sweep_protocol protocol) {
  switch (protocol) {
  case SWEEP_PAPER:
    return enter_all(e, protocol, e->m->type->time_step);
  case SWEEP_FREE:
    return enter_all(e, protocol, INFINITY);
  case SWEEP_EQUAL_ERROR:
    return draw_tuning(e) ? -1 : enter_against_mujoco(e);
  case SWEEP_TARGETS:
    break;
  }
  return draw_tuning(e) ? -1 : enter_targets(e);
}

int sweep_enter(study_run *run, const model *m, const sweep_sample *of) {
  const sweep_settings *const given = run->settings;
  entering e = {.run = run, .m = m, .of = of, .base = run->racers.settings};
  int status = 0;
  if (!isnan(of->epsilon)) e.base.epsilon = of->epsilon;
  for (size_t i = 0; !status && i < given->protocols.count; i++)
    status = enter_protocol(&e, (sweep_protocol)given->protocols.index[i]);
  contest_starts_free(&e.tuning);
  return status;
}
