/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench ensemble: a million starts of any model under one tolerance: how their ends are
 * distributed, a map of them over the start, and the runs that fail.
 *
 * A cell is a block of starts. It gives counts, not samples, so that memory and database have the
 * same size however many starts there are; a pilot settles beforehand what is counted. */
#include "ensemble.h"

#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "names.h"
#include "solver.h"
#include "studies.h"

enum { PILOT = 1000 };

/* ---- what is asked for ----------------------------------------------------------------------- */

static const study_option options[] = {
    {"tolerance", "X", "rtol = atol", OPTION_NUMBER, OPTION_AT(ensemble_settings, tolerance),
     .initial = "1e-4", .min = 1e-16, .max = 0.5, .result = "tolerance"},
    {"trials", "COUNT", "starts, each from a seed of its own: --seed and those that follow",
     OPTION_WHOLE, OPTION_AT(ensemble_settings, trials), .initial = "1000000", .min = 1, .max = 4e9,
     .result = "trials"},
    {"spread", "X",
     "every state of a start is moved by up to this, either way, for models that have "
     "a single start",
     OPTION_NUMBER, OPTION_AT(ensemble_settings, spread), .initial = "0", .min = 0, .max = 1e6,
     .result = "spread"},
    {"across", "STATE",
     "state at the start that the map has across (default: the first that differs "
     "from start to start)",
     OPTION_TEXT, OPTION_AT(ensemble_settings, across)},
    {"up", "STATE", "... and up (default: the next)", OPTION_TEXT,
     OPTION_AT(ensemble_settings, up)},
    {"outcome", "NAME",
     "what the map shows beside crossings: a state at the end, crossings or "
     "energy_change (default: the state that it has up)",
     OPTION_TEXT, OPTION_AT(ensemble_settings, outcome)},
    {"block", "COUNT",
     "starts that are run at a time, and lost where a worker is (default: 1000, or "
     "so many that there are 5000 blocks)",
     OPTION_WHOLE, OPTION_AT(ensemble_settings, block), .min = 1, .max = 1e9},
    {0},
};

/* whether a name given is one of the first `count` quantities; it says which there are */
static int check_name(study_run *run, const ensemble_frame *f, size_t count, const char *option,
                      const char *given) {
  if (!given) return 0;
  names known = names_for(given, strlen(given));
  for (size_t i = 0; i < count; i++) {
    if (strcmp(given, f->quantity[i].name) == 0) return 0;
    names_add(&known, f->quantity[i].name);
  }
  return SOLVER_REFUSE(run->message, "--%s %.60s is not accepted; %sthere are %s", option, given,
                       names_hint(&known, ""), known.list);
}

static int check(study_run *run) {
  const ensemble_settings *const s = run->settings;
  const model *const m = case_model(run, NULL);
  if (!m) return SOLVER_REFUSED;
  ensemble_frame f;
  ensemble_quantities(m, &f);
  int status = check_name(run, &f, f.states, "across", s->across);
  if (!status) status = check_name(run, &f, f.states, "up", s->up);
  if (!status) status = check_name(run, &f, f.count, "outcome", s->outcome);
  if (status || !s->across || !s->up || strcmp(s->across, s->up) != 0) return status;
  return SOLVER_REFUSE(run->message, "--up %s is not accepted; the map has it across", s->up);
}

/* ---- cells ----------------------------------------------------------------------------------- */

static int plan(study_run *run, size_t stage) {
  const ensemble_settings *const s = run->settings;
  const size_t block = ensemble_block_size(s);
  if (stage == 0) {
    const ensemble_cell pilot = {.count = s->trials < PILOT ? s->trials : PILOT, .pilot = true};
    return study_cell(run, &pilot, "pilot");
  }
  for (size_t first = 0; stage == 1 && first < s->trials; first += block) {
    const size_t left = s->trials - first;
    const ensemble_cell c = {.first = first, .count = left < block ? left : block};
    if (study_cell(run, &c, "starts=%zu+%zu", c.first, c.count)) return -1;
  }
  return 0;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static const column sample_columns[] = {
    COLUMNS(ensemble_sample, TEXT, kind, name, text),
    COLUMNS(ensemble_sample, COUNT, starts, seed),
    COLUMNS(ensemble_sample, NUMBER, sum, squares, low, high),
    {0},
};

static const column totals_columns[] = {
    COLUMN(ensemble_totals, block, COUNT, "", "starts that are run at a time"),
    COLUMN(ensemble_totals, finished, COUNT, "", "starts whose run came to its end"),
    COLUMN(ensemble_totals, failed, COUNT, "",
           "starts whose run did not: in none of the distributions"),
    COLUMN_AS("map.across", ensemble_totals, across, TEXT, "", "state at the start; empty: none"),
    COLUMN_AS("map.up", ensemble_totals, up, TEXT, "", "state at the start; empty: none"),
    COLUMN_AS("map.outcome", ensemble_totals, outcome, TEXT, "", "quantity at the end"),
    {0},
};

#define QUANTILE(name, index, meaning_, head_)                                                     \
  COLUMN_AS(name, ensemble_outcome, quantile[index], NUMBER, "", meaning_, SHOWN(head_, "%10.4g"))
static const column outcome_columns[] = {
    COLUMN(ensemble_outcome, quantity, TEXT, "",
           "a state, crossings that change the field, or energy_change (J), the energy at the end "
           "less that at the start",
           SHOWN("at the end", "%-13s")),
    COLUMN(ensemble_outcome, starts, COUNT, "", "whose run came to its end"),
    COLUMN(ensemble_outcome, mean, NUMBER, "", "of them", SHOWN("mean", "%10.4g")),
    COLUMN(ensemble_outcome, deviation, AMOUNT, "", "standard deviation", SHOWN("sd", "%10.3g")),
    COLUMN_AS("min", ensemble_outcome, smallest, NUMBER, "", "the smallest",
              SHOWN("min", "%10.4g")),
    QUANTILE("q01", 0, "1 % quantile", "1 %"),
    COLUMN_AS("q05", ensemble_outcome, quantile[1], NUMBER, "", "5 % quantile"),
    QUANTILE("q25", 2, "25 % quantile", "25 %"),
    QUANTILE("median", 3, "50 % quantile", "median"),
    QUANTILE("q75", 4, "75 % quantile", "75 %"),
    COLUMN_AS("q95", ensemble_outcome, quantile[5], NUMBER, "", "95 % quantile"),
    QUANTILE("q99", 6, "99 % quantile", "99 %"),
    COLUMN_AS("max", ensemble_outcome, largest, NUMBER, "", "the largest", SHOWN("max", "%10.4g")),
    COLUMN(ensemble_outcome, resolution, AMOUNT, "",
           "the bins' width: quantiles are no finer; far outside of most values bins are wider"),
    {0},
};

const study ensemble_study = {
    .name = "ensemble",
    .summary = "many starts under one tolerance: distribution and map of what they come to",
    .example = "mpirun -n 4 essbench ensemble --contacts 100 --tolerance 1e-3 --trials 100000",
    .file = "ensemble",
    .schema = "essbench-ensemble-1",
    .untimed = true,
    .cells = "blocks",
    .stages = 2,
    .processes = 2,
    STUDY_OF(options, ensemble_settings, ensemble_cell),
    .tables = {[ENSEMBLE_SAMPLES] = STUDY_TABLE(sample_columns, ensemble_sample,
                                                .meaning = "one thing that a block says"),
               [ENSEMBLE_TOTALS] = STUDY_TABLE(totals_columns, ensemble_totals, .json = "",
                                               .meaning = "all starts"),
               [ENSEMBLE_OUTCOMES] = STUDY_TABLE(outcome_columns, ensemble_outcome,
                                                 .json = "outcomes", .csv = "ensemble.csv",
                                                 .meaning = "one quantity at the end of all runs"),
               [ENSEMBLE_BINS] = STUDY_ROWS(ensemble_bin, .csv = "ensemble_distribution.csv",
                                            .meaning = "one bin of one quantity"),
               [ENSEMBLE_PLACES] =
                   STUDY_ROWS(ensemble_place_row, .csv = "ensemble_map.csv",
                              .meaning = "one place of the map, if a start was in it"),
               [ENSEMBLE_STATUSES] =
                   STUDY_ROWS(ensemble_status, .json = "statuses", .csv = "ensemble_status.csv",
                              .meaning = "one way in which runs ended"),
               [ENSEMBLE_FAILURES] =
                   STUDY_ROWS(ensemble_failure, .json = "failures", .csv = "ensemble_failures.csv",
                              .meaning = "one start whose run failed: the first 20 of each "
                                         "block")},
    .check = check,
    .plan = plan,
    .run = ensemble_run,
    .derive = ensemble_derive,
    .show = ensemble_show,
    .release = ensemble_release,
};
