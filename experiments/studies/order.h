/*
 * The order protocol's parts (Figs. 3.1 and 4.1 of the paper).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef ORDER_H
#define ORDER_H

#include "affine3.h"
#include "arguments.h"
#include "fit.h"
#include "measure.h"

/* epsilon from 1 down to 1e-6, eight to the decade; both orders of the projection */
enum {
  ORDER_PER_DECADE = 8,
  ORDER_DECADES = 6,
  ORDER_POINTS = ORDER_PER_DECADE * ORDER_DECADES + 1,
  ORDER_KINDS = 2
};

/* One run of libess. */
typedef struct order_point {
  double epsilon, rms;
  bool in_fit;
  solver_report report;
} order_point;

/* All runs of one projection order, as epsilon falls, and what they say. */
typedef struct order_series {
  int order;
  double fit_min, fit_max; /* range of epsilon the slope is fitted in */
  double paper_slope;      /* NaN where the paper has none */
  order_point points[ORDER_POINTS];
  measure_line line; /* log10 rms against log10 epsilon */
  bool monotone;     /* the error falls with epsilon from monotone_max down to fit_min */
  double rms_at_fit_min;
} order_series;

typedef struct order_result {
  double rtol, atol;   /* of the integration, tight enough not to be seen */
  double monotone_max; /* epsilon from which on the error must fall */
  double confidence;   /* of the slopes' intervals */
  order_series series[ORDER_KINDS];
  double crossings[AFFINE3_GUARDS]; /* exact times, s */
  size_t crossing_count;
} order_result;

/* Runs both orders over all epsilon on the prepared affine3 in `given`, and fits them. 0, or -1
 * with one line. */
int order_measure(arguments *given, order_result *result, char message[MEASURE_MESSAGE_SIZE]);

/* Writes order.csv, order_fit.csv and order.json into the folder given. 0, or -1 with one line. */
int order_write(const arguments *given, const order_result *result,
                char message[MEASURE_MESSAGE_SIZE]);

/* Fig. 3.1: integrates a piecewise-constant system with two guards and writes its path, the exact
 * path and the guards with their neighbourhoods into `folder`. 0, or -1 with one line. */
int projection_path_write(const char *folder, char message[MEASURE_MESSAGE_SIZE]);

#endif
