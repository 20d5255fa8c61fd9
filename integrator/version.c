/*
 * The version of the library that a program runs with, which need not be the header's.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ess.h"

const char *ess_version(void) {
  return ESS_VERSION;
}
