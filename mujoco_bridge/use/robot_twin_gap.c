/*
 * How far a twin's field is from MuJoCo's, and from that of the text that says what it is.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robot_instance.h"
#include "solver.h"

/* states along a second of motion, each with its velocities changed at random by up to 1.5 either
 * way */
enum { STATES = 200 };
static const double step = 0.005, shake = 1.5;

/* MuJoCo writes six digits: of contacts so near their beginning the text may say otherwise, m */
static const double blurred = 1e-5;

typedef struct gauge {
  robot *twin, *bare;
  gsl_rng *rng;
  double *x, *drawn, *sign, *h, *ours, *theirs;
  double field, text, length; /* sums of squares */
  robot_twin_gaps *out;
} gauge;

static double *room(gauge *g, size_t n, size_t events) {
  double *const all = calloc(4 * n + 2 * events + 1, sizeof *all);
  if (!all) return NULL;
  g->x = all;
  g->drawn = g->x + n;
  g->ours = g->drawn + n;
  g->theirs = g->ours + n;
  g->sign = g->theirs + n;
  g->h = g->sign + events;
  return all;
}

/* rates of positions beside accelerations, as they are: both fields have the same units */
static double difference(const double a[], const double b[], size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

static int compare(gauge *g) {
  const ess_system *s = robot_system(g->twin);
  const robot_sizes size = robot_size(g->twin);
  bool touches = false, undecided = false;
  memcpy(g->drawn, g->x, size.dimension * sizeof *g->x);
  for (size_t i = size.nq; i < size.nq + size.nv; ++i)
    g->drawn[i] *= shake * (2.0 * gsl_rng_uniform(g->rng) - 1.0);
  if (s->event_functions(0.0, g->drawn, g->h, s->params) != 0) return -1;
  for (size_t k = 0; k < s->event_count; ++k) {
    g->sign[k] = g->h[k] > 0.0 ? 1.0 : -1.0;
    const bool contact = robot_event_is_contact(g->twin, k);
    undecided = undecided || (contact && fabs(g->h[k]) < blurred);
    touches = touches || (contact && g->h[k] > 0.0);
  }
  if (undecided || robot_refused_contact(g->twin, g->drawn)) return 0;
  if (s->field(0.0, g->drawn, g->sign, g->ours, s->params) != 0) return -1;
  if (robot_plain_field(g->twin, g->drawn, g->theirs) != 0) return -1;
  g->field += difference(g->ours, g->theirs, size.dimension);
  for (size_t i = 0; i < size.dimension; ++i) g->length += g->theirs[i] * g->theirs[i];
  if (robot_plain_field(g->bare, g->drawn, g->theirs) != 0) return -1;
  g->text += difference(g->ours, g->theirs, size.dimension);
  g->out->states++;
  g->out->touching += touches;
  return 0;
}

/* a coarse motion visits the region well enough; where it ends early, so do the states */
static int walk(gauge *g) {
  ess_options options = ess_options_default();
  options.rtol = options.atol = 1e-3;
  options.max_steps = options.max_crossings = 1000; // of each stretch
  ess_driver *driver = ess_driver_alloc(robot_system(g->twin), &options, NULL);
  double t = 0.0;
  int status = driver ? compare(g) : -1;
  for (int i = 1; status == 0 && i < STATES; ++i) {
    if (ess_driver_apply(driver, &t, i * step, g->x) != ESS_SUCCESS) break;
    status = compare(g);
  }
  ess_driver_free(driver);
  return status;
}

int robot_twin_gap(robot *r, const double x0[], unsigned long seed, robot_twin_gaps *out,
                   char message[ROBOT_MESSAGE_SIZE]) {
  const robot_sizes size = robot_size(r);
  *out = (robot_twin_gaps){0};
  if (!robot_twin_text(r)) {
    snprintf(message, ROBOT_MESSAGE_SIZE, "it is no twin");
    return SOLVER_REFUSED;
  }
  gauge g = {.out = out, .rng = gsl_rng_alloc(gsl_rng_mt19937)};
  double *const all = room(&g, size.dimension, size.events);
  snprintf(message, ROBOT_MESSAGE_SIZE, "out of memory");
  int status = g.rng && all ? 0 : SOLVER_FAILED;
  if (status == 0) g.twin = robot_clone(r);
  if (status == 0)
    status = g.twin ? robot_open(NULL, robot_twin_text(r), NULL, &g.bare, message) : -1;
  if (status == 0) {
    gsl_rng_set(g.rng, seed);
    memcpy(g.x, x0, size.dimension * sizeof *x0);
    status = walk(&g);
    snprintf(message, ROBOT_MESSAGE_SIZE, "field gap: %.400s",
             *robot_failure(g.twin) ? robot_failure(g.twin) : robot_failure(g.bare));
    out->field = sqrt(g.field / g.length);
    out->text = sqrt(g.text / g.length);
  }
  if (status == 0) message[0] = '\0';
  robot_close(g.bare);
  robot_close(g.twin);
  if (g.rng) gsl_rng_free(g.rng);
  free(all);
  return status;
}
