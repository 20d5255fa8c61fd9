/*
 * The functions that a step goes through, for tools/trip, which compiles libess with
 * -finstrument-functions: `trip CASE` runs a small system and writes a line for each function of
 * libess that is entered (its address) or left (`-`), and for what an observer is told (`step`,
 * `crossing`).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ess.h"

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

static bool is_running;

void __cyg_profile_func_enter(void *function, void *caller) {
  (void)caller;
  if (is_running) printf("%p\n", function);
}

void __cyg_profile_func_exit(void *function, void *caller) {
  (void)function;
  (void)caller;
  if (is_running) puts("-");
}

static int on_step(const ess_step_info *info, void *context) {
  (void)info;
  (void)context;
  puts("step");
  return 0;
}

static int on_crossing(const ess_crossing_info *info, void *context) {
  (void)info;
  (void)context;
  puts("crossing");
  return 0;
}

/* a pendulum, driven harder where its angle is positive */
static int swing(double t, const double x[], const double sign[], double f[], void *params) {
  (void)t;
  (void)params;
  f[0] = x[1];
  f[1] = -sin(x[0]) + (sign && sign[0] > 0.0 ? 0.1 : 0.0);
  return 0;
}

static int swing_freely(double t, const double x[], const double sign[], double f[], void *params) {
  (void)sign;
  return swing(t, x, NULL, f, params);
}

/* the angle's distance from a level */
static int level(double t, const double x[], double h[], void *params) {
  (void)t;
  h[0] = x[0] - *(const double *)params;
  return 0;
}

static int level_rate(double t, const double x[], double vt, const double v[], const size_t which[],
                      size_t count, double h[], double rate[], void *params) {
  (void)vt, (void)which, (void)count;
  rate[0] = v[0];
  return level(t, x, h, params);
}

/* pushed back to angle 0 from either side, while the second state swings */
static int push_back(double t, const double x[], const double sign[], double f[], void *params) {
  (void)t;
  (void)params;
  f[0] = -sign[0] + 0.3 * sin(x[1]);
  f[1] = x[2];
  f[2] = -sin(x[1]);
  return 0;
}

int main(int argc, char *argv[]) {
  const char *const name = argc == 2 ? argv[1] : "";
  const bool is_free = !strcmp(name, "free"), slides = !strcmp(name, "sliding");
  if (!is_free && !slides && strcmp(name, "quiet") != 0 && strcmp(name, "cut") != 0) return 2;
  double at = strcmp(name, "quiet") != 0 ? 0.0 : 9.0, t = 0.0, x[] = {-1.0, 0.5, 0.5};
  const ess_system system = {.dimension = slides ? 3 : 2,
                             .event_count = !is_free,
                             .field = slides    ? push_back
                                      : is_free ? swing_freely
                                                : swing,
                             .event_functions = is_free ? NULL : level,
                             .event_rates = is_free ? NULL : level_rate,
                             .params = &at};
  ess_options options = ess_options_default();
  options.observer = (ess_observer){.step = on_step, .crossing = on_crossing};
  if (slides) options.sliding = ESS_SLIDING_SLIDE;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  if (!d) return 1;
  is_running = true;
  const int status = ess_driver_apply(d, &t, 6.0, x);
  is_running = false;
  ess_driver_free(d);
  return status ? 1 : 0;
}
