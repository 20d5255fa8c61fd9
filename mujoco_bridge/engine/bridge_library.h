/*
 * Which MuJoCo is in use.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BRIDGE_LIBRARY_H
#define BRIDGE_LIBRARY_H

/* Version of the library in use, such as "4.0.0". Static storage. */
const char *bridge_version_string(void);

/* File the library was loaded from; "unknown" when the loader does not say. Static storage. */
const char *bridge_library_path(void);

/* Whether the library was compiled for AVX: "yes", "no" or "unknown" (not an x86-64), judged by
 * how often its code has AVX's 256-bit arithmetic. Static storage. */
const char *bridge_has_avx(void);

#endif
