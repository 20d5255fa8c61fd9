/*
 * What an input of the fuzz target means: a system, options, a start, and what is done with them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef FUZZ_CASE_H
#define FUZZ_CASE_H

#include "fuzz_system.h"

enum { ROWS = 48, COMMANDS = 5 };

/* one thing the caller does; what is not accepted must leave everything as it was */
typedef enum action { APPLY, SAMPLE, RESET, REFUSED, CHANGE, ACTIONS } action;

typedef struct command {
  action action;
  double duration;
  size_t count;
  double place[ROWS]; /* of the samples within the duration, ascending */
  int mistake;        /* REFUSED: which; CHANGE: options[mistake % 2] from now on */
} command;

/* a whole input, understood */
typedef struct fuzz_case {
  fuzz_model model;
  ess_options options[2]; /* those to begin with, and others to change to */
  double rtols[FUZZ_STATES], atols[FUZZ_STATES];
  double guard_epsilons[FUZZ_GUARDS];
  double t0, x0[FUZZ_STATES];
  uint8_t damage; /* to the system; see fuzz_system_damage */
  bool observe_steps, observe_crossings;
  uint64_t stop_step, stop_crossing; /* the observer's call that stops; 0: none does */
  size_t command_count;
  command command[COMMANDS];
} fuzz_case;

/* *c points into itself: it is not to be copied */
void fuzz_case_read(fuzz_case *c, const uint8_t *data, size_t size);

/* for the person who reads a failing input */
void fuzz_case_print(const fuzz_case *c, FILE *out);

#endif
