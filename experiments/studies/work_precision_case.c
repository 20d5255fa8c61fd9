/*
 * A model with its starts and the points of all methods.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "work_precision.h"

const char *const precision_quantity_names[PRECISION_QUANTITIES] = {
    [PRECISION_SECONDS] = "seconds",
    [PRECISION_RMS] = "rms_error",
    [PRECISION_EVENTS] = "events",
    [PRECISION_STEPS] = "steps",
    [PRECISION_REJECTED] = "rejected",
    [PRECISION_ENTRIES] = "entries",
    [PRECISION_PROJECTIONS] = "projections",
    [PRECISION_FIELDS] = "field_evaluations",
    [PRECISION_GUARDS] = "guard_evaluations",
};

const char *precision_status_name(precision_status status) {
  static const char *const names[] = {
      [PRECISION_OK] = "ok",
      [PRECISION_CROSSINGS] = "crossings",
      [PRECISION_DIVERGED] = "diverged",
      [PRECISION_FAILED] = "failed",
      [PRECISION_UNREACHED] = "not reached",
      [PRECISION_TOO_LONG] = "too long",
      [PRECISION_REFUSED] = "refused",
  };
  return names[status];
}

static size_t values_of(const precision_method *method) {
  size_t count = 0;
  while (method->values[count] > 0.0) count++;
  return count;
}

static int allocate_samples(precision_point *p, size_t trials) {
  for (size_t q = 0; q < PRECISION_QUANTITIES; q++)
    if (!(p->sample[q] = calloc(trials, sizeof *p->sample[q]))) return -1;
  return 0;
}

static void free_samples(precision_point *p) {
  for (size_t q = 0; q < PRECISION_QUANTITIES; q++) free(p->sample[q]);
}

static int allocate_points(precision_case *c, const bool chosen[]) {
  size_t count = 0;
  for (size_t i = 0; i < precision_method_count; i++)
    if (!chosen || chosen[i]) count += values_of(&precision_methods[i]);
  c->point = calloc(count, sizeof *c->point);
  if (!c->point) return -1;
  for (size_t i = 0; i < precision_method_count; i++) {
    const precision_method *const method = &precision_methods[i];
    for (size_t k = 0; (!chosen || chosen[i]) && method->values[k] > 0.0; k++) {
      precision_point *const p = &c->point[c->count++];
      p->method = method;
      p->value = method->values[k];
      p->settings = precision_settings(method, p->value, c->contacts);
      if (allocate_samples(p, c->trials)) return -1;
    }
  }
  return 0;
}

/* error of a state that stays where it started */
static double held_error(const trajectory *reference, const double x0[]) {
  const size_t n = reference->dimension, size = n * reference->count;
  double sum = 0.0;
  for (size_t i = 0; i < size; i++)
    sum += (reference->states[i] - x0[i % n]) * (reference->states[i] - x0[i % n]);
  return sqrt(sum / (double)size);
}

static int find_references(precision_case *c, char *message) {
  for (size_t j = 0; j < c->trials; j++) {
    if (contest_reference(&c->starts, j, message)) return -1;
    c->held[j] =
        held_error(&c->starts.references[j], c->starts.states + j * c->m->system.dimension);
  }
  return 0;
}

size_t precision_contacts(const model *m) {
  return m->type->contact_count ? m->type->contact_count(m) : 0;
}

int precision_case_init(precision_case *c, const model *m, const arguments *given,
                        const bool chosen[], char *message) {
  *c = (precision_case){.given = given, .m = m, .trials = given->trials, .core = -1};
  c->contacts = precision_contacts(m);
  c->gap = (bridge_gap){.gap = NAN, .rms = NAN, .inverse_weight = NAN, .scaling = NAN};
  if (contest_starts_alloc(&c->starts, m, c->trials, true, given->seed, message)) return -1;
  c->held = calloc(c->trials, sizeof *c->held);
  if (!c->held || allocate_points(c, chosen)) {
    measure_message(message, "out of memory");
    return -1;
  }
  precision_case_clear(c);
  return find_references(c, message);
}

void precision_case_free(precision_case *c) {
  for (size_t i = 0; i < c->count; i++) free_samples(&c->point[i]);
  free(c->point);
  free(c->held);
  contest_starts_free(&c->starts);
  *c = (precision_case){0};
}

void precision_case_keep(precision_case *c, const bool keep[]) {
  size_t kept = 0;
  for (size_t i = 0; i < c->count; i++) {
    if (keep[i])
      c->point[kept++] = c->point[i];
    else
      free_samples(&c->point[i]);
  }
  c->count = kept;
}

void precision_case_clear(precision_case *c) {
  for (size_t i = 0; i < c->count; i++) {
    precision_point *const p = &c->point[i];
    p->probed = false;
    p->as = NULL;
    p->message[0] = '\0';
    for (size_t q = 0; q < PRECISION_QUANTITIES; q++) p->first[q] = NAN;
    for (size_t q = 0; q < PRECISION_QUANTITIES; q++)
      for (size_t j = 0; j < c->trials; j++) p->sample[q][j] = NAN;
  }
}

bool precision_is_numbered(const char *name) {
  const model_type *const type = model_find(name);
  for (size_t i = 0; type && i < type->parameter_count; i++)
    if (strcmp(type->parameters[i].name, "contacts") == 0) return true;
  return false;
}

void precision_case_name(const precision_case *c, char name[PRECISION_NAME_SIZE]) {
  if (precision_is_numbered(c->m->type->name))
    snprintf(name, PRECISION_NAME_SIZE, "%s_%zu", c->m->type->name, c->contacts);
  else
    snprintf(name, PRECISION_NAME_SIZE, "%s", c->m->type->name);
}

void precision_take_first(precision_point *p) {
  p->trials = 1;
  for (size_t q = 0; q < PRECISION_QUANTITIES; q++) p->sample[q][0] = p->first[q];
}

bool precision_trial_done(const precision_point *p, size_t trial) {
  return p->probed && (trial >= p->trials || !isnan(p->sample[PRECISION_SECONDS][trial]));
}

bool precision_point_done(const precision_point *p) {
  if (!p->probed) return false;
  for (size_t j = 0; j < p->trials; j++)
    if (!precision_trial_done(p, j)) return false;
  return true;
}
