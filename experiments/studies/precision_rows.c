/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The row of a method at one value of its knob. */
#include <math.h>
#include <string.h>

#include "precision.h"
#include "series.h"

/* the name of a parameter's choice; empty where the model has no such parameter */
static const char *choice_of(const model *m, const char *name) {
  for (size_t i = 0; i < m->type->parameter_count; i++) {
    const model_parameter *const p = &m->type->parameters[i];
    if (strcmp(p->name, name) == 0 && p->choices) return p->choices[(size_t)m->value[i]];
  }
  return "";
}

void precision_row_name(study_run *run, const model *m, const precision_point *p, size_t table,
                        precision_status status, const char *message, precision_row *row) {
  const precision_method *const of = &precision_methods[p->method];
  column_clear(run->study->tables[table].columns, row);
  row->model = m->type->name;
  row->law = choice_of(m, "law");
  row->method = of->name;
  row->label = of->label;
  row->solver = of->solver;
  row->variant = of->variant ? of->variant : "";
  row->knob = precision_knob_name(of->knob);
  row->status = precision_status_name(status);
  row->contacts = model_contacts(m);
  row->damping = model_get(m, "damping");
  row->value = p->value;
  row->message = message;
}

static const precision_sample *sample_at(gather rows, size_t index) {
  const precision_sample *const all = study_rows(rows.run, rows.table, NULL);
  return &all[rows.first + index * rows.stride];
}

/* why a point is what it is: as it was said, or else as its runs say */
static const char *message_of(const precision_point *p, precision_status status) {
  if (*p->message) return p->message;
  for (size_t j = 0; j < p->laps.count; j++) {
    const char *const said = sample_at(p->laps, j)->message;
    if (*said) return said;
  }
  if (status == PRECISION_DIVERGED) return "no better than a state that stays where it started";
  if (status == PRECISION_CROSSINGS) return "crossings are more than 1 % off the reference's";
  return "";
}

/* a point that was not raced has the time of its first run */
static void fill_times(const precision_point *p, precision_row *row) {
  double interval[2] = {NAN, NAN};
  row->median_s = p->laps.count ? gather_median(p->laps, "time_s") : p->first.time_s;
  if (p->laps.count > 1) series_median(p->laps, "time_s", &p->draws, &row->median_s, interval);
  row->median_lo_s = interval[0];
  row->median_hi_s = interval[1];
}

void precision_summarize(study_run *run, const model *m, gather starts, const precision_point *p,
                         size_t table, precision_row *row) {
  precision_tally tally = {0};
  // errors are those of the first process
  for (size_t j = 0; j < p->laps.count; j += p->draws.processes)
    precision_count(&tally, &sample_at(p->laps, j)->of,
                    sample_at(starts, race_place(&p->draws, j))->start);
  const precision_status status = p->obstacle ? p->obstacle : precision_judge(&tally);
  precision_row_name(run, m, p, table, status, message_of(p, status), row);
  row->coincides_with = p->as;
  row->trials = tally.trials;
  row->failures = tally.failures;
  row->rms_error = gather_median(p->laps, "rms_error");
  row->rms_worst = gather_quantile(p->laps, "rms_error", 1.0);
  row->retaken = gather_sum(p->laps, "retaken");
  row->events = gather_median(p->laps, "events");
  row->events_reference = gather_median(starts, "events_reference");
  if (p->laps.count) row->events_ratio = precision_events_ratio(&tally);
  gather_into(p->laps, gather_median, table, "steps", "guard_evaluations", row);
  row->evaluations = row->field_evaluations + row->guard_evaluations;
  // a run that failed has made those up to there
  if (isnan(row->evaluations))
    row->evaluations = p->first.field_evaluations + p->first.guard_evaluations;
  fill_times(p, row);
}
