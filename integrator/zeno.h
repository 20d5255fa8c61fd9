/*
 * Impacts that accumulate.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_ZENO_H
#define ESS_ZENO_H

#include "ess.h"

/* Notes events that are about to be made together, at the node, which is evaluated; *when is the
 * time at which impacts of one of their guards accumulate, before the end, or no number. */
int ess_watch_zeno(ess_driver *d, size_t count, const size_t events[], double *when);

/* After that impact: ends the run where they accumulate. */
int ess_end_zeno(ess_driver *d, double when);

/* ESS_EGRAZING of event function k's guard, unless a series of its impacts has come so near to its
 * end that errors of the state are as large: then *when is that end. */
int ess_zeno_of_graze(ess_driver *d, size_t k, double *when);

/* The same where no impact is made any more: ESS_EZENO at that end. */
int ess_fail_grazing(ess_driver *d, size_t k);

#endif
