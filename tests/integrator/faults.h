/*
 * A system as it is, but for one callback that fails, or writes what is no number, at one of its
 * calls or from there on.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef FAULTS_H
#define FAULTS_H

#include "toy.h"

typedef enum culprit {
  NOBODY,
  FIELD,
  FIELD_JACOBIAN,
  GUARDS,
  JACOBIAN,
  RATES,
  SOME_RATES,
  MODE_CHANGED,
  START,
  ANYBODY, /* their calls are counted together */
  CULPRITS
} culprit;

typedef struct faults {
  ess_system of;
  culprit culprit;
  size_t from, calls[CULPRITS]; /* at fault from this call on, 0 being the first */
  bool once;                    /* at fault in that call alone */
  double beyond;                /* at fault only after this time */
  int code;                     /* not 0: what it returns */
  double value;                 /* else what it writes, */
  size_t state, event;          /* for this state, or event function */
  double clock;                 /* the time when it was last at fault */
  ess_reset_matrix resets;
} faults;

static inline int at_fault(faults *f, culprit who, double t, double *out) {
  const size_t call = f->calls[who]++, any = f->calls[ANYBODY]++;
  const size_t its = f->culprit == ANYBODY ? any : call;
  const bool is_due = f->once ? its == f->from : its >= f->from;
  if ((f->culprit != who && f->culprit != ANYBODY) || !is_due || t < f->beyond) return 0;
  f->clock = t;
  if (!f->code && out) *out = f->value;
  return f->code;
}

FIELD_CODE(faulty_field) {
  faults *const f = params;
  const int code = f->of.field(t, x, sign, dxdt, f->of.params);
  return code ? code : at_fault(f, FIELD, t, &dxdt[f->state]);
}

FIELD_JACOBIAN_CODE(faulty_field_jacobian) {
  faults *const f = params;
  f->of.field_jacobian(t, x, sign, J, f->of.params);
  return at_fault(f, FIELD_JACOBIAN, t, &J[f->state * (f->of.dimension + 1)]);
}

GUARDS_CODE(faulty_guards) {
  faults *const f = params;
  f->of.guards(t, x, h, f->of.params);
  return at_fault(f, GUARDS, t, &h[f->event]);
}

GUARD_JACOBIAN_CODE(faulty_jacobian) {
  faults *const f = params;
  f->of.guard_jacobian(t, x, Dh, f->of.params);
  return at_fault(f, JACOBIAN, t, &Dh[f->event * f->of.dimension]);
}

GUARD_RATES_CODE(faulty_rates) {
  faults *const f = params;
  f->of.guard_rates(t, x, v, h, rate, f->of.params);
  return at_fault(f, RATES, t, &rate[f->event]);
}

/* at fault only where it is asked for the event function that is */
SOME_RATES_CODE(faulty_some_rates) {
  faults *const f = params;
  f->of.some_guard_rates(t, x, v, which, count, h, rate, f->of.params);
  size_t i = 0;
  while (i < count && which[i] != f->event) i++;
  return i < count ? at_fault(f, SOME_RATES, t, &h[i]) : 0;
}

MODE_CHANGED_CODE(faulty_mode) {
  faults *const f = params;
  const int code = f->of.mode_changed ? f->of.mode_changed(sign, guard, f->of.params) : 0;
  return code ? code : at_fault(f, MODE_CHANGED, 0.0, NULL);
}

ARMED_AT_START_CODE(faulty_start) {
  faults *const f = params;
  if (f->of.resets->start) f->of.resets->start(sign, armed, f->of.params);
  return at_fault(f, START, 0.0, NULL);
}

/* that of f->of; no call has been made */
static inline ess_system faulty_system(faults *f) {
  ess_system s = f->of;
  memset(f->calls, 0, sizeof f->calls);
  s.params = f;
  s.field = faulty_field;
  if (s.field_jacobian) s.field_jacobian = faulty_field_jacobian;
  if (s.guards) s.guards = faulty_guards;
  if (s.guard_jacobian) s.guard_jacobian = faulty_jacobian;
  if (s.guard_rates) s.guard_rates = faulty_rates;
  if (s.some_guard_rates) s.some_guard_rates = faulty_some_rates;
  if (s.mode_changed || f->culprit == MODE_CHANGED) s.mode_changed = faulty_mode;
  if (!s.resets) return s;
  f->resets = *s.resets;
  f->resets.start = faulty_start;
  s.resets = &f->resets;
  return s;
}

#endif
