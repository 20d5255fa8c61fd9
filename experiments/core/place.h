/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the program's own files are: beside it where it was installed, or else where it was built.
 */
#ifndef PLACE_H
#define PLACE_H

#include <stdbool.h>

#include "record.h"

/* The program's own path; false where it is not known. */
bool place_program(char path[RECORD_PATH_SIZE]);

/* The file or folder `installed`, below the prefix whose bin/ holds the program, if there is one;
 * else `built`. */
const char *place_of(const char *installed, const char *built, char path[RECORD_PATH_SIZE]);

#endif
