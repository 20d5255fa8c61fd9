/*
 * The derivative of a run that ends on an event: of its time, and of the state there.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "callbacks.h"
#include "driver_state.h"
#include "ess_tangents.h"
#include "events.h"
#include "parameters.h"
#include "tangents.h"

/* place of event function k in the list of the instant that the run has ended in; met_count when it
 * is not one of several */
static size_t find_met(const ess_driver *d, size_t k) {
  const ess_tangents *const v = d->tangents;
  if (!(d->t >= v->met_from && d->t <= v->met_until)) return v->met_count;
  size_t i = 0;
  while (i < v->met_count && v->met_event[i] != k) i++;
  return i;
}

/* of several events each is met in its turn, by each direction: the state there is the one on the
 * way, or, where it has jumped, the one after all of them, followed to that moment */
static int end_among_several(ess_driver *d, size_t i, double Dt[], double Dx[]) {
  const ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension, p = v->count;
  if (Dx && !v->met_impact && i >= ESS_MEETING)
    return ess_refuse(d, ess_caller_time(d, d->t),
                      "Dx is known of the first 8 events of an instant alone");
  for (size_t j = 0; j < p; j++) {
    const double time = v->met[j * d->system.guard_count + i];
    const double *const y = v->met_y + (j * ESS_MEETING + i) * n, *const column = v->v + j * n;
    if (Dt) Dt[j] = ess_caller_time(d, time);
    for (size_t l = 0; Dx && l < ess_caller_states(d); l++)
      Dx[l * p + j] = v->met_impact ? column[l] + time * v->f_here[l] : y[l];
  }
  return ESS_SUCCESS;
}

/* an event by itself */
static int end_alone(ess_driver *d, size_t k, double Dt[], double Dx[]) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  const bool is_last = v->last_event == k && v->last_t == d->t;
  double h, rate = 1.0, *const share = is_last ? v->share : v->w;
  int status = ESS_SUCCESS;
  if (!is_last) status = ess_some_guard_rates(d, d->t, d->x, v->f_here, &k, 1, &h, &rate);
  if (!status && !(fabs(rate) > 0.0)) status = ess_fail(d, ESS_EGRAZING, k);
  if (!status && !is_last)
    status = ess_tangent_guard_rates(d, d->t, d->x, k, v->v, v->along, v->count, share);
  for (size_t j = 0; !status && j < v->count; j++) {
    const double *const column = v->v + j * n, time = -share[j] / rate;
    if (Dt) Dt[j] = ess_caller_time(d, time);
    for (size_t i = 0; Dx && i < ess_caller_states(d); i++)
      Dx[i * v->count + j] = column[i] + time * v->f_here[i];
  }
  return status;
}

int ess_driver_section(ess_driver *d, size_t k, double Dt[], double Dx[]) {
  if (!d) return ESS_EINVAL;
  ess_tangents *const v = d->tangents;
  if (!v || v->is_lost || v->tape)
    return ess_refuse(d, ess_caller_time(d, d->t), "no directions are followed");
  if (k >= d->system.guard_count)
    return ess_refuse(d, ess_caller_time(d, d->t), "k must be below guard_count");
  if (d->applying)
    return ess_refuse(d, ess_caller_time(d, d->t), "a section is asked for between applies");
  const int status = ess_field(d, d->t, d->x, v->f_here);
  if (status) return status;
  const size_t i = find_met(d, k);
  if (i < v->met_count) return end_among_several(d, i, Dt, Dx);
  if (!ess_has_jumped(d, k)) return end_alone(d, k, Dt, Dx);
  // what an impact takes past zero is passed when the impact is made
  if (v->last_event == SIZE_MAX || v->last_t != d->t)
    return ess_refuse(d, ess_caller_time(d, d->t),
                      "k was passed by the jump of several events, each of which has its own time");
  return end_alone(d, v->last_event, Dt, Dx);
}
