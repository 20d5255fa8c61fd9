/* SPDX-License-Identifier: GPL-3.0-or-later */
/* States that trajectories of a model with contacts visit, for whoever compares its field with an
 * engine's: three in four or so in contact, velocities scaled at random by up to 1.5 either way. */
#ifndef MODEL_VISITED_H
#define MODEL_VISITED_H

#include "model.h"

/* One trajectory after another from the model's random starts. */
typedef struct visited {
  const model *model;      /* borrowed, prepared */
  size_t positions, rates; /* so many of its state, and rates behind them */
  gsl_rng *rng;
  double *h, *sign;
  unsigned char *active;
  double x[MODEL_DIMENSION_MAX];
  double time;
} visited;

/* 0, or -1: no room. visited_close in any case. */
int visited_open(visited *v, const model *m, size_t positions, size_t rates, unsigned long seed);
void visited_close(visited *v);

/* The next state; where it has more positions than rates, its quaternion, from the fourth on, is a
 * unit. 0, or -1: the field failed. */
int visited_draw(visited *v, double x[]);

/* The model's field in the mode that the event functions say. 0, or what the callback returned. */
int visited_field(visited *v, const double x[], double dxdt[]);

/* Whether a contact's force acts. */
bool visited_touches(visited *v, const double x[]);

#endif
