/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plain methods (plain.h) by SUNDIALS' CVODE, by one tolerance and without root functions. The mode
 * is read off the state by Adams' methods. Where the field points back to an event function's zero
 * that chatters, and tanh-cvode does what is usual: it has tanh(h / epsilon) for each sign, which
 * is stiff, and BDF with Newton's method, whose dense Jacobian is by differences. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "baselines.h"
#include "mode.h"
#include "plain.h"
#include "sundials.h"

typedef struct plain_cvode {
  const char *name;
  plain_mode mode;
  sundials by;
} plain_cvode;

static int field(realtype t, N_Vector x, N_Vector dxdt, void *params) {
  return plain_field(params, t, N_VGetArrayPointer(x), N_VGetArrayPointer(dxdt)) ? -1 : 0;
}

static void release(void *instance) {
  plain_cvode *const c = instance;
  if (!c) return;
  sundials_free(&c->by);
  plain_free(&c->mode);
  free(c);
}

static int prepare_by(const char *name, double width, const model *m,
                      const solver_settings *settings, void **instance,
                      char message[SOLVER_MESSAGE_SIZE]) {
  if (plain_check_tolerance(name, m, settings, message)) return SOLVER_REFUSED;
  plain_cvode *const c = calloc(1, sizeof *c);
  int status = c ? plain_alloc(&c->mode, name, m, message) : -1;
  if (!status) {
    c->name = name;
    c->mode.width = width;
    status = sundials_alloc(&c->by, settings, m->system.dimension, width > 0.0, field, &c->mode);
  }
  if (status) {
    release(c);
    return SOLVER_FAIL(message, "%s: out of memory", name);
  }
  *instance = c;
  return 0;
}

static int prepare_tanh(const model *m, const solver_settings *settings,
                        const solver_output *output, void **instance,
                        char message[SOLVER_MESSAGE_SIZE]) {
  static const char name[] = "tanh-cvode";
  const double width = settings->epsilon;
  (void)output;
  if (!m->type->slides)
    return SOLVER_REFUSE(message,
                         "%s: the field of %s has nothing between its modes; belt, relay "
                         "and blocks, which slide, have",
                         name, m->type->name);
  if (!(width > 0.0) || !isfinite(width))
    return SOLVER_REFUSE(message,
                         "%s: epsilon %g is not accepted; it is the width of the tanh, a "
                         "finite number > 0",
                         name, width);
  return prepare_by(name, width, m, settings, instance, message);
}

static int fail(const plain_cvode *c, int flag, double t, solver_report *report) {
  char *const why = CVodeGetReturnFlagName(flag);
  const int status =
      SOLVER_FAIL(report->message, "%s: CVODE stops with %s at t = %.9g", c->name, why, t);
  free(why);
  return status;
}

static int integrate(plain_cvode *c, const solver_output *output, solver_report *report) {
  const double t_end = output->times[output->count - 1];
  size_t written = 1, idle = 0;
  double t = output->times[0];
  int flag = CVodeReInit(c->by.memory, t, c->by.state);
  if (!flag) flag = CVodeSetStopTime(c->by.memory, t_end);
  while (flag >= 0 && written < output->count) {
    const size_t before = written;
    flag = CVode(c->by.memory, t_end, c->by.state, &t, CV_ONE_STEP);
    if (flag >= 0 && !mode_finite(N_VGetArrayPointer(c->by.state), c->mode.m->system.dimension))
      return SOLVER_FAIL(report->message, "%s: the state is not finite at t = %.9g", c->name, t);
    if (flag >= 0) flag = sundials_write(&c->by, output, t, &written);
    idle = written == before ? idle + 1 : 0;
    if (idle > SUNDIALS_STEPS_MOST)
      return SOLVER_FAIL(report->message, "%s: too many steps at t = %.9g", c->name, t);
  }
  return flag < 0 ? fail(c, flag, t, report) : 0;
}

static int run(void *instance, const double x0[], const solver_output *output,
               solver_report *report) {
  plain_cvode *const c = instance;
  const size_t size = c->mode.m->system.dimension * sizeof *x0;
  *report = (solver_report){0};
  plain_start(&c->mode);
  memcpy(N_VGetArrayPointer(c->by.state), x0, size);
  memcpy(output->states, x0, size);
  const int status = integrate(c, output, report);
  sundials_count(&c->by, report);
  plain_report(&c->mode, report);
  return status;
}

static int inspect(void *instance, const solver_output *output, solver_report *report) {
  return plain_inspect(&((plain_cvode *)instance)->mode, output, report);
}

PLAIN_SOLVER(cvode, "plain-cvode",
             "CVODE's Adams, the mode read off the state: no crossing is looked for", run,
             prepare_by("plain-cvode", 0.0, m, settings, instance, message));

const solver_type tanh_cvode_solver = {
    .name = "tanh-cvode",
    .summary = "CVODE's BDF, tanh(h / epsilon) for each sign, for models that slide",
    .prepare = prepare_tanh,
    .run = run,
    .inspect = inspect,
    .release = release,
};
