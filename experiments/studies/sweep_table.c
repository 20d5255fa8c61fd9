/*
 * The summary of a sweep that a person reads.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>

#include "sweep.h"

static void print_cells(const sweep_data *data) {
  printf("%6s %-11s %-12s %10s %21s %8s %8s %8s %9s\n", "N", "solver", "protocol", "median ms",
         "95 % interval", "RMS", "RMS q90", "worst", "crossings");
  for (size_t i = 0; i < data->rows; i++) {
    const sweep_row *const row = &data->row[i];
    for (size_t k = 0; sweep_row_done(data, row) && k < row->entries.count; k++) {
      const protocol_entry *const e = &row->entries.entry[k];
      const sweep_cell *const c = &row->cell[k];
      printf("%6zu %-11s %-12s %10.4f [%8.4f, %9.4f] %8.2g %8.2g %8.2g %8.2f%%%s\n", row->contacts,
             e->solver->name, e->protocol, 1e3 * c->median, 1e3 * c->median_lo, 1e3 * c->median_hi,
             c->rms_median, c->rms_q90, c->rms_worst, 100.0 * c->events_ratio,
             c->events_close ? "" : " (!)");
    }
  }
}

static void print_slopes(const sweep_data *data) {
  const sweep_row *const row = &data->row[0];
  for (size_t k = 0; k < row->entries.count; k++) {
    const sweep_slope *const s = &data->slope[k];
    if (isnan(s->slope)) continue;
    printf("%s, %s: %.3f us per contact over all N (95 %% interval %.3f to %.3f)\n",
           row->entries.entry[k].solver->name, row->entries.entry[k].protocol, 1e6 * s->slope,
           1e6 * s->low, 1e6 * s->high);
  }
}

void sweep_print(const sweep_data *data) {
  printf("%zu starts for each N; ", data->trials);
  if (!isnan(data->epsilon)) printf("epsilon %.6g (%s); ", data->epsilon, data->epsilon_source);
  printf("MuJoCo %s\n", bridge_version_string());
  print_cells(data);
  print_slopes(data);
  printf("crossings: of all runs, as a share of the reference's; (!) marks more than 1 %% off\n"
         "results in %s/sweep.csv, sweep_samples.csv, sweep.json\n",
         data->given->folder);
}
