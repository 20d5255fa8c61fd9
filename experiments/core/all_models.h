/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of models, and behind them what is of a file that the user names. */
#ifndef ALL_MODELS_H
#define ALL_MODELS_H

#include "model.h"

/* The i-th; NULL behind the last. */
const model_type *all_models_at(size_t i);

/* NULL when there is none of that name. */
const model_type *all_models_find(const char *name);

#endif
