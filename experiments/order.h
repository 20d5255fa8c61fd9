/*
 * The order protocol's parts (Figs. 3.1 and 4.1 of the paper).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef ORDER_H
#define ORDER_H

#include "measure.h"

/* Fig. 3.1: integrates a piecewise-constant system with two guards and writes its path, the exact
 * path and the guards with their neighbourhoods into `folder`. 0, or -1 with one line. */
int projection_path_write(const char *folder, char message[MEASURE_MESSAGE_SIZE]);

#endif
