/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Newton's method on a section. */
#include "orbit.h"

#include <float.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <string.h>

#include "ess_tangents.h"
#include "measure.h"

enum { ITERATIONS_MAX = 60, HALVINGS_MAX = 12 };

/* a multiplier this near to 1 leaves orbits that are not isolated */
static const double singular = 1e-9;

/* beyond what tolerances leave of a residual no step helps */
static const double within = 100.0;

const char *orbit_stability_name(orbit_stability stability) {
  static const char *const names[] = {"stable", "unstable", "undecided", "not known"};
  return names[stability];
}

/* what one map of a start leads to */
typedef struct mapped {
  double s[MODEL_SECTION_MAX], matrix[GROWTH_MATRIX_MAX], period;
  flow_kind kind;
  size_t pieces, tied, order[FLOW_EVENTS_MAX];
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
  const char *const wrong = ess_check(&r->m->system, &stopping);
  ess_driver *const driver = wrong ? NULL : ess_driver_alloc(&r->m->system, &stopping, status);
  if (!driver) measure_message(message, "libess: %s", wrong ? wrong : ess_strerror(*status));
  *status = driver ? 0 : wrong ? SOLVER_REFUSED : SOLVER_FAILED;
  return driver;
}

static bool all_finite(const double values[], size_t count) {
  bool finite = true;
  for (size_t i = 0; i < count; i++) finite = finite && isfinite(values[i]);
  return finite;
}

static int explain(const orbit_request *r, const ess_driver *driver, int status, size_t passed,
                   char message[SOLVER_MESSAGE_SIZE]) {
  if (!status)
    measure_message(message,
                    "%s passes the section %zu of %zu times by t = %.9g; --duration is how long it "
                    "may take",
                    r->m->type->name, passed, r->passages, model_get(r->m, "duration"));
  else
    measure_message(message, "libess: %s at t = %.9g", ess_strerror(status),
                    ess_driver_failure(driver)->time);
  return SOLVER_FAILED;
}

/* the state on the section, where it is told of, and tangents to it */
static int run(const orbit_request *r, ess_driver *driver, double x[], const double Dx0[],
               size_t piece, double Dx[], mapped *to, char message[SOLVER_MESSAGE_SIZE]) {
  const model_section *const section = r->m->type->section;
  const double longest = model_get(r->m, "duration");
  size_t passed = 0;
  to->period = 0.0;
  ess_driver_reset(driver);
  int status = ess_driver_follow(driver, section->count, Dx0);
  if (!status) status = ess_driver_choose_piece(driver, piece);
  while (!status && passed < r->passages) {
    status = ess_driver_apply(driver, &to->period, longest, x);
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
  if (!all_finite(x, n) || !all_finite(Dx[0], n * count)) {
    measure_message(message, "%s: there is no such state on the section (%s %.9g%s)",
                    r->m->type->name, model_state_name(r->m, section->states[0]), s[0],
                    count > 1 ? ", ..." : "");
    return SOLVER_FAILED;
  }
  const int status = run(r, driver, x, Dx[0], piece, Dx[1], to, message);
  if (status) return status;
  for (size_t i = 0; i < count; i++) {
    to->s[i] = x[section->states[i]];
    memcpy(to->matrix + i * count, Dx[1] + section->states[i] * count, count * sizeof *Dx[1]);
  }
  const ess_smoothness *const smooth = ess_driver_smoothness(driver);
  to->kind = smooth->kind == ESS_SMOOTH_C1          ? FLOW_C1
             : smooth->kind == ESS_SMOOTH_PIECEWISE ? FLOW_PIECEWISE
                                                    : FLOW_NOT_COUNTED;
  to->pieces = smooth->pieces;
  to->tied = smooth->count < FLOW_EVENTS_MAX ? smooth->count : FLOW_EVENTS_MAX;
  if (to->tied) memcpy(to->order, smooth->order, to->tied * sizeof *to->order);
  return 0;
}

/* how far the map moves s, in what each coordinate is large beside */
double orbit_residual(const double s[], const double to[], size_t count) {
  double largest = 0.0;
  for (size_t i = 0; i < count; i++)
    largest = fmax(largest, fabs(to[i] - s[i]) / fmax(fabs(s[i]), 1e-3));
  return largest;
}

double orbit_enough(const orbit_request *request) {
  const double tolerance = fmax(request->options->rtol, request->options->atol);
  return fmax(within * tolerance, 64.0 * DBL_EPSILON);
}

/* (D - 1) step = s - P(s); false where that has no one solution */
static bool newton_step(const mapped *at, const double s[], size_t count, double step[]) {
  double a[GROWTH_MATRIX_MAX], b[MODEL_SECTION_MAX];
  size_t place[MODEL_SECTION_MAX];
  int sign;
  double size = 0.0, least = INFINITY;
  for (size_t i = 0; i < count * count; i++) {
    a[i] = at->matrix[i] - (i % (count + 1) == 0);
    size = fmax(size, fabs(a[i]));
  }
  for (size_t i = 0; i < count; i++) b[i] = s[i] - at->s[i];
  gsl_matrix_view matrix = gsl_matrix_view_array(a, count, count);
  gsl_vector_view right = gsl_vector_view_array(b, count), out = gsl_vector_view_array(step, count);
  gsl_permutation order = {.size = count, .data = place};
  gsl_linalg_LU_decomp(&matrix.matrix, &order, &sign);
  for (size_t i = 0; i < count; i++) least = fmin(least, fabs(a[i * (count + 1)]));
  if (!(least > singular * fmax(size, 1.0))) return false;
  gsl_linalg_LU_solve(&matrix.matrix, &order, &right.vector, &out.vector);
  return all_finite(step, count);
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
    if (!newton_step(at, o->s, o->count, step)) {
      measure_message(message, "%s: a multiplier is 1, so that no orbit here is isolated",
                      r->m->type->name);
      return SOLVER_FAILED;
    }
    // on until rounding stops it: the last steps cost little, and double the digits
    if (o->residual == 0.0 || !advance(r, driver, o, step, at)) break;
  }
  if (o->residual <= enough) return 0;
  measure_message(message,
                  "%s: no orbit was found from that start; after %u steps of Newton's method the "
                  "map still moves it by %.3g",
                  r->m->type->name, o->iterations, o->residual);
  return SOLVER_FAILED;
}

static int find_multipliers(orbit *o, char message[SOLVER_MESSAGE_SIZE]) {
  double a[GROWTH_MATRIX_MAX];
  memcpy(a, o->matrix[0], o->count * o->count * sizeof *a);
  if (growth_eigenvalues(a, o->count, o->real, o->imaginary)) {
    measure_message(message, "the multipliers were not found");
    return SOLVER_FAILED;
  }
  return 0;
}

/* the pieces of its derivative, and what they make of a disturbance */
static int examine(const orbit_request *r, ess_driver *driver, const mapped *at, orbit *o,
                   char message[SOLVER_MESSAGE_SIZE]) {
  int status = 0;
  o->period = at->period;
  o->kind = at->kind;
  o->pieces = at->pieces;
  o->tied = at->tied;
  o->shown = at->kind != FLOW_PIECEWISE      ? 1
             : at->pieces < ORBIT_PIECES_MAX ? at->pieces
                                             : ORBIT_PIECES_MAX;
  for (size_t piece = 0; !status && piece < o->shown; piece++) {
    mapped of = *at;
    if (piece) status = map_once(r, driver, o->s, piece, &of, message);
    memcpy(o->matrix[piece], of.matrix, sizeof of.matrix);
    memcpy(o->order[piece], of.order, sizeof of.order);
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

int orbit_find(const orbit_request *request, orbit *o, char message[SOLVER_MESSAGE_SIZE]) {
  int status;
  mapped at = {0};
  ess_driver *const driver = driver_of(request, &status, message);
  if (!driver) return status;
  o->count = request->m->type->section->count;
  status = newton(request, driver, o, &at, message);
  if (!status) status = examine(request, driver, &at, o, message);
  ess_driver_free(driver);
  return status;
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

int orbit_look(const orbit_request *request, orbit *o, char message[SOLVER_MESSAGE_SIZE]) {
  int status;
  mapped at = {0};
  ess_driver *const driver = driver_of(request, &status, message);
  if (!driver) return status;
  status = map_once(request, driver, o->s, 0, &at, message);
  if (!status) o->residual = orbit_residual(o->s, at.s, o->count);
  if (!status) status = examine(request, driver, &at, o, message);
  ess_driver_free(driver);
  return status;
}
