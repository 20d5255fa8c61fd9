/*
 * Many weak crossings in quick succession, and among them strong ones that undo each other: one
 * narrow pulse whose two edges are event functions of their own, or up to four pairs of which the
 * second switches off what the first has switched on.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "callbacks.h"
#include "families.h"

#include <math.h>
#include <string.h>

enum { GUARDS = 64, PAIRS = 4, CLOCK = 0, SPEED = 1, PLACE = 2, STATES = 3 };

/* event function k is the clock less `at`, on a scale; where it is positive `push` acts. The pairs
 * act between the crossings of two: as a sum of both, or while one is on and the other is not. */
typedef struct train {
  size_t guards, pairs;
  double at[GUARDS], scale[GUARDS], push[GUARDS];
  size_t first[PAIRS], second[PAIRS];
  double strong[PAIRS];
  bool adds;
} train;

static double pushed(const train *p, const double sign[]) {
  double push = 0.0;
  for (size_t k = 0; k < p->guards; k++) push += sign[k] > 0.0 ? p->push[k] : 0.0;
  for (size_t i = 0; i < p->pairs; i++) {
    const bool on = sign[p->first[i]] > 0.0, off = sign[p->second[i]] > 0.0;
    if (p->adds)
      push += (on ? p->strong[i] : 0.0) - (off ? p->strong[i] : 0.0);
    else
      push += on && !off ? p->strong[i] : 0.0;
  }
  return push;
}

FIELD(train_field) {
  dxdt[CLOCK] = 1.0;
  dxdt[SPEED] = pushed(params, sign);
  dxdt[PLACE] = x[SPEED];
}

GUARDS(train_guards) {
  const train *const p = params;
  for (size_t k = 0; k < p->guards; k++) h[k] = p->scale[k] * (x[CLOCK] - p->at[k]);
}

GUARD_JACOBIAN(train_jacobian) {
  const train *const p = params;
  memset(Dh, 0, p->guards * STATES * sizeof *Dh);
  for (size_t k = 0; k < p->guards; k++) Dh[k * STATES + CLOCK] = p->scale[k];
}

/* exact from crossing to crossing, which are in the order of their indices */
static void train_exact(const train *p, double end, double x[]) {
  double sign[GUARDS];
  for (size_t k = 0; k < p->guards; k++) sign[k] = -1.0;
  for (size_t k = 0; k <= p->guards; k++) {
    const double until = k < p->guards ? p->at[k] : end, dt = until - x[CLOCK];
    const double push = pushed(p, sign);
    x[PLACE] += dt * (x[SPEED] + 0.5 * push * dt);
    x[SPEED] += push * dt;
    x[CLOCK] = until;
    if (k < p->guards) sign[k] = 1.0;
  }
}

static family_run run_train(uint64_t seed, size_t most_pairs, bool may_switch) {
  uint64_t sequence = seed;
  train p = {.guards = 6 + family_one_of(&sequence, GUARDS - 5)};
  const ess_options options = family_options(&sequence);
  const double spacing = family_log_between(&sequence, 3e-5, 8e-3);
  const double weak = family_log_between(&sequence, 1e-4, 10.0);
  const double unlike = family_one_of(&sequence, 2) ? 0.0 : family_between(&sequence, 0.0, 1.0);
  const bool alternate = !family_one_of(&sequence, 3);
  p.pairs = 1 + family_one_of(&sequence, most_pairs);
  p.adds = !may_switch || family_one_of(&sequence, 2);
  double at = 0.3;
  for (size_t k = 0; k < p.guards; k++) {
    at += spacing * family_between(&sequence, 0.2, 1.8);
    p.at[k] = at;
    p.scale[k] = family_one_of(&sequence, 4) ? 1.0 : family_log_between(&sequence, 0.1, 10.0);
    p.push[k] = weak * (1.0 + unlike * family_between(&sequence, -1.0, 1.0));
    if (alternate && k % 2) p.push[k] = -p.push[k];
  }
  const double end = at + spacing * family_between(&sequence, 1.0, 100.0);
  for (size_t i = 0; i < p.pairs; i++) {
    const size_t first = family_one_of(&sequence, p.guards - 1);
    const size_t room = p.guards - 1 - first, apart = family_one_of(&sequence, room < 4 ? room : 4);
    p.first[i] = first;
    p.second[i] = first + 1 + apart;
    // by so much it changes the speed: a few tolerances, or many
    const double moved = family_log_between(&sequence, options.rtol, 1e4 * options.rtol);
    p.strong[i] = fmin(moved, 10.0) / (p.at[p.second[i]] - p.at[first]);
    if (family_one_of(&sequence, 2)) p.strong[i] = -p.strong[i];
  }
  const ess_system system = {
      .dimension = STATES, .guard_count = p.guards, OF_JACOBIAN(train), .params = &p};
  family_run run = {.true_crossings = p.guards};
  double x[STATES] = {0.0}, truth[STATES] = {0.0};
  train_exact(&p, end, truth);
  family_apply(&system, &options, end, x, truth, &run);
  return run;
}

family_run family_pulse(uint64_t seed) {
  return run_train(seed, 1, false);
}

family_run family_pairs(uint64_t seed) {
  return run_train(seed, PAIRS, true);
}
