/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is read off a run of the study of rigid contacts against soft ones. */
#include <math.h>
#include <string.h>

#include "rigid_soft.h"

/* which contact is 0: the corner that the block rests on at first, or a foot */
enum { LEFT };

/* a motion on passive contacts gains no energy, but for what a step sees too late */
static const double gain_max = 0.01;

void track_note_landing(track *t, size_t k, double time, double speed) {
  if (k == LEFT && !isnan(t->first)) t->rises = true;
  if (k == LEFT || !isnan(t->first)) return;
  t->first = time;
  t->speed = speed;
}

double track_of_state(const track *t, const char *name, const double x[]) {
  return x[model_state_place(t->m, name)];
}

/* a block's angle is phi, the landing body's theta */
double track_value(const track *t, const char *name, size_t i) {
  if (strcmp(name, "angle") == 0) name = t->c->trot ? "theta" : "phi";
  if (strcmp(name, "height") == 0) name = "z";
  if (strcmp(name, "rate") == 0) name = "omega";
  return track_of_state(t, name, t->path.states + i * t->path.dimension);
}

double track_distance(const track *a, const track *b, const char *name) {
  double sum = 0.0;
  for (size_t i = 0; i < a->path.count; i++) {
    const double apart = track_value(a, name, i) - track_value(b, name, i);
    sum += apart * apart;
  }
  return sqrt(sum / (double)a->path.count);
}

/* how far the centre is lifted at an angle, but for a factor */
static double lifted(const model *m, double angle) {
  const double leaning = atan2(model_get(m, "width"), model_get(m, "height"));
  return cos(leaning - fabs(angle)) - cos(leaning);
}

/* of a block: the root of the energy of its first swing to the other side over that of its start;
 * the swing's top is that of a parabola through three points */
double track_spin_ratio(const track *t) {
  size_t top = 0;
  for (size_t i = 1; i + 1 < t->path.count; i++)
    if (track_value(t, "angle", i) < track_value(t, "angle", top)) top = i;
  if (top == 0 || track_value(t, "angle", top) >= 0.0) return 0.0;
  const double before = track_value(t, "angle", top - 1), at = track_value(t, "angle", top);
  const double after = track_value(t, "angle", top + 1), bend = before - 2.0 * at + after;
  const double angle = at - 0.125 * (after - before) * (after - before) / bend;
  return sqrt(lifted(t->m, angle) / lifted(t->m, track_value(t, "angle", 0)));
}

bool track_is_stable(const track *t) {
  return t->gain <= gain_max;
}
