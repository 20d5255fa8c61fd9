/*
 * essbench order: the error of the projection against epsilon on the affine system of Table 4.1
 * (Fig. 4.1 of the paper), for both orders of the projection.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "order.h"

#include <math.h>
#include <stdio.h>

#include "commands.h"
#include "files.h"
#include "model.h"

static void print_series(const order_result *result, const order_series *s) {
  const measure_line *const l = &s->line;
  printf("projection order %d on affine3: RMS ~ epsilon^%.3f (%g %% interval %.3f to %.3f) for "
         "epsilon from %g to %g",
         s->order, l->slope, 100.0 * result->confidence, l->slope_low, l->slope_high, s->fit_min,
         s->fit_max);
  if (isfinite(s->paper_slope)) printf("; the paper found %.1f", s->paper_slope);
  printf("\nRMS at epsilon %g: %.3g; %s for epsilon from %g to %g\n", s->fit_min, s->rms_at_fit_min,
         s->monotone ? "monotone" : "NOT monotone", s->fit_min, result->monotone_max);
}

static void print(const arguments *given, const order_result *result) {
  for (int k = 0; k < ORDER_KINDS; k++) print_series(result, &result->series[k]);
  printf("exact crossings at t =");
  for (size_t i = 0; i < result->crossing_count; i++) printf(" %.8f", result->crossings[i]);
  printf(" s\nresults in %s/order.csv, order_fit.csv, order.json\n", given->folder);
}

static int run(arguments *given) {
  char message[MEASURE_MESSAGE_SIZE];
  order_result result;
  if (measure_folder_create(given->folder, message)) return command_fail(given, "%s", message);
  model_init(&given->m, model_find("affine3"));
  int status = model_prepare(&given->m, message);
  if (!status) status = order_measure(given, &result, message);
  if (!status) status = order_write(given, &result, message);
  if (!status) status = projection_path_write(given->folder, message);
  if (status) return command_fail(given, "%s", message);
  print(given, &result);
  return COMMAND_SUCCESS;
}

const command order_command = {
    .name = "order",
    .summary = "error against epsilon, both orders of the projection (Figs. 3.1 and 4.1)",
    .groups = ARGUMENTS_FOLDER,
    .run = run,
};
