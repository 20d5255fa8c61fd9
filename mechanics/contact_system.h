/*
 * A mechanism as a hybrid system for libess: it flows by the present mode (75), what ends that is a
 * gap that closes or a force that leaves its cone (78), the mode after is PIV's where something
 * lands and FA's where nothing does (79), and the velocity after is that of a plastic impact (80).
 * Both transitions that an instant can hold (Theorem 8) are made in one.
 *
 * State (q, q'). Event functions, K of each: the gaps, open ones armed; U_k in the mode, active
 * ones armed; and one that is never armed, whose sign says whether k is active. Where a tangent
 * rubs one more: its speed of slip, armed while its normal is active. Its crossing is no impact:
 * with ess_options.sliding the state slides on it, which is sticking, until the friction that it
 * takes is more than mu times the normal force.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CONTACT_SYSTEM_H
#define CONTACT_SYSTEM_H

#include "complementarity.h"
#include "ess.h"

/* The codes with which a callback stops a run. */
enum {
  CONTACT_SYSTEM_SINGULAR = 1, /* the mode has no inverse at this configuration (A5) */
  CONTACT_SYSTEM_NO_MODE = 2,  /* no mode is consistent with the forces or impulses (A9, A10) */
  CONTACT_SYSTEM_NO_TREND = 3, /* a force's first derivative that is not zero is a late one */
  CONTACT_SYSTEM_BELOW = 4     /* a run would start below a surface: in no mode's domain (74) */
};

/* One line of what one of these means, or NULL. */
const char *contact_system_reason(int code);

typedef struct contact_system {
  const mechanism *m;
  complementarity c;
  double delta_t; /* s; 0: no pseudo-impulse */

  double completes_below; /* as contact_system_complete says */
  contact_mode mode;      /* the latched one */
  contact_mode leaving; /* what touched at the start and was let go: it lands a hair deeper, so that
                           a gap that is zero but for rounding is no landing */
  ess_guard_kind kinds[2 * (3 * MECHANISM_CONSTRAINTS_MAX + 1)]; /* a tangent that rubs has none
                                                                   that is an impact */
  ess_impacts impacts;
  ess_system system; /* for libess */
} contact_system;

/* Whether a system can be made of the mechanism: NULL, or one line with the reason why not. */
const char *contact_system_refused(const mechanism *m, double delta_t);

/* Of what is not refused. It stays where it is, as the mechanism does: its system points into it.
 * -1: out of memory. */
int contact_system_prepare(contact_system *s, const mechanism *m, double delta_t);
void contact_system_release(contact_system *s);

/* Corollary 1: contacts that land more slowly than this, m/s, are kept together with those that are
 * there, so that a run goes on after impacts that accumulate. 0, at first: it ends there. */
void contact_system_complete(contact_system *s, double below);

/* The mode that signs say. */
contact_mode contact_system_mode(const contact_system *s, const double sign[]);

/* FA's mode at a state, over all that touches it without a speed (33), tangents that stick
 * included. 0, or one of the above. */
int contact_system_start(contact_system *s, const double x[], contact_mode *mode);

/* The effect of simultaneous events. */
typedef struct contact_transition {
  contact_mode before, landed;             /* the mode until then; normals that land */
  contact_mode held;                       /* after the impact; `before` where nothing lands */
  contact_mode after;                      /* and after what is let go at once */
  size_t solutions;                        /* of PIV; 1 where nothing lands */
  double speed[MECHANISM_CONSTRAINTS_MAX]; /* -A_k q' before it: of approach, or sliding */
  kkt_multipliers impulse;                 /* P, 0 where nothing lands */
  double q[MECHANISM_COORDINATES_MAX], v[MECHANISM_COORDINATES_MAX]; /* after it */
} contact_transition;

/* The transition at state x in mode `before` when the normals of `landed` close, or, where that is
 * none, when a force has left its cone. 0, or one of the above. */
int contact_system_transition(contact_system *s, const double x[], contact_mode before,
                              contact_mode landed, contact_transition *out);

/* Whether all that lands does so at no more than the speed at which impacts are taken for the last
 * of infinitely many. */
bool contact_system_completes(const contact_system *s, const contact_transition *made);

/* The same of what libess tells of an impact. */
int contact_system_replay(contact_system *s, const ess_impact *impact, contact_transition *out);

#endif
