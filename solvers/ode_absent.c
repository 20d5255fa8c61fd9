/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stands in for ode.c where the Open Dynamics Engine was not there to build with. */
#include "baselines.h"

static int prepare(const model *m, const solver_settings *settings, const solver_output *output,
                   void **instance, char message[SOLVER_MESSAGE_SIZE]) {
  (void)m, (void)settings, (void)output, (void)instance;
  return SOLVER_REFUSE(
      message, "ode: this program was built without ODE; install libode-dev and build again");
}

const char *ode_version(void) {
  return "";
}

const solver_type ode_solver = {
    .name = "ode",
    .summary = "the Open Dynamics Engine: absent from this build",
    .prepare = prepare,
};
