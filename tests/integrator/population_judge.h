/*
 * The verdict on a run of a population against the truth. A run is wrong where it ends in success
 * and has an error of more than 100 tolerances, or makes other crossings than the truth and has an
 * error of more than 10. It is out where the system itself does not decide (truth_is_clear), unless
 * the error is ten times that of any moved system. Errors of RKC and ROS2 may be 100 tolerances
 * before the system multiplies them (ess.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef POPULATION_JUDGE_H
#define POPULATION_JUDGE_H

#include "population.h"
#include "truth.h"

/* `end` has at least status, states, signs and counters; `samples` are at the times of `options`;
 * unit[i] is the tolerance of state i. */
population_verdict population_judge(hybrid *h, const truth_options *options, const truth_end *truth,
                                    const hybrid_end *end, const double samples[],
                                    const double unit[], ess_base base, double *error);

#endif
