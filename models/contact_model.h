/*
 * Shared code of models that are mechanisms. Such a model states its mechanism, the names of its
 * constraints and its initial condition, and is a model of `essbench run`.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CONTACT_MODEL_H
#define CONTACT_MODEL_H

#include "contact_system.h"
#include "jumps.h"
#include "model.h"

/* The first member of a model's own data. */
typedef struct contact_model {
  mechanism m;
  const char *const *names; /* [m.constraints] */
  double start[2 * MECHANISM_COORDINATES_MAX];
  bool completes; /* goes on where impacts have accumulated (Corollary 1) */
  contact_system s;
} contact_model;

static const double contact_gravity = 9.81;

extern const char *const contact_answers[]; /* "no", "yes" */

#define CONTACT_DELTA_T                                                                            \
  {                                                                                                \
    "delta-t", 0.03, 0, 1, false, NULL,                                                            \
        "duration for which forces act during an impact (pseudo-impulse), s; 0: none"              \
  }
#define CONTACT_COMPLETE                                                                           \
  { "complete", 0, 0, 1, false, contact_answers, "continue after impacts have accumulated (Zeno)" }
#define CONTACT_DURATION(s)                                                                        \
  { "duration", s, 1e-3, 1000, false, NULL, "duration of the run, s" }

/* `of`, from malloc, with all but `s` filled in, becomes the model's data, or is freed. NULL: out
 * of memory. 0, or -1 with one line. */
int contact_model_prepare(model *m, contact_model *of, double delta_t,
                          char message[MODEL_MESSAGE_SIZE]);

/* Members of model_type. */
void contact_model_release(model *m);
void contact_model_initial_state(const model *m, double x0[]);
void contact_model_random_state(const model *m, gsl_rng *rng, double x0[]);
bool contact_model_changes_field(const model *m, size_t guard, const double sign[]);
int contact_model_describe_impact(const model *m, const ess_impact *impact, model_impact *out);
int contact_model_describe_start(const model *m, const double x0[], char mode[MODEL_MODE_SIZE]);

#define CONTACT_MODEL_MEMBERS                                                                      \
  .time_step = 0.002, .release = contact_model_release,                                            \
  .initial_state = contact_model_initial_state, .random_state = contact_model_random_state,        \
  .reference = jumps_reference, .changes_field = contact_model_changes_field,                      \
  .describe_impact = contact_model_describe_impact,                                                \
  .describe_start = contact_model_describe_start, .reason = contact_system_reason

#endif
