/*
 * The damped plate's guard reset matrix (contact_resets.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "contact_resets.h"
#include "plate_internal.h"

static int start(const double sign[], bool armed[], void *params) {
  const plate_data *data = params;
  contact_resets_start(data->parameters.contacts, sign, armed);
  return 0;
}

int plate_resets_prepare(plate_data *data) {
  return contact_resets_prepare(&data->resets, &data->kinds, data->parameters.contacts, start);
}

void plate_resets_release(plate_data *data) {
  contact_resets_release(&data->resets, data->kinds);
}
