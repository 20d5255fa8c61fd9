/*
 * Impacts that accumulate.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_ZENO_H
#define ESS_ZENO_H

#include "ess.h"

/* Notes an impact at the node's time; ESS_EZENO when impacts accumulate before the end. */
int ess_watch_zeno(ess_driver *d);

#endif
