/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A database of SQLite in which measurements are kept as they are taken: what is one transaction is
 * there whole or not at all, whatever ends the process and however full the disk is. Values are
 * JSON: numbers, texts, null and booleans as they are, arrays and objects as their text. */
#ifndef MEASURE_STORE_H
#define MEASURE_STORE_H

#include <jansson.h>
#include <stdbool.h>

#include "measure.h"

typedef struct measure_store measure_store;

/* Opens or makes the database at `path`, or one in memory where that is NULL, in which `tables`,
 * SQL that may run again, is run first. Without it the database is only looked at, and *store is
 * NULL where there is none. A process opens one but once, if it does not only look. Another
 * program's is refused, and so is a newer one's. Returns 0 with *store for measure_store_close, or
 * -1 with one line. */
int measure_store_open(measure_store **store, const char *path, const char *tables,
                       char message[MEASURE_MESSAGE_SIZE]);

/* Closes, and ends its locks; NULL is accepted. */
void measure_store_close(measure_store *store);

/* Keeps others from what has this name, until it is closed; not for one that is only looked at.
 * Returns 0, or -1 with one line where another has it. */
int measure_store_lock(measure_store *store, const char *name, char message[MEASURE_MESSAGE_SIZE]);

/* Ends that before the store is closed; and whether another process has it of the database at
 * `path`, where there may be none. */
void measure_store_unlock(measure_store *store, const char *name);
bool measure_store_is_locked(const char *path, const char *name);

/* Runs one statement with the members of an array for its "?", whose reference is taken; NULL: it
 * has none. With `rows`, a new reference to an array of arrays. Returns 0, or -1 with one line. */
int measure_store_run(measure_store *store, const char *sql, json_t *values, json_t **rows,
                      char message[MEASURE_MESSAGE_SIZE]);

/* The database itself, for functions that its queries may call. */
struct sqlite3 *measure_store_database(const measure_store *store);

/* The number of the row that was inserted last. */
json_int_t measure_store_inserted(const measure_store *store);

/* Ends a transaction that BEGIN began: commits it if `status` is 0, else, or where that fails,
 * takes it back. Returns status, or -1 with one line. */
int measure_store_end(measure_store *store, int status, char message[MEASURE_MESSAGE_SIZE]);

#endif
