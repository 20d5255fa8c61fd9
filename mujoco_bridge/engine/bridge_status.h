/*
 * Statuses of the bridge's functions. They equal those of solvers, which the bridge does not
 * include.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BRIDGE_STATUS_H
#define BRIDGE_STATUS_H

/* Why something was not done; 0 is success. */
typedef enum bridge_status {
  BRIDGE_FAILED = -1, /* it was tried */
  BRIDGE_REFUSED = -2 /* it cannot be done with this model */
} bridge_status;

#endif
