/*
 * The equal-error protocol: MuJoCo's cheapest settings and libess's largest tolerance that are no
 * worse than MuJoCo's Euler at the output step, or that reach an error; chosen on starts other than
 * those that will be timed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bridge.h"
#include "choice.h"
#include "protocol.h"
#include "solvers.h"

/* FINEST: of MuJoCo's steps, in parts of the output step */
enum { TARGETS = 3, FINEST = 8 };

static const double targets[TARGETS] = {1e-2, 3e-3, 1e-3};

/* one choice under way */
typedef struct tuning {
  contest_starts starts;
  const protocol_request *request;
  protocol_entries *entries;
  char *message;
} tuning;

static int enter_choice(tuning *t, const solver_type *solver, const char *protocol, double target,
                        const choice *c) {
  protocol_entry entry = {
      .solver = solver, .settings = c->settings, .target = target, .tuned_rms = c->rms};
  snprintf(entry.protocol, sizeof entry.protocol, "%s", protocol);
  return protocol_append(t->entries, &entry, t->message);
}

static choice_request request_of(const tuning *t, choice_limits limits) {
  return (choice_request){&t->starts, t->request->settings, limits, t->request->interrupted};
}

/* libess's largest tolerance; without one it is left out with a line */
static int enter_libess(tuning *t, const char *protocol, double target, choice_limits limits) {
  const choice_request request = request_of(t, limits);
  choice best;
  const int status = choice_tolerance(&request, &best, t->message);
  if (!status) return enter_choice(t, &libess_solver, protocol, target, &best);
  if (status > 0) fprintf(stderr, "warning: %s: %s\n", protocol, t->message);
  return status > 0 ? 0 : -1;
}

/* either no worse than MuJoCo's Euler at the output step */
static int enter_against_mujoco(tuning *t) {
  static const char protocol[] = "equal-error";
  choice euler = {.settings = t->request->settings}, best;
  euler.settings.time_step = t->request->m->type->time_step;
  euler.settings.variant = "Euler";
  choice_try(&t->starts, &bridge_solver, INFINITY, &euler);
  if (!(euler.rms < INFINITY)) {
    snprintf(t->message, SOLVER_MESSAGE_SIZE, "equal-error: MuJoCo does not run to the end");
    return -1;
  }
  const choice_request request = request_of(t, choice_limits_of(&euler));
  const int status = choice_mujoco(&request, FINEST, &best, t->message);
  if (status < 0) return -1;
  return enter_choice(t, &bridge_solver, protocol, euler.rms, status ? &euler : &best) ||
                 enter_libess(t, protocol, euler.rms, request.limits)
             ? -1
             : 0;
}

static int enter_at_target(tuning *t, double target) {
  char protocol[PROTOCOL_NAME_SIZE];
  choice mujoco;
  choice_limits ours;
  const choice_request request = request_of(t, (choice_limits){0});
  snprintf(protocol, sizeof protocol, "target-%g", target);
  const int status = choice_at_target(&request, target, &mujoco, &ours, t->message);
  if (status > 0) fprintf(stderr, "warning: %s: %s\n", protocol, t->message);
  if (status < 0 || (!status && enter_choice(t, &bridge_solver, protocol, target, &mujoco)))
    return -1;
  return enter_libess(t, protocol, target, ours);
}

static int enter_all(tuning *t) {
  for (size_t i = 0; i < t->starts.trials; i++)
    if (contest_reference(&t->starts, i, t->message)) return -1;
  if (enter_against_mujoco(t)) return -1;
  for (int i = 0; i < TARGETS; i++)
    if (enter_at_target(t, targets[i])) return -1;
  return 0;
}

int protocol_equal_error(const protocol_request *request, protocol_entries *entries,
                         char message[SOLVER_MESSAGE_SIZE]) {
  tuning t = {.request = request, .entries = entries, .message = message};
  const unsigned long seed = request->seed + CHOICE_SEED_OFFSET;
  if (contest_starts_alloc(&t.starts, request->m, CHOICE_STARTS, true, seed, message)) return -1;
  const int status = enter_all(&t);
  contest_starts_free(&t.starts);
  return status;
}
