/*
 * Rows of the reset matrix of damped contacts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "contact_resets.h"

#include <stdlib.h>

enum { ROWS_PER_CONTACT = 4, ENTRIES_PER_CONTACT = 7 };

/* A row being written: its entries go to the end of those before it. */
typedef struct row_writer {
  size_t *row_start, *guard;
  signed char *effect;
  size_t entries;
} row_writer;

static void add(row_writer *w, size_t guard, signed char effect) {
  w->guard[w->entries] = guard;
  w->effect[w->entries++] = effect;
}

static void end_row(row_writer *w, size_t row) {
  w->row_start[row + 1] = w->entries;
}

/* Rows in the guards' order: all penetrations first, then all forces. */
static void write_rows(row_writer *w, size_t contacts) {
  for (size_t i = 0; i < contacts; i++) {
    add(w, ESS_GUARD_DOWN(contacts + i), 1);
    end_row(w, ESS_GUARD_UP(i));
    add(w, ESS_GUARD_UP(i), 1);
    add(w, ESS_GUARD_UP(contacts + i), -1);
    end_row(w, ESS_GUARD_DOWN(i));
  }
  for (size_t i = 0; i < contacts; i++) {
    add(w, ESS_GUARD_DOWN(contacts + i), 1);
    add(w, ESS_GUARD_DOWN(i), -1);
    end_row(w, ESS_GUARD_UP(contacts + i));
    add(w, ESS_GUARD_UP(contacts + i), 1);
    add(w, ESS_GUARD_DOWN(i), 1);
    end_row(w, ESS_GUARD_DOWN(contacts + i));
  }
  end_row(w, ESS_GUARD_UP(2 * contacts));
}

void contact_resets_start(size_t contacts, const double sign[], bool armed[]) {
  for (size_t i = 0; i < contacts; i++) {
    const bool deep = sign[i] > 0, loaded = sign[contacts + i] > 0;
    armed[ESS_GUARD_UP(i)] = !deep;
    armed[ESS_GUARD_DOWN(i)] = deep && !loaded;
    armed[ESS_GUARD_UP(contacts + i)] = deep && !loaded;
    armed[ESS_GUARD_DOWN(contacts + i)] = deep && loaded;
  }
}

int contact_resets_prepare(ess_reset_matrix *out, ess_guard_kind **kinds, size_t contacts) {
  const size_t entries = ENTRIES_PER_CONTACT * contacts;
  size_t *row_start = calloc(ROWS_PER_CONTACT * contacts + 2, sizeof *row_start);
  size_t *guard = calloc(entries, sizeof *guard);
  signed char *effect = calloc(entries, sizeof *effect);
  *kinds = calloc(ROWS_PER_CONTACT * contacts, sizeof **kinds);
  *out = (ess_reset_matrix){row_start, guard, effect};
  if (!row_start || !guard || !effect || !*kinds) return -1;
  write_rows(&(row_writer){row_start, guard, effect, 0}, contacts);
  for (size_t i = 0; i < contacts; i++) (*kinds)[ESS_GUARD_DOWN(i)] = ESS_GUARD_ARMS_ONLY;
  return 0;
}

void contact_resets_release(ess_reset_matrix *resets, ess_guard_kind *kinds) {
  free((void *)resets->row_start);
  free((void *)resets->guard);
  free((void *)resets->effect);
  free(kinds);
}
