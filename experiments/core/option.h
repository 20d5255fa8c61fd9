/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A study's options, lists of numbers of contacts among them. */
#ifndef OPTION_H
#define OPTION_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "measure.h"

/* ---- contacts range -------------------------------------------------------------------------- */

/* Lists of contact numbers: "2..100", "2..100..7" (in steps of 7), "2,5,10", and mixtures. */

enum { CONTACTS_RANGE_MAX = 100000 };

typedef struct contacts_range {
  size_t count;
  size_t *contacts; /* ascending, each once; owned */
} contacts_range;

/* Parses `text`. 0, or -1 with one line that names the part that was wrong and what is accepted.
 * Free with contacts_range_free. */
int contacts_range_parse(const char *text, contacts_range *range,
                         char message[MEASURE_MESSAGE_SIZE]);

void contacts_range_free(contacts_range *range);

/* ---- option ---------------------------------------------------------------------------------- */

/* Options that a study declares: one line each, with the default as the user would write it. The
 * command line sets them, the database compares them, results hold those that have a name there. */

enum { OPTION_NUMBERS_MAX = 64, OPTION_NAMES_MAX = 32 };

/* "1e-3,1e-4": descending. */
typedef struct option_numbers {
  size_t count;
  double value[OPTION_NUMBERS_MAX];
} option_numbers;

/* "a,b": some of the names there are, each once, in the order given. */
typedef struct option_names {
  const char *text; /* as given; NULL: none */
  size_t count;
  size_t index[OPTION_NAMES_MAX]; /* into the option's names */
} option_names;

/* The kind of a value, and the type of the member of the study's settings. */
typedef enum option_kind {
  OPTION_FLAG,     /* bool; takes no value */
  OPTION_WHOLE,    /* size_t */
  OPTION_NUMBER,   /* double */
  OPTION_NUMBERS,  /* option_numbers */
  OPTION_CONTACTS, /* contacts_range */
  OPTION_NAMES,    /* option_names */
  OPTION_TEXT      /* const char *; NULL without a default */
} option_kind;

/* An array of options ends with one without a name. */
typedef struct study_option {
  const char *name, *argument, *help;
  option_kind kind;
  size_t offset;
  const char *initial;      /* the default; NULL: 0, none */
  double min, max;          /* of a number, and of each of several */
  const char *const *names; /* of OPTION_NAMES, the last NULL */
  size_t names_apart;       /* bytes from one to the next, where they are members of a table */
  bool may_lack;            /* a number that is NAN unless it is given */
  bool shows;               /* it says what is shown, and nothing of what is measured */
  const char *result;       /* its name in the .json of results; NULL: it is not there */
} study_option;

/* Settings that are said once: LIST(OPTION, row) has its options, each OPTION(row, member, NUMBER,
 * "its-name", "X", "its help"), behind which other members may follow. OPTION_ROW makes their
 * struct, and the array row_options. */
#define OPTION_ROW(row, list)                                                                      \
  typedef struct row {                                                                             \
    list(OPTION_MEMBER, row)                                                                       \
  } row;                                                                                           \
  static const study_option row##_options[] = {list(OPTION_LINE, row){0}}
#define OPTION_LINE(row, member, kind_, name_, argument_, ...)                                     \
  {.name = name_,                                                                                  \
   .argument = argument_,                                                                          \
   .kind = OPTION_##kind_,                                                                         \
   .offset = offsetof(row, member),                                                                \
   .help = __VA_ARGS__},
#define OPTION_MEMBER(row, member, kind, ...) OPTION_IS_##kind member;
#define OPTION_IS_FLAG                        bool
#define OPTION_IS_WHOLE                       size_t
#define OPTION_IS_NUMBER                      double
#define OPTION_IS_NUMBERS                     option_numbers
#define OPTION_IS_CONTACTS                    contacts_range
#define OPTION_IS_NAMES                       option_names
#define OPTION_IS_TEXT                        const char *

/* The member of the settings an option goes into. */
#define OPTION_AT(settings, member) .offset = offsetof(settings, member)

/* The name at a place of an option's names; NULL behind the last. */
const char *option_name_at(const study_option *o, size_t index);

/* Sets a value from what the user wrote. 0, or -1 with one line. */
int option_set(const study_option *o, const char *text, void *settings,
               char message[MEASURE_MESSAGE_SIZE]);

/* All defaults into settings, which are zero. 0, or -1 with one line. */
int option_defaults(const study_option options[], void *settings,
                    char message[MEASURE_MESSAGE_SIZE]);
void option_free(const study_option options[], void *settings);

/* The value as JSON: a new reference. */
json_t *option_json(const study_option *o, const void *settings);

/* ---- the words of options: each 0, or -1 with one line --------------------------------------- */

/* A number in [min, max], `accepts` saying so; NULL: their own numbers do. */
int option_number(const char *name, const char *text, double min, double max, const char *accepts,
                  double *out, char message[MEASURE_MESSAGE_SIZE]);

/* A whole number in [min, max]. */
int option_whole(const char *name, const char *text, unsigned long min, unsigned long max,
                 unsigned long *out, char message[MEASURE_MESSAGE_SIZE]);

#endif
