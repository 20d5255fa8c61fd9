/*
 * Tangents, directions that the derivative of the flow carries along, from apply to apply. They are
 * columns here, one after the other.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_TANGENTS_ROOM_H
#define ESS_TANGENTS_ROOM_H

#include "arithmetic.h"
#include "driver_state.h"
#include "ess_tangents.h"
#include "parts.h"
#include "step.h"

/* events that meet at one instant whose orders are all looked at, and how many these are */
enum { ESS_MEETING = 8, ESS_ORDERS = 40320 };

/* A trajectory beside the one that is followed, on its way through the events of an instant: state,
 * field and mode; by column its distance from them, for how long it has been on the way, and its
 * rates. */
typedef struct ess_passage {
  double *x, *f, *sign, *side;
  double *y;           /* n by column */
  const double *moves; /* how parameters move, by column; NULL: not at all */
  double *elapsed;     /* by column */
  double
      *column_rate; /* by column and event, in the order of the list: rate of its guard along y */
  double *rate;     /* by event: along f */
  double *place;    /* by event: 1 where an impact's jump has taken the state beyond its guard, -1
                       where it has taken it back from there, 0 on the guard */
} ess_passage;

/* Where field and state before a crossing are to be had. */
typedef enum ess_before {
  ESS_BEFORE_AT_NODE, /* the node is evaluated in the mode before */
  ESS_BEFORE_KNOWN,   /* in `before` */
  ESS_BEFORE_UNKNOWN  /* the state is the node's, the field there not the driver's */
} ess_before;

typedef struct ess_tangents {
  size_t count;           /* of directions, p */
  double *v;              /* [p][n] */
  double *rows;           /* [n][p], as the caller sees them */
  double *k[ESS_STAGES];  /* [p][n], rates of v in the stages of the step tried */
  double *v_end, *v_last; /* [p][n], at its end; the last coefficient of its dense output */
  double *w;              /* [p][n], scratch */
  double *matrix;         /* [n][n], the field's Jacobian, or DR */

  /* parameters, P: how they move, [p][P], NULL where there are none; their values while they are
   * moved; derivatives by them, [n or m][P]; what callbacks return with them moved; scratch */
  double *moves, *nominal, *by, *above, *below, *at_k, *moved, *moving;
  double *unit; /* [n + P][P]: how they move where the states move, then each of them by itself */
  size_t wide;  /* n + P: directions of which pieces are counted */
  double *nearest; /* [n + P], scratch */
  double *x, *x_beside, *f_beside, *change, *f_here, *axis, *across;
  double *h, *rate; /* [m], scratch */
  bool is_rough;    /* those are too few for the tolerance: directions go along the step in parts */
  double theta;     /* to this place of it, whose errors are these */
  ess_errors errors;
  double pace; /* parts.h */
  ess_own own;
  bool is_central; /* differences of the field are from both sides */
  bool has_first;  /* k[0] is that of the next step: its last was this one's (first same as last) */

  /* a crossing in the making: v gains share (f after - mapped), f before being mapped by DR */
  ess_before source;
  double *before, *at, *mapped, *share;
  bool is_pending;
  size_t last_event; /* the last crossing by itself, whose shares these are, and its time */
  double last_t;

  /* an instant of several events, by column and event as listed: when each is met, and the distance
   * then, the latter for the first ESS_MEETING of them */
  double *met, *met_y;
  size_t *met_event, met_count;
  double met_from, met_until;
  bool met_impact; /* the state has jumped there */
  size_t column;   /* the first of those that go through it now */

  /* events of an instant; those still to be crossed whose part in it is settled */
  size_t *events, *best, *settled, settled_count;
  double *mode; /* what an impact's map returns on the way */
  bool *armed, *armed_after;

  ess_passage passage[ESS_MEETING + 1];
  double *cone;   /* [28][n + P], what directions have to satisfy for an order */
  double *digest; /* by piece */
  unsigned char (*orders)[ESS_MEETING];

  /* pieces */
  ess_smoothness smoothness, told; /* the latter where time goes backward */
  size_t chosen;                   /* by ess_driver_choose_piece */
  size_t digits;                   /* what is left of it for instants to come */

  /* by how many times less the step before could err (tangent.c); the spectral radius, and
   * what the stages of a step had shown of it when it was found; tries since then, crossings until
   * then */
  double severity, radius, shown;
  int radius_tries;
  uint64_t radius_crossings;

  struct ess_tape *tape; /* tape.h; NULL unless the run is recorded */

  bool is_lost; /* a callback has failed on their way: they are elsewhere than the state */
  void *memory;
} ess_tangents;

/* whether that is the last instant of several events */
static inline bool ess_is_last_instant(const ess_tangents *v, double t) {
  return t >= v->met_from && t <= v->met_until;
}

/* place of event function k among those of it; v->met_count where it is none, or it is later now */
static inline size_t ess_place_met(const ess_driver *d, size_t k) {
  const ess_tangents *const v = d->tangents;
  return ess_is_last_instant(v, d->t) ? ess_place_in(v->met_event, v->met_count, k) : v->met_count;
}

/* ---- between crossings ----------------------------------------------------------------------- */

void ess_tangents_free(ess_driver *d);

/* An apply begins; another trajectory does. */
void ess_tangents_begin(ess_driver *d);
void ess_tangents_forget(ess_driver *d);

/* An apply ends, perhaps at a crossing: directions as the caller sees them. */
int ess_tangents_show(ess_driver *d);

/* ---- variation ------------------------------------------------------------------------------- */

/* Directions go on along the step just tried to theta, before the node does. */
int ess_tangent_step(ess_driver *d, double theta, bool cut);

/* Where that has not been enough, once the step is the last piece. */
int ess_tangent_piece(ess_driver *d);

/* Along the projection of this length from the node. */
int ess_tangent_projection(ess_driver *d, double duration);

/* ---- tangent_control ------------------------------------------------------------------------- */

/* By how many times less the step of dopri5 just tried has to err than this error, which is in
 * units of what is allowed; 1 where that is enough. */
int ess_tangent_severity(ess_driver *d, double error, double *severity);

/* Before a stabilised step is tried: dopri5 is to make it where a crossing is near. */
int ess_tangent_leave(ess_driver *d);

/* The stabilised step just tried makes its first crossing after this time: *again where dopri5 is
 * to go there. */
int ess_tangent_approach(ess_driver *d, double time, bool *again);

/* ---- across crossings ------------------------------------------------------------------------ */

/* Event function k is about to be crossed where the state is: what it does to directions is noted
 * down. */
int ess_tangent_cross(ess_driver *d, size_t k);

/* An impact whose map has been made, before its mode and state are the driver's. */
int ess_tangent_impact(ess_driver *d, const ess_impact *impact);

/* The same of one, or of a crossing (NULL), that the last impact's map has led to: it happens when
 * that does, however the state is displaced. */
int ess_tangent_carried(ess_driver *d, const ess_impact *impact);

/* ---- graze ----------------------------------------------------------------------------------- */

/* Fails where the step just tried, of which this is to be taken, touches a guard, and the field
 * changes across it: beside the trajectory others cross it twice, or not at all. */
int ess_tangent_refuse_touch(ess_driver *d, const ess_location *found, bool last);

/* ---- several events at one instant ----------------------------------------------------------- */

/* Several events, those listed, at the state `at` and in the mode as it is, which lead to
 * this state: directions are those after all of them. */
int ess_tangent_meeting(ess_driver *d, size_t count, const double outcome[]);

#endif
