/*
 * Rest on the guards of impacts. Impacts that are ever smaller and come ever faster are, in the
 * end, a force: it pushes the state as they do. What an impact does to a state that comes a little
 * towards it is asked of the caller's map, at each state anew.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "arithmetic.h"
#include "callbacks.h"
#include "dopri5.h"
#include "driver_state.h"
#include "events.h"
#include "impacts.h"
#include "parameters.h"
#include "slides.h"
#include "suspect.h"

/* how fast the state that the map is asked of comes: by this part of its size */
static const double PART = 1e-3;

/* a bounce from the state that may rest is less high than what the tolerance lets it be off by; of
 * its speed, the square is twice the height times what pushes it back */
static const double HIGH = 2.0;

/* lambda is so much less than 1 where the state comes to rest; what it is at least, in parts of
 * what the field makes of the state; and by how much more it pushes, so often at most */
static const double ROOM = 16.0, LEAST = 1e-6, MORE = 16.0;

bool ess_may_rest(const ess_driver *d) {
  return d->options.rest && d->slides && d->impacts && !d->tangents;
}

void ess_rest_note(ess_driver *d, size_t k, const double before[], const double after[]) {
  double *const push = d->slides->push + k * d->lanes;
  memset(push, 0, d->lanes * sizeof *push);
  for (size_t l = 0; l < ess_caller_states(d); l++) push[l] = after[l] - before[l];
  const double part = ess_tangent_part(d, after, push, PART);
  for (size_t l = 0; l < d->lanes; l++) push[l] *= part;
}

bool ess_rest_ends(ess_driver *d, double zeno) {
  ess_slides *const s = d->slides;
  for (size_t k = 0; k < d->system.guard_count; k++) {
    if (!ess_is_impact(d, k)) continue;
    const ess_returning *const r = &d->impacts->returning[ess_guard_ahead(d, k)];
    s->stopped[k] = r->ends || r->has_stopped;
    s->has_stopped = s->has_stopped || s->stopped[k];
  }
  s->zeno = zeno;
  return s->has_stopped;
}

/* whether the guard pushes a state back that comes to it, and how hard it has to */
static int begin_one(ess_driver *d, size_t k) {
  ess_slides *const s = d->slides;
  s->rests[k] = s->second[k] = true;
  s->scale[k] = 1.0;
  memcpy(s->sign, d->sign, d->system.guard_count * sizeof *s->sign);
  int status = ess_slide_look(d, d->t, d->x, &k, 1);
  if (!status && s->g[0] > 0.0) { // by rounding the last impact was met from the wrong side
    double *const push = s->push + k * d->lanes;
    for (size_t l = 0; l < d->lanes; l++) push[l] = -push[l];
    status = ess_slide_look(d, d->t, d->x, &k, 1);
  }
  if (status == ESS_ESLIDING) { // it may come to be a mode of its own
    s->rests[k] = s->second[k] = false;
    ess_no_failure(d);
    return ESS_SUCCESS;
  }
  const double size = ess_scaled_norm(d, s->jump, d->x, d->x);
  double allowed;
  if (!status) status = ess_allowed_error(d, k, &allowed);
  s->rests[k] = !status && s->g[0] < 0.0 && size > 0.0 && fabs(d->h[k]) <= allowed &&
                d->rate[k] * d->rate[k] <= HIGH * fabs(s->a[0]) * allowed;
  s->second[k] = s->rests[k];
  if (status || !s->rests[k]) return status;
  const double least = LEAST * ess_scaled_norm(d, s->f0, d->x, d->x) / size;
  s->scale[k] = ess_larger(ROOM * fabs(s->a[0] / s->g[0]), least);
  return ESS_SUCCESS;
}

int ess_rest_begin(ess_driver *d) {
  ess_slides *const s = d->slides;
  int status = ESS_SUCCESS;
  for (size_t k = 0; s->has_stopped && !status && k < d->system.guard_count; k++)
    if (s->stopped[k] && ess_is_impact(d, k)) status = begin_one(d, k);
  return status;
}

int ess_rest_end(ess_driver *d) {
  ess_slides *const s = d->slides;
  bool rests = false;
  for (size_t k = 0; k < d->system.guard_count; k++) {
    const bool is_slid = ess_is_listed(s->set, s->count, k);
    if (s->stopped[k] && is_slid) d->impacts->returning[ess_guard_ahead(d, k)] = ess_no_returns();
    rests = rests || (s->stopped[k] && is_slid);
    s->stopped[k] = false;
    s->rests[k] = s->rests[k] && is_slid;
    s->second[k] = s->second[k] && is_slid;
  }
  s->has_stopped = false;
  // what bounces are left take no time
  return rests ? ess_slide_put_back(d, INFINITY) : ess_end_zeno(d, s->zeno);
}

bool ess_rest_widen(ess_driver *d, size_t count) {
  ess_slides *const s = d->slides;
  bool any = false;
  for (size_t i = 0; i < count; i++) {
    const size_t k = s->events[i];
    if (!s->rests[k] || s->part[i] != ESS_AT_ONE || !(s->scale[k] < 1e100)) continue;
    s->scale[k] *= MORE;
    any = true;
  }
  return any;
}
