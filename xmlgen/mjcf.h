/*
 * MJCF (MuJoCo's XML) for a prepared model: the same mechanical system as a MuJoCo scene.
 *
 * MuJoCo's soft contact, with solref = (-K, -B), constant impedance d and A the compiled
 * body_invweight0, obeys f = [K p + B dp/dt - d a] / ((1-d) A), clamped at 0: a spring, a damper
 * and an added mass d/((1-d) A). The emitted text asks for K = k A (1-d) and B = c A (1-d).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MJCF_H
#define MJCF_H

#include <stdbool.h>
#include <stddef.h>

#include "model.h"

/* MuJoCo's smallest impedance (mjMINIMP), hence the smallest added mass. */
#define MJCF_IMPEDANCE 1e-4

/*
 * What the scene asks of MuJoCo's engine. Start from mjcf_options_default(), which is the fastest
 * choice that leaves the trajectory unchanged; names are MJCF's own.
 */
typedef struct mjcf_options {
  double time_step;       /* s, > 0 */
  const char *integrator; /* Euler, RK4, implicit; implicitfast, discrete where MuJoCo has them */
  const char *solver;     /* PGS, CG, Newton */
  const char *jacobian;   /* dense, sparse, auto */
  const char *cone;       /* pyramidal, elliptic */
  int iterations;         /* of the solver, >= 1 */
  double tolerance;       /* of the solver, >= 0 */
  bool warmstart;         /* start the solver from the previous step's acceleration */
  bool pairs;             /* explicit contact pairs; false: MuJoCo's broad phase finds them */
  bool lean;              /* switch off by <flag> what the scene does not use */
  bool tall;              /* the plate's box is very tall, its bounding sphere close to its face;
                             false: a cube */
  int contact_limit;      /* nconmax and njmax, >= 1; 0: room for all contacts */
} mjcf_options;

mjcf_options mjcf_options_default(void);

/* The contact law a scene realises, and the inverse weight A its numbers were written for. */
typedef struct mjcf_contact {
  double stiffness, damping; /* k, N/m, and c, N s/m, of one contact */
  double inverse_weight;     /* A expected of the compiled model, 1/kg */
} mjcf_contact;

/* The contact law of a prepared model. 0, or -1 with one line when it has no MuJoCo twin. */
int mjcf_contact_of(const model *m, mjcf_contact *contact, char message[MODEL_MESSAGE_SIZE]);

/*
 * Writes the scene of a prepared model as NUL-terminated text into *text, which the caller frees
 * with free(); *length, when not NULL, is its length. Joint positions are the model's coordinates
 * in its own order, and key frame 0 is the start the model's parameters name. Numbers read back to
 * the same double, whatever the locale. 0, or -1 with one line and *text NULL.
 */
int mjcf_write(const model *m, const mjcf_options *options, char **text, size_t *length,
               char message[MODEL_MESSAGE_SIZE]);

#endif
