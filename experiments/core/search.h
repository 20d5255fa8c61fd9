/*
 * The search for the cheapest settings that are good enough: what a setting is worth on some
 * starts, which settings are accepted, and libess's cheapest tolerance.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SEARCH_H
#define SEARCH_H

#include <math.h>

#include "contest.h"

/* Starts a search has, and what is added to the seed of those that are timed later, so that they
 * are others. */
enum { SEARCH_STARTS = 48 };
#define SEARCH_SEED_OFFSET 0x9e3779b9UL

/* What is asked of a setting on the starts of a search; INFINITY: nothing. */
typedef struct search_limits {
  double rms, rms_q90, rms_worst; /* RMS error: median, 90 % quantile and worst start */
  double events_off; /* crossings missed or invented, start by start, over the reference's */
} search_limits;

/* A setting, and what it showed. */
typedef struct search_candidate {
  solver_settings settings;
  size_t trials;  /* starts it was run from */
  double seconds; /* median; INFINITY, as all below, for one that is out */
  double rms, rms_q90, rms_worst;
  double events_off;
} search_candidate;

/*
 * No worse than a rival on the same starts: 0.9 times its median error, since the median of the
 * starts that are timed is another; its 90 % quantile and its worst start; and crossings missed or
 * invented are at most half a per cent of the reference's, start by start, since those of the
 * starts that are timed must be within 1 % in total, in which they cancel.
 */
search_limits search_limits_against(const search_candidate *rival);

/* Whether a candidate keeps within all limits. What is not a number does not. */
bool search_accepts(const search_limits *limits, const search_candidate *c);

/* The index of the one that exceeds its limits least; SIZE_MAX when all are out. */
size_t search_closest(const search_limits *limits, const search_candidate list[], size_t count);

/* One line on why none of `count` settings is accepted: which limit the closest of them exceeds
 * most. */
void search_explain(const search_limits *limits, const search_candidate *closest, size_t count,
                    char message[SOLVER_MESSAGE_SIZE]);

/* Runs c->settings from the first `trials` starts, once each, and fills in the rest. A solver that
 * refuses or gives up, or whose first run takes longer than `patience` s, is no error: the
 * candidate is out then. */
void search_run(const contest_starts *starts, size_t trials, const solver_type *solver,
                double patience, search_candidate *c);

/* What a search needs. */
typedef struct search_request {
  const contest_starts *starts; /* with references */
  solver_settings base;         /* what is not searched for */
  search_limits limits;
  const char *label;               /* of the line that shows progress */
  const volatile int *interrupted; /* optional */
} search_request;

/*
 * libess's cheapest accepted tolerance: rtol = atol from 1e-1 down to 1e-10, eight to the decade,
 * integration steps as long as it allows. 0; 1 with one line when none is good enough; -1 with one
 * line.
 */
int search_tolerance(const search_request *request, search_candidate *best,
                     char message[SOLVER_MESSAGE_SIZE]);

#endif
