/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a word of the command line may be, by the table that reads it: for completion, and for the
 * manual. */
#ifndef OPTION_WORDS_H
#define OPTION_WORDS_H

#include "option_table.h"

enum { OPTION_WORDS_SIZE = 1024 };

/* The names that an option's value may be, blanks between; "" where it is a number or a file. */
void option_words(const option_table *table, const struct argp_option *option,
                  char words[OPTION_WORDS_SIZE]);

/* The same for an argument that is no option, by the name its command has for it. */
void operand_words(const char *operand, char words[OPTION_WORDS_SIZE]);

/* Whether a value by that name is a path. */
bool is_path(const char *argument);

#endif
