/*
 * The crossings of a sub-step, listed by courses.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_LISTING_H
#define ESS_LISTING_H

#include "ess.h"

/* The step just tried, which has been watched, becomes the base that courses are taken from. */
void ess_begin_courses(ess_driver *d);

/* Courses as they were before a try that is given up. */
void ess_restore_courses(ess_driver *d);

/* Courses from the end of the sub-step just accepted on, where the node is now. */
void ess_go_on_courses(ess_driver *d);

/* Event function k is curved until the base ends; none is. */
void ess_note_curved(ess_driver *d, size_t k);
void ess_forget_curved(ess_driver *d);

/* How many of the flagged guards are crossed along the step just tried within `window` of the
 * first, when that is, which is also where a cluster's first sub-step begins to differ from the
 * step, and when the last of them; false when none is crossed. Silent ones do not count. */
bool ess_count_crossings(ess_driver *d, double window, size_t *count, double *first, double *last);

/* The same with fewer roots: at least so many are, for sure. */
void ess_count_roughly(ess_driver *d, double window, size_t *count, double *first);

/* Lists the crossings along the sub-step without its jumps; notes the mode that those listed from a
 * place on find. */
void ess_list_crossings(ess_driver *d);
void ess_prepare_list(ess_driver *d, size_t from);

#endif
