/*
 * What a run does to directions, written down on its way, so that an adjoint can go back
 * (adjoint.c). It is a list of what happens to any direction v, whose parameters move by q, and to
 * one number s beside it:
 *
 *   step    v goes along a step of the pair, which is made again from where it began
 *   share   s = a . v + b . q, what a crossing adds is multiplied by this
 *   map     v = A v + B q, of an impact, or of a stretch that directions have been followed along
 *   gain    v = v + s c
 *   mode    the signs change
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_TAPE_H
#define ESS_TAPE_H

#include "tangents.h"

typedef enum ess_tape_kind {
  ESS_TAPE_STEP,  /* t, dt, theta, x[n] */
  ESS_TAPE_SHARE, /* a[n], b[P] */
  ESS_TAPE_MAP,   /* A by column, [n][n]; B by row, [n][P] */
  ESS_TAPE_GAIN,  /* c[n] */
  ESS_TAPE_MODE   /* the signs before, one byte each */
} ess_tape_kind;

/* what is written down: after the numbers of an entry its kind and how many they are */
typedef struct ess_tape {
  double *entry;
  size_t used, room, needed; /* doubles; the last of all that has been recorded */
  bool is_short;             /* there was no room for some */
  double *sign;              /* of the last entry */
  bool is_open;              /* unit directions are followed, to be written down as a map */
  size_t shared;             /* whose crossing s is of, and when; SIZE_MAX: none's */
  double shared_t;
  int status; /* of the run */

  /* checkpoints (tape.c): entries as the run goes on, and when it is made again; `places`
   * checkpoints of so many doubles, those kept, and the one from which on entries are live */
  double *live, *page, *store;
  size_t one, places, kept, live_from, live_used;
  double *live_sign;
  uint64_t turn, until; /* between two steps; of a run that is made again */
  bool is_again, begins, is_stuck;

  /* for the way back */
  double *x[ESS_STAGES], *k[ESS_STAGES], *J[ESS_STAGES], *by[ESS_STAGES]; /* of a step's stages */
  double *begin, *dense[ESS_DENSE], *mode, *back[ESS_STAGES], *lambda, *error;
  void *memory;
} ess_tape;

/* Whether a run is being recorded, and directions are not just now followed for that. */
static inline bool ess_is_recording(const ess_driver *d) {
  return d->tangents && d->tangents->tape && !d->tangents->tape->is_open;
}

/* Room for so many bytes of entries; false where there is none. */
bool ess_tape_alloc(ess_driver *d, size_t bytes);

void ess_tape_free(ess_tangents *v);

/* An apply begins; it ends with this status. */
void ess_tape_begin(ess_driver *d);
void ess_tape_end(ess_driver *d, int status);

/* An entry of this kind, with room for so many numbers; NULL where there is none, or nothing is
 * recorded. */
double *ess_tape_add(ess_driver *d, ess_tape_kind kind, size_t count);

/* The step just tried, to theta of it. */
void ess_tape_step(ess_driver *d, double theta);

/* Unit columns of the states, of so many, into v->v. */
void ess_tape_units(ess_driver *d, size_t count);

/* The field gains f - before. */
void ess_tape_gain(ess_driver *d, const double f[], const double before[]);

/* Unit directions are followed from here on; until here, and what has become of them is written
 * down unless it came to nothing. */
void ess_tape_open(ess_driver *d);
void ess_tape_close(ess_driver *d, bool made);

/* Nothing has been recorded. */
void ess_tape_clear(ess_driver *d);

/* ---- gain ------------------------------------------------------------------------------------ */

/* The field after the crossing is this: what was noted down is done. */
void ess_tangent_finish(ess_driver *d, const double f[]);

/* ---- pages ----------------------------------------------------------------------------------- */

/* Between two steps: a checkpoint is made where it is time. Whether a run that is made again has
 * come to where it is to end. */
bool ess_page_turn(ess_driver *d);

/* The driver at the i-th checkpoint, with the page before it to be recorded; at the end again. */
void ess_page_open(ess_driver *d, size_t i);
void ess_page_close(ess_driver *d);

/* The driver's end is kept, for that. */
void ess_page_keep_end(ess_driver *d);

/* Whether the driver is where the run was at the i-th checkpoint. */
bool ess_page_is_at(const ess_driver *d, size_t i);

#endif
