/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "names.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* a word longer than any name is no slip of the finger */
enum { LETTERS_MAX = 40, PREFIX_MIN = 3 };

names names_for(const char *word, size_t length) {
  return (names){.word = word, .length = length};
}

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

static bool same(char a, char b) {
  return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* letters to put in, leave out, change, or exchange with their neighbour, until a is b: row i of
 * the table is of the first i letters of a */
static size_t distance(const char *a, size_t m, const char *b, size_t n) {
  size_t table[LETTERS_MAX + 1][LETTERS_MAX + 1];
  for (size_t i = 0; i <= m; i++) table[i][0] = i;
  for (size_t j = 0; j <= n; j++) table[0][j] = j;
  for (size_t i = 1; i <= m; i++)
    for (size_t j = 1; j <= n; j++) {
      const size_t changed = table[i - 1][j - 1] + !same(a[i - 1], b[j - 1]);
      table[i][j] = smaller(changed, 1 + smaller(table[i - 1][j], table[i][j - 1]));
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        table[i][j] = smaller(table[i][j], 1 + table[i - 2][j - 2]);
    }
  return table[m][n];
}

/* a third of the letters may be wrong; the beginning of a name means that name */
static void compare(names *n, const char *name) {
  const size_t length = strlen(name);
  if (!n->length || n->length > LETTERS_MAX || length > LETTERS_MAX) return;
  const bool begins = n->length >= PREFIX_MIN && strncasecmp(n->word, name, n->length) == 0;
  const size_t found = begins ? 1 : distance(n->word, n->length, name, length);
  if (found > (n->length + 1) / 3 || found >= length || (n->nearest && found >= n->distance))
    return;
  n->nearest = name;
  n->distance = found;
}

void names_add(names *n, const char *name) {
  const size_t used = strlen(n->list);
  snprintf(n->list + used, sizeof n->list - used, "%s%s", used ? ", " : "", name);
  compare(n, name);
}

const char *names_hint(names *n, const char *before) {
  if (n->nearest) snprintf(n->hint, sizeof n->hint, "did you mean %s%s? ", before, n->nearest);
  return n->hint;
}
