/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fixed steps over the output grid. */
#include "fixed_step.h"

#include <math.h>
#include <string.h>

#include "mode.h"

/* how many of the shorter step make the longer one; 0 when that is no whole number */
static size_t whole_ratio(double longer, double shorter) {
  const double ratio = longer / shorter, whole = round(ratio);
  const bool fits = whole >= 1.0 && whole <= 1e9 && fabs(ratio - whole) <= 1e-9 * whole;
  return fits ? (size_t)whole : 0;
}

int fixed_step_fit(const char *solver, const solver_settings *settings, double dt, fixed_step *plan,
                   char message[SOLVER_MESSAGE_SIZE]) {
  const double wanted = settings->time_step == 0.0 ? dt : settings->time_step;
  const bool positive = dt > 0.0 && wanted > 0.0;
  const size_t substeps = positive ? whole_ratio(dt, wanted) : 0;
  const size_t stride = substeps ? 1 : positive ? whole_ratio(wanted, dt) : 0;
  if (!stride)
    return SOLVER_REFUSE(
        message,
        "%s: step %g s is not accepted; it must divide the output step %g s evenly, or be a "
        "multiple of it",
        solver, wanted, dt);
  const double step = substeps ? dt / (double)substeps : dt * (double)stride;
  *plan = (fixed_step){.substeps = substeps, .stride = stride, .dt = step};
  return 0;
}

void fixed_step_chord(size_t stride, size_t first, size_t n, const double x[],
                      const solver_output *output) {
  const double *const from = output->states + first * n;
  if (stride == 1) {
    memcpy(output->states + (first + 1) * n, x, n * sizeof *x);
    return;
  }
  for (size_t k = 1; k <= stride && first + k < output->count; k++) {
    double *const to = output->states + (first + k) * n;
    const double share = (double)k / (double)stride;
    for (size_t i = 0; i < n; i++) to[i] = k == stride ? x[i] : from[i] + share * (x[i] - from[i]);
  }
}

int fixed_step_run(const fixed_step *plan, const char *solver, size_t n, const double x0[],
                   const solver_output *output, fixed_step_function *step, void *context,
                   solver_report *report) {
  const size_t steps = plan->substeps ? plan->substeps : 1;
  double x[MODEL_DIMENSION_MAX];
  *report = (solver_report){0};
  memcpy(x, x0, n * sizeof *x);
  memcpy(output->states, x, n * sizeof *x);
  for (size_t i = 0; i + 1 < output->count; i += plan->stride) {
    for (size_t k = 0; k < steps; k++) {
      const double t = output->times[i] + (double)k * plan->dt;
      const int status = step(context, t, plan->dt, x, report);
      if (status) return status;
    }
    report->steps += steps;
    if (!mode_finite(x, n))
      return SOLVER_FAIL(report->message, "%s: the state is not finite at t = %g s", solver,
                         output->times[i] + (double)steps * plan->dt);
    fixed_step_chord(plan->stride, i, n, x, output);
  }
  return 0;
}
