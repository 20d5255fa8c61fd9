/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results that other studies left in the folder: rows of a file, those of them that are meant, and
 * one number of these. */
#ifndef RESULTS_H
#define RESULTS_H

#include <jansson.h>

#include "measure.h"

/* What becomes of a column's values. */
typedef enum results_reduction {
  RESULTS_FIRST,
  RESULTS_LEAST,
  RESULTS_MOST,
  RESULTS_LONGEST, /* the value furthest from 0 */
  RESULTS_STEP     /* the largest relative change from one row to the next */
} results_reduction;

/* A number of a file: all pointers are the caller's. */
typedef struct results_number {
  const char *file; /* "sweep.csv", or a member of a .json that is an array: "sweep.json/slopes" */
  const char
      *where; /* "solver=mujoco;rms_error<=0.01": =, <= and >=, all of them; NULL: all rows */
  const char *column; /* NULL: there is no such number */
  results_reduction reduction;
} results_number;

/* Rows of a file in the folder, an array of objects: a new reference, empty where the file is not
 * there or has none; NULL with one line where it cannot be read. */
json_t *results_read(const char *folder, const char *file, char message[MEASURE_MESSAGE_SIZE]);

/* The number, NaN where no row is meant. With `each`, a column, only of rows that have the text
 * `value` there. */
double results_reduce(const json_t *rows, const results_number *of, const char *each,
                      const char *value);

/* The text of a value, as a .csv has it; the caller's buffer. "" where there is none. */
enum { RESULTS_TEXT_SIZE = 64 };
const char *results_text(const json_t *row, const char *column, char text[RESULTS_TEXT_SIZE]);

#endif
