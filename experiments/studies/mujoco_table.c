/*
 * The tables of MuJoCo's settings and of its profile that a person reads.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mujoco_settings.h"

const char *mujoco_verdict_name(mujoco_verdict verdict) {
  static const char *const names[] = {[MUJOCO_LEFT_OUT] = "left out",
                                      [MUJOCO_CHANGED] = "changes the trajectory",
                                      [MUJOCO_FASTER] = "faster",
                                      [MUJOCO_SLOWER] = "slower",
                                      [MUJOCO_AS_FAST] = "no difference shown",
                                      [MUJOCO_IS_THE_RACE] = "the race's"};
  return names[verdict];
}

static void print_row(const mujoco_row *row) {
  char name[160];
  snprintf(name, sizeof name, "%s %s", mujoco_variant_base(row->variant), row->variant->changes);
  if (!row->instance) {
    printf("  %-32s left out: %s\n", name, row->left_out);
    return;
  }
  printf("  %-32s %8.4f [%7.4f, %7.4f] %6.3f [%5.3f, %5.3f] %8.1e %8.2g  %s", name,
         1e3 * row->median.estimate, 1e3 * row->median.low, 1e3 * row->median.high,
         row->ratio.estimate, row->ratio.low, row->ratio.high, row->difference, row->error.median,
         mujoco_verdict_name(row->verdict));
  if (row->again && row->verdict != MUJOCO_IS_THE_RACE)
    printf(" (again: %.3f [%.3f, %.3f])", row->confirmed.estimate, row->confirmed.low,
           row->confirmed.high);
  putchar('\n');
}

static void print_settings(const mujoco_case *c) {
  printf("\n%s, %zu contact%s, %zu starts\n", c->m.type->name, c->contacts,
         c->contacts == 1 ? "" : "s", c->starts.trials);
  printf("  %-32s %8s %18s %6s %14s %8s %8s\n", "setting", "ms", "95 % interval", "ratio",
         "95 % interval", "differs", "RMS");
  for (size_t k = 0; k < c->rows; k++) print_row(&c->row[k]);
}

/* the profiles as columns: of every model the race's, then MuJoCo's own */
typedef struct columns {
  const mujoco_case *cases;
  size_t count;
} columns;

static const mujoco_profile *column(const columns *c, size_t k) {
  return &c->cases[k / MUJOCO_PROFILES].profile[k % MUJOCO_PROFILES];
}

/* one line: a timer's share of the step, or of what its parts leave */
static void print_timer(const columns *c, size_t i, bool rest) {
  const mujoco_timer *const timer = column(c, 0)->timer;
  int depth = rest ? 1 : 0;
  for (int above = timer[i].parent; above != BRIDGE_NO_TIMER; above = timer[above].parent) depth++;
  char name[64];
  snprintf(name, sizeof name, "%s%s", rest ? "rest of " : "", timer[i].name);
  printf("  %*s%-*s", 2 * depth, "", 28 - 2 * depth, name);
  for (size_t k = 0; k < c->count; k++) {
    const mujoco_timer *const t = column(c, k)->timer;
    printf(" %6.1f%%", 100.0 * (rest ? t[i].rest_ns : t[i].net_ns) / t[0].net_ns);
  }
  putchar('\n');
}

/* a timer, its parts, and what they leave */
static void print_tree(const columns *c, int root) {
  const mujoco_profile *const first = column(c, 0);
  for (size_t i = 0; i < first->timers; i++) {
    if (first->timer[i].parent != root || !(first->timer[i].calls > 0.0)) continue;
    print_timer(c, i, false);
    print_tree(c, (int)i);
    if (first->timer[i].has_parts) print_timer(c, i, true);
  }
}

static void print_heads(const columns *c) {
  printf("\nWhere a step's time goes, by MuJoCo's timers\n  %-28s", "");
  for (size_t k = 0; k < c->count; k += MUJOCO_PROFILES) {
    const mujoco_case *const of = &c->cases[k / MUJOCO_PROFILES];
    char head[32];
    snprintf(head, sizeof head, "%s %zu", of->m.type->name, of->contacts);
    printf(" %15s", head);
  }
  printf("\n  %-28s", "");
  for (size_t k = 0; k < c->count; k++)
    printf(" %7s", mujoco_variant_base(column(c, k)->row->variant));
  putchar('\n');
}

/* the whole step's time, and what the timers make of it */
static void print_costs(const columns *c) {
  printf("  %-28s", "step without timers, us");
  for (size_t k = 0; k < c->count; k++) printf(" %7.3f", 1e-3 * column(c, k)->run_ns);
  printf("\n  %-28s", "step by the timers, us");
  for (size_t k = 0; k < c->count; k++) printf(" %7.3f", 1e-3 * column(c, k)->timer[0].net_ns);
  printf("\n  %-28s", "run with / without timers");
  for (size_t k = 0; k < c->count; k++) printf(" %7.3f", column(c, k)->timers_cost.estimate);
  putchar('\n');
}

void mujoco_print(const mujoco_case cases[], size_t count, const arguments *given) {
  printf("MuJoCo %s; `mujoco`: its own defaults, `race`: what the race uses\n"
         "ratio: time over the race's, paired by start; differs: largest relative difference of\n"
         "the trajectory from MuJoCo's own defaults'; RMS: error against our reference\n",
         bridge_version_string());
  for (size_t i = 0; i < count; i++) print_settings(&cases[i]);
  const columns profiles = {cases, count * MUJOCO_PROFILES};
  print_heads(&profiles);
  print_tree(&profiles, BRIDGE_NO_TIMER);
  print_costs(&profiles);
  printf("results in %s/mujoco_settings.csv, mujoco_settings_samples.csv, mujoco_profile.csv, "
         "mujoco_settings.json\n",
         given->folder);
}
