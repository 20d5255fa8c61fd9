/*
 * Tangents of random systems, impacts among their crossings, against differences of another
 * integrator: fixed steps of the classical fourth order, crossings by bisection.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "draws.h"
#include "ess_tangents.h"
#include "population.h"
#include "toy.h"

#ifndef TANGENT_SYSTEMS
#define TANGENT_SYSTEMS 1000
#endif
enum { N = 3, SYSTEMS = TANGENT_SYSTEMS };
static const double END = 1.5, STEP = 2e-3;

/* x' = b + A x + sum over events crossed of (d + E x), each crossed once; crossing some, x becomes
 * x + B x */
typedef struct drawn {
  uint64_t seed;
  double b[N], A[N * N], d[N][N], E[N][N * N], B[N][N * N], normal[N][N], place[N];
  bool at[2 * N];
} drawn;

static void draw_matrix(drawn *s, size_t count, double size, double to[]) {
  for (size_t i = 0; i < count; i++) to[i] = draw_between(&s->seed, -size, size);
}

static drawn draw_system(uint64_t seed) {
  drawn s = {.seed = seed};
  for (int i = 0; i < 8; i++) draw_between(&s.seed, 0.0, 1.0);
  for (size_t i = 0; i < N; i++) s.b[i] = draw_between(&s.seed, 0.8, 1.5);
  draw_matrix(&s, N * N, 0.4, s.A);
  for (size_t k = 0; k < N; k++) {
    draw_matrix(&s, N, 0.4, s.d[k]);
    draw_matrix(&s, N * N, 0.3, s.E[k]);
    draw_matrix(&s, N * N, 0.1, s.B[k]);
    for (size_t i = 0; i < N; i++) s.normal[k][i] = (i == k) + draw_between(&s.seed, -0.2, 0.2);
    s.place[k] = draw_between(&s.seed, 0.2, 0.9);
    s.at[ESS_GUARD_UP(k)] = draw_between(&s.seed, 0.0, 1.0) < 0.5;
  }
  return s;
}

static void add_product(const double matrix[], const double x[], double to[]) {
  for (size_t i = 0; i < N; i++)
    for (size_t j = 0; j < N; j++) to[i] += matrix[i * N + j] * x[j];
}

FIELD(field) {
  const drawn *const s = params;
  memcpy(dxdt, s->b, sizeof s->b);
  add_product(s->A, x, dxdt);
  for (size_t k = 0; k < N; k++) {
    if (sign[k] < 0.0) continue;
    for (size_t i = 0; i < N; i++) dxdt[i] += s->d[k][i];
    add_product(s->E[k], x, dxdt);
  }
}

FIELD_JACOBIAN(field_jacobian) {
  const drawn *const s = params;
  memcpy(J, s->A, sizeof s->A);
  for (size_t k = 0; k < N; k++)
    for (size_t i = 0; sign[k] > 0.0 && i < N * N; i++) J[i] += s->E[k][i];
}

GUARDS(guards) {
  const drawn *const s = params;
  for (size_t k = 0; k < N; k++) {
    h[k] = -s->place[k];
    for (size_t i = 0; i < N; i++) h[k] += s->normal[k][i] * x[i];
  }
}

GUARD_JACOBIAN(guard_jacobian) {
  const drawn *const s = params;
  memcpy(Dh, s->normal, sizeof s->normal);
}

IMPACT_MAP(map) {
  const drawn *const s = params;
  for (size_t i = 0; i < impact->count; i++)
    if (s->at[ESS_GUARD_UP(impact->events[i])])
      add_product(s->B[impact->events[i]], impact->x, impact->after);
}

/* ---- the other integrator -------------------------------------------------------------------- */

static void classical(const drawn *s, const double sign[], const double x[], double h,
                      double to[]) {
  double k[4][N], y[N];
  field(0.0, x, sign, k[0], (void *)s);
  for (int j = 1; j < 4; j++) {
    const double part = j == 3 ? h : 0.5 * h;
    for (size_t i = 0; i < N; i++) y[i] = x[i] + part * k[j - 1][i];
    field(0.0, y, sign, k[j], (void *)s);
  }
  for (size_t i = 0; i < N; i++)
    to[i] = x[i] + h / 6.0 * (k[0][i] + 2.0 * (k[1][i] + k[2][i]) + k[3][i]);
}

/* the first event crossed within h of x, and when; N when there is none */
static size_t first_crossed(const drawn *s, const double sign[], const double x[], double *h) {
  size_t first = N;
  double end[N], at[N];
  for (size_t k = 0; k < N; k++) {
    classical(s, sign, x, *h, end);
    guards(0.0, end, at, (void *)s);
    if (sign[k] > 0.0 || at[k] < 0.0) continue;
    double below = 0.0, above = *h;
    for (int i = 0; i < 60; i++) {
      const double middle = 0.5 * (below + above);
      classical(s, sign, x, middle, end);
      guards(0.0, end, at, (void *)s);
      *(at[k] < 0.0 ? &below : &above) = middle;
    }
    *h = above;
    first = k;
  }
  return first;
}

/* x at the end; false where two events are near each other, or a jump leads beyond one: orders may
 * change beside this trajectory */
static bool integrate(const drawn *s, double x[N]) {
  double sign[N] = {-1.0, -1.0, -1.0}, last = -1.0, to[N], h[N];
  for (double t = 0.0; t < END;) {
    double length = fmin(STEP, END - t);
    const size_t k = first_crossed(s, sign, x, &length);
    classical(s, sign, x, length, to);
    memcpy(x, to, sizeof to);
    t += length;
    if (k == N) continue;
    if (t - last < 0.02 || END - t < 0.02) return false;
    last = t;
    sign[k] = 1.0;
    if (s->at[ESS_GUARD_UP(k)]) add_product(s->B[k], memcpy(to, x, sizeof to), x);
    guards(0.0, x, h, (void *)s);
    for (size_t i = 0; i < N; i++)
      if (i != k && h[i] * sign[i] < 0.02) return false;
  }
  return true;
}

/* the derivative by differences, extrapolated; false as above, and where they have not settled */
static bool differences(const drawn *s, double D[N * N]) {
  for (size_t j = 0; j < N; j++) {
    double found[2][N];
    for (int i = 0; i < 2; i++) {
      const double step = i ? 1e-3 : 2e-3;
      double above[N] = {0}, below[N] = {0};
      above[j] = step;
      below[j] = -step;
      if (!integrate(s, above) || !integrate(s, below)) return false;
      for (size_t l = 0; l < N; l++) found[i][l] = (above[l] - below[l]) / (2.0 * step);
    }
    for (size_t l = 0; l < N; l++) {
      if (fabs(found[1][l] - found[0][l]) > 1e-5) return false;
      D[l * N + j] = (4.0 * found[1][l] - found[0][l]) / 3.0;
    }
  }
  return true;
}

static ess_driver *driver_of(drawn *s, uint64_t seed, double tolerance) {
  const ess_impacts jumps = {.at = s->at, .map = map};
  const ess_system system = {.dimension = N,
                             .guard_count = N,
                             .field = field,
                             .guards = guards,
                             .guard_jacobian = guard_jacobian,
                             .one_way = true,
                             .impacts = &jumps,
                             .field_jacobian = seed % 2 ? field_jacobian : NULL,
                             .params = s};
  const ess_options options = toy_options(tolerance);
  return ess_driver_alloc(&system, &options, NULL);
}

TEST(derivatives_are_those_of_the_flow) {
  size_t compared = 0, impacts = 0;
  for (uint64_t seed = 1; seed <= SYSTEMS; seed++) {
    drawn s = draw_system(seed);
    double D[N * N], size = 0.0;
    if (!differences(&s, D)) continue;
    ess_driver *const d = driver_of(&s, seed, 1e-10);
    double t = 0.0, x[N] = {0}, truth[N] = {0};
    assert_int_equal(ess_driver_follow(d, N, NULL), ESS_SUCCESS);
    assert_int_equal(ess_driver_apply(d, &t, END, x), ESS_SUCCESS);
    integrate(&s, truth);
    for (size_t i = 0; i < N; i++) assert_true(fabs(x[i] - truth[i]) < 1e-8);
    for (size_t i = 0; i < N * N; i++) size = fmax(size, fabs(D[i]));
    for (size_t i = 0; i < N * N; i++)
      assert_true(fabs(ess_driver_tangent(d)[i] - D[i]) < 1e-6 * size);
    compared++;
    impacts += ess_driver_counters(d)->impacts;
    ess_driver_free(d);
  }
  print_message("%zu systems, %zu impacts\n", compared, impacts);
  assert_true(compared >= SYSTEMS / 4 && impacts >= SYSTEMS / 4);
}

/* The derivatives D[N*N] of a run, and a row: by tangents, or by the adjoint. */
static void print_row(drawn *s, uint64_t seed, double tolerance, bool backward,
                      const double known[N * N]) {
  const double states[N * N] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double t = 0.0, x[N] = {0}, D[N * N] = {0}, size = 0.0, off = 0.0;
  ess_driver *const d = driver_of(s, seed, tolerance);
  int status = backward ? ess_driver_record(d, 1 << 24) : ess_driver_follow(d, N, NULL);
  if (!status) status = ess_driver_apply(d, &t, END, x);
  if (!status && backward) status = ess_driver_adjoint(d, N, states, D, NULL);
  if (!status && !backward) memcpy(D, ess_driver_tangent(d), sizeof D);
  for (size_t i = 0; i < N; i++)
    for (size_t j = 0; j < N; j++) {
      const double found = backward ? D[j * N + i] : D[i * N + j];
      size = fmax(size, fabs(known[i * N + j]));
      off = fmax(off, fabs(found - known[i * N + j]));
    }
  ess_driver_free(d);
  const bool wrong = !status && !(off <= size * (1e-6 + 100.0 * tolerance));
  population_row(backward ? "adjoint" : "tangents", seed, tolerance,
                 wrong ? POPULATION_WRONG : POPULATION_RIGHT, off / (size * tolerance));
}

/* with --rows */
static void rows_of(uint64_t seed) {
  drawn s = draw_system(seed);
  double D[N * N];
  if (!differences(&s, D)) return;
  for (double tolerance = 1e-2; tolerance > 1e-9; tolerance *= 0.01)
    for (int backward = 0; backward < 2; backward++) print_row(&s, seed, tolerance, backward, D);
}

int main(int argc, char *argv[]) {
  int status;
  return population_rows(argc, argv, rows_of, &status) ? status : test_main(argc, argv);
}
