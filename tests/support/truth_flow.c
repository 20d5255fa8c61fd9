/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "truth_run.h"

#include <stdlib.h>
#include <string.h>

/* of a step's last coefficients */
static const long double TOLERANCE = 1e-20L;

/* so many before the last one are looked at, too: sin(t^4) has each eighth */
enum { LAST = 5 };

/* latches a sign and arms the guard ahead, which a one-way function does not have above zero */
void truth_arm(run *r, size_t k, double sign, bool armed) {
  r->now.held[k] = BESIDE;
  r->now.sign[k] = sign;
  r->now.armed[ESS_GUARD_UP(k)] = armed && sign < 0.0;
  r->now.armed[ESS_GUARD_DOWN(k)] = armed && sign > 0.0 && !r->h->one_way;
}

bool truth_has_matrix(const run *r) {
  return r->h->has_resets || r->h->has_unarmed || r->h->has_silent;
}

bool truth_may_slide(const run *r, size_t k) {
  const hybrid *const h = r->h;
  if (!r->options->sliding || h->one_way || (h->slides && !h->slides[k])) return false;
  for (size_t g = 2 * k; g < 2 * k + 2; g++) {
    if (h->silent[g] || h->impact_at[g]) return false;
    if (truth_has_matrix(r) && h->row_start[g] == h->row_start[g + 1]) return false;
    for (size_t e = h->row_start[g]; e < h->row_start[g + 1]; e++)
      if (h->row_guard[e] / 2 != k) return false;
  }
  return true;
}

/* ---- expressions ----------------------------------------------------------------------------- */

bool truth_is_zero(const run *r, int of) {
  return r->list.nodes[of].op == CONSTANT && r->list.nodes[of].value == 0.0;
}

/* the derivative with respect to time along a field */
int truth_along_field(run *r, int of, const int field[]) {
  expressions *const list = &r->list;
  int sum = expression_derivative(list, of, TIME, 0);
  for (size_t i = 0; i < r->n; i++)
    sum = expression(
        list, ADD, sum,
        expression(list, MULTIPLY, expression_derivative(list, of, STATE, (int)i), field[i]));
  return sum;
}

/* d of / d lambda_k: of a sign 2 lambda - 1, or of the parameter P + k that is a force */
static int by_lambda(run *r, int of, size_t k, bool rests) {
  if (rests) return expression_derivative(&r->list, of, PARAMETER, (int)(r->h->parameters + k));
  return expression(&r->list, MULTIPLY, expression_constant(&r->list, 2.0),
                    expression_derivative(&r->list, of, SIGN, (int)k));
}

/* The force with which impacts act on a state at rest on guard g: the map's effect on a state that
 * approaches with speed 1, (DR - I) v with grad psi . v = -1 or +1, where psi is the rate of the
 * event function. It enters the field with a factor, the parameter P + k. */
void truth_add_force(run *r, size_t g, int field[]) {
  hybrid *const h = r->h;
  expressions *const list = &r->list;
  const hybrid_impact *const impact = &h->impact[g];
  const size_t k = g / 2;
  const double near = g % 2 ? 1.0 : -1.0;
  if (impact->mode[k] == (near < 0.0 ? 1 : -1)) return;
  const int zero = expression_constant(list, 0.0);
  const int psi = truth_along_field(r, r->event[k], h->rate);
  int gradient[HYBRID_STATES], square = zero;
  for (size_t j = 0; j < r->n; j++) {
    gradient[j] = expression_derivative(list, psi, STATE, (int)j);
    square = expression(list, ADD, square, expression(list, MULTIPLY, gradient[j], gradient[j]));
  }
  const int factor = expression(list, PARAMETER, (int)(h->parameters + k), 0);
  const int scale = expression(list, DIVIDE, expression_constant(list, -near), square);
  for (size_t i = 0; i < r->n; i++) {
    if (!impact->changes[i]) continue;
    int after = zero, sum = zero;
    for (size_t o = 0; o < impact->after.count; o++)
      if (impact->after.places[o] == i) after = impact->after.outputs[o];
    for (size_t j = 0; j < r->n; j++) {
      int entry = expression_derivative(list, after, STATE, (int)j);
      if (i == j) entry = expression(list, SUBTRACT, entry, expression_constant(list, 1.0));
      sum = expression(list, ADD, sum, expression(list, MULTIPLY, entry, gradient[j]));
    }
    sum = expression(list, MULTIPLY, sum, expression(list, MULTIPLY, scale, factor));
    field[i] = expression(list, ADD, field[i], sum);
  }
  r->can_rest[k] = true;
}

/* The same expression with sign k replaced by a number. known[i]: node i so replaced, or -1. */
static int with_sign(run *r, int of, size_t k, double sign, int known[]) {
  const node n = r->list.nodes[of];
  if (known[of] >= 0) return known[of];
  if (n.op == SIGN && n.left == (int)k) return known[of] = expression_constant(&r->list, sign);
  if (n.op < ADD) return known[of] = of;
  const int left = with_sign(r, n.left, k, sign, known);
  const int right = n.op <= DIVIDE ? with_sign(r, n.right, k, sign, known) : 0;
  return known[of] = expression(&r->list, n.op, left, right);
}

/* Makes the field affine in sign k: the mean of both sides, and the sign times half their
 * difference, so that a share lambda of the sign is that of the field. */
void truth_make_affine(run *r, size_t k) {
  expressions *const list = &r->list;
  for (size_t i = 0; i < r->n; i++) {
    const int once = expression_derivative(list, r->field[i], SIGN, (int)k);
    if (truth_is_zero(r, expression_derivative(list, once, SIGN, (int)k))) continue;
    int side[2];
    for (int s = 0; s < 2; s++) {
      int *const known = truth_room((size_t)list->count, sizeof *known);
      memset(known, -1, (size_t)list->count * sizeof *known);
      side[s] = with_sign(r, r->field[i], k, s ? 1.0 : -1.0, known);
      free(known);
    }
    const int half = expression_constant(list, 0.5);
    const int mean = expression(list, MULTIPLY, half, expression(list, ADD, side[0], side[1]));
    const int jump = expression(list, MULTIPLY, half, expression(list, SUBTRACT, side[1], side[0]));
    const int sign = expression(list, SIGN, (int)k, 0);
    r->field[i] = expression(list, ADD, mean, expression(list, MULTIPLY, sign, jump));
  }
}

const surface *truth_surface_of(run *r, size_t k) {
  surface *const s = &r->surfaces[k];
  if (s->is_made) return s;
  *s = (surface){.is_made = true, .is_second = r->can_rest[k]};
  const int rate = r->rates[k];
  if (truth_is_zero(r, by_lambda(r, rate, k, false))) s->is_second = true;
  s->held = s->is_second ? truth_along_field(r, rate, r->field) : rate;
  if (!r->can_rest[k] && truth_is_zero(r, by_lambda(r, s->held, k, false)))
    s->fault = "neither h' nor h'' depends on the sign";
  return s;
}

static int effect_on(run *r, size_t k, size_t l) {
  int *const of = &r->effect[k * r->m + l];
  if (*of < 0) *of = by_lambda(r, truth_surface_of(r, k)->held, l, r->can_rest[l]);
  return *of;
}

/* ---- the flow in a mode ---------------------------------------------------------------------- */

/* solves A y = b by elimination with pivots, or returns false; b becomes y */
static bool solve(size_t count, long double A[], long double b[]) {
  long double largest = 0.0L;
  for (size_t i = 0; i < count * count; i++) largest = fmaxl(largest, fabsl(A[i]));
  for (size_t p = 0; p < count; p++) {
    size_t best = p;
    for (size_t i = p + 1; i < count; i++)
      if (fabsl(A[i * count + p]) > fabsl(A[best * count + p])) best = i;
    if (!(fabsl(A[best * count + p]) > 1e-15L * largest)) return false;
    for (size_t j = 0; j < count && best != p; j++) {
      const long double swapped = A[p * count + j];
      A[p * count + j] = A[best * count + j];
      A[best * count + j] = swapped;
    }
    const long double swapped = b[p];
    b[p] = b[best];
    b[best] = swapped;
    for (size_t i = p + 1; i < count; i++) {
      const long double share = A[i * count + p] / A[p * count + p];
      for (size_t j = p; j < count; j++) A[i * count + j] -= share * A[p * count + j];
      b[i] -= share * b[p];
    }
  }
  for (size_t p = count; p-- > 0;) {
    for (size_t j = p + 1; j < count; j++) b[p] -= A[p * count + j] * b[j];
    b[p] /= A[p * count + p];
  }
  return true;
}

size_t truth_list_held(const run *r, size_t set[]) {
  size_t count = 0;
  for (size_t k = 0; k < r->m; k++)
    if (r->now.held[k] != BESIDE) set[count++] = k;
  return count;
}

static void need_expressions(run *r, const size_t set[], size_t count) {
  if (r->is_needed && !memcmp(r->needed.held, r->now.held, sizeof r->now.held)) return;
  int *const of = truth_room(r->n + 2 * r->functions + count * (count + 2) + count, sizeof *of);
  int size = 0;
  for (size_t i = 0; i < r->n; i++) of[size++] = r->field[i];
  for (size_t a = 0; a < count; a++) of[size++] = truth_surface_of(r, set[a])->held;
  const int flow = size;
  for (size_t k = 0; k < r->functions; k++) of[size++] = function(r, k);
  for (size_t a = 0; a < count; a++) of[size++] = effect_on(r, set[a], set[a]);
  const int whole = size;
  for (size_t a = 0; a < count; a++)
    for (size_t b = 0; b < count; b++) of[size++] = effect_on(r, set[a], set[b]);
  for (size_t k = 0; k < r->functions; k++) of[size++] = r->rates[k];
  series_need(&r->flow, &r->list, of, (const int[]){flow, whole - flow, size - whole});
  free(of);
  r->needed = r->now;
  r->is_needed = true;
}

static void set_lambda(run *r, size_t k, int j, long double value) {
  r->lambda[k][j] = value;
  if (r->now.held[k] == SLIDES) r->signs[k][j] = 2.0L * value - (j == 0 ? 1.0L : 0.0L);
  if (r->now.held[k] == RESTS) r->parameters[r->h->parameters + k][j] = value;
}

/* How far a series is good: to where its last coefficients are small beside what it has become, or
 * beside the size of its terms, or that of the terms of its rate. Coefficients that may be rounding
 * of others, where a state is held, say nothing. */
/* the logarithm, to double precision */
static double log2_of(long double value) {
  int power;
  const double part = (double)frexpl(value, &power);
  return log2(part) + power;
}

static long double reach(const terms c, const terms garbage, long double size, long double rate) {
  double far = INFINITY;
  for (int last = SERIES_ORDER - LAST; last <= SERIES_ORDER; last++) {
    if (fabsl(c[last]) <= garbage[last]) continue;
    const double least = log2_of(fabsl(c[last]) / TOLERANCE);
    double most = (log2_of(fmaxl(fabsl(c[0]), size)) - least) / last;
    for (int j = 1; j <= 6; j++)
      most = fmax(most, (log2_of(fmaxl(fabsl(c[j]), j == 1 ? rate : 0.0L)) - least) / (last - j));
    far = fmin(far, most);
  }
  return far < INFINITY ? exp2(far) : INFINITY;
}

static long double reach_of(const run *r, size_t k, const terms garbage) {
  return reach(series_of(r, k), garbage, size_of(r, k), r->flow.error[r->rates[k]] / LDBL_EPSILON);
}

long double truth_lambda_noise(const run *r, size_t k) {
  return 1e-16L * (r->now.held[k] == RESTS ? fmaxl(1.0L, fabsl(r->lambda[k][0])) : 1.0L);
}

/* Series of everything from the present state, in the present mode. Coefficient j of what the
 * lambda hold at zero is linear in their coefficients j, and Newton's method finds those of j = 0.
 * Returns false where there is no solution. */
bool truth_flow(run *r) {
  size_t set[HYBRID_EVENTS];
  const size_t count = truth_list_held(r, set);
  need_expressions(r, set, count);
  series_inputs in = {r->t,     r->direction,  r->along,
                      r->signs, r->parameters, r->slides,
                      r->rests, r->error,      LDBL_EPSILON * fabsl(r->t)};
  for (size_t i = 0; i < r->n; i++) {
    r->along[i][0] = r->x[i];
    r->error[i] = LDBL_EPSILON * fmaxl(r->size[i], fabsl(r->x[i]));
    if (r->begins && r->options->is_rounded)
      r->error[i] = DBL_EPSILON * fmaxl(1.0L, fabsl(r->x[i])) / 16.0L;
  }
  for (size_t k = 0; k < r->m; k++) {
    r->slides[k] = r->now.held[k] == SLIDES;
    r->rests[r->h->parameters + k] = r->now.held[k] == RESTS;
    r->signs[k][0] = r->now.sign[k];
    r->parameters[r->h->parameters + k][0] = 0.0L;
    set_lambda(r, k, 0, 0.5L);
  }
  long double *const effect = truth_room(count * count, sizeof *effect);
  long double *const matrix = truth_room(count * count, sizeof *matrix);
  long double *const by = truth_room(count, sizeof *by);
  bool is_solved = true;
  for (int j = 0; is_solved && j < SERIES_TERMS; j++) {
    bool is_done = count == 0;
    for (size_t a = 0; a < count && j > 0; a++) set_lambda(r, set[a], j, 0.0L);
    series_term(&r->flow, &in, j);
    for (int newton = 0; is_solved && !is_done && newton < 20; newton++) {
      for (size_t a = 0; a < count; a++) {
        by[a] = -r->flow.of[r->surfaces[set[a]].held][j];
        for (size_t b = 0; b < count && j == 0; b++)
          effect[a * count + b] = r->flow.of[r->effect[set[a] * r->m + set[b]]][0];
      }
      memcpy(matrix, effect, count * count * sizeof *matrix);
      is_solved = solve(count, matrix, by);
      is_done = j > 0;
      long double change = 0.0L;
      for (size_t a = 0; a < count && is_solved; a++) {
        const long double value = r->lambda[set[a]][j] + by[a];
        change = fmaxl(change, fabsl(by[a]) / (1.0L + fabsl(value)));
        set_lambda(r, set[a], j, value);
      }
      is_done = is_done || change <= 4.0L * LDBL_EPSILON;
      series_term(&r->flow, &in, j);
    }
    for (size_t i = 0; i < r->n && j < SERIES_ORDER; i++)
      r->along[i][j + 1] = r->direction * r->flow.of[r->field[i]][j] / (long double)(j + 1);
  }
  series_late(&r->flow);
  free(effect);
  free(matrix);
  free(by);
  terms garbage = {0.0L};
  for (int last = SERIES_ORDER - LAST; last <= SERIES_ORDER; last++) {
    for (size_t i = 0; i < r->n; i++)
      garbage[last] = fmaxl(garbage[last], fabsl(r->along[i][last]));
    for (int i = 0; i < r->flow.moving_count; i++) /* not those of event functions */
      for (int j = last - 2; j < last; j++)
        garbage[last] = fmaxl(garbage[last], fabsl(r->flow.of[r->flow.moving[i]][j]) / last);
    garbage[last] *= 1000.0L * LDBL_EPSILON;
  }
  r->step = fabsl(r->span);
  for (size_t i = 0; i < r->n; i++)
    r->step = fminl(r->step,
                    reach(r->along[i], garbage, 0.0L, r->flow.error[r->field[i]] / LDBL_EPSILON));
  for (size_t a = 0; a < count; a++)
    r->step = fminl(r->step, reach(r->lambda[set[a]], garbage, 1.0L, 0.0L));
  for (size_t k = 0; k < r->functions; k++) {
    r->noise[k] = TRUTH_ROUNDINGS * r->flow.error[function(r, k)];
    r->rate_noise[k] = TRUTH_ROUNDINGS * r->flow.error[r->rates[k]];
  }
  /* sizes of terms over the step, where they are zero at its beginning */
  for (size_t i = 0; i < r->n; i++)
    r->error[i] = fmaxl(r->error[i], LDBL_EPSILON * r->step * fabsl(r->along[i][1]));
  in.time_error = fmaxl(in.time_error, LDBL_EPSILON * r->step);
  series_errors(&r->flow, &in);
  for (size_t k = 0; k < r->functions; k++)
    if (k >= r->m || is_armed(r, k)) r->step = fminl(r->step, reach_of(r, k, garbage));
  return is_solved;
}

/* The coefficients of a series over a step. */
void truth_scale(const long double of[], long double by, long double to, terms c) {
  for (int j = 0; j < SERIES_TERMS; j++, by *= to) c[j] = by * of[j];
}

/* At an event so long after the beginning of the step, the first coefficients of event functions
 * without a new flow: false where these do not tell enough, or where the series of a function that
 * was not armed, which does not shorten steps, does not reach so far. */
bool truth_shift(run *r, long double by) {
  for (size_t k = 0; k < r->functions; k++) {
    const long double *const c = series_of(r, k);
    if (k < r->m && !is_armed(r, k) && reach_of(r, k, (terms){0.0L}) < by) return false;
    long double value = c[SERIES_ORDER], rate = 0.0L;
    for (int j = SERIES_ORDER - 1; j >= 0; j--) {
      rate = rate * by + value;
      value = value * by + c[j];
    }
    const bool is_hit = r->zeros[k] > 0;
    if (is_hit ? fabsl(rate) <= 16.0L * (r->rate_noise[k] + noise_of(r, k) / by)
               : fabsl(value) <= 16.0L * fmaxl(noise_of(r, k), r->noise[k]))
      return false;
  }
  for (size_t k = 0; k < r->functions; k++) {
    long double *const c = r->flow.of[function(r, k)];
    if (r->flow.is_shifted[function(r, k)]) continue; /* of an equal event function */
    r->flow.is_shifted[function(r, k)] = true;
    long double value = c[SERIES_ORDER], rate = 0.0L, half = 0.0L;
    for (int j = SERIES_ORDER - 1; j >= 0; j--) {
      half = half * by + rate;
      rate = rate * by + value;
      value = value * by + c[j];
    }
    c[0] = value;
    c[1] = rate;
    c[2] = half;
  }
  for (size_t k = 0; k < r->functions; k++) r->flow.is_shifted[function(r, k)] = false;
  return true;
}

/* How a function begins: the sign of its first coefficient that is not rounding, and its place. */
int truth_lead_of(const run *r, size_t k, int *place) {
  terms c;
  int j = is_on(r, k) ? 1 : 0;
  if (j == 1 && (r->zeros[k] > 1 || fabsl(series_of(r, k)[1]) <= r->rate_noise[k])) j = 2;
  truth_scale(series_of(r, k), 1.0L, r->step, c);
  /* the force that held it has come to zero here, and so has h'' */
  if (j == 2 && r->at_bound[0][k] && fabsl(c[2]) <= 1e-9L * fabsl(c[3])) j = 3;
  while (j >= 2 && j < SERIES_TERMS && !(fabsl(c[j]) > noise_of(r, k))) j++;
  if (place) *place = j;
  return j == SERIES_TERMS ? 0 : c[j] < 0.0L ? -1 : 1;
}

/* the same of a share or force lambda, and of 1 - lambda */
int truth_lead_of_lambda(const run *r, size_t k, bool is_rest, terms c, int *place) {
  truth_scale(r->lambda[k], 1.0L, r->step, c);
  for (int j = 0; j < SERIES_TERMS && is_rest; j++) c[j] = (j == 0 ? 1.0L : 0.0L) - c[j];
  /* if the same surfaces hold the state as before */
  int j = r->at_bound[is_rest][k] && fabsl(c[0]) <= 1e6L * truth_lambda_noise(r, k) ? 1 : 0;
  while (j < SERIES_TERMS && !(fabsl(c[j]) > truth_lambda_noise(r, k))) j++;
  *place = j;
  return j == SERIES_TERMS ? 0 : c[j] < 0.0L ? -1 : 1;
}
