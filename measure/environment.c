/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "environment.h"

#include <gsl/gsl_version.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "build.h"
#include "clock.h"
#include "json_file.h"
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

/* Null for a text that is empty or is no UTF-8. */
static json_t *text_or_null(const char *text) {
  json_t *value = text[0] ? json_string(text) : NULL;
  return value ? value : json_null();
}

static json_t *utc_date(void) {
  const time_t now = time(NULL);
  struct tm utc;
  char text[sizeof "2000-01-01T00:00:00Z"] = "";
  if (gmtime_r(&now, &utc)) strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text_or_null(text);
}

static json_t *isa_flags(const measure_machine *machine) {
  if (!machine->x86) return json_null();
  return json_pack("{s:b, s:b, s:b, s:b}", "avx", machine->avx, "avx2", machine->avx2, "avx512f",
                   machine->avx512f, "fma", machine->fma);
}

static json_t *load_average(const measure_machine *machine) {
  return json_pack("[o, o, o]", measure_json_number(machine->load[0]),
                   measure_json_number(machine->load[1]), measure_json_number(machine->load[2]));
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

/* What in the machine's present state disturbs times. */
static int warn_of_machine(json_t *warnings, const measure_machine *machine, int pinned_core) {
  int failed = 0;
  if (machine->load[0] > 0.5 * (double)machine->cores) {
    failed |= warn(warnings, "load average %.2f is above half the number of cores, %ld",
                   machine->load[0], machine->cores);
  }
  if (machine->others > 0) {
    failed |= warn(warnings, "other tasks are running: %ld as a rule", machine->others);
  }
  if (machine->governor[0] && strcmp(machine->governor, "performance")) {
    failed |= warn(warnings, "frequency governor is %s, not performance", machine->governor);
  }
  if (machine->x86 && !machine->avx) failed |= warn(warnings, "the processor has no AVX");
  if (pinned_core < 0) failed |= warn(warnings, "not pinned to a core");
  return failed;
}

/* What in the build makes times meaningless. */
static int warn_of_build(json_t *warnings) {
  int failed = 0;
#ifndef __OPTIMIZE__
  failed |= warn(warnings, "built without optimisation");
#endif
  if (!strcmp(MEASURE_BUILD_TYPE, "Debug")) failed |= warn(warnings, "built for debugging");
  if (MEASURE_BUILD_SANITIZERS[0]) {
    failed |= warn(warnings, "built with sanitizers: %s", MEASURE_BUILD_SANITIZERS);
  }
  return failed;
}

json_t *measure_environment_warnings(const measure_machine *machine, int pinned_core) {
  json_t *warnings = json_array();
  if (warnings && !warn_of_machine(warnings, machine, pinned_core) && !warn_of_build(warnings)) {
    return warnings;
  }
  json_decref(warnings);
  return NULL;
}

json_t *measure_environment(int pinned_core) {
  measure_machine machine;
  measure_machine_read(pinned_core, &machine);
  return json_pack(
      "{s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:s, s:o, s:o, s:s, s:s, "
      "s:o, s:o, s:o}",
      "date", utc_date(), "cpu", text_or_null(machine.cpu), "cores", (json_int_t)machine.cores,
      "isa_flags", isa_flags(&machine), "governor", text_or_null(machine.governor), "kernel",
      text_or_null(machine.kernel), "load_average", load_average(&machine), "other_tasks",
      machine.others < 0 ? json_null() : json_integer(machine.others), "compiler",
      text_or_null(MEASURE_BUILD_COMPILER), "compiler_flags", text_or_null(MEASURE_BUILD_FLAGS),
      "build_type", text_or_null(MEASURE_BUILD_TYPE), "isa", text_or_null(MEASURE_BUILD_ISA),
      "isa_compiled", isa_compiled(), "sanitizers", MEASURE_BUILD_SANITIZERS, "git_commit",
      text_or_null(MEASURE_GIT_COMMIT), "git_dirty", git_dirty(), "gsl", gsl_version, "clock",
      MEASURE_CLOCK_NAME, "clock_resolution_ns", measure_json_number(measure_clock_resolution_ns()),
      "pinned_core", pinned_core < 0 ? json_null() : json_integer(pinned_core), "warnings",
      measure_environment_warnings(&machine, pinned_core));
}
