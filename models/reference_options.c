/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reference_options.h"

ess_options model_reference_options(double h_max, const ess_observer *observer) {
  ess_options options = ess_options_paper();
  options.projection.epsilon =
      1e-9; // projected in nanoseconds: far below the tolerances, above rounding
  options.projection.duration_max = 1e-6;
  options.projection.order = 2;
  options.rtol = 1e-12;
  options.atol = 1e-13;
  options.h_max = h_max;
  options.max_crossings = UINT64_MAX;
  options.observer = *observer;
  return options;
}
