/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One screen of an audit of derivatives. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "robot_audit.h"

enum { TIMES_MAX = 6 };

/* of how many times the columns are, and the first of them: the latest, where they are many */
static size_t columns_of(const study_run *run, size_t *first) {
  size_t count;
  study_rows(run, AUDIT_TIMES, &count);
  *first = count > TIMES_MAX ? count - TIMES_MAX : 0;
  return count - *first;
}

/* the times one way is told at stand behind one another */
static void show_line(const audit_row *row, size_t count, const audit_time *time) {
  char step[16] = "", move[16] = "";
  if (!isnan(row->step))
    snprintf(step, sizeof step, "%.5g%s", 1e3 * row->step, row->own ? "*" : "");
  if (!isnan(row->move)) snprintf(move, sizeof move, "%g", row->move);
  printf("%-7s %-12s %-12s %7s %6s", row->who, row->way, row->integrator, step, move);
  const bool own = strcmp(row->who, audit_libess) == 0;
  for (size_t i = 0; i < count; i++) {
    char text[16] = "none";
    if (!own && row[i].error < time[i].estimate)
      snprintf(text, sizeof text, "< %.0e", time[i].estimate);
    else if (!isnan(row[i].error))
      snprintf(text, sizeof text, "%.1e", row[i].error);
    printf(" %9s", text);
  }
  putchar('\n');
}

static void show_errors(const study_run *run) {
  size_t first, rows, times;
  const size_t count = columns_of(run, &first);
  const audit_row *const row = study_rows(run, AUDIT_ERRORS, &rows);
  const audit_time *const time = study_rows(run, AUDIT_TIMES, &times);
  if (!times) return;
  printf(
      "\nError of the derivative, relative, at these times in s (step in ms, * the model's own):\n"
      "%-7s %-12s %-12s %7s %6s",
      "by", "way", "", "step", "move");
  for (size_t i = 0; i < count; i++) printf(" %9.4g", time[first + i].t);
  putchar('\n');
  for (size_t i = 0; i + times <= rows; i += times) show_line(row + i + first, count, time + first);
}

static void show_notes(const study_run *run) {
  size_t rows;
  const audit_row *const row = study_rows(run, AUDIT_ERRORS, &rows);
  for (size_t i = 0; i < rows; i++) {
    if (!*row[i].note) continue;
    printf("none: the first is %s's by %s at %g s: %s\n", row[i].who, row[i].way, row[i].t,
           row[i].note);
    return;
  }
}

void audit_show(const study_run *run) {
  const audit_top *const top = study_rows(run, AUDIT_TOP, NULL);
  size_t events;
  study_rows(run, AUDIT_EVENTS, &events);
  printf(
      "%s: the derivative of its state by where it starts (%s), %zu by %zu numbers; %zu contacts\n"
      "and limits begin or cease to act on the way. The reference is the derivative of MuJoCo's\n"
      "equations in continuous time, by libess's tangents.\n",
      top->file, top->pose, top->directions, top->directions, events);
  show_errors(run);
  show_notes(run);
  if (strcmp(top->status, "success") != 0)
    printf("\nCompared up to %g s. At %.6g s it ends: %s.\n", top->audited, top->until,
           top->status);
  printf("\nVerdict: %s.\n", top->verdict);
}
