/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names there are, told to somebody who wrote a word that is none of them, and which of them
 * was meant. */
#ifndef NAMES_H
#define NAMES_H

#include <stddef.h>

enum { NAMES_SIZE = 400, NAMES_HINT_SIZE = 96 };

typedef struct names {
  const char *word; /* that was written; not owned, and of this many letters */
  size_t length;
  char list[NAMES_SIZE]; /* "a, b, c", cut where it does not fit */
  const char *nearest;   /* the first of those nearest; NULL: none is near */
  size_t distance;
  char hint[NAMES_HINT_SIZE];
} names;

/* No names yet, for the first `length` letters of a word. */
names names_for(const char *word, size_t length);

/* One more. The nearest is borrowed. */
void names_add(names *n, const char *name);

/* "did you mean BEFORE+NAME? ", or nothing where no name is near; it lives in the names. */
const char *names_hint(names *n, const char *before);

#endif
