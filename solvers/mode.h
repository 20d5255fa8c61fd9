/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The latched mode of a run: which side of every guard the state is on, as solvers with event
 * functions own it, and what they count.
 *
 * Seen from the side the state is on, an event function is g_k = -sign_k h_k: below 0 before a
 * crossing, in either direction, above 0 after it, until it is flipped. */
#ifndef MODE_H
#define MODE_H

#include <math.h>

#include "solver.h"

typedef struct latched_mode {
  const model *m;
  const char *solver;       /* name that messages begin with */
  double *sign;             /* event_count of them, exactly -1 or +1 */
  double *h, *rate;         /* event_count of them each: room for the solver's evaluations, */
  double *h_end, *rate_end; /* which mode_start leaves undefined */
  double *jacobian;         /* only for a model that has no rates */
  uint64_t events, crossings, field_evaluations, event_evaluations;
  uint64_t stalled;     /* crossings since time last passed */
  double progress_time; /* when it did */
} latched_mode;

/* Allocates for a prepared model. 0, or SOLVER_FAILED with one line. Free with mode_free. */
int mode_alloc(latched_mode *mode, const model *m, const char *solver,
               char message[SOLVER_MESSAGE_SIZE]);
void mode_free(latched_mode *mode);

/*
 * Starts a run at time t: counters to 0, and signs read off h(x), where h = 0 is the side that the
 * field points to. 0, or SOLVER_FAILED with report->message.
 */
int mode_start(latched_mode *mode, double t, const double x[], solver_report *report);

/* The field in the present mode, counted. 0, or what the model's callback returned. */
int mode_field(latched_mode *mode, double t, const double x[], double dxdt[]);

/* All event functions, counted. 0, or what the callback returned. */
int mode_guards(latched_mode *mode, double t, const double x[], double h[]);

/* All event functions and their rates along v, counted as one evaluation. */
int mode_rates(latched_mode *mode, double t, const double x[], const double v[], double h[],
               double rate[]);

/* g of guard k, given its h. */
static inline double mode_gap(const latched_mode *mode, size_t k, double h) {
  return -mode->sign[k] * h;
}

/* Whether event function k can be crossed from the side that it is on. */
static inline bool mode_armed(const latched_mode *mode, size_t k) {
  return model_has_guard(mode->m, mode->sign[k] < 0.0 ? ESS_GUARD_UP(k) : ESS_GUARD_DOWN(k));
}

/*
 * Crosses guard k at time t: flips its sign, tells the model, counts. 0, or SOLVER_FAILED with
 * report->message, also when guards throw the state back at each other without time passing.
 */
int mode_cross(latched_mode *mode, size_t k, double t, solver_report *report);

/* Whether all of x[n] is finite. */
static inline bool mode_finite(const double x[], size_t n) {
  bool all = true;
  for (size_t i = 0; i < n; i++) all = all && isfinite(x[i]);
  return all;
}

/* Says why a run stops at time t; SOLVER_FAILED. */
int mode_fail(const latched_mode *mode, const char *why, double t, solver_report *report);

/* Copies the counters to the report. */
void mode_report(const latched_mode *mode, solver_report *report);

/* Refuses a model whose state jumps: 0, or SOLVER_REFUSED with one line. */
int mode_check_impacts(const char *solver, const model *m, char message[SOLVER_MESSAGE_SIZE]);

/* Index of settings->variant in a NULL-terminated list, whose first is the default; or
 * SOLVER_REFUSED with one line. */
int mode_variant(const char *solver, const solver_settings *settings, const char *const names[],
                 char message[SOLVER_MESSAGE_SIZE]);

/* The same, once the model's state does not jump and has no more components than the solver has
 * room for, and tolerances and longest step make sense. */
int mode_check(const char *solver, const model *m, const solver_settings *settings, size_t most,
               const char *const variants[], char message[SOLVER_MESSAGE_SIZE]);

#endif
