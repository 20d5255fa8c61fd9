/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a start keeps before it is done: its references, and each run against them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_file.h"
#include "robot_parts.h"

/* numbers of a reference that are kept; a longer one is measured again */
static const double kept_max = 1e6;

/* ---- references ------------------------------------------------------------------------------ */

static const column track_columns[] = {
    COLUMNS(robot_track, AMOUNT, until, seconds, evaluations, steps, jumps, refused),
    COLUMNS(robot_track, COUNT, reached, event),
    COLUMNS(robot_track, TEXT, status),
    {0},
};

static json_t *numbers(const double value[], size_t count) {
  json_t *const array = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(array, measure_json_number(value[i]));
  return array;
}

static int keep_track(study_run *run, const char *name, const robot_entry *e,
                      const robot_track *t) {
  const robot_case *const c = run->own;
  const size_t count = t->reached * c->size.dimension;
  if ((double)count > kept_max) return 0;
  json_t *const value = column_object(track_columns, t), *const touches = json_array();
  for (size_t i = 0; i < t->touches; i++)
    json_array_append_new(touches,
                          json_pack("[f,I]", t->touch[i].time, (json_int_t)t->touch[i].event));
  json_object_set_new(value, "tolerance", measure_json_number(e->knob));
  json_object_set_new(value, "touches", touches);
  json_object_set_new(value, "crossings", numbers(t->stop, t->stops));
  json_object_set_new(value, "states", numbers(t->states, count));
  return study_keep_part(run, name, value);
}

/* room for touches and crossings, and those */
static int take_times(study_run *run, const json_t *touches, const json_t *crossings,
                      robot_track *t) {
  t->touches = json_array_size(touches);
  t->stops = json_array_size(crossings);
  t->touch = calloc(t->room = t->touches + 1, sizeof *t->touch);
  t->stop = calloc(t->stop_room = t->stops + 1, sizeof *t->stop);
  if (!t->touch || !t->stop) return study_out_of_memory(run);
  for (size_t i = 0; i < t->touches; i++) {
    const json_t *const one = json_array_get(touches, i);
    t->touch[i] = (robot_touch){json_number_value(json_array_get(one, 0)),
                                (size_t)json_integer_value(json_array_get(one, 1))};
  }
  for (size_t i = 0; i < t->stops; i++)
    t->stop[i] = json_number_value(json_array_get(crossings, i));
  return 0;
}

static int take_track(study_run *run, const json_t *value, robot_track *t) {
  const robot_case *const c = run->own;
  const json_t *const states = json_object_get(value, "states");
  const size_t count = json_array_size(states);
  if (!column_take_object(track_columns, value, t) || t->reached > c->outputs ||
      count != t->reached * c->size.dimension)
    return measure_fail(run->message, "a part is none of this start's; begin anew with --restart");
  t->status = study_text(run, "%s", t->status);
  for (size_t i = 0; i < count; i++) t->states[i] = json_number_value(json_array_get(states, i));
  for (size_t i = 0; i < t->reached; i++) t->at_end[i] = true;
  return take_times(run, json_object_get(value, "touches"), json_object_get(value, "crossings"), t);
}

int robot_follow_kept(study_run *run, const char *name, const robot_entry *e, const double x0[],
                      bool listen, robot_track *t) {
  const json_t *const known = study_part(run, name);
  if (known) return take_track(run, known, t);
  const int status = robot_follow(run, e, x0, listen, t);
  return status ? status : keep_track(run, name, e, t);
}

/* ---- numbers and errors ---------------------------------------------------------------------- */

bool robot_number_kept(const study_run *run, const char *name, double *value) {
  const json_t *const known = study_part(run, name);
  return known && !measure_json_value(json_object_get(known, "value"), value);
}

int robot_keep_number(study_run *run, const char *name, double number) {
  return study_keep_part(run, name, json_pack("{s:o}", "value", measure_json_number(number)));
}

#define ERROR_COLUMNS(prefix, row, at)                                                             \
  COLUMN_AS(prefix "rms_error", row, at states, AMOUNT, "", ""),                                   \
      COLUMN_AS(prefix "position_error", row, at bodies, AMOUNT, "m", ""),                         \
      COLUMN_AS(prefix "hinge_error", row, at hinges, AMOUNT, "rad", "")

static const column error_columns[] = {ERROR_COLUMNS("", robot_error, ), {0}};

bool robot_error_kept(const study_run *run, const char *name, robot_error *smallest) {
  const json_t *const known = study_part(run, name);
  robot_error error = robot_error_unknown;
  column_take_object(error_columns, known, &error);
  *smallest = robot_error_smaller(*smallest, error);
  return known;
}

int robot_keep_error(study_run *run, const char *name, const robot_error *error) {
  return study_keep_part(run, name, column_object(error_columns, error));
}

/* ---- runs ------------------------------------------------------------------------------------ */

enum { NAME_SIZE = 32 };

/* a run, and how far MuJoCo is from the reference by all up to it */
typedef struct kept_run {
  const char *who, *variant, *note;
  double knob, seconds, evaluations, steps;
  robot_error error, mujoco;
} kept_run;

static const column run_columns[] = {
    COLUMNS(kept_run, TEXT, who, variant, note),
    COLUMNS(kept_run, AMOUNT, knob, seconds, evaluations, steps),
    ERROR_COLUMNS("", kept_run, error.),
    ERROR_COLUMNS("mujoco_", kept_run, mujoco.),
    {0},
};

static const char *name_of(size_t entry, char name[NAME_SIZE]) {
  snprintf(name, NAME_SIZE, "run %zu", entry);
  return name;
}

bool robot_sample_kept(study_run *run, size_t entry, robot_sample *s, robot_error *mujoco) {
  char name[NAME_SIZE];
  kept_run known;
  column_clear(run_columns, &known);
  if (!column_take_object(run_columns, study_part(run, name_of(entry, name)), &known)) return false;
  s->error = known.error;
  s->seconds = known.seconds;
  s->evaluations = known.evaluations;
  s->steps = known.steps;
  s->note = study_text(run, "%s", known.note);
  *mujoco = robot_error_smaller(*mujoco, known.mujoco);
  return true;
}

int robot_keep_sample(study_run *run, size_t entry, const robot_sample *s,
                      const robot_error *mujoco) {
  static const char *const who[] = {
      [ROBOT_MUJOCO] = "MuJoCo", [ROBOT_LIBESS] = "libess", [ROBOT_PLAIN] = "plain"};
  char name[NAME_SIZE];
  const robot_entry *const e = &((const robot_case *)run->own)->entry[entry];
  const kept_run of = {who[e->kind],   e->variant, s->note,  e->knob, s->seconds,
                       s->evaluations, s->steps,   s->error, *mujoco};
  if (study_part(run, name_of(entry, name))) return 0;
  return study_keep_part(run, name, column_object(run_columns, &of));
}

/* ---- what is there --------------------------------------------------------------------------- */

static void show_run(const char *who, const char *variant, double knob, double error,
                     double seconds, const char *note) {
  printf("  %-7s %-12s %8.3g ", who, variant, knob);
  if (*note)
    printf(" %.66s\n", note);
  else
    printf(" %9.3g mm %9.3g s\n", 1e3 * error, seconds);
}

/* a step in s, or a tolerance; the bodies' error; the time of a run */
void robot_show_part(const char *name, const json_t *value) {
  robot_track track;
  kept_run one;
  if (json_object_get(value, "states") && column_take_object(track_columns, value, &track))
    printf("  %s: libess at %g, to %.3g s, in %.3g s\n", name,
           json_number_value(json_object_get(value, "tolerance")), track.until, track.seconds);
  else if (column_take_object(run_columns, value, &one))
    show_run(one.who, one.variant, one.knob, one.error.bodies, one.seconds, one.note);
}

void robot_show_runs(const study_run *run) {
  size_t count;
  puts("Each run: its step in s or its tolerance, how far the bodies are off, and its time "
       "(medians):");
  const robot_mujoco_row *const m = study_rows(run, ROBOT_MUJOCO_ROWS, &count);
  for (size_t i = 0; i < count; i++)
    show_run("MuJoCo", m[i].variant, m[i].time_step, m[i].position_error, m[i].seconds,
             m[i].known ? "" : m[i].note);
  for (size_t table = ROBOT_LIBESS_ROWS; table <= ROBOT_PLAIN_ROWS; table++) {
    const robot_libess_row *const l = study_rows(run, table, &count);
    for (size_t i = 0; i < count; i++)
      show_run(table == ROBOT_LIBESS_ROWS ? "libess" : "plain", l[i].base, l[i].tolerance,
               l[i].position_error, l[i].seconds, l[i].known ? "" : l[i].note);
  }
}
