/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of a robot on the output times, and how far two are apart. */
#ifndef ROBOT_FOLLOW_H
#define ROBOT_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>

#include "study.h"

/* what runs of a start */
typedef struct robot_entry robot_entry;

/* An error by three measures, each a root mean square over the output times. NaN: not known. */
typedef struct robot_error {
  double states; /* positions and velocities, in SI units mixed */
  double bodies; /* their origins, m */
  double hinges; /* their angles, rad; NaN where there are none, too */
} robot_error;

/* A touch-down, or a limit that begins to act. */
typedef struct robot_touch {
  double time;
  size_t event;
} robot_touch;

/* What a run did, on the output times. */
typedef struct robot_track {
  double most_steps;  /* of libess: so many, whatever time they take; 0: --budget ends the run */
  double most_s;      /* of the thread's own time, where that is less than --budget; 0: it is not */
  size_t asked;       /* outputs that it is to reach: all, unless set to fewer */
  double *states;     /* [outputs * dimension]; owned */
  double *times;      /* [outputs] that libess is asked for; owned */
  bool *at_end;       /* [outputs]: MuJoCo's states that are no interpolation; owned */
  size_t reached;     /* outputs that are there */
  double until;       /* the time reached */
  const char *status; /* "success", or why it ended, of the run's texts */
  size_t event;       /* the event function concerned; SIZE_MAX: none */
  double seconds, evaluations, steps, jumps, refused; /* jumps: of a reference, else 0 */
  robot_touch *touch; /* touch-downs in the order of time, where asked for; owned */
  size_t touches, room;
  double *stop; /* times of all crossings, ends of contacts among them, where asked for; owned */
  size_t stops, stop_room;
} robot_track;

/* Room for a run. 0, or -1 with one line. Free with robot_track_free, which accepts a zeroed one.
 */
int robot_track_alloc(study_run *run, robot_track *t);
void robot_track_free(robot_track *t);

/* Runs an entry from x0. With `listen`, touch-downs and crossings are listed. 0, also where it
 * ended early; or -1 with one line. */
int robot_follow(study_run *run, const robot_entry *e, const double x0[], bool listen,
                 robot_track *t);

/* robot_stepped.c: the same by MuJoCo's steps. They are short where the track `along` has
 * crossings, and then solve for constraints' forces to rounding; NULL: steps of one size, as the
 * model is. */
int robot_follow_steps(study_run *run, const robot_entry *e, const double x0[],
                       const robot_track *along, robot_track *t);

/* robot_apart.c: root mean square of a track's positions and velocities over its first `count`
 * outputs. */
double robot_track_size(const study_run *run, const robot_track *t, size_t count);

/* What is between two tracks over the first `count` outputs, as far as `t` has states of its own
 * there; all NaN where `t` did not get so far. */
robot_error robot_apart(const study_run *run, const robot_track *t, const robot_track *of,
                        size_t count);

/* Of two errors the smaller one, and the larger one, each measure by itself: a measure that is not
 * known is none of the smaller, and is that of the larger. */
robot_error robot_error_smaller(robot_error a, robot_error b);
robot_error robot_error_larger(robot_error a, robot_error b);
extern const robot_error robot_error_unknown;

/* Root mean square over positions and velocities at one output time. */
double robot_apart_at(const study_run *run, const robot_track *t, const robot_track *of, size_t i);

#endif
