/*
 * The rocking block by Siconos, which knows nothing of libess: corners that stick, inelastic
 * impacts, time stepping by Moreau and Jean's scheme.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SICONOS_BLOCK_H
#define SICONOS_BLOCK_H

#include <stddef.h>

typedef struct siconos_impact {
  double t, before, after; /* rates of rotation */
} siconos_impact;

#ifdef __cplusplus
extern "C" {
#endif

/* From rest at an angle of 0.2 rad; so many impacts at the most. Their number, and the angle at the
 * end. */
size_t siconos_block(double step, double duration, siconos_impact impact[], size_t most,
                     double *angle);

#ifdef __cplusplus
}
#endif

#endif
