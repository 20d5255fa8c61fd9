/*
 * A C++ program that uses libess: the hopper, started from the default options; its end is compared
 * with the closed form. Compiled and run by test_install.sh.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <cmath>
#include <cstdio>

#include <ess.h>
#include <ess_tangents.h>

static int field(double, const double x[], const double sign[], double dxdt[], void *) {
  dxdt[0] = x[1];
  dxdt[1] = (sign[0] > 0.0 ? 800.0 * (1.0 - x[0]) : 0.0) - 9.81;
  return 0;
}

static int event_functions(double, const double x[], double h[], void *) {
  h[0] = 1.0 - x[0];
  return 0;
}

static int event_jacobian(double, const double[], double Dh[], void *) {
  Dh[0] = -1.0;
  Dh[1] = 0.0;
  return 0;
}

static int count_crossing(const ess_crossing_info *, void *context) {
  ++*static_cast<int *>(context);
  return 0;
}

int main() {
  int crossings = 0;
  ess_system hopper{};
  hopper.dimension = 2;
  hopper.event_count = 1;
  hopper.field = field;
  hopper.event_functions = event_functions;
  hopper.event_jacobian = event_jacobian;
  ess_options options = ess_options_default();
  options.rtol = options.atol = 1e-8;
  options.observer.crossing = count_crossing;
  options.observer.context = &crossings;

  // after the first bounce the mass is back at its height with the speed of the parabola
  const double fall = std::sqrt(2.0 / 9.81), speed = 9.81 * fall, w = std::sqrt(800.0);
  const double stance = 2.0 * (std::acos(-1.0) - std::atan2(speed / w, 9.81 / 800.0)) / w;
  int status = ESS_EINVAL;
  ess_driver *driver = ess_driver_alloc(&hopper, &options, &status);
  double t = 0.0, x[2] = {2.0, 0.0};
  if (driver) status = ess_driver_apply(driver, &t, 2.0 * fall + stance, x);
  ess_driver_free(driver);
  std::printf("libess %s: %s at t = %.6f, z = %.6f, v = %.6f\n", ess_version(),
              ess_strerror(status), t, x[0], x[1]);
  return !(status == ESS_SUCCESS && crossings == 2 && std::fabs(x[0] - 2.0) < 1e-5 &&
           std::fabs(x[1]) < 1e-4);
}
