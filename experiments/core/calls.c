/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers.h"
#include "turns.h"

/* states a sample calls at, and how long one lasts at least */
enum { STATES = 256 };
static const double sample_s = 5e-4;

/* ---- counting: the same run with every callback of the system behind one that counts --------- */

/* what stands between libess and a model */
typedef struct counting {
  const model *m;
  const ess_system *system; /* the model's own */
  double *counts;
} counting;

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  counting *const c = params;
  c->counts[COUNT_FIELDS]++;
  return c->system->field(t, x, sign, dxdt, c->system->params);
}

static int event_functions(double t, const double x[], double h[], void *params) {
  counting *const c = params;
  c->counts[COUNT_GUARDS]++;
  return c->system->event_functions(t, x, h, c->system->params);
}

static int event_jacobian(double t, const double x[], double Dh[], void *params) {
  const counting *const c = params;
  return c->system->event_jacobian(t, x, Dh, c->system->params);
}

static int event_rates(double t, const double x[], double vt, const double v[],
                       const size_t which[], size_t count, double h[], double rate[],
                       void *params) {
  counting *const c = params;
  c->counts[which ? COUNT_SOME : COUNT_RATES]++;
  if (which) c->counts[COUNT_SOME_GUARDS] += (double)count;
  return c->system->event_rates(t, x, vt, v, which, count, h, rate, c->system->params);
}

static int mode_changed(const double sign[], size_t guard, void *params) {
  const counting *const c = params;
  return c->system->mode_changed(sign, guard, c->system->params);
}

static int start(double t, const double x[], double sign[], bool armed[], void *params) {
  const counting *const c = params;
  return c->system->start(t, x, sign, armed, c->system->params);
}

/* the system with every callback it has behind one that counts */
static ess_system counted_system(counting *c) {
  ess_system s = *c->system;
  s.params = c;
  s.field = field;
  s.event_functions = event_functions;
  if (s.event_jacobian) s.event_jacobian = event_jacobian;
  if (s.event_rates) s.event_rates = event_rates;
  if (s.mode_changed) s.mode_changed = mode_changed;
  if (s.start) s.start = start;
  return s;
}

static int count_crossing(const ess_crossing_info *info, void *context) {
  const counting *const c = context;
  c->counts[COUNT_CROSSINGS] += c->m->type->changes_field(c->m, info->event, info->sign);
  return 0;
}

int count_calls(const model *m, const solver_settings *settings, const double x0[],
                const solver_output *output, double counts[COUNTS]) {
  counting c = {.m = m, .system = &m->system, .counts = counts};
  const ess_system system = counted_system(&c);
  ess_options options = solver_libess_options(false, settings, output->dt);
  options.observer = (ess_observer){.crossing = count_crossing, .context = &c};
  double t = output->times[0], x[MODEL_DIMENSION_MAX];
  int status;
  ess_driver *const driver = ess_driver_alloc(&system, &options, &status);
  if (!driver) return status;
  memcpy(x, x0, system.dimension * sizeof *x);
  memset(counts, 0, COUNTS * sizeof *counts);
  status = ess_driver_sample(driver, &t, output->times[output->count - 1], x, output->times,
                             output->count, output->states);
  const ess_counters *const counted = ess_driver_counters(driver);
  counts[COUNT_STEPS] = (double)counted->steps;
  counts[COUNT_REJECTED] = (double)counted->rejected;
  counts[COUNT_ENTRIES] = (double)counted->entries;
  counts[COUNT_THROUGH] = (double)counted->through;
  ess_driver_free(driver);
  return status;
}

/* ---- calls ----------------------------------------------------------------------------------- */

const char *const call_names[CALLS] = {
    [CALL_FIELD] = "field",           [CALL_EVENTS] = "guards",
    [CALL_RATES] = "event_rates",     [CALL_SOME] = "event_rates of 1",
    [CALL_MORE] = "event_rates of 8",
};

/* what callbacks are called with; owned */
typedef struct calls {
  const ess_system *system;
  const double *states[STATES]; /* the reference's */
  double *sign, *h, *rate;      /* event_count and some to spare */
  double field[MODEL_DIMENSION_MAX];
  size_t which[CALL_TOGETHER];
} calls;

/* a function that makes one call at each of the states */
#define AT_EACH_STATE(name, ...)                                                                   \
  static int name(void *context, size_t trial) {                                                   \
    calls *const c = context;                                                                      \
    const ess_system *const s = c->system;                                                         \
    (void)trial;                                                                                   \
    int failed = 0;                                                                                \
    for (size_t i = 0; i < STATES; i++) failed |= s->__VA_ARGS__;                                  \
    return failed;                                                                                 \
  }
AT_EACH_STATE(call_field, field(0.0, c->states[i], c->sign, c->field, s->params))
AT_EACH_STATE(call_guards, event_functions(0.0, c->states[i], c->h, s->params))
AT_EACH_STATE(call_rates, event_rates(0.0, c->states[i], 1.0, c->field, NULL, s->event_count, c->h,
                                      c->rate, s->params))
AT_EACH_STATE(call_one,
              event_rates(0.0, c->states[i], 1.0, c->field, c->which, 1, c->h, c->rate, s->params))
AT_EACH_STATE(call_more, event_rates(0.0, c->states[i], 1.0, c->field, c->which, CALL_TOGETHER,
                                     c->h, c->rate, s->params))

/* states evenly along a trajectory, every other contact latched as pressed */
static int lay_out(calls *c, const model *of, const trajectory *along) {
  const size_t m = of->system.event_count;
  *c = (calls){.system = &of->system};
  c->sign = calloc(m + 1, sizeof *c->sign);
  c->h = calloc(m + CALL_TOGETHER, sizeof *c->h);
  c->rate = calloc(m + CALL_TOGETHER, sizeof *c->rate);
  if (!c->sign || !c->h || !c->rate) return MEASURE_ENOMEM;
  for (size_t i = 0; i < STATES; i++)
    c->states[i] = along->states + i * (along->count - 1) / (STATES - 1) * along->dimension;
  for (size_t k = 0; k < m; k++) c->sign[k] = k % 2 ? -1.0 : 1.0;
  for (size_t i = 0; i < CALL_TOGETHER; i++) c->which[i] = i * m / CALL_TOGETHER;
  const ess_system *const s = c->system;
  return s->mode_changed && s->mode_changed(c->sign, m, s->params) ? MEASURE_ECALLBACK
                                                                   : MEASURE_SUCCESS;
}

/* one of the callbacks, if the model has it */
static int time_call(calls *c, call_kind call, unsigned long seed, double seconds[]) {
  static int (*const run[CALLS])(void *, size_t) = {call_field, call_guards, call_rates, call_one,
                                                    call_more};
  const bool rates = c->system->event_rates != NULL;
  const bool has[CALLS] = {true, true, rates, rates, rates};
  const measure_candidate candidate = {.run = run[call], .context = c};
  const measure_turns plan = {.trials = CALL_SAMPLES,
                              .seed = seed,
                              .rounds = 1,
                              .turn_s = sample_s * CALL_SAMPLES,
                              .most_s = 1.0};
  measure_turns_record record = {0};
  for (size_t j = 0; j < CALL_SAMPLES; j++) seconds[j] = NAN;
  if (!has[call]) return MEASURE_SUCCESS;
  const int status = measure_take_turns(&candidate, 1, &plan, seconds, &record);
  for (size_t j = 0; j < CALL_SAMPLES; j++) seconds[j] /= STATES;
  return record.failed ? MEASURE_ECALLBACK : status;
}

int time_calls(const model *m, const trajectory *along, unsigned long seed,
               double seconds[CALLS][CALL_SAMPLES]) {
  calls c;
  int status = lay_out(&c, m, along);
  for (call_kind k = 0; !status && k < CALLS; k++) status = time_call(&c, k, seed, seconds[k]);
  free(c.sign);
  free(c.h);
  free(c.rate);
  return status;
}
