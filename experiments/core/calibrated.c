/*
 * The calibrated epsilon.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "calibrated.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "calibration.h"
#include "json_file.h"
#include "record.h"

/* of an earlier calibration in the folder; NaN when there is none */
static double earlier_epsilon(const study_run *run) {
  char path[RECORD_PATH_SIZE], message[MEASURE_MESSAGE_SIZE];
  if (record_path(path, run->folder, "calibration.json") || access(path, F_OK)) return NAN;
  json_t *const earlier = measure_json_read(path, message);
  if (!earlier) fprintf(stderr, "warning: calibrating anew: %s\n", message);
  const double epsilon = json_number_value(json_object_get(earlier, "epsilon"));
  json_decref(earlier);
  return epsilon > 0.0 && isfinite(epsilon) ? epsilon : NAN;
}

int calibrated_epsilon(study_run *run, double *epsilon, const char **source) {
  *source = "calibration.json";
  *epsilon = earlier_epsilon(run);
  if (!isnan(*epsilon)) return 0;
  model hopper;
  calibration result;
  model_init(&hopper, model_find("hopper"));
  int status = model_prepare(&hopper, run->message);
  if (!status) status = calibrate_hopper(&hopper, 0, run->seed, &result, run->message);
  model_release(&hopper);
  if (status) return -1;
  *source = "calibrated for this sweep";
  *epsilon = result.epsilon;
  if (!isnan(result.epsilon)) return 0;
  measure_message(run->message, "calibration: %s", result.status);
  return -1;
}
