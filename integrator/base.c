/*
 * Which base makes the next integration step, where that is not settled (ess_options.base).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "arithmetic.h"
#include "base.h"
#include "dopri5.h"
#include "driver_state.h"
#include "slides.h"
#include "tangents.h"

/* calls of the field that a step of dopri5 takes, and radius times length to which it is stable;
 * stability may bound it from the third of these on */
static const double CALLS = 6.0, STABLE_TO = 3.3, BOUND_FROM = 1.5;

/* stabilised steps begin where they take less than this part of dopri5's calls, and end where they
 * take more than that of the fewest that dopri5 would: it is the more accurate of both. Each after
 * so many steps in a row */
static const double BEGIN = 0.4, END = 0.6;
enum { IN_A_ROW = 2 };

/* what a crossing sets off decays as fast as the field lets it: radius times length of the next
 * step */
static const double AFTER_CROSSING = 2.0;

/* a stabilised step's error grows with its cube where nothing is stiff, and in proportion to it
 * where all is; how much longer it may be than that which tells */
static const double EXPONENT = 0.4, SAFETY = 0.8, LONGER_MOST = 10.0;

void ess_base_reset(ess_driver *d) {
  double *const direction = d->stabilised.direction;
  memset(direction, 0, d->lanes * sizeof *direction);
  d->stabilised = (ess_stabilised){.direction = direction, .off_until = -INFINITY};
}

int ess_base_begin(ess_driver *d) {
  ess_stabilised *const s = &d->stabilised;
  if (s->crossings != d->counters.crossings) {
    s->crossings = d->counters.crossings;
    if (s->is_on) d->dt_next = ess_smaller(AFTER_CROSSING / s->radius, d->dt_next);
    s->turns = 0;
    s->off_until = -INFINITY;
  }
  const bool is_asked = s->is_next || d->options.base == ESS_BASE_RKC;
  s->is_on = is_asked && d->t >= s->off_until && !ess_is_sliding(d);
  int status = s->is_on ? ess_stabilised_begin(d) : ESS_SUCCESS;
  if (!status && s->is_on && d->tangents) status = ess_tangent_leave(d);
  return status;
}

/* takes the part along w out of v, states weighed by their tolerances */
static void take_out(const ess_driver *d, const double w[], double v[]) {
  const size_t n = d->system.dimension;
  double along = 0.0, whole = 0.0;
  for (size_t i = 0; i < n; i++) {
    const double scale = d->atol[i] + d->rtol[i] * fabs(d->x[i]);
    const double weight = scale > 0.0 ? 1.0 / (scale * scale) : 0.0;
    along += weight * v[i] * w[i];
    whole += weight * w[i] * w[i];
  }
  const double share = whole > 0.0 ? along / whole : 0.0;
  for (size_t i = 0; i < n; i++) v[i] -= share * w[i];
}

/* calls of the field for each unit of time that stabilised steps would take in place of the one
 * that dopri5 has just made; INFINITY where it is not stability that bounds that one */
static double cost_of_stabilised(ess_driver *d) {
  const double *const f = d->stage[ESS_STAGES - 1], *const f_before = d->stage[ESS_STAGES - 2];
  double *const ripple = d->v_try;
  (void)ess_dopri5_stage(d, ESS_STAGES - 2, d->x_try); // that before the last, at the end too
  const double radius = ess_stabilised_radius(d, f, f_before, d->x_end, d->x_try);
  if (!(radius * d->dt > BOUND_FROM)) return INFINITY;
  ess_stabilised_estimate(d);
  // what a step at the edge of stability leaves of stiff motions is not in one that damps them
  for (size_t i = 0; i < d->lanes; i++) ripple[i] = f[i] - f_before[i];
  take_out(d, ripple, d->x_try);
  const double error = d->severity * ess_scaled_norm(d, d->x_try, d->x, d->x_end);
  const double length = d->dt * ess_smaller(LONGER_MOST, SAFETY * pow(error, -EXPONENT));
  return (0.5 + ess_stabilised_stages(radius * length)) / length; // half a stage is rounded up
}

void ess_base_choose(ess_driver *d) {
  ess_stabilised *const s = &d->stabilised;
  const bool other = s->is_on ? s->stages / d->dt > END * CALLS * s->radius / STABLE_TO
                              : cost_of_stabilised(d) < BEGIN * CALLS / d->dt;
  s->turns = other ? s->turns + 1 : 0;
  if (s->turns < IN_A_ROW) return;
  s->turns = 0;
  s->is_next = !s->is_on;
  d->log_error_old = ESS_LOG_ERROR_FLOOR; // that was the other's
}
