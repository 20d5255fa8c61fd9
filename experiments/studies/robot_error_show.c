/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The screen of essbench robot. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "robot_answer.h"
#include "robot_error.h"
#include "statistics.h"

const double robot_error_still = 1e-9;

/* a bound to one digit, never a smaller one */
static double upward(double bound) {
  if (!(bound > 0.0 && isfinite(bound))) return bound;
  const double digit = pow(10.0, floor(log10(bound)));
  return digit * ceil(bound / digit * (1.0 - 1e-12));
}

/* a number with its bound; what has none is exact, as at the initial condition */
static void print_known(double value, double bound, const char *unit) {
  if (value + bound < robot_error_still)
    printf("less than %.1g %s", 1e3 * robot_error_still, unit);
  else if (bound == 0.0)
    printf("%.3g %s", 1e3 * value, unit);
  else if (value > bound)
    printf("%.3g +- %g %s", 1e3 * value, upward(1e3 * bound), unit);
  else
    printf("less than %.2g %s", 1e3 * (value + bound), unit);
}

static bool is_of(const answer_row *a, size_t file, size_t start) {
  return a->file == file && a->start == start;
}

/* the joints that are off the most, and a number of each */
static void show_joints(const study_run *run, const answer_row *a) {
  enum { SHOWN = 3 };
  size_t count;
  const joint_row *const all = study_rows(run, ERROR_JOINTS, &count);
  const joint_row *last = NULL;
  for (size_t shown = 0; shown < SHOWN; shown++) {
    const joint_row *most = NULL;
    for (size_t i = 0; i < count; i++) {
      const joint_row *const j = &all[i];
      const bool is_less = !last || j->most < last->most || (j->most == last->most && j > last);
      if (is_of(a, j->file, j->start) && is_less && (!most || j->most > most->most)) most = j;
    }
    if (!most || !(most->most > robot_error_still)) return;
    printf("  %-16s %s: ", shown ? "" : "worst joints", most->name);
    print_known(most->most, most->most_bound, strcmp(most->unit, "m") ? "mrad" : "mm");
    printf(", at %.3g s\n", most->at);
    last = most;
  }
}

/* MuJoCo's run by that integrator and step; NULL: there is none */
static const step_row *step_by(const study_run *run, const answer_row *a, const char *name,
                               double knob) {
  size_t count;
  const step_row *const all = study_rows(run, ERROR_STEPS, &count);
  for (size_t i = 0; i < count; i++)
    if (is_of(a, all[i].file, all[i].start) && !strcmp(all[i].name, name) && all[i].knob == knob)
      return &all[i];
  return NULL;
}

static void show_need(const study_run *run, const answer_row *a, const step_row *own,
                      const char *what, const char *name, double knob) {
  const step_row *const r = step_by(run, a, name, knob);
  printf("  %-16s ", what);
  if (!r) {
    puts("none of the steps that were tried");
    return;
  }
  printf("%s at %.3g ms", r->name, 1e3 * r->knob);
  const double times = own && !*own->note ? r->seconds / own->seconds : NAN;
  if (own && r == own)
    printf(", which is the model's own");
  else if (fabs(times - 1.0) < 0.05)
    printf(", which takes as long");
  else if (!isnan(times))
    printf(", which takes %.2g times as long", times);
  putchar('\n');
}

static void show_steps(const study_run *run, const answer_row *a) {
  size_t count;
  const step_row *const all = study_rows(run, ERROR_STEPS, &count), *own = NULL;
  for (size_t i = 0; i < count; i++)
    if (is_of(a, all[i].file, all[i].start) && all[i].own) own = &all[i];
  puts("Cheapest integrator and step tried that have an error of at most:");
  if (a->bodies > robot_error_still || a->hinges > robot_error_still)
    show_need(run, a, own, "half the above", a->half_by, a->half_step);
  show_need(run, a, own, "1 mm, 1 mrad", a->small_by, a->small_step);
  puts("Errors by step, of bodies in mm and of hinges in mrad, and the time of a run (*: the "
       "model's own):");
  const char *last = "";
  for (size_t i = 0; i < count; i++) {
    const step_row *const r = &all[i];
    if (!is_of(a, r->file, r->start)) continue;
    if (strcmp(last, r->name)) printf("  %s\n", r->name);
    last = r->name;
    printf("  %12.5g ms%c ", 1e3 * r->knob, r->own ? '*' : ' ');
    if (*r->note) {
      puts(r->note);
      continue;
    }
    printf("%9.3g ", 1e3 * r->bodies);
    if (isnan(r->hinges))
      printf("%9s", "-");
    else
      printf("%9.3g", 1e3 * r->hinges);
    printf("  %8.2g s\n", r->seconds);
  }
}

/* MuJoCo's at the model's own settings and the reference's, in mm */
static void show_length(const char *what, double mine, double of, double bound) {
  printf("  %-16s %.3g mm, in the reference ", what, 1e3 * mine);
  print_known(of, bound, "mm");
  putchar('\n');
}

static void show_physics(const answer_row *a) {
  if (!isnan(a->energy))
    printf("  %-16s %.3g +- %g J (MuJoCo %+.4g J, reference %+.4g J)\n", "energy drift",
           a->energy_drift, upward(a->energy_bound), a->energy, a->energy_reference);
  if (fmax(a->penetration, a->penetration_reference) > robot_error_still)
    show_length("penetration", a->penetration, a->penetration_reference, a->penetration_bound);
  if (fmax(a->creep, a->creep_reference) > robot_error_still)
    show_length("friction creep", a->creep, a->creep_reference, a->creep_bound);
  if (a->jumps > 0.0)
    printf("  %-16s %g of contact points (meshes, cylinders), the largest by %.2g mm\n", "jumps",
           a->jumps, 1e3 * a->jump_dist);
}

static void show_how(const answer_row *a) {
  const bool is_libess = strcmp(a->how, robot_by_steps) != 0;
  printf("By %s %s %g%s, for the whole %.3g s. The first number took %.2g s, all %.2g s.\n", a->how,
         is_libess ? "at a tolerance of" : "of", is_libess ? a->knob : 1e3 * a->knob,
         is_libess ? "" : " ms", a->until, a->seconds, a->total);
  if (*a->note) printf("Note: %s.\n", a->note);
}

static void show_answer(const study_run *run, const answer_row *a) {
  size_t count, starts = 0;
  const answer_row *const all = study_rows(run, ERROR_ANSWERS, &count);
  for (size_t i = 0; i < count; i++) starts += all[i].file == a->file;
  printf("\n%s", a->model);
  if (starts > 1) printf(", initial condition %zu", a->start);
  if (!*a->how) {
    printf(": no answer: %s\n", a->note);
    return;
  }
  puts(": the error of MuJoCo at the model's own settings");
  if (isnan(a->states)) {
    puts("  is not known: it is unstable at this step");
  } else {
    printf("  %-16s ", "bodies");
    print_known(a->bodies, a->bodies_bound, "mm, root mean square");
    putchar('\n');
    if (!isnan(a->hinges)) {
      printf("  %-16s ", "hinges");
      print_known(a->hinges, a->hinges_bound, "mrad, root mean square");
      putchar('\n');
    }
    show_joints(run, a);
  }
  show_physics(a);
  show_how(a);
  show_steps(run, a);
}

/* ---- over the initial conditions of a model -------------------------------------------------- */

static void show_over(const answer_row a[], size_t count, const char *name, const char *unit) {
  const column *const c = column_find(answer_row_columns, name);
  double value[count + 1], median = NAN;
  size_t known = 0, worst = 0;
  for (size_t i = 0; i < count; i++) {
    const double here = column_number(c, &a[i]);
    if (isnan(here)) continue;
    if (!known || here > column_number(c, &a[worst])) worst = i;
    value[known++] = here;
  }
  if (!known || measure_median(value, known, &median)) return;
  printf("  %-16s median %.3g %s, at most %.3g %s (initial condition %zu)\n", name, 1e3 * median,
         unit, 1e3 * column_number(c, &a[worst]), unit, a[worst].start);
}

static void show_summary(const answer_row a[], size_t count) {
  size_t known = 0;
  for (size_t i = 0; i < count; i++) known += isnan(a[i].states) ? 0 : 1;
  printf("\n%s, over %zu initial conditions", a->model, count);
  if (known < count) printf(", of which %zu have an error", known);
  puts(": the error of MuJoCo at the model's own settings");
  show_over(a, count, "bodies", "mm");
  show_over(a, count, "hinges", "mrad");
}

void robot_error_show(const study_run *run) {
  size_t count;
  const answer_row *const all = study_rows(run, ERROR_ANSWERS, &count);
  for (size_t i = 0, next; i < count; i = next) {
    for (next = i; next < count && all[next].file == all[i].file; next++)
      show_answer(run, &all[next]);
    if (next > i + 1) show_summary(&all[i], next - i);
  }
  putchar('\n');
}
