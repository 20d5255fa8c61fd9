/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an error costs a robot: the rows that say it, over all starts and of each one held out; and
 * what touches down. */
#ifndef ROBOT_COLUMNS_H
#define ROBOT_COLUMNS_H

#include "column.h"

/* seconds, errors and ratios are of starts that the settings were not chosen by */
#define ROBOT_REACH_COLUMNS(COLUMN, row)                                                           \
  COLUMN(row, rms_error, AMOUNT, "", "asked for", SHOWN("error", "%7.1e"))                         \
  COLUMN(row, own, FLAG, "", "whether it is the error of the model's own step and integrator")     \
  COLUMN(row, variant, TEXT, "", "MuJoCo's cheapest integrator, by all starts",                    \
         SHOWN("MuJoCo", "%-12s"))                                                                 \
  COLUMN(row, time_step, AMOUNT, "s", "the largest that reaches it, between those measured",       \
         SHOWN_TIMES("step, ms", "%8.4f", 1e3))                                                    \
  COLUMN(row, mujoco_seconds, AMOUNT, "s", "of a run so; median over the starts held out",         \
         SHOWN("s", "%8.2e"))                                                                      \
  COLUMN(row, mujoco_error, AMOUNT, "", "there")                                                   \
  COLUMN(row, libess_base, TEXT, "", "libess's cheapest base, by all starts",                      \
         SHOWN("libess", "%-7s"))                                                                  \
  COLUMN(row, tolerance, AMOUNT, "", "the largest of libess that reaches it, by all starts",       \
         SHOWN("tol", "%7.1e"))                                                                    \
  COLUMN(row, libess_seconds, AMOUNT, "s", "of a run so; median over the starts held out",         \
         SHOWN("s", "%8.2e"))                                                                      \
  COLUMN(row, libess_error, AMOUNT, "", "there")                                                   \
  COLUMN(row, libess_evaluations, AMOUNT, "", "of the field", SHOWN("fields", "%6.0f"))            \
  COLUMN(row, plain_base, TEXT, "", "the cheapest base without guards, by all starts")             \
  COLUMN(row, plain_seconds, AMOUNT, "s",                                                          \
         "of libess on the same field without guards; median over the starts held out")            \
  COLUMN(row, plain_error, AMOUNT, "", "there")                                                    \
  COLUMN(row, plain_evaluations, AMOUNT, "", "of its field")                                       \
  COLUMN(row, mujoco_over_libess, AMOUNT, "",                                                      \
         "in time: median of the quotients, start by start, over those held out",                  \
         SHOWN("ratio", "%6.2f"))                                                                  \
  COLUMN(row, mujoco_over_libess_low, AMOUNT, "",                                                  \
         "from here to the next a second run has it in 95 of 100; not known below five starts",    \
         SHOWN("from", "%6.2f"))                                                                   \
  COLUMN(row, mujoco_over_libess_high, AMOUNT, "", "as above", SHOWN("to", "%6.2f"))               \
  COLUMN(row, plain_over_libess, AMOUNT, "", "in time, likewise", SHOWN("plain", "%6.2f"))         \
  COLUMN(row, plain_over_libess_low, AMOUNT, "", "as above")                                       \
  COLUMN(row, plain_over_libess_high, AMOUNT, "", "as above")                                      \
  COLUMN(row, held_out, COUNT, "",                                                                 \
         "starts that MuJoCo's time over libess's is known of, each with settings chosen by the "  \
         "others; of a single start, by itself")
COLUMN_ROW(robot_reach_row, ROBOT_REACH_COLUMNS);

#define ROBOT_HELD_OUT_COLUMNS(COLUMN, row)                                                        \
  COLUMN(row, rms_error, AMOUNT, "",                                                               \
         "asked for; where it is that of the model's own setting, by the other starts")            \
  COLUMN(row, own, FLAG, "", "whether it is")                                                      \
  COLUMN(row, start, COUNT, "", "its number")                                                      \
  COLUMN(row, process, COUNT, "", "that ran it")                                                   \
  COLUMN(row, variant, TEXT, "", "MuJoCo's cheapest integrator, by the other starts")              \
  COLUMN(row, time_step, AMOUNT, "s", "its step, likewise")                                        \
  COLUMN(row, mujoco_seconds, AMOUNT, "s", "of a run so from this start")                          \
  COLUMN(row, mujoco_error, AMOUNT, "", "of it")                                                   \
  COLUMN(row, libess_base, TEXT, "", "libess's cheapest base, by the other starts")                \
  COLUMN(row, tolerance, AMOUNT, "", "of libess, by the other starts")                             \
  COLUMN(row, libess_seconds, AMOUNT, "s", "of a run so from this start")                          \
  COLUMN(row, libess_error, AMOUNT, "", "of it")                                                   \
  COLUMN(row, libess_evaluations, AMOUNT, "", "of the field")                                      \
  COLUMN(row, plain_base, TEXT, "", "the cheapest base without guards, by the other starts")       \
  COLUMN(row, plain_tolerance, AMOUNT, "", "of libess without guards, by the other starts")        \
  COLUMN(row, plain_seconds, AMOUNT, "s", "of a run so from this start")                           \
  COLUMN(row, plain_error, AMOUNT, "", "of it")                                                    \
  COLUMN(row, plain_evaluations, AMOUNT, "", "of its field")                                       \
  COLUMN(row, mujoco_over_libess, AMOUNT, "", "in time")                                           \
  COLUMN(row, plain_over_libess, AMOUNT, "", "in time")
COLUMN_ROW(robot_held_out, ROBOT_HELD_OUT_COLUMNS);

#define ROBOT_TOUCHDOWN_COLUMNS(COLUMN, row)                                                       \
  COLUMN(row, time, AMOUNT, "s", "in the reference from the first start",                          \
         SHOWN("time, s", "%9.6f"))                                                                \
  COLUMN(row, foot, TEXT, "", "what touches what", SHOWN("touch-down", "%s"))
COLUMN_ROW(robot_touchdown_row, ROBOT_TOUCHDOWN_COLUMNS);

#endif
