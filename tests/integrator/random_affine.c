/*
 * Random piecewise affine systems: see random_affine.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "random_affine.h"
#include "callbacks.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <string.h>

enum { N = AFFINE_STATES, M = AFFINE_GUARDS };

/* ---- drawing --------------------------------------------------------------------------------- */

void affine_draw_start(const affine_system *s, gsl_rng *rng, double x0[]) {
  gsl_ran_dir_nd(rng, s->n, x0);
  const double radius = gsl_ran_flat(rng, 0.0, 0.1);
  for (size_t i = 0; i < s->n; i++) x0[i] *= radius;
}

void affine_draw_order(gsl_rng *rng, size_t m, size_t order[]) {
  for (size_t k = 0; k < m; k++) order[k] = k;
  gsl_ran_shuffle(rng, order, m, sizeof *order);
}

/* the drift direction, and a part across it of random length up to 3/4 */
static void draw_normal(gsl_rng *rng, size_t n, const double drift[], double normal[]) {
  double across[N];
  gsl_ran_dir_nd(rng, n, across);
  const double along = affine_dot(n, across, drift);
  for (size_t i = 0; i < n; i++) across[i] -= along * drift[i];
  const double length = sqrt(affine_dot(n, across, across));
  const double scale = length > 1e-3 ? gsl_ran_flat(rng, 0.0, 0.75) / length : 0.0;
  for (size_t i = 0; i < n; i++) normal[i] = drift[i] + scale * across[i];
}

static void draw_field(gsl_rng *rng, size_t n, const double drift[], double stiffness,
                       affine_field *field) {
  double entries[N * N];
  gsl_ran_dir_nd(rng, n * n, entries); // of Frobenius norm 1
  const double norm = stiffness * AFFINE_STIFFNESS * gsl_ran_flat(rng, 0.5, 1.0);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) field->A[i][j] = norm * entries[i * n + j];
  double side[N];
  gsl_ran_dir_nd(rng, n, side);
  const double speed = gsl_ran_flat(rng, 1.5, 2.5), aside = gsl_ran_flat(rng, 0.0, 0.4);
  for (size_t i = 0; i < n; i++) field->b[i] = speed * drift[i] + aside * side[i];
}

void affine_draw(affine_system *s, gsl_rng *rng, size_t n, size_t m, double stiffness) {
  double drift[N];
  s->n = n;
  s->m = m;
  gsl_ran_dir_nd(rng, n, drift);
  for (size_t k = 0; k < m; k++) draw_normal(rng, n, drift, s->normal[k]);
  for (size_t mode = 0; mode < (size_t)1 << m; mode++)
    draw_field(rng, n, drift, stiffness, &s->field[mode]);
}

/* ---- libess ---------------------------------------------------------------------------------- */

FIELD(field) {
  const affine_system *const s = params;
  size_t mode = 0;
  for (size_t k = 0; k < s->m; k++) mode |= (size_t)(sign[k] > 0.0) << k;
  affine_velocity(s, mode, x, dxdt);
}

GUARDS(guards) {
  const affine_system *const s = params;
  for (size_t k = 0; k < s->m; k++) h[k] = affine_guard(s, k, x);
}

GUARD_JACOBIAN(jacobian) {
  const affine_system *const s = params;
  for (size_t k = 0; k < s->m; k++) memcpy(Dh + k * s->n, s->normal[k], s->n * sizeof *Dh);
}

GUARD_RATES_CODE(rates) {
  const affine_system *const s = params;
  for (size_t k = 0; k < s->m; k++) rate[k] = affine_dot(s->n, s->normal[k], v);
  return guards(0.0, x, h, params);
}

SOME_RATES(some_rates) {
  const affine_system *const s = params;
  for (size_t i = 0; i < count; i++) {
    h[i] = affine_guard(s, which[i], x);
    rate[i] = affine_dot(s->n, s->normal[which[i]], v);
  }
}

static const size_t NO_ROWS[2 * M + 2] = {0};
static const ess_reset_matrix NO_RESETS = {.row_start = NO_ROWS};

ON_CROSSING_CODE(note_crossing) {
  affine_run *const run = context;
  if (run->count >= 2 * M) return 1;
  run->upward = run->upward && info->direction == 1;
  run->guard[run->count] = info->guard;
  run->time[run->count++] = info->t;
  return 0;
}

void affine_integrate(const affine_system *s, const double x0[], const affine_settings *how,
                      affine_run *run) {
  affine_system copy = *s;
  const unsigned variant = how->variant;
  const ess_system system = {.dimension = s->n,
                             .guard_count = s->m,
                             .field = field,
                             .guards = guards,
                             .guard_jacobian = variant & 1 ? NULL : jacobian,
                             .guard_rates = variant & 1 ? rates : NULL,
                             .some_guard_rates = variant & 2 ? some_rates : NULL,
                             .one_way = variant & 4,
                             .resets = variant & 8 ? &NO_RESETS : NULL,
                             .params = &copy};
  *run = (affine_run){.upward = true};
  ess_options options = ess_options_paper();
  options.epsilon = how->epsilon;
  options.order = how->order;
  if (how->order == 2) options.h_max = 0.01;
  options.rtol = 1e-13;
  options.atol = 1e-14;
  options.liveness = 0.99 * AFFINE_LIVENESS;
  options.observer = (ess_observer){.crossing = note_crossing, .context = run};
  ess_driver *const d = ess_driver_alloc(&system, &options, &run->status);
  if (!d) return;
  double t = 0.0;
  memcpy(run->end, x0, s->n * sizeof *x0);
  run->status = ess_driver_apply(d, &t, AFFINE_END, run->end);
  run->counters = *ess_driver_counters(d);
  ess_driver_free(d);
}

/* ---- the error to be expected ---------------------------------------------------------------- */

/* the share of every crossing so far in the error, at the present place on the path, and how much
 * larger it could have been, had its terms not cancelled */
typedef struct shares {
  size_t count;
  double of[M][N], could[M];
} shares;

static double norm(size_t n, const double v[]) {
  return sqrt(affine_dot(n, v, v));
}

/* of all shares, added without regard to sign */
static double size_of(const shares *e, size_t n) {
  double sum = 0.0;
  for (size_t i = 0; i < e->count; i++) sum += e->could[i] * norm(n, e->of[i]);
  return sum;
}

static void carry(const affine_system *s, size_t mode, double duration, shares *e) {
  for (size_t i = 0; i < e->count; i++) {
    double moved[N];
    affine_transport(s, mode, duration, e->of[i], moved);
    memcpy(e->of[i], moved, sizeof moved);
  }
}

/* what the exact flow does to differences at a crossing: f jumps by `jump` where h rises at `rate`
 */
static void cross(size_t n, const double normal[], double rate, const double jump[], shares *e) {
  for (size_t i = 0; i < e->count; i++) {
    const double delay = affine_dot(n, normal, e->of[i]) / rate;
    for (size_t j = 0; j < n; j++) e->of[i][j] += delay * jump[j];
  }
}

/*
 * How far off the exact flow of a mode a projection of duration tau onto a guard ends, to leading
 * order: the tangent misses the second derivative's tau^2/2; the half-way field has it, but for the
 * correction's part, and misses the third derivative's tau^3/6. Returns the size that off[] could
 * have had.
 */
static double leave_flow(const affine_system *s, size_t mode, size_t guard, const double f[],
                         double tau, int order, double off[]) {
  const size_t n = s->n;
  double bend[N], twist[N];
  for (size_t j = 0; j < n; j++) bend[j] = affine_dot(n, s->field[mode].A[j], f);
  for (size_t j = 0; j < n; j++) twist[j] = affine_dot(n, s->field[mode].A[j], bend);
  const double rate = affine_dot(n, s->normal[guard], f);
  const double curving = affine_dot(n, s->normal[guard], bend) / rate;
  const double square = tau * tau, cube = square * tau;
  for (size_t j = 0; j < n; j++)
    off[j] =
        order == 1 ? -0.5 * square * bend[j] : cube * (0.25 * curving * bend[j] - twist[j] / 6.0);
  const double size = norm(n, bend), most = 0.25 * AFFINE_NORMAL * size / rate;
  return order == 1 ? 0.5 * square * size : cube * size * (most + AFFINE_STIFFNESS / 6.0);
}

/* the i-th crossing's own share and timing, after a projection that lasted `reach` at most */
static void add_share(const affine_system *s, const affine_path *path, size_t i, size_t mode,
                      double reach, const affine_settings *how, shares *e, affine_error *error) {
  const size_t n = s->n, k = path->guard[i];
  const double *const x = path->state[i], *const normal = s->normal[k];
  double before[N], after[N], off[N], jump[N];
  affine_velocity(s, mode, x, before);
  affine_velocity(s, mode | (size_t)1 << k, x, after);
  for (size_t j = 0; j < n; j++) jump[j] = after[j] - before[j];
  const double rate = affine_dot(n, normal, before);
  const double tau = fmin(reach, how->epsilon / rate);
  const double could = leave_flow(s, mode, k, before, tau, how->order, off);

  // what is short of the guard, by this projection or by errors carried along, is late
  const double late = -affine_dot(n, normal, off) / rate;
  error->time[i] = late;
  error->time_size[i] = AFFINE_NORMAL / rate * (could + size_of(e, n));
  for (size_t l = 0; l < e->count; l++) error->time[i] -= affine_dot(n, normal, e->of[l]) / rate;
  cross(n, normal, rate, jump, e);
  e->could[e->count] = could / norm(n, off);
  double *const own = e->of[e->count++];
  for (size_t j = 0; j < n; j++) own[j] = off[j] - late * jump[j];
}

void affine_predict(const affine_system *s, const affine_path *path, const affine_settings *how,
                    affine_error *error) {
  shares e = {0};
  double t = 0.0;
  size_t mode = 0;
  for (size_t i = 0; i < path->count; i++) {
    carry(s, mode, path->time[i] - t, &e);
    add_share(s, path, i, mode, path->time[i] - t, how, &e, error);
    t = path->time[i];
    mode |= (size_t)1 << path->guard[i];
  }
  carry(s, mode, AFFINE_END - t, &e);
  error->end_size = size_of(&e, s->n);
  memset(error->end, 0, sizeof error->end);
  for (size_t i = 0; i < e.count; i++)
    for (size_t j = 0; j < s->n; j++) error->end[j] += e.of[i][j];
}

/* ---- a bound for clusters crossed in any order ----------------------------------------------- */

/* what bounds the fields at the cluster's place: smallest rate and largest jump of any modes */
typedef struct corner {
  double rate, jump;
} corner;

static corner look_around(const affine_system *s, const double x[]) {
  corner c = {.rate = INFINITY};
  double low[N], high[N], spread = 0.0;
  for (size_t mode = 0; mode < (size_t)1 << s->m; mode++) {
    double f[N];
    affine_velocity(s, mode, x, f);
    for (size_t k = 0; k < s->m; k++) c.rate = fmin(c.rate, affine_dot(s->n, s->normal[k], f));
    for (size_t j = 0; j < s->n; j++) {
      low[j] = mode ? fmin(low[j], f[j]) : f[j];
      high[j] = mode ? fmax(high[j], f[j]) : f[j];
    }
  }
  for (size_t j = 0; j < s->n; j++) spread += (high[j] - low[j]) * (high[j] - low[j]);
  c.jump = sqrt(spread);
  return c;
}

/* largest factor by which crossing guard k in a mode at x stretches a difference: the norm of
 * I + jump normal^T / rate */
static double stretch(const affine_system *s, size_t mode, size_t k, const double x[]) {
  double before[N], jump[N];
  affine_velocity(s, mode, x, before);
  affine_velocity(s, mode | (size_t)1 << k, x, jump);
  for (size_t j = 0; j < s->n; j++) jump[j] -= before[j];
  const double *const normal = s->normal[k];
  const double rate = affine_dot(s->n, normal, before);
  const double along = affine_dot(s->n, normal, jump) / rate;
  const double across = sqrt(affine_dot(s->n, normal, normal) * affine_dot(s->n, jump, jump));
  return 0.5 * (across / rate + sqrt(across / rate * across / rate + 4.0 + 4.0 * along));
}

/* the same for all guards in the worst order, from the last mode back to the first */
static double stretch_in_any_order(const affine_system *s, const double x[]) {
  static double most[(size_t)1 << M];
  const size_t last = ((size_t)1 << s->m) - 1;
  most[last] = 1.0;
  for (size_t mode = last; mode-- > 0;) {
    most[mode] = 0.0;
    for (size_t k = 0; k < s->m; k++)
      if (!(mode >> k & 1))
        most[mode] = fmax(most[mode], stretch(s, mode, k, x) * most[mode | (size_t)1 << k]);
  }
  return most[0];
}

double affine_cluster_constant(const affine_system *s, const affine_path *path) {
  const double *const x = path->state[0];
  const corner c = look_around(s, x);
  double f[N], bend[N];
  affine_velocity(s, 0, x, f);
  for (size_t j = 0; j < s->n; j++) bend[j] = affine_dot(s->n, s->field[0].A[j], f);

  // the first projection, of 1/rate at most per epsilon, bends off by `off`; guards that it passes
  // by that much on either side are crossed with a delay
  const double off = 0.5 * sqrt(affine_dot(s->n, bend, bend)) / (c.rate * c.rate);
  const double delay = 2.0 * AFFINE_NORMAL * off / c.rate;
  const double after = exp(AFFINE_STIFFNESS * AFFINE_END);
  // twice, for fields and rates are those at one point of the neighbourhood
  return 2.0 * after * stretch_in_any_order(s, x) * (off + delay * c.jump);
}
