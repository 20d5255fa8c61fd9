/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "taylor.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void series_free(series *s) {
  free(s->order);
  free(s->moving);
  free(s->late);
  free(s->needed);
  free(s->of);
  free(s->pair);
  free(s->is_constant);
  free(s->is_shifted);
  free(s->error);
  *s = (series){0};
}

static void *resized(void *memory, size_t count, size_t size) {
  memory = realloc(memory, (count + 1) * size);
  if (!memory) abort();
  return memory;
}

void series_need(series *s, const expressions *list, const int of[], const int count[3]) {
  s->list = list;
  if (s->room < list->count) {
    s->room = list->count;
    const size_t room = (size_t)s->room;
    s->order = resized(s->order, room, sizeof *s->order);
    s->moving = resized(s->moving, room, sizeof *s->moving);
    s->late = resized(s->late, room, sizeof *s->late);
    s->of = resized(s->of, room, sizeof *s->of);
    s->pair = resized(s->pair, room, sizeof *s->pair);
    s->needed = resized(s->needed, room, sizeof *s->needed);
    s->is_constant = resized(s->is_constant, room, sizeof *s->is_constant);
    s->error = resized(s->error, room, sizeof *s->error);
    s->is_shifted = resized(s->is_shifted, room, sizeof *s->is_shifted);
  }
  memset(s->needed, 0, (size_t)list->count);
  for (int kind = 0, i = 0; kind < 3; kind++)
    for (int end = i + count[kind]; i < end; i++)
      if (s->needed[of[i]] < 3 - kind) s->needed[of[i]] = (char)(3 - kind);
  for (int i = list->count - 1; i >= 0; i--) {
    const node *const n = &list->nodes[i];
    if (!s->needed[i] || n->op < ADD) continue;
    if (s->needed[n->left] < s->needed[i]) s->needed[n->left] = s->needed[i];
    if (n->op <= DIVIDE && s->needed[n->right] < s->needed[i]) s->needed[n->right] = s->needed[i];
  }
  s->count = 0;
  for (int i = 0; i < list->count; i++) {
    if (s->needed[i]) s->order[s->count++] = i;
    s->is_shifted[i] = false;
    s->is_constant[i] = false; /* its other terms are not 0 yet */
  }
}

/* ---- leaves and values ----------------------------------------------------------------------- */

static void set_constant(series *s, int at, bool is_constant) {
  if (!is_constant && (s->needed[at] == 3 || (s->needed[at] == 2 && s->list->nodes[at].op < ADD)))
    s->moving[s->moving_count++] = at;
  else if (!is_constant && s->needed[at] == 2)
    s->late[s->late_count++] = at;
  if (is_constant && !s->is_constant[at])
    memset(s->of[at] + 1, 0, SERIES_ORDER * sizeof *s->of[at]);
  s->is_constant[at] = is_constant;
}

static long double leaf_error(const node *n, const series_inputs *in) {
  if (n->op == STATE) return in->state_error ? in->state_error[n->left] : 0.0L;
  return n->op == TIME ? in->time_error : 0.0L;
}

static void set_leaf(series *s, const series_inputs *in, int at, int j) {
  const node *const n = &s->list->nodes[at];
  const bool is_given =
      n->op == STATE || (n->op == SIGN && in->sign_varies && in->sign_varies[n->left]) ||
      (n->op == PARAMETER && in->parameter_varies && in->parameter_varies[n->left]);
  long double value = 0.0L;
  switch (n->op) {
  case CONSTANT:
    value = n->value;
    break;
  case TIME:
    value = in->t;
    break;
  case AFTER: /* along the step, which begins or ends at this time, or does not contain it */
    value = n->left ? in->parameter[n->left - 1][0] : n->value;
    value = (in->direction > 0 ? in->t >= value : in->t > value) ? 1.0L : 0.0L;
    break;
  case STATE:
    value = in->x[n->left][j];
    break;
  case SIGN:
    value = in->sign[n->left][j];
    break;
  default:
    value = in->parameter[n->left][j];
  }
  s->of[at][j] = j == 0 || is_given ? value : n->op == TIME && j == 1 ? in->direction : 0.0L;
  if (j > 0) return;
  set_constant(s, at, !is_given && n->op != TIME);
  s->error[at] = leaf_error(n, in);
}

/* the error of a value, to first order */
static void set_error(series *s, int at) {
  const node *const n = &s->list->nodes[at];
  const int right = n->op <= DIVIDE ? n->right : n->left;
  const long double a = s->of[n->left][0], b = s->of[right][0], v = s->of[at][0];
  const long double da = s->error[n->left], db = s->error[right];
  long double error = da;
  if (n->op == ADD || n->op == SUBTRACT) error = da + db;
  if (n->op == MULTIPLY) error = fabsl(a) * db + fabsl(b) * da;
  if (n->op == DIVIDE) error = (da + fabsl(v) * db) / fabsl(b);
  if (n->op == EXPONENTIAL) error = v * da;
  if (n->op == LOGARITHM) error = da / fabsl(a);
  if (n->op == ROOT) error = da / (2.0L * v);
  s->error[at] = error + LDBL_EPSILON * fabsl(v);
}

static void set_value(series *s, int at) {
  const node *const n = &s->list->nodes[at];
  const int right = n->op <= DIVIDE ? n->right : n->left;
  const long double a = s->of[n->left][0], b = s->of[right][0];
  long double v, pair = 0.0L;
  switch (n->op) {
  case ADD:
    v = a + b;
    break;
  case SUBTRACT:
    v = a - b;
    break;
  case MULTIPLY:
    v = a * b;
    break;
  case DIVIDE:
    v = a / b;
    break;
  case SINE:
    v = sinl(a);
    pair = cosl(a);
    break;
  case COSINE:
    v = cosl(a);
    pair = sinl(a);
    break;
  case EXPONENTIAL:
    v = expl(a);
    break;
  case LOGARITHM:
    v = logl(a);
    break;
  default:
    v = sqrtl(a);
  }
  s->of[at][0] = v;
  s->pair[at][0] = pair;
  const bool left_is = s->is_constant[n->left], right_is = s->is_constant[right];
  const bool is_nothing = n->op == MULTIPLY && ((left_is && a == 0.0L) || (right_is && b == 0.0L));
  set_constant(s, at, (left_is && right_is) || is_nothing);
  set_error(s, at);
}

/* ---- coefficients ---------------------------------------------------------------------------- */

/* sum of i a_i b_(j-i), over i from 1 to `to` */
static long double moment(const terms a, const terms b, int j, int to) {
  long double sum = 0.0L;
  for (int i = 1; i <= to; i++) sum += (long double)i * a[i] * b[j - i];
  return sum;
}

/* sum of a_i b_(j-i), over i from `from` to `to` */
static long double convolution(const terms a, const terms b, int j, int from, int to) {
  long double sum = 0.0L;
  for (int i = from; i <= to; i++) sum += a[i] * b[j - i];
  return sum;
}

/* coefficients from `from` to `to` */
static void set_coefficients(series *s, int at, int from, int to) {
  const node *const n = &s->list->nodes[at];
  const bool is_binary = n->op <= DIVIDE;
  const int right = is_binary ? n->right : n->left;
  const long double *a = s->of[n->left], *b = s->of[right];
  long double *const c = s->of[at], *const pair = s->pair[at];
  const bool is_scaled = n->op == MULTIPLY && (s->is_constant[n->left] || s->is_constant[right]);
  if (n->op == ADD || n->op == SUBTRACT || is_scaled) {
    const long double sign = n->op == SUBTRACT ? -1.0L : 1.0L;
    if (is_scaled && s->is_constant[n->left]) a = b;
    const long double by = s->of[a == b ? n->left : right][0];
    if (is_scaled)
      for (int j = from; j <= to; j++) c[j] = by * a[j];
    else if (s->is_constant[n->left])
      for (int j = from; j <= to; j++) c[j] = sign * b[j];
    else if (s->is_constant[right])
      for (int j = from; j <= to; j++) c[j] = a[j];
    else
      for (int j = from; j <= to; j++) c[j] = a[j] + sign * b[j];
    return;
  }
  for (int j = from; j <= to; j++) {
    const long double by = (long double)j;
    switch (n->op) {
    case MULTIPLY:
      c[j] = convolution(a, b, j, 0, j);
      break;
    case DIVIDE:
      c[j] = s->is_constant[n->right] ? a[j] / b[0] : (a[j] - convolution(b, c, j, 1, j)) / b[0];
      break;
    case SINE:
      c[j] = moment(a, pair, j, j) / by;
      pair[j] = -moment(a, c, j, j) / by;
      break;
    case COSINE:
      c[j] = -moment(a, pair, j, j) / by;
      pair[j] = moment(a, c, j, j) / by;
      break;
    case EXPONENTIAL:
      c[j] = moment(a, c, j, j) / by;
      break;
    case LOGARITHM:
      c[j] = (a[j] - moment(c, a, j, j - 1) / by) / a[0];
      break;
    default:
      c[j] = (a[j] - convolution(c, c, j, 1, j - 1)) / (2.0L * c[0]);
    }
  }
}

void series_term(series *s, const series_inputs *in, int j) {
  if (j == 0) s->moving_count = s->late_count = 0;
  const int *const order = j == 0 ? s->order : s->moving;
  for (int i = 0, count = j == 0 ? s->count : s->moving_count; i < count; i++) {
    if (s->list->nodes[order[i]].op < ADD)
      set_leaf(s, in, order[i], j);
    else if (j == 0)
      set_value(s, order[i]);
    else
      set_coefficients(s, order[i], j, j);
  }
}

void series_errors(series *s, const series_inputs *in) {
  for (int i = 0; i < s->count; i++) {
    const int at = s->order[i];
    if (s->is_constant[at]) continue;
    if (s->list->nodes[at].op < ADD)
      s->error[at] = leaf_error(&s->list->nodes[at], in);
    else
      set_error(s, at);
  }
}

void series_late(series *s) {
  for (int i = 0; i < s->late_count; i++) set_coefficients(s, s->late[i], 1, SERIES_ORDER);
}

/* ---- zeros ----------------------------------------------------------------------------------- */

long double polynomial_value(const terms c, long double at) {
  long double sum = c[SERIES_ORDER];
  for (int j = SERIES_ORDER - 1; j >= 0; j--) sum = sum * at + c[j];
  return sum;
}

/* a zero between places of opposite signs, by Newton's method where that stays between them */
static long double refined(const terms c, long double low, long double high) {
  long double at = 0.5L * (low + high);
  for (int i = 0; i < 200; i++) {
    long double value = c[SERIES_ORDER], rate = 0.0L;
    for (int j = SERIES_ORDER - 1; j >= 0; j--) {
      rate = rate * at + value;
      value = value * at + c[j];
    }
    if (value == 0.0L) return at;
    *(value > 0.0L ? &low : &high) = at;
    long double next = at - value / rate;
    if (!(next > low && next < high)) next = 0.5L * (low + high);
    if (fabsl(next - at) <= LDBL_EPSILON * fabsl(at) || next == low || next == high) return next;
    at = next;
  }
  return at;
}

/* The Bernstein form of the polynomial on an interval. Its coefficients enclose the values. If all
 * are positive there is no zero; if their signs change once there is one. Else both halves are
 * looked at, the left one first. */
enum { DEPTH = 36, DEEP = 10 };

static long double first_zero(const terms c, const terms bernstein, long double low,
                              long double width, int depth, long double noise, long double *least) {
  int changes = 0;
  long double smallest = bernstein[0];
  for (int i = 1; i < SERIES_TERMS; i++) {
    changes += (bernstein[i] < 0.0L) != (bernstein[i - 1] < 0.0L);
    smallest = fminl(smallest, bernstein[i]);
  }
  const bool falls = bernstein[SERIES_ORDER] < 0.0L;
  if (changes == 0 || (!falls && (smallest > -noise || depth == DEPTH))) {
    const bool is_value = (low > 0.0L && smallest == bernstein[0]) ||
                          (low + width < 1.0L && smallest == bernstein[SERIES_ORDER]);
    if (is_value || depth >= DEEP || smallest < 0.0L) *least = fminl(*least, fmaxl(smallest, 0.0L));
    return 2.0L;
  }
  if ((changes == 1 && falls) || depth == DEPTH) return refined(c, low, low + width);
  terms left, right;
  memcpy(right, bernstein, sizeof right);
  for (int j = 0; j < SERIES_TERMS; j++) {
    left[j] = right[0];
    for (int i = 0; i < SERIES_ORDER - j; i++) right[i] = 0.5L * (right[i] + right[i + 1]);
  }
  width *= 0.5L;
  const long double found = first_zero(c, left, low, width, depth + 1, noise, least);
  if (found <= 1.0L) return found;
  return first_zero(c, right, low + width, width, depth + 1, noise, least);
}

long double polynomial_falls(const terms c, int front, long double noise, long double *least) {
  if (front > SERIES_ORDER) return 2.0L;
  if (c[front] < 0.0L) return 0.0L;
  long double others = 0.0L;
  for (int j = front + 1; j < SERIES_TERMS; j++) others += fabsl(c[j]);
  if (c[front] > others) return 2.0L;
  terms shifted = {0.0L}, bernstein;
  for (int j = front; j < SERIES_TERMS; j++) shifted[j - front] = c[j];
  /* b_i = sum over j <= i of binomial(i, j) / binomial(n, j) c_j, by differences */
  long double binomial = 1.0L;
  for (int j = 0; j < SERIES_TERMS; j++) {
    bernstein[j] = shifted[j] / binomial;
    binomial *= (long double)(SERIES_ORDER - j) / (long double)(j + 1);
  }
  for (int k = 1; k < SERIES_TERMS; k++)
    for (int i = SERIES_ORDER; i >= k; i--) bernstein[i] += bernstein[i - 1];
  return first_zero(shifted, bernstein, 0.0L, 1.0L, 0, noise, least);
}
