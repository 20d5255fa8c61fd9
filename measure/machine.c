/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

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

void measure_machine_parse_cpuinfo(FILE *stream, measure_machine *out) {
  char *line = NULL;
  size_t size = 0;
  while (getline(&line, &size, stream) >= 0) {
    line[strcspn(line, "\n")] = '\0';
    const char *name = value_of(line, "model name");
    if (name) snprintf(out->cpu, sizeof out->cpu, "%s", name);
    const char *flags = value_of(line, "flags");
    if (!flags) continue;
    out->x86 = true;
    out->avx = has_word(flags, "avx");
    out->avx2 = has_word(flags, "avx2");
    out->avx512f = has_word(flags, "avx512f");
    out->fma = has_word(flags, "fma");
    // all cores of a machine are alike enough: the first speaks for the rest
    break;
  }
  free(line);
}

/* First line of a file; empty when it cannot be read. */
static void read_line(const char *path, char text[], int size) {
  text[0] = '\0';
  FILE *stream = fopen(path, "re");
  if (!stream) return;
  if (fgets(text, size, stream)) text[strcspn(text, "\n")] = '\0';
  fclose(stream);
}

static void read_kernel(measure_machine *out) {
  struct utsname name;
  if (uname(&name)) return;
  snprintf(out->kernel, sizeof out->kernel, "%.64s %.64s %.64s", name.sysname, name.release,
           name.machine);
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

void measure_machine_read(int core, measure_machine *out) {
  *out = (measure_machine){.cores = sysconf(_SC_NPROCESSORS_ONLN), .load = {NAN, NAN, NAN}};
  out->others = count_others();
  if (getloadavg(out->load, 3) != 3) out->load[0] = out->load[1] = out->load[2] = NAN;
  read_kernel(out);

  FILE *cpuinfo = fopen("/proc/cpuinfo", "re");
  if (cpuinfo) {
    measure_machine_parse_cpuinfo(cpuinfo, out);
    fclose(cpuinfo);
  }
  // boards without a model name in cpuinfo have one in the device tree
  if (!out->cpu[0]) read_line("/sys/firmware/devicetree/base/model", out->cpu, sizeof out->cpu);

  char path[96];
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor",
           core < 0 ? 0 : core);
  read_line(path, out->governor, sizeof out->governor);
}
