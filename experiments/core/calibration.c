/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibration.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "hopper.h"
#include "json_file.h"
#include "measure.h"
#include "race.h"
#include "record.h"
#include "solvers.h"

enum { SCAN_POINTS = 41, BISECTIONS = 60 };

/* epsilons scanned for a bracket: from far below any neighbourhood of use up to the penetration */
static const double scan_min = 1e-6;

/* bisection ends when the errors agree this well, ten times better than is asked for */
static const double agreement = 0.1 * CALIBRATION_AGREEMENT;

/* one calibration under way */
typedef struct search {
  const contest_starts *starts;
  solver_settings settings;
  double target; /* MuJoCo's RMS error */
  char *message;
} search;

solver_settings calibration_settings(const model *m) {
  solver_settings settings = solver_settings_default();
  settings.h_max = m->type->time_step;
  settings.projection_max = INFINITY;
  settings.time_step = m->type->time_step;
  return settings;
}

/* error of one solver from the start line */
static int error_of(const search *s, const solver_type *solver, double *rms) {
  static const outcome_effort once = {0};
  outcome run;
  const int status = outcome_run(solver, &s->settings, s->starts, 0, once, &run, s->message);
  *rms = run.rms_error;
  return status ? -1 : 0;
}

/* log of our error over MuJoCo's at an epsilon: zero where they agree */
static int excess(search *s, double epsilon, double *log_ratio) {
  double rms;
  s->settings.epsilon = epsilon;
  if (error_of(s, &projection_solver, &rms)) return -1;
  *log_ratio = log(rms / s->target);
  return 0;
}

/* where the errors' order changes on a grid from scan_min to the penetration: the one bracket, or
 * the reason why there is none in result->status and *found false */
static int bracket(search *s, calibration *result, double *low, double *high, bool *found) {
  double epsilon_before = 0.0, before = 0.0, smallest = INFINITY, largest = -INFINITY;
  int changes = 0;
  for (int i = 0; i < SCAN_POINTS; i++) {
    const double fraction = (double)i / (SCAN_POINTS - 1);
    const double epsilon = scan_min * pow(result->penetration / scan_min, fraction);
    double value;
    if (excess(s, epsilon, &value)) return -1;
    smallest = fmin(smallest, value);
    largest = fmax(largest, value);
    if (i && (value > 0.0) != (before > 0.0) && ++changes == 1) {
      *low = epsilon_before;
      *high = epsilon;
    }
    epsilon_before = epsilon;
    before = value;
  }
  *found = changes == 1;
  if (changes > 1)
    snprintf(result->status, sizeof result->status, "not unique: %d crossings of MuJoCo's error",
             changes);
  if (changes == 0)
    snprintf(result->status, sizeof result->status,
             "no root: the RMS error of libess is from %.3g to %.3g times MuJoCo's for epsilon "
             "from %g to the "
             "penetration %.3g",
             exp(smallest), exp(largest), scan_min, result->penetration);
  return 0;
}

/* halves the bracket (in the logarithm of epsilon) until the errors agree */
static int bisect(search *s, double low, double high, calibration *result) {
  double at_low, value = INFINITY, epsilon = NAN;
  if (excess(s, low, &at_low)) return -1;
  for (int i = 0; i < BISECTIONS && fabs(value) > agreement; i++) {
    epsilon = sqrt(low * high);
    if (excess(s, epsilon, &value)) return -1;
    if ((value > 0.0) == (at_low > 0.0))
      low = epsilon;
    else
      high = epsilon;
  }
  // a jump of the error between two neighbouring epsilons is no agreement
  if (fabs(value) > CALIBRATION_AGREEMENT) {
    snprintf(result->status, sizeof result->status, "no root: the error jumps at epsilon %.6g",
             epsilon);
    return 0;
  }
  result->epsilon = epsilon;
  result->rms_projection = s->target * exp(value);
  snprintf(result->status, sizeof result->status, "ok");
  return 0;
}

/* deepest compression of the exact solution */
static double penetration_of(const contest_starts *starts) {
  const trajectory *const exact = &starts->references[0];
  double lowest = INFINITY;
  for (size_t i = 0; i < exact->count; i++)
    lowest = fmin(lowest, exact->states[i * exact->dimension]);
  return hopper_get(starts->m)->free_length - lowest;
}

/* all that needs the starts */
static int calibrate(search *s, calibration *result) {
  double low, high;
  bool found;
  result->penetration = penetration_of(s->starts);
  if (!(result->penetration > scan_min)) {
    snprintf(result->status, sizeof result->status, "no root: the spring is never compressed");
    return 0;
  }
  if (error_of(s, &bridge_solver, &s->target)) return -1;
  result->rms_mujoco = s->target;
  if (bracket(s, result, &low, &high, &found)) return -1;
  return found ? bisect(s, low, high, result) : 0;
}

int calibrate_hopper(const model *m, unsigned long seed, calibration *result,
                     char message[SOLVER_MESSAGE_SIZE]) {
  const hopper_parameters *const hopper = hopper_get(m);
  *result = (calibration){.stiffness_over_mass = hopper->stiffness / hopper->mass,
                          .epsilon = NAN,
                          .rms_mujoco = NAN,
                          .rms_projection = NAN};
  contest_starts starts;
  search s = {.starts = &starts, .settings = calibration_settings(m), .message = message};
  if (same_system(&bridge_solver, m, &s.settings, seed, &result->gap, message)) return -1;
  if (contest_starts_alloc(&starts, m, 1, false, seed, message)) return -1;
  int status = contest_reference(&starts, 0, message);
  if (!status) status = calibrate(&s, result);
  contest_starts_free(&starts);
  return status;
}

/* ---- for studies that race by the paper's method --------------------------------------------- */

/* of an earlier calibration in the folder; NaN when there is none */
static double earlier_epsilon(const study_run *run) {
  char path[RECORD_PATH_SIZE], message[MEASURE_MESSAGE_SIZE];
  if (access(record_path(path, run->folder, "calibration.json"), F_OK)) return NAN;
  json_t *const earlier = measure_json_read(path, message);
  if (!earlier) fprintf(stderr, "warning: calibrating again: %s\n", message);
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
  if (!status) status = calibrate_hopper(&hopper, run->seed, &result, run->message);
  model_release(&hopper);
  if (status) return -1;
  *source = "calibrated for this sweep";
  *epsilon = result.epsilon;
  if (!isnan(result.epsilon)) return 0;
  return measure_fail(run->message, "calibration: %s", result.status);
}
