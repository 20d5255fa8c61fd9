/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first lines of a robot's screen: how far MuJoCo's own setting is off in the units of the
 * model, since when, and what it costs to be nearer. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "robot_columns.h"
#include "robot_study.h"

/* what is nowhere further off does not move; m, rad */
static const double still = 1e-9;

/* the error has begun where it is this share of its largest; and an error is asked for, m, rad */
static const double begun = 0.1, near_enough = 1e-3;

/* ---- the first start, at the model's own setting --------------------------------------------- */

/* how far a state of the first start is off at most; rows of one state stand together */
typedef struct deviation {
  const char *state, *unit;
  double most;
} deviation;

static deviation next_deviation(const robot_path_row row[], size_t count, size_t *at) {
  deviation d = {row[*at].state, row[*at].unit, 0.0};
  for (; *at < count && row[*at].state == d.state; ++*at)
    d.most = fmax(d.most, fabs(row[*at].mujoco - row[*at].reference));
  return d;
}

static bool is_base(const char *state) {
  const size_t length = strlen(state);
  return length > 2 && strchr("xyz", state[length - 1]) && state[length - 2] == ' ';
}

static bool is_velocity(const char *state) {
  return strncmp(state, "d ", 2) == 0;
}

/* base: the largest of the three coordinates of the first free joint; joint: hinge or slide */
static void find_worst(const study_run *run, robot_off *off) {
  size_t count;
  const robot_path_row *const row = study_rows(run, ROBOT_PATHS, &count);
  for (size_t i = 0; i < count;) {
    const deviation d = next_deviation(row, count, &i);
    if (is_velocity(d.state) || (strcmp(d.unit, "m") != 0 && strcmp(d.unit, "rad") != 0)) continue;
    const bool base = is_base(d.state);
    double *const most = base ? &off->base : &off->joint;
    // NaN: nothing was found yet
    if (d.most <= *most || d.most <= still) continue;
    *most = d.most;
    *(base ? &off->axis : &off->name) = d.state;
    if (!base) off->unit = d.unit;
  }
}

/* the last touch-down before the error is a tenth of its largest */
static void find_begin(const study_run *run, robot_off *off) {
  size_t count, touches;
  const robot_time_row *const row = study_rows(run, ROBOT_ERRORS, &count);
  const robot_touchdown_row *const touch = study_rows(run, ROBOT_TOUCHDOWNS, &touches);
  double largest = 0.0;
  for (size_t i = 0; i < count; i++)
    if (row[i].own) largest = fmax(largest, row[i].rms_error);
  for (size_t i = 0; i < count && isnan(off->from); i++)
    if (row[i].own && row[i].rms_error >= begun * largest) off->from = row[i].t;
  for (size_t i = 0; i < touches && touch[i].time <= off->from; i++) {
    off->after = touch[i].foot;
    off->after_time = touch[i].time;
  }
}

robot_off robot_off_of(const study_run *run) {
  robot_off off = {NAN, NAN, NAN, NAN, "", "", "", ""};
  find_worst(run, &off);
  find_begin(run, &off);
  return off;
}

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

static const robot_mujoco_row *own_row(const study_run *run) {
  size_t count;
  const robot_mujoco_row *const row = study_rows(run, ROBOT_MUJOCO_ROWS, &count);
  for (size_t i = 0; i < count; i++)
    if (row[i].own) return &row[i];
  return NULL;
}

/* what is told in mm, or in mrad: bodies, or hinges */
typedef struct measure {
  const char *unit;
  double (*of_steps)(const robot_mujoco_row *row);
  double (*of_tolerance)(const robot_libess_row *row);
  double (*of_reference)(const robot_top *top);
} measure;

static double bodies_of_steps(const robot_mujoco_row *row) {
  return row->position_error;
}

static double hinges_of_steps(const robot_mujoco_row *row) {
  return row->hinge_error;
}

static double bodies_of_tolerance(const robot_libess_row *row) {
  return row->position_error;
}

static double hinges_of_tolerance(const robot_libess_row *row) {
  return row->hinge_error;
}

static double bodies_of_reference(const robot_top *top) {
  return top->bodies_estimate;
}

static double hinges_of_reference(const robot_top *top) {
  return top->hinges_estimate;
}

static const measure by_bodies = {"mm", bodies_of_steps, bodies_of_tolerance, bodies_of_reference};
static const measure by_hinges = {"mrad", hinges_of_steps, hinges_of_tolerance,
                                  hinges_of_reference};

static const robot_top *top_of(const study_run *run) {
  return study_rows(run, ROBOT_TOP, NULL);
}

/* from every start to the end, and near enough */
static bool reaches(const study_run *run, double error, size_t known, double most) {
  return error <= most && known == study_cells(run);
}

static const robot_mujoco_row *cheapest_steps(const study_run *run, const measure *m, double most) {
  size_t count;
  const robot_mujoco_row *const row = study_rows(run, ROBOT_MUJOCO_ROWS, &count), *best = NULL;
  for (size_t i = 0; i < count; i++)
    if (reaches(run, m->of_steps(&row[i]), row[i].known, most) &&
        (!best || row[i].seconds < best->seconds))
      best = &row[i];
  return best;
}

static const robot_libess_row *cheapest_tolerance(const study_run *run, size_t table,
                                                  const measure *m, double most) {
  size_t count;
  const robot_libess_row *const row = study_rows(run, table, &count), *best = NULL;
  for (size_t i = 0; i < count; i++)
    if (reaches(run, m->of_tolerance(&row[i]), row[i].known, most) &&
        (!best || row[i].seconds < best->seconds))
      best = &row[i];
  return best;
}

/* below the reference's own error none is told */
static void print_error(const study_run *run, const measure *m, double error) {
  const double known = m->of_reference(top_of(run));
  printf("%s%.3g %s", error < known ? "< " : "", 1e3 * fmax(error, known), m->unit);
}

static void show_half(const study_run *run, const measure *m, const robot_mujoco_row *own) {
  const robot_mujoco_row *const half = cheapest_steps(run, m, 0.5 * m->of_steps(own));
  printf("  %-22s ", "half as far off");
  if (!half) {
    puts("no time step that was tried");
    return;
  }
  printf("MuJoCo's %s at %g ms: ", half->variant, 1e3 * half->time_step);
  print_error(run, m, m->of_steps(half));
  printf("; it takes %.2g times as long\n", half->seconds / own->seconds);
}

/* who keeps 1 mm, or 1 mrad, at the least time: MuJoCo, libess, and plain */
static void show_near(const study_run *run, const measure *m) {
  static const struct {
    const char *name;
    size_t table;
  } others[] = {{"libess", ROBOT_LIBESS_ROWS}, {"plain", ROBOT_PLAIN_ROWS}};
  char what[24];
  snprintf(what, sizeof what, "cheapest for 1 %s", m->unit);
  printf("  %-22s ", what);
  const double known = m->of_reference(top_of(run));
  if (!(known <= near_enough)) {
    printf("is not known: the reference itself may be off by %.2g %s\n", 1e3 * known, m->unit);
    return;
  }
  const robot_mujoco_row *const steps = cheapest_steps(run, m, near_enough);
  if (steps)
    printf("MuJoCo's %s at %g ms, %.2g s", steps->variant, 1e3 * steps->time_step, steps->seconds);
  else
    printf("no time step of MuJoCo's that was tried");
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    const robot_libess_row *const l = cheapest_tolerance(run, others[i].table, m, near_enough);
    if (l)
      printf("\n%25s%s at a tolerance of %g, %s, %.2g s", "", others[i].name, l->tolerance, l->base,
             l->seconds);
    else
      printf("\n%25sno tolerance of %s that was tried", "", others[i].name);
  }
  putchar('\n');
}

/* by the model's own integrator, at the smallest step that it has run at */
static void show_help(const study_run *run, const measure *m, const robot_mujoco_row *own) {
  size_t count;
  const robot_mujoco_row *const row = study_rows(run, ROBOT_MUJOCO_ROWS, &count), *finest = own;
  for (size_t i = 0; i < count; i++)
    if (row[i].variant == own->variant && !isnan(row[i].rms_error) &&
        row[i].time_step < finest->time_step)
      finest = &row[i];
  printf("  %-22s ", "a smaller step");
  if (finest == own) {
    puts("was not tried");
    return;
  }
  printf("%s: ", m->of_steps(finest) < 0.5 * m->of_steps(own) ? "helps" : "hardly helps");
  print_error(run, m, m->of_steps(finest));
  printf(" by %s at %.3g ms\n", own->variant, 1e3 * finest->time_step);
}

static void show_settings(const study_run *run, const robot_mujoco_row *own) {
  const bool bodies = own->position_error > still, hinges = own->hinge_error > still;
  if (!bodies && !hinges) return;
  // a body of a metre turns 1 mrad where its end moves 1 mm
  const measure *const m =
      own->hinge_error > own->position_error || !bodies ? &by_hinges : &by_bodies;
  puts("Settings by which it is nearer, and the time of a run by them:");
  show_half(run, m, own);
  if (bodies) show_near(run, &by_bodies);
  if (hinges) show_near(run, &by_hinges);
  show_help(run, m, own);
}

static void show_means(const study_run *run, const robot_mujoco_row *own) {
  const robot_settings *const s = run->settings;
  const char *const of = s->starts > 1 ? ", median of the starts" : "";
  if (own->position_error > still)
    printf("  %-22s %.3g mm, root mean square of all bodies and times%s\n", "bodies",
           1e3 * own->position_error, of);
  if (own->hinge_error > still)
    printf("  %-22s %.3g mrad, root mean square of all hinges and times%s\n", "hinges",
           1e3 * own->hinge_error, of);
}

void robot_show_brief(const study_run *run) {
  const robot_settings *const s = run->settings;
  const robot_mujoco_row *const own = own_row(run);
  const robot_top *const top = top_of(run);
  if (!own) return;
  printf("\nMuJoCo as the file has it (%s, %g ms) is off", own->variant, 1e3 * own->time_step);
  // a reference that ends early is told here, too: who reads on takes the numbers for the whole run
  if (top->reached < s->starts) printf(", up to %.3g s,", top->until);
  puts(" by:");
  if (isnan(own->rms_error)) {
    printf("  nothing that can be told: %s\n",
           *own->note ? own->note : "the reference ends at once");
    return;
  }
  if (own->rms_error < own->estimate) {
    puts("  no more than the reference's own error, so nothing is known of it");
    return;
  }
  show_means(run, own);
  if (s->starts > 1) puts("  and from the first start:");
  show_worst(&top->off);
  show_begin(&top->off);
  show_settings(run, own);
}
