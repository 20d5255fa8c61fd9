/*
 * The columns of a sweep's tables.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sweep.h"

const column sweep_sample_columns[] = {
    COLUMN(sweep_sample, contacts, COUNT, "", "number of contacts"),
    COLUMN(sweep_sample, solver, TEXT, "", "who races"),
    COLUMN(sweep_sample, protocol, TEXT, "", "with whose settings"),
    COLUMN(sweep_sample, trial, COUNT, "", "number of the start"),
    COLUMN(sweep_sample, process, COUNT, "", "which of them ran it"),
    COLUMN(sweep_sample, seconds, AMOUNT, "s", "of one run"),
    COLUMN(sweep_sample, repetitions, AMOUNT, "", "runs it is the median of"),
    COLUMN(sweep_sample, outlier, FLAG, "", "whether it is one of the outliers"),
    COLUMN(sweep_sample, rms_error, AMOUNT, "", "against the reference"),
    COLUMN(sweep_sample, events, AMOUNT, "", "crossings"),
    COLUMN(sweep_sample, events_reference, AMOUNT, "", "of the reference"),
    COLUMN(sweep_sample, contact_steps, AMOUNT, "",
           "contacts in touch by the reference, summed over output steps"),
    COLUMN(sweep_sample, retaken, AMOUNT, "",
           "runs taken again, of all starts of the process: at its first"),
    COLUMN(sweep_sample, disturbed, AMOUNT, "", "likewise"),
    COLUMNS(sweep_sample, NUMBER, target, epsilon),
    COLUMNS(sweep_sample, NOTE, source),
    COLUMNS(sweep_sample, SETTINGS, settings),
    COLUMNS(sweep_sample, GAP, gap),
    {0},
};

const column sweep_top_columns[] = {
    COLUMN(sweep_top, epsilon, AMOUNT, "m",
           "of the protocols that do not search for one; null: nobody who raced has one"),
    COLUMN_AS("epsilon_source", sweep_top, source, NOTE, "", "where it is from"),
    COLUMN(sweep_top, settings, SETTINGS, "",
           "that all who raced have in common; null where they differ"),
    {0},
};

const column sweep_slope_columns[] = {SWEEP_SLOPE_COLUMNS(COLUMN_LINE, sweep_slope){0}};

const column sweep_gap_columns[] = {
    COLUMN_AS("gap", sweep_row, gap.gap, AMOUNT, "",
              "RMS of the difference in acceleration, over the field's RMS"),
    COLUMN_AS("rms", sweep_row, gap.rms, AMOUNT, "m/s^2 or rad/s^2", "of the field"),
    COLUMN_AS("states", sweep_row, gap.states, COUNT, "", "compared"),
    COLUMN_AS("touching", sweep_row, gap.touching, COUNT, "", "of them with a force acting"),
    COLUMN_AS("inverse_weight", sweep_row, gap.inverse_weight, AMOUNT, "1/kg", "as compiled"),
    COLUMN_AS("scaling", sweep_row, gap.scaling, AMOUNT, "", "in force"),
    COLUMN(sweep_row, contacts, COUNT, "", "number of contacts"),
    {0},
};

const column sweep_ratio_columns[] = {
    COLUMN(sweep_ratio, contacts, COUNT, "", "number of contacts"),
    COLUMN(sweep_ratio, solver, TEXT, "", "method of libess"),
    COLUMN(sweep_ratio, protocol, TEXT, "", "of both"),
    COLUMN_AS("mujoco_over_projection", sweep_ratio, ratio, AMOUNT, "", "median of the quotients"),
    COLUMN(sweep_ratio, interval, INTERVAL, "", "of it"),
    COLUMN(sweep_ratio, confidence, AMOUNT, "", "of the interval"),
    COLUMN(sweep_ratio, mujoco_s, AMOUNT, "s", "median time of MuJoCo"),
    COLUMN_AS("projection_s", sweep_ratio, ours_s, AMOUNT, "s", "of libess"),
    COLUMN_AS("rms_error_mujoco", sweep_ratio, rms_mujoco, AMOUNT, "", "median error of MuJoCo"),
    COLUMN_AS("rms_error_projection", sweep_ratio, rms_ours, AMOUNT, "", "of libess"),
    COLUMN_AS("epsilon", sweep_ratio, settings.epsilon, AMOUNT, "m", "of libess"),
    COLUMN(sweep_ratio, settings, SETTINGS, "", "of libess, in force"),
    {0},
};

const column sweep_benchmark_columns[] = {
    COLUMN(sweep_benchmark, name, TEXT, "", "MODEL/PROTOCOL/SOLVER/contacts:N"),
    COLUMN_AS("run_name", sweep_benchmark, name, TEXT, "", "the same"),
    COLUMN(sweep_benchmark, run_type, TEXT, "", "aggregate"),
    COLUMN(sweep_benchmark, aggregate_name, TEXT, "", "median"),
    COLUMN(sweep_benchmark, aggregate_unit, TEXT, "", "time"),
    COLUMN(sweep_benchmark, threads, COUNT, "", "1"),
    COLUMN(sweep_benchmark, iterations, COUNT, "", "starts"),
    COLUMN(sweep_benchmark, real_time, AMOUNT, "ms", "of one run"),
    COLUMN_AS("cpu_time", sweep_benchmark, real_time, AMOUNT, "ms", "the same"),
    COLUMN(sweep_benchmark, time_unit, TEXT, "", "ms"),
    COLUMN_AS("real_time_lo", sweep_benchmark, interval[0], AMOUNT, "ms", "lower end of 95 %"),
    COLUMN_AS("real_time_hi", sweep_benchmark, interval[1], AMOUNT, "ms", "upper end"),
    COLUMN(sweep_benchmark, rms_error, AMOUNT, "", "median"),
    COLUMN(sweep_benchmark, events_ratio, AMOUNT, "", "crossings of all runs over the reference's"),
    {0},
};

const column sweep_row_columns[] = {
    COLUMN(sweep_row, contacts, COUNT, "", "number of contacts", SHOWN("N", "%6.0f")),
    COLUMN(sweep_row, solver, TEXT, "", "who races", SHOWN("solver", "%-11s")),
    COLUMN(sweep_row, protocol, TEXT, "", "with whose settings", SHOWN("protocol", "%-12s")),
    COLUMN(sweep_row, median_s, AMOUNT, "s", "of one run", SHOWN_TIMES("median ms", "%10.4f", 1e3)),
    COLUMN_AS("median_lo_s", sweep_row, interval_s[0], AMOUNT, "s",
              "lower end of its 95 % interval", SHOWN_TIMES("95 % from", "%9.4f", 1e3)),
    COLUMN_AS("median_hi_s", sweep_row, interval_s[1], AMOUNT, "s", "upper end",
              SHOWN_TIMES("to", "%9.4f", 1e3)),
    COLUMN(sweep_row, q25_s, AMOUNT, "s", "lower quartile"),
    COLUMN(sweep_row, q75_s, AMOUNT, "s", "upper quartile"),
    COLUMN(sweep_row, min_s, AMOUNT, "s", "fastest"),
    COLUMN(sweep_row, mad_s, AMOUNT, "s", "median absolute deviation"),
    COLUMN(sweep_row, marginal_s, NUMBER, "s",
           "cost of one more contact, from medians of 15 neighbouring N; nan with only one N"),
    COLUMN_AS("marginal_lo_s", sweep_row, marginal_interval_s[0], NUMBER, "s",
              "lower end of its 95 % band"),
    COLUMN_AS("marginal_hi_s", sweep_row, marginal_interval_s[1], NUMBER, "s", "upper end"),
    COLUMN(sweep_row, rms_error, AMOUNT, "", "median over the starts", SHOWN("RMS", "%8.2g")),
    COLUMN(sweep_row, rms_q90, AMOUNT, "", "90 % quantile", SHOWN("RMS q90", "%8.2g")),
    COLUMN(sweep_row, rms_worst, AMOUNT, "", "largest", SHOWN("worst", "%8.2g")),
    COLUMN(sweep_row, worst_trial, COUNT, "", "whose error it is"),
    COLUMN(sweep_row, events, AMOUNT, "", "median number of crossings"),
    COLUMN(sweep_row, events_reference, AMOUNT, "", "of the reference"),
    COLUMN(sweep_row, events_ratio, AMOUNT, "", "crossings of all runs over the reference's",
           SHOWN_TIMES("crossings", "%8.2f%%", 100.0)),
    COLUMN(sweep_row, off, TEXT, "", "", .place = COLUMN_SHOWN_ONLY, SHOWN("", "%s")),
    COLUMN(sweep_row, s_per_crossing, AMOUNT, "s", "median_s / events"),
    COLUMN(sweep_row, s_per_contact_step, AMOUNT, "s",
           "median_s over the contacts in touch, summed over output steps"),
    COLUMN(sweep_row, outliers, COUNT, "",
           "samples more than three interquartile ranges above the upper quartile"),
    COLUMN(sweep_row, retaken, AMOUNT, "", "runs taken again because the thread had lost its core"),
    COLUMN(sweep_row, disturbed, AMOUNT, "",
           "runs that lost it each time: what others had of their time is taken out"),
    COLUMN_AS("field_gap", sweep_row, gap.gap, AMOUNT, "",
              "how far the engines' accelerations are apart, relative"),
    COLUMN_AS("scaling_s", sweep_row, gap.scaling, AMOUNT, "",
              "what the mass that MuJoCo's contacts add is divided by"),
    COLUMN(sweep_row, target, NUMBER, "", "error that the settings were searched for"),
    COLUMN(sweep_row, settings, SETTINGS, "", "in force"),
    COLUMN_AS("variant", sweep_row, settings.variant, NOTE, "", "of the solver"),
    {0},
};
