/*
 * The plate's reference solution: libess itself, tight, with neighbourhoods so thin that every
 * crossing is located and nothing is projected any distance that matters.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plate_internal.h"

/* A larger step would be allowed by the tolerance alone in free flight, where it gains nothing. */
static const double longest_step = 5e-4;

/* Between two output times; a spring or damper so stiff that it takes more is none to wait for. */
static const uint64_t most_steps = 20000;

typedef struct event_counter {
  const model *m;
  size_t events;
} event_counter;

static int count_crossing(const ess_crossing_info *info, void *context) {
  event_counter *counter = context;
  if (counter->m->type->changes_field(counter->m, info->guard, info->sign)) counter->events++;
  return 0;
}

static ess_options options_of(event_counter *counter) {
  ess_options options = ess_options_default();
  options.epsilon = 1e-9; // projected in nanoseconds: far below the tolerances, above rounding
  options.rtol = 1e-12;
  options.atol = 1e-13;
  options.h_max = longest_step;
  options.max_steps = most_steps;
  options.max_crossings = UINT64_MAX;
  options.observer = (ess_observer){.crossing = count_crossing, .context = counter};
  return options;
}

/* Stops at every output time: the integrator's own accuracy, not that of its dense output. */
static int integrate(ess_driver *driver, const double x0[], model_reference *out) {
  double t = 0, x[PLATE_DIMENSION];
  memcpy(x, x0, sizeof x);
  int status = ESS_SUCCESS;
  for (size_t i = 0; !status && i < out->count; i++) {
    status = ess_driver_apply(driver, &t, out->times[i], x);
    if (!status) memcpy(&out->states[i * PLATE_DIMENSION], x, sizeof x);
  }
  return status;
}

int plate_reference(const model *m, const double x0[], model_reference *out,
                    char message[MODEL_MESSAGE_SIZE]) {
  event_counter counter = {.m = m};
  const ess_options options = options_of(&counter);
  int status = ESS_SUCCESS;
  ess_driver *driver = ess_driver_alloc(&m->system, &options, &status);
  if (driver) status = integrate(driver, x0, out);
  if (status) {
    const double when = driver ? ess_driver_failure(driver)->time : 0;
    snprintf(message, MODEL_MESSAGE_SIZE, "plate: reference failed at t = %.0f us: %s", when * 1e6,
             ess_strerror(status));
  }
  ess_driver_free(driver);
  out->events = counter.events;
  out->kind = "reference";
  return status ? -1 : 0;
}
