/*
 * The table of models, and their parameters by name: defaults, text to number, refusals.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _POSIX_C_SOURCE 200809L /* newlocale, uselocale */

#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "affine3.h"
#include "ball.h"
#include "contact_models.h"
#include "corner_springs.h"
#include "hopper.h"
#include "legged.h"
#include "model.h"
#include "plate.h"
#include "projectile.h"
#include "slides.h"
#include "slip.h"
#include "trot.h"
#include "walker.h"

enum { LIST_SIZE = 200, NUMBER_SIZE = 32 };

const model_type *const model_types[] = {&affine3_type,  &ball_type,   &ball_under_ceiling_type,
                                         &belt_type,     &blocks_type, &block_on_springs_type,
                                         &hill_type,     &hopper_type, &legged_type,
                                         &particle_type, &plate_type,  &projectile_type,
                                         &relay_type,    &rhex_type,   &rocking_block_type,
                                         &slip_type,     &trot_type,   &trot_on_springs_type,
                                         &walker_type,   NULL};

const model_type *model_find(const char *name) {
  for (size_t i = 0; model_types[i]; i++) {
    if (strcmp(model_types[i]->name, name) == 0) return model_types[i];
  }
  return NULL;
}

/* The calling thread's locale set aside for the C locale, until c_locale_leave. */
typedef struct c_locale {
  locale_t c, before;
} c_locale;

static c_locale c_locale_enter(void) {
  c_locale l = {.c = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
  l.before = l.c ? uselocale(l.c) : (locale_t)0;
  return l;
}

static void c_locale_leave(c_locale l) {
  if (!l.c) return;
  uselocale(l.before);
  freelocale(l.c);
}

/* Appends to a zero-terminated buffer of `size` bytes, cutting what does not fit. */
__attribute__((format(printf, 3, 4))) static void append(char *buffer, size_t size,
                                                         const char *format, ...) {
  const size_t used = strlen(buffer);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(buffer + used, size - used, format, arguments);
  va_end(arguments);
}

/* "a, b, c" with the last separator given, for example " or ". */
static void append_name(char *list, const char *name, bool first, bool last, const char *word) {
  append(list, LIST_SIZE, "%s%s", first ? "" : last ? word : ", ", name);
}

static size_t choice_count(const model_parameter *p) {
  size_t count = 0;
  while (p->choices[count]) count++;
  return count;
}

/* "NAME: TEXT is not accepted; it is WHAT". Returns -1. */
static int refuse(const model_parameter *p, const char *text, char message[MODEL_MESSAGE_SIZE]) {
  const c_locale l = c_locale_enter();
  message[0] = '\0';
  append(message, MODEL_MESSAGE_SIZE, "%s: %.40s is not accepted; it is ", p->name,
         *text ? text : "an empty value");
  if (p->choices) {
    char list[LIST_SIZE] = "";
    const size_t count = choice_count(p);
    for (size_t i = 0; i < count; i++) {
      append_name(list, p->choices[i], i == 0, i + 1 == count, " or ");
    }
    append(message, MODEL_MESSAGE_SIZE, "%s", list);
  } else {
    append(message, MODEL_MESSAGE_SIZE, "a %s from %.10g to %.10g",
           p->integer ? "whole number" : "number", p->min, p->max);
  }
  c_locale_leave(l);
  return -1;
}

/* Index of a parameter, or parameter_count. */
static size_t find_parameter(const model_type *type, const char *name) {
  size_t i = 0;
  while (i < type->parameter_count && strcmp(type->parameters[i].name, name) != 0) i++;
  return i;
}

static int refuse_name(const model_type *type, const char *name, char message[MODEL_MESSAGE_SIZE]) {
  char list[LIST_SIZE] = "";
  for (size_t i = 0; i < type->parameter_count; i++) {
    const bool last = i + 1 == type->parameter_count;
    append_name(list, type->parameters[i].name, i == 0, last, " and ");
  }
  message[0] = '\0';
  append(message, MODEL_MESSAGE_SIZE, "%.20s: %s has no such parameter; it has %s", name,
         type->name, list);
  return -1;
}

static bool in_range(const model_parameter *p, double value) {
  const bool whole = !(p->integer || p->choices) || value == floor(value);
  return isfinite(value) && whole && value >= p->min && value <= p->max;
}

/* A plain decimal number and nothing else: no blanks, hexadecimal, nan or inf, no comma. */
static bool parse_number(const char *text, double *value) {
  if (*text == '\0' || text[strspn(text, "0123456789+-.eE")] != '\0') return false;
  const c_locale l = c_locale_enter();
  char *end = NULL;
  *value = strtod(text, &end);
  c_locale_leave(l);
  return l.c && *end == '\0';
}

static bool parse_choice(const model_parameter *p, const char *text, double *value) {
  for (size_t i = 0; p->choices[i]; i++) {
    if (strcmp(p->choices[i], text) != 0) continue;
    *value = (double)i;
    return true;
  }
  return false;
}

void model_init(model *m, const model_type *type) {
  *m = (model){.type = type};
  for (size_t i = 0; i < type->parameter_count; i++) m->value[i] = type->parameters[i].initial;
}

int model_set_text(model *m, const char *name, const char *text, char message[MODEL_MESSAGE_SIZE]) {
  const size_t i = find_parameter(m->type, name);
  if (i == m->type->parameter_count) return refuse_name(m->type, name, message);
  const model_parameter *p = &m->type->parameters[i];
  double value = NAN;
  const bool read = p->choices ? parse_choice(p, text, &value) : parse_number(text, &value);
  if (!read || !in_range(p, value)) return refuse(p, text, message);
  m->value[i] = value;
  return 0;
}

int model_set(model *m, const char *name, double value, char message[MODEL_MESSAGE_SIZE]) {
  const size_t i = find_parameter(m->type, name);
  if (i == m->type->parameter_count) return refuse_name(m->type, name, message);
  if (!in_range(&m->type->parameters[i], value)) {
    char text[NUMBER_SIZE] = "";
    const c_locale l = c_locale_enter();
    append(text, sizeof text, "%.17g", value);
    c_locale_leave(l);
    return refuse(&m->type->parameters[i], text, message);
  }
  m->value[i] = value;
  return 0;
}

double model_get(const model *m, const char *name) {
  const size_t i = find_parameter(m->type, name);
  return i == m->type->parameter_count ? NAN : m->value[i];
}

int model_prepare(model *m, char message[MODEL_MESSAGE_SIZE]) {
  model_release(m);
  const int status = m->type->prepare(m, message);
  const size_t states = m->system.dimension;
  if (status || states <= MODEL_DIMENSION_MAX) return status;
  snprintf(message, MODEL_MESSAGE_SIZE, "%s has %zu states; up to %d are accepted", m->type->name,
           states, MODEL_DIMENSION_MAX);
  model_release(m);
  return MODEL_REFUSED;
}

void model_release(model *m) {
  if (m->data) m->type->release(m);
  m->data = NULL;
  m->system = (ess_system){0};
}

void model_case_name(const model *m, char name[MODEL_NAME_SIZE]) {
  const char *const slash = m->file ? strrchr(m->file, '/') : NULL;
  snprintf(name, MODEL_NAME_SIZE, "%s", slash ? slash + 1 : m->file ? m->file : m->type->name);
}

size_t model_contacts(const model *m) {
  return m->type->contact_count ? m->type->contact_count(m) : 0;
}

const char *model_state_name(const model *m, size_t i) {
  return m->type->state_names ? m->type->state_names[i] : m->type->state_name(m, i);
}

size_t model_state_place(const model *m, const char *name) {
  size_t i = 0;
  while (i < m->system.dimension && strcmp(model_state_name(m, i), name) != 0) i++;
  return i;
}

double model_energy(const model *m, const double x[], double work[]) {
  if (!m->type->mechanics || !m->type->penetrations) return NAN;
  model_mechanics of;
  m->type->mechanics(m, &of);
  m->type->penetrations(m, x, work, work + of.contacts);
  double energy = 0.0;
  for (size_t j = 0; j < of.coordinates; j++) {
    const double position = x[j], rate = x[of.coordinates + j];
    energy += (0.5 * rate * rate - of.free_acceleration[j] * position) / of.inverse_mass[j];
  }
  for (size_t i = 0; i < of.contacts; i++)
    if (work[i] > 0.0) energy += 0.5 * of.stiffness * work[i] * work[i];
  return energy;
}
