/*
 * Private to the bridge: "0.1,-2,3" as numbers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ROBOT_NUMBERS_H
#define ROBOT_NUMBERS_H

#include <stddef.h>

/* Finite numbers with commas between, to be freed, and how many; NULL where the text is anything
 * else. */
double *robot_numbers_parse(const char *text, size_t *count);

#endif
