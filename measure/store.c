/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* F_OFD_SETLK */

#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json_file.h"

/* "essb", which says whose database it is, and the form of its tables */
enum { APPLICATION = 0x65737362, FORM = 1, PATIENCE_MS = 60000, LINE_SIZE = 128 };

struct measure_store {
  sqlite3 *database;
  sqlite3_stmt *statement; /* the last one */
  char *path;
  bool writes;
  int descriptor; /* of the same file, for locks. It is open for longer than the database: closing
                     it would end SQLite's own */
};

static int complain(const measure_store *s, char message[MEASURE_MESSAGE_SIZE]) {
  const int code = sqlite3_errcode(s->database);
  const bool not_ours = code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
  // what the system says of a disk, or of a limit of files
  const int why = code == SQLITE_IOERR ? sqlite3_system_errno(s->database) : 0;
  return measure_fail(message, "cannot use '%.300s': %.100s%s%s%s", s->path,
                      sqlite3_errmsg(s->database), why ? ": " : "", why ? strerror(why) : "",
                      not_ours ? "; move it away" : "");
}

/* ---- statements ------------------------------------------------------------------------------ */

static int bind(sqlite3_stmt *statement, int at, const json_t *value) {
  if (json_is_real(value)) return sqlite3_bind_double(statement, at, json_real_value(value));
  if (json_is_integer(value)) return sqlite3_bind_int64(statement, at, json_integer_value(value));
  if (json_is_boolean(value)) return sqlite3_bind_int(statement, at, json_is_true(value));
  if (json_is_string(value))
    return sqlite3_bind_text(statement, at, json_string_value(value), -1, SQLITE_TRANSIENT);
  if (json_is_null(value)) return sqlite3_bind_null(statement, at);
  char *const text = measure_json_text(value);
  return text ? sqlite3_bind_text(statement, at, text, -1, free) : SQLITE_NOMEM;
}

static json_t *value_of(sqlite3_stmt *statement, int at) {
  switch (sqlite3_column_type(statement, at)) {
  case SQLITE_INTEGER:
    return json_integer(sqlite3_column_int64(statement, at));
  case SQLITE_FLOAT:
    return measure_json_number(sqlite3_column_double(statement, at));
  case SQLITE_TEXT:
    return json_string((const char *)sqlite3_column_text(statement, at));
  }
  return json_null();
}

static json_t *row_of(sqlite3_stmt *statement) {
  json_t *const row = json_array();
  for (int i = 0; i < sqlite3_column_count(statement); i++)
    json_array_append_new(row, value_of(statement, i));
  return row;
}

/* the statement with its values: a code of SQLite's */
static int prepare(measure_store *s, const char *sql, const json_t *values) {
  int code = SQLITE_OK;
  if (!s->statement || strcmp(sqlite3_sql(s->statement), sql) != 0) {
    sqlite3_finalize(s->statement);
    code = sqlite3_prepare_v2(s->database, sql, -1, &s->statement, NULL);
  }
  for (size_t i = 0; code == SQLITE_OK && i < json_array_size(values); i++)
    code = bind(s->statement, (int)i + 1, json_array_get(values, i));
  return code;
}

int measure_store_run(measure_store *s, const char *sql, json_t *values, json_t **rows,
                      char message[MEASURE_MESSAGE_SIZE]) {
  json_t *const all = json_array();
  int code = prepare(s, sql, values);
  while (code == SQLITE_OK || code == SQLITE_ROW) {
    code = sqlite3_step(s->statement);
    if (code == SQLITE_ROW) json_array_append_new(all, row_of(s->statement));
  }
  const int status = code == SQLITE_DONE ? 0 : complain(s, message);
  sqlite3_reset(s->statement);
  json_decref(values);
  if (rows && !status)
    *rows = all;
  else
    json_decref(all);
  return status;
}

struct sqlite3 *measure_store_database(const measure_store *s) {
  return s->database;
}

json_int_t measure_store_inserted(const measure_store *s) {
  return sqlite3_last_insert_rowid(s->database);
}

int measure_store_end(measure_store *s, int status, char message[MEASURE_MESSAGE_SIZE]) {
  if (!status) status = measure_store_run(s, "COMMIT", NULL, NULL, message);
  // some failures have taken it back already
  if (status && !sqlite3_get_autocommit(s->database))
    sqlite3_exec(s->database, "ROLLBACK", NULL, NULL, NULL);
  return status;
}

/* ---- opening --------------------------------------------------------------------------------- */

/* the only number that a statement gives */
static int ask(measure_store *s, const char *sql, json_int_t *number, char *message) {
  json_t *rows;
  if (measure_store_run(s, sql, NULL, &rows, message)) return -1;
  *number = json_integer_value(json_array_get(json_array_get(rows, 0), 0));
  json_decref(rows);
  return 0;
}

/* whether it is one of ours, or there is nothing in it: *is_new then */
static int check(measure_store *s, bool *is_new, char *message) {
  json_int_t application, form, tables;
  if (ask(s, "PRAGMA application_id", &application, message) ||
      ask(s, "PRAGMA user_version", &form, message) ||
      ask(s, "SELECT count(*) FROM sqlite_schema", &tables, message))
    return -1;
  *is_new = application != APPLICATION;
  if (*is_new && (application || tables))
    return measure_fail(message, "'%.300s' is another program's; move it away", s->path);
  if (form > FORM)
    return measure_fail(message, "'%.300s' is of a newer essbench; use that one, or move it away",
                        s->path);
  return 0;
}

/* A killed process loses nothing by NORMAL, and the disk is waited for once a run. */
static int make(measure_store *s, const char *tables, bool is_new, char *message) {
  char mark[LINE_SIZE];
  snprintf(mark, sizeof mark, "PRAGMA application_id = %d; PRAGMA user_version = %d;", APPLICATION,
           FORM);
  sqlite3_exec(s->database, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
  if (sqlite3_exec(s->database, "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;", NULL,
                   NULL, NULL) ||
      sqlite3_exec(s->database, "BEGIN IMMEDIATE", NULL, NULL, NULL))
    return complain(s, message);
  const int failed = (is_new && sqlite3_exec(s->database, mark, NULL, NULL, NULL)) ||
                     sqlite3_exec(s->database, tables, NULL, NULL, NULL);
  return measure_store_end(s, failed ? complain(s, message) : 0, message);
}

/* a device may be read for ever. Who only looks takes no lock. */
static int open_file(measure_store *s, char *message) {
  struct stat facts;
  if (s->writes) s->descriptor = open(s->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  if ((s->writes && s->descriptor < 0) || stat(s->path, &facts))
    return measure_fail(message, "cannot open '%.300s': %s", s->path, strerror(errno));
  if (S_ISREG(facts.st_mode)) return 0;
  return measure_fail(message, "cannot open '%.300s': it is not a regular file", s->path);
}

static int open_database(measure_store *s, char *message) {
  const int code = sqlite3_open_v2(s->path, &s->database, SQLITE_OPEN_READWRITE, NULL);
  sqlite3_busy_timeout(s->database, PATIENCE_MS);
  return code ? complain(s, message) : 0;
}

int measure_store_open(measure_store **store, const char *path, const char *tables,
                       char message[MEASURE_MESSAGE_SIZE]) {
  *store = NULL;
  if (path && !tables && access(path, F_OK)) return 0;
  measure_store *const s = calloc(1, sizeof *s);
  if (!s || !(s->path = strdup(path ? path : ":memory:"))) {
    free(s);
    return measure_fail(message, "out of memory");
  }
  bool is_new;
  s->writes = tables;
  s->descriptor = -1;
  if ((path && open_file(s, message)) || open_database(s, message) || check(s, &is_new, message) ||
      (tables && make(s, tables, is_new, message))) {
    measure_store_close(s);
    return -1;
  }
  *store = s;
  return 0;
}

void measure_store_close(measure_store *s) {
  if (!s) return;
  sqlite3_finalize(s->statement);
  // one file alone again, which can be copied and read where nothing can be written
  if (s->database) sqlite3_busy_timeout(s->database, 0);
  if (s->database && s->writes)
    sqlite3_exec(s->database, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
  sqlite3_close(s->database);
  if (s->descriptor >= 0) close(s->descriptor);
  free(s->path);
  free(s);
}

/* a byte for each name, behind all that SQLite locks and any database ends */
static struct flock lock_of(const char *name, short type) {
  uint32_t hash = 2166136261U; // Fowler, Noll and Vo's
  for (const char *at = name; *at; at++) hash = (hash ^ (unsigned char)*at) * 16777619U;
  return (struct flock){.l_type = type, .l_start = ((off_t)1 << 60) + hash, .l_len = 1};
}

void measure_store_unlock(measure_store *s, const char *name) {
  struct flock lock = lock_of(name, F_UNLCK);
  (void)fcntl(s->descriptor, F_OFD_SETLK, &lock);
}

bool measure_store_is_locked(const char *path, const char *name) {
  struct flock lock = lock_of(name, F_WRLCK);
  const int descriptor = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return false;
  const bool is_locked = !fcntl(descriptor, F_OFD_GETLK, &lock) && lock.l_type != F_UNLCK;
  close(descriptor);
  return is_locked;
}

int measure_store_lock(measure_store *s, const char *name, char message[MEASURE_MESSAGE_SIZE]) {
  struct flock lock = lock_of(name, F_WRLCK);
  if (!fcntl(s->descriptor, F_OFD_SETLK, &lock)) return 0;
  if (errno != EAGAIN && errno != EACCES)
    return measure_fail(message, "cannot lock '%.300s': %s", s->path, strerror(errno));
  return measure_fail(message, "'%.300s' is in use by another run of %s", s->path, name);
}
