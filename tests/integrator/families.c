/*
 * What the families share, and the list of them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "families.h"
#include "draws.h"

#include <math.h>

const family families[FAMILIES] = {
    {"relay", family_relay, 50.0},  {"waves", family_waves, 50.0},
    {"crank", family_crank, 100.0}, {"cradle", family_cradle, 1000.0},
    {"pulse", family_pulse, 100.0}, {"pairs", family_pairs, 100.0},
};

bool family_is_wrong(const family *f, const family_run *r) {
  if (r->is_left_out) return false;
  const bool others = r->true_crossings != SIZE_MAX && r->crossings != r->true_crossings;
  return r->status || others || !(r->error <= f->worst);
}

double family_between(uint64_t *sequence, double a, double b) {
  return a + (b - a) * draw_apart(sequence, 0.0, 1.0);
}

double family_log_between(uint64_t *sequence, double a, double b) {
  return a * pow(b / a, draw_apart(sequence, 0.0, 1.0));
}

size_t family_one_of(uint64_t *sequence, size_t n) {
  return (size_t)(draw_apart(sequence, 0.0, 1.0) * (double)n);
}

ess_options family_options(uint64_t *sequence) {
  static const ess_base bases[] = {ESS_BASE_DOPRI5, ESS_BASE_RKC, ESS_BASE_CHOSEN};
  ess_options o = ess_options_default();
  o.atol = o.rtol = 5e-2 * pow(10.0, -(double)family_one_of(sequence, 9));
  o.base = bases[family_one_of(sequence, 3)];
  return o;
}

void family_apply(const ess_system *system, const ess_options *options, double end, double x[],
                  const double truth[], family_run *r) {
  double t = 0.0;
  r->tolerance = options->rtol;
  ess_driver *const d = ess_driver_alloc(system, options, &r->status);
  if (!d) return;
  r->status = ess_driver_apply(d, &t, end, x);
  r->counters = *ess_driver_counters(d);
  r->crossings = (size_t)r->counters.crossings;
  for (size_t i = 0; i < system->dimension; i++) {
    const double off = fabs(x[i] - truth[i]) / (options->rtol * (1.0 + fabs(truth[i])));
    if (!(off <= r->error)) r->error = off;
  }
  ess_driver_free(d);
}
