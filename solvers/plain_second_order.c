/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two event-unaware solvers (plain.h) of order 2 with one tolerance, the cheapest that anyone might
 * write: Heun's with two right-hand-side evaluations a step, and Adams' with one. */
#include <stdlib.h>
#include <string.h>

#include "baselines.h"
#include "mode.h"
#include "plain.h"
#include "second_order.h"

typedef struct plain_second_order {
  const char *name;
  plain_mode mode;
  second_order run;
} plain_second_order;

static int field(void *context, double t, const double x[], double dxdt[]) {
  return plain_field(context, t, x, dxdt);
}

static void release(void *instance) {
  plain_second_order *const p = instance;
  if (!p) return;
  second_order_free(&p->run);
  plain_free(&p->mode);
  free(p);
}

static int prepare(const char *name, second_order_scheme scheme, const model *m,
                   const solver_settings *settings, void **instance,
                   char message[SOLVER_MESSAGE_SIZE]) {
  if (plain_check_tolerance(name, m, settings, message)) return SOLVER_REFUSED;
  plain_second_order *const p = calloc(1, sizeof *p);
  if (p) {
    p->name = name;
    p->run = (second_order){.scheme = scheme,
                            .dimension = m->system.dimension,
                            .rtol = settings->rtol,
                            .atol = settings->atol,
                            .h_max = settings->h_max,
                            .field = field,
                            .context = &p->mode};
  }
  if (!p || plain_alloc(&p->mode, name, m, message) || second_order_alloc(&p->run)) {
    release(p);
    return SOLVER_FAIL(message, "%s: out of memory", name);
  }
  *instance = p;
  return 0;
}

static int run(void *instance, const double x0[], const solver_output *output,
               solver_report *report) {
  plain_second_order *const p = instance;
  const size_t n = p->mode.m->system.dimension;
  double t = output->times[0], x[MODEL_DIMENSION_MAX];
  memcpy(x, x0, n * sizeof *x);
  plain_start(&p->mode);
  second_order_reset(&p->run);
  const int status = second_order_sample(&p->run, &t, output->times[output->count - 1], x,
                                         output->times, output->count, output->states);
  *report = (solver_report){.steps = p->run.steps, .rejected = p->run.rejected};
  plain_report(&p->mode, report);
  if (status)
    return SOLVER_FAIL(report->message, "%s: %s at t = %.9g", p->name, second_order_says(status),
                       t);
  if (mode_finite(x, n)) return 0;
  return SOLVER_FAIL(report->message, "%s: the state is not finite at t = %.9g", p->name, t);
}

static int inspect(void *instance, const solver_output *output, solver_report *report) {
  return plain_inspect(&((plain_second_order *)instance)->mode, output, report);
}

PLAIN_SOLVER(heun, "plain-heun",
             "Heun's 2(1) by one tolerance, the mode read off the state: no crossing is looked for",
             run, prepare("plain-heun", SECOND_ORDER_HEUN, m, settings, instance, message));

PLAIN_SOLVER(
    adams2, "plain-adams2",
    "Adams' of order 2, one evaluation a step, by one tolerance, the mode read off the state", run,
    prepare("plain-adams2", SECOND_ORDER_ADAMS, m, settings, instance, message));
