/*
 * Fuzz target of libess's driver: bytes become the text of a random system (hybrid.h), options and
 * a sequence of calls. Every contract of ess.h that can be checked from outside is checked, and
 * where the truth (truth.h) decides, a success has its states. FUZZ_PRINT=1 in the environment
 * prints what an input means. Built with libFuzzer (guided by coverage) and, on random bytes, with
 * fuzz_main.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draws.h"
#include "truth.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STATES = 6, GUARDS = 40, OWN = 8, COMMANDS = 5, ROWS = 48 };

static hybrid *printed; /* the system of the present input */

/* a contract that does not hold ends the program, for the fuzzer to keep the input */
#define REQUIRE(condition)                                                                         \
  do {                                                                                             \
    if (condition) break;                                                                          \
    fprintf(stderr, "%s\n%s:%d: not so: %s\n", printed->text, __FILE__, __LINE__, #condition);     \
    abort();                                                                                       \
  } while (0)

/* ---- bytes ----------------------------------------------------------------------------------- */

/* what is left of the input; zeros follow its end */
typedef struct bytes {
  const uint8_t *next;
  size_t left;
} bytes;

static uint8_t byte(bytes *b) {
  if (!b->left) return 0;
  b->left--;
  return *b->next++;
}

static size_t choice(bytes *b, size_t count) {
  return byte(b) % count;
}

static double chosen(bytes *b, const double values[], size_t count) {
  return values[choice(b, count)];
}
#define ONE_OF(b, ...)                                                                             \
  chosen(b, (const double[]){__VA_ARGS__}, sizeof(double[]){__VA_ARGS__} / sizeof(double))

/* a multiple of 1/32 in [-4, 4); with `wild`, one in sixteen is extreme or not finite */
static double number(bytes *b, bool wild) {
  const uint8_t of = byte(b);
  if (wild && of % 16 == 15)
    return ONE_OF(b, 0.0, 1e-320, 1e-300, 1e-12, 1e-6, 1e3, 1e8, 1e30, 1e100, 1e150, -1e-12, -1e8,
                  INFINITY, -INFINITY, NAN, -0.0);
  return (double)(of < 128 ? of : of - 256) / 32.0;
}

/* three numbers in four are zero */
static double sparse(bytes *b, bool wild) {
  return byte(b) % 4 ? 0.0 : number(b, wild);
}

/* ---- a case ---------------------------------------------------------------------------------- */

typedef enum shape { COORDINATE, AFFINE, DUPLICATE, SPHERE, WAVE, CUBIC, PLATEAU, ZERO } shape;

/* an event function of s = normal.x + offset; where its sign is +1 the field has push + pull*s */
typedef struct guard {
  shape shape;
  double normal[STATES], offset, scale, push[STATES], pull[STATES];
} guard;

typedef enum action { APPLY, SAMPLE, RESET, CHANGE } action;

typedef struct command {
  action action;
  double duration, place[ROWS]; /* of the samples within the duration, ascending */
  size_t count;
  size_t options; /* CHANGE: to these */
} command;

typedef struct fuzz_case {
  hybrid *h;
  size_t n, m;
  guard guard[GUARDS];
  unsigned gives;
  hybrid_fault fault;
  ess_options options[2]; /* those at first, and others */
  ess_tolerance tolerances[STATES];
  double epsilons[GUARDS], t0, x0[STATES];
  bool is_wild, observes_steps, observes_crossings;
  uint64_t stop_step, stop_crossing; /* the observer's call that stops; 0: none */
  size_t command_count;
  command command[COMMANDS];
} fuzz_case;

/* + a*NAME, or a alone without a name */
static void add_term(hybrid *h, double a, const char *name, size_t index) {
  if (isnan(a))
    hybrid_more(h, " + (1e999 - 1e999)");
  else if (a != 0.0)
    hybrid_more(h, isinf(a) ? a < 0.0 ? " - 1e999" : " + 1e999" : " + %.17g", a);
  if (*name && (isnan(a) || a != 0.0)) hybrid_more(h, "*%s%zu", name, index);
}

static void read_guard(fuzz_case *c, size_t k, bytes *b, bool wild) {
  guard *const g = &c->guard[k];
  *g = (guard){.shape = (shape)choice(b, 8), .scale = 1.0};
  if (g->shape == DUPLICATE && k) {
    *g = c->guard[choice(b, k)];
    if (byte(b) % 2) g->scale = -g->scale;
    g->offset += ONE_OF(b, 0.0, DBL_EPSILON, 1e-9, 1e-3);
  } else {
    if (g->shape == DUPLICATE) g->shape = COORDINATE;
    if (g->shape == COORDINATE)
      g->normal[choice(b, c->n)] = byte(b) % 2 ? 1.0 : -1.0;
    else
      for (size_t i = 0; i < c->n; i++) g->normal[i] = number(b, wild);
    g->offset = number(b, wild);
    if (wild && byte(b) % 4 == 3) g->scale = number(b, true);
  }
  for (size_t i = 0; i < c->n; i++) g->push[i] = sparse(b, wild);
  for (size_t i = 0; i < c->n; i++) g->pull[i] = 4.0 * sparse(b, wild);
}

static void write_guard(const fuzz_case *c, size_t k) {
  static const char *const forms[] = {
      "s@", "s@", "s@", "0", "sin(3*s@)", "s@^3", "0.5*(s@ + sqrt(s@^2))", "0*s@"};
  const guard *const g = &c->guard[k];
  hybrid_add(c->h, "s%zu = 0", k);
  add_term(c->h, g->offset, "", 0);
  for (size_t i = 0; i < c->n; i++) add_term(c->h, g->normal[i], "x", i);
  hybrid_add(c->h, "g%zu: (0", k);
  add_term(c->h, g->scale, "", 0);
  hybrid_more(c->h, ")*(");
  for (const char *at = forms[g->shape]; *at; at++)
    if (*at == '@')
      hybrid_more(c->h, "%zu", k);
    else
      hybrid_more(c->h, "%c", *at);
  if (g->shape == SPHERE) add_term(c->h, g->offset, "", 0);
  for (size_t i = 0; i < c->n && g->shape == SPHERE; i++) {
    hybrid_more(c->h, " - (x%zu", i);
    add_term(c->h, -g->normal[i], "", 0);
    hybrid_more(c->h, ")^2");
  }
  hybrid_more(c->h, ")");
}

/* Most rows arm the guard of the way back, and some guards besides. Silent guards change no field.
 */
static void read_rows(fuzz_case *c, bytes *b, bool one_way) {
  static const char *const directions[] = {"up", "down"};
  for (size_t j = 0; c->m && j <= 2 * c->m; j++) {
    const uint8_t kind = byte(b);
    const bool is_row = j < 2 * c->m;
    const char *between = "";
    hybrid_add(c->h, is_row ? "row %s g%zu:" : "pool:", directions[j % 2], j / 2);
    if (is_row && kind % 4 && !(one_way && j % 2 == 0)) {
      hybrid_more(c->h, " +%s g%zu", directions[!(j % 2)], j / 2);
      between = ",";
    }
    for (size_t i = 0; i < (kind >> 2) % 3; i++) {
      const uint8_t which = byte(b);
      const size_t other = which % 128 % (2 * c->m);
      const bool is_ahead = which & 128 && (!is_row || other / 2 != j / 2), arms = !(kind & 64);
      if (one_way && other % 2 && arms && !is_ahead) continue;
      if (is_ahead)
        hybrid_more(c->h, "%s ahead g%zu", between, other / 2);
      else
        hybrid_more(c->h, "%s %c%s g%zu", between, arms ? '+' : '-', directions[other % 2],
                    other / 2);
      between = ",";
    }
    if (is_row && (kind >> 4 & 3) == 3)
      hybrid_add(c->h, "unarmed %s g%zu", directions[j % 2], j / 2);
    if (is_row && kind & 128) {
      hybrid_add(c->h, "silent %s g%zu", directions[j % 2], j / 2);
      memset(c->guard[j / 2].push, 0, sizeof c->guard->push);
      memset(c->guard[j / 2].pull, 0, sizeof c->guard->pull);
    }
  }
}

static void read_system(fuzz_case *c, bytes *b, bool wild) {
  const size_t n = c->n = 1 + choice(b, STATES), own = choice(b, OWN + 2);
  c->m = own > OWN ? OWN + 1 + choice(b, GUARDS - OWN) : own;
  const uint8_t flags = byte(b), gives = byte(b);
  const bool one_way = flags & 1, is_mechanical = flags & 32;
  c->gives = gives & ((1u << HYBRID_GUARD_JACOBIAN) | (1u << HYBRID_GUARD_RATES) |
                      (1u << HYBRID_FIELD_JACOBIAN));
  if (flags & 2) c->gives |= 1u << HYBRID_MODE;
  if (flags & 4) c->gives |= HYBRID_WEIGHTS;
  c->h = printed = hybrid_of("%s", one_way ? "one-way" : "");
  const double drive = flags & 16 ? number(b, wild) : 0.0;
  double constant[STATES], matrix[STATES][STATES] = {{0.0}};
  for (size_t i = 0; i < n; i++) constant[i] = number(b, wild);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n && !is_mechanical; j++) matrix[i][j] = sparse(b, wild);
  for (size_t i = 0; i + 1 < n && is_mechanical; i += 2) {
    matrix[i][i + 1] = 1.0;
    constant[i] = 0.0;
  }
  for (size_t k = 0; k < c->m && k < OWN; k++) read_guard(c, k, b, wild);
  // others are copies, a little apart, at odds or not
  const double shift = c->m > OWN ? ONE_OF(b, 1.0 / 32.0, 0.0, 1e-9, 0.5) : 0.0;
  const uint8_t how = c->m > OWN ? byte(b) : 0;
  for (size_t k = OWN; k < c->m; k++) {
    c->guard[k] = c->guard[k % OWN];
    c->guard[k].offset += shift * (double)(k / OWN);
    if (how & 1 && k & 1) c->guard[k].scale *= -1.0;
    for (size_t i = 0; i < n && how & 2; i++) c->guard[k].push[i] = c->guard[k].pull[i] = 0.0;
  }
  for (size_t k = 0; k < c->m; k++) write_guard(c, k);
  if (flags & 128) read_rows(c, b, one_way);
  for (size_t i = 0; i < n; i++) {
    hybrid_add(c->h, "x%zu' = 0", i);
    add_term(c->h, constant[i], "", 0);
    for (size_t j = 0; j < n; j++) add_term(c->h, matrix[i][j], "x", j);
    add_term(c->h, i ? 0.0 : drive, "w", 0);
    for (size_t k = 0; k < c->m; k++) {
      const guard *const g = &c->guard[k];
      if (g->push[i] == 0.0 && g->pull[i] == 0.0) continue;
      hybrid_more(c->h, " + on(g%zu)*(0", k);
      add_term(c->h, g->push[i], "", 0);
      add_term(c->h, g->pull[i], "s", k);
      hybrid_more(c->h, ")");
    }
  }
  hybrid_add(c->h, "w0 = sin(t)");
}

static hybrid_fault read_fault(bytes *b) {
  static const hybrid_callback in[] = {
      HYBRID_FIELD,      HYBRID_GUARDS, HYBRID_GUARD_JACOBIAN, HYBRID_GUARD_RATES,
      HYBRID_SOME_RATES, HYBRID_MODE,   HYBRID_START,          HYBRID_FIELD_JACOBIAN};
  hybrid_fault fault = {.in = in[choice(b, 8)]};
  const uint8_t how = byte(b);
  fault.once = !(how & 1);
  if (how & 2) fault.code = how & 4 ? -1 : 1 + how;
  fault.call = (1 + (uint64_t)byte(b)) * (how & 8 ? 16 : 1);
  fault.value = ONE_OF(b, NAN, INFINITY, -INFINITY, 1e300, -1e300, 0.0);
  if (how & 16) fault.factor = number(b, true); // a derivative that is none
  fault.entry = byte(b);
  return fault;
}

/* the second are the first with other tolerances, or by the other method, or both */
static void read_options(fuzz_case *c, bytes *b, bool wild, bool bad) {
  ess_options *const o = c->options;
  o[0] = ess_options_default();
  const bool projects = byte(b) % 4 == 3;
  double epsilon = ONE_OF(b, 1e-3, 1e-6, 1e-2, 0.1, 1.0, 1e-9);
  o->rtol = ONE_OF(b, 1e-6, 1e-3, 1e-9, 0.0, 1e-1, 1e-2, 1e-4, 1e-10);
  o->atol = ONE_OF(b, 1e-8, 1e-3, 1e-10, 1e-1, 1e-2, 1e-4, 1e-6);
  o->h_max = ONE_OF(b, INFINITY, 1.0, 0.1, 0.02);
  o->h_init = ONE_OF(b, 0.0, 0.0, 1e-3, 0.5);
  o->projection.duration_max = ONE_OF(b, INFINITY, INFINITY, 1e-2, 1e-4);
  o->projection.liveness = ONE_OF(b, 0.0, 0.0, 0.0, 1e-3);
  o->max_steps = 1 + 2 * (uint64_t)byte(b);
  o->max_crossings = 1 + (uint64_t)byte(b);
  o->projection.order = 1 + byte(b) % 2;
  // far ends of what is accepted, and anything at all
  double *const numbers[] = {&epsilon,
                             &o->rtol,
                             &o->atol,
                             &o->h_max,
                             &o->h_init,
                             &o->projection.duration_max,
                             &o->projection.liveness};
  for (size_t i = 0; i < 7 && (wild || bad); i++) {
    const uint8_t how = byte(b);
    if (wild && how % 2)
      *numbers[i] = ONE_OF(b, 1e-320, 1e-300, 1e-100, 1e-17, 1e-15, 0.999, 1e10, 1e200, DBL_MAX);
    if (bad && how / 2 % 8 == 7)
      *numbers[i] = ONE_OF(b, NAN, -1.0, 0.0, INFINITY, -INFINITY, -0.0, 1.0, 0.5);
  }
  const uint8_t other = byte(b);
  if (bad && other & 8) {
    o->max_steps = choice(b, 2);
    o->projection.order = (int)choice(b, 4);
  }
  o[1] = o[0];
  if (projects) o[0].projection.epsilon = epsilon;
  if (other & 1 || (projects && !(other & 2))) o[1].projection.epsilon = epsilon;
  if (other & 4) o[1].rtol = ONE_OF(b, 1e-3, 1e-10, 1.5);
}

/* each guard its own epsilon, and each state its own tolerances: both, or one of them */
static void read_lists(fuzz_case *c, bytes *b, uint8_t which, bool bad) {
  for (size_t k = 0; k < c->m; k++)
    c->epsilons[k] = k >= OWN                    ? c->epsilons[k % OWN]
                     : bad && byte(b) % 16 == 15 ? ONE_OF(b, NAN, 0.0, -1.0, INFINITY)
                                                 : ONE_OF(b, 1e-3, 1e-6, 0.1, 1e-320, 1e10);
  for (size_t i = 0; i < c->n; i++) {
    ess_tolerance *const of = &c->tolerances[i];
    of->rtol = ONE_OF(b, 1e-6, 1e-3, 1e-9, 0.0, 1e-1, 1e-2, 1e-4, 1e-10);
    of->atol = ONE_OF(b, 1e-8, 1e-3, 1e-10, 1e-1, 1e-2, 1e-4, 1e3);
    if (bad && byte(b) % 16 == 15) of->rtol = ONE_OF(b, NAN, -1.0, 1.0, INFINITY);
    if (!(which & 2)) of->rtol = c->options->rtol;
    if (!(which & 4)) of->atol = c->options->atol;
  }
  for (int i = 0; i < 2; i++) {
    ess_options *const o = &c->options[i];
    if (which & 1 && (bad || o->projection.epsilon > 0.0)) o->projection.epsilons = c->epsilons;
    if (which & 6) o->tolerances = c->tolerances;
  }
}

static void read_command(command *c, bytes *b, bool wild) {
  static const action actions[] = {APPLY, SAMPLE, APPLY, SAMPLE, CHANGE, RESET, SAMPLE, APPLY};
  *c = (command){.action = actions[choice(b, 8)], .duration = byte(b) / 64.0};
  if (wild && byte(b) % 4 == 3) c->duration = ONE_OF(b, 1e-320, 1e-16, 1e3, 1e9, 1e100);
  c->options = choice(b, 2);
  if (c->action != SAMPLE) return;
  c->count = choice(b, ROWS + 1);
  const bool uniform = byte(b) % 2;
  for (size_t i = 0; i < c->count; i++)
    c->place[i] = uniform ? (double)i / (double)c->count : byte(b) / 255.0;
  qsort(c->place, c->count, sizeof *c->place, ascending);
}

static void read_case(fuzz_case *c, bytes *b) {
  const uint8_t kind = byte(b), observing = byte(b);
  const bool wild_numbers = (kind & 3) == 3, wild_options = (kind >> 2 & 3) == 3;
  const bool is_faulty = (kind >> 4 & 3) == 3, has_bad = (kind >> 6 & 3) == 3;
  read_options(c, b, wild_options, has_bad);
  c->is_wild = wild_numbers || wild_options || has_bad;
  c->observes_steps = observing & 1;
  c->observes_crossings = observing & 2;
  if ((observing & 28) == 4) c->stop_step = 1 + (uint64_t)byte(b);
  if ((observing & 28) == 8) c->stop_crossing = 1 + (uint64_t)byte(b) % 16;
  // calls come before the system, as zeros follow a short input's end
  c->command_count = 1 + choice(b, COMMANDS);
  for (size_t i = 0; i < c->command_count; i++) read_command(&c->command[i], b, wild_options);
  read_system(c, b, wild_numbers);
  if (is_faulty) c->fault = read_fault(b);
  if (observing & 32) read_lists(c, b, byte(b), has_bad);
  c->t0 = wild_options ? ONE_OF(b, 0.0, -1.0, 1e9, 1e15, -1e300, 1e-310) : 0.0;
  for (size_t i = 0; i < c->n; i++) c->x0[i] = number(b, wild_numbers);
  for (size_t k = 0; k < c->m; k++) {
    const guard *const g = &c->guard[k];
    if (g->shape != COORDINATE || byte(b) % 4 != 3) continue;
    for (size_t i = 0; i < c->n; i++)
      if (g->normal[i] != 0.0) c->x0[i] = -g->offset / g->normal[i]; // on the guard
  }
  hybrid_add(c->h, "from %.17g", c->t0);
  hybrid_read(c->h);
}

/* ---- a run ----------------------------------------------------------------------------------- */

/* The case in a run that samples and observes, or that does neither: an observer that stops the run
 * is there in both. */
typedef struct run {
  const fuzz_case *of;
  bool is_full;
  ess_driver *d;
  ess_system system, inner;   /* inner: what its callbacks call */
  const ess_options *options; /* in force */
  ess_observer observer;
  double t, t1, x[STATES]; /* of the last step's end, and the end of this apply */
  double crossing_t, crossing_x[STATES], sign[GUARDS];
  bool has_crossed, knows_sign;      /* since that step's end; of a crossing */
  uint64_t steps, crossings, before; /* calls of observers; before: this apply */
  double times[ROWS], samples[ROWS * STATES];
  size_t count, stalled;
  double progress_time;
  /* by callbacks: */
  uint64_t limit, hash, told; /* calls; all arguments but mode_changed's; these */
  double time_limit, swiftest, farthest, mode[GUARDS];
} run;

static run *now; /* which callbacks are called in */

static uint64_t hash_of(uint64_t hash, const void *data, size_t size) {
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ ((const uint8_t *)data)[i]) * UINT64_C(0x100000001b3);
  return hash;
}

static bool are_finite(const double v[], size_t count) {
  bool finite = true;
  for (size_t i = 0; i < count; i++) finite = finite && isfinite(v[i]);
  return finite;
}

static bool are_signs(const double sign[], size_t count) {
  bool exact = true;
  for (size_t k = 0; k < count; k++) exact = exact && fabs(sign[k]) == 1.0;
  return exact;
}

/* the guards of an event function are each other's mirror images, and armed always */
static bool is_mirrored(const hybrid *h) {
  return !h->has_resets && !h->has_silent && !h->has_unarmed && !h->one_way;
}

static void note_call(double t, const double x[]) {
  const fuzz_case *const c = now->of;
  uint64_t total = 0;
  for (int i = 0; i < HYBRID_CALLBACKS; i++) total += c->h->calls[i];
  REQUIRE(total <= now->limit);
  now->hash = hash_of(hash_of(now->hash, &t, sizeof t), x, c->n * sizeof *x);
  for (size_t i = 0; i < c->n; i++) now->farthest = fmax(now->farthest, fabs(x[i]));
}

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  const size_t n = now->of->n, m = now->of->m;
  const bool is_whole = !(now->of->gives & HYBRID_WEIGHTS); // else signs may be between
  REQUIRE(!is_whole || are_signs(sign, m));
  if (now->inner.mode_changed) REQUIRE(!memcmp(sign, now->mode, m * sizeof *sign));
  REQUIRE(t <= now->time_limit);
  note_call(t, x);
  now->hash = hash_of(now->hash, sign, m * sizeof *sign);
  const int code = now->inner.field(t, x, sign, dxdt, params);
  for (size_t i = 0; i < n; i++) now->swiftest = fmax(now->swiftest, fabs(dxdt[i]));
  return code;
}

static int event_functions(double t, const double x[], double values[], void *params) {
  note_call(t, x);
  return now->inner.event_functions(t, x, values, params);
}

static int event_rates(double t, const double x[], double vt, const double v[],
                       const size_t which[], size_t count, double values[], double rate[],
                       void *params) {
  note_call(t, x);
  now->hash = hash_of(now->hash, v, now->of->n * sizeof *v);
  return now->inner.event_rates(t, x, vt, v, which, count, values, rate, params);
}

static int mode_changed(const double sign[], size_t which, void *params) {
  const size_t m = now->of->m, first = which < m ? which : 0, end = which < m ? which + 1 : m;
  REQUIRE(which <= m);
  // the field has to find no other change than those
  memcpy(now->mode + first, sign + first, (end - first) * sizeof *sign);
  now->told = hash_of(now->told, &which, sizeof which);
  return now->inner.mode_changed(sign, which, params);
}

/* ---- what observers are told ----------------------------------------------------------------- */

/* the error that the method by one tolerance may have in state i */
static double tolerance(const run *r, size_t i, const double x[]) {
  const ess_options *const o = r->options;
  const ess_tolerance of = o->tolerances ? o->tolerances[i] : (ess_tolerance){o->rtol, o->atol};
  return of.atol + of.rtol * fabs(x[i]);
}

/* Event functions that are affine in the state lie on the side of their sign, as far as tolerance,
 * rounding and the resolution of time allow: no crossing is missed. */
static void require_sides(const run *r, double t, const double x[], double late) {
  const fuzz_case *const c = r->of;
  const ess_options *const o = r->options;
  const bool by_paper = o->projection.epsilon > 0.0;
  // of order 2 a projection ends beyond the guard by its error of time
  if (c->fault.call || !is_mirrored(c->h) || (by_paper && o->projection.order != 1)) return;
  for (size_t k = 0; k < c->m; k++) {
    const guard *const g = &c->guard[k];
    if (g->shape > DUPLICATE) continue;
    double s = g->offset, size = fabs(g->offset), rate = 0.0, may_pass = 0.0;
    for (size_t i = 0; i < c->n; i++) {
      if (g->normal[i] == 0.0) continue;
      s += g->normal[i] * x[i];
      size += fabs(g->normal[i]) * r->farthest;
      rate += fabs(g->normal[i]) * r->swiftest;
      may_pass += 10.0 * fabs(g->normal[i]) * tolerance(r, i, x);
    }
    const double of = fabs(g->scale);
    if (by_paper)
      may_pass =
          1e-6 * (o->projection.epsilons ? o->projection.epsilons[k] : o->projection.epsilon) / of;
    const double allowed = may_pass + 1e-11 * size + (late + 1e-12 * fabs(t)) * rate;
    REQUIRE(!(-ess_driver_sign(r->d)[k] * g->scale * s > of * allowed));
  }
}

static int on_step(const ess_step_info *info, void *context) {
  run *const r = context;
  r->steps++;
  if (r->of->observes_steps) {
    REQUIRE(info->t0 == r->t);
    REQUIRE(info->t1 >= info->t0 && info->t1 <= r->t1);
    REQUIRE(info->t1 >= r->crossing_t);
    REQUIRE(are_finite(info->x, r->of->n));
    const bool by_paper = r->options->projection.epsilon > 0.0;
    require_sides(r, info->t1, info->x, by_paper ? 0.0 : 0.25 * (info->t1 - info->t0));
    double end[STATES];
    REQUIRE(!r->is_full || ess_driver_step_start(r->d) == info->t0);
    REQUIRE(!r->is_full || !ess_driver_dense(r->d, info->t1, end));
    REQUIRE(!r->is_full || !memcmp(end, info->x, r->of->n * sizeof *end));
  }
  r->t = info->t1;
  r->has_crossed = false;
  memcpy(r->x, info->x, r->of->n * sizeof *r->x);
  return r->steps == r->of->stop_step;
}

static int on_crossing(const ess_crossing_info *info, void *context) {
  run *const r = context;
  const size_t m = r->of->m, n = r->of->n;
  const hybrid *const h = r->of->h;
  r->crossings++;
  REQUIRE(info->event < m && are_signs(info->sign, m));
  if (info->t - r->progress_time > 64.0 * DBL_EPSILON * fabs(info->t)) {
    r->progress_time = info->t;
    r->stalled = 0;
  }
  // by one tolerance, those of steps through crossings come on top
  const size_t most = (r->options->projection.epsilon > 0.0 ? 1 : 8) * (2 * m + 17);
  REQUIRE(++r->stalled <= most);
  REQUIRE(h->has_resets || info->direction == (info->sign[info->event] > 0.0 ? 1 : -1));
  REQUIRE(!h->one_way || info->direction == 1);
  REQUIRE(info->t >= r->t && info->t >= r->crossing_t && info->t <= r->t1);
  REQUIRE(are_finite(info->x, n));
  for (size_t k = 0; r->knows_sign && is_mirrored(h) && k < m; k++)
    REQUIRE(info->sign[k] == (k == info->event ? -r->sign[k] : r->sign[k]));
  memcpy(r->sign, info->sign, m * sizeof *r->sign);
  r->knows_sign = r->has_crossed = true;
  r->crossing_t = info->t;
  memcpy(r->crossing_x, info->x, n * sizeof *r->crossing_x);
  return r->crossings == r->of->stop_crossing;
}

/* ---- the contracts of one call --------------------------------------------------------------- */

/* Counters are calls, none goes down, and no limit is exceeded. */
static void require_counters(const run *r, const ess_counters *before, const uint64_t calls[]) {
  const ess_counters *const c = ess_driver_counters(r->d);
  const uint64_t *const to = r->of->h->calls, crossings = c->crossings - before->crossings;
  const bool by_paper = r->options->projection.epsilon > 0.0;
#define CALLED(callback) (to[callback] - calls[callback])
  REQUIRE(c->field_evaluations - before->field_evaluations == CALLED(HYBRID_FIELD));
  REQUIRE(c->event_evaluations - before->event_evaluations ==
          CALLED(HYBRID_GUARDS) + CALLED(HYBRID_GUARD_RATES));
  REQUIRE(c->some_evaluations - before->some_evaluations == CALLED(HYBRID_SOME_RATES));
  REQUIRE(c->jacobian_evaluations - before->jacobian_evaluations == CALLED(HYBRID_GUARD_JACOBIAN));
#undef CALLED
  REQUIRE(c->steps >= before->steps && c->rejected >= before->rejected &&
          c->entries >= before->entries && crossings <= c->crossings);
  REQUIRE(c->steps - before->steps <= r->options->max_steps);
  REQUIRE(by_paper ? c->through == before->through : c->projections == before->projections);
  REQUIRE(crossings + c->silent - before->silent <= r->options->max_crossings);
  if (r->is_full && r->of->observes_crossings && !ess_driver_failure(r->d)->status)
    REQUIRE(r->crossings - r->before == crossings);
}

static void require_failure(const run *r, int status, double t0) {
  const ess_failure *const f = ess_driver_failure(r->d);
  const size_t m = r->of->m;
  REQUIRE((int)f->status == status);
  REQUIRE(f->time >= t0 && f->time <= r->t1);
  REQUIRE(f->event < m || f->event == SIZE_MAX);
  const bool names_guard = status == ESS_EEVENT || status == ESS_ELIVENESS ||
                           status == ESS_ECHATTER || status == ESS_ESLIDING ||
                           status == ESS_EJACOBIAN || status == ESS_EMAXCROSSINGS;
  REQUIRE(!names_guard || f->event < m);
  REQUIRE((status == ESS_ECHATTER) == (f->other_event < m));
  REQUIRE(f->callback_code == (status == ESS_ECALLBACK ? r->of->fault.code : 0));
}

static const double UNTOUCHED = 12345.678; // what rows of samples have before they are written

/* the correction of state i by a crossing at the start, where its guard was passed */
static double may_start_off(const run *r, size_t i, const double x0[]) {
  return r->options->projection.epsilon > 0.0 ? 0.0
                                              : 10.0 * sqrt((double)r->of->n) * tolerance(r, i, x0);
}

/* Rows up to the time reached are written, those after it are not; either within some roundings. */
static void require_samples(const run *r, bool is_success, double t0, const double x0[]) {
  const size_t n = r->of->n;
  const double slack = 4.0 * DBL_EPSILON * fmax(fabs(t0), fabs(r->t));
  const bool overflows = !(1e3 * r->swiftest * fmin(r->t1 - t0, r->options->h_max) <= DBL_MAX);
  for (size_t i = 0; i < r->count; i++) {
    const double *const row = r->samples + i * n;
    bool is_held = true;
    for (size_t j = 0; j < n; j++) is_held = is_held && row[j] == UNTOUCHED;
    if (is_success || r->times[i] < r->t - slack)
      REQUIRE((are_finite(row, n) || overflows) && !is_held);
    else if (r->times[i] > r->t + slack)
      REQUIRE(is_held);
    for (size_t j = 0; r->times[i] == t0 && !is_held && !overflows && j < n; j++)
      REQUIRE(fabs(row[j] - x0[j]) <= may_start_off(r, j, x0));
  }
}

/* whether a callback whose results are not finite from some call on was called so */
static bool has_lost(const run *r, const uint64_t calls[]) {
  const hybrid_fault *const f = &r->of->fault;
  const bool is_lasting = f->call && !f->once && !f->code && f->factor == 0.0;
  if (!is_lasting || isfinite(f->value) || r->of->h->calls[f->in] < f->call) return false;
  const bool is_guards = f->in >= HYBRID_GUARDS && f->in <= HYBRID_SOME_RATES;
  return calls[f->in] < r->of->h->calls[f->in] &&
         (f->in == HYBRID_FIELD || (is_guards && is_mirrored(r->of->h)));
}

static void require_end(const run *r, int status, double t, double t0, const double x[],
                        const double x0[], bool is_lost) {
  const fuzz_case *const c = r->of;
  const size_t n = c->n, m = c->m;
  const bool is_usable = are_finite(x0, n), mirrored = is_mirrored(c->h);
  REQUIRE(status >= 0 && status < ESS_STATUS_COUNT && status != ESS_ENOMEM);
  REQUIRE(status != ESS_SUCCESS || !is_lost);
  REQUIRE(status != (is_usable ? ESS_EINVAL : ESS_SUCCESS));
  REQUIRE(t >= t0 && t <= r->t1);
  REQUIRE(status || t == r->t1);
  REQUIRE(!is_usable || are_finite(x, n));
  REQUIRE(status || are_signs(ess_driver_sign(r->d), m));
  for (size_t i = 0; r->t1 == t0 && is_usable && i < n; i++)
    REQUIRE(fabs(x[i] - x0[i]) <= may_start_off(r, i, x0));
  if (!status && r->options->projection.epsilon == 0.0) require_sides(r, t, x, 0.0);
  if (status == ESS_EINVAL) return;
  // time, state and signs are those that observers were told of last, or later
  const bool sees_crossings = (r->is_full && c->observes_crossings) || c->stop_crossing;
  const bool sees_steps = r->is_full && c->observes_steps;
  if (r->knows_sign && mirrored && sees_crossings)
    REQUIRE(!memcmp(r->sign, ess_driver_sign(r->d), m * sizeof *r->sign));
  if (r->has_crossed) REQUIRE(t >= r->crossing_t);
  if (sees_steps) REQUIRE(t >= r->t);
  if (status == ESS_ESTOP && r->crossings == c->stop_crossing && r->has_crossed)
    REQUIRE(t == r->crossing_t && !memcmp(x, r->crossing_x, n * sizeof *x));
  const bool is_between = status == ESS_EMAXCROSSINGS || status == ESS_ECALLBACK;
  if (sees_steps && !r->has_crossed && (!status || (sees_crossings && !is_between && mirrored)))
    REQUIRE(t == r->t && !memcmp(x, r->x, n * sizeof *x));
}

/* ---- a case ---------------------------------------------------------------------------------- */

/* what a run came to, to be compared bit by bit */
typedef struct outcome {
  int status[COMMANDS];
  double t, x[STATES], sign[GUARDS];
  ess_counters counters[COMMANDS];
  ess_failure failure[COMMANDS];
  uint64_t calls, told, samples;   /* hashes */
  double plain_t, plain_x[STATES]; /* of the last success before anything else */
} outcome;

/* apply or sample, with every contract around it */
static int run_to(run *r, const command *c, double *t, double x[], uint64_t *samples) {
  const size_t n = r->of->n;
  const double t0 = *t;
  const ess_counters before = *ess_driver_counters(r->d);
  double x0[STATES];
  uint64_t calls[HYBRID_CALLBACKS], total = 0;
  memcpy(x0, x, n * sizeof *x);
  memcpy(r->x, x, n * sizeof *x);
  memcpy(calls, r->of->h->calls, sizeof calls);
  for (int i = 0; i < HYBRID_CALLBACKS; i++) total += calls[i];
  // more calls than this for each try of a step and each crossing are an endless loop
  r->limit = total + (r->options->max_steps + 4) * (16 + 100 * (r->of->m + 1)) +
             32 * (r->options->max_crossings + 4);
  r->t = r->crossing_t = r->progress_time = t0;
  r->t1 = t0 + c->duration;
  r->time_limit = r->t1 + 4.0 * DBL_EPSILON * fabs(r->t1);
  r->has_crossed = false;
  r->stalled = 0;
  r->before = r->crossings;
  r->count = r->is_full && c->action == SAMPLE ? c->count : 0;
  for (size_t i = 0; i < r->count; i++) r->times[i] = fmin(t0 + c->place[i] * c->duration, r->t1);
  for (size_t i = 0; i < r->count * n; i++) r->samples[i] = UNTOUCHED;
  const int status = r->count ? ess_driver_sample(r->d, t, r->t1, x, r->times, r->count, r->samples)
                              : ess_driver_apply(r->d, t, r->t1, x);
  require_end(r, status, *t, t0, x, x0, has_lost(r, calls));
  r->t = *t;
  require_failure(r, status, t0);
  require_counters(r, &before, calls);
  require_samples(r, !status, t0, x0);
  *samples = hash_of(*samples, r->samples, r->count * n * sizeof *r->samples);
  return status;
}

/* options that are refused leave those in force */
static void change_options(run *r, size_t to) {
  ess_options options = r->of->options[to];
  options.observer = r->observer;
  const bool is_accepted = !ess_check(&r->system, &options);
  const int status = ess_driver_set_options(r->d, &options);
  REQUIRE(status == (is_accepted ? ESS_SUCCESS : ESS_EINVAL));
  if (is_accepted) r->options = &r->of->options[to];
}

/* the whole case on a driver, which may have run before */
static outcome run_case(run *r) {
  const fuzz_case *const c = r->of;
  outcome out = {.t = c->t0, .plain_t = c->t0};
  bool is_plain = true;
  now = r;
  memset(c->h->calls, 0, sizeof c->h->calls);
  r->hash = r->told = r->steps = r->crossings = 0;
  r->swiftest = r->farthest = 0.0;
  r->knows_sign = false;
  memcpy(out.x, c->x0, sizeof out.x);
  for (size_t i = 0; i < c->command_count; i++) {
    const command *const todo = &c->command[i];
    if (todo->action == RESET) {
      ess_driver_reset(r->d);
      r->knows_sign = false;
    } else if (todo->action == CHANGE)
      change_options(r, todo->options);
    else if (isfinite(out.t + todo->duration))
      out.status[i] = run_to(r, todo, &out.t, out.x, &out.samples);
    is_plain = is_plain && todo->action < RESET && !out.status[i];
    if (is_plain) out.plain_t = out.t;
    if (is_plain) memcpy(out.plain_x, out.x, sizeof out.x);
    out.counters[i] = *ess_driver_counters(r->d);
    out.failure[i] = *ess_driver_failure(r->d);
  }
  memcpy(out.sign, ess_driver_sign(r->d), c->m * sizeof *out.sign);
  out.calls = r->hash;
  out.told = r->told;
  return out;
}

static bool start(run *r, const fuzz_case *c, bool is_full) {
  *r = (run){.of = c, .is_full = is_full, .limit = UINT64_MAX, .time_limit = INFINITY};
  r->inner = r->system = hybrid_system(c->h, c->gives);
  r->system.field = field;
  if (r->system.event_functions) r->system.event_functions = event_functions;
  if (r->system.event_rates) r->system.event_rates = event_rates;
  if (r->system.mode_changed) r->system.mode_changed = mode_changed;
  r->options = &c->options[0];
  r->observer.context = r;
  if ((is_full && c->observes_steps) || c->stop_step) r->observer.step = on_step;
  // a model that is observed is told of modes again: where that may fail, it is in both
  const bool may_fail = c->fault.call && c->fault.in == HYBRID_MODE;
  if ((is_full && c->observes_crossings) || c->stop_crossing || may_fail)
    r->observer.crossing = on_crossing;
  ess_options options = c->options[0];
  options.observer = r->observer;
  int status = -1;
  now = r;
  r->d = ess_driver_alloc(&r->system, &options, &status);
  const char *const wrong = ess_check(&r->system, &options);
  REQUIRE(!r->d == !!wrong);
  REQUIRE(status == (wrong ? ESS_EINVAL : ESS_SUCCESS));
  return r->d != NULL;
}

static void require_same(const outcome *a, const outcome *b) {
  REQUIRE(!memcmp(a->status, b->status, sizeof a->status));
  REQUIRE(a->t == b->t && !memcmp(a->x, b->x, sizeof a->x));
  REQUIRE(!memcmp(a->sign, b->sign, sizeof a->sign));
  REQUIRE(!memcmp(a->counters, b->counters, sizeof a->counters));
  for (size_t i = 0; i < COMMANDS; i++) {
    const ess_failure *const f = &a->failure[i], *const g = &b->failure[i];
    REQUIRE(f->status == g->status && f->time == g->time && f->event == g->event &&
            f->other_event == g->other_event && f->callback_code == g->callback_code);
  }
  REQUIRE(a->calls == b->calls);
}

/* A run without a failure ends where the truth does, if that is far from another outcome: within
 * errors of a thousand tolerances, and what they grow to. */
static void require_true(const fuzz_case *c, const outcome *end) {
  const ess_options *const o = &c->options[0];
  const double tolerance = fmax(o->rtol, o->atol);
  bool is_plain = !c->is_wild && !c->h->has_resets && !c->fault.call && !o->tolerances &&
                  c->m <= OWN && o->projection.epsilon == 0.0 && tolerance < 1e-3;
  for (size_t k = 0; k < c->m && is_plain; k++) is_plain = c->guard[k].shape < PLATEAU; // smooth
  if (!is_plain || end->plain_t == c->t0) return;
  double beside[STATES], most = 0.0;
  for (size_t i = 0; i < c->n; i++) beside[i] = c->x0[i] + 1e-3 * tolerance * (i % 2 ? 1.0 : -1.0);
  truth_options options = {.margin = 1e-3, .t1 = end->plain_t, .x0 = c->x0};
  const truth_end truth = truth_run(c->h, &options);
  options.x0 = beside;
  const truth_end other = truth_run(c->h, &options);
  if (truth.status || other.status || truth.count != other.count) return;
  for (size_t i = 0; i < c->n; i++) most = fmax(most, fabs(truth.x[i] - other.x[i]));
  for (size_t i = 0; i < c->n; i++)
    REQUIRE(fabs(end->plain_x[i] - truth.x[i]) <=
            1e3 * tolerance * (1.0 + fabs(truth.x[i])) + 1e6 * most);
}

/* with samples and observers, a second time after a reset, and without either */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bytes b = {.next = data, .left = size};
  fuzz_case c = {0};
  run full, plain;
  read_case(&c, &b);
  c.h->fault = c.fault;
  if (getenv("FUZZ_PRINT")) fputs(c.h->text, stderr);
  if (start(&full, &c, true)) {
    const outcome with = run_case(&full);
    ess_driver_reset(full.d);
    change_options(&full, 0);
    const outcome again = run_case(&full);
    // steps through crossings are repeated with fewer evaluations
    if (!(c.gives & HYBRID_WEIGHTS)) {
      require_same(&with, &again);
      REQUIRE(with.samples == again.samples && with.told == again.told);
    } else if (!c.fault.call)
      REQUIRE(with.t == again.t && !memcmp(with.x, again.x, sizeof with.x));
    ess_driver_free(full.d);
    (void)start(&plain, &c, false);
    const outcome without = run_case(&plain);
    require_same(&with, &without);
    ess_driver_free(plain.d);
    require_true(&c, &with);
  }
  hybrid_free(c.h);
  return 0;
}
