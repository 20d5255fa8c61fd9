/*
 * The field's Jacobian along a sub-step where the caller has none. One for each crossing is more
 * than the sub-step itself costs: so it is differenced where some of its crossings have been made,
 * as many as calls of the field allow, and changes from one such knot to the next by as much with
 * each crossing; and on the way, in time, as it does from the last of them to the sub-step's end.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "arithmetic.h"
#include "difference.h"
#include "driver_state.h"
#include "knots.h"
#include "piece.h"
#include "resets.h"
#include "tangent_state.h"
#include "undo.h"

/* how many calls of the field directions may still take: as many for each as the run has taken */
static double allowance(const ess_driver *d) {
  const ess_tangents *const v = d->tangents;
  const double spent = (double)v->spent;
  const double plain = (double)(d->counters.field_evaluations - v->before_follow) - spent;
  return (double)v->count * plain - spent;
}

/* crossings in the order of their times: none are in it where none are listed */
static size_t made_in_order(const ess_cluster *c) {
  return c->count ? c->made_count : 0;
}

/* whether the last knot of the sub-step before is where this one begins */
static bool goes_on(const ess_driver *d) {
  const ess_tangents *const v = d->tangents;
  return v->knot_t == d->piece.t0 && d->cluster.from == 0.0 &&
         memcmp(v->knot_sign, d->sign, d->system.guard_count * sizeof *d->sign) == 0;
}

/* the Jacobian, at this time since the sub-step's beginning */
static int measure(ess_driver *d, double u, double to[]) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  const double t = d->piece.t0 + u;
  ess_piece_state(d, t, v->x);
  int status = ess_tangent_field(d, t, v->x, v->f_here);
  memset(v->leap, 0, n * sizeof *v->leap);
  for (size_t j = 0; !status && j < n; j++) {
    v->leap[j] = 1.0;
    status = ess_tangent_difference(d, t, v->x, v->f_here, v->leap, v->mapped);
    v->leap[j] = 0.0;
    for (size_t i = 0; i < n; i++) to[i * n + j] = v->mapped[i];
  }
  return status;
}

/* differences the Jacobian at each knot but the first, in the modes that the crossings lead to, and
 * where the sub-step ends */
static int measure_knots(ess_driver *d, size_t count, bool guess) {
  ess_tangents *const v = d->tangents;
  const ess_cluster *const c = &d->cluster;
  const size_t all = d->system.dimension * d->system.dimension;
  int status = ESS_SUCCESS;
  d->rows_again = true;
  for (size_t i = 0, made = 0, knot = 1; !status && i < made_in_order(c); i++) {
    const size_t crossing = c->order[i];
    if (!c->is_made[crossing]) continue;
    status = ess_cross_and_note(d, crossing);
    if (c->is_silent[crossing] || ++made < v->knot_made[knot] || guess || status) continue;
    status = measure(d, c->from, v->knot + knot++ * all);
  }
  d->rows_again = false;
  if (!status) status = measure(d, c->length, v->knot_end);
  double *const last = v->knot + v->pieces * all;
  if (count == 0) memcpy(last, v->knot, all * sizeof *last);
  const double length = c->length - c->from;
  for (size_t l = 0; l < all; l++) {
    if (count && guess) last[l] = v->knot_end[l] - length * v->slope[l];
    v->slope[l] = (v->knot_end[l] - last[l]) / length;
  }
  memcpy(v->knot_sign, d->sign, d->system.guard_count * sizeof *d->sign);
  v->knot_t = d->piece.t1;
  const int back = ess_take_back(d, 0);
  return status ? status : back;
}

void ess_tangent_knots_at(ess_driver *d, double u) {
  ess_tangents *const v = d->tangents;
  const size_t all = d->system.dimension * d->system.dimension, made = v->made;
  size_t i = 0;
  while (i + 1 < v->pieces && made >= v->knot_made[i + 1]) i++;
  const double *const a = v->knot + i * all, *const b = a + all;
  const double width = (double)(v->knot_made[i + 1] - v->knot_made[i]);
  const double part = width > 0.0 ? (double)(made - v->knot_made[i]) / width : 0.0;
  const double since = u - d->cluster.from;
  for (size_t l = 0; l < all; l++)
    v->between[l] = a[l] + part * (b[l] - a[l]) + since * v->slope[l];
}

/* calls of the field where each crossing is called by itself: for both sides of it, and for the
 * ways between them, of which few are so long that they take steps of the pair */
static double cost_exactly(const ess_driver *d, double crossings) {
  const double p = (double)d->tangents->count, ways = crossings + 1.0;
  const double far = ess_smaller(ways, 8.0);
  return 2.0 * crossings + far * ESS_STAGES * (1.0 + p) + (ways - far) * (1.0 + 2.0 * p);
}

int ess_tangent_knots(ess_driver *d) {
  ess_tangents *const v = d->tangents;
  const ess_cluster *const c = &d->cluster;
  const size_t n = d->system.dimension;
  size_t count = 0;
  for (size_t i = 0; i < made_in_order(c); i++)
    count += c->is_made[c->order[i]] && !c->is_silent[c->order[i]];
  v->has_knots = false;
  if (d->system.field_jacobian || !(c->length > c->from)) return ESS_SUCCESS;
  const bool goes = goes_on(d);
  const double each = (double)n + 1.0, least = goes ? each : 2.0 * each;
  const double left = (allowance(d) - least) / each;
  // how it changes on the way is much as in the sub-step before
  const bool guess = goes && left < 1.0;
  const double pieces = ess_clamp(floor(left), 1.0, ess_clamp((double)count, 1.0, ESS_KNOTS));
  const double cost = least + (guess || !count ? 0.0 : pieces * each);
  // where each crossing by itself costs no more there is nothing to gain
  if (cost_exactly(d, (double)count) <= ess_larger(allowance(d), cost)) return ESS_SUCCESS;
  if (goes) memcpy(v->knot, v->knot_end, n * n * sizeof *v->knot);
  v->pieces = (size_t)pieces;
  for (size_t i = 0; i <= v->pieces; i++) v->knot_made[i] = i * count / v->pieces;
  int status = goes ? ESS_SUCCESS : measure(d, c->from, v->knot);
  if (!status) status = measure_knots(d, count, guess);
  v->has_knots = !status;
  v->made = 0;
  return status;
}
