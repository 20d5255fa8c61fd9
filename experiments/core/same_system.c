/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "same_system.h"

#include "measure.h"

int same_system(const model *m, const solver_settings *settings, unsigned long seed,
                bridge_gap *gap, char message[SOLVER_MESSAGE_SIZE]) {
  const int status = bridge_field_gap(m, settings, SAME_SYSTEM_STATES, seed, gap, message);
  if (status || gap->gap <= BRIDGE_GAP_MAX) return status;
  measure_message(message,
                  "%s, %zu contacts: the field gap is %.2g at a scaling of %g; up to %.0g is "
                  "accepted, and a larger scaling lowers it",
                  m->type->name, model_contacts(m), gap->gap, gap->scaling, BRIDGE_GAP_MAX);
  return SOLVER_FAILED;
}
