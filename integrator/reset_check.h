/*
 * Rows of the reset matrix, held against the path of a sub-step.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_RESET_CHECK_H
#define ESS_RESET_CHECK_H

#include "ess.h"
#include "quartic.h"

/* An event function along the sub-step less what jumps add: powers of the time since `from`, and
 * what that may be off by. */
typedef struct ess_bare {
  double from, a[ESS_QUARTIC], doubt;
} ess_bare;

/* Whether what crossings and their rows do to guards is right on the path that
 * the jumps make: of all event functions that are not curved, and of one. The sub-step is too long
 * where it is not. */
bool ess_resets_agree(ess_driver *d);
bool ess_agrees_with_resets(ess_driver *d, size_t k, const ess_bare *bare);

#endif
