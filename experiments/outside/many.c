/*
 * Many independent systems in one, compiled: thermostats and spiking neurons. Ways to integrate
 * them: libess, with one step for all or each system by itself, and solvers without events in steps
 * of at most a length, after each of which the systems switch: Dormand and Prince's method, which
 * is libess's own, and CVODE's Adams methods. Prints `EVALUATIONS EVENTS SECONDS` (of the
 * processor, the least of several runs), and then the temperature or the recovery variable u of
 * each system at the end.
 *
 * usage: many thermostats|neurons libess|each|dopri5|cvode COUNT SETTING < THREE NUMBERS OF EACH
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#include <time.h>

#include "ess.h"

static const double WARM = 32.0, UPPER = 20.5, LOWER = 19.5; /* degC */
static const double SPIKE = 30.0;                            /* mV */
static const double LOOSE = 1e-3;      /* tolerance of solvers whose steps are bounded */
static const double LONG_ENOUGH = 0.3; /* s, after which a run is not repeated */
enum { RUNS_MOST = 9, STEPS_MOST = 400000, MODEL_MOST = 100000000 };

typedef struct kind kind;

/* The systems of a run. Each has three numbers. A thermostat has the rate at which it approaches
 * the temperature outside, what its cooler adds to that temperature, and its first temperature. A
 * neuron has its v after a spike, what a spike adds to its u, and its current. */
typedef struct population {
  const kind *is;
  size_t count;
  const double *a, *b, *c; /* [count] each */
  double *on;              /* [count], whether coolers are on, 1 or 0: for solvers without events */
  uint64_t evaluations, events;
} population;

/* A population as a system of libess. */
typedef struct model {
  ess_system system;
  ess_reset_matrix resets;
  size_t *row, *guard;
  signed char *effect;
  ess_guard_kind *kinds;
} model;

struct kind {
  double duration;
  size_t states, result; /* of a system, and the one whose error is measured */
  void (*begin)(const population *p, double x[]);
  void (*rates)(const population *p, const double x[], double f[]);
  bool (*switches)(const population *p, double x[]); /* whether anything has, after a step */
  bool is_anew; /* the states have jumped then, and not the rates alone */
  int (*describe)(population *p, model *m);
};

/* ---- thermostats ----------------------------------------------------------------------------- */

static void begin_thermostats(const population *p, double T[]) {
  for (size_t k = 0; k < p->count; k++) {
    T[k] = p->c[k];
    p->on[k] = T[k] > UPPER;
  }
}

static void thermostat_rates(const population *p, const double T[], double f[]) {
  for (size_t k = 0; k < p->count; k++) f[k] = (WARM + p->on[k] * p->b[k] - T[k]) * p->a[k];
}

static bool thermostats_switch(const population *p, double T[]) {
  bool any = false;
  for (size_t k = 0; k < p->count; k++) {
    const double on = T[k] > UPPER ? 1.0 : T[k] < LOWER ? 0.0 : p->on[k];
    any |= on != p->on[k];
    p->on[k] = on;
  }
  return any;
}

/* Two event functions for each: it is switched on at the zero of the first, and off at that of the
 * second. The two signs are always the same. */
static int thermostat_field(double t, const double T[], const double sign[], double f[],
                            void *params) {
  const population *const p = params;
  (void)t;
  for (size_t k = 0; k < p->count; k++)
    f[k] = (WARM + 0.5 * (1.0 + sign[2 * k]) * p->b[k] - T[k]) * p->a[k];
  return 0;
}

static int thermostat_events(double t, const double T[], double h[], void *params) {
  const population *const p = params;
  (void)t;
  for (size_t k = 0; k < p->count; k++) {
    h[2 * k] = T[k] - UPPER;
    h[2 * k + 1] = T[k] - LOWER;
  }
  return 0;
}

static int thermostat_event_rates(double t, const double T[], double vt, const double v[],
                                  const size_t which[], size_t count, double h[], double rate[],
                                  void *params) {
  (void)t, (void)vt, (void)params;
  for (size_t i = 0; i < count; i++) {
    const size_t j = which ? which[i] : i;
    h[i] = T[j / 2] - (j % 2 ? LOWER : UPPER);
    rate[i] = v[j / 2];
  }
  return 0;
}

static int thermostat_start(double t, const double T[], double sign[], bool armed[], void *params) {
  const population *const p = params;
  (void)t, (void)armed;
  for (size_t k = 0; k < p->count; k++) sign[2 * k] = sign[2 * k + 1] = T[k] > UPPER ? 1.0 : -1.0;
  return 0;
}

/* Switching on arms switching off, and the reverse; the other two guards are none. The field is
 * affine in the signs, but switching off sets the sign by which it is, so that no step would go
 * through it. */
static int describe_thermostats(population *p, model *m) {
  const size_t guards = 4 * p->count;
  m->row = calloc(guards + 2, sizeof *m->row);
  m->guard = calloc(2 * p->count, sizeof *m->guard);
  m->effect = calloc(2 * p->count, sizeof *m->effect);
  m->kinds = calloc(guards, sizeof *m->kinds);
  if (!m->row || !m->guard || !m->effect || !m->kinds) return -1;
  size_t entries = 0;
  for (size_t j = 0; j < guards; j++) {
    const size_t on = ESS_GUARD_UP(j / 4 * 2), off = ESS_GUARD_DOWN(j / 4 * 2 + 1);
    m->row[j] = entries;
    m->kinds[j] = j == on || j == off ? ESS_GUARD_CHANGES_FIELD : ESS_GUARD_NONE;
    if (m->kinds[j] == ESS_GUARD_NONE) continue;
    m->guard[entries] = j == on ? off : on;
    m->effect[entries++] = 1;
  }
  m->row[guards] = m->row[guards + 1] = entries;
  m->resets = (ess_reset_matrix){m->row, m->guard, m->effect};
  m->system = (ess_system){.dimension = p->count,
                           .event_count = 2 * p->count,
                           .field = thermostat_field,
                           .event_functions = thermostat_events,
                           .event_rates = thermostat_event_rates,
                           .kinds = m->kinds,
                           .resets = &m->resets,
                           .start = thermostat_start,
                           .params = p};
  return 0;
}

/* ---- neurons --------------------------------------------------------------------------------- */

static void begin_neurons(const population *p, double x[]) {
  for (size_t k = 0; k < p->count; k++) {
    x[k] = -60.0;
    x[p->count + k] = 0.0;
  }
}

static void neuron_rates(const population *p, const double v[], double f[]) {
  const double *const u = v + p->count;
  for (size_t k = 0; k < p->count; k++) {
    f[k] = (0.04 * v[k] + 5.0) * v[k] + 140.0 - u[k] + p->c[k];
    f[p->count + k] = 0.02 * (0.2 * v[k] - u[k]);
  }
}

static void reset(const population *p, double x[], size_t k) {
  x[k] = p->a[k];
  x[p->count + k] += p->b[k];
}

static bool neurons_fire(const population *p, double x[]) {
  bool fires = false;
  for (size_t k = 0; k < p->count; k++) {
    if (!(x[k] > SPIKE)) continue;
    reset(p, x, k);
    fires = true;
  }
  return fires;
}

static int neuron_field(double t, const double x[], const double sign[], double f[], void *params) {
  (void)t, (void)sign;
  neuron_rates(params, x, f);
  return 0;
}

static int neuron_events(double t, const double x[], double h[], void *params) {
  const population *const p = params;
  (void)t;
  for (size_t k = 0; k < p->count; k++) h[k] = x[k] - SPIKE;
  return 0;
}

static int neuron_event_rates(double t, const double x[], double vt, const double v[],
                              const size_t which[], size_t count, double h[], double rate[],
                              void *params) {
  (void)t, (void)vt, (void)params;
  for (size_t i = 0; i < count; i++) {
    const size_t k = which ? which[i] : i;
    h[i] = x[k] - SPIKE;
    rate[i] = v[k];
  }
  return 0;
}

static int spike(ess_impact *impact, void *params) {
  for (size_t i = 0; i < impact->count; i++) {
    reset(params, impact->after, impact->events[i]);
    impact->mode[impact->events[i]] = -1.0;
  }
  return 0;
}

static int describe_neurons(population *p, model *m) {
  static const ess_impacts impacts = {.map = spike};
  m->kinds = calloc(2 * p->count, sizeof *m->kinds);
  if (!m->kinds) return -1;
  for (size_t k = 0; k < p->count; k++) {
    m->kinds[ESS_GUARD_UP(k)] = ESS_GUARD_IMPACT;
    m->kinds[ESS_GUARD_DOWN(k)] = ESS_GUARD_NONE;
  }
  m->system = (ess_system){.dimension = 2 * p->count,
                           .event_count = p->count,
                           .field = neuron_field,
                           .event_functions = neuron_events,
                           .event_rates = neuron_event_rates,
                           .kinds = m->kinds,
                           .impacts = &impacts,
                           .params = p};
  return 0;
}

static const kind thermostats = {.duration = 500.0,
                                 .states = 1,
                                 .result = 0,
                                 .begin = begin_thermostats,
                                 .rates = thermostat_rates,
                                 .switches = thermostats_switch,
                                 .is_anew = false,
                                 .describe = describe_thermostats};
static const kind neurons = {.duration = 100.0,
                             .states = 2,
                             .result = 1,
                             .begin = begin_neurons,
                             .rates = neuron_rates,
                             .switches = neurons_fire,
                             .is_anew = true,
                             .describe = describe_neurons};

/* ---- libess ---------------------------------------------------------------------------------- */

static ess_driver *driver_of(const ess_system *system, const ess_options *options) {
  ess_driver *const driver = ess_driver_alloc(system, options, NULL);
  const char *const why = driver ? NULL : ess_check(system, options);
  if (!driver) fprintf(stderr, "many: %s\n", why ? why : "out of memory");
  return driver;
}

/* A trajectory of a driver from its beginning. */
static int follow(ess_driver *driver, population *p, double x[]) {
  double t = 0.0;
  ess_driver_reset(driver);
  const int status = ess_driver_apply(driver, &t, p->is->duration, x);
  const ess_counters *const c = ess_driver_counters(driver);
  p->evaluations += c->field_evaluations;
  p->events += c->crossings;
  if (status) fprintf(stderr, "many: %s\n", ess_strerror(status));
  return status;
}

/* Integrates `all` in parts of that many systems, each with one step for all of its own. */
static int in_parts(population *all, size_t part, double x[], double tolerance) {
  ess_options options = ess_options_default();
  options.rtol = options.atol = tolerance;
  options.max_steps = options.max_crossings = MODEL_MOST;
  population p = {.is = all->is, .count = part};
  model m = {0};
  double *const own = calloc(part * p.is->states, sizeof *own);
  ess_driver *const driver = !own || p.is->describe(&p, &m) ? NULL : driver_of(&m.system, &options);
  int status = driver ? 0 : -1;
  for (size_t k = 0; !status && k < all->count; k += part) {
    p.a = all->a + k;
    p.b = all->b + k;
    p.c = all->c + k;
    for (size_t i = 0; i < p.is->states; i++)
      memcpy(own + i * part, x + i * all->count + k, part * sizeof *own);
    status = follow(driver, &p, own);
    for (size_t i = 0; i < p.is->states; i++)
      memcpy(x + i * all->count + k, own + i * part, part * sizeof *own);
  }
  all->evaluations = p.evaluations;
  all->events = p.events;
  ess_driver_free(driver);
  free(own);
  free(m.row);
  free(m.guard);
  free(m.effect);
  free(m.kinds);
  return status;
}

static int by_libess(population *p, double x[], double tolerance) {
  return in_parts(p, p->count, x, tolerance);
}

static int by_each(population *p, double x[], double tolerance) {
  return in_parts(p, 1, x, tolerance);
}

/* ---- without events -------------------------------------------------------------------------- */

static int plain_field(double t, const double x[], const double sign[], double f[], void *params) {
  population *const p = params;
  (void)t, (void)sign;
  p->evaluations++;
  p->is->rates(p, x, f);
  return 0;
}

/* A step is anew where something has switched: the rates at its beginning are others. */
static int by_dopri5(population *p, double x[], double step) {
  const ess_system system = {
      .dimension = p->is->states * p->count, .field = plain_field, .params = p};
  ess_options options = ess_options_default();
  options.rtol = options.atol = LOOSE;
  options.h_max = options.h_init = step;
  ess_driver *const driver = driver_of(&system, &options);
  int status = driver ? 0 : -1;
  double t = 0.0;
  const long steps = (long)(p->is->duration / step + 0.5);
  for (long i = 1; !status && i <= steps; i++) {
    status = ess_driver_apply(driver, &t, i < steps ? (double)i * step : p->is->duration, x);
    if (!status && p->is->switches(p, x)) ess_driver_reset(driver);
  }
  ess_driver_free(driver);
  return status;
}

static int cvode_field(double t, N_Vector x, N_Vector f, void *params) {
  return plain_field(t, N_VGetArrayPointer(x), NULL, N_VGetArrayPointer(f), params);
}

/* Its history goes on where the states are continuous, which takes fewer evaluations. */
static int by_cvode(population *p, double values[], double step) {
  SUNContext context;
  if (SUNContext_Create(NULL, &context)) return -1;
  N_Vector x = N_VMake_Serial((sunindextype)(p->is->states * p->count), values, context);
  void *solver = CVodeCreate(CV_ADAMS, context);
  SUNNonlinearSolver iteration = SUNNonlinSol_FixedPoint(x, 0, context);
  int status = CVodeInit(solver, cvode_field, 0.0, x);
  if (!status) status = CVodeSetNonlinearSolver(solver, iteration);
  if (!status) status = CVodeSStolerances(solver, LOOSE, LOOSE);
  if (!status) status = CVodeSetUserData(solver, p);
  if (!status) status = CVodeSetMaxStep(solver, step);
  if (!status) status = CVodeSetStopTime(solver, p->is->duration);
  double t = 0.0;
  for (int steps = 0; !status && t < p->is->duration * (1.0 - 1e-12); steps++) {
    status = steps > STEPS_MOST ? -1 : CVode(solver, p->is->duration, x, &t, CV_ONE_STEP);
    if (status == CV_TSTOP_RETURN) status = 0;
    if (status || !p->is->switches(p, values) || !p->is->is_anew) continue;
    status = CVodeReInit(solver, t, x);
    if (!status) status = CVodeSetStopTime(solver, p->is->duration);
  }
  CVodeFree(&solver);
  SUNNonlinSolFree(iteration);
  N_VDestroy(x);
  SUNContext_Free(&context);
  return status;
}

/* ---- main ------------------------------------------------------------------------------------ */

static const struct way {
  const char *name;
  int (*run)(population *p, double x[], double setting);
} ways[] = {{"libess", by_libess}, {"each", by_each}, {"dopri5", by_dopri5}, {"cvode", by_cvode}};
enum { WAYS = sizeof ways / sizeof *ways };

int main(int count, char **word) {
  if (count != 5) return 2;
  const kind *const is = strcmp(word[1], "neurons") ? &thermostats : &neurons;
  const struct way *way = ways;
  while (way < ways + WAYS && strcmp(way->name, word[2])) way++;
  const size_t n = strtoul(word[3], NULL, 10);
  double *const number = calloc(3 * n, sizeof *number), *const on = calloc(n, sizeof *on);
  double *const x = calloc(is->states * n, sizeof *x);
  if (way == ways + WAYS || !n || !number || !on || !x) return 2;
  for (size_t i = 0; i < 3 * n; i++)
    if (scanf("%lf", number + i) != 1) return 2;
  population p = {is, n, number, number + n, number + 2 * n, on, 0, 0};
  double least = 1e300, all = 0.0;
  for (int run = 0; run < RUNS_MOST && all < LONG_ENOUGH; run++) {
    p.evaluations = p.events = 0;
    is->begin(&p, x);
    const clock_t begun = clock();
    if (way->run(&p, x, atof(word[4]))) return 1;
    const double took = (double)(clock() - begun) / CLOCKS_PER_SEC;
    all += took;
    if (took < least) least = took;
  }
  printf("%lu %lu %.3g\n", (unsigned long)p.evaluations, (unsigned long)p.events, least);
  for (size_t k = 0; k < n; k++) printf("%.17g\n", x[is->result * n + k]);
  free(number);
  free(on);
  free(x);
  return 0;
}
