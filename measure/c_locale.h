/*
 * Private to the room: the C locale for the calling thread while numbers are read or written, so
 * that neither the user's setlocale nor another thread can change a decimal point.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MEASURE_C_LOCALE_H
#define MEASURE_C_LOCALE_H

#include <locale.h>

/* What measure_c_locale_leave needs. */
typedef struct measure_c_locale {
  locale_t c, previous;
} measure_c_locale;

/* Every enter is followed by a leave on the same thread. glibc keeps its C locale in static
 * storage, so entering cannot fail there; elsewhere a failure leaves the thread's locale as it is.
 */
measure_c_locale measure_c_locale_enter(void);
void measure_c_locale_leave(measure_c_locale scope);

#endif
