/*
 * The data of a sweep: rows of contacts, cells of entries, trials.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>

#include "sweep.h"

/* an array of `count` NaNs */
static double *unknown(size_t count) {
  double *const values = malloc(count * sizeof *values);
  for (size_t i = 0; values && i < count; i++) values[i] = NAN;
  return values;
}

int sweep_row_alloc(sweep_row *row, size_t trials, char *message) {
  bool complete = true;
  for (size_t k = 0; complete && k < row->entries.count; k++) {
    sweep_cell *const c = &row->cell[k];
    c->seconds = unknown(trials);
    c->rms = unknown(trials);
    c->events = unknown(trials);
    c->repetitions = unknown(trials);
    c->process = unknown(trials);
    complete = c->seconds && c->rms && c->events && c->repetitions && c->process;
  }
  row->events_reference = unknown(trials);
  row->contact_steps = unknown(trials);
  row->entered = complete && row->events_reference && row->contact_steps;
  if (!row->entered) measure_message(message, "out of memory");
  return row->entered ? 0 : -1;
}

static void free_row(sweep_row *row) {
  for (size_t k = 0; k < PROTOCOL_ENTRIES_MAX; k++) {
    sweep_cell *const c = &row->cell[k];
    free(c->seconds);
    free(c->rms);
    free(c->events);
    free(c->repetitions);
    free(c->process);
  }
  free(row->events_reference);
  free(row->contact_steps);
}

int sweep_data_alloc(sweep_data *data, const arguments *given, char *message) {
  *data = (sweep_data){
      .given = given, .trials = given->trials, .rows = given->contacts.count, .core = -1};
  data->row = calloc(data->rows, sizeof *data->row);
  if (!data->row) {
    measure_message(message, "out of memory");
    return -1;
  }
  for (size_t i = 0; i < data->rows; i++) data->row[i].contacts = given->contacts.contacts[i];
  return 0;
}

void sweep_data_free(sweep_data *data) {
  for (size_t i = 0; data->row && i < data->rows; i++) free_row(&data->row[i]);
  free(data->row);
  data->row = NULL;
}

bool sweep_trial_done(const sweep_row *row, size_t j) {
  if (!row->entered) return false;
  for (size_t k = 0; k < row->entries.count; k++)
    if (isnan(row->cell[k].seconds[j])) return false;
  return true;
}

bool sweep_row_done(const sweep_data *data, const sweep_row *row) {
  for (size_t j = 0; j < data->trials; j++)
    if (!sweep_trial_done(row, j)) return false;
  return true;
}
