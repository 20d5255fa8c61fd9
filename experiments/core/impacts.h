/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What happened to the contacts of a model with contact modes in one run: its impacts, and the
 * modes it went through. */
#ifndef IMPACTS_H
#define IMPACTS_H

#include <jansson.h>

#include "model.h"

typedef struct impacts {
  const model *m;
  char start[MODEL_MODE_SIZE]; /* the first mode */
  model_impact *of;
  size_t count, room;
} impacts;

/* Of a run from x0. 0, or -1: the model has no contact modes, or none to start in. */
int impacts_begin(impacts *list, const model *m, const double x0[]);

/* For a solver's settings; the context is the list. Nonzero: out of memory. */
int impacts_add(const ess_impact *impact, void *context);

/* [{t, contact, speed, mode_before, mode_after, impulse}], one for each contact that landed */
json_t *impacts_json(const impacts *list);

/* [{t, mode}], from the start */
json_t *impacts_modes_json(const impacts *list);

/* {none, several}: how many impacts had no mode that solves (58), and how many had more than one */
json_t *impacts_choices_json(const impacts *list);

void impacts_print(const impacts *list);
void impacts_free(impacts *list);

#endif
