/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tutorial's time-stepping method, with this project's contact law: semi-implicit Euler under
 * contact forces that are solved for, at every step, together with the velocity they lead to.
 *
 * With p and its gradient G at the start of the step, and v' the velocity at its end,
 *   v' = v + dt (a - M^-1 G^T F),   q' = q + dt v',   u = G v',   p' = p + dt u,
 * where F is the contact law's answer to p' and u, its jump filled in:
 *   F = k p' + c u where p' > 0 and that is > 0,   0 <= F <= c u where p' = 0,   F = 0 elsewhere.
 * Undamped, this is 0 <= F, perpendicular to F/k - p' >= 0: the tutorial's complementarity with a
 * compliance. At p' = 0 a contact that touches down within the step is held at the surface by a
 * part of its damper's force, for the whole of it would throw it off again. F never falls as u
 * grows, and u falls as F grows, so that the solution is unique; projected Gauss-Seidel finds it by
 * solving contact after contact exactly, from the forces of the step before.
 *
 * Variant `midpoint` asks the same of the middle of the step (Moreau and Jean's theta method with
 * theta = 1/2, where the tutorial's has theta = 1): v', p' and dt above are those of half a step, G
 * is that of q + (dt/2) v, and the step ends at q + dt v' and v + 2 (v' - v). A spring then neither
 * gains nor loses energy; Euler's loses some. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "baselines.h"
#include "contacts.h"
#include "fixed_step.h"
#include "mode.h"

enum { COORDINATES_MAX = MODEL_DIMENSION_MAX / 2, SWEEPS_MAX = 10000 };

/* sweeps end when none has changed a force by more than this share of the largest */
static const double tolerance = 1e-12;

static const char *const variants[] = {"euler", "midpoint", NULL};

typedef struct time_stepping {
  contact_set c;
  fixed_step plan;
  double theta, reach; /* 1 or 1/2; theta times the step, s: up to where forces are solved for */
  double *force;       /* [contacts] F, N */
  double *mobility;    /* [contacts] loss of u by one newton at the contact itself */
  double response[COORDINATES_MAX]; /* reach/m: change of velocity by one newton */
} time_stepping;

static void release(void *instance) {
  time_stepping *const s = instance;
  if (!s) return;
  contacts_free(&s->c);
  free(s->force);
  free(s);
}

static int set_up(time_stepping *s, const model *m, const fixed_step *plan, double theta) {
  s->plan = *plan;
  s->theta = theta;
  s->reach = theta * plan->dt;
  if (contacts_alloc(&s->c, m)) return SOLVER_FAILED;
  s->force = calloc(2 * s->c.law.contacts, sizeof *s->force);
  if (!s->force) return SOLVER_FAILED;
  s->mobility = s->force + s->c.law.contacts;
  for (size_t j = 0; j < s->c.law.coordinates; j++)
    s->response[j] = s->reach * s->c.law.inverse_mass[j];
  return 0;
}

static int prepare(const model *m, const solver_settings *settings, const solver_output *output,
                   void **instance, char message[SOLVER_MESSAGE_SIZE]) {
  if (!m->type->mechanics)
    return SOLVER_REFUSE(
        message, "time-stepping: %s has no contact force to solve for; hopper and plate have",
        m->type->name);
  fixed_step plan;
  const int variant = mode_variant("time-stepping", settings, variants, message);
  const int status =
      variant < 0 ? variant : fixed_step_fit("time-stepping", settings, output->dt, &plan, message);
  if (status) return status;
  time_stepping *const s = calloc(1, sizeof *s);
  if (s && set_up(s, m, &plan, variant ? 0.5 : 1.0) == 0) {
    *instance = s;
    return 0;
  }
  release(s);
  return SOLVER_FAIL(message, "time-stepping: out of memory");
}

/* u of contact i */
static double approach(const time_stepping *s, size_t i, const double v[]) {
  double u = 0.0;
  for (size_t j = 0; j < s->c.law.coordinates; j++)
    u += s->c.gradient[j * s->c.law.contacts + i] * v[j];
  return u;
}

/* adds `force` newtons at contact i to the velocity */
static void push(const time_stepping *s, size_t i, double force, double v[]) {
  for (size_t j = 0; j < s->c.law.coordinates; j++)
    v[j] -= s->response[j] * s->c.gradient[j * s->c.law.contacts + i] * force;
}

/* F of a contact `depth` deep that would approach at u without it */
static double contact_force(const time_stepping *s, double depth, double mobility, double u) {
  const double dt = s->reach, k = s->c.law.stiffness, c = s->c.law.damping;
  const double by_rate = k * dt + c;
  const double pressed = (k * depth + by_rate * u) / (1.0 + mobility * by_rate);
  if (!(pressed > 0.0)) return 0.0;

  // on its way down it is not pushed back further than to the surface
  const double held = (depth + dt * u) / (dt * mobility);
  return depth >= 0.0 || pressed <= held ? pressed : fmax(0.0, held);
}

/* whether any contact has a force to solve for: without one, v is already that of the step's end */
static bool is_any_pressed(const time_stepping *s, const double v[]) {
  const double dt = s->reach;
  bool any = false;
  for (size_t i = 0; i < s->c.law.contacts; i++)
    any |= (s->c.depth[i] > 0.0) | (s->c.depth[i] + dt * approach(s, i, v) > 0.0);
  return any;
}

/* one pass over all contacts; true when it changed no force by more than the tolerance */
static bool sweep(time_stepping *s, double v[]) {
  double change = 0.0, largest = 0.0;
  for (size_t i = 0; i < s->c.law.contacts; i++) {
    const double before = s->force[i], mobility = s->mobility[i];
    const double u = approach(s, i, v) + mobility * before;
    const double force = contact_force(s, s->c.depth[i], mobility, u);
    if (force == before) continue;
    push(s, i, force - before, v);
    s->force[i] = force;
    change = fmax(change, fabs(force - before));
    largest = fmax(largest, fmax(force, before));
  }
  return change <= tolerance * largest;
}

/* from v without contact forces to v with them; every sweep is counted as an evaluation */
static int solve_contacts(time_stepping *s, double v[], solver_report *report) {
  const size_t n = s->c.law.coordinates, contacts = s->c.law.contacts;
  for (size_t i = 0; i < contacts; i++) {
    s->mobility[i] = 0.0;
    for (size_t j = 0; j < n; j++)
      s->mobility[i] +=
          s->response[j] * s->c.gradient[j * contacts + i] * s->c.gradient[j * contacts + i];
    if (s->force[i] > 0.0) push(s, i, s->force[i], v);
  }
  for (int count = 0; count < SWEEPS_MAX; count++) {
    report->field_evaluations++;
    if (sweep(s, v)) return 0;
  }
  return SOLVER_FAILED;
}

/* depths at the start of the step, with their gradient at the start or, for midpoint, half a step
 * on: then the depths there, taken back along the gradient */
static void look(time_stepping *s, const double x[]) {
  const size_t n = s->c.law.coordinates;
  const double ahead = s->plan.dt - s->reach;
  const double *const v = x + n;
  double there[MODEL_DIMENSION_MAX];
  memcpy(there, x, 2 * n * sizeof *there);
  for (size_t j = 0; j < n; j++) there[j] += ahead * v[j];
  s->c.m->type->penetrations(s->c.m, there, s->c.depth, s->c.gradient);
  if (!(ahead > 0.0)) return;
  for (size_t i = 0; i < s->c.law.contacts; i++) s->c.depth[i] -= ahead * approach(s, i, v);
}

static int step(void *instance, double t, double dt, double x[], solver_report *report) {
  time_stepping *const s = instance;
  const size_t n = s->c.law.coordinates;
  double v[COORDINATES_MAX];
  look(s, x);
  report->field_evaluations++;
  for (size_t j = 0; j < n; j++) v[j] = x[n + j] + s->reach * s->c.law.free_acceleration[j];
  if (!is_any_pressed(s, v)) {
    memset(s->force, 0, s->c.law.contacts * sizeof *s->force);
  } else if (solve_contacts(s, v, report)) {
    return SOLVER_FAIL(
        report->message,
        "time-stepping: projected Gauss-Seidel has not converged after %d sweeps at t = %g s",
        SWEEPS_MAX, t);
  }

  // v is that of the step's end, or of its middle
  for (size_t j = 0; j < n; j++) {
    x[j] += dt * v[j];
    x[n + j] += (v[j] - x[n + j]) / s->theta;
  }
  return 0;
}

static int run(void *instance, const double x0[], const solver_output *output,
               solver_report *report) {
  time_stepping *const s = instance;
  memset(s->force, 0, s->c.law.contacts * sizeof *s->force);
  return fixed_step_run(&s->plan, "time-stepping", s->c.m->system.dimension, x0, output, step, s,
                        report);
}

const solver_type time_stepping_solver = {
    .name = "time-stepping",
    .summary = "semi-implicit Euler, contact forces by complementarity",
    .variants = variants,
    .prepare = prepare,
    .run = run,
    .inspect = contacts_inspect,
    .release = release,
};
