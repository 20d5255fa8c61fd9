/*
 * Where the regression gate keeps its files, below the folder for results.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef REGRESS_H
#define REGRESS_H

#define REGRESS_BASELINE      "baseline"          /* committed */
#define REGRESS_COUNTERS_FILE "counters.json"     /* what the cases counted */
#define REGRESS_RATIO_FILE    "ratio.json"        /* our times over MuJoCo's */
#define REGRESS_BASE_SAMPLES  "regress/base"      /* one file per process of the base revision */
#define REGRESS_NOW_SAMPLES   "regress/now"       /* and of the working tree, by the same names */
#define REGRESS_TIME_FILE     "regress/time.json" /* the verdict on them */

/* The committed ratio to MuJoCo does not carry from machine to machine: only a change by more than
 * this factor is worth stopping for. */
#define REGRESS_RATIO_FACTOR 2.0

#endif
