/*
 * What a person reads of mujoco.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mujoco.h"

static void show_settings(const study_run *run) {
  size_t count;
  const mujoco_row *const rows = study_rows(run, MUJOCO_ROWS, &count);
  for (size_t i = 0; i < count; i += MUJOCO_VARIANTS) {
    printf("\n%s, %zu contact%s\n", rows[i].of.model, rows[i].of.contacts,
           rows[i].of.contacts == 1 ? "" : "s");
    study_print(run, MUJOCO_ROWS, i, MUJOCO_VARIANTS);
  }
}

/* the profiles side by side: each has the same timers, in the same order */
typedef struct profiles {
  size_t count, timers;
  const mujoco_profile *profile;
  const mujoco_time *timer; /* by profile */
} profiles;

/* one line: a timer's share of the step, or of what its parts leave */
static void show_timer(const profiles *p, size_t i, int depth, bool rest) {
  char name[64];
  snprintf(name, sizeof name, "%s%s", rest ? "rest of " : "", p->timer[i].timer);
  printf("  %*s%-*s", 2 * depth, "", 28 - 2 * depth, name);
  for (size_t k = 0; k < p->count; k++) {
    const mujoco_time *const t = &p->timer[k * p->timers + i];
    printf(" %6.1f%%", 100.0 * (rest ? t->rest_share : t->share));
  }
  putchar('\n');
}

/* a timer, its parts, and what they leave */
static void show_tree(const profiles *p, const char *above, int depth) {
  for (size_t i = 0; i < p->timers; i++) {
    if (strcmp(p->timer[i].part_of, above) != 0) continue;
    show_timer(p, i, depth, false);
    show_tree(p, p->timer[i].timer, depth + 1);
    if (!isnan(p->timer[i].rest_share)) show_timer(p, i, depth + 1, true);
  }
}

static void show_line(const profiles *p, const char *name, double (*of)(const profiles *, size_t)) {
  printf("  %-28s", name);
  for (size_t k = 0; k < p->count; k++) printf(" %7.3f", of(p, k));
  putchar('\n');
}

static double step_us(const profiles *p, size_t k) {
  return 1e6 * p->profile[k].run_s;
}

static double step_by_timers_us(const profiles *p, size_t k) {
  return 1e6 * p->timer[k * p->timers].net_s;
}

static double cost_of_timers(const profiles *p, size_t k) {
  return p->profile[k].timers_cost;
}

static void show_profiles(const study_run *run) {
  profiles p;
  p.profile = study_rows(run, MUJOCO_PROFILED, &p.count);
  p.timer = study_rows(run, MUJOCO_TIMERS, &p.timers);
  p.timers /= p.count;
  printf("\nWhere a step's time goes, by MuJoCo's timers\n  %-28s", "");
  for (size_t k = 0; k < p.count; k += MUJOCO_PROFILES)
    printf(" %10s %4zu", p.profile[k].of.model, p.profile[k].of.contacts);
  printf("\n  %-28s", "");
  for (size_t k = 0; k < p.count; k++) printf(" %7s", p.profile[k].of.base);
  putchar('\n');
  show_tree(&p, "", 0);
  show_line(&p, "step without timers, us", step_us);
  show_line(&p, "step by the timers, us", step_by_timers_us);
  show_line(&p, "run with / without timers", cost_of_timers);
}

void mujoco_show(const study_run *run) {
  printf("MuJoCo %s; `mujoco`: its own defaults, `race`: what the race uses\n"
         "ratio: time over the race's, paired by start; differs: largest relative difference of\n"
         "the trajectory from MuJoCo's own defaults'; RMS: error against our reference\n",
         bridge_version_string());
  show_settings(run);
  show_profiles(run);
}
