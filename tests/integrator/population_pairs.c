/*
 * Hybrid systems whose features are drawn at random, held against a truth of their own:
 * `population_pairs [FIRST [COUNT]]`, the runs of COUNT seeds from FIRST on. A line for each run
 * that is wrong, or ends in a status where the truth goes on; then a table of all pairs of
 * features. Exit 1 when a run is wrong, 2 for usage.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "pair_systems.h"
#include "population.h"

enum { FEATURES = PAIR_FEATURES };

typedef struct cell {
  size_t runs, wrong, false_statuses, refused;
} cell;

static void print_run(const pair_system *s, const pair_outcome *o) {
  printf("%s: population_pairs %llu 1: at %.0e, %s%s at %.9g of %.9g; error %.3g%s; %llu and %llu "
         "calls, "
         "%llu stops; %s, event function %zd;",
         o->verdict == PAIR_WRONG ? "wrong" : "false status", (unsigned long long)s->seed,
         s->tolerance, ess_strerror(o->status), o->is_endless ? " (endless)" : "", o->time, s->end,
         o->error, o->is_other ? ", another mode" : "", (unsigned long long)o->calls,
         (unsigned long long)o->looks, (unsigned long long)o->stops,
         o->reason ? o->reason : "no reason", (ptrdiff_t)o->guard);
  for (size_t i = 0; i < FEATURES; i++)
    if (s->has[i]) printf(" %s,", pair_feature_names[i]);
  printf(" %zu states, %zu event functions\n", s->n, s->m);
  fflush(stdout);
}

/* below the diagonal: runs, wrong runs, false statuses */
static void print_table(cell cells[FEATURES][FEATURES]) {
  puts("\nrun/wrong/false status of each pair, *n: n refused as documented");
  printf("%-10s", "");
  for (size_t j = 0; j < FEATURES; j++) printf(" %12s", pair_feature_names[j]);
  putchar('\n');
  for (size_t i = 0; i < FEATURES; i++) {
    printf("%-10s", pair_feature_names[i]);
    for (size_t j = 0; j <= i; j++) {
      const cell *const c = &cells[i][j];
      char text[64] = "-";
      if (c->runs)
        snprintf(text, sizeof text, "%zu/%zu/%zu", c->runs, c->wrong, c->false_statuses);
      else if (c->refused)
        snprintf(text, sizeof text, "*%zu", c->refused);
      printf(" %12s", text);
    }
    putchar('\n');
  }
}

/* with --rows */
static void rows_of(uint64_t seed) {
  static const population_verdict verdicts[] = {
      [PAIR_WRONG] = POPULATION_WRONG, [PAIR_LEFT_OUT] = POPULATION_OUT};
  static pair_system s;
  pair_draw(&s, seed);
  const pair_outcome o = pair_run(&s);
  population_row("pair", seed, s.tolerance, verdicts[o.verdict], o.error);
}

int main(int argc, char *argv[]) {
  int status;
  if (population_rows(argc, argv, rows_of, &status)) return status;
  const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
  const double count = argc > 2 ? atof(argv[2]) : 50000.0;
  if (argc > 3 || !(count >= 1.0)) {
    fprintf(stderr, "usage: %s [FIRST [COUNT]]\n", argv[0]);
    return 2;
  }
  static cell cells[FEATURES][FEATURES];
  static size_t sums[PAIR_REFUSED + 1], statuses[ESS_STATUS_COUNT], endless;
  static pair_system s;
  for (uint64_t seed = first; seed < first + (uint64_t)count; seed++) {
    pair_draw(&s, seed);
    const pair_outcome o = pair_run(&s);
    sums[o.verdict]++;
    if (o.verdict == PAIR_LEFT_OUT) continue;
    if (o.verdict == PAIR_WRONG || o.verdict == PAIR_FALSE_STATUS) print_run(&s, &o);
    endless += o.is_endless;
    if (o.verdict == PAIR_FALSE_STATUS) statuses[o.status]++;
    for (size_t i = 0; i < FEATURES; i++)
      for (size_t j = 0; j <= i; j++) {
        if (!s.has[i] || !s.has[j]) continue;
        cells[i][j].runs += o.verdict != PAIR_REFUSED;
        cells[i][j].refused += o.verdict == PAIR_REFUSED;
        cells[i][j].wrong += o.verdict == PAIR_WRONG;
        cells[i][j].false_statuses += o.verdict == PAIR_FALSE_STATUS;
      }
  }
  print_table(cells);
  printf("\n%zu runs right, %zu wrong, %zu ended by a status where the truth goes on (%zu of them "
         "endless), %zu refused, %zu left out\n",
         sums[PAIR_RIGHT], sums[PAIR_WRONG], sums[PAIR_FALSE_STATUS], endless, sums[PAIR_REFUSED],
         sums[PAIR_LEFT_OUT]);
  for (int i = 1; i < ESS_STATUS_COUNT; i++)
    if (statuses[i]) printf("  %zu: %s\n", statuses[i], ess_strerror(i));
  return sums[PAIR_WRONG] > 0;
}
