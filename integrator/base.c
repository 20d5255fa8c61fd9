/*
 * Which base makes steps (ess_options.base): one, or dopri5 and one for stiff fields in turn, by
 * their costs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "core.h"
#include "slides.h"

/* by the option: the base, and the one for stiff fields that may take its place */
static const struct {
  const ess_stepper *base, *stiff;
} BASES[] = {[ESS_BASE_DOPRI5] = {&ess_base_dopri5, NULL},
             [ESS_BASE_RKC] = {&ess_base_rkc, NULL},
             [ESS_BASE_CHOSEN] = {&ess_base_dopri5, &ess_base_rkc},
             [ESS_BASE_RODAS] = {&ess_base_rodas, NULL},
             [ESS_BASE_ROS2] = {&ess_base_ros2, NULL},
             [ESS_BASE_CHOSEN_RODAS] = {&ess_base_dopri5, &ess_base_rodas},
             [ESS_BASE_LIT] = {&ess_base_lit, NULL}};

bool ess_base_alloc(ess_driver *d, ess_base option) {
  const bool is_rodas =
      BASES[option].base == &ess_base_rodas || BASES[option].stiff == &ess_base_rodas;
  return !is_rodas || ess_rodas_alloc(d);
}

bool ess_may_be_implicit(ess_base option) {
  const ess_stepper *const stiff = BASES[option].stiff;
  return BASES[option].base->kind == ESS_IMPLICIT || (stiff && stiff->kind == ESS_IMPLICIT);
}

void ess_base_take(ess_driver *d) {
  ess_choice *const c = &d->choice;
  const ess_stepper *const base = BASES[d->options.base].base, *const stiff =
                                                                   BASES[d->options.base].stiff;
  const bool stays = stiff && c->base == stiff;
  c->base = stays ? stiff : base;
  c->other = stays ? base : stiff;
}

void ess_base_reset(ess_driver *d) {
  double *const direction = d->stabilised.direction;
  memset(direction, 0, d->lanes * sizeof *direction);
  d->stabilised = (ess_stabilised){.direction = direction};
  d->choice = (ess_choice){0};
  d->base = &ess_base_dopri5;
  ess_base_take(d);
  ess_base_forget(d);
  ess_rodas_reset(d);
}

void ess_base_forget(ess_driver *d) {
  d->stabilised.tries = ESS_RADIUS_TRIES;
  d->beside.t = NAN;
  ess_rodas_forget(d);
}

void ess_base_leave(ess_driver *d, bool moved) {
  d->stabilised.off_until = -INFINITY;
  ess_rodas_forget(d);
  ess_ros2_leave(d, moved);
}

/* Event functions' rates at the node are those along the dense output of the last step, if that was
 * by RODAS. Where another base goes on they are by the field: so are their signs where the state
 * has just left a surface, and this step is dopri5's. */
int ess_base_start(ess_driver *d) {
  ess_choice *const c = &d->choice;
  ess_stabilised *const s = &d->stabilised;
  const ess_stepper *const last = d->base;
  const bool sliding = d->slides && ess_is_sliding(d),
             is_anew = c->crossings != d->counters.crossings;
  const bool leaves = d->slides && d->slides->left_at == d->t && c->base->rates;
  if (is_anew) {
    c->crossings = d->counters.crossings;
    c->turns = 0;
    s->off_until = -INFINITY;
    if (last->kind == ESS_STABILISED)
      ess_control_bound(d, ESS_BY_STABILITY, ESS_EXTENT_ANEW / s->radius);
  }
  const bool is_off = c->base->kind == ESS_STABILISED && d->t < s->off_until;
  d->base = sliding || leaves || is_off || ess_distrusts(d) ? &ess_base_dopri5 : c->base;
  const bool by_field = !sliding && d->armed_count && (leaves || (last->rates && !d->base->rates));
  return by_field ? ess_guard_rates(d, d->t, d->x, d->f, d->h_try, d->rate) : ESS_SUCCESS;
}

/* ---- the choice of two ----------------------------------------------------------------------- */

/* radius times length up to which dopri5 is stable */
static const double STABLE_TO = 3.3;

/* steps in a row of which the other base has to be cheaper */
enum { IN_A_ROW = 2 };

/* whether the base for stiff fields would have taken fewer calls than dopri5's step just made */
static bool is_stiff(ess_driver *d) {
  const ess_stepper *const stiff = d->choice.other;
  const size_t n = d->system.dimension;
  double *const ripple = d->v_try;
  const double radius = ess_radius_shown(d, ripple);
  // it is not stability that bounds this step
  if (!(radius * d->dt > ESS_BOUND_FROM)) return false;
  ess_estimate_by_ends(d);
  // a step that damps stiff motions has none of the ripple that a step at the edge of stability
  // leaves: its part is removed, states weighed by their tolerances
  double product = 0.0, whole = 0.0;
  for (size_t i = 0; i < n; i++) {
    const double scale = d->atol[i] + d->rtol[i] * fabs(d->x[i]);
    const double weight = scale > 0.0 ? 1.0 / (scale * scale) : 0.0;
    product += weight * d->x_try[i] * ripple[i];
    whole += weight * ripple[i] * ripple[i];
  }
  const double share = whole > 0.0 ? product / whole : 0.0;
  for (size_t i = 0; i < n; i++) d->x_try[i] -= share * ripple[i];
  return stiff->cost_instead(d, radius) < stiff->begins * (ESS_STAGES - 1) / d->dt;
}

static void turn(ess_driver *d) {
  ess_choice *const c = &d->choice;
  const ess_stepper *const base = c->base;
  const uint64_t steps = d->counters.steps;
  c->turns = 0;
  c->base = c->other;
  c->other = base;
  ess_control_forget_error(d); // that was the other's
  if (c->other == &ess_base_dopri5) {
    c->since = steps;
    return;
  }
  c->wait = steps - c->since >= base->pays ? 0 : c->wait ? 2 * c->wait : base->pays;
  c->not_before = steps + c->wait;
  // a longer step of dopri5 would be refused
  ess_control_bound(d, ESS_BY_STABILITY, STABLE_TO / d->stabilised.radius);
}

void ess_base_choose(ess_driver *d, double t1) {
  ess_choice *const c = &d->choice;
  // a step cut short by the run's end, or by a jump of the field, does not show the cost of others
  if (d->base != c->base || d->dt == t1 - d->t || ess_is_sliding(d)) return;
  const bool is_plain = c->base == &ess_base_dopri5;
  bool turns;
  if (is_plain) {
    turns = is_stiff(d);
  } else {
    const double cost = c->base->cost(d), least = d->stabilised.radius / STABLE_TO;
    turns = cost > c->base->ends * (ESS_STAGES - 1) * least;
  }
  c->turns = turns ? c->turns + 1 : 0;
  if (c->turns >= IN_A_ROW && !(is_plain && d->counters.steps < c->not_before)) turn(d);
}

bool ess_base_turn_stiff(ess_driver *d) {
  const ess_stepper *const stiff = d->choice.other;
  if (d->base != &ess_base_dopri5 || !stiff || stiff->kind != ESS_IMPLICIT || ess_is_sliding(d))
    return false;
  turn(d);
  d->base = stiff;
  ess_control_anew(d, ess_larger(d->piece.t1 - d->piece.t0, 0x1p-40 * fabs(d->t)));
  return true;
}
