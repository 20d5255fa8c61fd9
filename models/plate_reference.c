/*
 * The plate's reference solution: libess itself, tight, with neighbourhoods so thin that every
 * crossing is located and nothing is projected any distance that matters. Of many springs it
 * watches those in a window that follows the crossings (plate_window.h), so that a crossing costs
 * the same however many springs there are.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plate_window.h"
#include "reference_options.h"

/* A larger step would be allowed by the tolerance, but not by the dense output on which steps are
 * cut: at 5e-4 s the cuts of a hundred springs add up to 1e-10. */
static const double longest_step = 2e-4;

/* Between two output times, besides those for crossings; a spring or damper so stiff that it takes
 * more is none to wait for. */
static const uint64_t most_steps = 20000, most_steps_by_guard = 10;

/* Time for which all springs are watched at the start, and after a window was too small. */
static const double whole_time = 1e-3;

/* A point of the trajectory between two stretches of it, each with its own window. */
typedef struct place {
  double t, x[PLATE_DIMENSION];
  size_t row, events; /* output times reached; crossings that changed the field */
} place;

typedef struct pursuit {
  const model *m;
  plate_window window;
  double *sign;        /* [window.total] the mode at the stretch's beginning */
  double whole_until;  /* all springs are watched until then */
  double failure_time; /* of the driver */
  place at;
} pursuit;

static int on_crossing(const ess_crossing_info *info, void *context) {
  pursuit *p = context;
  const size_t guard = plate_window_crossed(&p->window, info->event);
  if (p->m->type->changes_field(p->m, guard, p->window.sign)) p->at.events++;
  return p->window.overrun;
}

/* A window used up is left after a step whose end is on no guard: the next one reads the mode off
 * the state there. */
static int on_step(const ess_step_info *info, void *context) {
  pursuit *p = context;
  if (!p->window.used_up || info->projection || info->t1 < p->whole_until) return 0;
  return plate_window_is_clear(&p->window, info->x);
}

static ess_options options_of(pursuit *p) {
  const ess_observer observer = {.step = on_step, .crossing = on_crossing, .context = p};
  ess_options options = model_reference_options(longest_step, &observer);
  options.max_steps = most_steps + most_steps_by_guard * p->window.total;
  return options;
}

/* To the last output time, or until the window is used up (ESS_ESTOP). Stops at every output time:
 * the integrator's own accuracy, not that of its dense output. */
static int follow(pursuit *p, bool whole, model_reference *out) {
  int status;
  plate_window_open(&p->window, whole);
  const ess_system system = plate_window_system(&p->window);
  const ess_options options = options_of(p);
  ess_driver *driver = ess_driver_alloc(&system, &options, &status);
  while (!status && p->at.row < out->count) {
    status = ess_driver_apply(driver, &p->at.t, out->times[p->at.row], p->at.x);
    if (status) break;
    memcpy(&out->states[p->at.row++ * PLATE_DIMENSION], p->at.x, sizeof p->at.x);
    if (out->reached) out->reached(p->at.row, out->context);
  }
  if (driver) p->failure_time = ess_driver_failure(driver)->time;
  ess_driver_free(driver);
  return status;
}

/* Whether a stretch in a window missed nothing; if not, it is to be followed again with all springs
 * watched until past the place of the trouble. */
static bool holds(pursuit *p, int status) {
  const bool ended = status == ESS_SUCCESS || status == ESS_ESTOP;
  if (ended && !p->window.overrun && plate_window_was_enough(&p->window, p->at.x)) return true;
  p->whole_until = p->at.t + whole_time;
  return false;
}

static int integrate(pursuit *p, model_reference *out) {
  int status;
  bool whole = true;
  do {
    const place before = p->at;
    memcpy(p->sign, p->window.sign, p->window.total * sizeof *p->sign);
    status = follow(p, whole, out);
    if (whole || holds(p, status)) {
      whole = false;
      continue;
    }
    p->at = before;
    plate_window_restore(&p->window, p->sign);
    whole = true;
    status = ESS_ESTOP;
  } while (status == ESS_ESTOP);
  return status;
}

int plate_reference(const model *m, const double x0[], model_reference *out,
                    char message[MODEL_MESSAGE_SIZE]) {
  pursuit p = {.m = m, .whole_until = whole_time};
  memcpy(p.at.x, x0, sizeof p.at.x);
  int status = plate_window_alloc(&p.window, m->data) ? ESS_ENOMEM : ESS_SUCCESS;
  if (!status) p.sign = calloc(p.window.total, sizeof *p.sign);
  if (!p.sign) status = ESS_ENOMEM;
  if (!status) status = integrate(&p, out);
  if (status)
    snprintf(message, MODEL_MESSAGE_SIZE, "plate: reference failed at t = %.0f us: %s",
             p.failure_time * 1e6, ess_strerror(status));
  plate_window_free(&p.window);
  free(p.sign);
  out->events = p.at.events;
  out->kind = "reference";
  return status ? -1 : 0;
}
