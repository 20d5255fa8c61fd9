/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gnuplot, run on one of the scripts of plots/. */
#ifndef GNUPLOT_H
#define GNUPLOT_H

#include <stddef.h>

#include "measure.h"

/* Runs the script of that name with these settings, which are commands of gnuplot, and waits. Its
 * own words go to the standard error, and signals to it as well. 0, or -1 with what was wrong: ""
 * where gnuplot has said it. */
int gnuplot_run(const char *settings, const char *script, char message[MEASURE_MESSAGE_SIZE]);

/* gnuplot's single-quoted string, in which a quote is doubled. 0, or -1 where it does not fit. */
int gnuplot_quote(char *out, size_t size, const char *text);

#endif
