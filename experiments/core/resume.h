/*
 * Journals of protocols that can be interrupted: the settings first, then what was learned, and at
 * the end that it is finished. The same settings go on where an unfinished journal ends, a finished
 * one is begun anew, and other settings are refused while there are unfinished samples.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef RESUME_H
#define RESUME_H

#include "journal.h"

/* Whose journal it is, and what becomes of its entries. */
typedef struct resume_protocol {
  const char *what;          /* "sweep", for messages */
  const char *folder, *name; /* the journal's file */
  bool restart;              /* begin anew whatever it holds */

  /* Takes in an entry of a type other than "settings" and "finished"; false when it is none of this
   * protocol's. Entries of type "sample" are what an unfinished journal must not lose. */
  bool (*take)(void *context, const char *type, const json_t *entry);

  /* Forgets all that was taken in. 0, or -1 with one line. */
  int (*forget)(void *context, char *message);
  void *context;
} resume_protocol;

/* Opens folder/name and takes in what it holds of an unfinished run with these settings (borrowed),
 * or begins a new journal. 0 and *journal for measure_journal_close, or -1 with one line. */
int resume_open(measure_journal **journal, const resume_protocol *protocol, json_t *settings,
                char message[MEASURE_MESSAGE_SIZE]);

/* Appends an entry, whose reference it takes. 0, or -1 with one line. */
int resume_append(measure_journal *journal, json_t *entry, char message[MEASURE_MESSAGE_SIZE]);

/* Appends that nothing is missing any more. 0, or -1 with one line. */
int resume_finish(measure_journal *journal, char message[MEASURE_MESSAGE_SIZE]);

#endif
