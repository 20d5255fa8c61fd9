/*
 * Which cells of a study are run by which worker, and when.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef STUDY_ORDER_H
#define STUDY_ORDER_H

#include "study.h"

typedef struct study_turn {
  size_t cell, worker; /* indices */
} study_turn;

/*
 * The cells that are not known, in the order they are run: *count of them, to be freed. Those of a
 * study that times go worker by worker, each with the cells that are its own; a worker takes one
 * race after the other, in an order of its own, so that a slow spell of the machine falls on races
 * that have nothing in common. All other cells go as they are planned, by any worker. NULL with one
 * line.
 */
study_turn *study_order(const study_run *run, size_t workers, size_t *count);

#endif
