/*
 * The plate's event functions, their Jacobian, and their rates along a direction: penetration of
 * every contact, then, with damping, force over stiffness of every contact.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plate_gap.h"

/* These loops are compiled twice where the program's loader can choose: for processors with eight
 * lanes, and for all. Both do the same to the last bit. Sums over contacts have an order, and stay
 * with four. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) &&       \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define PLATE_LOOP __attribute__((target_clones("avx512f", "default")))
#else
#define PLATE_LOOP
#endif

/* value[i] = line at spring i */
PLATE_LOOP static void fill(size_t count, plate_affine line, const double *restrict spring_x,
                            double *restrict value) {
  for (size_t i = 0; i < count; i++) value[i] = line.at + line.slope * spring_x[i];
}

/* Two lines in one pass. */
PLATE_LOOP static void fill_two(size_t count, plate_affine line, plate_affine other,
                                const double *restrict spring_x, double *restrict value,
                                double *restrict other_value) {
  for (size_t i = 0; i < count; i++) {
    value[i] = line.at + line.slope * spring_x[i];
    other_value[i] = other.at + other.slope * spring_x[i];
  }
}

/* c/k, which turns dp/dt into the damper's share of F/k. */
static double relaxation(const plate_parameters *q) {
  return q->damping / q->stiffness;
}

int plate_event_functions(double t, const double x[], double h[], void *params) {
  (void)t;
  const plate_data *data = params;
  const plate_parameters *q = &data->parameters;
  const plate_gap gap = plate_gap_at(q, x);
  if (q->damping > 0) {
    const plate_affine force = plate_affine_add(gap.p, relaxation(q), gap.rate);
    fill_two(q->contacts, gap.p, force, data->spring_x, h, h + q->contacts);
  } else {
    fill(q->contacts, gap.p, data->spring_x, h);
  }
  return 0;
}

/* One row for p and one for F/k of the spring at spring_x. */
static void jacobian_rows(const plate_gap *gap, double ratio, double spring_x, double p_row[],
                          double f_row[]) {
  const double by_q[3] = {gap->p_x, gap->p_z, plate_affine_at(gap->p_theta, spring_x)};
  const double rate_by_q[3] = {gap->rate_x, gap->rate_z,
                               plate_affine_at(gap->rate_theta, spring_x)};
  for (size_t j = 0; j < 3; j++) {
    p_row[j] = by_q[j];
    p_row[3 + j] = 0;
    if (!f_row) continue;
    f_row[j] = by_q[j] + ratio * rate_by_q[j];
    f_row[3 + j] = ratio * by_q[j];
  }
}

int plate_guards_jacobian(double t, const double x[], double Dh[], void *params) {
  (void)t;
  const plate_data *data = params;
  const plate_parameters *q = &data->parameters;
  const plate_gap gap = plate_gap_at(q, x);
  for (size_t i = 0; i < q->contacts; i++) {
    double *p_row = Dh + i * PLATE_DIMENSION;
    double *f_row = q->damping > 0 ? p_row + q->contacts * PLATE_DIMENSION : NULL;
    jacobian_rows(&gap, relaxation(q), data->spring_x[i], p_row, f_row);
  }
  return 0;
}

/* grad p . v as a line: the gradient by q applied to three numbers. */
static plate_affine along_gradient(const plate_gap *gap, const double v[3]) {
  return (plate_affine){gap->p_x * v[0] + gap->p_z * v[1] + gap->p_theta.at * v[2],
                        gap->p_theta.slope * v[2]};
}

/* All event functions and their rates along a direction, as lines over the springs' positions. */
typedef struct plate_lines {
  plate_affine p, p_rate, force, force_rate;
} plate_lines;

static plate_lines lines_at(const plate_parameters *q, const double x[], const double v[]) {
  const plate_gap gap = plate_gap_at(q, x);
  const plate_affine p_rate = along_gradient(&gap, v);
  if (!(q->damping > 0)) return (plate_lines){.p = gap.p, .p_rate = p_rate};

  // F/k = p + ratio dp/dt, and dp/dt depends on the position through its own gradient
  const double ratio = relaxation(q);
  const plate_affine turning = {gap.rate_x * v[PLATE_X] + gap.rate_z * v[PLATE_Z] +
                                    gap.rate_theta.at * v[PLATE_THETA],
                                gap.rate_theta.slope * v[PLATE_THETA]};
  const plate_affine rate_rate = plate_affine_add(turning, 1, along_gradient(&gap, v + PLATE_VX));
  return (plate_lines){.p = gap.p,
                       .p_rate = p_rate,
                       .force = plate_affine_add(gap.p, ratio, gap.rate),
                       .force_rate = plate_affine_add(p_rate, ratio, rate_rate)};
}

static void all_rates(const plate_data *data, const plate_lines *lines, double h[], double rate[]) {
  const size_t count = data->parameters.contacts;
  fill_two(count, lines->p, lines->p_rate, data->spring_x, h, rate);
  if (data->parameters.damping > 0)
    fill_two(count, lines->force, lines->force_rate, data->spring_x, h + count, rate + count);
}

int plate_event_rates(double t, const double x[], double vt, const double v[], const size_t which[],
                      size_t count, double h[], double rate[], void *params) {
  (void)t, (void)vt;
  const plate_data *data = params;
  const size_t contacts = data->parameters.contacts;
  const plate_lines lines = lines_at(&data->parameters, x, v);
  if (!which) all_rates(data, &lines, h, rate);
  for (size_t i = 0; which && i < count; i++) {
    const bool penetration = which[i] < contacts;
    const double spring_x = data->spring_x[penetration ? which[i] : which[i] - contacts];
    h[i] = plate_affine_at(penetration ? lines.p : lines.force, spring_x);
    rate[i] = plate_affine_at(penetration ? lines.p_rate : lines.force_rate, spring_x);
  }
  return 0;
}
