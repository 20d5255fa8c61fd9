/*
 * The derivative of an impact.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_DERIVATIVE_H
#define ESS_DERIVATIVE_H

#include "ess.h"

/* to = DR from, `count` columns, where DR is that of the impact; `from` and `to` are apart. */
int ess_tangent_map(ess_driver *d, const ess_impact *impact, const double from[], size_t count,
                    double to[]);

#endif
