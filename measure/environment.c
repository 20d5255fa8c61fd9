/* SPDX-License-Identifier: GPL-3.0-or-later */

#define _GNU_SOURCE
#include <gsl/gsl_statistics_double.h>
#include <gsl/gsl_version.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "build.h"
#include "clock.h"
#include "environment.h"
#include "json_file.h"
#include "revision.h"

/* looks at the run queue, and the pause between them */
enum { LOOKS = 11, PAUSE_NS = 10000000 };

/* The value of a "key : value" line, or NULL when the line has another key. */
static char *value_of(char *line, const char *key) {
  const size_t length = strlen(key);
  if (strncmp(line, key, length)) return NULL;
  char *colon = line + length + strspn(line + length, " \t");
  if (*colon != ':') return NULL;
  return colon + 1 + strspn(colon + 1, " \t");
}

static bool has_word(const char *text, const char *word) {
  const size_t length = strlen(word);
  for (const char *at = strstr(text, word); at; at = strstr(at + length, word)) {
    const bool starts = at == text || at[-1] == ' ';
    if (starts && (at[length] == ' ' || at[length] == '\0')) return true;
  }
  return false;
}

static json_t *flags_of(const char *text) {
  static const char *const names[] = {"avx", "avx2", "avx512f", "fma"};
  json_t *const flags = json_object();
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    json_object_set_new(flags, names[i], json_boolean(has_word(text, names[i])));
  return flags;
}

void measure_machine_parse_cpuinfo(FILE *stream, json_t *facts) {
  char *line = NULL;
  size_t size = 0;
  while (getline(&line, &size, stream) >= 0) {
    line[strcspn(line, "\n")] = '\0';
    const char *const name = value_of(line, "model name"), *const flags = value_of(line, "flags");
    if (name) json_object_set_new(facts, "cpu", measure_json_known(name));
    if (flags) json_object_set_new(facts, "isa_flags", flags_of(flags));
    // all cores of a machine are alike enough: the first speaks for the rest
    if (flags) break;
  }
  free(line);
}

/* First line of a file; null when it cannot be read. */
static json_t *line_of(const char *path) {
  char text[128] = "";
  FILE *const stream = fopen(path, "re");
  if (stream && fgets(text, sizeof text, stream)) text[strcspn(text, "\n")] = '\0';
  if (stream) fclose(stream);
  return measure_json_known(text);
}

/* name, release and architecture; never the host's name */
static json_t *kernel(void) {
  struct utsname name;
  if (uname(&name)) return json_null();
  return json_sprintf("%s %s %s", name.sysname, name.release, name.machine);
}

static json_t *load_average(void) {
  double load[3] = {NAN, NAN, NAN};
  if (getloadavg(load, 3) != 3) load[0] = load[1] = load[2] = NAN;
  return json_pack("[o, o, o]", measure_json_number(load[0]), measure_json_number(load[1]),
                   measure_json_number(load[2]));
}

long measure_machine_parse_loadavg(FILE *stream) {
  long ready, all;
  // "0.20 0.18 0.12 1/80 11206": loads, tasks ready and in all, the last process
  if (fscanf(stream, "%*s %*s %*s %ld/%ld", &ready, &all) != 2 || all < 1 || ready < 1) return -1;
  return ready - 1;
}

/* one look catches whatever wakes for a moment, so the median of several counts */
static long count_others(void) {
  double seen[LOOKS];
  for (int i = 0; i < LOOKS; i++) {
    if (i) nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    FILE *stream = fopen("/proc/loadavg", "re");
    seen[i] = stream ? (double)measure_machine_parse_loadavg(stream) : -1.0;
    if (stream) fclose(stream);
    if (seen[i] < 0.0) return -1;
  }
  return (long)gsl_stats_median(seen, 1, LOOKS);
}

json_t *measure_machine(int core) {
  char governor[96];
  snprintf(governor, sizeof governor, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor",
           core < 0 ? 0 : core);
  const long others = count_others();
  json_t *const facts =
      json_pack("{s:n, s:I, s:n, s:o, s:o, s:o, s:o}", "cpu", "cores",
                (json_int_t)sysconf(_SC_NPROCESSORS_ONLN), "isa_flags", "governor",
                line_of(governor), "kernel", kernel(), "load_average", load_average(),
                "other_tasks", others < 0 ? json_null() : json_integer(others));
  FILE *const cpuinfo = fopen("/proc/cpuinfo", "re");
  if (cpuinfo) {
    measure_machine_parse_cpuinfo(cpuinfo, facts);
    fclose(cpuinfo);
  }
  // boards without a model name in cpuinfo have one in the device tree
  if (json_is_null(json_object_get(facts, "cpu")))
    json_object_set_new(facts, "cpu", line_of("/sys/firmware/devicetree/base/model"));
  return facts;
}

/* ---- the environment ------------------------------------------------------------------------- */

/* The widest vector set the compiler was allowed to use in this build. */
static const char *isa_compiled(void) {
#if defined(__AVX512F__)
  return "avx512f";
#elif defined(__AVX2__)
  return "avx2";
#elif defined(__AVX__)
  return "avx";
#elif defined(__SSE2__)
  return "sse2";
#elif defined(__ARM_NEON)
  return "neon";
#else
  return "scalar";
#endif
}

static json_t *utc_date(void) {
  const time_t now = time(NULL);
  struct tm utc;
  char text[sizeof "2000-01-01T00:00:00Z"] = "";
  if (gmtime_r(&now, &utc)) strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return measure_json_known(text);
}

static json_t *git_dirty(void) {
  return MEASURE_GIT_COMMIT[0] ? json_boolean(MEASURE_GIT_DIRTY) : json_null();
}

__attribute__((format(printf, 2, 3))) static int warn(json_t *warnings, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char line[MEASURE_MESSAGE_SIZE];
  measure_message_v(line, format, arguments);
  va_end(arguments);
  return json_array_append_new(warnings, json_string(line));
}

/* Warns of conditions of the machine that disturb times. */
static int warn_of_machine(json_t *warnings, const json_t *record) {
  const json_t *const flags = json_object_get(record, "isa_flags");
  const double load = json_number_value(json_array_get(json_object_get(record, "load_average"), 0));
  const json_int_t cores = json_integer_value(json_object_get(record, "cores")),
                   others = json_integer_value(json_object_get(record, "other_tasks"));
  const char *const governor = json_string_value(json_object_get(record, "governor"));
  int failed = 0;
  if (load > 0.5 * (double)cores)
    failed |= warn(warnings, "load average %.2f on %lld cores; %g or less is quiet", load,
                   (long long)cores, 0.5 * (double)cores);
  if (others > 0) failed |= warn(warnings, "other tasks ready to run: %lld", (long long)others);
  if (governor && strcmp(governor, "performance"))
    failed |= warn(warnings, "frequency governor is %s, not performance", governor);
  if (json_is_object(flags) && !json_is_true(json_object_get(flags, "avx")))
    failed |= warn(warnings, "the processor has no AVX");
  if (json_is_null(json_object_get(record, "pinned_core")))
    failed |= warn(warnings, "not pinned to a core");
  return failed;
}

/* Warns of build settings that make times meaningless. */
static int warn_of_build(json_t *warnings) {
  int failed = 0;
#ifndef __OPTIMIZE__
  failed |= warn(warnings, "built without optimisation");
#endif
  if (!strcmp(MEASURE_BUILD_TYPE, "Debug")) failed |= warn(warnings, "built for debugging");
  if (MEASURE_BUILD_SANITIZERS[0])
    failed |= warn(warnings, "built with sanitizers: %s", MEASURE_BUILD_SANITIZERS);
  return failed;
}

json_t *measure_environment_warnings(const json_t *record) {
  json_t *const warnings = json_array();
  if (warnings && !warn_of_machine(warnings, record) && !warn_of_build(warnings)) return warnings;
  json_decref(warnings);
  return NULL;
}

json_t *measure_environment(int pinned_core) {
  json_t *const machine = measure_machine(pinned_core);
  json_t *const build = json_pack(
      "{s:o, s:o, s:o, s:o, s:s, s:s, s:o, s:o, s:s, s:s, s:o, s:o}", "compiler",
      measure_json_known(MEASURE_BUILD_COMPILER), "compiler_flags",
      measure_json_known(MEASURE_BUILD_FLAGS), "build_type", measure_json_known(MEASURE_BUILD_TYPE),
      "isa", measure_json_known(MEASURE_BUILD_ISA), "isa_compiled", isa_compiled(), "sanitizers",
      MEASURE_BUILD_SANITIZERS, "git_commit", measure_json_known(MEASURE_GIT_COMMIT), "git_dirty",
      git_dirty(), "gsl", gsl_version, "clock", MEASURE_CLOCK_NAME, "clock_resolution_ns",
      measure_json_number(measure_clock_resolution_ns()), "pinned_core",
      pinned_core < 0 ? json_null() : json_integer(pinned_core));
  json_t *record = json_pack("{s:o}", "date", utc_date());
  if (json_object_update(record, machine) || json_object_update(record, build) ||
      json_object_set_new(record, "warnings", measure_environment_warnings(record))) {
    json_decref(record);
    record = NULL;
  }
  json_decref(machine);
  json_decref(build);
  return record;
}
