/*
 * What one call of each callback of a model costs, at states along a trajectory.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>

#include "speed.h"

/* states a sample calls at, samples, and how long one lasts at least */
enum { STATES = 256, SAMPLES = 31 };
static const double sample_s = 5e-4;

const char *const speed_callback_names[SPEED_CALLBACKS] = {
    [SPEED_FIELD_CALL] = "field",
    [SPEED_GUARDS_CALL] = "guards",
    [SPEED_RATES_CALL] = "guard_rates",
    [SPEED_SOME_CALL] = "some_guard_rates of 1",
    [SPEED_MORE_CALL] = "some_guard_rates of 8",
};

/* what callbacks are called with; owned */
typedef struct calls {
  const ess_system *system;
  const double *states[STATES]; /* the reference's */
  double *sign, *h, *rate;      /* guard_count and some to spare */
  double field[MODEL_DIMENSION_MAX];
  size_t which[SPEED_MORE];
} calls;

static int call_field(void *context, size_t trial) {
  calls *const c = context;
  const ess_system *const s = c->system;
  (void)trial;
  int failed = 0;
  for (size_t i = 0; i < STATES; i++)
    failed |= s->field(0.0, c->states[i], c->sign, c->field, s->params);
  return failed;
}

static int call_guards(void *context, size_t trial) {
  calls *const c = context;
  const ess_system *const s = c->system;
  (void)trial;
  int failed = 0;
  for (size_t i = 0; i < STATES; i++) failed |= s->guards(c->states[i], c->h, s->params);
  return failed;
}

static int call_rates(void *context, size_t trial) {
  calls *const c = context;
  const ess_system *const s = c->system;
  (void)trial;
  int failed = 0;
  for (size_t i = 0; i < STATES; i++)
    failed |= s->guard_rates(c->states[i], c->field, c->h, c->rate, s->params);
  return failed;
}

static int call_some(calls *c, size_t count) {
  const ess_system *const s = c->system;
  int failed = 0;
  for (size_t i = 0; i < STATES; i++)
    failed |=
        s->some_guard_rates(c->states[i], c->field, c->which, count, c->h, c->rate, s->params);
  return failed;
}

static int call_one(void *context, size_t trial) {
  (void)trial;
  return call_some(context, 1);
}

static int call_more(void *context, size_t trial) {
  (void)trial;
  return call_some(context, SPEED_MORE);
}

/* states evenly along the reference, every other contact latched as pressed */
static int lay_out(calls *c, const speed_case *of, speed_form form) {
  const trajectory *const t = &of->starts.references[0];
  const size_t m = of->form[form].system.guard_count;
  *c = (calls){.system = &of->form[form].system};
  c->sign = calloc(m + 1, sizeof *c->sign);
  c->h = calloc(m + SPEED_MORE, sizeof *c->h);
  c->rate = calloc(m + SPEED_MORE, sizeof *c->rate);
  if (!c->sign || !c->h || !c->rate) return -1;
  for (size_t i = 0; i < STATES; i++)
    c->states[i] = t->states + i * (t->count - 1) / (STATES - 1) * t->dimension;
  for (size_t k = 0; k < m; k++) c->sign[k] = k % 2 ? -1.0 : 1.0;
  for (size_t i = 0; i < SPEED_MORE; i++) c->which[i] = i * m / SPEED_MORE;
  return c->system->mode_changed ? c->system->mode_changed(c->sign, m, c->system->params) : 0;
}

/* those callbacks that the model has; returns how many, and which in callback[] */
static size_t enter(calls *c, measure_candidate candidates[], speed_callback callback[]) {
  int (*const run[SPEED_CALLBACKS])(void *, size_t) = {call_field, call_guards, call_rates,
                                                       call_one, call_more};
  const bool has[SPEED_CALLBACKS] = {true, true, c->system->guard_rates != NULL,
                                     c->system->some_guard_rates != NULL,
                                     c->system->some_guard_rates != NULL};
  size_t count = 0;
  for (size_t i = 0; i < SPEED_CALLBACKS; i++) {
    if (!has[i]) continue;
    callback[count] = (speed_callback)i;
    candidates[count++] = (measure_candidate){.name = "", .run = run[i], .context = c};
  }
  return count;
}

static int time_form(speed_case *of, speed_form form, unsigned long seed) {
  calls c;
  measure_candidate candidates[SPEED_CALLBACKS];
  speed_callback callback[SPEED_CALLBACKS];
  double seconds[SPEED_CALLBACKS * SAMPLES];
  const measure_plan plan = {
      .trials = SAMPLES, .seed = seed, .min_time_s = sample_s, .warmup_runs = 1};
  const measure_bootstrap options = measure_bootstrap_default(seed);
  speed_costs *const costs = &of->costs[form];
  for (size_t i = 0; i < SPEED_CALLBACKS; i++) costs->call[i] = (measure_interval){NAN, NAN, NAN};
  int status = lay_out(&c, of, form) ? MEASURE_ENOMEM : MEASURE_SUCCESS;
  const size_t count = status ? 0 : enter(&c, candidates, callback);
  if (!status) status = measure_interleave(candidates, count, &plan, seconds, NULL, NULL);
  for (size_t i = 0; !status && i < count; i++) {
    double *const samples = seconds + i * SAMPLES;
    for (size_t j = 0; j < SAMPLES; j++) samples[j] /= STATES;
    status = measure_bootstrap_median(samples, SAMPLES, &options, &costs->call[callback[i]]);
  }
  free(c.sign);
  free(c.h);
  free(c.rate);
  return status;
}

int speed_time_callbacks(speed_case *c, unsigned long seed, char *message) {
  int status = 0;
  for (size_t k = 0; !status && k < c->forms; k++) status = time_form(c, (speed_form)k, seed);
  if (status) measure_message(message, "timing of callbacks: %s", measure_strerror(status));
  return status ? -1 : 0;
}
