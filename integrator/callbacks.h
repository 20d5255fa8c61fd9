/*
 * The system's callbacks, as the driver calls them, and failures: theirs and all others.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_CALLBACKS_H
#define ESS_CALLBACKS_H

#include "driver_state.h"

/* Calls the field and checks nothing: the error control sees what is not finite. */
int ess_field(ess_driver *d, double t, const double x[], double f[]);

/* The same with other signs than the latched ones, of which the model has been told. */
int ess_field_at(ess_driver *d, const double sign[], double t, const double x[], double f[]);

/* h at time t and state x. */
int ess_guards(ess_driver *d, double t, const double x[], double h[]);

/* h and grad h . v there. */
int ess_guard_rates(ess_driver *d, double t, const double x[], const double v[], double h[],
                    double rate[]);

/* The same for event functions which[count] alone: h[i] and rate[i] are those of which[i]. h and
 * rate have room for all of them. */
int ess_some_guard_rates(ess_driver *d, double t, const double x[], const double v[],
                         const size_t which[], size_t count, double h[], double rate[]);

/* Turns a callback's code, not 0, into a status. */
int ess_callback_failed(ess_driver *d, int code);

/* Tells the model which sign changed: that of one event function, or all (guard_count). */
static inline int ess_announce(ess_driver *d, size_t guard) {
  const ess_system *const s = &d->system;
  d->t_seen = d->t;
  const int code = s->mode_changed ? s->mode_changed(d->sign, guard, s->params) : 0;
  return code ? ess_callback_failed(d, code) : ESS_SUCCESS;
}

/* f, h and rates at the node; fails when f is not finite. */
int ess_evaluate_node(ess_driver *d);

/* Fails when the state that is to become the node is not finite: sums of huge terms overflow. */
int ess_check_state(ess_driver *d, const double x[]);

/* Fails when an event function or rate at the node is not finite. */
int ess_check_guards(ess_driver *d);

/* ---- why a run has stopped ------------------------------------------------------------------- */

/* Records why the run stopped and returns `status`; why a call was refused, as of time t,
 * and returns ESS_EINVAL; forgets both. */
int ess_fail(ess_driver *d, ess_status status, size_t guard);
int ess_refuse(ess_driver *d, double t, const char *reason);
void ess_no_failure(ess_driver *d);

#endif
