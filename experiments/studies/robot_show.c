/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One screen of a robot's study. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "robot_columns.h"
#include "robot_study.h"

/* how close two costs are a tie, relative; and how many lines a list has before it is cut */
static const double tie = 1.1;
enum { LINES_MAX = 12 };

/* steps tell where they lead over such a factor */
static const double span = 8.0;

/* an equality that is broken by more is worth a line */
static const double noticed = 1e-6;

/* ---- the model ------------------------------------------------------------------------------- */

static void show_model(const study_run *run, const robot_top *t) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  const robot_sizes *const of = &t->sizes;
  printf("%s\n%zu bodies, %zu positions, %zu velocities, %zu actuators; "
         "%zu event functions of contacts and limits.\n"
         "Its own step is %s at %g ms.\n"
         "%zu start%s of %g s: %s, ",
         t->file, of->bodies, of->nq, of->nv, of->nu, of->events, of->integrator,
         1e3 * of->time_step, s->starts, s->starts > 1 ? "s" : "", s->time, t->pose);
  if (c->falls)
    printf("raised by %g m, tilted by %g rad.\n", s->height, s->tilt);
  else
    printf("hinges turned by %g rad, as nothing in it can be raised.\n", s->tilt);
  if (s->without)
    printf("These never touch, in MuJoCo or in the reference: --without %s\n", s->without);
  if (s->twin)
    printf("Contacts are springs and dampers (%s N/m, N s/m). The field is MuJoCo's to %.1e; the\n"
           "twin as an MJCF, whose contacts have an added mass, is it to %.1e.\n",
           s->twin, t->twin_gap, t->twin_text_gap);
  if (t->broken > noticed)
    printf(
        "Their pose breaks an equality by %.2g (m, rad): so do they, and it draws them together.\n",
        t->broken);
  robot_show_hulls(run);
}

/* ---- the reference --------------------------------------------------------------------------- */

/* what MuJoCo's steps say of the reference */
typedef enum leading { LEAD_THERE, LEAD_ELSEWHERE, LEAD_UNKNOWN } leading;

/* as the gate of a reference: where MuJoCo's finest run is no nearer than its coarsest ones, its
 * steps lead elsewhere; few steps, near each other, tell nothing */
static leading where_steps_lead(const study_run *run, const robot_top *t) {
  size_t count;
  const robot_mujoco_row *const row = study_rows(run, ROBOT_MUJOCO_ROWS, &count);
  double coarsest = NAN, largest = 0.0, smallest = t->check_step;
  for (size_t i = 0; i < count; i++) {
    if (isnan(row[i].rms_error)) continue;
    coarsest = fmax(coarsest, row[i].rms_error);
    largest = fmax(largest, row[i].time_step);
    smallest = fmin(smallest, row[i].time_step);
  }
  if (!(t->mujoco_apart > 10.0 * t->tolerances_apart && t->mujoco_apart > 0.5 * coarsest))
    return LEAD_THERE;
  return largest >= span * smallest ? LEAD_ELSEWHERE : LEAD_UNKNOWN;
}

/* what no event function tells of, and what that costs */
static void show_jumps(const robot_top *t) {
  if (!(t->jumps > 0.0)) return;
  printf(".\nThe points of followed contacts jumped %.3g times, and no event function says when: "
         "only short\n"
         "steps keep the error there. %.2g %% of all steps tried were in vain",
         t->jumps, 100.0 * t->refused);
}

/* in the units of the model first; below it no error is told */
static void show_estimate(const robot_top *t) {
  const bool bodies = !isnan(t->bodies_estimate), hinges = !isnan(t->hinges_estimate);
  if (bodies || hinges) printf(".\nIt is known to ");
  if (bodies) printf("%.2g mm%s", 1e3 * t->bodies_estimate, hinges ? " and " : "");
  if (hinges) printf("%.2g mrad", 1e3 * t->hinges_estimate);
  printf(
      ".\nOver all positions and velocities its error is some %.1e: libess at a looser tolerance "
      "is %.1e\nfrom it, and MuJoCo's nearest run %.1e. No smaller error is told",
      t->estimate, t->tolerances_apart, t->mujoco_apart);
}

static void show_reference(const study_run *run, const robot_top *t) {
  const robot_settings *const s = run->settings;
  const bool told = strstr(t->status, t->contact); // an empty one, too
  printf("\nThe reference (libess at a tolerance of %g) reaches the end from %zu of %zu starts",
         s->reference, t->reached, s->starts);
  if (t->reached < s->starts)
    printf(";\none ends at %.4f s:\n  %s%s%s", t->until, t->status, told ? "" : ", ",
           told ? "" : t->contact);
  if (isnan(t->estimate))
    printf(".\nIts error is not known, so no error is told");
  else
    show_estimate(t);
  if (t->check_step > s->check_step)
    printf(".\nMuJoCo's smallest step is %.3g s: --budget leaves no time for --check-step, %.3g s",
           t->check_step, s->check_step);
  show_jumps(t);
  const leading lead = where_steps_lead(run, t);
  if (lead == LEAD_ELSEWHERE)
    printf(
        ".\nMuJoCo's steps do not lead to it as they grow small: one of both misses what happens");
  if (lead == LEAD_UNKNOWN)
    printf(".\nMuJoCo's time steps are too few to tell whether they lead to it (--time-steps, "
           "--check-step)");
  printf(".\nA disturbance of 1e-8 at the start is %.3g times as large at the end.\n", t->growth);
}

static void show_touchdowns(const study_run *run) {
  size_t count;
  study_rows(run, ROBOT_TOUCHDOWNS, &count);
  if (!count) {
    puts("Nothing touches down in the first start.");
    return;
  }
  puts("\nTouch-downs of the first start:");
  study_print(run, ROBOT_TOUCHDOWNS, 0, LINES_MAX);
  if (count > LINES_MAX) printf("... %zu more in robot_touchdowns.csv\n", count - LINES_MAX);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static const robot_mujoco_row *row_at(const study_run *run, const char *variant, double h) {
  size_t count;
  const robot_mujoco_row *const row = study_rows(run, ROBOT_MUJOCO_ROWS, &count);
  for (size_t i = 0; i < count; i++)
    if (row[i].variant == variant && row[i].time_step == h) return &row[i];
  return NULL;
}

/* below the reference's error no error is told */
static void show_error(const robot_mujoco_row *row) {
  char text[32] = "";
  if (row && isnan(row->rms_error))
    snprintf(text, sizeof text, "none");
  else if (row && row->rms_error < row->estimate)
    snprintf(text, sizeof text, "< %.0e", row->estimate);
  else if (row)
    snprintf(text, sizeof text, "%.2e%s", row->rms_error, row->own ? "*" : "");
  printf(" %12s", text);
}

/* a line for each step that any integrator has, the largest first */
static void show_errors(const study_run *run) {
  size_t orders, rows;
  const robot_order_row *const order = study_rows(run, ROBOT_ORDERS, &orders);
  const robot_mujoco_row *const row = study_rows(run, ROBOT_MUJOCO_ROWS, &rows);
  puts("\nMuJoCo's error over its time step (* its own), median over the starts:");
  printf("%9s", "step, ms");
  for (size_t i = 0; i < orders; i++) printf(" %12s", order[i].variant);
  for (double last = INFINITY, h; last > 0.0; last = h) {
    h = 0.0;
    for (size_t i = 0; i < rows; i++)
      if (row[i].time_step < last && row[i].time_step > h) h = row[i].time_step;
    if (!(h > 0.0)) break;
    printf("\n%9.5g", 1e3 * h);
    for (size_t i = 0; i < orders; i++) show_error(row_at(run, order[i].variant, h));
  }
  printf("\n%9s", "order");
  for (size_t i = 0; i < orders; i++) printf(" %12.2f", order[i].order);
  putchar('\n');
}

/* ---- what does not get to the end ------------------------------------------------------------ */

/* of a row of any of the three tables */
typedef struct ending {
  const char *who, *variant;
  double knob;
  size_t known;
  const char *note;
} ending;

static size_t list_endings(const study_run *run, ending all[]) {
  size_t count, listed = 0;
  const robot_mujoco_row *const m = study_rows(run, ROBOT_MUJOCO_ROWS, &count);
  for (size_t i = 0; i < count; i++)
    all[listed++] = (ending){"MuJoCo", m[i].variant, m[i].time_step, m[i].known, m[i].note};
  for (size_t table = ROBOT_LIBESS_ROWS; table <= ROBOT_PLAIN_ROWS; table++) {
    const robot_libess_row *const l = study_rows(run, table, &count);
    const char *const who = table == ROBOT_LIBESS_ROWS ? "libess" : "plain";
    for (size_t i = 0; i < count; i++)
      all[listed++] = (ending){who, l[i].base, l[i].tolerance, l[i].known, l[i].note};
  }
  return listed;
}

/* A line for each integrator and base, with the first reason: what fails from some starts is not
 * to hide behind what does not. */
static void show_endings(const study_run *run) {
  const size_t starts = study_cells(run);
  ending all[ROBOT_ENTRIES_MAX];
  const size_t count = list_endings(run, all);
  const ending *of = NULL, *first = NULL;
  for (size_t i = 0; i < count; i++) {
    if (all[i].known >= starts) continue;
    const bool is_same = of && of->who == all[i].who && of->variant == all[i].variant;
    if (!of)
      printf("\nNot all runs get to the end (step in s or tolerance: starts that do, of %zu):",
             starts);
    if (!is_same && first) printf("; %s", first->note);
    if (!is_same) printf("\n  %s, %s:", all[i].who, all[i].variant);
    if (!is_same) first = &all[i];
    of = &all[i];
    printf("%s %g: %zu", is_same ? "," : "", of->knob, of->known);
  }
  if (first) printf("; %s\n", first->note);
}

/* where libess ties or loses, and where a ratio is of some starts alone */
static void show_ties(const study_run *run) {
  size_t count;
  const robot_reach_row *const row = study_rows(run, ROBOT_REACH, &count);
  for (size_t i = 0; i < count; i++) {
    if (row[i].plain_over_libess < tie)
      printf("At an error of %.1e plain is %s.\n", row[i].rms_error,
             row[i].plain_over_libess > 1.0 / tie ? "as cheap as libess" : "cheaper than libess");
    if (row[i].mujoco_over_libess < tie)
      printf("At an error of %.1e MuJoCo is %s.\n", row[i].rms_error,
             row[i].mujoco_over_libess > 1.0 / tie ? "as cheap as libess" : "cheaper than libess");
    if (isnan(row[i].libess_seconds))
      printf("libess does not reach an error of %.1e at the tolerances tried.\n", row[i].rms_error);
    else if (row[i].held_out && row[i].held_out < study_cells(run))
      printf("At an error of %.1e the ratio is of %zu of %zu starts: from the others one of both "
             "does not get to the end.\n",
             row[i].rms_error, row[i].held_out, study_cells(run));
  }
}

static void show_reaches(const study_run *run) {
  size_t count;
  study_rows(run, ROBOT_REACH, &count);
  if (!count) {
    puts("\nNo error is asked for: the reference's own is too large or not known, or all reach "
         "them.");
    return;
  }
  puts("\nWhat an error costs (the first is that of the model's own setting). ratio: MuJoCo's time "
       "over\n"
       "libess's, with the range of a second run's; fields: calls of the field by libess; plain: "
       "the\n"
       "time of libess without event functions over libess's:");
  show_ties(run);
  study_print(run, ROBOT_REACH, 0, count);
}

void robot_show(const study_run *run) {
  const robot_settings *const s = run->settings;
  const robot_top *const top = study_rows(run, ROBOT_TOP, NULL);
  show_model(run, top);
  robot_show_brief(run);
  show_reference(run, top);
  if (!s->all) {
    puts("--all shows all tables, and --help says what the words mean.");
    return;
  }
  puts("\nWhat switches in it:");
  robot_show_findings(run);
  show_touchdowns(run);
  show_errors(run);
  show_endings(run);
  show_reaches(run);
}
