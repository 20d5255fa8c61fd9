/*
 * What an input of the fuzz target means.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz_case.h"
#include "draws.h"

#include <float.h>
#include <math.h>

static double power(fuzz_bytes *b, const double values[], size_t count) {
  return values[fuzz_choice(b, count)];
}
#define POWER(b, ...)                                                                              \
  power(b, (const double[]){__VA_ARGS__}, sizeof(double[]){__VA_ARGS__} / sizeof(double))

static void read_tame_options(ess_options *o, fuzz_bytes *b) {
  o->method = fuzz_byte(b) % 4 == 3 ? ESS_METHOD_PAPER : ESS_METHOD_TOLERANCE;
  o->epsilon = POWER(b, 1e-3, 1e-6, 1e-2, 0.1, 1.0, 1e-9);
  o->rtol = POWER(b, 1e-6, 1e-3, 1e-9, 0.0, 1e-1, 1e-2, 1e-4, 1e-10);
  o->atol = POWER(b, 1e-8, 1e-3, 1e-10, 1e-1, 1e-2, 1e-4, 1e-6);
  o->h_max = POWER(b, INFINITY, 1.0, 0.1, 0.02);
  o->h_init = POWER(b, 0.0, 0.0, 1e-3, 0.5);
  o->projection_max = POWER(b, INFINITY, INFINITY, 1e-2, 1e-4);
  o->liveness = POWER(b, 0.0, 0.0, 0.0, 1e-3);
  o->max_steps = 1 + 2 * (uint64_t)fuzz_byte(b);
  o->max_crossings = 1 + (uint64_t)fuzz_byte(b);
  o->order = 1 + fuzz_byte(b) % 2;
}

/* within the accepted ranges, at their far ends */
static void read_wild_options(ess_options *o, fuzz_bytes *b) {
  const uint8_t which = fuzz_byte(b);
  if (which & 1) o->epsilon = POWER(b, 1e-320, 1e-300, 1e-16, 1e10, 1e300, DBL_MAX);
  if (which & 2) o->rtol = POWER(b, 0.0, 1e-320, 1e-17, 0.999);
  if (which & 4) o->atol = POWER(b, 1e-320, 1e-100, 1e-16, 1e10, DBL_MAX);
  if (which & 8) o->h_max = POWER(b, 1e-320, 1e-200, 1e-15, 1e200, DBL_MAX);
  if (which & 16) o->h_init = POWER(b, 1e-320, 1e-200, 1e-15, 1e10, DBL_MAX);
  if (which & 32) o->projection_max = POWER(b, 1e-320, 1e-200, 1e-15, 1e200, DBL_MAX);
  if (which & 64) o->liveness = POWER(b, 1e-320, 1e-15, 1.0, 1e100, DBL_MAX);
  if (which & 128) o->max_steps = o->max_crossings = 1 + fuzz_choice(b, 2);
}

/* anything at all: most of these are refused */
static void read_bad_options(ess_options *o, fuzz_bytes *b) {
  double *const number[] = {&o->epsilon, &o->rtol,     &o->atol,          &o->h_max,
                            &o->h_init,  &o->liveness, &o->projection_max};
  const uint8_t which = fuzz_byte(b);
  for (size_t i = 0; i < sizeof number / sizeof *number; i++)
    if (fuzz_byte(b) % 8 == 7)
      *number[i] = POWER(b, NAN, -1.0, 0.0, INFINITY, -INFINITY, -0.0, 1.0, 0.5);
  if (which & 128) {
    o->max_steps = fuzz_choice(b, 2);
    o->max_crossings = fuzz_choice(b, 2);
    o->order = (int)fuzz_choice(b, 4);
    o->method = (ess_method)fuzz_choice(b, 3);
  }
}

static void read_command(command *c, fuzz_bytes *b, bool wild) {
  static const action actions[] = {APPLY, SAMPLE, APPLY, SAMPLE, CHANGE, RESET, SAMPLE, REFUSED};
  *c = (command){.action = actions[fuzz_choice(b, sizeof actions / sizeof *actions)]};
  c->duration = fuzz_byte(b) / 64.0;
  if (wild && fuzz_byte(b) % 4 == 3) c->duration = POWER(b, 1e-320, 1e-16, 1e3, 1e9, 1e100);
  c->mistake = fuzz_byte(b);
  if (c->action != SAMPLE) return;
  c->count = fuzz_choice(b, ROWS + 1);
  const bool uniform = fuzz_byte(b) % 2;
  for (size_t i = 0; i < c->count; i++)
    c->place[i] = uniform ? (double)i / (double)c->count : fuzz_byte(b) / 255.0;
  qsort(c->place, c->count, sizeof *c->place, ascending);
}

/* a guard without bytes of its own has that of another */
static void read_guard_epsilons(fuzz_case *c, fuzz_bytes *b, bool wild, bool bad) {
  for (size_t k = 0; k < c->model.guard_count; k++) {
    double *const e = c->guard_epsilons + k;
    *e = k < FUZZ_OWN ? POWER(b, 1e-3, 1e-6, 0.1) : c->guard_epsilons[k % FUZZ_OWN];
    if (k >= FUZZ_OWN) continue;
    if (wild && fuzz_byte(b) % 4 == 3) *e = POWER(b, 1e-320, 1e-16, 1e10, DBL_MAX);
    if (bad && fuzz_byte(b) % 16 == 15) *e = POWER(b, NAN, 0.0, -1.0, INFINITY);
  }
  for (int i = 0; i < 2; i++) c->options[i].guard_epsilons = c->guard_epsilons;
}

/* each state its own: both, or one of them for all states */
static void read_tolerances(fuzz_case *c, fuzz_bytes *b, bool bad) {
  const uint8_t which = fuzz_byte(b);
  for (size_t i = 0; i < c->model.dimension; i++) {
    c->rtols[i] = POWER(b, 1e-6, 1e-3, 1e-9, 0.0, 1e-1, 1e-2, 1e-4, 1e-10);
    c->atols[i] = POWER(b, 1e-8, 1e-3, 1e-10, 1e-1, 1e-2, 1e-4, 1e3);
    if (bad && fuzz_byte(b) % 16 == 15) c->rtols[i] = POWER(b, NAN, -1.0, 1.0, INFINITY);
    if (bad && fuzz_byte(b) % 16 == 15) c->atols[i] = POWER(b, NAN, -1.0, 0.0, INFINITY);
  }
  for (int i = 0; i < 2; i++) {
    if (which % 3 != 1) c->options[i].rtols = c->rtols;
    if (which % 3 != 2) c->options[i].atols = c->atols;
  }
}

/* the second are the first with other tolerances, or by the other method, or both */
static void read_options(fuzz_case *c, fuzz_bytes *b, bool wild, bool bad) {
  ess_options *const o = c->options;
  o[0] = ess_options_default();
  read_tame_options(&o[0], b);
  if (wild) read_wild_options(&o[0], b);
  if (bad) read_bad_options(&o[0], b);
  o[1] = o[0];
  const uint8_t other = fuzz_byte(b);
  if (other & 1) o[1].method = ESS_METHOD_PAPER;
  if (other & 2) o[1].method = ESS_METHOD_TOLERANCE;
  if (other & 4) o[1].rtol = POWER(b, 1e-3, 1e-10, 1.5);
}

void fuzz_case_read(fuzz_case *c, const uint8_t *data, size_t size) {
  fuzz_bytes bytes = {.next = data, .left = size}, *const b = &bytes;
  *c = (fuzz_case){0};
  const uint8_t kind = fuzz_byte(b), observing = fuzz_byte(b);
  const bool wild_numbers = (kind & 3) == 3, wild_options = (kind >> 2 & 3) == 3;
  const bool faulty = (kind >> 4 & 3) == 3, bad_options = (kind >> 6 & 3) == 3;
  read_options(c, b, wild_options, bad_options);
  c->observe_steps = observing & 1;
  c->observe_crossings = observing & 2;
  if ((observing & 28) == 4) c->stop_step = 1 + (uint64_t)fuzz_byte(b);
  if ((observing & 28) == 8) c->stop_crossing = 1 + (uint64_t)fuzz_byte(b) % 16;
  // what is done comes before the system it is done with, as zeros follow a short input's end
  c->command_count = 1 + fuzz_choice(b, COMMANDS);
  for (size_t i = 0; i < c->command_count; i++) read_command(&c->command[i], b, wild_options);

  fuzz_model_read(&c->model, b, wild_numbers, faulty);
  if (observing & 32) read_guard_epsilons(c, b, wild_options, bad_options);
  if (observing & 64) read_tolerances(c, b, bad_options);
  if (bad_options && c->model.has_resets && fuzz_byte(b) % 2) fuzz_resets_damage(&c->model, b);
  c->damage = bad_options ? fuzz_byte(b) : UINT8_MAX;
  c->t0 = wild_options ? POWER(b, 0.0, -1.0, 1e9, 1e15, -1e300, 1e-310) : 0.0;
  fuzz_state_read(&c->model, b, wild_numbers, c->x0);
}

void fuzz_case_print(const fuzz_case *c, FILE *out) {
  const ess_options *const o = c->options;
  fuzz_model_print(&c->model, out);
  fprintf(out, "method %d (then %d), each state its own rtol %d, atol %d, then rtol %g\n",
          o->method, o[1].method, o->rtols != NULL, o->atols != NULL, o[1].rtol);
  if (o->rtols) fuzz_numbers_print("rtols", c->rtols, c->model.dimension, out);
  if (o->atols) fuzz_numbers_print("atols", c->atols, c->model.dimension, out);
  fprintf(out, "epsilon %g%s, order %d, liveness %g, ", o->epsilon,
          o->guard_epsilons ? " (each guard its own)" : "", o->order, o->liveness);
  fprintf(out,
          "rtol %g, atol %g, h_max %g, h_init %g, projection_max %g, max_steps %llu, "
          "max_crossings %llu\n",
          o->rtol, o->atol, o->h_max, o->h_init, o->projection_max,
          (unsigned long long)o->max_steps, (unsigned long long)o->max_crossings);
  fprintf(out, "observe steps %d crossings %d, stop at step %llu crossing %llu; t %.17g, x",
          c->observe_steps, c->observe_crossings, (unsigned long long)c->stop_step,
          (unsigned long long)c->stop_crossing, c->t0);
  for (size_t i = 0; i < c->model.dimension; i++) fprintf(out, " %.17g", c->x0[i]);
  for (size_t i = 0; i < c->command_count; i++) {
    static const char *const names[ACTIONS] = {"apply", "sample", "reset", "refused", "change"};
    fprintf(out, "\n  %s for %.17g, %zu samples", names[c->command[i].action],
            c->command[i].duration, c->command[i].count);
  }
  fputc('\n', out);
}
