/*
 * Impacts, crossings at which the state jumps (ess_impacts).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_IMPACTS_H
#define ESS_IMPACTS_H

#include "events.h"

/* Owned by the driver of a system with impacts; NULL in any other. */
typedef struct ess_impact_work {
  ess_impacts calls;           /* the caller's functions */
  size_t *events, count;       /* of the last impact */
  double *x, *sign, *side, *h; /* before the impact */
  double *met;                 /* by event function: its rate before the impact */
  double *stopped; /* by event function: its rate before impacts at t_stopped that made it zero; 0:
                      they have not */
  double *left;    /* the rates after them, as evaluated last: rounding */
  double t_stopped;
  double t_open; /* time of an impact that has not been finished; NAN: there is none */
  double zeno;   /* limit of a series that ends with the last impact; NAN: none does */
  double *after, *mode;
  double *doubt;              /* by event function: its error after the impact */
  double *mode_beside;        /* of a map that is called again, beside the impact; */
  bool *armed_beside;         /* nobody reads them */
  const ess_impact *observed; /* that an observer is called with, as the driver has it; or NULL */
  bool *is_checked;           /* by event function: its map has been checked */
  bool *pending; /* by event function: a map of the instant has carried the state past it */
  double
      *beyond; /* by event function: if it starts before an impact, its sign after that; else 0 */
} ess_impact_work;

/* Arguments of the map for the events that are listed. */
static inline ess_impact ess_impact_of(const ess_driver *d, double t, size_t count, bool carried) {
  const ess_impact_work *const w = d->impacts;
  return (ess_impact){.t = t,
                      .count = count,
                      .events = w->events,
                      .x = w->x,
                      .sign = w->sign,
                      .after = w->after,
                      .mode = w->mode,
                      .armed = d->rows.armed,
                      .carried = carried};
}

/* Whether crossing event function k's armed guard is an impact. */
static inline bool ess_is_impact(const ess_driver *d, size_t k) {
  return d->impacts && ess_is_armed(d, k) &&
         d->rows.kind[ess_guard_ahead(d, k)] == ESS_GUARD_IMPACT;
}

/* ---- made ------------------------------------------------------------------------------------ */

/* Checks a system's impacts: a line for ess_check, or NULL. */
const char *ess_impacts_check(const ess_system *system);

/* Lays out the memory of a system with impacts, and copies these. */
void ess_impacts_lay(ess_driver *d, ess_layout *l);
void ess_impacts_take(ess_driver *d);

/* No impact has been made yet. */
void ess_impacts_forget(ess_driver *d);

/* Calls the map. Crossed guards are armed in its arguments: they stay so where it puts the mode
 * back before them. Returns its code. */
int ess_call_map(ess_driver *d, ess_impact *impact);

/* The same events at another time and state, with `to` for the result: of a map that is called
 * again. */
ess_impact ess_impact_beside(const ess_driver *d, const ess_impact *impact, double t,
                             const double x[], double to[]);

/* Makes the impact of all events at the node, k among them, and those that the map carries the
 * state past. The node is evaluated, before and after. */
int ess_make_impact(ess_driver *d, size_t k);

/* If the step just made was cut at a timed jump, the impact of an event function of time alone,
 * moves the node to the first time, to the last bit, at which that is due. */
int ess_sharpen_jump(ess_driver *d);

/* Finishes the instant of an impact, if one is open: the last apply may have ended amid it. */
int ess_finish_impact(ess_driver *d);

/* ---- states that rest ------------------------------------------------------------------------ */

/* Event functions of impacts that are zero within rounding, and do not change, where a run starts,
 * get that rounding for a grain; true if k is one of them. */
int ess_find_resting(ess_driver *d);
bool ess_rests_on_impact(const ess_driver *d, size_t k);

/* The state after an impact of event function k alone, at time t with this state from this side, -1
 * below it; NULL if that does not send it back there. *code: of the map. */
const double *ess_impact_returns(ess_driver *d, double t, size_t k, const double x[], double side,
                                 int *code);

/* Latches event function k, at rest, to the side from which its impact is made: where both of its
 * guards are impacts, that to which the map sends it back, armed. ESS_EGRAZING where there is none.
 */
int ess_impact_side(ess_driver *d, size_t k);

/* Latches event function k, on whose zero the state is, and which is latched to where the field
 * leads, to its other side where that leads through an impact: where both of its guards are
 * impacts, if the map sends it back there, and there alone. ESS_EGRAZING where it is pushed to an
 * impact from rest. Not where the jump has been made, or where the system says how it starts. */
int ess_put_before_impact(ess_driver *d, size_t k);

/* Latches event functions that are beyond the zero of an impact by no more than the tolerance, and
 * move on, to the side from which that is made, where its map sends them back there: a run that
 * goes on from a state at which another has ended on an event. */
int ess_put_before_passed(ess_driver *d);

/* Latches event functions whose impact is about to be reached, with nothing but rounding between,
 * to the side beyond, where the jump has been made already. */
int ess_put_past_jumps(ess_driver *d);

/* Whether event function k depends on time alone: it is the same to the last bit when each state is
 * moved by its tolerance. */
int ess_is_timed(ess_driver *d, size_t k, bool *timed);

/* Arms the guards to start with, given the latched signs. Where the system's `start` does not arm
 * that of an impact which the state has been put before, it is not: it is where the field leads. */
int ess_start_armed(ess_driver *d);

/* After an impact: event functions that rest on, or beyond, an armed guard get a grain. */
int ess_let_rest(ess_driver *d);

/* After an impact: ESS_EZENO where the map has stopped the state on a guard to which the field
 * pushes it, so that impacts follow each other in no time. */
int ess_end_stopped(ess_driver *d);

/* ---- impacts that accumulate ----------------------------------------------------------------- */

/* Notes impacts that are about to be made together, at the node, which is evaluated; *when is the
 * time at which those of one of their guards accumulate, before the end, or no number. */
int ess_note_impacts(ess_driver *d, size_t count, const size_t events[], double *when);

/* After that impact: ends the run where they accumulate. */
int ess_end_zeno(ess_driver *d, double when);

/* Event function k's guard is grazed at this time: ESS_EGRAZING, or ESS_EZENO where a series of its
 * impacts has come so near to its end that errors of the state are as large. With `zeno` that end
 * is written there, and the impact is made. */
int ess_end_grazing(ess_driver *d, size_t k, double time, double *zeno);

/* ---- grazes ---------------------------------------------------------------------------------- */

/* The first refuses an impact of event function k that is a graze: by the change of its rate in the
 * rest of the step that was cut here, the state turns back at once. The second refuses a step, to
 * be taken whole, in which such a guard is all but reached. At the end of a series of impacts the
 * first does not fail, and *zeno is that end. */
int ess_refuse_grazing(ess_driver *d, size_t k, double *zeno);
int ess_refuse_touch(ess_driver *d);

/* Where event function k turns within the step just tried, which it begins towards its guard and
 * ends away from it, and its value there, seen from the near side; whether that is so near to its
 * zero, in parts of the way it goes, that more is to be asked of it. And by how little it is
 * grazed, by what it changes by when each state moves by its tolerance. */
bool ess_turns_near(const ess_driver *d, size_t k, double *value, double *place);
int ess_weigh_graze(ess_driver *d, size_t k, double *doubt);

#endif
