/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libess as the reference of a model that has no exact solution, and too many contacts to follow
 * without it: by the paper's method, far more accurate than anything it is compared with. */
#ifndef MODEL_REFERENCE_OPTIONS_H
#define MODEL_REFERENCE_OPTIONS_H

#include "ess.h"

/* With steps no longer than h_max, and as many crossings as there are. */
ess_options model_reference_options(double h_max, const ess_observer *observer);

#endif
