/*
 * Private to the bridge: what is event-selected in a model, and what is not.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ROBOT_SURVEY_H
#define ROBOT_SURVEY_H

#include "robot_instance.h"

/* Whether the model can be written as a system at all. 0, or SOLVER_FAILED with one line. */
int robot_survey_check(const mjModel *m, char message[ROBOT_MESSAGE_SIZE]);

/* Fills in events and findings of `shared`, whose pairs are there. 0, or a solver_status. */
int robot_survey_make(robot_shared *shared, char message[ROBOT_MESSAGE_SIZE]);

/* What is made of a pair without a rule for its distance, and why. Static storage. */
const char *robot_survey_why(const robot_shared *s, const robot_pair *p);

/* What a geom is called: by its own name, or by its body's. */
void robot_survey_geom_name(const mjModel *m, int geom, char *name, size_t size);

/* The name of MuJoCo's object, or "geom 3" where it has none. */
void robot_survey_name(const mjModel *m, int type, int id, char *name, size_t size);

#endif
