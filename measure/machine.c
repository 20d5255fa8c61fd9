/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "machine.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "json_file.h"

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
  long seen[LOOKS];
  for (int i = 0; i < LOOKS; i++) {
    if (i) nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    FILE *stream = fopen("/proc/loadavg", "re");
    const long others = stream ? measure_machine_parse_loadavg(stream) : -1;
    if (stream) fclose(stream);
    if (others < 0) return -1;
    int at = i;
    for (; at > 0 && seen[at - 1] > others; at--) seen[at] = seen[at - 1];
    seen[at] = others;
  }
  return seen[LOOKS / 2];
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
