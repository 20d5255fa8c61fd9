/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of the study of rigid contacts against soft ones: which system on which contacts by which
 * engine, what it did, and what is read off it. */
#ifndef RIGID_SOFT_H
#define RIGID_SOFT_H

#include "race.h"
#include "study.h"
#include "trajectory.h"

typedef struct rigid_soft_settings {
  option_numbers stiffnesses, ratios, time_steps;
  option_names integrators;
  double tolerance, block_tilt, trot_tilt;
} rigid_soft_settings;

/* One system on contacts of one kind, by one engine. */
typedef struct rigid_soft_case {
  bool trot, soft;
  double delta_t;          /* of rigid contacts with pseudo-impulses, s; or NaN */
  double ratio, stiffness; /* of soft contacts; or NaN */
  const char *integrator;  /* MuJoCo's; NULL: libess */
  double time_step;        /* its step, s */
  double time_constant;    /* its own contacts', s; 0: contacts are springs */
  bool usual;              /* its other settings are those it has by itself */
} rigid_soft_case;

/* ---- rows ------------------------------------------------------------------------------------ */

#define RIGID_SOFT_CASE(X, row)                                                                    \
  X(row, system, TEXT, "", "block or trot", SHOWN("system", "%-6s"))                               \
  X(row, engine, TEXT, "", "libess or mujoco", SHOWN("engine", "%-6s"))                            \
  X(row, contacts, TEXT, "", "rigid, springs, or own: MuJoCo's, which has a time constant",        \
    SHOWN("contacts", "%-8s"))                                                                     \
  X(row, choice, TEXT, "",                                                                         \
    "of MuJoCo: default, its own contact as it is when nothing is asked for; stiffest, of one "    \
    "kind of contact, that is stable; closest, of all stable ones, to rigid contacts",             \
    SHOWN("choice", "%-8s"))                                                                       \
  X(row, integrator, TEXT, "", "MuJoCo's", SHOWN("by", "%-12s"))                                   \
  X(row, time_step, AMOUNT, "s", "MuJoCo's", SHOWN_TIMES("ms", "%7.5g", 1e3))                      \
  X(row, time_constant, AMOUNT, "s", "of MuJoCo's own contact", SHOWN("const", "%8.2g"))           \
  X(row, delta_t, AMOUNT, "s", "of pseudo-impulses, of rigid contacts", SHOWN("dt", "%5g"))        \
  X(row, damping_ratio, AMOUNT, "",                                                                \
    "c/(2 sqrt(k m)), of springs; of MuJoCo's own contact as it is at no depth",                   \
    SHOWN("ratio", "%5.3g"))                                                                       \
  X(row, stiffness, AMOUNT, "N/m", "of springs; the same", SHOWN("k", "%7.1e"))

/* One run, held against the rigid one without pseudo-impulses. */
#define RIGID_SOFT_CONTACT(X, row)                                                                 \
  RIGID_SOFT_CASE(X, row)                                                                          \
  X(row, landing, AMOUNT, "s",                                                                     \
    "when the other corner, or the other foot, lands: the block's first impact, the body's "       \
    "second",                                                                                      \
    SHOWN("lands", "%9.6f"))                                                                       \
  X(row, landing_off, NUMBER, "s", "later than on rigid contacts", SHOWN("off", "%9.1e"))          \
  X(row, height_rms, AMOUNT, "m", "root mean square of the height's distance, over the run")       \
  X(row, angle_rms, AMOUNT, "rad", "of the angle's", SHOWN("angle", "%8.1e"))                      \
  X(row, rate_rms, AMOUNT, "rad/s", "of its rate's", SHOWN("rate", "%8.1e"))                       \
  X(row, soft_angle_rms, AMOUNT, "rad",                                                            \
    "of MuJoCo on springs: the angle's distance from libess's on the same springs",                \
    SHOWN("of soft", "%8.1e"))                                                                     \
  X(row, spin_ratio, AMOUNT, "",                                                                   \
    "of the block: root of the energy of the first swing over that of the start, by their tops; "  \
    "on rigid contacts the rate behind an impact over that before it",                             \
    SHOWN("spin", "%7.4f"))                                                                        \
  X(row, end_rate, NUMBER, "rad/s", "of the landing body at the end", SHOWN("end", "%8.5f"))       \
  X(row, stop_speed, AMOUNT, "m/s",                                                                \
    "of the block's centre downward at the first impact, below which the corner it rested on "     \
    "stays; 0: there is none above 0.1 mm/s; not known where it stays from 0.4 rad, and of "       \
    "MuJoCo's stiffest",                                                                           \
    SHOWN("stop", "%8.5f"))                                                                        \
  X(row, stop_delta_t, AMOUNT, "s", "of pseudo-impulses that would stop it there",                 \
    SHOWN("as dt", "%8.5f"))                                                                       \
  X(row, field_evaluations, COUNT, "", "of the run", SHOWN("fields", "%8.0f"))                     \
  X(row, guard_evaluations, COUNT, "", "of all event functions at once")                           \
  X(row, steps, COUNT, "", "accepted")                                                             \
  X(row, time_s, AMOUNT, "s", "of the run, median of all turns", SHOWN_TIMES("us", "%9.1f", 1e6))
COLUMN_ROW(rigid_soft_contact, RIGID_SOFT_CONTACT);

/* One time of one run. */
#define RIGID_SOFT_POINT(X, row)                                                                   \
  RIGID_SOFT_CASE(X, row)                                                                          \
  X(row, t, AMOUNT, "s", "time")                                                                   \
  X(row, height, NUMBER, "m", "of the body's centre")                                              \
  X(row, angle, NUMBER, "rad", "of the body")                                                      \
  X(row, rate, NUMBER, "rad/s", "its rate")
COLUMN_ROW(rigid_soft_point, RIGID_SOFT_POINT);

/* The case of a row, and the columns of a case in a row. */
rigid_soft_case rigid_soft_case_of(const rigid_soft_contact *row);
#define RIGID_SOFT_ROW(c, choice_)                                                                 \
  .system = (c)->trot ? "trot" : "block", .engine = (c)->integrator ? "mujoco" : "libess",         \
  .contacts = !(c)->soft                 ? "rigid"                                                 \
              : (c)->time_constant > 0.0 ? "own"                                                   \
                                         : "springs",                                              \
  .choice = choice_, .integrator = (c)->integrator ? (c)->integrator : "",                         \
  .time_step = (c)->integrator ? (c)->time_step : NAN,                                             \
  .time_constant = (c)->time_constant > 0.0 ? (c)->time_constant : NAN, .delta_t = (c)->delta_t,   \
  .damping_ratio = (c)->ratio, .stiffness = (c)->stiffness

/* ---- runs ------------------------------------------------------------------------------------ */

/* What a run did, and what its impacts say. */
typedef struct track {
  const rigid_soft_case *c;
  const model *m;
  trajectory path;
  solver_report report;
  double first; /* when the other corner, or the other foot, landed first */
  double speed; /* downward, of the centre, as it did */
  bool rises;   /* whether the corner that the block rested on has landed again since */
  double gain;  /* by MuJoCo: of energy of motion and height, at the most, over what could be lost
                   by coming to rest; infinite where MuJoCo gave up */
} track;

/* Its model; the same as one who races, and its own start. NULL with one line. */
const model *rigid_soft_model(study_run *run, const rigid_soft_case *c, double tilt,
                              double duration);
contest_starts *rigid_soft_entry(study_run *run, const rigid_soft_case *c, race_entry *entry);

/* Runs it as the settings say; or otherwise. Its path is to be freed, whatever is returned: 0, or
 * -1 with one line. */
int rigid_soft_follow(study_run *run, const rigid_soft_case *c, track *t);

/* The part of it by MuJoCo: a path of the model, followed in MuJoCo's steps. */
int rigid_soft_follow_mujoco(study_run *run, track *t);
race_entry rigid_soft_mujoco(study_run *run, const rigid_soft_case *c);

/* Whether it is a motion of passive contacts. */
bool track_is_stable(const track *t);

/* Contact k, of 0 and 1, lands. */
void track_note_landing(track *t, size_t k, double time, double speed);

/* The block's or the body's height, angle or rate at a time of its path; the root mean square of
 * what is between those of two. */
double track_value(const track *t, const char *name, size_t i);
double track_of_state(const track *t, const char *name, const double x[]);
double track_distance(const track *a, const track *b, const char *name);

/* Of a block: the root of the energy of its first swing to the other side over that of its start.
 */
double track_spin_ratio(const track *t);

/* A row of what it did: all of it, or without its threshold, which takes many runs. */
int rigid_soft_row(study_run *run, const rigid_soft_case *c, const char *choice, bool threshold,
                   rigid_soft_contact *row);

/* MuJoCo with one step and integrator: how it does by default, the stiffest stable contacts of each
 * kind, and the closest of all, as rows of samples. 0, or -1 with one line. */
int rigid_soft_search(study_run *run, bool trot, const char *integrator, double time_step);

/* The times of all cases of samples so far, in turns: a row of samples for each. */
int rigid_soft_race(study_run *run);

#endif
