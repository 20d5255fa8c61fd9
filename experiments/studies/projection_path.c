/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fig. 3.1 of the paper: the projection integrator on a piecewise-constant system whose two guards
 * are slanted lines that meet away from the origin. */
#include <math.h>
#include <string.h>

#include "ess.h"
#include "order.h"

/* a guard is the line normal . x = offset; the field has one direction on each of its sides */
typedef struct line_guard {
  double normal[2], offset;
} line_guard;

static const line_guard guards[2] = {{{1.0, 0.35}, 1.0}, {{0.6, 1.0}, 1.25}};
static const double velocities[4][2] = {{1.0, 0.55}, {0.7, 1.3}, {1.3, 0.2}, {0.9, 1.0}};
static const double start[2] = {0.0, 0.05}, duration = 1.5, epsilon = 0.16, longest_step = 0.1;

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)t;
  (void)x;
  (void)params;
  const int mode = (sign[0] > 0.0 ? 1 : 0) + (sign[1] > 0.0 ? 2 : 0);
  memcpy(dxdt, velocities[mode], sizeof velocities[mode]);
  return 0;
}

static int event_functions(double t, const double x[], double h[], void *params) {
  (void)t;
  (void)params;
  for (int k = 0; k < 2; k++)
    h[k] = guards[k].normal[0] * x[0] + guards[k].normal[1] * x[1] - guards[k].offset;
  return 0;
}

static int jacobian(double t, const double x[], double Dh[], void *params) {
  (void)t;
  (void)x;
  (void)params;
  for (int k = 0; k < 2; k++) memcpy(Dh + 2 * k, guards[k].normal, sizeof guards[k].normal);
  return 0;
}

/* where the ends of steps go */
typedef struct path_table {
  study_run *run;
  size_t table;
} path_table;

static int add_step(const ess_step_info *info, void *context) {
  const path_table *const to = context;
  return study_add(to->run, to->table,
                   &(order_step){info->projection, info->t1, info->x[0], info->x[1]});
}

/* one path: with neighbourhoods to be seen, or with none to speak of (exact: f is constant) */
static int add_path(study_run *run, size_t table, double half_width, double h_max) {
  path_table to = {run, table};
  ess_options options = ess_options_paper();
  options.epsilon = half_width;
  options.h_max = h_max;
  options.observer = (ess_observer){.step = add_step, .context = &to};
  const ess_system system = {.dimension = 2,
                             .guard_count = 2,
                             .field = field,
                             .guards = event_functions,
                             .guard_jacobian = jacobian,
                             .one_way = true};
  double x[2], t = 0.0;
  memcpy(x, start, sizeof x);
  study_add(run, table, &(order_step){0.0, t, x[0], x[1]});
  int status = ESS_ENOMEM;
  ess_driver *const driver = ess_driver_alloc(&system, &options, &status);
  if (driver) status = ess_driver_apply(driver, &t, duration, x);
  ess_driver_free(driver);
  if (status) measure_message(run->message, "projection path: %s", ess_strerror(status));
  return status ? -1 : 0;
}

/* each guard and the borders of its neighbourhood, from the left to the right of the figure */
static void add_guards(study_run *run, size_t table) {
  for (int k = 0; k < 2; k++)
    for (int side = -1; side <= 1; side++)
      for (int end = 0; end < 2; end++) {
        const double y = end ? 2.0 : -0.25;
        const double offset = guards[k].offset + side * epsilon;
        const double x = (offset - guards[k].normal[1] * y) / guards[k].normal[0];
        study_add(run, table, &(order_end){k + 1, side, x, y});
      }
}

int order_add_paths(study_run *run, size_t path, size_t exact, size_t ends) {
  add_guards(run, ends);
  return add_path(run, path, epsilon, longest_step) || add_path(run, exact, 1e-12, INFINITY) ? -1
                                                                                             : 0;
}
