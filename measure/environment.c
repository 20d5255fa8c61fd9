/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "environment.h"

#include <gsl/gsl_version.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "build.h"
#include "clock.h"
#include "json_file.h"
#include "machine.h"
#include "revision.h"

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

/* What in the machine's state disturbs times. */
static int warn_of_machine(json_t *warnings, const json_t *record) {
  const json_t *const flags = json_object_get(record, "isa_flags");
  const double load = json_number_value(json_array_get(json_object_get(record, "load_average"), 0));
  const json_int_t cores = json_integer_value(json_object_get(record, "cores")),
                   others = json_integer_value(json_object_get(record, "other_tasks"));
  const char *const governor = json_string_value(json_object_get(record, "governor"));
  int failed = 0;
  if (load > 0.5 * (double)cores)
    failed |= warn(warnings, "load average %.2f on %lld cores, where %g is quiet", load,
                   (long long)cores, 0.5 * (double)cores);
  if (others > 0)
    failed |= warn(warnings, "other tasks that were ready to run: %lld", (long long)others);
  if (governor && strcmp(governor, "performance"))
    failed |= warn(warnings, "frequency governor is %s, not performance", governor);
  if (json_is_object(flags) && !json_is_true(json_object_get(flags, "avx")))
    failed |= warn(warnings, "the processor has no AVX");
  if (json_is_null(json_object_get(record, "pinned_core")))
    failed |= warn(warnings, "not pinned to a core");
  return failed;
}

/* What in the build makes times meaningless. */
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
