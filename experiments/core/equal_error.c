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
#include "search.h"
#include "solvers.h"

enum { SUBSTEPS_MAX = 64, TARGETS = 3 };

/* tuning aims a little lower than the target, for its median is that of other starts */
static const double margin = 0.9;

/* target errors at which MuJoCo chooses its step and integrator as freely as we choose ours */
static const double targets[TARGETS] = {1e-2, 3e-3, 1e-3};
static const char *const integrators[] = {"Euler", "implicitfast", "implicit", "RK4"};

/* where MuJoCo reaches no target, what libess's tails may be, over the target */
static const double q90_max = 3.0, worst_max = 10.0;

/* one search under way */
typedef struct tuning {
  contest_starts starts;
  const protocol_request *request;
  char *message;
} tuning;

/* a first run that takes longer than first_s is the last */
static int try_mujoco(tuning *t, double first_s, search_candidate *c) {
  if (t->request->interrupted && *t->request->interrupted) {
    snprintf(t->message, SOLVER_MESSAGE_SIZE, "interrupted");
    return -1;
  }
  search_run(&t->starts, t->starts.trials, &bridge_solver, first_s, c);
  return 0;
}

/* 1, 2, 3, 4, 6, 8, 12, 16, ... */
static int next_substeps(int substeps) {
  const bool power_of_two = (substeps & (substeps - 1)) == 0;
  return substeps == 1 ? 2 : power_of_two ? substeps + substeps / 2 : substeps / 3 * 4;
}

/* MuJoCo's cheapest integrator and step by the median alone: its crossings are not counted by
 * itself, and its tails are what ours are held against. Smaller steps than reach the target only
 * cost more. best->seconds stays infinite when none does. */
static int tune_mujoco(tuning *t, double target, search_candidate *best) {
  const search_limits limits = {margin * target, INFINITY, INFINITY, INFINITY};
  *best = (search_candidate){.seconds = INFINITY};
  for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++)
    // steps 0.002/1, /2, /3, /4, /6, /8, /12, ... s: no more than half as many again as are needed
    for (int substeps = 1; substeps <= SUBSTEPS_MAX; substeps = next_substeps(substeps)) {
      search_candidate c = {.settings = t->request->settings};
      c.settings.variant = integrators[i];
      c.settings.time_step = t->request->m->type->time_step / substeps;
      if (try_mujoco(t, 2.0 * best->seconds, &c)) return -1;
      const bool arrived = search_accepts(&limits, &c), slower = !(c.seconds < best->seconds);
      if (arrived && !slower) *best = c;
      // an integrator that is slower than the best already, or has arrived, goes no further
      if (arrived || slower) break;
    }
  return 0;
}

static int enter_candidate(tuning *t, const solver_type *solver, const char *protocol,
                           double target, const search_candidate *c, protocol_entries *entries) {
  protocol_entry entry = {
      .solver = solver, .settings = c->settings, .target = target, .tuned_rms = c->rms};
  snprintf(entry.protocol, sizeof entry.protocol, "%s", protocol);
  return protocol_append(entries, &entry, t->message);
}

/* libess's cheapest tolerance; without one it is left out with a line */
static int enter_libess(tuning *t, const char *protocol, double target, const search_limits *limits,
                        protocol_entries *entries) {
  const search_request request = {.starts = &t->starts,
                                  .base = t->request->settings,
                                  .limits = *limits,
                                  .label = protocol,
                                  .interrupted = t->request->interrupted};
  search_candidate best;
  const int status = search_tolerance(&request, &best, t->message);
  if (status < 0) return -1;
  if (!status) return enter_candidate(t, &libess_solver, protocol, target, &best, entries);
  fprintf(stderr, "warning: %s: %s\n", protocol, t->message);
  return 0;
}

/* MuJoCo at the output step, and ours no worse */
static int enter_against_mujoco(tuning *t, protocol_entries *entries) {
  static const char protocol[] = "equal-error";
  search_candidate mujoco = {.settings = t->request->settings};
  mujoco.settings.time_step = t->request->m->type->time_step;
  if (try_mujoco(t, INFINITY, &mujoco)) return -1;
  if (!(mujoco.rms < INFINITY)) {
    snprintf(t->message, SOLVER_MESSAGE_SIZE, "equal-error: MuJoCo does not run to the end");
    return -1;
  }
  if (enter_candidate(t, &bridge_solver, protocol, mujoco.rms, &mujoco, entries)) return -1;
  const search_limits limits = search_limits_against(&mujoco);
  return enter_libess(t, protocol, mujoco.rms, &limits, entries);
}

/* the cheapest of either at a target error, our tails no worse than MuJoCo's or the target */
static int enter_at_target(tuning *t, double target, protocol_entries *entries) {
  char protocol[PROTOCOL_NAME_SIZE];
  search_candidate mujoco;
  snprintf(protocol, sizeof protocol, "target-%g", target);
  if (tune_mujoco(t, target, &mujoco)) return -1;
  search_limits limits = search_limits_against(&mujoco);
  limits.rms = margin * target;
  if (mujoco.seconds < INFINITY) {
    if (enter_candidate(t, &bridge_solver, protocol, target, &mujoco, entries)) return -1;
    limits.rms_q90 = fmax(mujoco.rms_q90, target);
    limits.rms_worst = fmax(mujoco.rms_worst, target);
  } else {
    fprintf(stderr, "warning: %s: no setting of mujoco reaches an RMS error of %.3g\n", protocol,
            target);
    limits.rms_q90 = q90_max * target;
    limits.rms_worst = worst_max * target;
  }
  return enter_libess(t, protocol, target, &limits, entries);
}

static int enter_all(tuning *t, protocol_entries *entries) {
  for (size_t i = 0; i < t->starts.trials; i++)
    if (contest_reference(&t->starts, i, t->message)) return -1;
  if (enter_against_mujoco(t, entries)) return -1;
  for (int i = 0; i < TARGETS; i++)
    if (enter_at_target(t, targets[i], entries)) return -1;
  return 0;
}

static int enter(const protocol_request *request, protocol_entries *entries,
                 char message[SOLVER_MESSAGE_SIZE]) {
  tuning t = {.request = request, .message = message};
  const unsigned long seed = request->seed + SEARCH_SEED_OFFSET;
  if (contest_starts_alloc(&t.starts, request->m, SEARCH_STARTS, true, seed, message)) return -1;
  const int status = enter_all(&t, entries);
  contest_starts_free(&t.starts);
  return status;
}

const protocol_type equal_error_protocol = {.name = "equal-error", .enter = enter};
