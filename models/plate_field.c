/*
 * The plate's equations of motion, in two forms: contact by contact, and from sums over the set of
 * active contacts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <string.h>

#include "plate_gap.h"

enum { LANES = PLATE_LANES };

/* Four numbers treated as one (a vector extension that gcc and clang share): gcc 12 does not see
 * that four scalar accumulators are one vector, which costs it a factor of three. */
typedef double plate_lanes __attribute__((vector_size(LANES * sizeof(double))));
typedef int64_t plate_mask __attribute__((vector_size(LANES * sizeof(int64_t))));

/* Sums over active contacts of the force F and of F times the spring's position. */
typedef struct plate_load {
  double force, moment;
} plate_load;

/* F = k p + c dp/dt of a contact at xs, while it acts. */
static plate_affine force_of(const plate_parameters *q, const plate_gap *gap) {
  return (plate_affine){q->stiffness * gap->p.at + q->damping * gap->rate.at,
                        q->stiffness * gap->p.slope + q->damping * gap->rate.slope};
}

/* Each contact pushes with -F along the gradient of its penetration. */
static double torque_of(const plate_gap *gap, plate_load load) {
  return -(gap->p_theta.at * load.force + gap->p_theta.slope * load.moment);
}

/* Equations of motion. */
static void accelerate(const plate_parameters *q, const plate_gap *gap, plate_load load,
                       const double x[], double dxdt[]) {
  dxdt[PLATE_X] = x[PLATE_VX];
  dxdt[PLATE_Z] = x[PLATE_VZ];
  dxdt[PLATE_THETA] = x[PLATE_OMEGA];
  dxdt[PLATE_VX] = -gap->p_x * load.force / q->mass;
  dxdt[PLATE_VZ] = -gap->p_z * load.force / q->mass - q->gravity;
  dxdt[PLATE_OMEGA] = torque_of(gap, load) / q->inertia;
}

/*
 * Loads of the next LANES contacts, added: the weight is exactly 4 (or 2) when both signs are +1,
 * and exactly 0 when one is -1, so there is no branch, and affine in each sign. Without damping
 * there is no force guard, and the penetration's sign counts alone.
 */
static inline void add_contacts(plate_affine force, const double spring_x[], const double p_sign[],
                                const double f_sign[], plate_lanes *total, plate_lanes *moment) {
  plate_lanes x, p, f;
  memcpy(&x, spring_x, sizeof x);
  memcpy(&p, p_sign, sizeof p);
  plate_lanes weight = 1.0 + p;
  if (f_sign) {
    memcpy(&f, f_sign, sizeof f);
    weight *= 1.0 + f;
  }
  const plate_lanes load = weight * (force.at + force.slope * x);
  *total += load;
  *moment += load * x;
}

/* Fixed lanes keep the order of additions, hence the bits, on every compiler and machine. */
static plate_load sum_contacts(size_t count, plate_affine full, const double *restrict spring_x,
                               const double *restrict p_sign, const double *restrict f_sign) {
  // (1 + sign)/2 of each sign: the halves are taken out of the sum, which is the same to the bit
  const double part = f_sign ? 0.25 : 0.5;
  const plate_affine force = {part * full.at, part * full.slope};
  plate_lanes total = {0}, moment = {0};
  const size_t rest = count % LANES, whole = count - rest;
  size_t i = 0;
  for (; i + 2 * LANES <= whole; i += 2 * LANES) { // a loop's own work is a fifth of one of these
    const size_t next = i + LANES;
    add_contacts(force, spring_x + i, p_sign + i, f_sign ? f_sign + i : NULL, &total, &moment);
    add_contacts(force, spring_x + next, p_sign + next, f_sign ? f_sign + next : NULL, &total,
                 &moment);
  }
  if (i < whole)
    add_contacts(force, spring_x + i, p_sign + i, f_sign ? f_sign + i : NULL, &total, &moment);

  // the last few, filled up with inactive contacts
  if (rest) {
    double x[LANES] = {0}, p[LANES] = {-1, -1, -1, -1}, f[LANES] = {-1, -1, -1, -1};
    memcpy(x, spring_x + whole, rest * sizeof *x);
    memcpy(p, p_sign + whole, rest * sizeof *p);
    if (f_sign) memcpy(f, f_sign + whole, rest * sizeof *f);
    add_contacts(force, x, p, f_sign ? f : NULL, &total, &moment);
  }
  return (plate_load){(total[0] + total[1]) + (total[2] + total[3]),
                      (moment[0] + moment[1]) + (moment[2] + moment[3])};
}

int plate_field_contacts(double t, const double x[], const double sign[], double dxdt[],
                         void *params) {
  (void)t;
  const plate_data *data = params;
  const plate_parameters *q = &data->parameters;
  const plate_gap gap = plate_gap_at(q, x);

  const double *f_sign = q->damping > 0 ? sign + q->contacts : NULL;
  const plate_load load =
      sum_contacts(q->contacts, force_of(q, &gap), data->spring_x, sign, f_sign);
  accelerate(q, &gap, load, x, dxdt);
  return 0;
}

/* ---- the mode read off the state ------------------------------------------------------------- */

/* Loads of LANES contacts, added, in the lanes of `in` where both penetration and force are >= 0.
 * Without damping the force is the penetration's. */
static inline void add_pressed(plate_affine p, plate_affine force, const double spring_x[],
                               plate_mask in, plate_lanes *total, plate_lanes *moment) {
  plate_lanes x;
  memcpy(&x, spring_x, sizeof x);
  const plate_lanes depth = p.at + p.slope * x, push = force.at + force.slope * x;
  const plate_lanes load = (plate_lanes)((plate_mask)push & in & (depth >= 0.0) & (push >= 0.0));
  *total += load;
  *moment += load * x;
}

static inline plate_load sum_pressed(const plate_data *data, const plate_gap *gap) {
  const plate_parameters *q = &data->parameters;
  const plate_affine force = force_of(q, gap);
  const double *spring_x = data->spring_x;
  plate_lanes total = {0}, moment = {0};
  size_t left = q->contacts;
  for (; left > LANES; left -= LANES, spring_x += LANES)
    add_pressed(gap->p, force, spring_x, (plate_mask){-1, -1, -1, -1}, &total, &moment);

  // the last 1 to LANES
  static const int64_t full_then_empty[2 * LANES] = {-1, -1, -1, -1};
  plate_mask in;
  memcpy(&in, full_then_empty + LANES - left, sizeof in);
  add_pressed(gap->p, force, spring_x, in, &total, &moment);
  return (plate_load){(total[0] + total[1]) + (total[2] + total[3]),
                      (moment[0] + moment[1]) + (moment[2] + moment[3])};
}

int plate_field_by_state(const model *m, const double x[], double dxdt[]) {
  const plate_data *data = m->data;
  const plate_gap gap = plate_gap_at(&data->parameters, x);
  accelerate(&data->parameters, &gap, sum_pressed(data, &gap), x, dxdt);
  return 0;
}

int plate_contact_force(const model *m, const double x[], double force[]) {
  const plate_data *data = m->data;
  const plate_gap gap = plate_gap_at(&data->parameters, x);
  const plate_load load = sum_pressed(data, &gap);
  force[PLATE_X] = -gap.p_x * load.force;
  force[PLATE_Z] = -gap.p_z * load.force;
  force[PLATE_THETA] = torque_of(&gap, load);
  return 0;
}

/* ---- from sums over the mode ----------------------------------------------------------------- */

int plate_field_aggregated(double t, const double x[], const double sign[], double dxdt[],
                           void *params) {
  (void)t, (void)sign;
  const plate_data *data = params;
  const plate_gap gap = plate_gap_at(&data->parameters, x);
  const plate_affine force = force_of(&data->parameters, &gap);

  // sums of the active springs' positions and of their squares
  const double count = (double)data->active_count + data->partly_count;
  const double sum = data->unit * ((double)data->active_sum + data->partly_sum);
  const double squares =
      data->unit * data->unit * ((double)data->active_squares + data->partly_squares);
  const plate_load load = {force.at * count + force.slope * sum,
                           force.at * sum + force.slope * squares};
  accelerate(&data->parameters, &gap, load, x, dxdt);
  return 0;
}

/* Adds a contact of this weight to the sums, or takes it away again. */
static void add_weight(plate_data *data, double weight, int64_t position, bool adds) {
  if (weight == 0.0) return;
  if (weight == 1.0) {
    const int64_t times = adds ? 1 : -1;
    data->active_count += times;
    data->active_sum += times * position;
    data->active_squares += times * position * position;
    return;
  }
  data->partly = adds ? data->partly + 1 : data->partly - 1;
  const double times = adds ? weight : -weight, at = (double)position;
  data->partly_count = data->partly ? data->partly_count + times : 0.0;
  data->partly_sum = data->partly ? data->partly_sum + times * at : 0.0;
  data->partly_squares = data->partly ? data->partly_squares + times * at * at : 0.0;
}

/* Brings contact i up to date with the signs. */
static void update_contact(plate_data *data, const double sign[], size_t i) {
  const size_t count = data->parameters.contacts;
  const double pushes = data->parameters.damping > 0 ? 0.5 + 0.5 * sign[count + i] : 1.0;
  const double weight = (0.5 + 0.5 * sign[i]) * pushes;
  const int64_t position = 2 * (int64_t)i - (int64_t)(count - 1);
  if (weight == data->weight[i]) return;
  add_weight(data, data->weight[i], position, false);
  add_weight(data, weight, position, true);
  data->weight[i] = weight;
}

int plate_field_mode_changed(const double sign[], size_t guard, void *params) {
  plate_data *data = params;
  const size_t count = data->parameters.contacts;
  const size_t event_count = data->parameters.damping > 0 ? 2 * count : count;
  if (guard < event_count) {
    update_contact(data, sign, guard < count ? guard : guard - count);
  } else {
    for (size_t i = 0; i < count; i++) update_contact(data, sign, i);
  }
  return 0;
}

/* ---- its Jacobian ---------------------------------------------------------------------------- */

/* Sums over the contacts that act: how many, of their positions, and of the squares of these. */
typedef struct plate_sums {
  double count, sum, squares;
} plate_sums;

static plate_sums sums_of(const plate_data *data, const double sign[]) {
  const size_t contacts = data->parameters.contacts;
  const bool damped = data->parameters.damping > 0;
  plate_sums s = {0};
  for (size_t i = 0; i < contacts; i++) {
    const double x = data->spring_x[i], pushes = damped ? 0.5 + 0.5 * sign[contacts + i] : 1.0;
    const double weight = (0.5 + 0.5 * sign[i]) * pushes;
    s.count += weight;
    s.sum += weight * x;
    s.squares += weight * x * x;
  }
  return s;
}

/* of what each contact's is, F and the moment in all */
static plate_load load_of(plate_affine force, const plate_sums *s) {
  return (plate_load){force.at * s->count + force.slope * s->sum,
                      force.at * s->sum + force.slope * s->squares};
}

/* k a + c b */
static plate_affine combine(const plate_parameters *q, plate_affine a, plate_affine b) {
  return (plate_affine){q->stiffness * a.at + q->damping * b.at,
                        q->stiffness * a.slope + q->damping * b.slope};
}

int plate_field_jacobian(double t, const double x[], const double sign[], double J[],
                         void *params) {
  enum { N = PLATE_DIMENSION };
  (void)t;
  const plate_data *const data = params;
  const plate_parameters *const q = &data->parameters;
  const plate_gap g = plate_gap_at(q, x);
  const plate_sums sums = sums_of(data, sign);
  const plate_load load = load_of(force_of(q, &g), &sums);
  const plate_affine none = {0}, by_x = {g.p_x, 0}, by_z = {g.p_z, 0};
  const plate_affine by[N] = {combine(q, by_x, (plate_affine){g.rate_x, 0}),
                              combine(q, by_z, (plate_affine){g.rate_z, 0}),
                              combine(q, g.p_theta, g.rate_theta),
                              combine(q, none, by_x),
                              combine(q, none, by_z),
                              combine(q, none, g.p_theta)};
  memset(J, 0, N * N * sizeof *J);
  for (int i = 0; i < 3; i++) J[i * N + 3 + i] = 1;
  for (int j = 0; j < N; j++) {
    const plate_load moved = load_of(by[j], &sums);
    J[PLATE_VX * N + j] = -g.p_x * moved.force / q->mass;
    J[PLATE_VZ * N + j] = -g.p_z * moved.force / q->mass;
    J[PLATE_OMEGA * N + j] =
        -(g.p_theta.at * moved.force + g.p_theta.slope * moved.moment) / q->inertia;
  }
  // and each pushes along a gradient that turns
  J[PLATE_VX * N + PLATE_THETA] -= g.p_x_theta * load.force / q->mass;
  J[PLATE_VZ * N + PLATE_THETA] -= g.p_z_theta * load.force / q->mass;
  J[PLATE_OMEGA * N + PLATE_X] -= g.p_x_theta * load.force / q->inertia;
  J[PLATE_OMEGA * N + PLATE_Z] -= g.p_z_theta * load.force / q->inertia;
  J[PLATE_OMEGA * N + PLATE_THETA] -=
      (g.p_theta_theta.at * load.force + g.p_theta_theta.slope * load.moment) / q->inertia;
  return 0;
}
