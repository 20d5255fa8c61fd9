/*
 * Families of systems that people bring, by seed, each with a truth that shares nothing with
 * libess: relays on a carrier and fuel injected by crank angle, whose fields have nearly no error
 * of their own while their event functions turn up to a hundred times; chains of Hertz contacts
 * that start at rest on one another; one strong pulse, or pairs that undo each other, among many
 * weak crossings.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef FAMILIES_H
#define FAMILIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ess.h"

/* what became of one run */
typedef struct family_run {
  bool is_left_out; /* the system itself does not tell: it grazes, or ends on a crossing */
  int status;
  double tolerance;
  double error;                     /* the worst of all states, in tolerances */
  size_t crossings, true_crossings; /* SIZE_MAX: not compared */
  ess_counters counters;
} family_run;

typedef struct family {
  const char *name;
  family_run (*run)(uint64_t seed);
  double worst; /* error that is not wrong, in tolerances */
} family;

enum { FAMILIES = 6 };
extern const family families[FAMILIES];

bool family_is_wrong(const family *f, const family_run *r);

/* ---- what families share --------------------------------------------------------------------- */

/* A number in [a, b), the next of a sequence; the same by orders of magnitude; one of 0 .. n - 1.
 */
double family_between(uint64_t *sequence, double a, double b);
double family_log_between(uint64_t *sequence, double a, double b);
size_t family_one_of(uint64_t *sequence, size_t n);

/* Options of the default method with any tolerance from 5e-2 to 5e-10 and any base. */
ess_options family_options(uint64_t *sequence);

/* Runs the system to the end, and holds its states against the truth. */
void family_apply(const ess_system *system, const ess_options *options, double end, double x[],
                  const double truth[], family_run *r);

family_run family_relay(uint64_t seed);

/* One relay on sin(frequency tau) - level, from tau = 0. */
family_run family_carrier_at(double frequency, double level, double end, double tolerance);

family_run family_waves(uint64_t seed);
family_run family_crank(uint64_t seed);
family_run family_cradle(uint64_t seed);
family_run family_pulse(uint64_t seed);
family_run family_pairs(uint64_t seed);

#endif
