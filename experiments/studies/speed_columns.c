/*
 * The columns of essbench speed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "speed.h"

/* the work of an entry: medians over the starts */
#define WORK(row, name, text, ...) COLUMN(row, name, AMOUNT, "", text, __VA_ARGS__)

const column speed_row_columns[] = {
    COLUMN(speed_row, model, TEXT, "", "hopper or plate", SHOWN("model", "%-6s")),
    COLUMN(speed_row, law, TEXT, "", "of the plate's contacts"),
    COLUMN(speed_row, field, TEXT, "", "how libess's field is summed: contacts or aggregated",
           SHOWN("field", "%-10s")),
    COLUMN(speed_row, solver, TEXT, "", "mujoco or libess", SHOWN("solver", "%-6s")),
    COLUMN(speed_row, variant, TEXT, "", "MuJoCo's integrator"),
    COLUMN(speed_row, protocol, TEXT, "", "what is compared (docs/results/speed.md)",
           SHOWN("protocol", "%-15s")),
    COLUMN(speed_row, contacts, COUNT, "", "number of contacts", SHOWN("N", "%3.0f")),
    COLUMN(speed_row, damping, AMOUNT, "N s/m", "of all springs; not known of the hopper",
           SHOWN("c", "%3.0f")),
    COLUMN(speed_row, stiffness, AMOUNT, "N/m", "of all springs", SHOWN("k", "%7.0f")),
    COLUMN(speed_row, trials, COUNT, "", "starts"),
    COLUMN(speed_row, mujoco_variant, TEXT, "", "integrator that MuJoCo chose in this protocol",
           SHOWN("MuJoCo's", "%-12s")),
    COLUMN(speed_row, mujoco_time_step, AMOUNT, "s", "step that MuJoCo chose in this protocol",
           SHOWN_TIMES("ms", "%5.2f", 1e3)),
    COLUMN_AS("rtol", speed_row, settings.rtol, AMOUNT, "", "", .place = COLUMN_SHOWN_ONLY,
              SHOWN("rtol", "%7.1e")),
    COLUMN(speed_row, median_s, AMOUNT, "s", "median over starts and processes",
           SHOWN_TIMES("us", "%8.2f", 1e6)),
    COLUMN_AS("median_lo_s", speed_row, median[0], AMOUNT, "s", "lower end of its 95 % interval"),
    COLUMN_AS("median_hi_s", speed_row, median[1], AMOUNT, "s", "upper end"),
    COLUMN(speed_row, mujoco_s, AMOUNT, "s", "MuJoCo's median in this protocol",
           SHOWN_TIMES("MuJoCo us", "%9.1f", 1e6)),
    COLUMN_AS("mujoco_over_this", speed_row, ratio, AMOUNT, "",
              "median of MuJoCo's time over this, by start and process", SHOWN("ratio", "%6.1f")),
    COLUMN_AS("mujoco_over_this_lo", speed_row, ratio_ends[0], AMOUNT, "",
              "lower end of its 95 % interval", SHOWN("from", "%6.1f")),
    COLUMN_AS("mujoco_over_this_hi", speed_row, ratio_ends[1], AMOUNT, "", "upper end",
              SHOWN("to", "%6.1f")),
    COLUMN(speed_row, before, AMOUNT, "", "the same ratio of earlier results",
           SHOWN("before", "%6.1f")),
    COLUMN_AS("before_lo", speed_row, before_ends[0], AMOUNT, "", "its lower end"),
    COLUMN_AS("before_hi", speed_row, before_ends[1], AMOUNT, "", "its upper end"),
    COLUMN_AS("rms_error", speed_row, rms[0], AMOUNT, "", "RMS error: median start",
              SHOWN("RMS", "%7.1e")),
    COLUMN_AS("rms_q90", speed_row, rms[1], AMOUNT, "", "90 % quantile", SHOWN("90 %", "%7.1e")),
    COLUMN_AS("rms_worst", speed_row, rms[2], AMOUNT, "", "worst start", SHOWN("worst", "%7.1e")),
    COLUMN_AS("mujoco_rms_error", speed_row, mujoco_rms[0], AMOUNT, "",
              "MuJoCo's in this protocol: median start"),
    COLUMN_AS("mujoco_rms_q90", speed_row, mujoco_rms[1], AMOUNT, "", "90 % quantile"),
    COLUMN_AS("mujoco_rms_worst", speed_row, mujoco_rms[2], AMOUNT, "", "worst start"),
    COLUMN_AS("accepted_rms_error", speed_row, accepted[0], AMOUNT, "",
              "what settings were chosen by, on the starts that are timed: median start"),
    COLUMN_AS("accepted_rms_q90", speed_row, accepted[1], AMOUNT, "",
              "90 % quantile; not known where it was not asked for"),
    COLUMN_AS("accepted_rms_worst", speed_row, accepted[2], AMOUNT, "", "worst start, likewise"),
    COLUMN(speed_row, worse, FLAG, "",
           "more than 1 % above one of those after all, or off the reference's crossings",
           SHOWN("(!)", "%3.0f")),
    COLUMN(speed_row, events, AMOUNT, "", "crossings, median"),
    COLUMN(speed_row, events_ratio, AMOUNT, "", "crossings of all starts, over the reference's",
           SHOWN("crossings", "%9.4f")),
    COLUMN(speed_row, s_per_crossing, AMOUNT, "s", "median_s over events"),
    WORK(speed_row, steps, "accepted, median as all to mujoco_over_bound", SHOWN("steps", "%5.0f")),
    COLUMN(speed_row, rejected, AMOUNT, "", "steps"),
    WORK(speed_row, entries, "crossings located on the dense output", SHOWN("located", "%7.0f")),
    WORK(speed_row, substeps, "steps that make the crossings within them",
         SHOWN("substeps", "%8.0f")),
    COLUMN(speed_row, groups, AMOUNT, "", "of crossings whose jump was measured"),
    COLUMN(speed_row, field_evaluations, AMOUNT, "", "calls"),
    COLUMN(speed_row, guard_evaluations, AMOUNT, "", "calls for all or some event functions"),
    COLUMN(speed_row, entries_per_crossing, AMOUNT, "",
           "entries over crossings that change the field"),
    WORK(speed_row, evaluations_per_crossing, "both kinds of calls over those",
         SHOWN("calls/cr.", "%9.2f")),
    COLUMN(speed_row, bound_s, AMOUNT, "s",
           "what the calls alone cost: each at its time in callbacks",
           SHOWN_TIMES("bound us", "%8.2f", 1e6)),
    WORK(speed_row, over_bound, "time over the bound", SHOWN("/bound", "%6.2f")),
    COLUMN(speed_row, mujoco_over_bound, AMOUNT, "",
           "MuJoCo's time over the bound: what these evaluations allow at best"),
    COLUMN(speed_row, field_gap, AMOUNT, "", "between the model's field and MuJoCo's",
           SHOWN("gap", "%7.1e")),
    COLUMN(speed_row, scaling_s, AMOUNT, "", "of MuJoCo's contacts, with which that is so"),
    COLUMN(speed_row, processes, COUNT, "", "that timed every start"),
    COLUMN(speed_row, retaken, AMOUNT, "",
           "runs taken again because another task had had the core meanwhile"),
    COLUMN(speed_row, disturbed, AMOUNT, "",
           "runs that another task had a share of however often they were taken; it is taken out"),
    COLUMN(speed_row, settings, SETTINGS, "", "with which it ran"),
    {0},
};

const column speed_marginal_columns[] = {SPEED_MARGINAL_COLUMNS(COLUMN_LINE, speed_marginal){0}};

const column speed_sample_cost_columns[] = {
    SPEED_SAMPLE_COST_COLUMNS(COLUMN_LINE, speed_sample_cost){0}};

const column speed_callback_columns[] = {SPEED_CALLBACK_COLUMNS(COLUMN_LINE, speed_callback){0}};

const column speed_run_columns[] = {
    COLUMN(speed_one_run, model, TEXT, "", "hopper or plate"),
    COLUMN(speed_one_run, contacts, COUNT, "", "number of contacts"),
    COLUMN(speed_one_run, damping, AMOUNT, "N s/m", "of all springs"),
    COLUMN(speed_one_run, field, TEXT, "", "how libess's field is summed"),
    COLUMN(speed_one_run, solver, TEXT, "", "mujoco or libess"),
    COLUMN(speed_one_run, protocol, TEXT, "",
           "what is compared; equal settings of two protocols were timed once for both"),
    COLUMN(speed_one_run, trial, COUNT, "", "the start"),
    COLUMN(speed_one_run, seconds, AMOUNT, "s", "median of the repetitions"),
    COLUMN(speed_one_run, rms_error, AMOUNT, "", "by the first process, as all that follows"),
    COLUMN(speed_one_run, events, AMOUNT, "", "crossings"),
    COLUMN(speed_one_run, events_reference, AMOUNT, "", "of the reference"),
    COLUMN(speed_one_run, process, COUNT, "", "which process"),
    // of each of its runs, in no file
    COLUMNS(speed_one_run, AMOUNT, retaken, disturbed),
    COLUMNS(speed_one_run, AMOUNT, steps, rejected, entries, substeps, groups, field_evaluations,
            guard_evaluations),
    COLUMNS(speed_one_run, AMOUNT, entries_per_crossing, evaluations_per_crossing, bound_s,
            over_bound, mujoco_over_bound),
    COLUMN(speed_one_run, stiffness, AMOUNT, "N/m", "of all springs"),
    {0},
};

const column speed_value_columns[] = {
    {.name = "seconds", .kind = COLUMN_AMOUNT, .unit = "s", .meaning = "of a call"},
    {0},
};
