/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An append-only journal of JSON objects, one a line: raw samples reach the file as they are taken,
 * so that an interrupt, a kill or a full disk leaves all that was done before. A last line that was
 * cut short is dropped when the journal is opened again. */
#ifndef MEASURE_JOURNAL_H
#define MEASURE_JOURNAL_H

#include <jansson.h>
#include <stdbool.h>

#include "measure.h"

typedef struct measure_journal measure_journal;

/* Opens or creates the journal at `path` and locks it against other processes. Returns 0 with
 * *journal for measure_journal_close, or -1 with one line. */
int measure_journal_open(measure_journal **journal, const char *path,
                         char message[MEASURE_MESSAGE_SIZE]);

/* Unlocks and closes; NULL is accepted. */
void measure_journal_close(measure_journal *journal);

/* The next object from the beginning, as a new reference; *entry is NULL behind the last. Returns
 * 0, or -1 with one line that names the line at fault. */
int measure_journal_read(measure_journal *journal, json_t **entry,
                         char message[MEASURE_MESSAGE_SIZE]);

/* Appends one object (borrowed) in one write. Returns 0, or -1 with one line when it did not reach
 * the file whole; what part did is taken back. */
int measure_journal_append(measure_journal *journal, const json_t *entry,
                           char message[MEASURE_MESSAGE_SIZE]);

/* Asks the disk to keep what was appended (against power loss: a killed process loses nothing). */
void measure_journal_sync(measure_journal *journal);

/* Forgets everything: the journal is empty afterwards. Returns 0, or -1 with one line. */
int measure_journal_clear(measure_journal *journal, char message[MEASURE_MESSAGE_SIZE]);

#endif
