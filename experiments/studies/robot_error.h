/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of essbench robot, and its screen. */
#ifndef ROBOT_ERROR_H
#define ROBOT_ERROR_H

#include "column.h"
#include "study.h"

enum {
  ERROR_ANSWERS = STUDY_SAMPLES + 1,
  ERROR_STEPS,
  ERROR_JOINTS,
  ERROR_TIMES,
};

#define ERROR_WHICH(COLUMN, row)                                                                   \
  COLUMN(row, file, COUNT, "", "number of the file, from 0")                                       \
  COLUMN(row, start, COUNT, "", "number of the initial condition, from 0")

#define ERROR_MEASURES(COLUMN, row)                                                                \
  COLUMN(row, bodies, AMOUNT, "m",                                                                 \
         "error of the bodies: root mean square distance of their origins over time")              \
  COLUMN(row, hinges, AMOUNT, "rad",                                                               \
         "error of the hinges: root mean square difference of their angles over time")             \
  COLUMN(row, states, AMOUNT, "",                                                                  \
         "root mean square error of all positions and velocities, in SI units")

/* Of MuJoCo at the model's own settings, and of the reference. */
#define ERROR_PHYSICS(COLUMN, row)                                                                 \
  COLUMN(row, energy, NUMBER, "J",                                                                 \
         "change of energy in MuJoCo, E(T) - E(0); E is mj_energyPos + mj_energyVel: bodies, "     \
         "gravity and springs, without the energy of contacts")                                    \
  COLUMN(row, energy_reference, NUMBER, "J", "the same in the reference")                          \
  COLUMN(row, energy_drift, NUMBER, "J", "energy drift: energy - energy_reference")                \
  COLUMN(row, energy_bound, AMOUNT, "J",                                                           \
         "largest difference of energy_drift from its true value, estimated")                      \
  COLUMN(row, penetration, AMOUNT, "m",                                                            \
         "deepest contact in MuJoCo: the largest -dist of all contacts at all output times, or 0") \
  COLUMN(row, penetration_reference, AMOUNT, "m", "the same in the reference")                     \
  COLUMN(row, penetration_bound, AMOUNT, "m",                                                      \
         "largest difference of penetration_reference from its true value, estimated")             \
  COLUMN(row, creep, AMOUNT, "m",                                                                  \
         "friction creep in MuJoCo: the largest norm of the integral of v dt for two geoms while " \
         "their "                                                                                  \
         "contact sticks (friction force inside its cone); v: tangential velocity of one geom "    \
         "against the other, mean over their contacts. Not known if surfaces move (surfacevel)")   \
  COLUMN(row, creep_reference, AMOUNT, "m", "the same in the reference")                           \
  COLUMN(row, creep_bound, AMOUNT, "m",                                                            \
         "largest difference of creep_reference from its true value, estimated")

/* The step to choose. */
#define ERROR_CHOICE(COLUMN, row)                                                                  \
  COLUMN(row, half_by, TEXT, "",                                                                   \
         "integrator of the cheapest run tried that has at most half of the error; empty: none")   \
  COLUMN(row, half_step, AMOUNT, "s", "time step of that run")                                     \
  COLUMN(row, small_by, TEXT, "",                                                                  \
         "integrator of the cheapest run with at most 1 mm and 1 mrad, bounds added; empty: none") \
  COLUMN(row, small_step, AMOUNT, "s", "time step of that run")

#define ANSWER_COLUMNS(COLUMN, row)                                                                \
  ERROR_WHICH(COLUMN, row)                                                                         \
  COLUMN(row, model, TEXT, "", "name of the model, or of its file")                                \
  COLUMN(row, how, TEXT, "",                                                                       \
         "the reference: libess; libess, without event functions (from a certain time); MuJoCo's " \
         "fine steps; empty if there is no answer")                                                \
  COLUMN(row, knob, AMOUNT, "", "tolerance of libess, or MuJoCo's finest step in s")               \
  COLUMN(row, until, AMOUNT, "s", "duration that the answer is valid for")                         \
  COLUMN(row, at, AMOUNT, "s",                                                                     \
         "time from which libess has no event functions; unknown if it always has them")           \
  ERROR_MEASURES(COLUMN, row)                                                                      \
  COLUMN(row, bodies_bound, AMOUNT, "m",                                                           \
         "bound: the largest difference of `bodies` from its true value")                          \
  COLUMN(row, hinges_bound, AMOUNT, "rad", "the same of `hinges`")                                 \
  COLUMN(row, states_bound, AMOUNT, "", "the same of `states`")                                    \
  ERROR_PHYSICS(COLUMN, row)                                                                       \
  COLUMN(row, jumps, AMOUNT, "",                                                                   \
         "jumps of contact points that no event function detects (meshes, cylinders), in libess")  \
  COLUMN(row, jump_dist, AMOUNT, "m",                                                              \
         "largest change of a contact's distance over a step with such a jump, motion included")   \
  ERROR_CHOICE(COLUMN, row)                                                                        \
  COLUMN(row, seconds, AMOUNT, "s", "processor time until the first number")                       \
  COLUMN(row, total, AMOUNT, "s",                                                                  \
         "processor time of the whole answer, the table of steps excluded")                        \
  COLUMN(row, note, TEXT, "", "why there is no answer, or what limits it")
TAKEN_ROW(answer_row, ANSWER_COLUMNS);

#define STEP_COLUMNS(COLUMN, row)                                                                  \
  ERROR_WHICH(COLUMN, row)                                                                         \
  COLUMN(row, name, TEXT, "", "MuJoCo's integrator")                                               \
  COLUMN(row, knob, AMOUNT, "s", "time step")                                                      \
  COLUMN(row, own, FLAG, "", "whether integrator and time step are those of the model")            \
  ERROR_MEASURES(COLUMN, row)                                                                      \
  COLUMN(row, seconds, AMOUNT, "s", "processor time of one run")                                   \
  COLUMN(row, note, TEXT, "", "why there is no error: unstable at this step")
TAKEN_ROW(step_row, STEP_COLUMNS);

#define JOINT_COLUMNS(COLUMN, row)                                                                 \
  ERROR_WHICH(COLUMN, row)                                                                         \
  COLUMN(row, name, TEXT, "", "the joint, or a coordinate of a free body")                         \
  COLUMN(row, unit, TEXT, "", "unit of the two errors: m or rad")                                  \
  COLUMN(row, most, AMOUNT, "", "largest error over time at the model's own settings")             \
  COLUMN(row, most_bound, AMOUNT, "", "largest difference of that error from its true value")      \
  COLUMN(row, at, AMOUNT, "s", "time of the largest error")
TAKEN_ROW(joint_row, JOINT_COLUMNS);

#define TIME_COLUMNS(COLUMN, row)                                                                  \
  ERROR_WHICH(COLUMN, row)                                                                         \
  COLUMN(row, at, AMOUNT, "s", "time")                                                             \
  COLUMN(row, bodies, AMOUNT, "m",                                                                 \
         "root mean square distance of the bodies' origins at that time, at the model's own "      \
         "settings")                                                                               \
  COLUMN(row, hinges, AMOUNT, "rad", "root mean square difference of the hinges' angles, likewise")
TAKEN_ROW(time_row, TIME_COLUMNS);

/* m, rad: a smaller error is none */
extern const double robot_error_still;

/* The table on the screen. */
void robot_error_show(const study_run *run);

#endif
