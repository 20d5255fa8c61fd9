/*
 * The tables of essbench speed, in Markdown, made of what speed.json holds.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "speed.h"

/* errors this much larger than MuJoCo's, and crossings this far off the reference's, are marked */
static const double slack = 0.01;

/* ---- cells ----------------------------------------------------------------------------------- */

static const char *text(const json_t *object, const char *name) {
  const char *const found = json_string_value(json_object_get(object, name));
  return found ? found : "";
}

static double number(const json_t *object, const char *name) {
  return speed_number_of(object, name);
}

/* a number in a cell, blank where there is none */
static void put(const char *format, double value) {
  putchar(' ');
  if (!isnan(value)) printf(format, value);
  fputs(" |", stdout);
}

/* a number with its interval */
static void put_interval(const char *format, double value, double low, double high) {
  putchar(' ');
  if (!isnan(value)) {
    printf(format, value);
    fputs(" [", stdout);
    printf(format, low);
    fputs(", ", stdout);
    printf(format, high);
    putchar(']');
  }
  fputs(" |", stdout);
}

/* the member `name` with the pair `interval`, both in units of `unit` */
static void put_pair(const char *format, const json_t *object, const char *name,
                     const char *interval, double unit) {
  const json_t *const pair = json_object_get(object, interval);
  put_interval(format, number(object, name) / unit,
               json_number_value(json_array_get(pair, 0)) / unit,
               json_number_value(json_array_get(pair, 1)) / unit);
}

/* the model, its contacts and damping, and the form of its field */
static void put_system(const json_t *object) {
  const char *const law = text(object, "law");
  const double damping = number(object, "damping");
  printf("| %s", text(object, "model"));
  if (*law) printf(", %s", law);
  if (!isnan(damping)) printf(", N = %g, c = %g", number(object, "contacts"), damping);
  printf(" | %s |", text(object, "field"));
}

/* where, when and what of */
static void print_head(const json_t *results) {
  const json_t *const environment = json_object_get(results, "environment");
  const json_t *const mujoco = json_object_get(environment, "mujoco");
  printf("%g starts; MuJoCo %s; %s, %s, isa %s; commit %.12s%s, %s%s\n\n",
         number(results, "trials"), text(mujoco, "version"), text(environment, "cpu"),
         text(environment, "compiler"), text(environment, "isa"), text(environment, "git_commit"),
         json_is_true(json_object_get(environment, "git_dirty")) ? " and edits" : "",
         text(environment, "date"),
         json_is_true(json_object_get(results, "complete")) ? "" : "; incomplete");
}

/* ---- the race -------------------------------------------------------------------------------- */

static bool is_ours(const json_t *row) {
  return strcmp(text(row, "solver"), "mujoco") != 0;
}

/* the settings were chosen on other starts: on these their errors may be larger than MuJoCo's */
static bool is_worse(const json_t *row) {
  static const char *const ours[] = {"rms_error", "rms_q90", "rms_worst"};
  static const char *const mujoco[] = {"mujoco_rms_error", "mujoco_rms_q90", "mujoco_rms_worst"};
  for (int i = 0; i < 3; i++)
    if (number(row, ours[i]) > (1.0 + slack) * number(row, mujoco[i])) return true;
  return false;
}

static void print_race(const json_t *results) {
  size_t i;
  json_t *row;
  printf("| system | field | protocol | MuJoCo us | libess us | MuJoCo/libess | before | "
         "RMS of MuJoCo, 90 %%, worst | RMS of libess, 90 %%, worst | crossings |\n"
         "|---|---|---|---|---|---|---|---|---|---|\n");
  json_array_foreach(json_object_get(results, "rows"), i, row) {
    if (!is_ours(row)) continue;
    put_system(row);
    printf(" %s | %.4g |", text(row, "protocol"), 1e6 * number(row, "mujoco_s"));
    put_interval("%.4g", 1e6 * number(row, "median_s"), 1e6 * number(row, "median_lo_s"),
                 1e6 * number(row, "median_hi_s"));
    put_interval("%.1f", number(row, "mujoco_over_this"), number(row, "mujoco_over_this_lo"),
                 number(row, "mujoco_over_this_hi"));
    put_interval("%.1f", number(row, "before"), number(row, "before_lo"), number(row, "before_hi"));
    printf(" %.2g, %.2g, %.2g |", number(row, "mujoco_rms_error"), number(row, "mujoco_rms_q90"),
           number(row, "mujoco_rms_worst"));
    printf(" %.2g, %.2g, %.2g%s | %.2f %%%s |\n", number(row, "rms_error"), number(row, "rms_q90"),
           number(row, "rms_worst"), is_worse(row) ? " (!)" : "",
           100.0 * number(row, "events_ratio"),
           fabs(number(row, "events_ratio") - 1.0) > slack ? " (!)" : "");
  }
}

static void print_work(const json_t *results) {
  size_t i;
  json_t *row;
  printf("\n| system | field | protocol | solver | rtol | steps | sub-steps | groups | located "
         "entries "
         "| projections | crossings | evaluations/crossing | ns/crossing | bound us | time/bound "
         "| MuJoCo/bound | regime |\n"
         "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  json_array_foreach(json_object_get(results, "rows"), i, row) {
    const json_t *const settings = json_object_get(row, "settings");
    if (!is_ours(row)) continue;
    put_system(row);
    printf(" %s | %s |", text(row, "protocol"), text(row, "solver"));
    put("%.2g", number(settings, "rtol"));
    put("%.0f", number(row, "steps"));
    put("%.0f", number(row, "substeps"));
    put("%.0f", number(row, "groups"));
    put("%.0f", number(row, "entries"));
    put("%.0f", number(row, "projections"));
    put("%.0f", number(row, "events"));
    put("%.2f", number(row, "evaluations_per_crossing"));
    put("%.0f", 1e9 * number(row, "s_per_crossing"));
    put("%.2f", 1e6 * number(row, "bound_s"));
    put("%.2f", number(row, "over_bound"));
    put("%.1f", number(row, "mujoco_over_bound"));
    printf(" %s |\n", text(row, "regime"));
  }
}

/* ---- costs ----------------------------------------------------------------------------------- */

static void print_marginals(const json_t *results) {
  const json_t *const list = json_object_get(results, "marginals");
  size_t i;
  json_t *one;
  if (!json_array_size(list)) return;
  printf("\n| one more contact, field | libess us | MuJoCo us | libess/MuJoCo | MuJoCo/libess | "
         "before |\n|---|---|---|---|---|---|\n");
  json_array_foreach(list, i, one) {
    printf("| %s |", text(one, "field"));
    put_pair("%.3g", one, "s_per_contact", "interval", 1e-6);
    put_pair("%.4g", one, "mujoco_s_per_contact", "mujoco_interval", 1e-6);
    put_pair("%.4f", one, "share", "share_interval", 1.0);
    put("%.1f", 1.0 / number(one, "share"));
    put("%.1f", 1.0 / number(one, "share_before"));
    putchar('\n');
  }
}

static void print_samples(const json_t *results) {
  const json_t *const list = json_object_get(results, "samples");
  size_t i;
  json_t *one;
  if (!json_array_size(list)) return;
  printf("\n| samples of | states | rows against | ns per row | ns per state |\n"
         "|---|---|---|---|---|\n");
  json_array_foreach(list, i, one) {
    const double states = number(one, "dimension");
    printf("| %s, N = %g | %g | %g against %g |", text(one, "model"), number(one, "contacts"),
           states, number(one, "rows"), number(one, "rows_less"));
    put_pair("%.2f", one, "s_per_row", "interval", 1e-9);
    put_pair("%.2f", one, "s_per_row", "interval", 1e-9 * states);
    putchar('\n');
  }
}

/* a row for every system and form, as they stand together */
static void print_callbacks(const json_t *results) {
  size_t i;
  json_t *one;
  printf("\n| calls of, ns | field |");
  for (size_t k = 0; k < SPEED_CALLBACKS; k++) printf(" %s |", speed_callback_names[k]);
  printf("\n|---|---|");
  for (size_t k = 0; k < SPEED_CALLBACKS; k++) printf("---|");
  json_array_foreach(json_object_get(results, "callbacks"), i, one) {
    if (strcmp(text(one, "callback"), speed_callback_names[0]) == 0) {
      putchar('\n');
      put_system(one);
    }
    put_pair("%.1f", one, "s_per_call", "interval", 1e-9);
  }
  putchar('\n');
}

/* ---- against location ------------------------------------------------------------------------ */

/* method, setting, ns per crossing, RMS error and regime */
static void put_point(const json_t *point) {
  const json_t *const settings = json_object_get(point, "settings");
  const char *const regime = text(point, "regime");
  if (json_is_null(point)) {
    printf(" none | | |");
    return;
  }
  printf(" %s, ", text(point, "method"));
  if (*regime) printf("epsilon %.2g, ", number(settings, "epsilon"));
  printf("rtol %.0e%s%s | %.0f | %.2g |", number(settings, "rtol"), *regime ? ": " : "", regime,
         1e9 * number(point, "s_per_crossing"), number(point, "rms_error"));
}

static void print_points(const json_t *list) {
  size_t i;
  json_t *point;
  json_array_foreach(list, i, point) {
    putchar('|');
    put_point(point);
    put("%.2f%%", 100.0 * number(point, "events_ratio"));
    putchar('\n');
  }
}

static const char *winner(const json_t *duel) {
  const json_t *const interval = json_object_get(duel, "interval");
  if (json_is_null(json_object_get(duel, "libess")))
    return json_is_null(json_object_get(duel, "location")) ? "neither gets there"
                                                           : "location alone gets there";
  if (json_is_null(json_object_get(duel, "location"))) return "libess alone gets there";
  if (json_number_value(json_array_get(interval, 0)) > 1.0) return "libess";
  return json_number_value(json_array_get(interval, 1)) < 1.0 ? "location" : "not shown";
}

static void print_duels(const json_t *location) {
  size_t i;
  json_t *duel;
  printf("\n| RMS error | faster | location/libess | location | ns/crossing | its RMS | "
         "libess | ns/crossing | its RMS |\n|---|---|---|---|---|---|---|---|---|\n");
  json_array_foreach(json_object_get(location, "duels"), i, duel) {
    printf("| %.0e | %s |", number(duel, "target"), winner(duel));
    put_pair("%.2f", duel, "location_over_libess", "interval", 1.0);
    put_point(json_object_get(duel, "location"));
    put_point(json_object_get(duel, "libess"));
    putchar('\n');
  }
}

void speed_print(const json_t *results) {
  const json_t *const location = json_object_get(results, "location");
  print_head(results);
  print_race(results);
  print_work(results);
  print_marginals(results);
  print_samples(results);
  print_callbacks(results);
  if (!json_is_object(location)) return;
  printf("\n| plate, N = %g, c = %g, field of %s | ns/crossing | RMS | crossings |\n"
         "|---|---|---|---|\n",
         number(location, "contacts"), number(location, "damping"), text(location, "field"));
  print_points(json_object_get(location, "over_epsilon"));
  print_points(json_object_get(location, "over_tolerance"));
  print_points(json_object_get(location, "located"));
  print_duels(location);
}
