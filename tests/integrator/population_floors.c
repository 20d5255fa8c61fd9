/*
 * Bodies dropped onto stiff floors, against the truth: `population_floors`. They keep the energy
 * that they should, and come to rest where the floor carries them. Exit 1 when a requirement is not
 * met by the default method. The paper's method is only shown.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "population.h"
#include "truth.h"

/* 1e4 to 1e7 N/m; a floor's damper may pull, or the floor lets go where its force is zero */
enum { STIFFNESSES = 4, DROPS = 5, DAMPERS = 5, FLOORS = STIFFNESSES * DROPS * DAMPERS };
enum { SAMPLES = 200 };
static const double GRAVITY = 9.81, END = 2.0, AT_REST = 1e-9; /* part of the start's energy */

typedef struct a_floor {
  double stiffness, damping, drop;
  bool lets_go, rests;
  hybrid *h;
  double times[SAMPLES], states[2 * SAMPLES]; /* of the truth */
} a_floor;

static void draw_floor(size_t i, a_floor *f) {
  static const double drops[DROPS] = {0.01, 0.03, 0.1, 0.3, 1.0};
  const size_t damper = i % DAMPERS, rest = i / DAMPERS;
  f->drop = drops[rest % DROPS];
  f->stiffness = pow(10.0, 4.0 + (double)(rest / DROPS));
  f->damping = damper == 0 ? 0.0 : damper % 2 ? 100.0 : 0.2 * sqrt(f->stiffness);
  f->lets_go = damper > 2;
  f->h = hybrid_of("k = %.17g; c = %.17g; z' = v; v' = -9.81 - on(depth)%s*(k*z + c*v)\n"
                   "depth: -z; from 0: z = %.17g; to 2\n%s",
                   f->stiffness, f->damping, f->lets_go ? "*on(force)" : "", f->drop,
                   f->lets_go ? "force: -z - c/k*v; silent down depth\n"
                                "unarmed down depth, both force\n"
                                "row up depth: +down force\n"
                                "row down depth: +up depth, -up force\n"
                                "row up force: +down force, -down depth\n"
                                "row down force: +up force, +down depth\n"
                              : "");
}

/* above that of rest on the floor, as a part of the start's */
static double energy_above_rest(const a_floor *f, const double x[]) {
  const double from = x[0] + GRAVITY / f->stiffness;
  return (0.5 * x[1] * x[1] + 0.5 * f->stiffness * from * from) / (GRAVITY * f->drop);
}

static a_floor *floor_of(size_t i) {
  a_floor *const f = calloc(1, sizeof *f);
  if (!f) abort();
  draw_floor(i, f);
  for (int s = 0; s < SAMPLES; s++) f->times[s] = END * (s + 1) / SAMPLES;
  const truth_options options = {.times = f->times, .time_count = SAMPLES};
  const truth_end truth = truth_run(f->h, &options);
  if (truth.status) {
    printf("floor %zu: the truth ends at %g: %s\n", i, truth.t, truth.reason);
    exit(1);
  }
  for (int s = 0; s < 2 * SAMPLES; s++) f->states[s] = truth.states[s];
  free(truth.states);
  f->rests = energy_above_rest(f, truth.x) < AT_REST;
  return f;
}

static void floor_free(a_floor *f) {
  hybrid_free(f->h);
  free(f);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static const struct setting {
  const char *name;
  double tolerance, error_max; /* 0: the defaults */
  ess_base base;
  bool is_paper;
} settings[] = {{"defaults", 0.0, 2e-6, ESS_BASE_DOPRI5, false},
                {"rtol = atol = 1e-4", 1e-4, 1e-2, ESS_BASE_DOPRI5, false},
                {"chosen base", 0.0, 2e-6, ESS_BASE_CHOSEN, false},
                {"chosen base at 1e-4", 1e-4, 1e-2, ESS_BASE_CHOSEN, false},
                {"rkc at 1e-6", 1e-6, 5e-4, ESS_BASE_RKC, false},
                {"paper's method", 0.0, 1e-4, ESS_BASE_DOPRI5, true}};
enum { SETTINGS = sizeof settings / sizeof *settings };

typedef struct outcome {
  int status;
  double error, rtol;
  uint64_t evaluations;
} outcome;

/* the largest error of the energy in flight, and of that above rest, as parts of the start's */
static outcome run(const a_floor *f, const struct setting *s) {
  double states[2 * SAMPLES];
  hybrid_plan plan = {.options = s->is_paper ? ess_options_paper() : ess_options_default(),
                      .gives = 1u << HYBRID_GUARD_RATES,
                      .times = f->times,
                      .time_count = SAMPLES,
                      .states = states};
  if (s->tolerance > 0.0) plan.options.rtol = plan.options.atol = s->tolerance;
  plan.options.base = s->base;
  const hybrid_end end = hybrid_run(f->h, &plan);
  outcome o = {end.status, 0.0, plan.options.rtol, end.counters.field_evaluations};
  if (end.status) return o;
  for (int i = 0; i < SAMPLES; i++) {
    const double *const x = states + 2 * i, *const y = f->states + 2 * i;
    if (!(x[0] > 0.0 && y[0] > 0.0)) continue;
    const double off = 0.5 * (x[1] * x[1] - y[1] * y[1]) + GRAVITY * (x[0] - y[0]);
    o.error = fmax(o.error, fabs(off) / (GRAVITY * f->drop));
  }
  if (f->rests) o.error = fmax(o.error, energy_above_rest(f, end.x));
  return o;
}

static bool is_good(const outcome *o, const struct setting *s) {
  return !o->status && o->error <= s->error_max;
}

/* with --rows: a floor for each seed; the paper's method has no requirement to meet */
static void rows_of(uint64_t seed) {
  if (seed >= FLOORS) return;
  a_floor *const f = floor_of(seed);
  for (int i = 0; i < SETTINGS; i++) {
    const outcome o = run(f, &settings[i]);
    population_row(settings[i].name, seed, o.rtol,
                   settings[i].is_paper                      ? POPULATION_OUT
                   : !o.status && !is_good(&o, &settings[i]) ? POPULATION_WRONG
                                                             : POPULATION_RIGHT,
                   o.error / o.rtol);
  }
  floor_free(f);
}

int main(int argc, char *argv[]) {
  int status;
  if (population_rows(argc, argv, rows_of, &status)) return status;
  size_t broken[SETTINGS] = {0}, rests = 0, required = 0;
  double worst[SETTINGS] = {0.0};
  uint64_t evaluations[SETTINGS] = {0};
  for (size_t i = 0; i < FLOORS; i++) {
    a_floor *const f = floor_of(i);
    rests += f->rests;
    for (int j = 0; j < SETTINGS; j++) {
      const outcome o = run(f, &settings[j]);
      evaluations[j] += o.evaluations;
      worst[j] = fmax(worst[j], o.error);
      if (is_good(&o, &settings[j])) continue;
      broken[j]++;
      required += !settings[j].is_paper;
      if (!settings[j].is_paper)
        printf("k %g, c %g, drop %g, %s, %s: %s, energy %g\n", f->stiffness, f->damping, f->drop,
               f->lets_go ? "lets go" : "pulls", settings[j].name, ess_strerror(o.status), o.error);
    }
    floor_free(f);
  }
  for (int j = 0; j < SETTINGS; j++)
    printf("%-20s %zu of %d not met; an error of energy of %.1e at most; %llu evaluations\n",
           settings[j].name, broken[j], FLOORS, worst[j], (unsigned long long)evaluations[j]);
  printf("%zu rest\n", rests);
  return required || rests < FLOORS / 3 || rests == FLOORS;
}
