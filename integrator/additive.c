/*
 * Many events at one instant whose jumps of the field add up, as a plate's contacts do: then the
 * flow is differentiable there, and no order has to be looked at.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "additive.h"
#include "callbacks.h"
#include "driver_state.h"
#include "passage.h"
#include "resets.h"
#include "tangent_state.h"

/* jumps are the same, and rates as before, to this part of them */
static const double SAME = 1e-9;

/* the field with one event more crossed than in `from`, whose place it may take */
static int cross_one(ess_driver *d, const ess_passage *from, ess_passage *to, size_t i) {
  const size_t bytes = d->system.guard_count * sizeof *to->sign;
  int status = ess_passage_take(d, from);
  if (!status) status = ess_cross(d, d->tangents->events[i]);
  memcpy(to->sign, d->sign, bytes);
  memcpy(to->side, d->side, bytes);
  return status ? status : ess_field(d, d->tangents->smoothness.time, d->tangents->at, to->f);
}

/* whether a jump leaves the rates of all events as they were */
static int turns_none(ess_driver *d, const double jump[], size_t count, bool *adds) {
  ess_tangents *const v = d->tangents;
  const int status = ess_guard_rates(d, v->smoothness.time, v->at, jump, v->h, v->rate);
  for (size_t i = 0; !status && i < count; i++)
    *adds = *adds && fabs(v->rate[v->events[i]]) <= SAME * fabs(v->passage[0].rate[i]);
  return status;
}

int ess_tangent_additive(ess_driver *d, size_t count, bool *adds) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  ess_passage *const first = &v->passage[0], *const one = &v->passage[1];
  ess_passage *const chain = &v->passage[2];
  ess_passage_columns(d, first, v->v, v->along, v->count);
  int status = ess_passage_look(d, first, count, v->count);
  memcpy(chain->sign, first->sign, d->system.guard_count * sizeof *chain->sign);
  memcpy(chain->side, first->side, d->system.guard_count * sizeof *chain->side);
  memcpy(chain->f, first->f, n * sizeof *chain->f);
  *adds = true;
  for (size_t i = 0; !status && *adds && i < count; i++) {
    double *const jump = v->mapped, *const before = v->before;
    memcpy(before, chain->f, n * sizeof *before);
    status = cross_one(d, first, one, i);
    if (!status) status = cross_one(d, chain, chain, i);
    for (size_t l = 0; l < n; l++) {
      jump[l] = one->f[l] - first->f[l];
      const double size = fabs(one->f[l]) + fabs(first->f[l]) + fabs(chain->f[l]);
      *adds = *adds && fabs(chain->f[l] - before[l] - jump[l]) <= SAME * size;
    }
    if (!status) status = turns_none(d, jump, count, adds);
    for (size_t j = 0; j < v->count; j++) {
      const double share = first->along[j * count + i] / first->rate[i];
      v->met[j * d->system.guard_count + i] = -share;
      for (size_t l = 0; l < n; l++) first->y[j * n + l] += share * jump[l];
    }
  }
  for (size_t i = 0; i < count; i++) v->best[i] = i;
  if (*adds && !status) memcpy(v->v, first->y, v->count * n * sizeof *v->v);
  return status ? status : ess_passage_restore(d);
}
