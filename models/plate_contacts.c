/*
 * Where the plate's contacts are: how deep each is pressed, and whether its force acts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plate_gap.h"

void plate_active_contacts(const model *m, const double x[], unsigned char active[]) {
  const plate_data *data = m->data;
  const plate_parameters *q = &data->parameters;
  const plate_gap gap = plate_gap_at(q, x);
  const plate_affine force = plate_affine_add(gap.p, q->damping / q->stiffness, gap.rate);
  for (size_t i = 0; i < q->contacts; i++) {
    active[i] = plate_affine_at(gap.p, data->spring_x[i]) > 0 &&
                (q->damping <= 0 || plate_affine_at(force, data->spring_x[i]) > 0);
  }
}

void plate_penetrations(const model *m, const double x[], double p[], double gradient[]) {
  const plate_data *data = m->data;
  const plate_parameters *q = &data->parameters;
  const size_t count = q->contacts;
  const plate_gap gap = plate_gap_at(q, x);
  const double *restrict spring_x = data->spring_x;
  double *restrict depth = p, *restrict by_x = gradient, *restrict by_z = gradient + count,
                   *restrict by_theta = gradient + 2 * count;
  for (size_t i = 0; i < count; i++) {
    depth[i] = plate_affine_at(gap.p, spring_x[i]);
    by_x[i] = gap.p_x;
    by_z[i] = gap.p_z;
    by_theta[i] = plate_affine_at(gap.p_theta, spring_x[i]);
  }
}
