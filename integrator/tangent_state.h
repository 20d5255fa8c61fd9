/*
 * Tangents, directions that the derivative of the flow carries along: what the driver keeps for
 * them. Directions are columns here, one after the other.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_TANGENT_STATE_H
#define ESS_TANGENT_STATE_H

#include "driver_state.h"
#include "ess_tangents.h"

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
  double *along; /* by column and event, in the order of the list: rate of its guard along y */
  double *rate;  /* by event: along f */
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
  double *along, *nominal, *by, *above, *below, *at_k, *moved, *moving;
  double *unit; /* [n + P][P]: how they move where the states move, then each of them by itself */
  size_t wide;  /* n + P: directions of which pieces are counted */
  double *nearest; /* [n + P], scratch */
  double *x, *x_beside, *f_beside, *f_here;
  double *h, *rate; /* [m], scratch */
  bool is_rough;    /* those are too few for the tolerance: directions take steps of their own */
  bool has_first; /* k[0] is that of the next step: its last was this one's (first same as last) */

  /* a crossing in the making: v gains share (f after - mapped), f before being mapped by DR */
  ess_before source;
  double *before, *at, *mapped, *share, *leap;
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

  /* events of an instant; those still to be crossed, whose part in it has been taken */
  size_t *events, *best, *ahead, ahead_count;
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

#endif
