/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Newton's method on a section. */
#include <float.h>
#include <gsl/gsl_eigen.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ess_tangents.h"
#include "measure.h"
#include "orbit.h"

/* so many products are tried, of as many factors as that allows */
enum { PRODUCTS_MAX = 8192, FACTORS_MAX = 12 };

static bool is_before(double re, double im, double other_re, double other_im) {
  const double a = hypot(re, im), b = hypot(other_re, other_im);
  return fabs(a - b) > 1e-12 * fmax(a, b) ? a > b : im > other_im;
}

static void sort(size_t count, double real[], double imaginary[]) {
  for (size_t i = 1; i < count; i++) {
    const double re = real[i], im = imaginary[i];
    size_t j = i;
    for (; j && is_before(re, im, real[j - 1], imaginary[j - 1]); j--) {
      real[j] = real[j - 1];
      imaginary[j] = imaginary[j - 1];
    }
    real[j] = re;
    imaginary[j] = im;
  }
}

/* eigenvalues of a[count*count], row-major, which is destroyed: the largest first, of a pair that
 * with the positive imaginary part. 0, or -1 where they are not found. */
static int growth_eigenvalues(double a[], size_t count, double real[], double imaginary[]) {
  gsl_eigen_nonsymm_workspace *const w = gsl_eigen_nonsymm_alloc(count);
  double values[2 * MODEL_SECTION_MAX];
  if (!w) return -1;
  gsl_matrix_view matrix = gsl_matrix_view_array(a, count, count);
  gsl_vector_complex_view out = gsl_vector_complex_view_array(values, count);
  gsl_eigen_nonsymm_params(0, 1, w);
  const int status = gsl_eigen_nonsymm(&matrix.matrix, &out.vector, w);
  gsl_eigen_nonsymm_free(w);
  if (status) return -1;
  for (size_t i = 0; i < count; i++) {
    real[i] = values[2 * i];
    imaginary[i] = values[2 * i + 1];
  }
  sort(count, real, imaginary);
  return 0;
}

static double radius(const double product[], size_t count) {
  double a[GROWTH_MATRIX_MAX], real[MODEL_SECTION_MAX], imaginary[MODEL_SECTION_MAX];
  memcpy(a, product, count * count * sizeof *a);
  return growth_eigenvalues(a, count, real, imaginary) ? NAN : hypot(real[0], imaginary[0]);
}

/* the largest sum of a row; any norm will do */
static double norm(const double a[], size_t count) {
  double largest = 0.0;
  for (size_t i = 0; i < count; i++) {
    double sum = 0.0;
    for (size_t j = 0; j < count; j++) sum += fabs(a[i * count + j]);
    largest = fmax(largest, sum);
  }
  return largest;
}

static void multiply(const double a[], const double b[], size_t count, double product[]) {
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < count; j++) {
      double sum = 0.0;
      for (size_t k = 0; k < count; k++) sum += a[i * count + k] * b[k * count + j];
      product[i * count + j] = sum;
    }
}

/* the product whose factors are the digits of `which` */
static void product_of(double matrix[][GROWTH_MATRIX_MAX], size_t pieces, size_t count,
                       size_t factors, size_t which, double product[]) {
  memcpy(product, matrix[which % pieces], count * count * sizeof *product);
  for (size_t f = 1; f < factors; f++) {
    double next[GROWTH_MATRIX_MAX];
    which /= pieces;
    multiply(matrix[which % pieces], product, count, next);
    memcpy(product, next, count * count * sizeof *product);
  }
}

void growth_of_products(double matrix[][GROWTH_MATRIX_MAX], size_t pieces, size_t count,
                        double *least, double *most) {
  *least = *most = radius(matrix[0], count);
  if (pieces < 2) return;
  *most = INFINITY;
  size_t products = pieces;
  for (size_t factors = 1; factors <= FACTORS_MAX && products <= PRODUCTS_MAX;
       factors++, products *= pieces) {
    double largest = 0.0;
    for (size_t which = 0; which < products; which++) {
      double product[GROWTH_MATRIX_MAX];
      product_of(matrix, pieces, count, factors, which, product);
      *least = fmax(*least, pow(radius(product, count), 1.0 / (double)factors));
      largest = fmax(largest, norm(product, count));
    }
    *most = fmin(*most, pow(largest, 1.0 / (double)factors));
  }
}

enum { ITERATIONS_MAX = 60, HALVINGS_MAX = 12, UNKNOWNS_MAX = MODEL_SECTION_MAX + 1 };

/* a multiplier this near to 1 leaves orbits that are not isolated */
static const double singular = 1e-9;

/* beyond what tolerances leave of a residual no step helps */
static const double within = 100.0;

const char *orbit_stability_name(orbit_stability stability) {
  static const char *const names[] = {"stable", "unstable", "undecided", "not known"};
  return names[stability];
}

/* what one map of a start leads to; the flow's time is the period */
typedef struct mapped {
  double s[MODEL_SECTION_MAX], matrix[GROWTH_MATRIX_MAX];
  flow flow;
} mapped;

static int at_section(const ess_crossing_info *info, void *context) {
  const size_t guard = ((const model_section *)context)->guard;
  return info->guard == guard / 2 && info->direction == (guard % 2 ? -1 : 1);
}

static ess_driver *driver_of(const orbit_request *r, int *status,
                             char message[SOLVER_MESSAGE_SIZE]) {
  ess_options stopping = *r->options;
  // an observer's context may be written to, and a section is not
  union {
    const model_section *is;
    void *as_context;
  } context = {.is = r->m->type->section};
  stopping.observer = (ess_observer){.crossing = at_section, .context = context.as_context};
  return flow_driver(r->m, &stopping, status, message);
}

static bool all_finite(const double values[], size_t count) {
  bool finite = true;
  for (size_t i = 0; i < count; i++) finite = finite && isfinite(values[i]);
  return finite;
}

static int explain(const orbit_request *r, const ess_driver *driver, int status, size_t passed,
                   char message[SOLVER_MESSAGE_SIZE]) {
  if (status)
    return SOLVER_FAIL(message, "libess: %s at t = %.9g", ess_strerror(status),
                       ess_driver_failure(driver)->time);
  return SOLVER_FAIL(
      message,
      "%s passes the section %zu of %zu times by t = %.9g; --duration is how long it "
      "may take",
      r->m->type->name, passed, r->passages, model_get(r->m, "duration"));
}

/* the state on the section, where it is told of, and tangents to it */
static int run(const orbit_request *r, ess_driver *driver, double x[], const double Dx0[],
               size_t piece, double Dx[], mapped *to, char message[SOLVER_MESSAGE_SIZE]) {
  const model_section *const section = r->m->type->section;
  const double longest = model_get(r->m, "duration");
  size_t passed = 0;
  to->flow.t = 0.0;
  ess_driver_reset(driver);
  int status = ess_driver_follow(driver, section->count, Dx0);
  if (!status) status = ess_driver_choose_piece(driver, piece);
  while (!status && passed < r->passages) {
    status = ess_driver_apply(driver, &to->flow.t, longest, x);
    if (status != ESS_ESTOP) return explain(r, driver, status, passed, message);
    status = 0;
    passed++;
  }
  if (!status) status = ess_driver_section(driver, section->guard / 2, NULL, Dx);
  return status ? explain(r, driver, status, passed, message) : 0;
}

static int map_once(const orbit_request *r, ess_driver *driver, const double s[], size_t piece,
                    mapped *to, char message[SOLVER_MESSAGE_SIZE]) {
  const model_section *const section = r->m->type->section;
  const size_t n = r->m->system.dimension, count = section->count;
  double x[MODEL_DIMENSION_MAX], Dx[2][MODEL_DIMENSION_MAX * MODEL_SECTION_MAX];
  section->lift(r->m, s, x, Dx[0]);
  if (!all_finite(x, n) || !all_finite(Dx[0], n * count))
    return SOLVER_FAIL(message, "%s: there is no such state on the section (%s %.9g%s)",
                       r->m->type->name, model_state_name(r->m, section->states[0]), s[0],
                       count > 1 ? ", ..." : "");
  const int status = run(r, driver, x, Dx[0], piece, Dx[1], to, message);
  if (status) return status;
  for (size_t i = 0; i < count; i++) {
    to->s[i] = x[section->states[i]];
    memcpy(to->matrix + i * count, Dx[1] + section->states[i] * count, count * sizeof *Dx[1]);
  }
  flow_take_smoothness(driver, &to->flow);
  return 0;
}

/* how far the map moves s, in what each coordinate is large beside */
static double orbit_residual(const double s[], const double to[], size_t count) {
  double largest = 0.0;
  for (size_t i = 0; i < count; i++)
    largest = fmax(largest, fabs(to[i] - s[i]) / fmax(fabs(s[i]), 1e-3));
  return largest;
}

static double orbit_enough(const orbit_request *request) {
  const double tolerance = fmax(request->options->rtol, request->options->atol);
  return fmax(within * tolerance, 64.0 * DBL_EPSILON);
}

/* a x = b of so many unknowns; a and b are destroyed. False where a pivot is no larger than
 * `least`, or x is not finite. */
static bool solve(double a[], double b[], size_t unknowns, double least, double x[]) {
  size_t place[UNKNOWNS_MAX];
  int sign;
  gsl_matrix_view matrix = gsl_matrix_view_array(a, unknowns, unknowns);
  gsl_vector_view right = gsl_vector_view_array(b, unknowns),
                  out = gsl_vector_view_array(x, unknowns);
  gsl_permutation order = {.size = unknowns, .data = place};
  gsl_linalg_LU_decomp(&matrix.matrix, &order, &sign);
  for (size_t i = 0; i < unknowns; i++)
    if (!(fabs(a[i * (unknowns + 1)]) > least)) return false;
  gsl_linalg_LU_solve(&matrix.matrix, &order, &right.vector, &out.vector);
  return all_finite(x, unknowns);
}

/* (D - 1) step = s - P(s); false where that has no one solution */
static bool newton_step(const mapped *at, const double s[], size_t count, double step[]) {
  double a[GROWTH_MATRIX_MAX], b[MODEL_SECTION_MAX], size = 1.0;
  for (size_t i = 0; i < count * count; i++) {
    a[i] = at->matrix[i] - (i % (count + 1) == 0);
    size = fmax(size, fabs(a[i]));
  }
  for (size_t i = 0; i < count; i++) b[i] = s[i] - at->s[i];
  return solve(a, b, count, singular * size, step);
}

/* the longest part of a step that brings the map nearer to a fixed point; false where none does */
static bool advance(const orbit_request *r, ess_driver *driver, orbit *o, const double step[],
                    mapped *at) {
  char why[SOLVER_MESSAGE_SIZE];
  double part = 1.0;
  for (int i = 0; i <= HALVINGS_MAX; i++, part *= 0.5) {
    double s[MODEL_SECTION_MAX];
    mapped next;
    for (size_t j = 0; j < o->count; j++) s[j] = o->s[j] + part * step[j];
    if (map_once(r, driver, s, 0, &next, why)) continue;
    const double residual = orbit_residual(s, next.s, o->count);
    if (!(residual < o->residual)) continue;
    memcpy(o->s, s, sizeof s);
    *at = next;
    o->residual = residual;
    return true;
  }
  return false;
}

static int newton(const orbit_request *r, ess_driver *driver, orbit *o, mapped *at,
                  char message[SOLVER_MESSAGE_SIZE]) {
  const double enough = orbit_enough(r);
  int status = map_once(r, driver, o->s, 0, at, message);
  if (status) return status;
  o->residual = orbit_residual(o->s, at->s, o->count);
  for (o->iterations = 0; o->iterations < ITERATIONS_MAX; o->iterations++) {
    double step[MODEL_SECTION_MAX];
    if (!newton_step(at, o->s, o->count, step))
      return SOLVER_FAIL(message, "%s: a multiplier is 1, so that no orbit here is isolated",
                         r->m->type->name);
    // on until rounding stops it: the last steps cost little, and double the digits
    if (o->residual == 0.0 || !advance(r, driver, o, step, at)) break;
  }
  if (o->residual <= enough) return 0;
  return SOLVER_FAIL(
      message,
      "%s: no orbit was found from that initial state; after %u steps of Newton's method the "
      "map still moves it by %.3g",
      r->m->type->name, o->iterations, o->residual);
}

static int find_multipliers(orbit *o, char message[SOLVER_MESSAGE_SIZE]) {
  double a[GROWTH_MATRIX_MAX];
  memcpy(a, o->matrix[0], o->count * o->count * sizeof *a);
  if (growth_eigenvalues(a, o->count, o->real, o->imaginary))
    return SOLVER_FAIL(message, "the multipliers were not found");
  return 0;
}

/* the pieces of its derivative, and what they make of a disturbance */
static int examine(const orbit_request *r, ess_driver *driver, const mapped *at, orbit *o,
                   char message[SOLVER_MESSAGE_SIZE]) {
  int status = 0;
  o->period = at->flow.t;
  o->kind = at->flow.kind;
  o->pieces = at->flow.pieces;
  o->tied = at->flow.tied;
  o->shown = o->kind != FLOW_PIECEWISE      ? 1
             : o->pieces < ORBIT_PIECES_MAX ? o->pieces
                                            : ORBIT_PIECES_MAX;
  for (size_t piece = 0; !status && piece < o->shown; piece++) {
    mapped of = *at;
    if (piece) status = map_once(r, driver, o->s, piece, &of, message);
    memcpy(o->matrix[piece], of.matrix, sizeof of.matrix);
    memcpy(o->order[piece], of.flow.order, sizeof of.flow.order);
  }
  if (!status) status = find_multipliers(o, message);
  if (status) return status;
  growth_of_products(o->matrix, o->shown, o->count, &o->least, &o->most);
  const bool known = o->kind != FLOW_NOT_COUNTED && o->shown >= o->pieces;
  const double border = sqrt(fmax(r->options->rtol, r->options->atol));
  o->stability = o->least > 1.0 + border  ? ORBIT_UNSTABLE
                 : !known                 ? ORBIT_NOT_KNOWN
                 : o->most < 1.0 - border ? ORBIT_STABLE
                                          : ORBIT_UNDECIDED;
  return 0;
}

/* the orbit near o->s or, unless it is sought, through it; and what there is to know of it */
static int orbit_know(const orbit_request *request, orbit *o, bool seek,
                      char message[SOLVER_MESSAGE_SIZE]) {
  int status;
  mapped at = {0};
  ess_driver *const driver = driver_of(request, &status, message);
  if (!driver) return status;
  o->count = request->m->type->section->count;
  status = seek ? newton(request, driver, o, &at, message)
                : map_once(request, driver, o->s, 0, &at, message);
  if (!status) o->residual = orbit_residual(o->s, at.s, o->count);
  if (!status) status = examine(request, driver, &at, o, message);
  ess_driver_free(driver);
  return status;
}

int orbit_find(const orbit_request *request, orbit *o, char message[SOLVER_MESSAGE_SIZE]) {
  return orbit_know(request, o, true, message);
}

int orbit_map(const orbit_request *request, const double s[], double to[], double matrix[],
              char message[SOLVER_MESSAGE_SIZE]) {
  const size_t count = request->m->type->section->count;
  int status;
  mapped at = {0};
  ess_driver *const driver = driver_of(request, &status, message);
  if (!driver) return status;
  status = map_once(request, driver, s, 0, &at, message);
  memcpy(to, at.s, count * sizeof *to);
  memcpy(matrix, at.matrix, count * count * sizeof *matrix);
  ess_driver_free(driver);
  return status;
}

/* ---- an arc ---------------------------------------------------------------------------------- */

/* a branch that is followed */
typedef struct course {
  orbit_request request; /* of `m` */
  branch *b;
  model m; /* with the parameter as it is wanted */
} course;

/* two orbits of it, and where */
typedef struct arc {
  course *c;
  double value[2];
  const orbit *of[2];
} arc;

enum { ARC_ITERATIONS_MAX = 30 };

/* the map's derivative by the parameter is by central differences of so much of it */
static const double move = 1e-6;

/* what a number is large beside */
static double size_of(double number) {
  return fmax(fabs(number), 1e-3);
}

/* from the first orbit to the second, each number over its size; the parameter comes last */
static void secant(const arc *a, double way[UNKNOWNS_MAX]) {
  const size_t n = a->of[1]->count;
  for (size_t i = 0; i < n; i++)
    way[i] = (a->of[1]->s[i] - a->of[0]->s[i]) / size_of(a->of[1]->s[i]);
  way[n] = (a->value[1] - a->value[0]) / size_of(a->value[1]);
}

/* how far the two are apart, in what each number is large beside */
static double arc_length(const arc *a) {
  double way[UNKNOWNS_MAX], sum = 0.0;
  secant(a, way);
  for (size_t i = 0; i <= a->of[1]->count; i++) sum += way[i] * way[i];
  return sqrt(sum);
}

static int set(course *c, double value, char message[SOLVER_MESSAGE_SIZE]) {
  if (model_set(&c->m, c->b->parameter, value, message)) return SOLVER_REFUSED;
  const int status = model_prepare(&c->m, message);
  return status == MODEL_REFUSED ? SOLVER_REFUSED : status ? SOLVER_FAILED : 0;
}

static int map(const arc *a, double value, const double s[], double to[], double matrix[],
               char message[SOLVER_MESSAGE_SIZE]) {
  const int status = set(a->c, value, message);
  return status ? status : orbit_map(&a->c->request, s, to, matrix, message);
}

/* the last column: of the map by the parameter */
static int by_parameter(const arc *a, const double u[], double by[],
                        char message[SOLVER_MESSAGE_SIZE]) {
  const size_t n = a->of[1]->count;
  const double h = move * size_of(u[n]);
  double side[2][MODEL_SECTION_MAX], matrix[GROWTH_MATRIX_MAX];
  int status = map(a, u[n] - h, u, side[0], matrix, message);
  if (!status) status = map(a, u[n] + h, u, side[1], matrix, message);
  for (size_t i = 0; !status && i < n; i++) by[i] = (side[1][i] - side[0][i]) / (2.0 * h);
  return status;
}

/* one step of Newton's method for P(s, p) = s in the plane through `guess` across `way` */
static int improve(const arc *a, const double guess[], const double way[], const double to[],
                   const double matrix[], double u[], char message[SOLVER_MESSAGE_SIZE]) {
  const size_t n = a->of[1]->count, unknowns = n + 1;
  double m[UNKNOWNS_MAX * UNKNOWNS_MAX], right[UNKNOWNS_MAX], step[UNKNOWNS_MAX],
      by[MODEL_SECTION_MAX];
  const int status = by_parameter(a, u, by, message);
  if (status) return status;
  right[n] = 0.0;
  for (size_t j = 0; j < unknowns; j++) {
    const double size = size_of(j < n ? a->of[1]->s[j] : a->value[1]);
    for (size_t i = 0; i < n; i++)
      m[i * unknowns + j] = j == n ? by[i] : matrix[i * n + j] - (i == j);
    m[n * unknowns + j] = way[j] / size;
    right[n] -= way[j] * (u[j] - guess[j]) / size;
  }
  for (size_t i = 0; i < n; i++) right[i] = u[i] - to[i];
  if (!solve(m, right, unknowns, 0.0, step))
    return SOLVER_FAIL(message, "%s: no orbit across the branch", a->c->m.type->name);
  for (size_t i = 0; i < unknowns; i++) u[i] += step[i];
  return 0;
}

/* the orbit that is `part` of the way from the first to the second beyond the second, or before it:
 * the one in the plane across that line. 0; SOLVER_FAILED or SOLVER_REFUSED with one line. */
static int arc_find(const arc *a, double part, double *value, orbit *o,
                    char message[SOLVER_MESSAGE_SIZE]) {
  const size_t n = a->of[1]->count;
  double way[UNKNOWNS_MAX], guess[UNKNOWNS_MAX], u[UNKNOWNS_MAX], to[MODEL_SECTION_MAX],
      matrix[GROWTH_MATRIX_MAX];
  secant(a, way);
  for (size_t i = 0; i < n; i++)
    guess[i] = a->of[1]->s[i] + part * (a->of[1]->s[i] - a->of[0]->s[i]);
  guess[n] = a->value[1] + part * (a->value[1] - a->value[0]);
  memcpy(u, guess, sizeof u);
  const double enough = orbit_enough(&a->c->request);
  double before = INFINITY, off = INFINITY;
  for (int i = 0; i < ARC_ITERATIONS_MAX; i++) {
    int status = map(a, u[n], u, to, matrix, message);
    if (status) return status;
    off = orbit_residual(u, to, n);
    // on until rounding stops it
    if (off <= enough && !(off < 0.5 * before)) break;
    before = off;
    status = improve(a, guess, way, to, matrix, u, message);
    if (status) return status;
  }
  if (!(off <= enough))
    return SOLVER_FAIL(message,
                       "%s: no orbit across the branch; the map moves what was found by %.3g",
                       a->c->m.type->name, off);
  *value = u[n];
  *o = *a->of[1];
  memcpy(o->s, u, n * sizeof *u);
  const int status = set(a->c, *value, message);
  return status ? status : orbit_know(&a->c->request, o, false, message);
}

/* ---- a branch -------------------------------------------------------------------------------- */

enum { STEP_HALVINGS_MAX = 10, LOCATE_MAX = 60 };

/* a change is located to this part of the parameter */
static const double located = 1e-10;

/* an orbit that is farther from its guess, beside what it moved before, is another one */
static const double farthest = 4.0, smallest_move = 0.02;

const char *branch_change_name(branch_change_kind kind) {
  static const char *const names[] = {"period doubling", "multiplier 1", "complex pair", "fold"};
  return names[kind];
}

/* zero where a change is: of det (D + 1), of det (D - 1), of the largest complex pair's size */
static double indicator(const orbit *o, branch_change_kind kind) {
  double real = 1.0, imaginary = 0.0, largest = 0.0;
  for (size_t i = 0; i < o->count; i++) {
    const double shifted = o->real[i] + (kind == BRANCH_DOUBLING ? 1.0 : -1.0);
    const double product = real * shifted - imaginary * o->imaginary[i];
    imaginary = real * o->imaginary[i] + imaginary * shifted;
    real = product;
    if (o->imaginary[i] != 0.0) largest = fmax(largest, hypot(o->real[i], o->imaginary[i]));
  }
  // without a pair there is none to pass
  return kind != BRANCH_PAIR ? real : largest > 0.0 ? largest - 1.0 : NAN;
}

/* the orbit at a value of the parameter, from a guess in *o */
static int find_at(course *c, double value, orbit *o, char message[SOLVER_MESSAGE_SIZE]) {
  const int status = set(c, value, message);
  return status ? status : orbit_find(&c->request, o, message);
}

/* a guess between, or beyond, two orbits */
static void guess(const double value[2], const orbit *const of[2], double at, orbit *o) {
  const double part = value[1] != value[0] ? (at - value[0]) / (value[1] - value[0]) : 1.0;
  *o = *of[1];
  for (size_t i = 0; i < o->count; i++) o->s[i] = of[0]->s[i] + part * (of[1]->s[i] - of[0]->s[i]);
}

/* where an indicator is zero between two orbits; by halves, since any Newton's start is near */
static int locate(course *c, branch_change_kind kind, const double ends[2],
                  const orbit *const between[2], branch_change *out,
                  char message[SOLVER_MESSAGE_SIZE]) {
  double value[2] = {ends[0], ends[1]};
  orbit side[2] = {*between[0], *between[1]};
  const bool rises = indicator(&side[1], kind) > 0.0;
  for (int i = 0; i < LOCATE_MAX; i++) {
    const orbit *const of[2] = {&side[0], &side[1]};
    const double middle = 0.5 * (value[0] + value[1]);
    *out = (branch_change){.kind = kind, .value = middle};
    guess(value, of, middle, &out->at);
    const int status = find_at(c, middle, &out->at, message);
    if (status) return status;
    if (fabs(value[1] - value[0]) <= located * fmax(fabs(middle), located)) break;
    const int half = (indicator(&out->at, kind) > 0.0) == rises;
    value[half] = middle;
    side[half] = out->at;
  }
  return 0;
}

/* what changes between the last two points, but of a kind that is skipped; what cannot be located
 * is left out of none */
static int note_changes(course *c, branch_change_kind skipped, char message[SOLVER_MESSAGE_SIZE]) {
  branch *const b = c->b;
  const size_t last = b->points - 1;
  const double ends[2] = {b->value[last - 1], b->value[last]};
  const orbit *const between[2] = {&b->orbit[last - 1], &b->orbit[last]};
  for (branch_change_kind kind = BRANCH_DOUBLING; kind <= BRANCH_PAIR; kind++) {
    if (kind == skipped) continue;
    const double before = indicator(between[0], kind), after = indicator(between[1], kind);
    if (!(before * after < 0.0)) continue;
    if (b->changes == BRANCH_CHANGES_MAX)
      return SOLVER_FAIL(message, "more than %d changes of stability", BRANCH_CHANGES_MAX);
    const int status = locate(c, kind, ends, between, &b->change[b->changes], message);
    if (status) return status;
    b->changes++;
  }
  return 0;
}

/* Newton's method may come to an orbit of another branch: one that lies off the guess by more than
 * the branch moves is refused */
static bool is_near(const orbit *guessed, const orbit *found, const orbit *last) {
  for (size_t i = 0; i < found->count; i++) {
    const double moved = fabs(guessed->s[i] - last->s[i]);
    const double allowed = fmax(farthest * moved, smallest_move * fabs(last->s[i]));
    if (!(fabs(found->s[i] - guessed->s[i]) <= allowed)) return false;
  }
  return true;
}

/* one point more, `step` beyond the last */
static int take(course *c, double value, char message[SOLVER_MESSAGE_SIZE]) {
  branch *const b = c->b;
  const size_t last = b->points - 1, before = last ? last - 1 : 0;
  const double values[2] = {b->value[before], b->value[last]};
  const orbit *const of[2] = {&b->orbit[before], &b->orbit[last]};
  orbit guessed, *const next = &b->orbit[b->points];
  guess(values, of, value, &guessed);
  *next = guessed;
  const int status = find_at(c, value, next, message);
  if (status) return status;
  if (!is_near(&guessed, next, &b->orbit[last]))
    return SOLVER_FAIL(message, "%s: the orbit found at %s %.9g is another one", c->m.type->name,
                       b->parameter, value);
  b->value[b->points++] = value;
  return 0;
}

/* ---- around a fold --------------------------------------------------------------------------- */

static arc arc_from(course *c, size_t first) {
  branch *const b = c->b;
  return (arc){.c = c,
               .value = {b->value[first], b->value[first + 1]},
               .of = {&b->orbit[first], &b->orbit[first + 1]}};
}

/* where the branch turns back between the last two points, if a multiplier passes 1 there */
static int note_fold(course *c, char message[SOLVER_MESSAGE_SIZE]) {
  branch *const b = c->b;
  const arc a = arc_from(c, b->points - 2);
  branch_change *const out = &b->change[b->changes];
  const double first = indicator(a.of[0], BRANCH_ONE);
  double ends[2] = {-1.0, 0.0};
  if (!(first * indicator(a.of[1], BRANCH_ONE) < 0.0) || b->changes == BRANCH_CHANGES_MAX) return 0;
  *out = (branch_change){.kind = BRANCH_FOLD};
  while (ends[1] - ends[0] > located) {
    const double middle = 0.5 * (ends[0] + ends[1]);
    const int status = arc_find(&a, middle, &out->value, &out->at, message);
    if (status) return status;
    ends[indicator(&out->at, BRANCH_ONE) * first < 0.0] = middle;
  }
  b->changes++;
  return 0;
}

/* one point more along the branch, no longer than `longest`; shorter where that finds none */
static int take_along(course *c, double longest, char message[SOLVER_MESSAGE_SIZE]) {
  branch *const b = c->b;
  const arc a = arc_from(c, b->points - 2);
  double part = fmin(2.0, longest / arc_length(&a));
  int status = SOLVER_FAILED;
  for (int i = 0; status && i < STEP_HALVINGS_MAX; i++, part *= 0.5)
    status = arc_find(&a, part, &b->value[b->points], &b->orbit[b->points], message);
  if (!status) b->points++;
  return status;
}

/* the first fold from a change on; NaN where there is none */
static double fold_from(const branch *b, size_t change) {
  for (size_t i = change; i < b->changes; i++)
    if (b->change[i].kind == BRANCH_FOLD) return b->change[i].value;
  return NAN;
}

/* the last point is beyond where the parameter began: it is moved there, if that can be */
static void end_at_start(course *c) {
  branch *const b = c->b;
  char message[SOLVER_MESSAGE_SIZE];
  const size_t last = b->points - 1;
  const double values[2] = {b->value[last - 1], b->value[last]};
  const orbit *const of[2] = {&b->orbit[last - 1], &b->orbit[last]};
  orbit end;
  guess(values, of, b->value[0], &end);
  if (find_at(c, b->value[0], &end, message)) return;
  b->value[last] = b->value[0];
  b->orbit[last] = end;
}

/* On from the last two points, around a fold, until the parameter is back where it began. The
 * parameter of the fold; NaN where the branch ends without one, and nothing is added. */
static double turn_back(course *c, size_t steps) {
  branch *const b = c->b;
  char message[SOLVER_MESSAGE_SIZE];
  const size_t changes = b->changes, points = b->points,
               most = points + 8 * (size_t)STEP_HALVINGS_MAX;
  const double onwards = b->to - b->value[0];
  if (points < 3) return NAN;
  const arc first = arc_from(c, 0);
  const double longest = fmax(arc_length(&first), 1.0 / (double)(steps * steps));
  double fold = NAN;
  while (b->points <= (isnan(fold) ? most : BRANCH_POINTS_MAX)) {
    if (take_along(c, longest, message) || note_fold(c, message) ||
        note_changes(c, BRANCH_ONE, message))
      break;
    if (isnan(fold)) fold = fold_from(b, changes);
    if (onwards * (b->value[b->points - 1] - b->value[0]) > 0.0) continue;
    end_at_start(c);
    break;
  }
  if (isnan(fold)) b->points = points, b->changes = changes;
  return fold;
}

static int walk(course *c, size_t steps, char message[SOLVER_MESSAGE_SIZE]) {
  branch *const b = c->b;
  const double from = b->value[0], whole = (b->to - from) / (double)steps;
  double step = whole;
  int halved = 0;
  while (b->value[b->points - 1] != b->to) {
    if (b->points > BRANCH_POINTS_MAX)
      return SOLVER_FAIL(message, "more than %d points", BRANCH_POINTS_MAX);
    const double at = b->value[b->points - 1], left = b->to - at;
    const bool last = fabs(left) <= fabs(step) * (1.0 + 1e-9);
    const int status = take(c, last ? b->to : at + step, message);
    if (status && halved == STEP_HALVINGS_MAX) {
      const double fold = turn_back(c, steps);
      if (!isnan(fold))
        measure_message(message, "the branch turns back at %s %.9g", b->parameter, fold);
      return status;
    }
    if (status) {
      step *= 0.5;
      halved++;
      continue;
    }
    if (halved) {
      step *= 2.0;
      halved--;
    }
    const int changes = note_changes(c, BRANCH_FOLD, message);
    if (changes) return changes;
  }
  b->reached = true;
  return 0;
}

int branch_follow(const orbit_request *request, const orbit *first, const char *parameter,
                  double to, size_t steps, branch *b, char message[SOLVER_MESSAGE_SIZE]) {
  course c = {.request = *request, .b = b};
  c.request.m = &c.m;
  const size_t points = BRANCH_POINTS_MAX + 1;
  *b = (branch){.parameter = parameter,
                .to = to,
                .points = 1,
                .value = calloc(points, sizeof *b->value),
                .orbit = calloc(points, sizeof *b->orbit),
                .change = calloc(BRANCH_CHANGES_MAX, sizeof *b->change)};
  model_init(&c.m, request->m->type);
  memcpy(c.m.value, request->m->value, sizeof c.m.value);
  // both ends are in range before anything is followed
  if (model_set(&c.m, parameter, to, message)) return SOLVER_REFUSED;
  if (!b->value || !b->orbit || !b->change) return SOLVER_FAIL(message, "out of memory");
  b->value[0] = model_get(request->m, parameter);
  b->orbit[0] = *first;
  if (walk(&c, steps, b->why)) b->reached = false;
  model_release(&c.m);
  return 0;
}

void branch_free(branch *b) {
  free(b->value);
  free(b->orbit);
  free(b->change);
  *b = (branch){0};
}
