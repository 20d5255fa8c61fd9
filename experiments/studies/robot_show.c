/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One screen of a robot's study. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "robot_study.h"

static bool is_alike(const robot_finding_row *a, const robot_finding_row *b) {
  return strcmp(a->treatment, b->treatment) == 0 && strcmp(a->kind, b->kind) == 0 &&
         strcmp(a->why, b->why) == 0;
}

/* words, in lines of at most 100 columns */
static void show_wrapped(const char *text) {
  enum { INDENT = 11, WIDTH = 100 };
  while (*text) {
    size_t length = strlen(text);
    if (length > WIDTH - INDENT)
      for (length = WIDTH - INDENT; length > 1 && text[length] != ' ';) length--;
    printf("%*s%.*s\n", INDENT, "", (int)length, text);
    text += length + strspn(text + length, " ");
  }
}

/* what is treated alike is one line, told at its first */
static void robot_show_findings(const study_run *run) {
  size_t count;
  const robot_finding_row *const all = study_rows(run, ROBOT_FINDINGS, &count);
  for (size_t i = 0; i < count; i++) {
    size_t alike = 0, events = 0;
    bool is_first = true;
    for (size_t k = 0; k < i; k++) is_first = is_first && !is_alike(&all[k], &all[i]);
    if (!is_first) continue;
    for (size_t k = i; k < count; k++)
      if (is_alike(&all[k], &all[i])) {
        alike++;
        events += all[k].events;
      }
    printf("  %-8s %s", all[i].treatment, all[i].kind);
    if (alike > 1) printf(", %zu of them", alike);
    if (*all[i].name) printf(": %s%s", all[i].name, alike > 1 ? ", ..." : "");
    if (events) printf(" (%zu event function%s)", events, events > 1 ? "s" : "");
    puts(";");
    show_wrapped(all[i].why);
  }
}

static void robot_show_hulls(const study_run *run) {
  const robot_case *const c = run->own;
  for (size_t i = 0; i < robot_finding_count(c->robot); i++) {
    const robot_finding *const f = &robot_findings(c->robot)[i];
    if (strcmp(f->kind, "mesh") == 0) printf("Mesh %s: %s.\n", f->name, f->why);
  }
}

/* The first lines of a robot's screen: how far MuJoCo's own setting is off in the units of the
 * model, since when, and what it costs to be nearer. */

/* what is nowhere further off does not move; m, rad */
static const double still = 1e-9;

/* an error is asked for, m, rad */
static const double near_enough = 1e-3;

/* ---- the first start, at the model's own setting --------------------------------------------- */

/* "joint 0 z" is along z, of joint 0 */
static void show_worst(const robot_off *off) {
  const size_t length = strlen(off->axis);
  if (length)
    printf("  %-22s %.3g mm at most, along %s (%.*s)\n", "base", 1e3 * off->base,
           off->axis + length - 1, (int)length - 2, off->axis);
  if (*off->name)
    printf("  %-22s %.3g %s at most: %s\n", "worst joint", 1e3 * off->joint,
           strcmp(off->unit, "rad") == 0 ? "mrad" : "mm", off->name);
}

static void show_begin(const robot_off *off) {
  if (isnan(off->from)) return;
  printf("  %-22s ", "begins at");
  if (*off->after)
    printf("%.4g s, after the touch-down %s at %.4g s\n", off->from, off->after, off->after_time);
  else
    printf("%.4g s, before any touch-down\n", off->from);
}

/* ---- settings -------------------------------------------------------------------------------- */

static const robot_row *own_row(const study_run *run) {
  size_t count;
  const robot_row *const row = study_rows(run, ROBOT_MUJOCO_ROWS, &count);
  for (size_t i = 0; i < count; i++)
    if (row[i].own) return &row[i];
  return NULL;
}

/* what is told in mm, or in mrad: bodies, or hinges; and where it is in a row, and in what is known
 * of the reference */
typedef struct measure {
  const char *unit;
  size_t row, reference;
} measure;

static const measure by_bodies = {"mm", offsetof(robot_row, position_error),
                                  offsetof(robot_top, bodies_estimate)},
                     by_hinges = {"mrad", offsetof(robot_row, hinge_error),
                                  offsetof(robot_top, hinges_estimate)};

static double error_of(const measure *m, const robot_row *row) {
  return *(const double *)(const void *)((const char *)row + m->row);
}

static const robot_top *top_of(const study_run *run) {
  return study_rows(run, ROBOT_TOP, NULL);
}

static double known_of(const study_run *run, const measure *m) {
  return *(const double *)(const void *)((const char *)top_of(run) + m->reference);
}

/* from every start to the end, and near enough */
static bool reaches(const study_run *run, double error, size_t known, double most) {
  return error <= most && known == study_cells(run);
}

static const robot_row *cheapest(const study_run *run, robot_kind kind, const measure *m,
                                 double most) {
  size_t count;
  const robot_row *const row = study_rows(run, robot_table(kind), &count), *best = NULL;
  for (size_t i = 0; i < count; i++)
    if (reaches(run, error_of(m, &row[i]), row[i].known, most) &&
        (!best || row[i].seconds < best->seconds))
      best = &row[i];
  return best;
}

/* below the reference's own error none is told */
static void print_error(const study_run *run, const measure *m, double error) {
  const double known = known_of(run, m);
  printf("%s%.3g %s", error < known ? "< " : "", 1e3 * fmax(error, known), m->unit);
}

static void show_half(const study_run *run, const measure *m, const robot_row *own) {
  const robot_row *const half = cheapest(run, ROBOT_MUJOCO, m, 0.5 * error_of(m, own));
  printf("  %-22s ", "half the error");
  if (!half) {
    puts("not reached at any time step tried");
    return;
  }
  printf("MuJoCo's %s at %g ms: ", half->variant, 1e3 * half->knob);
  print_error(run, m, error_of(m, half));
  printf("; it takes %.2g times as long\n", half->seconds / own->seconds);
}

/* who keeps 1 mm, or 1 mrad, at the least time: MuJoCo, libess, and plain */
static void show_near(const study_run *run, const measure *m) {
  char what[24];
  snprintf(what, sizeof what, "cheapest for 1 %s", m->unit);
  printf("  %-22s ", what);
  const double known = known_of(run, m);
  if (!(known <= near_enough)) {
    printf("not known: the error of the reference may be %.2g %s\n", 1e3 * known, m->unit);
    return;
  }
  const robot_row *const steps = cheapest(run, ROBOT_MUJOCO, m, near_enough);
  if (steps)
    printf("MuJoCo's %s at %g ms, %.2g s", steps->variant, 1e3 * steps->knob, steps->seconds);
  else
    printf("MuJoCo at none of the time steps tried");
  for (robot_kind kind = ROBOT_LIBESS; kind <= ROBOT_PLAIN; kind++) {
    const robot_row *const l = cheapest(run, kind, m, near_enough);
    if (l)
      printf("\n%25s%s at a tolerance of %g, %s, %.2g s", "", robot_who[kind], l->knob, l->variant,
             l->seconds);
    else
      printf("\n%25s%s at none of the tolerances tried", "", robot_who[kind]);
  }
  putchar('\n');
}

/* by the model's own integrator, at the smallest step that it has run at */
static void show_help(const study_run *run, const measure *m, const robot_row *own) {
  size_t count;
  const robot_row *const row = study_rows(run, ROBOT_MUJOCO_ROWS, &count), *finest = own;
  for (size_t i = 0; i < count; i++)
    if (!strcmp(row[i].variant, own->variant) && !isnan(row[i].rms_error) &&
        row[i].knob < finest->knob)
      finest = &row[i];
  printf("  %-22s ", "a smaller step");
  if (finest == own) {
    puts("not tried");
    return;
  }
  printf("%s: ", error_of(m, finest) < 0.5 * error_of(m, own) ? "helps" : "hardly helps");
  print_error(run, m, error_of(m, finest));
  printf(" by %s at %.3g ms\n", own->variant, 1e3 * finest->knob);
}

static void show_settings(const study_run *run, const robot_row *own) {
  const bool bodies = own->position_error > still, hinges = own->hinge_error > still;
  if (!bodies && !hinges) return;
  // a body of a metre turns 1 mrad where its end moves 1 mm
  const measure *const m =
      own->hinge_error > own->position_error || !bodies ? &by_hinges : &by_bodies;
  puts("Settings with a smaller error, and the time of a run:");
  show_half(run, m, own);
  if (bodies) show_near(run, &by_bodies);
  if (hinges) show_near(run, &by_hinges);
  show_help(run, m, own);
}

static void show_means(const study_run *run, const robot_row *own) {
  const robot_settings *const s = run->settings;
  const char *const of = s->starts > 1 ? ", median of the initial conditions" : "";
  if (own->position_error > still)
    printf("  %-22s %.3g mm, root mean square of all bodies and times%s\n", "bodies",
           1e3 * own->position_error, of);
  if (own->hinge_error > still)
    printf("  %-22s %.3g mrad, root mean square of all hinges and times%s\n", "hinges",
           1e3 * own->hinge_error, of);
  if (own->position_error <= still && !(own->hinge_error > still))
    printf("  less than %g mm and %g mrad, root mean square%s\n", 1e3 * still, 1e3 * still, of);
}

static void robot_show_brief(const study_run *run) {
  const robot_settings *const s = run->settings;
  const robot_row *const own = own_row(run);
  const robot_top *const top = top_of(run);
  if (!own) return;
  printf("\nError of MuJoCo at the model's own settings (%s, %g ms)", own->variant,
         1e3 * own->knob);
  // a reference that ends early is told here, too: who reads on takes the numbers for the whole run
  if (top->reached < s->starts) printf(", up to %.3g s", top->until);
  puts(":");
  if (isnan(own->rms_error)) {
    printf("  not known: %s\n", *own->note ? own->note : "the reference ends at once");
    return;
  }
  if (own->rms_error < own->estimate) {
    puts("  no larger than the error of the reference, so it is not known");
    return;
  }
  show_means(run, own);
  if (s->starts > 1) puts("  from the first initial condition:");
  show_worst(&top->off);
  show_begin(&top->off);
  show_settings(run, own);
}

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
         "Its integrator is %s, its time step %g ms.\n"
         "%zu initial condition%s, %g s each: %s, ",
         t->file, of->bodies, of->nq, of->nv, of->nu, of->events, of->integrator,
         1e3 * of->time_step, s->starts, s->starts > 1 ? "s" : "", s->time, t->pose);
  if (c->falls)
    printf("raised by %g m, tilted by %g rad.\n", robot_height(s), robot_tilt(s));
  else
    printf("hinges turned by %g rad, as no body is free.\n", robot_tilt(s));
  if (s->without)
    printf("Excluded from contact in MuJoCo and in the reference: --without %s\n", s->without);
  if (s->twin)
    printf("Contacts are springs and dampers (%s N/m, N s/m). The right-hand side agrees with "
           "MuJoCo's to\n%.1e; that of the MJCF, whose contacts have an added mass, to %.1e.\n",
           s->twin, t->twin_gap, t->twin_text_gap);
  if (t->broken > noticed)
    printf("The initial pose violates an equality constraint by %.2g (m, rad), which it then "
           "closes.\n",
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
  const robot_row *const row = study_rows(run, ROBOT_MUJOCO_ROWS, &count);
  double coarsest = NAN, largest = 0.0, smallest = t->check_step;
  for (size_t i = 0; i < count; i++) {
    if (isnan(row[i].rms_error)) continue;
    coarsest = fmax(coarsest, row[i].rms_error);
    largest = fmax(largest, row[i].knob);
    smallest = fmin(smallest, row[i].knob);
  }
  if (!(t->mujoco_apart > 10.0 * t->tolerances_apart && t->mujoco_apart > 0.5 * coarsest))
    return LEAD_THERE;
  return largest >= span * smallest ? LEAD_ELSEWHERE : LEAD_UNKNOWN;
}

/* what no event function tells of, and what that costs */
static void show_jumps(const robot_top *t) {
  if (!(t->jumps > 0.0)) return;
  printf(".\nThe points of followed contacts jumped %.3g times, and no event function locates the "
         "jumps:\nonly short steps keep the error small there. %.2g %% of all steps were rejected",
         t->jumps, 100.0 * t->refused);
}

/* in the units of the model first; below it no error is told */
static void show_estimate(const robot_top *t) {
  // no body's origin moves where all turn about their own: of these nothing is told
  const bool bodies = t->bodies_estimate > 0.0, hinges = t->hinges_estimate > 0.0;
  if (bodies || hinges) printf(".\nIts error is about ");
  if (bodies) printf("%.2g mm%s", 1e3 * t->bodies_estimate, hinges ? " and " : "");
  if (hinges) printf("%.2g mrad", 1e3 * t->hinges_estimate);
  printf(
      ".\nOver all positions and velocities the error of the reference is about %.1e: libess at a\n"
      "looser tolerance differs from it by %.1e, MuJoCo's nearest run by %.1e. Errors of runs "
      "below\nthat of the reference are not reported",
      t->estimate, t->tolerances_apart, t->mujoco_apart);
}

static void show_reference(const study_run *run, const robot_top *t) {
  const robot_settings *const s = run->settings;
  const bool told = strstr(t->status, t->contact); // an empty one, too
  printf("\nThe reference (libess at a tolerance of %g) reaches the end from %zu of %zu initial "
         "conditions",
         s->reference, t->reached, s->starts);
  if (t->reached < s->starts)
    printf(";\none ends at %.4f s:\n  %s%s%s", t->until, t->status, told ? "" : ", ",
           told ? "" : t->contact);
  if (isnan(t->estimate))
    printf(".\nIts error is not known, so no error is reported");
  else
    show_estimate(t);
  if (t->check_step > s->check_step)
    printf(".\nMuJoCo's smallest step is %.3g s: --budget leaves no time for --check-step, %.3g s",
           t->check_step, s->check_step);
  show_jumps(t);
  const leading lead = where_steps_lead(run, t);
  if (lead == LEAD_ELSEWHERE)
    printf(".\nMuJoCo's steps do not converge to it: one of the two misses an event");
  if (lead == LEAD_UNKNOWN)
    printf(".\nMuJoCo's time steps are too few to show whether they converge to it (--time-steps, "
           "--check-step)");
  printf(".\nA perturbation of the initial condition by 1e-8 is %.3g times as large at the end.\n",
         t->growth);
}

static void show_touchdowns(const study_run *run) {
  size_t count;
  study_rows(run, ROBOT_TOUCHDOWNS, &count);
  if (!count) {
    puts("The first initial condition has no touch-down.");
    return;
  }
  puts("\nTouch-downs from the first initial condition:");
  study_print(run, ROBOT_TOUCHDOWNS, 0, LINES_MAX);
  if (count > LINES_MAX) printf("... %zu more in robot_touchdowns.csv\n", count - LINES_MAX);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static const robot_row *row_at(const study_run *run, const char *variant, double h) {
  size_t count;
  const robot_row *const row = study_rows(run, ROBOT_MUJOCO_ROWS, &count);
  for (size_t i = 0; i < count; i++)
    if (!strcmp(row[i].variant, variant) && row[i].knob == h) return &row[i];
  return NULL;
}

/* below the reference's error no error is told */
static void show_error(const robot_row *row) {
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
  const robot_row *const row = study_rows(run, ROBOT_MUJOCO_ROWS, &rows);
  puts("\nMuJoCo's error by time step (* the model's own), median over the initial conditions:");
  printf("%9s", "step, ms");
  for (size_t i = 0; i < orders; i++) printf(" %12s", order[i].variant);
  for (double last = INFINITY, h; last > 0.0; last = h) {
    h = 0.0;
    for (size_t i = 0; i < rows; i++)
      if (row[i].knob < last && row[i].knob > h) h = row[i].knob;
    if (!(h > 0.0)) break;
    printf("\n%9.5g", 1e3 * h);
    for (size_t i = 0; i < orders; i++) show_error(row_at(run, order[i].variant, h));
  }
  printf("\n%9s", "order");
  for (size_t i = 0; i < orders; i++) printf(" %12.2f", order[i].order);
  putchar('\n');
}

/* ---- what does not get to the end ------------------------------------------------------------ */

/* A line for each integrator and base, with the first reason: what fails from some starts is not
 * to hide behind what does not. */
static void show_endings(const study_run *run) {
  const size_t starts = study_cells(run);
  const robot_row *of = NULL, *first = NULL;
  robot_kind last = ROBOT_MUJOCO;
  for (robot_kind kind = ROBOT_MUJOCO; kind <= ROBOT_PLAIN; kind++) {
    size_t count;
    const robot_row *const row = study_rows(run, robot_table(kind), &count);
    for (size_t i = 0; i < count; i++) {
      if (row[i].known >= starts) continue;
      const bool is_same = of && last == kind && !strcmp(of->variant, row[i].variant);
      if (!of)
        printf("\nNot all runs reach the end (step in s or tolerance: initial conditions that do, "
               "of %zu):",
               starts);
      if (!is_same && first) printf("; %s", first->note);
      if (!is_same) printf("\n  %s, %s:", robot_who[kind], row[i].variant);
      if (!is_same) first = &row[i];
      of = &row[i];
      last = kind;
      printf("%s %g: %zu", is_same ? "," : "", of->knob, of->known);
    }
  }
  if (first) printf("; %s\n", first->note);
}

/* where libess ties or loses, and where a ratio is of some starts alone */
static void show_ties(const study_run *run) {
  size_t count;
  const robot_reach_row *const row = study_rows(run, ROBOT_REACH, &count);
  for (size_t i = 0; i < count; i++) {
    if (row[i].plain_over_libess < tie)
      printf("At an error of %.1e the event-unaware solver is %s.\n", row[i].rms_error,
             row[i].plain_over_libess > 1.0 / tie ? "as cheap as libess" : "cheaper than libess");
    if (row[i].mujoco_over_libess < tie)
      printf("At an error of %.1e MuJoCo is %s.\n", row[i].rms_error,
             row[i].mujoco_over_libess > 1.0 / tie ? "as cheap as libess" : "cheaper than libess");
    if (isnan(row[i].libess_seconds))
      printf("libess does not reach an error of %.1e at the tolerances tried.\n", row[i].rms_error);
    else if (row[i].held_out && row[i].held_out < study_cells(run))
      printf("At an error of %.1e the ratio is known from %zu of %zu initial conditions: from the\n"
             "others MuJoCo or libess does not reach the end.\n",
             row[i].rms_error, row[i].held_out, study_cells(run));
  }
}

static void show_reaches(const study_run *run) {
  size_t count;
  study_rows(run, ROBOT_REACH, &count);
  if (!count) {
    puts("\nCosts are not compared: the error of the reference is too large or not known, or all "
         "runs\n"
         "reach every target error.");
    return;
  }
  puts(
      "\nCost at equal error (the first is that of the model's own settings). ratio: MuJoCo's time "
      "over\nlibess's, with its interval; fields: right-hand-side evaluations of libess; plain: "
      "time "
      "of the\nevent-unaware solver over libess's:");
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
    puts("--all shows all tables, and --help explains the terms.");
    return;
  }
  puts("\nElements that switch:");
  robot_show_findings(run);
  show_touchdowns(run);
  show_errors(run);
  show_endings(run);
  show_reaches(run);
}
