/*
 * MuJoCo's own stepping of a robot: the user's model as it was compiled, but for its time step and
 * integrator, with data of its own.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef ROBOT_STEPS_H
#define ROBOT_STEPS_H

#include "robot_controls.h"

typedef struct robot_steps robot_steps;

/* For this robot. 0, or a solver_status with one line. Free with robot_steps_close, which accepts
 * NULL. */
int robot_steps_open(const robot *r, robot_steps **out, char message[ROBOT_MESSAGE_SIZE]);
void robot_steps_close(robot_steps *s);

/* A run from x0 at 0, by so long steps, with states at count times that are dt apart. */
typedef struct robot_steps_request {
  const char *integrator; /* by MJCF's name: "Euler", "RK4", "implicitfast" ... */
  double time_step;
  const double *x0; /* [dimension] */
  const robot_controls *controls;
  double dt;
  size_t count;
  double *states; /* [count * dimension]; between the ends of steps velocities are on the chord, and
                     positions move by them */
  bool *at_end;   /* [count]: whether a step ends there; NULL: not asked */

  /* The derivative by the start, as MuJoCo has it: the product of the matrices of mjd_transitionFD,
   * which are central differences by `move`, in directions (robot_directions), row-major:
   * [count * directions * directions], NaN where no step ends. NULL: not asked. */
  double *transitions;
  double move;

  /* Of a check. Ascending times that steps become ever shorter towards, and longer behind; then
   * all outputs and ticks are ends of steps, too, and no transitions are made. NULL: steps of one
   * size. */
  const double *stops;
  size_t stop_count;
  bool exactly; /* constraints are solved as exactly as the field's, whatever the model asks for */
} robot_steps_request;

/* How many steps one stop costs, about. */
extern const double robot_steps_of_stop;

typedef struct robot_steps_report {
  uint64_t steps;
  double seconds; /* of the thread, start and output included */
  size_t reached; /* states that are there: fewer than asked for where it has become unstable */
  char message[ROBOT_MESSAGE_SIZE]; /* then why, one line */
} robot_steps_report;

/*
 * 0, also where MuJoCo became unstable or said that its arena is full, which ends the run with
 * fewer states; or a solver_status with one line in report->message.
 */
int robot_steps_run(robot_steps *s, const robot_steps_request *request, robot_steps_report *report);

/* Whether mjd_transitionFD has matrices of steps by such an integrator. */
bool robot_steps_has_transitions(const char *integrator);

/* Whether this MuJoCo has such an integrator. */
bool robot_steps_knows(const char *integrator);

#endif
