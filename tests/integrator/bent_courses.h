/*
 * Bent courses, by seed: a body passes a cluster of plane crossings, each of which turns or pushes
 * it, and curved guards that it meets, or misses, only because of that. The size of what is met,
 * and by how many sizes the crossings bend the path, are chosen; the guards are put where the truth
 * (bent_truth.c, which shares nothing with libess) then runs, or where it would without jumps.
 *
 * A course is held against the truth only where a tolerance leaves no doubt what is met. By the
 * tolerance, states err by tolerance (1 + |x_i|), which moves event function h by
 *
 *   moved = tolerance sum_i |dh/dx_i| (1 + |x_i|)
 *
 * and it is kept where each contact is deeper than BENT_MARGIN moved, and longer than BENT_MARGIN
 * times what the body takes for tolerance (1 + |x|); each near miss, and both ends of the run, are
 * as far on the other side; and each contact begins and ends at BENT_SLANT at least of the rate at
 * which h could change, taken at the speed 1 at least: else its time is in doubt. Grazes shallower
 * than that are no misses.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BENT_COURSES_H
#define BENT_COURSES_H

#include "ess.h"

enum {
  BENT_STATES = 6, /* x, y, angle; rates of y and angle; time over curved guards */
  BENT_LINES = 100,
  BENT_BODIES = 6,
  BENT_GUARDS = BENT_LINES + BENT_BODIES,
  BENT_TIMES = 40,
  BENT_EVENTS = 200 /* crossings of curved guards in a run */
};

static const double BENT_MARGIN = 10.0, BENT_SLANT = 0.1;

typedef enum bent_shape {
  BENT_PEG,     /* h = r - |x - c| */
  BENT_ELLIPSE, /* h = 1 - |A (x - c)| */
  BENT_RIDGE,   /* a parabola, its axis tilted */
  BENT_ROD,     /* a tumbling rod's tip through a plane: h = m.x + L cos(angle - b) - c */
  BENT_RING,    /* h = |x - c| - r: passed from within as well */
  BENT_PEGS,    /* as many of the first three as there may be, anywhere along the path */
  BENT_SPUN,    /* a rod that does not turn but for the jumps: straight along the path without */
  BENT_BEAM, /* a strip along the way: h = (w^2 - v^2) / w, of which the path without shows none */
  BENT_ROOF, /* a plane, met by the peak of a path that jumps turn to and fro */
  BENT_SHAPES
} bent_shape;

extern const char *const bent_shape_names[BENT_SHAPES];

/* a plane across the way, and what it adds to the field beyond it */
typedef struct bent_line {
  double place, slant, jump[BENT_STATES];
} bent_line;

/* a curved guard, and what it adds to the rate of y, and to that rate's own */
typedef struct bent_body {
  bent_shape shape;
  double at[2], axis[2], size[2]; /* a middle or tip, unit vector, half axes or lengths */
  double angle, push[2];
} bent_body;

/* a crossing of a curved guard */
typedef struct bent_event {
  size_t guard;
  double time;
  double fastness; /* what its time is multiplied by to give a distance in units of the states */
} bent_event;

/* what an independent integration makes of it */
typedef struct bent_truth {
  double states[BENT_TIMES * BENT_STATES], x[BENT_STATES];
  size_t crossings[BENT_GUARDS];
  bent_event event[BENT_EVENTS];
  size_t event_count;
  double clear; /* the shallowest contact or nearest miss, as the tolerance that moves it so far */
  double middle[BENT_EVENTS], depth[BENT_EVENTS]; /* by event: where what it begins is deepest */
  double slant;                                   /* the smallest at any contact's begin or end */
  bool lost; /* GSL's own error too large, too many crossings, or a plane not passed in time */
} bent_truth;

typedef struct bent_course {
  size_t line_count, body_count;
  bent_line line[BENT_LINES];
  bent_body body[BENT_BODIES];
  double x0[BENT_STATES], end, damping, smooth, phase;
  double size, bend; /* of what is met; by how many sizes the path is bent there */
  bool some;
  bent_truth truth;
  size_t only_bent, only_straight; /* contacts met only because of the jumps, or but for them */
} bent_course;

/* Draws a course; -1 when it is none (the body goes backwards, or nothing to tell). */
int bent_course_draw(bent_course *c, bent_shape shape, unsigned long seed);

/* whether the truth is beyond doubt at this tolerance */
bool bent_course_is_clear(const bent_course *c, double tolerance);

double bent_course_time(const bent_course *c, size_t i); /* i-th output time, 0 ... */

/* event functions, and their gradients; the field; what libess is given */
double bent_event_function(const bent_course *c, size_t k, const double x[], double gradient[]);
int bent_field(double t, const double x[], const double sign[], double dxdt[], void *params);
ess_system bent_course_ess(bent_course *c);

/* the truth of a course, with or without its jumps and its curved guards */
typedef struct bent_without {
  bool jumps, bodies;
} bent_without;
void bent_find_truth(bent_course *c, bent_without without, double end, bent_truth *truth);

/* what libess made of a course */
typedef struct bent_run {
  int status;
  double error;      /* over tolerance (1 + |x_i|), the largest of all states and output times */
  double time_error; /* of curved guards' crossings, as a distance over the same */
  size_t missed, invented; /* crossings of the truth's */
  size_t denied;           /* contacts that its own states show and its signs do not */
  ess_counters counters;
  bent_event event[BENT_EVENTS];
  size_t event_count;
} bent_run;

/* `h_max` as in ess_options: short enough, nothing can be missed, whatever the method does */
bent_run bent_course_run(bent_course *c, double tolerance, double h_max);

#endif
