/*
 * The damped plate's guard reset matrix (contact_resets.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "contact_resets.h"
#include "plate_internal.h"

int plate_resets_start(double t, const double x[], double sign[], bool armed[], void *params) {
  (void)t, (void)x;
  const plate_data *data = params;
  contact_resets_start(data->parameters.contacts, sign, armed);
  return 0;
}

int plate_resets_prepare(plate_data *data) {
  return contact_resets_prepare(&data->resets, &data->kinds, data->parameters.contacts);
}

void plate_resets_release(plate_data *data) {
  contact_resets_release(&data->resets, data->kinds);
}
