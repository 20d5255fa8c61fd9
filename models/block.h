/*
 * Shared code of the models of a rocking block: the options that describe the block, by the names
 * of each model's own parameters.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MODEL_BLOCK_H
#define MODEL_BLOCK_H

#include <math.h>
#include <stdio.h>

#include "model.h"

enum { BLOCK_STICKS, BLOCK_SLIDES };

static const char *const block_frictions[] = {"stick", "none", NULL};

#define BLOCK_PARAMETERS                                                                           \
  [WIDTH] = {"width", 0.05, 1e-4, 100, false, NULL, "width of the block's base, m"},               \
  [HEIGHT] = {"height", 0.1, 1e-4, 100, false, NULL, "height of the block, m"},                    \
  [MASS] = {"mass", 5, 1e-6, 1e6, false, NULL, "mass of the block, kg"},                           \
  [FRICTION] = {"friction",                                                                        \
                0,                                                                                 \
                0,                                                                                 \
                1,                                                                                 \
                false,                                                                             \
                block_frictions,                                                                   \
                "friction at the corners: they stick, or slide freely"},                           \
  [TILT] = {"tilt", 0.2, -1.5, 1.5, false, NULL, "initial tilt, rad; > 0: on the left corner"}

/* Beyond the tilt at which its centre stands over the corner a block falls over, onto corners that
 * these models do not have. 0, or MODEL_REFUSED with one line. */
static inline int block_falls_over(double width, double height, double tilt,
                                   char message[MODEL_MESSAGE_SIZE]) {
  const double most = atan2(width, height);
  if (fabs(tilt) < most) return 0;
  snprintf(message, MODEL_MESSAGE_SIZE,
           "tilt: %.9g is not accepted; from %.9g rad on this block falls over", tilt, most);
  return MODEL_REFUSED;
}

#endif
