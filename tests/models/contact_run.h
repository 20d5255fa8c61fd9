/*
 * A model with contact modes run by libess, and what its instants did.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CONTACT_RUN_H
#define CONTACT_RUN_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "contact_model.h"
#include "contact_models.h"

enum { CONTACT_RUN_MAX = 1000 };

typedef struct contact_run {
  model m;
  size_t count;
  model_impact impact[CONTACT_RUN_MAX];
  double x[MODEL_DIMENSION_MAX], t, zeno;
  char first[MODEL_MODE_SIZE]; /* the mode that it starts in */
  int status;
  double stray; /* the largest gap, or speed, of a contact in the mode, at the ends of steps */
} contact_run;

static inline int contact_run_impact(const ess_impact *impact, void *context) {
  contact_run *const r = context;
  assert_true(r->count < CONTACT_RUN_MAX);
  return r->m.type->describe_impact(&r->m, impact, &r->impact[r->count++]);
}

static inline int contact_run_step(const ess_step_info *info, void *context) {
  contact_run *const r = context;
  contact_model *const p = r->m.data;
  kkt_at(p->s.c.elsewhere, info->x, info->x + p->m.coordinates);
  for (size_t k = 0; k < p->m.constraints; k++) {
    if (!(p->s.mode & CONTACT(k))) continue;
    r->stray = fmax(r->stray, fabs(p->s.c.elsewhere->speed[k]));
    if (mechanism_is_normal(&p->m, k)) r->stray = fmax(r->stray, fabs(p->s.c.elsewhere->a[k]));
  }
  return 0;
}

/* Pairs of names and values, ended by NULL, from the model's own start to its duration. Release
 * r->m afterwards. */
static inline void contact_run_with(contact_run *r, const model_type *type, const char *const set[],
                                    double rtol) {
  char message[MODEL_MESSAGE_SIZE];
  memset(r, 0, sizeof *r);
  model_init(&r->m, type);
  for (size_t i = 0; set[i]; i += 2)
    if (model_set_text(&r->m, set[i], set[i + 1], message)) fail_msg("%s", message);
  if (model_prepare(&r->m, message)) fail_msg("%s", message);
  ess_options options = ess_options_default();
  options.rtol = rtol;
  options.atol = rtol / 100;
  options.observer =
      (ess_observer){.impact = contact_run_impact, .step = contact_run_step, .context = r};
  type->initial_state(&r->m, r->x);
  assert_int_equal(type->describe_start(&r->m, r->x, r->first), 0);
  ess_driver *const d = ess_driver_alloc(&r->m.system, &options, NULL);
  assert_non_null(d);
  r->status = ess_driver_apply(d, &r->t, model_get(&r->m, "duration"), r->x);
  r->zeno = r->status == ESS_EZENO ? ess_driver_failure(d)->time : NAN;
  ess_driver_free(d);
}

#define CONTACT_RUN(r, type, ...)                                                                  \
  contact_run_with(r, type, (const char *const[]){__VA_ARGS__ NULL}, 1e-8)

static inline void assert_near(double value, double expected, double within) {
  if (!(fabs(value - expected) <= within))
    fail_msg("%.12g is not %.12g within %g", value, expected, within);
}

#endif
