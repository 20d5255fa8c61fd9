/*
 * The order test's system: piecewise affine in (x, y, z), Table 4.1 of Anderson & Revzen (2024),
 * with its exact solution.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "affine3.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_roots.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 3, AUGMENTED = N + 1, PIECES = AFFINE3_GUARDS + 1, BRENT_ITERATIONS = 200 };
enum { DURATION, START_X, START_Y, START_Z, PARAMETER_COUNT };

static const model_parameter parameters[PARAMETER_COUNT] = {
    [DURATION] = {"duration", 0.5, 1e-3, 10, false, NULL, "duration of the run, s"},
    [START_X] = {"start-x", -0.4, -10, 10, false, NULL, "initial x"},
    [START_Y] = {"start-y", -0.15, -10, 10, false, NULL, "initial y"},
    [START_Z] = {"start-z", 0.3, -10, 10, false, NULL, "initial z"},
};

static const char *const state_names[N] = {"x", "y", "z"};

/* Rows of Table 4.1 as (constant, x, y, z) coefficients, by [y >= 0][x >= 0], and [z <= 0]. */
static const double row_x[2][2][AUGMENTED] = {{{1, 0, -1, 0}, {1, 0, -2, 0}},
                                              {{1, 0, 1, 0}, {1, 10, 0, 0}}};
static const double row_y[2][2][AUGMENTED] = {{{1, 1, 0, 0}, {2, 0.5, 0, 0}},
                                              {{1, -1, 0, 0}, {1, 0, 1, 0}}};
static const double row_z[2][AUGMENTED] = {{-1, 0, 0, -1}, {-1, 0, 0, 3}};

/* The affine field of a mode: dx/dt of component i is row[i] . (1, x, y, z). */
static void rows_of_mode(const double sign[], const double *rows[N]) {
  const bool x = sign[0] > 0, y = sign[1] > 0, z = sign[2] > 0;
  rows[0] = row_x[y][x];
  rows[1] = row_y[y][x];
  rows[2] = row_z[z];
}

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)t, (void)params;
  const double *rows[N];
  rows_of_mode(sign, rows);
  for (size_t i = 0; i < N; i++) {
    const double *row = rows[i];
    dxdt[i] = row[0] + row[1] * x[0] + row[2] * x[1] + row[3] * x[2];
  }
  return 0;
}

static int field_jacobian(double t, const double x[], const double sign[], double J[],
                          void *params) {
  (void)t, (void)x, (void)params;
  const double *rows[N];
  rows_of_mode(sign, rows);
  for (size_t i = 0; i < N; i++) memcpy(J + i * N, rows[i] + 1, N * sizeof *J);
  return 0;
}

static int event_functions(double t, const double x[], double h[], void *params) {
  (void)t;
  (void)params;
  h[0] = x[0];
  h[1] = x[1];
  h[2] = -x[2];
  return 0;
}

static int event_jacobian(double t, const double x[], double Dh[], void *params) {
  (void)t;
  (void)x, (void)params;
  static const double jacobian[N * N] = {1, 0, 0, 0, 1, 0, 0, 0, -1};
  memcpy(Dh, jacobian, sizeof jacobian);
  return 0;
}

static int event_rates(double t, const double x[], double vt, const double v[],
                       const size_t which[], size_t count, double h[], double rate[],
                       void *params) {
  (void)vt;
  double all[N], rates[N];
  event_functions(t, x, all, params);
  event_functions(t, v, rates, params); /* h is linear */
  for (size_t i = 0; i < count; i++) {
    h[i] = all[which ? which[i] : i];
    rate[i] = rates[which ? which[i] : i];
  }
  return 0;
}

/* A stretch of trajectory with one mode, from its start at time t. */
typedef struct piece {
  double t, x[N], sign[N];
} piece;

/*
 * Flow of a piece after time tau: the exponential of the affine field's augmentation to (x, 1). GSL
 * scales by the norm it finds; GSL_PREC_DOUBLE is needed for its full precision, measured 5e-15.
 */
static int flow(const piece *p, double tau, double x[N]) {
  const double *rows[N];
  rows_of_mode(p->sign, rows);

  // matrix of (x, y, z, 1), whose last row is zero
  double a[AUGMENTED * AUGMENTED] = {0}, e[AUGMENTED * AUGMENTED];
  for (size_t i = 0; i < N; i++) {
    for (size_t j = 0; j < N; j++) a[i * AUGMENTED + j] = rows[i][j + 1] * tau;
    a[i * AUGMENTED + N] = rows[i][0] * tau;
  }
  gsl_matrix_view matrix = gsl_matrix_view_array(a, AUGMENTED, AUGMENTED);
  gsl_matrix_view exponential = gsl_matrix_view_array(e, AUGMENTED, AUGMENTED);
  const int status =
      gsl_linalg_exponential_ss(&matrix.matrix, &exponential.matrix, GSL_PREC_DOUBLE);
  if (status) return status;

  for (size_t i = 0; i < N; i++) {
    const double *row = &e[i * AUGMENTED];
    x[i] = row[0] * p->x[0] + row[1] * p->x[1] + row[2] * p->x[2] + row[N];
  }
  return 0;
}

static piece first_piece(const double x0[]) {
  piece p = {0};
  double h[N];
  event_functions(0.0, x0, h, NULL);
  for (size_t k = 0; k < N; k++) {
    // liveness: at h = 0 the field points to the positive side
    p.x[k] = x0[k];
    p.sign[k] = h[k] < 0 ? -1 : 1;
  }
  return p;
}

/* h of one guard along a piece; NaN when the exponential fails, which ends the search. */
typedef struct guard_along {
  const piece *p;
  size_t guard;
} guard_along;

static double guard_at(double tau, void *params) {
  const guard_along *g = params;
  double x[N], h[N];
  if (flow(g->p, tau, x)) return NAN;
  event_functions(0.0, x, h, NULL);
  return h[g->guard];
}

/*
 * Time from the start of a piece to the crossing of a guard that is negative there and not at
 * tau_end: Brent's method until the bracket stops shrinking, hence to round-off.
 */
static int locate(gsl_root_fsolver *solver, guard_along g, double tau_end, double *tau) {
  gsl_function f = {.function = guard_at, .params = &g};
  int status = gsl_root_fsolver_set(solver, &f, 0, tau_end);
  for (size_t i = 0; !status && i < BRENT_ITERATIONS; i++) {
    status = gsl_root_fsolver_iterate(solver);
    *tau = gsl_root_fsolver_root(solver);
    const double lower = gsl_root_fsolver_x_lower(solver);
    const double upper = gsl_root_fsolver_x_upper(solver);
    if (!(nextafter(nextafter(lower, upper), upper) < upper)) break;
  }
  return status;
}

/*
 * The earliest crossing of a piece that ends at t1: its guard, or N, and the time since its start.
 * A one-way guard has at most one crossing in a piece, since x and -z rise all the time and y is
 * convex where it does not: the sign at the end decides.
 */
static int first_crossing(gsl_root_fsolver *solver, const piece *p, double t1, size_t *guard,
                          double *tau) {
  double x[N], h0[N], h1[N];
  const double tau_end = t1 - p->t;
  int status = flow(p, tau_end, x);
  event_functions(0.0, p->x, h0, NULL);
  event_functions(0.0, x, h1, NULL);
  *guard = N;
  *tau = tau_end;
  for (size_t k = 0; !status && k < N; k++) {
    if (p->sign[k] > 0 || h1[k] < 0) continue;
    double candidate = 0;
    if (h0[k] < 0) status = locate(solver, (guard_along){p, k}, tau_end, &candidate);
    if (*guard < N && candidate >= *tau) continue;
    *guard = k;
    *tau = candidate;
  }
  return status;
}

/* All pieces up to t1, and the guard that ends each but the last. */
static int find_pieces(const double x0[], double t1, piece pieces[PIECES], size_t ends[PIECES],
                       size_t *count) {
  gsl_root_fsolver *solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
  if (!solver) return GSL_ENOMEM;
  pieces[0] = first_piece(x0);
  size_t last = 0;
  int status = GSL_SUCCESS;
  while (!status) {
    double tau = 0;
    status = first_crossing(solver, &pieces[last], t1, &ends[last], &tau);
    if (status || ends[last] == N) break;

    // the next piece starts on the guard, on its other side
    piece next = pieces[last];
    status = flow(&pieces[last], tau, next.x);
    next.t += tau;
    next.x[ends[last]] = 0;
    next.sign[ends[last]] = 1;
    pieces[++last] = next;
  }
  *count = last + 1;
  gsl_root_fsolver_free(solver);
  return status;
}

/* find_pieces with its refusals as one line. */
static int checked_pieces(const double x0[], double t1, piece pieces[PIECES], size_t ends[PIECES],
                          size_t *count, char message[MODEL_MESSAGE_SIZE]) {
  if (!(isfinite(x0[0]) && isfinite(x0[1]) && isfinite(x0[2]) && isfinite(t1) && t1 >= 0)) {
    snprintf(message, MODEL_MESSAGE_SIZE,
             "affine3: the initial state and the time must be finite, the time >= 0");
    return -1;
  }
  const int status = find_pieces(x0, t1, pieces, ends, count);
  if (!status) return 0;
  snprintf(message, MODEL_MESSAGE_SIZE, "affine3: exact solution failed: %s", gsl_strerror(status));
  return -1;
}

int affine3_crossings(const double x0[], double t1, double times[AFFINE3_GUARDS],
                      size_t crossed[AFFINE3_GUARDS], size_t *count,
                      char message[MODEL_MESSAGE_SIZE]) {
  piece pieces[PIECES];
  size_t ends[PIECES], piece_count = 0;
  if (checked_pieces(x0, t1, pieces, ends, &piece_count, message)) return -1;
  *count = piece_count - 1;
  for (size_t i = 0; i < *count; i++) {
    times[i] = pieces[i + 1].t;
    crossed[i] = ends[i];
  }
  return 0;
}

static int reference(const model *m, const double x0[], model_reference *out,
                     char message[MODEL_MESSAGE_SIZE]) {
  (void)m;
  piece pieces[PIECES];
  size_t ends[PIECES], count = 1;
  const double t1 = out->count > 0 ? out->times[out->count - 1] : 0;
  if (checked_pieces(x0, t1, pieces, ends, &count, message)) return -1;
  for (size_t i = 0, p = 0; i < out->count; i++) {
    while (p + 1 < count && pieces[p + 1].t <= out->times[i]) p++;
    const int status = flow(&pieces[p], out->times[i] - pieces[p].t, &out->states[i * N]);
    if (!status) continue;
    snprintf(message, MODEL_MESSAGE_SIZE, "affine3: %s", gsl_strerror(status));
    return -1;
  }
  out->events = count - 1;
  out->kind = "exact";
  return 0;
}

static void initial_state(const model *m, double x0[]) {
  for (size_t i = 0; i < N; i++) x0[i] = m->value[START_X + i];
}

static void random_state(const model *m, gsl_rng *rng, double x0[]) {
  (void)rng;
  initial_state(m, x0);
}

static const ess_guard_kind upward_only[2 * AFFINE3_GUARDS] = {[ESS_GUARD_DOWN(0)] = ESS_GUARD_NONE,
                                                               [ESS_GUARD_DOWN(1)] = ESS_GUARD_NONE,
                                                               [ESS_GUARD_DOWN(2)] =
                                                                   ESS_GUARD_NONE};

static int prepare(model *m, char message[MODEL_MESSAGE_SIZE]) {
  (void)message;
  m->system = (ess_system){.dimension = N,
                           .event_count = AFFINE3_GUARDS,
                           .field = field,
                           .event_functions = event_functions,
                           .event_jacobian = event_jacobian,
                           .event_rates = event_rates,
                           .field_jacobian = field_jacobian,
                           .kinds = upward_only};
  return 0;
}

static void release(model *m) {
  (void)m; // nothing was allocated
}

/* In every mode each guard separates different rows of the table. */
static bool changes_field(const model *m, size_t guard, const double sign[]) {
  (void)m, (void)guard, (void)sign;
  return true;
}

const model_type affine3_type = {
    .name = "affine3",
    .summary = "the order test: three affine guards in three dimensions (Table 4.1)",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .dimension = N,
    .state_names = state_names,
    .time_step = 0.002,
    .prepare = prepare,
    .release = release,
    .initial_state = initial_state,
    .random_state = random_state,
    .reference = reference,
    .changes_field = changes_field,
};
