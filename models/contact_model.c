/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "contact_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const contact_answers[] = {"no", "yes", NULL};

/* impacts slower than this are as good as none, m/s */
static const double complete_below = 1e-8;

int contact_model_prepare(model *m, contact_model *of, double delta_t,
                          char message[MODEL_MESSAGE_SIZE]) {
  const char *wrong = of ? contact_system_refused(&of->m, delta_t) : NULL;
  if (of && !wrong) wrong = mechanism_refused_at(&of->m, of->start);
  if (!of || wrong || contact_system_prepare(&of->s, &of->m, delta_t)) {
    snprintf(message, MODEL_MESSAGE_SIZE, "%s: %s", m->type->name, wrong ? wrong : "out of memory");
    free(of);
    return wrong ? MODEL_REFUSED : -1;
  }
  if (of->completes) contact_system_complete(&of->s, complete_below);
  m->data = of;
  m->system = of->s.system;
  return 0;
}

void contact_model_release(model *m) {
  contact_model *const p = m->data;
  contact_system_release(&p->s);
  free(p);
}

void contact_model_initial_state(const model *m, double x0[]) {
  const contact_model *const p = m->data;
  memcpy(x0, p->start, m->system.dimension * sizeof *x0);
}

void contact_model_random_state(const model *m, gsl_rng *rng, double x0[]) {
  (void)rng;
  contact_model_initial_state(m, x0);
}

bool contact_model_changes_field(const model *m, size_t guard, const double sign[]) {
  (void)m, (void)guard, (void)sign;
  return true;
}

/* "{left, right}" */
static void name_mode(const contact_model *p, contact_mode mode, char text[MODEL_MODE_SIZE]) {
  size_t used = 1, count = 0;
  text[0] = '{';
  for (size_t k = 0; k < p->m.constraints && used < MODEL_MODE_SIZE; k++)
    if (mode & CONTACT(k))
      used += (size_t)snprintf(text + used, MODEL_MODE_SIZE - used, "%s%s", count++ ? ", " : "",
                               p->names[k]);
  if (used < MODEL_MODE_SIZE) snprintf(text + used, MODEL_MODE_SIZE - used, "}");
}

int contact_model_describe_impact(const model *m, const ess_impact *impact, model_impact *out) {
  contact_model *const p = m->data;
  contact_transition made;
  if (contact_system_replay(&p->s, impact, &made)) return -1;
  out->t = impact->t;
  out->solutions = made.solutions;
  out->count = 0;
  for (size_t k = 0; k < p->m.constraints; k++) {
    if (!(made.landed & CONTACT(k))) continue;
    out->landed[out->count].contact = p->names[k];
    out->landed[out->count].speed = made.speed[k];
    out->landed[out->count++].impulse = 0 - made.impulse.value[k];
  }
  name_mode(p, made.before, out->before);
  name_mode(p, made.held, out->held);
  name_mode(p, made.after, out->after);
  return 0;
}

int contact_model_describe_start(const model *m, const double x0[], char mode[MODEL_MODE_SIZE]) {
  contact_model *const p = m->data;
  contact_mode chosen;
  const int wrong = contact_system_start(&p->s, x0, &chosen);
  if (!wrong) name_mode(p, chosen, mode);
  return wrong ? -1 : 0;
}
