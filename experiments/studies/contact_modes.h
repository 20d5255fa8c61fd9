/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of the study contact-modes share: what is asked for, its tables, and a run of a
 * model with contact modes, told impact by impact. */
#ifndef CONTACT_MODES_H
#define CONTACT_MODES_H

#include "cases.h"
#include "contact_model.h"
#include "contact_models.h"
#include "study.h"
#include "trajectory.h"

/* tight enough not to be seen */
static const double contact_modes_tolerance = 1e-10;

enum {
  CONTACT_MODES_HILL = STUDY_SAMPLES,
  CONTACT_MODES_THRESHOLDS,
  CONTACT_MODES_BLOCK,
  CONTACT_MODES_TRUNCATION,
  CONTACT_MODES_LEAP,
  CONTACT_MODES_KNOWN,
  CONTACT_MODES_WORDS
};

typedef struct contact_modes_settings {
  double delta_t, tilt, slope_step, slope_max, speed_step, speed_max;
  option_numbers truncations;
} contact_modes_settings;

/* the block at a time of the output, or at an impact */
#define INSTANT(X, row)                                                                            \
  X(row, delta_t, AMOUNT, "s", "of the run")                                                       \
  X(row, t, AMOUNT, "s", "time")                                                                   \
  X(row, angle, NUMBER, "rad", "of the block")                                                     \
  X(row, impact, FLAG, "", "whether a corner lands")                                               \
  X(row, speed, AMOUNT, "m/s", "of the corner that does")
COLUMN_ROW(instant, INSTANT);

/* what a pseudo-impulse cuts off the block's impacts */
#define TRUNCATION(X, row)                                                                         \
  X(row, delta_t, AMOUNT, "s", "for which forces count in an impact", SHOWN("delta_t", "%8g"))     \
  X(row, impacts, COUNT, "", "of the block", SHOWN("impacts", "%7.0f"))                            \
  X(row, rest, AMOUNT, "s", "time at which it is at rest", SHOWN("rest", "%10.6f"))                \
  X(row, earlier, NUMBER, "s", "than where impacts accumulate without",                            \
    SHOWN("earlier", "%10.6f"))                                                                    \
  X(row, angle, AMOUNT, "rad", "largest difference of the angle, at any time of the output",       \
    SHOWN("angle", "%9.2e"))
COLUMN_ROW(truncation, TRUNCATION);

/* the leaping body's feet, before and behind each event */
#define LEAP(X, row)                                                                               \
  X(row, delta_t, AMOUNT, "s", "of the run")                                                       \
  X(row, t, AMOUNT, "s", "time")                                                                   \
  X(row, front, NUMBER, "N", "normal force on the front foot; 0: in the air")                      \
  X(row, rear, NUMBER, "N", "on the rear one")
COLUMN_ROW(leap, LEAP);

#define KNOWN(X, row)                                                                              \
  X(row, example, TEXT, "", "of essbench run --model", SHOWN("essbench run --model", "%-42s"))     \
  X(row, quantity, TEXT, "", "what is known", SHOWN("quantity", "%-30s"))                          \
  X(row, unit, TEXT, "", "its unit", SHOWN("unit", "%-5s"))                                        \
  X(row, known, NUMBER, "", "computed without libess", SHOWN("known", "%11.7g"))                   \
  X(row, found, NUMBER, "", "by libess", SHOWN("found", "%11.7g"))                                 \
  X(row, agrees, FLAG, "", "in all digits that are known", SHOWN("agrees", "%6.0f"))
COLUMN_ROW(known_number, KNOWN);

#define WORD(X, row)                                                                               \
  X(row, example, TEXT, "", "of essbench run --model", SHOWN("essbench run --model", "%-42s"))     \
  X(row, known, TEXT, "", "modes that it is known to go through, or that it is so in kind",        \
    SHOWN("known", "%-42s"))                                                                       \
  X(row, found, TEXT, "", "that it goes through", SHOWN("found", "%-42s"))
COLUMN_ROW(word, WORD);

/* A run, by a driver of its own: its impacts, where it ends, and where they accumulate. */
typedef struct contact_track {
  study_run *run;
  model m;
  char start[MODEL_MODE_SIZE];
  model_impact *of;
  size_t count, room;
  double x[MODEL_DIMENSION_MAX], zeno; /* NaN: it goes on to the end */

  /* Optional: told of an impact, and of the end of a step, with the track itself. Nonzero stops. */
  int (*impact)(struct contact_track *t, const ess_impact *impact);
  int (*step)(struct contact_track *t, const ess_step_info *step);
  void *context; /* of these */
} contact_track;

/* A model's name, and its options with their values, ended by NULL. */
typedef const char *const contact_command[8];

/* As `essbench run --model` would by that command. 0, or -1 with one line. What it has is to be
 * freed, whatever is returned. */
int contact_track_follow(study_run *run, contact_command command, contact_track *t);
void contact_track_free(contact_track *t);

/* The block's path and impacts without pseudo-impulses and with; what each delta_t cuts off. */
int contact_modes_add_block(study_run *run);
int contact_modes_add_truncation(study_run *run);

/* The forces on the leaping body's feet without pseudo-impulses and with. */
int contact_modes_add_leap(study_run *run);

/* The paper's examples: numbers, and sequences of modes. */
int contact_modes_add_known(study_run *run);

#endif
