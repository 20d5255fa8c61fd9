/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All studies. */
#ifndef STUDIES_H
#define STUDIES_H

#include "study.h"

/* All of them, NULL-terminated. */
extern const study *const studies[];

/* NULL when there is none of that name. */
const study *study_find(const char *name);

#endif
