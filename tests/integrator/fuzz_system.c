/*
 * Random event-selected systems made of bytes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz_system.h"
#include "callbacks.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* ---- bytes ----------------------------------------------------------------------------------- */

uint8_t fuzz_byte(fuzz_bytes *b) {
  if (!b->left) return 0;
  b->left--;
  return *b->next++;
}

size_t fuzz_choice(fuzz_bytes *b, size_t count) {
  return fuzz_byte(b) % count;
}

double fuzz_number(fuzz_bytes *b, bool wild) {
  static const double extreme[] = {0.0,   1e-320, 1e-300, 1e-12, 1e-6,     1e3,       1e8, 1e30,
                                   1e100, 1e150,  -1e-12, -1e8,  INFINITY, -INFINITY, NAN, -0.0};
  const uint8_t byte = fuzz_byte(b);
  if (wild && byte % 16 == 15) return extreme[fuzz_choice(b, sizeof extreme / sizeof *extreme)];
  return (double)(byte < 128 ? byte : byte - 256) / 32.0;
}

uint64_t fuzz_hash(uint64_t hash, const void *data, size_t size) {
  const uint8_t *const bytes = data;
  for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
  return hash;
}

bool fuzz_signs_exact(const double sign[], size_t count) {
  bool exact = true;
  for (size_t k = 0; k < count; k++) exact = exact && (sign[k] == 1.0 || sign[k] == -1.0);
  return exact;
}

/* ---- reading a system ------------------------------------------------------------------------ */

/* sparse: three numbers in four are zero */
static double sparse(fuzz_bytes *b, bool wild) {
  return fuzz_byte(b) % 4 ? 0.0 : fuzz_number(b, wild);
}

/* `mechanical`: positions and speeds by turns, on parabolas between contacts, which long steps
 * follow; else anything */
static void read_matrix(fuzz_model *model, fuzz_bytes *b, bool wild, bool mechanical) {
  const size_t n = model->dimension;
  for (size_t i = 0; !mechanical && i < n; i++)
    for (size_t j = 0; j < n; j++) model->matrix[i][j] = sparse(b, wild);
  for (size_t i = 0; mechanical && i + 1 < n; i += 2) {
    model->matrix[i][i + 1] = 1.0;
    model->constant[i] = 0.0;
  }
}

/* guard k may copy one before it */
static void read_shape(fuzz_model *model, size_t k, fuzz_bytes *b, bool wild) {
  static const double shift[] = {0.0, DBL_EPSILON, 1e-9, 1e-3};
  fuzz_guard *const g = &model->guard[k];
  const size_t n = model->dimension;
  g->shape = (fuzz_shape)fuzz_choice(b, FUZZ_SHAPES);
  if (g->shape == FUZZ_DUPLICATE && k == 0) g->shape = FUZZ_COORDINATE;
  if (g->shape == FUZZ_DUPLICATE) {
    *g = model->guard[fuzz_choice(b, k)];
    if (fuzz_byte(b) % 2) g->scale = -g->scale;
    g->offset += shift[fuzz_choice(b, sizeof shift / sizeof *shift)];
    return;
  }
  *g = (fuzz_guard){.shape = g->shape, .scale = 1.0, .rate_factor = 1.0};
  if (g->shape == FUZZ_COORDINATE)
    g->normal[fuzz_choice(b, n)] = fuzz_byte(b) % 2 ? 1.0 : -1.0;
  else
    for (size_t i = 0; i < n; i++) g->normal[i] = fuzz_number(b, wild);
  g->offset = fuzz_number(b, wild);
  if (wild && fuzz_byte(b) % 4 == 3) g->scale = fuzz_number(b, true);
  if (wild && fuzz_byte(b) % 8 == 7) g->rate_factor = fuzz_number(b, true);
}

/* an entry of a row, unless it arms what a one-way event function does not have */
static void add_entry(fuzz_model *model, size_t *entries, size_t guard, signed char effect) {
  if (model->one_way && guard % 2 && effect == 1) return;
  model->resets.guard[*entries] = guard;
  model->resets.effect[(*entries)++] = effect;
}

static int start_armed(const double sign[], bool armed[], void *params);

/* most rows arm the mirror image, and some guards besides; guards that are silent change no field
 */
static void read_resets(fuzz_model *model, fuzz_bytes *b) {
  fuzz_resets *const r = &model->resets;
  const size_t guards = 2 * model->guard_count;
  const uint8_t parts = fuzz_byte(b);
  size_t entries = 0;
  r->matrix = (ess_reset_matrix){.row_start = r->row_start,
                                 .guard = r->guard,
                                 .effect = r->effect,
                                 .silent = parts % 8 == 7 ? NULL : r->silent,
                                 .start = parts / 8 % 8 == 7 ? NULL : start_armed};
  for (size_t j = 0; j <= guards; j++) {
    const uint8_t kind = fuzz_byte(b);
    r->row_start[j] = entries;
    if (j < guards && kind % 4) add_entry(model, &entries, j ^ 1, 1);
    for (size_t i = 0; guards && i < (kind >> 2) % FUZZ_ENTRIES; i++) {
      const uint8_t which = fuzz_byte(b);
      const size_t guard = which % 128 % guards;
      const bool ahead = which & 128 && (j == guards || guard / 2 != j / 2);
      add_entry(model, &entries, guard, ahead ? ESS_ARM_AHEAD : kind & 64 ? -1 : 1);
    }
    if (j == guards) break;
    r->unarmed[j] = (kind >> 4 & 3) == 3;
    r->silent[j] = r->matrix.silent && kind & 128;
  }
  r->row_start[guards + 1] = entries;
  for (size_t k = 0; k < model->guard_count; k++)
    for (size_t i = 0; r->silent[2 * k] + r->silent[2 * k + 1] && i < model->dimension; i++)
      model->guard[k].push[i] = model->guard[k].pull[i] = 0.0;
}

void fuzz_resets_damage(fuzz_model *model, fuzz_bytes *b) {
  fuzz_resets *const r = &model->resets;
  const size_t guards = 2 * model->guard_count, entries = r->row_start[guards + 1];
  const size_t which = fuzz_choice(b, 5), row = fuzz_choice(b, guards + 1);
  if (which == 0) r->row_start[0] = 1;
  if (which == 1) r->row_start[row] = entries + 1;
  if (which == 2 && entries) r->guard[fuzz_choice(b, entries)] = guards;
  if (which == 3 && entries) r->effect[fuzz_choice(b, entries)] = fuzz_byte(b) % 2 ? 0 : 3;
  if (which == 4) r->matrix.row_start = NULL;
}

static void read_fault(fuzz_fault *fault, fuzz_bytes *b) {
  static const double values[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 0.0};
  *fault = (fuzz_fault){.callback = (fuzz_callback)fuzz_choice(b, FUZZ_CALLBACKS)};
  const uint8_t how = fuzz_byte(b);
  fault->lasting = how & 1;
  if (how & 2) fault->code = how & 4 ? -1 : 1 + how;
  fault->call = fuzz_byte(b);
  if (how & 8) fault->call *= 16;
  fault->value = values[fuzz_choice(b, sizeof values / sizeof *values)];
  fault->place = fuzz_byte(b);
}

/* guards without bytes of their own: copies of those that have, a little apart, at odds or not */
static void repeat_guards(fuzz_model *model, fuzz_bytes *b) {
  static const double apart[] = {1.0 / 32.0, 0.0, 1e-9, 0.5};
  const double shift = apart[fuzz_choice(b, sizeof apart / sizeof *apart)];
  const uint8_t how = fuzz_byte(b);
  for (size_t k = FUZZ_OWN; k < model->guard_count; k++) {
    fuzz_guard *const g = &model->guard[k];
    *g = model->guard[k % FUZZ_OWN];
    g->offset += shift * (double)(k / FUZZ_OWN);
    if (how & 1 && k & 1) g->scale = -g->scale;
    for (size_t i = 0; how & 2 && i < model->dimension; i++) g->push[i] = g->pull[i] = 0.0;
  }
}

/* which crossings are alike, rightly or not */
void fuzz_model_read(fuzz_model *model, fuzz_bytes *b, bool wild, bool faulty) {
  *model = (fuzz_model){0};
  const size_t n = model->dimension = 1 + fuzz_choice(b, FUZZ_STATES);
  const size_t own = fuzz_choice(b, FUZZ_OWN + 2);
  const size_t m = model->guard_count =
      own > FUZZ_OWN ? FUZZ_OWN + 1 + fuzz_choice(b, FUZZ_GUARDS - FUZZ_OWN) : own;
  const uint8_t flags = fuzz_byte(b);
  model->one_way = flags & 1;
  model->mode_changed = flags & 2;
  model->rates = flags & 4;
  model->jacobian = !model->rates || flags & 8;
  if (flags & 16) model->drive = fuzz_number(b, wild);

  for (size_t i = 0; i < n; i++) model->constant[i] = fuzz_number(b, wild);
  read_matrix(model, b, wild, flags & 32);
  for (size_t k = 0; k < m && k < FUZZ_OWN; k++) {
    read_shape(model, k, b, wild);
    for (size_t i = 0; i < n; i++) model->guard[k].push[i] = sparse(b, wild);
    for (size_t i = 0; i < n; i++) model->guard[k].pull[i] = 4.0 * sparse(b, wild);
  }
  if (m > FUZZ_OWN) repeat_guards(model, b);
  model->some_rates = flags & 64;
  model->has_resets = flags & 128;
  if (model->has_resets) read_resets(model, b);
  if (!faulty) return;
  model->fault_count = fuzz_choice(b, FUZZ_FAULTS + 1);
  for (size_t i = 0; i < model->fault_count; i++) read_fault(&model->fault[i], b);
}

void fuzz_state_read(const fuzz_model *model, fuzz_bytes *b, bool wild, double x[]) {
  for (size_t i = 0; i < model->dimension; i++) x[i] = fuzz_number(b, wild);
  for (size_t k = 0; k < model->guard_count; k++) {
    const fuzz_guard *const g = &model->guard[k];
    if (g->shape != FUZZ_COORDINATE || fuzz_byte(b) % 4 != 3) continue;
    for (size_t i = 0; i < model->dimension; i++)
      if (g->normal[i] != 0.0) x[i] = -g->offset / g->normal[i];
  }
}

/* ---- the callbacks --------------------------------------------------------------------------- */

/* normal.x, a zero not being looked at: a field may well ignore a state that overflows */
static double dot(const double normal[], const double x[], size_t n) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++)
    if (normal[i] != 0.0) sum += normal[i] * x[i];
  return sum;
}

/* counts the call, and lets it go wrong where the first fault that applies says so */
static int answer(fuzz_calls *calls, fuzz_callback callback, double out[], size_t count) {
  const fuzz_model *const model = calls->model;
  const uint64_t call = calls->count[callback]++;
  uint64_t total = 0;
  for (int i = 0; i < FUZZ_CALLBACKS; i++) total += calls->count[i];
  FUZZ_REQUIRE(total <= calls->limit, "%llu calls in one apply", (unsigned long long)total);
  calls->lost[callback] = false;
  for (size_t i = 0; i < model->fault_count; i++) {
    const fuzz_fault *const fault = &model->fault[i];
    if (fault->callback != callback || call < fault->call) continue;
    if (call > fault->call && !fault->lasting) continue;
    if (fault->code) return calls->code = fault->code;
    if (!count) continue;
    calls->lost[callback] = fault->lasting && !isfinite(fault->value);
    out[fault->place % count] = fault->value;
    return 0;
  }
  return 0;
}

/* what the field adds for each guard whose sign is +1 */
static void add_contacts(const fuzz_model *model, const double x[], const double sign[],
                         double dxdt[]) {
  for (size_t k = 0; k < model->guard_count; k++) {
    const fuzz_guard *const g = &model->guard[k];
    if (sign[k] < 0.0) continue;
    const double s = dot(g->normal, x, model->dimension) + g->offset;
    for (size_t i = 0; i < model->dimension; i++)
      dxdt[i] += g->push[i] + (g->pull[i] != 0.0 ? g->pull[i] * s : 0.0);
  }
}

/* how large the terms of each guard's h, or of its rate, have been: |normal|.|v| + rest */
static void remember(const fuzz_model *model, const double v[], bool offset, double largest[]) {
  for (size_t k = 0; k < model->guard_count; k++) {
    const fuzz_guard *const g = &model->guard[k];
    double size = offset ? fabs(g->offset) : 0.0;
    for (size_t i = 0; i < model->dimension; i++) size += fabs(g->normal[i] * v[i]);
    largest[k] = fmax(largest[k], fabs(g->scale) * size);
  }
}

FIELD_CODE(field) {
  fuzz_calls *const calls = params;
  const fuzz_model *const model = calls->model;
  const size_t n = model->dimension, m = model->guard_count;
  FUZZ_REQUIRE(fuzz_signs_exact(sign, m), "field, t = %g", t);
  if (model->mode_changed)
    FUZZ_REQUIRE(!memcmp(sign, calls->sign, m * sizeof *sign), "untold mode, t = %g", t);
  FUZZ_REQUIRE(t <= calls->time_limit, "field called at %.17g, past %.17g", t, calls->time_limit);
  calls->hash = fuzz_hash(calls->hash, &t, sizeof t);
  calls->hash = fuzz_hash(calls->hash, x, n * sizeof *x);
  calls->hash = fuzz_hash(calls->hash, sign, m * sizeof *sign);
  for (size_t i = 0; i < n; i++) dxdt[i] = model->constant[i] + dot(model->matrix[i], x, n);
  if (model->drive != 0.0) dxdt[0] += model->drive * sin(t);
  add_contacts(model, x, sign, dxdt);
  remember(model, dxdt, false, calls->fastest);
  for (size_t i = 0; i < n; i++) calls->swiftest = fmax(calls->swiftest, fabs(dxdt[i]));
  return answer(calls, FUZZ_FIELD, dxdt, n);
}

/* value and gradient of one event function */
static double evaluate(const fuzz_guard *g, const double x[], size_t n, double gradient[]) {
  const double s = dot(g->normal, x, n) + g->offset;
  double value = s, slope = 1.0;
  if (g->shape == FUZZ_SPHERE) {
    value = g->offset;
    for (size_t i = 0; i < n; i++) {
      const double from = x[i] - g->normal[i];
      value -= from * from;
      gradient[i] = -2.0 * from * g->scale;
    }
    return g->scale * value;
  }
  if (g->shape == FUZZ_WAVE) {
    value = sin(3.0 * s);
    slope = 3.0 * cos(3.0 * s);
  } else if (g->shape == FUZZ_CUBIC) {
    value = s * s * s;
    slope = 3.0 * s * s;
  } else if (g->shape == FUZZ_PLATEAU && !(s > 0.0)) {
    value = slope = 0.0;
  } else if (g->shape == FUZZ_ZERO) {
    value = slope = 0.0;
  }
  for (size_t i = 0; i < n; i++) gradient[i] = g->scale * slope * g->normal[i];
  return g->scale * value;
}

GUARDS_CODE(guards) {
  fuzz_calls *const calls = params;
  const fuzz_model *const model = calls->model;
  double gradient[FUZZ_STATES];
  calls->hash = fuzz_hash(calls->hash, x, model->dimension * sizeof *x);
  for (size_t k = 0; k < model->guard_count; k++)
    h[k] = evaluate(&model->guard[k], x, model->dimension, gradient);
  remember(model, x, true, calls->largest);
  return answer(calls, FUZZ_EVENTS, h, model->guard_count);
}

GUARD_JACOBIAN_CODE(guard_jacobian) {
  fuzz_calls *const calls = params;
  const fuzz_model *const model = calls->model;
  const size_t n = model->dimension, m = model->guard_count;
  calls->hash = fuzz_hash(calls->hash, x, n * sizeof *x);
  for (size_t k = 0; k < m; k++) {
    evaluate(&model->guard[k], x, n, Dh + k * n);
    for (size_t i = 0; i < n; i++) Dh[k * n + i] *= model->guard[k].rate_factor;
  }
  return answer(calls, FUZZ_JACOBIAN, Dh, m * n);
}

GUARD_RATES_CODE(guard_rates) {
  fuzz_calls *const calls = params;
  const fuzz_model *const model = calls->model;
  const size_t n = model->dimension, m = model->guard_count;
  double both[2 * FUZZ_GUARDS], gradient[FUZZ_STATES];
  calls->hash = fuzz_hash(calls->hash, x, n * sizeof *x);
  calls->hash = fuzz_hash(calls->hash, v, n * sizeof *v);
  for (size_t k = 0; k < m; k++) {
    both[k] = evaluate(&model->guard[k], x, n, gradient);
    both[m + k] = model->guard[k].rate_factor * dot(gradient, v, n);
  }
  remember(model, x, true, calls->largest);
  const int code = answer(calls, FUZZ_RATES, both, 2 * m);
  memcpy(h, both, m * sizeof *h);
  memcpy(rate, both + m, m * sizeof *rate);
  return code;
}

SOME_RATES_CODE(some_guard_rates) {
  fuzz_calls *const calls = params;
  const fuzz_model *const model = calls->model;
  double both[2 * FUZZ_GUARDS], gradient[FUZZ_STATES];
  FUZZ_REQUIRE(count <= model->guard_count, "%zu event functions asked for", count);
  calls->hash = fuzz_hash(calls->hash, x, model->dimension * sizeof *x);
  calls->hash = fuzz_hash(calls->hash, v, model->dimension * sizeof *v);
  calls->hash = fuzz_hash(calls->hash, which, count * sizeof *which);
  for (size_t i = 0; i < count; i++) {
    FUZZ_REQUIRE(which[i] < model->guard_count, "event function %zu", which[i]);
    const fuzz_guard *const g = &model->guard[which[i]];
    both[i] = evaluate(g, x, model->dimension, gradient);
    both[count + i] = g->rate_factor * dot(gradient, v, model->dimension);
  }
  remember(model, x, true, calls->largest);
  const int code = answer(calls, FUZZ_SOME_RATES, both, 2 * count);
  memcpy(h, both, count * sizeof *h);
  memcpy(rate, both + count, count * sizeof *rate);
  return code;
}

ARMED_AT_START_CODE(start_armed) {
  fuzz_calls *const calls = params;
  const fuzz_model *const model = calls->model;
  const size_t m = model->guard_count;
  FUZZ_REQUIRE(fuzz_signs_exact(sign, m), "start");
  calls->hash = fuzz_hash(calls->hash, sign, m * sizeof *sign);
  for (size_t k = 0; k < m; k++) {
    FUZZ_REQUIRE(armed[ESS_GUARD_UP(k)] == (sign[k] < 0.0), "start, guard %zu up", k);
    FUZZ_REQUIRE(armed[ESS_GUARD_DOWN(k)] == (sign[k] > 0.0 && !model->one_way),
                 "start, guard %zu down", k);
  }
  for (size_t j = 0; j < 2 * m; j++) armed[j] = armed[j] && !model->resets.unarmed[j];
  return answer(calls, FUZZ_START, NULL, 0);
}

MODE_CHANGED_CODE(mode_changed) {
  fuzz_calls *const calls = params;
  const size_t m = calls->model->guard_count;
  FUZZ_REQUIRE(guard <= m && fuzz_signs_exact(sign, m), "mode_changed of guard %zu", guard);
  for (size_t k = 0; guard < m && k < m; k++)
    FUZZ_REQUIRE(sign[k] == (k == guard ? -calls->sign[k] : calls->sign[k]),
                 "guard %zu was said to flip, sign %zu is %g", guard, k, sign[k]);
  memcpy(calls->sign, sign, m * sizeof *sign);
  calls->told = fuzz_hash(calls->told, &guard, sizeof guard);
  return answer(calls, FUZZ_MODE, NULL, 0);
}

ess_system fuzz_system(const fuzz_model *model, fuzz_calls *calls) {
  return (ess_system){.dimension = model->dimension,
                      .guard_count = model->guard_count,
                      .field = field,
                      .guards = guards,
                      .guard_jacobian = model->jacobian ? guard_jacobian : NULL,
                      .guard_rates = model->rates ? guard_rates : NULL,
                      .some_guard_rates = model->some_rates ? some_guard_rates : NULL,
                      .mode_changed = model->mode_changed ? mode_changed : NULL,
                      .resets = model->has_resets ? &model->resets.matrix : NULL,
                      .one_way = model->one_way,
                      .params = calls};
}

void fuzz_system_damage(ess_system *system, uint8_t which) {
  if (which == 0) system->dimension = 0;
  if (which == 1) system->field = NULL;
  if (which == 2) system->guards = NULL;
  if (which == 3) system->guard_jacobian = NULL;
  if (which == 4) system->guard_rates = NULL;
}

void fuzz_calls_start(fuzz_calls *calls, const fuzz_model *model) {
  *calls = (fuzz_calls){.model = model, .limit = UINT64_MAX, .time_limit = INFINITY};
}

/* ---- for the reader -------------------------------------------------------------------------- */

void fuzz_numbers_print(const char *name, const double v[], size_t count, FILE *out) {
  fprintf(out, "  %s", name);
  for (size_t i = 0; i < count; i++) fprintf(out, " %.17g", v[i]);
  fputc('\n', out);
}

void fuzz_model_print(const fuzz_model *model, FILE *out) {
  static const char *const shapes[FUZZ_SHAPES] = {"coordinate", "affine", "duplicate", "sphere",
                                                  "wave",       "cubic",  "plateau",   "zero"};
  static const char *const callbacks[FUZZ_CALLBACKS] = {
      "field",        "guards", "guard_jacobian", "guard_rates", "some_guard_rates",
      "mode_changed", "start"};
  const size_t n = model->dimension;
  fprintf(out, "n %zu, m %zu, one_way %d, rates %d, jacobian %d, some %d, mode_changed %d, ", n,
          model->guard_count, model->one_way, model->rates, model->jacobian, model->some_rates,
          model->mode_changed);
  fprintf(out, "drive %.17g\n", model->drive);
  fuzz_numbers_print("constant", model->constant, n, out);
  for (size_t i = 0; i < n; i++) fuzz_numbers_print("matrix row", model->matrix[i], n, out);
  for (size_t k = 0; k < model->guard_count; k++) {
    const fuzz_guard *const g = &model->guard[k];
    fprintf(out, "guard %zu: %s, offset %.17g, scale %.17g, rates times %.17g\n", k,
            shapes[g->shape], g->offset, g->scale, g->rate_factor);
    fuzz_numbers_print("normal", g->normal, n, out);
    fuzz_numbers_print("push", g->push, n, out);
    fuzz_numbers_print("pull", g->pull, n, out);
  }
  for (size_t j = 0; model->has_resets && j <= 2 * model->guard_count; j++) {
    const fuzz_resets *const r = &model->resets;
    fprintf(out, "row %zu%s%s:", j, r->silent[j] ? " silent" : "", r->unarmed[j] ? " unarmed" : "");
    for (size_t i = r->row_start[j]; i < r->row_start[j + 1]; i++)
      fprintf(out, " %+d*%zu", r->effect[i], r->guard[i]);
    fputc('\n', out);
  }
  for (size_t i = 0; i < model->fault_count; i++) {
    const fuzz_fault *const f = &model->fault[i];
    fprintf(out, "%s, call %llu%s: code %d, else output %zu = %g\n", callbacks[f->callback],
            (unsigned long long)f->call, f->lasting ? " and later" : "", f->code, f->place,
            f->value);
  }
}
