/*
 * What one more contact costs: slopes of the medians over the numbers of contacts, ours, MuJoCo's,
 * and their quotient.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gsl/gsl_fit.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "draws.h"
#include "solvers.h"
#include "speed.h"
#include "statistics.h"

/* two solvers' times, by number of contacts and start, and room for a resample */
typedef struct pair {
  const double *x, *a, *b;
  size_t groups, trials;
  double *drawn, *medians;
} pair;

/* ---- slopes ---------------------------------------------------------------------------------- */

static double slope(const pair *p, const double times[], const size_t pick[], size_t count) {
  double intercept, result, cov00, cov01, cov11, residual;
  for (size_t i = 0; i < p->groups; i++) {
    for (size_t j = 0; j < count; j++) p->drawn[j] = times[i * p->trials + pick[j]];
    if (measure_median(p->drawn, count, &p->medians[i])) return NAN;
  }
  gsl_fit_linear(p->x, 1, p->medians, 1, p->groups, &intercept, &result, &cov00, &cov01, &cov11,
                 &residual);
  return result;
}

static double slope_a(const void *context, const size_t pick[], size_t count) {
  const pair *const p = context;
  return slope(p, p->a, pick, count);
}

static double slope_b(const void *context, const size_t pick[], size_t count) {
  const pair *const p = context;
  return slope(p, p->b, pick, count);
}

static double share(const void *context, const size_t pick[], size_t count) {
  return slope_a(context, pick, count) / slope_b(context, pick, count);
}

/* a statistic of the data themselves, and its interval */
static int interval(const pair *p, const draws *d, draws_statistic *statistic, const size_t all[],
                    measure_interval *out) {
  out->estimate = statistic(p, all, p->trials);
  return draws_interval(d, statistic, p, &out->low, &out->high);
}

int speed_slopes(const double x[], size_t groups, const double a[], const double b[], size_t trials,
                 unsigned long seed, measure_interval *out_a, measure_interval *out_b,
                 measure_interval *out_share) {
  const draws d = {.trials = trials, .processes = 1, .seed = seed};
  pair p = {.x = x, .a = a, .b = b, .groups = groups, .trials = trials};
  if (groups < 2 || trials < 1) return MEASURE_EINVAL;
  p.drawn = calloc(trials + 1, sizeof *p.drawn);
  p.medians = calloc(groups, sizeof *p.medians);
  size_t *const all = calloc(trials, sizeof *all);
  int status = p.drawn && p.medians && all ? MEASURE_SUCCESS : MEASURE_ENOMEM;
  for (size_t j = 0; !status && j < trials; j++) all[j] = j;
  if (!status) status = interval(&p, &d, slope_a, all, out_a);
  if (!status) status = interval(&p, &d, slope_b, all, out_b);
  if (!status) status = interval(&p, &d, share, all, out_share);
  free(p.drawn);
  free(p.medians);
  free(all);
  return status;
}

/* ---- of the cases ---------------------------------------------------------------------------- */

static const speed_entry *find_entry(const speed_case *c, speed_form form) {
  for (size_t k = 0; k < c->count; k++) {
    const speed_entry *const e = &c->entry[k];
    if (e->solver == &libess_solver && e->form == form && strcmp(e->protocol, "equal-error") == 0)
      return e;
  }
  return NULL;
}

/* one form over the cases, where all have it */
static int add_marginal(speed_data *data, const speed_case cases[], size_t count, double room[],
                        speed_form form) {
  const size_t trials = cases[0].trials;
  double *const x = room, *const ours = x + count, *const mujoco = ours + count * trials;
  for (size_t i = 0; i < count; i++) {
    const speed_entry *const e = find_entry(&cases[i], form);
    if (!e) return MEASURE_SUCCESS;
    x[i] = (double)cases[i].contacts;
    memcpy(ours + i * trials, e->seconds, trials * sizeof *ours);
    memcpy(mujoco + i * trials, cases[i].entry[e->rival].seconds, trials * sizeof *mujoco);
  }
  speed_marginal *const m = &data->marginal[data->marginal_count++];
  m->form = form;
  return speed_slopes(x, count, ours, mujoco, trials, data->given->seed, &m->ours, &m->mujoco,
                      &m->share);
}

int speed_marginals(speed_data *data, size_t first, size_t count, char *message) {
  const speed_case *const cases = data->cases + first;
  if (count < 2) return 0;
  double *const room = calloc(count * (2 * cases[0].trials + 1), sizeof *room);
  int status = room ? MEASURE_SUCCESS : MEASURE_ENOMEM;
  for (speed_form f = SPEED_CONTACTS; !status && f < SPEED_FORMS; f++)
    status = add_marginal(data, cases, count, room, f);
  free(room);
  if (status) measure_message(message, "marginal cost: %s", measure_strerror(status));
  return status ? -1 : 0;
}
