/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a sweep says, a line each: both engines at the same error, the cheapest method that looks
 * for no crossing at that error, both by the paper's protocol, and what one more contact costs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solvers.h"
#include "sweep.h"

/* the ratios of one protocol, over all numbers of contacts */
typedef struct verdict {
  const char *solver;  /* of the first; NULL: nobody raced MuJoCo by it */
  size_t count, shown; /* numbers of contacts; of those the interval leaves out 1 */
  size_t fewest, most;
  double low, high, error_low, error_high; /* of the ratios: MuJoCo's time, our error */
} verdict;

static void widen(double value, double *low, double *high) {
  if (!(*low <= value)) *low = value;
  if (!(*high >= value)) *high = value;
}

static verdict verdict_of(const study_run *run, const char *protocol) {
  size_t count;
  const sweep_ratio *const r = study_rows(run, SWEEP_RATIOS, &count);
  verdict v = {.low = NAN, .high = NAN, .error_low = NAN, .error_high = NAN};
  for (size_t i = 0; i < count; i++) {
    if (strcmp(r[i].protocol, protocol) != 0 || (v.solver && strcmp(r[i].solver, v.solver) != 0))
      continue;
    if (!v.solver) v.fewest = r[i].contacts;
    v.solver = r[i].solver;
    v.most = r[i].contacts;
    v.count++;
    v.shown += r[i].interval[0] > 1.0 || r[i].interval[1] < 1.0;
    widen(r[i].ratio, &v.low, &v.high);
    widen(r[i].rms_ours / r[i].rms_mujoco, &v.error_low, &v.error_high);
  }
  return v;
}

/* "2 to 5", or "2" where it is one */
static void print_range(double low, double high) {
  char from[32], to[32];
  snprintf(from, sizeof from, "%.3g", low);
  snprintf(to, sizeof to, "%.3g", high);
  printf("%s", from);
  if (strcmp(from, to) != 0) printf(" to %s", to);
}

/* a solver by what it is: nobody has to know our names of its variants */
static const char *engine(const char *solver) {
  return strcmp(solver, projection_solver.name) == 0 ? "libess by the paper's method"
         : strcmp(solver, bridge_solver.name) == 0   ? "MuJoCo"
         : strcmp(solver, "plain") == 0              ? "the cheapest plain method"
                                                     : solver;
}

static void print_ratios(const char *title, const verdict *v) {
  printf("%s: ", title);
  if (!v->solver) {
    printf("not raced\n");
    return;
  }
  printf("MuJoCo takes ");
  print_range(v->low, v->high);
  printf(" times as long as %s, which errs ", engine(v->solver));
  print_range(v->error_low, v->error_high);
  printf(" times as much; N = ");
  print_range((double)v->fewest, (double)v->most);
  printf(", a difference is shown at %zu of %zu\n", v->shown, v->count);
}

static void print_plain(const study_run *run) {
  size_t count;
  const sweep_plain *const r = study_rows(run, SWEEP_PLAIN, &count);
  double low = NAN, high = NAN;
  for (size_t i = 0; i < count; i++) widen(r[i].plain_over_libess, &low, &high);
  if (!count) return;
  printf("at equal error: the cheapest method that looks for no crossing takes ");
  print_range(low, high);
  printf(" times as long as libess\n");
}

static void print_slopes(const study_run *run) {
  size_t count, shown = 0;
  const sweep_slope *const slope = study_rows(run, SWEEP_SLOPES, &count);
  printf("one more contact:");
  for (size_t k = 0; k < count; k++)
    if (!isnan(slope[k].s_per_contact))
      printf("%s %s (%s) %.3g us", shown++ ? "," : "", engine(slope[k].solver), slope[k].protocol,
             1e6 * slope[k].s_per_contact);
  printf("%s\n", shown ? "" : " not known from one N");
}

void sweep_verdict(const study_run *run) {
  const verdict equal = verdict_of(run, sweep_protocols[SWEEP_EQUAL_ERROR]);
  const verdict paper = verdict_of(run, sweep_protocols[SWEEP_PAPER]);
  print_ratios("at equal error", &equal);
  print_plain(run);
  print_ratios("by the paper's protocol", &paper);
  print_slopes(run);
}
