/*
 * Which base makes the next integration step, where that is not settled (ess_options.base): dopri5,
 * or a base for stiff fields, which is the stabilised one or RODAS.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "core.h"
#include "slides.h"

/* dopri5: field evaluations per step; radius times length up to which it is stable */
static const double CALLS = 6.0, STABLE_TO = 3.3;

/* RKC begins below BEGIN times the evaluations of dopri5, and ends above END times its fewest:
 * below 1 because dopri5 is more accurate. For RODAS, which is as accurate, both are 1. IN_A_ROW:
 * steps in a row for which this must hold. */
static const double BEGIN = 0.4, END = 0.6;
enum { IN_A_ROW = 2 };

/* growth of the step size of RODAS above which its present cost does not predict the next */
static const double GROWS = 2.0;

/* PAYS: steps of RODAS in a row that pay for the change. After fewer, RODAS begins again after
 * WAIT_LEAST other steps, and each time after twice as many, up to WAIT_MOST. */
enum { PAYS = 16, WAIT_LEAST = 8, WAIT_MOST = 256 };

void ess_base_reset(ess_driver *d) {
  double *const direction = d->stabilised.direction;
  memset(direction, 0, d->lanes * sizeof *direction);
  d->stabilised = (ess_stabilised){.direction = direction, .off_until = -INFINITY};
  d->choice = (ess_choice){0};
}

/* before each try, where it may be by RODAS, along whose dense output event functions' rates at the
 * node are taken: their signs are the field's alone where the state has just left a surface */
static int begin_rodas(ess_driver *d) {
  const bool was_rodas = d->choice.is_rodas;
  d->choice.is_rodas = (d->options.base == ESS_BASE_RODAS || d->choice.is_stiff) &&
                       !(d->slides && d->slides->left_at == d->t);
  if (d->base != &ess_base_brief)
    d->base = d->choice.is_rodas && !ess_is_sliding(d) ? &ess_base_rodas : &ess_base_dopri5;
  if (!was_rodas || d->choice.is_rodas || !d->armed_count) return ESS_SUCCESS;
  return ess_guard_rates(d, d->t, d->x, d->f, d->h_try, d->rate);
}

int ess_base_begin(ess_driver *d) {
  ess_stabilised *const s = &d->stabilised;
  if (d->rodas) return begin_rodas(d);
  if (d->options.base == ESS_BASE_ROS2) {
    d->base = ess_is_sliding(d) ? &ess_base_dopri5 : &ess_base_ros2;
    return ESS_SUCCESS;
  }
  if (s->crossings != d->counters.crossings) {
    s->crossings = d->counters.crossings;
    if (s->is_on) ess_control_bound(d, ESS_BY_STABILITY, ESS_EXTENT_ANEW / s->radius);
    d->choice.turns = 0;
    s->off_until = -INFINITY;
  }
  const bool is_asked = d->choice.is_stiff || d->options.base == ESS_BASE_RKC;
  s->is_on = is_asked && d->t >= s->off_until && !ess_is_sliding(d);
  if (d->base != &ess_base_brief) d->base = s->is_on ? &ess_base_rkc : &ess_base_dopri5;
  return s->is_on ? ess_rkc_begin(d) : ESS_SUCCESS;
}

/* takes the part along w out of v, states weighed by their tolerances */
static void take_out(const ess_driver *d, const double w[], double v[]) {
  const size_t n = d->system.dimension;
  double product = 0.0, whole = 0.0;
  for (size_t i = 0; i < n; i++) {
    const double scale = d->atol[i] + d->rtol[i] * fabs(d->x[i]);
    const double weight = scale > 0.0 ? 1.0 / (scale * scale) : 0.0;
    product += weight * v[i] * w[i];
    whole += weight * w[i] * w[i];
  }
  const double share = whole > 0.0 ? product / whole : 0.0;
  for (size_t i = 0; i < n; i++) v[i] -= share * w[i];
}

/* a step of order 4 that is as accurate as one of order 3 that has this error and moves the state
 * so far, in parts of its length, by tolerances: errors are those of a motion over some time T,
 * which is this part of the motion times (length / T)^3, and to the fourth power with RODAS */
static double length_of_order_4(double error, double moves) {
  static const double PART_OF_MOTION = 1.0 / 15.0, STRAIGHT = 1e-12;
  const double bend = ess_larger(error / moves, STRAIGHT), time = sqrt(PART_OF_MOTION / bend);
  const double motion = PART_OF_MOTION * moves * time;
  return time * pow(motion, -0.25);
}

/* calls of the field for each unit of time that the stiff base would take in place of the step that
 * dopri5 has just made; INFINITY where it is not stability that bounds that one */
static double cost_of_stiff(ess_driver *d) {
  double *const ripple = d->v_try;
  const double radius = ess_radius_shown(d, ripple);
  if (!(radius * d->dt > ESS_BOUND_FROM)) return INFINITY;
  ess_estimate_by_ends(d);
  // what a step at the edge of stability leaves of stiff motions is not in one that damps them
  take_out(d, ripple, d->x_try);
  if (d->rodas) {
    const double error = d->scheme->severity * ess_scaled_norm(d, d->x_try, d->x, d->x_end);
    for (size_t i = 0; i < d->lanes; i++) d->x_try[i] = d->x_end[i] - d->x[i];
    const double moves = ess_scaled_norm(d, d->x_try, d->x, d->x_end);
    return ess_rodas_calls(d) / (d->dt * length_of_order_4(error, moves));
  }
  const double error = d->scheme->severity * ess_error_of_order_2(d);
  const double length = d->dt * ess_smaller(ESS_GROW_MOST, ESS_SAFER * pow(error, -ESS_BY_SQUARE));
  return (0.5 + ess_rkc_stages(radius * length)) / length; // half a stage is rounded up
}

/* whether dopri5 would take no more calls than the step of the stiff base just made */
static bool is_stiff_no_more(ess_driver *d) {
  ess_stabilised *const s = &d->stabilised;
  if (!d->rodas) return s->stages / d->dt > END * CALLS * s->radius / STABLE_TO;
  if (d->control.next > GROWS * d->dt) return false;
  s->radius = ess_rodas_radius(d);
  return ess_rodas_calls(d) / ess_larger(d->dt, d->control.next) > CALLS * s->radius / STABLE_TO;
}

/* RODAS's steps have begun, or ended: what ends soon was not worth beginning */
static void note_turn(ess_driver *d) {
  ess_choice *const c = &d->choice;
  const uint64_t steps = d->counters.steps;
  if (c->is_stiff) {
    c->since = steps;
    return;
  }
  const uint64_t twice = c->wait ? 2 * c->wait : WAIT_LEAST;
  c->wait = steps - c->since >= PAYS ? 0 : twice < WAIT_MOST ? twice : WAIT_MOST;
  c->not_before = steps + c->wait;
}

static void turn(ess_driver *d) {
  ess_choice *const c = &d->choice;
  c->turns = 0;
  c->is_stiff = !c->is_stiff;
  if (d->rodas) note_turn(d);
  ess_control_forget_error(d); // that was the other's
}

void ess_base_choose(ess_driver *d) {
  ess_choice *const c = &d->choice;
  // a step cut short by the run's end, or by a jump of the field, says nothing of what others cost
  if (!ess_is_base_chosen(d) || d->base == &ess_base_brief) return;
  if (d->control.is_last || ess_is_sliding(d)) return;
  const bool is_stiff = d->base != &ess_base_dopri5;
  const double least = (d->rodas ? 1.0 : BEGIN) * CALLS / d->dt;
  const bool other = is_stiff ? is_stiff_no_more(d) : cost_of_stiff(d) < least;
  c->turns = other ? c->turns + 1 : 0;
  if (c->turns < IN_A_ROW || (!is_stiff && d->counters.steps < c->not_before)) return;
  turn(d);
  // a longer one would be refused
  if (d->rodas && is_stiff)
    ess_control_bound(d, ESS_BY_STABILITY, STABLE_TO / d->stabilised.radius);
}

bool ess_base_turn_stiff(ess_driver *d) {
  if (d->options.base != ESS_BASE_CHOSEN_RODAS || d->choice.is_stiff || ess_is_sliding(d))
    return false;
  turn(d);
  ess_control_anew(d, ess_larger(d->piece.t1 - d->piece.t0, 0x1p-40 * fabs(d->t)));
  return true;
}
