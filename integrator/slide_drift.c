/*
 * Where a sliding state is put: back onto its surfaces, off which rounding takes it, and the error
 * of steps along surfaces that are curved; or beside one that it leaves.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "callbacks.h"
#include "dopri5.h"
#include "driver_state.h"
#include "slides.h"
#include "tangents.h"

/* a state is put back on its surfaces where that moves it by more than this part of the tolerance,
 * so often at most */
static const double OFF = 1e-3;
enum { ROUNDS = 3 };

/* what the surfaces' event functions, or rates where these do not jump, have to change by, along
 * what the surfaces add to the field; false where there is no way */
static bool find_back(ess_driver *d, double back[]) {
  ess_slides *const s = d->slides;
  for (size_t i = 0; i < s->count; i++) {
    const size_t k = s->set[i];
    s->sum[i] = -ess_slide_way(d, k) * (s->second[k] ? d->rate[k] : d->h[k]);
  }
  if (!ess_complementarity_inside(s->count, s->sum, s->g, s->nothing, s->back, &s->box))
    return false;
  for (size_t j = 0; j < s->count; j++)
    for (size_t l = 0; l < d->system.dimension; l++)
      back[l] -= s->back[j] * s->jump[j * d->lanes + l];
  return true;
}

/* and those of second order themselves, along what the field changes by along that */
static int find_aside(ess_driver *d, double back[]) {
  ess_slides *const s = d->slides;
  int status = ESS_SUCCESS;
  bool any = false;
  for (size_t i = 0; i < s->count; i++) {
    const bool is_second = s->second[s->set[i]];
    any = any || is_second;
    s->sum[i] = is_second ? -ess_slide_way(d, s->set[i]) * d->h[s->set[i]] : 0.0;
    for (size_t j = 0; j < s->count; j++)
      s->g_aside[i * s->count + j] = is_second && s->second[s->set[j]] ? s->g[i * s->count + j]
                                     : i == j                          ? 1.0
                                                                       : 0.0;
  }
  if (!any ||
      !ess_complementarity_inside(s->count, s->sum, s->g_aside, s->nothing, s->back, &s->box))
    return ESS_SUCCESS;
  for (size_t j = 0; !status && j < s->count; j++) {
    if (!s->second[s->set[j]]) continue;
    status = ess_slide_aside(d, s->jump + j * d->lanes, s->aside);
    for (size_t l = 0; l < d->system.dimension; l++) back[l] -= s->back[j] * s->aside[l];
  }
  return status;
}

int ess_slide_put_back(ess_driver *d, double most) {
  ess_slides *const s = d->slides;
  for (int round = 0; round < ROUNDS; round++) {
    memset(d->x_try, 0, d->lanes * sizeof *d->x_try);
    if (!find_back(d, d->x_try)) return ESS_SUCCESS;
    int status = find_aside(d, d->x_try);
    if (status) return status;
    const double off = ess_scaled_norm(d, d->x_try, d->x, d->x);
    if (off <= OFF) return ESS_SUCCESS;
    if (!(off <= most))
      return ess_slide_fail(d, s->set[0], SIZE_MAX, "the state is lost off what it slides on");
    for (size_t i = 0; i < d->lanes; i++) d->x_try[i] += d->x[i];
    status = ess_check_state(d, d->x_try);
    if (status) return status;
    memcpy(d->x, d->x_try, d->lanes * sizeof *d->x);
    if (d->tangents) d->tangents->has_first = false;
    status = ess_evaluate_node(d);
    if (status) return status;
    ess_slide_begin_node(d, s->lambda);
  }
  return ESS_SUCCESS;
}

int ess_slide_step_beside(ess_driver *d, size_t i, size_t count, double to) {
  ess_slides *const s = d->slides;
  const double *const jump = s->jump + i * d->lanes;
  double *const aside = s->aside;
  const size_t k = s->events[i];
  const double rate = s->g[i * count + i];
  const int status = ess_slide_aside(d, jump, aside);
  if (status) return status;
  const double by = OFF / ess_scaled_norm(d, jump, d->x, d->x);
  const double far = OFF / ess_scaled_norm(d, aside, d->x, d->x);
  const double way = ess_slide_way(d, k);
  const double turn = -to * by - way * d->rate[k] / rate, move = -to * far - way * d->h[k] / rate;
  for (size_t l = 0; l < d->system.dimension; l++) d->x_try[l] += turn * jump[l] + move * aside[l];
  return ESS_SUCCESS;
}
