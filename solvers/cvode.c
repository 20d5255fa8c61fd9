/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SUNDIALS' CVODE with its root finding: Adams-Moulton (fixed-point iteration) or BDF (Newton with
 * a dense Jacobian by differences), one root function per event function, started anew at every
 * crossing in the next mode. It is asked for one internal step at a time (CV_ONE_STEP), up to the
 * end of the run, and outputs are interpolated within it (CVodeGetDky), so that more outputs cost
 * no more evaluations of the root functions, which CVODE compares wherever it returns: what crosses
 * and comes back within a step is not seen, as the manual says.
 *
 * A. C. Hindmarsh et al., "SUNDIALS: Suite of nonlinear and differential/algebraic equation
 * solvers", ACM Transactions on Mathematical Software 31 (2005) 363-396. */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sundials/sundials_version.h>

#include "baselines.h"
#include "mode.h"
#include "sundials.h"

static const char *const variants[] = {"adams", "bdf", NULL};

typedef struct cvode {
  latched_mode mode;
  sundials by;
  int *direction, *found; /* per event function: which way it may be crossed, and was */
  double t_end;
  size_t written; /* outputs */
} cvode;

static int field(realtype t, N_Vector x, N_Vector dxdt, void *params) {
  return mode_field(params, t, N_VGetArrayPointer(x), N_VGetArrayPointer(dxdt)) ? -1 : 0;
}

static int roots(realtype t, N_Vector x, realtype h[], void *params) {
  return mode_guards(params, t, N_VGetArrayPointer(x), h) ? -1 : 0;
}

/* ---- preparation ----------------------------------------------------------------------------- */

static void release(void *instance) {
  cvode *const c = instance;
  if (!c) return;
  sundials_free(&c->by);
  mode_free(&c->mode);
  free(c->direction);
  free(c);
}

/* everything that CVODE allocates; nonzero when it does not succeed */
static int set_up(cvode *c, const solver_settings *settings, bool bdf) {
  const ess_system *const s = &c->mode.m->system;
  const int status = sundials_alloc(&c->by, settings, s->dimension, bdf, field, &c->mode);
  return status || !s->event_count ? status
                                   : CVodeRootInit(c->by.memory, (int)s->event_count, roots);
}

static int prepare(const model *m, const solver_settings *settings, const solver_output *output,
                   void **instance, char message[SOLVER_MESSAGE_SIZE]) {
  (void)output;
  const int variant = mode_check("cvode", m, settings, SIZE_MAX, variants, message);
  if (variant < 0) return variant;

  const size_t room = m->system.event_count + 1;
  cvode *const c = calloc(1, sizeof *c);
  if (c && mode_alloc(&c->mode, m, "cvode", message) == 0)
    c->direction = calloc(2 * room, sizeof *c->direction);
  if (!c || !c->direction || set_up(c, settings, variant == 1)) {
    release(c);
    return SOLVER_FAIL(message, "cvode: out of memory");
  }
  c->found = c->direction + room;
  *instance = c;
  return 0;
}

/* ---- the run --------------------------------------------------------------------------------- */

static int fail(const cvode *c, int flag, double t, solver_report *report) {
  char why[SOLVER_MESSAGE_SIZE / 2], *const name = CVodeGetReturnFlagName(flag);
  snprintf(why, sizeof why, "CVODE stops with %s", name ? name : "an error");
  free(name);
  return mode_fail(&c->mode, why, t, report);
}

/* starts CVODE at (t, state) in the present mode, looking for crossings away from each side, or
 * back to it where no guard is ahead */
static int start(cvode *c, double t, solver_report *report) {
  const size_t m = c->mode.m->system.event_count;
  for (size_t k = 0; k < m; k++)
    c->direction[k] = (c->mode.sign[k] < 0.0) == mode_armed(&c->mode, k) ? 1 : -1;
  int flag = CVodeReInit(c->by.memory, t, c->by.state);
  if (!flag && m) flag = CVodeSetRootDirection(c->by.memory, c->direction);
  if (!flag) flag = CVodeSetStopTime(c->by.memory, c->t_end);
  return flag ? fail(c, flag, t, report) : 0;
}

/* crosses the guards whose roots were found, and those that the state is across all the same */
static int cross(cvode *c, double t, solver_report *report) {
  latched_mode *const mode = &c->mode;
  const uint64_t before = mode->crossings;
  const int flag = CVodeGetRootInfo(c->by.memory, c->found);
  if (flag) return fail(c, flag, t, report);
  if (mode_guards(mode, t, N_VGetArrayPointer(c->by.state), mode->h))
    return mode_fail(mode, "a callback failed", t, report);
  for (size_t k = 0; k < mode->m->system.event_count; k++) {
    const bool across = mode_gap(mode, k, mode->h[k]) > 0.0;
    if (!mode_armed(mode, k) || (c->found[k] * mode->sign[k] >= 0.0 && !across)) continue;
    if (mode_cross(mode, k, t, report)) return SOLVER_FAILED;
  }
  // of a one-way guard that is no candidate CVODE may find a root, and goes on
  if (mode->crossings == before) return 0;
  report->entries++;
  sundials_count(&c->by, report);
  return start(c, t, report);
}

/* one internal step, or the part of it up to its first root, and what is crossed there */
static int advance(cvode *c, double *t, const solver_output *output, solver_report *report) {
  const int flag = CVode(c->by.memory, c->t_end, c->by.state, t, CV_ONE_STEP);
  if (flag < 0) return fail(c, flag, *t, report);
  if (!mode_finite(N_VGetArrayPointer(c->by.state), c->mode.m->system.dimension))
    return mode_fail(&c->mode, "the state is not finite", *t, report);
  const int written = sundials_write(&c->by, output, *t, &c->written);
  if (written) return fail(c, written, *t, report);
  return flag == CV_ROOT_RETURN ? cross(c, *t, report) : 0;
}

/* integrates to the last output */
static int integrate(cvode *c, const solver_output *output, solver_report *report) {
  const size_t n = c->mode.m->system.dimension;
  double t = output->times[0];
  int idle = 0;
  // CVODE refuses to start so close to the end
  while (c->t_end - t > 4.0 * DBL_EPSILON * c->t_end) {
    const uint64_t crossings = c->mode.crossings;
    const size_t written = c->written;
    if (advance(c, &t, output, report)) return SOLVER_FAILED;
    idle = c->written == written && c->mode.crossings == crossings ? idle + 1 : 0;
    if (idle > SUNDIALS_STEPS_MOST) return mode_fail(&c->mode, "too many steps", t, report);
  }
  // that close to a crossing the state is what it was there
  for (; c->written < output->count; c->written++)
    memcpy(output->states + c->written * n, N_VGetArrayPointer(c->by.state), n * sizeof(double));
  return 0;
}

static int run(void *instance, const double x0[], const solver_output *output,
               solver_report *report) {
  cvode *const c = instance;
  const size_t size = c->mode.m->system.dimension * sizeof *x0;
  double *const x = N_VGetArrayPointer(c->by.state);
  *report = (solver_report){0};
  memcpy(x, x0, size);
  memcpy(output->states, x0, size);
  c->t_end = output->times[output->count - 1];
  c->written = 1;
  int status = mode_start(&c->mode, output->times[0], x, report);
  if (!status) status = start(c, output->times[0], report);
  if (!status) status = integrate(c, output, report);
  sundials_count(&c->by, report);
  mode_report(&c->mode, report);
  return status;
}

void sundials_version(char version[SUNDIALS_VERSION_SIZE]) {
  if (SUNDIALSGetVersion(version, SUNDIALS_VERSION_SIZE))
    snprintf(version, SUNDIALS_VERSION_SIZE, "unknown");
}

const solver_type cvode_solver = {
    .name = "cvode",
    .summary = "SUNDIALS CVODE with root finding",
    .variants = variants,
    .prepare = prepare,
    .run = run,
    .release = release,
};
