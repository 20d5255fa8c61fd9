/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "population_judge.h"

#include <math.h>
#include <string.h>

static const double WORST = 100.0, OTHER = 10.0, BEYOND = 10.0;
static const double SUSPECT = 30.0; /* an error of so many tolerances is looked at more closely */

static bool is_other(const hybrid *h, const truth_options *options, const truth_end *truth,
                     const hybrid_end *end) {
  uint64_t crossings = 0, silent = 0;
  for (size_t k = 0; k < h->m; k++)
    *(h->silent[2 * k] || h->silent[2 * k + 1] ? &silent : &crossings) += truth->crossings[k];
  const ess_counters *const c = &end->counters;
  return memcmp(end->sign, truth->sign, h->m * sizeof *end->sign) ||
         (!options->sliding && (c->crossings != crossings || c->silent != silent));
}

population_verdict population_judge(hybrid *h, const truth_options *options, const truth_end *truth,
                                    const hybrid_end *end, const double samples[],
                                    const double unit[], ess_base base, double *error) {
  double spread;
  *error = INFINITY;
  if (truth->status) return POPULATION_OUT;
  if (end->status) { // the tolerance may not tell whether there is a graze, or bounces end
    const bool may_be = end->status == ESS_EGRAZING || end->status == ESS_EZENO;
    return may_be && !truth_is_clear(h, options, truth, unit, &spread) ? POPULATION_OUT
                                                                       : POPULATION_FALSE;
  }
  *error = truth_error(h, options, truth, end->x, samples, unit);
  const bool other = is_other(h, options, truth, end);
  if (*error <= SUSPECT && !other) return POPULATION_RIGHT;
  if (!truth_is_clear(h, options, truth, unit, &spread))
    return *error > fmax(WORST, BEYOND * spread) ? POPULATION_WRONG : POPULATION_OUT;
  const bool is_low = base == ESS_BASE_RKC || base == ESS_BASE_ROS2;
  const double most = is_low ? WORST * fmax(1.0, spread / TRUTH_MOVED) : WORST;
  return *error > most || (other && *error > OTHER) ? POPULATION_WRONG : POPULATION_RIGHT;
}
