/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The solver seam. A solver is one file that exports one `const solver_type`, and one line in the
 * table of solvers.c: the projection integrator, MuJoCo and every baseline alike. It is
 * prepared once for a model, run many times from given starts into the caller's sample buffer, and
 * released. Protocols know only this interface. */
#ifndef SOLVER_H
#define SOLVER_H

#include <stdio.h>

#include "model.h"

enum { SOLVER_MESSAGE_SIZE = 512 };

/* Why a solver did not do what it was asked; 0 is success. */
typedef enum solver_status {
  SOLVER_FAILED = -1,            /* it tried */
  SOLVER_REFUSED = MODEL_REFUSED /* it cannot do this model, or not with these settings */
} solver_status;

/* Says why in a message of that size, one line, and is the status to return with it. */
#define SOLVER_FAIL(message, ...)                                                                  \
  (snprintf(message, SOLVER_MESSAGE_SIZE, __VA_ARGS__), SOLVER_FAILED)
#define SOLVER_REFUSE(message, ...)                                                                \
  (snprintf(message, SOLVER_MESSAGE_SIZE, __VA_ARGS__), SOLVER_REFUSED)

/* The settings that a protocol may change; a solver reads those that concern it. Start from
 * solver_settings_default().
 */
typedef struct solver_settings {
  double epsilon;        /* neighbourhood half-width, m */
  double rtol, atol;     /* tolerances of integration; of libess, of crossings too */
  double h_max;          /* largest internal step of an adaptive solver, s; may be INFINITY */
  double projection_max; /* longest projection, s: a guard further off is not yet inside its
                            neighbourhood; 0: 2 s for each m of epsilon, between a thousandth of
                            the output step and all of it; may be INFINITY */
  double time_step;      /* step of a fixed-step solver, s; 0: the output step */
  int order;             /* of the projection: 1 or 2 */
  double scaling;        /* MuJoCo: divides the contact's added mass */
  const char *variant;   /* one of the solver's own variants, by name; NULL: its default */

  /* Optional: told now and then what time a run has reached. For runs that a user waits for, not
   * for those that are raced. */
  void (*reached)(double t, void *context);
  void *reached_context;

  /* Optional, of libess alone: told of each impact. As above, not for what is raced. */
  int (*impact)(const ess_impact *impact, void *context);
  void *impact_context;

  /* The same of where slides begin and end. */
  int (*slide)(const ess_slide_info *info, void *context);
  void *slide_context;
} solver_settings;

solver_settings solver_settings_default(void);

/* The uniform output grid t_i = i*dt, i = 0 .. count-1, and the caller's buffer count*n. */
typedef struct solver_output {
  const double *times;
  double dt;
  size_t count;
  double *states;
} solver_output;

/* The counters of one run. A solver leaves the counters that it does not have at 0. */
typedef struct solver_report {
  uint64_t events; /* crossings that change the field */
  uint64_t steps, rejected, entries, projections;
  uint64_t through; /* of steps: those that went through crossings */
  uint64_t field_evaluations, event_evaluations;
  char message[SOLVER_MESSAGE_SIZE]; /* why a run failed, one line */
  const char *reason; /* the same without time and place, where the solver knows one; static */

  /* s; when the impacts that ended a run accumulate, and the last output row has the state there;
   * 0: none do */
  double accumulation;
} solver_report;

typedef struct solver_type {
  const char *name, *summary;

  /* Names that settings.variant may have, NULL-terminated, the default first; NULL: there are no
   * variants. prepare may still refuse one. */
  const char *const *variants;

  bool tells_impacts; /* calls settings.impact */
  bool tells_slides;  /* calls settings.slide */

  /* Allocates and compiles what runs will need. 0 and *instance, or a solver_status with one line.
   * `m` outlives the instance. A solver that cannot do this model refuses it here. */
  int (*prepare)(const model *m, const solver_settings *settings, const solver_output *output,
                 void **instance, char message[SOLVER_MESSAGE_SIZE]);

  /*
   * The timed region: reset to x0, integrate, write the state at every output time. `output` has
   * the times and count given to prepare. 0, or -1 with report->message.
   */
  int (*run)(void *instance, const double x0[], const solver_output *output, solver_report *report);

  /* Untimed, optional: completes the report of the last run (event counts an engine does not give).
   */
  int (*inspect)(void *instance, const solver_output *output, solver_report *report);

  void (*release)(void *instance);
} solver_type;

#endif
