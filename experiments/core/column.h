/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of results: the one place that says what a number is called, of what kind and unit it is,
 * what it means, and where in a row it lives, or how it follows from the samples. CSV, JSON,
 * database, printed table and the reference in docs/ all go by it. */
#ifndef COLUMN_H
#define COLUMN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bridge.h"
#include "csv.h"
#include "solver.h"

/* The kind of a value, and the type of the row's member. */
typedef enum column_kind {
  COLUMN_NUMBER,   /* double; what is not known is NaN: "nan" in CSV, null in JSON */
  COLUMN_AMOUNT,   /* the same, never negative */
  COLUMN_COUNT,    /* size_t */
  COLUMN_FLAG,     /* bool; 1 or 0 in CSV */
  COLUMN_TEXT,     /* const char *, never NULL; it lives as long as the run */
  COLUMN_NOTE,     /* a text that may be NULL: null in JSON */
  COLUMN_INTERVAL, /* double[2], lower and upper end: null in JSON unless both are known; no CSV */
  COLUMN_GAP,      /* bridge_gap: an object, or null when it is not known; in CSV its gap alone */
  COLUMN_SETTINGS  /* solver_settings: an object in JSON; in CSV a column for each of its numbers,
                      empty where it is not known */
} column_kind;

/* Which files have it. */
typedef enum column_place {
  COLUMN_BOTH,
  COLUMN_CSV_ONLY,
  COLUMN_JSON_ONLY,
  COLUMN_SHOWN_ONLY /* on the terminal */
} column_place;

/* An array of columns ends with one without a name. In JSON "a.b" is member b of object a, and a
 * table whose one column is called "" is an array of plain values. */
typedef struct column {
  const char *name;
  column_kind kind;
  size_t offset;
  const char *unit;    /* "" where there is none */
  const char *meaning; /* one line */
  column_place place;
  const char *head;   /* above it where it is printed; NULL: it is not */
  const char *format; /* of printf, for a double or a text; its width is the head's, too */
  double scale;       /* the value is multiplied by it to be printed; 0: it is not */
  const char *sql; /* of a derived column: its expression over the samples; NULL: it is measured */
} column;

/* A column called as the member of the row that it lives in, or otherwise: COLUMN(row, member,
 * COUNT, "s", "what it means"), behind which other members may follow. */
#define COLUMN(row, member, ...) COLUMN_AS(#member, row, member, __VA_ARGS__)
#define COLUMN_AS(called, row, member, kind_, unit_, ...)                                          \
  {                                                                                                \
    .name = called, .kind = COLUMN_##kind_, .offset = offsetof(row, member), .unit = unit_,        \
    .meaning = __VA_ARGS__                                                                         \
  }

/* A column of a derived table: DERIVED("name", COUNT, "s", "count(*)", "what it means") is its
 * name, unit, expression in SQL and meaning; TAKEN("name", COUNT, "s", "what it means") is what the
 * query that the table is derived from calls so. Their rows are column_values. Those of a struct
 * are by COLUMN, with the expression as its `sql`, or by TAKEN_ROW. */
#define DERIVED(called, kind_, unit_, sql_, ...)                                                   \
  {                                                                                                \
    .name = called, .kind = COLUMN_##kind_, .offset = COLUMN_BY_PLACE, .unit = unit_, .sql = sql_, \
    .meaning = __VA_ARGS__                                                                         \
  }
#define COLUMN_BY_PLACE                  SIZE_MAX
#define TAKEN(called, kind_, unit_, ...) DERIVED(called, kind_, unit_, called, __VA_ARGS__)

/* A macro's value in SQL. */
#define COLUMN_SQL(value)  COLUMN_TEXT_OF(value)
#define COLUMN_TEXT_OF(of) #of

/* A row of a derived table: what SQL gave for each of its columns, borrowed. */
typedef struct column_values {
  const column *columns;
  const json_t *value[];
} column_values;

/* A row that is said once: LIST(COLUMN, row) has its columns, as COLUMN has them. COLUMN_ROW makes
 * its struct of them, and the array row_columns. */
#define COLUMN_ROW(row, list)                                                                      \
  typedef struct row {                                                                             \
    list(COLUMN_MEMBER, row)                                                                       \
  } row;                                                                                           \
  __attribute__((unused)) static const column row##_columns[] = {list(COLUMN_LINE, row){0}}
#define COLUMN_LINE(row, member, ...) COLUMN(row, member, __VA_ARGS__),

/* The same of a derived table, whose query calls its columns as the members. */
#define TAKEN_ROW(row, list)                                                                       \
  typedef struct row {                                                                             \
    list(COLUMN_MEMBER, row)                                                                       \
  } row;                                                                                           \
  __attribute__((unused)) static const column row##_columns[] = {list(TAKEN_LINE, row){0}}
#define TAKEN_LINE(row, member, ...) COLUMN(row, member, __VA_ARGS__, .sql = "`" #member "`"),

#define COLUMN_MEMBER(row, member, kind, ...) COLUMN_IS_##kind(member);
#define COLUMN_IS_NUMBER(member)              double member
#define COLUMN_IS_AMOUNT(member)              double member
#define COLUMN_IS_COUNT(member)               size_t member
#define COLUMN_IS_FLAG(member)                bool member
#define COLUMN_IS_TEXT(member)                const char *member
#define COLUMN_IS_INTERVAL(member)            double member[2]
#define COLUMN_IS_GAP(member)                 bridge_gap member
#define COLUMN_IS_NOTE(member)                const char *member
#define COLUMN_IS_SETTINGS(member)            solver_settings member

/* Columns of samples, which only the database has: up to eight members of a row, all of one kind.
 */
#define COLUMNS(r, kind, ...)                                                                      \
  COLUMNS_OF(__VA_ARGS__, COLUMNS_8, COLUMNS_7, COLUMNS_6, COLUMNS_5, COLUMNS_4, COLUMNS_3,        \
             COLUMNS_2, COLUMNS_1, )                                                               \
  (r, kind, __VA_ARGS__)
#define COLUMNS_OF(a, b, c, d, e, f, g, h, name, ...) name
#define COLUMNS_1(r, k, m)                            COLUMN(r, m, k, "", "", .place = COLUMN_JSON_ONLY)
#define COLUMNS_2(r, k, m, ...)                       COLUMNS_1(r, k, m), COLUMNS_1(r, k, __VA_ARGS__)
#define COLUMNS_3(r, k, m, ...)                       COLUMNS_1(r, k, m), COLUMNS_2(r, k, __VA_ARGS__)
#define COLUMNS_4(r, k, m, ...)                       COLUMNS_1(r, k, m), COLUMNS_3(r, k, __VA_ARGS__)
#define COLUMNS_5(r, k, m, ...)                       COLUMNS_1(r, k, m), COLUMNS_4(r, k, __VA_ARGS__)
#define COLUMNS_6(r, k, m, ...)                       COLUMNS_1(r, k, m), COLUMNS_5(r, k, __VA_ARGS__)
#define COLUMNS_7(r, k, m, ...)                       COLUMNS_1(r, k, m), COLUMNS_6(r, k, __VA_ARGS__)
#define COLUMNS_8(r, k, m, ...)                       COLUMNS_1(r, k, m), COLUMNS_7(r, k, __VA_ARGS__)

/* ... printed under a head by a format of printf; its values multiplied by a factor. */
#define SHOWN(head_, format_)               .head = head_, .format = format_
#define SHOWN_TIMES(head_, format_, factor) .head = head_, .format = format_, .scale = factor

size_t column_count(const column columns[]);

/* NULL when there is none of that name. */
const column *column_find(const column columns[], const char *name);

/* The value in a row: as a number (NaN for a text), as JSON (a new reference), as a field of CSV.
 */
double column_number(const column *c, const void *row);
const char *column_text(const column *c, const void *row);
json_t *column_json(const column *c, const void *row);
void column_csv(const column *c, const void *row, measure_csv *csv);

/* The names that a column has in CSV, as many as are returned. */
enum { COLUMN_CSV_NAMES_MAX = 16 };
size_t column_csv_names(const column *c, const char *names[COLUMN_CSV_NAMES_MAX]);

/* A row as an object, by the columns' names: a new reference. And members of one into a row, whose
 * texts then borrow from it: false when one is of another kind, or not there. */
json_t *column_object(const column columns[], const void *row);
bool column_take_object(const column columns[], const json_t *object, void *row);

/* Forgets a row: numbers are not known, counts 0, texts empty. */
void column_clear(const column columns[], void *row);

/* A value of one row into another one's column of the same kind. */
void column_copy(const column *from, const void *row, const column *to, void *into);

/* A value of JSON into a row, whose texts then borrow from it. False when it is of another kind. */
bool column_take(const column *c, const json_t *value, void *row);

#endif
