/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "races.h"

static const races_preset *preset_of(const study_run *run) {
  return run->study->preset;
}

const races_asked *races_given(const study_run *run) {
  return run->settings;
}

draws races_draws(const study_run *run) {
  return race_draws(run, races_given(run)->trials, preset_of(run)->crossed);
}

size_t races_processes(study_run *run, size_t of) {
  (void)of;
  return races_draws(run).processes;
}

size_t races_cell_of(const study_run *run, size_t part, size_t of) {
  size_t i = 0;
  for (; i < study_cells(run); i++) {
    const races_cell *const c = study_cell_at(run, i);
    if (c->part == part && c->of == of) break;
  }
  return i;
}

const void *races_samples(const study_run *run, size_t part, size_t of, size_t *count) {
  return study_samples(run, races_cell_of(run, part, of), count);
}

race_plan races_race(const study_run *run, contest_starts *starts, size_t process) {
  return (race_plan){.starts = starts,
                     .trials = races_given(run)->trials,
                     .process = process,
                     .processes = races_draws(run).processes,
                     .crossed = preset_of(run)->crossed,
                     .seed = run->seed};
}

static size_t count_cells(study_run *run, size_t part, size_t of) {
  const races_part *const p = &preset_of(run)->part[part];
  return p->cells ? p->cells(run, of) : 1;
}

static int plan_case(study_run *run, size_t part, size_t of) {
  const races_preset *const r = preset_of(run);
  races_cell c = {.part = part, .of = of, .count = count_cells(run, part, of)};
  char name[RACES_NAME_SIZE];
  for (; c.number < c.count; c.number++) {
    c.worker = r->part[part].together || c.count == 1 ? of : c.number;
    r->title(run, &c, name);
    if (study_cell(run, &c, "%s", name)) return -1;
  }
  return 0;
}

/* the parts of a stage, the first part without any cell being none */
int races_plan(study_run *run, size_t stage) {
  const races_preset *const r = preset_of(run);
  size_t at = 0, cells = 0;
  for (size_t k = 0; r->part[k].run; k++) {
    if (cells && !r->part[k].beside) at++, cells = 0;
    for (size_t i = 0; at <= stage && i < r->cases(run); i++) {
      cells += count_cells(run, k, i);
      if (at == stage && plan_case(run, k, i)) return -1;
    }
  }
  return 0;
}

int races_measure(study_run *run, const void *planned) {
  const races_cell *const c = planned;
  return preset_of(run)->part[c->part].run(run, c->of, c->number);
}

study_place races_place(const void *planned) {
  const races_cell *const c = planned;
  return (study_place){.race = c->of, .number = c->worker};
}
