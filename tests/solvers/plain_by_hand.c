/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plate as anyone would write it who has no use for event functions: one loop over the springs
 * that reads off the state which of them act, and around it Euler, RK4, Heun's 2(1) or Adams' of
 * order 2, or a call of libess's dopri5 or of CVODE. What tools/counts plain-cost counts against
 * the plain methods. usage: plain_by_hand ours|hand euler|rk4|dopri5|cvode|heun|adams2 CONTACTS
 * prints the last state; race() is what is counted. */
#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "plate.h"
#include "solvers.h"

enum { N = 6, OUTPUTS = 1001 };
static const double dt = 0.002, tolerance = 2.4e-5;

typedef struct by_hand {
  const plate_parameters *q;
  const double *spring_x;
} by_hand;

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)t, (void)sign;
  const by_hand *const b = params;
  const plate_parameters *const q = b->q;
  const double s = sin(x[2]), c = cos(x[2]), a = q->free_length - q->radius - x[1];
  const double along = x[0] * c - a * s, across = x[0] * s + a * c;
  const double p0 = q->radius + across, v0 = s * x[3] - c * x[4] + x[5] * along;
  const double f0 = q->stiffness * p0 + q->damping * v0;
  const double slope = -(q->stiffness * s + q->damping * x[5] * c);
  double force = 0.0, moment = 0.0;
  for (size_t i = 0; i < q->contacts; i++) {
    const double p = p0 - s * b->spring_x[i], f = f0 + slope * b->spring_x[i];
    const double load = p >= 0.0 && f >= 0.0 ? f : 0.0;
    force += load;
    moment += load * b->spring_x[i];
  }
  memcpy(dxdt, x + 3, 3 * sizeof *x);
  dxdt[3] = -s * force / q->mass;
  dxdt[4] = c * force / q->mass - q->gravity;
  dxdt[5] = -(along * force - c * moment) / q->inertia;
  return 0;
}

static int euler(by_hand *b, const double x0[], const solver_output *out) {
  double x[N], dxdt[N];
  memcpy(x, x0, sizeof x);
  memcpy(out->states, x, sizeof x);
  for (size_t k = 1; k < out->count; k++) {
    field(0.0, x, NULL, dxdt, b);
    for (int i = 3; i < N; i++) x[i] += out->dt * dxdt[i];
    for (int i = 0; i < 3; i++) x[i] += out->dt * x[3 + i];
    memcpy(out->states + k * N, x, sizeof x);
  }
  return 0;
}

static int rk4(by_hand *b, const double x0[], const solver_output *out) {
  const double h = out->dt;
  double x[N], at[N], k1[N], k2[N], k3[N], k4[N];
  memcpy(x, x0, sizeof x);
  memcpy(out->states, x, sizeof x);
  for (size_t k = 1; k < out->count; k++) {
    field(0.0, x, NULL, k1, b);
    for (int i = 0; i < N; i++) at[i] = x[i] + 0.5 * h * k1[i];
    field(0.0, at, NULL, k2, b);
    for (int i = 0; i < N; i++) at[i] = x[i] + 0.5 * h * k2[i];
    field(0.0, at, NULL, k3, b);
    for (int i = 0; i < N; i++) at[i] = x[i] + h * k3[i];
    field(0.0, at, NULL, k4, b);
    for (int i = 0; i < N; i++) x[i] += h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
    memcpy(out->states + k * N, x, sizeof x);
  }
  return 0;
}

/* ---- by one tolerance ------------------------------------------------------------------------ */

/* the next step by the last, whose error is over the tolerance such that this is its root */
static double next_step(double h, double root, double most) {
  return h * fmin(most, fmax(0.2, 0.8 / root));
}

static double first_step(const double x[], const double f[]) {
  double size = 0.0, speed = 0.0;
  for (int i = 0; i < N; i++) {
    const double scale = tolerance + tolerance * fabs(x[i]);
    size += x[i] / scale * (x[i] / scale);
    speed += f[i] / scale * (f[i] / scale);
  }
  return 0.01 * sqrt(size / speed);
}

/* half a step times what the slopes differ by is added to `to`; the mean of its squares, each over
 * its tolerance */
static inline double correct(double h, const double x[], const double f[], const double g[],
                             const double rise[], double to[]) {
  double sum = 0.0;
  for (int i = 0; i < N; i++) {
    const double d = 0.5 * h * (g[i] - f[i] - rise[i]);
    to[i] += d;
    const double e = d / (tolerance + tolerance * fmax(fabs(x[i]), fabs(to[i])));
    sum += e * e;
  }
  return sum / N;
}

/* the outputs of a step from t to `end`; the first that is not among them */
static inline size_t outputs(const solver_output *out, size_t k, double t, double h, double end,
                             const double x[], const double f[], const double to[],
                             const double g[]) {
  for (; k < out->count && out->times[k] <= end; k++) {
    const double a = (out->times[k] - t) / h, b = 1.0 - a;
    const double rise = a * a * (1.0 + 2.0 * b), at_f = a * b * b * h, at_g = -a * a * b * h;
    double *const at = out->states + k * N;
    for (int i = 0; i < N; i++) at[i] = x[i] + rise * (to[i] - x[i]) + at_f * f[i] + at_g * g[i];
  }
  return k;
}

static int heun(by_hand *b, const double x0[], const solver_output *out) {
  const double end = out->times[out->count - 1], none[N] = {0};
  double t = 0.0, x[N], to[N], f[N], g[N];
  memcpy(x, x0, sizeof x);
  memcpy(out->states, x, sizeof x);
  field(t, x, NULL, f, b);
  double h = first_step(x, f);
  for (size_t k = 1; t < end;) {
    const bool last = t + h >= end;
    if (last) h = end - t;
    for (int i = 0; i < N; i++) to[i] = x[i] + h * f[i];
    field(t + h, to, NULL, g, b);
    const double error = correct(h, x, f, g, none, to), next = next_step(h, sqrt(sqrt(error)), 5.0);
    if (error <= 1.0) {
      const double t1 = last ? end : t + h;
      field(t1, to, NULL, g, b);
      k = outputs(out, k, t, h, t1, x, f, to, g);
      memcpy(x, to, sizeof x);
      memcpy(f, g, sizeof f);
      t = t1;
    }
    h = next;
  }
  return 0;
}

static int adams2(by_hand *b, const double x0[], const solver_output *out) {
  const double end = out->times[out->count - 1];
  double t = 0.0, x[N], to[N], f[N], g[N], before[N], rise[N], h_before = 0.0;
  memcpy(x, x0, sizeof x);
  memcpy(out->states, x, sizeof x);
  field(t, x, NULL, f, b);
  memcpy(before, f, sizeof f);
  double h = first_step(x, f);
  for (size_t k = 1; t < end;) {
    const bool last = t + h >= end, first = h_before == 0.0;
    if (last) h = end - t;
    const double ratio = first ? 0.0 : h / h_before, left = ratio / (3.0 * ratio + 3.0);
    for (int i = 0; i < N; i++) {
      rise[i] = ratio * (f[i] - before[i]);
      to[i] = x[i] + h * (f[i] + 0.5 * rise[i]);
    }
    field(t + h, to, NULL, g, b);
    const double both = correct(h, x, f, g, rise, to), error = first ? both : left * left * both;
    const double next = next_step(h, first ? sqrt(sqrt(error)) : cbrt(sqrt(error)), 2.0);
    if (error <= 1.0) {
      const double t1 = last ? end : t + h;
      if (first) field(t1, to, NULL, g, b);
      k = outputs(out, k, t, h, t1, x, f, to, g);
      h_before = h;
      memcpy(x, to, sizeof x);
      memcpy(before, f, sizeof f);
      memcpy(f, g, sizeof f);
      t = t1;
    }
    h = next;
  }
  return 0;
}

static int dopri5(ess_driver *driver, const double x0[], const solver_output *out) {
  double t = 0.0, x[N];
  memcpy(x, x0, sizeof x);
  ess_driver_reset(driver);
  return ess_driver_sample(driver, &t, out->times[out->count - 1], x, out->times, out->count,
                           out->states);
}

/* ---- CVODE ----------------------------------------------------------------------------------- */

typedef struct adams {
  SUNContext context;
  N_Vector x, at;
  SUNNonlinearSolver iteration;
  void *memory;
} adams;

static int adams_field(realtype t, N_Vector x, N_Vector dxdt, void *params) {
  return field(t, N_VGetArrayPointer(x), NULL, N_VGetArrayPointer(dxdt), params);
}

static int adams_open(adams *a, by_hand *b) {
  if (SUNContext_Create(NULL, &a->context)) return -1;
  a->x = N_VNew_Serial(N, a->context);
  a->at = N_VNew_Serial(N, a->context);
  a->memory = CVodeCreate(CV_ADAMS, a->context);
  if (!a->x || !a->at || !a->memory) return -1;
  N_VConst(0.0, a->x);
  a->iteration = SUNNonlinSol_FixedPoint(a->x, 0, a->context);
  return CVodeInit(a->memory, adams_field, 0.0, a->x) ||
         CVodeSStolerances(a->memory, tolerance, tolerance) || CVodeSetUserData(a->memory, b) ||
         CVodeSetNonlinearSolver(a->memory, a->iteration);
}

static void adams_close(adams *a) {
  if (!a->context) return;
  CVodeFree(&a->memory);
  SUNNonlinSolFree(a->iteration);
  N_VDestroy(a->at);
  N_VDestroy(a->x);
  SUNContext_Free(&a->context);
}

/* CVODE steps as it likes, and interpolates at each time that is asked for */
static int cvode(adams *a, const double x0[], const solver_output *out) {
  double t = 0.0, *const at = N_VGetArrayPointer(a->at);
  memcpy(N_VGetArrayPointer(a->x), x0, N * sizeof *x0);
  memcpy(out->states, x0, N * sizeof *x0);
  if (CVodeReInit(a->memory, 0.0, a->x) || CVodeSetStopTime(a->memory, out->times[out->count - 1]))
    return -1;
  for (size_t k = 1; k < out->count;) {
    if (CVode(a->memory, out->times[out->count - 1], a->x, &t, CV_ONE_STEP) < 0) return -1;
    for (; k < out->count && out->times[k] <= t; k++) {
      if (CVodeGetDky(a->memory, out->times[k], 0, a->at)) return -1;
      memcpy(out->states + k * N, at, N * sizeof *at);
    }
  }
  return 0;
}

/* ---- the race -------------------------------------------------------------------------------- */

enum { EULER, RK4, DOPRI5, CVODE, HEUN, ADAMS2, METHODS };
static const char *const methods[METHODS] = {"euler", "rk4", "dopri5", "cvode", "heun", "adams2"};
static const char *const solvers[METHODS] = {"plain-euler", "plain-rk4",  "plain-dopri5",
                                             "plain-cvode", "plain-heun", "plain-adams2"};

typedef struct racer {
  const solver_type *solver; /* NULL: by hand */
  void *instance;
  int method;
  by_hand hand;
  ess_driver *driver;
  adams adams;
} racer;

/* with a name outside and never inlined, so that callgrind finds it */
int race(racer *r, const double x0[], const solver_output *out);
__attribute__((noinline)) int race(racer *r, const double x0[], const solver_output *out) {
  solver_report report;
  if (r->solver) return r->solver->run(r->instance, x0, out, &report);
  switch (r->method) {
  case EULER:
    return euler(&r->hand, x0, out);
  case RK4:
    return rk4(&r->hand, x0, out);
  case HEUN:
    return heun(&r->hand, x0, out);
  case ADAMS2:
    return adams2(&r->hand, x0, out);
  case DOPRI5:
    return dopri5(r->driver, x0, out);
  default:
    return cvode(&r->adams, x0, out);
  }
}

static int fail(const char *why) {
  fprintf(stderr, "plain_by_hand: %s\n", why);
  return EXIT_FAILURE;
}

int main(int argc, char **argv) {
  static double times[OUTPUTS], states[OUTPUTS * N];
  char message[SOLVER_MESSAGE_SIZE] =
      "usage: plain_by_hand ours|hand euler|rk4|dopri5|cvode|heun|adams2 CONTACTS";
  int method = 0;
  while (argc == 4 && method < METHODS && strcmp(argv[2], methods[method]) != 0) method++;
  const bool ours = argc == 4 && strcmp(argv[1], "ours") == 0;
  if (argc != 4 || method == METHODS || (!ours && strcmp(argv[1], "hand") != 0))
    return fail(message), 2;
  model m;
  model_init(&m, &plate_type);
  if (model_set(&m, "contacts", atof(argv[3]), message) || model_prepare(&m, message))
    return fail(message);

  for (size_t i = 0; i < OUTPUTS; i++) times[i] = (double)i * dt;
  const solver_output out = {times, dt, OUTPUTS, states};
  solver_settings settings = solver_settings_default();
  settings.rtol = settings.atol = tolerance;
  settings.time_step = dt;
  const plate_parameters *const q = plate_get(&m);
  double *const spring_x = calloc(q->contacts, sizeof *spring_x);
  if (!spring_x) return fail("out of memory");
  for (size_t i = 0; i < q->contacts; i++) spring_x[i] = plate_spring_x(q, i);
  racer r = {.solver = ours ? solver_find(solvers[method]) : NULL,
             .method = method,
             .hand = {q, spring_x}};
  if (ours && r.solver->prepare(&m, &settings, &out, &r.instance, message)) return fail(message);
  const ess_system system = {.dimension = N, .field = field, .params = &r.hand};
  ess_options options = ess_options_paper();
  options.rtol = options.atol = tolerance;
  if (!ours && method == DOPRI5 && !(r.driver = ess_driver_alloc(&system, &options, NULL)))
    return fail("out of memory");
  if (!ours && method == CVODE && adams_open(&r.adams, &r.hand)) return fail("out of memory");

  const double x0[N] = {0.0, q->height, q->tilt, 0.0, 0.0, 0.0};
  if (race(&r, x0, &out)) return fail("the run failed");
  const double *const last = states + (OUTPUTS - 1) * N;
  for (int i = 0; i < N; i++) printf("%.9g%s", last[i], i + 1 < N ? " " : "\n");
  ess_driver_free(r.driver);
  adams_close(&r.adams);
  if (ours) r.solver->release(r.instance);
  free(spring_x);
  model_release(&m);
  return EXIT_SUCCESS;
}
