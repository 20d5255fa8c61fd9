/*
 * Protocols of the sweep: which solvers race at one number of contacts, with which settings.
 *
 *   paper        the paper's section 5.2: integration steps no longer than the output step, epsilon
 *                from the calibration on the hopper
 *   free         the same epsilon, integration steps as long as the tolerance allows
 *   equal-error  MuJoCo's cheapest setting and libess's largest tolerance that are no worse than
 *                MuJoCo's Euler at the output step (choice.h says how), and for three target errors
 *                either's that reach them
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef PROTOCOL_H
#define PROTOCOL_H

#include "contest.h"

enum { PROTOCOL_ENTRIES_MAX = 24, PROTOCOL_NAME_SIZE = 32 };

/* One solver with its settings, as it races at one number of contacts. */
typedef struct protocol_entry {
  const solver_type *solver;
  solver_settings settings;
  char protocol[PROTOCOL_NAME_SIZE]; /* "paper", ..., "equal-error", "target-0.01", ... */
  double target;                     /* RMS error aimed at; NaN when none */
  double tuned_rms;                  /* median error on the tuning starts; NaN when not tuned */
} protocol_entry;

typedef struct protocol_entries {
  size_t count;
  protocol_entry entry[PROTOCOL_ENTRIES_MAX];
} protocol_entries;

/* What a protocol starts from. */
typedef struct protocol_request {
  const model *m;                    /* prepared */
  const solver_type *const *solvers; /* who races */
  size_t solver_count;
  solver_settings settings;        /* the user's, with epsilon set */
  unsigned long seed;              /* of the race; tuning starts are drawn with another */
  const volatile int *interrupted; /* optional: tuning ends early when it becomes nonzero */
} protocol_request;

/* Appends the entries of one number of contacts. 0, or -1 with one line. */
typedef int protocol_enter(const protocol_request *request, protocol_entries *entries,
                           char message[SOLVER_MESSAGE_SIZE]);
protocol_enter protocol_paper, protocol_free, protocol_equal_error;

/* Appends one entry; entries beyond the maximum are refused with -1. */
int protocol_append(protocol_entries *entries, const protocol_entry *entry,
                    char message[SOLVER_MESSAGE_SIZE]);

#endif
