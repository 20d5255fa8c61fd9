/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stiffest contacts that MuJoCo bears at its step, those that come closest to rigid ones, and
 * the race of all runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "corner_springs.h"
#include "rigid_soft.h"

/* MuJoCo's own contact by default, s; and the impedance that it has at no depth, and at most */
static const double default_time_constant = 0.02;
static const double impedance = 0.9, impedance_max = 0.95;

/* rungs: from so soft on, each stiffer by a factor, until MuJoCo does not bear it */
enum { RUNGS = 48 };
static const double softest = 1e4, stiffer = 1.7782794100389228; /* 10^(1/4) */
static const double slowest = 0.032, faster = 1.4142135623730951;

/* ---- the stiffest ---------------------------------------------------------------------------- */

/* MuJoCo's own contact as springs and dampers: K = d/(dmax tc)^2 and B = 2/(dmax tc) for a unit of
 * mass, over its softness A (1-d)/d */
static void set_own(rigid_soft_case *c, double time_constant) {
  model m;
  model_init(&m, c->trot ? &trot_on_springs_type : &block_on_springs_type);
  const double mass = model_get(&m, "mass"), reach = impedance_max * time_constant;
  const double soft = 2.0 / (3.0 * mass) * (1.0 - impedance) / impedance;
  c->time_constant = time_constant;
  c->stiffness = impedance / (reach * reach) / soft;
  c->ratio = 1.0 / (reach * soft) / sqrt(c->stiffness * mass);
}

/* what was found by one who climbs */
typedef struct found {
  rigid_soft_case stiffest, closest;
  double distance; /* of the closest */
} found;

/* goes up as far as contacts are stable */
static int climb(study_run *run, rigid_soft_case c, const track *rigid, found *f) {
  const bool own = c.time_constant > 0.0;
  int status = 0;
  bool stable = true;
  for (int i = 0; !status && stable && i < RUNGS; i++) {
    track t;
    if (own)
      set_own(&c, slowest * pow(faster, -i));
    else
      c.stiffness = softest * pow(stiffer, i);
    status = *run->interrupted ? -1 : rigid_soft_follow(run, &c, &t);
    if (*run->interrupted) return measure_fail(run->message, "interrupted");
    stable = !status && track_is_stable(&t);
    const double distance = stable ? track_distance(&t, rigid, "angle") : INFINITY;
    if (stable) f->stiffest = c;
    if (distance < f->distance) {
      f->distance = distance;
      f->closest = c;
    }
    trajectory_free(&t.path);
  }
  return status;
}

static int add(study_run *run, const rigid_soft_case *c, const char *choice) {
  rigid_soft_contact row;
  const bool threshold = strcmp(choice, "stiffest") != 0;
  return rigid_soft_row(run, c, choice, threshold, &row) ? -1 : study_add(run, STUDY_SAMPLES, &row);
}

/* each kind of contact: MuJoCo's own, then springs of each damping ratio */
static int search(study_run *run, rigid_soft_case c, const track *rigid) {
  const rigid_soft_settings *const s = run->settings;
  found f = {.distance = INFINITY};
  int status = 0;
  for (size_t i = 0; !status && i <= s->ratios.count; i++) {
    c.time_constant = i ? 0.0 : slowest;
    c.ratio = i ? s->ratios.value[i - 1] : NAN;
    f.stiffest = (rigid_soft_case){.integrator = NULL};
    status = climb(run, c, rigid, &f);
    if (!status && f.stiffest.integrator) status = add(run, &f.stiffest, "stiffest");
  }
  if (!status && isfinite(f.distance)) status = add(run, &f.closest, "closest");
  return status;
}

int rigid_soft_search(study_run *run, bool trot, const char *integrator, double time_step) {
  const rigid_soft_case ideal = {
      .trot = trot, .delta_t = trot ? NAN : 0.0, .ratio = NAN, .stiffness = NAN};
  rigid_soft_case c = {.trot = trot,
                       .soft = true,
                       .delta_t = NAN,
                       .integrator = integrator,
                       .time_step = time_step,
                       .usual = true};
  track rigid;
  set_own(&c, default_time_constant);
  int status = rigid_soft_follow(run, &ideal, &rigid);
  if (!status) status = add(run, &c, "default");
  c.usual = false;
  if (!status) status = search(run, c, &rigid);
  trajectory_free(&rigid.path);
  return status;
}

/* ---- the race -------------------------------------------------------------------------------- */

/* a row that has a time alone */
static int tell(void *context, const race_lap *lap) {
  const rigid_soft_contact row = {.system = "",
                                  .engine = "",
                                  .contacts = "",
                                  .choice = "",
                                  .integrator = "",
                                  .time_s = *lap->message ? NAN : lap->of.time_s};
  return study_add(context, STUDY_SAMPLES, &row);
}

/* all cases at once: what one has of a quiet machine, all have */
static int race_all(study_run *run, const race_entry entry[], size_t count, contest_starts *first) {
  const race_plan plan = {.starts = first, .trials = 1, .processes = 1, .seed = run->seed};
  return race_run(run, &plan, entry, count, tell, run);
}

int rigid_soft_race(study_run *run) {
  const size_t cells = study_cells(run) - 1;
  size_t count = 0, rows, k = 0;
  for (size_t i = 0; i < cells; i++) {
    study_samples(run, i, &rows);
    count += rows;
  }
  contest_starts *first = NULL;
  race_entry *const entry = calloc(count, sizeof *entry);
  int status = entry ? 0 : study_out_of_memory(run);
  for (size_t i = 0; i < cells; i++) {
    const rigid_soft_contact *const row = study_samples(run, i, &rows);
    for (size_t j = 0; !status && j < rows; j++) {
      const rigid_soft_case c = rigid_soft_case_of(&row[j]);
      contest_starts *const starts = rigid_soft_entry(run, &c, &entry[k++]);
      if (!first) first = starts;
      status = starts ? 0 : -1;
    }
  }
  if (!status) status = race_all(run, entry, count, first);
  free(entry);
  return status;
}
