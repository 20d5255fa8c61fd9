/*
 * Fig. 3.1 of the paper: the projection integrator on a piecewise-constant system whose two guards
 * are slanted lines that meet away from the origin.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "ess.h"
#include "order.h"
#include "results_file.h"

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

static int event_functions(const double x[], double h[], void *params) {
  (void)params;
  for (int k = 0; k < 2; k++)
    h[k] = guards[k].normal[0] * x[0] + guards[k].normal[1] * x[1] - guards[k].offset;
  return 0;
}

static int jacobian(const double x[], double Dh[], void *params) {
  (void)x;
  (void)params;
  for (int k = 0; k < 2; k++) memcpy(Dh + 2 * k, guards[k].normal, sizeof guards[k].normal);
  return 0;
}

static int write_step(const ess_step_info *info, void *context) {
  results_file_row(context, (double[]){info->projection, info->t1, info->x[0], info->x[1]}, 4);
  return 0;
}

/* runs with the observer writing every step's end */
static int integrate(const ess_options *options, results_file *file, char *message) {
  const ess_system system = {.dimension = 2,
                             .guard_count = 2,
                             .field = field,
                             .guards = event_functions,
                             .guard_jacobian = jacobian,
                             .one_way = true};
  double x[2], t = 0.0;
  memcpy(x, start, sizeof x);
  results_file_row(file, (double[]){0.0, t, x[0], x[1]}, 4);
  int status = ESS_ENOMEM;
  ess_driver *const driver = ess_driver_alloc(&system, options, &status);
  if (driver) status = ess_driver_apply(driver, &t, duration, x);
  ess_driver_free(driver);
  if (status) measure_message(message, "projection path: %s", ess_strerror(status));
  return status ? -1 : 0;
}

/* one path: with neighbourhoods to be seen, or with none to speak of (exact: f is constant) */
static int write_path(const char *folder, const char *name, double half_width, double h_max,
                      char *message) {
  static const char *const columns[] = {"kind", "t", "x", "y"};
  results_file file;
  if (results_file_begin(&file, folder, name, columns, 4, message)) return -1;
  ess_options options = ess_options_paper();
  options.epsilon = half_width;
  options.h_max = h_max;
  options.observer = (ess_observer){.step = write_step, .context = &file};
  const int status = integrate(&options, &file, message);
  return results_file_end(&file, !status, message) || status ? -1 : 0;
}

/* each guard and the borders of its neighbourhood, from the left to the right of the figure */
static int write_guards(const char *folder, char *message) {
  static const char *const columns[] = {"guard", "side", "x", "y"};
  results_file file;
  if (results_file_begin(&file, folder, "projection_guards.csv", columns, 4, message)) return -1;
  for (int k = 0; k < 2; k++)
    for (int side = -1; side <= 1; side++)
      for (int end = 0; end < 2; end++) {
        const double y = end ? 2.0 : -0.25;
        const double offset = guards[k].offset + side * epsilon;
        const double x = (offset - guards[k].normal[1] * y) / guards[k].normal[0];
        results_file_row(&file, (double[]){k + 1, side, x, y}, 4);
      }
  return results_file_end(&file, true, message);
}

int projection_path_write(const char *folder, char message[MEASURE_MESSAGE_SIZE]) {
  if (write_path(folder, "projection_path.csv", epsilon, longest_step, message)) return -1;
  if (write_path(folder, "projection_exact.csv", 1e-12, INFINITY, message)) return -1;
  return write_guards(folder, message);
}
