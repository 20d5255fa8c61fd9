/*
 * The data of a scene beside its model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MJCF_SCENE_H
#define MJCF_SCENE_H

#include <stdbool.h>
#include <stddef.h>

/* MuJoCo's smallest impedance (mjMINIMP), hence the smallest added mass. */
#define MJCF_IMPEDANCE 1e-4

/* Contact pairs: explicit where they are faster for so many contacts, or whatever their number. */
typedef enum mjcf_pairs { MJCF_PAIRS_OFF, MJCF_PAIRS_ON, MJCF_PAIRS_BY_SIZE } mjcf_pairs;

/*
 * The scene's settings of MuJoCo's engine. Start from mjcf_options_default(), which is the fastest
 * choice that leaves the trajectory unchanged; names are MJCF's own.
 */
typedef struct mjcf_options {
  double time_step;       /* s, > 0 */
  const char *integrator; /* Euler, RK4, implicit; implicitfast, discrete where MuJoCo has them */
  const char *solver;     /* PGS, CG, Newton */
  const char *jacobian;   /* dense, sparse, auto; NULL: what is faster for its size */
  const char *cone;       /* pyramidal, elliptic; springs with friction are always elliptic */
  int iterations;         /* of the solver, >= 1 */
  double tolerance;       /* of the solver, >= 0 */
  bool warmstart;         /* start the solver from the previous step's acceleration */
  mjcf_pairs pairs;       /* explicit, or MuJoCo's broad phase finds them */
  bool lean;              /* switch off by <flag> what the scene does not use */
  bool tall;              /* the plate's box is very tall, its bounding sphere close to its face;
                             false: a cube */
  int contact_limit;      /* nconmax and njmax, >= 1; 0: room for all contacts */
  double time_constant;   /* of contacts that are MuJoCo's own, with its damping ratio 1 and its
                             default impedance, s; 0: they are the model's springs and dampers */
  bool by_callback;       /* neither geoms nor contacts: a callback adds their force, which finds
                             whose it is in the one number of user data */
} mjcf_options;

/* How large a scene is. There are more positions than rates where an orientation is a quaternion.
 */
typedef struct mjcf_shape {
  size_t positions, rates;
  size_t bodies; /* the world is one */
  bool passive;  /* its joints have springs or dampers */
} mjcf_shape;

/* The contact law a scene realises, and the inverse weight A its numbers were written for. */
typedef struct mjcf_contact {
  double stiffness, damping; /* k, N/m, and c, N s/m, of one contact */
  double inverse_weight;     /* A expected of the compiled model, 1/kg */
  double friction;           /* coefficient; 0: contacts slide */
} mjcf_contact;

#endif
