/*
 * Trends (Definition 1): the sign that U_k has in a mode from now on, by its first derivative along
 * the mode's flow that is not zero.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef TREND_H
#define TREND_H

#include "kkt.h"

/* The largest ratio of a multiplier to the sum of its terms' magnitudes that is rounding. */
extern const double trend_zero;

/* Undecided: no derivative agrees between one interval and half of it. The first derivative that is
 * not zero is then of a higher order than those computed, or the motion is not smooth.
 */
enum { TREND_UNKNOWN = 2 };

/* Of U_k in a mode that holds k, at the state of `here`: 1, -1, or 0 where it is identically zero
 * as far as its series is known; or TREND_UNKNOWN. `elsewhere` is another of the same mechanism, to
 * be moved about. The mode has an inverse at `here`; where it loses it close by, the sign is that
 * of U_k alone. */
int trend_of(kkt *here, kkt *elsewhere, contact_mode mode, size_t k);

/* How large U_k may be and still be rounding. */
double trend_rounding(const kkt *s, size_t k, const kkt_multipliers *of);

#endif
